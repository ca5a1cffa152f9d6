//! The map and the counters as they stand in their files, and the terrain drawn from them.

use crate::board::sheet::{Drawn, HexList, LineEntry, Named, PlaceEntry, Sheet, SidesEntry, drawn, grid};
use crate::board::{Frame, Grid, Hex, HexGrid, Layer, Terrain};
use crate::document;
use crate::engine::data::{Loader, Provenance, at};
use crate::games::santiago_campaign::terms::{Arm, Flag, Group, Land, Nation, UnitId};

use super::{Along, Ground, MAP};

document! {
    /// `map.yaml`.
    pub struct MapFile {
        /// The game, for the reader of the file: `santiago-campaign`.
        pub game: String,
        /// How the hexes stand and are numbered.
        pub frame: Frame,
        /// What fills every hex.
        pub terrain: Drawn<Land>,
        /// How high every hex lies; a slope runs between land hexes of different height.
        pub elevation: Drawn<u8>,
        /// Slopes that are known: up from the first hex to the second.
        pub slopes: Vec<SidesEntry>,
        /// The Cuban deployment zone of every hex (5.2).
        pub zones: Drawn<u8>,
        /// Santiago (4.1).
        pub city: HexList,
        /// The harbour fortresses (22).
        pub fortresses: Vec<PlaceEntry>,
        /// The landing beaches (5.4).
        pub beaches: Vec<PlaceEntry>,
        /// Names a player may type for a hex.
        pub places: Vec<PlaceEntry>,
        /// Roads, hex by hex (10.6).
        pub roads: Vec<LineEntry>,
        /// Rivers and arroyos (10.4).
        pub rivers: Vec<SidesEntry>,
        /// Bridges (10.5).
        pub bridges: Vec<SidesEntry>,
        /// Hexsides of open water between land hexes (12.7).
        pub water: Vec<SidesEntry>,
        /// Blockhouses (11.13).
        pub blockhouses: HexList,
        /// Trenches: the defended hex, and the one in front (11.13).
        pub trenches: Vec<SidesEntry>,
        /// Land hexes on the open sea (16.1).
        pub coast: HexList,
        /// The shore of the bay (16.2).
        pub harbour_shore: HexList,
        /// The road that leaves the map and comes back: supply only (12.10).
        pub off_map_road: LinkEntry,
        /// The land edge of the map, from its western to its eastern end (4.4).
        pub land_edge: LinkEntry,
        /// Where reinforcements come on (23).
        pub entries: EntryPart,
    }

    /// From one hex to another.
    pub struct LinkEntry {
        /// The one.
        pub from: Hex,
        /// The other.
        pub to: Hex,
        /// Where it comes from.
        pub source: Provenance,
    }

    /// Where reinforcements come on.
    pub struct EntryPart {
        /// The M units.
        pub manzanillo: Hex,
        /// The G units.
        pub guantanamo: Hex,
        /// Where it comes from.
        pub source: Provenance,
    }

    /// `counters.yaml`.
    pub struct CountersFile {
        /// The game, for the reader of the file: `santiago-campaign`.
        pub game: String,
        /// Every unit.
        pub units: Vec<Counter>,
        /// The markers.
        pub markers: Vec<MarkerEntry>,
        /// How many counters there are.
        pub total: TotalEntry,
    }

    /// One counter.
    pub struct Counter {
        /// What players type.
        pub id: UnitId,
        /// As printed.
        pub label: String,
        /// The unit's name.
        pub name: String,
        /// Its nationality.
        pub nation: Nation,
        /// What it is.
        pub kind: Arm,
        /// Its combat factor; none for the Cubans, whose strength is rolled (14.2).
        pub factor: Option<u32>,
        /// The factor of its reduced side; none for one-step units (2.13).
        pub reduced: Option<u32>,
        /// How it comes into play.
        pub group: Group,
        /// What is special about it.
        pub flags: Vec<Flag>,
        /// Where it is set up if nothing else is said.
        pub default_hex: Option<Hex>,
        /// Where unit and values come from.
        pub source: CounterSource,
    }

    /// Where a counter and its values come from.
    pub struct CounterSource {
        /// The unit itself.
        pub unit: Provenance,
        /// Its steps and factors.
        pub values: Provenance,
    }

    /// Markers of one sort.
    pub struct MarkerEntry {
        /// What they are called.
        pub id: String,
        /// How many there are.
        pub count: u32,
        /// Where that comes from.
        pub source: Provenance,
    }

    /// How many counters the set has.
    pub struct TotalEntry {
        /// The number of counters.
        pub count: u32,
        /// Where it comes from.
        pub source: Provenance,
    }
}

