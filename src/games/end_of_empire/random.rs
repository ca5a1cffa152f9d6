//! Legal orders by chance: chosen from the lists that the rules themselves give, deed after deed on a hopeful table.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Grid, Hex};
use crate::engine::dice::Chance;
use crate::engine::{Concealed, Json, Seen, Side};

use super::EndOfEmpire;
use super::combat::Manner;
use super::orders::{
    Advance, ArrivalOrder, Balloon, ColumnOrder, CombatOrder, DetachOrder, LogisticsOrder, ModeOrder, MoveOrder,
    Orders, Reorganize, SetupDetachment, SetupOrders, Support, TurnOrders,
};
use super::position::{Known, Position};
use super::setup::{parts_of, sets_up};
use super::state::{CounterState, Place, Stage, State};
use super::terms::{Content, EventName, Flag, Force, Member, Mode, Piece, Setup, UnitKind};
use super::{SPAIN, US};

/// Legal orders for the packet due.
pub fn orders(game: &EndOfEmpire, seen: &Seen<'_, State>, chance: &mut Chance) -> Orders {
    match seen.state.stage {
        Stage::SpanishSetup => Orders::Setup(setup(game, seen.state, Force::Spanish, chance)),
        Stage::CubanSetup => Orders::Setup(setup(game, seen.state, Force::Cuban, chance)),
        stage => {
            let side = stage.side().unwrap_or(US);
            let mut player = Player {
                game,
                state: seen.state.clone(),
                known: Known::own(game, seen, side),
                side,
                chance,
                busy: BTreeSet::new(),
            };
            Orders::Turn(player.turn())
        }
    }
}

/// A set-up by chance: units near Santiago, near the beaches or in their default hexes; some under columns.
fn setup(game: &EndOfEmpire, state: &State, force: Force, chance: &mut Chance) -> SetupOrders {
    let mut orders = SetupOrders::none();
    let data = &game.data;
    let known = Known::default();
    let mut laid = state.clone();
    let free = chance.one_in(2);
    if game.options.columns && force == Force::Spanish {
        // The dummies first, so that nobody in guerrilla takes their hexes.
        for column in game.default_setup(force).into_iter().flat_map(|setup| &setup.columns) {
            let order = ColumnOrder { at: column.at, holds: Concealed::Open(Content::Dummy), mode: None };
            laid.lay(force, &order);
            orders.columns.push(order);
        }
    }
    let mut columns: Vec<(Hex, Vec<Piece>)> = Vec::new();
    let units: Vec<_> = data.units.values().filter(|unit| sets_up(unit, force)).collect();
    let mut hexes: Vec<Hex> = {
        let now = Position { game, state: &laid, known: &known };
        data.grid.cells().filter(|hex| now.bars_set_up(force, *hex).is_empty()).collect()
    };
    hexes.retain(|hex| data.distance(*hex, data.santiago) <= 8 || chance.one_in(6));
    for unit in &units {
        let wish = match chance.pick(&hexes).copied() {
            Some(hex) if free && unit.setup != Setup::Fixed && chance.one_in(2) => hex,
            _ => continue,
        };
        let near = data.distance(wish, data.santiago) <= data.tables.limits.near_santiago;
        if unit.setup == Setup::NearSantiago && !near {
            continue;
        }
        // The ring round Santiago keeps its default garrison.
        if game.default_setup(force).and_then(|setup| setup.units.get(&unit.id)).is_some_and(|hex| data.is_ring(*hex)) {
            continue;
        }
        if unit.kind == UnitKind::Guerrilla
            && let Some(mode) = chance.pick(Mode::ALL).copied()
        {
            orders.modes.insert(unit.id, mode);
            if let Some(now) = laid.units.get_mut(&unit.id) {
                now.mode = Some(mode);
            }
        }
        let now = Position { game, state: &laid, known: &known };
        let Some(hex) = now.free_set_up(force, unit.id, wish) else { continue };
        if unit.setup == Setup::NearSantiago && data.distance(hex, data.santiago) > data.tables.limits.near_santiago {
            continue;
        }
        orders.place.insert(unit.id, hex);
        if let Some(now) = laid.units.get_mut(&unit.id) {
            now.at = Place::At(hex);
        }
    }
    game.complete_setup(state, force, &mut orders);
    if force == Force::Spanish {
        // Something in pieces, and a logistic column or two.
        let splits: Vec<Piece> = units.iter().filter(|unit| parts_of(unit).is_some()).map(|unit| unit.id).collect();
        for id in splits {
            let (Some(unit), Some(hex)) = (data.unit(id), orders.place.get(&id).copied()) else { continue };
            if !chance.one_in(5) || data.is_ring(hex) && unit.has(Flag::Split) {
                continue;
            }
            if let Some((count, kind)) = parts_of(unit) {
                let room = crowd_free(game, state, &orders, hex, force, kind);
                if kind == UnitKind::Artillery {
                    let other: Vec<Hex> = hexes
                        .iter()
                        .copied()
                        .filter(|other| crowd_free(game, state, &orders, *other, force, kind) && *other != hex)
                        .collect();
                    let Some(other) = chance.pick(&other).copied() else { continue };
                    orders.place.remove(&id);
                    orders.detach.push(SetupDetachment { unit: id, at: vec![hex, other] });
                } else if room && count == 1 {
                    orders.detach.push(SetupDetachment { unit: id, at: vec![hex] });
                }
            }
        }
        if game.options.supply_points {
            for _ in 0..chance.below(4) {
                if let Some(hex) = orders.place.values().copied().find(|hex| !data.is_ring(*hex) || chance.one_in(2)) {
                    orders.logistics.push(hex);
                }
            }
            // Guerrillas share no hex with a logistic column.
            let modes = orders.modes.clone();
            let hiding: BTreeSet<Hex> = orders
                .place
                .iter()
                .filter(|(id, _)| modes.get(id) == Some(&Mode::Guerrilla))
                .map(|(_, hex)| *hex)
                .collect();
            orders.logistics.retain(|hex| !hiding.contains(hex));
        }
    }
    if game.options.columns && chance.one_in(2) {
        // Some hexes go under a counter.
        let split: BTreeSet<Piece> = orders.detach.iter().map(|entry| entry.unit).collect();
        let mut by_hex: BTreeMap<Hex, Vec<Piece>> = BTreeMap::new();
        for (id, hex) in &orders.place {
            let hiding = orders.modes.get(id) == Some(&Mode::Guerrilla);
            if !split.contains(id) && !hiding {
                by_hex.entry(*hex).or_default().push(*id);
            }
        }
        for (hex, stack) in by_hex {
            let fixed = stack.iter().any(|id| data.unit(*id).is_some_and(|unit| unit.setup == Setup::Fixed));
            if !fixed && columns.len() < data.containers(force) && chance.one_in(3) {
                columns.push((hex, stack));
            }
        }
        for (at, stack) in columns {
            for id in &stack {
                orders.place.remove(id);
                orders.modes.remove(id);
            }
            let members =
                stack.into_iter().map(|unit| Member { unit, steps: data.unit(unit).map(|unit| unit.steps) }).collect();
            orders.columns.push(ColumnOrder { at, holds: Concealed::Open(Content::Units(members)), mode: None });
        }
        chance.shuffle(&mut orders.columns);
    }
    orders
}

