//! What can happen, each event with its cause, its arithmetic and its clauses.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::board::{Hex, ShockResult};
use crate::engine::{self, Bar, Cast, Clause, Lapse, Tally};
use crate::words;

use super::orders::Support;
use super::state::Ending;
use super::tables::{FireResult, Odds};
use super::terms::{
    Content, EventName, Force, GuerrillaResult, JungleResult, Member, Mode, Piece, Surrender, Withdrawal,
};

words! {
    /// The parts of the sequence of play (§2).
    pub enum PhaseName {
        /// Set-up.
        SpanishSetup = "spanish-setup",
        /// Set-up.
        CubanSetup = "cuban-setup",
        /// A.0 (A01).
        HistoricalEvents = "historical-events",
        /// A.1a.
        UsVictoryCheck = "us-victory-check",
        /// A.1b.
        SpanishVictoryCheck = "spanish-victory-check",
        /// A.2.
        SupplyCheck = "supply-check",
        /// A.3.
        Reorganization = "reorganization",
        /// A.4.
        SupplyPoints = "supply-points",
        /// A.5.
        YellowFever = "yellow-fever",
        /// The landing at the head of B.1.
        Landing = "landing",
        /// B.1a.
        CubanMovement = "cuban-movement",
        /// B.1b.
        UsMovement = "us-movement",
        /// B.2a.
        CubanCombat = "cuban-combat",
        /// B.2b.
        UsCombat = "us-combat",
        /// C.1.
        SpanishMovement = "spanish-movement",
        /// C.2.
        SpanishCombat = "spanish-combat",
        /// D.
        EndOfTurn = "end-of-turn",
    }

    /// What a roll on the Fire Table was for.
    pub enum FireKind {
        /// The defenders' (§9.2b).
        Defence = "defence",
        /// The attackers' (§9.2c).
        Attack = "attack",
        /// Guns (§9.6c).
        Bombardment = "bombardment",
        /// A fleet (§9.7).
        Naval = "naval",
    }

    /// Why steps were lost, or a piece.
    pub enum Cause {
        /// Fire.
        Fire = "fire",
        /// Shock.
        Shock = "shock",
        /// Guns or a fleet.
        Bombardment = "bombardment",
        /// Friendly fire (§14.3b).
        FriendlyFire = "friendly-fire",
        /// An ambush (§11.3h).
        Ambush = "ambush",
        /// A counter-ambush (§11.3a).
        CounterAmbush = "counter-ambush",
        /// Yellow fever (§12).
        Fever = "fever",
        /// No legal retreat (A30a).
        NoRetreat = "no-retreat",
        /// Alone when the enemy came (A51).
        Overrun = "overrun",
        /// The last companion was lost (A15a, A30g).
        Companions = "companions",
        /// A leader with nobody left (A15b).
        Alone = "alone",
        /// Used up (§14.5.1c).
        Used = "used",
        /// Lost under a closed counter before (A110).
        Closed = "under-counter",
    }

    /// Why a counter was opened.
    pub enum Why {
        /// It attacks or is attacked (A60).
        Combat = "combat",
        /// Reconnaissance (§11.3e).
        Reconnaissance = "reconnaissance",
        /// An ambush or a guerrilla attack on a dummy (A52d).
        Ambush = "ambush",
        /// It was ordered to strike (A109).
        Strike = "strike",
        /// Cuba Libre (A67).
        CubaLibre = "cuba-libre",
        /// Bombardment or naval fire at a dummy (A52c).
        Bombardment = "bombardment",
        /// Friendly fire at a dummy (A98b).
        FriendlyFire = "friendly-fire",
        /// The balloon (A66).
        Balloon = "balloon",
        /// Its last step is lost.
        Destroyed = "destroyed",
        /// It takes the base (§4.3).
        Base = "base",
        /// It has to retreat or part.
        Retreat = "retreat",
    }
}

/// One hex of a march.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Paid {
    /// The hex entered.
    pub hex: Hex,
    /// What it cost.
    pub cost: u32,
}

/// A unit's loss.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Loss {
    /// The unit or closed counter.
    pub unit: Piece,
    /// Steps lost.
    pub steps: u8,
    /// Steps left; not told of a closed counter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<u8>,
}

