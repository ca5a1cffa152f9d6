//! What is wrong with a document, said so that its author can put it right.

use crate::engine::Clause;

use super::path::DocPath;
use super::source::Place;

/// One fault: where, what, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The part of the document at fault.
    pub at: DocPath,
    /// The place in the text, where the text itself is at fault and has no parts yet.
    pub place: Option<Place>,
    /// The rule that forbids it, if a rule does.
    pub clause: Option<Clause>,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
    /// A warning does not keep the document from being used.
    pub warning: bool,
}

impl Fault {
    /// A fault of form.
    pub fn new(at: &DocPath, what: impl Into<String>, remedy: impl Into<String>) -> Fault {
        Fault { at: at.clone(), place: None, clause: None, what: what.into(), remedy: remedy.into(), warning: false }
    }

    /// The same fault, laid at a rule.
    pub fn by(mut self, clause: Clause) -> Fault {
        self.clause = Some(clause);
        self
    }

    /// The same, but only a warning.
    pub fn as_warning(mut self) -> Fault {
        self.warning = true;
        self
    }
}
