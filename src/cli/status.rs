//! `garcia status`: whose move it is and what to do next.

use clap::Args;
use serde_json::json;

use crate::engine::{Diary, Stop};
use crate::report::{Page, awaited, terminal};
use crate::trust::data::Mode;
use crate::trust::protocol;
use crate::trust::record::Record;
use crate::trust::remarks;
use crate::trust::role::Role;

use super::sight::Sight;
use super::{Done, Trouble, World, folder, next, terms};

/// Show whose move it is, what is awaited, and whether the dice are verified.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia status                in a game folder
  garcia -C kettle-hill status
  garcia status --json         {\"game\", \"turn\", \"due\", \"rolls\", …}")]
pub struct Status {}

impl Status {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let sight = Sight::open(world)?;
        if world.json {
            return json_status(&sight);
        }
        Ok(Done::good(terminal(&page(&sight), world.look)))
    }
}

/// Whether orders are signed and their result is owed.
pub fn owes_result(sight: &Sight) -> bool {
    matches!(sight.ledger.protocol().due(), protocol::NextRecord::Result(_))
}

/// Everything `garcia status` tells.
pub fn page(sight: &Sight) -> Page {
    let (table, view, stop) = (sight.table(), sight.view(None), sight.stop());
    let mut page = Page::new(sight.moment());
    page.lead.push(sight.dice_line());
    page.lead.push(who_and_where(sight));
    let mut next = Diary::new();
    if let Some(verdict) = table.verdict(view.state) {
        next.line(verdict.text, &[]);
    }
    if let (Stop::Answers { .. }, false) = (stop, owes_result(sight)) {
        for line in awaited(table, view, stop) {
            next.line(line, &[]);
        }
    }
    let strange =
        sight.role.as_ref().zip(sight.key).and_then(|(role, key)| next::strange_key(&sight.ledger, role, &key));
    if let Some(line) = strange {
        next.line(line, &[]);
    }
    let early = missing(sight);
    match early {
        Some(missing) => {
            next.line(next::ask_for(missing), &[]);
        }
        None => {
            for line in next::steps(&sight.ledger, sight.role.as_ref()) {
                next.line(line, &[]);
            }
        }
    }
    page.section("What comes next", next);
    let records = records(sight);
    page.section("Records", records);
    let mut motions = Diary::new();
    let named: Vec<(&str, &Record)> = sight.ledger.records().iter().map(|record| ("", record)).collect();
    for line in remarks::of_motions(sight.ledger.protocol(), &named) {
        motions.line(line, &[]);
    }
    page.section("Motions", motions);
    page.section("Keys, to be compared by telephone once", keys(sight));
    let mut terms = Diary::new();
    // The keys stand above.
    for line in terms::lines(sight.ledger.protocol(), table).into_iter().filter(|line| !line.starts_with("key ")) {
        terms.line(line, &[]);
    }
    page.section("Terms", terms);
    page
}

/// How each player's key begins; a solo player has nobody to compare his with.
fn keys(sight: &Sight) -> Diary {
    let mut diary = Diary::new();
    let protocol = sight.ledger.protocol();
    if protocol.mode() != Mode::Solo {
        for (role, seat) in protocol.signatories() {
            diary.line(format!("{:<8} {}", role.as_str(), folder::spelled(&seat.key)), &[]);
        }
    }
    diary
}

/// `match 400d107f; you play us, against spain`
fn who_and_where(sight: &Sight) -> String {
    let short = sight.game_id().get(..8).unwrap_or_default();
    let protocol = sight.ledger.protocol();
    let others: Vec<&str> =
        protocol.roles().iter().filter(|role| Some(*role) != sight.role.as_ref()).map(|role| role.as_str()).collect();
    match (&sight.role, protocol.mode()) {
        (_, Mode::Solo) => format!("match {short}"),
        (Some(me), Mode::TwoPlayer) if others.is_empty() => format!("match {short}; you play {me}"),
        (Some(me), Mode::TwoPlayer) => format!("match {short}; you play {me} against {}", others.join(" and ")),
        (Some(me), Mode::Gm) if *me == Role::gm() && others.is_empty() => format!("match {short}; you are game master"),
        (Some(me), Mode::Gm) if *me == Role::gm() => {
            format!("match {short}; you are game master; signing for themselves: {}", others.join(", "))
        }
        (Some(me), Mode::Gm) => format!("match {short}; you play {me} under a game master"),
        (None, _) => format!("match {short}; you look on"),
    }
}

