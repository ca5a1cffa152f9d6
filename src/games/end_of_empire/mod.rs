//! End of Empire: Santiago 1898 (Romero): both armies march under closed counters, guerrillas wait beside the roads.
//!
//! This file is the sequence of play (§2); each chapter of the rules has a file of its own.

mod administration;
mod arrange;
mod arrivals;
mod attack;
mod columns;
mod combat;
pub(super) mod data;
mod events;
mod facts;
mod fire;
mod guerrillas;
mod guns;
mod jungle;
mod lexicon;
mod losses;
mod marcher;
mod marks;
mod movement;
mod orders;
mod play;
mod players;
mod policy;
mod position;
mod query;
mod reorganize;
mod retreat;
mod scene;
mod setup;
mod shock;
mod state;
mod supply;
mod support;
mod tables;
mod tell;
mod template;
mod terms;
mod vouching;

use std::collections::BTreeMap;

use crate::board::Hex;
use crate::engine::dice::Chance;
use crate::engine::doc::{DocPath, Fault, FromDoc, Lexicon, Node, Reader, read_back};
use crate::engine::{
    About, Arranged, Bar, Charter, Concealed, DataFinding, Diary, Files, Flow, Json, Kind, Mark, OptionInfo, Players,
    Query, Reply, Rules, Ruling, ScenarioInfo, Seen, Side, Slot, Stop, Telling, Umpire, Verdict, option,
    schema_of_data, schema_to_read, schema_to_write, to_json,
};
use crate::scene::{Incident, Scene};

pub use data::Data;
pub use events::Event;
pub use orders::{Orders, SetupOrders, TurnOrders};
pub use policy::Policy;
pub use state::State;

use arrivals::arrival_names;
use events::PhaseName;
use play::Play;
use position::{Known, Position};
use state::{Ending, Stage};
use terms::{Force, Piece};

/// The name of the game.
const ID: &str = "end-of-empire";
/// The US player, who also runs the Cubans (§0c).
pub const US: Side = Side("us");
/// The Spanish player.
pub const SPAIN: Side = Side("spain");

/// The blocks of section 14 that are played (A58), and other matters of agreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// 14.1.
    pub jungle: bool,
    /// 14.2.
    pub coordination: bool,
    /// 14.3.
    pub friendly_fire: bool,
    /// 14.4 and 14.5.
    pub supply_points: bool,
    /// 14.6 and 14.7.
    pub columns: bool,
    /// 14.8.
    pub balloon: bool,
    /// Cubans set up at most 4 hexes from Santiago, not at least 4 (A04).
    pub cubans_near: bool,
    /// Movement and combat are ordered apart.
    pub phases: bool,
}

/// A table laid for End of Empire.
#[derive(Clone, Debug)]
pub struct EndOfEmpire {
    /// Map, counters, tables.
    pub data: Data,
    /// What is played.
    pub options: Options,
}

impl EndOfEmpire {
    /// The hexes a unit or counter of one's own can reach.
    pub fn reachable(&self, seen: &Seen<'_, State>, unit: &str) -> Vec<Hex> {
        let known = Known::own(self, seen, seen.side.unwrap_or(US));
        let now = Position { game: self, state: seen.state, known: &known };
        let marcher = now.marcher(&[Piece::of(unit)], false);
        marcher.map(|marcher| now.reach(&marcher).cells().collect()).unwrap_or_default()
    }

    /// The orders due at a stage. Where phases are ordered apart, movement is a plan that its author closes.
    fn due(&self, stage: Stage) -> Stop {
        let Some(who) = stage.side() else { return Stop::End };
        let plan = self.options.phases && matches!(stage, Stage::UsTurn | Stage::SpanishTurn);
        Stop::Orders { who, ask: stage.as_str(), flow: if plan { Flow::Plan } else { Flow::Direct } }
    }
}

