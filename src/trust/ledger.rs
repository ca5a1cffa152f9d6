//! A game as its records make it: replayed, and continued record by record.

use std::collections::BTreeMap;

use super::chain::LINKS;
use super::data::{Answer, Data, Genesis, Mode};
use super::finding::{Code, Finding};
use super::home::{GameFile, Home, NotSigned, Sealed};
use super::key::PrivateKey;
use super::protocol::{NextRecord, Protocol};
use super::record::{Body, NotARecord, Record, RecordKind};
use super::replay::{Inputs, Replay, Vision, rules_hash};
use super::role::Role;
use super::secret::GameSecret;
use super::store::FileTrouble;
use crate::engine::json::Json;
use crate::engine::{AnyOutcome, Charter, Failure, Holdings, Key, Match, Side, Slot, Stop};

/// A ledger together with the position it leads to.
#[derive(Clone)]
pub struct Ledger {
    pub(super) records: Vec<Record>,
    pub(super) protocol: Protocol,
    pub(super) replay: Replay,
    pub(super) vision: Vision,
}

/// Why a ledger could not be continued.
#[derive(Debug, thiserror::Error)]
pub enum LedgerTrouble {
    /// A record is wrong.
    #[error("record {seq}: {finding}")]
    Finding {
        /// Which.
        seq: u32,
        /// What is wrong with it.
        finding: Box<Finding>,
    },
    /// It is somebody else's move, or the game is over.
    #[error("{0}")]
    NotDue(String),
    /// Nothing was signed.
    #[error(transparent)]
    NotSigned(#[from] NotSigned),
    /// The player's own orders or hidden units break a rule; nothing was signed.
    #[error("{0}")]
    Refused(String),
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileTrouble),
    /// The record could not be made.
    #[error(transparent)]
    Record(#[from] NotARecord),
    /// The operating system gave no randomness.
    #[error("no randomness from the operating system: {0}")]
    Random(#[from] getrandom::Error),
}

impl LedgerTrouble {
    pub(super) fn at(seq: u32) -> impl FnOnce(Finding) -> LedgerTrouble {
        move |finding| LedgerTrouble::Finding { seq, finding: Box::new(finding) }
    }
}

/// A key and the secrets that go with it: what is needed to sign for a role.
pub struct Pen<'a> {
    /// The player's key.
    pub key: &'a PrivateKey,
    /// The role's secrets of this game.
    pub file: &'a mut GameFile,
}

/// What a player who seals nothing says for one side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Speech {
    /// The packet, checked and written out; none where only answers are due.
    pub orders: Option<Json>,
    /// Policies for the side's own packet, by kind.
    pub policies: BTreeMap<String, Json>,
    /// Standing orders for the other side's packets, by kind; they stand until replaced.
    pub standing: BTreeMap<String, Json>,
    /// Answers to the questions of the last stop.
    pub answers: Vec<Answer>,
    /// SHA-256 of the plain file it was entered from.
    pub file: Option<super::bytes::Id>,
    /// A message to the other players.
    pub note: Option<String>,
}

/// What a game is to be played with.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// Scenario, options and data.
    pub charter: Charter,
    /// Option `questions`: stop where nothing was said.
    pub ask: bool,
    /// How many answer stops each side may cause in one span.
    pub max_asks: Option<u32>,
    /// A remark.
    pub note: Option<String>,
    /// The key of a director.
    pub director: Option<super::bytes::Id>,
    /// The founder's recovery key.
    pub recovery: Option<super::bytes::Id>,
}

/// Who takes part in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Company {
    /// One person plays all sides.
    Solo,
    /// Two players; the first one makes the offer.
    Two(Role, Role),
    /// A game master, and the players who sign for themselves, in joining order.
    Gm(Vec<Role>),
    /// The same with sealed values, which only the game master and their owner can read.
    PrivateGm(Vec<Role>),
}

impl Company {
    /// Who signs the genesis.
    pub fn founder(&self) -> Role {
        match self {
            Company::Solo => Role::solo(),
            Company::Two(founder, _) => founder.clone(),
            Company::Gm(_) | Company::PrivateGm(_) => Role::gm(),
        }
    }
}

