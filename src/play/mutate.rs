//! Orders changed at random: another hex, unit, path, target or flag. What a player could have typed by mistake.

use std::collections::BTreeSet;

use super::forms::Forms;
use crate::engine::Json;
use crate::engine::dice::Chance;

/// What a mistaken player might put in the wrong place: every text, and every key with its value.
pub struct Vocabulary {
    words: Vec<String>,
    members: Vec<(String, Json)>,
    /// The words of the orders alone.
    own: Vec<String>,
}

impl Vocabulary {
    /// All that stands in the orders and in the position, and the members of the orders.
    pub fn of(orders: &Json, position: &Json) -> Vocabulary {
        let (mut words, mut members) = (BTreeSet::new(), Vec::new());
        gather(orders, &mut words, &mut members);
        let own = words.iter().cloned().collect();
        gather(position, &mut words, &mut Vec::new());
        Vocabulary { words: words.into_iter().collect(), members, own }
    }

    /// The name of something of a kind that schemas tell (`any`: of whatever kind): a hex for a hex, or one near by.
    pub fn named(&self, kind: &str, chance: &mut Chance) -> Option<String> {
        let from = if chance.one_in(2) { &self.own } else { &self.words };
        let cell = |word: &str| word.len() > 2 && word.chars().all(|c| c.is_ascii_digit());
        let place = matches!(kind, "hex" | "box");
        let fits = |word: &&String| kind == "any" || cell(word) == place && (place || word.contains('-'));
        let fitting: Vec<&String> = from.iter().filter(fits).collect();
        let word = (*chance.pick(&fitting)?).clone();
        match word.parse::<u32>() {
            Ok(number) if place && chance.one_in(2) => {
                let near = [number + 1, number.saturating_sub(1), number + 100, number.saturating_sub(100)];
                Some(format!("{:0width$}", near[chance.below(4)], width = word.len()))
            }
            _ => Some(word),
        }
    }

    /// Another word, more often than not one of the same make: a hex for a hex, a unit for a unit.
    fn word(&self, instead_of: &str, chance: &mut Chance) -> Option<String> {
        if chance.one_in(4) {
            return chance.pick(&self.words).cloned();
        }
        let wanted = make(instead_of);
        let alike: Vec<&String> = self.words.iter().filter(|word| make(word) == wanted).collect();
        chance.pick(&alike).map(|word| (*word).clone())
    }
}

/// What a word looks like: the letters it begins with, whether it is a number, whether it is a compound.
fn make(word: &str) -> (&str, bool, bool) {
    let letters = word.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(word.len());
    let compound = word.contains('-');
    let begins = if compound { word.get(..letters).unwrap_or_default() } else { "" };
    (begins, word.chars().all(|c| c.is_ascii_digit()), compound)
}

fn gather(document: &Json, words: &mut BTreeSet<String>, members: &mut Vec<(String, Json)>) {
    match document {
        Json::Str(text) => drop(words.insert(text.clone())),
        Json::List(items) => items.iter().for_each(|item| gather(item, words, members)),
        Json::Map(entries) => {
            for (key, value) in entries {
                words.insert(key.clone());
                members.push((key.clone(), value.clone()));
                gather(value, words, members);
            }
        }
        Json::Bool(_) | Json::Int(_) => {}
    }
}

/// The same packet with one thing in it otherwise, or two; nothing if there is nothing to change. With the forms of the order
/// file up to four, and keys among them that no player at random writes.
pub fn mutated(orders: &Json, vocabulary: &Vocabulary, forms: Option<&Forms>, chance: &mut Chance) -> Option<Json> {
    let mut changed = orders.clone();
    let most = if forms.is_some() { 4 } else { 2 };
    for _ in 0..1 + chance.below(most) {
        match forms {
            Some(forms) if chance.one_in(2) => drop(grow(&mut changed, vocabulary, forms, chance)),
            _ => change(&mut changed, vocabulary, chance)?,
        }
    }
    (changed != *orders).then_some(changed)
}

/// Writes what no player at random has written; nothing where nothing fits.
fn grow(orders: &mut Json, vocabulary: &Vocabulary, forms: &Forms, chance: &mut Chance) -> Option<()> {
    let mut maps = places(orders);
    maps.push(Vec::new());
    maps.retain(|place| matches!(at(orders, place), Some(Json::Map(_))));
    let place = if chance.one_in(3) { Vec::new() } else { chance.pick(&maps)?.clone() };
    let Some(Json::Map(map)) = at(orders, &place) else { return None };
    forms.write(map, place.is_empty(), vocabulary, chance)
}

fn change(orders: &mut Json, vocabulary: &Vocabulary, chance: &mut Chance) -> Option<()> {
    let places = places(orders);
    let place = chance.pick(&places)?.clone();
    match at(orders, &place)? {
        Json::Bool(flag) => *flag = !*flag,
        Json::Int(number) => *number += [-1, 1, 7][chance.below(3)],
        Json::Str(text) => *text = vocabulary.word(text, chance)?,
        Json::List(items) if items.is_empty() => items.push(Json::Str(chance.pick(&vocabulary.words)?.clone())),
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
            match chance.below(3) {
                0 => drop(members.remove(chance.pick(&keys)?)),
                1 => {
                    let key = chance.pick(&keys)?;
                    let value = members.remove(key)?;
                    members.insert(vocabulary.word(key, chance)?, value);
                }
                _ => {
                    let (key, value) = chance.pick(&vocabulary.members)?.clone();
                    members.insert(key, value);
                }
            }
        }
    }
    Some(())
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
