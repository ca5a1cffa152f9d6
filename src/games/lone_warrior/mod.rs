//! Spanish - U.S. War Rules (Hernandez and Knapp, Lone Warrior 204): activation until failure, on square boxes.

mod actions;
mod advice;
mod arrange;
pub(super) mod data;
mod events;
mod facts;
mod files;
mod fire;
mod flaws;
mod judgement;
mod leaders;
mod lexicon;
mod marks;
mod melee;
mod options;
mod orders;
mod play;
mod policy;
mod position;
mod query;
mod random;
mod redraws;
mod scene;
mod state;
mod tell;
mod template;
mod terms;
mod turn;
mod veteran;

use std::collections::BTreeMap;

use crate::engine::dice::Chance;
use crate::engine::doc::{DocPath, Fault, Lexicon, Node, Reader, read_back};
use crate::engine::{
    About, Arranged, Bar, Charter, Concealed, DataFinding, Diary, Files, Flow, Json, Mark, Players, Query, Reply,
    Rules, Ruling, ScenarioInfo, Seen, Side, Slot, Stop, Telling, Umpire, Verdict, hoping, to_json,
};
use crate::scene::{Incident, Scene};

use data::{Data, Field, Leader};
use events::Event;
use lexicon::Names;
use options::Options;
use orders::{BothOrders, FieldOrders, Orders, SetupOrders};
use play::Play;
use policy::Policy;
use position::Position;
use state::{FieldState, Stage, State};
use terms::{Battlefield, LeaderId, Power, UnitId};

/// The name of the game.
const ID: &str = "lone-warrior";
/// The Spanish player.
pub const SPAIN: Side = Side("spain");
/// The U.S. player.
pub const US: Side = Side("us");

/// The game, laid out for one match.
#[derive(Clone, Debug)]
pub struct LoneWarrior {
    data: Data,
    options: Options,
    /// The battlefields in play, in the order they are resolved.
    fields: Vec<Battlefield>,
    names: Names,
}

impl LoneWarrior {
    fn lay(data: Data, options: Options, fields: Vec<Battlefield>) -> LoneWarrior {
        let names = Names::new(&data, &fields);
        LoneWarrior { data, options, fields, names }
    }

    /// The ground of a battlefield.
    fn field(&self, id: Battlefield) -> &Field {
        self.data.field(id)
    }

    /// U.S. units Spain must eliminate (§3a, §10i).
    fn spain_needs(&self, field: &Field) -> u32 {
        self.options.spain_needs.unwrap_or(field.spain_needs)
    }

    /// Spanish units the U.S. must eliminate (§3b, §10i).
    fn us_needs(&self, field: &Field) -> u32 {
        self.options.us_needs.unwrap_or(field.us_needs)
    }

    fn position<'p>(&'p self, id: Battlefield, state: &'p FieldState) -> Position<'p> {
        Position { game: self, id, field: self.field(id), state }
    }

