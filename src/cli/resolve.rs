//! `garcia resolve`: checks, rolls, writes the new state and the report.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::engine::Stop;
use crate::engine::json::Json;
use crate::engine::submission::Submission;
use crate::report::{TurnReport, markdown, terminal};
use crate::trust::data::Answer;
use crate::trust::ledger::{Pen, Speech};
use crate::trust::record::Record;
use crate::trust::role::Role;
use crate::trust::store::{LedgerFolder, Lock, Readers, write_whole};

use super::campaign::{self, Campaign};
use super::check::warned;
use super::send::{self, Given};
use super::status::owes_result;
use super::{Done, Trouble, World};

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
  garcia resolve --absent                      game master: go on without a player who sent nothing")]
pub struct Resolve {
    /// The order file, or several of one side; `-` reads standard input.
    #[arg(value_name = "ORDERS")]
    files: Vec<PathBuf>,
    /// Game master: no orders came; the rules say what a silent player does, and the record says so.
    #[arg(long, conflicts_with = "files")]
    absent: bool,
    /// Game master: write the mails as drafts that mail programs open.
    #[arg(long)]
    eml: bool,
}

impl Resolve {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let folder = campaign::find(world)?;
        let records = campaign::records(&folder)?;
        let mode = records.first().and_then(|genesis| genesis.body().data.get("mode")).and_then(Json::as_str);
        match mode {
            Some("two-player") => {
                let what = "between two players nobody resolves his own orders";
                return Err(Trouble::usage(what, "`garcia send FILE` signs them; your opponent's garcia closes them"));
            }
            Some("gm") if self.absent => return send::enter(&Given::Nothing, self.eml, world),
            Some("gm") if !self.files.is_empty() => return send::enter(&Given::Files(self.files), self.eml, world),
            Some("gm") => {
                let remedy = "`garcia resolve FILE` enters one; `garcia receive FILE` takes a signed mail";
                return Err(Trouble::usage("which orders? no file is named", remedy));
            }
            _ if self.absent => {
                return Err(Trouble::usage("only a game master goes on without a player", "give the orders yourself"));
            }
            _ => {}
        }
        let held = Lock::take(&folder)?;
        let mut campaign = Campaign::replay(folder.clone(), records)?;
        let home = campaign::home(world)?;
        let key = home.identity()?;
        let game = campaign.ledger.protocol().game().ok_or_else(|| Trouble::bug("a ledger without a game"))?;
        let mut file = home.game(&game, &Role::solo()).map_err(|trouble| {
            let remedy = "the secrets of this game are not here; name their folder with `--home DIR`";
            Trouble::new(super::exit::NO_INPUT, trouble.to_string(), remedy)
        })?;
        let mut pen = Pen { key: &key, file: &mut file };
        let mut new: Vec<Record> = Vec::new();
        let mut notes = String::new();
        let interrupted = owes_result(&campaign);
        match (interrupted, self.files.is_empty()) {
            (true, true) => {}
            (true, false) => {
                let what = "orders are signed already and wait for their result";
                return Err(Trouble::usage(what, "run `garcia resolve` without a file first"));
            }
            (false, true) => {
                let remedy = "`garcia template --write` makes one; `garcia resolve FILE` carries it out";
                return Err(Trouble::usage("which orders? no file is named", remedy));
            }
            (false, false) => {
                let (submission, warnings) = campaign.check(&self.files)?;
                notes = warned(&warnings, world);
                let speech = speech(&campaign, submission)?;
                new.push(campaign.ledger.speak(speech, &mut pen)?);
            }
        }
        let ledger = LedgerFolder::of_game(&folder);
        // The orders are on disk before the dice are known.
        for record in &new {
            ledger.add(record, &held)?;
        }
        let result = campaign.ledger.close(&mut pen)?;
        ledger.add(&result, &held)?;
        new.push(result);
        campaign.refresh();
        answer(&campaign, &new, &notes, world)
    }
}

/// A checked order file as it is signed.
pub fn speech(campaign: &Campaign, submission: Submission) -> Result<Speech, Trouble> {
    let orders = submission.orders.as_ref().map(|orders| campaign.table().orders_json(orders)).transpose();
    Ok(Speech {
        orders: orders.map_err(|error| Trouble::bug(error.to_string()))?,
        policies: submission.policies,
        standing: submission.standing,
        answers: submission.answers.into_iter().map(|(key, choice)| Answer { key, choice }).collect(),
    })
}

/// The file a report is kept in: the number of the result and the moment.
pub fn report_path(folder: &Path, campaign: &Campaign) -> PathBuf {
    let number = campaign.ledger.records().len().saturating_sub(1);
    let span = campaign.ledger.protocol().span();
    let side = span.map_or("all", |span| span.side.as_str());
    folder.join("reports").join(format!("{number:04}-{side}.md"))
}

fn answer(campaign: &Campaign, new: &[Record], notes: &str, world: &World) -> Result<Done, Trouble> {
    let report = campaign.turn_report().ok_or_else(|| Trouble::bug("a result without a journal"))?;
    let page = report.page();
    let path = report_path(&campaign.folder, campaign);
    write_whole(&path, markdown(&page).as_bytes(), Readers::Anyone)?;
    let state = campaign.write_state()?;
    if world.json {
        return json_answer(campaign, &report, new, &path);
    }
    let mut text = format!("{notes}{}\n", terminal(&page, world.look));
    text.push_str(&format!("Written: {} and {}\n", state.display(), path.display()));
    match campaign.stop() {
        Stop::End => text.push_str("Next: garcia verify\n"),
        _ => text.push_str("Next: garcia template --write\n"),
    }
    Ok(Done::good(text))
}

fn json_answer(campaign: &Campaign, report: &TurnReport<'_>, new: &[Record], path: &Path) -> Result<Done, Trouble> {
    let table = campaign.table();
    let events = table.events(report.journal, None).map_err(|error| Trouble::bug(error.to_string()))?;
    let records: Vec<String> = new.iter().map(Record::file_name).collect();
    let stop = campaign.stop();
    Done::json(&json!({
        "ok": true,
        "records": records,
        "report": path.display().to_string(),
        "events": events,
        "told": report.told,
        "due": { "who": stop.who(), "ask": stop.ask() },
        "verdict": table.verdict(campaign.view(None).state),
    }))
}
