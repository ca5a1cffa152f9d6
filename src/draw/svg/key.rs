//! The key to a map: everything that occurs on it, and nothing else.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::scene::{
    Arm, Border, Counter, Flag, Ground, Livery, Mark, OffMap, Overlay, Point, Scene, Trace, Track, Work,
};

use super::super::part::Part;
use super::counter::{is_good, symbol};
use super::escape;
use super::land::{SOURCE, goal, sign};

/// Room for one entry.
const WIDE: i32 = 190;
const HIGH: i32 = 34;

/// The key to some maps with the boxes that are drawn beside them, and its size.
pub fn key(scene: &Scene, parts: &[Part<'_>], boxes: &[OffMap], wide: i32) -> (String, Point) {
    let mut entries: Vec<(String, String)> = Vec::new();
    let cells = || parts.iter().flat_map(|part| part.cells.iter());
    for ground in Ground::ALL {
        if cells().any(|cell| cell.ground == *ground) {
            let class = if *ground == Ground::Clear { "land" } else { ground.as_str() };
            entries.push((
                format!("<rect class=\"{class}\" x=\"-18\" y=\"-11\" width=\"36\" height=\"22\" stroke=\"#999\"/>"),
                ground.to_string(),
            ));
        }
    }
    let highest = cells().map(|cell| cell.level).max().unwrap_or(0).min(3);
    for level in 1..=highest {
        let swatch =
            format!("<rect class=\"level{level}\" x=\"-18\" y=\"-11\" width=\"36\" height=\"22\" stroke=\"#a8814a\"/>");
        entries.push((swatch, format!("height {level}")));
    }
    let ways = parts.iter().flat_map(|part| part.board.ways.iter().map(move |way| (part, way)));
    let tracks: BTreeSet<Track> =
        ways.filter(|(part, way)| way.cells.iter().any(|cell| part.shows(cell))).map(|(_, way)| way.what).collect();
    for track in tracks {
        let classes: &[&str] = match track {
            Track::Road => &["road-edge", "road"],
            Track::Trail => &["trail"],
            Track::Railway => &["ties", "rail"],
            Track::Pier => &["pier"],
        };
        let drawing = classes.iter().map(|class| format!("<path class=\"{class}\" d=\"M-20 0h40\"/>")).collect();
        entries.push((drawing, track.to_string()));
    }
    let edges = parts.iter().flat_map(|part| part.board.sides.iter().map(move |edge| (part, edge)));
    let borders: BTreeSet<Border> = (edges.filter(|(part, edge)| edge.between.iter().all(|cell| part.shows(cell))))
        .map(|(_, edge)| edge.what)
        .collect();
    for border in borders {
        let drawing = match border {
            Border::River | Border::Water => {
                "<path class=\"river-bank\" d=\"M-20 0h40\"/><path class=\"river\" d=\"M-20 0h40\"/>"
            }
            Border::Stream => "<path class=\"stream\" d=\"M-20 0h40\"/>",
            Border::Ford => {
                "<path class=\"river-bank\" d=\"M-20 0h40\"/><path class=\"river\" d=\"M-20 0h40\"/><path class=\"ford\" d=\"M0-9v18\"/>"
            }
            Border::Bridge => {
                "<path class=\"river\" d=\"M-20 0h40\"/><path class=\"bridge-edge\" d=\"M0-10v20\"/><path class=\"bridge\" d=\"M0-10v20\"/>"
            }
            Border::Slope => "<path class=\"slope\" d=\"M-14-4v10m9-10v10m9-10v10m9-10v10\"/>",
            Border::Cliff => "<path class=\"cliff\" d=\"M-14-4v10m9-10v10m9-10v10m9-10v10\"/>",
            Border::Trench => "<path class=\"trench\" d=\"M-20 0l5 5 5-10 5 10 5-10 5 10 5-10 5 10\"/>",
        };
        entries.push((drawing.to_owned(), border.to_string()));
    }
    let works: BTreeSet<Work> = cells().flat_map(|cell| &cell.works).copied().collect();
    for work in works {
        let class = if work == Work::Entrenchment { "dug" } else { "work" };
        entries.push((format!("<path class=\"{class}\" d=\"M0 0{}\"/>", sign(work)), work.to_string()));
    }
    if cells().any(|cell| cell.flags.contains(&Flag::Objective)) {
        let sign = format!("<g transform=\"translate(0,5)\">{}</g>", goal(Livery::Grey));
        entries.push((sign, "objective, holder".to_owned()));
    }
    if cells().any(|cell| cell.flags.contains(&Flag::Source)) {
        entries.push((SOURCE.to_owned(), Flag::Source.to_string()));
    }
    let shown = |part: &Part<'_>, counter: &Counter| counter.cell.as_deref().is_some_and(|cell| part.shows(cell));
    let mapped = parts.iter().flat_map(|part| part.board.counters.iter().filter(move |counter| shown(part, counter)));
    let counters: Vec<&Counter> = mapped.chain(boxes.iter().flat_map(|held| &held.counters)).collect();
    let holds = |id: &str| cells().any(|cell| cell.held == Some(id));
    let occurs = |id: &str| counters.iter().any(|counter| counter.force == id) || holds(id);
    for force in scene.forces.iter().filter(|force| occurs(force.id)) {
        let livery = force.livery;
        entries.push((
            format!("<rect class=\"{livery}\" x=\"-13\" y=\"-13\" width=\"26\" height=\"26\" rx=\"4\"/>"),
            force.name.to_owned(),
        ));
    }
    let arms: BTreeSet<Arm> = counters.iter().map(|counter| counter.arm).collect();
    for arm in arms {
        entries.push((format!("<g class=\"c\"><g class=\"grey-i\">{}</g></g>", symbol(arm)), arm.to_string()));
    }
    let marks: BTreeSet<Mark> = counters.iter().flat_map(|counter| &counter.marks).copied().collect();
    for mark in marks.into_iter().filter(|mark| !matches!(mark, Mark::Reduced | Mark::Unknown)) {
        let badge = format!(
            "<g class=\"c\"><circle class=\"{}\" r=\"8\"/><text class=\"m\" y=\"4\">{}</text></g>",
            if is_good(mark) { "ok" } else { "bad" },
            escape(mark.letters())
        );
        entries.push((badge, mark.to_string()));
    }
    let asked: BTreeSet<(String, &str)> =
        (scene.could.iter().filter(|overlay| parts.iter().any(|part| part.index == overlay.board())))
            .flat_map(asked)
            .collect();
    entries.extend(asked.into_iter().map(|(drawing, words)| (drawing, words.to_owned())));
    let mut values: Vec<String> = Vec::new();
    for counter in &counters {
        let names: Vec<&str> = counter.values.iter().map(|value| value.what).collect();
        let line = names.join("-");
        if !line.is_empty() && !values.contains(&line) {
            values.push(line);
        }
    }
    values.truncate(3);
    laid_out(&entries, &values, parts, wide)
}

/// The signs of what was asked about.
fn asked(overlay: &Overlay) -> Vec<(String, &'static str)> {
    let swatch = |class: &str| format!("<rect class=\"{class}\" x=\"-18\" y=\"-11\" width=\"36\" height=\"22\"/>");
    let stroke = |class: &str| format!("<path class=\"{class}\" d=\"M-20 0h40\"/>");
    let cut = || "<path class=\"cut\" d=\"M-9-9l18 18m0-18l-18 18\"/>".to_owned();
    match overlay {
        Overlay::Reach { cells, .. } => {
            let die = cells.iter().any(|reached| !reached.dice.is_empty());
            let star = "<text class=\"cost\" y=\"6\">*</text>".to_owned();
            let reached = Some((swatch("reach"), "in reach, and cost"));
            reached.into_iter().chain(die.then_some((star, "dice on the way"))).collect()
        }
        Overlay::Targets { .. } => vec![("<circle class=\"target\" r=\"13\"/>".to_owned(), "target, and odds")],
        Overlay::Area { what: Trace::Supply, .. } => vec![(swatch("area"), "within supply")],
        Overlay::Area { what: Trace::Sight, .. } => vec![(swatch("area"), "in sight")],
        Overlay::Line { what: Trace::Supply, open: true, .. } => {
            vec![(stroke("supply-edge") + &stroke("supply"), "line of supply")]
        }
        Overlay::Line { what: Trace::Supply, open: false, .. } => vec![(cut(), "no line of supply")],
        Overlay::Line { what: Trace::Sight, open, .. } => {
            let line = Some((stroke("sight"), "line of sight"));
            line.into_iter().chain((!open).then(|| (cut(), "in the way"))).collect()
        }
    }
}

/// Between two lines of words.
const LINE: i32 = 21;
/// About so wide is a letter of the key.
const LETTER: i32 = 8;

/// A text in lines of this width.
fn wrapped(text: &str, wide: i32) -> Vec<String> {
    let most = usize::try_from(wide / LETTER).unwrap_or(0);
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut().filter(|line| line.chars().count() + word.chars().count() < most) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

fn laid_out(entries: &[(String, String)], values: &[String], parts: &[Part<'_>], wide: i32) -> (String, Point) {
    let across = (wide / WIDE).max(1);
    let count = i32::try_from(entries.len()).unwrap_or(0);
    let rows = (count + across - 1) / across;
    let scale = parts.first().map(|part| part.board.scale.as_str()).filter(|scale| !scale.is_empty());
    let beside = if scale.is_some() { 278 } else { 18 };
    let words = match values {
        [] => Vec::new(),
        _ => wrapped(&format!("numbers on counters: {}; dots: steps left", values.join(", or ")), wide - beside - 18),
    };
    let more = i32::try_from(words.len().saturating_sub(1)).unwrap_or(0) * LINE;
    let high = rows * HIGH + 66 + more;
    let mut out = format!("<rect class=\"box\" width=\"{wide}\" height=\"{high}\" rx=\"8\"/><g class=\"key\">");
    for (at, (drawing, words)) in (0..).zip(entries) {
        let (x, y) = (36 + at % across * WIDE, 28 + at / across * HIGH);
        let _ = write!(
            out,
            "<g transform=\"translate({x},{y})\">{drawing}</g><text x=\"{}\" y=\"{}\">{}</text>",
            x + 28,
            y + 5,
            escape(words)
        );
    }
    let below = rows * HIGH + 38;
    if let Some(scale) = scale {
        let _ = write!(
            out,
            "<path d=\"M18 {}v8h104v-8\" fill=\"none\" stroke=\"#2b2016\" stroke-width=\"2.4\"/><text x=\"134\" y=\"{below}\">{}</text>",
            below - 8,
            escape(scale)
        );
    }
    for (line, text) in (0..).zip(words) {
        let _ = write!(out, "<text x=\"{beside}\" y=\"{}\">{}</text>", below + line * LINE, escape(&text));
    }
    out.push_str("</g>");
    (out, (wide, high))
}
