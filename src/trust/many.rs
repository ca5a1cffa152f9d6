//! Verifying folders, many at once.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::bytes::Id;
use super::data::Genesis;
use super::finding::Finding;
use super::home::HEADS;
use super::replay::Vision;
use super::store::{FileTrouble, LedgerFile, LedgerFolder};
use super::verify::{Verification, verify};
use crate::abreast::each;
use crate::engine::Match;

/// Lays the table a genesis describes, with the data files of a game folder.
pub type LayIn<'a> = dyn Fn(&Path, &Genesis) -> Result<Box<dyn Match>, Finding> + Sync + 'a;
/// The widest view there is of the game with this id.
pub type See<'a> = dyn Fn(&Id) -> Vision + Sync + 'a;

/// Verifies one folder: a game folder, or one that holds the records themselves.
pub fn verify_folder(folder: &Path, lay: &LayIn<'_>, see: &See<'_>) -> Result<Verification, FileTrouble> {
    verify_with(folder, &[], lay, see)
}

/// The same as if some more records stood in the ledger: what was refused, or what the other side has.
pub fn verify_with(
    folder: &Path,
    more: &[LedgerFile],
    lay: &LayIn<'_>,
    see: &See<'_>,
) -> Result<Verification, FileTrouble> {
    let (ledger, game) = LedgerFolder::find(folder);
    let mut found = ledger.read()?;
    found.files.extend_from_slice(more);
    found.files.sort_by_key(|file| file.seq);
    if found.files.is_empty() {
        return Err(FileTrouble::new(ledger.path(), "there are no records here"));
    }
    let id = found.files.first().and_then(|file| file.record.as_ref().ok()).map(|record| record.id());
    let vision = id.map_or_else(Vision::public, |id| see(&id));
    let against: Vec<String> = more.iter().map(|file| file.name.clone()).collect();
    let mut verification = verify(&found, &|genesis| lay(&game, genesis), &vision).against(&against);
    if ledger.path() != folder {
        super::beside::list(folder, &mut verification);
        let inside = secrets_in(folder, 3);
        verification.remarks.extend(inside.iter().map(|path| {
            let name = path.strip_prefix(folder).unwrap_or(path).display().to_string();
            let name: String = name.chars().flat_map(char::escape_default).collect();
            format!("W74-SECRETS  {name} holds secrets and lies in the game folder; whoever gets the folder gets them")
        }));
    }
    Ok(verification)
}

/// Verifies many folders, as many at a time as the machine has cores. `progress` is told after each how many are done.
///
/// The answers stand in the order of the folders.
pub fn verify_folders(
    folders: &[PathBuf],
    lay: &LayIn<'_>,
    see: &See<'_>,
    progress: &(dyn Fn(usize) + Sync),
) -> Vec<Result<Verification, FileTrouble>> {
    let done = AtomicUsize::new(0);
    each(folders, |folder| {
        let answer = verify_folder(folder, lay, see);
        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        answer
    })
}

/// Files of a player's secrets below a folder.
fn secrets_in(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries.flatten() {
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
        if kind.is_dir() && depth > 0 {
            found.extend(secrets_in(&path, depth - 1));
        } else if kind.is_file() && path.extension().is_some_and(|ending| ending == "yaml") && is_secret(&path) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn is_secret(path: &Path) -> bool {
    use std::io::Read as _;
    let longest = HEADS.iter().map(|head| head.len() + 2).max().unwrap_or(0);
    let mut start = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(longest as u64).read_to_end(&mut start));
    read.is_ok()
        && HEADS.iter().any(|head| start.strip_prefix(b"# ").is_some_and(|start| start.starts_with(head.as_bytes())))
}
