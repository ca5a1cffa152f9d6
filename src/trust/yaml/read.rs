//! The strict reader: plain data only, whatever its layout.
//!
//! Block and flow collections, plain, single- and double-quoted scalars (also over several lines), comments. Refused:
//! anchors, aliases, tags, block scalars, `?` keys, directives, several documents, duplicate keys, empty values.

use std::collections::BTreeMap;

use super::NotPlainData;
use crate::engine::json::{Json, MAX_BYTES, MAX_DEPTH, MAX_INT, is_key};

type Read<T> = Result<T, NotPlainData>;

/// Reads one plain-data YAML document of at most 1 MiB.
pub fn read(bytes: &[u8]) -> Read<Json> {
    if bytes.len() > MAX_BYTES {
        return Err(NotPlainData { line: 1, what: "longer than 1 MiB".to_owned() });
    }
    read_own(bytes)
}

/// Reads a file of our own making, which no stranger can blow up; a long game's secrets pass the limit for records.
pub fn read_own(bytes: &[u8]) -> Read<Json> {
    let text = std::str::from_utf8(bytes).map_err(|e| NotPlainData {
        line: 1 + bytes[..e.valid_up_to()].iter().filter(|b| **b == b'\n').count(),
        what: "not UTF-8".to_owned(),
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n");
    let mut reader = Reader { text: &text, at: 0, line_start: 0, line: 1 };
    reader.document()
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    line_start: usize,
    line: usize,
}

/// Where a piece of a plain scalar ended.
#[derive(PartialEq)]
enum Ended {
    /// At the end of the line.
    Line,
    /// At a comment.
    Comment,
    /// At the colon after a key.
    Colon,
    /// At a bracket, brace or comma of a flow collection.
    Flow,
}

impl<'a> Reader<'a> {
    fn fail<T>(&self, what: impl Into<String>) -> Read<T> {
        Err(NotPlainData { line: self.line, what: what.into() })
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The byte `ahead` of the next one; the end of the text counts as a line end.
    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(b'\n')
    }

    fn blank(&self, ahead: usize) -> bool {
        matches!(self.byte(ahead), b' ' | b'\t' | b'\n')
    }

    fn column(&self) -> usize {
        self.at - self.line_start
    }

    fn newline(&mut self) {
        self.at += 1;
        self.line += 1;
        self.line_start = self.at;
    }

    fn blanks(&mut self) {
        while self.at < self.text.len() && matches!(self.byte(0), b' ' | b'\t') {
            self.at += 1;
        }
    }

    /// Steps over blanks, comments and line ends to the next thing that counts.
    fn skip(&mut self) -> Read<()> {
        loop {
            let start = self.at;
            self.blanks();
            let indented_by_tab = start == self.line_start && self.text[start..self.at].contains('\t');
            match self.peek() {
                Some('\n') => self.newline(),
                Some('#')
                    if self.at == start && start != self.line_start && !self.text[..start].ends_with([' ', '\t']) =>
                {
                    return self.fail("a comment needs a blank before it");
                }
                Some('#') => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                Some(_) if indented_by_tab => return self.fail("a tab cannot indent a line"),
                _ => return Ok(()),
            }
        }
    }

    /// Whether `---` or `...` stands at the beginning of this line.
    fn at_document_marker(&self) -> bool {
        self.column() == 0 && (self.rest().starts_with("---") || self.rest().starts_with("...")) && self.blank(3)
    }

    fn document(&mut self) -> Read<Json> {
        self.skip()?;
        if self.rest().starts_with("---") && self.at_document_marker() {
            self.at += 3;
        }
        let value = self.node(None, 0)?;
        self.skip()?;
        match self.peek() {
            None => Ok(value),
            Some(_) if self.at_document_marker() => self.fail("one document only"),
            Some(_) => self.fail("this line does not belong to what stands above it; is the indentation right?"),
        }
    }

    fn check_depth(&self, depth: usize) -> Read<()> {
        if depth > MAX_DEPTH {
            return self.fail(format!("nested deeper than {MAX_DEPTH} levels"));
        }
        Ok(())
    }

    fn at_dash(&self) -> bool {
        self.peek() == Some('-') && self.blank(1)
    }

    /// A value in block context, more indented than its parent.
    fn node(&mut self, parent: Option<usize>, depth: usize) -> Read<Json> {
        self.check_depth(depth)?;
        self.skip()?;
        let column = self.column();
        let Some(c) = self.peek() else { return self.fail("a value is missing at the end") };
        if parent.is_some_and(|p| column <= p) {
            return self.fail("the value before this line is missing");
        }
        if self.at_document_marker() {
            return self.fail("one document only");
        }
        if self.at_dash() {
            return self.sequence(column, depth);
        }
        let line = self.line;
        let (value, quoted) = match c {
            '[' | '{' => (self.flow(depth)?, true),
            '"' | '\'' => (self.quoted_text()?, true),
            _ => {
                let start = self.at;
                let (text, ended) = self.plain(false)?;
                if ended == Ended::Colon {
                    self.at = start;
                    return self.mapping(column, depth);
                }
                let text = self.continued(text, ended, parent)?;
                (self.typed(text)?, false)
            }
        };
        if quoted {
            self.blanks();
            if self.peek() == Some(':') && self.blank(1) {
                if self.line != line || matches!(value, Json::List(_) | Json::Map(_)) {
                    return self.fail("a key is a text on one line");
                }
                self.at = self.line_start + column;
                return self.mapping(column, depth);
            }
        }
        self.end_of_line()?;
        Ok(value)
    }

    /// After a value nothing but a comment may stand on its line.
    fn end_of_line(&mut self) -> Read<()> {
        let line = self.line;
        self.skip()?;
        if self.peek().is_some() && self.line == line {
            return self.fail("something follows a value on its line");
        }
        Ok(())
    }

    fn sequence(&mut self, column: usize, depth: usize) -> Read<Json> {
        let mut items = Vec::new();
        loop {
            self.at += 1;
            items.push(self.node(Some(column), depth + 1)?);
            self.skip()?;
            if self.peek().is_none() || self.column() < column || self.column() == column && !self.at_dash() {
                return Ok(Json::List(items));
            }
            if self.column() != column {
                return self.fail("the items of a list begin in the same column");
            }
        }
    }

    fn mapping(&mut self, column: usize, depth: usize) -> Read<Json> {
        let mut members = BTreeMap::new();
        loop {
            let key = self.key(false, &members)?;
            self.at += 1;
            let (line, spaced) = (self.line, self.blank(0));
            if !spaced {
                return self.fail(format!("a blank is missing after {key:?}:"));
            }
            self.skip()?;
            let value = if self.line == line && self.peek().is_some() {
                self.inline_value(column, depth + 1)?
            } else if self.column() == column && self.at_dash() {
                self.check_depth(depth + 1)?;
                self.sequence(column, depth + 1)?
            } else {
                self.node(Some(column), depth + 1)?
            };
            members.insert(key, value);
            self.skip()?;
            if self.peek().is_none() || self.column() < column {
                return Ok(Json::Map(members));
            }
            if self.column() != column {
                return self.fail("the keys of a mapping begin in the same column");
            }
            if self.at_document_marker() {
                return self.fail("one document only");
            }
        }
    }

    /// A new key up to its colon.
    fn key(&mut self, flow: bool, taken: &BTreeMap<String, Json>) -> Read<String> {
        let line = self.line;
        let key = match self.peek() {
            Some('"' | '\'') => self.quoted()?,
            Some('[' | '{') => return self.fail("a key is a text on one line"),
            _ => self.plain(flow)?.0,
        };
        self.blanks();
        if self.line != line || self.peek() != Some(':') {
            return self.fail(format!("a key and a colon expected, not {:?}", shortened(&key)));
        }
        if !is_key(&key) {
            return self.fail(format!(
                "{:?} cannot be a key: 1 to 64 of the characters a-z, 0-9, '_', '.', '/', '-'",
                shortened(&key)
            ));
        }
        if taken.contains_key(&key) {
            return self.fail(format!("the key {key:?} stands twice"));
        }
        Ok(key)
    }

    /// A value on the line of its key.
    fn inline_value(&mut self, parent: usize, depth: usize) -> Read<Json> {
        self.check_depth(depth)?;
        if self.at_dash() {
            return self.fail("a list in block form begins on a line of its own");
        }
        let value = match self.peek() {
            Some('[' | '{') => self.flow(depth)?,
            Some('"' | '\'') => self.quoted_text()?,
            _ => {
                let (text, ended) = self.plain(false)?;
                if ended == Ended::Colon {
                    return self.fail("a key inside the value of another; put quotes around a text with a colon");
                }
                let text = self.continued(text, ended, Some(parent))?;
                self.typed(text)?
            }
        };
        self.end_of_line()?;
        Ok(value)
    }

    /// One line of a plain scalar, without the blanks behind it.
    fn plain(&mut self, flow: bool) -> Read<(String, Ended)> {
        let Some(first) = self.peek() else { return self.fail("a value is missing at the end") };
        let refused = match first {
            '&' => "anchors are not plain data",
            '*' => "aliases are not plain data",
            '!' => "tags are not plain data",
            '|' | '>' => "block scalars are not used in records",
            '%' => "directives are not plain data",
            '@' | '`' => "a text cannot begin with this character; put it in quotes",
            '?' if self.blank(1) => "keys behind '?' are not used in records",
            ']' | '}' | ',' => "a bracket, brace or comma without a beginning",
            ':' | '-' if self.blank(1) || flow && b",[]{}".contains(&self.byte(1)) => "an empty value",
            // Old and new YAML differ about these.
            ':' | '?' if flow => "in a list or map a text cannot begin with this character; put it in quotes",
            _ => "",
        };
        if !refused.is_empty() {
            return self.fail(refused);
        }
        let (text, ended) = self.plain_rest(flow);
        if text.is_empty() {
            return self.fail("an empty value");
        }
        Ok((text, ended))
    }

    fn plain_rest(&mut self, flow: bool) -> (String, Ended) {
        let start = self.at;
        let indicator = |b: u8| flow && b",[]{}".contains(&b);
        let ended = loop {
            match self.byte(0) {
                b'\n' => break Ended::Line,
                b'#' if self.at > start && matches!(self.text.as_bytes()[self.at - 1], b' ' | b'\t') => {
                    break Ended::Comment;
                }
                b':' if self.blank(1) || indicator(self.byte(1)) => break Ended::Colon,
                b if indicator(b) => break Ended::Flow,
                _ => self.at += 1,
            }
        };
        let text = self.text.get(start..self.at).unwrap_or("").trim_end_matches([' ', '\t']);
        (text.to_owned(), ended)
    }

    /// Adds the further lines of a plain scalar in block context.
    fn continued(&mut self, mut text: String, mut ended: Ended, parent: Option<usize>) -> Read<String> {
        while ended == Ended::Line && self.at < self.text.len() {
            let (at, line, line_start) = (self.at, self.line, self.line_start);
            self.newline();
            self.blanks();
            let deeper = parent.is_none_or(|p| self.column() > p);
            if self.peek().is_none()
                || self.byte(0) == b'\n'
                || self.byte(0) == b'#'
                || !deeper
                || self.at_document_marker()
            {
                (self.at, self.line, self.line_start) = (at, line, line_start);
                break;
            }
            let (more, end) = self.plain_rest(false);
            if end == Ended::Colon {
                return self.fail("a key where the text of the line above would go on; is the indentation right?");
            }
            text.push(' ');
            text.push_str(&more);
            ended = end;
        }
        Ok(text)
    }

    /// The type of a plain scalar follows from its text.
    fn typed(&self, text: String) -> Read<Json> {
        let digits = text.strip_prefix('-').unwrap_or(&text);
        let integer =
            text == "0" || !digits.is_empty() && !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
        match text.as_str() {
            "true" => Ok(Json::Bool(true)),
            "false" => Ok(Json::Bool(false)),
            _ if integer => match text.parse() {
                Ok(number) if (-MAX_INT..=MAX_INT).contains(&number) => Ok(Json::Int(number)),
                _ => self.fail(format!("{} is beyond 2^53 - 1", shortened(&text))),
            },
            _ => self.text(text),
        }
    }

    /// A text, if no control character hides in it.
    fn text(&self, text: String) -> Read<Json> {
        let value = Json::Str(text);
        value.check().map_err(|e| NotPlainData { line: self.line, what: e.to_string() })?;
        Ok(value)
    }

    /// A collection in brackets or braces.
    fn flow(&mut self, depth: usize) -> Read<Json> {
        self.check_depth(depth)?;
        let (close, list) = if self.peek() == Some('[') { (']', true) } else { ('}', false) };
        self.at += 1;
        let (mut items, mut members) = (Vec::new(), BTreeMap::new());
        loop {
            self.skip_flow()?;
            if self.peek() == Some(close) {
                break;
            }
            if list {
                items.push(self.flow_value(depth + 1)?);
            } else {
                let quoted = matches!(self.peek(), Some('"' | '\''));
                let key = self.key(true, &members)?;
                self.at += 1;
                if !quoted && !self.blank(0) {
                    return self.fail(format!("a blank is missing after {key:?}:"));
                }
                self.skip_flow()?;
                let value = self.flow_value(depth + 1)?;
                members.insert(key, value);
            }
            self.skip_flow()?;
            match self.peek() {
                Some(',') => self.at += 1,
                Some(c) if c == close => break,
                _ => return self.fail(format!("',' or '{close}' expected")),
            }
        }
        self.at += 1;
        Ok(if list { Json::List(items) } else { Json::Map(members) })
    }

    fn skip_flow(&mut self) -> Read<()> {
        self.skip()?;
        if self.at_document_marker() {
            return self.fail("one document only");
        }
        Ok(())
    }

    fn flow_value(&mut self, depth: usize) -> Read<Json> {
        self.check_depth(depth)?;
        match self.peek() {
            Some('[' | '{') => self.flow(depth),
            Some('"' | '\'') => self.quoted_text(),
            _ => {
                let (mut text, mut ended) = self.plain(true)?;
                while ended == Ended::Line && self.at < self.text.len() {
                    self.skip_flow()?;
                    if matches!(self.peek(), None | Some(',' | '[' | ']' | '{' | '}')) {
                        break;
                    }
                    let (more, end) = self.plain_rest(true);
                    text.push(' ');
                    text.push_str(&more);
                    ended = end;
                }
                if ended == Ended::Colon {
                    return self.fail("a key where a value is expected");
                }
                self.typed(text)
            }
        }
    }

    fn quoted_text(&mut self) -> Read<Json> {
        let text = self.quoted()?;
        self.text(text)
    }

    /// A text in quotes; a line end inside counts as one blank.
    fn quoted(&mut self) -> Read<String> {
        let mark = self.byte(0);
        self.at += 1;
        let mut text = String::new();
        loop {
            let Some(c) = self.peek() else { return self.fail("a text in quotes without an end") };
            self.at += c.len_utf8();
            match c {
                '\'' if mark == b'\'' => {
                    if self.peek() != Some('\'') {
                        return Ok(text);
                    }
                    self.at += 1;
                    text.push('\'');
                }
                '"' if mark == b'"' => return Ok(text),
                '\\' if mark == b'"' => self.escape(&mut text)?,
                '\n' => {
                    text.truncate(text.trim_end_matches([' ', '\t']).len());
                    self.fold()?;
                    text.push(' ');
                }
                c => text.push(c),
            }
        }
    }

    /// After a line end inside quotes: on to the next line, which must not be empty.
    fn fold(&mut self) -> Read<()> {
        self.at -= 1;
        self.newline();
        if self.at_document_marker() {
            return self.fail("a text in quotes without an end");
        }
        self.blanks();
        if self.peek() == Some('\n') {
            return self.fail("an empty line inside a text");
        }
        Ok(())
    }

    fn escape(&mut self, text: &mut String) -> Read<()> {
        let Some(c) = self.peek() else { return self.fail("a text in quotes without an end") };
        self.at += c.len_utf8();
        let plain = match c {
            '"' | '\\' | '/' | ' ' => c,
            'N' => '\u{85}',
            '_' => '\u{a0}',
            'L' => '\u{2028}',
            'P' => '\u{2029}',
            'x' => self.code_point(2)?,
            'u' => self.code_point(4)?,
            'U' => self.code_point(8)?,
            '\n' => return self.fold(),
            _ => return self.fail(format!("\\{} stands for no character a record may hold", c.escape_default())),
        };
        text.push(plain);
        Ok(())
    }

    fn code_point(&mut self, digits: usize) -> Read<char> {
        let code = self.rest().get(..digits).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let c = code.and_then(|d| u32::from_str_radix(d, 16).ok()).and_then(char::from_u32);
        self.at += digits;
        c.map_or_else(|| self.fail("not the number of a character"), Ok)
    }
}

/// A foreign text, cut for a message.
fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
