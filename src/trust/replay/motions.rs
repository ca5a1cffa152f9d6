//! Motions beside the rules: what a position may be corrected to, and where the game stands once a motion acts.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Check, Replay, hash_of, rules_hash};
use crate::engine::json::Json;
use crate::engine::{AnyState, Holdings, Settled, Side, Slot, Stop};
use crate::trust::bytes::Id;
use crate::trust::data::{Genesis, Mode};
use crate::trust::finding::{Code, Finding};
use crate::trust::motion::{Kept, Motion, Rekey, Ruling, Upgrade, What};
use crate::trust::patch::patched;
use crate::trust::protocol::{NextRecord, Protocol};
use crate::trust::record::Body;
use crate::trust::role::Role;
use crate::trust::seals::is_in_state;

/// A place where a span has ended, with everything one needs to begin there again.
pub(super) struct Edge {
    seq: u32,
    state: AnyState,
    hash: Id,
    stop: Stop,
    kept: Holdings,
    /// How many spans had been carried out.
    played: usize,
}

/// The position a motion on the table would lead to.
#[derive(Clone)]
pub(super) struct Proposed {
    state: AnyState,
    hash: Id,
    kept: Option<Holdings>,
}

fn wrong(by: &Role, what: impl Into<String>) -> Finding {
    Finding::new(Code::Schema, what).signed_by(by)
}

impl Replay {
    /// The same table where the game was begun with another version of the rules or other data. It judges nothing before
    /// a motion brings the game to this version.
    pub fn asleep(table: Box<dyn crate::engine::Match>, genesis: &Genesis) -> Check<Replay> {
        let mut replay = Replay::seated(Arc::from(table), genesis)?;
        replay.awake = false;
        Ok(replay)
    }

    /// Whether the rules of the records in hand are the ones at this table.
    pub fn is_awake(&self) -> bool {
        self.awake
    }

    /// Notes that a span has ended with a record.
    pub fn mark_edge(&mut self, seq: u32) {
        if !matches!(self.stop, Stop::Orders { .. }) {
            return;
        }
        let (state, hash, stop, kept) = (self.state.clone(), self.state_hash, self.stop.clone(), self.kept.clone());
        let played = self.played.len();
        self.edges.push(Arc::new(Edge { seq, state, hash, stop, kept, played }));
    }

    /// Judges a motion, and carries it out if nobody has to be asked.
    pub fn hear_motion(&mut self, protocol: &Protocol, body: &Body, motion: &Motion) -> Check {
        self.proposed = None;
        let by = &body.by;
        if !self.awake {
            if let What::Upgrade(upgrade) = &motion.what
                && self.is_ours(upgrade)
            {
                self.proposed = Some(self.upgraded(protocol, by, upgrade)?);
            }
            return self.settle(protocol, body.seq);
        }
        let anywhere = motion.is_lost() || matches!(motion.what, What::Rekey(_));
        if self.mode == Mode::TwoPlayer && !anywhere && self.stop.who().is_some_and(|who| who.as_str() != by.as_str()) {
            let who = self.stop.who().map_or("nobody", Side::as_str);
            return Err(Finding::new(Code::Kind, format!("moves, but {who} is due")).signed_by(by));
        }
        match &motion.what {
            What::Ruling(ruling) => self.proposed = Some(self.ruled(protocol, by, ruling)?),
            What::Upgrade(upgrade) => {
                let here = self.json(&self.state)?;
                if upgrade.position != here {
                    return Err(wrong(by, "`position` is not the one in force"));
                }
                if self.is_ours(upgrade) {
                    self.proposed = Some(self.upgraded(protocol, by, upgrade)?);
                }
                if !protocol.seals_values() && self.kept_by(upgrade.kept.iter()) != self.kept_in_position() {
                    return Err(wrong(by, "`kept` is not what lies face down"));
                }
            }
            What::Rekey(rekey) => self.check_rekeyed(protocol, by, motion, rekey)?,
            What::Void { .. } | What::Reanchor { .. } | What::End(_) => {}
        }
        self.settle(protocol, body.seq)
    }

    fn json(&self, state: &AnyState) -> Check<Json> {
        let json = self.table.state_json(state);
        json.map_err(|error| super::bug(format!("the state has no canonical form: {error}")))
    }

    fn is_ours(&self, upgrade: &Upgrade) -> bool {
        upgrade.engine == self.table.ruleset().engine() && upgrade.rules_sha256 == rules_hash(&*self.table)
    }

