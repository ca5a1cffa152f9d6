//! The position as a scene: the map, the counters on it and beside it, and where each event happened.

use crate::board::Hex;
use crate::engine::Side;
use crate::scene::{
    Arm as Symbol, Board, Border, Cell, Counter, Deed, Echelon, Edge, Flag as Sign, Force as Army, Ground as Look,
    Incident, Livery, Mark, OffMap, Scene, Stroke, Track, Work,
};

use super::data::{Along, Ground, Water};
use super::events::{Event, Paid};
use super::position::Position;
use super::state::Place;
use super::terms::{Arm, Flag, Force, Piece, Size, Terrain};
use super::{SPAIN, US};

/// For what happens in a place and to no unit.
const NOBODY: [Piece; 0] = [];

/// The whole position.
pub fn scene(now: &Position<'_>) -> Scene {
    let army = |force: Force, name, side: Side, sign, livery| Army { id: force.as_str(), name, side, sign, livery };
    let forces = vec![
        army(Force::Us, "US Army", US, 'u', Livery::Navy),
        army(Force::Cuban, "Cubans", US, 'c', Livery::Clay),
        army(Force::Spanish, "Spanish", SPAIN, 's', Livery::Gold),
    ];
    Scene { forces, boards: vec![board(now)], boxes: boxes(now), ..Scene::default() }
}

fn board(now: &Position<'_>) -> Board {
    let data = now.data();
    let mut board = Board::of_hexes(&data.map, |hex, ground| cell(now, hex, ground), stroke).with_names(&data.named);
    board.scale = "⅕ mile".to_owned();
    // §6.0b: a ford is where a road or trail meets a river without a bridge.
    let rivers: Vec<[String; 2]> =
        board.sides.iter().filter(|edge| edge.what == Border::River).map(|edge| edge.between.clone()).collect();
    for between in rivers {
        let [a, b] = between.each_ref().map(|cell| cell.parse::<Hex>().ok());
        if let (Some(a), Some(b)) = (a, b)
            && data.crossing(a, b) == Water::Ford
        {
            board.sides.push(Edge { what: Border::Ford, between });
        }
    }
    for pontoon in &now.state.pontoons {
        let between = [pontoon.low, pontoon.high].map(|hex| hex.to_string());
        board.sides.push(Edge { what: Border::Bridge, between });
    }
    for (id, state) in &now.state.units {
        let Some(hex) = state.at.hex() else { continue };
        let Some(mut counter) = counter(now, *id) else { continue };
        counter.cell = Some(hex.to_string());
        board.counters.push(counter);
    }
    board.sort_counters();
    board
}

fn boxes(now: &Position<'_>) -> Vec<OffMap> {
    let held = |at: Place, force: Option<Force>| {
        let of = |id: Piece| force.is_none_or(|force| now.unit(id).is_some_and(|unit| unit.force == force));
        let there = now.state.units.iter().filter(|(id, state)| state.at == at && of(**id));
        there.filter_map(|(id, _)| counter(now, *id)).collect::<Vec<_>>()
    };
    let boxes = [
        ("edge", "At the edge of the map", held(Place::Edge, None)),
        ("us", "US to come", held(Place::Off, Some(Force::Us))),
        ("cubans", "Cubans to come", held(Place::Off, Some(Force::Cuban))),
        ("spanish", "Spanish to come", held(Place::Off, Some(Force::Spanish))),
        ("lost", "Lost", held(Place::Lost, None)),
    ];
    let filled = boxes.into_iter().filter(|(_, _, counters): &(&str, &str, Vec<Counter>)| !counters.is_empty());
    filled.map(|(id, name, counters)| OffMap { id: id.into(), name: name.into(), counters }).collect()
}

