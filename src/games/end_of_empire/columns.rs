//! §14.6, A88: columns and brigades are formed, exchanged and dissolved within their hexes, and what their owner vouches for.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Concealed, Ruling, Sealed, Side, Subject};

use super::events::{Cause, Event};
use super::orders::{LeaveOrder, Reorganize};
use super::play::Play;
use super::position::{Known, Position, after_losses, fallen};
use super::setup::{detachments, parts_of, slot_of};
use super::state::{CounterState, Place, State, UnitState};
use super::terms::{Content, Flag, Force, Member, Mode, Piece, Setup, Size, UnitKind};
use super::{EndOfEmpire, SPAIN};

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
            here.0.extend(after_losses(data, content, &counter.wounds));
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
            if !seen.insert(leave.unit.unit) {
                return Some("14.6a");
            }
            is.entry(leave.at).or_default().0.insert(leave.unit.unit, leave.unit.steps.unwrap_or(full));
        }
        let hexes: BTreeSet<Hex> = was.keys().chain(is.keys()).copied().collect();
        for hex in hexes {
            let (mut before, dummies) = was.remove(&hex).unwrap_or_default();
            let (after, dummies_now) = is.remove(&hex).unwrap_or_default();
            for made in after.keys().copied() {
                if before.contains_key(&made) {
                    continue;
                }
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
                let Some(parent) = gave.map(|(parent, _)| *parent) else {
                    return Some(if unit.kind == UnitKind::Artillery { "13.2a" } else { "13.1a" });
                };
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
        let blank = State::new(data, false);
        let known = Known::default();
        let now = Position { game: self.game, state: &blank, known: &known };
        for ((_, force, _, mode), content) in self.after.iter().zip(new) {
            let mut bulk = (0, 0);
            if *content == Content::Units(Vec::new()) {
                return Some("A88");
            }
            for member in content.members() {
                let Some(unit) = data.unit(member.unit).filter(|unit| unit.force == *force && unit.kind.is_piece())
                else {
                    return Some("14.6c");
                };
                if !unit.goes_under() || *mode == Some(Mode::Guerrilla) && unit.kind != UnitKind::Guerrilla {
                    return Some("A89");
                }
                let (foot, guns) = now.bulk(member.unit, member.steps.unwrap_or(unit.steps));
                bulk = (bulk.0 + foot, bulk.1 + guns);
            }
            if bulk.0 > data.tables.limits.stack_steps || bulk.1 > data.tables.limits.stack_guns {
                return Some("14.6c");
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

impl<'p> Position<'p> {
    /// Units in the open that may go under one counter: those of a hex, of the US Army those of a brigade in it (§14.6b).
    pub fn musters(&self, force: Force) -> BTreeMap<(Hex, Option<&'p str>), Vec<Piece>> {
        let mut musters: BTreeMap<(Hex, Option<&str>), Vec<Piece>> = BTreeMap::new();
        for piece in self.on_map(force.side()) {
            let unit = self.unit(piece).filter(|unit| unit.force == force && unit.goes_under());
            let (Some(unit), Some(hex)) = (unit, self.state.hex_of(piece)) else { continue };
            let brigade = unit.formation.as_deref().filter(|_| force == Force::Us);
            musters.entry((hex, brigade)).or_default().push(piece);
        }
        musters
    }

    /// How a new counter is deployed: who goes under it keeps his mode.
    pub fn mode_of_new(&self, hex: Hex, force: Force) -> Option<Mode> {
        match self.clashes(hex, force, Mode::Regular) {
            true => Some(Mode::Guerrilla),
            false => (force == Force::Cuban).then_some(Mode::Regular),
        }
    }

    /// Counters that the viewer knows to hold units, so that they can come off the map (A88).
    pub fn dissolvable(&self, side: Side) -> Vec<Piece> {
        let own = |name: &Piece| self.state.counters.get(name).is_some_and(|counter| counter.force.side() == side);
        let real = |content: &Content| !content.is_dummy();
        self.known.0.iter().filter(|(name, content)| own(name) && real(content)).map(|(name, _)| *name).collect()
    }

    /// Names the counters an order is carried out with, where its author left that to the program.
    pub fn name_free_counters(&self, side: Side, orders: &mut Reorganize) {
        let data = self.data();
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
            self.state.unit(unit).at == Place::Off && self.under(unit).is_none() && !used.contains(&unit)
        };
        let cl_force = Force::army(side);
        for entry in orders.logistics.iter_mut().filter(|entry| entry.unit.is_none()) {
            entry.unit =
                data.of_kind(cl_force, UnitKind::LogisticColumn).map(|unit| unit.id).find(|id| free(*id, &used));
            used.extend(entry.unit);
        }
        let mut meant = self.detachments_to_join(orders);
        for entry in orders.detach.iter_mut().filter(|entry| entry.into.is_empty()) {
            if let Some((count, kind)) = data.unit(entry.unit).and_then(parts_of) {
                let named = self.state.hex_of(entry.unit).and_then(|hex| meant.get_mut(&(hex, kind)));
                let named = named.into_iter().flatten();
                let others = detachments(data, kind).filter(|id| free(*id, &used));
                entry.into = named.map(|id| *id).chain(others).take(count).collect();
                used.extend(entry.into.iter().copied());
                meant.values_mut().for_each(|ids| ids.retain(|id| !entry.into.contains(id)));
            }
        }
    }

    /// New detachments that columns are to hold and nobody under a counter gives, by hex and kind: those made in the open of that
    /// hex (§13.1a, §13.2a).
    fn detachments_to_join(&self, orders: &Reorganize) -> BTreeMap<(Hex, UnitKind), Vec<Piece>> {
        let data = self.data();
        let said: BTreeSet<Piece> = orders.detach.iter().flat_map(|entry| entry.into.iter().copied()).collect();
        let waits = |unit: Piece| self.state.unit(unit).at == Place::Off && self.under(unit).is_none();
        let mut named: BTreeMap<(Hex, UnitKind), Vec<Piece>> = BTreeMap::new();
        let mut given: BTreeMap<(Hex, UnitKind), usize> = BTreeMap::new();
        for (name, content) in &orders.columns {
            let at = self.state.counters.get(name).map(|counter| counter.at).or(orders.form.get(name).copied());
            let (Some(hex), Concealed::Open(content)) = (at, content) else { continue };
            for member in content.members() {
                let Some(unit) = data.unit(member.unit) else { continue };
                let made = unit.setup == Setup::Created && unit.size == Size::Detachment;
                if made && waits(unit.id) && !said.contains(&unit.id) {
                    named.entry((hex, unit.kind)).or_default().push(unit.id);
                }
                // A battalion under a counter that is turned over there.
                let has = self.under(unit.id).and_then(|counter| self.members(counter));
                let has = has.and_then(|held| held.iter().find(|(id, _)| *id == unit.id).map(|(_, steps)| *steps));
                if has.is_some_and(|has| member.steps.is_some_and(|steps| steps < has)) {
                    *given.entry((hex, unit.kind)).or_default() += 1;
                }
            }
        }
        for (place, count) in given {
            if let Some(ids) = named.get_mut(&place) {
                ids.drain(..count.min(ids.len()));
            }
        }
        named
    }

    /// Do those a reorganization puts under counters, and the counters it forms and dissolves, stand in these lists?
    fn lists_regrouping(&self, side: Side, orders: &Reorganize) -> bool {
        let musters: Vec<_> = Force::of(side).iter().flat_map(|force| self.musters(*force)).collect();
        let joins = |unit: &Piece| musters.iter().any(|(_, units)| units.contains(unit));
        let forms = |(name, hex): (&Piece, &Hex)| {
            let beside = |other: &CounterState| other.at == *hex && Some(other.force) == self.force(*name);
            musters.iter().any(|((at, _), _)| at == hex) || self.state.counters.values().any(beside)
        };
        let dissolvable = self.dissolvable(side);
        orders.join.iter().all(joins)
            && orders.form.iter().all(forms)
            && orders.dissolve.iter().all(|name| dissolvable.contains(name))
    }
}

impl Play<'_, '_> {
    /// The contents of a player's closed counters, where this view can read them: for filling in an order.
    fn own_contents(&mut self, side: Side) -> Ruling<Known> {
        let names: Vec<Piece> = self
            .state
            .counters
            .iter()
            .filter(|(name, counter)| counter.force.side() == side && !self.is_mislaid(**name))
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
    pub fn complete(&mut self, side: Side, orders: &mut Reorganize) -> Ruling<()> {
        let known = self.own_contents(side)?;
        let state = self.state.clone();
        let now = Position { game: self.game, state: &state, known: &known };
        now.name_free_counters(side, orders);
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
        for LeaveOrder { unit, .. } in orders.leave.iter_mut().filter(|leave| leave.unit.steps.is_none()) {
            unit.steps = steps.get(&unit.unit).map(|(has, _)| *has);
        }
        let leaving: BTreeSet<Piece> = orders.leave.iter().map(|leave| leave.unit.unit).collect();
        let leaves = |unit: &Piece| leaving.contains(unit);
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
                        .filter(|(unit, _)| !laid.contains(unit) && !leaves(unit))
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
        let mut halves = self.halves_made(&state, orders, &steps);
        for (unit, (has, at)) in steps {
            let splits = self.data().unit(unit).is_some_and(|unit| unit.has(Flag::Split));
            if !laid.contains(&unit) && !leaves(&unit) {
                if let Some(made) = halves.get_mut(&at).filter(|made| splits && **made >= 2) {
                    *made -= 2; // §13.2a: it is gone
                    continue;
                }
                orders.leave.push(LeaveOrder { unit: Member::with(unit, has), at });
            }
        }
        Ok(())
    }

    /// How many halves of batteries an order names in a hex that are not there yet, under its counters or coming out from them.
    fn halves_made(
        &self,
        before: &State,
        orders: &Reorganize,
        under: &BTreeMap<Piece, (u8, Hex)>,
    ) -> BTreeMap<Hex, usize> {
        let halves: BTreeSet<Piece> = detachments(self.data(), UnitKind::Artillery).collect();
        let made = |unit: &Piece| {
            let there = before.unit(*unit).at.hex().is_some() || under.contains_key(unit);
            let apart = orders.detach.iter().any(|entry| entry.into.contains(unit));
            halves.contains(unit) && !there && !apart
        };
        let held = orders.columns.iter().filter_map(|(name, content)| match content {
            Concealed::Open(content) => {
                Some((before.hex_of(*name).or(orders.form.get(name).copied())?, content.members().to_vec()))
            }
            Concealed::Sealed(_) => None,
        });
        let held = held.flat_map(|(hex, members)| members.into_iter().map(move |member| (hex, member.unit)));
        let mut count: BTreeMap<Hex, usize> = BTreeMap::new();
        for (hex, _) in
            held.chain(orders.leave.iter().map(|leave| (leave.at, leave.unit.unit))).filter(|(_, unit)| made(unit))
        {
            *count.entry(hex).or_default() += 1;
        }
        count
    }

    /// Columns and brigades (§14.6, A88): every counter of the player gets a new slot, changed or not.
    pub fn regroup(&mut self, side: Side, orders: &Reorganize) -> Ruling<()> {
        let untouched = orders.columns.is_empty() && orders.dissolve.is_empty() && orders.form.is_empty();
        if untouched && orders.join.is_empty() && orders.leave.is_empty() {
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
            let of = |name: &&Piece| Piece::counter_force(name.as_str()) == Some(*force);
            let mut formed: Vec<&Piece> = orders.form.keys().filter(of).collect();
            formed.sort_by_key(|name| (name.as_str().len(), **name)); // by number: sp-c9 before sp-c10
            for name in formed {
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
            // What was laid down for a counter lies there for good, come of it what may: its name is not given again.
            if expected > 0 {
                self.state.numbered.insert(*force, expected);
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
        for (index, name) in orders.dissolve.iter().enumerate().filter(|(_, name)| orders.columns.contains_key(name)) {
            let why = format!("{name} stays, since it is said what it holds");
            let bar = Bar::new("A88", why, "name it under `dissolve` or under `columns`, not under both");
            self.umpire.mind(bar.at(key("dissolve").index(index)));
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
                None => self.now().mode_of_new(hex, force),
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
        let about: Vec<Subject> = (plan.before.iter())
            .flat_map(|(name, counter)| [Subject::of(name), Subject::of(counter.at)])
            .chain(plan.join.iter().flat_map(|(unit, hex, _)| [Subject::of(unit), Subject::of(hex)]))
            .collect();
        if all.is_empty() {
            // Nothing is hidden: the same conditions, judged openly.
            let broken = plan.breaks(&[]);
            let bars = REGROUPING.iter().filter(|(clause, ..)| broken == Some(*clause));
            let bars: Vec<Bar> = bars
                .map(|(clause, why, remedy)| Bar::new(clause, *why, *remedy).part("columns").about(about.clone()))
                .collect();
            if !bars.is_empty() {
                self.lapse("columns", bars);
                return Ok(());
            }
        }
        if self.umpire.foresees() && side == SPAIN {
            // Written ahead, for counters a die or an enemy may yet change: then it is for them to fit (A96).
            let mut bars = Vec::new();
            for (clause, why, remedy) in REGROUPING {
                let breaks = |held: &[Content]| plan.breaks(held) == Some(*clause);
                if self.umpire.fact_or(&all, &Subject::of("columns"), "regroup", breaks, false)? {
                    bars.push(Bar::new(clause, *why, *remedy).part("columns").about(about.clone()));
                }
            }
            if !bars.is_empty() {
                self.lapse("columns", bars);
                return Ok(());
            }
        } else if !self.belated {
            for (clause, why, remedy) in REGROUPING {
                let laid = plan.after.iter().map(|(name, ..)| Subject::of(name));
                let bar = Bar::new(clause, *why, *remedy).part("columns").about(laid);
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
        let stands = self.stands(|now| now.lists_regrouping(side, orders));
        self.look_up(stands);
        self.carry_out(side, plan, fresh)
    }

    /// A110: who was lost under a counter is named when it is laid anew; from then on nobody could tell that he is not waiting
    /// to come.
    fn tell_the_fallen(&mut self, before: &[(Piece, CounterState)]) -> Ruling<()> {
        let data = self.data();
        for (name, counter) in before.iter().filter(|(_, counter)| !counter.wounds.is_empty()) {
            let lost = |held: &[Content]| -> Vec<Piece> {
                held.iter().flat_map(|content| fallen(data, content, &counter.wounds)).collect()
            };
            let units = self.umpire.fact_or(&[&counter.holds.0], &Subject::of(name), "fallen", lost, Vec::new())?;
            if units.is_empty() {
                continue;
            }
            units.iter().for_each(|unit| self.take_off(*unit));
            let steps = vec![0; units.len()];
            self.umpire.note(Event::Eliminated { units, steps, at: counter.at, cause: Cause::Closed });
        }
        Ok(())
    }

    fn carry_out(&mut self, side: Side, plan: Regrouping<'_>, fresh: Vec<Sealed<Content>>) -> Ruling<()> {
        let mut join = Vec::new();
        for (unit, ..) in &plan.join {
            if let Some(now) = self.state.units.get_mut(unit) {
                *now = UnitState { at: Place::Off, ds: false, oos: false, landed: false, stopped: false, ..*now };
            }
            join.push(*unit);
        }
        self.tell_the_fallen(&plan.before)?;
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
        let touched: Vec<Hex> =
            plan.join.iter().map(|(_, hex, _)| *hex).chain(plan.leave.iter().map(|leave| leave.at)).collect();
        self.surprise(touched);
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
                    counter.told = before.told.filter(|_| before.wounds.is_empty() && !moved);
                }
            }
            self.state.counters.insert(*name, counter);
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
}

/// What a regrouping vouches for.
const REGROUPING: &[(&str, &str, &str)] = &[
    ("A88", "the units of a hex are not the same before and after", "keep every unit of a hex in that hex"),
    ("14.6a", "a unit is in two places, or there are not so many counters", "name each unit once"),
    ("14.7a", "a dummy appears or vanishes", "keep every dummy of a hex in that hex"),
    ("14.6b", "a brigade holds a regiment of another, or is on the map twice", "keep regiments with their brigade"),
    (
        "14.6c",
        "a column holds what is no unit of its force, or more than fits into a hex",
        "name units of the force, 12 steps and one gun at most",
    ),
    (
        "A89",
        "such a unit may not go under this counter",
        "no guns or leaders in brigades; guerrillas in guerrilla apart",
    ),
    ("13.1a", "a detachment comes from no battalion", "reduce a battalion of the same hex"),
    ("13.2a", "two detachments come of a battery, which is gone", "name both, and the battery no more"),
];
