//! What can happen, each event with its cause, its arithmetic and its clauses.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::board::Hex;
use crate::engine::{self, Bar, Cast, Clause, Lapse, Side, Tally};
use crate::words;

use super::state::{Ending, Level};
use super::terms::{Cause, Cf, CheckKind, Column, Crossing, Force, Mp, Odds, Piece, Weather};

words! {
    /// The parts of the sequence of play (§4.0).
    pub enum PhaseName {
        /// Spanish set-up.
        SpanishSetup = "spanish-setup",
        /// US set-up.
        UsSetup = "us-setup",
        /// Weather Phase.
        Weather = "weather",
        /// Supply Phase.
        Supply = "supply",
        /// Command Phase.
        Command = "command",
        /// Reinforcement Phase.
        Reinforcement = "reinforcement",
        /// Movement Phase.
        Movement = "movement",
        /// Combat Phase: assaults are named.
        Assaults = "assault-markers",
        /// Combat Phase: Defensive Fire.
        DefensiveFire = "defensive-fire",
        /// Combat Phase: Offensive Fire.
        OffensiveFire = "offensive-fire",
        /// Combat Phase: assaults.
        AssaultCombat = "assault-combat",
        /// Out of Supply Morale Check Phase.
        SupplyCheck = "supply-check",
        /// End Phase.
        End = "end",
    }

    /// Which kind of fire (§13.1).
    pub enum FireKind {
        /// By the side that is not phasing.
        Defensive = "defensive",
        /// By the phasing side.
        Offensive = "offensive",
    }

    /// Why units became Broken.
    pub enum BrokenBy {
        /// Volunteers who broke down for losses (§5.3i).
        Volunteers = "volunteers",
        /// A failed check.
        Check = "check",
        /// The result B of an assault.
        Assault = "assault",
        /// Out of Command, and no way out of an enemy zone (§11.0ai).
        NoWayOut = "no-way-out",
        /// A regiment that was Broken broke down (AMB-69).
        Regiment = "regiment",
    }
}

/// One hex of a march.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Paid {
    /// The hex entered.
    pub hex: Hex,
    /// What it cost.
    pub cost: Mp,
}

/// One adjustment of a CF.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Adjusted {
    /// What adjusted it: `Broken`, `poor weather`, `range`.
    pub by: String,
    /// The CF after it.
    pub cf: Cf,
    /// The clause.
    pub clause: Clause,
}

/// A unit's part in a total (§13.1y, §13.2e, §13.2g).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Factor {
    /// The unit.
    pub unit: Piece,
    /// Its printed or rolled CF.
    pub cf: u32,
    /// Every adjustment, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Adjusted>,
    /// What it counts.
    pub counts: Cf,
}

