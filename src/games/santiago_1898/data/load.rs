//! From the text of the four files to [`Data`]. Faults here are those that leave nothing to play with: text that is no
//! YAML, hexes off the map, a road with a gap, a counter that stands nowhere.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;

use crate::board::{Grid, Hex, HexGrid, Hexside};
use crate::engine::doc::{DocPath, Fault, Place, fold, read_document};
use crate::engine::json::{Json, to_json};
use crate::engine::{Clause, Name};
use crate::games::santiago_1898::tables::{Rows, Tables};
use crate::games::santiago_1898::terms::{Provenance, Terrain};

use super::files::{CountersFile, HexEntry, MapFile, ScenariosFile};
use super::{Data, DataFault, FILES, Ground, Line, River, bit};

const GAME: &str = "santiago-1898";
const MAP: &str = "map.yaml";
pub(super) const COUNTERS: &str = "counters.yaml";
const TABLES: &str = "tables.yaml";
pub(super) const SCENARIOS: &str = "scenarios.yaml";

/// Reads everything, or says all that is wrong.
pub(super) fn load(files: &BTreeMap<String, String>) -> Result<Data, Vec<DataFault>> {
    let mut loader = Loader::default();
    let map: Option<MapFile> = loader.read(files, MAP);
    let counters: Option<CountersFile> = loader.read(files, COUNTERS);
    let tables: Option<Tables> = loader.read(files, TABLES);
    let scenarios: Option<ScenariosFile> = loader.read(files, SCENARIOS);
    let (Some(map), Some(counters), Some(tables), Some(scenarios)) = (map, counters, tables, scenarios) else {
        return Err(loader.faults);
    };
    let games = [(MAP, &map.game), (COUNTERS, &counters.game), (TABLES, &tables.game), (SCENARIOS, &scenarios.game)];
    for (file, game) in games {
        if game != GAME {
            loader.fault(file, &at("game"), format!("this is data for `{game}`"), format!("write `game: {GAME}`"));
        }
    }
    let canon = loader.canon(&map, &counters, &tables, &scenarios);
    loader.shapes(&tables);
    let land = loader.land(&map);
    let units = loader.units(&counters);
    let specials = loader.specials(&counters, &units);
    let cast = loader.cast(&units, &specials);
    let (Some(land), Some(cast), Some(canon)) = (land, cast, canon) else {
        return Err(loader.faults);
    };
    let calendar = loader.calendar(&scenarios);
    let scenarios = loader.scenarios(&scenarios, &land, &units, &specials);
    if loader.faults.is_empty() {
        let by_number = |entries: &[HexEntry]| sorted(entries.iter().map(|entry| entry.hex));
        let listed = |hexes: &[Hex]| sorted(hexes.iter().copied());
        Ok(Data {
            places: land.places,
            ground: land.ground,
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
            lines: land.lines,
            rivers: map
                .rivers
                .into_iter()
                .map(|river| River { name: river.name, sides: river.sides, source: river.source })
                .collect(),
            grid: land.grid,
            cast,
            canon,
        })
    } else {
        Err(loader.faults)
    }
}

/// Puts line and column to every fault that names a part of a file.
pub(super) fn find_places(files: &BTreeMap<String, String>, faults: &mut [DataFault]) {
    let unplaced = |fault: &&mut DataFault| fault.fault.place.is_none() && !fault.fault.at.segments().is_empty();
    for (file, ours) in FILES {
        let mut faults = faults.iter_mut().filter(|fault| fault.file == file).filter(unplaced).peekable();
        if faults.peek().is_some() {
            let text = files.get(file).map_or(ours, String::as_str);
            if let Ok((_, source)) = read_document(file, text.as_bytes()) {
                faults.for_each(|fault| fault.fault.place = Some(source.place(&fault.fault.at)));
            }
        }
    }
}

pub(super) fn at(key: &str) -> DocPath {
    DocPath::root().key(key)
}

pub(super) fn sorted(hexes: impl Iterator<Item = Hex>) -> Vec<Hex> {
    hexes.collect::<BTreeSet<_>>().into_iter().collect()
}

/// What came of `map.yaml`.
pub(super) struct Land {
    pub grid: HexGrid,
    pub ground: Vec<Ground>,
    places: BTreeMap<String, Hex>,
    lines: Vec<Line>,
}

#[derive(Default)]
pub(super) struct Loader {
    faults: Vec<DataFault>,
}

impl Loader {
    pub(super) fn fault(&mut self, file: &str, at: &DocPath, what: impl Into<String>, remedy: impl Into<String>) {
        self.faults.push(DataFault { file: file.to_owned(), fault: Fault::new(at, what, remedy) });
    }

