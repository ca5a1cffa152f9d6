//! The protocol, record by record: form, signatures, order, links and dice. No rules are needed for this.
//!
//! [`Protocol::take`] accepts the next record or says what is wrong with it. What it gathers on the way (the span in hand,
//! who is due, what was committed and opened) is what the rules need afterwards.

mod motions;
mod take;

use std::collections::{BTreeMap, BTreeSet};

use super::bytes::Id;
use super::data::{Answer, ClaimSaid, Genesis, Mode, StopSaid, TOY};
use super::role::Role;
use super::seals::{Moment, Seals};
use crate::engine::dice::{Die, Seed, faces};
use crate::engine::json::Json;
use crate::engine::{Flow, Key, Slot};
pub use motions::{Edge, Era, Moved, Reply};

/// A role with its key and chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signatory {
    /// The public key.
    pub key: Id,
    /// The last link published; the anchor at first. None for a player whose segments a game master closes.
    pub tip: Option<Id>,
    /// How many links of its chain it has opened.
    pub used: u32,
    /// A second key, with which it can take its seat again.
    pub recovery: Option<Id>,
}

/// Which record is due, and from whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextRecord {
    /// The offer.
    Genesis,
    /// The acceptance of a role.
    Join(Role),
    /// A packet, answers or facts; from anybody if only the game can tell.
    Speech(Option<Role>),
    /// Orders that answer a plan.
    Call(Role),
    /// The result that closes the segment.
    Result(Role),
    /// Consent to the motion on the table, or refusal.
    Answer(Role),
    /// An audit of one of these, in any order; nothing more if empty.
    Audit(Vec<Role>),
}

/// A packet and everything said since, until the next packet is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The record with the packet.
    pub opened: u32,
    /// Whether it came openly or as a plan.
    pub flow: Flow,
    /// Who closes every segment of it.
    pub closer: Role,
    /// The side whose packet it is.
    pub side: Role,
    /// The packet.
    pub packet: Option<Json>,
    /// How many sealed entries a plan has.
    pub entries: u32,
    /// Whether each of them is conditional; none where a private game master reads them.
    pub marks: Vec<bool>,
    /// Policies of the side whose packet it is, by kind.
    pub policies: BTreeMap<String, Json>,
    /// Answers of those who were asked, to what they were asked.
    pub answers: BTreeMap<Key, Json>,
    /// Facts stated, by side and key, with the record that states them.
    pub claims: BTreeMap<(Role, Key), (u32, Json)>,
    /// Secret rolls that are made openly, because a game master went on without the one who had to commit a ticket: whose,
    /// and the slots they lie in.
    pub waived: Vec<(Role, Slot)>,
    /// The results so far.
    pub results: Vec<u32>,
    /// The orders that opened the segment in hand: record and id.
    pub orders: Option<(u32, Id)>,
}

impl Span {
    fn new(opened: u32, flow: Flow, closer: Role, side: Role, packet: Option<Json>) -> Span {
        Span {
            opened,
            flow,
            closer,
            side,
            packet,
            entries: 0,
            marks: Vec::new(),
            policies: BTreeMap::new(),
            answers: BTreeMap::new(),
            claims: BTreeMap::new(),
            waived: Vec::new(),
            results: Vec::new(),
            orders: None,
        }
    }

    /// Takes what a side says: answers only from the one who was asked, and only to what he was asked.
    fn hear(&mut self, stop: Option<&StopSaid>, side: &Role, seq: u32, answers: &[Answer], claims: &[ClaimSaid]) {
        let asked = stop.filter(|stop| stop.ask == "answers" && stop.who.as_ref() == Some(side));
        let asked: BTreeSet<&Key> = asked.into_iter().flat_map(|stop| &stop.questions).map(|q| &q.key).collect();
        for answer in answers.iter().filter(|answer| asked.contains(&answer.key)) {
            self.answers.entry(answer.key.clone()).or_insert_with(|| answer.choice.clone());
        }
        for said in claims {
            self.claims.entry((side.clone(), said.claim.clone())).or_insert_with(|| (seq, said.value.clone()));
        }
    }
}

