//! A.3: logistic columns, detachments, and how guerrillas are deployed (§2f, §2g, §13, §14.5.2); columns and brigades have a
//! chapter of their own. The US player's order stands in his packet; Spain's was sealed in its last one (A96).

use std::collections::BTreeSet;

use crate::board::Hex;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Concealed, Ruling, Side, Subject};

use super::events::{Event, PhaseName};
use super::orders::Reorganize;
use super::play::Play;
use super::position::Position;
use super::setup::{detachments, parts_of, slot_of};
use super::state::{Lying, Place, UnitState};
use super::support::pool_of;
use super::terms::{Content, EventName, Force, Mode, Piece, UnitKind};
use super::{SPAIN, US};

impl Position<'_> {
    /// Where a player can make a logistic column now.
    pub fn train_hexes(&self, side: Side) -> Vec<Hex> {
        let data = self.data();
        let source = if side == US { self.state.base } else { Some(data.santiago) };
        let near = source.into_iter().flat_map(|source| data.land_around(source).chain([source]).collect::<Vec<_>>());
        let mut hexes: Vec<Hex> = near.filter(|hex| self.bars_train(side, *hex).is_empty()).collect();
        hexes.sort_unstable();
        hexes
    }

    /// Why no logistic column can be made in a hex (§14.5.2, A49, A87).
    fn bars_train(&self, side: Side, hex: Hex) -> Vec<Bar> {
        let data = self.data();
        let mut bars = Vec::new();
        let force = Force::army(side);
        if !self.game.options.supply_points {
            bars.push(Bar::new("A58", "this match is played without supply points", "leave it out").firm());
        } else if self.state.points(force) == 0 {
            bars.push(Bar::new("14.5.1d", "no supply point is left", "wait for the next").about([pool_of(force)]));
        }
        let (near, clause, place) = match side {
            US => {
                let beside = self.state.base.is_some_and(|base| data.distance(base, hex) == 1);
                (beside, "14.5.2a", "a hex beside the base")
            }
            _ => (data.distance(data.santiago, hex) <= 1, "14.5.2b", "Santiago or a hex beside it"),
        };
        if !near {
            bars.push(Bar::new(clause, format!("{hex} is not {place}"), format!("name {place}")));
        }
        let strangers = self.pieces_in(hex).any(|piece| self.force(piece) != Some(force));
        if !data.is_land(hex) || strangers {
            bars.push(Bar::new("A87", format!("{hex} is closed to it"), "name a land hex without others"));
        }
        if self.clashes(hex, force, Mode::Regular) {
            let why = format!("units in guerrilla in {hex} share it with no train");
            bars.push(Bar::new("A42c", why, "name another hex"));
        }
        bars
    }

    /// The counters with which a player can make logistic columns (§14.5.1g).
    pub fn free_trains(&self, side: Side) -> Vec<Piece> {
        let force = Force::army(side);
        self.waiting(|unit| unit.force == force && unit.kind == UnitKind::LogisticColumn)
    }

    /// The units in the open that can give off detachments (§13).
    pub fn splittable(&self, side: Side) -> Vec<Piece> {
        self.on_map(side).into_iter().filter(|piece| self.bars_detaching(side, *piece).is_empty()).collect()
    }

    /// Why a unit gives off no detachments, whatever counters are free.
    fn bars_detaching(&self, side: Side, piece: Piece) -> Vec<Bar> {
        let unit = self.unit(piece);
        if side != SPAIN || unit.is_none_or(|unit| unit.force != Force::Spanish) {
            return vec![Bar::new("13a", "only the Spanish make detachments", "leave it out").firm()];
        }
        let now = self.state.unit(piece);
        if unit.and_then(parts_of).is_none() || now.at.hex().is_some() && Some(now.steps) != unit.map(|unit| unit.steps)
        {
            let bar = Bar::new(
                "13.1b",
                format!("{piece} has no detachment to give"),
                "name a battalion at full strength or a battery",
            );
            return vec![bar.about([Subject::of(piece)])];
        }
        if now.at.hex().is_none() {
            let why = format!("{piece} is not on the open map");
            return vec![Bar::new("A97", why, "name a unit on the map").about([Subject::of(piece)])];
        }
        Vec::new()
    }

    /// How the guerrillas of a player can be deployed, if all of a hex are deployed alike.
    pub fn mode_orders(&self, side: Side) -> Vec<(Piece, Mode)> {
        let mut orders = Vec::new();
        for mode in Mode::ALL {
            let mut all = self.on_map(side);
            // Whoever cannot change keeps the others of his hex from it.
            loop {
                let able = all.iter().copied().filter(|piece| self.bars_mode(side, *piece, *mode, &all).is_empty());
                let able: Vec<Piece> = able.collect();
                if able.len() == all.len() {
                    break;
                }
                all = able;
            }
            orders.extend(all.into_iter().map(|piece| (piece, *mode)));
        }
        orders
    }

    /// Why a unit or column is not deployed so, if it and those `with` it are (§11.1, A42a, A89).
    pub fn bars_mode(&self, side: Side, piece: Piece, mode: Mode, with: &[Piece]) -> Vec<Bar> {
        let about = |bar: Bar| bar.about([Subject::of(piece)]);
        let column = |piece: Piece| self.state.counters.contains_key(&piece);
        let guerrilla = |piece: Piece| self.kind(piece) == Some(UnitKind::Guerrilla) || column(piece);
        let force = self.force(piece).filter(|force| force.side() == side && *force != Force::Us);
        let (Some(force), Some(hex), true) = (force, self.state.hex_of(piece), guerrilla(piece)) else {
            let why = format!("{piece} is no guerrilla unit of yours on the map");
            return vec![about(Bar::new("11.1a", why, "name a guerrilla unit"))];
        };
        let mut bars = Vec::new();
        let changes = |other: Piece| guerrilla(other) && with.contains(&other);
        let differs = |other: Piece| other != piece && self.mode(other) != mode && !changes(other);
        let others = self.stack(hex, force).into_iter().any(differs);
        match mode {
            Mode::Guerrilla => {
                if self.data().terrain(hex).bars_guerrillas() {
                    let why = format!("{piece} is in a town or city");
                    bars.push(about(Bar::new("A42a", why, "leave it in regular order")));
                }
                if others {
                    let why = format!("{piece} shares {hex} with units of another kind");
                    bars.push(about(Bar::new("A42a", why, "leave it in regular order")));
                }
                if self.known.0.get(&piece).is_some_and(|content| !self.data().are_guerrillas(content)) {
                    let why = format!("not all units of {piece} are guerrillas");
                    bars.push(about(Bar::new("A89", why, "leave it in regular order")));
                }
            }
            // §11.1b holds for those it leaves behind in guerrilla.
            Mode::Regular if others => {
                let why = format!("others stay in guerrilla in {hex}");
                bars.push(about(Bar::new("11.1b", why, "change them all")));
            }
            Mode::Regular => {}
        }
        bars
    }
}