    pub(super) fn fault_by(&mut self, clause: &'static str, file: &str, at: &DocPath, what: String, remedy: &str) {
        let fault = Fault::new(at, what, remedy).by(Clause(clause));
        self.faults.push(DataFault { file: file.to_owned(), fault });
    }

    /// Reads one file. Of a player's the form is read first, which knows every place; ours is known to be well formed.
    fn read<T: DeserializeOwned>(&mut self, files: &BTreeMap<String, String>, file: &str) -> Option<T> {
        let read = match files.get(file).map(|text| read_document(file, text.as_bytes())) {
            None => serde_yaml::from_str(FILES.iter().find(|(name, _)| *name == file).map_or("", |(_, text)| *text)),
            Some(Ok((_, source))) => serde_yaml::from_str(&source.text),
            Some(Err(unreadable)) => {
                let faults = unreadable.faults.into_iter();
                self.faults.extend(faults.map(|fault| DataFault { file: file.to_owned(), fault }));
                return None;
            }
        };
        match read {
            Ok(read) => Some(read),
            Err(error) => {
                let said = error.to_string();
                let what = said.split(" at line ").next().unwrap_or(&said);
                let mut fault = Fault::new(&DocPath::root(), what, format!("compare with the {file} built in"));
                fault.place = error.location().map(|at| Place { line: at.line(), column: at.column() });
                self.faults.push(DataFault { file: file.to_owned(), fault });
                None
            }
        }
    }

    fn canon(
        &mut self,
        map: &MapFile,
        counters: &CountersFile,
        tables: &Tables,
        scenarios: &ScenariosFile,
    ) -> Option<Json> {
        let parts = [
            (MAP, to_json(map)),
            (COUNTERS, to_json(counters)),
            (TABLES, to_json(tables)),
            (SCENARIOS, to_json(scenarios)),
        ];
        let mut all = BTreeMap::new();
        for (file, json) in parts {
            match json {
                Ok(json) => {
                    all.insert(file.trim_end_matches(".yaml").to_owned(), json);
                }
                Err(error) => self.fault(file, &at("game"), error.to_string(), "use plain text and whole numbers"),
            }
        }
        (all.len() == FILES.len()).then_some(Json::Map(all))
    }

    // ---- tables

    fn shapes(&mut self, tables: &Tables) {
        self.shape("spanish-surrender", &tables.spanish_surrender.columns, &tables.spanish_surrender.rows);
        self.shape("us-withdrawal", &tables.us_withdrawal.columns, &tables.us_withdrawal.rows);
        self.shape("defensive-fire", &tables.defensive_fire.columns, &tables.defensive_fire.rows);
        let columns: Vec<u32> = tables.shock.columns.iter().map(|&odds| odds as u32).collect();
        self.shape("shock", &columns, &tables.shock.rows);
        self.gapless("historic-events", &tables.historic_events.rows);
        self.gapless("us-jungle", &tables.us_jungle.rows);
    }

    fn shape<C>(&mut self, table: &str, columns: &[u32], rows: &Rows<C>) {
        if columns.is_empty() || !columns.is_sorted_by(|a, b| a < b) {
            self.fault(TABLES, &at(table).key("columns"), "columns must grow from left to right", "put them in order");
        }
        for (die, row) in rows {
            if row.len() != columns.len() {
                let path = at(table).key("rows").key(&die.to_string());
                let what = format!("row {die} has {} cells for {} columns", row.len(), columns.len());
                self.fault(TABLES, &path, what, "give one cell for each column");
            }
        }
        self.gapless(table, rows);
    }

    fn gapless<T>(&mut self, table: &str, rows: &BTreeMap<u8, T>) {
        let whole = match (rows.keys().next(), rows.keys().next_back()) {
            (Some(first), Some(last)) => rows.len() == usize::from(last - first) + 1,
            _ => false,
        };
        if !whole {
            self.fault(TABLES, &at(table).key("rows"), "a row is missing", "give one row for each die");
        }
    }

    // ---- map

