//! Set-ups by chance.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Grid, Hex};
use crate::engine::Concealed;
use crate::engine::dice::Chance;

use super::super::EndOfEmpire;
use super::super::orders::{ColumnOrder, SetupDetachment, SetupOrders};
use super::super::position::{Known, Position};
use super::super::setup::{parts_of, sets_up};
use super::super::state::{Place, State};
use super::super::terms::{Content, Flag, Force, Member, Mode, Piece, Setup, UnitKind};

/// A set-up by chance: units near Santiago, near the beaches or in their default hexes; some under columns.
pub fn setup(game: &EndOfEmpire, state: &State, force: Force, chance: &mut Chance) -> SetupOrders {
    let mut orders = SetupOrders::default();
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
    let units: Vec<_> = data.units.values().filter(|unit| sets_up(unit, force)).collect();
    // Nobody in guerrilla takes the hexes that are printed on others either.
    for (id, hex) in units.iter().filter_map(|unit| Some((unit.id, unit.hex?))) {
        orders.place.insert(id, hex);
        if let Some(now) = laid.units.get_mut(&id) {
            now.at = Place::At(hex);
        }
    }
    let footing = Position { game, state: &laid, known: &known }.footing(force);
    let mut hexes: Vec<Hex> = {
        let now = Position { game, state: &laid, known: &known };
        data.grid.cells().filter(|hex| now.bars_set_up(&footing, *hex).is_empty()).collect()
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
        let Some(hex) = now.free_set_up(&footing, unit.id, wish) else { continue };
        if unit.setup == Setup::NearSantiago && data.distance(hex, data.santiago) > data.tables.limits.near_santiago {
            continue;
        }
        orders.place.insert(unit.id, hex);
        if let Some(now) = laid.units.get_mut(&unit.id) {
            now.at = Place::At(hex);
        }
    }
    game.complete_setup(state, force, &mut orders);
    let now = Position { game, state, known: &known };
    if orders.place.values().any(|hex| !now.bars_set_up(&footing, *hex).is_empty()) {
        // The modes drawn leave somebody no room in the few hexes open to them (§3q, §11.1b).
        orders = SetupOrders::default();
        game.complete_setup(state, force, &mut orders);
    }
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
        cover(game, &mut orders, force, |_| chance.one_in(3));
        chance.shuffle(&mut orders.columns);
        load(game, &mut orders, force, chance);
    }
    // A101: a dummy lies in wait like a column of guerrillas.
    let dummy = |column: &ColumnOrder| column.holds == Concealed::Open(Content::Dummy);
    let mut taken: BTreeSet<Hex> = orders.place.values().chain(&orders.logistics).copied().collect();
    taken.extend(orders.detach.iter().flat_map(|entry| &entry.at));
    taken.extend(orders.columns.iter().filter(|column| !dummy(column)).map(|column| column.at));
    // §11.1b: all of a hex or none.
    let mut hexes: BTreeSet<Hex> =
        orders.columns.iter().filter(|column| dummy(column)).map(|column| column.at).collect();
    hexes.retain(|hex| !data.terrain(*hex).bars_guerrillas() && !taken.contains(hex) && chance.one_in(3));
    for column in orders.columns.iter_mut().filter(|column| dummy(column) && hexes.contains(&column.at)) {
        column.mode = Some(Mode::Guerrilla);
    }
    orders
}

/// Puts what stands in some hexes of a set-up under counters, as long as there are any.
pub fn cover(game: &EndOfEmpire, orders: &mut SetupOrders, force: Force, mut chosen: impl FnMut(Hex) -> bool) {
    let data = &game.data;
    let split: BTreeSet<Piece> = orders.detach.iter().map(|entry| entry.unit).collect();
    let mut by_hex: BTreeMap<Hex, Vec<Piece>> = BTreeMap::new();
    for (id, hex) in &orders.place {
        if !split.contains(id) {
            by_hex.entry(*hex).or_default().push(*id);
        }
    }
    let mut free = if game.options.columns { data.containers(force) } else { 0 };
    for (at, stack) in by_hex {
        let fixed = stack.iter().any(|id| data.unit(*id).is_some_and(|unit| unit.setup == Setup::Fixed));
        if fixed || free == 0 || !chosen(at) {
            continue;
        }
        free -= 1;
        // Nobody in guerrilla shares a hex with others (§11.1b).
        let hiding = stack.iter().any(|id| orders.modes.get(id) == Some(&Mode::Guerrilla));
        let mode = hiding.then_some(Mode::Guerrilla);
        for id in &stack {
            orders.place.remove(id);
            orders.modes.remove(id);
        }
        let members =
            stack.into_iter().map(|unit| Member { unit, steps: data.unit(unit).map(|unit| unit.steps) }).collect();
        orders.columns.push(ColumnOrder { at, holds: Concealed::Open(Content::Units(members)), mode });
    }
}

/// Puts a logistic column under a column, if there is one to spare (A89).
fn load(game: &EndOfEmpire, orders: &mut SetupOrders, force: Force, chance: &mut Chance) {
    let most = game.data.tables.supply.columns_at_setup as usize;
    let train = game.data.of_kind(force, UnitKind::LogisticColumn).nth(orders.logistics.len());
    let Some(train) = train.filter(|_| game.options.supply_points && orders.logistics.len() < most) else { return };
    for column in orders.columns.iter_mut().filter(|column| column.mode != Some(Mode::Guerrilla)) {
        if let Concealed::Open(Content::Units(members)) = &mut column.holds
            && chance.one_in(2)
        {
            members.push(Member { unit: train.id, steps: None });
            orders.covered = Some(1);
            return;
        }
    }
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
    foot && !hiding && now.bars_set_up(&now.footing(force), hex).is_empty()
}
