//! What lies beside the ledger in a game folder: papers, and good records that another one has displaced.

use std::fs;
use std::path::Path;

use super::finding::{Code, Finding};
use super::paper::{Kind, Paper};
use super::record::Record;
use super::remarks::of_paper;
use super::role::Role;
use super::store::read_small;
use super::verify::{Divergence, Verification};
use crate::engine::visible::visible;

/// How many papers are listed one by one.
const MOST: usize = 40;

/// The plain files of a folder, by name; nothing if there is none.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<(String, Vec<u8>)> = entries
        .flatten()
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        .filter_map(|entry| Some((visible(&entry.file_name().to_string_lossy()), read_small(&entry.path()).ok()?)))
        .collect();
    files.sort();
    files
}

/// Lists papers and late records of a game folder; a game master's receipt for a record at whose place he signed another
/// is his fault.
pub fn list(folder: &Path, verification: &mut Verification) {
    let signed = |verification: &Verification, paper: &Paper| {
        let keys = verification.keys.iter().filter(|(role, _)| *role == paper.by).flat_map(|(_, keys)| keys);
        verification.ids.first() == Some(&paper.game) && keys.into_iter().any(|key| paper.is_signed_by(key))
    };
    let read = files(&folder.join("papers"));
    let papers: Vec<Paper> = read.iter().filter_map(|(_, bytes)| Paper::read(bytes).ok()).collect();
    let papers: Vec<Paper> = papers.into_iter().filter(|paper| signed(verification, paper)).collect();
    let late: Vec<(String, Record)> = files(&folder.join("late"))
        .into_iter()
        .filter_map(|(name, bytes)| Some((name, Record::read(&bytes).ok()?)))
        .filter(|(_, record)| record.body().game == verification.ids.first().copied())
        .filter(|(_, record)| {
            let keys =
                verification.keys.iter().filter(|(role, _)| *role == record.body().by).flat_map(|(_, keys)| keys);
            keys.into_iter().any(|key| record.is_signed_by(key))
        })
        .collect();
    for (name, record) in late.iter().take(MOST) {
        let id = record.id();
        let receipts: Vec<&str> =
            papers.iter().filter(|paper| paper.kind.record() == Some(id)).map(|paper| paper.by.as_str()).collect();
        let by = &record.body().by;
        let receipts = match receipts.is_empty() {
            true => "no proof of when".to_owned(),
            false => format!("receipts of {}", receipts.join(", ")),
        };
        verification
            .remarks
            .push(format!("W76-LATE  late/{name}, signed by {by}: the game went on without it; no fault, {receipts}"));
        contradicted(verification, record, name, &papers);
    }
    let said = papers.iter().filter(|paper| matches!(paper.kind, Kind::Notice { .. } | Kind::Object { .. }));
    for paper in said.take(MOST) {
        let at = paper.kind.record().and_then(|id| verification.ids.iter().position(|other| *other == id));
        let place = at.map_or("of no record in this ledger".to_owned(), |at| format!("record {at}"));
        verification.remarks.push(format!("W77-PAPER  {} ({place})", of_paper(paper)));
    }
    let strange = read.len() - papers.len();
    if strange > 0 {
        verification.remarks.push(format!("papers: {strange} are damaged, forged or of another game, and left aside"));
    }
}

/// A game master who has signed for a record and then signed another one at its place.
fn contradicted(verification: &mut Verification, record: &Record, name: &str, papers: &[Paper]) {
    let receipt = papers.iter().find(|paper| {
        paper.by == Role::gm() && matches!(&paper.kind, Kind::Receipt { record: of } if *of == record.id())
    });
    let seq = record.body().seq;
    let signed_here = verification.by_gm.contains(&seq);
    let (Some(paper), true, None) = (receipt, signed_here, &verification.divergence) else { return };
    let what = "the game master has signed for a player's record and signed another one for its place";
    let evidence = vec![format!("late/{name}"), format!("papers/{}", paper.file_name())];
    let finding = Finding::new(Code::Kind, what).signed_by(&Role::gm());
    let found = Divergence { seq, record: None, finding, key: None, dice: None, evidence };
    verification.good = seq;
    verification.level = Code::Kind.level();
    verification.owed = None;
    verification.divergence = Some(found);
}
