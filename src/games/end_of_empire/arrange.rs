//! Positions from files: the start of a conformance case, a state read back, and what is wrong with a state.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::counters::UnitSource;
use crate::board::{Hex, Layer, Patch};
use crate::document;
use crate::engine::data::Provenance;
use crate::engine::doc::{DocPath, Fault, Node, Reader, noted, read_part};
use crate::engine::{Arranged, Charter, Files, Holdings, Rules, Sealed, to_json};

use super::EndOfEmpire;
use super::data::{Along, Data, Factors, Ground, Map, Unit};
use super::position::{Known, Position};
use super::setup::slot_of;
use super::state::{CounterState, Place, Stage, State, Wound};
use super::terms::{Content, EventName, Flag, Force, Mode, Piece, Setup, Size, Terrain, UnitKind};

document! {
    /// Changes to the map of a case.
    pub struct MapPatch {
        /// Terrain of hexes.
        pub terrain: BTreeMap<Hex, Terrain>,
        /// Roads, each hex by hex.
        pub roads: Vec<Vec<Hex>>,
        /// Railroads, each hex by hex.
        pub railroads: Vec<Vec<Hex>>,
        /// River hexsides, each as two hexes.
        pub rivers: Vec<Vec<Hex>>,
        /// Beaches.
        pub beaches: Vec<Hex>,
        /// Objectives.
        pub objectives: Vec<Hex>,
        /// Redoubts.
        pub redoubts: Vec<Hex>,
        /// Batteries.
        pub batteries: Vec<Hex>,
        /// Entrenchments.
        pub entrenchments: Vec<Hex>,
    }

    /// An invented counter.
    pub struct Invented {
        /// Whose it is.
        pub force: Force,
        /// What it is; infantry if left out.
        pub kind: Option<UnitKind>,
        /// Its size; detachments matter (13).
        pub size: Option<Size>,
        /// Steps; 1 if left out, 2 for guerrillas, none for what has none.
        pub steps: Option<u8>,
        /// Fire factor; of guerrillas in regular order.
        pub fire: Option<u32>,
        /// Shock factor.
        pub shock: Option<u32>,
        /// Movement allowance; 4 if left out.
        pub r#move: Option<u32>,
        /// Its reverse; the same as the front if left out.
        pub back: Option<Factors>,
        /// A leader's rating.
        pub rating: Option<u8>,
        /// Range; 3 for artillery, 1 for machine guns.
        pub range: Option<u32>,
        /// Its brigade.
        pub formation: Option<String>,
        /// How it comes into play.
        pub setup: Option<Setup>,
        /// What is special about it.
        pub flags: Vec<Flag>,
    }

    /// A closed counter of a case.
    pub struct Closed {
        /// Its hex.
        pub at: Hex,
        /// What it holds.
        pub holds: Content,
        /// Steps it has lost before, at one time.
        pub lost: Option<u8>,
        /// Steps the fever has cost it before that.
        pub fever: Option<u8>,
        /// Disorganized members.
        pub ds: Option<u8>,
        /// Out of supply.
        pub oos: bool,
        /// Landed this turn.
        pub landed: bool,
        /// Stopped this turn.
        pub stopped: bool,
        /// In guerrilla or in regular order.
        pub mode: Option<Mode>,
        /// Known to be no dummy.
        pub real: bool,
    }

    /// The position of a case. Units that are not named are off the map.
    pub struct CaseStart {
        /// `campaign` for the map of the game, `blank` for clear land everywhere, `begin` for the first packet of a match.
        pub scenario: Option<String>,
        /// Options of the game.
        pub options: BTreeMap<String, String>,
        /// Changes to the map.
        pub map: Option<MapPatch>,
        /// Invented counters by name.
        pub counters: BTreeMap<String, Invented>,
        /// The game turn; 1 if left out.
        pub turn: Option<u32>,
        /// Whose packet is due; `us-turn` if left out.
        pub stage: Option<Stage>,
        /// Where units stand: a hex, `off` or `lost`.
        pub units: Option<Node>,
        /// Steps left of reduced units.
        pub steps: Option<Node>,
        /// Disorganized units.
        pub ds: Option<Node>,
        /// Units out of supply.
        pub oos: Option<Node>,
        /// Units that landed this turn.
        pub landed: Option<Node>,
        /// Units stopped this turn.
        pub stopped: Option<Node>,
        /// Guerrillas and their mode; regular if left out.
        pub modes: Option<Node>,
        /// Closed counters by their public name.
        pub columns: Option<Node>,
        /// The Logistics Base.
        pub base: Option<Hex>,
        /// The balloon is up.
        pub balloon_up: bool,
        /// Supply points; as at the start of a match if left out.
        pub supply_points: BTreeMap<Force, u32>,
        /// The event rolled this turn.
        pub event: Option<EventName>,
        /// Events in force this turn.
        pub in_force: Vec<EventName>,
        /// Events that have happened for good.
        pub used: Vec<EventName>,
        /// M and So are released.
        pub released: bool,
        /// The turn Escario arrives.
        pub escario: Option<u32>,
        /// He has arrived.
        pub arrived: bool,
        /// A las Jarcias was rolled.
        pub jarcias: bool,
        /// Hexes under US control, besides those where its units stand.
        pub us_control: Vec<Hex>,
        /// US steps lost.
        pub us_steps_lost: Option<u32>,
        /// Hexes attacked this turn.
        pub attacked: Vec<Hex>,
        /// Fleets that have fired this turn.
        pub fired: Vec<Force>,
    }
}

