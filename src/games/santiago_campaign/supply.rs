//! Chapter 12: US supply.
//!
//! A hex is in supply if a line of the off-road length takes it to a Supply Source marker, or to a road that leads to
//! one (§12.2, §12.3). Lines are followed backwards from the sources, so one search answers for every hex. A hex in a
//! Spanish zone of control ends a line but is never passed through (§12.4); whether a single face-down counter has a
//! zone at all may be hidden, so two maps bound the truth and the umpire is asked only between them.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use crate::board::{Field, Grid, Hex, HexGrid, Layer};
use crate::engine::{Ruling, count_of, list};

use super::movement::{Mover, WayHome};
use super::play::{Play, Position, Trit};
use super::state::Post;
use super::terms::{Arm, Nation, Token, UnitId};

/// Supply as far as the public can tell.
#[derive(Clone, Debug)]
pub struct SupplyMaps {
    /// In supply whatever the doubtful counters are.
    pub surely: Layer<bool>,
    /// In supply if every doubtful counter is a lone battery.
    pub maybe: Layer<bool>,
    /// Supply once a hex is vacated, and opened or not, as far as anybody has asked.
    after: RefCell<BTreeMap<(Hex, bool), Rc<SupplyMaps>>>,
}

/// What a mover of one nationality meets on the map, laid out once.
#[derive(Clone, Debug)]
pub struct Lay {
    zones: Layer<Trit>,
    taken: Layer<bool>,
}

impl Lay {
    /// Is the hex in an enemy zone of control?
    pub fn zone(&self, grid: &HexGrid, hex: Hex) -> Trit {
        self.zones.get(grid, hex).copied().unwrap_or(Trit::No)
    }

    /// Is any unit or counter in the hex?
    pub fn is_taken(&self, grid: &HexGrid, hex: Hex) -> bool {
        self.taken.get(grid, hex).copied().unwrap_or(false)
    }
}

impl SupplyMaps {
    /// Maps for a mover who needs no supply.
    pub fn everywhere(position: &Position<'_>) -> SupplyMaps {
        let layer = Layer::filled(position.data().grid(), true);
        SupplyMaps::of(layer.clone(), layer)
    }

    fn of(surely: Layer<bool>, maybe: Layer<bool>) -> SupplyMaps {
        SupplyMaps { surely, maybe, after: RefCell::default() }
    }

    fn supposing(&self, position: &Position<'_>, hex: Hex, opened: bool) -> Rc<SupplyMaps> {
        if let Some(maps) = self.after.borrow().get(&(hex, opened)) {
            return Rc::clone(maps);
        }
        let suppose = Suppose { vacated: Some(hex), opened: opened.then_some(hex) };
        let maps = Rc::new(position.supply_maps(suppose));
        self.after.borrow_mut().insert((hex, opened), Rc::clone(&maps));
        maps
    }

    /// Supply once the Spanish counters in a hex are gone (§10.8d, §12.10h).
    pub fn once_vacated(&self, position: &Position<'_>, hex: Hex) -> Rc<SupplyMaps> {
        self.supposing(position, hex, false)
    }

    /// Supply once what is in a hex is overrun and a beach there opened, if anything beyond that hex gains by it.
    pub fn widened(&self, position: &Position<'_>, hex: Hex) -> Option<Rc<SupplyMaps>> {
        let wider = self.supposing(position, hex, position.may_open(hex));
        let grid = position.data().grid();
        let gains =
            |(other, after): (Hex, &bool)| *after && other != hex && self.maybe.get(grid, other) == Some(&false);
        let any = wider.maybe.iter(grid).any(gains);
        any.then_some(wider)
    }
}

/// What a supply question supposes.
#[derive(Clone, Copy, Default)]
pub struct Suppose {
    /// The Spanish units in this hex are gone (§12.10h).
    pub vacated: Option<Hex>,
    /// A marker is placed here (§6.6g).
    pub opened: Option<Hex>,
}

