//! Commitments and openings of a whole ledger: which version of a slot counts when, and what was opened.

use std::collections::BTreeMap;

use super::bytes::Id;
use super::data::{Hide, Reveal};
use super::finding::{Code, Finding};
use super::role::Role;
use super::secret::commitment;
use crate::engine::Slot;
use crate::engine::json::Json;

/// A commitment and the record it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sealing {
    /// The version, from 1.
    pub version: u32,
    /// The commitment.
    pub commit: Id,
    /// The record.
    pub seq: u32,
}

/// An opening and the record it stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// The value.
    pub value: Json,
    /// The salt.
    pub salt: Id,
    /// The record.
    pub seq: u32,
}

/// Everything sealed and opened so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seals {
    sealed: BTreeMap<(Role, Slot), Vec<Sealing>>,
    opened: BTreeMap<(Role, Slot, u32), Opened>,
    /// Records whose commitments of things in the position were taken back: from the first to the last.
    void: Vec<(u32, u32)>,
    /// Records that never came into force, with all they committed: motions that were declined.
    dropped: Vec<u32>,
    /// Records that committed tickets because a stop asked for them: these count from that record on.
    asked: Vec<u32>,
}

/// The moment for which the version in force is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The record that opened the span: slots in the state count up to it.
    pub span: u32,
    /// The orders of the segment: standing orders, tickets and plan entries count before it.
    pub segment: u32,
}

/// Whether the state names this slot, rather than a standing order, a ticket or a plan entry.
pub fn is_in_state(slot: &Slot) -> bool {
    !["standing/", "ticket/", "plan/", "orders/", "report/"].iter().any(|p| slot.as_str().starts_with(p))
}

impl Seals {
    /// Adds the commitments of a record; versions have to count on.
    pub fn seal(&mut self, by: &Role, hides: &[Hide], seq: u32) -> Result<(), String> {
        for hide in hides {
            let versions = self.sealed.entry((by.clone(), hide.slot.clone())).or_default();
            let expected = versions.last().map_or(1, |last| last.version + 1);
            if hide.version != expected {
                return Err(format!("{} is committed as version {}, but {expected} is next", hide.slot, hide.version));
            }
            versions.push(Sealing { version: hide.version, commit: hide.commit, seq });
        }
        Ok(())
    }

    /// The version of a slot that counts at a moment.
    pub fn in_force(&self, role: &Role, slot: &Slot, at: Moment) -> Option<&Sealing> {
        // The entries of a plan may stand in the very orders that open the segment, under a game master.
        let with_orders = is_in_state(slot) || slot.as_str().starts_with("plan/");
        let last = if is_in_state(slot) { at.span } else { at.segment };
        let at_once = |seq: u32| seq == last && (with_orders || slot.is_ticket() && self.asked.contains(&seq));
        let counts = |s: &&Sealing| (s.seq < last || at_once(s.seq)) && !self.is_void(slot, s.seq);
        self.sealed.get(&(role.clone(), slot.clone()))?.iter().rev().find(counts)
    }

    /// Takes back what some records committed of things in the position. The versions keep their numbers, not their force.
    pub fn void(&mut self, from: u32, upto: u32) {
        if from <= upto {
            self.void.push((from, upto));
        }
    }

    /// The tickets that a record commits were asked for, and count from that record on.
    pub fn count_at_once(&mut self, seq: u32) {
        self.asked.push(seq);
    }

    /// What a record committed never comes into force; the versions keep their numbers.
    pub fn drop_record(&mut self, seq: u32) {
        self.dropped.push(seq);
    }

    fn is_void(&self, slot: &Slot, seq: u32) -> bool {
        self.dropped.contains(&seq)
            || is_in_state(slot) && self.void.iter().any(|(from, upto)| (*from..=*upto).contains(&seq))
    }

    /// The same seals as if some records had committed nothing.
    pub fn without(&self, seqs: &[u32]) -> Seals {
        let mut seals = self.clone();
        seqs.iter().for_each(|seq| seals.void(*seq, *seq));
        seals
    }

    /// Every slot of every role, with the version that counts at a moment.
    pub fn all_in_force(&self, at: Moment) -> impl Iterator<Item = (&Role, &Slot, &Sealing)> {
        self.sealed.keys().filter_map(move |(role, slot)| Some((role, slot, self.in_force(role, slot, at)?)))
    }

    /// Every commitment of a role that ever came into force.
    pub fn of_role<'a>(&'a self, role: &'a Role) -> impl Iterator<Item = (&'a Slot, &'a Sealing)> {
        let own = self.sealed.iter().filter(move |((owner, _), _)| owner == role);
        let all = own.flat_map(|((_, slot), versions)| versions.iter().map(move |version| (slot, version)));
        all.filter(|(_, sealing)| !self.dropped.contains(&sealing.seq))
    }

    /// Whether a role ever committed anything.
    pub fn has_sealed(&self, role: &Role) -> bool {
        self.of_role(role).next().is_some()
    }

    /// The next version a role would commit a slot as.
    pub fn next_version(&self, role: &Role, slot: &Slot) -> u32 {
        self.sealed.get(&(role.clone(), slot.clone())).and_then(|v| v.last()).map_or(1, |last| last.version + 1)
    }

    /// The opening of one version, if it stands in the ledger.
    pub fn opening(&self, role: &Role, slot: &Slot, version: u32) -> Option<&Opened> {
        self.opened.get(&(role.clone(), slot.clone(), version))
    }

    /// Takes an opening, if it fits the commitment of the version in force.
    pub fn open(&mut self, game: &Id, owner: &Role, reveal: &Reveal, at: Moment, seq: u32) -> Result<(), Finding> {
        let wrong = |what: &str| Finding::new(Code::Reveal, what).signed_by(owner).about(&reveal.slot);
        let Some(sealing) = self.in_force(owner, &reveal.slot, at) else {
            return Err(wrong("opens what was not committed in time"));
        };
        if sealing.version != reveal.version {
            return Err(wrong("opens another version than the one in force").not(reveal.version, sealing.version));
        }
        let made = commitment(game, owner, &reveal.slot, reveal.version, &reveal.salt, &reveal.value);
        if made != sealing.commit {
            let finding = wrong("the opening does not fit its commitment").not(made, sealing.commit);
            let (game, version) = (game.to_string(), reveal.version.to_string());
            let (salt, value) = (reveal.salt.to_string(), reveal.value.to_string());
            let lines = [&game, owner.as_str(), reveal.slot.as_str(), &version, &salt, &value];
            return Err(finding.check_hash("hide", &lines));
        }
        let opened = Opened { value: reveal.value.clone(), salt: reveal.salt, seq };
        self.opened.entry((owner.clone(), reveal.slot.clone(), reveal.version)).or_insert(opened);
        Ok(())
    }
}
