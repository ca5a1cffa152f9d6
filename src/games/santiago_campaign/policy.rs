//! Questions a player can settle beforehand: policies for his own turn, standing orders for the opponent's.

use serde::Serialize;

use crate::board::Hex;
use crate::engine::doc::{DocPath, FromDoc, Node, Reader};
use crate::engine::{self, Clause, Ever, Kind, KindInfo, Moment, Say, Side};
use crate::{document, words};

use super::terms::Piece;
use super::{SPAIN, US};

/// Where a drawn unit stops (§6.2b).
pub const LANDING: Kind = Kind("landing");
/// Whether a beach is opened (§6.6a).
pub const OPEN_BEACH: Kind = Kind("open-beach");
/// Whether and when batteries fire at the balloon (§17.5a).
pub const BALLOON_FIRE: Kind = Kind("balloon-fire");
/// Who loses a step to fire at the balloon (§17.5e).
pub const BALLOON_LOSS: Kind = Kind("balloon-loss");
/// Which attack is made next (§11.1c).
pub const NEXT_ATTACK: Kind = Kind("next-attack");
/// Where defenders retreat (§11.15).
pub const RETREAT: Kind = Kind("retreat");
/// Who makes room for them (§11.16).
pub const DISPLACE: Kind = Kind("displace");
/// Whom a bloodbath takes (§11.14h).
pub const BLOODBATH: Kind = Kind("bloodbath");
/// Who advances (§11.17).
pub const ADVANCE: Kind = Kind("advance");
/// Where a displaced Cuban unit goes (§14.4c).
pub const CUBAN_RETREAT: Kind = Kind("cuban-displaced");
/// Which enemy units an overstacked hex loses (§9.1c).
pub const OVERSTACK: Kind = Kind("overstack");
/// Which Guantanamo units are released (§23.1c).
pub const RELEASE: Kind = Kind("release");

words! {
    /// When batteries fire at the balloon (§17.5k).
    pub enum When {
        /// At the first moment of the phase at which it is up.
        Early = "early",
        /// Just before it comes down, or at the end of the phase.
        Late = "late",
        /// Not at all.
        Never = "never",
    }
}

document! {
    /// Fire at the balloon: when, and from which hexes.
    pub struct BalloonFire {
        /// Early, late or never.
        pub when: When,
        /// Only batteries in these hexes; all if left out.
        pub from: Vec<Hex>,
    }
}

/// What a player can lay down for one kind of question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Policy {
    /// When to fire at the balloon.
    When(When),
    /// When, and with which batteries.
    Fire(BalloonFire),
    /// Always or never.
    Ever(Ever),
    /// Hexes in order of preference.
    Hexes(Vec<Hex>),
    /// Units in order of preference.
    Pieces(Vec<Piece>),
}

const BOTH: &[Side] = &[US, SPAIN];

impl Policy {
    /// The first hex of a list that is among the options.
    pub fn prefer(&self, options: &[Hex]) -> Say<Hex> {
        match self {
            Policy::Hexes(wished) => Say::first_of(wished, options),
            _ => Say::Default,
        }
    }
}

