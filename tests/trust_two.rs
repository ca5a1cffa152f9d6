//! Games between two players, played at random through signed records: every view comes to the same.

mod players;

use garcia::engine::json::Json;
use garcia::engine::{Charter, Stop};
use garcia::games::{self, GAMES};
use garcia::trust::finding::Level;
use garcia::trust::record::Kind;
use garcia::trust::referee::Vision;
use players::{Pair, charter_of, check};

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
    let kinds: Vec<&Kind> = pair.records().iter().map(|record| &record.body().kind).collect();
    assert!(kinds.contains(&&Kind::Plan));
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

#[test]
fn a_whole_game_is_played_audited_and_good_at_every_level() {
    let ruleset = games::find("santiago-1898").expect("a game");
    let mut pair = Pair::begin(ruleset, &Charter::default(), false, None, "whole");
    pair.play(1000);
    assert_eq!(*pair.seats[0].ledger().referee().stop(), Stop::End);
    let found = check(pair.records(), &Vision::public());
    assert_eq!((found.exit_code(), found.level), (0, Level::Audit), "{}", found.report(""));
}
