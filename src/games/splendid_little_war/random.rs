//! Players without a head: orders and policies drawn from what is legal, so that soaks reach the rare rules.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::dice::Chance;
use crate::engine::{Deed, Json, Ruling, Seen, Side, hoping, to_json};

use super::events::FireKind;
use super::gunnery::{Gunnery, Volley};
use super::orders::{
    Advance, AssaultOrder, Balloon, CombatOrders, DefenceOrders, EnterOrder, FireOrder, MoveOrder, Orders, SetupOrders,
    TurnOrders,
};
use super::play::Play;
use super::policy::{DefencePolicy, RetirePolicy, VariableFire};
use super::position::{Position, enemy};
use super::state::{Place, Stage, State};
use super::terms::{Arm, Chief, Crossing, Force, Odds, Piece};
use super::{SPAIN, SplendidLittleWar, US};

/// How a player without a head plays.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Head {
    /// Anything legal.
    None,
    /// Plainly well.
    Sensible,
}

/// Random legal orders.
pub fn orders(game: &SplendidLittleWar, seen: &Seen<'_, State>, chance: &mut Chance) -> Orders {
    play(game, seen, chance, Head::None)
}

/// Plainly good orders.
pub fn sensible(game: &SplendidLittleWar, seen: &Seen<'_, State>, chance: &mut Chance) -> Orders {
    play(game, seen, chance, Head::Sensible)
}

fn play(game: &SplendidLittleWar, seen: &Seen<'_, State>, chance: &mut Chance, head: Head) -> Orders {
    let now = Position { game, state: seen.state };
    match seen.state.stage {
        Stage::SpanishSetup => Orders::Setup(setup(&now, SPAIN, chance, head)),
        Stage::UsSetup => Orders::Setup(setup(&now, US, chance, head)),
        Stage::UsTurn => Orders::Turn(turn(game, seen, US, chance, head)),
        Stage::SpanishTurn => Orders::Turn(turn(game, seen, SPAIN, chance, head)),
        Stage::SpanishDefensiveFire => Orders::Defence(defence(&now, SPAIN, chance, head)),
        Stage::UsDefensiveFire => Orders::Defence(defence(&now, US, chance, head)),
        Stage::UsCombat => Orders::Combat(combat(&now, US, chance, head)),
        Stage::SpanishCombat => Orders::Combat(combat(&now, SPAIN, chance, head)),
        Stage::Over => Orders::Turn(TurnOrders::default()),
    }
}

fn setup(now: &Position<'_>, side: Side, chance: &mut Chance, head: Head) -> SetupOrders {
    let mut orders = SetupOrders::default();
    if head == Head::Sensible {
        return orders;
    }
    let mut state = now.state.clone();
    for unit in now.to_place(side) {
        let there = Position { game: now.game, state: &state };
        let mut hex = None;
        if chance.one_in(3) {
            let areas = now.game.areas(side).iter().filter(|area| area.units.contains(&unit));
            let bivouacs = |area: &super::scenarios::Area| -> Vec<Hex> {
                area.one_each.iter().flat_map(|(_, hexes)| hexes.iter().copied()).collect()
            };
            let mut hexes: Vec<Hex> = areas.flat_map(|area| area.hexes.iter().copied().chain(bivouacs(area))).collect();
            hexes.retain(|hex| there.bars_placing(unit, *hex).is_empty());
            hex = chance.pick(&hexes).copied();
        }
        let named = hex;
        if let Some(hex) = hex.or_else(|| there.default_place(unit)) {
            if named.is_some() {
                orders.place.insert(unit, hex);
            }
            if let Some(unit) = state.units.get_mut(&unit) {
                unit.at = Place::At(hex);
            }
        }
    }
    if side == SPAIN && now.game.scenario_entry().entrenched && chance.one_in(3) {
        let there = Position { game: now.game, state: &state };
        let hexes = there.default_entrenchments();
        orders.entrench = Some(hexes.into_iter().filter(|_| !chance.one_in(3)).collect());
    }
    orders
}

/// A player turn, carried out deed by deed before an umpire who hopes.
fn turn(game: &SplendidLittleWar, seen: &Seen<'_, State>, side: Side, chance: &mut Chance, head: Head) -> TurnOrders {
    let mut orders = TurnOrders::default();
    hoping(game, seen, side, |state, umpire| {
        let mut play = Play::new(game, state, umpire);
        // A check that ends early leaves the orders found so far, which are legal.
        let _: Ruling<()> = play.draw_turn(side, &mut orders, chance, head);
    });
    orders
}

