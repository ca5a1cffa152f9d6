//! A sealed value that holds a sealed value: an order that is opened in its turn, with a token that stays face down.

use super::finding::Level;
use super::record::{Record, RecordKind};
use super::replay::Vision;
use super::seat_tests::{Pair, check, found, home};
use super::skirmish;
use crate::engine::doc::{DocPath, Node, Reader};
use crate::engine::json::Json;
use crate::engine::{Dice, FixedDie, Questions, Said};
use crate::play::Sitting;

/// The slot and value of every opening of a record.
fn openings(record: &Record) -> Vec<(String, Json)> {
    let reveals = record.body().data.get("reveals").and_then(Json::as_list).unwrap_or_default();
    let opening = |reveal: &Json| Some((reveal.get("slot")?.as_str()?.to_owned(), reveal.get("value")?.clone()));
    reveals.iter().filter_map(opening).collect()
}

fn opens(record: &Record, slot: &str) -> bool {
    record.body().kind == RecordKind::Result && openings(record).iter().any(|(name, _)| name == slot)
}

/// Matches in which the order is opened in one record and the token in it in a later one.
fn matches() -> impl Iterator<Item = (Pair, usize, usize)> {
    (0..40).filter_map(|seed| {
        let pair = Pair::play_out("relief", false, &format!("relief {seed}"));
        let order = pair.records().iter().position(|record| opens(record, "s-relief"))?;
        let token = pair.records().iter().position(|record| opens(record, "s-relief-unit"))?;
        Some((pair, order, token))
    })
}

/// The records up to `at`, with this one signed anew by its author without the opening of a slot.
fn without(pair: &Pair, at: usize, slot: &str) -> Vec<Record> {
    let honest = &pair.records()[at];
    let owner = usize::from(honest.body().by.as_str() == "us");
    let mut body = honest.body().clone();
    let Some(Json::List(reveals)) = body.data.pointer_mut("/reveals") else { panic!("nothing is opened") };
    reveals.retain(|reveal| reveal.get("slot").and_then(Json::as_str) != Some(slot));
    let mut records = pair.records()[..at].to_vec();
    records.push(Record::sign(body, &home(&pair.homes[owner]).identity().expect("a key")).expect("signed"));
    records
}

#[test]
fn an_opened_order_keeps_what_is_sealed_in_it() {
    let (pair, order, token) = matches().find(|(_, order, token)| order < token).expect("such a match");
    let opened = openings(&pair.records()[order]);
    let relief = opened.iter().find(|(slot, _)| slot == "s-relief").map(|(_, value)| value.to_string());
    assert_eq!(relief.as_deref(), Some(r#"{"hex":"0105","unit":{"sealed":"s-relief-unit"}}"#));
    // Read, replayed and audited: the token is known to nobody else before its own opening.
    for vision in [Vision::public(), pair.seats[0].vision(), pair.seats[1].vision()] {
        let found = check(pair.records(), &vision);
        assert_eq!((found.exit_code(), found.level), (0, Level::Audit), "{}", found.report(""));
    }
    let us = Pair::blind(&pair.records()[..token]).seen_by(pair.seats[1].vision());
    let held = us.replay().holdings(us.protocol(), &pair.seats[1].vision());
    assert!(held.0.keys().all(|(_, slot)| slot.as_str() != "s-relief-unit"), "{held:?}");
}

#[test]
fn an_inner_opening_that_is_missing_is_found_at_once_and_in_the_audit() {
    let (pair, _, token) = matches().next().expect("such a match");
    let spain = Some("spain".to_owned());
    assert_eq!(found(&without(&pair, token, "s-relief-unit")), Some((token as u32, "E51-REVEAL", spain.clone())));
    // Where it was never opened in play the audit owes it.
    const TOLD: &str = "s-relief-unit/1";
    let tells = |record: &Record| record.body().data.get("values").is_some_and(|values| values.get(TOLD).is_some());
    let unopened = (0..40).find_map(|seed| {
        let pair = Pair::play_out("relief", false, &format!("unopened {seed}"));
        let played = pair.records().iter().any(|record| opens(record, "s-relief-unit"));
        let audit = pair.records().iter().position(tells)?;
        (!played).then_some((pair, audit))
    });
    let (pair, audit) = unopened.expect("a match in which it stays face down");
    let mut body = pair.records()[audit].body().clone();
    let values = body.data.pointer_mut("/values").and_then(Json::as_map_mut).expect("values");
    values.remove(TOLD);
    let mut records = pair.records()[..audit].to_vec();
    records.push(Record::sign(body, &home(&pair.homes[0]).identity().expect("a key")).expect("signed"));
    assert_eq!(found(&records), Some((audit as u32, "E61-AUDIT", spain)));
}

#[test]
fn a_game_that_lets_somebody_vouch_after_a_die_is_told_so() {
    let table = skirmish::table("late");
    let (state, stop) = table.begin();
    let mut sitting = Sitting::new(&*table, state, stop, Default::default());
    let none = Questions { ask: false, max_asks: None };
    let die =
        |faces: &[u16]| Dice::Fixed(faces.iter().map(|face| FixedDie { label: None, faces: vec![*face] }).collect());
    let packets =
        [(r#"{"tokens":{"0101":"dummy"}}"#, die(&[])), ("{}", die(&[])), (r#"{"attacks":["0104"]}"#, die(&[1, 1]))];
    let mut told = None;
    for (text, dice) in packets {
        let json = Json::parse_canonical(text.as_bytes()).expect("json");
        let mut reader = Reader::new(table.lexicon());
        let orders = table.read_orders(sitting.stop.ask(), &Node::from_json(&json), &DocPath::root(), &mut reader);
        let mut span = sitting.span_by_mail(orders.expect("a packet"), Said::default(), none).expect("begun");
        let outcome = sitting.resolve(&span, dice).expect("the closer cannot see it");
        told = sitting.follow(&mut span, &outcome).err();
        sitting.end_span(span, outcome);
    }
    // Spain's own program sees the dummy, and names the game, not the player.
    let told = told.expect("noticed");
    assert!(told.contains("seen by spain") && told.contains("after a die"), "{told}");
}
