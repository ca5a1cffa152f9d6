//! Order files: leader placement, leader moves and the ordered list of activations, as a player writes them.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Serialize, Serializer};

use crate::board::{Facing, Relative, Square};
use crate::engine::Concealed;
use crate::engine::doc::{DocPath, FromDoc, Node, Reader};
use crate::{document, words};

use super::LoneWarrior;
use super::policy::{InMelee, Redraw};
use super::terms::{AreaId, Battlefield, LeaderId, UnitId};

document! {
    /// Set-up: the unit each leader joins. A leader left out joins his default unit (§A56).
    #[derive(Default)]
    pub struct SetupOrders {
        /// Leader and unit, one line each: `kent: sj-6`.
        pub leaders: BTreeMap<LeaderId, UnitId>,
    }
}

words! {
    /// A direction as the unit sees it.
    pub enum Direction {
        /// One box straight ahead.
        Ahead = "ahead" | "forward",
        /// Two boxes straight ahead (§5.D1a).
        TwoAhead = "two-ahead" | "2-ahead" | "ahead-2",
        /// One box diagonally ahead to the left.
        AheadLeft = "ahead-left",
        /// One box diagonally ahead to the right.
        AheadRight = "ahead-right",
        /// One box sideways to the left.
        Left = "left",
        /// One box sideways to the right.
        Right = "right",
        /// One box straight back.
        Back = "back" | "rear" | "backward",
    }
}

impl Direction {
    /// The box next to the unit on this way.
    pub const fn relative(self) -> Relative {
        match self {
            Direction::Ahead | Direction::TwoAhead => Relative::Ahead,
            Direction::AheadLeft => Relative::AheadLeft,
            Direction::AheadRight => Relative::AheadRight,
            Direction::Left => Relative::Left,
            Direction::Right => Relative::Right,
            Direction::Back => Relative::Back,
        }
    }
}

/// Where a unit goes: a direction, a box or the unit in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A direction as the unit sees it.
    Step(Direction),
    /// A box.
    Box(Square),
    /// The box of this unit.
    To(UnitId),
}

impl Serialize for Way {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Way::Step(direction) => direction.serialize(serializer),
            Way::Box(square) => square.serialize(serializer),
            Way::To(unit) => unit.serialize(serializer),
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Way::Step(direction) => direction.fmt(f),
            Way::Box(square) => square.fmt(f),
            Way::To(unit) => unit.fmt(f),
        }
    }
}

/// Reads a box or the name of a unit: what is known as neither is reported as a box.
fn box_or_unit(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Way> {
    let text = reader.text(node, at, "a direction, a box or a unit")?;
    if let Ok(unit) = reader.lexicon.look_up("unit", text) {
        return Some(Way::To(UnitId::of(&unit)));
    }
    Square::read(node, at, reader).map(Way::Box)
}

impl FromDoc for Way {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        if let Some(direction) = node.as_text().and_then(Direction::from_word) {
            return Some(Way::Step(direction));
        }
        box_or_unit(node, at, reader)
    }
}

crate::described!(Way, _ => {
    let words: Vec<&str> = Direction::ALL.iter().map(|direction| direction.as_str()).collect();
    schemars::json_schema!({
        "type": ["string", "integer"],
        "description": format!("A direction ({}), a box, or the unit in it", words.join(", ")),
    })
});

words! {
    /// A facing, by compass or as the unit sees it.
    pub enum Face {
        /// As it looks now.
        Front = "front" | "keep",
        /// To its left.
        Left = "left",
        /// To its right.
        Right = "right",
        /// To its rear.
        Rear = "rear" | "back",
        /// North: lane 1.
        North = "n" | "north",
        /// East: the U.S. edge.
        East = "e" | "east",
        /// South: the last lane.
        South = "s" | "south",
        /// West: the Spanish edge.
        West = "w" | "west",
    }
}

impl Face {
    /// The facing meant, seen from the present one.
    pub const fn from(self, facing: Facing) -> Facing {
        match self {
            Face::Front => facing,
            Face::Left => facing.left(),
            Face::Right => facing.right(),
            Face::Rear => facing.rear(),
            Face::North => Facing::N,
            Face::East => Facing::E,
            Face::South => Facing::S,
            Face::West => Facing::W,
        }
    }
}

