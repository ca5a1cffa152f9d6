//! Questions a player can settle beforehand: policies for his own turn, standing orders for the opponent's.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::board::Hex;
use crate::engine::doc::{DocPath, FromDoc, Node, Reader};
use crate::engine::{self, Clause, Ever, Kind, KindInfo, Moment, Side};
use crate::{document, words};

use super::orders::{Advance, PressIf};
use super::terms::UnitId;
use super::{SPAIN, US};

/// Which battle is fought next (§9.2g).
pub const NEXT_BATTLE: Kind = Kind("next-battle");
/// Where a lost US stack goes (§8.6c).
pub const LOST_STACK: Kind = Kind("lost-stack");
/// At which attacking hex each defender fires (§9.2d).
pub const FIRE: Kind = Kind("fire");
/// Which units lose steps in combat (§DFT.l, §SCT.g, §9.8b).
pub const LOSSES: Kind = Kind("losses");
/// Press an attack home or call it off (§9.3g).
pub const PRESS: Kind = Kind("press");
/// Whether the fleet supports an attack (§9.7a).
pub const NAVAL: Kind = Kind("naval");
/// Which units advance (§9.5a).
pub const ADVANCE: Kind = Kind("advance");
/// Whether a leader's stack ignores a retreat (§6.3a).
pub const LEADER_HOLD: Kind = Kind("leader-hold");
/// Where defenders retreat (§9.4c).
pub const RETREAT: Kind = Kind("retreat");
/// With which part of a split stack a leader or the Signals Detachment goes (§6.2d).
pub const GOES_WITH: Kind = Kind("goes-with");
/// Which of several stacks a lone leader joins (§6.2e).
pub const RELOCATE: Kind = Kind("relocate");
/// Which units of the opponent an overstacked hex loses (§5.3b).
pub const OVERSTACK: Kind = Kind("overstack");
/// Which units lose steps to fever (§10.5b).
pub const FEVER: Kind = Kind("fever");
/// Where the machineguns are placed (§7.2.6a).
pub const MACHINEGUNS: Kind = Kind("machineguns");
/// Whether Roosevelt makes his all-out effort when attacked (§6.4a).
pub const ALL_OUT: Kind = Kind("all-out-effort");

words! {
    /// Halt.
    pub enum Halt {
        /// The stack stays where it is.
        Halt = "halt",
    }
}

document! {
    /// Lead a lost stack towards a hex.
    pub struct Toward {
        /// The hex it is led towards.
        pub toward: Hex,
    }
}

document! {
    /// Lead lost stacks along set paths.
    pub struct Paths {
        /// For each jungle hex where a stack may be lost: the hexes it is led through.
        pub paths: BTreeMap<Hex, Vec<Hex>>,
    }
}

document! {
    /// Announce the all-out effort when one of these hexes is attacked.
    pub struct IfAttackedIn {
        /// The hexes.
        pub if_attacked_in: Vec<Hex>,
    }
}

words! {
    /// How defenders attacked from several hexes fire.
    pub enum FirePlan {
        /// All at the strongest attacking hex.
        Concentrate = "concentrate",
        /// Dealt out over the attacking hexes, strongest firers and strongest attackers first.
        Spread = "spread",
    }
}

/// What a player can lay down for one kind of question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Policy {
    /// Lost stacks halt.
    LostHalt(Halt),
    /// Lost stacks are led towards a hex.
    LostToward(Toward),
    /// Lost stacks are led along a path, by the hex where they are lost.
    LostPaths(Paths),
    /// A plan of fire.
    Fire(FirePlan),
    /// A target hex per unit.
    FireAt(BTreeMap<UnitId, Hex>),
    /// From which odds column attacks are pressed.
    Press(PressIf),
    /// Always or never.
    Ever(Ever),
    /// Only in these hexes.
    In(Vec<Hex>),
    /// Only if attacked in these hexes.
    IfAttacked(IfAttackedIn),
    /// Which units advance.
    Advance(Advance),
    /// Units in order of preference.
    Priority(Vec<UnitId>),
    /// Hexes in order of preference.
    Hexes(Vec<Hex>),
}

