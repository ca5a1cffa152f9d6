//! Chapter 12: US supply.
//!
//! A hex is in supply if a line of the off-road length takes it to a Supply Source marker, or to a road that leads to
//! one (§12.2, §12.3). Lines are followed backwards from the sources, so one search answers for every hex. A hex in a
//! Spanish zone of control ends a line but is never passed through (§12.4); whether a single face-down counter has a
//! zone at all may be hidden, so two maps bound the truth and the umpire is asked only between them.

use std::collections::{BTreeMap, VecDeque};

use crate::board::{Grid, Hex, Layer};
use crate::engine::Ruling;

use super::data::Along;
use super::play::{Play, Position, Trit};
use super::terms::{Arm, Nation, Token, UnitId};

/// Supply as far as the public can tell.
#[derive(Clone, Debug)]
pub struct SupplyMaps {
    /// In supply whatever the doubtful counters are.
    pub surely: Layer<bool>,
    /// In supply if every doubtful counter is a lone battery.
    pub maybe: Layer<bool>,
    /// Zones and occupied hexes, where many steps are to be tried from one position.
    pub lay: Option<Lay>,
}

/// What a mover of one nationality meets on the map, laid out once.
#[derive(Clone, Debug)]
pub struct Lay {
    /// Enemy zones of control.
    pub zones: Layer<Trit>,
    /// Hexes with any unit or counter in them.
    pub taken: Layer<bool>,
}

impl SupplyMaps {
    /// Maps for a mover who needs no supply.
    pub fn everywhere(position: &Position<'_>) -> SupplyMaps {
        let layer = Layer::filled(position.data().grid(), true);
        SupplyMaps { surely: layer.clone(), maybe: layer, lay: None }
    }
}

/// What a supply question supposes.
#[derive(Clone, Copy, Default)]
pub struct Suppose {
    /// The Spanish units in this hex are gone (§12.10h).
    pub vacated: Option<Hex>,
    /// A marker is placed here (§6.6g).
    pub opened: Option<Hex>,
}

impl Position<'_> {
    /// Hexes in supply, given which Spanish stacks exert a zone of control.
    pub fn supplied_hexes(&self, suppose: Suppose, exerts: impl Fn(Hex) -> bool) -> Layer<bool> {
        let data = self.data();
        let grid = data.grid();
        let mut occupied = Layer::filled(grid, false);
        let mut zone = Layer::filled(grid, false);
        for hex in self.stacks().into_keys().filter(|hex| suppose.vacated != Some(*hex)) {
            mark(grid, &mut occupied, hex);
            if exerts(hex) {
                for next in data.around(hex) {
                    mark(grid, &mut zone, next);
                }
            }
        }
        let is = |layer: &Layer<bool>, hex: Hex| layer.get(grid, hex).copied().unwrap_or(false);
        // §12.2d, §12.7: no swamp, no Spanish unit, no closed entry hex.
        let passable = |hex: Hex| data.is_open(hex) && !is(&occupied, hex) && !self.is_closed(hex);
        let mut supplied = Layer::filled(grid, false);
        // The road part: along roads of any length from every source (§12.3a). What is in a zone of control is reached
        // and not passed (§12.4); the source itself may lie in one (§12.4c).
        let mut road = VecDeque::new();
        for source in self.state.sources.keys().copied().chain(suppose.opened) {
            if passable(source) && !is(&supplied, source) {
                mark(grid, &mut supplied, source);
                road.push_back(source);
            }
        }
        let sources: Vec<Hex> = road.iter().copied().collect();
        let mut country: VecDeque<(Hex, u32)> = VecDeque::new();
        while let Some(hex) = road.pop_front() {
            if is(&zone, hex) && !sources.contains(&hex) {
                continue;
            }
            country.push_back((hex, 0));
            for (edge, next) in grid.neighbours(hex) {
                let along = data.map.leaving(hex, edge);
                let linked = along.has(Along::Road) || self.city_road(hex, next);
                if linked && !along.has(Along::Water) && passable(next) && !is(&supplied, next) {
                    mark(grid, &mut supplied, next);
                    road.push_back(next);
                }
            }
            // §12.10e, §12.10g: the off-map road.
            let (inland, coast) = data.off_map_road;
            let across = if hex == inland {
                Some(coast)
            } else if hex == coast {
                Some(inland)
            } else {
                None
            };
            if let Some(next) = across.filter(|next| passable(*next) && !is(&supplied, *next)) {
                mark(grid, &mut supplied, next);
                road.push_back(next);
            }
        }
        // The off-road part: so many hexes at most, counted from the unit to the road or source hex (§12.5d).
        while let Some((hex, steps)) = country.pop_front() {
            if steps >= self.state.supply_length || (steps > 0 && is(&zone, hex)) {
                continue;
            }
            for (edge, next) in grid.neighbours(hex) {
                if !data.map.leaving(hex, edge).has(Along::Water) && passable(next) && !is(&supplied, next) {
                    mark(grid, &mut supplied, next);
                    country.push_back((next, steps + 1));
                }
            }
        }
        supplied
    }

    /// City hexes are linked with each other and with roads beside them (§12.12).
    fn city_road(&self, a: Hex, b: Hex) -> bool {
        let data = self.data();
        let joins = |hex: Hex| data.is_city(hex) || data.has_road(hex);
        (data.is_city(a) && joins(b)) || (data.is_city(b) && joins(a))
    }

    /// What the viewer can tell of supply.
    pub fn supply_maps(&self, suppose: Suppose) -> SupplyMaps {
        let exerts: BTreeMap<Hex, Trit> =
            self.stacks().iter().map(|(hex, tokens)| (*hex, self.exerts_of(*hex, tokens))).collect();
        let level = |hex: Hex| exerts.get(&hex).copied().unwrap_or(Trit::No);
        let surely = self.supplied_hexes(suppose, |hex| level(hex) != Trit::No);
        let maybe = if exerts.values().any(|level| *level == Trit::Maybe) {
            self.supplied_hexes(suppose, |hex| level(hex) == Trit::Yes)
        } else {
            surely.clone()
        };
        SupplyMaps { surely, maybe, lay: None }
    }

    /// Zones of control against a nationality, and every occupied hex.
    pub fn lay(&self, nation: Nation) -> Lay {
        let data = self.data();
        let grid = data.grid();
        let mut zones = Layer::filled(grid, Trit::No);
        let mut taken = Layer::filled(grid, false);
        let mut cover = |hex: Hex, level: Trit| {
            for next in data.around(hex) {
                if let Some(place) = zones.get_mut(grid, next) {
                    *place = (*place).max(level);
                }
            }
        };
        for (hex, tokens) in self.stacks() {
            mark(grid, &mut taken, hex);
            if nation == Nation::Us {
                cover(hex, self.exerts_of(hex, &tokens));
            }
        }
        for (id, unit) in &self.state.units {
            let Some(hex) = unit.at.hex() else { continue };
            mark(grid, &mut taken, hex);
            if nation == Nation::Spanish && self.arm(*id).is_some_and(Arm::exerts_zone) {
                cover(hex, Trit::Yes);
            }
        }
        Lay { zones, taken }
    }

    /// Steps from every hex to the nearest one in supply, over ground an American unit could travel (§12.10c).
    pub fn steps_to_supply(&self, supplied: &Layer<bool>) -> crate::board::Field {
        let data = self.data();
        let grid = data.grid();
        let held: std::collections::BTreeSet<Hex> = self.stacks().into_keys().collect();
        let sources: Vec<Hex> = supplied.iter(grid).filter(|(_, yes)| **yes).map(|(hex, _)| hex).collect();
        crate::board::distance_field(grid, sources, |from, edge, to| {
            !data.map.leaving(from, edge).has(Along::Water)
                && data.is_open(to)
                && !held.contains(&to)
                && !self.is_closed(to)
        })
    }
}

