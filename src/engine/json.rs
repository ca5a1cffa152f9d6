//! Plain data with one spelling: what is hashed, signed and compared.
//!
//! [`Json`] holds objects, arrays, strings, integers and booleans; no null, no fraction. Its `Display` is the canonical
//! text: keys sorted by bytes, no blanks, nothing escaped but `"` and `\`. [`to_json`] turns any serde type into it and
//! refuses what has no canonical form, [`from_json`] goes back, [`Json::parse_canonical`] reads the one spelling only.

use std::collections::BTreeMap;
use std::fmt;

mod de;
mod parse;
mod ser;

pub use de::from_json;
pub use ser::to_json;

/// The largest integer, 2^53 − 1: what every JSON reader holds exactly.
pub const MAX_INT: i64 = (1 << 53) - 1;
/// How many levels a value may lie below the outermost one.
pub const MAX_DEPTH: usize = 32;
/// The size limit of a document, 1 MiB.
pub const MAX_BYTES: usize = 1 << 20;

/// A canonical value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Json {
    /// `true` or `false`.
    Bool(bool),
    /// An integer of at most 53 bits.
    Int(i64),
    /// Text without control characters.
    Str(String),
    /// An array.
    List(Vec<Json>),
    /// An object; the map keeps the keys in order.
    Map(BTreeMap<String, Json>),
}

/// Why something has no canonical form, and where in the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotCanonical {
    /// The place as a JSON pointer (`/moves/3/to`), empty for the whole document; or a byte for text that is no JSON.
    pub at: String,
    /// What is wrong there.
    pub what: String,
}

impl NotCanonical {
    fn new(what: impl Into<String>) -> Self {
        NotCanonical { at: String::new(), what: what.into() }
    }

    /// The same fault seen from one level further out.
    fn inside(mut self, key: &str) -> Self {
        self.at = format!("/{key}{}", self.at);
        self
    }
}

impl fmt::Display for NotCanonical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at.as_str() {
            "" => f.write_str(&self.what),
            at => write!(f, "{at}: {}", self.what),
        }
    }
}

impl std::error::Error for NotCanonical {}

impl Json {
    /// An empty object.
    pub fn map() -> Json {
        Json::Map(BTreeMap::new())
    }

    /// An object from its members.
    pub fn object<K: Into<String>, V: Into<Json>>(members: impl IntoIterator<Item = (K, V)>) -> Json {
        Json::Map(members.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }

    /// Member `key`, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.as_map()?.get(key)
    }

    /// The value at a JSON pointer such as `/units/us-9-inf/at` or `/rolls/0/faces`; the empty pointer is the whole.
    ///
    /// Keys contain `/` at times; `~1` stands for it and `~0` for `~`, as in RFC 6901.
    pub fn pointer(&self, pointer: &str) -> Option<&Json> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |value, step| match value {
            Json::Map(members) => members.get(&unescape(step)),
            Json::List(items) => items.get(index(step)?),
            _ => None,
        })
    }

    /// The same as [`Json::pointer`], to change the value.
    pub fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Json> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |value, step| match value {
            Json::Map(members) => members.get_mut(&unescape(step)),
            Json::List(items) => items.get_mut(index(step)?),
            _ => None,
        })
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Json::Str(text) = self { Some(text) } else { None }
    }

    /// The number, if it is one.
    pub fn as_int(&self) -> Option<i64> {
        if let Json::Int(number) = self { Some(*number) } else { None }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Json::Bool(truth) = self { Some(*truth) } else { None }
    }

    /// The items, if it is an array.
    pub fn as_list(&self) -> Option<&[Json]> {
        if let Json::List(items) = self { Some(items) } else { None }
    }

    /// The members, if it is an object.
    pub fn as_map(&self) -> Option<&BTreeMap<String, Json>> {
        if let Json::Map(members) = self { Some(members) } else { None }
    }

    /// The members to change, if it is an object.
    pub fn as_map_mut(&mut self) -> Option<&mut BTreeMap<String, Json>> {
        if let Json::Map(members) = self { Some(members) } else { None }
    }

    /// What sort of value it is, for messages: `an object`, `a string` and so on.
    pub fn sort(&self) -> &'static str {
        match self {
            Json::Bool(_) => "a truth value",
            Json::Int(_) => "a number",
            Json::Str(_) => "a text",
            Json::List(_) => "a list",
            Json::Map(_) => "an object",
        }
    }

    /// Checks a value put together by hand: keys, characters, range of integers, depth.
    pub fn check(&self) -> Result<(), NotCanonical> {
        self.check_at(0)
    }

    fn check_at(&self, depth: usize) -> Result<(), NotCanonical> {
        check_depth(depth)?;
        match self {
            Json::Bool(_) => Ok(()),
            Json::Int(number) => check_int(*number).map(drop),
            Json::Str(text) => check_text(text),
            Json::List(items) => items
                .iter()
                .enumerate()
                .try_for_each(|(at, item)| item.check_at(depth + 1).map_err(|e| e.inside(&at.to_string()))),
            Json::Map(members) => members.iter().try_for_each(|(key, value)| {
                check_key(key)?;
                value.check_at(depth + 1).map_err(|e| e.inside(key))
            }),
        }
    }

    /// Reads canonical text; anything that would be written differently, by as little as a blank, is refused.
    pub fn parse_canonical(bytes: &[u8]) -> Result<Json, NotCanonical> {
        parse::parse(bytes)
    }
}

fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

fn index(step: &str) -> Option<usize> {
    let plain = step == "0" || !step.starts_with('0') && step.bytes().all(|b| b.is_ascii_digit());
    if plain { step.parse().ok() } else { None }
}

fn check_depth(depth: usize) -> Result<(), NotCanonical> {
    if depth > MAX_DEPTH {
        return Err(NotCanonical::new(format!("nested deeper than {MAX_DEPTH} levels")));
    }
    Ok(())
}

fn check_int(number: i64) -> Result<i64, NotCanonical> {
    if !(-MAX_INT..=MAX_INT).contains(&number) {
        return Err(NotCanonical::new(format!("{number} is beyond 2^53 - 1")));
    }
    Ok(number)
}

/// Whether the text may be a key: `[a-z0-9_./-]{1,64}`.
pub fn is_key(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.' | b'/' | b'-'))
}

fn check_key(key: &str) -> Result<(), NotCanonical> {
    if !is_key(key) {
        return Err(NotCanonical::new(format!(
            "{key:?} cannot be a key: 1 to 64 of the characters a-z, 0-9, '_', '.', '/', '-'"
        )));
    }
    Ok(())
}

fn check_text(text: &str) -> Result<(), NotCanonical> {
    match text.chars().find(|c| matches!(c, '\0'..='\u{1f}' | '\u{7f}')) {
        Some(c) => Err(NotCanonical::new(format!("control character U+{:04X} in a text", u32::from(c)))),
        None => Ok(()),
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text);
        f.write_str(&text)
    }
}

