//! The games.

pub mod santiago_1898;