fn cell(now: &Position<'_>, hex: Hex, ground: Ground) -> Cell {
    let data = now.data();
    let look = match ground.terrain {
        Terrain::Clear => Look::Clear,
        Terrain::Hill => Look::Hill,
        Terrain::Jungle => Look::Jungle,
        Terrain::Swamp => Look::Swamp,
        Terrain::Lake => Look::Lake,
        Terrain::Village => Look::Village,
        Terrain::City => Look::City,
        Terrain::Harbor => Look::Harbour,
    };
    let mut cell = Cell::new(hex, look);
    // A hill under jungle or a village: the height is drawn beneath it.
    cell.level = u8::from(ground.is(Terrain::Hill));
    cell.name = ground.name.map(|name| name.to_string());
    let dug = now.state.entrenchments.contains(&hex);
    let works = [(ground.fort, Work::Fort), (ground.blockhouse, Work::Blockhouse), (dug, Work::Entrenchment)];
    cell.works = works.into_iter().filter(|(there, _)| *there).map(|(_, work)| work).collect();
    if data.is_prize(hex) {
        cell.flags.push(Sign::Objective);
        let ours = now.state.us_held.contains(&hex);
        cell.held = Some(if ours { Force::Us } else { Force::Spanish }.as_str());
    }
    if ground.bivouac {
        cell.notes.push("bivouac".to_owned());
    }
    cell
}

fn stroke(along: Along) -> Option<Stroke> {
    Some(match along {
        Along::Road => Stroke::Way(Track::Road),
        Along::Trail => Stroke::Way(Track::Trail),
        Along::River => Stroke::Side(Border::River),
        Along::Bridge => Stroke::Side(Border::Bridge),
    })
}

fn counter(now: &Position<'_>, id: Piece) -> Option<Counter> {
    let (unit, state) = (now.unit(id)?, now.now(id));
    let arm = match unit.arm {
        _ if unit.has(Flag::Naval) => Symbol::Naval,
        Arm::Infantry => Symbol::Infantry,
        Arm::Guerrilla => Symbol::Guerrilla,
        Arm::Cavalry => Symbol::Cavalry,
        Arm::Artillery => Symbol::Artillery,
        Arm::Gatling => Symbol::MachineGun,
        Arm::Engineer => Symbol::Engineer,
        Arm::Leader => Symbol::Leader,
        Arm::Base if now.state.balloon_up => Symbol::Balloon,
        Arm::Base => Symbol::Signals,
    };
    let mut counter = Counter::new(id, unit.force.as_str(), arm);
    counter.name = unit.name.to_string();
    counter.label = unit.code.to_string();
    counter.echelon = match unit.size {
        Size::Regiment => Some(Echelon::Regiment),
        Size::Squadron => Some(Echelon::Battalion),
        Size::Breakdown | Size::Company | Size::Battery => Some(Echelon::Company),
        Size::Leader | Size::None => None,
    };
    let counter = match (unit.cf, unit.variable) {
        _ if !unit.is_combat() => counter,
        (_, true) => counter.value("combat", "?"),
        (cf, false) => counter.value("combat", cf.unwrap_or(0)),
    };
    let counter = match (unit.range, unit.command) {
        (Some(range), _) => counter.value("range", range),
        (None, Some(range)) => counter.value("command", range),
        (None, None) => counter,
    };
    let mut counter = counter
        .value("movement", unit.mf)
        .mark(Mark::Broken, state.broken)
        .mark(Mark::OutOfSupply, state.oos.is_some())
        .mark(Mark::OutOfCommand, state.ooc)
        .mark(Mark::Frozen, state.garrison)
        .mark(Mark::Up, unit.arm == Arm::Base && now.state.balloon_up);
    let due = now.state.stage.side() == Some(unit.side());
    counter.ready = due && state.at.hex().is_some() && now.bars_moving(unit.side(), id, &Default::default()).is_empty();
    Some(counter)
}

