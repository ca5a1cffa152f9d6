//! `garcia case --from N`: a turn of a match as a conformance case, in the view of whoever asks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::engine::{Holdings, Json, Side, Slot};
use crate::trust::data::{Data, RollSaid};
use crate::trust::ledger::Ledger;
use crate::trust::record::RecordKind;
use crate::trust::replay::Vision;
use crate::trust::store::{Readers, write_whole};

use super::sight::own_vision;
use super::{Done, Trouble, World, folder};

/// Writes the turn that a record belongs to.
pub fn write(number: u32, output: Option<&Path>, world: &World) -> Result<Done, Trouble> {
    let path = folder::find(world)?;
    let records = folder::records(&path)?;
    let vision = records.first().and_then(|genesis| own_vision(world, &genesis.id()));
    let vision = vision.map_or_else(Vision::public, |eyes| eyes.vision);
    let all = Ledger::read(records, |genesis| folder::lay(&path, genesis), vision)?;
    let text = case_of(&all, number)?;
    match output {
        None => Ok(Done::good(text)),
        Some(output) => {
            write_whole(output, text.as_bytes(), Readers::Anyone)?;
            Ok(Done::good(format!(
                "{} is written. Change what ought to come of it under `expect: state:`, then\n  \
                 garcia case {}                                      shows where garcia reads it otherwise\n  \
                 garcia motion ruling --case {} --about {number} --clause C --finding TEXT --dry-run\n",
                output.display(),
                output.display(),
                output.display()
            )))
        }
    }
}

/// The result that ended the span a record belongs to.
fn end_of_span(ledger: &Ledger, number: u32) -> Option<usize> {
    let from = usize::try_from(number).ok()?;
    let ends = |data: &Data| matches!(data, Data::Closing(closing) if closing.stop.ends_span());
    let records = ledger.records().iter().enumerate().skip(from);
    let mut results = records.filter(|(_, record)| record.body().kind == RecordKind::Result);
    results.find(|(_, record)| Data::read(record.body()).is_ok_and(|data| ends(&data))).map(|(at, _)| at)
}

/// The turn as a case file.
pub fn case_of(all: &Ledger, number: u32) -> Result<String, Trouble> {
    let wrong = |what: &str| Trouble::usage(format!("record {number} {what}"), "name a result or its orders");
    let end = end_of_span(all, number).ok_or_else(|| wrong("belongs to no turn that is closed"))?;
    let after = all.upto(end + 1)?;
    let span = after.protocol().span().cloned().ok_or_else(|| wrong("belongs to no turn"))?;
    let opened = usize::try_from(span.opened).unwrap_or(0);
    if opened > usize::try_from(number).unwrap_or(usize::MAX) {
        return Err(wrong("belongs to no turn that is closed"));
    }
    let before = all.upto(opened)?;
    let (table, genesis) = (all.replay().table(), all.protocol().genesis());
    let json = |ledger: &Ledger| table.state_json(ledger.replay().state()).map_err(|e| Trouble::bug(e.to_string()));
    let (position, outcome) = (json(&before)?, json(&after)?);
    // What was laid face down in this very turn counts for it, too.
    let mut held = before.holdings();
    held.0.extend(all.upto(opened + 1)?.holdings().0);
    held.0.extend(after.holdings().0.into_iter().filter(|(at, _)| !held.0.contains_key(at)).collect::<Vec<_>>());
    let mut unknown = Vec::new();
    let side = table.ruleset().side(span.side.as_str());
    let orders = span.packet.as_ref().map(|packet| unsealed(packet, side, &held, &mut unknown));
    let (mut dice, mut answers) = (Vec::new(), BTreeMap::new());
    for at in &span.results {
        let record = all.records().get(usize::try_from(*at).unwrap_or(usize::MAX));
        let Some(Ok(Data::Closing(closing))) = record.map(|record| Data::read(record.body())) else { continue };
        for roll in closing.rolls {
            match roll {
                RollSaid::Open { label, faces, .. } => {
                    let faces: Vec<Json> = faces.into_iter().map(Json::from).collect();
                    dice.push(Json::object([("label", Json::from(label.as_str())), ("faces", Json::List(faces))]));
                }
                RollSaid::Secret { label, .. } => unknown.push(label.to_string()),
            }
        }
    }
    answers.extend(span.answers.iter().map(|(key, choice)| (key.to_string(), choice.clone())));
    if !unknown.is_empty() {
        let what = format!("what lies in {} is not known to you", unknown.join(", "));
        return Err(Trouble::usage(what, "its owner, a game master who holds it, or the audit can write the case"));
    }
    let clauses = after.replay().journal().map(|(journal, _)| table.clauses(journal)).unwrap_or_default();
    let clauses: BTreeSet<&str> = clauses.iter().map(|clause| clause.0).collect();
    let mut start = vec![("scenario", Json::from(genesis.and_then(|g| g.scenario.clone()).unwrap_or_default()))];
    let options: BTreeMap<String, Json> = genesis
        .and_then(|genesis| genesis.options.clone())
        .unwrap_or_default()
        .into_iter()
        .filter(|(name, _)| name != "questions")
        .map(|(name, value)| (name, Json::from(value)))
        .collect();
    if !options.is_empty() {
        start.push(("options", Json::Map(options)));
    }
    start.push(("position", position.clone()));
    let down = face_down(&before);
    if !down.is_empty() {
        start.push(("face-down", Json::Map(down)));
    }
    let mut case = vec![
        ("name", Json::from(format!("record {number} of match {}", short(all)))),
        ("clauses", Json::List(clauses.into_iter().map(Json::from).collect())),
        ("why", Json::from("Say here, in your own words, what the rule asks for.")),
        ("start", Json::object(start)),
        ("side", Json::from(span.side.as_str())),
        ("signed", Json::Bool(true)),
    ];
    case.extend(orders.map(|orders| ("orders", orders)));
    let policies = |policies: BTreeMap<String, Json>| {
        Json::Map(
            policies.into_iter().filter(|(_, p)| *p != Json::from("ask") && *p != Json::from("default")).collect(),
        )
    };
    let own = policies(span.policies.clone());
    if own != Json::map() {
        case.push(("policies", own));
    }
    let others = table.ruleset().sides().iter().filter(|other| other.as_str() != span.side.as_str());
    let standing: BTreeMap<String, Json> = others
        .map(|other| (other.as_str().to_owned(), policies(before.standing_of(*other))))
        .filter(|(_, policies)| *policies != Json::map())
        .collect();
    if !standing.is_empty() {
        case.push(("standing", Json::Map(standing)));
    }
    if !answers.is_empty() {
        case.push(("answers", Json::Map(answers)));
    }
    if !dice.is_empty() {
        case.push(("dice", Json::List(dice)));
    }
    let mut expect = Vec::new();
    expect.extend(changed(&position, &outcome).map(|part| ("state", part)));
    case.push(("expect", Json::object(expect)));
    Ok(written(table.ruleset().id(), number, case))
}

