//! Ground: regions with soft edges, signs of what grows there, works and flags.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::scene::{Cell, Flag, Ground, Livery, Point, Shape, Work};

use super::super::part::Part;

/// The outline of some cells as a path. Where they meet others it is rounded, at the edge of the map it is not.
pub fn outline(part: &Part<'_>, of: impl Fn(&Cell) -> bool) -> String {
    // From each corner, the next corners along the outline, clockwise; whether the stretch is the edge of the map.
    let mut next: BTreeMap<Point, Vec<(Point, bool)>> = BTreeMap::new();
    let sides = part.board.shape.corners().len();
    for cell in part.cells.iter().filter(|cell| of(cell)) {
        for side in 0..sides {
            let across = part.across(cell, side);
            if across.is_some_and(&of) {
                continue;
            }
            let (a, b) = corners(part, cell, side);
            next.entry(a).or_default().push((b, across.is_none()));
        }
    }
    let mut path = String::new();
    while let Some((&start, _)) = next.first_key_value() {
        let mut stretch = Vec::new();
        let mut at = start;
        while let Some((to, edge)) = next.get_mut(&at).and_then(Vec::pop) {
            if next.get(&at).is_some_and(Vec::is_empty) {
                next.remove(&at);
            }
            stretch.push((at, to, edge));
            at = to;
            if at == start {
                break;
            }
        }
        round(&stretch, &mut path);
    }
    path
}

fn corners(part: &Part<'_>, cell: &Cell, side: usize) -> (Point, Point) {
    let corners = part.board.shape.corners();
    let at = |n: usize| corners.get(n % corners.len()).map_or(cell.at, |c| (cell.at.0 + c.0, cell.at.1 + c.1));
    (at(side), at(side + 1))
}

pub fn middle(a: Point, b: Point) -> Point {
    ((a.0 + b.0) / 2, (a.1 + b.1) / 2)
}

/// The line between some cells and others, without the edge of the map.
pub fn shore(part: &Part<'_>, of: impl Fn(&Cell) -> bool) -> String {
    let mut stretches = Vec::new();
    for cell in part.cells.iter().filter(|cell| of(cell)) {
        for side in 0..part.board.shape.corners().len() {
            if part.across(cell, side).is_some_and(|other| !of(other)) {
                stretches.push(corners(part, cell, side));
            }
        }
    }
    super::lines::joined(&stretches)
}

/// A closed line through the middles of its stretches.
fn round(stretches: &[(Point, Point, bool)], path: &mut String) {
    let Some(&(a, b, _)) = stretches.first() else { return };
    let start = middle(a, b);
    let _ = write!(path, "M{} {}", start.0, start.1);
    for (at, &(_, corner, edge)) in stretches.iter().enumerate() {
        let Some(&(from, to, next_edge)) = stretches.get((at + 1) % stretches.len()) else { continue };
        let end = middle(from, to);
        let join = if edge || next_edge { 'L' } else { 'Q' };
        let _ = write!(path, "{join}{} {}", corner.0, corner.1);
        let _ = write!(path, "{}{} {}", if join == 'L' { "L" } else { " " }, end.0, end.1);
    }
    path.push('Z');
}

/// The regions of the map, one upon the other.
pub fn regions(part: &Part<'_>, out: &mut String) {
    let land = outline(part, |cell| !cell.ground.is_water());
    let _ = write!(out, "<path class=\"sea\" d=\"{}\"/>", outline(part, |_| true));
    let sea = part.cells.iter().any(|cell| cell.ground.is_water());
    if sea {
        let water = outline(part, |cell| cell.ground.is_water());
        let id = part.index;
        let _ = write!(out, "<clipPath id=\"sea{id}\"><path d=\"{water}\"/></clipPath><g clip-path=\"url(#sea{id})\">");
        let _ = write!(out, "<path class=\"shoal\" d=\"{land}\"/><path class=\"shoal2\" d=\"{land}\"/></g>");
    }
    let _ = write!(out, "<path class=\"land\" d=\"{land}\"/>");
    let highest = part.cells.iter().map(|cell| cell.level).max().unwrap_or(0).min(3);
    for level in 1..=highest {
        let path = outline(part, |cell| cell.level >= level && !cell.ground.is_water());
        let _ = write!(out, "<path class=\"level{level}\" d=\"{path}\"/>");
    }
    for ground in Ground::ALL {
        let drawn = !matches!(ground, Ground::Clear | Ground::Sea | Ground::Harbour | Ground::Lake);
        if drawn && part.cells.iter().any(|cell| cell.ground == *ground) {
            let path = outline(part, |cell| cell.ground == *ground);
            let _ = write!(out, "<path class=\"{ground}\" d=\"{path}\"/>");
        }
    }
    for level in 1..=highest {
        let path = shore(part, |cell| cell.level >= level && !cell.ground.is_water());
        let _ = write!(out, "<path class=\"contour\" d=\"{path}\"/>");
    }
    if sea {
        let _ = write!(out, "<path class=\"coast\" d=\"{}\"/>", shore(part, |cell| !cell.ground.is_water()));
    }
}

