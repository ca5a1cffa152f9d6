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
use crate::board::{self, Features, Frame, Grid, Hex, HexGrid, Layer};
use crate::engine::data::{Loader, Provenance, Shelf, Shipped, at};
use crate::engine::doc::fold;
use crate::engine::{Json, Name, Side};
use crate::shipped;
use crate::{document, features, printed};

use super::facts;
use super::scenarios::{Scenario, ScenariosFile, scenarios};
use super::tables::Tables;
use super::terms::{Arm, Chief, Column, Flag, Force, Formation, Mp, Piece, Size, Terrain};

/// The files a data folder may hold, with what we build in for each.
pub const FILES: Shipped =
    shipped!("splendid_little_war": "map.yaml", "counters.yaml", "tables.yaml", "scenarios.yaml");
/// Our own data, or those of a player. Both refuse what denies a printed fact.
pub static SHELF: Shelf<Data> = Shelf::new(super::ID, FILES, read, |_, _| ());
/// The map.
pub const MAP: &str = "map.yaml";
/// The counters.
pub const COUNTERS: &str = "counters.yaml";
/// The tables.
pub const TABLES: &str = "tables.yaml";
/// The scenarios.
pub const SCENARIOS: &str = "scenarios.yaml";

/// The factor printed on a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Printed {
    /// A number.
    Number(u32),
    /// A question mark: rolled for each combat (§13.5).
    Variable,
}

impl Printed {
    /// The factor a counter says.
    pub fn parse(text: &str) -> Option<Printed> {
        match text {
            "?" => Some(Printed::Variable),
            _ => text.parse::<u8>().ok().map(|factor| Printed::Number(factor.into())),
        }
    }
}

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Printed::Number(factor) => write!(f, "{factor}"),
            Printed::Variable => f.pad("?"),
        }
    }
}

printed! {
    Printed, "`9`, `?`";
}

document! {
    /// `map.yaml`.
    pub struct MapFile {
        /// The game, for the reader of the file: `splendid-little-war`.
        pub game: String,
        /// How the hexes stand and are numbered.
        pub frame: Frame,
        /// What every hex is made of.
        pub terrain: Drawn<Terrain>,
        /// Ground besides what the picture shows.
        pub also: Vec<AlsoEntry>,
        /// Names a player may type for a hex.
        pub places: Vec<PlaceEntry>,
        /// Names of hills, each by one of its hexes (6.0c).
        pub hills: Vec<HillEntry>,
        /// Hexes with a fort.
        pub forts: Vec<HexEntry>,
        /// The forts around the city (17.0.setup-m).
        pub city_forts: HexList,
        /// Those of them south of the city (17.0.setup-p).
        pub south_forts: HexList,
        /// Hexes with a blockhouse.
        pub blockhouses: Vec<HexEntry>,
        /// The bivouac areas.
        pub bivouacs: Vec<BivouacEntry>,
        /// Where the road leaves the east edge (10.0k).
        pub us_edge: HexEntry,
        /// Where the Cobre road leaves the map (17.0.escario-h).
        pub cobre_edge: HexEntry,
        /// El Pozo (16.2h).
        pub el_pozo: HexEntry,
        /// El Caney (17.0.setup-b).
        pub el_caney: HexEntry,
        /// Fort El Viso (17.0.setup-c).
        pub el_viso: HexEntry,
        /// Fort Canosa (17.0.setup-d).
        pub canosa: HexEntry,
        /// Cuabitas (17.0.victory-k).
        pub cuabitas: HexEntry,
        /// The roads, each hex by hex.
        pub roads: Vec<LineEntry>,
        /// The trails, each hex by hex.
        pub trails: Vec<LineEntry>,
        /// The rivers, hexside by hexside.
        pub rivers: Vec<SidesEntry>,
        /// The bridges.
        pub bridges: Vec<SidesEntry>,
        /// The fords, which follow from roads, trails, rivers and bridges (6.0b).
        pub fords: Vec<SidesEntry>,
    }

    /// Ground a hex has besides what the picture shows.
    pub struct AlsoEntry {
        /// The hex.
        pub hex: Hex,
        /// The ground.
        pub is: Terrain,
        /// Where that comes from.
        pub source: Provenance,
    }

    /// A hill by name.
    pub struct HillEntry {
        /// What it is called.
        pub name: String,
        /// One of its hexes.
        pub hex: Hex,
        /// Where the name comes from.
        pub source: Provenance,
    }

    /// A bivouac area.
    pub struct BivouacEntry {
        /// Its number.
        pub number: u32,
        /// Its hex.
        pub hex: Hex,
        /// Where that comes from.
        pub source: Provenance,
    }

    /// `counters.yaml`.
    pub struct CountersFile {
        /// The game, for the reader of the file: `splendid-little-war`.
        pub game: String,
        /// Every counter that is no marker.
        pub units: Vec<UnitEntry>,
        /// The markers.
        pub markers: Vec<MarkerEntry>,
        /// How many counters there are.
        pub total: TotalEntry,
    }

    /// A counter.
    pub struct UnitEntry {
        /// What players type.
        pub id: Piece,
        /// Whose it is.
        pub force: Force,
        /// As printed on the counter.
        pub code: String,
        /// Its full name.
        pub name: String,
        /// What it is.
        pub arm: Arm,
        /// How large it is.
        pub size: Size,
        /// Its colour.
        pub formation: Formation,
        /// Combat Factor of a combat unit (§3.0d).
        pub cf: Option<Printed>,
        /// Range of artillery.
        pub range: Option<u32>,
        /// Movement Factor (§3.0k).
        pub mf: u32,
        /// Its formation within the Escario column.
        pub column: Option<Column>,
        /// Its breakdown units.
        pub parts: Vec<Piece>,
        /// Which leader it is.
        pub chief: Option<Chief>,
        /// A leader's command range.
        pub command: Option<u32>,
        /// What is special about it.
        pub flags: Vec<Flag>,
        /// Where its parts come from.
        pub source: UnitSource,
        /// A remark for the reader of the file.
        pub note: Option<String>,
    }
}

