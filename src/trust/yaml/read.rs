//! The strict reader: plain data only, whatever its layout.
//!
//! Block and flow collections, plain, single- and double-quoted scalars (also over several lines), comments. Refused:
//! anchors, aliases, tags, block scalars, `?` keys, directives, several documents, duplicate keys, empty values, and
//! what old and new YAML read differently.

use std::collections::BTreeMap;

use super::NotPlainData;
use crate::engine::doc::events::{Event, Events, Style, Tag, text_of};
use crate::engine::json::{Json, MAX_BYTES, MAX_DEPTH, MAX_INT, is_key};

/// What is wrong, and at which byte.
type Read<T> = Result<T, (usize, String)>;

/// Reads one plain-data YAML document of at most 1 MiB.
pub fn read(bytes: &[u8]) -> Result<Json, NotPlainData> {
    if bytes.len() > MAX_BYTES {
        return Err(NotPlainData { line: 1, what: "longer than 1 MiB".to_owned() });
    }
    read_own(bytes)
}

/// Reads a file of our own making, which no stranger can blow up; a long game's secrets pass the limit for records.
pub fn read_own(bytes: &[u8]) -> Result<Json, NotPlainData> {
    let at_line = |(line, what)| NotPlainData { line, what };
    let text = text_of(bytes).map_err(at_line)?;
    let (mut events, mut builder) = (Events::new(&text), Builder { text: &text, open: Vec::new(), root: None });
    loop {
        let (event, at) = events.next().map_err(|broken| at_line(broken.line(&text)))?;
        match builder.take(event, at) {
            Ok(None) => {}
            Ok(Some(value)) => return Ok(value),
            Err((at, what)) => {
                let before = text.as_bytes().get(..at).unwrap_or_default();
                return Err(NotPlainData { line: 1 + before.iter().filter(|b| **b == b'\n').count(), what });
            }
        }
    }
}

/// A list or map that is not finished.
struct Open {
    /// Whether it stands in brackets or braces.
    flow: bool,
    parts: Parts,
}

enum Parts {
    List(Vec<Json>),
    /// With the key whose value comes next.
    Map(BTreeMap<String, Json>, Option<String>),
}

struct Builder<'t> {
    text: &'t str,
    open: Vec<Open>,
    root: Option<Json>,
}

fn fail<T>(at: usize, what: impl Into<String>) -> Read<T> {
    Err((at, what.into()))
}