impl Position<'_> {
    /// What the US has still to take: the prizes of a scenario, in the campaign forts and blockhouses.
    fn us_goals(&self) -> Vec<Hex> {
        let entry = self.game.scenario_entry();
        let prizes = entry.all.iter().chain(&entry.heights).copied();
        let works = self.data().forts.iter().chain(&self.data().blockhouses).copied();
        let campaign = self.game.is_campaign();
        let all: Vec<Hex> = if campaign { works.collect() } else { prizes.collect() };
        all.into_iter().filter(|hex| !self.state.us_held.contains(hex)).collect()
    }
}

impl Play<'_, '_> {
    fn draw_turn(&mut self, side: Side, orders: &mut TurnOrders, chance: &mut Chance, head: Head) -> Ruling<()> {
        if side == US {
            if chance.one_in(2) {
                orders.roosevelt = self.draw_roosevelt(chance);
            }
            self.command_phase(US, Some(orders))?;
        }
        self.draw_entry(side, orders, chance, head);
        let mut copy = orders.clone();
        self.reinforcement_phase(side, &mut copy)?;
        self.draw_special(side, orders, chance, head);
        let copy = orders.clone();
        let begun = self.begin_movement(side, &copy)?;
        let mut stacks: Vec<Hex> = self.now().hexes_of(side).into_iter().collect();
        chance.shuffle(&mut stacks);
        if head == Head::Sensible {
            // Whoever is in front goes first and makes room.
            let (now, goals) = (self.now(), self.now().us_goals());
            stacks.sort_by_key(|hex| goals.iter().map(|goal| now.data().distance(*goal, *hex)).min());
        }
        let most = if head == Head::Sensible { stacks.len() } else { 6 + chance.below(14) };
        for hex in stacks.into_iter().take(most) {
            self.draw_move(side, hex, orders, chance, head)?;
        }
        self.finish_movement(side, begun)?;
        self.draw_assaults(side, orders, chance, head);
        if !self.game.options.steps {
            let marked: BTreeSet<Piece> =
                orders.assaults.iter().flat_map(|order| order.units.iter().copied()).collect();
            let none = BTreeMap::new();
            let gunnery = Gunnery::new(self.now(), side, FireKind::Offensive, &none);
            orders.fire = draw_fire(&gunnery, &marked, chance, head);
        }
        Ok(())
    }

    fn draw_roosevelt(&self, chance: &mut Chance) -> Option<Piece> {
        let there = self.data().chief(Chief::Roosevelt).and_then(|id| self.state.hex_of(id));
        there.and_then(|_| chance.pick(&self.now().rough_riders()).copied())
    }

    fn draw_entry(&mut self, side: Side, orders: &mut TurnOrders, chance: &mut Chance, head: Head) {
        let now = self.now();
        if side == SPAIN && now.game.options.garrison && chance.one_in(if head == Head::None { 3 } else { 8 }) {
            let held: Vec<Piece> = now.on_map(SPAIN).map(|(id, _)| id).filter(|id| now.now(*id).garrison).collect();
            orders.release.extend(chance.pick(&held));
        }
        if head == Head::None && chance.one_in(4) {
            // Somebody waits.
            let waiting = now.waiting(side);
            let waiting: Vec<Piece> = waiting.into_iter().filter(|id| !now.state.queue.contains(id)).collect();
            if let Some(unit) = chance.pick(&waiting) {
                orders.enter.push(EnterOrder::wait(vec![*unit]));
            }
        }
    }

    fn draw_special(&mut self, side: Side, orders: &mut TurnOrders, chance: &mut Chance, head: Head) {
        let now = self.now();
        if side == US && now.balloon().is_some() {
            let up = now.state.balloon_up;
            let poor = now.state.weather.is_poor();
            if !poor && !up && chance.one_in(2) {
                orders.balloon = Some(Balloon::Up);
            } else if up && !poor && chance.one_in(4) {
                orders.balloon = Some(Balloon::Down);
            }
        }
        if side == US {
            let engineers: Vec<(Piece, Hex)> =
                now.on_map(US).filter(|(id, _)| now.arm(*id) == Some(Arm::Engineer)).collect();
            // Two of them never build one bridge: what the first begins the next one sees.
            let mut begun = now.state.clone();
            for (engineer, hex) in engineers {
                let now = Position { game: now.game, state: &begun };
                let state = now.now(engineer);
                let sides: Vec<Hex> =
                    (now.data().neighbours(hex)).filter(|next| now.bars_bridging(engineer, *next).is_empty()).collect();
                if !state.entered
                    && !state.bridged
                    && chance.one_in(2)
                    && let Some(to) = chance.pick(&sides)
                {
                    orders.pontoon.insert(engineer, *to);
                    if let Some(unit) = begun.units.get_mut(&engineer) {
                        unit.bridging = Some(Crossing::new(hex, *to));
                    }
                }
            }
        }
        let digs: Vec<Piece> = (now.on_map(side).map(|(id, _)| id))
            .filter(|id| !now.now(*id).ooc && now.bars_entrenching(side, *id, &BTreeSet::new()).is_empty())
            .filter(|id| !orders.pontoon.contains_key(id))
            .collect();
        let dig = if head == Head::Sensible && side == US { 12 } else { 3 };
        if chance.one_in(dig) {
            orders.entrench.extend(chance.pick(&digs));
        }
    }