/// Is there room for a detachment of a kind in a hex of a set-up?
fn crowd_free(game: &EndOfEmpire, state: &State, orders: &SetupOrders, hex: Hex, force: Force, kind: UnitKind) -> bool {
    let mut laid = state.clone();
    for (id, at) in &orders.place {
        if let Some(now) = laid.units.get_mut(id) {
            now.at = Place::At(*at);
            now.mode = now.mode.map(|mode| orders.modes.get(id).copied().unwrap_or(mode));
        }
    }
    let known = Known::default();
    let now = Position { game, state: &laid, known: &known };
    let stack = now.stack(hex, force);
    let gun = stack.iter().any(|piece| now.kind(*piece).is_some_and(UnitKind::is_gun))
        || orders.detach.iter().any(|entry| entry.at.len() > 1 && entry.at.contains(&hex));
    let hiding =
        stack.iter().any(|piece| now.in_guerrilla(*piece)) || orders.columns.iter().any(|column| column.at == hex);
    let bulk = now.bulk_of(&stack, |_| None);
    let foot = if kind == UnitKind::Artillery { !gun } else { bulk.0 < game.data.tables.limits.stack_steps };
    now.bars_set_up(force, hex).is_empty() && foot && !hiding
}

/// Somebody who orders at random, on a copy of the position that his own orders change.
struct Player<'p> {
    game: &'p EndOfEmpire,
    state: State,
    known: Known,
    side: Side,
    chance: &'p mut Chance,
    /// Who has done something already.
    busy: BTreeSet<Piece>,
}

