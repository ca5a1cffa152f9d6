//! Questions a player can settle beforehand: policies for his own turn, standing orders for the opponent's.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::board::Hex;
use crate::engine::doc::{DocPath, FromDoc, Node, Reader};
use crate::engine::{self, Clause, Ever, Kind, KindInfo, Moment, Side};
use crate::{document, printed};

use super::orders::Support;
use super::tables::Odds;
use super::terms::Piece;
use super::{SPAIN, US};

/// Whether units in guerrilla strike at a mover (§11.2.2b).
pub const AMBUSH: Kind = Kind("ambush");
/// Whether a defence is supported (§14.4.5a).
pub const SUPPORT: Kind = Kind("support");
/// Who loses steps (A26).
pub const LOSSES: Kind = Kind("losses");
/// Who is disorganized (§9.5a).
pub const DISORDER: Kind = Kind("disorder");
/// Where defenders retreat (§9.3a).
pub const RETREAT: Kind = Kind("retreat");
/// With whom a leader goes (A15a).
pub const LEADER_GOES: Kind = Kind("leader-goes");
/// Who advances (§9.4a).
pub const ADVANCE: Kind = Kind("advance");
/// Which defence the Tocineros help (§7.2.55a).
pub const TOCINEROS: Kind = Kind("tocineros");
/// Which attack remembers the Maine (§7.2.51a).
pub const MAINE: Kind = Kind("maine");
/// Whom friendly fire strikes (§14.3c).
pub const FRIENDLY_FIRE: Kind = Kind("friendly-fire");
/// Whom fever takes (§12b).
pub const FEVER: Kind = Kind("fever");
/// How a stack led astray goes on (A46b).
pub const FINISH_MOVE: Kind = Kind("finish-move");
/// Whom Cuba Libre examines (§7.2.11a).
pub const CUBA_LIBRE: Kind = Kind("cuba-libre");
/// Where the machine guns are placed (§7.2.61a).
pub const AM_HEX: Kind = Kind("am-hex");
/// What is attacked instead of an empty hex.
pub const NEXT_COMBAT: Kind = Kind("next-combat");
/// Which guerrillas pay for a counter-ambush (A69).
pub const COUNTER_AMBUSH: Kind = Kind("counter-ambush");

/// When units in guerrilla strike: `always`, `never`, or from a modifier on: `min-drm 2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AmbushRule {
    /// Never.
    Never,
    /// If the die has at least this modifier.
    MinDrm(i32),
    /// Always.
    Always,
}

impl AmbushRule {
    /// What nobody said otherwise: the modifier for enemy movement and one more.
    pub const DEFAULT: AmbushRule = AmbushRule::MinDrm(2);

    /// Reads a rule.
    pub fn parse(text: &str) -> Option<AmbushRule> {
        match text.trim() {
            "always" => Some(AmbushRule::Always),
            "never" => Some(AmbushRule::Never),
            text => text.strip_prefix("min-drm")?.trim().parse().ok().map(AmbushRule::MinDrm),
        }
    }

    /// Does it strike at this modifier?
    pub fn strikes(self, modifier: i32) -> bool {
        match self {
            AmbushRule::Never => false,
            AmbushRule::MinDrm(least) => modifier >= least,
            AmbushRule::Always => true,
        }
    }
}

impl fmt::Display for AmbushRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AmbushRule::Never => f.write_str("never"),
            AmbushRule::MinDrm(least) => write!(f, "min-drm {least}"),
            AmbushRule::Always => f.write_str("always"),
        }
    }
}

printed! {
    AmbushRule, "`always`, `never` or `min-drm 2`";
}

document! {
    /// Orders for units in guerrilla. In a hex with several of them the keenest counts.
    pub struct AmbushPolicy {
        /// For all that are not named; `min-drm 2` if left out. Not for closed counters that may be dummies (A109).
        pub others: Option<AmbushRule>,
        /// By unit or column.
        pub units: BTreeMap<Piece, AmbushRule>,
        /// By hex.
        pub hexes: BTreeMap<Hex, AmbushRule>,
    }

    /// When a defence is supported.
    pub struct SupportPolicy {
        /// Only in these hexes; anywhere if left out.
        pub hexes: Vec<Hex>,
        /// Only from these odds on, before any shift.
        pub min_odds: Option<Odds>,
        /// Points that are kept.
        pub keep: Option<u32>,
        /// Only if the other player has spent one before; the US player decides first.
        pub answer: bool,
        /// What pays, first choice first: `pool` or logistic columns (A82). Otherwise the pool, then the nearest column.
        pub with: Vec<Support>,
    }
}

