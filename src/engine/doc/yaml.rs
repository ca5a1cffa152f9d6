//! From bytes to a tree of texts.
//!
//! The file is taken as YAML without its traps: every scalar is text, and anchors, aliases, tags, merge keys, doubled
//! keys and second documents are refused with their place. The parser's events are taken one at a time, so nothing
//! recurses and a file that is nested too deeply is refused before anything is built from it.

use std::collections::BTreeMap;

use super::complaint::{ALIAS, Complaint, SHALLOWER, mail_quoting, of_the_text, too_deep, unclosed};
use super::events::{Event, Events, Style, Tag};
use super::fault::Fault;
use super::node::Node;
use super::path::DocPath;
use super::reader::clip;
use super::source::{Entries, Extent, Extents, Parts, Place, Source};

/// No order file is this long; the limit keeps a hostile one from costing time.
pub const LONGEST_FILE: usize = 1024 * 1024;

/// How many levels a value may lie below the whole.
pub const DEEPEST: usize = 32;

/// After this many faults of form the rest is not worth reading.
const MOST_FAULTS: usize = 20;

/// A file that is not a document: its text as far as it can be shown, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The text, with replacement characters for what is not text.
    pub source: Source,
    /// At least one fault; each has a place.
    pub faults: Vec<Fault>,
}

/// Reads a file a person wrote. `name` is what messages call it.
///
/// `key:` with nothing after it is taken as if it were not there.
pub fn read_document(name: &str, bytes: &[u8]) -> Result<(Node, Source), Unreadable> {
    read(name, bytes, true)
}

/// Reads a file a program wrote: the same, but nothing may be left empty, and texts may begin as they like.
pub fn read_plain_data(name: &str, bytes: &[u8]) -> Result<(Node, Source), Unreadable> {
    read(name, bytes, false)
}

fn read(name: &str, bytes: &[u8], typed: bool) -> Result<(Node, Source), Unreadable> {
    let mut source = match of_the_text(bytes, LONGEST_FILE) {
        Ok(text) => Source::new(name, text),
        Err((text, complaint)) => return Err(unreadable(Source::new(name, text), vec![complaint])),
    };
    let mut builder = Builder::new(&source, typed);
    let finished = builder.build();
    let Builder { mut complaints, root, .. } = builder;
    if let Err(complaint) = finished {
        complaints.push(complaint);
    }
    match root {
        Some((node @ Node::Map(_), spans)) if complaints.is_empty() => {
            source.spans = Box::new(spans);
            Ok((node, source))
        }
        root => {
            if complaints.is_empty() {
                let start = root.as_ref().map_or(0, |(_, spans)| spans.value.start);
                complaints.push(no_map(root.map(|(node, _)| node), start));
            }
            if let Some(complaint) = mail_quoting(&source) {
                complaints = vec![complaint];
            }
            Err(unreadable(source, complaints))
        }
    }
}

fn no_map(root: Option<Node>, start: usize) -> Complaint {
    match root {
        None => {
            Complaint::new(0, "there is nothing in this file", "write orders into it, or start from a fresh template")
        }
        Some(node) => Complaint::new(
            start,
            format!("the file is {}, not a map", node.kind()),
            "begin with lines of the form `key: value`",
        ),
    }
}

fn unreadable(source: Source, mut complaints: Vec<Complaint>) -> Unreadable {
    complaints.sort_by_key(|complaint| complaint.start);
    let faults = complaints
        .into_iter()
        .map(|complaint| {
            // The end of the file is the end of its last line with something in it.
            let last = source.text.trim_end().len();
            let place = source.place_of(complaint.start.min(last));
            Fault { place: Some(place), ..Fault::new(&complaint.at, complaint.what, complaint.remedy) }
        })
        .collect();
    Unreadable { source, faults }
}

/// A list or map that is not finished.
enum Open {
    List {
        items: Vec<Node>,
        spans: Vec<Extents>,
        start: Extent,
    },
    Map {
        entries: Vec<(String, Node)>,
        spans: Entries,
        seen: BTreeMap<String, usize>,
        /// The key whose value comes next.
        key: Option<(String, Extent)>,
        start: Extent,
    },
}

struct Builder<'s> {
    source: &'s Source,
    open: Vec<Open>,
    root: Option<(Node, Extents)>,
    documents: usize,
    complaints: Vec<Complaint>,
    /// Whether a person typed it.
    typed: bool,
}

impl<'s> Builder<'s> {
    fn new(source: &'s Source, typed: bool) -> Self {
        Builder { source, open: Vec::new(), root: None, documents: 0, complaints: Vec::new(), typed }
    }