impl Play<'_, '_> {
    /// A.3 of the player who orders now (A96).
    pub fn us_reorganization(&mut self, orders: &mut super::orders::TurnOrders) -> Ruling<()> {
        self.begin_phase("all", "reorganize", PhaseName::Reorganization);
        // Whatever lies under the player's counters is laid anew, so that nobody sees whether something was touched.
        if self.umpire.foresees() && self.has_counters(US) {
            orders.reorganize.get_or_insert_default();
        }
        if let Some(reorganize) = &mut orders.reorganize {
            self.entry(DocPath::root().key("reorganize"), |play| play.reorganize(US, reorganize))?;
        }
        Ok(())
    }

    /// A.3 that Spain laid down with its last packet (A96). It is opened once everything the US orders vouch for and show
    /// has been said: none of that hangs on it, and whoever signs them cannot look past it.
    pub fn spanish_reorganization(&mut self) -> Ruling<()> {
        if let Some(next) = self.state.next.take() {
            let none = Reorganize::default();
            let mut spanish = self.umpire.open_or(&next.0, &[], none)?;
            self.belated = true;
            self.reorganize(SPAIN, &mut spanish)?;
            self.belated = false;
        }
        Ok(())
    }

    /// Spain's orders for the next A.3 are laid face down; in a check they are judged in the position hoped for.
    pub fn lay_next(&mut self, orders: &mut super::orders::TurnOrders) -> Ruling<()> {
        let turn = self.state.turn + 1;
        if self.umpire.foresees() && self.has_counters(SPAIN) && turn <= self.data().tables.limits.turns {
            orders.next.get_or_insert_with(|| Concealed::Open(Reorganize::default()));
        }
        let Some(next) = &mut orders.next else { return Ok(()) };
        let slot = next_slot(turn)?;
        if let (true, Concealed::Open(reorganize)) = (self.umpire.foresees(), &mut *next) {
            let before = self.state.clone();
            // Nobody knows yet which event it will be.
            (self.state.turn, self.state.event) = (turn, None);
            self.umpire.note(Event::Phase { turn, phase: PhaseName::Reorganization });
            self.entry(DocPath::root().key("next"), |play| play.reorganize(SPAIN, reorganize))?;
            *self.state = before;
        }
        // What lies under the counters stays hidden when the order itself is opened: it moves into slots of its own.
        let mut laid = next.clone();
        if let Concealed::Open(reorganize) = &mut laid {
            for (name, content) in &mut reorganize.columns {
                let inner = self.umpire.keep(SPAIN, slot_of(*name, turn)?, content)?;
                *content = Concealed::Sealed(inner.slot().clone());
            }
        }
        let held = self.umpire.keep(SPAIN, slot, &laid)?;
        self.state.next = Some(Lying(held));
        Ok(())
    }

