//! Making records: packets, plans, answers, calls, facts, results and audits.
//!
//! Everything is worked out and judged before it is signed, and the same position with the same words gives the same
//! bytes, so that a mail can be sent again.

use std::collections::BTreeMap;

use super::bytes::Id;
use super::data::{Answer, Audit, ClaimSaid, Data, Hide, Mode, Orders, Plan, Reveal, SecretFaces};
use super::finding::Code;
use super::home::{GameFile, Sealed};
use super::ledger::{Ledger, LedgerTrouble, Pen, Speech};
use super::protocol::{NextRecord, Protocol, SecretRoll};
use super::record::Record;
use super::replay::{Replay, Vision};
use super::role::Role;
use super::seals::Moment;
use super::secret::commitment;
use crate::engine::json::Json;
use crate::engine::submission::Submission;
use crate::engine::{AnyOutcome, Breach, Failure, Flow, Opening, Side, Slot, Stop};

/// Facts and openings that a record has to carry.
type Forced = (Vec<ClaimSaid>, Vec<Reveal>);

/// Commitments in the making.
pub(super) struct Sealing<'a> {
    ledger: &'a Ledger,
    file: &'a GameFile,
    hides: Vec<Hide>,
    values: Vec<Sealed>,
}

impl<'a> Sealing<'a> {
    pub(super) fn new(ledger: &'a Ledger, file: &'a GameFile) -> Sealing<'a> {
        Sealing { ledger, file, hides: Vec::new(), values: Vec::new() }
    }

    fn hide(&mut self, slot: Slot, value: Json) {
        let role = self.file.role();
        let version = self.ledger.protocol().seals().next_version(role, &slot);
        let salt = self.file.secret().hide().salt(&slot, version);
        let commit = commitment(&self.file.game(), role, &slot, version, &salt, &value);
        self.hides.push(Hide { slot: slot.clone(), version, commit });
        self.values.push((slot, version, value));
    }

    /// Seals anew what was seen and lies face down again, mixed with everything that lies beside it.
    fn remask(&mut self, protocol: &Protocol, replay: &Replay, side: Side) {
        for (slot, value) in self.ledger.mixed_anew(protocol, replay, side) {
            self.hide(slot, value);
        }
    }

    /// Seals some values anew in some slots, mixed.
    pub(super) fn mix(&mut self, group: Vec<Slot>, values: Vec<Json>) {
        for (slot, value) in self.ledger.mixed(self.file.role(), group, values) {
            self.hide(slot, value);
        }
    }

    /// What was committed, with the values.
    pub(super) fn done(self) -> (Vec<Hide>, Vec<Sealed>) {
        (self.hides, self.values)
    }

    /// Commits the tickets for every secret roll the rules can ask of this side, with the first thing it ever seals; and
    /// as many again as were spent on rolls that were taken back.
    fn tickets(&mut self, side: Side) {
        let void = self.ledger.protocol().void_rolls(self.file.role(), None);
        self.top_up(side, void);
    }

    /// The same where so many rolls are or will be void.
    pub(super) fn top_up(&mut self, side: Side, void: usize) {
        let (role, seals) = (self.file.role(), self.ledger.protocol().seals());
        // What a motion committed that was declined never came into force.
        let stands = |number: &u32| seals.of_role(role).any(|(slot, _)| *slot == Slot::ticket(*number));
        let committed = (1..).take_while(stands).count();
        let void = u32::try_from(void).unwrap_or(u32::MAX);
        let all = self.ledger.replay().table().tickets(side).saturating_add(void);
        let missing = (1..=all).skip(committed).map(Slot::ticket);
        missing.for_each(|ticket| self.hide(ticket, Json::map()));
    }

    /// Commits the standing orders of all kinds at once, so that nobody sees which of them changed.
    pub(super) fn standing(&mut self, side: Side, new: &BTreeMap<String, Json>) {
        let before = self.ledger.standing_of(side);
        let kinds: Vec<&'static str> = self.ledger.replay().standing_kinds(side).collect();
        let seals = self.ledger.protocol().seals();
        let (role, changed) = (self.file.role(), new.iter().any(|(kind, policy)| before.get(kind) != Some(policy)));
        let stale = kinds.iter().any(|kind| {
            let slot = Slot::standing(kind);
            let version = seals.next_version(role, &slot).saturating_sub(1);
            version == 0 || seals.opening(role, &slot, version).is_some()
        });
        if !changed && !stale {
            return;
        }
        for kind in kinds {
            let policy = new.get(kind).or_else(|| before.get(kind)).cloned();
            let policy = policy.unwrap_or_else(|| Json::from("default"));
            self.hide(Slot::standing(kind), Json::object([("policy", policy)]));
        }
    }
}

