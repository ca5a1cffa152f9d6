//! Chapter 8: movement. What a step costs, how far a stack can go, and the march itself.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{self, Grid, Hex, Points, Reach, Step};
use crate::engine::{Clause, Ruling, Side};

use super::events::{Event, Pace, Paid, PhaseName};
use super::orders::{Balloon, MoveOrder, TurnOrders};
use super::play::{Play, Position, player};
use super::state::{Ending, Part};
use super::tables::Jungle;
use super::terms::{Force, Terrain, UnitId, UnitKind};
use super::{HexGrid, SPAIN};

/// Movement points: whole ones are all this game needs.
type Mp = Points<1>;

/// Why a hex cannot be entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    /// The clause that bars it.
    pub clause: Clause,
    /// In words.
    pub why: String,
}

/// What entering a hex costs, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Movement points.
    pub points: u32,
    /// `road`, `jungle`, `clear and river`.
    pub why: String,
}

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

/// Why a path cannot be marched to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarchFault {
    /// The index in the path of the first hex that cannot be entered.
    pub index: usize,
    pub clause: Clause,
    pub what: String,
    pub remedy: String,
}

/// Which hexes a stack cannot enter for who stands there, and which are next to an enemy: laid out once for a search.
pub struct Lay {
    barred: Vec<Option<Occupant>>,
    watched: Vec<bool>,
}

/// Who keeps a stack out of a hex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Occupant {
    Enemy,
    Signals,
    Base,
    Ally,
}