/// Something that happened.
#[allow(missing_docs, reason = "each variant says what it tells")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Event {
    /// A part of the sequence begins.
    Phase { turn: u32, side: Option<Side>, phase: PhaseName },
    /// A side is on the map.
    Deployed { side: Side, units: BTreeMap<Piece, Hex>, entrenchments: BTreeSet<Hex> },
    /// The weather roll.
    WeatherRoll { die: Cast, modifiers: Tally, modified: i32, weather: Weather },
    /// An outbreak roll.
    OutbreakRoll { force: Force, dice: Cast, roll: u32, chance: u32, breaks_out: bool },
    /// Supply markers set and removed.
    SupplyChecked { side: Side, oos1: Vec<Piece>, oos2: Vec<Piece>, back: Vec<Piece> },
    /// Command markers set and removed.
    CommandChecked { side: Side, out: Vec<Piece>, back: Vec<Piece> },
    /// Roosevelt's part of the Rough Riders.
    Roosevelt { unit: Piece },
    /// The regiments Wood takes over.
    Wood { regiments: Vec<Piece> },
    /// A leader is back, or waits for somebody in supply.
    LeaderBack { leader: Piece, with: Option<Piece>, at: Option<Hex> },
    /// An entry roll of a formation of the Escario column.
    EscarioRoll { column: Column, die: Cast, enters: bool, loses: u32 },
    /// The sortie roll has been made; its result is Spain's secret.
    SortieRolled,
    /// In Spain's report only: the day the fleet is to sail.
    SortieDue { die: u16, day: u32 },
    /// In Spain's report only: the roll to resist.
    ResistRoll { die: u16, resists: bool },
    /// A morning on which the fleet stays.
    FleetStays { day: u32 },
    /// The fleet sails: the roll of turn 2, the roll to resist if there was one, and who goes back aboard.
    FleetSails { die: u16, day: u32, resist: Option<u16>, units: Vec<Piece> },
    /// A Garrison Unit is released.
    Released { unit: Piece, die: Cast, gmp: u32 },
    /// Garrison Units are free: a US unit is near, or Escario's men are in the city.
    Freed { units: Vec<Piece>, escario: bool },
    /// Reinforcements are due.
    Due { units: Vec<Piece>, at: Hex },
    /// A stack enters.
    Entered { units: Vec<Piece>, at: Hex, path: Vec<Paid>, spent: Mp },
    /// Units stay at the map edge.
    AtEdge { units: Vec<Piece> },
    /// A regiment breaks down of its own will.
    BrokeDown { unit: Piece, into: Vec<Piece>, at: Hex },
    /// A regiment reforms.
    Reformed { unit: Piece, from: Vec<Piece>, at: Hex },
    /// A move.
    Moved { units: Vec<Piece>, from: Hex, path: Vec<Paid>, spent: Mp },
    /// A move ends early.
    Halted { units: Vec<Piece>, at: Hex, why: String, clause: Clause },
    /// A unit Out of Command leaves an enemy zone.
    LeftZone { unit: Piece, from: Hex, to: Hex },
    /// A Morale Check.
    MoraleCheck {
        unit: Piece,
        at: Hex,
        check: CheckKind,
        die: Cast,
        modifiers: Tally,
        modified: i32,
        rating: i32,
        passed: bool,
    },
    /// Units become Broken.
    Broken { units: Vec<Piece>, at: Hex, by: BrokenBy },
    /// A unit is Normal again.
    Recovered {
        unit: Piece,
        at: Hex,
        /// By entering the map (§9.0b).
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        entered: bool,
    },
    /// An entrenchment is finished.
    Entrenched { unit: Piece, at: Hex },
    /// The balloon goes up or comes down.
    BalloonSet { up: bool, at: Hex, weather: bool },
    /// The destruction roll of the balloon.
    BalloonRoll { at: Hex, hexes: Vec<Hex>, die: Cast, modified: i32, lost: bool },
    /// The balloon and its Base are lost.
    BalloonLost { at: Hex, clause: Clause },
    /// An Engineer begins a bridge.
    PontoonBegun { unit: Piece, at: Crossing },
    /// A bridge is finished, or given up.
    PontoonDone { unit: Piece, at: Crossing, built: bool },
    /// Whether a bridge outlasts an advance across it.
    PontoonRoll { at: Crossing, die: Cast, holds: bool },
    /// A fort, blockhouse, city or objective hex changes hands.
    Control { hex: Hex, us: bool },
    /// Units are marked to assault a hex.
    AssaultMarked { target: Hex, units: Vec<Piece> },
    /// A "?" unit rolls its CF; none: it is eliminated.
    VariableRoll { unit: Piece, at: Hex, die: Cast, cf: Option<u32> },
    /// A gun fires indirectly.
    IndirectRoll { unit: Piece, spotter: Piece, target: Hex, die: Cast, hits: bool },
    /// A fire attack.
    Fire {
        kind: FireKind,
        by: Force,
        target: Hex,
        /// At those who fight against the hex from the map edge (§9.0k).
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        edge: bool,
        factors: Vec<Factor>,
        total: Cf,
        rounded: u32,
        column: String,
        die: Cast,
        modifiers: Tally,
        modified: i32,
        steps: u32,
    },
    /// A fire attack with a total of 0.
    NoFire { kind: FireKind, by: Force, target: Hex, factors: Vec<Factor>, total: Cf },
    /// A regiment breaks down for losses.
    BrokeDownForLosses { unit: Piece, at: Hex, left: Vec<Piece> },
    /// Counters are eliminated.
    Lost { force: Force, at: Option<Hex>, cause: Cause, units: Vec<Piece> },
    /// A leader fails his check: gone until a turn, or for good.
    LeaderHit { leader: Piece, at: Hex, die: Cast, returns: Option<u32> },
    /// A leader dies with all his units, or for want of a retreat.
    LeaderKilled { leader: Piece, at: Hex, clause: Clause },
    /// A leader escapes or follows his men.
    LeaderMoved { leader: Piece, from: Hex, path: Vec<Hex> },
    /// A Cuban unit tries to retire.
    RetireRoll { unit: Piece, at: Hex, die: Cast, modifiers: Tally, modified: i32, retires: bool },
    /// It retires.
    Retired { unit: Piece, from: Hex, to: Hex },
    /// Spaniards move into the hex Cubans left.
    Occupied { units: Vec<Piece>, into: Hex },
    /// A contraction roll before an assault.
    FeverRoll { unit: Piece, at: Hex, dice: Cast, roll: u32, chance: u32, caught: bool },
    /// The attacker calls the assault off.
    CalledOff { target: Hex },
    /// There is nobody left to assault, or to be assaulted.
    NoAssault { target: Hex, attackers: bool },
    /// An assault.
    Assault {
        target: Hex,
        attackers: Vec<Factor>,
        defenders: Vec<Factor>,
        sum: Cf,
        attack: u32,
        defence: u32,
        terrain: String,
        odds: Odds,
        die: Cast,
        modifiers: Tally,
        modified: i32,
        result: String,
        /// The setting of `assault-drm-sign` where it matters (AMB-04).
        #[serde(skip_serializing_if = "Option::is_none")]
        sign: Option<String>,
    },
    /// A unit retreats.
    Retreated { unit: Piece, from: Hex, path: Vec<Hex> },
    /// A Broken unit stays in its fort.
    StoodInFort { unit: Piece, at: Hex },
    /// Attackers advance.
    Advanced { units: Vec<Piece>, into: Hex },
    /// The ring around Santiago at the end of a player turn.
    Ring { closed: bool, turns: u32 },
    /// The surrender number is rolled, or a surrender roll against it.
    SurrenderRoll { die: Cast, number: Option<u32>, surrenders: bool },
    /// The turn ends.
    TurnEnded { turn: u32 },
    /// The places counted, the level and its shifts.
    VictoryCount { forts: u32, places: u32, el_viso: bool, level: Level, shifts: Tally, reached: Level },
    /// An order was not carried out.
    NotDone { order: String, why: Vec<String>, clause: Clause },
    /// The game is over.
    Ended { ending: Ending },
    /// A choice was replaced by its default.
    Lapsed(Lapse),
}

