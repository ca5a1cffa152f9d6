//! `garcia map`: the map in characters.

use clap::Args;
use serde_json::json;

use crate::engine::Window;
use crate::report::picture_text;

use super::sight::Sight;
use super::{Done, Trouble, World};

/// Show the map with all units.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia map                       all of it
  garcia map \"El Caney\"            around a place
  garcia map 1210 --radius 3       around a hex")]
pub struct Map {
    /// A hex or place to look at.
    place: Option<String>,
    /// How many hexes to each side of it.
    #[arg(long, value_name = "N", default_value_t = 4)]
    radius: u32,
}

impl Map {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let sight = Sight::open(world)?;
        let radius = self.place.as_ref().map(|_| self.radius);
        let width = world.look.unicode.then_some(world.look.width);
        let window = Window { centre: self.place, radius, width };
        let picture =
            sight.table().picture(sight.view(None), &window).map_err(|fault| Trouble::refused(vec![fault]))?;
        if world.json {
            let lines: Vec<String> =
                picture.lines.iter().map(|line| line.iter().map(|patch| patch.text.as_str()).collect()).collect();
            let state = sight.table().state_json(sight.view(None).state);
            let state = state.map_err(|error| Trouble::bug(error.to_string()))?;
            return Done::json(&json!({ "lines": lines, "legend": picture.legend, "state": state }));
        }
        Ok(Done::good(picture_text(&picture, world.look)))
    }
}
