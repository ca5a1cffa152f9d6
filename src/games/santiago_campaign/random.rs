//! Legal orders by chance: chosen from the same lists that the check and the template use.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Grid, Hex};
use crate::engine::dice::Chance;
use crate::engine::{Concealed, Json, Seen, Side};

use super::data::Counter;
use super::orders::{
    After, AttackOrder, Balloon, Class, LandingOrder, Marines, MoveOrder, Orders, Share, SpanishSetup, TurnOrders,
    UsSetup,
};
use super::play::{Known, Play, Position, Trit, at_table, opponent};
use super::policy::{BalloonFire, When};
use super::setup::bars_set_up;
use super::stacking::Room;
use super::state::{Post, Stage, State};
use super::supply::Suppose;
use super::terms::{Arm, CombatResult, Group, HoldingBox, Nation, Odds, Piece, UnitId};
use super::{SantiagoCampaign, US};

/// How far from a place units are that can close in on it.
const MARCH: u32 = 4;

/// Legal orders for the packet due.
pub fn orders(game: &SantiagoCampaign, seen: &Seen<'_, State>, chance: &mut Chance) -> Orders {
    match seen.state.stage {
        Stage::SpanishSetup => Orders::SpanishSetup(spanish_setup(game, chance)),
        Stage::UsSetup => Orders::UsSetup(us_setup(game, seen.state, chance)),
        stage => {
            let side = stage.side().unwrap_or(US);
            Orders::Turn(at_table(game, seen, side, |play| turn(play, side, chance)))
        }
    }
}

fn spanish_setup(game: &SantiagoCampaign, chance: &mut Chance) -> SpanishSetup {
    let data = &game.data;
    let mut deploy: BTreeMap<Hex, Vec<UnitId>> = BTreeMap::new();
    let mut hexes: Vec<Hex> = data.grid().cells().filter(|hex| bars_set_up(data, *hex).is_none()).collect();
    // Near Santiago, where armies meet; round the beaches, as near as may be; or anywhere.
    let (close, least) = (9, data.tables.limits.set_up_distance);
    let distance = |hex: &Hex, from: &[Hex]| from.iter().map(|other| data.grid().distance(*hex, *other)).min();
    match chance.below(3) {
        0 => hexes.retain(|hex| distance(hex, &data.city).is_none_or(|far| far <= close)),
        1 => hexes.retain(|hex| distance(hex, &data.beaches).is_none_or(|far| far <= least + 1)),
        _ => {}
    }
    let mut units: Vec<&Counter> = data.counters.values().filter(|c| c.nation == Nation::Spanish).collect();
    chance.shuffle(&mut units);
    let mut boxes: BTreeMap<HoldingBox, Vec<UnitId>> = BTreeMap::new();
    for counter in units {
        match counter.group {
            Group::Manzanillo => boxes.entry(HoldingBox::Manzanillo).or_default().push(counter.id()),
            Group::Guantanamo => boxes.entry(HoldingBox::Guantanamo).or_default().push(counter.id()),
            Group::Fortress => {
                let Some(hex) = counter.default_hex else { continue };
                deploy.entry(hex).or_default().insert(0, counter.id());
            }
            _ => {
                for _ in 0..200 {
                    let Some(hex) = chance.pick(&hexes).copied() else { break };
                    let there = deploy.get(&hex).into_iter().flatten();
                    let mut arms: Vec<Arm> = there.filter_map(|id| data.arm(*id)).collect();
                    // A garrison still to come needs its place.
                    if data.is_fortress(hex) && !arms.contains(&Arm::Garrison) {
                        arms.push(Arm::Garrison);
                    }
                    arms.push(counter.kind);
                    if Room::of(data.land(hex)).holds(&arms) {
                        deploy.entry(hex).or_default().push(counter.id());
                        break;
                    }
                }
            }
        }
    }
    let open = |units: Vec<UnitId>| units.into_iter().map(Concealed::Open).collect::<Vec<_>>();
    let mut setup = SpanishSetup {
        deploy: deploy.into_iter().map(|(hex, units)| (hex, open(units))).collect(),
        manzanillo: open(boxes.remove(&HoldingBox::Manzanillo).unwrap_or_default()),
        guantanamo: open(boxes.remove(&HoldingBox::Guantanamo).unwrap_or_default()),
        face_up: HoldingBox::ALL.iter().copied().filter(|_| chance.one_in(4)).collect(),
    };
    setup.complete(data);
    setup
}

