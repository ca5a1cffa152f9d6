//! Resolution: the umpire, its questions and its journal.
//!
//! Nothing here knows a game: sides, units and terrain are the games' own.

mod bar;
mod cast;
mod chances;
mod clause;
pub mod data;
mod diary;
pub mod dice;
pub mod digest;
pub mod doc;
mod erased;
mod foresee;
mod game;
mod journal;
pub mod json;
mod loose;
mod mark;
mod name;
mod question;
mod ratio;
pub mod rules;
mod schema;
mod sealed;
mod segment;
mod side;
pub mod submission;
mod tally;
mod umpire;
pub mod visible;

#[cfg(test)]
pub(crate) mod bridge;
#[cfg(test)]
mod tests;

pub use bar::{Bar, Deed};
pub use cast::{Cast, Thrown, Touch, Way};
pub use chances::{AsPlayed, Chances, Effort, How, Prospect, chances, chances_as_played};
pub use clause::Clause;
pub use diary::{Diary, DiaryEntry, capital, count_of, list};
pub use erased::{
    AnyArranged, AnyForeseen, AnyJournal, AnyOrders, AnyOutcome, AnyState, Match, RulesOf, Ruleset, View,
};
pub use foresee::{Cloud, Drill, Foresaid, Foreseen, Lapsed, Pending, entries_of, foresee, hoping};
pub use game::{
    About, Arranged, Breach, Charter, DataFinding, Fact, Failure, Files, Game, Halt, OptionInfo, Outcome, Players,
    Query, Reply, Rules, Ruling, ScenarioInfo, Seen, Telling, Verdict, option, run,
};
pub use journal::{Event, Lapse, Noted};
pub use json::{Json, NotCanonical, from_json, to_json};
pub use mark::{Affair, Mark, Spread, Upshot};
pub use name::Name;
pub use question::{Asked, Choice, Ever, Kind, KindInfo, Legal, Moment, Policy, Question, Say};
pub use ratio::Ratio;
pub use schema::{schema_of_data, schema_to_read, schema_to_write};
pub use sealed::{Concealed, Hidden, Holdings, Sealed};
pub use segment::{
    Claim, Dice, FixedDie, Flow, Minutes, Opening, Questions, Rolled, Said, Segment, Settled, Shown, Stop, Tickets,
    Versions,
};
pub use side::{Key, Phase, Side, Slot, Subject};
pub use tally::{Tally, Term};
pub use umpire::Umpire;

/// Text that is not a legal key or slot name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a legal key")]
pub struct NotAKey(pub String);
