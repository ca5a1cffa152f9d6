//! The faults of a file, shown to its author: each with its place, the line it stands in, the clause and the remedy.

use std::fmt::{self, Write as _};
use std::io::IsTerminal;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, Severity,
    SourceCode, SourceSpan, SpanContents,
};
use serde::Serialize;

use super::terminal::wrap;
use crate::engine::doc::{Fault, Place, Source};
use crate::engine::visible::push_visible;
pub use crate::engine::visible::visible;

/// More faults than these are counted, not shown: nobody reads on, and a hostile file could have a million.
const MOST_SHOWN: usize = 100;

/// Longest stretch of a line that is shown, in characters.
const WIDEST: usize = 96;

/// How a report may look where it is going.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Whether colours are understood.
    pub color: bool,
    /// Whether lines drawn with Unicode characters are.
    pub unicode: bool,
    /// Characters in a line.
    pub width: usize,
}

impl Look {
    /// For files and pipes: plain characters, no colours.
    pub const PLAIN: Look = Look { color: false, unicode: false, width: 100 };

    /// What suits standard error: plain unless it is a terminal, and no colours if `NO_COLOR` says so.
    pub fn of_stderr() -> Look {
        Look::of(std::io::stderr().is_terminal())
    }

    /// What suits standard output.
    pub fn of_stdout() -> Look {
        Look::of(std::io::stdout().is_terminal())
    }

    fn of(terminal: bool) -> Look {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        if !terminal {
            return Look::PLAIN;
        }
        Look {
            color: !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
            unicode: true,
            ..Look::PLAIN
        }
    }

    /// The characters and colours of error reports.
    pub fn theme(self) -> GraphicalTheme {
        match (self.unicode, self.color) {
            (true, true) => GraphicalTheme::unicode(),
            (true, false) => GraphicalTheme::unicode_nocolor(),
            (false, _) => GraphicalTheme::none(),
        }
    }
}

/// One report of everything found: faults in the order of the file, then warnings, then the summary.
pub fn render(faults: &[Fault], source: &Source, look: Look) -> String {
    let handler = GraphicalReportHandler::new_themed(look.theme())
        .with_links(false)
        .with_width(look.width)
        .with_wrap_lines(false)
        .with_context_lines(1)
        .without_syntax_highlighting();
    let mut report = String::new();
    let ordered = in_order(faults, source);
    for (fault, _) in ordered.iter().take(MOST_SHOWN) {
        let shown = Shown::of(fault, source, look.width);
        if handler.render_report(&mut report, &shown).is_err() {
            // Without a picture of the line, the words still say it.
            let _ = writeln!(report, "{shown}: {}", shown.remedy);
        }
        report.push('\n');
    }
    if ordered.len() > MOST_SHOWN {
        let _ = writeln!(report, "… and {} more\n", ordered.len() - MOST_SHOWN);
    }
    report.push_str(&summary(faults, source));
    report.push('\n');
    report
}

/// `3 faults, 1 warning in orders.yaml`.
pub fn summary(faults: &[Fault], source: &Source) -> String {
    let warnings = faults.iter().filter(|fault| fault.warning).count();
    let count = |number: usize, word: &str| format!("{number} {word}{}", if number == 1 { "" } else { "s" });
    let mut parts = Vec::new();
    if faults.len() > warnings {
        parts.push(count(faults.len() - warnings, "fault"));
    }
    if warnings > 0 {
        parts.push(count(warnings, "warning"));
    }
    if parts.is_empty() {
        parts.push("no faults".to_owned());
    }
    format!("{} in {}", parts.join(", "), visible(&source.name))
}

/// One fault as a program reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShownFault {
    /// The file.
    pub file: String,
    /// The line, from one.
    pub line: usize,
    /// The character in the line, from one.
    pub column: usize,
    /// The path in the document: `moves[3].to`.
    pub path: String,
    /// The clause, without `§`.
    pub clause: Option<&'static str>,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
    /// `fault` or `warning`.
    pub severity: &'static str,
}

/// The same report as a list for programs, in the same order. Control characters are escaped by JSON itself.
pub fn entries(faults: &[Fault], source: &Source) -> Vec<ShownFault> {
    let ordered = in_order(faults, source);
    let mut entries: Vec<ShownFault> = (ordered.iter().take(MOST_SHOWN))
        .map(|(fault, place)| ShownFault {
            file: source.name.clone(),
            line: place.line,
            column: place.column,
            path: fault.at.to_string(),
            clause: fault.clause.map(|clause| clause.0),
            what: fault.what.clone(),
            remedy: fault.remedy.clone(),
            severity: if fault.warning { "warning" } else { "fault" },
        })
        .collect();
    let more = ordered.len() - entries.len();
    if let Some(last) = entries.last().filter(|_| more > 0).cloned() {
        entries.push(ShownFault {
            clause: None,
            what: format!("… and {more} more"),
            remedy: "put these right first".to_owned(),
            ..last
        });
    }
    entries
}