impl Position<'_> {
    /// Hexes in supply, given which Spanish stacks exert a zone of control.
    pub fn supplied_hexes(&self, suppose: Suppose, exerts: impl Fn(Hex) -> bool) -> Layer<bool> {
        let held: Vec<(Hex, bool)> = self.stacks().into_keys().map(|hex| (hex, exerts(hex))).collect();
        self.trace(suppose, self.state.supply_length, &held)
    }

    /// Hexes a line of supply may enter: no Spanish unit, no closed entry hex (§12.2d); swamp and open water are not in
    /// the net (§12.7).
    fn passable(&self, held: impl Iterator<Item = Hex>) -> Vec<bool> {
        let data = self.data();
        let mut passable = vec![true; data.supply_net.len()];
        let closed = [data.guantanamo, data.manzanillo].into_iter().filter(|hex| self.is_closed(*hex));
        for hex in closed.chain(held) {
            if let Some(place) = data.grid().index(hex).and_then(|index| passable.get_mut(index)) {
                *place = false;
            }
        }
        passable
    }

    /// Hexes from which a line leads to a source with so many hexes off the road, past the hexes that Spanish stacks
    /// hold, with or without a zone of control.
    fn trace(&self, suppose: Suppose, length: u32, held: &[(Hex, bool)]) -> Layer<bool> {
        self.follow(suppose, length, held, |_, _| {})
    }

    /// The line of supply of every hex that is in supply whatever the doubtful counters are: the next hex towards a source.
    pub fn supply_lines(&self) -> BTreeMap<Hex, Hex> {
        let grid = self.data().grid();
        let mut lines = BTreeMap::new();
        let note = |to: usize, from: usize| lines.extend(grid.cell(to).zip(grid.cell(from)));
        self.follow(Suppose::default(), self.state.supply_length, &self.held(|level| level != Trit::No), note);
        lines
    }

    /// The same search, with word of every hex it comes to and the one it comes from.
    fn follow(
        &self,
        suppose: Suppose,
        length: u32,
        held: &[(Hex, bool)],
        mut came: impl FnMut(usize, usize),
    ) -> Layer<bool> {
        let data = self.data();
        let grid = data.grid();
        let net = &data.supply_net;
        let held = || held.iter().filter(|(hex, _)| suppose.vacated != Some(*hex));
        let passable = self.passable(held().map(|(hex, _)| *hex));
        let mut zone = vec![false; net.len()];
        for (hex, _) in held().filter(|(_, exerts)| *exerts) {
            for index in data.around(*hex).filter_map(|next| grid.index(next)) {
                zone[index] = true;
            }
        }
        let mut supplied = vec![false; net.len()];
        // The road part: along roads of any length from every source (§12.3a). What is in a zone of control is reached
        // and not passed (§12.4); the source itself may lie in one (§12.4c).
        let mut road: VecDeque<usize> = VecDeque::with_capacity(net.len());
        let sources = self.state.sources.keys().copied().chain(suppose.opened);
        for source in sources.filter(|hex| data.is_open(*hex)).filter_map(|hex| grid.index(hex)) {
            if passable[source] && !supplied[source] {
                supplied[source] = true;
                road.push_back(source);
            }
        }
        let sources: Vec<usize> = road.iter().copied().collect();
        let mut country: VecDeque<(usize, u32)> = VecDeque::with_capacity(net.len());
        while let Some(hex) = road.pop_front() {
            if zone[hex] && !sources.contains(&hex) {
                continue;
            }
            country.push_back((hex, 0));
            for link in net[hex].iter().filter(|link| link.road) {
                if passable[link.to] && !supplied[link.to] {
                    supplied[link.to] = true;
                    came(link.to, hex);
                    road.push_back(link.to);
                }
            }
        }
        // The off-road part: so many hexes at most, counted from the unit to the road or source hex (§12.5d).
        while let Some((hex, steps)) = country.pop_front() {
            if steps >= length || (steps > 0 && zone[hex]) {
                continue;
            }
            for link in net[hex].iter().filter(|link| !link.off_map) {
                if passable[link.to] && !supplied[link.to] {
                    supplied[link.to] = true;
                    came(link.to, hex);
                    country.push_back((link.to, steps + 1));
                }
            }
        }
        Layer::from_values(supplied)
    }

    /// Why a unit in a hex would be out of supply, as far as the viewer can tell; what he cannot see speaks for supply.
    pub fn why_unsupplied(&self, hex: Hex, suppose: Suppose) -> String {
        let grid = self.data().grid();
        let at = |layer: &Layer<bool>, hex: Hex| layer.get(grid, hex).copied().unwrap_or(false);
        let held = self.held(|level| level == Trit::Yes);
        let length = self.state.supply_length;
        if self.state.sources.is_empty() && suppose.opened.is_none() {
            return "no Supply Source marker is on the map".to_owned();
        }
        // Far from the roads, with the zones as they are: how long the line would have to be.
        let cells = u32::try_from(grid.len()).unwrap_or(u32::MAX);
        if at(&self.trace(suppose, cells, &held), hex) {
            let needed = (length..cells).find(|longer| at(&self.trace(suppose, *longer, &held), hex)).unwrap_or(cells);
            return format!(
                "its line would be {} long to the nearest road or source that can be used, and this turn's off-road \
                 length is {length}",
                count_of(needed, "hex")
            );
        }
        // Cut off: the nearest places where a line ends in a zone of control.
        let reached = self.trace(suppose, length, &held);
        let mut ends: Vec<Hex> = (reached.iter(grid).filter(|(_, yes)| **yes).map(|(end, _)| end))
            .filter(|end| self.spanish_zone(*end) == Trit::Yes)
            .collect();
        ends.sort_by_key(|end| (grid.distance(*end, hex), *end));
        let nearest = ends.first().map_or(0, |end| grid.distance(*end, hex));
        ends.retain(|end| grid.distance(*end, hex) == nearest);
        let free = at(&self.trace(suppose, length, &self.held(|_| false)), hex);
        match (ends.is_empty(), free) {
            (false, true) => {
                format!("Spanish zones of control end every line to it, the nearest in {}", list(&ends))
            }
            (_, true) => "Spanish units and their zones of control cut every line to it".to_owned(),
            (_, false) => {
                let line = count_of(length, "hex");
                format!("it is cut off, and no line of {line} would reach a road or source anyway")
            }
        }
    }

    /// What the viewer can tell of supply.
    pub fn supply_maps(&self, suppose: Suppose) -> SupplyMaps {
        let levels = self.levels();
        let held = |counts: fn(Trit) -> bool| levels.iter().map(|(hex, level)| (*hex, counts(*level))).collect();
        let length = self.state.supply_length;
        let zones: Vec<(Hex, bool)> = held(|level| level != Trit::No);
        let surely = self.trace(suppose, length, &zones);
        if levels.iter().any(|(_, level)| *level == Trit::Maybe) {
            let zones: Vec<(Hex, bool)> = held(|level| level == Trit::Yes);
            let maybe = self.trace(suppose, length, &zones);
            SupplyMaps::of(surely, maybe)
        } else {
            SupplyMaps::of(surely.clone(), surely)
        }
    }

    /// What each Spanish stack exerts, by hex.
    fn levels(&self) -> Vec<(Hex, Trit)> {
        let posted = self.state.counters.iter().filter_map(|(token, counter)| match counter.at {
            Post::At(hex) => Some((hex, *token)),
            _ => None,
        });
        let mut posted: Vec<(Hex, Token)> = posted.collect();
        posted.sort_unstable();
        let tokens: Vec<Token> = posted.iter().map(|(_, token)| *token).collect();
        let mut rest = tokens.as_slice();
        let stacks = posted.chunk_by(|(one, _), (other, _)| one == other);
        let level = stacks.filter_map(|stack| {
            let (here, beyond) = rest.split_at(stack.len());
            rest = beyond;
            stack.first().map(|(hex, _)| (*hex, self.exerts_of(*hex, here)))
        });
        level.collect()
    }

    /// The hexes of Spanish stacks, and whether their zone of control counts.
    fn held(&self, counts: impl Fn(Trit) -> bool) -> Vec<(Hex, bool)> {
        self.levels().into_iter().map(|(hex, level)| (hex, counts(level))).collect()
    }

    /// Zones of control against a nationality, and every occupied hex.
    pub fn lay(&self, nation: Nation) -> Lay {
        let data = self.data();
        let grid = data.grid();
        let mut zones = Layer::filled(grid, Trit::No);
        let mut taken = Layer::filled(grid, false);
        let mut cover = |hex: Hex, level: Trit| {
            for next in data.around(hex) {
                if let Some(place) = zones.get_mut(grid, next) {
                    *place = (*place).max(level);
                }
            }
        };
        for (hex, level) in self.levels() {
            mark(grid, &mut taken, hex);
            if nation == Nation::Us {
                cover(hex, level);
            }
        }
        for (id, unit) in self.state.units.iter() {
            let Some(hex) = unit.at.hex() else { continue };
            mark(grid, &mut taken, hex);
            if nation == Nation::Spanish && self.arm(*id).is_some_and(Arm::exerts_zone) {
                cover(hex, Trit::Yes);
            }
        }
        Lay { zones, taken }
    }

    /// Steps from every hex to the nearest one in supply, over ground an American unit could travel (§12.10c).
    pub fn steps_to_supply(&self, supplied: &Layer<bool>, beach: Option<Hex>) -> Field {
        let data = self.data();
        let passable = self.passable(self.stacks().into_keys());
        let mut steps: Vec<Option<u32>> =
            supplied.iter(data.grid()).map(|(hex, yes)| (*yes || beach == Some(hex)).then_some(0)).collect();
        let mut queue: VecDeque<(usize, u32)> = VecDeque::new();
        queue.extend(steps.iter().enumerate().filter(|(_, steps)| steps.is_some()).map(|(hex, _)| (hex, 0)));
        while let Some((hex, count)) = queue.pop_front() {
            for link in data.supply_net[hex].iter().filter(|link| !link.off_map) {
                if passable[link.to] && steps[link.to].is_none() {
                    steps[link.to] = Some(count + 1);
                    queue.push_back((link.to, count + 1));
                }
            }
        }
        Field::of(Layer::from_values(steps))
    }
}

