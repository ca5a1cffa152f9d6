//! The umpire: the one interface between rules code and the world.
//!
//! Rules code asks for dice, choices and hidden facts and notes what happened; it never learns where they come from.
//! A span is resolved again from its start whenever an answer arrives, so everything already settled is handed out
//! again by key and only what is new is rolled, decided or opened.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::Serialize;

use super::dice::{self, Die};
use super::doc::{DocPath, Node, Reader};
use super::foresee::{Cloud, Hopes, Lapsed, Pending};
use super::loose::{Loose, Ways};
use super::mark::{Affair, Upshot};
use super::{
    Asked, Bar, Breach, Choice, Claim, Clause, Concealed, Dice, Fact, FixedDie, Halt, Hidden, Holdings, Json, Key,
    Kind, Lapse, Minutes, Noted, Opening, Phase, Policy, Question, Rolled, Rules, Ruling, Say, Sealed, Segment,
    Settled, Shown, Side, Slot, Stop, Subject, to_json,
};

/// The umpire of one segment.
pub struct Umpire<'a, G: Rules> {
    game: &'a G,
    pub(super) phase: Phase,
    counts: BTreeMap<String, u32>,
    segment: Segment<'a>,
    recalled: BTreeSet<Key>,
    /// Tickets taken from the heap so far, by side.
    spent: BTreeMap<Side, usize>,
    settled: Settled,
    kept: Holdings,
    journal: Vec<Noted<G::Event>>,
    lapses: Vec<Lapse>,
    minutes: Minutes,
    /// In a check beforehand: what is hoped and what was found.
    pub(super) hopes: Option<Hopes>,
    /// The entry of the packet being carried out.
    pub(super) in_hand: Option<DocPath>,
    /// What may be otherwise than the author could know, and why.
    pub(super) clouds: BTreeMap<Subject, Cloud>,
    /// Orders that were not carried out.
    pub(super) lapsed: Vec<Lapsed>,
    /// Entries of the packet that were taken in hand.
    pub(super) heard: BTreeSet<DocPath>,
    /// Where chances are counted: the dice.
    pub(super) loose: Option<&'a mut Loose>,
    /// Where chances or luck are reckoned: what each affair came to.
    pub(super) book: Option<BTreeMap<Affair, Upshot>>,
}

/// What the umpire knows at the end of a segment.
pub(super) struct Record<G: Rules> {
    pub journal: Vec<Noted<G::Event>>,
    pub lapses: Vec<Lapse>,
    pub minutes: Minutes,
    pub settled: Settled,
    pub kept: Holdings,
    pub dice_left: usize,
    /// Orders that were not carried out.
    pub lapsed: Vec<Lapsed>,
    /// Entries of the packet that were taken in hand.
    pub heard: BTreeSet<DocPath>,
    /// Settled in an earlier segment and not called for again: a fault of the game.
    pub forgotten: Option<Key>,
}

/// The outcome of looking for an answer.
enum Answered<T> {
    Chosen(T),
    MustAsk,
}

