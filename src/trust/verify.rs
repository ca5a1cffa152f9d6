//! `garcia verify`: walks a ledger from its first record and names the first one that is wrong.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::bytes::Id;
use super::data::{Data, Genesis, Mode, RollSaid};
use super::finding::{Code, Finding, Level, dice_words};
use super::ledger::follow;
use super::protocol::{NextRecord, Protocol};
use super::record::{Record, RecordKind};
use super::replay::{Replay, Vision};
use super::role::Role;
use super::seals::is_in_state;
use super::store::{LedgerFile, LedgerFiles};
use crate::engine::json::Json;
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
    /// Who speaks next, and about what.
    pub next: Option<String>,
    /// Things listed without a verdict.
    pub remarks: Vec<String>,
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
    let mut pass = Pass::new(&places, found);
    pass.records();
    let audited = pass.is_audited();
    if audited {
        let open = Vision::after_audits(&pass.protocol);
        pass.rules(lay, &open);
    } else {
        pass.rules(lay, vision);
    }
    pass.finish(audited)
}

/// One pass through the files.
struct Pass<'a> {
    places: &'a Places<'a>,
    found: &'a LedgerFiles,
    protocol: Protocol,
    chosen: Vec<(&'a str, &'a Record)>,
    rolls: usize,
    judged: bool,
    not_judged: Option<Finding>,
    divergence: Option<Divergence>,
    next: Option<String>,
    remarks: Vec<String>,
}