/// What a player can lay down for one kind of question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Policy {
    /// Always or never.
    Ever(Ever),
    /// For units in guerrilla.
    Ambush(AmbushPolicy),
    /// For supply points.
    Support(SupportPolicy),
    /// Hexes in order of preference.
    Hexes(Vec<Hex>),
    /// Pieces in order of preference.
    Pieces(Vec<Piece>),
    /// A hex for each unit (A30f).
    Split(BTreeMap<Piece, Hex>),
}

const BOTH: &[Side] = &[SPAIN, US];

impl engine::Policy for Policy {
    const KINDS: &'static [KindInfo] = &[
        KindInfo {
            kind: AMBUSH,
            asked_of: BOTH,
            moment: Moment::OpponentsTurn,
            clause: Clause("11.2.2b"),
            text: "an enemy moves next to units in guerrilla: do they strike?",
            default: "with a modifier of 2 or more: enemy movement, and jungle or a logistic column; not from under closed \
                      counters that nobody knows to be real",
            forms: &["always", "never", "min-drm 3"],
        },
        KindInfo {
            kind: SUPPORT,
            asked_of: BOTH,
            moment: Moment::Either,
            clause: Clause("14.4.5a"),
            text: "a hex is attacked: is a supply point spent on its defence?",
            default: "no",
            forms: &["always", "never", "{hexes: [1111], min-odds: \"2:1\", keep: 2}", "{answer: yes}"],
        },
        KindInfo {
            kind: LOSSES,
            asked_of: BOTH,
            moment: Moment::Either,
            clause: Clause("A26"),
            text: "steps are lost in combat: by whom?",
            default: "full two-step units first, then foot with one step, guerrillas, guns; lowest shock, lowest fire",
            forms: &[],
        },
        KindInfo {
            kind: DISORDER,
            asked_of: BOTH,
            moment: Moment::Either,
            clause: Clause("9.5a"),
            text: "one unit of a stack is disorganized: which?",
            default: "the weakest that is not yet disorganized",
            forms: &[],
        },
        KindInfo {
            kind: RETREAT,
            asked_of: BOTH,
            moment: Moment::OpponentsTurn,
            clause: Clause("9.3a"),
            text: "defenders must retreat: into which hex?",
            default: "together, to the hex with the fewest enemies beside it, with room, lowest number",
            forms: &["[1110, 1209]"],
        },
        KindInfo {
            kind: LEADER_GOES,
            asked_of: BOTH,
            moment: Moment::Either,
            clause: Clause("A15a"),
            text: "a leader's companions part: with which group does he go?",
            default: "the one with most steps",
            forms: &["[1110, 1209]"],
        },
        KindInfo {
            kind: ADVANCE,
            asked_of: BOTH,
            moment: Moment::OwnTurn,
            clause: Clause("9.4a"),
            text: "the hex is vacated: who advances?",
            default: "the strongest in shock first, as long as there is room",
            forms: &["always", "never"],
        },
        KindInfo {
            kind: TOCINEROS,
            asked_of: &[SPAIN],
            moment: Moment::OpponentsTurn,
            clause: Clause("7.2.55a"),
            text: "a defence may be helped by the Tocineros this turn: this one?",
            default: "the first defence of an objective",
            forms: &["always", "never", "[1111, 1412]"],
        },
        KindInfo {
            kind: MAINE,
            asked_of: &[US],
            moment: Moment::OwnTurn,
            clause: Clause("7.2.51a"),
            text: "one US attack of this turn may remember the Maine: this one?",
            default: "the attack ordered with `maine: yes`, else the first shock",
            forms: &["always", "never", "[1111]"],
        },
        KindInfo {
            kind: FRIENDLY_FIRE,
            asked_of: &[US],
            moment: Moment::OwnTurn,
            clause: Clause("14.3c"),
            text: "friendly fire: which hex does it strike?",
            default: "one with Cubans, else the one with most steps in the open",
            forms: &["[1112, 1012]"],
        },
        KindInfo {
            kind: FEVER,
            asked_of: BOTH,
            moment: Moment::Either,
            clause: Clause("12b"),
            text: "yellow fever: who loses the steps?",
            default: "units out of supply first, then as other losses; units in the open before closed counters",
            forms: &[],
        },
        KindInfo {
            kind: FINISH_MOVE,
            asked_of: &[SPAIN],
            moment: Moment::OpponentsTurn,
            clause: Clause("A46b"),
            text: "a US stack has lost its way: where do you lead it?",
            default: "it stays where it is",
            forms: &["[1016, 1017]"],
        },
        KindInfo {
            kind: CUBA_LIBRE,
            asked_of: &[US],
            moment: Moment::OpponentsTurn,
            clause: Clause("7.2.11a"),
            text: "Cuba Libre: which Spanish pieces do you examine, up to four?",
            default: "the closed counters nearest to any US or Cuban unit",
            forms: &["[sp-c1, sp-c4]"],
        },
        KindInfo {
            kind: AM_HEX,
            asked_of: &[SPAIN],
            moment: Moment::OwnTurn,
            clause: Clause("7.2.61a"),
            text: "the machine guns come ashore: where?",
            default: "Santiago, or the first hex beside it without another gun",
            forms: &["never", "[1209, 1208]"],
        },
        KindInfo {
            kind: NEXT_COMBAT,
            asked_of: BOTH,
            moment: Moment::OwnTurn,
            clause: Clause("9.1b"),
            text: "nobody is left in the hex that was to be attacked: is another one attacked instead?",
            default: "the one named in the order, else none",
            forms: &["never", "[1111, 1211]"],
        },
        KindInfo {
            kind: COUNTER_AMBUSH,
            asked_of: BOTH,
            moment: Moment::Either,
            clause: Clause("A69"),
            text: "a counter-ambush costs a step: which guerrillas pay?",
            default: "the weakest in shock",
            forms: &[],
        },
    ];

    fn about_the_enemy(kind: Kind) -> bool {
        kind == CUBA_LIBRE
    }

    fn naming(kind: Kind, side: Side) -> Option<&'static str> {
        match (kind, side) {
            (AMBUSH, SPAIN) => Some("{others: never, units: {sp-1-tg: always}, hexes: {1102: min-drm 3}}"),
            (AMBUSH, US) => Some("{others: never, units: {cu-cb: always}, hexes: {1102: min-drm 3}}"),
            (SUPPORT, SPAIN) => Some("{with: [sp-cl-2, pool]}"),
            (SUPPORT, US) => Some("{with: [us-cl-2, pool]}"),
            (LOSSES | DISORDER, SPAIN) => Some("[sp-4-t, sp-c2]"),
            (LOSSES | DISORDER | FEVER, US) => Some("[us-71-ny, us-b2]"),
            (FEVER, SPAIN) => Some("[sp-4-t, sp-c2]"),
            (RETREAT, SPAIN) => Some("{sp-4-t: 1110, sp-1-ppr: 1209}"),
            (RETREAT, US) => Some("{us-6-inf: 1110, us-16-inf: 1209}"),
            (ADVANCE, SPAIN) => Some("[sp-4-t, sp-1-ppr]"),
            (ADVANCE, US) => Some("[us-6-inf, us-16-inf]"),
            (COUNTER_AMBUSH, US) => Some("[cu-r, cu-es]"),
            (COUNTER_AMBUSH, SPAIN) => Some("[sp-1-tg, sp-2-tg]"),
            _ => None,
        }
    }

    fn read(kind: Kind, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Policy> {
        let list = matches!(node, Node::List(_));
        let map = matches!(node, Node::Map(_));
        match kind {
            AMBUSH if map => AmbushPolicy::read(node, at, reader).map(Policy::Ambush),
            AMBUSH => AmbushRule::read(node, at, reader).map(|rule| {
                Policy::Ambush(AmbushPolicy { others: Some(rule), units: BTreeMap::new(), hexes: BTreeMap::new() })
            }),
            SUPPORT if map => SupportPolicy::read(node, at, reader).map(Policy::Support),
            SUPPORT => Ever::read(node, at, reader).map(Policy::Ever),
            TOCINEROS | MAINE | AM_HEX | NEXT_COMBAT if !list => Ever::read(node, at, reader).map(Policy::Ever),
            ADVANCE if !list => Ever::read(node, at, reader).map(Policy::Ever),
            RETREAT if map => BTreeMap::read(node, at, reader).map(Policy::Split),
            RETREAT | LEADER_GOES | TOCINEROS | MAINE | FRIENDLY_FIRE | FINISH_MOVE | AM_HEX | NEXT_COMBAT => {
                Vec::read(node, at, reader).map(Policy::Hexes)
            }
            _ => Vec::read(node, at, reader).map(Policy::Pieces),
        }
    }
}