/// A counter.
#[derive(Clone, Debug)]
pub struct Unit {
    /// What players type.
    pub id: Piece,
    /// Whose it is.
    pub force: Force,
    /// As printed on the counter.
    pub code: Name,
    /// Its full name.
    pub name: Name,
    /// What it is.
    pub arm: Arm,
    /// Its formation.
    pub formation: Formation,
    /// How large it is.
    pub size: Size,
    /// Combat Factor; none for a "?" (§3.0e) and for what does not fight.
    pub cf: Option<u32>,
    /// A "?" (§3.0e).
    pub variable: bool,
    /// Range of artillery (§3.0j).
    pub range: Option<u32>,
    /// Movement Factor.
    pub mf: u32,
    /// Command Range of a leader (§5.7c).
    pub command: Option<u32>,
    /// Its breakdown units (§5.3a).
    pub parts: Vec<Piece>,
    /// The regiment or squadron it is a part of.
    pub parent: Option<Piece>,
    /// Its formation within the Escario column.
    pub column: Option<Column>,
    /// Which leader it is.
    pub chief: Option<Chief>,
    flags: u32,
}

impl Unit {
    /// Is it marked so?
    pub const fn has(&self, flag: Flag) -> bool {
        self.flags & (1 << flag as u32) != 0
    }

    /// Has it a CF and a step (§2.0b)?
    pub const fn is_combat(&self) -> bool {
        self.arm.is_combat()
    }

    /// Is it a leader?
    pub fn is_leader(&self) -> bool {
        self.arm == Arm::Leader
    }

    /// Do enemy zones stop it, and has it one of its own (§5.2d to §5.2h, §5.2o)?
    pub fn is_zoned(&self) -> bool {
        self.is_combat() && self.arm != Arm::Guerrilla
    }

    /// Who runs it.
    pub fn side(&self) -> Side {
        self.force.side()
    }

    /// Steps: a regiment has as many as parts (§5.0a to §5.0c).
    pub fn steps(&self) -> u32 {
        match (self.is_combat(), self.parts.len()) {
            (false, _) => 0,
            (true, 0) => 1,
            (true, parts) => u32::try_from(parts).unwrap_or(u32::MAX),
        }
    }

    /// Printed CF for comparisons: "?" counts as 2 (D2, D7).
    pub fn worth(&self) -> u32 {
        self.cf.unwrap_or(if self.variable { 2 } else { 0 })
    }
}

features! {
    /// What lies along a hexside.
    pub enum Along {
        /// A road.
        Road,
        /// A trail.
        Trail,
        /// A river.
        River,
        /// A bridge over it.
        Bridge,
    }
}

