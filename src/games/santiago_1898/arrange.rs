//! Positions from files: the start of a conformance case, a state read back, and what is wrong with a state.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Grid, Hex};
use crate::document;
use crate::engine::doc::{DocPath, Fault, Node, Reader, noted, read_back, read_part};
use crate::engine::{
    Arranged, Charter, Files, Holdings, Json, count_of, schema_of_data, schema_to_read, schema_to_write,
};

use super::data::files::{CountersFile, MapFile, ScenariosFile};
use super::data::{Along, Data, Factors};
use super::orders::{SetupOrders, TurnOrders};
use super::play::{Position, player};
use super::state::{Cause, Machineguns, Place, Role, Stage, State};
use super::supply::Nets;
use super::tables::Tables;
use super::terms::{Flag, Force, Terrain, UnitId, UnitKind};
use super::{SPAIN, Santiago1898, US};

document! {
    /// Changes to the map of a case.
    pub struct MapPatch {
        /// Terrain of hexes.
        pub terrain: BTreeMap<Hex, Terrain>,
        /// Roads or railroads, each hex by hex.
        pub roads: Vec<Vec<Hex>>,
        /// River hexsides, each as two hexes.
        pub rivers: Vec<Vec<Hex>>,
        /// Bridges and fords, each as two hexes.
        pub crossings: Vec<Vec<Hex>>,
        /// Hexsides of open water between land hexes, each as two hexes.
        pub water: Vec<Vec<Hex>>,
        /// Redoubts.
        pub redoubts: Vec<Hex>,
        /// Batteries.
        pub batteries: Vec<Hex>,
        /// Entrenchments.
        pub entrenchments: Vec<Hex>,
        /// Hexes where units may land.
        pub beaches: Vec<Hex>,
        /// US objectives.
        pub objectives: Vec<Hex>,
        /// Harbor hexes the Spanish fleet fires from.
        pub harbor: Vec<Hex>,
        /// Coastal hexes the US fleet fires from.
        pub coast: Vec<Hex>,
    }
}

document! {
    /// An invented counter. Its name begins with its force: `us-a`, `cu-b`, `sp-c`.
    pub struct Invented {
        /// Whose it is.
        pub force: Force,
        /// What it is; infantry if left out.
        pub kind: Option<UnitKind>,
        /// Fire factor.
        pub fire: Option<u32>,
        /// Shock factor.
        pub shock: Option<u32>,
        /// Movement factor; four if left out.
        pub mf: Option<u32>,
        /// Steps; one if left out.
        pub steps: Option<u8>,
        /// Factors of the reduced side: fire, shock and movement.
        pub back: Vec<u32>,
        /// Frozen until the garrisons are released.
        pub frozen: bool,
    }
}

document! {
    /// The map and the counters of a case.
    pub struct CaseTable {
        /// `standard`, `historical`, or `blank`: an empty map and no units but those placed.
        pub scenario: Option<String>,
        /// Options of the game.
        pub options: BTreeMap<String, String>,
        /// Changes to the map.
        pub map: Option<MapPatch>,
        /// Invented counters by name.
        pub counters: BTreeMap<String, Invented>,
        /// Everything else, read with those names known.
        pub turn: Option<u32>,
        /// Whose packet is due; the US turn if left out.
        pub stage: Option<Stage>,
        /// Where units stand: a hex, `off-map` or `lost`. Others keep their place in the scenario.
        pub units: Option<Node>,
        /// Steps left of reduced units.
        pub steps: Option<Node>,
        /// Disorganized units.
        pub disorganized: Option<Node>,
        /// Units that landed this turn.
        pub landed: Option<Node>,
        /// The hex of the base.
        pub base: Option<Hex>,
        /// The balloon is up.
        pub balloon: bool,
        /// Hexes in US hands besides those where US and Cuban units stand.
        pub us_control: Vec<Hex>,
        /// US steps lost so far.
        pub casualties: Option<u32>,
        /// The turn on which Cervera left.
        pub fleet_sailed: Option<u32>,
        /// Santiago has fallen before.
        pub santiago_fell: bool,
        /// The turn of the all-out effort.
        pub all_out: Option<u32>,
        /// The garrisons are released.
        pub garrisons_released: bool,
        /// Escario is delayed.
        pub escario_delayed: bool,
        /// Escario has arrived.
        pub escario_arrived: bool,
        /// The machineguns have come or been forgone.
        pub machineguns_done: bool,
        /// Bad Weather this turn.
        pub bad_weather: bool,
        /// Heroic Cubans this turn.
        pub heroic_cubans: bool,
        /// Fleets that fired this turn.
        pub fleets_fired: BTreeSet<Force>,
    }
}

