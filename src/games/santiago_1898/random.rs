//! A player who knows the rules and nothing else: he picks from what the engine lists.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::dice::Chance;
use crate::engine::{Json, Side};

use super::check::Projection;
use super::fire::Committed;
use super::movement::opponent;
use super::orders::{
    Advance, Balloon, BattleOrder, Effort, Landing, MoveOrder, Orders, PressIf, SetupOrders, TurnOrders,
};
use super::play::{Position, player};
use super::state::{Part, Stage, State, UnitState};
use super::terms::{Force, UnitId, UnitKind};
use super::{SPAIN, Santiago1898, Switch, US};

/// Legal orders for the packet due.
pub fn orders(now: &Position<'_>, chance: &mut Chance) -> Orders {
    match now.state.stage {
        Stage::SpanishSetup => Orders::Setup(spanish_setup(now, chance)),
        Stage::CubanSetup => Orders::Setup(cuban_setup(now, chance)),
        _ => Orders::Turn(turn(now.game, now.state, chance)),
    }
}

fn spanish_setup(now: &Position<'_>, chance: &mut Chance) -> SetupOrders {
    let mut place = now.complete_spanish(&BTreeMap::new());
    let land: Vec<Hex> = crate::board::Grid::cells(&now.data().grid).filter(|hex| now.data().is_land(*hex)).collect();
    for id in now.deploys(Force::Spanish) {
        if !chance.one_in(2) {
            continue;
        }
        let legal: Vec<Hex> = land.iter().copied().filter(|hex| now.spanish_place_barred(id, *hex).is_none()).collect();
        if let Some(hex) = chance.pick(&legal) {
            let before = place.insert(id, *hex);
            if !now.spanish_setup_faults(&place).is_empty()
                && let Some(before) = before
            {
                place.insert(id, before);
            }
        }
    }
    SetupOrders { place }
}

fn cuban_setup(now: &Position<'_>, chance: &mut Chance) -> SetupOrders {
    let legal = now.cuban_hexes();
    let mut place = BTreeMap::new();
    for id in now.deploys(Force::Cuban) {
        if let Some(hex) = chance.pick(&legal) {
            place.insert(id, *hex);
            if !now.cuban_setup_faults(&now.complete_cuban(&place)).is_empty() {
                place.remove(&id);
            }
        }
    }
    SetupOrders { place }
}

fn turn(game: &Santiago1898, state: &State, chance: &mut Chance) -> TurnOrders {
    let mut orders = TurnOrders::none();
    let mut projection = Projection::new(game, state);
    let side = state.stage.side().unwrap_or(US);
    let combat_only = matches!(state.stage, Stage::UsCombat | Stage::SpanishCombat);
    if !combat_only {
        if side == US {
            land(&mut projection, &mut orders, chance);
        } else {
            enter(&mut projection, &mut orders, chance);
        }
        let forces: &[Force] = if side == US { &[Force::Cuban, Force::Us] } else { &[Force::Spanish] };
        for force in forces {
            march(&mut projection, *force, &mut orders, chance);
        }
    }
    if combat_only || !game.switch(Switch::PhasesApart) {
        fight(&projection, side, &mut orders, chance);
    }
    let roosevelt = state.hex_of(game.data.cast.roosevelt).is_some();
    if side == US && roosevelt && state.all_out.is_none() && chance.one_in(12) {
        let combat = combat_only || !game.switch(Switch::PhasesApart);
        orders.all_out_effort = if combat && chance.one_in(2) { Effort::IfAttack } else { Effort::Yes };
    }
    orders
}

fn land(projection: &mut Projection<'_>, orders: &mut TurnOrders, chance: &mut Chance) {
    let beaches = projection.game.data.beaches.clone();
    let open = |p: &Projection<'_>, hex: Hex| p.now().beach_closed(hex).is_none() && p.now().room(Force::Us, hex) > 0;
    if projection.state.base.is_none() && !chance.one_in(4) {
        let choices: Vec<Hex> = beaches.iter().copied().filter(|hex| open(projection, *hex)).collect();
        if let Some(hex) = chance.pick(&choices) {
            orders.base = Some(*hex);
            projection.state.base = Some(*hex);
            let steps = projection.game.data.tables.limits.base_landing_steps;
            projection.landing_left = projection.landing_left.saturating_sub(steps);
        }
    }
    let mut pool = projection.now().pool();
    chance.shuffle(&mut pool);
    for (id, steps) in pool {
        let legal = |hex: &Hex| projection.now().landing_closed(id, *hex).is_none() && open(projection, *hex);
        let choices: Vec<Hex> = beaches.iter().copied().filter(legal).collect();
        if steps > projection.landing_left || chance.one_in(8) {
            continue;
        }
        if let Some(hex) = chance.pick(&choices).copied() {
            projection.land(id, hex);
            orders.landings.push(Landing { units: vec![id], at: hex });
        }
    }
}