    fn draw_move(
        &mut self,
        side: Side,
        hex: Hex,
        orders: &mut TurnOrders,
        chance: &mut Chance,
        head: Head,
    ) -> Ruling<()> {
        let now = self.now();
        let able: Vec<Piece> =
            now.stack(hex, side).into_iter().filter(|id| now.bars_moving(side, *id, &self.moved).is_empty()).collect();
        if able.is_empty() {
            return Ok(());
        }
        let mut units = able.clone();
        let mut apart = false;
        if head == Head::None && chance.one_in(2) {
            units = vec![*chance.pick(&able).unwrap_or(&able[0])];
            apart = true;
        }
        // Now and then a regiment breaks down or reforms first.
        if head == Head::None && side == US && chance.one_in(8) {
            let regiments: Vec<Piece> = (able.iter().copied())
                .filter(|id| now.unit(*id).is_some_and(|unit| !unit.parts.is_empty()))
                .filter(|id| now.bars_breaking_down(*id, &self.regrouped).is_empty())
                .collect();
            let parents: BTreeSet<Piece> = able.iter().filter_map(|id| now.unit(*id)?.parent).collect();
            let reforming: Vec<Piece> =
                parents.into_iter().filter(|id| now.bars_reforming(*id, &self.regrouped).is_empty()).collect();
            let order = match (chance.pick(&regiments).copied(), chance.pick(&reforming).copied()) {
                (_, Some(id)) => Some(MoveOrder::reform(vec![id])),
                (Some(id), None) => Some(MoveOrder::break_down(vec![id])),
                _ => None,
            };
            if let Some(mut order) = order {
                orders.moves.push(order.clone());
                return self.carry_move(side, &mut order, &BTreeSet::new());
            }
        }
        let mut routes = now.routes(&units);
        if routes.is_empty() && !apart {
            units = vec![*chance.pick(&able).unwrap_or(&able[0])];
            routes = now.routes(&units);
        }
        let to = match head {
            Head::None => chance.pick(&routes).map(|(to, _, _)| *to),
            Head::Sensible => self.best_goal(side, hex, &units, &routes, chance),
        };
        let Some(to) = to else { return Ok(()) };
        let mut order = MoveOrder::to(units, to);
        orders.moves.push(order.clone());
        self.carry_move(side, &mut order, &BTreeSet::new())
    }

    /// Plainly well: the US goes for the nearest objective it does not hold, Spain holds what it has and closes gaps.
    fn best_goal(
        &self,
        side: Side,
        from: Hex,
        units: &[Piece],
        routes: &[(Hex, Vec<Hex>, super::terms::Mp)],
        chance: &mut Chance,
    ) -> Option<Hex> {
        let now = self.now();
        let data = now.data();
        let goals: Vec<Hex> = if side == US {
            now.us_goals()
        } else {
            // Spain sits in its works; whoever stands in the open goes to the nearest work that is not full.
            let works: BTreeSet<Hex> = data.forts.iter().chain(&data.blockhouses).copied().collect();
            if works.contains(&from) || self.state.entrenchments.contains(&from) || chance.one_in(2) {
                return None;
            }
            works.into_iter().filter(|hex| !now.too_full(*hex, side, units)).collect()
        };
        let far = |hex: Hex| goals.iter().map(|goal| data.distance(*goal, hex)).min().unwrap_or(0);
        let best = routes.iter().map(|(to, _, cost)| (far(*to), *cost, *to)).min()?;
        (best.0 < far(from)).then_some(best.2)
    }

