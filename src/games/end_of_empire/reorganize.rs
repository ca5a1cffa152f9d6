//! A.3: logistic columns, detachments, columns and brigades, and how guerrillas are deployed (§2f, §2g, §13, §14.5.2,
//! §14.6, A88). The US player's order stands in his packet; Spain's was sealed in its last one (A96).

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Concealed, Ruling, Sealed, Side, Subject};

use super::events::{Event, PhaseName};
use super::orders::{LeaveOrder, Reorganize};
use super::play::Play;
use super::position::{Known, Position, after_losses};
use super::setup::{detachments, parts_of, slot_of};
use super::state::{CounterState, Lying, Place, UnitState};
use super::terms::{Content, EventName, Force, Member, Mode, Piece, Setup, Size, UnitKind};
use super::{EndOfEmpire, SPAIN, US};

/// What the contents of a player's counters must be after a reorganization.
struct Regrouping<'r> {
    game: &'r EndOfEmpire,
    /// The counters before, with their marks.
    before: Vec<(Piece, CounterState)>,
    /// The counters after: whose, where, in which mode.
    after: Vec<(Piece, Force, Hex, Option<Mode>)>,
    join: Vec<(Piece, Hex, u8)>,
    leave: Vec<LeaveOrder>,
    /// Units that stand in the open afterwards, by hex, with their steps.
    open: Vec<(Piece, Hex, u8)>,
}

