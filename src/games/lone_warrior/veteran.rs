//! A plain sensible player without chance, to judge the balance of the battles by and to play the matches people read.
//!
//! Both sides weigh what an action does now against what the place it leads to offers and risks, and give what is worth
//! most for its chance of ending the turn first. The Spanish hold their works and shoot; the U.S. close in abreast,
//! shoot, charge, look along the trenches they have taken, and rally.

use crate::board::{Facing, Grid, Square};
use crate::engine::doc::DocPath;
use crate::engine::{Concealed, Seen, Stop};

use super::LoneWarrior;
use super::actions::{Deed, Plan};
use super::judgement::{DISORDER, REMOVAL, SPANISH_UNIT};
use super::orders::{Activation, Face, FieldOrders, Orders, SetupOrders, Way};
use super::play::Play;
use super::policy::{InMelee, MeleeWord};
use super::position::Position;
use super::state::{FieldState, Place, State, UnitState};
use super::terms::{Power, UnitId};

/// How much of the best shot from a new place counts, in hundredths: it is for the next turn.
const OFFER: i32 = 90;
/// How much of all the rifles that bear on a place counts, in hundredths: they have other targets too.
const FEAR: i32 = 50;
/// The same for a disordered U.S. unit.
const DISORDERED_FEAR: i32 = 80;
/// The same for a Spanish unit, which stays in its works anyhow.
const SPANISH_FEAR: i32 = 20;
/// A unit in good order again, half of the time.
const RALLY: i32 = 80;
/// A step towards what is still needed: abreast of the others, ahead of them or disordered.
const PACE: i32 = 8;
/// See [`PACE`].
const SLOW_PACE: i32 = 2;
/// An area captured.
const AREA: i32 = 80;
/// What a shot is still worth after another at the same target, in hundredths. A Spanish unit may be gone by then; a
/// U.S. unit may be disordered and worth more.
const AT_SPANISH: i32 = 80;
/// See [`AT_SPANISH`].
const AT_US: i32 = 110;
/// A leader is worth this many times more where he can save a unit under fire.
const LEADER_SAVES: i32 = 4;

/// Orders of a sensible player.
pub fn orders(game: &LoneWarrior, seen: &Seen<'_, State>, stop: &Stop) -> Orders {
    let Some(power) = stop.who().and_then(Power::of) else {
        return Orders::One(FieldOrders::default());
    };
    if stop.ask() == "setup" {
        return Orders::Setup(SetupOrders { leaders: Default::default() });
    }
    game.field_by_field(seen, power, field_orders)
}

fn field_orders(play: &mut Play<'_, '_>) -> FieldOrders {
    let mut orders = FieldOrders::default();
    let power = play.power;
    if !play.now().state.acting {
        for (leader, at) in play.now().leaders_of(power) {
            let now = play.now();
            let taken: Vec<UnitId> = orders
                .leaders
                .values()
                .filter_map(|way| match way {
                    Way::To(unit) => Some(*unit),
                    _ => None,
                })
                .collect();
            let near: Vec<UnitId> = (now.leader_reach(leader, at).into_iter())
                .filter_map(|square| now.joins_in(leader, square))
                .filter(|unit| !taken.contains(unit))
                .collect();
            let need = |unit: &UnitId| (need_of_leader(&now, power, *unit), std::cmp::Reverse(*unit));
            if let Some(unit) = near.into_iter().max_by_key(need) {
                orders.leaders.insert(leader.id, Way::To(unit));
            }
        }
        play.move_leaders(&orders, &DocPath::root());
    }
    let mut shot_at: Vec<UnitId> = Vec::new();
    let mut choices: Vec<Choice> =
        play.now().eligible(power).map(|unit| best(&play.now(), power, unit, &shot_at)).collect();
    loop {
        let first = choices
            .iter()
            .filter(|choice| choice.index > 0)
            .max_by_key(|choice| (choice.index, std::cmp::Reverse(choice.unit)));
        let Some((unit, Some((entry, plan)))) = first.map(|choice| (choice.unit, choice.what.clone())) else { break };
        let before = play.now().at(unit);
        play.reckon_with(&entry, &plan);
        let now = play.now();
        orders.activations.push(Concealed::Open(entry));
        choices.retain(|choice| choice.unit != unit);
        shot_at.extend(plan.deed.shoots_at());
        // Think again about whoever is touched by it.
        let moved = if plan.moves() { before } else { None };
        for choice in &mut choices {
            let aims = plan.deed.shoots_at().is_some_and(|target| choice.aims_at(target));
            let near = moved
                .is_some_and(|moved| now.at(choice.unit).is_none_or(|at| now.field.grid.distance(at, moved) <= NEAR));
            if aims || near {
                *choice = best(&now, power, choice.unit, &shot_at);
            }
        }
    }
    orders
}