/// Warnings after faults; otherwise as they stand in the file.
fn in_order<'f>(faults: &'f [Fault], source: &Source) -> Vec<(&'f Fault, Place)> {
    let mut ordered: Vec<(&Fault, usize)> = faults.iter().map(|fault| (fault, span_of(fault, source).0)).collect();
    ordered.sort_by_key(|(fault, start)| (fault.warning, *start));
    // Only what is shown needs its column counted.
    let places = ordered.into_iter().enumerate().map(|(number, (fault, start))| {
        let place = if number < MOST_SHOWN { place_of(fault, start, source) } else { Place { line: 0, column: 0 } };
        (fault, place)
    });
    places.collect()
}

fn span_of(fault: &Fault, source: &Source) -> (usize, usize) {
    match fault.place {
        Some(place) => (source.offset_of(place), 1),
        None => source.span(&fault.at),
    }
}

fn place_of(fault: &Fault, start: usize, source: &Source) -> Place {
    fault.place.unwrap_or_else(|| source.place_of(start))
}

/// A fault with the line it stands in, made safe to show.
#[derive(Debug)]
struct Shown {
    what: String,
    remedy: String,
    clause: Option<String>,
    warning: bool,
    name: String,
    line: String,
    place: Place,
    label: (usize, usize),
}

impl Shown {
    fn of(fault: &Fault, source: &Source, width: usize) -> Shown {
        // Broken between words here: miette would break a unit's name at its hyphens.
        let fit = |text: &str, beside: &str| wrap(&visible(text), width.saturating_sub(beside.len()), 0, 0);
        let (start, len) = span_of(fault, source);
        let place = place_of(fault, start, source);
        let (line, label) = excerpt(source.line(place.line), place.column - 1, len);
        Shown {
            what: fit(&fault.what, "  x "),
            remedy: fit(&fault.remedy, "  help: "),
            clause: fault.clause.map(|clause| clause.to_string()),
            warning: fault.warning,
            name: visible(&source.name),
            line,
            place,
            label,
        }
    }
}

/// The part of a line around a column (from zero), with the stretch of `bytes` to underline in it.
fn excerpt(line: &str, column: usize, bytes: usize) -> (String, (usize, usize)) {
    let first = if column < WIDEST { 0 } else { column - WIDEST / 2 };
    let mut shown = String::new();
    let mut label = None;
    let mut end = 0;
    let mut covered = 0;
    for (number, c) in line.chars().enumerate().skip(first).take(WIDEST) {
        if number == column {
            label = Some(shown.len());
        }
        push_visible(&mut shown, c);
        if number >= column && (covered < bytes || number == column) {
            covered += c.len_utf8();
            end = shown.len();
        }
    }
    if shown.is_empty() || label.is_none() {
        // An empty line, or the end of one, needs something to stand on.
        label = Some(shown.len());
        shown.push(' ');
        end = shown.len();
    }
    let start = label.unwrap_or(0);
    (shown, (start, end.saturating_sub(start).max(1)))
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Shown {}

impl Diagnostic for Shown {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.clause.as_ref().map(|clause| Box::new(clause) as Box<dyn fmt::Display>)
    }

    fn severity(&self) -> Option<Severity> {
        Some(if self.warning { Severity::Warning } else { Severity::Error })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.remedy))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(self)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = LabeledSpan::new_with_span(None, self.label);
        Some(Box::new(std::iter::once(label)))
    }
}

/// The line in question is all the source there is to show.
impl SourceCode for Shown {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        _: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        // Asked without lines around it, the place itself is wanted, in the columns of the file.
        let (data, span, column) = if lines_before == 0 {
            let data = self.line.get(span.offset()..).ok_or(MietteError::OutOfBounds)?;
            (data, *span, self.place.column - 1)
        } else {
            (self.line.as_str(), (0, self.line.len()).into(), 0)
        };
        let contents =
            MietteSpanContents::new_named(self.name.clone(), data.as_bytes(), span, self.place.line - 1, column, 1);
        Ok(Box::new(contents))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Clause;
    use crate::engine::doc::{DocPath, read_document};

    const ORDERS: &str = "turn: 3\nmoves:\n- units: us-9-inf\n  to: \"Él \u{202e}Pozo\"\n  tto: 0816\n";

