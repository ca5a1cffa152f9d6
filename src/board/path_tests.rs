//! Reaching and walking, against a search that tries every way.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::board::testing::{any_boxes, any_frame, hexes, santiago_1898, santiago_campaign};
use crate::board::{Bearing, Hex};

type Mp = Points<4>;

/// What each step costs on a board made up by the test: a table of steps, drawn at random.
#[derive(Clone, Debug)]
struct Prices(Vec<u8>);

impl Prices {
    fn step(&self, from: u16, to: u16) -> Step<&'static str> {
        let mixed = u32::from(from).wrapping_mul(2_654_435_761) ^ u32::from(to).wrapping_mul(40_503);
        let drawn = self.0[(mixed >> 8) as usize % self.0.len()];
        match drawn % 8 {
            0 => Step::Barred("wall"),
            1 => Step::PayAndHalt(Mp::from_parts(u32::from(drawn / 64))),
            _ => Step::Pay(Mp::from_parts(u32::from(drawn / 64))),
        }
    }
}

fn any_prices() -> impl Strategy<Value = Prices> {
    prop::collection::vec(any::<u8>(), 1..40).prop_map(Prices)
}

type Best<C> = BTreeMap<C, (Mp, usize, Vec<C>)>;

/// The best way to every cell, by relaxing all steps until nothing changes.
fn by_hand<G: Grid>(
    grid: &G,
    from: G::Cell,
    purse: Mp,
    step: impl Fn(G::Cell, G::Cell) -> Step<&'static str>,
) -> Best<G::Cell> {
    let mut free: Best<G::Cell> = BTreeMap::from([(from, (Mp::ZERO, 0, vec![from]))]);
    let mut all = free.clone();
    loop {
        let before = free.clone();
        for (cell, (cost, steps, path)) in &before {
            for (_, next) in grid.neighbours(*cell) {
                let (price, halted) = match step(*cell, next) {
                    Step::Pay(price) => (price, false),
                    Step::PayAndHalt(price) => (price, true),
                    Step::Barred(_) => continue,
                };
                let way = (*cost + price, steps + 1, [path.as_slice(), &[next]].concat());
                if way.0 > purse {
                    continue;
                }
                let keep = |best: &mut Best<G::Cell>| match best.get(&next) {
                    Some(known) if *known <= way => {}
                    _ => {
                        best.insert(next, way.clone());
                    }
                };
                keep(&mut all);
                if !halted {
                    keep(&mut free);
                }
            }
        }
        if free == before {
            return all;
        }
    }
}

fn agrees<G: Grid<Cell: std::fmt::Debug>>(
    grid: &G,
    from: G::Cell,
    purse: Mp,
    step: impl Fn(G::Cell, G::Cell) -> Step<&'static str>,
) -> Result<(), TestCaseError> {
    let found = reach(grid, from, purse, |a, _, b| step(a, b));
    let expected = by_hand(grid, from, purse, &step);
    prop_assert!(found.cells().eq(expected.keys().copied()));
    for cell in grid.cells() {
        let Some((cost, steps, path)) = expected.get(&cell) else {
            prop_assert_eq!(found.cost(cell), None);
            prop_assert_eq!(found.path(cell), None);
            prop_assert_eq!(cheapest_path(grid, from, cell, purse, |a, _, b| step(a, b)), None);
            continue;
        };
        prop_assert_eq!(found.cost(cell), Some(*cost));
        prop_assert_eq!(found.path(cell), Some(path.clone()));
        prop_assert_eq!(path.len(), steps + 1);
        let walked = walk(grid, path, purse, |a, _, b| step(a, b));
        prop_assert!(walked.fault.is_none());
        prop_assert_eq!(walked.cost(), *cost);
        prop_assert_eq!(walked.halted, found.halts(cell));
        let alone = cheapest_path(grid, from, cell, purse, |a, _, b| step(a, b));
        prop_assert_eq!(alone, Some((path.clone(), *cost)));
    }
    Ok(())
}

