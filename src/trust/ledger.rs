//! A game as its records make it: replayed, and continued record by record.

use std::collections::BTreeMap;

use super::data::{Answer, Data, Genesis, Mode, Orders};
use super::finding::{Code, Finding};
use super::hex::Id;
use super::home::{GameFile, Home, NotSigned};
use super::key::PrivateKey;
use super::record::{Body, NotARecord, Record};
use super::referee::{Referee, Vision, rules_hash};
use super::role::Role;
use super::secret::GameSecret;
use super::store::FileTrouble;
use super::walk::{Due, Walk};
use crate::engine::json::Json;
use crate::engine::{AnyOutcome, Charter, Failure, Holdings, Key, Match, Side};

/// A ledger together with the position it leads to.
pub struct Ledger {
    records: Vec<Record>,
    walk: Walk,
    referee: Referee,
    vision: Vision,
}

/// Why a ledger could not be continued.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
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

impl Trouble {
    fn at(seq: u32) -> impl FnOnce(Finding) -> Trouble {
        move |finding| Trouble::Finding { seq, finding: Box::new(finding) }
    }
}

/// A key and the secrets that go with it: what is needed to sign for a role.
pub struct Pen<'a> {
    /// The player's key.
    pub key: &'a PrivateKey,
    /// The role's secrets of this game.
    pub file: &'a mut GameFile,
}

/// What a solo player says for one side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Speech {
    /// The packet, checked and written out; none where only answers are due.
    pub orders: Option<Json>,
    /// Policies for the side's own packet, by kind.
    pub policies: BTreeMap<String, Json>,
    /// Standing orders for the other side's packets, by kind; they stand until replaced.
    pub standing: BTreeMap<String, Json>,
    /// Answers to the questions of the last stop.
    pub answers: Vec<Answer>,
}

/// What a solo game is to be played with.
pub struct SoloGame {
    /// Scenario, options and data.
    pub charter: Charter,
    /// Option `questions`: stop where nothing was said.
    pub ask: bool,
    /// How many answer stops each side may cause in one span.
    pub max_asks: Option<u32>,
    /// How many links the chain has.
    pub links: u32,
    /// A remark.
    pub note: Option<String>,
}

impl SoloGame {
    fn genesis(self, table: &dyn Match, key: &PrivateKey, secret: &GameSecret) -> Result<Body, NotARecord> {
        let role = Role::solo();
        let first = table.ruleset().about().scenarios.first().map_or("", |scenario| scenario.id);
        let scenario = if self.charter.scenario.is_empty() { first.to_owned() } else { self.charter.scenario };
        let mut options = self.charter.options;
        options.insert("questions".to_owned(), if self.ask { "ask" } else { "default" }.to_owned());
        let genesis = Genesis {
            mode: Mode::Solo,
            ruleset: table.ruleset().id().to_owned(),
            scenario: Some(scenario),
            options: Some(options),
            rules_sha256: rules_hash(table),
            engine: table.ruleset().engine(),
            key: key.public(),
            anchor: secret.chain(&role, self.links).anchor(),
            links: self.links,
            opponent: None,
            players: None,
            director: None,
            max_asks: self.max_asks,
            private: None,
            note: self.note,
        };
        Walk::new().body(&role, &Data::Genesis(Box::new(genesis)))
    }
}

impl Ledger {
    /// Begins a solo game: makes its secret, keeps it in `home`, and signs the genesis.
    pub fn begin_solo(table: Box<dyn Match>, game: SoloGame, home: &Home) -> Result<(Ledger, GameFile), Trouble> {
        let (key, secret, links) = (home.identity()?, GameSecret::fresh()?, game.links);
        let body = game.genesis(&*table, &key, &secret)?;
        let file = home.begin_game(body.id(), Role::solo(), secret, links)?;
        Ledger::found(table, body, &key, file)
    }

    /// The same without any file: for a demonstration, whose secrets need not outlive it.
    pub fn begin_solo_in_memory(
        table: Box<dyn Match>,
        game: SoloGame,
        key: &PrivateKey,
        secret: GameSecret,
    ) -> Result<(Ledger, GameFile), Trouble> {
        let links = game.links;
        let body = game.genesis(&*table, key, &secret)?;
        let file = GameFile::in_memory(body.id(), Role::solo(), secret, links);
        Ledger::found(table, body, key, file)
    }

    fn found(
        table: Box<dyn Match>,
        genesis: Body,
        key: &PrivateKey,
        mut file: GameFile,
    ) -> Result<(Ledger, GameFile), Trouble> {
        let record = file.sign(genesis, key)?;
        Ok((Ledger::replay(vec![record], |_| Ok(table), Vision::public())?, file))
    }

    /// Replays records in the widest view there is; the first wrong one ends it.
    ///
    /// `lay` lays the table that the genesis describes.
    pub fn replay(
        records: Vec<Record>,
        lay: impl FnOnce(&Genesis) -> Result<Box<dyn Match>, Finding>,
        vision: Vision,
    ) -> Result<Ledger, Trouble> {
        let mut rest = records.into_iter();
        let first = rest.next().ok_or_else(|| Trouble::NotDue("there is no record yet".to_owned()))?;
        let mut walk = Walk::new();
        walk.take(&first).map_err(Trouble::at(0))?;
        let Some((genesis, founder)) = walk.genesis().zip(walk.founder()) else {
            return Err(Trouble::NotDue("the first record is no genesis".to_owned()));
        };
        let referee = lay(genesis).and_then(|table| Referee::new(table, genesis, founder)).map_err(Trouble::at(0))?;
        let mut ledger = Ledger { records: vec![first], walk, referee, vision };
        for record in rest {
            ledger.append(record)?;
        }
        Ok(ledger)
    }

