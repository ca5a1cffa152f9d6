//! Records, signatures, dice chains and verification.
//!
//! A game is a chain of signed records. This module makes them, reads them, and finds the first one that is wrong. It
//! calls the engine; the engine knows nothing of it.

pub mod armour;
pub mod beside;
pub mod bytes;
pub mod chain;
pub mod compare;
pub mod data;
pub mod director;
pub mod finding;
pub mod handover;
pub mod home;
pub mod key;
pub mod ledger;
pub mod many;
#[cfg(test)]
mod model_tests;
pub mod motion;
#[cfg(test)]
mod motion_tests;
#[cfg(test)]
mod nested_tests;
pub mod paper;
pub mod patch;
pub mod propose;
pub mod protocol;
pub mod record;
pub mod remarks;
pub mod replay;
pub mod rivals;
pub mod role;
pub mod seals;
pub mod seat;
#[cfg(test)]
mod seat_tests;
pub mod secret;
#[cfg(test)]
mod secret_roll_tests;
#[cfg(test)]
mod skirmish;
pub mod speak;
pub mod store;
pub mod typed;
pub mod verify;
pub mod yaml;

pub use bytes::{Id, Sig};
pub use record::{Body, Record, RecordKind};
pub use role::Role;
