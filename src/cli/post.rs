//! What comes in and goes out: mails read and made, and what a verb that took or made records answers.

use std::fs;
use std::path::{Path, PathBuf};

use crate::mail::{Openings, records_in};
use crate::trust::director::Deposit;
use crate::trust::paper::Paper;
use crate::trust::record::Record;

use super::folder::{GameFolder, Told};
use super::{Done, Trouble, World, exit};

/// How many damaged texts of a mailbox are named.
const COMPLAINTS: usize = 3;

/// A mail that was made.
pub struct Posted {
    /// The files, one mail each.
    pub files: Vec<PathBuf>,
    /// Who gets it.
    pub to: String,
    /// Its subject.
    pub subject: String,
    /// The records in it.
    pub records: Vec<String>,
    /// What goes to a private game master, and to nobody else.
    pub openings: Option<PathBuf>,
    /// What goes to the director, and to nobody else.
    pub deposit: Option<PathBuf>,
    /// Whether a mail program opens it.
    pub draft: bool,
}

impl Posted {
    /// What to do with it.
    pub fn tell(&self) -> String {
        let mut text = format!("Mail this to {}:\n", self.to);
        for file in &self.files {
            text.push_str(&format!("  {}\n", file.display()));
        }
        text.push_str(&format!("  carries {}\n", self.records.join(", ")));
        text.push_str(&match self.draft {
            true => "Your mail program opens it: put in the address and send it.\n".to_owned(),
            false => {
                format!("  subject {}\nAttach the file or paste its text; garcia sends nothing itself.\n", self.subject)
            }
        });
        if let Some(openings) = &self.openings {
            text.push_str(&format!(
                "To the game master alone, never to the other player: {}\n  it opens what you sealed.\n",
                openings.display()
            ));
        }
        if let Some(deposit) = &self.deposit {
            text.push_str(&format!(
                "To the director alone: {}\n  with it he can finish for you if you fall silent; copy the mail to him as well.\n",
                deposit.display()
            ));
        }
        text
    }
}

/// What came in: records, openings for a game master, and what could not be read.
#[derive(Default)]
pub struct Arrived {
    /// The records.
    pub records: Vec<Record>,
    /// Openings.
    pub openings: Vec<Openings>,
    /// Papers.
    pub papers: Vec<Paper>,
    /// Deposits for a director.
    pub deposits: Vec<Deposit>,
    /// What is damaged.
    pub troubles: Vec<String>,
    /// How many mails and texts held nothing of garcia's.
    pub others: usize,
}

/// The files that were named, and those in folders that were named: a Maildir, or a folder of saved mails.
pub fn mails_in(named: &[PathBuf]) -> Result<Vec<PathBuf>, Trouble> {
    let mut files = Vec::new();
    for path in named {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let maildir = path.join("cur").is_dir() && path.join("new").is_dir();
        let folders = if maildir { vec![path.join("cur"), path.join("new")] } else { vec![path.clone()] };
        for folder in folders {
            let entries = fs::read_dir(&folder).map_err(|error| Trouble::unreadable(&folder, &error))?;
            // Regular files only: a pipe would be waited for, a link may lead anywhere.
            let mails =
                entries.filter_map(Result::ok).filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
            let mut mails: Vec<PathBuf> = mails.map(|entry| entry.path()).collect();
            mails.sort();
            files.append(&mut mails);
        }
    }
    Ok(files)
}

