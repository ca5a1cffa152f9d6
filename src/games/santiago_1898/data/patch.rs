//! Changing the data for a conformance case: an empty map, other ground, invented counters.

use crate::board::{Grid, Hex};
use crate::games::santiago_1898::terms::{Terrain, UnitId};

use super::{Data, Ground, Unit, bit};

impl Data {
    /// Clears the map: all land clear, no works, roads, rivers, beaches or objectives.
    ///
    /// The hexes the rules name (Santiago, El Caney, the line of §6.5, the west edge) keep their part.
    pub fn clear_map(&mut self) {
        for ground in &mut self.ground {
            ground.terrain = Terrain::Clear;
            ground.redoubt = false;
            ground.battery = false;
            ground.entrenchment = false;
            ground.beach = false;
            ground.objective = false;
            ground.road = false;
            ground.roads = 0;
            ground.rivers = 0;
            ground.crossings = 0;
            ground.waters = 0;
        }
        self.beaches.clear();
        self.objectives.clear();
        self.harbor.clear();
        self.coast.clear();
        self.lines.clear();
        self.rivers.clear();
    }

    /// Changes what lies in a hex.
    pub fn change(&mut self, hex: Hex, change: impl Fn(&mut Ground)) {
        if let Some(ground) = self.grid.index(hex).and_then(|index| self.ground.get_mut(index)) {
            change(ground);
        }
        let list = |beach: bool, hexes: &mut Vec<Hex>| {
            hexes.retain(|other| *other != hex);
            if beach {
                hexes.push(hex);
                hexes.sort();
            }
        };
        let (beach, objective) = self.ground(hex).map_or((false, false), |ground| (ground.beach, ground.objective));
        list(beach, &mut self.beaches);
        list(objective, &mut self.objectives);
    }

    /// Draws a road from hex to hex.
    pub fn draw_road(&mut self, path: &[Hex]) {
        for hex in path {
            self.change(*hex, |ground| ground.road = true);
        }
        for pair in path.windows(2) {
            if let [a, b] = pair {
                self.mark_side(*a, *b, |ground| &mut ground.roads);
            }
        }
    }

    /// Draws a river between two hexes.
    pub fn draw_river(&mut self, a: Hex, b: Hex) {
        self.mark_side(a, b, |ground| &mut ground.rivers);
    }

    /// Puts a bridge or ford between two hexes.
    pub fn draw_crossing(&mut self, a: Hex, b: Hex) {
        self.mark_side(a, b, |ground| &mut ground.crossings);
    }

    /// Puts open water between two land hexes.
    pub fn draw_water(&mut self, a: Hex, b: Hex) {
        self.mark_side(a, b, |ground| &mut ground.waters);
    }

    /// Adds or replaces a counter.
    pub fn put_unit(&mut self, unit: Unit) {
        self.units.insert(unit.id, unit);
    }

    /// A counter to copy for an invented one.
    pub fn sample(&self, like: UnitId) -> Option<Unit> {
        self.units.get(&like).cloned()
    }

    fn mark_side(&mut self, a: Hex, b: Hex, mask: fn(&mut Ground) -> &mut u8) {
        for (from, to) in [(a, b), (b, a)] {
            let bit = self.grid.edge_between(from, to).and_then(|edge| bit(&self.grid, edge));
            let index = self.grid.index(from);
            if let (Some(bit), Some(ground)) = (bit, index.and_then(|index| self.ground.get_mut(index))) {
                *mask(ground) |= bit;
            }
        }
    }
}
