//! Map, counters and tables: read from YAML, checked against the facts the rulebook prints.

mod files;
mod tables;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::board::sheet::{Named, PlaceEntry};
use crate::board::{Features, Grid, Hex, HexGrid, Points, Terrain};
use crate::engine::Json;
use crate::engine::data::{Loader, Provenance, Shelf, Shipped, at};
use crate::features;
use crate::shipped;

pub use files::{Counter, CounterSource};
pub(super) use files::{CountersFile, MapFile};
pub use tables::Tables;

use files::{draw, land_edge};

use super::terms::{Arm, Flag, Group, Land, Nation, UnitId};

/// Movement points in halves (§10.6).
pub type Mp = Points<2>;

/// The files, by name, as they are shipped.
pub const FILES: Shipped = shipped!("santiago_campaign": "map.yaml", "counters.yaml", "tables.yaml");
/// Our own data, or those of a player.
pub static SHELF: Shelf<Data> = Shelf::new(super::ID, FILES, Data::read, super::facts::state);
pub(super) const MAP: &str = "map.yaml";
pub(super) const COUNTERS: &str = "counters.yaml";
pub(super) const TABLES: &str = "tables.yaml";

features! {
    /// What lies along a hexside, as met by one who crosses it.
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
}

/// What a hex is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
            source: CounterSource { unit: Provenance::Inferred, values: Provenance::Inferred },
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
    /// The names of roads and rivers.
    pub named: Vec<Named>,
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
    /// Everything as loaded; every case takes a copy of the data, and nothing changes this part of it.
    pub loaded: Arc<Json>,
}

impl Data {
    /// What the files say, as far as it makes sense.
    pub fn read(loader: &mut Loader<'_>) -> Option<Data> {
        let map = loader.read::<MapFile>(MAP);
        let counters = loader.read::<CountersFile>(COUNTERS);
        let tables = loader.read::<Tables>(TABLES);
        let (map, counters, tables) = (map?, counters?, tables?);
        tables.combat_results.results.check(loader, TABLES, &at("combat-results").key("results"));
        let terrain = draw(loader, &map);
        let mut units = BTreeMap::new();
        for (index, counter) in counters.units.into_iter().enumerate() {
            let id = counter.id;
            if units.insert(id, counter).is_some() {
                let what = format!("`{id}` is listed twice");
                loader.fault(COUNTERS, &at("units").index(index).key("id"), what, "give each counter an id of its own");
            }
        }
        for (entry, names) in &tables.fever.entries {
            for (index, name) in names.iter().enumerate().filter(|(_, name)| !units.contains_key(*name)) {
                let at = at("fever").key("entries").key(entry).index(index);
                loader.fault(TABLES, &at, format!("there is no counter `{name}`"), "use an id of counters.yaml");
            }
        }
        let (terrain, named) = terrain?;
        let unit_count = u32::try_from(units.len()).unwrap_or(u32::MAX);
        let markers: u32 = counters.markers.iter().map(|marker| marker.count).sum();
        let hexes = |list: &[PlaceEntry]| list.iter().map(|place| place.hex).collect::<Vec<Hex>>();
        let placed = map.places.iter().chain(&map.beaches).chain(&map.fortresses);
        let mut places: Vec<(String, Hex)> =
            placed.flat_map(|place| place.names.iter().map(|name| (name.clone(), place.hex))).collect();
        if let Some(hex) = map.city.hexes.first() {
            places.push(("Santiago".to_owned(), *hex));
        }
        let mut data = Data {
            edge: land_edge(&terrain, map.land_edge.from, map.land_edge.to),
            fortresses: hexes(&map.fortresses),
            beaches: hexes(&map.beaches),
            city: map.city.hexes,
            places,
            off_map_road: (map.off_map_road.from, map.off_map_road.to),
            manzanillo: map.entries.manzanillo,
            guantanamo: map.entries.guantanamo,
            counter_total: (unit_count + markers, counters.total.count),
            loaded: loader.canon().into(),
            map: terrain,
            named,
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
        self.counters.insert(counter.id, counter);
        self.index();
    }

    /// Notes who is what, so that nobody need look through all counters for it.
    fn index(&mut self) {
        let counters = || self.counters.values();
        let battery = |counter: &&Counter| counter.nation == Nation::Spanish && counter.kind == Arm::Artillery;
        let garrison = |counter: &Counter| match counter.kind {
            Arm::Garrison => counter.default_hex.map(|hex| (hex, counter.id)),
            _ => None,
        };
        let batteries = counters().filter(battery).map(|counter| counter.id).collect();
        let garrisons = counters().filter_map(garrison).collect();
        let balloon = counters().find(|counter| counter.kind == Arm::Balloon).map(|counter| counter.id);
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

    /// What a unit is.
    pub fn arm(&self, id: UnitId) -> Option<Arm> {
        self.counter(id).map(|counter| counter.kind)
    }

    /// The unit with exactly this id.
    pub fn unit(&self, id: &str) -> Option<UnitId> {
        UnitId::known(id).filter(|id| self.counters.contains_key(id))
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
        self.tables.movement_factors.of(nation)
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
