//! Taking one record: the checks of the protocol in their order, then what the record changes.

use std::collections::{BTreeMap, BTreeSet};

use super::{Audited, NextRecord, Pending, Protocol, SecretRoll, Signatory, Span};
use crate::engine::dice::{Seed, faces};
use crate::engine::json::Json;
use crate::engine::{Flow, Key, Slot};
use crate::trust::bytes::Id;
use crate::trust::chain;
use crate::trust::data::{
    Audit, Closing, Data, EMPTY, Genesis, Hide, Join, Mode, Orders, Plan, Reveal, RollSaid, StopSaid,
};
use crate::trust::finding::{Code, Finding};
use crate::trust::record::{Body, Record, RecordKind};
use crate::trust::role::Role;
use crate::trust::seals::is_in_state;
use crate::trust::secret::commitment;

pub(super) type Check = Result<(), Finding>;

/// A reply to a `facts` stop decides nothing.
const FACTS_ALONE: &str = "a reply that states facts holds facts and openings alone: nobody decides anything there";

pub(super) fn fault(code: Code, by: &Role, what: impl Into<String>) -> Finding {
    Finding::new(code, what).signed_by(by)
}

impl Protocol {
    /// Accepts the next record, or says what is wrong with it; then nothing more may be given to it.
    pub fn take(&mut self, record: &Record) -> Result<Data, Finding> {
        self.check_signature(record)?;
        self.accept(record.body(), record.id())
    }

    /// The same for a body whose signature needs no check: one that is about to be signed here.
    pub(in crate::trust) fn accept(&mut self, body: &Body, id: Id) -> Result<Data, Finding> {
        if self.game.is_some() && body.game != self.game {
            return Err(Finding::new(Code::Game, "a record of another game"));
        }
        if body.seq != self.next {
            let what = format!("says that it is record {}, but record {} comes next", body.seq, self.next);
            return Err(Finding::new(Code::Gap, what));
        }
        if body.prev != self.head() {
            let what =
                "names another record before it than the one that stands there: one of the two is of another branch";
            return Err(Finding::new(Code::Gap, what).not(body.prev, self.head()));
        }
        self.check_due(body)?;
        let data = Data::read(body).map_err(|what| fault(Code::Schema, &body.by, what))?;
        match &data {
            Data::Genesis(genesis) => self.take_genesis(body, id, genesis)?,
            Data::Join(join) => self.take_join(body, join)?,
            Data::Plan(plan) => self.take_plan(body, plan)?,
            Data::Orders(orders) => self.take_orders(body, id, orders)?,
            Data::Closing(closing) => self.take_result(body, closing)?,
            Data::Audit(audit) => self.take_audit(body, audit)?,
            Data::Motion(motion) => self.take_motion(body, id, motion)?,
            Data::Accept(answer) => self.take_answer(body, answer, true)?,
            Data::Decline(answer) => self.take_answer(body, answer, false)?,
        }
        self.next += 1;
        self.last = Some(id);
        self.note_edge(body);
        Ok(data)
    }

    /// Whether the holder of the right key signed it.
    pub(in crate::trust) fn check_signature(&self, record: &Record) -> Check {
        let body = record.body();
        // A newcomer's key stands in his own record; everybody else has to use the one he came with.
        let newcomer = match (self.due(), &body.kind) {
            (NextRecord::Genesis, RecordKind::Genesis) => true,
            (NextRecord::Join(role), RecordKind::Join) => role == body.by,
            _ => false,
        };
        let key = if newcomer {
            let key = body.data.get("key").and_then(Json::as_str).and_then(|key| key.parse().ok());
            Some(key.ok_or_else(|| Finding::new(Code::Canon, "`key` has to be 64 hexadecimal digits"))?)
        } else {
            self.signatories.get(&body.by).map(|signatory| signatory.key)
        };
        match key {
            Some(key) if record.is_signed_by(&key) && self.changes_recovery(body) => {
                Err(fault(Code::Schema, &body.by, "`recovery` changes under its own signature only"))
            }
            Some(key) if record.is_signed_by(&key) => Ok(()),
            Some(_) if self.is_recovering(record) => Ok(()),
            Some(_) => Err(Finding::new(Code::Signature, "the signature does not fit: damaged or forged")),
            None => Err(Finding::new(Code::Signature, format!("{} has no key in this game", body.by))),
        }
    }

