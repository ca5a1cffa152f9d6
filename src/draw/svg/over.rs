//! What is drawn over a map: what could happen, and what did.

use std::fmt::Write as _;

use crate::scene::{Deed, Incident, Overlay, Point, Trace};

use super::super::part::Part;
use super::escape;
use super::land::outline;

/// Cells that can be reached, or where there is supply: beneath the counters.
pub fn areas(part: &Part<'_>) -> String {
    let mut out = String::new();
    for overlay in &part.scene.could {
        let (class, cells): (&str, Vec<&str>) = match overlay {
            Overlay::Reach { board, cells, .. } if *board == part.index => {
                ("reach", cells.iter().map(|reached| reached.cell.as_str()).collect())
            }
            Overlay::Area { board, cells, .. } if *board == part.index => {
                ("area", cells.iter().map(String::as_str).collect())
            }
            _ => continue,
        };
        let path = outline(part, |cell| cells.contains(&cell.id.as_str()));
        let _ = write!(out, "<path class=\"{class}\" d=\"{path}\"/>");
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
                if *open || *what == Trace::Sight {
                    let class = if *what == Trace::Sight { "sight" } else { "supply" };
                    let _ = write!(out, "<path class=\"{class}\" d=\"{}\"/>", through(&points));
                }
                if !open {
                    let blocked: &[Point] = match points.as_slice() {
                        [_, between @ .., _] if *what == Trace::Sight && !between.is_empty() => between,
                        all => all,
                    };
                    for (x, y) in blocked {
                        let _ = write!(out, "<path class=\"cut\" d=\"M{} {}l36 36m0-36l-36 36\"/>", x - 18, y - 18);
                    }
                }
            }
            _ => {}
        }
    }
    out
}

/// A line through points.
fn through(points: &[Point]) -> String {
    let mut path = String::new();
    for (at, (x, y)) in points.iter().enumerate() {
        let _ = write!(path, "{}{x} {y}", if at == 0 { "M" } else { "L" });
    }
    path
}

/// What happened: arrows and bursts, each with the number of its event.
pub fn story(part: &Part<'_>, happened: &[Incident]) -> String {
    let mut out = String::from("<g class=\"story\">");
    for incident in happened.iter().filter(|incident| incident.board == part.index) {
        out.push_str(&drawn(part, incident));
    }
    out.push_str("</g>");
    out
}

fn drawn(part: &Part<'_>, incident: &Incident) -> String {
    let from: Vec<Point> = incident.from.iter().filter_map(|cell| part.cell(cell)).map(|cell| cell.at).collect();
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
            match (from.as_slice(), at) {
                ([_, _, ..], _) => arrow(class, &through(&from), "head", &mut body),
                (_, Some((x, y))) if matches!(incident.what, Deed::Landed | Deed::Entered) => {
                    arrow(class, &format!("M{} {}L{x} {}", x + 8, y + 66, y + 20), "head", &mut body);
                }
                _ => {}
            }
        }
        Deed::Fought | Deed::Fired => {
            let Some((x, y)) = at else { return String::new() };
            let class = if incident.what == Deed::Fought { "advance" } else { "shot" };
            for (a, b) in from.iter().filter(|from| **from != (x, y)) {
                // Up to the edge of the cell.
                let end = (a + (x - a) * 7 / 10, b + (y - b) * 7 / 10);
                arrow(class, &format!("M{a} {b}L{} {}", end.0, end.1), "red", &mut body);
            }
            if incident.what == Deed::Fought {
                let _ = write!(body, "<path class=\"burst\" transform=\"translate({x},{y})\" d=\"{BURST}\"/>");
            }
            if !incident.result.is_empty() {
                let _ = write!(
                    body,
                    "<text class=\"outcome\" x=\"{x}\" y=\"{}\">{}</text>",
                    y + 5,
                    escape(&incident.result)
                );
            }
        }
        Deed::Eliminated => {
            let Some((x, y)) = at else { return String::new() };
            let _ = write!(body, "<path class=\"fallen\" d=\"M{} {}l24 24m0-24l-24 24\"/>", x - 12, y - 12);
        }
        Deed::Placed | Deed::Suffered | Deed::Taken | Deed::Revealed | Deed::Noted => return String::new(),
    }
    if body.is_empty() { body } else { format!("<g data-event=\"{}\">{body}</g>", incident.event) }
}

/// A burst of twelve points.
const BURST: &str = "M0-34L8-16L24-24L17-8L35 0L17 8L24 24L8 16L0 34L-8 16L-24 24L-17 8L-35 0L-17-8L-24-24L-8-16Z";