/// What crossing a hexside means before any pontoon is built (§6.0b).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Water {
    /// No water.
    Dry,
    /// A bridge.
    Bridge,
    /// A ford: a road or trail over a river without a bridge.
    Ford,
    /// A river.
    River,
}

/// The map with everything on it.
pub type Map = board::Terrain<HexGrid, Ground, Along>;

/// What lies in one hex.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ground {
    /// Its terrain as drawn.
    pub terrain: Terrain,
    /// All its terrain, more than one kind perhaps (§6.0a).
    pub terrains: Features<Terrain>,
    /// Its printed name, if it has one.
    pub name: Option<Name>,
    /// Is there a fort?
    pub fort: bool,
    /// A blockhouse?
    pub blockhouse: bool,
    /// A bivouac area?
    pub bivouac: bool,
    /// Does a road pass through it?
    pub road: bool,
    /// Does a trail?
    pub trail: bool,
    /// The number of the hill it belongs to (§6.0c).
    pub hill: Option<u16>,
}

impl Ground {
    /// A hex of this terrain with nothing in it.
    pub fn bare(terrain: Terrain) -> Ground {
        Ground { terrain, terrains: Features::NONE.with(terrain), ..Ground::default() }
    }

    /// Is it of this terrain, among others perhaps?
    pub fn is(&self, terrain: Terrain) -> bool {
        self.terrains.has(terrain)
    }

    /// Can units stand in it (TEC.harbor)?
    pub fn is_land(&self) -> bool {
        !self.is(Terrain::Harbor)
    }
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
    /// Names of places, folded.
    pub places: BTreeMap<String, Hex>,
    /// Every counter that is no marker, by id.
    pub units: BTreeMap<Piece, Unit>,
    /// The counters of the leaders the rules name.
    chiefs: BTreeMap<Chief, Piece>,
    /// The counters of the balloon's Base.
    pub bases: Vec<Piece>,
    /// The tables.
    pub tables: Arc<Tables>,
    /// The scenarios.
    pub scenarios: Arc<Vec<Scenario>>,
    /// Hexes of the city.
    pub city: BTreeSet<Hex>,
    /// Forts.
    pub forts: BTreeSet<Hex>,
    /// Forts around the city.
    pub city_forts: BTreeSet<Hex>,
    /// Those south of it.
    pub south_forts: BTreeSet<Hex>,
    /// Blockhouses.
    pub blockhouses: BTreeSet<Hex>,
    /// Bivouacs, in the order of their numbers.
    pub bivouacs: Vec<Hex>,
    /// The US source of supply and entry hex (§10.0k).
    pub us_source: Hex,
    /// Where the Escario column enters (§17.0.escario-h).
    pub cobre_road: Hex,
    /// Fort El Viso.
    pub el_viso: Hex,
    /// El Pozo.
    pub el_pozo: Hex,
    /// Cuabitas.
    pub cuabitas: Hex,
    /// Names of hills.
    pub hills: Vec<(Name, u16)>,
    /// Markers of all sorts.
    pub markers: u32,
    /// How many counters the set has.
    pub total: u32,
    /// Files as loaded, for the digest in the first record.
    pub canon: Arc<Json>,
}

/// What the files say, as far as it makes sense, with their facts looked at.
pub fn read(loader: &mut Loader<'_>) -> Option<Data> {
    let map: Option<MapFile> = loader.read(MAP);
    let counters: Option<CountersFile> = loader.read(COUNTERS);
    let tables: Option<Tables> = loader.read(TABLES);
    let file: Option<ScenariosFile> = loader.read(SCENARIOS);
    let (map, counters, tables, file) = (map?, counters?, tables?, file?);
    let canon = loader.canon();
    tables.check(loader);
    let units = units(loader, &counters);
    let (land, named, places) = land(loader, &map)?;
    let hexes = |entries: &[HexEntry]| entries.iter().map(|entry| entry.hex).collect::<BTreeSet<_>>();
    let hill = |entry: &HillEntry| Some((Name::intern(&entry.name), land.ground(entry.hex)?.hill?));
    let bivouacs: BTreeMap<u32, Hex> = map.bivouacs.iter().map(|bivouac| (bivouac.number, bivouac.hex)).collect();
    let mut data = Data {
        grid: land.grid().clone(),
        named,
        places,
        chiefs: units.values().filter_map(|unit| Some((unit.chief?, unit.id))).collect(),
        bases: units.values().filter(|unit| unit.arm == Arm::Base).map(|unit| unit.id).collect(),
        units,
        tables: Arc::new(tables),
        scenarios: Arc::default(),
        city: land.cells().filter(|(_, ground)| ground.is(Terrain::City)).map(|(hex, _)| hex).collect(),
        forts: hexes(&map.forts),
        city_forts: map.city_forts.hexes.iter().copied().collect(),
        south_forts: map.south_forts.hexes.iter().copied().collect(),
        blockhouses: hexes(&map.blockhouses),
        bivouacs: bivouacs.into_values().collect(),
        us_source: map.us_edge.hex,
        cobre_road: map.cobre_edge.hex,
        el_viso: map.el_viso.hex,
        el_pozo: map.el_pozo.hex,
        cuabitas: map.cuabitas.hex,
        hills: map.hills.iter().filter_map(hill).collect(),
        map: land,
        markers: counters.markers.iter().map(|marker| marker.count).sum(),
        total: counters.total.counters,
        canon: Arc::new(canon),
    };
    if file.scenarios.is_empty() {
        loader.fault(SCENARIOS, &at("scenarios"), "there is no scenario", "describe the campaign");
    }
    data.scenarios = Arc::new(scenarios(loader, &data, &file));
    facts::state(loader, &data, &map, &counters);
    Some(data)
}

