//! What can happen, each event with its cause, its arithmetic and its clauses.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::board::{Hex, ShockResult};
use crate::engine::{self, Cast, Clause, Lapse, Tally};

use super::state::{Cause, Ending};
use super::tables::{FireResult, HistoricEvent, Jungle, Surrender, Withdrawal};
use super::terms::{Force, UnitId};

/// The phases of the sequence of play (§2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhaseName {
    /// Set-up.
    SpanishSetup,
    /// Set-up.
    CubanSetup,
    /// I.1.a and I.1.b.
    VictoryCheck,
    /// I.2.
    YellowFever,
    /// After I.2.
    HistoricEvent,
    /// The start of II.1.
    Landing,
    /// II.1.a.
    CubanMovement,
    /// II.1.b.
    UsMovement,
    /// II.2.a.
    CubanFire,
    /// II.2.b.
    UsFire,
    /// II.2.c.
    CubanShock,
    /// II.2.d.
    UsShock,
    /// III.1.
    SpanishMovement,
    /// III.2.
    SpanishFire,
    /// III.3.
    SpanishShock,
    /// IV.
    EndOfTurn,
}

/// One unit's factor in a battle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Factor {
    /// The unit.
    pub unit: UnitId,
    /// Where it fights from.
    pub hex: Hex,
    /// The factor on the side of the counter in use.
    pub printed: u32,
    /// Whether it is in supply (§10.4a).
    pub supplied: bool,
    /// The factor that counts (§10.4b).
    pub counts: u32,
}

/// One hex of a march.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Paid {
    /// The hex entered.
    pub hex: Hex,
    /// What it cost.
    pub cost: u32,
    /// Why: `road`, `jungle`, `clear and river`.
    pub why: String,
}

/// How far a move could go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pace {
    /// Within the movement factor (§8.1b).
    Normal,
    /// Column movement, factor doubled (§8.8a).
    Column,
    /// One hex whatever it costs (§8.5a).
    Minimum,
}

/// Why a battle was not pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoBattle {
    /// Every named attacker is lost or disorganized.
    NoAttackers,
    /// Nobody is left in the hex.
    NoDefenders,
}