    fn check_due(&self, body: &Body) -> Check {
        let by = &body.by;
        let due = self.due();
        let fits = match (&body.kind, &due) {
            (RecordKind::Genesis, NextRecord::Genesis) => true,
            (RecordKind::Join, NextRecord::Join(role)) => role == by,
            (RecordKind::Plan, NextRecord::Speech(who)) => {
                self.mode() == Mode::TwoPlayer
                    && who.as_ref().is_none_or(|who| who == by)
                    && self.closes_span(by) != Some(false)
            }
            (RecordKind::Orders, NextRecord::Speech(who)) => match self.mode() {
                Mode::Solo => true,
                Mode::Gm => *by == Role::gm() || who.as_ref().is_none_or(|who| who == by),
                Mode::TwoPlayer => who.as_ref().is_none_or(|who| who == by) && self.closes_span(by) != Some(true),
            },
            (RecordKind::Orders, NextRecord::Call(role)) => role == by,
            (RecordKind::Result, NextRecord::Result(role)) => role == by || self.stands_in(body, role),
            (RecordKind::Accept, NextRecord::Answer(role)) => role == by,
            (RecordKind::Decline, NextRecord::Answer(role)) => role == by || self.stands_in(body, role),
            (RecordKind::Motion, _) => self.may_move(body),
            (RecordKind::Audit, NextRecord::Audit(owing)) => owing.contains(by),
            // The ruleset of the test vectors has no end; there an audit stands between two spans.
            (RecordKind::Audit, NextRecord::Speech(_)) => {
                self.is_toy() && self.span_is_over() && !self.audits.contains_key(by)
            }
            _ => false,
        };
        if fits {
            Ok(())
        } else {
            Err(fault(Code::Kind, by, format!("`{}` by {by} is not due: {}", body.kind, awaited(&due))))
        }
    }

    /// Whether a role closes the span in hand; nothing if none is.
    fn closes_span(&self, role: &Role) -> Option<bool> {
        if self.span_is_over() {
            return None;
        }
        self.span.as_ref().map(|span| span.closer == *role)
    }

    fn take_genesis(&mut self, body: &Body, id: Id, genesis: &Genesis) -> Check {
        let by = &body.by;
        self.game = Some(id);
        self.new_key(by, &genesis.key)?;
        genesis.recovery.iter().chain(&genesis.director).try_for_each(|key| self.new_key(by, key))?;
        let (tip, recovery) = (Some(genesis.anchor), genesis.recovery);
        self.signatories.insert(by.clone(), Signatory { key: genesis.key, tip, used: 0, recovery });
        if let Some(key) = genesis.director {
            self.signatories.insert(Role::director(), Signatory { key, tip: None, used: 0, recovery: None });
        }
        self.published.insert(genesis.anchor);
        self.joined.push(by.clone());
        self.founder = Some(by.clone());
        self.genesis = Some(genesis.clone());
        Ok(())
    }

    fn take_join(&mut self, body: &Body, join: &Join) -> Check {
        let by = &body.by;
        if Some(join.accept) != self.game {
            return Err(fault(Code::Kind, by, "accepts another offer"));
        }
        if join.anchor.is_some() != (self.mode() == Mode::TwoPlayer) {
            return Err(fault(Code::Schema, by, "an anchor belongs to a player who closes segments, and to no other"));
        }
        if join.anchor.is_some_and(|anchor| self.published.contains(&anchor)) {
            return Err(fault(Code::Kind, by, "key or anchor copied from another player"));
        }
        self.new_key(by, &join.key)?;
        join.recovery.iter().try_for_each(|key| self.new_key(by, key))?;
        self.seal(body, &join.hide, true)?;
        self.published.extend(join.anchor);
        let (tip, recovery) = (join.anchor, join.recovery);
        self.signatories.insert(by.clone(), Signatory { key: join.key, tip, used: 0, recovery });
        self.joined.push(by.clone());
        Ok(())
    }

