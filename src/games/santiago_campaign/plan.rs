//! The Spanish turn as a plan: what is not carried out stays sealed (§8.1b, §11.1c).
//!
//! An attack may wait for the result of another, and a Guantanamo unit for its release, so not every entry comes to
//! pass. One fact says whether an entry does; only then is it opened. The odds an attack asks for (`min-odds`) hang on
//! what its attackers are and on no die, since a Cuban defender still to be rolled for counts as 5: they belong to that
//! fact, and an attack called off for its odds stays sealed as well.

use std::collections::BTreeSet;

use crate::engine::doc::{DocPath, FromDoc, Node, Reader};
use crate::engine::{Clause, Concealed, Json, Ruling, Sealed, Side, Slot, Subject, to_json};

use super::events::Event;
use super::movement::Bar;
use super::orders::{AttackOrder, MoveOrder, TurnOrders};
use super::play::{Known, Play, Position};
use super::state::{Post, State};
use super::terms::{HoldingBox, Odds, Piece, Token};
use super::{SPAIN, SantiagoCampaign};

/// Seals the entries that may come to nothing: attacks, and what hangs on the Guantanamo roll still to be made.
pub fn seal(game: &SantiagoCampaign, state: &State, turn: &mut TurnOrders, hide: &mut dyn FnMut(Json) -> Slot) {
    fn entry<T: serde::Serialize>(entry: &mut Concealed<T>, hide: &mut dyn FnMut(Json) -> Slot) {
        if let Concealed::Open(value) = entry
            && let Ok(value) = to_json(value)
        {
            *entry = Concealed::Sealed(hide(value));
        }
    }
    if let Some(release) = &mut turn.release {
        entry(release, hide);
    }
    let clock = &game.data.tables.clock;
    let roll_due = state.marines_sent && !state.guantanamo_rolled && state.turn >= clock.guantanamo_turn;
    let boxed =
        |token: Token| state.counters.get(&token).is_some_and(|counter| counter.at == Post::In(HoldingBox::Guantanamo));
    for order in &mut turn.moves {
        let waits = matches!(order, Concealed::Open(order) if order.unit.token().is_some_and(boxed));
        if roll_due && waits {
            entry(order, hide);
        }
    }
    for attack in &mut turn.attacks {
        entry(attack, hide);
    }
}

/// An attack may wait for a result, an empty hex or its odds; what hangs on the Guantanamo roll waits for that (§23.1).
pub fn is_conditional(entry: &Json) -> bool {
    let attack = entry.get("target").is_some();
    let waits = ["after", "if-vacant", "min-odds"].iter().any(|name| entry.get(name).is_some());
    let guantanamo = entry.as_list().is_some() || entry.get("unit").is_some();
    attack && waits || !attack && guantanamo
}

/// Reads an entry that was opened; one that is no such order lapses.
fn read<T: FromDoc>(game: &SantiagoCampaign, entry: &Node) -> Option<T> {
    let mut reader = Reader::new(game);
    let read = T::read(entry, &DocPath::root(), &mut reader)?;
    reader.faults.iter().all(|fault| fault.warning).then_some(read)
}

