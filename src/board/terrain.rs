//! What lies in the cells and along the sides of a map.

use std::fmt;
use std::marker::PhantomData;

use super::Grid;

/// One value for every cell of a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer<T> {
    values: Vec<T>,
}

impl<T> Layer<T> {
    /// The same value everywhere.
    pub fn filled<G: Grid>(grid: &G, value: T) -> Self
    where
        T: Clone,
    {
        Self { values: vec![value; grid.len()] }
    }

    /// A value for every cell.
    pub fn from_fn<G: Grid>(grid: &G, value: impl FnMut(G::Cell) -> T) -> Self {
        Self { values: grid.cells().map(value).collect() }
    }

    /// The values in the order of the cells' numbers, one for each.
    pub fn from_values(values: Vec<T>) -> Self {
        Self { values }
    }

    /// The value of a cell, if it is on the grid this layer was made for.
    pub fn get<G: Grid>(&self, grid: &G, cell: G::Cell) -> Option<&T> {
        self.values.get(grid.index(cell)?)
    }

    /// The value of a cell, to be changed.
    pub fn get_mut<G: Grid>(&mut self, grid: &G, cell: G::Cell) -> Option<&mut T> {
        self.values.get_mut(grid.index(cell)?)
    }

    /// All cells with their values, in the order of their numbers.
    pub fn iter<G: Grid>(&self, grid: &G) -> impl Iterator<Item = (G::Cell, &T)> {
        grid.cells().zip(&self.values)
    }
}

/// A kind of thing that lies along a side: a river, a bridge, a road, a slope. Each game has an enum of its own.
pub trait Feature: Copy + Ord + 'static {
    /// Every kind there is, at most 32.
    const ALL: &'static [Self];

    /// Its own place among them, usually `self as u32`.
    fn bit(self) -> u32;
}

/// Declares what can lie along the sides of a game's map: an enum that is a [`Feature`].
#[macro_export]
macro_rules! features {
    (
        $(#[$attribute:meta])*
        $vis:vis enum $name:ident {
            $( $(#[$variant_attribute:meta])* $variant:ident ),+ $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        $vis enum $name {
            $( $(#[$variant_attribute])* $variant, )+
        }

        impl $crate::board::Feature for $name {
            const ALL: &'static [Self] = &[$( $name::$variant ),+];
            fn bit(self) -> u32 {
                self as u32
            }
        }
    };
}

/// A small set of features.
pub struct Features<F>(u32, PhantomData<F>);

impl<F: Feature> Features<F> {
    /// No feature.
    pub const NONE: Self = Self(0, PhantomData);

    /// The set with one more feature.
    #[must_use]
    pub fn with(self, feature: F) -> Self {
        Self(self.0 | Self::mask(feature), PhantomData)
    }

    /// Is the feature in the set?
    pub fn has(self, feature: F) -> bool {
        self.0 & Self::mask(feature) != 0
    }

    /// Is any of these in the set?
    pub fn has_any(self, features: &[F]) -> bool {
        features.iter().any(|&feature| self.has(feature))
    }

    /// Nothing in it?
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// What is in either.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0, PhantomData)
    }

    /// The features, in the order of [`Feature::ALL`].
    pub fn iter(self) -> impl Iterator<Item = F> {
        F::ALL.iter().copied().filter(move |&feature| self.has(feature))
    }

    fn mask(feature: F) -> u32 {
        let mask = 1u32.checked_shl(feature.bit());
        debug_assert!(mask.is_some(), "a game has at most 32 kinds of features");
        mask.unwrap_or(0)
    }
}

// Derived, these would ask the same of `F`.
impl<F> Clone for Features<F> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<F> Copy for Features<F> {}
impl<F> PartialEq for Features<F> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
impl<F> Eq for Features<F> {}
impl<F> Default for Features<F> {
    fn default() -> Self {
        Self(0, PhantomData)
    }
}
impl<F: Feature + fmt::Debug> fmt::Debug for Features<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Two cells of which one should touch the other and does not, or is not on the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{to} does not touch {from} on this map")]
pub struct NotAdjacent<C> {
    /// The first cell.
    pub from: C,
    /// The cell that should touch it.
    pub to: C,
}

/// Everywhere a road or other path is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenPath<C> {
    /// Each place where the next cell does not touch: the place of that cell in the path, and the two cells.
    pub gaps: Vec<(usize, NotAdjacent<C>)>,
}

impl<C: fmt::Display> fmt::Display for BrokenPath<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (count, (_, gap)) in self.gaps.iter().enumerate() {
            let comma = if count == 0 { "" } else { "; " };
            write!(f, "{comma}{gap}")?;
        }
        Ok(())
    }
}

impl<C: fmt::Debug + fmt::Display> std::error::Error for BrokenPath<C> {}

/// A map: a grid, the ground `T` of every cell and the features `F` of every side.
///
/// A side can be marked alike from both cells (a river, a road) or in one direction only (a slope that is up from `a`
/// to `b`, a trench that faces one way).
#[derive(Clone, PartialEq, Eq)]
pub struct Terrain<G, T, F> {
    grid: G,
    ground: Layer<T>,
    /// For every cell, what is met on leaving it by each of its edges.
    sides: Vec<Features<F>>,
}

impl<G: Grid, T, F> fmt::Debug for Terrain<G, T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a map of {} cells", self.grid.len())
    }
}

