//! What a text can have against being a document, in words its author understands.

use super::path::DocPath;
use super::source::{Place, Source};
use super::yaml::DEEPEST;

const TAB: &str = "a tab stands where only blanks may";
const INDENTATION: &str = "the indentation fits nothing above";
const NO_KEY: &str = "a line stands here that is no `key: value`";
pub(super) const ALIAS: &str = "aliases (`*name`) are not understood here";

/// What to do about deep nesting.
pub(super) const SHALLOWER: &str = "nothing here needs that: close brackets earlier, or indent less";

/// What is said of deep nesting.
pub(super) fn too_deep() -> String {
    format!("lists and maps are nested more than {DEEPEST} deep")
}

/// Something wrong with the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Complaint {
    pub at: DocPath,
    /// The byte to point at.
    pub start: usize,
    pub what: String,
    pub remedy: String,
}

impl Complaint {
    pub fn new(start: usize, what: impl Into<String>, remedy: impl Into<String>) -> Complaint {
        Complaint { at: DocPath::root(), start, what: what.into(), remedy: remedy.into() }
    }
}

/// The text of a file with plain line ends and no byte order mark, or what can be shown of it and why it is no text.
pub(super) fn of_the_text(bytes: &[u8], longest: usize) -> Result<String, (String, Complaint)> {
    if bytes.len() > longest {
        let (size, limit) = (bytes.len().div_ceil(1024), longest / 1024);
        let what = format!("the file is {size} KiB long; at most {limit} KiB are read");
        let beginning = bytes.get(..1024).unwrap_or(bytes);
        let remedy = "order files are a few pages: check that this is the right file";
        return Err((plain_lines(&String::from_utf8_lossy(beginning)), Complaint::new(0, what, remedy)));
    }
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        let remedy = "save it as UTF-8 (in Notepad: Save as, Encoding: UTF-8)";
        return Err((lossy(bytes), Complaint::new(0, "the file is encoded as UTF-16", remedy)));
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let start = plain_lines(&String::from_utf8_lossy(good)).len();
            let complaint = if bytes.contains(&0) {
                Complaint::new(start, "this is a binary file, not a text", "check that this is the right file")
            } else {
                let byte = bytes.get(error.valid_up_to()).copied().unwrap_or_default();
                let what = format!("the byte {byte:02X} is not UTF-8");
                Complaint::new(start, what, "save the file as UTF-8, not as Latin-1 or Windows-1252")
            };
            return Err((lossy(bytes), complaint));
        }
    };
    let text = plain_lines(text);
    match text.char_indices().find(|(_, c)| forbidden(*c)) {
        None => Ok(text),
        Some((start, '\0')) => {
            let complaint = Complaint::new(
                start,
                "a NUL character stands here: this is no text file",
                "check that this is the right file",
            );
            Err((text, complaint))
        }
        Some((start, c)) => {
            let what = format!("a control character (U+{:04X}) stands here", u32::from(c));
            Err((text, Complaint::new(start, what, "delete it")))
        }
    }
}

fn forbidden(c: char) -> bool {
    matches!(c, '\0'..='\u{1f}' | '\u{7f}') && !matches!(c, '\t' | '\n')
}

fn lossy(bytes: &[u8]) -> String {
    plain_lines(&String::from_utf8_lossy(bytes))
}

fn plain_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// A bracket that was still open when the parser gave up in a later line.
pub(super) fn unclosed(source: &Source, bracket: usize) -> Complaint {
    let (kind, mark, end) = match source.text.as_bytes().get(bracket) {
        Some(b'[') => ("list", '[', ']'),
        _ => ("map", '{', '}'),
    };
    Complaint::new(
        bracket,
        format!("a {kind} opened with `{mark}` is not closed"),
        format!("close it with `{end}`, and put commas between its parts"),
    )
}

/// A file pasted from a reply, where every line begins with `>`.
pub(super) fn mail_quoting(source: &Source) -> Option<Complaint> {
    let lines = || (1..=source.line_count()).map(|number| source.line(number));
    let written = lines().filter(|line| !line.trim().is_empty()).count();
    let quoted = lines().filter(|line| line.starts_with('>')).count();
    (quoted > 0 && 2 * quoted >= written).then(|| {
        let start = source.text.find('>').unwrap_or(0);
        Complaint::new(
            start,
            "lines begin with `>`, as in a reply by mail",
            "delete the `>` and the blank after it in every line",
        )
    })
}

