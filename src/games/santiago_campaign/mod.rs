//! The Santiago Campaign, 1898 (Bell, Strategy & Tactics 258): face-down Spaniards, blind landings, supply lines, odds.
//!
//! This file is the sequence of play (§3.2); each chapter of the rules has a file of its own.

mod arrange;
mod attacks;
mod balloon;
mod bars;
mod combat;
pub(super) mod data;
mod displace;
mod events;
mod facts;
mod forecast;
mod landing;
mod lexicon;
mod marks;
mod movement;
mod orders;
mod plan;
mod play;
mod policy;
mod query;
mod random;
mod reinforcements;
mod results;
mod retreat;
mod scene;
mod sensible;
mod setup;
mod shifts;
mod stacking;
mod state;
mod supply;
mod tell;
mod template;
mod terms;
mod toll;
mod victory;
mod walk;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::board::Hex;
use crate::engine::dice::Chance;
use crate::engine::doc::{DocPath, Fault, FromDoc, Lexicon, Node, Reader, read_back};
use crate::engine::{
    About, Arranged, Bar, Charter, Clause, Concealed, DataFinding, Diary, Files, Flow, Json, Mark, OptionInfo, Players,
    Query, Reply, Rules, Ruling, ScenarioInfo, Seen, Side, Slot, Stop, Subject, Telling, Umpire, Verdict,
    schema_of_data, schema_to_read, schema_to_write, to_json,
};
use crate::scene::{Incident, Scene};

pub use data::Data;
pub use events::Event;
pub use orders::{Orders, SpanishSetup, TurnOrders, UsSetup};
pub use policy::Policy;
pub use state::State;

use bars::bar;
use events::PhaseName;
use orders::MoveOrder;
use play::{Known, Play, Position, own_knowledge};
use policy::{BalloonFire, When};
use state::{Ending, Place, Post, Stage, Truce};
use terms::{Piece, Token, UnitId};

/// The name of the game.
const ID: &str = "santiago-campaign";
/// The US player, who also runs the Cubans (§1.1a).
pub const US: Side = Side("us");
/// The Spanish player.
pub const SPAIN: Side = Side("spain");

/// Rulings that players may decide otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Spain closes its own turn.
    pub spanish_plan: bool,
    /// Movement and combat are ordered apart.
    pub phases_apart: bool,
    /// Spanish units lie face-up (§1.1b).
    pub face_up: bool,
    /// Defenders fight once a phase (A10).
    pub defenders_once: bool,
    /// A hexside shift needs every adjacent attacker (A12).
    pub hexside_all: bool,
    /// Defenders out of supply count half (A29).
    pub oos_defence_half: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            spanish_plan: true,
            phases_apart: false,
            face_up: false,
            defenders_once: true,
            hexside_all: true,
            oos_defence_half: true,
        }
    }
}

/// A table laid for The Santiago Campaign, 1898.
#[derive(Clone, Debug)]
pub struct SantiagoCampaign {
    /// Map, counters, tables.
    pub data: Data,
    /// Rulings in force.
    pub options: Options,
}

impl SantiagoCampaign {
    /// The orders due at a stage. Spain closes the US turn and, by option, its own (§8.1b).
    fn due(&self, stage: Stage) -> Stop {
        let Some(who) = stage.side() else { return Stop::End };
        let own = matches!(stage, Stage::SpanishTurn | Stage::SpanishCombat);
        let flow = if own && self.options.spanish_plan { Flow::Plan } else { Flow::Direct };
        Stop::Orders { who, ask: stage.packet(), flow }
    }
}

impl SantiagoCampaign {
    /// Every hex a unit can reach in its next move, as its owner sees the position (§10); nothing if it cannot move.
    pub fn reachable(&self, seen: &Seen<'_, State>, unit: &str) -> Vec<Hex> {
        let piece = Piece::of(unit);
        let side = if piece.token().is_some() { SPAIN } else { US };
        play::at_table(self, seen, side, |play| play.choices(piece).into_iter().map(|(hex, ..)| hex).collect())
    }
}

