//! A game of two forts that fire at each other: the smallest thing with dice, questions and packets, for tests.

use std::collections::BTreeMap;

use serde::Serialize;

use super::dice::{Chance, Die};
use super::doc::{DocPath, Fault, FromDoc, Lexicon, Node, PlainTexts, Reader};
use super::game::{
    About, Arranged, Charter, DataFinding, Files, OptionInfo, Players, Query, Reply, Rules, Ruling, ScenarioInfo, Seen,
    Telling, Verdict,
};
use super::{
    Clause, Diary, Event, Flow, Holdings, Json, Kind, KindInfo, Lapse, Moment, Phase, Policy, Question, RulesOf, Say,
    Side, Stop, Subject, Tally, Umpire, from_json,
};
use crate::scene::{Incident, Scene};
use crate::{document, words};

pub const RED: Side = Side("red");
pub const BLUE: Side = Side("blue");
pub static FORTS: RulesOf<Forts> = RulesOf::new();

#[derive(Clone, Debug)]
pub struct Forts;

#[derive(Clone, Debug, PartialEq, Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct State {
    turn: u32,
    walls: BTreeMap<String, u32>,
}

document! {
    /// The shots of one turn.
    pub struct Shots {
        /// How many guns fire, three at most.
        pub guns: u8,
        /// What they fire at.
        pub at: Option<Aim>,
    }
}

