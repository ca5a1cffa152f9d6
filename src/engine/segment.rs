//! What goes into the resolution of one segment, and what comes out of it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::dice::{Die, Seed};
use super::{Asked, Holdings, Json, Key, Lapse, Side, Slot};

/// Where a resolution ended, and who must speak next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The span is over: a packet of orders is due.
    Orders {
        /// From whom.
        who: Side,
        /// The packet: `setup`, `turn`, `defensive-fire`.
        ask: &'static str,
        /// Whether it comes openly or as a sealed plan.
        flow: Flow,
    },
    /// Questions of one person are open; the span goes on with his answers.
    Answers {
        /// Who must answer.
        who: Side,
        /// What.
        questions: Vec<Asked>,
    },
    /// Hidden facts must be stated or opened by their owner, who decides nothing.
    Facts {
        /// The owner.
        who: Side,
        /// Slots to open.
        slots: Vec<Slot>,
        /// Claims to state.
        claims: Vec<Key>,
    },
    /// The game is over.
    End,
}

impl Stop {
    /// Who must speak next.
    pub fn who(&self) -> Option<Side> {
        match self {
            Stop::Orders { who, .. } | Stop::Answers { who, .. } | Stop::Facts { who, .. } => Some(*who),
            Stop::End => None,
        }
    }

    /// The word for what is due, as records write it.
    pub fn ask(&self) -> &'static str {
        match self {
            Stop::Orders { ask, .. } => ask,
            Stop::Answers { .. } => "answers",
            Stop::Facts { .. } => "facts",
            Stop::End => "end",
        }
    }

    /// Whether the span is over: the state is the base of the next one.
    pub fn ends_span(&self) -> bool {
        matches!(self, Stop::Orders { .. } | Stop::End)
    }
}

/// How a packet reaches the opponent. Follows from the game and its options, never from a player's wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Flow {
    /// The packet is sent openly and the opponent closes it.
    #[default]
    Direct,
    /// The packet is a plan with sealed entries; its author closes it after the opponent's call.
    Plan,
}

/// The dice of a segment.
#[derive(Clone, Debug)]
pub enum Dice {
    /// Made from the segment's seed and the label of each roll.
    Seed(Seed),
    /// Given one by one, for a conformance case.
    Fixed(VecDeque<FixedDie>),
    /// None yet: resolution runs up to the first new die. For checking answers and stating facts beforehand.
    None,
}

/// One entry of a case's dice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedDie {
    /// The label the roll must have, if the case names it.
    pub label: Option<String>,
    /// The faces of the whole roll; a single face may also serve one die of a larger roll.
    pub faces: Vec<u16>,
}

/// A roll as the result records it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rolled {
    /// The label.
    pub label: Key,
    /// The sides of each die.
    pub sides: Vec<Die>,
    /// What everybody sees of it.
    pub shown: Shown,
}

impl Rolled {
    /// The faces everybody sees; none of a secret roll.
    pub fn faces(&self) -> &[u16] {
        match &self.shown {
            Shown::Faces(faces) => faces,
            Shown::Secret { .. } => &[],
        }
    }
}

/// What everybody sees of a roll.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The faces.
    Faces(Vec<u16>),
    /// Nothing but whose ticket was spent on it: the faces are its owner's to know.
    Secret {
        /// The owner.
        by: Side,
        /// The ticket.
        ticket: Slot,
    },
}

/// Everything earlier segments of the span fixed, by key. Derived while walking a ledger, never stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// Rolls.
    pub rolls: BTreeMap<Key, Rolled>,
    /// Choices, however they were made.
    pub choices: BTreeMap<Key, Json>,
    /// Choices that were replaced by their default; told again on replay.
    pub lapses: BTreeMap<Key, Lapse>,
    /// Facts claimed about hidden values.
    pub facts: BTreeMap<Key, Json>,
    /// Hidden values opened in this span, by slot and version.
    pub opened: BTreeMap<(Side, Slot, u32), Json>,
    /// Questions put in an earlier stop of the span; one left unanswered takes its default.
    pub asked: BTreeSet<Key>,
    /// How often each side has been stopped for answers in this span.
    pub stops: BTreeMap<Side, u32>,
    /// What secret rolls of this span came to, where this view can know it.
    pub secrets: Holdings,
}

