//! What is drawn over a map: what could happen, and what did.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::scene::{Deed, Incident, Overlay, Point, Trace};

use super::super::part::Part;
use super::escape;
use super::land::{middle, outline};

/// Cells that can be reached, or where there is supply, and the lines it takes: beneath the counters.
pub fn areas(part: &Part<'_>) -> String {
    let mut out = String::new();
    // Where many lines run along one road it is drawn once.
    let mut supplied: BTreeSet<(Point, Point)> = BTreeSet::new();
    for overlay in &part.scene.could {
        let (class, cells): (&str, Vec<&str>) = match overlay {
            Overlay::Reach { board, cells, .. } if *board == part.index => {
                ("reach", cells.iter().map(|reached| reached.cell.as_str()).collect())
            }
            Overlay::Area { board, cells, .. } if *board == part.index => {
                ("area", cells.iter().map(String::as_str).collect())
            }
            Overlay::Line { board, what: Trace::Supply, cells, open: true, .. } if *board == part.index => {
                let points: Vec<Point> = cells.iter().filter_map(|cell| part.cell(cell)).map(|cell| cell.at).collect();
                supplied.extend(points.windows(2).map(|step| (step[0].min(step[1]), step[0].max(step[1]))));
                continue;
            }
            _ => continue,
        };
        let path = outline(part, |cell| cells.contains(&cell.id.as_str()));
        let _ = write!(out, "<path class=\"{class}\" d=\"{path}\"/>");
    }
    let mut path = String::new();
    for ((a, b), (x, y)) in &supplied {
        let _ = write!(path, "M{a} {b}L{x} {y}");
    }
    if !path.is_empty() {
        let _ = write!(out, "<path class=\"supply-edge\" d=\"{path}\"/><path class=\"supply\" d=\"{path}\"/>");
    }
    out
}

/// Costs, targets and lines: above the counters.
pub fn lines(part: &Part<'_>) -> String {
    let mut out = String::new();
    for overlay in &part.scene.could {
        match overlay {
            Overlay::Reach { board, cells, .. } if *board == part.index => {
                for reached in cells {
                    let Some(cell) = part.cell(&reached.cell) else { continue };
                    let dice = if reached.dice.is_empty() { "" } else { "*" };
                    let words = [format!("{} points", reached.cost), reached.dice.clone(), reached.note.clone()];
                    let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
                    let _ = write!(
                        out,
                        "<text class=\"cost\" x=\"{}\" y=\"{}\">{}{dice}<title>{}</title></text>",
                        cell.at.0,
                        cell.at.1 + 6,
                        escape(&reached.cost),
                        escape(&words.join(", "))
                    );
                }
            }
            Overlay::Targets { board, cells } if *board == part.index => {
                for target in cells {
                    let Some(cell) = part.cell(&target.cell) else { continue };
                    let (x, y) = cell.at;
                    let _ = write!(
                        out,
                        "<circle class=\"target\" cx=\"{x}\" cy=\"{y}\" r=\"46\"/><text class=\"cost\" x=\"{x}\" y=\"{}\">{}<title>{}</title></text>",
                        y + 6,
                        escape(&target.odds),
                        escape(&target.note)
                    );
                }
            }
            Overlay::Line { board, what, cells, open, .. } if *board == part.index => {
                let points: Vec<Point> = cells.iter().filter_map(|cell| part.cell(cell)).map(|cell| cell.at).collect();
                if *what == Trace::Sight {
                    let ends = [points.first(), points.last()].map(|end| end.copied().unwrap_or_default());
                    let _ = write!(out, "<path class=\"sight\" d=\"{}\"/>", through(&ends));
                }
                if !open {
                    // Beside the counters; on a line of which nobody says where it is cut, in its middle.
                    let blocked: Vec<Point> = match points.as_slice() {
                        [a, b] if *what == Trace::Sight => vec![middle(*a, *b)],
                        [_, between @ .., _] if *what == Trace::Sight => between.iter().map(beside).collect(),
                        all => all.iter().map(beside).collect(),
                    };
                    for (x, y) in blocked {
                        let _ = write!(out, "<path class=\"cut\" d=\"M{} {}l18 18m0-18l-18 18\"/>", x - 9, y - 9);
                    }
                }
            }
            _ => {}
        }
    }
    out
}

/// Where a mark leaves a counter to be seen.
fn beside(cell: &Point) -> Point {
    (cell.0 + 31, cell.1 + 23)
}

/// A line through points.
fn through(points: &[Point]) -> String {
    let mut path = String::new();
    for (at, (x, y)) in points.iter().enumerate() {
        let _ = write!(path, "{}{x} {y}", if at == 0 { "M" } else { "L" });
    }
    path
}

