//! Chapter 9: reinforcements over the map edge, and leaders who come back (§13.4g).

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Bearing, Hex, Step, cheapest_path, reach, walk};
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Ruling, Side, Subject};

use super::events::{Event, Paid, PhaseName};
use super::march::{bar_of, two_ways};
use super::orders::{EnterOrder, TurnOrders};
use super::play::{Play, subjects};
use super::position::{Position, enemy};
use super::scenarios::Arrival;
use super::state::{Place, UnitState};
use super::terms::{Arm, Flag, Mp, Piece};

impl<'p> Position<'p> {
    /// The hex over which a counter enters the map (§17.0.us-k, §17.0.escario-h, §16.2e).
    pub fn edge_hex(&self, piece: Piece) -> Option<Hex> {
        let escario = self.has(piece, Flag::Escario) || self.has(piece, Flag::EscarioOnly);
        self.arrival(piece).map(|arrival| arrival.at).or(escario.then(|| self.data().cobre_road))
    }

    /// The list a counter arrives by: a part that fought from the edge by that of its regiment.
    fn arrival(&self, piece: Piece) -> Option<&'p Arrival> {
        let parent = self.unit(piece).and_then(|unit| unit.parent);
        let names =
            |arrival: &&Arrival| [Some(piece), parent].into_iter().flatten().any(|id| arrival.units.contains(&id));
        self.game.scenario_entry().arrivals.iter().find(names)
    }

    /// Is the counter put on the map at no cost, not over the edge (§16.2e, §16.2h)?
    fn is_placed(&self, piece: Piece) -> bool {
        self.arrival(piece).is_some_and(|arrival| arrival.placed)
    }

    /// The entry hex against which a counter at the map edge can fight (§9.0g). Who is put on the map has no edge behind him.
    pub fn edge_front(&self, piece: Piece) -> Option<Hex> {
        self.edge_hex(piece).filter(|_| self.now(piece).at == Place::Edge && !self.is_placed(piece))
    }

    /// Why a counter at the map edge does not fight: it only waits there (§9.0g, D25).
    pub fn bar_at_edge(&self, piece: Piece) -> Option<Bar> {
        let waits = self.edge_front(piece).is_some() && !self.now(piece).engages;
        let why = format!("{piece} waits at the map edge");
        waits.then(|| {
            let bar = Bar::new("9.0g", why, "order it under `enter` to fight from there: `edge: yes`");
            bar.about([Subject::of(piece)])
        })
    }

    /// The hex against which a counter does fight from the map edge.
    pub fn front_of(&self, piece: Piece) -> Option<Hex> {
        self.edge_front(piece).filter(|_| self.now(piece).engages)
    }

    /// A side's counters that fight against a hex from the map edge, as if they stood beside it (§9.0k).
    pub fn facing(&self, hex: Hex, side: Side) -> Vec<Piece> {
        let engaged = self.state.units.iter().filter(|(_, unit)| unit.engages).map(|(id, _)| *id);
        engaged.filter(|id| self.side(*id) == Some(side) && self.front_of(*id) == Some(hex)).collect()
    }

    /// The combat units of a side that are fired at with a hex: who stands there, or who fights against it from the map edge.
    pub fn exposed(&self, hex: Hex, side: Side) -> Vec<Piece> {
        let there = self.fighters(hex, side);
        let beyond = || self.facing(hex, side).into_iter().filter(|piece| self.is_combat(*piece)).collect();
        if there.is_empty() { beyond() } else { there }
    }

    /// The leaders of a side in a hex, or who fight against it from the map edge.
    pub fn leaders_at(&self, hex: Hex, side: Side) -> Vec<Piece> {
        let beyond = self.facing(hex, side).into_iter().filter(|piece| self.is_leader(*piece));
        self.leaders(hex, side).into_iter().chain(beyond).collect()
    }

    /// The leaders of its side where a counter stands, or with whom it fights from the map edge.
    pub fn leaders_with(&self, piece: Piece) -> Vec<Piece> {
        let Some(side) = self.side(piece) else { return Vec::new() };
        match (self.state.hex_of(piece), self.edge_front(piece)) {
            (Some(hex), _) => self.leaders(hex, side),
            (None, Some(hex)) => self.facing(hex, side).into_iter().filter(|id| self.is_leader(*id)).collect(),
            (None, None) => Vec::new(),
        }
    }

    /// A side's counters that wait at the edge, those at the head of the queue first.
    pub fn waiting(&self, side: Side) -> Vec<Piece> {
        let at_edge = |id: &Piece| self.now(*id).at == Place::Edge && self.side(*id) == Some(side);
        let first: Vec<Piece> = self.state.queue.iter().copied().filter(at_edge).collect();
        let rest = self.state.units.keys().copied().filter(|id| at_edge(id) && !first.contains(id));
        first.iter().copied().chain(rest).collect()
    }

    /// The road rate these days (§9.0e).
    fn road_rate(&self) -> Mp {
        self.data().tables.road(self.state.weather)
    }

    /// Why a stack cannot come on in a hex.
    fn bar_coming_on(&self, side: Side, hex: Hex, stack: &[Piece]) -> Option<Bar> {
        let foe = enemy(side);
        let (clause, why) = if self.held_by(hex, foe) {
            ("9.0f", format!("the enemy holds {hex}"))
        } else if !self.stack(hex, foe).is_empty() && !stack.iter().any(|piece| self.is_combat(*piece)) {
            ("12.0h", format!("enemies are in {hex}, and no combat unit goes there"))
        } else if self.mixed(hex, stack) {
            ("15.6l", format!("{hex} holds the other force of the US player"))
        } else if self.too_full(hex, side, stack) {
            ("9.0d", format!("{} would hold too many", self.data().describe(hex)))
        } else {
            return None;
        };
        let there = self.pieces_in(hex).map(Subject::of).chain([Subject::of(hex)]);
        Some(Bar::new(clause, why, "wait until it is free").about(there))
    }

    /// Where a stack may come on (§9.0e, §9.0f): hexes with their cost, for the stack after `before` others.
    fn entries(&self, side: Side, entry: Hex, before: u32, placed: bool, stack: &[Piece]) -> Vec<(Hex, Mp)> {
        let data = self.data();
        let rate = self.road_rate();
        let open = |hex: &Hex| self.bar_coming_on(side, *hex, stack).is_none();
        let dug =
            |hex: Hex| if self.state.entrenchments.contains(&hex) { data.tables.entrenchment() } else { Mp::ZERO };
        let cost = |hex: Hex| match (placed, hex == entry) {
            (true, _) => Some((hex, Mp::ZERO)),
            (false, true) => Some((hex, rate.times(before + 1) + dug(hex))),
            (false, false) => Some((hex, data.hex_cost(hex)? + rate.times(before) + dug(hex))),
        };
        // §16.2k: who is placed goes to an adjacent hex if the hex itself is full, too.
        let beside = if placed { !open(&entry) } else { self.held_by(entry, enemy(side)) };
        let hexes: Vec<Hex> = if beside { data.land_around(entry).collect() } else { vec![entry] };
        hexes.into_iter().filter(open).filter_map(cost).collect()
    }
}

