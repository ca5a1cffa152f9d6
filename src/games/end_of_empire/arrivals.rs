//! Landings (§8.2, §10.2e) and Escario's entry (§8.3): what comes onto the map, openly or under a counter.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Concealed, Ruling, Sealed, Subject, count_of};

use super::data::Unit;
use super::events::{Event, PhaseName};
use super::orders::{ArrivalOrder, TurnOrders};
use super::play::Play;
use super::position::{Known, Position};
use super::setup::slot_of;
use super::state::{CounterState, Place, State};
use super::terms::{Content, Force, Member, Mode, Piece, Setup, UnitKind};
use super::{EndOfEmpire, SPAIN, US};

/// The public names of the counters that arrive, in order: after those a reorganization of the same packet forms (A92).
pub fn arrival_names(state: &State, force: Force, orders: &TurnOrders) -> Vec<Option<Piece>> {
    let formed = match (&orders.reorganize, force) {
        (Some(reorganize), Force::Us) => {
            reorganize.form.keys().filter(|name| Piece::counter_force(name.as_str()) == Some(force)).count()
        }
        _ => 0,
    };
    let entries = if force == Force::Us { &orders.land } else { &orders.enter };
    let mut number = state.numbered.get(&force).copied().unwrap_or(0) + u32::try_from(formed).unwrap_or(0);
    let name = |entry: &ArrivalOrder| {
        entry.holds.as_ref().map(|_| {
            number += 1;
            Piece::counter(force, number)
        })
    };
    entries.iter().map(name).collect()
}

/// So much room for steps in a hex, for what hangs on it.
pub fn room_in(hex: Hex, steps: u32) -> Subject {
    Subject::of(format!("room for {steps} in {hex}"))
}

/// Room for a gun in a hex, for what hangs on it.
pub fn room_for_gun(hex: Hex) -> Subject {
    Subject::of(format!("room for a gun in {hex}"))
}

/// How many steps are ashore, for what hangs on it.
fn ashore() -> Subject {
    Subject::of("steps ashore")
}

/// That the base is ashore, and where, for what hangs on it.
pub fn the_base() -> Subject {
    Subject::of("the base")
}

/// The clause by which a force arrives.
fn arrival_clause(force: Force) -> &'static str {
    if force == Force::Us { "8.2a" } else { "8.3a" }
}

/// What the author vouches for when counters arrive closed.
const ARRIVALS: &[(&str, &str, &str)] = &[
    ("8.2h", "more than 12 steps land", "land at most 12 steps in all"),
    ("14.6b", "a brigade holds a regiment of another, or is on the map twice", "keep regiments with their brigade"),
    ("A89", "such a unit may not go under this counter", "no guns, leaders or signals in brigades"),
    ("14.6a", "a unit is not waiting, or is named twice, or there are not so many counters", "name waiting units once"),
    ("14.7a", "no dummy is left", "leave it out"),
    ("A13", "too many steps or guns arrive in a hex", "12 steps and one gun fit into a hex"),
];

/// Everything about counters that arrive closed.
struct Arrival<'a> {
    game: &'a EndOfEmpire,
    state: &'a State,
    force: Force,
    /// Counters of the force on the map already.
    before: &'a [Piece],
    /// Where each new counter arrives.
    at: &'a [Hex],
    /// Steps that land openly, the base included.
    open_steps: u32,
    entries: &'a [ArrivalOrder],
}