fn us_setup(game: &SantiagoCampaign, state: &State, chance: &mut Chance) -> UsSetup {
    let known = Known::default();
    let now = Position { game, state, known: &known };
    let mut place = BTreeMap::new();
    let mut taken: BTreeSet<Hex> = BTreeSet::new();
    let mut ids = game.data.group(Group::Zones).map(Counter::id);
    for (zone, count) in (1..).zip(state.cuban_zones.unwrap_or([0; 4])) {
        let hexes: Vec<Hex> = game
            .data
            .grid()
            .cells()
            .filter(|hex| now.zone(*hex) == zone && now.bars_cuban_set_up(*hex).is_none())
            .collect();
        for _ in 0..count {
            let free: Vec<Hex> = hexes.iter().copied().filter(|hex| !taken.contains(hex)).collect();
            let (Some(hex), Some(id)) = (chance.pick(&free).copied(), ids.next()) else { break };
            taken.insert(hex);
            place.insert(id, hex);
        }
    }
    let marines = if chance.one_in(2) { Marines::Guantanamo } else { Marines::Pool };
    UsSetup { place, marines: Some(marines) }
}

fn turn(play: &mut Play<'_, '_>, side: Side, chance: &mut Chance) -> TurnOrders {
    let mut orders = TurnOrders::default();
    let stage = play.state.stage;
    let apart = play.game.options.phases_apart;
    let mut surrounded = None;
    if !matches!(stage, Stage::UsCombat | Stage::SpanishCombat) {
        if side == US {
            landings(&play.now(), &mut orders, chance);
        } else {
            let held: Vec<_> = play.state.tokens_held(HoldingBox::Guantanamo).collect();
            if chance.one_in(2) && !held.is_empty() {
                let wished = held.into_iter().filter(|_| chance.one_in(3)).collect();
                orders.release = Some(Concealed::Open(wished));
            }
        }
        surrounded = moves(play, side, &mut orders, chance);
        if apart {
            return orders;
        }
    }
    attacks(&play.now(), side, surrounded, &mut orders, chance);
    orders.capitulate = chance.one_in(4000);
    orders
}

fn landings(now: &Position<'_>, orders: &mut TurnOrders, chance: &mut Chance) {
    let (sites, due) = (now.sites(), now.landings_due());
    if now.state.turn > 1 && due > 0 && sites.len() > 1 && chance.one_in(2) {
        let mut order = sites.clone();
        chance.shuffle(&mut order);
        let mut left = due;
        for (count, site) in order.iter().enumerate() {
            let last = count + 1 == order.len();
            let units = if last { left } else { u32::try_from(chance.below(left as usize + 1)).unwrap_or(0) };
            left -= units;
            orders.split.push(Share { site: *site, units });
        }
    }
    if due == 0 || chance.one_in(2) {
        return;
    }
    let pool = now.pool();
    let beaches: BTreeSet<Hex> = now.possible_sites().into_iter().collect();
    for site in beaches {
        let near: Vec<Hex> = super::play::within(now.data(), site, 4).filter(|hex| now.data().is_open(*hex)).collect();
        let list = (0..chance.below(6)).filter_map(|_| landing(now, site, &near, &pool, chance)).collect();
        orders.landings.insert(site, list);
    }
}

/// One instruction for drawn units: for one of them, for a class or for all, to a hex or along a path.
fn landing(now: &Position<'_>, site: Hex, near: &[Hex], pool: &[UnitId], chance: &mut Chance) -> Option<LandingOrder> {
    let to = chance.pick(near).copied()?;
    let mut order = LandingOrder { unit: None, class: None, to: Some(to), path: Vec::new() };
    match chance.below(4) {
        0 => order.unit = chance.pick(pool).copied(),
        1 | 2 => order.class = chance.pick(Class::ALL).copied(),
        _ => {}
    }
    if !pool.iter().any(|id| now.is_for(&order, *id)) {
        order.class = None;
    }
    if let Some(id) = pool.first().filter(|_| chance.one_in(3)) {
        let maps = now.supply_maps(Suppose::default());
        let path = now.reach(&now.lander(*id), site, &maps, &now.lay(Nation::Us)).path(to);
        if let Some(path) = path.filter(|path| path.len() > 1) {
            order.to = None;
            order.path = path.into_iter().skip(1).collect();
        }
    }
    Some(order)
}

