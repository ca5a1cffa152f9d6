//! Positions a game has passed through: the ledger replayed up to one of its results.

use std::path::PathBuf;

use crate::trust::ledger::Ledger;
use crate::trust::record::{Record, RecordKind};
use crate::trust::replay::Vision;

use super::folder;
use super::sight::{self, Eyes, Sight};
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
        let eyes = self.eyes();
        let ledger = self.ledger(upto, eyes.as_ref())?;
        Ok(self.seen(ledger, eyes.as_ref()))
    }

    /// The same for several results. Where somebody was asked in between, the one that tells the packet to its end stands
    /// for all.
    pub fn sights(&self, results: &[usize]) -> Result<Vec<(usize, Sight)>, Trouble> {
        let eyes = self.eyes();
        let mut sights: Vec<(usize, Sight)> = Vec::new();
        self.walk(results, eyes.as_ref(), |at, ledger| {
            if ledger.replay().journal().is_some_and(|(_, told)| told > 0) {
                sights.pop();
            }
            sights.push((at, self.seen(ledger.clone(), eyes.as_ref())));
            true
        })?;
        Ok(sights)
    }

    /// The results that tell of a game turn. Turns never go back.
    pub fn of_turn(&self, turn: u32) -> Result<Vec<usize>, Trouble> {
        let (mut found, mut last) = (Vec::new(), None);
        self.walk(&self.results(), self.eyes().as_ref(), |at, ledger| {
            let began = ledger.replay().table().turn(ledger.replay().began());
            found.extend((began == turn).then_some(at));
            last = Some(began);
            began <= turn
        })?;
        let last = last.ok_or_else(no_result)?;
        if found.is_empty() {
            let remedy = format!("the game has come to turn {last}");
            return Err(Trouble::usage(format!("nothing has happened in turn {turn}"), remedy));
        }
        Ok(found)
    }

    /// What whoever asks knows besides the records.
    fn eyes(&self) -> Option<Eyes> {
        let genesis = self.records.first().filter(|_| self.open.is_none())?;
        sight::own_vision(self.world, &genesis.id())
    }

    fn ledger(&self, upto: usize, eyes: Option<&Eyes>) -> Result<Ledger, Trouble> {
        let records: Vec<Record> = self.records.iter().take(upto + 1).cloned().collect();
        let vision = self.open.as_ref().or(eyes.map(|eyes| &eyes.vision)).cloned().unwrap_or_else(Vision::public);
        Ok(Ledger::read(records, |genesis| folder::lay(&self.folder, genesis), vision)?)
    }

    fn seen(&self, ledger: Ledger, eyes: Option<&Eyes>) -> Sight {
        match eyes {
            Some(eyes) => Sight::of_role(self.folder.clone(), ledger, &eyes.role),
            None => Sight::of(self.folder.clone(), ledger),
        }
    }

    /// Goes from result to result, each record replayed once, as long as `on` says so.
    fn walk(
        &self,
        results: &[usize],
        eyes: Option<&Eyes>,
        mut on: impl FnMut(usize, &Ledger) -> bool,
    ) -> Result<(), Trouble> {
        let Some(first) = results.first() else { return Ok(()) };
        let mut ledger = self.ledger(*first, eyes)?;
        for at in results {
            let known = ledger.records().len();
            for record in self.records.iter().take(at + 1).skip(known) {
                ledger.append(record.clone())?;
            }
            if !on(*at, &ledger) {
                break;
            }
        }
        Ok(())
    }
}
