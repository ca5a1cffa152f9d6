//! Hex grids of every make: a frame read from data, turned into cube coordinates.

use super::{Bearing, Frame, FrameFault, Grid, Hex, Numbering, Orientation, RowsGrow};

/// A hex in cube coordinates: `q` and `r`, the third being `-q - r`. `r` grows southwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cube {
    /// First coordinate.
    pub q: i32,
    /// Second coordinate.
    pub r: i32,
}

impl Cube {
    /// The third coordinate.
    pub const fn s(self) -> i32 {
        -self.q - self.r
    }

    /// The difference of two hexes.
    pub const fn minus(self, other: Cube) -> Cube {
        Cube { q: self.q - other.q, r: self.r - other.r }
    }

    /// The sum of two.
    pub const fn plus(self, other: Cube) -> Cube {
        Cube { q: self.q + other.q, r: self.r + other.r }
    }

    /// How many steps from the origin.
    pub const fn length(self) -> u32 {
        (self.q.unsigned_abs() + self.r.unsigned_abs() + self.s().unsigned_abs()) / 2
    }
}

const POINTY: [(Bearing, Cube); 6] = [
    (Bearing::NE, Cube { q: 1, r: -1 }),
    (Bearing::E, Cube { q: 1, r: 0 }),
    (Bearing::SE, Cube { q: 0, r: 1 }),
    (Bearing::SW, Cube { q: -1, r: 1 }),
    (Bearing::W, Cube { q: -1, r: 0 }),
    (Bearing::NW, Cube { q: 0, r: -1 }),
];

const FLAT: [(Bearing, Cube); 6] = [
    (Bearing::N, Cube { q: 0, r: -1 }),
    (Bearing::NE, Cube { q: 1, r: -1 }),
    (Bearing::SE, Cube { q: 1, r: 0 }),
    (Bearing::S, Cube { q: 0, r: 1 }),
    (Bearing::SW, Cube { q: -1, r: 1 }),
    (Bearing::NW, Cube { q: -1, r: 0 }),
];

/// No cell, in the tables of a grid. A grid has at most 10,000 cells.
const NONE: u16 = u16::MAX;

/// A hex map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HexGrid {
    frame: Frame,
    /// All hexes, lowest number first.
    cells: Vec<Hex>,
    /// For every number of four digits its place in `cells`.
    places: Vec<u16>,
    /// For every place the numbers of its six neighbours in the order of `ways`.
    around: Vec<[u16; 6]>,
    /// For every place its cube coordinates.
    cubes: Vec<Cube>,
}

impl HexGrid {
    /// The map with this frame.
    pub fn new(frame: Frame) -> Result<Self, FrameFault> {
        for (axis, [first, last]) in [("rows", frame.rows), ("columns", frame.columns)] {
            if first > last || last > 99 {
                return Err(FrameFault::Range { axis, first, last });
            }
        }
        if frame.shifted.orientation() != frame.orientation {
            return Err(FrameFault::Shifted);
        }
        let mut grid = Self { frame, cells: Vec::new(), places: Vec::new(), around: Vec::new(), cubes: Vec::new() };
        if let Some(&hex) = grid.frame.missing.iter().find(|&&hex| !grid.frames(hex)) {
            return Err(FrameFault::Missing { hex });
        }
        grid.places = vec![NONE; 10_000];
        let (first, second) = match grid.frame.numbering {
            Numbering::RowFirst => (grid.frame.rows, grid.frame.columns),
            Numbering::ColumnFirst => (grid.frame.columns, grid.frame.rows),
        };
        let numbers =
            (first[0]..=first[1]).flat_map(|first| (second[0]..=second[1]).map(move |second| (first, second)));
        for hex in numbers.filter_map(|(first, second)| Hex::from_halves(first, second)) {
            if !grid.frame.missing.contains(&hex) {
                grid.places[usize::from(hex.number())] = grid.cells.len() as u16;
                grid.cells.push(hex);
            }
        }
        grid.around = (grid.cells.iter())
            .map(|&hex| (*grid.ways()).map(|(_, step)| grid.hex(grid.cube(hex).plus(step)).map_or(NONE, Hex::number)))
            .collect();
        grid.cubes = grid.cells.iter().map(|&hex| grid.reckoned(hex)).collect();
        Ok(grid)
    }

    /// The frame it was made from.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The six bearings of its hexsides, clockwise from the north.
    pub fn bearings(&self) -> [Bearing; 6] {
        (*self.ways()).map(|(bearing, _)| bearing)
    }

