//! What can be written by clicks: read off the schema of the order file, the template's remarks and the position.
//!
//! No rule stands here. The schema says which orders name a unit, a place or both; `reach` says where a unit can go; and
//! whether something is allowed is asked of the check, with the order tried out in a copy of the file.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::engine::doc::{Node, read_document, same_key};
use crate::engine::submission::flow;
use crate::engine::{Json, Query};
use crate::scene::{Board, Cell, Overlay, Reached, Scene};

use super::edit::Change;
use super::game::Now;

/// What order files call those who act.
const DOERS: [&str; 4] = ["units", "unit", "by", "attackers"];
/// What they call the place it is done at or to.
const PLACES: [&str; 9] = ["to", "at", "target", "attack", "bombard", "naval", "move", "charge", "site"];
/// Those of them where several orders for one place are one order by more units.
const SHARED: [&str; 3] = ["target", "attack", "bombard"];
/// How long orders are tried out for a click; it is answered in 50 ms with everything around that.
const PATIENCE: Duration = Duration::from_millis(30);
/// How long whoever waits for all of it may have to.
const LONG_PATIENCE: Duration = Duration::from_millis(1500);
/// After so many cells with one and the same fault it is not for the cell that it is refused.
const SAME: usize = 6;
/// How many of the cells in reach are tried out.
const SAMPLES: usize = 4;
/// How many objects deep orders are looked for.
const DEEPEST: usize = 3;

/// A kind of order that can be clicked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    /// The keys down to where it is written.
    pub path: Vec<String>,
    /// What is written there.
    pub how: How,
    /// What the schema says about it.
    pub about: String,
}

/// How an order is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// An item of a list: `- {units: [a, b], to: 1612}`.
    Entry {
        /// The key of those who act, and whether several may.
        doer: Option<(String, bool)>,
        /// The key of the place.
        place: Option<String>,
        /// Can a path be given as well? Then `reach` knows where it may lead.
        march: bool,
    },
    /// An item of a list under its place: `0816: [{unit: a}]`.
    EntryAt {
        /// The key of the one who acts.
        doer: String,
    },
    /// `a: 1612`
    ByUnit,
    /// `1612: [a, b]`
    ByPlace,
    /// `[a, b]`
    Units,
    /// `[1612, 1613]`
    Places,
    /// `release: a`
    Unit,
    /// `base: 1612`
    Place,
}

impl Deed {
    /// What stands on the button.
    pub fn label(&self) -> String {
        let last = self.path.last().map(String::as_str).unwrap_or_default();
        let word = match &self.how {
            How::Entry { place: Some(place), .. } if !matches!(place.as_str(), "to" | "at" | "target" | "site") => {
                format!("{last}: {place}")
            }
            _ => last.to_owned(),
        };
        let around = self.path.get(1..self.path.len().saturating_sub(1)).unwrap_or_default();
        around.iter().map(String::as_str).chain([word.as_str()]).collect::<Vec<_>>().join(", ").replace('-', " ")
    }

    fn wants_unit(&self) -> bool {
        !matches!(self.how, How::Places | How::Place | How::Entry { doer: None, .. })
    }

    fn wants_place(&self) -> bool {
        !matches!(self.how, How::Units | How::Unit | How::Entry { place: None, .. })
    }