fn some(map: &BTreeMap<String, Json>) -> Option<BTreeMap<String, Json>> {
    (!map.is_empty()).then(|| map.clone())
}

fn answers(submission: &Submission) -> Vec<Answer> {
    let answer = |(key, choice): (&crate::engine::Key, &Json)| Answer { key: key.clone(), choice: choice.clone() };
    submission.answers.iter().map(answer).collect()
}

fn own_breach(breach: &Breach) -> LedgerTrouble {
    LedgerTrouble::Refused(format!("these orders break a rule that your hidden units are bound by ({})", breach.about))
}

/// The link with which a role closes its next segment, and its index.
fn next_link(protocol: &Protocol, pen: &Pen<'_>) -> Option<(u32, Id)> {
    let role = pen.file.role();
    let index = protocol.signatories().get(role).map_or(0, |seat| seat.used) + 1;
    Some((index, pen.file.secret().chain(role, pen.file.links()).link(index)?))
}

fn role_of(side: Side) -> Result<Role, LedgerTrouble> {
    side.as_str().parse().map_err(|_| LedgerTrouble::NotDue(format!("{side} cannot be a role")))
}

impl Ledger {
    /// What was seen and lies face down again, mixed with everything that lies beside it, as its owner seals it anew.
    pub(super) fn mixed_anew(&self, protocol: &Protocol, replay: &Replay, side: Side) -> Vec<(Slot, Json)> {
        let Ok(role) = role_of(side) else { return Vec::new() };
        let seals = protocol.seals();
        let latest = |slot: &Slot| seals.next_version(&role, slot).saturating_sub(1);
        let mut all = Vec::new();
        for group in replay.table().masks(replay.state(), side) {
            let seen = group.iter().any(|slot| seals.opening(&role, slot, latest(slot)).is_some());
            let value = |slot: &Slot| self.vision.get(&role, slot, latest(slot)).cloned();
            let values: Option<Vec<Json>> = group.iter().map(value).collect();
            if let Some(values) = values.filter(|_| seen) {
                all.extend(self.mixed(&role, group, values));
            }
        }
        all
    }

    /// Some values mixed among some slots: in the order of their next salts, which nobody else knows and which come out the
    /// same another time.
    fn mixed(&self, role: &Role, group: Vec<Slot>, values: Vec<Json>) -> Vec<(Slot, Json)> {
        let salt = |slot: &Slot| self.vision.salt(role, slot, self.protocol().seals().next_version(role, slot));
        let mut mixed: Vec<(Option<Id>, Json)> = group.iter().map(salt).zip(values).collect();
        mixed.sort_by_key(|(salt, _)| *salt);
        group.into_iter().zip(mixed.into_iter().map(|(_, value)| value)).collect()
    }

    fn empty_orders(&self, pen: &Pen<'_>) -> Orders {
        Orders {
            nonce: pen.file.secret().nonce(&self.protocol().head()),
            state: self.replay().state_hash(),
            orders: None,
            policies: None,
            standing: None,
            answers: Vec::new(),
            hide: Vec::new(),
            reveals: Vec::new(),
            claims: Vec::new(),
            side: None,
            nmr: None,
            file_sha256: None,
            note: None,
        }
    }

    fn empty_plan(&self) -> Plan {
        Plan {
            state: self.replay().state_hash(),
            orders: None,
            entries: None,
            hide: Vec::new(),
            answers: Vec::new(),
            reveals: Vec::new(),
            claims: Vec::new(),
            note: None,
        }
    }

