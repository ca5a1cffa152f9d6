//! `garcia verify`: walks a ledger from its first record and names the first one that is wrong.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::bytes::Id;
use super::compare::Copy;
use super::data::{Data, Genesis, Mode, RollSaid};
use super::finding::{Code, Finding, Level, dice_words};
use super::ledger::{follow, seat};
use super::protocol::{NextRecord, Protocol};
use super::record::{Record, RecordKind};
use super::replay::{MARK, Replay, Vision};
use super::rivals::{Place, opened_twice};
use super::role::Role;
use super::seals::is_in_state;
use super::store::{LIES, LedgerFile, LedgerFiles, STRANGER};
use crate::engine::json::Json;
use crate::engine::visible::visible;
use crate::engine::{Holdings, Match, Slot, View};

/// Lays the table a genesis describes, or says why its rules cannot be judged here.
pub type Lay<'a> = dyn Fn(&Genesis) -> Result<Box<dyn Match>, Finding> + 'a;

/// The first record that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// Its place.
    pub seq: u32,
    /// Its kind and signer, if it could be read.
    pub record: Option<(String, Role)>,
    /// What is wrong.
    pub finding: Finding,
    /// The key of the one whose fault it is.
    pub key: Option<Id>,
    /// The orders and the link its dice come from, if it is a result.
    pub dice: Option<(Id, Id)>,
    /// The files that prove it.
    pub evidence: Vec<String>,
}

/// What verification found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// How many records are good.
    pub good: u32,
    /// How many, from the first, are signed well, stand in order and open the right links; more may be wrong in them.
    pub sound: u32,
    /// How many there are.
    pub of: u32,
    /// How many links each role has opened.
    pub links: Vec<(Role, u32)>,
    /// How many public rolls were recomputed.
    pub rolls: usize,
    /// How deep the check went.
    pub level: Level,
    /// Why the rules were not judged.
    pub not_judged: Option<Finding>,
    /// The first record that is wrong.
    pub divergence: Option<Divergence>,
    /// Who owes which record.
    pub owed: Option<(Role, &'static str)>,
    /// The same in words, where more has to be said: openings for a private game master.
    pub owed_words: Option<String>,
    /// Who speaks next, and about what.
    pub next: Option<String>,
    /// Things listed without a verdict.
    pub remarks: Vec<String>,
    /// Records that stand for a place where another one counts: each is a matter of its own signer.
    pub aside: Vec<Divergence>,
    /// The ids of the records, in order.
    pub ids: Vec<Id>,
    /// Every key each role has had.
    pub keys: Vec<(Role, Vec<Id>)>,
    /// The places where the game master signed for a player or moved something.
    pub by_gm: Vec<u32>,
}

/// The files for each place in the ledger.
type Places<'a> = BTreeMap<u32, Vec<&'a LedgerFile>>;

/// Verifies the records found in a folder.
pub fn verify(found: &LedgerFiles, lay: &Lay<'_>, vision: &Vision) -> Verification {
    let mut places = Places::new();
    for file in &found.files {
        places.entry(file.seq).or_default().push(file);
    }
    // Records and dice come first: whether all audits are in decides in which view the rules are judged.
    let mut pass = Pass::new(&places, found, lay, vision);
    pass.records();
    let audited = pass.is_audited();
    if audited {
        let open = Vision::after_audits(&pass.protocol);
        pass.rules(&open);
    } else {
        pass.rules(vision);
    }
    pass.one_link_twice();
    pass.finish(audited)
}

