//! Cases that start from a whole written position: a turn of a real match that somebody disputes.

use std::collections::BTreeMap;

use super::file::Case;
use super::run::outcome;
use crate::engine::doc::{DocPath, Fault, Node};
use crate::engine::{AnyArranged, Charter, Holdings, Json, Ruleset, Slot};

/// The key under which a whole position stands.
const POSITION: &str = "position";
/// The key under which it stands what lies face down, by side and slot.
const FACE_DOWN: &str = "face-down";

/// A document as data: what stands in quotes is a text, `12` a number, `true` a truth, as in records.
fn data(node: &Node) -> Json {
    match node {
        Node::Text { text, quoted: true } => Json::from(text.as_str()),
        Node::Text { text, quoted: false } => match text.as_str() {
            "true" => Json::Bool(true),
            "false" => Json::Bool(false),
            "[]" => Json::List(Vec::new()),
            "{}" => Json::map(),
            plain => match plain.parse::<i64>() {
                Ok(number) if number.to_string() == plain => Json::Int(number),
                _ => Json::from(plain),
            },
        },
        Node::List(items) => Json::List(items.iter().map(data).collect()),
        Node::Map(entries) => Json::Map(entries.iter().map(|(key, node)| (key.clone(), data(node))).collect()),
    }
}

/// Lays out the whole position of a case, if it has one.
pub fn placed(ruleset: &dyn Ruleset, start: &Node, at: &DocPath, faults: &mut Vec<Fault>) -> Option<AnyArranged> {
    let whole = start.get(POSITION)?;
    let place = at.key(POSITION);
    let text = |name: &str| start.get(name).and_then(Node::as_text).unwrap_or_default().to_owned();
    let options = start.get("options").and_then(Node::as_map).unwrap_or_default();
    let options = options.iter().filter_map(|(name, node)| Some((name.clone(), node.as_text()?.to_owned()))).collect();
    let charter = Charter { scenario: text("scenario"), options, data: BTreeMap::new() };
    let table = match ruleset.open(&charter) {
        Ok(table) => table,
        Err(found) => {
            faults.extend(found);
            return None;
        }
    };
    let state = match table.read_state(&data(whole)) {
        Ok(state) => state,
        Err(flaws) => {
            let flaw = |what: String| Fault::new(&place, what, "write it as state.yaml has it");
            faults.extend(flaws.into_iter().map(flaw));
            return None;
        }
    };
    let impossible = |flaw: String| Fault::new(&place, flaw, "the rules do not allow this position");
    faults.extend(table.flaws(&state).into_iter().map(impossible));
    let mut holdings = Holdings::default();
    for (side, slots) in start.get(FACE_DOWN).and_then(Node::as_map).unwrap_or_default() {
        let Some(side) = ruleset.side(side) else { continue };
        for (slot, value) in slots.as_map().unwrap_or_default() {
            if let Ok(slot) = Slot::parse(slot) {
                holdings.0.insert((side, slot), data(value));
            }
        }
    }
    let stop = table.packet_due(&state);
    Some(AnyArranged { table, state, stop, holdings })
}

/// What a case leads to, whatever it expects; and the same with what it expects of the state put over it.
pub fn corrected(ruleset: &dyn Ruleset, case: &Case) -> Result<(Json, Json), String> {
    let mut plain = case.clone();
    plain.expect = None;
    plain.packets.iter_mut().for_each(|packet| packet.expect = None);
    let came = outcome(ruleset, &plain)?;
    let mut after = came.clone();
    for (packet, _) in case.packets() {
        if let Some(part) = packet.expect.and_then(|expect| expect.state) {
            put_over(&mut after, &part);
        }
    }
    Ok((came, after))
}

/// Puts a part of a state over a state. The word `absent` takes a key away; what stands there says what a text means.
fn put_over(state: &mut Json, part: &Node) {
    match (state, part) {
        (Json::Map(members), Node::Map(entries)) => {
            for (key, node) in entries {
                match node {
                    Node::Text { text, quoted: false } if text == "absent" => drop(members.remove(key)),
                    node => match members.get_mut(key) {
                        Some(there) => put_over(there, node),
                        None => drop(members.insert(key.clone(), data(node))),
                    },
                }
            }
        }
        (there, Node::Text { text, .. }) if there.as_str().is_some() => *there = Json::from(text.as_str()),
        (there, node) => *there = data(node),
    }
}