impl Play<'_, '_> {
    /// The sequence of play from the packet in hand to the next one due (§2b).
    fn sequence(&mut self, orders: &mut Orders) -> Ruling<Stop> {
        let apart = self.game.options.phases;
        let next = match (self.state.stage, orders) {
            (Stage::SpanishSetup, Orders::Setup(setup)) => {
                self.set_up(Force::Spanish, setup)?;
                Stage::CubanSetup
            }
            (Stage::CubanSetup, Orders::Setup(setup)) => {
                self.set_up(Force::Cuban, setup)?;
                Stage::UsTurn
            }
            (Stage::UsTurn, Orders::Turn(turn)) => {
                self.us_movement(turn)?;
                if apart {
                    Stage::UsCombat
                } else {
                    self.us_combat(turn)?;
                    Stage::SpanishTurn
                }
            }
            (Stage::UsCombat, Orders::Turn(turn)) => {
                self.misplaced(turn);
                self.show_attackers(US, &turn.combat)?;
                self.us_combat(turn)?;
                Stage::SpanishTurn
            }
            (Stage::SpanishTurn, Orders::Turn(turn)) => {
                self.spanish_movement(turn)?;
                if apart {
                    Stage::SpanishCombat
                } else {
                    self.spanish_combat(turn)?;
                    Stage::UsTurn
                }
            }
            (Stage::SpanishCombat, Orders::Turn(turn)) => {
                self.misplaced(turn);
                self.show_attackers(SPAIN, &turn.combat)?;
                self.spanish_combat(turn)?;
                Stage::UsTurn
            }
            (stage, _) => stage,
        };
        self.umpire.decided()?;
        if next == Stage::UsTurn && self.state.stage != Stage::CubanSetup {
            self.next_turn()?;
        }
        self.state.stage = next;
        Ok(self.game.due(next))
    }

    /// A.3 of both, A.4, A.5 and B.1. What the orders vouch for comes before any die.
    fn us_movement(&mut self, turn: &mut TurnOrders) -> Ruling<()> {
        self.misplaced(turn);
        let names = arrival_names(self.state, Force::Us, turn);
        // Game turn 1 begins with B (§2c).
        if self.state.turn > 1 {
            self.us_reorganization(turn)?;
        }
        self.announce_arrivals(Force::Us, turn, &names)?;
        let ahead = self.with_arrivals(Force::Us, turn, &names)?;
        self.vouch_for_moves(US, &mut turn.moves, ahead)?;
        self.project(Force::Us, turn, &names)?;
        self.show_attackers(US, &turn.combat)?;
        if self.state.turn > 1 {
            self.spanish_reorganization()?;
            self.supply_points();
            self.yellow_fever()?;
        }
        self.landing(turn, &names)?;
        self.begin_phase("cuban", "move", PhaseName::CubanMovement);
        self.movement(US, Force::Cuban, &mut turn.moves)?;
        self.begin_phase("us", "move", PhaseName::UsMovement);
        self.movement(US, Force::Us, &mut turn.moves)?;
        self.check_stacking(US)?;
        if self.game.options.phases { Ok(()) } else { self.observe() }
    }

    /// B.2; where phases are ordered apart the balloon looks first (A66).
    fn us_combat(&mut self, turn: &mut TurnOrders) -> Ruling<()> {
        if self.game.options.phases {
            self.begin_phase("us", "observe", PhaseName::UsMovement);
            self.observe()?;
        }
        self.begin_phase("cuban", "combat", PhaseName::CubanCombat);
        self.combat(US, Force::Cuban, &mut turn.combat)?;
        self.begin_phase("us", "combat", PhaseName::UsCombat);
        self.combat(US, Force::Us, &mut turn.combat)?;
        // A24: what he attacked and took is for Spain another enemy-occupied hex.
        self.state.attacked.clear();
        Ok(())
    }

    /// C.1.
    fn spanish_movement(&mut self, turn: &mut TurnOrders) -> Ruling<()> {
        self.misplaced(turn);
        self.begin_phase("spain", "move", PhaseName::SpanishMovement);
        let names = arrival_names(self.state, Force::Spanish, turn);
        self.announce_arrivals(Force::Spanish, turn, &names)?;
        self.escario(turn, &names)?;
        let ahead = self.state.clone();
        self.vouch_for_moves(SPAIN, &mut turn.moves, ahead)?;
        self.project(Force::Spanish, turn, &[])?;
        self.show_attackers(SPAIN, &turn.combat)?;
        self.movement(SPAIN, Force::Spanish, &mut turn.moves)?;
        self.check_stacking(SPAIN)
    }

    /// C.2, and Spain's orders for the next A.3 (A96).
    fn spanish_combat(&mut self, turn: &mut TurnOrders) -> Ruling<()> {
        self.begin_phase("spain", "combat", PhaseName::SpanishCombat);
        self.combat(SPAIN, Force::Spanish, &mut turn.combat)?;
        self.lay_next(turn)
    }

