//! A plain sensible player without chance: the Americans land where the way is shortest, march on the city together, by
//! road where there is one, and attack whatever bars the way; the Cubans go before them and make room when they come. Spain
//! keeps to the city and the forts, fetches her other columns there, and strikes where little can go wrong. Whoever can
//! be spared goes out against besiegers, and in the last days greater risks are taken.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Grid, Hex};
use crate::engine::{Concealed, Seen, Side};

use super::data::Mp;
use super::orders::{AttackOrder, Marines, Orders, Share, SpanishSetup, TurnOrders, UsSetup};
use super::play::{Known, Play, Position, Trit, at_table, opponent, within};
use super::random::march;
use super::state::{Stage, State};
use super::terms::{Arm, Nation, Odds, Piece, UnitId};
use super::{SantiagoCampaign, US};

/// Spanish attacks are called off below these odds: 3:1.
const GOOD: Odds = Odds(2);
/// The same where all is lost otherwise: 1:1.
const DESPERATE: Odds = Odds(0);
/// American attacks are called off below these odds: 1:2. One that stalls costs nothing (§11.14a), and what is sure
/// beforehand is the worst of what may be hidden there.
const BOLD: Odds = Odds(-1);
/// The turn from which on there is little time left.
const LATE: u32 = 8;
/// How near to the city besiegers are sought out.
const NEAR: u32 = 4;
/// How far from the city the Cubans stand once the Americans are there: they may not enter it (§14.3a), and no American
/// may join them in a hex (§9.4a).
const ASIDE: u32 = 3;
/// How near the Americans are then.
const COMING: u32 = 5;
/// How far from the city they leave the roads to them.
const ROADS: u32 = 8;
/// Into how many parts a factor is divided where forces are compared.
const SHARES: usize = 12;
/// How many counters hold a hex of the city or a fort.
const GARRISON: usize = 2;

/// What the march to the nearest of some hexes costs.
type Field = BTreeMap<Hex, Mp>;

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
        land(&play.now(), side, &mut orders);
        moves(play, side, &mut orders);
    }
    if combat_only || !play.game.options.phases_apart {
        attacks(&play.now(), side, &mut orders);
    }
    orders
}

/// From the second turn on everybody lands where the march on the city is shortest (§6.5a).
fn land(now: &Position<'_>, side: Side, orders: &mut TurnOrders) {
    let due = now.landings_due();
    if side != US || now.state.turn == 1 || due == 0 {
        return;
    }
    let way = field(now, &goals(now, side));
    let best = now.sites().into_iter().min_by_key(|site| way.get(site).copied().unwrap_or(Mp::MAX));
    orders.split.extend(best.map(|site| Share { site, units: due }));
}

/// What the march from everywhere to the nearest goal costs, rivers and slopes left out.
fn field(now: &Position<'_>, goals: &BTreeSet<Hex>) -> Field {
    let data = now.data();
    let mut field = Field::new();
    let mut open: BTreeSet<(Mp, Hex)> = goals.iter().map(|hex| (Mp::ZERO, *hex)).collect();
    while let Some((cost, hex)) = open.pop_first() {
        if field.contains_key(&hex) {
            continue;
        }
        field.insert(hex, cost);
        for next in data.around(hex).filter(|next| data.is_open(*next)) {
            open.insert((cost + now.rate(data.between(next, hex), hex, false), next));
        }
    }
    field
}

/// What a side marches on.
fn goals(now: &Position<'_>, side: Side) -> BTreeSet<Hex> {
    let data = now.data();
    let held = |hex: &Hex| now.state.tokens_in(*hex).count() >= GARRISON;
    match side == US {
        true => {
            let thin = |hex: &Hex| now.americans_in(*hex).len() < GARRISON;
            let open: BTreeSet<Hex> =
                data.city.iter().copied().filter(|hex| now.us_control(*hex) != Trit::Yes).collect();
            if open.is_empty() { data.city.iter().copied().filter(thin).collect() } else { open }
        }
        false => {
            let posts: BTreeSet<Hex> =
                data.city.iter().chain(&data.fortresses).copied().filter(|hex| !held(hex)).collect();
            if posts.is_empty() && now.besieged() { before_besiegers(now) } else { posts }
        }
    }
}

/// Is a hex so near to the city?
fn is_near(now: &Position<'_>, hex: Hex, range: u32) -> bool {
    now.data().city.iter().any(|city| now.data().grid().distance(*city, hex) <= range)
}

/// Are Americans near the city?
fn americans_coming(now: &Position<'_>) -> bool {
    let us = |id: &UnitId| now.nation(*id) == Some(Nation::Us);
    let units = now.state.units.iter().filter(|(id, _)| us(id));
    units.filter_map(|(_, unit)| unit.at.hex()).any(|hex| is_near(now, hex, COMING))
}

/// Is a Cuban here in the way of those who attack the city?
fn in_the_way(now: &Position<'_>, hex: Hex) -> bool {
    is_near(now, hex, ASIDE) || now.data().has_road(hex) && is_near(now, hex, ROADS)
}

/// The hexes from which a side can attack these.
fn before(now: &Position<'_>, side: Side, enemies: impl Iterator<Item = Hex>) -> BTreeSet<Hex> {
    let free = |hex: &Hex| now.data().is_open(*hex) && now.enemies_in(side, *hex).is_empty();
    enemies.flat_map(|hex| now.data().around(hex)).filter(free).collect()
}

/// The hexes from which Americans and Cubans near the city can be attacked.
fn before_besiegers(now: &Position<'_>) -> BTreeSet<Hex> {
    let units = now.state.units.values().filter_map(|unit| unit.at.hex());
    before(now, opponent(US), units.filter(|hex| is_near(now, *hex, NEAR)))
}

