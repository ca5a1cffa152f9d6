//! Chapter 8: movement. What a step costs, how far a stack can go, and the march itself.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::board::{self, Bearing, Features, Grid, Hex, Points, Reach, Step, Stride, WalkFault};
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Ruling, Side, Subject};

use super::data::{Along, is_crossing};
use super::events::{Event, Pace, Paid, PhaseName};
use super::orders::{Balloon, MoveOrder, TurnOrders};
use super::play::{Judged, Play, Position, Used, item, player, subjects};
use super::state::{Ending, Part};
use super::tables::Jungle;
use super::terms::{Force, Terrain, UnitId, UnitKind};
use super::{HexGrid, SPAIN, US};

/// Movement points: whole ones are all this game needs.
type Mp = Points<1>;

/// More than any march costs.
pub const ANY: u32 = u16::MAX as u32;

/// A stack about to move.
#[derive(Clone, Debug)]
pub struct Stack {
    pub force: Force,
    pub units: Vec<UnitId>,
    pub from: Hex,
    /// The movement factor of the slowest member (§8.1f).
    pub factor: u32,
}

/// How a path would be marched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct March {
    pub steps: Vec<Paid>,
    pub pace: Pace,
    pub allowance: u32,
}

/// A move that can be made: who goes by which way, and who stays behind where.
#[derive(Clone, Debug)]
pub struct Moving {
    pub stack: Stack,
    /// The whole way as it was meant, to be written out.
    pub path: Vec<Hex>,
    /// The part of it that can be marched.
    pub march: March,
    leave: BTreeMap<UnitId, Hex>,
    balloon: Option<Balloon>,
    stop_short: bool,
}

/// Which hexes a stack cannot enter for who stands there, and which are next to an enemy: laid out once for a search.
pub struct Lay {
    barred: Vec<Option<Obstacle>>,
    watched: Vec<bool>,
}

/// What keeps a stack out of a hex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    Water,
    Enemy,
    Signals,
    Base,
    Ally,
    Watched,
    /// The hex is full and the stack is to stop short of it.
    Full,
}

impl Obstacle {
    fn bar(self, from: Hex, to: Hex) -> Bar {
        let (clause, why) = match self {
            Obstacle::Water => ("TEC.i", format!("{to} cannot be entered from {from}: water")),
            Obstacle::Enemy => ("IMP.2", format!("enemy units stand in {to}")),
            Obstacle::Signals => ("IMP.2", format!("the Signals Detachment stands in {to}")),
            Obstacle::Base => ("4.5a", format!("only a combat unit may enter the base in {to}")),
            Obstacle::Ally => ("5.2d", format!("US and Cuban counters may not share {to}, not even in passing")),
            Obstacle::Watched => ("8.8c", format!("{to} is next to an enemy unit: no column movement")),
            Obstacle::Full => ("5.3b", format!("{to} is full")),
        };
        Bar::new(clause, why, "choose another way")
    }
}

/// Does a step over such a side cross a river where no ford or bridge takes its cost away? (§8.1g, §TEC.h)
fn fords(along: Features<Along>) -> bool {
    along.has(Along::River) && !is_crossing(along)
}

/// Where a stack can go: normal, else in column, else one hex at least.
pub struct Ways {
    from: Hex,
    paces: Vec<Reach<HexGrid, 1>>,
    beside: Vec<Hex>,
}

impl Ways {
    /// The hexes in order.
    pub fn hexes(&self) -> impl Iterator<Item = Hex> + '_ {
        let mut hexes: Vec<Hex> = self.paces.iter().flat_map(Reach::cells).chain(self.beside.iter().copied()).collect();
        hexes.sort_unstable();
        hexes.dedup();
        hexes.into_iter().filter(|hex| *hex != self.from)
    }

    /// Can the hex be reached?
    pub fn contains(&self, hex: Hex) -> bool {
        hex != self.from && (self.beside.contains(&hex) || self.paces.iter().any(|reach| reach.contains(hex)))
    }

    /// The way to a hex.
    pub fn path(&self, hex: Hex) -> Option<Vec<Hex>> {
        let march = || self.paces.iter().find_map(|reach| reach.path(hex)).map(|path| path[1..].to_vec());
        let step = || self.beside.contains(&hex).then(|| vec![hex]);
        (hex != self.from).then(|| march().or_else(step)).flatten()
    }
}

