//! One table with everything open, and the public and each side looking on.
//!
//! Every segment is resolved with all hidden values at hand, then again as each onlooker could resolve it: from what
//! was revealed and claimed and from his own values alone. All of them must come to the same state and journal.

use std::collections::VecDeque;

use crate::engine::{
    AnyOrders, AnyOutcome, AnyState, Dice, Failure, FixedDie, Flow, Holdings, Json, Match, Questions, Rolled, Said,
    Segment, Settled, Shown, Side, Slot, Stop, Tickets, Versions, from_json,
};

/// A reader who belongs to no side: what he may read, everybody may.
pub const PUBLIC: Side = Side("public");

/// A match in progress, kept in memory.
#[derive(Clone)]
pub struct Sitting<'t> {
    /// The game.
    pub table: &'t dyn Match,
    /// The state at the start of the span.
    pub state: AnyState,
    /// Who must speak next.
    pub stop: Stop,
    holdings: Holdings,
    public: Holdings,
    versions: Versions,
    tickets: Tickets,
}

/// One packet being carried out, segment by segment.
pub struct PacketInHand {
    /// What was said so far. Answers to a stop are added here.
    pub said: Said,
    orders: AnyOrders,
    /// Whose packet it is.
    author: Side,
    /// Who closes it with what he holds himself; with everything open if nobody.
    closer: Option<Side>,
    /// What its author sealed with it: face-down things, and the entries of a plan, which are opened one by one.
    sealed: Holdings,
    /// Whether the sealed values are spent with the packet, as the entries of a plan are.
    plan: bool,
    questions: Questions,
    settled: Settled,
    /// The events at the last stop: the beginning of whatever comes after it.
    told: Vec<Json>,
    /// The state at the last stop.
    state: Json,
    onlookers: Vec<Onlooker>,
}

/// What came out of a segment, for those who look on.
#[derive(Clone, Copy)]
struct Told<'a> {
    said: &'a Said,
    questions: Questions,
    outcome: &'a AnyOutcome,
    events: &'a [Json],
    state: &'a Json,
}

/// Somebody who follows the match from what was made known to him.
struct Onlooker {
    /// The side, or nobody.
    side: Option<Side>,
    /// The packet with what must stay hidden moved into slots.
    orders: AnyOrders,
    said: Said,
    holdings: Holdings,
    settled: Settled,
}

impl PacketInHand {
    /// What earlier segments fixed.
    pub(crate) fn settled(&self) -> &Settled {
        &self.settled
    }

    /// The events up to the last stop.
    pub(crate) fn told(&self) -> &[Json] {
        &self.told
    }

    /// The state at the last stop, as it is written.
    pub(crate) fn state(&self) -> &Json {
        &self.state
    }
}

impl Onlooker {
    fn name(&self) -> &'static str {
        self.side.map_or("the public", Side::as_str)
    }

    /// The faces of a roll that he may know.
    fn faces(&self, roll: &Rolled, settled: &Settled) -> Vec<u16> {
        match &roll.shown {
            Shown::Faces(faces) => faces.clone(),
            Shown::Secret { by, ticket } if self.side == Some(*by) => {
                settled.secrets.get(*by, ticket).and_then(|faces| from_json(faces).ok()).unwrap_or_default()
            }
            Shown::Secret { .. } => Vec::new(),
        }
    }
}

impl<'t> Sitting<'t> {
    /// A match at a position; `holdings` is what lies face down in it.
    pub fn new(table: &'t dyn Match, state: AnyState, stop: Stop, holdings: Holdings) -> Sitting<'t> {
        let mut tickets = Tickets::default();
        for side in table.ruleset().sides() {
            let all: Vec<Slot> = (1..=table.tickets(*side)).map(Slot::ticket).collect();
            tickets.salts.extend(all.iter().map(|ticket| ((*side, ticket.clone()), format!("{side}/{ticket}"))));
            tickets.unspent.insert(*side, all);
        }
        let versions = tickets.salts.keys().map(|ticket| (ticket.clone(), 1)).collect();
        Sitting { table, state, stop, holdings, public: Holdings::default(), versions, tickets }
    }

    /// The same match with other secret rolls: they hang on this word.
    pub fn with_tickets(mut self, word: &str) -> Sitting<'t> {
        for ((side, ticket), salt) in &mut self.tickets.salts {
            *salt = format!("{word}/{side}/{ticket}");
        }
        self
    }