impl Position<'_> {
    /// Lays out who stands where, as a stack of a force sees it.
    pub fn lay(&self, force: Force, fighters: bool) -> Lay {
        let grid = &self.data().grid;
        let side = player(force);
        let mut lay = Lay { barred: vec![None; grid.len()], watched: vec![false; grid.len()] };
        let mut bar = |hex: Hex, who: Occupant| {
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
                bar(hex, Occupant::Ally);
            } else if player(unit.role.force) != side && unit.role.part == Part::Signals {
                bar(hex, Occupant::Signals);
            }
        }
        if let Some(base) = self.state.base {
            match force {
                Force::Cuban => bar(base, Occupant::Ally),
                Force::Spanish if !fighters => bar(base, Occupant::Base), // §4.5a
                Force::Us | Force::Spanish => {}
            }
        }
        for hex in self.enemy_hexes(side) {
            bar(hex, Occupant::Enemy);
        }
        for hex in self.enemy_hexes(side) {
            for (_, next) in grid.neighbours(hex) {
                if let Some(watched) = grid.index(next).and_then(|index| lay.watched.get_mut(index)) {
                    *watched = true;
                }
            }
        }
        lay
    }

    fn is_watched(&self, lay: &Lay, hex: Hex) -> bool {
        self.data().grid.index(hex).and_then(|index| lay.watched.get(index)).copied().unwrap_or(false)
    }

    /// What it costs a force to enter `to` from the neighbouring `from` (§8.1b, chart).
    pub fn step_cost(&self, lay: &Lay, from: Hex, to: Hex) -> Result<Cost, Bar> {
        let data = self.data();
        let bar = |clause, why: String| Err(Bar { clause: Clause(clause), why });
        if !data.is_land(to) || data.water_between(from, to) {
            return bar("TEC.i", format!("{to} cannot be entered from {from}: water"));
        }
        match data.grid.index(to).and_then(|index| lay.barred.get(index)).copied().flatten() {
            Some(Occupant::Enemy) => return bar("IMP.2", format!("enemy units stand in {to}")),
            Some(Occupant::Signals) => return bar("IMP.2", format!("the Signals Detachment stands in {to}")),
            Some(Occupant::Base) => return bar("4.5a", format!("only a combat unit may enter the base in {to}")),
            Some(Occupant::Ally) => {
                return bar("5.2d", format!("US and Cuban counters may not share {to}, not even in passing"));
            }
            None => {}
        }
        if data.road_between(from, to) {
            return Ok(Cost { points: data.tables.movement.road, why: "road".into() }); // §8.4a, §TEC.f, §TEC.g
        }
        let terrain = data.terrain(to);
        // §7.2.3: Bad Weather, off road and railroad only.
        let Some(mut points) = data.tables.movement.enter(terrain, self.state.bad_weather) else {
            return bar("TEC.i", format!("{to} is {terrain}"));
        };
        let mut why = terrain.to_string();
        if self.state.bad_weather && matches!(terrain, Terrain::Clear | Terrain::Jungle) {
            why += " in bad weather";
        }
        // §8.1g, §TEC.h: a ford or bridge takes the river's cost away.
        if data.river_between(from, to) && !data.crossing_between(from, to) {
            points += data.tables.movement.river;
            why += " and river";
        }
        Ok(Cost { points, why })
    }

    /// The force and the hex of units that stand together, or why they do not (§8.1f).
    pub fn together(&self, units: &[UnitId]) -> Result<(Force, Hex), (Clause, String)> {
        let fail = |clause: &'static str, why: String| Err((Clause(clause), why));
        let Some(first) = units.first() else { return fail("8.1a", "no unit is named".into()) };
        let (Some(force), Some(from)) = (self.force(*first), self.state.hex_of(*first)) else {
            return fail("8.1a", format!("{first} is not on the map"));
        };
        for id in units {
            if self.force(*id) != Some(force) {
                return fail("5.2d", format!("{first} and {id} are of different forces"));
            }
            if self.state.hex_of(*id) != Some(from) {
                return fail("8.1f", format!("{id} is not in {from} with {first}"));
            }
        }
        Ok((force, from))
    }

    /// The units as a stack that may move, or why not (§8.1f, §8.2e, §3.2h).
    pub fn stack(&self, units: &[UnitId]) -> Result<Stack, (Clause, String)> {
        let (force, from) = self.together(units)?;
        for id in units {
            if self.state.unit(*id).landed {
                return Err((Clause("8.2e"), format!("{id} landed this turn")));
            }
            if self.is_frozen(*id) {
                return Err((Clause("3.2h"), format!("{id} is not released")));
            }
        }
        let factor = units.iter().map(|id| self.values(*id).mf).min().unwrap_or(0);
        Ok(Stack { force, units: units.to_vec(), from, factor })
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

    /// Is the next hex too full for a march that ends there, or that jungle may end there? (§5.3)
    pub fn full_ahead(&self, force: Force, units: &[UnitId], from: Hex, to: Hex, last: bool) -> bool {
        let halts = last || (force == Force::Us && self.jungle_roll_due(from, to));
        halts && !self.fit(force, units, to)
    }

    /// The rules of one step as the board wants them; in column no hex next to an enemy (§8.8).
    pub fn step<'s>(&'s self, lay: &'s Lay, column: bool) -> impl Fn(Hex, Hex) -> Step<Bar, 1> + 's {
        move |from, to| {
            if column && self.is_watched(lay, to) {
                let why = format!("{to} is next to an enemy unit: no column movement");
                return Step::Barred(Bar { clause: Clause("8.8c"), why });
            }
            match self.step_cost(lay, from, to) {
                Ok(cost) => Step::Pay(Mp::whole(cost.points)),
                Err(bar) => Step::Barred(bar),
            }
        }
    }

    /// May the stack start in column? (§8.8b)
    pub fn column_from(&self, stack: &Stack) -> bool {
        !self.enemy_adjacent(player(stack.force), stack.from)
    }

    /// Where a stack can go, at each pace.
    pub fn reach_at(&self, lay: &Lay, from: Hex, points: u32, column: bool) -> Reach<HexGrid, 1> {
        let step = self.step(lay, column);
        board::reach(&self.data().grid, from, Mp::whole(points), |a, _, b| step(a, b))
    }

    /// Every hex a stack can reach, with the path and the march to it: normal, else in column, else one hex at least.
    pub fn reachable(&self, stack: &Stack) -> BTreeMap<Hex, Vec<Hex>> {
        let lay = self.lay(stack.force, self.fighters(stack));
        let mut found = BTreeMap::new();
        let mut add = |reach: &Reach<HexGrid, 1>| {
            for hex in reach.cells() {
                if hex != stack.from
                    && let Some(path) = reach.path(hex)
                {
                    found.entry(hex).or_insert_with(|| path.into_iter().filter(|h| *h != stack.from).collect());
                }
            }
        };
        add(&self.reach_at(&lay, stack.from, stack.factor, false));
        if self.column_from(stack) {
            add(&self.reach_at(&lay, stack.from, stack.factor * self.data().tables.movement.column_factor, true));
        }
        for (_, next) in self.data().grid.neighbours(stack.from) {
            if self.step_cost(&lay, stack.from, next).is_ok() {
                found.entry(next).or_insert_with(|| vec![next]); // §8.5a
            }
        }
        found
    }

    /// Why a stack cannot get to a hex, and how near it comes.
    pub fn why_not(&self, stack: &Stack, to: Hex) -> (Clause, String, String) {
        let lay = self.lay(stack.force, self.fighters(stack));
        let ever = self.reach_at(&lay, stack.from, u32::from(u16::MAX), false);
        let legal: Vec<String> = self.reachable(stack).keys().map(Hex::to_string).collect();
        let remedy = format!("in reach are {}", legal.join(", "));
        let Some(cost) = ever.cost(to) else {
            let before = self.data().grid.neighbours(to).map(|(_, hex)| hex).find(|hex| self.data().is_land(*hex));
            let bar = before.and_then(|hex| self.step_cost(&lay, hex, to).err());
            let bar = bar.unwrap_or_else(|| Bar { clause: Clause("8.1b"), why: format!("no way leads to {to}") });
            return (bar.clause, bar.why, remedy);
        };
        let column = if self.column_from(stack) {
            "and column movement does not get there without passing an enemy or running out".to_owned()
        } else {
            format!("and column movement is barred next to an enemy in {} (§8.8b)", stack.from)
        };
        let what = format!("the cheapest way to {to} costs {cost} of {} movement points, {column}", stack.factor);
        (Clause("8.1b"), what, remedy)
    }

    /// Prices a path: at normal pace, in column if that does not suffice, one hex whatever it costs.
    pub fn march(&self, stack: &Stack, path: &[Hex]) -> Result<March, MarchFault> {
        let lay = self.lay(stack.force, self.fighters(stack));
        let mut steps = Vec::new();
        let mut spent = 0;
        let mut before = stack.from;
        for (index, hex) in path.iter().copied().enumerate() {
            let fault = |clause, what, remedy: String| Err(MarchFault { index, clause, what, remedy });
            if self.data().grid.edge_between(before, hex).is_none() {
                let next: Vec<String> = self.data().grid.neighbours(before).map(|(_, h)| h.to_string()).collect();
                let remedy = format!("from {before} the next hex is one of {}", next.join(", "));
                return fault(Clause("8.1b"), format!("{hex} is not next to {before}"), remedy);
            }
            match self.step_cost(&lay, before, hex) {
                Err(bar) => return fault(bar.clause, bar.why, "choose another way".into()),
                Ok(cost) => {
                    spent += cost.points;
                    steps.push(Paid { hex, cost: cost.points, why: cost.why });
                }
            }
            before = hex;
        }
        if spent <= stack.factor {
            return Ok(March { steps, pace: Pace::Normal, allowance: stack.factor });
        }
        if steps.len() == 1 {
            return Ok(March { steps, pace: Pace::Minimum, allowance: stack.factor });
        }
        // §8.8: neither the start nor any hex of the way may be next to an enemy.
        let watched = std::iter::once(stack.from).chain(path.iter().copied()).find(|hex| self.is_watched(&lay, *hex));
        let allowance =
            if watched.is_none() { stack.factor * self.data().tables.movement.column_factor } else { stack.factor };
        // What the refusal names: the enemy that bars column movement, where that would have sufficed.
        let column = spent <= stack.factor * self.data().tables.movement.column_factor;
        let clause = match watched {
            Some(hex) if column && hex == stack.from => "8.8b",
            Some(hex) if column && path.last() == Some(&hex) => "8.8d",
            Some(_) if column => "8.8c",
            _ => "8.1b",
        };
        let mut sum = 0;
        for (index, paid) in steps.iter().enumerate() {
            sum += paid.cost;
            if sum > allowance {
                let at = if index == 0 { stack.from } else { steps.get(index - 1).map_or(stack.from, |p| p.hex) };
                let what = format!(
                    "the march runs out in {at}: {} of {allowance} movement points are spent and {} costs {} ({})",
                    sum - paid.cost,
                    paid.hex,
                    paid.cost,
                    paid.why
                );
                let remedy = match watched {
                    Some(hex) => {
                        format!("stop in {at}; column movement is barred because {hex} is next to an enemy (§8.8)")
                    }
                    None => format!("stop in {at}; even column movement allows no more"),
                };
                return Err(MarchFault { index, clause: Clause(clause), what, remedy });
            }
        }
        Ok(March { steps, pace: Pace::Column, allowance })
    }
}

