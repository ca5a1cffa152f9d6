//! `garcia reach`, `supply` and `los`: questions to the position, without giving orders.

use clap::Args;

use crate::engine::Query;
use crate::report::{Page, terminal};

use super::sight::Sight;
use super::{Done, Trouble, World};

/// Show where a unit can go, by which path and at what cost.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia reach us-inf-6
  garcia reach us-inf-6 --json")]
pub struct Reach {
    /// The unit.
    unit: String,
}

/// Show who is in supply, and along which line.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia supply                everybody
  garcia supply sp-4-tv        one unit, with its line")]
pub struct Supply {
    /// Only this unit.
    unit: Option<String>,
}

/// Show whether one hex can see another.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  garcia los 1210 1312")]
pub struct Los {
    /// From this hex or place.
    from: String,
    /// To this one.
    to: String,
}

impl Reach {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let title = format!("Where {} can go", self.unit);
        ask(&Sight::open(world)?, title, &Query::Reach { unit: self.unit }, world)
    }
}

impl Supply {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let title = self.unit.as_ref().map_or_else(|| "Supply".to_owned(), |unit| format!("Supply of {unit}"));
        ask(&Sight::open(world)?, title, &Query::Supply { unit: self.unit }, world)
    }
}

impl Los {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let title = format!("From {} to {}", self.from, self.to);
        ask(&Sight::open(world)?, title, &Query::Sight { from: self.from, to: self.to }, world)
    }
}

fn ask(sight: &Sight, title: String, query: &Query, world: &World) -> Result<Done, Trouble> {
    let view = sight.view(sight.stop().who());
    let reply = sight.table().query(view, query).map_err(Trouble::refused)?;
    answer(title, reply, world)
}

fn answer(title: String, reply: crate::engine::Reply, world: &World) -> Result<Done, Trouble> {
    if world.json {
        // What the game says of it, and every cost, die and line as a map would show it.
        let drawn = serde_json::json!(reply.drawn);
        let mut all = serde_json::json!(reply.json);
        if let Some(members) = all.as_object_mut() {
            members.insert("drawn".to_owned(), drawn);
        }
        return Done::json(&all);
    }
    let mut page = Page::new(title);
    page.section("", reply.diary);
    Ok(Done::good(terminal(&page, world.look)))
}