/// Who is farther away than this from a unit that moves need not think again.
const NEAR: u32 = 4;

/// The best thing a unit can do, and how early in the list it belongs.
struct Choice {
    unit: UnitId,
    index: i32,
    what: Option<(Activation, Plan)>,
}

impl Choice {
    fn aims_at(&self, target: UnitId) -> bool {
        self.what.as_ref().is_some_and(|(_, plan)| plan.deed.shoots_at() == Some(target))
    }
}

impl Plan {
    /// Does the unit stand or look differently afterwards?
    fn moves(&self) -> bool {
        !matches!(self.deed, Deed::Shoot { .. } | Deed::Rally | Deed::Charge { .. })
    }
}

/// A leader saves a chip of the unit that is in danger, or makes sure of what is worth most.
fn need_of_leader(now: &Position<'_>, power: Power, unit: UnitId) -> i32 {
    let worth = best(now, power, unit, &[]).index;
    now.danger(unit) * LEADER_SAVES + worth
}

fn best(now: &Position<'_>, power: Power, unit: UnitId, shot_at: &[UnitId]) -> Choice {
    let mut trial = now.state.clone();
    let mut found = Choice { unit, index: 0, what: None };
    let ready = now.leaders_with(unit).any(|leader| !now.state.leader(leader).used);
    let stand = Stand::of(now, unit);
    for (mut entry, plan) in now.choices(power, unit) {
        let worth = worth(now, power, &mut trial, &stand, &plan, shot_at, &mut entry);
        // What is worth most for its chance of ending the turn comes first: of two neighbours in the list the order
        // matters by chance over risk alone.
        let risk = i32::from(plan.needs()) - 1;
        let (chance, risk) = if ready { (100 - risk * risk, risk * risk) } else { (100 - 10 * risk, 10 * risk) };
        let index = worth * chance * 10 / risk.max(1);
        if index > found.index {
            found = Choice { unit, index, what: Some((entry, plan)) };
        }
    }
    found
}

/// Where a unit is, and what that offers and risks.
struct Stand {
    unit: UnitId,
    state: UnitState,
    offers: i32,
    risks: i32,
}

impl Stand {
    fn of(now: &Position<'_>, unit: UnitId) -> Stand {
        let state = now.state.unit(unit);
        let offers = match (state.at.square(), state.facing) {
            (Some(at), Some(facing)) => now.prospect(unit, at, facing),
            _ => 0,
        };
        Stand { unit, state, offers, risks: now.danger(unit) }
    }
}

fn worth(
    now: &Position<'_>,
    power: Power,
    trial: &mut FieldState,
    stand: &Stand,
    plan: &Plan,
    shot_at: &[UnitId],
    entry: &mut Activation,
) -> i32 {
    let us = power == Power::Us;
    let shot = |from: Option<Square>, facing: Option<Facing>, target: UnitId| {
        let value = now.shot_value(stand.unit, from, facing, target).unwrap_or(0);
        // Whoever was shot at before may be gone by now.
        let before = i32::try_from(shot_at.iter().filter(|id| **id == target).count()).unwrap_or(0);
        let fades = if us { AT_SPANISH } else { AT_US };
        (0..before).fold(value, |value, _| value * fades / 100)
    };
    let state = stand.state;
    let here = state.at.square();
    match &plan.deed {
        Deed::Shoot { target } => shot(here, state.facing, *target),
        Deed::Rally => RALLY,
        Deed::Turn { to } => here.map_or(0, |at| change(now, us, trial, stand, at, *to)),
        Deed::AdvanceAndShoot { to, target } if us => {
            let Some(facing) = state.facing else { return 0 };
            shot(Some(*to), Some(facing), *target) + change(now, us, trial, stand, *to, facing)
        }
        Deed::ShootAndFallBack { target, to, facing, .. } if us => {
            shot(here, state.facing, *target) + change(now, us, trial, stand, *to, *facing)
        }
        Deed::Move { path, facing, .. } if us => {
            path.last().map_or(0, |to| change(now, us, trial, stand, *to, *facing))
        }
        Deed::Charge { target, at, .. } if us => charge(now, trial, stand, *target, *at, entry),
        _ => 0,
    }
}

