//! The check of a packet against the position, and of a position against the rules.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Facing, Grid, Square};
use crate::engine::doc::{DocPath, Fault, read_back};
use crate::engine::{Clause, Concealed, Json, Rules, Stop};

use super::LoneWarrior;
use super::actions::{Deed, Plan};
use super::advice::blamed;
use super::data::Unit;
use super::orders::{Activation, Condition, FieldOrders, Orders, SetupOrders, StopAfter};
use super::position::{Bar, Position};
use super::state::{FieldState, HeroFate, Place, Stage, State};
use super::terms::{Arm, Battlefield, LeaderId, Power, UnitId};

/// Everything wrong with a packet, as its author can see it.
pub fn check(game: &LoneWarrior, state: &State, stop: &Stop, orders: &Orders, at: &DocPath) -> Vec<Fault> {
    let mut faults = Vec::new();
    let Some(power) = stop.who().and_then(Power::of) else {
        return faults;
    };
    if let Orders::Setup(setup) = orders {
        check_setup(game, state, power, setup, at, &mut faults);
        return faults;
    }
    let goes_on = state.fields.values().any(|field| field.acting);
    for (id, field) in &state.fields {
        let Some(given) = orders.of_field(*id) else { continue };
        let at = orders.path_of(*id, at);
        if field.winner.is_some() || (goes_on && !field.acting) {
            let why =
                if field.winner.is_some() { "this battlefield is decided" } else { "the player turn is over here" };
            faults.push(Fault::new(&at, why, "leave its orders out").by(Clause("A52")));
            continue;
        }
        let mut draft = Draft::new(game, *id, power, field);
        draft.check_leaders(given, field.acting, &at, &mut faults);
        draft.check_list(given, &at, &mut faults);
    }
    faults
}

fn refuse(bar: Bar, at: &DocPath) -> Fault {
    Fault::new(at, bar.why, bar.remedy).by(bar.clause)
}

fn check_setup(
    game: &LoneWarrior,
    state: &State,
    power: Power,
    setup: &SetupOrders,
    at: &DocPath,
    faults: &mut Vec<Fault>,
) {
    for (id, unit) in &setup.leaders {
        let at = at.key("leaders").key(id.as_str());
        let leader = game.data.leaders.get(id).filter(|leader| leader.power == power);
        let Some((leader, field)) = leader.and_then(|leader| Some((leader, state.fields.get(&leader.field)?))) else {
            let what = format!("{id} is not one of your leaders");
            faults.push(Fault::new(&at, what, "place your own leaders").by(Clause("A56")));
            continue;
        };
        if let Err(bar) = game.position(leader.field, field).may_start(leader, *unit) {
            faults.push(refuse(bar, &at));
        }
    }
}

/// The position as it will be when an entry comes up, as far as that is certain.
pub struct Draft<'g> {
    pub game: &'g LoneWarrior,
    pub id: Battlefield,
    pub power: Power,
    pub state: FieldState,
    /// Shots and charges before this entry may have changed the position.
    pub uncertain: bool,
    /// Units whose entry may be skipped, so that another may stand for them.
    pub perhaps: BTreeSet<UnitId>,
}

