//! What can happen, each event with its cause, its arithmetic and its clauses.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::{Serialize, Serializer};

use crate::board::{Facing, Square};
use crate::engine::{self, Cast, Clause, Lapse, Tally};

use super::terms::{AreaId, Arm, Battlefield, HeroId, LeaderId, Power, UnitId};

/// Who has a chip drawn again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Saviour {
    /// A leader (§9d).
    Leader(LeaderId),
    /// A hero (§9n).
    Hero(HeroId),
}

/// How many chips of a draw succeed, with the words for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Drawn(usize, &'static [&'static str]);

impl Drawn {
    /// So many, told by the word at that place.
    pub const fn new(count: usize, words: &'static [&'static str]) -> Drawn {
        Drawn(count, words)
    }

    /// How many.
    pub fn count(self) -> u32 {
        u32::try_from(self.0).unwrap_or(u32::MAX)
    }
}

impl fmt::Display for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.1.get(self.0).copied().unwrap_or_default())
    }
}

/// Chips of one draw, a list however many they are; in an outlook their chances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chips(pub Cast);

impl Serialize for Chips {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_foreseen() { self.0.serialize(serializer) } else { self.0.faces().serialize(serializer) }
    }
}

/// Chips drawn again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Redrawn {
    /// By whom.
    pub by: Saviour,
    /// The chips put back.
    pub instead_of: Vec<u16>,
    /// The chips that count now (§A43).
    pub chips: Chips,
}

/// Why an action is difficult.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Difficulty {
    /// In a player's words.
    pub what: Cow<'static, str>,
    /// The clause.
    pub clause: Clause,
}

/// The side of the target that is hit (§A15).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aspect {
    /// The front.
    Front,
    /// A flank: enfilade.
    Flank,
    /// The rear.
    Rear,
    /// A building has neither flank nor rear (§A25).
    Building,
    /// Guns off the table have none either (§A20).
    OffTable,
}

impl Aspect {
    /// Flank or rear?
    pub const fn is_exposed(self) -> bool {
        matches!(self, Aspect::Flank | Aspect::Rear)
    }
}

/// What a save is against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Against {
    /// A hit by fire (§6.9a).
    Fire,
    /// A hit in melee (§7k).
    Melee,
    /// A charge (§7c).
    Charge,
    /// Disorder (§8c).
    Disorder,
}

/// How a player turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TurnEnd {
    /// An activation failed (§5e).
    Failed,
    /// The list is through, or the player stopped (§A4).
    Stopped,
    /// Every unit has been activated (§A4).
    NobodyLeft,
}

/// How a leader left the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeaderFate {
    /// Killed with his unit under fire or in melee (§9q, §9r).
    Killed,
    /// Overrun with no unit left to join (§A38).
    Captured,
}

