//! Chapter 10: supply lines, the road net, leaders as relays, and the Out of Supply check.

use std::collections::BTreeSet;

use crate::board::{Bearing, Field, Hex, distance_field};
use crate::engine::{Ruling, Side};

use super::data::Along;
use super::events::{Event, PhaseName};
use super::play::Play;
use super::position::{Crowd, Position, enemy};
use super::state::Place;
use super::terms::{Cause, CheckKind, Flag, Force, Oos, Piece};

/// What a force can trace supply along.
pub struct Net {
    force: Force,
    limit: u32,
    /// Hexes of the road net, and for Spain the city.
    pub net: BTreeSet<Hex>,
    /// What counts as a road.
    along: &'static [Along],
    /// Steps along it from the source.
    roads: Field,
    /// Steps from the net over hexes a line may use.
    field: Field,
    crowd: Crowd,
}

/// How a unit is supplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// A Spanish unit in a fort (§10.0d).
    Fort,
    /// So many hexes to the road or city (§10.0f).
    Direct(u32),
    /// To a leader, and from him to the road (§10.0g).
    Relay(Piece, u32, u32),
}

impl Position<'_> {
    /// May a supply line or road pass through the hex (§5.2n, §10.0h, §10.0i)?
    fn line_passes(&self, crowd: &Crowd, side: Side, hex: Hex) -> bool {
        let (data, foe) = (self.data(), enemy(side));
        data.is_land(hex)
            && !crowd.has(data, hex, Crowd::any_of(foe))
            && (!crowd.has(data, hex, Crowd::zone_of(foe)) || crowd.has(data, hex, Crowd::normal_of(side)))
    }

    /// The sources of a force that supply it now (§10.0k, §10.0l, §5.2n).
    pub fn sources(&self, crowd: &Crowd, force: Force) -> Vec<Hex> {
        let data = self.data();
        let printed: Vec<Hex> = match force {
            Force::Spanish => data.city.iter().copied().collect(),
            _ => vec![data.us_source],
        };
        printed.into_iter().filter(|hex| self.line_passes(crowd, force.side(), *hex)).collect()
    }

    /// What a force can trace along this turn.
    pub fn net(&self, force: Force) -> Net {
        let data = self.data();
        let side = force.side();
        let crowd = self.crowd();
        let squared = self.state.weather.is_squared();
        let limit = data.tables.supply_range(self.state.weather); // §10.0n
        // §7.0l, §10.0o: trails are lost to US units in Poor-squared, to nobody else.
        let along: &'static [Along] =
            if squared && force == Force::Us { &[Along::Road] } else { &[Along::Road, Along::Trail] };
        let passes = |hex: Hex| self.line_passes(&crowd, side, hex);
        let sources = self.sources(&crowd, force);
        let roads = distance_field(&data.grid, sources, |from, bearing: Bearing, to| {
            data.map.leaving(from, bearing).has_any(along) && passes(to)
        });
        let net: BTreeSet<Hex> = roads.iter(&data.grid).map(|(hex, _)| hex).collect();
        let field = distance_field(&data.grid, net.iter().copied(), |_, _, to| passes(to));
        Net { force, limit, net, along, roads, field, crowd }
    }

    /// How far a counter's hex is from the net; its own hex need not be free (AMB-15).
    fn to_net(self, net: &Net, hex: Hex) -> Option<u32> {
        let data = self.data();
        let around = data.land_around(hex).filter_map(|next| net.field.get(&data.grid, next)).map(|steps| steps + 1);
        let here = net.net.contains(&hex).then_some(0);
        around.chain(here).min().filter(|steps| *steps <= net.limit)
    }

    /// How a unit is supplied, if it is.
    pub fn supply_line(&self, net: &Net, unit: Piece) -> Option<Line> {
        let data = self.data();
        let hex = self.state.hex_of(unit)?;
        if net.force == Force::Spanish && data.is_fort(hex) {
            return Some(Line::Fort);
        }
        if let Some(steps) = self.to_net(net, hex) {
            return Some(Line::Direct(steps));
        }
        let side = net.force.side();
        let leaders = self.on_map(side).filter(|(id, _)| self.is_leader(*id) && self.commands(*id, unit));
        for (leader, at) in leaders {
            let Some(onward) = self.to_net(net, at) else { continue };
            let to_leader = if at == hex {
                Some(0)
            } else if !self.line_passes(&net.crowd, side, at) {
                None
            } else {
                let field = self.field_to(net, at);
                data.land_around(hex).filter_map(|next| field.get(&data.grid, next)).map(|steps| steps + 1).min()
            };
            if let Some(steps) = to_leader.filter(|steps| *steps <= net.limit) {
                return Some(Line::Relay(leader, steps, onward));
            }
        }
        None
    }

    /// The hexes a unit's line runs through, from its own to the source; nothing for one that needs none or has none.
    pub fn traced(&self, net: &Net, unit: Piece) -> Vec<Hex> {
        let (data, Some(hex)) = (self.data(), self.state.hex_of(unit)) else { return Vec::new() };
        let mut line = match self.supply_line(net, unit) {
            None | Some(Line::Fort) => return Vec::new(),
            Some(Line::Direct(_)) => vec![hex],
            Some(Line::Relay(leader, ..)) => match self.state.hex_of(leader) {
                Some(at) => self.field_to(net, at).way(&data.grid, hex, |_, _| true),
                None => return Vec::new(),
            },
        };
        let last = line.last().copied().unwrap_or(hex);
        line.extend(net.field.way(&data.grid, last, |_, _| true).into_iter().skip(1));
        let last = line.last().copied().unwrap_or(hex);
        let joined = |from: Hex, to: Hex| data.map.between(to, from).has_any(net.along);
        line.extend(net.roads.way(&data.grid, last, joined).into_iter().skip(1));
        line
    }

    /// Steps to a leader's hex, over hexes that a line to him may use.
    fn field_to(&self, net: &Net, at: Hex) -> Field {
        let data = self.data();
        let passes = |hex: Hex| self.line_passes(&net.crowd, net.force.side(), hex);
        distance_field(&data.grid, [at], |from, _, to| data.distance(at, from) < net.limit && passes(to))
    }

    /// The forces a player runs, each with its own net.
    pub fn forces(side: Side) -> &'static [Force] {
        if side == super::SPAIN { &[Force::Spanish] } else { &[Force::Us, Force::Cuban] }
    }
}

