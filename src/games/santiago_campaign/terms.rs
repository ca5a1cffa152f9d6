//! The words of the game: nationalities, kinds of unit, terrain, and the names of counters.

use std::fmt;

use serde::Serialize;

use crate::engine::Side;
use crate::{names, words};

use super::{SPAIN, US};

names! {
    /// A counter by its designation: `us-6r`, `cu-03`, `sp-1-65`.
    pub UnitId = "unit";
    /// A Spanish counter lying on the map, whichever it is: `sp-07`. Named in order of hex and place at set-up.
    pub Token = "token";
    /// Something that moves and fights: an American or Cuban unit, or a Spanish counter on the table.
    pub Piece = "piece";
}

impl Token {
    /// The counter with this number.
    pub fn numbered(number: usize) -> Token {
        Token::of(&format!("sp-{number:02}"))
    }

    /// Is this the name of a counter on the table, rather than a unit's designation?
    pub fn is_name(text: &str) -> bool {
        let digits = text.strip_prefix("sp-").unwrap_or("");
        digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit())
    }
}

impl Piece {
    /// A Spanish counter on the table, if it is one.
    pub fn token(self) -> Option<Token> {
        Token::is_name(self.as_str()).then_some(Token(self.0))
    }

    /// The unit of that name.
    pub fn unit(self) -> UnitId {
        UnitId(self.0)
    }
}

impl From<UnitId> for Piece {
    fn from(id: UnitId) -> Piece {
        Piece(id.0)
    }
}

impl From<Token> for Piece {
    fn from(token: Token) -> Piece {
        Piece(token.0)
    }
}

words! {
    /// The three nationalities (§2.8).
    pub enum Nation {
        /// American.
        Us = "us",
        /// Cuban.
        Cuban = "cuban",
        /// Spanish.
        Spanish = "spanish",
    }

    /// What a counter is (§2.9).
    pub enum Arm {
        /// Infantry.
        Infantry = "infantry",
        /// Cavalry, fighting as infantry (§2.6).
        Cavalry = "cavalry",
        /// Artillery (§2.5).
        Artillery = "artillery",
        /// US engineers (§21).
        Engineer = "engineer",
        /// The Gatling guns (§20).
        Gatling = "gatling",
        /// The balloon (§17).
        Balloon = "balloon",
        /// Cuban insurrectionists (§14).
        Insurgent = "insurgent",
        /// A fortress garrison (§2.12).
        Garrison = "garrison",
    }

    /// How a counter comes into play.
    pub enum Group {
        /// The US draw pool (§5.3e).
        Pool = "pool",
        /// The Cuban chart (§5.2a).
        Zones = "zones",
        /// In a fortress from the start (§2.12d).
        Fortress = "fortress",
        /// Set up on the map (§5.1d).
        Start = "start",
        /// Manzanillo (§23.2).
        Manzanillo = "m",
        /// Guantanamo (§23.1).
        Guantanamo = "g",
    }

    /// What is special about a counter.
    pub enum Flag {
        /// Black powder (§15.1).
        BlackPowder = "black-powder",
        /// Teddy Roosevelt (§18.1).
        Roosevelt = "roosevelt",
        /// The 1st Marine Battalion (§5.3b).
        Marine = "marine",
        /// Mounted, without effect (§2.6b).
        Mounted = "mounted",
    }

    /// What fills a hex.
    #[derive(Default)]
    pub enum Land {
        /// Clear.
        Clear = "clear",
        /// Jungle.
        Jungle = "jungle",
        /// Swamp: nobody enters (§9.2c).
        Swamp = "swamp",
        /// Santiago.
        City = "city",
        /// The water of the bay.
        Harbour = "harbour",
        /// The sea.
        #[default]
        Sea = "sea",
    }

    /// The two off-map boxes (§5.1).
    pub enum HoldingBox {
        /// Manzanillo.
        Manzanillo = "manzanillo",
        /// Guantanamo Bay.
        Guantanamo = "guantanamo",
    }
}

impl Nation {
    /// Who commands its units (§1.1a).
    pub fn side(self) -> Side {
        match self {
            Nation::Us | Nation::Cuban => US,
            Nation::Spanish => SPAIN,
        }
    }
}

impl Land {
    /// Can anybody ever stand there?
    pub fn is_land(self) -> bool {
        !matches!(self, Land::Harbour | Land::Sea)
    }

    /// Land that is not swamp.
    pub fn is_open(self) -> bool {
        matches!(self, Land::Clear | Land::Jungle | Land::City)
    }
}

