//! `garcia receive`: takes what came, closes what is due, and says what to mail back.

use std::path::PathBuf;

use clap::Args;

use super::desk::{self, Desk, read_mail};
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
        let (records, troubles) = read_mail(&self.files)?;
        let mut desk = Desk::open(world)?;
        let mut arrived = records;
        arrived.extend(desk.waiting());
        let received = desk.seat.receive(arrived);
        desk.save()?;
        desk.keep_waiting(&received.early)?;
        let mut notes: Vec<String> = troubles;
        for record in &received.taken {
            notes.push(format!("taken: {} (signature good)", record.file_name()));
        }
        if received.taken.is_empty() && !received.known.is_empty() {
            notes.push("these records are in the ledger already".to_owned());
        }
        for record in &received.early {
            let next = desk.seat.ledger().records().len();
            notes.push(format!("{} came early and waits: record {next} is missing; ask for it", record.file_name()));
        }
        let mut refused = None;
        for (record, finding) in &received.refused {
            notes.push(format!("REFUSED {}: {finding}", record.file_name()));
            refused.get_or_insert(if finding.fault.is_some() { exit::FAULTS } else { exit::NOBODY });
        }
        let made = desk.seat.advance()?;
        desk.save()?;
        let page = desk.write_up()?;
        let posted = match made.is_empty() && received.taken.is_empty() {
            true => None,
            // With own orders due the reply waits for them: one mail carries both.
            false if desk.seat.to_decide().is_some() => None,
            false => desk.post(self.eml, page.as_ref())?,
        };
        let notes: String = notes.iter().map(|note| format!("{note}\n")).collect();
        let done = desk::answer(&desk, &notes, page.as_ref(), posted.as_ref(), world)?;
        Ok(match refused {
            Some(code) => done.with(code),
            None => done,
        })
    }
}