/// Lays out the position of a case.
pub fn arrange(start: &Node, at: &DocPath, faults: &mut Vec<Fault>) -> Option<Arranged<EndOfEmpire>> {
    let case: CaseStart = Arranged::<EndOfEmpire>::read(start, at, faults)?;
    let charter = Charter { options: case.options.clone(), ..Charter::default() };
    let mut game = noted(EndOfEmpire::open(&charter), faults)?;
    match case.scenario.as_deref() {
        None | Some("campaign") => {}
        Some("blank") => clear_map(&mut game.data),
        Some("begin") => {
            let (state, stop) = game.begin();
            return Some(Arranged { game, state, stop, holdings: Holdings::default() });
        }
        Some(other) => {
            let what = format!("there is no scenario `{other}`");
            faults.push(Fault::new(&at.key("scenario"), what, "write campaign, blank or begin"));
            return None;
        }
    }
    if let Some(patch) = &case.map {
        patch_map(&mut game.data, patch, at, faults);
    }
    (game.data.harbour_coast, game.data.sea_coast) = game.data.coasts();
    for (name, invented) in &case.counters {
        let unit = invent(Piece::of(name), invented);
        game.data.units.insert(unit.id, unit);
    }
    let (state, holdings) = place(&game, &case, at, faults)?;
    Some(Arranged::checked(game, state, holdings, at, faults))
}

fn clear_map(data: &mut Data) {
    let grid = data.grid.clone();
    let ground = Layer::from_fn(&grid, |hex| Ground {
        base_landing: data.ground(hex).is_some_and(|ground| ground.base_landing),
        terrain: Terrain::Clear,
        ..Ground::default()
    });
    data.map = Map::with_ground(grid, ground);
    data.objectives.clear();
    data.beaches.clear();
}

fn patch_map(data: &mut Data, patch: &MapPatch, at: &DocPath, faults: &mut Vec<Fault>) {
    for (hex, terrain) in &patch.terrain {
        data.map.change(*hex, |ground| ground.terrain = *terrain);
    }
    let mut draw = Patch::new(&mut data.map, at.key("map"), faults);
    draw.works(&patch.beaches, |ground| ground.beach = true);
    draw.works(&patch.objectives, |ground| ground.objective = true);
    draw.works(&patch.redoubts, |ground| ground.redoubt = true);
    draw.works(&patch.batteries, |ground| ground.battery = true);
    draw.works(&patch.entrenchments, |ground| ground.entrenchment = true);
    draw.lines("roads", &patch.roads, Along::Road, |ground| ground.road = true);
    draw.lines("railroads", &patch.railroads, Along::Rail, |ground| ground.rail = true);
    draw.sides("rivers", &patch.rivers, Along::River);
    let merged =
        |known: &[Hex], more: &[Hex]| known.iter().chain(more).copied().collect::<BTreeSet<_>>().into_iter().collect();
    data.beaches = merged(&data.beaches, &patch.beaches);
    data.objectives = merged(&data.objectives, &patch.objectives);
}

