//! Resolving a segment, and holding a result against what the rules make of it.

use std::sync::Arc;

use super::inputs::shown;
use super::{Check, Inputs, Played, Replay, Vision, bug, role_of};
use crate::engine::dice::Seed;
use crate::engine::json::Json;
use crate::engine::{
    AnyJournal, AnyOutcome, Breach, Dice, Failure, Key, Minutes, Rolled, Segment, Shown, Side, Slot, Stop, Versions,
};
use crate::trust::bytes::Id;
use crate::trust::data::{ClaimSaid, Closing, Mode, QuestionSaid, Reveal, RollSaid, StopSaid};
use crate::trust::finding::{Code, Finding};
use crate::trust::role::Role;

impl Replay {
    pub(super) fn resolve(&self, inputs: &Inputs, dice: Dice) -> Result<AnyOutcome, Failure> {
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
    pub(super) fn minutes(&self, minutes: &Minutes, versions: &Versions) -> Minutes {
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

    pub(super) fn keep_played(&mut self, inputs: Inputs) {
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
    pub(super) fn with_record(&self, mut inputs: Inputs, closer: &Role, closing: &Closing) -> Check<Inputs> {
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

    pub(super) fn failed(&self, failure: Failure) -> Finding {
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

    pub(super) fn compare(&self, closer: &Role, closing: &Closing, outcome: &AnyOutcome, versions: &Versions) -> Check {
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

pub(super) fn first_difference<T: PartialEq>(one: &[T], other: &[T]) -> Option<usize> {
    (0..one.len().max(other.len())).find(|at| one.get(*at) != other.get(*at))
}

pub(super) fn rolls_said(minutes: &Minutes) -> Check<Vec<RollSaid>> {
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
pub(super) fn stop_words(stop: &StopSaid) -> String {
    let keys = stop.questions.iter().map(|q| q.key.to_string());
    let keys =
        keys.chain(stop.slots.iter().map(ToString::to_string)).chain(stop.claims.iter().map(ToString::to_string));
    let words = stop.who.iter().map(ToString::to_string).chain([stop.ask.clone()]).chain(keys);
    words.collect::<Vec<_>>().join(" ")
}