/// Lays out the position of a case.
pub fn arrange(start: &Node, at: &DocPath, faults: &mut Vec<Fault>) -> Option<Arranged<Santiago1898>> {
    let mut table: CaseTable = Arranged::<Santiago1898>::read(start, at, faults)?;
    if start.as_map().is_some_and(<[_]>::is_empty) {
        table.stage = Some(Stage::SpanishSetup); // a case without a position begins at the beginning
    }
    let blank = table.scenario.as_deref() == Some("blank");
    let scenario = if blank { String::new() } else { table.scenario.clone().unwrap_or_default() };
    let charter = Charter { scenario, options: table.options.clone(), data: BTreeMap::new() };
    let mut game = noted(Santiago1898::open(&charter), faults)?;
    if blank {
        game.data.clear_map();
    }
    if let Some(map) = &table.map {
        patch_map(&mut game.data, map);
    }
    for (name, invented) in &table.counters {
        invent(&mut game.data, name, invented);
    }
    let state = place(&game, &table, blank, at, faults)?;
    let stop = game.due(state.stage);
    Some(Arranged { game, state, stop, holdings: Holdings::default() })
}

fn patch_map(data: &mut Data, map: &MapPatch) {
    for (hex, terrain) in &map.terrain {
        data.change(*hex, |ground| {
            ground.terrain = *terrain;
            ground.beach |= *terrain == Terrain::Beach;
        });
    }
    for path in &map.roads {
        data.draw_road(path);
    }
    for (sides, what) in [(&map.rivers, Along::River), (&map.crossings, Along::Crossing), (&map.water, Along::Water)] {
        for side in sides {
            if let [a, b] = side.as_slice() {
                data.mark_side(*a, *b, what);
            }
        }
    }
    map.redoubts.iter().for_each(|hex| data.change(*hex, |ground| ground.redoubt = true));
    map.batteries.iter().for_each(|hex| data.change(*hex, |ground| ground.battery = true));
    map.entrenchments.iter().for_each(|hex| data.change(*hex, |ground| ground.entrenchment = true));
    map.beaches.iter().for_each(|hex| data.change(*hex, |ground| ground.beach = true));
    map.objectives.iter().for_each(|hex| data.change(*hex, |ground| ground.objective = true));
    data.harbor.extend(&map.harbor);
    data.coast.extend(&map.coast);
}

fn invent(data: &mut Data, name: &str, invented: &Invented) {
    let Some(mut unit) = data.units.values().next().cloned() else { return };
    let kind = invented.kind.unwrap_or(UnitKind::Infantry);
    let mf = invented.mf.unwrap_or(4);
    unit.id = UnitId::of(name);
    unit.force = invented.force;
    unit.code = name.to_owned();
    unit.name = name.to_owned();
    unit.kind = kind;
    unit.steps = if kind == UnitKind::Leader { 0 } else { invented.steps.unwrap_or(1) };
    unit.front = Factors { fire: invented.fire.unwrap_or(0), shock: invented.shock.unwrap_or(0), mf };
    unit.back = match invented.back.as_slice() {
        [fire, shock, mf] => Some(Factors { fire: *fire, shock: *shock, mf: *mf }),
        _ => (unit.steps > 1).then_some(unit.front),
    };
    unit.rating = 1;
    unit.flags = BTreeSet::new();
    if invented.frozen {
        unit.flags.insert(Flag::Frozen);
    }
    data.units.insert(unit.id, unit);
}