impl<G: Grid, T: Copy, F: Feature> Terrain<G, T, F> {
    /// A map with the same ground everywhere and nothing along the sides.
    pub fn new(grid: G, ground: T) -> Self {
        let ground = Layer::filled(&grid, ground);
        Self::with_ground(grid, ground)
    }

    /// A map with this ground and nothing along the sides.
    pub fn with_ground(grid: G, ground: Layer<T>) -> Self {
        let sides = vec![Features::NONE; grid.len() * G::WAYS];
        Self { grid, ground, sides }
    }

    /// The grid.
    pub fn grid(&self) -> &G {
        &self.grid
    }

    /// The ground of a cell, if it is on the map.
    pub fn ground(&self, cell: G::Cell) -> Option<T> {
        self.ground.get(&self.grid, cell).copied()
    }

    /// All cells with their ground, in the order of their numbers.
    pub fn cells(&self) -> impl Iterator<Item = (G::Cell, T)> {
        self.ground.iter(&self.grid).map(|(cell, &ground)| (cell, ground))
    }

    /// Changes the ground of a cell; false if it is not on the map.
    pub fn set_ground(&mut self, cell: G::Cell, ground: T) -> bool {
        self.ground.get_mut(&self.grid, cell).map(|place| *place = ground).is_some()
    }

    /// Changes something about the ground of a cell, if it is on the map.
    pub fn change(&mut self, cell: G::Cell, change: impl FnOnce(&mut T)) {
        if let Some(ground) = self.ground.get_mut(&self.grid, cell) {
            change(ground);
        }
    }

    /// What is met on leaving a cell by this edge.
    pub fn leaving(&self, cell: G::Cell, edge: G::Edge) -> Features<F> {
        self.slot(cell, edge).and_then(|slot| self.sides.get(slot)).copied().unwrap_or_default()
    }

    /// What is met on going from one cell to the next; nothing if they do not touch.
    pub fn between(&self, from: G::Cell, to: G::Cell) -> Features<F> {
        self.grid.edge_between(from, to).map_or(Features::NONE, |edge| self.leaving(from, edge))
    }

    /// What lies on any side of a cell, met on leaving it.
    pub fn around(&self, cell: G::Cell) -> Features<F> {
        let sides = self.grid.neighbours(cell).map(|(edge, _)| self.leaving(cell, edge));
        sides.fold(Features::NONE, Features::union)
    }

    /// Marks the side between two cells, alike from both.
    pub fn mark(&mut self, a: G::Cell, b: G::Cell, feature: F) -> Result<(), NotAdjacent<G::Cell>> {
        self.mark_towards(a, b, feature)?;
        self.mark_towards(b, a, feature)
    }