    /// The positions of all battlefields.
    fn positions<'p>(&'p self, state: &'p State) -> impl Iterator<Item = Position<'p>> + 'p {
        state.fields.iter().map(|(id, field)| self.position(*id, field))
    }

    /// The orders of one hand for every battlefield they are due on, thought out at a table on which everything goes well.
    fn field_by_field(
        &self,
        seen: &Seen<'_, State>,
        power: Power,
        mut think: impl FnMut(&mut Play<'_, '_>) -> FieldOrders,
    ) -> Orders {
        let mut of = |id: Battlefield| {
            seen.state.fields.get(&id).filter(|field| seen.state.is_due_on(field))?;
            Some(hoping(self, seen, power.side(), |state, umpire| {
                think(&mut Play::new(self, id, power, state, umpire))
            }))
        };
        if let [only] = self.fields.as_slice() {
            return Orders::One(of(*only).unwrap_or_else(FieldOrders::default));
        }
        Orders::Both(BothOrders { san_juan_heights: of(Battlefield::SanJuan), el_caney: of(Battlefield::ElCaney) })
    }

    /// The packet that is due in a position.
    fn due(&self, state: &State) -> Stop {
        let Some(power) = state.stage.power() else {
            return Stop::End;
        };
        let ask = match state.stage {
            Stage::SpanishSetup | Stage::UsSetup => "setup",
            _ if state.goes_on() => "continue",
            _ => "turn",
        };
        // Leaders are placed openly; only lists of activations can be plans.
        let flow = if self.options.plan && ask != "setup" { Flow::Plan } else { Flow::Direct };
        Stop::Orders { who: power.side(), ask, flow }
    }

    /// Set-up: Spain places its leaders, then the U.S. (§A56).
    fn set_up(&self, state: &mut State, power: Power, orders: &mut Orders, umpire: &mut Umpire<'_, Self>) {
        let none = SetupOrders::default();
        let orders = match orders {
            Orders::Setup(orders) => orders,
            _ => &none,
        };
        for (id, unit) in &orders.leaders {
            let own = |leader: &&Leader| leader.power == power && state.fields.contains_key(&leader.field);
            if self.data.leaders.get(id).filter(own).is_none() {
                let why = format!("{id} is not one of your leaders");
                let before = umpire.take_in_hand(DocPath::root().key("leaders").key(id.as_str()));
                let bar = Bar::new("A56", why.clone(), "place your own leaders").firm();
                let lapsed = Event::PlacementLapsed { leader: *id, unit: *unit, why, clause: bar.clause };
                umpire.lapse(vec![bar], |_| lapsed);
                umpire.put_down(before);
            }
        }
        for field in &self.fields {
            Play::new(self, *field, power, state, umpire).place_leaders(orders);
        }
        state.stage = match power {
            Power::Spain => Stage::UsSetup,
            Power::Us => Stage::SpanishTurn,
        };
    }

    /// A player turn on every battlefield that is not decided, or the rest of it where it goes on (§4, §A52).
    fn player_turn(
        &self,
        state: &mut State,
        power: Power,
        orders: &Orders,
        umpire: &mut Umpire<'_, Self>,
    ) -> Ruling<()> {
        let none = FieldOrders::default();
        // Where a player turn goes on is settled before it is over on the first of them.
        let due: Vec<Battlefield> =
            (state.fields.iter()).filter(|(_, field)| state.is_due_on(field)).map(|(id, _)| *id).collect();
        for id in &self.fields {
            let Some(field) = state.fields.get(id) else { continue };
            let (given, at) = (orders.of_field(*id), orders.path_of(*id));
            if due.contains(id) {
                Play::new(self, *id, power, state, umpire).player_turn(given.unwrap_or(&none), &at)?;
            } else if given.is_some() {
                let decided = field.winner.is_some();
                let why = if decided { "this battlefield is decided" } else { "the player turn is over here" };
                let before = umpire.take_in_hand(at);
                let bar = Bar::new("A52", why, "leave its orders out").firm();
                let lapsed = Event::OrdersLapsed { field: *id, why: why.to_owned(), clause: bar.clause };
                umpire.lapse(vec![bar], |_| lapsed);
                umpire.put_down(before);
            }
        }
        if state.fields.values().all(|field| field.winner.is_some()) {
            state.stage = Stage::Over;
        } else if !state.goes_on() {
            // §4b: Spain first, then the U.S.; §4g: and so on without a limit.
            match power {
                Power::Spain => state.stage = Stage::UsTurn,
                Power::Us => {
                    state.stage = Stage::SpanishTurn;
                    state.turn += 1;
                    // §A2: a leader's use comes back when a new turn begins.
                    for leader in state.fields.values_mut().flat_map(|field| field.leaders.values_mut()) {
                        leader.used = false;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Rules for LoneWarrior {
    const ID: &'static str = ID;
    const VERSION: u32 = 2;
    const SIDES: &'static [Side] = &[SPAIN, US];
    type State = State;
    type Orders = Orders;
    type Policy = Policy;
    type Event = Event;

    fn lexicon(&self) -> &dyn Lexicon {
        &self.names
    }

    fn begin(&self) -> (State, Stop) {
        let state = State::new(&self.data, &self.fields);
        let stop = self.due(&state);
        (state, stop)
    }

    fn turn(&self, state: &State) -> u32 {
        state.turn
    }

    fn packet_due(&self, state: &State) -> Stop {
        self.due(state)
    }

    fn entries(&self, orders: &Orders) -> Vec<DocPath> {
        orders.entries()
    }

    fn resolve(&self, state: &mut State, orders: &mut Orders, umpire: &mut Umpire<'_, Self>) -> Ruling<Stop> {
        match (state.stage, state.stage.power()) {
            (Stage::SpanishSetup | Stage::UsSetup, Some(power)) => self.set_up(state, power, orders, umpire),
            (Stage::SpanishTurn | Stage::UsTurn, Some(power)) => self.player_turn(state, power, orders, umpire)?,
            _ => {}
        }
        Ok(self.due(state))
    }

    fn marks(&self, event: &Self::Event) -> Vec<Mark> {
        marks::marks(self, event)
    }

    fn no_orders(&self, _state: &State, stop: &Stop) -> Orders {
        match stop.ask() {
            "setup" => Orders::Setup(SetupOrders::default()),
            _ if self.fields.len() == 1 => Orders::One(FieldOrders::default()),
            _ => Orders::Both(BothOrders::default()),
        }
    }

    fn seal_plan(&self, _state: &State, orders: &mut Orders, hide: &mut dyn FnMut(Json) -> Slot) {
        for entry in orders.fields_mut().flat_map(|field| &mut field.activations) {
            if let Concealed::Open(activation) = entry
                && let Ok(value) = to_json(activation)
            {
                *entry = Concealed::Sealed(hide(value));
            }
        }
    }

    fn whose(&self, name: &str) -> Option<Side> {
        let unit = UnitId::known(name).and_then(|id| self.data.units.get(&id)).map(|unit| unit.power);
        let leader = || LeaderId::known(name).and_then(|id| self.data.leaders.get(&id)).map(|leader| leader.power);
        unit.or_else(leader).map(|power| power.side())
    }

    fn verdict(&self, state: &State) -> Option<Verdict> {
        tell::verdict(self, state)
    }

    fn flaws(&self, state: &State) -> Vec<String> {
        flaws::flaws(self, state)
    }

    fn unquestioned(packet: &str) -> bool {
        packet == "setup"
    }
}

impl Files for LoneWarrior {
    const ABOUT: About = About {
        title: "Spanish - U.S. War Rules",
        credits: "Prisco Hernandez and George Knapp; Lone Warrior 204, Solo Wargamers Association, 2018",
        text: "The first of July 1898 on two boards of square boxes. A player activates one unit after another with \
               numbered chips until a chip fails; units face one way, shoot, charge, melee and rally, and leaders have \
               a chip drawn again. Two to six players: the commanders of a side join their files.",
        provenance: "Rules, numbers and the order of battle are printed in the article. The map of San Juan Heights is \
                     recovered from the words of its picture; the map of El Caney and its Spanish unit numbers are \
                     reconstructed.",
        scenarios: &[
            ScenarioInfo {
                id: "san-juan-heights",
                title: "San Juan Heights",
                text: "Kettle Hill, the blockhouse and the heights against two divisions and Parker's Gatling guns.",
            },
            ScenarioInfo {
                id: "el-caney",
                title: "El Caney",
                text: "The fort El Viso, two blockhouses and the trenches before the town against Lawton's division.",
            },
            ScenarioInfo {
                id: "both",
                title: "Both battlefields",
                text: "San Juan Heights and El Caney at the same time, each won or lost on its own.",
            },
        ],
        options: options::INFO,
        rules: include_str!("rules.yaml"),
    };

    fn open(charter: &Charter) -> Result<Self, Vec<Fault>> {
        let fields = options::scenario(&charter.scenario).map_err(|fault| vec![fault]);
        let options = Options::read(&charter.options);
        let data = data::SHELF.load(&charter.data);
        let (fields, options, data) = match (fields, options, data) {
            (Ok(fields), Ok(options), Ok(data)) => (fields, options, data),
            (fields, options, data) => {
                let found = [fields.err(), options.err(), data.err()];
                return Err(found.into_iter().flatten().flatten().collect());
            }
        };
        Ok(LoneWarrior::lay(data, options, fields))
    }

    fn check_data(files: &BTreeMap<String, String>) -> Vec<DataFinding> {
        data::SHELF.findings(files)
    }

    fn rules_data(&self) -> Json {
        self.data.canon().clone()
    }

    fn read_orders(&self, packet: &str, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Orders> {
        Orders::read(self, packet, node, at, reader)
    }

    fn read_state(&self, written: &Json) -> Result<State, Vec<String>> {
        read_back(written, &self.names)
    }

    fn arrange(start: &Node, at: &DocPath, faults: &mut Vec<Fault>) -> Option<Arranged<Self>> {
        arrange::arrange(start, at, faults)
    }

    fn schemas() -> Vec<(String, serde_json::Value)> {
        template::schemas()
    }
}

impl Telling for LoneWarrior {
    fn tell(&self, event: &Event, diary: &mut Diary) {
        tell::event(self, event, diary);
    }

    fn sum_up(&self, events: &[&Event], diary: &mut Diary) {
        tell::sum_up(self, events, diary);
    }

    fn tell_state(&self, seen: &Seen<'_, State>, diary: &mut Diary) {
        tell::state(self, seen.state, diary);
    }

    fn headline(&self, state: &State) -> String {
        tell::headline(self, state)
    }

    fn scene(&self, seen: &Seen<'_, State>) -> Scene {
        scene::scene(self, seen.state)
    }

    fn depict(&self, event: &Event) -> Vec<Incident> {
        scene::depict(self, event)
    }

    fn query(&self, seen: &Seen<'_, State>, query: &Query) -> Result<Reply, Vec<Fault>> {
        query::answer(self, seen, query)
    }
}

impl Players for LoneWarrior {
    fn template(&self, seen: &Seen<'_, State>, stop: &Stop) -> String {
        template::write(self, seen.state, stop)
    }

    fn random_orders(&self, seen: &Seen<'_, State>, stop: &Stop, chance: &mut Chance) -> Orders {
        random::orders(self, seen, stop, chance)
    }

    fn sensible_orders(&self, seen: &Seen<'_, State>, stop: &Stop) -> Option<Orders> {
        Some(veteran::orders(self, seen, stop))
    }

    fn random_policy(&self, state: &State, side: Side, kind: &str, chance: &mut Chance) -> Json {
        random::policy(self, state, side, kind, chance)
    }
}

#[cfg(test)]
mod tests;
