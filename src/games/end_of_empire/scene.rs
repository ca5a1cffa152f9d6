//! The position as a scene: the map, open units, closed counters as far as the viewer knows them, and where each event
//! happened.

use crate::board::Hex;
use crate::engine::{Seen, Side};
use crate::scene::{
    Arm, Board, Border, Cell, Counter, Deed, Echelon, Flag as Sign, Force as Army, Ground as Look, Incident, Livery,
    Mark, OffMap, Scene, Stroke, Track, Work,
};

use super::data::{Along, Data, Ground};
use super::events::{Event, Paid};
use super::position::{Known, Position};
use super::state::{CounterState, Place, State, UnitState};
use super::terms::{Content, Force, Mode, Piece, Size, Terrain, UnitKind};
use super::{EndOfEmpire, SPAIN, US};

/// For what happens in a place and to no unit.
const NOBODY: [Piece; 0] = [];

/// The whole position.
pub fn scene(game: &EndOfEmpire, seen: &Seen<'_, State>) -> Scene {
    let known = match seen.side {
        Some(side) => Known::own(game, seen, side),
        None => Known::of(game, seen.state, seen.holdings),
    };
    let now = Position { game, state: seen.state, known: &known };
    let army = |force: Force, name, side: Side, sign, livery| Army { id: force.as_str(), name, side, sign, livery };
    let forces = vec![
        army(Force::Us, "US Army", US, 'u', Livery::Navy),
        army(Force::Cuban, "Cubans", US, 'c', Livery::Clay),
        army(Force::Spanish, "Spanish", SPAIN, 's', Livery::Gold),
    ];
    Scene { forces, boards: vec![board(&now)], boxes: boxes(&now), ..Scene::default() }
}

fn board(now: &Position<'_>) -> Board {
    let data = now.data();
    let mut board = Board::of_hexes(&data.map, |hex, ground| cell(now, hex, ground), stroke).with_names(&data.named);
    board.scale = "1 mile".to_owned();
    let units = now.state.units.iter().filter_map(|(id, state)| Some((*id, state, state.at.hex()?)));
    for (id, state, hex) in units {
        let Some(mut counter) = open(now, id, state) else { continue };
        counter.cell = Some(hex.to_string());
        board.counters.push(counter);
    }
    for (id, state) in &now.state.counters {
        let mut counter = closed(now, *id, state);
        counter.cell = Some(state.at.to_string());
        board.counters.push(counter);
    }
    if let (Some(hex), Some(id)) = (now.state.base, data.cast().base) {
        let mut base = printed(now, id, 0, None).unwrap_or_else(|| Counter::new(id, Force::Us.as_str(), Arm::Base));
        base.cell = Some(hex.to_string());
        board.counters.push(base);
    }
    board.sort_counters();
    board
}

fn boxes(now: &Position<'_>) -> Vec<OffMap> {
    // What lies under a counter waits nowhere else; whoever cannot look under it sees the unit as not yet in play.
    let units = |at: Place, force: Option<Force>| {
        let there = now.state.units.iter().filter(move |(id, state)| {
            state.at == at && force.is_none_or(|force| now.force(**id) == Some(force)) && now.under(**id).is_none()
        });
        there.filter_map(|(id, state)| open(now, *id, state)).collect::<Vec<_>>()
    };
    let boxes = [
        ("us", "US to come", units(Place::Off, Some(Force::Us))),
        ("cubans", "Cubans to come, or under a counter", units(Place::Off, Some(Force::Cuban))),
        ("spanish", "Spanish to come, or under a counter", units(Place::Off, Some(Force::Spanish))),
        ("lost", "Lost", units(Place::Lost, None)),
    ];
    let filled = boxes.into_iter().filter(|(_, _, counters): &(&str, &str, Vec<Counter>)| !counters.is_empty());
    filled.map(|(id, name, counters)| OffMap { id: id.into(), name: name.into(), counters }).collect()
}

