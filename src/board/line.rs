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

#[cfg(test)]
#[path = "line_tests.rs"]
mod tests;