    fn draw_assaults(&mut self, side: Side, orders: &mut TurnOrders, chance: &mut Chance, head: Head) {
        let now = self.now();
        let mut used: BTreeSet<Piece> = BTreeSet::new();
        for (target, units) in now.assault_choices(side) {
            let mut units: Vec<Piece> = units.into_iter().filter(|id| !used.contains(id)).collect();
            // Cubans and US units never assault the same hex (§15.6k).
            let force = units.first().and_then(|id| now.unit(*id)).map(|unit| unit.force);
            units.retain(|id| now.unit(*id).map(|unit| unit.force) == force);
            if units.is_empty() {
                continue;
            }
            let worth =
                |ids: &[Piece]| -> u32 { ids.iter().filter_map(|id| now.unit(*id)).map(|unit| unit.worth()).sum() };
            let goes = match head {
                Head::None => chance.one_in(2),
                Head::Sensible => {
                    // A short scenario gives no time to wait for good odds where its prizes are.
                    let entry = now.game.scenario_entry();
                    let prize = side == US && (entry.all.contains(&target) || entry.heights.contains(&target));
                    worth(&units) >= worth(&now.fighters(target, enemy(side))) * if prize { 1 } else { 3 }
                }
            };
            if !goes {
                continue;
            }
            if head == Head::None && units.len() > 1 && chance.one_in(3) {
                chance.shuffle(&mut units);
                units.truncate(1 + chance.below(units.len()));
                units.sort();
            }
            used.extend(units.iter().copied());
            let order = AssaultOrder::on(target, units);
            let plain = head != Head::None || now.game.options.steps;
            orders.assaults.push(if plain { order } else { instructed(order, chance) });
        }
    }
}

/// Fire at what can be seen or spotted; units of one hex at one target together (§13.0i).
fn draw_fire(gunnery: &Gunnery<'_>, busy: &BTreeSet<Piece>, chance: &mut Chance, head: Head) -> Vec<FireOrder> {
    let now = gunnery.now;
    let mut shots: BTreeMap<Piece, Vec<FireOrder>> = BTreeMap::new();
    for (order, volley) in Volley::choices(gunnery) {
        if let Some(shot) = volley.shots.first().filter(|shot| !busy.contains(&shot.piece)) {
            shots.entry(shot.piece).or_default().push(order);
        }
    }
    let mut attacks: BTreeMap<(Hex, bool), FireOrder> = BTreeMap::new();
    for (unit, orders) in shots {
        if head == Head::None && chance.one_in(3) {
            continue;
        }
        let order = match head {
            Head::None => chance.pick(&orders),
            Head::Sensible => orders.iter().min_by_key(|order| {
                let at = now.state.hex_of(unit).unwrap_or(order.target);
                (!order.indirect.is_empty(), now.data().distance(at, order.target), order.target)
            }),
        };
        let Some(order) = order else { continue };
        let cuban = now.unit(unit).is_some_and(|unit| unit.force == Force::Cuban);
        let attack = attacks.entry((order.target, cuban)).or_insert_with(|| FireOrder::at(order.target, Vec::new()));
        attack.units.push(unit);
        attack.indirect.extend(&order.indirect);
        if head == Head::None && chance.one_in(6) {
            attack.r#else = orders.iter().map(|order| order.target).find(|hex| *hex != attack.target);
        }
    }
    attacks.into_values().collect()
}

fn combat(now: &Position<'_>, side: Side, chance: &mut Chance, head: Head) -> CombatOrders {
    let marked: BTreeMap<Piece, Hex> =
        now.state.units.iter().filter_map(|(id, unit)| Some((*id, unit.assaults?))).collect();
    let (none, busy) = (BTreeMap::new(), marked.keys().copied().collect());
    let fire = draw_fire(&Gunnery::new(*now, side, FireKind::Offensive, &none), &busy, chance, head);
    let mut assaults = Vec::new();
    if head == Head::None {
        let mut targets: Vec<Hex> = marked.values().copied().collect::<BTreeSet<Hex>>().into_iter().collect();
        chance.shuffle(&mut targets);
        targets.truncate(chance.below(targets.len() + 1));
        assaults = targets.into_iter().map(|target| instructed(AssaultOrder::on(target, Vec::new()), chance)).collect();
    }
    CombatOrders { fire, assaults }
}

/// An assault with instructions for what comes after the die.
fn instructed(mut order: AssaultOrder, chance: &mut Chance) -> AssaultOrder {
    if chance.one_in(4) {
        order.call_off_if = Odds::parse("2:1");
    }
    if chance.one_in(4) {
        order.advance = Some(if chance.one_in(2) { Advance::None } else { Advance::All });
    }
    order
}