/// The counters, regiments linked with their parts.
fn units(loader: &mut Loader<'_>, file: &CountersFile) -> BTreeMap<Piece, Unit> {
    let mut units: BTreeMap<Piece, Unit> = BTreeMap::new();
    for (index, entry) in file.units.iter().enumerate() {
        let here = at("units").index(index);
        let mut fault = |key: &str, what: String, remedy: &str| {
            loader.fault(COUNTERS, &here.key(key), what, remedy);
        };
        if entry.arm.is_combat() != entry.cf.is_some() {
            fault("cf", format!("`{}` has a factor or it does not fight", entry.id), "give combat units a `cf`");
        }
        if (entry.arm == Arm::Artillery) != entry.range.is_some() {
            fault("range", format!("`{}`: artillery has a range, nobody else", entry.id), "give guns a `range`");
        }
        if (entry.arm == Arm::Leader) != (entry.chief.is_some() && entry.command.is_some()) {
            fault("chief", format!("`{}`: a leader has a name and a range", entry.id), "give `chief` and `command`");
        }
        if matches!(entry.size, Size::Regiment | Size::Squadron) == entry.parts.is_empty() {
            fault("parts", format!("`{}`: regiments have parts, nobody else", entry.id), "list its breakdown units");
        }
        let unit = Unit {
            id: entry.id,
            force: entry.force,
            code: Name::intern(&entry.code),
            name: Name::intern(&entry.name),
            arm: entry.arm,
            size: entry.size,
            formation: entry.formation,
            cf: entry.cf.and_then(|cf| if let Printed::Number(number) = cf { Some(number) } else { None }),
            variable: entry.cf == Some(Printed::Variable),
            range: entry.range,
            mf: entry.mf,
            command: entry.command,
            parts: entry.parts.clone(),
            parent: None,
            column: entry.column,
            chief: entry.chief,
            flags: entry.flags.iter().fold(0, |flags, flag| flags | 1 << *flag as u32),
        };
        if units.insert(entry.id, unit).is_some() {
            fault("id", format!("`{}` stands here twice", entry.id), "give each counter its own id");
        }
    }
    for (index, entry) in file.units.iter().enumerate() {
        for (number, part) in entry.parts.iter().enumerate() {
            let fits =
                |unit: &&mut Unit| unit.size == Size::Breakdown && unit.force == entry.force && unit.parent.is_none();
            match units.get_mut(part).filter(fits) {
                Some(unit) => unit.parent = Some(entry.id),
                None => {
                    let at = at("units").index(index).key("parts").index(number);
                    let what = format!("`{part}` is no part, or not of `{}` alone", entry.id);
                    loader.fault(COUNTERS, &at, what, "name a counter of size `breakdown` once");
                }
            }
        }
    }
    for (index, entry) in file.units.iter().enumerate() {
        if entry.size == Size::Breakdown && units.get(&entry.id).is_some_and(|unit| unit.parent.is_none()) {
            let at = at("units").index(index).key("size");
            loader.fault(COUNTERS, &at, format!("`{}` is part of nothing", entry.id), "list it under a regiment");
        }
        let chief = |unit: &Unit| unit.chief.is_some() && unit.chief == entry.chief;
        if entry.chief.is_some() && units.values().filter(|unit| chief(unit)).count() > 1 {
            let at = at("units").index(index).key("chief");
            loader.fault(COUNTERS, &at, "two counters are the same man", "name each leader once");
        }
    }
    units
}