fn enter(projection: &mut Projection<'_>, orders: &mut TurnOrders, chance: &mut Chance) {
    if !projection.now().escario_due() {
        return;
    }
    let open = projection.now().entry_hexes();
    for id in projection.now().escario() {
        if let Some(hex) = chance.pick(&open).filter(|_| chance.one_in(2)) {
            orders.entry.insert(id, *hex);
        }
    }
    let entry = orders.entry.clone();
    projection.enter_escario(&entry);
}

fn march(projection: &mut Projection<'_>, force: Force, orders: &mut TurnOrders, chance: &mut Chance) {
    let mut units: Vec<UnitId> = projection.state.units.keys().copied().collect();
    units.retain(|id| projection.now().force(*id) == Some(force) && projection.now().stack(&[*id]).is_ok());
    chance.shuffle(&mut units);
    for id in units {
        if projection.moved.contains(&id) || chance.one_in(3) {
            continue;
        }
        let mut group = vec![id];
        if chance.one_in(2) {
            let here = projection.state.hex_of(id);
            let with = projection.state.units.keys().copied().filter(|other| {
                *other != id
                    && projection.state.hex_of(*other) == here
                    && projection.now().force(*other) == Some(force)
                    && !projection.moved.contains(other)
                    && projection.now().stack(&[*other]).is_ok()
            });
            group.extend(with.collect::<Vec<_>>());
        }
        march_group(projection, group, orders, chance);
    }
    // A march that would end in an overstacked hex was left out, but a hex can be overfull from before.
    orders.overstack = !projection.now().overstacked().is_empty();
}

fn march_group(projection: &mut Projection<'_>, group: Vec<UnitId>, orders: &mut TurnOrders, chance: &mut Chance) {
    let now = projection.now();
    let Ok(stack) = now.stack(&group) else { return };
    let signals = group.iter().any(|id| now.kind(*id) == Some(UnitKind::Signals));
    let fighters = u32::try_from(group.iter().filter(|id| now.is_combat(**id)).count()).unwrap_or(0);
    let fits = |hex: &Hex| now.room(stack.force, *hex) >= fighters;
    let reachable = now.reachable(&stack);
    let mut goals: Vec<Hex> = reachable.keys().copied().filter(fits).collect();
    if chance.one_in(2) {
        // Leaders seek their troops, and troops the stacks that enemy leaders are with: there the rules on leaders bite.
        let led = leader_hexes(&now, opponent(player(stack.force)));
        let sought = |hex: &Hex| match fighters {
            0 => !now.combat_units(stack.force, *hex).is_empty(),
            _ => now.data().neighbours(*hex).any(|next| led.contains(&next)),
        };
        let found: Vec<Hex> = goals.iter().copied().filter(sought).collect();
        if !found.is_empty() {
            goals = found;
        }
    }
    let balloon = signals.then(|| if chance.one_in(2) { Balloon::Up } else { Balloon::Down });
    let Some(path) = chance.pick(&goals).and_then(|goal| reachable.get(goal)).cloned() else { return };
    let mut leave = BTreeMap::new();
    if group.len() > 1 && path.len() > 2 && chance.one_in(6) {
        let (Some(last), Some(hex)) = (group.last(), path.get(path.len() - 2)) else { return };
        if fits(hex) && !now.ally_bars(stack.force, *hex) {
            leave.insert(*last, *hex);
        }
    }
    let order = MoveOrder { units: group, path, to: None, leave, balloon, stop_short: chance.one_in(4) };
    if let Ok(march) = now.march(&stack, &order.path) {
        projection.march(&stack, &march, &order);
        orders.moves.push(order);
    }
}