const BOTH: &[Side] = &[US, SPAIN];

impl engine::Policy for Policy {
    const KINDS: &'static [KindInfo] = &[
        KindInfo {
            kind: LOST_STACK,
            asked_of: &[SPAIN],
            moment: Moment::OpponentsTurn,
            clause: Clause("8.6c"),
            text: "a US stack is lost in the jungle: where does the Spanish player send it?",
            default: "it halts in the jungle hex",
            forms: &["halt", "{toward: 1112}", "{paths: {1014: [1013, 1012]}}"],
        },
        KindInfo {
            kind: FIRE,
            asked_of: BOTH,
            moment: Moment::OpponentsTurn,
            clause: Clause("9.2d"),
            text: "attacked from several hexes: at which of them does each defending unit fire?",
            default: "all at the attacking hex with the largest shock total, then the lowest hex number",
            forms: &["concentrate", "spread"],
        },
        KindInfo {
            kind: LOSSES,
            asked_of: BOTH,
            moment: Moment::Either,
            clause: Clause("SCT.g"),
            text: "which of the own units lose steps in combat?",
            default: "most steps left, then lowest shock, lowest fire, lowest hex, id",
            forms: &[],
        },
        KindInfo {
            kind: PRESS,
            asked_of: BOTH,
            moment: Moment::OwnTurn,
            clause: Clause("9.3g"),
            text: "after defensive fire: press the attack home or call it off?",
            default: "press on the 2:1 column or better, a lone Signals Detachment always",
            forms: &["always", "1:1", "2:1", "3:1", "4:1", "5:1", "never"],
        },
        KindInfo {
            kind: NAVAL,
            asked_of: BOTH,
            moment: Moment::OwnTurn,
            clause: Clause("9.7a"),
            text: "does the fleet support this attack?",
            default: "no",
            forms: &["never", "always", "[1210, 1110]"],
        },
        KindInfo {
            kind: ADVANCE,
            asked_of: BOTH,
            moment: Moment::OwnTurn,
            clause: Clause("9.5a"),
            text: "the hex is vacated: which attackers enter it?",
            default: "all, the strongest in shock first, up to six units",
            forms: &["all", "none"],
        },
        KindInfo {
            kind: NEXT_BATTLE,
            asked_of: BOTH,
            moment: Moment::OwnTurn,
            clause: Clause("9.2g"),
            text: "the fire of the last battle is done: which hex is attacked next, and by whom?",
            default: "the next battle of the list",
            forms: &[],
        },
        KindInfo {
            kind: LEADER_HOLD,
            asked_of: BOTH,
            moment: Moment::OpponentsTurn,
            clause: Clause("6.3a"),
            text: "a retreat result against a hex with a leader: does it hold?",
            default: "it always holds",
            forms: &["always", "never", "[1512, 1411]"],
        },
        KindInfo {
            kind: RETREAT,
            asked_of: BOTH,
            moment: Moment::OpponentsTurn,
            clause: Clause("9.4c"),
            text: "several hexes are equally near the source: where do the units retreat?",
            default: "together into one hex with room: friendly-held, fewest enemies next to it, lowest number; else one by one",
            forms: &["[1309, 1310]"],
        },
        KindInfo {
            kind: GOES_WITH,
            asked_of: BOTH,
            moment: Moment::Either,
            clause: Clause("6.2d"),
            text: "a stack splits: into which hex goes the leader or the Signals Detachment?",
            default: "with the larger shock total; on a tie he stays or takes the lower hex number",
            forms: &["[1309, 1310]"],
        },
        KindInfo {
            kind: RELOCATE,
            asked_of: BOTH,
            moment: Moment::Either,
            clause: Clause("6.2e"),
            text: "a lone leader joins the nearest friends: which of several stacks?",
            default: "the stack with the largest shock total, then the lowest hex number",
            forms: &["[1309, 1310]"],
        },
        KindInfo {
            kind: OVERSTACK,
            asked_of: BOTH,
            moment: Moment::Either,
            clause: Clause("5.3b"),
            text: "an enemy hex is overstacked: which enemy units are removed?",
            default: "most steps left, then most shock and fire together, then id",
            forms: &[],
        },
        KindInfo {
            kind: FEVER,
            asked_of: BOTH,
            moment: Moment::Either,
            clause: Clause("10.5b"),
            text: "yellow fever: which of the own units on the map lose steps?",
            default: "full two-step units first, the one farthest from the enemy, then as for losses",
            forms: &[],
        },
        KindInfo {
            kind: MACHINEGUNS,
            asked_of: &[SPAIN],
            moment: Moment::Either,
            clause: Clause("7.2.6a"),
            text: "the machineguns may be placed in Santiago or next to it: where?",
            default: "Santiago if it is Spanish and has room, else the lowest-numbered hex next to it",
            forms: &["[1308, 1309]", "never"],
        },
        KindInfo {
            kind: ALL_OUT,
            asked_of: &[US],
            moment: Moment::OpponentsTurn,
            clause: Clause("6.4a"),
            text: "Roosevelt's hex is attacked: does he make his all-out effort this turn?",
            default: "no",
            forms: &["never", "always", "{if-attacked-in: [1210]}"],
        },
    ];

    fn about_the_enemy(kind: Kind) -> bool {
        kind == OVERSTACK
    }

    fn naming(kind: Kind, side: Side) -> Option<&'static str> {
        match (kind, side) {
            (FIRE, SPAIN) => Some("{sp-4-tv: 1211, sp-1-5-ra: 1111}"),
            (FIRE, US) => Some("{us-inf-6: 1211, us-inf-16: 1111}"),
            (LOSSES, SPAIN) => Some("[sp-vol, sp-1-tg]"),
            (LOSSES, US) => Some("[us-vol-8, us-vol-9]"),
            (ADVANCE, SPAIN) => Some("[sp-4-tv, sp-1-ppr]"),
            (ADVANCE, US) => Some("[us-inf-6, us-inf-16]"),
            (OVERSTACK, SPAIN) => Some("[us-inf-7, us-inf-12]"),
            (OVERSTACK, US) => Some("[sp-4-tv, sp-1-ppr]"),
            (FEVER, SPAIN) => Some("[sp-1-65-cu, sp-vol]"),
            (FEVER, US) => Some("[us-vol-34, us-vol-33]"),
            _ => None,
        }
    }

    fn read(kind: Kind, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Policy> {
        match kind {
            LOST_STACK => match node {
                Node::Map(_) if node.get("paths").is_some() => Paths::read(node, at, reader).map(Policy::LostPaths),
                Node::Map(_) => Toward::read(node, at, reader).map(Policy::LostToward),
                _ => Halt::read(node, at, reader).map(Policy::LostHalt),
            },
            FIRE => match node {
                Node::Map(_) => BTreeMap::read(node, at, reader).map(Policy::FireAt),
                _ => FirePlan::read(node, at, reader).map(Policy::Fire),
            },
            PRESS => PressIf::read(node, at, reader).map(Policy::Press),
            ADVANCE => Advance::read(node, at, reader).map(Policy::Advance),
            NAVAL | LEADER_HOLD => match node {
                Node::List(_) => Vec::read(node, at, reader).map(Policy::In),
                _ => Ever::read(node, at, reader).map(Policy::Ever),
            },
            ALL_OUT => match node {
                Node::Map(_) => IfAttackedIn::read(node, at, reader).map(Policy::IfAttacked),
                _ => Ever::read(node, at, reader).map(Policy::Ever),
            },
            RETREAT | GOES_WITH | RELOCATE => Vec::read(node, at, reader).map(Policy::Hexes),
            MACHINEGUNS => match node {
                Node::Text { text, .. } if text == "never" => Ever::read(node, at, reader).map(Policy::Ever),
                _ => Vec::read(node, at, reader).map(Policy::Hexes),
            },
            NEXT_BATTLE => {
                reader.fault(at, "there is no policy for the next battle", "write `default` or `ask`");
                None
            }
            _ => Vec::read(node, at, reader).map(Policy::Priority),
        }
    }
}
