//! The rules beside the records: resolves each segment again and compares it with what the result says.
//!
//! The same code makes a result and judges one; all that differs is whether the closer's openings and claims come from
//! his secrets or from the record.

mod motions;
mod vision;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::bytes::Id;
use super::data::{ClaimSaid, Closing, Data, EMPTY, Genesis, Hide, Mode, QuestionSaid, Reveal, RollSaid, StopSaid};
use super::finding::{Code, Finding};
use super::protocol::{Protocol, SecretRoll, Span};
use super::role::Role;
use super::seals::{Moment, Seals, is_in_state};
use crate::engine::dice::{Die, Seed, faces};
use crate::engine::digest::sha256;
use crate::engine::doc::{DocPath, Node, Reader};
use crate::engine::json::Json;
use crate::engine::{
    AnyJournal, AnyOrders, AnyOutcome, AnyState, Breach, Dice, Failure, Flow, Holdings, Match, Minutes, Questions,
    Rolled, Said, Segment, Settled, Shown, Side, Slot, Stop, Tickets, Versions, to_json,
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

    /// Hears a plan or orders that the protocol has just accepted.
    pub fn hear(&mut self, protocol: &Protocol, seq: u32, by: &Role, data: &Data) -> Check {
        let Some(span) = protocol.span() else { return Ok(()) };
        if span.opened == seq {
            self.hear_packet(protocol, span, by, data)?;
        }
        if let Data::Orders(orders) = data
            && orders.is_call()
        {
            self.check_call(protocol, span, by)?;
        }
        let mut named = Vec::new();
        span.packet.iter().filter(|_| span.opened == seq).for_each(|packet| sealed_in(packet, &mut named));
        if !named.is_empty() || !data.reveals().is_empty() {
            self.check_heard(protocol, span, by)?;
        }
        Ok(())
    }

    /// Nobody commits more tickets than the rules can ask of him.
    pub fn check_tickets(&self, protocol: &Protocol, by: &Role, hides: &[Hide]) -> Check {
        let Some(first) = hides.iter().find(|hide| hide.slot.is_ticket()) else { return Ok(()) };
        let most = self.table.ruleset().side(by.as_str()).map_or(0, |side| self.table.tickets(side));
        let tickets = protocol.seals().of_role(by).filter(|(slot, _)| slot.is_ticket());
        let committed = tickets.map(|(slot, _)| slot).collect::<BTreeSet<_>>().len();
        let spent = protocol.secret_rolls().iter().filter(|roll| roll.by == *by).count();
        if committed.saturating_sub(spent) <= usize::try_from(most).unwrap_or(usize::MAX) {
            return Ok(());
        }
        let what = format!("{most} secret rolls are the most this game asks of {by}");
        Err(Finding::new(Code::Schema, what).signed_by(by).about(&first.slot))
    }

    fn hear_packet(&mut self, protocol: &Protocol, span: &Span, by: &Role, data: &Data) -> Check {
        let wrong = |what: String| Err(Finding::new(Code::Kind, what).signed_by(by));
        let Stop::Orders { who, ask, flow } = self.stop.clone() else {
            return wrong("no packet is due".to_owned());
        };
        if span.side.as_str() != who.as_str() {
            return wrong(format!("a packet of {}, but {who} is due", span.side));
        }
        // A game master and a solo player hold everything; there are no plans.
        if self.mode == Mode::TwoPlayer && span.flow != flow {
            let due = if flow == Flow::Plan { "a plan" } else { "orders" };
            return wrong(format!("the packet `{ask}` comes as {due}"));
        }
        let said = match data {
            Data::Plan(plan) => plan.state,
            Data::Orders(orders) => orders.state,
            _ => return Ok(()),
        };
        if said != self.base_hash {
            let finding = Finding::new(Code::State, "was written for another state").signed_by(by);
            return Err(finding.not(said, self.base_hash));
        }
        let mut reader = Reader::new(self.table.lexicon());
        let read = span
            .packet
            .as_ref()
            .and_then(|packet| self.table.read_orders(ask, &Node::from_json(packet), &DocPath::root(), &mut reader));
        // Orders that cannot be read lapse; the rules say what a silent player does.
        let packet = read.unwrap_or_else(|| self.table.no_orders(&self.base, &self.base_stop));
        if matches!(data, Data::Orders(orders) if orders.is_for_nobody()) {
            let empty = self.table.no_orders(&self.base, &self.base_stop);
            let empty = self.table.orders_json(&empty).map_err(|error| bug(format!("an empty packet: {error}")))?;
            if span.packet.as_ref().is_some_and(|packet| *packet != empty) {
                return Err(Finding::new(Code::Schema, EMPTY).signed_by(by));
            }
        }
        // What a game master enters for an absent player is what the rules do with him, and no secret.
        let seals = protocol.seals_values() && *by != Role::gm();
        let mut named = Vec::new();
        span.packet.iter().for_each(|packet| sealed_in(packet, &mut named));
        if seals {
            self.check_sealed(protocol, span, by, flow, &packet, &named)?;
        } else if let Some(slot) = named.first() {
            let what = "names a slot where nothing is sealed; the value itself has to stand there";
            return Err(Finding::new(Code::Schema, what).signed_by(by).about(slot));
        }
        self.packet = Some(packet);
        self.began = self.base.clone();
        self.settled = Settled::default();
        self.journal = None;
        self.told = 0;
        Ok(())
    }

    /// Between two players what must lie face down stands in the packet as the name of a slot, and the slot exists.
    fn check_sealed(
        &self,
        protocol: &Protocol,
        span: &Span,
        by: &Role,
        flow: Flow,
        packet: &AnyOrders,
        named: &[&str],
    ) -> Check {
        let plan = (flow == Flow::Plan || self.private).then_some(span.opened);
        let mut open = None;
        self.table.seal(&self.base, packet.clone(), plan, &mut |slot, _| open = open.take().or(Some(slot)));
        if let Some(slot) = open {
            return Err(Finding::new(Code::Schema, "stands in the clear and has to be sealed")
                .signed_by(by)
                .about(slot));
        }
        // The entries of a plan count for the call that follows it.
        let at = Moment { span: span.opened, segment: span.opened + 1 };
        let own = format!("plan/{}/", span.opened);
        let mut seen = BTreeSet::new();
        for name in named {
            let wrong = |what: &str| Err(Finding::new(Code::Schema, what).signed_by(by).about(name));
            let Ok(slot) = Slot::parse(name) else { return wrong("is no name of a slot") };
            if !seen.insert(*name) {
                return wrong("stands in the packet twice");
            }
            let entry = plan.is_some() && name.starts_with(&own);
            if !entry && !is_in_state(&slot) {
                return wrong("is named where an entry of this packet or a thing in the state belongs");
            }
            if protocol.seals().in_force(&span.side, &slot, at).is_none() {
                return wrong("is named and was not committed");
            }
        }
        Ok(())
    }

    /// Carries out what was heard up to the first die, as everybody sees it: what its signer has misnamed, or opened as
    /// something it cannot be, is found here and not when somebody else has to close it.
    fn check_heard(&self, protocol: &Protocol, span: &Span, by: &Role) -> Check {
        let public = Vision::public();
        let inputs = self.gather(protocol, &public, span, Id::ZERO)?;
        match self.probe(&inputs) {
            Err(Failure::Breach(breach)) if breach.fault.is_some_and(|side| side.as_str() == by.as_str()) => {
                match Code::from_text(breach.code) {
                    Some(Code::Schema | Code::Reveal) => Err(self.failed(Failure::Breach(breach))),
                    _ => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// A call opens the caller's standing orders for every question the packet can raise.
    fn check_call(&self, protocol: &Protocol, span: &Span, by: &Role) -> Check {
        if span.flow != Flow::Plan {
            return Ok(());
        }
        let before = Moment { span: span.opened, segment: span.opened };
        for kind in self.standing_kinds(self.side(by)?) {
            let slot = Slot::standing(kind);
            let Some(sealing) = protocol.seals().in_force(by, &slot, before) else { continue };
            if protocol.seals().opening(by, &slot, sealing.version).is_none() {
                let what = "a call opens the standing orders the packet may need";
                return Err(Finding::new(Code::NoReveal, what).signed_by(by).about(slot));
            }
        }
        Ok(())
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

    /// Gathers what the segment in hand is resolved from; to be called before its result is taken.
    pub fn inputs(&self, protocol: &Protocol, vision: &Vision) -> Check<Inputs> {
        let Some((span, (_, orders))) = protocol.span().and_then(|span| Some((span, span.orders?))) else {
            return Err(bug("there are no orders to resolve"));
        };
        self.gather(protocol, vision, span, orders)
    }

    /// The same for a segment that has no orders yet, as these answers would open it.
    pub fn inputs_of_answers(
        &self,
        protocol: &Protocol,
        vision: &Vision,
        answers: &BTreeMap<Key, Json>,
    ) -> Check<Inputs> {
        let span = protocol.span().ok_or_else(|| bug("there is no span to go on with"))?;
        let mut inputs = self.gather(protocol, vision, span, Id::ZERO)?;
        inputs.said.answers.extend(answers.iter().map(|(key, choice)| (key.clone(), choice.clone())));
        Ok(inputs)
    }

    fn gather(&self, protocol: &Protocol, vision: &Vision, span: &Span, orders: Id) -> Check<Inputs> {
        let at = protocol.moment();
        let sides = self.table.ruleset().sides();
        let mut said = Said { answers: span.answers.clone(), ..Said::default() };
        for ((role, key), (_, value)) in &span.claims {
            said.claims.insert((self.side(role)?, key.clone()), value.clone());
        }
        let own = self.side(&span.side)?;
        said.policies.extend(span.policies.iter().map(|(kind, policy)| ((own, kind.clone()), policy.clone())));
        said.policy_slots = self.planned_policies(span, own);
        let marks = self.marks(span, &said.policy_slots);
        said.unconditional = marks.iter().filter(|(_, waits)| !**waits).map(|(slot, _)| slot.clone()).collect();
        let mut versions = self.versions(protocol, at);
        for side in sides.iter().copied().filter(|side| *side != own) {
            self.standing(protocol, span, side, at, &mut said, &mut versions)?;
        }
        Ok(Inputs {
            orders,
            marks,
            said,
            public: self.public(protocol, &versions),
            holdings: self.held(protocol, vision, &versions),
            tickets: self.tickets(protocol, vision, &versions),
            spent: spent(protocol),
            versions,
            closer_holds: match self.mode {
                Mode::TwoPlayer => vec![self.side(&span.closer)?],
                Mode::Gm | Mode::Solo => sides.to_vec(),
            },
        })
    }

    /// The marks of the entries of a plan but for the policies at its end.
    fn marks(&self, span: &Span, policies: &BTreeMap<(Side, String), Slot>) -> BTreeMap<Slot, bool> {
        let entries = (1..).map(|entry| Slot::plan(span.opened, entry)).zip(span.marks.iter().copied());
        entries.filter(|(slot, _)| !policies.values().any(|policy| policy == slot)).collect()
    }

    /// Whether the marks of a plan are those of the entries that were opened.
    fn check_marks(&self, inputs: &Inputs, closer: &Role, closing: &Closing) -> Check {
        for reveal in &closing.reveals {
            if inputs.marks.get(&reveal.slot).is_some_and(|waits| *waits != self.table.is_conditional(&reveal.value)) {
                return Err(Finding::new(Code::Reveal, MARK).signed_by(closer).about(&reveal.slot));
            }
        }
        Ok(())
    }

    /// The same of all entries, opened or not, at the audit.
    pub fn check_all_marks(&self, protocol: &Protocol, by: &Role) -> Check {
        let Ok(side) = self.side(by) else { return Ok(()) };
        let policies = self.own_kinds(side).count();
        let Some(audited) = protocol.audits().get(by) else { return Ok(()) };
        for (plan, marks) in protocol.plans() {
            let entries = (1..).zip(marks.iter().take(marks.len().saturating_sub(policies)));
            for (entry, waits) in entries {
                let slot = Slot::plan(*plan, entry);
                let said = audited.values.get(&(slot.clone(), 1));
                if said.is_some_and(|(_, value)| self.table.is_conditional(value) != *waits) {
                    return Err(Finding::new(Code::Audit, MARK).signed_by(by).about(slot));
                }
            }
        }
        Ok(())
    }

    /// The version in force of every slot but standing orders and the entries of plans that are through.
    fn versions(&self, protocol: &Protocol, at: Moment) -> Versions {
        self.versions_of(protocol.seals(), at)
    }

    fn versions_of(&self, seals: &Seals, at: Moment) -> Versions {
        let plan = format!("plan/{}/", at.span);
        let counts = |slot: &Slot| {
            let name = slot.as_str();
            !name.starts_with("standing/") && (!name.starts_with("plan/") || name.starts_with(&plan))
        };
        let in_force = seals.all_in_force(at).filter(|(_, slot, _)| counts(slot));
        let ruleset = self.table.ruleset();
        let of_side = |(role, slot, sealing): (&Role, &Slot, &super::seals::Sealing)| {
            Some(((ruleset.side(role.as_str())?, slot.clone()), sealing.version))
        };
        in_force.filter_map(of_side).collect()
    }

    /// The tickets not yet spent, the next one first: those committed, or, where nothing is sealed, as many as the game has.
    fn tickets(&self, protocol: &Protocol, vision: &Vision, versions: &Versions) -> Tickets {
        let mut tickets = Tickets::default();
        for side in self.table.ruleset().sides().iter().copied() {
            let Ok(role) = side.as_str().parse::<Role>() else { continue };
            let sealed = protocol.seals_values() && protocol.signatories().contains_key(&role);
            let spent: BTreeSet<&Slot> =
                protocol.secret_rolls().iter().filter(|roll| roll.by == role).map(|roll| &roll.ticket).collect();
            let there = |ticket: &Slot| match sealed {
                true => versions.contains_key(&(side, ticket.clone())),
                false => true,
            };
            let most = if sealed { u32::MAX } else { self.table.tickets(side) };
            let left = |ticket: &Slot| !spent.contains(ticket) && (sealed || self.kept.get(side, ticket).is_none());
            let unspent: Vec<Slot> = (1..=most).map(Slot::ticket).take_while(there).filter(left).collect();
            for ticket in &unspent {
                let version = versions.get(&(side, ticket.clone())).copied().unwrap_or(1);
                if let Some(salt) = vision.salt(&role, ticket, version).filter(|_| sealed) {
                    tickets.salts.insert((side, ticket.clone()), salt.to_string());
                }
            }
            tickets.unspent.insert(side, unspent);
        }
        tickets
    }

    /// The last entries of a plan, or of a packet for a private game master, are the policies of whoever wrote it, one for
    /// each kind of question in his own packet.
    fn planned_policies(&self, span: &Span, side: Side) -> BTreeMap<(Side, String), Slot> {
        let kinds: Vec<&'static str> = self.own_kinds(side).collect();
        let own = span.entries.checked_sub(u32::try_from(kinds.len()).unwrap_or(u32::MAX));
        let Some(before) = own.filter(|_| span.flow == Flow::Plan || self.private) else { return BTreeMap::new() };
        let entries = (before + 1..).map(|entry| Slot::plan(span.opened, entry));
        kinds.into_iter().zip(entries).map(|(kind, slot)| ((side, kind.to_owned()), slot)).collect()
    }

    /// The standing orders of a side whose packet it is not: sealed, in place, or, where nothing was ever said, `default`.
    fn standing(
        &self,
        protocol: &Protocol,
        span: &Span,
        side: Side,
        at: Moment,
        said: &mut Said,
        versions: &mut Versions,
    ) -> Check {
        let role: Role = side.as_str().parse().map_err(|_| bug(format!("{side} cannot be a role")))?;
        let at = if span.flow == Flow::Plan { Moment { span: span.opened, segment: span.opened } } else { at };
        for kind in self.standing_kinds(side) {
            let slot = Slot::standing(kind);
            if let Some(policy) = protocol.standing().get(&(role.clone(), kind.to_owned())) {
                said.policies.insert((side, kind.to_owned()), policy.clone());
            } else if let Some(sealing) = protocol.seals().in_force(&role, &slot, at) {
                versions.insert((side, slot), sealing.version);
            } else {
                said.policies.insert((side, kind.to_owned()), Json::from("default"));
            }
        }
        Ok(())
    }

    /// Values of these versions that anybody can read in the ledger.
    fn public(&self, protocol: &Protocol, versions: &Versions) -> Holdings {
        let mut public = Holdings::default();
        let spent = spent(protocol);
        for ((side, slot), version) in versions {
            let role = side.as_str().parse();
            let Some(role): Option<Role> = role.ok() else { continue };
            let Some(opened) = protocol.seals().opening(&role, slot, *version) else { continue };
            if let Some(value) = shown(&spent, role, slot, &opened.value, &opened.salt) {
                public.0.insert((*side, slot.clone()), value);
            }
        }
        public
    }

    /// Values of these versions that a view holds, and those that lie in place.
    fn held(&self, protocol: &Protocol, vision: &Vision, versions: &Versions) -> Holdings {
        let mut held = self.kept.clone();
        for roll in protocol.secret_rolls() {
            if let Some(salt) = vision.salt(&roll.by, &roll.ticket, roll.version)
                && let (Ok(side), Ok(faces)) = (self.side(&roll.by), to_json(&roll.faces(&salt)))
            {
                held.0.insert((side, roll.ticket.clone()), faces);
            }
        }
        for ((side, slot), version) in versions.iter().filter(|((_, slot), _)| !slot.is_ticket()) {
            let role = side.as_str().parse();
            if let Some(value) = role.ok().and_then(|role| vision.get(&role, slot, *version)) {
                held.0.insert((*side, slot.clone()), value.clone());
            }
        }
        held
    }

    fn resolve(&self, inputs: &Inputs, dice: Dice) -> Result<AnyOutcome, Failure> {
        let packet = self.packet.as_ref().ok_or_else(|| Failure::Bug("there is no packet to resolve".to_owned()))?;
        let segment = Segment {
            dice,
            settled: self.settled.clone(),
            said: &inputs.said,
            public: &inputs.public,
            holdings: &inputs.holdings,
            versions: &inputs.versions,
            tickets: &inputs.tickets,
            closer_holds: &inputs.closer_holds,
            questions: self.questions,
        };
        self.table.resolve(&self.base, packet, segment)
    }

    /// The segment as a player can foresee it: he knows his own side, and what another would have to open ends it.
    pub fn foreseen(&self, mut inputs: Inputs, vision: &Vision) -> Check<Inputs> {
        if self.mode == Mode::TwoPlayer {
            inputs.closer_holds = vision.salts.keys().map(|role| self.side(role)).collect::<Check<Vec<Side>>>()?;
        }
        Ok(inputs)
    }

    /// Runs the segment up to its first new die: what a player can know before anything is rolled.
    pub fn probe(&self, inputs: &Inputs) -> Result<AnyOutcome, Failure> {
        self.resolve(inputs, Dice::None)
    }

    /// Makes the result of the segment in hand.
    pub fn close(&self, inputs: &Inputs, vision: &Vision, index: u32, link: Id) -> Check<Closing> {
        let seed = Seed::of_segment(&inputs.orders.to_string(), &link.to_string());
        let outcome = self.resolve(inputs, Dice::Seed(seed)).map_err(|failure| self.failed(failure))?;
        let minutes = self.minutes(&outcome.minutes, &inputs.versions);
        let reveals =
            minutes.reveals.into_iter().map(|opening| vision.reveal(opening)).collect::<Check<Vec<Reveal>>>()?;
        let claims = minutes.claims.into_iter().map(|claim| ClaimSaid { claim: claim.key, value: claim.value });
        Ok(Closing {
            orders: inputs.orders,
            index,
            link,
            rolls: rolls_said(&outcome.minutes)?,
            reveals,
            state: self.hash(&outcome.state)?,
            stop: stop_said(&outcome.stop)?,
            claims: claims.collect(),
            hide: Vec::new(),
            role: None,
            notice: None,
        })
    }

    /// Where everything lies in place nothing has to be opened or claimed.
    fn minutes(&self, minutes: &Minutes, versions: &Versions) -> Minutes {
        let mut said = minutes.clone();
        match self.mode {
            Mode::TwoPlayer => {}
            // What was entered for an absent player was never sealed.
            Mode::Gm if self.private => said.reveals.retain(|r| versions.contains_key(&(r.owner, r.slot.clone()))),
            Mode::Solo | Mode::Gm => said = Minutes { rolls: said.rolls, ..Minutes::default() },
        }
        said
    }

    /// Judges a result by resolving its segment with what it opens and claims, and moves on to the new position.
    pub fn judge(&mut self, inputs: Inputs, closer: &Role, closing: &Closing) -> Check {
        let inputs = self.with_record(inputs, closer, closing)?;
        self.check_marks(&inputs, closer, closing)?;
        let seed = Seed::of_segment(&closing.orders.to_string(), &closing.link.to_string());
        let outcome = self.resolve(&inputs, Dice::Seed(seed)).map_err(|failure| self.failed(failure))?;
        self.compare(closer, closing, &outcome, &inputs.versions)?;
        self.told = self.journal.as_ref().map_or(0, AnyJournal::len);
        self.settled = outcome.settled;
        self.state = outcome.state;
        self.state_hash = closing.state;
        self.stop = outcome.stop;
        self.journal = Some(outcome.journal);
        self.fresh = outcome.kept;
        if self.stop.ends_span() {
            self.keep_played(inputs);
            self.base = self.state.clone();
            self.base_hash = self.state_hash;
            self.base_stop = self.stop.clone();
            self.kept.0.append(&mut self.fresh.0);
        }
        Ok(())
    }

    fn keep_played(&mut self, inputs: Inputs) {
        let (Some(orders), Some(journal)) = (self.packet.clone(), self.journal.clone()) else { return };
        let mut holdings = inputs.holdings;
        holdings.0.extend(inputs.public.0);
        holdings.0.extend(self.fresh.0.iter().map(|(slot, value)| (slot.clone(), value.clone())));
        self.played.push(Arc::new(Played {
            base: self.base.clone(),
            stop: self.base_stop.clone(),
            orders,
            said: inputs.said,
            settled: self.settled.clone(),
            holdings,
            journal,
            state: self.state.clone(),
            next: self.stop.clone(),
        }));
    }

    /// Adds what the result itself opens and claims to what was known before.
    fn with_record(&self, mut inputs: Inputs, closer: &Role, closing: &Closing) -> Check<Inputs> {
        let seed = Seed::of_segment(&closing.orders.to_string(), &closing.link.to_string());
        for roll in &closing.rolls {
            let RollSaid::Secret { label, sides, ticket, by } = roll else { continue };
            inputs.spent.insert((by.clone(), ticket.clone()), (seed, label.clone(), sides.clone()));
        }
        for reveal in &closing.reveals {
            let role = reveal.by.as_ref().unwrap_or(closer).clone();
            let owner = self.side(&role)?;
            if let Some(value) = shown(&inputs.spent, role, &reveal.slot, &reveal.value, &reveal.salt) {
                inputs.holdings.0.insert((owner, reveal.slot.clone()), value);
            }
        }
        for claim in &closing.claims {
            for side in &inputs.closer_holds {
                inputs.said.claims.entry((*side, claim.claim.clone())).or_insert_with(|| claim.value.clone());
            }
        }
        Ok(inputs)
    }

    fn failed(&self, failure: Failure) -> Finding {
        match failure {
            Failure::Breach(Breach { code, fault, about }) => {
                let code = Code::from_text(code).unwrap_or(Code::Bug);
                let what = match code {
                    Code::NoReveal => "an opening or a claim that the rules call for is missing",
                    Code::Reveal => "what was opened is not what the slot must hold",
                    Code::Audit => "a statement about hidden values was not true",
                    _ => "the record does not say what the rules call for",
                };
                // A game master opens and states what the players gave him; what they vouch for is theirs.
                let stated = code == Code::NoReveal || code == Code::Audit && about.contains('/');
                let fault = match self.mode == Mode::Gm && stated {
                    true => Some(Role::gm()),
                    false => fault.and_then(|side| side.as_str().parse().ok()),
                };
                Finding { fault, ..Finding::new(code, what).about(about) }
            }
            Failure::NoDice(key) => bug("no die is left").about(key),
            Failure::WrongDie { called, .. } => bug("another die was called for").about(called),
            Failure::Bug(what) => bug(what),
        }
    }

    fn compare(&self, closer: &Role, closing: &Closing, outcome: &AnyOutcome, versions: &Versions) -> Check {
        let wrong = |code, what: &str| Finding::new(code, what).signed_by(closer);
        let minutes = self.minutes(&outcome.minutes, versions);
        let rolls = rolls_said(&minutes)?;
        let uncalled = |roll: &&RollSaid| matches!(roll, RollSaid::Secret { .. }) && !rolls.contains(roll);
        if let Some(roll) = closing.rolls.iter().find(uncalled) {
            let finding = wrong(Code::Schema, "a secret roll that the rules do not call for");
            return Err(finding.roll(roll.label(), roll.sides()));
        }
        if let Some(at) = first_difference(&closing.rolls, &rolls) {
            let (said, due) = (closing.rolls.get(at), rolls.get(at));
            let name = |roll: Option<&RollSaid>| roll.map_or("nothing".to_owned(), |roll| roll.label().to_string());
            let finding = wrong(Code::RollSet, "the rolls are not just those the rules call for");
            let finding = finding.not(name(said), name(due));
            return Err(match due.or(said) {
                Some(roll) => finding.roll(roll.label(), roll.sides()),
                None => finding,
            });
        }
        let opened: Vec<(&str, &Slot, u32)> =
            closing.reveals.iter().map(|r| (r.by.as_ref().unwrap_or(closer).as_str(), &r.slot, r.version)).collect();
        let due: Vec<(&str, &Slot, u32)> =
            minutes.reveals.iter().map(|r| (r.owner.as_str(), &r.slot, r.version)).collect();
        if let Some(at) = first_difference(&opened, &due) {
            let name =
                |list: &[(&str, &Slot, u32)]| list.get(at).map_or("nothing".to_owned(), |(_, s, _)| s.to_string());
            let missing = due.get(at).filter(|opening| !opened.contains(opening));
            return Err(match missing {
                Some((_, slot, _)) => {
                    wrong(Code::NoReveal, "an opening that the rules call for is missing").about(slot)
                }
                None => {
                    let finding = wrong(Code::RollSet, "the openings are not just those the rules call for");
                    finding.not(name(&opened), name(&due))
                }
            });
        }
        let claimed: Vec<(&Key, &Json)> = closing.claims.iter().map(|c| (&c.claim, &c.value)).collect();
        let due: Vec<(&Key, &Json)> = minutes.claims.iter().map(|c| (&c.key, &c.value)).collect();
        if let Some(at) = first_difference(&claimed, &due) {
            let name = |list: &[(&Key, &Json)]| list.get(at).map_or("nothing".to_owned(), |(key, _)| key.to_string());
            let missing = due.get(at).filter(|(key, _)| !claimed.iter().any(|(other, _)| other == key));
            return Err(match missing {
                Some((key, _)) => wrong(Code::NoReveal, "a claim that the rules call for is missing").about(key),
                None => {
                    let finding = wrong(Code::RollSet, "the claims are not just those the rules call for");
                    finding.not(name(&claimed), name(&due))
                }
            });
        }
        let hash = self.hash(&outcome.state)?;
        if closing.state != hash {
            return Err(wrong(Code::State, "the state is not the one the rules give").not(closing.state, hash));
        }
        let stop = stop_said(&outcome.stop)?;
        if closing.stop != stop {
            let finding = wrong(Code::State, "the rules stop elsewhere, or somebody else is due");
            return Err(finding.not(stop_words(&closing.stop), stop_words(&stop)));
        }
        Ok(())
    }
}

/// The slots that stand in a packet instead of values.
fn sealed_in<'a>(packet: &'a Json, slots: &mut Vec<&'a str>) {
    match packet {
        Json::List(items) => items.iter().for_each(|item| sealed_in(item, slots)),
        Json::Map(members) => match (members.len(), members.get("sealed")) {
            (1, Some(Json::Str(slot))) => slots.push(slot),
            _ => members.values().for_each(|value| sealed_in(value, slots)),
        },
        Json::Str(_) | Json::Int(_) | Json::Bool(_) => {}
    }
}

fn first_difference<T: PartialEq>(one: &[T], other: &[T]) -> Option<usize> {
    (0..one.len().max(other.len())).find(|at| one.get(*at) != other.get(*at))
}

fn role_of(side: Side) -> Check<Role> {
    side.as_str().parse().map_err(|_| bug("a side that cannot be a role"))
}

/// What the rules read of an opening: its value, or the faces of the secret roll the ticket was spent on, if it was.
fn shown(spent: &Spent, role: Role, slot: &Slot, value: &Json, salt: &Id) -> Option<Json> {
    if !slot.is_ticket() {
        return Some(value.clone());
    }
    let (seed, label, sides) = spent.get(&(role, slot.clone()))?;
    to_json(&faces(&seed.secret(&salt.to_string()), label.as_str(), sides)).ok()
}

fn spent(protocol: &Protocol) -> Spent {
    let on = |roll: &SecretRoll| {
        ((roll.by.clone(), roll.ticket.clone()), (roll.seed, roll.label.clone(), roll.sides.clone()))
    };
    protocol.secret_rolls().iter().map(on).collect()
}

fn rolls_said(minutes: &Minutes) -> Check<Vec<RollSaid>> {
    let said = |roll: &Rolled| {
        let (label, sides) = (roll.label.clone(), roll.sides.clone());
        Ok(match &roll.shown {
            Shown::Faces(faces) => RollSaid::Open { label, sides, faces: faces.clone() },
            Shown::Secret { by, ticket } => {
                RollSaid::Secret { label, sides, ticket: ticket.clone(), by: role_of(*by)? }
            }
        })
    };
    minutes.rolls.iter().map(said).collect()
}

/// A stop as a result tells it.
pub fn stop_said(stop: &Stop) -> Check<StopSaid> {
    let who = stop.who().map(|side| side.as_str().parse()).transpose();
    let who = who.map_err(|_| bug("a side that cannot be a role"))?;
    let mut said = StopSaid { who, ask: stop.ask().to_owned(), questions: vec![], slots: vec![], claims: vec![] };
    match stop {
        Stop::Answers { questions, .. } => {
            let question = |q: &crate::engine::Asked| QuestionSaid { key: q.key.clone(), kind: q.kind.0.to_owned() };
            said.questions = questions.iter().map(question).collect();
        }
        Stop::Facts { slots, claims, .. } => (said.slots, said.claims) = (slots.clone(), claims.clone()),
        Stop::Orders { .. } | Stop::End => {}
    }
    Ok(said)
}

/// A stop in a few words, for findings.
fn stop_words(stop: &StopSaid) -> String {
    let keys = stop.questions.iter().map(|q| q.key.to_string());
    let keys =
        keys.chain(stop.slots.iter().map(ToString::to_string)).chain(stop.claims.iter().map(ToString::to_string));
    let words = stop.who.iter().map(ToString::to_string).chain([stop.ask.clone()]).chain(keys);
    words.collect::<Vec<_>>().join(" ")
}
