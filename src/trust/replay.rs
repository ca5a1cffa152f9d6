//! The rules beside the records: resolves each segment again and compares it with what the result says.
//!
//! The same code makes a result and judges one; all that differs is whether the closer's openings and claims come from
//! his secrets or from the record.

mod hear;
mod inputs;
mod judge;
mod motions;
mod vision;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bytes::Id;
use super::data::{Genesis, Mode};
use super::finding::{Code, Finding};
use super::protocol::Protocol;
use super::role::Role;
use super::seals::Seals;
use crate::engine::dice::{Die, Seed};
use crate::engine::digest::sha256;
use crate::engine::{
    AnyJournal, AnyOrders, AnyState, Holdings, Match, Questions, Said, Settled, Side, Slot, Stop, Tickets, Versions,
};
use crate::engine::{Key, Moment as When};

/// The position of a game and the span in hand.
#[derive(Clone)]
pub struct Replay {
    table: Arc<dyn Match>,
    mode: Mode,
    private: bool,
    questions: Questions,
    base: AnyState,
    base_hash: Id,
    base_stop: Stop,
    began: AnyState,
    packet: Option<AnyOrders>,
    settled: Settled,
    kept: Holdings,
    state: AnyState,
    state_hash: Id,
    stop: Stop,
    fresh: Holdings,
    journal: Option<AnyJournal>,
    told: usize,
    /// Whether the records in hand are of the version of the rules at this table.
    awake: bool,
    /// Where spans have ended, shared by all copies.
    edges: Vec<Arc<motions::Edge>>,
    /// What the motion on the table would lead to.
    proposed: Option<motions::Proposed>,
    /// The spans that were carried out to their end.
    played: Vec<Arc<Played>>,
}

/// A span that was carried out to its end: enough to ask what else could have come of it.
pub struct Played {
    /// The position it began with.
    pub base: AnyState,
    /// Whose packet it was.
    pub stop: Stop,
    /// The packet.
    pub orders: AnyOrders,
    /// What was said of it.
    pub said: Said,
    /// Dice, choices, facts and openings.
    pub settled: Settled,
    /// Hidden values this view held.
    pub holdings: Holdings,
    /// What happened.
    pub journal: AnyJournal,
    /// The position it led to.
    pub state: AnyState,
    /// Who must speak then.
    pub next: Stop,
}

/// Everything a segment is resolved from but its dice and what its result adds.
pub struct Inputs {
    orders: Id,
    said: Said,
    public: Holdings,
    holdings: Holdings,
    versions: Versions,
    closer_holds: Vec<Side>,
    tickets: Tickets,
    spent: Spent,
    /// Whether the entries of the plan in hand are conditional.
    marks: BTreeMap<Slot, bool>,
}

/// What is said of an entry whose mark in the plan is not what it is.
pub const MARK: &str = "the plan says of this entry that it is conditional, or that it is not, and that is not so";

/// The secret rolls that tickets were spent on: seed of the segment, label, dice.
type Spent = BTreeMap<(Role, Slot), (Seed, Key, Vec<Die>)>;

pub use judge::stop_said;
pub use vision::Vision;

type Check<T = ()> = Result<T, Finding>;

fn bug(what: impl Into<String>) -> Finding {
    Finding::new(Code::Bug, what)
}

fn hash_of(table: &dyn Match, state: &AnyState) -> Check<Id> {
    let json = table.state_json(state).map_err(|e| bug(format!("the state has no canonical form: {e}")))?;
    Ok(Id::hash("state", &[&json.to_string()]))
}

/// SHA-256 of map, counters, tables and scenario as loaded.
pub fn rules_hash(table: &dyn Match) -> Id {
    sha256(table.rules_data().to_string().as_bytes()).parse().unwrap_or(Id::ZERO)
}

impl Replay {
    /// Sits down at a table laid for the game that a genesis describes.
    pub fn new(table: Box<dyn Match>, genesis: &Genesis, founder: &Role) -> Check<Replay> {
        let ours = table.ruleset().engine();
        if genesis.engine != ours {
            let what = format!("the game was played with `{}`, this is `{ours}`", genesis.engine);
            return Err(Finding::new(Code::Engine, what).not(&genesis.engine, ours));
        }
        let hash = rules_hash(&*table);
        if genesis.rules_sha256 != hash {
            let what = "the game was played with other map, counter or table data";
            return Err(Finding::new(Code::Engine, what).not(genesis.rules_sha256, hash));
        }
        let players = genesis.opponent.iter().chain(genesis.players.iter().flatten());
        let seats = players.chain((genesis.mode == Mode::TwoPlayer).then_some(founder));
        for role in seats {
            if table.ruleset().side(role.as_str()).is_none() {
                let what = format!("{role} is no side of {}", genesis.ruleset);
                return Err(Finding::new(Code::Schema, what).signed_by(founder));
            }
        }
        Replay::seated(Arc::from(table), genesis)
    }

