//! Chapter 12: the Movement Phase, hex by hex, and what Out of Command units must do first (§11.0ah).

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::board::{Bearing, Hex, Step, Stride, march, reach};
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Question, Ruling, Say, Side, Subject};

use super::events::{BrokenBy, Event, Paid, PhaseName};
use super::march::two_ways;
use super::orders::{MoveOrder, TurnOrders};
use super::play::{Play, subjects};
use super::policy::{LEAVE_ZONE, Policy};
use super::position::{Position, enemy};
use super::terms::{Arm, CheckKind, Flag, Mp, Piece};
use super::{SPAIN, US};

/// A Movement Phase under way.
pub struct Begun {
    /// Who has left an enemy zone by which entry of `moves`.
    led: BTreeSet<(usize, Piece)>,
    /// Who digs where.
    digging: Vec<(Piece, Hex)>,
    /// Entries of `entrench` for parts or regiments that only breaking down or reforming brings onto the map.
    later: Vec<(usize, Piece)>,
}

/// A march under way.
struct Walker<'w, 'p, 'u> {
    play: &'w mut Play<'p, 'u>,
    side: Side,
    pieces: Vec<Piece>,
    from: Hex,
    paid: Vec<Paid>,
    /// What the march has brought about, told after it.
    brought: Vec<Event>,
    /// They started in an enemy zone, and somebody heeds it (§5.2j).
    leaving: bool,
    /// Hexes of the path.
    last: usize,
}

