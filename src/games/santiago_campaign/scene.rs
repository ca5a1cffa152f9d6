//! The position as a scene: the map, the counters as far as the viewer knows them, and where each event happened.

use std::collections::BTreeMap;

use crate::board::Hex;
use crate::engine::Side;
use crate::scene::{
    Arm as Symbol, Board, Border, Cell, Counter, Deed, Echelon, Flag as Sign, Force, Ground as Look, Incident, Livery,
    Mark, OffMap, Scene, Stroke, Track, Work,
};

use super::data::{Along, Ground};
use super::events::{Event, Paid};
use super::play::{Position, Trit};
use super::state::{Face, Place, Post, Stage, TokenState};
use super::supply::Suppose;
use super::terms::{Arm, HoldingBox, Land, Nation, Token, UnitId};
use super::{SPAIN, US};

/// For what happens in a place and to no unit.
const NOBODY: [UnitId; 0] = [];

/// The whole position.
pub fn scene(now: &Position<'_>) -> Scene {
    let army = |nation: Nation, name, side: Side, sign, livery| Force { id: nation.as_str(), name, side, sign, livery };
    let forces = vec![
        army(Nation::Us, "US Army", US, 'u', Livery::Navy),
        army(Nation::Cuban, "Cubans", US, 'c', Livery::Clay),
        army(Nation::Spanish, "Spanish", SPAIN, 's', Livery::Gold),
    ];
    Scene { forces, boards: vec![board(now)], boxes: boxes(now), ..Scene::default() }
}

fn board(now: &Position<'_>) -> Board {
    let data = now.data();
    let named: BTreeMap<Hex, &str> = data.places.iter().rev().map(|(name, hex)| (*hex, name.as_str())).collect();
    let cell = |hex: Hex, ground: Ground| cell(now, hex, ground, named.get(&hex).copied());
    let mut board = Board::of_hexes(&data.map, cell, stroke).with_names(&data.named);
    board.scale = "½ mile".to_owned();
    let maps = now.supply_maps(Suppose::default());
    for (id, unit) in now.state.units.iter() {
        let Some(hex) = unit.at.hex() else { continue };
        let Some(counter) = ours(now, *id) else { continue };
        let unsupplied = now.nation(*id) == Some(Nation::Us) && maps.at(now, hex) == Trit::No;
        let mut counter = counter.mark(Mark::OutOfSupply, unsupplied);
        counter.cell = Some(hex.to_string());
        board.counters.push(counter);
    }
    for (token, state) in now.state.counters.iter() {
        if let Post::At(hex) = state.at {
            let mut counter = spanish(now, *token, state);
            counter.cell = Some(hex.to_string());
            board.counters.push(counter);
        }
    }
    board.sort_counters();
    board
}

fn boxes(now: &Position<'_>) -> Vec<OffMap> {
    let ours = |at: Place| {
        let there = now.state.units.iter().filter(move |(_, unit)| unit.at == at);
        there.filter_map(|(id, _)| ours(now, *id)).collect::<Vec<_>>()
    };
    let held = |which: HoldingBox| {
        let there = now.state.counters.iter().filter(move |(_, state)| state.at == Post::In(which));
        there.map(|(token, state)| spanish(now, *token, state)).collect::<Vec<_>>()
    };
    let dead = now.state.dead.iter().filter_map(|id| now.counter(*id).map(|_| shown(now, *id, *id, 0)));
    let lost = ours(Place::Lost).into_iter().chain(dead).collect();
    // What the Spanish player has to place is known to everybody; where he places it is not (§5.1).
    let spanish_army = now.data().counters.values().filter(|counter| counter.nation == Nation::Spanish);
    let to_place = match now.state.stage {
        Stage::SpanishSetup => spanish_army.map(|counter| shown(now, counter.id(), counter.id(), 1)).collect(),
        _ => Vec::new(),
    };
    let boxes = [
        ("spanish", "Spanish to set up", to_place),
        ("sea", "At sea", ours(Place::OffMap)),
        ("guantanamo-us", "Marines at Guantánamo", ours(Place::Guantanamo)),
        ("manzanillo", "Manzanillo", held(HoldingBox::Manzanillo)),
        ("guantanamo", "Guantánamo", held(HoldingBox::Guantanamo)),
        ("lost", "Lost", lost),
    ];
    let filled = boxes.into_iter().filter(|(_, _, counters): &(&str, &str, Vec<Counter>)| !counters.is_empty());
    filled.map(|(id, name, counters)| OffMap { id: id.into(), name: name.into(), counters }).collect()
}

