//! The printed tables: combat results, terrain effects, landings, Cubans, Guantanamo, fever; dates and limits (§tbl).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::board::Hex;

use super::Mp;
use crate::games::santiago_campaign::terms::{CombatResult, Land, Odds, UnitId};

/// The tables, as in the file.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Tables {
    pub(super) game: String,
    /// The Combat Results Table (§tbl.crt).
    pub combat_results: CombatResults,
    /// The Terrain Effects Chart (§tbl.tec.move, §tbl.tec.combat).
    pub terrain_effects: TerrainEffects,
    /// Movement factors by nationality (§2.12).
    pub movement_factors: MovementFactors,
    /// The US Landing Sites Selection Table (§tbl.landing).
    pub landing_sites: LandingSites,
    /// The Cuban Insurrectionist Deployment Chart (§tbl.cuban).
    pub cuban_deployment: CubanChart,
    /// The Guantanamo Reinforcement Table (§tbl.guantanamo).
    pub guantanamo: GuantanamoTable,
    /// The US Fever Table (§tbl.fever).
    pub fever: FeverTable,
    /// When things happen.
    pub clock: Clock,
    /// Limits and distances.
    pub limits: Limits,
}

/// The Combat Results Table.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CombatResults {
    source: String,
    /// The odds columns, lowest first.
    pub columns: Vec<Odds>,
    /// The results by die.
    pub rows: BTreeMap<u16, Vec<CombatResult>>,
}

impl CombatResults {
    /// The highest column.
    pub fn highest(&self) -> Odds {
        self.columns.last().copied().unwrap_or(Odds(0))
    }

    /// The column that counts for final odds (§11.12c); none below the table, where every attack stalls.
    pub fn column(&self, odds: Odds) -> Option<Odds> {
        let lowest = self.columns.first().copied()?;
        (odds >= lowest).then(|| odds.min(self.highest()))
    }

    /// The result of a die at final odds (§11.8e).
    pub fn result(&self, odds: Odds, die: u16) -> CombatResult {
        let cell = || {
            let column = self.column(odds)?;
            let place = self.columns.iter().position(|other| *other == column)?;
            self.rows.get(&die)?.get(place).copied()
        };
        cell().unwrap_or(CombatResult::Stalled)
    }
}

/// The Terrain Effects Chart.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TerrainEffects {
    hexes: BTreeMap<Land, HexEffect>,
    works: Works,
    sides: Sides,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct HexEffect {
    mp: Mp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mp_light: Option<Mp>,
    left: i32,
    source: String,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Works {
    blockhouse: LeftOnly,
    trench: LeftOnly,
    fortress: LeftOnly,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LeftOnly {
    left: i32,
    source: String,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Sides {
    road: HexEffect,
    river: HexEffect,
    upslope: HexEffect,
}

impl TerrainEffects {
    /// Points to enter a hex; `light` for Cubans and units the balloon guides (§10.9a, §17.3b).
    pub fn enter(&self, land: Land, light: bool) -> Option<Mp> {
        let effect = self.hexes.get(&land)?;
        Some(if light { effect.mp_light.unwrap_or(effect.mp) } else { effect.mp })
    }

    /// The road rate (§10.6a).
    pub fn road(&self) -> Mp {
        self.sides.road.mp
    }

    /// The extra points of a river (§10.4a).
    pub fn river(&self) -> Mp {
        self.sides.river.mp
    }

    /// The extra points of an upslope (§10.4b).
    pub fn upslope(&self) -> Mp {
        self.sides.upslope.mp
    }

    /// Columns left for the terrain of the hex.
    pub fn hex_left(&self, land: Land) -> i32 {
        self.hexes.get(&land).map_or(0, |effect| effect.left)
    }

    /// Columns left across a river and up a slope.
    pub fn side_left(&self) -> (i32, i32) {
        (self.sides.river.left, self.sides.upslope.left)
    }

    /// Columns left for blockhouse, trench and fortress.
    pub fn works_left(&self) -> (i32, i32, i32) {
        (self.works.blockhouse.left, self.works.trench.left, self.works.fortress.left)
    }
}

/// Movement factors.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MovementFactors {
    pub(super) us: Mp,
    pub(super) cuban: Mp,
    pub(super) spanish: Mp,
    source: String,
}

/// The landing table.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LandingSites {
    source: String,
    /// The first roll.
    pub first: BTreeMap<u16, Hex>,
    /// The second roll, modified.
    pub second: BTreeMap<u16, String>,
    /// Added to the second roll (§6.2j).
    pub second_modifier: u16,
    /// Units at the first site before the second roll (§6.2i).
    pub before_second: u32,
    /// Units a turn (§6.6e).
    pub per_turn: u32,
}

/// The Cuban chart.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CubanChart {
    source: String,
    /// Units for zones 1 to 4, by die.
    pub rows: BTreeMap<u16, [u32; 4]>,
}

/// The Guantanamo table.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GuantanamoTable {
    source: String,
    /// Units released, by die.
    pub rows: BTreeMap<u16, u32>,
}

/// The fever table.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct FeverTable {
    source: String,
    /// The first turn with fever (§3.2a).
    pub first_turn: u32,
    /// Rolls a turn (§13.3a).
    pub passes: u32,
    pub(super) entries: BTreeMap<String, Vec<String>>,
}

impl FeverTable {
    /// The units an entry names.
    pub fn entry(&self, tens: u16, ones: u16) -> Vec<UnitId> {
        let names = self.entries.get(&format!("{tens}{ones}"));
        names.into_iter().flatten().map(|name| UnitId::named(name)).collect()
    }
}

/// When things happen.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Clock {
    /// The last game turn (§3.3b).
    pub turns: u32,
    /// Turns with the short supply line (§12.5a).
    pub short_supply_turns: u32,
    /// Its length.
    pub short_supply: u32,
    /// Added to the supply die (§12.5c).
    pub supply_plus: u32,
    /// The highest die that makes a truce (§19.3b).
    pub truce_on: u16,
    /// From when G units come (§23.1a, §23.1j).
    pub guantanamo_turn: u32,
    /// From when M units come (§23.2a).
    pub manzanillo_turn: u32,
    source: String,
}

/// Limits and distances.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Limits {
    /// Steps the US may lose for a major victory (§4.1b).
    pub steps_lost: u32,
    /// Spanish set-up keeps this far from a beach (§5.1f).
    pub set_up_distance: u32,
    /// Range of artillery (§11.3a).
    pub artillery_range: u32,
    /// How far the balloon helps attacks (§17.3a).
    pub balloon_range: u32,
    /// The highest die that hits the balloon (§17.5d).
    pub balloon_hit: u16,
    /// Supply Source markers in the game (§12.11d).
    pub supply_markers: u32,
    source: String,
}
