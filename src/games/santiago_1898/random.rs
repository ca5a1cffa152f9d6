//! A player who knows the rules and nothing else: he picks from what the engine lists.

use std::collections::BTreeMap;

use crate::board::Hex;
use crate::engine::dice::Chance;
use crate::engine::{Json, Ruling, Seen, Side, hoping};

use super::movement::opponent;
use super::orders::{
    Advance, Balloon, BattleOrder, Effort, Landing, MoveOrder, Orders, PressIf, SetupOrders, TurnOrders,
};
use super::play::{Play, Position, Used, item, player};
use super::state::{Part, Stage, State, UnitState};
use super::terms::{Force, UnitId, UnitKind};
use super::{SPAIN, Santiago1898, Switch, US};

/// Legal orders for the packet due.
pub fn orders(game: &Santiago1898, seen: &Seen<'_, State>, chance: &mut Chance) -> Orders {
    let now = Position { game, state: seen.state };
    match seen.state.stage {
        Stage::SpanishSetup => Orders::Setup(spanish_setup(&now, chance)),
        Stage::CubanSetup => Orders::Setup(cuban_setup(&now, chance)),
        stage => {
            let side = stage.side().unwrap_or(US);
            let mut orders = TurnOrders::default();
            hoping(game, seen, side, |state, umpire| {
                // A march that takes the base ends the game; nothing more is ordered then.
                turn(&mut Play::new(game, state, umpire), side, &mut orders, chance).unwrap_or_default();
            });
            Orders::Turn(orders)
        }
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
            if !now.judge_setup(Force::Spanish, &place).bars.is_empty()
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
            if !now.judge_setup(Force::Cuban, &place).bars.is_empty() {
                place.remove(&id);
            }
        }
    }
    SetupOrders { place }
}

fn turn(play: &mut Play<'_, '_>, side: Side, orders: &mut TurnOrders, chance: &mut Chance) -> Ruling<()> {
    let combat_only = matches!(play.state.stage, Stage::UsCombat | Stage::SpanishCombat);
    let combat = combat_only || !play.game.switch(Switch::PhasesApart);
    if side == US && play.now().effort_barred().is_none() && chance.one_in(12) {
        orders.all_out_effort = if combat && chance.one_in(2) { Effort::IfAttack } else { Effort::Yes };
    }
    if !combat_only {
        if side == US {
            land(play, orders, chance)?;
        } else {
            enter(play, orders, chance)?;
        }
        let forces: &[Force] = if side == US { &[Force::Cuban, Force::Us] } else { &[Force::Spanish] };
        for force in forces {
            march(play, *force, orders, chance)?;
        }
        // A march that would end in an overstacked hex is left out, but a hex can be overfull from before.
        orders.overstack = !play.now().overstacked().is_empty();
    }
    if combat {
        fight(&play.now(), side, orders, chance);
    }
    Ok(())
}

fn land(play: &mut Play<'_, '_>, orders: &mut TurnOrders, chance: &mut Chance) -> Ruling<()> {
    let beaches = &play.game.data.beaches;
    let room = |now: &Position<'_>, hex: Hex| now.room(Force::Us, hex) > 0;
    if !chance.one_in(4) {
        let now = play.now();
        let open = |hex: &Hex| now.base_bars(*hex).is_empty() && room(&now, *hex);
        let choices: Vec<Hex> = beaches.iter().copied().filter(open).collect();
        if let Some(hex) = chance.pick(&choices) {
            orders.base = Some(*hex);
            play.land_base(*hex)?;
        }
    }
    let mut pool = play.now().pool();
    chance.shuffle(&mut pool);
    for (id, _) in pool {
        if chance.one_in(8) {
            continue;
        }
        let now = play.now();
        let landing = |hex: &Hex| Landing { units: vec![id], at: *hex };
        let open = |hex: &Hex| now.judge_landing(&play.used, &landing(hex)).bars.is_empty() && room(&now, *hex);
        let choices: Vec<Hex> = beaches.iter().copied().filter(open).collect();
        if let Some(landing) = chance.pick(&choices).map(landing) {
            play.land(&landing, item("landings", orders.landings.len()))?;
            orders.landings.push(landing);
        }
    }
    Ok(())
}

fn enter(play: &mut Play<'_, '_>, orders: &mut TurnOrders, chance: &mut Chance) -> Ruling<()> {
    let now = play.now();
    if now.escario_due() {
        let open = now.entry_hexes();
        for id in now.escario() {
            if let Some(hex) = chance.pick(&open).filter(|_| chance.one_in(2)) {
                orders.entry.insert(id, *hex);
            }
        }
    }
    play.enter_escario(&orders.entry)
}