    /// The row a number names, on the map or not.
    pub fn row(&self, hex: Hex) -> u16 {
        match self.frame.numbering {
            Numbering::RowFirst => hex.first(),
            Numbering::ColumnFirst => hex.second(),
        }
    }

    /// The column a number names, on the map or not.
    pub fn column(&self, hex: Hex) -> u16 {
        match self.frame.numbering {
            Numbering::RowFirst => hex.second(),
            Numbering::ColumnFirst => hex.first(),
        }
    }

    /// The hex in this row and column, if the map has one.
    pub fn at(&self, row: u16, column: u16) -> Option<Hex> {
        let hex = match self.frame.numbering {
            Numbering::RowFirst => Hex::from_halves(row, column),
            Numbering::ColumnFirst => Hex::from_halves(column, row),
        }?;
        self.contains(hex).then_some(hex)
    }

    /// Where the centre of a hex lies: steps east and steps south. Along straight rows or columns neighbours are two
    /// steps apart, across them one.
    pub fn centre(&self, hex: Hex) -> (i32, i32) {
        let row = i32::from(self.row(hex));
        let column = i32::from(self.column(hex));
        let south = if self.frame.rows_grow == RowsGrow::South { row } else { -row };
        match self.frame.orientation {
            Orientation::Pointy => (2 * column + self.offset(row), south),
            Orientation::Flat => (column, 2 * south + self.offset(column)),
        }
    }

    /// The cube coordinates of a number, on the map or not.
    pub fn cube(&self, hex: Hex) -> Cube {
        let known = self.index(hex).and_then(|index| self.cubes.get(index));
        known.copied().unwrap_or_else(|| self.reckoned(hex))
    }

    fn reckoned(&self, hex: Hex) -> Cube {
        let (east, south) = self.centre(hex);
        match self.frame.orientation {
            Orientation::Pointy => Cube { q: (east + self.evened() - south) / 2, r: south },
            Orientation::Flat => Cube { q: east, r: (south + self.evened() - east) / 2 },
        }
    }

    /// The hex with these coordinates, if it is on the map.
    pub fn hex(&self, cube: Cube) -> Option<Hex> {
        let (east, south) = match self.frame.orientation {
            Orientation::Pointy => (2 * cube.q + cube.r - self.evened(), cube.r),
            Orientation::Flat => (cube.q, 2 * cube.r + cube.q - self.evened()),
        };
        let row_of = |south: i32| {
            if self.frame.rows_grow == RowsGrow::South { south } else { -south }
        };
        let (row, column) = match self.frame.orientation {
            Orientation::Pointy => (row_of(south), (east - self.offset(south)) / 2),
            Orientation::Flat => (row_of((south - self.offset(east)) / 2), east),
        };
        self.at(u16::try_from(row).ok()?, u16::try_from(column).ok()?)
    }

    /// The six ways out of a hex, clockwise from the north.
    pub(super) fn ways(&self) -> &'static [(Bearing, Cube); 6] {
        match self.frame.orientation {
            Orientation::Pointy => &POINTY,
            Orientation::Flat => &FLAT,
        }
    }

    /// How far the row or column with this number (or its negative) is shifted, in half hexes.
    fn offset(&self, number: i32) -> i32 {
        let odd = number.rem_euclid(2) == 1;
        if odd == self.frame.shifted.is_odd() { self.frame.shifted.by() } else { 0 }
    }

    /// Moves all centres so that their two coordinates are both even or both odd, as cube coordinates need it.
    fn evened(&self) -> i32 {
        i32::from(!self.frame.shifted.is_odd())
    }

    /// Does the number lie within the ranges of the frame?
    fn frames(&self, hex: Hex) -> bool {
        let within = |[first, last]: [u16; 2], number| (first..=last).contains(&number);
        within(self.frame.rows, self.row(hex)) && within(self.frame.columns, self.column(hex))
    }
}

impl Grid for HexGrid {
    type Cell = Hex;
    type Edge = Bearing;
    const WAYS: usize = 6;

    fn len(&self) -> usize {
        self.cells.len()
    }

    fn index(&self, cell: Hex) -> Option<usize> {
        match self.places.get(usize::from(cell.number())) {
            Some(&place) if place != NONE => Some(usize::from(place)),
            _ => None,
        }
    }

    fn cell(&self, index: usize) -> Option<Hex> {
        self.cells.get(index).copied()
    }