    /// What has to be written so that these units do it there.
    pub fn changes(&self, file: &Node, units: &[String], place: &str) -> Vec<Change> {
        let path = self.path.clone();
        let there = at(file, &path);
        let list = |units: &[String]| flow(&Json::List(units.iter().map(|unit| Json::Str(unit.clone())).collect()));
        let typed = |text: &str| flow(&Json::Str(text.to_owned()));
        match &self.how {
            How::Entry { doer, place: at_key, .. } => {
                let several = doer.as_ref().is_some_and(|(_, many)| *many);
                let groups: Vec<&[String]> = if several { vec![units] } else { units.chunks(1).collect() };
                let groups = if doer.is_none() { vec![&[] as &[String]] } else { groups };
                groups.into_iter().map(|units| self.entry(there, doer, at_key, units, place, &list, &typed)).collect()
            }
            How::EntryAt { doer } => {
                let item = |unit: &String| format!("{{{doer}: {}}}", typed(unit));
                let path: Vec<String> = path.into_iter().chain([place.to_owned()]).collect();
                units.iter().map(|unit| Change::Append { path: path.clone(), item: item(unit) }).collect()
            }
            How::ByUnit => {
                let set = |unit: &String| Change::Set { path: path.clone(), key: unit.clone(), value: typed(place) };
                units.iter().map(set).collect()
            }
            How::ByPlace => {
                let mut changes = Vec::new();
                let mut here: Vec<String> = Vec::new();
                for (key, held) in there.and_then(Node::as_map).unwrap_or_default() {
                    let names = texts(held);
                    let left: Vec<String> = names.iter().filter(|name| !units.contains(name)).cloned().collect();
                    if key == place {
                        here = left;
                    } else if left.is_empty() && !names.is_empty() {
                        changes.push(Change::Remove { path: path.iter().chain([key]).cloned().collect() });
                    } else if left.len() < names.len() {
                        changes.push(Change::Set { path: path.clone(), key: key.clone(), value: list(&left) });
                    }
                }
                here.extend(units.iter().cloned());
                changes.push(Change::Set { path, key: place.to_owned(), value: list(&here) });
                changes
            }
            How::Units => {
                let known = there.map(texts).unwrap_or_default();
                let new = units.iter().filter(|unit| !known.contains(unit));
                new.map(|unit| Change::Append { path: path.clone(), item: typed(unit) }).collect()
            }
            How::Places => vec![Change::Append { path, item: typed(place) }],
            How::Unit | How::Place => {
                let (Some((key, around)), Some(first)) =
                    (path.split_last(), units.first().or(Some(&place.to_owned())).cloned())
                else {
                    return Vec::new();
                };
                let value = if self.how == How::Unit { first } else { place.to_owned() };
                vec![Change::Set { path: around.to_vec(), key: key.clone(), value: typed(&value) }]
            }
        }
    }

    /// One entry of a list: a new one, or one that is there and is meant.
    #[allow(clippy::too_many_arguments, reason = "the parts of one line")]
    fn entry(
        &self,
        there: Option<&Node>,
        doer: &Option<(String, bool)>,
        at_key: &Option<String>,
        units: &[String],
        place: &str,
        list: &dyn Fn(&[String]) -> String,
        typed: &dyn Fn(&str) -> String,
    ) -> Change {
        let entries = there.and_then(Node::as_list).unwrap_or_default();
        if let (Some((doer, many)), Some(at_key)) = (doer, at_key) {
            for (number, entry) in entries.iter().enumerate() {
                let path: Vec<String> = self.path.iter().cloned().chain([number.to_string()]).collect();
                let who = entry.get(doer).map(texts).unwrap_or_default();
                let lies = entry.get(at_key).and_then(Node::as_text);
                if lies.is_some() && same(&who, units) {
                    return Change::Set { path, key: at_key.clone(), value: typed(place) };
                }
                if *many && lies == Some(place) && SHARED.contains(&at_key.as_str()) {
                    let mut all = who;
                    all.extend(units.iter().filter(|unit| !all.contains(unit)).cloned().collect::<Vec<_>>());
                    return Change::Set { path, key: doer.clone(), value: list(&all) };
                }
            }
        }
        let mut parts = Vec::new();
        if let Some((doer, many)) = doer {
            let who = match (many, units) {
                (false, [one, ..]) => typed(one),
                _ => list(units),
            };
            parts.push(format!("{doer}: {who}"));
        }
        parts.extend(at_key.as_ref().map(|key| format!("{key}: {}", typed(place))));
        // What is attacked stands before who attacks it.
        if at_key.as_ref().is_some_and(|key| SHARED.contains(&key.as_str())) {
            parts.reverse();
        }
        Change::Append { path: self.path.clone(), item: format!("{{{}}}", parts.join(", ")) }
    }
}

fn same(one: &[String], other: &[String]) -> bool {
    let set = |list: &[String]| list.iter().cloned().collect::<BTreeSet<_>>();
    !one.is_empty() && set(one) == set(other)
}

/// A text, or each of a list.
fn texts(node: &Node) -> Vec<String> {
    match node {
        Node::Text { text, .. } if text.is_empty() => Vec::new(),
        Node::Text { text, .. } => vec![text.clone()],
        Node::List(items) => items.iter().filter_map(Node::as_text).map(str::to_owned).collect(),
        Node::Map(_) => Vec::new(),
    }
}

