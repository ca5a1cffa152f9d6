//! Bytes that nobody would write, by the thousand, for everything a stranger can send: nothing may panic, and every fault
//! has words and a place.
//!
//!     cargo test --test fuzz                                a share of every target, the same every time
//!     cargo test --release --test fuzz -- mails 1000000     as long as one likes
//!     cargo test --test fuzz -- orders 5000 another-seed
//!
//! Inputs that broke something are written to `fuzz/corpus/TARGET/` and tried first from then on.

mod mangle;
mod targets;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use garcia::engine::dice::Chance;
use sha2::{Digest as _, Sha256};
use targets::{TARGETS, Target};

/// How many tries of each target an ordinary test run makes.
const A_SHARE: usize = 150;

fn main() -> ExitCode {
    // Flags are for test runners, and mean nothing here.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let named = words.first().map(String::as_str);
    let tries = words.get(1).and_then(|word| word.parse().ok()).unwrap_or(A_SHARE);
    let seed = words.get(2).map_or("every test run", String::as_str);
    let chosen: Vec<&Target> = TARGETS.iter().filter(|target| named.is_none_or(|name| target.name == name)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!("no such target; there are {}", names.join(", "));
        return ExitCode::FAILURE;
    }
    let broken = chosen.into_iter().filter(|target| !holds(target, tries, seed)).count();
    if broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Tries a target: what once broke it, its seeds as they are, then seeds that were mangled.
fn holds(target: &Target, tries: usize, seed: &str) -> bool {
    let kept = kept(target.name);
    let seeds = (target.seeds)();
    assert!(!seeds.is_empty(), "{}: nothing to begin with", target.name);
    let mut chance = Chance::new(&format!("fuzz {} {seed}", target.name));
    let (mut slowest, mut accepted) = (Duration::ZERO, 0);
    for number in 0..kept.len() + seeds.len() + tries {
        let input = match number.checked_sub(kept.len()) {
            None => kept[number].clone(),
            Some(plain) if plain < seeds.len() => seeds[plain].clone(),
            Some(_) => mangle::mangled(&seeds, &mut chance),
        };
        let start = Instant::now();
        match catch_unwind(AssertUnwindSafe(|| (target.attempt)(&input))) {
            Ok(Ok(taken)) => accepted += usize::from(taken),
            Ok(Err(what)) => return broken(target.name, number, &input, &what),
            Err(_) => return broken(target.name, number, &input, "panic"),
        }
        slowest = slowest.max(start.elapsed());
    }
    let known = kept.len();
    println!("{:<10} {tries} tries, {accepted} accepted, {known} kept, slowest {slowest:?}", target.name);
    true
}

fn corpus(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target)
}

/// What once broke this target, by name.
fn kept(target: &str) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(corpus(target)).into_iter().flatten().filter_map(Result::ok);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a file of the corpus")).collect()
}

fn broken(target: &str, number: usize, input: &[u8], what: &str) -> bool {
    let name: String = Sha256::digest(input).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    let path = corpus(target).join(name);
    let written = fs::create_dir_all(corpus(target)).and_then(|()| fs::write(&path, input));
    let kept = written.map_or_else(|error| error.to_string(), |()| format!("kept as {}", path.display()));
    eprintln!("{target}: try {number}: {what}; {kept}");
    false
}
