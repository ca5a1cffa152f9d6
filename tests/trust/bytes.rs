//! One changed byte in a random ledger of every game: found in its record, and nobody is blamed for damage.

use crate::players::{Pair, files, lay};
use garcia::engine::Charter;
use garcia::engine::dice::Chance;
use garcia::games::GAMES;
use garcia::trust::Record;
use garcia::trust::data::Genesis;
use garcia::trust::finding::{Code, Finding};
use garcia::trust::replay::Vision;
use garcia::trust::verify::{Lay, verify};

/// How many changes are tried in each ledger.
const TRIES: usize = 100;

/// The record that holds a byte of all texts written one after the other, and the place in it.
fn place(texts: &[String], byte: usize) -> (usize, usize) {
    let mut at = byte;
    for (which, text) in texts.iter().enumerate() {
        if at < text.len() {
            return (which, at);
        }
        at -= text.len();
    }
    panic!("byte {byte} is beyond the end")
}

/// Changes one byte at a time: one bit of it, or all of it for another letter.
fn every_change_is_found(game: &str, records: &[Record], chance: &mut Chance) {
    let texts: Vec<String> = records.iter().map(Record::to_yaml).collect();
    let total: usize = texts.iter().map(String::len).sum();
    let unknown = |_: &Genesis| Err(Finding::new(Code::Engine, "records and dice alone"));
    let mut tried = 0;
    while tried < TRIES {
        let (which, at) = place(&texts, chance.below(total));
        let mut bytes = texts[which].clone().into_bytes();
        let letters = b"0123456789abcdef";
        bytes[at] = match chance.one_in(2) {
            true => bytes[at] ^ 1 << chance.below(8),
            false => letters[chance.below(letters.len())],
        };
        let changed = Record::read(&bytes);
        if changed.as_ref() == Ok(&records[which]) {
            continue;
        }
        let mut found = files(records);
        found.files[which].record = changed;
        // The rules find no more than signatures do, and take longer; a few go through both.
        let table: &Lay<'_> = if tried % 40 == 0 { &lay } else { &unknown };
        let found = verify(&found, table, &Vision::public()).divergence;
        let found = found.unwrap_or_else(|| panic!("{game}: byte {at} of record {which} passed"));
        assert_eq!(
            (found.seq as usize, found.finding.fault),
            (which, None),
            "{game}: byte {at}: {}",
            found.finding.code
        );
        tried += 1;
    }
}

#[test]
fn any_changed_byte_that_alters_a_record_of_any_game_is_found_and_nobody_is_blamed() {
    for ruleset in GAMES {
        for (ask, records) in [(true, 26), (false, 12)] {
            let seed = format!("bytes {} {ask}", ruleset.id());
            let mut pair = Pair::begin(*ruleset, &Charter::default(), ask, Some(2), &seed);
            pair.play(records);
            every_change_is_found(ruleset.id(), pair.records(), &mut Chance::new(&seed));
        }
    }
}

#[test]
fn a_bent_audit_is_damage_too() {
    let ruleset = garcia::games::find("santiago-1898").expect("a game");
    let mut pair = Pair::begin(ruleset, &Charter::default(), false, None, "audited");
    pair.play(1000);
    let records = pair.records();
    let last = records.len() - 1;
    assert_eq!(records[last].body().kind.as_str(), "audit");
    let text = records[last].to_yaml();
    let value = text.find("policy:").expect("a value that was sealed");
    let mut bytes = text.into_bytes();
    bytes[value + "policy: ".len()] ^= 1;
    let mut found = files(records);
    found.files[last].record = Record::read(&bytes);
    let found = verify(&found, &lay, &Vision::public()).divergence.expect("found");
    assert_eq!((found.seq as usize, found.finding.fault), (last, None));
}
