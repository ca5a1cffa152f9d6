//! The position: what lies where, and what the game remembers.

use std::collections::{BTreeMap, BTreeSet};

use schemars::json_schema;
use serde::{Serialize, Serializer};

use crate::board::{Hex, Roster};
use crate::engine::doc::{DocPath, FromDoc, Node, Reader};
use crate::engine::{Sealed, Side, Slot, Verdict};
use crate::{document, words, words_or};

use super::data::{Counter, Data};
use super::terms::{HoldingBox, Nation, Token, UnitId};
use super::{SPAIN, US};

words_or! {
    /// Where an American or Cuban counter is: a hex, `off-map`, `guantanamo` or `lost`.
    #[derive(Copy, Default)]
    pub enum Place {
        /// Still to come: in the draw pool (§5.3e), or a Cuban unit not yet deployed (§5.2).
        OffMap = "off-map",
        /// Sent to Guantanamo: out of the game, but no loss (§5.3c).
        Guantanamo = "guantanamo",
        /// In the dead pile (§2.13d).
        #[default]
        Lost = "lost";
        /// On the map.
        At(Hex) => hex
    }
}

crate::described!(Post, _ => {
    json_schema!({ "type": "string", "description": "A hex or a holding box" })
});

crate::described!(Face, _ => {
    json_schema!({
        "description": "The unit if it lies face up; its seal if it lies face down",
        "type": ["string", "object"],
    })
});

document! {
    /// One American or Cuban counter.
    #[derive(Copy, Default)]
    pub struct UnitState {
        /// Where it is.
        pub at: Place,
        /// Steps left.
        pub steps: u8,
        /// Under a Fever marker (§13.2c).
        pub fever: bool,
        /// Landed this player turn (§6.5g).
        pub landed: bool,
    }
}

/// Which way up a Spanish counter lies (§8.1a, §5.1c).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Face {
    /// Everybody sees which unit it is.
    Up(UnitId),
    /// Only its owner knows.
    Down(Sealed<UnitId>),
}

impl Face {
    /// Face down, in the slot of that name.
    pub fn down(token: Token) -> Face {
        match Slot::parse(token.as_str()) {
            Ok(slot) => Face::Down(Sealed::new(SPAIN, slot)),
            // A token's name is always a slot's name; a face-up counter of that name fails every check.
            Err(_) => Face::Up(UnitId::of(token.as_str())),
        }
    }
}

impl FromDoc for Face {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        match node.as_text() {
            Some(text) if Token::is_name(text) => Some(Face::down(Token::of(text))),
            _ => UnitId::read(node, at, reader).map(Face::Up),
        }
    }
}

impl Serialize for Face {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Face::Up(unit) => unit.serialize(serializer),
            Face::Down(sealed) => sealed.serialize(serializer),
        }
    }
}

/// Where a Spanish counter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Post {
    /// On the map.
    At(Hex),
    /// In a holding box (§5.1a, §5.1b).
    In(HoldingBox),
}

impl Post {
    /// The hex, if it is on the map.
    pub fn hex(self) -> Option<Hex> {
        match self {
            Post::At(hex) => Some(hex),
            Post::In(_) => None,
        }
    }
}

impl Serialize for Post {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Post::At(hex) => hex.serialize(serializer),
            Post::In(which) => which.serialize(serializer),
        }
    }
}

impl FromDoc for Post {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        match node.as_text().and_then(HoldingBox::from_word) {
            Some(which) => Some(Post::In(which)),
            None => Hex::read(node, at, reader).map(Post::At),
        }
    }
}

document! {
    /// One Spanish counter on the table.
    pub struct TokenState {
        /// Where it is.
        pub at: Post,
        /// Which way up it lies.
        pub face: Face,
    }
}

words! {
    /// Whose orders are due.
    #[derive(Default)]
    pub enum Stage {
        /// Spanish set-up (§5.1).
        #[default]
        SpanishSetup = "spanish-setup",
        /// Cuban deployment and the Marine decision (§5.2, §5.3).
        UsSetup = "us-setup",
        /// The US player turn, or its landing and movement where phases are ordered apart.
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
}

impl Stage {
    /// The packet due in it.
    pub fn packet(self) -> &'static str {
        self.as_str()
    }

    /// Who gives orders in it.
    pub fn side(self) -> Option<Side> {
        match self {
            Stage::SpanishSetup | Stage::SpanishTurn | Stage::SpanishCombat => Some(SPAIN),
            Stage::UsSetup | Stage::UsTurn | Stage::UsCombat => Some(US),
            Stage::Over => None,
        }
    }
}

document! {
    /// A Supply Source marker on the map.
    #[derive(Copy)]
    pub struct Source {
        /// The order in which it was placed, from 1.
        pub number: u32,
        /// The first turn in which units may land there (§6.6c).
        pub landing_from: u32,
    }
}

words! {
    /// The truce (§19).
    #[derive(Default)]
    pub enum Truce {
        /// None yet.
        #[default]
        None = "none",
        /// The marker lies in the next turn's box: a roll is due when it opens (§19.2a).
        Pending = "pending",
        /// In force this turn (§19.3b).
        Active = "active",
        /// There has been one (§19.3e).
        Used = "used",
    }
}

