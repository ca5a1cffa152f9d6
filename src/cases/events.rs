//! Whether the events a case expects happened, in the order it sets.

use super::expect::Difference;
use super::matching::{ANY_ORDER, fits_event, kind_asked, kind_of, misfit, pair, written};
use crate::engine::Json;
use crate::engine::doc::{DocPath, Node, same_key};

/// The first expected event that did not happen where it should. `at` is the place of the list.
///
/// Taking the first event that fits is as good as any other choice, and for a group without order so is the group that
/// is complete first.
pub fn missing(parts: &[Node], events: &[Json], at: &DocPath) -> Option<Difference> {
    let mut from = 0;
    for (index, part) in parts.iter().enumerate() {
        let place = at.index(index);
        if let Some(group) = group(part) {
            match complete(group, events, from) {
                Ok(end) => from = end,
                Err(which) => {
                    let part = group.get(which)?;
                    let found = nearest(part, events, from, "only before or among the events above");
                    return Some(Difference::expected(place.key(ANY_ORDER).index(which), written(part), found));
                }
            }
            continue;
        }
        match events.iter().skip(from).position(|event| fits_event(part, event)) {
            Some(offset) => from += offset + 1,
            None => {
                let found = nearest(part, events, from, "only before the events above");
                return Some(Difference::expected(place, written(part), found));
            }
        }
    }
    None
}

/// The first event that must not happen and did. `at` is the place of the list.
pub fn forbidden(parts: &[Node], events: &[Json], at: &DocPath) -> Option<Difference> {
    parts.iter().enumerate().find_map(|(index, part)| {
        let place = events.iter().position(|event| fits_event(part, event))?;
        let found = format!("event {}: {}", place + 1, events.get(place)?);
        Some(Difference::expected(at.index(index), format!("no {}", written(part)), found))
    })
}

/// The events of a group without order.
fn group(part: &Node) -> Option<&[Node]> {
    match part.as_map()? {
        [(key, list)] if same_key(key, ANY_ORDER) => list.as_list(),
        _ => None,
    }
}

/// Where a group is complete, each of its parts with an event of its own; or a part that has none.
fn complete(group: &[Node], events: &[Json], from: usize) -> Result<usize, usize> {
    let ahead = events.get(from..).unwrap_or_default();
    pair(group, ahead, fits_event)?;
    // All of them fit in the end, so the shortest beginning that has them all exists.
    let enough = |len: &usize| pair(group, ahead.get(..*len).unwrap_or_default(), fits_event).is_ok();
    Ok(from + (group.len()..=ahead.len()).find(enough).unwrap_or(ahead.len()))
}

/// The event that comes nearest to the expected one, and why it is not the one.
fn nearest(part: &Node, events: &[Json], from: usize, early: &str) -> String {
    let kind = kind_asked(part);
    let alike = events.iter().enumerate().filter(|(_, event)| kind.is_some() && kind_of(event) == kind);
    let after = alike.clone().filter(|(place, event)| *place >= from && !fits_event(part, event));
    let closest = after
        .filter_map(|(place, event)| misfit(part, event).map(|misfit| (place, misfit)))
        .max_by_key(|(place, misfit)| (misfit.depth, std::cmp::Reverse(*place)));
    if let Some((place, misfit)) = closest {
        return format!("event {} has {} where {} is {}", place + 1, misfit.found, misfit.at, misfit.expected);
    }
    if let Some((place, _)) = alike.clone().find(|(_, event)| fits_event(part, event)) {
        return format!("it happens {early}: event {}", place + 1);
    }
    match (kind, from) {
        (Some(kind), 0) => format!("no {kind} among {} events", events.len()),
        (Some(kind), from) => format!("no {kind} after event {from} of {}", events.len()),
        (None, _) => "a part of an event has one key, the kind of the event".to_owned(),
    }
}
