//! The map in characters, in colours or without.

use crate::draw::{Picture, Tone};

use super::Look;
use super::html::escape;
use super::terminal::paint;

/// The escape sequence and the class name of each tone.
fn style(tone: Tone) -> (&'static str, &'static str) {
    match tone {
        Tone::Plain => ("", ""),
        Tone::Faint => ("2", "faint"),
        Tone::Water => ("34", "water"),
        Tone::Green => ("32", "green"),
        Tone::Brown => ("33", "brown"),
        Tone::Built => ("37", "built"),
        Tone::Road => ("93", "road"),
        Tone::Name => ("1", "name"),
        Tone::First => ("1;94", "first"),
        Tone::Second => ("1;91", "second"),
        Tone::Third => ("1;95", "third"),
        Tone::Marked => ("1;30;103", "marked"),
    }
}

/// The map for the terminal, with its legend.
pub fn picture_text(picture: &Picture, look: Look) -> String {
    let mut out = String::new();
    for line in &picture.lines {
        let painted: String = line.iter().map(|patch| paint(look, style(patch.tone).0, &patch.text)).collect();
        out.push_str(if look.color { &painted } else { painted.trim_end() });
        out.push('\n');
    }
    for line in &picture.legend {
        out.push_str(&paint(look, "2", line));
        out.push('\n');
    }
    out
}

/// The map for an HTML page.
pub fn picture_html(picture: &Picture) -> String {
    let mut out = String::from("<pre class=\"map\">");
    for line in &picture.lines {
        for patch in line {
            match style(patch.tone).1 {
                "" => out.push_str(&escape(&patch.text)),
                class => out.push_str(&format!("<span class=\"{class}\">{}</span>", escape(&patch.text))),
            }
        }
        out.push('\n');
    }
    for line in &picture.legend {
        out.push_str(&format!("{}\n", escape(line)));
    }
    out.push_str("</pre>\n");
    out
}