impl<'a> Pass<'a> {
    fn new(places: &'a Places<'a>, found: &'a LedgerFiles) -> Pass<'a> {
        Pass {
            places,
            found,
            protocol: Protocol::new(),
            chosen: Vec::new(),
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
    fn rules(&mut self, lay: &Lay<'_>, vision: &Vision) {
        let good = usize::try_from(self.protocol.next()).unwrap_or(usize::MAX);
        let Some((genesis, founder)) = self.protocol.genesis().zip(self.protocol.founder()) else { return };
        let Some((_, first)) = self.chosen.first() else { return };
        let mut replay = match lay(genesis).and_then(|table| Replay::new(table, genesis, founder)) {
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
        let mut protocol = Protocol::new();
        for (_, record) in self.chosen.iter().take(good) {
            let here = protocol.next();
            // What lay face down before is looked at only where something is sealed anew.
            let seals = seals_anew(record);
            let before = seals.then(|| replay.holdings(&protocol, vision));
            let followed = follow(&mut protocol, &mut replay, vision, record);
            let resealed = followed.and_then(|data| match before {
                Some(before) => check_resealed(&protocol, &replay, record, &data, &before, vision),
                None => Ok(()),
            });
            if let Err(finding) = resealed {
                self.divergence = Some(self.blame(&protocol, here, record, finding));
                return;
            }
        }
        let stop = replay.stop();
        self.next = stop.who().map(|who| format!("{who}, {}", stop.ask()));
    }

    /// The record for the next place; several files for one place are one record, a stray one, or a fork.
    fn choose(&mut self, seq: u32, files: &[&'a LedgerFile]) -> Result<(&'a str, &'a Record), Box<Divergence>> {
        let mut distinct: Vec<(&'a str, &'a Record)> = Vec::new();
        for file in files {
            if let Ok(record) = &file.record
                && !distinct.iter().any(|(_, other)| *other == record)
            {
                distinct.push((&file.name, record));
            }
        }
        if let [only] = distinct.as_slice() {
            return Ok(*only);
        }
        let mut valid = distinct.clone();
        valid.retain(|(_, record)| self.protocol.clone().take(record).is_ok());
        // Of several who accept one offer, the one the next record names is in.
        let named = |id: Id| self.places.get(&(seq + 1)).is_some_and(|next| next.iter().any(|f| follows(f, id)));
        if valid.len() > 1 && matches!(self.protocol.due(), NextRecord::Join(_)) {
            valid.retain(|(_, record)| named(record.id()));
        }
        match valid.as_slice() {
            [(name, record)] => {
                let strays = files.iter().filter(|other| other.name != *name).map(|other| other.name.as_str());
                self.remarks.push(format!("left aside: {}", strays.collect::<Vec<_>>().join(" ")));
                Ok((name, record))
            }
            [(one, first), (other, second), ..] => {
                let by = &first.body().by;
                let what = "two validly signed records for one place";
                let finding = Finding::new(Code::Fork, what).signed_by(by).not(first.id(), second.id());
                let evidence = vec![(*one).to_owned(), (*other).to_owned()];
                Err(Box::new(self.with_key(divergence(seq, Some(first), finding, evidence))))
            }
            [] => match (distinct.first(), files.first()) {
                (Some(chosen), _) => Ok(*chosen),
                (None, Some(file)) => {
                    let why = file.record.as_ref().err().map(ToString::to_string).unwrap_or_default();
                    let finding = Finding::new(Code::Canon, why);
                    Err(Box::new(divergence(seq, None, finding, vec![file.name.clone()])))
                }
                (None, None) => Err(Box::new(divergence(seq, None, Finding::new(Code::Gap, "missing"), vec![]))),
            },
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
        match self.protocol.mode() {
            Mode::Solo if self.protocol.genesis().is_some() => {
                remarks.push("solo: dice committed, not shared".to_owned())
            }
            Mode::Gm => remarks.push("game master: dice committed by the game master, not by an opponent".to_owned()),
            _ => {}
        }
        for seq in self.protocol.written_by_gm() {
            remarks.push(format!("record {seq}: written by the game master; its dice rest on his word"));
        }
        remarks.extend(self.found.problems.iter().filter(|p| p.contains("not named like a record")).cloned());
        // A record whose signature, place and link are good can still say something wrong.
        let walked = self.protocol.next();
        let wrong_inside =
            |d: &Divergence| d.seq == walked && d.record.is_some() && d.finding.code.level() > Level::Records;
        let next = match (self.protocol.due(), self.protocol.stop()) {
            (NextRecord::Speech(_), Some(stop)) => stop.who.as_ref().map(|who| format!("{who}, {}", stop.ask)),
            (NextRecord::Speech(_), None) => self.next,
            _ => None,
        };
        Verification {
            good: self.divergence.as_ref().map_or(walked, |divergence| divergence.seq),
            sound: walked + u32::from(self.divergence.as_ref().is_some_and(wrong_inside)),
            of: u32::try_from(self.places.len()).unwrap_or(u32::MAX),
            links: seats.map(|(role, seat)| (role.clone(), seat.used)).collect(),
            rolls: self.rolls,
            level,
            not_judged: self.not_judged,
            owed: if self.divergence.is_some() { None } else { self.protocol.owed() },
            divergence: self.divergence,
            next,
            remarks,
        }
    }
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
    let after = replay.holdings(protocol, vision);
    let view = |holdings| View { state: replay.state(), holdings, side: None };
    replay.table().resealed(view(before), view(&after)).map_err(|clause| {
        let what = "what lies face down was exchanged against the rules";
        Finding::new(Code::Audit, what).signed_by(by).about(clause)
    })
}

/// Whether a record has a new version of something that lies face down in the position.
fn seals_anew(record: &Record) -> bool {
    let hides = record.body().data.get("hide").and_then(Json::as_list).unwrap_or_default();
    let in_state = |slot: &str| Slot::parse(slot).is_ok_and(|slot| is_in_state(&slot));
    hides.iter().any(|hide| {
        let again = hide.get("version").and_then(Json::as_int).is_some_and(|version| version > 1);
        again && hide.get("slot").and_then(Json::as_str).is_some_and(in_state)
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

fn follows(file: &LedgerFile, id: Id) -> bool {
    file.record.as_ref().is_ok_and(|record| record.body().prev == id)
}

impl Verification {
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
        if let Some((role, what)) = &self.owed {
            writeln!(out, "W70-WAITING  {role} owes: {what}")?;
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