    /// The side that has to give orders or answers now.
    fn speaker(&self) -> Result<Side, LedgerTrouble> {
        let decides = matches!(self.replay().stop(), Stop::Orders { .. } | Stop::Answers { .. });
        let side = self.to_speak().filter(|_| decides);
        side.ok_or_else(|| LedgerTrouble::NotDue("nobody has to give orders now".to_owned()))
    }

    /// The side that a game master can go on without.
    fn silent(&self) -> Result<Side, LedgerTrouble> {
        match self.replay().stop() {
            Stop::Facts { .. } => {
                self.to_speak().ok_or_else(|| LedgerTrouble::NotDue("nobody has to state facts now".to_owned()))
            }
            _ => self.speaker(),
        }
    }

    /// Signs what was read from an order file: a packet or answers, as orders or as a plan. The result is still owed.
    pub fn submit(&mut self, submission: &Submission, pen: &mut Pen<'_>) -> Result<Record, LedgerTrouble> {
        self.submit_file(submission, None, pen)
    }

    /// The same where a game master enters a plain file with this SHA-256.
    pub fn submit_file(
        &mut self,
        submission: &Submission,
        file: Option<Id>,
        pen: &mut Pen<'_>,
    ) -> Result<Record, LedgerTrouble> {
        let side = self.speaker()?;
        if submission.side != side {
            return Err(LedgerTrouble::NotDue(format!("these are orders of {}, but {side} is due", submission.side)));
        }
        if !self.protocol().seals_values() || *pen.file.role() == Role::gm() {
            let table = self.replay().table();
            let orders = submission.orders.as_ref().map(|orders| table.orders_json(orders)).transpose();
            let speech = Speech {
                orders: orders.map_err(super::record::NotARecord::from)?,
                policies: submission.policies.clone(),
                standing: submission.standing.clone(),
                answers: answers(submission),
                file: file.filter(|_| *pen.file.role() == Role::gm()),
                note: submission.note.clone(),
            };
            return self.speak(speech, pen);
        }
        if role_of(side)? != *pen.file.role() {
            return Err(LedgerTrouble::NotDue(format!("{side} is due, and you play {}", pen.file.role())));
        }
        let (data, sealed) = match self.replay().stop() {
            Stop::Orders { flow, .. } => self.packet(submission, side, *flow, pen)?,
            _ => self.answer(submission, side, pen)?,
        };
        let data = data.with_message(submission.note.clone());
        // A game master opens and states by himself what the rules call for.
        let data = match self.protocol().mode() {
            Mode::TwoPlayer => self.with_forced(data, &sealed, side, pen)?,
            Mode::Gm | Mode::Solo => {
                self.check_own(&data, &sealed, side, pen)?;
                data
            }
        };
        self.sign(&data, &sealed, pen)
    }

    fn packet(
        &self,
        submission: &Submission,
        side: Side,
        flow: Flow,
        pen: &Pen<'_>,
    ) -> Result<(Data, Vec<Sealed>), LedgerTrouble> {
        let (table, state) = (self.replay().table(), self.replay().state());
        let number = self.protocol().next();
        let mut sealing = Sealing::new(self, pen.file);
        let orders = submission.orders.clone().unwrap_or_else(|| table.no_orders(state, self.replay().stop()));
        // Under a private game master every packet is read by him alone, so it is sealed as a plan is.
        let private = self.protocol().is_private();
        let planned = flow == Flow::Plan || private;
        let plan = planned.then_some(number);
        let orders = table.seal(state, orders, plan, &mut |slot, value| sealing.hide(slot, value));
        let orders = Some(table.orders_json(&orders).map_err(super::record::NotARecord::from)?);
        if private {
            sealing.remask(self.protocol(), self.replay(), side);
        }
        if !planned {
            sealing.standing(side, &submission.standing);
            sealing.tickets(side);
            let Sealing { hides, values, .. } = sealing;
            let data = Orders { orders, policies: some(&submission.policies), hide: hides, ..self.empty_orders(pen) };
            return Ok((Data::Orders(data), values));
        }
        let prefix = format!("plan/{number}/");
        let entries = sealing.hides.iter().filter(|hide| hide.slot.as_str().starts_with(&prefix)).count();
        let mut entries = u32::try_from(entries).unwrap_or(u32::MAX);
        let planned = sealing.values.iter().filter(|(slot, ..)| slot.as_str().starts_with(&prefix));
        let mut marks: Vec<Json> = planned.map(|(.., value)| Json::Bool(table.is_conditional(value))).collect();
        let unsaid = Json::from(if self.replay().questions().ask { "ask" } else { "default" });
        for kind in self.replay().own_kinds(side) {
            entries += 1;
            marks.push(Json::Bool(false));
            let policy = submission.policies.get(kind).unwrap_or(&unsaid).clone();
            sealing.hide(Slot::plan(number, entries), Json::object([("policy", policy)]));
        }
        sealing.standing(side, &submission.standing);
        sealing.tickets(side);
        if private {
            let Sealing { hides, values, .. } = sealing;
            return Ok((Data::Orders(Orders { orders, hide: hides, ..self.empty_orders(pen) }), values));
        }
        let Sealing { hides, values, .. } = sealing;
        let plan = Plan { orders, entries: Some(Json::List(marks)), hide: hides, ..self.empty_plan() };
        Ok((Data::Plan(plan), values))
    }

