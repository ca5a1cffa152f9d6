//! The words of the game: forces, terrain, kinds of counter, events, and what a closed counter holds.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use crate::engine::Side;
use crate::engine::doc::{DocPath, FromDoc, Node, Reader};
use crate::{names, words};

use super::{SPAIN, US};

names! {
    /// A counter as players type it: a unit by its id, a column or brigade by its public name.
    pub Piece = "unit";
}

impl Piece {
    /// Is it the public name of a column or brigade counter: `sp-c3`, `cu-c1`, `us-b4` (A92)?
    pub fn is_counter(self) -> bool {
        Piece::counter_force(self.as_str()).is_some()
    }

    /// The force whose counter bears this public name.
    pub fn counter_force(text: &str) -> Option<Force> {
        let force = Force::ALL.iter().copied().find(|force| text.starts_with(force.counter_prefix()))?;
        let number = text.strip_prefix(force.counter_prefix())?;
        let plain = (1..=2).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
        (plain && !number.starts_with('0')).then_some(force)
    }

    /// The counter of a force with this number.
    pub fn counter(force: Force, number: u32) -> Piece {
        Piece::of(&format!("{}{number}", force.counter_prefix()))
    }
}

words! {
    /// Whose counter it is. The US player runs the US Army and the Cubans (§0c).
    pub enum Force {
        /// The US Army.
        Us = "us",
        /// The Cubans.
        Cuban = "cuban",
        /// The Spanish.
        Spanish = "spanish",
    }

    /// The terrain of a hex. Works, roads and rivers come on top of it.
    #[derive(Default)]
    pub enum Terrain {
        /// Open ground.
        Clear = "clear",
        /// Jungle.
        Jungle = "jungle",
        /// A hill.
        Hill = "hill",
        /// A beach.
        Beach = "beach",
        /// A village: no town (A57).
        Village = "village",
        /// A town.
        Town = "town",
        /// Santiago.
        City = "city",
        /// All water of the bay.
        Harbour = "harbour" | "harbor",
        /// All ocean.
        #[default]
        Ocean = "ocean",
    }

    /// What a counter is.
    pub enum UnitKind {
        /// Infantry.
        Infantry = "infantry",
        /// Cavalry, mounted or not.
        Cavalry = "cavalry",
        /// Engineers.
        Engineer = "engineer",
        /// Guerrillas (§11).
        Guerrilla = "guerrilla",
        /// Guns (§9.6).
        Artillery = "artillery",
        /// Machine guns (§9.6b).
        MachineGun = "machine-gun",
        /// A leader (§6).
        Leader = "leader",
        /// The Signals Detachment (§14.8).
        Signals = "signals",
        /// A logistic column (§14.5).
        LogisticColumn = "logistic-column",
        /// The Logistics Base Marker (§10.2).
        Base = "base",
        /// Naval gunfire (§9.7).
        Fleet = "fleet",
        /// A column counter (§14.6).
        Column = "column",
        /// A brigade counter (§14.6).
        Brigade = "brigade",
        /// A dummy (§14.7).
        Dummy = "dummy",
    }

    /// The size of a unit, a label only.
    pub enum Size {
        /// A regiment.
        Regiment = "regiment",
        /// A battalion.
        Battalion = "battalion",
        /// A brigade.
        Brigade = "brigade",
        /// A battery.
        Battery = "battery",
        /// A detachment (§13).
        Detachment = "detachment",
        /// A column.
        Column = "column",
        /// One man.
        Leader = "leader",
        /// A fleet.
        Fleet = "fleet",
        /// A marker.
        Marker = "marker",
    }

    /// What is special about a counter.
    pub enum Flag {
        /// May give off an infantry detachment (§13.1, A97).
        Detach = "detach",
        /// May be split into two artillery detachments (§13.2).
        Split = "split",
        /// The Naval Brigade (§3k, §7.2.53a).
        NavalBrigade = "naval-brigade",
        /// Garrison of a fort, until its release (§3m).
        Frozen = "frozen",
        /// Printed E: the Escario column (§3d).
        Escario = "escario",
        /// Printed *: not set up (§3c).
        Asterisk = "asterisk",
        /// Never takes fever losses (§12d).
        NoFever = "no-fever",
        /// Volunteers, a label.
        Volunteer = "volunteer",
    }

    /// How a counter comes into play.
    pub enum Setup {
        /// Free set-up (§3b).
        Start = "start",
        /// Within 3 hexes of Santiago (§3k).
        NearSantiago = "near-santiago",
        /// In its printed hex (§3l).
        Fixed = "fixed",
        /// Over the west edge (§8.3).
        Escario = "escario",
        /// By event 61-62.
        Event = "event",
        /// As the Cubans set up (§3p).
        Cuban = "cuban",
        /// By landing (§8.2).
        Sea = "sea",
        /// Made in play (§13, §14.5.2).
        Created = "created",
        /// Always at hand: the fleets.
        Always = "always",
    }

    /// How a guerrilla unit is deployed (§11.1a).
    pub enum Mode {
        /// In guerrilla.
        Guerrilla = "guerrilla",
        /// In regular order.
        Regular = "regular",
    }

    /// The historical events (§7.2).
    pub enum EventName {
        /// 11-13.
        CubaLibre = "cuba-libre",
        /// 14-16.
        FriendCalixto = "friend-calixto",
        /// 21-24.
        Patriots = "patriots",
        /// 25-26.
        YellowPress = "yellow-press",
        /// 31-33.
        TheDons = "the-dons",
        /// 34-36.
        MorroAndSocapa = "morro-and-socapa",
        /// 41-46.
        Nothing = "none",
        /// 51-52.
        RememberTheMaine = "remember-the-maine",
        /// 53-54.
        Trozos = "trozos",
        /// 55-56.
        Tocineros = "tocineros",
        /// 61-62.
        MachineGuns = "machine-guns",
        /// 63-64.
        EscarioEarly = "escario-early",
        /// 65-66.
        RunningTheBlockade = "running-the-blockade",
    }

    /// A cell of the Spanish Surrender Table.
    pub enum Surrender {
        /// No effect.
        Nothing = "-",
        /// A las Jarcias.
        Jarcias = "A",
        /// The garrison gives up.
        GivesUp = "R",
    }

    /// A cell of the US Withdrawal Table.
    pub enum Withdrawal {
        /// No effect.
        Nothing = "-",
        /// Withdrawal.
        Withdraw = "R",
    }

    /// A cell of the Guerrilla Table (§11.3t).
    pub enum GuerrillaResult {
        /// Counter-ambush.
        CounterAmbush = "CE",
        /// Nothing.
        Nothing = "-",
        /// Reconnaissance.
        Reconnaissance = "R",
        /// Ambush.
        Ambush = "E",
    }

    /// A cell of the US Army Movement Table (§14.1t).
    pub enum JungleResult {
        /// The Spanish player finishes the move.
        Opponent = "opponent",
        /// The stack stops in the hex.
        Stop = "stop",
        /// It goes on.
        Onward = "on",
    }
}

