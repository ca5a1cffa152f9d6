//! The map told once: a position as data, for every drawing there is.
//!
//! A game describes what lies where in the words of [`words`]; terminal, SVG, PNG, HTML and the desk are made from that
//! and know no rule. A scene of one side holds nothing that side may not know. All coordinates are whole numbers.

mod board;
pub mod shape;
pub mod words;

pub use board::Stroke;
pub use shape::{Point, Shape};
pub use words::{Arm, Border, Deed, Echelon, Flag, Ground, Livery, Mark, Trace, Track, Work};

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::engine::Side;

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A position as somebody sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Scene {
    /// The title of the game.
    pub title: String,
    /// The moment: turn, date, who acts.
    pub moment: String,
    /// The game turn.
    pub turn: u32,
    /// Whose view it is; everything is open if none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<Side>,
    /// The forces, in the order their counters are listed.
    pub forces: Vec<Force>,
    /// The maps: one, or one for each battlefield.
    pub boards: Vec<Board>,
    /// What waits or has gone off the map.
    pub boxes: Vec<OffMap>,
    /// What happened, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub happened: Vec<Incident>,
    /// What could happen, as far as somebody asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub could: Vec<Overlay>,
}

/// An army with colours of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Force {
    /// Its word: `us`, `cuban`, `spanish`.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// The side that commands it.
    pub side: Side,
    /// The sign of its units on a map of characters.
    pub sign: char,
    /// Its colours.
    pub livery: Livery,
}

/// A map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Board {
    /// Its word.
    pub id: String,
    /// Its name; empty where the game has only one map.
    pub name: String,
    /// The shape of its cells.
    pub shape: Shape,
    /// How wide and how high it is. A hex has a radius of 60, a square a side of 104.
    pub size: Point,
    /// What the width of a cell stands for: `1 mile`.
    pub scale: String,
    /// The cells.
    pub cells: Vec<Cell>,
    /// What lies along the sides of cells.
    pub sides: Vec<Edge>,
    /// Roads and the like, cell by cell.
    pub ways: Vec<Way>,
    /// Names of rivers, roads and heights.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<Label>,
    /// The counters on it, cell by cell, each stack from bottom to top.
    pub counters: Vec<Counter>,
}

/// One cell of a map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Cell {
    /// Its printed number.
    pub id: String,
    /// The row and the column it is counted in.
    pub row: u16,
    /// The column.
    pub column: u16,
    /// Its centre.
    pub at: Point,
    /// What it looks like.
    pub ground: Ground,
    /// How high it lies.
    #[serde(skip_serializing_if = "is_low")]
    pub level: u8,
    /// What is built in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub works: Vec<Work>,
    /// Its printed name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What is marked in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<Flag>,
    /// The force that holds it, where the game keeps count of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<&'static str>,
    /// Anything else a player would want to read there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_low(level: &u8) -> bool {
    *level == 0
}

/// Something between two neighbouring cells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Edge {
    /// What it is.
    pub what: Border,
    /// The two cells; where it counts, it is met on going from the first to the second.
    pub between: [String; 2],
}

/// A stretch of road or rail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Way {
    /// What it is.
    pub what: Track,
    /// The cells it joins.
    pub cells: Vec<String>,
}

/// The name of something larger than a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Label {
    /// The name.
    pub text: String,
    /// The cells it leads through, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<String>,
    /// The sides of cells it lies along, in order: the name of water.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<[String; 2]>,
}

