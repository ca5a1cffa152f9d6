//! The position: what lies where, and what the game remembers.

use std::collections::{BTreeMap, BTreeSet};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use crate::board::{Hex, Roster};
use crate::engine::doc::{DocPath, FromDoc, Node, Reader};
use crate::engine::{Sealed, Side, Slot, Verdict};
use crate::{document, words, words_or};

use super::data::{Data, Unit};
use super::orders::Reorganize;
use super::terms::{Content, EventName, Force, Mode, Piece, Setup, UnitKind};
use super::{SPAIN, US};

words_or! {
    /// Where a counter is, as far as everybody can see: a hex, `off` or `lost`.
    #[derive(Copy, Default)]
    pub enum Place {
        /// Not on the open map: at sea, still to come, or under a closed counter.
        Off = "off",
        /// Out of the game.
        #[default]
        Lost = "lost";
        /// On the map.
        At(Hex) => hex
    }
}

/// Something that lies face down, written as the name of its slot. Slots of Spain begin with `sp-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lying<T>(pub Sealed<T>);

impl<T> Lying<T> {
    /// What lies in the slot.
    pub fn slot(&self) -> &Slot {
        self.0.slot()
    }
}

impl<T> Serialize for Lying<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<T> FromDoc for Lying<T> {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        let text = reader.text(node, at, "the name of a slot")?;
        match Slot::parse(text) {
            Ok(slot) => Some(Lying(Sealed::new(if text.starts_with("sp-") { SPAIN } else { US }, slot))),
            Err(error) => {
                reader.fault(at, error.to_string(), "write the name of a slot");
                None
            }
        }
    }
}

impl<T> JsonSchema for Lying<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Lying".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "description": "The name of the slot in which it lies face down" })
    }
}

document! {
    /// One unit.
    #[derive(Copy, Default)]
    pub struct UnitState {
        /// Where it is.
        pub at: Place,
        /// Steps left.
        pub steps: u8,
        /// Disorganized (§9.5).
        pub ds: bool,
        /// Out of supply (§10.3).
        pub oos: bool,
        /// Landed this turn (§8.2).
        pub landed: bool,
        /// Stopped by an ambush for the rest of the turn (§11.3g).
        pub stopped: bool,
        /// How a guerrilla unit is deployed (§11.1a).
        pub mode: Option<Mode>,
    }

    /// A loss under a closed counter.
    #[derive(Copy)]
    pub struct Wound {
        /// Its steps.
        pub steps: u8,
        /// By fever, which passes over the exempt (§12d).
        pub fever: bool,
    }

    /// A closed column or brigade counter on the map (§14.6).
    pub struct CounterState {
        /// Whose it is.
        pub force: Force,
        /// Where it is.
        pub at: Hex,
        /// What lies under it.
        pub holds: Lying<Content>,
        /// What it has lost since that was laid down, loss by loss (A10).
        pub wounds: Vec<Wound>,
        /// Disorganized members.
        pub ds: u8,
        /// Out of supply (A102).
        pub oos: bool,
        /// Landed this turn.
        pub landed: bool,
        /// Stopped by an ambush for the rest of the turn.
        pub stopped: bool,
        /// Announced in guerrilla or in regular order (A101).
        pub mode: Option<Mode>,
        /// Known to be no dummy (A60b).
        pub real: bool,
        /// The steps its owner had to tell (§14.8f).
        pub told: Option<u32>,
        /// The turn on which something was last learned of it.
        pub since: Option<u32>,
    }
}

words! {
    /// Whose orders are due.
    #[derive(Default)]
    pub enum Stage {
        /// Spanish set-up.
        #[default]
        SpanishSetup = "spanish-setup",
        /// Cuban set-up.
        CubanSetup = "cuban-setup",
        /// The US player turn with A.3, or its movement where phases are ordered apart.
        UsTurn = "us-turn",
        /// US combat, where phases are ordered apart.
        UsCombat = "us-combat",
        /// The Spanish player turn, or its movement.
        SpanishTurn = "spanish-turn",
        /// Spanish combat, where phases are ordered apart.
        SpanishCombat = "spanish-combat",
        /// The game is over.
        Over = "over",
    }

    /// How the game ended.
    pub enum Ending {
        /// The Spanish surrender (§4.1i).
        Surrender = "surrender",
        /// The US forces withdraw (§4.2d).
        Withdrawal = "withdrawal",
        /// The Logistics Base is taken (§4.3).
        BaseTaken = "base-taken",
        /// Santiago holds out (§4.1k).
        SantiagoHolds = "santiago-holds",
        /// Santiago has fallen without a surrender (A06).
        Drawn = "drawn",
    }
}

impl Stage {
    /// Who gives orders in it.
    pub fn side(self) -> Option<Side> {
        match self {
            Stage::SpanishSetup | Stage::SpanishTurn | Stage::SpanishCombat => Some(SPAIN),
            Stage::CubanSetup | Stage::UsTurn | Stage::UsCombat => Some(US),
            Stage::Over => None,
        }
    }
}

