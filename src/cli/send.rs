//! `garcia send` and `garcia resend`: sign orders and make the mail; make the same mail again.

use std::path::PathBuf;

use clap::Args;

use crate::trust::role::Role;

use super::check::warned;
use super::desk::{self, Desk};
use super::{Done, Trouble, World};

/// Check and sign an order file and make the mail that carries it.
///
/// What is signed is final: a second version of the same orders would convict you, and garcia refuses to sign it.
/// Results you owe go into the same mail. garcia sends nothing itself.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia send orders/t3-us-turn.yaml
  garcia send shafter.yaml wheeler.yaml      the files of two commanders of one side, as one packet
  garcia send orders/t3-us-turn.yaml --eml   a draft for your mail program, report and attachments included")]
pub struct Send {
    /// The order file, or several of one side; `-` reads standard input.
    #[arg(value_name = "ORDERS", required = true)]
    files: Vec<PathBuf>,
    /// Write a draft that mail programs open.
    #[arg(long)]
    eml: bool,
}

impl Send {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        at_desk(Desk::open(world)?, &Given::Files(self.files), self.eml, world)
    }
}

/// What is to be signed.
pub enum Given {
    /// Order files of one side.
    Files(Vec<PathBuf>),
    /// Nothing: a game master goes on without a player who sent nothing.
    Nothing,
}

/// Game master: enters what was said for a side, closes it and makes the mails, in one step.
pub fn enter(said: &Given, eml: bool, world: &World) -> Result<Done, Trouble> {
    let desk = Desk::open(world)?;
    if *desk.seat.role() != Role::gm() {
        let remedy = "`garcia send FILE` signs your orders; the game master closes them";
        return Err(Trouble::usage("the game master resolves this game", remedy));
    }
    at_desk(desk, said, eml, world)
}

/// Signs what was said, closes what can be closed here, and makes the mail.
fn at_desk(mut desk: Desk, said: &Given, eml: bool, world: &World) -> Result<Done, Trouble> {
    desk.seat.advance()?;
    desk.save()?;
    if desk.seat.to_decide().is_none() {
        return Err(Trouble::usage("no orders are due from you now", desk.next_line()));
    }
    let mut notes = String::new();
    match said {
        Given::Nothing => drop(desk.seat.no_moves()?),
        Given::Files(files) => {
            let (submission, warnings) = desk.campaign().check(files)?;
            notes = warned(&warnings, world);
            desk.seat.send(&submission)?;
        }
    }
    desk.save()?;
    desk.seat.advance()?;
    desk.save()?;
    let told = desk.write_up()?;
    let posted = desk.post(eml)?;
    desk::answer(&desk, &notes, told.as_ref(), posted.as_ref(), world)
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

impl Resend {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let mut desk = Desk::open(world)?;
        desk.save()?;
        let records = desk.seat.ledger().records();
        let posted = match self.from {
            None => desk.post(self.eml)?,
            Some(from) => {
                let from = usize::try_from(from).unwrap_or(usize::MAX);
                let Some(wanted) = records.get(from..).filter(|wanted| !wanted.is_empty()) else {
                    let what = format!("the ledger ends with record {}", records.len().saturating_sub(1));
                    return Err(Trouble::usage(what, "name an earlier one"));
                };
                let last = records.len().saturating_sub(1);
                Some(desk.post_records(wanted, &format!("{from:04}-{last:04}"), self.eml)?)
            }
        };
        match posted {
            Some(posted) => desk::answer(&desk, "", None, Some(&posted), world),
            None => Err(Trouble::usage("there is nothing to send: the other player spoke last", desk.next_line())),
        }
    }
}
