//! The map as SVG: one that could be printed and hung on a wall.
//!
//! All coordinates are whole numbers. Regions of ground, coasts, rivers and roads are drawn as curves through the middles
//! of the sides of cells, so it is never in doubt on which side something lies.

mod counter;
mod key;
mod land;
mod lines;
mod over;
mod style;

use std::fmt::Write as _;

use crate::scene::{Board, Counter, Incident, OffMap, Point, Scene, Shape};

use super::part::{Part, Window};

pub use counter::{counter, title_of as counter_title};
pub use over::story;
pub use style::{DEFS, STYLE};

/// White around everything.
const MARGIN: i32 = 30;
/// Room for the title above a map.
const HEAD: i32 = 86;

/// Text that stays text.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// A ratio as SVG writes it, to thousandths.
fn ratio(part: i32, whole: i32) -> String {
    let thousandths = i64::from(part) * 1000 / i64::from(whole.max(1));
    format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
}

/// A drawing in the making: upright from the corner, as large as what has been drawn.
struct Paper {
    body: String,
    size: Point,
}

impl Paper {
    /// Adds a drawing of this size below what is there.
    fn below(&mut self, drawing: &str, (wide, high): Point) {
        let _ = write!(self.body, "<g transform=\"translate({MARGIN},{})\">{drawing}</g>", self.size.1);
        self.size = (self.size.0.max(wide + 2 * MARGIN), self.size.1 + high + MARGIN);
    }
}

/// A whole document: title, maps, boxes beside them, key.
pub fn svg_map(scene: &Scene, window: &Window) -> String {
    let mut paper = Paper { body: String::new(), size: (900, HEAD) };
    let parts = Part::of(scene, window);
    for part in &parts {
        if !part.board.name.is_empty() {
            let name = format!("<text class=\"board-name\" y=\"34\">{}</text>", escape(&part.board.name));
            paper.below(&name, (600, 20));
        }
        let (map, size) = board(part, &scene.happened);
        paper.below(&map, size);
    }
    let wide = paper.size.0 - 2 * MARGIN;
    let boxes = if window.centre.is_none() { scene.boxes.as_slice() } else { &[] };
    for row in side_by_side(boxes, wide) {
        let mut drawing = String::new();
        let (mut right, mut high) = (0, 0);
        for (held, wide) in row {
            let (drawn, size) = off_map(scene, held, wide);
            let _ = write!(drawing, "<g transform=\"translate({right},0)\">{drawn}</g>");
            (right, high) = (right + wide + GAP, high.max(size.1));
        }
        paper.below(&drawing, (wide, high));
    }
    let (drawing, size) = key::key(scene, &parts, boxes, wide);
    paper.below(&drawing, size);
    let (w, h) = paper.size;
    let view = scene.view.map_or_else(String::new, |side| format!(" · as seen by {side}"));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{}\" height=\"{}\">\
         <title>{}</title><style>{STYLE}</style>{}<rect class=\"paper\" width=\"{w}\" height=\"{h}\"/>\
         <text class=\"title\" x=\"{MARGIN}\" y=\"46\">{}</text><text class=\"moment\" x=\"{MARGIN}\" y=\"74\">{}{view}</text>{}</svg>\n",
        w * 6 / 10,
        h * 6 / 10,
        escape(&scene.moment),
        DEFS,
        escape(&scene.title),
        escape(&scene.moment),
        paper.body
    )
}

/// The corner and the size of what is shown of a map.
pub fn extent(part: &Part<'_>) -> (Point, Point) {
    let reach = part.board.shape.extent();
    let low = |of: fn(Point) -> i32| part.cells.iter().map(|cell| of(cell.at)).min().unwrap_or(0);
    let high = |of: fn(Point) -> i32| part.cells.iter().map(|cell| of(cell.at)).max().unwrap_or(0);
    let corner = (low(|at| at.0) - reach.0, low(|at| at.1) - reach.1);
    let end = (high(|at| at.0) + reach.0, high(|at| at.1) + reach.1);
    (corner, (end.0 - corner.0, end.1 - corner.1))
}