impl Arm {
    /// Artillery in the sense of §2.5; the Gatling guns are not (§9.3b).
    pub fn is_artillery(self) -> bool {
        self == Arm::Artillery
    }

    /// What plays as artillery when attacked or met alone: batteries and the balloon (§10.8, §17.4).
    pub fn is_gun_or_balloon(self) -> bool {
        matches!(self, Arm::Artillery | Arm::Balloon)
    }

    /// Exerts a zone of control (§7.1a, §7.2a, §7.3, §7.4a).
    pub fn exerts_zone(self) -> bool {
        !matches!(self, Arm::Artillery | Arm::Balloon | Arm::Insurgent)
    }

    /// The place it takes in a stack (§9.2, §9.3a, §9.6a).
    pub fn place(self) -> StackPlace {
        match self {
            Arm::Artillery | Arm::Gatling => StackPlace::Gun,
            Arm::Balloon => StackPlace::Free,
            _ => StackPlace::Line,
        }
    }
}

/// The places of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StackPlace {
    /// One of the two non-artillery places (§9.2a).
    Line,
    /// The artillery place (§9.2d, §9.2e, §9.3a).
    Gun,
    /// None (§9.6).
    Free,
}

/// The results of combat (§11.14).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CombatResult {
    /// Attack stalled.
    Stalled,
    /// Defender eliminated.
    Eliminated,
    /// Bloodbath.
    Bloodbath,
    /// Defender retreats.
    Retreat,
}

impl Serialize for CombatResult {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl CombatResult {
    /// How good it is for the attacker.
    pub fn worth(self) -> u32 {
        match self {
            CombatResult::Stalled => 0,
            CombatResult::Bloodbath => 1,
            CombatResult::Retreat => 2,
            CombatResult::Eliminated => 3,
        }
    }

    /// As the table prints it.
    pub fn as_str(self) -> &'static str {
        match self {
            CombatResult::Stalled => "AS",
            CombatResult::Eliminated => "DE",
            CombatResult::Bloodbath => "BB",
            CombatResult::Retreat => "DR",
        }
    }
}

/// Odds as a rung of the endless ladder … 1:3, 1:2, 1:1, 2:1, 3:1 …; 1:1 is rung 0 (§11.8b, §11.12c).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Odds(pub i32);

impl Odds {
    /// Attack against defence, rounded in the defender's favour (§11.8b). A defence of 0 gives the rung asked for.
    pub fn of(attack: u32, defence: u32, highest: Odds) -> Odds {
        let rung = |n: u32| i32::try_from(n).unwrap_or(i32::MAX);
        if defence == 0 {
            return highest;
        }
        if attack >= defence {
            Odds(rung(attack / defence) - 1)
        } else if attack == 0 {
            Odds(-1000)
        } else {
            Odds(1 - rung(defence.div_ceil(attack)))
        }
    }

    /// So many columns to the right, or to the left if negative.
    pub fn shifted(self, columns: i32) -> Odds {
        Odds(self.0.saturating_add(columns))
    }

    /// Reads `3:1` or `1:2`.
    pub fn parse(text: &str) -> Option<Odds> {
        let (left, right) = text.split_once(':')?;
        let (left, right): (i32, i32) = (left.trim().parse().ok()?, right.trim().parse().ok()?);
        match (left, right) {
            (n, 1) if n >= 1 => Some(Odds(n - 1)),
            (1, n) if n >= 2 => Some(Odds(1 - n)),
            _ => None,
        }
    }
}

impl fmt::Display for Odds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 >= 0 { f.pad(&format!("{}:1", self.0 + 1)) } else { f.pad(&format!("1:{}", 1 - self.0)) }
    }
}

impl Serialize for Odds {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_are_rounded_for_the_defender_on_both_sides_of_even() {
        let odds = |a, d| Odds::of(a, d, Odds(6)).to_string();
        assert_eq!(odds(16, 9), "1:1"); // §11.8c
        assert_eq!(odds(17, 3), "5:1"); // §11.8d
        assert_eq!(odds(9, 16), "1:2"); // §11.8b
        assert_eq!(odds(5, 16), "1:4");
        assert_eq!(odds(4, 4), "1:1");
        assert_eq!(Odds::parse("7:1").map(|odds| odds.shifted(-2).to_string()).as_deref(), Some("5:1")); // §11.12b
        assert_eq!(Odds::parse("4:1").map(|odds| odds.shifted(-3).to_string()).as_deref(), Some("1:1")); // §11.9c
        assert_eq!(Odds::parse("1:1").map(|odds| odds.shifted(-1).to_string()).as_deref(), Some("1:2"));
        assert_eq!(Odds::parse("2"), None);
    }
}