/// Reads what is in many mails, most of which are none of ours.
pub fn read_all_mail(files: &[PathBuf]) -> Result<Arrived, Trouble> {
    let mut arrived = Arrived::default();
    for path in files {
        let bytes = bytes_of(path)?;
        let found = records_in(&path.display().to_string(), &bytes);
        arrived.others += found.others;
        if !found.records.is_empty() || !found.openings.is_empty() || found.others == 0 {
            arrived.troubles.extend(found.troubles);
        }
        arrived.records.extend(found.records);
        arrived.openings.extend(found.openings);
        arrived.papers.extend(found.papers);
        arrived.deposits.extend(found.deposits);
    }
    // In a mailbox many texts only look like records; a few of them show what is meant.
    let more = arrived.troubles.len().saturating_sub(COMPLAINTS);
    if more > 1 {
        arrived.troubles.truncate(COMPLAINTS);
        arrived.troubles.push(format!("… and {more} more texts that hold no whole record"));
    }
    Ok(arrived)
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, Trouble> {
    let bytes = if path.as_os_str() == "-" { read_all(std::io::stdin().lock()) } else { fs::read(path) };
    bytes.map_err(|error| Trouble::unreadable(path, &error))
}

/// Reads records out of files; `-` is standard input.
pub fn read_mail(files: &[PathBuf]) -> Result<Arrived, Trouble> {
    let mut arrived = Arrived::default();
    for path in files {
        let name = path.display().to_string();
        let bytes = bytes_of(path)?;
        let found = records_in(&name, &bytes);
        if found.records.is_empty() && is_order_file(&bytes) {
            let what = format!("{name} is an order file, not a record");
            let remedy = format!(
                "whoever wrote it signs it with `garcia send`; a game master enters it: `garcia resolve {name}`"
            );
            return Err(Trouble::usage(what, remedy));
        }
        arrived.records.extend(found.records);
        arrived.openings.extend(found.openings);
        arrived.papers.extend(found.papers);
        arrived.deposits.extend(found.deposits);
        arrived.troubles.extend(found.troubles);
    }
    if arrived.records.is_empty() && arrived.openings.is_empty() && !arrived.troubles.is_empty() {
        let what = arrived.troubles.join("; ");
        return Err(Trouble::new(exit::NOBODY, what, "nothing was changed; nobody is to blame"));
    }
    Ok(arrived)
}

/// Does it look like what a player writes, rather than what garcia signs?
fn is_order_file(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let has = |word: &str| text.lines().any(|line| line.starts_with(word));
    has("packet:") && has("side:")
}

fn read_all(mut from: impl std::io::Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The answer of a verb that made or took records.
pub fn answer(
    folder: &GameFolder,
    notes: &str,
    told: Option<&Told>,
    posted: Option<&Posted>,
    world: &World,
) -> Result<Done, Trouble> {
    if world.json {
        let awaited = folder.seat.ledger().awaited();
        return Done::json(&serde_json::json!({
            "ok": true,
            "game": folder.seat.ledger().protocol().game(),
            "role": folder.seat.role().as_str(),
            "records": folder.seat.ledger().records().len(),
            "mail": posted.map(|posted| posted.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>()),
            "reports": told.map(|told| told.for_sides.iter().map(|file| file.display().to_string()).collect::<Vec<_>>()),
            "decide": folder.seat.to_decide().map(|side| side.as_str()),
            "awaited": awaited.who().map(|who| who.as_str()),
            "notes": notes.lines().collect::<Vec<_>>(),
        }));
    }
    let mut text = notes.to_owned();
    if let Some(told) = told {
        text.push_str(&crate::report::terminal(&told.page, world.look));
        text.push('\n');
        if !told.for_sides.is_empty() {
            let files: Vec<String> = told.for_sides.iter().map(|file| file.display().to_string()).collect();
            text.push_str(&format!("A report for each side: {}\n", files.join(", ")));
        }
    }
    match posted {
        Some(posted) => text.push_str(&posted.tell()),
        None if folder.holds_back() => {
            let owed: Vec<String> = folder.seat.outgoing().iter().map(Record::file_name).collect();
            let owed = owed.join(", ");
            text.push_str(&format!("Signed here and kept for one mail with your orders: {owed}\n"));
        }
        None => {}
    }
    text.push_str(&folder.next());
    Ok(Done::good(text))
}