fn moves(play: &mut Play<'_, '_>, side: Side, orders: &mut TurnOrders) {
    let stayed = advance(play, side, &goals(&play.now(), side), play.now().pieces_of(side), orders);
    if side == US {
        let american = |piece: &Piece| play.now().nation(piece.unit()) == Some(Nation::Us);
        let stayed: Vec<Piece> = stayed.into_iter().filter(american).collect();
        let before = before_blockers(&play.now());
        advance(play, side, &before, stayed, orders);
    }
}

/// Everybody goes as near to the goals as he can, whoever is in front first, so that he makes room. Says who stayed.
fn advance(
    play: &mut Play<'_, '_>,
    side: Side,
    to: &BTreeSet<Hex>,
    pieces: Vec<Piece>,
    orders: &mut TurnOrders,
) -> Vec<Piece> {
    let mut way = field(&play.now(), to);
    let far = |field: &Field, hex: Option<Hex>| hex.and_then(|hex| field.get(&hex)).copied().unwrap_or(Mp::MAX);
    let to_city = *to == goals(&play.now(), side);
    let coming = americans_coming(&play.now());
    let mut pieces: Vec<(Mp, Piece)> =
        pieces.into_iter().map(|piece| (far(&way, play.now().hex_of(piece)), piece)).collect();
    pieces.sort();
    let mut stayed = Vec::new();
    for (_, piece) in pieces {
        let now = play.now();
        let from = now.hex_of(piece);
        let balloon = now.arm(piece.unit()) == Some(Arm::Balloon);
        if balloon || from.is_some_and(|hex| if side == US { guards(&now, piece, hex) } else { holds(&now, hex) }) {
            continue;
        }
        let maps = play.maps_for(piece);
        let Ok((mover, _)) = play.now().mover(piece, &maps) else { continue };
        let choices = play.choices(piece);
        let now = play.now();
        let hostile = |hex: &Hex| !now.enemies_in(side, *hex).is_empty();
        let aside = mover.nation == Nation::Cuban && coming;
        let yields = aside && from.is_some_and(|hex| in_the_way(&now, hex));
        let open = choices
            .into_iter()
            .filter(|(hex, path, _)| now.may_stay(&mover, *hex) && !path.iter().any(hostile))
            .filter(|(hex, ..)| !(aside && in_the_way(&now, *hex)));
        let best = open.min_by_key(|(hex, ..)| (far(&way, Some(*hex)), *hex));
        let better = |hex: Hex| yields || far(&way, Some(hex)) < far(&way, from);
        let Some((hex, path, _)) = best.filter(|(hex, ..)| better(*hex)) else {
            stayed.push(piece);
            continue;
        };
        march(play, piece, path, &[], orders);
        if to_city && way.get(&hex) == Some(&Mp::ZERO) {
            way = field(&play.now(), &goals(&play.now(), side));
        }
    }
    stayed
}

/// The hexes from which Spaniards near Americans or Cubans can be attacked: they bar the road and the supply.
fn before_blockers(now: &Position<'_>) -> BTreeSet<Hex> {
    let data = now.data();
    let us: BTreeSet<Hex> = now.state.units.values().filter_map(|unit| unit.at.hex()).collect();
    let near = |hex: &Hex| us.iter().any(|at| data.grid().distance(*at, *hex) <= NEAR);
    before(now, US, now.stacks().into_keys().filter(|hex| !data.is_fortress(*hex)).filter(near))
}

/// Is this the last who holds a hex of the city (§4.5), or who keeps the Spaniards from a Supply Source marker (§4.7)?
/// The beach itself is left free as long as others have to land there.
fn guards(now: &Position<'_>, piece: Piece, hex: Hex) -> bool {
    let data = now.data();
    let able = |id: &UnitId| !matches!(now.arm(*id), Some(Arm::Artillery | Arm::Balloon));
    let last_in = |hexes: Vec<Hex>| {
        let others = hexes.into_iter().flat_map(|hex| now.americans_in(hex)).filter(able);
        others.filter(|id| *id != piece.unit()).count() == 0
    };
    let beach = |source: &Hex| {
        let landing = *source == hex && now.landings_due() > 0;
        !landing && data.grid().distance(*source, hex) <= 1 && last_in(within(data, *source, 1).collect())
    };
    able(&piece.unit()) && (data.is_city(hex) && last_in(vec![hex]) || now.state.sources.keys().any(beach))
}

/// Whether a Spanish hex needs all who stand in it.
fn holds(now: &Position<'_>, hex: Hex) -> bool {
    let kept = now.data().city.contains(&hex) || now.data().fortresses.contains(&hex);
    kept && now.state.tokens_in(hex).count() <= GARRISON
}

/// Everybody who can attacks, first where most factors stand against each enemy, and calls it off where the odds are poor.
fn attacks(now: &Position<'_>, side: Side, orders: &mut TurnOrders) {
    let strength = |target: &Hex| match side == US {
        true => now.state.tokens_in(*target).count(),
        false => now.state.units_in(*target).map(|id| now.factor(id) as usize).sum(),
    };
    let force = |target: &Hex| -> usize {
        let first = now.attacks_on(side, *target, &BTreeSet::new()).into_iter().next();
        first.map_or(0, |attack| attack.attackers.iter().map(|piece| now.factor(piece.unit()) as usize).sum())
    };
    let mut targets: Vec<Hex> = now.targets(side).into_iter().collect();
    targets.sort_by_cached_key(|target| (Reverse(force(target) * SHARES / strength(target).max(1)), *target));
    let late = now.state.turn >= LATE;
    let least = match side == US {
        true => BOLD,
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
