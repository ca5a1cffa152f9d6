//! How far it is over land.

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

    /// The way from a cell to the nearest source, both included: always to a neighbour nearer to it that is joined to
    /// where one is, the lowest number first. The cell it begins in need not be one that can be reached.
    pub fn way<G: Grid>(&self, grid: &G, from: G::Cell, joined: impl Fn(G::Cell, G::Cell) -> bool) -> Vec<G::Cell> {
        let nearer = |(at, left): &(G::Cell, Option<u32>)| {
            let around = grid.neighbours(*at).map(|(_, next)| next).filter(|next| joined(*at, *next));
            let steps = around.filter_map(|next| Some((self.get(grid, next)?, next)));
            let next = steps.filter(|(steps, _)| left.is_none_or(|left| *steps < left)).min();
            next.map(|(steps, next)| (next, Some(steps)))
        };
        std::iter::successors(Some((from, self.get(grid, from))), nearer).map(|(cell, _)| cell).collect()
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

#[cfg(test)]
#[path = "field_tests.rs"]
mod tests;
