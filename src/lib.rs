//! garcia: an adjudicator for play-by-e-mail wargames whose dice nobody can foresee or bend.

pub mod board;
pub mod engine;
pub mod games;
pub mod report;
pub mod trust;
