//! The map, counters, tables and scenarios, read and indexed.
//!
//! Ours are built in; a player who owns the published game may replace any of the four files with his own transcription
//! (`--data DIR`). What cannot be understood is reported with file and line, what contradicts the rulebook with its
//! clause.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::board::counters::{MarkerEntry, TotalEntry, UnitSource};
use crate::board::sheet::{Drawn, HexEntry, HexList, LineEntry, Named, PlaceEntry, Sheet, SidesEntry, drawn, grid};
use crate::board::{self, Frame, Grid, Hex, HexGrid, Layer};
use crate::engine::data::{Loader, Provenance, Shelf, Shipped, at};
use crate::engine::doc::{DocPath, fold};
use crate::engine::{Json, Name};
use crate::shipped;
use crate::{document, features};

use super::facts;
use super::tables::Tables;
use super::terms::{Content, Flag, Force, Member, Mode, Piece, Setup, Size, Terrain, UnitKind};

/// The files a data folder may hold, with what we build in for each.
pub const FILES: Shipped = shipped!("end_of_empire": "map.yaml", "counters.yaml", "tables.yaml", "scenarios.yaml");
/// Our own data, or those of a player. Both refuse what denies a printed fact.
pub static SHELF: Shelf<Data> = Shelf::new(super::ID, FILES, read, |_, _| ());
/// The map.
pub const MAP: &str = "map.yaml";
/// The counters.
pub const COUNTERS: &str = "counters.yaml";
/// The tables.
pub const TABLES: &str = "tables.yaml";
/// The set-ups.
pub const SCENARIOS: &str = "scenarios.yaml";