    /// Takes the commitments of a record; those of slots in the state only where a span begins or ends.
    pub(super) fn seal(&mut self, body: &Body, hides: &[Hide], at_edge: bool) -> Check {
        let by = &body.by;
        if !self.seals_values() && !hides.is_empty() {
            let what = match self.mode() {
                Mode::Gm => "sealed values go with a `private` game master; nothing is sealed here",
                _ => "nothing is sealed in a solo game",
            };
            return Err(fault(Code::Schema, by, what));
        }
        let own = format!("plan/{}/", body.seq);
        // Under a game master there are no plans; the entries stand in the orders themselves.
        let plans = if self.mode() == Mode::Gm { RecordKind::Orders } else { RecordKind::Plan };
        let planned = |hide: &Hide| body.kind == plans && hide.version == 1 && hide.slot.as_str().starts_with(&own);
        if let Some(hide) = hides.iter().find(|hide| hide.slot.as_str().starts_with("plan/") && !planned(hide)) {
            return Err(fault(Code::Schema, by, "is the name of an entry of another plan").about(&hide.slot));
        }
        if let Some(hide) = hides.iter().find(|hide| !at_edge && is_in_state(&hide.slot)) {
            let what = "can be committed anew only where a span begins or ends";
            return Err(fault(Code::Schema, by, what).about(&hide.slot));
        }
        let owner = self.owner_of(body);
        self.seals.seal(&owner, hides, body.seq).map_err(|what| fault(Code::Schema, by, what))
    }

    fn check_state(&self, by: &Role, state: Id) -> Check {
        match self.state {
            Some(expected) if expected != state => {
                Err(fault(Code::State, by, "was written for another state").not(state, expected))
            }
            _ => Ok(()),
        }
    }

    fn take_plan(&mut self, body: &Body, plan: &Plan) -> Check {
        let by = &body.by;
        let opens = self.span_is_over();
        self.check_state(by, plan.state)?;
        if self.asks_facts() && (!plan.answers.is_empty() || plan.note.is_some()) {
            return Err(fault(Code::Schema, by, FACTS_ALONE));
        }
        self.check_hidden_facts(by, &plan.hide, false)?;
        if !opens && (plan.orders.is_some() || plan.entries.is_some()) {
            return Err(fault(Code::Schema, by, "answers or facts are due, not a packet"));
        }
        let marks = plan.marks(self.is_toy()).map_err(|what| fault(Code::Schema, by, what))?;
        let entries = u32::try_from(marks.len()).unwrap_or(u32::MAX);
        self.check_plan_slots(body, &plan.hide, entries)?;
        self.seal(body, &plan.hide, opens)?;
        if opens {
            let mut span = Span::new(body.seq, Flow::Plan, by.clone(), by.clone(), plan.orders.clone());
            span.entries = entries;
            span.marks.clone_from(&marks);
            self.plans.insert(body.seq, marks);
            self.span = Some(span);
        }
        self.state = self.state.or(Some(plan.state));
        self.pending = Pending::Plan;
        if let Some(span) = &mut self.span {
            span.hear(self.stop.as_ref(), by, body.seq, &plan.answers, &plan.claims);
        }
        self.open(body, &plan.reveals)
    }

    /// The entries of a plan are just `plan/<seq>/1` … `plan/<seq>/<entries>`.
    fn check_plan_slots(&self, body: &Body, hides: &[Hide], entries: u32) -> Check {
        let prefix = format!("plan/{}/", body.seq);
        let found: BTreeSet<&str> = hides.iter().filter_map(|h| h.slot.as_str().strip_prefix(&prefix)).collect();
        let all = (1..=entries).all(|k| found.contains(k.to_string().as_str()));
        if !all || usize::try_from(entries) != Ok(found.len()) {
            return Err(fault(Code::Schema, &body.by, format!("the slots {prefix}… do not fit the number of entries")));
        }
        Ok(())
    }

