//! `garcia reach`, `supply`, `los` and `odds`: questions to the position, without giving orders.

use std::path::PathBuf;

use clap::Args;

use crate::engine::Query;
use crate::engine::doc::DocPath;
use crate::report::{Page, terminal};

use super::sight::{Sight, read_files};
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

/// Show at what odds the battles of an order file would be fought, before any die.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  garcia odds orders/t3-us-turn.yaml")]
pub struct Odds {
    /// The order file, or several of one side.
    #[arg(required = true, value_name = "ORDERS")]
    files: Vec<PathBuf>,
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

impl Odds {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let sight = Sight::open(world)?;
        let (joined, faults) = read_files(&self.files)?;
        let files = |faults| {
            let sorted = joined.sort(faults).into_iter().map(|(source, list)| (source.clone(), list));
            Trouble::faults(sorted.collect())
        };
        if !faults.is_empty() {
            return Err(files(faults));
        }
        let Some(orders) = joined.node.get("orders").cloned() else {
            return Err(Trouble::usage("there are no `orders` in the file", "see `garcia template`"));
        };
        let reply = sight.table().query(sight.view(sight.stop().who()), &Query::Odds { orders });
        let reply = reply.map_err(|mut faults| {
            // The game knows its orders only; in the file they stand below `orders`.
            for fault in &mut faults {
                fault.at = DocPath::root().key("orders").join(&fault.at);
            }
            files(faults)
        })?;
        answer("Odds before any die".to_owned(), reply, world)
    }
}

fn ask(sight: &Sight, title: String, query: &Query, world: &World) -> Result<Done, Trouble> {
    let view = sight.view(sight.stop().who());
    let reply = sight.table().query(view, query).map_err(Trouble::refused)?;
    answer(title, reply, world)
}

fn answer(title: String, reply: crate::engine::Reply, world: &World) -> Result<Done, Trouble> {
    if world.json {
        return Done::json(&reply.json);
    }
    let mut page = Page::new(title);
    page.section("", reply.diary);
    Ok(Done::good(terminal(&page, world.look)))
}