/// Moves of most units; says which Spanish stack they surround.
fn moves(play: &mut Play<'_, '_>, side: Side, orders: &mut TurnOrders, chance: &mut Chance) -> Option<Hex> {
    let mut pieces = play.now().pieces_of(side);
    chance.shuffle(&mut pieces);
    let goals = goals(&play.now(), side);
    // Every other turn a side closes in on one place, so that somebody gets surrounded.
    let focus = if chance.one_in(2) { focus(&play.now(), side, chance) } else { None };
    let released = !play.state.marines_sent || play.state.guantanamo_rolled;
    let mut done: BTreeSet<Piece> = BTreeSet::new();
    let (mut focus, mut surrounded) = (focus, None);
    if let Some(target) = focus.filter(|_| side == US) {
        let (complete, posted) = surround(play, target, &pieces, orders, chance);
        done.extend(posted);
        // The others keep away, or their zones of control would close the way out as well.
        if complete {
            (focus, surrounded) = (None, Some(target));
        }
    }
    for piece in pieces.iter().copied() {
        if !done.insert(piece) || chance.one_in(3) {
            continue;
        }
        if side == US
            && chance.one_in(6)
            && let Some(moves) = relief(play, piece, &done, chance)
        {
            let to_come = moves.clone().map(|(unit, _)| unit);
            for (unit, path) in moves {
                done.insert(unit);
                march(play, unit, path, &to_come, orders);
            }
            continue;
        }
        // Which Guantanamo units come is not known before the roll of this very phase; some are ordered all the same.
        let boxed = piece.token().and_then(|token| play.state.counters.get(&token)).map(|counter| counter.at);
        if boxed == Some(Post::In(HoldingBox::Guantanamo)) && !released && !chance.one_in(3) {
            continue;
        }
        let balloon = play.now().arm(piece.unit()) == Some(Arm::Balloon);
        let plain = MoveOrder { unit: piece, path: Vec::new(), to: None, balloon: None, open: None };
        let mut mode = None;
        if balloon && !play.state.unit(piece.unit()).fever {
            let up = play.state.balloon_up;
            mode = chance.one_in(2).then_some(if up { Balloon::Down } else { Balloon::Up });
            if up && mode.is_none() {
                continue;
            }
            // One that comes down may move on in the same phase.
            if mode == Some(Balloon::Up) || (mode.is_some() && chance.one_in(2)) {
                give(play, MoveOrder { balloon: mode, ..plain }, &[], orders);
                continue;
            }
        }
        let maps = play.maps_for(piece);
        let Ok((mover, from)) = play.now().mover(piece, &maps) else { continue };
        // A balloon that comes down first guides nobody any more.
        let up = play.state.balloon_up;
        play.state.balloon_up &= mode.is_none();
        let mut choices = play.choices(piece);
        play.state.balloon_up = up;
        // Nobody tries to overrun what is surrounded.
        choices.retain(|(hex, path, _)| {
            play.now().may_stay(&mover, *hex) && surrounded.is_none_or(|target| !path.contains(&target))
        });
        // Mostly towards the enemy, so that something happens.
        let goal = focus.filter(|_| !chance.one_in(4)).or_else(|| chance.pick(&goals).copied());
        if let Some(goal) = goal.filter(|_| !chance.one_in(3)) {
            let grid = play.game.data.grid();
            choices.sort_by_key(|(hex, _, _)| (grid.distance(*hex, goal), *hex));
            choices.truncate(4);
        }
        let Some((_, path, _)) = chance.pick(&choices).cloned() else {
            if mode.is_some() {
                give(play, MoveOrder { balloon: mode, ..plain }, &[], orders);
            }
            continue;
        };
        let open = beach_on(&play.now(), piece, &path).then(|| chance.one_in(2));
        let order = MoveOrder { path, balloon: mode, open, ..plain };
        // A beach that stays shut gives no supply on the way; one that is to be opened is where an unsupplied unit goes.
        let told = play.now().told(mover, &order);
        if from.is_some_and(|from| open.is_some() && play.now().passes(&told, from, &order.path).is_err()) {
            continue;
        }
        give(play, order, &[], orders);
    }
    surrounded
}