words! {
    /// How the game ended.
    pub enum Ending {
        /// Every city hex is American, at a bearable price (§4.1).
        CityMajor = "city-major",
        /// Every city hex is American, dearly bought (§4.2).
        CityMarginal = "city-marginal",
        /// Santiago is besieged at the end (§4.3).
        SiegeMarginal = "siege-marginal",
        /// Both fortresses are American (§4.6).
        Fortresses = "fortresses",
        /// No Supply Source marker is left (§4.7).
        NoSource = "no-source",
        /// None of this (§4.8).
        SpainHolds = "spain-holds",
        /// The US player gave up (§3.3c).
        UsCapitulates = "us-capitulates",
        /// The Spanish player gave up (§3.3c).
        SpainCapitulates = "spain-capitulates",
    }
}

impl Ending {
    /// The winner.
    pub fn winner(self) -> Side {
        match self {
            Ending::CityMajor
            | Ending::CityMarginal
            | Ending::SiegeMarginal
            | Ending::Fortresses
            | Ending::SpainCapitulates => US,
            Ending::NoSource | Ending::SpainHolds | Ending::UsCapitulates => SPAIN,
        }
    }

    /// The victory line.
    pub fn verdict(self) -> Verdict {
        let text = match self {
            Ending::CityMajor => "Santiago has fallen at a bearable price: a US major victory.",
            Ending::CityMarginal => "Santiago has fallen, dearly bought: a US marginal victory.",
            Ending::SiegeMarginal => "The campaign ends with Santiago under siege: a US marginal victory.",
            Ending::Fortresses => "Both harbour forts are in US hands and the fleet sails in: a US major victory.",
            Ending::NoSource => "No supply source is left ashore: a Spanish major victory.",
            Ending::SpainHolds => "The campaign is over and Santiago holds out: a Spanish major victory.",
            Ending::UsCapitulates => "The US player capitulates: a Spanish major victory.",
            Ending::SpainCapitulates => "The Spanish player capitulates: a US major victory.",
        };
        Verdict { winner: Some(self.winner()), text: text.to_owned() }
    }
}

document! {
    /// The position.
    #[derive(Default)]
    pub struct State {
        /// The game turn, 1 to 11.
        pub turn: u32,
        /// Whose orders are due.
        pub stage: Stage,
        /// American and Cuban counters.
        pub units: Roster<UnitId, UnitState> = always,
        /// Spanish counters on the table.
        pub counters: Roster<Token, TokenState> = always,
        /// The Spanish dead pile, open to all (§8.1d).
        pub dead: BTreeSet<UnitId>,
        /// The balloon is up (§17.2).
        pub balloon_up: bool,
        /// Hexes that US and Cuban units share against §9.4c, which the Spanish player let be when last asked (§9.1c).
        pub spared: BTreeSet<Hex>,
        /// Hexes a US or Cuban unit was the last to pass; all others were last Spanish (§4.5).
        pub us_passed: BTreeSet<Hex> = always,
        /// Supply Source markers on the map.
        pub sources: BTreeMap<Hex, Source> = always,
        /// Markers placed so far (§12.11d).
        pub markers_used: u32,
        /// The US Steps Lost Track (§5.3f).
        pub steps_lost: u32,
        /// Two-step units fully eliminated (§4.1c).
        pub two_steppers_lost: u32,
        /// The off-road supply length of this turn (§12.5).
        pub supply_length: u32,
        /// Cuban units for zones 1 to 4 (§5.2a), until they are deployed.
        pub cuban_zones: Option<[u32; 4]>,
        /// The Marines went to Guantanamo (§5.3b).
        pub marines_sent: bool,
        /// The Guantanamo table has been consulted (§23.1b).
        pub guantanamo_rolled: bool,
        /// The roll for a second landing site has been made (§6.2m).
        pub second_site_rolled: bool,
        /// The truce.
        pub truce: Truce,
        /// How the game ended.
        pub ending: Option<Ending>,
    }
}

impl State {
    /// The position before anything is placed.
    pub fn new(data: &Data) -> State {
        let ours = data.counters.values().filter(|counter| counter.nation != Nation::Spanish);
        let fresh = |counter: &Counter| UnitState { at: Place::OffMap, steps: counter.steps(), ..UnitState::default() };
        State {
            turn: 1,
            units: ours.map(|counter| (counter.id(), fresh(counter))).collect(),
            supply_length: data.tables.clock.short_supply,
            ..State::default()
        }
    }

    /// A unit. One that is not in the game is out of play.
    pub fn unit(&self, id: UnitId) -> UnitState {
        self.units.get(&id).copied().unwrap_or_default()
    }

    /// The hex of an American or Cuban unit.
    pub fn hex_of(&self, id: UnitId) -> Option<Hex> {
        self.unit(id).at.hex()
    }

    /// The hex of a Spanish counter.
    pub fn post_of(&self, token: Token) -> Option<Hex> {
        self.counters.get(&token).and_then(|counter| counter.at.hex())
    }

    /// American and Cuban units in a hex, by id.
    pub fn units_in(&self, hex: Hex) -> impl Iterator<Item = UnitId> + '_ {
        self.units.iter().filter(move |(_, unit)| unit.at == Place::At(hex)).map(|(id, _)| *id)
    }

    /// Spanish counters in a hex, by number.
    pub fn tokens_in(&self, hex: Hex) -> impl Iterator<Item = Token> + '_ {
        self.counters.iter().filter(move |(_, counter)| counter.at == Post::At(hex)).map(|(token, _)| *token)
    }

    /// Spanish counters in a holding box.
    pub fn tokens_held(&self, which: HoldingBox) -> impl Iterator<Item = Token> + '_ {
        self.counters.iter().filter(move |(_, counter)| counter.at == Post::In(which)).map(|(token, _)| *token)
    }
}