/// A secret roll that only its owner could compute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretRoll {
    /// The label.
    pub label: Key,
    /// The dice.
    pub sides: Vec<Die>,
    /// The public seed of its segment.
    pub seed: Seed,
    /// The ticket.
    pub ticket: Slot,
    /// The version of the ticket.
    pub version: u32,
    /// The owner of the ticket.
    pub by: Role,
    /// The result it stands in.
    pub seq: u32,
}

/// What one audit opened.
#[derive(Clone, Debug)]
pub struct Audited {
    /// The value of every version of every slot, with its salt.
    pub values: BTreeMap<(Slot, u32), (Id, Json)>,
}

/// A ledger as far as the protocol goes.
#[derive(Clone, Debug, Default)]
pub struct Protocol {
    game: Option<Id>,
    genesis: Option<Genesis>,
    founder: Option<Role>,
    signatories: BTreeMap<Role, Signatory>,
    joined: Vec<Role>,
    next: u32,
    last: Option<Id>,
    state: Option<Id>,
    stop: Option<StopSaid>,
    pending: Pending,
    span: Option<Span>,
    seals: Seals,
    standing: BTreeMap<(Role, String), Json>,
    secret_rolls: Vec<SecretRoll>,
    /// The marks of every plan, by its record.
    plans: BTreeMap<u32, Vec<bool>>,
    /// How many tickets each role has spent.
    spent: BTreeMap<Role, u32>,
    audits: BTreeMap<Role, Audited>,
    absent: Vec<u32>,
    /// Where one may go back to, in order.
    edges: Vec<Edge>,
    moved: Vec<Moved>,
    /// The motion that waits for its answer, by its number among those moved.
    table: Option<usize>,
    /// Who was refused by whom since the last span ended.
    refused: BTreeSet<(Role, Role)>,
    /// Nobody goes back before this record: an upgrade, a new key, something lost.
    floor: u32,
    /// Version of the rules and digest of the data, where they are no longer those of the genesis.
    upgraded: Option<(String, Id)>,
    /// Every anchor and link that was ever published.
    published: BTreeSet<Id>,
    /// Every key that ever stood in the ledger.
    keys: BTreeSet<Id>,
    /// Where each role began a new chain with a new secret behind it.
    eras: BTreeMap<Role, Vec<Era>>,
    /// Results a director signed, with the role he signed them for.
    directed: Vec<(u32, Role)>,
}

/// What was said and not yet closed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Pending {
    #[default]
    Nothing,
    Plan,
    Orders,
}

impl Protocol {
    /// Nothing walked yet.
    pub fn new() -> Protocol {
        Protocol::default()
    }

    /// The id of the game, once there is a genesis.
    pub fn game(&self) -> Option<Id> {
        self.game
    }

    /// The genesis.
    pub fn genesis(&self) -> Option<&Genesis> {
        self.genesis.as_ref()
    }

    /// Who signed the genesis.
    pub fn founder(&self) -> Option<&Role> {
        self.founder.as_ref()
    }

    /// How it is played.
    pub fn mode(&self) -> Mode {
        self.genesis.as_ref().map_or(Mode::Solo, |genesis| genesis.mode)
    }

    /// Whether a game master plays it with sealed values.
    pub fn is_private(&self) -> bool {
        self.genesis.as_ref().is_some_and(|genesis| genesis.private == Some(true))
    }

    /// Whether it is a game of the ruleset that only the test vectors have.
    pub(super) fn is_toy(&self) -> bool {
        self.genesis.as_ref().is_some_and(|genesis| genesis.ruleset == TOY)
    }

    /// Whether what must stay hidden is sealed in the ledger: between two players, and with a private game master.
    pub fn seals_values(&self) -> bool {
        self.mode() == Mode::TwoPlayer || self.is_private()
    }

    /// The roles that have joined, with their keys.
    pub fn signatories(&self) -> &BTreeMap<Role, Signatory> {
        &self.signatories
    }

    /// The roles in the order of genesis and joins.
    pub fn roles(&self) -> &[Role] {
        &self.joined
    }

    /// The place of the next record.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// The id of the last record; zeros before the first.
    pub fn head(&self) -> Id {
        self.last.unwrap_or(Id::ZERO)
    }

    /// The hash of the state after the last result.
    pub fn state(&self) -> Option<Id> {
        self.state
    }

    /// The last stop on record.
    pub fn stop(&self) -> Option<&StopSaid> {
        self.stop.as_ref()
    }

    /// The span in hand, or the last one if none is.
    pub fn span(&self) -> Option<&Span> {
        self.span.as_ref()
    }

