//! A plain sensible player without chance: the army lands, goes together for the nearest objective and attacks at good
//! odds; Spain holds her objectives, takes back what lies open, and the base if nobody guards it.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Grid, Hex, Roster};
use crate::engine::{Ruling, Seen, Side, hoping};

use super::movement::ANY;
use super::orders::{BattleOrder, Landing, MoveOrder, Orders, PressIf, SetupOrders, TurnOrders};
use super::play::{Play, Position, Used, item};
use super::state::{Stage, State};
use super::tables::Odds;
use super::terms::{Force, UnitId};
use super::{Santiago1898, Switch, US};

/// How many units stay to hold an objective.
const GARRISON: usize = 2;

/// From how many hexes away Spanish units may come for the base within a turn or two.
const RAID: u32 = 5;

/// What it costs to get to a goal from everywhere, whoever stands in the way.
type Field = BTreeMap<Hex, u32>;

/// Orders for the packet due.
pub fn orders(game: &Santiago1898, seen: &Seen<'_, State>) -> Orders {
    let now = Position { game, state: seen.state };
    match seen.state.stage {
        Stage::SpanishSetup => Orders::Setup(SetupOrders { place: now.complete_spanish(&BTreeMap::new()) }),
        Stage::CubanSetup => Orders::Setup(SetupOrders { place: now.complete_cuban(&BTreeMap::new()) }),
        stage => {
            let side = stage.side().unwrap_or(US);
            let mut orders = TurnOrders::default();
            hoping(game, seen, side, |state, umpire| {
                // A march that takes the base ends the game; nothing more is ordered then.
                turn(&mut Play::new(game, state, umpire), side, &mut orders).unwrap_or_default();
            });
            Orders::Turn(orders)
        }
    }
}

fn turn(play: &mut Play<'_, '_>, side: Side, orders: &mut TurnOrders) -> Ruling<()> {
    let combat_only = matches!(play.state.stage, Stage::UsCombat | Stage::SpanishCombat);
    let forces: &[Force] = if side == US { &[Force::Cuban, Force::Us] } else { &[Force::Spanish] };
    if !combat_only {
        match side == US {
            true => land(play, orders)?,
            false => play.enter_escario(&orders.entry)?,
        }
        let mut claimed = BTreeSet::new();
        for force in forces {
            march(play, *force, &mut claimed, orders)?;
        }
        orders.overstack = !play.now().overstacked().is_empty();
    }
    if combat_only || !play.game.switch(Switch::PhasesApart) {
        for force in forces {
            fight(&play.now(), *force, orders);
        }
    }
    Ok(())
}

/// The base and as many units as the boats carry, on the beaches nearest to what is to be taken.
fn land(play: &mut Play<'_, '_>, orders: &mut TurnOrders) -> Ruling<()> {
    let fields = fields(&play.now(), Force::Us);
    let mut beaches = play.game.data.beaches.to_vec();
    // As many objectives as a surrender takes have to be near (§4.1b).
    let needed = usize::try_from(play.game.data.tables.limits.surrender_objectives).unwrap_or(usize::MAX);
    let way = |hex: &Hex| {
        let mut costs: Vec<u32> = fields.values().filter_map(|field| field.get(hex)).copied().collect();
        costs.sort_unstable();
        costs.iter().take(needed).sum::<u32>()
    };
    let now = play.now();
    beaches.sort_by_key(|hex| (raiders(&now, *hex), way(hex), *hex));
    let open = |hex: &&Hex| now.base_bars(**hex).is_empty() && now.room(Force::Us, **hex) > 0;
    if let Some(hex) = beaches.iter().find(open).copied() {
        orders.base = Some(hex);
        play.land_base(hex)?;
    }
    let mut pool: Vec<UnitId> = play.now().pool().into_iter().map(|(id, _)| id).collect();
    pool.sort_by_key(|id| (std::cmp::Reverse(play.now().values(*id).shock), *id));
    for id in pool {
        let now = play.now();
        let landing = |hex: &Hex| Landing { units: vec![id], at: *hex };
        let open =
            |hex: &&Hex| now.judge_landing(&play.used, &landing(hex)).bars.is_empty() && now.room(Force::Us, **hex) > 0;
        if let Some(landing) = beaches.iter().find(open).map(landing) {
            play.land(&landing, item("landings", orders.landings.len()))?;
            match orders.landings.last_mut().filter(|last| last.at == landing.at) {
                Some(last) => last.units.push(id),
                None => orders.landings.push(landing),
            }
        }
    }
    Ok(())
}