impl Play<'_, '_> {
    /// II.1.a and II.1.b, steps of the one US Movement Phase that begins with the landings (§2.1h, §5.3a).
    pub fn us_steps(&mut self, orders: &TurnOrders) -> Ruling<()> {
        self.begin_step("us", "cuban-move", PhaseName::CubanMovement);
        self.move_stacks(Force::Cuban, orders)?;
        self.begin_step("us", "move", PhaseName::UsMovement);
        self.move_stacks(Force::Us, orders)?;
        self.check_stacking()
    }

    /// Carries out the moves of a force, in the order of the list.
    pub fn move_stacks(&mut self, force: Force, orders: &TurnOrders) -> Ruling<()> {
        let mut moved = BTreeSet::new();
        for order in &orders.moves {
            if order.units.first().and_then(|id| self.now().force(*id)) == Some(force) {
                self.move_stack(force, order, &mut moved)?;
            }
        }
        Ok(())
    }

    fn move_stack(&mut self, force: Force, order: &MoveOrder, moved: &mut BTreeSet<UnitId>) -> Ruling<()> {
        // §8.1f: each unit moves once per phase; one that cannot move drops out, the others go on.
        let mut movers = Vec::new();
        let hex = order.units.iter().find_map(|id| self.state.hex_of(*id));
        for id in &order.units {
            // §8.7f: a balloon goes up without a march too, also on the day of the landing.
            let alone = match order.path.is_empty() {
                true => self.now().together(&[*id]).map(drop),
                false => self.now().stack(&[*id]).map(drop),
            };
            if !moved.insert(*id) {
                self.lapse(&[*id], "8.1f", format!("{id} has moved already"));
            } else if let Err((clause, why)) = alone {
                self.lapse(&[*id], clause.0, why);
            } else if self.state.hex_of(*id) != hex || self.now().force(*id) != Some(force) {
                self.lapse(&[*id], "8.1f", format!("{id} does not stand with the others"));
            } else {
                movers.push(*id);
            }
        }
        let Some(from) = hex.filter(|_| !movers.is_empty()) else { return Ok(()) };
        let signals = movers.iter().copied().find(|id| self.now().kind(*id) == Some(UnitKind::Signals));
        if signals.is_some() && self.state.balloon && (!order.path.is_empty() || order.balloon == Some(Balloon::Down)) {
            self.set_balloon(false, from); // §8.7f: back to the ground before it moves
        }
        if !order.path.is_empty() {
            self.march_stack(force, movers, from, order)?;
        }
        if let (Some(id), Some(mode)) = (signals, order.balloon)
            && let Some(at) = self.state.hex_of(id)
            && (mode == Balloon::Up) != self.state.balloon
        {
            self.set_balloon(mode == Balloon::Up, at);
        }
        Ok(())
    }

