//! Reading records out of files, texts and mails.

use std::borrow::Cow;
use std::collections::BTreeSet;

use mail_parser::{MessageParser, MimeHeaders, PartType};

use super::openings::Openings;
use crate::trust::armour;
use crate::trust::bytes::{Id, Sig};
use crate::trust::director::Deposit;
use crate::trust::paper::Paper;
use crate::trust::record::Record;

/// The largest file that is looked into.
const MOST_BYTES: usize = 64 << 20;
/// How many complaints about one file are told.
const MOST_TROUBLES: usize = 20;
/// How many records of one file are taken, and how many bytes of them together: far more than a match has.
const MOST_RECORDS: usize = 1 << 14;
const MOST_WEIGHT: usize = 16 << 20;
/// How many papers of one file are taken.
const MOST_PAPERS: usize = 64;
/// Mails within mails, attachments within attachments.
const MOST_DEPTH: usize = 4;

/// What a file or mail held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unpacked {
    /// The records, in the order they stand, each once.
    pub records: Vec<Record>,
    /// Openings for a game master.
    pub openings: Vec<Openings>,
    /// Papers beside the ledger.
    pub papers: Vec<Paper>,
    /// Deposits for a director.
    pub deposits: Vec<Deposit>,
    /// What looked like a record and is damaged, or why nothing was found; each with what to do.
    pub troubles: Vec<String>,
    /// How many mails and texts held nothing that garcia reads.
    pub others: usize,
    /// What is among the records already: one body may come under several signatures, and not all need be good.
    seen: BTreeSet<(Id, Sig)>,
    /// How long the records are, in the same order.
    lengths: Vec<usize>,
    weight: usize,
}

impl Unpacked {
    fn add(&mut self, record: Record, length: usize) {
        if self.records.len() >= MOST_RECORDS || self.weight + length > MOST_WEIGHT {
            self.complain("there are more records in it than any match has; the rest is left alone".to_owned());
        } else if self.seen.insert((record.id(), record.sig())) {
            self.records.push(record);
            self.lengths.push(length);
            self.weight += length;
        }
    }

    /// Notes what is wrong, once, and no more than anybody reads.
    fn complain(&mut self, trouble: String) {
        if self.troubles.len() <= MOST_TROUBLES && !self.troubles.contains(&trouble) {
            self.troubles.push(trouble);
        }
    }

    /// Whether nothing in it speaks of garcia.
    fn is_foreign(&self) -> bool {
        let beside = self.openings.is_empty() && self.papers.is_empty() && self.deposits.is_empty();
        self.records.is_empty() && beside && self.troubles.is_empty()
    }

    fn merge(&mut self, other: Unpacked) {
        self.others += other.others;
        for (record, length) in other.records.into_iter().zip(other.lengths) {
            self.add(record, length);
        }
        let free = MOST_PAPERS.saturating_sub(self.openings.len());
        self.openings.extend(other.openings.into_iter().take(free));
        let free = MOST_PAPERS.saturating_sub(self.deposits.len());
        self.deposits.extend(other.deposits.into_iter().take(free));
        for paper in other.papers {
            if self.papers.len() < MOST_PAPERS && !self.papers.contains(&paper) {
                self.papers.push(paper);
            }
        }
        other.troubles.into_iter().for_each(|trouble| self.complain(trouble));
    }
}

/// All records in some bytes: a record file, armour inside any text, a mail, a mailbox.
pub fn records_in(name: &str, bytes: &[u8]) -> Unpacked {
    if bytes.len() > MOST_BYTES {
        let trouble = format!("{name} is larger than {} MiB; save the attachment alone", MOST_BYTES >> 20);
        return Unpacked { troubles: vec![trouble], ..Unpacked::default() };
    }
    let bytes = &*plain_text(bytes);
    let mut found = look_into(name, bytes, 0);
    if let (true, Some(remedy)) = (found.records.is_empty(), sealed_up(bytes)) {
        found.troubles = vec![format!("{name} is {remedy}")];
    }
    if found.is_foreign() {
        found.others = found.others.max(1);
        found.troubles.push(format!(
            "there is no record in {name}; ask for the attachment, or for the text between the BEGIN and END lines"
        ));
    }
    found
}

