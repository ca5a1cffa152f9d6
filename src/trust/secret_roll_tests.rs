//! Rolls that only one player sees: spent on tickets, stated and opened by him, told by his audit.

use super::data::{Data, RollSaid};
use super::record::{Record, RecordKind};
use super::replay::Vision;
use super::seat_tests::{Pair, check, found, home};
use super::skirmish::SKIRMISH;
use crate::engine::json::Json;
use crate::engine::{Slot, to_json};
use crate::play::{Series, play_many};

fn play(seed: u32) -> Pair {
    Pair::play_out("tide", false, &format!("tide {seed}"))
}

/// The number of the result with the secret roll, and where the roll stands in it.
fn rolled(records: &[Record]) -> (usize, String) {
    let secret = |record: &Record| match Data::read(record.body()) {
        Ok(Data::Closing(closing)) => closing.rolls.iter().position(|roll| matches!(roll, RollSaid::Secret { .. })),
        _ => None,
    };
    let at = records.iter().enumerate().find_map(|(at, record)| Some((at, secret(record)?)));
    let (at, roll) = at.expect("a secret roll");
    (at, format!("/rolls/{roll}"))
}

/// The records up to `at`, with this one signed anew after a change.
fn changed(pair: &Pair, at: usize, change: impl FnOnce(&mut Json)) -> Vec<Record> {
    let honest = &pair.records()[at];
    let owner = usize::from(honest.body().by.as_str() == "us");
    let key = home(&pair.homes[owner]).identity().expect("a key");
    let mut body = honest.body().clone();
    change(&mut body.data);
    let mut records = pair.records()[..at].to_vec();
    records.push(Record::sign(body, &key).expect("signed"));
    records
}

fn blamed(at: usize, code: &'static str, who: &str) -> Option<(u32, &'static str, Option<String>)> {
    Some((at as u32, code, Some(who.to_owned())))
}

#[test]
fn a_match_with_a_secret_roll_is_good_for_everybody_and_its_audit_tells_the_faces() {
    for seed in 0..8 {
        let pair = play(seed);
        let records = pair.records();
        assert_eq!(found(records), None);
        for seat in &pair.seats {
            assert!(check(records, &seat.vision()).divergence.is_none());
        }
        let (at, roll) = rolled(records);
        let faces = records[at].body().data.pointer(&format!("{roll}/faces"));
        assert!(faces.is_none(), "the faces are nobody's business: {faces:?}");
        let by_spain =
            |record: &&Record| record.body().kind == RecordKind::Audit && record.body().by.as_str() == "spain";
        let audit = records.iter().find(by_spain).expect("an audit");
        assert!(audit.body().data.pointer("/secret_rolls/0/faces").is_some());
    }
}

#[test]
fn the_opponent_holds_the_same_until_the_tide_comes() {
    // The same match up to the roll: nothing the US player holds before the tide is opened names a face.
    let pair = play(3);
    let us = pair.seats[1].vision();
    let (at, _) = rolled(pair.records());
    let spain = pair.seats[0].role();
    assert_eq!(us.get(spain, &Slot::ticket(1), 1), None);
    let ledger = Pair::blind(&pair.records()[..=at]).seen_by(us);
    let held = ledger.replay().holdings(ledger.protocol(), &pair.seats[1].vision());
    assert!(held.0.keys().all(|(_, slot)| !slot.is_ticket()), "{held:?}");
}

#[test]
fn another_ticket_or_a_second_roll_is_found() {
    let pair = play(1);
    let (at, roll) = rolled(pair.records());
    let other = changed(&pair, at, |data| {
        *data.pointer_mut(&format!("{roll}/secret")).expect("a ticket") = Json::from("ticket/2");
    });
    assert_eq!(found(&other), blamed(at, "E52-TICKET", "spain"));
    let twice = changed(&pair, at, |data| {
        let mut again = data.pointer(&roll).cloned().expect("a roll");
        let Some(Json::List(rolls)) = data.pointer_mut("/rolls") else { panic!("no rolls") };
        again.as_map_mut().expect("a roll").insert("label".into(), Json::from("t1.us.assault/tide/tide/2"));
        rolls.push(again);
    });
    assert_eq!(found(&twice), blamed(at, "E52-TICKET", "spain"));
}

#[test]
fn a_statement_left_out_is_found_at_once() {
    let states = |record: &Record| {
        record.body().kind == RecordKind::Result && record.body().data.pointer("/claims/0/value").is_some()
    };
    for seed in 0..20 {
        let pair = play(seed);
        let Some(at) = pair.records().iter().position(states) else { continue };
        let silent = changed(&pair, at, |data| drop(data.as_map_mut().expect("data").remove("claims")));
        assert_eq!(found(&silent), blamed(at, "E51-REVEAL", "spain"));
        return;
    }
    panic!("no statement was made");
}

#[test]
fn a_day_denied_is_found_at_the_audit() {
    let states = |record: &&Record| record.body().data.pointer("/claims/0/value") == Some(&Json::Bool(true));
    for seed in 0..20 {
        let pair = play(seed);
        let Some(honest) = pair.records().iter().find(states) else { continue };
        // Spain closes the US turn and says that the tide is not there.
        if honest.body().kind != RecordKind::Orders {
            continue;
        }
        let at = honest.body().seq as usize;
        let lying = changed(&pair, at, |data| {
            *data.pointer_mut("/claims/0/value").expect("a claim") = Json::Bool(false);
            data.as_map_mut().expect("data").remove("reveals");
        });
        let lying = pair.finish(&lying);
        assert_eq!(found(&lying), blamed(at, "E60-AUDIT", "spain"));
        return;
    }
    panic!("no tide came in Spain's own turn");
}

#[test]
fn tickets_the_game_does_not_know_are_ill_formed() {
    let pair = Pair::play_out("open", false, "tickets");
    let hides =
        |record: &Record| record.body().by.as_str() == "spain" && record.body().data.pointer("/hide/0").is_some();
    let at = pair.records().iter().position(hides).expect("something sealed");
    let extra = changed(&pair, at, |data| {
        let hide = super::data::Hide { slot: Slot::ticket(1), version: 1, commit: super::Id::ZERO };
        let Some(Json::List(hides)) = data.pointer_mut("/hide") else { panic!("nothing sealed") };
        hides.push(to_json(&hide).expect("canonical"));
    });
    assert_eq!(found(&extra), blamed(at, "E14-SCHEMA", "spain"));
}

#[test]
fn in_the_vision_of_the_audits_every_secret_roll_is_known() {
    let pair = play(5);
    let ledger = Pair::blind(pair.records());
    let vision = Vision::after_audits(ledger.protocol());
    assert!(check(pair.records(), &vision).divergence.is_none());
}

#[test]
fn every_view_of_random_games_with_a_secret_roll_agrees() {
    let scenario = Some("tide".to_owned());
    let series = Series { games: 60, seed: "tide".into(), threads: 1, scenario, ..Series::default() };
    play_many(&SKIRMISH, &series, &|_| {}).unwrap_or_else(|broken| panic!("{broken}"));
}
