//! A player's desk: his seat at a game between two, the ledger folder under lock, what goes out and what came early.

use std::fs;
use std::path::{Path, PathBuf};

use crate::engine::{Side, Window};
use crate::mail::{Draft, Openings, records_in, subject};
use crate::report::{Look, Page, markdown, picture_text};
use crate::trust::Id;
use crate::trust::data::Mode;
use crate::trust::ledger::Ledger;
use crate::trust::record::{Record, RecordKind};
use crate::trust::role::Role;
use crate::trust::seat::Seat;
use crate::trust::store::{LedgerFile, LedgerFiles, LedgerFolder, Lock, Readers, write_whole};
use crate::trust::verify::{Verification, verify};

use super::campaign::{self, Campaign};
use super::resolve::report_path;
use super::{Done, Trouble, World, exit, next};

/// Where the mails lie that were made here.
pub const OUTBOX: &str = "outbox";
/// Where records wait for one that is missing before them.
const INBOX: &str = "inbox";
/// Where signed records are kept that are wrong: evidence.
const REFUSED: &str = "refused";

/// A desk.
pub struct Desk {
    /// The game folder.
    pub folder: PathBuf,
    /// The seat.
    pub seat: Seat,
    held: Lock,
    /// The ledger as the folder held it when the desk was opened; none for a new folder.
    before: Option<Ledger>,
    /// How many records are on disk.
    saved: usize,
}

impl Desk {
    /// Sits down in the game folder in hand.
    pub fn open(world: &World) -> Result<Desk, Trouble> {
        let folder = campaign::find(world)?;
        let held = Lock::take(&folder)?;
        let records = campaign::records(&folder)?;
        let saved = records.len();
        let home = campaign::home(world)?;
        let seat = Seat::open(records, &|genesis| campaign::lay(&folder, genesis), &home)?;
        let before = Some(seat.ledger().clone());
        Ok(Desk { folder, seat, held, before, saved })
    }

    /// A desk whose seat was just taken.
    pub fn of(folder: PathBuf, seat: Seat, held: Lock) -> Desk {
        Desk { folder, seat, held, before: None, saved: 0 }
    }

    /// Puts all records of the seat on disk that are not there yet.
    pub fn save(&mut self) -> Result<(), Trouble> {
        self.seat.save(self.saved, &LedgerFolder::of_game(&self.folder), &self.held)?;
        self.saved = self.seat.ledger().records().len();
        Ok(())
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

    /// Keeps a record that was refused, and gives back its file: what its signer's key stands under can be shown to others.
    pub fn keep_refused(&self, record: &Record) -> Result<PathBuf, Trouble> {
        let name = format!("{}-{}.yaml", record.file_name().trim_end_matches(".yaml"), record.id().short());
        let path = self.folder.join(REFUSED).join(name);
        write_whole(&path, record.to_yaml().as_bytes(), Readers::Anyone)?;
        Ok(path)
    }

    /// What verification says of this ledger with one more record in it.
    pub fn verify_with(&self, record: &Record, name: &str) -> Verification {
        let place = |record: &Record| self.folder.join("ledger").join(record.file_name()).display().to_string();
        let own = self.seat.ledger().records().iter().map(|record| (place(record), record));
        let file =
            |(name, record): (String, &Record)| LedgerFile { name, seq: record.body().seq, record: Ok(record.clone()) };
        let mut files: Vec<LedgerFile> = own.chain([(name.to_owned(), record)]).map(file).collect();
        files.sort_by_key(|file| file.seq);
        let found = LedgerFiles { files, problems: Vec::new() };
        verify(&found, &|genesis| campaign::lay(&self.folder, genesis), &self.seat.vision())
    }

    /// The campaign with this seat's eyes.
    pub fn campaign(&self) -> Campaign {
        Campaign::of_role(self.folder.clone(), self.seat.ledger().clone(), self.seat.role())
    }

    /// Writes the state and a report for every result that is new; gives back the last report.
    ///
    /// A game master gets one more for each side, to mail out.
    pub fn write_up(&self) -> Result<Option<Told>, Trouble> {
        self.campaign().write_state()?;
        let Some(before) = &self.before else { return Ok(None) };
        let all = self.seat.ledger();
        let mut ledger = before.clone().seen_by(self.seat.vision());
        let mut last = None;
        for record in all.records().iter().skip(before.records().len()) {
            // The last one leads to where the seat's own ledger stands already.
            let is_last = record.id() == all.protocol().head();
            if !is_last {
                ledger.append(record.clone())?;
            }
            if record.body().kind != RecordKind::Result {
                continue;
            }
            let then = if is_last { all.clone() } else { ledger.clone() };
            let campaign = Campaign::of_role(self.folder.clone(), then, self.seat.role());
            let Some(report) = campaign.turn_report() else { continue };
            let (page, path) = (report.page(), report_path(&self.folder, &campaign));
            write_whole(&path, markdown(&page).as_bytes(), Readers::Anyone)?;
            let mut for_sides = Vec::new();
            for side in self.sides_served() {
                let shown = campaign.shown_to(*side);
                if let Some(report) = shown.turn_report() {
                    let path = for_side(&path, *side);
                    write_whole(&path, markdown(&report.page()).as_bytes(), Readers::Anyone)?;
                    for_sides.push(path);
                }
            }
            last = Some(Told { page, for_sides });
        }
        Ok(last)
    }

    /// The sides a game master writes reports for.
    fn sides_served(&self) -> &'static [Side] {
        match *self.seat.role() == Role::gm() {
            true => self.seat.ledger().replay().table().ruleset().sides(),
            false => &[],
        }
    }

