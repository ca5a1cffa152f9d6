//! The map in characters, in colours or without.

use crate::draw::{Picture, Tone};

use super::Look;
use super::terminal::paint;

/// The escape sequence of each tone.
fn style(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Faint => "2",
        Tone::Water => "34",
        Tone::Green => "32",
        Tone::Brown => "33",
        Tone::Built => "37",
        Tone::Road => "93",
        Tone::Name => "1",
        Tone::First => "1;94",
        Tone::Second => "1;91",
        Tone::Third => "1;95",
        Tone::Marked => "1;30;103",
    }
}

/// The map for the terminal, with its legend.
pub fn picture_text(picture: &Picture, look: Look) -> String {
    let mut out = String::new();
    for line in &picture.lines {
        let painted: String = line.iter().map(|patch| paint(look, style(patch.tone), &patch.text)).collect();
        out.push_str(if look.color { &painted } else { painted.trim_end() });
        out.push('\n');
    }
    for line in &picture.legend {
        out.push_str(&paint(look, "2", line));
        out.push('\n');
    }
    out
}
