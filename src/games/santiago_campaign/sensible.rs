//! A plain sensible player without chance: the Americans march on the city together and attack at good odds only; Spain
//! keeps to the city and the forts, fetches her other columns there, and strikes where little can go wrong. Whoever can
//! be spared goes out against besiegers, and in the last days greater risks are taken.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::board::{Grid, Hex};
use crate::engine::{Concealed, Seen, Side};

use super::orders::{AttackOrder, Marines, MoveOrder, Orders, SpanishSetup, TurnOrders, UsSetup};
use super::play::{Known, Play, Position, at_table};
use super::random::give;
use super::state::{Stage, State};
use super::terms::{Arm, Odds, Piece};
use super::{SantiagoCampaign, US};

/// Attacks are called off below these odds: 3:1.
const GOOD: Odds = Odds(2);
/// The same once there is little time left: 2:1.
const FAIR: Odds = Odds(1);
/// The same where all is lost otherwise: 1:1.
const DESPERATE: Odds = Odds(0);
/// The turn from which on there is little time left.
const LATE: u32 = 8;
/// How near to the city besiegers are sought out.
const NEAR: u32 = 4;
/// How many counters hold a hex of the city or a fort.
const GARRISON: usize = 2;

/// Steps over dry land to the nearest of some hexes.
type Field = BTreeMap<Hex, u32>;

/// Orders for the packet due.
pub fn orders(game: &SantiagoCampaign, seen: &Seen<'_, State>) -> Orders {
    match seen.state.stage {
        Stage::SpanishSetup => Orders::SpanishSetup(SpanishSetup::by_default(&game.data)),
        Stage::UsSetup => {
            let known = Known::default();
            let now = Position { game, state: seen.state, known: &known };
            let place = now.place_cubans(&BTreeMap::new()).0;
            Orders::UsSetup(UsSetup { place, marines: Some(Marines::Guantanamo) })
        }
        stage => {
            let side = stage.side().unwrap_or(US);
            Orders::Turn(at_table(game, seen, side, |play| turn(play, side)))
        }
    }
}

fn turn(play: &mut Play<'_, '_>, side: Side) -> TurnOrders {
    let mut orders = TurnOrders::default();
    let combat_only = matches!(play.state.stage, Stage::UsCombat | Stage::SpanishCombat);
    if !combat_only {
        moves(play, side, &mut orders);
    }
    if combat_only || !play.game.options.phases_apart {
        attacks(&play.now(), side, &mut orders);
    }
    orders
}

/// How far it is from everywhere to the nearest goal, on dry land.
fn field(now: &Position<'_>, goals: &BTreeSet<Hex>) -> Field {
    let mut field: Field = goals.iter().map(|hex| (*hex, 0)).collect();
    let mut open: VecDeque<Hex> = goals.iter().copied().collect();
    while let Some(hex) = open.pop_front() {
        let steps = field.get(&hex).copied().unwrap_or(0) + 1;
        for (_, next) in now.data().grid().neighbours(hex) {
            if now.data().is_open(next) && !field.contains_key(&next) {
                field.insert(next, steps);
                open.push_back(next);
            }
        }
    }
    field
}

/// What a side marches on.
fn goals(now: &Position<'_>, side: Side) -> BTreeSet<Hex> {
    let data = now.data();
    let held = |hex: &Hex| now.state.tokens_in(*hex).count() >= GARRISON;
    match side == US {
        true => data.city.iter().copied().filter(|hex| !now.us_holds_or_passed(*hex)).collect(),
        false => {
            let posts: BTreeSet<Hex> =
                data.city.iter().chain(&data.fortresses).copied().filter(|hex| !held(hex)).collect();
            if posts.is_empty() && now.besieged() { before_besiegers(now) } else { posts }
        }
    }
}

/// The hexes from which Americans near the city can be attacked.
fn before_besiegers(now: &Position<'_>) -> BTreeSet<Hex> {
    let data = now.data();
    let near = |hex: &Hex| data.city.iter().any(|city| data.grid().distance(*city, *hex) <= NEAR);
    let besiegers = now.state.units.values().filter_map(|unit| unit.at.hex()).filter(near);
    let free = |hex: &Hex| data.is_open(*hex) && now.state.units_in(*hex).next().is_none();
    besiegers.flat_map(|hex| data.around(hex)).filter(free).collect()
}

fn moves(play: &mut Play<'_, '_>, side: Side, orders: &mut TurnOrders) {
    let mut way = field(&play.now(), &goals(&play.now(), side));
    let far = |field: &Field, hex: Option<Hex>| hex.and_then(|hex| field.get(&hex)).copied().unwrap_or(u32::MAX);
    // Whoever is in front goes first and makes room.
    let mut pieces: Vec<(u32, Piece)> =
        play.now().pieces_of(side).into_iter().map(|piece| (far(&way, play.now().hex_of(piece)), piece)).collect();
    pieces.sort();
    for (_, piece) in pieces {
        let now = play.now();
        let from = now.hex_of(piece);
        let balloon = now.arm(piece.unit()) == Some(Arm::Balloon);
        if balloon || side != US && from.is_some_and(|hex| holds(&now, hex)) {
            continue;
        }
        let maps = play.maps_for(piece);
        let Ok((mover, _)) = play.now().mover(piece, &maps) else { continue };
        let choices = play.choices(piece);
        let now = play.now();
        let hostile = |hex: &Hex| !now.enemies_in(side, *hex).is_empty();
        let open = choices.into_iter().filter(|(hex, path, _)| now.may_stay(&mover, *hex) && !path.iter().any(hostile));
        let best = open.min_by_key(|(hex, ..)| (far(&way, Some(*hex)), *hex));
        let Some((hex, path, _)) = best.filter(|(hex, ..)| far(&way, Some(*hex)) < far(&way, from)) else { continue };
        give(play, MoveOrder { unit: piece, path, to: None, balloon: None, open: None }, &[], orders);
        if side != US && way.get(&hex) == Some(&0) {
            way = field(&play.now(), &goals(&play.now(), side));
        }
    }
}

/// Whether a Spanish hex needs all who stand in it.
fn holds(now: &Position<'_>, hex: Hex) -> bool {
    let kept = now.data().city.contains(&hex) || now.data().fortresses.contains(&hex);
    kept && now.state.tokens_in(hex).count() <= GARRISON
}

/// Everybody who can attacks, hex by hex where the enemy is weakest, and calls it off where the odds are poor.
fn attacks(now: &Position<'_>, side: Side, orders: &mut TurnOrders) {
    let strength = |target: &Hex| match side == US {
        true => now.state.tokens_in(*target).count(),
        false => now.state.units_in(*target).map(|id| now.factor(id) as usize).sum(),
    };
    let mut targets: Vec<Hex> = now.targets(side).into_iter().collect();
    targets.sort_by_key(|target| (strength(target), *target));
    let late = now.state.turn >= LATE;
    let least = match side == US {
        true if late => FAIR,
        // §4.3: a siege in force at the end is lost, unless it has cost too much.
        false if late && now.besieged() => DESPERATE,
        _ => GOOD,
    };
    let mut pledged: BTreeSet<Piece> = BTreeSet::new();
    for target in targets {
        let Some(attack) = now.attacks_on(side, target, &pledged).into_iter().next() else { continue };
        pledged.extend(attack.attackers.iter().copied());
        orders.attacks.push(Concealed::Open(AttackOrder { min_odds: Some(least), go_on: true, ..attack }));
    }
}
