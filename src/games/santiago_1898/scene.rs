//! The position as a scene: the map, the counters on it and beside it, and where each event happened.

use std::collections::BTreeMap;

use crate::board::Hex;
use crate::engine::Side;
use crate::scene::{
    Arm, Board, Border, Cell, Counter, Deed, Echelon, Flag, Force as Army, Ground, Incident, Livery, Mark, OffMap,
    Stroke, Track, Work,
};

use super::data::{Along, Data, Ground as Lie, SpecialKind, Unit};
use super::events::{Event, LeaderFate};
use super::play::{Position, player};
use super::state::{Place, UnitState};
use super::supply::Nets;
use super::terms::{Force, Size, Terrain, UnitId, UnitKind};
use super::{SPAIN, US};

/// For what happens in a place and to no unit.
const NOBODY: [UnitId; 0] = [];

/// The three armies.
pub fn armies() -> Vec<Army> {
    let army = |force: Force, name, side: Side, sign, livery| Army { id: force.word(), name, side, sign, livery };
    vec![
        army(Force::Us, "US Army", US, 'u', Livery::Navy),
        army(Force::Cuban, "Cubans", US, 'c', Livery::Clay),
        army(Force::Spanish, "Spanish", SPAIN, 's', Livery::Gold),
    ]
}

/// The map and what lies on it.
pub fn board(now: &Position<'_>) -> Board {
    let data = now.data();
    let mut board = Board::of_hexes(&data.map, |hex, lie| cell(now, hex, lie), stroke).with_names(&data.named);
    board.scale = "1 mile".to_owned();
    let nets = Nets::default();
    let counters = now.state.units.iter().filter_map(|(id, unit)| Some((*id, *unit, unit.at.hex()?)));
    board.counters = (counters.filter_map(|(id, unit, hex)| {
        let mut counter = counter(now, id, unit)?.mark(Mark::OutOfSupply, out_of_supply(now, &nets, id));
        counter.cell = Some(hex.to_string());
        Some(counter)
    }))
    .collect();
    if let Some(hex) = now.state.base {
        let mut base = special(now, data.cast.base, Arm::Base);
        base.cell = Some(hex.to_string());
        board.counters.push(base);
    }
    board.sort_counters();
    board
}

/// What waits beside the map, and what is lost.
pub fn boxes(now: &Position<'_>) -> Vec<OffMap> {
    let off = |id: &str, name: &str, holds: &dyn Fn(&Unit, UnitState) -> bool| {
        let units = now.state.units.iter().filter_map(|(id, state)| Some((now.counter(*id)?, *state)));
        let held = units.filter(|(unit, state)| holds(unit, *state));
        let counters: Vec<Counter> = held.filter_map(|(unit, state)| counter(now, unit.id, state)).collect();
        OffMap { id: id.to_owned(), name: name.to_owned(), counters }
    };
    let awaits = |unit: &Unit, state: UnitState, force: Force| unit.force == force && state.at == Place::OffMap;
    let mut sea = off("sea", "At sea", &|unit, state| awaits(unit, state, Force::Us));
    if now.state.base.is_none() {
        sea.counters.push(special(now, now.data().cast.base, Arm::Base));
    }
    let mut fleets = OffMap { id: "fleets".into(), name: "Fleets".into(), counters: Vec::new() };
    for fleet in now.data().specials.values().filter(|special| special.kind == SpecialKind::Fleet) {
        if fleet.force == Force::Us || now.state.fleet_sailed.is_none() {
            let fired = now.state.fleets_fired.contains(&fleet.force);
            fleets.counters.push(special(now, fleet.id, Arm::Fleet).mark(Mark::Spent, fired));
        }
    }
    let boxes = [
        sea,
        off("cubans", "Cubans to come", &|unit, state| awaits(unit, state, Force::Cuban)),
        off("spanish", "Spanish to come", &|unit, state| awaits(unit, state, Force::Spanish)),
        fleets,
        off("lost", "Lost", &|_, state| state.at == Place::Lost),
    ];
    boxes.into_iter().filter(|held| !held.counters.is_empty()).collect()
}

fn cell(now: &Position<'_>, hex: Hex, lie: Lie) -> Cell {
    let ground = match lie.terrain {
        Terrain::Clear => Ground::Clear,
        Terrain::Jungle => Ground::Jungle,
        Terrain::Hill => Ground::Hill,
        Terrain::City => Ground::City,
        Terrain::Town => Ground::Town,
        Terrain::Beach => Ground::Beach,
        Terrain::Harbor => Ground::Harbour,
        Terrain::Ocean => Ground::Sea,
    };
    let mut cell = Cell::new(hex, ground);
    cell.name = lie.name.map(|name| name.to_string());
    let works = [(lie.redoubt, Work::Redoubt), (lie.battery, Work::Battery), (lie.entrenchment, Work::Entrenchment)];
    cell.works = works.into_iter().filter(|(there, _)| *there).map(|(_, work)| work).collect();
    let entry = now.data().west_edge.contains(&hex);
    let flags = [(lie.objective, Flag::Objective), (lie.beach, Flag::Landing), (entry, Flag::Entry)];
    cell.flags = flags.into_iter().filter(|(there, _)| *there).map(|(_, flag)| flag).collect();
    if now.state.us_controls(hex) {
        cell.held = Some(Force::Us.word());
    } else if lie.objective {
        cell.held = Some(Force::Spanish.word());
    }
    cell
}

