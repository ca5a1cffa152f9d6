//! Conformance cases: small positions with orders, dice and answers, and what the rulebook says must follow.
//!
//! A case file is read whole with every fault in place ([`read_file`]), each case is run with everything open and then
//! again as the public and each side see it ([`run_case`]), and the clauses the cases show are held against the rules
//! ([`coverage`]).

mod coverage;
mod events;
mod expect;
mod file;
mod lines;
mod matching;
mod parts;
mod position;
mod replies;
mod run;
mod schema;
mod suite;

#[cfg(test)]
mod tests;

pub use coverage::{Coverage, Untestable, coverage};
pub use expect::{Difference, Found, Prospect, Shown};
pub use file::{Case, CaseFile, Dice, Packet, read_file};
pub use parts::{Expect, FaultPart, LinePart, LinesPart, NextPart, OutlookPart, QueryPart, ViewPart};
pub use position::corrected;
pub use run::{CaseFailure, CaseVerdict, Roll, run_case};
pub use schema::schema;
pub use suite::{CaseReport, FileFaults, Suite, case_files, read_cases, run_files};