    fn take_orders(&mut self, body: &Body, id: Id, orders: &Orders) -> Check {
        let by = &body.by;
        let call = matches!(self.due(), NextRecord::Call(_));
        let opens = !call && self.span_is_over();
        let side = self.check_side(body, orders)?;
        if orders.is_call() != call {
            let what = if call { "a plan is answered by a call" } else { "a call, where no plan stands" };
            return Err(fault(Code::Schema, by, what));
        }
        if !call && !opens && orders.orders.is_some() {
            return Err(fault(Code::Schema, by, "answers or facts are due, not a packet"));
        }
        if call && !orders.hide.is_empty() {
            return Err(fault(Code::Schema, by, "a call commits nothing"));
        }
        self.check_state(by, orders.state)?;
        let facts = !call && self.asks_facts();
        let tickets = self.stop.iter().filter(|_| facts).flat_map(|stop| &stop.slots).any(Slot::is_ticket);
        let waives = tickets && *by == Role::gm();
        if facts {
            let decides = orders.policies.is_some() || orders.standing.is_some() || !orders.answers.is_empty();
            if decides || orders.note.is_some() {
                return Err(fault(Code::Schema, by, FACTS_ALONE));
            }
            self.check_hidden_facts(by, &orders.hide, waives)?;
        }
        let packet_side = if opens { &side } else { self.span.as_ref().map_or(&side, |span| &span.side) };
        if orders.policies.is_some() && *packet_side != side {
            return Err(fault(Code::Schema, by, "policies belong to the side whose packet is carried out"));
        }
        self.seal(body, &orders.hide, opens)?;
        if tickets {
            self.seals.count_at_once(body.seq);
        }
        if opens {
            let closer = match self.mode() {
                Mode::TwoPlayer => self.other(by).unwrap_or(by).clone(),
                Mode::Gm | Mode::Solo => self.founder.clone().unwrap_or_else(|| by.clone()),
            };
            let mut span = Span::new(body.seq, Flow::Direct, closer, side.clone(), orders.orders.clone());
            // A private game master's player seals what a planner would; two players' orders have no such entries.
            let own = format!("plan/{}/", body.seq);
            let entries = orders.hide.iter().filter(|hide| hide.slot.as_str().starts_with(&own)).count();
            span.entries = u32::try_from(entries).unwrap_or(u32::MAX);
            self.check_plan_slots(body, &orders.hide, span.entries)?;
            self.span = Some(span);
        }
        for (kind, policy) in orders.standing.iter().flatten() {
            self.standing.insert((side.clone(), kind.clone()), policy.clone());
        }
        self.state = self.state.or(Some(orders.state));
        self.pending = Pending::Orders;
        if let Some(span) = &mut self.span {
            span.orders = Some((body.seq, id));
            span.policies.extend(orders.policies.clone().unwrap_or_default());
            span.hear(self.stop.as_ref(), &side, body.seq, &orders.answers, &orders.claims);
            span.waived.extend(waives.then(|| (side, Slot::waived(body.seq))));
        }
        self.open(body, &orders.reveals)
    }

    fn asks_facts(&self) -> bool {
        self.pending == Pending::Nothing && self.stop.as_ref().is_some_and(|stop| stop.ask == "facts")
    }

    /// Who states facts commits the tickets he was asked for and has not committed since, and nothing else; a game master
    /// who goes on without him commits none.
    fn check_hidden_facts(&self, by: &Role, hides: &[Hide], waives: bool) -> Check {
        let Some(stop) = self.stop.as_ref().filter(|_| self.asks_facts()) else { return Ok(()) };
        let asked = |hide: &&Hide| hide.slot.is_ticket() && stop.slots.contains(&hide.slot) && !waives;
        if let Some(hide) = hides.iter().find(|hide| !asked(hide)) {
            return Err(fault(Code::Schema, by, FACTS_ALONE).about(&hide.slot));
        }
        let there = |slot: &Slot| {
            hides.iter().any(|hide| hide.slot == *slot) || self.seals.of_role(by).any(|(other, _)| other == slot)
        };
        match stop.slots.iter().find(|slot| slot.is_ticket() && !waives && !there(slot)) {
            Some(slot) => Err(fault(Code::Schema, by, "the ticket that was asked for is not committed").about(slot)),
            None => Ok(()),
        }
    }