impl Regrouping<'_> {
    /// Is this a regrouping the rules allow: the same units in each hex before and after, marks applied (A88)?
    fn breaks(&self, held: &[Content]) -> Option<&'static str> {
        let data = &self.game.data;
        let (old, new) = held.split_at(self.before.len().min(held.len()));
        type Muster = BTreeMap<Hex, (BTreeMap<Piece, u8>, usize)>;
        let mut was: Muster = BTreeMap::new();
        let mut is: Muster = BTreeMap::new();
        for ((_, counter), content) in self.before.iter().zip(old) {
            let here = was.entry(counter.at).or_default();
            here.0.extend(after_losses(data, content, counter.lost, counter.fever));
            here.1 += usize::from(content.is_dummy());
        }
        for (unit, hex, steps) in &self.join {
            was.entry(*hex).or_default().0.insert(*unit, *steps);
        }
        let mut seen: BTreeSet<Piece> = self.open.iter().map(|(unit, ..)| *unit).collect();
        for ((_, _, hex, _), content) in self.after.iter().zip(new) {
            let here = is.entry(*hex).or_default();
            here.1 += usize::from(content.is_dummy());
            for member in content.members() {
                let full = data.unit(member.unit).map_or(0, |unit| unit.steps);
                if !seen.insert(member.unit) {
                    return Some("14.6a"); // in two places at once
                }
                here.0.insert(member.unit, member.steps.unwrap_or(full));
            }
        }
        for leave in &self.leave {
            let full = data.unit(leave.unit.unit).map_or(0, |unit| unit.steps);
            is.entry(leave.at).or_default().0.insert(leave.unit.unit, leave.unit.steps.unwrap_or(full));
        }
        let hexes: BTreeSet<Hex> = was.keys().chain(is.keys()).copied().collect();
        for hex in hexes {
            let (mut before, dummies) = was.remove(&hex).unwrap_or_default();
            let (after, dummies_now) = is.remove(&hex).unwrap_or_default();
            for made in after.keys().filter(|unit| !before.contains_key(*unit)).copied().collect::<Vec<_>>() {
                // §13: a detachment made under the counter.
                let Some(unit) =
                    data.unit(made).filter(|unit| unit.setup == Setup::Created && unit.size == Size::Detachment)
                else {
                    return Some("A88");
                };
                let gave = before.iter().find(|(parent, steps)| {
                    let parts = data.unit(**parent).and_then(parts_of);
                    let lost = after.get(*parent).copied().unwrap_or(0);
                    parts.is_some_and(|(_, kind)| kind == unit.kind) && lost < **steps
                });
                let Some(parent) = gave.map(|(parent, _)| *parent) else { return Some("13.1a") };
                if unit.kind == UnitKind::Infantry {
                    before.insert(parent, 1);
                } else if let Some(other) = detachments(data, unit.kind)
                    .find(|id| *id != made && after.contains_key(id) && !before.contains_key(id))
                {
                    before.remove(&parent);
                    before.insert(other, unit.steps);
                } else {
                    return Some("13.2a");
                }
                before.insert(made, unit.steps);
            }
            if before != after {
                return Some("A88");
            }
            if dummies != dummies_now {
                return Some("14.7a");
            }
        }
        self.limits(new)
    }

    /// The hex in which a unit joins or leaves a counter.
    fn place_of(&self, unit: Piece) -> Option<Hex> {
        let joins = self.join.iter().find(|(other, ..)| *other == unit).map(|(_, hex, _)| *hex);
        joins.or_else(|| self.leave.iter().find(|leave| leave.unit.unit == unit).map(|leave| leave.at))
    }

    /// Counter limits, brigades, modes and stacking of what lies under the counters now.
    fn limits(&self, new: &[Content]) -> Option<&'static str> {
        let data = &self.game.data;
        let mut brigades: BTreeSet<&str> = BTreeSet::new();
        let mut bulk: BTreeMap<Hex, (u32, u32)> = BTreeMap::new();
        let blank = super::state::State::new(data, false);
        let known = Known::default();
        let now = Position { game: self.game, state: &blank, known: &known };
        for ((_, force, hex, mode), content) in self.after.iter().zip(new) {
            if *content == Content::Units(Vec::new()) {
                return Some("A88");
            }
            for member in content.members() {
                let Some(unit) = data.unit(member.unit).filter(|unit| unit.force == *force && unit.kind.is_piece())
                else {
                    return Some("14.6c");
                };
                if *force == Force::Us && !(unit.kind.is_foot() && unit.formation.is_some()) {
                    return Some("A89"); // §14.6b
                }
                if *mode == Some(Mode::Guerrilla) && unit.kind != UnitKind::Guerrilla {
                    return Some("A89");
                }
                let (foot, guns) = now.bulk(member.unit, member.steps.unwrap_or(unit.steps));
                let sum = bulk.entry(*hex).or_default();
                *sum = (sum.0 + foot, sum.1 + guns);
            }
            if *force == Force::Us {
                let formation = |member: &Member| data.unit(member.unit).and_then(|unit| unit.formation.as_deref());
                let first = content.members().first().and_then(formation);
                if content.members().iter().any(|member| formation(member) != first) {
                    return Some("14.6b");
                }
                if first.is_some_and(|first| !brigades.insert(first)) {
                    return Some("14.6b");
                }
            }
        }
        for force in Force::ALL {
            let real = self.after.iter().zip(new).filter(|((_, of, ..), content)| of == force && !content.is_dummy());
            if real.count() > data.containers(*force) {
                return Some("14.6a");
            }
        }
        None
    }
}

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
    /// A.3 for both players (A96).
    pub fn reorganization(&mut self, orders: &mut super::orders::TurnOrders) -> Ruling<()> {
        self.begin_phase("all", "reorganize", PhaseName::Reorganization);
        // Whatever lies under the player's counters is laid anew, so that nobody sees whether something was touched.
        if self.umpire.foresees() && self.has_counters(US) {
            orders.reorganize.get_or_insert_with(Reorganize::none);
        }
        if let Some(reorganize) = &mut orders.reorganize {
            self.entry(DocPath::root().key("reorganize"), |play| play.reorganize(US, reorganize))?;
        }
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

    /// The contents of a player's closed counters, where this view can read them: for filling in an order.
    fn own_contents(&mut self, side: Side) -> Ruling<Known> {
        let names: Vec<Piece> = self
            .state
            .counters
            .iter()
            .filter(|(_, counter)| counter.force.side() == side)
            .map(|(name, _)| *name)
            .collect();
        let mut known = Known::default();
        for name in names {
            if let Some(sealed) = self.sealed(name) {
                let content = self.umpire.open_or(&sealed, &[], Content::Dummy)?;
                known.0.insert(name, content);
            }
        }
        Ok(known)
    }

    /// Fills in what the author left to the program: free counters, all contents, who joins and leaves.
    fn complete(&mut self, side: Side, orders: &mut Reorganize) -> Ruling<()> {
        let known = self.own_contents(side)?;
        let data = self.data();
        let state = self.state.clone();
        let now = Position { game: self.game, state: &state, known: &known };
        let mut used: BTreeSet<Piece> = orders.logistics.iter().filter_map(|entry| entry.unit).collect();
        used.extend(orders.detach.iter().flat_map(|entry| entry.into.iter().copied()));
        used.extend(
            orders
                .columns
                .values()
                .filter_map(|content| match content {
                    Concealed::Open(content) => Some(content.members().iter().map(|member| member.unit)),
                    Concealed::Sealed(_) => None,
                })
                .flatten(),
        );
        let free = |unit: Piece, used: &BTreeSet<Piece>| {
            state.unit(unit).at == Place::Off && now.under(unit).is_none() && !used.contains(&unit)
        };
        let cl_force = if side == US { Force::Us } else { Force::Spanish };
        for entry in orders.logistics.iter_mut().filter(|entry| entry.unit.is_none()) {
            entry.unit =
                data.of_kind(cl_force, UnitKind::LogisticColumn).map(|unit| unit.id).find(|id| free(*id, &used));
            used.extend(entry.unit);
        }
        for entry in orders.detach.iter_mut().filter(|entry| entry.into.is_empty()) {
            if let Some((count, kind)) = data.unit(entry.unit).and_then(parts_of) {
                entry.into = detachments(data, kind).filter(|id| free(*id, &used)).take(count).collect();
                used.extend(entry.into.iter().copied());
            }
        }
        if orders.columns.is_empty() && orders.form.is_empty() && orders.dissolve.is_empty() && known.0.is_empty() {
            return Ok(());
        }
        // Everything under the counters and what becomes of it.
        let mut steps: BTreeMap<Piece, (u8, Hex)> = BTreeMap::new();
        for name in known.0.keys() {
            let Some(at) = state.hex_of(*name) else { continue };
            steps.extend(now.members(*name).unwrap_or_default().into_iter().map(|(unit, has)| (unit, (has, at))));
        }
        let mut laid: BTreeSet<Piece> = BTreeSet::new();
        for content in orders.columns.values_mut() {
            let Concealed::Open(Content::Units(members)) = content else { continue };
            for member in members {
                laid.insert(member.unit);
                let open = state.unit(member.unit);
                if let (None, Some((has, _))) = (member.steps, steps.get(&member.unit)) {
                    member.steps = Some(*has);
                } else if member.steps.is_none() && open.at.hex().is_some() {
                    // A battalion that gives off a detachment first goes under with what is left of it.
                    let detaches = orders.detach.iter().any(|entry| entry.unit == member.unit);
                    member.steps = Some(if detaches { 1 } else { open.steps });
                }
                if open.at.hex().is_some() && !orders.join.contains(&member.unit) {
                    orders.join.push(member.unit);
                }
                let made = orders.detach.iter().any(|entry| entry.into.contains(&member.unit));
                if made && !orders.join.contains(&member.unit) {
                    orders.join.push(member.unit);
                }
            }
        }
        for (name, content) in &known.0 {
            if orders.columns.contains_key(name) || orders.dissolve.contains(name) {
                continue;
            }
            let members = now.members(*name).unwrap_or_default();
            let kept = match content {
                Content::Dummy => Content::Dummy,
                Content::Units(_) => Content::Units(
                    members
                        .into_iter()
                        .filter(|(unit, _)| !laid.contains(unit))
                        .map(|(unit, has)| Member::with(unit, has))
                        .collect(),
                ),
            };
            if kept == Content::Units(Vec::new()) {
                orders.dissolve.push(*name);
                continue;
            }
            laid.extend(kept.members().iter().map(|member| member.unit));
            orders.columns.insert(*name, Concealed::Open(kept));
        }
        for (unit, (has, at)) in steps {
            let gone = orders.leave.iter().any(|leave| leave.unit.unit == unit);
            if !laid.contains(&unit) && !gone {
                orders.leave.push(LeaveOrder { unit: Member::with(unit, has), at });
            }
        }
        Ok(())
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
            self.umpire.note(Event::Detached { unit: entry.unit, into: entry.into.clone(), at: hex });
        }
    }

    /// Columns and brigades (§14.6, A88): every counter of the player gets a new slot, changed or not.
    fn regroup(&mut self, side: Side, orders: &Reorganize) -> Ruling<()> {
        if orders.columns.is_empty() && orders.dissolve.is_empty() && orders.form.is_empty() {
            return Ok(());
        }
        let data = self.data();
        let turn = self.state.turn;
        let mut bars = Vec::new();
        let key = |key: &str| DocPath::root().key(key);
        if !self.game.options.columns {
            bars.push(Bar::new("A58", "this match is played without columns", "leave it out").part("columns").firm());
        }
        for force in Force::of(side) {
            let mut expected = self.state.numbered.get(force).copied().unwrap_or(0);
            for name in orders.form.keys().filter(|name| Piece::counter_force(name.as_str()) == Some(*force)) {
                expected += 1;
                if *name != Piece::counter(*force, expected) {
                    let remedy = format!("call it {}", Piece::counter(*force, expected));
                    bars.push(
                        Bar::new("A92", format!("{name} is not the next counter"), remedy)
                            .at(key("form").key(name.as_str()))
                            .firm(),
                    );
                }
            }
        }
        for (name, hex) in &orders.form {
            let place = key("form").key(name.as_str());
            let force = Piece::counter_force(name.as_str());
            if force.is_none_or(|force| force.side() != side) {
                bars.push(
                    Bar::new("A92", format!("{name} is no name for a counter of yours"), "write sp-c1, cu-c1 or us-b1")
                        .at(place.clone())
                        .firm(),
                );
            }
            let here = self.now().pieces_in(*hex).any(|piece| self.now().force(piece) == force);
            if !data.is_land(*hex) || !here {
                bars.push(
                    Bar::new("A88", format!("nobody of yours is in {hex}"), "form it where its units are")
                        .at(place)
                        .about([Subject::of(hex)]),
                );
            }
            if !orders.columns.contains_key(name) {
                bars.push(
                    Bar::new("A88", format!("{name} has no content"), "say under `columns` what it holds")
                        .at(key("form").key(name.as_str()))
                        .firm(),
                );
            }
        }
        let owned = |name: &Piece| self.counter(*name).is_some_and(|counter| counter.force.side() == side);
        for name in orders.columns.keys().filter(|name| !owned(name) && !orders.form.contains_key(name)) {
            let why = format!("{name} is no closed counter of yours");
            bars.push(
                Bar::new("A88", why, "name it under `form` first")
                    .at(key("columns").key(name.as_str()))
                    .about([Subject::of(name)]),
            );
        }
        for (index, name) in orders.dissolve.iter().enumerate().filter(|(_, name)| !owned(name)) {
            let why = format!("{name} is no closed counter of yours");
            bars.push(Bar::new("A88", why, "leave it out").at(key("dissolve").index(index)).about([Subject::of(name)]));
        }
        for (index, unit) in orders.join.iter().enumerate() {
            let own = data.unit(*unit).is_some_and(|known| known.force.side() == side && known.kind.is_piece());
            let there = self.state.unit(*unit).at.hex();
            if !own || there.is_none() {
                let why = format!("{unit} does not stand in the open");
                bars.push(
                    Bar::new("A88", why, "name a unit on the open map")
                        .at(key("join").index(index))
                        .about([Subject::of(unit)]),
                );
            }
        }
        for (index, leave) in orders.leave.iter().enumerate() {
            if self.state.unit(leave.unit.unit).at != Place::Off {
                let why = format!("{} is under no counter", leave.unit.unit);
                bars.push(
                    Bar::new("A88", why, "leave it out")
                        .at(key("leave").index(index))
                        .about([Subject::of(leave.unit.unit)]),
                );
            }
        }
        if !bars.is_empty() {
            self.lapse("columns and brigades", bars);
            return Ok(());
        }
        // What there is, and what there will be.
        let mine = |counter: &CounterState| counter.force.side() == side;
        let touched = |name: &Piece| orders.columns.contains_key(name) || orders.dissolve.contains(name);
        let before: Vec<(Piece, CounterState)> = (self.state.counters.iter())
            .filter(|(name, counter)| mine(counter) && touched(name))
            .map(|(name, counter)| (*name, counter.clone()))
            .collect();
        let mut after = Vec::new();
        let mut fresh: Vec<Sealed<Content>> = Vec::new();
        for (name, content) in &orders.columns {
            let Some(force) = Piece::counter_force(name.as_str()) else { continue };
            let old = self.counter(*name);
            let Some(hex) = old.map(|counter| counter.at).or_else(|| orders.form.get(name).copied()) else { continue };
            let mode = match old {
                Some(counter) => counter.mode,
                // Who goes under a new counter keeps his mode.
                None if self.now().clashes(hex, force, Mode::Regular) => Some(Mode::Guerrilla),
                None => (force == Force::Cuban).then_some(Mode::Regular),
            };
            fresh.push(self.umpire.keep(side, slot_of(*name, turn)?, content)?);
            after.push((*name, force, hex, mode));
        }
        let standing = |unit: &Piece| self.state.unit(*unit);
        let join: Vec<(Piece, Hex, u8)> = orders
            .join
            .iter()
            .filter_map(|unit| Some((*unit, standing(unit).at.hex()?, standing(unit).steps)))
            .collect();
        let open: Vec<(Piece, Hex, u8)> = (self.state.units.iter())
            .filter(|(id, _)| {
                data.unit(**id).is_some_and(|unit| unit.force.side() == side) && !orders.join.contains(id)
            })
            .filter_map(|(id, unit)| Some((*id, unit.at.hex()?, unit.steps)))
            .collect();
        let plan = Regrouping { game: self.game, before, after, join, leave: orders.leave.clone(), open };
        let old: Vec<Sealed<Content>> = plan.before.iter().map(|(_, counter)| counter.holds.0.clone()).collect();
        let all: Vec<&Sealed<Content>> = old.iter().chain(&fresh).collect();
        if !self.belated {
            for (clause, why, remedy) in REGROUPING {
                let bar = Bar::new(clause, *why, *remedy).part("columns");
                self.umpire.vouch(&all, bar, |held| plan.breaks(held) != Some(*clause))?;
            }
        } else {
            // Written a packet ago: what has become impossible since lapses, and its owner says so.
            let fits = |held: &[Content]| plan.breaks(held).is_none();
            if !self.umpire.fact_or(&all, &Subject::of("columns"), "regroup", fits, true)? {
                let bar =
                    Bar::new("A88", "it does not fit what has happened since", "").about([Subject::of("columns")]);
                self.umpire.cloud([Subject::of("columns")], &crate::engine::Cloud::Secret("columns".into()));
                self.lapse("columns", vec![bar]);
                return Ok(());
            }
        }
        self.carry_out(side, plan, fresh)
    }

    fn carry_out(&mut self, side: Side, plan: Regrouping<'_>, fresh: Vec<Sealed<Content>>) -> Ruling<()> {
        let mut join = Vec::new();
        for (unit, ..) in &plan.join {
            if let Some(now) = self.state.units.get_mut(unit) {
                *now = UnitState { at: Place::Off, ds: false, oos: false, landed: false, stopped: false, ..*now };
            }
            join.push(*unit);
        }
        let marks: BTreeMap<Hex, (bool, Option<Mode>)> =
            plan.before.iter().map(|(_, counter)| (counter.at, (counter.oos, counter.mode))).collect();
        for (name, _) in &plan.before {
            self.state.counters.remove(name);
        }
        let mut leave = Vec::new();
        for entry in &plan.leave {
            let full = self.data().unit(entry.unit.unit).map_or(0, |unit| unit.steps);
            let needs = self.now().needs_supply(entry.unit.unit);
            if let Some(now) = self.state.units.get_mut(&entry.unit.unit) {
                now.at = Place::At(entry.at);
                now.steps = entry.unit.steps.unwrap_or(full);
                let (oos, mode) = marks.get(&entry.at).copied().unwrap_or_default();
                now.oos = needs && oos;
                now.mode = now.mode.map(|_| mode.unwrap_or(Mode::Regular));
            }
            if self.now().fights(entry.unit.unit) {
                self.take(entry.at, side);
            }
            leave.push(entry.unit.unit);
        }
        let mut counters: BTreeMap<Force, BTreeMap<Piece, Hex>> = BTreeMap::new();
        let supply = self.now().supply_of_side(side);
        for ((name, force, hex, mode), holds) in plan.after.iter().zip(fresh) {
            let before = plan.before.iter().find(|(other, _)| other == name).map(|(_, counter)| counter);
            let mut counter = CounterState::new(*force, *hex, holds.clone(), *mode);
            // A102: by position alone.
            counter.oos = *force != Force::Cuban && !supply.contains(hex);
            let of_hex = |of: &Force, at: &Hex| of == force && at == hex;
            let alone = plan.after.iter().filter(|(_, of, at, _)| of_hex(of, at)).count() == 1
                && plan.before.iter().filter(|(_, old)| of_hex(&old.force, &old.at)).count() == 1;
            if let Some(before) = before {
                counter.oos = before.oos;
                // What was known of the only counter of a hex is still so.
                if alone {
                    (counter.real, counter.since) = (before.real, before.since);
                    let moved = join.iter().chain(&leave).any(|unit| plan.place_of(*unit) == Some(*hex));
                    counter.told = before.told.filter(|_| before.lost + before.fever == 0 && !moved);
                }
            }
            self.state.counters.insert(*name, counter);
            let number = name.as_str().trim_start_matches(force.counter_prefix()).parse().unwrap_or(0);
            let most = self.state.numbered.entry(*force).or_default();
            *most = number.max(*most);
            counters.entry(*force).or_default().insert(*name, *hex);
            self.umpire.whisper_of(&holds, |content| Event::Laid { counter: *name, holds: content.clone() });
        }
        for force in Force::of(side) {
            let of = |unit: &Piece| self.data().unit(*unit).is_some_and(|unit| unit.force == *force);
            let joined: Vec<Piece> = join.iter().copied().filter(of).collect();
            let left: Vec<Piece> = leave.iter().copied().filter(of).collect();
            let counters = counters.remove(force).unwrap_or_default();
            if !counters.is_empty() || !joined.is_empty() || !left.is_empty() {
                self.umpire.note(Event::Reorganized { force: *force, counters, join: joined, leave: left });
            }
        }
        Ok(())
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
            self.umpire.note(Event::ModeSet { unit: entry.unit, mode: entry.mode });
        }
        Ok(())
    }
}

/// What a regrouping vouches for.
const REGROUPING: &[(&str, &str, &str)] = &[
    ("A88", "the units of a hex are not the same before and after", "keep every unit of a hex in that hex"),
    ("14.6a", "a unit is in two places, or there are not so many counters", "name each unit once"),
    ("14.7a", "a dummy appears or vanishes", "keep every dummy of a hex in that hex"),
    ("14.6b", "a brigade holds a regiment of another, or is on the map twice", "keep regiments with their brigade"),
    ("14.6c", "a column holds what is no unit of its force", "name units of the force"),
    (
        "A89",
        "such a unit may not go under this counter",
        "no guns or leaders in brigades; guerrillas in guerrilla apart",
    ),
    ("13.1a", "a detachment comes from no battalion", "reduce a battalion of the same hex"),
    ("13.2a", "a battery makes two detachments", "name both"),
];

/// The slot of Spain's reorganization of a turn.
pub fn next_slot(turn: u32) -> Ruling<crate::engine::Slot> {
    crate::engine::Slot::parse(&format!("sp-next/t{turn}")).map_err(|error| crate::engine::Halt::Bug(error.to_string()))
}