impl Arrival<'_> {
    /// Are closed counters of the force in the hex, or to come there?
    fn is_closed(&self, hex: Hex) -> bool {
        self.at.contains(&hex) || self.before.iter().any(|name| self.state.hex_of(*name) == Some(hex))
    }

    /// Does the base come by this order, if it is not ashore yet?
    fn lands_base(&self, entry: &ArrivalOrder) -> bool {
        entry.base && self.state.base.is_none()
    }

    /// The landings of a base beside closed counters, where nobody else would show that the hex is held (§10.2e).
    fn unguarded(&self) -> Vec<(usize, Hex)> {
        let now = Position { game: self.game, state: self.state, known: &Known::default() };
        let fights = |piece: &Piece| now.kind(*piece).is_some_and(UnitKind::is_combat);
        let real = |piece: &Piece| fights(piece) || self.state.counters.get(piece).is_some_and(|counter| counter.real);
        let shown = |hex: Hex| {
            let comes = self.entries.iter().filter(|entry| entry.at == hex).flat_map(|entry| &entry.units).any(fights);
            comes || now.stack(hex, self.force).iter().any(real)
        };
        let seats = self.entries.iter().enumerate().filter(|(_, entry)| self.lands_base(entry));
        seats.map(|(index, entry)| (index, entry.at)).filter(|(_, hex)| self.is_closed(*hex) && !shown(*hex)).collect()
    }

    /// Is somebody under the closed counters of a hex, those before and those to come (A37: a dummy is no US unit)?
    fn is_garrisoned(&self, hex: Hex, held: &[Content]) -> bool {
        let before = self.before.iter().map(|name| self.state.hex_of(*name));
        let there = before.chain(self.at.iter().map(|at| Some(*at))).zip(held);
        there.filter(|(at, _)| *at == Some(hex)).any(|(_, content)| self.game.data.is_real(content))
    }

    fn breaks(&self, clause: &str, held: &[Content]) -> bool {
        let data = &self.game.data;
        let (old, new) = held.split_at(self.before.len().min(held.len()));
        let known = Known(self.before.iter().copied().zip(old.iter().cloned()).collect());
        let now = Position { game: self.game, state: self.state, known: &known };
        let unit = |member: &Member| data.unit(member.unit);
        let steps = |member: &Member| member.steps.or(unit(member).map(|unit| unit.steps)).unwrap_or(0);
        match clause {
            "8.2h" => {
                let closed: u32 = new.iter().map(|content| data.landing_of(content)).sum();
                self.force == Force::Us && self.open_steps + closed > data.tables.limits.landing
            }
            "14.6b" => {
                let formation = |member: &Member| {
                    unit(member).filter(|unit| unit.kind.is_foot()).and_then(|unit| unit.formation.as_deref())
                };
                let first = |content: &Content| content.members().first().and_then(formation);
                let mut there: BTreeSet<Option<&str>> =
                    old.iter().filter(|content| !content.is_dummy()).map(first).collect();
                self.force == Force::Us
                    && new.iter().filter(|content| !content.is_dummy()).any(|content| {
                        content
                            .members()
                            .iter()
                            .filter(|member| formation(member).is_some())
                            .any(|member| formation(member) != first(content))
                            || !there.insert(first(content))
                    })
            }
            "A89" => new.iter().flat_map(Content::members).any(|member| !unit(member).is_some_and(Unit::goes_under)),
            "14.6a" => {
                let mut seen: BTreeSet<Piece> =
                    self.entries.iter().flat_map(|entry| entry.units.iter().copied()).collect();
                let waits = |member: &Member| now.is_due(self.force, member.unit);
                let full = |member: &Member| unit(member).is_some_and(|unit| steps(member) == unit.steps);
                let real = |contents: &[Content]| contents.iter().filter(|content| !content.is_dummy()).count();
                new.iter()
                    .flat_map(Content::members)
                    .any(|member| !seen.insert(member.unit) || !waits(member) || !full(member))
                    || real(old) + real(new) > data.containers(self.force)
                    || new.contains(&Content::Units(Vec::new()))
            }
            "14.7a" => {
                let asked = new.iter().filter(|content| content.is_dummy()).count();
                // The Spanish and Cuban dummies are on the map from the start (§14.7b).
                asked > if self.force == Force::Us { now.dummies_left(self.force) } else { 0 }
            }
            "A13" => {
                let mut bulk: BTreeMap<Hex, (u32, u32)> = BTreeMap::new();
                let mut add = |hex: Hex, (foot, guns): (u32, u32)| {
                    let sum = bulk.entry(hex).or_insert_with(|| {
                        let stack = now.stack(hex, self.force);
                        now.bulk_of(&stack, |counter| known.0.get(&counter).cloned())
                    });
                    *sum = (sum.0 + foot, sum.1 + guns);
                };
                for (hex, content) in self.at.iter().zip(new) {
                    for member in content.members() {
                        add(*hex, now.bulk(member.unit, steps(member)));
                    }
                }
                for entry in self.entries {
                    for piece in &entry.units {
                        add(entry.at, now.bulk(*piece, self.state.unit(*piece).steps));
                    }
                    if self.lands_base(entry) {
                        add(entry.at, (now.base_bulk(), 0));
                    }
                }
                // Where nobody is closed it is judged as they arrive.
                bulk.into_iter().any(|(hex, sum)| self.is_closed(hex) && now.too_much(hex, self.force, sum))
            }
            _ => false,
        }
    }
}