    /// The side that orders speak for, and the members each mode allows.
    fn check_side(&mut self, body: &Body, orders: &Orders) -> Result<Role, Finding> {
        let by = &body.by;
        let wrong = |what: &str| fault(Code::Schema, by, what);
        if orders.standing.is_some() && self.seals_values() {
            return Err(wrong("in this game standing orders are sealed; `standing` cannot be open"));
        }
        if orders.policies.is_some() && self.is_private() && *by != Role::gm() {
            return Err(wrong("under a private game master policies are sealed with the packet; they cannot be open"));
        }
        let side = match (self.mode(), &orders.side) {
            (Mode::TwoPlayer, None) => by.clone(),
            (Mode::TwoPlayer, Some(_)) => return Err(wrong("a player orders for himself only")),
            (Mode::Solo, Some(side)) => side.clone(),
            (Mode::Solo, None) => return Err(wrong("in a solo game `for` names the side")),
            (Mode::Gm, None) if *by != Role::gm() => by.clone(),
            (Mode::Gm, Some(side)) if *by == Role::gm() => side.clone(),
            (Mode::Gm, _) => return Err(wrong("`for` stands in orders of the game master, and in no others")),
        };
        if orders.nmr.is_some() && *by != Role::gm() {
            return Err(wrong("`nmr` stands in orders of the game master only"));
        }
        let said = orders.policies.is_some() || orders.standing.is_some() || !orders.answers.is_empty();
        if orders.is_for_nobody() && said {
            return Err(wrong(EMPTY));
        }
        if self.mode() == Mode::Gm && *by == Role::gm() {
            if orders.nonce != body.prev {
                return Err(wrong("orders of the game master carry the id of the record before as their nonce"));
            }
            if orders.nmr != Some(true) && self.signatories.contains_key(&side) {
                return Err(wrong("orders for a player who signs himself have to be marked `nmr`"));
            }
            self.absent.push(body.seq);
        }
        match self.stop.as_ref().and_then(|stop| stop.who.as_ref()) {
            Some(who) if matches!(self.due(), NextRecord::Speech(_)) && *who != side => {
                Err(fault(Code::Kind, by, format!("orders for {side}, but {who} is due")))
            }
            _ => Ok(side),
        }
    }

    fn take_result(&mut self, body: &Body, closing: &Closing) -> Check {
        let by = &body.by;
        let pending = self.span.as_ref().and_then(|span| span.orders);
        if Some(closing.orders) != pending.map(|(_, id)| id) {
            return Err(fault(Code::Kind, by, "closes other orders than those before it"));
        }
        let whose = match &closing.role {
            Some(role) => {
                self.check_called(body, role, closing.notice.as_ref(), "result")?;
                if !closing.hide.is_empty() {
                    return Err(fault(Code::Schema, by, "a director commits nothing for the role he signs for"));
                }
                self.directed.push((body.seq, role.clone()));
                role.clone()
            }
            None => by.clone(),
        };
        self.check_stop(by, &closing.stop)?;
        self.seal(body, &closing.hide, closing.stop.ends_span())?;
        self.check_link(&whose, closing).map_err(|finding| finding.signed_by(by))?;
        let seed = Seed::of_segment(&closing.orders.to_string(), &closing.link.to_string());
        check_faces(by, &seed, &closing.rolls)?;
        self.spend_tickets(body, &seed, &closing.rolls)?;
        self.open(body, &closing.reveals)?;
        self.state = Some(closing.state);
        self.stop = Some(closing.stop.clone());
        self.pending = Pending::Nothing;
        if let Some(span) = &mut self.span {
            span.results.push(body.seq);
            span.orders = None;
        }
        if closing.stop.ends_span() {
            self.refused.clear();
        }
        Ok(())
    }