impl SupplyMaps {
    /// Is the hex in supply?
    pub fn at(&self, position: &Position<'_>, hex: Hex) -> Trit {
        let is = |layer: &Layer<bool>| layer.get(position.data().grid(), hex).copied().unwrap_or(false);
        match (is(&self.surely), is(&self.maybe)) {
            (true, _) => Trit::Yes,
            (false, true) => Trit::Maybe,
            (false, false) => Trit::No,
        }
    }
}

fn mark(grid: &HexGrid, layer: &mut Layer<bool>, hex: Hex) {
    if let Some(place) = layer.get_mut(grid, hex) {
        *place = true;
    }
}

impl Play<'_, '_> {
    /// Supply as far as the public can tell, computed once until something changes.
    pub fn supply_maps(&mut self) -> Rc<SupplyMaps> {
        let maps = match self.supply.take() {
            Some(maps) => maps,
            None => Rc::new(self.now().supply_maps(Suppose::default())),
        };
        Rc::clone(self.supply.insert(maps))
    }

    /// Would an American unit be in supply in this hex? (§12.2) The umpire says so where nobody can see it.
    pub fn supplied(&mut self, hex: Hex, suppose: Suppose) -> Ruling<bool> {
        let plain = suppose.vacated.is_none() && suppose.opened.is_none();
        let level = if plain {
            let maps = self.supply_maps();
            maps.at(&self.now(), hex)
        } else {
            self.now().supply_maps(suppose).at(&self.now(), hex)
        };
        match level {
            Trit::Yes => Ok(true),
            Trit::No => Ok(false),
            Trit::Maybe => self.true_supply(
                hex,
                "supply",
                |position, supplied| supplied.get(position.data().grid(), hex).copied().unwrap_or(false),
                suppose,
            ),
        }
    }

