//! Records as YAML: one written style, and a reader for any plain-data YAML.
//!
//! The text alone decides the type. A plain `0` or `-?[1-9][0-9]*` is an integer, plain `true` and `false` are truth
//! values, everything else and everything quoted is a text, and so is every key.

use std::fmt;

use crate::engine::json::Json;

mod read;

pub use read::{read, read_own};

/// Text that is not plain data, and the line where that shows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct NotPlainData {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

/// Writes a value in the one style: block form, two blanks per level, no line folded.
///
/// `comments` go to the top, one line each; characters that could upset a terminal or end the comment are replaced.
pub fn write(comments: &[String], value: &Json) -> String {
    let mut text = String::new();
    for comment in comments {
        let line: String = comment.chars().map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '?' }).collect();
        text.push_str(format!("# {line}").trim_end());
        text.push('\n');
    }
    match value {
        Json::Map(members) if !members.is_empty() => block(&mut text, value, 0),
        Json::List(_) if inline(value).is_none() => block(&mut text, value, 0),
        _ => text.push_str(&format!("{}\n", inline(value).unwrap_or_default())),
    }
    text
}

/// A value in block form whose first line begins where the text now ends; the others are indented by `level`.
fn block(text: &mut String, value: &Json, level: usize) {
    let indent = "  ".repeat(level);
    let mut first = true;
    let mut start = |text: &mut String| {
        if !std::mem::take(&mut first) {
            text.push_str(&indent);
        }
    };
    match value {
        Json::Map(members) => {
            for (key, value) in members {
                start(text);
                text.push_str(&scalar(key));
                match inline(value) {
                    Some(short) => text.push_str(&format!(": {short}\n")),
                    None => {
                        text.push_str(&format!(":\n{indent}  "));
                        block(text, value, level + 1);
                    }
                }
            }
        }
        Json::List(items) => {
            for item in items {
                start(text);
                text.push_str("- ");
                match inline(item) {
                    Some(short) => text.push_str(&format!("{short}\n")),
                    None => block(text, item, level + 1),
                }
            }
        }
        other => text.push_str(&format!("{other}\n")),
    }
}

/// The value on one line, if the style writes it so.
fn inline(value: &Json) -> Option<String> {
    match value {
        Json::Bool(truth) => Some(truth.to_string()),
        Json::Int(number) => Some(number.to_string()),
        Json::Str(text) => Some(scalar(text)),
        Json::List(items) => {
            let numbers: Option<Vec<String>> = items.iter().map(|i| i.as_int().map(|n| n.to_string())).collect();
            numbers.map(|n| format!("[{}]", n.join(", ")))
        }
        Json::Map(members) => members.is_empty().then(|| "{}".to_owned()),
    }
}

/// A text plain where nothing else could be meant, else in double quotes.
fn scalar(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { Quoted(text).to_string() }
}

/// `[A-Za-z][A-Za-z0-9._/-]*( [A-Za-z0-9._/-]+)*`, and no word that some reader takes for a truth value or nothing.
fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let word = |w: &str| !w.is_empty() && w.bytes().all(|b| b.is_ascii_alphanumeric() || b"._/-".contains(&b));
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.split(' ').all(word)
        && !WORDS.iter().any(|w| text.eq_ignore_ascii_case(w))
}

struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The same escapes as in canonical JSON.
        Json::from(self.0).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse_canonical(text.as_bytes()).expect(text)
    }

    #[test]
    fn a_record_is_written_in_the_one_style() {
        let value = json(
            r#"{"body":{"data":{"3412":"s-01","empty":[],"faces":[2,6],"lists":[[1],["a"],[["b"],"c"]],"none":{},"note":"García says: \"no\"","orders":[{"hex":"3412","to":["0512","a b"]},{"end":true}]},"kind":"no","n":-5}}"#,
        );
        let written = write(&["record 1".to_owned(), "bell \u{7} é\n#".to_owned()], &value);
        let expected = r##"# record 1
# bell ? ??#
body:
  data:
    "3412": s-01
    empty: []
    faces: [2, 6]
    lists:
      - [1]
      - - a
      - - - b
        - c
    none: {}
    note: "García says: \"no\""
    orders:
      - hex: "3412"
        to:
          - "0512"
          - a b
      - end: true
  kind: "no"
  "n": -5
"##;
        assert_eq!(written, expected);
        assert_eq!(read(written.as_bytes()), Ok(value));
    }

    #[test]
    fn what_could_be_read_as_something_else_is_quoted() {
        for text in [
            "", "3412", "-1", "0", "true", "No", "ON", "~", "null", " a", "a ", "a  b", "a: b", "a #b", "- a", "1e3",
            "0x1", "é",
        ] {
            let written = write(&[], &Json::from(text));
            assert!(written.starts_with('"'), "{written}");
            assert_eq!(read(written.as_bytes()), Ok(Json::from(text)));
        }
        for text in ["a", "s-01", "turn 3", "t1.us.assault/3412/attack/1", "e3", "nonsense", "x -"] {
            assert_eq!(write(&[], &Json::from(text)), format!("{text}\n"));
        }
    }
}