/// Why an entry of the list was passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Passed {
    /// Its action is not possible now (§A62).
    Illegal,
    /// Its `if` does not hold, or its `unless` does.
    Condition,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Event {
    /// Leaders join their units at the start.
    LeadersPlaced { field: Battlefield, side: Power, places: BTreeMap<LeaderId, UnitId> },
    /// A placement was not allowed; the default counts.
    PlacementLapsed { leader: LeaderId, unit: UnitId, why: String, clause: Clause },
    /// A player turn begins on a battlefield.
    PlayerTurn { turn: u32, field: Battlefield, side: Power },
    /// A player turn goes on with another list.
    TurnContinued { turn: u32, field: Battlefield, side: Power },
    /// Orders for a battlefield where there is nothing to order.
    OrdersLapsed { field: Battlefield, why: String, clause: Clause },
    /// A leader moves, and is attached where he may be.
    LeaderMoved { leader: LeaderId, from: Square, to: Square, with: Option<UnitId> },
    /// A leader order could not be carried out.
    LeaderOrderLapsed { leader: LeaderId, why: String, clause: Clause },
    /// An entry of the list was passed over; no chip is drawn.
    Skipped { unit: UnitId, action: String, because: Passed, why: String, clause: Clause },
    /// A sealed entry was no activation.
    EntryLapsed { why: String },
    /// An attempt to activate.
    Activation {
        unit: UnitId,
        action: String,
        needs: u16,
        number: Tally,
        difficult: Vec<Difficulty>,
        chip: Cast,
        redrawn: Vec<Redrawn>,
        success: bool,
        /// In an outlook: who would have a failed chip drawn again.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        standing_by: Vec<Saviour>,
    },
    /// Part of an entry could not be carried out; the rest is.
    PartLapsed { unit: UnitId, why: String, clause: Clause },
    /// A unit moves.
    Moved { unit: UnitId, from: Square, to: Square, facing: Facing, clause: Clause },
    /// A unit turns in place.
    Turned { unit: UnitId, from: Facing, to: Facing, clause: Clause },
    /// Two units change places.
    Exchanged { unit: UnitId, partner: UnitId, to: Square, partner_to: Square },
    /// A unit shoots.
    Shot {
        unit: UnitId,
        arm: Arm,
        from: Option<Square>,
        target: UnitId,
        at: Option<Square>,
        aspect: Aspect,
        needs: u16,
        chips: Chips,
        why_chips: Vec<Difficulty>,
        redrawn: Vec<Redrawn>,
        hits: u32,
    },
    /// A leader's survival chip.
    Survival { leader: LeaderId, unit: UnitId, chip: Cast, dies: bool, clause: Clause },
    /// A save.
    Save {
        unit: UnitId,
        against: Against,
        modifiers: Tally,
        chip: Cast,
        redrawn: Vec<Redrawn>,
        total: i32,
        needs: i32,
        success: bool,
    },
    /// A unit is disordered.
    Disordered { unit: UnitId },
    /// A unit is in good order again.
    Rallied { unit: UnitId },
    /// A rally failed.
    StillDisordered { unit: UnitId },
    /// A unit is eliminated.
    Eliminated { unit: UnitId, side: Power, lost: u32, limit: u32 },
    /// A charge hits home.
    Charged { unit: UnitId, from: Square, target: UnitId, at: Square, aspect: Aspect, uphill: Option<Power> },
    /// The defender stands and strikes first.
    Stood { unit: UnitId },
    /// The defender must fight and the attacker strikes first.
    MustFight { unit: UnitId },
    /// A unit strikes.
    Strike {
        unit: UnitId,
        target: UnitId,
        needs: u16,
        chips: Chips,
        redrawn: Vec<Redrawn>,
        hits: u32,
        disordered: bool,
    },
    /// A unit leaves a melee.
    Withdrew { unit: UnitId, from: Square, to: Square, boxes: u32, facing: Facing, clause: Clause },
    /// The attacker enters the box left empty.
    Advanced { unit: UnitId, from: Square, to: Square, facing: Facing },
    /// The defender keeps its box.
    Held { unit: UnitId, at: Square, attacker_withdrew: bool },
    /// A leader is left without a unit.
    LeaderAlone { leader: LeaderId, at: Square },
    /// An overrun leader joins the nearest unit.
    LeaderJoined { leader: LeaderId, from: Square, to: Square, unit: UnitId },
    /// A leader is out of the game.
    LeaderLost { leader: LeaderId, fate: LeaderFate, clause: Clause },
    /// A hero dies with his unit.
    HeroLost { hero: HeroId, unit: UnitId },
    /// An objective changes hands.
    Captured { area: AreaId, at: Square, side: Power },
    /// A player turn is over.
    TurnEnded { field: Battlefield, side: Power, how: TurnEnd, unused: u32 },
    /// A battlefield is decided.
    Decided { field: Battlefield, winner: Power, us_lost: u32, spanish_lost: u32, captured: Vec<AreaId> },
    /// A choice was not legal and the default took its place.
    ChoiceLapsed(Lapse),
}

impl From<Lapse> for Event {
    fn from(lapse: Lapse) -> Event {
        Event::ChoiceLapsed(lapse)
    }
}

fn redraw_clauses(redrawn: &[Redrawn], clause: &'static str) -> Vec<Clause> {
    let of = |redrawn: &Redrawn| match redrawn.by {
        Saviour::Leader(_) => [Clause(clause), Clause("A43")],
        Saviour::Hero(_) => [Clause(clause), Clause("9n")],
    };
    redrawn.iter().flat_map(of).collect()
}

