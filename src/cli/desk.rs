//! A player's desk: his seat at a game between two, the ledger folder under lock, what goes out and what came early.

use std::fs;
use std::path::{Path, PathBuf};

use crate::engine::Window;
use crate::mail::{Draft, records_in, subject};
use crate::report::{Page, markdown, picture_text};
use crate::trust::record::{Kind, Record};
use crate::trust::seat::{Awaited, Seat};
use crate::trust::store::{LedgerFolder, Lock, Readers, write_whole};

use super::campaign::{self, Campaign, Eyes};
use super::resolve::report_path;
use super::{Done, Trouble, World, exit, report};

/// Where the mails lie that were made here.
pub const OUTBOX: &str = "outbox";
/// Where records wait for one that is missing before them.
const INBOX: &str = "inbox";

/// A desk.
pub struct Desk {
    /// The game folder.
    pub folder: PathBuf,
    /// The seat.
    pub seat: Seat,
    held: Lock,
    /// How many records the ledger folder held when the desk was opened.
    before: usize,
}

impl Desk {
    /// Sits down in the game folder in hand.
    pub fn open(world: &World) -> Result<Desk, Trouble> {
        let folder = campaign::find(world)?;
        let held = Lock::take(&folder)?;
        let records = campaign::records(&folder)?;
        let before = records.len();
        let home = campaign::home(world)?;
        let seat = Seat::open(records, &|genesis| campaign::lay(&folder, genesis), &home)?;
        Ok(Desk { folder, seat, held, before })
    }

    /// A desk whose seat was just taken.
    pub fn of(folder: PathBuf, seat: Seat, held: Lock) -> Desk {
        Desk { folder, seat, held, before: 0 }
    }

    /// Puts all records of the seat on disk.
    pub fn save(&self) -> Result<(), Trouble> {
        Ok(self.seat.save(&LedgerFolder::of_game(&self.folder), &self.held)?)
    }

    /// Records that came early and wait.
    pub fn waiting(&self) -> Vec<Record> {
        let Ok(entries) = fs::read_dir(self.folder.join(INBOX)) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
        paths.sort();
        let read = |path: &PathBuf| fs::read(path).map(|bytes| records_in(&path.display().to_string(), &bytes).records);
        paths.iter().filter_map(|path| read(path).ok()).flatten().collect()
    }

    /// Keeps the early ones and forgets those that are taken.
    pub fn keep_waiting(&self, early: &[Record]) -> Result<(), Trouble> {
        let inbox = self.folder.join(INBOX);
        let names: Vec<String> = early.iter().map(Record::file_name).collect();
        for record in early {
            write_whole(&inbox.join(record.file_name()), record.to_yaml().as_bytes(), Readers::Anyone)?;
        }
        if let Ok(entries) = fs::read_dir(&inbox) {
            for entry in entries.flatten() {
                if !names.iter().any(|name| entry.file_name().to_string_lossy() == *name) {
                    fs::remove_file(entry.path()).ok();
                }
            }
        }
        Ok(())
    }

    /// The campaign with this seat's eyes.
    pub fn campaign(&self) -> Result<Campaign, Trouble> {
        let records = self.seat.ledger().records().to_vec();
        Campaign::seen(self.folder.clone(), records, Some(self.eyes()))
    }

    fn eyes(&self) -> Eyes {
        Eyes { role: self.seat.role().clone(), vision: self.seat.vision() }
    }

    /// Writes the state and a report for every result that is new; gives back the last report.
    pub fn write_up(&self) -> Result<Option<Page>, Trouble> {
        self.campaign()?.write_state()?;
        let records = self.seat.ledger().records();
        let mut last = None;
        for (at, record) in records.iter().enumerate().skip(self.before) {
            if record.body().kind != Kind::Result {
                continue;
            }
            let upto: Vec<Record> = records.iter().take(at + 1).cloned().collect();
            let (campaign, headline) = report::told(&self.folder, &upto, &|| Some(self.eyes()))?;
            if let Some(report) = campaign.turn_report(headline) {
                let page = report.page();
                write_whole(&report_path(&self.folder, &campaign), markdown(&page).as_bytes(), Readers::Anyone)?;
                last = Some(page);
            }
        }
        Ok(last)
    }