    /// Marks the side between two cells as met on going from one to the other, and not on the way back.
    pub fn mark_towards(&mut self, from: G::Cell, to: G::Cell, feature: F) -> Result<(), NotAdjacent<G::Cell>> {
        let slot = self.grid.edge_between(from, to).and_then(|edge| self.slot(from, edge));
        let side = slot.and_then(|slot| self.sides.get_mut(slot)).ok_or(NotAdjacent { from, to })?;
        *side = side.with(feature);
        Ok(())
    }

    /// Marks every side a path crosses, as a road does. A broken path marks nothing and says where it is broken.
    pub fn mark_path(&mut self, path: &[G::Cell], feature: F) -> Result<(), BrokenPath<G::Cell>> {
        let steps =
            || path.windows(2).enumerate().filter_map(|(at, pair)| Some((at + 1, *pair.first()?, *pair.get(1)?)));
        let gaps: Vec<_> = steps()
            .filter(|&(_, from, to)| self.grid.edge_between(from, to).is_none())
            .map(|(at, from, to)| (at, NotAdjacent { from, to }))
            .collect();
        if !gaps.is_empty() {
            return Err(BrokenPath { gaps });
        }
        for (at, from, to) in steps() {
            self.mark(from, to, feature).map_err(|gap| BrokenPath { gaps: vec![(at, gap)] })?;
        }
        Ok(())
    }