/// Draws the terrain a map file describes.
pub(super) fn draw(loader: &mut Loader<'_>, map: &MapFile) -> Option<(Terrain<HexGrid, Ground, Along>, Vec<Named>)> {
    let grid = grid(loader, MAP, &map.frame)?;
    let land = drawn(loader, MAP, &grid, "terrain", &map.terrain);
    let height = drawn(loader, MAP, &grid, "elevation", &map.elevation);
    let zone = drawn(loader, MAP, &grid, "zones", &map.zones);
    let (land, height, zone) = (land?, height?, zone?);
    let ground = Layer::from_fn(&grid, |hex| Ground {
        land: land.get(&grid, hex).copied().unwrap_or_default(),
        height: height.get(&grid, hex).copied().unwrap_or_default(),
        zone: zone.get(&grid, hex).copied().unwrap_or_default(),
        ..Ground::default()
    });
    let mut sheet = Sheet::new(loader, MAP, Terrain::with_ground(grid, ground), |ground| ground.land.is_land());
    sheet.list("coast", &map.coast, |ground| ground.coast = true);
    sheet.list("harbour-shore", &map.harbour_shore, |ground| ground.harbour_shore = true);
    sheet.list("blockhouses", &map.blockhouses, |ground| ground.blockhouse = true);
    sheet.list("city", &map.city, |_| ());
    for (index, place) in map.fortresses.iter().enumerate() {
        sheet.work(place.hex, &at("fortresses").index(index).key("hex"), |ground| ground.fortress = true);
    }
    for (index, place) in map.beaches.iter().enumerate() {
        sheet.work(place.hex, &at("beaches").index(index).key("hex"), |ground| ground.beach = true);
    }
    sheet.lines("roads", &map.roads, Along::Road, |_| ());
    sheet.sides("rivers", &map.rivers, Along::River);
    sheet.sides("bridges", &map.bridges, Along::Bridge);
    sheet.sides("water", &map.water, Along::Water);
    sheet.facing("trenches", &map.trenches, Along::Trench);
    sheet.names([("places", &map.places[..]), ("beaches", &map.beaches), ("fortresses", &map.fortresses)]);
    for (hex, key, end) in [
        (map.off_map_road.from, "off-map-road", "from"),
        (map.off_map_road.to, "off-map-road", "to"),
        (map.land_edge.from, "land-edge", "from"),
        (map.land_edge.to, "land-edge", "to"),
        (map.entries.manzanillo, "entries", "manzanillo"),
        (map.entries.guantanamo, "entries", "guantanamo"),
    ] {
        sheet.on_map(hex, &at(key).key(end));
    }
    let (mut terrain, named) = (sheet.map, sheet.named);
    lay_slopes(&mut terrain);
    for (index, known) in map.slopes.iter().enumerate() {
        for (side, (low, high)) in known.sides.iter().enumerate() {
            if !terrain.between(*low, *high).has(Along::Up) {
                let at = at("slopes").index(index).key("sides").index(side);
                loader.fault(MAP, &at, format!("{low} does not rise to {high}"), "draw one of them otherwise");
            }
        }
    }
    Some((terrain, named))
}

/// Slope hexsides lie between land hexes of different height.
fn lay_slopes(terrain: &mut Terrain<HexGrid, Ground, Along>) {
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
}

/// The land hexes along the west, north and east edge between two coastal hexes (§4.4e).
pub(super) fn land_edge(terrain: &Terrain<HexGrid, Ground, Along>, from: Hex, to: Hex) -> Vec<Hex> {
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
