//! The position: what lies where, and what the game remembers (§1.2, §4.1, §4.3, §5.1).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Serialize, Serializer};

use crate::board::{Hex, Roster};
use crate::engine::doc::{DocPath, FromDoc, Node, Reader};
use crate::engine::{Side, Verdict};
use crate::{document, words, words_or};

use super::data::{Data, Unit};
use super::terms::{Force, UnitId};
use super::{SPAIN, US};

words_or! {
    /// Where a counter is: a hex, `off-map` or `lost`.
    #[derive(Copy)]
    pub enum Place {
        /// Off the map, to come: the US pool (§3.4a), the Escario column (§3.2b), the machineguns (§3.2c).
        OffMap = "off-map",
        /// Out of play for good.
        Lost = "lost";
        /// On the map.
        At(Hex) => hex
    }
}

document! {
    /// One counter.
    #[derive(Copy)]
    pub struct UnitState {
        /// Where it is.
        pub at: Place,
        /// Steps left; leaders and the Signals Detachment have none (§8.7c).
        pub steps: u8,
        /// Under a DIS marker (§9.6).
        pub disorganized: bool,
        /// Landed this turn: neither moves nor attacks (§8.2e, §8.2f).
        pub landed: bool,
        /// What the counter is, copied from the counter sheet so that a look at a hex needs no other table.
        pub role: Role,
    }
}

impl UnitState {
    /// A counter as it begins: off the map, at full strength.
    pub fn fresh(unit: &Unit) -> UnitState {
        UnitState { at: Place::OffMap, steps: unit.steps, disorganized: false, landed: false, role: Role::of(unit) }
    }
}

/// What a counter is to the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role {
    /// Whose it is.
    pub force: Force,
    /// What it does.
    pub part: Part,
}

/// Never written: it stands on the counter.
impl FromDoc for Role {
    const OPTIONAL: bool = true;

    fn read(_: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        reader.fault(at, "a role is not written", "leave it out");
        None
    }

    fn missing(_: &DocPath, _: &str, _: &mut Reader<'_>) -> Option<Self> {
        Some(Role { force: Force::Us, part: Part::Signals })
    }

    fn is_absent(&self) -> bool {
        true
    }
}

impl Serialize for Role {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

crate::described!(Role, _ => {
    false.into()
});

impl Role {
    /// The role printed on a counter.
    pub fn of(unit: &Unit) -> Role {
        let part = if unit.is_leader() {
            Part::Leader
        } else if unit.is_signals() {
            Part::Signals
        } else {
            Part::Fights
        };
        Role { force: unit.force, part }
    }
}

/// What a counter does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// It has steps and fights.
    Fights,
    /// It leads (§6).
    Leader,
    /// It is the Signals Detachment (§8.7).
    Signals,
}