/// Something that happened. The fields are what the report prints; each variant says what they tell.
#[allow(missing_docs, reason = "the variant says what its fields tell")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Event {
    /// A phase begins.
    Phase { turn: u32, phase: PhaseName },
    /// Units take their places in the set-up.
    Deployed { force: Force, places: BTreeMap<UnitId, Hex>, clause: Clause },
    /// An order could not be carried out and lapsed.
    OrderLapsed { units: Vec<UnitId>, why: String, clause: Clause },
    /// A choice was not legal and the default took its place.
    ChoiceLapsed(Lapse),
    /// Units come ashore.
    Landed { units: Vec<UnitId>, at: Hex, steps: u32 },
    /// The Logistical Base comes ashore.
    BaseLanded { at: Hex, steps: u32 },
    /// Escario's column enters.
    Entered { places: BTreeMap<UnitId, Hex> },
    /// Escario's column finds no open hex.
    EntryBlocked { units: Vec<UnitId> },
    /// Units march, up to the end of the move or to a jungle roll.
    Marched { force: Force, units: Vec<UnitId>, from: Hex, path: Vec<Paid>, spent: u32, allowance: u32, pace: Pace },
    /// Units stay behind on the way.
    LeftBehind { units: Vec<UnitId>, at: Hex },
    /// A march ended early.
    MarchCut { units: Vec<UnitId>, at: Hex, why: String, clause: Clause },
    /// The die for entering jungle. `through`: of several on one march, in how many ways all of them go well.
    JungleRoll {
        units: Vec<UnitId>,
        hex: Hex,
        die: Cast,
        modifiers: Tally,
        modified: i32,
        result: Jungle,
        #[serde(skip_serializing_if = "Option::is_none")]
        through: Option<String>,
    },
    /// Lost in the jungle, the stack goes where the Spanish player sends it.
    LedAstray { units: Vec<UnitId>, from: Hex, path: Vec<Paid> },
    /// The balloon goes up or comes down.
    Balloon { up: bool, at: Hex },
    /// A hex changes hands.
    Control { hex: Hex, us: bool, objective: bool },
    /// Santiago is no supply source any more.
    SantiagoFell,
    /// A lone leader joins the nearest friends.
    LeaderRelocated { leader: UnitId, from: Hex, to: Hex },
    /// A leader is out of the game.
    LeaderLost { leader: UnitId, why: LeaderFate },
    /// The Signals Detachment is out of the game.
    SignalsLost { at: Hex, alone: bool },
    /// Too many units in a hex: the opponent removes the excess.
    Overstacked { hex: Hex, force: Force, count: u32, removed: Vec<UnitId> },
    /// Roosevelt makes his all-out effort.
    AllOutEffort { turn: u32 },
    /// An attack is named.
    BattleNamed { force: Force, target: Hex, attackers: BTreeMap<UnitId, Hex>, defenders: Vec<UnitId> },
    /// An attack is not fought.
    NoBattle { target: Hex, why: NoBattle },
    /// The defenders have no fire factors.
    NoFire { target: Hex },
    /// Defensive fire on one attacking hex.
    DefensiveFire {
        target: Hex,
        at: Hex,
        firers: Vec<Factor>,
        total: u32,
        column: String,
        die: Cast,
        modifiers: Tally,
        modified: i32,
        result: FireResult,
    },
    /// Units lose steps.
    StepsLost { force: Force, cause: Cause, hex: Hex, losses: Vec<StepLoss> },
    /// Everybody in a hex is disorganized.
    Disorganized { hex: Hex, units: Vec<UnitId> },
    /// An attack is called off after defensive fire.
    CalledOff { target: Hex, column: String },
    /// A fleet supports an attack.
    NavalGunfire { force: Force, target: Hex, from: Hex, range: u32, factors: u32 },
    /// Shock combat.
    Shock {
        target: Hex,
        force: Force,
        attackers: Vec<Factor>,
        naval: u32,
        attack: u32,
        defenders: Vec<Factor>,
        defence: u32,
        odds: String,
        shifts: Tally,
        column: String,
        die: Cast,
        modifiers: Tally,
        modified: i32,
        result: ShockResult,
    },
    /// A leader's stack ignores the retreat.
    LeaderHolds { hex: Hex, leader: UnitId },
    /// Defenders retreat.
    Retreated { from: Hex, to: BTreeMap<UnitId, Hex>, source: Option<Hex> },
    /// Attackers advance.
    Advanced { to: Hex, units: BTreeMap<UnitId, Hex> },
    /// The die for friendly fire.
    FriendlyFire { target: Hex, die: Cast, hit: bool, cause: String },
    /// The US victory check.
    SurrenderCheck {
        objectives: Vec<Hex>,
        needed: u32,
        die: Option<u16>,
        modifiers: Tally,
        modified: Option<i32>,
        result: Option<Surrender>,
    },
    /// Cervera's ships leave.
    FleetSails,
    /// The Spanish victory check.
    WithdrawalCheck { casualties: u32, needed: u32, die: Option<u16>, result: Option<Withdrawal> },
    /// Yellow fever.
    Fever { force: Force, die: u16, steps: u32, clause: Clause },
    /// The historic event.
    HistoricEvent { die: u16, event: HistoricEvent, happens: bool, clause: Clause },
    /// The machineguns are placed.
    MachinegunsPlaced { unit: UnitId, at: Hex },
    /// The machineguns never come.
    MachinegunsForgone { unit: UnitId },
    /// All disorganization ends and the turn marker advances.
    TurnEnded { turn: u32, date: String, rallied: Vec<UnitId> },
    /// The game is over.
    GameOver { ending: Ending },
}

/// A step lost by a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct StepLoss {
    /// The unit.
    pub unit: UnitId,
    /// Steps it has left; none if it is eliminated.
    pub left: u8,
}

/// How a leader left the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeaderFate {
    /// With the last step of his hex (§6.2d).
    WithLastStep,
    /// Alone with nobody to join (§6.2e).
    NobodyToJoin,
    /// The Spanish line is lost (§6.5a).
    LineLost,
}

impl From<Lapse> for Event {
    fn from(lapse: Lapse) -> Event {
        Event::ChoiceLapsed(lapse)
    }
}