/// A point this far before the second, on the way from the first.
fn short_of((a, b): Point, (x, y): Point, by: i32) -> Point {
    let (right, down) = (x - a, y - b);
    let long = right.pow(2).saturating_add(down.pow(2)).isqrt().max(1);
    let left = (long - by).max(long / 2);
    (a + right * left / long, b + down * left / long)
}

/// How far before the middle of a cell an arrow ends: at the edge of a counter there.
const EDGE: i32 = 34;

/// Results of one cell that are written one below the other; more would hide what stands there.
const WRITTEN: usize = 3;

/// What happened: arrows and bursts, each with the number of its event.
pub fn story(part: &Part<'_>, happened: &[Incident]) -> String {
    let mut out = String::from("<g class=\"story\">");
    let mut results: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for incident in happened.iter().filter(|incident| incident.board == part.index) {
        let cell = incident.at.as_deref().unwrap_or_default();
        let written = results.entry(cell).or_default();
        // What is written there already is shown only when somebody steps to it.
        let row = match written.iter().position(|known| *known == incident.result) {
            Some(row) => Row { row, again: true },
            None if written.len() < WRITTEN && !incident.result.is_empty() => {
                written.push(&incident.result);
                Row { row: written.len() - 1, again: false }
            }
            None => Row { row: 0, again: true },
        };
        out.push_str(&drawn(part, incident, row));
    }
    out.push_str("</g>");
    out
}

/// Where the result of an incident is written.
struct Row {
    row: usize,
    again: bool,
}

fn drawn(part: &Part<'_>, incident: &Incident, row: Row) -> String {
    let mut from: Vec<Point> = incident.from.iter().filter_map(|cell| part.cell(cell)).map(|cell| cell.at).collect();
    let at = incident.at.as_deref().and_then(|cell| part.cell(cell)).map(|cell| cell.at);
    let mut body = String::new();
    let arrow = |class: &str, path: &str, head: &str, body: &mut String| {
        let _ = write!(
            body,
            "<path class=\"path-edge\" d=\"{path}\"/><path class=\"{class}\" marker-end=\"url(#{head})\" d=\"{path}\"/>"
        );
    };
    match incident.what {
        Deed::Moved | Deed::Retreated | Deed::Advanced | Deed::Landed | Deed::Entered => {
            let class = match incident.what {
                Deed::Moved => "move",
                Deed::Retreated => "retreat",
                Deed::Advanced => "advance",
                _ => "land-in",
            };
            if let [.., before, last] = from.as_mut_slice() {
                *last = short_of(*before, *last, EDGE);
            }
            match (from.as_slice(), at) {
                ([_, _, ..], _) => arrow(class, &through(&from), "head", &mut body),
                (_, Some((x, y))) if matches!(incident.what, Deed::Landed | Deed::Entered) => {
                    arrow(class, &format!("M{} {}L{x} {}", x + 8, y + 72, y + EDGE), "head", &mut body);
                }
                _ => {}
            }
        }
        Deed::Fought | Deed::Fired => {
            let Some((x, y)) = at else { return String::new() };
            let class = if incident.what == Deed::Fought { "advance" } else { "shot" };
            for (a, b) in from.iter().filter(|from| **from != (x, y)) {
                let end = short_of((*a, *b), (x, y), EDGE);
                arrow(class, &format!("M{a} {b}L{} {}", end.0, end.1), "red", &mut body);
            }
            // Beside the counters, not upon them.
            let (x, y) = (x + 27, y - 33);
            if incident.what == Deed::Fought {
                let _ =
                    write!(body, "<path class=\"burst\" transform=\"translate({x},{y}) scale(.6)\" d=\"{BURST}\"/>");
            }
            if !incident.result.is_empty() {
                let _ = write!(
                    body,
                    "<text class=\"outcome{}\" x=\"{x}\" y=\"{}\">{}</text>",
                    if row.again { " again" } else { "" },
                    y + 5 + 13 * i32::try_from(row.row).unwrap_or(0),
                    escape(&incident.result)
                );
            }
        }
        Deed::Eliminated => {
            let Some((x, y)) = at else { return String::new() };
            let _ = write!(body, "<path class=\"fallen\" d=\"M{} {}l20 20m0-20l-20 20\"/>", x - 44, y - 46);
        }
        Deed::Placed | Deed::Suffered | Deed::Taken | Deed::Revealed | Deed::Noted => return String::new(),
    }
    if body.is_empty() { body } else { format!("<g data-event=\"{}\">{body}</g>", incident.event) }
}

/// A burst of twelve points.
const BURST: &str = "M0-34L8-16L24-24L17-8L35 0L17 8L24 24L8 16L0 34L-8 16L-24 24L-17 8L-35 0L-17-8L-24-24L-8-16Z";
