//! The characters a map is drawn with, and what each of them means.

use std::collections::BTreeMap;

use crate::scene::{Arm, Border, Counter, Flag, Ground, Track, Work};

use super::Tone;

/// The signs that occur in a drawing, with their meanings, in the order of a legend.
#[derive(Default)]
pub struct Legend {
    /// By chapter and sign.
    met: BTreeMap<(&'static str, char), String>,
}

impl Legend {
    /// Takes note of a sign.
    pub fn met(&mut self, chapter: &'static str, sign: char, means: &str) {
        self.met.entry((chapter, sign)).or_insert_with(|| means.to_owned());
    }

    /// The legend, a chapter after the other, in lines of at most this width.
    pub fn lines(&self, width: usize) -> Vec<String> {
        let mut lines = Vec::new();
        for chapter in ["ground", "works", "marks", "between cells", "counters"] {
            // Signs that mean the same stand together, where the first of them is due.
            let mut entries: Vec<(String, &str)> = Vec::new();
            for ((_, sign), means) in self.met.iter().filter(|((of, _), _)| *of == chapter) {
                match entries.iter_mut().find(|(_, known)| known == means) {
                    Some((signs, _)) => signs.extend([' ', *sign]),
                    None => entries.push((sign.to_string(), means)),
                }
            }
            let entries: Vec<String> = entries.iter().map(|(signs, means)| format!("{signs} {means}")).collect();
            lines.extend(listed(chapter, &entries, width));
        }
        lines
    }
}

/// A list under a heading, broken into lines.
pub fn listed(heading: &str, entries: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for entry in entries {
        match lines.last_mut() {
            Some(line) if line.chars().count() + entry.chars().count() + 3 <= width => {
                line.push_str(", ");
                line.push_str(entry);
            }
            Some(line) => {
                line.push(',');
                lines.push(format!("  {entry}"));
            }
            None => lines.push(format!("{heading}: {entry}")),
        }
    }
    lines
}

/// The sign of a kind of ground.
pub fn ground(ground: Ground) -> (char, Tone) {
    match ground {
        Ground::Clear => ('.', Tone::Plain),
        Ground::Jungle => ('"', Tone::Green),
        Ground::Woods => ('w', Tone::Green),
        Ground::Hill => ('^', Tone::Brown),
        Ground::Swamp => (',', Tone::Green),
        Ground::Beach => ('_', Tone::Brown),
        Ground::Village => ('n', Tone::Built),
        Ground::Town => ('t', Tone::Built),
        Ground::City => ('$', Tone::Built),
        Ground::Lake | Ground::Harbour | Ground::Sea => ('~', Tone::Water),
    }
}

/// What the sign of a kind of ground means.
pub fn ground_name(ground: Ground) -> &'static str {
    if ground.is_water() { "water" } else { ground.as_str() }
}

/// The sign of a work.
pub fn work(work: Work) -> char {
    match work {
        Work::Entrenchment => 'E',
        Work::Redoubt => 'R',
        Work::Blockhouse => 'H',
        Work::Battery => 'B',
        Work::Fort => 'F',
    }
}

/// The sign of a mark in a cell, but for an objective.
pub fn flag(flag: Flag) -> Option<char> {
    match flag {
        Flag::Objective => Some('*'),
        Flag::Source => Some('@'),
        // A beach and the edge of the map are seen as it is.
        Flag::Landing | Flag::Entry => None,
    }
}

/// The sign of a road.
pub fn track(track: Track) -> char {
    match track {
        Track::Road => '=',
        Track::Trail => '-',
        Track::Railway => '+',
        Track::Pier => 'i',
    }
}

/// The sign of something along a side. A slope points uphill.
pub fn border(border: Border, uphill: char) -> (char, Tone) {
    match border {
        Border::River => ('~', Tone::Water),
        Border::Stream => (';', Tone::Water),
        Border::Ford => (':', Tone::Water),
        Border::Bridge => ('#', Tone::Road),
        Border::Water => ('w', Tone::Water),
        Border::Slope => (uphill, Tone::Brown),
        Border::Cliff => ('!', Tone::Brown),
        Border::Trench => ('T', Tone::Built),
    }
}

/// What a counter is shown as where it is not just counted.
pub fn special(counter: &Counter) -> Option<(char, &'static str)> {
    match counter.arm {
        Arm::Leader => Some(('L', "leader")),
        Arm::Signals => Some(('o', "signals")),
        Arm::Balloon => Some(('O', "balloon")),
        Arm::Supply => Some(('&', "supplies")),
        Arm::Base => Some(('@', "base")),
        _ => None,
    }
}
