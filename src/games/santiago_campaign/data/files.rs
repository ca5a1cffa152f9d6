//! The map as it stands in its file, and the terrain drawn from it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::board::{Frame, Grid, Hex, HexGrid, Terrain, read_picture};
use crate::engine::doc::Fault;

use super::{Along, Ground, slip};
use crate::games::santiago_campaign::terms::Land;

/// The map, as in the file.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MapFile {
    pub(super) game: String,
    pub(super) frame: Frame,
    pub(super) terrain: TerrainPart,
    pub(super) elevation: ElevationPart,
    pub(super) zones: PicturePart,
    pub(super) city: HexList,
    pub(super) fortresses: Vec<Named>,
    pub(super) beaches: Vec<Named>,
    #[serde(default)]
    pub(super) places: Vec<Named>,
    pub(super) roads: Vec<RoadPart>,
    pub(super) rivers: Vec<RiverPart>,
    pub(super) bridges: Vec<BridgePart>,
    #[serde(default)]
    pub(super) sea_sides: Vec<(Hex, Hex)>,
    pub(super) blockhouses: HexList,
    pub(super) trenches: TrenchPart,
    pub(super) coast: HexList,
    pub(super) harbour_shore: HexList,
    pub(super) off_map_road: LinkPart,
    pub(super) land_edge: LinkPart,
    pub(super) entries: EntryPart,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct TerrainPart {
    pub(super) legend: BTreeMap<String, Land>,
    #[serde(rename = "source")]
    _source: String,
    #[serde(default)]
    pub(super) known: Vec<KnownTerrain>,
    pub(super) picture: BTreeMap<String, String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct KnownTerrain {
    pub(super) hex: Hex,
    pub(super) terrain: Land,
    #[serde(rename = "source")]
    _source: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ElevationPart {
    #[serde(rename = "source")]
    _source: String,
    #[serde(default)]
    pub(super) known: Vec<KnownSlope>,
    pub(super) picture: BTreeMap<String, String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct KnownSlope {
    pub(super) low: Hex,
    pub(super) high: Hex,
    #[serde(rename = "source")]
    _source: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PicturePart {
    #[serde(rename = "source")]
    _source: String,
    pub(super) picture: BTreeMap<String, String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HexList {
    pub(super) hexes: Vec<Hex>,
    #[serde(rename = "source")]
    _source: String,
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) hex: Hex,
    #[serde(rename = "source")]
    _source: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RoadPart {
    pub(super) name: String,
    #[serde(rename = "source")]
    _source: String,
    pub(super) path: Vec<Hex>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RiverPart {
    pub(super) name: String,
    #[serde(rename = "source")]
    _source: String,
    pub(super) sides: Vec<(Hex, Hex)>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BridgePart {
    pub(super) side: (Hex, Hex),
    #[serde(rename = "source")]
    _source: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TrenchPart {
    #[serde(rename = "source")]
    _source: String,
    pub(super) pairs: Vec<(Hex, Hex)>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkPart {
    pub(super) from: Hex,
    pub(super) to: Hex,
    #[serde(rename = "source")]
    _source: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EntryPart {
    pub(super) manzanillo: Hex,
    pub(super) guantanamo: Hex,
    #[serde(rename = "source")]
    _source: String,
}

/// Draws the map from its file.
pub(super) fn draw(map: &MapFile, faults: &mut Vec<Fault>) -> Option<Terrain<HexGrid, Ground, Along>> {
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
