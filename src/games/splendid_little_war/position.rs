//! The position as everybody sees it: who stands where, zones of control (§5.2), stacking (§5.4).

use std::collections::BTreeMap;

use crate::board::{Hex, Layer};
use crate::engine::Side;

use super::data::{Data, Unit};
use super::state::{Place, State, UnitState};
use super::terms::{Arm, Flag, Force, Piece, Size};
use super::{SPAIN, SplendidLittleWar, US};

/// A position somebody looks at.
#[derive(Clone, Copy)]
pub struct Position<'p> {
    /// The table.
    pub game: &'p SplendidLittleWar,
    /// The public state: nothing but the sortie date is hidden.
    pub state: &'p State,
}

/// What stands in each hex: made once for a search.
pub struct Crowd(Layer<u16>);

impl Crowd {
    /// A counter of the US Army of any kind.
    pub const US_ARMY: u16 = 1;
    /// A Cuban counter of any kind.
    pub const CUBAN: u16 = 2;
    /// A Spanish counter of any kind.
    pub const SPANISH: u16 = 4;
    /// A combat unit of the US player.
    pub const US_COMBAT: u16 = 8;
    /// A combat unit of Spain.
    pub const SPANISH_COMBAT: u16 = 16;
    /// A Normal status combat unit of the US player.
    pub const US_NORMAL: u16 = 32;
    /// A Normal status combat unit of Spain.
    pub const SPANISH_NORMAL: u16 = 64;
    /// In the zone of control of a unit of the US player.
    pub const US_ZONE: u16 = 128;
    /// In the zone of control of a Spanish unit.
    pub const SPANISH_ZONE: u16 = 256;

    /// Is such a thing in the hex?
    pub fn has(&self, data: &Data, hex: Hex, what: u16) -> bool {
        self.0.get(&data.grid, hex).is_some_and(|here| here & what != 0)
    }

    /// Any counter of a side.
    pub fn any_of(side: Side) -> u16 {
        if side == SPAIN { Crowd::SPANISH } else { Crowd::US_ARMY | Crowd::CUBAN }
    }

    /// A combat unit of a side.
    pub fn combat_of(side: Side) -> u16 {
        if side == SPAIN { Crowd::SPANISH_COMBAT } else { Crowd::US_COMBAT }
    }

    /// A Normal combat unit of a side.
    pub fn normal_of(side: Side) -> u16 {
        if side == SPAIN { Crowd::SPANISH_NORMAL } else { Crowd::US_NORMAL }
    }

    /// The zone of a side.
    pub fn zone_of(side: Side) -> u16 {
        if side == SPAIN { Crowd::SPANISH_ZONE } else { Crowd::US_ZONE }
    }
}

/// The other player.
pub fn enemy(side: Side) -> Side {
    if side == US { SPAIN } else { US }
}

/// Does a counter on the map exert a zone of control (§5.2c, §5.6e)?
fn exerts_zone(unit: &Unit, now: &UnitState) -> bool {
    !now.broken && unit.is_zoned()
}