words! {
    /// Whose orders are due.
    #[derive(Default)]
    pub enum Stage {
        /// Spanish set-up (§3.2).
        #[default]
        SpanishSetup = "spanish-setup",
        /// Cuban set-up by the US player (§3.3).
        CubanSetup = "cuban-setup",
        /// The US player turn; only its movement where phases are ordered apart.
        UsTurn = "us-turn",
        /// US combat, where phases are ordered apart.
        UsCombat = "us-combat",
        /// The Spanish player turn; only its movement where phases are ordered apart.
        SpanishTurn = "spanish-turn",
        /// Spanish combat, where phases are ordered apart.
        SpanishCombat = "spanish-combat",
        /// The game is over.
        Over = "over",
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

words! {
    /// How steps are lost (§4.3f).
    pub enum Cause {
        /// Defensive fire (§9.2).
        Fire = "fire",
        /// Shock (§9.3).
        Shock = "shock",
        /// Friendly fire (§9.8).
        FriendlyFire = "friendly-fire",
        /// No legal retreat (§9.4f).
        Retreat = "retreat",
        /// Yellow fever (§10.5).
        Fever = "fever",
        /// Overstacking (§5.3).
        Overstack = "overstack",
    }
}

words! {
    /// How the game ended.
    pub enum Ending {
        /// Santiago surrendered (§4.2j).
        Surrender = "surrender",
        /// Congress withdrew the army (§4.3d).
        Withdrawal = "withdrawal",
        /// A Spanish unit entered the base (§4.5).
        BaseCaptured = "base-captured",
        /// Turn 15 is over and Santiago is Spanish (§4.1g).
        SantiagoHeld = "santiago-held",
        /// Turn 15 is over and Santiago is in US hands (§4.1f).
        SantiagoTaken = "santiago-taken",
    }
}

impl Ending {
    /// The winner; nobody in a draw.
    pub fn winner(self) -> Option<Side> {
        match self {
            Ending::Surrender => Some(US),
            Ending::Withdrawal | Ending::BaseCaptured | Ending::SantiagoHeld => Some(SPAIN),
            Ending::SantiagoTaken => None,
        }
    }

    /// The victory line.
    pub fn verdict(self) -> Verdict {
        let text = match self {
            Ending::Surrender => "General Toral surrenders Santiago and the province: the US player wins.",
            Ending::Withdrawal => "Congress withdraws the Fifth Corps from Cuba: the Spanish player wins.",
            Ending::BaseCaptured => "Spanish troops are in the US base: the Spanish player wins.",
            Ending::SantiagoHeld => "The fifteenth day is over and Santiago is Spanish: the Spanish player wins.",
            Ending::SantiagoTaken => "The fifteenth day is over and Santiago is in US hands: the game is drawn.",
        };
        Verdict { winner: self.winner(), text: text.to_owned() }
    }
}

words! {
    /// What became of the Spanish machineguns (§7.2.6a).
    #[derive(Default)]
    pub enum Machineguns {
        /// The event has not come up.
        #[default]
        Awaited = "awaited",
        /// Placed on the map.
        Placed = "placed",
        /// Declined, or nowhere to put them.
        Forgone = "forgone",
    }
}

document! {
    /// The position.
    #[derive(Default)]
    pub struct State {
        /// The game turn, 1 to 15.
        pub turn: u32,
        /// Whose orders are due.
        pub stage: Stage,
        /// Every counter that is a unit, a leader or the Signals Detachment.
        pub units: Roster<UnitId, UnitState> = always,
        /// The hex of the Logistical Base, once landed (§10.3).
        pub base: Option<Hex>,
        /// The Signals Detachment is in balloon mode (§8.7f).
        pub balloon: bool,
        /// Hexes the US player controls; all others are Spanish (§4.1h).
        pub us_control: BTreeSet<Hex> = always,
        /// Steps lost, by force and cause.
        pub losses: BTreeMap<Force, BTreeMap<Cause, u32>> = always,
        /// The turn on which Cervera's ships left (§4.2h).
        pub fleet_sailed: Option<u32>,
        /// Santiago fell once and is no source any more (§10.2b).
        pub santiago_fell: bool,
        /// The turn of Roosevelt's all-out effort (§6.4a).
        pub all_out: Option<u32>,
        /// El Morro and Socapa are released (§7.2.4a).
        pub garrisons_released: bool,
        /// Escario was delayed (§7.2.2a).
        pub escario_delayed: bool,
        /// Escario's column has entered (§8.3).
        pub escario_arrived: bool,
        /// The machineguns.
        pub machineguns: Machineguns,
        /// Bad Weather this turn (§7.2.3a).
        pub bad_weather: bool,
        /// Heroic Cubans this turn (§7.2.1a).
        pub heroic_cubans: bool,
        /// Fleets that fired this turn (§9.7g).
        pub fleets_fired: BTreeSet<Force>,
        /// How the game ended.
        pub ending: Option<Ending>,
    }
}

impl State {
    /// The position before anything is placed.
    pub fn new(data: &Data) -> State {
        let units = data.units.values().map(|unit| (unit.id, UnitState::fresh(unit)));
        State { turn: 1, units: units.collect(), ..State::default() }
    }

    /// A counter. One that is not in the game is out of play.
    pub fn unit(&self, id: UnitId) -> UnitState {
        let role = Role { force: Force::Us, part: Part::Signals };
        let nobody = UnitState { at: Place::Lost, steps: 0, disorganized: false, landed: false, role };
        self.units.get(&id).copied().unwrap_or(nobody)
    }

    /// The hex of a counter.
    pub fn hex_of(&self, id: UnitId) -> Option<Hex> {
        self.unit(id).at.hex()
    }

    /// All counters in a hex, by id.
    pub fn counters_in(&self, hex: Hex) -> impl Iterator<Item = UnitId> + '_ {
        self.units.iter().filter(move |(_, unit)| unit.at == Place::At(hex)).map(|(id, _)| *id)
    }

    /// Does the US player control the hex? (§4.1h)
    pub fn us_controls(&self, hex: Hex) -> bool {
        self.us_control.contains(&hex)
    }

    /// The US casualty count: US Army steps lost to combat and fever, not to overstacking (§4.3a, §4.3f).
    pub fn us_casualties(&self) -> u32 {
        let by = self.losses.get(&Force::Us);
        by.into_iter().flatten().filter(|(cause, _)| **cause != Cause::Overstack).map(|(_, steps)| steps).sum()
    }
}
