//! The report before it has a form: a staff diary with the arithmetic beside it.
//!
//! Games tell their events into a [`Diary`]; `report/` writes it for the terminal, as Markdown or as HTML.

use serde::Serialize;

use super::{Clause, Tally};

/// One entry of the diary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DiaryEntry {
    /// A chapter: a phase, a battle.
    Heading {
        /// 1 for a phase, 2 for something inside it.
        level: u8,
        /// The text.
        text: String,
    },
    /// A sentence.
    Line {
        /// How far it is indented.
        depth: u8,
        /// The text.
        text: String,
        /// The clauses it rests on.
        clauses: Vec<Clause>,
    },
    /// A sum with its terms.
    Sum {
        /// How far it is indented.
        depth: u8,
        /// What is counted.
        text: String,
        /// What the count starts from: a die, a column, nothing.
        from: String,
        /// The terms.
        tally: Tally,
        /// What comes out.
        gives: String,
    },
    /// A table.
    Table {
        /// The column heads.
        head: Vec<String>,
        /// The rows; numbers are recognised and set flush right.
        rows: Vec<Vec<String>>,
    },
}

/// A text with a capital at its beginning.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// So many of something: `1 step`, `2 steps`, `2 hexes`.
pub fn count_of(count: impl TryInto<i64>, what: &str) -> String {
    let count = count.try_into().unwrap_or(i64::MAX);
    match count {
        1 => format!("1 {what}"),
        _ if what.ends_with('x') || what.ends_with("ch") => format!("{count} {what}es"),
        _ => format!("{count} {what}s"),
    }
}

/// Things in a row: `us-a, us-b, us-c`.
pub fn list(things: impl IntoIterator<Item = impl std::fmt::Display>) -> String {
    things.into_iter().map(|thing| thing.to_string()).collect::<Vec<_>>().join(", ")
}

/// A report in the making.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Diary {
    entries: Vec<DiaryEntry>,
}

impl Diary {
    /// An empty diary.
    pub fn new() -> Diary {
        Diary::default()
    }

    /// Begins a chapter.
    pub fn heading(&mut self, level: u8, text: impl Into<String>) {
        self.entries.push(DiaryEntry::Heading { level, text: text.into() });
    }

    /// A sentence with the clauses it rests on.
    pub fn line(&mut self, text: impl Into<String>, clauses: &[Clause]) {
        self.at(0, text, clauses);
    }

    /// A sentence that explains the one before.
    pub fn detail(&mut self, text: impl Into<String>, clauses: &[Clause]) {
        self.at(1, text, clauses);
    }

    /// A sentence at any depth.
    pub fn at(&mut self, depth: u8, text: impl Into<String>, clauses: &[Clause]) {
        self.entries.push(DiaryEntry::Line { depth, text: text.into(), clauses: clauses.to_vec() });
    }

    /// A sentence that lists things of one sort; the next one with the same head goes on with the list.
    pub fn listed(&mut self, head: &str, item: &str, clauses: &[Clause]) {
        if let Some(DiaryEntry::Line { depth: 1, text, clauses: same }) = self.entries.last_mut()
            && same == clauses
            && text.strip_prefix(head).is_some_and(|rest| rest.starts_with(": "))
            && text.pop() == Some('.')
        {
            text.push_str(&format!(", {item}."));
        } else {
            self.detail(format!("{head}: {item}."), clauses);
        }
    }

    /// A sum with all its terms.
    pub fn sum(&mut self, text: impl Into<String>, from: impl Into<String>, tally: &Tally, gives: impl Into<String>) {
        self.entries.push(DiaryEntry::Sum {
            depth: 1,
            text: text.into(),
            from: from.into(),
            tally: tally.clone(),
            gives: gives.into(),
        });
    }

    /// A table.
    pub fn table(&mut self, head: &[&str], rows: Vec<Vec<String>>) {
        if !rows.is_empty() {
            self.entries.push(DiaryEntry::Table { head: head.iter().map(|cell| (*cell).to_owned()).collect(), rows });
        }
    }

    /// The entries in order.
    pub fn entries(&self) -> &[DiaryEntry] {
        &self.entries
    }

    /// Adds an entry made elsewhere.
    pub fn push(&mut self, entry: DiaryEntry) {
        self.entries.push(entry);
    }

    /// Appends another diary.
    pub fn append(&mut self, mut other: Diary) {
        self.entries.append(&mut other.entries);
    }
}