    /// The tickets that earlier segments of a span have left, without what opens them.
    fn tickets_left(&self, settled: &Settled) -> Tickets {
        let unspent = self.tickets.unspent.iter().map(|(side, tickets)| {
            let left = tickets.iter().filter(|ticket| !settled.spent(*side, ticket)).cloned().collect();
            (*side, left)
        });
        Tickets { unspent: unspent.collect(), ..Tickets::default() }
    }

    /// The sides.
    pub fn sides(&self) -> &'static [Side] {
        self.table.ruleset().sides()
    }

    /// Whether a side has something face down, which it can read and others cannot.
    pub fn hides(&self, side: Side) -> bool {
        self.holdings.0.keys().any(|(owner, _)| *owner == side)
    }

    /// The hidden values one side knows: its own, and what everybody has seen.
    pub fn holdings_of(&self, side: Side) -> Holdings {
        let own = self.holdings.0.iter().filter(|((owner, _), _)| *owner == side);
        let seen = self.public.0.iter();
        Holdings(own.chain(seen).map(|(slot, value)| (slot.clone(), value.clone())).collect())
    }

    /// Begins to carry out a packet of the side that is due, with everything open.
    pub fn span(&self, orders: AnyOrders, said: Said, questions: Questions) -> PacketInHand {
        self.begin(orders, said, questions, false)
    }

    /// The same as two players would by mail: the author of a plan closes it, any other packet the opponent, each knowing
    /// his own side alone. What the author has to state before the first die is stated in his orders; where he closes
    /// himself the other states it in his call.
    pub fn span_by_mail(&self, orders: AnyOrders, said: Said, questions: Questions) -> Result<PacketInHand, Failure> {
        let mut span = self.begin(orders, said, questions, true);
        let author = span.author;
        let opener = self.sides().iter().copied().find(|side| (*side == author) == (span.closer != Some(author)));
        if let Some(opener) = opener {
            self.state_facts(&mut span, opener)?;
        }
        Ok(span)
    }

    fn begin(&self, orders: AnyOrders, said: Said, questions: Questions, by_mail: bool) -> PacketInHand {
        let author = self.stop.who().unwrap_or(PUBLIC);
        let mut hidden: Vec<(Slot, Json)> = Vec::new();
        let plan = matches!(self.stop, Stop::Orders { flow: Flow::Plan, .. }).then_some(0);
        let sealed = self.table.seal(&self.state, orders.clone(), plan, &mut |slot, value| hidden.push((slot, value)));
        let onlooker = |side: Option<Side>| {
            let mut holdings = side.map_or_else(Holdings::default, |side| self.holdings_of(side));
            if let Some(side) = side
                && self.stop.who() == Some(side)
            {
                holdings.0.extend(hidden.iter().map(|(slot, value)| ((side, slot.clone()), value.clone())));
            }
            Onlooker { side, orders: sealed.clone(), said: Said::default(), holdings, settled: Settled::default() }
        };
        let mut onlookers = vec![onlooker(None)];
        // Where nothing is hidden, a side sees exactly what the public sees.
        if !self.holdings.0.is_empty() || !hidden.is_empty() {
            onlookers.extend(self.sides().iter().map(|side| onlooker(Some(*side))));
        }
        let other = self.sides().iter().copied().find(|side| *side != author);
        let closer = if plan.is_some() { Some(author) } else { other };
        let mut held = Holdings::default();
        let mut whole = orders;
        if plan.is_some() || by_mail {
            held.0.extend(hidden.into_iter().map(|(slot, value)| ((author, slot), value)));
            whole = sealed;
        }
        PacketInHand {
            said,
            orders: whole,
            author,
            closer: closer.filter(|_| by_mail),
            sealed: held,
            plan: plan.is_some(),
            questions,
            settled: Settled::default(),
            told: Vec::new(),
            state: Json::map(),
            onlookers,
        }
    }

    /// Resolves the next segment of a span with everything open. Nothing changes until [`Sitting::follow`].
    pub fn resolve(&self, span: &PacketInHand, dice: Dice) -> Result<AnyOutcome, Failure> {
        self.resolve_from(span, span.settled.clone(), dice)
    }

    /// The same from other settled values: to look at a segment that came to nothing.
    pub(crate) fn resolve_from(
        &self,
        span: &PacketInHand,
        settled: Settled,
        dice: Dice,
    ) -> Result<AnyOutcome, Failure> {
        let (holdings, closer_holds) = match &span.closer {
            Some(closer) => (self.held_by(span, *closer), std::slice::from_ref(closer)),
            None => (self.all_of(span), self.sides()),
        };
        let tickets = Tickets { salts: self.tickets.salts.clone(), ..self.tickets_left(&settled) };
        let segment = Segment {
            dice,
            settled,
            said: &span.said,
            public: &self.public,
            holdings: &holdings,
            versions: &self.versions,
            tickets: &tickets,
            closer_holds,
            questions: span.questions,
        };
        self.table.resolve(&self.state, &span.orders, segment)
    }

    fn all_of(&self, span: &PacketInHand) -> Holdings {
        let mut holdings = self.holdings.clone();
        holdings.0.extend(span.sealed.0.clone());
        holdings
    }

    fn held_by(&self, span: &PacketInHand, side: Side) -> Holdings {
        let mut holdings = self.holdings_of(side);
        holdings
            .0
            .extend(span.sealed.0.iter().filter(|((owner, _), _)| *owner == side).map(|(k, v)| (k.clone(), v.clone())));
        holdings
    }

    /// Adds to what was said the facts and openings of `who` that the rules call for before the next die. Whether there
    /// were any.
    pub fn state_facts(&self, span: &mut PacketInHand, who: Side) -> Result<bool, Failure> {
        let (holdings, tickets) = (self.held_by(span, who), self.tickets_left(&span.settled));
        let segment = Segment {
            dice: Dice::None,
            settled: span.settled.clone(),
            said: &span.said,
            public: &self.public,
            holdings: &holdings,
            versions: &self.versions,
            tickets: &tickets,
            closer_holds: &[who],
            questions: span.questions,
        };
        let minutes = self.table.resolve(&self.state, &span.orders, segment)?.minutes;
        let before = span.said.claims.len() + span.said.reveals.len();
        for claim in minutes.claims.into_iter().filter(|claim| claim.owner == who) {
            span.said.claims.insert((who, claim.key), claim.value);
        }
        for opening in minutes.reveals.into_iter().filter(|opening| opening.owner == who) {
            span.said.reveals.insert((who, opening.slot), opening.value);
        }
        Ok(span.said.claims.len() + span.said.reveals.len() > before)
    }

    /// Accepts a segment: the journal must go on where it stopped, and every onlooker must see the same.
    pub fn follow(&self, span: &mut PacketInHand, outcome: &AnyOutcome) -> Result<(), String> {
        let state = self.state_json(&outcome.state)?;
        let events = self.table.events(&outcome.journal, None).map_err(|error| format!("an event: {error}"))?;
        if let Some(at) = first_difference(&span.told, &events) {
            return Err(format!(
                "the journal at the stop is not the beginning of the journal after it: event {} was {} and is {}",
                at + 1,
                shown(span.told.get(at)),
                shown(events.get(at)),
            ));
        }
        span.told = events;
        span.settled = outcome.settled.clone();
        let said = span.said.clone();
        let seen = Told { said: &said, questions: span.questions, outcome, events: &span.told, state: &state };
        for onlooker in &mut span.onlookers {
            // Who closes knows what is whispered to his own side, and nothing of what is whispered to the other.
            let reads = onlooker.side.filter(|side| span.closer.is_none_or(|closer| closer == *side));
            self.look_on(onlooker, reads.unwrap_or(PUBLIC), &seen)?;
        }
        span.state = state;
        Ok(())
    }

    fn state_json(&self, state: &AnyState) -> Result<Json, String> {
        self.table.state_json(state).map_err(|error| format!("the state: {error}"))
    }

    /// Lets an onlooker resolve the segment from what was said and made known of it.
    fn look_on(&self, onlooker: &mut Onlooker, reader: Side, told: &Told<'_>) -> Result<(), String> {
        let Told { said, questions, outcome, events: told, state } = *told;
        onlooker.said.answers.clone_from(&said.answers);
        onlooker.said.policies.clone_from(&said.policies);
        onlooker.said.claims.extend(said.claims.iter().map(|(key, value)| (key.clone(), value.clone())));
        onlooker.said.reveals.extend(said.reveals.iter().map(|(slot, value)| (slot.clone(), value.clone())));
        for claim in &outcome.minutes.claims {
            onlooker.said.claims.insert((claim.owner, claim.key.clone()), claim.value.clone());
        }
        for opening in &outcome.minutes.reveals {
            onlooker.said.reveals.insert((opening.owner, opening.slot.clone()), opening.value.clone());
        }
        let rolls = outcome.minutes.rolls.iter();
        let fixed = |roll: &Rolled| FixedDie {
            label: Some(roll.label.to_string()),
            faces: onlooker.faces(roll, &outcome.settled),
        };
        let dice: VecDeque<FixedDie> = rolls.map(fixed).collect();
        let tickets = self.tickets_left(&onlooker.settled);
        let segment = Segment {
            dice: Dice::Fixed(dice),
            settled: onlooker.settled.clone(),
            said: &onlooker.said,
            public: &self.public,
            holdings: &onlooker.holdings,
            versions: &self.versions,
            tickets: &tickets,
            closer_holds: &[],
            questions,
        };
        let who = onlooker.name();
        let seen = self
            .table
            .resolve(&self.state, &onlooker.orders, segment)
            .map_err(|failure| format!("seen by {who}: {failure}"))?;
        if seen.dice_left > 0 {
            return Err(format!("seen by {who}, {} rolls are not called for", seen.dice_left));
        }
        let mine = self.table.events(&seen.journal, Some(reader)).map_err(|error| error.to_string())?;
        let readable = outcome.journal.has_whispers().then(|| self.table.events(&outcome.journal, Some(reader)));
        let readable = readable.transpose().map_err(|error| error.to_string())?;
        let theirs = readable.as_deref().unwrap_or(told);
        if let Some(at) = first_difference(theirs, &mine).or_else(|| first_difference(&mine, theirs)) {
            return Err(format!(
                "event {} seen by {who} is {}, but with everything open it is {}",
                at + 1,
                shown(mine.get(at)),
                shown(theirs.get(at)),
            ));
        }
        if seen.stop != outcome.stop {
            return Err(format!(
                "seen by {who} it ends at {:?}, with everything open at {:?}",
                seen.stop, outcome.stop
            ));
        }
        if self.state_json(&seen.state)? != *state {
            return Err(format!("the state seen by {who} differs from the one with everything open"));
        }
        onlooker.settled = seen.settled;
        Ok(())
    }

    /// Ends a span: its outcome is the base of the next one.
    pub fn end_span(&mut self, span: PacketInHand, outcome: AnyOutcome) {
        for (slot, value) in outcome.kept.0 {
            self.public.0.remove(&slot);
            self.holdings.0.insert(slot, value);
        }
        for (side, tickets) in &mut self.tickets.unspent {
            tickets.retain(|ticket| !outcome.settled.spent(*side, ticket));
        }
        // The entries of a plan are spent with it; the next plan uses the same slots for its own. What lies face down in
        // the state stays.
        let spent = |slot: &Slot| span.plan && slot.as_str().starts_with("plan/");
        let lasting = span.sealed.0.iter().filter(|((_, slot), _)| !spent(slot));
        self.holdings.0.extend(lasting.map(|(at, value)| (at.clone(), value.clone())));
        self.public.0.extend(span.said.reveals.clone());
        let opened = outcome.settled.opened.into_iter().map(|((owner, slot, _), value)| ((owner, slot), value));
        self.public.0.extend(opened.filter(|((_, slot), _)| !spent(slot)));
        self.state = outcome.state;
        self.stop = outcome.stop;
    }
}

/// The first event of `start` that `whole` does not have at the same place.
fn first_difference(start: &[Json], whole: &[Json]) -> Option<usize> {
    (0..start.len()).find(|at| start.get(*at) != whole.get(*at))
}

fn shown(event: Option<&Json>) -> String {
    event.map_or_else(|| "missing".to_owned(), Json::to_string)
}