    /// Writes the mail that is due: as text to attach or paste, and as a draft if one is wanted.
    pub fn post(&self, eml: bool) -> Result<Option<Posted>, Trouble> {
        let records = self.seat.outgoing();
        let Some(last) = records.last() else { return Ok(None) };
        self.post_records(records, &format!("{:04}", last.body().seq), eml).map(Some)
    }

    /// The same for records of one's choice, which somebody has lost.
    pub fn post_records(&self, records: &[Record], number: &str, eml: bool) -> Result<Posted, Trouble> {
        let outbox = self.folder.join(OUTBOX);
        let text = outbox.join(format!("{number}-garcia.txt"));
        let pasted = Draft { records, body: "" }.pasted();
        write_whole(&text, pasted.as_bytes(), Readers::Anyone)?;
        let mut files = vec![text];
        if eml {
            files.clear();
            for side in self.readers() {
                let name = match self.sides_served().is_empty() {
                    true => format!("{number}-garcia.eml"),
                    false => format!("{number}-garcia-for-{side}.eml"),
                };
                let body = self.letter(side, records)?;
                let path = outbox.join(name);
                write_whole(&path, Draft { records, body: &body }.eml().as_bytes(), Readers::Anyone)?;
                files.push(path);
            }
        }
        let names = records.iter().map(Record::file_name).collect();
        let openings = self.post_openings(records, number)?;
        let (to, subject) = (self.addressee(), subject(records));
        Ok(Posted { openings, files, to, subject, records: names, draft: eml })
    }

    /// Whether what is signed waits for the player's own orders: one mail carries both.
    ///
    /// What a game master signs never waits; the players do.
    pub fn holds_back(&self) -> bool {
        let waits = self.seat.to_decide().is_some() && *self.seat.role() != Role::gm();
        waits && !self.seat.outgoing().is_empty()
    }

    /// Writes what a private game master has to know, and nobody else.
    fn post_openings(&self, records: &[Record], name: &str) -> Result<Option<PathBuf>, Trouble> {
        let reveals = self.seat.openings(records);
        let Some(game) = self.seat.ledger().protocol().game().filter(|_| !reveals.is_empty()) else { return Ok(None) };
        let openings = Openings { game, by: self.seat.role().clone(), reveals };
        let path = self.folder.join(OUTBOX).join(format!("{name}-openings.txt"));
        write_whole(&path, openings.armoured().as_bytes(), Readers::OwnerOnly)?;
        Ok(Some(path))
    }

    /// The sides for whose eyes the mail is written: the opponent; everybody, from a game master.
    fn readers(&self) -> Vec<Side> {
        let ledger = self.seat.ledger();
        let sides = ledger.replay().table().ruleset().sides();
        match ledger.protocol().mode() {
            Mode::TwoPlayer => sides.iter().copied().filter(|side| Some(*side) != self.seat.side()).collect(),
            Mode::Gm => self.seat.side().map_or_else(|| sides.to_vec(), |side| vec![side]),
            Mode::Solo => Vec::new(),
        }
    }

    /// The report of the last result in the mail, and the map, as its reader sees them. Nobody's secrets are in it.
    fn letter(&self, reader: Side, records: &[Record]) -> Result<String, Trouble> {
        let all = self.seat.ledger().records();
        let result = records.iter().rev().find(|record| record.body().kind == RecordKind::Result);
        let upto = result.map_or(all.len(), |record| usize::try_from(record.body().seq).unwrap_or(all.len()) + 1);
        let public = Campaign::replay(self.folder.clone(), all.iter().take(upto).cloned().collect())?;
        let shown = match public.ledger.protocol().mode() {
            Mode::Gm => public.shown_to(reader),
            Mode::TwoPlayer | Mode::Solo => public.seen_as(reader),
        };
        let report = result.and_then(|_| shown.turn_report()).map(|report| markdown(&report.page()));
        let picture = shown.table().picture(shown.view(None), &Window::default());
        let map = picture.map_or_else(|_| String::new(), |picture| picture_text(&picture, Look::PLAIN));
        let names: Vec<String> = records.iter().map(Record::file_name).collect();
        let verb = if records.iter().any(|record| record.body().seq == 0) { "join" } else { "receive" };
        let names = names.join(", ");
        let how = format!("Attached: {names}. Save this mail or its attachments, then `garcia {verb} FILE`.\n");
        Ok(format!("{how}\n{}\n{map}", report.unwrap_or_default()))
    }