impl SupplyMaps {
    /// Is the hex in supply?
    pub fn at(&self, position: &Position<'_>, hex: Hex) -> Trit {
        let is = |layer: &Layer<bool>| layer.get(position.data().grid(), hex).copied().unwrap_or(false);
        match (is(&self.surely), is(&self.maybe)) {
            (true, _) => Trit::Yes,
            (false, true) => Trit::Maybe,
            (false, false) => Trit::No,
        }
    }
}

fn mark(grid: &crate::board::HexGrid, layer: &mut Layer<bool>, hex: Hex) {
    if let Some(place) = layer.get_mut(grid, hex) {
        *place = true;
    }
}

impl Play<'_, '_> {
    /// Supply as far as the public can tell, computed once until something changes.
    pub fn supply_maps(&mut self) -> &SupplyMaps {
        let maps = match self.supply.take() {
            Some(maps) => maps,
            None => self.now().supply_maps(Suppose::default()),
        };
        self.supply.insert(maps)
    }

    /// Would an American unit be in supply in this hex? (§12.2) The umpire says so where nobody can see it.
    pub fn supplied(&mut self, hex: Hex, suppose: Suppose) -> Ruling<bool> {
        let plain = suppose.vacated.is_none() && suppose.opened.is_none();
        let level = if plain {
            let maps = self.supply_maps().clone();
            maps.at(&self.now(), hex)
        } else {
            self.now().supply_maps(suppose).at(&self.now(), hex)
        };
        match level {
            Trit::Yes => Ok(true),
            Trit::No => Ok(false),
            Trit::Maybe => {
                let now = self.now();
                let stacks = now.stacks();
                let doubtful: BTreeMap<Hex, Vec<Token>> =
                    stacks.into_iter().filter(|(hex, tokens)| now.exerts_of(*hex, tokens) == Trit::Maybe).collect();
                let tokens: Vec<Token> = doubtful.values().flatten().copied().collect();
                let (game, state) = (self.game, self.state.clone());
                let blind = self.blind.clone();
                self.fact(&tokens, hex, "supply", |units| {
                    let position = Position { game, state: &state, known: &blind };
                    let zone = |unit: &UnitId| position.arm(*unit).is_some_and(Arm::exerts_zone);
                    let supplied = position.supplied_hexes(suppose, |at| match doubtful.get(&at) {
                        Some(tokens) => tokens.iter().filter_map(|token| units.get(token)).any(zone),
                        None => position.exerts(at) == Trit::Yes,
                    });
                    supplied.get(position.data().grid(), hex).copied().unwrap_or(false)
                })
            }
        }
    }
}
