//! Reports: what happened, for the terminal, as Markdown and as HTML, all from the same entries.

pub mod chances;
pub mod chronicle;
pub mod faults;
mod html;
pub mod luck;
mod markdown;
mod outlook;
mod page;
mod picture;
mod plain;
mod terminal;

pub use chances::ChancesReport;
pub use faults::Look;
pub use html::{SCRIPT, Told, escape, fragment, html, letter_html, step};
pub use markdown::markdown;
pub use outlook::OutlookReport;
pub use page::{Message, Page, Section, TurnReport, awaited, when};
pub use picture::picture_text;
pub use plain::{PlainLine, plain};
pub use terminal::{letter, message, paint, terminal, wrap};

use crate::engine::{Clause, Tally};

/// `§9.3 §9.3g`, each clause once.
fn clause_list(clauses: &[Clause]) -> String {
    let mut seen: Vec<Clause> = Vec::new();
    for clause in clauses {
        if !seen.contains(clause) {
            seen.push(*clause);
        }
    }
    seen.iter().map(Clause::to_string).collect::<Vec<_>>().join(" ")
}

/// `die 4 +1 at the gate (§2.2) -2 across a river (§3.1)`: the terms of a sum in words.
fn terms(from: &str, tally: &Tally) -> Vec<String> {
    let mut parts = Vec::new();
    if !from.is_empty() {
        parts.push(from.to_owned());
    }
    for term in tally.terms() {
        let value = if parts.is_empty() { term.value.to_string() } else { format!("{:+}", term.value) };
        parts.push(format!("{value} {} ({})", term.what, term.clause));
    }
    parts
}

/// What a sum comes to, where the game gives no words for it: the sum itself.
fn result(gives: &str, tally: &Tally) -> String {
    if gives.is_empty() { tally.total().to_string() } else { gives.to_owned() }
}

/// Whether every cell of a column is a number, so that it is set flush right.
fn numeric(rows: &[Vec<String>], column: usize) -> bool {
    let number = |cell: &str| {
        let digits = cell.trim_start_matches(['+', '-', '−']);
        digits.starts_with(|c: char| c.is_ascii_digit())
            && digits.chars().all(|c| c.is_ascii_digit() || ".,/:½¼¾%".contains(c))
    };
    let mut cells =
        rows.iter().filter_map(|row| row.get(column)).filter(|cell| !matches!(cell.as_str(), "" | "-" | "–"));
    let mut any = false;
    cells.all(|cell| {
        any = true;
        number(cell)
    }) && any
}

#[cfg(test)]
mod tests;
