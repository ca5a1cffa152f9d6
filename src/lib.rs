//! garcia: an adjudicator for play-by-e-mail wargames whose dice nobody can foresee or bend.

mod abreast;
pub mod board;
pub mod cases;
pub mod cli;
pub mod desk;
pub mod draw;
pub mod engine;
pub mod games;
pub mod mail;
pub mod play;
pub mod report;
pub mod scene;
pub mod trust;
