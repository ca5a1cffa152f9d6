//! The words of the game: sides, battlefields, ground, works, arms, and the names of units, leaders, heroes and areas.

use crate::board::Facing;
use crate::engine::Side;
use crate::engine::doc::{DocPath, FromDoc, Node, Reader, read_word};
use crate::{names, words};

use super::{SPAIN, US};

/// A chip of this number or more activates a unit for a normal action (§5g).
pub const ACTIVATE_NORMAL: u16 = 2;
/// A chip of this number or more activates a unit for a difficult action (§5i).
pub const ACTIVATE_DIFFICULT: u16 = 3;
/// Disorder adds this to the number needed to activate (§5h, §5j).
pub const DISORDER_ACTIVATES: u16 = 1;
/// A chip of this number or more hits, by fire and in melee (§6.7c, §7i).
pub const HIT: u16 = 6;
/// A disordered unit hits on this number or more (§6.7e, §7j).
pub const HIT_DISORDERED: u16 = 8;
/// A save succeeds with this total or more (§6.9a, §7k, §S4).
pub const SAVE: i32 = 6;
/// A leader dies on this chip (§9q).
pub const LEADER_DIES_ON: u16 = 1;
/// A leader moves this many boxes (§9a).
pub const LEADER_MOVES: u32 = 3;
/// A defender that leaves a melee before the first blow goes back this far (§7d).
pub const WITHDRAWAL: u32 = 3;
/// Artillery spares enemies this near to its own side (§6.2b).
pub const SAFE_DISTANCE: u32 = 2;

words! {
    /// A side.
    pub enum Power {
        /// The Spanish player; acts first (§4b).
        Spain = "spain" | "spanish",
        /// The U.S. player.
        Us = "us" | "u.s." | "american",
    }
}

impl Power {
    /// The seat.
    pub const fn side(self) -> Side {
        match self {
            Power::Spain => SPAIN,
            Power::Us => US,
        }
    }

    /// The power in this seat.
    pub fn of(side: Side) -> Option<Power> {
        Power::ALL.iter().copied().find(|power| power.side() == side)
    }

    /// The other one.
    pub const fn enemy(self) -> Power {
        match self {
            Power::Spain => Power::Us,
            Power::Us => Power::Spain,
        }
    }

    /// The facing at the start: the enemy edge (§A55).
    pub const fn facing(self) -> Facing {
        match self {
            Power::Spain => Facing::E,
            Power::Us => Facing::W,
        }
    }

    /// As an adjective.
    pub const fn adjective(self) -> &'static str {
        match self {
            Power::Spain => "Spanish",
            Power::Us => "U.S.",
        }
    }
}

words! {
    /// A battlefield (§2a).
    pub enum Battlefield {
        /// San Juan Heights, also called San Juan Hill.
        SanJuan = "san-juan-heights" | "san-juan-hill" | "san-juan",
        /// El Caney.
        ElCaney = "el-caney" | "caney",
    }
}

words! {
    /// What lies in a box.
    pub enum Ground {
        /// Open ground.
        Open = "open",
        /// Woods: an obstacle when entered (§5.D8c), and they block sight (§A19).
        Woods = "woods",
        /// The pond: nobody enters it, everybody sees across it (§A11).
        Pond = "pond",
        /// Town: it only blocks sight (§A60).
        Town = "town",
    }
}

words! {
    /// A work in a box. It protects whoever stands in it (§A58).
    pub enum Work {
        /// None.
        None = "none",
        /// Trenches.
        Trench = "trench" | "trenches",
        /// A blockhouse.
        Blockhouse = "blockhouse",
        /// A fort, in every rule like a blockhouse.
        Fort = "fort",
    }
}

impl Work {
    /// A blockhouse or fort?
    pub const fn is_building(self) -> bool {
        matches!(self, Work::Blockhouse | Work::Fort)
    }
}

words! {
    /// A bank of the river (§A11).
    pub enum Bank {
        /// The Spanish side.
        Spanish = "spanish",
        /// The U.S. side.
        Us = "us",
    }
}

words! {
    /// An obstacle on box sides (§5.D8a).
    pub enum ObstacleKind {
        /// A river.
        River = "river",
        /// A stream.
        Stream = "stream",
        /// A ravine.
        Ravine = "ravine",
    }
}

words! {
    /// What a unit is.
    pub enum Arm {
        /// Infantry.
        Infantry = "infantry",
        /// Cavalry on foot: infantry in every rule (§A42).
        Cavalry = "cavalry",
        /// Gatling guns.
        Gatling = "gatling",
        /// Guns off the table (§10d).
        Artillery = "artillery",
    }
}

impl Arm {
    /// May a leader or hero redraw its hit chips (§9h2)?
    pub const fn redraws_hits(self) -> bool {
        matches!(self, Arm::Infantry | Arm::Cavalry)
    }

    /// Is its fire small-arms fire, which endangers leaders (§9q, §9s, §A44)?
    pub const fn is_small_arms(self) -> bool {
        !matches!(self, Arm::Artillery)
    }
}

words! {
    /// A U.S. division at San Juan Heights (§A40).
    pub enum Division {
        /// Kent's First Division.
        First = "first",
        /// Sumner's Cavalry Division.
        Cavalry = "cavalry",
    }
}

names! {
    /// A unit.
    pub UnitId = "unit";
    /// A leader.
    pub LeaderId = "leader";
    /// A hero.
    pub HeroId = "hero";
    /// An objective area.
    pub AreaId = "area";
}

impl FromDoc for Facing {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        let words: &[&[&str]] = &[&["n", "north"], &["e", "east"], &["s", "south"], &["w", "west"]];
        read_word(node, at, reader, words).and_then(|which| Facing::ALL.get(which).copied())
    }
}