impl Play<'_, '_> {
    /// Lays down what arrives closed and lets its owner vouch for it, before any die falls.
    pub fn announce_arrivals(&mut self, force: Force, orders: &TurnOrders, names: &[Option<Piece>]) -> Ruling<()> {
        let (entries, key) = if force == Force::Us { (&orders.land, "land") } else { (&orders.enter, "enter") };
        let mut at = Vec::new();
        let before: Vec<Piece> =
            self.state.counters.iter().filter(|(_, counter)| counter.force == force).map(|(name, _)| *name).collect();
        let mut sealed: Vec<Sealed<Content>> = before.iter().filter_map(|name| self.sealed(*name)).collect();
        for (index, entry) in entries.iter().enumerate() {
            self.entry(DocPath::root().key(key).index(index), |play| play.vouch_for_waiting(force, entry, &sealed))?;
        }
        for (entry, name) in entries.iter().zip(names) {
            if let (Some(holds), Some(name)) = (&entry.holds, name) {
                sealed.push(self.umpire.keep(force.side(), slot_of(*name, self.state.turn)?, holds)?);
                at.push(entry.at);
            }
        }
        if entries.is_empty() {
            return Ok(());
        }
        let state = self.state.clone();
        let base = self.data().cast().base.and_then(|id| self.data().unit(id)?.landing).unwrap_or(0);
        let open = entries
            .iter()
            .flat_map(|entry| &entry.units)
            .map(|unit| self.data().unit(*unit).map_or(0, |known| known.landing_steps(state.unit(*unit).steps)));
        let bases = u32::try_from(entries.iter().filter(|entry| entry.base).count()).unwrap_or(0);
        let open_steps = open.sum::<u32>() + base * bases;
        let arrival = Arrival { game: self.game, state: &state, force, before: &before, at: &at, open_steps, entries };
        let all: Vec<&Sealed<Content>> = sealed.iter().collect();
        for (index, hex) in arrival.unguarded() {
            let remedy = "land troops there first, in the same landing or earlier";
            let bar = Bar::new("10.2e", format!("nobody but dummies is in {hex}"), remedy).about([Subject::of(hex)]);
            let vouched = |held: &[Content]| arrival.is_garrisoned(hex, held);
            self.entry(DocPath::root().key(key).index(index), |play| play.umpire.vouch(&all, bar, vouched))?;
            let wear = self.now().wear(&self.now().fighters(hex, US));
            self.seats.insert(hex, wear);
        }
        self.entry(DocPath::root().key(key), |play| {
            for (clause, why, remedy) in ARRIVALS {
                // Who was closed before matters to those who come beside him.
                if at.is_empty() && *clause != "A13" {
                    continue;
                }
                let laid = names.iter().flatten().map(Subject::of);
                let bar = Bar::new(clause, *why, *remedy).about(laid);
                play.umpire.vouch(&all, bar, |held| !arrival.breaks(clause, held))?;
            }
            Ok(())
        })
    }

    /// Whoever comes openly is under no counter of his force.
    fn vouch_for_waiting(&mut self, force: Force, entry: &ArrivalOrder, laid: &[Sealed<Content>]) -> Ruling<()> {
        let laid: Vec<&Sealed<Content>> = laid.iter().collect();
        for (index, unit) in entry.units.iter().enumerate() {
            let why = format!("{unit} is under a counter on the map");
            let bar = Bar::new(arrival_clause(force), why, "name units that are still off the map");
            let under = |content: &Content| content.members().iter().any(|member| member.unit == *unit);
            let part = DocPath::root().key("units").index(index);
            self.umpire.vouch(&laid, bar.at(part), |held| !held.iter().any(under))?;
        }
        Ok(())
    }