    /// D, and A.0 to A.2 of the next turn.
    fn next_turn(&mut self) -> Ruling<()> {
        self.end_of_turn()?;
        self.historical_event()?;
        self.us_victory_check()?;
        self.spanish_victory_check()?;
        self.supply_check();
        Ok(())
    }

    /// Keys that are not for this player or phase belong to nobody: they lapse.
    fn misplaced(&mut self, orders: &mut TurnOrders) {
        let stage = self.state.stage;
        let us = stage.side() == Some(US);
        let apart = self.game.options.phases;
        let fighting = matches!(stage, Stage::UsCombat | Stage::SpanishCombat);
        let first = self.state.turn == 1;
        let mut wrong: Vec<(&str, &'static str, &str)> = Vec::new();
        if orders.reorganize.is_some() && (!us || fighting || first) {
            let why = if first && us { "no Phase A is played on turn 1" } else { "it is not ordered here" };
            wrong.push(("reorganize", if first { "2c" } else { "A96" }, why));
            orders.reorganize = None;
        }
        if !orders.land.is_empty() && (!us || fighting) {
            wrong.push(("land", "8.2a", "nobody lands in this part of the turn"));
            orders.land.clear();
        }
        if !orders.enter.is_empty() && (us || fighting) {
            wrong.push(("enter", "8.3a", "nobody enters in this part of the turn"));
            orders.enter.clear();
        }
        if !orders.moves.is_empty() && fighting {
            wrong.push(("moves", "2b", "movement is over"));
            orders.moves.clear();
        }
        if !orders.overfull.is_empty() && apart {
            wrong.push(("overfull", "A105", "where phases are ordered apart it is seen when stacking is checked"));
            orders.overfull.clear();
        }
        if !orders.combat.is_empty() && apart && !fighting {
            wrong.push(("combat", "2b", "combat is ordered after movement"));
            orders.combat.clear();
        }
        let last = self.state.turn >= self.data().tables.limits.turns;
        if orders.next.is_some() && (us || (apart && !fighting) || last) {
            wrong.push(("next", "A96", "there is no such reorganization to order now"));
            orders.next = None;
        }
        for (key, clause, why) in wrong {
            let before = self.umpire.take_in_hand(DocPath::root().key(key));
            self.lapse(key, vec![Bar::new(clause, why, "leave it out").firm()]);
            self.umpire.put_down(before);
        }
    }
}

const ON: &[&str] = &["on", "off"];

impl Rules for EndOfEmpire {
    const ID: &'static str = ID;
    const VERSION: u32 = 3;
    const SIDES: &'static [Side] = &[SPAIN, US];
    type State = State;
    type Orders = Orders;
    type Policy = Policy;
    type Event = Event;

    fn lexicon(&self) -> &dyn Lexicon {
        self
    }

    fn begin(&self) -> (State, Stop) {
        (State::new(&self.data, self.options.supply_points), self.due(Stage::SpanishSetup))
    }

    fn turn(&self, state: &State) -> u32 {
        state.turn
    }

    fn packet_due(&self, state: &State) -> Stop {
        self.due(state.stage)
    }

    fn resolve(&self, state: &mut State, orders: &mut Orders, umpire: &mut Umpire<'_, Self>) -> Ruling<Stop> {
        Play::new(self, state, umpire).sequence(orders)
    }

    fn marks(&self, event: &Self::Event) -> Vec<Mark> {
        marks::marks(self, event)
    }

    fn no_orders(&self, state: &State, _stop: &Stop) -> Orders {
        let force = match state.stage {
            Stage::SpanishSetup => Force::Spanish,
            Stage::CubanSetup => Force::Cuban,
            _ => return Orders::Turn(TurnOrders::default()),
        };
        let mut setup = SetupOrders::default();
        self.complete_setup(state, force, &mut setup);
        Orders::Setup(setup)
    }

