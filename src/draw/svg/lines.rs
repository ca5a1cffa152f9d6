//! Rivers, slopes and trenches along the sides of cells, roads and railways through their middles.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::scene::{Border, Point, Track};

use super::super::part::Part;
use super::escape;
use super::land::middle;

/// The corners of the side between two cells that are shown.
fn side(part: &Part<'_>, a: &str, b: &str) -> Option<(Point, Point)> {
    part.board.shape.side(part.cell(a)?.at, part.cell(b)?.at)
}

/// Stretches that meet in points, as one path: rounded where two meet.
pub fn joined(stretches: &[(Point, Point)]) -> String {
    let mut meet: BTreeMap<Point, Vec<Point>> = BTreeMap::new();
    for (a, b) in stretches {
        for end in [a, b] {
            meet.entry(*end).or_default().push(middle(*a, *b));
        }
    }
    let mut path = String::new();
    for (at, middles) in &meet {
        match middles.as_slice() {
            [one] => drop(write!(path, "M{} {}L{} {}", one.0, one.1, at.0, at.1)),
            many => {
                for pair in many.windows(2) {
                    if let [from, to] = pair {
                        let _ = write!(path, "M{} {}Q{} {} {} {}", from.0, from.1, at.0, at.1, to.0, to.1);
                    }
                }
            }
        }
    }
    path
}

/// What lies along sides.
pub fn sides(part: &Part<'_>, out: &mut String) {
    let of = |what: Border| {
        let edges = part.board.sides.iter().filter(move |edge| edge.what == what);
        edges.filter_map(|edge| side(part, &edge.between[0], &edge.between[1])).collect::<Vec<_>>()
    };
    let (slopes, cliffs) = (of(Border::Slope), of(Border::Cliff));
    for (class, stretches) in [("slope", slopes), ("cliff", cliffs)] {
        let mut path = String::new();
        for (a, b) in stretches {
            hachures(a, b, &mut path);
        }
        if !path.is_empty() {
            let _ = write!(out, "<path class=\"{class}\" d=\"{path}\"/>");
        }
    }
    let rivers = joined(&of(Border::River).into_iter().chain(of(Border::Water)).collect::<Vec<_>>());
    let streams = joined(&of(Border::Stream));
    let _ = write!(out, "<path class=\"river-bank\" d=\"{rivers}\"/><path class=\"river\" d=\"{rivers}\"/>");
    let _ = write!(out, "<path class=\"stream\" d=\"{streams}\"/>");
    let mut trenches = String::new();
    for edge in part.board.sides.iter().filter(|edge| edge.what == Border::Trench) {
        let (Some((a, b)), Some(held)) = (side(part, &edge.between[0], &edge.between[1]), part.cell(&edge.between[1]))
        else {
            continue;
        };
        zigzag(inward(a, held.at), inward(b, held.at), &mut trenches);
    }
    let _ = write!(out, "<path class=\"trench\" d=\"{trenches}\"/>");
}

/// A point a little nearer to the middle of its cell.
fn inward(point: Point, centre: Point) -> Point {
    (point.0 + (centre.0 - point.0) * 14 / 100, point.1 + (centre.1 - point.1) * 14 / 100)
}

/// A point so many tenths of the way.
fn along(a: Point, b: Point, tenths: i32) -> Point {
    (a.0 + (b.0 - a.0) * tenths / 10, a.1 + (b.1 - a.1) * tenths / 10)
}

/// Short strokes down a slope: the low side lies to the left of the way from `a` to `b`.
fn hachures(a: Point, b: Point, path: &mut String) {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    for tenths in [2, 4, 6, 8] {
        let (x, y) = along(a, b, tenths);
        let _ = write!(path, "M{x} {y}l{} {}", -dy * 16 / 100, dx * 16 / 100);
    }
}

