//! Santiago Campaign 1898 (Romero, Paper Wars 102): defensive fire, then shock at odds, on one-mile hexes.

pub mod data;
pub mod tables;
pub mod terms;