/// A tab in the indentation of the line where the parser gave up, or of the one before.
fn tab_before(source: &Source, offset: usize) -> Option<usize> {
    let last = source.place_of(offset).line;
    [last.saturating_sub(1).max(1), last].into_iter().find_map(|number| {
        let line = source.line(number);
        let written = line.find(|c| c != ' ' && c != '\t')?;
        let tab = line.get(..written)?.find('\t')?;
        Some(source.offset_of(Place { line: number, column: tab + 1 }))
    })
}

/// Where the line of a byte begins, after its indentation.
fn line_start(source: &Source, offset: usize) -> Option<usize> {
    let before = source.text.get(..offset)?;
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let line = source.text.get(start..)?;
    Some(start + line.find(|c| c != ' ')?)
}

/// The parser's message, with what to do about it.
pub(super) fn of_the_parser(info: &str, offset: usize, source: &Source) -> Complaint {
    let says = |part: &str| info.contains(part);
    if let Some(tab) = tab_before(source, offset) {
        return Complaint::new(tab, "a tab stands in the indentation", "indent with blanks, two for each level");
    }
    if says("recursion limit") {
        return Complaint::new(offset, too_deep(), SHALLOWER);
    }
    let (what, remedy) = if says("tab") {
        (TAB, "use blanks instead of the tab")
    } else if says("quoted scalar, found unexpected end of stream") || says("quoted scalar, found unexpected document")
    {
        ("a quote is opened here and never closed", "close it, or put an apostrophe in double quotes: \"…'…\"")
    } else if says("invalid indentation in quoted scalar") {
        ("a quote is opened and not closed in its line", "close it, or indent the lines it goes on in")
    } else if says("unknown escape") || says("hexadecimal number") || says("escape code") {
        ("a backslash in double quotes begins nothing known", "use single quotes, or write the backslash twice")
    } else if says("trailing content after") {
        ("something follows a closed quote", "put all of the value in double quotes, or none of it")
    } else if says("',' or ']'") {
        ("a list opened with `[` is not closed", "close it with `]`, and put commas between its items")
    } else if says("',' or '}'") {
        ("a map opened with `{` is not closed", "close it with `}`, and put commas between its entries")
    } else if says("unexpected eof") || says("indentation in flow construct") {
        ("a bracket is opened and not closed", "close it with `]` or `}`, and indent the lines it goes on in")
    } else if says("mapping values are not allowed") || says("placement of ':'") {
        (
            "a colon makes this a key, and no key can stand here",
            "indent it like the keys beside it, or put a text with a colon in quotes",
        )
    } else if says("simple key expect") {
        (NO_KEY, "put a colon and a blank after the key")
    } else if says("expected key") || says("expected '-'") || says("invalid indentation") || says("wrongly indented") {
        (INDENTATION, "indent keys of one map, and dashes of one list, alike")
    } else if says("sequence entries are not allowed") {
        ("a dash stands where no list can begin", "begin the list in a new line, or put the text in quotes")
    } else if says("mapping keys are not allowed") {
        ("a key stands where none can begin", "begin a new line for it")
    } else if says("expected node content") {
        ("a value is missing here", "write it, or delete the comma or bracket too many")
    } else if says("start with '-'") {
        ("a value cannot begin with `-` here", "put it in quotes")
    } else if says("unexpected character") {
        ("a value cannot begin with this character", "put the value in quotes")
    } else if says("unknown anchor") {
        (ALIAS, "write the value out, or put the text in quotes if it begins with `*`")
    } else if says("anchor or alias") {
        ("anchors and aliases are not understood here", "put a text that begins with `&` or `*` in quotes")
    } else if says("tag") || says("handle") || says("TAG") {
        ("tags (`!name`) are not understood here", "put a text that begins with `!` in quotes")
    } else if says("directive") {
        ("directives (`%…`) are not understood here", "delete the line, or put the text in quotes")
    } else if says("comments must be separated") {
        ("a comment follows something without a blank", "put a blank before the `#`, or put the text in quotes")
    } else if says("document") {
        ("something follows the end of the document", "delete the line `...` or what follows it")
    } else if says("block scalar") {
        ("the text after `|` or `>` cannot be read", "indent its lines alike, below the key")
    } else {
        ("this cannot be read", "check the quotes, brackets and indentation here and in the line above")
    };
    let start = match what {
        TAB => source.text.get(offset..).and_then(|rest| rest.find('\t')).map(|tab| offset + tab),
        // Not at the colon, where the parser noticed, but where the line begins.
        INDENTATION => line_start(source, offset),
        NO_KEY => line_start(source, source.text.get(..offset).unwrap_or("").trim_end().len()),
        ALIAS => source.text.get(..offset).and_then(|before| before.rfind('*')),
        _ => None,
    };
    Complaint::new(start.unwrap_or(offset), what, remedy)
}