document! {
    /// A condition: everything named must hold when the entry comes up.
    #[derive(Default)]
    pub struct Condition {
        /// These units are eliminated.
        pub gone: Vec<UnitId>,
        /// These units are still in play.
        pub alive: Vec<UnitId>,
        /// These units are disordered.
        pub disordered: Vec<UnitId>,
        /// These units are in play and in good order.
        pub good_order: Vec<UnitId>,
        /// No unit stands in these boxes.
        pub empty: Vec<Square>,
        /// An enemy unit stands in these boxes.
        pub enemy_in: Vec<Square>,
        /// A unit of the own side stands in these boxes.
        pub friend_in: Vec<Square>,
        /// These areas are in U.S. hands.
        pub captured: Vec<AreaId>,
    }
}

impl Condition {
    /// The units it names.
    pub fn units(&self) -> impl Iterator<Item = UnitId> + '_ {
        self.gone.iter().chain(&self.alive).chain(&self.disordered).chain(&self.good_order).copied()
    }

    /// The boxes it names.
    pub fn squares(&self) -> impl Iterator<Item = Square> + '_ {
        self.empty.iter().chain(&self.enemy_in).chain(&self.friend_in).copied()
    }
}

/// Whether the list ends with an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopAfter {
    /// Always.
    Always,
    /// If this holds once the entry is carried out.
    If(Condition),
}

impl Serialize for StopAfter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            StopAfter::Always => serializer.serialize_str("yes"),
            StopAfter::If(condition) => condition.serialize(serializer),
        }
    }
}

impl FromDoc for StopAfter {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        match node.as_text() {
            Some("yes" | "true") => Some(StopAfter::Always),
            Some(_) => {
                reader.fault(at, "this is no condition", "write `yes`, or a condition such as `{gone: sj-pri-2}`");
                None
            }
            None => Condition::read(node, at, reader).map(StopAfter::If),
        }
    }
}

crate::described!(StopAfter, generator => {
    let condition = generator.subschema_for::<Condition>();
    schemars::json_schema!({ "anyOf": [{ "const": "yes" }, { "const": true }, condition] })
});

document! {
    /// One activation: a unit and the one thing it tries to do (§5k).
    ///
    /// `move: ahead` with `shoot` moves first and shoots from the new box (§5.D5a); `move: back` with `shoot` shoots
    /// first (§5.D4a).
    pub struct Activation {
        /// The unit.
        pub unit: UnitId,
        /// Move: `ahead`, `two-ahead`, `ahead-left`, `ahead-right`, `left`, `right`, `back`, or the box.
        pub r#move: Option<Way>,
        /// Charge: `ahead`, `ahead-left`, `ahead-right`, `back`, or the enemy unit or its box.
        pub charge: Option<Way>,
        /// Shoot at this enemy unit.
        pub shoot: Option<UnitId>,
        /// Turn: `left`, `right`, `rear`, or a compass point.
        pub turn: Option<Face>,
        /// Exchange places with the friendly unit `ahead` or `back`.
        pub exchange: Option<Way>,
        /// Try to rally from disorder.
        pub rally: bool,
        /// After a move straight back: face `front` (the default) or `rear`.
        pub face: Option<Face>,
        /// After a won charge: the facing in the box entered; `keep` is the default.
        pub advance_facing: Option<Face>,
        /// In a melee of this charge: `fight`, `withdraw-if-disordered`, `withdraw-now` or `{withdraw-after: 2}`.
        pub melee: Option<InMelee>,
        /// For which draws of this activation its leaders redraw.
        pub redraw: Option<Vec<Redraw>>,
        /// For which draws of this activation its hero redraws.
        pub hero: Option<Vec<Redraw>>,
        /// Carry the entry out only if this holds.
        pub r#if: Option<Condition>,
        /// Leave the entry out if this holds.
        pub unless: Option<Condition>,
        /// End the list after this entry: `yes`, or a condition.
        pub stop_after: Option<StopAfter>,
    }

    /// A player turn on one battlefield, or the rest of one.
    #[derive(Default)]
    pub struct FieldOrders {
        /// Where leaders go before anything else: a box, or the unit they join (§9a, §9b).
        pub leaders: BTreeMap<LeaderId, Way>,
        /// Activations, in this order, until one fails (§4f).
        pub activations: Vec<Concealed<Activation>>,
        /// When the list is through and nothing failed: another packet instead of ending the player turn.
        pub more: bool,
    }

    /// A player turn on both battlefields.
    #[derive(Default)]
    pub struct BothOrders {
        /// San Juan Heights.
        pub san_juan_heights: Option<FieldOrders>,
        /// El Caney.
        pub el_caney: Option<FieldOrders>,
    }
}