/// A copy of a ledger as far as it can be read, each place chosen as [`verify`] does; what could not be, in words; and
/// a fork that stands in this very copy.
pub fn copy_of(found: &LedgerFiles, lay: &Lay<'_>) -> (Copy, Vec<String>, Option<Divergence>) {
    let mut places = Places::new();
    for file in &found.files {
        places.entry(file.seq).or_default().push(file);
    }
    let public = Vision::public();
    let mut pass = Pass::new(&places, found, lay, &public);
    pass.records();
    let mut copy: Copy = pass.chosen.iter().map(|(_, record)| (record.body().seq, (*record).clone())).collect();
    let mut troubles = Vec::new();
    let last = places.keys().next_back().copied().unwrap_or(0);
    let walked = u32::try_from(pass.chosen.len()).unwrap_or(u32::MAX);
    for seq in walked..=last {
        let files = places.get(&seq).map(Vec::as_slice).unwrap_or_default();
        match (pass.distinct(files).as_slice(), files) {
            ([(_, record)], _) => drop(copy.insert(seq, (*record).clone())),
            ([], []) => troubles.push(format!("record {seq} is missing")),
            ([], [file, ..]) => troubles.push(format!("{} cannot be read", file.name)),
            (_, _) => troubles.push(format!("several records stand for place {seq}")),
        }
    }
    let fork = pass.divergence.filter(|divergence| divergence.finding.code == Code::Fork);
    (copy, troubles, fork)
}

/// One pass through the files.
struct Pass<'a> {
    places: &'a Places<'a>,
    found: &'a LedgerFiles,
    lay: &'a Lay<'a>,
    vision: &'a Vision,
    protocol: Protocol,
    chosen: Vec<(&'a str, &'a Record)>,
    /// The game up to a place where several records stand; what they are worth only the rules tell.
    settled: Settled,
    aside: Vec<Divergence>,
    rolls: usize,
    judged: bool,
    not_judged: Option<Finding>,
    divergence: Option<Divergence>,
    next: Option<String>,
    remarks: Vec<String>,
}

/// The rules beside the records chosen so far, kept from one place with several records to the next.
enum Settled {
    NotYet,
    Unknown,
    Upto(Box<(Protocol, Replay)>),
}

