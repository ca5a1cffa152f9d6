//! A Splendid Little War (Nunez, Legion Wargames): fourteen days before Santiago, and a fleet that sails on a day only
//! Spain knows.
//!
//! This file is the sequence of play (§4.0); each chapter of the rules has a file of its own.

mod advance;
mod arrange;
mod assault;
mod campaign;
mod command;
pub(super) mod data;
mod end;
mod entrench;
mod entry;
mod events;
mod facts;
mod fire;
mod firepower;
mod flaws;
mod gunnery;
mod leaders;
mod lexicon;
mod losses;
mod march;
mod marks;
mod morale;
mod movement;
mod orders;
mod play;
mod policy;
mod position;
mod query;
mod random;
mod regroup;
mod retreat;
mod scenarios;
mod scene;
mod setup;
mod sight;
mod special;
mod state;
mod storming;
mod supply;
mod tables;
mod tell;
mod tell_combat;
mod template;
mod terms;
mod victory;
mod weather;

#[cfg(test)]
mod data_tests;

use std::collections::BTreeMap;

use crate::board::Hex;
use crate::engine::dice::Chance;
use crate::engine::doc::{DocPath, Fault, FromDoc, Lexicon, Node, Reader, read_back, read_text};
use crate::engine::{
    About, Arranged, Bar, Charter, DataFinding, Diary, Files, Flow, Json, Kind, Mark, OptionInfo, Players, Query,
    Reply, Rules, Ruling, ScenarioInfo, Seen, Side, Stop, Telling, Umpire, Verdict, option, schema_of_data,
    schema_to_read, schema_to_write,
};
use crate::scene::{Incident, Scene};

pub use data::Data;
pub use events::Event;
pub use orders::{CombatOrders, DefenceOrders, Orders, SetupOrders, TurnOrders};
pub use policy::Policy;
pub use state::State;

use events::PhaseName;
use orders::{AssaultOrder, FireOrder};
use play::Play;
use position::Position;
use state::Stage;
use terms::Piece;

/// The name of the game.
const ID: &str = "splendid-little-war";
/// The US player, who also runs the Cubans (§15.6a).
pub const US: Side = Side("us");
/// The Spanish player.
pub const SPAIN: Side = Side("spain");

/// Matters of agreement: optional rules, and rulings that can be taken the other way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// `packets: steps`: markers, Defensive Fire and combat are ordered apart.
    pub steps: bool,
    /// `road-stacking: on`: limits hold while moving along jungle and swamp roads too (§5.4o).
    pub road_stacking: bool,
    /// `garrison: on` (§17.0.garrison-a).
    pub garrison: bool,
    /// `resist: on` (§17.0.cervera-f).
    pub resist: bool,
    /// `automatic-victory: on` (§17.0.auto-a).
    pub automatic: bool,
    /// `indirect-zero: hit`: a 0 counts as a hit (AMB-02); default `miss`.
    pub indirect_zero: bool,
    /// `fire-fever: on`: contraction rolls in fire too (AMB-03).
    pub fire_fever: bool,
    /// `assault-drm-sign: printed` (AMB-04); default `intent`.
    pub printed_sign: bool,
    /// `hill-note: drm`: the footnote covers the DRM only (AMB-05); default `whole`.
    pub hill_note_drm: bool,
    /// `gatling: absent` in the campaign (AMB-11); default `present`.
    pub no_gatling: bool,
    /// `garcia-rating: 7` (AMB-20); default `4`.
    pub garcia_seven: bool,
    /// `los-either: both` (AMB-28); default `one`.
    pub los_both: bool,
    /// `el-caney-turns: 3` (AMB-41); default `2`.
    pub caney_three: bool,
    /// `places: overlapping`: the five may include the forts named (AMB-46); default `distinct`.
    pub places_overlap: bool,
    /// `dynamite-range: half` (AMB-59); default `full`.
    pub dynamite_half: bool,
    /// `broken-again: stay` (AMB-68); default `retreat`.
    pub broken_stays: bool,
}

crate::words! {
    /// What can be played (§16.0a).
    pub enum Scenario {
        /// Scenario 1.
        ElCaney = "el-caney",
        /// Scenario 2.
        SanJuanHill = "san-juan-hill",
        /// Scenario 3.
        JulyFirst = "july-1",
        /// The campaign.
        Campaign = "campaign",
    }
}

