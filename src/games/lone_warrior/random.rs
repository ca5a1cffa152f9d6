//! Players by chance: legal orders and policies, drawn from what the template lists.
//!
//! The battle has no last turn (§4g), so players who only wander need not ever come to an end of it. These choose half
//! of their actions from everything that is listed and half from what brings an end nearer: a shot, a charge, a step or
//! a turn towards what is still needed.

use crate::engine::dice::Chance;
use crate::engine::doc::DocPath;
use crate::engine::{Concealed, Json, Seen, Side, Stop};

use super::LoneWarrior;
use super::actions::Plan;
use super::data::Leader;
use super::orders::{Activation, Condition, Face, FieldOrders, Orders, SetupOrders, StopAfter, Way};
use super::play::Play;
use super::policy::{InMelee, MeleeWord, Redraw, WithdrawAfter};
use super::position::Position;
use super::state::State;
use super::terms::{Power, UnitId};

/// Legal orders by chance.
pub fn orders(game: &LoneWarrior, seen: &Seen<'_, State>, stop: &Stop, chance: &mut Chance) -> Orders {
    let Some(power) = stop.who().and_then(Power::of) else {
        return Orders::One(FieldOrders::default());
    };
    if stop.ask() == "setup" {
        let own =
            game.data.leaders.values().filter(|leader| leader.power == power && game.fields.contains(&leader.field));
        let mut leaders = std::collections::BTreeMap::new();
        for leader in own {
            if let Some(unit) = chance.pick(&leader.may_start) {
                leaders.insert(leader.id, *unit);
            }
        }
        return Orders::Setup(SetupOrders { leaders });
    }
    game.field_by_field(seen, power, |play| field_orders(play, chance))
}

fn field_orders(play: &mut Play<'_, '_>, chance: &mut Chance) -> FieldOrders {
    let mut orders = FieldOrders::default();
    let power = play.power;
    if !play.now().state.acting {
        for (leader, at) in play.now().leaders_of(power) {
            if !chance.one_in(3) {
                continue;
            }
            let goals = play.now().leader_reach(leader, at);
            if let Some(goal) = chance.pick(&goals) {
                orders.leaders.insert(leader.id, Way::Box(*goal));
            }
        }
        play.move_leaders(&orders, &DocPath::root());
    }
    let mut units: Vec<UnitId> = play.now().eligible(power).collect();
    chance.shuffle(&mut units);
    units.truncate(1 + chance.below(units.len().max(1)));
    for unit in units {
        let mut choices = play.now().choices(power, unit);
        if chance.one_in(2) {
            let now = play.now();
            let goals = now.goals(power);
            let presses = |(_, plan): &(_, Plan)| now.presses(unit, plan, &goals);
            if choices.iter().any(presses) {
                choices.retain(presses);
            }
        }
        if choices.is_empty() {
            continue;
        }
        let (entry, plan) = choices.swap_remove(chance.below(choices.len()));
        let entry = adorn(&play.now(), entry, chance);
        play.reckon_with(&entry, &plan);
        orders.activations.push(Concealed::Open(entry));
    }
    orders.more = chance.one_in(8);
    orders
}

/// Adds what a player may add to an entry.
fn adorn(now: &Position<'_>, mut entry: Activation, chance: &mut Chance) -> Activation {
    if entry.charge.is_some() {
        if chance.one_in(3) {
            entry.melee = Some(melee(chance));
        }
        if chance.one_in(3) {
            entry.advance_facing =
                chance.pick(&[Face::Front, Face::Left, Face::Rear, Face::North, Face::West]).copied();
        }
    }
    let infantry = now.unit(entry.unit).is_some_and(|unit| unit.arm.redraws_hits());
    if chance.one_in(2) && now.leaders_with(entry.unit).next().is_some() {
        entry.redraw = Some(redraws(infantry, chance));
    }
    if chance.one_in(3) && now.ready_hero(entry.unit).is_some() {
        entry.hero = Some(redraws(infantry, chance));
    }
    if chance.one_in(10)
        && let Some(target) = entry.shoot
    {
        let alive = Condition { alive: vec![target], ..Condition::default() };
        if chance.one_in(2) {
            entry.r#if = Some(alive);
        } else {
            entry.unless = Some(Condition { gone: vec![target], ..Condition::default() });
        }
    }
    if chance.one_in(20) {
        entry.stop_after = Some(StopAfter::Always);
    }
    entry
}

fn melee(chance: &mut Chance) -> InMelee {
    match chance.below(4) {
        0 => InMelee::Word(MeleeWord::Fight),
        1 => InMelee::Word(MeleeWord::WithdrawIfDisordered),
        2 => InMelee::Word(MeleeWord::WithdrawNow),
        _ => InMelee::After(WithdrawAfter { withdraw_after: 1 + u32::from(chance.one_in(2)) }),
    }
}

fn redraws(hits: bool, chance: &mut Chance) -> Vec<Redraw> {
    let all = Redraw::ALL.iter().copied().filter(|redraw| hits || !redraw.is_of_hits());
    all.filter(|_| chance.one_in(2)).collect()
}

/// A policy by chance, as a player could type it.
pub fn policy(game: &LoneWarrior, state: &State, side: Side, kind: &str, chance: &mut Chance) -> Json {
    let word =
        |words: &[&str], chance: &mut Chance| Json::Str(chance.pick(words).copied().unwrap_or("default").to_owned());
    let list = |redraws: Vec<Redraw>| Json::List(redraws.iter().map(|redraw| Json::Str(redraw.to_string())).collect());
    let units =
        game.data.units.values().filter(|unit| unit.power.side() == side && state.fields.contains_key(&unit.field));
    let units: Vec<UnitId> = units.map(|unit| unit.id).collect();
    let own = |leader: &&Leader| leader.power.side() == side && state.fields.contains_key(&leader.field);
    let leaders: Vec<_> = game.data.leaders.values().filter(own).map(|leader| leader.id).collect();
    if chance.one_in(4) {
        return Json::Str("default".to_owned());
    }
    match kind {
        "on-charge" => match chance.pick(&units).filter(|_| chance.one_in(3)) {
            Some(unit) => Json::object([(unit.to_string(), word(&["stand", "withdraw"], chance))]),
            None => word(&["stand", "withdraw", "withdraw-if-disordered"], chance),
        },
        "in-melee" => match chance.below(4) {
            0 => Json::object([("withdraw-after".to_owned(), Json::Int(2))]),
            1 => match chance.pick(&units) {
                Some(unit) => Json::object([(unit.to_string(), word(&["fight", "withdraw-now"], chance))]),
                None => word(&["fight"], chance),
            },
            _ => word(&["fight", "withdraw-if-disordered", "withdraw-now"], chance),
        },
        "redraw" => match chance.pick(&leaders).filter(|_| chance.one_in(2)) {
            Some(leader) => Json::object([(leader.to_string(), list(redraws(true, chance)))]),
            None => list(redraws(true, chance)),
        },
        "hero" => list(redraws(true, chance)),
        "advance-facing" => word(&["keep", "left", "right", "rear", "n", "e", "s", "w"], chance),
        "join" => {
            Json::List(units.iter().filter(|_| chance.one_in(3)).map(|unit| Json::Str(unit.to_string())).collect())
        }
        _ => Json::Str("default".to_owned()),
    }
}
