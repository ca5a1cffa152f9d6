//! Santiago Campaign 1898 (Romero, Paper Wars 102): defensive fire, then shock at odds, on one-mile hexes.
//!
//! This file is the sequence of play (§2.1); each chapter of the rules has a file of its own.

mod admin;
mod arrange;
pub mod data;
mod events;
mod fire;
mod jungle;
mod landing;
mod lexicon;
mod marks;
mod movement;
mod orders;
mod play;
mod policy;
mod query;
mod random;
mod retreat;
mod scene;
mod sensible;
mod setup;
mod shock;
mod stacking;
mod state;
mod supply;
pub mod tables;
mod tell;
mod template;
pub mod terms;

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
pub use crate::board::HexGrid;
use crate::engine::dice::Chance;
use crate::engine::doc::{DocPath, Fault, FromDoc, Lexicon, Node, Reader};
use crate::engine::{
    About, Arranged, Bar, Charter, Clause, DataFinding, Diary, Files, Flow, Json, Mark, OptionInfo, Players, Query,
    Reply, Rules, Ruling, ScenarioInfo, Seen, Side, Stop, Telling, Umpire, Verdict,
};
use crate::scene::{Incident, Scene};

pub use data::Data;
pub use events::Event;
pub use orders::{Orders, SetupOrders, TurnOrders};
pub use policy::Policy;
pub use state::State;

use data::{LandingEntry, Scenario, Whence};
use orders::Effort;
use play::{Play, Position};
use state::Stage;
use terms::{Force, UnitId};

/// The name of the game.
const ID: &str = "santiago-1898";
/// The US player, who also runs the Cubans (§1.1a).
pub const US: Side = Side("us");
/// The Spanish player.
pub const SPAIN: Side = Side("spain");

/// Rulings that players may decide otherwise; each is off by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Switch {
    /// R8: the river shift needs all attackers across.
    RiverShiftNeedsAll,
    /// R34: the balloon helps fire at US units next to it.
    BalloonHelpsFireAtUs,
    /// R30: no jungle roll along a road or railroad.
    NoJungleRollOnRoad,
    /// R15: the Gatlings are machineguns for friendly fire.
    GatlingIsNoArtillery,
    /// Movement and combat of a player turn are ordered apart.
    PhasesApart,
}

const SWITCHES: &[(&str, &str, Switch)] = &[
    ("river-shift", "all", Switch::RiverShiftNeedsAll),
    ("balloon-fire", "helps-fire-at-us", Switch::BalloonHelpsFireAtUs),
    ("jungle-roll-on-road", "no", Switch::NoJungleRollOnRoad),
    ("gatling-is-artillery", "no", Switch::GatlingIsNoArtillery),
    ("packets", "phases", Switch::PhasesApart),
];

/// A table laid for Santiago Campaign 1898.
#[derive(Clone, Debug)]
pub struct Santiago1898 {
    /// Map, counters, tables.
    pub data: Data,
    scenario: usize,
    switches: BTreeSet<Switch>,
}

impl Santiago1898 {
    /// Is a switch on?
    pub fn switch(&self, switch: Switch) -> bool {
        self.switches.contains(&switch)
    }

    /// The scenario in play.
    pub fn scenario(&self) -> &Scenario {
        &self.data.scenarios[self.scenario]
    }

    /// The last turn (§2.1a).
    pub fn last_turn(&self) -> u32 {
        self.data.calendar.last().map_or(15, |day| day.turn)
    }

    /// The hex a unit takes, or enters by, if its owner names none.
    pub fn default_hex(&self, id: UnitId) -> Option<Hex> {
        self.scenario().deployment(id).and_then(|deployment| deployment.defaults.get(&id).copied())
    }

    /// How a US unit may land on a turn: its own rule, or the one that follows it (§HSU, §IMP.21).
    fn landing_entry(&self, id: UnitId, turn: u32) -> Option<&LandingEntry> {
        let rule = |deployment: &'_ data::Deployment| matches!(deployment.rule, Whence::Landing(_));
        let deployment = self.scenario().deployment(id).filter(|deployment| rule(deployment))?;
        let Whence::Landing(entry) = &deployment.rule else { return None };
        let (Some(until), Some(then)) = (entry.until, entry.then) else { return Some(entry) };
        if turn <= until {
            return Some(entry);
        }
        let of_group = |deployment: &&data::Deployment| {
            let group = |id: &UnitId| self.data.units.get(id).is_some_and(|unit| unit.group == then);
            rule(deployment) && deployment.counters.iter().any(group)
        };
        match self.scenario().deploy.iter().find(of_group).map(|deployment| &deployment.rule) {
            Some(Whence::Landing(later)) => Some(later),
            _ => Some(entry),
        }
    }

