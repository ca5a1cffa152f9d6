//! How cells lie on paper, in whole numbers.

use crate::words;

/// From the centre of a hex to its corners; its width from side to side is 104.
pub const RADIUS: i32 = 60;
/// From the centre of a cell to the middle of its sides.
pub const APOTHEM: i32 = 52;

words! {
    /// The shape of the cells.
    pub enum Shape {
        /// Hexes with a corner at the top.
        PointyHex = "pointy-hex",
        /// Hexes with a side at the top.
        FlatHex = "flat-hex",
        /// Squares.
        Square = "square",
    }
}

/// A point on the paper: right and down.
pub type Point = (i32, i32);

const POINTY: [Point; 6] = [(0, -60), (52, -30), (52, 30), (0, 60), (-52, 30), (-52, -30)];
const FLAT: [Point; 6] = [(-30, -52), (30, -52), (60, 0), (30, 52), (-30, 52), (-60, 0)];
const SQUARE: [Point; 4] = [(-52, -52), (52, -52), (52, 52), (-52, 52)];

impl Shape {
    /// The corners around a centre, clockwise; side `n` runs from corner `n` to the next.
    pub const fn corners(self) -> &'static [Point] {
        match self {
            Shape::PointyHex => &POINTY,
            Shape::FlatHex => &FLAT,
            Shape::Square => &SQUARE,
        }
    }

    /// How far apart centres are that lie one step east, and one step south.
    pub const fn steps(self) -> Point {
        match self {
            Shape::PointyHex => (52, 90),
            Shape::FlatHex => (90, 52),
            Shape::Square => (104, 104),
        }
    }

    /// From a centre to the edge of the cell, sideways and up.
    pub const fn extent(self) -> Point {
        match self {
            Shape::PointyHex => (APOTHEM, RADIUS),
            Shape::FlatHex => (RADIUS, APOTHEM),
            Shape::Square => (APOTHEM, APOTHEM),
        }
    }

    /// From a centre to the one across side `n`.
    pub fn away(self, side: usize) -> Point {
        let corners = self.corners();
        let corner = |n: usize| corners.get(n % corners.len()).copied().unwrap_or_default();
        let (a, b) = (corner(side), corner(side + 1));
        // The neighbour lies twice as far away as the middle of the side.
        (a.0 + b.0, a.1 + b.1)
    }

    /// The corners of the side between two neighbouring centres, as seen from the first, if they touch along one.
    pub fn side(self, from: Point, to: Point) -> Option<(Point, Point)> {
        let corners = self.corners();
        let side = (0..corners.len()).find(|side| self.away(*side) == (to.0 - from.0, to.1 - from.1))?;
        let corner = |n: usize| corners.get(n % corners.len()).map(|corner| (from.0 + corner.0, from.1 + corner.1));
        Some((corner(side)?, corner(side + 1)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_the_side_between_them() {
        for (shape, away) in [
            (Shape::PointyHex, (104, 0)),
            (Shape::PointyHex, (52, -90)),
            (Shape::FlatHex, (90, 52)),
            (Shape::FlatHex, (0, -104)),
            (Shape::Square, (0, 104)),
        ] {
            let (a, b) = shape.side((0, 0), away).expect("they touch");
            assert_eq!(shape.side(away, (0, 0)), Some((b, a)), "{shape} {away:?}");
        }
        assert_eq!(Shape::Square.side((0, 0), (104, 104)), None, "boxes that touch at a corner share no side");
        assert_eq!(Shape::PointyHex.side((0, 0), (208, 0)), None);
    }
}
