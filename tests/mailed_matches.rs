//! The first turns of matches by mail of every game, with a bad post: a short run of what `garcia soak GAME --mailed` does for as long as one likes.

use std::path::PathBuf;
use std::process::Command;

use garcia::games::GAMES;
use garcia::play::{Posted, Series, play_mailed};

#[test]
fn whatever_the_post_does_the_ledgers_are_the_same_and_nobody_honest_is_at_fault() {
    let mut all = Posted::default();
    for game in GAMES {
        for number in 0..3 {
            let folder = tempfile::tempdir().expect("a folder");
            let series = Series { games: 3, seed: "bounded".to_owned(), threads: 1, ..Series::default() };
            let played = play_mailed(*game, &series, number, 24, folder.path());
            let (tale, records) = played.unwrap_or_else(|broken| panic!("{broken}"));
            all.add(&tale);
            let ledger = tempfile::tempdir().expect("a folder");
            for record in &records {
                std::fs::write(ledger.path().join(record.file_name()), record.to_yaml()).expect("written");
            }
            let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/verify.py");
            if let Ok(done) = Command::new("python3").arg(script).arg(ledger.path()).output() {
                let said = String::from_utf8_lossy(&done.stdout).into_owned();
                assert_eq!(done.status.code(), Some(4), "{} {number}\n{said}", game.id());
            }
        }
    }
    println!("{}", all.text());
    let tried = [all.lost, all.doubled, all.damaged, all.overtaken, all.killed, all.plans, all.motions, all.rescues];
    assert!(tried.iter().all(|count| *count > 0), "{}", all.text());
}
