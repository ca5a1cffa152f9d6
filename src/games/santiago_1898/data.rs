//! The map, counters, tables and scenarios, read and indexed.
//!
//! Ours are built in; a player who owns the published game may replace any of the four files with his own transcription
//! (`--data DIR`). Nothing a file can say makes this panic: what cannot be understood is reported with file and line,
//! what contradicts the rulebook with its clause ([`check`]).

mod check;
pub(super) mod files;
mod load;
mod muster;
mod patch;
mod printed;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::board::sheet::Named;
use crate::board::{self, Bearing, Features, Grid, Hex, HexGrid};
use crate::engine::data::{Loader, Shipped};
use crate::engine::doc::{Fault, fold};
use crate::engine::json::Json;
use crate::engine::{Clause, Name};
use crate::features;
use crate::shipped;

use super::tables::Tables;
use super::terms::{Flag, Force, Group, Size, Terrain, UnitId, UnitKind};

pub use check::findings;
pub use files::{CubanEntry, EntryEntry, Factors, LandingEntry, SpecialKind};

/// The files a data folder may hold, with what we build in for each.
pub const FILES: Shipped = shipped!("santiago_1898": "map.yaml", "counters.yaml", "tables.yaml", "scenarios.yaml");
const MAP: &str = "map.yaml";
const COUNTERS: &str = "counters.yaml";
const TABLES: &str = "tables.yaml";
const SCENARIOS: &str = "scenarios.yaml";

/// Everything the data files say, ready for use.
#[derive(Clone)]
pub struct Data {
    /// The hexes and how they touch.
    pub grid: HexGrid,
    /// What lies in the hexes and along their sides.
    pub map: Map,
    /// The names of roads and rivers.
    pub named: Vec<Named>,
    places: BTreeMap<String, Hex>,
    /// Every unit, by id.
    pub units: BTreeMap<UnitId, Unit>,
    /// The counters that are no units.
    pub specials: BTreeMap<UnitId, Special>,
    /// Markers and how many of each the set has.
    pub markers: Vec<(String, u32)>,
    /// How many counters the set has (§1.2d).
    pub total: u32,
    /// The printed tables.
    pub tables: Tables,
    /// The scenarios, in the order of the file.
    pub scenarios: Vec<Scenario>,
    /// The day of each turn, Turn 1 first.
    pub calendar: Vec<Day>,
    /// Beach hexes, Siboney and Daiquirí included, by number.
    pub beaches: Vec<Hex>,
    /// US objectives, by number (§4.1a).
    pub objectives: Vec<Hex>,
    /// Where the Escario column enters, by number (§8.3c).
    pub west_edge: Vec<Hex>,
    /// Harbor hexes the Spanish fleet fires from, by number (§9.7d).
    pub harbor: Vec<Hex>,
    /// Coastal hexes the US fleet fires from, by number (§9.7e).
    pub coast: Vec<Hex>,
    /// The five hexes of §6.5b, from El Caney on.
    pub spanish_line: Vec<Hex>,
    /// Santiago (§3.2d, R20).
    pub santiago: Hex,
    /// El Caney (§6.5a, R21).
    pub el_caney: Hex,
    /// El Morro (§3.2g, R22).
    pub el_morro: Hex,
    /// Socapa (§3.2g, R22).
    pub socapa: Hex,
    /// The counters with rules of their own.
    pub cast: Cast,
    /// Shared: every case takes a copy of the data, and nothing changes this part of it.
    canon: Arc<Json>,
}

features! {
    /// What lies along a hexside.
    pub enum Along {
        /// A road or railroad (TEC.f, TEC.g).
        Road,
        /// A river (TEC.h).
        River,
        /// A bridge, or whatever else is crossed like one (§8.1g).
        Crossing,
        /// Open water between land hexes (TEC.i, TEC.j).
        Water,
        /// A ford; it works like a bridge (§8.1g).
        Ford,
        /// The road is a railroad; they work alike.
        Rail,
    }
}

/// Is there a bridge or ford along such a side (§8.1g)? A road or railroad across a river is one (R65).
pub fn is_crossing(along: Features<Along>) -> bool {
    along.has_any(&[Along::Crossing, Along::Ford]) || along.has(Along::Road) && along.has(Along::River)
}

type Map = board::Terrain<HexGrid, Ground, Along>;

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
    /// Is it a US objective?
    pub objective: bool,
    /// Does a road or railroad pass through it?
    pub road: bool,
}

/// A unit as its counter shows it.
#[derive(Clone, Debug)]
pub struct Unit {
    /// What players call it.
    pub id: UnitId,
    /// Whose it is.
    pub force: Force,
    /// The code printed on it.
    pub code: String,
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: UnitKind,
    /// Its size.
    pub size: Size,
    /// The formation it belongs to.
    pub formation: Option<String>,
    /// How it enters play.
    pub group: Group,
    /// Steps at full strength; 0 for leaders and the Signals Detachment.
    pub steps: u8,
    /// The full-strength side.
    pub front: Factors,
    /// The reduced side of a two-step unit.
    pub back: Option<Factors>,
    /// A leader's rating (R9).
    pub rating: u8,
    /// What it is marked with.
    pub flags: BTreeSet<Flag>,
}

