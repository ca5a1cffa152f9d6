//! Traced lines, against a search that knows only sets of cells.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::board::testing::{any_boxes, any_frame, hexes, santiago_1898};
use crate::board::{Bearing, Hex};

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

/// All shortest lines from one cell to another, to find the one with the lowest numbers.
fn lowest<G: Grid>(
    grid: &G,
    from: G::Cell,
    to: G::Cell,
    steps: u32,
    may: &impl Fn(G::Cell, G::Cell) -> bool,
) -> Option<Vec<G::Cell>> {
    if steps == 0 {
        return (from == to).then(|| vec![from]);
    }
    let mut around: Vec<G::Cell> = grid.neighbours(from).map(|(_, next)| next).collect();
    around.sort();
    around.into_iter().filter(|&next| may(from, next) && grid.distance(next, to) < steps).find_map(|next| {
        let rest = lowest(grid, next, to, steps - 1, may)?;
        Some([vec![from], rest].concat())
    })
}

fn checks_out<G: Grid<Cell: std::fmt::Debug>>(
    grid: &G,
    number: impl Fn(G::Cell) -> u16,
    country: Country,
    from: G::Cell,
    targets: &BTreeSet<G::Cell>,
    longest: Option<u32>,
) -> Result<(), TestCaseError> {
    let enter = |cell: G::Cell| country.draw(number(cell), 0);
    let cross = |a: G::Cell, b: G::Cell| country.draw(number(a), number(b));
    let may = |a: G::Cell, b: G::Cell| enter(b) && cross(a, b);
    let known = lengths(grid, &BTreeSet::from([from]), may);
    let nearest = targets.iter().filter_map(|cell| known.get(cell)).min();
    let nearest = nearest.filter(|&&steps| longest.is_none_or(|longest| steps <= longest));

    let mut leg = Leg { enter, cross: |a, _, b| cross(a, b), longest };
    let found = trace(grid, from, |cell| targets.contains(&cell), &mut leg);
    let Some(&nearest) = nearest else {
        prop_assert_eq!(found, None);
        return Ok(());
    };
    let expected = targets
        .iter()
        .filter(|cell| known.get(cell) == Some(&nearest))
        .filter_map(|&cell| lowest(grid, from, cell, nearest, &may))
        .min();
    prop_assert_eq!(found, expected);

    let field = distance_field(grid, [from], |a, _, b| may(a, b));
    prop_assert_eq!(field.iter(grid).collect::<BTreeMap<_, _>>(), known);
    Ok(())
}

proptest! {
    #[test]
    fn the_shortest_line_is_found_if_there_is_one(
        map in any_frame(true), country in any_country(), pick in any::<Index>(),
        targets in prop::collection::vec(any::<Index>(), 0..4), longest in prop::option::of(0u32..8),
    ) {
        let cell = |pick: &Index| map.cell(pick.index(map.len())).unwrap();
        let targets = targets.iter().map(cell).collect();
        checks_out(&map, Hex::number, country, cell(&pick), &targets, longest)?;
    }

    #[test]
    fn the_shortest_line_of_boxes_is_found_if_there_is_one(
        board in any_boxes(), country in any_country(), pick in any::<Index>(),
        targets in prop::collection::vec(any::<Index>(), 0..4), longest in prop::option::of(0u32..6),
    ) {
        let cell = |pick: &Index| board.cell(pick.index(board.len())).unwrap();
        let targets = targets.iter().map(cell).collect();
        checks_out(&board, crate::board::Square::number, country, cell(&pick), &targets, longest)?;
    }

    #[test]
    fn distances_are_counted_from_the_nearest_source(
        map in any_frame(true), country in any_country(), sources in prop::collection::vec(any::<Index>(), 0..4),
    ) {
        let sources: BTreeSet<Hex> = sources.iter().map(|pick| map.cell(pick.index(map.len())).unwrap()).collect();
        let may = |a: Hex, b: Hex| country.draw(a.number(), b.number());
        let field = distance_field(&map, sources.iter().copied(), |a, _, b| may(a, b));
        prop_assert_eq!(field.iter(&map).collect::<BTreeMap<_, _>>(), lengths(&map, &sources, may));
    }

    #[test]
    fn a_line_in_two_legs_is_found_if_there_is_one(
        map in any_frame(true), country in any_country(), roads in any_country(), pick in any::<Index>(),
        targets in prop::collection::vec(any::<Index>(), 0..3),
        longest in prop::option::of(0u32..4), along in prop::option::of(0u32..6),
    ) {
        let cell = |pick: &Index| map.cell(pick.index(map.len())).unwrap();
        let (from, targets): (Hex, BTreeSet<Hex>) = (cell(&pick), targets.iter().map(cell).collect());
        let may = |a: Hex, b: Hex| country.draw(a.number(), b.number());
        let road = |a: Hex, b: Hex| roads.draw(a.number(), b.number());
        let joins = |hex: Hex| roads.draw(hex.number(), 1);
        let first = lengths(&map, &BTreeSet::from([from]), may);
        let best = (first.iter())
            .filter(|&(&hex, &steps)| joins(hex) && longest.is_none_or(|longest| steps <= longest))
            .filter_map(|(&hex, &steps)| {
                let second = lengths(&map, &BTreeSet::from([hex]), road);
                let nearest = *targets.iter().filter_map(|target| second.get(target)).min()?;
                along.is_none_or(|along| nearest <= along).then_some((steps, nearest))
            })
            .min();
        let found = trace_two_legs(
            &map,
            from,
            &mut Leg { enter: |_| true, cross: |a, _, b| may(a, b), longest },
            joins,
            &mut Leg { enter: |_| true, cross: |a, _, b| road(a, b), longest: along },
            |hex| targets.contains(&hex),
        );
        let lengths_found = found.as_ref().map(|legs| (legs.across.len() as u32 - 1, legs.along.len() as u32 - 1));
        prop_assert_eq!(lengths_found, best);
        if let Some(TwoLegs { across, along }) = found {
            prop_assert_eq!(across.first(), Some(&from));
            prop_assert_eq!(across.last(), along.first());
            prop_assert!(joins(along[0]) && targets.contains(&along[along.len() - 1]));
            prop_assert!(across.windows(2).all(|step| may(step[0], step[1])));
            prop_assert!(along.windows(2).all(|step| road(step[0], step[1])));
        }
    }
}