words! {
    /// What guns are aimed at.
    pub enum Aim {
        /// The wall.
        Wall = "wall",
        /// The gate.
        Gate = "gate",
    }
    /// What to do about a breach.
    pub enum Repair {
        /// Fill it with earth.
        Earth = "earth",
        /// Fill it with stone.
        Stone = "stone",
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shot {
    Fired { by: Side, die: u16, bonus: Tally, hit: bool },
    Repaired { by: Side, with: Repair },
    Lapsed(Lapse),
}

impl From<Lapse> for Shot {
    fn from(lapse: Lapse) -> Shot {
        Shot::Lapsed(lapse)
    }
}

impl Event for Shot {
    fn clauses(&self) -> Vec<Clause> {
        match self {
            Shot::Fired { bonus, .. } => std::iter::once(Clause("2.1")).chain(bonus.clauses()).collect(),
            Shot::Repaired { .. } => vec![Clause("2.3")],
            Shot::Lapsed(lapse) => vec![lapse.clause],
        }
    }
}

impl Policy for Repair {
    const KINDS: &'static [KindInfo] = &[
        KindInfo {
            kind: Kind("repair"),
            asked_of: &[RED, BLUE],
            moment: Moment::OpponentsTurn,
            clause: Clause("2.3"),
            text: "the wall is breached: what is it filled with?",
            default: "earth",
            forms: &["earth", "stone"],
        },
        KindInfo {
            kind: Kind("cheer"),
            asked_of: &[RED],
            moment: Moment::Either,
            clause: Clause("2.4"),
            text: "the garrison cheers: with what?",
            default: "earth",
            forms: &[],
        },
    ];

    fn read(_: Kind, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Repair> {
        <Repair as FromDoc>::read(node, at, reader)
    }
}

fn other(side: Side) -> Side {
    if side == RED { BLUE } else { RED }
}

fn due(who: Side) -> Stop {
    Stop::Orders { who, ask: "turn", flow: Flow::Direct }
}

impl Forts {
    fn phasing(state: &State) -> Side {
        if state.turn % 2 == 1 { RED } else { BLUE }
    }
}

impl Rules for Forts {
    const ID: &'static str = "two-forts";
    const VERSION: u32 = 1;
    const FORESEEN: bool = false;
    const SIDES: &'static [Side] = &[RED, BLUE];
    type State = State;
    type Orders = Shots;
    type Policy = Repair;
    type Event = Shot;

    fn lexicon(&self) -> &dyn Lexicon {
        &PlainTexts
    }

    fn begin(&self) -> (State, Stop) {
        let walls = BTreeMap::from([("blue".to_owned(), 3), ("red".to_owned(), 3)]);
        (State { turn: 1, walls }, due(RED))
    }

    fn turn(&self, state: &State) -> u32 {
        state.turn
    }

    fn packet_due(&self, state: &State) -> Stop {
        let over = state.turn > 6 || state.walls.values().any(|wall| *wall == 0);
        if over { Stop::End } else { due(Forts::phasing(state)) }
    }

    fn check(&self, _: &Seen<'_, State>, _: &Stop, orders: &mut Shots, at: &DocPath) -> Vec<Fault> {
        orders.at.get_or_insert(Aim::Wall);
        let mut faults = Vec::new();
        if orders.guns > 3 {
            let what = format!("{} guns fire, but the fort has 3", orders.guns);
            faults.push(Fault::new(&at.key("guns"), what, "write 3 or less").by(Clause("2.2")));
        }
        faults
    }

    fn resolve(&self, state: &mut State, orders: &mut Shots, umpire: &mut Umpire<'_, Self>) -> Ruling<Stop> {
        let side = Forts::phasing(state);
        let target = other(side);
        umpire.phase(Phase { turn: state.turn, side: side.as_str(), name: "fire" });
        for _ in 0..orders.guns {
            let die = umpire.roll_one(&Subject::of(target), "shot", Die::D6)?;
            let mut bonus = Tally::new();
            if orders.at == Some(Aim::Gate) {
                bonus.add("at the gate", 1, Clause("2.2"));
            }
            let hit = i32::from(die) + bonus.total() >= 4;
            umpire.note(Shot::Fired { by: side, die, bonus, hit });
            if hit {
                let question = Question {
                    who: target,
                    kind: Kind("repair"),
                    about: Subject::of(target),
                    clause: Clause("2.3"),
                    text: "the wall is breached: what is it filled with?".into(),
                    options: vec![Repair::Earth, Repair::Stone],
                    default: Repair::Earth,
                    also: None,
                };
                let with = umpire.ask(question, None, |policy| Say::Choose(*policy))?;
                umpire.note(Shot::Repaired { by: target, with });
                if with == Repair::Earth
                    && let Some(wall) = state.walls.get_mut(target.as_str())
                {
                    *wall = wall.saturating_sub(1);
                }
            }
        }
        state.turn += 1;
        Ok(self.packet_due(state))
    }

    fn no_orders(&self, _: &State, _: &Stop) -> Shots {
        Shots { guns: 0, at: None }
    }

    fn verdict(&self, state: &State) -> Option<Verdict> {
        let fallen = state.walls.iter().find(|(_, wall)| **wall == 0);
        fallen.map(|(side, _)| Verdict { winner: None, text: format!("{side} falls") })
    }

    fn flaws(&self, _: &State) -> Vec<String> {
        Vec::new()
    }
}

impl Files for Forts {
    const ABOUT: About = About {
        title: "Two Forts",
        credits: "nobody, never",
        text: "Two forts fire at each other.",
        provenance: "everything is invented",
        scenarios: &[ScenarioInfo { id: "noon", title: "Noon", text: "At noon." }],
        options: &[OptionInfo { name: "fog", values: &["no", "yes"], text: "Fog.", clause: Clause("1.1") }],
        rules: "game: two-forts\ntitle: Two Forts\ncredits: nobody\nclauses: []\n",
    };

    fn open(charter: &Charter) -> Result<Forts, Vec<Fault>> {
        match charter.scenario.as_str() {
            "" | "noon" => Ok(Forts),
            _ => Err(vec![Fault::new(&DocPath::root(), "there is no such scenario", "write `noon`")]),
        }
    }

    fn check_data(_: &BTreeMap<String, String>) -> Vec<DataFinding> {
        Vec::new()
    }

    fn rules_data(&self) -> Json {
        Json::map()
    }

    fn read_orders(&self, _: &str, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Shots> {
        Shots::read(node, at, reader)
    }

    fn read_state(&self, written: &Json) -> Result<State, Vec<String>> {
        from_json(written).map_err(|error| vec![error.to_string()])
    }

    fn arrange(_: &Node, _: &DocPath, _: &mut Vec<Fault>) -> Option<Arranged<Forts>> {
        let (state, stop) = Forts.begin();
        Some(Arranged { game: Forts, state, stop, holdings: Holdings::default() })
    }

    fn schemas() -> Vec<(String, serde_json::Value)> {
        vec![("orders-turn".into(), schemars::schema_for!(Shots).into())]
    }
}

impl Telling for Forts {
    fn tell(&self, event: &Shot, diary: &mut Diary) {
        match event {
            Shot::Fired { by, die, bonus, hit } => {
                diary.line(format!("A gun of {by} fires."), &[Clause("2.1")]);
                let gives = if *hit { "hit" } else { "miss" };
                diary.sum("shot", format!("die {die}"), bonus, gives);
            }
            Shot::Repaired { by, with } => diary.line(format!("{by} repairs the wall with {with}."), &[Clause("2.3")]),
            Shot::Lapsed(lapse) => diary.line(format!("{} takes its default.", lapse.key), &[lapse.clause]),
        }
    }

    fn sum_up(&self, events: &[&Shot], diary: &mut Diary) {
        let hits = events.iter().filter(|event| matches!(event, Shot::Fired { hit: true, .. })).count();
        diary.line(format!("{hits} hits."), &[]);
    }

    fn tell_state(&self, seen: &Seen<'_, State>, diary: &mut Diary) {
        let rows = seen.state.walls.iter().map(|(side, wall)| vec![side.clone(), wall.to_string()]).collect();
        diary.table(&["side", "wall"], rows);
    }

    fn headline(&self, state: &State) -> String {
        format!("Turn {}, noon", state.turn)
    }

    fn scene(&self, _: &Seen<'_, State>) -> Scene {
        Scene::default()
    }

    fn depict(&self, _: &Shot) -> Vec<Incident> {
        Vec::new()
    }

    fn query(&self, _: &Seen<'_, State>, _: &Query) -> Result<Reply, Vec<Fault>> {
        Ok(Reply::default())
    }
}

impl Players for Forts {
    fn template(&self, _: &Seen<'_, State>, _: &Stop) -> String {
        "  # up to 3 guns\n  guns: 2\n  # at: wall | gate\n".into()
    }

    fn random_orders(&self, _: &Seen<'_, State>, _: &Stop, chance: &mut Chance) -> Shots {
        Shots { guns: chance.below(4) as u8, at: chance.pick(Aim::ALL).copied() }
    }

    fn random_policy(&self, _: &State, _: Side, _: &str, chance: &mut Chance) -> Json {
        Json::Str(chance.pick(&["earth", "stone", "default", "ask"]).map_or("default", |word| word).into())
    }
}
