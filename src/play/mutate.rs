//! Orders changed at random: another hex, unit, path, target or flag. What a player could have typed by mistake.

use std::collections::BTreeSet;

use crate::engine::Json;
use crate::engine::dice::Chance;

/// Every text in a document: the names a mistaken player might put in the wrong place.
pub fn words(document: &Json, found: &mut BTreeSet<String>) {
    match document {
        Json::Str(text) => drop(found.insert(text.clone())),
        Json::List(items) => items.iter().for_each(|item| words(item, found)),
        Json::Map(members) => {
            for (key, value) in members {
                found.insert(key.clone());
                words(value, found);
            }
        }
        Json::Bool(_) | Json::Int(_) => {}
    }
}

/// The same packet with one thing in it otherwise; nothing if there is nothing to change.
pub fn mutated(orders: &Json, vocabulary: &[String], chance: &mut Chance) -> Option<Json> {
    let places = places(orders);
    let mut changed = orders.clone();
    let place = chance.pick(&places)?.clone();
    let spot = at(&mut changed, &place)?;
    match spot {
        Json::Bool(flag) => *flag = !*flag,
        Json::Int(number) => *number += [-1, 1, 7][chance.below(3)],
        Json::Str(text) => *text = chance.pick(vocabulary)?.clone(),
        Json::List(items) if items.is_empty() => items.push(Json::Str(chance.pick(vocabulary)?.clone())),
        Json::List(items) => {
            let one = chance.below(items.len());
            let other = chance.below(items.len());
            match chance.below(4) {
                0 => drop(items.remove(one)),
                1 => items.swap(one, other),
                // Ordered twice.
                2 => items.push(items.get(one)?.clone()),
                _ => items.reverse(),
            }
        }
        Json::Map(members) => {
            let keys: Vec<String> = members.keys().cloned().collect();
            let key = chance.pick(&keys)?;
            let value = members.remove(key)?;
            if chance.one_in(2) {
                members.insert(chance.pick(vocabulary)?.clone(), value);
            }
        }
    }
    (changed != *orders).then_some(changed)
}

/// One step down into a document.
#[derive(Clone)]
enum Step {
    Item(usize),
    Member(String),
}

/// The way to every value of a document but the whole.
fn places(document: &Json) -> Vec<Vec<Step>> {
    let mut found = Vec::new();
    let mut below = |step: Step, value: &Json| {
        found.push(vec![step.clone()]);
        for way in places(value) {
            found.push(std::iter::once(step.clone()).chain(way).collect());
        }
    };
    match document {
        Json::List(items) => items.iter().enumerate().for_each(|(index, item)| below(Step::Item(index), item)),
        Json::Map(members) => members.iter().for_each(|(key, value)| below(Step::Member(key.clone()), value)),
        Json::Bool(_) | Json::Int(_) | Json::Str(_) => {}
    }
    found
}

fn at<'d>(document: &'d mut Json, way: &[Step]) -> Option<&'d mut Json> {
    way.iter().try_fold(document, |part, step| match (part, step) {
        (Json::List(items), Step::Item(index)) => items.get_mut(*index),
        (Json::Map(members), Step::Member(key)) => members.get_mut(key),
        _ => None,
    })
}