/// A unit's part in a total.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Factor {
    /// The unit; a fleet by its force.
    pub unit: String,
    /// What it shows.
    pub printed: u32,
    /// What it counts, halved for DS and OOS.
    pub counts: u32,
}

/// Something that happened.
#[allow(missing_docs, reason = "each variant says what it tells")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Event {
    /// A part of the sequence begins.
    Phase { turn: u32, phase: PhaseName },
    /// A force is on the map.
    Deployed { force: Force, units: BTreeMap<Piece, Hex>, counters: BTreeMap<Piece, Hex> },
    /// The event of the turn; `happens: false` if it may not happen again or changes nothing.
    HistoricalEvent { dice: Cast, number: u16, event: EventName, happens: bool },
    /// A Spanish piece is examined.
    Examined { piece: Piece, at: Hex },
    /// Escario's arrival turn changes.
    EscarioDue { turn: u32 },
    /// M and So are released.
    Released,
    /// The machine guns come ashore, or not.
    MachineGuns { at: Option<Hex> },
    /// Supply points come in.
    Points { force: Force, gained: u32, now: u32 },
    /// The surrender roll.
    SurrenderRoll { objectives: u32, die: Cast, modifiers: Tally, modified: i32, column: String, result: Surrender },
    /// No roll for want of objectives.
    NoSurrenderRoll { objectives: u32 },
    /// The Spanish fleet leaves.
    Jarcias,
    /// The withdrawal roll.
    WithdrawalRoll { steps_lost: u32, die: Cast, modifiers: Tally, modified: i32, column: String, result: Withdrawal },
    /// Markers set and removed in the supply check.
    SupplyChecked { out: Vec<Piece>, back: Vec<Piece> },
    /// A logistic column is made.
    LogisticsMade { unit: Piece, at: Hex, points: u32 },
    /// Detachments are made.
    Detached { unit: Piece, into: Vec<Piece>, at: Hex },
    /// Columns or brigades were formed, changed or dissolved; where counters lie now.
    Reorganized { force: Force, counters: BTreeMap<Piece, Hex>, join: Vec<Piece>, leave: Vec<Piece> },
    /// Guerrillas are deployed otherwise.
    ModeSet { unit: Piece, mode: Mode },
    /// The fever roll.
    Fever { force: Force, die: Cast, steps: u8 },
    /// Units are put ashore.
    Landed { units: Vec<Piece>, counter: Option<Piece>, at: Hex },
    /// The Logistics Base is put ashore.
    BaseLanded { at: Hex },
    /// Units enter the map.
    Entered { units: Vec<Piece>, counter: Option<Piece>, at: Hex },
    /// A march, or the part of it up to an interruption; `led` if the opponent leads it.
    Moved {
        units: Vec<Piece>,
        from: Hex,
        path: Vec<Paid>,
        spent: u32,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        led: bool,
    },
    /// A march ends early.
    Halted { units: Vec<Piece>, at: Hex, why: String, clause: Clause },
    /// The jungle roll.
    JungleRoll { units: Vec<Piece>, at: Hex, die: Cast, modifiers: Tally, modified: i32, result: JungleResult },
    /// A roll on the Guerrilla Table; `counter` if units in guerrilla are the target.
    GuerrillaRoll {
        by: Vec<Piece>,
        target: Hex,
        at: Vec<Piece>,
        reaction: bool,
        counter: bool,
        die: Cast,
        modifiers: Tally,
        modified: i32,
        result: GuerrillaResult,
    },
    /// The second die of CE or E.
    StepRoll { at: Hex, die: Cast, lost: bool },
    /// Steps are lost.
    StepsLost { force: Force, at: Hex, cause: Cause, losses: Vec<Loss> },
    /// Pieces are eliminated, each with the steps it still had.
    Eliminated { units: Vec<Piece>, steps: Vec<u8>, at: Hex, cause: Cause },
    /// Units are disorganized.
    Disorganized { units: Vec<Piece>, at: Hex, overstacked: bool },
    /// A closed counter is opened: its units stand in the open now.
    Opened { counter: Piece, at: Hex, why: Why, units: Vec<Member> },
    /// A dummy is shown and leaves the game.
    DummyShown { counter: Piece, at: Hex, why: Why },
    /// In an outlook: what lies under a counter is not known, and nobody is reckoned with.
    Guessed { counter: Piece, at: Hex },
    /// A leader joins the nearest friends.
    LeaderMoved { unit: Piece, from: Hex, to: Hex },
    /// A hex changes hands.
    Control { hex: Hex, us: bool },
    /// The balloon is up or down.
    BalloonSet { up: bool, at: Hex },
    /// The balloon looks at a column.
    Observed { counter: Piece, die: Cast, steps: Option<u32> },
    /// Army and Navy coordinate, or not.
    Coordination { target: Hex, die: Cast, fires: bool },
    /// A combat begins.
    Combat { target: Hex, by: Vec<Piece>, from: Vec<Hex>, force: Force },
    /// A supply point is spent.
    Supported { force: Force, target: Hex, with: Support, points: u32 },
    /// A roll on the Fire Table.
    FireRoll {
        kind: FireKind,
        by: Force,
        target: Hex,
        factors: Vec<Factor>,
        total: u32,
        column: String,
        die: Cast,
        modifiers: Tally,
        modified: i32,
        result: FireResult,
    },
    /// There is nothing to fire with.
    NoFire { kind: FireKind, by: Force, target: Hex },
    /// The friendly-fire roll.
    FriendlyFire { target: Hex, die: Cast, strikes: Option<Hex> },
    /// The shock roll.
    Shock {
        target: Hex,
        attackers: Vec<Factor>,
        defenders: Vec<Factor>,
        attack: u32,
        defence: u32,
        odds: Odds,
        shifts: Tally,
        column: Odds,
        die: Cast,
        modifiers: Tally,
        modified: i32,
        result: ShockResult,
    },
    /// No shock: one side has no factor or nobody left.
    NoShock { target: Hex, attack: u32 },
    /// Defenders retreat.
    Retreated { units: Vec<Piece>, from: Hex, to: Hex },
    /// Attackers advance.
    Advanced { units: Vec<Piece>, into: Hex },
    /// All DS markers are removed; the turn ends.
    TurnEnded { turn: u32 },
    /// An order was not carried out.
    NotDone { order: String, why: Vec<String>, clause: Clause },
    /// The game is over.
    Ended { ending: Ending },
    /// A choice was replaced by its default.
    Lapsed(Lapse),
    /// What the owner laid under a counter: in his report only.
    Laid { counter: Piece, holds: Content },
}