impl Position<'_> {
    /// Lays out who stands where, as a stack of a force sees it.
    pub fn lay(&self, force: Force, fighters: bool) -> Lay {
        let grid = &self.data().grid;
        let side = player(force);
        let mut lay = Lay { barred: vec![None; grid.len()], watched: vec![false; grid.len()] };
        let mut bar = |hex: Hex, who: Obstacle| {
            if let Some(place) = grid.index(hex).and_then(|index| lay.barred.get_mut(index)) {
                *place = Some(who);
            }
        };
        // §5.2d: US and Cuban counters never share a hex, not even in passing.
        let ally = match force {
            Force::Us => Some(Force::Cuban),
            Force::Cuban => Some(Force::Us),
            Force::Spanish => None,
        };
        for unit in self.state.units.values() {
            let Some(hex) = unit.at.hex() else { continue };
            if Some(unit.role.force) == ally {
                bar(hex, Obstacle::Ally);
            } else if player(unit.role.force) != side && unit.role.part == Part::Signals {
                bar(hex, Obstacle::Signals);
            }
        }
        if let Some(base) = self.state.base {
            match force {
                Force::Cuban => bar(base, Obstacle::Ally),
                Force::Spanish if !fighters => bar(base, Obstacle::Base), // §4.5a
                Force::Us | Force::Spanish => {}
            }
        }
        for hex in self.enemy_hexes(side) {
            let place = grid.index(hex).and_then(|index| lay.barred.get_mut(index));
            if place.is_none_or(|place| place.replace(Obstacle::Enemy) == Some(Obstacle::Enemy)) {
                continue;
            }
            for (_, next) in grid.neighbours(hex) {
                if let Some(watched) = grid.index(next).and_then(|index| lay.watched.get_mut(index)) {
                    *watched = true;
                }
            }
        }
        lay
    }

    /// What it costs a force to enter `to` from the neighbouring `from` (§8.1b, chart).
    pub fn step_cost(&self, lay: &Lay, from: Hex, to: Hex) -> Result<u32, Obstacle> {
        self.cost_along(lay, self.data().map.between(from, to), to)
    }

    /// The same, over a side with these along it.
    fn cost_along(&self, lay: &Lay, along: Features<Along>, to: Hex) -> Result<u32, Obstacle> {
        let data = self.data();
        if !data.is_land(to) || along.has(Along::Water) {
            return Err(Obstacle::Water);
        }
        if let Some(obstacle) = data.grid.index(to).and_then(|index| lay.barred.get(index)).copied().flatten() {
            return Err(obstacle);
        }
        if along.has(Along::Road) {
            return Ok(data.tables.movement.road); // §8.4a, §TEC.f, §TEC.g
        }
        // §7.2.3: Bad Weather, off road and railroad only.
        let ground = data.tables.movement.enter(data.terrain(to), self.state.bad_weather).ok_or(Obstacle::Water)?;
        Ok(ground + if fords(along) { data.tables.movement.river } else { 0 })
    }

    /// Why a step costs what it costs: `road`, `jungle`, `clear and river`.
    fn ground_of(&self, from: Hex, to: Hex) -> String {
        if self.data().road_between(from, to) {
            return "road".to_owned();
        }
        let terrain = self.data().terrain(to);
        let mut ground = terrain.to_string();
        if self.state.bad_weather && matches!(terrain, Terrain::Clear | Terrain::Jungle) {
            ground += " in bad weather";
        }
        if fords(self.data().map.between(from, to)) {
            ground += " and river";
        }
        ground
    }

    /// One hex of a way, with what it costs.
    pub fn paid(&self, lay: &Lay, from: Hex, to: Hex) -> Result<Paid, Obstacle> {
        let cost = self.step_cost(lay, from, to)?;
        Ok(Paid { hex: to, cost, why: self.ground_of(from, to) })
    }

    /// Why a unit may not move at all (§8.2e, §3.2h).
    pub fn mover_bars(&self, id: UnitId) -> Vec<Bar> {
        let bar = |clause, why| Bar::new(clause, why, "order units that may move").about([Subject::of(id)]);
        let mut bars = Vec::new();
        if self.state.hex_of(id).is_none() {
            bars.push(bar("8.1a", format!("{id} is not on the map")));
        }
        if self.state.unit(id).landed {
            bars.push(bar("8.2e", format!("{id} landed this turn")));
        }
        if self.is_frozen(id) {
            bars.push(bar("3.2h", format!("{id} is not released")));
        }
        bars
    }

    /// Units that stand in one hex as a stack.
    pub fn stack(&self, units: &[UnitId]) -> Option<Stack> {
        let first = units.first()?;
        let factor = units.iter().map(|id| self.values(*id).mf).min()?;
        Some(Stack { force: self.force(*first)?, units: units.to_vec(), from: self.state.hex_of(*first)?, factor })
    }

    /// What bars one of several units from moving together (§8.1f).
    fn joining_bars(&self, used: &Used, order: &MoveOrder, place: usize, lead: Option<UnitId>) -> Vec<Bar> {
        let Some(&id) = order.units.get(place) else { return Vec::new() };
        let about = || subjects(lead.into_iter().chain([id]));
        if self.force(id).is_none_or(|force| Some(player(force)) != self.state.stage.side()) {
            return vec![Bar::new("8.1a", format!("{id} is not your unit"), "order your own units").firm()];
        }
        let remedy = "a unit moves once per phase; use `leave` to drop units on the way";
        if let Some(before) = used.moved.get(&id) {
            let why = format!("{id} is ordered twice: it moves in moves[{before}] already");
            return vec![Bar::new("8.1f", why, remedy).firm()];
        }
        if order.units.iter().take(place).any(|other| *other == id) {
            return vec![Bar::new("8.1f", format!("{id} is named twice"), remedy).firm()];
        }
        // §8.7f: a balloon goes up without a march too, also on the day of the landing.
        let mut bars = self.mover_bars(id);
        if order.only_balloon() {
            bars.retain(|bar| bar.clause == Clause("8.1a"));
        }
        let Some(lead) = lead.filter(|lead| *lead != id && bars.is_empty()) else { return bars };
        let remedy = "order units that stand together";
        if self.force(id) != self.force(lead) {
            bars.push(Bar::new("5.2d", format!("{lead} and {id} are of different forces"), remedy).about(about()));
        } else if self.state.hex_of(id) != self.state.hex_of(lead) {
            let here = self.state.hex_of(lead).map_or_else(String::new, |hex| format!(" in {hex}"));
            bars.push(Bar::new("8.1f", format!("{id} is not{here} with {lead}"), remedy).about(about()));
        }
        bars
    }

    /// Judges a move: who of its units goes, by which way and how far (§8.1).
    pub fn judge_move(&self, used: &Used, order: &MoveOrder) -> Judged<Option<Moving>> {
        let mut bars = Vec::new();
        let nowhere = |bars| Judged { deed: None, bars };
        if order.units.is_empty() {
            bars.push(Bar::new("8.1a", "no unit is named", "name the units that move").part("units").firm());
        }
        let own = |id: &UnitId| self.force(*id).map(player) == self.state.stage.side();
        let lead = order.units.iter().copied().find(|id| own(id) && self.state.hex_of(*id).is_some());
        let mut movers = Vec::new();
        for (place, id) in order.units.iter().enumerate() {
            let found = self.joining_bars(used, order, place, lead);
            if found.is_empty() {
                movers.push(*id);
            }
            bars.extend(found.into_iter().map(|bar| bar.at(item("units", place)).about([Subject::of(id)])));
        }
        let signals = movers.iter().any(|id| self.kind(*id) == Some(UnitKind::Signals));
        if order.balloon.is_some() && !signals && !movers.is_empty() {
            let why = "only the Signals Detachment has a balloon";
            bars.push(Bar::new("8.7f", why, "leave `balloon` out").part("balloon"));
        }
        let Some(stack) = self.stack(&movers) else { return nowhere(bars) };
        let path = match self.way(&stack, order) {
            Ok(path) => path,
            Err(bar) => {
                bars.push(bar.about(subjects(&movers)));
                return nowhere(bars);
            }
        };
        let mut leave = order.leave.clone();
        let inner = path.split_last().map_or(&[][..], |(_, inner)| inner);
        for (id, hex) in &order.leave {
            let bar =
                |why, remedy: &str| Bar::new("8.1f", why, remedy).at(DocPath::root().key("leave").key(id.as_str()));
            let bar = if !order.units.contains(id) {
                bar(format!("{id} is not in the stack"), "leave behind units that move").firm()
            } else if !inner.contains(hex) {
                bar(format!("{hex} is not on the way"), "name a hex of the path before its end")
            } else {
                continue;
            };
            bars.push(bar.about(subjects(&movers)));
            leave.remove(id);
        }
        let Judged { deed: march, bars: cut } = self.price(&stack, &path);
        bars.extend(cut);
        let balloon = order.balloon.filter(|_| signals);
        Judged { deed: Some(Moving { stack, path, march, leave, balloon, stop_short: order.stop_short }), bars }
    }

    /// The way an order names, or the cheapest to where it goes.
    fn way(&self, stack: &Stack, order: &MoveOrder) -> Result<Vec<Hex>, Bar> {
        let bar = |why: String, remedy: &str| Bar::new("8.1a", why, remedy);
        match order.to {
            _ if order.only_balloon() => Ok(Vec::new()),
            Some(to) if !order.path.is_empty() && order.path.last() != Some(&to) => {
                Err(bar(format!("the path does not end in {to}"), "give either `path` or `to`").part("to"))
            }
            Some(to) if order.path.is_empty() && to == stack.from => {
                Err(bar(format!("the units are in {to} already"), "leave the move out").part("to"))
            }
            Some(to) if order.path.is_empty() => {
                self.reachable(stack).path(to).ok_or_else(|| self.why_not(stack, to).part("to"))
            }
            None if order.path.is_empty() => {
                Err(bar("the move goes nowhere".to_owned(), "give `to: HEX` or `path: [HEX, …]`"))
            }
            _ => Ok(order.path.clone()),
        }
    }

    /// Does a combat unit march with the stack?
    pub fn fighters(&self, stack: &Stack) -> bool {
        stack.units.iter().any(|id| self.is_combat(*id))
    }

    /// Have the units room in a hex, besides those of them who are there? (§5.2a)
    pub fn fit(&self, force: Force, units: &[UnitId], hex: Hex) -> bool {
        let joining = units.iter().filter(|id| self.is_combat(**id) && self.state.hex_of(**id) != Some(hex)).count();
        u32::try_from(joining).is_ok_and(|joining| joining <= self.room(force, hex))
    }

    /// The rules of one step as the board wants them; in column no hex next to an enemy (§8.8).
    pub fn step<'s>(&'s self, lay: &'s Lay, column: bool) -> impl Fn(Hex, Bearing, Hex) -> Step<Obstacle, 1> + 's {
        move |from, side, to| match self.cost_along(lay, self.data().map.leaving(from, side), to) {
            _ if column && self.is_watched(lay, to) => Step::Barred(Obstacle::Watched),
            Ok(cost) => Step::Pay(Mp::whole(cost)),
            Err(obstacle) => Step::Barred(obstacle),
        }
    }

    fn is_watched(&self, lay: &Lay, hex: Hex) -> bool {
        self.data().grid.index(hex).and_then(|index| lay.watched.get(index)).copied().unwrap_or(false)
    }

    /// May the stack start in column? (§8.8b)
    fn column_from(&self, stack: &Stack) -> bool {
        !self.enemy_adjacent(player(stack.force), stack.from)
    }

    /// The movement points of a stack in column (§8.8a).
    fn in_column(&self, stack: &Stack) -> u32 {
        stack.factor * self.data().tables.movement.column_factor
    }

    /// Where a stack can go, at each pace.
    pub fn reach_at(&self, lay: &Lay, from: Hex, points: u32, column: bool) -> Reach<HexGrid, 1> {
        board::reach(&self.data().grid, from, Mp::whole(points), self.step(lay, column))
    }

    /// Every hex a stack can reach.
    pub fn reachable(&self, stack: &Stack) -> Ways {
        let lay = self.lay(stack.force, self.fighters(stack));
        let mut paces = vec![self.reach_at(&lay, stack.from, stack.factor, false)];
        if self.column_from(stack) {
            paces.push(self.reach_at(&lay, stack.from, self.in_column(stack), true));
        }
        let open = |next: &Hex| self.step_cost(&lay, stack.from, *next).is_ok();
        let beside = self.data().neighbours(stack.from).filter(open).collect(); // §8.5a
        Ways { from: stack.from, paces, beside }
    }

    /// Why a stack cannot get to a hex, and how near it comes.
    fn why_not(&self, stack: &Stack, to: Hex) -> Bar {
        let lay = self.lay(stack.force, self.fighters(stack));
        let ever = self.reach_at(&lay, stack.from, ANY, false);
        let legal: Vec<String> = self.reachable(stack).hexes().map(|hex| hex.to_string()).collect();
        let remedy = format!("in reach are {}", legal.join(", "));
        let Some(cost) = ever.cost(to) else {
            let before = self.data().neighbours(to).find(|hex| self.data().is_land(*hex));
            let obstacle = before.and_then(|from| Some(self.step_cost(&lay, from, to).err()?.bar(from, to)));
            let bar = obstacle.unwrap_or_else(|| Bar::new("8.1b", format!("no way leads to {to}"), ""));
            return Bar { remedy, ..bar };
        };
        let column = if self.column_from(stack) {
            "and column movement does not get there without passing an enemy or running out".to_owned()
        } else {
            format!("and column movement is barred next to an enemy in {} (§8.8b)", stack.from)
        };
        let why = format!("the cheapest way to {to} costs {cost} of {} movement points, {column}", stack.factor);
        Bar::new("8.1b", why, remedy)
    }

    /// Prices a path as far as it can be marched; every bar on the way beyond.
    pub fn price(&self, stack: &Stack, path: &[Hex]) -> Judged<March> {
        let mut bars = Vec::new();
        let mut path = path;
        loop {
            match self.march(stack, path) {
                Ok(deed) => return Judged { deed, bars },
                Err(fault) => {
                    let (index, bar) = *fault;
                    bars.push(bar.at(item("path", index)).about(subjects(&stack.units)));
                    path = path.get(..index).unwrap_or_default();
                }
            }
        }
    }

    /// The march along a path: at normal pace, in column if that does not suffice, one hex whatever it costs. Otherwise
    /// the place in the path that cannot be reached, and why.
    fn march(&self, stack: &Stack, path: &[Hex]) -> Result<March, Box<(usize, Bar)>> {
        let data = self.data();
        let lay = self.lay(stack.force, self.fighters(stack));
        let way: Vec<Hex> = std::iter::once(stack.from).chain(path.iter().copied()).collect();
        let walk = board::walk(&data.grid, &way, Mp::whole(ANY), self.step(&lay, false));
        match walk.fault {
            None => {}
            Some(WalkFault::Barred { at, from, to, why }) => return Err(Box::new((at - 1, why.bar(from, to)))),
            Some(WalkFault::NotAdjacent { at, from, to }) => {
                let next: Vec<String> = data.neighbours(from).map(|hex| hex.to_string()).collect();
                let remedy = format!("from {from} the next hex is one of {}", next.join(", "));
                return Err(Box::new((at - 1, Bar::new("8.1b", format!("{to} is not next to {from}"), remedy))));
            }
            Some(_) => {
                let index = walk.costs.len().saturating_sub(1);
                return Err(Box::new((index, Bar::new("8.1b", "the way leads off the map", "stay on the map"))));
            }
        }
        let steps = way.windows(2).filter_map(|pair| match pair {
            [from, to] => self.paid(&lay, *from, *to).ok(),
            _ => None,
        });
        let steps: Vec<Paid> = steps.collect();
        let spent = walk.cost().floor();
        if spent <= stack.factor {
            return Ok(March { steps, pace: Pace::Normal, allowance: stack.factor });
        }
        if steps.len() == 1 {
            return Ok(March { steps, pace: Pace::Minimum, allowance: stack.factor });
        }
        // §8.8: neither the start nor any hex of the way may be next to an enemy.
        let watched = way.iter().copied().find(|hex| self.is_watched(&lay, *hex));
        let column = self.in_column(stack);
        let allowance = if watched.is_none() { column } else { stack.factor };
        let out = |cost: &Points<1>| cost.floor() > allowance;
        let Some(index) = walk.costs.iter().position(out) else {
            return Ok(March { steps, pace: Pace::Column, allowance });
        };
        // What the refusal names: the enemy that bars column movement, where that would have sufficed.
        let clause = match watched {
            Some(hex) if spent <= column && hex == stack.from => "8.8b",
            Some(hex) if spent <= column && path.last() == Some(&hex) => "8.8d",
            Some(_) if spent <= column => "8.8c",
            _ => "8.1b",
        };
        let before = |costs: &[Points<1>]| costs.get(index - 1).map_or(0, |cost| cost.floor());
        let (at, short) = (way.get(index - 1).copied().unwrap_or(stack.from), before(&walk.costs));
        let why = match steps.get(index - 1) {
            Some(Paid { hex, cost, why }) => format!(
                "the march runs out in {at}: {short} of {allowance} movement points are spent and {hex} costs {cost} ({why})"
            ),
            None => format!("the march runs out in {at}"),
        };
        let remedy = match watched {
            Some(hex) => format!("stop in {at}; column movement is barred because {hex} is next to an enemy (§8.8)"),
            None => format!("stop in {at}; even column movement allows no more"),
        };
        Err(Box::new((index - 1, Bar::new(clause, why, remedy))))
    }
}