impl Terms {
    fn genesis(
        self,
        table: &dyn Match,
        company: Company,
        key: &PrivateKey,
        (secret, links): (&GameSecret, u32),
    ) -> Result<Body, NotARecord> {
        let role = company.founder();
        let first = table.ruleset().about().scenarios.first().map_or("", |scenario| scenario.id);
        let scenario = if self.charter.scenario.is_empty() { first.to_owned() } else { self.charter.scenario };
        let mut options = self.charter.options;
        options.insert("questions".to_owned(), if self.ask { "ask" } else { "default" }.to_owned());
        let private = matches!(company, Company::PrivateGm(_)).then_some(true);
        let (mode, opponent, players) = match company {
            Company::Solo => (Mode::Solo, None, None),
            Company::Two(_, opponent) => (Mode::TwoPlayer, Some(opponent), None),
            Company::Gm(players) | Company::PrivateGm(players) => (Mode::Gm, None, Some(players)),
        };
        let genesis = Genesis {
            mode,
            ruleset: table.ruleset().id().to_owned(),
            scenario: Some(scenario),
            options: Some(options),
            rules_sha256: rules_hash(table),
            engine: table.ruleset().engine(),
            key: key.public(),
            anchor: secret.chain(&role, links).anchor(),
            links: LINKS,
            opponent,
            players,
            director: self.director,
            recovery: self.recovery,
            max_asks: self.max_asks,
            private,
            note: self.note,
        };
        Protocol::new().body(&role, &Data::Genesis(Box::new(genesis)))
    }
}

impl Ledger {
    /// Begins a game: makes the founder's secret, keeps it in `home`, and signs the genesis.
    pub fn begin(
        table: Box<dyn Match>,
        company: Company,
        terms: Terms,
        home: &Home,
    ) -> Result<(Ledger, GameFile), LedgerTrouble> {
        Ledger::begin_with(table, company, terms, home, LINKS)
    }

    /// The same with a chain of another length than the genesis says; it runs out, or is of no use.
    pub(super) fn begin_with(
        table: Box<dyn Match>,
        company: Company,
        terms: Terms,
        home: &Home,
        links: u32,
    ) -> Result<(Ledger, GameFile), LedgerTrouble> {
        let (key, secret) = (home.identity()?, home.fresh_secret()?);
        let founder = company.founder();
        let body = terms.genesis(&*table, company, &key, (&secret, links))?;
        let file = home.begin_game(body.id(), founder, secret, links)?;
        Ledger::found(table, body, &key, file)
    }

    /// The same without any file: for a demonstration, whose secrets need not outlive it.
    pub fn begin_in_memory(
        table: Box<dyn Match>,
        company: Company,
        terms: Terms,
        key: &PrivateKey,
        secret: GameSecret,
    ) -> Result<(Ledger, GameFile), LedgerTrouble> {
        let founder = company.founder();
        let body = terms.genesis(&*table, company, key, (&secret, LINKS))?;
        let file = GameFile::in_memory(body.id(), founder, secret, LINKS);
        Ledger::found(table, body, key, file)
    }

    fn found(
        table: Box<dyn Match>,
        genesis: Body,
        key: &PrivateKey,
        mut file: GameFile,
    ) -> Result<(Ledger, GameFile), LedgerTrouble> {
        // Nothing is signed that could not be read back.
        let mut protocol = Protocol::new();
        protocol.accept(&genesis, genesis.id()).map_err(LedgerTrouble::at(0))?;
        let record = file.sign(genesis, &[], key)?;
        Ok((Ledger::read(vec![record], |_| Ok(table), Vision::of(&file))?, file))
    }

    /// Replays records in the widest view there is; the first wrong one ends it.
    ///
    /// `lay` lays the table that the genesis describes.
    pub fn read(
        records: Vec<Record>,
        lay: impl FnOnce(&Genesis) -> Result<Box<dyn Match>, Finding>,
        vision: Vision,
    ) -> Result<Ledger, LedgerTrouble> {
        Ledger::read_by(records, lay, vision, seat)
    }

    /// A private game master who lacks openings cannot close: whose, and of which record, in words.
    pub fn openings_lacking(&self) -> Option<String> {
        let owed = super::verify::openings_owed(self.protocol(), &self.vision);
        owed.filter(|(_, what, _)| *what == "openings").map(|(.., words)| words)
    }

