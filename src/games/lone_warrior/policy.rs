//! Questions a player can settle beforehand: policies for his own turn, standing orders for the opponent's.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::board::Facing;
use crate::engine::doc::{DocPath, FromDoc, Node, Reader};
use crate::engine::{self, Clause, Kind, KindInfo, Moment, Side};
use crate::{document, words};

use super::events::Drawn;
use super::orders::Face;
use super::terms::{LeaderId, UnitId};
use super::{SPAIN, US};

/// Whether a charged unit that passed its opening save stands or withdraws (§7d, §7f).
pub const ON_CHARGE: Kind = Kind("on-charge");
/// Whether a unit strikes or withdraws in a melee (§7m).
pub const IN_MELEE: Kind = Kind("in-melee");
/// Whether a leader has a chip drawn again (§9d).
pub const REDRAW: Kind = Kind("redraw");
/// Whether a hero has a chip drawn again (§9n).
pub const HERO: Kind = Kind("hero");
/// Where a victorious attacker looks (§7p).
pub const ADVANCE_FACING: Kind = Kind("advance-facing");
/// Which of several equally near units a leader flees to (§A38).
pub const JOIN: Kind = Kind("join");

words! {
    /// What a charged unit does after a passed opening save.
    pub enum OnCharge {
        /// Stand and strike first.
        Stand = "stand",
        /// Withdraw three boxes.
        Withdraw = "withdraw" | "withdraw3" | "withdraw-3",
        /// Withdraw if disordered, else stand.
        WithdrawIfDisordered = "withdraw-if-disordered" | "withdraw3-if-disordered",
    }
}

words! {
    /// The answer when a unit has passed its opening save.
    pub enum Stand {
        /// Stand and strike first.
        Stand = "stand",
        /// Withdraw three boxes.
        Withdraw = "withdraw",
    }
}

words! {
    /// The answer when it is a unit's turn to strike.
    pub enum Blow {
        /// Strike.
        Strike = "strike",
        /// Withdraw one box.
        Withdraw = "withdraw",
    }
}

words! {
    /// The answer when a chip could be drawn again.
    pub enum Again {
        /// The chips stand.
        Accept = "accept",
        /// One missed chip is drawn again.
        One = "one",
        /// Every missed chip is drawn again.
        All = "all" | "redraw",
    }
}

words! {
    /// A draw that may be repeated.
    pub enum Redraw {
        /// A failed activation (§9f).
        Activation = "activation",
        /// All missed hit chips of a shot (§9g).
        Fire = "fire",
        /// One missed hit chip of a shot.
        FireOne = "fire-one",
        /// All missed hit chips of a strike (§9h).
        Melee = "melee",
        /// One missed hit chip of a strike.
        MeleeOne = "melee-one",
        /// A failed save (§9i).
        Save = "save",
        /// A failed save that would remove the unit.
        SaveIfLethal = "save-if-lethal",
        /// A failed opening save (§9i).
        OpeningSave = "opening-save",
        /// A failed rally save (§9j).
        Rally = "rally",
    }
}

impl Redraw {
    /// A redraw of hit chips, which is for infantry only (§9h2)?
    pub const fn is_of_hits(self) -> bool {
        matches!(self, Redraw::Fire | Redraw::FireOne | Redraw::Melee | Redraw::MeleeOne)
    }
}

/// A draw in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    /// An activation.
    Activation,
    /// Hit chips of a shot.
    Fire,
    /// Hit chips of a strike.
    Melee,
    /// A save; lethal if failing it removes the unit.
    Save {
        /// Does failing it remove the unit?
        lethal: bool,
    },
    /// The opening save of a melee.
    Opening,
    /// A rally save.
    Rally,
}

impl Draw {
    /// What a list of draws to repeat says about this one.
    pub fn again(self, list: &[Redraw]) -> Again {
        let all = |covers: bool| if covers { Again::All } else { Again::Accept };
        let has = |redraw| list.contains(&redraw);
        match self {
            Draw::Activation => all(has(Redraw::Activation)),
            Draw::Fire if has(Redraw::Fire) => Again::All,
            Draw::Fire if has(Redraw::FireOne) => Again::One,
            Draw::Melee if has(Redraw::Melee) => Again::All,
            Draw::Melee if has(Redraw::MeleeOne) => Again::One,
            Draw::Fire | Draw::Melee => Again::Accept,
            Draw::Save { lethal } => all(has(Redraw::Save) || (lethal && has(Redraw::SaveIfLethal))),
            Draw::Opening => all(has(Redraw::OpeningSave)),
            Draw::Rally => all(has(Redraw::Rally)),
        }
    }

