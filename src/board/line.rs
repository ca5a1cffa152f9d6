//! Straight lines between the centres of cells, and what lies in their way.
//!
//! Three notions of a line are in use on maps, and all are here. A [*row*](Lines::in_line) is a file of cells that
//! leave each other by the same edge. A [*ruler*](Lines::ruler) laid from centre to centre crosses every cell it cuts,
//! and may run exactly along the side between two. A [*straightest path*](straightest_paths) goes from cell to cell in as
//! few steps as the distance, keeping to the ruler as closely as it can; there may be several.

use std::collections::BTreeSet;

use super::{Bearing, Cube, Grid, Hex, HexGrid, Square, SquareGrid};

/// What a ruler meets on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Crossing<C> {
    /// It cuts through this cell.
    Through(C),
    /// It runs exactly along the side between two cells, the lower number first. At the edge of the map there is only
    /// one.
    Along(C, Option<C>),
}

impl<C: Copy> Crossing<C> {
    /// Is the way blocked, given which cells block? Along a side both must.
    pub fn is_blocked(self, mut blocks: impl FnMut(C) -> bool) -> bool {
        match self {
            Crossing::Through(cell) => blocks(cell),
            Crossing::Along(cell, Some(other)) => blocks(cell) && blocks(other),
            Crossing::Along(_, None) => false,
        }
    }

    /// The cell or the two cells.
    pub fn cells(self) -> impl Iterator<Item = C> {
        let (cell, other) = match self {
            Crossing::Through(cell) => (cell, None),
            Crossing::Along(cell, other) => (cell, other),
        };
        std::iter::once(cell).chain(other)
    }
}

/// A grid on which straight lines can be drawn.
pub trait Lines: Grid {
    /// The cells strictly between two that lie on one straight row, in order from `a`; `None` if they do not, or if a
    /// cell between is missing from the board.
    fn in_line(&self, a: Self::Cell, b: Self::Cell) -> Option<Vec<Self::Cell>>;

    /// Everything a ruler laid from centre to centre meets strictly between the two cells, in order from `a`. A cell of
    /// which it touches no more than a corner is not met. Cells missing from the board are left out.
    fn ruler(&self, a: Self::Cell, b: Self::Cell) -> Vec<Crossing<Self::Cell>>;

    /// The cells by which a straightest path from `a` to `b` may go on from `here`, lowest number first.
    ///
    /// On hexes the cell after `k` of `n` steps is the one nearest to the point `k/n` along the ruler, or either of
    /// two that are equally near. On boxes every step goes along the longer offset and as many as the shorter offset
    /// has are diagonal, in any order.
    fn onward(&self, a: Self::Cell, b: Self::Cell, here: Self::Cell) -> Vec<Self::Cell>;
}

/// The cells from here in one direction, the nearest first, to the end of the board.
pub fn ray<G: Grid>(grid: &G, from: G::Cell, edge: G::Edge) -> impl Iterator<Item = G::Cell> {
    std::iter::successors(grid.neighbour(from, edge), move |&cell| grid.neighbour(cell, edge))
}

/// Lays a ruler between two cells and names everything on it that blocks; nothing means a clear line of sight.
///
/// `blocks` is asked of cells strictly between the two. Where the ruler runs along a side, both cells must block; the
/// edge of the map never does.
pub fn line_of_sight<G: Lines>(
    grid: &G,
    a: G::Cell,
    b: G::Cell,
    mut blocks: impl FnMut(G::Cell) -> bool,
) -> Vec<Crossing<G::Cell>> {
    let mut met = grid.ruler(a, b);
    met.retain(|crossing| crossing.is_blocked(&mut blocks));
    met
}

/// Every straightest path between two cells, both included, lowest numbers first.
///
/// On hexes there are at most as many as ties on the way double; on boxes their number grows fast with the distance, so
/// take what is needed or use [`clear_path`].
pub fn straightest_paths<G: Lines>(grid: &G, a: G::Cell, b: G::Cell) -> impl Iterator<Item = Vec<G::Cell>> {
    let ends = grid.contains(a) && grid.contains(b);
    // Paths still to be continued; the lowest is on top.
    let mut open = if ends { vec![vec![a]] } else { Vec::new() };
    std::iter::from_fn(move || {
        while let Some(path) = open.pop() {
            let here = *path.last()?;
            if here == b {
                return Some(path);
            }
            for next in grid.onward(a, b, here).into_iter().rev() {
                let mut longer = path.clone();
                longer.push(next);
                open.push(longer);
            }
        }
        None
    })
}

