//! The start of a conformance case.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Features, Hex, Layer, Patch};
use crate::document;
use crate::engine::doc::{DocPath, Fault, Node, noted};
use crate::engine::{Arranged, Charter, Files, Holdings, Rules, Sealed, Slot, to_json};

use super::data::{Along, Data, Ground, Map, number_hills};
use super::position::Position;
use super::state::{Place, SecretDice, Stage, State, UnitState};
use super::terms::{Cause, Crossing, Force, LossClass, Oos, Piece, Terrain, Weather};
use super::{SPAIN, SplendidLittleWar, US};

document! {
    /// Changes to the map of a case.
    pub struct MapPatch {
        /// Terrain of hexes.
        pub terrain: BTreeMap<Hex, Terrain>,
        /// Terrain a hex has besides (§6.0a).
        pub also: BTreeMap<Hex, Terrain>,
        /// Roads, each hex by hex.
        pub roads: Vec<Vec<Hex>>,
        /// Trails, each hex by hex.
        pub trails: Vec<Vec<Hex>>,
        /// River hexsides, each as two hexes.
        pub rivers: Vec<Vec<Hex>>,
        /// Bridges over them.
        pub bridges: Vec<Vec<Hex>>,
        /// Forts.
        pub forts: Vec<Hex>,
        /// Blockhouses.
        pub blockhouses: Vec<Hex>,
    }

    /// The position of a case. Counters that are not named are not in the game, except that a regiment and its parts
    /// come with each other, off the map.
    pub struct CaseStart {
        /// A scenario; `blank` for the campaign on clear land everywhere; the campaign if left out.
        pub scenario: Option<String>,
        /// Options of the game.
        pub options: BTreeMap<String, String>,
        /// Changes to the map.
        pub map: Option<MapPatch>,
        /// The game turn; 1 if left out.
        pub turn: Option<u32>,
        /// Whose packet is due; `us-turn` if left out. `spanish-setup` is the beginning of a match.
        pub stage: Option<Stage>,
        /// The weather; good if left out.
        pub weather: Option<Weather>,
        /// Where counters stand: a hex, `off`, `edge` or `lost`.
        pub units: BTreeMap<Piece, Place>,
        /// Broken units.
        pub broken: Vec<Piece>,
        /// Units out of supply.
        pub oos: BTreeMap<Piece, Oos>,
        /// Units Out of Command.
        pub ooc: Vec<Piece>,
        /// Units that entered the map this turn.
        pub entered: Vec<Piece>,
        /// Garrison Units that are not free.
        pub garrison: Vec<Piece>,
        /// Units marked to assault a hex.
        pub assaults: BTreeMap<Piece, Hex>,
        /// Engineers at work on a bridge.
        pub bridging: BTreeMap<Piece, Crossing>,
        /// Engineers who have built theirs.
        pub bridged: Vec<Piece>,
        /// Units that wait for turn 2.
        pub waits: Vec<Piece>,
        /// Entrenched hexes.
        pub entrenchments: BTreeSet<Hex>,
        /// Pontoon bridges.
        pub pontoons: BTreeSet<Crossing>,
        /// Places last occupied by the US player, besides those where its units stand.
        pub us_held: BTreeSet<Hex>,
        /// Steps lost, by class and cause.
        pub losses: BTreeMap<LossClass, BTreeMap<Cause, u32>>,
        /// The balloon is up.
        pub balloon_up: bool,
        /// Hexes fired on this turn.
        pub fired_on: BTreeSet<Hex>,
        /// Wounded leaders and the turn they come back.
        pub wounded: BTreeMap<Piece, u32>,
        /// Chance of the last outbreak roll of each side.
        pub outbreak: BTreeMap<Force, u32>,
        /// The turn the fever broke out.
        pub fever: BTreeMap<Force, u32>,
        /// The sortie die as it was rolled, 1 to 10; a 10 is the 0 of the rulebook.
        pub sortie: Option<u16>,
        /// The fleet has sailed.
        pub fleet_gone: bool,
        /// Garrison Movement Points.
        pub gmp: Option<u32>,
        /// Escario's men have entered the city.
        pub garrison_free: bool,
        /// The ring around Santiago stood when this turn began.
        pub ring_stood: bool,
        /// It has stood all through this turn so far.
        pub ring_holds: bool,
        /// Full turns it has stood in a row.
        pub ring_turns: Option<u32>,
        /// The surrender number.
        pub surrender: Option<u32>,
    }
}

