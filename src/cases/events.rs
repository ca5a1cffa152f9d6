//! Whether the events a case expects happened, in the order it sets.

use super::expect::Difference;
use super::matching::{ANY_ORDER, fits_event, kind_asked, kind_of, misfit, pair, written};
use crate::engine::Json;
use crate::engine::doc::{DocPath, Node, same_key};

/// The expected events that did not happen where they should. `at` is the place of the list.
///
/// Taking the first event that fits is as good as any other choice, and for a group without order so is the group that
/// is complete first. What comes behind an event that is missing is looked for as if it were not expected.
pub fn missing(parts: &[Node], events: &[Json], at: &DocPath) -> Vec<Difference> {
    let (mut from, mut all) = (0, Vec::new());
    for (index, part) in parts.iter().enumerate() {
        let place = at.index(index);
        if let Some(group) = group(part) {
            match complete(group, events, from) {
                Ok(end) => from = end,
                Err(missing) => all.extend(missing.into_iter().filter_map(|which| {
                    let part = group.get(which)?;
                    let found = nearest(part, events, from, "only before or among the events above");
                    Some(Difference::expected(place.key(ANY_ORDER).index(which), written(part), found))
                })),
            }
            continue;
        }
        match events.iter().skip(from).position(|event| fits_event(part, event)) {
            Some(offset) => from += offset + 1,
            None => {
                let found = nearest(part, events, from, "only before the events above");
                all.push(Difference::expected(place, written(part), found));
            }
        }
    }
    all
}

/// The events that must not happen and did. `at` is the place of the list.
pub fn forbidden(parts: &[Node], events: &[Json], at: &DocPath) -> Vec<Difference> {
    let mut all = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        for (number, event) in (1..).zip(events).filter(|(_, event)| fits_event(part, event)) {
            let expected = format!("no {}", written(part));
            all.push(Difference::expected(at.index(index), expected, format!("event {number}: {event}")));
        }
    }
    all
}

/// The events of a group without order.
fn group(part: &Node) -> Option<&[Node]> {
    match part.as_map()? {
        [(key, list)] if same_key(key, ANY_ORDER) => list.as_list(),
        _ => None,
    }
}

/// Where a group is complete, each of its parts with an event of its own; or the parts that have none.
fn complete(group: &[Node], events: &[Json], from: usize) -> Result<usize, Vec<usize>> {
    let ahead = events.get(from..).unwrap_or_default();
    let missing = |len: usize| pair(group, ahead.get(..len).unwrap_or_default(), fits_event).parts;
    let never = missing(ahead.len());
    if !never.is_empty() {
        return Err(never);
    }
    // All of them fit in the end, so the shortest beginning that has them all exists.
    let enough = |len: &usize| missing(*len).is_empty();
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
