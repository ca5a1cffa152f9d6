use proptest::prelude::*;

use super::super::write;
use super::*;
use crate::engine::doc::read_plain_data;

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Json::Bool),
        (-MAX_INT..=MAX_INT).prop_map(Json::Int),
        (-3i64..30).prop_map(Json::Int),
        "[ -~]{0,12}".prop_map(Json::Str),
        "[0-9a-f]{2,6}".prop_map(Json::Str),
        "[^\\x00-\\x1f\\x7f]{0,8}".prop_map(Json::Str),
        "(true|no|~|null|-|: |#a| #|a: b|a #b|\\[|\\]|---|\\.\\.\\.|'|\"|\\\\)".prop_map(Json::Str),
    ];
    leaf.prop_recursive(6, 60, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Json::List),
            prop::collection::vec((-9i64..9).prop_map(Json::Int), 1..4).prop_map(Json::List),
            prop::collection::btree_map("([a-z0-9_./-]{1,8}|true|no|12|-|---)", inner, 0..5).prop_map(Json::Map),
        ]
    })
}

/// Pieces of YAML in any order, some of which make a document.
fn any_layout() -> impl Strategy<Value = String> {
    let pieces = [
        "a", "b: ", "a: ", "c", "- ", "\n", "\n", "\n  ", "\n  ", "  ", "[", "]", "{", "}", ", ", ": ", "\"x\"", "'y'",
        " # c", "? ", "0", "12", "true", "---\n", "...\n", "%", "\t", "!t ", "&a ", "*a", "|\n", "\\", "\"", "'", ":",
        "-", "?", ",", "\"a\":", "é", "~",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..14).prop_map(|pieces| pieces.concat())
}

/// A value with every number and truth value as it is written.
fn in_words(value: Json) -> Json {
    match value {
        Json::List(items) => Json::List(items.into_iter().map(in_words).collect()),
        Json::Map(members) => Json::Map(members.into_iter().map(|(key, value)| (key, in_words(value))).collect()),
        Json::Str(text) => Json::Str(text),
        other => Json::Str(other.to_string()),
    }
}

proptest! {
    #[test]
    fn what_is_written_reads_back(value in any_json(), comment in ".{0,20}", crlf: bool) {
        let text = write(&[comment], &value);
        let text = if crlf { text.replace('\n', "\r\n") } else { text };
        prop_assert_eq!(read(text.as_bytes()), Ok(value), "{}", text);
    }

    #[test]
    fn canonical_json_reads_as_the_same_value(value in any_json()) {
        prop_assert_eq!(read(value.to_string().as_bytes()), Ok(value));
    }

    /// Another emitter's layout: `serde_yaml` puts lists under their key without indentation and quotes otherwise.
    #[test]
    fn another_writer_is_understood(value in any_json()) {
        let text = serde_yaml::to_string(&value).expect("written");
        // It uses block scalars and escapes that records do without; what is read must be right all the same.
        if let Ok(found) = read(text.as_bytes()) {
            prop_assert_eq!(found, value, "{}", text);
        }
    }

    /// What guards signatures and what reads people's files never disagree about what a text says.
    #[test]
    fn a_record_says_what_a_file_says(text in any_layout()) {
        if let Ok(found @ Json::Map(_)) = read(text.as_bytes()) {
            let (node, _) = read_plain_data("record.yaml", text.as_bytes()).expect("a document");
            prop_assert_eq!(in_words(found), node.to_json(), "{:?}", text);
        }
    }

    /// Where both readers accept a text they agree, wherever YAML's own types do not come in.
    #[test]
    fn a_text_means_what_yaml_means_by_it(text in "[ab:#\\-\\[\\]{},\"'\n ]{0,24}") {
        if let Ok(found) = read(text.as_bytes()) {
            let theirs: Result<Json, _> = serde_yaml::from_str(&text);
            prop_assert_eq!(Ok(&found), theirs.as_ref().map_err(ToString::to_string), "{:?}", text);
        }
    }

    #[test]
    fn no_text_makes_the_reader_stumble(text in "[-a0\"'\\\\:#\\[\\]{},&*!|>%@?~\n\t .é]{0,60}") {
        if let Ok(value) = read(text.as_bytes()) {
            prop_assert_eq!(value.check(), Ok(()));
        }
    }

    #[test]
    fn no_bytes_make_the_reader_stumble(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        drop(read(&bytes));
    }
}

fn json(text: &str) -> Json {
    Json::parse_canonical(text.as_bytes()).expect(text)
}