fn zigzag(a: Point, b: Point, path: &mut String) {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let _ = write!(path, "M{} {}", a.0, a.1);
    for tenths in 1..10 {
        let (x, y) = along(a, b, tenths);
        let out = if tenths % 2 == 0 { 1 } else { -1 };
        let _ = write!(path, "L{} {}", x + out * dy * 7 / 100, y - out * dx * 7 / 100);
    }
    let _ = write!(path, "L{} {}", b.0, b.1);
}

/// Roads, trails, railways, piers.
pub fn ways(part: &Part<'_>, out: &mut String) {
    for (track, classes) in [
        (Track::Pier, &["pier"][..]),
        (Track::Trail, &["trail"]),
        (Track::Road, &["road-edge", "road"]),
        (Track::Railway, &["ties", "rail"]),
    ] {
        // From the middle of a cell to the middle of each side it is left by.
        let mut through: BTreeMap<Point, Vec<Point>> = BTreeMap::new();
        for way in part.board.ways.iter().filter(|way| way.what == track) {
            for step in way.cells.windows(2) {
                let [a, b] = step else { continue };
                let (Some(a), Some(b)) = (part.board.cell(a), part.board.cell(b)) else { continue };
                let half = middle(a.at, b.at);
                for cell in [a, b].into_iter().filter(|cell| part.shows(&cell.id)) {
                    through.entry(cell.at).or_default().push(half);
                }
            }
        }
        // A railway beside a road keeps a little apart from it.
        let off = if track == Track::Railway { 7 } else { 0 };
        let mut path = String::new();
        for (centre, ends) in &through {
            let c = (centre.0 + off, centre.1 + off);
            match ends.as_slice() {
                [a, b] => {
                    let _ = write!(path, "M{} {}Q{} {} {} {}", a.0 + off, a.1 + off, c.0, c.1, b.0 + off, b.1 + off);
                }
                many => {
                    for end in many {
                        let _ = write!(path, "M{} {}L{} {}", end.0 + off, end.1 + off, c.0, c.1);
                    }
                }
            }
        }
        for class in classes.iter().filter(|_| !path.is_empty()) {
            let _ = write!(out, "<path class=\"{class}\" d=\"{path}\"/>");
        }
    }
}

/// Bridges and fords, across the side they lie on.
pub fn crossings(part: &Part<'_>, out: &mut String) {
    let (mut bridges, mut fords) = (String::new(), String::new());
    for edge in &part.board.sides {
        let path = match edge.what {
            Border::Bridge => &mut bridges,
            Border::Ford => &mut fords,
            _ => continue,
        };
        let (Some(a), Some(b)) = (part.cell(&edge.between[0]), part.cell(&edge.between[1])) else { continue };
        let (from, to) = (along(a.at, b.at, 4), along(a.at, b.at, 6));
        let _ = write!(path, "M{} {}L{} {}", from.0, from.1, to.0, to.1);
    }
    let _ = write!(out, "<path class=\"bridge-edge\" d=\"{bridges}\"/><path class=\"bridge\" d=\"{bridges}\"/>");
    let _ = write!(out, "<path class=\"ford\" d=\"{fords}\"/>");
}