document! {
    /// `map.yaml`.
    pub struct MapFile {
        /// The game, for the reader of the file: `end-of-empire`.
        pub game: String,
        /// How the hexes stand and are numbered.
        pub frame: Frame,
        /// What every hex is made of.
        pub terrain: Drawn<Terrain>,
        /// Names a player may type for a hex.
        pub places: Vec<PlaceEntry>,
        /// Hexes US units may land in (8.2b).
        pub beaches: Vec<HexEntry>,
        /// Hexes where only the base may land (10.2h).
        pub base_landing: Vec<HexEntry>,
        /// Hexes with a redoubt.
        pub redoubts: Vec<HexEntry>,
        /// Hexes with a coastal battery.
        pub batteries: Vec<HexEntry>,
        /// Entrenched hexes.
        pub entrenchments: Vec<HexEntry>,
        /// Hexes with a Spanish flag (4.1a).
        pub objectives: Vec<HexEntry>,
        /// The roads, each hex by hex.
        pub roads: Vec<LineEntry>,
        /// The railroads, each hex by hex.
        pub railroads: Vec<LineEntry>,
        /// The rivers, hexside by hexside.
        pub rivers: Vec<SidesEntry>,
        /// Fords and bridges, which follow from roads and rivers (14.5.1f).
        pub fords: Vec<SidesEntry>,
        /// Hexes over which the Escario column enters (8.3a).
        pub west_edge: HexList,
        /// Coastal hexes of the harbour (9.7c, A93).
        pub harbour_coast: HexList,
        /// Coastal hexes on the open sea (9.7d, A93).
        pub sea_coast: HexList,
        /// Santiago.
        pub santiago: HexEntry,
        /// El Caney.
        pub el_caney: HexEntry,
        /// El Morro.
        pub el_morro: HexEntry,
        /// La Socapa.
        pub socapa: HexEntry,
        /// Siboney.
        pub siboney: HexEntry,
    }

    /// `counters.yaml`.
    pub struct CountersFile {
        /// The game, for the reader of the file: `end-of-empire`.
        pub game: String,
        /// Every counter that is no marker.
        pub units: Vec<Unit>,
        /// The markers.
        pub markers: Vec<MarkerEntry>,
        /// How many counters there are.
        pub total: TotalEntry,
    }

    /// One side of a counter.
    #[derive(Copy)]
    pub struct Factors {
        /// Fire factor.
        pub fire: u32,
        /// Shock factor.
        pub shock: u32,
        /// Movement allowance.
        pub r#move: u32,
    }

    /// A counter.
    pub struct Unit {
        /// What players type.
        pub id: Piece,
        /// Whose it is.
        pub force: Force,
        /// As printed on the counter.
        pub code: String,
        /// Its full name.
        pub name: String,
        /// What it is.
        pub kind: UnitKind,
        /// How large it is.
        pub size: Size,
        /// The brigade or column it belongs to.
        pub formation: Option<String>,
        /// Steps; 0 for what has none.
        pub steps: u8,
        /// At full strength; a guerrilla unit in guerrilla.
        pub front: Factors,
        /// Reduced; a guerrilla unit in regular order; the balloon.
        pub back: Option<Factors>,
        /// A leader's rating.
        pub rating: Option<u8>,
        /// Range of fire in hexes.
        pub range: Option<u32>,
        /// Landing cost where it is not the steps.
        pub landing: Option<u32>,
        /// Stacking where it is not the steps.
        pub stacking: Option<u32>,
        /// How it comes into play.
        pub setup: Setup,
        /// Where, if it has no choice.
        pub hex: Option<Hex>,
        /// What is special about it.
        pub flags: Vec<Flag>,
        /// Where its parts come from.
        pub source: UnitSource,
        /// A remark for the reader of the file.
        pub note: Option<String>,
    }

    /// `scenarios.yaml`.
    pub struct ScenariosFile {
        /// The game, for the reader of the file: `end-of-empire`.
        pub game: String,
        /// The set-ups.
        pub scenarios: Vec<ScenarioEntry>,
    }

    /// A scenario.
    pub struct ScenarioEntry {
        /// What players type.
        pub id: String,
        /// What it is called.
        pub name: String,
        /// Where it comes from.
        pub source: Provenance,
        /// The Spanish set-up if its player gives none.
        pub spanish: DefaultSetup,
        /// The Cuban set-up if its player gives none.
        pub cuban: DefaultSetup,
    }

    /// Where counters stand if their player says nothing.
    pub struct DefaultSetup {
        /// Units and hexes.
        pub units: BTreeMap<Piece, Hex>,
        /// Guerrilla units and their mode.
        pub modes: BTreeMap<Piece, Mode>,
        /// Columns and dummies.
        pub columns: Vec<DefaultColumn>,
        /// Logistic columns.
        pub logistics: Vec<Hex>,
    }

    /// A column or dummy of a set-up.
    pub struct DefaultColumn {
        /// Its hex.
        pub at: Hex,
        /// What it holds.
        pub holds: Content,
    }
}

features! {
    /// What lies along a hexside.
    pub enum Along {
        /// A road.
        Road,
        /// A railroad, as good as a road for movement and supply (§8.4a).
        Rail,
        /// A river.
        River,
        /// A ford of a river.
        Ford,
    }
}

/// The map with everything on it.
pub type Map = board::Terrain<HexGrid, Ground, Along>;

/// What lies in one hex.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ground {
    /// Its terrain.
    pub terrain: Terrain,
    /// Its printed name, if it has one.
    pub name: Option<Name>,
    /// Is there a redoubt?
    pub redoubt: bool,
    /// A battery?
    pub battery: bool,
    /// An entrenchment?
    pub entrenchment: bool,
    /// May units land here?
    pub beach: bool,
    /// May the base land here, beach or not (§10.2h)?
    pub base_landing: bool,
    /// Is it a US objective?
    pub objective: bool,
    /// Does a road pass through it?
    pub road: bool,
    /// Does a railroad?
    pub rail: bool,
}

impl Unit {
    /// The side of the counter that shows (§1.1.1b, §11.1a).
    pub fn factors(&self, steps: u8, mode: Option<Mode>) -> Factors {
        let back = match self.kind {
            UnitKind::Guerrilla => mode != Some(Mode::Guerrilla),
            UnitKind::Signals => false,
            _ => steps < self.steps,
        };
        self.back.filter(|_| back).unwrap_or(self.front)
    }