/// Lays out the position of a case.
pub fn arrange(start: &Node, at: &DocPath, faults: &mut Vec<Fault>) -> Option<Arranged<SplendidLittleWar>> {
    let case: CaseStart = Arranged::<SplendidLittleWar>::read(start, at, faults)?;
    let blank = case.scenario.as_deref() == Some("blank");
    let scenario = case.scenario.clone().filter(|_| !blank).unwrap_or_else(|| "campaign".into());
    let charter = Charter { scenario, options: case.options.clone(), ..Charter::default() };
    let mut game = noted(SplendidLittleWar::open(&charter), faults)?;
    if blank {
        clear_map(&mut game.data);
    }
    if let Some(patch) = &case.map {
        patch_map(&mut game.data, patch, at.key("map"), faults);
    }
    let mut holdings = Holdings::default();
    let state = match case.stage {
        Some(Stage::SpanishSetup) => game.begin().0,
        stage => place(&game, &case, stage.unwrap_or(Stage::UsTurn), &mut holdings),
    };
    Some(Arranged::checked(game, state, holdings, at, faults))
}

/// Clear land everywhere, nothing built on it.
fn clear_map(data: &mut Data) {
    let grid = data.grid.clone();
    let ground = Layer::from_fn(&grid, |_| Ground::bare(Terrain::Clear));
    data.map = Map::with_ground(grid, ground);
    for works in [&mut data.city, &mut data.forts, &mut data.city_forts, &mut data.south_forts, &mut data.blockhouses] {
        works.clear();
    }
    data.hills.clear();
}

fn patch_map(data: &mut Data, patch: &MapPatch, at: DocPath, faults: &mut Vec<Fault>) {
    for (hex, terrain) in &patch.terrain {
        data.map.change(*hex, |ground| {
            ground.terrain = *terrain;
            ground.terrains = Features::NONE.with(*terrain);
        });
    }
    for (hex, terrain) in &patch.also {
        data.map.change(*hex, |ground| ground.terrains = ground.terrains.with(*terrain));
    }
    if !patch.terrain.is_empty() || !patch.also.is_empty() {
        let hexes: Vec<Hex> = data.map.cells().map(|(hex, _)| hex).collect();
        hexes.iter().for_each(|hex| data.map.change(*hex, |ground| ground.hill = None));
        number_hills(&mut data.map);
        let city = data.map.cells().filter(|(_, ground)| ground.is(Terrain::City));
        data.city = city.map(|(hex, _)| hex).collect();
    }
    data.forts.extend(&patch.forts);
    data.blockhouses.extend(&patch.blockhouses);
    let mut draw = Patch::new(&mut data.map, at, faults);
    draw.works(&patch.forts, |ground| ground.fort = true);
    draw.works(&patch.blockhouses, |ground| ground.blockhouse = true);
    draw.lines("roads", &patch.roads, Along::Road, |ground| ground.road = true);
    draw.lines("trails", &patch.trails, Along::Trail, |ground| ground.trail = true);
    draw.sides("rivers", &patch.rivers, Along::River);
    draw.sides("bridges", &patch.bridges, Along::Bridge);
}