/// A map with everything on it, and its size.
fn board(part: &Part<'_>, happened: &[Incident]) -> (String, Point) {
    let ((x, y), size) = extent(part);
    let mut out = format!("<g transform=\"translate({},{})\">", -x, -y);
    out.push_str(&ground(part));
    out.push_str(&over::areas(part));
    out.push_str(&cells(part));
    out.push_str(&counters(part));
    out.push_str(&flags(part));
    out.push_str(&names(part));
    out.push_str(&over::lines(part));
    out.push_str(&story(part, happened));
    out.push_str("</g>");
    (out, size)
}

/// Ground, water and roads with their names: what never changes in a game.
pub fn ground(part: &Part<'_>) -> String {
    let mut out = String::new();
    land::regions(part, &mut out);
    land::texture(part, &mut out);
    lines::sides(part, &mut out);
    lines::ways(part, &mut out);
    lines::crossings(part, &mut out);
    lines::labels(part, &mut out);
    land::dug(part, &mut out);
    out
}

/// The cells themselves: their sides, their numbers, and a title for whoever points at one.
pub fn cells(part: &Part<'_>) -> String {
    let shape = part.board.shape;
    let mut corners = String::new();
    for (x, y) in shape.corners() {
        let _ = write!(corners, "{x},{y} ");
    }
    let index = part.index;
    let mut out =
        format!("<defs><polygon id=\"cell{index}\" points=\"{}\"/></defs><g class=\"cells\">", corners.trim_end());
    for cell in &part.cells {
        let _ = write!(
            out,
            "<use href=\"#cell{index}\" x=\"{}\" y=\"{}\" data-cell=\"{}\"><title>{}</title></use>",
            cell.at.0,
            cell.at.1,
            cell.id,
            escape(&land::title_of(part, cell))
        );
    }
    out.push_str("</g><g class=\"numbers\">");
    let up = if shape == Shape::PointyHex { 41 } else { 39 };
    for cell in &part.cells {
        let _ = write!(out, "<text x=\"{}\" y=\"{}\">{}</text>", cell.at.0, cell.at.1 - up, cell.id);
    }
    out.push_str("</g>");
    out
}

/// What is built, objectives with who holds them, and sources of supply: over the counters, which leave them room.
pub fn flags(part: &Part<'_>) -> String {
    let mut out = String::from("<g class=\"flags\">");
    land::works(part, &mut out);
    land::flags(part, &mut out);
    out.push_str("</g>");
    out
}

/// Names of places, at the foot of their cells.
pub fn names(part: &Part<'_>) -> String {
    let mut out = String::from("<g class=\"names\">");
    let (down, lift, drop) = name_place(part.board.shape);
    for cell in &part.cells {
        if let Some(name) = &cell.name {
            let (x, y) = (cell.at.0, cell.at.1 + down);
            let (first, second) = in_two(name);
            let lift = if second.is_empty() { 0 } else { lift };
            let _ = write!(out, "<text x=\"{x}\" y=\"{}\">{}", y - lift, escape(first));
            if !second.is_empty() {
                let _ = write!(out, "<tspan x=\"{x}\" y=\"{}\">{}</tspan>", y + drop, escape(second));
            }
            out.push_str("</text>");
        }
    }
    out.push_str("</g>");
    out
}

/// How far below the middle of a cell its name stands; how much higher the first of two lines, how much lower the second.
/// A cell without a corner at its foot has less room below its counters.
fn name_place(shape: Shape) -> (i32, i32, i32) {
    match shape {
        Shape::PointyHex => (54, 13, 1),
        Shape::FlatHex | Shape::Square => (48, 9, 5),
    }
}

/// A long name in two lines, as even as it can be broken.
fn in_two(name: &str) -> (&str, &str) {
    if name.chars().count() <= 12 {
        return (name, "");
    }
    let half = name.len() / 2;
    let breaks = name.match_indices(' ').min_by_key(|(at, _)| at.abs_diff(half));
    breaks.map_or((name, ""), |(at, _)| (name.get(..at).unwrap_or(name), name.get(at + 1..).unwrap_or("")))
}

