//! Reports as Markdown: what is mailed and kept beside the ledger.

use crate::engine::DiaryEntry;

use super::faults::visible;
use super::{Page, clause_list, numeric, result, terms};

/// Writes a page as Markdown.
pub fn markdown(page: &Page) -> String {
    let mut out = format!("# {}\n", text(&page.title));
    for line in &page.lead {
        out.push_str(&format!("\n{}\n", text(line)));
    }
    for message in &page.messages {
        out.push_str(&format!("\n{}\n\n> “{}”\n", text(&message.head()), foreign(&message.text)));
    }
    for section in &page.sections {
        if !section.heading.is_empty() {
            out.push_str(&format!("\n## {}\n", text(&section.heading)));
        }
        let mut in_list = false;
        for entry in section.diary.entries() {
            let listed = matches!(entry, DiaryEntry::Line { .. } | DiaryEntry::Sum { .. });
            if !(listed && in_list) {
                out.push('\n');
            }
            in_list = listed;
            out.push_str(&self::entry(entry));
        }
    }
    out
}

fn entry(entry: &DiaryEntry) -> String {
    match entry {
        DiaryEntry::Heading { level, text: heading } => {
            format!("{} {}\n", if *level <= 1 { "###" } else { "####" }, text(heading))
        }
        DiaryEntry::Line { depth, text: line, clauses } => {
            let list = clause_list(clauses);
            let clauses = if list.is_empty() { list } else { format!(" *{list}*") };
            format!("{}- {}{clauses}\n", "  ".repeat((*depth).into()), text(line))
        }
        DiaryEntry::Sum { depth, text: what, from, tally, gives } => {
            let parts: Vec<String> = terms(from, tally).iter().map(|part| text(part)).collect();
            let indent = "  ".repeat((*depth).into());
            format!("{indent}- {}: {} = **{}**\n", text(what), parts.join(" "), text(&result(gives, tally)))
        }
        DiaryEntry::Table { head, rows } => table(head, rows),
    }
}

fn table(head: &[String], rows: &[Vec<String>]) -> String {
    let cells = |row: &[String]| {
        let cells: Vec<String> = row.iter().map(|cell| text(cell).replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let mut out = cells(head);
    let rule = (0..head.len()).map(|column| if numeric(rows, column) { "--:" } else { "---" });
    out.push_str(&format!("|{}|\n", rule.collect::<Vec<_>>().join("|")));
    for row in rows {
        out.push_str(&cells(row));
    }
    out
}

/// Characters that Markdown would take as markup, and what a terminal would take as orders.
fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        if matches!(c, '*' | '_' | '<' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// What somebody else wrote, without anything that Markdown would take as markup: no links, pictures, code or entities.
fn foreign(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for c in visible(words).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '~' | '|' | '$') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
