//! Every conformance case of every game, and the claim that they show every clause.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use garcia::cases::{Case, case_files, coverage, read_cases, run_files};
use garcia::engine::Ruleset;
use garcia::engine::doc::DocPath;
use garcia::engine::rules::RuleBook;
use garcia::games::{GAMES, find};
use garcia::report::Look;

fn folder(game: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance").join(game)
}

fn files(game: &str) -> Vec<PathBuf> {
    case_files(&[folder(game)]).expect("the folder of the cases")
}

/// Runs the cases of one game and holds them against its rules.
fn conforms(id: &str) {
    let game: &dyn Ruleset = find(id).expect("a game");
    let files = files(id);
    let suite = run_files(GAMES, &files).expect("the case files");
    let failures: String = suite.cases.iter().map(|case| case.text()).filter(|text| text.starts_with("FAIL")).collect();
    assert!(suite.is_good(), "{failures}{}", suite.text(Look::PLAIN).lines().last().unwrap_or_default());
    assert!(suite.cases.iter().all(|case| case.game == id), "a case of another game lies in the folder of {id}");

    let (read, _) = read_cases(&files).expect("the case files");
    let rules = RuleBook::read(game.about().rules).expect("rules.yaml");
    let coverage = coverage(&rules, read.iter().map(|(file, _)| file));
    assert!(coverage.is_complete(), "{}", coverage.text());

    let idle: Vec<&str> = read
        .iter()
        .flat_map(|(file, _)| &file.cases)
        .filter(|case| expects_nothing(case))
        .map(|case| case.name.as_str())
        .collect();
    assert!(idle.is_empty(), "these cases would pass if nothing at all happened: {idle:#?}");
}

/// Cases are read by people and by other programs: what one says today it says for good. `as-read.txt` has the
/// fingerprint of the text of every case there was when the format first grew, and of what was read from it.
#[test]
fn a_case_that_was_read_before_the_format_grew_means_the_same() {
    let known: BTreeMap<&str, &str> =
        include_str!("conformance/as-read.txt").lines().filter_map(|line| line.split_once(' ')).collect();
    let (read, _) = read_cases(&files("")).expect("the case files");
    let mut met = 0;
    for (file, source) in &read {
        let start = |index: usize| source.span(&DocPath::root().key("cases").index(index)).0;
        for (index, case) in file.cases.iter().enumerate() {
            let end = if index + 1 < file.cases.len() { start(index + 1) } else { source.text.len() };
            let text = source.text.get(start(index)..end).expect("the text of the case");
            let Some(meant) = known.get(fingerprint(text).as_str()) else { continue };
            let means = serde_json::to_string(case).expect("a case is plain data");
            assert_eq!(*meant, fingerprint(&means), "{} is read otherwise: {means}", case.name);
            met += 1;
        }
    }
    assert!(met > 500, "only {met} of {} cases stand as they were", known.len());
}

/// FNV-1a.
fn fingerprint(text: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

#[test]
fn the_example_in_the_guide_passes() {
    let guide = include_str!("../docs/cases.md");
    let example = guide.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("example.yaml");
    std::fs::write(&path, example).expect("written");
    let suite = run_files(GAMES, &[path]).expect("the example");
    assert!(suite.is_good() && !suite.cases.is_empty(), "{}", suite.text(Look::PLAIN));
}

/// Whether every expectation of a case would be met by an empty journal.
fn expects_nothing(case: &Case) -> bool {
    case.packets().iter().all(|(packet, _)| packet.expect.as_ref().is_none_or(|expect| expect.expects_nothing()))
}

#[test]
fn santiago_1898_plays_by_its_rules() {
    conforms("santiago-1898");
}

#[test]
fn lone_warrior_plays_by_its_rules() {
    conforms("lone-warrior");
}

#[test]
fn santiago_campaign_plays_by_its_rules() {
    conforms("santiago-campaign");
}

#[test]
fn splendid_little_war_plays_by_its_rules() {
    conforms("splendid-little-war");
}

#[test]
fn end_of_empire_plays_by_its_rules() {
    conforms("end-of-empire");
}

#[test]
fn every_game_has_a_conformance_test_here() {
    let tested = include_str!("conformance.rs");
    for game in GAMES {
        assert!(tested.contains(&format!("conforms(\"{}\")", game.id())), "{} has none", game.id());
    }
}

#[test]
fn every_folder_of_cases_belongs_to_a_game() {
    let all = folder("");
    for entry in std::fs::read_dir(&all).expect("the folder of the cases") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            assert!(find(name).is_some(), "{} is no game", path.display());
        }
    }
}
