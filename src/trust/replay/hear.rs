//! Hearing packets, answers and calls: what of them is in order before anything is rolled.

use std::collections::BTreeSet;

use super::{Check, Replay, Vision, bug};
use crate::engine::doc::{DocPath, Node, Reader};
use crate::engine::json::Json;
use crate::engine::{AnyOrders, Failure, Flow, Settled, Slot, Stop};
use crate::trust::bytes::Id;
use crate::trust::data::{Data, EMPTY, Hide, Mode};
use crate::trust::finding::{Code, Finding};
use crate::trust::protocol::{Protocol, Span};
use crate::trust::role::Role;
use crate::trust::seals::{Moment, is_in_state};

impl Replay {
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

    pub(super) fn hear_packet(&mut self, protocol: &Protocol, span: &Span, by: &Role, data: &Data) -> Check {
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
    pub(super) fn check_sealed(
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
    pub(super) fn check_heard(&self, protocol: &Protocol, span: &Span, by: &Role) -> Check {
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
    pub(super) fn check_call(&self, protocol: &Protocol, span: &Span, by: &Role) -> Check {
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
}

/// The slots that stand in a packet instead of values.
pub(super) fn sealed_in<'a>(packet: &'a Json, slots: &mut Vec<&'a str>) {
    match packet {
        Json::List(items) => items.iter().for_each(|item| sealed_in(item, slots)),
        Json::Map(members) => match (members.len(), members.get("sealed")) {
            (1, Some(Json::Str(slot))) => slots.push(slot),
            _ => members.values().for_each(|value| sealed_in(value, slots)),
        },
        Json::Str(_) | Json::Int(_) | Json::Bool(_) => {}
    }
}
