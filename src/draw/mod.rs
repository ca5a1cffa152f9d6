//! Drawings of a [`Scene`](crate::scene::Scene): in characters, as SVG and as PNG. None of them knows a rule.

mod part;
#[cfg(feature = "png")]
mod png;
mod signs;
pub mod svg;
mod text;

pub use part::{Part, Window};
#[cfg(feature = "png")]
pub use png::png;
pub use svg::svg_map;
pub use text::text_map;

/// A picture in characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// The lines, each of patches in one tone.
    pub lines: Vec<Vec<Patch>>,
    /// What the signs mean.
    pub legend: Vec<String>,
}

/// A piece of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The characters.
    pub text: String,
    /// How they are to be shown where colours are.
    pub tone: Tone,
}

/// The colours of a map in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Plain text.
    Plain,
    /// Grid numbers and what is of no interest.
    Faint,
    /// Water.
    Water,
    /// Woods and jungle.
    Green,
    /// High ground.
    Brown,
    /// Towns and works.
    Built,
    /// Roads and railways.
    Road,
    /// Names.
    Name,
    /// The first force's counters.
    First,
    /// The second force's counters.
    Second,
    /// A third force.
    Third,
    /// What is asked about.
    Marked,
}
