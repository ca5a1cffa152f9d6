//! A plain sensible player without chance: the Spanish shoot, the U.S. close in, shoot, charge and rally. It serves to
//! judge the balance of the battles, which players by chance cannot show.

use crate::board::{Grid, Square};
use crate::engine::{Concealed, Stop};

use super::LoneWarrior;
use super::actions::{Deed, Plan};
use super::check::Draft;
use super::events::Aspect;
use super::orders::{Activation, BothOrders, FieldOrders, Orders, SetupOrders, Way};
use super::position::Position;
use super::state::{FieldState, Place, State};
use super::terms::{Battlefield, Power, SAVE, UnitId};

impl LoneWarrior {
    /// What a sensible player orders.
    pub fn veteran_orders(&self, state: &State, stop: &Stop) -> Orders {
        let Some(power) = stop.who().and_then(Power::of) else {
            return Orders::One(FieldOrders::none());
        };
        if stop.ask() == "setup" {
            return Orders::Setup(SetupOrders { leaders: Default::default() });
        }
        let of = |id: Battlefield| {
            let field = state.fields.get(&id).filter(|field| field.winner.is_none())?;
            Some(field_orders(self, id, power, field))
        };
        if let [only] = self.fields.as_slice() {
            return Orders::One(of(*only).unwrap_or_else(FieldOrders::none));
        }
        Orders::Both(BothOrders { san_juan_heights: of(Battlefield::SanJuan), el_caney: of(Battlefield::ElCaney) })
    }
}

fn field_orders(game: &LoneWarrior, id: Battlefield, power: Power, field: &FieldState) -> FieldOrders {
    let mut orders = FieldOrders::none();
    let mut draft = Draft { game, id, power, state: field.clone(), uncertain: false };
    for leader in &game.field(id).leaders {
        let Some(leader) = game.data.leaders.get(leader).filter(|leader| leader.power == power) else { continue };
        let Place::At(at) = field.leader(leader.id).at else { continue };
        let now = draft.now();
        let reach = now.leader_reach(leader, at);
        let near = reach.cells().filter_map(|square| now.joins_in(leader, square));
        let worth = |unit: UnitId| best(&now, power, unit).map_or(0, |(worth, ..)| worth);
        if let Some(unit) = near.max_by_key(|unit| (worth(*unit), std::cmp::Reverse(*unit))) {
            orders.leaders.insert(leader.id, Way::To(unit));
        }
    }
    draft.send_leaders(&orders);
    loop {
        let now = draft.now();
        let choices = now.eligible(power).filter_map(|unit| best(&now, power, unit).map(|choice| (unit, choice)));
        let Some((unit, (worth, entry, plan))) =
            choices.max_by_key(|(unit, (worth, ..))| (*worth, std::cmp::Reverse(*unit)))
        else {
            break;
        };
        if worth <= 0 {
            break;
        }
        draft.apply(unit, &plan);
        orders.activations.push(Concealed::Open(entry));
    }
    orders
}

/// The best a unit can do and what it is worth, in hundredths of an enemy unit.
fn best(now: &Position<'_>, power: Power, unit: UnitId) -> Option<(i32, Activation, Plan)> {
    let choices = now.options(power, unit).into_iter().filter_map(|entry| {
        let plan = now.plan(power, &entry).ok()?;
        // Ten chips: those below the number end the turn.
        let chance = 11 - i32::from(plan.needs());
        Some((worth(now, power, unit, &plan) * chance / 10, entry, plan))
    });
    // The first of several equals: options come in a fixed order.
    choices.reduce(|one, other| if other.0 > one.0 { other } else { one })
}

fn worth(now: &Position<'_>, power: Power, unit: UnitId, plan: &Plan) -> i32 {
    match &plan.deed {
        Deed::Shoot { target } => shot(now, unit, now.at(unit), *target),
        Deed::AdvanceAndShoot { to, target } if power == Power::Us => {
            shot(now, unit, Some(*to), *target) + nearer(now, unit, *to)
        }
        Deed::Charge { target, .. } if power == Power::Us => charge(now, unit, *target),
        Deed::Rally => 25,
        Deed::Move { path, .. } if power == Power::Us => path.last().map_or(0, |to| nearer(now, unit, *to)),
        Deed::Turn { to } if power == Power::Us => turn(now, unit, *to),
        _ => 0,
    }
}

