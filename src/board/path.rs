//! Marches: what can be reached, by which way, what a given way costs, and walking it, all by one step rule.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::convert::Infallible;
use std::fmt;
use std::ops::ControlFlow;

use super::{Grid, Points};

/// What a single step costs, or why it cannot be taken. `B` is the caller's reason, usually a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<B, const PARTS: u32 = 4> {
    /// Pay and go on.
    Pay(Points<PARTS>),
    /// Pay and move no further.
    PayAndHalt(Points<PARTS>),
    /// Not allowed.
    Barred(B),
}

/// Everything a unit can reach with its purse, the starting cell included, each by its cheapest way.
///
/// Of several ways with the same cost the one with the fewest steps counts, and of those the one whose cells have the
/// lowest numbers, compared from the start.
#[derive(Clone)]
pub struct Reach<G: Grid, const PARTS: u32 = 4> {
    /// Every way that was found, as a tree; the start is its root.
    nodes: Vec<Node<G::Cell, PARTS>>,
    /// The cells in order of their numbers, each with the node that ends the best way there.
    best: Vec<(G::Cell, u32)>,
}

#[derive(Clone, Copy)]
struct Node<C, const PARTS: u32> {
    cell: C,
    cost: Points<PARTS>,
    steps: u32,
    halted: bool,
    /// The node before; the root is its own.
    before: u32,
}

impl<C, const PARTS: u32> Node<C, PARTS> {
    /// Its place in the queue: by cost, then by steps; its own number tells equals apart.
    fn key(&self, number: u32) -> u128 {
        u128::from(self.cost.parts()) << 64 | u128::from(self.steps) << 32 | u128::from(number)
    }
}

impl<G: Grid, const PARTS: u32> Reach<G, PARTS> {
    /// The cells that can be reached, in order of their numbers; the starting cell is one of them.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = G::Cell> {
        self.best.iter().map(|&(cell, _)| cell)
    }

    /// The cells with their costs, in order of their numbers.
    pub fn costs(&self) -> impl ExactSizeIterator<Item = (G::Cell, Points<PARTS>)> {
        self.best.iter().map(|&(cell, node)| (cell, self.nodes[node as usize].cost))
    }

    /// Can the cell be reached?
    pub fn contains(&self, cell: G::Cell) -> bool {
        self.node(cell).is_some()
    }

    /// The least it costs to get there.
    pub fn cost(&self, cell: G::Cell) -> Option<Points<PARTS>> {
        self.node(cell).map(|node| node.cost)
    }

    /// Does the best way there end with a halt?
    pub fn halts(&self, cell: G::Cell) -> bool {
        self.node(cell).is_some_and(|node| node.halted)
    }

    /// The best way there, from the starting cell to this one, both included.
    pub fn path(&self, cell: G::Cell) -> Option<Vec<G::Cell>> {
        let mut node = self.node(cell)?;
        let mut path = vec![node.cell];
        for _ in 0..node.steps {
            node = &self.nodes[node.before as usize];
            path.push(node.cell);
        }
        path.reverse();
        Some(path)
    }

    fn node(&self, cell: G::Cell) -> Option<&Node<G::Cell, PARTS>> {
        let place = self.best.binary_search_by_key(&cell, |&(cell, _)| cell).ok()?;
        self.nodes.get(self.best[place].1 as usize)
    }
}

impl<G: Grid<Cell: fmt::Debug>, const PARTS: u32> fmt::Debug for Reach<G, PARTS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.costs()).finish()
    }
}

/// Everything that can be reached from a cell with this purse.
///
/// `step` prices the way from one cell across an edge into the next. A cell entered with a halt is reached but not left
/// by that way; it may still be passed by another way that enters it without one. A starting cell off the board
/// reaches nothing.
pub fn reach<G: Grid, B, const PARTS: u32>(
    grid: &G,
    from: G::Cell,
    purse: Points<PARTS>,
    step: impl FnMut(G::Cell, G::Edge, G::Cell) -> Step<B, PARTS>,
) -> Reach<G, PARTS> {
    Search::run(grid, from, None, purse, step)
}

/// The cheapest way from one cell to another and its cost, if the purse suffices; the same way [`reach`] finds.
pub fn cheapest_path<G: Grid, B, const PARTS: u32>(
    grid: &G,
    from: G::Cell,
    to: G::Cell,
    purse: Points<PARTS>,
    step: impl FnMut(G::Cell, G::Edge, G::Cell) -> Step<B, PARTS>,
) -> Option<(Vec<G::Cell>, Points<PARTS>)> {
    let found = Search::run(grid, from, Some(to), purse, step);
    Some((found.path(to)?, found.cost(to)?))
}