/// The next record, if a later one waits in the folder that is signed well.
fn missing(sight: &Sight) -> Option<u32> {
    let protocol = sight.ledger.protocol();
    let signed = |record: &Record| {
        let seat = protocol.signatories().get(&record.body().by);
        record.body().game == protocol.game() && seat.is_some_and(|seat| record.is_signed_by(&seat.key))
    };
    let later = folder::waiting(&sight.folder).into_iter().filter(|record| record.body().seq > protocol.next());
    later.into_iter().any(|record| signed(&record)).then(|| protocol.next())
}

/// Which records are in: the last few, and those that wait for a missing one.
fn records(sight: &Sight) -> Diary {
    const LAST: usize = 4;
    let (mut diary, all) = (Diary::new(), sight.ledger.records());
    diary.line(format!("{} in the ledger, each with a good signature; the last:", all.len()), &[]);
    for record in all.iter().skip(all.len().saturating_sub(LAST)) {
        diary.line(format!("{}  {}", record.file_name(), record.id().short()), &[]);
    }
    let waiting = folder::waiting(&sight.folder);
    if !waiting.is_empty() {
        let names: Vec<String> = waiting.iter().map(Record::file_name).collect();
        diary.line(format!("Came early, waiting for record {}: {}", all.len(), names.join(", ")), &[]);
    }
    let mail = sight.folder.join(folder::OUTBOX);
    let number = all.len().saturating_sub(1);
    let mail = ["eml", "txt"].map(|ending| mail.join(format!("{number:04}-garcia.{ending}")));
    if let Some(mail) = mail.iter().find(|mail| mail.is_file()) {
        diary.line(format!("The last mail made here: {}", mail.display()), &[]);
    }
    diary
}

fn json_status(sight: &Sight) -> Result<Done, Trouble> {
    let (table, view, stop) = (sight.table(), sight.view(None), sight.stop());
    let questions: Vec<serde_json::Value> = match stop {
        Stop::Answers { questions, .. } => questions
            .iter()
            .map(|asked| {
                json!({
                    "key": asked.key, "kind": asked.kind, "clause": asked.clause, "text": asked.text,
                    "options": asked.options, "complete": asked.complete, "default": asked.default
                })
            })
            .collect(),
        _ => Vec::new(),
    };
    let genesis = sight.ledger.protocol().genesis();
    Done::json(&json!({
        "game": table.ruleset().id(),
        "match": sight.game_id(),
        "mode": sight.ledger.protocol().mode().as_str(),
        "scenario": genesis.and_then(|genesis| genesis.scenario.clone()),
        "options": genesis.and_then(|genesis| genesis.options.clone()),
        "headline": sight.moment(),
        "turn": table.turn(view.state),
        "due": { "who": stop.who(), "ask": stop.ask(), "questions": questions },
        "role": sight.role.as_ref().map(|role| role.as_str()),
        "awaited": sight.ledger.awaited().who().map(|who| who.as_str()),
        "result_owed": owes_result(sight),
        "missing": missing(sight),
        "waiting": folder::waiting(&sight.folder).iter().map(Record::file_name).collect::<Vec<_>>(),
        "records": sight.ledger.records().len(),
        "head": sight.ledger.protocol().head(),
        "rolls": super::sight::rolls(sight.ledger.records()),
        "verified": true,
        "verdict": table.verdict(view.state),
    }))
}