impl Player<'_> {
    fn now(&self) -> Position<'_> {
        Position { game: self.game, state: &self.state, known: &self.known }
    }

    fn turn(&mut self) -> TurnOrders {
        let mut orders = TurnOrders::none();
        let fighting = matches!(self.state.stage, Stage::UsCombat | Stage::SpanishCombat);
        if !fighting {
            if self.side == US {
                if self.state.turn > 1 {
                    let reorganize = self.reorganize();
                    orders.reorganize = (reorganize != Reorganize::none()).then_some(reorganize);
                }
                orders.land = self.landings();
            } else {
                orders.enter = self.entries();
            }
            let mut moves = Vec::new();
            for force in if self.side == US { vec![Force::Cuban, Force::Us] } else { vec![Force::Spanish] } {
                moves.extend(self.moves(force));
            }
            orders.moves = moves.into_iter().map(Concealed::Open).collect();
        }
        if fighting || !self.game.options.phases {
            orders.combat = self.combats();
            if self.side == SPAIN && self.state.turn < self.game.data.tables.turns && self.chance.one_in(2) {
                self.state.turn += 1;
                let mut next = self.reorganize();
                self.state.turn -= 1;
                // What was to attack will be open by then.
                let attackers: BTreeSet<Piece> =
                    orders.combat.iter().flat_map(|order| order.by.iter().copied()).collect();
                if attackers.iter().any(|piece| piece.is_counter()) {
                    next = Reorganize { modes: next.modes, logistics: next.logistics, ..Reorganize::none() };
                }
                if next != Reorganize::none() {
                    orders.next = Some(Concealed::Open(next));
                }
            }
        }
        orders
    }

    /// A.3: what is legal as far as the player sees.
    fn reorganize(&mut self) -> Reorganize {
        let mut orders = Reorganize::none();
        let data = &self.game.data;
        let side = self.side;
        let cl_force = if side == US { Force::Us } else { Force::Spanish };
        let source = if side == US { self.state.base } else { Some(data.santiago) };
        if let Some(source) = source.filter(|_| self.game.options.supply_points && self.state.points(cl_force) > 0) {
            let now = self.now();
            let mut near: Vec<Hex> = data.land_around(source).collect();
            if side == SPAIN {
                near.push(source);
            }
            near.retain(|hex| {
                now.pieces_in(*hex).all(|piece| now.force(piece) == Some(cl_force) && !now.in_guerrilla(piece))
            });
            let free = now.waiting(|unit| unit.force == cl_force && unit.kind == UnitKind::LogisticColumn);
            if let (Some(unit), true) = (free.first().copied(), self.chance.one_in(3))
                && let Some(at) = self.chance.pick(&near).copied()
            {
                let if_event = if self.chance.one_in(4) { vec![EventName::Nothing] } else { Vec::new() };
                let if_event = if side == SPAIN { if_event } else { Vec::new() };
                orders.logistics.push(LogisticsOrder { at, unit: Some(unit), if_event, if_oos: None });
            }
        }
        if side == SPAIN && self.chance.one_in(3) {
            let now = self.now();
            let able: Vec<Piece> = now
                .on_map(SPAIN)
                .into_iter()
                .filter(|piece| {
                    now.unit(*piece)
                        .is_some_and(|unit| parts_of(unit).is_some() && now.state.unit(*piece).steps == unit.steps)
                })
                .collect();
            if let Some(unit) = self.chance.pick(&able).copied() {
                let (count, kind) = data.unit(unit).and_then(parts_of).unwrap_or((1, UnitKind::Infantry));
                let now = self.now();
                let into: Vec<Piece> = super::setup::detachments(data, kind)
                    .filter(|id| now.state.unit(*id).at == Place::Off && now.under(*id).is_none())
                    .take(count)
                    .collect();
                if into.len() == count {
                    orders.detach.push(DetachOrder { unit, into, if_event: Vec::new(), if_oos: None });
                }
            }
        }
        if self.game.options.columns && self.chance.one_in(3) {
            self.regroup(&mut orders);
        }
        let now = self.now();
        let forces: &[Force] = if side == US { &[Force::Cuban] } else { &[Force::Spanish] };
        let mut modes = Vec::new();
        for piece in now.on_map(side) {
            let (Some(hex), Some(force)) = (now.state.hex_of(piece), now.force(piece)) else { continue };
            let joined = orders.join.contains(&piece);
            if !forces.contains(&force) || now.kind(piece) != Some(UnitKind::Guerrilla) || joined {
                continue;
            }
            let alone = now.stack(hex, force).len() == 1 && !orders.leave.iter().any(|leave| leave.at == hex);
            let trains = orders.logistics.iter().any(|entry| entry.at == hex);
            if !alone || trains {
                continue;
            }
            let mode = if now.in_guerrilla(piece) { Mode::Regular } else { Mode::Guerrilla };
            if mode == Mode::Guerrilla && data.terrain(hex).bars_guerrillas() {
                continue;
            }
            modes.push(ModeOrder { unit: piece, mode, if_event: Vec::new(), if_oos: None });
        }
        modes.retain(|_| self.chance.one_in(4));
        if side == SPAIN && !orders.detach.is_empty() {
            modes.clear();
        }
        orders.modes = modes;
        for entry in &orders.modes {
            if let Some(unit) = self.state.units.get_mut(&entry.unit).filter(|_| side == US) {
                unit.mode = Some(entry.mode);
            }
        }
        if side == US {
            for entry in &orders.logistics {
                if let Some(unit) = entry.unit.and_then(|id| self.state.units.get_mut(&id)) {
                    unit.at = Place::At(entry.at);
                }
            }
        }
        orders
    }

    /// Forms a counter, puts units of the same hex under one, or dissolves one.
    fn regroup(&mut self, orders: &mut Reorganize) {
        let data = &self.game.data;
        let side = self.side;
        let now = self.now();
        let own: Vec<Piece> =
            self.known.0.keys().copied().filter(|name| now.state.counters.contains_key(name)).collect();
        let turn = self.chance.below(3);
        let now = self.now();
        let pairs: Vec<(Piece, Piece)> = own
            .iter()
            .flat_map(|a| own.iter().map(move |b| (*a, *b)))
            .filter(|(a, b)| a < b && now.state.hex_of(*a) == now.state.hex_of(*b) && now.mode(*a) == now.mode(*b))
            .filter(|(a, b)| now.force(*a) == now.force(*b))
            .collect();
        match turn {
            0 => {
                let Some(name) = self.chance.pick(&own).copied() else { return };
                let now = self.now();
                if self.known.0.get(&name).is_none_or(Content::is_dummy) || now.in_guerrilla(name) {
                    return;
                }
                orders.dissolve.push(name);
            }
            1 => {
                // Two counters of one hex change what they hold.
                let Some((a, b)) = self.chance.pick(&pairs).copied() else { return };
                let now = self.now();
                let after = |name: Piece| match self.known.0.get(&name) {
                    Some(Content::Units(_)) => Content::Units(
                        now.members(name)
                            .unwrap_or_default()
                            .into_iter()
                            .map(|(unit, steps)| Member::with(unit, steps))
                            .collect(),
                    ),
                    _ => Content::Dummy,
                };
                let (held_a, held_b) = (after(a), after(b));
                orders.columns.insert(a, Concealed::Open(held_b));
                orders.columns.insert(b, Concealed::Open(held_a));
            }
            _ => {
                // A stack goes under a new counter.
                let forces: &[Force] = if side == US { &[Force::Us, Force::Cuban] } else { &[Force::Spanish] };
                let Some(force) = self.chance.pick(forces).copied() else { return };
                let real = self.known.0.iter().filter(|(name, content)| {
                    Piece::counter_force(name.as_str()) == Some(force) && !content.is_dummy()
                });
                if real.count() >= data.containers(force) {
                    return;
                }
                let now = self.now();
                let hexes: BTreeSet<Hex> = now
                    .on_map(side)
                    .into_iter()
                    .filter(|piece| now.force(*piece) == Some(force))
                    .filter_map(|piece| now.state.hex_of(piece))
                    .collect();
                let hexes: Vec<Hex> = hexes.into_iter().collect();
                let Some(hex) = self.chance.pick(&hexes).copied() else { return };
                let now = self.now();
                let mut stack: Vec<Piece> = now
                    .stack(hex, force)
                    .into_iter()
                    .filter(|piece| !piece.is_counter() && !now.in_guerrilla(*piece))
                    .collect();
                stack.retain(|piece| !orders.detach.iter().any(|entry| entry.unit == *piece));
                if force == Force::Us {
                    stack.retain(|piece| {
                        now.unit(*piece).is_some_and(|unit| unit.kind.is_foot() && unit.formation.is_some())
                    });
                    let first = stack.first().and_then(|piece| now.unit(*piece)?.formation.clone());
                    stack.retain(|piece| now.unit(*piece).is_some_and(|unit| unit.formation == first));
                    // A brigade has one counter.
                    let taken = self
                        .known
                        .0
                        .values()
                        .flat_map(Content::members)
                        .any(|member| now.unit(member.unit).is_some_and(|unit| unit.formation == first));
                    if taken {
                        return;
                    }
                } else {
                    stack.retain(|piece| {
                        now.kind(*piece).is_some_and(|kind| kind.is_combat() || kind == UnitKind::Leader)
                    });
                }
                if !stack.iter().any(|piece| now.kind(*piece).is_some_and(UnitKind::is_combat)) {
                    return;
                }
                let name = self.state.next_name(force);
                let members = stack.iter().map(|unit| Member::with(*unit, self.state.unit(*unit).steps)).collect();
                orders.form.insert(name, hex);
                orders.columns.insert(name, Concealed::Open(Content::Units(members)));
                orders.join = stack;
            }
        }
        if side == SPAIN {
            return;
        }
        // The position after it, so that moves can count on it.
        self.apply(orders);
    }

    fn apply(&mut self, orders: &Reorganize) {
        for name in &orders.dissolve {
            let members = self.now().members(*name).unwrap_or_default();
            let Some(counter) = self.state.counters.remove(name) else { continue };
            self.known.0.remove(name);
            for (unit, steps) in members {
                if let Some(now) = self.state.units.get_mut(&unit) {
                    (now.at, now.steps) = (Place::At(counter.at), steps);
                }
            }
        }
        for unit in &orders.join {
            if let Some(now) = self.state.units.get_mut(unit) {
                now.at = Place::Off;
            }
        }
        for (name, content) in &orders.columns {
            let Concealed::Open(content) = content else { continue };
            self.known.0.insert(*name, content.clone());
            if let (Some(hex), Some(force)) = (orders.form.get(name), Piece::counter_force(name.as_str())) {
                self.lay(*name, force, *hex, false);
            }
            if let Some(counter) = self.state.counters.get_mut(name) {
                (counter.lost, counter.fever) = (0, 0);
            }
        }
    }

    fn lay(&mut self, name: Piece, force: Force, hex: Hex, landed: bool) {
        if let Ok(slot) = super::setup::slot_of(name, 99) {
            let sealed = crate::engine::Sealed::new(force.side(), slot);
            let mut counter = CounterState::new(force, hex, sealed, (force == Force::Cuban).then_some(Mode::Regular));
            counter.landed = landed;
            self.state.counters.insert(name, counter);
            *self.state.numbered.entry(force).or_default() += 1;
        }
    }

    fn landings(&mut self) -> Vec<ArrivalOrder> {
        let data = &self.game.data;
        let mut orders = Vec::new();
        let now = self.now();
        let beaches: Vec<Hex> =
            data.beaches.iter().copied().filter(|hex| now.bars_arrival(Force::Us, *hex, false).is_empty()).collect();
        let Some(first) = self.chance.pick(&beaches).copied() else { return orders };
        let mut left = data.tables.limits.landing;
        let base = data.cast().base.and_then(|id| data.unit(id)?.landing).unwrap_or(6);
        let ashore = |now: &Position<'_>, hex: Hex| now.stack(hex, Force::Us).iter().any(|piece| now.fights(*piece));
        if self.state.base.is_none() && left >= base && self.chance.one_in(3) {
            let sites: Vec<Hex> =
                data.grid.cells().filter(|hex| data.ground(*hex).is_some_and(|g| g.beach || g.base_landing)).collect();
            let now = self.now();
            if let Some(at) = sites.into_iter().find(|hex| ashore(&now, *hex)) {
                orders.push(ArrivalOrder { at, units: Vec::new(), holds: None, base: true });
                left -= base;
            }
        }
        let mut sea = self.now().waiting(|unit| unit.force == Force::Us && unit.setup == Setup::Sea);
        if !self.game.options.balloon {
            sea.retain(|id| data.unit(*id).is_some_and(|unit| unit.kind != UnitKind::Signals));
        }
        // A brigade or a dummy under its counter.
        if self.game.options.columns && self.chance.one_in(2) {
            let brigades: BTreeSet<String> = sea
                .iter()
                .filter_map(|id| data.unit(*id))
                .filter(|unit| unit.kind.is_foot())
                .filter_map(|unit| unit.formation.clone())
                .collect();
            let brigades: Vec<String> = brigades.into_iter().collect();
            let dummy = self.chance.one_in(3) && self.now().dummies_left(Force::Us) > 0;
            let chosen = self.chance.pick(&brigades).cloned();
            let (content, cost) = match chosen {
                Some(brigade) if !dummy => {
                    let members: Vec<Piece> = sea
                        .iter()
                        .copied()
                        .filter(|id| {
                            data.unit(*id).is_some_and(|unit| {
                                unit.kind.is_foot() && unit.formation.as_deref() == Some(brigade.as_str())
                            })
                        })
                        .collect();
                    let there = self.known.0.values().flat_map(Content::members).any(|member| {
                        data.unit(member.unit).is_some_and(|unit| unit.formation.as_deref() == Some(brigade.as_str()))
                    });
                    let cost: u32 = members.iter().map(|id| u32::from(self.state.unit(*id).steps)).sum();
                    if there {
                        (None, 0)
                    } else {
                        (
                            Some(Content::Units(
                                members.iter().map(|id| Member::with(*id, self.state.unit(*id).steps)).collect(),
                            )),
                            cost,
                        )
                    }
                }
                _ if dummy => (
                    Some(Content::Dummy),
                    data.of_kind(Force::Us, UnitKind::Dummy).next().and_then(|unit| unit.landing).unwrap_or(6),
                ),
                _ => (None, 0),
            };
            let room = content.as_ref().is_some_and(|content| self.room(first, content));
            if let Some(content) = content.filter(|_| cost <= left && room) {
                left -= cost;
                sea.retain(|id| !content.members().iter().any(|member| member.unit == *id));
                let name = self.state.next_name(Force::Us);
                orders.push(ArrivalOrder::closed(first, content.clone()));
                self.lay(name, Force::Us, first, true);
                self.known.0.insert(name, content);
            }
        }
        self.chance.shuffle(&mut sea);
        let mut groups: BTreeMap<Hex, Vec<Piece>> = BTreeMap::new();
        for id in sea {
            let Some(unit) = data.unit(id) else { continue };
            let cost = unit.landing_steps(self.state.unit(id).steps);
            let at = if self.chance.one_in(4) { self.chance.pick(&beaches).copied().unwrap_or(first) } else { first };
            let now = self.now();
            let mut stack = now.stack(at, Force::Us);
            stack.push(id);
            if cost > left || now.overstacked(at, Force::Us, &stack) {
                continue;
            }
            left -= cost;
            groups.entry(at).or_default().push(id);
            if let Some(now) = self.state.units.get_mut(&id) {
                (now.at, now.landed) = (Place::At(at), true);
            }
        }
        orders.extend(groups.into_iter().map(|(at, units)| ArrivalOrder::open(at, units)));
        if self.state.base.is_none() && left >= base {
            let now = self.now();
            let at = beaches.iter().copied().find(|hex| ashore(&now, *hex));
            if let Some(at) = at.filter(|_| !orders.iter().any(|order| order.base)) {
                orders.push(ArrivalOrder { at, units: Vec::new(), holds: None, base: true });
            }
        }
        orders
    }

    fn room(&self, hex: Hex, content: &Content) -> bool {
        let now = self.now();
        let mut bulk = now.bulk_of(&now.stack(hex, Force::Us), |counter| self.known.0.get(&counter).cloned());
        for member in content.members() {
            let (foot, guns) = now.bulk(member.unit, member.steps.unwrap_or(0));
            bulk = (bulk.0 + foot, bulk.1 + guns);
        }
        // Leave room for the base.
        !now.too_much(hex, Force::Us, bulk) && bulk.0 <= 8
    }

    fn entries(&mut self) -> Vec<ArrivalOrder> {
        let data = &self.game.data;
        let now = self.now();
        let edge: Vec<Hex> = data
            .west_edge
            .iter()
            .copied()
            .filter(|hex| now.bars_arrival(Force::Spanish, *hex, false).is_empty())
            .collect();
        let mut waiting = now.waiting(|unit| unit.force == Force::Spanish && unit.setup == Setup::Escario);
        let edge: Vec<Hex> = edge
            .into_iter()
            .filter(|hex| !now.stack(*hex, Force::Spanish).iter().any(|piece| now.in_guerrilla(*piece)))
            .collect();
        let Some(at) = self.chance.pick(&edge).copied().filter(|_| !waiting.is_empty()) else { return Vec::new() };
        if self.chance.one_in(4) {
            waiting.truncate(2);
        }
        let real = self.known.0.values().filter(|content| !content.is_dummy()).count();
        let free = self.now().stack(at, Force::Spanish).is_empty();
        if self.game.options.columns && real < data.containers(Force::Spanish) && free && self.chance.one_in(2) {
            let members = waiting.iter().map(|id| Member::with(*id, self.state.unit(*id).steps)).collect();
            let name = self.state.next_name(Force::Spanish);
            self.lay(name, Force::Spanish, at, false);
            self.known.0.insert(name, Content::Units(members));
            return vec![ArrivalOrder::closed(at, self.known.0.get(&name).cloned().unwrap_or(Content::Dummy))];
        }
        let mut units = Vec::new();
        for id in waiting {
            let now = self.now();
            let mut stack = now.stack(at, Force::Spanish);
            stack.push(id);
            if !now.overstacked(at, Force::Spanish, &stack) {
                units.push(id);
                if let Some(now) = self.state.units.get_mut(&id) {
                    now.at = Place::At(at);
                }
            }
        }
        if units.is_empty() { Vec::new() } else { vec![ArrivalOrder::open(at, units)] }
    }

    /// Where a force would like to be.
    fn goals(&self, force: Force) -> Vec<Hex> {
        let now = self.now();
        let enemies: Vec<Hex> = now.held_hexes(if force.side() == US { SPAIN } else { US }).into_iter().collect();
        let data = &self.game.data;
        match force.side() {
            US => data.objectives.iter().copied().chain(enemies).collect(),
            _ => enemies.into_iter().chain(self.state.base).chain([data.santiago]).collect(),
        }
    }

    fn moves(&mut self, force: Force) -> Vec<MoveOrder> {
        let mut orders = Vec::new();
        let side = self.side;
        let goals = self.goals(force);
        let mut pieces: Vec<Piece> =
            self.now().on_map(side).into_iter().filter(|piece| self.now().force(*piece) == Some(force)).collect();
        self.chance.shuffle(&mut pieces);
        let eager = !self.chance.one_in(4);
        for piece in pieces {
            if self.busy.contains(&piece) || self.chance.one_in(3) {
                continue;
            }
            let now = self.now();
            let signals = now.kind(piece) == Some(UnitKind::Signals);
            let lowering = signals && self.state.balloon_up;
            if !now.bars_marching(side, piece, &BTreeSet::new(), lowering).is_empty() {
                continue;
            }
            let mut group = vec![piece];
            if let Some(hex) = self.state.hex_of(piece).filter(|_| self.chance.one_in(2)) {
                let now = self.now();
                let others = now.stack(hex, force).into_iter().filter(|other| {
                    let alike = now.in_guerrilla(*other) == now.in_guerrilla(piece);
                    let busy = *other == piece || self.busy.contains(other);
                    let balloon = now.kind(*other) == Some(UnitKind::Signals);
                    alike && !busy && !balloon && now.bars_marching(side, *other, &BTreeSet::new(), false).is_empty()
                });
                group.extend(others.collect::<Vec<_>>());
            }
            let now = self.now();
            let real = group
                .iter()
                .filter(|piece| piece.is_counter())
                .all(|name| self.known.0.get(name).is_some_and(|content| now.is_real(content)));
            let routes = now.routes(&group, real);
            let routes: Vec<_> = routes.into_iter().filter(|(hex, _, _)| self.fits(*hex, force, &group)).collect();
            let Some((to, path, _)) = self.choose(&routes, &goals, eager) else { continue };
            let mut order = if self.chance.one_in(2) {
                MoveOrder::along(group.clone(), path)
            } else {
                MoveOrder::to(group.clone(), to)
            };
            order.real = real && group.iter().any(|piece| piece.is_counter()) && self.needs_real(&order, to);
            if order.real && order.path.is_empty() {
                order.real = self.chance.one_in(2);
            }
            if signals && self.game.options.balloon {
                order.balloon = match (lowering, self.chance.one_in(2)) {
                    (true, _) => Some(Balloon::Down),
                    (false, true) => Some(Balloon::Up),
                    _ => None,
                };
            }
            // A route that needs `real` has to say so.
            if group.iter().any(|piece| piece.is_counter()) {
                let now = self.now();
                let plain = now.way(&group, to, false).is_some();
                order.real |= real && !plain;
                order.path.clear();
                order.to = Some(to);
            }
            self.busy.extend(group.iter().copied());
            for piece in &group {
                if let Some(counter) = self.state.counters.get_mut(piece) {
                    counter.at = to;
                } else if let Some(unit) = self.state.units.get_mut(piece) {
                    unit.at = Place::At(to);
                }
            }
            orders.push(order);
        }
        orders
    }

    fn needs_real(&self, order: &MoveOrder, to: Hex) -> bool {
        order.path.iter().chain([&to]).any(|hex| self.now().wants_control(*hex, self.side))
    }

    /// Closed counters may not overstack a hex (A105); open units usually do not either.
    fn fits(&self, hex: Hex, force: Force, group: &[Piece]) -> bool {
        let now = self.now();
        let mut stack = now.stack(hex, force);
        stack.extend(group.iter().copied());
        !now.overstacked(hex, force, &stack)
    }

    fn choose(&mut self, routes: &[(Hex, Vec<Hex>, u32)], goals: &[Hex], eager: bool) -> Option<(Hex, Vec<Hex>, u32)> {
        if !eager || self.chance.one_in(3) {
            return self.chance.pick(routes).cloned();
        }
        let goal = self.chance.pick(goals).copied()?;
        routes.iter().min_by_key(|(hex, ..)| (self.game.data.distance(*hex, goal), *hex)).cloned()
    }

    /// Combats that the position after the moves seems to allow.
    fn combats(&mut self) -> Vec<CombatOrder> {
        let side = self.side;
        let mut orders: Vec<CombatOrder> = Vec::new();
        let mut fought: BTreeSet<Piece> = BTreeSet::new();
        let enemy = if side == US { SPAIN } else { US };
        let forces: Vec<Force> = if side == US { vec![Force::Cuban, Force::Us] } else { vec![Force::Spanish] };
        let mut targets: Vec<Hex> = self.now().held_hexes(enemy).into_iter().collect();
        self.chance.shuffle(&mut targets);
        let mut attacked = self.state.attacked.clone();
        for force in forces {
            if force != Force::Cuban {
                orders.extend(self.gunfire(force, &targets, &mut fought));
            }
            for target in &targets {
                if attacked.contains(target) || self.chance.one_in(3) {
                    continue;
                }
                let coin = self.chance.one_in(2);
                let now = self.now();
                let near: Vec<Piece> = (now.data().land_around(*target))
                    .flat_map(|hex| now.stack(hex, force))
                    .filter(|piece| !fought.contains(piece) && now.fights(*piece))
                    .collect();
                if near.is_empty() || now.manner(&[], *target, side) != Manner::Counter && !now.held_by(*target, enemy)
                {
                    continue;
                }
                let hunted = now.manner(&[], *target, side) == Manner::Counter;
                let hiding = near.iter().any(|piece| now.in_guerrilla(*piece)) && coin;
                let mut by: Vec<Piece> =
                    near.into_iter().filter(|piece| hunted || now.in_guerrilla(*piece) == hiding).collect();
                let manner = now.manner(&by, *target, side);
                by.retain(|piece| now.bars_attacker(side, *piece, *target, &fought, manner).is_empty());
                by.retain(|piece| {
                    !piece.is_counter() || self.known.0.get(piece).is_some_and(|content| now.is_real(content))
                });
                let guns = |piece: &Piece| now.kind(*piece).is_some_and(UnitKind::is_gun);
                let orderly =
                    |piece: &Piece| now.kind(*piece) == Some(UnitKind::Guerrilla) && !now.in_guerrilla(*piece);
                let there = now.fighters(*target, enemy);
                if by.is_empty() || by.iter().all(guns) || (manner == Manner::Guerrilla && there.iter().all(orderly)) {
                    continue;
                }
                let mut order = CombatOrder { attack: Some(*target), by: by.clone(), ..CombatOrder::none() };
                let hexes: Vec<Hex> = by.iter().filter_map(|piece| self.state.hex_of(*piece)).collect();
                let ways = if manner == Manner::Ordinary { now.supports(force, &hexes) } else { Vec::new() };
                if self.chance.one_in(2) {
                    order.support = self.chance.pick(&ways).copied();
                }
                order.advance = match self.chance.below(4) {
                    0 => Some(Advance::All),
                    1 => Some(Advance::None),
                    _ => None,
                };
                if force == Force::Us && manner == Manner::Ordinary && self.state.in_force(EventName::RememberTheMaine)
                {
                    order.maine = !orders.iter().any(|other| other.maine) && self.chance.one_in(2);
                }
                if let Some(Support::Column(column)) = order.support {
                    if orders.iter().any(|other| other.support == Some(Support::Column(column))) {
                        order.support = None;
                    }
                }
                fought.extend(by);
                attacked.insert(*target);
                orders.push(order);
            }
        }
        // Points run out.
        for force in [Force::Us, Force::Spanish] {
            let mut left = self.state.points(force);
            for order in orders.iter_mut().filter(|order| order.support == Some(Support::Pool)) {
                if left == 0 {
                    order.support = None;
                }
                left = left.saturating_sub(1);
            }
        }
        orders
    }

    fn gunfire(&mut self, force: Force, targets: &[Hex], fought: &mut BTreeSet<Piece>) -> Vec<CombatOrder> {
        let side = self.side;
        let mut orders = Vec::new();
        let now = self.now();
        let naval: Vec<Hex> =
            targets.iter().copied().filter(|hex| now.bars_naval(side, force, *hex).is_empty()).collect();
        if let Some(target) = self.chance.pick(&naval).copied().filter(|_| !self.chance.one_in(3)) {
            orders.push(CombatOrder { naval: Some(target), ..CombatOrder::none() });
        }
        for target in targets {
            let now = self.now();
            if !now.bars_fired_at(side, *target, "bombard").is_empty() || self.chance.one_in(3) {
                continue;
            }
            let now = self.now();
            let guns: Vec<Piece> = now
                .on_map(side)
                .into_iter()
                .filter(|piece| {
                    now.force(*piece) == Some(force)
                        && now.bars_gun(side, *piece, *target, fought.contains(piece)).is_empty()
                })
                .collect();
            if guns.is_empty() {
                continue;
            }
            fought.extend(guns.iter().copied());
            orders.push(CombatOrder { bombard: Some(*target), by: guns, ..CombatOrder::none() });
        }
        orders
    }
}

