//! `garcia map`: the map, in characters or as a picture.

use clap::Args;

use crate::draw::{Window, text_map};
use crate::engine::Query;
use crate::engine::doc::{DocPath, Fault, Unknown, did_you_mean, fold};
use crate::report::picture_text;
use crate::scene::Scene;

use super::sight::Sight;
use super::{Done, Trouble, World};

/// Show the map with all units.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia map                       all of it
  garcia map \"El Caney\"            around a place, with what stands there
  garcia map 1210 --radius 3       around a hex
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
}

impl Map {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let sight = Sight::open(world)?;
        let mut scene = sight.table().scene(sight.view(None));
        for query in self.questions() {
            let reply = sight.table().query(sight.view(sight.stop().who()), &query).map_err(Trouble::refused)?;
            scene.could.extend(reply.drawn);
        }
        let window = self.window(&sight, &scene)?;
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