    /// Is it marked so?
    pub fn has(&self, flag: Flag) -> bool {
        self.flags.contains(&flag)
    }

    /// May it go under a counter of its force: under a brigade's only its regiments (§14.6b, A89)?
    pub fn goes_under(&self) -> bool {
        match self.force {
            Force::Us => self.kind.is_foot() && self.formation.is_some(),
            Force::Cuban | Force::Spanish => self.kind.is_piece(),
        }
    }

    /// What landing it costs (§8.2h, A20).
    pub fn landing_steps(&self, steps: u8) -> u32 {
        self.landing.unwrap_or_else(|| steps.into())
    }
}

/// The counters with rules of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cast {
    /// The Signals Detachment (§14.8), in a match that has one.
    pub signals: Option<Piece>,
    /// The machine guns of event 61-62.
    pub machine_guns: Option<Piece>,
    /// The base.
    pub base: Option<Piece>,
}

/// Everything the data files say, ready for use.
#[derive(Clone)]
pub struct Data {
    /// The hexes and how they touch.
    pub grid: HexGrid,
    /// The map.
    pub map: Map,
    /// The names of roads and rivers.
    pub named: Vec<Named>,
    places: BTreeMap<String, Hex>,
    /// Every counter that is no marker, by id.
    pub units: BTreeMap<Piece, Unit>,
    /// The tables.
    pub tables: Arc<Tables>,
    /// The set-ups.
    pub scenarios: Arc<Vec<ScenarioEntry>>,
    /// US objectives, by number (§4.1a).
    pub objectives: Vec<Hex>,
    /// Beaches, by number.
    pub beaches: Vec<Hex>,
    /// Where the Escario column enters (§8.3a).
    pub west_edge: Vec<Hex>,
    /// Coastal hexes of the harbour (A93).
    pub harbour_coast: BTreeSet<Hex>,
    /// Coastal hexes of the sea (A93).
    pub sea_coast: BTreeSet<Hex>,
    /// Santiago.
    pub santiago: Hex,
    /// El Caney.
    pub el_caney: Hex,
    /// El Morro.
    pub el_morro: Hex,
    /// La Socapa.
    pub socapa: Hex,
    /// Markers and how many counters there are in all.
    pub markers: u32,
    /// How many counters the set has (§1.1a).
    pub total: u32,
    canon: Arc<Json>,
}

/// What the files say, as far as it makes sense, with their facts looked at.
pub fn read(loader: &mut Loader<'_>) -> Option<Data> {
    let map: Option<MapFile> = loader.read(MAP);
    let counters: Option<CountersFile> = loader.read(COUNTERS);
    let tables: Option<Tables> = loader.read(TABLES);
    let scenarios: Option<ScenariosFile> = loader.read(SCENARIOS);
    let (map, counters, tables, scenarios) = (map?, counters?, tables?, scenarios?);
    let canon = loader.canon();
    tables.check(loader);
    let mut units = BTreeMap::new();
    for (index, unit) in counters.units.iter().enumerate() {
        if units.insert(unit.id, unit.clone()).is_some() {
            let at = at("units").index(index).key("id");
            loader.fault(COUNTERS, &at, format!("`{}` stands here twice", unit.id), "give each counter its own id");
        }
    }
    if scenarios.scenarios.is_empty() {
        loader.fault(SCENARIOS, &at("scenarios"), "there is no scenario", "describe the campaign");
    }
    let (land, named, places) = land(loader, &map)?;
    let hexes = |entries: &[HexEntry]| entries.iter().map(|entry| entry.hex).collect::<BTreeSet<_>>();
    let data = Data {
        grid: land.grid().clone(),
        map: land,
        named,
        places,
        units,
        tables: Arc::new(tables),
        scenarios: Arc::new(scenarios.scenarios),
        objectives: hexes(&map.objectives).into_iter().collect(),
        beaches: hexes(&map.beaches).into_iter().collect(),
        west_edge: map.west_edge.hexes.iter().copied().collect::<BTreeSet<_>>().into_iter().collect(),
        harbour_coast: map.harbour_coast.hexes.iter().copied().collect(),
        sea_coast: map.sea_coast.hexes.iter().copied().collect(),
        santiago: map.santiago.hex,
        el_caney: map.el_caney.hex,
        el_morro: map.el_morro.hex,
        socapa: map.socapa.hex,
        markers: counters.markers.iter().map(|marker| marker.count).sum(),
        total: counters.total.counters,
        canon: Arc::new(canon),
    };
    data.check_set_ups(loader);
    facts::state(loader, &data, &map);
    Some(data)
}