impl Play<'_, '_> {
    /// The sequence of play from the packet in hand to the next one due (§3.1b).
    fn sequence(&mut self, orders: &mut Orders) -> Ruling<Stop> {
        if let Orders::Turn(turn) = &mut *orders {
            self.read_names(turn);
            self.misplaced(turn);
        }
        let next = match (self.state.stage, orders) {
            (Stage::SpanishSetup, Orders::SpanishSetup(setup)) => {
                self.spanish_setup(setup)?;
                self.cuban_roll()?;
                Stage::UsSetup
            }
            (Stage::UsSetup, Orders::UsSetup(setup)) => {
                self.us_setup(setup)?;
                self.set_supply_length()?;
                Stage::UsTurn
            }
            (Stage::UsTurn, Orders::Turn(turn)) => {
                self.give_up(turn, Ending::UsCapitulates)?;
                self.disembark(turn)?;
                self.us_movement(turn)?;
                if self.game.options.phases_apart {
                    Stage::UsCombat
                } else {
                    self.us_combat(turn)?;
                    Stage::SpanishTurn
                }
            }
            (Stage::UsCombat, Orders::Turn(turn)) => {
                self.give_up(turn, Ending::UsCapitulates)?;
                self.us_combat(turn)?;
                Stage::SpanishTurn
            }
            (Stage::SpanishTurn, Orders::Turn(turn)) => {
                self.give_up(turn, Ending::SpainCapitulates)?;
                self.spanish_movement(turn)?;
                if self.game.options.phases_apart {
                    Stage::SpanishCombat
                } else {
                    self.spanish_combat(turn)?;
                    Stage::UsTurn
                }
            }
            (Stage::SpanishCombat, Orders::Turn(turn)) => {
                self.give_up(turn, Ending::SpainCapitulates)?;
                self.spanish_combat(turn)?;
                Stage::UsTurn
            }
            (stage, _) => stage,
        };
        self.state.stage = next;
        Ok(self.game.due(next))
    }

    /// Spanish units named by their designation become the counters they lie under, where the viewer can tell: before
    /// anything happens to those.
    fn read_names(&self, turn: &mut TurnOrders) {
        let now = self.now();
        let spanish = self.state.stage.side() == Some(SPAIN);
        for order in turn.moves.iter_mut().filter(|_| spanish).filter_map(Concealed::as_open_mut) {
            order.unit = now.named(order.unit);
        }
        for order in turn.attacks.iter_mut().filter_map(Concealed::as_open_mut) {
            *order = now.naming(order);
        }
    }

    /// What is not for this side or this half of the turn lapses (§3.1b, §3.2).
    fn misplaced(&mut self, turn: &TurnOrders) {
        let stage = self.state.stage;
        let us = stage.side() == Some(US);
        let combat = matches!(stage, Stage::UsCombat | Stage::SpanishCombat);
        let apart = self.game.options.phases_apart && !combat;
        let lands = !us || combat;
        let landing = || bar("3.2b", "landings belong to the US Disembarkation Phase").firm();
        for (there, key, barred) in [
            (lands && !turn.split.is_empty(), "split", landing()),
            (lands && !turn.landings.is_empty(), "landings", landing()),
            (us && turn.release.is_some(), "release", bar("23.1c", "only the Spanish player releases units").firm()),
            (combat && !turn.moves.is_empty(), "moves", bar("3.1b", "movement is over").firm()),
            (apart && !turn.attacks.is_empty(), "attacks", bar("3.1b", "attacks are ordered after movement").firm()),
        ] {
            if there {
                self.entry(DocPath::root().key(key), |play| play.lapse(key, vec![barred], &[]));
            }
        }
    }