    /// §8.2: the landing, before anybody moves (A19). Troops first, then the base among them (A21).
    pub fn landing(&mut self, orders: &TurnOrders, names: &[Option<Piece>]) -> Ruling<()> {
        self.begin_phase("us", "landing", PhaseName::Landing);
        self.arrive(Force::Us, "land", &orders.land, names)?;
        for (index, entry) in orders.land.iter().enumerate().filter(|(_, entry)| entry.base) {
            self.entry(DocPath::root().key("land").index(index), |play| play.land_base(entry.at))?;
        }
        Ok(())
    }

    /// §8.3: the Escario column, at the head of C.1.
    pub fn escario(&mut self, orders: &TurnOrders, names: &[Option<Piece>]) -> Ruling<()> {
        if self.state.turn >= self.state.escario {
            self.state.arrived = true; // A22b
        }
        self.arrive(Force::Spanish, "enter", &orders.enter, names)
    }

    fn arrive(&mut self, force: Force, key: &str, entries: &[ArrivalOrder], names: &[Option<Piece>]) -> Ruling<()> {
        for (index, (entry, name)) in entries.iter().zip(names).enumerate() {
            let at = DocPath::root().key(key).index(index);
            self.entry(at, |play| play.arrive_one(force, entry, *name))?;
        }
        Ok(())
    }

    fn arrive_one(&mut self, force: Force, entry: &ArrivalOrder, name: Option<Piece>) -> Ruling<()> {
        if let Some(name) = name {
            let number = name.as_str().trim_start_matches(force.counter_prefix()).parse().unwrap_or(0);
            let most = self.state.numbered.entry(force).or_default();
            *most = number.max(*most);
        }
        // Whoever finds no room leaves the others more steps to land with.
        let doubts = [Subject::of(entry.at), room_in(entry.at, 1), room_for_gun(entry.at)];
        self.umpire.rests(&doubts, [ashore()]);
        let bars = self.now().bars_arrival(force, entry.at, entry.base && entry.units.is_empty() && name.is_none());
        if entry.units.is_empty() && name.is_none() && !entry.base {
            let bar = Bar::new("8.2a", "nobody arrives by this order", "name units, or what a counter holds").firm();
            self.lapse("arrival", vec![bar]);
            return Ok(());
        }
        if name.is_some() && !self.game.options.columns {
            let bar = Bar::new("A58", "this match is played without columns", "name the units").part("holds").firm();
            self.lapse("arrival", vec![bar]);
            return Ok(());
        }
        if !bars.is_empty() {
            self.lapse(format!("arrival in {}", entry.at), bars);
            return Ok(());
        }
        let stands = self.stands(|now| {
            let (able, hexes) = (now.arriving(force), now.arrival_hexes(force));
            let lands = !entry.units.is_empty() || name.is_some();
            let held = match &entry.holds {
                Some(Concealed::Open(content)) => content.members(),
                _ => &[],
            };
            let brigade = |units: &Vec<Piece>| held.iter().all(|member| units.contains(&member.unit));
            (!lands || hexes.contains(&entry.at))
                && entry.units.iter().all(|unit| able.contains(unit))
                && (held.is_empty() || force != Force::Us || now.brigades_at_sea().values().any(brigade))
        });
        let mut units = Vec::new();
        for (index, unit) in entry.units.iter().enumerate() {
            let part = DocPath::root().key("units").index(index);
            let bars = self.bars_arriving(force, *unit, entry.at);
            if !bars.is_empty() {
                self.lapse(format!("arrival of {unit}"), bars.into_iter().map(|bar| bar.at(part.clone())).collect());
                continue;
            }
            self.ashore += self.data().unit(*unit).map_or(0, |known| known.landing_steps(self.state.unit(*unit).steps));
            if let Some(now) = self.state.units.get_mut(unit) {
                now.at = Place::At(entry.at);
                now.landed = force == Force::Us;
            }
            units.push(*unit);
        }
        self.look_up(stands);
        if let Some(name) = name {
            let holds = Sealed::new(force.side(), slot_of(name, self.state.turn)?);
            let mut counter = CounterState::new(force, entry.at, holds, None);
            counter.landed = force == Force::Us;
            self.state.counters.insert(name, counter);
            if let Some(sealed) = self.sealed(name) {
                self.umpire.whisper_of(&sealed, |content| Event::Laid { counter: name, holds: content.clone() });
            }
        }
        if units.is_empty() && name.is_none() {
            return Ok(());
        }
        let (at, counter) = (entry.at, name);
        self.umpire.note(match force {
            Force::Us => Event::Landed { units: units.clone(), counter, at },
            _ => Event::Entered { units: units.clone(), counter, at },
        });
        // A07a: beaches are taken by who lands on them.
        let real = match name {
            Some(name) => self.holds_what_matters(name, at)?,
            None => false,
        };
        units.extend(name);
        self.occupy(&units, at, real)
    }

