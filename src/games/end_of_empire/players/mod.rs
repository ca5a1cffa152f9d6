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

#[cfg(test)]
mod tests {
    use crate::board::Hex;
    use crate::engine::dice::Chance;
    use crate::engine::doc::{DocPath, read_document};
    use crate::engine::{Arranged, Concealed, Foresaid, Seen, foresee};

    use super::super::EndOfEmpire;
    use super::super::arrange::arrange;
    use super::super::orders::Support;
    use super::super::terms::{Force, Piece};
    use super::{Player, orders};

    fn position(start: &str) -> Arranged<EndOfEmpire> {
        let (node, _) = read_document("start", start.as_bytes()).expect("a start");
        let mut faults = Vec::new();
        arrange(&node, &DocPath::root(), &mut faults).unwrap_or_else(|| panic!("{faults:?}"))
    }

    /// What a random player orders in a position is accepted, whatever he draws.
    fn all_accepted(start: &str, draws: u32) {
        let (table, at) = (position(start), DocPath::root());
        let seen = Seen { state: &table.state, holdings: &table.holdings, side: table.stop.who() };
        for draw in 0..draws {
            let mut listed = orders(&table.game, &seen, &mut Chance::new(&format!("draw {draw}")));
            let written = format!("{listed:?}");
            let found = foresee(&table.game, &seen, &table.stop, &Foresaid::default(), &mut listed, &at);
            let refused: Vec<_> = found.faults.into_iter().filter(|fault| !fault.warning).collect();
            assert!(refused.is_empty(), "draw {draw}: {refused:?}\n{written}");
        }
    }

    #[test]
    fn no_dummy_lies_in_guerrilla_beside_a_column() {
        all_accepted("scenario: begin\n", 80);
    }

    #[test]
    fn the_base_that_is_to_land_takes_room_from_who_marches_there() {
        let table = position(
            "turn: 2\nunits: {us-6-inf: 0619, us-16-inf: 0619, us-9-inf: off, us-13-inf: off, us-24-inf: off}\n\
             columns: {us-b1: {at: 0620, holds: [us-9-inf, us-13-inf, us-24-inf]}}\n",
        );
        let seen = Seen { state: &table.state, holdings: &table.holdings, side: table.stop.who() };
        let mut landed = 0;
        for draw in 0..20 {
            let mut chance = Chance::new(&format!("draw {draw}"));
            let mut player = Player::new(&table.game, &seen, &mut chance);
            // Four steps stand there, the base counts four, and six are under the counter.
            let beach = Hex::printed(619);
            if player.landings().into_iter().any(|order| order.base && order.at == beach) {
                landed += 1;
                assert!(!player.fits(beach, Force::Us, &[Piece::of("us-b1")]), "draw {draw}");
            }
        }
        assert!(landed > 0, "the base never lands");
    }

    #[test]
    fn a_column_that_is_dissolved_or_attacks_is_not_deployed_otherwise() {
        all_accepted(
            "turn: 3\nstage: spanish-turn\nunits: {sp-4-t: 1111, us-6-inf: 1010}\n\
             columns: {sp-c1: {at: 1110, holds: [sp-1-tg]}, sp-c2: {at: 0914, holds: [sp-2-tg]}}\n",
            60,
        );
    }

    #[test]
    fn a_column_of_infantry_keeps_the_guerrillas_beside_it_in_regular_order() {
        all_accepted(
            "turn: 3\nstage: spanish-turn\nunits: {us-6-inf: 0619}\n\
             columns: {sp-c1: {at: 1110, holds: [sp-1-tg]}, sp-c2: {at: 1110, holds: [sp-4-t]}}\n",
            60,
        );
    }

    #[test]
    fn few_hexes_near_santiago_are_enough_for_the_cubans() {
        // What the Spanish leave within four hexes: 1105 and 1205, and a step farther out much more (A04).
        let ring =
            "1108 1209 1308 1406 1310 1409 1507 1509 1110 1011 1009 1007 0907 0808 0909 0810 0911 1606 1609 1411 1211";
        let units: Vec<String> = (ring.split(' ').enumerate()).map(|(i, hex)| format!("sp-x{i}: {hex}")).collect();
        let made: Vec<String> = (0..units.len()).map(|i| format!("sp-x{i}: {{force: spanish}}")).collect();
        let start = format!(
            "stage: cuban-setup\noptions: {{cuban-distance: at-most}}\ncounters: {{{}}}\nunits: {{{}}}\n",
            made.join(", "),
            units.join(", ")
        );
        all_accepted(&start, 30);
    }

    #[test]
    fn a_train_that_is_spent_on_a_combat_goes_under_no_column() {
        let table = position(
            "turn: 3\nstage: spanish-turn\nsupply-points: {spanish: 0}\n\
             units: {sp-1-5-ra: 1110, sp-4-t: 1111, sp-cl-1: 1111, us-6-inf: 1012}\n",
        );
        let seen = Seen { state: &table.state, holdings: &table.holdings, side: table.stop.who() };
        let train = Piece::of("sp-cl-1");
        let (mut spent, mut covered) = (0, 0);
        for draw in 0..2000 {
            let orders = Player::new(&table.game, &seen, &mut Chance::new(&format!("draw {draw}"))).turn();
            let spends = orders.combat.iter().any(|order| order.support == Some(Support::Column(train)));
            let joins = matches!(&orders.next, Some(Concealed::Open(next)) if next.join.contains(&train));
            (spent, covered) = (spent + u32::from(spends), covered + u32::from(joins));
            assert!(!(spends && joins), "draw {draw}: {orders:?}");
        }
        assert!(spent > 0 && covered > 0, "spent {spent} times, covered {covered} times");
    }

    #[test]
    fn the_last_supply_point_is_spent_once() {
        all_accepted(
            "turn: 3\nstage: spanish-turn\nsupply-points: {spanish: 1}\n\
             units: {sp-1-65-c: 1110, sp-4-t: 1111, us-6-inf: 1010, us-16-inf: 1011}\n",
            60,
        );
    }
}