/// A text as editors and mail programs leave it, in UTF-8: UTF-16 is read by its mark, no-break blanks are blanks.
pub fn plain_text(bytes: &[u8]) -> Cow<'_, [u8]> {
    let wide = |read: fn([u8; 2]) -> u16| {
        let units = bytes.get(2..).unwrap_or_default().chunks_exact(2).map(|pair| read([pair[0], pair[1]]));
        char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')).collect::<String>()
    };
    let text = match bytes {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) if text.contains(['\u{a0}', '\u{202f}', '\u{2007}']) => text.to_owned(),
            _ => return Cow::Borrowed(bytes),
        },
    };
    Cow::Owned(text.replace(['\u{a0}', '\u{202f}', '\u{2007}'], " ").into_bytes())
}

fn look_into(name: &str, bytes: &[u8], depth: usize) -> Unpacked {
    if depth > MOST_DEPTH {
        return Unpacked::default();
    }
    if let Some(mails) = mailbox(bytes) {
        let mut found = Unpacked::default();
        for mail in mails {
            let inside = look_into(name, &mail, depth + 1);
            found.others += usize::from(inside.is_foreign());
            found.merge(inside);
        }
        return found;
    }
    if looks_like_mail(bytes) {
        return mail(name, bytes, depth);
    }
    text(name, bytes)
}

/// Files that hold a mail or an attachment in a form of their own, and how to get it out.
fn sealed_up(bytes: &[u8]) -> Option<&'static str> {
    let kinds: [(&[u8], &str); 3] = [
        (b"\xd0\xcf\x11\xe0", "a message in Outlook's own form; save it as .eml or text, or save its attachment"),
        (b"PK\x03\x04", "an archive; unpack it and name the file inside"),
        (b"\x1f\x8b", "a compressed file; unpack it and name the file inside"),
    ];
    kinds.iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, remedy)| *remedy)
}

/// A text: armour anywhere in it, or one record as YAML or JSON.
fn text(name: &str, bytes: &[u8]) -> Unpacked {
    let mut found = Unpacked::default();
    let bytes = &*plain_text(bytes);
    let text = String::from_utf8_lossy(bytes);
    for piece in armour::unwrap_openings(&text).into_iter().take(MOST_PAPERS) {
        match piece.map(|bytes| Openings::read(&bytes)) {
            Ok(Some(openings)) => found.openings.push(openings),
            Ok(None) => found.complain(format!("E02-CANON in {name}: these openings cannot be read")),
            Err(damaged) => found.complain(format!("E01-ARMOUR in {name}: {damaged}")),
        }
    }
    for piece in armour::unwrap_deposits(&text).into_iter().take(MOST_PAPERS) {
        match piece.map(|bytes| Deposit::read(&bytes)) {
            Ok(Some(deposit)) => found.deposits.push(deposit),
            Ok(None) => found.complain(format!("E02-CANON in {name}: this deposit cannot be read")),
            Err(damaged) => found.complain(format!("E01-ARMOUR in {name}: {damaged}")),
        }
    }
    for piece in armour::unwrap_papers(&text).into_iter().take(MOST_PAPERS) {
        match piece.map(|bytes| Paper::read(&bytes)) {
            Ok(Ok(paper)) => found.papers.push(paper),
            Ok(Err(_)) => found.complain(format!("E02-CANON in {name}: this paper cannot be read")),
            Err(damaged) => found.complain(format!("E01-ARMOUR in {name}: {damaged}")),
        }
    }
    if let (true, Ok(paper)) = (found.papers.is_empty(), Paper::read(bytes)) {
        found.papers.push(paper);
        return found;
    }
    let wrapped = armour::unwrap(&text);
    for piece in &wrapped {
        match piece {
            Err(damaged) => found.complain(format!("E01-ARMOUR in {name}: {damaged}")),
            Ok(bytes) => match Record::read(bytes) {
                Ok(record) => found.add(record, bytes.len()),
                Err(error) => found.complain(format!("E02-CANON in {name}: {error}")),
            },
        }
    }
    if wrapped.is_empty() && seems_record(&text) {
        match Record::read(bytes) {
            Ok(record) => found.add(record, bytes.len()),
            Err(error) => found.complain(format!("E02-CANON in {name}: {error}; ask for it again as an attachment")),
        }
    }
    found
}

/// Does it at least try to be a record? An unrelated text is no damaged one.
fn seems_record(text: &str) -> bool {
    let body = |line: &str| line.starts_with("body:") || line.starts_with("{\"body\"");
    text.trim_start_matches('\u{feff}').lines().take(60).any(|line| body(line.trim_start()))
}

