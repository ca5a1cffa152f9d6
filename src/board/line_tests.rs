//! Straightest paths, against the nearest centres.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::board::Orientation;
use crate::board::testing::{any_frame, hexes, santiago_campaign};

fn hex(number: u16) -> Hex {
    Hex::printed(number)
}

type Point = (i64, i64);

fn minus(a: Point, b: Point) -> Point {
    (a.0 - b.0, a.1 - b.1)
}

fn centre(map: &HexGrid, hex: Hex) -> Point {
    let (east, south) = map.centre(hex);
    match map.frame().orientation {
        Orientation::Pointy => (i64::from(east), 3 * i64::from(south)),
        Orientation::Flat => (3 * i64::from(east), i64::from(south)),
    }
}

/// All straightest paths between hexes, from the nearest centres to the points along the line.
fn by_nearest(map: &HexGrid, a: Hex, b: Hex) -> BTreeSet<Vec<Hex>> {
    let steps = i64::from(map.distance(a, b));
    let (start, from) = (map.cube(a), centre(map, a));
    let line = minus(centre(map, b), from);
    let reach = steps as i32 + 1;
    // Coordinates are stretched so that all corners are whole; the weights undo that for distances.
    let weights = match map.frame().orientation {
        Orientation::Pointy => (3, 1),
        Orientation::Flat => (1, 3),
    };
    let real = |cube: Cube| match map.frame().orientation {
        Orientation::Pointy => (i64::from(2 * cube.q + cube.r), 3 * i64::from(cube.r)),
        Orientation::Flat => (3 * i64::from(cube.q), i64::from(2 * cube.r + cube.q)),
    };
    let mut paths = BTreeSet::from([vec![a]]);
    for step in 1..=steps {
        let all = (-reach..=reach).flat_map(|q| (-reach..=reach).map(move |r| Cube { q, r }));
        let far = |cube: Cube| {
            let at = real(cube);
            let off = (at.0 * steps - line.0 * step, at.1 * steps - line.1 * step);
            weights.0 * off.0 * off.0 + weights.1 * off.1 * off.1
        };
        let least = all.clone().map(far).min().unwrap();
        let nearest: Vec<Cube> = all.filter(|&cube| far(cube) == least).collect();
        paths = (paths.iter())
            .flat_map(|path| {
                let next = nearest.iter().filter_map(|&cube| map.hex(start.plus(cube)));
                let next = next.filter(|&hex| map.distance(path[path.len() - 1], hex) == 1);
                next.map(|hex| [path.as_slice(), &[hex]].concat()).collect::<Vec<_>>()
            })
            .collect();
    }
    paths
}

proptest! {
    #[test]
    fn a_straightest_path_keeps_to_the_nearest_hexes(map in any_frame(true), picks in any::<[Index; 2]>()) {
        let [a, b] = picks.map(|pick| map.cell(pick.index(map.len())).unwrap());
        prop_assert_eq!(straightest_paths(&map, a, b).collect::<BTreeSet<_>>(), by_nearest(&map, a, b));
    }
}

#[test]
fn the_gun_in_4913_has_one_straight_way_to_5311() {
    let map = santiago_campaign();
    let paths: Vec<_> = straightest_paths(&map, hex(4913), hex(5311)).collect();
    assert_eq!(paths, [hexes(&[4913, 5013, 5112, 5212, 5311])]);
}

#[test]
fn up_to_range_four_there_are_one_two_or_four_straightest_paths() {
    let map = santiago_campaign();
    let gun = hex(3014);
    let mut counts = BTreeSet::new();
    for target in map.cells().filter(|&target| (2..=4).contains(&map.distance(gun, target))) {
        counts.insert(straightest_paths(&map, gun, target).count());
    }
    assert_eq!(counts, BTreeSet::from([1, 2, 4]));
}

/// The hexes of some stretches, each with whether the line runs along its side only.
fn touched(stretches: &[Stretch]) -> BTreeSet<(Hex, bool)> {
    let of = |stretch: &Stretch| match *stretch {
        Stretch::Through(hex) => vec![(hex, false)],
        Stretch::Along(one, other) => [Some(one), other].into_iter().flatten().map(|hex| (hex, true)).collect(),
    };
    stretches.iter().flat_map(of).collect()
}

proptest! {
    #[test]
    fn a_line_crosses_the_same_hexes_both_ways_and_all_of_its_straightest_paths(
        map in any_frame(true),
        picks in any::<[Index; 2]>(),
    ) {
        let [a, b] = picks.map(|pick| map.cell(pick.index(map.len())).unwrap());
        let there = touched(&crossed(&map, a, b));
        prop_assert_eq!(&there, &touched(&crossed(&map, b, a)));
        let hexes: BTreeSet<Hex> = there.iter().map(|(hex, _)| *hex).collect();
        for path in straightest_paths(&map, a, b) {
            prop_assert!(path.iter().all(|hex| *hex == a || *hex == b || hexes.contains(hex)));
        }
    }
}

#[test]
fn a_line_runs_through_hexes_along_sides_and_clips_corners() {
    let map = santiago_campaign();
    // Flat hexes: straight down a column, and level with it two columns on.
    assert_eq!(crossed(&map, hex(3010), hex(3013)), [Stretch::Through(hex(3011)), Stretch::Through(hex(3012))]);
    let along = crossed(&map, hex(3010), hex(3210));
    assert!(
        matches!(along.as_slice(), [Stretch::Along(one, Some(other))]
        if [*one, *other].iter().all(|hex| hex.first() == 31)),
        "{along:?}"
    );
    // Two columns on and three down the line clips hexes that no straightest path has.
    let far = crossed(&map, hex(3010), hex(3312));
    assert!(far.len() > 2 && far.iter().all(|stretch| matches!(stretch, Stretch::Through(_))), "{far:?}");
    assert!(crossed(&map, hex(3010), hex(3011)).is_empty() && crossed(&map, hex(3010), hex(3010)).is_empty());
}