impl Event {
    /// An order that was not carried out, with its bars.
    pub fn not_done(order: impl Into<String>, bars: &[Bar]) -> Event {
        let clause = bars.first().map_or(Clause("4.0a"), |bar| bar.clause);
        Event::NotDone { order: order.into(), why: bars.iter().map(|bar| bar.why.clone()).collect(), clause }
    }
}

impl From<Lapse> for Event {
    fn from(lapse: Lapse) -> Event {
        Event::Lapsed(lapse)
    }
}

impl engine::Event for Event {
    fn clauses(&self) -> Vec<Clause> {
        let fixed: &[&'static str] = match self {
            Event::Phase { phase, .. } => match phase {
                PhaseName::SpanishSetup | PhaseName::UsSetup => &["16.0b"],
                PhaseName::Weather => &["4.0a", "4.0b"],
                PhaseName::Supply => &["4.0d", "4.0e"],
                PhaseName::Command => &["4.0d", "4.0f"],
                PhaseName::Reinforcement => &["4.0d", "4.0g"],
                PhaseName::Movement => &["4.0d", "4.0h"],
                PhaseName::Assaults | PhaseName::DefensiveFire | PhaseName::OffensiveFire => &["4.0i"],
                PhaseName::AssaultCombat => &["4.0i", "13.2d"],
                PhaseName::SupplyCheck => &["4.0j"],
                PhaseName::End => &["4.0l", "4.0m"],
            },
            Event::Deployed { .. } => &["16.0b"],
            Event::WeatherRoll { .. } => &["7.0a", "7.0b"],
            Event::OutbreakRoll { .. } => &["8.0a", "8.0f"],
            Event::SupplyChecked { .. } => &["10.0a"],
            Event::CommandChecked { .. } => &["11.0a"],
            Event::Roosevelt { .. } => &["11.0i"],
            Event::Wood { .. } => &["11.0q"],
            Event::LeaderBack { .. } => &["13.4g"],
            Event::EscarioRoll { .. } => &["17.0.escario-b"],
            Event::SortieRolled | Event::SortieDue { .. } => &["17.0.cervera-a"],
            Event::ResistRoll { .. } => &["17.0.cervera-f"],
            Event::FleetStays { .. } => &["17.0.cervera-d"],
            Event::FleetSails { .. } => &["17.0.cervera-e", "15.3b"],
            Event::Released { .. } => &["17.0.garrison-e"],
            Event::Freed { escario: true, .. } => &["17.0.garrison-f"],
            Event::Freed { .. } => &["17.0.garrison-c"],
            Event::Due { .. } => &["9.0a"],
            Event::Entered { .. } => &["9.0c", "9.0e"],
            Event::AtEdge { .. } => &["9.0j"],
            Event::BrokeDown { .. } | Event::Reformed { .. } => &["5.3a"],
            Event::Moved { .. } => &["12.0c"],
            Event::LeftZone { .. } => &["11.0ah"],
            Event::MoraleCheck { check, .. } => match check {
                CheckKind::Move => &["5.5a", "5.6d"],
                CheckKind::LeaveZone => &["5.5a", "5.2k"],
                CheckKind::Breakdown => &["5.5a", "5.3h"],
                CheckKind::Assault => &["5.5a", "13.2j"],
                CheckKind::Dynamite => &["5.5a", "15.5b"],
                CheckKind::Supply => &["5.5a", "10.0ad"],
                CheckKind::Recovery => &["14.0a"],
                CheckKind::Leader => &["13.4b"],
            },
            Event::Broken { by, .. } => match by {
                BrokenBy::Volunteers => &["5.3i"],
                BrokenBy::Check => &["5.5b"],
                BrokenBy::Assault => &["13.2j"],
                BrokenBy::NoWayOut => &["11.0ai"],
                BrokenBy::Regiment => &["5.3h"],
            },
            Event::Recovered { entered: true, .. } => &["9.0b"],
            Event::Recovered { .. } => &["14.0b"],
            Event::Entrenched { .. } => &["6.0r"],
            Event::BalloonSet { weather: true, .. } => &["15.1r"],
            Event::BalloonSet { .. } => &["15.1d"],
            Event::BalloonRoll { .. } => &["15.1m", "15.1n"],
            Event::PontoonBegun { .. } => &["15.4c"],
            Event::PontoonDone { .. } => &["15.4d"],
            Event::PontoonRoll { .. } => &["15.4i"],
            Event::Control { .. } => &["17.0.victory-m"],
            Event::AssaultMarked { .. } => &["13.0c"],
            Event::VariableRoll { .. } => &["13.5a"],
            Event::IndirectRoll { hits: true, .. } => &["13.1p"],
            Event::IndirectRoll { .. } => &["13.1q"],
            Event::Fire { .. } => &["13.1ae"],
            Event::NoFire { .. } => &["13.1ao"],
            Event::BrokeDownForLosses { .. } => &["5.3g"],
            Event::Lost { cause, .. } => match cause {
                Cause::Fire => &["13.1ai"],
                Cause::Assault => &["13.2j"],
                Cause::NoRetreat => &["13.3d"],
                Cause::Fever => &["8.0l"],
                Cause::Supply => &["10.0ad"],
                Cause::EndPhase => &["14.0d"],
                Cause::Overstack => &["5.4m"],
                Cause::Variable => &["13.5c"],
                Cause::Entry => &["17.0.escario-c"],
                Cause::Sortie => &["15.3b"],
                Cause::Malfunction => &["15.5d"],
                Cause::Balloon => &["15.1n"],
                Cause::Killed => &["13.4h"],
            },
            Event::LeaderHit { returns: None, .. } => &["13.4f"],
            Event::LeaderHit { .. } => &["13.4d"],
            Event::LeaderMoved { .. } => &["13.4i"],
            Event::RetireRoll { .. } => &["15.6c"],
            Event::Retired { .. } => &["15.6n"],
            Event::Occupied { .. } => &["15.6g"],
            Event::FeverRoll { .. } => &["8.0k"],
            Event::CalledOff { .. } => &["8.0o"],
            Event::NoAssault { .. } => &["13.0l"],
            Event::Assault { .. } => &["13.2h", "13.2i"],
            Event::Retreated { .. } => &["13.3a"],
            Event::StoodInFort { .. } => &["13.3f"],
            Event::Advanced { .. } => &["13.2s"],
            Event::Ring { .. } => &["17.0.auto-h"],
            Event::SurrenderRoll { number: None, .. } => &["17.0.auto-d"],
            Event::SurrenderRoll { .. } => &["17.0.auto-e"],
            Event::TurnEnded { .. } => &["14.0e"],
            Event::VictoryCount { .. } => &["17.0.victory-a", "17.0.victory-o"],
            Event::BalloonLost { clause, .. }
            | Event::LeaderKilled { clause, .. }
            | Event::Halted { clause, .. }
            | Event::NotDone { clause, .. } => return vec![*clause],
            Event::Ended { ending } => match ending {
                Ending::UsWins | Ending::SpainWins => &["16.0a"],
                _ => &["17.0.victory-a"],
            },
            Event::Lapsed(lapse) => return vec![lapse.clause],
        };
        let mut clauses: Vec<Clause> = fixed.iter().copied().map(Clause).collect();
        let steps = |factors: &[Factor]| -> Vec<Clause> {
            factors.iter().flat_map(|factor| factor.steps.iter().map(|step| step.clause)).collect()
        };
        match self {
            Event::WeatherRoll { modifiers, .. }
            | Event::MoraleCheck { modifiers, .. }
            | Event::RetireRoll { modifiers, .. }
            | Event::VictoryCount { shifts: modifiers, .. } => clauses.extend(modifiers.clauses()),
            Event::Fire { modifiers, factors, .. } => {
                clauses.extend(steps(factors));
                clauses.extend(modifiers.clauses());
            }
            Event::NoFire { factors, .. } => clauses.extend(steps(factors)),
            Event::Assault { modifiers, attackers, defenders, .. } => {
                clauses.extend(steps(attackers));
                clauses.extend(steps(defenders));
                clauses.extend(modifiers.clauses());
            }
            _ => {}
        }
        clauses
    }
}