impl<'g> Draft<'g> {
    /// The position as it is now.
    pub fn new(game: &'g LoneWarrior, id: Battlefield, power: Power, field: &FieldState) -> Draft<'g> {
        Draft { game, id, power, state: field.clone(), uncertain: false, perhaps: BTreeSet::new() }
    }
}

impl Draft<'_> {
    pub fn now(&self) -> Position<'_> {
        self.game.position(self.id, &self.state)
    }

    /// Leaders where the orders send them.
    pub fn send_leaders(&mut self, orders: &FieldOrders) -> Vec<(LeaderId, Bar)> {
        let mut bars = Vec::new();
        for id in &self.game.field(self.id).leaders {
            let Some(leader) = self.game.data.leaders.get(id).filter(|leader| leader.power == self.power) else {
                continue;
            };
            let Place::At(mut to) = self.state.leader(*id).at else { continue };
            if let Some(way) = orders.leaders.get(id) {
                match self.now().leader_goal(leader, *way) {
                    Ok(goal) => to = goal,
                    Err(bar) => bars.push((*id, bar)),
                }
            }
            let with = self.now().joins_in(leader, to);
            if let Some(state) = self.state.leaders.get_mut(id) {
                state.at = Place::At(to);
                state.with = with;
            }
        }
        bars
    }

    fn check_leaders(&mut self, orders: &FieldOrders, goes_on: bool, at: &DocPath, faults: &mut Vec<Fault>) {
        let at = at.key("leaders");
        for id in orders.leaders.keys() {
            let own = self
                .game
                .data
                .leaders
                .get(id)
                .is_some_and(|leader| leader.power == self.power && leader.field == self.id);
            let what = match (own, goes_on) {
                (false, _) => format!("{id} is not one of your leaders here"),
                (true, true) => "leaders move before the first activation of a player turn".to_owned(),
                (true, false) => continue,
            };
            let clause = if own { "9b" } else { "9a" };
            faults.push(Fault::new(&at.key(id.as_str()), what, "leave it out").by(Clause(clause)));
        }
        if goes_on {
            return;
        }
        for (id, mut bar) in self.send_leaders(orders) {
            // A leader whose order is refused stays, so what he can reach is what he could have reached.
            if let Some(legal) = self.game.data.leaders.get(&id).and_then(|leader| self.company(leader)) {
                bar.remedy = format!("{}; {legal}", bar.remedy);
            }
            faults.push(refuse(bar, &at.key(id.as_str())));
        }
    }

    fn check_list(&mut self, orders: &FieldOrders, at: &DocPath, faults: &mut Vec<Fault>) {
        for (index, entry) in orders.activations.iter().enumerate() {
            let Concealed::Open(entry) = entry else { continue };
            let at = at.key("activations").index(index);
            self.check_conditions(entry, &at, faults);
            let conditional = entry.r#if.is_some() || entry.unless.is_some();
            let planned = self.now().plan(self.power, entry);
            self.check_redraws(entry, planned.as_ref().ok(), &at, faults);
            match planned {
                Ok(_) if conditional => self.uncertain = true,
                Ok(plan) => {
                    // An entry that dice before it may make impossible is skipped then, and its unit is still free.
                    if self.uncertain {
                        self.perhaps.insert(entry.unit);
                    }
                    self.apply(entry.unit, &plan);
                }
                Err(bar) => {
                    let key = blamed(entry, &bar);
                    let at = key.map_or_else(|| at.clone(), |key| at.key(key));
                    let fallback = bar.clause == Clause("A3") && self.perhaps.contains(&entry.unit);
                    if fallback || (!bar.fixed && (self.uncertain || conditional)) {
                        let remedy = format!("as things stand the entry would be skipped; {}", bar.remedy);
                        faults.push(Fault::new(&at, bar.why, remedy).by(bar.clause).as_warning());
                        continue;
                    }
                    let remedy = match self.instead(entry, key) {
                        Some(legal) => format!("{}; {legal}", bar.remedy),
                        None => bar.remedy,
                    };
                    faults.push(Fault::new(&at, bar.why, remedy).by(bar.clause));
                }
            }
        }
    }

    /// Boxes that are not there, in conditions.
    fn check_conditions(&self, entry: &Activation, at: &DocPath, faults: &mut Vec<Fault>) {
        let stop = match &entry.stop_after {
            Some(StopAfter::If(condition)) => Some(condition),
            _ => None,
        };
        let given: [(&str, Option<&Condition>); 3] =
            [("if", entry.r#if.as_ref()), ("unless", entry.unless.as_ref()), ("stop-after", stop)];
        for (key, condition) in given {
            let Some(condition) = condition else { continue };
            let boxes = condition.empty.iter().chain(&condition.enemy_in).chain(&condition.friend_in);
            for square in boxes.filter(|square| !self.game.field(self.id).grid.contains(**square)) {
                let what = format!("there is no box {square} on this battlefield");
                faults.push(Fault::new(&at.key(key), what, "name a box of it").by(Clause("A14")));
            }
        }
    }

    /// Redraws that nobody could make (§9e, §9h2, §9l, §9m).
    fn check_redraws(&self, entry: &Activation, plan: Option<&Plan>, at: &DocPath, faults: &mut Vec<Fault>) {
        let Some(unit) = self.now().unit(entry.unit) else { return };
        // §A12: an exchange is drawn for both units.
        let partner = match plan.map(|plan| &plan.deed) {
            Some(Deed::Exchange { partner, .. }) => self.now().unit(*partner),
            _ => None,
        };
        let units: Vec<&Unit> = std::iter::once(unit).chain(partner).collect();
        for (key, list) in [("redraw", &entry.redraw), ("hero", &entry.hero)] {
            let Some(list) = list.as_ref().filter(|list| !list.is_empty()) else { continue };
            let at = at.key(key);
            if list.iter().any(|redraw| redraw.is_of_hits()) && !unit.arm.redraws_hits() {
                let clause = if unit.arm == Arm::Gatling { "9l" } else { "9h2" };
                let what = format!("hit chips of {} are never drawn again", unit.id);
                let remedy = format!("only infantry has its hit chips drawn again; {}", self.redraws_of(unit.id));
                faults.push(Fault::new(&at, what, remedy).by(Clause(clause)));
            }
            let bar = if key == "redraw" && units.iter().all(|unit| self.now().leaders_with(unit.id).next().is_none()) {
                Some(("9e", format!("no leader is attached to {}", unit.id)))
            } else if key == "hero" && units.iter().all(|unit| unit.hero.is_none()) {
                Some(("9m", format!("there is no hero with {}", unit.id)))
            } else if key == "hero" && units.iter().all(|unit| self.now().ready_hero(unit.id).is_none()) {
                Some(("9o", format!("the hero of {} has been used", unit.id)))
            } else {
                None
            };
            if let Some((clause, what)) = bar {
                let remedy = if key == "redraw" { self.led() } else { "leave it out".to_owned() };
                faults.push(Fault::new(&at, what, remedy).by(Clause(clause)));
            }
        }
    }

    /// What an entry certainly does if its activation succeeds.
    pub fn apply(&mut self, unit: UnitId, plan: &Plan) {
        match &plan.deed {
            Deed::Move { path, facing, .. } => {
                if let Some(to) = path.last() {
                    self.place(unit, *to, Some(*facing));
                }
            }
            Deed::ShootAndFallBack { to, facing, .. } => self.place(unit, *to, Some(*facing)),
            Deed::AdvanceAndShoot { to, .. } => self.place(unit, *to, None),
            Deed::Turn { to } => {
                if let Some(state) = self.state.units.get_mut(&unit) {
                    state.facing = Some(*to);
                }
            }
            Deed::Exchange { partner, .. } => {
                if let (Some(here), Some(there)) = (self.now().at(unit), self.now().at(*partner)) {
                    self.place(unit, there, None);
                    self.place(*partner, here, None);
                }
                self.mark(*partner);
            }
            Deed::Charge { .. } | Deed::Shoot { .. } | Deed::Rally => {}
        }
        self.mark(unit);
        self.uncertain |= plan.is_uncertain();
    }

    fn mark(&mut self, unit: UnitId) {
        if let Some(state) = self.state.units.get_mut(&unit) {
            state.activated = true;
        }
    }

    fn place(&mut self, unit: UnitId, to: Square, facing: Option<Facing>) {
        if let Some(state) = self.state.units.get_mut(&unit) {
            state.at = Place::At(to);
            state.facing = facing.or(state.facing);
        }
        for leader in self.state.leaders.values_mut().filter(|leader| leader.with == Some(unit)) {
            leader.at = Place::At(to);
        }
    }
}

impl Plan {
    /// Can dice change the position for those who come after?
    pub fn is_uncertain(&self) -> bool {
        !matches!(self.deed, Deed::Move { .. } | Deed::Turn { .. } | Deed::Exchange { .. } | Deed::Rally)
    }
}

/// Reads a written state back, whole and sound or not at all.
pub fn read_state(game: &LoneWarrior, written: &Json) -> Result<State, Vec<String>> {
    let state = read_back(written, game.lexicon())?;
    let flaws = flaws(game, &state);
    if flaws.is_empty() { Ok(state) } else { Err(flaws) }
}

/// Every invariant of the rules that does not hold.
pub fn flaws(game: &LoneWarrior, state: &State) -> Vec<String> {
    let mut flaws = Vec::new();
    if state.fields.keys().ne(game.fields.iter()) {
        flaws.push("other battlefields than those in play".to_owned());
        return flaws;
    }
    let over = state.fields.values().all(|field| field.winner.is_some());
    if over != (state.stage == Stage::Over) {
        flaws.push("the game is over if and only if every battlefield is decided".to_owned());
    }
    for position in game.positions(state) {
        field_flaws(&position, &mut flaws);
        if matches!(state.stage, Stage::SpanishTurn | Stage::UsTurn | Stage::Over) {
            leader_flaws(&position, &mut flaws);
        }
    }
    flaws
}

fn field_flaws(now: &Position<'_>, flaws: &mut Vec<String>) {
    let known: Vec<UnitId> = now.state.units.keys().copied().collect();
    let mut roster = now.field.units.clone();
    roster.sort();
    if known != roster {
        flaws.push(format!("{}: the units are not those of the roster", now.id));
        return;
    }
    let mut boxes: BTreeMap<Square, UnitId> = BTreeMap::new();
    for (id, unit) in &now.state.units {
        let Some(counter) = now.unit(*id) else { continue };
        let on_map = match unit.at {
            Place::At(square) => {
                if !now.field.is_passable(square) {
                    flaws.push(format!("{id} stands in {square}, where nobody can"));
                }
                if let Some(other) = boxes.insert(square, *id) {
                    flaws.push(format!("{id} and {other} stand in {square} together (§A13)"));
                }
                true
            }
            Place::OffTable | Place::Lost => false,
        };
        if on_map != unit.facing.is_some() {
            flaws.push(format!("{id} has a facing if and only if it is on the map"));
        }
        if unit.at != Place::Lost && counter.is_off_table() == on_map {
            flaws.push(format!("{id} is on the wrong side of the map edge (§10d)"));
        }
        if unit.at == Place::Lost && !counter.counts() {
            flaws.push(format!("{id} is lost, which cannot be (§A21)"));
        }
        if unit.disordered && (counter.steps < 2 || unit.at == Place::Lost) {
            flaws.push(format!("{id} is disordered (§8a)"));
        }
        if unit.activated && !now.state.acting {
            flaws.push(format!("{id} is marked as activated outside a player turn"));
        }
        if let Some(hero) = counter.hero {
            let dead = now.state.heroes.get(&hero) == Some(&HeroFate::Dead);
            if dead != (unit.at == Place::Lost) {
                flaws.push(format!("{hero} dies with {id} and not otherwise (§9v, §9w)"));
            }
        }
    }
    for area in &now.field.areas {
        let holder = now.state.unit_in(area.at).and_then(|id| now.power(id));
        let captured = now.state.captured.contains(&area.id);
        if holder.is_some_and(|power| (power == Power::Us) != captured) {
            flaws.push(format!("{} belongs to whoever stands in {} (§A49)", area.id, area.at));
        }
    }
    let us = now.lost(Power::Us) >= now.game.spain_needs(now.field);
    let held = u32::try_from(now.state.captured.len()).unwrap_or(u32::MAX);
    let terrain = !now.game.options.us_need_terrain || held >= now.field.areas_needed;
    let spain = now.lost(Power::Spain) >= now.game.us_needs(now.field) && terrain;
    let won = match now.state.winner {
        Some(Power::Spain) => us && !spain,
        Some(Power::Us) => spain && !us,
        None => !us && !spain,
    };
    if !won {
        flaws.push(format!("{}: the victory test says otherwise (§A51)", now.id));
    }
}

fn leader_flaws(now: &Position<'_>, flaws: &mut Vec<String>) {
    for (id, state) in &now.state.leaders {
        let Some(leader) = now.leader(*id) else {
            flaws.push(format!("there is no leader {id} on {}", now.id));
            continue;
        };
        let Place::At(at) = state.at else {
            if state.at == Place::OffTable || state.with.is_some() {
                flaws.push(format!("{id} is neither on the map nor lost"));
            }
            continue;
        };
        if let Some(unit) = state.with {
            let joins = now.unit(unit).is_some_and(|unit| now.may_join(leader, unit).is_ok());
            if !joins || now.at(unit) != Some(at) {
                flaws.push(format!("{id} is attached to {unit}, which he cannot be (§9c, §9k, §A40)"));
            }
        }
        let overrun = now.unit_of_in(leader.power.enemy(), at).is_some();
        if overrun && now.state.winner.is_none() {
            flaws.push(format!("{id} stands in {at} with an enemy unit (§A38)"));
        }
    }
}
