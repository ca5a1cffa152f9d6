//! `garcia receive`: takes what came, closes what is due, and says what to mail back.

use std::path::PathBuf;

use clap::Args;

use crate::engine::count_of;
use crate::mail::Openings;
use crate::trust::finding::{Code, Finding};
use crate::trust::ledger::LedgerTrouble;
use crate::trust::record::{Record, RecordKind};
use crate::trust::seat::Unfit;

use super::folder::{self, GameFolder, LATE};
use super::next;
use super::post::{self, Arrived, read_mail};
use super::{Done, Trouble, World, exit};

/// Take a mail: verify what came, close the opponent's orders, write state and report, prepare the reply.
///
/// Reads record files, armoured text inside any text, `.eml` and mbox files, with quoting, line ends, attachments and
/// encodings as mail programs make them. Records that came too early wait in the folder until the missing one arrives.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia receive 0005-garcia.txt         an attachment
  garcia receive turn.eml                a saved mail
  pbpaste | garcia receive -             text copied out of a mail
  garcia receive                         only what is due from here: a result, a call, an audit")]
pub struct Receive {
    /// Files to read; `-` reads standard input.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write the reply as a draft that mail programs open.
    #[arg(long)]
    eml: bool,
}

impl Receive {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let Arrived { records, openings, troubles } = read_mail(&self.files)?;
        let offer = records.iter().any(|record| record.body().seq == 0);
        let mut folder = match (GameFolder::open(world), self.files.first()) {
            (Err(_), Some(file)) if offer && folder::find(world).is_err() => {
                let what = "this is an offer to play, and here is no game folder";
                return Err(Trouble::usage(what, format!("accept it: garcia join {}", file.display())));
            }
            (opened, _) => opened?,
        };
        let mut arrived = records;
        arrived.extend(folder::waiting(&folder.path));
        let mut received = folder.seat.receive(arrived);
        folder.keep_late(&received.late)?;
        folder.save()?;
        folder.keep_early(&received.early)?;
        let mut notes: Vec<String> = troubles;
        // A record and the openings that came with it count together.
        for given in openings {
            notes.push(entrust(&mut folder, given)?);
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
        if let Some(unfit) = &unfit {
            folder.keep_unfit(unfit)?;
        }
        folder.save()?;
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
        for record in &received.early {
            notes.push(format!("{} came early and waits in the folder.", record.file_name()));
        }
        if let Some(missing) = folder.seat.missing() {
            notes.push(next::ask_for(missing));
        }
        let mut refused = None;
        if let Some(Unfit { record, finding, .. }) = &unfit {
            notes.push(format!(
                "REFUSED {}: its openings fit, and what they show breaks the rules: {finding}\n  fault: {}. Record and \
                 openings lie in refused/. `garcia resolve --absent` goes on without him.",
                record.file_name(),
                record.body().by
            ));
            refused = Some(exit::FAULTS);
        }
        for (record, finding) in &received.refused {
            notes.push(refusal(&folder, record, finding)?);
            refused.get_or_insert(if finding.fault.is_some() { exit::FAULTS } else { exit::NOBODY });
        }
        for role in folder.seat.lacking() {
            notes.push(format!(
                "Openings of {role} are missing: ask him for the file `…-openings.txt` of his outbox and `garcia receive` it."
            ));
        }
        let told = folder.write_up()?;
        // With own orders due the reply waits for them.
        let posted = match made.is_empty() && received.taken.is_empty() {
            false if !folder.holds_back() => folder.post(self.eml)?,
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

/// What became of a good record at whose place another one stands.
fn displaced(folder: &GameFolder, record: &Record) -> String {
    let (name, late) = (record.file_name(), LATE);
    match (record.body().kind.clone(), record.body().by == *folder.seat.role()) {
        (RecordKind::Audit, true) => {
            format!("{name}: another audit stands before yours; yours is signed again behind it.")
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
