//! `garcia send` and `garcia resend`: sign orders and make the mail; make the same mail again.

use std::fs;
use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;

use clap::Args;

use crate::engine::digest::sha256;
use crate::engine::submission::Submission;
use crate::engine::{Flow, Stop};
use crate::trust::Id;
use crate::trust::data::Mode;
use crate::trust::record::Record;
use crate::trust::role::Role;
use crate::trust::store::{Readers, write_whole};

use super::check::{packet, warned};
use super::folder::{GameFolder, ORDERS};
use super::next;
use super::post;
use super::{Done, Trouble, World};

/// Check and sign an order file and make the mail that carries it.
///
/// It shows what will be signed and asks once, for what is signed is final: a second version of the same orders would
/// convict you, and garcia refuses to sign it. Results you owe go into the same mail. garcia sends nothing itself.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia send orders/t3-us-turn.yaml
  garcia send shafter.yaml wheeler.yaml      the files of two commanders of one side, as one packet
  garcia send orders/t3-us-turn.yaml --eml   a draft for your mail program, report and attachments included
  garcia send --yes orders/t3-us-turn.yaml   in a script: signs without asking")]
pub struct Send {
    /// The order file, or several of one side; `-` reads standard input.
    #[arg(value_name = "ORDERS", required = true)]
    files: Vec<PathBuf>,
    /// Write a draft that mail programs open.
    #[arg(long)]
    eml: bool,
    /// Sign without asking.
    #[arg(short, long)]
    yes: bool,
}

impl Send {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let asks = if self.yes { Asks::Nobody } else { Asks::Player };
        at_folder(GameFolder::open(world)?, &Given::Files(self.files), asks, self.eml, world)
    }
}

/// Who is asked before something is signed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asks {
    Player,
    Nobody,
}

/// Signs one order file and makes the mail.
pub fn signed(file: PathBuf, eml: bool, world: &World) -> Result<Done, Trouble> {
    Send { files: vec![file], eml, yes: true }.run(world)
}

/// What is to be signed.
pub enum Given {
    /// Order files of one side.
    Files(Vec<PathBuf>),
    /// Nothing: a game master goes on without a player who sent nothing, if this record is the last.
    Nothing {
        /// Its number.
        after: Option<u32>,
    },
}

/// Game master: enters what was said for a side, closes it and makes the mails, in one step.
pub fn enter(folder: GameFolder, said: &Given, eml: bool, world: &World) -> Result<Done, Trouble> {
    if *folder.seat.role() != Role::gm() {
        let remedy = "`garcia send FILE` signs your orders; the game master closes them";
        return Err(Trouble::usage("the game master resolves this game", remedy));
    }
    at_folder(folder, said, Asks::Nobody, eml, world)
}

/// Signs what was said, closes what can be closed here, and makes the mail.
fn at_folder(mut folder: GameFolder, said: &Given, asks: Asks, eml: bool, world: &World) -> Result<Done, Trouble> {
    folder.seat.advance()?;
    folder.save()?;
    if let Given::Nothing { after } = said {
        if folder.went_on_unposted() {
            let notes = "This finishes what was interrupted: you had gone on without a player already, and nothing more is signed.\n";
            return told(&folder, notes, eml, world);
        }
        check_after(&folder, *after)?;
    }
    if matches!(said, Given::Nothing { .. })
        && let Some(waiting) = folder.seat.give_up_waiting()?
    {
        if folder.has_receipt(&waiting) {
            let what = format!("you have signed a receipt for record {} of {}", waiting.body().seq, waiting.body().by);
            let remedy = "another record of yours at its place would be your fault; ask him for its openings";
            return Err(Trouble::usage(what, remedy));
        }
        folder.keep_late(&[waiting])?;
    }
    let due = match said {
        Given::Nothing { .. } => folder.seat.silent(),
        Given::Files(_) => folder.seat.to_decide(),
    };
    if due.is_none() {
        return Err(Trouble::usage("no orders are due from you now", folder.next_line()));
    }
    let mut notes = String::new();
    match said {
        Given::Nothing { .. } => drop(folder.seat.no_moves()?),
        Given::Files(files) => {
            let (submission, warnings) = folder.sight().check(files)?;
            notes = warned(&warnings, world);
            if asks == Asks::Player && !agrees(&folder, &submission, &notes, world)? {
                return Ok(Done::good("Nothing was signed and nothing has changed; edit the file and send it then.\n"));
            }
            let file = kept_file(&folder, files)?;
            folder.seat.enter(&submission, file)?;
        }
    }
    folder.save().map_err(|trouble| folder.is_final(trouble))?;
    folder.seat.advance()?;
    folder.save().map_err(|trouble| folder.is_final(trouble))?;
    told(&folder, &notes, eml, world)
}

