//! `garcia compare`: where two ledgers part, and who signed twice.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::engine::count_of;
use crate::engine::visible::visible;
use crate::trust::compare::{Comparison, Copy, compare};
use crate::trust::finding::Code;
use crate::trust::store::LedgerFolder;
use crate::trust::verify::copy_of;

use super::folder::lay;
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
        let ((a, mut troubles), (b, others)) = (copy(&self.one)?, copy(&self.other)?);
        troubles.extend(others);
        let gaps: String = troubles.iter().map(|trouble| format!("{trouble}; not compared there\n")).collect();
        // Where something could not be compared, nobody can say that the two are the same.
        let good = if troubles.is_empty() { exit::GOOD } else { exit::NOBODY };
        let (one, other) = (self.one.display(), self.other.display());
        let (_, game) = LedgerFolder::find(&self.one);
        let comparison = compare(&a, &b, &|genesis| lay(&game, genesis));
        if world.json {
            let (value, code) = match &comparison {
                Comparison::Same => {
                    (json!({"same": troubles.is_empty(), "records": a.len(), "not_compared": troubles}), good)
                }
                Comparison::Longer { first, common } => {
                    let longer = if *first { one.to_string() } else { other.to_string() };
                    (json!({"same": false, "common": common, "longer": longer, "not_compared": troubles}), good)
                }
                Comparison::Parted { seq, finding, records } => (
                    json!({"same": false, "seq": seq, "code": finding.code.as_str(), "fault": finding.fault.as_ref().map(|role| role.as_str()),
                           "what": finding.what, "records": [records.0.id(), records.1.id()], "not_compared": troubles}),
                    if finding.fault.is_some() { exit::FAULTS } else { exit::NOBODY },
                ),
            };
            return Ok(Done::json(&value)?.with(code));
        }
        Ok(match comparison {
            Comparison::Same if troubles.is_empty() => {
                Done::good(format!("The ledgers are the same: {}.\n", count_of(a.len(), "record")))
            }
            Comparison::Same => {
                let agreed = count_of(a.len(), "record");
                let text = format!("{gaps}As far as they could be compared the ledgers agree in {agreed}.\n");
                Done::good(text).with(good)
            }
            Comparison::Longer { first, common } => {
                let longer = if first { one } else { other };
                Done::good(format!("{gaps}The ledgers agree in {}; {longer} goes on.\n", count_of(common, "record")))
                    .with(good)
            }
            Comparison::Parted { seq, records, finding } => {
                let code = if finding.fault.is_some() { exit::FAULTS } else { exit::NOBODY };
                let fault = match &finding.fault {
                    Some(fault) if finding.code == Code::Fork => {
                        format!("fault: {fault}, whose key signed both; keep both ledgers, they prove it")
                    }
                    Some(fault) => format!("fault: {fault}, whose key signed it; it counts for nothing"),
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

/// The records of a game folder or ledger, chosen as `verify` does, and what of it cannot be compared.
fn copy(folder: &Path) -> Result<(Copy, Vec<String>), Trouble> {
    let (ledger, game) = LedgerFolder::find(folder);
    let found =
        ledger.read().map_err(|trouble| Trouble::usage(trouble.to_string(), "name a game folder or its `ledger`"))?;
    let (copy, troubles, fork) = copy_of(&found, &|genesis| lay(&game, genesis));
    let name = visible(&folder.display().to_string());
    let mut troubles: Vec<String> = troubles.into_iter().map(|trouble| format!("{name}: {trouble}")).collect();
    if let Some(fork) = fork {
        troubles.push(format!("{name}: a fork stands in it at record {}; `garcia verify` says more", fork.seq));
    }
    Ok((copy, troubles))
}