fn stroke(along: Along) -> Option<Stroke> {
    Some(match along {
        Along::Road => Stroke::Way(Track::Road),
        Along::Rail => Stroke::Way(Track::Railway),
        Along::River => Stroke::Side(Border::River),
        Along::Crossing => Stroke::Side(Border::Bridge),
        Along::Ford => Stroke::Side(Border::Ford),
        Along::Water => Stroke::Side(Border::Water),
    })
}

fn out_of_supply(now: &Position<'_>, nets: &Nets, id: UnitId) -> bool {
    now.is_combat(id) && !now.is_supplied(nets, id)
}

fn special(now: &Position<'_>, id: UnitId, arm: Arm) -> Counter {
    let force = now.data().specials.get(&id).map_or(Force::Us, |special| special.force);
    let mut counter = Counter::new(id, force.word(), arm);
    counter.name = now.data().counter_name(id).unwrap_or(id.as_str()).to_owned();
    counter
}

fn counter(now: &Position<'_>, id: UnitId, state: UnitState) -> Option<Counter> {
    let unit = now.counter(id)?;
    let arm = match unit.kind {
        UnitKind::Infantry | UnitKind::Volunteer => Arm::Infantry,
        UnitKind::Cavalry => Arm::Cavalry,
        UnitKind::Artillery => Arm::Artillery,
        UnitKind::Machinegun => Arm::MachineGun,
        UnitKind::Engineer => Arm::Engineer,
        UnitKind::Guerrilla => Arm::Guerrilla,
        UnitKind::Garrison => Arm::Garrison,
        UnitKind::Naval => Arm::Naval,
        UnitKind::Leader => Arm::Leader,
        UnitKind::Signals if now.state.balloon => Arm::Balloon,
        UnitKind::Signals => Arm::Signals,
    };
    let on_map = state.at.hex().is_some();
    let mut counter = Counter::new(id, unit.force.word(), arm);
    counter.name.clone_from(&unit.name);
    counter.label.clone_from(&unit.code);
    counter.echelon = echelon(unit.size);
    if let Some(formation) = &unit.formation {
        counter.notes.push(formation.clone());
    }
    let steps = if state.at == Place::Lost { 0 } else { state.steps };
    let factors = unit.factors(steps);
    let counter = if unit.is_leader() {
        counter.value("rating", unit.rating).value("movement", factors.mf)
    } else {
        counter.value("fire", factors.fire).value("shock", factors.shock).value("movement", factors.mf)
    };
    let mut counter = counter
        .of_steps(steps, unit.steps)
        .mark(Mark::Disorganized, state.disorganized)
        .mark(Mark::Frozen, on_map && now.is_frozen(id))
        .mark(Mark::Landed, state.landed)
        .mark(Mark::Up, unit.is_signals() && now.state.balloon);
    counter.ready = now.state.stage.side() == Some(player(unit.force)) && now.mover_bars(id).is_empty();
    Some(counter)
}

fn echelon(size: Size) -> Option<Echelon> {
    Some(match size {
        Size::Division => Echelon::Division,
        Size::Brigade => Echelon::Brigade,
        Size::Regiment => Echelon::Regiment,
        Size::Battalion => Echelon::Battalion,
        Size::Battery | Size::Company => Echelon::Company,
        Size::Detachment => Echelon::Detachment,
        Size::Column | Size::Leader => return None,
    })
}

