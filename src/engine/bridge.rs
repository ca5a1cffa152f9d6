//! A toy game for tests that uses everything the umpire offers: a hidden guard at a bridge, questions to both sides,
//! labelled rolls, whispers and claims.

use std::collections::BTreeMap;

use serde::Serialize;

use super::dice::{Chance, Die};
use super::doc::{DocPath, Fault, FromDoc, Lexicon, Node, PlainTexts, Reader, document, read_as, words};
use super::*;
use crate::scene::{Incident, Scene};

/// The attacker.
pub const RED: Side = Side("red");
/// The defender.
pub const BLUE: Side = Side("blue");
/// What the defender does when he is attacked.
pub const REPLY: Kind = Kind("reply");
/// Whether the attacker presses on a flank.
pub const PRESS: Kind = Kind("press");
/// Whether the attacker watches while the guard is posted.
pub const WATCH: Kind = Kind("watch");
/// How the attacker cheers a charge.
pub const CHEER: Kind = Kind("cheer");
/// The last turn.
pub const LAST: u32 = 3;

/// The registry entry.
pub static BRIDGE: RulesOf<Bridge> = RulesOf::new();

/// The rules, in the form every game has them.
const RULES: &str = r#"
game: bridge
title: The Bridge
credits: nobody
clauses:
  - {id: "1a", chapter: Set-up, topic: guard, text: Blue posts a guard of one to three men face down.}
  - {id: "2a", chapter: Attack, topic: attack, text: Red attacks at most twice in a turn.}
  - {id: "2b", chapter: Attack, topic: attack, text: Before an attack Red learns whether the guard is strong.}
  - {id: "2c", chapter: Attack, topic: attack, text: Blue may fall back.}
  - {id: "3a", chapter: Assault, topic: assault, text: A die above the strength of the guard wins.}
  - {id: "3b", chapter: Assault, topic: assault, text: After an assault Red may press on either flank.}
  - {id: "4a", chapter: Colours, topic: paint, text: The river is blue., untestable: A matter of paint.}
"#;

words! {
    /// What the defender does.
    pub enum Stance {
        /// Stands.
        Hold = "hold",
        /// Leaves.
        FallBack = "fall-back",
    }

    /// A standing order for the defender's choice.
    pub enum ReplyPlan {
        /// Stand.
        Hold = "hold",
        /// Leave.
        FallBack = "fall-back",
        /// Ask before a strong guard is given up.
        Cautious = "cautious",
    }

    /// Whether to press.
    pub enum Press {
        /// Yes.
        Yes = "yes",
        /// No.
        No = "no",
        /// Can be written, is never legal.
        Reckless = "reckless",
    }

    /// What the attacker does while the guard is posted.
    pub enum Watch {
        /// Leaves a picket.
        Picket = "picket",
        /// Sleeps.
        Sleep = "sleep",
    }

    /// How a charge is cheered.
    pub enum Cheer {
        /// So that everybody hears it.
        Loudly = "loudly",
        /// So that nobody does.
        Softly = "softly",
    }

    /// Where an attack crosses the river.
    pub enum Crossing {
        /// Over the bridge, in full view.
        Bridge = "bridge",
        /// Through the water, and no alarm is raised.
        Ford = "ford",
    }
}

document! {
    /// The defender's set-up.
    pub struct SetUp {
        /// The strength of the guard.
        pub guard: Concealed<u8>,
    }

    /// The attacker's turn.
    pub struct Turn {
        /// How many attacks.
        pub attacks: u8,
        /// Whether to press on the flanks.
        pub press: Option<Press>,
        /// Over the bridge if nothing is said.
        pub by: Option<Crossing>,
    }

    /// Where a case begins.
    pub struct Start {
        /// The turn.
        pub turn: Option<u32>,
        /// The guard, face down.
        pub guard: Option<u8>,
        /// The attacker's points.
        pub red: Option<u32>,
        /// The packet due: `setup` or `turn`.
        pub stage: Option<String>,
    }
}

/// A packet.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Packet {
    /// `setup`.
    SetUp(SetUp),
    /// `turn`.
    Turn(Turn),
}

/// The guard.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guard {
    /// Nobody is posted.
    None,
    /// Face down.
    Down(Sealed<u8>),
    /// Face up.
    Up(u8),
}