    fn has_counters(&self, side: Side) -> bool {
        self.state.counters.values().any(|counter| counter.force.side() == side)
    }

    fn holds(&self, if_event: &[EventName], if_oos: Option<Piece>) -> bool {
        let event = if_event.is_empty() || self.state.event.is_some_and(|event| if_event.contains(&event));
        let out = |piece: Piece| match self.counter(piece) {
            Some(counter) => counter.oos,
            None => self.state.unit(piece).oos,
        };
        event && if_oos.is_none_or(out)
    }

    /// One player's A.3.
    pub fn reorganize(&mut self, side: Side, orders: &mut Reorganize) -> Ruling<()> {
        if self.belated {
            // What has been opened since lies under no counter any more.
            let there = |name: &Piece| self.state.counters.contains_key(name) || orders.form.contains_key(name);
            let gone: Vec<Piece> = orders.columns.keys().copied().filter(|name| !there(name)).collect();
            gone.iter().for_each(|name| drop(orders.columns.remove(name)));
        } else if self.umpire.foresees() {
            self.complete(side, orders)?;
        } else if !self.has_counters(side) && orders.columns.is_empty() {
            // Nothing of his lies closed: which counters are free everybody can see.
            self.now().name_free_counters(side, orders);
        }
        let mut listed = self.make_logistics(side, orders);
        listed.extend(self.make_detachments(side, orders));
        self.regroup(side, orders)?;
        // Only now is it said that no counter they use lies under another.
        listed.into_iter().for_each(|stands| self.look_up(stands));
        self.set_modes(side, orders)
    }

    /// §14.5.2, A49, A87.
    fn make_logistics(&mut self, side: Side, orders: &Reorganize) -> Vec<Option<bool>> {
        let mut listed = Vec::new();
        let force = Force::army(side);
        for (index, entry) in orders.logistics.iter().enumerate() {
            if !self.holds(&entry.if_event, entry.if_oos) {
                continue;
            }
            let part = DocPath::root().key("logistics").index(index);
            let mut bars = self.now().bars_train(side, entry.at);
            let unit = entry.unit.filter(|unit| self.now().free_trains(side).contains(unit));
            if unit.is_none() {
                let bar = Bar::new("14.5.1g", "no counter for a logistic column is free", "use one up first");
                let trains = self.data().of_kind(force, UnitKind::LogisticColumn).map(|unit| Subject::of(unit.id));
                bars.push(bar.about(trains));
            }
            let bars: Vec<Bar> = bars.into_iter().map(|bar| bar.at(part.clone())).collect();
            if !bars.is_empty() {
                self.lapse(format!("logistic column in {}", entry.at), bars);
                continue;
            }
            let Some(unit) = unit else { continue };
            let is_it =
                |now: &Position<'_>| now.train_hexes(side).contains(&entry.at) && now.free_trains(side).contains(&unit);
            listed.push(self.stands(is_it));
            if let Some(points) = self.state.supply_points.get_mut(&force) {
                *points = points.saturating_sub(1);
            }
            self.put(unit, entry.at);
            self.surprise([entry.at]);
            let points = self.state.points(force);
            self.umpire.note(Event::LogisticsMade { unit, at: entry.at, points });
        }
        listed
    }

