//! A match by mail as the command line plays it: what stands in the US player's folder and in his mail.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use garcia::engine::json::Json;
use garcia::mail::records_in;
use garcia::trust::Id;
use garcia::trust::home::Home;
use garcia::trust::ledger::Ledger;
use garcia::trust::record::{Record, RecordKind};
use garcia::trust::store::LedgerFolder;

use super::{Exchange, is_counter, names, opened, rotation, vision};
use crate::players::{lay, role};

/// A match by mail as the command line plays it, read from the folders of both players.
struct Rehearsed {
    records: Vec<Record>,
    /// The Spanish values, by slot and version.
    army: BTreeMap<String, Json>,
    /// What the US player holds, and what was mailed: names and texts.
    us: Vec<(String, String)>,
    /// The reports of the Spanish player.
    spain: Vec<(String, String)>,
}

fn rehearsed(seed: u8) -> Rehearsed {
    let (folder, secrets) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let done = Command::new(env!("CARGO_BIN_EXE_garcia"))
        .args(["rehearse", "santiago-campaign"])
        .arg(folder.path())
        .args(["--seed", &seed.to_string(), "--mails", "18", "--home"])
        .arg(secrets.path())
        .output()
        .expect("run");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let read = LedgerFolder::of_game(&folder.path().join("us")).read().expect("a ledger");
    let records: Vec<Record> = read.files.into_iter().map(|file| file.record.expect("a record")).collect();
    let army = values(secrets.path(), &records[0].id());
    let (mut us, mut spain) = (Vec::new(), Vec::new());
    texts_below(&folder.path().join("us"), &mut us);
    texts_below(&folder.path().join("mails"), &mut us);
    texts_below(&folder.path().join("spain").join("reports"), &mut spain);
    Rehearsed { records, army, us, spain }
}

/// The first of some matches by mail that has what a test is about. They are played once for all tests.
fn rehearsed_with(wanted: impl Fn(&[Record]) -> bool) -> &'static Rehearsed {
    static MATCHES: [OnceLock<Rehearsed>; 8] = [const { OnceLock::new() }; 8];
    let matches = (1..).zip(&MATCHES);
    let mut matches = matches.map(|(seed, played)| played.get_or_init(|| rehearsed(seed)));
    matches.find(|played| wanted(&played.records)).expect("such a match")
}

/// Everything stated about hidden things, as text.
fn claims(records: &[Record]) -> Vec<String> {
    let lists = records.iter().filter_map(|record| record.body().data.get("claims").and_then(Json::as_list));
    lists.flatten().map(Json::to_string).collect()
}

/// The Spanish values, by slot and version.
fn values(secrets: &Path, game: &Id) -> BTreeMap<String, Json> {
    let home = Home::find(Some(&secrets.join("spain"))).expect("a home");
    home.game(game, &role("spain")).expect("secrets").values().clone()
}

fn texts_below(folder: &Path, texts: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).expect("listed").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            texts_below(&entry, texts);
            continue;
        }
        let bytes = std::fs::read(&entry).expect("read");
        let name = entry.display().to_string();
        // A mail is read as its reader's program would: the records, and the text around them.
        for record in records_in(&name, &bytes).records {
            texts.push((name.clone(), record.to_yaml()));
        }
        texts.push((name, String::from_utf8(bytes).expect("text").replace("=\r\n", "")));
    }
}

#[test]
fn nothing_in_the_us_players_folder_or_his_mail_names_a_unit_that_was_never_shown() {
    let played = rehearsed_with(|records| opened(records).len() > 1);
    let army = &played.army;
    let shown = opened(&played.records);
    let units: BTreeSet<&str> = army
        .iter()
        .filter(|(name, _)| name.rsplit_once('/').is_some_and(|(slot, _)| is_counter(slot)))
        .filter_map(|(_, value)| value.as_str())
        .filter(|unit| !shown.contains(*unit))
        .collect();
    assert!(units.len() > 10, "{} hidden, {} shown", units.len(), shown.len());
    for (file, text) in &played.us {
        for unit in &units {
            assert!(!names(text, unit), "{file} names {unit}");
        }
    }
    // The Spanish player's own reports do name them, so the search is no empty one.
    assert!(units.iter().any(|unit| played.spain.iter().any(|(_, text)| names(text, unit))));
}

#[test]
fn the_same_records_would_stand_in_the_ledger_for_another_hidden_army() {
    // Two facts tell who is weaker than whom: who is released first, and who makes room for a retreat.
    let strength = |claim: &String| claim.contains("/strongest/") || claim.contains("/chains/");
    let played = rehearsed_with(|records| {
        let said = claims(records);
        let planned = records.iter().any(|record| record.body().kind == RecordKind::Plan);
        planned && !opened(records).is_empty() && said.len() > 2 && !said.iter().any(strength)
    });
    let army = &played.army;
    let shown = opened(&played.records);
    let by = |record: &&Record| record.body().kind == RecordKind::Result && record.body().seq > 5;
    assert!(played.records.iter().filter(by).all(|r| r.body().by == role("spain")), "Spain closes both turns");
    let exchange = rotation(|unit| !shown.contains(unit));
    assert!(exchange.len() > 6);
    // With his values the Spanish program comes to every opening, claim, state and stop that is on record.
    Ledger::read(played.records.clone(), lay, vision(army, &Exchange::new())).expect("his own army");
    Ledger::read(played.records.clone(), lay, vision(army, &exchange)).expect("another army");
}

/// How many counters were opened and lie face down again under a new commitment.
fn sealed_anew(records: &[Record]) -> usize {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let mut anew = 0;
    for record in records {
        let list = |name: &str| record.body().data.get(name).and_then(Json::as_list).unwrap_or_default();
        let at = |item: &Json| {
            let slot = item.get("slot").and_then(Json::as_str).expect("a slot").to_owned();
            (slot, item.get("version").and_then(Json::as_int).expect("a version") as u32)
        };
        for (slot, version) in list("reveals").iter().map(at).filter(|(slot, _)| is_counter(slot)) {
            seen.insert(slot, version);
        }
        for (slot, version) in list("hide").iter().map(at).filter(|(slot, version)| is_counter(slot) && *version > 1) {
            assert_eq!(record.body().kind, RecordKind::Result, "only where a span ends");
            assert_eq!(record.body().by, role("spain"));
            anew += usize::from(seen.get(&slot) == Some(&(version - 1)));
        }
    }
    anew
}

#[test]
fn what_was_seen_in_battle_is_sealed_anew_and_mixed_within_its_hex() {
    rehearsed_with(|records| sealed_anew(records) > 0);
}