    /// Nobody but a player of the game can be due.
    fn check_stop(&self, by: &Role, stop: &StopSaid) -> Check {
        let known = |who: &Role| self.mode() != Mode::TwoPlayer || self.signatories.contains_key(who);
        match &stop.who {
            Some(who) if !known(who) => Err(fault(Code::Schema, by, format!("{who} does not play in this game"))),
            _ => Ok(()),
        }
    }

    fn check_link(&mut self, by: &Role, closing: &Closing) -> Check {
        let links = self.genesis.as_ref().map_or(0, |genesis| genesis.links);
        let Some(Signatory { tip: Some(tip), used, .. }) = self.signatories.get_mut(by) else {
            return Err(fault(Code::Index, by, "closes without a chain"));
        };
        let expected = *used + 1;
        if closing.index != expected || expected > links {
            let what = if expected > links { "the chain is used up" } else { "a link was left out or used again" };
            return Err(fault(Code::Index, by, what).not(closing.index, expected));
        }
        let before = chain::before(by, closing.index, &closing.link);
        if before != *tip {
            let finding = fault(Code::Link, by, "the link does not hash to the one before it").not(before, *tip);
            let (index, link) = (closing.index.to_string(), closing.link.to_string());
            return Err(finding.check_hash("link", &[by.as_str(), &index, &link]));
        }
        (*tip, *used) = (closing.link, expected);
        self.published.insert(closing.link);
        Ok(())
    }

    /// Secret rolls spend the lowest ticket of their owner that was committed before the segment. Where there is none the rules
    /// stop and ask for it, so whoever closes with another is at fault, and never the owner.
    fn spend_tickets(&mut self, body: &Body, seed: &Seed, rolls: &[RollSaid]) -> Check {
        let at = self.moment();
        for roll in rolls {
            let RollSaid::Secret { label, sides, ticket, by } = roll else { continue };
            let wrong = |what: &str| fault(Code::Ticket, &body.by, what).roll(label, sides);
            if self.mode() == Mode::Solo {
                return Err(fault(Code::Schema, &body.by, "nothing is secret in a solo game").roll(label, sides));
            }
            // They are spent in order, so the next one is known by their number.
            let spent = self.spent.get(by).copied().unwrap_or(0);
            let next = Slot::parse(&format!("ticket/{}", spent + 1)).ok();
            let free = next.and_then(|slot| Some((self.seals.in_force(by, &slot, at)?.version, slot)));
            let Some((version, slot)) = free else {
                return Err(wrong("no ticket was committed in time"));
            };
            if slot != *ticket {
                return Err(wrong("another ticket was due").not(ticket, slot));
            }
            self.spent.insert(by.clone(), spent + 1);
            self.secret_rolls.push(SecretRoll {
                label: label.clone(),
                sides: sides.clone(),
                seed: *seed,
                ticket: slot,
                version,
                by: by.clone(),
                seq: body.seq,
            });
        }
        Ok(())
    }

    pub(super) fn open(&mut self, body: &Body, reveals: &[Reveal]) -> Check {
        let Some(game) = self.game else { return Ok(()) };
        let at = self.moment();
        for reveal in reveals {
            let stood_for = self.directed.last().filter(|(seq, _)| *seq == body.seq).map(|(_, role)| role.clone());
            let signer = stood_for.as_ref().unwrap_or(&body.by);
            let owner = reveal.by.as_ref().unwrap_or(signer);
            let may = match self.mode() {
                Mode::TwoPlayer => reveal.by.is_none(),
                Mode::Gm => self.is_private() && body.by == Role::gm() && reveal.by.is_some(),
                Mode::Solo => false,
            };
            if !may {
                return Err(fault(Code::Schema, &body.by, "opens what is not his").about(&reveal.slot));
            }
            // Whoever shows it answers for it: a game master has checked what he was given.
            let opened = self.seals.open(&game, owner, reveal, at, body.seq);
            opened.map_err(|finding| finding.signed_by(&body.by))?;
        }
        Ok(())
    }

