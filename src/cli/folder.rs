//! A game folder: the ledger under lock, the seat of whoever plays here, what goes out and what came early.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::engine::{Match, Side};
use crate::games;
use crate::mail::{Draft, MailPage, Openings, subject};
use crate::report::{Look, Page, letter, letter_html, markdown, message, wrap};
use crate::trust::Id;
use crate::trust::data::{Genesis, Mode};
use crate::trust::finding::{Code, Finding};
use crate::trust::home::Home;
use crate::trust::ledger::{Ledger, charter};
use crate::trust::paper::Paper;
use crate::trust::record::{Record, RecordKind};
use crate::trust::role::Role;
use crate::trust::seat::{Seat, Unfit};
use crate::trust::store::{LedgerFile, LedgerFiles, LedgerFolder, Lock, Readers, is_draft, read_small, write_whole};
use crate::trust::verify::{Verification, copy_of, verify};

use super::post::Posted;
use super::sight::{self, Sight};
use super::{Trouble, World, exit, next};

/// Characters in a line of a mail.
const MAIL: usize = 72;
/// Where the mails lie that were made here.
pub const OUTBOX: &str = "outbox";
/// Where records wait for one that is missing before them.
const EARLY: &str = "early";
/// Where good records lie that another one has displaced.
pub const LATE: &str = "late";
/// Where papers lie: what was said beside the ledger.
pub const PAPERS: &str = "papers";
/// Where signed records are kept that are wrong: evidence.
const REFUSED: &str = "refused";

/// The position, for reading.
pub const STATE: &str = "state.yaml";
/// What lies face down in it where nothing is sealed, for an upgrade.
pub const FACE_DOWN: &str = "face-down.yaml";
/// The folder of a game's own data files, where it is played with some.
pub const DATA: &str = "data";
/// The folder with the schemas that editors complete order files from.
pub const SCHEMAS: &str = "schemas";
/// The folder of the order files.
pub const ORDERS: &str = "orders";