/// A table laid for A Splendid Little War.
#[derive(Clone, Debug)]
pub struct SplendidLittleWar {
    /// Map, counters, tables.
    pub data: Data,
    /// Which scenario.
    pub scenario: Scenario,
    /// What is played.
    pub options: Options,
}

impl SplendidLittleWar {
    /// Is the campaign played (§17.0)?
    pub fn is_campaign(&self) -> bool {
        self.scenario == Scenario::Campaign
    }

    /// The hexes a counter can march to and stop in, as things stand.
    pub fn reachable(&self, seen: &Seen<'_, State>, unit: &str) -> Vec<Hex> {
        let now = Position { game: self, state: seen.state };
        let routes = read_text(self, unit).map(|piece| now.first_routes(piece)).unwrap_or_default();
        routes.into_iter().map(|(hex, ..)| hex).collect()
    }

    /// The orders due at a stage.
    fn due(stage: Stage) -> Stop {
        match stage.side() {
            Some(who) => Stop::Orders { who, ask: stage.as_str(), flow: Flow::Direct },
            None => Stop::End,
        }
    }
}

impl Play<'_, '_> {
    /// The sequence of play from the packet in hand to the next one due (§4.0).
    fn sequence(&mut self, orders: &mut Orders) -> Ruling<Stop> {
        let stage = self.state.stage;
        let next = match (stage, orders) {
            (Stage::SpanishSetup, Orders::Setup(setup)) => {
                self.set_up(SPAIN, setup)?;
                self.umpire.decided()?;
                Stage::UsSetup
            }
            (Stage::UsSetup, Orders::Setup(setup)) => {
                self.set_up(US, setup)?;
                self.umpire.decided()?;
                self.announce(US);
                self.supply_phase(US);
                Stage::UsTurn
            }
            (Stage::UsTurn | Stage::SpanishTurn, Orders::Turn(turn)) => self.player_turn(stage, turn)?,
            (Stage::SpanishDefensiveFire | Stage::UsDefensiveFire, Orders::Defence(defence)) => {
                let by = if stage == Stage::SpanishDefensiveFire { SPAIN } else { US };
                self.begin_combat();
                self.begin_phase(Some(position::enemy(by)), PhaseName::DefensiveFire);
                self.defensive_fire(by, defence)?;
                self.umpire.decided()?;
                if by == SPAIN { Stage::UsCombat } else { Stage::SpanishCombat }
            }
            (Stage::UsCombat | Stage::SpanishCombat, Orders::Combat(combat)) => {
                let side = if stage == Stage::UsCombat { US } else { SPAIN };
                self.begin_combat();
                self.attack(side, &mut combat.fire, &mut combat.assaults)?;
                self.run_on(side)?
            }
            (stage, _) => stage,
        };
        self.state.stage = next;
        Ok(SplendidLittleWar::due(next))
    }

    /// A player turn; where steps are ordered apart, up to the assault markers.
    fn player_turn(&mut self, stage: Stage, turn: &mut TurnOrders) -> Ruling<Stage> {
        let side = if stage == Stage::UsTurn { US } else { SPAIN };
        self.misplaced(side, turn);
        if side == US {
            self.command_phase(US, Some(turn))?;
        }
        self.reinforcement_phase(side, turn)?;
        self.movement_phase(side, turn)?;
        self.begin_combat();
        self.begin_phase(Some(side), PhaseName::Assaults);
        self.mark_assaults(side, &mut turn.assaults, &DocPath::root().key("assaults"))?;
        if self.game.options.steps {
            self.umpire.decided()?;
            return Ok(if side == US { Stage::SpanishDefensiveFire } else { Stage::UsDefensiveFire });
        }
        self.begin_phase(Some(side), PhaseName::DefensiveFire);
        self.defensive_fire(position::enemy(side), &DefenceOrders::default())?;
        self.attack(side, &mut turn.fire, &mut turn.assaults)?;
        self.run_on(side)
    }

    /// Offensive Fire and assaults (§4.0i).
    fn attack(&mut self, side: Side, fire: &mut [FireOrder], assaults: &mut [AssaultOrder]) -> Ruling<()> {
        self.begin_phase(Some(side), PhaseName::OffensiveFire);
        self.offensive_fire(side, fire, &DocPath::root().key("fire"))?;
        self.begin_phase(Some(side), PhaseName::AssaultCombat);
        self.assaults(side, assaults, &DocPath::root().key("assaults"))?;
        self.umpire.decided()
    }