impl Force {
    /// The player who runs it.
    pub const fn side(self) -> Side {
        match self {
            Force::Us | Force::Cuban => US,
            Force::Spanish => SPAIN,
        }
    }

    /// Do the two fight each other?
    pub fn is_enemy_of(self, other: Force) -> bool {
        self.side() != other.side()
    }

    /// What the public names of its counters begin with (A92).
    pub const fn counter_prefix(self) -> &'static str {
        match self {
            Force::Us => "us-b",
            Force::Cuban => "cu-c",
            Force::Spanish => "sp-c",
        }
    }

    /// Whose something is: "US fire".
    pub const fn name(self) -> &'static str {
        match self {
            Force::Us => "US",
            Force::Cuban => "Cuban",
            Force::Spanish => "Spanish",
        }
    }

    /// Who they are, as the subject of a sentence.
    pub const fn people(self) -> &'static str {
        match self {
            Force::Us => "Americans",
            Force::Cuban => "Cubans",
            Force::Spanish => "Spanish",
        }
    }

    /// The army of a player: who has guns, trains and a fleet.
    pub fn army(side: Side) -> Force {
        if side == SPAIN { Force::Spanish } else { Force::Us }
    }

    /// The forces a player runs.
    pub fn of(side: Side) -> &'static [Force] {
        if side == SPAIN { &[Force::Spanish] } else { &[Force::Us, Force::Cuban] }
    }
}

impl Terrain {
    /// Can units stand there?
    pub const fn is_land(self) -> bool {
        !matches!(self, Terrain::Harbour | Terrain::Ocean)
    }

    /// Closed to units in guerrilla (§11.2.2a, A57)?
    pub const fn bars_guerrillas(self) -> bool {
        matches!(self, Terrain::Town | Terrain::City)
    }
}

