//! Reports as one HTML page that needs nothing else.

use crate::engine::DiaryEntry;

use super::faults::visible;
use super::{Page, clause_list, numeric, result, terms};

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #222; --paper: #fbf8f0; --faint: #777; --rule: #c9bfa8; }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --paper: #1d1b18; --faint: #999; --rule: #555; } }
body { font: 16px/1.5 Georgia, serif; color: var(--ink); background: var(--paper); max-width: 50em; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.6em; border-bottom: 3px double var(--rule); } h2 { font-size: 1.25em; border-bottom: 1px solid var(--rule); }
h3 { font-size: 1.1em; } h4 { font-size: 1em; margin-bottom: 0; }
.lead { color: var(--faint); font-style: italic; margin: .2em 0; }
.clause { color: var(--faint); font-size: .8em; }
p.line { margin: .25em 0; } .d1 { margin-left: 1.5em; } .d2 { margin-left: 3em; } .d3 { margin-left: 4.5em; }
.sum { font-family: ui-monospace, monospace; font-size: .85em; }
table { border-collapse: collapse; margin: .6em 0; } th, td { padding: .1em .7em; border-bottom: 1px solid var(--rule); text-align: left; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
pre.map { line-height: 1.15; overflow-x: auto; }
.faint { color: #999; } .water { color: #2a7fb8; } .green { color: #3d8b40; } .brown { color: #a0703a; } .built { color: #888; }
.road { color: #b8860b; } .first { color: #1f4fbf; font-weight: bold; } .second { color: #b5651d; font-weight: bold; }
.third { color: #6a3fa0; font-weight: bold; } .marked { background: #ffd54a; color: #000; }
";

/// Writes a page as HTML; `map` is a picture already in HTML, or nothing.
pub fn html(page: &Page, map: &str) -> String {
    let title = escape(&page.title);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         </head>\n<body>\n<h1>{title}</h1>\n"
    );
    for line in &page.lead {
        out.push_str(&format!("<p class=\"lead\">{}</p>\n", escape(line)));
    }
    for section in &page.sections {
        if !section.heading.is_empty() {
            out.push_str(&format!("<h2>{}</h2>\n", escape(&section.heading)));
        }
        for entry in section.diary.entries() {
            out.push_str(&self::entry(entry));
        }
    }
    out.push_str(map);
    out.push_str("</body>\n</html>\n");
    out
}

fn entry(entry: &DiaryEntry) -> String {
    match entry {
        DiaryEntry::Heading { level, text } => {
            let tag = if *level <= 1 { "h3" } else { "h4" };
            format!("<{tag}>{}</{tag}>\n", escape(text))
        }
        DiaryEntry::Line { depth, text, clauses } => {
            let list = clause_list(clauses);
            let clauses =
                if list.is_empty() { list } else { format!(" <span class=\"clause\">{}</span>", escape(&list)) };
            format!("<p class=\"line d{depth}\">{}{clauses}</p>\n", escape(text))
        }
        DiaryEntry::Sum { depth, text, from, tally, gives } => {
            let parts = terms(from, tally).join(" ");
            let result = escape(&result(gives, tally));
            format!("<p class=\"line sum d{depth}\">{}: {} = <b>{result}</b></p>\n", escape(text), escape(&parts))
        }
        DiaryEntry::Table { head, rows } => table(head, rows),
    }
}

fn table(head: &[String], rows: &[Vec<String>]) -> String {
    let flush: Vec<bool> = (0..head.len()).map(|column| numeric(rows, column)).collect();
    let line = |cells: &[String], tag: &str| {
        let cells = cells.iter().enumerate().map(|(column, cell)| {
            let class = if flush.get(column) == Some(&true) { " class=\"n\"" } else { "" };
            format!("<{tag}{class}>{}</{tag}>", escape(cell))
        });
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let body: String = rows.iter().map(|row| line(row, "td")).collect();
    format!("<table>\n{}{body}</table>\n", line(head, "th"))
}

/// Text that stays text.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}
