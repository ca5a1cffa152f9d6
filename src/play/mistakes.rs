//! One legality, tried out: what is listed is accepted, what is accepted is listed and carried out, and what is refused
//! lapses for the same clause if it is signed all the same.
//!
//! Beside every packet of a random game the same packet is judged with something in it otherwise, as a player could have
//! typed it by mistake.

use std::collections::{BTreeMap, BTreeSet};

use super::mutate::{Vocabulary, mutated};
use super::random::{Hall, refusals, told};
use crate::engine::dice::Seed;
use crate::engine::digest::hash_bytes;
use crate::engine::doc::{DocPath, Fault, Node, Reader};
use crate::engine::{
    AnyForeseen, AnyOrders, AnyOutcome, Clause, Cloud, Dice, Failure, Foresaid, Json, Lapsed, Said, Side, Stop, View,
};

/// How often a packet is changed until one comes out that can be read.
const TRIES: usize = 6;

/// An order that was accepted lapses only for something its author could not know.
pub(super) fn carried_out(outcome: &AnyOutcome) -> Result<(), String> {
    match outcome.lapsed.iter().find(|lapsed| lapsed.cloud.is_none()) {
        None => Ok(()),
        Some(Lapsed { order, bar, .. }) => {
            Err(format!("{order} was accepted and lapsed all the same: {} {} ({:?})", bar.clause, bar.why, bar.about))
        }
    }
}

/// Every entry that was refused and came up all the same has lapsed for a clause it was refused for, or for a die.
pub(crate) fn lapsed_likewise(faults: &[Fault], outcome: &AnyOutcome) -> Result<(), String> {
    let within = |one: &DocPath, other: &DocPath| one.segments().starts_with(other.segments());
    let mut entries: BTreeMap<&DocPath, BTreeSet<Clause>> = BTreeMap::new();
    for fault in faults {
        let heard = outcome.heard.iter().filter(|heard| within(&fault.at, heard));
        if let (Some(entry), Some(clause)) = (heard.max_by_key(|heard| heard.segments().len()), fault.clause) {
            entries.entry(entry).or_default().insert(clause);
        }
    }
    for (entry, clauses) in entries {
        // What a die did meanwhile may be a reason that comes first; what another mistake did is none.
        let chance = |lapsed: &Lapsed| lapsed.cloud.as_ref().is_some_and(|cloud| !matches!(cloud, Cloud::Refused(_)));
        let likewise =
            |lapsed: &&Lapsed| within(&lapsed.order, entry) && (clauses.contains(&lapsed.bar.clause) || chance(lapsed));
        if !outcome.lapsed.iter().any(|lapsed| likewise(&lapsed)) {
            let lapsed: Vec<_> = outcome.lapsed.iter().map(|lapsed| (&lapsed.order, lapsed.bar.clause)).collect();
            let head = format!("{entry} is refused, but signed all the same it does not lapse for that ({lapsed:?})");
            return Err(told(&head, faults));
        }
    }
    Ok(())
}

/// What is refused lapses for the same clause if it is signed all the same, as it was typed.
///
/// Whoever has something face down may name it as he alone can read it (a unit for its counter); nobody else would know
/// whose fault it is. The check writes out what is signed, and there that settles it (`written`).
pub(crate) fn signed_all_the_same(
    faults: &[Fault],
    typed: &AnyOrders,
    written: Option<&AnyOrders>,
    sign: impl Fn(&AnyOrders) -> Result<AnyOutcome, Failure>,
) -> Result<(), String> {
    let lapses = |orders: &AnyOrders| match sign(orders) {
        // Where somebody is asked, what comes after is not known yet.
        Ok(outcome) if outcome.stop.ends_span() => lapsed_likewise(faults, &outcome),
        Ok(_) => Ok(()),
        // A value that fits no rule is a breach of its owner; `check` must have said so.
        Err(Failure::Breach(_)) => Ok(()),
        Err(failure) => Err(broke(failure)),
    };
    lapses(typed).or_else(|what| match written {
        Some(written) => lapses(written).map_err(|_| what),
        None => Err(what),
    })
}