/// The state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Position {
    /// The turn.
    pub turn: u32,
    /// The guard.
    pub guard: Guard,
    /// The attacker's points.
    pub red: u32,
    /// The defender's points.
    pub blue: u32,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Happening {
    /// The guard is posted.
    Posted,
    /// Red learnt something.
    Scouted {
        /// Whether the guard is strong.
        strong: bool,
    },
    /// Only Blue knows.
    Alarm,
    /// Blue chose.
    Replied {
        /// What.
        reply: Stance,
    },
    /// Red assaulted.
    Assault {
        /// The die.
        die: u16,
        /// The strength of the guard.
        strength: u8,
        /// Whether Red won.
        won: bool,
    },
    /// Red watched.
    Watched,
    /// Red cheered.
    Cheered {
        /// How.
        how: Cheer,
    },
    /// Red pressed on.
    Pressed {
        /// Where.
        flank: &'static str,
        /// The die.
        die: u16,
    },
    /// A choice lapsed.
    Lapse(Lapse),
}

impl From<Lapse> for Happening {
    fn from(lapse: Lapse) -> Self {
        Happening::Lapse(lapse)
    }
}

impl Event for Happening {
    fn clauses(&self) -> Vec<Clause> {
        match self {
            Happening::Posted | Happening::Watched => vec![Clause("1a")],
            Happening::Scouted { .. } | Happening::Alarm => vec![Clause("2b")],
            Happening::Replied { .. } => vec![Clause("2c")],
            Happening::Assault { .. } => vec![Clause("3a")],
            Happening::Pressed { .. } | Happening::Cheered { .. } => vec![Clause("3b")],
            Happening::Lapse(lapse) => vec![lapse.clause],
        }
    }
}

/// The policies.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Plan {
    /// For `reply`.
    Reply(ReplyPlan),
    /// For `press`.
    Press(Press),
    /// For `watch`.
    Watch(Watch),
    /// For `cheer`.
    Cheer(Cheer),
}

impl Policy for Plan {
    const KINDS: &'static [KindInfo] = &[
        KindInfo {
            kind: REPLY,
            asked_of: &[BLUE],
            moment: Moment::OpponentsTurn,
            clause: Clause("2c"),
            text: "Hold or fall back?",
            default: "hold",
            forms: &["hold", "fall-back", "cautious"],
        },
        KindInfo {
            kind: PRESS,
            asked_of: &[RED],
            moment: Moment::OwnTurn,
            clause: Clause("3b"),
            text: "Press on the flank?",
            default: "no",
            forms: &["yes", "no"],
        },
        KindInfo {
            kind: WATCH,
            asked_of: &[RED],
            moment: Moment::OpponentsTurn,
            clause: Clause("1a"),
            text: "Leave a picket while the guard is posted?",
            default: "sleep",
            forms: &["picket", "sleep"],
        },
        KindInfo {
            kind: CHEER,
            asked_of: &[RED],
            moment: Moment::Either,
            clause: Clause("3b"),
            text: "How is the charge cheered?",
            default: "softly",
            forms: &[],
        },
    ];

    fn read(kind: Kind, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        match kind {
            REPLY => ReplyPlan::read(node, at, reader).map(Plan::Reply),
            WATCH => Watch::read(node, at, reader).map(Plan::Watch),
            CHEER => Cheer::read(node, at, reader).map(Plan::Cheer),
            _ => Press::read(node, at, reader).map(Plan::Press),
        }
    }
}

/// The game.
#[derive(Debug)]
pub struct Bridge;