impl<'a, G: Rules> Umpire<'a, G> {
    pub(super) fn new(game: &'a G, segment: Segment<'a>) -> Umpire<'a, G> {
        Umpire {
            game,
            phase: Phase { turn: 0, side: "all", name: "start" },
            counts: BTreeMap::new(),
            settled: segment.settled.clone(),
            segment,
            recalled: BTreeSet::new(),
            spent: BTreeMap::new(),
            kept: Holdings::default(),
            journal: Vec::new(),
            lapses: Vec::new(),
            minutes: Minutes::default(),
            hopes: None,
            in_hand: None,
            clouds: BTreeMap::new(),
            lapsed: Vec::new(),
            heard: BTreeSet::new(),
            loose: None,
            book: None,
        }
    }

    /// What each affair came to in a run with loose dice.
    pub(super) fn end_counting(self) -> (BTreeMap<Affair, Upshot>, Option<Hopes>) {
        (self.book.unwrap_or_default(), self.hopes)
    }

    /// What is in hand: an entry of the packet, or the phase.
    pub(super) fn affair(&self) -> Affair {
        match &self.in_hand {
            Some(entry) => Affair::Entry(entry.clone()),
            None => Affair::Phase(self.phase.to_string()),
        }
    }

    /// The faces of a roll where dice are loose.
    pub(super) fn loose_faces(
        &mut self,
        label: &Key,
        sides: &[Die],
        ways: impl FnOnce() -> Option<Ways>,
    ) -> Option<Vec<u16>> {
        let affair = self.loose.is_some().then(|| self.affair())?;
        Some(self.loose.as_mut()?.roll(&affair, label, sides, ways))
    }

    /// What a check noted and found.
    pub(super) fn end_foreseeing(mut self) -> (Vec<Noted<G::Event>>, Option<Hopes>) {
        if let Some(hopes) = &mut self.hopes {
            hopes.came_up = self.heard;
        }
        (self.journal, self.hopes)
    }

    pub(super) fn close(self) -> Record<G> {
        let before = &self.segment.settled;
        let forgotten = before
            .rolls
            .keys()
            .chain(before.choices.keys())
            .chain(before.facts.keys())
            .find(|key| !self.recalled.contains(*key))
            .cloned();
        let dice_left = match &self.segment.dice {
            Dice::Fixed(dice) => dice.len(),
            Dice::Seed(_) | Dice::None => 0,
        };
        Record {
            journal: self.journal,
            lapses: self.lapses,
            minutes: self.minutes,
            settled: self.settled,
            kept: self.kept,
            dice_left,
            lapsed: self.lapsed,
            heard: self.heard,
            forgotten,
        }
    }

    /// Begins a phase: the first part of every key that follows.
    pub fn phase(&mut self, phase: Phase) {
        self.phase = phase;
    }

    /// Whether the entry of a plan in this slot has to be opened when its turn comes, even if it then lapses.
    pub fn must_open(&self, slot: &Slot) -> bool {
        self.segment.said.unconditional.contains(slot)
    }

    /// Notes something everybody sees.
    pub fn note(&mut self, event: impl Into<G::Event>) {
        let event = event.into();
        if self.book.is_some() {
            let (affair, marks) = (self.affair(), self.game.marks(&event));
            if let Some(book) = self.book.as_mut().filter(|_| !marks.is_empty()) {
                let phase = matches!(affair, Affair::Phase(_));
                let upshot = book.entry(affair).or_default();
                marks.into_iter().for_each(|mark| if phase { upshot.mark_phase(mark) } else { upshot.mark(mark) });
            }
        }
        // Nobody tells the events of a run in which chances are counted.
        if self.loose.is_none() {
            self.journal.push(Noted { event, only: None, of: self.in_hand.clone() });
        }
    }

    /// Notes something only one side's report shows.
    pub fn whisper(&mut self, side: Side, event: impl Into<G::Event>) {
        if self.loose.is_none() {
            self.journal.push(Noted { event: event.into(), only: Some(side), of: self.in_hand.clone() });
        }
    }

    /// Tells the owner of a hidden value about it, in every view that holds it; nobody else learns anything. Whoever learns
    /// the value only on the way does not tell it again from the start: the journal only grows at its end.
    pub fn whisper_of<T: Hidden>(&mut self, sealed: &Sealed<T>, event: impl FnOnce(&T) -> G::Event) {
        let held = self.held(sealed.owner(), sealed.slot()).cloned();
        if let Some(Ok(value)) = held.map(|held| self.read_hidden(sealed, &held)) {
            self.whisper(sealed.owner(), event(&value));
        }
    }

    /// The next key for a subject and purpose in the phase in hand. Counts on replay as it did the first time.
    pub(super) fn key(&mut self, about: &Subject, purpose: &str) -> Ruling<Key> {
        let prefix = format!("{}/{about}/{purpose}", self.phase);
        let count = self.counts.entry(prefix.clone()).or_insert(0);
        *count += 1;
        Key::parse(&format!("{prefix}/{count}")).map_err(|error| Halt::Bug(error.to_string()))
    }

    /// A labelled roll.
    pub fn roll(&mut self, about: &Subject, purpose: &str, sides: &[Die]) -> Ruling<Vec<u16>> {
        let label = self.key(about, purpose)?;
        match self.rolled_before(&label, sides)? {
            Some(Shown::Faces(faces)) => Ok(faces),
            Some(Shown::Secret { .. }) => Err(Halt::Bug(format!("{label} was a secret roll before"))),
            None => self.roll_now(label, sides),
        }
    }

    /// What an earlier segment of the span rolled under this label.
    fn rolled_before(&mut self, label: &Key, sides: &[Die]) -> Ruling<Option<Shown>> {
        let Some(settled) = self.settled.rolls.get(label) else { return Ok(None) };
        if settled.sides != sides {
            return Err(Halt::Bug(format!("{label} was rolled with other dice before")));
        }
        self.recalled.insert(label.clone());
        Ok(Some(settled.shown.clone()))
    }

    fn roll_now(&mut self, label: Key, sides: &[Die]) -> Ruling<Vec<u16>> {
        if let Some(faces) = self.loose_faces(&label, sides, || super::foresee::every_face(sides)) {
            return Ok(faces);
        }
        let faces = match &mut self.segment.dice {
            Dice::Seed(seed) => dice::faces(seed, label.as_str(), sides),
            Dice::None => return Err(Halt::NoDice(label)),
            Dice::Fixed(dice) => given(dice, &label, sides)?,
        };
        self.minute_roll(label, sides, Shown::Faces(faces.clone()));
        Ok(faces)
    }

    fn minute_roll(&mut self, label: Key, sides: &[Die], shown: Shown) {
        let rolled = Rolled { label: label.clone(), sides: sides.to_vec(), shown };
        self.minutes.rolls.push(rolled.clone());
        self.settled.rolls.insert(label, rolled);
    }

    /// A roll only `who` sees: it spends his next ticket, and its faces lie in the slot of that ticket.
    ///
    /// Where nothing is sealed (solo games, a plain game master) it is an ordinary roll whose faces are kept in the same
    /// slot, so that the state is the one two players would have.
    pub fn secret(&mut self, who: Side, about: &Subject, purpose: &str, sides: &[Die]) -> Ruling<Sealed<Vec<u16>>> {
        let label = self.key(about, purpose)?;
        let (ticket, faces) = match self.rolled_before(&label, sides)? {
            Some(Shown::Faces(faces)) => (self.next_ticket(who, &label)?, Some(faces)),
            Some(Shown::Secret { ticket, .. }) => {
                if let Some(faces) = self.settled.secrets.get(who, &ticket).cloned() {
                    self.kept.0.insert((who, ticket.clone()), faces);
                }
                return Ok(Sealed::new(who, ticket));
            }
            None if self.hopes.is_some() => {
                self.cloud([about.clone()], &Cloud::Secret(purpose.to_owned()));
                (self.next_ticket(who, &label).unwrap_or_else(|_| Slot::ticket(1)), None)
            }
            None => {
                let ticket = self.next_ticket(who, &label)?;
                match self.segment.versions.contains_key(&(who, ticket.clone())) {
                    true => (ticket.clone(), self.roll_for(who, ticket, label, sides)?),
                    false => (ticket, Some(self.roll_now(label, sides)?)),
                }
            }
        };
        if let Some(faces) = faces {
            let faces = self.json(&faces)?;
            self.kept.0.insert((who, ticket.clone()), faces);
        }
        Ok(Sealed::new(who, ticket))
    }

    /// Rolls what only the owner of the ticket sees; the faces, if this view can know them.
    fn roll_for(&mut self, by: Side, ticket: Slot, label: Key, sides: &[Die]) -> Ruling<Option<Vec<u16>>> {
        let at = (by, ticket);
        let salt = self.segment.tickets.salts.get(&at);
        let faces = match (&mut self.segment.dice, salt) {
            (Dice::None, _) => return Err(Halt::NoDice(label)),
            (Dice::Seed(seed), Some(salt)) => Some(dice::faces(&seed.secret(salt), label.as_str(), sides)),
            (Dice::Seed(_), None) => None,
            (Dice::Fixed(dice), _) => match dice.front() {
                // An onlooker hears that it was rolled, and no more.
                Some(die) if die.faces.is_empty() && die.label.as_deref() == Some(label.as_str()) => {
                    dice.pop_front();
                    None
                }
                _ => Some(given(dice, &label, sides)?),
            },
        };
        if let Some(faces) = &faces {
            let faces = self.json(faces)?;
            self.settled.secrets.0.insert(at.clone(), faces);
        }
        self.minute_roll(label, sides, Shown::Secret { by, ticket: at.1 });
        Ok(faces)
    }

    fn next_ticket(&mut self, who: Side, label: &Key) -> Ruling<Slot> {
        let spent = self.spent.entry(who).or_insert(0);
        let next = self.segment.tickets.unspent.get(&who).and_then(|tickets| tickets.get(*spent)).cloned();
        *spent += 1;
        next.ok_or_else(|| match self.segment.tickets.lacking.get(&who) {
            // Nobody is at fault if a roll was taken back with its ticket: its owner commits another one first.
            Some(ticket) => Halt::Stop(Stop::Facts { who, slots: vec![ticket.clone()], claims: Vec::new() }),
            None => Halt::Breach(Breach { code: "E52-TICKET", fault: Some(who), about: label.to_string() }),
        })
    }

    /// A roll of one die.
    pub fn roll_one(&mut self, about: &Subject, purpose: &str, die: Die) -> Ruling<u16> {
        self.roll(about, purpose, &[die])?
            .first()
            .copied()
            .ok_or_else(|| Halt::Bug("a roll of one die gave no face".into()))
    }

    /// A choice somebody must make now.
    ///
    /// The first of these decides: what was settled before; the answer to a stop; the instruction in the order being
    /// carried out (`ordered`); the side's policy for the kind; the game's option `questions`.
    pub fn ask<T: Choice>(
        &mut self,
        question: Question<'_, T>,
        ordered: Option<T>,
        policy: impl Fn(&G::Policy) -> Say<T>,
    ) -> Ruling<T> {
        let mut chosen = self.ask_all(vec![(question, ordered)], |p, _| policy(p))?;
        chosen.pop().ok_or_else(|| Halt::Bug("a question without an answer".into()))
    }

    /// Several choices of one person that arise at the same moment: one stop, one mail.
    pub fn ask_all<T: Choice>(
        &mut self,
        questions: Vec<(Question<'_, T>, Option<T>)>,
        policy: impl Fn(&G::Policy, &Question<'_, T>) -> Say<T>,
    ) -> Ruling<Vec<T>> {
        let mut chosen = Vec::new();
        let mut open: Vec<Asked> = Vec::new();
        let mut asked = None;
        for (question, ordered) in questions {
            let key = self.key(&question.about, question.kind.0)?;
            match self.answer(&key, &question, ordered, &policy)? {
                Answered::Chosen(choice) => {
                    self.settled.choices.insert(key, self.json(&choice)?);
                    chosen.push(choice);
                }
                Answered::MustAsk => {
                    if *asked.get_or_insert(question.who) != question.who {
                        return Err(Halt::Bug(format!("{key} is asked together with another side's question")));
                    }
                    let options = question.options.iter().map(|o| self.json(o)).collect::<Ruling<Vec<Json>>>()?;
                    open.push(Asked {
                        key,
                        kind: question.kind,
                        clause: question.clause,
                        text: question.text.clone(),
                        options,
                        complete: question.also.is_none(),
                        default: self.json(&question.default)?,
                    });
                }
            }
        }
        let Some(who) = asked else {
            return Ok(chosen);
        };
        *self.settled.stops.entry(who).or_insert(0) += 1;
        self.settled.asked.extend(open.iter().map(|asked| asked.key.clone()));
        Err(Halt::Stop(Stop::Answers { who, questions: open }))
    }

    fn answer<T: Choice>(
        &mut self,
        key: &Key,
        question: &Question<'_, T>,
        ordered: Option<T>,
        policy: &impl Fn(&G::Policy, &Question<'_, T>) -> Say<T>,
    ) -> Ruling<Answered<T>> {
        if self.game.rules_out(question.kind) {
            return Err(Halt::Bug(format!("{key} is asked, which scenario and options rule out")));
        }
        // Decided now or at an earlier stop, the orders could not know it.
        if ordered.is_none() && self.hopes.is_none() {
            self.cloud([question.about.clone()], &Cloud::Choice(question.kind));
        }
        let settled = self.settled.choices.get(key).map(|settled| {
            let unreadable = || Halt::Bug(format!("the settled choice {settled} of {key} cannot be read"));
            self.read::<T>(settled).ok_or_else(unreadable)
        });
        // On other dice what was chosen may not be among the choices any more.
        let settled = settled.transpose()?.filter(|choice| self.loose.is_none() || question.allows(choice));
        if let Some(choice) = settled {
            self.recalled.insert(key.clone());
            // What was noted the first time is noted again, or the journal would not begin as it did at the stop.
            if let Some(lapse) = self.settled.lapses.get(key).cloned() {
                self.lapses.push(lapse.clone());
                self.note(lapse);
            }
            return Ok(Answered::Chosen(choice));
        }
        if self.settled.asked.contains(key) {
            let said = self.segment.said.answers.get(key).cloned();
            return self.settle_said(key, question, said).map(Answered::Chosen);
        }
        if self.hopes.is_some() {
            return self.reckon(key, question, ordered, policy).map(Answered::Chosen);
        }
        if let Some(choice) = ordered {
            if question.allows(&choice) {
                return Ok(Answered::Chosen(choice));
            }
            let said = self.json(&choice)?;
            return self.take_default(key, question, said).map(Answered::Chosen);
        }
        match self.policy_for(question.who, question.kind)? {
            Some(Say::Choose(value)) => match policy(&value, question) {
                Say::Choose(choice) if question.allows(&choice) => Ok(Answered::Chosen(choice)),
                Say::Choose(choice) => {
                    let said = self.json(&choice)?;
                    self.take_default(key, question, said).map(Answered::Chosen)
                }
                Say::Default => Ok(Answered::Chosen(question.default.clone())),
                Say::Ask => Ok(self.ask_or_default(question)),
            },
            Some(Say::Default) => Ok(Answered::Chosen(question.default.clone())),
            Some(Say::Ask) => Ok(self.ask_or_default(question)),
            None if self.segment.questions.ask => Ok(self.ask_or_default(question)),
            None => Ok(Answered::Chosen(question.default.clone())),
        }
    }

    /// What a check reckons with: the author's order or policy, else the default. The opponent's are not looked at.
    fn reckon<T: Choice>(
        &mut self,
        key: &Key,
        question: &Question<'_, T>,
        ordered: Option<T>,
        policy: &impl Fn(&G::Policy, &Question<'_, T>) -> Say<T>,
    ) -> Ruling<T> {
        let mut stops = self.segment.questions.ask;
        let mut chosen = question.default.clone();
        let own = self.hopes.as_ref().is_some_and(|hopes| hopes.author() == question.who);
        if let Some(choice) = ordered {
            if question.allows(&choice) {
                return Ok(choice);
            }
            let said = self.json(&choice)?;
            let remedy = question.options.iter().map(|option| self.json(option).map(|json| json.to_string()));
            let remedy = format!("choose {}", remedy.collect::<Ruling<Vec<_>>>()?.join(" or "));
            let bar =
                Bar { clause: question.clause, ..Bar::new("", format!("{said} is not among the choices"), remedy) };
            let lapse = self.default_taken(key, question, said)?;
            self.lapse(vec![bar.about([question.about.clone()])], |_| lapse.into());
            return Ok(chosen);
        }
        // Of the opponent's policies a check knows none, unless its author supposes one.
        if own || self.supposes(question.who, question.kind) {
            match self.policy_for(question.who, question.kind)? {
                Some(Say::Choose(value)) => match policy(&value, question) {
                    Say::Choose(choice) if question.allows(&choice) => (chosen, stops) = (choice, false),
                    Say::Choose(_) | Say::Default => stops = false,
                    Say::Ask => {}
                },
                Some(Say::Default) => stops = false,
                Some(Say::Ask) | None => {}
            }
        } else {
            self.cloud([question.about.clone()], &Cloud::Choice(question.kind));
        }
        let pending = Pending {
            who: question.who,
            kind: question.kind,
            clause: question.clause,
            text: question.text.clone(),
            reckoned: self.json(&chosen)?,
            stops,
        };
        if let Some(hopes) = &mut self.hopes {
            hopes.pend(pending);
        }
        Ok(chosen)
    }

    fn supposes(&self, who: Side, kind: Kind) -> bool {
        self.segment.said.policies.contains_key(&(who, kind.0.to_owned()))
    }

    /// `ask`, unless the game never asks or the side has used up its stops.
    fn ask_or_default<T: Choice>(&self, question: &Question<'_, T>) -> Answered<T> {
        let stops = self.settled.stops.get(&question.who).copied().unwrap_or(0);
        let spent = self.segment.questions.max_asks.is_some_and(|most| stops >= most);
        if !self.segment.questions.ask || spent {
            return Answered::Chosen(question.default.clone());
        }
        Answered::MustAsk
    }

    /// The answer to a question of an earlier stop; left out or not among the options, it is the default.
    fn settle_said<T: Choice>(&mut self, key: &Key, question: &Question<'_, T>, said: Option<Json>) -> Ruling<T> {
        let Some(said) = said else {
            return Ok(question.default.clone());
        };
        if said == Json::Str("default".into()) {
            return Ok(question.default.clone());
        }
        match self.read::<T>(&said) {
            Some(choice) if question.allows(&choice) => Ok(choice),
            _ => self.take_default(key, question, said),
        }
    }

    /// A choice that is not among the options counts as the default and is noted.
    fn take_default<T: Choice>(&mut self, key: &Key, question: &Question<'_, T>, said: Json) -> Ruling<T> {
        let lapse = self.default_taken(key, question, said)?;
        self.settled.lapses.insert(key.clone(), lapse.clone());
        self.lapses.push(lapse.clone());
        self.note(lapse);
        Ok(question.default.clone())
    }

    fn default_taken<T: Choice>(&self, key: &Key, question: &Question<'_, T>, said: Json) -> Ruling<Lapse> {
        Ok(Lapse {
            who: question.who,
            key: key.clone(),
            kind: question.kind,
            said,
            applied: self.json(&question.default)?,
            clause: question.clause,
        })
    }

    /// The policy in force: said in the clear, or in a sealed standing order that is opened now.
    fn policy_for(&mut self, who: Side, kind: Kind) -> Ruling<Option<Say<G::Policy>>> {
        let named = (who, kind.0.to_owned());
        let slot = self.segment.said.policy_slots.get(&named).cloned().unwrap_or_else(|| Slot::standing(kind.0));
        let value = match self.segment.said.policies.get(&named) {
            Some(said) => said.clone(),
            None if self.segment.versions.contains_key(&(who, slot.clone())) => {
                let opened = self.open_slot(who, &slot)?;
                match opened.get("policy") {
                    Some(policy) => policy.clone(),
                    // A value that fits its commitment but is no policy counts as `default`.
                    None => return Ok(Some(Say::Default)),
                }
            }
            None => return Ok(None),
        };
        match &value {
            Json::Str(word) if word == "default" => return Ok(Some(Say::Default)),
            Json::Str(word) if word == "ask" => return Ok(Some(Say::Ask)),
            _ => {}
        }
        let mut reader = Reader::new(self.game.lexicon());
        let policy = G::Policy::read(kind, &Node::from_json(&value), &DocPath::root(), &mut reader);
        // A policy that cannot be read counts as `default`, like any order that is illegal when signed.
        Ok(Some(policy.map_or(Say::Default, Say::Choose)))
    }

    /// Everybody sees the hidden value now.
    pub fn open<T: Hidden>(&mut self, sealed: &Sealed<T>) -> Ruling<T> {
        let value = self.open_slot(sealed.owner(), sealed.slot())?;
        self.read_hidden(sealed, &value)
    }

    fn version(&self, owner: Side, slot: &Slot) -> u32 {
        self.segment.versions.get(&(owner, slot.clone())).copied().unwrap_or(1)
    }

    /// The value everybody can read already: opened in the ledger, earlier in the span, or in the opener's records.
    fn known(&self, owner: Side, slot: &Slot) -> Option<Json> {
        let at = (owner, slot.clone(), self.version(owner, slot));
        let opened = self.settled.opened.get(&at);
        let said = || self.segment.said.reveals.get(&(owner, slot.clone()));
        opened.or_else(|| self.segment.public.get(owner, slot)).or_else(said).cloned()
    }

    /// Whether everybody can read a hidden value by now.
    pub(super) fn is_open<T: Hidden>(&self, sealed: &Sealed<T>) -> bool {
        self.known(sealed.owner(), sealed.slot()).is_some()
    }

    fn held(&self, owner: Side, slot: &Slot) -> Option<&Json> {
        self.segment.holdings.get(owner, slot).or_else(|| self.kept.get(owner, slot))
    }

    fn open_slot(&mut self, owner: Side, slot: &Slot) -> Ruling<Json> {
        if let Some(value) = self.known(owner, slot) {
            return Ok(value);
        }
        if !self.segment.closer_holds.contains(&owner) {
            return Err(Halt::Stop(Stop::Facts { who: owner, slots: vec![slot.clone()], claims: Vec::new() }));
        }
        let Some(value) = self.held(owner, slot).cloned() else {
            return Err(Halt::Breach(Breach { code: "E51-REVEAL", fault: Some(owner), about: slot.to_string() }));
        };
        let version = self.version(owner, slot);
        self.settled.opened.insert((owner, slot.clone(), version), value.clone());
        self.minutes.reveals.push(Opening { owner, slot: slot.clone(), version, value: value.clone() });
        Ok(value)
    }

    fn read_hidden<T: Hidden>(&self, sealed: &Sealed<T>, value: &Json) -> Ruling<T> {
        let breach = || Breach { code: "E50-REVEAL", fault: Some(sealed.owner()), about: sealed.slot().to_string() };
        self.read::<T>(value).ok_or_else(|| Halt::Breach(breach()))
    }

    /// The values of several hidden things of one owner, if this view can read them all.
    pub(super) fn peek<T: Hidden>(&self, of: &[&Sealed<T>]) -> Ruling<Option<Vec<T>>> {
        let mut values = Vec::new();
        for sealed in of {
            let value = self.known(sealed.owner(), sealed.slot());
            let Some(value) = value.or_else(|| self.held(sealed.owner(), sealed.slot()).cloned()) else {
                return Ok(None);
            };
            values.push(self.read_hidden(sealed, &value)?);
        }
        Ok(Some(values))
    }

    /// Everybody learns one fact about hidden values of one owner, and no more: a claim, which the audit proves.
    pub fn fact<T: Hidden, F: Fact>(
        &mut self,
        of: &[&Sealed<T>],
        about: &Subject,
        what: &str,
        f: impl Fn(&[T]) -> F,
    ) -> Ruling<F> {
        let key = self.key(about, what)?;
        let Some(owner) = of.first().map(|sealed| sealed.owner()) else {
            return Ok(f(&[]));
        };
        let unreadable = |json: &Json| Halt::Bug(format!("the fact {json} of {key} cannot be read"));
        if let Some(settled) = self.settled.facts.get(&key).cloned() {
            self.recalled.insert(key.clone());
            return self.read::<F>(&settled).ok_or_else(|| unreadable(&settled));
        }
        let open = of.iter().all(|sealed| self.known(sealed.owner(), sealed.slot()).is_some());
        let computed = self.peek(of)?.map(|values| f(&values));
        if open && let Some(fact) = computed {
            return Ok(fact);
        }
        if let Some(claimed) = self.segment.said.claims.get(&(owner, key.clone())).cloned() {
            let breach = Breach { code: "E60-AUDIT", fault: Some(owner), about: key.to_string() };
            let fact = self.read::<F>(&claimed).ok_or_else(|| Halt::Breach(breach.clone()))?;
            if computed.as_ref().is_some_and(|true_fact| *true_fact != fact) {
                return Err(Halt::Breach(breach));
            }
            self.minutes_claim(owner, &key, &claimed);
            self.settled.facts.insert(key, claimed);
            return Ok(fact);
        }
        if !self.segment.closer_holds.contains(&owner) {
            return Err(Halt::Stop(Stop::Facts { who: owner, slots: Vec::new(), claims: vec![key] }));
        }
        let Some(fact) = computed else {
            return Err(Halt::Breach(Breach { code: "E51-REVEAL", fault: Some(owner), about: key.to_string() }));
        };
        let json = self.json(&fact)?;
        self.minutes_claim(owner, &key, &json);
        self.settled.facts.insert(key, json);
        Ok(fact)
    }

    /// What was stated when the packet was really carried out, by the key that comes next.
    pub(super) fn stated<F: Fact>(&mut self, about: &Subject, what: &str) -> Ruling<Option<F>> {
        let key = self.key(about, what)?;
        let Some(stated) = self.settled.facts.get(&key).cloned() else { return Ok(None) };
        Ok(self.read::<F>(&stated))
    }

    /// A claim of the closer's side belongs to the result; one the opener stated already stands in his record.
    fn minutes_claim(&mut self, owner: Side, key: &Key, value: &Json) {
        if self.segment.closer_holds.contains(&owner) {
            self.minutes.claims.push(Claim { owner, key: key.clone(), value: value.clone() });
        }
    }

    /// A condition on hidden values that a signature vouches for, checked wherever the values can be read.
    pub fn attest<T: Hidden>(
        &mut self,
        all: &[&Sealed<T>],
        clause: Clause,
        holds: impl Fn(&[T]) -> bool,
    ) -> Ruling<()> {
        let Some(owner) = all.first().map(|sealed| sealed.owner()) else {
            return Ok(());
        };
        // Whoever is not to close can only refuse to sign what he sees before the first die.
        let too_late = !self.segment.closer_holds.contains(&owner) && !self.settled.rolls.is_empty();
        match self.peek(all)? {
            Some(values) if !holds(&values) && too_late => {
                Err(Halt::Bug(format!("{owner} vouches for {clause} after a die; he could not have known")))
            }
            Some(values) if !holds(&values) => {
                Err(Halt::Breach(Breach { code: "E60-AUDIT", fault: Some(owner), about: clause.to_string() }))
            }
            _ => Ok(()),
        }
    }

    /// Puts a value from an order file face down into a slot of the state.
    ///
    /// In solo games and cases the value stands in place and is kept beside the state; where it was sealed by signing,
    /// the slot must be the one the rules give it.
    pub fn keep<T: Hidden>(&mut self, owner: Side, slot: Slot, value: &Concealed<T>) -> Ruling<Sealed<T>> {
        match value {
            Concealed::Open(value) => {
                let json = self.json(value)?;
                self.kept.0.insert((owner, slot.clone()), json);
            }
            Concealed::Sealed(named) if *named == slot => {}
            Concealed::Sealed(named) => {
                let about = format!("{named} stands where {slot} belongs");
                return Err(Halt::Breach(Breach { code: "E14-SCHEMA", fault: Some(owner), about }));
            }
        }
        Ok(Sealed::new(owner, slot))
    }

    fn read<T: super::doc::FromDoc>(&self, value: &Json) -> Option<T> {
        let mut reader = Reader::new(self.game.lexicon());
        let read = T::read(&Node::from_json(value), &DocPath::root(), &mut reader)?;
        reader.faults.iter().all(|fault| fault.warning).then_some(read)
    }

    fn json<T: Serialize + ?Sized>(&self, value: &T) -> Ruling<Json> {
        to_json(value).map_err(|error| Halt::Bug(error.to_string()))
    }
}

/// The next dice of a case, which must be those called for.
fn given(dice: &mut VecDeque<FixedDie>, label: &Key, sides: &[Die]) -> Ruling<Vec<u16>> {
    let mut faces = Vec::new();
    while faces.len() < sides.len() {
        let Some(die) = dice.pop_front() else {
            return Err(Halt::NoDice(label.clone()));
        };
        if die.label.as_ref().is_some_and(|wanted| wanted != label.as_str()) {
            return Err(Halt::WrongDie { wanted: die.label.unwrap_or_default(), called: label.clone() });
        }
        faces.extend(die.faces);
    }
    let fit = faces.len() == sides.len() && faces.iter().zip(sides).all(|(face, die)| (1..=die.sides()).contains(face));
    if !fit {
        return Err(Halt::Bug(format!("the dice {faces:?} given for {label} do not fit")));
    }
    Ok(faces)
}
