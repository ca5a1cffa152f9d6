//! A Splendid Little War (Nunez, Legion Wargames): fourteen days before Santiago, and a fleet that sails on a day only
//! Spain knows.
//!
//! This file is the sequence of play (§4.0); each chapter of the rules has a file of its own.
#![allow(dead_code, reason = "until it is registered")]

mod data;
mod events;
mod facts;
mod lexicon;
mod orders;
mod play;
mod policy;
mod position;
mod scenarios;
mod state;
mod tables;
mod terms;

use crate::engine::doc::Lexicon;
use crate::engine::{Flow, Rules, Ruling, Side, Stop, Umpire, Verdict};

pub use data::Data;
pub use events::Event;
pub use orders::{Orders, TurnOrders};
pub use policy::Policy;
pub use state::State;

use state::Stage;

/// The name of the game.
const ID: &str = "splendid-little-war";
/// The US player, who also runs the Cubans (§15.6a).
pub const US: Side = Side("us");
/// The Spanish player.
pub const SPAIN: Side = Side("spain");

/// Matters of agreement: optional rules, and rulings that can be taken the other way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// `packets: steps`: markers, Defensive Fire and combat are ordered apart.
    pub steps: bool,
    /// `road-stacking: on`: limits hold while moving along jungle and swamp roads too (§5.4o).
    pub road_stacking: bool,
    /// `garrison: on` (§17.0.garrison-a).
    pub garrison: bool,
    /// `resist: on` (§17.0.cervera-f).
    pub resist: bool,
    /// `automatic-victory: on` (§17.0.auto-a).
    pub automatic: bool,
    /// `indirect-zero: hit`: a 0 counts as a hit (AMB-02); default `miss`.
    pub indirect_zero: bool,
    /// `fire-fever: on`: contraction rolls in fire too (AMB-03).
    pub fire_fever: bool,
    /// `assault-drm-sign: printed` (AMB-04); default `intent`.
    pub printed_sign: bool,
    /// `hill-note: drm`: the footnote covers the DRM only (AMB-05); default `whole`.
    pub hill_note_drm: bool,
    /// `gatling: absent` in the campaign (AMB-11); default `present`.
    pub no_gatling: bool,
    /// `garcia-rating: 7` (AMB-20); default `4`.
    pub garcia_seven: bool,
    /// `los-either: both` (AMB-28); default `one`.
    pub los_both: bool,
    /// `el-caney-turns: 3` (AMB-41); default `2`.
    pub caney_three: bool,
    /// `places: overlapping`: the five may include the forts named (AMB-46); default `distinct`.
    pub places_overlap: bool,
    /// `dynamite-range: half` (AMB-59); default `full`.
    pub dynamite_half: bool,
    /// `broken-again: stay` (AMB-68); default `retreat`.
    pub broken_stays: bool,
}

crate::words! {
    /// What can be played (§16.0a).
    pub enum Scenario {
        /// Scenario 1.
        ElCaney = "el-caney",
        /// Scenario 2.
        SanJuanHill = "san-juan-hill",
        /// Scenario 3.
        JulyFirst = "july-1",
        /// The campaign.
        Campaign = "campaign",
    }
}

/// A table laid for A Splendid Little War.
#[derive(Clone, Debug)]
pub struct SplendidLittleWar {
    /// Map, counters, tables.
    pub data: Data,
    /// Which scenario.
    pub scenario: Scenario,
    /// What is played.
    pub options: Options,
}

impl SplendidLittleWar {
    /// The orders due at a stage.
    fn due(stage: Stage) -> Stop {
        match stage.side() {
            Some(who) => Stop::Orders { who, ask: stage.as_str(), flow: Flow::Direct },
            None => Stop::End,
        }
    }
}

impl Rules for SplendidLittleWar {
    const ID: &'static str = ID;
    const VERSION: u32 = 1;
    const SIDES: &'static [Side] = &[SPAIN, US];
    type State = State;
    type Orders = Orders;
    type Policy = Policy;
    type Event = Event;

    fn lexicon(&self) -> &dyn Lexicon {
        self
    }

    fn begin(&self) -> (State, Stop) {
        (State::blank(), Stop::End)
    }

    fn packet_due(&self, state: &State) -> Stop {
        SplendidLittleWar::due(state.stage)
    }

    fn turn(&self, state: &State) -> u32 {
        state.turn
    }

    fn resolve(&self, state: &mut State, _orders: &mut Orders, umpire: &mut Umpire<'_, Self>) -> Ruling<Stop> {
        let mut play = play::Play::new(self, state, umpire);
        play.begin_phase(None, events::PhaseName::End);
        Ok(Stop::End)
    }

    fn no_orders(&self, _state: &State, _stop: &Stop) -> Orders {
        Orders::Turn(TurnOrders::none())
    }

    fn verdict(&self, state: &State) -> Option<Verdict> {
        state.ending.map(state::Ending::verdict)
    }

    fn flaws(&self, _state: &State) -> Vec<String> {
        Vec::new()
    }
}