    /// §3.3c.
    fn give_up(&mut self, orders: &TurnOrders, ending: Ending) -> Ruling<()> {
        if !orders.capitulate {
            return Ok(());
        }
        self.entry(DocPath::root().key("capitulate"), |play| play.end_game(ending))
    }

    /// I.C, with the fire a balloon draws (§10, §17).
    fn us_movement(&mut self, orders: &mut TurnOrders) -> Ruling<()> {
        self.begin_phase("us", "move", PhaseName::UsMovement);
        let mut moved: Vec<Piece> = Vec::new();
        self.at_first = (!orders.moves.is_empty()).then(|| self.supply_maps());
        // The Spanish decision is made once, when the balloon is first seen up (§17.5a, §17.5k).
        let mut fire = if self.state.balloon_up { Some(self.balloon_fire_decision()?) } else { None };
        if let Some(fire) = fire.clone().filter(|fire| fire.when == When::Early) {
            self.fire_at_balloon(&fire)?;
        }
        for count in 0..orders.moves.len() {
            let later = orders.moves.iter().skip(count + 1).filter_map(Concealed::as_open);
            let moving = later.filter(|later| !later.path.is_empty() || later.to.is_some()).map(|later| later.unit);
            let to_come: Vec<Piece> = moving.filter(|unit| !moved.contains(unit)).collect();
            let Some(entry) = orders.moves.get_mut(count) else { break };
            self.entry(DocPath::root().key("moves").index(count), |play| {
                let Some(mut order) = play.called_move(entry)? else { return Ok(()) };
                play.move_us(&mut order, &mut moved, &to_come, &mut fire)?;
                if let Some(open) = entry.as_open_mut() {
                    *open = order;
                }
                Ok(())
            })?;
        }
        if self.game.options.phases_apart {
            self.umpire.decided()?;
        }
        if let Some(fire) = fire.filter(|fire| fire.when == When::Late) {
            self.fire_at_balloon(&fire)?;
        }
        self.check_stacking()
    }

    /// One entry of the US list of moves.
    fn move_us(
        &mut self,
        order: &mut MoveOrder,
        moved: &mut Vec<Piece>,
        to_come: &[Piece],
        fire: &mut Option<BalloonFire>,
    ) -> Ruling<()> {
        let what = format!("move of {}", order.unit);
        if let Some(bar) = self.now().order_bar(US, order.unit, moved) {
            self.lapse(what, vec![bar], &[]);
            return Ok(());
        }
        moved.push(order.unit);
        let bars = self.now().balloon_bars(order);
        if !bars.is_empty() {
            let on = [Subject::of(order.unit)];
            self.lapse(what, bars::resting(bars, &on), &on);
            return Ok(());
        }
        if let Some(mode) = order.balloon
            && !self.flip_balloon(order.unit, mode, fire)?
        {
            return Ok(());
        }
        // Flipping the balloon is no move (§17.2e).
        if order.path.is_empty() && order.to.is_none() { Ok(()) } else { self.us_move(order, to_come) }
    }

    /// I.D, and what closes the US player turn (§11, §19.2a).
    fn us_combat(&mut self, orders: &TurnOrders) -> Ruling<()> {
        self.combat(US, &orders.attacks)?;
        self.umpire.decided()?;
        self.check_stacking()?;
        self.test_siege();
        for unit in self.state.units.values_mut() {
            unit.landed = false;
        }
        // The opening US player turn is over: from now on a missing source loses the game (§4.7b).
        self.state.stage = Stage::SpanishTurn;
        self.check_victory()
    }