    fn seal(&self, state: &State, orders: &mut Orders, hide: &mut dyn FnMut(Slot, Json)) {
        let mut lay = |holds: &mut Concealed<terms::Content>, name: Piece, turn: u32| {
            if let Concealed::Open(content) = holds
                && let (Ok(slot), Ok(value)) = (Slot::parse(&format!("{name}/t{turn}")), to_json(content))
            {
                hide(slot.clone(), value);
                *holds = Concealed::Sealed(slot);
            }
        };
        match orders {
            Orders::Setup(setup) => {
                let force = if state.stage == Stage::SpanishSetup { Force::Spanish } else { Force::Cuban };
                for (number, column) in (1..).zip(&mut setup.columns) {
                    lay(&mut column.holds, Piece::counter(force, number), 0);
                }
            }
            Orders::Turn(turn) => {
                for force in [Force::Us, Force::Spanish] {
                    let names = arrival_names(state, force, turn);
                    let entries = if force == Force::Us { &mut turn.land } else { &mut turn.enter };
                    for (entry, name) in entries.iter_mut().zip(names) {
                        if let (Some(holds), Some(name)) = (&mut entry.holds, name) {
                            lay(holds, name, state.turn);
                        }
                    }
                }
                for (name, holds) in turn.reorganize.iter_mut().flat_map(|reorganize| &mut reorganize.columns) {
                    lay(holds, *name, state.turn);
                }
                // What is sealed for the next turn holds sealed contents: those first.
                let next = state.turn + 1;
                if let Some(Concealed::Open(reorganize)) = &mut turn.next {
                    for (name, holds) in &mut reorganize.columns {
                        lay(holds, *name, next);
                    }
                }
                if let Some(Concealed::Open(reorganize)) = &turn.next
                    && let (Ok(slot), Ok(value)) = (reorganize::next_slot(next), to_json(reorganize))
                {
                    hide(slot.clone(), value);
                    turn.next = Some(Concealed::Sealed(slot));
                }
            }
        }
    }

    fn seal_plan(&self, _state: &State, orders: &mut Orders, hide: &mut dyn FnMut(Json) -> Slot) {
        if let Orders::Turn(turn) = orders {
            for entry in &mut turn.moves {
                if let Concealed::Open(order) = entry
                    && let Ok(value) = to_json(order)
                {
                    *entry = Concealed::Sealed(hide(value));
                }
            }
        }
    }

    fn verdict(&self, state: &State) -> Option<Verdict> {
        state.ending.map(Ending::verdict)
    }

    fn whose(&self, name: &str) -> Option<Side> {
        let unit = Piece::known(name).and_then(|id| self.data.unit(id));
        unit.map(|unit| unit.force).or_else(|| Piece::counter_force(name)).map(Force::side)
    }

    fn flaws(&self, state: &State) -> Vec<String> {
        arrange::flaws(self, state)
    }

    fn unquestioned(packet: &str) -> bool {
        matches!(packet, "spanish-setup" | "cuban-setup")
    }

    fn rules_out(&self, kind: Kind) -> bool {
        match kind {
            policy::FINISH_MOVE => !self.options.jungle,
            policy::FRIENDLY_FIRE => !self.options.friendly_fire,
            policy::SUPPORT => !self.options.supply_points,
            _ => false,
        }
    }
}

impl Files for EndOfEmpire {
    const ABOUT: About = About {
        title: "End of Empire: Santiago 1898",
        credits: "design Romero; the rulebook names neither publisher nor year",
        text: "Fourteen turns from the landing to the fall of Santiago, or not, on hexes of a mile. Columns, brigades and \
               dummies of both sides march under closed counters, guerrillas strike at whoever passes, and the yellow \
               press counts the dead.",
        provenance: "The rulebook prints the events table, a handful of hexes and ranges, and no other table, map or \
                     counter: garcia plays with a reconstruction that keeps every printed figure and follows the tables of \
                     the later edition. Owners of the game can transcribe their sheets and play with them (--data).",
        scenarios: &[ScenarioInfo {
            id: "campaign",
            title: "The campaign",
            text: "Free set-up of Spaniards and Cubans, a default one in the template; the US Army lands.",
        }],
        options: &[
            option("jungle", ON, "US Army movement across the jungle", "14.1a"),
            option("coordination", ON, "US Navy and US Army coordination", "14.2a"),
            option("friendly-fire", ON, "friendly fire of US guns", "14.3a"),
            option("supply-points", ON, "supply points and logistic columns", "14.4.1a"),
            option("columns", ON, "columns, brigades and dummies", "14.6a"),
            option("balloon", ON, "the reconnaissance balloon", "14.8a"),
            option(
                "cuban-distance",
                &["at-least", "at-most"],
                "whether Cubans set up at least or at most 4 hexes from Santiago",
                "A04",
            ),
            option(
                "packets",
                &["turn", "phases"],
                "orders for a whole player turn, or for movement (sealed until carried out) and combat apart",
                "2b",
            ),
        ],
        rules: include_str!("rules.yaml"),
    };

