//! What the counter files of several games have in common.

use crate::document;
use crate::engine::data::Provenance;

document! {
    /// Where the parts of a counter come from.
    #[derive(Copy)]
    pub struct UnitSource {
        /// That there is such a counter.
        pub exists: Provenance,
        /// Its numbers.
        pub values: Provenance,
    }

    /// Markers of one sort.
    pub struct MarkerEntry {
        /// What they are called.
        pub name: String,
        /// How many there are.
        pub count: u32,
        /// Where that comes from.
        pub source: Provenance,
    }

    /// How many counters the set has.
    #[derive(Copy)]
    pub struct TotalEntry {
        /// The number of counters.
        pub counters: u32,
        /// Where it comes from.
        pub source: Provenance,
    }
}
