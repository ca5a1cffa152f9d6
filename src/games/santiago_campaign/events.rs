//! What can happen, each event with its cause, its arithmetic and its clauses.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::board::Hex;
use crate::document;
use crate::engine::{self, Bar, Cast, Clause, Lapse, Side, Tally};

use super::data::Mp;
use super::state::Ending;
use super::terms::{CombatResult, HoldingBox, Nation, Odds, Piece, Token, UnitId};
use super::toll::Toll;

/// The phases of the sequence of play (§3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhaseName {
    /// Set-up.
    SpanishSetup,
    /// Set-up.
    UsSetup,
    /// Before I.A.
    StartOfTurn,
    /// I.A.
    Fever,
    /// I.B.
    Disembarkation,
    /// I.C.
    UsMovement,
    /// I.D.
    UsCombat,
    /// II.A.
    SpanishMovement,
    /// II.B.
    SpanishCombat,
    /// II.C.
    Truce,
}

/// One hex of a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Paid {
    /// The hex entered.
    pub hex: Hex,
    /// What it cost.
    pub cost: Mp,
    /// Why: `road`, `jungle + river`.
    pub why: Toll,
}

/// Why a move ended early.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Cut {
    /// The hex that was not entered.
    pub before: Hex,
    /// The reason.
    pub why: String,
    /// The clause.
    pub clause: Clause,
}

impl Cut {
    /// A move that ends before a hex, for the first of these reasons.
    pub fn before(before: Hex, bars: &[Bar]) -> Option<Cut> {
        bars.iter().next().map(|bar| Cut { before, why: bar.why.clone(), clause: bar.clause })
    }
}

/// One unit's factor in a battle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Factor {
    /// The unit.
    pub unit: UnitId,
    /// Where it fights.
    pub hex: Hex,
    /// What it counts before any halving: printed, rolled or with its bonus.
    pub counts: u32,
    /// The bonus in it against black powder (§15.1a).
    #[serde(skip_serializing_if = "is_zero")]
    pub bonus: u32,
    /// Out of supply (§12.9).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub out_of_supply: bool,
    /// It fought before in this phase and adds nothing (§11.2g).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub spent: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// How a unit was lost or lost a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// A DE or BB against its hex (§11.14b, §11.14c).
    Defending,
    /// The attacker's part of a BB (§11.14f).
    Bloodbath,
    /// Artillery attacked alone (§11.6a).
    LoneArtillery,
    /// Artillery or balloon in a stack that retreats (§11.6c).
    LeftBehind,
    /// No legal retreat (§11.15e).
    NoRetreat,
    /// Given up instead of displacing others (§11.16e).
    GivenUp,
    /// Overrun (§10.8).
    Overrun,
    /// Fire at the balloon (§17.5).
    BalloonFire,
    /// Overstacking (§9.1c).
    Overstacking,
    /// A strength of 0 (§14.2b).
    NoStrength,
    /// Pushed away with nowhere to go (§14.4d).
    PushedAway,
}

impl Cause {
    /// The roll that takes it.
    pub fn die(self) -> &'static str {
        match self {
            Cause::BalloonFire => "balloon-fire",
            Cause::NoStrength => "strength",
            _ => "combat",
        }
    }

    /// The clause that takes it.
    pub fn clause(self) -> &'static str {
        match self {
            Cause::Defending => "11.14b",
            Cause::Bloodbath => "11.14f",
            Cause::LoneArtillery => "11.6a",
            Cause::LeftBehind => "11.6c",
            Cause::NoRetreat => "11.15e",
            Cause::GivenUp => "11.16e",
            Cause::Overrun => "10.8a",
            Cause::BalloonFire => "17.5e",
            Cause::Overstacking => "9.1c",
            Cause::NoStrength => "14.2b",
            Cause::PushedAway => "14.4d",
        }
    }
}

/// What the landing table said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SiteRoll {
    /// The first site (§5.4a).
    First,
    /// A second site (§6.3b).
    Second,
    /// The site that is open already (§6.3d).
    Repeated,
    /// No locale picked (§6.3a).
    NonePicked,
    /// Cancelled (§6.3a).
    Cancelled,
}

