//! What players read: events told, the position told and drawn, questions answered.

use std::collections::BTreeMap;

use super::Rules;
use crate::engine::doc::{Fault, Node};
use crate::engine::{Diary, Json, Seen};

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
    /// What odds would these orders fight at?
    Odds {
        /// The packet of orders.
        orders: Node,
    },
}

/// The answer to a [`Query`].
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// For people.
    pub diary: Diary,
    /// For programs.
    pub json: BTreeMap<String, Json>,
}

/// A picture of the map in characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// The lines, each of patches in one tone.
    pub lines: Vec<Vec<Patch>>,
    /// What the signs mean.
    pub legend: Vec<String>,
}

/// A piece of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The characters.
    pub text: String,
    /// How they are to be shown where colours are.
    pub tone: Tone,
}

/// The colours of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Plain text.
    Plain,
    /// Grid numbers and what is of no interest.
    Faint,
    /// Water.
    Water,
    /// Woods and jungle.
    Green,
    /// High ground.
    Brown,
    /// Towns and works.
    Built,
    /// Roads and railways.
    Road,
    /// The first side's counters.
    First,
    /// The second side's counters.
    Second,
    /// A third force.
    Third,
    /// What is asked about.
    Marked,
}

/// Where the map is to be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Around this cell or place.
    pub centre: Option<String>,
    /// This many cells to each side.
    pub radius: Option<u32>,
    /// Fit into this many columns of text where possible.
    pub width: Option<usize>,
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

    /// The map.
    fn picture(&self, seen: &Seen<'_, Self::State>, window: &Window) -> Result<Picture, Fault>;

    /// Answers a query of `reach`, `supply`, `los` or `odds`.
    fn query(&self, seen: &Seen<'_, Self::State>, query: &Query) -> Result<Reply, Vec<Fault>>;
}