impl engine::Policy for Policy {
    const KINDS: &'static [KindInfo] = &[
        KindInfo {
            kind: LANDING,
            asked_of: &[US],
            moment: Moment::OwnTurn,
            clause: Clause("6.2b"),
            text: "a unit is drawn: where does it go ashore?",
            default: "as far inland as it is in supply, outside enemy zones of control first, lowest hex number",
            forms: &["[5925, 5825]"],
        },
        KindInfo {
            kind: OPEN_BEACH,
            asked_of: &[US],
            moment: Moment::OwnTurn,
            clause: Clause("6.6a"),
            text: "an American unit enters an unopened beach: is a Supply Source marker placed there?",
            default: "yes, if one is left",
            forms: &["always", "never", "[4522, 2822]"],
        },
        KindInfo {
            kind: BALLOON_FIRE,
            asked_of: &[SPAIN],
            moment: Moment::OpponentsTurn,
            clause: Clause("17.5a"),
            text: "the balloon is up: do batteries in range fire at it, and when?",
            default: "every battery in range fires at the first moment",
            forms: &["early", "late", "never", "{when: late, from: [2814]}"],
        },
        KindInfo {
            kind: BALLOON_LOSS,
            asked_of: &[US],
            moment: Moment::OwnTurn,
            clause: Clause("17.5e"),
            text: "fire at the balloon costs a step in a hex with several units: which loses it?",
            default: "a full two-step unit, then a one-step unit, a reduced one last; lowest factor, lowest id",
            forms: &["[us-6r, us-16r]"],
        },
        KindInfo {
            kind: NEXT_ATTACK,
            asked_of: BOTH,
            moment: Moment::OwnTurn,
            clause: Clause("11.1c"),
            text: "the last attack is resolved: which hex is attacked next, and by whom?",
            default: "the next attack of the list; none after its end",
            forms: &[],
        },
        KindInfo {
            kind: BLOODBATH,
            asked_of: BOTH,
            moment: Moment::OwnTurn,
            clause: Clause("11.14h"),
            text: "a bloodbath: which adjacent attackers pay for it?",
            default: "the smallest total that suffices, sparing two-step units, then D13, 1VC and engineers",
            forms: &[],
        },
        KindInfo {
            kind: ADVANCE,
            asked_of: BOTH,
            moment: Moment::OwnTurn,
            clause: Clause("11.17a"),
            text: "the hex is vacated and not all attackers fit in: who advances?",
            default: "the strongest first, D13 last",
            forms: &[],
        },
        KindInfo {
            kind: CUBAN_RETREAT,
            asked_of: &[US],
            moment: Moment::OwnTurn,
            clause: Clause("14.4c"),
            text: "a Spanish retreat pushes a Cuban unit away: where does it go?",
            default: "a jungle hex, the farthest from Spanish units, lowest number",
            forms: &["[3012, 3013]"],
        },
        KindInfo {
            kind: RELEASE,
            asked_of: &[SPAIN],
            moment: Moment::OwnTurn,
            clause: Clause("23.1c"),
            text: "the Guantanamo table releases some units: which counters?",
            default: "the highest factors first, then the lowest ids",
            forms: &["[sp-28, sp-30]"],
        },
        KindInfo {
            kind: RETREAT,
            asked_of: BOTH,
            moment: Moment::OpponentsTurn,
            clause: Clause("11.15a"),
            text: "defenders must retreat: into which hex?",
            default: "no enemy zone first; Spanish toward Santiago, Americans toward a source, Cubans toward jungle; lowest number",
            forms: &["[2713, 2714]"],
        },
        KindInfo {
            kind: DISPLACE,
            asked_of: BOTH,
            moment: Moment::OpponentsTurn,
            clause: Clause("11.16e"),
            text: "a retreat is possible only by displacing others: who makes room, or are the retreating units given up?",
            default: "displace: fewest units, lowest factors, lowest hexes",
            forms: &["always", "never"],
        },
        KindInfo {
            kind: OVERSTACK,
            asked_of: BOTH,
            moment: Moment::Either,
            clause: Clause("9.1c"),
            text: "an enemy hex holds too many units: which are eliminated?",
            default: "the highest factors first, then the lowest ids",
            forms: &[],
        },
    ];

    fn about_the_enemy(kind: Kind) -> bool {
        kind == OVERSTACK
    }

    fn naming(kind: Kind, side: Side) -> Option<&'static str> {
        match (kind, side) {
            (BLOODBATH | ADVANCE, SPAIN) => Some("[sp-28, sp-30]"),
            (BLOODBATH | ADVANCE, US) => Some("[us-6r, us-16r]"),
            (OVERSTACK, SPAIN) => Some("[us-7r, us-12r]"),
            (OVERSTACK, US) => Some("[sp-28, sp-30]"),
            _ => None,
        }
    }

    fn read(kind: Kind, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Policy> {
        match kind {
            BALLOON_FIRE => match node {
                Node::Map(_) => BalloonFire::read(node, at, reader).map(Policy::Fire),
                _ => When::read(node, at, reader).map(Policy::When),
            },
            OPEN_BEACH => match node {
                Node::List(_) => Vec::read(node, at, reader).map(Policy::Hexes),
                _ => Ever::read(node, at, reader).map(Policy::Ever),
            },
            DISPLACE => Ever::read(node, at, reader).map(Policy::Ever),
            LANDING | RETREAT | CUBAN_RETREAT => Vec::read(node, at, reader).map(Policy::Hexes),
            NEXT_ATTACK => {
                reader.fault(at, "there is no policy for the next attack", "write `default` or `ask`");
                None
            }
            _ => Vec::read(node, at, reader).map(Policy::Pieces),
        }
    }
}
