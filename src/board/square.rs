//! Boards of square boxes, in lanes and ranks, with eight neighbours.

use super::{Bearing, Facing, Grid, Relative, Square};

/// One axis of a board of boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The lowest number.
    pub first: u16,
    /// The highest number.
    pub last: u16,
    /// Where the numbers grow to.
    pub grow: Facing,
}

/// The frame of a board of boxes, as a data file states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SquareFrame {
    /// The lanes: the first half of a box number.
    pub lanes: Axis,
    /// The ranks: the second half.
    pub ranks: Axis,
}

/// Why a frame describes no board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SquareFrameFault {
    /// A range is upside down or does not fit into two digits.
    #[error("{axis} {first} to {last} are no range of two-digit numbers in rising order")]
    Range {
        /// `lanes` or `ranks`.
        axis: &'static str,
        /// The lowest number given.
        first: u16,
        /// The highest number given.
        last: u16,
    },
    /// Lanes and ranks must cross.
    #[error("lanes grow {lanes} and ranks grow {ranks}: one must grow north or south, the other east or west")]
    Parallel {
        /// Where the lanes grow to.
        lanes: Facing,
        /// Where the ranks grow to.
        ranks: Facing,
    },
}

/// A board of square boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SquareGrid {
    frame: SquareFrame,
}

impl SquareGrid {
    /// The board with this frame.
    pub fn new(frame: SquareFrame) -> Result<Self, SquareFrameFault> {
        for (axis, Axis { first, last, .. }) in [("lanes", frame.lanes), ("ranks", frame.ranks)] {
            if first > last || last > 99 {
                return Err(SquareFrameFault::Range { axis, first, last });
            }
        }
        let (lanes, ranks) = (frame.lanes.grow, frame.ranks.grow);
        if lanes.quarters_to(ranks) != 1 {
            return Err(SquareFrameFault::Parallel { lanes, ranks });
        }
        Ok(Self { frame })
    }

    /// The frame it was made from.
    pub fn frame(&self) -> &SquareFrame {
        &self.frame
    }

    /// The box in this lane and rank, if the board has one.
    pub fn at(&self, lane: u16, rank: u16) -> Option<Square> {
        Square::from_halves(lane, rank).filter(|&square| self.contains(square))
    }

    /// The box a unit in `square` with this facing has in that direction.
    pub fn beside(&self, square: Square, facing: Facing, relative: Relative) -> Option<Square> {
        self.neighbour(square, facing.towards(relative))
    }

    /// Where a box lies: steps east and steps south.
    pub fn centre(&self, square: Square) -> (i32, i32) {
        let (lane_east, lane_south) = self.frame.lanes.grow.bearing().east_south();
        let (rank_east, rank_south) = self.frame.ranks.grow.bearing().east_south();
        let (lane, rank) = (i32::from(square.first()), i32::from(square.second()));
        (lane * lane_east + rank * rank_east, lane * lane_south + rank * rank_south)
    }

    /// The box that lies so many steps east and south of the origin, if the board has it.
    pub(super) fn square(&self, east: i32, south: i32) -> Option<Square> {
        let (lane_east, lane_south) = self.frame.lanes.grow.bearing().east_south();
        let (rank_east, rank_south) = self.frame.ranks.grow.bearing().east_south();
        // The two axes are perpendicular unit vectors, so projecting on each gives its number back.
        let lane = u16::try_from(east * lane_east + south * lane_south).ok()?;
        let rank = u16::try_from(east * rank_east + south * rank_south).ok()?;
        self.at(lane, rank)
    }

    /// The direction of `b` as a unit in `a` with this facing sees it, if it lies straight or exactly diagonal.
    pub fn sees(&self, a: Square, facing: Facing, b: Square) -> Option<Relative> {
        self.bearing_to(a, b).map(|bearing| facing.sees(bearing))
    }

    /// The bearing of `b` from `a`, if it lies straight or exactly diagonal.
    fn bearing_to(&self, a: Square, b: Square) -> Option<Bearing> {
        let (from, to) = (self.centre(a), self.centre(b));
        let (east, south) = (to.0 - from.0, to.1 - from.1);
        let straight = east == 0 || south == 0 || east.abs() == south.abs();
        let step = (east.signum(), south.signum());
        Bearing::ALL.into_iter().find(|bearing| straight && bearing.east_south() == step)
    }

    fn ranks(&self) -> usize {
        usize::from(self.frame.ranks.last - self.frame.ranks.first) + 1
    }
}

impl Grid for SquareGrid {
    type Cell = Square;
    type Edge = Bearing;
    const WAYS: usize = 8;

    fn len(&self) -> usize {
        (usize::from(self.frame.lanes.last - self.frame.lanes.first) + 1) * self.ranks()
    }

    fn index(&self, cell: Square) -> Option<usize> {
        let SquareFrame { lanes, ranks } = &self.frame;
        if !(lanes.first..=lanes.last).contains(&cell.first()) || !(ranks.first..=ranks.last).contains(&cell.second()) {
            return None;
        }
        Some(usize::from(cell.first() - lanes.first) * self.ranks() + usize::from(cell.second() - ranks.first))
    }

