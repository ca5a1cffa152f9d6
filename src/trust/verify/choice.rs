//! Several files for one place: which record counts, and what the others are.

use std::collections::BTreeMap;

use super::{Divergence, Pass, Settled, divergence};
use crate::engine::json::Json;
use crate::engine::visible::visible;
use crate::trust::bytes::Id;
use crate::trust::data::Mode;
use crate::trust::finding::{Code, Finding};
use crate::trust::ledger::{follow, seat};
use crate::trust::protocol::{NextRecord, Protocol};
use crate::trust::record::{Record, RecordKind};
use crate::trust::rivals::{Place, opened_twice};
use crate::trust::role::Role;
use crate::trust::store::LedgerFile;

impl<'a> Pass<'a> {
    /// The record for the next place; several files for one place are one record, stray ones, or a fork.
    pub(super) fn choose(
        &mut self,
        seq: u32,
        files: &[&'a LedgerFile],
    ) -> Result<(&'a str, &'a Record), Box<Divergence>> {
        let distinct = self.distinct(files);
        match distinct.as_slice() {
            [] => {
                let Some(file) = files.first() else {
                    return Err(Box::new(divergence(seq, None, Finding::new(Code::Gap, "missing"), vec![])));
                };
                let why = file.record.as_ref().err().map(ToString::to_string).unwrap_or_default();
                return Err(Box::new(divergence(seq, None, Finding::new(Code::Canon, why), vec![file.name.clone()])));
            }
            [only] => {
                self.mention_copies(files, only);
                return Ok(*only);
            }
            _ => {}
        }
        let mut found = judged(&Place { protocol: &self.protocol, rules: None }, &distinct);
        if found.iter().filter(|(_, _, sound)| sound.is_ok()).count() > 1 {
            self.settle();
            found = judged(&self.place(), &distinct);
        }
        let sound: Vec<(&'a str, &'a Record)> =
            found.iter().filter(|(.., sound)| sound.is_ok()).map(|(name, record, _)| (*name, *record)).collect();
        let chosen = match self.one_of(seq, &sound) {
            Some(chosen) => chosen?,
            // None is sound: one that somebody signed says more than one that is damaged.
            None => {
                let signed = found.iter().find(|(.., sound)| sound.as_ref().is_err_and(|f| f.fault.is_some()));
                let first = signed.or(found.first()).map(|(name, record, _)| (*name, *record));
                first.ok_or_else(|| Box::new(divergence(seq, None, Finding::new(Code::Gap, "missing"), vec![])))?
            }
        };
        for (name, record, sound) in found {
            if record.id() == chosen.1.id() {
                continue;
            }
            if let Some(finding) = sound.err().or_else(|| self.displaced(seq, name, record, chosen.1)) {
                let aside = divergence(seq, Some(record), finding, vec![name.to_owned()]);
                self.aside.push(self.with_key(aside));
            }
        }
        self.mention_copies(files, &chosen);
        Ok(chosen)
    }

    /// A sound record at whose place another one counts: late, to be signed again, or a game master's second thoughts.
    pub(super) fn displaced(&mut self, seq: u32, name: &str, record: &Record, chosen: &Record) -> Option<Finding> {
        let closes = |file: &&LedgerFile| match &file.record {
            Ok(next) => next.body().kind == RecordKind::Result && next.body().prev == chosen.id(),
            Err(_) => false,
        };
        let closed = self.places.get(&(seq + 1)).is_some_and(|next| next.iter().any(closes));
        let (by, name) = (&record.body().by, visible(name));
        if self.protocol.mode() == Mode::Gm && *by == Role::gm() && closed {
            let what = "the game master has closed a player's record and signed another one for its place";
            return Some(Finding::new(Code::Kind, what).signed_by(by));
        }
        self.remarks.push(match record.body().kind {
            RecordKind::Audit => {
                format!("left aside: {name}: of two audits for one place that of {} stands", chosen.body().by)
            }
            RecordKind::Join => format!("left aside: {name}: another acceptance of the offer stands"),
            _ => format!("W76-LATE  {name}, signed by {by}: the game went on without it; no fault, no proof of when"),
        });
        None
    }

    /// Of several sound records the one that counts, if one does; two of one signer are a fork.
    pub(super) fn one_of(
        &self,
        seq: u32,
        sound: &[(&'a str, &'a Record)],
    ) -> Option<Result<(&'a str, &'a Record), Box<Divergence>>> {
        let (first, place) = (*sound.first()?, self.place());
        let next = self.places.get(&(seq + 1));
        let named = |id: Id| next.is_some_and(|next| next.iter().any(|file| follows(file, id)));
        // Of several who accept one offer, the one the next record names is in.
        if matches!(self.protocol.due(), NextRecord::Join(_)) {
            return Some(Ok(sound.iter().find(|(_, record)| named(record.id())).copied().unwrap_or(first)));
        }
        let fork = |one: (&'a str, &'a Record), other: (&'a str, &'a Record)| {
            let evidence = vec![one.0.to_owned(), other.0.to_owned()];
            let found = divergence(seq, Some(one.1), place.both_sound(one.1, other.1), evidence);
            Err(Box::new(self.with_key(found)))
        };
        let mut counted = sound.to_vec();
        if let Some(other) = sound.iter().find(|(_, record)| record.body().by != first.1.body().by) {
            let records: Vec<&Record> = sound.iter().map(|(_, record)| *record).collect();
            let Some(whose) = place.whose(&records, named) else { return Some(fork(first, *other)) };
            counted.retain(|(_, record)| record.body().by == whose);
        }
        Some(match counted.as_slice() {
            [one, other, ..] => fork(*one, *other),
            _ => Ok(counted.first().copied().unwrap_or(first)),
        })
    }

    /// The records among some files, each body once: of one body under several signatures a good one stands for it.
    pub(super) fn distinct(&self, files: &[&'a LedgerFile]) -> Vec<(&'a str, &'a Record)> {
        let mut distinct: Vec<(&'a str, &'a Record)> = Vec::new();
        for file in files {
            let Ok(record) = &file.record else { continue };
            match distinct.iter_mut().find(|(_, other)| other.id() == record.id()) {
                None => distinct.push((&file.name, record)),
                Some((_, other)) if other.sig() == record.sig() => {}
                Some(there) => {
                    let good = |record| self.protocol.check_signature(record).is_ok();
                    if !good(there.1) && good(record) {
                        *there = (&file.name, record);
                    }
                }
            }
        }
        distinct
    }

    /// Says which files for a place were not needed: copies, and what cannot be read.
    pub(super) fn mention_copies(&mut self, files: &[&'a LedgerFile], chosen: &(&'a str, &'a Record)) {
        for file in files.iter().filter(|file| file.name != chosen.0) {
            match &file.record {
                Ok(record) if record.id() == chosen.1.id() => {
                    self.remarks.push(format!(
                        "left aside: {} is a copy of {}",
                        visible(&file.name),
                        visible(chosen.0)
                    ));
                }
                Ok(_) => {}
                Err(why) => self.remarks.push(format!("left aside: {}: {why}", visible(&file.name))),
            }
        }
    }

    pub(super) fn place(&self) -> Place<'_> {
        let rules = match &self.settled {
            Settled::Upto(upto) => Some(&upto.1),
            Settled::NotYet | Settled::Unknown => None,
        };
        Place { protocol: &self.protocol, rules }
    }

    /// Plays the game up to the place in hand, if its rules are known and nothing was wrong before.
    pub(super) fn settle(&mut self) {
        let begun = match std::mem::replace(&mut self.settled, Settled::Unknown) {
            Settled::Unknown => None,
            Settled::Upto(upto) => Some(*upto),
            Settled::NotYet => self.protocol.genesis().zip(self.protocol.founder()).and_then(|(genesis, founder)| {
                let table = (self.lay)(genesis).ok()?;
                let walked: Vec<Record> = self.chosen.iter().map(|(_, record)| (*record).clone()).collect();
                Some((Protocol::new(), seat(table, genesis, founder, &walked).ok()?))
            }),
        };
        let Some((mut protocol, mut replay)) = begun else { return };
        let from = usize::try_from(protocol.next()).unwrap_or(usize::MAX);
        for (_, record) in self.chosen.iter().skip(from) {
            if follow(&mut protocol, &mut replay, self.vision, record).is_err() {
                return;
            }
        }
        self.settled = Settled::Upto(Box::new((protocol, replay)));
    }

    /// A result that stands elsewhere, with a link of a result in this ledger and for other orders, is a fork as well.
    pub(super) fn one_link_twice(&mut self) {
        let link = |record: &Record| record.body().data.get("link").and_then(Json::as_str).map(str::to_owned);
        let results: BTreeMap<String, (&str, &Record)> = self
            .chosen
            .iter()
            .filter(|(_, record)| record.body().kind == RecordKind::Result)
            .filter_map(|(name, record)| Some((link(record)?, (*name, *record))))
            .collect();
        let mut first: Option<Divergence> = None;
        for file in &self.found.files {
            let Ok(stray) = &file.record else { continue };
            let Some((name, held)) = link(stray).and_then(|link| results.get(&link)) else { continue };
            let signed =
                |record: &Record| self.protocol.keys_of(&record.body().by).iter().any(|key| record.is_signed_by(key));
            // In one chain it is the number of the link that is wrong.
            let stands = self.chosen.iter().any(|(_, record)| record.id() == stray.id());
            let ours = stray.body().game == self.protocol.game() && !stands;
            let Some(finding) = opened_twice(held, stray).filter(|_| ours) else { continue };
            if !signed(stray) || !signed(held) {
                continue;
            }
            let seq = held.body().seq.min(stray.body().seq);
            if first.as_ref().is_none_or(|first| seq < first.seq) {
                let evidence = vec![(*name).to_owned(), file.name.clone()];
                first = Some(divergence(seq, Some(held), finding, evidence));
            }
        }
        if let Some(first) = first
            && self.divergence.as_ref().is_none_or(|divergence| first.seq <= divergence.seq)
        {
            self.divergence = Some(self.with_key(first));
        }
    }
}

/// How each of several records for one place stands there.
pub(super) fn judged<'a>(
    place: &Place<'_>,
    records: &[(&'a str, &'a Record)],
) -> Vec<(&'a str, &'a Record, Result<(), Finding>)> {
    records.iter().map(|(name, record)| (*name, *record, place.sound(record))).collect()
}

pub(super) fn follows(file: &LedgerFile, id: Id) -> bool {
    file.record.as_ref().is_ok_and(|record| record.body().prev == id)
}
