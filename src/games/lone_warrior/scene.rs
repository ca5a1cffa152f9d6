//! The battlefields as a scene: boxes, units with facing and disorder, leaders and heroes, guns behind the edges, and
//! where each event happened.

use crate::board::{Facing, Square};
use crate::scene::{
    Arm as Symbol, Board, Border, Cell, Counter, Deed, Flag, Force, Ground as Look, Incident, Livery, Mark, OffMap,
    Scene, Work as Built,
};

use super::LoneWarrior;
use super::data::Unit;
use super::events::{Event, LeaderFate};
use super::position::Position;
use super::state::{HeroFate, Place, State};
use super::terms::{Arm, Battlefield, Ground, LeaderId, ObstacleKind, Power, UnitId, Work};

/// All battlefields in play.
pub fn scene(game: &LoneWarrior, state: &State) -> Scene {
    let army = |power: Power, name, sign, livery| Force { id: power.as_str(), name, side: power.side(), sign, livery };
    let forces = vec![army(Power::Us, "US", 'u', Livery::Navy), army(Power::Spain, "Spain", 's', Livery::Gold)];
    let boards = game.positions(state).map(|now| board(&now, state)).collect();
    let boxes = game.positions(state).flat_map(|now| boxes(&now, state)).collect();
    Scene { forces, boards, boxes, ..Scene::default() }
}

fn board(now: &Position<'_>, state: &State) -> Board {
    let side = |a: Square, b: Square| {
        let straight = a.first() == b.first() || a.second() == b.second();
        let crossing = now.field.crossing(a, b).filter(|_| straight)?;
        Some(match crossing.kind {
            ObstacleKind::River => Border::River,
            ObstacleKind::Stream | ObstacleKind::Ravine => Border::Stream,
        })
    };
    let mut board = Board::of_squares(now.id.as_str(), &now.field.grid, |square| cell(now, square), side);
    board.name.clone_from(&now.field.name);
    for id in &now.field.units {
        let (Some(unit), Place::At(square)) = (now.unit(*id), now.state.unit(*id).at) else { continue };
        let mut counter = counter(now, unit, state);
        counter.cell = Some(square.to_string());
        board.counters.push(counter);
    }
    for id in &now.field.leaders {
        let Place::At(square) = now.state.leader(*id).at else { continue };
        let mut counter = leader(now, *id);
        counter.cell = Some(square.to_string());
        board.counters.push(counter);
    }
    board.sort_counters();
    board
}

fn cell(now: &Position<'_>, square: Square) -> Cell {
    let terrain = now.field.at(square);
    let look = match terrain.ground {
        Ground::Open => Look::Clear,
        Ground::Woods => Look::Woods,
        Ground::Pond => Look::Lake,
        Ground::Town => Look::Town,
    };
    let mut cell = Cell::new(square, look);
    cell.level = terrain.height;
    cell.works = match terrain.work {
        Work::None => Vec::new(),
        Work::Trench => vec![Built::Entrenchment],
        Work::Blockhouse => vec![Built::Blockhouse],
        Work::Fort => vec![Built::Fort],
    };
    if let Some(area) = now.field.area_at(square) {
        cell.name = Some(area.name.clone());
        cell.flags.push(Flag::Objective);
        let ours = now.state.captured.contains(&area.id);
        cell.held = Some(if ours { Power::Us } else { Power::Spain }.as_str());
    }
    cell
}

fn counter(now: &Position<'_>, unit: &Unit, state: &State) -> Counter {
    let symbol = match unit.arm {
        Arm::Infantry => Symbol::Infantry,
        Arm::Cavalry => Symbol::Cavalry,
        Arm::Gatling => Symbol::MachineGun,
        Arm::Artillery => Symbol::Artillery,
    };
    let status = now.state.unit(unit.id);
    let ready = now.ready_hero(unit.id).is_some();
    let mut counter = Counter::new(unit.id, unit.power.as_str(), symbol)
        .mark(Mark::Disorganized, status.disordered)
        .mark(Mark::Spent, status.activated)
        .mark(Mark::Led, now.leaders_with(unit.id).next().is_some())
        .mark(Mark::Hero, ready);
    counter.name.clone_from(&unit.name);
    counter.label.clone_from(&unit.short);
    counter.notes.push(unit.formation.clone());
    counter.facing = status.facing.map(degrees);
    counter.ready = state.stage.power() == Some(unit.power)
        && now.state.winner.is_none()
        && !status.activated
        && status.at != Place::Lost;
    let counter = counter.value("chips", unit.chips);
    match unit.range {
        Some(range) => counter.value("range", range),
        None => counter,
    }
}

const fn degrees(facing: Facing) -> u16 {
    match facing {
        Facing::N => 0,
        Facing::E => 90,
        Facing::S => 180,
        Facing::W => 270,
    }
}

fn leader(now: &Position<'_>, id: LeaderId) -> Counter {
    let status = now.state.leader(id);
    let force = now.leader(id).map_or(Power::Us, |leader| leader.power);
    let mut counter = Counter::new(id, force.as_str(), Symbol::Leader).mark(Mark::Spent, status.used);
    if let Some(leader) = now.leader(id) {
        counter.name.clone_from(&leader.name);
        counter.label = leader.name.rsplit(' ').next().unwrap_or(&leader.name).to_owned();
    }
    if let Some(unit) = status.with {
        counter.notes.push(format!("with {unit}"));
    }
    counter
}

