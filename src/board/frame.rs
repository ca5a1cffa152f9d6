//! The frame of a hex map: how its hexes stand and how they are numbered.

use super::Hex;
use crate::engine::data::Provenance;
use crate::{document, words};

words! {
    /// Which way the hexes stand.
    pub enum Orientation {
        /// A corner at the top: straight rows from west to east.
        Pointy = "pointy",
        /// A side at the top: straight columns from north to south.
        Flat = "flat",
    }

    /// Which axis the first two digits of a number count.
    pub enum Numbering {
        /// Row, then column.
        RowFirst = "row-first",
        /// Column, then row.
        ColumnFirst = "column-first",
    }

    /// The direction in which row numbers grow. Column numbers grow eastwards.
    pub enum RowsGrow {
        /// The highest row is the northernmost.
        North = "north",
        /// The highest row is the southernmost.
        South = "south",
    }

    /// Which rows of pointy hexes, or columns of flat ones, lie half a hex off the others, and where to. Odd and even
    /// are said of the printed number.
    pub enum Shifted {
        /// Odd rows lie half a hex east.
        OddRowsEast = "odd-rows-east",
        /// Odd rows lie half a hex west.
        OddRowsWest = "odd-rows-west",
        /// Even rows lie half a hex east.
        EvenRowsEast = "even-rows-east",
        /// Even rows lie half a hex west.
        EvenRowsWest = "even-rows-west",
        /// Odd columns lie half a hex north.
        OddColumnsNorth = "odd-columns-north",
        /// Odd columns lie half a hex south.
        OddColumnsSouth = "odd-columns-south",
        /// Even columns lie half a hex north.
        EvenColumnsNorth = "even-columns-north",
        /// Even columns lie half a hex south.
        EvenColumnsSouth = "even-columns-south",
    }
}

impl Shifted {
    /// The hexes that can be shifted so.
    pub const fn orientation(self) -> Orientation {
        use Shifted::*;
        match self {
            OddRowsEast | OddRowsWest | EvenRowsEast | EvenRowsWest => Orientation::Pointy,
            OddColumnsNorth | OddColumnsSouth | EvenColumnsNorth | EvenColumnsSouth => Orientation::Flat,
        }
    }

    pub(super) const fn is_odd(self) -> bool {
        use Shifted::*;
        matches!(self, OddRowsEast | OddRowsWest | OddColumnsNorth | OddColumnsSouth)
    }

    /// How far, in half hexes to the east or south.
    pub(super) const fn by(self) -> i32 {
        use Shifted::*;
        match self {
            OddRowsEast | EvenRowsEast | OddColumnsSouth | EvenColumnsSouth => 1,
            OddRowsWest | EvenRowsWest | OddColumnsNorth | EvenColumnsNorth => -1,
        }
    }
}

document! {
    /// The frame of a hex map, as a data file states it.
    ///
    /// ```yaml
    /// orientation: pointy
    /// numbering: row-first
    /// rows: [1, 19]
    /// columns: [1, 24]
    /// rows-grow: north
    /// shifted: even-rows-east
    /// ```
    pub struct Frame {
        /// Which way the hexes stand.
        pub orientation: Orientation,
        /// What the two halves of a number count.
        pub numbering: Numbering,
        /// The lowest and the highest row.
        pub rows: [u16; 2],
        /// The lowest and the highest column.
        pub columns: [u16; 2],
        /// Where row numbers grow to.
        pub rows_grow: RowsGrow,
        /// Which rows or columns lie half a hex off, and where to.
        pub shifted: Shifted,
        /// Numbers within the ranges for which the map has no hex.
        pub missing: Vec<Hex>,
        /// Where all this is known from.
        pub source: Option<Provenance>,
    }
}

/// Why a frame describes no map.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameFault {
    /// A range is upside down or does not fit into two digits.
    #[error("{axis} {first} to {last} are no range of two-digit numbers in rising order")]
    Range {
        /// `rows` or `columns`.
        axis: &'static str,
        /// The lowest number given.
        first: u16,
        /// The highest number given.
        last: u16,
    },
    /// Pointy hexes stand in rows, flat ones in columns.
    #[error("pointy hexes have shifted rows and flat hexes shifted columns")]
    Shifted,
    /// A missing hex outside the ranges.
    #[error("hex {hex} is listed as missing but lies outside the rows and columns")]
    Missing {
        /// That hex.
        hex: Hex,
    },
}
