//! `garcia receive`: takes what came, closes what is due, and says what to mail back.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::engine::count_of;
use crate::engine::visible::visible;
use crate::mail::Openings;
use crate::report::message;
use crate::trust::Id;
use crate::trust::director::Deposit;
use crate::trust::finding::{Code, Finding};
use crate::trust::ledger::LedgerTrouble;
use crate::trust::paper::Paper;
use crate::trust::record::{Record, RecordKind};
use crate::trust::seat::Unfit;

use super::folder::{self, GameFolder, LATE};
use super::list::games_below;
use super::next;
use super::post::{self, Arrived, mails_in, read_all_mail, read_mail};
use super::sight;
use super::{Done, Trouble, World, exit};

/// How many records of one mail that are refused are told and kept one by one.
const MOST_REFUSED: usize = 12;
/// How many that came early are kept: no mail is so far ahead.
const MOST_EARLY: usize = 256;

/// Take a mail: verify what came, close the opponent's orders, write state and report, prepare the reply.
///
/// Reads record files, armoured text inside any text, `.eml` and mbox files, Maildirs and folders of saved mails, with
/// quoting, line ends, attachments and encodings as mail programs make them. Records that came too early wait in the
/// folder until the missing one arrives. Outside a game folder each record goes to its game below this folder (or below
/// the one named with `-C`), and what belongs to none is left alone. Taking the same mails again changes nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia receive 0005-garcia.txt         an attachment
  garcia receive turn.eml                a saved mail
  pbpaste | garcia receive -             text copied out of a mail
  garcia -C ~/games receive ~/Maildir    a week of mail, for all games below a folder
  garcia receive                         only what is due from here: a result, a call, an audit")]
pub struct Receive {
    /// Files, mailboxes or folders of mails to read; `-` reads standard input.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write the reply as a draft that mail programs open.
    #[arg(long)]
    eml: bool,
}

/// Takes the mails in these files; without any, writes what is due from here.
pub fn taken(files: Vec<PathBuf>, eml: bool, world: &World) -> Result<Done, Trouble> {
    Receive { files, eml }.run(world)
}

