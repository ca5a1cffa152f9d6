//! Matches in memory for conformance cases and for players who choose at random: without a ledger, or by mail with everything.

mod broken;
mod forms;
mod letters;
mod luck;
mod mailed;
mod mistakes;
mod mutate;
mod playout;
mod random;
mod sitting;
mod statistics;

#[cfg(test)]
mod tests;

pub use broken::Broken;
pub use letters::{at_random, sensible};
pub use luck::{Attack, Evenness, Fortune, GLANCE, Luck, Measured, Rolls};
pub use mailed::{Posted, play_mailed};
pub(crate) use mistakes::{lapsed_likewise, signed_all_the_same};
pub use playout::{Prospects, play_out};
pub use random::{Players, Series, play_game, play_many};
pub use sitting::{PUBLIC, PacketInHand, Sitting};
pub use statistics::{Interval, Statistics, Tale, wilson};
