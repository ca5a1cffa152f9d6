//! The journal: what happened, in order, as typed events.

use std::fmt;

use serde::Serialize;

use super::doc::DocPath;
use super::{Clause, Json, Key, Kind, Side};

/// Something that happened: a typed event that carries its cause, its arithmetic and its clause.
///
/// Reports, `--json` and rule coverage are all read off events; nothing else is told to a player.
pub trait Event: Clone + fmt::Debug + Serialize + From<Lapse> + Send + Sync + 'static {
    /// Every clause the event applied.
    fn clauses(&self) -> Vec<Clause>;
}

/// An event and who may read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted<E> {
    /// The event.
    pub event: E,
    /// The one side whose report shows it; everybody's if none.
    pub only: Option<Side>,
    /// The entry of the packet it came of, seen from `orders:`.
    pub of: Option<DocPath>,
}

/// A choice that was not among the legal ones and was replaced by the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Lapse {
    /// Whose choice it was.
    pub who: Side,
    /// The question.
    pub key: Key,
    /// Its kind.
    pub kind: Kind,
    /// What was said.
    pub said: Json,
    /// The default that applied instead.
    pub applied: Json,
    /// The clause that gives the choice.
    pub clause: Clause,
}
