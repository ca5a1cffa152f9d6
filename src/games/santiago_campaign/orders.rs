//! Order files: set-up, landings, moves and attacks, as a player writes them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::board::Hex;
use crate::engine::Concealed;
use crate::engine::doc::{DocPath, FromDoc, Node, Reader};
use crate::{document, words};

use super::terms::{CombatResult, HoldingBox, Odds, Piece, Token, UnitId};

document! {
    /// The Spanish set-up (§5.1). What lies where is hidden when the file is signed.
    #[derive(Default)]
    pub struct SpanishSetup {
        /// Hex and units in it, one line each: `2814: [sp-1-65, sp-6-4]`. A unit left out goes to its default hex.
        pub deploy: BTreeMap<Hex, Vec<Concealed<UnitId>>>,
        /// The Manzanillo units in the order they lie in their box.
        pub manzanillo: Vec<Concealed<UnitId>>,
        /// The Guantanamo units in the order they lie in their box.
        pub guantanamo: Vec<Concealed<UnitId>>,
        /// Boxes whose units lie face-up (§5.1c).
        pub face_up: Vec<HoldingBox>,
    }
}

words! {
    /// What becomes of the 1st Marine Battalion (§5.3b).
    pub enum Marines {
        /// It invades Guantanamo and is out of the game.
        Guantanamo = "guantanamo",
        /// It joins the draw pool.
        Pool = "pool",
    }
}

document! {
    /// Cuban deployment and the Marine decision (§5.2, §5.3).
    #[derive(Default)]
    pub struct UsSetup {
        /// Cuban unit and jungle hex, one line each. A unit left out is placed by rule.
        pub place: BTreeMap<UnitId, Hex>,
        /// The Marines: `guantanamo` or `pool`.
        pub marines: Option<Marines>,
    }
}

words! {
    /// Which drawn units an instruction is for.
    pub enum Class {
        /// Any unit.
        Any = "any",
        /// Infantry.
        Infantry = "infantry",
        /// Cavalry.
        Cavalry = "cavalry",
        /// Artillery.
        Artillery = "artillery",
        /// Engineers.
        Engineer = "engineer" | "engineers",
        /// The Gatling guns.
        Gatling = "gatling",
        /// The balloon.
        Balloon = "balloon",
    }
}

document! {
    /// How many units land at a site (§6.5a).
    pub struct Share {
        /// The beach.
        pub site: Hex,
        /// How many units.
        pub units: u32,
    }
}

document! {
    /// What a drawn unit does ashore (§6.2). The first instruction that fits and is legal is used, as often as it is.
    pub struct LandingOrder {
        /// Only this unit.
        pub unit: Option<UnitId>,
        /// Only units of this class.
        pub class: Option<Class>,
        /// Where it goes; the beach hex itself to stay there.
        pub to: Option<Hex>,
        /// Instead of `to`: every hex entered after the beach, in order.
        pub path: Vec<Hex>,
    }
}

words! {
    /// The mode of the balloon (§17.2).
    pub enum Balloon {
        /// In flight.
        Up = "up",
        /// In transit.
        Down = "down",
    }
}

document! {
    /// One move of one unit (§9.5).
    pub struct MoveOrder {
        /// The unit, or the Spanish counter.
        pub unit: Piece,
        /// Every hex entered, in order.
        pub path: Vec<Hex>,
        /// Instead of a path: where to; the cheapest legal path is chosen and shown.
        pub to: Option<Hex>,
        /// For the balloon: put it up, or bring it down before it moves.
        pub balloon: Option<Balloon>,
        /// Whether a beach entered on the way is opened as a supply source (§6.6).
        pub open: Option<bool>,
    }
}

/// A result an attack can wait for.
pub type Awaited = CombatResult;

impl FromDoc for CombatResult {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        const ALL: [CombatResult; 4] =
            [CombatResult::Stalled, CombatResult::Eliminated, CombatResult::Bloodbath, CombatResult::Retreat];
        let text = reader.text(node, at, "`AS`, `DE`, `BB` or `DR`")?;
        let found = ALL.into_iter().find(|result| result.as_str().eq_ignore_ascii_case(text));
        if found.is_none() {
            reader.fault(at, format!("`{text}` is no result of combat"), "write `AS`, `DE`, `BB` or `DR`");
        }
        found
    }
}

impl schemars::JsonSchema for CombatResult {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CombatResult".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "enum": ["AS", "DE", "BB", "DR"] })
    }
}

impl FromDoc for Odds {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        let text = reader.text(node, at, "odds such as `2:1`")?;
        let odds = Odds::parse(text);
        if odds.is_none() {
            reader.fault(at, format!("`{text}` is no odds"), "write odds such as `2:1` or `1:2`");
        }
        odds
    }
}

impl schemars::JsonSchema for Odds {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Odds".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^([0-9]+:1|1:[0-9]+)$" })
    }
}

document! {
    /// Attack only if an earlier attack of this list came out so.
    pub struct After {
        /// The earlier attack, by the hex it was made on.
        pub attack: Hex,
        /// The results that let this one go on.
        pub gave: Vec<Awaited>,
    }
}

document! {
    /// One attack on one hex (§11.1, §11.2).
    pub struct AttackOrder {
        /// The enemy hex.
        pub target: Hex,
        /// The attackers: adjacent ones, and artillery in range.
        pub attackers: Vec<Piece>,
        /// Only after such a result of an earlier attack.
        pub after: Option<After>,
        /// Only if this hex is empty of enemies by then.
        pub if_vacant: Option<Hex>,
        /// Only if the odds, shifts included, are sure to be this high by what you can see: `2:1`.
        pub min_odds: Option<Odds>,
        /// Go on with whoever still can if some attackers no longer can.
        pub go_on: bool,
        /// Whom a bloodbath takes, in this order (§11.14h).
        pub losses: Vec<Piece>,
        /// Who advances, in this order (§11.17).
        pub advance: Vec<Piece>,
        /// Whether a beach taken by the advance is opened as a supply source (§6.6).
        pub open: Option<bool>,
    }
}

impl AttackOrder {
    /// An attack without conditions or wishes.
    pub fn plain(target: Hex, attackers: Vec<Piece>) -> AttackOrder {
        AttackOrder {
            target,
            attackers,
            after: None,
            if_vacant: None,
            min_odds: None,
            go_on: false,
            losses: Vec::new(),
            advance: Vec::new(),
            open: None,
        }
    }
}

document! {
    /// A player turn, or one of its halves where movement and combat are ordered apart.
    #[derive(Default)]
    pub struct TurnOrders {
        /// US, turn 2 and after: how many units land where, in this order (§6.5a).
        pub split: Vec<Share>,
        /// US: instructions for drawn units, by landing site (§6.2).
        pub landings: BTreeMap<Hex, Vec<LandingOrder>>,
        /// Spanish, after the Guantanamo roll: which counters are released, first choice first (§23.1c).
        pub release: Option<Concealed<Vec<Token>>>,
        /// Moves, carried out in this order (§9.5).
        pub moves: Vec<Concealed<MoveOrder>>,
        /// Attacks, carried out in this order (§11.1c).
        pub attacks: Vec<Concealed<AttackOrder>>,
        /// Give up the game (§3.3c).
        pub capitulate: bool,
    }
}

/// A packet of orders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Orders {
    /// Spanish set-up.
    SpanishSetup(SpanishSetup),
    /// Cuban deployment.
    UsSetup(UsSetup),
    /// A turn or half of one.
    Turn(TurnOrders),
}
