//! `garcia compare`: where two ledgers part, and who signed twice.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::trust::compare::{Comparison, compare};

use super::{Done, Trouble, World, campaign, exit};

/// Compare two copies of a ledger: where they part and what each side signed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia compare us/kettle-hill spain/kettle-hill
  garcia compare A B --json       {\"same\", \"seq\", \"code\", \"fault\", …}")]
pub struct Compare {
    /// The first game folder.
    one: PathBuf,
    /// The second game folder.
    other: PathBuf,
}

impl Compare {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let (a, b) = (campaign::records(&self.one)?, campaign::records(&self.other)?);
        let (one, other) = (self.one.display(), self.other.display());
        let comparison = compare(&a, &b);
        if world.json {
            let (value, code) = match &comparison {
                Comparison::Same => (json!({"same": true, "records": a.len()}), exit::GOOD),
                Comparison::Longer { first, common } => {
                    let longer = if *first { one.to_string() } else { other.to_string() };
                    (json!({"same": false, "common": common, "longer": longer}), exit::GOOD)
                }
                Comparison::Parted { seq, finding, records } => (
                    json!({"same": false, "seq": seq, "code": finding.code.as_str(), "fault": finding.fault.as_ref().map(|role| role.as_str()),
                           "what": finding.what, "records": [records.0.id(), records.1.id()]}),
                    if finding.fault.is_some() { exit::FAULTS } else { exit::NOBODY },
                ),
            };
            return Ok(Done::json(&value)?.with(code));
        }
        Ok(match comparison {
            Comparison::Same => Done::good(format!("The ledgers are the same: {} records.\n", a.len())),
            Comparison::Longer { first, common } => {
                let longer = if first { one } else { other };
                Done::good(format!("The ledgers agree in {common} records; {longer} goes on.\n"))
            }
            Comparison::Parted { seq, records, finding } => {
                let code = if finding.fault.is_some() { exit::FAULTS } else { exit::NOBODY };
                let text = format!(
                    "The ledgers part at record {seq}.\n  {one}: {} {}\n  {other}: {} {}\n{finding}\n",
                    records.0.file_name(),
                    records.0.id(),
                    records.1.file_name(),
                    records.1.id()
                );
                Done::good(text).with(code)
            }
        })
    }
}
