//! Mails as the common mail programs write them, and mails nobody should write: records come out, nothing falls over.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use garcia::mail::{Unpacked, records_in};
use garcia::trust::record::Record;
use garcia::trust::{armour, yaml};
use proptest::prelude::*;

/// The limit for any input, in a debug build on a busy machine; a release build takes a hundredth of it.
const A_MOMENT: Duration = Duration::from_secs(10);

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/mail")
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The records of the published test game.
fn game() -> Vec<Record> {
    let vectors: serde_json::Value =
        serde_json::from_str(include_str!("../vectors/protocol_vectors.json")).expect("JSON");
    let records = vectors["records"].as_array().expect("records");
    records.iter().map(|r| Record::read(r.as_str().expect("a text").as_bytes()).expect("a record")).collect()
}

/// Whether a terminal shows the character as it is: no control, nothing invisible, nothing that turns the line around.
fn is_plain(c: char) -> bool {
    matches!(c, '\n' | '"' | '\'' | '\\') || c.escape_debug().eq([c])
}

/// Reads in a moment, and says nothing that could upset a terminal.
fn read(name: &str, bytes: &[u8]) -> Unpacked {
    let start = Instant::now();
    let found = records_in(name, bytes);
    assert!(start.elapsed() < A_MOMENT, "{name} took {:?}", start.elapsed());
    for trouble in &found.troubles {
        assert!(trouble.chars().all(is_plain), "{trouble:?}");
    }
    found
}

#[track_caller]
fn holds(name: &str, numbers: &[usize]) {
    let (found, game) = (read(name, &fixture(name)), game());
    let expected: Vec<Record> = numbers.iter().map(|number| game[*number].clone()).collect();
    assert_eq!(found.records, expected, "{name}: {:?}", found.troubles);
    assert!(found.troubles.is_empty(), "{name}: {:?}", found.troubles);
    // Line ends are changed on the way by some.
    let text: Vec<u8> = fixture(name).into_iter().filter(|byte| *byte != b'\r').collect();
    assert_eq!(read(name, &text).records, expected, "{name} with other line ends");
}

#[test]
fn thunderbird_attaches_pastes_and_quotes() {
    holds("thunderbird-attachment.eml", &[5, 6]);
    holds("thunderbird-pasted-flowed.eml", &[4]);
    holds("thunderbird-reply-quoted.eml", &[4, 5]);
}

#[test]
fn outlook_attaches_beside_two_forms_of_the_text_or_writes_html_alone() {
    holds("outlook-attachment.eml", &[4]);
    holds("outlook-html-only.eml", &[4]);
    let own_form = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and so on";
    let found = read("turn.msg", own_form);
    assert!(found.troubles.iter().any(|trouble| trouble.contains("Outlook") && trouble.contains(".eml")));
}

#[test]
fn gmail_breaks_lines_and_quotes_them() {
    holds("gmail-pasted.eml", &[4]);
    holds("gmail-reply-wrapped.eml", &[5]);
}

#[test]
fn apple_mail_puts_attachments_between_texts_and_makes_dashes_long() {
    holds("apple-mail-attachment.eml", &[5]);
    holds("apple-mail-clever-dashes.eml", &[4]);
}

#[test]
fn lists_signatures_and_forwarded_mails_are_looked_into() {
    holds("mailing-list-signed.eml", &[4]);
    holds("forwarded.eml", &[4]);
}

#[test]
fn a_mailbox_gives_every_record_once() {
    holds("folder.mbox", &[5, 4]);
}

#[test]
fn an_html_mail_without_a_record_gets_a_clear_answer() {
    let found = read("html-without-record.eml", &fixture("html-without-record.eml"));
    assert!(found.records.is_empty());
    assert!(found.troubles[0].contains("HTML mail") && found.troubles[0].contains("attachment"), "{found:?}");
}

#[test]
fn names_of_attachments_are_words_and_nothing_more() {
    let found = read("harmful-names.eml", &fixture("harmful-names.eml"));
    assert_eq!(found.records, vec![game()[4].clone()]);
    // The damaged one and the bomb are named; where they wanted to go is a word, and nothing went there.
    assert!(found.troubles.iter().any(|trouble| trouble.contains("E01-ARMOUR")), "{:?}", found.troubles);
    assert!(found.troubles.iter().any(|trouble| trouble.contains("E02-CANON")), "{:?}", found.troubles);
}