fn short(ledger: &Ledger) -> String {
    ledger.protocol().game().map(|game| game.short()).unwrap_or_default()
}

/// What lies face down before the turn, as far as this view holds it.
fn face_down(before: &Ledger) -> BTreeMap<String, Json> {
    let table = before.replay().table();
    let (named, held) = (table.slots(before.replay().state()), before.holdings());
    let mut down: BTreeMap<String, Json> = BTreeMap::new();
    for (side, slot) in named {
        if let Some(value) = held.get(side, &slot) {
            let of_side = down.entry(side.as_str().to_owned()).or_insert_with(Json::map);
            if let Some(members) = of_side.as_map_mut() {
                members.insert(slot.to_string(), value.clone());
            }
        }
    }
    down
}

/// A packet with the values in place of the slots they were sealed in.
fn unsealed(packet: &Json, side: Option<Side>, held: &Holdings, unknown: &mut Vec<String>) -> Json {
    match packet {
        Json::List(items) => Json::List(items.iter().map(|item| unsealed(item, side, held, unknown)).collect()),
        Json::Map(members) => {
            if let (1, Some(Json::Str(name))) = (members.len(), members.get("sealed")) {
                let value = Slot::parse(name).ok().and_then(|slot| held.get(side?, &slot));
                return value.cloned().unwrap_or_else(|| {
                    unknown.push(name.clone());
                    packet.clone()
                });
            }
            let member = |(key, value): (&String, &Json)| (key.clone(), unsealed(value, side, held, unknown));
            Json::Map(members.iter().map(member).collect())
        }
        plain => plain.clone(),
    }
}

/// The parts of a state that have changed; what is gone is `absent`.
fn changed(before: &Json, after: &Json) -> Option<Json> {
    match (before, after) {
        (one, other) if one == other => None,
        (Json::Map(one), Json::Map(other)) => {
            let gone =
                one.keys().filter(|key| !other.contains_key(*key)).map(|key| (key.clone(), Json::from("absent")));
            let new = other.iter().filter_map(|(key, value)| match one.get(key) {
                Some(old) => Some((key.clone(), changed(old, value)?)),
                None => Some((key.clone(), value.clone())),
            });
            Some(Json::Map(gone.chain(new).collect()))
        }
        (_, other) => Some(other.clone()),
    }
}

fn written(game: &str, number: u32, case: Vec<(&'static str, Json)>) -> String {
    let mut text = format!("game: {game}\ntopic: the dispute about record {number}\ncases:\n");
    for (at, (name, value)) in case.into_iter().enumerate() {
        let yaml = serde_yaml::to_string(&BTreeMap::from([(name, value)])).unwrap_or_default();
        for (line, words) in yaml.lines().enumerate() {
            let lead = if at == 0 && line == 0 { "  - " } else { "    " };
            text.push_str(&format!("{lead}{words}\n"));
        }
    }
    text
}