    fn land(&mut self, map: &MapFile) -> Option<Land> {
        let grid = match HexGrid::new(map.frame.clone()) {
            Ok(grid) => grid,
            Err(error) => {
                self.fault(MAP, &at("frame"), error.to_string(), "describe the frame of the printed map");
                return None;
            }
        };
        // Everything below is read by neighbours: with another frame every road would seem broken.
        let around: BTreeSet<Hex> = grid.neighbours(Hex::printed(1308)).map(|(_, hex)| hex).collect();
        if around != [1207, 1208, 1307, 1309, 1407, 1408].map(Hex::printed).into() {
            let what = "in this frame 1308 does not touch 1307, 1309, 1207, 1208, 1407 and 1408".to_owned();
            self.fault_by(
                "1.3b",
                MAP,
                &at("frame"),
                what,
                "rows count north, columns east, even rows lie half a hex east",
            );
            return None;
        }
        let before = self.faults.len();
        let ground = self.picture(map, &grid);
        if self.faults.len() > before {
            return None;
        }
        let mut land = Land { grid, ground, places: BTreeMap::new(), lines: Vec::new() };
        type Feature<'m> = (&'static str, &'m [HexEntry], fn(&mut Ground));
        let features: [Feature<'_>; 5] = [
            ("beaches", &map.beaches, |ground| ground.beach = true),
            ("redoubts", &map.redoubts, |ground| ground.redoubt = true),
            ("batteries", &map.batteries, |ground| ground.battery = true),
            ("entrenchments", &map.entrenchments, |ground| ground.entrenchment = true),
            ("objectives", &map.objectives, |ground| ground.objective = true),
        ];
        for (key, entries, set) in features {
            for (index, entry) in entries.iter().enumerate() {
                let path = at(key).index(index).key("hex");
                if let Some(ground) = self.standing(&mut land, entry.hex, &path) {
                    set(ground);
                }
            }
        }
        for (index, place) in map.places.iter().enumerate() {
            self.place(&mut land, place.hex, &place.names, &at("places").index(index));
        }
        let lines = map.roads.iter().map(|line| ("roads", line)).chain(map.railroads.iter().map(|l| ("railroads", l)));
        for (key, line) in lines {
            let index = land.lines.iter().filter(|drawn| drawn.railroad == (key == "railroads")).count();
            self.line(&mut land, &line.path, &at(key).index(index).key("path"));
            land.lines.push(Line {
                name: line.name.clone(),
                railroad: key == "railroads",
                path: line.path.clone(),
                source: line.source,
            });
        }
        for (index, river) in map.rivers.iter().enumerate() {
            for (side, &hexside) in river.sides.iter().enumerate() {
                let path = at("rivers").index(index).key("sides").index(side);
                self.side(&mut land, hexside, &path, |ground| &mut ground.rivers);
            }
        }
        for (index, crossing) in map.crossings.iter().enumerate() {
            let path = at("crossings").index(index).key("side");
            self.side(&mut land, crossing.side, &path, |ground| &mut ground.crossings);
        }
        for (index, water) in map.water.iter().enumerate() {
            let path = at("water").index(index).key("side");
            self.side(&mut land, water.side, &path, |ground| &mut ground.waters);
        }
        let lists = [
            ("west-edge", &map.west_edge.hexes),
            ("harbor", &map.harbor.hexes),
            ("coast", &map.coast.hexes),
            ("spanish-line", &map.spanish_line.hexes),
        ];
        for (key, hexes) in lists {
            for (index, &hex) in hexes.iter().enumerate() {
                self.on_map(&land.grid, MAP, hex, &at(key).key("hexes").index(index));
            }
        }
        let named = [
            ("santiago", &map.santiago),
            ("el-caney", &map.el_caney),
            ("el-morro", &map.el_morro),
            ("socapa", &map.socapa),
        ];
        for (key, entry) in named {
            self.standing(&mut land, entry.hex, &at(key).key("hex"));
        }
        Some(land)
    }

