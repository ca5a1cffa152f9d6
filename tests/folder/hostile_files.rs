//! Files that are no orders, on purpose or by accident: refused in a moment, with a place and a remedy, never a panic.

use std::time::{Duration, Instant};

use garcia::engine::doc::{DocPath, Fault, Node, Source, read_document, read_plain_data};
use garcia::report::faults::{Look, entries, render, summary};
use proptest::prelude::*;

/// A moment, for a debug build on a busy machine.
const A_MOMENT: Duration = Duration::from_secs(10);

fn accepted(text: &str) -> Node {
    match read_document("orders.yaml", text.as_bytes()) {
        Ok((node, _)) => node,
        Err(refused) => panic!("{text:?} was refused: {:?}", refused.faults),
    }
}

/// The first fault: its line and column, what is wrong, and the remedy.
fn refused(bytes: impl AsRef<[u8]>) -> (usize, usize, String, String) {
    let bytes = bytes.as_ref();
    let start = Instant::now();
    let refused = read_document("orders.yaml", bytes).expect_err("this is no order file");
    assert!(start.elapsed() < A_MOMENT, "took {:?}", start.elapsed());
    inside(&refused.source, &refused.faults);
    let fault = refused.faults.into_iter().next().expect("a fault");
    let place = fault.place.expect("a place");
    (place.line, place.column, fault.what, fault.remedy)
}

/// Every fault has words and a place within the text, and can be shown.
fn inside(source: &Source, faults: &[Fault]) {
    assert!(!faults.is_empty());
    for fault in faults {
        let place = fault.place.unwrap_or_else(|| source.place(&fault.at));
        assert!((1..=source.line_count()).contains(&place.line), "{place:?}");
        let length = source.line(place.line).chars().count();
        assert!((1..=length + 1).contains(&place.column), "{place:?} of {length}");
        assert!(!fault.what.is_empty() && !fault.remedy.is_empty());
    }
    let shown = render(faults, source, Look::PLAIN);
    let hidden = |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
    assert!(!shown.contains(hidden), "{shown:?}");
    assert!(shown.ends_with(&format!("{}\n", summary(faults, source))));
    assert!(!entries(faults, source).is_empty());
}

fn says(bytes: impl AsRef<[u8]>, line: usize, column: usize, what: &str) {
    let found = refused(bytes);
    assert!(found.2.contains(what), "{found:?}");
    assert_eq!((found.0, found.1), (line, column), "{found:?}");
}

#[test]
fn an_empty_file_says_so() {
    for text in ["", "\n\n", "# nothing yet\n", "---\n", "\u{feff}", "  \n# a\n  # b"] {
        says(text, 1, 1, "nothing in this file");
    }
}

#[test]
fn a_binary_file_is_no_order_file() {
    says(b"\x7fELF\x02\x01\x01\0\0\0\xff\xfe\xfd", 1, 14 - 3, "binary");
    says("moves:\n- to: a\0b\n", 2, 8, "NUL");
    says("moves: \x1b[31mred\n", 1, 8, "control character (U+001B)");
    says(b"\xff\xfem\0o\0v\0e\0s\0", 1, 1, "UTF-16");
}

#[test]
fn a_file_in_latin_1_points_at_its_first_accent() {
    let found = refused(b"moves:\r\n- to: Daiquir\xed\r\n");
    assert_eq!((found.0, found.1), (2, 14));
    assert_eq!(found.2, "the byte ED is not UTF-8");
    assert!(found.3.contains("UTF-8"));
}

#[test]
fn a_huge_file_is_not_read() {
    let found = refused(vec![b'a'; 10 * 1024 * 1024]);
    assert!(found.2.contains("10240 KiB"), "{found:?}");
}

