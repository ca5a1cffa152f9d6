//! The campaign under a game master, private or plain, and alone: the fleet sails everywhere, and everything can be checked.

use garcia::engine::Stop;
use garcia::engine::json::Json;
use garcia::trust::Role;
use garcia::trust::finding::Level;
use garcia::trust::ledger::Company;
use garcia::trust::record::Record;
use garcia::trust::replay::Vision;
use garcia::trust::seat::Seat;

use super::{SORTIE, SPAIN, US, campaign, game, sails, secret_roll};
use crate::players::club::Club;
use crate::players::{check, home, judged, role, silent, terms};

fn sailed(records: &[Record]) -> bool {
    records.iter().any(|record| sails(record) == Some(true))
}

#[test]
fn a_private_game_master_states_the_day_for_spain_and_opens_it() {
    let mut club = Club::at(game(), &campaign(&[]));
    let rolled = |records: &[Record]| records.iter().any(|record| secret_roll(record).is_some());
    club.play_until(rolled, &mut silent);
    assert!(rolled(club.gm.ledger().records()), "the roll of turn 2 is secret here too");
    // The game master and Spain know the date; the US player does not.
    let knows = |seat: &Seat| seat.ledger().holdings().0.keys().any(|(_, slot)| slot.as_str() == SORTIE);
    assert!(knows(&club.gm));
    for player in &club.players {
        assert_eq!(knows(player), *player.role() == role("spain"), "{}", player.role());
    }
    club.play_until(sailed, &mut silent);
    let records = club.gm.ledger().records().to_vec();
    assert!(sailed(&records));
    assert_eq!(judged(&records), None);
    let at = records.iter().position(|record| sails(record) == Some(true)).expect("it sails");
    assert_eq!(records[at].body().by, Role::gm());
    let mut body = records[at].body().clone();
    body.data.as_map_mut().expect("data").remove("claims");
    let key = home(&club.homes[0]).identity().expect("a key");
    let mut silence = records[..at].to_vec();
    silence.push(Record::sign(body, &key).expect("signed"));
    assert_eq!(judged(&silence), Some((at, "E51-REVEAL", Some(Role::gm()))));
}

/// A match that one person carries on, until the fleet is gone.
fn alone(company: Company) -> Vec<Record> {
    let folder = tempfile::tempdir().expect("a folder");
    let table = game().open(&campaign(&[])).expect("a table");
    let mut seat = Seat::begin(table, company, terms(&campaign(&[]), false, None), &home(&folder)).expect("begun");
    let gone = |seat: &Seat| {
        let replay = seat.ledger().replay();
        let state = replay.table().state_json(replay.state()).expect("canonical");
        state.get("fleet-gone") == Some(&Json::Bool(true))
    };
    while !gone(&seat) {
        let side = seat.to_decide().expect("somebody is due");
        seat.send(&silent(seat.ledger(), side)).expect("sent");
        seat.advance().expect("closed");
    }
    assert!(!matches!(seat.ledger().replay().stop(), Stop::Facts { .. }));
    seat.ledger().records().to_vec()
}

#[test]
fn solo_and_with_a_plain_game_master_the_roll_stands_in_the_ledger() {
    for company in [Company::Solo, Company::Gm(Vec::new())] {
        let records = alone(company);
        assert!(records.iter().all(|record| secret_roll(record).is_none()), "nothing is sealed here");
        let rolls = records.iter().filter_map(|record| record.body().data.get("rolls").and_then(Json::as_list));
        let label = |roll: &Json| roll.get("label").and_then(Json::as_str).map(str::to_owned);
        let labels: Vec<String> = rolls.flatten().filter_map(label).collect();
        assert_eq!(labels.iter().filter(|label| label.contains("/cervera/sortie/")).count(), 1, "{labels:?}");
        let found = check(&records, &Vision::public());
        assert_eq!((found.exit_code(), found.level), (0, Level::Rules), "{}", found.report(""));
    }
}

#[test]
fn both_sides_of_a_solo_table_see_the_same_but_for_the_roll() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = game().open(&campaign(&[])).expect("a table");
    let mut seat =
        Seat::begin(table, Company::Solo, terms(&campaign(&[]), false, None), &home(&folder)).expect("begun");
    for _ in 0..6 {
        let side = seat.to_decide().expect("somebody is due");
        seat.send(&silent(seat.ledger(), side)).expect("sent");
        seat.advance().expect("closed");
    }
    let slots =
        |side| -> Vec<String> { seat.ledger().holdings_of(side).0.keys().map(|(_, slot)| slot.to_string()).collect() };
    assert_eq!(slots(US), Vec::<String>::new());
    assert_eq!(slots(SPAIN), [SORTIE]);
}
