//! What has to be fast where an army lies face down: a whole match of The Santiago Campaign between two who mail each
//! other, eleven turns at most, verified at every level, audits included. The limit: 100 ms from start to exit.

use std::path::Path;
use std::process::Command;

use divan::Bencher;

/// The one of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

fn garcia(folder: &Path, args: &[&str]) -> bool {
    let mut garcia = Command::new(env!("CARGO_BIN_EXE_garcia"));
    garcia.current_dir(folder).env("GARCIA_HOME", folder.join("home")).args(args);
    garcia.output().expect("garcia runs").status.success()
}

/// The longest of a few matches: most go through all eleven turns.
fn played() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut longest = (0, String::new());
    for seed in ["1", "2", "3", "4"] {
        assert!(garcia(folder.path(), &["rehearse", "santiago-campaign", seed, "--seed", seed, "--home", "secrets"]));
        let us = folder.path().join(seed).join("us");
        let records = std::fs::read_dir(us.join("ledger")).expect("a ledger").count();
        std::fs::remove_dir_all(folder.path().join("secrets")).expect("secrets of this match");
        if records > longest.0 {
            longest = (records, us.display().to_string());
        }
    }
    (folder, longest.1)
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn verify_an_audited_match_from_start_to_exit(bencher: Bencher) {
    let (folder, ledger) = played();
    bencher.bench_local(|| assert!(garcia(folder.path(), &["verify", &ledger])));
}