/// Where an event happened, and to whom.
pub fn depict(event: &Event) -> Vec<Incident> {
    let one = |incident: Incident| vec![incident];
    let way =
        |from: Option<Hex>, path: &[Paid]| from.into_iter().chain(path.iter().map(|paid| paid.hex)).collect::<Vec<_>>();
    match event {
        Event::Deployed { units, .. } => {
            units.iter().map(|(unit, hex)| Incident::new(Deed::Placed, [unit]).at(hex)).collect()
        }
        Event::Entered { units, at, path, .. } => {
            let end = path.last().map_or(*at, |paid| paid.hex);
            one(Incident::new(Deed::Entered, units).from(way(None, path)).at(end))
        }
        Event::Moved { units, from, path, spent } => {
            let Some(end) = path.last() else { return Vec::new() };
            one(Incident::new(Deed::Moved, units).from(way(Some(*from), path)).at(end.hex).result(spent))
        }
        Event::LeaderMoved { leader, from, path } => {
            let Some(end) = path.last() else { return Vec::new() };
            one(Incident::new(Deed::Moved, [leader]).from(std::iter::once(from).chain(path)).at(end))
        }
        Event::LeaderBack { leader, at: Some(at), .. } => one(Incident::new(Deed::Entered, [leader]).at(at)),
        Event::BrokeDown { unit, into, at } | Event::BrokeDownForLosses { unit, left: into, at } => vec![
            Incident::new(Deed::Eliminated, [unit]).at(at).result("breaks down"),
            Incident::new(Deed::Entered, into).at(at),
        ],
        Event::Reformed { unit, from, at } => vec![
            Incident::new(Deed::Eliminated, from).at(at).result("reforms"),
            Incident::new(Deed::Entered, [unit]).at(at),
        ],
        Event::Broken { units, at, .. } => one(Incident::new(Deed::Suffered, units).at(at).result("broken")),
        Event::Fire { by, target, factors, steps, .. } => {
            let units = factors.iter().map(|factor| factor.unit);
            one(Incident::new(Deed::Fired, units).by(by.as_str()).at(target).result(steps))
        }
        Event::Assault { target, attackers, result, .. } => {
            let units = attackers.iter().map(|factor| factor.unit);
            one(Incident::new(Deed::Fought, units).at(target).result(result))
        }
        Event::Lost { force, at, units, .. } => {
            let lost = Incident::new(Deed::Eliminated, units).by(force.as_str());
            one(match at {
                Some(at) => lost.at(at),
                None => lost,
            })
        }
        Event::LeaderKilled { leader, at, .. } => one(Incident::new(Deed::Eliminated, [leader]).at(at)),
        Event::Retired { unit, from, to } => one(Incident::new(Deed::Retreated, [unit]).from([from, to]).at(to)),
        Event::Retreated { unit, from, path } => {
            let Some(end) = path.last() else { return Vec::new() };
            one(Incident::new(Deed::Retreated, [unit]).from(std::iter::once(from).chain(path)).at(end))
        }
        Event::Occupied { units, into } | Event::Advanced { units, into } => {
            one(Incident::new(Deed::Advanced, units).at(into))
        }
        Event::Control { hex, us } => {
            let force = if *us { Force::Us } else { Force::Spanish };
            one(Incident::new(Deed::Taken, NOBODY).by(force.as_str()).at(hex))
        }
        Event::LeftZone { unit, to: hex, .. }
        | Event::MoraleCheck { unit, at: hex, .. }
        | Event::Recovered { unit, at: hex, .. }
        | Event::Entrenched { unit, at: hex }
        | Event::VariableRoll { unit, at: hex, .. }
        | Event::RetireRoll { unit, at: hex, .. }
        | Event::FeverRoll { unit, at: hex, .. }
        | Event::StoodInFort { unit, at: hex }
        | Event::IndirectRoll { unit, target: hex, .. } => one(Incident::new(Deed::Noted, [unit]).at(hex)),
        Event::LeaderHit { leader, at, .. } => one(Incident::new(Deed::Noted, [leader]).at(at)),
        Event::Halted { units, at: hex, .. }
        | Event::AssaultMarked { units, target: hex }
        | Event::Due { units, at: hex } => one(Incident::new(Deed::Noted, units).at(hex)),
        Event::BalloonLost { at, .. } => one(Incident::new(Deed::Noted, NOBODY).at(at).result("balloon lost")),
        Event::BalloonSet { at: hex, .. }
        | Event::BalloonRoll { at: hex, .. }
        | Event::NoFire { target: hex, .. }
        | Event::CalledOff { target: hex }
        | Event::NoAssault { target: hex, .. } => one(Incident::new(Deed::Noted, NOBODY).at(hex)),
        // Weather, checks of a whole army, arrivals to come, victory: nothing with a place of its own.
        _ => Vec::new(),
    }
}
