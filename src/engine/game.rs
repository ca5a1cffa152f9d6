//! What a game is to the engine.
//!
//! Four traits, each for one purpose: [`Rules`] decides, [`Files`] reads and writes, [`Telling`] tells, [`Players`]
//! proposes orders. A [`Game`] is all four.

mod files;
mod players;
mod rules;
mod telling;

pub use files::{About, Arranged, Charter, DataFinding, Files, OptionInfo, ScenarioInfo, option};
pub use players::Players;
pub use rules::{Rules, Verdict};
pub use telling::{Query, Reply, Telling};

use std::collections::BTreeSet;

use serde::Serialize;

use super::doc::{DocPath, FromDoc};
use super::umpire::Umpire;
use super::{Holdings, Key, Lapse, Lapsed, Minutes, Noted, Segment, Settled, Side, Stop};

/// What rules code returns: a value, or the reason why resolution ends here.
pub type Ruling<T> = Result<T, Halt>;

/// Why resolution ends before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// Somebody must speak first.
    Stop(Stop),
    /// A record does not say what the rules call for. Only verification meets it.
    Breach(Breach),
    /// A die was called for and there is none: the end of a check beforehand, or a case that gives too few.
    NoDice(Key),
    /// A case named another roll than the one called for.
    WrongDie {
        /// The label in the case.
        wanted: String,
        /// The label of the roll.
        called: Key,
    },
    /// A check beforehand has seen everything its author decides.
    Foreseen,
    /// The game contradicts itself: never a player's fault.
    Bug(String),
}

/// A record that breaks the protocol, found while resolving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The code of section 8 of the protocol.
    pub code: &'static str,
    /// The side at fault.
    pub fault: Option<Side>,
    /// The slot, key or clause concerned.
    pub about: String,
}

/// A fact about hidden values that may be told.
pub trait Fact: Clone + PartialEq + Serialize + FromDoc {}
impl<T: Clone + PartialEq + Serialize + FromDoc> Fact for T {}

/// A state with what one view of the game knows besides.
#[derive(Clone, Copy)]
pub struct Seen<'a, S> {
    /// The public state.
    pub state: &'a S,
    /// The hidden values this view holds.
    pub holdings: &'a Holdings,
    /// Whose view it is; everything is open if none.
    pub side: Option<Side>,
}

/// A rule set: everything the program needs of it.
pub trait Game: Rules + Files + Telling + Players {}
impl<G: Rules + Files + Telling + Players> Game for G {}

/// What came out of a segment.
#[derive(Clone, Debug)]
pub struct Outcome<G: Rules> {
    /// The state where resolution ended.
    pub state: G::State,
    /// Who must speak next.
    pub stop: Stop,
    /// What happened since the start of the span.
    pub journal: Vec<Noted<G::Event>>,
    /// Choices that were replaced by their default.
    pub lapses: Vec<Lapse>,
    /// What is new in this segment.
    pub minutes: Minutes,
    /// Everything fixed so far in the span.
    pub settled: Settled,
    /// Values put face down in this span.
    pub kept: Holdings,
    /// Fixed dice that were not called for.
    pub dice_left: usize,
    /// Orders that were not carried out.
    pub lapsed: Vec<Lapsed>,
    /// Entries of the packet that came up.
    pub heard: BTreeSet<DocPath>,
}

/// Why a segment has no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// A record does not say what the rules call for.
    #[error("{} {}", .0.code, .0.about)]
    Breach(Breach),
    /// The run ended at a die that was not there.
    #[error("no die is left for {0}")]
    NoDice(Key),
    /// A case named another roll.
    #[error("the case gives a die for {wanted}, but {called} was rolled")]
    WrongDie {
        /// The label in the case.
        wanted: String,
        /// The label called for.
        called: Key,
    },
    /// A fault of the program.
    #[error("the engine contradicts itself: {0}")]
    Bug(String),
}

/// Resolves one segment: the span's packet from the span's base state, with everything settled before.
pub fn run<G: Rules>(
    game: &G,
    base: &G::State,
    orders: &G::Orders,
    segment: Segment<'_>,
) -> Result<Outcome<G>, Failure> {
    let probing = matches!(segment.dice, super::Dice::None);
    let mut state = base.clone();
    let mut umpire = Umpire::new(game, segment);
    let mut packet = orders.clone();
    let stop = match game.resolve(&mut state, &mut packet, &mut umpire) {
        Ok(stop) | Err(Halt::Stop(stop)) => stop,
        Err(Halt::Breach(breach)) => return Err(Failure::Breach(breach)),
        // A check beforehand ends here; what it found out so far counts.
        Err(Halt::NoDice(_)) if probing => Stop::End,
        Err(Halt::NoDice(key)) => return Err(Failure::NoDice(key)),
        Err(Halt::WrongDie { wanted, called }) => return Err(Failure::WrongDie { wanted, called }),
        Err(Halt::Bug(bug)) => return Err(Failure::Bug(bug)),
        Err(Halt::Foreseen) => return Err(Failure::Bug("a resolution ended like a check".into())),
    };
    let record = umpire.close();
    if let Some(key) = record.forgotten {
        return Err(Failure::Bug(format!("{key} was settled before and not called for again")));
    }
    Ok(Outcome {
        state,
        stop,
        journal: record.journal,
        lapses: record.lapses,
        minutes: record.minutes,
        settled: record.settled,
        kept: record.kept,
        dice_left: record.dice_left,
        lapsed: record.lapsed,
        heard: record.heard,
    })
}