impl engine::Event for Event {
    fn clauses(&self) -> Vec<Clause> {
        let fixed: &[&'static str] = match self {
            Event::LeadersPlaced { field: Battlefield::SanJuan, side: Power::Spain, .. } => &["9x", "A56"],
            Event::LeadersPlaced { field: Battlefield::SanJuan, side: Power::Us, .. } => &["9z", "9aa", "A56"],
            Event::LeadersPlaced { field: Battlefield::ElCaney, side: Power::Spain, .. } => &["9af", "A56"],
            Event::LeadersPlaced { field: Battlefield::ElCaney, side: Power::Us, .. } => &["9ad", "A56"],
            Event::PlacementLapsed { clause, .. }
            | Event::OrdersLapsed { clause, .. }
            | Event::PartLapsed { clause, .. }
            | Event::LeaderOrderLapsed { clause, .. }
            | Event::Skipped { clause, .. }
            | Event::LeaderLost { clause, .. }
            | Event::Moved { clause, .. }
            | Event::Turned { clause, .. } => return vec![*clause],
            Event::Survival { clause, .. } => return [*clause, Clause("9t"), Clause("A45")].into(),
            Event::Withdrew { clause, .. } => return [*clause, Clause("A32"), Clause("A64")].into(),
            Event::PlayerTurn { side: Power::Spain, .. } => &["4a", "4b", "A2"],
            Event::PlayerTurn { side: Power::Us, .. } => &["4a", "4b"],
            Event::TurnContinued { .. } => &["4f", "5d"],
            Event::LeaderMoved { .. } => &["9a", "9b", "A37"],
            Event::EntryLapsed { .. } => &["5k"],
            Event::Activation { number, difficult, redrawn, success, .. } => {
                let mut clauses = vec![Clause("5b"), Clause(if *success { "5c" } else { "5e" })];
                if !success {
                    clauses.push(Clause("5f"));
                }
                clauses.extend(number.clauses());
                clauses.extend(difficult.iter().map(|reason| reason.clause));
                clauses.extend(redraw_clauses(redrawn, "9f"));
                return clauses;
            }
            Event::Exchanged { .. } => &["5.D6a", "5.D6b", "A12"],
            Event::Shot { needs, why_chips, redrawn, .. } => {
                let number = if *needs == super::terms::HIT { "6.7c" } else { "6.7e" };
                let mut clauses = vec![Clause("5.N3"), Clause("6.7a"), Clause(number)];
                clauses.extend(why_chips.iter().map(|reason| reason.clause));
                clauses.extend(redraw_clauses(redrawn, "9g"));
                return clauses;
            }
            Event::Save { against, modifiers, redrawn, success, .. } => {
                let (head, redraw) = match against {
                    Against::Fire => ("6.9a", "9i"),
                    Against::Melee => ("7k", "9i"),
                    Against::Charge => ("7c", "9i"),
                    Against::Disorder => ("8c", "9j"),
                };
                let mut clauses = vec![Clause(head), Clause("S4")];
                if *success && matches!(against, Against::Fire | Against::Melee) {
                    clauses.push(Clause("6.10d"));
                }
                clauses.extend(modifiers.clauses());
                clauses.extend(redraw_clauses(redrawn, redraw));
                return clauses;
            }
            Event::Disordered { .. } => &["6.10b", "8b"],
            Event::Rallied { .. } => &["8d"],
            Event::StillDisordered { .. } => &["8e"],
            Event::Eliminated { side: Power::Spain, .. } => &["6.10a", "A50"],
            Event::Eliminated { side: Power::Us, .. } => &["6.10c", "A50"],
            Event::Charged { .. } => &["7a", "A26"],
            Event::Stood { .. } => &["7f"],
            Event::MustFight { .. } => &["7g"],
            Event::Strike { disordered, redrawn, chips, .. } => {
                let mut clauses = vec![Clause("7h"), Clause(if *disordered { "7j" } else { "7i" })];
                if chips.0.faces().len() > 1 {
                    clauses.push(Clause("9h3"));
                }
                clauses.extend(redraw_clauses(redrawn, "9h"));
                return clauses;
            }
            Event::Advanced { .. } => &["7o", "7p", "A64"],
            Event::Held { attacker_withdrew: true, .. } => &["S3", "A35"],
            Event::Held { .. } => &["A35"],
            Event::LeaderAlone { .. } => &["A38"],
            Event::LeaderJoined { .. } => &["A38"],
            Event::HeroLost { .. } => &["9w"],
            Event::Captured { .. } => &["A49"],
            Event::TurnEnded { how: TurnEnd::Failed, .. } => &["4f", "5e"],
            Event::TurnEnded { .. } => &["A4"],
            Event::Decided { winner: Power::Spain, .. } => &["3a", "4h", "A51"],
            Event::Decided { field: Battlefield::SanJuan, .. } => &["3b", "3c", "3e", "4h", "A51"],
            Event::Decided { field: Battlefield::ElCaney, .. } => &["3b", "3d", "3e", "4h", "A51"],
            Event::ChoiceLapsed(lapse) => return vec![lapse.clause],
        };
        fixed.iter().copied().map(Clause).collect()
    }
}