    fn cell(&self, index: usize) -> Option<Square> {
        let lane = u16::try_from(index / self.ranks()).ok()?;
        let rank = u16::try_from(index % self.ranks()).ok()?;
        self.at(self.frame.lanes.first.checked_add(lane)?, self.frame.ranks.first + rank)
    }

    fn way(&self, edge: Bearing) -> Option<usize> {
        Some(edge as usize)
    }

    fn neighbours(&self, cell: Square) -> impl Iterator<Item = (Bearing, Square)> {
        Bearing::ALL.into_iter().filter_map(move |bearing| Some((bearing, self.neighbour(cell, bearing)?)))
    }

    fn neighbour(&self, cell: Square, edge: Bearing) -> Option<Square> {
        self.index(cell)?;
        let (east, south) = self.centre(cell);
        let (step_east, step_south) = edge.east_south();
        self.square(east + step_east, south + step_south)
    }

    fn distance(&self, a: Square, b: Square) -> u32 {
        u32::from(a.first().abs_diff(b.first()).max(a.second().abs_diff(b.second())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::{any_boxes, heights};
    use proptest::prelude::*;

    fn at(number: u16) -> Square {
        Square::printed(number)
    }

    #[test]
    fn the_us_line_looks_west_at_the_heights() {
        let board = heights();
        assert_eq!(board.len(), 117);
        // Lane 1 is the northern end and the right of the U.S. line; rank 1 is the Spanish edge.
        assert_eq!(board.beside(at(709), Facing::W, Relative::Ahead), Some(at(708)));
        assert_eq!(board.beside(at(709), Facing::W, Relative::Right), Some(at(609)));
        assert_eq!(board.beside(at(709), Facing::W, Relative::AheadLeft), Some(at(808)));
        assert_eq!(board.beside(at(709), Facing::W, Relative::Back), None, "the U.S. edge");
        assert_eq!(board.beside(at(702), Facing::E, Relative::BackRight), Some(at(801)));
        assert_eq!(board.sees(at(702), Facing::E, at(705)), Some(Relative::Ahead));
        assert_eq!(board.sees(at(702), Facing::E, at(504)), Some(Relative::AheadLeft));
        assert_eq!(board.sees(at(702), Facing::E, at(505)), None, "neither straight nor diagonal");
        assert_eq!(board.sees(at(702), Facing::E, at(702)), None);
    }

    #[test]
    fn a_box_has_eight_neighbours_and_a_corner_three() {
        let board = heights();
        assert_eq!(board.neighbours(at(702)).count(), 8);
        let corner: Vec<Square> = board.neighbours(at(101)).map(|(_, square)| square).collect();
        assert_eq!(corner, [at(102), at(202), at(201)]);
        assert_eq!(board.neighbours(at(1401)).count(), 0, "not on the board");
    }

    #[test]
    fn a_frame_of_boxes_that_makes_no_board_is_refused() {
        let frame = *heights().frame();
        let along = Axis { grow: Facing::N, ..frame.ranks };
        let fault = SquareGrid::new(SquareFrame { ranks: along, ..frame }).unwrap_err();
        assert!(fault.to_string().contains("one must grow north or south"), "{fault}");
        assert!(SquareGrid::new(SquareFrame { ranks: Axis { last: 100, ..frame.ranks }, ..frame }).is_err());
    }

    proptest! {
        #[test]
        fn boxes_are_counted_in_order(board in any_boxes()) {
            let cells: Vec<Square> = board.cells().collect();
            prop_assert_eq!(cells.len(), board.len());
            prop_assert!(cells.is_sorted());
            for (index, &square) in cells.iter().enumerate() {
                prop_assert_eq!(board.index(square), Some(index));
                let (east, south) = board.centre(square);
                prop_assert_eq!(board.square(east, south), Some(square));
            }
            prop_assert_eq!(board.cell(board.len()), None);
        }

        #[test]
        fn a_step_changes_lane_and_rank_by_at_most_one(board in any_boxes()) {
            for square in board.cells() {
                let mut around: Vec<Square> = Vec::new();
                for (bearing, next) in board.neighbours(square) {
                    prop_assert_eq!(board.neighbour(next, bearing.turned(4)), Some(square));
                    prop_assert_eq!(board.bearing_to(square, next), Some(bearing));
                    around.push(next);
                }
                around.sort();
                let close = |other: &Square| {
                    *other != square
                        && other.first().abs_diff(square.first()) <= 1
                        && other.second().abs_diff(square.second()) <= 1
                };
                let expected: Vec<Square> = board.cells().filter(close).collect();
                prop_assert_eq!(around, expected);
            }
        }

        #[test]
        fn a_detour_is_never_shorter(board in any_boxes(), picks in any::<[prop::sample::Index; 3]>()) {
            let [a, b, c] = picks.map(|pick| board.cell(pick.index(board.len())).unwrap());
            prop_assert_eq!(board.distance(a, b), board.distance(b, a));
            prop_assert!(board.distance(a, c) <= board.distance(a, b) + board.distance(b, c));
            // One step nearer is always to be had, so the distance is the fewest steps.
            if a != b {
                let nearest = board.neighbours(a).map(|(_, next)| board.distance(next, b)).min();
                prop_assert_eq!(nearest, Some(board.distance(a, b) - 1));
            }
        }
    }
}
