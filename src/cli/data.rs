//! `garcia data check`: a player's own transcription held against the facts of the rulebook.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;

use super::folder::data_files;
use super::sight::ruleset;
use super::{Done, Trouble, World, exit};

/// Work with data files of your own: map, counters, tables.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  garcia data check my-transcription")]
pub struct Data {
    #[command(subcommand)]
    verb: DataVerb,
}

#[derive(Debug, Subcommand)]
enum DataVerb {
    Check(DataCheck),
}

/// Check a folder of data files against every fact the rulebook prints.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia data check my-transcription
  garcia data check my-transcription --of santiago-1898 --json

Files that are missing are taken from the game itself. Exit code 0: every fact holds; 1: some do not.")]
pub struct DataCheck {
    /// The folder.
    folder: PathBuf,
    /// Of which game.
    #[arg(long, value_name = "GAME", default_value = "santiago-1898")]
    of: String,
    /// List the facts that hold as well.
    #[arg(long)]
    all: bool,
}

impl Data {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        match self.verb {
            DataVerb::Check(verb) => verb.run(world),
        }
    }
}

impl DataCheck {
    fn run(self, world: &World) -> Result<Done, Trouble> {
        let game = ruleset(&self.of)?;
        let files = data_files(&self.folder)?;
        if files.is_empty() {
            let what = format!("there are no data files in {}", self.folder.display());
            return Err(Trouble::usage(what, "name a folder with files like map.yaml and counters.yaml"));
        }
        let findings = game.check_data(&files);
        let wrong = findings.iter().filter(|finding| !finding.holds).count();
        let code = if wrong == 0 { exit::GOOD } else { exit::FAULTS };
        if world.json {
            let list: Vec<_> = findings.iter().filter(|finding| self.all || !finding.holds).collect();
            return Ok(Done::json(&json!({
                "ok": wrong == 0, "game": game.id(), "checked": findings.len(), "findings": list
            }))?
            .with(code));
        }
        let mut text = String::new();
        for finding in findings.iter().filter(|finding| self.all || !finding.holds) {
            let mark = if finding.holds { "holds" } else { "WRONG" };
            let clause = finding.clause.map(|clause| format!(" {clause}")).unwrap_or_default();
            text.push_str(&format!("{mark}  {} {}{clause}: {}\n", finding.file, finding.place, finding.what));
            if !finding.holds && !finding.remedy.is_empty() {
                text.push_str(&format!("       {}\n", finding.remedy));
            }
        }
        text.push_str(&format!("{} facts checked, {wrong} do not hold.\n", findings.len()));
        Ok(Done::good(text).with(code))
    }
}