impl Json {
    /// Appends the canonical text: every state of a game is hashed through here.
    fn write(&self, out: &mut String) {
        match self {
            Json::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
            Json::Int(number) => out.push_str(&number.to_string()),
            Json::Str(text) => write_text(out, text),
            Json::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Json::Map(members) => {
                out.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    write_text(out, key);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

fn write_text(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\')) {
        out.push_str(&rest[..at]);
        out.push('\\');
        out.push_str(&rest[at..=at]);
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

impl From<bool> for Json {
    fn from(truth: bool) -> Json {
        Json::Bool(truth)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::Str(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Json {
        Json::Str(text)
    }
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(items: Vec<T>) -> Json {
        Json::List(items.into_iter().map(Into::into).collect())
    }
}

macro_rules! from_integers {
    ($($int:ty),*) => { $(
        impl From<$int> for Json {
            fn from(number: $int) -> Json {
                Json::Int(number.into())
            }
        }
    )* };
}
from_integers!(u8, u16, u32, i8, i16, i32, i64);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Any canonical value, for property tests.
    pub fn any_json() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Json::Bool),
            (-MAX_INT..=MAX_INT).prop_map(Json::Int),
            "[ -~]{0,12}".prop_map(Json::Str),
            "[^\\x00-\\x1f\\x7f]{0,8}".prop_map(Json::Str),
        ];
        leaf.prop_recursive(5, 60, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Json::List),
                prop::collection::btree_map("[a-z0-9_./-]{1,8}", inner, 0..6).prop_map(Json::Map),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(value in any_json()) {
            prop_assert_eq!(value.check(), Ok(()));
            prop_assert_eq!(Json::parse_canonical(value.to_string().as_bytes()), Ok(value));
        }

        #[test]
        fn only_the_one_spelling_is_read(text in "[-0-9a-z\"\\\\{}\\[\\],: .eE+é]{0,24}") {
            if let Ok(value) = Json::parse_canonical(text.as_bytes()) {
                prop_assert_eq!(value.to_string(), text);
            }
        }

        #[test]
        fn a_changed_byte_is_another_value_or_none(value in any_json(), at in any::<prop::sample::Index>(), byte: u8) {
            let mut bytes = value.to_string().into_bytes();
            let at = at.index(bytes.len());
            prop_assume!(bytes[at] != byte);
            bytes[at] = byte;
            if let Ok(other) = Json::parse_canonical(&bytes) {
                prop_assert_ne!(&other, &value);
                prop_assert_eq!(other.to_string().into_bytes(), bytes);
            }
        }

        #[test]
        fn serde_carries_a_value_unchanged(value in any_json()) {
            prop_assert_eq!(to_json(&value), Ok(value.clone()));
            prop_assert_eq!(from_json::<Json>(&value), Ok(value));
        }
    }

    fn refused(text: &str) -> String {
        Json::parse_canonical(text.as_bytes()).expect_err(text).to_string()
    }

    #[test]
    fn another_spelling_of_the_same_value_is_refused() {
        for text in [
            "",
            " 1",
            "1 ",
            "01",
            "-0",
            "+1",
            "1.0",
            "1e3",
            "00",
            "-",
            "null",
            "nul",
            "tru",
            "trueish",
            "\u{feff}1",
            "\"\\u00e9\"",
            "\"\\n\"",
            "\"\\/\"",
            "\"a",
            "\"a\\\"",
            "\"\t\"",
            "\"\u{7f}\"",
            "[1, 2]",
            "[1,]",
            "[,1]",
            "[1",
            "]",
            "{\"b\":1,\"a\":2}",
            "{\"a\":1,\"a\":1}",
            "{\"A\":1}",
            "{\"\":1}",
            "{\"a\" :1}",
            "{\"a\":1,}",
            "{\"a\"}",
            "{a:1}",
            "{\"a\\\\\":1}",
            "9007199254740992",
            "-9007199254740992",
            "99999999999999999999",
            "1\n",
            "'a'",
            "[1]]",
        ] {
            refused(text);
        }
        assert_eq!(Json::parse_canonical(b"9007199254740991"), Ok(Json::Int(MAX_INT)));
        assert_eq!(Json::parse_canonical(b"-9007199254740991"), Ok(Json::Int(-MAX_INT)));
        assert!(Json::parse_canonical(b"\"\xff\"").is_err());
        assert!(Json::parse_canonical(b"\"\xed\xa0\x80\"").is_err(), "half of a surrogate pair");
    }

    #[test]
    fn depth_and_size_have_a_limit() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(Json::parse_canonical(nested(33).as_bytes()).is_ok(), "the innermost lies 32 below the outermost");
        assert!(refused(&nested(34)).contains("deeper"));
        assert!(refused(&nested(400_000)).contains("deeper"));
        assert!(refused(&format!("\"{}\"", "a".repeat(MAX_BYTES))).contains("1 MiB"));
    }

    #[test]
    fn pointers_find_members_items_and_keys_with_a_slash() {
        let mut value = Json::object([("a", Json::from(vec![1, 2])), ("ticket/1", Json::from("x"))]);
        assert_eq!(value.pointer("/a/1"), Some(&Json::Int(2)));
        assert_eq!(value.pointer("/ticket~11"), Some(&Json::from("x")));
        for nothing in ["/a/2", "/a/01", "/a/-1", "/a/+1", "a", "/b", "/a/1/0"] {
            assert_eq!(value.pointer(nothing), None, "{nothing}");
        }
        *value.pointer_mut("/a/0").expect("there") = Json::from("new");
        assert_eq!(value.to_string(), r#"{"a":["new",2],"ticket/1":"x"}"#);
    }
}
