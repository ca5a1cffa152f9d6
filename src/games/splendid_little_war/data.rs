//! The map, counters, tables and scenarios, read and indexed.
//!
//! Ours are built in; a player who owns the published game may replace any of the four files with his own transcription
//! (`--data DIR`). What cannot be understood is reported with file and line, what contradicts the rulebook with its
//! clause.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::board::{self, Feature, Grid, Hex, HexGrid};
use crate::engine::data::Provenance;
use crate::engine::doc::fold;
use crate::engine::{Json, Name, Side};
use crate::{document, words};

use super::terms::{Arm, Column, Flag, Force, Formation, Piece, Size, Terrain};

words! {
    /// What hexes an area is limited to.
    pub enum Only {
        /// Road hexes (§16.1h).
        Road = "road",
        /// Hill hexes (§16.2g).
        Hill = "hill",
    }
}

document! {
    /// A counter.
    pub struct Unit {
        /// What players type.
        pub id: Piece,
        /// Whose it is.
        pub force: Force,
        /// Its name.
        pub name: String,
        /// What it is.
        pub arm: Arm,
        /// Its formation.
        pub formation: Formation,
        /// How large it is.
        pub size: Size,
        /// Combat Factor: left out for a "?" (§3.0e) and for what has none.
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
        /// What is special about it.
        pub flags: Vec<Flag>,
        /// Where the counter comes from.
        pub source: Provenance,
        /// Where its factors come from.
        pub factors: Provenance,
        /// Other spellings (§3.0o).
        pub aliases: Vec<String>,
    }

    /// Where counters set up: any hex within `within` of one of `near`, or one of `hexes`, or with one of `with`.
    pub struct Area {
        /// The clause that says so.
        pub clause: String,
        /// The counters.
        pub units: Vec<Piece>,
        /// Reference hexes.
        pub near: Vec<Hex>,
        /// How far from them.
        pub within: u32,
        /// Hexes named one by one.
        pub hexes: Vec<Hex>,
        /// Only hexes of this sort.
        pub only: Option<Only>,
        /// In the hex of one of these (leaders).
        pub with: Vec<Piece>,
        /// Where it comes from.
        pub source: Provenance,
    }

    /// Units that come later.
    pub struct Arrival {
        /// The clause that says so.
        pub clause: String,
        /// The turn.
        pub turn: u32,
        /// The counters.
        pub units: Vec<Piece>,
        /// The entry hex.
        pub at: Hex,
        /// Put on the map in that hex at no cost, not over the edge (§16.2e, §16.2h).
        pub placed: bool,
        /// Where it comes from.
        pub source: Provenance,
    }

    /// A scenario.
    pub struct ScenarioEntry {
        /// What players type.
        pub id: String,
        /// What it is called.
        pub name: String,
        /// The last turn.
        pub turns: u32,
        /// Spanish units may begin entrenched (§16.1c).
        pub entrenched: bool,
        /// The Spanish set-up.
        pub spanish: Vec<Area>,
        /// The US set-up.
        pub us: Vec<Area>,
        /// Reinforcements of both sides; the Escario column apart.
        pub arrivals: Vec<Arrival>,
        /// Hexes the US must hold, all of `all` and at least `most_of` of `heights` (§16.1j, §16.2i, §16.3e).
        pub all: Vec<Hex>,
        /// The heights.
        pub heights: Vec<Hex>,
        /// How many of them.
        pub most_of: u32,
        /// The most sub-units the US may lose.
        pub loss_limit: Option<u32>,
        /// Where it comes from.
        pub source: Provenance,
    }
}

/// What lies along a hexside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Along {
    /// A road.
    Road,
    /// A trail.
    Trail,
    /// A river.
    River,
    /// A bridge over a river.
    Bridge,
}

impl Feature for Along {
    const ALL: &'static [Self] = &[Along::Road, Along::Trail, Along::River, Along::Bridge];
    fn bit(self) -> u32 {
        self as u32
    }
}

/// The map with everything on it.
pub type Map = board::Terrain<HexGrid, Ground, Along>;