    /// Answers: as a plan of the closer, as orders of the other.
    fn answer(&self, submission: &Submission, side: Side, pen: &Pen<'_>) -> Result<(Data, Vec<Sealed>), LedgerTrouble> {
        let role = pen.file.role();
        let span = self.protocol().span();
        let answers = answers(submission);
        if span.is_some_and(|span| span.closer == *role) {
            return Ok((Data::Plan(Plan { answers, ..self.empty_plan() }), Vec::new()));
        }
        let own = span.is_some_and(|span| span.side.as_str() == side.as_str());
        // What was sealed with the packet holds; a private game master's players say no more in the clear.
        let policies = some(&submission.policies).filter(|_| own && !self.protocol().is_private());
        Ok((Data::Orders(Orders { answers, policies, ..self.empty_orders(pen) }), Vec::new()))
    }

    /// Adds the facts and openings of the signer that resolution will ask for before the next die.
    fn with_forced(&self, data: Data, sealed: &[Sealed], side: Side, pen: &Pen<'_>) -> Result<Data, LedgerTrouble> {
        let Data::Orders(mut orders) = data else { return Ok(data) };
        let body = self.protocol().body(pen.file.role(), &Data::Orders(orders.clone()))?;
        let (protocol, replay, vision) = self.ahead(&body, sealed)?;
        let at = LedgerTrouble::at(self.protocol().next());
        let inputs =
            replay.inputs(&protocol, &vision).and_then(|inputs| replay.foreseen(inputs, &vision)).map_err(at)?;
        let (claims, reveals) = self.forced(replay.probe(&inputs), &vision, side)?;
        orders.claims.extend(claims);
        orders.reveals.extend(reveals);
        Ok(Data::Orders(orders))
    }

    /// Nobody signs for a private game master what would come back as his own fault. Only what a signature vouches for counts:
    /// facts are the game master's to state, who sees what decides them.
    fn check_own(&self, data: &Data, sealed: &[Sealed], side: Side, pen: &Pen<'_>) -> Result<(), LedgerTrouble> {
        let body = self.protocol().body(pen.file.role(), data)?;
        let (protocol, replay, vision) = self.ahead(&body, sealed)?;
        let inputs = replay.inputs(&protocol, &vision).map_err(LedgerTrouble::at(body.seq))?;
        match replay.probe(&inputs) {
            Err(Failure::Breach(breach))
                if breach.fault == Some(side) && Code::from_text(breach.code) == Some(Code::Audit) =>
            {
                Err(own_breach(&breach))
            }
            _ => Ok(()),
        }
    }

    fn forced(&self, run: Result<AnyOutcome, Failure>, vision: &Vision, side: Side) -> Result<Forced, LedgerTrouble> {
        let outcome = match run {
            Ok(outcome) => outcome,
            Err(Failure::Breach(breach)) => return Err(own_breach(&breach)),
            Err(failure) => return Err(LedgerTrouble::Refused(failure.to_string())),
        };
        let claims = outcome.minutes.claims.into_iter().filter(|claim| claim.owner == side);
        let claims = claims.map(|claim| ClaimSaid { claim: claim.key, value: claim.value }).collect();
        let reveals = outcome.minutes.reveals.into_iter().filter(|opening| opening.owner == side);
        let reveals = reveals.map(|opening| vision.reveal(opening)).collect::<Result<_, _>>();
        Ok((claims, reveals.map_err(LedgerTrouble::at(self.protocol().next()))?))
    }