impl Play<'_, '_> {
    /// What stands in an entry of the plan if it is carried out. `bar` says why it is not, from what everybody sees, and
    /// `own` from what the owner of these face-down counters sees besides; an entry in the open is not held against `own`.
    fn called<T: FromDoc + Clone>(
        &mut self,
        side: Side,
        entry: &Concealed<T>,
        what: &'static str,
        bar: impl Fn(&Position<'_>, &T) -> Vec<Bar>,
        (counters, own): (&[Token], impl Fn(&Position<'_>, &T) -> Option<Bar>),
        name: impl Fn(&T) -> String,
    ) -> Ruling<Option<T>> {
        let lapse =
            |order: &T, bar: Bar| Event::OrderLapsed { what: name(order), why: bar.why, clause: Clause(bar.clause) };
        let slot = match entry {
            Concealed::Open(order) => {
                let bars = bar(&self.now(), order);
                let made = bars.is_empty();
                for bar in bars {
                    self.umpire.note(lapse(order, bar));
                }
                return Ok(made.then(|| order.clone()));
            }
            Concealed::Sealed(slot) => slot,
        };
        let sealed: Sealed<Node> = Sealed::new(side, slot.clone());
        if self.umpire.must_open(slot) {
            // It waits for nothing, so nobody can call it off; what everybody sees may speak against it.
            let Some(order) = read::<T>(self.game, &self.umpire.open(&sealed)?) else {
                self.lapse(format!("an entry of the plan ({slot})"), "3.1b", format!("it is no {what}"));
                return Ok(None);
            };
            let bars = bar(&self.now(), &order);
            let made = bars.is_empty();
            for bar in bars {
                self.umpire.note(lapse(&order, bar));
            }
            return Ok(made.then_some(order));
        }
        let seals = self.seals(counters);
        let tokens: Vec<Token> = seals.iter().map(|seal| Token::of(seal.slot().as_str())).collect();
        let units: Vec<Sealed<Node>> =
            seals.iter().map(|seal| Sealed::new(seal.owner(), seal.slot().clone())).collect();
        let of: Vec<&Sealed<Node>> = std::iter::once(&sealed).chain(&units).collect();
        let (game, state, blind) = (self.game, &*self.state, &self.blind);
        let now = Position { game, state, known: blind };
        let made = self.umpire.fact(&of, &Subject::of(what), "made", |values: &[Node]| {
            // What cannot be read is opened, so that everybody sees it lapse.
            let Some((entry, units)) = values.split_first() else { return true };
            let Some(order) = read(game, entry) else { return true };
            let units = tokens.iter().copied().zip(units.iter().map(|unit| read(game, unit)));
            let known = Known(units.filter_map(|(token, unit)| Some((token, unit?))).collect());
            bar(&now, &order).is_empty() && own(&Position { game, state, known: &known }, &order).is_none()
        })?;
        if !made {
            self.umpire.note(Event::Withheld { what });
            self.umpire.whisper_of(&sealed, |entry| {
                let why = |order: &T| bar(&now, order).into_iter().next().or_else(|| own(&now, order));
                let reason = read(game, entry).and_then(|order| Some(lapse(&order, why(&order)?)));
                reason.unwrap_or(Event::Withheld { what })
            });
            return Ok(None);
        }
        let order = read(self.game, &self.umpire.open(&sealed)?);
        if order.is_none() {
            self.lapse(format!("an entry of the plan ({slot})"), "3.1b", format!("it is no {what}"));
        }
        Ok(order)
    }

    /// The move of an entry; that of a unit withheld at Guantanamo is not made (§23.1d).
    pub fn called_move(&mut self, side: Side, entry: &Concealed<MoveOrder>) -> Ruling<Option<MoveOrder>> {
        let bar = |now: &Position<'_>, order: &MoveOrder| {
            let gone = order.unit.token().is_some_and(|token| !now.state.counters.contains_key(&token));
            gone.then(|| Bar::new("10.2a", "it is out of the game")).into_iter().collect()
        };
        self.called(side, entry, "move", bar, (&[], |_, _| None), |order| format!("move of {}", order.unit))
    }

    /// The attack of an entry, if it is made at this point of the phase: nothing speaks against it, and it is sure to
    /// reach the odds it asks for (§11.1c).
    pub fn called_attack(
        &mut self,
        side: Side,
        entry: &Concealed<AttackOrder>,
        idle: impl Fn(&Position<'_>, &AttackOrder) -> Vec<Bar>,
        fought: &BTreeSet<Piece>,
    ) -> Ruling<Option<AttackOrder>> {
        let unsure = |least: Odds| Bar::new("11.1c", format!("the odds are not sure to be {least}"));
        let own = |position: &Position<'_>, order: &AttackOrder| {
            let least = order.min_odds?;
            // By the attackers and by what everybody sees, as for an attack in the open.
            let attackers = order.attackers.iter().filter_map(|piece| piece.token());
            let known = Known(attackers.filter_map(|token| Some((token, position.identity(token)?))).collect());
            let position = Position { known: &known, ..*position };
            let (able, _) = position.able(side, order, fought);
            (!position.reaches(side, &able, fought, least)).then(|| unsure(least))
        };
        let name = |order: &AttackOrder| format!("attack on {}", order.target);
        // What an American attack is sure to come to, everybody sees.
        let counters: Vec<Token> =
            if side == SPAIN { self.state.counters.keys().copied().collect() } else { Vec::new() };
        let called = self.called(side, entry, "attack", idle, (&counters, own), name)?;
        if let (Concealed::Open(_), Some(order)) = (entry, &called)
            && let Some(least) = order.min_odds
        {
            let (able, _) = self.now().able(side, order, fought);
            if !self.reaches(side, &able, least)? {
                let bar = unsure(least);
                self.lapse(name(order), bar.clause, bar.why);
                return Ok(None);
            }
        }
        Ok(called)
    }

    /// Which counters the Spanish player wants released; opened only where there is a choice (§23.1c).
    pub fn called_release(&mut self, entry: &Concealed<Vec<Token>>) -> Ruling<Option<Vec<Token>>> {
        match entry {
            Concealed::Open(wished) => Ok(Some(wished.clone())),
            Concealed::Sealed(slot) => {
                let entry: Node = self.umpire.open(&Sealed::new(SPAIN, slot.clone()))?;
                Ok(read(self.game, &entry))
            }
        }
    }
}