impl Bridge {
    fn attack(&self, state: &mut Position, orders: &Turn, umpire: &mut Umpire<'_, Self>) -> Ruling<()> {
        let bridge = Subject::of("bridge");
        let strong = match &state.guard {
            Guard::Down(guard) => {
                let hope = umpire.weakest_or_strongest(false, true);
                umpire.fact_or(&[guard], &bridge, "strong", |men| men.iter().all(|n| *n >= 2), hope)?
            }
            Guard::Up(men) => *men >= 2,
            Guard::None => false,
        };
        umpire.note(Happening::Scouted { strong });
        if orders.by != Some(Crossing::Ford) {
            umpire.whisper(BLUE, Happening::Alarm);
        }
        let question = Question {
            who: BLUE,
            kind: REPLY,
            about: bridge.clone(),
            clause: Clause("2c"),
            text: "Red is at the bridge. Hold or fall back?".into(),
            options: vec![Stance::Hold, Stance::FallBack],
            default: Stance::Hold,
            also: None,
        };
        let reply = umpire.ask(question, None, |plan| match plan {
            Plan::Reply(ReplyPlan::Hold) => Say::Choose(Stance::Hold),
            Plan::Reply(ReplyPlan::FallBack) => Say::Choose(Stance::FallBack),
            Plan::Reply(ReplyPlan::Cautious) if strong => Say::Ask,
            _ => Say::Default,
        })?;
        umpire.note(Happening::Replied { reply });
        if reply == Stance::FallBack {
            state.red += 1;
            return Ok(());
        }
        let strength = match &state.guard {
            Guard::Down(guard) => {
                let hope = umpire.weakest_or_strongest(1, 3);
                umpire.open_or(guard, &[], hope)?
            }
            Guard::Up(men) => *men,
            Guard::None => 0,
        };
        state.guard = Guard::Up(strength);
        let die = umpire.roll_one(&bridge, "assault", Die::D6)?;
        let won = die > u16::from(strength);
        umpire.note(Happening::Assault { die, strength, won });
        if won {
            state.red += 1
        } else {
            state.blue += 1
        }
        let ask = |flank: &str| {
            let question = Question {
                who: RED,
                kind: PRESS,
                about: Subject::of(flank),
                clause: Clause("3b"),
                text: format!("Press on the {flank}?"),
                options: vec![Press::Yes, Press::No],
                default: Press::No,
                also: None,
            };
            (question, orders.press)
        };
        let flanks = ["left", "right"];
        let pressed = umpire.ask_all(flanks.iter().map(|flank| ask(flank)).collect(), |plan, _| match plan {
            Plan::Press(press) => Say::Choose(*press),
            _ => Say::Default,
        })?;
        for (flank, press) in flanks.into_iter().zip(pressed) {
            if press == Press::Yes {
                let die = umpire.roll_one(&Subject::of(flank), "charge", Die::D6)?;
                umpire.note(Happening::Pressed { flank, die });
                if die == 6 {
                    self.cheer(flank, umpire)?;
                }
            }
        }
        Ok(())
    }

    fn cheer(&self, flank: &str, umpire: &mut Umpire<'_, Self>) -> Ruling<()> {
        let question = Question {
            who: RED,
            kind: CHEER,
            about: Subject::of(flank),
            clause: Clause("3b"),
            text: format!("The {flank} is rolled up. How is it cheered?"),
            options: vec![Cheer::Loudly, Cheer::Softly],
            default: Cheer::Softly,
            also: None,
        };
        let how = umpire.ask(question, None, |plan| match plan {
            Plan::Cheer(how) => Say::Choose(*how),
            _ => Say::Default,
        })?;
        umpire.note(Happening::Cheered { how });
        Ok(())
    }

    fn watch(&self, umpire: &mut Umpire<'_, Self>) -> Ruling<()> {
        let question = Question {
            who: RED,
            kind: WATCH,
            about: Subject::of("bridge"),
            clause: Clause("1a"),
            text: "Blue posts his guard. Is a picket left to watch?".into(),
            options: vec![Watch::Picket, Watch::Sleep],
            default: Watch::Sleep,
            also: None,
        };
        let watch = umpire.ask(question, None, |plan| match plan {
            Plan::Watch(watch) => Say::Choose(*watch),
            _ => Say::Default,
        })?;
        if watch == Watch::Picket {
            umpire.note(Happening::Watched);
        }
        Ok(())
    }

    fn due(&self, state: &Position) -> Stop {
        if state.turn > LAST { Stop::End } else { Stop::Orders { who: RED, ask: "turn", flow: Flow::Direct } }
    }
}

impl Rules for Bridge {
    const ID: &'static str = "bridge";
    const VERSION: u32 = 1;
    const FORESEEN: bool = false;
    const SIDES: &'static [Side] = &[RED, BLUE];
    type State = Position;
    type Orders = Packet;
    type Policy = Plan;
    type Event = Happening;

    fn lexicon(&self) -> &dyn Lexicon {
        &PlainTexts
    }

    fn begin(&self) -> (Position, Stop) {
        let state = Position { turn: 0, guard: Guard::None, red: 0, blue: 0 };
        (state, Stop::Orders { who: BLUE, ask: "setup", flow: Flow::Direct })
    }

    fn turn(&self, state: &Position) -> u32 {
        state.turn
    }

    fn packet_due(&self, state: &Position) -> Stop {
        self.due(state)
    }