    /// Solo and game master: signs what a side says, everything in place. The result is still owed then.
    pub(super) fn speak(&mut self, speech: Speech, pen: &mut Pen<'_>) -> Result<Record, LedgerTrouble> {
        self.speak_openly(speech, None, pen)
    }

    /// Game master: goes on without the orders or answers of a player who sent none.
    ///
    /// Where he had to commit a ticket for a secret roll, the roll is made openly: a game master knows his next link, and
    /// could choose a ticket to fit it.
    pub fn no_moves(&mut self, pen: &mut Pen<'_>) -> Result<Record, LedgerTrouble> {
        self.silent()?;
        let (table, stop) = (self.replay().table(), self.replay().stop());
        let orders = matches!(stop, Stop::Orders { .. }).then(|| table.no_orders(self.replay().state(), stop));
        let orders = orders.map(|orders| table.orders_json(&orders)).transpose();
        let orders = orders.map_err(super::record::NotARecord::from)?;
        self.speak_openly(Speech { orders, ..Speech::default() }, Some(true), pen)
    }

    fn speak_openly(&mut self, speech: Speech, nmr: Option<bool>, pen: &mut Pen<'_>) -> Result<Record, LedgerTrouble> {
        let side = match nmr {
            Some(true) => self.silent()?,
            _ => self.speaker()?,
        };
        let (role, signer) = (role_of(side)?, pen.file.role().clone());
        let mut orders = Orders {
            orders: speech.orders,
            policies: some(&speech.policies),
            standing: some(&speech.standing),
            answers: speech.answers,
            file_sha256: speech.file,
            note: speech.note,
            nmr,
            ..self.empty_orders(pen)
        };
        match self.protocol().mode() {
            Mode::Solo => orders.side = Some(role),
            Mode::Gm if signer == Role::gm() => {
                let signs = self.protocol().signatories().contains_key(&role);
                orders.nonce = self.protocol().head();
                orders.nmr = (signs || nmr == Some(true)).then_some(true);
                orders.side = Some(role);
            }
            Mode::Gm if signer != role => {
                return Err(LedgerTrouble::NotDue(format!("{side} is due, and you play {signer}")));
            }
            Mode::Gm => {}
            Mode::TwoPlayer => {
                return Err(LedgerTrouble::NotDue(
                    "between two players orders are sealed where they must be".to_owned(),
                ));
            }
        }
        // Policies count for the one whose packet is carried out.
        let own = matches!(self.replay().stop(), Stop::Orders { .. })
            || self.protocol().span().is_some_and(|span| span.side.as_str() == side.as_str());
        if !own {
            orders.policies = None;
        }
        let data = Data::Orders(orders);
        if signer == Role::gm() {
            self.check_closing(&data, side, pen)?;
        }
        self.sign(&data, &[], pen)
    }

    /// A game master signs nothing for a side that he could not close: his own record stands for good.
    fn check_closing(&self, data: &Data, side: Side, pen: &Pen<'_>) -> Result<(), LedgerTrouble> {
        let body = self.protocol().body(pen.file.role(), data)?;
        let (protocol, replay, vision) = self.ahead(&body, &[])?;
        let Some((index, link)) = next_link(&protocol, pen) else { return Ok(()) };
        let closed = replay.inputs(&protocol, &vision).and_then(|inputs| replay.close(&inputs, &vision, index, link));
        let Err(finding) = closed else { return Ok(()) };
        let at = match &finding.fault {
            Some(fault) if *fault != Role::gm() => format!("what {fault} has sealed breaks the rules here"),
            _ => "it cannot be resolved".to_owned(),
        };
        Err(LedgerTrouble::Refused(format!(
            "nothing was signed for {side}: {at}, and what you sign for a side you have to close ({finding}). \
             `garcia motion` takes back, rules or ends the game; `garcia handover` gives a seat to somebody else"
        )))
    }