    /// II.A (§10, §23).
    fn spanish_movement(&mut self, orders: &mut TurnOrders) -> Ruling<()> {
        self.begin_phase("spain", "move", PhaseName::SpanishMovement);
        self.judge_release(orders);
        self.guantanamo(orders)?;
        let mut moved: Vec<Piece> = Vec::new();
        for (count, entry) in orders.moves.iter_mut().enumerate() {
            self.entry(DocPath::root().key("moves").index(count), |play| {
                let Some(mut order) = play.called_move(entry)? else { return Ok(()) };
                let mut bars: Vec<Bar> = play.now().order_bar(SPAIN, order.unit, &moved).into_iter().collect();
                if bars.is_empty() {
                    bars.extend(play.now().balloon_bars(&order));
                }
                if bars.is_empty() {
                    moved.push(order.unit);
                    play.spanish_move(&mut order)?;
                } else {
                    play.lapse(format!("move of {}", order.unit), bars, &[]);
                }
                if let Some(open) = entry.as_open_mut() {
                    *open = order;
                }
                Ok(())
            })?;
        }
        if self.game.options.phases_apart {
            self.umpire.decided()?;
        }
        self.check_stacking()
    }

    /// II.B, II.C, the end of the turn and the opening of the next (§3.2g, §3.3a).
    fn spanish_combat(&mut self, orders: &TurnOrders) -> Ruling<()> {
        self.combat(SPAIN, &orders.attacks)?;
        self.umpire.decided()?;
        self.check_stacking()?;
        self.begin_phase("spain", "truce", PhaseName::Truce);
        self.test_siege();
        if self.state.truce == Truce::Active {
            self.state.truce = Truce::Used;
            self.umpire.note(Event::TruceOver);
        }
        let turn = self.state.turn;
        self.umpire.note(Event::TurnEnded { turn });
        if turn >= self.data().tables.clock.turns {
            return self.final_verdict();
        }
        self.state.turn = turn + 1;
        self.state.stage = Stage::UsTurn;
        self.open_turn()
    }
}

impl Rules for SantiagoCampaign {
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
            Stage::SpanishSetup => Orders::SpanishSetup(SpanishSetup::by_default(&self.data)),
            Stage::UsSetup => Orders::UsSetup(UsSetup::default()),
            _ => Orders::Turn(TurnOrders::default()),
        }
    }

    fn seal(&self, _state: &State, orders: &mut Orders, hide: &mut dyn FnMut(Slot, Json)) {
        let Orders::SpanishSetup(setup) = orders else { return };
        let stacks = setup.deploy.values_mut().chain([&mut setup.manzanillo, &mut setup.guantanamo]);
        for (number, unit) in (1..).zip(stacks.flatten()) {
            let Ok(slot) = Slot::parse(Token::numbered(number).as_str()) else { continue };
            if let Concealed::Open(id) = unit
                && let Ok(value) = to_json(id)
            {
                hide(slot.clone(), value);
                *unit = Concealed::Sealed(slot);
            }
        }
    }

    fn is_conditional(&self, entry: &Json) -> bool {
        plan::is_conditional(entry)
    }

    fn seal_plan(&self, state: &State, orders: &mut Orders, hide: &mut dyn FnMut(Json) -> Slot) {
        if let Orders::Turn(turn) = orders {
            plan::seal(self, state, turn, hide);
        }
    }

    fn verdict(&self, state: &State) -> Option<Verdict> {
        state.ending.map(Ending::verdict)
    }

    fn whose(&self, name: &str) -> Option<Side> {
        match Token::is_name(name) {
            true => Some(SPAIN),
            false => {
                UnitId::known(name).and_then(|id| self.data.counters.get(&id)).map(|counter| counter.nation.side())
            }
        }
    }

    fn unquestioned(packet: &str) -> bool {
        matches!(packet, "spanish-setup" | "us-setup")
    }

    fn flaws(&self, state: &State) -> Vec<String> {
        arrange::flaws(self, state)
    }

    /// §8.1c: the face-down counters of one hex or box, which their owner may mix.
    fn masks(&self, state: &State, side: Side) -> Vec<Vec<Slot>> {
        let mut stacks: BTreeMap<Post, Vec<Slot>> = BTreeMap::new();
        for counter in state.counters.values() {
            if let state::Face::Down(sealed) = &counter.face
                && sealed.owner() == side
            {
                stacks.entry(counter.at).or_default().push(sealed.slot().clone());
            }
        }
        stacks.into_values().collect()
    }

    /// §8.1c: counters may be turned and mixed within their hex or box, and nothing else about them may change.
    fn resealed(&self, before: &Seen<'_, State>, after: &Seen<'_, State>) -> Result<(), Clause> {
        let content = |seen: &Seen<'_, State>| {
            let known = Known::of(self, seen.state, seen.holdings);
            let position = Position { game: self, state: seen.state, known: &known };
            let mut stacks: BTreeMap<Post, Vec<terms::UnitId>> = BTreeMap::new();
            for (token, counter) in seen.state.counters.iter() {
                stacks.entry(counter.at).or_default().extend(position.identity(*token));
            }
            for units in stacks.values_mut() {
                units.sort_unstable();
            }
            stacks
        };
        if content(before) == content(after) { Ok(()) } else { Err(Clause("8.1c")) }
    }
}

