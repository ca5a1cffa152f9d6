//! The printed tables: combat results, terrain effects, landings, Cubans, Guantanamo, fever; dates and limits (§tbl).

use std::collections::BTreeMap;

use super::Mp;
use crate::board::Hex;
use crate::document;
use crate::engine::data::{Provenance, Rows, Table};
use crate::games::santiago_campaign::terms::{CombatResult, Land, Nation, Odds, UnitId};

document! {
    /// The tables, as in the file.
    pub struct Tables {
        /// The game, for the reader of the file: `santiago-campaign`.
        pub game: String,
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
    pub struct CombatResults {
        /// Where it comes from.
        source: Provenance,
        /// Results by odds and die.
        pub results: Table<Odds, CombatResult>,
    }

    /// The Terrain Effects Chart.
    pub struct TerrainEffects {
        /// By terrain.
        hexes: BTreeMap<Land, HexEffect>,
        /// Works.
        works: Works,
        /// Hexsides.
        sides: Sides,
    }

    /// What a hex or hexside does.
    pub struct HexEffect {
        /// Points to enter the hex, or more across the side.
        mp: Mp,
        /// The same for Cubans and units the balloon guides.
        mp_light: Option<Mp>,
        /// Columns in the defender's favour.
        left: i32,
        /// Where it comes from.
        source: Provenance,
    }

    /// Works, for Spanish defenders only (11.13).
    pub struct Works {
        /// A blockhouse.
        blockhouse: LeftOnly,
        /// A trench.
        trench: LeftOnly,
        /// A fortress.
        fortress: LeftOnly,
    }

    /// What a work does.
    pub struct LeftOnly {
        /// Columns in the defender's favour.
        left: i32,
        /// Where it comes from.
        source: Provenance,
    }

    /// Hexsides.
    pub struct Sides {
        /// A road: instead of the hex.
        road: HexEffect,
        /// A river.
        river: HexEffect,
        /// Up a slope.
        upslope: HexEffect,
    }

    /// Movement factors.
    pub struct MovementFactors {
        /// US units.
        pub(super) us: Mp,
        /// Cubans.
        pub(super) cuban: Mp,
        /// Spanish units.
        pub(super) spanish: Mp,
        /// Where it comes from.
        source: Provenance,
    }

    /// The landing table.
    pub struct LandingSites {
        /// Where it comes from.
        source: Provenance,
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
    pub struct CubanChart {
        /// Where it comes from.
        source: Provenance,
        /// Units for zones 1 to 4, by die.
        pub rows: Rows<[u32; 4]>,
    }

    /// The Guantanamo table.
    pub struct GuantanamoTable {
        /// Where it comes from.
        source: Provenance,
        /// Units released, by die.
        pub rows: Rows<u32>,
    }

    /// The fever table.
    pub struct FeverTable {
        /// Where it comes from.
        source: Provenance,
        /// The first turn with fever (§3.2a).
        pub first_turn: u32,
        /// Rolls a turn (§13.3a).
        pub passes: u32,
        /// The units of an entry, by tens and ones.
        pub entries: BTreeMap<String, Vec<UnitId>>,
    }

    /// When things happen.
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
        /// Where it comes from.
        source: Provenance,
    }

    /// Limits and distances.
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
        /// Where it comes from.
        source: Provenance,
    }
}

impl CombatResults {
    /// The highest column.
    pub fn highest(&self) -> Odds {
        self.results.columns.last().copied().unwrap_or(Odds(0))
    }

    /// The column that counts for final odds (§11.12c); none below the table, where every attack stalls.
    pub fn column(&self, odds: Odds) -> Option<Odds> {
        self.results.column(&odds).and_then(|column| self.results.columns.get(column).copied())
    }

    /// The result of a die at final odds (§11.8e).
    pub fn result(&self, odds: Odds, die: u16) -> CombatResult {
        self.results.result(&odds, die.into()).unwrap_or(CombatResult::Stalled)
    }
}

impl MovementFactors {
    /// The full movement factor of a nationality (§2.12).
    pub fn of(&self, nation: Nation) -> Mp {
        match nation {
            Nation::Us => self.us,
            Nation::Cuban => self.cuban,
            Nation::Spanish => self.spanish,
        }
    }
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

impl FeverTable {
    /// The units an entry names.
    pub fn entry(&self, tens: u16, ones: u16) -> Vec<UnitId> {
        self.entries.get(&format!("{tens}{ones}")).cloned().unwrap_or_default()
    }
}