fn invent(id: Piece, from: &Invented) -> Unit {
    let kind = from.kind.unwrap_or(UnitKind::Infantry);
    let steps = from.steps.unwrap_or(match kind {
        UnitKind::Guerrilla => 2,
        kind if kind.is_combat() => 1,
        _ => 0,
    });
    let front =
        Factors { fire: from.fire.unwrap_or(0), shock: from.shock.unwrap_or(0), r#move: from.r#move.unwrap_or(4) };
    let hiding = Factors { fire: 0, shock: 0, r#move: front.r#move };
    let range = match kind {
        UnitKind::Artillery => Some(3),
        UnitKind::MachineGun => Some(1),
        _ => None,
    };
    let setup = from.setup.unwrap_or(match (from.force, kind) {
        (_, UnitKind::LogisticColumn) => Setup::Created,
        (Force::Us, _) => Setup::Sea,
        (Force::Cuban, _) => Setup::Cuban,
        (Force::Spanish, _) => Setup::Start,
    });
    Unit {
        id,
        force: from.force,
        code: id.to_string(),
        name: id.to_string(),
        kind,
        size: from.size.unwrap_or(Size::Battalion),
        formation: from.formation.clone(),
        steps,
        front: if kind == UnitKind::Guerrilla { hiding } else { front },
        back: from.back.or_else(|| (steps > 1 || kind == UnitKind::Signals).then_some(front)),
        rating: from.rating,
        range: from.range.or(range),
        landing: None,
        stacking: None,
        setup,
        hex: None,
        flags: from.flags.clone(),
        source: UnitSource { exists: Provenance::Reconstructed, values: Provenance::Reconstructed },
        note: None,
    }
}

fn place(game: &EndOfEmpire, case: &CaseStart, at: &DocPath, faults: &mut Vec<Fault>) -> Option<(State, Holdings)> {
    let mut reader = Reader::new(game);
    let units: BTreeMap<Piece, Place> = read_part(case.units.as_ref(), &at.key("units"), &mut reader);
    let steps: BTreeMap<Piece, u8> = read_part(case.steps.as_ref(), &at.key("steps"), &mut reader);
    let modes: BTreeMap<Piece, Mode> = read_part(case.modes.as_ref(), &at.key("modes"), &mut reader);
    let columns: BTreeMap<Piece, Closed> = read_part(case.columns.as_ref(), &at.key("columns"), &mut reader);
    let mut list =
        |node: &Option<Node>, key: &str| -> Vec<Piece> { read_part(node.as_ref(), &at.key(key), &mut reader) };
    let (ds, oos) = (list(&case.ds, "ds"), list(&case.oos, "oos"));
    let (landed, stopped) = (list(&case.landed, "landed"), list(&case.stopped, "stopped"));
    let refused = reader.refused();
    faults.append(&mut reader.faults);
    if refused {
        return None;
    }
    let mut state = State::new(&game.data, game.options.supply_points);
    state.turn = case.turn.unwrap_or(1);
    state.stage = case.stage.unwrap_or(Stage::UsTurn);
    for (id, unit) in state.units.iter_mut() {
        unit.at = units.get(id).copied().unwrap_or(unit.at);
        unit.steps = steps.get(id).copied().unwrap_or(unit.steps);
        if unit.at == Place::Lost {
            unit.steps = 0;
        }
        unit.ds = ds.contains(id);
        unit.oos = oos.contains(id);
        unit.landed = landed.contains(id);
        unit.stopped = stopped.contains(id);
        if let Some(mode) = modes.get(id) {
            unit.mode = unit.mode.map(|_| *mode);
        }
    }
    let mut holdings = Holdings::default();
    for (name, closed) in &columns {
        let Some(force) = Piece::counter_force(name.as_str()) else { continue };
        let Ok(slot) = slot_of(*name, 0) else { continue };
        if let Ok(content) = to_json(&closed.holds) {
            holdings.0.insert((force.side(), slot.clone()), content);
        }
        let mode = closed.mode.or((force == Force::Cuban).then_some(Mode::Regular));
        let mut counter = CounterState::new(force, closed.at, Sealed::new(force.side(), slot), mode);
        let fever = closed.fever.map(|steps| Wound { steps, fever: true });
        counter.wounds = fever.into_iter().chain(closed.lost.map(|steps| Wound { steps, fever: false })).collect();
        (counter.ds, counter.oos) = (closed.ds.unwrap_or(0), closed.oos);
        (counter.landed, counter.stopped, counter.real) = (closed.landed, closed.stopped, closed.real);
        state.counters.insert(*name, counter);
        let number = name.as_str().trim_start_matches(force.counter_prefix()).parse().unwrap_or(0);
        let most = state.numbered.entry(force).or_default();
        *most = number.max(*most);
    }
    state.base = case.base;
    state.balloon_up = case.balloon_up;
    for (force, points) in &case.supply_points {
        state.supply_points.insert(*force, *points);
    }
    state.event = case.event;
    state.in_force = case.in_force.iter().copied().collect();
    state.used = case.used.iter().copied().collect();
    state.released = case.released;
    state.escario = case.escario.unwrap_or(state.escario);
    state.arrived = case.arrived;
    state.jarcias = case.jarcias;
    state.us_steps_lost = case.us_steps_lost.unwrap_or(0);
    state.attacked = case.attacked.iter().copied().collect();
    state.fired = case.fired.iter().copied().collect();
    let known = Known::default();
    let now = Position { game, state: &state, known: &known };
    let held = now.on_map(super::US).into_iter().filter(|piece| now.kind(*piece).is_some_and(UnitKind::is_combat));
    let held: BTreeSet<Hex> =
        held.filter_map(|piece| state.hex_of(piece)).chain(case.us_control.iter().copied()).collect();
    state.us_control = held;
    Some((state, holdings))
}

/// Every invariant of the rules that does not hold.
pub fn flaws(game: &EndOfEmpire, state: &State) -> Vec<String> {
    let data = &game.data;
    let known = Known::default();
    let now = Position { game, state, known: &known };
    let mut flaws = Vec::new();
    let mut hexes: BTreeSet<Hex> = BTreeSet::new();
    for (id, unit) in &state.units {
        let Some(counter) = data.unit(*id) else {
            flaws.push(format!("{id} is no counter of the game"));
            continue;
        };
        if unit.steps > counter.steps
            || (unit.at == Place::Lost && unit.steps > 0)
            || (unit.at.hex().is_some() && counter.steps > 0 && unit.steps == 0)
        {
            flaws.push(format!("{id} has {} steps", unit.steps));
        }
        if (counter.kind == UnitKind::Guerrilla) != unit.mode.is_some() {
            flaws.push(format!("{id} has a mode, or none"));
        }
        if counter.kind == UnitKind::Guerrilla && unit.at.hex().is_some() && unit.steps != counter.steps {
            flaws.push(format!("{id} is a reduced guerrilla unit"));
        }
        if let Place::At(hex) = unit.at {
            hexes.insert(hex);
        }
    }
    for (name, counter) in &state.counters {
        hexes.insert(counter.at);
        if Piece::counter_force(name.as_str()) != Some(counter.force) || counter.holds.0.owner() != counter.force.side()
        {
            flaws.push(format!("{name} is no counter of the {}", counter.force.people()));
        }
        if !game.options.columns {
            flaws.push(format!("{name} lies on the map of a match without columns"));
        }
    }
    for force in Force::ALL {
        let laid = state.counters.values().filter(|counter| counter.force == *force).count();
        let lost = state.dummies_lost.get(force).copied().unwrap_or(0) as usize;
        if laid + lost > data.containers(*force) + data.supply_of(*force, UnitKind::Dummy) {
            flaws.push(format!("{laid} {force} counters lie on the map"));
        }
    }
    for hex in &hexes {
        if !data.is_land(*hex) {
            flaws.push(format!("{hex} is no land hex, and somebody stands in it"));
        }
        let mut forces: BTreeSet<Force> = now.pieces_in(*hex).filter_map(|piece| now.force(piece)).collect();
        if state.base == Some(*hex) {
            forces.insert(Force::Us);
        }
        // The base may be entered: that ends the match.
        if forces.len() > 1 && state.ending.is_none() {
            flaws.push(format!("{forces:?} share {hex}"));
        }
        let open = now.pieces_in(*hex).find(|piece| now.kind(*piece).is_some_and(UnitKind::is_combat));
        let us = open.and_then(|piece| now.force(piece)).map(|force| force.side() == super::US);
        if us.is_some_and(|us| us != state.us_control.contains(hex)) && state.turn > 0 && state.ending.is_none() {
            flaws.push(format!("{hex} is controlled by who does not hold it"));
        }
    }
    if state.balloon_up && data.cast().signals.is_none_or(|id| state.hex_of(id).is_none()) {
        flaws.push("the balloon is up and not on the map".to_owned());
    }
    if state.turn == 0 || state.turn > data.tables.limits.turns {
        flaws.push(format!("there is no turn {}", state.turn));
    }
    if state.ending.is_some() != (state.stage == Stage::Over) {
        flaws.push("the game is over and goes on".to_owned());
    }
    flaws
}