/// No way found yet.
const NONE: u32 = u32::MAX;

/// As many cells as a unit usually reaches: room for them is made at once.
const USUAL: usize = 256;

/// Dijkstra's search over (cost, steps), with two entries per cell: entered free to go on, and entered with a halt.
struct Search<C, const PARTS: u32> {
    nodes: Vec<Node<C, PARTS>>,
    /// For every place on the grid the node of the best way that may go on, and of the best that halts.
    ends: Vec<[u32; 2]>,
    /// Ways still to be continued, lowest first: cost, steps and node in one number, which the heap compares fastest.
    open: BinaryHeap<Reverse<u128>>,
}

impl<C: Copy + Ord, const PARTS: u32> Search<C, PARTS> {
    fn run<G: Grid<Cell = C>, B>(
        grid: &G,
        from: C,
        to: Option<C>,
        purse: Points<PARTS>,
        mut step: impl FnMut(C, G::Edge, C) -> Step<B, PARTS>,
    ) -> Reach<G, PARTS> {
        let Some(start) = grid.index(from) else {
            return Reach { nodes: Vec::new(), best: Vec::new() };
        };
        let mut search = Search {
            nodes: Vec::with_capacity(grid.len().min(USUAL)),
            ends: vec![[NONE; 2]; grid.len()],
            open: BinaryHeap::with_capacity(grid.len().min(USUAL)),
        };
        search.arrive(start, Node { cell: from, cost: Points::ZERO, steps: 0, halted: false, before: 0 });
        let goal = to.and_then(|cell| grid.index(cell));
        while let Some(Reverse(key)) = search.open.pop() {
            let here = key as u32;
            let node = search.nodes[here as usize];
            if key != node.key(here) {
                continue; // a better way was found since
            }
            let Node { cell, cost, steps, .. } = node;
            // Every way still open is at least this long, and longer ways cannot improve on the goal.
            if goal.is_some_and(|goal| search.settled(goal, cost, steps)) {
                break;
            }
            for (edge, next) in grid.neighbours(cell) {
                let (price, halted) = match step(cell, edge, next) {
                    Step::Pay(price) => (price, false),
                    Step::PayAndHalt(price) => (price, true),
                    Step::Barred(_) => continue,
                };
                let Some(cost) = cost.checked_add(price).filter(|&cost| cost <= purse) else {
                    continue;
                };
                let Some(place) = grid.index(next) else {
                    continue;
                };
                search.arrive(place, Node { cell: next, cost, steps: steps + 1, halted, before: here });
            }
        }
        let Search { nodes, ends, .. } = &search;
        let mut best: Vec<(C, u32)> = (ends.iter())
            .filter_map(|&[free, halted]| match (free, halted) {
                (NONE, NONE) => None,
                (end, NONE) | (NONE, end) => Some(end),
                (free, halted) if search.better(&nodes[halted as usize], &nodes[free as usize]) => Some(halted),
                (free, _) => Some(free),
            })
            .map(|end| (nodes[end as usize].cell, end))
            .collect();
        best.sort_unstable_by_key(|&(cell, _)| cell);
        Reach { nodes: search.nodes, best }
    }

    /// A way has come to a cell: keep it if it is the best of its kind.
    fn arrive(&mut self, place: usize, node: Node<C, PARTS>) {
        let end = self.ends[place][usize::from(node.halted)];
        let known = self.nodes.get(end as usize);
        if known.is_some_and(|known| !self.better(&node, known)) {
            return;
        }
        let again = known.is_some_and(|known| (known.cost, known.steps) == (node.cost, node.steps));
        let end = if known.is_some() {
            self.nodes[end as usize] = node;
            end
        } else {
            self.nodes.push(node);
            (self.nodes.len() - 1) as u32
        };
        self.ends[place][usize::from(node.halted)] = end;
        // With equal cost and steps it is in the queue already; only the way there has changed.
        if !node.halted && !again {
            self.open.push(Reverse(node.key(end)));
        }
    }

    /// Is the goal reached at least as cheaply and shortly as this?
    fn settled(&self, goal: usize, cost: Points<PARTS>, steps: u32) -> bool {
        let reached =
            |end: &u32| self.nodes.get(*end as usize).is_some_and(|node| (node.cost, node.steps) <= (cost, steps));
        self.ends[goal].iter().any(reached)
    }

