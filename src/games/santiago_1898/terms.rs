//! The words of the game: forces, terrain, kinds of unit, and where a figure comes from.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::doc::{DocPath, FromDoc, Node, Reader, read_word};
use crate::{names, words};

use super::data::Data;

/// Whose counter it is. The US player runs the US Army and the Cubans (§1.1a).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
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

    /// The word for it in files.
    pub const fn word(self) -> &'static str {
        match self {
            Force::Us => "us",
            Force::Cuban => "cuban",
            Force::Spanish => "spanish",
        }
    }
}

impl FromDoc for Force {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        let which =
            read_word(node, at, reader, &Force::ALL.map(|force| [force.word()]).each_ref().map(|word| &word[..]))?;
        Force::ALL.get(which).copied()
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

words! {
    /// The terrain of a hex. Works, roads and rivers come on top of it.
    #[derive(Default)]
    pub enum Terrain {
        /// Open ground.
        Clear = "clear",
        /// Jungle.
        Jungle = "jungle",
        /// A hill.
        Hill = "hill",
        /// Santiago.
        City = "city",
        /// A town.
        Town = "town",
        /// A beach (R63).
        Beach = "beach",
        /// All water of the bay.
        Harbor = "harbor",
        /// All ocean.
        #[default]
        Ocean = "ocean",
    }

    /// What a unit is. Only artillery, leaders and the signals detachment have rules of their own.
    pub enum UnitKind {
        /// Infantry.
        Infantry = "infantry",
        /// Cavalry, mounted or not.
        Cavalry = "cavalry",
        /// Guns (§9.8).
        Artillery = "artillery",
        /// Machineguns.
        Machinegun = "machinegun",
        /// Engineers.
        Engineer = "engineer",
        /// Guerrillas.
        Guerrilla = "guerrilla",
        /// Volunteers.
        Volunteer = "volunteer",
        /// A fortress garrison.
        Garrison = "garrison",
        /// Sailors ashore.
        Naval = "naval",
        /// A leader (§6.0).
        Leader = "leader",
        /// The Signals Detachment (§8.7).
        Signals = "signals",
    }

    /// The size of a unit, as printed on its counter (§1.2a). A label only.
    pub enum Size {
        /// A division.
        Division = "division",
        /// A brigade.
        Brigade = "brigade",
        /// A regiment.
        Regiment = "regiment",
        /// A column of no fixed size.
        Column = "column",
        /// A battalion.
        Battalion = "battalion",
        /// A battery.
        Battery = "battery",
        /// A company.
        Company = "company",
        /// A detachment.
        Detachment = "detachment",
        /// One man.
        Leader = "leader",
    }

    /// What a counter is marked with, or is besides its kind.
    pub enum Flag {
        /// Counts as artillery for friendly fire though it is of another kind (§9.8a, R15).
        Artillery = "artillery",
        /// Printed `E`: the Escario column (§3.2b).
        Escario = "escario",
        /// Printed with an asterisk: off the map until event 6 (§3.2c).
        Asterisk = "asterisk",
        /// May not move or attack before its release (§3.2h, §3.2i).
        Frozen = "frozen",
        /// May make the all-out effort (§6.4a).
        AllOut = "all-out",
        /// Has a balloon mode (§8.7f).
        Balloon = "balloon",
    }

    /// How a counter enters play.
    pub enum Group {
        /// Spanish, on the map from the start.
        Start = "start",
        /// The Escario column.
        Escario = "escario",
        /// The machineguns of event 6.
        Event6 = "event-6",
        /// Cuban, on the map from the start.
        Cuban = "cuban",
        /// The first wave of US landings.
        Wave1 = "wave-1",
        /// The second wave.
        Wave2 = "wave-2",
        /// The Logistical Base.
        Base = "base",
        /// Naval gunfire.
        Fleet = "fleet",
    }
}

impl Terrain {
    /// Can units stand here (TEC.i)?
    pub const fn is_land(self) -> bool {
        !matches!(self, Terrain::Harbor | Terrain::Ocean)
    }
}

names! {
    /// A counter, by the name a player types: `us-inf-9`.
    pub UnitId = "unit", such as Data::ours().units.keys().map(|id| id.as_str()).collect::<Vec<_>>();
}
