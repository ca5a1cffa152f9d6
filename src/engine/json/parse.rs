//! Reading canonical text. Every rule that makes the spelling unique is checked where it arises.

use std::collections::BTreeMap;

use super::{Json, MAX_BYTES, NotCanonical, check_depth, check_int, check_key, check_text};

pub(super) fn parse(bytes: &[u8]) -> Result<Json, NotCanonical> {
    if bytes.len() > MAX_BYTES {
        return Err(NotCanonical::new("longer than 1 MiB"));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|e| NotCanonical { at: format!("byte {}", e.valid_up_to()), what: "not UTF-8".to_owned() })?;
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0).and_then(|value| match reader.peek() {
        None => Ok(value),
        Some(_) => Err(NotCanonical::new("something follows the end")),
    });
    value.map_err(|e| NotCanonical { at: format!("byte {}", reader.at), ..e })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Steps over `byte` if it is next.
    fn take(&mut self, byte: u8) -> bool {
        let next = self.peek() == Some(byte);
        self.at += usize::from(next);
        next
    }

    fn expect(&mut self, byte: u8) -> Result<(), NotCanonical> {
        if self.take(byte) { Ok(()) } else { Err(NotCanonical::new(format!("'{}' expected", char::from(byte)))) }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn value(&mut self, depth: usize) -> Result<Json, NotCanonical> {
        check_depth(depth)?;
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Json::Str),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => [("true", true), ("false", false)]
                .into_iter()
                .find(|(word, _)| self.rest().starts_with(word))
                .map(|(word, truth)| {
                    self.at += word.len();
                    Json::Bool(truth)
                })
                .ok_or_else(|| NotCanonical::new("a value expected (object, array, string, integer, true or false)")),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Json, NotCanonical> {
        self.expect(b'[')?;
        let mut items = Vec::new();
        if self.take(b']') {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.take(b']') {
                return Ok(Json::List(items));
            }
            self.expect(b',')?;
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, NotCanonical> {
        self.expect(b'{')?;
        let mut members: BTreeMap<String, Json> = BTreeMap::new();
        if self.take(b'}') {
            return Ok(Json::Map(members));
        }
        loop {
            let key = self.string()?;
            check_key(&key)?;
            if members.last_key_value().is_some_and(|(last, _)| *last >= key) {
                return Err(NotCanonical::new(format!("key {key:?} stands twice or out of order")));
            }
            self.expect(b':')?;
            let value = self.value(depth + 1)?;
            members.insert(key, value);
            if self.take(b'}') {
                return Ok(Json::Map(members));
            }
            self.expect(b',')?;
        }
    }

    fn string(&mut self) -> Result<String, NotCanonical> {
        self.expect(b'"')?;
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let Some(end) = rest.find(['"', '\\']) else {
                return Err(NotCanonical::new("a string without an end"));
            };
            let (plain, stop) = rest.split_at(end);
            check_text(plain)?;
            text.push_str(plain);
            self.at += end;
            if stop.starts_with('"') {
                self.at += 1;
                return Ok(text);
            }
            match stop.as_bytes().get(1) {
                Some(b'"') => text.push('"'),
                Some(b'\\') => text.push('\\'),
                _ => return Err(NotCanonical::new("only \\\" and \\\\ are escapes")),
            }
            self.at += 2;
        }
    }

    fn number(&mut self) -> Result<Json, NotCanonical> {
        let rest = self.rest();
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        let count = digits.bytes().take_while(u8::is_ascii_digit).count();
        let text = &rest[..rest.len() - digits.len() + count];
        if count == 0 || digits.starts_with('0') && text != "0" {
            return Err(NotCanonical::new("not an integer as it is written here"));
        }
        let number = text.parse().map_err(|_| NotCanonical::new(format!("{text} is beyond 2^53 - 1")))?;
        check_int(number)?;
        self.at += text.len();
        Ok(Json::Int(number))
    }
}
