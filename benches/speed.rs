//! What has to be fast: a turn, a whole game, a check, the cases, the demonstration, a verification.
//!
//! `cargo bench` runs them. The limits they are held against: one player turn 1 ms, a whole random game 50 ms, `check`
//! from start to exit 50 ms, the cases of a game 1 s, the demonstration 1 s, the verification of a whole game 100 ms.

use std::path::{Path, PathBuf};
use std::process::Command;

use divan::{Bencher, black_box};
use garcia::engine::dice::{Chance, Seed};
use garcia::engine::{
    AnyState, Charter, Dice, Holdings, Match, Questions, Said, Segment, Settled, Stop, Tickets, Versions, View,
};
use garcia::games::GAMES;

/// The one of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

const GAME: &str = "santiago-1898";

fn table() -> Box<dyn Match> {
    let game = GAMES.iter().find(|game| game.id() == GAME).expect("the game");
    game.open(&Charter::default()).expect("a table")
}

/// Plays one packet of random orders; nobody is asked anything.
fn play(table: &dyn Match, state: &AnyState, stop: &Stop, chance: &mut Chance) -> (AnyState, Stop) {
    let (said, nothing, versions) = (Said::default(), Holdings::default(), Versions::new());
    let view = View { state, holdings: &nothing, side: None };
    let orders = table.random_orders(view, stop, chance);
    let segment = Segment {
        dice: Dice::Seed(Seed::new([chance.below(256) as u8; 32])),
        settled: Settled::default(),
        said: &said,
        public: &nothing,
        holdings: &nothing,
        versions: &versions,
        tickets: Tickets::NONE,
        closer_holds: table.ruleset().sides(),
        questions: Questions { ask: false, max_asks: None },
    };
    let outcome = table.resolve(state, &orders, segment).expect("a result");
    (outcome.state, outcome.stop)
}

/// A position in the middle of a game, with most counters on the map.
fn middle(table: &dyn Match, chance: &mut Chance) -> (AnyState, Stop) {
    let (mut state, mut stop) = table.begin();
    while stop != Stop::End && table.turn(&state) < 6 {
        (state, stop) = play(table, &state, &stop, chance);
    }
    (state, stop)
}

#[divan::bench]
fn one_player_turn(bencher: Bencher) {
    let table = table();
    let mut chance = Chance::new("one turn");
    let (state, stop) = middle(&*table, &mut chance);
    let nothing = Holdings::default();
    let view = View { state: &state, holdings: &nothing, side: None };
    let orders = table.random_orders(view, &stop, &mut chance);
    bencher.bench_local(|| {
        let (said, versions) = (Said::default(), Versions::new());
        let segment = Segment {
            dice: Dice::Seed(Seed::new([7; 32])),
            settled: Settled::default(),
            said: &said,
            public: &nothing,
            holdings: &nothing,
            versions: &versions,
            tickets: Tickets::NONE,
            closer_holds: table.ruleset().sides(),
            questions: Questions { ask: false, max_asks: None },
        };
        black_box(table.resolve(&state, &orders, segment)).is_ok()
    });
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn whole_random_game(bencher: Bencher) {
    let table = table();
    let mut number = 0;
    bencher.bench_local(|| {
        number += 1;
        let mut chance = Chance::new(&format!("game {number}"));
        let (mut state, mut stop) = table.begin();
        while stop != Stop::End {
            (state, stop) = play(&*table, &state, &stop, &mut chance);
        }
        table.verdict(&state)
    });
}

fn garcia(folder: &Path, args: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_garcia"))
        .current_dir(folder)
        .env("GARCIA_HOME", folder.join("home"))
        .args(args)
        .output()
        .expect("garcia runs")
}

/// A game folder with some packets played as the template proposes.
fn begun(packets: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    assert!(garcia(path, &["new", GAME, "g", "--solo"]).status.success());
    for number in 0..packets {
        let file = format!("{number}.yaml");
        assert!(garcia(path, &["-C", "g", "template", "--output", &file]).status.success());
        assert!(garcia(path, &["-C", "g", "resolve", &file]).status.success());
    }
    folder
}

#[divan::bench(sample_count = 20, sample_size = 1, args = [2, 20])]
fn check_from_start_to_exit(bencher: Bencher, packets: usize) {
    let folder = begun(packets);
    assert!(garcia(folder.path(), &["-C", "g", "template", "--output", "next.yaml"]).status.success());
    bencher.bench_local(|| garcia(folder.path(), &["-C", "g", "check", "next.yaml"]).status.success());
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn verify_from_start_to_exit(bencher: Bencher) {
    let folder = begun(32);
    bencher.bench_local(|| garcia(folder.path(), &["-C", "g", "verify"]).status.success());
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn demo_from_start_to_exit(bencher: Bencher) {
    let folder = tempfile::tempdir().expect("a folder");
    bencher.bench_local(|| garcia(folder.path(), &["demo"]).status.success());
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn cases_of_a_game(bencher: Bencher) {
    let cases = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/conformance").join(GAME);
    let files = garcia::cases::case_files(&[cases]).expect("case files");
    bencher.bench_local(|| garcia::cases::run_files(GAMES, &files).map(|suite| suite.passed));
}