    /// When the Escario column enters (§8.3a).
    fn escario_entry(&self) -> Option<data::EntryEntry> {
        self.scenario().deploy.iter().find_map(|deployment| match &deployment.rule {
            Whence::Entry(entry) => Some(*entry),
            _ => None,
        })
    }

    /// How far from Santiago Cubans may start (§3.3c).
    fn cuban_distance(&self) -> u32 {
        let within = self.scenario().deploy.iter().find_map(|deployment| match &deployment.rule {
            Whence::Cuban(entry) => Some(entry.within),
            _ => None,
        });
        within.unwrap_or(4)
    }

    fn position<'p>(&'p self, state: &'p State) -> Position<'p> {
        Position { game: self, state }
    }

    /// The orders due at a stage.
    fn due(&self, stage: Stage) -> Stop {
        let Some(who) = stage.side() else { return Stop::End };
        let ask = match stage {
            Stage::SpanishSetup | Stage::CubanSetup => "setup",
            Stage::UsCombat | Stage::SpanishCombat => "combat",
            _ if self.switch(Switch::PhasesApart) => "movement",
            _ => "turn",
        };
        Stop::Orders { who, ask, flow: Flow::Direct }
    }
}

impl Play<'_, '_> {
    /// The sequence of play from the packet in hand to the next one due (§2.1c).
    fn sequence(&mut self, orders: &mut Orders) -> Ruling<Stop> {
        let apart = self.game.switch(Switch::PhasesApart);
        let stage = self.state.stage;
        let next = match (stage, orders) {
            (Stage::SpanishSetup, Orders::Setup(setup)) => {
                self.spanish_setup(setup)?;
                Stage::CubanSetup
            }
            (Stage::CubanSetup, Orders::Setup(setup)) => {
                self.cuban_setup(setup)?;
                Stage::UsTurn // §2.1d: Turn 1 begins with US movement
            }
            (Stage::UsTurn | Stage::UsCombat, Orders::Turn(turn)) => {
                self.misplaced(turn);
                if stage == Stage::UsTurn {
                    self.us_movement(turn)?;
                }
                if apart && stage == Stage::UsTurn {
                    Stage::UsCombat
                } else {
                    self.us_combat(turn)?;
                    Stage::SpanishTurn
                }
            }
            (Stage::SpanishTurn | Stage::SpanishCombat, Orders::Turn(turn)) => {
                self.misplaced(turn);
                if stage == Stage::SpanishTurn {
                    self.spanish_movement(turn)?;
                }
                if apart && stage == Stage::SpanishTurn {
                    Stage::SpanishCombat
                } else {
                    self.spanish_combat(turn)?;
                    self.umpire.decided()?;
                    self.turn_of_the_day()?;
                    Stage::UsTurn
                }
            }
            (stage, _) => stage,
        };
        self.umpire.decided()?;
        self.state.stage = next;
        Ok(self.game.due(next))
    }

    /// What has no place in this packet: what the other player does, and what is ordered in the other phase (§2.1c).
    fn misplaced(&mut self, orders: &mut TurnOrders) {
        let side = self.state.stage.side();
        let combat_only = matches!(self.state.stage, Stage::UsCombat | Stage::SpanishCombat);
        let moves_only = self.game.switch(Switch::PhasesApart) && !combat_only;
        let mut bars: Vec<(&str, Bar)> = Vec::new();
        let mut bar = |key, wrong: bool, clause, why, remedy: &str| {
            if wrong {
                bars.push((key, Bar::new(clause, why, remedy).firm()));
            }
        };
        let (spanish, american) = (side == Some(SPAIN), side == Some(US));
        let (base, effort) = (orders.base.is_some(), orders.all_out_effort);
        bar("base", spanish && base, "8.2a", "the base is American", "leave `base` out");
        bar("landings", spanish && !orders.landings.is_empty(), "8.2a", "only US units land", "leave `landings` out");
        bar("entry", american && !orders.entry.is_empty(), "8.3a", "the Escario column is Spanish", "leave entry out");
        let why = "Roosevelt is not yours to command";
        bar("all-out-effort", spanish && effort != Effort::No, "6.4a", why, "leave it out");
        let (why, remedy) = ("movement is over", "give battles only; moves come with the next movement packet");
        bar("base", combat_only && american && base, "2.1c", why, remedy);
        bar("landings", combat_only && american && !orders.landings.is_empty(), "2.1c", why, remedy);
        bar("entry", combat_only && spanish && !orders.entry.is_empty(), "2.1c", why, remedy);
        bar("moves", combat_only && !orders.moves.is_empty(), "2.1c", why, remedy);
        let (why, remedy) = ("combat is ordered after movement", "leave battles for the combat packet");
        bar("battles", moves_only && !orders.battles.is_empty(), "2.1c", why, remedy);
        bar("shock-order", moves_only && !orders.shock_order.is_empty(), "2.1c", why, remedy);
        let remedy = "write `if-attack` in the combat packet, or `yes` here";
        bar("all-out-effort", moves_only && american && effort == Effort::IfAttack, "2.1c", why, remedy);
        for (key, bar) in bars {
            self.in_hand(DocPath::root().key(key), |play| play.lapse(&[], vec![bar]));
        }
        if orders.overstack {
            self.used.overstack = true;
            self.in_hand(DocPath::root().key("overstack"), |_| ());
        }
    }

