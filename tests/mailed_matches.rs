//! The first turns of matches by mail of every game, with a bad post: a short run of what `garcia soak GAME --mailed` does for as long as one likes.

use std::path::PathBuf;
use std::process::Command;

use garcia::engine::Ruleset;
use garcia::games::GAMES;
use garcia::play::{Posted, Series, play_mailed};

#[test]
fn whatever_the_post_does_the_ledgers_are_the_same_and_nobody_honest_is_at_fault() {
    let mut all = Posted::default();
    // Three matches of each game; more of them, within reason, until everything that can happen to a match has happened.
    for number in 0..3 {
        GAMES.iter().for_each(|game| all.add(&played(*game, number)));
    }
    for number in 3..9 {
        if everything_was_tried(&all) {
            break;
        }
        GAMES.iter().for_each(|game| all.add(&played(*game, number)));
    }
    println!("{}", all.text());
    assert!(everything_was_tried(&all), "{}", all.text());
}

fn everything_was_tried(all: &Posted) -> bool {
    let tried = [all.lost, all.doubled, all.damaged, all.overtaken, all.killed, all.plans, all.motions, all.rescues];
    tried.iter().all(|count| *count > 0)
}

/// One match, its ledger read again by the script that shares no code with garcia.
fn played(game: &'static dyn Ruleset, number: usize) -> Posted {
    let folder = tempfile::tempdir().expect("a folder");
    let series = Series { games: 9, seed: "bounded".to_owned(), threads: 1, ..Series::default() };
    let played = play_mailed(game, &series, number, 24, folder.path());
    let (tale, records) = played.unwrap_or_else(|broken| panic!("{broken}"));
    let ledger = tempfile::tempdir().expect("a folder");
    for record in &records {
        std::fs::write(ledger.path().join(record.file_name()), record.to_yaml()).expect("written");
    }
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/verify.py");
    if let Ok(done) = Command::new("python3").arg(script).arg(ledger.path()).output() {
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        assert_eq!(done.status.code(), Some(4), "{} {number}\n{said}", game.id());
    }
    tale
}
