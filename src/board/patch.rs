//! A hex map changed for a conformance case: works, roads and hexsides drawn onto it.

use super::{Feature, Hex, HexGrid, Terrain};
use crate::engine::doc::{DocPath, Fault};

/// A map of a case in the drawing. Hexes that do not touch are a fault of the key that names them.
pub struct Patch<'m, T, F> {
    map: &'m mut Terrain<HexGrid, T, F>,
    at: DocPath,
    faults: &'m mut Vec<Fault>,
}

impl<'m, T: Copy, F: Feature> Patch<'m, T, F> {
    /// Changes to this map, which stand at this place of the case.
    pub fn new(map: &'m mut Terrain<HexGrid, T, F>, at: DocPath, faults: &'m mut Vec<Fault>) -> Self {
        Patch { map, at, faults }
    }

    /// Draws something into hexes.
    pub fn works(&mut self, hexes: &[Hex], draw: fn(&mut T)) {
        for hex in hexes {
            self.map.change(*hex, draw);
        }
    }

    /// Draws roads, each hex by hex, along hexsides and into the hexes they pass.
    pub fn lines(&mut self, key: &str, lines: &[Vec<Hex>], feature: F, draw: fn(&mut T)) {
        for line in lines {
            if let Err(broken) = self.map.mark_path(line, feature) {
                self.complain(key, broken.to_string());
            }
            self.works(line, draw);
        }
    }

    /// Draws something along hexsides, each given as two hexes, alike from both.
    pub fn sides(&mut self, key: &str, sides: &[Vec<Hex>], feature: F) {
        self.slopes(key, sides, Some(feature), Some(feature));
    }

    /// Draws along hexsides what is met on the way from the first hex to the second, and what on the way back.
    pub fn slopes(&mut self, key: &str, sides: &[Vec<Hex>], there: Option<F>, back: Option<F>) {
        for side in sides {
            let [a, b] = *side.as_slice() else {
                self.complain(key, "a hexside is two hexes".to_owned());
                continue;
            };
            let mut ways = [(a, b, there), (b, a, back)].into_iter();
            let marked = ways.try_for_each(|(from, to, met)| match met {
                Some(feature) => self.map.mark_towards(from, to, feature),
                None => Ok(()),
            });
            if let Err(broken) = marked {
                self.complain(key, broken.to_string());
            }
        }
    }

    fn complain(&mut self, key: &str, what: String) {
        self.faults.push(Fault::new(&self.at.key(key), what, "name hexes that touch"));
    }
}
