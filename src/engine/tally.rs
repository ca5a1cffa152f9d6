//! Sums whose every term says why it is there.

use serde::Serialize;

use super::Clause;

/// One term of a sum: a modifier, a shift, a factor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Term {
    /// What the term stands for, in a player's words.
    pub what: String,
    /// How much it adds.
    pub value: i32,
    /// The clause that adds it.
    pub clause: Clause,
}

/// A sum built term by term, at the line of the rule that adds each, so report and arithmetic cannot part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Tally {
    terms: Vec<Term>,
}

impl Tally {
    /// An empty sum.
    pub fn new() -> Tally {
        Tally::default()
    }

    /// Adds a term.
    pub fn add(&mut self, what: impl Into<String>, value: i32, clause: Clause) {
        self.terms.push(Term { what: what.into(), value, clause });
    }

    /// The terms in the order they were added.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The sum.
    pub fn total(&self) -> i32 {
        self.terms.iter().map(|term| term.value).sum()
    }

    /// The clauses of all terms.
    pub fn clauses(&self) -> impl Iterator<Item = Clause> + '_ {
        self.terms.iter().map(|term| term.clause)
    }
}
