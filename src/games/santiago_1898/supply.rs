//! Chapter 10.1 to 10.4: lines of communication.
//!
//! A Spanish or US unit is supplied if at most two hexes of open country take it to a road or railroad that leads to
//! its source, or straight to the source. Computed for the units concerned when their battle begins (§10.4a).

use std::cell::OnceCell;

use crate::board::{self, Field, Grid, Hex};

use super::play::{Position, player};
use super::terms::{Force, UnitId};

/// How a unit is supplied, or that it is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Supply {
    /// Cuban units always are (§10.1d).
    Always,
    /// In a beach hex, US units always are (§10.3e).
    Beach,
    /// Along this line, from the unit's hex to the source.
    Line(Vec<Hex>),
    /// No line reaches a source.
    None,
}

impl Supply {
    /// Is it in supply?
    pub fn is_supplied(&self) -> bool {
        *self != Supply::None
    }
}

/// The supply network of a force as it stands now: what is open, and how far each road hex is from the source.
pub struct Net {
    source: Hex,
    open: Vec<bool>,
    roads: Field,
}

/// The networks of both armies for one battle (§10.4a), each laid out when it is first asked for.
#[derive(Default)]
pub struct Nets {
    us: OnceCell<Option<Net>>,
    spanish: OnceCell<Option<Net>>,
}

impl Position<'_> {
    /// The supply source of a force: Santiago until it falls (§10.2), the base once landed (§10.3a).
    pub fn source(&self, force: Force) -> Option<Hex> {
        match force {
            Force::Spanish if !self.state.santiago_fell => Some(self.data().santiago),
            Force::Us => self.state.base,
            Force::Spanish | Force::Cuban => None,
        }
    }

    fn laid<'n>(&self, nets: &'n Nets, force: Force) -> Option<&'n Net> {
        let net = match force {
            Force::Us => &nets.us,
            Force::Spanish => &nets.spanish,
            Force::Cuban => return None,
        };
        net.get_or_init(|| self.net(force)).as_ref()
    }

    fn net(&self, force: Force) -> Option<Net> {
        let grid = &self.data().grid;
        let source = self.source(force)?;
        // §10.1b, §IMP.16: only an enemy combat unit blocks; water is no country to march through.
        let mut open: Vec<bool> = grid.cells().map(|hex| self.data().is_land(hex)).collect();
        for hex in self.enemy_hexes(player(force)) {
            if let Some(place) = grid.index(hex).and_then(|index| open.get_mut(index)) {
                *place = false;
            }
        }
        let is_open = |hex: Hex| grid.index(hex).and_then(|index| open.get(index)).copied().unwrap_or(false);
        if !is_open(source) {
            return None;
        }
        // §10.1a: along roads and railroads, mixed, of any length.
        let roads = board::distance_field(grid, [source], |a, side, b| self.data().road_over(a, side) && is_open(b));
        Some(Net { source, open, roads })
    }

    /// Is the unit in supply, with the networks laid out? (§10.1a, §10.1c, §10.1d, §10.3e)
    pub fn is_supplied(&self, nets: &Nets, id: UnitId) -> bool {
        let (Some(force), Some(from)) = (self.force(id), self.state.hex_of(id)) else { return false };
        match force {
            Force::Cuban => true,
            Force::Us if self.data().is_beach(from) => true,
            Force::Us | Force::Spanish => self.laid(nets, force).is_some_and(|net| self.reaches(net, from)),
        }
    }

    /// Is there a way across country, as [`Self::across`] would find it?
    fn reaches(&self, net: &Net, from: Hex) -> bool {
        let mut met = vec![from];
        let mut ring = 0;
        for _ in 0..=self.data().tables.limits.supply_hexes {
            if met.iter().skip(ring).any(|hex| self.arrives(net, *hex)) {
                return true;
            }
            let reached = met.len();
            for at in ring..reached {
                let Some(&from) = met.get(at) else { break };
                for (side, hex) in self.data().grid.neighbours(from) {
                    if self.is_open(net, hex) && !self.data().water_over(from, side) && !met.contains(&hex) {
                        met.push(hex);
                    }
                }
            }
            ring = reached;
        }
        false
    }

    /// Has a line across country come to the source, or to a road that leads there?
    fn arrives(&self, net: &Net, hex: Hex) -> bool {
        hex == net.source || net.roads.get(&self.data().grid, hex).is_some()
    }

    fn is_open(&self, net: &Net, hex: Hex) -> bool {
        self.data().grid.index(hex).and_then(|index| net.open.get(index)).copied().unwrap_or(false)
    }

    /// How the unit is supplied, with the networks laid out.
    pub fn supply_by(&self, nets: &Nets, id: UnitId) -> Supply {
        let (Some(force), Some(from)) = (self.force(id), self.state.hex_of(id)) else { return Supply::None };
        match force {
            Force::Cuban => Supply::Always,
            Force::Us if self.data().is_beach(from) => Supply::Beach,
            Force::Us | Force::Spanish => {
                self.laid(nets, force).and_then(|net| self.line(net, from)).map_or(Supply::None, Supply::Line)
            }
        }
    }

    /// The line of communications from a hex to the source, if there is one.
    fn line(&self, net: &Net, from: Hex) -> Option<Vec<Hex>> {
        let mut line = self.across(net, from)?;
        let at = line.last().copied()?;
        // Down the road.
        if net.roads.get(&self.data().grid, at).is_some() {
            let road = net.roads.way(&self.data().grid, at, |a, b| self.data().road_between(a, b));
            line.extend(road.into_iter().skip(1));
        }
        Some(line)
    }

    /// The way across country, at most two hexes, to the source or to a road that leads there (§10.1a, §10.1c).
    fn across(&self, net: &Net, from: Hex) -> Option<Vec<Hex>> {
        let mut ways = vec![vec![from]];
        for _ in 0..=self.data().tables.limits.supply_hexes {
            let best = ways.iter().filter(|way| way.last().is_some_and(|hex| self.arrives(net, *hex)));
            // The source itself first: no road is needed within two hexes of it.
            let key = |way: &&Vec<Hex>| (way.last() != Some(&net.source), way.last().copied());
            if let Some(way) = best.min_by_key(key) {
                return Some(way.clone());
            }
            let longer = |way: Vec<Hex>| {
                let at = way.last().copied().unwrap_or(from);
                let next: Vec<Hex> = self
                    .data()
                    .neighbours(at)
                    .filter(|hex| self.is_open(net, *hex) && !way.contains(hex) && !self.data().water_between(at, *hex))
                    .collect();
                next.into_iter().map(move |hex| way.iter().copied().chain([hex]).collect::<Vec<Hex>>())
            };
            ways = ways.into_iter().flat_map(longer).collect();
        }
        None
    }
}
