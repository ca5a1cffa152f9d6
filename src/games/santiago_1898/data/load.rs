//! From the text of the four files to [`Data`]. Faults here are those that leave nothing to play with: text that is no
//! YAML, hexes off the map, a road with a gap, a counter that stands nowhere.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::sheet::{HexEntry, Named, Sheet, drawn, grid};
use crate::board::{Grid, Hex, Layer};
use crate::engine::Name;
use crate::engine::data::{Loader, at};
use crate::games::santiago_1898::tables::Tables;

use super::files::{CountersFile, MapFile, ScenariosFile};
use super::muster::Muster;
use super::{Along, COUNTERS, Data, Ground, MAP, Map, SCENARIOS, TABLES};

/// What the files say, as far as it makes sense.
pub(super) fn read(loader: &mut Loader<'_>) -> Option<Data> {
    let map: Option<MapFile> = loader.read(MAP);
    let counters: Option<CountersFile> = loader.read(COUNTERS);
    let tables: Option<Tables> = loader.read(TABLES);
    let scenarios: Option<ScenariosFile> = loader.read(SCENARIOS);
    let (map, counters, tables, scenarios) = (map?, counters?, tables?, scenarios?);
    let canon = loader.canon();
    let results = |table: &str| at(table).key("results");
    tables.spanish_surrender.results.check(loader, TABLES, &results("spanish-surrender"));
    tables.us_withdrawal.results.check(loader, TABLES, &results("us-withdrawal"));
    tables.defensive_fire.results.check(loader, TABLES, &results("defensive-fire"));
    tables.shock.results.check(loader, TABLES, &results("shock"));
    let land = land(loader, &map);
    let mut muster = Muster { loader };
    let units = muster.units(&counters);
    let specials = muster.specials(&counters, &units);
    let cast = muster.cast(&units, &specials);
    let ((land, named, places), cast) = (land?, cast?);
    let calendar = muster.calendar(&scenarios);
    let scenarios = muster.scenarios(&scenarios, &land, &units, &specials);
    let by_number = |entries: &[HexEntry]| sorted(entries.iter().map(|entry| entry.hex));
    let listed = |hexes: &[Hex]| sorted(hexes.iter().copied());
    Some(Data {
        grid: land.grid().clone(),
        map: land,
        named,
        places,
        units,
        specials,
        markers: counters.markers.iter().map(|marker| (marker.name.clone(), marker.count)).collect(),
        total: counters.total.counters,
        tables,
        scenarios,
        calendar,
        beaches: by_number(&map.beaches),
        objectives: by_number(&map.objectives),
        west_edge: listed(&map.west_edge.hexes),
        harbor: listed(&map.harbor.hexes),
        coast: listed(&map.coast.hexes),
        spanish_line: map.spanish_line.hexes,
        santiago: map.santiago.hex,
        el_caney: map.el_caney.hex,
        el_morro: map.el_morro.hex,
        socapa: map.socapa.hex,
        cast,
        canon: canon.into(),
    })
}

pub(super) fn sorted(hexes: impl Iterator<Item = Hex>) -> Vec<Hex> {
    hexes.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Is the hex on the map and land?
pub(super) fn is_land(land: &Map, hex: Hex) -> bool {
    land.ground(hex).is_some_and(|ground| ground.terrain.is_land())
}

/// The map, and the names of its places.
fn land(loader: &mut Loader<'_>, map: &MapFile) -> Option<(Map, Vec<Named>, BTreeMap<String, Hex>)> {
    let grid = grid(loader, MAP, &map.frame)?;
    // Everything below is read by neighbours: with another frame every road would seem broken.
    let around: BTreeSet<Hex> = grid.neighbours(Hex::printed(1308)).map(|(_, hex)| hex).collect();
    if around != [1207, 1208, 1307, 1309, 1407, 1408].map(Hex::printed).into() {
        let what = "in this frame 1308 does not touch 1307, 1309, 1207, 1208, 1407 and 1408";
        let remedy = "rows count north, columns east, even rows lie half a hex east";
        loader.fault_by("1.3b", MAP, &at("frame"), what, remedy);
        return None;
    }
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
    sheet.works("redoubts", &map.redoubts, |ground| ground.redoubt = true);
    sheet.works("batteries", &map.batteries, |ground| ground.battery = true);
    sheet.works("entrenchments", &map.entrenchments, |ground| ground.entrenchment = true);
    sheet.works("objectives", &map.objectives, |ground| ground.objective = true);
    sheet.lines("roads", &map.roads, Along::Road, |ground| ground.road = true);
    sheet.lines("railroads", &map.railroads, Along::Road, |ground| ground.road = true);
    sheet.sides("rivers", &map.rivers, Along::River);
    sheet.sides("bridges", &map.bridges, Along::Crossing);
    sheet.sides("fords", &map.fords, Along::Ford);
    sheet.sides("water", &map.water, Along::Water);
    sheet.list("west-edge", &map.west_edge, |_| ());
    sheet.list("harbor", &map.harbor, |_| ());
    sheet.list("coast", &map.coast, |_| ());
    sheet.list("spanish-line", &map.spanish_line, |_| ());
    for (key, entry) in
        [("santiago", &map.santiago), ("el-caney", &map.el_caney), ("el-morro", &map.el_morro), ("socapa", &map.socapa)]
    {
        sheet.on_land(entry.hex, &at(key).key("hex"));
    }
    let places = sheet.names([("places", &map.places[..])]);
    let (mut land, named) = (sheet.map, sheet.named);
    for pair in map.railroads.iter().flat_map(|line| line.path.windows(2)) {
        if let [a, b] = *pair {
            // A gap in the line has been noted above.
            let _ = land.mark(a, b, Along::Rail);
        }
    }
    Some((land, named, places))
}
