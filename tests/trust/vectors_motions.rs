//! The published vectors of motions, seats and directors, made by another program; each recomputed, each breach found.

use std::path::PathBuf;
use std::process::Command;

use garcia::trust::chain::before;
use garcia::trust::data::Genesis;
use garcia::trust::director::Deposit;
use garcia::trust::finding::{Code, Finding};
use garcia::trust::key;
use garcia::trust::motion::rekey_proof;
use garcia::trust::paper::Paper;
use garcia::trust::replay::Vision;
use garcia::trust::store::{LedgerFile, LedgerFiles};
use garcia::trust::verify::{Verification, verify};
use garcia::trust::{Id, Record, Role, Sig};
use serde_json::Value;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../vectors/motion_vectors.json")).expect("JSON")
}

fn records(value: &Value) -> Vec<Record> {
    let texts = value.as_array().expect("a list");
    texts.iter().map(|text| Record::read(text.as_str().expect("a text").as_bytes()).expect("a record")).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn id(value: &Value) -> Id {
    text(value).parse().expect("an id")
}

/// Several records for one place have names of their own.
fn name(at: usize, record: &Record) -> String {
    format!("{:04}-{}-{}-{at}.yaml", record.body().seq, record.body().by, record.body().kind)
}

fn judged(records: &[Record]) -> Verification {
    let file = |(at, record): (usize, &Record)| LedgerFile {
        name: name(at, record),
        seq: record.body().seq,
        record: Ok(record.clone()),
    };
    let mut files: Vec<LedgerFile> = records.iter().enumerate().map(file).collect();
    files.sort_by_key(|file| file.seq);
    let unknown = |_: &Genesis| Err(Finding::new(Code::Engine, "a game without rules"));
    verify(&LedgerFiles { files, problems: vec![] }, &unknown, &Vision::public())
}

/// Exit code and words of the script; none where there is no Python.
fn script(records: &[Record]) -> Option<(i32, String)> {
    let folder = tempfile::tempdir().expect("a folder");
    for (at, record) in records.iter().enumerate() {
        std::fs::write(folder.path().join(name(at, record)), record.to_yaml()).expect("written");
    }
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/verify.py");
    let output = Command::new("python3").arg(path).arg(folder.path()).output().ok()?;
    Some((output.status.code()?, String::from_utf8_lossy(&output.stdout).into_owned()))
}

#[test]
fn the_game_with_motions_is_good_and_tells_them() {
    let vectors = vectors();
    let records = records(&vectors["records"]);
    for (record, expected) in records.iter().zip(vectors["ids"].as_array().expect("ids")) {
        assert_eq!(record.id(), id(expected), "{}", record.file_name());
    }
    let verification = judged(&records);
    assert_eq!(verification.divergence, None, "{}", verification.report(""));
    let said = verification.report("");
    for code in ["W72-VOID", "W77-PAPER", "W75-SEAT", "signed with the recovery key", "the director closed for spain"] {
        assert!(said.contains(code), "{code}: {said}");
    }
    if let Some((code, said)) = script(&records) {
        assert_eq!(code, 4, "{said}");
    }
}

#[test]
fn each_breach_is_found_by_both_verifiers_with_record_code_and_culprit() {
    let vectors = vectors();
    for breach in vectors["breaches"].as_array().expect("breaches") {
        let (words, records) = (text(&breach["name"]), records(&breach["records"]));
        let verification = judged(&records);
        let found = verification.divergence.as_ref().unwrap_or_else(|| panic!("{words}: {}", verification.report("")));
        let fault = found.finding.fault.as_ref().map(Role::as_str);
        let expected = (breach["seq"].as_u64(), text(&breach["code"]), breach["fault"].as_str());
        assert_eq!((Some(u64::from(found.seq)), found.finding.code.as_str(), fault), expected, "{words}");
        if let Some((code, said)) = script(&records) {
            assert_eq!(code, if fault.is_some() { 1 } else { 2 }, "{words}: {said}");
            let blame = format!("fault: {}", fault.unwrap_or("nobody"));
            assert!(said.contains(text(&breach["code"])) && said.contains(&blame), "{words}: {said}");
        }
    }
}

#[test]
fn the_proof_of_a_new_key_a_paper_and_a_deposit() {
    let vectors = vectors();
    let rekey = &vectors["rekey"];
    let (role, new): (Role, Id) = (text(&rekey["role"]).parse().expect("a role"), id(&rekey["key"]));
    let signed = rekey_proof(&id(&rekey["game"]), &role, &new, &id(&rekey["prev"]));
    let proof: Sig = text(&rekey["proof"]).parse().expect("a signature");
    assert_eq!(signed, id(&rekey["hash"]));
    assert!(key::verify(&new, &signed, &proof));
    let paper = Paper::read(text(&vectors["paper"]["json"]).as_bytes()).expect("a paper");
    assert_eq!(paper.id(), id(&vectors["paper"]["id"]));
    assert!(paper.is_signed_by(&new), "signed with the new key");
    let left = &vectors["deposit"];
    let deposit = Deposit::read(text(&left["json"]).as_bytes()).expect("a deposit");
    assert_eq!(deposit.to_json().to_string(), text(&left["json"]));
    let used = u32::try_from(left["used"].as_u64().expect("a number")).expect("small");
    let mut link = deposit.link;
    for (at, expected) in
        (used..=deposit.index).zip(left["links"].as_array().expect("links")).collect::<Vec<_>>().iter().rev()
    {
        assert_eq!(link, id(expected), "link {at}");
        link = before(&deposit.role, *at, &link);
    }
}
