//! Lines, against the geometry of polygons and centres.

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::board::Orientation;
use crate::board::testing::{any_boxes, any_frame, heights, hexes, santiago_1898, santiago_campaign};

fn hex(number: u16) -> Hex {
    Hex::printed(number)
}

fn square(number: u16) -> Square {
    Square::printed(number)
}

type Point = (i64, i64);

fn minus(a: Point, b: Point) -> Point {
    (a.0 - b.0, a.1 - b.1)
}

/// A cell as a polygon. Coordinates are stretched so that all corners are whole; `weights` undo that for distances.
struct Shape {
    weights: Point,
    corners: &'static [Point],
}

const POINTY: Shape = Shape { weights: (3, 1), corners: &[(0, -2), (1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1)] };
const FLAT: Shape = Shape { weights: (1, 3), corners: &[(-2, 0), (-1, -1), (1, -1), (2, 0), (1, 1), (-1, 1)] };
const BOX: Shape = Shape { weights: (1, 1), corners: &[(1, 1), (1, -1), (-1, -1), (-1, 1)] };

impl Shape {
    fn dot(&self, a: Point, b: Point) -> i64 {
        self.weights.0 * a.0 * b.0 + self.weights.1 * a.1 * b.1
    }

    fn side(&self, line: Point, point: Point) -> i64 {
        (line.0 * point.1 - line.1 * point.0).signum()
    }

    /// Does the endless line through the origin cut the cell with this centre?
    fn is_cut(&self, line: Point, centre: Point) -> bool {
        let sides: Vec<i64> =
            self.corners.iter().map(|corner| self.side(line, (centre.0 + corner.0, centre.1 + corner.1))).collect();
        sides.contains(&1) && sides.contains(&-1)
    }

    /// The corners of the cell with this centre that lie exactly on the line.
    fn corners_on(&self, line: Point, centre: Point) -> Vec<Point> {
        let corners = self.corners.iter().map(|corner| (centre.0 + corner.0, centre.1 + corner.1));
        corners.filter(|&corner| self.side(line, corner) == 0).collect()
    }
}

fn shape(map: &HexGrid) -> &'static Shape {
    match map.frame().orientation {
        Orientation::Pointy => &POINTY,
        Orientation::Flat => &FLAT,
    }
}

fn centre(map: &HexGrid, hex: Hex) -> Point {
    let (east, south) = map.centre(hex);
    match map.frame().orientation {
        Orientation::Pointy => (i64::from(east), 3 * i64::from(south)),
        Orientation::Flat => (3 * i64::from(east), i64::from(south)),
    }
}

/// What a ruler meets, by corners on either side of it. Along a line the nearest centres follow each other in the
/// order of their projections, so these order what is met.
fn by_corners(map: &HexGrid, a: Hex, b: Hex) -> Vec<Crossing<Hex>> {
    let shape = shape(map);
    let from = centre(map, a);
    let line = minus(centre(map, b), from);
    let mut met = Vec::new();
    for hex in map.cells().filter(|&hex| hex != a && hex != b) {
        let at = minus(centre(map, hex), from);
        let along = shape.dot(line, at);
        if along <= 0 || along >= shape.dot(line, line) {
            continue;
        }
        if shape.is_cut(line, at) {
            met.push((along, Crossing::Through(hex)));
        }
        // Two corners on the line and nothing across it: it runs along that side.
        if !shape.is_cut(line, at) && shape.corners_on(line, at).len() == 2 {
            let mirrored = map.cells().find(|&other| {
                let there = minus(centre(map, other), from);
                other != hex
                    && shape.dot(line, there) == along
                    && shape.corners_on(line, there).iter().all(|corner| shape.corners_on(line, at).contains(corner))
                    && shape.corners_on(line, there).len() == 2
            });
            match mirrored {
                Some(other) if other < hex => {}
                other => met.push((along, Crossing::Along(hex, other))),
            }
        }
    }
    met.sort_unstable();
    met.into_iter().map(|(_, crossing)| crossing).collect()
}