fn at<'n>(node: &'n Node, path: &[String]) -> Option<&'n Node> {
    path.iter().try_fold(node, |node, key| node.get(key))
}

/// Everything a schema says can be ordered, and every path something can stand at.
pub fn read(schema: &Value) -> (Vec<Deed>, Vec<Vec<String>>) {
    let (mut deeds, mut paths) = (Vec::new(), Vec::new());
    let reader = Schema(schema);
    if let Some(orders) = schema.pointer("/properties/orders") {
        reader.walk(orders, &["orders".to_owned()], &mut deeds, &mut paths);
    }
    (deeds, paths)
}

struct Schema<'s>(&'s Value);

impl<'s> Schema<'s> {
    /// What a part of the schema allows: itself, or each of what it stands for.
    fn forms(&self, part: &'s Value) -> Vec<&'s Value> {
        if let Some(name) = part.get("$ref").and_then(Value::as_str) {
            let named = name.strip_prefix('#').and_then(|at| self.0.pointer(at));
            return named.map(|named| self.forms(named)).unwrap_or_default();
        }
        match part.get("anyOf").and_then(Value::as_array) {
            Some(any) => any.iter().flat_map(|one| self.forms(one)).collect(),
            None => vec![part],
        }
    }

    fn class(&self, part: &'s Value) -> Option<Class> {
        self.forms(part).into_iter().find_map(|form| match form.get("x-names")?.as_str()? {
            "hex" | "box" => Some(Class::Place),
            "unit" | "piece" | "token" | "leader" => Some(Class::Unit),
            _ => None,
        })
    }

    /// What the items of a list are, if it may be one.
    fn items(&self, part: &'s Value) -> Option<&'s Value> {
        self.forms(part).into_iter().find_map(|form| form.get("items"))
    }

    fn properties(&self, part: &'s Value) -> Vec<(&'s String, &'s Value)> {
        let forms = self.forms(part).into_iter();
        forms.filter_map(|form| form.get("properties")?.as_object()).flatten().collect()
    }

    fn walk(&self, part: &'s Value, path: &[String], deeds: &mut Vec<Deed>, paths: &mut Vec<Vec<String>>) {
        for (key, value) in self.properties(part) {
            let path: Vec<String> = path.iter().chain([key]).cloned().collect();
            paths.push(path.clone());
            let about = value.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
            let deed = |how| Deed { path: path.clone(), how, about: about.clone() };
            let values = self.forms(value).into_iter().find_map(|form| form.get("additionalProperties"));
            let values = values.filter(|values| values.is_object());
            match (self.items(value), values, self.class(value)) {
                (Some(item), ..) => deeds.extend(self.entries(item).into_iter().map(deed)),
                (None, Some(values), _) => {
                    let item = self.items(values).unwrap_or(values);
                    let how = match self.class(item) {
                        Some(Class::Place) => Some(How::ByUnit),
                        Some(Class::Unit) => Some(How::ByPlace),
                        None => self.doer(item).map(|(doer, _)| How::EntryAt { doer }),
                    };
                    deeds.extend(how.map(deed));
                }
                (None, None, Some(Class::Place)) => deeds.push(deed(How::Place)),
                (None, None, Some(Class::Unit)) => deeds.push(deed(How::Unit)),
                (None, None, None) if path.len() <= DEEPEST => self.walk(value, &path, deeds, paths),
                _ => {}
            }
        }
    }

    /// Who acts in an item.
    fn doer(&self, item: &'s Value) -> Option<(String, bool)> {
        let keys = self.properties(item);
        let named = |doer: &&str| keys.iter().find(|(key, _)| key == doer).copied();
        let (key, value) = DOERS.iter().find_map(named)?;
        let many = self.items(value).is_some();
        let unit = self.class(self.items(value).unwrap_or(value)) == Some(Class::Unit);
        unit.then(|| (key.clone(), many))
    }

    /// What the items of a list can be used for.
    fn entries(&self, item: &'s Value) -> Vec<How> {
        match self.class(item) {
            Some(Class::Unit) => return vec![How::Units],
            Some(Class::Place) => return vec![How::Places],
            None => {}
        }
        let (keys, doer) = (self.properties(item), self.doer(item));
        let has = |wanted: &str| keys.iter().any(|(key, _)| *key == wanted);
        let place = |wanted: &&&str| {
            keys.iter().any(|(key, value)| key.as_str() == **wanted && self.class(value) == Some(Class::Place))
        };
        let entry = |place: &&str| {
            // Ships act for nobody on the map.
            let doer = doer.clone().filter(|_| *place != "naval");
            How::Entry { doer, place: Some((*place).to_owned()), march: *place == "to" && has("path") }
        };
        let mut all: Vec<How> = PLACES.iter().filter(place).map(entry).collect();
        if all.is_empty() && doer.is_some() {
            all.push(How::Entry { doer, place: None, march: false });
        }
        all
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Unit,
    Place,
}

/// An order that the template spells out as a remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// What taking it writes.
    pub change: Change,
    /// The order as it is typed.
    pub text: String,
    /// What the template says about it.
    pub remark: String,
    /// Every word of it, to find the units it names.
    words: BTreeSet<String>,
}

/// The orders a template spells out: `# - {unit: sj-1vc, move: ahead}  # to 0108, 3+`.
pub fn proposals(template: &str, paths: &[Vec<String>], scene: &Scene) -> Vec<Proposal> {
    let ids: BTreeSet<&str> = scene.counters().map(|counter| counter.id.as_str()).collect();
    let mut found = Vec::new();
    let mut path: Vec<String> = vec!["orders".to_owned()];
    for line in template.lines().skip_while(|line| !line.starts_with("orders:")).skip(1) {
        if !line.is_empty() && !line.starts_with([' ', '#']) {
            break;
        }
        let remark = line.trim_start().strip_prefix('#');
        let bare = remark.unwrap_or(line).trim();
        let (text, told) = bare.split_once("  #").map_or((bare, ""), |(text, told)| (text.trim_end(), told.trim()));
        if let Some((key, rest)) = text.split_once(':')
            && rest.trim().trim_start_matches(['[', ']', '{', '}']).is_empty()
            && let Some(section) = section(&path, key.trim(), paths)
        {
            path = section;
            continue;
        }
        if remark.is_none() {
            continue;
        }
        let change = match text.strip_prefix("- ") {
            Some(item) if item.starts_with('{') && item.ends_with('}') => {
                Some(Change::Append { path: path.clone(), item: item.to_owned() })
            }
            Some(_) => None,
            None => text.split_once(": ").filter(|(key, _)| ids.contains(key)).map(|(key, value)| Change::Set {
                path: path.clone(),
                key: key.to_owned(),
                value: value.trim().to_owned(),
            }),
        };
        let words: BTreeSet<String> =
            text.split(|c: char| !c.is_alphanumeric() && c != '-').map(str::to_owned).collect();
        // `HEX` and `ID` stand for what somebody has to choose.
        let open = words.iter().any(|word| word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase()));
        let readable = read_document("item", format!("x: {}\n", text.trim_start_matches("- ")).as_bytes()).is_ok();
        if let Some(change) = change.filter(|_| !open && readable) {
            found.push(Proposal {
                change,
                text: text.trim_start_matches("- ").to_owned(),
                remark: told.to_owned(),
                words,
            });
        }
    }
    found
}

/// The path a key leads to, seen from where the last one stood.
fn section(from: &[String], key: &str, paths: &[Vec<String>]) -> Option<Vec<String>> {
    let deeper: Vec<String> = from.iter().cloned().chain([key.to_owned()]).collect();
    let around = from.get(..from.len().saturating_sub(1)).unwrap_or_default();
    let beside: Vec<String> = around.iter().cloned().chain([key.to_owned()]).collect();
    let known = |path: &Vec<String>| paths.iter().any(|known| known == path);
    let top =
        || paths.iter().find(|path| path.len() == 2 && path.last().is_some_and(|last| same_key(last, key))).cloned();
    [deeper, beside].into_iter().find(known).or_else(top)
}

/// What somebody clicked on.
#[derive(Clone, Debug, Default)]
pub struct Clicked {
    /// Units, by what players type.
    pub units: Vec<String>,
    /// The map.
    pub board: usize,
    /// A cell, where no unit is meant.
    pub cell: Option<String>,
    /// May it take longer than a click?
    pub patient: bool,
}

/// What can be done with what was clicked.
pub fn offers(now: &Now, file: &Node, clicked: &Clicked) -> Value {
    let trial = Trial::new(now, file, if clicked.patient { LONG_PATIENCE } else { PATIENCE });
    let (reached, barred) = reach(now, &clicked.units);
    let mut list = Vec::new();
    // What `reach` has found is there at once; the rest is tried out as long as the click may take.
    let mut kinds: Vec<(usize, &Deed)> = now.deeds.iter().enumerate().collect();
    kinds.sort_by_key(|(_, deed)| !matches!(deed.how, How::Entry { march: true, .. }));
    for (number, deed) in kinds {
        if deed.wants_unit() == clicked.units.is_empty() || !fits_board(now, deed, clicked) {
            continue;
        }
        let march = matches!(deed.how, How::Entry { march: true, .. });
        let (cells, untried): (Vec<Value>, bool) = if !deed.wants_place() {
            match trial.allows_one([deed.changes(file, &clicked.units, "")]) {
                Some(false) => continue,
                told => (Vec::new(), told.is_none()),
            }
        } else if let Some(cell) = &clicked.cell {
            match trial.allows_one([deed.changes(file, &[], cell)]) {
                Some(false) => continue,
                told => (vec![shown(&Reached { cell: cell.clone(), ..Reached::default() })], told.is_none()),
            }
        } else if march && !reached.is_empty() && ordered(now, file) {
            try_reached(now, deed, file, clicked, &reached, &trial)
        } else if march && !reached.is_empty() {
            // `reach` is of units on the map: whether it is this order that brings them there, a few of them tell.
            let some = reached.iter().step_by(reached.len().div_ceil(SAMPLES));
            match trial.allows_one(some.map(|there| deed.changes(file, &clicked.units, &there.cell))) {
                Some(false) => continue,
                told => (reached.iter().map(shown).collect(), told.is_none()),
            }
        } else {
            try_cells(now, deed, file, clicked, &trial)
        };
        if cells.is_empty() && deed.wants_place() && !untried {
            continue;
        }
        list.push(serde_json::json!({
            "deed": number, "label": deed.label(), "about": deed.about, "cells": cells, "untried": untried,
            "place": deed.wants_place(),
        }));
    }
    let proposed: Vec<Value> = proposed(now, clicked);
    serde_json::json!({ "deeds": list, "proposals": proposed, "barred": barred })
}

/// The template's own lines that name one of the units.
fn proposed(now: &Now, clicked: &Clicked) -> Vec<Value> {
    let board = now.scene.boards.get(clicked.board);
    let named = |proposal: &&(usize, &Proposal)| clicked.units.iter().any(|unit| proposal.1.words.contains(unit));
    let all: Vec<(usize, &Proposal)> = now.proposals.iter().enumerate().collect();
    let show = |(number, proposal): &(usize, &Proposal)| {
        let cell = board.and_then(|board| place_of(board, proposal, &clicked.units));
        serde_json::json!({ "proposal": number, "text": proposal.text, "remark": proposal.remark, "cell": cell })
    };
    all.iter().filter(named).map(show).collect()
}

/// The cell a proposal is about: one it names, or that of another unit it names.
fn place_of(board: &Board, proposal: &Proposal, units: &[String]) -> Option<String> {
    let told = proposal.remark.split(|c: char| !c.is_alphanumeric()).chain(proposal.words.iter().map(String::as_str));
    if let Some(cell) = told.into_iter().find(|word| board.cell(word).is_some()) {
        return Some(cell.to_owned());
    }
    let other = |counter: &&crate::scene::Counter| proposal.words.contains(&counter.id) && !units.contains(&counter.id);
    board.counters.iter().find(other).and_then(|counter| counter.cell.clone())
}

/// An order for one battlefield of several is for what stands there.
fn fits_board(now: &Now, deed: &Deed, clicked: &Clicked) -> bool {
    let boards = &now.scene.boards;
    let named = boards.iter().position(|board| deed.path.iter().any(|key| same_key(key, &board.id)));
    named.is_none_or(|board| board == clicked.board)
}

fn shown(reached: &Reached) -> Value {
    serde_json::to_value(reached).unwrap_or_default()
}

/// Where all of these units can go, and why not where they cannot.
fn reach(now: &Now, units: &[String]) -> (Vec<Reached>, Option<String>) {
    let mut together: Option<Vec<Reached>> = None;
    let view = now.sight.view(now.sight.stop().who());
    for unit in units {
        let reply = match now.sight.table().query(view, &Query::Reach { unit: unit.clone() }) {
            Ok(reply) => reply,
            Err(faults) => {
                let first = faults.first();
                let clause =
                    first.and_then(|fault| fault.clause).map_or_else(String::new, |clause| format!(" ({clause})"));
                return (Vec::new(), first.map(|fault| format!("{}{clause}", fault.what)));
            }
        };
        let of = |overlay: Overlay| match overlay {
            Overlay::Reach { cells, .. } => cells,
            _ => Vec::new(),
        };
        let cells: Vec<Reached> = reply.drawn.into_iter().flat_map(of).collect();
        together = Some(match together {
            None => cells,
            // A stack goes as far as the slowest of it, at the price it pays.
            Some(before) => {
                let dearer = |one: Reached| {
                    let other = before.iter().find(|other| other.cell == one.cell)?;
                    let points = |cost: &str| cost.parse::<u32>().unwrap_or(0);
                    Some(if points(&other.cost) > points(&one.cost) { other.clone() } else { one })
                };
                cells.into_iter().filter_map(dearer).collect()
            }
        });
    }
    (together.unwrap_or_default(), None)
}

/// Does the file order anything that the template does not?
fn ordered(now: &Now, file: &Node) -> bool {
    now.deeds.iter().any(|deed| at(file, &deed.path) != at(&now.begun, &deed.path))
}

/// Tries a march out behind everything that is ordered before it, as long as there is time: the cells that `reach` finds
/// in the position as it is, and then, for whoever waits, those around them that an order before may have opened.
fn try_reached(
    now: &Now,
    deed: &Deed,
    file: &Node,
    clicked: &Clicked,
    reached: &[Reached],
    trial: &Trial<'_>,
) -> (Vec<Value>, bool) {
    let allowed = |cell: &str| trial.allows(&deed.changes(file, &clicked.units, cell));
    let mut found = Vec::new();
    for (number, there) in reached.iter().enumerate() {
        if !trial.in_time() {
            found.extend(reached.iter().skip(number).map(shown));
            return (found, true);
        }
        if allowed(&there.cell) {
            found.push(shown(there));
        }
    }
    let Some(board) = now.scene.boards.get(clicked.board) else { return (found, false) };
    let stand = || reached.iter().filter_map(|there| board.cell(&there.cell));
    let beside = |cell: &Cell, other: &Cell| {
        let (wide, high) = board.shape.extent();
        (cell.at.0 - other.at.0).abs() <= 2 * wide && (cell.at.1 - other.at.1).abs() <= 2 * high
    };
    let known: BTreeSet<&str> = reached.iter().map(|there| there.cell.as_str()).collect();
    let around = board.cells.iter().filter(|cell| !known.contains(cell.id.as_str()));
    for cell in around.filter(|cell| stand().any(|there| beside(cell, there))) {
        if !trial.in_time() {
            return (found, true);
        }
        if allowed(&cell.id) {
            found.push(shown(&Reached { cell: cell.id.clone(), ..Reached::default() }));
        }
    }
    (found, false)
}

/// Tries a deed out in every cell, the likeliest first, as long as there is time.
fn try_cells(now: &Now, deed: &Deed, file: &Node, clicked: &Clicked, trial: &Trial<'_>) -> (Vec<Value>, bool) {
    let Some(board) = now.scene.boards.get(clicked.board) else { return (Vec::new(), false) };
    // Near to where the unit stands, or where the file places it by now.
    let planned = placed(now, file);
    let from = clicked.units.iter().find_map(|unit| {
        let stands =
            board.counters.iter().find(|counter| counter.id == *unit).and_then(|counter| counter.cell.as_deref());
        let meant = || planned.iter().find(|(placed, on, _)| placed == unit && *on == clicked.board);
        board.cell(stands.or_else(|| meant().map(|(_, _, cell)| cell.as_str()))?)
    });
    let due = now.sight.stop().who();
    let foes: BTreeSet<&str> = (board.counters.iter())
        .filter(|counter| now.scene.force(counter.force).map(|force| force.side) != due)
        .filter_map(|counter| counter.cell.as_deref())
        .collect();
    let at_foes = matches!(&deed.how, How::Entry { place: Some(place), .. } if SHARED.contains(&place.as_str()));
    let far = |cell: &Cell| {
        let (x, y) = from.map_or((board.size.0 / 2, board.size.1 / 2), |from| from.at);
        (cell.at.0 - x).abs() + (cell.at.1 - y).abs()
    };
    let mut cells: Vec<&Cell> = board.cells.iter().collect();
    let likely = |cell: &Cell| at_foes == foes.contains(cell.id.as_str());
    let marked = |cell: &Cell| !cell.flags.is_empty();
    cells.sort_by_key(|cell| (!likely(cell), from.is_none() && !marked(cell), far(cell)));
    let mut found = Vec::new();
    let (mut fault, mut times) = (BTreeSet::new(), 0);
    for cell in cells {
        if !trial.in_time() {
            return (found, true);
        }
        let wrong = trial.wrong(&deed.changes(file, &clicked.units, &cell.id));
        if wrong.is_empty() {
            found.push(shown(&Reached { cell: cell.id.clone(), ..Reached::default() }));
        }
        times = if wrong == fault { times + 1 } else { 0 };
        fault = wrong;
        if times == SAME && found.is_empty() {
            return (found, false);
        }
    }
    (found, false)
}

/// A file in which orders are tried out.
struct Trial<'n> {
    now: &'n Now,
    file: &'n Node,
    /// What is wrong with it as it is.
    faults: BTreeSet<String>,
    /// When an answer is due.
    until: Instant,
    /// The longest that a trial has taken.
    longest: std::cell::Cell<Duration>,
}

