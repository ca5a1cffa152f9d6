//! What an order came to, read off its events: the same for every game, so that chances and luck are reckoned once.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Serialize, Serializer};

use super::doc::DocPath;
use super::{Ratio, Side};

/// What an event says about the upshot of the order in hand, or of the phase if none is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It is, or goes on as, a fight of this side for a place.
    Fight {
        /// The attacker.
        by: Side,
        /// The hex, box or unit attacked, as a player calls it.
        at: String,
    },
    /// How it came out, in the words of the table; the last one counts.
    Result(String),
    /// A side lost this many steps (or whatever losses are counted in) of a unit.
    Lost {
        /// Whose they were.
        side: Side,
        /// The unit.
        unit: String,
        /// How many.
        steps: u32,
    },
    /// The place fought for was entered, or the place to be reached was.
    Taken,
    /// The attack was called off, or came to nothing before it was fought.
    CalledOff,
    /// A leader is out of the game.
    LeaderFell {
        /// The leader.
        leader: String,
    },
}

/// A part of a packet whose dice belong together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Affair {
    /// An entry of the packet, seen from `orders:`.
    Entry(DocPath),
    /// What happens in a phase without an order.
    Phase(String),
}

impl fmt::Display for Affair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Affair::Entry(entry) => write!(f, "{entry}"),
            Affair::Phase(phase) => f.write_str(phase),
        }
    }
}

impl Serialize for Affair {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What an affair came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Upshot {
    /// In a fight: the attacker and the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fight: Option<(Side, String)>,
    /// Whether a phase had fights for several places, which no order tells apart: it has no result then, only losses.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub several: bool,
    /// The result in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Steps lost by each side.
    pub lost: BTreeMap<Side, u32>,
    /// Whether the place was taken.
    pub taken: bool,
    /// Whether the attack was called off.
    pub called_off: bool,
    /// Leaders who fell.
    pub leaders: BTreeSet<String>,
}

impl Upshot {
    /// Takes account of a mark in a phase without an order: shots at several places are one affair.
    pub fn mark_phase(&mut self, mark: Mark) {
        if let (Mark::Fight { by, at }, Some((other, place))) = (&mark, &self.fight) {
            self.several |= (by, at) != (other, place);
        }
        self.mark(mark);
    }

    /// Takes account of a mark.
    pub fn mark(&mut self, mark: Mark) {
        match mark {
            Mark::Fight { by, at } => self.fight = Some((by, at)),
            Mark::Result(result) => self.result = Some(result),
            Mark::Lost { side, steps, .. } => *self.lost.entry(side).or_insert(0) += steps,
            Mark::Taken => self.taken = true,
            Mark::CalledOff => self.called_off = true,
            Mark::LeaderFell { leader } => {
                self.leaders.insert(leader);
            }
        }
    }

    /// Steps a side lost.
    pub fn lost_by(&self, side: Side) -> u32 {
        self.lost.get(&side).copied().unwrap_or(0)
    }

    /// The word for it: the result, or what else is known.
    pub fn word(&self) -> &str {
        match &self.result {
            _ if self.several => "at several places",
            _ if self.called_off => "called off",
            Some(result) => result,
            None if self.fight.is_some() => "not fought out",
            None => "does not come up",
        }
    }
}

/// What an affair can come to, each upshot with its chance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spread(pub BTreeMap<Upshot, Ratio>);

impl Spread {
    /// Adds a chance.
    pub fn add(&mut self, upshot: Upshot, chance: Ratio) {
        let known = self.0.entry(upshot).or_insert(Ratio::ZERO);
        *known = known.plus(chance);
    }

    /// All chances together: 1, unless branches were left out.
    pub fn total(&self) -> Ratio {
        self.0.values().fold(Ratio::ZERO, |sum, chance| sum.plus(*chance))
    }

    /// The chance of everything of which this is true.
    pub fn chance(&self, holds: impl Fn(&Upshot) -> bool) -> Ratio {
        let fitting = self.0.iter().filter(|(upshot, _)| holds(upshot));
        fitting.fold(Ratio::ZERO, |sum, (_, chance)| sum.plus(*chance))
    }

    /// The mean of a number.
    pub fn expected(&self, number: impl Fn(&Upshot) -> u32) -> Ratio {
        self.0
            .iter()
            .fold(Ratio::ZERO, |sum, (upshot, chance)| sum.plus(chance.times(Ratio::new(number(upshot), 1u32))))
    }

    /// The chances of each value of a number.
    pub fn numbers(&self, number: impl Fn(&Upshot) -> u32) -> BTreeMap<u32, Ratio> {
        let mut numbers = BTreeMap::new();
        for (upshot, chance) in &self.0 {
            let known = numbers.entry(number(upshot)).or_insert(Ratio::ZERO);
            *known = known.plus(*chance);
        }
        numbers
    }

    /// The chances of each result, the likeliest first.
    pub fn results(&self) -> Vec<(String, Ratio)> {
        let mut results: BTreeMap<&str, Ratio> = BTreeMap::new();
        for (upshot, chance) in &self.0 {
            let known = results.entry(upshot.word()).or_insert(Ratio::ZERO);
            *known = known.plus(*chance);
        }
        let mut results: Vec<(String, Ratio)> =
            results.into_iter().map(|(word, chance)| (word.to_owned(), chance)).collect();
        results.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        results
    }

    /// The sides that can lose something.
    pub fn losers(&self) -> BTreeSet<Side> {
        self.0.keys().flat_map(|upshot| upshot.lost.keys().copied()).collect()
    }

    /// The leaders who can fall.
    pub fn leaders(&self) -> BTreeSet<&str> {
        self.0.keys().flat_map(|upshot| upshot.leaders.iter().map(String::as_str)).collect()
    }

    /// The fight it is, if it is one on any dice and no more than one.
    pub fn fight(&self) -> Option<&(Side, String)> {
        if self.0.keys().any(|upshot| upshot.several) {
            return None;
        }
        self.0.keys().find_map(|upshot| upshot.fight.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shots_at_several_places_of_a_phase_are_not_told_as_one_of_them() {
        let (by, mut upshot) = (Side("spain"), Upshot::default());
        for at in ["1026", "2630"] {
            upshot.mark_phase(Mark::Fight { by, at: at.to_owned() });
            upshot.mark_phase(Mark::Result("1 step".to_owned()));
        }
        assert_eq!(upshot.word(), "at several places");
        assert_eq!(Spread(BTreeMap::from([(upshot, Ratio::ONE)])).fight(), None);
        let mut one = Upshot::default();
        for result in ["no effect", "1 step"] {
            one.mark_phase(Mark::Fight { by, at: "2630".to_owned() });
            one.mark_phase(Mark::Result(result.to_owned()));
        }
        assert_eq!(one.word(), "1 step");
    }
}