/// A counter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Counter {
    /// What players type for it.
    pub id: String,
    /// Its full name.
    pub name: String,
    /// What is printed on it.
    pub label: String,
    /// The force it belongs to.
    pub force: &'static str,
    /// What it is.
    pub arm: Arm,
    /// How large it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub echelon: Option<Echelon>,
    /// The numbers printed along its lower edge, as they are now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Value>,
    /// Steps it has left and steps it began with, where it has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<[u8; 2]>,
    /// The states it is in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    /// Which way it looks, in degrees clockwise from the north.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facing: Option<u16>,
    /// The cell it lies in; none off the map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<String>,
    /// Belongs to the side that is to act, and nothing bars it from acting.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ready: bool,
    /// Anything else a player would want to read about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Counter {
    /// A counter in a list: `us-inf-6 5-6-4 (disorganized)`.
    pub fn listed(&self) -> String {
        let values: Vec<&str> = self.values.iter().map(|value| value.is.as_str()).collect();
        let values = if values.is_empty() { String::new() } else { format!(" {}", values.join("-")) };
        let marks: Vec<&str> = self.marks.iter().map(|mark| mark.as_str()).collect();
        let marks = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
        format!("{}{values}{marks}", self.id)
    }

    /// A counter of which nothing but its id, force and arm is known yet.
    pub fn new(id: impl ToString, force: &'static str, arm: Arm) -> Counter {
        let id = id.to_string();
        Counter {
            name: id.clone(),
            label: id.clone(),
            id,
            force,
            arm,
            echelon: None,
            values: Vec::new(),
            steps: None,
            marks: Vec::new(),
            facing: None,
            cell: None,
            ready: false,
            notes: Vec::new(),
        }
    }

    /// The same with another printed number.
    #[must_use]
    pub fn value(mut self, what: &'static str, is: impl ToString) -> Counter {
        self.values.push(Value { what, is: is.to_string() });
        self
    }

    /// The same in this state, if it is so.
    #[must_use]
    pub fn mark(mut self, mark: Mark, holds: bool) -> Counter {
        if holds {
            self.marks.push(mark);
        }
        self
    }

    /// The same with so many steps of so many left; marked as reduced where some are lost.
    #[must_use]
    pub fn of_steps(mut self, left: u8, full: u8) -> Counter {
        if full > 0 {
            self.steps = Some([left, full]);
        }
        self.mark(Mark::Reduced, left < full)
    }
}

/// A number printed on a counter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Value {
    /// What it counts: `fire`, `shock`, `movement`.
    pub what: &'static str,
    /// The number.
    pub is: String,
}

/// A box beside the map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct OffMap {
    /// Its word.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// What is in it.
    pub counters: Vec<Counter>,
}

/// Something that happened somewhere on the map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Incident {
    /// The place of its event in the journal.
    pub event: usize,
    /// The map it happened on.
    #[serde(skip_serializing_if = "is_zero")]
    pub board: usize,
    /// What kind of thing it was.
    pub what: Deed,
    /// Who, by what players type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub units: Vec<String>,
    /// The force that did it or suffered it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force: Option<&'static str>,
    /// The cells walked, from the first to the last; for a fight or fire the cells it came from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// Where it ended, or where it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// What came of it, in a few characters: `DR`, `2 steps`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub result: String,
}

impl Incident {
    /// Something that was done by these units.
    pub fn new<U: ToString>(what: Deed, units: impl IntoIterator<Item = U>) -> Incident {
        let units = units.into_iter().map(|unit| unit.to_string()).collect();
        Incident { event: 0, board: 0, what, units, force: None, from: Vec::new(), at: None, result: String::new() }
    }

    /// The same by a force.
    #[must_use]
    pub fn by(mut self, force: &'static str) -> Incident {
        self.force = Some(force);
        self
    }

    /// The same in a cell.
    #[must_use]
    pub fn at(mut self, cell: impl ToString) -> Incident {
        self.at = Some(cell.to_string());
        self
    }

    /// The same from these cells.
    #[must_use]
    pub fn from<C: ToString>(mut self, cells: impl IntoIterator<Item = C>) -> Incident {
        self.from = cells.into_iter().map(|cell| cell.to_string()).collect();
        self
    }

    /// The same with what came of it.
    #[must_use]
    pub fn result(mut self, result: impl ToString) -> Incident {
        self.result = result.to_string();
        self
    }

    /// The same on another map than the first.
    #[must_use]
    pub fn on(mut self, board: usize) -> Incident {
        self.board = board;
        self
    }

    /// Every cell it touches.
    pub fn cells(&self) -> impl Iterator<Item = &str> {
        self.from.iter().chain(&self.at).map(String::as_str)
    }
}

/// Something that could happen, or holds, drawn over the map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Overlay {
    /// Where a unit can go.
    Reach {
        /// The map.
        board: usize,
        /// The unit.
        unit: String,
        /// The cells, each with what it takes to get there.
        cells: Vec<Reached>,
    },
    /// What could be attacked.
    Targets {
        /// The map.
        board: usize,
        /// The cells, each with its odds.
        cells: Vec<Target>,
    },
    /// Where there is supply, or what is seen.
    Area {
        /// The map.
        board: usize,
        /// What holds there.
        what: Trace,
        /// For which force.
        #[serde(skip_serializing_if = "Option::is_none")]
        force: Option<&'static str>,
        /// The cells.
        cells: Vec<String>,
    },
    /// A line of supply or sight.
    Line {
        /// The map.
        board: usize,
        /// What it is.
        what: Trace,
        /// For whom, if for one unit.
        #[serde(skip_serializing_if = "Option::is_none")]
        unit: Option<String>,
        /// Its cells in order; those in the way where it is not open.
        cells: Vec<String>,
        /// Is there such a line?
        open: bool,
        /// A remark: why not, or how long.
        #[serde(skip_serializing_if = "String::is_empty")]
        note: String,
    },
}

