//! `garcia map`: the map, in characters or as a picture.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::draw::{Window, svg_map, text_map};
use crate::engine::Query;
use crate::engine::doc::{DocPath, Fault, Unknown, did_you_mean, fold};
use crate::report::picture_text;
use crate::scene::Scene;

use crate::trust::store::{Readers, write_whole};

use super::folder;
use super::past::Past;
use super::sight::Sight;
use super::{Done, Trouble, World};

/// Pixels of the longer side of a picture.
#[cfg(feature = "png")]
const LONGEST: u16 = 2400;

/// Show the map with all units.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia map                       all of it
  garcia map \"El Caney\"            around a place, with what stands there
  garcia map 1210 --radius 3       around a hex
  garcia map -o map.svg            as a picture to print; map.png for mails and forums
  garcia map --turn 3 -o t3.png    as it was at the end of turn 3
  garcia map --reach us-inf-6      where a unit can go, with the cost of each hex
  garcia map --json                everything that is drawn, as data")]
pub struct Map {
    /// A hex, box or place to look at, or a battlefield.
    place: Option<String>,
    /// How many hexes to each side of it.
    #[arg(long, value_name = "N", default_value_t = 4)]
    radius: u16,
    /// Show where this unit can go.
    #[arg(long, value_name = "UNIT")]
    reach: Option<String>,
    /// Show the lines of supply.
    #[arg(long)]
    supply: bool,
    /// Show the line of sight from one place to another.
    #[arg(long, value_names = ["FROM", "TO"], num_args = 2)]
    los: Option<Vec<String>>,
    /// Show the map as it was at the end of this game turn.
    #[arg(long, value_name = "N")]
    turn: Option<u32>,
    /// Draw it into a file that ends in `.svg` or `.png`.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The whole map of the game in hand, in characters.
pub fn of_folder(world: &World) -> Result<Done, Trouble> {
    let sight = Sight::open(world)?;
    let scene = sight.table().scene(sight.view(None));
    Ok(Done::good(picture_text(&text_map(&scene, &Window::default(), world.columns), world.look)))
}

impl Map {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let sight = match self.turn {
            None => Sight::open(world)?,
            Some(turn) => {
                let folder = folder::find(world)?;
                let records = folder::records(&folder)?;
                let past = Past { world, folder, records, open: None };
                let last = past.of_turn(turn)?.pop().unwrap_or_default();
                past.sight(last)?
            }
        };
        let mut scene = sight.table().scene(sight.view(None));
        for query in self.questions() {
            let reply = sight.table().query(sight.view(sight.stop().who()), &query).map_err(Trouble::refused)?;
            scene.could.extend(reply.drawn);
        }
        let window = self.window(&sight, &scene)?;
        if let Some(path) = &self.output {
            draw(path, &svg_map(&scene, &window))?;
            return Ok(Done::good(format!("{} is written.\n", path.display())));
        }
        if world.json {
            return Done::json(&scene);
        }
        Ok(Done::good(picture_text(&text_map(&scene, &window, world.columns), world.look)))
    }

    fn questions(&self) -> Vec<Query> {
        let reach = self.reach.iter().map(|unit| Query::Reach { unit: unit.clone() });
        let supply = self.supply.then_some(Query::Supply { unit: None });
        let los = match self.los.as_deref() {
            Some([from, to]) => Some(Query::Sight { from: from.clone(), to: to.clone() }),
            _ => None,
        };
        reach.chain(supply).chain(los).collect()
    }

    /// The part of the map that is asked for.
    fn window(&self, sight: &Sight, scene: &Scene) -> Result<Window, Trouble> {
        let Some(place) = &self.place else { return Ok(Window::default()) };
        let named = fold(place);
        let board = |(_, board): &(usize, &crate::scene::Board)| fold(&board.id) == named || fold(&board.name) == named;
        if let Some((board, _)) = scene.boards.iter().enumerate().find(board) {
            return Ok(Window { board: Some(board), ..Window::default() });
        }
        let around = |board: usize, cell: &str| {
            Ok(Window { board: Some(board), centre: Some(cell.to_owned()), radius: self.radius })
        };
        // `el-caney/0504`: a box of one battlefield of several.
        if let Some((field, cell)) = place.split_once('/')
            && let Some(at) = scene.boards.iter().position(|board| fold(&board.id) == fold(field))
            && let Some(cell) = scene.boards.get(at).and_then(|board| board.cell(cell))
        {
            return around(at, &cell.id);
        }
        let mut unknown = Unknown::default();
        for class in ["hex", "box"] {
            match sight.table().lexicon().look_up(class, place) {
                Ok(found) => {
                    if let Some((board, cell)) = scene.find(&found) {
                        return around(board, &cell.id);
                    }
                }
                Err(near) if unknown.nearest.is_empty() => unknown = near,
                Err(_) => {}
            }
        }
        if let Some((board, cell)) = scene.find(place) {
            return around(board, &cell.id);
        }
        let nearest: Vec<&str> = unknown.nearest.iter().map(String::as_str).collect();
        let hint = Some(unknown.hint).filter(|hint| !hint.is_empty());
        let remedy =
            did_you_mean(&nearest).or(hint).unwrap_or_else(|| "name a place that `garcia map` shows".to_owned());
        Err(Trouble::refused(vec![Fault::new(&DocPath::root(), format!("there is no place `{place}`"), remedy)]))
    }
}

/// Writes a drawing in the form its name asks for.
fn draw(path: &Path, svg: &str) -> Result<(), Trouble> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => Ok(write_whole(path, svg.as_bytes(), Readers::Anyone)?),
        #[cfg(feature = "png")]
        Some("png") => {
            let picture = crate::draw::png(svg, LONGEST).map_err(Trouble::bug)?;
            Ok(write_whole(path, &picture, Readers::Anyone)?)
        }
        #[cfg(not(feature = "png"))]
        Some("png") => Err(Trouble::usage("this garcia was built without PNG", "draw it as `.svg`")),
        _ => Err(Trouble::usage(format!("{} is no picture", path.display()), "name a file that ends in .svg or .png")),
    }
}