/// Chips that fail a save with this modifier, of ten.
fn failing(modifier: i32) -> i32 {
    (SAVE - 1 - modifier).clamp(0, 10)
}

fn shot(now: &Position<'_>, unit: UnitId, from: Option<Square>, target: UnitId) -> i32 {
    let (Some(firer), Some(enemy)) = (now.unit(unit), now.unit(target)) else { return 0 };
    let Ok(aspect) = now.shot(firer, from, now.state.unit(unit).facing, target) else { return 0 };
    let chips = i32::try_from(if aspect.is_exposed() { firer.flank_chips } else { firer.chips }).unwrap_or(1);
    let hits = 11 - i32::from(now.fire_number(unit));
    let removes = enemy.steps < 2 || now.state.unit(target).disordered;
    let value = if removes { 100 } else { 60 };
    chips * hits * failing(now.fire_modifiers(target, aspect).total()) * value / 100
}

fn charge(now: &Position<'_>, unit: UnitId, target: UnitId) -> i32 {
    let Some(from) = now.at(unit) else { return 0 };
    let aspect = now.aspect(target, from);
    let blows = if aspect.is_exposed() { 2 } else { 1 };
    let own = blows
        * (11 - i32::from(now.melee_number(unit)))
        * failing(now.melee_modifiers(target, unit, Some(aspect)).total());
    let theirs = 5 * failing(now.melee_modifiers(unit, target, None).total());
    let risk = if now.state.unit(unit).disordered { 100 } else { 30 };
    let win = 100 * own / (own + theirs).max(1);
    let prize = if matches!(aspect, Aspect::Building) { 130 } else { 110 };
    let objective = now.at(target).is_some_and(|at| now.field.area_at(at).is_some());
    win * (prize + if objective { 40 } else { 0 }) / 100 - (100 - win) * risk / 100
}

/// What the enemy still holds: his units and the objectives.
fn goals(now: &Position<'_>, power: Power) -> Vec<Square> {
    let enemies = now.units_of(power.enemy()).filter_map(|unit| now.at(unit.id));
    let open = now.field.areas.iter().filter(|area| !now.state.captured.contains(&area.id)).map(|area| area.at);
    enemies.chain(open).collect()
}

fn nearer(now: &Position<'_>, unit: UnitId, to: Square) -> i32 {
    let (Some(power), Some(from)) = (now.power(unit), now.at(unit)) else { return 0 };
    let goals = goals(now, power);
    let far = |at: Square| goals.iter().map(|goal| now.field.grid.distance(at, *goal)).min().unwrap_or(0);
    let gain = i32::try_from(far(from)).unwrap_or(0) - i32::try_from(far(to)).unwrap_or(0);
    let open = now.field.area_at(to).is_some_and(|area| !now.state.captured.contains(&area.id));
    gain * 8 + if open { 80 } else { 0 }
}

fn turn(now: &Position<'_>, unit: UnitId, to: crate::board::Facing) -> i32 {
    let (Some(power), Some(at)) = (now.power(unit), now.at(unit)) else { return 0 };
    let Some(facing) = now.state.unit(unit).facing else { return 0 };
    let goals = goals(now, power);
    let Some(near) = goals.iter().map(|goal| now.field.grid.distance(at, *goal)).min() else { return 0 };
    let ahead = |facing: crate::board::Facing| {
        let seen = |goal: &&Square| {
            let (east, south) = facing.bearing().east_south();
            let (a, b) = (now.field.grid.centre(at), now.field.grid.centre(**goal));
            now.field.grid.distance(at, **goal) == near && (b.0 - a.0) * east + (b.1 - a.1) * south >= 1
        };
        goals.iter().filter(seen).count()
    };
    if ahead(facing) == 0 && ahead(to) > 0 { 6 } else { 0 }
}