impl Ending {
    /// The victory line.
    pub fn verdict(self) -> Verdict {
        let (winner, text) = match self {
            Ending::Surrender => (Some(US), "General Toral surrenders the province of Santiago: a US victory."),
            Ending::Withdrawal => (Some(SPAIN), "Congress calls the expedition home: a Spanish victory."),
            Ending::BaseTaken => (Some(SPAIN), "The Logistics Base is in Spanish hands: a Spanish victory."),
            Ending::SantiagoHolds => (Some(SPAIN), "The campaign is over and Santiago holds out: a Spanish victory."),
            Ending::Drawn => (None, "Santiago has fallen, but the Spanish have not surrendered: a draw."),
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
        /// Every unit.
        pub units: Roster<Piece, UnitState> = always,
        /// Closed columns and brigades on the map.
        pub counters: Roster<Piece, CounterState> = always,
        /// How many counters each force has put on the map so far: their numbers (A92).
        pub numbered: BTreeMap<Force, u32>,
        /// Dummies each force has lost.
        pub dummies_lost: BTreeMap<Force, u32>,
        /// The Logistics Base.
        pub base: Option<Hex>,
        /// The balloon is up (§14.8).
        pub balloon_up: bool,
        /// Hexes under US control (A07); all others are Spanish.
        pub us_control: BTreeSet<Hex> = always,
        /// US Army steps lost (§4.2b).
        pub us_steps_lost: u32 = always,
        /// Supply points (§14.4).
        pub supply_points: BTreeMap<Force, u32> = always,
        /// The event rolled this turn.
        pub event: Option<EventName>,
        /// Events in force this turn (A68).
        pub in_force: BTreeSet<EventName>,
        /// Events that happen once and have happened.
        pub used: BTreeSet<EventName>,
        /// M and So are released (§7.2.34a).
        pub released: bool,
        /// The turn Escario arrives (A22).
        pub escario: u32 = always,
        /// He has arrived.
        pub arrived: bool,
        /// A las Jarcias: the Spanish fleet has left (§4.1f).
        pub jarcias: bool,
        /// Hexes that the player in his turn has attacked (§9.1e, A24).
        pub attacked: BTreeSet<Hex>,
        /// Fleets that have fired this turn (§9.7f).
        pub fired: BTreeSet<Force>,
        /// The Spanish reorganization that waits for its phase (A96).
        pub next: Option<Lying<Reorganize>>,
        /// How the game ended.
        pub ending: Option<Ending>,
    }
}

impl State {
    /// A unit is out of the game; counters for detachments and logistic columns can be used again (A85, §14.5.1c).
    pub fn take_off(&mut self, known: Option<&Unit>, unit: Piece) {
        let again = |unit: &&Unit| unit.kind == UnitKind::LogisticColumn || unit.setup == Setup::Created;
        if let Some(now) = self.units.get_mut(&unit) {
            *now = UnitState { mode: now.mode, ..UnitState::default() };
            if let Some(known) = known.filter(again) {
                (now.at, now.steps) = (Place::Off, known.steps);
            }
        }
    }

    /// The position before anything is placed.
    pub fn new(data: &Data, supply_points: bool) -> State {
        let pieces = data.units.values().filter(|unit| unit.kind.is_piece());
        let units = pieces.map(|unit| {
            let mode = (unit.kind == UnitKind::Guerrilla).then_some(Mode::Regular);
            (unit.id, UnitState { at: Place::Off, steps: unit.steps, mode, ..UnitState::default() })
        });
        let points = &data.tables.supply;
        let supply_points = match supply_points {
            true => BTreeMap::from([(Force::Us, points.us_start), (Force::Spanish, points.spanish_start)]),
            false => BTreeMap::new(),
        };
        State { turn: 1, units: units.collect(), supply_points, escario: data.tables.escario.turn, ..State::default() }
    }

    /// A unit. One that is not in the game is out of play.
    pub fn unit(&self, id: Piece) -> UnitState {
        self.units.get(&id).copied().unwrap_or_default()
    }

    /// Where a unit or counter is on the map.
    pub fn hex_of(&self, piece: Piece) -> Option<Hex> {
        match self.counters.get(&piece) {
            Some(counter) => Some(counter.at),
            None => self.unit(piece).at.hex(),
        }
    }

    /// Puts a unit on the open map, or a closed counter, into a hex.
    pub fn shift(&mut self, piece: Piece, to: Hex) {
        if let Some(counter) = self.counters.get_mut(&piece) {
            counter.at = to;
        } else if let Some(unit) = self.units.get_mut(&piece).filter(|unit| unit.at.hex().is_some()) {
            unit.at = Place::At(to);
        }
    }

    /// Is the event in force this turn?
    pub fn in_force(&self, event: EventName) -> bool {
        self.in_force.contains(&event)
    }

    /// Supply points of a force.
    pub fn points(&self, force: Force) -> u32 {
        self.supply_points.get(&force).copied().unwrap_or(0)
    }

    /// The public name the next counter of a force gets (A92).
    pub fn next_name(&self, force: Force) -> Piece {
        Piece::counter(force, self.numbered.get(&force).copied().unwrap_or(0) + 1)
    }
}

impl CounterState {
    /// The steps lost under it.
    pub fn lost(&self) -> u32 {
        self.wounds.iter().map(|wound| u32::from(wound.steps)).sum()
    }

    /// A counter just put on the map.
    pub fn new(force: Force, at: Hex, holds: Sealed<Content>, mode: Option<Mode>) -> CounterState {
        CounterState {
            force,
            at,
            holds: Lying(holds),
            wounds: Vec::new(),
            ds: 0,
            oos: false,
            landed: false,
            stopped: false,
            mode,
            real: false,
            told: None,
            since: None,
        }
    }
}