impl Play<'_, '_> {
    /// Reinforcements of a side that are due this turn wait at the edge (§9.0a).
    pub fn announce(&mut self, side: Side) {
        let turn = self.state.turn;
        let mut due: BTreeMap<Hex, Vec<Piece>> = BTreeMap::new();
        for arrival in &self.game.scenario_entry().arrivals {
            for unit in arrival.units.iter().filter(|_| arrival.turn == turn) {
                let fresh = self.state.unit(*unit).at == Place::Off && self.now().side(*unit) == Some(side);
                if fresh && self.state.units.contains_key(unit) {
                    self.change(*unit, |unit| unit.at = Place::Edge);
                    due.entry(arrival.at).or_default().push(*unit);
                }
            }
        }
        for (at, units) in due {
            self.umpire.note(Event::Due { units, at });
        }
    }

    /// The Reinforcement Phase (§9.0).
    pub fn reinforcement_phase(&mut self, side: Side, orders: &mut TurnOrders) -> Ruling<()> {
        self.begin_phase(Some(side), PhaseName::Reinforcement);
        let due = self.now().coming_back(side);
        // Whoever is to join a unit that comes on, or finds nobody before, comes back after it (§13.4g, §9.0b).
        let waits = |leader: &&Piece| match orders.returns.get(leader) {
            Some(with) => self.state.unit(*with).at == Place::Edge,
            None => self.now().default_return(side, **leader).is_none(),
        };
        let late: BTreeSet<Piece> = due.iter().filter(waits).copied().collect();
        let (after, before) = orders.returns.iter().partition(|(leader, _)| late.contains(leader));
        let first = due.into_iter().filter(|leader| !late.contains(leader)).collect();
        self.leaders_return(side, first, &before)?;
        self.release(&orders.release)?;
        self.enter(side, &mut orders.enter)?;
        self.leaders_return(side, late, &after)
    }