    /// Writes the mail that is due: all records signed here since the other last spoke.
    pub fn post(&self, eml: bool, page: Option<&Page>) -> Result<Option<Posted>, Trouble> {
        let records = self.seat.outgoing();
        let Some(last) = records.last() else { return Ok(None) };
        let report = page.map(markdown).unwrap_or_default();
        let map = self.map();
        let body = format!("{report}\n{map}");
        let draft = Draft { records, body: &body };
        let number = last.body().seq;
        let outbox = self.folder.join(OUTBOX);
        let text = outbox.join(format!("{number:04}-garcia.txt"));
        write_whole(&text, draft.pasted().as_bytes(), Readers::Anyone)?;
        let file = if eml {
            let path = outbox.join(format!("{number:04}-garcia.eml"));
            write_whole(&path, draft.eml().as_bytes(), Readers::Anyone)?;
            path
        } else {
            text
        };
        Ok(Some(Posted { file, subject: subject(records), records: records.iter().map(Record::file_name).collect() }))
    }

    fn map(&self) -> String {
        let Ok(campaign) = self.campaign() else { return String::new() };
        let picture = campaign.table().picture(campaign.view(None), &Window::default());
        picture.map_or_else(|_| String::new(), |picture| picture_text(&picture, crate::report::Look::PLAIN))
    }

    /// What comes next, in words.
    pub fn next(&self) -> String {
        let me = self.seat.role();
        if let Some(side) = self.seat.to_decide() {
            let what = match self.seat.ledger().awaited() {
                Awaited::Answers { questions, .. } => format!("{questions} question(s) are put to {side}"),
                Awaited::Packet { ask, .. } => format!("the `{ask}` orders of {side} are due"),
                _ => "a decision is due".to_owned(),
            };
            return format!(
                "Your move: {what}.\n  garcia template --write    an order file for this moment\n  \
                 garcia check FILE          all mistakes at once\n  garcia send FILE           sign it and make the mail\n"
            );
        }
        match self.seat.ledger().awaited() {
            Awaited::Nothing => "The game is over.\n  garcia verify    recomputes everything\n".to_owned(),
            awaited => match awaited.who() {
                Some(who) if who == me => "garcia has something left to do: run `garcia receive`.\n".to_owned(),
                Some(who) => format!("Waiting for {who}. When the mail comes: garcia receive FILE\n"),
                None => String::new(),
            },
        }
    }
}

/// A mail that was made.
pub struct Posted {
    /// The file.
    pub file: PathBuf,
    /// Its subject.
    pub subject: String,
    /// The records in it.
    pub records: Vec<String>,
}

impl Posted {
    /// What to do with it.
    pub fn tell(&self) -> String {
        format!(
            "To mail: {} ({}), with the subject\n  {}\nAttach the file or paste its text.\n",
            self.file.display(),
            self.records.join(", "),
            self.subject
        )
    }
}

/// Reads records out of files; `-` is standard input.
pub fn read_mail(files: &[PathBuf]) -> Result<(Vec<Record>, Vec<String>), Trouble> {
    let mut records = Vec::new();
    let mut troubles = Vec::new();
    for path in files {
        let name = path.display().to_string();
        let bytes = if name == "-" { read_all(std::io::stdin().lock()) } else { fs::read(path) };
        let found = records_in(&name, &bytes.map_err(|error| Trouble::unreadable(path, &error))?);
        records.extend(found.records);
        troubles.extend(found.troubles);
    }
    if records.is_empty() && !troubles.is_empty() {
        return Err(Trouble::new(exit::NOBODY, troubles.join("\n"), "nothing was changed; nobody is to blame"));
    }
    Ok((records, troubles))
}

fn read_all(mut from: impl std::io::Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Refuses a folder that is in use.
pub fn fresh_folder(folder: &Path) -> Result<(), Trouble> {
    let used = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    if used {
        let what = format!("{} is there already", folder.display());
        return Err(Trouble::usage(what, "name another folder"));
    }
    Ok(())
}

/// The answer of a verb that made or took records.
pub fn answer(
    desk: &Desk,
    notes: &str,
    page: Option<&Page>,
    posted: Option<&Posted>,
    world: &World,
) -> Result<Done, Trouble> {
    if world.json {
        let awaited = desk.seat.ledger().awaited();
        return Done::json(&serde_json::json!({
            "ok": true,
            "game": desk.seat.ledger().walk().game(),
            "role": desk.seat.role().as_str(),
            "records": desk.seat.ledger().records().len(),
            "mail": posted.map(|posted| posted.file.display().to_string()),
            "decide": desk.seat.to_decide().map(|side| side.as_str()),
            "awaited": awaited.who().map(|who| who.as_str()),
            "notes": notes.lines().collect::<Vec<_>>(),
        }));
    }
    let mut text = notes.to_owned();
    if let Some(page) = page {
        text.push_str(&crate::report::terminal(page, world.look));
        text.push('\n');
    }
    if let Some(posted) = posted {
        text.push_str(&posted.tell());
    }
    text.push_str(&desk.next());
    Ok(Done::good(text))
}