/// What a force is after: hexes to take, or to take back and to hold.
fn goals(now: &Position<'_>, force: Force) -> BTreeSet<Hex> {
    let objectives = now.data().objectives.iter().copied();
    if force == Force::Spanish {
        let held = |hex: &Hex| now.combat_units(force, *hex).len() >= GARRISON;
        return objectives
            .filter(|hex| !held(hex) && !now.enemy_in(super::SPAIN, *hex))
            .chain(now.state.base)
            .collect();
    }
    let open: BTreeSet<Hex> = objectives.filter(|hex| !now.state.us_controls(*hex)).collect();
    // With every objective taken what is left of the garrison is hunted down.
    if open.is_empty() { now.enemy_hexes(US).collect() } else { open }
}

/// The way to each goal.
fn fields(now: &Position<'_>, force: Force) -> BTreeMap<Hex, Field> {
    let empty = State { units: Roster::default(), base: None, ..now.state.clone() };
    let bare = Position { game: now.game, state: &empty };
    let lay = bare.lay(force, true);
    let field = |goal: Hex| {
        let reach = bare.reach_at(&lay, goal, ANY, false);
        (goal, reach.costs().map(|(hex, cost)| (hex, cost.floor())).collect())
    };
    goals(now, force).into_iter().map(field).collect()
}

/// Every stack goes for the nearest goal; for one that nobody defends a single stack is enough, and the next looks
/// farther.
fn march(play: &mut Play<'_, '_>, force: Force, claimed: &mut BTreeSet<Hex>, orders: &mut TurnOrders) -> Ruling<()> {
    let fields = fields(&play.now(), force);
    let free = |play: &Play<'_, '_>, id: UnitId| {
        let now = play.now();
        now.force(id) == Some(force) && !play.used.moved.contains_key(&id) && now.mover_bars(id).is_empty()
    };
    let all: Vec<UnitId> = play.state.units.keys().copied().filter(|id| free(play, *id)).collect();
    let places: BTreeSet<Hex> = all.iter().filter_map(|id| play.state.hex_of(*id)).collect();
    let cost = |goal: &Hex, hex: &Hex| fields.get(goal).and_then(|field| field.get(hex)).copied().unwrap_or(ANY);
    let nearest = |goals: &dyn Fn(&Hex) -> bool, hex: &Hex| {
        fields.keys().copied().filter(goals).min_by_key(|goal| (cost(goal, hex), *goal))
    };
    let undefended: BTreeSet<Hex> =
        fields.keys().copied().filter(|goal| force != Force::Spanish && !play.now().enemy_in(US, *goal)).collect();
    let mut places: Vec<Hex> = places.into_iter().collect();
    places.sort_by_key(|hex| (nearest(&|_| true, hex).map(|goal| cost(&goal, hex)), *hex));
    for hex in places {
        let left = nearest(&|goal| !claimed.contains(goal), &hex);
        let Some(goal) = left.or_else(|| nearest(&|_| true, &hex)) else { continue };
        claimed.extend(undefended.get(&goal));
        let mut here: Vec<UnitId> =
            all.iter().copied().filter(|id| play.state.hex_of(*id) == Some(hex) && free(play, *id)).collect();
        here.sort_by_key(|id| (play.now().is_combat(*id), std::cmp::Reverse(play.now().values(*id).shock), *id));
        match force {
            Force::Spanish => spare(&play.now(), hex, &mut here),
            Force::Us if play.state.base == Some(hex) => guard(&play.now(), hex, &mut here),
            Force::Us | Force::Cuban => {}
        }
        // All together if they fit; else one by one, the strongest first.
        let alone = here.iter().map(|id| vec![*id]);
        for group in std::iter::once(here.clone()).filter(|group| group.len() > 1).chain(alone) {
            if !group.iter().all(|id| free(play, *id) && play.state.hex_of(*id) == Some(hex)) {
                continue;
            }
            let order = nearer(&play.now(), &group, |at| cost(&goal, at));
            if let Some(order) = order.filter(|order| play.now().judge_move(&play.used, order).bars.is_empty()) {
                orders.moves.push(order.clone());
                play.move_stack(orders.moves.len() - 1, &order)?;
            }
        }
    }
    Ok(())
}