impl Activation {
    /// An entry that names its unit and nothing to do.
    pub fn of(unit: UnitId) -> Activation {
        Activation {
            unit,
            r#move: None,
            charge: None,
            shoot: None,
            turn: None,
            exchange: None,
            rally: false,
            face: None,
            advance_facing: None,
            melee: None,
            redraw: None,
            hero: None,
            r#if: None,
            unless: None,
            stop_after: None,
        }
    }

    /// The key of its action; of several, the first.
    pub fn key(&self) -> &'static str {
        let named = [
            ("move", self.r#move.is_some()),
            ("charge", self.charge.is_some()),
            ("shoot", self.shoot.is_some()),
            ("turn", self.turn.is_some()),
            ("exchange", self.exchange.is_some()),
        ];
        named.into_iter().find(|(_, named)| *named).map_or("rally", |(key, _)| key)
    }

    /// Its conditions with their keys.
    pub fn conditions(&self) -> impl Iterator<Item = (&'static str, &Condition)> {
        let stop = match &self.stop_after {
            Some(StopAfter::If(condition)) => Some(condition),
            _ => None,
        };
        let given = [("if", self.r#if.as_ref()), ("unless", self.unless.as_ref()), ("stop-after", stop)];
        given.into_iter().filter_map(|(key, condition)| Some((key, condition?)))
    }

    /// Whether its action changes where somebody stands or looks.
    pub fn moves(&self) -> bool {
        self.r#move.is_some() || self.charge.is_some() || self.turn.is_some() || self.exchange.is_some()
    }

    /// How many actions it names; move and shoot together are one (§5k).
    pub fn actions(&self) -> usize {
        let shot = self.r#move.is_some() || self.shoot.is_some();
        let named = [shot, self.charge.is_some(), self.turn.is_some(), self.exchange.is_some(), self.rally];
        named.into_iter().filter(|named| *named).count()
    }
}

/// A packet of orders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Orders {
    /// Set-up.
    Setup(SetupOrders),
    /// A player turn on the only battlefield.
    One(FieldOrders),
    /// A player turn on both.
    Both(BothOrders),
}

impl Orders {
    /// The lists of activations, battlefield by battlefield.
    pub fn fields_mut(&mut self) -> impl Iterator<Item = &mut FieldOrders> {
        let (one, both) = match self {
            Orders::Setup(_) => (None, None),
            Orders::One(field) => (Some(field), None),
            Orders::Both(both) => (None, Some([&mut both.san_juan_heights, &mut both.el_caney])),
        };
        one.into_iter().chain(both.into_iter().flatten().flatten())
    }

    /// Reads a packet by its name.
    pub fn read(
        game: &LoneWarrior,
        packet: &str,
        node: &Node,
        at: &DocPath,
        reader: &mut Reader<'_>,
    ) -> Option<Orders> {
        match packet {
            "setup" => SetupOrders::read(node, at, reader).map(Orders::Setup),
            _ if game.fields.len() == 1 => FieldOrders::read(node, at, reader).map(Orders::One),
            _ => BothOrders::read(node, at, reader).map(Orders::Both),
        }
    }

    /// The orders for a battlefield.
    pub fn of_field(&self, field: Battlefield) -> Option<&FieldOrders> {
        match self {
            Orders::Setup(_) => None,
            Orders::One(orders) => Some(orders),
            Orders::Both(both) => match field {
                Battlefield::SanJuan => both.san_juan_heights.as_ref(),
                Battlefield::ElCaney => both.el_caney.as_ref(),
            },
        }
    }

    /// Where in the packet the orders for a battlefield stand.
    pub fn path_of(&self, field: Battlefield) -> DocPath {
        match self {
            Orders::Both(_) => DocPath::root().key(field.as_str()),
            _ => DocPath::root(),
        }
    }

    /// The leaders, activations and wishes of a packet, each by its place.
    pub fn entries(&self) -> Vec<DocPath> {
        let under = |at: &DocPath, leaders: &mut dyn Iterator<Item = &LeaderId>| -> Vec<DocPath> {
            leaders.map(|id| at.key("leaders").key(id.as_str())).collect()
        };
        let mut entries = Vec::new();
        if let Orders::Setup(setup) = self {
            entries.extend(under(&DocPath::root(), &mut setup.leaders.keys()));
        }
        for field in Battlefield::ALL {
            let Some(orders) = self.of_field(*field) else { continue };
            let at = self.path_of(*field);
            entries.extend(under(&at, &mut orders.leaders.keys()));
            entries.extend((0..orders.activations.len()).map(|index| at.key("activations").index(index)));
            entries.extend(orders.more.then(|| at.key("more")));
            if matches!(self, Orders::One(_)) {
                break;
            }
        }
        entries
    }
}