/// Signs for what the ground bears: where they stand in a cell, in three kinds so that no two neighbours look alike.
const SCATTER: [[Point; 5]; 3] = [
    [(-30, -14), (14, -20), (-14, 8), (24, 12), (0, 32)],
    [(-20, -20), (26, -10), (-32, 12), (6, 6), (-8, 34)],
    [(-6, -24), (-34, 0), (22, -2), (-12, 20), (20, 30)],
];

/// Trees, hachures, reeds, sand, houses.
pub fn texture(part: &Part<'_>, out: &mut String) {
    let mut signs: BTreeMap<&str, String> = BTreeMap::new();
    // On a large map a few say as much.
    let few = if part.cells.len() > 800 { 3 } else { 4 };
    for cell in &part.cells {
        let scatter = SCATTER.get(usize::from(cell.row * 2 + cell.column) % SCATTER.len()).unwrap_or(&SCATTER[0]);
        let (class, sign, count) = match cell.ground {
            Ground::Jungle => ("tree", "q5-12 10 0v4m-10-4v4", few),
            Ground::Woods => ("tree", "l5-10 5 10zm5 0v4", 4),
            Ground::Hill => ("hachure", "l-5 11m7-12v13m7-12l5 11", 4),
            Ground::Swamp => ("reed", "h12m-6 0v-8m-4 8l-3-6m11 6l3-6", 5),
            Ground::Beach => ("sand", "h.1m9 5h.1m-14 4h.1m11 6h.1", 4),
            Ground::Sea | Ground::Harbour | Ground::Lake if (cell.row + 2 * cell.column) % 3 == 0 => {
                ("wave", "q5-5 10 0t10 0", 2)
            }
            Ground::Village => ("house", "h9v7h-9z", 3),
            Ground::Town => ("house", "h10v8h-10zm13-3h7v9h-7z", 4),
            Ground::City => ("house", "h12v9h-12zm14-2h8v12h-8zm-14 14h9v7h-9zm11 1h12v6h-12z", 5),
            _ => continue,
        };
        let path = signs.entry(class).or_default();
        for (x, y) in scatter.iter().take(count) {
            let _ = write!(path, "M{} {}{sign}", cell.at.0 + x, cell.at.1 + y);
        }
    }
    for (class, path) in signs {
        let _ = write!(out, "<path class=\"{class}\" d=\"{path}\"/>");
    }
}

/// A point so many hundredths of the way.
fn between(a: Point, b: Point, hundredths: i32) -> Point {
    (a.0 + (b.0 - a.0) * hundredths / 100, a.1 + (b.1 - a.1) * hundredths / 100)
}

/// Trenches round a cell, open at the top, where a hex has its number.
pub fn dug(part: &Part<'_>, out: &mut String) {
    let mut dug = String::new();
    // Inside the sides and the numbers, outside the counters.
    let out_of_hundred = if part.board.shape == Shape::Square { 70 } else { 83 };
    let ring: Vec<Point> =
        part.board.shape.corners().iter().map(|corner| between((0, 0), *corner, out_of_hundred)).collect();
    let around: Vec<Point> = match (part.board.shape, ring.as_slice()) {
        (Shape::PointyHex, [top, right, rest @ .., left]) => {
            let (from, to) = (between(*top, *right, 36), between(*left, *top, 64));
            [from, *right].into_iter().chain(rest.iter().copied()).chain([*left, to]).collect()
        }
        (Shape::FlatHex, [left, right, rest @ ..]) => {
            let (from, to) = (between(*left, *right, 78), between(*left, *right, 22));
            [from, *right].into_iter().chain(rest.iter().copied()).chain([*left, to]).collect()
        }
        (_, all) => all.iter().chain(all.first()).copied().collect(),
    };
    for cell in part.cells.iter().filter(|cell| cell.works.contains(&Work::Entrenchment)) {
        for (n, (right, down)) in around.iter().enumerate() {
            let start = if n == 0 { 'M' } else { 'L' };
            let _ = write!(dug, "{start}{} {}", cell.at.0 + right, cell.at.1 + down);
        }
    }
    let _ = write!(out, "<path class=\"dug\" d=\"{dug}\"/>");
}

