//! What paths, lines and traces need to know of a board.

/// A board of cells that touch each other across edges.
///
/// Cells are numbered densely by [`Grid::index`] in the order of [`Grid::cells`], which is the order of their printed
/// numbers; a table with one entry per cell is a plain vector.
pub trait Grid {
    /// A cell by its printed number. Its order settles every tie.
    type Cell: Copy + Ord;
    /// The way a cell is left.
    type Edge: Copy + Ord;

    /// The most edges a cell can have.
    const WAYS: usize;

    /// How many cells the board has.
    fn len(&self) -> usize;

    /// Is there no cell at all?
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The place of a cell in the order of all cells, if it is on the board.
    fn index(&self, cell: Self::Cell) -> Option<usize>;

    /// The cell at a place in that order.
    fn cell(&self, index: usize) -> Option<Self::Cell>;

    /// The number of an edge, below [`Grid::WAYS`], if cells of this board have it.
    fn way(&self, edge: Self::Edge) -> Option<usize>;

    /// Is the cell on the board?
    fn contains(&self, cell: Self::Cell) -> bool {
        self.index(cell).is_some()
    }

    /// All cells in the order of their numbers.
    fn cells(&self) -> impl Iterator<Item = Self::Cell> {
        (0..self.len()).filter_map(|index| self.cell(index))
    }

    /// The cells on the board that touch this one, clockwise from the north, with the edge that leads there.
    fn neighbours(&self, cell: Self::Cell) -> impl Iterator<Item = (Self::Edge, Self::Cell)>;

    /// The cell across an edge, if both are on the board.
    fn neighbour(&self, cell: Self::Cell, edge: Self::Edge) -> Option<Self::Cell>;

    /// The fewest steps from one cell to another on an endless board.
    fn distance(&self, a: Self::Cell, b: Self::Cell) -> u32;

    /// The edge by which `a` is left for `b`, if the two touch and are on the board.
    fn edge_between(&self, a: Self::Cell, b: Self::Cell) -> Option<Self::Edge> {
        self.neighbours(a).find(|&(_, cell)| cell == b).map(|(edge, _)| edge)
    }
}