/// The position of a case after the set-up.
fn place(game: &SplendidLittleWar, case: &CaseStart, stage: Stage, holdings: &mut Holdings) -> State {
    let (turn, weather) = (case.turn.unwrap_or(1), case.weather.unwrap_or_default());
    let mut state = State { turn, stage, weather, ..State::default() };
    for id in case.units.keys() {
        let kin = game.data.unit(*id).into_iter().flat_map(|unit| unit.parts.iter().copied().chain(unit.parent));
        let kin = kin.chain(game.data.unit(*id).and_then(|unit| unit.parent).into_iter().flat_map(|regiment| {
            game.data.unit(regiment).into_iter().flat_map(|regiment| regiment.parts.iter().copied())
        }));
        for other in kin {
            state.units.insert_new(other, UnitState::at(Place::Off));
        }
    }
    for (id, at) in &case.units {
        state.units.insert(*id, UnitState::at(*at));
    }
    for (id, unit) in state.units.iter_mut() {
        unit.broken = case.broken.contains(id);
        unit.oos = case.oos.get(id).copied();
        unit.ooc = case.ooc.contains(id);
        unit.entered = case.entered.contains(id);
        unit.garrison = case.garrison.contains(id);
        unit.assaults = case.assaults.get(id).copied();
        unit.bridging = case.bridging.get(id).copied();
        unit.bridged = case.bridged.contains(id);
        unit.waits = case.waits.contains(id);
    }
    for leader in case.wounded.keys() {
        state.units.insert_new(*leader, UnitState::at(Place::Off));
    }
    state.entrenchments.clone_from(&case.entrenchments);
    state.pontoons.clone_from(&case.pontoons);
    state.losses.clone_from(&case.losses);
    settle_losses(game, &mut state);
    state.balloon_up = case.balloon_up;
    state.fired_on.clone_from(&case.fired_on);
    state.wounded.clone_from(&case.wounded);
    state.outbreak.clone_from(&case.outbreak);
    state.fever.clone_from(&case.fever);
    state.fleet_gone = case.fleet_gone;
    state.gmp = case.gmp.unwrap_or(0);
    state.garrison_free = case.garrison_free;
    state.ring_stood = case.ring_stood;
    state.ring_holds = case.ring_holds;
    state.ring_turns = case.ring_turns.unwrap_or(0);
    state.surrender = case.surrender;
    if let Some(face) = case.sortie {
        // The last ticket: those before it are left for rolls of the case itself.
        let slot = Slot::ticket(game.tickets(SPAIN).max(1));
        if let Ok(faces) = to_json(&vec![face]) {
            holdings.0.insert((SPAIN, slot.clone()), faces);
        }
        state.sortie = Some(SecretDice(Sealed::new(SPAIN, slot)));
    }
    let now = Position { game, state: &state };
    let fighting = now.on_map(US).filter(|(piece, _)| now.is_combat(*piece));
    let stood: BTreeSet<Hex> = fighting.map(|(_, hex)| hex).collect();
    let stood = stood.into_iter().filter(|hex| game.data.is_prize(*hex));
    state.us_held = stood.chain(case.us_held.iter().copied()).collect();
    state
}

/// The ledger of losses and the counters out of the game have to agree. The ledger of a case pays for the counters it calls
/// lost, as shot if it does not say how; for what it says beyond them, counters the case does not name are out.
fn settle_losses(game: &SplendidLittleWar, state: &mut State) {
    for class in LossClass::ALL.iter().copied() {
        let now = Position { game, state: &*state };
        let single = |id: &Piece| game.data.unit(*id).is_some_and(|unit| unit.parts.is_empty());
        let of_class = |id: &Piece| single(id) && now.loss_class(*id) == Some(class);
        let lost = state.units.iter().filter(|(id, unit)| unit.at == Place::Lost && of_class(id)).count();
        let written: u32 = state.losses.get(&class).map_or(0, |causes| causes.values().sum());
        let lost = u32::try_from(lost).unwrap_or(u32::MAX);
        let unnamed = game.data.units.keys().filter(|id| !state.units.contains_key(*id) && of_class(id));
        let missing = usize::try_from(written.saturating_sub(lost)).unwrap_or(usize::MAX);
        let more: Vec<Piece> = unnamed.copied().take(missing).collect();
        state.units.extend(more.into_iter().map(|id| (id, UnitState::at(Place::Lost))));
        if lost > written {
            *state.losses.entry(class).or_default().entry(Cause::Fire).or_default() += lost - written;
        }
    }
}