    /// II.1 (§8.2a, §2.1h). An effort may be announced with the moves.
    fn us_movement(&mut self, orders: &mut TurnOrders) -> Ruling<()> {
        self.landings(orders)?;
        self.us_steps(orders)?;
        if self.game.switch(Switch::PhasesApart) && orders.all_out_effort == Effort::Yes {
            self.announced_effort(orders);
        }
        Ok(())
    }

    /// II.2: Cuban fire, US fire, Cuban shock, US shock (§2.1i).
    fn us_combat(&mut self, orders: &mut TurnOrders) -> Ruling<()> {
        self.announced_effort(orders);
        self.check_shock_order(orders);
        let cuban = self.fire_phase(Force::Cuban, orders)?;
        let us = self.fire_phase(Force::Us, orders)?;
        self.shock_phase(Force::Cuban, orders, cuban)?;
        self.shock_phase(Force::Us, orders, us)?;
        self.umpire.decided()?;
        self.end_landing_turn();
        Ok(())
    }

    /// III.1 (§8.3a).
    fn spanish_movement(&mut self, orders: &mut TurnOrders) -> Ruling<()> {
        self.begin_phase("spain", "move", events::PhaseName::SpanishMovement)?;
        self.enter_escario(&orders.entry)?;
        self.move_stacks(Force::Spanish, orders)?;
        self.check_stacking()
    }

    /// III.2 and III.3 (§2.1j).
    fn spanish_combat(&mut self, orders: &mut TurnOrders) -> Ruling<()> {
        self.check_shock_order(orders);
        let battles = self.fire_phase(Force::Spanish, orders)?;
        self.shock_phase(Force::Spanish, orders, battles)
    }

    /// IV, and I of the next turn, so that the US player sees it before he writes.
    fn turn_of_the_day(&mut self) -> Ruling<()> {
        self.end_of_turn()?;
        self.state.stage = Stage::UsTurn;
        self.administrative_phase()
    }
}

impl Rules for Santiago1898 {
    const ID: &'static str = ID;
    const VERSION: u32 = 2;
    const SIDES: &'static [Side] = &[SPAIN, US];
    type State = State;
    type Orders = Orders;
    type Policy = Policy;
    type Event = Event;

    fn lexicon(&self) -> &dyn Lexicon {
        &self.data
    }

    fn begin(&self) -> (State, Stop) {
        (State::new(&self.data), self.due(Stage::SpanishSetup))
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
        match state.stage {
            Stage::SpanishSetup | Stage::CubanSetup => Orders::Setup(SetupOrders::default()),
            _ => Orders::Turn(TurnOrders::default()),
        }
    }

    fn verdict(&self, state: &State) -> Option<Verdict> {
        state.ending.map(state::Ending::verdict)
    }

    fn whose(&self, name: &str) -> Option<Side> {
        let id = UnitId::known(name)?;
        let unit = self.data.units.get(&id).map(|unit| unit.force);
        unit.or_else(|| self.data.specials.get(&id).map(|special| special.force)).map(play::player)
    }

    fn flaws(&self, state: &State) -> Vec<String> {
        arrange::flaws(self, state)
    }

    fn unquestioned(packet: &str) -> bool {
        packet == "setup"
    }
}