fn place(game: &Santiago1898, table: &CaseTable, blank: bool, at: &DocPath, faults: &mut Vec<Fault>) -> Option<State> {
    let mut reader = Reader::new(&game.data);
    let units: BTreeMap<UnitId, Place> = read_part(table.units.as_ref(), &at.key("units"), &mut reader);
    let steps: BTreeMap<UnitId, u8> = read_part(table.steps.as_ref(), &at.key("steps"), &mut reader);
    let disorganized: Vec<UnitId> = read_part(table.disorganized.as_ref(), &at.key("disorganized"), &mut reader);
    let landed: Vec<UnitId> = read_part(table.landed.as_ref(), &at.key("landed"), &mut reader);
    let mut state = State::new(&game.data);
    state.stage = table.stage.unwrap_or(Stage::UsTurn);
    if blank {
        for unit in state.units.values_mut() {
            unit.at = Place::Lost;
        }
    } else {
        deploy_defaults(game, &mut state);
    }
    for (id, place) in units {
        if let Some(unit) = state.units.get_mut(&id) {
            unit.at = place;
        }
    }
    for (id, left) in steps {
        if let Some(unit) = state.units.get_mut(&id) {
            unit.steps = left;
        }
    }
    for unit in state.units.values_mut().filter(|unit| unit.at == Place::Lost) {
        unit.steps = 0;
    }
    for id in disorganized {
        if let Some(unit) = state.units.get_mut(&id) {
            unit.disorganized = true;
        }
    }
    for id in landed {
        if let Some(unit) = state.units.get_mut(&id) {
            unit.landed = true;
        }
    }
    state.turn = table.turn.unwrap_or(1);
    state.base = table.base;
    state.balloon = table.balloon;
    state.us_control.extend(&table.us_control);
    let held: Vec<Hex> = {
        let now = Position { game, state: &state };
        let own = |id: &UnitId| now.is_combat(*id) && now.force(*id).is_some_and(|force| player(force) == US);
        state.units.iter().filter(|(id, _)| own(id)).filter_map(|(_, unit)| unit.at.hex()).collect()
    };
    state.us_control.extend(held);
    if let Some(casualties) = table.casualties {
        state.losses.entry(Force::Us).or_default().insert(Cause::Fire, casualties);
    }
    state.fleet_sailed = table.fleet_sailed;
    state.santiago_fell = table.santiago_fell || state.us_controls(game.data.santiago);
    state.all_out = table.all_out;
    state.garrisons_released = table.garrisons_released;
    state.escario_delayed = table.escario_delayed;
    state.escario_arrived = table.escario_arrived;
    if table.machineguns_done {
        state.machineguns = Machineguns::Placed;
    }
    state.bad_weather = table.bad_weather;
    state.heroic_cubans = table.heroic_cubans;
    state.fleets_fired = table.fleets_fired.clone();
    let refused = reader.refused();
    faults.append(&mut reader.faults);
    (!refused).then_some(state)
}

/// Both armies at their default places, as far as the stage has come.
fn deploy_defaults(game: &Santiago1898, state: &mut State) {
    if state.stage == Stage::SpanishSetup {
        return;
    }
    let spanish = Position { game, state }.complete_spanish(&BTreeMap::new());
    put_all(state, &spanish);
    if state.stage == Stage::CubanSetup {
        return;
    }
    let cuban = Position { game, state }.complete_cuban(&BTreeMap::new());
    put_all(state, &cuban);
    state.us_control.extend(cuban.values());
}

fn put_all(state: &mut State, places: &BTreeMap<UnitId, Hex>) {
    for (id, hex) in places {
        if let Some(unit) = state.units.get_mut(id) {
            unit.at = Place::At(*hex);
        }
    }
}

/// Reads a state back, and what the counters in it are.
pub fn read_state(game: &Santiago1898, written: &Json) -> Result<State, Vec<String>> {
    let mut state: State = read_back(written, &game.data)?;
    for (id, unit) in state.units.iter_mut() {
        if let Some(counter) = game.data.units.get(id) {
            unit.role = Role::of(counter);
        }
    }
    Ok(state)
}

