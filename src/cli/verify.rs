//! `garcia verify`: recomputes everything and names the first record that is wrong.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use clap::Args;

use crate::report::faults::visible;
use crate::trust::referee::Vision;
use crate::trust::store::LedgerFolder;
use crate::trust::verify::{Verification, verify};

use super::campaign::{find, lay};
use super::{Done, Trouble, World, exit};

/// Recompute every record, die and state, and name the first that is wrong and whose key signed it.
///
/// The folder may be a game folder or the ledger itself. Nothing but the records is trusted.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia verify                   the game in this folder
  garcia verify kettle-hill other-game/ledger
  garcia verify --json            {\"ok\", \"seq\", \"code\", \"by\", \"fault\", \"label\", \"recorded\", …}

Exit codes: 0 good; 1 a divergence, and whose key signed it; 2 a divergence that is nobody's fault;
3 good, but a record is owed; 4 records and dice good, rules not judged; 64 usage. Of several folders, the worst.")]
pub struct Verify {
    /// The folders.
    folders: Vec<PathBuf>,
}

impl Verify {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let folders = if self.folders.is_empty() { vec![find(world)?] } else { self.folders };
        let several = folders.len() > 1;
        let (mut text, mut values, mut worst) = (String::new(), Vec::new(), exit::GOOD);
        for (folder, verification) in folders.iter().zip(all(&folders)) {
            let verification = verification?;
            worst = worse(worst, verification.exit_code());
            if several {
                text.push_str(&format!("{}:\n", visible(&folder.display().to_string())));
            }
            text.push_str(&verification.report(&shown(folder)));
            values.push(verification.to_json());
        }
        if !world.json {
            return Ok(Done::good(text).with(worst));
        }
        let done = match values.as_slice() {
            [one] => Done::json(one)?,
            all => Done::json(&all)?,
        };
        Ok(done.with(worst))
    }
}

/// Verifies all folders, on as many threads as there are processors; the answers come in the order asked.
fn all(folders: &[PathBuf]) -> Vec<Result<Verification, Trouble>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(folders.len());
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let answers: Mutex<BTreeMap<usize, Result<Verification, Trouble>>> = Mutex::default();
    let progress = folders.len() > 1 && std::io::stderr().is_terminal();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(folder) = folders.get(at) else { return };
                    let answer = of_folder(folder);
                    answers.lock().unwrap_or_else(PoisonError::into_inner).insert(at, answer);
                    if progress {
                        eprint!("\r{} of {}", done.fetch_add(1, Ordering::Relaxed) + 1, folders.len());
                    }
                }
            });
        }
    });
    if progress {
        eprintln!();
    }
    answers.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}

/// Verifies a game folder or a folder of records.
pub fn of_folder(folder: &Path) -> Result<Verification, Trouble> {
    let inside = folder.join("ledger");
    let (ledger, game) = match inside.is_dir() {
        true => (LedgerFolder::at(&inside), folder.to_owned()),
        false => (LedgerFolder::at(folder), folder.parent().map(Path::to_owned).unwrap_or_default()),
    };
    let found = ledger
        .read()
        .map_err(|trouble| Trouble::new(exit::USAGE, trouble.to_string(), "name a game folder or its `ledger`"))?;
    if found.files.is_empty() {
        let what = format!("there are no records in {}", ledger.path().display());
        return Err(Trouble::usage(what, "name a game folder or its `ledger`"));
    }
    Ok(verify(&found, &|genesis| lay(&game, genesis), &Vision::public()))
}

/// What is put before the names of the files in a report.
fn shown(folder: &Path) -> String {
    let inside = folder.join("ledger");
    let path = if inside.is_dir() { inside } else { folder.to_owned() };
    visible(&path.display().to_string())
}

/// A culprit is worse than damage, damage worse than an open question.
fn worse(one: u8, other: u8) -> u8 {
    let rank = |code: u8| match code {
        1 => 4,
        2 => 3,
        4 => 2,
        3 => 1,
        _ => 0,
    };
    if rank(other) > rank(one) { other } else { one }
}
