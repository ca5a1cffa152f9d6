//! Map, counters and tables: read from YAML, checked against the facts the rulebook prints.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::board::{Feature, Features, Frame, Grid, Hex, HexGrid, Points, Terrain, read_picture};
use crate::engine::doc::{DocPath, Fault};
use crate::engine::{Json, to_json};

use super::terms::{Arm, CombatResult, Flag, Group, Land, Nation, Odds, UnitId};

/// Movement points in halves (§10.6).
pub type Mp = Points<2>;

/// The files, by name, as they are shipped.
pub const FILES: [(&str, &str); 3] = [
    ("map.yaml", include_str!("data/map.yaml")),
    ("counters.yaml", include_str!("data/counters.yaml")),
    ("tables.yaml", include_str!("data/tables.yaml")),
];

/// What lies along a hexside, as met by one who crosses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Along {
    /// A road links the two hexes (§10.6a).
    Road,
    /// A river or arroyo (§10.4a, §10.5c).
    River,
    /// A bridge over it (§10.5a).
    Bridge,
    /// The slope rises this way (§10.4b).
    Up,
    /// The slope falls this way (§10.4c).
    Down,
    /// A trench of the hex entered faces this way (§11.13).
    Trench,
    /// Wholly water (§12.7).
    Water,
}

impl Feature for Along {
    const ALL: &'static [Self] =
        &[Along::Road, Along::River, Along::Bridge, Along::Up, Along::Down, Along::Trench, Along::Water];
    fn bit(self) -> u32 {
        self as u32
    }
}

/// What a hex is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ground {
    /// Its terrain.
    pub land: Land,
    /// Its height.
    pub height: u8,
    /// Its Cuban deployment zone, 1 to 4; 0 on water.
    pub zone: u8,
    /// On the open sea (§16.1).
    pub coast: bool,
    /// On the shore of the bay (§16.2a).
    pub harbour_shore: bool,
    /// With a blockhouse (§11.13a).
    pub blockhouse: bool,
    /// A harbour fortress (§22).
    pub fortress: bool,
    /// A landing beach (§5.4).
    pub beach: bool,
}

/// One counter.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Counter {
    id: UnitId,
    /// As printed.
    pub label: String,
    /// The unit's name.
    pub name: String,
    /// Its nationality.
    pub nation: Nation,
    /// What it is.
    pub kind: Arm,
    /// Its combat factor; none for the Cubans, whose strength is rolled (§14.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factor: Option<u32>,
    /// The factor of its reduced side; none for one-step units (§2.13a).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduced: Option<u32>,
    /// How it comes into play.
    pub group: Group,
    /// What is special about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<Flag>,
    /// Where it is set up if nothing else is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_hex: Option<Hex>,
    /// Where unit and values come from.
    pub source: CounterSource,
}

/// Where a counter and its values come from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CounterSource {
    /// The unit itself.
    pub unit: String,
    /// Its steps and factors.
    pub values: String,
}

impl Counter {
    /// A counter invented for a case.
    pub fn invented(id: UnitId, nation: Nation, kind: Arm, factor: Option<u32>, reduced: Option<u32>) -> Counter {
        let group = match nation {
            Nation::Us => Group::Pool,
            Nation::Cuban => Group::Zones,
            Nation::Spanish => Group::Start,
        };
        Counter {
            id,
            label: id.to_string(),
            name: id.to_string(),
            nation,
            kind,
            factor,
            reduced,
            group,
            flags: Vec::new(),
            default_hex: None,
            source: CounterSource { unit: "case".into(), values: "case".into() },
        }
    }

    /// Its id.
    pub fn id(&self) -> UnitId {
        self.id
    }

    /// One or two (§2.13a).
    pub fn steps(&self) -> u8 {
        if self.reduced.is_some() { 2 } else { 1 }
    }

    /// The factor with so many steps left.
    pub fn factor_at(&self, steps: u8) -> u32 {
        match (self.reduced, steps) {
            (Some(reduced), 1) => reduced,
            (_, 0) => 0,
            _ => self.factor.unwrap_or(0),
        }
    }

