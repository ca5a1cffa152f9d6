//! `garcia compare`: where two ledgers part, and who signed twice.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::trust::compare::{Comparison, compare};
use crate::trust::record::Record;
use crate::trust::store::LedgerFolder;

use super::{Done, Trouble, World, exit};

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
        let ((a, gap), (b, other_gap)) = (in_order(&self.one)?, in_order(&self.other)?);
        let gaps: String = gap.into_iter().chain(other_gap).map(|gap| format!("{gap}\n")).collect();
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
            Comparison::Same => Done::good(format!("{gaps}The ledgers are the same: {} records.\n", a.len())),
            Comparison::Longer { first, common } => {
                let longer = if first { one } else { other };
                Done::good(format!("{gaps}The ledgers agree in {common} records; {longer} goes on.\n"))
            }
            Comparison::Parted { seq, records, finding } => {
                let code = if finding.fault.is_some() { exit::FAULTS } else { exit::NOBODY };
                let fault = match &finding.fault {
                    Some(fault) => format!("fault: {fault}, whose key signed both; keep both ledgers, they prove it"),
                    None => "fault: nobody, as far as these two show; `garcia verify` says more of each".to_owned(),
                };
                let text = format!(
                    "{gaps}The ledgers part at record {seq}.\n  {one}: {} {}\n  {other}: {} {}\n  {finding}\n  {fault}\n",
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

/// The records of a game folder or ledger up to the first gap, and what is amiss there.
fn in_order(folder: &Path) -> Result<(Vec<Record>, Option<String>), Trouble> {
    let (ledger, _) = LedgerFolder::find(folder);
    let found =
        ledger.read().map_err(|trouble| Trouble::usage(trouble.to_string(), "name a game folder or its `ledger`"))?;
    let mut records = Vec::new();
    for file in found.files {
        match file.record {
            Ok(record) if usize::try_from(file.seq) == Ok(records.len()) => records.push(record),
            _ => break,
        }
    }
    let strange = |problem: &&String| !problem.contains("not named like a record");
    let problem = found.problems.iter().find(strange);
    Ok((records, problem.map(|problem| format!("{}: {problem}; compared up to there", folder.display()))))
}