/// The straightest path with the lowest numbers on which no cell strictly between the two blocks; if there is none, the
/// cells that cut all of them, in the order of their numbers (no cell at all where the board itself has a hole).
pub fn clear_path<G: Lines>(
    grid: &G,
    a: G::Cell,
    b: G::Cell,
    mut blocks: impl FnMut(G::Cell) -> bool,
) -> Result<Vec<G::Cell>, BTreeSet<G::Cell>> {
    let mut blockers = BTreeSet::new();
    if !grid.contains(a) || !grid.contains(b) {
        return Err(blockers);
    }
    // Cells from which no clear path leads on are not tried twice.
    let mut tried = BTreeSet::new();
    let mut path = vec![a];
    while let Some(&here) = path.last() {
        if here == b {
            return Ok(path);
        }
        let next = grid.onward(a, b, here).into_iter().find(|&next| {
            if tried.contains(&next) {
                return false;
            }
            if next != b && blocks(next) {
                blockers.insert(next);
                tried.insert(next);
                return false;
            }
            true
        });
        match next {
            Some(next) => {
                tried.insert(next);
                path.push(next);
            }
            None => {
                path.pop();
            }
        }
    }
    Err(blockers)
}

/// The part of a line within a strip: `t` from `low` to `high`, as fractions with positive denominators.
#[derive(Clone, Copy)]
struct Stretch {
    low: (i64, i64),
    high: (i64, i64),
}

impl Stretch {
    const WHOLE: Stretch = Stretch { low: (0, 1), high: (1, 1) };

    /// Keeps the part on which `start + t * change` lies strictly between `-half` and `half`, or is that everywhere.
    fn within(self, start: i64, change: i64, half: i64) -> Option<Stretch> {
        if change == 0 {
            return (start.abs() < half).then_some(self);
        }
        let sign = change.signum();
        let enters = ((-half * sign - start) * sign, change.abs());
        let leaves = ((half * sign - start) * sign, change.abs());
        let low = if less(self.low, enters) { enters } else { self.low };
        let high = if less(leaves, self.high) { leaves } else { self.high };
        less(low, high).then_some(Stretch { low, high })
    }
}

fn less(a: (i64, i64), b: (i64, i64)) -> bool {
    a.0 * b.1 < b.0 * a.1
}

/// The three differences of the cube coordinates: within a hex none of them exceeds 1 either way, and its sides are
/// where one is exactly 1.
fn strips(cube: Cube) -> [i64; 3] {
    let (q, r, s) = (i64::from(cube.q), i64::from(cube.r), i64::from(cube.s()));
    [q - r, r - s, s - q]
}

/// The part of the line from the origin along `change` that cuts the hex at `at`.
fn cuts(at: Cube, change: Cube) -> Option<Stretch> {
    let (start, change) = (strips(at), strips(change));
    (0..3).try_fold(Stretch::WHOLE, |span, axis| span.within(-start[axis], change[axis], 1))
}

/// The part of that line that runs exactly along the side between the hexes at `at` and `other`.
fn runs_along(at: Cube, other: Cube, change: Cube) -> Option<Stretch> {
    let (start, end, change) = (strips(at), strips(other), strips(change));
    // Neighbours differ by 2 in one strip, the one whose border is their common side, and by 1 in the others.
    (0..3).try_fold(Stretch::WHOLE, |span, axis| {
        if (end[axis] - start[axis]).abs() == 2 {
            // Parallel to the side; within the other two strips of both hexes there is nothing but the side itself.
            (change[axis] == 0).then_some(span)
        } else {
            span.within(-start[axis], change[axis], 1)?.within(-end[axis], change[axis], 1)
        }
    })
}

/// The hexes around the line from the origin along `change`: all it can meet.
fn near(change: Cube) -> Vec<Cube> {
    let steps = i64::from(change.length()).max(1);
    let mut near = Vec::with_capacity(16 * (steps as usize + 1));
    for step in 0..=steps {
        let along = |part: i32| (i64::from(part) * step).div_euclid(steps) as i32;
        let corner = Cube { q: along(change.q), r: along(change.r) };
        near.extend((-1..=2).flat_map(|q| (-1..=2).map(move |r| corner.plus(Cube { q, r }))));
    }
    near.sort_unstable();
    near.dedup();
    near
}

impl Lines for HexGrid {
    fn in_line(&self, a: Hex, b: Hex) -> Option<Vec<Hex>> {
        let (from, to) = (self.cube(a), self.cube(b));
        let change = to.minus(from);
        if a == b || !self.contains(a) || !self.contains(b) || (change.q != 0 && change.r != 0 && change.s() != 0) {
            return None;
        }
        let step = Cube { q: change.q.signum(), r: change.r.signum() };
        let hexes = std::iter::successors(Some(from.plus(step)), |&cube| Some(cube.plus(step)));
        hexes.take(change.length() as usize - 1).map(|cube| self.hex(cube)).collect()
    }