/// Where the leaders of a player stand.
fn leader_hexes(now: &Position<'_>, side: Side) -> Vec<Hex> {
    let leads = |unit: &&UnitState| unit.role.part == Part::Leader && player(unit.role.force) == side;
    now.state.units.values().filter(leads).filter_map(|unit| unit.at.hex()).collect()
}

fn fight(projection: &Projection<'_>, side: Side, orders: &mut TurnOrders, chance: &mut Chance) {
    let now = projection.now();
    let mut used = Committed::default();
    let mut fleets: BTreeSet<Force> = BTreeSet::new();
    let forces: &[Force] = if side == SPAIN { &[Force::Spanish] } else { &[Force::Cuban, Force::Us] };
    for force in forces {
        let mut targets: Vec<Hex> = now.possible_battles(*force, &used).keys().copied().collect();
        chance.shuffle(&mut targets);
        for target in targets {
            let possible = now.possible_battles(*force, &used);
            let Some(units) = possible.get(&target) else { continue };
            let attackers: Vec<UnitId> = units.iter().copied().filter(|_| !chance.one_in(4)).collect();
            if attackers.is_empty() || chance.one_in(4) {
                continue;
            }
            used.targets.insert(target);
            used.units.extend(attackers.iter().copied());
            let naval = now.naval_barred(*force, target).is_none() && !fleets.contains(force) && chance.one_in(2);
            if naval {
                fleets.insert(*force);
            }
            let press = [PressIf::Always, PressIf::Even, PressIf::Two, PressIf::Three, PressIf::Five, PressIf::Never];
            let advance = match chance.below(4) {
                0 => Some(Advance::All),
                1 => Some(Advance::None),
                2 => Some(Advance::Units(attackers.iter().copied().take(1).collect())),
                _ => None,
            };
            orders.battles.push(BattleOrder {
                target,
                losses: if chance.one_in(3) { attackers.clone() } else { Vec::new() },
                attackers,
                from: Vec::new(),
                press_if: chance.pick(&press).copied().filter(|_| chance.one_in(2)),
                naval: Some(naval).filter(|naval| *naval || chance.one_in(2)),
                naval_from: None,
                advance,
            });
        }
    }
    if chance.one_in(3) {
        orders.shock_order = orders.battles.iter().rev().map(|battle| battle.target).collect();
    }
}

/// A policy for one kind of question, as a player could type it.
pub fn policy(now: &Position<'_>, kind: &str, chance: &mut Chance) -> Json {
    let word = |text: &str| Json::Str(text.to_owned());
    let pick = |chance: &mut Chance, words: &[&str]| word(chance.pick(words).copied().unwrap_or("default"));
    let some_units = |chance: &mut Chance| {
        let mut units: Vec<UnitId> = now.state.units.keys().copied().collect();
        chance.shuffle(&mut units);
        Json::List(units.iter().take(8).map(|id| word(id.as_str())).collect())
    };
    let some_hexes = |chance: &mut Chance| {
        let mut hexes: Vec<Hex> = now.state.units.values().filter_map(|unit| unit.at.hex()).collect();
        chance.shuffle(&mut hexes);
        Json::List(hexes.iter().take(6).map(|hex| word(&hex.to_string())).collect())
    };
    match (kind, chance.below(4)) {
        (_, 0) => word("default"),
        ("lost-stack", 1) => word("halt"),
        ("lost-stack", _) => {
            let goal = now.data().objectives.first().copied().unwrap_or(now.data().santiago);
            Json::Map(BTreeMap::from([("toward".to_owned(), word(&goal.to_string()))]))
        }
        ("fire", _) => pick(chance, &["concentrate", "spread"]),
        ("press", _) => pick(chance, &["always", "1:1", "2:1", "3:1", "4:1", "5:1", "never"]),
        ("naval" | "leader-hold" | "all-out-effort", _) => pick(chance, &["always", "never"]),
        ("advance", 1) => word("none"),
        ("advance", _) => word("all"),
        ("machineguns", 1) => word("never"),
        ("retreat" | "goes-with" | "relocate" | "machineguns", _) => some_hexes(chance),
        ("losses" | "overstack" | "fever", _) => some_units(chance),
        _ => word("default"),
    }
}
