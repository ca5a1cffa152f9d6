//! Attacks: where the odds are good, with guns and ships only where they better them.

use std::cmp::Reverse;

use crate::board::Hex;

use super::super::orders::{Advance, BattleOrder, Effort, PressIf, TurnOrders};
use super::super::play::{Position, Used};
use super::super::tables::Odds;
use super::super::terms::{Force, UnitId};

/// Every attack at good odds, on objectives first, then the best; the fleet helps the first that it betters.
pub fn fight(now: &Position<'_>, force: Force, orders: &mut TurnOrders) {
    let mut used = Used::default();
    for battle in &orders.battles {
        used.targets.insert(battle.target);
    }
    let objective = |target: &Hex| now.data().objectives.contains(target);
    loop {
        let possible = now.possible_battles(force, &used);
        let plans = possible.iter().filter_map(|(target, units)| plan(now, force, &used, *target, units));
        let best = plans.max_by_key(|(column, order)| (objective(&order.target), *column, Reverse(order.target)));
        let Some((column, order)) = best else { return };
        used.targets.insert(order.target);
        used.attackers.extend(order.attackers.iter().copied());
        if order.naval == Some(true) {
            used.gunfire.insert(force, order.target);
        }
        // §6.4: the one effort is for an objective, where there is a better column to be had.
        let leads = now.roosevelt_leads(force, &order.attackers) && objective(&order.target);
        if leads && column < Odds::FiveToOne {
            orders.all_out_effort = Effort::IfAttack;
        }
        orders.battles.push(order);
    }
}

/// An attack on a hex with all who can, if it is a good one, and the column it is made on.
fn plan(now: &Position<'_>, force: Force, used: &Used, target: Hex, units: &[UnitId]) -> Option<(Odds, BattleOrder)> {
    let column = |units: &[UnitId], ships: bool| {
        let factors = if ships { now.data().tables.limits.naval_factors } else { 0 };
        now.assault(force, target, units, factors).column
    };
    let (least, press_if) = least_odds(now, force, target);
    let bare = BattleOrder { press_if: Some(press_if), ..BattleOrder::bare(target, units.to_vec()) };
    let mut order = BattleOrder { naval: Some(true), ..bare.clone() };
    let in_range = now.gunfire_bars(used, force, &order).is_empty();
    let best = column(units, in_range);
    if best < least {
        return None;
    }
    // Shells fall short (§9.8): ships and guns hold their fire where the odds are as good without them.
    if column(units, false) >= best {
        order = bare;
        let foot: Vec<UnitId> = units.iter().copied().filter(|id| !now.is_gun(*id)).collect();
        if !foot.is_empty() && column(&foot, false) >= best {
            order.attackers = foot;
        }
    }
    if force == Force::Us {
        order.advance = pursuit(now, &order.attackers);
    }
    Some((best, order))
}

/// The column from which a force attacks, and from which it presses home after the fire.
fn least_odds(now: &Position<'_>, force: Force, target: Hex) -> (Odds, PressIf) {
    match force {
        Force::Spanish => (Odds::ThreeToOne, PressIf::Two),
        // Nobody in Congress counts Cubans (§4.3).
        Force::Cuban => (Odds::ThreeToOne, PressIf::Three),
        // 3:1 costs a step on nearly every throw, 4:1 none: that price is paid for objectives alone.
        Force::Us if now.data().objectives.contains(&target) => (Odds::ThreeToOne, PressIf::Three),
        Force::Us => (Odds::FourToOne, PressIf::Four),
    }
}

/// Who of the attackers enters a hex that is vacated: all but the guard of the base, without which it would be lost to
/// the first who comes by (§4.5).
fn pursuit(now: &Position<'_>, attackers: &[UnitId]) -> Option<Advance> {
    let base = now.state.base?;
    let (mut free, mut pursuers): (Vec<UnitId>, Vec<UnitId>) =
        attackers.iter().copied().partition(|id| now.state.hex_of(*id) == Some(base));
    now.leave_guard(base, &mut free);
    pursuers.append(&mut free);
    (pursuers.len() < attackers.len()).then_some(Advance::Units(pursuers))
}