impl Receive {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let files = mails_in(&self.files)?;
        let many = files != self.files;
        if folder::find(world).is_err() && !files.is_empty() {
            let mut games = games_below(world.game.as_deref().unwrap_or(Path::new("")))?;
            // Folders of somebody else's, whose secrets are not here, are none of this player's business.
            games.retain(|folder| plays_here(folder, world));
            if !games.is_empty() {
                return self.take_for_all(games, read_all_mail(&files)?, world);
            }
        }
        let mut arrived = if many { read_all_mail(&files)? } else { read_mail(&files)? };
        let offer = arrived.records.iter().any(|record| record.body().seq == 0);
        match (folder::find(world), self.files.first()) {
            (Err(_), Some(file)) if offer => {
                let what = "this is an offer to play, and here is no game folder";
                Err(Trouble::usage(what, format!("accept it: garcia join {}", file.display())))
            }
            (Err(trouble), _) => Err(trouble),
            (Ok(_), _) => {
                let note = left_alone(arrived.others).filter(|_| many);
                arrived.troubles.extend(note);
                self.take(arrived, world)
            }
        }
    }

    /// Gives each game what belongs to it, and says what belongs to none.
    fn take_for_all(&self, games: Vec<PathBuf>, arrived: Arrived, world: &World) -> Result<Done, Trouble> {
        let (mut answers, mut code) = (Vec::new(), exit::GOOD);
        let Arrived { mut records, mut openings, mut papers, mut deposits, mut troubles, others } = arrived;
        for folder in games {
            let Some(game) = folder::records(&folder).ok().and_then(|records| records.first().map(Record::id)) else {
                troubles.push(format!("{} was passed over: its ledger cannot be read", folder.display()));
                continue;
            };
            let (own, rest) = records.into_iter().partition(|record| game_of(record) == game);
            let (given, kept) = openings.into_iter().partition(|openings| openings.game == game);
            (records, openings) = (rest, kept);
            let (said, unsaid) = papers.into_iter().partition(|paper| paper.game == game);
            let (left, elsewhere) = deposits.into_iter().partition(|deposit| deposit.game == game);
            (papers, deposits) = (unsaid, elsewhere);
            let own = Arrived { records: own, openings: given, papers: said, deposits: left, ..Arrived::default() };
            let nothing = own.records.is_empty() && own.openings.is_empty();
            if nothing && own.papers.is_empty() && own.deposits.is_empty() {
                continue;
            }
            let there = World { game: Some(folder.clone()), ..world.clone() };
            let done = self.take(own, &there).unwrap_or_else(|trouble| Done {
                text: match world.json {
                    true => trouble.as_json().text,
                    false => format!("{}\n  {}\n", trouble.what, trouble.remedy),
                },
                code: trouble.code,
            });
            code = code.max(done.code);
            answers.push((folder, done.text));
        }
        let strangers: BTreeSet<String> = records.iter().map(|record| game_of(record).short()).collect();
        for game in strangers {
            let of_it: Vec<&Record> = records.iter().filter(|record| game_of(record).short() == game).collect();
            let offer = of_it.iter().any(|record| record.body().seq == 0);
            let remedy = if offer { "; an offer is among them: `garcia join FILE` accepts it" } else { "" };
            let count = count_of(of_it.len(), "record");
            troubles.push(format!("left alone: {count} of match {game}, which is not here{remedy}"));
        }
        troubles.extend(left_alone(others));
        if world.json {
            let read = |text: &str| serde_json::from_str(text).unwrap_or(serde_json::Value::Null);
            let games: Vec<serde_json::Value> = answers
                .iter()
                .map(|(folder, text)| serde_json::json!({ "folder": folder, "answer": read(text) }))
                .collect();
            return Ok(Done::json(&serde_json::json!({ "games": games, "notes": troubles }))?.with(code));
        }
        let mut text = String::new();
        for (folder, answer) in answers {
            text.push_str(&format!("== {}\n{answer}\n", visible(&folder.display().to_string())));
        }
        text.extend(troubles.iter().map(|trouble| format!("{trouble}\n")));
        Ok(Done::good(text).with(code))
    }

    /// Takes into one game what belongs to it.
    fn take(&self, arrived: Arrived, world: &World) -> Result<Done, Trouble> {
        let Arrived { records, openings, papers, deposits, troubles, .. } = arrived;
        let mut folder = match records.iter().any(is_upgrade) {
            // Who has gone over to the new version before the motion came sits down to hear it all the same.
            true => GameFolder::open(world).or_else(|_| GameFolder::open_for_upgrade(world))?,
            false => GameFolder::open(world)?,
        };
        let mut arrived = records;
        arrived.extend(folder::waiting(&folder.path));
        let mut received = folder.seat.receive(arrived);
        received.early.truncate(MOST_EARLY);
        folder.keep_late(&received.late)?;
        folder.save()?;
        folder.keep_early(&received.early)?;
        let mut notes: Vec<String> = troubles;
        // A record and the openings that came with it count together.
        for given in openings {
            notes.push(entrust(&mut folder, given)?);
        }
        for paper in papers {
            notes.push(keep(&folder, &paper)?);
        }
        for deposit in deposits {
            notes.push(hold(&mut folder, deposit)?);
        }
        let mut made = folder.seat.advance()?;
        if !made.is_empty() && !received.early.is_empty() {
            // What came early may have waited for a record that is made here.
            let again = folder.seat.receive(std::mem::take(&mut received.early));
            received.taken.extend(again.taken);
            received.early = again.early;
            received.refused.extend(again.refused);
            made.extend(folder.seat.advance()?);
        }
        let unfit = folder.seat.take_unfit();
        match &unfit {
            Some(unfit) if unfit.is_his() => folder.keep_unfit(unfit)?,
            Some(unfit) => folder.keep_late(std::slice::from_ref(&unfit.record))?,
            None => {}
        }
        folder.save().map_err(|trouble| folder.is_final(trouble))?;
        folder.keep_early(&received.early)?;
        for record in &received.taken {
            notes.push(format!("taken: {} (signature good)", record.file_name()));
        }
        if received.taken.is_empty() && received.early.is_empty() && !received.known.is_empty() {
            notes.push("These records are in the ledger already; nothing has changed.".to_owned());
        }
        for record in &received.late {
            notes.push(displaced(&folder, record));
        }
        if !received.lost.is_empty() {
            notes.push(format!(
                "Your secrets are older than what you signed: they hold no value for {}. Restore a newer copy of {}; \
                 without it you cannot open what you sealed, and your audit will fail.",
                received.lost.join(", "),
                folder.home.display()
            ));
        }
        let next = folder.seat.ledger().protocol().next();
        let waiting: BTreeSet<(String, bool)> =
            received.early.iter().map(|record| (record.file_name(), record.body().seq < next)).collect();
        for (name, beside) in waiting {
            notes.push(match beside {
                true => format!("{name} waits in the folder: of two results for one place the next record names one."),
                false => format!("{name} came early and waits in the folder."),
            });
        }
        if let Some(missing) = folder.seat.missing() {
            notes.push(next::ask_for(missing));
        }
        let mut refused = None;
        if let Some(unfit) = &unfit {
            let Unfit { record, finding, .. } = unfit;
            let (name, by) = (record.file_name(), &record.body().by);
            let culprit = finding.fault.as_ref().unwrap_or(by);
            notes.push(match unfit.is_his() {
                true => format!(
                    "REFUSED {name}: its openings fit, and what they show breaks the rules: {finding}\n  fault: {by}. Record and \
                     openings lie in refused/. `garcia resolve --absent` goes on without him."
                ),
                false => format!(
                    "{name} cannot be closed: what {culprit} has sealed breaks the rules: {finding}\n  fault: {culprit}, and not {by}, \
                     whose record lies in late/. At its place you may move: `garcia motion` takes back, rules or ends the game."
                ),
            });
            refused = Some(exit::FAULTS);
        }
        for (number, (record, finding)) in received.refused.iter().enumerate() {
            match number {
                0..MOST_REFUSED => notes.push(refusal(&folder, record, finding)?),
                MOST_REFUSED => {
                    let more = received.refused.len() - MOST_REFUSED;
                    notes.push(format!("and {more} more were refused in the same way; they were not kept."));
                }
                _ => {}
            }
            refused.get_or_insert(if finding.fault.is_some() { exit::FAULTS } else { exit::NOBODY });
        }
        for role in folder.seat.lacking() {
            notes.push(format!(
                "Openings of {role} are missing: ask him for the file `…-openings.txt` of his outbox and `garcia receive` it."
            ));
        }
        let told = folder.write_up().map_err(|trouble| folder.is_final(trouble))?;
        // What the report in hand does not show: orders that wait for their result, and turns before the last.
        let told_of = told.as_ref().map(|told| told.page.messages.as_slice()).unwrap_or_default();
        let written = sight::messages(&received.taken);
        for fresh in written.iter().filter(|fresh| !told_of.contains(fresh)) {
            notes.push(message(fresh, world.look));
        }
        // With own orders due the reply waits for them; who has lost the seat has nothing to say.
        let posted = match made.is_empty() && received.taken.is_empty() {
            false if !folder.holds_back() && folder.seat.holds_the_seat() => {
                folder.post(self.eml).map_err(|trouble| folder.is_final(trouble))?
            }
            _ => None,
        };
        let notes: String = notes.iter().map(|note| format!("{note}\n")).collect();
        let done = post::answer(&folder, &notes, told.as_ref(), posted.as_ref(), world)?;
        Ok(match refused {
            Some(code) => done.with(code),
            None => done,
        })
    }
}