impl Play<'_, '_> {
    /// II.1.a and II.1.b, steps of the one US Movement Phase that begins with the landings (§2.1h, §5.3a).
    pub fn us_steps(&mut self, orders: &mut TurnOrders) -> Ruling<()> {
        self.begin_step("us", "cuban-move", PhaseName::CubanMovement);
        self.move_stacks(Force::Cuban, orders)?;
        self.begin_step("us", "move", PhaseName::UsMovement);
        self.move_stacks(Force::Us, orders)?;
        self.mind_the_jungle();
        self.check_stacking()
    }

    /// Carries out the moves of a force, in the order of the list, and writes each out. A move without a unit of the
    /// player comes up with those of his army.
    pub fn move_stacks(&mut self, force: Force, orders: &mut TurnOrders) -> Ruling<()> {
        for (index, order) in orders.moves.iter_mut().enumerate() {
            let side = player(force);
            let own = |id: &UnitId| self.now().force(*id).filter(|force| player(*force) == side);
            let army = if side == US { Force::Us } else { Force::Spanish };
            if order.units.iter().find_map(own).unwrap_or(army) == force {
                let path = self.in_hand(item("moves", index), |play| play.move_stack(index, order))?;
                if let Some(path) = path {
                    (order.path, order.to) = (path, None);
                }
            }
        }
        Ok(())
    }