    /// The same for a game that was begun with another version of the rules: its position is not known here.
    pub fn read_asleep(
        records: Vec<Record>,
        lay: impl FnOnce(&Genesis) -> Result<Box<dyn Match>, Finding>,
        vision: Vision,
    ) -> Result<Ledger, LedgerTrouble> {
        let place = |table: Box<dyn Match>, genesis: &Genesis, founder: &Role, records: &[Record]| match (
            genesis.engine.clone(),
            genesis.rules_sha256,
        ) == version(
            &*table,
        ) {
            true => seat(table, genesis, founder, records),
            false => Replay::asleep(table, genesis),
        };
        Ledger::read_by(records, lay, vision, place)
    }

    fn read_by(
        records: Vec<Record>,
        lay: impl FnOnce(&Genesis) -> Result<Box<dyn Match>, Finding>,
        vision: Vision,
        place: impl FnOnce(Box<dyn Match>, &Genesis, &Role, &[Record]) -> Result<Replay, Finding>,
    ) -> Result<Ledger, LedgerTrouble> {
        let first = records.first().ok_or_else(|| LedgerTrouble::NotDue("there is no record yet".to_owned()))?;
        let mut protocol = Protocol::new();
        protocol.take(first).map_err(LedgerTrouble::at(0))?;
        let Some((genesis, founder)) = protocol.genesis().cloned().zip(protocol.founder().cloned()) else {
            return Err(LedgerTrouble::NotDue("the first record is no genesis".to_owned()));
        };
        let (signed, judged) = std::thread::scope(|scope| {
            // Signatures are a good part of the work, and the rules need not wait for them.
            let signed = scope.spawn(|| all_signed(&records));
            let seated = lay(&genesis).and_then(|table| place(table, &genesis, &founder, &records));
            let judged = seated.map_err(|finding| (0, finding)).and_then(|mut replay| {
                for record in records.iter().skip(1) {
                    let seq = protocol.next();
                    follow(&mut protocol, &mut replay, &vision, record).map_err(|finding| (seq, finding))?;
                }
                Ok(replay)
            });
            (signed.join(), judged)
        });
        let signed = signed.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        // Of two wrong records the first is named; of one, that it was not signed.
        let wrong = match (signed, judged) {
            (Ok(()), Ok(replay)) => return Ok(Ledger { records, protocol, replay, vision }),
            (Err(unsigned), Ok(_)) => unsigned,
            (Ok(()), Err(wrong)) => wrong,
            (Err(unsigned), Err(wrong)) if unsigned.0 <= wrong.0 => unsigned,
            (Err(_), Err(wrong)) => wrong,
        };
        let (seq, finding) = wrong;
        Err(LedgerTrouble::at(seq)(finding))
    }

    /// Adds the next record, if it is right in every respect that can be judged; otherwise nothing changes.
    pub fn append(&mut self, record: Record) -> Result<(), LedgerTrouble> {
        let (mut protocol, mut replay) = (self.protocol.clone(), self.replay.clone());
        let at = LedgerTrouble::at(protocol.next());
        step(&mut protocol, &mut replay, &self.vision, &record).map_err(at)?;
        (self.protocol, self.replay) = (protocol, replay);
        self.records.push(record);
        Ok(())
    }

    /// The ledger as it stood with its first records alone.
    pub fn upto(&self, len: usize) -> Result<Ledger, LedgerTrouble> {
        let begun = self.protocol.genesis().is_some_and(|genesis| self.replay.plays(genesis));
        let mut protocol = Protocol::new();
        let mut replay = self.replay.from_the_start(begun).map_err(LedgerTrouble::at(0))?;
        let records: Vec<Record> = self.records.iter().take(len).cloned().collect();
        for record in &records {
            let at = LedgerTrouble::at(protocol.next());
            follow(&mut protocol, &mut replay, &self.vision, record).map_err(at)?;
        }
        Ok(Ledger { records, protocol, replay, vision: self.vision.clone() })
    }

    /// The same ledger in another view.
    pub fn seen_by(self, vision: Vision) -> Ledger {
        Ledger { vision, ..self }
    }

    /// The records.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The records' side of it: who is due, what was committed.
    pub fn protocol(&self) -> &Protocol {
        &self.protocol
    }

    /// The rules' side of it: the position, the questions, the journal.
    pub fn replay(&self) -> &Replay {
        &self.replay
    }

