//! A game small enough to test records with: face-down tokens, two kinds of questions, a few dice.
//!
//! Spain sets up tokens (units or dummies). Then the sides attack hexes in turn, 2d6 against 8; a token attacked says
//! whether it is a dummy, and is turned over when beaten; so is one of Spain's own that attacks. The defender may fall back, the winner may advance.
//! A relief is a sealed order with a sealed token in it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::document;
use crate::engine::dice::{Chance, Die};
use crate::engine::doc::{DocPath, Fault, FromDoc, Lexicon, Node, PlainTexts, Reader};
use crate::engine::json::{Json, from_json};
use crate::engine::{
    About, AnyState, Arranged, Charter, Clause, Concealed, DataFinding, Diary, Event, Files, Flow, Kind, KindInfo,
    Lapse, Moment, Phase, Players, Policy, Query, Question, Reply, Rules, RulesOf, Ruleset, Ruling, Say, ScenarioInfo,
    Sealed, Seen, Side, Slot, Stop, Subject, Telling, Umpire, Verdict, to_json,
};
use crate::scene::{Incident, Scene};

pub const SPAIN: Side = Side("spain");
pub const US: Side = Side("us");
pub static SKIRMISH: RulesOf<Skirmish> = RulesOf::new();

/// The table of a scenario: `open` (all packets in the clear), `plan` (Spain's turns come as plans), `tide` (only Spain
/// knows in which turn the tide comes in), `relief` (Spain seals where a further token comes in the second turn, and the
/// token in it) or `late` (a mistake of the game: Spain vouches for its tokens after its dice).
pub fn table(scenario: &str) -> Box<dyn crate::engine::Match> {
    let charter = Charter { scenario: scenario.to_owned(), ..Charter::default() };
    SKIRMISH.open(&charter).expect("a table")
}

/// What somebody may say about a kind of question: a policy, `ask` or `default`.
pub fn any_policy(table: &dyn crate::engine::Match, state: &AnyState, kind: &str, chance: &mut Chance) -> Json {
    match chance.below(4) {
        0 => Json::from("ask"),
        1 => Json::from("default"),
        _ => table.random_policy(state, US, kind, chance),
    }
}

#[derive(Debug)]
pub struct Skirmish {
    plan: bool,
    tide: bool,
    relief: bool,
    late: bool,
}

