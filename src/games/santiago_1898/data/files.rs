//! The four data files as they are written. Everything here is unchecked; [`super::Data`] is what came of it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::board::{Frame, Hex, Hexside};
use crate::games::santiago_1898::terms::{Flag, Force, Group, Provenance, Size, Terrain, UnitId, UnitKind};

/// `map.yaml`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MapFile {
    /// The game, for the reader of the file: `santiago-1898`.
    pub game: String,
    /// How the hexes stand and are numbered (1.3).
    pub frame: Frame,
    /// What every hex is made of.
    pub terrain: TerrainPart,
    /// Names a player may type for a hex.
    pub places: Vec<PlaceEntry>,
    /// Hexes US units may land in (8.1).
    pub beaches: Vec<HexEntry>,
    /// Hexes with a redoubt.
    pub redoubts: Vec<HexEntry>,
    /// Hexes with a coastal battery.
    pub batteries: Vec<HexEntry>,
    /// Entrenched hexes.
    pub entrenchments: Vec<HexEntry>,
    /// The objectives of the victory tables (4.1).
    pub objectives: Vec<HexEntry>,
    /// The roads, each hex by hex.
    pub roads: Vec<LineEntry>,
    /// The railroads, each hex by hex.
    pub railroads: Vec<LineEntry>,
    /// The rivers, hexside by hexside.
    pub rivers: Vec<RiverEntry>,
    /// Bridges and fords.
    pub crossings: Vec<CrossingEntry>,
    /// Hexsides of open water between land hexes; the sheet may show some (TEC.i).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub water: Vec<WaterEntry>,
    /// Hexes over which the Escario column enters (8.3).
    pub west_edge: HexList,
    /// Hexes of the harbour.
    pub harbor: HexList,
    /// Hexes on the open sea (9.7).
    pub coast: HexList,
    /// Where the Spanish line runs.
    pub spanish_line: HexList,
    /// The city of Santiago.
    pub santiago: HexEntry,
    /// El Caney.
    pub el_caney: HexEntry,
    /// El Morro.
    pub el_morro: HexEntry,
    /// Socapa.
    pub socapa: HexEntry,
}

/// The terrain picture: one row of signs per row of hexes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TerrainPart {
    /// The sign of each kind of terrain in the picture.
    pub legend: BTreeMap<Terrain, char>,
    /// Where the picture comes from.
    pub source: Provenance,
    /// Hexes whose terrain has a source of its own.
    #[serde(default)]
    pub known: Vec<HexEntry>,
    /// A line of signs for each row of hexes.
    pub picture: BTreeMap<String, String>,
}

/// A hex with its source.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HexEntry {
    /// The hex.
    pub hex: Hex,
    /// Where it comes from.
    pub source: Provenance,
}

/// Several hexes with one source.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HexList {
    /// Where they come from.
    pub source: Provenance,
    /// The hexes.
    pub hexes: Vec<Hex>,
}

/// A place and the names it answers to; the first is the one printed.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PlaceEntry {
    /// The hex.
    pub hex: Hex,
    /// Its names, the printed one first.
    pub names: Vec<String>,
    /// Where they come from.
    pub source: Provenance,
}

/// A road or railroad.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LineEntry {
    /// What it is called.
    pub name: String,
    /// Where it comes from.
    pub source: Provenance,
    /// Its hexes in order.
    pub path: Vec<Hex>,
}

/// A river.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RiverEntry {
    /// What it is called.
    pub name: String,
    /// Where it comes from.
    pub source: Provenance,
    /// The hexsides along which it runs.
    pub sides: Vec<Hexside>,
}

/// A hexside of open water.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct WaterEntry {
    /// The hexside.
    pub side: Hexside,
    /// Where it comes from.
    pub source: Provenance,
}

/// A bridge or ford.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CrossingEntry {
    /// The hexside.
    pub side: Hexside,
    /// Bridge or ford.
    pub kind: Crossing,
    /// Where it comes from.
    pub source: Provenance,
}

/// How a river is crossed. The two work alike (8.1g).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Crossing {
    /// A bridge.
    Bridge,
    /// A ford.
    Ford,
}

/// `counters.yaml`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CountersFile {
    /// The game, for the reader of the file: `santiago-1898`.
    pub game: String,
    /// Every unit.
    pub units: Vec<UnitEntry>,
    /// Counters that are no units.
    pub special: Vec<SpecialEntry>,
    /// The markers.
    pub markers: Vec<MarkerEntry>,
    /// How many counters there are.
    pub total: TotalEntry,
}

