//! The one reader of YAML text: what it comes upon, one thing at a time, each with the byte where it stands.
//!
//! Files that people write ([`super::read_document`]) and signed records (`trust::yaml`) differ in what they take and in
//! what they make of it. What a text says is read here for both, so that the two never disagree about it.

use std::str::Chars;

use yaml_rust2::parser::Parser;
pub use yaml_rust2::parser::{Event, Tag};
pub use yaml_rust2::scanner::TScalarStyle as Style;

use super::complaint::{self, Complaint};
use super::source::Source;

/// A text as it is read.
pub struct Events<'t> {
    parser: Parser<Chars<'t>>,
    /// Byte offsets of the characters, where they are not simply the character's number.
    offsets: Option<Vec<usize>>,
    end: usize,
}

/// Where a text stops making sense, and why.
pub struct Broken {
    /// The byte at which that showed.
    pub at: usize,
    why: String,
}

impl<'t> Events<'t> {
    /// Begins at the beginning.
    pub fn new(text: &'t str) -> Events<'t> {
        let offsets = (!text.is_ascii()).then(|| text.char_indices().map(|(at, _)| at).collect());
        Events { parser: Parser::new_from_str(text), offsets, end: text.len() }
    }

    /// What comes next, and the byte where it stands. After [`Event::StreamEnd`] nothing comes.
    pub fn next(&mut self) -> Result<(Event, usize), Broken> {
        match self.parser.next_token() {
            Ok((event, mark)) => Ok((event, self.offset(mark.index()))),
            Err(error) => Err(Broken { at: self.offset(error.marker().index()), why: error.info().to_owned() }),
        }
    }

    fn offset(&self, character: usize) -> usize {
        match &self.offsets {
            Some(offsets) => offsets.get(character).copied().unwrap_or(self.end),
            None => character.min(self.end),
        }
    }
}

impl Broken {
    /// In words for its author.
    pub(super) fn complaint(&self, source: &Source) -> Complaint {
        complaint::of_the_parser(&self.why, self.at, source)
    }

    /// The line, counted from one, and what is wrong there.
    pub fn line(&self, text: &str) -> (usize, String) {
        let source = Source::new("", text);
        let complaint = self.complaint(&source);
        (source.place_of(complaint.start).line, complaint.what)
    }
}

/// The text that some bytes are, with plain line ends and no byte order mark; or the line where they are none, and why.
pub fn text_of(bytes: &[u8]) -> Result<String, (usize, String)> {
    complaint::of_the_text(bytes, usize::MAX)
        .map_err(|(text, complaint)| (Source::new("", text).place_of(complaint.start).line, complaint.what))
}