impl engine::Event for Event {
    fn clauses(&self) -> Vec<Clause> {
        let fixed: &[&'static str] = match self {
            Event::Phase { phase, .. } => match phase {
                PhaseName::SpanishSetup | PhaseName::CubanSetup => &["3.1a"],
                PhaseName::VictoryCheck => &["2.1e"],
                PhaseName::YellowFever => &["2.1f"],
                PhaseName::HistoricEvent => &["2.1g"],
                PhaseName::Landing => &["8.2a"],
                PhaseName::CubanMovement | PhaseName::UsMovement => &["2.1h"],
                PhaseName::CubanFire | PhaseName::UsFire | PhaseName::CubanShock | PhaseName::UsShock => &["2.1i"],
                PhaseName::SpanishMovement | PhaseName::SpanishFire | PhaseName::SpanishShock => &["2.1j"],
                PhaseName::EndOfTurn => &["2.1k"],
            },
            Event::Deployed { clause, .. }
            | Event::OrderLapsed { clause, .. }
            | Event::MarchCut { clause, .. }
            | Event::Fever { clause, .. }
            | Event::HistoricEvent { clause, .. } => return vec![*clause],
            Event::ChoiceLapsed(lapse) => return vec![lapse.clause],
            Event::Landed { .. } => &["8.2c", "8.2g"],
            Event::BaseLanded { .. } => &["10.3b", "IMP.14"],
            Event::Entered { .. } => &["8.3a", "8.3c"],
            Event::EntryBlocked { .. } => &["IMP.20"],
            Event::Marched { pace, .. } => match pace {
                Pace::Normal => &["8.1b"],
                Pace::Column => &["8.8a"],
                Pace::Minimum => &["8.5a"],
            },
            Event::LeftBehind { .. } => &["8.1f"],
            Event::JungleRoll { modifiers, result, .. } => {
                let clause = match result {
                    Jungle::SpanishMoves => "8.6c",
                    Jungle::Halt => "8.6d",
                    Jungle::On => "8.6e",
                };
                return [Clause("8.6a"), Clause(clause)].into_iter().chain(modifiers.clauses()).collect();
            }
            Event::LedAstray { .. } => &["8.6c", "IMP.6"],
            Event::Balloon { .. } => &["8.7f"],
            Event::Control { .. } => &["4.1h", "IMP.13"],
            Event::SantiagoFell => &["10.2b"],
            Event::LeaderRelocated { .. } => &["6.2e"],
            Event::LeaderLost { why, .. } => match why {
                LeaderFate::WithLastStep => &["6.2d"],
                LeaderFate::NobodyToJoin => &["IMP.8"],
                LeaderFate::LineLost => &["6.5a"],
            },
            Event::SignalsLost { alone, .. } => {
                if *alone {
                    &["8.7e"]
                } else {
                    &["8.7d"]
                }
            }
            Event::Overstacked { .. } => &["5.3a", "5.3b"],
            Event::AllOutEffort { .. } => &["6.4a"],
            Event::BattleNamed { .. } => &["9.2a"],
            Event::NoBattle { .. } => &["IMP.4"],
            Event::NoFire { .. } => &["IMP.7"],
            Event::DefensiveFire { modifiers, modified, .. } => {
                let row = ["DFT.b", "DFT.c", "DFT.d", "DFT.e", "DFT.f", "DFT.g", "DFT.h", "DFT.i", "DFT.j"];
                let index = usize::try_from((*modified).clamp(0, 8)).unwrap_or(0);
                let table = row.get(index).copied().unwrap_or("DFT.a");
                return [Clause("9.2c"), Clause(table)].into_iter().chain(modifiers.clauses()).collect();
            }
            Event::StepsLost { cause, .. } => match cause {
                Cause::Fire => &["DFT.l", "1.2b", "1.2c"],
                Cause::Shock => &["SCT.g", "1.2b", "1.2c"],
                Cause::FriendlyFire => &["9.8b"],
                Cause::Retreat => &["9.4f"],
                Cause::Fever => &["10.5b"],
                Cause::Overstack => &["5.3b"],
            },
            Event::Disorganized { .. } => &["9.6a", "DFT.k"],
            Event::CalledOff { .. } => &["9.3g"],
            Event::NavalGunfire { force, .. } => {
                if *force == Force::Us {
                    &["9.7a", "9.7e", "9.7f"]
                } else {
                    &["9.7a", "9.7c", "9.7f"]
                }
            }
            Event::Shock { shifts, modifiers, column, .. } => {
                let table = match column.as_str() {
                    "1:2" => "SCT.a",
                    "1:1" => "SCT.b",
                    "2:1" => "SCT.c",
                    "3:1" => "SCT.d",
                    "4:1" => "SCT.e",
                    _ => "SCT.f",
                };
                let head = ["9.3a", "9.3c", "9.3e", "9.3f", table].map(Clause);
                return head.into_iter().chain(shifts.clauses()).chain(modifiers.clauses()).collect();
            }
            Event::LeaderHolds { .. } => &["6.3a"],
            Event::Retreated { .. } => &["9.4a", "9.4b", "SCT.h"],
            Event::Advanced { .. } => &["9.5a", "9.5b"],
            Event::FriendlyFire { .. } => &["9.8a"],
            Event::SurrenderCheck { die, modifiers, .. } => {
                let clause = if die.is_some() { "4.1b" } else { "4.1c" };
                return std::iter::once(Clause(clause)).chain(modifiers.clauses()).collect();
            }
            Event::FleetSails => &["4.2h"],
            Event::WithdrawalCheck { die, .. } => {
                if die.is_some() {
                    &["4.3b"]
                } else {
                    &["4.3c"]
                }
            }
            Event::MachinegunsPlaced { .. } | Event::MachinegunsForgone { .. } => &["7.2.6a"],
            Event::TurnEnded { .. } => &["2.1b", "2.1k", "2.1l"],
            Event::GameOver { ending } => match ending {
                Ending::Surrender => &["4.2j", "4.1d"],
                Ending::Withdrawal => &["4.3d"],
                Ending::BaseCaptured => &["4.5a"],
                Ending::SantiagoHeld => &["4.1g", "2.1m"],
                Ending::SantiagoTaken => &["4.1f", "2.1m"],
            },
        };
        fixed.iter().copied().map(Clause).collect()
    }
}
