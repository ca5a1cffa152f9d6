//! Order files: set-up, reorganization, landings, moves and combats, as a player writes them.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::board::Hex;
use crate::engine::Concealed;
use crate::engine::doc::{DocPath, FromDoc, Node, Reader};
use crate::{document, or_none, words, words_or};

use super::terms::{Content, EventName, Member, Mode, Piece};

document! {
    /// A set-up (§3). Whatever is left out takes its default hex.
    #[derive(Default)]
    pub struct SetupOrders {
        /// Unit and hex, one line each.
        pub place: BTreeMap<Piece, Hex>,
        /// Guerrilla units and their mode (§3s, A42b).
        pub modes: BTreeMap<Piece, Mode>,
        /// Units set up in parts (§3g, A73).
        pub detach: Vec<SetupDetachment>,
        /// Hexes of logistic columns (§3f).
        pub logistics: Vec<Hex>,
        /// How many more lie under columns, each for a supply point (A49, A89). The check fills it in.
        pub covered: Option<u32>,
        /// Columns and dummies; they get their public names in this order (A92).
        pub columns: Vec<ColumnOrder>,
    }

    /// A battalion or battery that is set up in parts.
    pub struct SetupDetachment {
        /// The battalion or battery.
        pub unit: Piece,
        /// Where its detachment stands; two hexes for a battery. What lies under a column is left out.
        pub at: Vec<Hex>,
    }

    /// A column or brigade counter that is put on the map.
    pub struct ColumnOrder {
        /// Its hex.
        pub at: Hex,
        /// Its units in the order in which they take losses, or `dummy`.
        pub holds: Concealed<Content>,
        /// In guerrilla or in regular order (A101); regular if left out.
        pub mode: Option<Mode>,
    }

    /// A logistic column to be made (§14.5.2).
    pub struct LogisticsOrder {
        /// Where.
        pub at: Hex,
        /// Its counter; the first free one if left out.
        pub unit: Option<Piece>,
        /// Only after one of these events.
        pub if_event: Vec<EventName>,
        /// Only if this piece is out of supply.
        pub if_oos: Option<Piece>,
    }

    /// A detachment to be made (§13).
    pub struct DetachOrder {
        /// The battalion or battery.
        pub unit: Piece,
        /// The counters of its detachments; the first free ones if left out.
        pub into: Vec<Piece>,
        /// Only after one of these events.
        pub if_event: Vec<EventName>,
        /// Only if this piece is out of supply.
        pub if_oos: Option<Piece>,
    }

    /// How guerrillas are deployed from now on (§11.1, 2g).
    pub struct ModeOrder {
        /// The unit or column.
        pub unit: Piece,
        /// In guerrilla or in regular order.
        pub mode: Mode,
        /// Only after one of these events.
        pub if_event: Vec<EventName>,
        /// Only if this piece is out of supply.
        pub if_oos: Option<Piece>,
    }

    /// A unit that comes out from under a counter.
    #[derive(Copy)]
    pub struct LeaveOrder {
        /// The unit with its steps.
        pub unit: Member,
        /// Its hex.
        pub at: Hex,
    }

    /// The reorganization of A.3.
    #[derive(Default)]
    pub struct Reorganize {
        /// Logistic columns to be made.
        pub logistics: Vec<LogisticsOrder>,
        /// Detachments to be made.
        pub detach: Vec<DetachOrder>,
        /// New counters and where they are put.
        pub form: BTreeMap<Piece, Hex>,
        /// What the counters hold from now on. If any is named, all of the player's are.
        pub columns: BTreeMap<Piece, Concealed<Content>>,
        /// Units on the open map that go under a counter of their hex.
        pub join: Vec<Piece>,
        /// Units that come out from under a counter into the open.
        pub leave: Vec<LeaveOrder>,
        /// Counters that come off the map; their units stay in their hex.
        pub dissolve: Vec<Piece>,
        /// Modes of guerrillas.
        pub modes: Vec<ModeOrder>,
    }

    /// Units put ashore, or entering over the edge, in one hex.
    pub struct ArrivalOrder {
        /// Where.
        pub at: Hex,
        /// Units that come openly.
        pub units: Vec<Piece>,
        /// A counter with these units, or a dummy.
        pub holds: Option<Concealed<Content>>,
        /// The Logistics Base (§10.2e).
        pub base: bool,
    }

    /// One march (§8.1).
    pub struct MoveOrder {
        /// Who marches, together.
        pub units: Vec<Piece>,
        /// Every hex entered, in order.
        pub path: Vec<Hex>,
        /// Instead of a path: where to; the cheapest legal path is chosen and shown.
        pub to: Option<Hex>,
        /// Units left behind on the way, and where (A77).
        pub drop: BTreeMap<Piece, Hex>,
        /// For the Signals Detachment: up at the end of its move, though it be up before it; or down before it (§14.8d, A53a).
        pub balloon: Option<Balloon>,
        /// The closed counters that march are no dummies (A07, A16).
        pub real: bool,
        /// A closed counter that marches past enemies in guerrilla has a logistic column (§11.3.2a, A104).
        pub logistic: bool,
    }

    /// One combat (§9): exactly one of `attack`, `bombard` and `naval`.
    #[derive(Default)]
    pub struct CombatOrder {
        /// The hex that is attacked.
        pub attack: Option<Hex>,
        /// The hex that guns bombard (§9.6c).
        pub bombard: Option<Hex>,
        /// The hex the fleet fires at (§9.7).
        pub naval: Option<Hex>,
        /// Who attacks or fires.
        pub by: Vec<Piece>,
        /// A supply point from the pool, or the logistic column that gives it (§14.4.5).
        pub support: Option<Support>,
        /// Which units lose steps, first choice first (A26).
        pub losses: Vec<Piece>,
        /// Who enters the vacated hex (§9.4a).
        pub advance: Option<Advance>,
        /// Remember the Maine (§7.2.51a).
        pub maine: bool,
        /// The hex to attack if nobody is left in the first.
        pub instead: Option<Hex>,
    }

    /// A player turn, or one of its halves where movement and combat are ordered apart.
    #[derive(Default)]
    pub struct TurnOrders {
        /// US: reorganization of this turn (A.3).
        pub reorganize: Option<Reorganize>,
        /// US: landings (§8.2).
        pub land: Vec<ArrivalOrder>,
        /// Spain: Escario's entry (§8.3).
        pub enter: Vec<ArrivalOrder>,
        /// Marches, carried out in this order, Cubans first.
        pub moves: Vec<Concealed<MoveOrder>>,
        /// Hexes with closed counters that are overstacked already and that nobody is sent into (A105). The check fills it in.
        pub overfull: Vec<Hex>,
        /// Combats, carried out in this order, Cubans first.
        pub combat: Vec<CombatOrder>,
        /// Spain: reorganization of the next turn (A.3), hidden until then (A96).
        pub next: Option<Concealed<Reorganize>>,
    }
}