    fn slot(&self, cell: G::Cell, edge: G::Edge) -> Option<usize> {
        Some(self.grid.index(cell)? * G::WAYS + self.grid.way(edge)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::{any_boxes, any_frame, heights, hexes, santiago_1898, santiago_campaign};
    use crate::board::{Hex, HexGrid, Square};
    use proptest::prelude::*;

    crate::features! {
        enum Along {
            River,
            Bridge,
            Road,
            Upslope,
        }
    }

    fn hex(number: u16) -> Hex {
        Hex::printed(number)
    }

    fn marks_around(map: &Terrain<HexGrid, char, Along>, cell: Hex) -> usize {
        map.grid().neighbours(cell).filter(|&(edge, _)| !map.leaving(cell, edge).is_empty()).count()
    }

    #[test]
    fn a_bridge_carries_the_road_over_the_river() {
        let mut map: Terrain<_, char, Along> = Terrain::new(santiago_campaign(), '.');
        map.mark(hex(2805), hex(2705), Along::River).unwrap();
        map.mark(hex(2705), hex(2805), Along::Bridge).unwrap();
        let side = map.between(hex(2805), hex(2705));
        assert!(side.has(Along::River) && side.has(Along::Bridge) && !side.has(Along::Road));
        assert_eq!(side.iter().collect::<Vec<_>>(), [Along::River, Along::Bridge]);
        assert!(side.has_any(&[Along::Bridge, Along::Road]) && !side.has_any(&[Along::Road, Along::Upslope]));
        assert!(map.around(hex(2705)).has(Along::River));
    }

    #[test]
    fn a_slope_is_up_one_way_only() {
        let mut map: Terrain<_, char, Along> = Terrain::new(santiago_campaign(), '.');
        map.mark_towards(hex(2914), hex(2814), Along::Upslope).unwrap();
        assert!(map.between(hex(2914), hex(2814)).has(Along::Upslope));
        assert!(map.between(hex(2814), hex(2914)).is_empty());
    }

    #[test]
    fn a_road_marks_the_sides_it_crosses_and_no_others() {
        let mut map: Terrain<_, char, Along> = Terrain::new(santiago_1898(), '.');
        let road = hexes(&[1112, 1111, 1210, 1310, 1309, 1308]);
        map.mark_path(&road, Along::Road).unwrap();
        assert!(road.windows(2).all(|pair| map.between(pair[1], pair[0]).has(Along::Road)));
        let marked: usize = map.cells().map(|(cell, _)| marks_around(&map, cell)).sum();
        assert_eq!(marked, 2 * 5, "five sides, each met from both");
        assert!(!map.between(hex(1210), hex(1209)).has(Along::Road));
    }

    #[test]
    fn a_broken_road_says_where_and_marks_nothing() {
        let mut map: Terrain<_, char, Along> = Terrain::new(santiago_1898(), '.');
        let fault = map.mark_path(&hexes(&[1308, 1309, 1411, 1412, 1414, 1415]), Along::Road).unwrap_err();
        assert_eq!(fault.to_string(), "1411 does not touch 1309 on this map; 1414 does not touch 1412 on this map");
        assert_eq!(fault.gaps.iter().map(|&(at, _)| at).collect::<Vec<_>>(), [2, 4]);
        assert!(map.cells().all(|(cell, _)| marks_around(&map, cell) == 0));
        assert!(map.mark(hex(1308), hex(1308), Along::Road).is_err());
        assert!(map.mark(hex(1901), hex(2001), Along::Road).is_err(), "off the map");
    }

    #[test]
    fn a_river_between_boxes_is_met_from_either_bank() {
        let mut board: Terrain<_, char, Along> = Terrain::new(heights(), '.');
        let (west, east) = (Square::printed(108), Square::printed(109));
        board.mark(west, east, Along::River).unwrap();
        assert!(board.between(east, west).has(Along::River));
        assert!(board.between(east, Square::printed(208)).is_empty(), "a diagonal is a side of its own");
    }

    #[test]
    fn ground_is_kept_by_cell() {
        let mut map: Terrain<_, char, Along> = Terrain::new(santiago_1898(), '.');
        assert!(map.set_ground(hex(1308), 'C'));
        assert!(!map.set_ground(hex(2501), 'C'));
        assert_eq!((map.ground(hex(1308)), map.ground(hex(1309)), map.ground(hex(2501))), (Some('C'), Some('.'), None));
        assert_eq!(map.cells().filter(|&(_, ground)| ground == 'C').collect::<Vec<_>>(), [(hex(1308), 'C')]);
    }

    /// Marks drawn at random are found again, each exactly where it was put.
    fn remembers<G: Grid<Cell: fmt::Debug> + Clone>(
        grid: &G,
        marks: &[(prop::sample::Index, usize, usize, bool)],
    ) -> Result<(), TestCaseError> {
        let mut map: Terrain<G, (), Along> = Terrain::new(grid.clone(), ());
        let mut expected = std::collections::BTreeSet::new();
        for &(pick, turn, kind, both) in marks {
            let from = grid.cell(pick.index(grid.len())).unwrap();
            let around: Vec<_> = grid.neighbours(from).map(|(_, next)| next).collect();
            let Some(&to) = around.get(turn) else { continue };
            if both {
                map.mark(from, to, Along::ALL[kind]).unwrap();
                expected.insert((to, from, Along::ALL[kind]));
            } else {
                map.mark_towards(from, to, Along::ALL[kind]).unwrap();
            }
            expected.insert((from, to, Along::ALL[kind]));
        }
        for from in grid.cells() {
            for (edge, to) in grid.neighbours(from) {
                for &feature in Along::ALL {
                    let there = expected.contains(&(from, to, feature));
                    prop_assert_eq!(map.leaving(from, edge).has(feature), there);
                    prop_assert_eq!(map.between(from, to).has(feature), there);
                }
            }
        }
        Ok(())
    }

    fn marks() -> impl Strategy<Value = Vec<(prop::sample::Index, usize, usize, bool)>> {
        prop::collection::vec((any::<prop::sample::Index>(), 0usize..8, 0usize..4, any::<bool>()), 0..20)
    }

    proptest! {
        #[test]
        fn a_mark_stays_where_it_was_put(map in any_frame(true), marks in marks()) {
            remembers(&map, &marks)?;
        }

        #[test]
        fn a_mark_between_boxes_stays_where_it_was_put(board in any_boxes(), marks in marks()) {
            remembers(&board, &marks)?;
        }
    }
}
