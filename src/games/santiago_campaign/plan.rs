//! The Spanish turn as a plan: what is not carried out stays sealed (§8.1b, §11.1c).
//!
//! An attack may wait for the result of another, and a Guantanamo unit for its release, so not every entry comes to
//! pass. One fact says whether an entry does; only then is it opened.

use crate::engine::doc::{DocPath, FromDoc, Node, Reader};
use crate::engine::{Clause, Concealed, Json, Ruling, Sealed, Side, Slot, Subject, to_json};

use super::events::Event;
use super::movement::Bar;
use super::orders::{AttackOrder, MoveOrder, TurnOrders};
use super::play::{Play, Position};
use super::state::{Post, State};
use super::terms::{HoldingBox, Token};
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

/// Reads an entry that was opened; one that is no such order lapses.
fn read<T: FromDoc>(game: &SantiagoCampaign, entry: &Node) -> Option<T> {
    let mut reader = Reader::new(game);
    let read = T::read(entry, &DocPath::root(), &mut reader)?;
    reader.faults.iter().all(|fault| fault.warning).then_some(read)
}

impl Play<'_, '_> {
    /// What stands in an entry of the plan if it is carried out. `bar` says why it is not, from what everybody sees.
    fn called<T: FromDoc + Clone>(
        &mut self,
        side: Side,
        entry: &Concealed<T>,
        what: &'static str,
        bar: impl Fn(&Position<'_>, &T) -> Option<Bar>,
        name: impl Fn(&T) -> String,
    ) -> Ruling<Option<T>> {
        let lapse =
            |order: &T, bar: Bar| Event::OrderLapsed { what: name(order), why: bar.why, clause: Clause(bar.clause) };
        let slot = match entry {
            Concealed::Open(order) => {
                let barred = bar(&self.now(), order);
                return Ok(match barred {
                    Some(bar) => {
                        self.umpire.note(lapse(order, bar));
                        None
                    }
                    None => Some(order.clone()),
                });
            }
            Concealed::Sealed(slot) => slot,
        };
        let sealed: Sealed<Node> = Sealed::new(side, slot.clone());
        let (game, state, blind) = (self.game, &*self.state, &self.blind);
        let made = self.umpire.fact(&[&sealed], &Subject::of(what), "made", |entries: &[Node]| {
            let now = Position { game, state, known: blind };
            // What cannot be read is opened, so that everybody sees it lapse.
            entries.iter().all(|entry| read(game, entry).is_none_or(|order| bar(&now, &order).is_none()))
        })?;
        if !made {
            self.umpire.note(Event::Withheld { what });
            self.umpire.whisper_of(&sealed, |entry| {
                let now = Position { game, state, known: blind };
                let reason = read(game, entry).and_then(|order| Some(lapse(&order, bar(&now, &order)?)));
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
            gone.then(|| Bar::new("10.2a", "it is out of the game"))
        };
        self.called(side, entry, "move", bar, |order| format!("move of {}", order.unit))
    }

    /// The attack of an entry, if it is made at this point of the phase.
    pub fn called_attack(
        &mut self,
        side: Side,
        entry: &Concealed<AttackOrder>,
        idle: impl Fn(&Position<'_>, &AttackOrder) -> Option<Bar>,
    ) -> Ruling<Option<AttackOrder>> {
        self.called(side, entry, "attack", idle, |order| format!("attack on {}", order.target))
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
