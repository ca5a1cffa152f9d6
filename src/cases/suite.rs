//! Many case files at once.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::expect::Difference;
use super::file::{CaseFile, read_file};
use super::run::{CaseFailure, CaseVerdict, run_case};
use crate::abreast::each;
use crate::engine::Ruleset;
use crate::engine::doc::{DocPath, Fault, Source, Unreadable, did_you_mean, nearest};
use crate::report::Look;
use crate::report::faults::{entries, render};

/// What came of one case.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CaseReport {
    /// The file it stands in.
    pub file: String,
    /// The line it stands at, or the one at fault if it fails.
    pub line: usize,
    /// The game.
    pub game: String,
    /// Its name.
    pub name: String,
    /// The clauses it shows.
    pub clauses: Vec<String>,
    /// What came of it.
    pub verdict: CaseVerdict,
}

/// A file that holds no cases that can be run.
#[derive(Clone, Debug)]
pub struct FileFaults {
    /// The text.
    pub source: Source,
    /// What is wrong with it.
    pub faults: Vec<Fault>,
}

impl Serialize for FileFaults {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("file", &self.source.name)?;
        map.serialize_entry("faults", &entries(&self.faults, &self.source))?;
        map.end()
    }
}

/// What came of many files, in the order they were given.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Suite {
    /// How many cases passed.
    pub passed: usize,
    /// How many failed.
    pub failed: usize,
    /// Every case.
    pub cases: Vec<CaseReport>,
    /// Files whose cases could not be run.
    pub unreadable: Vec<FileFaults>,
}

/// The case files under the given files and folders, sorted within each folder.
pub fn case_files(paths: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        collect(path, &mut files, true)?;
    }
    Ok(files)
}

fn collect(path: &Path, files: &mut Vec<PathBuf>, named: bool) -> io::Result<()> {
    let placed = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    if !path.is_dir() {
        let yaml = path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
        if named || yaml {
            files.push(path.to_owned());
        }
        return Ok(());
    }
    let entries: io::Result<Vec<PathBuf>> =
        std::fs::read_dir(path).map_err(placed)?.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut entries = entries.map_err(placed)?;
    entries.sort();
    entries.iter().try_for_each(|entry| collect(entry, files, false))
}

/// A case file with its text, for the places of faults.
pub type ReadFile = (CaseFile, Source);

/// Reads case files, on as many threads as there are processors: what can be read, and what is wrong with the rest.
pub fn read_cases(files: &[PathBuf]) -> io::Result<(Vec<ReadFile>, Vec<FileFaults>)> {
    let results: Vec<io::Result<_>> = each(files, |path| {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))?;
        Ok(read_file(&name, &bytes))
    });
    let (mut read, mut unreadable) = (Vec::new(), Vec::new());
    for result in results {
        match result? {
            Ok(file) => read.push(file),
            Err(Unreadable { source, faults }) => unreadable.push(FileFaults { source, faults }),
        }
    }
    Ok((read, unreadable))
}

/// Runs every case of the files, on as many threads as there are processors. The report does not depend on how many.
pub fn run_files(games: &[&'static dyn Ruleset], files: &[PathBuf]) -> io::Result<Suite> {
    let (read, mut unreadable) = read_cases(files)?;
    let mut work = Vec::new();
    for (file, source) in &read {
        let Some(ruleset) = games.iter().find(|game| game.id() == file.game) else {
            unreadable.push(unknown_game(games, file, source));
            continue;
        };
        work.extend(file.cases.iter().enumerate().map(|(index, case)| (*ruleset, source, index, case)));
    }
    let verdicts = each(&work, |(ruleset, _, _, case)| run_case(*ruleset, case));
    let mut suite = Suite { unreadable, ..Suite::default() };
    let mut names: BTreeMap<(&str, &str), String> = BTreeMap::new();
    for ((ruleset, source, index, case), mut verdict) in work.into_iter().zip(verdicts) {
        let at = DocPath::root().key("cases").index(index);
        let here = format!("{}:{}", source.name, source.place(&at).line);
        if let Some(first) = names.insert((ruleset.id(), &case.name), here) {
            let found = format!("the name of the case at {first}");
            let difference = Difference::new("name", "a name of its own", found);
            verdict = CaseVerdict::Failed(CaseFailure::before(difference.at.clone(), difference));
        }
        let place = match &verdict {
            CaseVerdict::Passed => at,
            CaseVerdict::Failed(trouble) => at.join(&trouble.at),
        };
        match verdict {
            CaseVerdict::Passed => suite.passed += 1,
            CaseVerdict::Failed(_) => suite.failed += 1,
        }
        suite.cases.push(CaseReport {
            file: source.name.clone(),
            line: source.place(&place).line,
            game: ruleset.id().to_owned(),
            name: case.name.clone(),
            clauses: case.clauses.clone(),
            verdict,
        });
    }
    Ok(suite)
}

fn unknown_game(games: &[&'static dyn Ruleset], file: &CaseFile, source: &Source) -> FileFaults {
    let known: Vec<&str> = games.iter().map(|game| game.id()).collect();
    let meant = did_you_mean(&nearest(&file.game, known.iter().copied()));
    let remedy = meant.unwrap_or_else(|| format!("there are: {}", known.join(", ")));
    let fault = Fault::new(&DocPath::root().key("game"), format!("there is no game `{}`", file.game), remedy);
    FileFaults { source: source.clone(), faults: vec![fault] }
}

impl Suite {
    /// Whether everything was read and passed.
    pub fn is_good(&self) -> bool {
        self.failed == 0 && self.unreadable.is_empty()
    }

    /// The report for a person: a line for each case, the details of every failure, and the sum.
    pub fn text(&self, look: Look) -> String {
        let mut text = String::new();
        for FileFaults { source, faults } in &self.unreadable {
            text.push_str(&render(faults, source, look));
            text.push('\n');
        }
        for case in &self.cases {
            text.push_str(&case.text());
        }
        let count = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
        let _ = write!(text, "{}: {} passed, {} failed", count(self.cases.len(), "case"), self.passed, self.failed);
        if !self.unreadable.is_empty() {
            let _ = write!(text, ", {} could not be run", count(self.unreadable.len(), "file"));
        }
        text.push('\n');
        text
    }
}

impl CaseReport {
    /// One line, and what went wrong below it.
    pub fn text(&self) -> String {
        let clauses: Vec<String> = self.clauses.iter().map(|clause| format!("§{clause}")).collect();
        let head = format!("{}:{}  {}  {}", self.file, self.line, self.name, clauses.join(" "));
        let trouble = match &self.verdict {
            CaseVerdict::Passed => return format!("pass  {head}\n"),
            CaseVerdict::Failed(trouble) => trouble,
        };
        let mut text = format!("FAIL  {head}\n");
        let packet = if trouble.packet > 1 { format!(" of packet {}", trouble.packet) } else { String::new() };
        for Difference { part, expected, found, .. } in &trouble.differences {
            let _ = writeln!(text, "      {part}{packet}");
            let _ = writeln!(text, "        expected  {expected}");
            let _ = writeln!(text, "        found     {found}");
        }
        for roll in &trouble.rolls {
            let faces: Vec<String> = roll.faces.iter().map(u16::to_string).collect();
            let _ = writeln!(text, "      rolled {} for {}", faces.join(" "), roll.label);
        }
        for (number, event) in trouble.journal.iter().enumerate() {
            let _ = writeln!(text, "      event {:<3} {event}", number + 1);
        }
        text
    }
}
