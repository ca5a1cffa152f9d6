//! A game's `rules.yaml`: every clause in our own words, with the rulings on what is unclear.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::doc::{fold, nearest};

/// The rules of one game.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleBook {
    /// The id of the game.
    pub game: String,
    /// Its title.
    pub title: String,
    /// Designer, publisher, year.
    pub credits: String,
    /// Rulings that are a matter of taste.
    #[serde(default)]
    pub options: Vec<RuleOption>,
    /// Every rule statement, in the order of the rulebook.
    pub clauses: Vec<RuleClause>,
    /// How unclear places are read.
    #[serde(default)]
    pub rulings: Vec<RuleRuling>,
}

/// An option of the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleOption {
    /// Its name on the command line.
    pub name: String,
    /// The ruling it changes.
    pub ruling: String,
    /// The clause it concerns.
    pub clause: String,
    /// The value if nothing is said.
    pub default: String,
    /// Every value and what it means.
    pub values: BTreeMap<String, String>,
}

/// One rule statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleClause {
    /// Its number.
    pub id: String,
    /// The chapter it stands in.
    pub chapter: String,
    /// What it is about.
    pub topic: String,
    /// What it says.
    pub text: String,
    /// How we read it where it is unclear: the text, with the numbers of the rulings at its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruling: Option<String>,
    /// The option that changes the ruling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    /// Why no test can show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untestable: Option<String>,
}

/// One ruling.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleRuling {
    /// Its number.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// What is done.
    pub ruling: String,
    /// Why.
    pub reason: String,
    /// What else could be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
}

impl RuleBook {
    /// Reads `rules.yaml`.
    pub fn read(text: &str) -> Result<RuleBook, serde_yaml::Error> {
        serde_yaml::from_str(text)
    }

    /// The clause with this number; `§` and case are forgiven where nothing becomes ambiguous.
    pub fn clause(&self, id: &str) -> Option<&RuleClause> {
        let wanted = plain(id);
        let exact = self.clauses.iter().find(|clause| clause.id == wanted);
        exact.or_else(|| {
            let mut close = self.clauses.iter().filter(|clause| clause.id.eq_ignore_ascii_case(wanted));
            close.next().filter(|_| close.next().is_none())
        })
    }

    /// The ruling with this number.
    pub fn ruling(&self, id: &str) -> Option<&RuleRuling> {
        self.rulings.iter().find(|ruling| ruling.id.eq_ignore_ascii_case(id.trim()))
    }

    /// Every clause below a number: `9` and `9.2` stand for all that begins with them, `SCM` for a whole table.
    pub fn under(&self, id: &str) -> Vec<&RuleClause> {
        let wanted = plain(id).trim_end_matches(".0").to_ascii_lowercase();
        if wanted.is_empty() {
            return Vec::new();
        }
        let below = |clause: &&RuleClause| {
            let id = clause.id.to_ascii_lowercase();
            id.strip_prefix(&wanted).is_some_and(|rest| {
                // `9` is not a part of `91`, nor `9.1` of `9.12`.
                let same_number =
                    wanted.ends_with(|c: char| c.is_ascii_digit()) && rest.starts_with(|c: char| c.is_ascii_digit());
                !same_number
            })
        };
        self.clauses.iter().filter(below).collect()
    }

    /// The rulings that a clause refers to, in order.
    pub fn rulings_of(&self, clause: &RuleClause) -> Vec<&RuleRuling> {
        let Some(text) = &clause.ruling else { return Vec::new() };
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        let mut found: Vec<&RuleRuling> = words.filter_map(|word| self.ruling(word)).collect();
        found.dedup_by(|one, other| one.id == other.id);
        found
    }

    /// Where the printed book has a clause: the section by its own number, and the how manieth of its statements it is. What
    /// no section says is a table, by its name, or a reading of ours.
    pub fn place(&self, clause: &RuleClause) -> String {
        let section = section(&clause.id);
        if section.is_empty() {
            return match clause.id.starts_with("IMP") || self.ruling(&clause.id).is_some() {
                true => "nowhere in so many words; it follows from the others".to_owned(),
                false => clause.chapter.clone(),
            };
        }
        let all: Vec<&RuleClause> = self.clauses.iter().filter(|other| self::section(&other.id) == section).collect();
        let number = all.iter().position(|other| other.id == clause.id).map_or(0, |at| at + 1);
        match all.len() {
            1 => section.to_owned(),
            of => format!("{section}, statement {number} of {of}"),
        }
    }

    /// The option a clause or one of its rulings depends on.
    pub fn option_of(&self, clause: &RuleClause) -> Option<&RuleOption> {
        let named = clause.option.as_deref();
        self.options.iter().find(|option| named == Some(option.name.as_str()) || option.clause == clause.id)
    }