/// What is built, in the upper corners of a cell, where counters leave room.
pub fn works(part: &Part<'_>, out: &mut String) {
    let mut built = String::new();
    for cell in &part.cells {
        let mut corner = [(-34, -31), (34, -31), (-38, 30), (38, 30)].into_iter();
        for work in cell.works.iter().filter(|work| **work != Work::Entrenchment) {
            let (right, down) = corner.next().unwrap_or((0, 0));
            let _ = write!(built, "M{} {}{}", cell.at.0 + right, cell.at.1 + down, sign(*work));
        }
    }
    let _ = write!(out, "<path class=\"work\" d=\"{built}\"/>");
}

/// The sign of a work around its middle.
pub const fn sign(work: Work) -> &'static str {
    match work {
        Work::Entrenchment => "m-16-7l16-6 16 6v14l-16 6-16-6z",
        Work::Redoubt => "m-10 8v-11l10-7 10 7v11z",
        Work::Blockhouse => "m-8 8v-12h16v12zm-2-12h20l-10-6z",
        Work::Battery => "m-10 7h20v-5h-4v-5h-4v5h-4v-5h-4v5h-4z",
        Work::Fort => "m-10 9v-18h5v4h3v-4h4v4h3v-4h5v18z",
    }
}

/// Is there a sign for it? A beach and the edge of the map are seen as they are.
pub fn is_drawn(flag: Flag) -> bool {
    matches!(flag, Flag::Objective | Flag::Source)
}

/// Objectives with who holds them, and sources of supply: to the left and right of a counter.
pub fn flags(part: &Part<'_>, out: &mut String) {
    for cell in &part.cells {
        let (x, y) = cell.at;
        if cell.flags.contains(&Flag::Objective) {
            let livery = cell.held.and_then(|id| part.scene.force(id)).map_or(Livery::Grey, |force| force.livery);
            let _ = write!(out, "<g transform=\"translate({},{})\">{}</g>", x - 40, y + 4, goal(livery));
        }
        if cell.flags.contains(&Flag::Source) {
            let _ = write!(out, "<g transform=\"translate({},{})\">{SOURCE}</g>", x + 42, y + 20);
        }
    }
}

/// A star of five points, and over it the flag of whoever holds the place.
pub fn goal(livery: Livery) -> String {
    format!(
        "<path class=\"flag {livery}\" d=\"M-7 4v-26h14v10h-14\"/>\
         <path class=\"goal\" transform=\"translate(0,3) scale(.85)\" d=\"M0-10L3-3H10L4 1L6 9L0 4L-6 9L-4 1L-10-3H-3Z\"/>"
    )
}

/// A source of supply.
pub const SOURCE: &str = "<circle class=\"work\" r=\"9\"/><path class=\"work\" d=\"M-5 0h10M0-5v10\"/>";

/// What a cell is, in words.
pub fn title_of(part: &Part<'_>, cell: &Cell) -> String {
    let mut words: Vec<String> = vec![cell.ground.to_string()];
    if cell.level > 0 {
        words.push(format!("height {}", cell.level));
    }
    words.extend(cell.works.iter().map(ToString::to_string));
    let seen: BTreeSet<Flag> = cell.flags.iter().copied().filter(|flag| *flag != Flag::Landing).collect();
    words.extend(seen.iter().map(ToString::to_string));
    if let Some(force) = cell.held.and_then(|id| part.scene.force(id)) {
        words.push(format!("held by {}", force.name));
    }
    words.extend(cell.notes.iter().cloned());
    let name = cell.name.as_ref().map_or_else(String::new, |name| format!(" {name}"));
    format!("{}{name}: {}", cell.id, words.join(", "))
}