#[test]
fn deep_nesting_is_refused_before_it_can_hurt() {
    let deep = "nested more than 32 deep";
    for (open, close) in [("[", "]"), ("{a: ", "}"), ("- ", ""), ("? ", ""), ("[{a: ", "}]")] {
        for times in [40, 200, 100_000] {
            let text = format!("a:\n  {}x{}\n", open.repeat(times), close.repeat(times));
            let found = refused(&text);
            if open != "? " {
                assert!(found.2.contains(deep), "{open:?} {found:?}");
            }
        }
    }
    let stairs: String = (0..700).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    assert!(refused(stairs).2.contains(deep));
    // 32 levels below the whole are as deep as it goes: a value inside 32 lists and maps.
    let nested = |lists: usize| format!("a: {}x{}\n", "[".repeat(lists), "]".repeat(lists));
    accepted(&nested(31));
    assert!(refused(nested(32)).2.contains(deep));
}

#[test]
fn a_key_that_stands_twice_is_shown_with_its_first_line() {
    let text = "turn: 1\nmoves:\n- to: a\n  units: b\n  to: c\nturn: 2\n";
    let refused = read_document("orders.yaml", text.as_bytes()).expect_err("twice");
    let said: Vec<String> = (refused.faults.iter())
        .map(|fault| format!("{} {:?} {}", fault.at, fault.place.map(|at| (at.line, at.column)), fault.what))
        .collect();
    assert_eq!(
        said,
        [
            "moves[0].to Some((5, 3)) the key `to` stands here twice, first in line 3",
            "turn Some((6, 1)) the key `turn` stands here twice, first in line 1",
        ]
    );
}

#[test]
fn clever_yaml_is_refused() {
    says("a: &x 1\nb: 2\n", 1, 4, "anchors");
    says("a: &x [1]\nb: *x\n", 1, 4, "anchors");
    says("b: *x\n", 1, 4, "aliases");
    says("a: !!str 1\n", 1, 4, "tags");
    says("a: !mine {b: 1}\n", 1, 4, "tags");
    says("a: 1\n<<: {b: 2}\n", 2, 1, "merge keys");
    says("a: 1\n---\nb: 2\n", 2, 1, "second document");
    says("? [a, b]\n: 1\n", 1, 3, "where a key is expected");
    says("{[a]: b}\n", 1, 2, "where a key is expected");
    says(": b\n", 1, 1, "without a key");
    // A thousand laughs, none of them expanded.
    let bomb: String = (1..10).map(|i| format!("a{i}: &a{i} [{}]\n", format!("*a{}, ", i - 1).repeat(9))).collect();
    refused(bomb);
}

#[test]
fn the_top_of_a_file_is_a_map() {
    says("- a\n- b\n", 1, 1, "the file is a list");
    says("\n  hello\n", 2, 3, "the file is a single value");
    assert_eq!(accepted("{}\n"), Node::Map(Vec::new()));
    assert_eq!(accepted("---\na: 1\n...\n"), accepted("a: 1\n"));
}

#[test]
fn tabs_do_not_indent() {
    let (line, column, what, remedy) = refused("moves:\n\t- to: a\n");
    assert_eq!((line, column), (2, 1));
    assert!(what.contains("tab") && remedy.contains("blanks"), "{what}: {remedy}");
    says("moves:\n- to: a\n \tunits: b\n", 3, 2, "tab");
}

#[test]
fn what_a_mail_program_does_to_a_file_is_recognised() {
    says("to: “Siboney”\n", 1, 5, "typographic quotes");
    says("units: [a, ‘b’]\n", 1, 12, "typographic quotes");
    assert!(refused("to: „Siboney“\n").3.contains("plain quotes"));
    says("moves:\n  – to: a\n", 2, 3, "does not begin an item");
    says("moves:\n\u{a0}\u{a0}to: a\n", 2, 1, "U+00A0");
    says("> moves:\n> - to: a\n>   units: b\n", 1, 1, "reply by mail");
    says("> turn: 1\n> moves: []\n", 1, 1, "reply by mail");
    assert_eq!(
        accepted("note: the boys’ “rough” ride\n").get("note").and_then(Node::as_text),
        Some("the boys’ “rough” ride")
    );
}