    /// Takes all events; an error is a complaint after which nothing more can be read.
    fn build(&mut self) -> Result<(), Complaint> {
        let source = self.source;
        let mut events = Events::new(&source.text);
        loop {
            let (event, at) = events.next().map_err(|broken| match self.unclosed_before(broken.at) {
                Some(bracket) => unclosed(source, bracket),
                None => broken.complaint(source),
            })?;
            match event {
                Event::StreamEnd => return Ok(()),
                Event::DocumentStart => {
                    self.documents += 1;
                    if self.documents > 1 {
                        return Err(self.complaint(
                            at,
                            "a second document begins here",
                            "keep one document in a file: delete the line `---`, or send two files",
                        ));
                    }
                }
                Event::Alias(_) => {
                    self.complain(at, ALIAS, "write the value out, or put the text in quotes if it begins with `*`");
                    self.value(Node::text(""), Extent::open(at), Parts::None);
                }
                Event::Scalar(text, style, anchor, tag) => {
                    self.refuse_marks(anchor, tag.as_ref(), at);
                    self.scalar(text, style, at)?;
                }
                Event::SequenceStart(anchor, tag) => {
                    self.refuse_marks(anchor, tag.as_ref(), at);
                    self.descend(at)?;
                    self.open.push(Open::List { items: Vec::new(), spans: Vec::new(), start: Extent::open(at) });
                }
                Event::MappingStart(anchor, tag) => {
                    self.refuse_marks(anchor, tag.as_ref(), at);
                    self.descend(at)?;
                    self.open.push(Open::Map {
                        entries: Vec::new(),
                        spans: Entries::default(),
                        seen: BTreeMap::new(),
                        key: None,
                        start: Extent::open(at),
                    });
                }
                Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                    Some(Open::List { items, spans, start }) => {
                        self.value(Node::List(items), start, Parts::Items(spans));
                    }
                    Some(Open::Map { entries, spans, start, .. }) => {
                        self.value(Node::Map(entries), start, Parts::Entries(spans))
                    }
                    None => {}
                },
                Event::StreamStart | Event::DocumentEnd | Event::Nothing => {}
            }
            if self.complaints.len() >= MOST_FAULTS {
                return Ok(());
            }
        }
    }

    /// The innermost bracket still open, if the text goes on in a later line or ends.
    fn unclosed_before(&self, at: usize) -> Option<usize> {
        let text = self.source.text.as_str();
        let bracket = self.open.iter().rev().find_map(|open| match open {
            Open::List { start, .. } | Open::Map { start, .. } => {
                let byte = text.as_bytes().get(start.start)?;
                matches!(byte, b'[' | b'{').then_some(start.start)
            }
        })?;
        let ended = at >= text.trim_end().len();
        (ended || text.get(bracket..at)?.contains('\n')).then_some(bracket)
    }

    /// Whatever stands here, it does not stand too deep.
    fn not_too_deep(&self, at: usize) -> Result<(), Complaint> {
        if self.open.len() <= DEEPEST {
            return Ok(());
        }
        Err(self.complaint(at, too_deep(), SHALLOWER))
    }

    /// A list or map begins: not too deep, and not as the key of a map.
    fn descend(&self, at: usize) -> Result<(), Complaint> {
        self.not_too_deep(at)?;
        match self.open.last() {
            Some(Open::Map { key: None, .. }) => Err(self.complaint(
                at,
                "a list or map stands where a key is expected",
                "write a single word before the colon; put text with brackets in quotes",
            )),
            _ => Ok(()),
        }
    }

    fn scalar(&mut self, text: String, style: Style, at: usize) -> Result<(), Complaint> {
        self.not_too_deep(at)?;
        let plain = style == Style::Plain;
        let absent = plain && text.is_empty();
        let span = if absent { Extent::exactly(at, 0) } else { self.scalar_span(&text, style, at) };
        if plain && self.typed {
            self.refuse_look_alikes(&text, span);
        }
        // The parser sees that a map has begun only at its first colon; it begins at its first key.
        let begins = match self.open.last() {
            Some(Open::Map { key: None, seen, start, .. }) if seen.is_empty() && at < start.start => {
                Some(Extent::open(at))
            }
            _ => None,
        };
        if let Some(Open::Map { key, seen, start, .. }) = self.open.last_mut()
            && key.is_none()
        {
            *start = begins.unwrap_or(*start);
            let first = seen.insert(text.clone(), span.start);
            *key = Some((text.clone(), span));
            return self.key(&text, span, absent, plain, first);
        }
        if !absent {
            self.value(Node::Text { text, quoted: !plain }, span, Parts::None);
            return Ok(());
        }
        match self.open.last_mut() {
            // `key:` with nothing after it is the same as no key at all.
            Some(Open::Map { key, spans, .. }) if self.typed => {
                if let Some((name, key)) = key.take() {
                    let place = Extents { value: key, key: Some(key), parts: Parts::None };
                    spans.insert(&name, place);
                }
            }
            Some(Open::Map { .. }) => {
                self.complain(span.start, "nothing stands after the colon", "write a value, or delete the key");
                self.value(Node::text(""), span, Parts::None);
            }
            Some(Open::List { .. }) => {
                let dash = self.empty_dash_before(at);
                self.complain(
                    dash,
                    "an item of this list is empty",
                    "write something there, or delete its dash or comma",
                );
                self.value(Node::text(""), span, Parts::None);
            }
            None => {}
        }
        Ok(())
    }

    fn key(
        &mut self,
        text: &str,
        span: Extent,
        absent: bool,
        plain: bool,
        first: Option<usize>,
    ) -> Result<(), Complaint> {
        if absent {
            return Err(self.complaint(
                span.start,
                "a value stands here without a key",
                "write a key before the colon; put text with a colon in quotes",
            ));
        }
        if text == "<<" && plain {
            self.complain(span.start, "merge keys (`<<`) are not understood here", "write the keys out");
        } else if let Some(first) = first {
            let line = self.source.place_of(first).line;
            self.complain(
                span.start,
                format!("the key `{}` stands here twice, first in line {line}", clip(text)),
                "keep one of the two, or make one list of both",
            );
        }
        Ok(())
    }

    /// Puts a finished value where it belongs.
    fn value(&mut self, node: Node, span: Extent, parts: Parts) {
        let mut place = Extents { value: span, key: None, parts };
        match self.open.last_mut() {
            Some(Open::List { items, spans, .. }) => {
                items.push(node);
                spans.push(place);
            }
            Some(Open::Map { entries, spans, key, .. }) => {
                if let Some((name, key)) = key.take() {
                    place.key = Some(key);
                    if !matches!(node, Node::Text { .. }) {
                        // Of a list or map under a key, the key is what a person points at.
                        place.value = key;
                    }
                    spans.insert(&name, place);
                    entries.push((name, node));
                }
            }
            None => self.root = Some((node, place)),
        }
    }

    fn refuse_marks(&mut self, anchor: usize, tag: Option<&Tag>, at: usize) {
        if anchor > 0 {
            let start = self.mark_before(at, '&');
            self.complain(
                start,
                "anchors (`&name`) are not understood here",
                "delete the anchor, or put the text in quotes if it begins with `&`",
            );
        }
        if tag.is_some() {
            let start = self.mark_before(at, '!');
            self.complain(
                start,
                "tags (`!name`) are not understood here",
                "delete the tag, or put the text in quotes if it begins with `!`",
            );
        }
    }

    /// What mail programs and word processors make of plain characters.
    fn refuse_look_alikes(&mut self, text: &str, span: Extent) {
        let Some(first) = text.chars().next() else {
            return;
        };
        let dashed = |rest: &str| rest.starts_with(char::is_whitespace);
        match first {
            '“' | '”' | '„' | '‟' | '‘' | '’' | '‚' | '‛' | '«' | '»' => self.complain(
                span.start,
                format!("typographic quotes (`{first}`) do not quote here"),
                "use plain quotes: \"…\" or '…'",
            ),
            '–' | '—' | '‒' | '−' | '•' | '·' if dashed(&text[first.len_utf8()..]) => self.complain(
                span.start,
                format!("`{first}` does not begin an item of a list"),
                "use a plain hyphen and a blank: `- `",
            ),
            c if c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}') => self.complain(
                span.start,
                format!("an invisible character (U+{:04X}) stands here instead of a blank", u32::from(c)),
                "delete it and use ordinary blanks",
            ),
            _ => {}
        }
    }

    fn complain(&mut self, start: usize, what: impl Into<String>, remedy: impl Into<String>) {
        let complaint = self.complaint(start, what, remedy);
        self.complaints.push(complaint);
    }

    fn complaint(&self, start: usize, what: impl Into<String>, remedy: impl Into<String>) -> Complaint {
        Complaint { at: self.path(), ..Complaint::new(start, what, remedy) }
    }

    /// The part of the document in hand.
    fn path(&self) -> DocPath {
        let mut path = DocPath::root();
        for open in &self.open {
            match open {
                Open::List { items, .. } => path = path.index(items.len()),
                Open::Map { key: Some((key, _)), .. } => path = path.key(key),
                Open::Map { key: None, .. } => {}
            }
        }
        path
    }

    /// The dash with nothing after it that the parser passed over before it came here.
    fn empty_dash_before(&self, at: usize) -> usize {
        const LINES: usize = 40;
        let last = self.source.place_of(at).line;
        let found = (1..=last).rev().take(LINES).find_map(|number| {
            let line = self.source.line(number);
            let written = line.split('#').next().unwrap_or(line).trim_end();
            (written.trim_start_matches([' ', '-']).is_empty() && written.ends_with('-'))
                .then_some(Place { line: number, column: written.len() })
        });
        found.map_or(at, |place| self.source.offset_of(place))
    }

    fn scalar_span(&self, text: &str, style: Style, at: usize) -> Extent {
        let rest = self.source.text.get(at..).unwrap_or("");
        if style == Style::Plain && rest.starts_with(text) { Extent::exactly(at, text.len()) } else { Extent::open(at) }
    }

    /// Where the anchor or tag before a value begins, or the value if it stands further off.
    fn mark_before(&self, at: usize, mark: char) -> usize {
        let text = self.source.text.as_str();
        if text.get(at..).is_some_and(|rest| rest.starts_with(mark)) {
            return at;
        }
        let near = super::source::floor_char_boundary(text, at.saturating_sub(256));
        let before = text.get(near..at).unwrap_or("");
        match before.rfind(mark) {
            // `!!str` begins at its first mark.
            Some(last) => near + before.get(..last).unwrap_or("").trim_end_matches(mark).len(),
            None => at,
        }
    }
}
