//! Reports.

pub mod faults;
