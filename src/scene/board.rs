//! A map as the shared map files describe it, put into a scene.

use crate::board::sheet::Named;
use crate::board::{Feature, Grid, Hex, HexGrid, Orientation, Square, SquareGrid, Terrain};
use crate::engine::capital;

use super::shape::Point;
use super::{Board, Border, Cell, Edge, Ground, Label, Shape, Track, Way};

/// How a feature along the sides of cells is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// From centre to centre.
    Way(Track),
    /// Along the side.
    Side(Border),
}

impl Cell {
    /// A cell with nothing in it.
    pub fn new(id: impl ToString, ground: Ground) -> Cell {
        Cell {
            id: id.to_string(),
            row: 0,
            column: 0,
            at: (0, 0),
            ground,
            level: 0,
            works: Vec::new(),
            name: None,
            flags: Vec::new(),
            held: None,
            notes: Vec::new(),
        }
    }
}

impl Board {
    fn empty(id: &str, shape: Shape) -> Board {
        Board {
            id: id.to_owned(),
            name: String::new(),
            shape,
            size: (0, 0),
            scale: String::new(),
            cells: Vec::new(),
            sides: Vec::new(),
            ways: Vec::new(),
            names: Vec::new(),
            counters: Vec::new(),
        }
    }

    /// A hex map: each cell as `cell` describes it, each feature along a hexside as `stroke` has it drawn.
    pub fn of_hexes<T: Copy, F: Feature>(
        map: &Terrain<HexGrid, T, F>,
        cell: impl Fn(Hex, T) -> Cell,
        stroke: impl Fn(F) -> Option<Stroke>,
    ) -> Board {
        let grid = map.grid();
        let shape = match grid.frame().orientation {
            Orientation::Pointy => Shape::PointyHex,
            Orientation::Flat => Shape::FlatHex,
        };
        let mut board = Board::empty("map", shape);
        let lie = |hex: Hex| grid.centre(hex);
        board.lay(map.cells().map(|(hex, ground)| {
            (Cell { row: grid.row(hex), column: grid.column(hex), ..cell(hex, ground) }, lie(hex))
        }));
        for hex in grid.cells() {
            for (edge, next) in grid.neighbours(hex) {
                for feature in map.leaving(hex, edge).iter() {
                    board.stroke(hex, next, stroke(feature));
                }
            }
        }
        board
    }

    /// A board of squares, with obstacles along their sides.
    pub fn of_squares(
        id: &str,
        grid: &SquareGrid,
        cell: impl Fn(Square) -> Cell,
        side: impl Fn(Square, Square) -> Option<Border>,
    ) -> Board {
        let mut board = Board::empty(id, Shape::Square);
        board.lay(grid.cells().map(|square| {
            (Cell { row: square.first(), column: square.second(), ..cell(square) }, grid.centre(square))
        }));
        for square in grid.cells() {
            for (_, next) in grid.neighbours(square) {
                board.stroke(square, next, side(square, next).map(Stroke::Side));
            }
        }
        board
    }

    /// Lays cells out on the paper, the uppermost and the leftmost at its edge.
    fn lay(&mut self, cells: impl Iterator<Item = (Cell, Point)>) {
        let (steps, extent) = (self.shape.steps(), self.shape.extent());
        self.cells = cells.map(|(cell, lie)| Cell { at: (lie.0 * steps.0, lie.1 * steps.1), ..cell }).collect();
        let least = |of: fn(&Cell) -> i32| self.cells.iter().map(of).min().unwrap_or(0);
        let corner = (least(|cell| cell.at.0) - extent.0, least(|cell| cell.at.1) - extent.1);
        for cell in &mut self.cells {
            cell.at = (cell.at.0 - corner.0, cell.at.1 - corner.1);
        }
        let most = |of: fn(&Cell) -> i32| self.cells.iter().map(of).max().unwrap_or(0);
        self.size = (most(|cell| cell.at.0) + extent.0, most(|cell| cell.at.1) + extent.1);
    }

    /// Something met on going from one cell to the next. What looks alike from both is taken once.
    fn stroke<C: Copy + Ord + ToString>(&mut self, from: C, to: C, stroke: Option<Stroke>) {
        let cells = || [from.to_string(), to.to_string()];
        match stroke {
            Some(Stroke::Side(what)) if what.is_directed() || from < to => {
                self.sides.push(Edge { what, between: cells() });
            }
            Some(Stroke::Way(what)) if from < to => self.ways.push(Way { what, cells: cells().to_vec() }),
            _ => {}
        }
    }

    /// Adds the names of rivers and roads that a map file gives.
    #[must_use]
    pub fn with_names(mut self, named: &[Named]) -> Board {
        let label = |named: &Named| Label {
            text: written_out(&named.name),
            cells: named.hexes.iter().map(Hex::to_string).collect(),
            sides: named.sides.iter().map(|(a, b)| [a.to_string(), b.to_string()]).collect(),
        };
        self.names = named.iter().map(label).collect();
        self
    }
}

/// A name as a map prints it, where a file writes it as a word: `caney-river`.
fn written_out(name: &str) -> String {
    if name.contains(' ') || name.chars().any(char::is_uppercase) {
        return name.to_owned();
    }
    name.split('-').map(capital).collect::<Vec<String>>().join(" ")
}