    /// A player turn is over: nobody fights from the map edge any more (§9.0g).
    pub fn disengage(&mut self) {
        self.state.units.values_mut().for_each(|unit| unit.engages = false);
    }

    fn enter(&mut self, side: Side, orders: &mut [EnterOrder]) -> Ruling<()> {
        let mut stacks: BTreeMap<Hex, u32> = BTreeMap::new();
        let mut named: BTreeSet<Piece> = BTreeSet::new();
        let mut late: Vec<Piece> = Vec::new();
        for (index, order) in orders.iter_mut().enumerate() {
            let at = DocPath::root().key("enter").index(index);
            self.entry(at, |play| play.enter_stack(side, order, &mut stacks, &mut named, &mut late))?;
        }
        // D24: whoever is not named comes on along the road.
        let rest: Vec<Piece> = self.now().waiting(side).into_iter().filter(|id| !named.contains(id)).collect();
        for mut order in self.now().default_entry(rest) {
            self.default_stack(side, &mut order, &mut stacks, &mut named, &mut late)?;
        }
        let others = std::mem::take(&mut self.state.queue).into_iter().filter(|id| self.now().side(*id) != Some(side));
        self.state.queue = others.chain(late).collect();
        let edge = self.now().waiting(side);
        if !edge.is_empty() {
            self.umpire.note(Event::AtEdge { units: edge });
        }
        Ok(())
    }

    fn enter_stack(
        &mut self,
        side: Side,
        order: &mut EnterOrder,
        stacks: &mut BTreeMap<Hex, u32>,
        named: &mut BTreeSet<Piece>,
        late: &mut Vec<Piece>,
    ) -> Ruling<()> {
        let now = self.now();
        let mut bars = Vec::new();
        let mut units: Vec<Piece> = Vec::new();
        for (index, &piece) in order.units.iter().enumerate() {
            let part = DocPath::root().key("units").index(index);
            let bar = if now.side(piece) != Some(side) {
                Bar::new("9.0a", format!("{piece} is not yours"), "name a unit of your own").firm()
            } else if named.contains(&piece) || units.contains(&piece) {
                Bar::new("9.0a", format!("{piece} is named twice"), "name it once").firm()
            } else if now.now(piece).at != Place::Edge {
                let why = format!("{piece} is no reinforcement of this turn");
                Bar::new("9.0a", why, "name what waits at the map edge").about(subjects([piece]))
            } else {
                units.push(piece);
                continue;
            };
            bars.push(bar.at(part));
        }
        if order.units.is_empty() {
            bars.push(Bar::new("9.0a", "nobody enters by this order", "name units").part("units").firm());
        }
        let entry = units.first().and_then(|id| now.edge_hex(*id));
        if units.iter().any(|id| now.edge_hex(*id) != entry) {
            bars.push(Bar::new("9.0e", "they do not enter in the same place", "order them apart").part("units").firm());
        }
        if now.overstacked(&units, false) {
            bars.push(Bar::new("9.0d", "too many for one stack", "let them enter in several").part("units").firm());
        }
        let queued: Vec<Piece> =
            self.state.queue.iter().copied().filter(|id| !named.contains(id) && !units.contains(id)).collect();
        let ahead = queued.iter().find(|id| now.now(**id).at == Place::Edge && now.side(**id) == Some(side));
        if let Some(first) = ahead.filter(|_| !order.edge && !units.iter().any(|id| self.state.queue.contains(id))) {
            let why = format!("{first} has waited since last turn and enters first");
            bars.push(Bar::new("9.0j", why, "put it at the head of the list"));
        }
        let fights = entry.filter(|entry| order.edge && now.held_by(*entry, enemy(side)));
        let beside: Vec<Piece> =
            fights.into_iter().flat_map(|entry| now.facing(entry, side)).chain(units.iter().copied()).collect();
        if !now.overstacked(&units, false) && now.overstacked(&beside, false) {
            let bar = Bar::new("9.0d", "too many would fight from the map edge as from one hex", "let some wait");
            bars.push(bar.part("units"));
        }
        named.extend(units.iter().copied());
        let Some(entry) = entry.filter(|_| bars.is_empty() && !units.is_empty()) else {
            self.lapse("entry", bars);
            return Ok(());
        };
        if order.edge {
            for unit in units {
                self.change(unit, |unit| unit.engages = fights.is_some()); // §9.0g
            }
            return Ok(());
        }
        self.bring_on(side, order, units, entry, stacks, late)
    }

