//! Landings and Escario's entry by chance.

use std::collections::BTreeMap;

use crate::board::Hex;

use super::super::orders::ArrivalOrder;
use super::super::state::Place;
use super::super::terms::{Content, Force, Member, Piece};
use super::Player;

impl Player<'_> {
    pub(super) fn landings(&mut self) -> Vec<ArrivalOrder> {
        let data = &self.game.data;
        let mut orders = Vec::new();
        let beaches = self.now().arrival_hexes(Force::Us);
        let Some(first) = self.chance.pick(&beaches).copied() else { return orders };
        let mut left = data.tables.limits.landing;
        let base = data.cast().base.and_then(|id| data.unit(id)?.landing).unwrap_or(6);
        if self.state.base.is_none()
            && left >= base
            && self.chance.one_in(3)
            && let Some(at) = self.now().base_sites().first().copied()
        {
            orders.push(ArrivalOrder { at, units: Vec::new(), holds: None, base: true });
            self.state.base = Some(at);
            left -= base;
        }
        let mut sea = self.now().arriving(Force::Us);
        // A brigade or a dummy under its counter.
        if self.game.options.columns && self.chance.one_in(2) {
            let brigades: Vec<Vec<Piece>> = self.now().brigades_at_sea().into_values().collect();
            let dummy = self.chance.one_in(3) && self.now().dummies_left(Force::Us) > 0;
            let member = |id: &Piece| Member::with(*id, self.state.unit(*id).steps);
            let content = match dummy {
                true => Some(Content::Dummy),
                false => self.chance.pick(&brigades).map(|units| Content::Units(units.iter().map(member).collect())),
            };
            let cost = content.as_ref().map_or(0, |content| data.landing_of(content));
            let room = content.as_ref().is_some_and(|content| self.room(first, content));
            if let Some(content) = content.filter(|_| cost <= left && room) {
                left -= cost;
                sea.retain(|id| !content.members().iter().any(|member| member.unit == *id));
                let name = self.state.next_name(Force::Us);
                orders.push(ArrivalOrder::closed(first, content.clone()));
                self.lay(name, Force::Us, first, true);
                self.known.0.insert(name, content);
            }
        }
        self.chance.shuffle(&mut sea);
        let mut groups: BTreeMap<Hex, Vec<Piece>> = BTreeMap::new();
        for id in sea {
            let Some(unit) = data.unit(id) else { continue };
            let cost = unit.landing_steps(self.state.unit(id).steps);
            let at = if self.chance.one_in(4) { self.chance.pick(&beaches).copied().unwrap_or(first) } else { first };
            let mut stack = self.now().stack(at, Force::Us);
            stack.push(id);
            if cost > left || self.now().overstacked(at, Force::Us, &stack) {
                continue;
            }
            left -= cost;
            groups.entry(at).or_default().push(id);
            if let Some(now) = self.state.units.get_mut(&id) {
                (now.at, now.landed) = (Place::At(at), true);
            }
        }
        orders.extend(groups.into_iter().map(|(at, units)| ArrivalOrder::open(at, units)));
        if self.state.base.is_none()
            && left >= base
            && let Some(at) = self.now().base_sites().first().copied()
        {
            orders.push(ArrivalOrder { at, units: Vec::new(), holds: None, base: true });
            self.state.base = Some(at);
        }
        orders
    }

    pub(super) fn entries(&mut self) -> Vec<ArrivalOrder> {
        let data = &self.game.data;
        let edge = self.now().arrival_hexes(Force::Spanish);
        let mut waiting = self.now().arriving(Force::Spanish);
        let Some(at) = self.chance.pick(&edge).copied().filter(|_| !waiting.is_empty()) else { return Vec::new() };
        if self.chance.one_in(4) {
            waiting.truncate(2);
        }
        let real = self.known.0.values().filter(|content| !content.is_dummy()).count();
        let free = self.now().stack(at, Force::Spanish).is_empty();
        if self.game.options.columns && real < data.containers(Force::Spanish) && free && self.chance.one_in(2) {
            let members = waiting.iter().map(|id| Member::with(*id, self.state.unit(*id).steps)).collect();
            let name = self.state.next_name(Force::Spanish);
            self.lay(name, Force::Spanish, at, false);
            self.known.0.insert(name, Content::Units(members));
            return vec![ArrivalOrder::closed(at, self.known.0.get(&name).cloned().unwrap_or(Content::Dummy))];
        }
        let mut units = Vec::new();
        for id in waiting {
            let now = self.now();
            let mut stack = now.stack(at, Force::Spanish);
            stack.push(id);
            if !now.overstacked(at, Force::Spanish, &stack) {
                units.push(id);
                if let Some(now) = self.state.units.get_mut(&id) {
                    now.at = Place::At(at);
                }
            }
        }
        if units.is_empty() { Vec::new() } else { vec![ArrivalOrder::open(at, units)] }
    }
}
