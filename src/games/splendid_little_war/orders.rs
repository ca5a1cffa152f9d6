//! Order files: set-up, player turns, Defensive Fire and combat, as a player writes them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::board::Hex;
use crate::{document, or_none, words, words_or};

use super::terms::{Odds, Piece};

document! {
    /// A set-up. Whatever is left out takes its default hex (D22).
    #[derive(Default)]
    pub struct SetupOrders {
        /// Counter and hex, one line each.
        pub place: BTreeMap<Piece, Hex>,
        /// Scenarios 1 to 3, Spain: hexes that begin entrenched; the default if left out (§16.1c).
        pub entrench: Option<Vec<Hex>>,
    }

    /// A stack of reinforcements (§9.0). Stacks enter in the order of the file.
    pub struct EnterOrder {
        /// Who enters, together.
        pub units: Vec<Piece>,
        /// Where, if not in the entry hex: a hex beside it, when the enemy holds it (§9.0f).
        pub at: Option<Hex>,
        /// Every hex entered after the first, in order.
        pub path: Vec<Hex>,
        /// Instead of a path: where to; the cheapest legal path is chosen and shown.
        pub to: Option<Hex>,
        /// They stay at the map edge, and fight from there if the enemy holds the entry hex (§9.0g).
        pub edge: bool,
    }

    /// One move (§12.0). Entries are carried out in the order of the file.
    pub struct MoveOrder {
        /// Who moves, together.
        pub units: Vec<Piece>,
        /// Every hex entered, in order.
        pub path: Vec<Hex>,
        /// Instead of a path: where to; the cheapest legal path is chosen and shown.
        pub to: Option<Hex>,
        /// The regiments named reform from their parts here, before they move (§5.3e).
        pub reform: bool,
        /// The regiments named break down where they are, or at the end of their path (§5.3e).
        pub break_down: bool,
    }

    /// One fire attack (§13.1): units of one hex that fire at one target are always together (§13.0i).
    pub struct FireOrder {
        /// The hex fired at; one's own for enemies who fight against it from the map edge (§9.0k).
        pub target: Hex,
        /// Who fires.
        pub units: Vec<Piece>,
        /// Those of them that fire indirectly (§13.1j).
        pub indirect: Vec<Piece>,
        /// Who spots for them: a leader, or the balloon's Base (§13.1k, §13.1l); D26 if left out.
        pub spotter: Option<Piece>,
        /// The hex fired at if nobody is left in the first.
        pub r#else: Option<Hex>,
    }

    /// One assault (§13.2).
    pub struct AssaultOrder {
        /// The hex assaulted.
        pub target: Hex,
        /// Who is marked to assault it (§13.0c). Left out in `combat`, where the markers lie already.
        pub units: Vec<Piece>,
        /// After one's own fever losses: called off below these odds (§8.0o).
        pub call_off_if: Option<Odds>,
        /// Who of one's own loses steps, first choice first (§13.1aj).
        pub losses: Vec<Piece>,
        /// Who advances into the hex if it is vacated, leaders too (§13.2s).
        pub advance: Option<Advance>,
    }

    /// A player turn; with `packets: steps` up to the assault markers.
    #[derive(Default)]
    pub struct TurnOrders {
        /// US: the part of the Rough Riders Roosevelt commands (§11.0i).
        pub roosevelt: Option<Piece>,
        /// US: the regiments Wood commands once Wheeler is dead (§11.0q).
        pub wood: Vec<Piece>,
        /// Leaders who come back this turn, and with whom (§13.4g).
        pub returns: BTreeMap<Piece, Piece>,
        /// Spain: Garrison Units set free for a roll (§17.0.garrison-e).
        pub release: Vec<Piece>,
        /// Reinforcements (§9.0).
        pub enter: Vec<EnterOrder>,
        /// Moves (§12.0).
        pub moves: Vec<MoveOrder>,
        /// Who entrenches (§6.0i).
        pub entrench: Vec<Piece>,
        /// US: Engineers and the hex across the river to which they build a pontoon bridge (§15.4c).
        pub pontoon: BTreeMap<Piece, Hex>,
        /// US: the balloon goes up or comes down (§15.1c).
        pub balloon: Option<Balloon>,
        /// Offensive Fire (§13.1); in `combat` with `packets: steps`.
        pub fire: Vec<FireOrder>,
        /// Assaults (§13.2): markers here.
        pub assaults: Vec<AssaultOrder>,
    }

    /// Defensive Fire, with `packets: steps` (§13.0e).
    #[derive(Default)]
    pub struct DefenceOrders {
        /// Who fires at what. Whoever is not named holds his fire; left out, the standing order serves (D1).
        pub fire: Option<Vec<FireOrder>>,
        /// US: Cuban units, and Garcia, that try to retire, and where to (§15.6c); left out, the standing order serves (D9).
        pub retire: Option<BTreeMap<Piece, Hex>>,
    }

    /// Offensive Fire and the assaults that are marked, with `packets: steps`.
    #[derive(Default)]
    pub struct CombatOrders {
        /// Offensive Fire (§13.1).
        pub fire: Vec<FireOrder>,
        /// Assaults in the order in which they are resolved; those not named follow by hex.
        pub assaults: Vec<AssaultOrder>,
    }
}

words! {
    /// What is done with the balloon (§15.1).
    pub enum Balloon {
        /// It goes up.
        Up = "up",
        /// It comes down.
        Down = "down",
    }
}

impl EnterOrder {
    /// These units wait.
    pub fn wait(units: Vec<Piece>) -> EnterOrder {
        EnterOrder { units, at: None, path: Vec::new(), to: None, edge: true }
    }
}

impl MoveOrder {
    /// These units to a hex.
    pub fn to(units: Vec<Piece>, to: Hex) -> MoveOrder {
        MoveOrder { units, path: Vec::new(), to: Some(to), reform: false, break_down: false }
    }

    /// These units break down where they are.
    pub fn break_down(units: Vec<Piece>) -> MoveOrder {
        MoveOrder { units, path: Vec::new(), to: None, reform: false, break_down: true }
    }

    /// These regiments reform where their parts are.
    pub fn reform(units: Vec<Piece>) -> MoveOrder {
        MoveOrder { units, path: Vec::new(), to: None, reform: true, break_down: false }
    }
}

impl FireOrder {
    /// These units, directly.
    pub fn at(target: Hex, units: Vec<Piece>) -> FireOrder {
        FireOrder { target, units, indirect: Vec::new(), spotter: None, r#else: None }
    }
}

impl AssaultOrder {
    /// These units.
    pub fn on(target: Hex, units: Vec<Piece>) -> AssaultOrder {
        AssaultOrder { target, units, call_off_if: None, losses: Vec::new(), advance: None }
    }
}

/// A packet of orders.
#[allow(clippy::large_enum_variant, reason = "one packet at a time is held")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Orders {
    /// A set-up.
    Setup(SetupOrders),
    /// A player turn or its first step.
    Turn(TurnOrders),
    /// Defensive Fire.
    Defence(DefenceOrders),
    /// Offensive Fire and assaults.
    Combat(CombatOrders),
}

words_or! {
    /// Who enters a vacated hex: `all`, `none` or a list of units.
    pub enum Advance {
        /// All that fit.
        All = "all" | "yes" | "true",
        /// Nobody.
        None = "none" | "no" | "false";
        /// These.
        Units(Vec<Piece>)
    }
}

or_none! {
    /// A hex, or no.
    pub struct Spot(Hex) or "none" | "no" | "stay";

    /// A unit to go with, or nobody.
    pub struct Companion(Piece) or "stay" | "none" | "no";
}
