//! Positions a game has passed through: the ledger replayed up to one of its results.

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::trust::ledger::Ledger;
use crate::trust::record::{Record, RecordKind};
use crate::trust::replay::Vision;

use super::folder;
use super::sight::{self, Sight};
use super::{Trouble, World};

/// A game with all its records, seen by whoever asks.
pub struct Past<'w> {
    /// What every verb is given.
    pub world: &'w World,
    /// The folder of the game.
    pub folder: PathBuf,
    /// All its records.
    pub records: Vec<Record>,
    /// With everything turned up, once all audits are in.
    pub open: Option<Vision>,
}

/// Nothing has happened yet.
pub fn no_result() -> Trouble {
    Trouble::usage("nothing has happened yet", "`garcia status` says what is awaited")
}

impl Past<'_> {
    fn is_result(&self, at: usize) -> bool {
        self.records.get(at).is_some_and(|record| record.body().kind == RecordKind::Result)
    }

    /// Every result.
    pub fn results(&self) -> Vec<usize> {
        (0..self.records.len()).filter(|at| self.is_result(*at)).collect()
    }

    /// The last result.
    pub fn last(&self) -> Option<usize> {
        self.results().pop()
    }

    /// The result with this number.
    pub fn result(&self, number: u32) -> Result<usize, Trouble> {
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        if self.is_result(at) {
            return Ok(at);
        }
        let results: Vec<String> = self.results().iter().map(ToString::to_string).collect();
        let remedy = match results.is_empty() {
            true => "there are no results yet".to_owned(),
            false => format!("results are {}", results.join(", ")),
        };
        Err(Trouble::usage(format!("record {number} is no result"), remedy))
    }

    /// The game as it was once a result was in.
    pub fn sight(&self, upto: usize) -> Result<Sight, Trouble> {
        let records: Vec<Record> = self.records.iter().take(upto + 1).cloned().collect();
        if let Some(vision) = &self.open {
            let ledger = Ledger::read(records, |genesis| folder::lay(&self.folder, genesis), vision.clone())?;
            return Ok(Sight::of(self.folder.clone(), ledger));
        }
        let eyes = records.first().and_then(|genesis| sight::own_vision(self.world, &genesis.id()));
        Sight::seen(self.folder.clone(), records, eyes)
    }

    /// The same for several results, with word of how far it is where it takes long. Where somebody was asked in between,
    /// the one that tells the packet to its end stands for all.
    pub fn sights(&self, results: &[usize]) -> Result<Vec<(usize, Sight)>, Trouble> {
        let mut progress = Progress::new("replaying", results.len());
        let mut sights: Vec<(usize, Sight)> = Vec::new();
        for at in results {
            progress.step();
            let sight = self.sight(*at)?;
            if sight.turn_report().is_some_and(|report| report.told > 0) {
                sights.pop();
            }
            sights.push((*at, sight));
        }
        Ok(sights)
    }

    /// The results that tell of a game turn. Turns never go back, so a few looks find them.
    pub fn of_turn(&self, turn: u32) -> Result<Vec<usize>, Trouble> {
        let results = self.results();
        let first = self.first_with(&results, |began| began >= turn)?;
        let after = self.first_with(&results, |began| began > turn)?;
        let found: Vec<usize> = results.get(first..after).unwrap_or_default().to_vec();
        if !found.is_empty() {
            return Ok(found);
        }
        let last = self.last().map(|at| self.began(at)).transpose()?.ok_or_else(no_result)?;
        Err(Trouble::usage(format!("nothing has happened in turn {turn}"), format!("the game has come to turn {last}")))
    }

    /// The first of these results for which something holds of the turn it began in.
    fn first_with(&self, results: &[usize], holds: impl Fn(u32) -> bool) -> Result<usize, Trouble> {
        let (mut low, mut high) = (0, results.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let at = results.get(middle).copied().unwrap_or(0);
            if holds(self.began(at)?) { high = middle } else { low = middle + 1 }
        }
        Ok(low)
    }

    /// The turn in which the packet of a result began.
    fn began(&self, at: usize) -> Result<u32, Trouble> {
        let sight = self.sight(at)?;
        Ok(sight.table().turn(sight.ledger.replay().began()))
    }
}

/// Word of how far something is, on standard error, once it has taken longer than a second.
pub struct Progress {
    what: &'static str,
    of: usize,
    done: usize,
    began: Instant,
    said: bool,
}

impl Progress {
    /// So many steps of something.
    pub fn new(what: &'static str, of: usize) -> Progress {
        Progress { what, of, done: 0, began: Instant::now(), said: false }
    }

    /// Another step begins.
    pub fn step(&mut self) {
        self.done += 1;
        if self.began.elapsed() > Duration::from_secs(1) && std::io::stderr().is_terminal() {
            self.said = true;
            eprint!("\r{} {} of {}", self.what, self.done, self.of);
            std::io::stderr().flush().ok();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.said {
            eprint!("\r{}\r", " ".repeat(60));
        }
    }
}
