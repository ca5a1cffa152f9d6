//! The position: what stands where, and what the game remembers.

use std::collections::{BTreeMap, BTreeSet};

use schemars::json_schema;
use serde::{Serialize, Serializer};

use crate::board::{Hex, Roster};
use crate::engine::doc::{DocPath, FromDoc, Node, Reader};
use crate::engine::{Sealed, Side, Slot, Verdict};
use crate::{document, words, words_or};

use super::terms::{Cause, Crossing, Force, LossClass, Oos, Piece, Weather};
use super::{SPAIN, US};

words_or! {
    /// Where a counter is: a hex, `off`, `edge` or `lost`.
    #[derive(Copy, Default)]
    pub enum Place {
        /// Not in play: still to come, wounded, a regiment that is broken down, or a part of one that is whole.
        Off = "off",
        /// Due, and waiting at the map edge; it may fight from there (§9.0g).
        Edge = "edge",
        /// Out of the game.
        #[default]
        Lost = "lost";
        /// On the map.
        At(Hex) => hex
    }
}

/// Dice only Spain has seen, written as the name of their slot (§17.0.cervera-d).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretDice(pub Sealed<Vec<u16>>);

impl Serialize for SecretDice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl FromDoc for SecretDice {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        let text = reader.text(node, at, "the name of a slot")?;
        match Slot::parse(text) {
            Ok(slot) => Some(SecretDice(Sealed::new(SPAIN, slot))),
            Err(error) => {
                reader.fault(at, error.to_string(), "write the name of a slot: `ticket/1`");
                None
            }
        }
    }
}

crate::described!(SecretDice, _ => {
    json_schema!({ "type": "string", "description": "The name of the slot in which the dice lie" })
});

document! {
    /// One counter.
    #[derive(Copy, Default)]
    pub struct UnitState {
        /// Where it is.
        pub at: Place,
        /// Broken (§5.6).
        pub broken: bool,
        /// Out of supply (§10.0).
        pub oos: Option<Oos>,
        /// Out of Command (§11.0).
        pub ooc: bool,
        /// At the map edge: it fights from there in this player turn (§9.0g).
        pub engages: bool,
        /// Entered the map this turn, so it does not move in the Movement Phase (§9.0c).
        pub entered: bool,
        /// A Garrison Unit that is not free to move (§17.0.garrison-a).
        pub garrison: bool,
        /// The hex it is marked to assault (§13.0c).
        pub assaults: Option<Hex>,
        /// An Engineer: the hexside it is bridging this turn (§15.4d).
        pub bridging: Option<Crossing>,
        /// An Engineer that has built its bridge (§15.4b).
        pub bridged: bool,
        /// Scenario 3: may neither move nor attack before turn 2 (§16.3c).
        pub waits: bool,
    }
}

words! {
    /// Whose orders are due.
    #[derive(Default)]
    pub enum Stage {
        /// Spanish set-up.
        #[default]
        SpanishSetup = "spanish-setup",
        /// US set-up.
        UsSetup = "us-setup",
        /// The US player turn; up to the assault markers where steps are ordered apart.
        UsTurn = "us-turn",
        /// Spanish Defensive Fire, where steps are ordered apart.
        SpanishDefensiveFire = "spanish-defensive-fire",
        /// US Offensive Fire and assaults, where steps are ordered apart.
        UsCombat = "us-combat",
        /// The Spanish player turn, or its first step.
        SpanishTurn = "spanish-turn",
        /// US Defensive Fire.
        UsDefensiveFire = "us-defensive-fire",
        /// Spanish Offensive Fire and assaults.
        SpanishCombat = "spanish-combat",
        /// The game is over.
        Over = "over",
    }

    /// The levels of victory, best for Spain first (§17.0.victory-b to -f).
    pub enum Level {
        /// Spanish Strategic Victory.
        SpanishStrategic = "spanish-strategic",
        /// Spanish Political Victory.
        SpanishPolitical = "spanish-political",
        /// Draw.
        Draw = "draw",
        /// US Political Victory.
        UsPolitical = "us-political",
        /// US Strategic Victory.
        UsStrategic = "us-strategic",
    }

    /// How the game ended.
    pub enum Ending {
        /// A scenario is won by the US.
        UsWins = "us-wins",
        /// A scenario is won by Spain.
        SpainWins = "spain-wins",
        /// The campaign at this level.
        SpanishStrategic = "spanish-strategic",
        /// The campaign at this level.
        SpanishPolitical = "spanish-political",
        /// The campaign at this level.
        Draw = "draw",
        /// The campaign at this level.
        UsPolitical = "us-political",
        /// The campaign at this level.
        UsStrategic = "us-strategic",
    }
}

impl Stage {
    /// Who gives orders in it.
    pub fn side(self) -> Option<Side> {
        match self {
            Stage::SpanishSetup | Stage::SpanishTurn | Stage::SpanishDefensiveFire | Stage::SpanishCombat => {
                Some(SPAIN)
            }
            Stage::UsSetup | Stage::UsTurn | Stage::UsDefensiveFire | Stage::UsCombat => Some(US),
            Stage::Over => None,
        }
    }
}

