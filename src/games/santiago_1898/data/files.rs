//! The four data files as they are written. Everything here is unchecked; [`super::Data`] is what came of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::board::{Frame, Hex, Hexside};
use crate::games::santiago_1898::terms::{Flag, Force, Group, Provenance, Size, Terrain, UnitId, UnitKind};

/// `map.yaml`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MapFile {
    pub game: String,
    pub frame: Frame,
    pub terrain: TerrainPart,
    pub places: Vec<PlaceEntry>,
    pub beaches: Vec<HexEntry>,
    pub redoubts: Vec<HexEntry>,
    pub batteries: Vec<HexEntry>,
    pub entrenchments: Vec<HexEntry>,
    pub objectives: Vec<HexEntry>,
    pub roads: Vec<LineEntry>,
    pub railroads: Vec<LineEntry>,
    pub rivers: Vec<RiverEntry>,
    pub crossings: Vec<CrossingEntry>,
    /// Hexsides of open water between land hexes; the sheet may show some (TEC.i).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub water: Vec<WaterEntry>,
    pub west_edge: HexList,
    pub harbor: HexList,
    pub coast: HexList,
    pub spanish_line: HexList,
    pub santiago: HexEntry,
    pub el_caney: HexEntry,
    pub el_morro: HexEntry,
    pub socapa: HexEntry,
}

/// The terrain picture: one row of signs per row of hexes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TerrainPart {
    pub legend: BTreeMap<Terrain, char>,
    pub source: Provenance,
    #[serde(default)]
    pub known: Vec<HexEntry>,
    pub picture: BTreeMap<String, String>,
}

/// A hex with its source.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HexEntry {
    pub hex: Hex,
    pub source: Provenance,
}

/// Several hexes with one source.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HexList {
    pub source: Provenance,
    pub hexes: Vec<Hex>,
}

/// A place and the names it answers to; the first is the one printed.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PlaceEntry {
    pub hex: Hex,
    pub names: Vec<String>,
    pub source: Provenance,
}

/// A road or railroad.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LineEntry {
    pub name: String,
    pub source: Provenance,
    pub path: Vec<Hex>,
}

/// A river.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RiverEntry {
    pub name: String,
    pub source: Provenance,
    pub sides: Vec<Hexside>,
}

/// A hexside of open water.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct WaterEntry {
    /// The hexside.
    pub side: Hexside,
    /// Where it comes from.
    pub source: Provenance,
}

/// A bridge or ford.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CrossingEntry {
    pub side: Hexside,
    pub kind: Crossing,
    pub source: Provenance,
}

/// How a river is crossed. The two work alike (8.1g).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Crossing {
    /// A bridge.
    Bridge,
    /// A ford.
    Ford,
}

/// `counters.yaml`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CountersFile {
    pub game: String,
    pub units: Vec<UnitEntry>,
    pub special: Vec<SpecialEntry>,
    pub markers: Vec<MarkerEntry>,
    pub total: TotalEntry,
}

/// One side of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct UnitEntry {
    pub id: UnitId,
    pub side: Force,
    pub code: String,
    pub name: String,
    pub kind: UnitKind,
    pub size: Size,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formation: Option<String>,
    pub group: Group,
    pub steps: u8,
    pub front: Factors,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back: Option<Factors>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<u8>,
    #[serde(default)]
    pub flags: Vec<Flag>,
    pub source: UnitSource,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A counter that is no unit.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SpecialEntry {
    pub id: UnitId,
    pub side: Force,
    pub name: String,
    pub kind: SpecialKind,
    pub group: Group,
    pub source: Provenance,
}

/// What such a counter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpecialKind {
    /// The Logistical Base (10.3).
    Base,
    /// Naval gunfire (9.7).
    Fleet,
}

/// Markers of one sort.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MarkerEntry {
    pub name: String,
    pub count: u32,
    pub source: Provenance,
}

/// How many counters the set has.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TotalEntry {
    pub counters: u32,
    pub source: Provenance,
}

/// `scenarios.yaml`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ScenariosFile {
    pub game: String,
    pub calendar: Vec<DayEntry>,
    pub scenarios: Vec<ScenarioEntry>,
}

/// A turn and its day.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DayEntry {
    pub turn: u32,
    pub date: String,
    pub source: Provenance,
}

/// A scenario.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ScenarioEntry {
    pub id: String,
    pub name: String,
    pub clause: String,
    pub default: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ring: Option<RingEntry>,
    pub deploy: Vec<DeployEntry>,
}

/// Santiago and the hexes around it must be held at the start (3.2d, 3.2e).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RingEntry {
    pub source: Provenance,
}

/// Where some counters begin: exactly one of the seven ways, for `units` or for a `group`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DeployEntry {
    pub clause: String,
    pub source: Provenance,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anywhere: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hexes: Option<Vec<Hex>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<Vec<Hex>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cuban: Option<CubanEntry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryEntry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landing: Option<LandingEntry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<BTreeMap<UnitId, Hex>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Group>,
}

/// The Cuban set-up hexes of 3.3.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct EntryEntry {
    /// The turn of arrival.
    pub turn: u32,
    /// The turn if delayed.
    pub delayed: u32,
}

/// Landing from the off-map pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