document! {
    /// A token that comes later: where is opened in its turn, what it is stays face down.
    pub struct Relief {
        /// Where it comes.
        pub hex: String,
        /// What it is.
        pub unit: Concealed<String>,
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Field {
    turn: u32,
    active: Option<Side>,
    losses: BTreeMap<Side, u32>,
    advanced: u32,
    tokens: BTreeMap<String, Sealed<String>>,
    shown: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tide: Option<Sealed<Vec<u16>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    relief: Option<Sealed<Relief>>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Packet {
    pub tokens: BTreeMap<String, Concealed<String>>,
    pub attacks: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relief: Option<Concealed<Relief>>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Rule {
    Stand(bool),
    Advance(u32),
}

const STAND: Kind = Kind("stand");
const ADVANCE: Kind = Kind("advance");
const CLAUSE: Clause = Clause("1");

impl Policy for Rule {
    const KINDS: &'static [KindInfo] = &[
        KindInfo {
            kind: STAND,
            asked_of: &[US, SPAIN],
            moment: Moment::OpponentsTurn,
            clause: CLAUSE,
            text: "stand or fall back",
            default: "stand",
            forms: &["true", "false"],
        },
        KindInfo {
            kind: ADVANCE,
            asked_of: &[US, SPAIN],
            moment: Moment::OwnTurn,
            clause: CLAUSE,
            text: "how far to advance",
            default: "not at all",
            forms: &["0", "1", "2"],
        },
    ];

    fn read(kind: Kind, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Rule> {
        match kind {
            STAND => bool::read(node, at, reader).map(Rule::Stand),
            _ => u32::read(node, at, reader).map(Rule::Advance),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Happening {
    Attack { hex: String, faces: Vec<u16> },
    Dummy { hex: String },
    FellBack { hex: String },
    Advanced { by: u32 },
    Tide { faces: Vec<u16> },
    Lapsed(Lapse),
}

impl From<Lapse> for Happening {
    fn from(lapse: Lapse) -> Happening {
        Happening::Lapsed(lapse)
    }
}

impl Event for Happening {
    fn clauses(&self) -> Vec<Clause> {
        vec![CLAUSE]
    }
}

fn other(side: Side) -> Side {
    if side == US { SPAIN } else { US }
}

impl Skirmish {
    fn due(&self, who: Side) -> Stop {
        let flow = if self.plan && who == SPAIN { Flow::Plan } else { Flow::Direct };
        Stop::Orders { who, ask: "turn", flow }
    }

    fn attack(&self, state: &mut Field, side: Side, hex: &str, umpire: &mut Umpire<'_, Self>) -> Ruling<()> {
        let about = Subject::of(hex);
        let token = state.tokens.get(hex).cloned();
        if let Some(token) = &token {
            let dummy = umpire.fact(&[token], &about, "dummy", |units| units.iter().all(|unit| unit == "dummy"))?;
            if dummy {
                state.tokens.remove(hex);
                umpire.note(Happening::Dummy { hex: hex.to_owned() });
                return Ok(());
            }
        }
        let stand = Question {
            who: other(side),
            kind: STAND,
            about: about.clone(),
            clause: CLAUSE,
            text: format!("stand at {hex}?"),
            options: vec![true, false],
            default: true,
            also: None,
        };
        let stands = umpire.ask(stand, None, |rule| match rule {
            Rule::Stand(stand) => Say::Choose(*stand),
            Rule::Advance(_) => Say::Default,
        })?;
        if !stands {
            umpire.note(Happening::FellBack { hex: hex.to_owned() });
            return Ok(());
        }
        let faces = umpire.roll(&about, "attack", &[Die::D6, Die::D6])?;
        umpire.note(Happening::Attack { hex: hex.to_owned(), faces: faces.clone() });
        if faces.iter().sum::<u16>() < 8 {
            return Ok(());
        }
        *state.losses.entry(other(side)).or_insert(0) += 1;
        if let Some(token) = &token {
            let unit = umpire.open(token)?;
            state.shown.insert(hex.to_owned(), unit);
            // Spain's own lies face down again.
            if side == US {
                state.tokens.remove(hex);
            }
        }
        let advance = Question {
            who: side,
            kind: ADVANCE,
            about,
            clause: CLAUSE,
            text: format!("advance into {hex}?"),
            options: vec![0, 1, 2],
            default: 0,
            also: None,
        };
        let by = umpire.ask(advance, None, |rule| match rule {
            Rule::Advance(by) => Say::Choose(*by),
            Rule::Stand(_) => Say::Default,
        })?;
        state.advanced += by;
        umpire.note(Happening::Advanced { by });
        Ok(())
    }
}

impl Skirmish {
    /// The tide comes in during the turn that Spain's secret die of the first turn says.
    fn tide(&self, state: &mut Field, umpire: &mut Umpire<'_, Self>) -> Ruling<()> {
        let Some(tide) = state.tide.clone() else { return Ok(()) };
        let now = state.turn;
        let comes = move |rolls: &[Vec<u16>]| rolls.iter().flatten().all(|face| u32::from(face.div_ceil(2)) <= now);
        if umpire.fact(&[&tide], &Subject::of("tide"), "comes", comes)? {
            let faces = umpire.open(&tide)?;
            umpire.note(Happening::Tide { faces });
            state.tide = None;
        }
        Ok(())
    }
}

fn slot(name: &str) -> Slot {
    Slot::parse(name).expect("a slot")
}

impl Skirmish {
    /// The sealed order is opened; its token lies face down from then on.
    fn relieve(&self, state: &mut Field, umpire: &mut Umpire<'_, Self>) -> Ruling<()> {
        if let Some(relief) = state.relief.take() {
            let relief = umpire.open(&relief)?;
            let unit = umpire.keep(SPAIN, slot("s-relief-unit"), &relief.unit)?;
            state.tokens.insert(relief.hex, unit);
        }
        Ok(())
    }
}

impl Rules for Skirmish {
    const ID: &'static str = "skirmish";
    const VERSION: u32 = 1;
    const FORESEEN: bool = false;
    const SIDES: &'static [Side] = &[SPAIN, US];
    type State = Field;
    type Orders = Packet;
    type Policy = Rule;
    type Event = Happening;

    fn lexicon(&self) -> &dyn Lexicon {
        &PlainTexts
    }

    fn begin(&self) -> (Field, Stop) {
        let state = Field {
            turn: 1,
            active: None,
            losses: BTreeMap::from([(SPAIN, 0), (US, 0)]),
            advanced: 0,
            tokens: BTreeMap::new(),
            shown: BTreeMap::new(),
            tide: None,
            relief: None,
        };
        (state, Stop::Orders { who: SPAIN, ask: "setup", flow: Flow::Direct })
    }

    fn turn(&self, state: &Field) -> u32 {
        state.turn
    }

    fn packet_due(&self, state: &Field) -> Stop {
        match state.active {
            None => Stop::Orders { who: SPAIN, ask: "setup", flow: Flow::Direct },
            Some(_) if state.turn > 3 => Stop::End,
            Some(who) => self.due(who),
        }
    }

    fn check(&self, _: &Seen<'_, Field>, _: &Stop, orders: &mut Packet, at: &DocPath) -> Vec<Fault> {
        let known = |unit: &Concealed<String>| matches!(unit, Concealed::Open(u) if u == "talavera" || u == "dummy");
        let unknown = orders.tokens.iter().filter(|(_, unit)| !known(unit));
        unknown
            .map(|(hex, _)| Fault::new(&at.key("tokens").key(hex), "no such unit", "write talavera or dummy"))
            .collect()
    }

    fn resolve(&self, state: &mut Field, orders: &mut Packet, umpire: &mut Umpire<'_, Self>) -> Ruling<Stop> {
        let Some(side) = state.active else {
            umpire.phase(Phase { turn: state.turn, side: "spain", name: "setup" });
            for (hex, unit) in &orders.tokens {
                let slot = Slot::parse(&format!("s-{hex}")).expect("a slot");
                state.tokens.insert(hex.clone(), umpire.keep(SPAIN, slot, unit)?);
            }
            if let Some(relief) = &orders.relief {
                let mut laid = relief.clone();
                if let Concealed::Open(relief) = &mut laid {
                    let unit = umpire.keep(SPAIN, slot("s-relief-unit"), &relief.unit)?;
                    relief.unit = Concealed::Sealed(unit.slot().clone());
                }
                state.relief = Some(umpire.keep(SPAIN, slot("s-relief"), &laid)?);
            }
            let all: Vec<&Sealed<String>> = state.tokens.values().collect();
            umpire.attest(&all, CLAUSE, |units| units.iter().all(|unit| unit == "talavera" || unit == "dummy"))?;
            state.active = Some(US);
            return Ok(self.packet_due(state));
        };
        umpire.phase(Phase { turn: state.turn, side: side.0, name: "assault" });
        self.tide(state, umpire)?;
        if (state.turn, side) == (2, US) {
            self.relieve(state, umpire)?;
        }
        for hex in &orders.attacks {
            self.attack(state, side, hex, umpire)?;
        }
        if self.late && side == SPAIN {
            let all: Vec<&Sealed<String>> = state.tokens.values().collect();
            umpire.attest(&all, CLAUSE, |units| units.iter().all(|unit| unit != "dummy"))?;
        }
        if self.tide && (state.turn, side) == (1, US) {
            state.tide = Some(umpire.secret(SPAIN, &Subject::of("tide"), "tide", &[Die::D6])?);
        }
        state.active = Some(other(side));
        if side == SPAIN {
            state.turn += 1;
        }
        Ok(self.packet_due(state))
    }

    fn tickets(&self, side: Side) -> u32 {
        u32::from(self.tide && side == SPAIN)
    }

    fn no_orders(&self, _: &Field, _: &Stop) -> Packet {
        Packet::default()
    }

    fn seal(&self, _: &Field, orders: &mut Packet, hide: &mut dyn FnMut(Slot, Json)) {
        // What is sealed inside something sealed comes first.
        if let Some(Concealed::Open(relief)) = &mut orders.relief {
            if let Concealed::Open(value) = &relief.unit {
                hide(slot("s-relief-unit"), Json::from(value.as_str()));
                relief.unit = Concealed::Sealed(slot("s-relief-unit"));
            }
            hide(slot("s-relief"), to_json(relief).expect("canonical"));
            orders.relief = Some(Concealed::Sealed(slot("s-relief")));
        }
        for (hex, unit) in &mut orders.tokens {
            if let Concealed::Open(value) = unit {
                let slot = Slot::parse(&format!("s-{hex}")).expect("a slot");
                hide(slot.clone(), Json::from(value.as_str()));
                *unit = Concealed::Sealed(slot);
            }
        }
    }

    fn verdict(&self, state: &Field) -> Option<Verdict> {
        (state.turn > 3).then(|| Verdict { winner: None, text: "night falls".to_owned() })
    }

    fn flaws(&self, _: &Field) -> Vec<String> {
        Vec::new()
    }

    fn masks(&self, state: &Field, side: Side) -> Vec<Vec<Slot>> {
        if side == SPAIN { vec![state.tokens.values().map(|token| token.slot().clone()).collect()] } else { vec![] }
    }

    fn resealed(&self, before: &Seen<'_, Field>, after: &Seen<'_, Field>) -> Result<(), Clause> {
        let units = |seen: &Seen<'_, Field>| {
            let held = |token: &Sealed<String>| seen.holdings.get(SPAIN, token.slot()).map(Json::to_string);
            let mut units: Vec<Option<String>> = after.state.tokens.values().map(held).collect();
            units.sort();
            units
        };
        if units(before) == units(after) { Ok(()) } else { Err(CLAUSE) }
    }
}

impl Files for Skirmish {
    const ABOUT: About = About {
        title: "Skirmish",
        credits: "for tests",
        text: "",
        provenance: "",
        scenarios: &[ScenarioInfo { id: "open", title: "Open", text: "" }],
        options: &[],
        rules: "",
    };

    fn open(charter: &Charter) -> Result<Self, Vec<Fault>> {
        let is = |scenario: &str| charter.scenario == scenario;
        Ok(Skirmish { plan: is("plan"), tide: is("tide"), relief: is("relief"), late: is("late") })
    }

    fn check_data(_: &BTreeMap<String, String>) -> Vec<DataFinding> {
        Vec::new()
    }

    fn rules_data(&self) -> Json {
        Json::object([("plan", self.plan)])
    }

    fn read_orders(&self, _: &str, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Packet> {
        let mut packet = Packet::default();
        if let Some(tokens) = node.get("tokens") {
            packet.tokens = FromDoc::read(tokens, &at.key("tokens"), reader)?;
        }
        if let Some(attacks) = node.get("attacks") {
            packet.attacks = FromDoc::read(attacks, &at.key("attacks"), reader)?;
        }
        if let Some(relief) = node.get("relief") {
            packet.relief = FromDoc::read(relief, &at.key("relief"), reader)?;
        }
        Some(packet)
    }

    fn read_state(&self, written: &Json) -> Result<Field, Vec<String>> {
        let read = |name: &str| written.get(name).ok_or_else(|| vec![name.to_owned()]);
        let tokens: BTreeMap<String, String> = from_json(read("tokens")?).map_err(|e| vec![e])?;
        let sealed = |(hex, slot): (String, String)| (hex, Sealed::new(SPAIN, Slot::parse(&slot).expect("a slot")));
        let losses: BTreeMap<String, u32> = from_json(read("losses")?).map_err(|e| vec![e])?;
        Ok(Field {
            turn: from_json(read("turn")?).map_err(|e| vec![e])?,
            active: written.get("active").and_then(Json::as_str).and_then(|name| SKIRMISH.side(name)),
            losses: losses.iter().filter_map(|(name, n)| Some((SKIRMISH.side(name)?, *n))).collect(),
            advanced: from_json(read("advanced")?).map_err(|e| vec![e])?,
            tokens: tokens.into_iter().map(sealed).collect(),
            shown: from_json(read("shown")?).map_err(|e| vec![e])?,
            tide: written
                .get("tide")
                .and_then(Json::as_str)
                .map(|slot| Sealed::new(SPAIN, Slot::parse(slot).expect("a slot"))),
            relief: written.get("relief").and_then(Json::as_str).map(|name| Sealed::new(SPAIN, slot(name))),
        })
    }

    fn arrange(_: &Node, _: &DocPath, _: &mut Vec<Fault>) -> Option<Arranged<Self>> {
        None
    }

    fn schemas() -> Vec<(String, serde_json::Value)> {
        Vec::new()
    }
}

impl Telling for Skirmish {
    fn tell(&self, _: &Happening, _: &mut Diary) {}

    fn tell_state(&self, _: &Seen<'_, Field>, _: &mut Diary) {}

    fn headline(&self, state: &Field) -> String {
        format!("turn {}", state.turn)
    }

    fn scene(&self, _: &Seen<'_, Field>) -> Scene {
        Scene::default()
    }

    fn depict(&self, _: &Happening) -> Vec<Incident> {
        Vec::new()
    }

    fn query(&self, _: &Seen<'_, Field>, _: &Query) -> Result<Reply, Vec<Fault>> {
        Ok(Reply::default())
    }
}

impl Players for Skirmish {
    fn template(&self, _: &Seen<'_, Field>, _: &Stop) -> String {
        String::new()
    }

    fn random_orders(&self, _: &Seen<'_, Field>, stop: &Stop, chance: &mut Chance) -> Packet {
        const HEXES: [&str; 4] = ["0101", "0102", "0103", "0104"];
        let mut hexes: Vec<String> = HEXES.iter().filter(|_| chance.one_in(2)).map(|hex| (*hex).to_owned()).collect();
        if self.relief && stop.ask() != "setup" {
            hexes.push("0105".to_owned());
        }
        let mut unit = || if chance.one_in(2) { "dummy" } else { "talavera" }.to_owned();
        match stop.ask() {
            "setup" => Packet {
                tokens: hexes.into_iter().map(|hex| (hex, Concealed::Open(unit()))).collect(),
                attacks: Vec::new(),
                relief: self.relief.then(|| {
                    Concealed::Open(Relief { hex: "0105".to_owned(), unit: Concealed::Open("talavera".to_owned()) })
                }),
            },
            _ => Packet { attacks: hexes, ..Packet::default() },
        }
    }

    fn random_policy(&self, _: &Field, _: Side, kind: &str, chance: &mut Chance) -> Json {
        match chance.below(2) {
            n if kind == "stand" => Json::from(n == 0),
            n => Json::Int(n as i64 + 1),
        }
    }
}
