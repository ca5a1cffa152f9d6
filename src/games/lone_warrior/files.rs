//! The data files as people write them. Where a figure comes from is part of each entry.

use std::collections::BTreeMap;

use crate::board::Square;
use crate::document;
use crate::engine::data::Provenance;

use super::terms::{AreaId, Arm, Battlefield, Division, Ground, HeroId, LeaderId, ObstacleKind, Power, UnitId, Work};

document! {
    /// What a sign of a picture stands for.
    pub struct SignEntry {
        pub ground: Ground,
        pub work: Option<Work>,
        pub height: Option<u8>,
    }

    /// A number of lanes or ranks.
    pub struct CountEntry {
        pub count: u16,
        pub source: Provenance,
    }

    /// The boxes, a line for every lane.
    pub struct PictureEntry {
        pub source: Provenance,
        pub lanes: BTreeMap<String, String>,
    }

    /// An obstacle on box sides: along a whole front, or side by side.
    pub struct ObstacleEntry {
        pub kind: ObstacleKind,
        pub name: Option<String>,
        pub between_ranks: Option<(u16, u16)>,
        pub sides: Vec<(Square, Square)>,
        pub source: Provenance,
    }

    /// Names of a box.
    pub struct NameEntry {
        pub r#box: Square,
        pub names: Vec<String>,
        pub source: Provenance,
    }

    /// An objective.
    pub struct AreaEntry {
        pub id: AreaId,
        pub name: String,
        pub r#box: Square,
        pub source: Provenance,
    }

    /// What each side needs to win.
    pub struct VictoryEntry {
        /// U.S. units Spain must eliminate.
        pub spain: u32,
        /// Spanish units the U.S. must eliminate.
        pub us: u32,
        /// Objectives the U.S. must hold.
        pub areas: u32,
        pub source: Provenance,
    }

    /// Guns off the table.
    pub struct GunsEntry {
        pub unit: UnitId,
        pub height: u8,
        pub lane: u16,
        pub source: Provenance,
    }

    /// Where a leader starts.
    pub struct StartEntry {
        pub leader: LeaderId,
        pub start: UnitId,
        pub may_start: Vec<UnitId>,
        pub source: Provenance,
    }

    /// Where a unit starts.
    pub struct SetupEntry {
        pub unit: UnitId,
        pub r#box: Square,
        pub group: String,
        pub source: Provenance,
    }

    /// A battlefield.
    pub struct FieldEntry {
        pub name: String,
        pub lanes: CountEntry,
        pub ranks: CountEntry,
        pub picture: PictureEntry,
        pub obstacles: Vec<ObstacleEntry>,
        pub us_bank_from_rank: Option<u16>,
        pub names: Vec<NameEntry>,
        pub areas: Vec<AreaEntry>,
        pub victory: VictoryEntry,
        pub guns: Vec<GunsEntry>,
        pub leaders: Vec<StartEntry>,
        pub setup: Vec<SetupEntry>,
    }

    /// `battlefields.yaml`.
    pub struct FieldsFile {
        pub game: String,
        pub legend: BTreeMap<String, SignEntry>,
        pub battlefields: BTreeMap<Battlefield, FieldEntry>,
    }

    /// The values of an arm of one side.
    pub struct KindEntry {
        pub side: Power,
        pub arm: Arm,
        pub range: u32,
        pub chips: u8,
        pub flank_chips: u8,
        pub steps: u8,
        pub source: Provenance,
    }

    /// A unit.
    pub struct UnitEntry {
        pub id: UnitId,
        pub name: String,
        pub short: String,
        pub side: Power,
        pub arm: Arm,
        pub formation: String,
        pub division: Option<Division>,
        pub source: Provenance,
    }

    /// A leader.
    pub struct LeaderEntry {
        pub id: LeaderId,
        pub name: String,
        pub side: Power,
        pub division: Option<Division>,
        pub source: Provenance,
    }

    /// A hero.
    pub struct HeroEntry {
        pub id: HeroId,
        pub name: String,
        pub unit: UnitId,
        pub source: Provenance,
    }

    /// The units of a battlefield.
    pub struct RosterEntry {
        pub units: Vec<UnitEntry>,
        pub leaders: Vec<LeaderEntry>,
        pub heroes: Vec<HeroEntry>,
    }

    /// `units.yaml`.
    pub struct UnitsFile {
        pub game: String,
        pub kinds: Vec<KindEntry>,
        pub battlefields: BTreeMap<Battlefield, RosterEntry>,
    }
}