impl UnitKind {
    /// Has it steps, so that it fights, takes control and counts for stacking (A07, A84)?
    pub const fn is_combat(self) -> bool {
        self.is_foot() || self.is_gun()
    }

    /// Infantry, cavalry, engineers and guerrillas: what counts by steps for stacking (§5.2a, A11, A80).
    pub const fn is_foot(self) -> bool {
        matches!(self, UnitKind::Infantry | UnitKind::Cavalry | UnitKind::Engineer | UnitKind::Guerrilla)
    }

    /// Artillery and machine guns (§5.2b).
    pub const fn is_gun(self) -> bool {
        matches!(self, UnitKind::Artillery | UnitKind::MachineGun)
    }

    /// Something that can stand on the map as a counter of its own.
    pub const fn is_piece(self) -> bool {
        !matches!(self, UnitKind::Fleet | UnitKind::Column | UnitKind::Brigade | UnitKind::Dummy | UnitKind::Base)
    }

    /// A leader, the Signals Detachment, a logistic column: moves, but does not fight.
    pub const fn is_hanger_on(self) -> bool {
        matches!(self, UnitKind::Leader | UnitKind::Signals | UnitKind::LogisticColumn)
    }
}

/// One unit under a closed counter, with the steps it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member {
    /// The unit.
    pub unit: Piece,
    /// Its steps; all it has if left out.
    pub steps: Option<u8>,
}

impl Member {
    /// A unit with so many steps.
    pub fn with(unit: Piece, steps: u8) -> Member {
        Member { unit, steps: Some(steps) }
    }
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.steps {
            Some(steps) => write!(f, "{}/{steps}", self.unit),
            None => write!(f, "{}", self.unit),
        }
    }
}

impl Serialize for Member {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromDoc for Member {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        let text = reader.text(node, at, "a unit, or a unit with its steps: `sp-4-t/1`")?;
        let parts = text.rsplit_once('/').and_then(|(unit, steps)| Some((unit, steps.parse::<u8>().ok()?)));
        // Some codes have a stroke of their own: `E/1`.
        let id = |unit: &str| reader.lexicon.look_up("unit", unit).is_ok_and(|id| id == unit);
        let whole = !parts.is_some_and(|(unit, _)| id(unit)) && reader.lexicon.look_up("unit", text).is_ok();
        match parts.filter(|_| !whole) {
            Some((unit, steps)) => {
                let unit = Piece::read(&Node::text(unit), at, reader)?;
                Some(Member::with(unit, steps))
            }
            None => Piece::read(node, at, reader).map(|unit| Member { unit, steps: None }),
        }
    }
}

crate::described!(Member, _ => {
    json_schema!({ "type": "string", "description": "A unit, or a unit with the steps it has: `sp-4-t/1`" })
});

/// What lies under a column or brigade counter: its units in the order in which they take losses, or nothing at all
/// (§14.6, §14.7).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Content {
    /// Nothing: a dummy.
    Dummy,
    /// These units.
    Units(Vec<Member>),
}

impl Content {
    /// The members, none of a dummy.
    pub fn members(&self) -> &[Member] {
        match self {
            Content::Dummy => &[],
            Content::Units(members) => members,
        }
    }

    /// Is it a dummy?
    pub fn is_dummy(&self) -> bool {
        *self == Content::Dummy
    }
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Content::Dummy => f.write_str("dummy"),
            Content::Units(members) => {
                let members: Vec<String> = members.iter().map(Member::to_string).collect();
                write!(f, "[{}]", members.join(", "))
            }
        }
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Content::Dummy => serializer.serialize_str("dummy"),
            Content::Units(members) => members.serialize(serializer),
        }
    }
}

impl FromDoc for Content {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        if node.as_text().is_some_and(|text| text.eq_ignore_ascii_case("dummy")) {
            return Some(Content::Dummy);
        }
        let faults = reader.faults.len();
        let units = Vec::read(node, at, reader).map(Content::Units);
        if node.as_text().is_some() {
            reader.or_words(faults, &["dummy"]);
        }
        units
    }
}

impl JsonSchema for Content {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Content".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let members = generator.subschema_for::<Vec<Member>>();
        json_schema!({
            "description": "What lies under a counter: its units in the order in which they take losses, or `dummy`",
            "anyOf": [{"const": "dummy"}, members]
        })
    }
}