    fn way(&self, edge: Bearing) -> Option<usize> {
        use Bearing::*;
        match (self.frame.orientation, edge) {
            (Orientation::Pointy, NE) | (Orientation::Flat, N) => Some(0),
            (Orientation::Pointy, E) | (Orientation::Flat, NE) => Some(1),
            (_, SE) => Some(2),
            (Orientation::Pointy, SW) | (Orientation::Flat, S) => Some(3),
            (Orientation::Pointy, W) | (Orientation::Flat, SW) => Some(4),
            (_, NW) => Some(5),
            (Orientation::Pointy, N | S) | (Orientation::Flat, E | W) => None,
        }
    }

    fn neighbours(&self, cell: Hex) -> impl Iterator<Item = (Bearing, Hex)> {
        let around = self.index(cell).and_then(|index| self.around.get(index)).copied().unwrap_or([NONE; 6]);
        self.ways().iter().zip(around).filter_map(|(&(bearing, _), number)| Some((bearing, Hex::new(number)?)))
    }

    fn neighbour(&self, cell: Hex, edge: Bearing) -> Option<Hex> {
        let around = self.around.get(self.index(cell)?)?;
        Hex::new(around[self.way(edge)?])
    }

    fn distance(&self, a: Hex, b: Hex) -> u32 {
        self.cube(a).minus(self.cube(b)).length()
    }