impl<'n> Trial<'n> {
    fn new(now: &'n Now, file: &'n Node, patience: Duration) -> Trial<'n> {
        let began = Instant::now();
        let faults = found(now, file);
        Trial { now, file, faults, until: began + patience, longest: began.elapsed().into() }
    }

    /// Is there time for another trial?
    fn in_time(&self) -> bool {
        Instant::now() + self.longest.get() <= self.until
    }

    /// Does nothing new go wrong with these changes?
    fn allows(&self, changes: &[Change]) -> bool {
        self.wrong(changes).is_empty()
    }

    /// Does nothing new go wrong with one of these? Nobody knows where there was no time to try.
    fn allows_one(&self, changes: impl IntoIterator<Item = Vec<Change>>) -> Option<bool> {
        for change in changes {
            if !self.in_time() {
                return None;
            }
            if self.allows(&change) {
                return Some(true);
            }
        }
        Some(false)
    }

    /// What goes wrong with these changes that was not wrong before.
    fn wrong(&self, changes: &[Change]) -> BTreeSet<String> {
        let mut file = self.file.clone();
        let made = changes.iter().try_for_each(|change| change.on_node(&mut file));
        if made.is_none() || changes.is_empty() {
            return BTreeSet::from(["it cannot be written".to_owned()]);
        }
        let began = Instant::now();
        let found = found(self.now, &file);
        self.longest.set(self.longest.get().max(began.elapsed()));
        found.difference(&self.faults).cloned().collect()
    }
}

/// Where the file itself says that units are to be: `a: 1612` and `1612: [a, b]`, by unit, map and cell.
pub fn placed(now: &Now, file: &Node) -> Vec<(String, usize, String)> {
    let mut all = Vec::new();
    for deed in now.deeds.iter().filter(|deed| deed.path.len() == 2) {
        let entries = at(file, &deed.path).and_then(Node::as_map).unwrap_or_default();
        for (key, value) in entries {
            let (units, place) = match deed.how {
                How::ByUnit => (vec![key.clone()], value.as_text().unwrap_or_default()),
                How::ByPlace => (texts(value), key.as_str()),
                _ => continue,
            };
            let Some((board, cell)) = now.scene.find(place) else { continue };
            all.extend(units.into_iter().map(|unit| (unit, board, cell.id.clone())));
        }
    }
    all
}

fn found(now: &Now, file: &Node) -> BTreeSet<String> {
    let faults = now.checked(file).faults.into_iter().filter(|fault| !fault.warning);
    faults.map(|fault| format!("{}: {}", fault.at, fault.what)).collect()
}