/// All straightest paths between hexes, from the nearest centres to the points along the line.
fn by_nearest(map: &HexGrid, a: Hex, b: Hex) -> BTreeSet<Vec<Hex>> {
    let shape = shape(map);
    let steps = i64::from(map.distance(a, b));
    let (start, from) = (map.cube(a), centre(map, a));
    let line = minus(centre(map, b), from);
    let reach = steps as i32 + 1;
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
            shape.dot(off, off)
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

/// All straightest paths between boxes: every order of the diagonal steps among the straight ones.
fn by_order_of_steps(board: &SquareGrid, a: Square, b: Square) -> BTreeSet<Vec<Square>> {
    let (lanes, ranks) = (i32::from(b.first()) - i32::from(a.first()), i32::from(b.second()) - i32::from(a.second()));
    let (long, short) = (lanes.abs().max(ranks.abs()), lanes.abs().min(ranks.abs()));
    let straight = if lanes.abs() >= ranks.abs() { (lanes.signum(), 0) } else { (0, ranks.signum()) };
    (0u32..1 << long)
        .filter(|order| order.count_ones() as i32 == short)
        .map(|order| {
            let (mut lane, mut rank) = (i32::from(a.first()), i32::from(a.second()));
            let steps = (0..long).map(|step| {
                let diagonal = order >> step & 1 == 1;
                let (by_lane, by_rank) = if diagonal { (lanes.signum(), ranks.signum()) } else { straight };
                (lane, rank) = (lane + by_lane, rank + by_rank);
                board.at(lane as u16, rank as u16).unwrap()
            });
            let steps: Vec<Square> = steps.collect();
            [vec![a], steps].concat()
        })
        .collect()
}

fn checks_out<G: Lines<Cell: std::fmt::Debug>>(
    grid: &G,
    a: G::Cell,
    b: G::Cell,
    blocks: impl Fn(G::Cell) -> bool,
) -> Result<(), TestCaseError> {
    // The ruler and sight along it are the same from both ends.
    let mut back = grid.ruler(b, a);
    back.reverse();
    prop_assert_eq!(grid.ruler(a, b), back);
    let mut back = line_of_sight(grid, b, a, &blocks);
    back.reverse();
    prop_assert_eq!(line_of_sight(grid, a, b, &blocks), back);
    prop_assert!(grid.ruler(a, b).iter().flat_map(|met| met.cells()).all(|cell| cell != a && cell != b));

    // So are the straightest paths, which are as long as the distance and step from neighbour to neighbour.
    let paths: Vec<Vec<G::Cell>> = straightest_paths(grid, a, b).collect();
    prop_assert!(paths.is_sorted());
    let mut back: Vec<Vec<G::Cell>> = straightest_paths(grid, b, a).collect();
    back.iter_mut().for_each(|path| path.reverse());
    back.sort();
    prop_assert_eq!(&paths, &back);
    for path in &paths {
        prop_assert_eq!(path.len() as u32, grid.distance(a, b) + 1);
        prop_assert!(path.windows(2).all(|step| grid.edge_between(step[0], step[1]).is_some()));
    }

    // The first of them that nothing blocks is the clear one.
    let between =
        |path: &Vec<G::Cell>| path.iter().filter(|&&cell| cell != a && cell != b).copied().collect::<Vec<_>>();
    let clear = paths.iter().find(|path| !between(path).into_iter().any(&blocks));
    match clear_path(grid, a, b, &blocks) {
        Ok(path) => prop_assert_eq!(Some(&path), clear),
        Err(cut) => {
            prop_assert_eq!(clear, None);
            prop_assert!(cut.iter().all(|&cell| blocks(cell)));
            prop_assert!(paths.iter().all(|path| between(path).iter().any(|cell| cut.contains(cell))));
        }
    }

    // A row is one straightest path, left by the same edge at every step, and a ray finds it.
    if let Some(row) = grid.in_line(a, b) {
        let path = [vec![a], row.clone(), vec![b]].concat();
        let edges: Vec<G::Edge> = path.windows(2).filter_map(|step| grid.edge_between(step[0], step[1])).collect();
        prop_assert_eq!(edges.len() + 1, path.len());
        prop_assert!(edges.iter().all(|&edge| edge == edges[0]));
        prop_assert_eq!(paths, vec![path.clone()]);
        prop_assert!(ray(grid, a, edges[0]).take(edges.len()).eq(path[1..].iter().copied()));
        let through: Vec<Crossing<G::Cell>> = row.into_iter().map(Crossing::Through).collect();
        prop_assert_eq!(grid.ruler(a, b), through);
    } else if a != b {
        // No ray from `a` comes to `b`.
        for (edge, _) in grid.neighbours(a) {
            prop_assert!(ray(grid, a, edge).all(|cell| cell != b));
        }
    }
    Ok(())
}

fn wooded(number: u16, seed: u32) -> bool {
    (u32::from(number) ^ seed).wrapping_mul(2_654_435_761) >> 30 == 0
}

proptest! {
    #[test]
    fn a_ruler_meets_what_its_geometry_says(map in any_frame(true), picks in any::<[Index; 2]>()) {
        let [a, b] = picks.map(|pick| map.cell(pick.index(map.len())).unwrap());
        prop_assume!(a != b);
        prop_assert_eq!(map.ruler(a, b), by_corners(&map, a, b));
    }

    #[test]
    fn lines_between_hexes_hold_together(map in any_frame(true), picks in any::<[Index; 2]>(), seed in any::<u32>()) {
        let [a, b] = picks.map(|pick| map.cell(pick.index(map.len())).unwrap());
        checks_out(&map, a, b, |hex| wooded(hex.number(), seed))?;
    }

    #[test]
    fn lines_between_boxes_hold_together(board in any_boxes(), picks in any::<[Index; 2]>(), seed in any::<u32>()) {
        let [a, b] = picks.map(|pick| board.cell(pick.index(board.len())).unwrap());
        checks_out(&board, a, b, |square| wooded(square.number(), seed))?;
    }

    #[test]
    fn a_straightest_path_keeps_to_the_nearest_hexes(map in any_frame(true), picks in any::<[Index; 2]>()) {
        let [a, b] = picks.map(|pick| map.cell(pick.index(map.len())).unwrap());
        prop_assert_eq!(straightest_paths(&map, a, b).collect::<BTreeSet<_>>(), by_nearest(&map, a, b));
    }

    #[test]
    fn boxes_take_their_diagonals_in_any_order(board in any_boxes(), picks in any::<[Index; 2]>()) {
        let [a, b] = picks.map(|pick| board.cell(pick.index(board.len())).unwrap());
        prop_assert_eq!(straightest_paths(&board, a, b).collect::<BTreeSet<_>>(), by_order_of_steps(&board, a, b));
    }

    #[test]
    fn a_ruler_over_boxes_meets_what_its_geometry_says(board in any_boxes(), picks in any::<[Index; 2]>()) {
        let [a, b] = picks.map(|pick| board.cell(pick.index(board.len())).unwrap());
        prop_assume!(a != b);
        let centre = |square| {
            let (east, south) = board.centre(square);
            (2 * i64::from(east), 2 * i64::from(south))
        };
        let line = minus(centre(b), centre(a));
        let mut met: Vec<(i64, Crossing<Square>)> = board
            .cells()
            .filter(|&square| square != a && square != b)
            .map(|square| (minus(centre(square), centre(a)), square))
            .filter(|&(at, _)| (1..BOX.dot(line, line)).contains(&BOX.dot(line, at)) && BOX.is_cut(line, at))
            .map(|(at, square)| (BOX.dot(line, at), Crossing::Through(square)))
            .collect();
        met.sort_unstable();
        prop_assert_eq!(board.ruler(a, b), met.into_iter().map(|(_, crossing)| crossing).collect::<Vec<_>>());
    }
}

#[test]
fn the_spanish_line_is_one_straight_file() {
    let map = santiago_1898();
    assert_eq!(map.in_line(hex(1512), hex(1110)), Some(hexes(&[1411, 1311, 1210])));
    let file: Vec<Hex> = ray(&map, hex(1512), Bearing::SW).take(4).collect();
    assert_eq!(file, hexes(&[1411, 1311, 1210, 1110]));
    assert_eq!(map.in_line(hex(1512), hex(1111)), None);
    assert_eq!(map.in_line(hex(1512), hex(1512)), None);
    assert_eq!(map.in_line(hex(1512), hex(1411)), Some(vec![]), "neighbours have nothing between them");
}

#[test]
fn the_gun_in_4913_has_one_straight_way_to_5311() {
    let map = santiago_campaign();
    assert_eq!(map.in_line(hex(4913), hex(5311)), Some(hexes(&[5013, 5112, 5212])));
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

#[test]
fn a_ruler_two_rows_up_runs_along_a_hexside() {
    let map = santiago_1898();
    let along = |a, b| Crossing::Along(hex(a), Some(hex(b)));
    assert_eq!(map.ruler(hex(1308), hex(1508)), [along(1407, 1408)]);
    let far = [along(1407, 1408), Crossing::Through(hex(1508)), along(1607, 1608)];
    assert_eq!(map.ruler(hex(1308), hex(1708)), far);
    assert_eq!(map.ruler(hex(1301), hex(1501)), [Crossing::Along(hex(1401), None)], "at the edge of the map");
    let flat = santiago_campaign();
    assert_eq!(flat.ruler(hex(2010), hex(2210)), [along(2109, 2110)]);
    assert!(map.ruler(hex(1308), hex(1309)).is_empty() && map.ruler(hex(1308), hex(1308)).is_empty());
}

#[test]
fn a_hexside_hides_nothing_unless_both_hexes_do() {
    let map = santiago_1898();
    let sight = |jungle: &[u16]| line_of_sight(&map, hex(1308), hex(1708), |hex| jungle.contains(&hex.number()));
    assert!(sight(&[1407, 1608]).is_empty());
    assert_eq!(sight(&[1407, 1408]), [Crossing::Along(hex(1407), Some(hex(1408)))]);
    assert_eq!(sight(&[1508, 1607, 1608]).len(), 2);
    assert!(sight(&[1308, 1708]).is_empty(), "the ends do not hide themselves");
}

#[test]
fn a_corner_that_is_only_touched_is_not_met() {
    // From 1308 a line four hexes one way and one the other passes exactly through corners.
    let map = santiago_1898();
    let far = map.hex(map.cube(hex(1308)).plus(Cube { q: 4, r: 1 })).unwrap();
    let met = map.ruler(hex(1308), far);
    assert!(met.iter().all(|met| matches!(met, Crossing::Through(_))));
    let touched = shape(&map);
    let line = minus(centre(&map, far), centre(&map, hex(1308)));
    let corner_only = map.cells().filter(|&cell| {
        let at = minus(centre(&map, cell), centre(&map, hex(1308)));
        map.distance(hex(1308), cell) <= 4 && !touched.is_cut(line, at) && touched.corners_on(line, at).len() == 1
    });
    let corner_only: Vec<Hex> = corner_only.collect();
    assert!(!corner_only.is_empty());
    assert!(corner_only.iter().all(|&cell| !met.contains(&Crossing::Through(cell))));
}

#[test]
fn sight_along_a_lane_a_diagonal_and_between() {
    let board = heights();
    let through = |numbers: &[u16]| numbers.iter().map(|&number| Crossing::Through(square(number))).collect::<Vec<_>>();
    assert_eq!(board.in_line(square(702), square(706)), Some(vec![square(703), square(704), square(705)]));
    assert_eq!(board.in_line(square(702), square(504)), Some(vec![square(603)]));
    assert_eq!(board.in_line(square(702), square(505)), None);
    assert_eq!(board.ruler(square(101), square(303)), through(&[202]), "corners are only touched");
    assert_eq!(board.ruler(square(101), square(302)), through(&[201, 202]));
}

#[test]
fn a_firer_sees_past_one_blocked_chain_by_another() {
    let board = heights();
    // Two lanes over and four ranks on: two diagonals and two straight steps in any order.
    let see = |blocked: &[u16]| clear_path(&board, square(702), square(506), |s| blocked.contains(&s.number()));
    assert_eq!(straightest_paths(&board, square(702), square(506)).count(), 6);
    assert_eq!(see(&[]), Ok([702, 603, 504, 505, 506].map(square).to_vec()));
    assert_eq!(see(&[603]), Ok([702, 703, 604, 505, 506].map(square).to_vec()));
    assert_eq!(see(&[603, 703]), Err([603, 703].map(square).into()));
    assert_eq!(see(&[504, 604, 704]), Err([504, 604, 704].map(square).into()));
    assert!(see(&[702, 506]).is_ok(), "the ends do not hide themselves");
}