impl Walker<'_, '_, '_> {
    /// Tells the march so far.
    fn flush(&mut self) {
        if self.paid.is_empty() || self.pieces.is_empty() {
            return;
        }
        let path = std::mem::take(&mut self.paid);
        let spent = path.iter().map(|paid| paid.cost).sum();
        let from = self.from;
        self.from = path.last().map_or(from, |paid| paid.hex);
        self.play.umpire.note(Event::Moved { units: self.pieces.clone(), from, path, spent });
        let brought = std::mem::take(&mut self.brought);
        self.play.tell(brought);
    }

    /// A hex is entered.
    fn enter(&mut self, stride: Stride<Hex, 2>) -> Ruling<ControlFlow<()>> {
        let hex = stride.to;
        self.paid.push(Paid { hex, cost: stride.cost });
        for piece in &self.pieces {
            self.play.put(*piece, hex);
        }
        self.brought.extend(self.play.settle(self.side, &self.pieces, hex));
        if self.play.finds(self.side, &self.pieces, hex) {
            self.flush();
            self.play.overrun(hex, self.side)?;
        }
        // §5.2k: to go on after leaving a zone each unit checks, in the first hex.
        if self.leaving && stride.at == 1 && self.last > 1 {
            self.flush();
            let mut onward = Vec::new();
            let mut held = Vec::new();
            for piece in self.pieces.clone() {
                let goes = !self.play.now().is_zoned(piece) || self.play.morale(piece, CheckKind::LeaveZone)?;
                if goes { onward.push(piece) } else { held.push(piece) }
            }
            if !held.is_empty() {
                let why = "the check to go on is failed".to_owned();
                self.play.umpire.note(Event::Halted { units: held, at: hex, why, clause: Clause("5.2k") });
            }
            // Nobody leads on who came only with those that stay.
            self.pieces = onward;
        }
        Ok(if self.pieces.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}

impl Play<'_, '_> {
    /// Counters have come into a hex: control, the garrison, and lone leaders found there.
    pub fn arrived(&mut self, side: Side, pieces: &[Piece], hex: Hex) -> Ruling<()> {
        let changes = self.settle(side, pieces, hex);
        self.tell(changes);
        if self.finds(side, pieces, hex) {
            self.overrun(hex, side)?;
        }
        Ok(())
    }

    /// Control and the garrison, once counters are in a hex: what has changed, still to be told.
    fn settle(&mut self, side: Side, pieces: &[Piece], hex: Hex) -> Vec<Event> {
        let taken = self.take(side, pieces, hex);
        taken.into_iter().chain(self.free_garrison()).collect()
    }

    /// Do they find enemy leaders without a unit?
    fn finds(&self, side: Side, pieces: &[Piece], hex: Hex) -> bool {
        let now = self.now();
        let fighting = pieces.iter().any(|piece| now.is_combat(*piece));
        fighting && !now.stack(hex, enemy(side)).is_empty() && !now.held_by(hex, enemy(side))
    }

    /// Tells what has happened.
    pub fn tell(&mut self, events: impl IntoIterator<Item = Event>) {
        for event in events {
            self.umpire.note(event);
        }
    }

    /// The Movement Phase (§12.0).
    pub fn movement_phase(&mut self, side: Side, orders: &mut TurnOrders) -> Ruling<()> {
        let begun = self.begin_movement(side, orders)?;
        let reforms = |order: &MoveOrder| {
            order.reform && order.units.iter().any(|id| self.data().unit(*id).is_some_and(|u| u.arm == Arm::Cavalry))
        };
        self.gathering = orders.moves.iter().any(reforms);
        for (index, order) in orders.moves.iter_mut().enumerate() {
            let at = DocPath::root().key("moves").index(index);
            let led = begun.led.iter().filter(|(entry, _)| *entry == index).map(|(_, unit)| *unit).collect();
            self.entry(at, |play| play.carry_move(side, order, &led))?;
        }
        self.finish_movement(side, begun)
    }

    /// What comes before the first move: balloon, bridges, units that must leave enemy zones, spades.
    pub fn begin_movement(&mut self, side: Side, orders: &TurnOrders) -> Ruling<Begun> {
        self.begin_phase(Some(side), PhaseName::Movement);
        self.moved.clear();
        self.digs.clear();
        self.regrouped.clear();
        if side == US {
            self.balloon(orders.balloon)?;
            self.begin_pontoons(&orders.pontoon);
        }
        let led = self.leave_zones(side, &orders.moves)?;
        let kin_there = |piece: Piece| {
            let now = self.now();
            let parent = now.unit(piece).and_then(|unit| unit.parent);
            let parts = now.unit(piece).into_iter().flat_map(|unit| unit.parts.iter().copied());
            parts.chain(parent).any(|kin| now.state.hex_of(kin).is_some())
        };
        let (later, units) = orders.entrench.iter().copied().enumerate().partition(|(_, unit)| kin_there(*unit));
        let mut digging = Vec::new();
        self.entrench(side, units, &mut digging)?;
        Ok(Begun { led, digging, later })
    }

    /// What comes after the last move.
    pub fn finish_movement(&mut self, side: Side, mut begun: Begun) -> Ruling<()> {
        self.civil_guard(side)?;
        self.entrench(side, begun.later, &mut begun.digging)?;
        self.finish_entrenching(begun.digging);
        self.gathering = false;
        self.check_stacking(side)
    }

    /// One order to move, break down or reform. `led`: who of them has left an enemy zone by it already.
    pub fn carry_move(&mut self, side: Side, order: &mut MoveOrder, led: &BTreeSet<Piece>) -> Ruling<()> {
        if order.units.is_empty() {
            let bar = Bar::new("12.0b", "nobody moves by this order", "name units").part("units").firm();
            self.lapse("move", vec![bar]);
            return Ok(());
        }
        if order.reform && !self.carry_reform(side, order) {
            return Ok(());
        }
        let mut pieces: Vec<Piece> = Vec::new();
        let start = order.units.iter().filter(|piece| !led.contains(piece)).find_map(|piece| self.state.hex_of(*piece));
        // Who writes down the hex he starts from means the way from there.
        if start.is_some() && order.path.first().copied() == start {
            order.path.remove(0);
        }
        let here = start.filter(|_| order.path.is_empty() && order.to == start);
        if here.is_some() {
            order.to = None;
        }
        if let Some(to) = order.to.filter(|_| !order.path.is_empty()) {
            if order.path.last() != Some(&to) {
                self.lapse("move", vec![two_ways(to)]);
                return Ok(());
            }
            order.to = None;
        }
        let still = order.path.is_empty() && order.to.is_none();
        for (index, piece) in order.units.iter().enumerate().filter(|(_, piece)| !led.contains(piece)) {
            let part = DocPath::root().key("units").index(index);
            // Breaking down and reforming may be the end of a move, or come after digging (§5.3e).
            let spent = if still { BTreeSet::new() } else { self.moved.clone() };
            let mut bars = match !still && self.digs.contains(piece) {
                true => {
                    let why = format!("{piece} digs this turn, which takes its whole MF");
                    vec![Bar::new("6.0k", why, "leave it out here or under `entrench`").firm()]
                }
                false if still => self.now().bars_stirring(side, *piece, &spent),
                false => self.now().bars_moving(side, *piece, &spent),
            };
            if bars.is_empty() && self.state.hex_of(*piece) != start {
                let why = format!("{piece} does not start from the same hex");
                bars.push(Bar::new("12.0b", why, "order it apart").about(subjects([*piece])));
            }
            if pieces.contains(piece) {
                bars.push(Bar::new("12.0b", format!("{piece} is named twice"), "name it once").firm());
            }
            match bars.is_empty() {
                true => pieces.push(*piece),
                false => {
                    let bars = bars.into_iter().map(|bar| bar.at(part.clone())).collect();
                    self.lapse(format!("move of {piece}"), bars);
                }
            }
        }
        if pieces.is_empty() {
            return Ok(());
        }
        if still && !order.reform && !order.break_down {
            let bar = match here {
                Some(here) => {
                    let names: Vec<&str> = pieces.iter().map(|piece| piece.as_str()).collect();
                    let stand = if names.len() == 1 { "stands" } else { "stand" };
                    let why = format!("{} {stand} in {here} already", names.join(", "));
                    Bar::new("12.0c", why, "name another hex, or leave the order out").part("to").firm()
                }
                None => Bar::new("12.0c", "the order leads nowhere", "give a `path` or `to`").firm(),
            };
            self.lapse("move", vec![bar]);
            return Ok(());
        }
        if !still {
            self.march_along(side, order, &pieces)?;
        }
        if order.break_down {
            self.carry_break_down(&pieces);
        }
        Ok(())
    }

    fn march_along(&mut self, side: Side, order: &mut MoveOrder, pieces: &[Piece]) -> Ruling<()> {
        let gathering = self.gathering;
        // Where everybody stood at the start decides: nothing but the marchers moves, and who holds back falls out.
        let before = self.state.clone();
        let now = Position { game: self.game, state: &before };
        let Some(marcher) = now.marcher(pieces) else { return Ok(()) };
        let from = marcher.from;
        if let Some(to) = order.to.filter(|_| order.path.is_empty()) {
            match now.way(pieces, to) {
                Some(path) => {
                    order.path = path;
                    order.to = None;
                }
                None => {
                    let why = format!("{} cannot be reached from {from}", self.data().describe(to));
                    let about: Vec<Subject> = subjects(pieces.iter().copied());
                    let remedy = "`garcia reach` shows where it can go";
                    let bar = Bar::new("12.0d", why, remedy).part("to").about(about);
                    self.lapse(format!("move of {}", pieces[0]), vec![bar]);
                    return Ok(());
                }
            }
        }
        let (bars, steps) = now.bars_path(&marcher, pieces, &order.path, gathering);
        let path: Vec<Hex> = std::iter::once(from).chain(order.path.iter().copied().take(steps)).collect();
        let purse = marcher.purse;
        let starts_in_zone = marcher.leaves_zone();
        if let Some(&to) = order.path.last().filter(|to| **to != from && bars.is_empty() && !gathering) {
            self.umpire.listed(|| now.routes(pieces).iter().any(|(hex, ..)| *hex == to));
        }
        // Who stops short is not where he was to be, and neither is anybody he would have met there; where he stops nobody
        // reckoned with him.
        let whole = std::iter::once(&from).chain(&order.path);
        let missed = subjects(pieces.iter().copied()).into_iter().chain(whole.skip(steps).map(Subject::of));
        let what = format!("move of {}", pieces[0]);
        self.umpire.forgo(bars, missed.collect(), |bars| Event::not_done(what, bars));
        if steps == 0 {
            return Ok(());
        }
        // §5.6d: a Broken unit moves only after a check.
        let mut goes = Vec::new();
        for piece in pieces.iter().copied() {
            self.moved.insert(piece);
            if self.state.unit(piece).broken && !self.morale(piece, CheckKind::Move)? {
                let why = "it is Broken and fails its check".to_owned();
                self.umpire.note(Event::Halted { units: vec![piece], at: from, why, clause: Clause("5.6d") });
                continue;
            }
            goes.push(piece);
        }
        if goes.is_empty() {
            return Ok(());
        }
        let grid = &self.data().grid;
        let last = path.len() - 1;
        let count = goes.len();
        let all = if count == pieces.len() { Some(marcher) } else { now.marcher(&goes) };
        let Some(all) = all.map(|marcher| marcher.with_purse(purse)) else { return Ok(()) };
        let mut walker = Walker {
            play: self,
            side,
            pieces: goes,
            from,
            paid: Vec::new(),
            brought: Vec::new(),
            leaving: starts_in_zone,
            last,
        };
        march(
            grid,
            &mut walker,
            &path,
            purse,
            |walker, a, _: Bearing, b| match walker.pieces.len() == count {
                true => all.step(a, b),
                false => match now.marcher(&walker.pieces) {
                    Some(marcher) => marcher.with_purse(purse).step(a, b),
                    None => Step::Barred(Bar::new("12.0b", "nobody is left", "").firm()),
                },
            },
            Walker::enter,
        )?;
        walker.flush();
        Ok(())
    }

    /// Units Out of Command leave enemy zones before anything else moves (§11.0ah). Gives who did so by
    /// which entry of `moves`.
    fn leave_zones(&mut self, side: Side, moves: &[MoveOrder]) -> Ruling<BTreeSet<(usize, Piece)>> {
        let mut led: BTreeSet<(usize, Piece)> = BTreeSet::new();
        let now = self.now();
        let units: Vec<(Piece, Hex)> = now.on_map(side).filter(|(id, _)| now.must_leave(*id)).collect();
        for (unit, from) in units {
            let options = self.now().ways_out(side, unit);
            let Some(&default) = options.first() else {
                if !self.state.unit(unit).broken {
                    self.change(unit, |unit| unit.broken = true);
                    self.umpire.note(Event::Broken { units: vec![unit], at: from, by: BrokenBy::NoWayOut });
                }
                continue;
            };
            let goal = |order: &MoveOrder| order.path.iter().copied().find(|hex| *hex != from).or(order.to);
            let one = |order: &MoveOrder| order.path.iter().filter(|hex| **hex != from).count() <= 1;
            let plain = |order: &MoveOrder| !order.break_down && !order.reform && one(order) && goal(order).is_some();
            let said = moves.iter().position(|order| order.units.contains(&unit) && plain(order));
            let ordered = said.and_then(|index| goal(&moves[index])).filter(|hex| options.contains(hex));
            led.extend(said.filter(|_| ordered.is_some()).map(|index| (index, unit)));
            let question = Question {
                who: side,
                kind: LEAVE_ZONE,
                about: Subject::of(unit),
                clause: Clause("11.0ah"),
                text: format!("{unit} is Out of Command in an enemy zone and must leave {from}: where to?"),
                options: options.clone(),
                default,
                also: None,
            };
            let to = self.umpire.ask(question, ordered, |policy| match policy {
                Policy::Hexes(wanted) => {
                    wanted.iter().find(|hex| options.contains(hex)).map_or(Say::Default, |hex| Say::Choose(*hex))
                }
                _ => Say::Default,
            })?;
            // Where it was expected nobody is, and where it goes somebody is in the way.
            self.umpire.rests(&[Subject::of(unit)], subjects(options));
            self.moved.insert(unit);
            self.put(unit, to);
            self.umpire.note(Event::LeftZone { unit, from, to });
            self.arrived(side, &[unit], to)?;
        }
        Ok(led)
    }

    /// A Civil Guard outside the city goes back as far as it can (§17.0.setup-r).
    fn civil_guard(&mut self, side: Side) -> Ruling<()> {
        let now = self.now();
        let outside = |(id, hex): &(Piece, Hex)| now.has(*id, Flag::CivilGuard) && !now.data().city.contains(hex);
        let units: Vec<(Piece, Hex)> = now.on_map(SPAIN).filter(|_| side == SPAIN).filter(outside).collect();
        for (unit, from) in units {
            if self.moved.contains(&unit) || self.state.unit(unit).entered {
                continue;
            }
            let now = self.now();
            let Some(marcher) = now.marcher(&[unit]) else { continue };
            let room = |hex: &Hex| marcher.bars_stopping(&[unit], *hex, false).is_empty();
            let grid = &now.data().grid;
            // A zone on the way only interrupts the march, so the way is sought without halts.
            let step = |a: Hex, _: Bearing, b: Hex| match marcher.step(a, b) {
                Step::PayAndHalt(cost) => Step::Pay(cost),
                other => other,
            };
            let all = reach(grid, from, Mp::MAX, step);
            let goal =
                (now.data().city.iter().copied()).filter(room).filter_map(|hex| Some((all.cost(hex)?, hex))).min();
            let Some(path) = goal.and_then(|(_, hex)| all.path(hex)) else { continue };
            let path: Vec<Hex> = path.into_iter().skip(1).collect();
            let (_, mut steps) = now.bars_path(&marcher, &[unit], &path, false);
            let ooc = self.state.unit(unit).ooc;
            if ooc {
                steps = steps.min(1);
            }
            if steps == 0 {
                continue;
            }
            drop(marcher);
            let path: Vec<Hex> = path.into_iter().take(steps).collect();
            let mut order = MoveOrder { units: vec![unit], path, to: None, reform: false, break_down: false };
            self.march_along(side, &mut order, &[unit])?;
        }
        Ok(())
    }
}

impl Position<'_> {
    /// Is it Out of Command in an enemy zone, which it has to leave (§11.0ah, §11.0ak)?
    pub fn must_leave(&self, unit: Piece) -> bool {
        let now = self.now(unit);
        let zone = |hex: Hex| self.side(unit).is_some_and(|side| self.in_zone_of(hex, enemy(side)));
        now.ooc && !now.entered && !now.waits && self.is_zoned(unit) && now.at.hex().is_some_and(zone)
    }

    /// D19: hexes free of enemy zones that a unit Out of Command can go to, the best first.
    fn ways_out(&self, side: Side, unit: Piece) -> Vec<Hex> {
        let data = self.data();
        let leaders: Vec<Hex> = (self.on_map(side))
            .filter(|(id, _)| self.is_leader(*id) && self.commands(*id, unit))
            .map(|(_, hex)| hex)
            .collect();
        let sources: Vec<Hex> = match side == SPAIN {
            true => data.city.iter().copied().collect(),
            false => vec![data.us_source],
        };
        let goals = if leaders.is_empty() { sources } else { leaders };
        let mut options: Vec<Hex> = self.first_routes(unit).into_iter().map(|(hex, ..)| hex).collect();
        options.retain(|hex| !self.in_zone_of(*hex, enemy(side)));
        let far = |hex: Hex| goals.iter().map(|goal| data.distance(hex, *goal)).min().unwrap_or(0);
        options.sort_by_key(|hex| (far(*hex), *hex));
        options
    }
}