    /// What chips of this draw come to.
    pub fn read(self, chips: &[u16], fails: impl Fn(u16) -> bool) -> Drawn {
        let words: &[&str] = match self {
            Draw::Activation => &["fails", "activates"],
            Draw::Fire | Draw::Melee => &["a miss", "a hit", "2 hits", "3 hits", "4 hits"],
            Draw::Save { .. } | Draw::Opening | Draw::Rally => &["failed", "passed"],
        };
        Drawn::new(chips.iter().filter(|chip| !fails(**chip)).count(), words)
    }

    /// The clause that lets a leader repeat it.
    pub const fn clause(self) -> Clause {
        match self {
            Draw::Activation => Clause("9f"),
            Draw::Fire => Clause("9g"),
            Draw::Melee => Clause("9h"),
            Draw::Save { .. } | Draw::Opening => Clause("9i"),
            Draw::Rally => Clause("9j"),
        }
    }
}

/// What a leader redraws where nobody says otherwise.
pub const LEADER_DEFAULT: &[Redraw] = &[Redraw::Activation, Redraw::Save, Redraw::Rally];
/// What a hero redraws where nobody says otherwise.
pub const HERO_DEFAULT: &[Redraw] = &[Redraw::Activation, Redraw::SaveIfLethal];

document! {
    /// Strike so often, then withdraw.
    #[derive(Copy)]
    pub struct WithdrawAfter {
        /// How many strikes of its own the unit makes in this melee before it withdraws.
        pub withdraw_after: u32,
    }
}

words! {
    /// How a unit behaves in a melee.
    pub enum MeleeWord {
        /// Strike to the end.
        Fight = "fight",
        /// Strike in good order, withdraw once disordered.
        WithdrawIfDisordered = "withdraw-if-disordered",
        /// Withdraw at the first chance.
        WithdrawNow = "withdraw-now",
    }
}

/// How a unit behaves in a melee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum InMelee {
    /// By a word.
    Word(MeleeWord),
    /// After some strikes.
    After(WithdrawAfter),
}

impl InMelee {
    /// What it says when a strike is due.
    pub fn blow(self, disordered: bool, struck: u32) -> Blow {
        let withdraw = match self {
            InMelee::Word(MeleeWord::Fight) => false,
            InMelee::Word(MeleeWord::WithdrawIfDisordered) => disordered,
            InMelee::Word(MeleeWord::WithdrawNow) => true,
            InMelee::After(after) => struck >= after.withdraw_after,
        };
        if withdraw { Blow::Withdraw } else { Blow::Strike }
    }
}

impl FromDoc for InMelee {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        match node {
            Node::Map(_) => WithdrawAfter::read(node, at, reader).map(InMelee::After),
            _ => MeleeWord::read(node, at, reader).map(InMelee::Word),
        }
    }
}

crate::described!(InMelee, generator => {
    let word = generator.subschema_for::<MeleeWord>();
    let after = generator.subschema_for::<WithdrawAfter>();
    schemars::json_schema!({ "anyOf": [word, after] })
});

/// One rule for all, or one for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Per<K, T> {
    /// For all.
    All(T),
    /// For those named; the others have none.
    Each(BTreeMap<K, T>),
}

impl<K: Ord, T> Per<K, T> {
    /// What is laid down for one.
    pub fn get(&self, key: &K) -> Option<&T> {
        match self {
            Per::All(value) => Some(value),
            Per::Each(map) => map.get(key),
        }
    }
}

impl<K: Serialize, T: Serialize> Serialize for Per<K, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Per::All(value) => value.serialize(serializer),
            Per::Each(map) => map.serialize(serializer),
        }
    }
}

/// What a player can lay down for one kind of question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Policy {
    /// When charged.
    OnCharge(Per<UnitId, OnCharge>),
    /// In a melee.
    InMelee(Per<UnitId, InMelee>),
    /// What leaders redraw.
    Redraw(Per<LeaderId, Vec<Redraw>>),
    /// What heroes redraw.
    Hero(Vec<Redraw>),
    /// Where a victorious attacker looks.
    Facing(Face),
    /// Whom a fleeing leader joins, in order of preference.
    Join(Vec<UnitId>),
}

impl Policy {
    /// The facing laid down.
    pub fn facing(&self, now: Facing) -> Option<Facing> {
        match self {
            Policy::Facing(face) => Some(face.from(now)),
            _ => None,
        }
    }
}

const BOTH: &[Side] = &[SPAIN, US];

