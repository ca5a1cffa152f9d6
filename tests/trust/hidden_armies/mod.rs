//! The Santiago Campaign, 1898, with an army that lies face down: what the US player holds tells him nothing that was
//! not shown or stated, and whoever shows or states what is not so is found out.

mod bench;
mod club;
mod lies;
mod mailed;
mod plans;
mod two_armies;

use std::collections::{BTreeMap, BTreeSet};

use crate::players::role;
use garcia::engine::json::Json;
use garcia::engine::{Charter, Match, Side, Slot};
use garcia::games;
use garcia::trust::record::{Record, RecordKind};
use garcia::trust::replay::Vision;

const US: Side = Side("us");
const SPAIN: Side = Side("spain");

/// Spanish units that exert zones of control and may move, by the place they start in.
const LINE: [&[&str]; 3] = [
    &[
        "sp-1-65", "sp-2-65", "sp-1-29", "sp-1-55", "sp-4-tal", "sp-1-11", "sp-1-ppr", "sp-1-nvl", "sp-2-nvl",
        "sp-1-vi", "sp-2-vi", "sp-1-tg", "sp-2-tg", "sp-rey", "sp-3-ing",
    ],
    &["sp-1-75", "sp-2-75", "sp-3-alc", "sp-1-52", "sp-19-pr", "sp-cal"],
    &["sp-1-64", "sp-2-64", "sp-1-35", "sp-1-3", "sp-cat", "sp-g-vi"],
];
/// Spanish batteries on the map from the start.
const BATTERIES: [&str; 3] = ["sp-6-4", "sp-1-fa", "sp-2-fa"];

/// Another name for each unit; those that are not named keep theirs.
type Exchange = BTreeMap<String, String>;

fn exchanged(value: &Json, exchange: &Exchange) -> Json {
    match value {
        Json::Str(text) => Json::Str(exchange.get(text).unwrap_or(text).clone()),
        Json::List(items) => Json::List(items.iter().map(|item| exchanged(item, exchange)).collect()),
        Json::Map(members) => {
            Json::Map(members.iter().map(|(key, item)| (key.clone(), exchanged(item, exchange))).collect())
        }
        other => other.clone(),
    }
}

/// The units of each place that may change names, each with the next one's.
fn rotation(may: impl Fn(&str) -> bool) -> Exchange {
    let mut exchange = Exchange::new();
    for group in LINE {
        let units: Vec<&str> = group.iter().copied().filter(|unit| may(unit)).collect();
        for (at, unit) in units.iter().enumerate() {
            exchange.insert((*unit).to_owned(), units[(at + 1) % units.len()].to_owned());
        }
    }
    exchange
}

fn table() -> Box<dyn Match> {
    games::find("santiago-campaign").expect("a game").open(&Charter::default()).expect("a table")
}

/// The vision of a Spanish player whose units are exchanged.
fn vision(values: &BTreeMap<String, Json>, exchange: &Exchange) -> Vision {
    let mut vision = Vision::public();
    for (name, value) in values {
        let (slot, version) = name.rsplit_once('/').expect("a version");
        let slot = Slot::parse(slot).expect("a slot");
        vision.add(&role("spain"), &slot, version.parse().expect("a number"), exchanged(value, exchange));
    }
    vision
}

fn is_counter(slot: &str) -> bool {
    slot.len() == 5 && slot.starts_with("sp-")
}

/// Units that were opened in the ledger.
fn opened(records: &[Record]) -> BTreeSet<String> {
    let reveals = records.iter().filter_map(|record| record.body().data.get("reveals").and_then(Json::as_list));
    let units = reveals.flatten().filter(|reveal| reveal.get("slot").and_then(Json::as_str).is_some_and(is_counter));
    units.filter_map(|reveal| reveal.get("value").and_then(Json::as_str).map(str::to_owned)).collect()
}

fn names(text: &str, unit: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    text.match_indices(unit).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(part) && !text[at + unit.len()..].chars().next().is_some_and(part)
    })
}

fn has(record: &Record, pointer: &str) -> bool {
    record.body().data.pointer(pointer).is_some()
}

fn opens_a_unit(record: &Record) -> Option<usize> {
    if record.body().kind != RecordKind::Result {
        return None;
    }
    let reveals = record.body().data.get("reveals").and_then(Json::as_list)?;
    reveals.iter().position(|reveal| reveal.get("slot").and_then(Json::as_str).is_some_and(is_counter))
}