    fn picture(&mut self, map: &MapFile, grid: &HexGrid) -> Vec<Ground> {
        let part = &map.terrain;
        let known: BTreeMap<Hex, Provenance> = part.known.iter().map(|entry| (entry.hex, entry.source)).collect();
        let signs: BTreeMap<char, Terrain> = part.legend.iter().map(|(&terrain, &sign)| (sign, terrain)).collect();
        let picture = at("terrain").key("picture");
        let ([first, last], [west, east]) = (map.frame.rows, map.frame.columns);
        let width = usize::from(east.saturating_sub(west)) + 1;
        let mut drawn: BTreeMap<u16, Vec<Terrain>> = BTreeMap::new();
        for number in first..=last {
            let key = format!("{number:02}");
            let Some(text) = part.picture.get(&key) else {
                self.fault(MAP, &picture, format!("row {key} is not drawn"), format!("add `\"{key}\": …`"));
                continue;
            };
            let mut row = Vec::with_capacity(width);
            for sign in text.chars() {
                match signs.get(&sign) {
                    Some(&terrain) => row.push(terrain),
                    None => {
                        let signs: String = signs.keys().collect();
                        let what = format!("`{sign}` is not in the legend");
                        self.fault(MAP, &picture.key(&key), what, format!("the signs are {signs}"));
                        row.push(Terrain::Ocean);
                    }
                }
            }
            if row.len() != width {
                let what = format!("row {key} has {} hexes, the frame {width}", row.len());
                self.fault(MAP, &picture.key(&key), what, "draw one sign for each column");
            }
            drawn.insert(number, row);
        }
        for key in part.picture.keys() {
            let framed = key.parse().is_ok_and(|number| (first..=last).contains(&number));
            if !framed {
                self.fault(
                    MAP,
                    &picture.key(key),
                    format!("`{key}` is no row of the frame"),
                    "name rows by two digits",
                );
            }
        }
        let terrain = |hex: Hex| {
            let column = usize::from(grid.column(hex).saturating_sub(west));
            drawn.get(&grid.row(hex)).and_then(|row| row.get(column)).copied().unwrap_or(Terrain::Ocean)
        };
        grid.cells()
            .map(|hex| Ground {
                terrain: terrain(hex),
                source: known.get(&hex).copied().unwrap_or(part.source),
                name: None,
                redoubt: false,
                battery: false,
                entrenchment: false,
                beach: false,
                objective: false,
                road: false,
                roads: 0,
                rivers: 0,
                crossings: 0,
                waters: 0,
            })
            .collect()
    }

    pub(super) fn on_map(&mut self, grid: &HexGrid, file: &str, hex: Hex, path: &DocPath) -> bool {
        let on_map = grid.contains(hex);
        if !on_map {
            self.fault(file, path, format!("{hex} is not on the map"), "name a hex within the frame");
        }
        on_map
    }

    /// The ground of a hex that units must be able to enter.
    fn standing<'l>(&mut self, land: &'l mut Land, hex: Hex, path: &DocPath) -> Option<&'l mut Ground> {
        if !self.on_map(&land.grid, MAP, hex, path) {
            return None;
        }
        let ground = land.grid.index(hex).and_then(|index| land.ground.get_mut(index))?;
        if !ground.terrain.is_land() {
            let what = format!("{hex} is all {}", ground.terrain);
            self.fault(MAP, path, what, "name a land hex, or draw it as land in `terrain`");
            return None;
        }
        Some(ground)
    }

    fn place(&mut self, land: &mut Land, hex: Hex, names: &[String], path: &DocPath) {
        if !self.on_map(&land.grid, MAP, hex, &path.key("hex")) {
            return;
        }
        if let (Some(ground), Some(first)) =
            (land.grid.index(hex).and_then(|index| land.ground.get_mut(index)), names.first())
        {
            ground.name = Some(Name::intern(first));
        }
        for (index, name) in names.iter().enumerate() {
            match land.places.insert(fold(name), hex) {
                Some(other) if other != hex => {
                    let what = format!("`{name}` is already the name of {other}");
                    self.fault(MAP, &path.key("names").index(index), what, "give each place a name of its own");
                }
                _ => {}
            }
        }
    }

    fn line(&mut self, land: &mut Land, path: &[Hex], at: &DocPath) {
        for (index, &hex) in path.iter().enumerate() {
            if let Some(ground) = self.standing(land, hex, &at.index(index)) {
                ground.road = true;
            }
        }
        for (index, pair) in path.windows(2).enumerate() {
            if let [a, b] = *pair {
                self.side(land, Hexside::new(a, b), &at.index(index + 1), |ground| &mut ground.roads);
            }
        }
    }

    fn side(&mut self, land: &mut Land, side: Hexside, path: &DocPath, mask: fn(&mut Ground) -> &mut u8) {
        let (a, b) = side.ends();
        for (from, to) in [(a, b), (b, a)] {
            let way = land.grid.edge_between(from, to).and_then(|edge| bit(&land.grid, edge));
            let ground = land.grid.index(from).and_then(|index| land.ground.get_mut(index));
            match way.zip(ground) {
                Some((way, ground)) => *mask(ground) |= way,
                None => {
                    self.fault(MAP, path, format!("{a} and {b} do not touch"), "name two neighbouring hexes");
                    return;
                }
            }
        }
    }
}

/// Is the hex on the map and land?
pub(super) fn is_land(land: &Land, hex: Hex) -> bool {
    land.grid.index(hex).and_then(|index| land.ground.get(index)).is_some_and(|ground| ground.terrain.is_land())
}