    fn ruler(&self, a: Hex, b: Hex) -> Vec<Crossing<Hex>> {
        let from = self.cube(a);
        let change = self.cube(b).minus(from);
        // Only a line that keeps to the middle between two files of hexes runs along sides at all.
        let sideways = strips(change).contains(&0);
        let mut met: Vec<(Stretch, Crossing<Hex>)> = Vec::new();
        for at in near(change) {
            let between = at != (Cube { q: 0, r: 0 }) && at != change;
            if let Some(span) = cuts(at, change).filter(|_| between) {
                met.extend(self.hex(from.plus(at)).map(|hex| (span, Crossing::Through(hex))));
            }
            if !sideways {
                continue;
            }
            // Three of the six ways, so that every side is looked at from one end only.
            for (_, way) in self.ways().into_iter().take(3) {
                let other = at.plus(way);
                let Some(span) = runs_along(at, other, change) else { continue };
                let crossing = match (self.hex(from.plus(at)), self.hex(from.plus(other))) {
                    (Some(hex), Some(other)) => Crossing::Along(hex.min(other), Some(hex.max(other))),
                    (Some(hex), None) | (None, Some(hex)) => Crossing::Along(hex, None),
                    (None, None) => continue,
                };
                met.push((span, crossing));
            }
        }
        in_order(met)
    }

    fn onward(&self, a: Hex, b: Hex, here: Hex) -> Vec<Hex> {
        let from = self.cube(a);
        let change = self.cube(b).minus(from);
        let steps = change.length() as i32;
        let step = self.distance(a, here) as i32 + 1;
        // The point that many steps along, and every hex, made `steps` times as large.
        let mut next: Vec<Hex> = (self.neighbours(here).map(|(_, hex)| hex))
            .filter(|&hex| {
                let at = self.cube(hex).minus(from);
                let off = Cube { q: at.q * steps - change.q * step, r: at.r * steps - change.r * step };
                strips(off).iter().all(|strip| strip.abs() <= i64::from(steps))
            })
            .collect();
        next.sort_unstable();
        next
    }
}

/// What was met, in order along the line.
fn in_order<C: Copy + Ord>(mut met: Vec<(Stretch, Crossing<C>)>) -> Vec<Crossing<C>> {
    met.sort_by(|(a, _), (b, _)| (a.low.0 * b.low.1).cmp(&(b.low.0 * a.low.1)));
    met.into_iter().map(|(_, crossing)| crossing).collect()
}

impl Lines for SquareGrid {
    fn in_line(&self, a: Square, b: Square) -> Option<Vec<Square>> {
        let bearing = self.bearing_to(a, b).filter(|_| self.contains(a) && self.contains(b))?;
        Some(ray(self, a, bearing).take_while(|&square| square != b).collect())
    }

    fn ruler(&self, a: Square, b: Square) -> Vec<Crossing<Square>> {
        let (from, to) = (self.centre(a), self.centre(b));
        let change = (i64::from(to.0 - from.0), i64::from(to.1 - from.1));
        let mut met = Vec::new();
        for east in from.0.min(to.0)..=from.0.max(to.0) {
            for south in from.1.min(to.1)..=from.1.max(to.1) {
                let Some(square) = self.square(east, south).filter(|&square| square != a && square != b) else {
                    continue;
                };
                // Twice as large, so that the borders of a box lie at 1 from its centre.
                let start = (2 * i64::from(from.0 - east), 2 * i64::from(from.1 - south));
                let span = Stretch::WHOLE
                    .within(start.0, 2 * change.0, 1)
                    .and_then(|span| span.within(start.1, 2 * change.1, 1));
                if let Some(span) = span {
                    met.push((span, Crossing::Through(square)));
                }
            }
        }
        in_order(met)
    }

    fn onward(&self, a: Square, b: Square, here: Square) -> Vec<Square> {
        let (start, from, to) = (self.centre(a), self.centre(here), self.centre(b));
        let (east, south) = (to.0 - from.0, to.1 - from.1);
        let (whole_east, whole_south) = ((to.0 - start.0).abs(), (to.1 - start.1).abs());
        let mut steps = vec![(east.signum(), south.signum())];
        // While the longer offset exceeds the shorter one, a straight step along it is as good as a diagonal one.
        if whole_east >= whole_south && east.abs() > south.abs() {
            steps.push((east.signum(), 0));
        } else if whole_south > whole_east && south.abs() > east.abs() {
            steps.push((0, south.signum()));
        }
        let mut next: Vec<Square> = (steps.into_iter())
            .filter_map(|(east, south)| Bearing::ALL.into_iter().find(|way| way.east_south() == (east, south)))
            .filter_map(|bearing| self.neighbour(here, bearing))
            .collect();
        next.sort_unstable();
        next.dedup();
        next
    }
}

#[cfg(test)]
#[path = "line_tests.rs"]
mod tests;