impl Builder<'_> {
    /// Takes what comes next; at the end gives the value.
    fn take(&mut self, event: Event, at: usize) -> Read<Option<Json>> {
        match event {
            Event::StreamStart | Event::DocumentEnd | Event::Nothing => {}
            Event::DocumentStart => self.document(at)?,
            Event::StreamEnd => {
                return match self.root.take() {
                    Some(value) => Ok(Some(value)),
                    None => fail(at, "a value is missing at the end"),
                };
            }
            Event::Alias(_) => return fail(at, "aliases are not plain data"),
            Event::Scalar(text, style, anchor, tag) => {
                refuse_marks(anchor, tag.as_ref(), at)?;
                self.scalar(text, style, at)?;
            }
            Event::SequenceStart(anchor, tag) => {
                refuse_marks(anchor, tag.as_ref(), at)?;
                self.begin(Parts::List(Vec::new()), '[', at)?;
            }
            Event::MappingStart(anchor, tag) => {
                refuse_marks(anchor, tag.as_ref(), at)?;
                self.begin(Parts::Map(BTreeMap::new(), None), '{', at)?;
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop().map(|open| open.parts) {
                Some(Parts::List(items)) => self.put(Json::List(items)),
                Some(Parts::Map(members, _)) => self.put(Json::Map(members)),
                None => {}
            },
        }
        Ok(None)
    }

    /// One document, and nothing about it but `---` before it.
    fn document(&self, at: usize) -> Read<()> {
        if self.root.is_some() {
            return fail(at, "one document only");
        }
        let mut start = 0;
        for line in self.text.split_inclusive('\n') {
            if start <= at && line.starts_with('%') {
                return fail(start, "directives are not plain data");
            }
            if line.strip_prefix("...").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\n'])) {
                return fail(start, "one document only");
            }
            start += line.len();
        }
        Ok(())
    }

    fn in_flow(&self) -> bool {
        self.open.last().is_some_and(|open| open.flow)
    }

    /// Something may stand here: not too deep, and not indented by a tab.
    fn check_place(&self, at: usize) -> Read<()> {
        if self.open.len() > MAX_DEPTH {
            return fail(at, format!("nested deeper than {MAX_DEPTH} levels"));
        }
        let before = self.text.get(..at).unwrap_or("");
        let line = before.rfind('\n').map_or(before, |end| &before[end + 1..]);
        match line.split(|c| c != ' ' && c != '\t').next().unwrap_or("").contains('\t') {
            true => fail(at, "a tab cannot indent a line"),
            false => Ok(()),
        }
    }

    fn rest(&self, at: usize) -> &str {
        self.text.get(at..).unwrap_or("")
    }

    fn begin(&mut self, parts: Parts, bracket: char, at: usize) -> Read<()> {
        self.check_place(at)?;
        if let Some(Open { parts: Parts::Map(_, None), .. }) = self.open.last() {
            return fail(at, "a key is a text on one line");
        }
        let flow = self.rest(at).starts_with(bracket);
        if self.in_flow() && !flow {
            return fail(at, "a key where a value is expected");
        }
        self.open.push(Open { flow, parts });
        Ok(())
    }

    fn scalar(&mut self, text: String, style: Style, at: usize) -> Read<()> {
        self.check_place(at)?;
        if matches!(style, Style::Literal | Style::Folded) {
            let mark = self.text.get(..at).and_then(|before| before.rfind(['|', '>'])).unwrap_or(at);
            return fail(mark, "block scalars are not used in records");
        }
        let plain = style == Style::Plain;
        if plain && text.is_empty() {
            return fail(at, "a value is missing");
        }
        if plain && text.starts_with(['%', '@', '`']) || self.in_flow() && plain && text.starts_with([':', '?']) {
            // Old and new YAML differ about the latter.
            return fail(at, "a text cannot begin with this character here; put it in quotes");
        }
        if let Some(Open { parts: Parts::Map(members, None), .. }) = self.open.last() {
            self.check_key(&text, plain, at)?;
            if members.contains_key(&text) {
                return fail(at, format!("the key {text:?} stands twice"));
            }
        }
        if let Some(Open { parts: Parts::Map(_, key @ None), .. }) = self.open.last_mut() {
            *key = Some(text);
            return Ok(());
        }
        let value = if plain { typed(text, at)? } else { Json::Str(text) };
        value.check().map_err(|e| (at, e.to_string()))?;
        self.put(value);
        Ok(())
    }

    /// A key is one of few texts, on one line with its colon, and no `?` stands before it.
    fn check_key(&self, key: &str, plain: bool, at: usize) -> Read<()> {
        if !is_key(key) {
            let key: String = key.chars().take(40).collect();
            let what = format!("{key:?} cannot be a key: 1 to 64 of the characters a-z, 0-9, '_', '.', '/', '-'");
            return fail(at, what);
        }
        let before = self.text.get(..at).unwrap_or("").trim_end_matches([' ', '\t']);
        // Behind a line end a `?` may be the last character of the value before.
        let before = if self.in_flow() { before.trim_end() } else { before };
        if before.ends_with('?') {
            return fail(at, "keys behind '?' are not used in records");
        }
        // What a key may hold needs no escapes: in quotes it stands as it is, or something else stands there.
        let rest = self.rest(at);
        let after = match (plain, rest.chars().next()) {
            (false, Some(quote)) => rest[1..].split_once(quote).map(|(_, after)| after),
            _ => rest.strip_prefix(key),
        };
        match after.is_some_and(|after| after.trim_start_matches([' ', '\t']).starts_with(':')) {
            true => Ok(()),
            false => fail(at, format!("{key:?} is no key with its colon on one line")),
        }
    }

    /// Puts a finished value where it belongs.
    fn put(&mut self, value: Json) {
        match self.open.last_mut().map(|open| &mut open.parts) {
            Some(Parts::List(items)) => items.push(value),
            Some(Parts::Map(members, key)) => {
                if let Some(key) = key.take() {
                    members.insert(key, value);
                }
            }
            None => self.root = Some(value),
        }
    }
}

fn refuse_marks(anchor: usize, tag: Option<&Tag>, at: usize) -> Read<()> {
    match (anchor, tag) {
        (0, None) => Ok(()),
        (0, Some(_)) => fail(at, "tags are not plain data"),
        _ => fail(at, "anchors are not plain data"),
    }
}

/// The type of a plain scalar follows from its text.
fn typed(text: String, at: usize) -> Read<Json> {
    let digits = text.strip_prefix('-').unwrap_or(&text);
    let integer =
        text == "0" || !digits.is_empty() && !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
    match text.as_str() {
        "true" => Ok(Json::Bool(true)),
        "false" => Ok(Json::Bool(false)),
        _ if integer => match text.parse() {
            Ok(number) if (-MAX_INT..=MAX_INT).contains(&number) => Ok(Json::Int(number)),
            _ => fail(at, format!("{} is beyond 2^53 - 1", text.chars().take(40).collect::<String>())),
        },
        _ => Ok(Json::Str(text)),
    }
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