    /// Carries out a move as far as it is legal; the path it means.
    pub fn move_stack(&mut self, index: usize, order: &MoveOrder) -> Ruling<Option<Vec<Hex>>> {
        let Judged { deed, bars } = self.now().judge_move(&self.used, order);
        for id in &order.units {
            self.used.moved.entry(*id).or_insert(index);
        }
        let on_the_way = |bar: &Bar| bar.part.segments().first() == DocPath::root().key("path").segments().first();
        let (cut, bars): (Vec<Bar>, Vec<Bar>) = bars.into_iter().partition(on_the_way);
        let whole = bars.is_empty() && cut.is_empty();
        self.lapse(&order.units, bars);
        let Some(moving) = deed else { return Ok(None) };
        // A path of one's own leads to a hex in reach too, or back to where it began.
        if let Some(to) = moving.path.last().filter(|to| whole && **to != moving.stack.from) {
            let now = Position { game: self.game, state: self.state };
            self.umpire.listed(|| now.reachable(&moving.stack).contains(*to));
        }
        let from = moving.stack.from;
        let signals = moving.stack.units.iter().copied().find(|id| self.now().kind(*id) == Some(UnitKind::Signals));
        let goes = !moving.path.is_empty() || moving.balloon == Some(Balloon::Down);
        if signals.is_some() && self.state.balloon && goes {
            self.set_balloon(false, from); // §8.7f: back to the ground before it moves
        }
        let (units, at) = self.march_stack(&moving, item("moves", index))?;
        self.used.filled.insert(at, item("moves", index));
        // A path that is illegal is followed to its last legal hex.
        self.umpire.lapse(cut, |bars| {
            let why: Vec<&str> = bars.iter().map(|bar| bar.why.as_str()).collect();
            let clause = bars.first().map_or(Clause("8.1b"), |bar| bar.clause);
            Event::MarchCut { units, at, why: why.join("; "), clause }
        });
        if let (Some(id), Some(mode)) = (signals, moving.balloon)
            && let Some(at) = self.state.hex_of(id)
            && (mode == Balloon::Up) != self.state.balloon
        {
            self.set_balloon(mode == Balloon::Up, at);
        }
        Ok(Some(moving.path))
    }