    /// What follows a player's last order up to the next packet.
    fn run_on(&mut self, side: Side) -> Ruling<Stage> {
        self.supply_check_phase(side)?;
        self.disengage();
        self.test_ring();
        if side == US {
            // Spain closes this span: what only Spain knows is stated here, before it writes its turn.
            self.supply_phase(SPAIN);
            self.command_phase(SPAIN, None)?;
            self.begin_phase(Some(SPAIN), PhaseName::Reinforcement);
            self.sortie_statement()?;
            self.announce(SPAIN);
            self.escario_rolls()?;
            return Ok(Stage::SpanishTurn);
        }
        self.end_phase()?;
        self.weather_phase()?;
        self.announce(US);
        self.supply_phase(US);
        Ok(Stage::UsTurn)
    }

    /// Keys that are not for this player or step belong to nobody: they lapse.
    fn misplaced(&mut self, side: Side, turn: &mut TurnOrders) {
        let mut wrong: Vec<(&str, &'static str, &str)> = Vec::new();
        if side == SPAIN {
            if turn.roosevelt.take().is_some() {
                wrong.push(("roosevelt", "11.0i", "Roosevelt is not yours"));
            }
            if !std::mem::take(&mut turn.wood).is_empty() {
                wrong.push(("wood", "11.0q", "Wood is not yours"));
            }
            if !std::mem::take(&mut turn.pontoon).is_empty() {
                wrong.push(("pontoon", "15.4a", "only US Engineers build pontoon bridges"));
            }
            if turn.balloon.take().is_some() {
                wrong.push(("balloon", "15.1a", "the balloon is not yours"));
            }
        } else if !std::mem::take(&mut turn.release).is_empty() {
            wrong.push(("release", "17.0.garrison-e", "the garrison is not yours"));
        }
        if self.game.options.steps && !std::mem::take(&mut turn.fire).is_empty() {
            wrong.push(("fire", "4.0i", "Offensive Fire is ordered after Defensive Fire, in `combat`"));
        }
        for (key, clause, why) in wrong {
            let before = self.umpire.take_in_hand(DocPath::root().key(key));
            self.lapse(key, vec![Bar::new(clause, why, "leave it out").firm()]);
            self.umpire.put_down(before);
        }
    }
}

impl Rules for SplendidLittleWar {
    const ID: &'static str = ID;
    const VERSION: u32 = 2;
    const SIDES: &'static [Side] = &[SPAIN, US];
    type State = State;
    type Orders = Orders;
    type Policy = Policy;
    type Event = Event;

    fn lexicon(&self) -> &dyn Lexicon {
        self
    }

    fn begin(&self) -> (State, Stop) {
        (self.opening(), SplendidLittleWar::due(Stage::SpanishSetup))
    }

    fn marks(&self, event: &Event) -> Vec<Mark> {
        marks::marks(self, event)
    }

    fn packet_due(&self, state: &State) -> Stop {
        SplendidLittleWar::due(state.stage)
    }

    fn turn(&self, state: &State) -> u32 {
        state.turn
    }

    fn resolve(&self, state: &mut State, orders: &mut Orders, umpire: &mut Umpire<'_, Self>) -> Ruling<Stop> {
        Play::new(self, state, umpire).sequence(orders)
    }

    fn no_orders(&self, state: &State, _stop: &Stop) -> Orders {
        match state.stage {
            Stage::SpanishSetup | Stage::UsSetup => Orders::Setup(SetupOrders::default()),
            Stage::SpanishDefensiveFire | Stage::UsDefensiveFire => Orders::Defence(DefenceOrders::default()),
            Stage::UsCombat | Stage::SpanishCombat => Orders::Combat(CombatOrders::default()),
            _ => Orders::Turn(TurnOrders::default()),
        }
    }

    fn verdict(&self, state: &State) -> Option<Verdict> {
        state.ending.map(state::Ending::verdict)
    }

    fn whose(&self, name: &str) -> Option<Side> {
        Piece::known(name).and_then(|id| self.data.unit(id)).map(|unit| unit.side())
    }

    fn flaws(&self, state: &State) -> Vec<String> {
        flaws::flaws(self, state)
    }

    fn unquestioned(packet: &str) -> bool {
        matches!(packet, "spanish-setup" | "us-setup")
    }

    fn rules_out(&self, kind: Kind) -> bool {
        match kind {
            policy::ESCARIO_LOSSES => !self.is_campaign(),
            policy::RESIST => !self.is_campaign() || !self.options.resist,
            _ => false,
        }
    }