proptest! {
    #[test]
    fn reach_finds_the_best_way_to_every_hex(
        map in any_frame(true), prices in any_prices(), purse in 0u32..16, pick in any::<prop::sample::Index>(),
    ) {
        let from = map.cell(pick.index(map.len())).unwrap();
        agrees(&map, from, Mp::from_parts(purse), |a, b| prices.step(a.number(), b.number()))?;
    }

    #[test]
    fn reach_finds_the_best_way_to_every_box(
        board in any_boxes(), prices in any_prices(), purse in 0u32..12, pick in any::<prop::sample::Index>(),
    ) {
        let from = board.cell(pick.index(board.len())).unwrap();
        agrees(&board, from, Mp::from_parts(purse), |a, b| prices.step(a.number(), b.number()))?;
    }

    #[test]
    fn a_walk_fails_exactly_where_its_first_fault_lies(
        map in any_frame(true), prices in any_prices(), purse in 0u32..16,
        turns in prop::collection::vec(0usize..7, 0..8), pick in any::<prop::sample::Index>(),
    ) {
        // A path that mostly follows edges and sometimes stays where it is, which no step can do.
        let mut path = vec![map.cell(pick.index(map.len())).unwrap()];
        for turn in turns {
            let here = path[path.len() - 1];
            let next = map.bearings().get(turn).and_then(|&edge| map.neighbour(here, edge));
            path.push(next.unwrap_or(here));
        }
        let purse = Mp::from_parts(purse);
        let step = |a: Hex, _: Bearing, b: Hex| prices.step(a.number(), b.number());
        let walked = walk(&map, &path, purse, step);
        let place = match walked.fault {
            None => {
                prop_assert_eq!(walked.steps() + 1, path.len());
                let alone = reach(&map, path[0], purse, step);
                prop_assert!(alone.cost(path[path.len() - 1]).unwrap() <= *walked.costs.last().unwrap());
                return Ok(());
            }
            Some(WalkFault::Empty | WalkFault::OffMap { .. }) => panic!("the path lies on the map"),
            Some(WalkFault::NotAdjacent { at, from, to }) => {
                prop_assert_eq!(from, to);
                prop_assert_eq!(path[at], to);
                at
            }
            Some(WalkFault::Barred { at, from, to, why }) => {
                prop_assert_eq!(step(from, Bearing::E, to), Step::Barred(why));
                at
            }
            Some(WalkFault::Exhausted { at, spent, needed, purse, .. }) => {
                prop_assert!(spent <= purse && spent + needed > purse);
                at
            }
            Some(WalkFault::Halted { at, halted, .. }) => {
                prop_assert_eq!(path[at - 1], halted);
                at
            }
        };
        // Everything before the fault can be walked, and has been.
        prop_assert!(walk(&map, &path[..place], purse, step).fault.is_none());
        prop_assert_eq!(walked.costs.len(), place);
    }
}

fn open(_: Hex, _: Bearing, _: Hex) -> Step<&'static str> {
    Step::Pay(Mp::whole(1))
}

#[test]
fn in_the_open_a_unit_reaches_what_is_near() {
    let map = santiago_1898();
    let santiago = Hex::printed(1308);
    let found = reach(&map, santiago, Mp::whole(4), open);
    let near: Vec<Hex> = map.cells().filter(|&hex| map.distance(santiago, hex) <= 4).collect();
    assert_eq!(found.cells().collect::<Vec<_>>(), near);
    assert!(near.iter().all(|&hex| found.cost(hex) == Some(Mp::whole(map.distance(santiago, hex)))));
}

#[test]
fn of_equal_ways_the_one_with_the_lowest_numbers_counts() {
    let map = santiago_1898();
    let found = reach(&map, Hex::printed(1308), Mp::whole(4), open);
    // 1110 lies two rows south and three half hexes east: 1208 or 1309 first, 1109 or 1209 next.
    assert_eq!(found.path(Hex::printed(1110)), Some(hexes(&[1308, 1208, 1109, 1110])));
    assert_eq!(found.path(Hex::printed(1308)), Some(hexes(&[1308])));
}

#[test]
fn a_halt_is_entered_but_not_passed() {
    let map = santiago_1898();
    // Whoever enters 1309 halts, and nobody enters 1310.
    let picket = |_: Hex, _: Bearing, to: Hex| -> Step<&'static str> {
        match to.number() {
            1309 => Step::PayAndHalt(Mp::whole(1)),
            1310 => Step::Barred("occupied"),
            _ => Step::Pay(Mp::whole(1)),
        }
    };
    let found = reach(&map, Hex::printed(1308), Mp::whole(2), picket);
    assert!(found.halts(Hex::printed(1309)));
    assert!(!found.contains(Hex::printed(1310)));
    assert!(found.contains(Hex::printed(1409)), "by way of 1408");
    let path = hexes(&[1308, 1309, 1409]);
    let fault = walk(&map, &path, Mp::whole(9), picket).fault.unwrap();
    let halted = Hex::printed(1309);
    assert_eq!(fault, WalkFault::Halted { at: 2, halted, to: Hex::printed(1409), spent: Mp::whole(1) });
    assert_eq!(fault.to_string(), "movement ends on entering 1309, so 1409 cannot be entered");
    let fault = walk(&map, &hexes(&[1308, 1309, 1310]), Mp::whole(9), picket).fault.unwrap();
    assert!(matches!(fault, WalkFault::Halted { .. }), "the halt comes before the bar");
}