/// Who types once more to go on without a player, or was interrupted when only the answer was missing, does not mean the
/// next one, who had no time to send anything.
fn check_after(folder: &GameFolder, after: Option<u32>) -> Result<(), Trouble> {
    let last = folder.seat.ledger().protocol().next().saturating_sub(1);
    match (after, next::passed_over(folder.seat.ledger())) {
        (Some(after), _) if after != last => {
            let what = format!("record {after} is not the last: the ledger goes on to record {last}");
            Err(Trouble::usage(
                what,
                "`garcia report` tells what happened, `garcia status` who is due; nothing was signed",
            ))
        }
        (None, Some(passed)) => {
            let what =
                format!("the game has just gone on without {passed}, in record {last}, and nothing has come since");
            let who = folder.seat.silent().map_or_else(|| "whoever is due".to_owned(), |side| side.to_string());
            let remedy = format!(
                "nothing was signed; `garcia report` tells it. `garcia resolve --absent --after {last}` goes on without {who} too"
            );
            Err(Trouble::usage(what, remedy))
        }
        _ => Ok(()),
    }
}

/// Writes state and reports, and makes the mail.
fn told(folder: &GameFolder, notes: &str, eml: bool, world: &World) -> Result<Done, Trouble> {
    let told = folder.write_up().map_err(|trouble| folder.is_final(trouble))?;
    let posted = folder.post(eml).map_err(|trouble| folder.is_final(trouble))?;
    post::answer(folder, notes, told.as_ref(), posted.as_ref(), world)
}

/// Shows what is about to be signed and what cannot be taken back, and asks.
fn agrees(folder: &GameFolder, submission: &Submission, warnings: &str, world: &World) -> Result<bool, Trouble> {
    let summary = summary(folder, submission)?;
    if world.json || !std::io::stdin().is_terminal() {
        if !world.json {
            print!("{warnings}{summary}");
        }
        let what = "nothing is signed yet: `send` asks first, and there is nobody here to answer";
        return Err(Trouble::usage(what, "in a script say `garcia send --yes FILE`; `garcia check FILE` only looks"));
    }
    let (mut out, mut line) = (std::io::stdout().lock(), String::new());
    let asked = write!(out, "{warnings}{summary}Sign it and make the mail? [y/N] ").and_then(|()| out.flush());
    asked.and_then(|()| std::io::stdin().read_line(&mut line)).map_err(|error| Trouble::bug(error.to_string()))?;
    Ok(is_yes(&line))
}

/// Anything but a plain yes is no.
pub(super) fn is_yes(line: &str) -> bool {
    ["y", "yes"].contains(&line.trim().to_lowercase().as_str())
}