/// Does it begin with header lines?
fn looks_like_mail(bytes: &[u8]) -> bool {
    let head = bytes.get(..bytes.len().min(4096)).unwrap_or_default();
    let text = String::from_utf8_lossy(head);
    let header = |line: &str| {
        line.split_once(':')
            .is_some_and(|(name, _)| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
    };
    let mut lines = text.lines();
    let known = [
        "received",
        "return-path",
        "from",
        "to",
        "subject",
        "date",
        "mime-version",
        "message-id",
        "delivered-to",
        "x-",
        "dkim-signature",
        "content-type",
        "reply-to",
    ];
    lines.next().is_some_and(|first| {
        let first = first.to_ascii_lowercase();
        header(&first) && known.iter().any(|known| first.starts_with(known)) && !first.starts_with("body:")
    })
}

/// The mails of an mbox file, if it is one.
fn mailbox(bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
    if !bytes.starts_with(b"From ") {
        return None;
    }
    let mut mails: Vec<Vec<u8>> = Vec::new();
    let mut blank_before = true;
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        if line.starts_with(b"From ") && blank_before {
            mails.push(Vec::new());
        } else if let Some(mail) = mails.last_mut() {
            // `>From ` at the start of a line was quoted when the mailbox was written.
            let quoted = line.iter().position(|b| *b != b'>').filter(|at| *at > 0);
            let unquote = quoted.is_some_and(|at| line.get(at..).is_some_and(|rest| rest.starts_with(b"From ")));
            mail.extend_from_slice(if unquote { line.get(1..).unwrap_or_default() } else { line });
        }
        blank_before = line.iter().all(u8::is_ascii_whitespace);
    }
    Some(mails)
}

/// A mail: attachments first, then its texts.
fn mail(name: &str, bytes: &[u8], depth: usize) -> Unpacked {
    let Some(message) = MessageParser::default().parse(bytes) else {
        return text(name, bytes);
    };
    let mut attached = Unpacked::default();
    let mut written = Unpacked::default();
    let mut pages = Vec::new();
    for part in &message.parts {
        let part_name = part
            .attachment_name()
            .map_or_else(|| name.to_owned(), |file| format!("{name}, attachment {}", plain(file)));
        match &part.body {
            PartType::Text(body) if part.attachment_name().is_some() => {
                attached.merge(look_into(&part_name, body.as_bytes(), depth + 1));
            }
            PartType::Text(body) => written.merge(text(name, body.as_bytes())),
            PartType::Binary(body) | PartType::InlineBinary(body) => {
                attached.merge(look_into(&part_name, body.as_ref(), depth + 1));
            }
            PartType::Message(inner) => attached.merge(look_into(&part_name, inner.raw_message(), depth + 1)),
            PartType::Html(body) => pages.push(body.to_string()),
            PartType::Multipart(_) => {}
        }
    }
    // A text that repeats a good attachment in a mangled form is no trouble.
    if !attached.records.is_empty() {
        written.troubles.clear();
    }
    attached.merge(written);
    if attached.records.is_empty() {
        for page in &pages {
            attached.merge(text(name, without_tags(page).as_bytes()));
        }
        if attached.records.is_empty() && attached.troubles.is_empty() && !pages.is_empty() {
            attached.troubles.push(format!(
                "{name} is an HTML mail and no record could be read out of it; ask for plain text or an attachment"
            ));
        }
    }
    attached
}

/// The text of an HTML page: tags out, line breaks in, the commonest entities read.
fn without_tags(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    let mut rest = page;
    while let Some(open) = rest.find('<') {
        text.push_str(&rest[..open]);
        let tag = &rest[open..];
        let close = tag.find('>').map_or(tag.len(), |at| at + 1);
        let word = tag[1..close.max(1)].trim_start_matches('/').to_ascii_lowercase();
        if ["br", "p", "div", "tr", "li", "pre", "blockquote"].iter().any(|name| word.starts_with(name)) {
            text.push('\n');
        }
        rest = &tag[close..];
    }
    text.push_str(rest);
    text.replace("&nbsp;", " ").replace("&#43;", "+").replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&")
}

/// A name from outside, safe to show.
fn plain(name: &str) -> String {
    name.chars().take(60).map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '?' }).collect()
}