impl<'a> Pass<'a> {
    fn new(places: &'a Places<'a>, found: &'a LedgerFiles, lay: &'a Lay<'a>, vision: &'a Vision) -> Pass<'a> {
        Pass {
            places,
            found,
            lay,
            vision,
            protocol: Protocol::new(),
            chosen: Vec::new(),
            settled: Settled::NotYet,
            aside: Vec::new(),
            rolls: 0,
            judged: false,
            not_judged: None,
            divergence: None,
            next: None,
            remarks: Vec::new(),
        }
    }

    /// Levels 1 and 2: form, signatures, order, links and dice. No rules are needed.
    fn records(&mut self) {
        for (seq, files) in self.places {
            if *seq > self.protocol.next() {
                self.divergence = Some(self.gap(*seq, files));
                return;
            }
            let (name, record) = match self.choose(*seq, files) {
                Ok(chosen) => chosen,
                Err(divergence) => {
                    self.divergence = Some(*divergence);
                    return;
                }
            };
            let here = self.protocol.next();
            let taken = self.protocol.take(record);
            self.chosen.push((name, record));
            match taken {
                Ok(Data::Closing(closing)) => {
                    self.rolls += closing.rolls.iter().filter(|roll| matches!(roll, RollSaid::Open { .. })).count();
                }
                Ok(_) => {}
                Err(finding) => {
                    self.divergence = Some(self.blame(&self.protocol, here, record, finding));
                    return;
                }
            }
        }
    }

    /// A place for which there is no file.
    fn gap(&self, found: u32, files: &[&LedgerFile]) -> Divergence {
        let here = self.protocol.next();
        let missing = if found == here + 1 { here.to_string() } else { format!("{here} to {}", found - 1) };
        let what = format!("missing: record {missing}; the ledger goes on with record {found}");
        let evidence = files.iter().map(|file| file.name.clone()).collect();
        divergence(here, None, Finding::new(Code::Gap, what), evidence)
    }

    /// Levels 3 and 4: plays the game again from the records that are good so far; what is wrong there comes earlier.
    fn rules(&mut self, vision: &Vision) {
        let good = usize::try_from(self.protocol.next()).unwrap_or(usize::MAX);
        let Some((genesis, founder)) = self.protocol.genesis().zip(self.protocol.founder()) else { return };
        let Some((_, first)) = self.chosen.first() else { return };
        let walked: Vec<Record> = self.chosen.iter().map(|(_, record)| (*record).clone()).collect();
        let mut replay = match (self.lay)(genesis).and_then(|table| seat(table, genesis, founder, &walked)) {
            Ok(replay) => replay,
            Err(finding) if finding.code == Code::Engine => {
                self.not_judged = Some(finding);
                return;
            }
            Err(finding) => {
                self.divergence = Some(self.blame(&Protocol::new(), 0, first, finding));
                return;
            }
        };
        self.judged = true;
        if !replay.is_awake() {
            let what = format!(
                "the game was begun with `{}`; its rules are judged where it went over to this version",
                genesis.engine
            );
            self.not_judged = Some(Finding::new(Code::Engine, what));
        }
        let mut protocol = Protocol::new();
        for (_, record) in self.chosen.iter().take(good) {
            let here = protocol.next();
            // What lay face down before is looked at only where something is sealed anew.
            let before = seals_anew(&protocol, record).then(|| replay.holdings(&protocol, vision));
            let followed = follow(&mut protocol, &mut replay, vision, record);
            let resealed = followed.and_then(|data| match before {
                _ if matches!(data, Data::Motion(_) | Data::Accept(_)) => {
                    check_rehidden(&protocol, &replay, record, vision)
                }
                Some(before) => check_resealed(&protocol, &replay, record, &data, &before, vision),
                None => Ok(()),
            });
            if let Err(finding) = resealed {
                if finding.code == Code::Engine {
                    self.not_judged = Some(finding);
                    return;
                }
                self.divergence = Some(self.blame(&protocol, here, record, finding));
                return;
            }
        }
        let stop = replay.stop();
        self.next = stop.who().map(|who| format!("{who}, {}", stop.ask()));
    }

    /// The record for the next place; several files for one place are one record, stray ones, or a fork.
    fn choose(&mut self, seq: u32, files: &[&'a LedgerFile]) -> Result<(&'a str, &'a Record), Box<Divergence>> {
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
    fn displaced(&mut self, seq: u32, name: &str, record: &Record, chosen: &Record) -> Option<Finding> {
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
    fn one_of(
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
    fn distinct(&self, files: &[&'a LedgerFile]) -> Vec<(&'a str, &'a Record)> {
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
    fn mention_copies(&mut self, files: &[&'a LedgerFile], chosen: &(&'a str, &'a Record)) {
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

    fn place(&self) -> Place<'_> {
        let rules = match &self.settled {
            Settled::Upto(upto) => Some(&upto.1),
            Settled::NotYet | Settled::Unknown => None,
        };
        Place { protocol: &self.protocol, rules }
    }

    /// Plays the game up to the place in hand, if its rules are known and nothing was wrong before.
    fn settle(&mut self) {
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
    fn one_link_twice(&mut self) {
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

    /// The record to blame: for a false statement about hidden things the one that made it.
    fn blame(&self, protocol: &Protocol, here: u32, record: &Record, finding: Finding) -> Divergence {
        let mut seq = here;
        if let (Code::Audit, Some(span), Some(fault)) = (finding.code, protocol.span(), &finding.fault) {
            let key = |key: &str| finding.label.as_deref() == Some(key);
            match span.claims.iter().find(|((role, claim), _)| role == fault && key(claim.as_str())) {
                Some((_, (made, _))) => seq = *made,
                None if *fault == span.side && record.body().by != *fault => seq = span.opened,
                None => {}
            }
        }
        let at = |seq: u32| usize::try_from(seq).ok().and_then(|seq| self.chosen.get(seq));
        let slot = finding.label.as_deref().and_then(|label| Slot::parse(label).ok());
        if let (Code::Reveal, Some(slot), Some(fault)) = (finding.code, slot, &finding.fault)
            && record.body().by != *fault
        {
            // What a value is, is a matter of the record that opened it, or else of the one that committed it.
            let seals = protocol.seals();
            let version = seals.next_version(fault, &slot).saturating_sub(1);
            let opened = seals.opening(fault, &slot, version).map(|opened| opened.seq);
            let opened = opened.filter(|seq| at(*seq).is_some_and(|(_, record)| record.body().by == *fault));
            let mut sealed = seals.of_role(fault).filter(|(other, s)| **other == slot && s.version == version);
            seq = opened.or_else(|| sealed.next().map(|(_, sealing)| sealing.seq)).unwrap_or(seq);
        }
        // A mark is a matter of the plan it stands in.
        let plan = || finding.label.as_deref()?.strip_prefix("plan/")?.split('/').next()?.parse().ok();
        if finding.what == MARK {
            seq = plan().unwrap_or(seq);
        }
        // A result stands right behind its orders.
        let orders = (seq == here && record.body().kind == RecordKind::Result).then(|| seq.saturating_sub(1));
        let evidence = orders.into_iter().chain([seq]).filter_map(|seq| at(seq).map(|(name, _)| (*name).to_owned()));
        let blamed = if seq == here { Some(record) } else { at(seq).map(|(_, record)| *record) };
        self.with_key(divergence(seq, blamed, finding, evidence.collect()))
    }

    /// Names the key of the one whose fault it is; a newcomer's stands in his own record.
    fn with_key(&self, mut divergence: Divergence) -> Divergence {
        let seat = divergence.finding.fault.as_ref().and_then(|fault| self.protocol.signatories().get(fault));
        let own = || {
            let (_, record) = self.chosen.get(usize::try_from(divergence.seq).ok()?)?;
            record.body().data.get("key").and_then(Json::as_str).and_then(|key| key.parse().ok())
        };
        let known = divergence.finding.fault.is_some();
        divergence.key = seat.map(|seat| seat.key).or_else(own).filter(|_| known);
        divergence
    }

    fn is_audited(&self) -> bool {
        self.divergence.is_none()
            && matches!(self.protocol.due(), NextRecord::Audit(owing) if owing.is_empty())
            && !self.protocol.audits().is_empty()
    }

    fn finish(self, audited: bool) -> Verification {
        let level = match (self.judged, audited) {
            (true, true) => Level::Audit,
            (true, false) => Level::Rules,
            (false, _) => Level::Dice,
        };
        let level = self.divergence.as_ref().map_or(level, |divergence| divergence.finding.code.level());
        let seats = self.protocol.signatories().iter().filter(|(_, seat)| seat.tip.is_some());
        let mut remarks = self.remarks;
        remarks.extend(self.aside.iter().map(Divergence::aside));
        match self.protocol.mode() {
            Mode::Solo if self.protocol.genesis().is_some() => {
                remarks.push("solo: dice committed, not shared".to_owned())
            }
            Mode::Gm => remarks.push("game master: dice committed by the game master, not by an opponent".to_owned()),
            _ => {}
        }
        remarks.extend(super::remarks::of_motions(&self.protocol, &self.chosen));
        for seq in self.protocol.written_by_gm() {
            remarks.push(format!("record {seq}: written by the game master; its dice rest on his word"));
        }
        remarks.extend(self.found.problems.iter().filter(|p| p.contains(STRANGER) || p.contains(LIES)).cloned());
        // A record whose signature, place and link are good can still say something wrong.
        let walked = self.protocol.next();
        let wrong_inside =
            |d: &Divergence| d.seq == walked && d.record.is_some() && d.finding.code.level() > Level::Records;
        let (owed, owed_words) = match openings_owed(&self.protocol, self.vision) {
            Some((role, what, words)) => (Some((role, what)), Some(words)),
            None => (self.protocol.owed(), None),
        };
        let next = match (self.protocol.due(), self.protocol.stop()) {
            (NextRecord::Speech(_), Some(stop)) => stop.who.as_ref().map(|who| format!("{who}, {}", stop.ask)),
            (NextRecord::Speech(_), None) => self.next,
            _ => None,
        };
        let signatories = self.protocol.signatories().keys();
        let keys = signatories.map(|role| (role.clone(), self.protocol.keys_of(role))).collect();
        let gm = |record: &&Record| {
            let kind = &record.body().kind;
            record.body().by == Role::gm() && matches!(kind, RecordKind::Orders | RecordKind::Motion)
        };
        let by_gm = self.chosen.iter().map(|(_, record)| *record).filter(gm).map(|record| record.body().seq).collect();
        Verification {
            ids: self.chosen.iter().map(|(_, record)| record.id()).collect(),
            keys,
            by_gm,
            good: self.divergence.as_ref().map_or(walked, |divergence| divergence.seq),
            sound: walked + u32::from(self.divergence.as_ref().is_some_and(wrong_inside)),
            of: u32::try_from(self.places.len()).unwrap_or(u32::MAX),
            links: seats.map(|(role, seat)| (role.clone(), seat.used)).collect(),
            rolls: self.rolls,
            level,
            not_judged: self.not_judged,
            owed: if self.divergence.is_some() { None } else { owed },
            owed_words,
            divergence: self.divergence,
            next,
            remarks,
            aside: self.aside,
        }
    }
}

/// Under a private game master orders and their openings count together; until they are there the result cannot come.
fn openings_owed(protocol: &Protocol, vision: &Vision) -> Option<(Role, &'static str, String)> {
    let NextRecord::Result(gm) = protocol.due() else { return None };
    let (seq, _) = protocol.span().and_then(|span| span.orders)?;
    let owner = protocol.is_private().then(|| protocol.span().map(|span| span.side.clone()))??;
    let mut sealed = protocol.seals().of_role(&owner).filter(|(_, sealing)| sealing.seq == seq).peekable();
    sealed.peek()?;
    if !vision.is_of(&gm) {
        return Some((gm, "result", format!("gm owes the result, or {owner} the openings of record {seq}")));
    }
    let lacks = sealed.any(|(slot, sealing)| vision.get(&owner, slot, sealing.version).is_none());
    lacks.then(|| (owner.clone(), "openings", format!("{owner} owes the openings of record {seq}")))
}

/// New versions of what lies face down may hide it again, or do what the game allows, and no more.
fn check_resealed(
    protocol: &Protocol,
    replay: &Replay,
    record: &Record,
    data: &Data,
    before: &Holdings,
    vision: &Vision,
) -> Result<(), Finding> {
    let by = &record.body().by;
    let mut anew = data.hides().iter().filter(|hide| hide.version > 1 && is_in_state(&hide.slot)).peekable();
    // Who cannot read them all would take what he cannot see for a change.
    let readable = anew.peek().is_some() && anew.all(|hide| vision.get(by, &hide.slot, hide.version).is_some());
    if !readable {
        return Ok(());
    }
    held_against(replay, by, before, &replay.holdings(protocol, vision))
}

/// The same for what a motion hides anew, once it acts: held against the position it leads to.
fn check_rehidden(protocol: &Protocol, replay: &Replay, record: &Record, vision: &Vision) -> Result<(), Finding> {
    let seq = record.body().seq;
    let Some(moved) = protocol.put_in_force(seq).filter(|moved| !moved.motion.is_lost()) else { return Ok(()) };
    let seals = protocol.seals();
    for role in protocol.roles() {
        let mut anew = seals
            .of_role(role)
            .filter(|(slot, sealing)| is_in_state(slot) && (sealing.seq == moved.seq || sealing.seq == seq));
        let readable =
            |(slot, sealing): (&Slot, &super::seals::Sealing)| vision.get(role, slot, sealing.version).is_some();
        let some = seals
            .of_role(role)
            .any(|(slot, sealing)| is_in_state(slot) && (sealing.seq == moved.seq || sealing.seq == seq));
        if some && anew.all(readable) {
            let before = replay.holdings_of_seals(protocol, &seals.without(&[moved.seq, seq]), vision);
            held_against(replay, role, &before, &replay.holdings(protocol, vision))?;
        }
    }
    Ok(())
}

fn held_against(replay: &Replay, by: &Role, before: &Holdings, after: &Holdings) -> Result<(), Finding> {
    let view = |holdings| View { state: replay.state(), holdings, side: None };
    replay.table().resealed(view(before), view(after)).map_err(|clause| {
        let what = "what lies face down was exchanged against the rules";
        Finding::new(Code::Audit, what).signed_by(by).about(clause)
    })
}

/// Whether a record has a new version of something that lies face down in the position. What was taken back is not there
/// any more, and its slot is new again.
fn seals_anew(protocol: &Protocol, record: &Record) -> bool {
    let hides = record.body().data.get("hide").and_then(Json::as_list).unwrap_or_default();
    hides.iter().any(|hide| {
        let slot = hide.get("slot").and_then(Json::as_str).and_then(|slot| Slot::parse(slot).ok());
        slot.is_some_and(|slot| {
            let there = protocol.seals().in_force(&record.body().by, &slot, protocol.moment());
            is_in_state(&slot) && there.is_some()
        })
    })
}

fn divergence(seq: u32, record: Option<&Record>, finding: Finding, evidence: Vec<String>) -> Divergence {
    let dice = record.and_then(|record| match Data::read(record.body()) {
        Ok(Data::Closing(closing)) => Some((closing.orders, closing.link)),
        _ => None,
    });
    let record = record.map(|record| (record.body().kind.to_string(), record.body().by.clone()));
    Divergence { seq, record, finding, key: None, dice, evidence }
}

/// How each of several records for one place stands there.
fn judged<'a>(place: &Place<'_>, records: &[(&'a str, &'a Record)]) -> Vec<(&'a str, &'a Record, Result<(), Finding>)> {
    records.iter().map(|(name, record)| (*name, *record, place.sound(record))).collect()
}

fn follows(file: &LedgerFile, id: Id) -> bool {
    file.record.as_ref().is_ok_and(|record| record.body().prev == id)
}

impl Verification {
    /// The same as a verdict on some files: what was left aside of them is named, and whose key signed it.
    pub fn against(mut self, files: &[String]) -> Verification {
        let held = |aside: &&Divergence| aside.evidence.iter().any(|name| files.contains(name));
        let first = self.aside.iter().filter(held).min_by_key(|aside| aside.seq).cloned();
        if let Some(first) = first
            && self.divergence.as_ref().is_none_or(|divergence| first.seq < divergence.seq)
        {
            self.good = first.seq;
            self.level = first.finding.code.level();
            self.owed = None;
            self.divergence = Some(first);
        }
        self
    }

    /// 0 good; 1 divergence with a culprit; 2 without one; 3 good, but a record is owed; 4 rules not judged.
    pub fn exit_code(&self) -> u8 {
        match (&self.divergence, &self.not_judged, &self.owed) {
            (Some(divergence), ..) if divergence.finding.fault.is_some() => 1,
            (Some(_), ..) => 2,
            (None, Some(_), _) => 4,
            (None, None, Some(_)) => 3,
            (None, None, None) => 0,
        }
    }

    /// The report for people. `folder` is put before the names of files.
    pub fn report(&self, folder: &str) -> String {
        let mut text = String::new();
        self.write(&mut text, folder).ok();
        text
    }

    fn write(&self, out: &mut String, folder: &str) -> std::fmt::Result {
        if self.sound > 0 {
            let links: Vec<String> = self.links.iter().map(|(role, used)| format!("{used} {role}")).collect();
            let last = self.sound - 1;
            let range = if last == 0 { "record 0".to_owned() } else { format!("records 0-{last}") };
            let links = links.join(", ");
            writeln!(out, "{range} of {}: signatures good, log unbroken, links good ({links})", self.of)?;
        }
        match &self.divergence {
            Some(divergence) => divergence.write(out, folder)?,
            None => self.write_good(out)?,
        }
        for remark in &self.remarks {
            writeln!(out, "note: {remark}")?;
        }
        Ok(())
    }

    fn write_good(&self, out: &mut String) -> std::fmt::Result {
        match self.rolls {
            0 => writeln!(out, "dice: no public rolls yet")?,
            1 => writeln!(out, "dice: 1 public roll recomputed, as recorded")?,
            rolls => writeln!(out, "dice: {rolls} public rolls recomputed, all as recorded")?,
        }
        match &self.not_judged {
            Some(why) => {
                writeln!(out, "rules: not judged. {} {}", why.code, why.what)?;
                if let Some(contrast) = &why.contrast {
                    writeln!(out, "  the ledger has {}   this garcia has {}", contrast.recorded, contrast.recomputed)?;
                }
                writeln!(out, "  nobody's fault: verify with the garcia and the data files the game was begun with")?;
            }
            None if self.level >= Level::Rules => writeln!(out, "rules: every result follows from what was ordered")?,
            None => {}
        }
        if self.level == Level::Audit {
            writeln!(out, "audit: everything sealed was opened and is as stated")?;
        }
        match (&self.owed, &self.owed_words) {
            (Some(_), Some(words)) => writeln!(out, "W70-WAITING  {words}")?,
            (Some((role, what)), None) => writeln!(out, "W70-WAITING  {role} owes: {what}")?,
            (None, _) => {}
        }
        if let Some(next) = &self.next {
            writeln!(out, "next: {next}")?;
        }
        Ok(())
    }

    /// One object for programs.
    pub fn to_json(&self) -> Json {
        let mut members = vec![("ok".to_owned(), Json::Bool(self.divergence.is_none()))];
        let mut put = |name: &str, value: Option<String>| {
            members.extend(value.map(|value| (name.to_owned(), Json::Str(value))));
        };
        put("level", Some(self.level.to_string()));
        if let Some(Divergence { seq, record, finding, .. }) = &self.divergence {
            put("code", Some(finding.code.to_string()));
            put("by", record.as_ref().map(|(_, by)| by.to_string()));
            put("fault", finding.fault.as_ref().map(ToString::to_string));
            put("label", finding.label.clone());
            put("recorded", finding.contrast.as_ref().map(|c| c.recorded.clone()));
            put("recomputed", finding.contrast.as_ref().map(|c| c.recomputed.clone()));
            members.push(("seq".to_owned(), Json::from(*seq)));
        } else {
            let waiting = self.owed.as_ref().map(|_| "W70-WAITING".to_owned());
            put("code", self.not_judged.as_ref().map(|why| why.code.to_string()).or(waiting));
            put("by", self.owed.as_ref().map(|(role, _)| role.to_string()));
            members.push(("seq".to_owned(), Json::from(self.good)));
        }
        Json::Map(members.into_iter().collect())
    }
}

impl Divergence {
    /// In one line: a record that was left aside, and why.
    fn aside(&self) -> String {
        let name = self.evidence.first().map(|name| visible(name)).unwrap_or_default();
        let signed = match (&self.record, &self.finding.fault) {
            (Some((_, by)), Some(_)) => format!(", signed by {by}"),
            _ => String::new(),
        };
        format!("left aside: {name}: {}{signed}: {}", self.finding.code, self.finding.what)
    }

    /// The report for people. `folder` is put before the names of files.
    pub fn report(&self, folder: &str) -> String {
        let mut text = String::new();
        self.write(&mut text, folder).ok();
        text
    }

    fn write(&self, out: &mut String, folder: &str) -> std::fmt::Result {
        let Finding { code, fault, what, label, sides, contrast } = &self.finding;
        match &self.record {
            // Up to step 3 nobody is known to have signed it.
            Some((kind, by)) if *code != Code::Signature => {
                writeln!(out, "FIRST DIVERGENCE  record {}, {kind}, signed by {by}", self.seq)?;
            }
            Some((kind, by)) => writeln!(out, "FIRST DIVERGENCE  record {}, {kind}, said to be by {by}", self.seq)?,
            None => writeln!(out, "FIRST DIVERGENCE  record {}", self.seq)?,
        }
        match (label, &**sides) {
            (Some(label), []) => writeln!(out, "  {code}  {label}")?,
            (Some(label), sides) => writeln!(out, "  {code}  {label}   {}", dice_words(sides))?,
            (None, _) => writeln!(out, "  {code}")?,
        }
        writeln!(out, "  {what}")?;
        match contrast {
            Some(contrast) if *code == Code::Fork => {
                writeln!(out, "  the one {}   the other {}", contrast.recorded, contrast.recomputed)?;
            }
            Some(contrast) => writeln!(out, "  recorded {}   recomputed {}", contrast.recorded, contrast.recomputed)?,
            None => {}
        }
        match fault {
            Some(fault) if *code == Code::Roll => {
                let orders = self.seq.saturating_sub(1);
                writeln!(out, "  fault: {fault}. Orders (record {orders}), link and seed are undisputed.")?;
            }
            Some(fault) => writeln!(out, "  fault: {fault}, whose key signed it. {}", self.advice())?,
            None => writeln!(out, "  fault: nobody. {}", self.advice())?,
        }
        if let Some(key) = &self.key {
            writeln!(out, "  signed with the key {key}")?;
        }
        if let (Code::Roll, Some((orders, link)), Some(label)) = (code, &self.dice, label) {
            let sides: Vec<String> = sides.iter().map(|die| die.sides().to_string()).collect();
            let sides = sides.join(",");
            writeln!(
                out,
                "  check it yourself: garcia roll --orders {orders} --link {link} --label {label} --sides {sides}"
            )?;
        } else if let Some(command) = contrast.as_ref().and_then(|contrast| contrast.check.as_ref()) {
            writeln!(out, "  check it yourself: {command}")?;
        } else if !folder.is_empty() && code.level() <= Level::Dice {
            writeln!(out, "  check it yourself: python3 examples/verify.py {}", folder.trim_end_matches('/'))?;
        } else if !folder.is_empty() {
            writeln!(out, "  check it yourself: garcia verify {}", folder.trim_end_matches('/'))?;
        }
        if !self.evidence.is_empty() {
            // A record from elsewhere is named with its whole path.
            let place = |name: &String| if name.contains('/') { name.clone() } else { format!("{folder}{name}") };
            let files: Vec<String> = self.evidence.iter().map(place).collect();
            writeln!(out, "  evidence: {}", files.join(" "))?;
        }
        Ok(())
    }

    /// What a game master should know about it, or what to do.
    fn advice(&self) -> &'static str {
        match self.finding.code {
            Code::Armour | Code::Canon | Code::Signature => {
                "It was damaged or forged: ask for it again, and compare the other side's copy."
            }
            Code::Game => "It belongs into another folder.",
            Code::Gap => "Ask both sides for their ledgers; `garcia compare` shows where they part.",
            Code::Fork => "Both files are needed to prove it; keep them. The first one that was answered stands.",
            Code::Kind => "It was not the record due here, so it counts for nothing; the right one is still owed.",
            Code::Schema => "Most likely a fault of the program that made it; it counts for nothing.",
            Code::Index | Code::Link => "The link was fixed before the game by the anchor in the first records.",
            Code::RollSet => "The orders and the rules call for just these rolls, openings and claims, in this order.",
            Code::State => "A result follows from the orders and the dice; the ledger holds the hash of the position.",
            Code::Reveal | Code::NoReveal => "What was sealed before can be opened in one way only.",
            Code::Audit => "What was stated during the game is not what the audit opened.",
            Code::Withheld => "The game counts as unaudited.",
            Code::Bug => "This is a fault of the program; please report it with the ledger.",
            _ => "",
        }
    }
}