    /// A stack comes on and marches as far as it is ordered to.
    fn bring_on(
        &mut self,
        side: Side,
        order: &mut EnterOrder,
        units: Vec<Piece>,
        entry: Hex,
        stacks: &mut BTreeMap<Hex, u32>,
        late: &mut Vec<Piece>,
    ) -> Ruling<()> {
        let now = self.now();
        let before = stacks.get(&entry).copied().unwrap_or(0);
        let placed = units.iter().all(|id| now.is_placed(*id));
        let entries = now.entries(side, entry, before, placed, &units);
        let wanted = order.at.or(entries.first().map(|(hex, _)| *hex).filter(|hex| *hex == entry || placed));
        let Some((hex, cost)) = entries.iter().copied().find(|(hex, _)| Some(*hex) == wanted) else {
            let held = now.held_by(entry, enemy(side));
            let bar = |why: String, remedy: &str| Bar::new("9.0f", why, remedy).about([Subject::of(entry)]);
            let bar = match (held, order.at) {
                (true, None) => {
                    bar(format!("the enemy holds {entry}"), "name a hex beside it with `at`, or `edge: yes`")
                }
                (true, Some(at)) => bar(format!("{at} is no free hex beside {entry}"), "name one that is"),
                (false, _) => now
                    .bar_coming_on(side, entry, &units)
                    .unwrap_or_else(|| bar(format!("{entry} is free: reinforcements enter there"), "leave `at` out")),
            };
            self.lapse("entry", vec![bar]);
            return Ok(());
        };
        let purse = Mp::whole(units.iter().filter_map(|id| now.unit(*id)).map(|unit| unit.mf).min().unwrap_or(0));
        let Some(left) = purse.checked_sub(cost) else {
            // §9.0j: at the head of the queue next turn.
            let why = format!("entering as stack {} costs {cost}, more than {purse}", before + 1);
            self.umpire.mind(Bar::new("9.0j", why, "it waits for the next turn"));
            late.extend(units);
            return Ok(());
        };
        // The way on, as if they stood in the hex already.
        let mut state = self.state.clone();
        for unit in &units {
            if let Some(now) = state.units.get_mut(unit) {
                *now = UnitState { at: Place::At(hex), broken: false, ..*now };
            }
        }
        let there = Position { game: self.game, state: &state };
        let Some(marcher) = there.marcher(&units) else { return Ok(()) };
        let halted = units.iter().any(|id| there.is_zoned(*id)) && there.in_zone_of(hex, enemy(side));
        let grid = &self.data().grid;
        let mut bars = Vec::new();
        let waits = units.iter().any(|id| there.now(*id).waits);
        let step = |a: Hex, _: Bearing, b: Hex| -> Step<Bar, 2> {
            if waits {
                let why = format!("{} waits until turn 2", units[0]);
                Step::Barred(Bar::new("16.3c", why, "leave it where it comes on"))
            } else if halted {
                let why = format!("an enemy zone of control stops them in {hex}");
                Step::Barred(Bar::new("9.0j", why, "end there").about([Subject::of(hex)]))
            } else if there.too_full(b, side, &units) {
                // §5.4a: only in the Movement Phase a full hex may be passed.
                let why = format!("{} would hold too many", there.data().describe(b));
                let stack = there.fighters(b, side).into_iter().map(Subject::of);
                Step::Barred(Bar::new("9.0d", why, "end before it").about(stack.chain([Subject::of(b)])))
            } else {
                // Out of its whole MF: who has paid for his entry has no move of one hex left (§12.0f).
                marcher.step(a, b)
            }
        };
        if let Some(to) = order.to.filter(|to| !order.path.is_empty() && order.path.last() != Some(to)) {
            bars.push(two_ways(to));
        } else if let Some(to) = order.to.take().filter(|to| order.path.is_empty() && *to != hex) {
            match cheapest_path(grid, hex, to, left, step) {
                Some((path, _)) => order.path = path.into_iter().skip(1).collect(),
                None => {
                    let why = format!("{} cannot be reached with the {left} left", self.data().describe(to));
                    bars.push(Bar::new("12.0d", why, "name a nearer hex").part("to").about([Subject::of(to)]));
                }
            }
        }
        if order.path.first() == Some(&hex) {
            order.path.remove(0);
        }
        let whole: Vec<Hex> = std::iter::once(hex).chain(order.path.iter().copied()).collect();
        let walked = walk(grid, &whole, left, step);
        bars.extend(walked.fault.as_ref().map(|fault| bar_of(self.data(), fault, &units)));
        let mut steps = walked.steps();
        let stop = |steps: usize| whole.get(steps).copied().unwrap_or(hex);
        let found = marcher.bars_stopping(&units, stop(steps), false);
        let mut stands = found.is_empty();
        while !stands && steps > 0 {
            steps -= 1;
            stands = marcher.bars_stopping(&units, stop(steps), false).is_empty();
        }
        bars.extend(found);
        drop(marcher);
        self.lapse(format!("entry of {}", units[0]), bars);
        if !stands {
            return Ok(());
        }
        stacks.insert(entry, before + 1);
        let mut paid = Vec::new();
        let mut spent = cost;
        for (index, pair) in whole.windows(2).take(steps).enumerate() {
            let last = walked.costs.get(index).copied().unwrap_or(Mp::ZERO);
            let cost = walked.costs.get(index + 1).copied().unwrap_or(last) - last;
            spent += cost;
            paid.push(Paid { hex: pair[1], cost });
        }
        let recovered: Vec<Piece> = units.iter().copied().filter(|unit| self.state.unit(*unit).broken).collect();
        for unit in &units {
            self.change(*unit, |unit| {
                unit.entered = true;
                unit.broken = false; // §9.0b: whoever was Broken as he fought from the edge
            });
        }
        self.umpire.note(Event::Entered { units: units.clone(), at: hex, path: paid, spent });
        self.tell(recovered.into_iter().map(|unit| Event::Recovered { unit, at: hex, entered: true }));
        for hex in whole.into_iter().take(steps + 1) {
            for unit in &units {
                self.put(*unit, hex);
            }
            self.arrived(side, &units, hex)?;
        }
        Ok(())
    }