    /// The chapters in order, each with its clauses.
    pub fn chapters(&self) -> Vec<(&str, Vec<&RuleClause>)> {
        let mut chapters: Vec<(&str, Vec<&RuleClause>)> = Vec::new();
        for clause in &self.clauses {
            match chapters.iter_mut().find(|(chapter, _)| *chapter == clause.chapter) {
                Some((_, clauses)) => clauses.push(clause),
                None => chapters.push((&clause.chapter, vec![clause])),
            }
        }
        chapters
    }

    /// Every clause that has all these words in its text, topic, chapter or ruling; case and accents are forgiven.
    pub fn search(&self, words: &str) -> Vec<&RuleClause> {
        let wanted: Vec<String> = words.split_whitespace().map(fold).collect();
        let has = |clause: &&RuleClause| {
            let ruling = clause.ruling.as_deref().unwrap_or_default();
            let text = fold(&format!("{} {} {} {ruling}", clause.chapter, clause.topic, clause.text));
            wanted.iter().all(|word| text.contains(word.as_str()))
        };
        if wanted.is_empty() { Vec::new() } else { self.clauses.iter().filter(has).collect() }
    }

    /// Clauses whose number is near to what was typed.
    pub fn nearest(&self, id: &str) -> Vec<&str> {
        nearest(plain(id), self.clauses.iter().map(|clause| clause.id.as_str()))
    }
}

/// The rulebook's own number in the number of a clause: `9.2` of `9.2c`. Nothing for tables and readings.
fn section(id: &str) -> &str {
    let number = id.trim_end_matches(|c: char| c.is_ascii_lowercase());
    if number.starts_with(|c: char| c.is_ascii_digit()) { number } else { "" }
}

fn plain(id: &str) -> &str {
    id.trim().trim_start_matches('§').trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book() -> RuleBook {
        RuleBook::read(include_str!("../games/santiago_1898/rules.yaml")).unwrap()
    }

    #[test]
    fn a_clause_is_found_however_it_is_typed() {
        let book = book();
        assert_eq!(book.clause("9.3g").map(|clause| clause.id.as_str()), Some("9.3g"));
        assert_eq!(book.clause(" §9.3G ").map(|clause| clause.id.as_str()), Some("9.3g"));
        assert_eq!(book.clause("scm.c").map(|clause| clause.id.as_str()), Some("SCM.c"));
        assert_eq!(book.clause("9.99"), None);
        assert!(!book.nearest("9.3z").is_empty());
    }

    #[test]
    fn a_clause_says_where_the_printed_book_has_it() {
        let book = book();
        let place = |id: &str| book.place(book.clause(id).unwrap());
        assert!(place("9.2c").starts_with("9.2, statement 3 of "), "{}", place("9.2c"));
        assert_eq!(place("IMP.4"), "nowhere in so many words; it follows from the others");
        assert_eq!(place("DFM.c"), "Defensive Fire Table: modifiers");
    }

    #[test]
    fn a_chapter_number_stands_for_all_its_clauses_and_no_others() {
        let book = book();
        let nine = book.under("9");
        assert!(nine.len() > 20 && nine.iter().all(|clause| clause.id.starts_with("9.")));
        assert_eq!(book.under("9.0").len(), nine.len());
        assert!(book.under("1").iter().all(|clause| clause.id.starts_with("1.")));
        assert!(book.under("").is_empty());
    }

    #[test]
    fn every_ruling_and_option_a_clause_names_exists() {
        let hyphened = include_str!("../games/splendid_little_war/rules.yaml");
        let [book, hyphened] = [book(), RuleBook::read(hyphened).unwrap()];
        for book in [&book, &hyphened] {
            for option in &book.options {
                assert!(book.clause(&option.clause).is_some(), "{}", option.clause);
                assert!(book.ruling(&option.ruling).is_some(), "{}", option.ruling);
                assert!(option.values.contains_key(&option.default), "{}", option.name);
            }
            for clause in book.clauses.iter().filter(|clause| clause.ruling.is_some()) {
                assert!(!book.rulings_of(clause).is_empty(), "{}", clause.id);
            }
        }
        let shift = book.clause("SCM.c").unwrap();
        assert_eq!(book.option_of(shift).map(|option| option.name.as_str()), Some("river-shift"));
    }

    #[test]
    fn clauses_are_found_by_words_without_accents() {
        let book = book();
        let found = book.search("FEVER lose");
        assert!(!found.is_empty());
        assert!(found.iter().all(|clause| fold(&format!("{clause:?}")).contains("fever")));
        assert!(book.search("zeppelin").is_empty());
        assert!(book.search("  ").is_empty());
    }
}
