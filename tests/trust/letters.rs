//! What stands in a mail for people to read: never more than its reader may know.

use std::path::Path;
use std::process::Command;

use garcia::engine::json::Json;
use garcia::mail::records_in;
use garcia::trust::Role;
use garcia::trust::home::Home;
use garcia::trust::protocol::Protocol;
use garcia::trust::record::Record;
use garcia::trust::seals::is_in_state;
use mail_parser::MessageParser;

/// Every text in a value.
fn words<'a>(value: &'a Json, into: &mut Vec<&'a str>) {
    match value {
        Json::Str(text) => into.push(text),
        Json::List(items) => items.iter().for_each(|item| words(item, into)),
        Json::Map(members) => members.values().for_each(|item| words(item, into)),
        Json::Int(_) | Json::Bool(_) => {}
    }
}

/// What the records of a game say about a player's face-down units.
struct Hand {
    /// What lies face down now, by slot.
    closed: Vec<(String, Json)>,
    /// What the records of the last mail turned over; it may lie face down again since.
    turned_over: Vec<Json>,
}

fn hand(home: &Home, role: &Role, records: &[Record], mail: &[u32]) -> Hand {
    let mut protocol = Protocol::new();
    for record in records {
        protocol.take(record).expect("good");
    }
    let file = home.game(&records[0].id(), role).expect("secrets");
    let mut hand = Hand { closed: Vec::new(), turned_over: Vec::new() };
    for (slot, sealing) in protocol.seals().of_role(role).filter(|(slot, _)| is_in_state(slot)) {
        match protocol.seals().opening(role, slot, sealing.version) {
            Some(opened) if mail.contains(&opened.seq) => hand.turned_over.push(opened.value.clone()),
            Some(_) => {}
            None => {
                let value = file.value(slot, sealing.version).expect("its owner knows it");
                hand.closed.push((slot.to_string(), value.clone()));
            }
        }
    }
    hand
}

#[test]
fn a_mail_does_not_tell_what_its_writer_has_face_down() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("match");
    let output = Command::new(env!("CARGO_BIN_EXE_garcia"))
        .args(["rehearse", "santiago-campaign", &root.display().to_string(), "--mails", "8", "--home"])
        .arg(folder.path().join("secrets"))
        .output()
        .expect("garcia runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut mails: Vec<_> =
        std::fs::read_dir(root.join("mails")).expect("mails").map(|mail| mail.expect("a mail").path()).collect();
    mails.sort();
    let (mut records, mut hidden): (Vec<Record>, usize) = (Vec::new(), 0);
    for path in &mails {
        let bytes = std::fs::read(path).expect("a mail");
        let mut attached = Vec::new();
        for record in records_in("mail", &bytes).records {
            attached.push(record.body().seq);
            if record.body().seq as usize == records.len() {
                records.push(record);
            }
        }
        let writer: Role = path
            .file_stem()
            .and_then(|name| name.to_str())
            .and_then(|name| name.split_once('-'))
            .and_then(|(_, role)| role.parse().ok())
            .expect("a role");
        let home = Home::find(Some(&folder.path().join("secrets").join(writer.as_str()) as &Path)).expect("given");
        let parsed = MessageParser::default().parse(&bytes).expect("a mail");
        let letter = parsed.body_text(0).expect("a text").into_owned();
        let hand = hand(&home, &writer, &records, &attached);
        let mut seen = Vec::new();
        hand.turned_over.iter().for_each(|value| words(value, &mut seen));
        for (slot, value) in &hand.closed {
            let mut names = Vec::new();
            words(value, &mut names);
            for name in names.into_iter().filter(|name| name.contains('-') && !seen.contains(name)) {
                let told = letter.split(|c: char| !c.is_alphanumeric() && c != '-').any(|word| word == name);
                assert!(!told, "{}: {slot} is {name}, and the letter says so", path.display());
                hidden += 1;
            }
        }
    }
    assert!(hidden > 0, "there was something to be told");
}