    /// D24: along the road to the farthest hex with room that no enemy zone bars.
    fn default_stack(
        &mut self,
        side: Side,
        order: &mut EnterOrder,
        stacks: &mut BTreeMap<Hex, u32>,
        named: &mut BTreeSet<Piece>,
        late: &mut Vec<Piece>,
    ) -> Ruling<()> {
        named.extend(order.units.iter().copied());
        let now = self.now();
        let Some(entry) = order.units.first().and_then(|id| now.edge_hex(*id)) else { return Ok(()) };
        let placed = order.units.iter().all(|id| now.is_placed(*id));
        let before = stacks.get(&entry).copied().unwrap_or(0);
        let entries = now.entries(side, entry, before, placed, &order.units);
        let Some(&(hex, cost)) = entries.first().filter(|(hex, _)| placed || *hex == entry) else { return Ok(()) };
        let purse = Mp::whole(order.units.iter().filter_map(|id| now.unit(*id)).map(|unit| unit.mf).min().unwrap_or(0));
        let Some(left) = purse.checked_sub(cost) else {
            late.extend(order.units.iter().copied());
            return Ok(());
        };
        let goal = if placed { Some(hex) } else { now.farthest_on_road(side, &order.units, hex, left) };
        let Some(goal) = goal else { return Ok(()) };
        order.at = (hex != entry).then_some(hex);
        order.to = Some(goal);
        let units = order.units.clone();
        self.bring_on(side, order, units, entry, stacks, late)
    }

    /// Leaders whose time has come are placed with somebody in supply (§13.4g, §13.4l, D13).
    fn leaders_return(&mut self, side: Side, due: BTreeSet<Piece>, orders: &BTreeMap<Piece, Piece>) -> Ruling<()> {
        for (leader, with) in orders {
            self.entry(DocPath::root().key("returns").key(leader.as_str()), |play| {
                let now = play.now();
                let mut bars = Vec::new();
                if !due.contains(leader) {
                    let why = format!("{leader} does not come back this turn");
                    bars.push(Bar::new("13.4l", why, "leave it out").firm());
                } else if !now.may_receive(side, *leader, *with) {
                    let why = format!("{with} is no unit in supply that {leader} may join");
                    bars.push(Bar::new("13.4g", why, "name a friendly combat unit in supply").about(subjects([*with])));
                }
                play.lapse(format!("return of {leader}"), bars);
                Ok(())
            })?;
        }
        for leader in due {
            let now = self.now();
            let said = orders.get(&leader).copied().filter(|with| now.may_receive(side, leader, *with));
            let with = said.or_else(|| now.default_return(side, leader));
            let at = with.and_then(|unit| self.state.hex_of(unit));
            if let Some(hex) = at {
                self.state.wounded.remove(&leader);
                self.change(leader, |unit| *unit = UnitState { entered: true, ..UnitState::at(Place::At(hex)) });
                let freed = self.free_garrison();
                self.tell(freed);
            }
            self.umpire.note(Event::LeaderBack { leader, with, at });
        }
        Ok(())
    }
}

