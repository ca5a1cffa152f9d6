//! Matches between two seats by signed records alone, in both flows, with all of section 14 and with none of it.

use garcia::games;
use garcia::trust::replay::Vision;

use super::GAME;
use crate::players::{Pair, charter_of, check};

const SECTION_14: [&str; 6] = ["jungle", "coordination", "friendly-fire", "supply-points", "columns", "balloon"];

/// The first turns of a match: every record is taken by the other seat, and anybody can verify them.
fn begins_by_mail(packets: &str, section_14: &str) {
    let options: Vec<(&str, &str)> =
        SECTION_14.iter().map(|name| (*name, section_14)).chain([("packets", packets)]).collect();
    let name = format!("{packets} {section_14}");
    let ruleset = games::find(GAME).expect("a game");
    let mut pair = Pair::begin(ruleset, &charter_of("campaign", &options), false, None, &name);
    pair.play(26);
    let records = pair.records();
    assert!(records.len() >= 20, "{name}: {} records", records.len());
    let found = check(records, &Vision::public()).divergence;
    assert!(found.is_none(), "{name}: {:?}", found.map(|found| (found.seq, found.finding)));
}

#[test]
fn whole_turns_go_by_mail_with_section_14_and_without() {
    begins_by_mail("turn", "on");
    begins_by_mail("turn", "off");
}

#[test]
fn phases_go_by_mail_with_section_14_and_without() {
    begins_by_mail("phases", "on");
    begins_by_mail("phases", "off");
}