fn broke(failure: Failure) -> String {
    format!("a mistaken packet cannot be carried out: {failure}")
}

impl Hall<'_, '_> {
    /// What the check makes of a packet, every order found legal looked up in the list.
    fn foresee(&mut self, who: Side, stop: &Stop, orders: &AnyOrders, said: &Said) -> Result<AnyForeseen, String> {
        let own = said.policies.iter().filter(|((side, _), _)| *side == who);
        let own: BTreeMap<String, Json> = own.map(|((_, kind), policy)| (kind.clone(), policy.clone())).collect();
        let foresaid = Foresaid { policies: Some(&own), questions: self.questions, drill: true, supposed: None };
        let (state, holdings) = (self.sitting.state.clone(), self.sitting.holdings_of(who));
        let view = View { state: &state, holdings: &holdings, side: Some(who) };
        let foreseen = self.sitting.table.foresee(view, stop, &foresaid, orders.clone(), &DocPath::root());
        self.tale.looked_up += foreseen.drill.looked_up;
        match foreseen.drill.unlisted.first() {
            None => Ok(foreseen),
            Some(order) => Err(format!("{order} is accepted, but does not stand in the list of what is legal")),
        }
    }

    /// Only one check is tried out here: the one that carries the packet out.
    fn is_foreseen(&self) -> bool {
        self.sitting.table.ruleset().foreseen()
    }

    /// Orders from the list, looked up there.
    pub(super) fn drill(&mut self, who: Side, stop: &Stop, orders: &AnyOrders, said: &Said) -> Result<(), String> {
        if !self.is_foreseen() {
            return Ok(());
        }
        let faults = refusals(self.foresee(who, stop, orders, said)?.faults);
        if faults.is_empty() { Ok(()) } else { Err(told("orders accepted without policies are refused with", &faults)) }
    }

    /// The same packet with a mistake in it.
    pub(super) fn mistaken(&mut self, who: Side, stop: &Stop, written: &Json, said: &Said) -> Result<(), String> {
        let table = self.sitting.table;
        if !self.is_foreseen() {
            return Ok(());
        }
        let state = table.state_json(&self.sitting.state).map_err(|error| format!("the state: {error}"))?;
        let vocabulary = Vocabulary::of(written, &state);
        let tries = if self.forms.is_some() { 6 * TRIES } else { TRIES };
        for _ in 0..tries {
            let Some(changed) = mutated(written, &vocabulary, self.forms, &mut self.chance) else { return Ok(()) };
            let mut reader = Reader::new(table.lexicon());
            let read = table.read_orders(stop.ask(), &Node::from_json(&changed), &DocPath::root(), &mut reader);
            if let Some(orders) = read.filter(|_| !reader.refused()) {
                self.broken.orders = changed.to_string();
                return self.judge(who, stop, &orders, said);
            }
        }
        Ok(())
    }

    /// Holds what the check says of a packet against what comes of it.
    fn judge(&mut self, who: Side, stop: &Stop, orders: &AnyOrders, said: &Said) -> Result<(), String> {
        let foreseen = self.foresee(who, stop, orders, said)?;
        let warnings: Vec<Fault> = foreseen.faults.iter().filter(|fault| fault.warning).cloned().collect();
        let faults = refusals(foreseen.faults);
        self.tale.mistakes += 1;
        self.tale.refused += u64::from(!faults.is_empty());
        let seed = Seed::new(hash_bytes("mistake", &[&self.seed, &self.tale.mistakes.to_string()]));
        let signed = |orders: &AnyOrders| {
            let span = self.sitting.span(orders.clone(), said.clone(), self.questions);
            self.sitting.resolve(&span, Dice::Seed(seed))
        };
        if faults.is_empty() {
            let outcome = signed(&foreseen.orders).map_err(broke)?;
            return carried_out(&outcome).map_err(|what| told(&format!("{what}; the check warned of"), &warnings));
        }
        let written = self.sitting.hides(who).then_some(&foreseen.orders);
        signed_all_the_same(&faults, orders, written, signed)
    }
}
