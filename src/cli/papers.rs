//! `garcia notice`, `garcia object`, `garcia receipt`: papers beside the ledger. They prove that something was said.

use std::path::PathBuf;

use clap::Args;

use crate::trust::bytes::Id;
use crate::trust::paper::{Kind, Paper};
use crate::trust::role::Role;

use super::folder::GameFolder;
use super::{Done, Trouble, World};

/// Say that you wait for a record that is owed.
///
/// A notice changes nothing. A director needs it to sign for somebody who fell silent.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia notice           the other owes a result, a call or an answer")]
pub struct Notice {}

/// Object to a record: it stays where it is, and everybody can see that you did not agree.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia object 9 --note \"I was not asked about the retreat\"")]
pub struct Object {
    /// The number of the record.
    record: u32,
    /// Why.
    #[arg(long)]
    note: String,
}

/// Sign that you have a record, and that nothing else stood at its place.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia receipt 8        you hold the orders of record 8, whatever a game master says came")]
pub struct Receipt {
    /// The number of the record.
    record: u32,
}

fn of_record(folder: &GameFolder, number: u32) -> Result<Id, Trouble> {
    let records = folder.seat.ledger().records();
    let at = usize::try_from(number).unwrap_or(usize::MAX);
    records.get(at).map(|record| record.id()).ok_or_else(|| {
        let what = format!("there is no record {number}");
        Trouble::usage(what, format!("the ledger ends with record {}", records.len().saturating_sub(1)))
    })
}

/// Signs a paper, keeps it, and says whom to mail it to.
fn signed(folder: &GameFolder, kind: Kind, why: &str) -> Result<Done, Trouble> {
    let (paper, files) = folder.sign_paper(kind)?;
    Ok(told(&paper, &files, why))
}

fn told(paper: &Paper, files: &[PathBuf], why: &str) -> Done {
    let mut text = format!("Signed: {} {}\n{why}\n", paper.kind.word(), paper.id().short());
    if let [kept, mail] = files {
        text.push_str(&format!("Kept as {}; mail {} to everybody concerned.\n", kept.display(), mail.display()));
    }
    Done::good(text)
}

/// What a paper says, in a line.
pub fn words(paper: &Paper) -> String {
    crate::trust::remarks::of_paper(paper)
}

impl Notice {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let folder = GameFolder::open(world)?;
        let protocol = folder.seat.ledger().protocol();
        let owed = protocol.owed().filter(|(role, _)| role != folder.seat.role());
        let Some((owes, what)) = owed else {
            return Err(Trouble::usage("nobody owes you anything now", folder.next_line()));
        };
        if *folder.seat.role() == Role::director() {
            return Err(Trouble::usage("a notice is of the one who waits", "ask him for it"));
        }
        let why = format!("{owes} owes: {what}, after record {}.", protocol.next().saturating_sub(1));
        let kind = Kind::Notice { record: protocol.head(), owes, what: what.to_owned() };
        signed(&folder, kind, &why)
    }
}

impl Object {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let folder = GameFolder::open(world)?;
        let record = of_record(&folder, self.record)?;
        let why = format!("You object to record {}. It changes nothing, and `garcia verify` lists it.", self.record);
        signed(&folder, Kind::Object { record, note: self.note }, &why)
    }
}

impl Receipt {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let folder = GameFolder::open(world)?;
        let record = of_record(&folder, self.record)?;
        let why = format!("You hold record {}, and nothing else stood at its place.", self.record);
        signed(&folder, Kind::Receipt { record }, &why)
    }
}
