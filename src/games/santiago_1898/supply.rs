//! Chapter 10.1 to 10.4: lines of communication.
//!
//! A Spanish or US unit is supplied if at most two hexes of open country take it to a road or railroad that leads to
//! its source, or straight to the source. Computed for the units concerned when their battle begins (§10.4a).

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
    /// How far every hex is, across open country, from the source or a road that leads there.
    country: Field,
}

/// The networks of both armies, laid out once for a battle (§10.4a).
pub struct Nets {
    us: Option<Net>,
    spanish: Option<Net>,
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

    /// Both networks.
    pub fn nets(&self) -> Nets {
        Nets { us: self.net(Force::Us), spanish: self.net(Force::Spanish) }
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
        let roads = board::distance_field(grid, [source], |a, _, b| is_open(b) && self.data().road_between(a, b));
        let linked: Vec<Hex> = roads.iter(grid).map(|(hex, _)| hex).collect();
        let country = board::distance_field(grid, linked, |a, _, b| is_open(b) && !self.data().water_between(a, b));
        Some(Net { source, open, roads, country })
    }

    /// Is the unit in supply, with the networks laid out? (§10.1a, §10.1c, §10.1d, §10.3e)
    pub fn is_supplied(&self, nets: &Nets, id: UnitId) -> bool {
        let (Some(force), Some(from)) = (self.force(id), self.state.hex_of(id)) else { return false };
        let net = match force {
            Force::Cuban => return true,
            Force::Us if self.data().is_beach(from) => return true,
            Force::Us => &nets.us,
            Force::Spanish => &nets.spanish,
        };
        let reach = self.data().tables.limits.supply_hexes;
        let distance = net.as_ref().and_then(|net| net.country.get(&self.data().grid, from));
        distance.is_some_and(|distance| distance <= reach)
    }

    /// How the unit is supplied, with the networks laid out.
    pub fn supply_by(&self, nets: &Nets, id: UnitId) -> Supply {
        let (Some(force), Some(from)) = (self.force(id), self.state.hex_of(id)) else { return Supply::None };
        let net = match force {
            Force::Cuban => return Supply::Always,
            Force::Us if self.data().is_beach(from) => return Supply::Beach,
            Force::Us => &nets.us,
            Force::Spanish => &nets.spanish,
        };
        net.as_ref().and_then(|net| self.line(net, from)).map_or(Supply::None, Supply::Line)
    }

    /// The line of communications from a hex to the source, if there is one.
    fn line(&self, net: &Net, from: Hex) -> Option<Vec<Hex>> {
        let across = self.across(net, from)?;
        let mut line = across;
        let mut at = line.last().copied()?;
        // Down the road, always to a neighbour nearer the source, the lowest number first.
        while let Some(distance) = net.roads.get(&self.data().grid, at).filter(|distance| *distance > 0) {
            let nearer = |hex: &Hex| {
                net.roads.get(&self.data().grid, *hex) == Some(distance - 1) && self.data().road_between(at, *hex)
            };
            let next = self.data().neighbours(at).filter(nearer).min()?;
            line.push(next);
            at = next;
        }
        Some(line)
    }

    /// The way across country, at most two hexes, to the source or to a road that leads there (§10.1a, §10.1c).
    fn across(&self, net: &Net, from: Hex) -> Option<Vec<Hex>> {
        let grid = &self.data().grid;
        let arrives = |hex: Hex| hex == net.source || (self.data().has_road(hex) && net.roads.get(grid, hex).is_some());
        let enter = |hex: Hex| grid.index(hex).and_then(|index| net.open.get(index)).copied().unwrap_or(false);
        let mut ways = vec![vec![from]];
        for _ in 0..=self.data().tables.limits.supply_hexes {
            let best = ways.iter().filter(|way| way.last().is_some_and(|hex| arrives(*hex)));
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
                    .filter(|hex| enter(*hex) && !way.contains(hex) && !self.data().water_between(at, *hex))
                    .collect();
                next.into_iter().map(move |hex| way.iter().copied().chain([hex]).collect::<Vec<Hex>>())
            };
            ways = ways.into_iter().flat_map(longer).collect();
        }
        None
    }
}