    /// Why a unit may not arrive openly in a hex, together with those that came before it.
    fn bars_arriving(&self, force: Force, unit: Piece, hex: Hex) -> Vec<Bar> {
        let data = self.data();
        let now = self.now();
        let mut bars = now.bars_coming(force, unit);
        let about = || [Subject::of(unit)];
        if bars.iter().any(|bar| bar.clause.0 != "A58") {
            return bars;
        }
        if force == Force::Us {
            let steps = data.unit(unit).map_or(0, |known| known.landing_steps(self.state.unit(unit).steps));
            let limit = data.tables.limits.landing;
            if self.ashore + steps > limit {
                let why = format!("{unit} would be step {} of {limit} to land", self.ashore + steps);
                bars.push(Bar::new("8.2h", why, "land it next turn").about(about()).about([ashore()]).firm());
            }
        }
        let mut stack = now.stack(hex, force);
        stack.push(unit);
        let bulk = now.bulk_of(&stack, |_| None);
        if let Some(lacks) = now.lacking_room(hex, force, bulk) {
            let base = if self.state.base == Some(hex) && force == Force::Us { now.base_bulk() } else { 0 };
            let why = format!("{unit} has no room in {hex}{}", crowding(bulk, base));
            let bar = Bar::new("A13", why, "land elsewhere");
            bars.push(bar.about(about()).about([lacks]));
        }
        bars
    }

    /// Is a real US unit in the hex (A37)? Of closed counters their owner says it: with his orders, or where the fever has taken
    /// the others since.
    fn is_garrisoned(&mut self, hex: Hex) -> Ruling<bool> {
        let there = self.now().fighters(hex, US);
        // What was vouched for holds as long as nothing has been lost there since.
        let vouched = self.seats.get(&hex).is_some_and(|wear| self.now().wear(&there) == *wear);
        if let ([name], true) = (there.as_slice(), vouched) {
            self.is_known(*name);
        }
        let shown = |piece: &Piece| self.counter(*piece).is_none_or(|counter| counter.real);
        if vouched || there.iter().any(shown) {
            return Ok(true);
        }
        let (sealed, data) = (self.sealed_of(&there), self.data());
        let real = |held: &[Content]| held.iter().any(|content| data.is_real(content));
        self.umpire.fact_or(&sealed.iter().collect::<Vec<_>>(), &Subject::of(hex), "occupied", real, true)
    }

    /// §10.2e to §10.2h, A37.
    fn land_base(&mut self, hex: Hex) -> Ruling<()> {
        let data = self.data();
        let mut bars = self.now().bars_base(hex);
        if bars.is_empty() && !self.is_garrisoned(hex)? {
            let bar = Bar::new("10.2e", format!("nobody but dummies is left in {hex}"), "land troops there first");
            bars.push(bar.about([Subject::of(hex)]));
        }
        let cost = data.cast().base.and_then(|id| data.unit(id)?.landing).unwrap_or(0);
        if self.ashore + cost > data.tables.limits.landing {
            let why = format!("the base takes {cost} of the steps that may land, and {} are ashore", self.ashore);
            bars.push(Bar::new("10.2f", why, "land fewer units").part("base").about([ashore()]));
        }
        if !bars.is_empty() {
            // Without it nobody can spend a point (§14.4.6c).
            let there = self.state.base.is_some();
            let bars = bars.into_iter().map(|bar| if there { bar } else { bar.about([the_base()]) }).collect();
            self.lapse("landing of the base", bars);
            return Ok(());
        }
        let stands = self.stands(|now| now.base_sites().contains(&hex));
        self.look_up(stands);
        self.ashore += cost;
        self.state.base = Some(hex);
        self.umpire.rests(&[Subject::of(hex), ashore()], [the_base()]);
        self.umpire.note(Event::BaseLanded { at: hex });
        Ok(())
    }
}