impl engine::Policy for Policy {
    const KINDS: &'static [KindInfo] = &[
        KindInfo {
            kind: ON_CHARGE,
            asked_of: BOTH,
            moment: Moment::OpponentsTurn,
            clause: Clause("7d"),
            text: "a unit is charged and passes its opening save: does it stand and strike first, or withdraw three boxes?",
            default: "it stands",
            forms: &["stand", "withdraw", "withdraw-if-disordered"],
        },
        KindInfo {
            kind: IN_MELEE,
            asked_of: BOTH,
            moment: Moment::Either,
            clause: Clause("7m"),
            text: "it is the unit's turn in a melee: does it strike, or withdraw one box?",
            default: "Spanish units strike; U.S. units strike in good order and withdraw once disordered if the box is free",
            forms: &["fight", "withdraw-if-disordered", "withdraw-now", "{withdraw-after: 2}"],
        },
        KindInfo {
            kind: REDRAW,
            asked_of: BOTH,
            moment: Moment::Either,
            clause: Clause("9d"),
            text: "a chip of a leader's unit failed and he is unused this turn: is it drawn again?",
            default: "failed activations, saves and rallies are; hits and opening saves are not",
            forms: &["[activation, save, rally]", "[fire, melee, save-if-lethal]"],
        },
        KindInfo {
            kind: HERO,
            asked_of: BOTH,
            moment: Moment::Either,
            clause: Clause("9n"),
            text: "a chip of the hero's unit failed and he is still unused: is it drawn again?",
            default: "a failed activation if no leader can, and a save that would remove the unit",
            forms: &["[activation, save-if-lethal]", "[melee]", "[]"],
        },
        KindInfo {
            kind: ADVANCE_FACING,
            asked_of: BOTH,
            moment: Moment::OwnTurn,
            clause: Clause("7p"),
            text: "a victorious attacker enters the vacated box: where does it look?",
            default: "it keeps its facing",
            forms: &["keep", "left", "right", "rear", "n", "e", "s", "w"],
        },
        KindInfo {
            kind: JOIN,
            asked_of: BOTH,
            moment: Moment::Either,
            clause: Clause("A38"),
            text: "an enemy enters the box of a lone leader: which of the nearest units does he join?",
            default: "the one nearest to the own map edge, then in the lowest lane",
            forms: &[],
        },
    ];

    fn bounds(info: &KindInfo) -> Clause {
        // A leader helps the unit he is with.
        if info.kind == REDRAW { Clause("9e") } else { info.clause }
    }

    fn naming(kind: Kind, side: Side) -> Option<&'static str> {
        match (kind, side) {
            (ON_CHARGE, SPAIN) => Some("{sj-pri-2: withdraw, sj-tal-3: stand}"),
            (ON_CHARGE, US) => Some("{sj-6: withdraw, sj-16: stand}"),
            (IN_MELEE, SPAIN) => Some("{sj-tal-3: fight}"),
            (IN_MELEE, US) => Some("{sj-6: fight}"),
            (REDRAW, SPAIN) => Some("{linares: [activation], toral: [melee-one, opening-save]}"),
            (REDRAW, US) => Some("{kent: [activation], sumner: [melee-one, opening-save]}"),
            (JOIN, SPAIN) => Some("[sj-tal-4, sj-tal-6]"),
            (JOIN, US) => Some("[sj-6, sj-16]"),
            _ => None,
        }
    }

    fn read(kind: Kind, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Policy> {
        match kind {
            ON_CHARGE => match node {
                Node::Map(_) => BTreeMap::read(node, at, reader).map(|map| Policy::OnCharge(Per::Each(map))),
                _ => OnCharge::read(node, at, reader).map(|word| Policy::OnCharge(Per::All(word))),
            },
            IN_MELEE => match node {
                Node::Map(_) if node.get("withdraw-after").is_none() => {
                    BTreeMap::read(node, at, reader).map(|map| Policy::InMelee(Per::Each(map)))
                }
                _ => InMelee::read(node, at, reader).map(|rule| Policy::InMelee(Per::All(rule))),
            },
            REDRAW => match node {
                Node::Map(_) => BTreeMap::read(node, at, reader).map(|map| Policy::Redraw(Per::Each(map))),
                _ => Vec::read(node, at, reader).map(|list| Policy::Redraw(Per::All(list))),
            },
            HERO => Vec::read(node, at, reader).map(Policy::Hero),
            ADVANCE_FACING => Face::read(node, at, reader).map(Policy::Facing),
            JOIN => Vec::read(node, at, reader).map(Policy::Join),
            _ => None,
        }
    }
}