impl<'p> Position<'p> {
    /// Data of the match.
    pub fn data(&self) -> &'p Data {
        &self.game.data
    }

    /// A counter's printed side.
    pub fn unit(&self, piece: Piece) -> Option<&'p Unit> {
        self.data().unit(piece)
    }

    /// How a counter is.
    pub fn now(&self, piece: Piece) -> UnitState {
        self.state.unit(piece)
    }

    /// Who runs a counter.
    pub fn side(&self, piece: Piece) -> Option<Side> {
        self.unit(piece).map(Unit::side)
    }

    /// Is it a combat unit (§2.0b)?
    pub fn is_combat(&self, piece: Piece) -> bool {
        self.unit(piece).is_some_and(Unit::is_combat)
    }

    /// Is it a leader?
    pub fn is_leader(&self, piece: Piece) -> bool {
        self.unit(piece).is_some_and(Unit::is_leader)
    }

    /// What arm it is.
    pub fn arm(&self, piece: Piece) -> Option<Arm> {
        self.unit(piece).map(|unit| unit.arm)
    }

    /// Do enemy zones stop it (§5.2g, §5.2h)?
    pub fn is_zoned(&self, piece: Piece) -> bool {
        self.unit(piece).is_some_and(Unit::is_zoned)
    }

    /// Is it marked so?
    pub fn has(&self, piece: Piece, flag: Flag) -> bool {
        self.unit(piece).is_some_and(|unit| unit.has(flag))
    }

    /// Every counter in a hex, by id.
    pub fn pieces_in(&self, hex: Hex) -> impl Iterator<Item = Piece> + 'p {
        self.state.units.iter().filter(move |(_, unit)| unit.at == Place::At(hex)).map(|(id, _)| *id)
    }

    /// The counters of a side in a hex.
    pub fn stack(&self, hex: Hex, side: Side) -> Vec<Piece> {
        self.pieces_in(hex).filter(|piece| self.side(*piece) == Some(side)).collect()
    }

    /// The combat units of a side in a hex.
    pub fn fighters(&self, hex: Hex, side: Side) -> Vec<Piece> {
        self.stack(hex, side).into_iter().filter(|piece| self.is_combat(*piece)).collect()
    }

    /// The leaders of a side in a hex.
    pub fn leaders(&self, hex: Hex, side: Side) -> Vec<Piece> {
        self.stack(hex, side).into_iter().filter(|piece| self.is_leader(*piece)).collect()
    }

    /// Is there a combat unit of the side in the hex?
    pub fn held_by(&self, hex: Hex, side: Side) -> bool {
        self.pieces_in(hex).any(|piece| self.side(piece) == Some(side) && self.is_combat(piece))
    }

    /// The balloon's Base, if it is on the map.
    pub fn balloon(&self) -> Option<(Piece, Hex)> {
        self.data().bases.iter().find_map(|base| Some((*base, self.state.hex_of(*base)?)))
    }

    /// Every counter on the map with its printed side, by id.
    fn roster(&self) -> impl Iterator<Item = (&'p Unit, &'p UnitState, Hex)> + 'p {
        // Both lists are in the order of the ids: to walk them side by side is quicker than to look up each counter.
        let mut printed = self.data().units.values().peekable();
        self.state.units.iter().filter_map(move |(id, now)| {
            let hex = now.at.hex()?;
            while printed.next_if(|unit| unit.id < *id).is_some() {}
            Some((printed.next_if(|unit| unit.id == *id)?, now, hex))
        })
    }

    /// Every counter of a side on the map, by id.
    pub fn on_map(&self, side: Side) -> impl Iterator<Item = (Piece, Hex)> + 'p {
        self.roster().filter(move |(unit, _, _)| unit.side() == side).map(|(unit, _, hex)| (unit.id, hex))
    }

    /// Does it exert a zone of control (§5.2a to §5.2f, §5.2o)?
    pub fn exerts_zone(&self, piece: Piece) -> bool {
        let now = self.now(piece);
        now.at.hex().is_some() && self.unit(piece).is_some_and(|unit| exerts_zone(unit, &now))
    }

    /// Is the hex in a zone of control of this side?
    pub fn in_zone_of(&self, hex: Hex, side: Side) -> bool {
        let beside = |now: &UnitState| now.at.hex().is_some_and(|at| self.data().distance(at, hex) == 1);
        let mut near = self.state.units.iter().filter(|(_, now)| beside(now));
        self.data().is_land(hex) && near.any(|(id, _)| self.side(*id) == Some(side) && self.exerts_zone(*id))
    }

    /// Who stands where.
    pub fn crowd(&self) -> Crowd {
        let data = self.data();
        let mut layer = Layer::filled(&data.grid, 0u16);
        for (unit, now, hex) in self.roster() {
            let side = unit.side();
            let mut marks = match unit.force {
                Force::Us => Crowd::US_ARMY,
                Force::Cuban => Crowd::CUBAN,
                Force::Spanish => Crowd::SPANISH,
            };
            if unit.is_combat() {
                marks |= Crowd::combat_of(side);
                if !now.broken {
                    marks |= Crowd::normal_of(side);
                }
            }
            if let Some(here) = layer.get_mut(&data.grid, hex) {
                *here |= marks;
            }
            if exerts_zone(unit, now) {
                // §5.2b: no zone reaches into the harbor.
                for next in data.land_around(hex) {
                    if let Some(there) = layer.get_mut(&data.grid, next) {
                        *there |= Crowd::zone_of(side);
                    }
                }
            }
        }
        Crowd(layer)
    }

    /// Would these combat units be too many in one hex (§5.4)? Leaders and the Base do not count (§5.4l).
    ///
    /// `reforming`: the parts of the 2nd Cavalry reform in this Movement Phase and use the cavalry space alone (§5.4d).
    pub fn overstacked(&self, pieces: &[Piece], reforming: bool) -> bool {
        let units: Vec<&Unit> =
            pieces.iter().filter_map(|piece| self.unit(*piece)).filter(|unit| unit.is_combat()).collect();
        let limits = &self.data().tables.stacking;
        if units.iter().any(|unit| unit.force == Force::Spanish) {
            // §5.4e: six of any kind, and one more that is artillery.
            let guns = units.iter().filter(|unit| unit.arm == Arm::Artillery).count();
            return units.len() > limits.spanish as usize + guns.min(limits.spanish_guns as usize);
        }
        // §5.4b, §5.4c, §5.4p: a regiment or three thirds; one gun; one unit of the 2nd Cavalry.
        let (mut thirds, mut guns, mut troops) = (0u32, 0u32, 0u32);
        for unit in units {
            match (unit.arm, unit.size) {
                (Arm::Artillery | Arm::Gatling, _) => guns += 1,
                (Arm::Cavalry, _) => troops += 1,
                (_, Size::Regiment) => thirds += limits.us_parts,
                _ => thirds += 1,
            }
        }
        let spare = if reforming && troops == 4 { 0 } else { troops.saturating_sub(1) };
        thirds + spare > limits.us_parts || guns > 1
    }

    /// Would a hex be too full with these besides (§5.4)?
    pub fn too_full(&self, hex: Hex, side: Side, besides: &[Piece]) -> bool {
        let mut there = self.fighters(hex, side);
        there.extend(besides.iter().filter(|piece| self.now(**piece).at != Place::At(hex)));
        self.overstacked(&there, false)
    }

    /// Do Cubans and the US Army share a hex (§15.6l)?
    pub fn mixed(&self, hex: Hex, besides: &[Piece]) -> bool {
        let mut forces: BTreeMap<Force, bool> = BTreeMap::new();
        for piece in self.pieces_in(hex).chain(besides.iter().copied()) {
            if let Some(unit) = self.unit(piece) {
                forces.insert(unit.force, true);
            }
        }
        forces.contains_key(&Force::Us) && forces.contains_key(&Force::Cuban)
    }

    /// Steps left in a counter: a regiment's are its parts (§5.0b).
    pub fn steps(&self, piece: Piece) -> u32 {
        self.unit(piece).map_or(0, Unit::steps)
    }
}
