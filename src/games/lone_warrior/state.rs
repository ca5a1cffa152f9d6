//! The position: who stands where on each battlefield, and what the game remembers.

use std::collections::BTreeMap;

use crate::board::{Facing, Square};
use crate::{document, words, words_or};

use super::data::Data;
use super::terms::{AreaId, Battlefield, HeroId, LeaderId, Power, UnitId};

words_or! {
    /// Where a unit or leader is: a box, `off-table` or `lost`.
    #[derive(Copy, Default)]
    pub enum Place {
        /// Off the table, behind the own edge (§10d).
        OffTable = "off-table",
        /// Out of play for good.
        #[default]
        Lost = "lost";
        /// On the map.
        At(Square) => square
    }
}

words! {
    /// Whose orders are due.
    pub enum Stage {
        /// Spain places its leaders (§A56).
        SpanishSetup = "spanish-setup",
        /// The U.S. place theirs.
        UsSetup = "us-setup",
        /// The Spanish player turn (§4b).
        SpanishTurn = "spanish-turn",
        /// The U.S. player turn.
        UsTurn = "us-turn",
        /// Every battlefield is decided.
        Over = "over",
    }
}

impl Stage {
    /// Who gives orders in it.
    pub fn power(self) -> Option<Power> {
        match self {
            Stage::SpanishSetup | Stage::SpanishTurn => Some(Power::Spain),
            Stage::UsSetup | Stage::UsTurn => Some(Power::Us),
            Stage::Over => None,
        }
    }
}

words! {
    /// What became of a hero.
    pub enum HeroFate {
        /// Not used yet.
        Ready = "ready",
        /// Used; no further effect (§9o, §A46).
        Used = "used",
        /// Dead with his unit (§9w).
        Dead = "dead",
    }
}

document! {
    /// One unit.
    #[derive(Copy, Default)]
    pub struct UnitState {
        /// Where it is.
        pub at: Place,
        /// Where it looks; guns off the table look nowhere.
        pub facing: Option<Facing>,
        /// Disordered (§8b).
        pub disordered: bool,
        /// Has tried to activate in this player turn (§A3).
        pub activated: bool,
    }

    /// One leader.
    #[derive(Copy, Default)]
    pub struct LeaderState {
        /// Where he is.
        pub at: Place,
        /// The unit he is attached to.
        pub with: Option<UnitId>,
        /// Has used his redraw in this turn (§9d, §A2).
        pub used: bool,
    }

    /// One battlefield.
    #[derive(Default)]
    pub struct FieldState {
        /// Every unit.
        pub units: BTreeMap<UnitId, UnitState>,
        /// Every leader.
        pub leaders: BTreeMap<LeaderId, LeaderState>,
        /// Every hero.
        pub heroes: BTreeMap<HeroId, HeroFate>,
        /// Objectives in U.S. hands (§A49).
        pub captured: Vec<AreaId>,
        /// The player turn goes on here: its leaders have moved and no activation has failed (§4f).
        pub acting: bool,
        /// Who won here.
        pub winner: Option<Power>,
    }

    /// The position.
    pub struct State {
        /// The turn: a Spanish and a U.S. player turn (§A2).
        pub turn: u32,
        /// Whose orders are due.
        pub stage: Stage,
        /// The battlefields in play.
        pub fields: BTreeMap<Battlefield, FieldState>,
    }
}

impl State {
    /// The position before the leaders are placed.
    pub fn new(data: &Data, fields: &[Battlefield]) -> State {
        let field = |id: Battlefield| {
            let units = data.units.values().filter(|unit| unit.field == id).map(|unit| {
                let at = unit.start.map_or(Place::OffTable, Place::At);
                let facing = unit.start.map(|_| unit.power.facing());
                (unit.id, UnitState { at, facing, ..UnitState::default() })
            });
            let leaders = data
                .leaders
                .values()
                .filter(|leader| leader.field == id)
                .map(|leader| (leader.id, LeaderState { at: Place::OffTable, ..LeaderState::default() }));
            let of_field = |unit: &UnitId| data.units.get(unit).is_some_and(|unit| unit.field == id);
            let heroes = data.heroes.values().filter(|hero| of_field(&hero.unit));
            FieldState {
                units: units.collect(),
                leaders: leaders.collect(),
                heroes: heroes.map(|hero| (hero.id, HeroFate::Ready)).collect(),
                ..FieldState::default()
            }
        };
        State { turn: 1, stage: Stage::SpanishSetup, fields: fields.iter().map(|id| (*id, field(*id))).collect() }
    }

    /// Whether a player turn goes on somewhere, to be continued before anything else (§A4).
    pub fn goes_on(&self) -> bool {
        self.fields.values().any(|field| field.acting)
    }

    /// Whether orders are due for a battlefield: it is not decided, and the player turn is not over there (§4h, §A52).
    pub fn is_due_on(&self, field: &FieldState) -> bool {
        field.winner.is_none() && (field.acting || !self.goes_on())
    }
}

impl FieldState {
    /// A unit; one that is not in the game is lost.
    pub fn unit(&self, id: UnitId) -> UnitState {
        self.units.get(&id).copied().unwrap_or_default()
    }

    /// A leader; one that is not in the game is lost.
    pub fn leader(&self, id: LeaderId) -> LeaderState {
        self.leaders.get(&id).copied().unwrap_or_default()
    }

    /// The unit in a box (§A13).
    pub fn unit_in(&self, square: Square) -> Option<UnitId> {
        self.units.iter().find(|(_, unit)| unit.at == Place::At(square)).map(|(id, _)| *id)
    }
}