/// Adds a move to the list and makes it on the table. `to_come` move after it.
pub(super) fn give(play: &mut Play<'_, '_>, order: MoveOrder, to_come: &[Piece], orders: &mut TurnOrders) {
    let mut made = order.clone();
    let mut fire = Some(BalloonFire { when: When::Never, from: Vec::new() });
    // Whatever ends the game or the move early, the order stands.
    let _ = match made.unit.token() {
        Some(_) => play.spanish_move(&mut made),
        None => play.move_us(&mut made, &mut Vec::new(), to_come, &mut fire),
    };
    orders.moves.push(Concealed::Open(order));
}

/// Does a march come to a beach that it could open? Its order says so or not: what it leaves unsaid a policy decides, and
/// that may shut a beach on which this order or a later one counts.
fn beach_on(now: &Position<'_>, piece: Piece, path: &[Hex]) -> bool {
    let american = now.nation(piece.unit()) == Some(Nation::Us);
    american && path.iter().any(|hex| now.may_open(*hex))
}

/// A plain move along a path.
pub(super) fn march(play: &mut Play<'_, '_>, unit: Piece, path: Vec<Hex>, to_come: &[Piece], orders: &mut TurnOrders) {
    let open = beach_on(&play.now(), unit, &path).then_some(true);
    give(play, MoveOrder { unit, path, to: None, balloon: None, open }, to_come, orders);
}

/// Two Americans and a Cuban unit round a Spanish stack, every other hex theirs as far as they get there: the zones of
/// control of the Americans leave no way out but over the Cubans (§14.4a).
fn surround(
    play: &mut Play<'_, '_>,
    target: Hex,
    pieces: &[Piece],
    orders: &mut TurnOrders,
    chance: &mut Chance,
) -> (bool, Vec<Piece>) {
    let ring: Vec<Hex> = play.game.data.grid().neighbours(target).map(|(_, hex)| hex).collect();
    let first = chance.below(6);
    let places =
        [(Nation::Cuban, 0), (Nation::Us, 2), (Nation::Us, 4), (Nation::Us, 3), (Nation::Us, 2), (Nation::Us, 4)];
    let mut posted: Vec<Piece> = Vec::new();
    let mut complete = true;
    for (count, (nation, beyond)) in places.into_iter().enumerate() {
        let Some(hex) = ring.get((first + beyond) % 6).copied() else { return (false, posted) };
        let now = play.now();
        let suits = |piece: &Piece| {
            let unit = piece.unit();
            now.nation(unit) == Some(nation)
                && (nation == Nation::Cuban || now.arm(unit).is_some_and(Arm::exerts_zone))
                && !posted.contains(piece)
        };
        // Whoever stands there already stays.
        if let Some(piece) = now.state.units_in(hex).map(Piece::from).find(suits) {
            posted.push(piece);
            continue;
        }
        let able: Vec<Piece> = pieces.iter().copied().filter(suits).collect();
        let way = able.into_iter().find_map(|piece| {
            let maps = play.maps_for(piece);
            let (mover, _) = play.now().mover(piece, &maps).ok()?;
            let choices = if play.now().may_stay(&mover, hex) { play.choices(piece) } else { Vec::new() };
            let ways = choices.into_iter().filter(|(to, path, _)| *to == hex && !path.contains(&target));
            ways.map(|(_, path, _)| (piece, path)).next()
        });
        match way {
            Some((piece, path)) => {
                posted.push(piece);
                march(play, piece, path, &[], orders);
            }
            // The first three are needed; the others make the attack stronger.
            None if count < 3 => complete = false,
            None => {}
        }
    }
    (complete, posted)
}