impl Play<'_, '_> {
    /// The Supply Phase of a player (§10.0a).
    pub fn supply_phase(&mut self, side: Side) {
        self.begin_phase(Some(side), PhaseName::Supply);
        let now = self.now();
        let mut supplied: Vec<(Piece, bool)> = Vec::new();
        for force in Position::forces(side) {
            let net = now.net(*force);
            let of = |id: &Piece| now.unit(*id).is_some_and(|unit| unit.force == *force && unit.is_combat());
            let units = now.on_map(side).map(|(id, _)| id).filter(of);
            supplied.extend(units.map(|id| (id, now.supply_line(&net, id).is_some())));
        }
        let (mut oos1, mut oos2, mut back) = (Vec::new(), Vec::new(), Vec::new());
        for (id, supplied) in supplied {
            let was = self.state.unit(id).oos;
            let oos = match (supplied, was) {
                (true, _) => None,
                (false, None) => Some(Oos::One),
                (false, Some(_)) => Some(Oos::Two),
            };
            self.change(id, |unit| unit.oos = oos);
            match (oos, was) {
                (Some(Oos::One), _) => oos1.push(id),
                (Some(Oos::Two), _) => oos2.push(id),
                (None, Some(_)) => back.push(id),
                (None, None) => {}
            }
        }
        self.umpire.note(Event::SupplyChecked { side, oos1, oos2, back });
    }

    /// The Out of Supply Morale Check Phase (§10.0ad).
    pub fn supply_check_phase(&mut self, side: Side) -> Ruling<()> {
        self.begin_phase(Some(side), PhaseName::SupplyCheck);
        let out: Vec<Piece> =
            self.now().on_map(side).map(|(id, _)| id).filter(|id| self.state.unit(*id).oos.is_some()).collect();
        for unit in out {
            // A loss before may have changed things; only counters still there check.
            let now = self.state.unit(unit);
            let (Place::At(hex), Some(_)) = (now.at, now.oos) else { continue };
            if self.now().has(unit, Flag::NavalBattery) {
                // §10.0v: no roll.
                self.bury(unit, Cause::Supply);
                let force = Force::Spanish;
                self.umpire.note(Event::Lost { force, at: Some(hex), cause: Cause::Supply, units: vec![unit] });
                continue;
            }
            if !self.morale(unit, CheckKind::Supply)? {
                self.lose_step(unit, Cause::Supply)?;
            }
        }
        Ok(())
    }
}