impl Position<'_> {
    /// The leaders of a side whose time has come (§13.4l).
    fn coming_back(&self, side: Side) -> BTreeSet<Piece> {
        let due = self.state.wounded.iter().filter(|(_, back)| **back <= self.state.turn);
        due.map(|(id, _)| *id).filter(|id| self.side(*id) == Some(side)).collect()
    }

    /// May a leader come back with this unit (§13.4g)?
    pub fn may_receive(&self, side: Side, leader: Piece, unit: Piece) -> bool {
        let now = self.now(unit);
        let same = self.unit(leader).map(|unit| unit.force) == self.unit(unit).map(|unit| unit.force);
        self.side(unit) == Some(side) && self.is_combat(unit) && now.at.hex().is_some() && now.oos.is_none() && same
    }

    /// D13: one he may command, nearest to the enemy; else the first.
    fn default_return(&self, side: Side, leader: Piece) -> Option<Piece> {
        let foes: Vec<Hex> =
            self.on_map(enemy(side)).filter(|(id, _)| self.is_combat(*id)).map(|(_, hex)| hex).collect();
        let far = |hex: Hex| foes.iter().map(|foe| self.data().distance(hex, *foe)).min().unwrap_or(u32::MAX);
        let able: Vec<(Piece, Hex)> = self.on_map(side).filter(|(id, _)| self.may_receive(side, leader, *id)).collect();
        let own = able.iter().filter(|(id, _)| self.commands(leader, *id)).min_by_key(|(id, hex)| (far(*hex), *id));
        own.or(able.first()).map(|(id, _)| *id)
    }

    /// D24: units in id order in full legal stacks, by entry hex; leaders and the Base with the first.
    pub fn default_entry(&self, units: Vec<Piece>) -> Vec<EnterOrder> {
        let mut by_hex: BTreeMap<Hex, Vec<Piece>> = BTreeMap::new();
        for unit in units {
            if let Some(hex) = self.edge_hex(unit) {
                by_hex.entry(hex).or_default().push(unit);
            }
        }
        let mut orders = Vec::new();
        for units in by_hex.into_values() {
            let mut stacks: Vec<Vec<Piece>> = Vec::new();
            let (fighting, others): (Vec<Piece>, Vec<Piece>) = units.into_iter().partition(|id| self.is_combat(*id));
            for unit in fighting {
                let fits = |stack: &Vec<Piece>| {
                    let mut with = stack.clone();
                    with.push(unit);
                    !self.overstacked(&with, false)
                };
                match stacks.last_mut().filter(|stack| fits(stack)) {
                    Some(stack) => stack.push(unit),
                    None => stacks.push(vec![unit]),
                }
            }
            for other in others {
                // The Base keeps to roads, so it comes by itself.
                let alone = self.arm(other) == Some(Arm::Base);
                match stacks.first_mut().filter(|_| !alone) {
                    Some(stack) => stack.push(other),
                    None => stacks.push(vec![other]),
                }
            }
            orders.extend(stacks.into_iter().map(EnterOrder::wait));
        }
        orders
    }

    /// The farthest hex along the road from the entry hex with room and without an enemy zone.
    fn farthest_on_road(&self, side: Side, units: &[Piece], hex: Hex, left: Mp) -> Option<Hex> {
        let data = self.data();
        let mut state = self.state.clone();
        for unit in units {
            if let Some(now) = state.units.get_mut(unit) {
                now.at = Place::At(hex);
            }
        }
        let there = Position { game: self.game, state: &state };
        let marcher = there.marcher(units)?;
        let free = |hex: Hex| !there.in_zone_of(hex, enemy(side));
        let found = reach(&data.grid, hex, left, |a, _: Bearing, b| match marcher.step(a, b) {
            Step::Pay(cost) if data.road_between(a, b) && free(b) && !there.too_full(b, side, units) => Step::Pay(cost),
            _ => Step::Barred(()),
        });
        let stops = |(goal, _): &(Hex, Mp)| free(*goal) && marcher.bars_stopping(units, *goal, false).is_empty();
        found.costs().filter(stops).max_by_key(|(goal, cost)| (*cost, std::cmp::Reverse(*goal))).map(|(goal, _)| goal)
    }
}