    /// The sortie roll, and with the option one roll to resist on every morning from July 3 to July 14.
    fn tickets(&self, side: Side) -> u32 {
        match (side == SPAIN && self.is_campaign(), self.options.resist) {
            (false, _) => 0,
            (true, false) => 1,
            (true, true) => {
                let mornings = (campaign::FIRST_MORNING..=self.turns()).step_by(2).count();
                1 + u32::try_from(mornings).unwrap_or(0)
            }
        }
    }
}

const OFF: &[&str] = &["off", "on"];

impl Files for SplendidLittleWar {
    const ABOUT: About = About {
        title: "A Splendid Little War",
        credits: "design Andy Nunez, development Andy Loakes; Legion Wargames, 2nd edition 2020",
        text: "July 1 to 14, 1898, regiment by regiment on hexes of a fifth of a mile: El Caney, San Juan Hill, the ring \
               around Santiago. Out of sight of his leaders a soldier goes nowhere, the fever waits for the assault, and the \
               Spanish fleet sails on a day only Spain knows.",
        provenance: "The rulebook prints the Terrain Effects Chart, morale, weather and fever, some twenty hexes, the \
                     set-up lists and three counters' ratings; map, other counters, and the fire, assault and variable \
                     tables are reconstructed around them. Owners of the game can transcribe their sheets and play with \
                     them (--data).",
        scenarios: &[
            ScenarioInfo {
                id: "el-caney",
                title: "El Caney",
                text: "Two turns: Lawton's division against three companies, a fort and blockhouses.",
            },
            ScenarioInfo {
                id: "san-juan-hill",
                title: "San Juan Hill",
                text: "Two turns: Kent and Wheeler storm the heights before Santiago.",
            },
            ScenarioInfo { id: "july-1", title: "The Battles of July 1", text: "Both battles in three turns." },
            ScenarioInfo {
                id: "campaign",
                title: "The campaign",
                text: "Twenty-eight turns from July 1 to July 14, with Escario's column, Cervera's fleet, rain and fever.",
            },
        ],
        options: &[
            option(
                "packets",
                &["turn", "steps"],
                "one file a player turn with standing orders for Defensive Fire, or markers, Defensive Fire and combat apart",
                "4.0i",
            ),
            option("road-stacking", OFF, "stacking limits hold on the march along jungle and swamp roads", "5.4o"),
            option(
                "garrison",
                OFF,
                "the garrison of Santiago stays until it is released or threatened",
                "17.0.garrison-a",
            ),
            option("resist", OFF, "Cervera may resist the order to sail", "17.0.cervera-f"),
            option("automatic-victory", OFF, "Santiago may surrender before the last turn", "17.0.auto-a"),
            option("indirect-zero", &["miss", "hit"], "what a 0 is on an indirect fire roll (AMB-02)", "13.1q"),
            option("fire-fever", OFF, "contraction rolls in Fire Combat too (AMB-03)", "13.1ad"),
            option(
                "assault-drm-sign",
                &["intent", "printed"],
                "the sign of the modifiers for a Broken defender and an attacking leader (AMB-04)",
                "13.2o",
            ),
            option(
                "hill-note",
                &["whole", "drm"],
                "whether the hill footnote covers the halving too (AMB-05)",
                "TEC.note2",
            ),
            option("gatling", &["present", "absent"], "whether the campaign has the Gatling Gun (AMB-11)", "17.0.us-q"),
            option("garcia-rating", &["4", "7"], "Garcia's rating for Leader Loss (AMB-20)", "13.4k"),
            option("los-either", &["one", "both"], "how \"either\" is read in lines of sight (AMB-28)", "13.1t"),
            option("el-caney-turns", &["2", "3"], "the length of El Caney (AMB-41)", "16.1a"),
            option(
                "places",
                &["distinct", "overlapping"],
                "whether the five works are others than the forts named (AMB-46)",
                "17.0.victory-p",
            ),
            option("dynamite-range", &["full", "half"], "the Dynamite Gun's CF at its only range (AMB-59)", "13.1al"),
            option("broken-again", &["retreat", "stay"], "a Broken unit that is Broken again (AMB-68)", "13.3a"),
        ],
        rules: include_str!("rules.yaml"),
    };

