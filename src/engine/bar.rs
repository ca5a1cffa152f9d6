//! Why something may not be done: one type for every game, told by the same words wherever it is told.

use serde::Serialize;

use super::doc::{DocPath, Fault};
use super::{Clause, Subject};

/// The one reason why something may not be done.
///
/// The function that judges an order gives it; the check of a file, a lapse in a report, the template (`may not: …`)
/// and `reach` tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    /// The rule that forbids it.
    pub clause: Clause,
    /// Why, in a player's words: "us-9-inf landed this turn".
    pub why: String,
    /// What would be legal.
    pub remedy: String,
    /// The part of the order it blames, seen from the order; the whole order if empty.
    pub part: DocPath,
    /// The units and hexes it rests on. Where one of them may be otherwise than foreseen, so may the bar.
    pub about: Vec<Subject>,
    /// True whatever else happens: not your unit, ordered twice, no such beach.
    pub firm: bool,
}

impl Bar {
    /// A bar against the whole order.
    pub fn new(clause: &'static str, why: impl Into<String>, remedy: impl Into<String>) -> Bar {
        Bar {
            clause: Clause(clause),
            why: why.into(),
            remedy: remedy.into(),
            part: DocPath::root(),
            about: Vec::new(),
            firm: false,
        }
    }

    /// The same, blaming the value under a key of the order.
    #[must_use]
    pub fn part(self, key: &str) -> Bar {
        let part = DocPath::root().key(key);
        self.at(part)
    }

    /// The same, blaming a part of the order.
    #[must_use]
    pub fn at(self, part: DocPath) -> Bar {
        Bar { part, ..self }
    }

    /// The same, resting on what these units and hexes are.
    #[must_use]
    pub fn about(mut self, subjects: impl IntoIterator<Item = Subject>) -> Bar {
        self.about.extend(subjects);
        self
    }

    /// Why, calling the one it speaks of "it": the same words for all who stay for the same reason.
    pub fn why_it(&self, who: &str) -> String {
        self.why.replace(who, "it")
    }

    /// The same, true whatever else happens.
    #[must_use]
    pub fn firm(self) -> Bar {
        Bar { firm: true, ..self }
    }

    /// The fault in a file, of the order that stands at `order`.
    pub fn fault(&self, order: &DocPath) -> Fault {
        Fault::new(&order.join(&self.part), self.why.clone(), self.remedy.clone()).by(self.clause)
    }

    /// Faults of what was asked for outside a file.
    pub fn faults(bars: &[Bar]) -> Vec<Fault> {
        bars.iter().map(|bar| bar.fault(&DocPath::root())).collect()
    }
}

/// One kind of order: a landing, a march, an attack, an activation.
///
/// The value is what carrying it out needs. [`Deed::plan`] is the only place where its legality is decided: checking
/// and resolution ask it, and everything that proposes orders reads [`Deed::choices`], which asks it too.
pub trait Deed<'t>: Sized {
    /// The position, what the phase has used up so far, what the viewer knows.
    type Table: Copy + 't;
    /// What a player writes.
    type Order: Clone + Serialize;

    /// Judges an order: what carrying it out needs, or every reason why it may not be done.
    fn plan(now: Self::Table, order: &Self::Order) -> Result<Self, Vec<Bar>>;

    /// Everything that may be ordered now, each with its deed.
    fn choices(now: Self::Table) -> Vec<(Self::Order, Self)>;
}