/// The map, and the names of its places.
fn land(loader: &mut Loader<'_>, map: &MapFile) -> Option<(Map, Vec<Named>, BTreeMap<String, Hex>)> {
    let grid = grid(loader, MAP, &map.frame)?;
    let terrain = drawn(loader, MAP, &grid, "terrain", &map.terrain)?;
    let names: BTreeMap<Hex, &String> =
        map.places.iter().filter_map(|place| Some((place.hex, place.names.first()?))).collect();
    let ground = Layer::from_fn(&grid, |hex| Ground {
        name: names.get(&hex).map(|name| Name::intern(name)),
        ..Ground::bare(terrain.get(&grid, hex).copied().unwrap_or_default())
    });
    let mut sheet = Sheet::new(loader, MAP, Map::with_ground(grid, ground), Ground::is_land);
    for (index, also) in map.also.iter().enumerate() {
        if sheet.on_land(also.hex, &at("also").index(index).key("hex"))
            && let Some(mut ground) = sheet.map.ground(also.hex)
        {
            ground.terrains = ground.terrains.with(also.is);
            sheet.map.set_ground(also.hex, ground);
        }
    }
    number_hills(&mut sheet.map);
    sheet.works("forts", &map.forts, |ground| ground.fort = true);
    sheet.works("blockhouses", &map.blockhouses, |ground| ground.blockhouse = true);
    for (index, bivouac) in map.bivouacs.iter().enumerate() {
        sheet.work(bivouac.hex, &at("bivouacs").index(index).key("hex"), |ground| ground.bivouac = true);
    }
    sheet.lines("roads", &map.roads, Along::Road, |ground| ground.road = true);
    sheet.lines("trails", &map.trails, Along::Trail, |ground| ground.trail = true);
    sheet.sides("rivers", &map.rivers, Along::River);
    sheet.sides("bridges", &map.bridges, Along::Bridge);
    for (key, list) in [("city-forts", &map.city_forts), ("south-forts", &map.south_forts)] {
        for (index, &hex) in list.hexes.iter().enumerate() {
            sheet.on_land(hex, &at(key).key("hexes").index(index));
        }
    }
    for (index, hill) in map.hills.iter().enumerate() {
        sheet.on_land(hill.hex, &at("hills").index(index).key("hex"));
    }
    for (key, entry) in [
        ("us-edge", &map.us_edge),
        ("cobre-edge", &map.cobre_edge),
        ("el-pozo", &map.el_pozo),
        ("el-caney", &map.el_caney),
        ("el-viso", &map.el_viso),
        ("canosa", &map.canosa),
        ("cuabitas", &map.cuabitas),
    ] {
        sheet.on_land(entry.hex, &at(key).key("hex"));
    }
    let places = sheet.names([("places", &map.places[..])]);
    let (land, named) = (sheet.map, sheet.named);
    for (index, hill) in map.hills.iter().enumerate() {
        if land.ground(hill.hex).is_some_and(|ground| ground.hill.is_none()) {
            let at = at("hills").index(index).key("hex");
            loader.fault_by("6.0c", MAP, &at, format!("{} is no hill hex", hill.hex), "name a hex of the hill");
        }
    }
    for (index, bivouac) in map.bivouacs.iter().enumerate() {
        if map.bivouacs.iter().take(index).any(|other| other.number == bivouac.number) {
            let at = at("bivouacs").index(index).key("number");
            loader.fault(MAP, &at, format!("bivouac {} stands here twice", bivouac.number), "number each once");
        }
    }
    Some((land, named, places))
}

/// Each group of hill hexes that touch is one hill (§6.0c), numbered by its lowest hex.
pub fn number_hills(map: &mut Map) {
    let mut number = 0;
    let hexes: Vec<Hex> = map.cells().filter(|(_, ground)| ground.is(Terrain::Hill)).map(|(hex, _)| hex).collect();
    for start in hexes {
        if map.ground(start).is_none_or(|ground| ground.hill.is_some()) {
            continue;
        }
        let mut open = vec![start];
        while let Some(hex) = open.pop() {
            let Some(mut ground) = map.ground(hex).filter(|ground| ground.is(Terrain::Hill) && ground.hill.is_none())
            else {
                continue;
            };
            ground.hill = Some(number);
            map.set_ground(hex, ground);
            open.extend(map.grid().neighbours(hex).map(|(_, next)| next));
        }
        number = number.saturating_add(1);
    }
}