/// Whether a record moves to go on with another version of the rules or other data.
fn is_upgrade(record: &Record) -> bool {
    let what = record.body().data.get("what").and_then(|what| what.as_str());
    record.body().kind == RecordKind::Motion && what == Some("upgrade")
}

/// The match a record belongs to; an offer begins one.
fn game_of(record: &Record) -> Id {
    record.body().game.unwrap_or_else(|| record.id())
}

/// Mails that are none of ours.
fn left_alone(mails: usize) -> Option<String> {
    (mails > 0).then(|| format!("left alone: {} without a record", count_of(mails, "mail")))
}

/// Takes openings that came for a game master, if each fits; those that do not fit prove nothing.
fn entrust(folder: &mut GameFolder, given: Openings) -> Result<String, Trouble> {
    let by = given.by;
    if Some(given.game) != folder.seat.ledger().protocol().game() {
        return Ok(format!("Openings of {by} for another game were left aside."));
    }
    let count = count_of(given.reveals.len(), "opening");
    match folder.seat.entrust(&by, given.reveals) {
        Ok(()) => Ok(format!("taken: {count} of {by}, each fits its commitment")),
        Err(LedgerTrouble::Finding { finding, .. }) => Ok(format!(
            "Openings said to be of {by} were left aside: {}. That proves nothing; ask him for them.",
            finding.what
        )),
        Err(trouble) => Err(trouble.into()),
    }
}

