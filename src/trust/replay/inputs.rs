//! What a segment is resolved from: what was said, what was sealed, what is known to whom.

use std::collections::{BTreeMap, BTreeSet};

use super::{Check, Inputs, MARK, Replay, Spent, Vision, bug};
use crate::engine::dice::faces;
use crate::engine::json::Json;
use crate::engine::{Flow, Holdings, Key, Said, Side, Slot, Tickets, Versions, to_json};
use crate::trust::bytes::Id;
use crate::trust::data::{Closing, Mode};
use crate::trust::finding::{Code, Finding};
use crate::trust::protocol::{Protocol, SecretRoll, Span};
use crate::trust::role::Role;
use crate::trust::seals::{Moment, Seals};

impl Replay {
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

    pub(super) fn gather(&self, protocol: &Protocol, vision: &Vision, span: &Span, orders: Id) -> Check<Inputs> {
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
            tickets: self.tickets(protocol, vision, span, &versions),
            spent: spent(protocol),
            versions,
            closer_holds: match self.mode {
                Mode::TwoPlayer => vec![self.side(&span.closer)?],
                Mode::Gm | Mode::Solo => sides.to_vec(),
            },
        })
    }

    /// The marks of the entries of a plan but for the policies at its end.
    pub(super) fn marks(&self, span: &Span, policies: &BTreeMap<(Side, String), Slot>) -> BTreeMap<Slot, bool> {
        let entries = (1..).map(|entry| Slot::plan(span.opened, entry)).zip(span.marks.iter().copied());
        entries.filter(|(slot, _)| !policies.values().any(|policy| policy == slot)).collect()
    }

    /// Whether the marks of a plan are those of the entries that were opened.
    pub(super) fn check_marks(&self, inputs: &Inputs, closer: &Role, closing: &Closing) -> Check {
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
    pub(super) fn versions(&self, protocol: &Protocol, at: Moment) -> Versions {
        self.versions_of(protocol.seals(), at)
    }

    pub(super) fn versions_of(&self, seals: &Seals, at: Moment) -> Versions {
        let plan = format!("plan/{}/", at.span);
        let counts = |slot: &Slot| {
            let name = slot.as_str();
            !name.starts_with("standing/") && (!name.starts_with("plan/") || name.starts_with(&plan))
        };
        let in_force = seals.all_in_force(at).filter(|(_, slot, _)| counts(slot));
        let ruleset = self.table.ruleset();
        let of_side = |(role, slot, sealing): (&Role, &Slot, &crate::trust::seals::Sealing)| {
            Some(((ruleset.side(role.as_str())?, slot.clone()), sealing.version))
        };
        in_force.filter_map(of_side).collect()
    }

    /// The tickets not yet spent, the next one first: those committed, or, where nothing is sealed, as many as the game has.
    ///
    /// Rolls that a game master had made openly for want of one come before those committed since.
    pub(super) fn tickets(&self, protocol: &Protocol, vision: &Vision, span: &Span, versions: &Versions) -> Tickets {
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
            if sealed {
                tickets.lacking.extend((1..).map(Slot::ticket).find(|ticket| !there(ticket)).map(|slot| (side, slot)));
            }
            let waived = span.waived.iter().filter(|(owner, _)| *owner == role).map(|(_, slot)| slot.clone());
            tickets.unspent.insert(side, waived.chain(unspent).collect());
        }
        tickets
    }

    /// The last entries of a plan, or of a packet for a private game master, are the policies of whoever wrote it, one for
    /// each kind of question in his own packet.
    pub(super) fn planned_policies(&self, span: &Span, side: Side) -> BTreeMap<(Side, String), Slot> {
        let kinds: Vec<&'static str> = self.own_kinds(side).collect();
        let own = span.entries.checked_sub(u32::try_from(kinds.len()).unwrap_or(u32::MAX));
        let Some(before) = own.filter(|_| span.flow == Flow::Plan || self.private) else { return BTreeMap::new() };
        let entries = (before + 1..).map(|entry| Slot::plan(span.opened, entry));
        kinds.into_iter().zip(entries).map(|(kind, slot)| ((side, kind.to_owned()), slot)).collect()
    }

    /// The standing orders of a side whose packet it is not: sealed, in place, or, where nothing was ever said, `default`.
    pub(super) fn standing(
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
    pub(super) fn public(&self, protocol: &Protocol, versions: &Versions) -> Holdings {
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
    pub(super) fn held(&self, protocol: &Protocol, vision: &Vision, versions: &Versions) -> Holdings {
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
}

/// What the rules read of an opening: its value, or the faces of the secret roll the ticket was spent on, if it was.
pub(super) fn shown(spent: &Spent, role: Role, slot: &Slot, value: &Json, salt: &Id) -> Option<Json> {
    if !slot.is_ticket() {
        return Some(value.clone());
    }
    let (seed, label, sides) = spent.get(&(role, slot.clone()))?;
    to_json(&faces(&seed.secret(&salt.to_string()), label.as_str(), sides)).ok()
}

pub(super) fn spent(protocol: &Protocol) -> Spent {
    let on = |roll: &SecretRoll| {
        ((roll.by.clone(), roll.ticket.clone()), (roll.seed, roll.label.clone(), roll.sides.clone()))
    };
    protocol.secret_rolls().iter().map(on).collect()
}
