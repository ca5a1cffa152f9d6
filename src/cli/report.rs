//! `garcia report`: a turn told again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::engine::rules::RuleBook;
use crate::engine::{AnyJournal, Diary, Match};
use crate::report::{Page, Told, html, markdown, terminal};
use crate::trust::ledger::Ledger;
use crate::trust::protocol::NextRecord;
use crate::trust::record::Record;
use crate::trust::replay::Vision;
use crate::trust::store::{Readers, write_whole};

use super::folder;
use super::past::{Past, no_result};
use super::sight::Sight;
use super::{Done, Trouble, World};

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// For the terminal.
    Text,
    /// As Markdown.
    Markdown,
    /// As one HTML page with the map before and after.
    Html,
}

/// Tell a turn: every move, every battle, every die, with the arithmetic and the clause beside it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia report                                   the last turn
  garcia report 6                                 what record 6 closed
  garcia report --turn 3                          all of turn 3
  garcia report --form html --output turn.html    as a page with the map, to step through
  garcia report --all -o campaign.html            the whole game on one page, its turns side by side
  garcia report --json                            the events as data")]
pub struct Report {
    /// The number of the result; the last one if left out.
    #[arg(conflicts_with_all = ["turn", "all"])]
    record: Option<u32>,
    /// All of this game turn.
    #[arg(long, value_name = "N", conflicts_with = "all")]
    turn: Option<u32>,
    /// The whole game.
    #[arg(long)]
    all: bool,
    /// After the audits: with everything that lay face down turned up.
    #[arg(long)]
    open: bool,
    /// In which form; a file that ends in `.html` or `.md` is written as such.
    #[arg(long, value_enum)]
    form: Option<Form>,
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
        let records = folder::records(&folder)?;
        let open = self.open.then(|| all_open(&folder, &records)).transpose()?;
        let past = Past { world, folder, records, open };
        let results = match (self.record, self.turn, self.all) {
            (Some(number), _, _) => vec![past.result(number)?],
            (None, Some(turn), _) => past.of_turn(turn)?,
            (None, None, true) => past.results(),
            (None, None, false) => vec![past.last().ok_or_else(no_result)?],
        };
        let sights = past.sights(&results)?;
        if world.json {
            let told: Result<Vec<serde_json::Value>, Trouble> =
                sights.iter().map(|(record, sight)| as_json(*record, sight)).collect();
            let mut told = told?;
            return match (told.len(), told.pop()) {
                (1, Some(one)) => Done::json(&one),
                (_, last) => Done::json(&json!({ "reports": told.into_iter().chain(last).collect::<Vec<_>>() })),
            };
        }
        let form = self.form.unwrap_or_else(|| form_of(self.output.as_deref()));
        let mut told: Vec<Told> = Vec::new();
        let whole = self.all || self.turn.is_some();
        for (number, (_, sight)) in sights.iter().enumerate() {
            world.progress.at(number + 1, sights.len());
            let one = if whole { sight.told_whole() } else { sight.told() };
            let (Some(mut one), Some(report)) = (one, sight.turn_report()) else { continue };
            one.page.section("How the rulebook was read", readings(report.table, report.journal)?);
            told.push(one);
        }
        let (Some(first), Some(last)) = (told.first(), told.last()) else { return Err(no_result()) };
        let text = match form {
            Form::Text => joined(&told, |page| terminal(page, world.look)),
            Form::Markdown => joined(&told, markdown),
            Form::Html if told.len() > 1 => html(&span_title(first, last), &told),
            Form::Html => html(&first.page.title, &told),
        };
        match self.output {
            None => Ok(Done::good(text)),
            Some(path) => {
                write_whole(&path, text.as_bytes(), Readers::Anyone)?;
                Ok(Done::good(format!("{} is written.\n", path.display())))
            }
        }
    }
}

/// `Santiago Campaign 1898, turns 3 to 5`.
fn span_title(first: &Told, last: &Told) -> String {
    let (game, from, to) = (&first.before.title, first.before.turn, last.before.turn);
    if from == to { format!("{game}, turn {from}") } else { format!("{game}, turns {from} to {to}") }
}

fn joined(told: &[Told], write: impl Fn(&Page) -> String) -> String {
    told.iter().map(|told| write(&told.page)).collect::<Vec<_>>().join("\n")
}

/// The form a file's name asks for.
fn form_of(output: Option<&Path>) -> Form {
    match output.and_then(Path::extension).and_then(|extension| extension.to_str()) {
        Some("html" | "htm") => Form::Html,
        Some("md") => Form::Markdown,
        _ => Form::Text,
    }
}

fn as_json(record: usize, sight: &Sight) -> Result<serde_json::Value, Trouble> {
    let report = sight.turn_report().ok_or_else(no_result)?;
    let page = report.page();
    let events = sight.table().events(report.journal, report.view.side);
    let events = events.map_err(|error| Trouble::bug(error.to_string()))?;
    Ok(json!({
        "record": record, "headline": page.title, "dice": sight.dice_line(), "events": events,
        "told": report.told, "page": page,
    }))
}