/// The map, and the names of its places.
fn land(loader: &mut Loader<'_>, map: &MapFile) -> Option<(Map, Vec<Named>, BTreeMap<String, Hex>)> {
    let grid = grid(loader, MAP, &map.frame)?;
    let terrain = drawn(loader, MAP, &grid, "terrain", &map.terrain)?;
    let names: BTreeMap<Hex, &String> =
        map.places.iter().filter_map(|place| Some((place.hex, place.names.first()?))).collect();
    let ground = Layer::from_fn(&grid, |hex| Ground {
        name: names.get(&hex).map(|name| Name::intern(name)),
        terrain: terrain.get(&grid, hex).copied().unwrap_or_default(),
        ..Ground::default()
    });
    let mut sheet = Sheet::new(loader, MAP, Map::with_ground(grid, ground), |ground| ground.terrain.is_land());
    sheet.works("beaches", &map.beaches, |ground| ground.beach = true);
    sheet.works("base-landing", &map.base_landing, |ground| ground.base_landing = true);
    sheet.works("redoubts", &map.redoubts, |ground| ground.redoubt = true);
    sheet.works("batteries", &map.batteries, |ground| ground.battery = true);
    sheet.works("entrenchments", &map.entrenchments, |ground| ground.entrenchment = true);
    sheet.works("objectives", &map.objectives, |ground| ground.objective = true);
    sheet.lines("roads", &map.roads, Along::Road, |ground| ground.road = true);
    sheet.lines("railroads", &map.railroads, Along::Rail, |ground| ground.rail = true);
    sheet.sides("rivers", &map.rivers, Along::River);
    sheet.sides("fords", &map.fords, Along::Ford);
    for (key, list) in
        [("west-edge", &map.west_edge), ("harbour-coast", &map.harbour_coast), ("sea-coast", &map.sea_coast)]
    {
        for (index, &hex) in list.hexes.iter().enumerate() {
            sheet.on_land(hex, &at(key).key("hexes").index(index));
        }
    }
    for (key, entry) in [
        ("santiago", &map.santiago),
        ("el-caney", &map.el_caney),
        ("el-morro", &map.el_morro),
        ("socapa", &map.socapa),
        ("siboney", &map.siboney),
    ] {
        sheet.on_land(entry.hex, &at(key).key("hex"));
    }
    let places = sheet.names([("places", &map.places[..])]);
    Some((sheet.map, sheet.named, places))
}

impl Data {
    /// What entering a hex from its neighbour costs, if it can be entered (§8.1b, §8.1h, §8.4a).
    pub fn step_cost(&self, from: Hex, to: Hex) -> Option<u32> {
        let costs = &self.tables.terrain;
        let ground = costs.of(self.terrain(to))?;
        if self.road_between(from, to) {
            return Some(costs.road);
        }
        Some(ground + if self.river_between(from, to) { costs.river } else { 0 })
    }

    /// Is one of the units under a counter of such a kind?
    pub fn holds(&self, content: &Content, kind: impl Fn(UnitKind) -> bool) -> bool {
        content.members().iter().any(|member| self.unit(member.unit).is_some_and(|unit| kind(unit.kind)))
    }