    /// Is `a` a better way to its cell than `b`: cheaper, then shorter, then by lower numbers?
    fn better(&self, a: &Node<C, PARTS>, b: &Node<C, PARTS>) -> bool {
        (a.cost, a.steps).cmp(&(b.cost, b.steps)).then_with(|| self.compare(a, b)) == Ordering::Less
    }

    /// Compares two ways of equal length cell by cell from the start. Both are branches of one tree, so the first
    /// difference lies right after the place where they part.
    fn compare(&self, a: &Node<C, PARTS>, b: &Node<C, PARTS>) -> Ordering {
        let mut order = a.cell.cmp(&b.cell);
        let (mut a, mut b) = (a.before, b.before);
        while a != b {
            let (left, right) = (&self.nodes[a as usize], &self.nodes[b as usize]);
            order = left.cell.cmp(&right.cell).then(order);
            (a, b) = (left.before, right.before);
        }
        order
    }
}

/// How far a march came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk<C, B, const PARTS: u32 = 4> {
    /// What it has cost by each cell that was entered; the start is free.
    pub costs: Vec<Points<PARTS>>,
    /// Whether entering the last of them ended the movement.
    pub halted: bool,
    /// Why it went no further, where that was not the end of the path.
    pub fault: Option<WalkFault<C, B, PARTS>>,
}

impl<C, B, const PARTS: u32> Walk<C, B, PARTS> {
    /// What the way so far costs.
    pub fn cost(&self) -> Points<PARTS> {
        self.costs.last().copied().unwrap_or(Points::ZERO)
    }

    /// How many cells were entered.
    pub fn steps(&self) -> usize {
        self.costs.len().saturating_sub(1)
    }
}

/// One step of a march that is being taken: the cell is paid for and entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stride<C, const PARTS: u32 = 4> {
    /// The place of `to` in the path.
    pub at: usize,
    /// The cell that was left.
    pub from: C,
    /// The cell that was entered.
    pub to: C,
    /// What this step costs.
    pub cost: Points<PARTS>,
    /// What the way has cost with it.
    pub spent: Points<PARTS>,
}

/// Where and why a path cannot be walked. `at` is the place in the path of the cell that could not be entered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WalkFault<C, B, const PARTS: u32 = 4> {
    /// The path has no cell at all.
    #[error("the path is empty")]
    Empty,
    /// A cell is not on the map.
    #[error("{cell} is not on the map")]
    OffMap {
        /// Its place in the path.
        at: usize,
        /// The cell.
        cell: C,
    },
    /// Two cells in a row do not touch.
    #[error("{to} does not touch {from}")]
    NotAdjacent {
        /// The place of `to` in the path.
        at: usize,
        /// The cell before.
        from: C,
        /// The cell that does not touch it.
        to: C,
    },
    /// The step is not allowed.
    #[error("the step from {from} to {to} is barred: {why}")]
    Barred {
        /// The place of `to` in the path.
        at: usize,
        /// The cell before.
        from: C,
        /// The cell that may not be entered.
        to: C,
        /// The reason.
        why: B,
    },
    /// The purse does not suffice.
    #[error("entering {to} from {from} needs {needed} more after {spent} spent, of {purse}")]
    Exhausted {
        /// The place of `to` in the path.
        at: usize,
        /// The cell before.
        from: C,
        /// The cell that cannot be paid for.
        to: C,
        /// What the path has cost up to `from`.
        spent: Points<PARTS>,
        /// What this step costs.
        needed: Points<PARTS>,
        /// What there was to spend.
        purse: Points<PARTS>,
    },
    /// An earlier step ended the movement.
    #[error("movement ends on entering {halted}, so {to} cannot be entered")]
    Halted {
        /// The place of `to` in the path.
        at: usize,
        /// The cell in which the movement ended.
        halted: C,
        /// The cell that could not be entered any more.
        to: C,
        /// What the path has cost up to there.
        spent: Points<PARTS>,
    },
}

