//! Players without a head, by chance and sensible: deed after deed on a copy of the position that their own orders change,
//! chosen from the lists that the rules themselves give.

mod arrivals;
mod policy;
mod random;
mod reorganize;
pub mod sensible;
mod setup;

use std::collections::BTreeSet;

use crate::board::Hex;
use crate::engine::dice::Chance;
use crate::engine::{Sealed, Seen, Side};

use super::orders::Orders;
use super::position::{Known, Position};
use super::setup::slot_of;
use super::state::{CounterState, Stage, State};
use super::terms::{Content, Force, Mode, Piece};
use super::{EndOfEmpire, US};

pub use policy::policy;

/// Legal orders for the packet due.
pub fn orders(game: &EndOfEmpire, seen: &Seen<'_, State>, chance: &mut Chance) -> Orders {
    match seen.state.stage {
        Stage::SpanishSetup => Orders::Setup(setup::setup(game, seen.state, Force::Spanish, chance)),
        Stage::CubanSetup => Orders::Setup(setup::setup(game, seen.state, Force::Cuban, chance)),
        _ => Orders::Turn(Player::new(game, seen, chance).turn()),
    }
}

/// Somebody who orders for a side.
struct Player<'p> {
    game: &'p EndOfEmpire,
    /// The position as his own orders have changed it so far.
    state: State,
    known: Known,
    side: Side,
    chance: &'p mut Chance,
    /// Who has done something already.
    busy: BTreeSet<Piece>,
}

impl<'p> Player<'p> {
    fn new(game: &'p EndOfEmpire, seen: &Seen<'_, State>, chance: &'p mut Chance) -> Player<'p> {
        let side = seen.state.stage.side().unwrap_or(US);
        let known = Known::own(game, seen, side);
        Player { game, state: seen.state.clone(), known, side, chance, busy: BTreeSet::new() }
    }

    fn now(&self) -> Position<'_> {
        Position { game: self.game, state: &self.state, known: &self.known }
    }

    /// Puts pieces that march where they go.
    fn shift(&mut self, pieces: &[Piece], to: Hex) {
        pieces.iter().for_each(|piece| self.state.shift(*piece, to));
    }

    fn lay(&mut self, name: Piece, force: Force, hex: Hex, landed: bool) {
        if let Ok(slot) = slot_of(name, 99) {
            let sealed = Sealed::new(force.side(), slot);
            let mut counter = CounterState::new(force, hex, sealed, (force == Force::Cuban).then_some(Mode::Regular));
            counter.landed = landed;
            self.state.counters.insert(name, counter);
            *self.state.numbered.entry(force).or_default() += 1;
        }
    }

    fn room(&self, hex: Hex, content: &Content) -> bool {
        let now = self.now();
        let mut bulk = now.bulk_of(&now.stack(hex, Force::Us), |counter| self.known.0.get(&counter).cloned());
        for member in content.members() {
            let (foot, guns) = now.bulk(member.unit, member.steps.unwrap_or(0));
            bulk = (bulk.0 + foot, bulk.1 + guns);
        }
        // Leave room for the base.
        !now.too_much(hex, Force::Us, bulk) && bulk.0 <= 8
    }

    /// Closed counters may not overstack a hex (A105); open units usually do not either.
    fn fits(&self, hex: Hex, force: Force, group: &[Piece]) -> bool {
        let now = self.now();
        let mut stack = now.stack(hex, force);
        stack.extend(group.iter().copied());
        !now.overstacked(hex, force, &stack)
    }
}