    /// Answers a plan: a nonce, and one's own standing orders for every question the packet can raise.
    pub fn call(&mut self, pen: &mut Pen<'_>) -> Result<Record, LedgerTrouble> {
        let role = pen.file.role().clone();
        if self.protocol().due() != NextRecord::Call(role.clone()) {
            return Err(LedgerTrouble::NotDue(format!("no plan waits for {role}")));
        }
        let side = self.side_of(&role)?;
        let mut orders = Orders { orders: Some(Json::object([("call", true)])), ..self.empty_orders(pen) };
        if let Some(span) = self.protocol().span().filter(|span| span.flow == Flow::Plan) {
            let before = Moment { span: span.opened, segment: span.opened };
            for kind in self.replay().standing_kinds(side) {
                let (slot, seals) = (Slot::standing(kind), self.protocol().seals());
                let Some(sealing) = seals.in_force(&role, &slot, before) else { continue };
                if seals.opening(&role, &slot, sealing.version).is_none() {
                    orders.reveals.push(self.opening(&role, side, slot, sealing.version)?);
                }
            }
        }
        let data = self.with_forced(Data::Orders(orders), &[], side, pen)?;
        self.sign(&data, &[], pen)
    }

    fn side_of(&self, role: &Role) -> Result<Side, LedgerTrouble> {
        let side = self.replay().table().ruleset().side(role.as_str());
        side.ok_or_else(|| LedgerTrouble::NotDue(format!("{role} plays no side")))
    }

    fn opening(&self, role: &Role, owner: Side, slot: Slot, version: u32) -> Result<Reveal, LedgerTrouble> {
        let value = self.vision.get(role, &slot, version).cloned();
        let value =
            value.ok_or_else(|| LedgerTrouble::Refused(format!("your secrets hold no value for {slot}/{version}")))?;
        self.vision.reveal(Opening { owner, slot, version, value }).map_err(LedgerTrouble::at(self.protocol().next()))
    }

    /// States the facts and opens the values that the last stop asks for.
    pub fn state_facts(&mut self, pen: &mut Pen<'_>) -> Result<Record, LedgerTrouble> {
        let role = pen.file.role().clone();
        let side = self.side_of(&role)?;
        let Stop::Facts { who, slots, claims } = self.replay().stop().clone() else {
            return Err(LedgerTrouble::NotDue("no hidden facts are asked for".to_owned()));
        };
        if who != side {
            return Err(LedgerTrouble::NotDue(format!("the facts are {who}'s to state")));
        }
        if slots.iter().any(Slot::is_ticket) {
            return self.commit_tickets(&slots, side, pen);
        }
        let (said, reveals) = self.forced(self.try_out(&BTreeMap::new()), &self.vision, side)?;
        let stated = claims.iter().all(|key| said.iter().any(|claim| claim.claim == *key));
        let opened = slots.iter().all(|slot| reveals.iter().any(|reveal| reveal.slot == *slot));
        if !stated || !opened {
            return Err(LedgerTrouble::Refused("your secrets do not hold what has to be opened".to_owned()));
        }
        let data = Data::Orders(Orders { claims: said, reveals, ..self.empty_orders(pen) });
        self.sign(&data, &[], pen)
    }

    /// Commits the tickets that the last stop asks for, as far as they were not committed since: as a plan of the closer, who
    /// knows his next link, as orders of the other.
    fn commit_tickets(&mut self, slots: &[Slot], side: Side, pen: &mut Pen<'_>) -> Result<Record, LedgerTrouble> {
        let role = pen.file.role().clone();
        let mut sealing = Sealing::new(self, pen.file);
        let stands = |slot: &Slot| self.protocol().seals().of_role(&role).any(|(other, _)| other == slot);
        slots.iter().filter(|slot| !stands(slot)).for_each(|slot| sealing.hide(slot.clone(), Json::map()));
        let (hide, sealed) = sealing.done();
        let closes = self.protocol().span().is_some_and(|span| span.closer == role);
        let data = match (self.protocol().mode(), closes) {
            (Mode::TwoPlayer, true) => Data::Plan(Plan { hide, ..self.empty_plan() }),
            (Mode::TwoPlayer, false) => {
                let data = Data::Orders(Orders { hide, ..self.empty_orders(pen) });
                self.with_forced(data, &sealed, side, pen)?
            }
            (Mode::Gm | Mode::Solo, _) => Data::Orders(Orders { hide, ..self.empty_orders(pen) }),
        };
        self.sign(&data, &sealed, pen)
    }

