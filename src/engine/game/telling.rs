//! What players read: events told and depicted, the position told and laid out as a scene, questions answered.

use std::collections::BTreeMap;

use super::Rules;
use crate::engine::doc::Fault;
use crate::engine::{Diary, Json, Seen};
use crate::scene::{Incident, Overlay, Reached, Scene, Trace};

/// A question a player puts to the position without giving orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// Where can this unit go?
    Reach {
        /// The unit as typed.
        unit: String,
    },
    /// Who is in supply, and along which line?
    Supply {
        /// Only this unit.
        unit: Option<String>,
    },
    /// Can one hex see another?
    Sight {
        /// From.
        from: String,
        /// To.
        to: String,
    },
}

/// The answer to a [`Query`].
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// For people.
    pub diary: Diary,
    /// For programs.
    pub json: BTreeMap<String, Json>,
    /// For the map.
    pub drawn: Vec<Overlay>,
}

impl Reply {
    /// A list: as a table for people, and for programs under a key.
    pub fn list(&mut self, key: &str, head: &[&str], entries: Vec<(Vec<String>, Json)>) {
        let (rows, list) = entries.into_iter().unzip();
        self.diary.table(head, rows);
        self.json.insert(key.to_owned(), Json::List(list));
    }

    /// Where a unit can go on the first map: a list, and the cells.
    pub fn reach(&mut self, unit: impl ToString, head: &[&str], goals: Vec<(Vec<String>, Json, Reached)>) {
        let (mut entries, mut cells) = (Vec::new(), Vec::new());
        for (row, entry, cell) in goals {
            entries.push((row, entry));
            cells.push(cell);
        }
        self.list("reach", head, entries);
        self.drawn.push(Overlay::Reach { board: 0, unit: unit.to_string(), cells });
    }

    /// A unit on the first map that no supply reaches.
    pub fn unsupplied(&mut self, unit: impl ToString, cell: impl ToString, note: &str) {
        self.line(unit, vec![cell.to_string()], false, note);
    }

    /// A unit on the first map with the line of supply that leads from it to a source; nothing where it needs no line.
    pub fn supplied<C: ToString>(&mut self, unit: impl ToString, line: &[C]) {
        if line.len() > 1 {
            self.line(unit, line.iter().map(ToString::to_string).collect(), true, "");
        }
    }

    fn line(&mut self, unit: impl ToString, cells: Vec<String>, open: bool, note: &str) {
        let (unit, note) = (Some(unit.to_string()), note.to_owned());
        self.drawn.push(Overlay::Line { board: 0, what: Trace::Supply, unit, cells, open, note });
    }
}

/// How a game is told.
pub trait Telling: Rules {
    /// Tells an event.
    fn tell(&self, event: &Self::Event, diary: &mut Diary);

    /// What each side lost and gained: the head of a report, from the events of a span alone.
    fn sum_up(&self, _events: &[&Self::Event], _diary: &mut Diary) {}

    /// Where the campaign stands: victory count, control, supply, losses, reserves.
    fn tell_state(&self, seen: &Seen<'_, Self::State>, diary: &mut Diary);

    /// One line for the head of a report: date, turn, who acted.
    fn headline(&self, state: &Self::State) -> String;

    /// The position as a scene: maps, counters, boxes. The engine adds title, moment and view. It holds nothing that
    /// `seen` does not know.
    fn scene(&self, seen: &Seen<'_, Self::State>) -> Scene;

    /// Where an event happened and to whom, for arrows and bursts on the map; nothing for what has no place.
    fn depict(&self, event: &Self::Event) -> Vec<Incident>;

    /// Answers a query of `reach`, `supply` or `los`.
    fn query(&self, seen: &Seen<'_, Self::State>, query: &Query) -> Result<Reply, Vec<Fault>>;
}