    /// Adds the next record, if it is right in every respect that can be judged.
    pub fn append(&mut self, record: Record) -> Result<(), Trouble> {
        let seq = self.walk.next();
        step(&mut self.walk, Some(&mut self.referee), &self.vision, &record).map_err(Trouble::at(seq))?;
        self.records.push(record);
        Ok(())
    }

    /// The records.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The records' side of it: who is due, what was committed.
    pub fn walk(&self) -> &Walk {
        &self.walk
    }

    /// The rules' side of it: the position, the questions, the journal.
    pub fn referee(&self) -> &Referee {
        &self.referee
    }

    /// What this view knows of hidden things.
    pub fn holdings(&self) -> Holdings {
        self.referee.holdings(&self.walk, &self.vision)
    }

    /// The side that has to speak now, if one has.
    pub fn to_speak(&self) -> Option<Side> {
        match self.walk.due() {
            Due::Speech(_) => self.referee.stop().who(),
            _ => None,
        }
    }

    /// Runs the span in hand ahead with answers to its open questions, up to the next die. Nothing is signed.
    pub fn try_out(&self, answers: &BTreeMap<Key, Json>) -> Result<AnyOutcome, Failure> {
        let inputs = self.referee.inputs_of_answers(&self.walk, &self.vision, answers);
        self.referee.probe(&inputs.map_err(|finding| Failure::Bug(finding.to_string()))?)
    }

    /// Solo: signs what a side says. The result is still owed then.
    pub fn speak(&mut self, speech: Speech, pen: &mut Pen<'_>) -> Result<Record, Trouble> {
        let Some(side) = self.to_speak() else {
            return Err(Trouble::NotDue("nobody has to give orders now".to_owned()));
        };
        let role = side.as_str().parse().map_err(|_| Trouble::NotDue(format!("{side} cannot be a role")))?;
        let some = |map: BTreeMap<String, Json>| (!map.is_empty()).then_some(map);
        let data = Data::Orders(Orders {
            nonce: pen.file.secret().nonce(&self.walk.head()),
            state: self.state_hash()?,
            orders: speech.orders,
            policies: some(speech.policies),
            standing: some(speech.standing),
            answers: speech.answers,
            hide: Vec::new(),
            reveals: Vec::new(),
            claims: Vec::new(),
            side: Some(role),
            nmr: None,
        });
        self.sign(&data, pen)
    }

    /// Closes the segment in hand with the next link: rolls, resolves, signs the result.
    pub fn close(&mut self, pen: &mut Pen<'_>) -> Result<Record, Trouble> {
        let role = pen.file.role().clone();
        if self.walk.due() != Due::Result(role.clone()) {
            return Err(Trouble::NotDue(format!("{role} has no segment to close")));
        }
        let index = self.walk.seats().get(&role).map_or(0, |seat| seat.used) + 1;
        let chain = pen.file.secret().chain(&role, pen.file.links());
        let link = chain.link(index).ok_or_else(|| Trouble::NotDue("the chain of links is used up".to_owned()))?;
        let here = Trouble::at(self.walk.next());
        let closing = self
            .referee
            .inputs(&self.walk, &self.vision)
            .and_then(|inputs| self.referee.close(&self.walk, &inputs, &self.vision, index, link))
            .map_err(here)?;
        self.sign(&Data::Closing(closing), pen)
    }

    /// Solo: speaks for a side and closes at once. Orders left unclosed by an interruption are closed, not signed again.
    pub fn play(&mut self, speech: Speech, pen: &mut Pen<'_>) -> Result<(Record, Record), Trouble> {
        let orders = self.speak(speech, pen)?;
        let result = self.close(pen)?;
        Ok((orders, result))
    }

    fn state_hash(&self) -> Result<Id, Trouble> {
        self.referee.hash(self.referee.state()).map_err(Trouble::at(self.walk.next()))
    }

    fn sign(&mut self, data: &Data, pen: &mut Pen<'_>) -> Result<Record, Trouble> {
        let body = self.walk.body(pen.file.role(), data)?;
        let record = pen.file.sign(body, pen.key)?;
        self.append(record.clone())?;
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

impl Walk {
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

/// Takes one record, by the protocol and, if there is a referee, by the rules.
pub(super) fn step(
    walk: &mut Walk,
    referee: Option<&mut Referee>,
    vision: &Vision,
    record: &Record,
) -> Result<Data, Finding> {
    let body = record.body();
    let Some(referee) = referee else { return walk.take(record) };
    // What stood before the result; its own openings must not count as known.
    let inputs = match walk.due() {
        Due::Result(_) => Some(referee.inputs(walk, vision)?),
        _ => None,
    };
    let data = walk.take(record)?;
    match (&data, inputs) {
        (Data::Plan(_) | Data::Orders(_), _) => referee.hear(walk, body.seq, &body.by, &data)?,
        (Data::Closing(closing), Some(inputs)) => referee.judge(inputs, &body.by, closing)?,
        (Data::Audit(_), _) if *referee.stop() != crate::engine::Stop::End => {
            return Err(Finding::new(Code::Kind, "an audit before the end of the game").signed_by(&body.by));
        }
        _ => {}
    }
    Ok(data)
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
