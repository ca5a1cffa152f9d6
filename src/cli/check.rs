//! `garcia check`: all faults of an order file at once.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::engine::doc::{Fault, Source};
use crate::engine::submission::Submission;
use crate::engine::{Chances, Effort, Json};
use crate::report::{OutlookReport, faults, terminal};

use super::sight::Sight;
use super::{Done, Trouble, World};

/// Check an order file: all faults at once, each in its line, with the clause and what would be legal.
///
/// Nothing is signed or written. A good file is carried out as you hope: the outlook tells what will happen then, with
/// the chances of every die, what is left to a question and whose, and what is laid down for yours. What is shown at the
/// end is what would be signed: names resolved, every `to` written out as the path it stands for.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia check orders/t3-us-turn.yaml
  garcia check shafter.yaml wheeler.yaml     the files of two commanders of one side, as one packet
  garcia check --json orders.yaml            {\"ok\", \"faults\", \"outlook\", \"signed\"}

Exit code 0: no faults (there may be warnings); 1: faults.")]
pub struct Check {
    /// The order file, or several of one side; `-` reads standard input.
    #[arg(required = true, value_name = "ORDERS")]
    files: Vec<PathBuf>,
}

/// A check is quick: what cannot be counted in a moment is drawn a hundred times, and `garcia odds` looks closer.
pub const GLANCE: Effort<'static> =
    Effort { seed: "garcia", apart: 100, varied: 8, together: 0, drawn: 100, orders_only: true };

impl Check {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        of_files(&self.files, world)
    }
}

/// Checks the order files of one seat.
pub fn of_files(files: &[PathBuf], world: &World) -> Result<Done, Trouble> {
    let sight = Sight::open(world)?;
    let (submission, outlook, warnings) = sight.foresee(files)?;
    let chances = match (&submission.orders, &outlook) {
        (Some(orders), Some(outlook)) => sight.chances(orders, outlook, &BTreeMap::new(), &GLANCE),
        _ => Chances::default(),
    };
    let outlook = outlook.map(|outlook| {
        let (table, reader) = (sight.table(), submission.side);
        OutlookReport { table, reader, outlook, chances }
    });
    let packet = packet(&sight, &submission)?;
    if world.json {
        let list: Vec<faults::ShownFault> =
            warnings.iter().flat_map(|(source, list)| faults::entries(list, source)).collect();
        let outlook = outlook.map(|report| report.json()).transpose();
        let outlook = outlook.map_err(|error| Trouble::bug(error.to_string()))?;
        return Done::json(&json!({ "ok": true, "faults": list, "outlook": outlook, "signed": packet }));
    }
    let yaml = serde_yaml::to_string(&packet).map_err(|error| Trouble::bug(error.to_string()))?;
    let warned = warned(&warnings, world);
    let verb = sight.signing_verb();
    let foreseen = outlook.map(|report| terminal(&report.page(), world.look) + "\n").unwrap_or_default();
    Ok(Done::good(format!("{warned}{foreseen}What will be signed:\n{yaml}\nNo faults. `garcia {verb}` signs it.\n")))
}

/// The warnings of a good file, as text.
pub fn warned(warnings: &[(Source, Vec<Fault>)], world: &World) -> String {
    let files = warnings.iter().filter(|(_, list)| !list.is_empty());
    files.map(|(source, list)| faults::render(list, source, world.look) + "\n").collect()
}

/// What would be signed, as data.
pub fn packet(sight: &Sight, submission: &Submission) -> Result<Json, Trouble> {
    let mut packet = std::collections::BTreeMap::new();
    if let Some(orders) = &submission.orders {
        let orders = sight.table().orders_json(orders).map_err(|error| Trouble::bug(error.to_string()))?;
        packet.insert("orders".to_owned(), orders);
    }
    for (name, policies) in [("policies", &submission.policies), ("standing", &submission.standing)] {
        if !policies.is_empty() {
            packet.insert(name.to_owned(), Json::Map(policies.clone()));
        }
    }
    if !submission.answers.is_empty() {
        let answer = |(key, choice): (&crate::engine::Key, &Json)| {
            Json::object([("key", Json::Str(key.to_string())), ("choice", choice.clone())])
        };
        packet.insert("answers".to_owned(), Json::List(submission.answers.iter().map(answer).collect()));
    }
    if let Some(note) = &submission.note {
        packet.insert("note".to_owned(), Json::from(note.as_str()));
    }
    Ok(Json::Map(packet))
}
