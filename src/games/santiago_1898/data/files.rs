//! The four data files as they are written. Everything here is unchecked; [`super::Data`] is what came of it.

use std::collections::BTreeMap;

use crate::board::counters::{MarkerEntry, TotalEntry};
use crate::board::sheet::{Drawn, HexEntry, HexList, LineEntry, PlaceEntry, SidesEntry};
use crate::board::{Frame, Hex};
use crate::engine::data::Provenance;
use crate::games::santiago_1898::terms::{Flag, Force, Group, Size, Terrain, UnitId, UnitKind};
use crate::{document, words};

words! {
    /// What such a counter is.
    pub enum SpecialKind {
        /// The Logistical Base (10.3).
        Base = "base",
        /// Naval gunfire (9.7).
        Fleet = "fleet",
    }
}

document! {
    /// `map.yaml`.
    pub struct MapFile {
        /// The game, for the reader of the file: `santiago-1898`.
        pub game: String,
        /// How the hexes stand and are numbered (1.3).
        pub frame: Frame,
        /// What every hex is made of.
        pub terrain: Drawn<Terrain>,
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
        pub rivers: Vec<SidesEntry>,
        /// Bridges; they and fords work alike (8.1g).
        pub bridges: Vec<SidesEntry>,
        /// Fords.
        pub fords: Vec<SidesEntry>,
        /// Hexsides of open water between land hexes; the sheet may show some (TEC.i).
        pub water: Vec<SidesEntry>,
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

    /// `counters.yaml`.
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
    #[derive(Copy)]
    pub struct Factors {
        /// Fire factor.
        pub fire: u32,
        /// Shock factor.
        pub shock: u32,
        /// Movement factor.
        pub mf: u32,
    }

    /// Where the parts of a counter come from.
    #[derive(Copy)]
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
        pub formation: Option<String>,
        /// How it comes into play; see `scenarios.yaml`.
        pub group: Group,
        /// Steps; 0 for leaders and the Signals Detachment.
        pub steps: u8,
        /// At full strength.
        pub front: Factors,
        /// Reduced, if it has two steps.
        pub back: Option<Factors>,
        /// A leader's rating.
        pub rating: Option<u8>,
        /// What is special about it.
        pub flags: Vec<Flag>,
        /// Where its parts come from.
        pub source: UnitSource,
        /// A remark for the reader of the file.
        pub note: Option<String>,
    }

    /// A counter that is no unit.
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

    /// `scenarios.yaml`.
    pub struct ScenariosFile {
        /// The game, for the reader of the file: `santiago-1898`.
        pub game: String,
        /// Turns and days (2.1).
        pub calendar: Vec<DayEntry>,
        /// The set-ups.
        pub scenarios: Vec<ScenarioEntry>,
    }

    /// A turn and its day.
    pub struct DayEntry {
        /// The turn.
        pub turn: u32,
        /// Its day, as year-month-day.
        pub date: String,
        /// Where it comes from.
        pub source: Provenance,
    }

    /// A scenario.
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
        pub ring: Option<RingEntry>,
        /// Where the counters begin.
        pub deploy: Vec<DeployEntry>,
    }

    /// Santiago and the hexes around it must be held at the start (3.2d, 3.2e).
    pub struct RingEntry {
        /// Where it comes from.
        pub source: Provenance,
    }

    /// Where some counters begin: exactly one of the seven ways, for `units` or for a `group`.
    pub struct DeployEntry {
        /// The rule that says so.
        pub clause: String,
        /// Where it comes from.
        pub source: Provenance,
        /// Anywhere on the map.
        pub anywhere: bool,
        /// In one of these hexes.
        pub hexes: Option<Vec<Hex>>,
        /// In one of these hexes or next to it.
        pub near: Option<Vec<Hex>>,
        /// As the Cubans set up (3.3).
        pub cuban: Option<CubanEntry>,
        /// Over the west edge (8.3).
        pub entry: Option<EntryEntry>,
        /// When this event comes up (7.2).
        pub event: Option<u8>,
        /// By landing (8.1).
        pub landing: Option<LandingEntry>,
        /// Each unit with the hex it takes if its owner says nothing.
        pub units: Option<BTreeMap<UnitId, Hex>>,
        /// All counters of this group.
        pub group: Option<Group>,
    }

    /// The Cuban set-up hexes of 3.3.
    pub struct CubanEntry {
        /// Terrain they may stand in.
        pub terrain: Vec<Terrain>,
        /// Hexes at most.
        pub within: u32,
        /// From this hex.
        pub of: Hex,
    }

    /// Entry over the west edge.
    #[derive(Copy)]
    pub struct EntryEntry {
        /// The turn of arrival.
        pub turn: u32,
        /// The turn if delayed.
        pub delayed: u32,
    }

    /// Landing from the off-map pool.
    pub struct LandingEntry {
        /// The first turn.
        pub from: u32,
        /// The last turn, if there is one.
        pub until: Option<u32>,
        /// Where; any beach if not said.
        pub at: Option<Vec<Hex>>,
        /// Where besides, while under US control.
        pub if_controlled: Vec<Hex>,
        /// The group whose landing rule holds after the last turn.
        pub then: Option<Group>,
    }
}