/// How a Supply Source marker came or went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MarkerEvent {
    /// The first landing (§5.4a).
    FirstLanding,
    /// The second landing (§6.3b).
    SecondLanding,
    /// Opened overland (§6.6a).
    Overland,
}

/// How units found a retreat (§11.15f).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RetreatRank {
    /// Within the stacking limit.
    Free,
    /// Over a Cuban unit (§14.4a).
    OverCubans,
    /// By displacing others (§11.16a).
    Displacing,
}

document! {
    /// One unit that makes room.
    #[derive(PartialOrd, Ord)]
    pub struct Shove {
        /// Who.
        pub piece: Piece,
        /// From where.
        pub from: Hex,
        /// Where to.
        pub to: Hex,
    }
}

/// Something that happened.
#[allow(missing_docs, reason = "each variant says what it tells")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Event {
    /// A phase begins.
    Phase { turn: u32, phase: PhaseName },
    /// The Spanish army is on the table: counters by hex and in the boxes.
    SpanishDeployed { hexes: BTreeMap<Hex, u32>, manzanillo: u32, guantanamo: u32 },
    /// The units of a box lie face-up.
    BoxShown { which: HoldingBox, units: BTreeMap<Token, UnitId> },
    /// All Spanish units lie face-up, by option.
    AllShown { units: BTreeMap<Token, UnitId> },
    /// The Cuban chart is read.
    CubanRoll { die: u16, zones: [u32; 4] },
    /// Cuban units are deployed.
    CubansDeployed { places: BTreeMap<UnitId, Hex> },
    /// The Marine decision.
    Marines { sent: bool },
    /// The landing table is read.
    SiteRolled {
        die: Cast,
        modified: u16,
        roll: SiteRoll,
        #[serde(skip_serializing_if = "Option::is_none")]
        site: Option<Hex>,
    },
    /// A Supply Source marker is placed.
    SourcePlaced { hex: Hex, how: MarkerEvent, left: u32 },
    /// A Supply Source marker is lost.
    SourceLost { hex: Hex, by: Piece, how: String },
    /// How this turn's landings are split.
    Split { shares: Vec<(Hex, u32)> },
    /// A unit is drawn.
    Drawn { unit: UnitId, die: u16, of: u32 },
    /// A unit lands and moves ashore.
    Landed {
        unit: UnitId,
        site: Hex,
        path: Vec<Paid>,
        spent: Mp,
        #[serde(skip_serializing_if = "Option::is_none")]
        cut: Option<Cut>,
    },
    /// A drawn unit cannot be put ashore.
    SetAside { unit: UnitId },
    /// The draw pool is empty.
    PoolEmpty,
    /// The off-road supply length of the turn.
    SupplyLength {
        #[serde(skip_serializing_if = "Option::is_none")]
        die: Option<u16>,
        length: u32,
        truce: bool,
    },
    /// Last turn's fever cases recover.
    Recovered { units: Vec<UnitId> },
    /// A fever roll.
    FeverRoll { tens: u16, ones: u16, infected: Vec<UnitId>, spared: Vec<UnitId> },
    /// A unit or counter moves.
    Moved {
        piece: Piece,
        nation: Nation,
        #[serde(skip_serializing_if = "Option::is_none")]
        from: Option<Hex>,
        path: Vec<Paid>,
        spent: Mp,
        purse: Mp,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        out_of_supply: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        cut: Option<Cut>,
    },
    /// Something is overrun.
    Overrun { by: Piece, at: Hex, lost: Vec<UnitId> },
    /// The balloon goes up or comes down.
    BalloonMode { up: bool, at: Hex },
    /// A battery fires at the balloon.
    BalloonFired { from: Hex, at: Hex, die: Cast, hit: bool },
    /// A miss falls near the balloon.
    Scatter {
        die: Cast,
        #[serde(skip_serializing_if = "Option::is_none")]
        hex: Option<Hex>,
        struck: bool,
    },
    /// An American or Cuban unit loses a step.
    StepLost { unit: UnitId, nation: Nation, hex: Hex, left: u8, cause: Cause },
    /// A Spanish unit is eliminated.
    SpanishLost { counter: Token, unit: UnitId, hex: Hex, cause: Cause },
    /// An attack is declared.
    Attack { side: Side, target: Hex, attackers: Vec<Piece> },
    /// Concealed units are turned over.
    Revealed { units: BTreeMap<Token, UnitId> },
    /// Survivors lie face-down again.
    Concealed { counters: Vec<Token> },
    /// Units out of supply that cannot take part.
    DroppedOut { units: Vec<UnitId> },
    /// A Cuban unit's strength.
    CubanStrength { unit: UnitId, die: Cast, strength: u32 },
    /// An attack comes to nothing.
    AttackVoid { target: Hex, why: String, clause: Clause },
    /// Odds, shifts and result.
    Combat {
        target: Hex,
        attackers: Vec<Factor>,
        defenders: Vec<Factor>,
        attack: u32,
        defence: u32,
        odds: Odds,
        shifts: Tally,
        shift: i32,
        #[serde(rename = "final")]
        final_odds: Odds,
        #[serde(skip_serializing_if = "Option::is_none")]
        column: Option<Odds>,
        die: Cast,
        result: CombatResult,
    },
    /// What an attack on counters nobody can read is sure to come to: only in an outlook.
    AtLeast {
        target: Hex,
        attack: u32,
        defence: u32,
        odds: Odds,
        shifts: Tally,
        shift: i32,
        #[serde(rename = "final")]
        final_odds: Odds,
    },
    /// A fortress ignores a retreat.
    FortressHolds { target: Hex },
    /// The defenders retreat.
    Retreated { pieces: Vec<Piece>, from: Hex, to: Hex, rank: RetreatRank },
    /// Others make room.
    Displaced { moves: Vec<Shove> },
    /// A Cuban unit is pushed away.
    CubanDisplaced { unit: UnitId, from: Hex, to: Hex },
    /// The attacker's bill of a bloodbath.
    BloodbathBill { required: u32, paid: u32, steps: Vec<Piece> },
    /// Attackers enter the vacated hex.
    Advanced { pieces: Vec<Piece>, to: Hex },
    /// Nobody may advance into the vacated hex.
    NoAdvance { to: Hex },
    /// The hex changes hands for victory.
    Passed { hex: Hex, us: bool },
    /// Too many units in a hex.
    Overstacked { hex: Hex, removed: Vec<Piece> },
    /// The siege test.
    SiegeTest { besieged: bool, marker: bool },
    /// The truce roll.
    TruceRoll { die: u16, truce: bool },
    /// The truce is over.
    TruceOver,
    /// The Guantanamo table is read.
    GuantanamoRoll { die: Cast, released: u32, withheld: u32 },
    /// Which counters are released.
    Released { counters: Vec<Token> },
    /// An entry of the plan is not carried out and stays sealed.
    Withheld { what: &'static str },
    /// An order could not be carried out and lapsed.
    OrderLapsed { what: String, why: String, clause: Clause },
    /// A choice was not legal and the default took its place.
    ChoiceLapsed(Lapse),
    /// A turn is over.
    TurnEnded { turn: u32 },
    /// The game is over.
    GameOver { ending: Ending },
}