fn cell(now: &Position<'_>, hex: Hex, ground: Ground, name: Option<&str>) -> Cell {
    let look = match ground.land {
        Land::Clear if ground.beach => Look::Beach,
        Land::Clear => Look::Clear,
        Land::Jungle => Look::Jungle,
        Land::Swamp => Look::Swamp,
        Land::City => Look::City,
        Land::Harbour => Look::Harbour,
        Land::Sea => Look::Sea,
    };
    let mut cell = Cell::new(hex, look);
    cell.level = ground.height;
    cell.name = name.map(str::to_owned);
    let works = [(ground.fortress, Work::Fort), (ground.blockhouse, Work::Blockhouse)];
    cell.works = works.into_iter().filter(|(there, _)| *there).map(|(_, work)| work).collect();
    let data = now.data();
    let goal = data.is_city(hex) || ground.fortress;
    let entry = hex == data.manzanillo || hex == data.guantanamo;
    let source = now.state.sources.contains_key(&hex);
    let flags = [(goal, Sign::Objective), (ground.beach, Sign::Landing), (entry, Sign::Entry), (source, Sign::Source)];
    cell.flags = flags.into_iter().filter(|(there, _)| *there).map(|(_, flag)| flag).collect();
    if goal {
        let ours = now.state.us_passed.contains(&hex);
        cell.held = Some(if ours { Nation::Us } else { Nation::Spanish }.as_str());
    }
    if ground.zone > 0 {
        cell.notes.push(format!("Cuban zone {}", ground.zone));
    }
    if let Some(source) = now.state.sources.get(&hex) {
        cell.notes.push(format!("Supply Source {}", source.number));
    }
    cell
}

fn stroke(along: Along) -> Option<Stroke> {
    Some(match along {
        Along::Road => Stroke::Way(Track::Road),
        Along::River => Stroke::Side(Border::River),
        Along::Bridge => Stroke::Side(Border::Bridge),
        Along::Up => Stroke::Side(Border::Slope),
        Along::Trench => Stroke::Side(Border::Trench),
        Along::Water => Stroke::Side(Border::Water),
        Along::Down => return None,
    })
}

fn symbol(arm: Arm) -> Symbol {
    match arm {
        Arm::Infantry => Symbol::Infantry,
        Arm::Cavalry => Symbol::Cavalry,
        Arm::Artillery => Symbol::Artillery,
        Arm::Engineer => Symbol::Engineer,
        Arm::Gatling => Symbol::MachineGun,
        Arm::Balloon => Symbol::Balloon,
        Arm::Insurgent => Symbol::Guerrilla,
        Arm::Garrison => Symbol::Garrison,
    }
}

/// A counter face up, under the name orders have for it.
fn shown(now: &Position<'_>, unit: UnitId, id: impl ToString, steps: u8) -> Counter {
    let Some(printed) = now.counter(unit) else { return Counter::new(id, Nation::Us.as_str(), Symbol::Unknown) };
    let mut counter = Counter::new(id, printed.nation.as_str(), symbol(printed.kind));
    counter.name.clone_from(&printed.name);
    counter.label.clone_from(&printed.label);
    counter.echelon = match printed.kind {
        Arm::Artillery | Arm::Gatling => Some(Echelon::Company),
        Arm::Infantry | Arm::Cavalry if printed.nation == Nation::Us => Some(Echelon::Regiment),
        Arm::Infantry => Some(Echelon::Battalion),
        _ => None,
    };
    let factor = match printed.factor {
        None => "?".to_owned(),
        Some(_) if printed.kind.is_artillery() => format!("{}-0", printed.factor_at(steps.max(1))),
        Some(_) => printed.factor_at(steps.max(1)).to_string(),
    };
    counter.value("combat", factor).value("movement", now.data().movement_factor(printed.nation))
}

fn ours(now: &Position<'_>, id: UnitId) -> Option<Counter> {
    let (printed, unit) = (now.counter(id)?, now.state.unit(id));
    let up = printed.kind == Arm::Balloon && now.state.balloon_up;
    let steps = if unit.at == Place::Lost { 0 } else { unit.steps };
    let mut counter = shown(now, id, id, unit.steps)
        .of_steps(steps, printed.steps())
        .mark(Mark::Fever, unit.fever)
        .mark(Mark::Landed, unit.landed)
        .mark(Mark::Up, up);
    counter.ready = now.state.stage.side() == Some(US) && unit.at.hex().is_some() && !unit.fever;
    Some(counter)
}

fn spanish(now: &Position<'_>, token: Token, state: &TokenState) -> Counter {
    let down = matches!(state.face, Face::Down(_));
    let mut counter = match now.identity(token) {
        Some(unit) => {
            let mut counter = shown(now, unit, token, 1).mark(Mark::FaceDown, down);
            counter.notes.push(unit.to_string());
            counter
        }
        None => {
            let mut counter = Counter::new(token, Nation::Spanish.as_str(), Symbol::Unknown).mark(Mark::Unknown, true);
            counter.name = "a Spanish unit, face down".to_owned();
            counter
        }
    };
    counter.ready = now.state.stage.side() == Some(SPAIN) && state.at.hex().is_some();
    counter
}

