//! The words of the game: forces, terrain, kinds of unit, and where a figure comes from.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::engine::Name;

/// Whose counter it is. The US player runs the US Army and the Cubans (§1.1a).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Force {
    /// The US Army.
    Us,
    /// The Cubans.
    Cuban,
    /// The Spanish.
    Spanish,
}

impl Force {
    /// All three, in the order in which the US player turn names them and then the Spanish.
    pub const ALL: [Force; 3] = [Force::Us, Force::Cuban, Force::Spanish];

    /// Do the two fight each other?
    pub const fn is_enemy_of(self, other: Force) -> bool {
        matches!(self, Force::Spanish) != matches!(other, Force::Spanish)
    }

    /// The word for it in files.
    pub const fn word(self) -> &'static str {
        match self {
            Force::Us => "us",
            Force::Cuban => "cuban",
            Force::Spanish => "spanish",
        }
    }
}

impl fmt::Display for Force {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Force::Us => "US",
            Force::Cuban => "Cuban",
            Force::Spanish => "Spanish",
        })
    }
}

/// The terrain of a hex. Works, roads and rivers come on top of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Terrain {
    /// Open ground.
    Clear,
    /// Jungle.
    Jungle,
    /// A hill.
    Hill,
    /// Santiago.
    City,
    /// A town.
    Town,
    /// A beach (R63).
    Beach,
    /// All water of the bay.
    Harbor,
    /// All ocean.
    Ocean,
}

impl Terrain {
    /// Can units stand here (TEC.i)?
    pub const fn is_land(self) -> bool {
        !matches!(self, Terrain::Harbor | Terrain::Ocean)
    }

    /// The word for it in files.
    pub const fn word(self) -> &'static str {
        match self {
            Terrain::Clear => "clear",
            Terrain::Jungle => "jungle",
            Terrain::Hill => "hill",
            Terrain::City => "city",
            Terrain::Town => "town",
            Terrain::Beach => "beach",
            Terrain::Harbor => "harbor",
            Terrain::Ocean => "ocean",
        }
    }
}

impl fmt::Display for Terrain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// What a unit is. Only artillery, leaders and the signals detachment have rules of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnitKind {
    /// Infantry.
    Infantry,
    /// Cavalry, mounted or not.
    Cavalry,
    /// Guns (§9.8).
    Artillery,
    /// Machineguns.
    Machinegun,
    /// Engineers.
    Engineer,
    /// Guerrillas.
    Guerrilla,
    /// Volunteers.
    Volunteer,
    /// A fortress garrison.
    Garrison,
    /// Sailors ashore.
    Naval,
    /// A leader (§6.0).
    Leader,
    /// The Signals Detachment (§8.7).
    Signals,
}

/// The size of a unit, as printed on its counter (§1.2a). A label only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Size {
    /// A division.
    Division,
    /// A brigade.
    Brigade,
    /// A regiment.
    Regiment,
    /// A column of no fixed size.
    Column,
    /// A battalion.
    Battalion,
    /// A battery.
    Battery,
    /// A company.
    Company,
    /// A detachment.
    Detachment,
    /// One man.
    Leader,
}

/// What a counter is marked with, or is besides its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Flag {
    /// Counts as artillery for friendly fire though it is of another kind (§9.8a, R15).
    Artillery,
    /// Printed `E`: the Escario column (§3.2b).
    Escario,
    /// Printed with an asterisk: off the map until event 6 (§3.2c).
    Asterisk,
    /// May not move or attack before its release (§3.2h, §3.2i).
    Frozen,
    /// May make the all-out effort (§6.4a).
    AllOut,
    /// Has a balloon mode (§8.7f).
    Balloon,
}

/// How a counter enters play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// Spanish, on the map from the start.
    Start,
    /// The Escario column.
    Escario,
    /// The machineguns of event 6.
    #[serde(rename = "event-6")]
    Event6,
    /// Cuban, on the map from the start.
    Cuban,
    /// The first wave of US landings.
    #[serde(rename = "wave-1")]
    Wave1,
    /// The second wave.
    #[serde(rename = "wave-2")]
    Wave2,
    /// The Logistical Base.
    Base,
    /// Naval gunfire.
    Fleet,
}

/// Where a figure or a feature comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Provenance {
    /// The rulebook prints it.
    Text,
    /// It follows from what the rulebook prints.
    Inferred,
    /// Ours, since the published sheet is not at hand.
    Reconstructed,
    /// Copied by a player from the published sheet.
    Transcribed,
}

/// A counter, by the name a player types: `us-inf-9`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct UnitId(pub Name);

impl UnitId {
    /// The counter of this name. Only for names that stand in the data.
    pub fn of(text: &str) -> UnitId {
        UnitId(Name::intern(text))
    }

    /// The name as text.
    pub fn as_str(self) -> &'static str {
        self.0.as_str()
    }
}

impl fmt::Display for UnitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for UnitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for UnitId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(UnitId::of(&String::deserialize(deserializer)?))
    }
}