/// Where an event happened, and to whom.
pub fn depict(data: &Data, event: &Event) -> Vec<Incident> {
    let each = |what: Deed, places: &BTreeMap<UnitId, Hex>| {
        places.iter().map(|(unit, hex)| Incident::new(what, [unit]).at(hex)).collect::<Vec<_>>()
    };
    let one = |incident: Incident| vec![incident];
    match event {
        Event::Deployed { force, places, .. } => {
            each(Deed::Placed, places).into_iter().map(|incident| incident.by(force.word())).collect()
        }
        Event::Landed { units, at, .. } => one(Incident::new(Deed::Landed, units).by(Force::Us.word()).at(at)),
        Event::BaseLanded { at, .. } => one(Incident::new(Deed::Landed, [data.cast.base]).by(Force::Us.word()).at(at)),
        Event::Entered { places } => {
            each(Deed::Entered, places).into_iter().map(|incident| incident.by(Force::Spanish.word())).collect()
        }
        Event::Marched { force, units, from, path, spent, .. } => {
            let Some(end) = path.last() else { return Vec::new() };
            let way = std::iter::once(*from).chain(path.iter().map(|paid| paid.hex));
            one(Incident::new(Deed::Moved, units).by(force.word()).from(way).at(end.hex).result(spent))
        }
        Event::LedAstray { units, from, path } => {
            let Some(end) = path.last() else { return Vec::new() };
            let way = std::iter::once(*from).chain(path.iter().map(|paid| paid.hex));
            one(Incident::new(Deed::Moved, units).from(way).at(end.hex).result("astray"))
        }
        Event::LeaderRelocated { leader, from, to } => {
            one(Incident::new(Deed::Moved, [leader]).from([from, to]).at(to))
        }
        Event::LeaderLost { leader, why } => {
            let how = if *why == LeaderFate::LineLost { "leaves" } else { "falls" };
            one(Incident::new(Deed::Eliminated, [leader]).result(how))
        }
        Event::SignalsLost { at, .. } => one(Incident::new(Deed::Eliminated, [data.cast.signals]).at(at)),
        Event::Overstacked { hex, force, removed, .. } => {
            one(Incident::new(Deed::Eliminated, removed).by(force.word()).at(hex))
        }
        Event::DefensiveFire { target, at, firers, result, .. } => {
            let units = firers.iter().map(|factor| factor.unit);
            one(Incident::new(Deed::Fired, units).from([target]).at(at).result(result))
        }
        Event::NavalGunfire { force, target, from, factors, .. } => one(Incident::new(Deed::Fired, NOBODY)
            .by(force.word())
            .from([from])
            .at(target)
            .result(format!("+{factors}"))),
        Event::Shock { target, force, attackers, result, column, .. } => {
            let mut from: Vec<Hex> = attackers.iter().map(|factor| factor.hex).collect();
            from.sort_unstable();
            from.dedup();
            let units = attackers.iter().map(|factor| factor.unit);
            let result = format!("{column} {result}");
            one(Incident::new(Deed::Fought, units).by(force.word()).from(from).at(target).result(result))
        }
        Event::StepsLost { force, hex, losses, .. } => {
            let (gone, hurt): (Vec<_>, Vec<_>) = losses.iter().partition(|loss| loss.left == 0);
            let some = |what: Deed, losses: Vec<&super::events::StepLoss>| {
                let units = losses.iter().map(|loss| loss.unit);
                (!losses.is_empty()).then(|| Incident::new(what, units).by(force.word()).at(hex))
            };
            some(Deed::Suffered, hurt).into_iter().chain(some(Deed::Eliminated, gone)).collect()
        }
        Event::Disorganized { hex, units } => one(Incident::new(Deed::Suffered, units).at(hex).result("DIS")),
        Event::Retreated { from, to, .. } => {
            (to.iter()).map(|(unit, hex)| Incident::new(Deed::Retreated, [unit]).from([from, hex]).at(hex)).collect()
        }
        Event::Advanced { to, units } => {
            (units.iter()).map(|(unit, from)| Incident::new(Deed::Advanced, [unit]).from([from, to]).at(to)).collect()
        }
        Event::Control { hex, us, .. } => {
            let force = if *us { Force::Us } else { Force::Spanish };
            one(Incident::new(Deed::Taken, NOBODY).by(force.word()).at(hex))
        }
        Event::MachinegunsPlaced { unit, at } => {
            one(Incident::new(Deed::Entered, [unit]).by(Force::Spanish.word()).at(at))
        }
        Event::JungleRoll { units, hex, .. } => one(Incident::new(Deed::Noted, units).at(hex).result("jungle")),
        Event::LeftBehind { units, at } | Event::MarchCut { units, at, .. } => {
            one(Incident::new(Deed::Noted, units).at(at))
        }
        Event::BattleNamed { target: hex, .. }
        | Event::NoBattle { target: hex, .. }
        | Event::NoFire { target: hex }
        | Event::CalledOff { target: hex, .. }
        | Event::LeaderHolds { hex, .. }
        | Event::FriendlyFire { target: hex, .. }
        | Event::Balloon { at: hex, .. } => one(Incident::new(Deed::Noted, NOBODY).at(hex)),
        Event::Phase { .. }
        | Event::OrderLapsed { .. }
        | Event::ChoiceLapsed(_)
        | Event::EntryBlocked { .. }
        | Event::SantiagoFell
        | Event::AllOutEffort { .. }
        | Event::SurrenderCheck { .. }
        | Event::FleetSails
        | Event::WithdrawalCheck { .. }
        | Event::Fever { .. }
        | Event::HistoricEvent { .. }
        | Event::MachinegunsForgone { .. }
        | Event::TurnEnded { .. }
        | Event::GameOver { .. } => Vec::new(),
    }
}
