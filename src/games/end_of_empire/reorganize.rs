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
use super::terms::{Content, EventName, Force, Member, Mode, Piece, UnitKind};
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
        let force = if side == US { Force::Us } else { Force::Spanish };
        if !self.game.options.supply_points {
            bars.push(Bar::new("A58", "this match is played without supply points", "leave it out").firm());
        } else if self.state.points(force) == 0 {
            bars.push(Bar::new("14.5.1d", "no supply point is left", "wait for the next"));
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

    /// The Spanish units in the open that can give off detachments (§13).
    pub fn splittable(&self) -> Vec<Piece> {
        let whole = |piece: &Piece| {
            let steps = self.state.unit(*piece).steps;
            self.unit(*piece).is_some_and(|unit| parts_of(unit).is_some() && steps == unit.steps)
        };
        self.on_map(SPAIN).into_iter().filter(whole).collect()
    }
}

impl Play<'_, '_> {
    /// A.3 of the player who orders now (A96).
    pub fn us_reorganization(&mut self, orders: &mut super::orders::TurnOrders) -> Ruling<()> {
        self.begin_phase("all", "reorganize", PhaseName::Reorganization);
        // Whatever lies under the player's counters is laid anew, so that nobody sees whether something was touched.
        if self.umpire.foresees() && self.has_counters(US) {
            orders.reorganize.get_or_insert_with(Reorganize::none);
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
            let none = Reorganize::none();
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
            orders.next.get_or_insert_with(|| Concealed::Open(Reorganize::none()));
        }
        let Some(next) = &mut orders.next else { return Ok(()) };
        let slot = next_slot(turn)?;
        if let (true, Concealed::Open(reorganize)) = (self.umpire.foresees(), &mut *next) {
            let before = self.state.clone();
            self.state.turn = turn;
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
        }
        self.make_logistics(side, orders);
        self.make_detachments(side, orders);
        self.regroup(side, orders)?;
        self.set_modes(side, orders)
    }

    /// §14.5.2, A49, A87.
    fn make_logistics(&mut self, side: Side, orders: &Reorganize) {
        let data = self.data();
        let force = if side == US { Force::Us } else { Force::Spanish };
        for (index, entry) in orders.logistics.iter().enumerate() {
            if !self.holds(&entry.if_event, entry.if_oos) {
                continue;
            }
            let part = DocPath::root().key("logistics").index(index);
            let mut bars = self.now().bars_train(side, entry.at);
            let unit = entry.unit.filter(|unit| {
                let cl = data.unit(*unit).is_some_and(|u| u.kind == UnitKind::LogisticColumn && u.force == force);
                cl && self.state.unit(*unit).at == Place::Off
            });
            if unit.is_none() {
                bars.push(Bar::new("14.5.1g", "no counter for a logistic column is free", "use one up first"));
            }
            let bars: Vec<Bar> = bars.into_iter().map(|bar| bar.at(part.clone())).collect();
            if !bars.is_empty() {
                self.lapse(format!("logistic column in {}", entry.at), bars);
                continue;
            }
            let Some(unit) = unit else { continue };
            if let Some(points) = self.state.supply_points.get_mut(&force) {
                *points = points.saturating_sub(1);
            }
            self.put(unit, entry.at);
            self.surprise([entry.at]);
            let points = self.state.points(force);
            self.umpire.note(Event::LogisticsMade { unit, at: entry.at, points });
        }
    }

    /// §13, A97: units in the open. What lies under a counter is split by naming its new content.
    fn make_detachments(&mut self, side: Side, orders: &Reorganize) {
        let data = self.data();
        for (index, entry) in orders.detach.iter().enumerate() {
            if !self.holds(&entry.if_event, entry.if_oos) {
                continue;
            }
            let part = DocPath::root().key("detach").index(index);
            let now = self.state.unit(entry.unit);
            let mut bars = Vec::new();
            let unit = data.unit(entry.unit);
            if side != SPAIN || unit.is_none_or(|unit| unit.force != Force::Spanish) {
                bars.push(Bar::new("13a", "only the Spanish make detachments", "leave it out").firm());
            }
            let parts = unit.and_then(parts_of);
            if bars.is_empty()
                && (parts.is_none() || now.at.hex().is_some() && Some(now.steps) != unit.map(|unit| unit.steps))
            {
                let why = format!("{} has no detachment to give", entry.unit);
                bars.push(
                    Bar::new("13.1b", why, "name a battalion at full strength or a battery")
                        .about([Subject::of(entry.unit)]),
                );
            }
            if bars.is_empty() && now.at.hex().is_none() {
                bars.push(
                    Bar::new("A97", format!("{} is not on the open map", entry.unit), "name a unit on the map")
                        .about([Subject::of(entry.unit)]),
                );
            }
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
            for id in &entry.into {
                let steps = data.unit(*id).map_or(1, |unit| unit.steps);
                // Markers go with the detachment (A97).
                self.state.units.insert(*id, UnitState { steps, mode: None, ..now });
            }
            if let Some(unit) = self.state.units.get_mut(&entry.unit) {
                match parts {
                    Some((_, UnitKind::Artillery)) => *unit = UnitState::nowhere(), // §13.2a
                    _ => unit.steps = 1,
                }
            }
            self.surprise([entry.unit]);
            self.umpire.note(Event::Detached { unit: entry.unit, into: entry.into.clone(), at: hex });
        }
    }