impl Files for Santiago1898 {
    const ABOUT: About = About {
        title: "Santiago Campaign 1898",
        credits: "design Javier Romero; Paper Wars 102, Compass Games, 2022",
        text: "Fifteen days from the landing at Daiquirí to the gates of Santiago, on one-mile hexes. The defender \
               fires first; what is left of the attack is pressed home at odds. Jungle swallows columns, fever takes \
               steps, Congress counts them.",
        provenance: "All tables are printed in the rulebook. The map and the counter values are not: garcia plays with \
                     a reconstruction that keeps every fact the rulebook prints. Owners of the game can transcribe \
                     their sheet and play with it (--data).",
        scenarios: &[
            ScenarioInfo {
                id: "standard",
                title: "Free deployment",
                text: "The Spanish player places his army where he likes, Santiago and its ring held; US units land on any beach.",
            },
            ScenarioInfo {
                id: "historical",
                title: "Late June 1898",
                text: "Both armies as they stood: the set-up hexes and landing waves of the rulebook's lists.",
            },
        ],
        options: &[
            OptionInfo {
                name: "river-shift",
                values: &["any", "all"],
                text: "the shift for attacking across a river needs one attacker across (any) or every one (all)",
                clause: Clause("SCM.c"),
            },
            OptionInfo {
                name: "balloon-fire",
                values: &["helps-us-fire", "helps-fire-at-us"],
                text: "the +1 next to the Signals Detachment: for fire by US units, or for fire at them",
                clause: Clause("DFM.f"),
            },
            OptionInfo {
                name: "jungle-roll-on-road",
                values: &["yes", "no"],
                text: "whether US units roll for a jungle hex they enter along a road or railroad",
                clause: Clause("8.6a"),
            },
            OptionInfo {
                name: "gatling-is-artillery",
                values: &["yes", "no"],
                text: "whether Parker's Gatlings call for the friendly fire roll",
                clause: Clause("9.8a"),
            },
            OptionInfo {
                name: "packets",
                values: &["turn", "phases"],
                text: "orders for a whole player turn, or for movement and combat apart (two more mails a turn)",
                clause: Clause("2.1c"),
            },
        ],
        rules: include_str!("rules.yaml"),
    };

    fn open(charter: &Charter) -> Result<Self, Vec<Fault>> {
        let data = match charter.data.is_empty() {
            true => Data::ours().clone(),
            false => Data::load(&charter.data)?,
        };
        let known: Vec<&str> = data.scenarios.iter().map(|scenario| scenario.id.as_str()).collect();
        let scenario = match charter.scenario.is_empty() {
            true => Ok(data.scenarios.iter().position(|scenario| scenario.default).unwrap_or(0)),
            false => charter.scenario_among(&known),
        };
        let mut faults = OptionInfo::faults(Self::ABOUT.options, &charter.options);
        let chosen = SWITCHES.iter().filter(|(name, value, _)| charter.chose(name, value));
        let switches = chosen.map(|(_, _, switch)| *switch).collect();
        match scenario {
            Ok(scenario) if faults.is_empty() => Ok(Santiago1898 { data, scenario, switches }),
            scenario => {
                faults.extend(scenario.err());
                Err(faults)
            }
        }
    }

    fn check_data(files: &BTreeMap<String, String>) -> Vec<DataFinding> {
        data::findings(files)
    }

    fn rules_data(&self) -> Json {
        self.data.canon().clone()
    }

    fn read_orders(&self, packet: &str, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Orders> {
        match packet {
            "setup" => SetupOrders::read(node, at, reader).map(Orders::Setup),
            _ => TurnOrders::read(node, at, reader).map(Orders::Turn),
        }
    }

    fn read_state(&self, written: &Json) -> Result<State, Vec<String>> {
        arrange::read_state(self, written)
    }

    fn arrange(start: &Node, at: &DocPath, faults: &mut Vec<Fault>) -> Option<Arranged<Self>> {
        arrange::arrange(start, at, faults)
    }

    fn schemas() -> Vec<(String, serde_json::Value)> {
        arrange::schemas()
    }
}

impl Telling for Santiago1898 {
    fn tell(&self, event: &Event, diary: &mut Diary) {
        tell::tell(self, event, diary);
    }

    fn sum_up(&self, events: &[&Event], diary: &mut Diary) {
        tell::sum_up(self, events, diary);
    }

    fn tell_state(&self, seen: &Seen<'_, State>, diary: &mut Diary) {
        tell::tell_state(&self.position(seen.state), diary);
    }

    fn headline(&self, state: &State) -> String {
        tell::headline(&self.position(state))
    }

    fn scene(&self, seen: &Seen<'_, State>) -> Scene {
        let now = self.position(seen.state);
        let boards = vec![scene::board(&now)];
        Scene { forces: scene::armies(), boards, boxes: scene::boxes(&now), ..Scene::default() }
    }

    fn depict(&self, event: &Event) -> Vec<Incident> {
        scene::depict(&self.data, event)
    }

    fn query(&self, seen: &Seen<'_, State>, query: &Query) -> Result<Reply, Vec<Fault>> {
        query::answer(self, seen, query)
    }
}

impl Players for Santiago1898 {
    fn template(&self, seen: &Seen<'_, State>, _stop: &Stop) -> String {
        template::template(self, seen)
    }

    fn random_orders(&self, seen: &Seen<'_, State>, _stop: &Stop, chance: &mut Chance) -> Orders {
        random::orders(self, seen, chance)
    }

    fn sensible_orders(&self, seen: &Seen<'_, State>, _stop: &Stop) -> Option<Orders> {
        Some(sensible::orders(self, seen))
    }

    fn random_policy(&self, state: &State, _side: Side, kind: &str, chance: &mut Chance) -> Json {
        random::policy(&self.position(state), kind, chance)
    }
}
