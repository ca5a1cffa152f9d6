//! Questions a player can settle beforehand: policies for his own turn, standing orders for the opponent's.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::board::Hex;
use crate::engine::doc::{DocPath, FromDoc, Node, Reader};
use crate::engine::{self, Clause, Ever, Kind, KindInfo, Moment, Side};
use crate::{document, words};

use super::terms::{Odds, Piece};
use super::{SPAIN, US};

/// Who gives Defensive Fire, and at what (D1).
pub const DEFENSIVE_FIRE: Kind = Kind("defensive-fire");
/// Which Cubans try to retire, and where to (D9).
pub const FIRE_AND_RETIRE: Kind = Kind("fire-and-retire");
/// Who loses steps (D2).
pub const LOSSES: Kind = Kind("losses");
/// Which part of a regiment is lost (D3, D17).
pub const BREAKDOWN_LOSS: Kind = Kind("breakdown-loss");
/// The path of a retreat (D4).
pub const RETREAT: Kind = Kind("retreat");
/// Whether a unit Broken in a fort stays (D5).
pub const STAND_IN_FORT: Kind = Kind("stand-in-fort");
/// The path of a leader who is overrun (D6).
pub const LEADER_RETREAT: Kind = Kind("leader-retreat");
/// With whom a leader goes (D27).
pub const LEADER_GOES: Kind = Kind("leader-goes");
/// Whether an assault is called off after one's own fever rolls (D7).
pub const FEVER_CANCEL: Kind = Kind("fever-cancel");
/// Who advances (D8).
pub const ADVANCE: Kind = Kind("advance");
/// Who moves into a hex Cubans have left (D10).
pub const OCCUPY: Kind = Kind("occupy");
/// What is fired at instead of an empty hex (D11).
pub const NEXT_COMBAT: Kind = Kind("next-combat");
/// Who is above the stacking limit (D12).
pub const OVERSTACK: Kind = Kind("overstack");
/// Where a unit Out of Command leaves an enemy zone to (D19).
pub const LEAVE_ZONE: Kind = Kind("leave-zone");
/// Which companies fall out on Escario's march (D14).
pub const ESCARIO_LOSSES: Kind = Kind("escario-losses");
/// Whether Cervera tries to resist the order to sail (D15).
pub const RESIST: Kind = Kind("resist");

words! {
    /// When units with a "?" fire (D1).
    pub enum VariableFire {
        /// Only at a stack that assaults their own hex.
        Assaulted = "assaulted",
        /// Always.
        Always = "always",
        /// Never.
        Never = "never",
    }
}

document! {
    /// A standing order for Defensive Fire. What it does not say is as in D1.
    #[derive(Default)]
    pub struct DefencePolicy {
        /// Units that hold their fire.
        pub hold: Vec<Piece>,
        /// Hexes in which everybody holds his fire.
        pub hold_in: Vec<Hex>,
        /// Targets of a unit in order of preference; the first legal one is taken.
        pub targets: BTreeMap<Piece, Vec<Hex>>,
        /// When "?" units fire; only at a stack that assaults their own hex if left out.
        pub variable: Option<VariableFire>,
        /// Guns without a line of sight fire indirectly.
        pub indirect: bool,
        /// Every hex fires an attack of its own (AMB-09).
        pub apart: bool,
    }

    /// A standing order for Fire and Retire.
    pub struct RetirePolicy {
        /// Only these units; all if left out.
        pub units: Vec<Piece>,
        /// Hexes in order of preference.
        pub to: Vec<Hex>,
        /// Also units that no assault marker threatens.
        pub always: bool,
    }
}

/// What a player can lay down for one kind of question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Policy {
    /// Always or never.
    Ever(Ever),
    /// For Defensive Fire.
    Defence(DefencePolicy),
    /// For Fire and Retire.
    Retire(RetirePolicy),
    /// Called off below these odds.
    Below(Odds),
    /// Hexes in order of preference.
    Hexes(Vec<Hex>),
    /// Pieces in order of preference.
    Pieces(Vec<Piece>),
}