fn march(play: &mut Play<'_, '_>, force: Force, orders: &mut TurnOrders, chance: &mut Chance) -> Ruling<()> {
    let free = |play: &Play<'_, '_>, id: UnitId| {
        let now = play.now();
        now.force(id) == Some(force) && !play.used.moved.contains_key(&id) && now.mover_bars(id).is_empty()
    };
    let mut units: Vec<UnitId> = play.state.units.keys().copied().filter(|id| free(play, *id)).collect();
    // Whoever has to join his friends on the way may be sent elsewhere by a policy.
    let places: BTreeMap<UnitId, Option<Hex>> = units.iter().map(|id| (*id, play.state.hex_of(*id))).collect();
    chance.shuffle(&mut units);
    for id in units {
        let here = play.state.hex_of(id);
        let stayed = |play: &Play<'_, '_>, id: UnitId| places.get(&id) == Some(&play.state.hex_of(id));
        if !free(play, id) || !stayed(play, id) || chance.one_in(3) {
            continue;
        }
        let mut group = vec![id];
        if chance.one_in(2) {
            let with = |other: &UnitId| {
                *other != id && play.state.hex_of(*other) == here && free(play, *other) && stayed(play, *other)
            };
            group.extend(play.state.units.keys().copied().filter(with).collect::<Vec<_>>());
        }
        let order = march_group(&play.now(), group, chance);
        if let Some(order) = order.filter(|order| play.now().judge_move(&play.used, order).bars.is_empty()) {
            orders.moves.push(order.clone());
            play.move_stack(orders.moves.len() - 1, &order)?;
        }
    }
    Ok(())
}

fn march_group(now: &Position<'_>, group: Vec<UnitId>, chance: &mut Chance) -> Option<MoveOrder> {
    let stack = now.stack(&group)?;
    let signals = group.iter().any(|id| now.kind(*id) == Some(UnitKind::Signals));
    let fighters = u32::try_from(group.iter().filter(|id| now.is_combat(**id)).count()).unwrap_or(0);
    let room = now.rooms(stack.force);
    let fits = |hex: &Hex| room(*hex) >= fighters;
    let ways = now.reachable(&stack);
    let mut goals: Vec<Hex> = ways.hexes().filter(fits).collect();
    if chance.one_in(2) {
        // Leaders seek their troops, and troops the stacks that enemy leaders are with: there the rules on leaders bite.
        let led = leader_hexes(now, opponent(player(stack.force)));
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
    let path = chance.pick(&goals).and_then(|goal| ways.path(*goal))?;
    let mut leave = BTreeMap::new();
    if group.len() > 1 && path.len() > 2 && chance.one_in(6) {
        let (last, hex) = (group.last()?, path.get(path.len() - 2)?);
        if fits(hex) && !now.ally_bars(stack.force, *hex) {
            leave.insert(*last, *hex);
        }
    }
    Some(MoveOrder { units: group, path, to: None, leave, balloon, stop_short: chance.one_in(4) })
}

/// Where the leaders of a player stand.
fn leader_hexes(now: &Position<'_>, side: Side) -> Vec<Hex> {
    let leads = |unit: &&UnitState| unit.role.part == Part::Leader && player(unit.role.force) == side;
    now.state.units.values().filter(leads).filter_map(|unit| unit.at.hex()).collect()
}

fn fight(now: &Position<'_>, side: Side, orders: &mut TurnOrders, chance: &mut Chance) {
    let mut used = Used::default();
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
            let press = [PressIf::Always, PressIf::Even, PressIf::Two, PressIf::Three, PressIf::Five, PressIf::Never];
            let mut order = BattleOrder {
                losses: if chance.one_in(3) { attackers.clone() } else { Vec::new() },
                press_if: chance.pick(&press).copied().filter(|_| chance.one_in(2)),
                naval: Some(true).filter(|_| chance.one_in(2)),
                advance: match chance.below(4) {
                    0 => Some(Advance::All),
                    1 => Some(Advance::None),
                    2 => Some(Advance::Units(attackers.iter().copied().take(1).collect())),
                    _ => None,
                },
                ..BattleOrder::bare(target, attackers)
            };
            if !now.gunfire_bars(&used, *force, &order).is_empty() {
                order.naval = Some(false).filter(|_| chance.one_in(2));
            }
            used.targets.insert(target);
            used.attackers.extend(order.attackers.iter().copied());
            if order.naval == Some(true) {
                used.gunfire.insert(*force, target);
            }
            orders.battles.push(order);
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