/// Whether the player's secrets of the game in a folder are at hand; a ledger that cannot be read is told of later.
fn plays_here(folder: &Path, world: &World) -> bool {
    let game = folder::records(folder).ok().and_then(|records| records.first().map(Record::id));
    let home = crate::trust::home::Home::find(world.home.as_deref()).ok();
    game.zip(home).is_none_or(|(game, home)| home.roles(&game).is_ok_and(|roles| !roles.is_empty()))
}

/// Takes a deposit, if it fits, and signs for it.
fn hold(folder: &mut GameFolder, deposit: Deposit) -> Result<String, Trouble> {
    let role = deposit.role.clone();
    match folder.seat.take_deposit(deposit) {
        Ok(kind) => {
            let (paper, files) = folder.sign_paper(kind)?;
            let mail = files.last().map(|file| file.display().to_string()).unwrap_or_default();
            Ok(format!("taken: {}; the receipt for him: {mail}", super::papers::words(&paper)))
        }
        Err(LedgerTrouble::Finding { finding, .. }) => {
            Ok(format!("A deposit said to be of {role} was left aside: {}. Ask for it again.", finding.what))
        }
        Err(LedgerTrouble::NotDue(what)) => Ok(format!("A deposit of {role} was left aside: {what}.")),
        Err(trouble) => Err(trouble.into()),
    }
}

/// Keeps a paper that somebody of this game has signed.
fn keep(folder: &GameFolder, paper: &Paper) -> Result<String, Trouble> {
    let protocol = folder.seat.ledger().protocol();
    let signed = protocol.keys_of(&paper.by).iter().any(|key| paper.is_signed_by(key));
    if Some(paper.game) != protocol.game() || !signed {
        return Ok(format!("A paper said to be by {} was left aside: of another game, damaged or forged.", paper.by));
    }
    let path = folder.keep_paper(paper)?;
    Ok(format!("taken: {} ({}, signature good)", path.display(), super::papers::words(paper)))
}

/// What became of a good record at whose place another one stands.
fn displaced(folder: &GameFolder, record: &Record) -> String {
    let (name, late) = (record.file_name(), LATE);
    match (record.body().kind.clone(), record.body().by == *folder.seat.role()) {
        (RecordKind::Audit, true) => {
            format!("{name}: another audit stands before yours; yours is signed again behind it.")
        }
        (RecordKind::Audit, false) => {
            format!("{name}: another audit stands at its place; {} signs his again behind it.", record.body().by)
        }
        (RecordKind::Result, _) => {
            format!(
                "W76-LATE  {name}: another result of the same orders stands, with the same dice. It lies in {late}/."
            )
        }
        (_, true) => format!(
            "W76-LATE  {name} is yours, and the game master went on without it: his record stands at its place. \
             Yours lies in {late}/. No fault, and no proof of when it was sent."
        ),
        (_, false) => format!(
            "W76-LATE  {name} came after the game went on without {}. It lies in {late}/. No fault.",
            record.body().by
        ),
    }
}

/// Why a record was not taken, and what to do. What is signed is kept: it proves who signed it.
fn refusal(folder: &GameFolder, record: &Record, finding: &Finding) -> Result<String, Trouble> {
    let name = record.file_name();
    let Some(fault) = &finding.fault else {
        let remedy = match finding.code {
            Code::Engine => {
                "The game goes on with another garcia or other data: get them from whoever moved it, put data files into data/, \
                 and `garcia receive` this mail again."
            }
            Code::Game => "It belongs to another game: run `garcia receive` in that game's folder.",
            Code::Signature | Code::Canon | Code::Armour => {
                "It was damaged or forged on the way; nobody is to blame. Ask for it again, best as an attachment."
            }
            _ => "Nobody is to blame. Ask for it again; `garcia compare` shows where two copies of a ledger part.",
        };
        return Ok(format!("REFUSED {name}: {finding}\n  {remedy}"));
    };
    let kept = folder.keep_refused(record)?;
    let mut text = format!("REFUSED {name}: it is not taken into the ledger.\n");
    match folder.verify_with(record, &kept.display().to_string()).divergence {
        Some(divergence) => text.push_str(&divergence.report("")),
        None => text.push_str(&format!("  {finding}\n")),
    }
    let folder = match folder.path.as_os_str().is_empty() {
        true => String::new(),
        false => format!(" {}", folder.path.display()),
    };
    text.push_str(&format!(
        "  kept as evidence; check it: garcia verify{folder} --with {}\n  \
         The game stands as it was before. Ask {fault} for an explanation and a right record.",
        kept.display()
    ));
    Ok(text)
}