    /// Commitments and openings.
    pub fn seals(&self) -> &Seals {
        &self.seals
    }

    /// Solo: the standing orders in force, by side and kind.
    pub fn standing(&self) -> &BTreeMap<(Role, String), Json> {
        &self.standing
    }

    /// Whether the entries of each plan are conditional, by its record.
    pub fn plans(&self) -> &BTreeMap<u32, Vec<bool>> {
        &self.plans
    }

    /// The secret rolls so far.
    pub fn secret_rolls(&self) -> &[SecretRoll] {
        &self.secret_rolls
    }

    /// Results a director signed, with the role he signed them for.
    pub fn directed(&self) -> &[(u32, Role)] {
        &self.directed
    }

    /// What each audit opened.
    pub fn audits(&self) -> &BTreeMap<Role, Audited> {
        &self.audits
    }

    /// Orders the game master wrote for an absent player or a side without a key.
    pub fn written_by_gm(&self) -> &[u32] {
        &self.absent
    }

    /// The moment at which versions of slots count, for the segment in hand or the next one.
    pub fn moment(&self) -> Moment {
        match &self.span {
            Some(span) if !self.span_is_over() => {
                Moment { span: span.opened, segment: span.orders.map_or(self.next, |(seq, _)| seq) }
            }
            _ => Moment { span: self.next, segment: self.next },
        }
    }

    fn span_is_over(&self) -> bool {
        self.pending == Pending::Nothing && self.stop.as_ref().is_none_or(StopSaid::ends_span)
    }

    /// Whether the game has ended; audits may be owed.
    fn is_over(&self) -> bool {
        self.pending == Pending::Nothing && self.stop.as_ref().is_some_and(|stop| stop.ask == "end")
    }

    /// The other of two players.
    pub fn other(&self, role: &Role) -> Option<&Role> {
        self.joined.iter().find(|other| *other != role)
    }

    /// Who must act now.
    pub fn due(&self) -> NextRecord {
        let Some(genesis) = &self.genesis else { return NextRecord::Genesis };
        let expected = genesis.opponent.iter().chain(genesis.players.iter().flatten());
        if let Some(role) = expected.into_iter().find(|role| !self.signatories.contains_key(role)) {
            return NextRecord::Join(role.clone());
        }
        if let Some(asked) = self.on_the_table().and_then(|moved| moved.asked.clone()) {
            return NextRecord::Answer(asked);
        }
        match (&self.pending, &self.span, &self.stop) {
            (Pending::Orders, Some(span), _) => NextRecord::Result(span.closer.clone()),
            (Pending::Plan, Some(span), _) => match self.other(&span.closer) {
                Some(other) => NextRecord::Call(other.clone()),
                None => NextRecord::Speech(None),
            },
            (_, _, Some(stop)) if stop.ask == "end" => {
                let owing = |role: &&Role| self.seals.has_sealed(role) && !self.audits.contains_key(*role);
                NextRecord::Audit(self.joined.iter().filter(owing).cloned().collect())
            }
            (_, _, Some(stop)) => NextRecord::Speech(stop.who.clone()),
            _ => NextRecord::Speech(None),
        }
    }

    /// What somebody owes after the other has acted: a join, a call, a result, facts, an audit. Orders are not owed.
    pub fn owed(&self) -> Option<(Role, &'static str)> {
        match self.due() {
            NextRecord::Join(role) => Some((role, "join")),
            NextRecord::Call(role) => Some((role, "call")),
            NextRecord::Result(role) => Some((role, "result")),
            NextRecord::Answer(role) => Some((role, "answer to the motion")),
            NextRecord::Audit(roles) => roles.into_iter().next().map(|role| (role, "audit")),
            // Nobody decides anything about facts; their owner's program states them.
            NextRecord::Speech(who) if self.stop.as_ref().is_some_and(|stop| stop.ask == "facts") => {
                who.map(|role| (role, "facts"))
            }
            NextRecord::Genesis | NextRecord::Speech(_) => None,
        }
    }
}

impl SecretRoll {
    /// The faces, for whoever knows the salt of the ticket.
    pub fn faces(&self, salt: &Id) -> Vec<u16> {
        faces(&self.seed.secret(&salt.to_string()), self.label.as_str(), &self.sides)
    }
}
