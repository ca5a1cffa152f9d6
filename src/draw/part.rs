//! The part of a map that is to be drawn.

use std::collections::BTreeMap;

use crate::scene::{Board, Cell, Point, Scene};

/// What somebody wants to look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Only this map of several.
    pub board: Option<usize>,
    /// Around this cell of it.
    pub centre: Option<String>,
    /// This many cells to each side.
    pub radius: u16,
}

/// A map with the cells of it that are shown.
pub struct Part<'s> {
    /// The scene.
    pub scene: &'s Scene,
    /// The place of the map in the scene.
    pub index: usize,
    /// The map.
    pub board: &'s Board,
    /// The cells shown.
    pub cells: Vec<&'s Cell>,
    /// Is it all of the map?
    pub whole: bool,
    shown: BTreeMap<&'s str, &'s Cell>,
    by_place: BTreeMap<Point, &'s Cell>,
}

impl<'s> Part<'s> {
    /// Every map of the scene, or the surroundings of one cell.
    pub fn of(scene: &'s Scene, window: &Window) -> Vec<Part<'s>> {
        let boards = (0..scene.boards.len()).filter(|index| window.board.is_none_or(|board| board == *index));
        match &window.centre {
            None => boards.filter_map(|index| Part::whole(scene, index)).collect(),
            Some(centre) => boards.filter_map(|index| Part::around(scene, index, centre, window.radius)).collect(),
        }
    }

    fn whole(scene: &'s Scene, index: usize) -> Option<Part<'s>> {
        let board = scene.boards.get(index)?;
        Some(Part::new(scene, index, board, board.cells.iter().collect(), true))
    }

    fn around(scene: &'s Scene, index: usize, centre: &str, radius: u16) -> Option<Part<'s>> {
        let board = scene.boards.get(index)?;
        let (x, y) = board.cell(centre)?.at;
        let steps = board.shape.steps();
        // Along straight rows or columns neighbours are two steps apart.
        let reach = |step: i32| i32::from(radius) * if step == 52 { 2 * step } else { step };
        let (wide, high) = (reach(steps.0), reach(steps.1));
        let near = |cell: &&Cell| (cell.at.0 - x).abs() <= wide && (cell.at.1 - y).abs() <= high;
        Some(Part::new(scene, index, board, board.cells.iter().filter(near).collect(), false))
    }

    fn new(scene: &'s Scene, index: usize, board: &'s Board, cells: Vec<&'s Cell>, whole: bool) -> Part<'s> {
        let shown = cells.iter().map(|cell| (cell.id.as_str(), *cell)).collect();
        let by_place = cells.iter().map(|cell| (cell.at, *cell)).collect();
        Part { scene, index, board, cells, whole, shown, by_place }
    }

    /// Is this cell shown?
    pub fn shows(&self, cell: &str) -> bool {
        self.shown.contains_key(cell)
    }

    /// A cell that is shown.
    pub fn cell(&self, id: &str) -> Option<&'s Cell> {
        self.shown.get(id).copied()
    }

    /// The cell across side `n` of this one, if it is shown.
    pub fn across(&self, cell: &Cell, side: usize) -> Option<&'s Cell> {
        let away = self.board.shape.away(side);
        self.by_place.get(&(cell.at.0 + away.0, cell.at.1 + away.1)).copied()
    }
}