const BOTH: &[Side] = &[SPAIN, US];

impl engine::Policy for Policy {
    const KINDS: &'static [KindInfo] = &[
        KindInfo {
            kind: DEFENSIVE_FIRE,
            asked_of: BOTH,
            moment: Moment::OpponentsTurn,
            clause: Clause("13.1g"),
            text: "Defensive Fire: who fires at what?",
            default: "everybody fires: at an adjacent assaulter, else the nearest target, else the hex with most steps; \
                      \"?\" units only at a stack that assaults their own hex; no indirect fire",
            forms: &["never", "always"],
        },
        KindInfo {
            kind: FIRE_AND_RETIRE,
            asked_of: &[US],
            moment: Moment::OpponentsTurn,
            clause: Clause("15.6c"),
            text: "Fire and Retire: does the Cuban unit try, and where does it go?",
            default: "only if its hex is assaulted; to the hex farthest from the nearest Spaniards",
            forms: &["never", "always", "{units: [cu-gue-01], to: [2310, 2311], always: yes}"],
        },
        KindInfo {
            kind: LOSSES,
            asked_of: BOTH,
            moment: Moment::Either,
            clause: Clause("13.1aj"),
            text: "steps are lost in a hex: by whom?",
            default: "Broken first, parts before whole regiments, lowest CF, guns last",
            forms: &[],
        },
        KindInfo {
            kind: BREAKDOWN_LOSS,
            asked_of: &[US],
            moment: Moment::Either,
            clause: Clause("5.3j"),
            text: "a regiment breaks down for losses: which part is lost?",
            default: "the last in order",
            forms: &["[us-inf-07-a]"],
        },
        KindInfo {
            kind: RETREAT,
            asked_of: BOTH,
            moment: Moment::Either,
            clause: Clause("13.3a"),
            text: "a unit must retreat two hexes: which way?",
            default: "to the hex with the fewest enemies beside it, nearest its own source of supply",
            forms: &["[1510, 1511]"],
        },
        KindInfo {
            kind: STAND_IN_FORT,
            asked_of: BOTH,
            moment: Moment::Either,
            clause: Clause("13.3f"),
            text: "a unit is Broken in a fort: does it stay?",
            default: "it stays",
            forms: &["always", "never"],
        },
        KindInfo {
            kind: LEADER_RETREAT,
            asked_of: BOTH,
            moment: Moment::Either,
            clause: Clause("13.4i"),
            text: "a lone leader escapes three hexes: which way?",
            default: "to friends, else as a unit would retreat",
            forms: &["[1510, 1511]"],
        },
        KindInfo {
            kind: LEADER_GOES,
            asked_of: BOTH,
            moment: Moment::Either,
            clause: Clause("13.2v"),
            text: "units of a leader's hex retreat or advance: does he go with one of them?",
            default: "retreat: with the first, if no sound unit stays; advance: if all of them go",
            forms: &["always", "never"],
        },
        KindInfo {
            kind: FEVER_CANCEL,
            asked_of: BOTH,
            moment: Moment::OwnTurn,
            clause: Clause("8.0o"),
            text: "fever has struck the attackers: is the assault called off?",
            default: "below the odds of `call-off-if`; without them it goes on",
            forms: &["always", "never", "\"2:1\""],
        },
        KindInfo {
            kind: ADVANCE,
            asked_of: BOTH,
            moment: Moment::OwnTurn,
            clause: Clause("13.2s"),
            text: "the assaulted hex is empty: who advances?",
            default: "all that fit, highest CF first",
            forms: &["always", "never"],
        },
        KindInfo {
            kind: OCCUPY,
            asked_of: &[SPAIN],
            moment: Moment::Either, // in steps within the US packet
            clause: Clause("15.6g"),
            text: "Cubans have left a hex: who moves in?",
            default: "those marked to assault it",
            forms: &["always", "never", "[sp-alcan-01]"],
        },
        KindInfo {
            kind: NEXT_COMBAT,
            asked_of: BOTH,
            moment: Moment::Either, // in Defensive Fire too
            clause: Clause("13.0k"),
            text: "nobody is left in the hex that was to be fired at: is another one fired at instead?",
            default: "the one named in the order, else none",
            forms: &["never", "[1521, 1418]"],
        },
        KindInfo {
            kind: OVERSTACK,
            asked_of: BOTH,
            moment: Moment::Either,
            clause: Clause("5.4m"),
            text: "a hex holds too many: who is eliminated?",
            default: "as with losses",
            forms: &[],
        },
        KindInfo {
            kind: LEAVE_ZONE,
            asked_of: BOTH,
            moment: Moment::OwnTurn,
            clause: Clause("11.0ah"),
            text: "a unit Out of Command must leave an enemy zone: where to?",
            default: "the hex nearest a leader who may command it",
            forms: &["[1510, 1511]"],
        },
        KindInfo {
            kind: ESCARIO_LOSSES,
            asked_of: &[SPAIN],
            moment: Moment::OpponentsTurn,
            clause: Clause("17.0.escario-c"),
            text: "a formation of the Escario column loses companies on the march: which?",
            default: "the highest numbers",
            forms: &["[sp-ilc-12, sp-ilc-11]"],
        },
        KindInfo {
            kind: RESIST,
            asked_of: &[SPAIN],
            moment: Moment::OpponentsTurn,
            clause: Clause("17.0.cervera-f"),
            text: "the order to sail: does Cervera try to resist it?",
            default: "he does",
            forms: &["always", "never"],
        },
    ];

    fn naming(kind: Kind, side: Side) -> Option<&'static str> {
        match (kind, side) {
            (DEFENSIVE_FIRE, SPAIN) => Some(
                "{hold: [sp-tal-01], hold-in: [1516], targets: {sp-art-61-6ha: [1126, 1226]}, variable: always, indirect: yes, apart: yes}",
            ),
            (DEFENSIVE_FIRE, US) => Some(
                "{hold: [us-inf-07], hold-in: [1221], targets: {us-art-e1: [1516, 1618]}, indirect: yes, apart: yes}",
            ),
            (LOSSES | OVERSTACK, SPAIN) => Some("[sp-tal-04, sp-tal-05]"),
            (LOSSES | OVERSTACK, US) => Some("[us-inf-07-a, us-vol-71ny]"),
            (LEADER_GOES | ADVANCE, SPAIN) => Some("[sp-tal-04, sp-tal-05]"),
            (LEADER_GOES | ADVANCE, US) => Some("[us-inf-07, us-inf-12]"),
            _ => None,
        }
    }

    fn read(kind: Kind, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Policy> {
        let list = matches!(node, Node::List(_));
        let map = matches!(node, Node::Map(_));
        match kind {
            DEFENSIVE_FIRE if map => DefencePolicy::read(node, at, reader).map(Policy::Defence),
            FIRE_AND_RETIRE if map => RetirePolicy::read(node, at, reader).map(Policy::Retire),
            FEVER_CANCEL if node.as_text().is_some_and(|text| text.contains(':')) => {
                Odds::read(node, at, reader).map(Policy::Below)
            }
            RETREAT | LEADER_RETREAT | LEAVE_ZONE => Vec::read(node, at, reader).map(Policy::Hexes),
            NEXT_COMBAT if list => Vec::read(node, at, reader).map(Policy::Hexes),
            LOSSES | BREAKDOWN_LOSS | OVERSTACK | ESCARIO_LOSSES => Vec::read(node, at, reader).map(Policy::Pieces),
            LEADER_GOES | ADVANCE | OCCUPY if list => Vec::read(node, at, reader).map(Policy::Pieces),
            _ => Ever::read(node, at, reader).map(Policy::Ever),
        }
    }
}