fn boxes(now: &Position<'_>, state: &State) -> Vec<OffMap> {
    let units = |holds: &dyn Fn(&Unit, Place) -> bool| {
        let all = now.field.units.iter().filter_map(|id| now.unit(*id));
        let held = all.filter(|unit| holds(unit, now.state.unit(unit.id).at));
        held.map(|unit| {
            let mut counter = counter(now, unit, state);
            if unit.is_off_table() {
                counter.notes.push(format!("fires down lane {}", unit.gun_lane));
            }
            counter
        })
        .collect::<Vec<_>>()
    };
    let guns = |power: Power| units(&|unit, at| unit.power == power && unit.is_off_table() && at != Place::Lost);
    let mut lost = units(&|_, at| at == Place::Lost);
    let fallen = now.field.leaders.iter().filter(|id| now.state.leader(**id).at == Place::Lost);
    lost.extend(fallen.map(|id| leader(now, *id)));
    for (id, fate) in &now.state.heroes {
        if *fate == HeroFate::Dead {
            lost.push(Counter::new(id, Power::Us.as_str(), Symbol::Leader));
        }
    }
    let field = now.id.as_str();
    let boxes = [
        (format!("{field}-west"), format!("Guns behind the west edge, {}", now.field.name), guns(Power::Spain)),
        (format!("{field}-east"), format!("Guns behind the east edge, {}", now.field.name), guns(Power::Us)),
        (format!("{field}-lost"), format!("Lost, {}", now.field.name), lost),
    ];
    let filled = boxes.into_iter().filter(|(_, _, counters)| !counters.is_empty());
    filled.map(|(id, name, counters)| OffMap { id, name, counters }).collect()
}

/// Where an event happened, and to whom.
pub fn depict(game: &LoneWarrior, event: &Event) -> Vec<Incident> {
    let on = |field: Battlefield| game.fields.iter().position(|id| *id == field).unwrap_or(0);
    let of = |unit: UnitId| game.data.units.get(&unit).map_or(0, |unit| on(unit.field));
    let leads = |leader: LeaderId| game.data.leaders.get(&leader).map_or(0, |leader| on(leader.field));
    let power = |unit: UnitId| game.data.units.get(&unit).map_or(Power::Us, |unit| unit.power).as_str();
    let unit = |what: Deed, id: UnitId| Incident::new(what, [id]).on(of(id)).by(power(id));
    let lead = |what: Deed, id: LeaderId| Incident::new(what, [id]).on(leads(id));
    let one = |incident: Incident| vec![incident];
    match event {
        Event::LeaderMoved { leader, from, to, .. } | Event::LeaderJoined { leader, from, to, .. } => {
            one(lead(Deed::Moved, *leader).from([from, to]).at(to))
        }
        Event::Moved { unit: id, from, to, .. } => one(unit(Deed::Moved, *id).from([from, to]).at(to)),
        Event::Exchanged { unit: id, partner, to, partner_to } => vec![
            unit(Deed::Moved, *id).from([partner_to, to]).at(to),
            unit(Deed::Moved, *partner).from([to, partner_to]).at(partner_to),
        ],
        Event::Shot { unit: id, from, at: Some(at), hits, .. } => {
            let result = if *hits == 0 { "miss".to_owned() } else { format!("{hits} hit") };
            one(unit(Deed::Fired, *id).from(*from).at(at).result(result))
        }
        Event::Charged { unit: id, from, at, .. } => one(unit(Deed::Fought, *id).from([from]).at(at).result("charge")),
        Event::Withdrew { unit: id, from, to, .. } => one(unit(Deed::Retreated, *id).from([from, to]).at(to)),
        Event::Advanced { unit: id, from, to, .. } => one(unit(Deed::Advanced, *id).from([from, to]).at(to)),
        Event::Disordered { unit: id } => one(unit(Deed::Suffered, *id).result("disorder")),
        Event::Eliminated { unit: id, .. } => one(unit(Deed::Eliminated, *id)),
        Event::LeaderLost { leader, fate, .. } => {
            let how = if *fate == LeaderFate::Killed { "killed" } else { "captured" };
            one(lead(Deed::Eliminated, *leader).result(how))
        }
        Event::HeroLost { unit: id, .. } => one(unit(Deed::Suffered, *id).result("hero lost")),
        Event::Captured { at, side, area } => {
            let field = game.fields.iter().find(|id| game.data.field(**id).areas.iter().any(|known| known.id == *area));
            let nobody: [UnitId; 0] = [];
            one(Incident::new(Deed::Taken, nobody).on(field.map_or(0, |id| on(*id))).by(side.as_str()).at(at))
        }
        Event::Held { unit: id, at, .. } => one(unit(Deed::Noted, *id).at(at)),
        Event::LeaderAlone { leader, at } => one(lead(Deed::Noted, *leader).at(at)),
        Event::Activation { unit: id, .. }
        | Event::Turned { unit: id, .. }
        | Event::Rallied { unit: id }
        | Event::StillDisordered { unit: id }
        | Event::Save { unit: id, .. }
        | Event::Survival { unit: id, .. }
        | Event::Stood { unit: id }
        | Event::MustFight { unit: id }
        | Event::Strike { unit: id, .. }
        | Event::Shot { unit: id, at: None, .. }
        | Event::Skipped { unit: id, .. }
        | Event::PartLapsed { unit: id, .. } => one(unit(Deed::Noted, *id)),
        Event::LeadersPlaced { .. }
        | Event::PlacementLapsed { .. }
        | Event::PlayerTurn { .. }
        | Event::TurnContinued { .. }
        | Event::OrdersLapsed { .. }
        | Event::LeaderOrderLapsed { .. }
        | Event::EntryLapsed { .. }
        | Event::TurnEnded { .. }
        | Event::Decided { .. }
        | Event::ChoiceLapsed(_) => Vec::new(),
    }
}