impl Overlay {
    /// The map it is drawn over.
    pub fn board(&self) -> usize {
        match self {
            Overlay::Reach { board, .. }
            | Overlay::Targets { board, .. }
            | Overlay::Area { board, .. }
            | Overlay::Line { board, .. } => *board,
        }
    }
}

/// A cell a unit can go to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Reached {
    /// The cell.
    pub cell: String,
    /// What it costs, in the points of the game.
    pub cost: String,
    /// The way there, without the cell it starts from.
    pub path: Vec<String>,
    /// Dice on the way, and what they are for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub dice: String,
    /// A remark: an enemy zone, only passing through.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// A cell that could be attacked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Target {
    /// The cell.
    pub cell: String,
    /// From where.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// The odds: `3:1`.
    pub odds: String,
    /// A remark.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// Says of every fight and fire where it came from, where the event did not: from where its units stood by then.
pub fn trace(happened: &mut [Incident], before: &Scene) {
    let mut stands: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for (number, board) in before.boards.iter().enumerate() {
        let on =
            board.counters.iter().filter_map(|counter| Some((counter.id.clone(), (number, counter.cell.clone()?))));
        stands.extend(on);
    }
    for incident in happened {
        match (incident.what, &incident.at) {
            (Deed::Fought | Deed::Fired, Some(at)) if incident.from.is_empty() => {
                let there = incident.units.iter().filter_map(|unit| stands.get(unit));
                let from = there.filter(|(board, cell)| *board == incident.board && cell != at).map(|(_, cell)| cell);
                incident.from = from.cloned().collect::<BTreeSet<String>>().into_iter().collect();
            }
            (
                Deed::Placed | Deed::Landed | Deed::Entered | Deed::Moved | Deed::Retreated | Deed::Advanced,
                Some(at),
            ) => {
                let end = (incident.board, at.clone());
                stands.extend(incident.units.iter().map(|unit| (unit.clone(), end.clone())));
            }
            _ => {}
        }
    }
}

impl Scene {
    /// The force with this word.
    pub fn force(&self, id: &str) -> Option<&Force> {
        self.forces.iter().find(|force| force.id == id)
    }

    /// The map and the cell with this number or name; the first of them where several maps have it.
    pub fn find(&self, text: &str) -> Option<(usize, &Cell)> {
        let wanted = crate::engine::doc::fold(text);
        let named = |cell: &&Cell| cell.name.as_ref().is_some_and(|name| crate::engine::doc::fold(name) == wanted);
        let on = |(at, board): (usize, &'_ Board)| board.cell(text).is_some().then_some(at);
        let by_number = self.boards.iter().enumerate().find_map(on);
        if let Some(at) = by_number {
            return self.boards.get(at).and_then(|board| board.cell(text)).map(|cell| (at, cell));
        }
        let boards = self.boards.iter().enumerate();
        boards.filter_map(|(at, board)| Some((at, board.cells.iter().find(named)?))).next()
    }

    /// Every counter, on the map and beside it.
    pub fn counters(&self) -> impl Iterator<Item = &Counter> {
        let on_map = self.boards.iter().flat_map(|board| &board.counters);
        on_map.chain(self.boxes.iter().flat_map(|held| &held.counters))
    }
}

impl Board {
    /// The cell with this number.
    pub fn cell(&self, id: &str) -> Option<&Cell> {
        // Cells stand in the order of their numbers, all of which have as many digits.
        match self.cells.binary_search_by(|cell| cell.id.as_str().cmp(id)) {
            Ok(at) => self.cells.get(at),
            Err(_) => None,
        }
    }

    /// The counters in a cell, from bottom to top.
    pub fn stack<'b>(&'b self, cell: &'b str) -> impl Iterator<Item = &'b Counter> {
        self.counters.iter().filter(move |counter| counter.cell.as_deref() == Some(cell))
    }

    /// Puts the counters of each cell together, in the order of the cells; each stack keeps the order it has.
    pub fn sort_counters(&mut self) {
        self.counters.sort_by(|a, b| a.cell.cmp(&b.cell));
    }
}
