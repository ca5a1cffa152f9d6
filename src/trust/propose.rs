//! Making motions and answering them. Everything is judged before it is signed, so what cannot act is never moved.

use std::collections::BTreeMap;

use super::bytes::Id;
use super::data::{Data, Hide, Mode};
use super::home::Sealed;
use super::ledger::{Ledger, LedgerTrouble, Pen};
use super::motion::{Answered, Motion, Outcome, Ruling, What};
use super::patch::{Patch, patch_between, patched};
use super::protocol::{Moved, NextRecord};
use super::record::Record;
use super::role::Role;
use super::seals::Moment;
use super::seat::Seat;
use super::speak::Sealing;
use crate::engine::json::Json;
use crate::engine::{AnyState, Match, Slot};

/// What a ruling is about and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The record it is about.
    pub about: u32,
    /// The clause of the rules.
    pub clause: String,
    /// What was found, in a sentence.
    pub finding: String,
}

/// Two positions, before and after a motion, and the hash of the second.
pub struct Outlook {
    /// As it stands.
    pub before: Json,
    /// As it would stand.
    pub after: Json,
    /// The hash of that.
    pub hash: Id,
    /// The position itself.
    pub state: AnyState,
}

impl Ledger {
    fn position(&self, state: &AnyState) -> Result<Json, LedgerTrouble> {
        let json = self.replay().table().state_json(state);
        json.map_err(|error| LedgerTrouble::Refused(error.to_string()))
    }

    /// A ruling that makes the position into another one.
    pub fn ruling(&self, finding: Finding, after: &Json) -> Result<Motion, LedgerTrouble> {
        let patch = patch_between(&self.position(self.replay().state())?, after);
        self.ruling_of(finding, patch)
    }

    /// A ruling that puts these values at these places.
    pub fn ruling_of(&self, finding: Finding, patch: Patch) -> Result<Motion, LedgerTrouble> {
        let table: &dyn Match = self.replay().table();
        let after = patched(&self.position(self.replay().state())?, &patch).map_err(LedgerTrouble::Refused)?;
        // What cannot be read has no hash of its own; judging it says why.
        let state = match table.read_state(&after) {
            Ok(state) => self.replay().hash(&state).map_err(LedgerTrouble::at(self.protocol().next()))?,
            Err(_) => Id::ZERO,
        };
        let Finding { about, clause, finding } = finding;
        Ok(Motion::new(What::Ruling(Box::new(Ruling { about, clause, finding, patch, state }))))
    }

    /// What a motion would lead to, if it changes the position at all. Nothing is signed.
    pub fn outlook(&self, motion: &Motion, by: &Role) -> Result<Option<Outlook>, LedgerTrouble> {
        let body = self.protocol().body(by, &Data::Motion(Box::new(motion.clone())))?;
        let (protocol, replay, _) = self.ahead(&body, &[])?;
        let proposal = match protocol.put_in_force(body.seq) {
            Some(_) => Some((replay.state().clone(), replay.state_hash())),
            None => replay.proposal(&protocol),
        };
        let before = self.position(self.replay().state())?;
        let Some((state, hash)) = proposal else { return Ok(None) };
        Ok(Some(Outlook { before, after: self.position(&state)?, hash, state }))
    }

    /// What the motion on the table would lead to.
    pub fn outlook_of_table(&self) -> Result<Option<Outlook>, LedgerTrouble> {
        let Some((state, hash)) = self.replay().proposal(self.protocol()) else { return Ok(None) };
        // An upgrade brings the position in force with it: the version that accepts it need not have known it before.
        let before = match self.protocol().on_the_table().map(|moved| &moved.motion.what) {
            Some(What::Upgrade(upgrade)) => upgrade.position.clone(),
            _ => self.position(self.replay().state())?,
        };
        Ok(Some(Outlook { before, after: self.position(&state)?, hash, state }))
    }

    /// Signs a motion.
    pub fn propose(&mut self, motion: Motion, sealed: &[Sealed], pen: &mut Pen<'_>) -> Result<Record, LedgerTrouble> {
        self.sign(&Data::Motion(Box::new(motion)), sealed, pen)
    }

