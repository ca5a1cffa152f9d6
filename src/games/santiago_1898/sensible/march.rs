//! The march: who stays behind, who goes where, and how near he comes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Grid, Hex};
use crate::engine::Ruling;

use super::super::US;
use super::super::orders::{Balloon, MoveOrder, TurnOrders};
use super::super::play::{Play, Position};
use super::super::terms::{Force, UnitId, UnitKind};
use super::goals::Goals;

/// How many units stay to hold a Spanish objective.
pub const GARRISON: usize = 2;

/// From how many hexes away Spanish units may come back to an objective.
const COMEBACK: u32 = 6;

/// Troops go for the goals they are shared out to, those without one for the nearest; leaders and balloon go with them.
/// Goals that somebody is enough for are added to `met`.
pub fn march(play: &mut Play<'_, '_>, force: Force, met: &mut BTreeSet<Hex>, orders: &mut TurnOrders) -> Ruling<()> {
    let now = play.now();
    let goals = Goals::of(&now, force, met);
    let mut places: BTreeMap<Hex, Vec<UnitId>> = BTreeMap::new();
    for (id, unit) in &now.state.units {
        if let Some(hex) = unit.at.hex().filter(|_| unit.role.force == force && now.mover_bars(*id).is_empty()) {
            places.entry(hex).or_default().push(*id);
        }
    }
    for (hex, here) in &mut places {
        match force {
            Force::Spanish => spare(&now, *hex, here),
            Force::Us if play.state.base == Some(*hex) => now.leave_guard(*hex, here),
            Force::Us | Force::Cuban => leave_garrison(&now, *hex, here),
        }
    }
    let troops = |id: &UnitId| now.is_combat(*id);
    let movers: BTreeMap<UnitId, Hex> =
        places.iter().flat_map(|(hex, here)| here.iter().filter(|id| troops(id)).map(|id| (*id, *hex))).collect();
    let shares = goals.share_out(&now, &movers);
    met.extend(shares.values().filter(|goal| !now.enemy_in(US, **goal)));
    let mut groups: BTreeMap<(u32, Hex, Hex), Vec<UnitId>> = BTreeMap::new();
    for (id, hex) in &movers {
        if let Some(goal) = shares.get(id).copied().or_else(|| goals.nearest(*hex)) {
            groups.entry((goals.cost(goal, *hex), *hex, goal)).or_default().push(*id);
        }
    }
    // Leaders go with the strongest group of their hex.
    let leaders = places.iter().flat_map(|(hex, here)| here.iter().map(move |id| (*hex, *id)));
    let leads = |id: UnitId| now.kind(id) == Some(UnitKind::Leader);
    for (hex, leader) in leaders.filter(|(_, id)| leads(*id) && force != Force::Spanish) {
        let strength = |group: &&mut Vec<UnitId>| now.shock_of(group);
        let with = groups.iter_mut().filter(|((_, from, _), _)| *from == hex).map(|(_, group)| group);
        if let Some(group) = with.max_by_key(strength) {
            group.insert(0, leader);
        }
    }
    // The foremost go first and leave room for those behind.
    for ((_, hex, goal), mut group) in groups {
        group.sort_by_key(|id| (play.now().is_combat(*id), Reverse(play.now().values(*id).shock), *id));
        advance(play, &group, hex, |at| goals.cost(goal, *at), orders)?;
    }
    if force == Force::Us {
        follow(play, &goals, orders)?;
    }
    Ok(())
}

/// Moves a group nearer to its goal: all together if they fit; else one by one, the strongest first.
fn advance(
    play: &mut Play<'_, '_>,
    group: &[UnitId],
    from: Hex,
    cost: impl Fn(&Hex) -> u32,
    orders: &mut TurnOrders,
) -> Ruling<()> {
    let alone = group.iter().map(|id| vec![*id]);
    for part in std::iter::once(group.to_vec()).filter(|part| part.len() > 1).chain(alone) {
        let here = |id: &UnitId| !play.used.moved.contains_key(id) && play.state.hex_of(*id) == Some(from);
        if !part.iter().all(here) {
            continue;
        }
        let order = nearer(&play.now(), &part, &cost);
        if let Some(order) = order.filter(|order| play.now().judge_move(&play.used, order).bars.is_empty()) {
            orders.moves.push(order.clone());
            play.move_stack(orders.moves.len() - 1, &order)?;
        }
    }
    Ok(())
}