impl Settled {
    /// Whether a secret roll of this span has spent the ticket.
    pub fn spent(&self, side: Side, ticket: &Slot) -> bool {
        let spends =
            |shown: &Shown| matches!(shown, Shown::Secret { by, ticket: spent } if *by == side && spent == ticket);
        self.rolls.values().any(|roll| spends(&roll.shown))
    }
}

/// What the records say up to this segment's orders, and in its result when verifying.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Answers to the questions of earlier stops of this span.
    pub answers: BTreeMap<Key, Json>,
    /// Policies in force by side and kind: a value, `default` or `ask`.
    pub policies: BTreeMap<(Side, String), Json>,
    /// Where a policy lies sealed, other than in its standing order: the entries of a plan.
    pub policy_slots: BTreeMap<(Side, String), Slot>,
    /// Entries of a plan that are marked as unconditional: they are opened when their turn comes.
    pub unconditional: BTreeSet<Slot>,
    /// Facts about hidden values, by the side that stated them: only the owner's word counts.
    pub claims: BTreeMap<(Side, Key), Json>,
    /// Hidden values opened by their owners in records of this segment.
    pub reveals: BTreeMap<(Side, Slot), Json>,
}

/// How questions nobody answered beforehand are treated: the game's options `questions` and `max-asks`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Questions {
    /// `questions: ask`: stop where nothing was said. Otherwise the default applies and no decision ever stops the game.
    pub ask: bool,
    /// How many answer stops each side may cause in one span.
    pub max_asks: Option<u32>,
}

/// The version in force of each committed slot.
pub type Versions = BTreeMap<(Side, Slot), u32>;

/// The tickets for secret rolls, and what this view needs to know such a roll.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tickets {
    /// Those not spent before this segment, the next one first.
    pub unspent: BTreeMap<Side, Vec<Slot>>,
    /// The one to be committed where none is left; nothing where nothing is sealed.
    pub lacking: BTreeMap<Side, Slot>,
    /// The salts of those this view can open.
    pub salts: BTreeMap<(Side, Slot), String>,
}

impl Tickets {
    /// For a game without secret rolls.
    pub const NONE: &'static Tickets =
        &Tickets { unspent: BTreeMap::new(), lacking: BTreeMap::new(), salts: BTreeMap::new() };
}

/// One segment to resolve.
#[derive(Clone, Debug)]
pub struct Segment<'a> {
    /// The dice.
    pub dice: Dice,
    /// What earlier segments of the span fixed.
    pub settled: Settled,
    /// What was said.
    pub said: &'a Said,
    /// Values anybody can read in the ledger, opened before this segment.
    pub public: &'a Holdings,
    /// Values this view holds.
    pub holdings: &'a Holdings,
    /// The version in force of every slot that was committed. Empty where nothing is sealed: solo games and cases.
    pub versions: &'a Versions,
    /// What secret rolls are made with.
    pub tickets: &'a Tickets,
    /// The sides whose hidden values the closer can open: his own; all of them for a game master, in solo and in cases.
    pub closer_holds: &'a [Side],
    /// How open questions are treated.
    pub questions: Questions,
}

/// A hidden value opened in this segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Whose it is.
    pub owner: Side,
    /// Its slot.
    pub slot: Slot,
    /// The version that was in force.
    pub version: u32,
    /// Its value.
    pub value: Json,
}

/// A fact about hidden values stated in this segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Whose values it is about.
    pub owner: Side,
    /// Its key.
    pub key: Key,
    /// The fact.
    pub value: Json,
}

/// What is new in a segment: the content of its result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Minutes {
    /// Rolls, in the order the rules called for them.
    pub rolls: Vec<Rolled>,
    /// Openings, in order.
    pub reveals: Vec<Opening>,
    /// Claims, in order.
    pub claims: Vec<Claim>,
}