    fn take_audit(&mut self, body: &Body, audit: &Audit) -> Check {
        let (by, Some(game)) = (&body.by, self.game) else { return Ok(()) };
        let secrets = self.audit_secrets(by, audit)?;
        let mut values = BTreeMap::new();
        for (slot, sealing) in self.seals.of_role(by) {
            let name = format!("{slot}/{}", sealing.version);
            // What was lost by consent stays closed.
            let Some(hide) = secrets.of(sealing.seq) else { continue };
            let Some(value) = audit.values.get(&name) else {
                return Err(fault(Code::Withheld, by, "was not opened").about(name));
            };
            let salt = hide.salt(slot, sealing.version);
            if commitment(&game, by, slot, sealing.version, &salt, value) != sealing.commit {
                let finding = fault(Code::Audit, by, "the value does not fit its commitment").about(name);
                let (game, version, salt) = (game.to_string(), sealing.version.to_string(), salt.to_string());
                let value = value.to_string();
                let lines = [&game, by.as_str(), slot.as_str(), &version, &salt, &value];
                let made = Id::hash("hide", &lines);
                return Err(finding.not(made, sealing.commit).check_hash("hide", &lines));
            }
            values.insert((slot.clone(), sealing.version), (salt, value.clone()));
        }
        if values.len() != audit.values.len() {
            return Err(fault(Code::Audit, by, "opens what was never committed"));
        }
        // A roll that was taken back and made again has one label and stands there twice, in the order of the ledger.
        let mut told: BTreeMap<&Key, Vec<&Vec<u16>>> = BTreeMap::new();
        for roll in audit.secret_rolls.iter().rev() {
            told.entry(&roll.label).or_default().push(&roll.faces);
        }
        let own = self.secret_rolls.iter().filter(|roll| roll.by == *by);
        for roll in own {
            let Some((salt, _)) = values.get(&(roll.ticket.clone(), roll.version)) else { continue };
            let true_faces = roll.faces(salt);
            let said = told.get_mut(&roll.label).and_then(Vec::pop);
            if said != Some(&true_faces) {
                let said = said.map_or("nothing".to_owned(), |faces| format!("{faces:?}"));
                let finding = fault(Code::Audit, by, "a secret roll was not as told").roll(&roll.label, &roll.sides);
                return Err(finding.not(said, format!("{true_faces:?}")));
            }
        }
        if told.values().any(|left| !left.is_empty()) {
            return Err(fault(Code::Audit, by, "tells of a secret roll that was not made"));
        }
        self.audits.insert(by.clone(), Audited { values });
        Ok(())
    }
}

fn check_faces(by: &Role, seed: &Seed, rolls: &[RollSaid]) -> Check {
    for roll in rolls {
        let RollSaid::Open { label, sides, faces: said } = roll else { continue };
        let true_faces = faces(seed, label.as_str(), sides);
        if *said != true_faces {
            let finding = fault(Code::Roll, by, "the dice did not fall like this").roll(label, sides);
            return Err(finding.not(format!("{said:?}"), format!("{true_faces:?}")));
        }
    }
    Ok(())
}

/// What is awaited, in words.
fn awaited(due: &NextRecord) -> String {
    match due {
        NextRecord::Genesis => "the first record is a genesis".to_owned(),
        NextRecord::Join(role) => format!("{role} has to join first"),
        NextRecord::Speech(Some(role)) => format!("{role} is due"),
        NextRecord::Speech(None) => "orders are due".to_owned(),
        NextRecord::Call(role) => format!("{role} has to answer the plan"),
        NextRecord::Result(role) => format!("{role} owes a result"),
        NextRecord::Answer(role) => format!("{role} has to accept or decline the motion"),
        NextRecord::Audit(roles) => match roles.first() {
            Some(role) => format!("{role} owes an audit"),
            None => "the game is over and audited".to_owned(),
        },
    }
}
