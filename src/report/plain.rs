//! A diary line by line, without form: for whoever looks for words in it.

use crate::engine::{Clause, Diary, DiaryEntry};

use super::{result, terms};

/// One line of a diary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainLine {
    /// What it says. The cells of a row of a table stand apart by ` | `.
    pub text: String,
    /// The clauses it rests on.
    pub clauses: Vec<Clause>,
    /// The headings it stands under, the outer one first.
    pub under: Vec<String>,
}

/// Every line of a diary, headings and rows of tables among them.
pub fn plain(diary: &Diary) -> Vec<PlainLine> {
    let mut lines = Vec::new();
    let mut headings: Vec<(u8, String)> = Vec::new();
    for entry in diary.entries() {
        let (texts, clauses) = match entry {
            DiaryEntry::Heading { level, text } => {
                headings.retain(|(outer, _)| outer < level);
                headings.push((*level, text.clone()));
                (vec![text.clone()], Vec::new())
            }
            DiaryEntry::Line { text, clauses, .. } => (vec![text.clone()], clauses.clone()),
            DiaryEntry::Sum { text, from, tally, gives, .. } => {
                let line = format!("{text}: {} = {}", terms(from, tally).join(" "), result(gives, tally));
                (vec![line], tally.clauses().collect())
            }
            DiaryEntry::Table { head, rows } => {
                (std::iter::once(head).chain(rows).map(|row| row.join(" | ")).collect(), Vec::new())
            }
        };
        let under: Vec<String> = headings.iter().map(|(_, text)| text.clone()).collect();
        lines.extend(texts.into_iter().map(|text| PlainLine { text, clauses: clauses.clone(), under: under.clone() }));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Tally;

    #[test]
    fn every_entry_of_a_diary_is_found_by_its_words() {
        let mut diary = Diary::new();
        diary.line("before all", &[]);
        diary.heading(1, "Phase");
        diary.heading(2, "Battle");
        diary.detail("a shot", &[Clause("9.2")]);
        let mut tally = Tally::default();
        tally.add("across a river", -1, Clause("9.3g"));
        diary.sum("Column", "2:1", &tally, "1:1");
        diary.heading(1, "Next phase");
        diary.table(&["unit", "at"], vec![vec!["us-a".into(), "1210".into()]]);
        let told: Vec<(String, String)> =
            plain(&diary).into_iter().map(|line| (line.under.join(" / "), line.text)).collect();
        let told: Vec<(&str, &str)> = told.iter().map(|(under, text)| (under.as_str(), text.as_str())).collect();
        assert_eq!(
            told,
            [
                ("", "before all"),
                ("Phase", "Phase"),
                ("Phase / Battle", "Battle"),
                ("Phase / Battle", "a shot"),
                ("Phase / Battle", "Column: 2:1 -1 across a river (§9.3g) = 1:1"),
                ("Next phase", "Next phase"),
                ("Next phase", "unit | at"),
                ("Next phase", "us-a | 1210"),
            ]
        );
        assert_eq!(plain(&diary).get(4).map(|line| line.clauses.clone()), Some(vec![Clause("9.3g")]));
    }
}
