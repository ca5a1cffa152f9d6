//! `garcia verify`: walks a ledger from its first record and names the first one that is wrong.

mod choice;
mod report;
mod resealed;

use std::collections::BTreeMap;

use self::resealed::{check_rehidden, check_resealed, seals_anew};
use super::bytes::Id;
use super::compare::Copy;
use super::data::{Data, Genesis, Mode, RollSaid};
use super::finding::{Code, Finding, Level};
use super::ledger::{follow, seat};
use super::protocol::{NextRecord, Protocol};
use super::record::{Record, RecordKind};
use super::replay::{MARK, Replay, Vision};
use super::role::Role;
use super::store::{LIES, LedgerFile, LedgerFiles, STRANGER};
use crate::engine::json::Json;
use crate::engine::{Match, Slot};

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
    /// After the end, while an audit is owed: what each who sealed something has opened of it.
    pub audits: Vec<(Role, Opened)>,
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

/// What a role has opened, after the end, of all it sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    /// Everything: its audit is in.
    Audited,
    /// Nothing: its audit is owed.
    Owed {
        /// How many values it sealed and never opened.
        sealed: usize,
        /// How many of them this view holds all the same: what was left with a director.
        held: usize,
    },
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
        // Whoever has audited is held to it, though another has not.
        let mut seen = vision.clone();
        seen.see_audits(&pass.protocol);
        pass.rules(&seen);
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

    /// What everybody has opened, while somebody owes it.
    fn opened(&self) -> Vec<(Role, Opened)> {
        let NextRecord::Audit(owing) = self.protocol.due() else { return Vec::new() };
        let seals = self.protocol.seals();
        let of = |role: &Role| {
            if self.protocol.audits().contains_key(role) {
                return (role.clone(), Opened::Audited);
            }
            let closed = seals.of_role(role).filter(|(slot, s)| seals.opening(role, slot, s.version).is_none());
            // One's own values are no news; those of somebody else were left here.
            let held =
                |slot: &Slot, version| !self.vision.is_of(role) && self.vision.get(role, slot, version).is_some();
            let held: Vec<bool> = closed.map(|(slot, sealing)| held(slot, sealing.version)).collect();
            let (sealed, held) = (held.len(), held.into_iter().filter(|held| *held).count());
            (role.clone(), Opened::Owed { sealed, held })
        };
        let all = self.protocol.roles().iter().filter(|role| seals.has_sealed(role));
        if owing.is_empty() || self.divergence.is_some() { Vec::new() } else { all.map(of).collect() }
    }

    fn finish(self, audited: bool) -> Verification {
        let audits = self.opened();
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
            audits,
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
pub(super) fn openings_owed(protocol: &Protocol, vision: &Vision) -> Option<(Role, &'static str, String)> {
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

fn divergence(seq: u32, record: Option<&Record>, finding: Finding, evidence: Vec<String>) -> Divergence {
    let dice = record.and_then(|record| match Data::read(record.body()) {
        Ok(Data::Closing(closing)) => Some((closing.orders, closing.link)),
        _ => None,
    });
    let record = record.map(|record| (record.body().kind.to_string(), record.body().by.clone()));
    Divergence { seq, record, finding, key: None, dice, evidence }
}