    /// What this view knows of hidden things.
    ///
    /// Whose packet mixes face-down counters as it is signed sees them mixed before he writes it: his orders name counters.
    pub fn holdings(&self) -> Holdings {
        let mut all = self.replay.holdings(&self.protocol, &self.vision);
        let next = self.replay.stop();
        if self.protocol.is_private()
            && matches!(next, Stop::Orders { .. })
            && let Some(side) = next.who()
            && let Ok(role) = side.as_str().parse()
            && self.vision.is_of(&role)
        {
            let mixed = self.mixed_anew(&self.protocol, &self.replay, side);
            all.0.extend(mixed.into_iter().map(|(slot, value)| ((side, slot), value)));
        }
        all
    }

    /// What one side may know of hidden things, out of what this view knows.
    pub fn holdings_of(&self, side: Side) -> Holdings {
        let public = self.replay.holdings(&self.protocol, &Vision::public());
        let mut all = self.holdings();
        let sealed = self.protocol.seals_values();
        all.0.retain(|at, _| at.0 == side || sealed && public.0.contains_key(at));
        all
    }

    /// The standing orders of a side in force, by kind, as far as this view can read them.
    pub fn standing_of(&self, side: Side) -> BTreeMap<String, Json> {
        let Ok(role) = side.as_str().parse::<Role>() else { return BTreeMap::new() };
        let policy = |kind: &'static str| {
            let slot = Slot::standing(kind);
            let latest = self.protocol.seals().next_version(&role, &slot).checked_sub(1)?;
            let sealed = self.vision.get(&role, &slot, latest).and_then(|value| value.get("policy"));
            let open = || self.protocol.standing().get(&(role.clone(), kind.to_owned()));
            Some((kind.to_owned(), sealed.or_else(open)?.clone()))
        };
        self.replay.standing_kinds(side).filter_map(policy).collect()
    }

    /// The side that has to speak now, if one has.
    pub fn to_speak(&self) -> Option<Side> {
        match self.protocol.due() {
            NextRecord::Speech(_) => self.replay.stop().who(),
            _ => None,
        }
    }

    /// Runs the span in hand ahead with answers to its open questions, up to the next die. Nothing is signed.
    pub fn try_out(&self, answers: &BTreeMap<Key, Json>) -> Result<AnyOutcome, Failure> {
        let inputs = self.replay.inputs_of_answers(&self.protocol, &self.vision, answers);
        let inputs = inputs.and_then(|inputs| self.replay.foreseen(inputs, &self.vision));
        self.replay.probe(&inputs.map_err(|finding| Failure::Bug(finding.to_string()))?)
    }

    /// Where the game would stand after a record that is not signed yet.
    pub(super) fn ahead(&self, body: &Body, sealed: &[Sealed]) -> Result<(Protocol, Replay, Vision), LedgerTrouble> {
        let (mut protocol, mut replay, mut vision) = (self.protocol.clone(), self.replay.clone(), self.vision.clone());
        for (slot, version, value) in sealed {
            vision.add(&body.by, slot, *version, value.clone());
        }
        let at = LedgerTrouble::at(protocol.next());
        let inputs = before(&protocol, &replay, &vision);
        let data = inputs.and_then(|inputs| Ok((protocol.accept(body, body.id())?, inputs)));
        data.and_then(|(data, inputs)| judge(&protocol, &mut replay, body, &data, inputs)).map_err(at)?;
        Ok((protocol, replay, vision))
    }

    /// Signs the next record. It is judged first: what is signed stands.
    pub(super) fn sign(&mut self, data: &Data, sealed: &[Sealed], pen: &mut Pen<'_>) -> Result<Record, LedgerTrouble> {
        let body = self.protocol.body(pen.file.role(), data)?;
        let (protocol, replay, vision) = self.ahead(&body, sealed)?;
        let record = pen.file.sign(body, sealed, pen.key)?;
        (self.protocol, self.replay, self.vision) = (protocol, replay, vision);
        self.records.push(record.clone());
        Ok(record)
    }
}

/// What the table of a game is laid with; data files of a player's own come from outside the ledger.
pub fn charter(genesis: &Genesis, data: BTreeMap<String, String>) -> Charter {
    let mut options = genesis.options.clone().unwrap_or_default();
    // An option of the protocol, which no game knows.
    options.remove("questions");
    Charter { scenario: genesis.scenario.clone().unwrap_or_default(), options, data }
}

