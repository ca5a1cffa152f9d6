//! Chapter 10: logistics. Who can trace a line to his source, and the markers of the supply check.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::board::Hex;
use crate::engine::Side;

use super::US;
use super::events::{Event, PhaseName};
use super::play::Play;
use super::position::Position;
use super::terms::{Force, Piece};

impl Position<'_> {
    /// The supply source of a side, if it has one now (§10.2a, §10.2d, A36b).
    pub fn source(&self, side: Side) -> Option<Hex> {
        if side == US {
            return self.state.base;
        }
        Some(self.data().santiago).filter(|hex| !self.held_by(*hex, US))
    }

    /// Every hex in which the US Army, or the Spanish, are in supply (§10.1, A36).
    pub fn supply_of_side(&self, side: Side) -> BTreeSet<Hex> {
        self.trace(side, |_, _| {})
    }

    /// The line of supply of each of these hexes: the next one towards the source.
    pub fn supply_lines(&self, side: Side) -> BTreeMap<Hex, Hex> {
        let mut lines = BTreeMap::new();
        self.trace(side, |to, from| lines.extend([(to, from)]));
        lines
    }

    /// The search from the source, with word of every hex it comes to and the one it comes from.
    fn trace(&self, side: Side, mut came: impl FnMut(Hex, Hex)) -> BTreeSet<Hex> {
        let data = self.data();
        let enemy = Play::enemy(side);
        let blocked = self.held_hexes(enemy);
        let free = |hex: Hex| data.is_land(hex) && !blocked.contains(&hex);
        let mut supplied: BTreeSet<Hex> = BTreeSet::new();
        if let Some(source) = self.source(side).filter(|source| !blocked.contains(source)) {
            // Along roads and railroads, at any length (§10.1a, §10.1b).
            let mut net = VecDeque::from([source]);
            supplied.insert(source);
            while let Some(hex) = net.pop_front() {
                for next in data.neighbours(hex) {
                    if data.road_between(hex, next) && free(next) && supplied.insert(next) {
                        came(next, hex);
                        net.push_back(next);
                    }
                }
            }
            // And up to two free hexes from them, or from the source itself (A36a).
            let mut edge: Vec<Hex> = supplied.iter().copied().collect();
            for _ in 0..data.tables.limits.supply_path {
                let mut beyond = Vec::new();
                for hex in edge {
                    for next in data.neighbours(hex) {
                        if free(next) && supplied.insert(next) {
                            came(next, hex);
                            beyond.push(next);
                        }
                    }
                }
                edge = beyond;
            }
        }
        if side == US {
            supplied.extend(data.beaches.iter().copied()); // §10.2i
        }
        supplied
    }

    /// Is a piece in supply where it stands, whatever its marker says?
    pub fn in_supply(&self, piece: Piece) -> bool {
        let (Some(force), Some(hex)) = (self.force(piece), self.state.hex_of(piece)) else { return false };
        !self.needs_supply(piece) || force == Force::Cuban || self.supply_of_side(force.side()).contains(&hex)
    }
}

impl Play<'_, '_> {
    /// A.2: markers are set and removed, and stand until the next check (§10.3).
    pub fn supply_check(&mut self) {
        self.begin_phase("all", "supply", PhaseName::SupplyCheck);
        let (mut out, mut back) = (Vec::new(), Vec::new());
        for side in [super::SPAIN, US] {
            let supplied = self.now().supply_of_side(side);
            for piece in self.now().on_map(side) {
                let now = self.now();
                let Some(hex) = self.state.hex_of(piece) else { continue };
                let oos = now.needs_supply(piece) && !supplied.contains(&hex);
                let marker = match self.state.counters.get_mut(&piece) {
                    Some(counter) => Some(&mut counter.oos),
                    None => self.state.units.get_mut(&piece).map(|unit| &mut unit.oos),
                };
                if let Some(marker) = marker.filter(|marker| **marker != oos) {
                    *marker = oos;
                    if oos { out.push(piece) } else { back.push(piece) }
                }
            }
        }
        self.umpire.note(Event::SupplyChecked { out, back });
    }
}
