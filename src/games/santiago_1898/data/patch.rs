//! Changing the map for a conformance case: an empty one, other ground.

use crate::board::{Hex, Layer};
use crate::games::santiago_1898::terms::Terrain;

use super::{Along, Data, Ground, Map};

impl Data {
    /// Clears the map: all land clear, no works, roads, rivers, beaches or objectives.
    ///
    /// The hexes the rules name (Santiago, El Caney, the line of §6.5, the west edge) keep their part.
    pub fn clear_map(&mut self) {
        let ground = Layer::from_fn(&self.grid, |hex| Ground {
            name: self.ground(hex).and_then(|ground| ground.name),
            terrain: Terrain::Clear,
            ..Ground::default()
        });
        self.map = Map::with_ground(self.grid.clone(), ground);
        self.beaches.clear();
        self.objectives.clear();
        self.harbor.clear();
        self.coast.clear();
    }

    /// Changes what lies in a hex.
    pub fn change(&mut self, hex: Hex, change: impl Fn(&mut Ground)) {
        if let Some(mut ground) = self.ground(hex) {
            change(&mut ground);
            self.map.set_ground(hex, ground);
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
                self.mark_side(*a, *b, Along::Road);
            }
        }
    }

    /// A case may name hexes that do not touch; nothing lies between them.
    pub fn mark_side(&mut self, a: Hex, b: Hex, what: Along) {
        let _ = self.map.mark(a, b, what);
    }
}