    /// A.3b (§2g, A42a).
    fn set_modes(&mut self, side: Side, orders: &Reorganize) -> Ruling<()> {
        for (index, entry) in orders.modes.iter().enumerate() {
            if !self.holds(&entry.if_event, entry.if_oos) {
                continue;
            }
            let now = self.now();
            let mut bars = Vec::new();
            let own = now.force(entry.unit).is_some_and(|force| force.side() == side && force != Force::Us);
            let guerrilla =
                now.kind(entry.unit) == Some(UnitKind::Guerrilla) || self.state.counters.contains_key(&entry.unit);
            let Some(hex) = self.state.hex_of(entry.unit).filter(|_| own && guerrilla) else {
                let why = format!("{} is no guerrilla unit of yours on the map", entry.unit);
                let bar = Bar::new("11.1a", why, "name a guerrilla unit").about([Subject::of(entry.unit)]);
                self.lapse("mode", vec![bar.at(DocPath::root().key("modes").index(index))]);
                continue;
            };
            if entry.mode == Mode::Guerrilla {
                if self.data().terrain(hex).bars_guerrillas() {
                    let why = format!("{} is in a town or city", entry.unit);
                    bars.push(Bar::new("A42a", why, "leave it in regular order").about([Subject::of(entry.unit)]));
                }
                let changes = |piece: Piece| {
                    orders.modes.iter().any(|other| other.unit == piece && other.mode == Mode::Guerrilla)
                };
                let force = now.force(entry.unit).unwrap_or(Force::Cuban);
                let others = now.stack(hex, force).into_iter().any(|piece| {
                    let alike =
                        now.kind(piece) == Some(UnitKind::Guerrilla) || self.state.counters.contains_key(&piece);
                    piece != entry.unit && !now.in_guerrilla(piece) && !(alike && changes(piece))
                });
                if others {
                    let why = format!("{} shares {hex} with units of another kind", entry.unit);
                    bars.push(Bar::new("A42a", why, "leave it in regular order").about([Subject::of(entry.unit)]));
                }
            } else {
                // §11.1b holds for those it leaves behind in guerrilla.
                let changes =
                    |piece: Piece| orders.modes.iter().any(|other| other.unit == piece && other.mode == Mode::Regular);
                let force = now.force(entry.unit).unwrap_or(Force::Cuban);
                let hiding = now
                    .stack(hex, force)
                    .into_iter()
                    .any(|piece| piece != entry.unit && now.in_guerrilla(piece) && !changes(piece));
                if hiding {
                    let why = format!("others stay in guerrilla in {hex}");
                    bars.push(Bar::new("11.1b", why, "change them all").about([Subject::of(entry.unit)]));
                }
            }
            if !bars.is_empty() {
                let bars = bars.into_iter().map(|bar| bar.at(DocPath::root().key("modes").index(index))).collect();
                self.lapse(format!("mode of {}", entry.unit), bars);
                continue;
            }
            if let Some(sealed) = self.sealed(entry.unit).filter(|_| entry.mode == Mode::Guerrilla) {
                let bar = Bar::new(
                    "A89",
                    format!("not all units of {} are guerrillas", entry.unit),
                    "leave it in regular order",
                );
                let data = self.data();
                let all = |held: &[Content]| {
                    let guerrilla =
                        |member: &Member| data.unit(member.unit).is_some_and(|unit| unit.kind == UnitKind::Guerrilla);
                    held.iter().all(|content| content.members().iter().all(guerrilla))
                };
                if !self.belated {
                    self.umpire.vouch(&[&sealed], bar, all)?;
                } else if !self.umpire.fact_or(&[&sealed], &Subject::of(entry.unit), "guerrillas", all, true)? {
                    continue;
                }
            }
            if let Some(counter) = self.state.counters.get_mut(&entry.unit) {
                counter.mode = Some(entry.mode);
            } else if let Some(unit) = self.state.units.get_mut(&entry.unit) {
                unit.mode = Some(entry.mode);
            }
            self.surprise([entry.unit.to_string(), hex.to_string()]);
            self.umpire.note(Event::ModeSet { unit: entry.unit, mode: entry.mode });
        }
        Ok(())
    }
}

/// The slot of Spain's reorganization of a turn.
pub fn next_slot(turn: u32) -> Ruling<crate::engine::Slot> {
    crate::engine::Slot::parse(&format!("sp-next/t{turn}")).map_err(|error| crate::engine::Halt::Bug(error.to_string()))
}