#[test]
fn what_is_opened_must_be_closed() {
    says("a: \"never\nb: 2\n", 1, 4, "quote");
    says("turn: 1\na: 'never\n", 2, 4, "quote");
    says("a: [1, 2\n", 1, 4, "not closed");
    says("a: [1, 2\nb: 3\n", 1, 4, "not closed");
    says("a: {b: 1\n", 1, 4, "not closed");
    says("moves:\n- units: [a, b\n  to: 0816\n- units: c\n", 2, 10, "not closed");
    says("a: {b: 1\nc: 2\nd: 4\n", 1, 4, "not closed");
    says("a: [1, 2", 1, 4, "not closed");
    assert!(refused("a: 'it's'\n").3.contains("quote"));
}

#[test]
fn slips_of_the_hand_are_named() {
    says("a: b: c\n", 1, 5, "no key can stand here");
    says("moves:\n  - to: a\n - to: b\n", 3, 2, "indentation");
    says("moves:\n  to: a\n units: b\n", 3, 2, "indentation");
    says("a: 1\nhello\n", 2, 1, "no `key: value`");
    says("a: 1\nhello\nb: 2\n", 2, 1, "no `key: value`");
    says("a: 1\n  b: 2\n", 2, 4, "no key can stand here");
    says("a: @b\n", 1, 4, "cannot begin");
    says("a: [1,, 2]\n", 1, 7, "value is missing");
    says("a:\n- 1\n-\n- 2\n", 3, 1, "item of this list is empty");
    says("a: - b\n", 1, 4, "dash");
}

#[test]
fn marks_and_line_ends_do_not_matter() {
    let plain = accepted("turn: 1\nmoves:\n- to: a\n");
    assert_eq!(accepted("\u{feff}turn: 1\nmoves:\n- to: a\n"), plain);
    assert_eq!(accepted("turn: 1\r\nmoves:\r\n- to: a\r\n"), plain);
    assert_eq!(accepted("turn: 1\rmoves:\r- to: a\r"), plain);
    assert_eq!(accepted("turn: 1\nmoves:\n- to: a"), plain);
}

#[test]
fn numbers_dates_and_nothings_are_texts() {
    for text in [
        "0816",
        "1_000",
        "0x1F",
        "12:30",
        "no",
        "~",
        "1e3",
        "null",
        "true",
        ".5",
        "2:1",
        "-3",
        "1898-07-01",
        "=",
        "0o7",
    ] {
        let node = accepted(&format!("a: {text}\nb: [{text}]\n{text}: c\n"));
        assert_eq!(node.get("a"), Some(&Node::text(text)));
        assert_eq!(node.get("b"), Some(&Node::List(vec![Node::text(text)])));
        assert_eq!(node.get(text), Some(&Node::text("c")));
    }
    let quoted = |text: &str| Node::Text { text: text.into(), quoted: true };
    let node = accepted("a: \"0816\"\nb: '0816'\nc: |\n  two\n  lines\nd: ''\n");
    assert_eq!(node.get("a"), Some(&quoted("0816")));
    assert_eq!(node.get("b"), Some(&quoted("0816")));
    assert_eq!(node.get("c"), Some(&quoted("two\nlines\n")));
    assert_eq!(node.get("d"), Some(&quoted("")));
}

#[test]
fn a_key_with_nothing_after_it_is_not_there() {
    let (node, source) = read_document("orders.yaml", b"turn: 1\nmoves:\nanswers: # none\n").expect("fine");
    assert_eq!(node, Node::Map(vec![("turn".into(), Node::text("1"))]));
    let place = source.place(&DocPath::root().key("moves"));
    assert_eq!((place.line, place.column), (2, 1));
    assert!(read_plain_data("record.yaml", b"turn: 1\nmoves:\n").is_err());
    assert!(read_plain_data("record.yaml", "turn: “1”\n".as_bytes()).is_ok());
}