fn cell(now: &Position<'_>, hex: Hex, ground: Ground) -> Cell {
    let look = match ground.terrain {
        Terrain::Clear => Look::Clear,
        Terrain::Jungle => Look::Jungle,
        Terrain::Hill => Look::Hill,
        Terrain::Beach => Look::Beach,
        Terrain::Village => Look::Village,
        Terrain::Town => Look::Town,
        Terrain::City => Look::City,
        Terrain::Harbour => Look::Harbour,
        Terrain::Ocean => Look::Sea,
    };
    let mut cell = Cell::new(hex, look);
    cell.name = ground.name.map(|name| name.to_string());
    let works =
        [(ground.redoubt, Work::Redoubt), (ground.battery, Work::Battery), (ground.entrenchment, Work::Entrenchment)];
    cell.works = works.into_iter().filter(|(there, _)| *there).map(|(_, work)| work).collect();
    let entry = now.data().west_edge.contains(&hex);
    let flags = [(ground.objective, Sign::Objective), (ground.beach, Sign::Landing), (entry, Sign::Entry)];
    cell.flags = flags.into_iter().filter(|(there, _)| *there).map(|(_, flag)| flag).collect();
    if now.us_controls(hex) {
        cell.held = Some(Force::Us.as_str());
    } else if ground.objective {
        cell.held = Some(Force::Spanish.as_str());
    }
    if ground.base_landing {
        cell.notes.push("the Logistics Base may land here".to_owned());
    }
    cell
}

fn stroke(along: Along) -> Option<Stroke> {
    Some(match along {
        Along::Road => Stroke::Way(Track::Road),
        Along::Rail => Stroke::Way(Track::Railway),
        Along::River => Stroke::Side(Border::River),
        Along::Ford => Stroke::Side(Border::Ford),
    })
}

fn arm(kind: UnitKind, balloon: bool) -> Arm {
    match kind {
        UnitKind::Infantry => Arm::Infantry,
        UnitKind::Cavalry => Arm::Cavalry,
        UnitKind::Engineer => Arm::Engineer,
        UnitKind::Guerrilla => Arm::Guerrilla,
        UnitKind::Artillery => Arm::Artillery,
        UnitKind::MachineGun => Arm::MachineGun,
        UnitKind::Leader => Arm::Leader,
        UnitKind::Signals if balloon => Arm::Balloon,
        UnitKind::Signals => Arm::Signals,
        UnitKind::LogisticColumn => Arm::Supply,
        UnitKind::Base => Arm::Base,
        UnitKind::Fleet => Arm::Fleet,
        UnitKind::Column | UnitKind::Brigade | UnitKind::Dummy => Arm::Column,
    }
}