    /// Is there a real combat unit in this (A07, A74)?
    pub fn is_real(&self, content: &Content) -> bool {
        self.holds(content, UnitKind::is_combat)
    }

    /// What landing this costs under a counter: a dummy as much as is printed on it (§14.7c).
    pub fn landing_of(&self, content: &Content) -> u32 {
        let steps = |member: &Member| self.unit(member.unit).map_or(0, |unit| member.steps.unwrap_or(unit.steps));
        match content {
            Content::Dummy => {
                self.of_kind(Force::Us, UnitKind::Dummy).next().and_then(|unit| unit.landing).unwrap_or(6)
            }
            Content::Units(members) => members.iter().map(|member| u32::from(steps(member))).sum(),
        }
    }

    /// Are all units of this guerrillas, so that it can be deployed in guerrilla (A89)?
    pub fn are_guerrillas(&self, content: &Content) -> bool {
        !self.holds(content, |kind| kind != UnitKind::Guerrilla)
    }

    /// Is there a logistic column in this (§11.3.2a)?
    pub fn has_train(&self, content: &Content) -> bool {
        self.holds(content, |kind| kind == UnitKind::LogisticColumn)
    }

    /// The set-ups name counters that there are, in hexes where they can stand.
    fn check_set_ups(&self, loader: &mut Loader<'_>) {
        for (index, scenario) in self.scenarios.iter().enumerate() {
            for (key, setup) in [("spanish", &scenario.spanish), ("cuban", &scenario.cuban)] {
                let base = at("scenarios").index(index).key(key);
                let mut check = |hex: Hex, at: &DocPath| {
                    if !self.is_land(hex) {
                        loader.fault(SCENARIOS, at, format!("{hex} is no land hex of the map"), "name a land hex");
                    }
                };
                for (unit, hex) in &setup.units {
                    check(*hex, &base.key("units").key(unit.as_str()));
                }
                for (count, column) in setup.columns.iter().enumerate() {
                    check(column.at, &base.key("columns").index(count).key("at"));
                }
                for unit in setup.units.keys().chain(setup.modes.keys()) {
                    if !self.units.contains_key(unit) {
                        let at = base.key("units").key(unit.as_str());
                        loader.fault(SCENARIOS, &at, format!("there is no counter `{unit}`"), "name a counter");
                    }
                }
            }
        }
    }

    /// All data as loaded, for the digest in the first record.
    pub fn canon(&self) -> &Json {
        &self.canon
    }

    /// What lies in a hex, if it is on the map.
    pub fn ground(&self, hex: Hex) -> Option<Ground> {
        self.map.ground(hex)
    }

    /// The terrain of a hex; off the map there is only ocean.
    pub fn terrain(&self, hex: Hex) -> Terrain {
        self.ground(hex).map_or(Terrain::Ocean, |ground| ground.terrain)
    }

    /// Can units stand in the hex?
    pub fn is_land(&self, hex: Hex) -> bool {
        self.terrain(hex).is_land()
    }

    /// May US units land here (§8.2b)?
    pub fn is_beach(&self, hex: Hex) -> bool {
        self.ground(hex).is_some_and(|ground| ground.beach)
    }

    /// Are the two linked by a road or railroad (§8.4a)?
    pub fn road_between(&self, a: Hex, b: Hex) -> bool {
        self.map.between(a, b).has_any(&[Along::Road, Along::Rail])
    }

    /// Is there a river between the two?
    pub fn river_between(&self, a: Hex, b: Hex) -> bool {
        self.map.between(a, b).has(Along::River)
    }

    /// Is there a ford or bridge between the two: a road or railroad across a river (§14.5.1f)?
    pub fn ford_between(&self, a: Hex, b: Hex) -> bool {
        self.river_between(a, b) && self.road_between(a, b)
    }