/// What a unit gains by standing elsewhere or looking another way.
fn change(now: &Position<'_>, us: bool, trial: &mut FieldState, stand: &Stand, to: Square, facing: Facing) -> i32 {
    let (unit, before) = (stand.unit, stand.state);
    let Some(from) = before.at.square() else { return 0 };
    if let Some(state) = trial.units.get_mut(&unit) {
        state.at = Place::At(to);
        state.facing = Some(facing);
    }
    let then = now.game.position(now.id, trial);
    let (offered, risked) = (then.prospect(unit, to, facing), then.danger(unit));
    if let Some(state) = trial.units.get_mut(&unit) {
        *state = before;
    }
    let mut gain = (offered - stand.offers) * OFFER / 100;
    let fear = match (us, before.disordered) {
        (false, _) => SPANISH_FEAR,
        (true, true) => DISORDERED_FEAR,
        (true, false) => FEAR,
    };
    gain -= (risked - stand.risks) * fear / 100;
    if us {
        gain += progress(now, unit, from, to);
    }
    gain
}

/// Nearer to what is still needed, but not far ahead of the others.
fn progress(now: &Position<'_>, unit: UnitId, from: Square, to: Square) -> i32 {
    let goals = now.goals(Power::Us);
    let far = |at: Square| now.far(at, &goals);
    let open = now.field.area_at(to).is_some_and(|area| !now.state.captured.contains(&area.id));
    let terrain = if open { AREA } else { 0 };
    let steps = far(from) - far(to);
    let mut line: Vec<i32> = now.units_of(Power::Us).filter_map(|other| now.at(other.id)).map(far).collect();
    line.sort_unstable();
    let middle = line.get(line.len() / 2).copied().unwrap_or(0);
    let ahead = far(to) < middle - 1;
    let disordered = now.state.unit(unit).disordered;
    let pace = if disordered || ahead { SLOW_PACE } else { PACE };
    steps * pace + terrain
}

/// A charge, and where the victor looks afterwards.
fn charge(
    now: &Position<'_>,
    trial: &mut FieldState,
    stand: &Stand,
    target: UnitId,
    at: Square,
    entry: &mut Activation,
) -> i32 {
    let (unit, before) = (stand.unit, stand.state);
    let fallen = trial.units.get(&target).copied();
    if let Some(state) = trial.units.get_mut(&target) {
        state.at = Place::Lost;
        state.facing = None;
    }
    let mut place: Option<(i32, Face)> = None;
    for (facing, face) in
        [(Facing::W, Face::West), (Facing::N, Face::North), (Facing::S, Face::South), (Facing::E, Face::East)]
    {
        let gain = change(now, true, trial, stand, at, facing);
        if place.is_none_or(|(most, _)| gain > most) {
            place = Some((gain, face));
        }
    }
    if let (Some(state), Some(fallen)) = (trial.units.get_mut(&target), fallen) {
        *state = fallen;
    }
    let (gain, face) = place.unwrap_or((0, Face::Front));
    entry.advance_facing = Some(face);
    let risk = if before.disordered { REMOVAL } else { DISORDER };
    if before.disordered {
        entry.melee = Some(InMelee::Word(MeleeWord::Fight));
    }
    let win = now.charge_chance(unit, target);
    (win * (SPANISH_UNIT + gain) - (100 - win) * risk) / 100
}
