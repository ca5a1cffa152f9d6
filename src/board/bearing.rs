//! The eight points of the compass, the four facings, and directions as seen by a unit.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A direction by compass: the way a cell is left.
///
/// A pointy-topped hex has no `N` and `S`, a flat-topped one no `E` and `W`; a square box has all eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Bearing {
    /// North.
    N,
    /// North-east.
    NE,
    /// East.
    E,
    /// South-east.
    SE,
    /// South.
    S,
    /// South-west.
    SW,
    /// West.
    W,
    /// North-west.
    NW,
}

impl Bearing {
    /// All eight, clockwise from the north.
    pub const ALL: [Bearing; 8] = {
        use Bearing::*;
        [N, NE, E, SE, S, SW, W, NW]
    };

    /// The bearing this many eighths of a turn clockwise.
    pub(super) const fn turned(self, eighths: usize) -> Bearing {
        Self::ALL[(self as usize + eighths) % 8]
    }

    /// One step that way, as columns eastwards and rows southwards.
    pub const fn east_south(self) -> (i32, i32) {
        match self {
            Bearing::N => (0, -1),
            Bearing::NE => (1, -1),
            Bearing::E => (1, 0),
            Bearing::SE => (1, 1),
            Bearing::S => (0, 1),
            Bearing::SW => (-1, 1),
            Bearing::W => (-1, 0),
            Bearing::NW => (-1, -1),
        }
    }
}

impl fmt::Display for Bearing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(["N", "NE", "E", "SE", "S", "SW", "W", "NW"][*self as usize])
    }
}

/// The side of its box a unit looks to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Facing {
    /// North.
    N,
    /// East.
    E,
    /// South.
    S,
    /// West.
    W,
}

impl Facing {
    /// All four, clockwise from the north.
    pub const ALL: [Facing; 4] = [Facing::N, Facing::E, Facing::S, Facing::W];

    /// A quarter turn counter-clockwise.
    pub const fn left(self) -> Facing {
        Self::ALL[(self as usize + 3) % 4]
    }

    /// A quarter turn clockwise.
    pub const fn right(self) -> Facing {
        Self::ALL[(self as usize + 1) % 4]
    }

    /// About face.
    pub const fn rear(self) -> Facing {
        Self::ALL[(self as usize + 2) % 4]
    }

    /// How many quarter turns lie between two facings: 0, 1 or 2.
    pub const fn quarters_to(self, other: Facing) -> u32 {
        [0, 1, 2, 1][(other as usize + 4 - self as usize) % 4]
    }

    /// The compass bearing straight ahead.
    pub const fn bearing(self) -> Bearing {
        Bearing::ALL[self as usize * 2]
    }

    /// The compass bearing of a direction as this facing sees it.
    pub const fn towards(self, relative: Relative) -> Bearing {
        self.bearing().turned(relative as usize)
    }

    /// How this facing sees a compass bearing.
    pub const fn sees(self, bearing: Bearing) -> Relative {
        Relative::ALL[(bearing as usize + 8 - self as usize * 2) % 8]
    }
}

impl fmt::Display for Facing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(["north", "east", "south", "west"][*self as usize])
    }
}

/// A direction as a unit sees it, clockwise from straight ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Relative {
    /// Straight ahead.
    Ahead,
    /// Diagonally ahead to the right.
    AheadRight,
    /// Sideways to the right.
    Right,
    /// Diagonally back to the right.
    BackRight,
    /// Straight back.
    Back,
    /// Diagonally back to the left.
    BackLeft,
    /// Sideways to the left.
    Left,
    /// Diagonally ahead to the left.
    AheadLeft,
}

impl Relative {
    /// All eight, clockwise from straight ahead.
    pub const ALL: [Relative; 8] = {
        use Relative::*;
        [Ahead, AheadRight, Right, BackRight, Back, BackLeft, Left, AheadLeft]
    };
}

impl fmt::Display for Relative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = ["ahead", "ahead right", "right", "back right", "back", "back left", "left", "ahead left"];
        f.pad(words[*self as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facing_west_the_north_is_on_the_right() {
        assert_eq!(Facing::W.right(), Facing::N);
        assert_eq!(Facing::W.left(), Facing::S);
        assert_eq!(Facing::W.rear(), Facing::E);
        assert_eq!(Facing::W.towards(Relative::Right), Bearing::N);
        assert_eq!(Facing::W.towards(Relative::AheadLeft), Bearing::SW);
        assert_eq!(Facing::W.sees(Bearing::E), Relative::Back);
        assert_eq!(Facing::W.sees(Bearing::NE), Relative::BackRight);
    }

    #[test]
    fn seeing_and_pointing_are_each_others_reverse() {
        for facing in Facing::ALL {
            assert_eq!(facing.left().right(), facing);
            assert_eq!(facing.rear().rear(), facing);
            assert_eq!(facing.quarters_to(facing.rear()), 2);
            assert_eq!(facing.quarters_to(facing.left()), 1);
            for bearing in Bearing::ALL {
                assert_eq!(facing.towards(facing.sees(bearing)), bearing);
                assert_eq!(bearing.turned(4).turned(4), bearing);
            }
        }
    }

    #[test]
    fn the_way_back_undoes_the_step() {
        for bearing in Bearing::ALL {
            let (east, south) = bearing.east_south();
            assert_eq!(bearing.turned(4).east_south(), (-east, -south));
        }
    }
}