    fn seated(table: Arc<dyn Match>, genesis: &Genesis) -> Check<Replay> {
        let ask = genesis.options.as_ref().and_then(|o| o.get("questions")).is_some_and(|value| value == "ask");
        let questions = Questions { ask, max_asks: genesis.max_asks };
        Replay::fresh(table, genesis.mode, genesis.private == Some(true), questions)
    }

    fn fresh(table: Arc<dyn Match>, mode: Mode, private: bool, questions: Questions) -> Check<Replay> {
        let (state, stop) = table.begin();
        let hash = hash_of(&*table, &state)?;
        let mut replay = Replay {
            table,
            mode,
            private,
            questions,
            base: state.clone(),
            base_hash: hash,
            base_stop: stop.clone(),
            began: state.clone(),
            packet: None,
            settled: Settled::default(),
            kept: Holdings::default(),
            state,
            state_hash: hash,
            stop,
            fresh: Holdings::default(),
            journal: None,
            told: 0,
            awake: true,
            edges: Vec::new(),
            proposed: None,
            played: Vec::new(),
        };
        replay.mark_edge(0);
        Ok(replay)
    }

    /// The same game before its first packet, begun with this version of the rules or not.
    pub fn from_the_start(&self, awake: bool) -> Check<Replay> {
        let mut replay = Replay::fresh(Arc::clone(&self.table), self.mode, self.private, self.questions)?;
        replay.awake = awake;
        Ok(replay)
    }

    /// Whether a game that a genesis describes is begun with the version at this table.
    pub fn plays(&self, genesis: &Genesis) -> bool {
        genesis.engine == self.table.ruleset().engine() && genesis.rules_sha256 == rules_hash(&*self.table)
    }

    /// The spans that were carried out to their end.
    pub fn played(&self) -> &[Arc<Played>] {
        &self.played
    }

    /// The table.
    pub fn table(&self) -> &dyn Match {
        &*self.table
    }

    /// The state where the last resolution ended; the first one before any.
    pub fn state(&self) -> &AnyState {
        &self.state
    }

    /// The state the span in hand began with.
    pub fn base(&self) -> &AnyState {
        &self.base
    }

    /// Who must speak next, with options and defaults.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// How open questions are treated.
    pub fn questions(&self) -> Questions {
        self.questions
    }

    /// What happened since the start of the span, and how much of it was told at an earlier stop.
    pub fn journal(&self) -> Option<(&AnyJournal, usize)> {
        self.journal.as_ref().map(|journal| (journal, self.told))
    }

    /// The hash of that state.
    pub fn state_hash(&self) -> Id {
        self.state_hash
    }

    /// The state with which the span began whose journal is told.
    pub fn began(&self) -> &AnyState {
        &self.began
    }

    /// The hash of a state.
    pub fn hash(&self, state: &AnyState) -> Check<Id> {
        hash_of(&*self.table, state)
    }

    /// What a view knows of the position: what the ledger opened, what the view holds, what lies face down in place.
    pub fn holdings(&self, protocol: &Protocol, vision: &Vision) -> Holdings {
        let versions = self.versions(protocol, protocol.moment());
        let mut all = self.held(protocol, vision, &versions);
        all.0.extend(self.public(protocol, &versions).0);
        all.0.extend(self.fresh.0.clone());
        all
    }

    /// The same as if other seals stood in the ledger.
    pub fn holdings_of_seals(&self, protocol: &Protocol, seals: &Seals, vision: &Vision) -> Holdings {
        let versions = self.versions_of(seals, protocol.moment());
        let mut all = self.held(protocol, vision, &versions);
        all.0.extend(self.public(protocol, &versions).0);
        all
    }

    fn side(&self, role: &Role) -> Check<Side> {
        let side = self.table.ruleset().side(role.as_str());
        side.ok_or_else(|| Finding::new(Code::Schema, format!("{role} is no side of this game")))
    }

    /// The kinds of question a side can be asked while its own packet is carried out.
    pub fn own_kinds(&self, side: Side) -> impl Iterator<Item = &'static str> {
        let kinds = self.table.ruleset().kinds().iter();
        kinds.filter(move |k| k.asked_of.contains(&side) && k.moment != When::OpponentsTurn).map(|k| k.kind.0)
    }

    /// The kinds of question a side can be asked while another side's packet is carried out.
    pub fn standing_kinds(&self, side: Side) -> impl Iterator<Item = &'static str> {
        let kinds = self.table.ruleset().kinds().iter();
        kinds.filter(move |k| k.asked_of.contains(&side) && k.moment != When::OwnTurn).map(|k| k.kind.0)
    }
}

fn role_of(side: Side) -> Check<Role> {
    side.as_str().parse().map_err(|_| bug("a side that cannot be a role"))
}
