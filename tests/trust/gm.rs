//! Games with a game master: players who sign, players who only send a file, and both.

use crate::players::{at_random, check, home, join_all, mailed, role, send_out, terms};
use garcia::engine::Charter;
use garcia::engine::dice::Chance;
use garcia::engine::json::Json;
use garcia::games::{self, GAMES};
use garcia::trust::finding::Level;
use garcia::trust::record::Record;
use garcia::trust::replay::Vision;
use garcia::trust::role::Role;
use garcia::trust::seat::{Awaited, Seat};
use tempfile::TempDir;

/// A game master and those players who sign.
struct Club {
    homes: Vec<TempDir>,
    gm: Seat,
    players: Vec<Seat>,
}

impl Club {
    fn meet(game: &str, names: &[&str]) -> Club {
        let ruleset = games::find(game).expect("a game");
        let homes: Vec<TempDir> = (0..=names.len()).map(|_| tempfile::tempdir().expect("a folder")).collect();
        let table = ruleset.open(&Charter::default()).expect("a table");
        let names: Vec<Role> = names.iter().map(|name| role(name)).collect();
        let terms = terms(&Charter::default(), true, Some(1));
        let mut gm = Seat::host(table, names, terms, &home(&homes[0])).expect("begun");
        let players = join_all(&mut gm, &homes[1..]);
        Club { homes, gm, players }
    }

    fn send_out(&mut self) {
        send_out(&self.gm, &mut self.players);
    }

    fn play(&mut self, most: usize, chance: &mut Chance) {
        while self.gm.ledger().records().len() < most {
            let awaited = self.gm.ledger().awaited();
            let (Awaited::Packet { who, side, .. } | Awaited::Answers { who, side, .. }) = awaited else { break };
            match self.players.iter_mut().find(|player| *player.role() == who) {
                Some(player) => {
                    assert_eq!(player.to_decide(), Some(side));
                    let said = at_random(player.ledger(), side, chance);
                    let record = mailed(&player.send(&said).expect("sent"));
                    assert_eq!(self.gm.receive(vec![record]).refused, []);
                }
                None => {
                    let said = at_random(self.gm.ledger(), side, chance);
                    self.gm.send(&said).expect("entered");
                }
            }
            assert_eq!(self.gm.advance().expect("closed").len(), 1, "the game master closes every segment");
            self.send_out();
        }
    }
}

#[test]
fn a_game_master_runs_every_game_with_none_one_or_two_players_who_sign() {
    for ruleset in GAMES {
        let sides: Vec<&str> = ruleset.sides().iter().map(|side| side.as_str()).collect();
        for names in [&sides[..0], &sides[..1], &sides[..]] {
            let mut club = Club::meet(ruleset.id(), names);
            club.play(12, &mut Chance::new(&format!("{} {}", ruleset.id(), names.len())));
            let records = club.gm.ledger().records();
            let found = check(records, &Vision::public());
            assert_eq!((found.exit_code(), found.level), (0, Level::Rules), "{}", found.report(""));
            let by_gm = records.iter().filter(|r| r.body().data.get("for").is_some()).count();
            let listed = found.remarks.iter().filter(|remark| remark.contains("written by the game master")).count();
            assert_eq!(listed, by_gm, "verify lists every order the game master entered");
            assert_eq!(by_gm > 0, names.len() < 2);
            assert_eq!(club.homes.len(), names.len() + 1);
        }
    }
}

#[test]
fn a_side_sees_its_own_hidden_units_and_not_the_others() {
    let club = Club::meet("santiago-1898", &[]);
    let ledger = club.gm.ledger();
    let sides = ledger.replay().table().ruleset().sides();
    for side in sides {
        assert!(ledger.holdings_of(*side).0.keys().all(|(owner, _)| owner == side));
    }
}

#[test]
fn the_game_goes_on_without_a_player_who_sends_nothing_and_the_record_says_so() {
    let mut club = Club::meet("santiago-1898", &["spain", "us"]);
    let Some(side) = club.gm.to_decide() else { panic!("somebody is due") };
    let record = club.gm.no_moves().expect("entered");
    assert_eq!(record.body().data.get("nmr"), Some(&Json::Bool(true)));
    assert_eq!(record.body().data.get("for"), Some(&Json::from(side.as_str())));
    assert_eq!(record.body().data.get("nonce"), Some(&Json::from(record.body().prev.to_string())));
    club.gm.advance().expect("closed");
    let found = check(club.gm.ledger().records(), &Vision::public());
    assert_eq!(found.exit_code(), 0, "{}", found.report(""));
    assert!(found.report("").contains(&format!("note: record {}: written by the game master", record.body().seq)));
}

#[test]
fn a_game_master_cannot_pretend() {
    let club = Club::meet("santiago-1898", &["spain", "us"]);
    let mut other = Club::meet("santiago-1898", &["spain", "us"]);
    let honest = other.gm.no_moves().expect("entered");
    let key = home(&club.homes[0]).identity().expect("a key");
    let at = club.gm.ledger().records().len();
    let signed = |change: &dyn Fn(&mut garcia::trust::Body)| {
        let mut body = honest.body().clone();
        (body.prev, body.game) = (club.gm.ledger().protocol().head(), club.gm.ledger().protocol().game());
        let prev = Json::from(body.prev.to_string());
        body.data.as_map_mut().expect("an object").insert("nonce".to_owned(), prev);
        change(&mut body);
        let mut records = club.gm.ledger().records().to_vec();
        records.push(Record::sign(body, &key).expect("signed"));
        let found = check(&records, &Vision::public()).divergence?;
        Some((found.seq as usize, found.finding.code.as_str(), found.finding.fault.map(|role| role.to_string())))
    };
    let put = |name: &'static str, value: Option<Json>| {
        move |body: &mut garcia::trust::Body| {
            let members = body.data.as_map_mut().expect("an object");
            match &value {
                Some(value) => members.insert(name.to_owned(), value.clone()),
                None => members.remove(name),
            };
        }
    };
    let blamed = |code| Some((at, code, Some("gm".to_owned())));
    assert_eq!(signed(&|_| {}), None, "owning up is no breach");
    assert_eq!(signed(&put("nmr", None)), blamed("E14-SCHEMA"));
    assert_eq!(signed(&put("for", None)), blamed("E14-SCHEMA"));
    assert_eq!(signed(&put("for", Some("us".into()))), blamed("E13-KIND"));
    let zeros = "0".repeat(64);
    assert_eq!(signed(&put("nonce", Some(zeros.into()))), blamed("E14-SCHEMA"));
}