/// A policy by chance, as a player could type it.
pub fn policy(game: &EndOfEmpire, state: &State, kind: &str, chance: &mut Chance) -> Json {
    let text = |word: &str| Json::Str(word.to_owned());
    let hexes: Vec<Hex> = state.units.values().filter_map(|unit| unit.at.hex()).collect();
    let pieces: Vec<Piece> = state.units.keys().copied().chain(state.counters.keys().copied()).collect();
    let list = |items: Vec<String>| Json::List(items.into_iter().map(Json::Str).collect());
    let some_hexes = |chance: &mut Chance| {
        let near = |hex: Hex, chance: &mut Chance| {
            let around: Vec<Hex> = game.data.neighbours(hex).collect();
            chance.pick(&around).copied().unwrap_or(hex).to_string()
        };
        let picked: Vec<Hex> = (0..4).filter_map(|_| chance.pick(&hexes).copied()).collect();
        list(picked.into_iter().map(|hex| near(hex, chance)).collect::<BTreeSet<_>>().into_iter().collect())
    };
    let some_pieces = |chance: &mut Chance| {
        let picked: BTreeSet<String> = (0..4).filter_map(|_| chance.pick(&pieces).map(Piece::to_string)).collect();
        list(picked.into_iter().collect())
    };
    match kind {
        "ambush" => match chance.below(4) {
            0 => text("always"),
            1 => text("never"),
            2 => text("min-drm 1"),
            _ => Json::Map(BTreeMap::from([("others".to_owned(), text("always"))])),
        },
        "support" => match chance.below(3) {
            0 => text("always"),
            1 => text("never"),
            _ => Json::Map(BTreeMap::from([("min-odds".to_owned(), text("2:1")), ("keep".to_owned(), Json::Int(1))])),
        },
        "tocineros" | "maine" | "am-hex" | "next-combat" => match chance.below(3) {
            0 if kind != "am-hex" && kind != "next-combat" => text("always"),
            1 => text("never"),
            _ => some_hexes(chance),
        },
        "advance" => match chance.below(3) {
            0 => text("always"),
            1 => text("never"),
            _ => some_pieces(chance),
        },
        "retreat" | "leader-goes" | "friendly-fire" | "finish-move" => some_hexes(chance),
        _ => some_pieces(chance),
    }
}