    /// Closes the segment in hand with the next link: rolls, resolves, signs the result.
    pub fn close(&mut self, pen: &mut Pen<'_>) -> Result<Record, LedgerTrouble> {
        let role = pen.file.role().clone();
        if self.protocol().due() != NextRecord::Result(role.clone()) {
            return Err(LedgerTrouble::NotDue(format!("{role} has no segment to close")));
        }
        let (index, link) = next_link(self.protocol(), pen)
            .ok_or_else(|| LedgerTrouble::NotDue("the chain of links is used up".to_owned()))?;
        let mut closing = self
            .replay()
            .inputs(self.protocol(), &self.vision)
            .and_then(|inputs| self.replay().close(&inputs, &self.vision, index, link))
            .map_err(LedgerTrouble::at(self.protocol().next()))?;
        let mut sealed = Vec::new();
        if self.protocol().mode() == Mode::TwoPlayer {
            let side = self.side_of(&role)?;
            let mut sealing = Sealing::new(self, pen.file);
            // All standing orders exist from the first record on, so that nobody sees who relies on defaults.
            if !self.protocol().seals().has_sealed(&role) {
                sealing.standing(side, &BTreeMap::new());
                sealing.tickets(side);
            }
            if closing.stop.ends_span() {
                let body = self.protocol().body(&role, &Data::Closing(closing.clone()))?;
                let (protocol, replay, _) = self.ahead(&body, &[])?;
                sealing.remask(&protocol, &replay, side);
            }
            (closing.hide, sealed) = (sealing.hides, sealing.values);
        }
        self.sign(&Data::Closing(closing), &sealed, pen)
    }

    /// The commitments of somebody who joins: all standing orders at their default.
    pub(super) fn first_standing(&self, side: Side, file: &GameFile) -> (Vec<Hide>, Vec<Sealed>) {
        let mut sealing = Sealing::new(self, file);
        sealing.standing(side, &BTreeMap::new());
        sealing.tickets(side);
        (sealing.hides, sealing.values)
    }

    /// Opens everything one ever sealed, after the end.
    pub fn audit(&mut self, pen: &mut Pen<'_>) -> Result<Record, LedgerTrouble> {
        let role = pen.file.role().clone();
        match self.protocol().due() {
            NextRecord::Audit(owing) if owing.contains(&role) => {}
            NextRecord::Audit(_) => return Err(LedgerTrouble::NotDue(format!("{role} owes no audit now"))),
            _ => return Err(LedgerTrouble::NotDue("an audit comes after the end of the game".to_owned())),
        }
        let mut values = BTreeMap::new();
        // What was lost by consent stays closed.
        let lost = self.protocol().eras(&role).iter().rfind(|era| era.lost).map_or(0, |era| era.seq);
        let sealed = self.protocol().seals().of_role(&role);
        for (slot, sealing) in sealed.filter(|(_, sealing)| sealing.seq >= lost) {
            let value = pen.file.value(slot, sealing.version).cloned();
            let lost = || LedgerTrouble::Refused(format!("your secrets hold no value for {slot}/{}", sealing.version));
            values.insert(format!("{slot}/{}", sealing.version), value.ok_or_else(lost)?);
        }
        let own = self.protocol().secret_rolls().iter().filter(|roll| roll.by == role);
        let faces = |roll: &SecretRoll| {
            let salt = self.vision.salt(&role, &roll.ticket, roll.version)?;
            Some(SecretFaces { label: roll.label.clone(), faces: roll.faces(&salt) })
        };
        let audit = Audit {
            hide_secret: pen.file.secret().hide().0,
            earlier: pen.file.earlier().iter().map(|secret| secret.hide().0).collect(),
            values,
            secret_rolls: own.filter_map(faces).collect(),
        };
        self.sign(&Data::Audit(audit), &[], pen)
    }
}