    /// Does a step that some of the face-down counters would allow bring a unit that is out of supply one hex closer to
    /// the nearest hex in supply? (§12.10c)
    pub fn leads_home(&mut self, mover: &Mover, from: Hex, to: Hex) -> Ruling<bool> {
        if !mover.lost {
            return Ok(true);
        }
        let maps = self.supply_maps();
        if maps.surely == maps.maybe {
            return Ok(true); // Everybody can see it, and it was judged with the step.
        }
        let leads = |position: &Position<'_>, supplied: &Layer<bool>| {
            let least = position.steps_to_supply(supplied, mover.beach);
            position.brings_home(Some(&WayHome { most: least.clone(), least }), from, to)
        };
        self.true_supply(to, "home", leads, Suppose::default())
    }

    /// A fact about the hexes in supply that hangs on what single face-down counters are.
    fn true_supply(
        &mut self,
        about: Hex,
        what: &str,
        fact: impl Fn(&Position<'_>, &Layer<bool>) -> bool,
        suppose: Suppose,
    ) -> Ruling<bool> {
        let now = self.now();
        let stacks = now.stacks();
        let doubtful: BTreeMap<Hex, Vec<Token>> =
            stacks.into_iter().filter(|(hex, tokens)| now.exerts_of(*hex, tokens) == Trit::Maybe).collect();
        let tokens: Vec<Token> = doubtful.values().flatten().copied().collect();
        let (game, state) = (self.game, self.state.clone());
        let known = self.known.clone();
        let truth = |units: &BTreeMap<Token, UnitId>| {
            let position = Position { game, state: &state, known: &known };
            let zone = |unit: &UnitId| position.arm(*unit).is_some_and(Arm::exerts_zone);
            let supplied = position.supplied_hexes(suppose, |at| match doubtful.get(&at) {
                Some(tokens) => tokens.iter().filter_map(|token| units.get(token)).any(zone),
                None => position.exerts(at) == Trit::Yes,
            });
            fact(&position, &supplied)
        };
        self.fact(&tokens, about, what, truth, true)
    }
}