/// The clauses of a march: the given ones, what each hex cost, and what ended it.
fn marched(fixed: &[&'static str], path: &[Paid], cut: Option<&Cut>) -> Vec<Clause> {
    let tolls: std::collections::BTreeSet<&'static str> = path.iter().flat_map(|paid| paid.why.clauses()).collect();
    let all = fixed.iter().copied().chain(tolls).map(Clause);
    all.chain(cut.map(|cut| cut.clause)).collect()
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
                PhaseName::SpanishSetup | PhaseName::UsSetup => &["5.0"],
                PhaseName::StartOfTurn => &["3.1a"],
                PhaseName::Fever => &["3.2a"],
                PhaseName::Disembarkation => &["3.2b"],
                PhaseName::UsMovement => &["3.2c"],
                PhaseName::UsCombat => &["3.2d"],
                PhaseName::SpanishMovement => &["3.2e"],
                PhaseName::SpanishCombat => &["3.2f"],
                PhaseName::Truce => &["3.2g"],
            },
            Event::SpanishDeployed { .. } => &["5.1a", "5.1b", "5.1d"],
            Event::BoxShown { .. } => &["5.1c"],
            Event::AllShown { .. } => &["1.1b"],
            Event::CubanRoll { .. } => &["5.2a", "tbl.cuban"],
            Event::CubansDeployed { .. } => &["5.2b", "5.2f"],
            Event::Marines { sent } => {
                if *sent {
                    &["5.3b", "5.3c"]
                } else {
                    &["5.3b", "5.3d"]
                }
            }
            Event::SiteRolled { roll, .. } => match roll {
                SiteRoll::First => &["5.4a", "tbl.landing"],
                SiteRoll::Second => &["6.2i", "6.2j", "6.3b", "tbl.landing"],
                SiteRoll::Repeated => &["6.2i", "6.2j", "6.3d", "tbl.landing"],
                SiteRoll::NonePicked | SiteRoll::Cancelled => &["6.2i", "6.2j", "6.3a", "tbl.landing"],
            },
            Event::SourcePlaced { how, .. } => match how {
                MarkerEvent::FirstLanding => &["5.4a"],
                MarkerEvent::SecondLanding => &["6.3b"],
                MarkerEvent::Overland => &["6.6a", "6.6d"],
            },
            Event::SourceLost { how, .. } => match how.as_str() {
                "retreat" | "displacement" => &["6.4c"],
                "movement" => &["6.4b", "10.8c"],
                _ => &["6.4b"],
            },
            Event::Split { .. } => &["6.5a"],
            Event::Drawn { .. } => &["6.2a"],
            Event::Landed { path, cut, .. } => return marched(&["6.2d", "6.2e", "6.5f"], path, cut.as_ref()),
            Event::SetAside { .. } => &["6.5i"],
            Event::PoolEmpty => &["6.7b"],
            Event::SupplyLength { die, truce, .. } => match (die, truce) {
                (Some(_), _) => &["12.5c"],
                (None, true) => &["12.5b", "19.3d"],
                (None, false) => &["12.5a"],
            },
            Event::Recovered { .. } => &["13.2e"],
            Event::FeverRoll { infected, spared, .. } => match (infected.is_empty(), spared.is_empty()) {
                (true, true) => &["13.2a", "tbl.fever"],
                (false, true) => &["13.2a", "tbl.fever", "13.2c"],
                (true, false) => &["13.2a", "tbl.fever", "13.3d"],
                (false, false) => &["13.2a", "tbl.fever", "13.2c", "13.3d", "13.3e"],
            },
            Event::Moved { path, cut, out_of_supply, .. } => {
                let supply: &[&'static str] = if *out_of_supply { &["10.3b", "12.8a", "12.9d"] } else { &["10.3b"] };
                return marched(supply, path, cut.as_ref());
            }
            Event::Overrun { .. } => &["10.8a"],
            Event::BalloonMode { up, .. } => {
                if *up {
                    &["17.2c"]
                } else {
                    &["17.2d"]
                }
            }
            Event::BalloonFired { .. } => &["17.5d"],
            Event::Scatter { struck: true, .. } => &["17.5f", "17.5g"],
            Event::Scatter { struck: false, .. } => &["17.5f", "17.5i"],
            Event::StepLost { nation, left, cause, .. } => {
                let step = if *left == 0 { "2.13d" } else { "2.13c" };
                let cause = if *cause == Cause::Defending && *nation == Nation::Us { "11.14c" } else { cause.clause() };
                let track = (*nation == Nation::Us).then_some("5.3f");
                return [cause, step].into_iter().chain(track).map(Clause).collect();
            }
            Event::SpanishLost { cause, .. } => {
                return [cause.clause(), "2.13d", "8.1d"].map(Clause).to_vec();
            }
            Event::Attack { .. } => &["11.1a"],
            Event::Revealed { .. } => &["8.1b"],
            Event::Concealed { .. } => &["8.1c"],
            Event::DroppedOut { .. } => &["12.9a"],
            Event::CubanStrength { .. } => &["14.2a"],
            Event::AttackVoid { clause, .. } | Event::OrderLapsed { clause, .. } => return vec![*clause],
            Event::Combat { attackers, defenders, shifts, final_odds, column, result, .. } => {
                let lost = |factors: &[Factor]| factors.iter().any(|factor| factor.out_of_supply);
                let also = [
                    (lost(attackers), "12.9b"),
                    (lost(defenders), "12.9f"),
                    (attackers.iter().any(|factor| factor.bonus > 0), "15.1a"),
                    (defenders.iter().any(|factor| factor.spent), "11.2g"),
                    (shifts.total() != 0, "11.12a"),
                    (*column != Some(*final_odds), "11.12c"),
                ];
                let also = also.into_iter().filter(|(holds, _)| *holds).map(|(_, clause)| Clause(clause));
                let result = match result {
                    CombatResult::Stalled => "11.14a",
                    CombatResult::Eliminated => "11.14b",
                    CombatResult::Bloodbath => "11.14e",
                    CombatResult::Retreat => "11.14j",
                };
                let always = ["11.8e", "tbl.crt", result].into_iter().map(Clause);
                return always.chain(also).chain(shifts.clauses()).collect();
            }
            Event::AtLeast { shifts, .. } => {
                return ["11.8b", "11.12a"].into_iter().map(Clause).chain(shifts.clauses()).collect();
            }
            Event::FortressHolds { .. } => &["22.2a"],
            Event::Retreated { pieces, rank, .. } => match rank {
                RetreatRank::Free if pieces.len() > 1 => &["11.15a", "11.15d"],
                RetreatRank::Free => &["11.15a"],
                RetreatRank::OverCubans => &["14.4a"],
                RetreatRank::Displacing => &["11.16a"],
            },
            Event::Displaced { moves } if moves.len() > 1 => &["11.16a", "11.16b", "11.16f"],
            Event::Displaced { .. } => &["11.16a", "11.16f"],
            Event::CubanDisplaced { .. } => &["14.4c"],
            Event::BloodbathBill { required, paid, .. } if paid != required => &["11.14f", "11.14h", "11.14l"],
            Event::BloodbathBill { .. } => &["11.14f", "11.14h"],
            Event::Advanced { .. } => &["11.17a", "11.17g"],
            Event::NoAdvance { .. } => &["11.17e"],
            Event::Passed { .. } => &["4.5d"],
            Event::Overstacked { .. } => &["9.1c"],
            Event::SiegeTest { marker, .. } => {
                if *marker {
                    &["4.4a", "19.2a"]
                } else {
                    &["4.4a"]
                }
            }
            Event::TruceRoll { .. } => &["19.3a", "19.3b"],
            Event::TruceOver => &["19.3e"],
            Event::GuantanamoRoll { withheld: 0, .. } => &["23.1a", "tbl.guantanamo"],
            Event::GuantanamoRoll { .. } => &["23.1a", "23.1d", "tbl.guantanamo"],
            Event::Released { .. } => &["23.1c"],
            Event::Withheld { .. } => &["11.1c"],
            Event::ChoiceLapsed(lapse) => return vec![lapse.clause],
            Event::TurnEnded { .. } => &["3.3a"],
            Event::GameOver { ending } => match ending {
                Ending::CityMajor => &["4.1a", "4.2c"],
                Ending::CityMarginal => &["4.2a", "4.2c"],
                Ending::SiegeMarginal => &["4.3a"],
                Ending::Fortresses => &["4.6a", "22.3", "3.3d"],
                Ending::NoSource => &["4.7a", "3.3d"],
                Ending::SpainHolds => &["4.8a", "3.3b"],
                Ending::UsCapitulates | Ending::SpainCapitulates => &["3.3c"],
            },
        };
        fixed.iter().copied().map(Clause).collect()
    }
}
