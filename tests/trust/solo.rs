//! Solo games of the shipped rule sets, played at random through signed records and verified again.

use crate::players::{at_random, lay, seeded, terms};
use garcia::engine::dice::Chance;
use garcia::engine::{Charter, Ruleset};
use garcia::games::GAMES;
use garcia::trust::ledger::Company;
use garcia::trust::replay::Vision;
use garcia::trust::seat::Seat;
use garcia::trust::store::{LedgerFolder, Lock};
use garcia::trust::verify::verify;

/// Plays some packets at random, each game with other choices, and gives the number of dice that verification found.
fn rolls(ruleset: &'static dyn Ruleset, number: u32) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    let home = seeded(&folder.path().join("home"));
    let game = folder.path().join("game");
    let (files, held) = (LedgerFolder::of_game(&game), Lock::take(&game).expect("free"));
    let table = ruleset.open(&Charter::default()).expect("a table");
    let terms = terms(&Charter::default(), true, Some(2));
    let mut seat = Seat::begin(table, Company::Solo, terms, &home).expect("begun");
    let mut chance = Chance::new(&format!("{} {number}", ruleset.id()));
    for _ in 0..16 {
        let Some(side) = seat.to_decide() else { break };
        let said = at_random(seat.ledger(), side, &mut chance);
        seat.send(&said).expect("sent");
        seat.advance().expect("closed");
    }
    seat.save(0, &files, &held).expect("written");
    let found = files.read().expect("read");
    assert_eq!(found.problems, Vec::<String>::new());
    let verification = verify(&found, &lay, &Vision::public());
    assert_eq!(verification.exit_code(), 0, "{}", verification.report(""));
    assert_eq!(verification.good as usize, seat.ledger().records().len());
    verification.rolls
}

#[test]
fn a_random_solo_game_of_every_rule_set_verifies_from_its_files() {
    for ruleset in GAMES {
        assert!((0..8).any(|number| rolls(*ruleset, number) > 0), "{} rolled no dice in these games", ruleset.id());
    }
}