/// One side of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Factors {
    /// Fire factor.
    pub fire: u32,
    /// Shock factor.
    pub shock: u32,
    /// Movement factor.
    pub mf: u32,
}

/// Where the parts of a counter come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct UnitSource {
    /// Its name and side.
    pub unit: Provenance,
    /// Its kind.
    pub kind: Provenance,
    /// Its steps.
    pub steps: Provenance,
    /// Its factors.
    pub values: Provenance,
}

/// A unit.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct UnitEntry {
    /// What players type.
    pub id: UnitId,
    /// Whose it is.
    pub side: Force,
    /// As printed on the counter.
    pub code: String,
    /// Its full name.
    pub name: String,
    /// What it is.
    pub kind: UnitKind,
    /// How large it is.
    pub size: Size,
    /// The division or column it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formation: Option<String>,
    /// How it comes into play; see `scenarios.yaml`.
    pub group: Group,
    /// Steps; 0 for leaders and the Signals Detachment.
    pub steps: u8,
    /// At full strength.
    pub front: Factors,
    /// Reduced, if it has two steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back: Option<Factors>,
    /// A leader's rating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<u8>,
    /// What is special about it.
    #[serde(default)]
    pub flags: Vec<Flag>,
    /// Where its parts come from.
    pub source: UnitSource,
    /// A remark for the reader of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A counter that is no unit.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SpecialEntry {
    /// What players type.
    pub id: UnitId,
    /// Whose it is.
    pub side: Force,
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: SpecialKind,
    /// How it comes into play.
    pub group: Group,
    /// Where it comes from.
    pub source: Provenance,
}

/// What such a counter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpecialKind {
    /// The Logistical Base (10.3).
    Base,
    /// Naval gunfire (9.7).
    Fleet,
}

/// Markers of one sort.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MarkerEntry {
    /// What they are called.
    pub name: String,
    /// How many there are.
    pub count: u32,
    /// Where that comes from.
    pub source: Provenance,
}

/// How many counters the set has.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TotalEntry {
    /// The number of counters.
    pub counters: u32,
    /// Where it comes from.
    pub source: Provenance,
}

/// `scenarios.yaml`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ScenariosFile {
    /// The game, for the reader of the file: `santiago-1898`.
    pub game: String,
    /// Turns and days (2.1).
    pub calendar: Vec<DayEntry>,
    /// The set-ups.
    pub scenarios: Vec<ScenarioEntry>,
}

/// A turn and its day.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DayEntry {
    /// The turn.
    pub turn: u32,
    /// Its day, as year-month-day.
    pub date: String,
    /// Where it comes from.
    pub source: Provenance,
}

/// A scenario.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ScenarioEntry {
    /// What players type.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// The rule that describes it.
    pub clause: String,
    /// Taken if no scenario is named.
    pub default: bool,
    /// Santiago and the hexes around it must be held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ring: Option<RingEntry>,
    /// Where the counters begin.
    pub deploy: Vec<DeployEntry>,
}

/// Santiago and the hexes around it must be held at the start (3.2d, 3.2e).
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RingEntry {
    /// Where it comes from.
    pub source: Provenance,
}

/// Where some counters begin: exactly one of the seven ways, for `units` or for a `group`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DeployEntry {
    /// The rule that says so.
    pub clause: String,
    /// Where it comes from.
    pub source: Provenance,
    /// Anywhere on the map.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anywhere: Option<bool>,
    /// In one of these hexes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hexes: Option<Vec<Hex>>,
    /// In one of these hexes or next to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<Vec<Hex>>,
    /// As the Cubans set up (3.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cuban: Option<CubanEntry>,
    /// Over the west edge (8.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryEntry>,
    /// When this event comes up (7.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<u8>,
    /// By landing (8.1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landing: Option<LandingEntry>,
    /// Each unit with the hex it takes if its owner says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<BTreeMap<UnitId, Hex>>,
    /// All counters of this group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Group>,
}

/// The Cuban set-up hexes of 3.3.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CubanEntry {
    /// Terrain they may stand in.
    pub terrain: Vec<Terrain>,
    /// Hexes at most.
    pub within: u32,
    /// From this hex.
    pub of: Hex,
}

/// Entry over the west edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct EntryEntry {
    /// The turn of arrival.
    pub turn: u32,
    /// The turn if delayed.
    pub delayed: u32,
}

/// Landing from the off-map pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LandingEntry {
    /// The first turn.
    pub from: u32,
    /// The last turn, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<u32>,
    /// Where; any beach if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Vec<Hex>>,
    /// Where besides, while under US control.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub if_controlled: Vec<Hex>,
    /// The group whose landing rule holds after the last turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<Group>,
}
