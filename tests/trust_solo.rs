//! Solo games of the shipped rule sets, played at random through signed records and verified again.

use std::collections::BTreeMap;

use garcia::engine::dice::Chance;
use garcia::engine::{Charter, Match, Stop, View};
use garcia::games::{self, GAMES};
use garcia::trust::data::{Answer, Genesis};
use garcia::trust::finding::{Code, Finding};
use garcia::trust::home::Home;
use garcia::trust::ledger::{Ledger, Pen, Speech, Terms, charter};
use garcia::trust::replay::Vision;
use garcia::trust::store::{LedgerFolder, Lock};
use garcia::trust::verify::verify;

fn lay(genesis: &Genesis) -> Result<Box<dyn Match>, Finding> {
    let ruleset = games::find(&genesis.ruleset);
    let unknown = || Finding::new(Code::Engine, "this rule set is not known");
    ruleset.ok_or_else(unknown)?.open(&charter(genesis, BTreeMap::new())).map_err(|_| unknown())
}

/// What a player who chooses at random says now.
fn at_random(ledger: &Ledger, chance: &mut Chance) -> Speech {
    let (replay, holdings) = (ledger.replay(), ledger.holdings());
    let (table, stop) = (replay.table(), replay.stop());
    let view = View { state: replay.state(), holdings: &holdings, side: stop.who() };
    let mut speech = Speech::default();
    match stop {
        Stop::Orders { who, .. } => {
            let orders = table.random_orders(view, stop, chance);
            speech.orders = Some(table.orders_json(&orders).expect("canonical"));
            for info in table.ruleset().kinds().iter().filter(|info| info.asked_of.contains(who)) {
                let policy = table.random_policy(replay.state(), *who, info.kind.0, chance);
                if replay.standing_kinds(*who).any(|kind| kind == info.kind.0) {
                    speech.standing.insert(info.kind.0.to_owned(), policy);
                } else {
                    speech.policies.insert(info.kind.0.to_owned(), policy);
                }
            }
        }
        Stop::Answers { questions, .. } => {
            let choice = |asked: &garcia::engine::Asked, chance: &mut Chance| {
                chance.pick(&asked.options).cloned().unwrap_or_else(|| asked.default.clone())
            };
            speech.answers = questions
                .iter()
                .map(|asked| Answer { key: asked.key.clone(), choice: choice(asked, chance) })
                .collect();
        }
        other => panic!("nobody is asked for facts in a solo game: {other:?}"),
    }
    speech
}

#[test]
fn a_random_solo_game_of_every_rule_set_verifies_from_its_files() {
    for ruleset in GAMES {
        let folder = tempfile::tempdir().expect("a folder");
        let home = Home::find(Some(&folder.path().join("home"))).expect("given");
        let game = folder.path().join("game");
        let (files, held) = (LedgerFolder::of_game(&game), Lock::take(&game).expect("free"));
        let solo = Terms { charter: Charter::default(), ask: true, max_asks: Some(2), links: 256, note: None };
        let table = ruleset.open(&Charter::default()).expect("a table");
        let (mut ledger, mut file) = Ledger::begin_solo(table, solo, &home).expect("begun");
        let key = home.identity().expect("a key");
        let mut chance = Chance::new(ruleset.id());
        for _ in 0..16 {
            if ledger.to_speak().is_none() {
                break;
            }
            let speech = at_random(&ledger, &mut chance);
            ledger.play(speech, &mut Pen { key: &key, file: &mut file }).expect("played");
        }
        for record in ledger.records() {
            files.add(record, &held).expect("written");
        }
        let found = files.read().expect("read");
        assert_eq!(found.problems, Vec::<String>::new());
        let verification = verify(&found, &lay, &Vision::public());
        assert_eq!(verification.exit_code(), 0, "{}", verification.report(""));
        assert_eq!(verification.good as usize, ledger.records().len());
        assert!(verification.rolls > 0, "{} rolled no dice in this game", ruleset.id());
    }
}