impl Event {
    /// An order that was not carried out, with its bars.
    pub fn not_done(order: impl Into<String>, bars: &[Bar]) -> Event {
        let clause = bars.first().map_or(Clause("2b"), |bar| bar.clause);
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
                PhaseName::SpanishSetup | PhaseName::CubanSetup => &["3a"],
                PhaseName::HistoricalEvents => &["A01"],
                PhaseName::UsVictoryCheck | PhaseName::SpanishVictoryCheck => &["2d"],
                PhaseName::SupplyCheck => &["2e"],
                PhaseName::Reorganization => &["2f"],
                PhaseName::SupplyPoints => &["2h"],
                PhaseName::YellowFever => &["2i"],
                PhaseName::Landing => &["8.2a"],
                PhaseName::CubanMovement | PhaseName::UsMovement => &["2j"],
                PhaseName::CubanCombat | PhaseName::UsCombat => &["2k"],
                PhaseName::SpanishMovement | PhaseName::SpanishCombat => &["2l"],
                PhaseName::EndOfTurn => &["2n"],
            },
            Event::Deployed { force, .. } if *force == Force::Spanish => &["3b"],
            Event::Deployed { .. } => &["3p"],
            Event::HistoricalEvent { .. } => &["7.1a", "7.2t"],
            Event::Examined { .. } => &["7.2.11a"],
            Event::EscarioDue { .. } => &["8.3c", "A22a"],
            Event::Released => &["7.2.34a"],
            Event::MachineGuns { .. } => &["7.2.61a"],
            Event::Points { force, .. } if *force == Force::Spanish => &["7.2.65a"],
            Event::Points { .. } => &["14.4.6b"],
            Event::SurrenderRoll { .. } | Event::NoSurrenderRoll { .. } => &["4.1b"],
            Event::Jarcias => &["4.1f"],
            Event::WithdrawalRoll { .. } => &["4.2a"],
            Event::SupplyChecked { .. } => &["10.3a"],
            Event::LogisticsMade { .. } => &["14.5.1d", "A49"],
            Event::Detached { into, .. } if into.len() > 1 => &["13.2a"],
            Event::Detached { .. } => &["13.1a"],
            Event::Reorganized { .. } | Event::Laid { .. } => &["14.6a"],
            Event::ModeSet { .. } => &["2g"],
            Event::Fever { .. } => &["12a"],
            Event::Landed { .. } => &["8.2b"],
            Event::BaseLanded { .. } => &["10.2e"],
            Event::Entered { .. } => &["8.3a"],
            Event::Moved { led: true, .. } => &["A46b"],
            Event::Moved { .. } => &["8.1a"],
            Event::JungleRoll { .. } => &["14.1a"],
            Event::GuerrillaRoll { counter: true, .. } => &["11.2.1a"],
            Event::GuerrillaRoll { reaction: true, .. } => &["11.2.2b"],
            Event::GuerrillaRoll { .. } => &["11.2.2d"],
            Event::StepRoll { .. } => &["11.3a", "11.3h"],
            Event::StepsLost { .. } => &["A26"],
            Event::Eliminated { cause, .. } => match cause {
                Cause::NoRetreat => &["A30a"],
                Cause::Overrun => &["A51"],
                Cause::Companions => &["A15a", "A30g"],
                Cause::Alone => &["A15b"],
                Cause::Used => &["14.5.1c"],
                Cause::Closed => &["A110"],
                _ => &["1.1.1c"],
            },
            Event::Disorganized { overstacked: true, .. } => &["5.3c"],
            Event::Disorganized { .. } => &["9.5a"],
            Event::Opened { why, .. } => match why {
                Why::Reconnaissance => &["11.3e"],
                Why::CubaLibre => &["A67"],
                _ => &["A60"],
            },
            Event::DummyShown { .. } => &["14.7e"],
            Event::Guessed { .. } => &["14.6a"],
            Event::LeaderMoved { .. } => &["A15b"],
            Event::Control { .. } => &["A07a"],
            Event::BalloonSet { .. } => &["14.8d"],
            Event::Observed { .. } => &["14.8f"],
            Event::Coordination { .. } => &["14.2a"],
            Event::Combat { .. } => &["9.1b"],
            Event::Supported { .. } => &["14.4.5a"],
            Event::FireRoll { kind, .. } | Event::NoFire { kind, .. } => match kind {
                FireKind::Defence => &["9.2b"],
                FireKind::Attack => &["9.2c"],
                FireKind::Bombardment => &["9.6e"],
                FireKind::Naval => &["9.7a"],
            },
            Event::FriendlyFire { .. } => &["14.3a"],
            Event::Shock { .. } => &["9.2e", "9.2g"],
            Event::NoShock { .. } => &["A28c"],
            Event::Retreated { .. } => &["9.3a"],
            Event::Advanced { .. } => &["9.4a"],
            Event::TurnEnded { .. } => &["2m", "2n"],
            Event::Halted { clause, .. } | Event::NotDone { clause, .. } => return vec![*clause],
            Event::Ended { ending } => match ending {
                Ending::Surrender => &["4.1i"],
                Ending::Withdrawal => &["4.2d"],
                Ending::BaseTaken => &["4.3a", "4.3b"],
                Ending::SantiagoHolds => &["4.1k"],
                Ending::Drawn => &["A06"],
            },
            Event::Lapsed(lapse) => return vec![lapse.clause],
        };
        let mut clauses: Vec<Clause> = fixed.iter().copied().map(Clause).collect();
        match self {
            Event::SurrenderRoll { modifiers, .. }
            | Event::WithdrawalRoll { modifiers, .. }
            | Event::JungleRoll { modifiers, .. }
            | Event::GuerrillaRoll { modifiers, .. }
            | Event::FireRoll { modifiers, .. } => clauses.extend(modifiers.clauses()),
            Event::Shock { shifts, modifiers, .. } => {
                clauses.extend(shifts.clauses());
                clauses.extend(modifiers.clauses());
            }
            _ => {}
        }
        clauses
    }
}
