//! Which clauses of the rules have a case.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Serialize;

use super::file::CaseFile;
use crate::engine::rules::{RuleBook, RuleClause};

/// A clause that no case can show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Untestable {
    /// The clause.
    pub id: String,
    /// Why.
    pub reason: String,
}

/// How much of a rulebook the cases of a game show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// The game.
    pub game: String,
    /// How many clauses its rules have.
    pub clauses: usize,
    /// How many of them have a case.
    pub cased: usize,
    /// Clauses without a case that none can show.
    pub untestable: Vec<Untestable>,
    /// Clauses that should have a case and have none.
    pub missing: Vec<String>,
    /// Clauses that cases name and the rules do not have; left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stray: Vec<String>,
    /// How many cases each clause has.
    #[serde(skip)]
    pub cases: BTreeMap<String, usize>,
}

/// Holds the cases of a game against its rules. Files of other games are passed over.
pub fn coverage<'f>(rules: &RuleBook, files: impl IntoIterator<Item = &'f CaseFile>) -> Coverage {
    let mut cases: BTreeMap<String, usize> = BTreeMap::new();
    for case in files.into_iter().filter(|file| file.game == rules.game).flat_map(|file| &file.cases) {
        for clause in case.clauses.iter().collect::<BTreeSet<_>>() {
            *cases.entry(clause.clone()).or_insert(0) += 1;
        }
    }
    let known: BTreeSet<&str> = rules.clauses.iter().map(|entry| entry.id.as_str()).collect();
    let mut coverage = Coverage {
        game: rules.game.clone(),
        clauses: rules.clauses.len(),
        cased: 0,
        untestable: Vec::new(),
        missing: Vec::new(),
        stray: cases.keys().filter(|clause| !known.contains(clause.as_str())).cloned().collect(),
        cases: BTreeMap::new(),
    };
    for RuleClause { id, untestable, .. } in &rules.clauses {
        match untestable {
            _ if cases.contains_key(id) => coverage.cased += 1,
            Some(reason) => coverage.untestable.push(Untestable { id: id.clone(), reason: reason.trim().to_owned() }),
            None => coverage.missing.push(id.clone()),
        }
    }
    coverage.cases = cases;
    coverage
}

impl Coverage {
    /// Whether every clause has a case or a reason, and no case names a clause that does not exist.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty() && self.stray.is_empty()
    }

    /// The coverage for a person.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{}: {} clauses, {} with a case, {} that no case can show, {} without a case",
            self.game,
            self.clauses,
            self.cased,
            self.untestable.len(),
            self.missing.len(),
        );
        for Untestable { id, reason } in &self.untestable {
            let _ = writeln!(text, "  §{id} cannot be shown: {reason}");
        }
        for id in &self.missing {
            let _ = writeln!(text, "  §{id} has no case");
        }
        for id in &self.stray {
            let _ = writeln!(text, "  §{id} stands in a case but not in the rules");
        }
        text
    }
}