impl Files for SantiagoCampaign {
    const ABOUT: About = About {
        title: "The Santiago Campaign, 1898",
        credits: "design Ron Bell, development Ty Bomba; Strategy & Tactics 258, Decision Games, 2009",
        text: "Thirty-three days from the landings to the fall of Santiago, or not, on half-mile hexes. The Spanish army \
               lies face-down; the US player lands what the ships happen to bring, where the Navy happens to put it, and \
               marches as far as his mules can follow.",
        provenance: "The rulebook prints neither map nor counters nor tables, only some twenty hexes, a dozen units and a \
                     few cells: garcia plays with a reconstruction that keeps every one of them. Owners of the game can \
                     transcribe their sheet and play with it (--data).",
        scenarios: &[ScenarioInfo {
            id: "campaign",
            title: "The campaign",
            text: "Eleven turns from the landing. Hidden Spanish set-up; Cubans, landing sites and landing order by die.",
        }],
        options: &[
            OptionInfo {
                name: "spanish-turn",
                values: &["plan", "direct"],
                text: "whether the Spanish player closes his own turn, his attacks sealed (plan), or sends it openly (direct: \
                       a mail shorter with one attack at most, longer with more)",
                clause: Clause("8.1b"),
            },
            OptionInfo {
                name: "packets",
                values: &["turn", "phases"],
                text: "orders for a whole player turn, or for movement and combat apart (two more mails a turn)",
                clause: Clause("11.1c"),
            },
            OptionInfo {
                name: "concealment",
                values: &["face-down", "face-up"],
                text: "whether Spanish units are concealed; face-up suits solitaire play",
                clause: Clause("1.1b"),
            },
            OptionInfo {
                name: "defenders",
                values: &["once", "always"],
                text: "whether a defending unit fights only once in a Combat Phase",
                clause: Clause("11.2g"),
            },
            OptionInfo {
                name: "hexside-shift",
                values: &["all", "any"],
                text: "whether river, slope and trench shifts need every adjacent attacker across such a hexside or one",
                clause: Clause("11.9e"),
            },
            OptionInfo {
                name: "oos-defence",
                values: &["half", "full"],
                text: "whether US defenders out of supply count half",
                clause: Clause("12.9f"),
            },
        ],
        rules: include_str!("rules.yaml"),
    };

    fn open(charter: &Charter) -> Result<Self, Vec<Fault>> {
        let mut faults = OptionInfo::faults(Self::ABOUT.options, &charter.options);
        faults.extend(charter.scenario_among(&["campaign"]).err());
        let options = Options {
            spanish_plan: !charter.chose("spanish-turn", "direct"),
            phases_apart: charter.chose("packets", "phases"),
            face_up: charter.chose("concealment", "face-up"),
            defenders_once: !charter.chose("defenders", "always"),
            hexside_all: !charter.chose("hexside-shift", "any"),
            oos_defence_half: !charter.chose("oos-defence", "full"),
        };
        Charter::lay(faults, data::SHELF.load(&charter.data), |data| SantiagoCampaign { data, options })
    }