    fn set_balloon(&mut self, up: bool, at: Hex) {
        self.state.balloon = up;
        self.umpire.note(Event::Balloon { up, at });
    }

    /// Marches a stack; who of it came how far.
    fn march_stack(&mut self, moving: &Moving, entry: DocPath) -> Ruling<(Vec<UnitId>, Hex)> {
        let (stack, game) = (&moving.stack, self.game);
        if moving.stop_short {
            // Which hexes are full hangs on how far those before it came.
            let before = subjects(self.used.moved.keys());
            self.umpire.rests(&before, subjects(&stack.units));
        }
        let beside_cubans = stack.force == Force::Us && self.cubans_beside(stack.from);
        let leg = Leg { at: stack.from, from: stack.from, paid: Vec::new(), taken: Vec::new(), spent: 0 };
        let mut column = Column {
            play: self,
            moving,
            units: stack.units.clone(),
            leg,
            gone: 0,
            beside_cubans,
            entry,
            chance: (1, 1),
        };
        let way: Vec<Hex> = std::iter::once(stack.from).chain(moving.march.steps.iter().map(|paid| paid.hex)).collect();
        let walk = board::march(
            &game.data.grid,
            &mut column,
            &way,
            Mp::whole(ANY),
            |column, from, _, to| column.step(from, to),
            |column, stride| column.enter(&stride),
        )?;
        let Column { units, mut leg, .. } = column;
        if let Some(WalkFault::Barred { from, to, why, .. }) = walk.fault {
            self.tell_leg(moving, &units, &mut leg);
            let Bar { clause, why, .. } = why.bar(from, to);
            self.umpire.note(Event::MarchCut { units: units.clone(), at: leg.at, why, clause });
        }
        Ok((units, leg.at))
    }