    fn check(&self, _: &Seen<'_, Position>, _: &Stop, orders: &mut Packet, at: &DocPath) -> Vec<Fault> {
        if let Packet::Turn(turn) = orders {
            turn.by.get_or_insert(Crossing::Bridge);
        }
        match orders {
            Packet::SetUp(SetUp { guard: Concealed::Open(men) }) if !(1..=3).contains(men) => {
                let at = at.key("guard");
                vec![Fault::new(&at, format!("a guard of {men}"), "write 1, 2 or 3").by(Clause("1a"))]
            }
            Packet::Turn(turn) if turn.attacks > 2 => {
                let what = format!("{} attacks in one turn", turn.attacks);
                let many = Fault::new(&at.key("attacks"), what, "attack at most twice").by(Clause("2a"));
                let reckless = Fault::new(&at.key("press"), "a reckless press", "write at most `yes`").by(Clause("3b"));
                let both = turn.press == Some(Press::Reckless);
                std::iter::once(many).chain(both.then_some(reckless)).collect()
            }
            Packet::Turn(turn) if turn.attacks == 0 => {
                vec![Fault::new(&at.key("attacks"), "no attack", "the clock is ticking").as_warning()]
            }
            _ => Vec::new(),
        }
    }

    fn resolve(&self, state: &mut Position, orders: &mut Packet, umpire: &mut Umpire<'_, Self>) -> Ruling<Stop> {
        match orders {
            Packet::SetUp(set_up) => {
                umpire.phase(Phase { turn: 0, side: "blue", name: "setup" });
                let slot = Slot::parse("guard").map_err(|error| Halt::Bug(error.to_string()))?;
                let guard = umpire.keep(BLUE, slot, &set_up.guard)?;
                umpire.attest(&[&guard], Clause("1a"), |men: &[u8]| men.iter().all(|n| (1..=3).contains(n)))?;
                state.guard = Guard::Down(guard);
                umpire.note(Happening::Posted);
                self.watch(umpire)?;
            }
            Packet::Turn(turn) => {
                umpire.phase(Phase { turn: state.turn, side: "red", name: "attack" });
                for _ in 0..turn.attacks {
                    self.attack(state, turn, umpire)?;
                }
            }
        }
        state.turn += 1;
        Ok(self.due(state))
    }

    fn marks(&self, event: &Happening) -> Vec<Mark> {
        match event {
            Happening::Assault { won, .. } => {
                let word = if *won { "won" } else { "repulsed" };
                vec![Mark::Fight { by: RED, at: "the bridge".into() }, Mark::Result(word.into())]
            }
            _ => Vec::new(),
        }
    }

    fn no_orders(&self, _: &Position, stop: &Stop) -> Packet {
        match stop.ask() {
            "setup" => Packet::SetUp(SetUp { guard: Concealed::Open(1) }),
            _ => Packet::Turn(Turn { attacks: 0, press: None, by: None }),
        }
    }

    fn seal(&self, _: &Position, orders: &mut Packet, hide: &mut dyn FnMut(Slot, Json)) {
        if let Packet::SetUp(set_up) = orders
            && let Concealed::Open(men) = set_up.guard
            && let Ok(slot) = Slot::parse("guard")
        {
            hide(slot.clone(), Json::Int(men.into()));
            set_up.guard = Concealed::Sealed(slot);
        }
    }

    fn verdict(&self, state: &Position) -> Option<Verdict> {
        let winner = match state.red.cmp(&state.blue) {
            std::cmp::Ordering::Greater => Some(RED),
            std::cmp::Ordering::Less => Some(BLUE),
            std::cmp::Ordering::Equal => None,
        };
        (state.turn > LAST).then(|| Verdict { winner, text: format!("{} to {}", state.red, state.blue) })
    }

    fn flaws(&self, state: &Position) -> Vec<String> {
        match state.guard {
            Guard::Up(men) if men > 3 => vec![format!("a guard of {men}")],
            _ => Vec::new(),
        }
    }
}

impl Files for Bridge {
    const ABOUT: About = About {
        title: "The Bridge",
        credits: "nobody",
        text: "A toy.",
        provenance: "invented",
        scenarios: &[ScenarioInfo { id: "dawn", title: "Dawn", text: "The only one." }],
        options: &[],
        rules: RULES,
    };

    fn open(_: &Charter) -> Result<Self, Vec<Fault>> {
        Ok(Bridge)
    }

    fn check_data(_: &BTreeMap<String, String>) -> Vec<DataFinding> {
        Vec::new()
    }

    fn rules_data(&self) -> Json {
        Json::map()
    }