    fn set_balloon(&mut self, up: bool, at: Hex) {
        self.state.balloon = up;
        self.umpire.note(Event::Balloon { up, at });
    }

    fn march_stack(&mut self, force: Force, movers: Vec<UnitId>, from: Hex, order: &MoveOrder) -> Ruling<()> {
        let now = self.now();
        let Ok(mut stack) = now.stack(&movers) else { return Ok(()) };
        // A path that has become illegal is followed to its last legal hex.
        let mut path = order.path.clone();
        let mut cut = None;
        let march = loop {
            match now.march(&stack, &path) {
                Ok(march) => break march,
                Err(fault) => {
                    path.truncate(fault.index);
                    cut = Some(fault);
                }
            }
        };
        let beside_cubans = force == Force::Us && self.cubans_beside(from);
        let column = march.pace == Pace::Column;
        let mut leg = Leg { at: from, from, paid: Vec::new(), taken: Vec::new(), spent: 0 };
        let mut steps = march.steps.into_iter();
        while let Some(paid) = steps.next() {
            let (left_hex, hex) = (leg.at, paid.hex);
            let last = steps.len() == 0;
            if order.stop_short && self.now().full_ahead(force, &stack.units, left_hex, hex, last) {
                self.tell_leg(&stack, &mut leg, march.pace, march.allowance);
                let (at, why) = (leg.at, format!("{hex} is full"));
                self.umpire.note(Event::MarchCut { units: stack.units, at, why, clause: Clause("5.3b") });
                return Ok(());
            }
            leg.spent += paid.cost;
            leg.at = hex;
            leg.paid.push(paid);
            let mut base = false;
            for id in &stack.units {
                base |= self.place(*id, hex, &mut leg.taken);
            }
            let jungle = force == Force::Us && self.now().jungle_roll_due(left_hex, hex);
            let stays: Vec<UnitId> =
                stack.units.iter().copied().filter(|id| order.leave.get(id) == Some(&hex)).collect();
            let lone = self.now().lone_leaders();
            if jungle || last || base || !stays.is_empty() || !lone.is_empty() {
                self.tell_leg(&stack, &mut leg, march.pace, march.allowance);
            }
            if base {
                return self.end_game(Ending::BaseCaptured);
            }
            self.relocate_all(lone)?;
            // §6.2e: a leader who has to join the nearest friends marches no farther.
            stack.units.retain(|id| self.state.hex_of(*id) == Some(hex));
            if stack.units.is_empty() {
                return Ok(());
            }
            if jungle {
                let result = self.jungle_roll(&stack, left_hex, hex, beside_cubans)?;
                if result == Jungle::Halt {
                    return Ok(());
                }
                if result == Jungle::SpanishMoves {
                    let left = march.allowance.saturating_sub(leg.spent);
                    return self.lead_astray(&stack, hex, left, column);
                }
            }
            if !stays.is_empty() && !last {
                stack.units.retain(|id| !stays.contains(id));
                self.umpire.note(Event::LeftBehind { units: stays, at: hex });
                if stack.units.is_empty() {
                    return Ok(());
                }
            }
        }
        if let Some(fault) = cut {
            let at = leg.at;
            self.umpire.note(Event::MarchCut { units: stack.units, at, why: fault.what, clause: fault.clause });
        }
        Ok(())
    }

    /// Tells the march so far, then the hexes it took.
    fn tell_leg(&mut self, stack: &Stack, leg: &mut Leg, pace: Pace, allowance: u32) {
        let path = std::mem::take(&mut leg.paid);
        if path.is_empty() {
            return;
        }
        let event = Event::Marched {
            force: stack.force,
            units: stack.units.clone(),
            from: leg.from,
            path,
            spent: leg.spent,
            allowance,
            pace,
        };
        leg.from = leg.at;
        self.umpire.note(event);
        self.note_all(std::mem::take(&mut leg.taken));
    }
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

/// The side that is not this one.
pub fn opponent(side: Side) -> Side {
    if side == SPAIN { super::US } else { SPAIN }
}
