//! The text a document was read from, and where in it each part stands.

use std::collections::BTreeMap;

use super::path::{DocPath, Segment};

/// A place in a text, for a person: line and column count from one, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line, from one.
    pub line: usize,
    /// The character in the line, from one.
    pub column: usize,
}

/// A stretch of the text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Extent {
    pub start: usize,
    /// Measured only when somebody asks, where it is not known: to the closing quote, or as far as the line goes.
    len: Option<usize>,
}

impl Extent {
    pub fn exactly(start: usize, len: usize) -> Extent {
        Extent { start, len: Some(len) }
    }

    pub fn open(start: usize) -> Extent {
        Extent { start, len: None }
    }
}

/// Where a value stands, and where its parts do. Mirrors the document.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Extents {
    /// What to underline when the value is at fault.
    pub value: Extent,
    /// The key it stands under, in a map.
    pub key: Option<Extent>,
    pub parts: Parts,
}

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) enum Parts {
    #[default]
    None,
    Items(Vec<Extents>),
    Entries(Entries),
}

/// The entries of a map. Rules say `press-if` where the player may have written `press_if`, so each is kept under its key
/// with hyphens first and as written second.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Entries(BTreeMap<(String, String), Extents>);

impl Entries {
    pub fn insert(&mut self, key: &str, spans: Extents) {
        self.0.insert(names(key), spans);
    }

    fn get(&self, key: &str) -> Option<&Extents> {
        let names = names(key);
        if let Some(spans) = self.0.get(&names) {
            return Some(spans);
        }
        let (plain, _) = names;
        let (found, spans) = self.0.range((plain.clone(), String::new())..).next()?;
        (found.0 == plain).then_some(spans)
    }
}

fn names(key: &str) -> (String, String) {
    (key.replace('_', "-"), key.to_owned())
}

/// A text with its name. Line ends are `\n` and there is no byte order mark, whatever the file had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name of the file, for messages.
    pub name: String,
    /// What it says.
    pub text: String,
    lines: Vec<usize>,
    pub(super) spans: Box<Extents>,
}

impl Source {
    /// A text whose parts are not known (yet).
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        let text = text.into();
        let after_breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(after_breaks).collect();
        Source { name: name.into(), text, lines, spans: Box::default() }
    }

    /// Where a part of the document stands; if it does not exist, the nearest part around it that does.
    pub fn place(&self, at: &DocPath) -> Place {
        self.place_of(self.span(at).0)
    }

    /// The same as an offset and a length in bytes.
    pub fn span(&self, at: &DocPath) -> (usize, usize) {
        let mut spans: &Extents = &self.spans;
        for segment in at.segments() {
            let next = match (segment, &spans.parts) {
                (Segment::Index(index), Parts::Items(items)) => items.get(*index),
                (Segment::Key(key), Parts::Entries(entries)) => entries.get(key),
                (Segment::Name(key), Parts::Entries(entries)) => match entries.get(key) {
                    Some(Extents { key: Some(key), .. }) => return self.measure(*key),
                    found => found,
                },
                _ => None,
            };
            match next {
                Some(next) => spans = next,
                None => break,
            }
        }
        self.measure(spans.value)
    }

    fn measure(&self, span: Extent) -> (usize, usize) {
        // A line may be as long as the file; nobody looks at more than this.
        const LONGEST: usize = 400;
        // YAML's white space, not Unicode's: a text may end in a line separator.
        const WHITE: [char; 3] = [' ', '\t', '\r'];
        let len = span.len.unwrap_or_else(|| {
            let end = floor_char_boundary(&self.text, span.start.saturating_add(LONGEST));
            let rest = self.text.get(span.start..end).unwrap_or("");
            let line = rest.split('\n').next().unwrap_or(rest);
            quoted(line).unwrap_or_else(|| line.split(" #").next().unwrap_or(line).trim_end_matches(WHITE).len())
        });
        (span.start, len)
    }

    /// The place of a byte of the text.
    pub fn place_of(&self, offset: usize) -> Place {
        let offset = offset.min(self.text.len());
        let line = self.lines.partition_point(|start| *start <= offset).max(1);
        let start = self.lines.get(line - 1).copied().unwrap_or(0);
        let before = self.text.as_bytes().get(start..offset).unwrap_or_default();
        // Characters begin with every byte that does not continue one.
        let column = before.iter().filter(|byte| (**byte & 0xC0) != 0x80).count() + 1;
        Place { line, column }
    }

    /// The byte at which a place stands; past the end of a line it is the end of that line.
    pub fn offset_of(&self, place: Place) -> usize {
        let Some(start) = self.lines.get(place.line.saturating_sub(1)).copied() else {
            return self.text.len();
        };
        let line = self.line(place.line);
        let within = line.char_indices().nth(place.column.saturating_sub(1));
        start + within.map_or(line.len(), |(at, _)| at)
    }

    /// A line, from one, without its end.
    pub fn line(&self, number: usize) -> &str {
        let index = number.saturating_sub(1);
        let Some(start) = self.lines.get(index).copied() else {
            return "";
        };
        let end = self.lines.get(index + 1).map_or(self.text.len(), |next| next - 1);
        self.text.get(start..end).unwrap_or("")
    }

    /// How many lines the text has.
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }
}

/// How long a quoted text at the beginning of a line is, if it ends in this line.
fn quoted(line: &str) -> Option<usize> {
    let quote = line.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let mut escaped = false;
    for (at, c) in line.char_indices().skip(1) {
        if c == quote && !escaped {
            return Some(at + 1);
        }
        escaped = c == '\\' && quote == '"' && !escaped;
    }
    None
}

/// The last place in a text, at or before this one, where a character begins.
pub(super) fn floor_char_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