    /// Reads a whole position, if the rules allow it.
    fn position(&self, by: &Role, json: &Json) -> Check<AnyState> {
        let read = self.table.read_state(json).map_err(|flaws| {
            wrong(by, format!("the rules cannot read this position: {}", flaws.into_iter().next().unwrap_or_default()))
        })?;
        match self.table.flaws(&read).into_iter().next() {
            Some(flaw) => Err(wrong(by, format!("the rules do not allow this position: {flaw}"))),
            None => Ok(read),
        }
    }

    /// The position as a ruling corrects it.
    fn ruled(&self, protocol: &Protocol, by: &Role, ruling: &Ruling) -> Check<Proposed> {
        let json = patched(&self.json(&self.state)?, &ruling.patch).map_err(|what| wrong(by, what))?;
        let state = self.position(by, &json)?;
        if self.json(&state)? != json {
            return Err(wrong(by, "the rules read something else in this position than what is written"));
        }
        let due = self.table.packet_due(&state);
        if (due.who(), due.ask()) != (self.stop.who(), self.stop.ask()) {
            let now = (self.stop.who().map_or("", Side::as_str), self.stop.ask());
            let then = (due.who().map_or("", Side::as_str), due.ask());
            let what = "a ruling does not change whose packet is due";
            return Err(wrong(by, what).not(format!("{} {}", then.0, then.1), format!("{} {}", now.0, now.1)));
        }
        self.check_slots(protocol, by, &state)?;
        let hash = hash_of(&*self.table, &state)?;
        if hash != ruling.state {
            let finding = Finding::new(Code::State, "the state is not the one the correction gives").signed_by(by);
            return Err(finding.not(ruling.state, hash));
        }
        Ok(Proposed { state, hash, kept: None })
    }

    /// Every slot stays its owner's and is named once, none is new, and what leaves the position was opened.
    fn check_slots(&self, protocol: &Protocol, by: &Role, after: &AnyState) -> Check {
        let before = self.table.slots(&self.state);
        let after = self.table.slots(after);
        for (at, named) in after.iter().enumerate() {
            if after.iter().skip(at + 1).any(|other| other == named) {
                return Err(wrong(by, "one hidden thing stands twice in the position").about(&named.1));
            }
            if !before.contains(named) {
                return Err(wrong(by, "a hidden thing that was not there, or was somebody else's").about(&named.1));
            }
        }
        if !protocol.seals_values() {
            return Ok(());
        }
        for (side, slot) in before.iter().filter(|named| !after.contains(named)) {
            let Ok(role) = side.as_str().parse::<Role>() else { continue };
            let version = protocol.seals().in_force(&role, slot, protocol.moment()).map(|sealing| sealing.version);
            let open = version.is_none_or(|version| protocol.seals().opening(&role, slot, version).is_some());
            if !open {
                return Err(wrong(by, "leaves the position, and nobody has opened it").about(slot));
            }
        }
        Ok(())
    }

    /// The same position as this version of the rules reads it.
    fn upgraded(&self, protocol: &Protocol, by: &Role, upgrade: &Upgrade) -> Check<Proposed> {
        let state = self.position(by, &upgrade.position)?;
        let (due, said) = (self.table.packet_due(&state), protocol.stop());
        let who = due.who().map_or("", Side::as_str);
        if said.is_some_and(|said| said.ask != due.ask() || said.who.as_ref().is_some_and(|role| role.as_str() != who))
        {
            return Err(wrong(by, "under the new version somebody else is due"));
        }
        if protocol.seals_values() {
            for (side, slot) in self.table.slots(&state) {
                let role = side.as_str().parse::<Role>().ok();
                let known = role.is_some_and(|role| protocol.seals().next_version(&role, &slot) > 1);
                if !known {
                    return Err(wrong(by, "a hidden thing that was never committed").about(&slot));
                }
            }
        }
        let hash = hash_of(&*self.table, &state)?;
        if hash != upgrade.state {
            let finding = Finding::new(Code::State, "the state is not the one this version reads").signed_by(by);
            return Err(finding.not(upgrade.state, hash));
        }
        let kept = (!protocol.seals_values()).then(|| self.kept_by(upgrade.kept.iter()));
        Ok(Proposed { state, hash, kept })
    }