impl<'p> Position<'p> {
    /// Does the unit come over sea or edge, and has it not come yet?
    fn is_due(&self, force: Force, unit: Piece) -> bool {
        let whence = if force == Force::Us { Setup::Sea } else { Setup::Escario };
        let comes = |known: &Unit| known.force == force && known.setup == whence && known.kind.is_piece();
        self.unit(unit).is_some_and(comes) && self.state.unit(unit).at == Place::Off && self.under(unit).is_none()
    }

    /// Why a unit does not come at all.
    fn bars_coming(&self, force: Force, unit: Piece) -> Vec<Bar> {
        if !self.is_due(force, unit) {
            let why = format!("{unit} is not waiting to arrive");
            let bar = Bar::new(arrival_clause(force), why, "name units that are still off the map");
            return vec![bar.about([Subject::of(unit)]).firm()];
        }
        if self.kind(unit) == Some(UnitKind::Signals) && !self.game.options.balloon {
            let why = "without 14.8 the Signals Detachment stays off the map";
            return vec![Bar::new("A58", why, "leave it out").firm()];
        }
        Vec::new()
    }

    /// The room that is lacking in a hex for so many to stand there, if any is.
    pub fn lacking_room(&self, hex: Hex, force: Force, (foot, guns): (u32, u32)) -> Option<Subject> {
        if self.too_much(hex, force, (0, guns)) {
            return Some(room_for_gun(hex));
        }
        self.lacking_steps(hex, force, foot)
    }

    /// The room that is lacking in a hex for so many steps, if any is.
    fn lacking_steps(&self, hex: Hex, force: Force, foot: u32) -> Option<Subject> {
        let lacking = (0..=foot).find(|steps| !self.too_much(hex, force, (foot - steps, 0)))?;
        (lacking > 0).then(|| room_in(hex, lacking))
    }

    /// The units of a force that can arrive.
    pub fn arriving(&self, force: Force) -> Vec<Piece> {
        self.waiting(|unit| self.bars_coming(force, unit.id).is_empty())
    }

    /// Has a brigade a counter on the map, as far as the viewer knows (§14.6b)?
    pub fn has_counter(&self, brigade: &str) -> bool {
        let of =
            |member: &Member| self.unit(member.unit).is_some_and(|unit| unit.formation.as_deref() == Some(brigade));
        self.known.0.values().flat_map(Content::members).any(of)
    }

