//! Whether a text has the lines a case expects, and none that it must not have.

use std::fmt;

use super::expect::Difference;
use super::matching::pair;
use super::parts::{LinePart, LinesPart};
use crate::engine::doc::DocPath;
use crate::report::PlainLine;

/// So many lines of a text are shown where one is missing.
const SHOWN: usize = 40;

impl LinesPart {
    /// The lines that are missing or must not be there; `at` is the place of the expectation.
    pub(super) fn differences(&self, lines: &[PlainLine], at: &DocPath) -> Vec<Difference> {
        [self.in_order(lines, at), self.anywhere(lines, at), self.nowhere(lines, at)].concat()
    }

    /// A list stands for `lines`: its items have their places below the list itself, or below `lines`.
    fn place(&self, at: &DocPath, key: &str, index: usize) -> DocPath {
        let short = key == "lines" && self.has.is_empty() && self.lacks.is_empty();
        if short { at.index(index) } else { at.key(key).index(index) }
    }

    fn in_order(&self, lines: &[PlainLine], at: &DocPath) -> Vec<Difference> {
        let (mut from, mut all) = (0, Vec::new());
        for (index, part) in self.lines.iter().enumerate() {
            match lines.iter().skip(from).position(|line| part.fits(line)) {
                Some(offset) => from += offset + 1,
                None => {
                    let early = lines.iter().find(|line| part.fits(line));
                    let found = match early {
                        Some(line) => format!("only before the lines above: {}", line.text),
                        None => shown(lines),
                    };
                    all.push(Difference::expected(self.place(at, "lines", index), part.to_string(), found));
                }
            }
        }
        all
    }

    fn anywhere(&self, lines: &[PlainLine], at: &DocPath) -> Vec<Difference> {
        let missing = pair(&self.has, lines, LinePart::fits).parts.into_iter();
        let part = |index: usize| Some((index, self.has.get(index)?));
        let told = |(index, part): (usize, &LinePart)| {
            Difference::expected(self.place(at, "has", index), part.to_string(), shown(lines))
        };
        missing.filter_map(part).map(told).collect()
    }

    fn nowhere(&self, lines: &[PlainLine], at: &DocPath) -> Vec<Difference> {
        let mut all = Vec::new();
        for (index, part) in self.lacks.iter().enumerate() {
            let place = self.place(at, "lacks", index);
            let there = lines.iter().filter(|line| part.fits(line));
            let told = |line: &PlainLine| Difference::expected(place.clone(), format!("no line {part}"), &line.text);
            all.extend(there.map(told));
        }
        all
    }
}

impl LinePart {
    fn fits(&self, line: &PlainLine) -> bool {
        self.says.as_deref().is_none_or(|words| line.text.contains(words))
            && self.clause.as_deref().is_none_or(|clause| line.clauses.iter().any(|named| named.0 == clause))
            && self.under.as_deref().is_none_or(|words| line.under.iter().any(|heading| heading.contains(words)))
    }
}

impl fmt::Display for LinePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [("says", &self.says), ("clause", &self.clause), ("under", &self.under)];
        let parts = parts.into_iter().filter_map(|(key, part)| part.as_ref().map(|part| format!("{key}: {part}")));
        write!(f, "{{{}}}", parts.collect::<Vec<_>>().join(", "))
    }
}

/// The lines of a text, one below the other.
fn shown(lines: &[PlainLine]) -> String {
    if lines.is_empty() {
        return "no line at all".to_owned();
    }
    let mut text = String::from("none of these lines:");
    for PlainLine { text: line, clauses, .. } in lines.iter().take(SHOWN) {
        let clauses: String = clauses.iter().map(|clause| format!(" {clause}")).collect();
        text.push_str(&format!("\n          {line}{clauses}"));
    }
    if lines.len() > SHOWN {
        text.push_str(&format!("\n          … and {} more", lines.len() - SHOWN));
    }
    text
}
