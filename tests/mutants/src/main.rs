//! Mutants: what if a line of the rules said something else, would the tests notice?
//!
//! Every change becomes a branch that an environment variable switches on, so all of them share one build and a trial
//! costs one run of the tests. `weave` writes the changes into a clone; `try` runs a command against each of them.

mod stand_ins;
mod switches;
mod trial;
mod weave;

use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
usage: mutants weave CLONE FILE...          put every change of these files into a clone, switched off
       mutants try CLONE COMMAND...         run a command in the clone against each change
       mutants missed CLONE                 what has been tried, file by file, and what nobody noticed

The clone is changed: use one of its own, and `git checkout .` when done. FILEs are seen from the clone. Between the two
steps build what the command runs. Lists are kept in CLONE/target/mutants; `try` goes on where it was stopped, in an
order that makes any part of it a fair sample. MUTANT=N switches change N on by hand.";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["weave", clone, files @ ..] if !files.is_empty() => weave::weave(&PathBuf::from(clone), files),
        ["try", clone, command @ ..] if !command.is_empty() => trial::all(&PathBuf::from(clone), command),
        ["missed", clone] => trial::tell(&PathBuf::from(clone)),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}
