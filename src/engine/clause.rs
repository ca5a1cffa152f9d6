//! Rule clauses by number.

use std::fmt;

use serde::Serialize;

/// The number of a rule statement in a game's `rules.yaml`, such as `9.3c`.
///
/// Every event, question and fault names the clause it applies, so a reader can look it up with `garcia rules`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Clause(pub &'static str);

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "§{}", self.0)
    }
}