/// What lies in one hex.
#[derive(Clone, Copy, Debug)]
pub struct Ground {
    /// Its terrain.
    pub terrain: Terrain,
    /// Its printed name, if it has one.
    pub name: Option<Name>,
    /// The hill it belongs to: hexes of one hill have the same number (§6.0c).
    pub hill: Option<u16>,
    /// Is there a fort?
    pub fort: bool,
    /// A blockhouse?
    pub blockhouse: bool,
    /// A bivouac?
    pub bivouac: bool,
    /// Does a road pass through it?
    pub road: bool,
    /// Does a trail?
    pub trail: bool,
}

impl Ground {
    /// A hex of this terrain with nothing in it.
    pub const fn bare(terrain: Terrain) -> Ground {
        Ground {
            terrain,
            name: None,
            hill: None,
            fort: false,
            blockhouse: false,
            bivouac: false,
            road: false,
            trail: false,
        }
    }
}

impl Unit {
    /// Is it marked so?
    pub fn has(&self, flag: Flag) -> bool {
        self.flags.contains(&flag)
    }

    /// Has it a CF and a step (§2.0b)?
    pub fn is_combat(&self) -> bool {
        self.arm.is_combat()
    }

    /// Is it a leader?
    pub fn is_leader(&self) -> bool {
        self.arm == Arm::Leader
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

/// Everything the data files say, ready for use.
#[derive(Clone)]
pub struct Data {
    /// The hexes and how they touch.
    pub grid: HexGrid,
    /// The map.
    pub map: Map,
    /// Names of places, folded.
    pub places: BTreeMap<String, Hex>,
    /// Every counter that is no marker, by id.
    pub units: BTreeMap<Piece, Unit>,
    /// The scenarios.
    pub scenarios: Arc<Vec<ScenarioEntry>>,
    /// Forts, by number.
    pub forts: BTreeSet<Hex>,
    /// Forts around the city: not El Viso, not Canosa (§17.0.setup-m).
    pub city_forts: BTreeSet<Hex>,
    /// Blockhouses.
    pub blockhouses: BTreeSet<Hex>,
    /// City hexes.
    pub city: BTreeSet<Hex>,
    /// Bivouacs, in order.
    pub bivouacs: Vec<Hex>,
    /// The US source of supply and entry hex (§10.0k).
    pub us_source: Hex,
    /// Where the Escario column enters (§17.0.escario-h).
    pub cobre_road: Hex,
    /// Cuabitas.
    pub cuabitas: Hex,
    /// El Caney.
    pub el_caney: Hex,
    /// Fort El Viso.
    pub el_viso: Hex,
    /// Fort Canosa.
    pub canosa: Hex,
    /// Files as loaded, for the digest in the first record.
    pub canon: Arc<Json>,
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

    /// The terrain of a hex; off the map there is only harbor.
    pub fn terrain(&self, hex: Hex) -> Terrain {
        self.ground(hex).map_or(Terrain::Harbor, |ground| ground.terrain)
    }

    /// Can units stand in the hex (TEC.harbor)?
    pub fn is_land(&self, hex: Hex) -> bool {
        self.terrain(hex) != Terrain::Harbor
    }

    /// Is it a hill hex (§6.0f)?
    pub fn is_hill(&self, hex: Hex) -> bool {
        self.terrain(hex) == Terrain::Hill
    }

    /// Is there a fort?
    pub fn is_fort(&self, hex: Hex) -> bool {
        self.forts.contains(&hex)
    }

    /// Does a hex count for the victory conditions: fort, blockhouse, city, Cuabitas or an objective?
    pub fn is_prize(&self, hex: Hex) -> bool {
        self.forts.contains(&hex)
            || self.blockhouses.contains(&hex)
            || self.city.contains(&hex)
            || hex == self.cuabitas
            || self.scenarios.iter().any(|scenario| scenario.all.contains(&hex) || scenario.heights.contains(&hex))
    }

    /// The hexes that touch this one.
    pub fn neighbours(&self, hex: Hex) -> impl Iterator<Item = Hex> {
        self.grid.neighbours(hex).map(|(_, next)| next)
    }

    /// The hexes that touch this one and can be entered.
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
}

impl fmt::Debug for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Data({} hexes, {} counters)", self.grid.len(), self.units.len())
    }
}
