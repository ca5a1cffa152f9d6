//! What players read: events told and depicted, the position told and laid out as a scene, questions answered.

use std::collections::BTreeMap;

use super::Rules;
use crate::engine::doc::Fault;
use crate::engine::{Diary, Json, Seen};
use crate::scene::{Incident, Overlay, Scene};

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