#[test]
fn every_part_has_its_place() {
    let text = "# orders\nturn: 1\nmoves:\n- units: [us-9-inf, 'us-10-cav']\n  to: Él Pozo  # the hill\n- {units: x, press_if: 2:1}\n";
    let (_, source) = read_document("orders.yaml", text.as_bytes()).expect("fine");
    let moves = DocPath::root().key("moves");
    let shows = |at: &DocPath, line: usize, column: usize, part: &str| {
        let place = source.place(at);
        let (start, len) = source.span(at);
        assert_eq!((place.line, place.column, &source.text[start..start + len]), (line, column, part), "{at}");
    };
    shows(&DocPath::root().key("turn"), 2, 7, "1");
    shows(&DocPath::root().name("turn"), 2, 1, "turn");
    shows(&moves, 3, 1, "moves");
    shows(&moves.index(0), 4, 3, "units: [us-9-inf, 'us-10-cav']");
    shows(&moves.index(0).key("units"), 4, 3, "units");
    shows(&moves.index(0).key("units").index(0), 4, 11, "us-9-inf");
    shows(&moves.index(0).key("units").index(1), 4, 21, "'us-10-cav'");
    shows(&moves.index(0).key("to"), 5, 7, "Él Pozo");
    shows(&moves.index(1), 6, 3, "{units: x, press_if: 2:1}");
    shows(&moves.index(1).key("press-if"), 6, 24, "2:1");
    shows(&moves.index(1).name("press_if"), 6, 14, "press_if");
    // What does not exist stands where it would belong.
    shows(&moves.index(1).key("to"), 6, 3, "{units: x, press_if: 2:1}");
    shows(&moves.index(7).key("to").index(2), 3, 1, "moves");
    shows(&moves.index(0).key("to").key("x"), 5, 7, "Él Pozo");
}

/// Reads the file, whatever comes of it, in a moment.
fn in_a_moment(text: &str) {
    let start = Instant::now();
    let read = read_document("orders.yaml", text.as_bytes());
    let taken = start.elapsed();
    assert!(taken < A_MOMENT, "{:?}…: {taken:?}", text.get(..12));
    if let Err(refused) = read {
        inside(&refused.source, &refused.faults);
    }
}

#[test]
fn the_longest_file_takes_a_moment() {
    for (before, piece, after) in
        [("a: [", "{a: b},", "]"), ("a: [", "a,", "]"), ("a:\n", "- a\n", ""), ("a: \"", "\n", "\"")]
    {
        in_a_moment(&format!("{before}{}{after}", piece.repeat(1_000_000 / piece.len())));
    }
    let keys: String = (0..90_000).map(|i| format!("key{i}: x\n")).collect();
    in_a_moment(&keys);
}

#[test]
fn much_of_anything_takes_a_moment() {
    for piece in [
        "[a,", "a,", "[],", "{},", "- a\n", "a: ", "? ", "- ", "-\n", "\"", "'", "'' ", "\\", "&a ", "*a ", "!a ",
        "# c\n", ":", ": ", "\n", "\t", " ", "|\n", ">\n ", "%\n", "---\n", "...\n", "é", "“a” ", "{a,", "{a: b},",
        "a\n", "a: a\n", "[a]: ", "\"a\": ", "}", "]", ",", "\u{feff}", "\u{2028}", "`", "@", "-", "--", "a#", "a #",
    ] {
        for (before, after) in [("", ""), ("a: [", "]"), ("a:\n  ", ""), ("a: \"", "\"")] {
            in_a_moment(&format!("{before}{}{after}", piece.repeat(200_000 / piece.len())));
        }
    }
}

/// Whatever it is, it is a map or it has faults with places in the file.
fn survives(bytes: &[u8]) -> Result<(), TestCaseError> {
    match read_document("orders.yaml", bytes) {
        Ok((node, source)) => {
            prop_assert!(node.as_map().is_some());
            placed(&node, &DocPath::root(), &source);
        }
        Err(refused) => {
            prop_assert!(refused.faults.iter().all(|fault| fault.place.is_some()));
            inside(&refused.source, &refused.faults);
        }
    }
    Ok(())
}