    fn check_data(files: &BTreeMap<String, String>) -> Vec<DataFinding> {
        data::SHELF.findings(files)
    }

    fn rules_data(&self) -> Json {
        Json::clone(&self.data.loaded)
    }

    fn read_orders(&self, packet: &str, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Orders> {
        match packet {
            "spanish-setup" => SpanishSetup::read(node, at, reader).map(Orders::SpanishSetup),
            "us-setup" => UsSetup::read(node, at, reader).map(Orders::UsSetup),
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
            ("orders-spanish-setup".into(), schema_to_read::<SpanishSetup>()),
            ("orders-us-setup".into(), schema_to_read::<UsSetup>()),
            ("orders-us-turn".into(), schema_to_read::<TurnOrders>()),
            ("orders-us-combat".into(), schema_to_read::<TurnOrders>()),
            ("orders-spanish-turn".into(), schema_to_read::<TurnOrders>()),
            ("orders-spanish-combat".into(), schema_to_read::<TurnOrders>()),
            ("case-start".into(), schema_to_read::<arrange::CaseStart>()),
            ("state".into(), schema_to_write::<State>()),
            ("data-map".into(), schema_of_data::<data::MapFile>()),
            ("data-counters".into(), schema_of_data::<data::CountersFile>()),
            ("data-tables".into(), schema_of_data::<data::Tables>()),
        ]
    }
}

impl Telling for SantiagoCampaign {
    fn tell(&self, event: &Event, diary: &mut Diary) {
        tell::tell(self, event, diary);
    }

    fn sum_up(&self, events: &[&Event], diary: &mut Diary) {
        tell::sum_up(self, events, diary);
    }

    fn tell_state(&self, seen: &Seen<'_, State>, diary: &mut Diary) {
        tell::tell_state(self, seen, diary);
    }

    fn headline(&self, state: &State) -> String {
        tell::headline(state)
    }

    fn scene(&self, seen: &Seen<'_, State>) -> Scene {
        scene::scene(&Position { game: self, state: seen.state, known: &eyes(self, seen) })
    }

    fn depict(&self, event: &Event) -> Vec<Incident> {
        scene::depict(event)
    }

    fn query(&self, seen: &Seen<'_, State>, query: &Query) -> Result<Reply, Vec<Fault>> {
        query::answer(self, seen, query)
    }
}

impl Players for SantiagoCampaign {
    fn template(&self, seen: &Seen<'_, State>, _stop: &Stop) -> String {
        template::template(self, seen)
    }

    fn random_orders(&self, seen: &Seen<'_, State>, _stop: &Stop, chance: &mut Chance) -> Orders {
        random::orders(self, seen, chance)
    }

    fn sensible_orders(&self, seen: &Seen<'_, State>, _stop: &Stop) -> Option<Orders> {
        Some(sensible::orders(self, seen))
    }

    fn random_policy(&self, state: &State, side: Side, kind: &str, chance: &mut Chance) -> Json {
        random::policy(self, state, side, kind, chance)
    }
}

/// What a viewer may know: everything he holds, which in the US player's case is what lies face-up.
fn eyes(game: &SantiagoCampaign, seen: &Seen<'_, State>) -> Known {
    own_knowledge(game, seen, seen.side.unwrap_or(SPAIN))
}

/// Where a unit is, for reports.
fn whereabouts(place: Place) -> String {
    match place {
        Place::OffMap => "at sea".to_owned(),
        Place::At(hex) => hex.to_string(),
        Place::Guantanamo => "Guantanamo".to_owned(),
        Place::Lost => "lost".to_owned(),
    }
}
