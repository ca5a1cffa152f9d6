//! Whoever denies the day, keeps silent about it, or rolls for it anew is found: with record, code and culprit.

use garcia::engine::json::Json;
use garcia::trust::finding::Level;
use garcia::trust::ledger::Ledger;
use garcia::trust::replay::Vision;

use super::{SORTIE, sails, secret_roll, until};
use crate::players::hands::{Hands, believing};
use crate::players::{check, judged, lay, role, silent};

#[test]
fn a_day_denied_is_found_by_the_audit() {
    let (pair, at) = until(&[], "denied", |record| sails(record) == Some(true));
    let (spain, mut hands) = (role("spain"), Hands::of(&pair));
    let before = &pair.records()[..at];
    // A Spanish player whose program believes in another roll, by which the fleet may stay.
    let denied = (0..200).find_map(|number| {
        // By most rolls it sails, and nobody signs an opening that is none.
        let record = hands.try_next(before, |_, file| believing(file, number), &mut silent)?.ok()?;
        (sails(&record) == Some(false)).then_some(record)
    });
    let mut records = before.to_vec();
    records.push(denied.expect("a roll by which it stays"));
    assert_eq!(records[at].body().by, spain);
    assert_eq!(judged(&records), None, "nobody can know it yet");
    assert!(check(&records, &hands.eyes(&role("us"))).divergence.is_none(), "nor can the US player");
    let ended = hands.give_up(records);
    let found = check(&ended, &Vision::public());
    assert_eq!((found.exit_code(), found.level), (1, Level::Audit), "{}", found.report(""));
    assert_eq!(judged(&ended), Some((at, "E60-AUDIT", Some(spain))));
}

#[test]
fn an_honest_match_given_up_on_the_same_day_is_good() {
    let (pair, at) = until(&[], "honest", |record| sails(record) == Some(true));
    let ended = Hands::of(&pair).give_up(pair.records()[..=at].to_vec());
    let found = check(&ended, &Vision::public());
    assert_eq!((found.exit_code(), found.level), (0, Level::Audit), "{}", found.report(""));
}

#[test]
fn a_statement_left_out_is_missed_at_once() {
    let (pair, at) = until(&[], "silence", |record| sails(record).is_some());
    let hands = Hands::of(&pair);
    let silence = hands.forged(pair.records(), at, |data| drop(data.as_map_mut().expect("data").remove("claims")));
    assert_eq!(judged(&silence), Some((at, "E51-REVEAL", Some(role("spain")))));
    // The US player's program says so before it takes the mail, and its ledger stays as it was.
    let mut ledger = Ledger::read(silence[..at].to_vec(), lay, hands.eyes(&role("us"))).expect("good so far");
    assert!(ledger.append(silence[at].clone()).is_err());
    assert_eq!(ledger.records().len(), at);
}

#[test]
fn the_roll_is_opened_as_it_was_committed() {
    let (pair, at) = until(&[], "opened", |record| sails(record) == Some(true));
    let hands = Hands::of(&pair);
    let reveals = pair.records()[at].body().data.get("reveals").and_then(Json::as_list).expect("openings");
    let of_ticket = |reveal: &Json| reveal.get("slot").and_then(Json::as_str) == Some(SORTIE);
    let which = reveals.iter().position(of_ticket).expect("the roll is opened");
    let other = hands.forged(pair.records(), at, |data| {
        *data.pointer_mut(&format!("/reveals/{which}/salt")).expect("it") = Json::from("0".repeat(64));
    });
    assert_eq!(judged(&other), Some((at, "E50-REVEAL", Some(role("spain")))));
    let none = hands.forged(pair.records(), at, |data| {
        let Some(Json::List(reveals)) = data.pointer_mut("/reveals") else { panic!("a list") };
        reveals.remove(which);
    });
    assert_eq!(judged(&none), Some((at, "E51-REVEAL", Some(role("spain")))));
}

#[test]
fn another_ticket_or_a_second_roll_is_found_at_once() {
    // The US player closes the turn of the sortie roll, and a wrong ticket is his fault, not its owner's; with the option there
    // is one left for a second roll, which the rules do not call for (13.7).
    let second = |option| if option == "plain" { "E52-TICKET" } else { "E14-SCHEMA" };
    for (options, option) in [(&[][..], "plain"), (&[("resist", "on")][..], "resist")] {
        let (pair, at) = until(options, option, |record| secret_roll(record).is_some());
        let hands = Hands::of(&pair);
        let roll = format!("/rolls/{}", secret_roll(&pair.records()[at]).expect("a roll"));
        let other = hands.forged(pair.records(), at, |data| {
            *data.pointer_mut(&format!("{roll}/secret")).expect("a ticket") = Json::from("ticket/2");
        });
        assert_eq!(judged(&other), Some((at, "E52-TICKET", Some(role("us")))), "{option}");
        let twice = hands.forged(pair.records(), at, |data| {
            let mut again = data.pointer(&roll).cloned().expect("a roll");
            let label = again.get("label").and_then(Json::as_str).expect("a label").replace("/1", "/2");
            let members = again.as_map_mut().expect("a roll");
            members.insert("label".to_owned(), Json::from(label));
            members.insert("secret".to_owned(), Json::from("ticket/2"));
            let Some(Json::List(rolls)) = data.pointer_mut("/rolls") else { panic!("no rolls") };
            rolls.push(again);
        });
        assert_eq!(judged(&twice), Some((at, second(option), Some(role("us")))), "{option}");
    }
}

#[test]
fn on_a_morning_of_resistance_the_next_ticket_is_due_and_no_other() {
    let (pair, at) = until(&[("resist", "on")], "morning", |record| sails(record).is_some());
    let hands = Hands::of(&pair);
    let roll = secret_roll(&pair.records()[at]).expect("every morning is rolled for");
    let ticket = pair.records()[at].body().data.pointer(&format!("/rolls/{roll}/secret")).cloned();
    assert_eq!(ticket, Some(Json::from("ticket/2")));
    let other = hands.forged(pair.records(), at, |data| {
        *data.pointer_mut(&format!("/rolls/{roll}/secret")).expect("a ticket") = Json::from("ticket/3");
    });
    let closer = pair.records()[at].body().by.clone();
    assert_eq!(judged(&other), Some((at, "E52-TICKET", Some(closer))));
}