/// The move that brings a group nearest to its goal, if any does.
fn nearer(now: &Position<'_>, group: &[UnitId], cost: impl Fn(&Hex) -> u32) -> Option<MoveOrder> {
    let stack = now.stack(group)?;
    let ways = now.reachable(&stack);
    let fits = |hex: &Hex| now.fit(stack.force, group, *hex);
    let best = ways.hexes().filter(fits).min_by_key(|hex| (cost(hex), *hex))?;
    let path = ways.path(best).filter(|_| cost(&best) < cost(&stack.from))?;
    Some(MoveOrder { units: group.to_vec(), path, to: None, leave: BTreeMap::new(), balloon: None, stop_short: true })
}

/// Leaders without troops and the Signals Detachment follow the army, to where most of it is near; there the balloon
/// goes up, so that whoever starts beside it gets better through the jungle (§8.6f).
fn follow(play: &mut Play<'_, '_>, goals: &Goals, orders: &mut TurnOrders) -> Ruling<()> {
    let followers: Vec<UnitId> = {
        let now = play.now();
        let follows = |id: &UnitId| {
            let free = !play.used.moved.contains_key(id) && now.mover_bars(*id).is_empty();
            now.force(*id) == Some(Force::Us) && !now.is_combat(*id) && free
        };
        play.state.units.keys().copied().filter(follows).collect()
    };
    for id in followers {
        let now = play.now();
        let Some(stack) = now.stack(&[id]) else { continue };
        let signals = now.kind(id) == Some(UnitKind::Signals);
        let ways = now.reachable(&stack);
        let near = |hex: Hex| {
            let around = now.data().neighbours(hex).filter(|_| signals).chain([hex]);
            around.map(|hex| now.shock_of(&now.combat_units(Force::Us, hex))).sum::<u32>()
        };
        let way = |hex: Hex| goals.nearest(hex).map_or(0, |goal| goals.cost(goal, hex));
        let escorted = |hex: &Hex| !now.combat_units(Force::Us, *hex).is_empty();
        let open = ways.hexes().chain([stack.from]).filter(escorted);
        let Some(best) = open.max_by_key(|hex| (near(*hex), Reverse(way(*hex)), *hex)) else { continue };
        let path = ways.path(best).unwrap_or_default();
        let balloon = Some(Balloon::Up).filter(|_| signals);
        if path.is_empty() && (balloon.is_none() || play.state.balloon) {
            continue;
        }
        let order = MoveOrder { units: vec![id], path, to: None, leave: BTreeMap::new(), balloon, stop_short: false };
        if now.judge_move(&play.used, &order).bars.is_empty() {
            orders.moves.push(order.clone());
            play.move_stack(orders.moves.len() - 1, &order)?;
        }
    }
    Ok(())
}

/// Leaves those of a taken objective in `here` who need not hold it: one stays while Spaniards may come back.
fn leave_garrison(now: &Position<'_>, hex: Hex, here: &mut Vec<UnitId>) {
    let grid = &now.data().grid;
    let comeback = || now.enemy_hexes(US).any(|enemy| grid.distance(enemy, hex) <= COMEBACK);
    if !now.data().objectives.contains(&hex) || !comeback() {
        return;
    }
    let fighters = now.combat_units_of(US, hex).len();
    let movers = here.iter().filter(|id| now.is_combat(**id)).count();
    if movers == fighters {
        here.sort_by_key(|id| (!now.is_combat(*id), now.values(*id).shock, *id));
        here.drain(..movers.min(1));
    }
}

/// Leaves those of a Spanish hex in `here` who need not hold it.
fn spare(now: &Position<'_>, hex: Hex, here: &mut Vec<UnitId>) {
    here.retain(|id| now.is_combat(*id));
    here.sort_by_key(|id| (Reverse(now.values(*id).shock), *id));
    let ring = now.data().santiago == hex || now.data().neighbours(now.data().santiago).any(|next| next == hex);
    let held = if now.data().objectives.contains(&hex) || ring { GARRISON } else { 0 };
    let all = now.combat_units(Force::Spanish, hex).len();
    here.truncate(all.saturating_sub(held));
}
