//! Reports in the terminal: as wide as it is, in colours only where they are wanted.

use comfy_table::presets::{ASCII_MARKDOWN, NOTHING, UTF8_HORIZONTAL_ONLY};
use comfy_table::{CellAlignment, ContentArrangement, Table, TableStyle};

use crate::engine::DiaryEntry;

use super::faults::visible;
use super::{Look, Message, Page, clause_list, numeric, result, terms};

/// Texts narrower than this are not broken any further.
const NARROWEST: usize = 30;

/// The escape sequences in use: bold, faint and the colours of `picture`.
pub fn paint(look: Look, style: &str, text: &str) -> String {
    if look.color && !style.is_empty() && !text.is_empty() {
        format!("\u{1b}[{style}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}

/// Breaks a text between words; later lines begin with `indent` blanks.
pub fn wrap(text: &str, width: usize, first: usize, indent: usize) -> String {
    let width = width.max(NARROWEST);
    let mut out = " ".repeat(first);
    let mut column = first;
    let mut fresh = true;
    for word in text.split(' ') {
        let length = word.chars().count();
        if !fresh && column + 1 + length > width {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
            fresh = true;
        }
        if !fresh {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
        fresh = false;
    }
    out
}

/// Writes a page for the plain text of a mail: columns stand side by side, no lines are drawn.
pub fn letter(page: &Page, width: usize) -> String {
    written(page, Look { width, ..Look::PLAIN }, NOTHING)
}

/// Writes a page for the terminal.
pub fn terminal(page: &Page, look: Look) -> String {
    written(page, look, if look.unicode { UTF8_HORIZONTAL_ONLY } else { ASCII_MARKDOWN })
}

fn written(page: &Page, look: Look, tables: TableStyle) -> String {
    let mut out = String::new();
    if !page.title.is_empty() {
        let title = visible(&page.title);
        let rule = if look.unicode { "═" } else { "=" }.repeat(title.chars().count().min(look.width));
        out.push_str(&format!("{}\n{}\n", paint(look, "1", &wrap(&title, look.width, 0, 0)), paint(look, "2", &rule)));
    }
    for line in &page.lead {
        out.push_str(&wrap(&visible(line), look.width, 0, 0));
        out.push('\n');
    }
    for message in &page.messages {
        out.push_str(&self::message(message, look));
    }
    for section in &page.sections {
        if !section.heading.is_empty() {
            let rule = if look.unicode { "─" } else { "-" };
            let heading = format!("{rule}{rule} {} ", visible(&section.heading));
            let rest = look.width.saturating_sub(heading.chars().count());
            out.push_str(&format!("\n{}{}\n", paint(look, "1;36", &heading), paint(look, "2", &rule.repeat(rest))));
        }
        for entry in section.diary.entries() {
            self::entry(&mut out, entry, look, tables);
        }
    }
    out
}

/// What a player wrote, apart from what garcia says.
pub fn message(message: &Message, look: Look) -> String {
    let words = wrap(&format!("“{}”", visible(&message.text)), look.width, 2, 2);
    format!("\n{}\n{words}\n", paint(look, "1", &visible(&message.head())))
}

fn entry(out: &mut String, entry: &DiaryEntry, look: Look, tables: TableStyle) {
    match entry {
        DiaryEntry::Heading { level, text } => {
            let text = visible(text);
            out.push('\n');
            if *level <= 1 {
                out.push_str(&paint(look, "1;4", &text));
            } else {
                out.push_str(&paint(look, "1", &format!("  {text}")));
            }
            out.push('\n');
        }
        DiaryEntry::Line { depth, text, clauses } => {
            let indent = 2 * usize::from(*depth);
            let list = clause_list(clauses);
            let whole = if list.is_empty() { visible(text) } else { format!("{} [{list}]", visible(text)) };
            out.push_str(&faint_clauses(&wrap(&whole, look.width, indent, indent + 2), &list, look));
            out.push('\n');
        }
        DiaryEntry::Sum { depth, text, from, tally, gives } => sum(out, *depth, text, from, tally, gives, look),
        DiaryEntry::Table { head, rows } => out.push_str(&table(head, rows, look, tables)),
    }
}

/// The clauses at the end of a line are there for whoever looks them up, not in the way of the others.
fn faint_clauses(text: &str, list: &str, look: Look) -> String {
    match text.rfind('[') {
        Some(at) if !list.is_empty() => {
            let (before, clauses) = text.split_at(at);
            format!("{before}{}", paint(look, "2", clauses))
        }
        _ => text.to_owned(),
    }
}

fn sum(out: &mut String, depth: u8, text: &str, from: &str, tally: &crate::engine::Tally, gives: &str, look: Look) {
    let indent = 2 * usize::from(depth);
    let parts: Vec<String> = terms(from, tally).iter().map(|part| visible(part)).collect();
    let result = visible(&result(gives, tally));
    let line = format!("{}: {} = {result}", visible(text), parts.join(" "));
    if indent + line.chars().count() <= look.width {
        out.push_str(&format!("{}{line}\n", " ".repeat(indent)));
        return;
    }
    out.push_str(&wrap(&format!("{}:", visible(text)), look.width, indent, indent + 2));
    out.push('\n');
    for part in &parts {
        out.push_str(&wrap(part, look.width, indent + 4, indent + 6));
        out.push('\n');
    }
    out.push_str(&wrap(&format!("= {result}"), look.width, indent + 2, indent + 4));
    out.push('\n');
}

fn table(head: &[String], rows: &[Vec<String>], look: Look, style: TableStyle) -> String {
    let mut table = Table::new();
    table.load_style(style);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(look.width).unwrap_or(u16::MAX));
    table.set_header(head.iter().map(|cell| visible(cell)));
    for row in rows {
        table.add_row(row.iter().map(|cell| visible(cell)));
    }
    for column in 0..head.len() {
        if let (true, Some(column)) = (numeric(rows, column), table.column_mut(column)) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    format!("{table}\n")
}
