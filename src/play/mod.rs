//! Matches in memory, without a ledger: for conformance cases and for players who choose at random.

mod sitting;

pub use sitting::{PUBLIC, Sitting, Span};