/// Names of rivers along their course, of roads beside theirs; where there is room, and none upon another.
pub fn labels(part: &Part<'_>, out: &mut String) {
    let mut written: Vec<Point> = Vec::new();
    let places = part.cells.iter().filter(|cell| cell.name.is_some());
    let places: Vec<Point> =
        places.flat_map(|cell| [-35, 0, 35].map(|right| (cell.at.0 + right, cell.at.1 + 48))).collect();
    for (number, label) in part.board.names.iter().enumerate() {
        let water = !label.sides.is_empty();
        let points: Vec<Point> = if water {
            let sides = label.sides.iter().filter_map(|[a, b]| side(part, a, b));
            sides.map(|(a, b)| middle(a, b)).collect()
        } else {
            label.cells.iter().filter_map(|cell| part.cell(cell)).map(|cell| cell.at).collect()
        };
        // About so long is the name; a shorter line would lose letters at its ends.
        let letters = i32::try_from(label.text.chars().count()).unwrap_or(i32::MAX);
        let needs = letters.saturating_mul(if water { 9 } else { 8 });
        let crowded = |course: &[Point]| {
            let spots = spots(course);
            4 * near(&spots, &places) + 20 * near(&spots, &written)
        };
        // In a part of the map a course may come and go: a name stands on one of its stretches.
        let stretches = points.chunk_by(|a, b| (a.0 - b.0).abs().max((a.1 - b.1).abs()) <= STEP);
        let best = stretches.filter_map(|points| straightest(points, needs, crowded)).min_by_key(|(ill, _)| *ill);
        let Some((_, mut course)) = best else { continue };
        let spots = spots(&course);
        // Two names upon each other are no names.
        if near(&spots, &written) > 1 {
            continue;
        }
        written.extend(spots);
        // Read from left to right, or upwards.
        if let (Some(first), Some(last)) = (course.first(), course.last())
            && (first.0, last.1) > (last.0, first.1)
        {
            course.reverse();
        }
        let class = if water { "water-name" } else { "way-name" };
        let id = format!("n{}-{number}", part.index);
        let _ = write!(
            out,
            "<path id=\"{id}\" fill=\"none\" d=\"{}\"/><text class=\"{class}\" dy=\"-7\"><textPath href=\"#{id}\" startOffset=\"50%\">{}</textPath></text>",
            smooth(&course),
            escape(&label.text)
        );
    }
}

/// Farther apart lie no two neighbouring cells, nor the middles of two sides that meet.
const STEP: i32 = 104;

/// Points close together along a course.
fn spots(course: &[Point]) -> Vec<Point> {
    course.windows(2).flat_map(|step| [0, 2, 5, 7].map(|tenths| along(step[0], step[1], tenths))).collect()
}

/// How many of some points lie within the height of a name of others.
fn near(spots: &[Point], others: &[Point]) -> i32 {
    let close = |a: &Point, b: &Point| (a.0 - b.0).abs() < 30 && (a.1 - b.1).abs() < 26;
    let count = spots.iter().filter(|spot| others.iter().any(|other| close(spot, other))).count();
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// Along this line letters stand side by side: a curve that cuts the corners of its points.
fn smooth(points: &[Point]) -> String {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return String::new() };
    let mut path = format!("M{} {}", first.0, first.1);
    for pair in points.windows(2).skip(1) {
        if let [at, next] = pair {
            let to = middle(*at, *next);
            let _ = write!(path, "Q{} {} {} {}", at.0, at.1, to.0, to.1);
        }
    }
    let _ = write!(path, "L{} {}", last.0, last.1);
    path
}

/// The stretch of a course that bends least and is least crowded, of those long enough for a name, with its zigzag taken
/// out.
fn straightest(points: &[Point], needs: i32, crowded: impl Fn(&[Point]) -> i32) -> Option<(i32, Vec<Point>)> {
    let mut even = points.to_vec();
    for _ in 0..3 {
        let inner = even.windows(3).map(|p| {
            let mean = |of: fn(&Point) -> i32| p.iter().map(of).sum::<i32>() / 3;
            (mean(|p| p.0), mean(|p| p.1))
        });
        let ends = [even.first().copied()?, even.last().copied()?];
        even = [ends[0]].into_iter().chain(inner).chain([ends[1]]).collect();
    }
    let far = |a: Point, b: Point| (a.0 - b.0).pow(2).saturating_add((a.1 - b.1).pow(2)).isqrt();
    let mut best: Option<(i32, Vec<Point>)> = None;
    for from in 0..even.len() {
        let mut long = 0;
        for to in from + 1..even.len() {
            let (Some(&first), Some(&a), Some(&b)) = (even.get(from), even.get(to - 1), even.get(to)) else { break };
            long += far(a, b);
            if far(first, b) < needs {
                continue;
            }
            let stretch = even.get(from..=to)?;
            let ill = long * 100 / far(first, b).max(1) + crowded(stretch);
            if best.as_ref().is_none_or(|(least, _)| ill < *least) {
                best = Some((ill, stretch.to_vec()));
            }
            break;
        }
    }
    best
}