    fn read_orders(&self, packet: &str, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Packet> {
        match packet {
            "setup" => SetUp::read(node, at, reader).map(Packet::SetUp),
            _ => Turn::read(node, at, reader).map(Packet::Turn),
        }
    }

    fn read_state(&self, written: &Json) -> Result<Position, Vec<String>> {
        let number = |key: &str| written.get(key).and_then(Json::as_int).and_then(|n| u32::try_from(n).ok());
        let guard = match written.get("guard") {
            Some(Json::Str(word)) if word == "none" => Some(Guard::None),
            Some(guard) => match (guard.get("up").and_then(Json::as_int), guard.get("down").and_then(Json::as_str)) {
                (Some(men), None) => u8::try_from(men).ok().map(Guard::Up),
                (None, Some(slot)) => Slot::parse(slot).ok().map(|slot| Guard::Down(Sealed::new(BLUE, slot))),
                _ => None,
            },
            None => None,
        };
        let read =
            || Some(Position { turn: number("turn")?, guard: guard?, red: number("red")?, blue: number("blue")? });
        read().ok_or_else(|| vec!["this is no position at the bridge".to_owned()])
    }

    fn arrange(start: &Node, at: &DocPath, faults: &mut Vec<Fault>) -> Option<Arranged<Self>> {
        let start = match read_as::<Start>(start, &PlainTexts) {
            Ok((start, _)) => start,
            Err(found) => {
                faults.extend(found.into_iter().map(|fault| Fault { at: at.clone(), ..fault }));
                return None;
            }
        };
        let mut holdings = Holdings::default();
        let (mut state, mut stop) = Bridge.begin();
        if let Some(men) = start.guard {
            let slot = Slot::parse("guard").ok()?;
            holdings.0.insert((BLUE, slot.clone()), Json::Int(men.into()));
            state.guard = Guard::Down(Sealed::new(BLUE, slot));
        }
        if start.stage.as_deref() != Some("setup") {
            state.turn = start.turn.unwrap_or(1);
            stop = Bridge.due(&state);
        }
        state.red = start.red.unwrap_or(0);
        Some(Arranged { game: Bridge, state, stop, holdings })
    }

    fn schemas() -> Vec<(String, serde_json::Value)> {
        vec![
            ("orders-setup".into(), schemars::schema_for!(SetUp).into()),
            ("orders-turn".into(), schemars::schema_for!(Turn).into()),
            ("case-start".into(), schemars::schema_for!(Start).into()),
        ]
    }
}

impl Telling for Bridge {
    fn tell(&self, event: &Happening, diary: &mut Diary) {
        diary.line(format!("{event:?}"), &event.clauses());
    }

    fn tell_state(&self, seen: &Seen<'_, Position>, diary: &mut Diary) {
        diary.line(format!("Red {}, Blue {}", seen.state.red, seen.state.blue), &[]);
    }

    fn headline(&self, state: &Position) -> String {
        format!("Turn {}", state.turn)
    }

    fn scene(&self, _: &Seen<'_, Position>) -> Scene {
        Scene::default()
    }

    fn depict(&self, _: &Happening) -> Vec<Incident> {
        Vec::new()
    }

    fn query(&self, _: &Seen<'_, Position>, query: &Query) -> Result<Reply, Vec<Fault>> {
        let mut reply = Reply::default();
        match query {
            Query::Reach { unit } => {
                reply.diary.heading(2, format!("Where {unit} can go"));
                reply.diary.table(&["place", "cost"], vec![vec!["bridge".into(), "1".into()]]);
                let bridge = Json::object([("place".to_owned(), "bridge".into()), ("cost".to_owned(), Json::Int(1))]);
                reply.json.insert("reach".into(), Json::List(vec![bridge]));
            }
            Query::Sight { to, .. } => {
                reply.json.insert("clear".into(), Json::Bool(to == "bridge"));
            }
            Query::Supply { .. } => {
                return Err(vec![Fault::new(&DocPath::root(), "nobody eats here", "march on").by(Clause("4a"))]);
            }
        }
        Ok(reply)
    }
}

impl Players for Bridge {
    fn template(&self, _: &Seen<'_, Position>, stop: &Stop) -> String {
        if stop.ask() == "setup" { "  guard: 1\n".into() } else { "  # at most 2\n  attacks: 1\n".into() }
    }

    fn random_orders(&self, _: &Seen<'_, Position>, stop: &Stop, chance: &mut Chance) -> Packet {
        let mut below = |n: usize| u8::try_from(chance.below(n)).unwrap_or(0);
        match stop.ask() {
            "setup" => Packet::SetUp(SetUp { guard: Concealed::Open(below(3) + 1) }),
            _ => {
                let attacks = below(3);
                let press = [None, Some(Press::Yes), Some(Press::No)].get(usize::from(below(3))).copied().flatten();
                Packet::Turn(Turn { attacks, press, by: chance.pick(Crossing::ALL).copied() })
            }
        }
    }

    fn random_policy(&self, _: &Position, _: Side, kind: &str, chance: &mut Chance) -> Json {
        let forms = Plan::kind(kind).map_or(&[] as &[&str], |info| info.forms);
        chance.pick(forms).copied().unwrap_or("default").into()
    }
}
