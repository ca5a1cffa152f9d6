//! The straightest ways between the centres of hexes.

use super::{Grid, Hex, HexGrid};
use crate::board::hex::Cube;

/// Every straightest path between two cells, both included, lowest numbers first.
///
/// A straightest path goes from cell to cell in as few steps as the distance, keeping to the straight line between the
/// centres as closely as it can. There are at most as many as ties on the way double.
pub fn straightest_paths(grid: &HexGrid, a: Hex, b: Hex) -> impl Iterator<Item = Vec<Hex>> {
    let ends = grid.contains(a) && grid.contains(b);
    // Paths still to be continued; the lowest is on top.
    let mut open = if ends { vec![vec![a]] } else { Vec::new() };
    std::iter::from_fn(move || {
        while let Some(path) = open.pop() {
            let here = *path.last()?;
            if here == b {
                return Some(path);
            }
            for next in onward(grid, a, b, here).into_iter().rev() {
                let mut longer = path.clone();
                longer.push(next);
                open.push(longer);
            }
        }
        None
    })
}

/// The hexes by which a straightest path from `a` to `b` may go on from `here`, lowest number first: the hex after `k` of
/// `n` steps is the one nearest to the point `k/n` along the line, or either of two that are equally near.
fn onward(grid: &HexGrid, a: Hex, b: Hex, here: Hex) -> Vec<Hex> {
    let from = grid.cube(a);
    let change = grid.cube(b).minus(from);
    let steps = change.length() as i32;
    let step = grid.distance(a, here) as i32 + 1;
    // The point that many steps along, and every hex, made `steps` times as large.
    let mut next: Vec<Hex> = (grid.neighbours(here).map(|(_, hex)| hex))
        .filter(|&hex| {
            let at = grid.cube(hex).minus(from);
            let off = Cube { q: at.q * steps - change.q * step, r: at.r * steps - change.r * step };
            strips(off).iter().all(|strip| strip.abs() <= i64::from(steps))
        })
        .collect();
    next.sort_unstable();
    next
}

/// The three differences of the cube coordinates: within a hex none of them exceeds 1 either way, and its sides are
/// where one is exactly 1.
fn strips(cube: Cube) -> [i64; 3] {
    let (q, r, s) = (i64::from(cube.q), i64::from(cube.r), i64::from(cube.s()));
    [q - r, r - s, s - q]
}

/// A stretch of the straight line between the centres of two hexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stretch {
    /// It crosses this hex.
    Through(Hex),
    /// It runs exactly along the side between these two; the second may lie off the map.
    Along(Hex, Option<Hex>),
}

/// Everything the straight line between the centres of two hexes crosses, the two themselves left out, from `a` to `b`.
///
/// A hex that the line clips at a corner is crossed; one that it touches in a point only is not.
pub fn crossed(grid: &HexGrid, a: Hex, b: Hex) -> Vec<Stretch> {
    let from = grid.cube(a);
    let change = grid.cube(b).minus(from);
    // Stretches of the line, each with where it begins as a fraction of the way.
    let mut found: Vec<((i64, i64), bool, Cube)> = Vec::new();
    let mut open = vec![Cube { q: 0, r: 0 }];
    // A line crosses few hexes: to look through them all is quicker than to keep them in order.
    let mut seen = vec![(0, 0)];
    while let Some(here) = open.pop() {
        let Some((begin, along)) = stretch(change, here) else { continue };
        found.push((begin, along, here));
        for (_, way) in grid.ways() {
            let there = here.plus(*way);
            if !seen.contains(&(there.q, there.r)) {
                seen.push((there.q, there.r));
                open.push(there);
            }
        }
    }
    found.sort_by(|(one, _, x), (other, _, y)| {
        (one.0 * other.1).cmp(&(other.0 * one.1)).then_with(|| (x.q, x.r).cmp(&(y.q, y.r)))
    });
    let mut stretches = Vec::new();
    let mut beside: Option<((i64, i64), Option<Hex>)> = None;
    for (begin, along, cube) in found {
        let hex = grid.hex(from.plus(cube));
        match (along, beside.take()) {
            (false, _) => stretches.extend(hex.filter(|hex| *hex != a && *hex != b).map(Stretch::Through)),
            (true, Some((other, first))) if other.0 * begin.1 == begin.0 * other.1 => match (first, hex) {
                (Some(one), other) | (other, Some(one)) => stretches.push(Stretch::Along(one, other)),
                (None, None) => {}
            },
            (true, _) => beside = Some((begin, hex)),
        }
    }
    stretches
}

/// Where the line from the origin to `change` enters a hex, if it crosses the hex or runs along one of its sides, and
/// whether it does the latter.
fn stretch(change: Cube, hex: Cube) -> Option<((i64, i64), bool)> {
    let (slopes, places) = (strips(change), strips(hex));
    let (mut begin, mut end) = ((0, 1), (1, 1));
    let mut along = false;
    for (slope, place) in slopes.into_iter().zip(places) {
        if slope == 0 {
            if place.abs() > 1 {
                return None;
            }
            along |= place.abs() == 1;
            continue;
        }
        // |t * slope - place| <= 1, with the denominator made positive.
        let (sign, size) = (slope.signum(), slope.abs());
        let (low, high) = ((place * sign - 1, size), (place * sign + 1, size));
        if low.0 * begin.1 > begin.0 * low.1 {
            begin = low;
        }
        if high.0 * end.1 < end.0 * high.1 {
            end = high;
        }
    }
    (begin.0 * end.1 < end.0 * begin.1).then_some((begin, along))
}

#[cfg(test)]
#[path = "line_tests.rs"]
mod tests;