#[test]
fn bombs_do_not_go_off() {
    let lines: String = (0..40).map(|n| format!("a{n}: &a{n} [*a{n}, *a{n}]\n")).collect();
    assert!(Record::read(format!("body:\n{lines}").as_bytes()).is_err());
    let deep = format!("body: {}{}", "[".repeat(500_000), "]".repeat(500_000));
    read("deep.yaml", deep.as_bytes());
    let deep = "- ".repeat(400_000);
    assert!(yaml::read(deep.as_bytes()).is_err());
    read("deep.json", format!("{{\"body\":{}", "{\"a\":".repeat(150_000)).as_bytes());
    for number in ["9007199254740992", "-9007199254740993", "99999999999999999999999999", "1e400"] {
        let record =
            String::from_utf8(game()[4].to_bytes()).expect("text").replace("\"seq\":4", &format!("\"seq\":{number}"));
        assert!(read("n.json", record.as_bytes()).records.is_empty(), "{number}");
    }
    // A mail within a mail within a mail.
    let mut mail = b"Subject: x\r\n\r\nbody: 1\r\n".to_vec();
    for level in 0..200 {
        let mut outer = format!(
            "Subject: {level}\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b{level}\r\n\r\n--b{level}\r\nContent-Type: message/rfc822\r\n\r\n"
        )
        .into_bytes();
        outer.extend_from_slice(&mail);
        outer.extend_from_slice(format!("\r\n--b{level}--\r\n").as_bytes());
        mail = outer;
    }
    read("russian-dolls.eml", &mail);
    // Many beginnings and no end.
    read("begin.txt", "-----BEGIN GARCIA RECORD-----\n".repeat(30_000).as_bytes());
    read("tags.eml", format!("Subject: x\r\nContent-Type: text/html\r\n\r\n{}", "<p <".repeat(200_000)).as_bytes());
    read("from.mbox", "From a\n\n".repeat(100_000).as_bytes());
    read("headers.eml", "Received: x\r\n".repeat(100_000).as_bytes());
}

#[test]
fn words_that_are_no_record_are_shown_without_their_tricks() {
    let told = |trick: &str| {
        let mail = format!("Subject: turn\r\n\r\nbody:\r\n  Aqu\u{ed} {trick} est\u{e1}: 1\r\nsig: x\r\n");
        let found = read("tricks.eml", mail.as_bytes());
        assert!(found.records.is_empty());
        found.troubles.join("\n")
    };
    let words = told("\u{202e}");
    assert!(words.contains("Aqu\u{ed} \\u{202e}"), "{words}");
    let words = told("\u{1b}]0;x\u{7}");
    assert!(words.contains("control character") && !words.contains(['\u{1b}', '\u{7}']), "{words}");
}

/// All fixtures, to be mangled.
fn mails() -> Vec<Vec<u8>> {
    let mut names: Vec<PathBuf> =
        fs::read_dir(folder()).expect("fixtures").map(|entry| entry.expect("an entry").path()).collect();
    names.sort();
    names.iter().map(|path| fs::read(path).expect("a fixture")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn a_mangled_mail_gives_true_records_or_none(
        which in 0usize..14,
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0usize..5), 1..12),
    ) {
        let mails = mails();
        let mut mail = mails[which % mails.len()].clone();
        for (at, byte, how) in edits {
            if mail.is_empty() { break }
            let at = at.index(mail.len());
            match how {
                0 => mail[at] = byte,
                1 => drop(mail.remove(at)),
                2 => mail.insert(at, byte),
                3 => mail.truncate(at),
                _ => { let piece = mail[at..].to_vec(); mail.extend(piece.into_iter().take(400)); }
            }
        }
        // Armour has a checksum; YAML has none, but then the signature no longer fits.
        let known = game();
        for record in read("mangled", &mail).records {
            let genuine = known.contains(&record);
            let signed = ["us", "spain"].iter().zip([0, 1]).any(|(_, at)| {
                let key = known[at].body().data.get("key").and_then(|key| key.as_str()).and_then(|key| key.parse().ok());
                key.is_some_and(|key| record.is_signed_by(&key))
            });
            prop_assert!(genuine || !signed);
        }
    }

    #[test]
    fn no_bytes_make_a_reader_fall_over(bytes in prop::collection::vec(any::<u8>(), 0..3000)) {
        read("bytes", &bytes);
        let _ = Record::read(&bytes);
        let _ = yaml::read(&bytes);
        armour::unwrap(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_text_of_the_right_letters_makes_a_reader_fall_over(text in "[a-z:\\-\\[\\]{}\"' \n#,&*!|>0-9]{0,400}") {
        let start = Instant::now();
        let _ = Record::read(text.as_bytes());
        let _ = Record::read(format!("body:\n  {text}").as_bytes());
        read("text", format!("body: {text}").as_bytes());
        read("armour", format!("-----BEGIN GARCIA RECORD-----\n{text}\n-----END GARCIA RECORD {text}-----").as_bytes());
        prop_assert!(start.elapsed() < A_MOMENT);
    }
}
