//! Order files: set-up, movement and combat, as a player writes them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::board::Hex;
use crate::{document, words, words_or};

use super::terms::UnitId;

document! {
    /// Set-up: the hex of every unit. A unit left out goes to its default hex.
    #[derive(Default)]
    pub struct SetupOrders {
        /// Unit and hex, one line each: `sp-nav-bn: 1309`.
        pub place: BTreeMap<UnitId, Hex>,
    }
}

document! {
    /// Units brought ashore from the off-map pool (§8.2).
    pub struct Landing {
        /// The units that land together.
        pub units: Vec<UnitId>,
        /// A beach hex empty of Spanish units.
        pub at: Hex,
    }
}

document! {
    /// One move of a unit or stack (§8.1).
    pub struct MoveOrder {
        /// The units that move together; all must stand in one hex.
        pub units: Vec<UnitId>,
        /// Every hex entered, in order.
        pub path: Vec<Hex>,
        /// Instead of a path: where to; the cheapest legal path is chosen and shown.
        pub to: Option<Hex>,
        /// Units left behind on the way, each with the hex of the path where it stops.
        pub leave: BTreeMap<UnitId, Hex>,
        /// For the Signals Detachment: its mode when this move is over.
        pub balloon: Option<Balloon>,
        /// Stop before a hex that is full when the stack comes to it, where the march ends or jungle may halt it (§5.3).
        pub stop_short: bool,
    }
}

words! {
    /// The mode of the Signals Detachment (§8.7f).
    pub enum Balloon {
        /// The balloon is up.
        Up = "up",
        /// On the ground, ready to move.
        Down = "down",
    }
}

words! {
    /// From which final odds column an attack is pressed home (§9.3g).
    pub enum PressIf {
        /// Whatever the odds.
        Always = "always",
        /// From the 1:1 column.
        Even = "1:1",
        /// From the 2:1 column.
        Two = "2:1",
        /// From the 3:1 column.
        Three = "3:1",
        /// From the 4:1 column.
        Four = "4:1",
        /// Only on the 5:1 column.
        Five = "5:1",
        /// Never: draw the fire and call the attack off.
        Never = "never",
    }
}

words_or! {
    /// Which units enter a vacated hex (§9.5a): all, none or a list.
    pub enum Advance {
        /// All that may, the strongest first, up to six.
        All = "all",
        /// None.
        None = "none";
        /// These.
        Units(Vec<UnitId>)
    }
}

/// Whether Roosevelt makes his all-out effort (§6.4a).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// Not in this packet.
    #[default]
    No,
    /// At once.
    Yes,
    /// With the first attack he leads home.
    IfAttack,
}

document! {
    /// One attack on an enemy hex (§9.1, §9.2a).
    pub struct BattleOrder {
        /// The enemy hex.
        pub target: Hex,
        /// The attacking units, all of one force and adjacent to the target.
        pub attackers: Vec<UnitId>,
        /// Instead of naming attackers: every unit in these hexes that may attack.
        pub from: Vec<Hex>,
        /// The odds column from which the attack is pressed home after defensive fire.
        pub press_if: Option<PressIf>,
        /// Whether the fleet supports the attack (§9.7).
        pub naval: Option<bool>,
        /// The firing hex of the fleet; the lowest-numbered in range if left out.
        pub naval_from: Option<Hex>,
        /// The order in which own units take losses in this battle.
        pub losses: Vec<UnitId>,
        /// Which units enter the hex if it is vacated: `all`, `none` or a list.
        pub advance: Option<Advance>,
    }
}

document! {
    /// A player turn, or one of its halves where movement and combat are ordered apart.
    #[derive(Default)]
    pub struct TurnOrders {
        /// US: where the Logistical Base lands, if it lands this turn (§10.3).
        pub base: Option<Hex>,
        /// US: landings, before anything moves (§8.2a).
        pub landings: Vec<Landing>,
        /// Spanish: where units of the Escario column enter; the rest enter at their default hex (§8.3).
        pub entry: BTreeMap<UnitId, Hex>,
        /// Moves, carried out in this order; Cuban ones before US ones (§2.1h).
        pub moves: Vec<MoveOrder>,
        /// US: Roosevelt's all-out effort, once in the game, for the whole turn (§6.4): `yes`, or `if-attack` to make it
        /// only when an attack he leads is pressed home.
        pub all_out_effort: Effort,
        /// Attacks, in the order they are fought; Cuban ones before US ones (§2.1i).
        pub battles: Vec<BattleOrder>,
        /// The order in which the attacks are pressed, by target; the order of `battles` if left out.
        pub shock_order: Vec<Hex>,
        /// More than six units in a hex are meant, at the price of §5.3: no warning.
        pub overstack: bool,
    }
}

impl BattleOrder {
    /// An attack without instructions.
    pub fn bare(target: Hex, attackers: Vec<UnitId>) -> BattleOrder {
        BattleOrder {
            target,
            attackers,
            from: Vec::new(),
            press_if: None,
            naval: None,
            naval_from: None,
            losses: Vec::new(),
            advance: None,
        }
    }

    /// The same attack by others, where the player decided so on the spot.
    pub fn fought_by(mut self, attackers: Vec<UnitId>) -> BattleOrder {
        if attackers != self.attackers
            && let Some(Advance::Units(units)) = &mut self.advance
        {
            units.retain(|id| attackers.contains(id));
        }
        BattleOrder { attackers, ..self }
    }
}

impl MoveOrder {
    /// The balloon goes up or comes down on the spot (§8.7f).
    pub fn only_balloon(&self) -> bool {
        self.balloon.is_some() && self.path.is_empty() && self.to.is_none()
    }
}

/// A packet of orders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Orders {
    /// Set-up.
    Setup(SetupOrders),
    /// A turn or half of one.
    Turn(TurnOrders),
}