impl Protocol {
    /// The body of the next record.
    pub fn body(&self, by: &Role, data: &Data) -> Result<Body, NotARecord> {
        Ok(Body {
            by: by.clone(),
            data: data.to_json()?,
            game: self.game(),
            kind: data.kind(),
            prev: self.head(),
            seq: self.next(),
        })
    }
}

/// A table for the game, which may have been begun with another version of the rules and brought to this one since.
pub(super) fn seat(
    table: Box<dyn Match>,
    genesis: &Genesis,
    founder: &Role,
    records: &[Record],
) -> Result<Replay, Finding> {
    let here = |record: &Record| {
        let said = |name: &str| record.body().data.get(name).and_then(Json::as_str).map(str::to_owned);
        record.body().kind == RecordKind::Motion
            && said("engine") == Some(table.ruleset().engine())
            && said("rules_sha256") == Some(rules_hash(&*table).to_string())
    };
    match records.iter().any(here) && (genesis.engine.clone(), genesis.rules_sha256) != version(&*table) {
        true => Replay::asleep(table, genesis),
        false => Replay::new(table, genesis, founder),
    }
}

fn version(table: &dyn Match) -> (String, super::bytes::Id) {
    (table.ruleset().engine(), rules_hash(table))
}

/// Whether every record is signed by the one who says so, as far as they stand in order; otherwise the first that is not.
fn all_signed(records: &[Record]) -> Result<(), (u32, Finding)> {
    let mut protocol = Protocol::new();
    for record in records {
        let seq = protocol.next();
        protocol.take(record).map_err(|finding| (seq, finding))?;
    }
    Ok(())
}

/// Takes one record, by the protocol and by the rules.
fn step(protocol: &mut Protocol, replay: &mut Replay, vision: &Vision, record: &Record) -> Result<Data, Finding> {
    protocol.check_signature(record)?;
    follow(protocol, replay, vision, record)
}

/// The same for a record whose signature was checked before.
pub(super) fn follow(
    protocol: &mut Protocol,
    replay: &mut Replay,
    vision: &Vision,
    record: &Record,
) -> Result<Data, Finding> {
    let inputs = before(protocol, replay, vision)?;
    let data = protocol.accept(record.body(), record.id())?;
    judge(protocol, replay, record.body(), &data, inputs)?;
    Ok(data)
}

/// What stood before a result; its own openings must not count as known.
fn before(protocol: &Protocol, replay: &Replay, vision: &Vision) -> Result<Option<Inputs>, Finding> {
    match protocol.due() {
        NextRecord::Result(_) if replay.is_awake() => replay.inputs(protocol, vision).map(Some),
        _ => Ok(None),
    }
}

pub(super) fn judge(
    protocol: &Protocol,
    replay: &mut Replay,
    body: &Body,
    data: &Data,
    inputs: Option<Inputs>,
) -> Result<(), Finding> {
    match data {
        Data::Motion(motion) => {
            replay.check_tickets(protocol, &protocol.owner_of(body), data.hides())?;
            return replay.hear_motion(protocol, body, motion);
        }
        Data::Accept(_) | Data::Decline(_) => return replay.settle(protocol, body.seq),
        // Of what was played with another version nothing is judged here.
        _ if !replay.is_awake() => return Ok(()),
        _ => {}
    }
    replay.check_tickets(protocol, &body.by, data.hides())?;
    match (data, inputs) {
        (Data::Plan(_) | Data::Orders(_), _) => replay.hear(protocol, body.seq, &body.by, data),
        (Data::Closing(closing), Some(inputs)) => {
            // A director closes as the role he signs for would have to; what is wrong in it is his.
            let closer = closing.role.as_ref().unwrap_or(&body.by);
            replay.judge(inputs, closer, closing).map_err(|finding| match finding.fault.as_ref() == Some(closer) {
                true => finding.signed_by(&body.by),
                false => finding,
            })?;
            replay.mark_edge(body.seq);
            Ok(())
        }
        (Data::Audit(_), _) if *replay.stop() != Stop::End => {
            Err(Finding::new(Code::Kind, "an audit before the end of the game").signed_by(&body.by))
        }
        (Data::Audit(_), _) => replay.check_all_marks(protocol, &body.by),
        _ => Ok(()),
    }
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
