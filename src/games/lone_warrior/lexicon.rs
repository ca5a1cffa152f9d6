//! Names a player may type for units, leaders, heroes, areas and boxes.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Square;
use crate::engine::doc::{Lexicon, Unknown, fold, nearest};

use super::data::Data;
use super::terms::Battlefield;

/// The names of the battlefields in play.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// By class and folded name: what it can stand for.
    known: BTreeMap<&'static str, BTreeMap<String, BTreeSet<String>>>,
}

impl Names {
    pub fn new(data: &Data, fields: &[Battlefield]) -> Names {
        let mut names = Names::default();
        let here = |field: Battlefield| fields.contains(&field);
        for unit in data.units.values().filter(|unit| here(unit.field)) {
            for name in [unit.id.as_str(), &unit.name, &unit.short] {
                names.add("unit", name, unit.id.as_str());
            }
        }
        for leader in data.leaders.values().filter(|leader| here(leader.field)) {
            names.add("leader", leader.id.as_str(), leader.id.as_str());
            names.add("leader", &leader.name, leader.id.as_str());
        }
        for hero in data.heroes.values() {
            names.add("hero", hero.id.as_str(), hero.id.as_str());
            names.add("hero", &hero.name, hero.id.as_str());
        }
        for id in fields {
            for area in &data.field(*id).areas {
                names.add("area", area.id.as_str(), area.id.as_str());
                names.add("area", &area.name, area.id.as_str());
            }
        }
        for (name, square) in &data.places {
            names.add("box", name, &square.to_string());
        }
        names
    }

    fn add(&mut self, class: &'static str, name: &str, stands_for: &str) {
        self.known.entry(class).or_default().entry(fold(name)).or_default().insert(stands_for.to_owned());
    }
}

impl Lexicon for Names {
    fn look_up(&self, class: &str, text: &str) -> Result<String, Unknown> {
        if class == "box" && text.parse::<Square>().is_ok() {
            return Ok(text.to_owned());
        }
        let Some(names) = self.known.get(class) else {
            return Err(Unknown::default());
        };
        let found = names.get(&fold(text));
        match found.map(|found| found.iter().collect::<Vec<_>>()).as_deref() {
            Some([one]) => Ok((*one).clone()),
            Some(several) => {
                let nearest = several.iter().map(|name| (*name).clone()).collect();
                Err(Unknown { nearest, hint: "Both battlefields have one of this name.".to_owned() })
            }
            None => {
                let near = nearest(text, names.keys().map(String::as_str));
                let meant: BTreeSet<String> =
                    near.into_iter().filter_map(|name| names.get(name)?.iter().next().cloned()).collect();
                let hint = if class == "box" { "A box is four digits: lane, then rank, as `0702`." } else { "" };
                Err(Unknown { nearest: meant.into_iter().collect(), hint: hint.to_owned() })
            }
        }
    }
}