    /// Has this flag?
    pub fn has(&self, flag: Flag) -> bool {
        self.flags.contains(&flag)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct MapFile {
    game: String,
    frame: Frame,
    terrain: TerrainPart,
    elevation: ElevationPart,
    zones: PicturePart,
    city: HexList,
    fortresses: Vec<Named>,
    beaches: Vec<Named>,
    #[serde(default)]
    places: Vec<Named>,
    roads: Vec<RoadPart>,
    rivers: Vec<RiverPart>,
    bridges: Vec<BridgePart>,
    #[serde(default)]
    sea_sides: Vec<(Hex, Hex)>,
    blockhouses: HexList,
    trenches: TrenchPart,
    coast: HexList,
    harbour_shore: HexList,
    off_map_road: LinkPart,
    land_edge: LinkPart,
    entries: EntryPart,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct TerrainPart {
    legend: BTreeMap<String, Land>,
    #[serde(rename = "source")]
    _source: String,
    #[serde(default)]
    known: Vec<KnownTerrain>,
    picture: BTreeMap<String, String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KnownTerrain {
    hex: Hex,
    terrain: Land,
    #[serde(rename = "source")]
    _source: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ElevationPart {
    #[serde(rename = "source")]
    _source: String,
    #[serde(default)]
    known: Vec<KnownSlope>,
    picture: BTreeMap<String, String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KnownSlope {
    low: Hex,
    high: Hex,
    #[serde(rename = "source")]
    _source: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PicturePart {
    #[serde(rename = "source")]
    _source: String,
    picture: BTreeMap<String, String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HexList {
    hexes: Vec<Hex>,
    #[serde(rename = "source")]
    _source: String,
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Named {
    name: String,
    hex: Hex,
    #[serde(rename = "source")]
    _source: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RoadPart {
    name: String,
    #[serde(rename = "source")]
    _source: String,
    path: Vec<Hex>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RiverPart {
    name: String,
    #[serde(rename = "source")]
    _source: String,
    sides: Vec<(Hex, Hex)>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BridgePart {
    side: (Hex, Hex),
    #[serde(rename = "source")]
    _source: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TrenchPart {
    #[serde(rename = "source")]
    _source: String,
    pairs: Vec<(Hex, Hex)>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LinkPart {
    from: Hex,
    to: Hex,
    #[serde(rename = "source")]
    _source: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EntryPart {
    manzanillo: Hex,
    guantanamo: Hex,
    #[serde(rename = "source")]
    _source: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CountersFile {
    game: String,
    units: Vec<Counter>,
    markers: Vec<MarkerPart>,
    total: TotalPart,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MarkerPart {
    #[serde(rename = "id")]
    _id: String,
    count: u32,
    #[serde(rename = "source")]
    _source: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TotalPart {
    count: u32,
    #[serde(rename = "source")]
    _source: String,
}

/// The tables, as in the file.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Tables {
    game: String,
    /// The Combat Results Table (§tbl.crt).
    pub combat_results: CombatResults,
    /// The Terrain Effects Chart (§tbl.tec.move, §tbl.tec.combat).
    pub terrain_effects: TerrainEffects,
    /// Movement factors by nationality (§2.12).
    pub movement_factors: MovementFactors,
    /// The US Landing Sites Selection Table (§tbl.landing).
    pub landing_sites: LandingSites,
    /// The Cuban Insurrectionist Deployment Chart (§tbl.cuban).
    pub cuban_deployment: CubanChart,
    /// The Guantanamo Reinforcement Table (§tbl.guantanamo).
    pub guantanamo: GuantanamoTable,
    /// The US Fever Table (§tbl.fever).
    pub fever: FeverTable,
    /// When things happen.
    pub clock: Clock,
    /// Limits and distances.
    pub limits: Limits,
}

/// The Combat Results Table.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CombatResults {
    source: String,
    /// The odds columns, lowest first.
    pub columns: Vec<Odds>,
    /// The results by die.
    pub rows: BTreeMap<u16, Vec<CombatResult>>,
}

impl CombatResults {
    /// The highest column.
    pub fn highest(&self) -> Odds {
        self.columns.last().copied().unwrap_or(Odds(0))
    }

    /// The column that counts for final odds (§11.12c); none below the table, where every attack stalls.
    pub fn column(&self, odds: Odds) -> Option<Odds> {
        let lowest = self.columns.first().copied()?;
        (odds >= lowest).then(|| odds.min(self.highest()))
    }

    /// The result of a die at final odds (§11.8e).
    pub fn result(&self, odds: Odds, die: u16) -> CombatResult {
        let cell = || {
            let column = self.column(odds)?;
            let place = self.columns.iter().position(|other| *other == column)?;
            self.rows.get(&die)?.get(place).copied()
        };
        cell().unwrap_or(CombatResult::Stalled)
    }
}

/// The Terrain Effects Chart.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TerrainEffects {
    hexes: BTreeMap<Land, HexEffect>,
    works: Works,
    sides: Sides,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct HexEffect {
    mp: Mp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mp_light: Option<Mp>,
    left: i32,
    source: String,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Works {
    blockhouse: LeftOnly,
    trench: LeftOnly,
    fortress: LeftOnly,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LeftOnly {
    left: i32,
    source: String,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Sides {
    road: HexEffect,
    river: HexEffect,
    upslope: HexEffect,
}

impl TerrainEffects {
    /// Points to enter a hex; `light` for Cubans and units the balloon guides (§10.9a, §17.3b).
    pub fn enter(&self, land: Land, light: bool) -> Option<Mp> {
        let effect = self.hexes.get(&land)?;
        Some(if light { effect.mp_light.unwrap_or(effect.mp) } else { effect.mp })
    }

    /// The road rate (§10.6a).
    pub fn road(&self) -> Mp {
        self.sides.road.mp
    }

    /// The extra points of a river (§10.4a).
    pub fn river(&self) -> Mp {
        self.sides.river.mp
    }

    /// The extra points of an upslope (§10.4b).
    pub fn upslope(&self) -> Mp {
        self.sides.upslope.mp
    }

    /// Columns left for the terrain of the hex.
    pub fn hex_left(&self, land: Land) -> i32 {
        self.hexes.get(&land).map_or(0, |effect| effect.left)
    }

    /// Columns left across a river and up a slope.
    pub fn side_left(&self) -> (i32, i32) {
        (self.sides.river.left, self.sides.upslope.left)
    }

    /// Columns left for blockhouse, trench and fortress.
    pub fn works_left(&self) -> (i32, i32, i32) {
        (self.works.blockhouse.left, self.works.trench.left, self.works.fortress.left)
    }
}

/// Movement factors.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MovementFactors {
    us: Mp,
    cuban: Mp,
    spanish: Mp,
    source: String,
}

/// The landing table.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LandingSites {
    source: String,
    /// The first roll.
    pub first: BTreeMap<u16, Hex>,
    /// The second roll, modified.
    pub second: BTreeMap<u16, String>,
    /// Added to the second roll (§6.2j).
    pub second_modifier: u16,
    /// Units at the first site before the second roll (§6.2i).
    pub before_second: u32,
    /// Units a turn (§6.6e).
    pub per_turn: u32,
}

/// The Cuban chart.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CubanChart {
    source: String,
    /// Units for zones 1 to 4, by die.
    pub rows: BTreeMap<u16, [u32; 4]>,
}

/// The Guantanamo table.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GuantanamoTable {
    source: String,
    /// Units released, by die.
    pub rows: BTreeMap<u16, u32>,
}

/// The fever table.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct FeverTable {
    source: String,
    /// The first turn with fever (§3.2a).
    pub first_turn: u32,
    /// Rolls a turn (§13.3a).
    pub passes: u32,
    entries: BTreeMap<String, Vec<String>>,
}

impl FeverTable {
    /// The units an entry names.
    pub fn entry(&self, tens: u16, ones: u16) -> Vec<UnitId> {
        let names = self.entries.get(&format!("{tens}{ones}"));
        names.into_iter().flatten().map(|name| UnitId::named(name)).collect()
    }
}

/// When things happen.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Clock {
    /// The last game turn (§3.3b).
    pub turns: u32,
    /// Turns with the short supply line (§12.5a).
    pub short_supply_turns: u32,
    /// Its length.
    pub short_supply: u32,
    /// Added to the supply die (§12.5c).
    pub supply_plus: u32,
    /// The highest die that makes a truce (§19.3b).
    pub truce_on: u16,
    /// From when G units come (§23.1a, §23.1j).
    pub guantanamo_turn: u32,
    /// From when M units come (§23.2a).
    pub manzanillo_turn: u32,
    source: String,
}

/// Limits and distances.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Limits {
    /// Steps the US may lose for a major victory (§4.1b).
    pub steps_lost: u32,
    /// Spanish set-up keeps this far from a beach (§5.1f).
    pub set_up_distance: u32,
    /// Range of artillery (§11.3a).
    pub artillery_range: u32,
    /// How far the balloon helps attacks (§17.3a).
    pub balloon_range: u32,
    /// The highest die that hits the balloon (§17.5d).
    pub balloon_hit: u16,
    /// Supply Source markers in the game (§12.11d).
    pub supply_markers: u32,
    source: String,
}

/// A way supply can take out of a hex (§12.2 to §12.7).
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The place of the next hex in the grid.
    pub to: usize,
    /// By road, or through Santiago (§12.3a, §12.12).
    pub road: bool,
    /// The road that leaves the map (§12.10e).
    pub off_map: bool,
}

/// Everything a match is played with.
#[derive(Clone, Debug)]
pub struct Data {
    /// The map.
    pub map: Terrain<HexGrid, Ground, Along>,
    /// All counters that are units.
    pub counters: BTreeMap<UnitId, Counter>,
    /// For every place of the grid the ways supply can take: neither swamp nor water, whoever stands there.
    pub supply_net: Vec<Vec<Link>>,
    /// The Spanish batteries (§7.3a).
    pub batteries: Vec<UnitId>,
    /// The garrisons and their fortresses (§2.12d).
    pub garrisons: Vec<(Hex, UnitId)>,
    /// The balloon (§17).
    pub balloon: Option<UnitId>,
    /// The tables.
    pub tables: Tables,
    /// Santiago's hexes (§4.1a).
    pub city: Vec<Hex>,
    /// La Socapa and El Morro (§4.6a).
    pub fortresses: Vec<Hex>,
    /// The landing beaches.
    pub beaches: Vec<Hex>,
    /// Names of hexes.
    pub places: Vec<(String, Hex)>,
    /// The off-map road: supply only (§12.10e).
    pub off_map_road: (Hex, Hex),
    /// Land hexes of the map edge (§4.4e).
    pub edge: Vec<Hex>,
    /// Where the M units enter.
    pub manzanillo: Hex,
    /// Where the G units enter.
    pub guantanamo: Hex,
    /// Counters and markers together.
    pub counter_total: (u32, u32),
    /// Everything as loaded.
    pub loaded: Json,
}

/// A slip in a data file.
fn slip(file: &str, what: impl Into<String>) -> Fault {
    Fault::new(&DocPath::root().key(file), what, "put the file right, or leave it out to use the shipped one")
}

fn parse<T: for<'de> Deserialize<'de>>(file: &str, text: &str, faults: &mut Vec<Fault>) -> Option<T> {
    serde_yaml::from_str(text).map_err(|error| faults.push(slip(file, error.to_string()))).ok()
}

impl Data {
    /// Reads the files, the shipped ones where none is given.
    pub fn load(files: &BTreeMap<String, String>) -> Result<Data, Vec<Fault>> {
        // The shipped files are read once.
        static SHIPPED: OnceLock<Result<Data, Vec<Fault>>> = OnceLock::new();
        if files.is_empty() { SHIPPED.get_or_init(|| Data::read(files)).clone() } else { Data::read(files) }
    }

    fn read(files: &BTreeMap<String, String>) -> Result<Data, Vec<Fault>> {
        let mut faults = Vec::new();
        let known: BTreeSet<&str> = FILES.iter().map(|(name, _)| *name).collect();
        for name in files.keys().filter(|name| !known.contains(name.as_str())) {
            faults.push(slip(name, format!("this game has no data file `{name}`")));
        }
        let text = |index: usize| {
            let (name, shipped): (&str, &str) = FILES[index];
            (name, files.get(name).map_or(shipped, String::as_str))
        };
        let map: Option<MapFile> = parse(text(0).0, text(0).1, &mut faults);
        let counters: Option<CountersFile> = parse(text(1).0, text(1).1, &mut faults);
        let tables: Option<Tables> = parse(text(2).0, text(2).1, &mut faults);
        let (Some(map), Some(counters), Some(tables)) = (map, counters, tables) else { return Err(faults) };
        for (file, game) in [("map.yaml", &map.game), ("counters.yaml", &counters.game), ("tables.yaml", &tables.game)]
        {
            if game != super::ID {
                faults.push(slip(file, format!("the file is for `{game}`, not for `{}`", super::ID)));
            }
        }
        let data = Data::build(map, counters, tables, [text(0).1, text(1).1, text(2).1], &mut faults);
        match data {
            Some(data) if faults.is_empty() => Ok(data),
            _ => Err(faults),
        }
    }

    fn build(
        map: MapFile,
        counters: CountersFile,
        tables: Tables,
        texts: [&str; 3],
        faults: &mut Vec<Fault>,
    ) -> Option<Data> {
        let terrain = draw(&map, faults)?;
        let mut units = BTreeMap::new();
        for counter in counters.units {
            let id = counter.id();
            if units.insert(id, counter).is_some() {
                faults.push(slip("counters.yaml", format!("`{id}` is listed twice")));
            }
        }
        for name in tables.fever.entries.values().flatten() {
            if !units.contains_key(&UnitId::named(name)) {
                faults.push(slip("tables.yaml", format!("the fever table names `{name}`, which is no counter")));
            }
        }
        let unit_count = u32::try_from(units.len()).unwrap_or(u32::MAX);
        let markers: u32 = counters.markers.iter().map(|marker| marker.count).sum();
        let named = |list: &[Named]| list.iter().map(|place| place.hex).collect::<Vec<Hex>>();
        let (beaches, fortresses) = (named(&map.beaches), named(&map.fortresses));
        let on_map = |hex: &Hex| terrain.grid().contains(*hex);
        let mut places: Vec<(String, Hex)> = Vec::new();
        for place in map.places.iter().chain(&map.beaches).chain(&map.fortresses) {
            if on_map(&place.hex) {
                places.push((place.name.clone(), place.hex));
            } else {
                faults.push(slip("map.yaml", format!("{} lies in {}, which is not on the map", place.name, place.hex)));
            }
        }
        if let Some(hex) = map.city.hexes.first() {
            places.push(("Santiago".to_owned(), *hex));
        }
        let edge = land_edge(&terrain, map.land_edge.from, map.land_edge.to);
        let digests: BTreeMap<&str, String> = FILES
            .iter()
            .zip(texts)
            .map(|((name, _), text)| (*name, crate::engine::digest::hash("data", &[text])))
            .collect();
        let mut data = Data {
            city: map.city.hexes,
            fortresses,
            beaches,
            places,
            off_map_road: (map.off_map_road.from, map.off_map_road.to),
            edge,
            manzanillo: map.entries.manzanillo,
            guantanamo: map.entries.guantanamo,
            counter_total: (unit_count + markers, counters.total.count),
            loaded: to_json(&digests).unwrap_or(Json::Bool(false)),
            map: terrain,
            supply_net: Vec::new(),
            batteries: Vec::new(),
            garrisons: Vec::new(),
            balloon: None,
            counters: units,
            tables,
        };
        data.index();
        data.lay_net();
        Some(data)
    }

    /// Lays out the ways of supply, again after every change to the map.
    pub fn lay_net(&mut self) {
        let grid = self.grid();
        // §12.12: city hexes are linked with each other and with roads beside them.
        let joins = |hex: Hex| self.is_city(hex) || self.has_road(hex);
        let city = |a: Hex, b: Hex| (self.is_city(a) && joins(b)) || (self.is_city(b) && joins(a));
        let link = |from: Hex, edge, next: Hex| {
            let along = self.map.leaving(from, edge);
            let open = self.is_open(next) && !along.has(Along::Water);
            let road = along.has(Along::Road) || city(from, next);
            grid.index(next).filter(|_| open).map(|to| Link { to, road, off_map: false })
        };
        let ways = |hex: Hex| grid.neighbours(hex).filter_map(|(edge, next)| link(hex, edge, next)).collect();
        let mut net: Vec<Vec<Link>> = grid.cells().map(ways).collect();
        let (inland, coast) = self.off_map_road;
        for (from, to) in [(inland, coast), (coast, inland)] {
            let ends = (grid.index(from), grid.index(to).filter(|_| self.is_open(to)));
            if let (Some(ways), Some(to)) = (ends.0.and_then(|from| net.get_mut(from)), ends.1) {
                ways.push(Link { to, road: true, off_map: true });
            }
        }
        self.supply_net = net;
    }

    /// One more counter, or another one of that id.
    pub fn add_counter(&mut self, counter: Counter) {
        self.counters.insert(counter.id(), counter);
        self.index();
    }

    /// Notes who is what, so that nobody need look through all counters for it.
    fn index(&mut self) {
        let counters = || self.counters.values();
        let battery = |counter: &&Counter| counter.nation == Nation::Spanish && counter.kind == Arm::Artillery;
        let garrison = |counter: &Counter| match counter.kind {
            Arm::Garrison => counter.default_hex.map(|hex| (hex, counter.id())),
            _ => None,
        };
        let batteries = counters().filter(battery).map(Counter::id).collect();
        let garrisons = counters().filter_map(garrison).collect();
        let balloon = counters().find(|counter| counter.kind == Arm::Balloon).map(Counter::id);
        (self.batteries, self.garrisons, self.balloon) = (batteries, garrisons, balloon);
    }

    /// The grid.
    pub fn grid(&self) -> &HexGrid {
        self.map.grid()
    }

    /// A counter.
    pub fn counter(&self, id: UnitId) -> Option<&Counter> {
        self.counters.get(&id)
    }

    /// The unit with exactly this id.
    pub fn unit(&self, id: &str) -> Option<UnitId> {
        self.counters.get_key_value(id).map(|(id, _)| *id)
    }

    /// The terrain of a hex; the sea off the map.
    pub fn land(&self, hex: Hex) -> Land {
        self.map.ground(hex).map_or(Land::Sea, |ground| ground.land)
    }

    /// Land, and no swamp: a hex units can be in (§9.2c).
    pub fn is_open(&self, hex: Hex) -> bool {
        self.land(hex).is_open()
    }

    /// A landing beach.
    pub fn is_beach(&self, hex: Hex) -> bool {
        self.map.ground(hex).is_some_and(|ground| ground.beach)
    }

    /// A Santiago hex.
    pub fn is_city(&self, hex: Hex) -> bool {
        self.land(hex) == Land::City
    }

    /// A fortress hex.
    pub fn is_fortress(&self, hex: Hex) -> bool {
        self.map.ground(hex).is_some_and(|ground| ground.fortress)
    }

    /// What is met on going from one hex to the next.
    pub fn between(&self, from: Hex, to: Hex) -> Features<Along> {
        self.map.between(from, to)
    }

    /// Has the hex a road?
    pub fn has_road(&self, hex: Hex) -> bool {
        self.map.around(hex).has(Along::Road)
    }

    /// Do two hexes touch?
    pub fn adjacent(&self, a: Hex, b: Hex) -> bool {
        self.grid().edge_between(a, b).is_some()
    }

    /// Hexes next to one, clockwise from the north.
    pub fn around(&self, hex: Hex) -> impl Iterator<Item = Hex> + '_ {
        self.grid().neighbours(hex).map(|(_, next)| next)
    }

    /// The full movement factor of a nationality (§2.12).
    pub fn movement_factor(&self, nation: Nation) -> Mp {
        let factors = &self.tables.movement_factors;
        match nation {
            Nation::Us => factors.us,
            Nation::Cuban => factors.cuban,
            Nation::Spanish => factors.spanish,
        }
    }

    /// Counters of a group, by id.
    pub fn group(&self, group: Group) -> impl Iterator<Item = &Counter> {
        self.counters.values().filter(move |counter| counter.group == group)
    }

    /// The name of a hex, if it has one.
    pub fn place_name(&self, hex: Hex) -> Option<&str> {
        self.places.iter().find(|(_, at)| *at == hex).map(|(name, _)| name.as_str())
    }

    /// A hex as a player would say it: `5926 (Daiquiri)`.
    pub fn say(&self, hex: Hex) -> String {
        match self.place_name(hex) {
            Some(name) => format!("{hex} ({name})"),
            None => hex.to_string(),
        }
    }
}

/// Draws the map from its file.
fn draw(map: &MapFile, faults: &mut Vec<Fault>) -> Option<Terrain<HexGrid, Ground, Along>> {
    let grid =
        HexGrid::new(map.frame.clone()).map_err(|fault| faults.push(slip("map.yaml", fault.to_string()))).ok()?;
    let legend = |letter: char| map.terrain.legend.get(&letter.to_string()).copied();
    let land = read_picture(&grid, &map.terrain.picture, legend);
    let digit = |letter: char| match letter {
        '-' => Some(0),
        _ => letter.to_digit(10).and_then(|digit| u8::try_from(digit).ok()),
    };
    let height = read_picture(&grid, &map.elevation.picture, digit);
    let zone = read_picture(&grid, &map.zones.picture, digit);
    let (land, height, zone) = match (land, height, zone) {
        (Ok(land), Ok(height), Ok(zone)) => (land, height, zone),
        (land, height, zone) => {
            let all = land.err().into_iter().chain(height.err()).chain(zone.err()).flatten();
            faults.extend(all.map(|fault| slip("map.yaml", fault.to_string())));
            return None;
        }
    };
    let at = |list: &[Named], hex: Hex| list.iter().any(|place| place.hex == hex);
    let ground = crate::board::Layer::from_fn(&grid, |hex| Ground {
        land: land.get(&grid, hex).copied().unwrap_or(Land::Sea),
        height: height.get(&grid, hex).copied().unwrap_or(0),
        zone: zone.get(&grid, hex).copied().unwrap_or(0),
        coast: map.coast.hexes.contains(&hex),
        harbour_shore: map.harbour_shore.hexes.contains(&hex),
        blockhouse: map.blockhouses.hexes.contains(&hex),
        fortress: at(&map.fortresses, hex),
        beach: at(&map.beaches, hex),
    });
    let mut terrain = Terrain::with_ground(grid, ground);
    for road in &map.roads {
        if let Err(broken) = terrain.mark_path(&road.path, Along::Road) {
            faults.push(slip("map.yaml", format!("road {}: {broken}", road.name)));
        }
    }
    let mut side = |terrain: &mut Terrain<HexGrid, Ground, Along>, pair: (Hex, Hex), what: Along, name: &str| {
        if let Err(broken) = terrain.mark(pair.0, pair.1, what) {
            faults.push(slip("map.yaml", format!("{name}: {broken}")));
        }
    };
    for river in &map.rivers {
        for pair in &river.sides {
            side(&mut terrain, *pair, Along::River, &river.name);
        }
    }
    for bridge in &map.bridges {
        side(&mut terrain, bridge.side, Along::Bridge, "bridge");
    }
    for pair in &map.sea_sides {
        side(&mut terrain, *pair, Along::Water, "sea side");
    }
    for (defended, front) in &map.trenches.pairs {
        if let Err(broken) = terrain.mark_towards(*front, *defended, Along::Trench) {
            faults.push(slip("map.yaml", format!("trench: {broken}")));
        }
    }
    // Slope hexsides lie between land hexes of different height.
    let cells: Vec<(Hex, Ground)> = terrain.cells().collect();
    for (hex, ground) in &cells {
        let around: Vec<Hex> = terrain.grid().neighbours(*hex).map(|(_, next)| next).collect();
        for next in around {
            let Some(other) = terrain.ground(next) else { continue };
            if !ground.land.is_land() || !other.land.is_land() || other.height == ground.height {
                continue;
            }
            let way = if other.height > ground.height { Along::Up } else { Along::Down };
            // Both touch: they are neighbours.
            let _ = terrain.mark_towards(*hex, next, way);
        }
    }
    for known in &map.terrain.known {
        if terrain.ground(known.hex).map(|ground| ground.land) != Some(known.terrain) {
            faults.push(slip("map.yaml", format!("{} is not {}", known.hex, known.terrain)));
        }
    }
    for known in &map.elevation.known {
        if !terrain.between(known.low, known.high).has(Along::Up) {
            faults.push(slip("map.yaml", format!("{} does not rise to {}", known.low, known.high)));
        }
    }
    Some(terrain)
}

/// The land hexes along the west, north and east edge between two coastal hexes (§4.4e).
fn land_edge(terrain: &Terrain<HexGrid, Ground, Along>, from: Hex, to: Hex) -> Vec<Hex> {
    let grid = terrain.grid();
    let [first_column, last_column] = grid.frame().columns;
    let [first_row, _] = grid.frame().rows;
    let on_edge = |hex: &Hex| {
        let (column, row) = (grid.column(*hex), grid.row(*hex));
        let west = column == first_column && row <= grid.row(from);
        let east = column == last_column && row <= grid.row(to);
        west || east || row == first_row
    };
    terrain.cells().filter(|(hex, ground)| ground.land.is_land() && on_edge(hex)).map(|(hex, _)| hex).collect()
}