    fn kept_by<'k>(&self, kept: impl Iterator<Item = &'k Kept>) -> Holdings {
        let one = |kept: &Kept| {
            let side = self.table.ruleset().side(kept.by.as_str())?;
            Some(((side, Slot::parse(&kept.slot).ok()?), kept.value.clone()))
        };
        Holdings(kept.filter_map(one).collect())
    }

    /// What lies face down where nothing is sealed, as far as the position still names it.
    pub fn kept_in_position(&self) -> Holdings {
        let named = self.table.slots(&self.state);
        let there = self.kept.0.iter().filter(|((side, slot), _)| named.contains(&(*side, slot.clone())));
        Holdings(there.map(|(at, value)| (at.clone(), value.clone())).collect::<BTreeMap<_, _>>())
    }

    /// Where a span has ended, the new holder of a seat seals everything again that the position names.
    fn check_rekeyed(&self, protocol: &Protocol, by: &Role, motion: &Motion, rekey: &Rekey) -> Check {
        let edge = rekey.anchor.is_some() || !motion.hide.is_empty();
        if !edge || !protocol.seals_values() {
            return Ok(());
        }
        for (side, slot) in self.table.slots(&self.base) {
            let theirs = side.as_str() == rekey.role.as_str() && is_in_state(&slot);
            let sealed = protocol.seals().next_version(&rekey.role, &slot) > 1;
            if theirs && sealed && !motion.hide.iter().any(|hide| hide.slot == slot) {
                return Err(wrong(by, "has to be sealed anew with the new key").about(&slot));
            }
        }
        Ok(())
    }

    /// Carries out what a record has put in force, if it did.
    pub fn settle(&mut self, protocol: &Protocol, seq: u32) -> Check {
        let Some(moved) = protocol.put_in_force(seq) else {
            if !matches!(protocol.due(), NextRecord::Answer(_)) {
                self.proposed = None;
            }
            return Ok(());
        };
        let proposed = self.proposed.take();
        if moved.motion.is_lost() && self.awake && self.stop != Stop::End {
            self.go_back(u32::MAX);
        }
        match (&moved.motion.what, proposed) {
            (What::Void { back_to }, _) => self.go_back(*back_to),
            (What::Ruling(_), Some(proposed)) => self.put(proposed),
            (What::Upgrade(_), Some(proposed)) => {
                self.awake = true;
                self.put(proposed);
            }
            (What::Upgrade(upgrade), None) if self.awake => {
                let here = self.table.ruleset().engine();
                let what = match upgrade.engine == here {
                    true => "the game goes on with other map, counter or table data than these".to_owned(),
                    false => format!("the game goes on with `{}`, this is `{here}`", upgrade.engine),
                };
                return Err(Finding::new(Code::Engine, what).not(&upgrade.engine, here));
            }
            (What::End(_), _) => self.stop = Stop::End,
            _ => {}
        }
        self.mark_edge(seq);
        Ok(())
    }

    /// Puts another position on the table; whose packet is due stays.
    fn put(&mut self, proposed: Proposed) {
        let stop = self.table.packet_due(&proposed.state);
        if let Some(kept) = proposed.kept {
            self.kept = kept;
        }
        let kept = self.kept.clone();
        self.stand(proposed.state, proposed.hash, stop, kept);
    }

    /// Everything is as it was where a span had ended; the last one if none is named.
    fn go_back(&mut self, back_to: u32) {
        let Some(edge) = self.edges.iter().rev().find(|edge| edge.seq <= back_to).cloned() else { return };
        self.edges.retain(|other| other.seq <= edge.seq);
        self.played.truncate(edge.played);
        self.stand(edge.state.clone(), edge.hash, edge.stop.clone(), edge.kept.clone());
    }

    fn stand(&mut self, state: AnyState, hash: Id, stop: Stop, kept: Holdings) {
        (self.base, self.base_hash, self.base_stop) = (state.clone(), hash, stop.clone());
        self.began = state.clone();
        (self.state, self.state_hash, self.stop) = (state, hash, stop);
        (self.kept, self.fresh) = (kept, Holdings::default());
        (self.packet, self.settled, self.journal, self.told) = (None, Settled::default(), None, 0);
    }

    /// The position a motion on the table would lead to, and its hash: what people are shown before they agree.
    pub fn proposal(&self, protocol: &Protocol) -> Option<(AnyState, Id)> {
        if let Some(Proposed { state, hash, .. }) = &self.proposed {
            return Some((state.clone(), *hash));
        }
        match &protocol.on_the_table()?.motion.what {
            What::Void { back_to } => {
                let edge = self.edges.iter().rev().find(|edge| edge.seq <= *back_to)?;
                Some((edge.state.clone(), edge.hash))
            }
            _ => None,
        }
    }

    /// The position of a place one may go back to, and its hash.
    pub fn at_edge(&self, seq: u32) -> Option<(&AnyState, Id)> {
        self.edges.iter().rev().find(|edge| edge.seq <= seq).map(|edge| (&edge.state, edge.hash))
    }
}
