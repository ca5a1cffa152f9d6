//! `examples/verify.py` comes to the same as `garcia verify`, without a line of garcia in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::players::{Pair, at_random, charter_of, home, terms};
use garcia::engine::Charter;
use garcia::engine::dice::Chance;
use garcia::engine::json::Json;
use garcia::games::{self, GAMES};
use garcia::trust::Record;
use garcia::trust::home::Home;
use garcia::trust::ledger::Company;
use garcia::trust::seat::Seat;
use garcia::trust::store::{LedgerFolder, Lock};

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/verify.py")
}

/// What the script says of a folder or file; nothing if there is no Python here.
fn run(arguments: &[&Path]) -> Option<Output> {
    match Command::new("python3").arg("-B").arg(script()).args(arguments).output() {
        Ok(output) => Some(output),
        Err(error) => {
            eprintln!("SKIPPED: python3 is not installed ({error}); examples/verify.py was not tried");
            None
        }
    }
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn write(records: &[Record]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let held = Lock::take(folder.path()).expect("free");
    for record in records {
        LedgerFolder::of_game(folder.path()).add(record, &held).expect("written");
    }
    folder
}

/// Good means 4 there: records and dice are in order, and the rules are not judged.
fn good(records: &[Record], owed: bool) {
    let folder = write(records);
    let Some(output) = run(&[folder.path()]) else { return };
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    assert_eq!(said(&output).contains("W70-WAITING"), owed, "{}", said(&output));
    let range = format!("records 0-{} of {}: signatures good", records.len() - 1, records.len());
    assert!(said(&output).contains(&range), "{}", said(&output));
}

#[test]
fn the_script_accepts_solo_two_player_and_game_master_games_of_every_rule_set() {
    for ruleset in GAMES {
        let mut pair = Pair::begin(*ruleset, &Charter::default(), true, Some(2), ruleset.id());
        pair.play(14);
        let owed = pair.seats[0].ledger().protocol().owed().is_some();
        good(pair.records(), owed);
        for company in [Company::Solo, Company::Gm(Vec::new())] {
            let folder = tempfile::tempdir().expect("a folder");
            let home: Home = home(&folder);
            let table = ruleset.open(&Charter::default()).expect("a table");
            let mut seat =
                Seat::begin(table, company, terms(&Charter::default(), true, Some(1)), &home).expect("begun");
            let mut chance = Chance::new(ruleset.id());
            for _ in 0..5 {
                let Some(side) = seat.to_decide() else { break };
                let said = at_random(seat.ledger(), side, &mut chance);
                seat.send(&said).expect("sent");
                seat.advance().expect("closed");
            }
            good(seat.ledger().records(), false);
        }
    }
}

#[test]
fn the_script_reads_plans_and_armour_and_names_the_culprit() {
    let ruleset = games::find("lone-warrior").expect("a game");
    let mut pair = Pair::begin(ruleset, &charter_of("el-caney", &[("flow", "plan")]), true, Some(1), "python");
    pair.play(16);
    let records = pair.records();
    let folder = tempfile::tempdir().expect("a folder");
    let mail = folder.path().join("mail.txt");
    let quoted = |text: &str| text.lines().map(|line| format!("> {line}  \r\n")).collect::<String>();
    let text: String = records.iter().map(|record| quoted(&record.armoured())).collect();
    std::fs::write(&mail, format!("Dear Sir,\r\n\r\n{text}\r\nYours")).expect("written");
    let Some(output) = run(&[&mail]) else { return };
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));

    let with_rolls = |record: &Record| record.body().data.pointer("/rolls/0/faces/0").is_some();
    let at = records.iter().position(with_rolls).expect("dice");
    let by = records[at].body().by.clone();
    let which = pair.seats.iter().position(|seat| *seat.role() == by).expect("a seat");
    let key = home(&pair.homes[which]).identity().expect("a key");
    let mut body = records[at].body().clone();
    let face = body.data.pointer_mut("/rolls/0/faces/0").expect("a face");
    *face = Json::Int(face.as_int().expect("a number") % 10 + 1);
    let mut forged = records[..at].to_vec();
    forged.push(Record::sign(body, &key).expect("signed"));
    let Some(output) = run(&[write(&forged).path()]) else { return };
    let report = said(&output);
    assert_eq!(output.status.code(), Some(1), "{report}");
    for part in [&format!("record {at}, result, signed by {by}"), "E30-ROLL", &format!("fault: {by}")] {
        assert!(report.contains(part), "{part}: {report}");
    }

    // What is signed need not even have the right shape: that is a breach, and nothing the script stumbles over.
    let mut body = records[at].body().clone();
    *body.data.pointer_mut("/link").expect("a link") = Json::List(vec![Json::from("x")]);
    let mut shapeless = records[..at].to_vec();
    shapeless.push(Record::sign(body, &key).expect("signed"));
    let Some(output) = run(&[write(&shapeless).path()]) else { return };
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains(&format!("fault: {by}")), "{}", said(&output));

    let mut json = records[2].to_json();
    *json.pointer_mut("/body/data/state").expect("a state") = Json::from("0".repeat(64));
    let mut damaged = records.to_vec();
    damaged[2] = Record::from_json(&json).expect("well-formed");
    let Some(output) = run(&[write(&damaged).path()]) else { return };
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("E03-SIG"), "{}", said(&output));
}