    /// Tells the march so far, then the hexes it took.
    fn tell_leg(&mut self, moving: &Moving, units: &[UnitId], leg: &mut Leg) {
        let path = std::mem::take(&mut leg.paid);
        if path.is_empty() {
            return;
        }
        let March { pace, allowance, .. } = moving.march;
        let (force, units) = (moving.stack.force, units.to_vec());
        self.umpire.note(Event::Marched { force, units, from: leg.from, path, spent: leg.spent, allowance, pace });
        leg.from = leg.at;
        self.note_all(std::mem::take(&mut leg.taken));
    }
}

/// A stack on the march.
struct Column<'c, 'p, 'u> {
    play: &'c mut Play<'p, 'u>,
    moving: &'c Moving,
    /// Those still marching.
    units: Vec<UnitId>,
    leg: Leg,
    /// Hexes entered.
    gone: usize,
    beside_cubans: bool,
    entry: DocPath,
    /// In how many of how many ways it comes through all its jungle.
    chance: (u64, u64),
}

/// A march between two tellings of it.
struct Leg {
    at: Hex,
    from: Hex,
    paid: Vec<Paid>,
    /// Hexes that changed hands on it.
    taken: Vec<Event>,
    spent: u32,
}

impl Column<'_, '_, '_> {
    /// The way is priced already; what may still stop it is a hex that has become full (§5.3).
    fn step(&self, from: Hex, to: Hex) -> Step<Obstacle, 1> {
        let now = self.play.now();
        let force = self.moving.stack.force;
        let last = self.gone + 1 == self.moving.march.steps.len();
        let halts = last || (force == Force::Us && now.jungle_roll_due(from, to));
        if self.moving.stop_short && halts && !now.fit(force, &self.units, to) {
            return Step::Barred(Obstacle::Full);
        }
        Step::Pay(Mp::whole(0))
    }

    fn enter(&mut self, stride: &Stride<Hex, 1>) -> Ruling<ControlFlow<()>> {
        let moving = self.moving;
        let Some(paid) = moving.march.steps.get(stride.at - 1) else { return Ok(ControlFlow::Break(())) };
        let (left_hex, hex) = (stride.from, stride.to);
        let last = stride.at == moving.march.steps.len();
        self.gone = stride.at;
        self.leg.spent += paid.cost;
        self.leg.at = hex;
        self.leg.paid.push(paid.clone());
        let mut base = false;
        for id in &self.units {
            base |= self.play.place(*id, hex, &mut self.leg.taken);
        }
        let jungle = moving.stack.force == Force::Us && self.play.now().jungle_roll_due(left_hex, hex);
        let stays: Vec<UnitId> = self.units.iter().copied().filter(|id| moving.leave.get(id) == Some(&hex)).collect();
        let lone = self.play.now().lone_leaders();
        if jungle || last || base || !stays.is_empty() || !lone.is_empty() {
            self.play.tell_leg(moving, &self.units, &mut self.leg);
        }
        if base {
            return self.play.end_game(Ending::BaseCaptured);
        }
        self.play.relocate_all(lone)?;
        // §6.2e: a leader who has to join the nearest friends marches no farther.
        self.units.retain(|id| self.play.state.hex_of(*id) == Some(hex));
        if self.units.is_empty() {
            return Ok(ControlFlow::Break(()));
        }
        if jungle && !self.through_jungle(left_hex, hex, last)? {
            return Ok(ControlFlow::Break(()));
        }
        if !stays.is_empty() && !last {
            self.units.retain(|id| !stays.contains(id));
            self.play.used.filled.insert(hex, self.entry.clone());
            self.play.umpire.note(Event::LeftBehind { units: stays, at: hex });
        }
        Ok(if self.units.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// The die for a jungle hex; does the column go on? (§8.6)
    fn through_jungle(&mut self, left_hex: Hex, hex: Hex, last: bool) -> Ruling<bool> {
        let stack = Stack { units: self.units.clone(), ..self.moving.stack.clone() };
        if !last {
            let halted = (self.entry.clone(), self.units.clone());
            self.play.used.halts.entry(hex).or_default().push(halted);
        }
        match self.play.jungle_roll(&stack, left_hex, hex, self.beside_cubans, &mut self.chance)? {
            Jungle::On => Ok(true),
            Jungle::Halt => Ok(false),
            Jungle::SpanishMoves => {
                let left = self.moving.march.allowance.saturating_sub(self.leg.spent);
                self.play.lead_astray(&stack, hex, left, self.moving.march.pace == Pace::Column)?;
                Ok(false)
            }
        }
    }
}

/// The side that is not this one.
pub fn opponent(side: Side) -> Side {
    if side == SPAIN { super::US } else { SPAIN }
}
