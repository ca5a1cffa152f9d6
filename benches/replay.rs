//! What a replay costs: `verify` of a whole match as a multiple of its bare signatures, and how commands grow with the
//! ledger. Every command plays the match from its first record, so this is the price of trusting no cache.
//!
//! `cargo bench --bench replay` prints both tables for every game. The limits: `verify` four times its signatures;
//! `status`, `check` and `template` 6 ms from start to exit at 10 records and 35 ms at 250.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use comfy_table::{Table, presets};
use garcia::games;
use garcia::trust::Id;
use garcia::trust::data::Genesis;
use garcia::trust::finding::{Code, Finding};
use garcia::trust::ledger::charter;
use garcia::trust::record::Record;
use garcia::trust::replay::Vision;
use garcia::trust::store::{LedgerFiles, LedgerFolder};
use garcia::trust::verify::verify;

const GAMES: [(&str, Option<&str>); 5] = [
    ("santiago-1898", None),
    ("santiago-campaign", None),
    ("lone-warrior", Some("both")),
    ("splendid-little-war", Some("campaign")),
    ("end-of-empire", None),
];

fn main() {
    // `cargo test --benches` asks for nothing but that it starts.
    if std::env::args().any(|word| word == "--test") {
        return;
    }
    let mut against_signatures = table(["game", "records", "signatures", "verify", "times", "read and verify"]);
    let mut growth = table(["game", "records", "status", "template", "check", "verify"]);
    for (game, scenario) in GAMES {
        let folder = tempfile::tempdir().expect("a folder");
        rehearsed(folder.path(), game, scenario, 900);
        against_signatures.add_row(ratio(game, &folder.path().join("us")));
        for mails in [4, 30, 120] {
            let folder = tempfile::tempdir().expect("a folder");
            rehearsed(folder.path(), game, scenario, mails);
            growth.add_row(commands(game, folder.path()));
        }
    }
    println!("{against_signatures}\n\n{growth}");
}

fn table<const N: usize>(head: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header(head);
    table
}

fn garcia(home: &Path, args: &[&str]) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_garcia")).env("GARCIA_HOME", home).args(args).output().expect("garcia runs");
    // 3: a match cut short is good and somebody owes a record.
    let good = matches!(output.status.code(), Some(0 | 3));
    assert!(good, "{args:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// A match by mail of at most so many mails.
fn rehearsed(folder: &Path, game: &str, scenario: Option<&str>, mails: usize) {
    let (path, home, mails) = (folder.display().to_string(), folder.join("secrets"), mails.to_string());
    let at = home.display().to_string();
    let mut args = vec!["rehearse", game, &path, "--seed", "replay", "--mails", &mails, "--home", &at];
    args.extend(scenario.into_iter().flat_map(|scenario| ["--scenario", scenario]));
    garcia(&home, &args);
}

/// The median of some runs.
fn median(mut work: impl FnMut()) -> Duration {
    let timed = |_| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    let mut times: Vec<Duration> = (0..15).map(timed).collect();
    times.sort();
    times[times.len() / 2]
}

fn shown(time: Duration) -> String {
    let tenths = time.as_micros() / 100;
    format!("{}.{} ms", tenths / 10, tenths % 10)
}

fn lay(genesis: &Genesis) -> Result<Box<dyn garcia::engine::Match>, Finding> {
    let unknown = || Finding::new(Code::Engine, "this rule set is not known");
    let ruleset = games::find(&genesis.ruleset).ok_or_else(unknown)?;
    ruleset.open(&charter(genesis, BTreeMap::new())).map_err(|_| unknown())
}

fn read(game: &Path) -> LedgerFiles {
    LedgerFolder::of_game(game).read().expect("a ledger")
}

fn ratio(game: &str, folder: &Path) -> Vec<String> {
    let found = read(folder);
    let records: Vec<Record> = found.files.iter().map(|file| file.record.clone().expect("a record")).collect();
    let key = |record: &Record| {
        let key: Option<Id> =
            record.body().data.get("key").and_then(|key| key.as_str()).and_then(|key| key.parse().ok());
        key.map(|key| (record.body().by.clone(), key))
    };
    let keys: BTreeMap<_, _> = records.iter().filter_map(key).collect();
    let signatures = median(|| {
        let good = records.iter().all(|record| keys.get(&record.body().by).is_some_and(|key| record.is_signed_by(key)));
        assert!(good, "every signature is good");
    });

    let whole = median(|| assert!(verify(&found, &lay, &Vision::public()).divergence.is_none()));
    let from_disk = median(|| assert!(verify(&read(folder), &lay, &Vision::public()).divergence.is_none()));
    let tenths = whole.as_nanos() * 10 / signatures.as_nanos().max(1);
    let times = format!("{}.{}", tenths / 10, tenths % 10);
    vec![game.to_owned(), records.len().to_string(), shown(signatures), shown(whole), times, shown(from_disk)]
}

fn commands(game: &str, folder: &Path) -> Vec<String> {
    // The one who has the move, if the match is not over.
    let at = |who: &str| (folder.join(who).display().to_string(), folder.join("secrets").join(who));
    let mover = ["us", "spain"].into_iter().find(|who| {
        let (folder, home) = at(who);
        let template = Command::new(env!("CARGO_BIN_EXE_garcia"))
            .env("GARCIA_HOME", &home)
            .args(["-C", &folder, "template", "--output", &format!("{folder}/orders.yaml")])
            .output()
            .expect("garcia runs");
        template.status.success()
    });
    let (folder, home) = at(mover.unwrap_or("us"));
    let timed = |args: &[&str]| shown(median(|| garcia(&home, args)));
    let records = fs::read_dir(Path::new(&folder).join("ledger")).expect("a ledger").count();
    let orders = format!("{folder}/orders.yaml");
    let moves = |args: &[&str]| mover.map_or_else(String::new, |_| timed(args));
    vec![
        game.to_owned(),
        records.to_string(),
        timed(&["-C", &folder, "status"]),
        moves(&["-C", &folder, "template"]),
        moves(&["-C", &folder, "check", &orders]),
        timed(&["verify", &folder]),
    ]
}