    /// §13, A97: units in the open. What lies under a counter is split by naming its new content.
    fn make_detachments(&mut self, side: Side, orders: &Reorganize) -> Vec<Option<bool>> {
        let data = self.data();
        let mut listed = Vec::new();
        for (index, entry) in orders.detach.iter().enumerate() {
            if !self.holds(&entry.if_event, entry.if_oos) {
                continue;
            }
            let part = DocPath::root().key("detach").index(index);
            let now = self.state.unit(entry.unit);
            let mut bars = self.now().bars_detaching(side, entry.unit);
            let parts = data.unit(entry.unit).and_then(parts_of);
            let free = |id: &Piece| self.state.unit(*id).at == Place::Off;
            let enough = parts.is_some_and(|(count, kind)| {
                let made: BTreeSet<Piece> = entry.into.iter().copied().filter(free).collect();
                made.len() == count && made.iter().all(|id| detachments(data, kind).any(|other| other == *id))
            });
            if parts.is_some() && !enough {
                bars.push(Bar::new("13.1a", "no detachment counter is free", "make fewer detachments"));
            }
            let bars: Vec<Bar> = bars.into_iter().map(|bar| bar.at(part.clone())).collect();
            let Some(hex) = now.at.hex().filter(|_| bars.is_empty()) else {
                self.lapse(format!("detachment of {}", entry.unit), bars);
                continue;
            };
            listed.push(self.stands(|now| now.splittable(side).contains(&entry.unit)));
            for id in &entry.into {
                let steps = data.unit(*id).map_or(1, |unit| unit.steps);
                // Markers go with the detachment (A97).
                self.state.units.insert(*id, UnitState { steps, mode: None, ..now });
            }
            if let Some(unit) = self.state.units.get_mut(&entry.unit) {
                match parts {
                    Some((_, UnitKind::Artillery)) => *unit = UnitState::default(), // §13.2a
                    _ => unit.steps = 1,
                }
            }
            self.surprise([entry.unit]);
            self.umpire.note(Event::Detached { unit: entry.unit, into: entry.into.clone(), at: hex });
        }
        listed
    }

    /// A.3b (§2g, A42a).
    fn set_modes(&mut self, side: Side, orders: &Reorganize) -> Ruling<()> {
        let mut listed = Vec::new();
        for (index, entry) in orders.modes.iter().enumerate() {
            if !self.holds(&entry.if_event, entry.if_oos) {
                continue;
            }
            let with: Vec<Piece> = (orders.modes.iter())
                .filter(|other| other.mode == entry.mode && self.holds(&other.if_event, other.if_oos))
                .map(|other| other.unit)
                .collect();
            let bars = self.now().bars_mode(side, entry.unit, entry.mode, &with);
            if !bars.is_empty() {
                let bars = bars.into_iter().map(|bar| bar.at(DocPath::root().key("modes").index(index))).collect();
                self.lapse(format!("mode of {}", entry.unit), bars);
                continue;
            }
            let Some(hex) = self.state.hex_of(entry.unit) else { continue };
            if let Some(sealed) = self.sealed(entry.unit).filter(|_| entry.mode == Mode::Guerrilla) {
                let bar = Bar::new(
                    "A89",
                    format!("not all units of {} are guerrillas", entry.unit),
                    "leave it in regular order",
                );
                let data = self.data();
                let all = |held: &[Content]| held.iter().all(|content| data.are_guerrillas(content));
                if !self.belated {
                    self.umpire.vouch(&[&sealed], bar, all)?;
                } else if !self.umpire.fact_or(&[&sealed], &Subject::of(entry.unit), "guerrillas", all, true)? {
                    continue;
                }
            }
            listed.push(self.stands(|now| now.mode_orders(side).contains(&(entry.unit, entry.mode))));
            if let Some(counter) = self.state.counters.get_mut(&entry.unit) {
                counter.mode = Some(entry.mode);
            } else if let Some(unit) = self.state.units.get_mut(&entry.unit) {
                unit.mode = Some(entry.mode);
            }
            self.surprise([entry.unit.to_string(), hex.to_string()]);
            self.umpire.note(Event::ModeSet { unit: entry.unit, mode: entry.mode });
        }
        // Only now is it said that those it changes with can.
        listed.into_iter().for_each(|stands| self.look_up(stands));
        Ok(())
    }
}

/// The slot of Spain's reorganization of a turn.
pub fn next_slot(turn: u32) -> Ruling<crate::engine::Slot> {
    crate::engine::Slot::parse(&format!("sp-next/t{turn}")).map_err(|error| crate::engine::Halt::Bug(error.to_string()))
}
