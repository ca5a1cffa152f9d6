//! Mails as the common mail programs write them.

use super::*;
use crate::trust::record::Record;

fn sample() -> Vec<Record> {
    let vectors: serde_json::Value =
        serde_json::from_str(include_str!("../../tests/vectors/protocol_vectors.json")).expect("JSON");
    let records = vectors["records"].as_array().expect("records");
    records.iter().map(|r| Record::read(r.as_str().expect("a text").as_bytes()).expect("a record")).collect()
}

fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for (n, chunk) in bytes.chunks(3).enumerate() {
        if n > 0 && n % 19 == 0 {
            out.push_str("\r\n");
        }
        let bits = u32::from(chunk[0]) << 16
            | u32::from(*chunk.get(1).unwrap_or(&0)) << 8
            | u32::from(*chunk.get(2).unwrap_or(&0));
        for k in 0..4 {
            let sign = SIGNS[(bits >> (18 - 6 * k) & 63) as usize];
            out.push(if k <= chunk.len() { char::from(sign) } else { '=' });
        }
    }
    out
}

#[test]
fn a_draft_can_be_read_back_with_every_record_in_it() {
    let records = sample();
    let draft = Draft { records: &records[4..6], body: "Dear García,\nthe report = above.\n\nYours", page: None };
    let found = records_in("draft.eml", draft.eml().as_bytes());
    assert_eq!(found.records, records[4..6].to_vec());
    assert!(found.troubles.is_empty(), "{:?}", found.troubles);
    let found = records_in("pasted.txt", draft.pasted().as_bytes());
    assert_eq!(found.records, records[4..6].to_vec());
}

#[test]
fn a_record_file_is_a_record_whether_yaml_or_json() {
    let record = &sample()[5];
    assert_eq!(records_in("r.yaml", record.to_yaml().as_bytes()).records, vec![record.clone()]);
    assert_eq!(records_in("r.json", &record.to_bytes()).records, vec![record.clone()]);
}

#[test]
fn quoting_crlf_and_signatures_do_not_matter() {
    let records = sample();
    let mut mail = String::from(
        "Received: from x\r\nFrom: a@b.example\r\nTo: c@d.example\r\nSubject: Re: turn\r\n\r\nHi,\r\nas you wrote:\r\n",
    );
    for line in records[4].armoured().lines().chain(records[5].armoured().lines()) {
        mail.push_str(&format!("> > {line}  \r\n"));
    }
    mail.push_str("-- \r\nShafter\r\n");
    assert_eq!(records_in("reply.eml", mail.as_bytes()).records, records[4..6].to_vec());
}

#[test]
fn attachments_come_out_of_base64_and_quoted_printable() {
    let record = &sample()[4];
    let encoded = base64(record.to_yaml().as_bytes());
    let mail = format!(
        "From: a@b.example\r\nSubject: turn\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"xx\"\r\n\r\n\
         --xx\r\nContent-Type: text/plain\r\n\r\nsee attached\r\n\
         --xx\r\nContent-Type: application/octet-stream; name=\"0004-us-orders.yaml\"\r\n\
         Content-Disposition: attachment; filename=\"0004-us-orders.yaml\"\r\nContent-Transfer-Encoding: base64\r\n\r\n{encoded}\r\n--xx--\r\n"
    );
    assert_eq!(records_in("m.eml", mail.as_bytes()).records, vec![record.clone()]);
    let soft: String = record
        .armoured()
        .lines()
        .map(|line| {
            let (a, b) = line.split_at(line.len() / 2);
            format!("{a}=\r\n{b}\r\n")
        })
        .collect();
    let mail = format!(
        "From: a@b.example\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n{}",
        soft.replace("-----=", "-----=3D").replace("-----=3D", "-----=")
    );
    assert_eq!(records_in("qp.eml", mail.as_bytes()).records, vec![record.clone()]);
}

#[test]
fn an_html_mail_is_read_if_it_can_be_and_answered_if_not() {
    let record = &sample()[4];
    let page: String = record.armoured().lines().map(|line| format!("<div>{line}</div>")).collect();
    let mail = |body: &str| {
        format!(
            "From: a@b.example\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<html><body>{body}</body></html>\r\n"
        )
    };
    assert_eq!(records_in("h.eml", mail(&page).as_bytes()).records, vec![record.clone()]);
    let found = records_in("h.eml", mail("<p>my turn is in the picture</p>").as_bytes());
    assert!(found.records.is_empty());
    assert!(found.troubles.iter().any(|trouble| trouble.contains("HTML mail")), "{:?}", found.troubles);
}

#[test]
fn a_mailbox_gives_the_records_of_all_its_mails_once() {
    let records = sample();
    let mail = |record: &Record| {
        format!(
            "From a@b.example Mon Jun 22 1898\nFrom: a@b.example\nSubject: x\n\n{}\n>From the front\n\n",
            record.armoured()
        )
    };
    let mbox = format!("{}{}{}", mail(&records[4]), mail(&records[5]), mail(&records[4]));
    assert_eq!(records_in("inbox.mbox", mbox.as_bytes()).records, records[4..6].to_vec());
}

#[test]
fn damage_is_told_and_nobody_is_blamed() {
    let armoured = sample()[4].armoured();
    let at = armoured.find('\n').expect("lines") + 10;
    let mut damaged = armoured.clone();
    let other = if &damaged[at..=at] == "A" { "B" } else { "A" };
    damaged.replace_range(at..=at, other);
    let found = records_in("m.txt", damaged.as_bytes());
    assert!(found.records.is_empty());
    assert!(found.troubles.iter().any(|trouble| trouble.contains("E01-ARMOUR")), "{:?}", found.troubles);
    let found = records_in("note.txt", b"no turn today");
    assert!(found.troubles.iter().any(|trouble| trouble.contains("no record")), "{:?}", found.troubles);
}

proptest::proptest! {
    #[test]
    fn no_mail_makes_the_reader_fall_over(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..2000)) {
        records_in("fuzz", &bytes);
        let mut mail = b"From: a@b.example\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n".to_vec();
        mail.extend_from_slice(&bytes);
        records_in("fuzz.eml", &mail);
    }
}