    /// Who gets the mail.
    fn addressee(&self) -> String {
        let protocol = self.seat.ledger().protocol();
        let (me, genesis) = (self.seat.role(), protocol.genesis());
        match protocol.mode() {
            Mode::Gm if *me == Role::gm() => "every player".to_owned(),
            Mode::Gm => "the game master, with a copy to the other player".to_owned(),
            Mode::TwoPlayer | Mode::Solo => {
                let other = protocol.other(me).or_else(|| genesis.and_then(|genesis| genesis.opponent.as_ref()));
                other.map_or_else(|| "your opponent".to_owned(), ToString::to_string)
            }
        }
    }

    /// What comes next, in one line: the remedy for what is not due.
    pub fn next_line(&self) -> String {
        next::steps(self.seat.ledger(), Some(self.seat.role())).into_iter().next().unwrap_or_default()
    }

    /// What comes next, in words.
    pub fn next(&self) -> String {
        let lines = next::steps(self.seat.ledger(), Some(self.seat.role()));
        let mut text = String::new();
        for (number, line) in lines.iter().enumerate() {
            text.push_str(if number == 0 { "" } else { "  " });
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}

/// `reports/0005-us-for-spain.md`
fn for_side(path: &Path, side: Side) -> PathBuf {
    let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!("{name}-for-{side}.md"))
}

/// Records that came early and wait in a game folder.
pub fn waiting(folder: &Path) -> Vec<Record> {
    let Ok(entries) = fs::read_dir(folder.join(INBOX)) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    let read = |path: &PathBuf| fs::read(path).map(|bytes| records_in(&path.display().to_string(), &bytes).records);
    paths.iter().filter_map(|path| read(path).ok()).flatten().collect()
}

/// What was told of the last result that is new.
pub struct Told {
    /// The report, as the one at this desk reads it.
    pub page: Page,
    /// The reports a game master mails out, one for each side.
    pub for_sides: Vec<PathBuf>,
}

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
    /// What is damaged.
    pub troubles: Vec<String>,
}

/// Reads records out of files; `-` is standard input.
pub fn read_mail(files: &[PathBuf]) -> Result<Arrived, Trouble> {
    let mut arrived = Arrived::default();
    for path in files {
        let name = path.display().to_string();
        let bytes = if name == "-" { read_all(std::io::stdin().lock()) } else { fs::read(path) };
        let bytes = bytes.map_err(|error| Trouble::unreadable(path, &error))?;
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
        arrived.troubles.extend(found.troubles);
    }
    if arrived.records.is_empty() && arrived.openings.is_empty() && !arrived.troubles.is_empty() {
        let what = arrived.troubles.join("\n");
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

/// A key as people read it out: the first half, in groups of four.
pub fn spelled(key: &Id) -> String {
    let digits: Vec<char> = key.to_string().chars().take(32).collect();
    digits.chunks(4).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join(" ")
}

/// Refuses a folder that is in use.
pub fn fresh_folder(folder: &Path) -> Result<(), Trouble> {
    // A lock alone was left by a command that came to nothing.
    let real = |entry: std::io::Result<fs::DirEntry>| entry.is_ok_and(|entry| entry.file_name() != ".lock");
    let used = fs::read_dir(folder).is_ok_and(|entries| entries.into_iter().any(real));
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
    told: Option<&Told>,
    posted: Option<&Posted>,
    world: &World,
) -> Result<Done, Trouble> {
    if world.json {
        let awaited = desk.seat.ledger().awaited();
        return Done::json(&serde_json::json!({
            "ok": true,
            "game": desk.seat.ledger().protocol().game(),
            "role": desk.seat.role().as_str(),
            "records": desk.seat.ledger().records().len(),
            "mail": posted.map(|posted| posted.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>()),
            "reports": told.map(|told| told.for_sides.iter().map(|file| file.display().to_string()).collect::<Vec<_>>()),
            "decide": desk.seat.to_decide().map(|side| side.as_str()),
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
        None if desk.holds_back() => {
            let owed: Vec<String> = desk.seat.outgoing().iter().map(Record::file_name).collect();
            let owed = owed.join(", ");
            text.push_str(&format!("Signed here and kept for one mail with your orders: {owed}\n"));
        }
        None => {}
    }
    text.push_str(&desk.next());
    Ok(Done::good(text))
}