impl Unit {
    /// The side of the counter that shows with this many steps left (§1.2b).
    pub fn factors(&self, steps: u8) -> Factors {
        match self.back {
            Some(back) if steps < self.steps => back,
            _ => self.front,
        }
    }

    /// Has it steps, so that it fights, takes control and counts for stacking?
    pub fn is_combat(&self) -> bool {
        self.steps > 0
    }

    /// Is it a leader (§6.0)?
    pub fn is_leader(&self) -> bool {
        self.kind == UnitKind::Leader
    }

    /// Is it the Signals Detachment (§8.7)?
    pub fn is_signals(&self) -> bool {
        self.kind == UnitKind::Signals
    }

    /// Does its attack call for a friendly fire roll (§9.8a)? The Gatlings do as the option says (R15).
    pub fn is_artillery(&self, gatling_is_artillery: bool) -> bool {
        self.kind == UnitKind::Artillery || gatling_is_artillery && self.has(Flag::Artillery)
    }

    /// Is it marked so?
    pub fn has(&self, flag: Flag) -> bool {
        self.flags.contains(&flag)
    }
}

/// A counter that is no unit.
#[derive(Clone, Debug)]
pub struct Special {
    /// What players call it.
    pub id: UnitId,
    /// Whose it is.
    pub force: Force,
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: SpecialKind,
}

/// The counters with rules of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cast {
    /// The Signals Detachment (§8.7).
    pub signals: UnitId,
    /// Theodore Roosevelt (§6.4).
    pub roosevelt: UnitId,
    /// The Spanish leader (§6.5).
    pub spanish_leader: UnitId,
    /// The machineguns of event 6 (§7.2.6a).
    pub machineguns: UnitId,
    /// The Logistical Base (§10.3).
    pub base: UnitId,
    /// US naval gunfire (§9.7).
    pub us_fleet: UnitId,
    /// Spanish naval gunfire (§9.7).
    pub spanish_fleet: UnitId,
}

/// A turn's day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Day {
    /// The turn.
    pub turn: u32,
    /// The date: `1898-06-22`.
    pub date: String,
}

/// A way to begin.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its word: `standard`.
    pub id: String,
    /// The clause that has it.
    pub clause: Clause,
    /// Is it used where none is named?
    pub default: bool,
    /// Must Santiago and its neighbours be held at the start (§3.2d, §3.2e)?
    pub ring: bool,
    /// Where everything begins; every counter stands in exactly one of them, the fleets in none.
    pub deploy: Vec<Deployment>,
}

impl Scenario {
    /// Where a counter begins.
    pub fn deployment(&self, counter: UnitId) -> Option<&Deployment> {
        self.deploy.iter().find(|deployment| deployment.counters.contains(&counter))
    }
}

/// Where some counters begin.
#[derive(Clone, Debug)]
pub struct Deployment {
    /// The clause that says so.
    pub clause: Clause,
    /// The counters, by id.
    pub counters: BTreeSet<UnitId>,
    /// The hex each takes, or enters by, if its owner names none.
    pub defaults: BTreeMap<UnitId, Hex>,
    /// Where and when.
    pub rule: Whence,
}

/// Where and when a counter comes into play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whence {
    /// Any land hex.
    Anywhere,
    /// One of these hexes, by number.
    Hexes(Vec<Hex>),
    /// As §3.3 has it.
    Cuban(CubanEntry),
    /// Over the west edge (§8.3).
    Entry(EntryEntry),
    /// By the event on this die (§7.2.6a).
    Event(u8),
    /// By sea (§8.2).
    Landing(LandingEntry),
}