/// Where the counters of a stack lie around the middle of their cell, and how large each is. Where works and flags want
/// to be seen as well they are a little smaller, and to the right.
fn spread(count: usize, tight: bool) -> (Vec<Point>, i32) {
    let (across, size, tight_size) = match count {
        0 | 1 => (1, 54, 54),
        2 => (2, 42, 38),
        3 | 4 => (2, 40, 36),
        5..=9 => (3, 28, 25),
        10..=16 => (4, 21, 19),
        _ => (5, 17, 15),
    };
    let (size, right) = if tight && count > 1 { (tight_size, 5) } else { (size, 0) };
    let down = count.div_ceil(across).max(1);
    let at = |index: usize| {
        let in_row = if index / across + 1 == down { count - (down - 1) * across } else { across };
        let place = |at: usize, of: usize| {
            let (at, of) = (i32::try_from(at).unwrap_or(0), i32::try_from(of).unwrap_or(1));
            (2 * at + 1 - of) * size / 2
        };
        (place(index % across, in_row) + right, place(index / across, down) - 2)
    };
    ((0..count).map(at).collect(), size)
}

/// All counters on the map, each stack spread out so that everything in it is seen.
pub fn counters(part: &Part<'_>) -> String {
    let mut out = String::from("<g class=\"counters\">");
    for stack in stacks(part.board) {
        let Some(cell) = stack.first().and_then(|counter| part.cell(counter.cell.as_deref()?)) else { continue };
        let tight = !cell.works.is_empty() || cell.flags.iter().any(|flag| land::is_drawn(*flag));
        let (places, size) = spread(stack.len(), tight);
        for (held, (x, y)) in stack.iter().zip(places) {
            out.push_str(&counter(part.scene, held, (cell.at.0 + x, cell.at.1 + y), size));
        }
    }
    out.push_str("</g>");
    out
}

/// The counters of each cell.
fn stacks(board: &Board) -> impl Iterator<Item = &[Counter]> {
    board.counters.chunk_by(|a, b| a.cell == b.cell)
}

/// Between two boxes.
const GAP: i32 = 20;
/// Room for a counter in a box.
const STEP: i32 = 60;

/// Boxes in rows, each as wide as it needs to be; whatever is left of a row goes to its last box.
fn side_by_side(boxes: &[OffMap], wide: i32) -> Vec<Vec<(&OffMap, i32)>> {
    let mut rows: Vec<Vec<(&OffMap, i32)>> = Vec::new();
    let used = |row: &[(&OffMap, i32)]| row.iter().map(|(_, wide)| wide + GAP).sum::<i32>();
    for held in boxes {
        let count = i32::try_from(held.counters.len()).unwrap_or(0);
        let letters = i32::try_from(held.name.chars().count()).unwrap_or(0);
        let needs = (28 + count * STEP).max(80 + letters * 11).min(wide);
        match rows.last_mut().filter(|row| used(row) + needs <= wide) {
            Some(row) => row.push((held, needs)),
            None => rows.push(vec![(held, needs)]),
        }
    }
    for row in &mut rows {
        let left = wide + GAP - used(row);
        if let Some((_, last)) = row.last_mut() {
            *last += left;
        }
    }
    rows
}

/// A box beside the map.
fn off_map(scene: &Scene, held: &OffMap, wide: i32) -> (String, Point) {
    let across = ((wide - 20) / STEP).max(1);
    let count = i32::try_from(held.counters.len()).unwrap_or(0);
    let high = 44 + (count + across - 1) / across * STEP;
    let mut out = format!(
        "<rect class=\"box\" width=\"{wide}\" height=\"{high}\" rx=\"8\"/><text class=\"box-name\" x=\"14\" y=\"26\">{} ({count})</text>",
        escape(&held.name)
    );
    for (at, held) in (0..).zip(&held.counters) {
        let place = (14 + 27 + at % across * STEP, 38 + 27 + at / across * STEP);
        out.push_str(&counter(scene, held, place, 54));
    }
    (out, (wide, high))
}