words! {
    /// What is done with the balloon (§14.8).
    pub enum Balloon {
        /// It goes up.
        Up = "up",
        /// It comes down.
        Down = "down",
    }
}

impl ArrivalOrder {
    /// These units in the open.
    pub fn open(at: Hex, units: Vec<Piece>) -> ArrivalOrder {
        ArrivalOrder { at, units, holds: None, base: false }
    }

    /// A counter with this content.
    pub fn closed(at: Hex, holds: Content) -> ArrivalOrder {
        ArrivalOrder { at, units: Vec::new(), holds: Some(Concealed::Open(holds)), base: false }
    }
}

impl MoveOrder {
    /// These units to a hex.
    pub fn to(units: Vec<Piece>, to: Hex) -> MoveOrder {
        let (path, drop) = (Vec::new(), BTreeMap::new());
        MoveOrder { units, path, to: Some(to), drop, balloon: None, real: false, logistic: false }
    }

    /// Is a piece still with the march when it enters the hex of this number on its way, or left behind before (A77)?
    pub fn is_led(&self, piece: Piece, number: usize) -> bool {
        let before = self.path.get(..number).unwrap_or(&self.path);
        self.drop.get(&piece).is_none_or(|at| !before.contains(at))
    }

    /// These units along a path.
    pub fn along(units: Vec<Piece>, path: Vec<Hex>) -> MoveOrder {
        MoveOrder { path, to: None, ..MoveOrder::to(units, Hex::printed(101)) }
    }
}

/// A packet of orders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant, reason = "one packet at a time is held")]
pub enum Orders {
    /// A set-up.
    Setup(SetupOrders),
    /// A player turn or half of one.
    Turn(TurnOrders),
}

words_or! {
    /// How a combat is supported (§14.4.5, A82): `pool`, the name of a logistic column, `no`, or for Spain `answer`: only if
    /// the US player spends a point.
    #[derive(Copy)]
    pub enum Support {
        /// Not at all.
        No = "no" | "false" | "none",
        /// From the pool.
        Pool = "pool" | "yes" | "true",
        /// Spain: in the first way there is, if the US player spends a point (§14.4.5a).
        Answer = "answer";
        /// By a logistic column.
        Column(Piece)
    }

    /// Who enters a vacated hex: `all`, `none` or a list of units.
    pub enum Advance {
        /// Everybody who may.
        All = "all",
        /// Nobody.
        None = "none" | "no";
        /// These.
        Units(Vec<Piece>)
    }
}

impl Support {
    /// May a logistic column give it: one that is named, or whichever there is?
    pub fn may_come_by_train(self) -> bool {
        matches!(self, Support::Column(_) | Support::Answer)
    }
}

or_none! {
    /// A hex, or none.
    pub struct Spot(Hex) or "none" | "no";
}

/// Where a defeated stack goes: together, or each unit by name (A30f).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Going {
    /// All to one hex.
    All(Hex),
    /// Each to its own.
    Split(BTreeMap<Piece, Hex>),
}

impl Serialize for Going {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Going::All(hex) => hex.serialize(serializer),
            Going::Split(each) => each.serialize(serializer),
        }
    }
}

impl FromDoc for Going {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        match node.as_map() {
            Some(_) => BTreeMap::read(node, at, reader).map(Going::Split),
            None => Hex::read(node, at, reader).map(Going::All),
        }
    }
}