impl Data {
    /// Our own data.
    ///
    /// # Panics
    /// Never: a test reads what is built in.
    pub fn ours() -> &'static Data {
        static OURS: OnceLock<Data> = OnceLock::new();
        OURS.get_or_init(|| match Data::load(&BTreeMap::new()) {
            Ok(data) => data,
            Err(faults) => panic!("the built-in data do not load: {faults:?}"),
        })
    }

    /// Reads the given files, and ours for those not given.
    pub fn load(files: &BTreeMap<String, String>) -> Result<Data, Vec<Fault>> {
        Loader::load(super::ID, FILES, files, load::read)
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

    /// Can units stand in the hex (TEC.i)?
    pub fn is_land(&self, hex: Hex) -> bool {
        self.terrain(hex).is_land()
    }

    /// May US units land here (§8.2c)?
    pub fn is_beach(&self, hex: Hex) -> bool {
        self.ground(hex).is_some_and(|ground| ground.beach)
    }

    /// Does the hex contain a road or railroad?
    pub fn has_road(&self, hex: Hex) -> bool {
        self.ground(hex).is_some_and(|ground| ground.road)
    }

    /// Are the two linked by a road or railroad (TEC.f, TEC.g)?
    pub fn road_between(&self, a: Hex, b: Hex) -> bool {
        self.map.between(a, b).has(Along::Road)
    }

    /// Does a road or railroad leave the hex over this side?
    pub fn road_over(&self, hex: Hex, side: Bearing) -> bool {
        self.map.leaving(hex, side).has(Along::Road)
    }

    /// Is there only water beyond this side of the land hex (TEC.i, TEC.j)?
    pub fn water_over(&self, hex: Hex, side: Bearing) -> bool {
        self.map.leaving(hex, side).has(Along::Water)
    }

    /// Is there a river between the two?
    pub fn river_between(&self, a: Hex, b: Hex) -> bool {
        self.map.between(a, b).has(Along::River)
    }

    /// Is there a bridge or ford between the two (§8.1g)?
    pub fn crossing_between(&self, a: Hex, b: Hex) -> bool {
        is_crossing(self.map.between(a, b))
    }

    /// Is there only water between the two land hexes (TEC.i, TEC.j)?
    pub fn water_between(&self, a: Hex, b: Hex) -> bool {
        self.map.between(a, b).has(Along::Water)
    }

    /// The hexes that touch this one.
    pub fn neighbours(&self, hex: Hex) -> impl Iterator<Item = Hex> {
        self.grid.neighbours(hex).map(|(_, next)| next)
    }

    /// The land hexes that touch this one: those a unit could go to or attack (TEC.i, TEC.j).
    pub fn land_neighbours(&self, hex: Hex) -> impl Iterator<Item = Hex> {
        self.neighbours(hex).filter(|&next| self.is_land(next))
    }

    /// The hex a player means by a number or the name of a place.
    pub fn hex_named(&self, text: &str) -> Option<Hex> {
        let hex = text.trim().parse().ok().or_else(|| self.places.get(&fold(text)).copied())?;
        self.grid.contains(hex).then_some(hex)
    }

    /// All names a place can be called by, folded, with its hex.
    pub fn place_names(&self) -> impl Iterator<Item = (&str, Hex)> {
        self.places.iter().map(|(name, &hex)| (name.as_str(), hex))
    }

    /// The printed name of a hex.
    pub fn name_of(&self, hex: Hex) -> Option<&'static str> {
        self.ground(hex)?.name.map(Name::as_str)
    }

    /// A hex as a report has it: `0816 (Siboney)`.
    pub fn describe(&self, hex: Hex) -> String {
        match self.name_of(hex) {
            Some(name) => format!("{hex} ({name})"),
            None => hex.to_string(),
        }
    }

    /// The counter a player means: its id in any case, or its printed code if only one counter bears it (§1.4a, §1.4b).
    pub fn counter_named(&self, text: &str) -> Option<UnitId> {
        let folded = fold(text);
        let known = |id: &UnitId| self.units.contains_key(id) || self.specials.contains_key(id);
        if let Some(id) = UnitId::known(&folded).filter(known) {
            return Some(id);
        }
        let mut coded = self.units.values().filter(|unit| unit.code == text.trim());
        coded.next().filter(|_| coded.next().is_none()).map(|unit| unit.id)
    }

    /// A unit by its id.
    pub fn unit(&self, id: UnitId) -> Option<&Unit> {
        self.units.get(&id)
    }

    /// The printed name of any counter.
    pub fn counter_name(&self, id: UnitId) -> Option<&str> {
        let unit = self.units.get(&id).map(|unit| unit.name.as_str());
        unit.or_else(|| self.specials.get(&id).map(|special| special.name.as_str()))
    }

    /// A scenario by its word.
    pub fn scenario(&self, id: &str) -> Option<&Scenario> {
        self.scenarios.iter().find(|scenario| scenario.id == id)
    }

    /// The last turn (§2.1a).
    pub fn last_turn(&self) -> u32 {
        self.calendar.last().map_or(0, |day| day.turn)
    }

    /// The date of a turn.
    pub fn date(&self, turn: u32) -> Option<&str> {
        self.calendar.iter().find(|day| day.turn == turn).map(|day| day.date.as_str())
    }

    /// Could Cubans be set up here, Spanish units aside (§3.3a to §3.3c)?
    pub fn is_cuban_ground(&self, hex: Hex, rule: &CubanEntry) -> bool {
        rule.terrain.contains(&self.terrain(hex))
            && self.grid.contains(hex)
            && !self.has_road(hex)
            && self.grid.distance(hex, rule.of) <= rule.within
    }
}

impl fmt::Debug for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Data({} hexes, {} units)", self.grid.len(), self.units.len())
    }
}