/// Where an event happened, and to whom.
pub fn depict(event: &Event) -> Vec<Incident> {
    let one = |incident: Incident| vec![incident];
    let us = Nation::Us.as_str();
    match event {
        Event::CubansDeployed { places } => (places.iter())
            .map(|(unit, hex)| Incident::new(Deed::Placed, [unit]).by(Nation::Cuban.as_str()).at(hex))
            .collect(),
        Event::SpanishDeployed { hexes, .. } => (hexes.iter())
            .map(|(hex, count)| Incident::new(Deed::Placed, NOBODY).by("spanish").at(hex).result(count))
            .collect(),
        Event::SourcePlaced { hex, .. } => one(Incident::new(Deed::Noted, NOBODY).at(hex).result("source")),
        Event::SourceLost { hex, .. } => one(Incident::new(Deed::Noted, NOBODY).at(hex).result("source lost")),
        Event::Landed { unit, site, path, .. } => {
            let end = path.last().map_or(*site, |paid| paid.hex);
            one(Incident::new(Deed::Landed, [unit]).by(us).from(way(Some(*site), path)).at(end))
        }
        Event::Moved { piece, nation, from, path, spent, .. } => {
            let Some(end) = path.last() else { return Vec::new() };
            let what = if from.is_some() { Deed::Moved } else { Deed::Entered };
            one(Incident::new(what, [piece]).by(nation.as_str()).from(way(*from, path)).at(end.hex).result(spent))
        }
        Event::Overrun { at, lost, .. } => one(Incident::new(Deed::Eliminated, lost).at(at).result("overrun")),
        Event::BalloonFired { from, at, hit, .. } => {
            one(Incident::new(Deed::Fired, NOBODY).from([from]).at(at).result(if *hit { "hit" } else { "miss" }))
        }
        Event::Scatter { hex: Some(hex), .. } => one(Incident::new(Deed::Noted, NOBODY).at(hex).result("scatter")),
        Event::StepLost { unit, nation, hex, left, .. } => {
            let what = if *left == 0 { Deed::Eliminated } else { Deed::Suffered };
            one(Incident::new(what, [unit]).by(nation.as_str()).at(hex))
        }
        Event::SpanishLost { counter, hex, .. } => {
            one(Incident::new(Deed::Eliminated, [counter]).by(Nation::Spanish.as_str()).at(hex))
        }
        Event::Combat { target, attackers, final_odds, result, .. } => {
            let mut from: Vec<Hex> = attackers.iter().map(|factor| factor.hex).collect();
            from.sort_unstable();
            from.dedup();
            let units = attackers.iter().map(|factor| factor.unit);
            let result = format!("{final_odds} {}", result.as_str());
            one(Incident::new(Deed::Fought, units).from(from).at(target).result(result))
        }
        Event::Revealed { units } => one(Incident::new(Deed::Revealed, units.keys())),
        Event::Retreated { pieces, from, to, .. } => {
            one(Incident::new(Deed::Retreated, pieces).from([from, to]).at(to))
        }
        Event::Displaced { moves } => (moves.iter())
            .map(|shove| Incident::new(Deed::Retreated, [shove.piece]).from([shove.from, shove.to]).at(shove.to))
            .collect(),
        Event::CubanDisplaced { unit, from, to } => {
            one(Incident::new(Deed::Retreated, [unit]).by(Nation::Cuban.as_str()).from([from, to]).at(to))
        }
        Event::Advanced { pieces, to } => one(Incident::new(Deed::Advanced, pieces).at(to)),
        Event::Passed { hex, us } => {
            let nation = if *us { Nation::Us } else { Nation::Spanish };
            one(Incident::new(Deed::Taken, NOBODY).by(nation.as_str()).at(hex))
        }
        Event::Overstacked { hex, removed } => one(Incident::new(Deed::Eliminated, removed).at(hex)),
        Event::FeverRoll { infected, .. } => one(Incident::new(Deed::Suffered, infected).by(us).result("fever")),
        Event::Attack { target: hex, .. }
        | Event::AttackVoid { target: hex, .. }
        | Event::AtLeast { target: hex, .. }
        | Event::FortressHolds { target: hex }
        | Event::NoAdvance { to: hex }
        | Event::SiteRolled { site: Some(hex), .. }
        | Event::BalloonMode { at: hex, .. } => one(Incident::new(Deed::Noted, NOBODY).at(hex)),
        Event::Scatter { hex: None, .. }
        | Event::SiteRolled { site: None, .. }
        | Event::Phase { .. }
        | Event::BoxShown { .. }
        | Event::AllShown { .. }
        | Event::CubanRoll { .. }
        | Event::Marines { .. }
        | Event::Split { .. }
        | Event::Drawn { .. }
        | Event::SetAside { .. }
        | Event::PoolEmpty
        | Event::SupplyLength { .. }
        | Event::Recovered { .. }
        | Event::Concealed { .. }
        | Event::DroppedOut { .. }
        | Event::CubanStrength { .. }
        | Event::BloodbathBill { .. }
        | Event::SiegeTest { .. }
        | Event::TruceRoll { .. }
        | Event::TruceOver
        | Event::GuantanamoRoll { .. }
        | Event::Released { .. }
        | Event::Withheld { .. }
        | Event::OrderLapsed { .. }
        | Event::ChoiceLapsed(_)
        | Event::TurnEnded { .. }
        | Event::GameOver { .. } => Vec::new(),
    }
}

fn way(from: Option<Hex>, path: &[Paid]) -> impl Iterator<Item = Hex> + '_ {
    from.into_iter().chain(path.iter().map(|paid| paid.hex))
}