/// Spanish combat units near enough to come for a base.
fn raiders(now: &Position<'_>, base: Hex) -> usize {
    let grid = &now.data().grid;
    now.enemy_hexes(US).filter(|hex| grid.distance(*hex, base) <= RAID).count()
}

/// Leaves those in `here` who need not guard the base: a Spanish unit that enters it ends the game (§4.5), so one stays
/// for every unit that may come, and one at least.
fn guard(now: &Position<'_>, base: Hex, here: &mut Vec<UnitId>) {
    let fighters = now.combat_units(Force::Us, base).len();
    let movers = here.iter().filter(|id| now.is_combat(**id)).count();
    let guards = raiders(now, base).max(1).saturating_sub(fighters - movers).min(movers);
    here.truncate(here.len() - guards);
}

/// Leaves those of a Spanish hex in `here` who need not hold it.
fn spare(now: &Position<'_>, hex: Hex, here: &mut Vec<UnitId>) {
    here.retain(|id| now.is_combat(*id));
    let ring = now.data().santiago == hex || now.data().neighbours(now.data().santiago).any(|next| next == hex);
    let held = if now.data().objectives.contains(&hex) || ring { GARRISON } else { 0 };
    let all = now.combat_units(Force::Spanish, hex).len();
    here.truncate(all.saturating_sub(held));
}

/// The move that brings a group nearest to its goal, if any does.
fn nearer(now: &Position<'_>, group: &[UnitId], cost: impl Fn(&Hex) -> u32) -> Option<MoveOrder> {
    let stack = now.stack(group)?;
    let mut reachable = now.reachable(&stack);
    let fits = |hex: &&Hex| now.fit(stack.force, group, **hex);
    let best = reachable.keys().filter(fits).min_by_key(|hex| (cost(hex), **hex)).copied()?;
    let path = reachable.remove(&best).filter(|_| cost(&best) < cost(&stack.from))?;
    Some(MoveOrder { units: group.to_vec(), path, to: None, leave: BTreeMap::new(), balloon: None, stop_short: true })
}

/// Every attack at good odds, the best first; the fleet helps the first that it can reach.
fn fight(now: &Position<'_>, force: Force, orders: &mut TurnOrders) {
    let mut used = Used::default();
    for battle in &orders.battles {
        used.targets.insert(battle.target);
    }
    loop {
        let possible = now.possible_battles(force, &used);
        let odds = |(target, units): (&Hex, &Vec<UnitId>)| {
            let objective = now.data().objectives.contains(target);
            let column = now.assault(force, *target, units, 0).column;
            (column >= Odds::ThreeToOne).then_some((column, objective, std::cmp::Reverse(*target)))
        };
        let Some((.., std::cmp::Reverse(target))) = possible.iter().filter_map(odds).max() else { return };
        let attackers = possible.get(&target).cloned().unwrap_or_default();
        let mut order =
            BattleOrder { press_if: Some(PressIf::Two), naval: Some(true), ..BattleOrder::bare(target, attackers) };
        if !now.gunfire_bars(&used, force, &order).is_empty() {
            order.naval = None;
        }
        used.targets.insert(target);
        used.attackers.extend(order.attackers.iter().copied());
        if order.naval == Some(true) {
            used.gunfire.insert(force, target);
        }
        orders.battles.push(order);
    }
}