    /// The hexes that touch this one.
    pub fn neighbours(&self, hex: Hex) -> impl Iterator<Item = Hex> {
        self.grid.neighbours(hex).map(|(_, next)| next)
    }

    /// The land hexes that touch this one.
    pub fn land_around(&self, hex: Hex) -> impl Iterator<Item = Hex> {
        self.neighbours(hex).filter(|&next| self.is_land(next))
    }

    /// Do the two touch?
    pub fn touch(&self, a: Hex, b: Hex) -> bool {
        self.grid.distance(a, b) == 1
    }

    /// How far the two are apart.
    pub fn distance(&self, a: Hex, b: Hex) -> u32 {
        self.grid.distance(a, b)
    }

    /// Is it Santiago or a hex beside it?
    pub fn is_ring(&self, hex: Hex) -> bool {
        self.distance(hex, self.santiago) <= 1
    }

    /// The hex a player means by a number or the name of a place.
    pub fn hex_named(&self, text: &str) -> Option<Hex> {
        let hex = text.trim().parse().ok().or_else(|| self.places.get(&fold(text)).copied())?;
        self.grid.contains(hex).then_some(hex)
    }

    /// All names a place can be called by, folded.
    pub fn place_names(&self) -> impl Iterator<Item = &str> {
        self.places.keys().map(String::as_str)
    }

    /// A hex as a report has it: `0717 (Siboney)`.
    pub fn describe(&self, hex: Hex) -> String {
        match self.ground(hex).and_then(|ground| ground.name) {
            Some(name) => format!("{hex} ({name})"),
            None => hex.to_string(),
        }
    }

    /// A counter by its id.
    pub fn unit(&self, id: Piece) -> Option<&Unit> {
        self.units.get(&id)
    }

    /// The counters of a force and kind.
    pub fn of_kind(&self, force: Force, kind: UnitKind) -> impl Iterator<Item = &Unit> {
        self.units.values().filter(move |unit| unit.force == force && unit.kind == kind)
    }

    /// How many counters of a kind a force has: a hard limit (§14.5.1g, §14.7a).
    pub fn supply_of(&self, force: Force, kind: UnitKind) -> usize {
        self.of_kind(force, kind).count()
    }

    /// How many counters of a force can lie closed on the map, dummies apart.
    pub fn containers(&self, force: Force) -> usize {
        self.supply_of(force, UnitKind::Column) + self.supply_of(force, UnitKind::Brigade)
    }

    /// Coasts follow from terrain (A93): land beside harbour water, the two forts excepted; land beside the ocean, and
    /// the forts.
    pub fn coasts(&self) -> (BTreeSet<Hex>, BTreeSet<Hex>) {
        let beside = |hex: Hex, terrain: Terrain| self.neighbours(hex).any(|next| self.terrain(next) == terrain);
        let fort = |hex: Hex| hex == self.el_morro || hex == self.socapa;
        let land: Vec<Hex> = self.grid.cells().filter(|hex| self.is_land(*hex)).collect();
        let bay = |hex: &Hex| beside(*hex, Terrain::Harbour);
        let harbour: BTreeSet<Hex> = land.iter().copied().filter(|hex| bay(hex) && !fort(*hex)).collect();
        let open = |hex: &Hex| beside(*hex, Terrain::Ocean) || fort(*hex) && bay(hex);
        let sea = land.into_iter().filter(open).filter(|hex| !harbour.contains(hex)).collect();
        (harbour, sea)
    }

    /// The counters with rules of their own.
    pub fn cast(&self) -> Cast {
        let first = |kind: UnitKind| self.units.values().find(|unit| unit.kind == kind).map(|unit| unit.id);
        Cast {
            signals: first(UnitKind::Signals),
            machine_guns: self.units.values().find(|unit| unit.setup == Setup::Event).map(|unit| unit.id),
            base: first(UnitKind::Base),
        }
    }
}

impl fmt::Debug for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Data({} hexes, {} counters)", self.grid.len(), self.units.len())
    }
}