    /// The regiments at sea, by brigades that can land under a counter.
    pub fn brigades_at_sea(&self) -> BTreeMap<&'p str, Vec<Piece>> {
        let mut brigades: BTreeMap<&str, Vec<Piece>> = BTreeMap::new();
        for id in self.arriving(Force::Us) {
            let regiment = self.unit(id).filter(|unit| self.game.options.columns && unit.goes_under());
            let brigade = regiment.and_then(|unit| unit.formation.as_deref());
            if let Some(brigade) = brigade.filter(|brigade| !self.has_counter(brigade)) {
                brigades.entry(brigade).or_default().push(id);
            }
        }
        brigades
    }

    /// Where the base can come ashore among the troops, if it has not (§10.2e, A37).
    pub fn base_sites(&self) -> Vec<Hex> {
        self.held_hexes(US).into_iter().filter(|hex| self.bars_base(*hex).is_empty()).collect()
    }

    /// Why the base cannot come ashore in a hex (§10.2e, §10.2g, A13, A37).
    fn bars_base(&self, hex: Hex) -> Vec<Bar> {
        let mut bars = Vec::new();
        if let Some(at) = self.state.base {
            let why = format!("the base is ashore in {at}");
            bars.push(Bar::new("10.2g", why, "it never moves again").part("base").firm());
        }
        if !self.data().ground(hex).is_some_and(|ground| ground.beach || ground.base_landing) {
            let why = format!("{hex} is neither a beach nor Siboney");
            bars.push(Bar::new("A37", why, "land it on a beach").part("at").firm());
        }
        let stack = self.stack(hex, Force::Us);
        if !stack.iter().any(|piece| self.fights(*piece) && self.all_real(&[*piece])) {
            let remedy = "land troops there first, in the same landing or earlier";
            bars.push(Bar::new("10.2e", format!("no US unit is in {hex}"), remedy).about([Subject::of(hex)]));
        }
        // §5.2c, A13.
        let (foot, _) = self.bulk_of(&stack, |counter| self.known.0.get(&counter).cloned());
        if let Some(lacks) = self.lacking_room(hex, Force::Us, (foot + self.base_bulk(), 0)).filter(|_| bars.is_empty())
        {
            let why = format!("the base has no room in {hex}");
            bars.push(Bar::new("A13", why, "land it beside fewer troops").part("base").about([lacks]));
        }
        bars
    }

    /// Where a force can arrive now.
    pub fn arrival_hexes(&self, force: Force) -> Vec<Hex> {
        let data = self.data();
        let hexes = if force == Force::Us { &data.beaches } else { &data.west_edge };
        hexes.iter().copied().filter(|hex| self.bars_arrival(force, *hex, false).is_empty()).collect()
    }

    /// Why nobody of a force may arrive in a hex (§8.2b, §8.2c, §8.3a, A23, A76).
    pub fn bars_arrival(&self, force: Force, hex: Hex, base_only: bool) -> Vec<Bar> {
        let data = self.data();
        let mut bars = Vec::new();
        let part = |bar: Bar| bar.part("at");
        let enemy = if force == Force::Us { SPAIN } else { US };
        if force == Force::Us {
            if !data.is_beach(hex) && !base_only {
                let siboney = data.ground(hex).is_some_and(|ground| ground.base_landing);
                let (clause, why) = if siboney {
                    ("A39", format!("{} is a beach for the base alone", data.describe(hex)))
                } else {
                    ("8.2b", format!("{} is no beach", data.describe(hex)))
                };
                let beaches: Vec<String> = data.beaches.iter().map(|hex| data.describe(*hex)).collect();
                bars.push(part(Bar::new(clause, why, format!("the beaches are {}", beaches.join(", ")))).firm());
            }
            if self.pieces_in(hex).any(|piece| self.force(piece) == Some(Force::Cuban)) {
                bars.push(part(
                    Bar::new("A76", format!("Cubans are in {hex}"), "land elsewhere").about([Subject::of(hex)]),
                ));
            }
        } else {
            if !data.west_edge.contains(&hex) || !data.is_land(hex) {
                bars.push(
                    part(Bar::new("8.3a", format!("{hex} is not on the west edge"), "enter by 1801 to 0601")).firm(),
                );
            }
            if self.state.turn < self.state.escario {
                let why = format!("Escario arrives on turn {}", self.state.escario);
                bars.push(Bar::new("A22b", why, "wait for him").firm());
            }
        }
        if self.clashes(hex, force, Mode::Regular) {
            let why = format!("units in guerrilla in {hex} share it with nobody else");
            bars.push(part(Bar::new("11.1b", why, "name another hex").about([Subject::of(hex)])));
        }
        let there = |piece: Piece| self.force(piece).is_some_and(|other| other.side() == enemy);
        if self.pieces_in(hex).any(there) || (force == Force::Spanish && self.state.base == Some(hex)) {
            let clause = if force == Force::Us { "8.2c" } else { "A23" };
            bars.push(part(
                Bar::new(clause, format!("the enemy is in {hex}"), "name another hex").about([Subject::of(hex)]),
            ));
        }
        bars
    }
}

/// How full a hex would be: `, which would hold 8 steps and the base, as 6`.
fn crowding((foot, guns): (u32, u32), base: u32) -> String {
    let guns = if guns > 1 { format!(" and {}", count_of(guns, "gun")) } else { String::new() };
    let base = if base > 0 { format!(" and the base, as {base}") } else { String::new() };
    format!(", which would hold {}{guns}{base}", count_of(foot, "step"))
}