/// Defensive Fire (§13.1g) and Cubans who retire (§15.6c).
fn defence(now: &Position<'_>, by: Side, chance: &mut Chance, head: Head) -> DefenceOrders {
    let mut orders = now.default_defence(by);
    if head == Head::Sensible || chance.one_in(3) {
        return orders;
    }
    if chance.one_in(4) {
        return DefenceOrders::default();
    }
    let none = BTreeMap::new();
    orders.fire = Some(draw_fire(&Gunnery::new(*now, by, FireKind::Defensive, &none), &BTreeSet::new(), chance, head));
    if by == US {
        let mut retire: BTreeMap<Piece, Hex> = BTreeMap::new();
        let able: Vec<Piece> = now.may_retire().into_iter().map(|(unit, _)| unit).collect();
        let garcia = now.data().chief(Chief::Garcia);
        for unit in able.iter().copied().chain(garcia) {
            // §15.6f: Garcia with men who try to.
            let with = |other: &Piece| now.state.hex_of(*other) == now.state.hex_of(unit);
            if !now.is_combat(unit) && !retire.keys().any(with) {
                continue;
            }
            let hexes = now.retire_hexes(unit);
            if let Some(hex) = chance.pick(&hexes).copied()
                && chance.one_in(2)
            {
                retire.insert(unit, hex);
            }
        }
        orders.retire = Some(retire);
    }
    orders
}

/// A policy of this kind.
pub fn policy(state: &State, kind: &str, chance: &mut Chance) -> Json {
    let pieces = |chance: &mut Chance| {
        let mut all: Vec<Piece> = state.units.keys().copied().collect();
        chance.shuffle(&mut all);
        all.truncate(5);
        to_json(&all)
    };
    let hexes = |chance: &mut Chance| {
        let mut all: Vec<Hex> = state.units.values().filter_map(|unit| unit.at.hex()).collect();
        chance.shuffle(&mut all);
        all.truncate(5);
        to_json(&all)
    };
    let word = |text: &str| Ok(Json::Str(text.to_owned()));
    let defence = |chance: &mut Chance| {
        let mut policy = DefencePolicy::default();
        let units: Vec<Piece> = state.units.keys().copied().collect();
        policy.hold.extend(chance.pick(&units));
        policy.hold_in.extend(state.units.values().filter_map(|unit| unit.at.hex()).take(chance.below(3)));
        policy.variable = chance.pick(VariableFire::ALL).copied();
        (policy.indirect, policy.apart) = (chance.one_in(2), chance.one_in(3));
        to_json(&policy)
    };
    let retire = |chance: &mut Chance| {
        let to = state.units.values().filter_map(|unit| unit.at.hex()).take(chance.below(3)).collect();
        to_json(&RetirePolicy { units: Vec::new(), to, always: chance.one_in(2) })
    };
    let ever = |chance: &mut Chance| word(if chance.one_in(2) { "always" } else { "never" });
    let drawn = match kind {
        "losses" | "breakdown-loss" | "overstack" | "escario-losses" => pieces(chance),
        "retreat" | "leader-retreat" | "leave-zone" | "next-combat" => hexes(chance),
        "leader-goes" | "advance" | "occupy" if chance.one_in(2) => pieces(chance),
        "defensive-fire" if !chance.one_in(3) => defence(chance),
        "fire-and-retire" if chance.one_in(2) => retire(chance),
        "fever-cancel" if chance.one_in(2) => word("2:1"),
        _ => ever(chance),
    };
    drawn.unwrap_or_else(|_| Json::Str("default".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Charter, Files, Holdings, Rules};

    #[test]
    fn two_engineers_in_one_hex_never_build_one_bridge() {
        let charter = Charter { scenario: "campaign".to_owned(), ..Charter::default() };
        let game = SplendidLittleWar::open(&charter).expect("a table");
        let (mut state, _) = game.begin();
        state.stage = Stage::UsTurn;
        let ford = Hex::printed(1926);
        let arm = |id: &Piece| game.data.unit(*id).map(|unit| unit.arm);
        for (_, unit) in state.units.iter_mut().filter(|(id, _)| arm(id) == Some(Arm::Engineer)) {
            unit.at = Place::At(ford);
        }
        let (holdings, mut chance, mut built) = (Holdings::default(), Chance::new("engineers"), 0);
        for _ in 0..40 {
            let seen = Seen { state: &state, holdings: &holdings, side: Some(US) };
            let Orders::Turn(drawn) = orders(&game, &seen, &mut chance) else { panic!("a turn") };
            assert!(drawn.pontoon.len() < 2, "{:?}", drawn.pontoon);
            built += drawn.pontoon.len();
        }
        assert!(built > 0);
    }
}