/// A Cuban unit takes the place of an American one that is ordered on. Where a face-down counter keeps it from going,
/// the two stand in one hex, and the Spanish player has a word in it (§9.1c, §9.4c).
fn relief(
    play: &mut Play<'_, '_>,
    cuban: Piece,
    done: &BTreeSet<Piece>,
    chance: &mut Chance,
) -> Option<[(Piece, Vec<Hex>); 2]> {
    if play.now().nation(cuban.unit()) != Some(Nation::Cuban) {
        return None;
    }
    let due = |now: &Position<'_>, hex: Hex| match now.americans_in(hex)[..] {
        [one] if now.arm(one) != Some(Arm::Balloon) => Some(Piece::from(one)).filter(|piece| !done.contains(piece)),
        _ => None,
    };
    let mut pairs = Vec::new();
    for (hex, path, _) in play.choices(cuban) {
        let doubtful = play.now().spanish_zone(hex) == Trit::Maybe;
        let Some(american) = due(&play.now(), hex).filter(|_| doubtful) else { continue };
        let (maps, choices) = (play.maps_for(american), play.choices(american));
        let now = play.now();
        let Ok((mover, _)) = now.mover(american, &maps) else { continue };
        for (to, way, _) in choices {
            let doubtful = way.first().is_some_and(|first| now.spanish_zone(*first) != Trit::No);
            if doubtful && now.may_stay(&mover, to) && path.iter().all(|hex| now.state.tokens_in(*hex).next().is_none())
            {
                pairs.push([(cuban, path.clone()), (american, way)]);
            }
        }
    }
    chance.pick(&pairs).cloned()
}

/// Places worth marching to.
fn goals(now: &Position<'_>, side: Side) -> Vec<Hex> {
    let data = now.data();
    let mut goals: Vec<Hex> = data.city.iter().chain(&data.fortresses).copied().collect();
    if side == US {
        goals.extend(now.stacks().into_keys());
    } else {
        goals.extend(now.state.sources.keys());
        goals.extend(now.state.units.values().filter_map(|unit| unit.at.hex()));
    }
    goals
}

/// An enemy stack with several of one's own within a march of it, Cubans among the Americans.
fn focus(now: &Position<'_>, side: Side, chance: &mut Chance) -> Option<Hex> {
    let grid = now.data().grid();
    let units = |nation: Nation| {
        let own = now.state.units.iter().filter(move |(id, _)| now.nation(**id) == Some(nation));
        own.filter_map(|(_, unit)| unit.at.hex()).collect::<Vec<Hex>>()
    };
    let (americans, cubans) = (units(Nation::Us), units(Nation::Cuban));
    let spaniards: Vec<Hex> = now.state.counters.values().filter_map(|counter| counter.at.hex()).collect();
    let near = |hex: Hex, own: &[Hex]| own.iter().filter(|other| grid.distance(hex, **other) <= MARCH).count();
    let places: BTreeSet<Hex> = if side == US {
        let surrounded = |hex: &&Hex| near(**hex, &americans) > 1 && near(**hex, &cubans) > 0;
        spaniards.iter().filter(surrounded).copied().collect()
    } else {
        americans.iter().chain(&cubans).filter(|hex| near(**hex, &spaniards) > 2).copied().collect()
    };
    chance.pick(&places.into_iter().collect::<Vec<_>>()).copied()
}