    fn open(charter: &Charter) -> Result<Self, Vec<Fault>> {
        let mut faults = OptionInfo::faults(Self::ABOUT.options, &charter.options);
        faults.extend(charter.scenario_among(&["campaign"]).err());
        let on = |name: &str| !charter.chose(name, "off");
        let options = Options {
            jungle: on("jungle"),
            coordination: on("coordination"),
            friendly_fire: on("friendly-fire"),
            supply_points: on("supply-points"),
            columns: on("columns"),
            balloon: on("balloon"),
            cubans_near: charter.chose("cuban-distance", "at-most"),
            phases: charter.chose("packets", "phases"),
        };
        Charter::lay(faults, data::SHELF.load(&charter.data), |data| EndOfEmpire { data, options })
    }

    fn check_data(files: &BTreeMap<String, String>) -> Vec<DataFinding> {
        data::SHELF.findings(files)
    }

    fn rules_data(&self) -> Json {
        self.data.canon().clone()
    }

    fn read_orders(&self, packet: &str, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Orders> {
        match packet {
            "spanish-setup" | "cuban-setup" => SetupOrders::read(node, at, reader).map(Orders::Setup),
            _ => TurnOrders::read(node, at, reader).map(Orders::Turn),
        }
    }

    fn read_state(&self, written: &Json) -> Result<State, Vec<String>> {
        read_back(written, self)
    }

    fn arrange(start: &Node, at: &DocPath, faults: &mut Vec<Fault>) -> Option<Arranged<Self>> {
        arrange::arrange(start, at, faults)
    }

    fn schemas() -> Vec<(String, serde_json::Value)> {
        vec![
            ("orders-spanish-setup".into(), schema_to_read::<SetupOrders>()),
            ("orders-cuban-setup".into(), schema_to_read::<SetupOrders>()),
            ("orders-us-turn".into(), schema_to_read::<TurnOrders>()),
            ("orders-us-combat".into(), schema_to_read::<TurnOrders>()),
            ("orders-spanish-turn".into(), schema_to_read::<TurnOrders>()),
            ("orders-spanish-combat".into(), schema_to_read::<TurnOrders>()),
            ("case-start".into(), schema_to_read::<arrange::CaseStart>()),
            ("state".into(), schema_to_write::<State>()),
            ("data-map".into(), schema_of_data::<data::MapFile>()),
            ("data-counters".into(), schema_of_data::<data::CountersFile>()),
            ("data-tables".into(), schema_of_data::<tables::Tables>()),
            ("data-scenarios".into(), schema_of_data::<data::ScenariosFile>()),
        ]
    }
}

impl Telling for EndOfEmpire {
    fn tell(&self, event: &Event, diary: &mut Diary) {
        tell::tell(self, event, diary);
    }

    fn sum_up(&self, events: &[&Event], diary: &mut Diary) {
        tell::sum_up(events, diary);
    }

    fn tell_state(&self, seen: &Seen<'_, State>, diary: &mut Diary) {
        tell::tell_state(self, seen, diary);
    }

    fn headline(&self, state: &State) -> String {
        tell::headline(state)
    }

    fn scene(&self, seen: &Seen<'_, State>) -> Scene {
        scene::scene(self, seen)
    }

    fn depict(&self, event: &Event) -> Vec<Incident> {
        scene::depict(&self.data, event)
    }

    fn query(&self, seen: &Seen<'_, State>, query: &Query) -> Result<Reply, Vec<Fault>> {
        query::answer(self, seen, query)
    }
}

impl Players for EndOfEmpire {
    fn template(&self, seen: &Seen<'_, State>, _stop: &Stop) -> String {
        template::template(self, seen)
    }

    fn random_orders(&self, seen: &Seen<'_, State>, _stop: &Stop, chance: &mut Chance) -> Orders {
        players::orders(self, seen, chance)
    }

    fn sensible_orders(&self, seen: &Seen<'_, State>, stop: &Stop) -> Option<Orders> {
        Some(players::sensible::orders(self, seen, stop))
    }

    fn random_policy(&self, state: &State, side: Side, kind: &str, chance: &mut Chance) -> Json {
        players::policy(self, state, side, kind, chance)
    }
}
