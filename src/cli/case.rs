//! `garcia case`: conformance cases, for whoever wants to settle how a rule is read.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cases::{self, FileFaults};
use crate::engine::Ruleset;
use crate::engine::rules::RuleBook;
use crate::games::GAMES;

use super::{Done, Trouble, World, exit};

/// Run conformance cases: a position, orders, dice and answers, and what must follow.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia case tests/conformance/santiago-1898/fire.yaml
  garcia case tests/conformance                every case below a folder
  garcia case ruling.yaml --json
  garcia case --from 9 --output dispute.yaml   the turn that record 9 closed, as a case to edit and run

A case that fails shows every difference, and the events and the dice up to there.
docs/cases.md tells how cases are written. Exit code 0: all passed; 1: not.")]
pub struct Case {
    /// Case files, or folders with some.
    #[arg(required_unless_present = "from", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write the turn that a record of the match in hand belongs to as a case, as far as you may know it.
    #[arg(long, value_name = "RECORD", conflicts_with = "files")]
    from: Option<u32>,
    /// With --from: the file to write.
    #[arg(short, long, value_name = "FILE", requires = "from")]
    output: Option<PathBuf>,
    /// List the cases that pass as well.
    #[arg(long)]
    all: bool,
}

impl Case {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        if let Some(number) = self.from {
            return super::disputed::write(number, self.output.as_deref(), world);
        }
        let files = files(&self.files)?;
        let suite = cases::run_files(GAMES, &files).map_err(unreadable)?;
        let code = if suite.is_good() { exit::GOOD } else { exit::FAULTS };
        if world.json {
            return Ok(Done::json(&suite)?.with(code));
        }
        let text = suite.text(world.look);
        if self.all {
            return Ok(Done::good(text).with(code));
        }
        let kept: String = text.split_inclusive('\n').filter(|line| !line.starts_with("pass  ")).collect();
        Ok(Done::good(kept).with(code))
    }
}

fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Trouble> {
    let files = cases::case_files(paths).map_err(unreadable)?;
    if files.is_empty() {
        return Err(Trouble::usage("there are no case files there", "case files end in .yaml"));
    }
    Ok(files)
}

fn unreadable(error: std::io::Error) -> Trouble {
    Trouble::new(exit::NO_INPUT, error.to_string(), "look at the name; see tests/conformance for examples")
}

/// Which clauses the cases below a folder show.
pub fn coverage(game: &dyn Ruleset, book: &RuleBook, folder: &Path, world: &World) -> Result<Done, Trouble> {
    // A folder may hold the cases of all games, one folder each.
    let own = folder.join(game.id());
    let paths = [if own.is_dir() { own } else { folder.to_owned() }];
    let (read, bad) = cases::read_cases(&files(&paths)?).map_err(unreadable)?;
    if !bad.is_empty() {
        return Err(Trouble::faults(bad.into_iter().map(|FileFaults { source, faults }| (source, faults)).collect()));
    }
    let coverage = cases::coverage(book, read.iter().map(|(file, _)| file));
    let code = if coverage.is_complete() { exit::GOOD } else { exit::FAULTS };
    let done = if world.json { Done::json(&coverage)? } else { Done::good(coverage.text()) };
    Ok(done.with(code))
}
