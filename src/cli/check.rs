//! `garcia check`: all faults of an order file at once.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::engine::Json;
use crate::engine::doc::{Fault, Source};
use crate::engine::submission::Submission;
use crate::report::faults;

use super::campaign::Campaign;
use super::{Done, Trouble, World};

/// Check an order file: all faults at once, each in its line, with the clause and what would be legal.
///
/// Nothing is signed or written. What is shown at the end is what `resolve` would sign: names resolved, every `to`
/// written out as the path it stands for.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia check orders/t3-us-turn.yaml
  garcia check shafter.yaml wheeler.yaml     the files of two commanders of one side, as one packet
  garcia check --json orders.yaml            [{\"line\", \"column\", \"clause\", \"what\", \"remedy\", …}]

Exit code 0: no faults (there may be warnings); 1: faults.")]
pub struct Check {
    /// The order file, or several of one side; `-` reads standard input.
    #[arg(required = true, value_name = "ORDERS")]
    files: Vec<PathBuf>,
}

impl Check {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let campaign = Campaign::open(world)?;
        let (submission, warnings) = campaign.check(&self.files)?;
        let packet = packet(&campaign, &submission)?;
        if world.json {
            let list: Vec<faults::ShownFault> =
                warnings.iter().flat_map(|(source, list)| faults::entries(list, source)).collect();
            return Done::json(&json!({ "ok": true, "faults": list, "signed": packet }));
        }
        let yaml = serde_yaml::to_string(&packet).map_err(|error| Trouble::bug(error.to_string()))?;
        let warned = warned(&warnings, world);
        let verb = campaign.signing_verb();
        Ok(Done::good(format!("{warned}What will be signed:\n{yaml}\nNo faults. `garcia {verb}` signs it.\n")))
    }
}

/// The warnings of a good file, as text.
pub fn warned(warnings: &[(Source, Vec<Fault>)], world: &World) -> String {
    let files = warnings.iter().filter(|(_, list)| !list.is_empty());
    files.map(|(source, list)| faults::render(list, source, world.look) + "\n").collect()
}

/// What would be signed, as data.
fn packet(campaign: &Campaign, submission: &Submission) -> Result<Json, Trouble> {
    let mut packet = std::collections::BTreeMap::new();
    if let Some(orders) = &submission.orders {
        let orders = campaign.table().orders_json(orders).map_err(|error| Trouble::bug(error.to_string()))?;
        packet.insert("orders".to_owned(), orders);
    }
    for (name, policies) in [("policies", &submission.policies), ("standing", &submission.standing)] {
        let said: std::collections::BTreeMap<String, Json> = policies
            .iter()
            .filter(|(_, policy)| policy.as_str() != Some("default"))
            .map(|(kind, policy)| (kind.clone(), policy.clone()))
            .collect();
        if !said.is_empty() {
            packet.insert(name.to_owned(), Json::Map(said));
        }
    }
    if !submission.answers.is_empty() {
        let answer = |(key, choice): (&crate::engine::Key, &Json)| {
            Json::object([("key", Json::Str(key.to_string())), ("choice", choice.clone())])
        };
        packet.insert("answers".to_owned(), Json::List(submission.answers.iter().map(answer).collect()));
    }
    Ok(Json::Map(packet))
}