    /// Hides anew what came out since the place that is returned to.
    fn hidden_anew(&self, back_to: u32, pen: &Pen<'_>) -> (Vec<Hide>, Vec<Sealed>) {
        let role = pen.file.role().clone();
        let table = self.replay().table();
        let side = table.ruleset().side(role.as_str());
        let (Some(side), true) = (side, self.protocol().mode() == Mode::TwoPlayer) else { return Default::default() };
        let mut sealing = Sealing::new(self, pen.file);
        sealing.standing(side, &BTreeMap::new());
        sealing.top_up(side, self.protocol().void_rolls(&role, Some(back_to)));
        let Some((state, _)) = self.replay().at_edge(back_to) else { return sealing.done() };
        let (at, seals) = (Moment { span: back_to, segment: back_to }, self.protocol().seals());
        for group in table.masks(state, side) {
            let version = |slot: &Slot| seals.in_force(&role, slot, at).map(|sealing| sealing.version);
            let seen = |slot: &Slot| version(slot).is_some_and(|v| seals.opening(&role, slot, v).is_some());
            let value = |slot: &Slot| self.vision.get(&role, slot, version(slot)?).cloned();
            let values: Option<Vec<Json>> = group.iter().map(value).collect();
            if let Some(values) = values.filter(|_| group.iter().any(seen)) {
                sealing.mix(group, values);
            }
        }
        sealing.done()
    }

    /// Signs the answer to the motion on the table.
    pub fn answer_motion(
        &mut self,
        accepts: bool,
        note: Option<String>,
        pen: &mut Pen<'_>,
    ) -> Result<Record, LedgerTrouble> {
        let role = pen.file.role().clone();
        let moved = self.asked_of(&role)?;
        let (hide, sealed) = match (&moved.motion.what, accepts) {
            (What::Void { back_to }, true) => self.hidden_anew(*back_to, pen),
            _ => Default::default(),
        };
        let answer = Answered { motion: moved.id, hide, role: None, notice: None, note };
        let data = if accepts { Data::Accept(answer) } else { Data::Decline(answer) };
        self.sign(&data, &sealed, pen)
    }

    /// The motion on the table, if this role has to answer it.
    pub fn asked_of(&self, role: &Role) -> Result<Moved, LedgerTrouble> {
        match (self.protocol().due(), self.protocol().on_the_table()) {
            (NextRecord::Answer(asked), Some(moved)) if asked == *role => Ok(moved.clone()),
            (NextRecord::Answer(asked), _) => {
                Err(LedgerTrouble::NotDue(format!("the motion waits for {asked}, not for {role}")))
            }
            _ => Err(LedgerTrouble::NotDue("no motion is on the table".to_owned())),
        }
    }
}

impl Seat {
    /// Moves to go back to a place where a span had ended.
    pub fn move_void(&mut self, back_to: u32, note: Option<String>) -> Result<Record, LedgerTrouble> {
        self.check_seat()?;
        let (ledger, mut pen) = self.with_pen();
        let (hide, sealed) = ledger.hidden_anew(back_to, &pen);
        let motion = Motion { hide, note, ..Motion::new(What::Void { back_to }) };
        ledger.propose(motion, &sealed, &mut pen)
    }

    /// Moves to end the game.
    pub fn move_end(
        &mut self,
        outcome: Outcome,
        note: Option<String>,
        to: Option<Role>,
    ) -> Result<Record, LedgerTrouble> {
        self.propose(Motion { note, to, ..Motion::new(What::End(outcome)) })
    }

    /// Moves something that hides nothing anew.
    pub fn propose(&mut self, motion: Motion) -> Result<Record, LedgerTrouble> {
        self.check_seat()?;
        let (ledger, mut pen) = self.with_pen();
        ledger.propose(motion, &[], &mut pen)
    }

    /// Answers the motion on the table.
    pub fn answer_motion(&mut self, accepts: bool, note: Option<String>) -> Result<Record, LedgerTrouble> {
        self.check_seat()?;
        let (ledger, mut pen) = self.with_pen();
        ledger.answer_motion(accepts, note, &mut pen)
    }
}