fn printed(now: &Position<'_>, id: Piece, steps: u8, mode: Option<Mode>) -> Option<Counter> {
    let unit = now.unit(id)?;
    let mut counter = Counter::new(id, unit.force.as_str(), arm(unit.kind, now.state.balloon_up));
    counter.name.clone_from(&unit.name);
    counter.label.clone_from(&unit.code);
    counter.echelon = match unit.size {
        Size::Regiment => Some(Echelon::Regiment),
        Size::Battalion => Some(Echelon::Battalion),
        Size::Brigade => Some(Echelon::Brigade),
        Size::Battery => Some(Echelon::Company),
        Size::Detachment => Some(Echelon::Detachment),
        Size::Column | Size::Leader | Size::Fleet | Size::Marker => None,
    };
    if let Some(formation) = &unit.formation {
        counter.notes.push(formation.clone());
    }
    let factors = unit.factors(steps, mode);
    let counter = match unit.kind {
        UnitKind::Leader => counter.value("rating", unit.rating.unwrap_or(0)).value("movement", factors.r#move),
        UnitKind::Base | UnitKind::Fleet => counter,
        _ => counter.value("fire", factors.fire).value("shock", factors.shock).value("movement", factors.r#move),
    };
    Some(counter)
}

fn ready(now: &Position<'_>, piece: Piece) -> bool {
    let side = now.state.stage.side();
    let own = side.is_some() && now.force(piece).map(Force::side) == side;
    own && now.bars_marching(side.unwrap_or(US), piece, &Default::default(), false).is_empty()
}

fn open(now: &Position<'_>, id: Piece, state: &UnitState) -> Option<Counter> {
    let unit = now.unit(id)?;
    let steps = if state.at == Place::Lost { 0 } else { state.steps };
    let on_map = state.at.hex().is_some();
    let mut counter = printed(now, id, state.steps, state.mode)?
        .of_steps(steps, unit.steps)
        .mark(Mark::Disorganized, state.ds)
        .mark(Mark::OutOfSupply, state.oos)
        .mark(Mark::Frozen, on_map && now.frozen(id))
        .mark(Mark::Landed, state.landed)
        .mark(Mark::Spent, state.stopped)
        .mark(Mark::Guerrilla, state.mode == Some(Mode::Guerrilla))
        .mark(Mark::Up, unit.kind == UnitKind::Signals && now.state.balloon_up);
    counter.ready = on_map && ready(now, id);
    Some(counter)
}

fn closed(now: &Position<'_>, id: Piece, state: &CounterState) -> Counter {
    let content = now.known.0.get(&id);
    let mut counter =
        Counter::new(id, state.force.as_str(), if content.is_some() { Arm::Column } else { Arm::Unknown })
            .mark(Mark::FaceDown, content.is_some())
            .mark(Mark::Unknown, content.is_none())
            .mark(Mark::Disorganized, state.ds > 0)
            .mark(Mark::OutOfSupply, state.oos)
            .mark(Mark::Landed, state.landed)
            .mark(Mark::Spent, state.stopped)
            .mark(Mark::Guerrilla, state.mode == Some(Mode::Guerrilla));
    let what = if state.force == Force::Us { "brigade" } else { "column" };
    counter.name = format!("a closed {} {what}", state.force.name());
    match content {
        Some(Content::Dummy) => counter.notes.push("a dummy".to_owned()),
        Some(Content::Units(members)) => {
            let names: Vec<String> = members.iter().map(ToString::to_string).collect();
            counter.notes.push(format!("holds {}", names.join(", ")));
            counter = counter.value("movement", now.allowance(id));
        }
        None => {}
    }
    if state.real {
        counter.notes.push("known to be no dummy".to_owned());
    }
    if let Some(steps) = state.told {
        counter.notes.push(format!("{steps} steps were seen in it"));
    }
    if state.lost() > 0 {
        counter.notes.push(format!("has lost {} steps", state.lost()));
    }
    counter.ready = ready(now, id);
    counter
}

/// Where an event happened, and to whom.
pub fn depict(data: &Data, event: &Event) -> Vec<Incident> {
    let one = |incident: Incident| vec![incident];
    let with = |units: &[Piece], counter: &Option<Piece>| units.iter().copied().chain(*counter).collect::<Vec<_>>();
    match event {
        Event::Deployed { force, units, counters } => (units.iter().chain(counters))
            .map(|(unit, hex)| Incident::new(Deed::Placed, [unit]).by(force.as_str()).at(hex))
            .collect(),
        Event::MachineGuns { at: Some(hex) } => {
            one(Incident::new(Deed::Entered, data.cast().machine_guns).by(Force::Spanish.as_str()).at(hex))
        }
        Event::LogisticsMade { unit, at, .. } => one(Incident::new(Deed::Entered, [unit]).at(at)),
        Event::Detached { into, at, .. } => one(Incident::new(Deed::Entered, into).at(at)),
        Event::Reorganized { force, counters, .. } => (counters.iter())
            .map(|(counter, hex)| Incident::new(Deed::Noted, [counter]).by(force.as_str()).at(hex))
            .collect(),
        Event::Landed { units, counter, at } => {
            one(Incident::new(Deed::Landed, with(units, counter)).by(Force::Us.as_str()).at(at))
        }
        Event::BaseLanded { at } => one(Incident::new(Deed::Landed, data.cast().base).by(Force::Us.as_str()).at(at)),
        Event::Entered { units, counter, at } => {
            one(Incident::new(Deed::Entered, with(units, counter)).by(Force::Spanish.as_str()).at(at))
        }
        Event::Moved { units, from, path, spent, led } => {
            let Some(end) = path.last() else { return Vec::new() };
            let result = if *led { "astray".to_owned() } else { spent.to_string() };
            one(Incident::new(Deed::Moved, units).from(way(*from, path)).at(end.hex).result(result))
        }
        Event::LeaderMoved { unit, from, to } => one(Incident::new(Deed::Moved, [unit]).from([from, to]).at(to)),
        Event::GuerrillaRoll { by, target, result, .. } => {
            one(Incident::new(Deed::Fought, by).at(target).result(result))
        }
        Event::StepsLost { force, at, losses, .. } => {
            let units = losses.iter().map(|loss| loss.unit);
            one(Incident::new(Deed::Suffered, units).by(force.as_str()).at(at))
        }
        Event::Eliminated { units, at, .. } => one(Incident::new(Deed::Eliminated, units).at(at)),
        Event::Disorganized { units, at, .. } => one(Incident::new(Deed::Suffered, units).at(at).result("DS")),
        Event::Opened { counter, at, .. } => one(Incident::new(Deed::Revealed, [counter]).at(at)),
        Event::DummyShown { counter, at, .. } => one(Incident::new(Deed::Eliminated, [counter]).at(at).result("dummy")),
        Event::Control { hex, us } => {
            let force = if *us { Force::Us } else { Force::Spanish };
            one(Incident::new(Deed::Taken, NOBODY).by(force.as_str()).at(hex))
        }
        Event::FireRoll { by, target, factors, result, .. } => {
            let units = factors.iter().map(|factor| &factor.unit);
            one(Incident::new(Deed::Fired, units).by(by.as_str()).at(target).result(result))
        }
        Event::Shock { target, attackers, column, result, .. } => {
            let units = attackers.iter().map(|factor| &factor.unit);
            one(Incident::new(Deed::Fought, units).at(target).result(format!("{column} {result}")))
        }
        Event::Retreated { units, from, to } => one(Incident::new(Deed::Retreated, units).from([from, to]).at(to)),
        Event::Advanced { units, into } => one(Incident::new(Deed::Advanced, units).at(into)),
        Event::Combat { target, by, from, force } => {
            one(Incident::new(Deed::Fought, by).by(force.as_str()).from(from).at(target))
        }
        Event::Halted { units, at, .. } | Event::JungleRoll { units, at, .. } => {
            one(Incident::new(Deed::Noted, units).at(at))
        }
        Event::Guessed { counter, at } => one(Incident::new(Deed::Noted, [counter]).at(at)),
        Event::Examined { piece, at } => one(Incident::new(Deed::Noted, [piece]).at(at)),
        Event::StepRoll { at: hex, .. }
        | Event::BalloonSet { at: hex, .. }
        | Event::Coordination { target: hex, .. }
        | Event::Supported { target: hex, .. }
        | Event::NoFire { target: hex, .. }
        | Event::FriendlyFire { target: hex, .. }
        | Event::NoShock { target: hex, .. } => one(Incident::new(Deed::Noted, NOBODY).at(hex)),
        Event::MachineGuns { at: None }
        | Event::Phase { .. }
        | Event::HistoricalEvent { .. }
        | Event::EscarioDue { .. }
        | Event::Released
        | Event::Points { .. }
        | Event::SurrenderRoll { .. }
        | Event::NoSurrenderRoll { .. }
        | Event::Jarcias
        | Event::WithdrawalRoll { .. }
        | Event::SupplyChecked { .. }
        | Event::ModeSet { .. }
        | Event::Fever { .. }
        | Event::Observed { .. }
        | Event::TurnEnded { .. }
        | Event::NotDone { .. }
        | Event::Ended { .. }
        | Event::Lapsed(_)
        | Event::Laid { .. } => Vec::new(),
    }
}

fn way(from: Hex, path: &[Paid]) -> impl Iterator<Item = Hex> + '_ {
    std::iter::once(from).chain(path.iter().map(|paid| paid.hex))
}
