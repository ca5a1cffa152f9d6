//! `garcia verify`: recomputes everything and names the first record that is wrong.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::report::faults::visible;
use crate::trust::Id;
use crate::trust::data::Genesis;
use crate::trust::many::{verify_folders, verify_with};
use crate::trust::replay::Vision;
use crate::trust::store::{FileTrouble, LedgerFile};
use crate::trust::verify::Verification;

use super::folder::{find, lay};
use super::post::read_mail;
use super::sight::own_vision;
use super::{Done, Trouble, World, exit};

/// Recompute every record, die and state, and name the first that is wrong and whose key signed it.
///
/// The folder may be a game folder or the ledger itself. Nothing but the records is trusted.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia verify                   the game in this folder
  garcia verify kettle-hill other-game/ledger
  garcia verify --with odd.yaml   as if the record in that file stood in the ledger
  garcia verify --json            {\"ok\", \"seq\", \"code\", \"by\", \"fault\", \"label\", \"recorded\", …}

Exit codes: 0 good; 1 a divergence, and whose key signed it; 2 a divergence that is nobody's fault;
3 good, but a record is owed; 4 records and dice good, rules not judged; 64 usage. Of several folders, the worst.")]
pub struct Verify {
    /// The folders.
    folders: Vec<PathBuf>,
    /// Verify as if the records in these files stood in the ledger: what was refused, or what the other side holds.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    with: Vec<PathBuf>,
}

impl Verify {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let folders = if self.folders.is_empty() { vec![find(world)?] } else { self.folders };
        let more = more_files(&self.with)?;
        let several = folders.len() > 1;
        let (mut text, mut values, mut worst) = (String::new(), Vec::new(), exit::GOOD);
        for (folder, verification) in folders.iter().zip(all(&folders, &more, world)) {
            let verification = verification
                .map_err(|trouble| Trouble::usage(trouble.to_string(), "name a game folder or its `ledger`"))?;
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

/// Verifies all folders and shows how far it is.
fn all(folders: &[PathBuf], more: &[LedgerFile], world: &World) -> Vec<Result<Verification, FileTrouble>> {
    let shows = folders.len() > 1 && std::io::stderr().is_terminal();
    let progress = |done: usize| {
        if shows {
            eprint!("\r{done} of {}", folders.len());
        }
    };
    // A player's own secrets widen the view; whoever has none sees what everybody does.
    let see = |game: &Id| own_vision(world, game).map_or_else(Vision::public, |eyes| eyes.vision);
    let table = |folder: &Path, genesis: &Genesis| lay(folder, genesis);
    let answers = match more.is_empty() {
        true => verify_folders(folders, &table, &see, &progress),
        false => folders.iter().map(|folder| verify_with(folder, more, &table, &see)).collect(),
    };
    if shows {
        eprintln!();
    }
    answers
}

/// The records in some files, each with the name of its file.
fn more_files(paths: &[PathBuf]) -> Result<Vec<LedgerFile>, Trouble> {
    let mut more = Vec::new();
    for path in paths {
        let name = visible(&Path::new(".").join(path).display().to_string());
        let records = read_mail(std::slice::from_ref(path))?.records;
        more.extend(records.into_iter().map(|record| LedgerFile {
            name: name.clone(),
            seq: record.body().seq,
            record: Ok(record),
        }));
    }
    Ok(more)
}

/// What is put before the names of the files in a report.
fn shown(folder: &Path) -> String {
    let inside = folder.join("ledger");
    let path = if inside.is_dir() { inside } else { folder.to_owned() };
    visible(&format!("{}/", path.display()))
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