/// Every invariant that does not hold, recomputed from scratch. Stacking is judged only between packets.
pub fn flaws(game: &Santiago1898, state: &State) -> Vec<String> {
    let now = Position { game, state };
    let data = &game.data;
    let mut flaws = Vec::new();
    if !state.units.keys().eq(data.units.keys()) {
        flaws.push("the units are not those of the counter sheet".to_owned());
    }
    for (id, unit) in &state.units {
        let Some(counter) = data.units.get(id) else { continue };
        let fights = counter.is_combat();
        if unit.steps > counter.steps {
            flaws.push(format!("{id} has {} steps of {}", unit.steps, counter.steps));
        }
        if fights && (unit.at == Place::Lost) != (unit.steps == 0) {
            flaws.push(format!("{id} is {:?} with {} steps", unit.at, unit.steps));
        }
        if let Some(hex) = unit.at.hex() {
            if !data.is_land(hex) {
                flaws.push(format!("{id} stands in the water of {hex}"));
            }
            let side = player(counter.force);
            if now.enemy_in(side, hex) && fights {
                flaws.push(format!("{id} shares {hex} with the enemy"));
            }
            if now.ally_bars(counter.force, hex) {
                flaws.push(format!("{id} shares {hex} with the other ally"));
            }
            if fights && state.us_controls(hex) != (side == US) {
                flaws.push(format!("{hex} is not controlled by {id}, which stands there"));
            }
            if counter.is_leader()
                && state.stage != Stage::Over
                && now.combat_units(counter.force, hex).is_empty()
                && (now.enemy_in(side, hex) || now.enemy_adjacent(side, hex))
            {
                flaws.push(format!("{id} is alone in {hex} next to the enemy"));
            }
        }
    }
    if state.stage != Stage::Over {
        for (hex, force, excess) in now.overstacked() {
            flaws.push(format!("{hex} holds {} too many", count_of(excess, &format!("{force} unit"))));
        }
    }
    if state.base.is_some_and(|hex| !data.is_beach(hex)) {
        flaws.push("the base is not on a beach".to_owned());
    }
    if state.us_controls(data.santiago) && !state.santiago_fell {
        flaws.push("Santiago is in US hands and has not fallen".to_owned());
    }
    for force in Force::ALL {
        let printed: u32 = data.units.values().filter(|u| u.force == force).map(|u| u32::from(u.steps)).sum();
        let left: u32 =
            state.units.iter().filter(|(id, _)| now.force(**id) == Some(force)).map(|(_, u)| u32::from(u.steps)).sum();
        let lost: u32 = state.losses.get(&force).into_iter().flatten().map(|(_, steps)| steps).sum();
        let forgone = data.units.get(&data.cast.machineguns).map_or(0, |unit| u32::from(unit.steps));
        let forgone = if force == Force::Spanish && state.machineguns == Machineguns::Forgone { forgone } else { 0 };
        if printed != left + lost + forgone {
            flaws.push(format!("{force}: {printed} steps printed, {left} left, {lost} lost"));
        }
    }
    if (state.stage == Stage::Over) != state.ending.is_some() {
        flaws.push("the game is over without a result, or has one and goes on".to_owned());
    }
    if !(1..=game.last_turn()).contains(&state.turn) {
        flaws.push(format!("there is no turn {}", state.turn));
    }
    // Supply has a line exactly where one can be walked back hex by hex.
    let nets = Nets::default();
    for id in state.units.keys() {
        if now.supply_by(&nets, *id).is_supplied() != now.is_supplied(&nets, *id) {
            flaws.push(format!("{id} is in supply and has no line, or has one and is not"));
        }
        if let super::supply::Supply::Line(line) = now.supply_by(&nets, *id) {
            let linked = line.windows(2).all(|pair| matches!(pair, [a, b] if data.grid.distance(*a, *b) == 1));
            let open = line.iter().skip(1).all(|hex| !now.enemy_in(now.force(*id).map_or(SPAIN, player), *hex));
            if !linked || !open {
                flaws.push(format!("the supply line of {id} is broken: {line:?}"));
            }
        }
    }
    flaws
}

/// The schemas of the files a person writes for this game.
pub fn schemas() -> Vec<(String, serde_json::Value)> {
    vec![
        ("orders-setup".into(), schema_to_read::<SetupOrders>()),
        ("orders-turn".into(), schema_to_read::<TurnOrders>()),
        ("state".into(), schema_to_write::<State>()),
        ("case-start".into(), schema_to_read::<CaseTable>()),
        ("data-map".into(), schema_of_data::<MapFile>()),
        ("data-counters".into(), schema_of_data::<CountersFile>()),
        ("data-tables".into(), schema_of_data::<Tables>()),
        ("data-scenarios".into(), schema_of_data::<ScenariosFile>()),
    ]
}
