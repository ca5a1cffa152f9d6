//! Reorganizations by chance (A.3), and what they make of the table.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::Concealed;

use super::super::orders::{DetachOrder, LogisticsOrder, ModeOrder, Reorganize};
use super::super::position::fallen;
use super::super::setup::{detachments, parts_of};
use super::super::state::Place;
use super::super::terms::{Content, EventName, Force, Member, Mode, Piece, UnitKind};
use super::super::{SPAIN, US};
use super::Player;

impl Player<'_> {
    /// A.3: what is legal as far as the player sees.
    pub(super) fn reorganize(&mut self) -> Reorganize {
        let mut orders = Reorganize::default();
        let data = &self.game.data;
        let side = self.side;
        let before = self.state.clone();
        let near = self.now().train_hexes(side);
        let free = self.now().free_trains(side);
        if let (Some(unit), true) = (free.first().copied(), self.chance.one_in(3))
            && let Some(at) = self.chance.pick(&near).copied()
        {
            let waits = side == SPAIN && self.chance.one_in(4);
            let if_event = if waits { vec![EventName::Nothing] } else { Vec::new() };
            orders.logistics.push(LogisticsOrder { at, unit: Some(unit), if_event, if_oos: None });
        }
        if self.chance.one_in(3) {
            let able = self.now().splittable(side);
            if let Some(unit) = self.chance.pick(&able).copied() {
                let (count, kind) = data.unit(unit).and_then(parts_of).unwrap_or((1, UnitKind::Infantry));
                let now = self.now();
                let into: Vec<Piece> = detachments(data, kind)
                    .filter(|id| now.state.unit(*id).at == Place::Off && now.under(*id).is_none())
                    .take(count)
                    .collect();
                if into.len() == count {
                    orders.detach.push(DetachOrder { unit, into, if_event: Vec::new(), if_oos: None });
                }
            }
        }
        if self.game.options.columns && self.chance.one_in(3) {
            self.regroup(&mut orders);
        }
        // Whoever is not where something else is done; all of a hex together.
        let pieces = orders.join.iter().chain(&orders.dissolve).chain(orders.columns.keys());
        let pieces = pieces.chain(orders.detach.iter().map(|entry| &entry.unit));
        let mut done: BTreeSet<Hex> = pieces.filter_map(|piece| before.hex_of(*piece)).collect();
        done.extend(orders.form.values().copied().chain(orders.logistics.iter().map(|entry| entry.at)));
        let now = self.now();
        let mut by_hex: BTreeMap<Hex, Vec<ModeOrder>> = BTreeMap::new();
        for (unit, mode) in now.mode_orders(side) {
            if let Some(hex) = now.state.hex_of(unit).filter(|hex| now.mode(unit) != mode && !done.contains(hex)) {
                let here = by_hex.entry(hex).or_default();
                // Where both ways to deploy alike are open it is one of them (§11.1b).
                if here.first().is_none_or(|first| first.mode == mode) {
                    here.push(ModeOrder { unit, mode, if_event: Vec::new(), if_oos: None });
                }
            }
        }
        orders.modes = by_hex.into_values().filter(|_| self.chance.one_in(4)).flatten().collect();
        for entry in &orders.modes {
            if side == SPAIN {
                continue;
            }
            if let Some(counter) = self.state.counters.get_mut(&entry.unit) {
                counter.mode = Some(entry.mode);
            } else if let Some(unit) = self.state.units.get_mut(&entry.unit) {
                unit.mode = Some(entry.mode);
            }
        }
        if side == US {
            for entry in &orders.logistics {
                if let Some(unit) = entry.unit.and_then(|id| self.state.units.get_mut(&id)) {
                    unit.at = Place::At(entry.at);
                }
            }
        }
        orders
    }

    /// Forms a counter, puts units of the same hex under one, or dissolves one.
    fn regroup(&mut self, orders: &mut Reorganize) {
        let data = &self.game.data;
        let side = self.side;
        let now = self.now();
        let own: Vec<Piece> =
            self.known.0.keys().copied().filter(|name| now.state.counters.contains_key(name)).collect();
        let dissolvable = now.dissolvable(side);
        let turn = self.chance.below(3);
        let now = self.now();
        let pairs: Vec<(Piece, Piece)> = own
            .iter()
            .flat_map(|a| own.iter().map(move |b| (*a, *b)))
            .filter(|(a, b)| a < b && now.state.hex_of(*a) == now.state.hex_of(*b) && now.mode(*a) == now.mode(*b))
            .filter(|(a, b)| now.force(*a) == now.force(*b))
            .collect();
        match turn {
            0 => {
                let Some(name) = self.chance.pick(&dissolvable).copied() else { return };
                orders.dissolve.push(name);
            }
            1 => {
                // Two counters of one hex change what they hold.
                let Some((a, b)) = self.chance.pick(&pairs).copied() else { return };
                let now = self.now();
                let after = |name: Piece| match self.known.0.get(&name) {
                    Some(Content::Units(_)) => Content::Units(
                        now.members(name)
                            .unwrap_or_default()
                            .into_iter()
                            .map(|(unit, steps)| Member::with(unit, steps))
                            .collect(),
                    ),
                    _ => Content::Dummy,
                };
                let (held_a, held_b) = (after(a), after(b));
                orders.columns.insert(a, Concealed::Open(held_b));
                orders.columns.insert(b, Concealed::Open(held_a));
            }
            _ => {
                // A stack goes under a new counter.
                let forces: &[Force] = if side == US { &[Force::Us, Force::Cuban] } else { &[Force::Spanish] };
                let Some(force) = self.chance.pick(forces).copied() else { return };
                let real = self.known.0.iter().filter(|(name, content)| {
                    Piece::counter_force(name.as_str()) == Some(force) && !content.is_dummy()
                });
                if real.count() >= data.containers(force) {
                    return;
                }
                let now = self.now();
                let musters = now.musters(force).into_iter();
                let musters: Vec<(Hex, Vec<Piece>)> = musters
                    .filter(|((_, brigade), _)| !brigade.is_some_and(|brigade| now.has_counter(brigade)))
                    .map(|((hex, _), units)| (hex, units))
                    .collect();
                let Some((hex, mut stack)) = self.chance.pick(&musters).cloned() else { return };
                let now = self.now();
                stack.retain(|piece| !orders.detach.iter().any(|entry| entry.unit == *piece));
                // §14.6c: no more than fits into a hex.
                let (limits, mut sum) = (&data.tables.limits, (0, 0));
                stack.retain(|piece| {
                    let (foot, guns) = now.bulk(*piece, self.state.unit(*piece).steps);
                    let fits = sum.0 + foot <= limits.stack_steps && sum.1 + guns <= limits.stack_guns;
                    if fits {
                        sum = (sum.0 + foot, sum.1 + guns);
                    }
                    fits
                });
                if !stack.iter().any(|piece| now.kind(*piece).is_some_and(UnitKind::is_combat)) {
                    return;
                }
                let name = self.state.next_name(force);
                let members = stack.iter().map(|unit| Member::with(*unit, self.state.unit(*unit).steps)).collect();
                orders.form.insert(name, hex);
                orders.columns.insert(name, Concealed::Open(Content::Units(members)));
                orders.join = stack;
            }
        }
        if side == SPAIN {
            return;
        }
        // The position after it, so that moves can count on it.
        self.apply(orders);
    }

    fn apply(&mut self, orders: &Reorganize) {
        // A110: who was lost under them does not come again.
        for name in orders.columns.keys().chain(&orders.dissolve) {
            let (Some(counter), Some(content)) = (self.state.counters.get(name), self.known.0.get(name)) else {
                continue;
            };
            for unit in fallen(&self.game.data, content, &counter.wounds) {
                self.state.take_off(self.game.data.unit(unit), unit);
            }
        }
        for name in &orders.dissolve {
            let members = self.now().members(*name).unwrap_or_default();
            let Some(counter) = self.state.counters.remove(name) else { continue };
            self.known.0.remove(name);
            for (unit, steps) in members {
                if let Some(now) = self.state.units.get_mut(&unit) {
                    (now.at, now.steps) = (Place::At(counter.at), steps);
                    now.mode = now.mode.map(|_| counter.mode.unwrap_or(Mode::Regular));
                }
            }
        }
        for (name, content) in &orders.columns {
            let Concealed::Open(content) = content else { continue };
            self.known.0.insert(*name, content.clone());
            if let (Some(hex), Some(force)) = (orders.form.get(name), Piece::counter_force(name.as_str())) {
                let mode = self.now().mode_of_new(*hex, force);
                self.lay(*name, force, *hex, false);
                if let Some(counter) = self.state.counters.get_mut(name) {
                    counter.mode = mode;
                }
            }
            if let Some(counter) = self.state.counters.get_mut(name) {
                counter.wounds.clear();
            }
        }
        for unit in &orders.join {
            if let Some(now) = self.state.units.get_mut(unit) {
                now.at = Place::Off;
            }
        }
    }
}