    fn source() -> Source {
        read_document("orders.yaml", ORDERS.as_bytes()).expect("well formed").1
    }

    fn faults() -> Vec<Fault> {
        let first = DocPath::root().key("moves").index(0);
        vec![
            Fault::new(&DocPath::root().key("turn"), "it is late", "hurry").as_warning(),
            Fault::new(&first.name("tto"), "unknown key `tto`", "did you mean `to`?"),
            Fault::new(&first.key("to"), "there is no hex `Él \u{202e}Pozo`", "write a hex").by(Clause("9.3c")),
        ]
    }

    #[test]
    fn the_report_shows_each_fault_in_its_line() {
        let report = render(&faults(), &source(), Look::PLAIN);
        let expected = [
            "§9.3c",
            "",
            "  x there is no hex `Él \\u{202e}Pozo`",
            "   ,-[orders.yaml:4:7]",
            " 4 |   to: \"Él \\u{202e}Pozo\"",
            "   :       ^^^^^^^^^^^^^^^^^",
            "   `----",
            "  help: write a hex",
            "",
            "  x unknown key `tto`",
            "   ,-[orders.yaml:5:3]",
            " 5 |   tto: 0816",
            "   :   ^^^",
            "   `----",
            "  help: did you mean `to`?",
            "",
            "  ! it is late",
            "   ,-[orders.yaml:1:7]",
            " 1 | turn: 3",
            "   :       ^",
            "   `----",
            "  help: hurry",
            "",
            "2 faults, 1 warning in orders.yaml",
        ];
        assert_eq!(report.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn colours_only_where_they_are_wanted() {
        let colored = Look { color: true, unicode: true, ..Look::PLAIN };
        assert!(render(&faults(), &source(), colored).contains('\u{1b}'));
        let plain = Look { color: false, ..colored };
        assert!(!render(&faults(), &source(), plain).contains('\u{1b}'));
    }

    #[test]
    fn a_program_gets_the_same_as_a_list() {
        let list = serde_json::to_value(entries(&faults(), &source())).expect("plain data");
        assert_eq!(
            list[0],
            serde_json::json!({
                "file": "orders.yaml", "line": 4, "column": 7, "path": "moves[0].to", "clause": "9.3c",
                "what": "there is no hex `Él \u{202e}Pozo`", "remedy": "write a hex", "severity": "fault",
            })
        );
        assert_eq!(list[2]["severity"], "warning");
        assert_eq!(list[2]["clause"], serde_json::Value::Null);
        assert_eq!(list.as_array().map(Vec::len), Some(3));
    }

    #[test]
    fn nothing_wrong_is_said_plainly() {
        assert_eq!(summary(&[], &source()), "no faults in orders.yaml");
        assert_eq!(summary(&faults()[..1], &source()), "1 warning in orders.yaml");
        assert_eq!(summary(&faults()[1..2], &Source::new("a\u{1b}b", "")), "1 fault in a\\u{1b}b");
    }

    #[test]
    fn a_flood_of_faults_is_cut_short() {
        let items = "[],".repeat(50_000);
        let text = format!("a: [{items}]\n");
        let source = read_document("orders.yaml", text.as_bytes()).expect("well formed").1;
        let list = DocPath::root().key("a");
        let faults: Vec<Fault> = (0..50_000).map(|i| Fault::new(&list.index(i), "no", "never")).collect();
        let report = render(&faults, &source, Look::PLAIN);
        assert!(report.contains("… and 49900 more"));
        assert!(report.ends_with("50000 faults in orders.yaml\n"));
        assert!(report.lines().all(|line| line.chars().count() <= WIDEST + 10), "long lines are cut");
        let entries = entries(&faults, &source);
        assert_eq!(entries.len(), MOST_SHOWN + 1);
        assert_eq!((entries[99].line, entries[99].column), (1, 5 + 3 * 99));
    }

    #[test]
    fn the_end_of_a_line_and_an_empty_file_can_be_pointed_at() {
        for (text, line, column) in [("", 1, 1), ("a: 1\n", 1, 5), ("a: 1\n", 2, 1), ("é\tb", 1, 3)] {
            let source = Source::new("orders.yaml", text);
            let fault = Fault { place: Some(Place { line, column }), ..Fault::new(&DocPath::root(), "no", "never") };
            let report = render(&[fault], &source, Look::PLAIN);
            assert!(report.contains(&format!("[orders.yaml:{line}:{column}]")), "{report}");
            assert!(report.contains('^'), "{report}");
        }
    }
}
