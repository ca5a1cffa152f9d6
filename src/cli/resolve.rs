//! `garcia resolve`: checks, rolls, writes the new state and the report.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::engine::Stop;
use crate::report::{TurnReport, terminal};
use crate::trust::data::Mode;
use crate::trust::record::Record;
use crate::trust::seat::Awaited;

use super::check::warned;
use super::folder::{GameFolder, STATE};
use super::send::{self, Given};
use super::sight::Sight;
use super::{Done, Trouble, World, opponent};

/// Carry orders out: check, sign, roll, write the new state and the report.
///
/// What is signed is final: there is no undo, and giving other orders for the same moment is refused. If anything is
/// wrong with the file, nothing happens.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia resolve orders/t3-us-turn.yaml
  garcia resolve shafter.yaml wheeler.yaml     the files of two commanders of one side, as one packet
  garcia resolve                               after an interruption: close what was signed already
  garcia resolve miles.yaml                    game master: enter the file of one who does not sign
  garcia resolve --absent                      game master: go on without a player who sent nothing
  garcia resolve --absent --after 9            and without the next one, if record 9 is the last")]
pub struct Resolve {
    /// The order file, or several of one side; `-` reads standard input.
    #[arg(value_name = "ORDERS")]
    files: Vec<PathBuf>,
    /// Game master: no orders came; the rules say what a silent player does, and the record says so.
    #[arg(long, conflicts_with = "files")]
    absent: bool,
    /// With --absent: only if this record is the last; typed again, nobody else is passed over.
    #[arg(long, value_name = "NUMBER", requires = "absent")]
    after: Option<u32>,
    /// Game master: write the mails as drafts that mail programs open.
    #[arg(long)]
    eml: bool,
}

impl Resolve {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let folder = GameFolder::open(world)?;
        match folder.seat.ledger().protocol().mode() {
            Mode::Solo if self.absent => {
                Err(Trouble::usage("only a game master goes on without a player", "give the orders yourself"))
            }
            Mode::Solo => alone(folder, &self.files, world),
            Mode::TwoPlayer => {
                let what = "between two players nobody resolves his own orders";
                Err(Trouble::usage(what, "`garcia send FILE` signs them; your opponent's garcia closes them"))
            }
            Mode::Gm if self.absent => send::enter(folder, &Given::Nothing { after: self.after }, self.eml, world),
            Mode::Gm if !self.files.is_empty() => send::enter(folder, &Given::Files(self.files), self.eml, world),
            Mode::Gm => {
                let remedy = "`garcia resolve FILE` enters one; `garcia receive FILE` takes a signed mail";
                Err(Trouble::usage("which orders? no file is named", remedy))
            }
        }
    }
}

/// Carries one order file out.
pub fn carried_out(file: PathBuf, eml: bool, world: &World) -> Result<Done, Trouble> {
    Resolve { files: vec![file], absent: false, after: None, eml }.run(world)
}

/// Goes on: closes what was signed already.
pub fn gone_on(eml: bool, world: &World) -> Result<Done, Trouble> {
    Resolve { files: Vec::new(), absent: false, after: None, eml }.run(world)
}

/// Game master: goes on after this record without a player who sent nothing.
pub fn without(after: Option<u32>, eml: bool, world: &World) -> Result<Done, Trouble> {
    Resolve { files: Vec::new(), absent: true, after, eml }.run(world)
}

/// Solo: signs the orders of the side that is due and closes them at once.
pub fn alone(mut folder: GameFolder, files: &[PathBuf], world: &World) -> Result<Done, Trouble> {
    let first = folder.saved();
    let mut notes = String::new();
    match (matches!(folder.seat.ledger().awaited(), Awaited::Result(_)), files.is_empty()) {
        (true, true) => {}
        (false, true) if opponent::is_due(&folder) => {}
        (true, false) => {
            let what = "orders are signed already and wait for their result";
            return Err(Trouble::usage(what, "run `garcia resolve` without a file first"));
        }
        (false, true) => {
            let remedy = "`garcia template --write` makes one; `garcia resolve FILE` carries it out";
            return Err(Trouble::usage("which orders? no file is named", remedy));
        }
        (false, false) => {
            let (submission, warnings) = folder.sight().check(files)?;
            notes = warned(&warnings, world);
            folder.seat.send(&submission)?;
        }
    }
    // The orders are on disk before the dice are known.
    folder.save().map_err(|trouble| folder.is_final(trouble))?;
    folder.seat.advance()?;
    folder.save().map_err(|trouble| folder.is_final(trouble))?;
    // What the opponent does is told after what the player's own orders came to.
    if opponent::is_due(&folder) {
        let own = folder.sight().turn_report().filter(|_| folder.saved() > first).map(|report| report.page());
        notes.push_str(&opponent::told(&own.into_iter().collect::<Vec<_>>(), world));
        let mut pages = opponent::play(&mut folder)?;
        pages.pop();
        notes.push_str(&opponent::told(&pages, world));
    }
    folder.write_up().map_err(|trouble| folder.is_final(trouble))?;
    let sight = folder.sight();
    let new = sight.ledger.records().get(first..).unwrap_or_default();
    answer(&sight, new, &notes, world)
}

fn answer(sight: &Sight, new: &[Record], notes: &str, world: &World) -> Result<Done, Trouble> {
    let report = sight.turn_report().ok_or_else(|| Trouble::bug("a result without a journal"))?;
    let (page, path, state) = (report.page(), sight.report_path(), sight.folder.join(STATE));
    if world.json {
        return json_answer(sight, &report, new, &path);
    }
    let mut text = format!("{notes}{}\n", terminal(&page, world.look));
    text.push_str(&format!("Written: {} and {}\n", state.display(), path.display()));
    match sight.stop() {
        Stop::End => text.push_str("Next: garcia verify\n"),
        _ => text.push_str("Next: garcia template --write\n"),
    }
    Ok(Done::good(text))
}

fn json_answer(sight: &Sight, report: &TurnReport<'_>, new: &[Record], path: &Path) -> Result<Done, Trouble> {
    let table = sight.table();
    let events = table.events(report.journal, None).map_err(|error| Trouble::bug(error.to_string()))?;
    let records: Vec<String> = new.iter().map(Record::file_name).collect();
    let stop = sight.stop();
    Done::json(&json!({
        "ok": true,
        "records": records,
        "report": path.display().to_string(),
        "events": events,
        "told": report.told,
        "due": { "who": stop.who(), "ask": stop.ask() },
        "verdict": table.verdict(sight.view(None).state),
    }))
}