    fn open(charter: &Charter) -> Result<Self, Vec<Fault>> {
        let mut faults = OptionInfo::faults(Self::ABOUT.options, &charter.options);
        let names: Vec<&str> = Scenario::ALL.iter().map(|scenario| scenario.as_str()).collect();
        let scenario = charter.scenario_among(&names).map(|index| Scenario::ALL.get(index).copied());
        let scenario = scenario.map_err(|fault| faults.push(fault)).ok().flatten().unwrap_or(Scenario::ElCaney);
        let chose = |name: &str, value: &str| charter.chose(name, value);
        let options = Options {
            steps: chose("packets", "steps"),
            road_stacking: chose("road-stacking", "on"),
            garrison: chose("garrison", "on") && scenario == Scenario::Campaign,
            resist: chose("resist", "on"),
            automatic: chose("automatic-victory", "on"),
            indirect_zero: chose("indirect-zero", "hit"),
            fire_fever: chose("fire-fever", "on"),
            printed_sign: chose("assault-drm-sign", "printed"),
            hill_note_drm: chose("hill-note", "drm"),
            no_gatling: chose("gatling", "absent"),
            garcia_seven: chose("garcia-rating", "7"),
            los_both: chose("los-either", "both"),
            caney_three: chose("el-caney-turns", "3"),
            places_overlap: chose("places", "overlapping"),
            dynamite_half: chose("dynamite-range", "half"),
            broken_stays: chose("broken-again", "stay"),
        };
        Charter::lay(faults, data::SHELF.load(&charter.data), |data| SplendidLittleWar { data, scenario, options })
    }

    fn check_data(files: &BTreeMap<String, String>) -> Vec<DataFinding> {
        data::SHELF.findings(files)
    }

    fn rules_data(&self) -> Json {
        self.data.canon().clone()
    }

    fn read_orders(&self, packet: &str, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Orders> {
        match packet {
            "spanish-setup" | "us-setup" => SetupOrders::read(node, at, reader).map(Orders::Setup),
            "spanish-defensive-fire" | "us-defensive-fire" => {
                DefenceOrders::read(node, at, reader).map(Orders::Defence)
            }
            "spanish-combat" | "us-combat" => CombatOrders::read(node, at, reader).map(Orders::Combat),
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
            ("orders-us-setup".into(), schema_to_read::<SetupOrders>()),
            ("orders-us-turn".into(), schema_to_read::<TurnOrders>()),
            ("orders-spanish-defensive-fire".into(), schema_to_read::<DefenceOrders>()),
            ("orders-us-combat".into(), schema_to_read::<CombatOrders>()),
            ("orders-spanish-turn".into(), schema_to_read::<TurnOrders>()),
            ("orders-us-defensive-fire".into(), schema_to_read::<DefenceOrders>()),
            ("orders-spanish-combat".into(), schema_to_read::<CombatOrders>()),
            ("case-start".into(), schema_to_read::<arrange::CaseStart>()),
            ("state".into(), schema_to_write::<State>()),
            ("data-map".into(), schema_of_data::<data::MapFile>()),
            ("data-counters".into(), schema_of_data::<data::CountersFile>()),
            ("data-tables".into(), schema_of_data::<tables::Tables>()),
            ("data-scenarios".into(), schema_of_data::<scenarios::ScenariosFile>()),
        ]
    }
}

impl Telling for SplendidLittleWar {
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
        tell::headline(self, state)
    }

    fn scene(&self, seen: &Seen<'_, State>) -> Scene {
        scene::scene(&Position { game: self, state: seen.state })
    }

    fn depict(&self, event: &Event) -> Vec<Incident> {
        scene::depict(event)
    }

    fn query(&self, seen: &Seen<'_, State>, query: &Query) -> Result<Reply, Vec<Fault>> {
        query::answer(self, seen, query)
    }
}

impl Players for SplendidLittleWar {
    fn template(&self, seen: &Seen<'_, State>, _stop: &Stop) -> String {
        template::template(self, seen)
    }

    fn random_orders(&self, seen: &Seen<'_, State>, _stop: &Stop, chance: &mut Chance) -> Orders {
        random::orders(self, seen, chance)
    }

    fn sensible_orders(&self, seen: &Seen<'_, State>, _stop: &Stop) -> Option<Orders> {
        let mut chance = Chance::new(&format!("turn {}", seen.state.turn));
        Some(random::sensible(self, seen, &mut chance))
    }

    fn random_policy(&self, state: &State, _side: Side, kind: &str, chance: &mut Chance) -> Json {
        random::policy(state, kind, chance)
    }
}
