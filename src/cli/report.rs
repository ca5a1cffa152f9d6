//! `garcia report`: a turn told again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::draw::{Window, text_map};
use crate::engine::rules::RuleBook;
use crate::engine::{AnyJournal, Diary, Match};
use crate::report::{html, markdown, picture_html, terminal};
use crate::trust::ledger::Ledger;
use crate::trust::protocol::NextRecord;
use crate::trust::record::{Record, RecordKind};
use crate::trust::replay::Vision;
use crate::trust::store::{Readers, write_whole};

use super::folder;
use super::sight::{self, Sight};
use super::{Done, Trouble, World};

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// For the terminal.
    Text,
    /// As Markdown.
    Markdown,
    /// As one HTML page with the map.
    Html,
}

/// Tell a turn: every move, every battle, every die, with the arithmetic and the clause beside it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia report                                   the last turn
  garcia report 6                                 the turn that record 6 closed
  garcia report --form html --output turn.html    as a page with the map
  garcia report --json                            the events as data")]
pub struct Report {
    /// The number of the result; the last one if left out.
    record: Option<u32>,
    /// After the audits: with everything that lay face down turned up.
    #[arg(long)]
    open: bool,
    /// In which form.
    #[arg(long, value_enum, default_value_t = Form::Text)]
    form: Form,
    /// Write it into a file.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Everything that was sealed, once all audits are in.
fn all_open(folder: &Path, records: &[Record]) -> Result<Vision, Trouble> {
    let ledger = Ledger::read(records.to_vec(), |genesis| folder::lay(folder, genesis), Vision::public())?;
    match ledger.protocol().due() {
        NextRecord::Audit(owing) if owing.is_empty() => Ok(Vision::after_audits(ledger.protocol())),
        _ => Err(Trouble::usage("what lies face down is opened by the audits, and they are not in", "`garcia audit`")),
    }
}

/// The rulings that were applied, each with the place in the printed book of the clause it reads.
fn readings(table: &dyn Match, journal: &AnyJournal) -> Result<Diary, Trouble> {
    let book = RuleBook::read(table.ruleset().about().rules).map_err(|error| Trouble::bug(error.to_string()))?;
    let mut applied: BTreeMap<&str, (&str, BTreeSet<String>)> = BTreeMap::new();
    for clause in table.clauses(journal).into_iter().filter_map(|clause| book.clause(clause.0)) {
        for ruling in book.rulings_of(clause) {
            let (_, places) = applied.entry(&ruling.id).or_insert((&ruling.title, BTreeSet::new()));
            places.insert(format!("§{} ({})", clause.id, book.place(clause)));
        }
    }
    let row = |(id, (title, places)): (&str, (&str, BTreeSet<String>))| {
        vec![id.to_owned(), title.to_owned(), places.into_iter().collect::<Vec<_>>().join("; ")]
    };
    let mut diary = Diary::new();
    diary.table(&["ruling", "on", "clauses, and where they are printed"], applied.into_iter().map(row).collect());
    Ok(diary)
}

impl Report {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let folder = folder::find(world)?;
        let mut records = folder::records(&folder)?;
        let last = self.last(&records)?;
        let sight = if self.open {
            let vision = all_open(&folder, &records)?;
            records.truncate(last + 1);
            let ledger = Ledger::read(records, |genesis| folder::lay(&folder, genesis), vision)?;
            Sight::of(folder, ledger)
        } else {
            records.truncate(last + 1);
            let eyes = records.first().and_then(|genesis| sight::own_vision(world, &genesis.id()));
            Sight::seen(folder, records, eyes)?
        };
        let Some(report) = sight.turn_report() else {
            return Err(Trouble::usage("nothing has happened yet", "`garcia status` says what is awaited"));
        };
        let mut page = report.page();
        page.section("How the rulebook was read", readings(report.table, report.journal)?);
        if world.json {
            let table = sight.table();
            let events = table.events(report.journal, None).map_err(|error| Trouble::bug(error.to_string()))?;
            return Done::json(&json!({
                "record": last, "headline": page.title, "dice": sight.dice_line(), "events": events,
                "told": report.told, "page": page,
            }));
        }
        let text = match self.form {
            Form::Text => terminal(&page, world.look),
            Form::Markdown => markdown(&page),
            Form::Html => {
                let scene = sight.table().scene(sight.view(None));
                html(&page, &picture_html(&text_map(&scene, &Window::default(), 160)))
            }
        };
        match self.output {
            None => Ok(Done::good(text)),
            Some(path) => {
                write_whole(&path, text.as_bytes(), Readers::Anyone)?;
                Ok(Done::good(format!("{} is written.\n", path.display())))
            }
        }
    }

    /// The result asked for, or the last one.
    fn last(&self, records: &[Record]) -> Result<usize, Trouble> {
        let is_result = |at: usize| records.get(at).is_some_and(|record| record.body().kind == RecordKind::Result);
        let Some(number) = self.record else {
            let last = (0..records.len()).rev().find(|at| is_result(*at));
            return last
                .ok_or_else(|| Trouble::usage("nothing has happened yet", "`garcia status` says what is awaited"));
        };
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        if is_result(at) {
            return Ok(at);
        }
        let results: Vec<String> = (0..records.len()).filter(|at| is_result(*at)).map(|at| at.to_string()).collect();
        let remedy = match results.is_empty() {
            true => "there are no results yet".to_owned(),
            false => format!("results are {}", results.join(", ")),
        };
        Err(Trouble::usage(format!("record {number} is no result"), remedy))
    }
}