impl Data {
    /// All data as loaded, for the digest in the first record.
    pub fn canon(&self) -> &Json {
        &self.canon
    }

    /// What lies in a hex, if it is on the map.
    pub fn ground(&self, hex: Hex) -> Option<Ground> {
        self.map.ground(hex)
    }

    /// The terrain of a hex as drawn; off the map there is only harbor.
    pub fn terrain(&self, hex: Hex) -> Terrain {
        self.ground(hex).map_or(Terrain::Harbor, |ground| ground.terrain)
    }

    /// Is the hex of this terrain, among others perhaps?
    pub fn is(&self, hex: Hex, terrain: Terrain) -> bool {
        self.ground(hex).is_some_and(|ground| ground.is(terrain))
    }

    /// Can units stand in the hex?
    pub fn is_land(&self, hex: Hex) -> bool {
        self.ground(hex).is_some_and(|ground| ground.is_land())
    }

    /// Is it a hill hex (§6.0f)?
    pub fn is_hill(&self, hex: Hex) -> bool {
        self.is(hex, Terrain::Hill)
    }

    /// Is there a fort?
    pub fn is_fort(&self, hex: Hex) -> bool {
        self.ground(hex).is_some_and(|ground| ground.fort)
    }

    /// Does a hex count for the victory conditions: fort, blockhouse, city, Cuabitas or an objective?
    pub fn is_prize(&self, hex: Hex) -> bool {
        self.forts.contains(&hex)
            || self.blockhouses.contains(&hex)
            || self.city.contains(&hex)
            || hex == self.cuabitas
            || self.scenarios.iter().any(|scenario| scenario.all.contains(&hex) || scenario.heights.contains(&hex))
    }

    /// What the ground of a hex costs, the dearest of what is in it (§12.0i); none where it is prohibited.
    pub fn hex_cost(&self, hex: Hex) -> Option<Mp> {
        let ground = self.ground(hex).filter(|ground| ground.is_land())?;
        ground.terrains.iter().filter_map(|terrain| self.tables.cost(terrain)).max()
    }

    /// What crossing from one hex to the next means, pontoons apart (§6.0b).
    pub fn crossing(&self, a: Hex, b: Hex) -> Water {
        let along = self.map.between(a, b);
        match () {
            () if !along.has(Along::River) => Water::Dry,
            () if along.has(Along::Bridge) => Water::Bridge,
            () if along.has_any(&[Along::Road, Along::Trail]) => Water::Ford,
            () => Water::River,
        }
    }

    /// Does a road join the two?
    pub fn road_between(&self, a: Hex, b: Hex) -> bool {
        self.map.between(a, b).has(Along::Road)
    }

    /// Does a trail join the two?
    pub fn trail_between(&self, a: Hex, b: Hex) -> bool {
        self.map.between(a, b).has(Along::Trail)
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

    /// Does the map end beside the hex?
    pub fn is_edge(&self, hex: Hex) -> bool {
        self.grid.contains(hex) && self.neighbours(hex).count() < HexGrid::WAYS
    }

    /// The hill of this name.
    pub fn hill_named(&self, name: &str) -> Option<u16> {
        let wanted = fold(name);
        self.hills.iter().find(|(name, _)| fold(name.as_str()) == wanted).map(|(_, hill)| *hill)
    }

    /// The hexes of a hill, lowest first.
    pub fn hill_hexes(&self, hill: u16) -> impl Iterator<Item = Hex> {
        self.map.cells().filter(move |(_, ground)| ground.hill == Some(hill)).map(|(hex, _)| hex)
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

    /// A hex as a report has it: `2629 (El Caney)`.
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

    /// The counter that is this leader.
    pub fn chief(&self, chief: Chief) -> Option<Piece> {
        self.chiefs.get(&chief).copied()
    }

    /// The scenario players call by this id.
    pub fn scenario(&self, id: &str) -> Option<&Scenario> {
        self.scenarios.iter().find(|scenario| scenario.id == id)
    }
}

impl fmt::Debug for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Data({} hexes, {} counters)", self.grid.len(), self.units.len())
    }
}