    fn edge_between(&self, a: Hex, b: Hex) -> Option<Bearing> {
        let around = self.around.get(self.index(a)?)?;
        let way = around.iter().position(|number| *number == b.number())?;
        self.ways().get(way).map(|&(bearing, _)| bearing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Shifted;
    use crate::board::testing::{any_frame, hexes, santiago_1898, santiago_campaign, splendid_little_war};
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet, VecDeque};

    #[test]
    fn santiago_touches_the_six_hexes_of_the_map() {
        let mut around: Vec<Hex> = santiago_1898().neighbours(Hex::printed(1308)).map(|(_, hex)| hex).collect();
        around.sort();
        assert_eq!(around, hexes(&[1207, 1208, 1307, 1309, 1407, 1408]));
    }

    #[test]
    fn the_even_rows_lie_half_a_hex_east() {
        let map = santiago_1898();
        let el_viso = Hex::printed(1411);
        assert_eq!(map.neighbour(el_viso, Bearing::NE), Some(Hex::printed(1512)));
        assert_eq!(map.neighbour(el_viso, Bearing::SW), Some(Hex::printed(1311)));
        assert_eq!(map.neighbour(el_viso, Bearing::E), Some(Hex::printed(1412)));
        assert_eq!(map.neighbour(el_viso, Bearing::N), None);
        assert_eq!(map.edge_between(el_viso, Hex::printed(1512)), Some(Bearing::NE));
        assert_eq!(map.edge_between(el_viso, Hex::printed(1513)), None);
    }

    #[test]
    fn distances_of_the_one_mile_map() {
        let map = santiago_1898();
        let far = |a, b| map.distance(Hex::printed(a), Hex::printed(b));
        assert_eq!(far(816, 621), 6, "Siboney to Daiquiri");
        assert_eq!(far(1308, 816), 11, "Santiago to Siboney");
        assert_eq!(far(1308, 621), 17, "Santiago to Daiquiri");
        assert_eq!(far(803, 705), 2, "Socapa to the Morro, across the mouth");
    }

    #[test]
    fn a_gun_in_4913_fires_at_5311_at_range_four() {
        assert_eq!(santiago_campaign().distance(Hex::printed(4913), Hex::printed(5311)), 4);
        let mut frame = santiago_campaign().frame().clone();
        frame.shifted = Shifted::EvenColumnsSouth;
        let other = HexGrid::new(frame).unwrap();
        assert_eq!(other.distance(Hex::printed(4913), Hex::printed(5311)), 4, "whichever columns are shifted");
    }

    #[test]
    fn flat_hexes_are_left_in_the_order_of_the_scatter_die() {
        let map = santiago_campaign();
        let around: Vec<_> = map.neighbours(Hex::printed(2914)).collect();
        use Bearing::*;
        let expected = [(N, 2913), (NE, 3014), (SE, 3015), (S, 2915), (SW, 2815), (NW, 2814)];
        assert_eq!(around, expected.map(|(bearing, number)| (bearing, Hex::printed(number))));
        let even: Vec<Hex> = map.neighbours(Hex::printed(2814)).map(|(_, hex)| hex).collect();
        assert_eq!(even, hexes(&[2813, 2913, 2914, 2815, 2714, 2713]));
    }

    #[test]
    fn the_short_rows_end_a_hex_earlier() {
        let map = splendid_little_war();
        assert_eq!(map.len(), 29 * 37 - 14);
        assert!(map.contains(Hex::printed(937)) && !map.contains(Hex::printed(1037)));
        assert_eq!(map.neighbour(Hex::printed(1036), Bearing::E), None);
        assert_eq!(map.neighbour(Hex::printed(1036), Bearing::NE), Some(Hex::printed(1137)));
        assert_eq!(map.distance(Hex::printed(2629), Hex::printed(2531)), 2, "El Caney to El Viso");
    }

    #[test]
    fn a_frame_that_makes_no_map_is_refused() {
        let wrong = |change: &dyn Fn(&mut Frame)| {
            let mut frame = santiago_1898().frame().clone();
            change(&mut frame);
            HexGrid::new(frame).map(|map| map.len()).unwrap_err().to_string()
        };
        assert_eq!(wrong(&|frame| frame.shifted = Shifted::EvenColumnsSouth), FrameFault::Shifted.to_string());
        assert!(wrong(&|frame| frame.rows = [1, 190]).contains("rows 1 to 190"));
        assert!(wrong(&|frame| frame.columns = [25, 24]).contains("columns 25 to 24"));
        assert!(wrong(&|frame| frame.missing = vec![Hex::printed(2001)]).contains("hex 2001 is listed as missing"));
    }

    /// Steps from one hex to all others by walking the board.
    fn steps(map: &HexGrid, from: Hex) -> BTreeMap<Hex, u32> {
        let mut steps = BTreeMap::from([(from, 0)]);
        let mut queue = VecDeque::from([from]);
        while let Some(hex) = queue.pop_front() {
            for (_, next) in map.neighbours(hex) {
                if !steps.contains_key(&next) {
                    steps.insert(next, steps[&hex] + 1);
                    queue.push_back(next);
                }
            }
        }
        steps
    }

    proptest! {
        #[test]
        fn every_number_survives_the_cube(map in any_frame(true)) {
            for hex in map.cells() {
                prop_assert_eq!(map.hex(map.cube(hex)), Some(hex));
                prop_assert_eq!(map.at(map.row(hex), map.column(hex)), Some(hex));
            }
            let cubes: BTreeSet<Cube> = map.cells().map(|hex| map.cube(hex)).collect();
            prop_assert_eq!(cubes.len(), map.len());
        }

        #[test]
        fn places_follow_the_numbers(map in any_frame(true)) {
            let cells: Vec<Hex> = map.cells().collect();
            prop_assert!(cells.is_sorted());
            prop_assert_eq!(cells.len(), map.len());
            for (index, &hex) in cells.iter().enumerate() {
                prop_assert_eq!(map.index(hex), Some(index));
                prop_assert!(!map.frame().missing.contains(&hex));
            }
        }

        #[test]
        fn neighbours_lie_where_the_compass_says(map in any_frame(true)) {
            for hex in map.cells() {
                let (east, south) = map.centre(hex);
                let mut seen = Vec::new();
                for (bearing, next) in map.neighbours(hex) {
                    prop_assert_eq!(map.neighbour(next, bearing.turned(4)), Some(hex));
                    prop_assert_eq!(map.neighbour(hex, bearing), Some(next));
                    prop_assert_eq!(map.edge_between(hex, next), Some(bearing));
                    prop_assert_eq!(map.distance(hex, next), 1);
                    prop_assert_eq!(map.bearings()[map.way(bearing).unwrap()], bearing);
                    // Two steps along a straight row or column, one across it: the same as the compass, doubled.
                    let (there_east, there_south) = map.centre(next);
                    let went = ((there_east - east).signum(), (there_south - south).signum());
                    prop_assert_eq!(went, bearing.east_south());
                    seen.push(next);
                }
                // Whatever touches is listed.
                for other in map.cells().filter(|&other| map.distance(hex, other) == 1) {
                    prop_assert!(seen.contains(&other));
                }
            }
        }

        #[test]
        fn distance_is_the_fewest_steps(map in any_frame(false), pick in any::<prop::sample::Index>()) {
            let from = map.cell(pick.index(map.len())).unwrap();
            let steps = steps(&map, from);
            for hex in map.cells() {
                prop_assert_eq!(steps.get(&hex), Some(&map.distance(from, hex)));
            }
        }

        #[test]
        fn a_detour_is_never_shorter(map in any_frame(true), picks in any::<[prop::sample::Index; 3]>()) {
            let [a, b, c] = picks.map(|pick| map.cell(pick.index(map.len())).unwrap());
            prop_assert_eq!(map.distance(a, b), map.distance(b, a));
            prop_assert_eq!(map.distance(a, b) == 0, a == b);
            prop_assert!(map.distance(a, c) <= map.distance(a, b) + map.distance(b, c));
        }
    }
}