/// Every part of the document stands where the source says: a plain text in one line can be read there.
fn placed(node: &Node, at: &DocPath, source: &Source) {
    let (start, len) = source.span(at);
    let shown = source.text.get(start..start + len).expect("within the text");
    match node {
        Node::Text { text, quoted: false } if !text.contains('\n') && !shown.is_empty() => {
            let first = text.split(' ').next().unwrap_or("");
            assert!(shown.starts_with(first), "{at}: {text:?} is shown as {shown:?}");
        }
        Node::Text { .. } => {}
        Node::List(items) => (items.iter().enumerate()).for_each(|(i, item)| placed(item, &at.index(i), source)),
        Node::Map(entries) => entries.iter().for_each(|(key, item)| placed(item, &at.key(key), source)),
    }
}

#[test]
fn a_text_that_ends_in_a_line_separator_is_shown_whole() {
    for mark in ['\u{85}', '\u{2028}', '\u{a0}'] {
        survives(format!("a: ?{mark}\n  -").as_bytes()).expect("placed");
    }
}

const VALID: &str = "\u{feff}# García's orders\nturn: 3\nside: us\nmoves:\n- units: [us-9-inf, \"us-10-cav\"]\n  to: 0816\n  via:\n    - Él Pozo\n    - 'Las Guásimas'\n  press-if: 2:1\n- {units: us-1-vol, to: Siboney}\npolicies:\n  retreat: default\nnote: |\n  On to Santiago!\n  No quarter.\nanswers:\n";

fn any_node() -> impl Strategy<Value = Node> {
    let text = prop_oneof!["[a-z0-9-]{1,8}", "[ -~]{0,12}", "[^\\x00-\\x1f\\x7f]{0,6}"];
    let leaf = text.prop_map(|text| Node::Text { text, quoted: true });
    leaf.prop_recursive(6, 60, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Node::List),
            prop::collection::btree_map("[ -;=-~]{1,6}", inner, 0..5)
                .prop_map(|map| Node::Map(map.into_iter().collect())),
        ]
    })
}

/// Everything quoted, whatever was plain.
fn quoted(node: &Node) -> Node {
    match node {
        Node::Text { text, .. } => Node::Text { text: text.clone(), quoted: true },
        Node::List(items) => Node::List(items.iter().map(quoted).collect()),
        Node::Map(entries) => Node::Map(entries.iter().map(|(key, item)| (key.clone(), quoted(item))).collect()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        survives(&bytes)?;
    }

    #[test]
    fn random_yaml_marks_never_panic(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "a", "b", "0816", ":", ": ", "\n", "\n  ", "\n    ", "- ", "-", "[", "]", "{", "}", ",", "\"", "'", "#", " #", "&", "*", "!",
            "|", ">", "|-\n", "?", "? ", "%", "@", "`", "~", "\t", " ", "\\", "---", "...", "\n---\n", "<<", "é", "“", "\u{a0}", "\u{feff}",
            "\u{202e}", "\u{85}", "\u{2028}", "\r", "\r\n", "\0", "&a ", "*a", "!!str ", "\\x4", "\\u12", "%YAML 1.2\n", "%TAG ! tag:\n",
        ]), 0..40),
    ) {
        survives(pieces.concat().as_bytes())?;
    }

    #[test]
    fn a_damaged_file_never_panics(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, any::<u8>()), 1..6),
    ) {
        let mut bytes = VALID.as_bytes().to_vec();
        for (at, kind, byte) in changes {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => { bytes.remove(at); }
                2 => bytes.insert(at, byte & 0x7f),
                _ => bytes.truncate(at),
            }
        }
        survives(&bytes)?;
    }

    #[test]
    fn what_a_program_writes_reads_back(node in any_node()) {
        let whole = Node::Map(vec![("whole".to_owned(), node)]);
        let text = serde_yaml::to_string(&whole).expect("plain data");
        let (read, source) = read_plain_data("record.yaml", text.as_bytes()).map_err(|refused| {
            TestCaseError::fail(format!("{text:?}: {:?}", refused.faults))
        })?;
        placed(&read, &DocPath::root(), &source);
        prop_assert_eq!(quoted(&read), quoted(&whole), "{}", text);
    }
}

#[test]
fn the_file_the_damage_is_done_to_is_sound() {
    let node = accepted(VALID);
    assert_eq!(node.get("side").and_then(Node::as_text), Some("us"));
    assert_eq!(node.get("answers"), None);
}
