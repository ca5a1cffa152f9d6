//! What has to be fast between players: verifying a whole game, taking a mail, verifying a thousand games.
//!
//! `cargo bench --bench trust` runs them. The limits they are held against: verifying a complete game of two players and
//! fifteen turns, all levels, 100 ms; `receive` of one turn 50 ms, both from start to exit; a thousand games in a time
//! that grows with their number and in memory that does not.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use divan::Bencher;
use tempfile::TempDir;

/// The one of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

const GAME: &str = "santiago-1898";

fn garcia(home: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_garcia")).env("GARCIA_HOME", home).args(args).output().expect("garcia runs")
}

/// A match by mail of at most so many mails: the folder of it, with `us`, `spain`, `mails` and `secrets`.
fn rehearsed(folder: &Path, seed: &str, mails: usize) {
    let (path, mails) = (folder.display().to_string(), mails.to_string());
    let home = folder.join("secrets");
    let args = ["rehearse", GAME, &path, "--seed", seed, "--mails", &mails, "--home", &home.display().to_string()];
    let output = garcia(&home, &args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn records(game: &Path) -> usize {
    fs::read_dir(game.join("ledger")).expect("a ledger").count()
}

/// The longest of some matches, played to the end and audited.
fn whole_game() -> &'static TempDir {
    static MATCH: OnceLock<TempDir> = OnceLock::new();
    MATCH.get_or_init(|| {
        let matches = (0..12).map(|number| {
            let folder = tempfile::tempdir().expect("a folder");
            rehearsed(folder.path(), &format!("whole {number}"), 400);
            folder
        });
        let longest = matches.max_by_key(|folder| records(&folder.path().join("us"))).expect("a match");
        eprintln!("a match of {} records", records(&longest.path().join("us")));
        longest
    })
}

#[divan::bench(sample_count = 30, sample_size = 1)]
fn verify_a_whole_game_from_start_to_exit(bencher: Bencher) {
    let folder = whole_game().path();
    let game = folder.join("us").display().to_string();
    bencher.bench_local(|| assert!(garcia(&folder.join("nobody"), &["verify", &game]).status.success()));
}

/// The same with one's own secrets at hand: the view of a player.
#[divan::bench(sample_count = 30, sample_size = 1)]
fn verify_a_whole_game_as_a_player(bencher: Bencher) {
    let folder = whole_game().path();
    let game = folder.join("us").display().to_string();
    bencher.bench_local(|| assert!(garcia(&folder.join("secrets/us"), &["verify", &game]).status.success()));
}

fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        match entry.file_type().expect("a kind").is_dir() {
            true => copied(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).expect("copied")),
        }
    }
}

/// Takes the last mail of a match that was cut short in the middle, each time in a fresh copy of the reader's folders.
#[divan::bench(sample_count = 30, sample_size = 1)]
fn receive_one_turn_from_start_to_exit(bencher: Bencher) {
    let original = tempfile::tempdir().expect("a folder");
    // Random players end some games early; an even number of mails was last sent by the same one each time.
    let sent = |number: usize| {
        let folder = original.path().join(number.to_string());
        rehearsed(&folder, &format!("mail {number}"), 30);
        (fs::read_dir(folder.join("mails")).expect("mails").count() == 30).then_some(folder)
    };
    let folder = (0..20).find_map(sent).expect("a match of thirty mails");
    let mut mails: Vec<PathBuf> =
        fs::read_dir(folder.join("mails")).expect("mails").map(|mail| mail.expect("a mail").path()).collect();
    mails.sort();
    let mail = mails.last().expect("a mail").display().to_string();
    let reader = if mail.contains("-us.") { "spain" } else { "us" };
    bencher
        .with_inputs(|| {
            let copy = tempfile::tempdir().expect("a folder");
            copied(&folder.join(reader), &copy.path().join("game"));
            copied(&folder.join("secrets").join(reader), &copy.path().join("home"));
            copy
        })
        .bench_local_values(|copy| {
            let game = copy.path().join("game").display().to_string();
            let output = garcia(&copy.path().join("home"), &["-C", &game, "receive", &mail]);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            copy
        });
}

/// Many games at once, under a limit on memory that a program which keeps them all would pass.
#[divan::bench(sample_count = 1, sample_size = 1, args = [250, 500, 1000])]
fn verify_many_games_in_flat_memory(bencher: Bencher, games: usize) {
    let folder = whole_game().path();
    let one = folder.join("us").display().to_string();
    let limit = "ulimit -v 400000; exec \"$@\"";
    bencher.bench_local(|| {
        let output = Command::new("sh")
            .args(["-c", limit, "sh", env!("CARGO_BIN_EXE_garcia"), "verify"])
            .args(std::iter::repeat_n(&one, games))
            .output()
            .expect("garcia runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    });
}