fn attacks(now: &Position<'_>, side: Side, surrounded: Option<Hex>, orders: &mut TurnOrders, chance: &mut Chance) {
    let mut targets: Vec<Hex> = now.targets(side).into_iter().collect();
    chance.shuffle(&mut targets);
    targets.sort_by_key(|target| Some(*target) != surrounded);
    let (mut used, mut pledged): (BTreeSet<Piece>, BTreeSet<Piece>) = Default::default();
    for target in targets {
        // Who may have to attack before can be ordered again if both hang on how other attacks came out.
        let again = !orders.attacks.is_empty() && chance.one_in(6);
        let mut attackers = now.able_against(side, target, &BTreeSet::new());
        attackers.retain(|piece| (again || !used.contains(piece)) && !pledged.contains(piece));
        let cuban = |piece: &Piece| now.nation(piece.unit()) == Some(Nation::Cuban);
        let only_cubans = chance.one_in(2) && Some(target) != surrounded;
        if attackers.iter().any(cuban) && attackers.iter().any(|piece| !cuban(piece)) {
            attackers.retain(|piece| cuban(piece) == only_cubans);
        }
        if attackers.is_empty() || (Some(target) != surrounded && chance.one_in(3)) {
            continue;
        }
        if chance.one_in(3) && attackers.len() > 1 {
            attackers.remove(chance.below(attackers.len()));
        }
        let wish = |chance: &mut Chance| {
            let mut wish = if chance.one_in(2) { attackers.clone() } else { Vec::new() };
            chance.shuffle(&mut wish);
            wish.truncate(3);
            wish
        };
        let odds = [Odds(-1), Odds(0), Odds(1), Odds(2)];
        let mut order = AttackOrder {
            target,
            losses: wish(chance),
            advance: wish(chance),
            attackers,
            after: None,
            if_vacant: None,
            min_odds: chance.pick(&odds).copied().filter(|_| chance.one_in(5)),
            go_on: chance.one_in(2),
            open: if chance.one_in(4) { Some(chance.one_in(2)) } else { None },
        };
        if !now.attack_bars(side, &order, &BTreeSet::new()).is_empty() {
            continue;
        }
        // Nobody waits for an attack in which he has fought himself (§11.2a).
        let apart = |attack: &AttackOrder| !attack.attackers.iter().any(|piece| order.attackers.contains(piece));
        let before = orders.attacks.iter().filter_map(Concealed::as_open).filter(|attack| apart(attack));
        let before: Vec<Hex> = before.map(|attack| attack.target).collect();
        let earlier = chance.pick(&before).copied();
        if earlier.is_none() && order.attackers.iter().any(|piece| used.contains(piece)) {
            continue;
        }
        if let Some(earlier) = earlier.filter(|_| again || chance.one_in(4)) {
            if chance.one_in(2) {
                order.if_vacant = Some(earlier);
            } else {
                let all =
                    [CombatResult::Stalled, CombatResult::Eliminated, CombatResult::Bloodbath, CombatResult::Retreat];
                let gave = all.into_iter().filter(|_| chance.one_in(2)).collect();
                order.after = Some(After { attack: earlier, gave });
            }
        }
        let waits = order.after.is_some() || order.if_vacant.is_some();
        if waits { &mut used } else { &mut pledged }.extend(order.attackers.iter().copied());
        orders.attacks.push(Concealed::Open(order));
    }
}

/// A policy for one kind of question, as a player could type it.
pub fn policy(game: &SantiagoCampaign, state: &State, side: Side, kind: &str, chance: &mut Chance) -> Json {
    let text = |word: &str| Json::Str(word.to_owned());
    let known = Known::default();
    let now = Position { game, state, known: &known };
    let mut hexes = || {
        let cells: Vec<Hex> = game.data.grid().cells().filter(|hex| game.data.is_open(*hex)).collect();
        Json::List((0..8).filter_map(|_| chance.pick(&cells).map(|hex| Json::Str(hex.to_string()))).collect())
    };
    match kind {
        "landing" | "retreat" | "cuban-displaced" => hexes(),
        "open-beach" if chance.one_in(3) => {
            let some = game.data.beaches.iter().filter(|_| chance.one_in(2)).map(|hex| Json::Str(hex.to_string()));
            Json::List(some.collect())
        }
        "open-beach" => text(if chance.one_in(3) { "never" } else { "always" }),
        "balloon-fire" => {
            let when = text(["early", "late", "never"][chance.below(3)]);
            let hexes: Vec<Hex> = now.stacks().into_keys().filter(|_| chance.one_in(2)).collect();
            let from = Json::List(hexes.into_iter().map(|hex| Json::Str(hex.to_string())).collect());
            match chance.below(3) {
                0 => Json::Map([("when".to_owned(), when), ("from".to_owned(), from)].into()),
                _ => when,
            }
        }
        "displace" => text(if chance.one_in(3) { "never" } else { "always" }),
        "balloon-loss" | "bloodbath" | "advance" | "overstack" => {
            // Who is crowded out is the enemy's to name; otherwise a player speaks for his own.
            let mut pieces = now.pieces_of(if kind == "overstack" { opponent(side) } else { side });
            chance.shuffle(&mut pieces);
            pieces.truncate(6);
            Json::List(pieces.into_iter().map(|piece| Json::Str(piece.to_string())).collect())
        }
        _ => text("default"),
    }
}