impl Ending {
    /// The ending at a level of the campaign.
    pub fn at(level: Level) -> Ending {
        match level {
            Level::SpanishStrategic => Ending::SpanishStrategic,
            Level::SpanishPolitical => Ending::SpanishPolitical,
            Level::Draw => Ending::Draw,
            Level::UsPolitical => Ending::UsPolitical,
            Level::UsStrategic => Ending::UsStrategic,
        }
    }

    /// The victory line.
    pub fn verdict(self) -> Verdict {
        let (winner, text) = match self {
            Ending::UsWins => (Some(US), "The objectives are in American hands: the US wins."),
            Ending::SpainWins => (Some(SPAIN), "The attack has failed or has cost too much: Spain wins."),
            Ending::SpanishStrategic => (Some(SPAIN), "Santiago is Spanish: a Spanish strategic victory."),
            Ending::SpanishPolitical => (Some(SPAIN), "Madrid can bargain from strength: a Spanish political victory."),
            Ending::Draw => (None, "Neither side has what it came for: a draw."),
            Ending::UsPolitical => (Some(US), "Santiago must come to terms: a US political victory."),
            Ending::UsStrategic => (Some(US), "Santiago falls: a US strategic victory."),
        };
        Verdict { winner, text: text.to_owned() }
    }
}

document! {
    /// The position.
    #[derive(Default)]
    pub struct State {
        /// The game turn, from 1.
        pub turn: u32,
        /// Whose orders are due.
        pub stage: Stage,
        /// The weather of this turn; of the last one until it is rolled (§7.0).
        pub weather: Weather = always,
        /// Every counter of the scenario: regiments and their parts too.
        pub units: Roster<Piece, UnitState> = always,
        /// Entrenched hexes (§6.0m).
        pub entrenchments: BTreeSet<Hex>,
        /// Finished pontoon bridges (§15.4d).
        pub pontoons: BTreeSet<Crossing>,
        /// Forts, blockhouses, city and objective hexes last occupied by the US player (§17.0.victory-m).
        pub us_held: BTreeSet<Hex> = always,
        /// Steps lost, by class and cause (§17.0.victory-l).
        pub losses: BTreeMap<LossClass, BTreeMap<Cause, u32>>,
        /// The balloon is up (§15.1d).
        pub balloon_up: bool,
        /// Hexes fired on this game turn (§15.1m).
        pub fired_on: BTreeSet<Hex>,
        /// Wounded leaders and the turn they come back (§13.4d).
        pub wounded: BTreeMap<Piece, u32>,
        /// Chance of the last outbreak roll of each side, in percent (§8.0e).
        pub outbreak: BTreeMap<Force, u32>,
        /// The turn the fever broke out (§8.0g).
        pub fever: BTreeMap<Force, u32>,
        /// Units that could not pay their entry last turn, at the head of the queue (§9.0j).
        pub queue: Vec<Piece>,
        /// The part of the Rough Riders Roosevelt commands (§11.0i).
        pub roosevelt: Option<Piece>,
        /// The regiments Wood commands once Wheeler is dead (§11.0q).
        pub wood: Vec<Piece>,
        /// The sortie roll (§17.0.cervera-a).
        pub sortie: Option<SecretDice>,
        /// The fleet has sailed (§17.0.cervera-e).
        pub fleet_gone: bool,
        /// Garrison Movement Points (§17.0.garrison-e).
        pub gmp: u32,
        /// Escario's men have entered the city: no garrison restrictions any more (§17.0.garrison-f).
        pub garrison_free: bool,
        /// The ring around Santiago stood when this turn began (AMB-49).
        pub ring_stood: bool,
        /// It has stood all through this turn so far.
        pub ring_holds: bool,
        /// Full turns it has stood in a row (§17.0.auto-a).
        pub ring_turns: u32,
        /// The surrender number (§17.0.auto-d).
        pub surrender: Option<u32>,
        /// How the game ended.
        pub ending: Option<Ending>,
    }
}

impl State {
    /// A counter. One that is not in the scenario is out of play.
    pub fn unit(&self, id: Piece) -> UnitState {
        self.units.get(&id).copied().unwrap_or_default()
    }

    /// Where a counter is on the map.
    pub fn hex_of(&self, id: Piece) -> Option<Hex> {
        self.unit(id).at.hex()
    }

    /// July of 1898 (§2.0a).
    pub fn day(&self) -> u32 {
        day_of(self.turn)
    }

    /// Is it a morning turn (§2.0a)?
    pub fn is_morning(&self) -> bool {
        self.turn % 2 == 1
    }

    /// Steps of a class lost to the causes that count.
    pub fn lost(&self, class: LossClass, counts: impl Fn(Cause) -> bool) -> u32 {
        let lost = self.losses.get(&class);
        lost.into_iter().flatten().filter(|(cause, _)| counts(**cause)).map(|(_, steps)| *steps).sum()
    }
}

/// The day of July a turn falls on (§2.0a).
pub fn day_of(turn: u32) -> u32 {
    turn.div_ceil(2)
}

impl UnitState {
    /// Fresh, here.
    pub fn at(at: Place) -> UnitState {
        UnitState { at, ..UnitState::default() }
    }
}
