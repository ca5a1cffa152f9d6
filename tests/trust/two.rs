//! Games between two players, played at random through signed records: every view comes to the same.

use std::collections::BTreeMap;

use crate::players::{Pair, charter_of, check};
use garcia::engine::doc::{DocPath, Reader, read_document};
use garcia::engine::json::Json;
use garcia::engine::submission::Submission;
use garcia::engine::{Charter, Stop, View};
use garcia::games::{self, GAMES};
use garcia::trust::finding::Level;
use garcia::trust::record::RecordKind;
use garcia::trust::replay::Vision;

fn agrees_in_every_view(pair: &Pair) {
    let records = pair.records();
    let mut views: Vec<(&str, Vision)> = vec![("public", Vision::public())];
    views.push(("one", pair.seats[0].vision()));
    views.push(("two", pair.seats[1].vision()));
    for (name, vision) in views {
        let found = check(records, &vision);
        assert!(found.divergence.is_none(), "{name}: {}", found.report(""));
        assert_eq!(found.good as usize, records.len(), "{name}");
    }
}

#[test]
fn two_players_of_every_game_mail_each_other_and_every_view_agrees() {
    for ruleset in GAMES {
        let mut pair = Pair::begin(*ruleset, &Charter::default(), true, Some(2), ruleset.id());
        pair.play(24);
        agrees_in_every_view(&pair);
    }
}

#[test]
fn a_list_of_activations_goes_as_a_plan_and_only_what_was_done_is_opened() {
    let ruleset = games::find("lone-warrior").expect("a game");
    let mut pair = Pair::begin(ruleset, &charter_of("el-caney", &[("flow", "plan")]), true, Some(1), "plan");
    pair.play(60);
    let kinds: Vec<&RecordKind> = pair.records().iter().map(|record| &record.body().kind).collect();
    assert!(kinds.contains(&&RecordKind::Plan));
    let (mut sealed, mut opened) = (0, 0);
    for record in pair.records() {
        let entries = |name: &str| {
            let items = record.body().data.get(name).and_then(Json::as_list).unwrap_or_default();
            let slots = items.iter().filter_map(|item| item.get("slot").and_then(Json::as_str));
            slots.filter(|slot| slot.starts_with("plan/")).count()
        };
        sealed += entries("hide");
        opened += entries("reveals");
    }
    assert!(0 < opened && opened < sealed, "{opened} of {sealed} entries were opened");
    agrees_in_every_view(&pair);
}

/// A packet as a player types it, for the side that is due.
fn typed(pair: &Pair, at: usize, text: &str) -> Submission {
    let seat = &pair.seats[at];
    let side = seat.to_decide().expect("a decision is due");
    let (replay, holdings) = (seat.ledger().replay(), seat.ledger().holdings_of(side));
    let (table, stop) = (replay.table(), replay.stop());
    let (node, _) = read_document("orders.yaml", text.as_bytes()).unwrap_or_else(|bad| panic!("{:?}", bad.faults));
    let mut reader = Reader::new(table.lexicon());
    let orders = table.read_orders(stop.ask(), &node, &DocPath::root(), &mut reader);
    let orders = orders.unwrap_or_else(|| panic!("{:?}", reader.faults));
    let view = View { state: replay.state(), holdings: &holdings, side: Some(side) };
    let (orders, faults) = table.check(view, stop, orders, &DocPath::root());
    let faults: Vec<_> = faults.into_iter().filter(|fault| !fault.warning).collect();
    assert_eq!(faults, []);
    Submission {
        side,
        orders: Some(orders),
        policies: BTreeMap::new(),
        standing: BTreeMap::new(),
        answers: BTreeMap::new(),
        note: None,
    }
}

#[test]
fn the_tail_of_a_plan_is_nowhere_in_the_opponents_files() {
    let ruleset = games::find("lone-warrior").expect("a game");
    let mut pair = Pair::begin(ruleset, &charter_of("el-caney", &[("flow", "plan")]), false, None, "tail");
    let of = |pair: &Pair, side: &str| usize::from(pair.seats[0].role().as_str() != side);
    let (spain, us) = (of(&pair, "spain"), of(&pair, "us"));
    // Leaders are placed openly; then Spain plans three activations and stops after the first, whatever is drawn.
    for at in [spain, us] {
        pair.seats[at].advance().expect("advanced");
        let said = typed(&pair, at, "leaders: {}");
        pair.seats[at].send(&said).expect("sent");
        pair.mail(at);
        pair.seats[1 - at].advance().expect("closed");
        pair.mail(1 - at);
    }
    let plan = "activations:
  - {unit: ec-con-1, turn: left, stop-after: yes}
  - {unit: ec-irr-3, turn: rear}
  - {unit: ec-sim-2, move: ahead}
";
    let said = typed(&pair, spain, plan);
    pair.seats[spain].send(&said).expect("the plan is sent");
    pair.mail(spain);
    let seen = |pair: &Pair, word: &str| {
        let records = pair.seats[us].ledger().records().iter().any(|record| record.to_yaml().contains(word));
        let home = walk(pair.homes[us].path()).iter().any(|text| text.contains(word));
        records || home
    };
    assert!(!seen(&pair, "ec-con-1"), "the whole plan is sealed");
    pair.seats[us].advance().expect("the call");
    pair.mail(us);
    pair.seats[spain].advance().expect("the result");
    pair.mail(spain);
    assert!(seen(&pair, "ec-con-1"), "what was carried out is opened");
    assert!(!seen(&pair, "ec-irr-3") && !seen(&pair, "ec-sim-2"), "the tail stays sealed");
    assert_eq!(pair.seats[us].ledger().replay().stop().who().map(|side| side.as_str()), Some("us"));
    agrees_in_every_view(&pair);
}

/// The text of every file below a folder.
fn walk(folder: &std::path::Path) -> Vec<String> {
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            texts.extend(walk(&path));
        } else {
            texts.push(std::fs::read_to_string(&path).unwrap_or_default());
        }
    }
    texts
}

#[test]
fn a_whole_game_is_played_audited_and_good_at_every_level() {
    let ruleset = games::find("santiago-1898").expect("a game");
    let mut pair = Pair::begin(ruleset, &Charter::default(), false, None, "whole");
    pair.play(1000);
    assert_eq!(*pair.seats[0].ledger().replay().stop(), Stop::End);
    let found = check(pair.records(), &Vision::public());
    assert_eq!((found.exit_code(), found.level), (0, Level::Audit), "{}", found.report(""));
}