/// How one sits down.
type OpenSeat =
    fn(Vec<Record>, crate::trust::seat::Lay<'_>, &Home) -> Result<Seat, crate::trust::ledger::LedgerTrouble>;

/// A game folder, open for writing: the lock, the ledger, the secrets of the one who plays here, reports and mails.
pub struct GameFolder {
    /// Where it is.
    pub path: PathBuf,
    /// The seat.
    pub seat: Seat,
    /// Where the secrets lie.
    pub home: PathBuf,
    held: Lock,
    /// The ledger as the folder held it when the folder was opened; none for a new folder.
    before: Option<Ledger>,
    /// How many records are on disk.
    saved: usize,
}

impl GameFolder {
    /// Sits down in the game folder in hand.
    pub fn open(world: &World) -> Result<GameFolder, Trouble> {
        GameFolder::open_with(world, Seat::open)
    }

    /// The same where the game was begun with another version of the rules: to bring it to this one.
    pub fn open_for_upgrade(world: &World) -> Result<GameFolder, Trouble> {
        GameFolder::open_with(world, Seat::open_asleep)
    }

    fn open_with(world: &World, open: OpenSeat) -> Result<GameFolder, Trouble> {
        let path = find(world)?;
        let held = Lock::take(&path)?;
        let records = records(&path)?;
        let saved = records.len();
        let home = home(world, &path)?;
        let mut seat = open(records, &|genesis| lay(&path, genesis), &home)?;
        seat.note_later(&waiting(&path));
        let before = Some(seat.ledger().clone());
        Ok(GameFolder { path, seat, home: home.path().to_owned(), held, before, saved })
    }

    /// A folder whose seat was just taken.
    pub fn of(path: PathBuf, seat: Seat, home: &Home, held: Lock) -> GameFolder {
        GameFolder { path, seat, home: home.path().to_owned(), held, before: None, saved: 0 }
    }

    /// How many records are on disk.
    pub fn saved(&self) -> usize {
        self.saved
    }

    /// Puts all records of the seat on disk that are not there yet.
    pub fn save(&mut self) -> Result<(), Trouble> {
        self.seat.save(self.saved, &LedgerFolder::of_game(&self.path), &self.held)?;
        self.saved = self.seat.ledger().records().len();
        Ok(())
    }

    /// A file could not be written after something was signed: what is signed stays signed, and the next command goes on.
    pub fn is_final(&self, mut trouble: Trouble) -> Trouble {
        let before = self.before.as_ref().map_or(0, |before| before.records().len());
        let new = self.seat.ledger().records().iter().skip(before);
        let signed: Vec<String> = new.filter(|r| r.body().by == *self.seat.role()).map(Record::file_name).collect();
        if trouble.code != exit::NO_OUTPUT || signed.is_empty() {
            return trouble;
        }
        let verb = match self.seat.ledger().protocol().mode() {
            Mode::Solo => "`garcia resolve` closes it if that is not done, and `garcia report` tells the turn",
            _ => {
                "`garcia receive` without a file closes what is due, `garcia resend` makes the mail, `garcia report` tells"
            }
        };
        trouble.remedy = format!(
            "{}. What was signed is final ({}) and is not signed again: {verb}",
            trouble.remedy,
            signed.join(", ")
        );
        trouble
    }

    /// Whether a receipt of one's own for a record lies among the papers.
    pub fn has_receipt(&self, record: &Record) -> bool {
        let Ok(entries) = fs::read_dir(self.path.join(PAPERS)) else { return false };
        let papers = entries.flatten().filter_map(|entry| Paper::read(&read_small(&entry.path()).ok()?).ok());
        papers.into_iter().any(|paper| {
            let of_it = matches!(&paper.kind, crate::trust::paper::Kind::Receipt { record: of } if *of == record.id());
            of_it && paper.by == *self.seat.role() && paper.is_signed_by(&self.seat.fingerprint())
        })
    }

    /// Keeps the early ones, and puts away those of its own files whose record is in the ledger now.
    pub fn keep_early(&self, early: &[Record]) -> Result<(), Trouble> {
        let folder = self.path.join(EARLY);
        for record in early {
            write_whole(&folder.join(long_name(record)), record.to_yaml().as_bytes(), Readers::Anyone)?;
        }
        for record in self.seat.ledger().records() {
            // Nothing is removed that somebody else put there: name and text are those that were written here.
            let path = folder.join(long_name(record));
            if fs::read(&path).is_ok_and(|bytes| bytes == record.to_yaml().as_bytes()) {
                fs::remove_file(&path).ok();
            }
        }
        Ok(())
    }

    /// Moves records out of the ledger that another one has displaced.
    pub fn keep_late(&mut self, late: &[Record]) -> Result<(), Trouble> {
        for record in late {
            let path = self.path.join(LATE).join(long_name(record));
            write_whole(&path, record.to_yaml().as_bytes(), Readers::Anyone)?;
            self.take_out(record)?;
        }
        if let (Some(first), Some(before)) = (late.iter().map(|record| record.body().seq).min(), &self.before) {
            let first = usize::try_from(first).unwrap_or(usize::MAX);
            if first < before.records().len() {
                self.before = Some(before.upto(first)?);
            }
        }
        Ok(())
    }

    /// Keeps a record that was refused, and gives back its file: what its signer's key stands under can be shown to others.
    pub fn keep_refused(&self, record: &Record) -> Result<PathBuf, Trouble> {
        let path = self.path.join(REFUSED).join(long_name(record));
        write_whole(&path, record.to_yaml().as_bytes(), Readers::Anyone)?;
        Ok(path)
    }

    /// Keeps a record with the openings that show what is wrong with it, and takes it out of the ledger.
    pub fn keep_unfit(&mut self, unfit: &Unfit) -> Result<(), Trouble> {
        let path = self.keep_refused(&unfit.record)?;
        let game = self.seat.ledger().protocol().game().unwrap_or(Id::ZERO);
        let openings = Openings { game, by: unfit.record.body().by.clone(), reveals: unfit.openings.clone() };
        write_whole(&path.with_extension("openings.txt"), openings.armoured().as_bytes(), Readers::OwnerOnly)?;
        self.take_out(&unfit.record)
    }

    /// Takes a record out of the ledger on disk.
    fn take_out(&mut self, record: &Record) -> Result<(), Trouble> {
        let stood = self.path.join("ledger").join(record.file_name());
        let same = |bytes: Vec<u8>| Record::read(&bytes).is_ok_and(|there| there == *record);
        if fs::read(&stood).is_ok_and(same) {
            fs::remove_file(&stood).map_err(|error| Trouble::unreadable(&stood, &error))?;
        }
        self.saved = self.saved.min(usize::try_from(record.body().seq).unwrap_or(usize::MAX));
        Ok(())
    }

    /// What verification says of this ledger with one more record in it.
    pub fn verify_with(&self, record: &Record, name: &str) -> Verification {
        let place = |record: &Record| self.path.join("ledger").join(record.file_name()).display().to_string();
        let own = self.seat.ledger().records().iter().map(|record| (place(record), record));
        let file =
            |(name, record): (String, &Record)| LedgerFile { name, seq: record.body().seq, record: Ok(record.clone()) };
        let mut files: Vec<LedgerFile> = own.chain([(name.to_owned(), record)]).map(file).collect();
        files.sort_by_key(|file| file.seq);
        let found = LedgerFiles { files, problems: Vec::new() };
        let verification = verify(&found, &|genesis| lay(&self.path, genesis), &self.seat.vision());
        verification.against(&[name.to_owned()])
    }

    /// The game with this seat's eyes.
    pub fn sight(&self) -> Sight {
        Sight::of_role(self.path.clone(), self.seat.ledger().clone(), self.seat.role())
    }

    /// Writes the state and a report for every result that is new; gives back the last report.
    ///
    /// A game master gets one more for each side, to mail out.
    pub fn write_up(&self) -> Result<Option<Told>, Trouble> {
        self.sight().write_state()?;
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
            let sight = Sight::of_role(self.path.clone(), then, self.seat.role());
            let Some(report) = sight.turn_report() else { continue };
            let (page, path) = (report.page(), sight.report_path());
            write_whole(&path, markdown(&page).as_bytes(), Readers::Anyone)?;
            let mut for_sides = Vec::new();
            for side in self.sides_served() {
                let shown = sight.shown_to(*side);
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

    /// Whether this game master went on without a player, and was interrupted before the mails were made.
    pub fn went_on_unposted(&self) -> bool {
        let ledger = self.seat.ledger();
        let last = ledger.protocol().next().saturating_sub(1);
        next::passed_over(ledger).is_some() && !self.path.join(OUTBOX).join(format!("{last:04}-garcia.txt")).exists()
    }

    /// The same for records of one's choice, which somebody has lost.
    pub fn post_records(&self, records: &[Record], number: &str, eml: bool) -> Result<Posted, Trouble> {
        let outbox = self.path.join(OUTBOX);
        let mut files = Vec::new();
        if eml {
            for side in self.readers() {
                let name = match self.sides_served().is_empty() {
                    true => format!("{number}-garcia.eml"),
                    false => format!("{number}-garcia-for-{side}.eml"),
                };
                let (body, page) = self.letter(side, records)?;
                let path = outbox.join(name);
                write_whole(&path, Draft { records, body: &body, page }.eml().as_bytes(), Readers::Anyone)?;
                files.push(path);
            }
        }
        let names = records.iter().map(Record::file_name).collect();
        let openings = self.post_openings(records, number)?;
        let deposit = self.post_deposit(number)?;
        // It comes last: where it is, everything is.
        let text = outbox.join(format!("{number}-garcia.txt"));
        let pasted = Draft { records, body: "", page: None }.pasted();
        write_whole(&text, pasted.as_bytes(), Readers::Anyone)?;
        if !eml {
            files.push(text);
        }
        let (to, subject) = (self.addressee(), subject(records));
        Ok(Posted { openings, deposit, files, to, subject, records: names, draft: eml })
    }

    /// Signs a paper and keeps it; gives back the file it is kept in and the text to mail.
    pub fn sign_paper(&self, kind: crate::trust::paper::Kind) -> Result<(Paper, Vec<PathBuf>), Trouble> {
        let paper = self.seat.sign_paper(kind)?;
        let kept = self.keep_paper(&paper)?;
        let mail = self.path.join(OUTBOX).join(paper.file_name().replace(".yaml", ".txt"));
        write_whole(&mail, paper.armoured().as_bytes(), Readers::Anyone)?;
        Ok((paper, vec![kept, mail]))
    }

    /// Keeps a paper beside the ledger.
    pub fn keep_paper(&self, paper: &Paper) -> Result<PathBuf, Trouble> {
        let path = self.path.join(PAPERS).join(paper.file_name());
        write_whole(&path, paper.to_yaml().as_bytes(), Readers::Anyone)?;
        Ok(path)
    }

    /// Whether nobody else signs in this game, so that no mail goes to anybody.
    pub fn alone(&self) -> bool {
        self.seat.ledger().protocol().roles().len() == 1
    }

    /// Whether what is signed waits for the player's own orders: one mail carries both.
    ///
    /// What a game master signs never waits; the players do.
    pub fn holds_back(&self) -> bool {
        let waits = self.seat.to_decide().is_some() && *self.seat.role() != Role::gm();
        waits && !self.seat.outgoing().is_empty()
    }

    /// Writes what a director holds for this player, in a game with one.
    fn post_deposit(&self, name: &str) -> Result<Option<PathBuf>, Trouble> {
        let Some(deposit) = self.seat.deposit() else { return Ok(None) };
        let path = self.path.join(OUTBOX).join(format!("{name}-deposit.txt"));
        let text = crate::trust::armour::wrap_deposit(deposit.to_json().to_string().as_bytes());
        write_whole(&path, text.as_bytes(), Readers::OwnerOnly)?;
        Ok(Some(path))
    }

    /// Writes what a private game master has to know, and nobody else.
    fn post_openings(&self, records: &[Record], name: &str) -> Result<Option<PathBuf>, Trouble> {
        let reveals = self.seat.openings(records);
        let Some(game) = self.seat.ledger().protocol().game().filter(|_| !reveals.is_empty()) else { return Ok(None) };
        let openings = Openings { game, by: self.seat.role().clone(), reveals };
        let path = self.path.join(OUTBOX).join(format!("{name}-openings.txt"));
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
    fn letter(&self, reader: Side, records: &[Record]) -> Result<(String, Option<MailPage>), Trouble> {
        let all = self.seat.ledger().records();
        let result = records.iter().rev().find(|record| record.body().kind == RecordKind::Result);
        let upto = result.map_or(all.len(), |record| usize::try_from(record.body().seq).unwrap_or(all.len()) + 1);
        let public = Sight::replay(self.path.clone(), all.iter().take(upto).cloned().collect())?;
        let shown = match public.ledger.protocol().mode() {
            Mode::Gm => public.shown_to(reader),
            Mode::TwoPlayer | Mode::Solo => public.seen_as(reader),
        };
        // What this mail says for the first time comes before the report; the report itself repeats the span's messages.
        let said = result.map_or(0, |record| record.body().seq);
        let fresh: Vec<Record> = records.iter().filter(|record| record.body().seq > said).cloned().collect();
        let messages = sight::messages(&fresh);
        let page = result.and_then(|_| shown.turn_report()).map(|report| {
            let mut page = report.page();
            page.messages.extend(messages.iter().cloned());
            page
        });
        let report = match &page {
            Some(page) => letter(page, MAIL),
            None => messages.iter().map(|told| message(told, Look { width: MAIL, ..Look::PLAIN })).collect(),
        };
        let drawn = |page: &Page| {
            let png = self.picture(&shown);
            MailPage { html: letter_html(page, png.as_ref().map(|_| "cid:map")), png }
        };
        let names: Vec<String> = records.iter().map(Record::file_name).collect();
        let verb = if records.iter().any(|record| record.body().seq == 0) { "join" } else { "receive" };
        let names = names.join(", ");
        let how = format!("Attached: {names}. Save this mail or its attachments, then `garcia {verb} FILE`.\n");
        let how = wrap(&how, MAIL, 0, 0);
        Ok((format!("{how}\n{report}"), page.as_ref().map(drawn)))
    }

    /// The map for a mail.
    #[cfg(feature = "png")]
    fn picture(&self, shown: &Sight) -> Option<Vec<u8>> {
        let scene = shown.table().scene(shown.view(None));
        crate::draw::png(&crate::draw::svg_map(&scene, &crate::draw::Window::default()), 1400).ok()
    }

    /// A garcia that draws no pictures sends none.
    #[cfg(not(feature = "png"))]
    fn picture(&self, _: &Sight) -> Option<Vec<u8>> {
        None
    }

    /// Who gets the mail.
    fn addressee(&self) -> String {
        let protocol = self.seat.ledger().protocol();
        let (me, genesis) = (self.seat.role(), protocol.genesis());
        match protocol.mode() {
            Mode::Gm if *me == Role::director() => "the game master and every player".to_owned(),
            _ if *me == Role::director() => "both players".to_owned(),
            Mode::Gm if *me == Role::gm() => "every player".to_owned(),
            // Without the orders a director could close nothing for the game master.
            Mode::Gm if genesis.is_some_and(|genesis| genesis.director.is_some()) => {
                "the game master, with copies to the other player and to the director".to_owned()
            }
            Mode::Gm => "the game master, with a copy to the other player".to_owned(),
            Mode::TwoPlayer | Mode::Solo => {
                let other = protocol.other(me).or_else(|| genesis.and_then(|genesis| genesis.opponent.as_ref()));
                let other = other.map_or_else(|| "your opponent".to_owned(), ToString::to_string);
                let asked = protocol.on_the_table().and_then(|moved| moved.asked.as_ref());
                match asked == Some(&Role::director()) {
                    true => format!("{other} and to the director"),
                    false => other,
                }
            }
        }
    }

    /// What comes next, in one line: the remedy for what is not due.
    pub fn next_line(&self) -> String {
        next::steps(self.seat.ledger(), Some(self.seat.role())).into_iter().next().unwrap_or_default()
    }

    /// What comes next, in words.
    pub fn next(&self) -> String {
        let (ledger, role) = (self.seat.ledger(), self.seat.role());
        let strange = next::strange_key(ledger, role, &self.seat.fingerprint());
        let lines = strange.map_or_else(|| next::steps(ledger, Some(role)), |line| vec![line]);
        let mut text = String::new();
        for (number, line) in lines.iter().enumerate() {
            text.push_str(if number == 0 { "" } else { "  " });
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}

/// The game folder that was named, or the nearest one from here upwards.
pub fn find(world: &World) -> Result<PathBuf, Trouble> {
    let is_game = |folder: &Path| folder.join("ledger").is_dir();
    if let Some(folder) = &world.game {
        if is_game(folder) {
            return Ok(folder.clone());
        }
        let what = format!("{} is no game folder: it has no `ledger`", folder.display());
        return Err(Trouble::usage(what, "name the folder that `garcia new` made"));
    }
    let here = std::env::current_dir().map_err(|error| Trouble::unreadable(Path::new("."), &error))?;
    // Relative, so that messages name files as the player would.
    let mut relative = PathBuf::new();
    for folder in here.ancestors() {
        if is_game(folder) {
            return Ok(relative);
        }
        relative.push("..");
    }
    Err({
        let remedy = "go into one, name one with `-C DIR`, or begin a game with `garcia new GAME --solo`";
        Trouble::usage("this is no game folder, nor is any folder above it", remedy)
    })
}

/// Every YAML file of a folder, by name.
pub fn data_files(folder: &Path) -> Result<BTreeMap<String, String>, Trouble> {
    let mut files = BTreeMap::new();
    let entries = fs::read_dir(folder).map_err(|error| Trouble::unreadable(folder, &error))?;
    for entry in entries {
        let path = entry.map_err(|error| Trouble::unreadable(folder, &error))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_file() && (name.ends_with(".yaml") || name.ends_with(".yml")) && !name.starts_with('.') {
            let text = fs::read_to_string(&path).map_err(|error| Trouble::unreadable(&path, &error))?;
            files.insert(name, text);
        }
    }
    Ok(files)
}

/// Lays the table a genesis describes, with the data files of its folder.
pub fn lay(folder: &Path, genesis: &Genesis) -> Result<Box<dyn Match>, Finding> {
    let own = folder.join(DATA);
    let data = match own.is_dir() {
        true => data_files(&own).map_err(|trouble| Finding::new(Code::Engine, trouble.what))?,
        false => BTreeMap::new(),
    };
    lay_with(genesis, data)
}

/// The same with these data files; without any, garcia's own.
pub fn lay_with(genesis: &Genesis, data: BTreeMap<String, String>) -> Result<Box<dyn Match>, Finding> {
    let not_judged = |what: String| Finding::new(Code::Engine, what);
    let Some(ruleset) = games::GAMES.iter().find(|game| game.id() == genesis.ruleset) else {
        return Err(not_judged(format!("this garcia does not know the game `{}`", genesis.ruleset)));
    };
    ruleset.open(&charter(genesis, data)).map_err(|faults| {
        let list: Vec<String> = faults.into_iter().map(|fault| fault.what).collect();
        not_judged(format!("the table cannot be laid: {}", list.join("; ")))
    })
}

/// The records of a game folder, in order.
pub fn records(folder: &Path) -> Result<Vec<Record>, Trouble> {
    let found = LedgerFolder::of_game(folder).read().map_err(|trouble| {
        Trouble::new(exit::NO_INPUT, trouble.to_string(), "see that the folder is there and may be read")
    })?;
    let strange = |problem: &&String| !problem.contains("not named like a record");
    let mut records: Vec<Record> = Vec::new();
    for file in &found.files {
        match &file.record {
            Ok(record) if usize::try_from(file.seq) == Ok(records.len()) => records.push(record.clone()),
            // A copy of the same record is no trouble.
            Ok(record) if records.last() == Some(record) => {}
            _ => break,
        }
    }
    let last = found.files.last().map_or(0, |file| usize::try_from(file.seq).unwrap_or(usize::MAX) + 1);
    if records.len() == last {
        let copies = found.files.len() - records.len();
        let same = found.files.iter().filter(|file| file.record.as_ref().is_ok_and(|r| records.contains(r))).count();
        if copies == 0 || same == found.files.len() {
            return Ok(records);
        }
    }
    // Several records for one place: those count that verification would choose.
    let (copy, troubles, fork) = copy_of(&found, &|genesis| lay(folder, genesis));
    if troubles.is_empty() && fork.is_none() && copy.len() == last {
        return Ok(copy.into_values().collect());
    }
    let what = match (fork, found.problems.iter().find(strange)) {
        (Some(fork), _) => format!("the ledger is not in order: record {}: {}", fork.seq, fork.finding),
        (None, Some(problem)) => format!("the ledger is not in order: {problem}"),
        (None, None) => "the ledger is not in order".to_owned(),
    };
    Err(Trouble::new(exit::NOBODY, what, "run `garcia verify`; get missing records from the other player"))
}

/// `0005-us-result-961df46e.yaml`: told apart from another record for the same place.
fn long_name(record: &Record) -> String {
    format!("{}-{}.yaml", record.file_name().trim_end_matches(".yaml"), record.id().short())
}

/// The folder with the player's secrets.
///
/// It never lies in the game folder: whoever got the folder would get them.
pub fn home(world: &World, folder: &Path) -> Result<Home, Trouble> {
    let home = Home::find(world.home.as_deref())?;
    let full = |path: &Path| fs::canonicalize(path).or_else(|_| std::path::absolute(path));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    if let (Ok(secrets), Ok(game)) = (full(home.path()), full(folder))
        && secrets.starts_with(&game)
    {
        let what = format!("the folder for secrets, {}, lies in the game folder", home.path().display());
        return Err(Trouble::usage(
            what,
            "set GARCIA_HOME or --home to a folder elsewhere, and move your secrets there",
        ));
    }
    Ok(home)
}

/// `reports/0005-us-for-spain.md`
fn for_side(path: &Path, side: Side) -> PathBuf {
    let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!("{name}-for-{side}.md"))
}

/// Records that came early and wait in a game folder.
pub fn waiting(folder: &Path) -> Vec<Record> {
    let Ok(entries) = fs::read_dir(folder.join(EARLY)) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    let read = |path: &PathBuf| read_small(path).ok().and_then(|bytes| Record::read(&bytes).ok());
    paths.iter().filter_map(read).collect()
}

/// What was told of the last result that is new.
pub struct Told {
    /// The report, as the one at this folder reads it.
    pub page: Page,
    /// The reports a game master mails out, one for each side.
    pub for_sides: Vec<PathBuf>,
}

/// A key as people read it out: the first half, in groups of four.
pub fn spelled(key: &Id) -> String {
    let digits: Vec<char> = key.to_string().chars().take(32).collect();
    digits.chunks(4).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join(" ")
}

/// Refuses a folder that is in use.
pub fn fresh_folder(folder: &Path) -> Result<(), Trouble> {
    folder_for(folder, &[], 0)
}

/// Refuses a folder that is in use; one in which a killed command has put some of these records, fewer than there are to be
/// in the end, and nothing else, is gone on with.
pub fn folder_for(folder: &Path, records: &[Record], whole: usize) -> Result<(), Trouble> {
    let drafts = |folder: &Path| {
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        fs::read_dir(folder).is_ok_and(|inside| inside.flatten().map(name).all(|name| is_draft(&name)))
    };
    let own = |entry: fs::DirEntry| match entry.file_name().to_string_lossy().as_ref() {
        ".lock" | SCHEMAS => true,
        ORDERS | "ledger" | DATA => drafts(&entry.path()) || is_begun(folder, records, whole),
        name => is_draft(name),
    };
    // What a killed command left before anything was signed is gone on with.
    if fs::read_dir(folder).is_ok_and(|entries| entries.flatten().all(own)) || !folder.exists() {
        return Ok(());
    }
    let there = folder.display();
    if folder.join("ledger").is_dir() {
        let what = format!("{there} is there already, and a game lies in it");
        return Err(Trouble::usage(
            what,
            format!("`garcia -C {there} status` says how it goes on; or name another folder"),
        ));
    }
    Err(Trouble::usage(format!("{there} is there already"), "name another folder"))
}

/// Whether a ledger holds the first of these records, or all of them where more are to come, and nothing else.
fn is_begun(folder: &Path, records: &[Record], whole: usize) -> bool {
    let Ok(found) = LedgerFolder::of_game(folder).read() else { return false };
    let same = |(file, record): (&LedgerFile, &Record)| file.record.as_ref() == Ok(record);
    let few = found.files.len() < whole && found.files.len() <= records.len();
    found.problems.is_empty() && few && found.files.iter().zip(records).all(same)
}