fn anywhere() -> Leg<impl FnMut(Hex) -> bool, impl FnMut(Hex, Bearing, Hex) -> bool> {
    Leg { enter: |_| true, cross: |_, _, _| true, longest: None }
}

#[test]
fn a_line_takes_the_lowest_numbers_among_the_shortest() {
    let map = santiago_1898();
    let line = trace(&map, Hex::printed(1308), |hex| hex == Hex::printed(1110), &mut anywhere());
    assert_eq!(line, Some(hexes(&[1308, 1208, 1109, 1110])));
}

#[test]
fn a_line_goes_round_the_enemy_as_far_as_its_length_allows() {
    let map = santiago_1898();
    let enemy = hexes(&[1209, 1310, 1409, 1208]);
    let line = |longest| {
        let mut leg = Leg { enter: |hex| !enemy.contains(&hex), cross: |_, _, _| true, longest };
        trace(&map, Hex::printed(1309), |hex| hex == Hex::printed(1109), &mut leg)
    };
    assert_eq!(line(None), Some(hexes(&[1309, 1308, 1207, 1108, 1109])));
    assert_eq!(line(Some(4)).map(|line| line.len()), Some(5));
    assert_eq!(line(Some(3)), None);
}

#[test]
fn an_enemy_in_the_source_cuts_the_line_there_and_one_in_the_first_hex_does_not() {
    let map = santiago_1898();
    let siboney = Hex::printed(816);
    let cut = |enemy: Hex| {
        let mut leg = Leg { enter: move |hex| hex != enemy, cross: |_, _, _| true, longest: Some(9) };
        trace(&map, Hex::printed(1015), |hex| hex == siboney, &mut leg).is_none()
    };
    assert!(cut(siboney));
    assert!(!cut(Hex::printed(1015)));
}

#[test]
fn supply_goes_across_country_to_the_road_and_along_it() {
    let map = santiago_1898();
    let road = hexes(&[816, 916, 1015, 1014, 1013, 1012, 1112]);
    let on_road = |a: Hex, b: Hex| road.windows(2).any(|side| side == [a, b] || side == [b, a]);
    let supply = |from: u16, free: u32| {
        trace_two_legs(
            &map,
            Hex::printed(from),
            &mut Leg { enter: |_| true, cross: |_, _, _| true, longest: Some(free) },
            |hex| road.contains(&hex),
            &mut Leg { enter: |_| true, cross: |a, _, b| on_road(a, b), longest: None },
            |hex| hex == Hex::printed(816),
        )
    };
    // 1012, 1013, 1014 and 1112 are all two hexes away; from 1014 the road is shortest.
    let TwoLegs { across, along } = supply(1213, 3).unwrap();
    assert_eq!(across, hexes(&[1213, 1114, 1014]));
    assert_eq!(along, hexes(&[1014, 1015, 916, 816]));
    assert_eq!(supply(1213, 1), None, "no road is one hex away");
    assert_eq!(supply(1013, 0).map(|legs| legs.across), Some(hexes(&[1013])));
}

#[test]
fn a_start_off_the_map_traces_nothing() {
    assert_eq!(trace(&santiago_1898(), Hex::printed(2099), |_| true, &mut anywhere()), None);
}
