//! Resolution: the umpire, its questions and its journal.
//!
//! Nothing here knows a game: sides, units and terrain are the games' own.

mod clause;
pub mod dice;
pub mod digest;
pub mod doc;
pub mod json;
mod name;
mod side;

pub use clause::Clause;
pub use name::Name;
pub use side::{Key, Phase, Side, Slot, Subject};

/// Text that is not a legal key or slot name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a legal key")]
pub struct NotAKey(pub String);
