//! Distances, against a search that knows only sets of cells.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::board::Hex;
use crate::board::testing::any_frame;

/// Whether a random board lets a line into a cell, or across a side, decided by numbers alone.
#[derive(Clone, Copy, Debug)]
struct Country {
    seed: u32,
    /// Out of eight.
    open: u32,
}

impl Country {
    fn draw(self, a: u16, b: u16) -> bool {
        let mixed = (u32::from(a) ^ self.seed).wrapping_mul(2_654_435_761) ^ u32::from(b).wrapping_mul(2_246_822_519);
        (mixed >> 13) % 8 < self.open
    }
}

fn any_country() -> impl Strategy<Value = Country> {
    (any::<u32>(), 4u32..=8).prop_map(|(seed, open)| Country { seed, open })
}

/// The length of the shortest line to each cell, growing a set of cells by one step at a time.
fn lengths<G: Grid>(
    grid: &G,
    from: &BTreeSet<G::Cell>,
    may: impl Fn(G::Cell, G::Cell) -> bool,
) -> BTreeMap<G::Cell, u32> {
    let mut known: BTreeMap<G::Cell, u32> = from.iter().map(|&cell| (cell, 0)).collect();
    for steps in 1.. {
        let edge: BTreeSet<G::Cell> = (known.keys())
            .flat_map(|&old| grid.neighbours(old).map(move |(_, cell)| (old, cell)))
            .filter(|&(old, cell)| !known.contains_key(&cell) && may(old, cell))
            .map(|(_, cell)| cell)
            .collect();
        if edge.is_empty() {
            break;
        }
        known.extend(edge.into_iter().map(|cell| (cell, steps)));
    }
    known
}

proptest! {
    #[test]
    fn distances_are_counted_from_the_nearest_source(
        map in any_frame(true), country in any_country(), sources in prop::collection::vec(any::<Index>(), 0..4),
    ) {
        let sources: BTreeSet<Hex> = sources.iter().map(|pick| map.cell(pick.index(map.len())).unwrap()).collect();
        let may = |a: Hex, b: Hex| country.draw(a.number(), b.number());
        let field = distance_field(&map, sources.iter().copied(), |a, _, b| may(a, b));
        let counted: BTreeMap<_, _> = field.iter(&map).collect();
        prop_assert_eq!(&counted, &lengths(&map, &sources, may));
        // From each of them a way leads back, as long as it is far.
        for (cell, steps) in counted {
            let way = field.way(&map, cell, |from, to| may(to, from));
            prop_assert_eq!(way.len(), steps as usize + 1);
            prop_assert!(way.first() == Some(&cell) && way.last().is_some_and(|end| sources.contains(end)));
            prop_assert!(way.windows(2).all(|step| map.distance(step[0], step[1]) == 1 && may(step[1], step[0])));
        }
    }
}