#[test]
fn a_hex_that_halts_on_one_side_only_can_be_passed_by_the_other() {
    let map = santiago_1898();
    // Crossing the river from 1308 into 1309 halts; from 1409, by the bridge, it does not and costs more in all.
    let river = |from: Hex, _: Bearing, to: Hex| -> Step<&'static str> {
        match (from.number(), to.number()) {
            (1308, 1309) => Step::PayAndHalt(Mp::whole(1)),
            (1308, 1408) | (1408, 1309) | (1309, 1310) => Step::Pay(Mp::whole(1)),
            _ => Step::Barred("swamp"),
        }
    };
    let found = reach(&map, Hex::printed(1308), Mp::whole(5), river);
    assert_eq!(found.path(Hex::printed(1309)), Some(hexes(&[1308, 1309])));
    assert_eq!(found.path(Hex::printed(1310)), Some(hexes(&[1308, 1408, 1309, 1310])));
    assert_eq!(found.cost(Hex::printed(1310)), Some(Mp::whole(3)));
}

#[test]
fn a_walk_says_what_was_missing() {
    let map = santiago_1898();
    let step = |_: Hex, _: Bearing, to: Hex| -> Step<&'static str> {
        if to == Hex::printed(1210) { Step::Pay("2½".parse().unwrap()) } else { Step::Pay(Mp::whole(1)) }
    };
    let fault = walk(&map, &hexes(&[1310, 1209, 1210]), Mp::whole(3), step).fault.unwrap();
    assert_eq!(fault.to_string(), "entering 1210 from 1209 needs 2½ more after 1 spent, of 3");
    let fault = walk(&map, &hexes(&[1310, 1210, 1408]), Mp::whole(9), step).fault.unwrap();
    assert_eq!(fault.to_string(), "1408 does not touch 1210");
    let fault = walk(&map, &hexes(&[1310, 1210, 2010]), Mp::whole(9), step).fault.unwrap();
    assert_eq!(fault, WalkFault::OffMap { at: 2, cell: Hex::printed(2010) });
    assert_eq!(walk(&map, &[], Mp::whole(9), step).fault, Some(WalkFault::Empty));
    let walked = walk(&map, &hexes(&[1310, 1210, 1110]), Mp::whole(9), step);
    assert_eq!(walked.costs, ["0", "2½", "3½"].map(|text| text.parse().unwrap()));
}

#[test]
fn a_march_enters_cell_by_cell_in_a_world_that_changes() {
    let map = santiago_1898();
    let path = hexes(&[1310, 1309, 1308, 1307]);
    // Every hex entered is dearer than the one before; an ambush in 1308 ends it.
    let step = |entered: &Vec<Hex>, _: Hex, _: Bearing, _: Hex| -> Step<&'static str> {
        Step::Pay(Mp::whole(u32::try_from(entered.len()).unwrap() + 1))
    };
    let enter = |entered: &mut Vec<Hex>, stride: Stride<Hex>| -> Result<ControlFlow<()>, &'static str> {
        entered.push(stride.to);
        let ambush = stride.to == Hex::printed(1308);
        Ok(if ambush { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    };
    let mut entered = Vec::new();
    let walked = march(&map, &mut entered, &path, Mp::whole(9), step, enter).unwrap();
    assert_eq!(entered, hexes(&[1309, 1308]));
    assert_eq!((walked.costs, walked.halted, walked.fault), ([0, 1, 3].map(Mp::whole).to_vec(), true, None));
    // Where the purse ends, the hexes before it have been entered.
    let mut entered = Vec::new();
    let walked = march(&map, &mut entered, &path, Mp::whole(2), step, enter).unwrap();
    assert_eq!(entered, hexes(&[1309]));
    assert!(matches!(walked.fault, Some(WalkFault::Exhausted { at: 2, .. })), "{:?}", walked.fault);
    // Somebody has to be asked first: the march stops there and then.
    let asked = march(&map, &mut entered, &path, Mp::whole(9), step, |_, _| Err("a question"));
    assert_eq!(asked, Err("a question"));
}

#[test]
fn a_start_off_the_map_reaches_nothing() {
    let found = reach(&santiago_1898(), Hex::printed(9901), Mp::MAX, open);
    assert_eq!(found.cells().count(), 0);
}

#[test]
fn a_cost_beyond_counting_is_never_cheap() {
    let map = santiago_1898();
    let found = reach(&map, Hex::printed(1308), Mp::MAX, |_, _, _| -> Step<&'static str> { Step::Pay(Mp::MAX) });
    assert_eq!(found.cells().count(), 7, "the hex itself and its six neighbours");
}

#[test]
fn the_whole_half_mile_map_is_within_reach() {
    let map = santiago_campaign();
    let found = reach(&map, Hex::printed(2814), Mp::MAX, open);
    assert_eq!(found.cells().count(), 51 * 28);
}