#[test]
fn the_text_alone_decides_the_type() {
    let value = read(b"a: 0\nb: -12\nc: 012\nd: 1.5\ne: '7'\nf: \"true\"\ng: yes\nh: 12:30\ni: true\nj: -0\nk: ~\nl: null\n12: 1e3\nfalse: +1\n");
    assert_eq!(
        value,
        Ok(json(
            r#"{"12":"1e3","a":0,"b":-12,"c":"012","d":"1.5","e":"7","f":"true","false":"+1","g":"yes","h":"12:30","i":true,"j":"-0","k":"~","l":"null"}"#
        ))
    );
}

#[test]
fn any_layout_of_plain_data_is_read() {
    let expected = json(r#"{"a":[{"b":[1,2],"c":"x y"},"z"],"d":{"e":"p: q"}}"#);
    for text in [
        "a:\n- b: [1, 2]\n  c: x\n    y\n- z\nd:\n  e: 'p: q'\n",
        "---\n# comment\na:   # here\n    -   b:\n          - 1\n          - 2\n        c: \"x\n          y\"\n    - z\nd: {e: \"p: q\"}",
        "{a: [{b: [1,\n2], c: x\n y}, z,], d: {\"e\":\"p: q\"}, }\n",
        "\u{feff}d:\r\n  \"e\": \"p\\x3a \\u0071\"\r\na:\r\n  -\r\n    b: [ 1 , 2 ]\r\n    'c': 'x y'\r\n  - z\r\n",
    ] {
        assert_eq!(read(text.as_bytes()), Ok(expected.clone()), "{text}");
    }
}

#[test]
fn whatever_is_not_plain_data_is_refused_with_its_line() {
    let mut wrong = Vec::new();
    for (text, line, part) in [
        ("a: &x 1\n", 1, "anchors"),
        ("a: 1\nb: *x\n", 2, "aliases"),
        ("a: !!str 1\n", 1, "tags"),
        ("a: |\n  b\n", 1, "block scalars"),
        ("a: >-\n  b\n", 1, "block scalars"),
        ("<<: {a: 1}\n", 1, "cannot be a key"),
        ("a: 1\nb: 2\na: 3\n", 3, "twice"),
        ("{a: 1, a: 1}", 1, "twice"),
        ("[:-]", 1, "quotes"),
        ("a:\nb: 1\n", 2, "missing"),
        ("a:\n", 2, "missing"),
        ("- a\n-\n- b", 3, "missing"),
        ("[a, , b]", 1, "missing"),
        ("{a: , b: 1}", 1, "missing"),
        ("? a\n: b\n", 1, "'?'"),
        ("%YAML 1.2\n---\na: 1\n", 1, "directives"),
        ("a: 1\n---\nb: 2\n", 2, "one document"),
        ("a: 1\n...\n", 2, "one document"),
        ("a: 1\n b: 2\n", 2, "key"),
        ("a:\n  b: 1\n c: 2\n", 3, "indentation"),
        ("a: b: c\n", 1, "key"),
        ("a: [1\n", 2, "not closed"),
        ("a: \"b\n", 1, "never closed"),
        ("a: \"b\n\n  c\"\n", 1, "control character"),
        ("a: \"\\n\"\n", 1, "control character"),
        ("a: \"\\ud83d\"\n", 1, "backslash"),
        ("a: \"b\" c\n", 1, "follows"),
        ("a: b\n\tc: d\n", 2, "tab"),
        ("Key: 1\n", 1, "cannot be a key"),
        ("a: 9007199254740992\n", 1, "beyond"),
        ("a: 1\n- b\n", 2, "indentation"),
        ("- a\nb: 1\n", 2, "indentation"),
        ("", 1, "missing"),
        ("# nothing\n", 2, "missing"),
        ("a: \u{1b}[2J\nb: 1\n", 1, "control character"),
    ] {
        let e = read(text.as_bytes()).expect_err(text);
        if e.line != line || !e.what.contains(part) {
            wrong.push(format!("{text:?} gave {e}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn neither_depth_nor_size_hurts() {
    for (open, close) in [("[", "]"), ("- ", ""), ("{a: ", "}"), ("[{a: ", "}]")] {
        let deep = |n: usize| open.repeat(n) + "x" + &close.repeat(n);
        assert!(read(deep(16).as_bytes()).is_ok(), "{open}");
        assert!(read(deep(100_000).as_bytes()).expect_err(open).what.contains("deep"));
    }
    let stairs: String = (0..1000).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
    assert!(read(stairs.as_bytes()).expect_err("stairs").what.contains("deep"));
    assert!(read(&vec![b'a'; MAX_BYTES + 1]).expect_err("long").what.contains("1 MiB"));
}