/// Walks a path by the same step rule that [`reach`] and [`cheapest_path`] use, and calls on entering each cell.
///
/// `world` is what the march changes: `step` prices the next step in it as it then is, `enter` may change it, end the
/// movement in the cell just entered (`Break`), or give up with an error of its own (a question that has to be asked
/// first, a die that is not there). The first step that cannot be taken ends the march and is its fault; what was walked
/// until then stands.
///
/// ```
/// use std::convert::Infallible;
/// use std::ops::ControlFlow;
/// use garcia::board::{Bearing, Frame, Hex, HexGrid, Numbering, Orientation, Points, RowsGrow, Shifted, Step, march};
///
/// # let frame = Frame { orientation: Orientation::Pointy, numbering: Numbering::RowFirst, rows: [1, 9], columns: [1, 9],
/// #     rows_grow: RowsGrow::North, shifted: Shifted::EvenRowsEast, missing: Vec::new(), source: None };
/// let map = HexGrid::new(frame).unwrap();
/// let path = [101, 102, 103, 104].map(Hex::printed);
/// // A column that is halted by what it finds in 0103.
/// let mut seen = Vec::new();
/// let walked = march(
///     &map,
///     &mut seen,
///     &path,
///     Points::<1>::whole(4),
///     |_, _, _: Bearing, _| Step::<&str, 1>::Pay(Points::whole(1)),
///     |seen, stride| {
///         seen.push(stride.to);
///         let halt = stride.to == Hex::printed(103);
///         Ok::<_, Infallible>(if halt { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
///     },
/// )
/// .unwrap();
/// assert_eq!(seen, path[1..3]);
/// assert_eq!((walked.cost(), walked.halted), (Points::whole(2), true));
/// ```
pub fn march<G: Grid, W, B, E, const PARTS: u32>(
    grid: &G,
    world: &mut W,
    path: &[G::Cell],
    purse: Points<PARTS>,
    step: impl Fn(&W, G::Cell, G::Edge, G::Cell) -> Step<B, PARTS>,
    mut enter: impl FnMut(&mut W, Stride<G::Cell, PARTS>) -> Result<ControlFlow<()>, E>,
) -> Result<Walk<G::Cell, B, PARTS>, E> {
    let mut walk = Walk { costs: Vec::with_capacity(path.len()), halted: false, fault: None };
    let Some((&start, rest)) = path.split_first() else {
        return Ok(Walk { fault: Some(WalkFault::Empty), ..walk });
    };
    if !grid.contains(start) {
        return Ok(Walk { fault: Some(WalkFault::OffMap { at: 0, cell: start }), ..walk });
    }
    walk.costs.push(Points::ZERO);
    let mut from = start;
    for (at, &to) in (1..).zip(rest) {
        let spent = walk.cost();
        let priced = match grid.edge_between(from, to) {
            _ if !grid.contains(to) => Err(WalkFault::OffMap { at, cell: to }),
            None => Err(WalkFault::NotAdjacent { at, from, to }),
            Some(_) if walk.halted => Err(WalkFault::Halted { at, halted: from, to, spent }),
            Some(edge) => match step(world, from, edge, to) {
                Step::Pay(cost) => Ok((cost, false)),
                Step::PayAndHalt(cost) => Ok((cost, true)),
                Step::Barred(why) => Err(WalkFault::Barred { at, from, to, why }),
            },
        };
        let afforded = priced.and_then(|(cost, halts)| match spent.checked_add(cost).filter(|sum| *sum <= purse) {
            Some(sum) => Ok((cost, sum, halts)),
            None => Err(WalkFault::Exhausted { at, from, to, spent, needed: cost, purse }),
        });
        let (cost, spent, halts) = match afforded {
            Ok(step) => step,
            Err(fault) => return Ok(Walk { fault: Some(fault), ..walk }),
        };
        walk.costs.push(spent);
        let onward = enter(world, Stride { at, from, to, cost, spent })?;
        walk.halted = halts || onward.is_break();
        if onward.is_break() {
            break;
        }
        from = to;
    }
    Ok(walk)
}

/// Prices a path step by step without walking it.
pub fn walk<G: Grid, B, const PARTS: u32>(
    grid: &G,
    path: &[G::Cell],
    purse: Points<PARTS>,
    step: impl Fn(G::Cell, G::Edge, G::Cell) -> Step<B, PARTS>,
) -> Walk<G::Cell, B, PARTS> {
    let priced: Result<_, Infallible> = march(
        grid,
        &mut (),
        path,
        purse,
        |(), from, edge, to| step(from, edge, to),
        |(), _| Ok(ControlFlow::Continue(())),
    );
    match priced {
        Ok(walk) => walk,
        Err(never) => match never {},
    }
}

#[cfg(test)]
#[path = "path_tests.rs"]
mod tests;
