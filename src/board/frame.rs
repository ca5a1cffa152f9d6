//! The frame of a hex map: how its hexes stand and how they are numbered.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Hex;

/// Which way the hexes stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Orientation {
    /// A corner at the top: straight rows from west to east.
    Pointy,
    /// A side at the top: straight columns from north to south.
    Flat,
}

/// Which axis the first two digits of a number count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Numbering {
    /// Row, then column.
    RowFirst,
    /// Column, then row.
    ColumnFirst,
}

/// The direction in which row numbers grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RowsGrow {
    /// The highest row is the northernmost.
    North,
    /// The highest row is the southernmost.
    South,
}

/// The direction in which column numbers grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnsGrow {
    /// The highest column is the easternmost.
    #[default]
    East,
    /// The highest column is the westernmost.
    West,
}

impl ColumnsGrow {
    fn is_east(&self) -> bool {
        *self == ColumnsGrow::East
    }
}

/// Which rows of pointy hexes, or columns of flat ones, lie half a hex off the others, and where to. Odd and even are
/// said of the printed number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shifted {
    /// Odd rows lie half a hex east.
    OddRowsEast,
    /// Odd rows lie half a hex west.
    OddRowsWest,
    /// Even rows lie half a hex east.
    EvenRowsEast,
    /// Even rows lie half a hex west.
    EvenRowsWest,
    /// Odd columns lie half a hex north.
    OddColumnsNorth,
    /// Odd columns lie half a hex south.
    OddColumnsSouth,
    /// Even columns lie half a hex north.
    EvenColumnsNorth,
    /// Even columns lie half a hex south.
    EvenColumnsSouth,
}

impl Shifted {
    /// All eight.
    pub const ALL: [Shifted; 8] = {
        use Shifted::*;
        [
            OddRowsEast,
            OddRowsWest,
            EvenRowsEast,
            EvenRowsWest,
            OddColumnsNorth,
            OddColumnsSouth,
            EvenColumnsNorth,
            EvenColumnsSouth,
        ]
    };

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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
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
    /// Where column numbers grow to; east unless told otherwise.
    #[serde(default, skip_serializing_if = "ColumnsGrow::is_east")]
    pub columns_grow: ColumnsGrow,
    /// Which rows or columns lie half a hex off, and where to.
    pub shifted: Shifted,
    /// Numbers within the ranges for which the map has no hex.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub missing: BTreeSet<Hex>,
    /// Where all this is known from, for the reader of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
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