/// What is about to be signed, and what cannot be taken back then.
fn summary(folder: &GameFolder, submission: &Submission) -> Result<String, Trouble> {
    let sight = folder.sight();
    let packet = packet(&sight, submission)?;
    let yaml = serde_yaml::to_string(&packet).map_err(|error| Trouble::bug(error.to_string()))?;
    let protocol = sight.ledger.protocol();
    let orders = if submission.orders.is_some() { "orders" } else { "answers" };
    let planned = matches!(sight.stop(), Stop::Orders { flow: Flow::Plan, .. });
    let read = match (protocol.mode(), protocol.is_private(), planned) {
        (Mode::Gm, true, _) => "the game master alone reads what you sealed, and his dice are rolled for it",
        (Mode::Gm, false, _) => "the game master reads them, and his dice are rolled for them",
        (_, _, true) if submission.orders.is_some() => {
            "they are sealed: your opponent sees what is carried out, and the rest when the game is over"
        }
        _ => "your opponent reads all of them, and the dice are rolled when he takes the mail",
    };
    let mut text = format!("What will be signed for {}:\n{yaml}\n", submission.side);
    text.push_str("What cannot be taken back then:\n");
    text.push_str(&format!("  these {orders}: another version of them would convict you;\n  {read}\n"));
    if submission.note.is_some() {
        text.push_str("  the note, which he reads as it stands\n");
    }
    let owed: Vec<String> = folder.seat.outgoing().iter().map(Record::file_name).collect();
    if !owed.is_empty() {
        text.push_str(&format!("  signed already, in the same mail: {}\n", owed.join(", ")));
    }
    if submission.orders.is_some() {
        text.push_str("Standing orders can be replaced with your next orders. Until you agree nothing is final.\n");
    }
    Ok(text)
}

/// Keeps the plain file that a game master enters for somebody, and gives back its hash: what was sent can be shown later.
fn kept_file(folder: &GameFolder, files: &[PathBuf]) -> Result<Option<Id>, Trouble> {
    if *folder.seat.role() != Role::gm() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    for file in files {
        let Ok(text) = fs::read(file) else {
            // Standard input is gone once it is read; what is entered for somebody has to stay.
            let remedy = "save them as a file first: it is kept beside the ledger, and its hash goes into the record";
            return Err(Trouble::usage("orders entered for a player cannot come from standard input", remedy));
        };
        bytes.extend(text);
    }
    let hash = sha256(&bytes);
    let name = files.first().and_then(|file| file.file_name());
    let name = name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let kept = folder.path.join(ORDERS).join(format!("{}-{name}", hash.get(..8).unwrap_or_default()));
    let there = fs::read_dir(folder.path.join(ORDERS)).into_iter().flatten().flatten();
    if !there.into_iter().any(|entry| fs::read(entry.path()).is_ok_and(|other| other == bytes)) {
        write_whole(&kept, &bytes, Readers::Anyone)?;
    }
    Ok(hash.parse().ok())
}

/// Make the last mail again, byte for byte.
///
/// There is no way to improve what was signed: a lost mail is repeated, never revised.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia resend             the mail was lost: the same records once more
  garcia resend --eml       as a draft for your mail program
  garcia resend --from 12   all records from number 12 on, for somebody who has lost more")]
pub struct Resend {
    /// Write a draft that mail programs open.
    #[arg(long)]
    eml: bool,
    /// All records from this number on, whoever signed them.
    #[arg(long, value_name = "NUMBER")]
    from: Option<u32>,
}

/// The last mail once more.
pub fn again(eml: bool, world: &World) -> Result<Done, Trouble> {
    Resend { eml, from: None }.run(world)
}

impl Resend {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let mut folder = GameFolder::open(world)?;
        folder.save()?;
        let records = folder.seat.ledger().records();
        let posted = match self.from {
            None => folder.post(self.eml)?,
            Some(from) => {
                let from = usize::try_from(from).unwrap_or(usize::MAX);
                let Some(wanted) = records.get(from..).filter(|wanted| !wanted.is_empty()) else {
                    let what = format!("the ledger ends with record {}", records.len().saturating_sub(1));
                    return Err(Trouble::usage(what, "name an earlier one"));
                };
                let last = records.len().saturating_sub(1);
                Some(folder.post_records(wanted, &format!("{from:04}-{last:04}"), self.eml)?)
            }
        };
        match posted {
            Some(posted) => post::answer(&folder, "", None, Some(&posted), world),
            None => Err(Trouble::usage("there is nothing to send: the other player spoke last", folder.next_line())),
        }
    }
}
