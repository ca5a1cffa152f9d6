//! Traced lines: supply, communications, and how far it is over land.

use std::collections::VecDeque;

use super::{Grid, Layer};

/// The distances from a set of cells over passable steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    steps: Layer<Option<u32>>,
}

impl Field {
    /// Distances that were counted elsewhere, one per cell.
    pub fn of(steps: Layer<Option<u32>>) -> Field {
        Field { steps }
    }

    /// How many steps the cell is from the nearest source; `None` if none can be reached.
    pub fn get<G: Grid>(&self, grid: &G, cell: G::Cell) -> Option<u32> {
        self.steps.get(grid, cell).copied().flatten()
    }

    /// Every cell that can be reached with its distance, in the order of their numbers.
    pub fn iter<G: Grid>(&self, grid: &G) -> impl Iterator<Item = (G::Cell, u32)> {
        self.steps.iter(grid).filter_map(|(cell, &steps)| Some((cell, steps?)))
    }
}

/// Counts the steps from the nearest of several cells to every other one, going only where `passable` lets a step
/// away from the sources pass.
pub fn distance_field<G: Grid>(
    grid: &G,
    sources: impl IntoIterator<Item = G::Cell>,
    mut passable: impl FnMut(G::Cell, G::Edge, G::Cell) -> bool,
) -> Field {
    let mut steps: Layer<Option<u32>> = Layer::filled(grid, None);
    let mut queue = VecDeque::new();
    for source in sources {
        if let Some(place @ None) = steps.get_mut(grid, source) {
            *place = Some(0);
            queue.push_back((source, 0));
        }
    }
    while let Some((cell, count)) = queue.pop_front() {
        for (edge, next) in grid.neighbours(cell) {
            let fresh = steps.get(grid, next).is_some_and(Option::is_none);
            if fresh && passable(cell, edge, next) {
                if let Some(place) = steps.get_mut(grid, next) {
                    *place = Some(count + 1);
                }
                queue.push_back((next, count + 1));
            }
        }
    }
    Field { steps }
}

/// What a traced line may pass.
pub struct Leg<Enter, Cross> {
    /// May the line enter this cell? Asked of every cell after the first, the last one included.
    pub enter: Enter,
    /// May it cross from one cell into the next?
    pub cross: Cross,
    /// The most steps it may take; any number if `None`.
    pub longest: Option<u32>,
}

/// The shortest line from a cell to one that `arrives` accepts, both ends included; of equally short ones that with the
/// lowest numbers, compared from the start. A cell that is itself accepted is a line of its own.
pub fn trace<G: Grid>(
    grid: &G,
    from: G::Cell,
    mut arrives: impl FnMut(G::Cell) -> bool,
    leg: &mut Leg<impl FnMut(G::Cell) -> bool, impl FnMut(G::Cell, G::Edge, G::Cell) -> bool>,
) -> Option<Vec<G::Cell>> {
    // For every cell met so far the cell before it.
    let mut before: Layer<Option<G::Cell>> = Layer::filled(grid, None);
    *before.get_mut(grid, from)? = Some(from);
    let mut queue = VecDeque::from([(from, 0)]);
    let mut around = Vec::with_capacity(G::WAYS);
    // Lines leave the queue shortest first, and lowest numbers first among equals, because each puts its own
    // continuations there in that order.
    while let Some((cell, steps)) = queue.pop_front() {
        if arrives(cell) {
            return Some(back(grid, &before, cell));
        }
        if leg.longest.is_some_and(|longest| steps >= longest) {
            continue;
        }
        around.clear();
        around.extend(grid.neighbours(cell));
        around.sort_unstable_by_key(|&(_, next)| next);
        for &(edge, next) in &around {
            let Some(place @ None) = before.get_mut(grid, next) else { continue };
            if (leg.enter)(next) && (leg.cross)(cell, edge, next) {
                *place = Some(cell);
                queue.push_back((next, steps + 1));
            }
        }
    }
    None
}

/// A line in two legs. The cell in which they meet ends the first and begins the second.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TwoLegs<C> {
    /// The leg across country, from the starting cell.
    pub across: Vec<C>,
    /// The leg along the network, to its end.
    pub along: Vec<C>,
}

/// A line in two legs, as supply runs: first across country to any cell of a network, then along the network to a
/// cell that `arrives` accepts. `joins` says where the first leg may end and the second begin, the starting cell
/// included. Of all such lines the one with the shortest first leg, then the shortest second leg, then the lowest numbers
/// is returned.
pub fn trace_two_legs<G: Grid>(
    grid: &G,
    from: G::Cell,
    first: &mut Leg<impl FnMut(G::Cell) -> bool, impl FnMut(G::Cell, G::Edge, G::Cell) -> bool>,
    mut joins: impl FnMut(G::Cell) -> bool,
    second: &mut Leg<impl FnMut(G::Cell) -> bool, impl FnMut(G::Cell, G::Edge, G::Cell) -> bool>,
    mut arrives: impl FnMut(G::Cell) -> bool,
) -> Option<TwoLegs<G::Cell>> {
    let across = distance_field(grid, [from], |a, edge, b| (first.enter)(b) && (first.cross)(a, edge, b));
    // Backwards from the ends: a step away from them is a step of the line in reverse.
    let ends: Vec<G::Cell> = grid.cells().filter(|&cell| arrives(cell)).collect();
    let along = distance_field(grid, ends, |b, _, a| {
        grid.edge_between(a, b).is_some_and(|edge| (second.enter)(b) && (second.cross)(a, edge, b))
    });
    let within = |steps: u32, longest: Option<u32>| longest.is_none_or(|longest| steps <= longest);
    let heads: Vec<((u32, u32), G::Cell)> = (across.iter(grid))
        .filter_map(|(cell, steps)| Some(((steps, along.get(grid, cell)?), cell)))
        .filter(|&((before, after), _)| within(before, first.longest) && within(after, second.longest))
        .filter(|&(_, cell)| joins(cell))
        .collect();
    let &(shortest, _) = heads.iter().min()?;
    let lines = heads.iter().filter(|&&(lengths, _)| lengths == shortest).filter_map(|&(_, head)| {
        let across = trace(grid, from, |cell| cell == head, first)?;
        Some(TwoLegs { across, along: trace(grid, head, &mut arrives, second)? })
    });
    lines.min()
}

fn back<G: Grid>(grid: &G, before: &Layer<Option<G::Cell>>, end: G::Cell) -> Vec<G::Cell> {
    let mut line = vec![end];
    let mut cell = end;
    while let Some(&Some(previous)) = before.get(grid, cell) {
        if previous == cell {
            break;
        }
        line.push(previous);
        cell = previous;
    }
    line.reverse();
    line
}

#[cfg(test)]
#[path = "trace_tests.rs"]
mod tests;
