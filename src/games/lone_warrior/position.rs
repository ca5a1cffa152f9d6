//! Questions about a position that change nothing: who stands where, what is seen, what is in range, which side is hit,
//! what a save is worth (§6, §7.M, §A15, §A19, §A59). The check of orders and the rules themselves put the same ones.

use crate::board::{Facing, Grid, Relative, Square, SquareGrid};
use crate::engine::{Bar, Clause, Subject, Tally, count_of};

use super::LoneWarrior;
use super::data::{Field, Leader, Unit};
use super::events::Aspect;
use super::state::{FieldState, Place, UnitState};
use super::terms::{Battlefield, Ground, HIT, HIT_DISORDERED, LeaderId, Power, SAFE_DISTANCE, UnitId, Work};

/// One battlefield as it is now.
#[derive(Clone, Copy)]
pub struct Position<'p> {
    pub game: &'p LoneWarrior,
    pub id: Battlefield,
    pub field: &'p Field,
    pub state: &'p FieldState,
}

/// The range shape turned to all four sides: with a the longer and b the shorter offset, a ≤ R and b ≤ R − 1 (§6.6c).
pub fn within(range: u32, one: u32, other: u32) -> bool {
    let (long, short) = (one.max(other), one.min(other));
    long <= range && short < range
}

impl<'p> Position<'p> {
    pub fn unit(&self, id: UnitId) -> Option<&'p Unit> {
        self.game.data.units.get(&id).filter(|unit| unit.field == self.id)
    }

    pub fn leader(&self, id: LeaderId) -> Option<&'p Leader> {
        self.game.data.leaders.get(&id).filter(|leader| leader.field == self.id)
    }

    /// A box, as something a die may leave in doubt.
    pub fn spot(&self, square: Square) -> Subject {
        Subject::of(format!("{}-{square}", self.id))
    }

    /// Boxes that lie between two others in any way.
    pub fn between(&self, from: Square, to: Square) -> impl Iterator<Item = Square> {
        let within = |one: u16, a: u16, b: u16| a.min(b) <= one && one <= a.max(b);
        let inside = move |square: &Square| {
            within(square.first(), from.first(), to.first()) && within(square.second(), from.second(), to.second())
        };
        self.field.grid.cells().filter(inside).filter(move |square| *square != from && *square != to)
    }

    pub fn at(&self, id: UnitId) -> Option<Square> {
        self.state.unit(id).at.square()
    }

    pub fn power(&self, id: UnitId) -> Option<Power> {
        self.unit(id).map(|unit| unit.power)
    }

    pub fn is_alive(&self, id: UnitId) -> bool {
        self.state.unit(id).at != Place::Lost
    }

    /// Units of a side in play, in the order of the roster.
    pub fn units_of(&self, power: Power) -> impl Iterator<Item = &'p Unit> + '_ {
        let units = self.field.units.iter().filter_map(|id| self.unit(*id));
        units.filter(move |unit| unit.power == power && self.is_alive(unit.id))
    }

    /// The unit of a side in a box.
    pub fn unit_of_in(&self, power: Power, square: Square) -> Option<UnitId> {
        self.state.unit_in(square).filter(|id| self.power(*id) == Some(power))
    }

    /// How many units a side has lost that count for victory (§A50).
    pub fn lost(&self, power: Power) -> u32 {
        let gone = |id: &&UnitId| {
            self.unit(**id).is_some_and(|unit| unit.power == power && unit.counts()) && !self.is_alive(**id)
        };
        u32::try_from(self.field.units.iter().filter(gone).count()).unwrap_or(u32::MAX)
    }

    /// Boxes forward and to the right, seen from a box with a facing.
    fn offsets(&self, from: Square, facing: Facing, to: Square) -> (i32, i32) {
        let (a, b) = (self.field.grid.centre(from), self.field.grid.centre(to));
        let (east, south) = (b.0 - a.0, b.1 - a.1);
        let along = |facing: Facing| {
            let (step_east, step_south) = facing.bearing().east_south();
            east * step_east + south * step_south
        };
        (along(facing), along(facing.right()))
    }

    /// The side of a target an enemy in another box looks at (§A15), none in a building (§A25).
    pub fn aspect(&self, target: UnitId, from: Square) -> Aspect {
        let UnitState { at: Place::At(at), facing: Some(facing), .. } = self.state.unit(target) else {
            return Aspect::OffTable;
        };
        if self.field.at(at).work.is_building() {
            return Aspect::Building;
        }
        let (forward, side) = self.offsets(at, facing, from);
        if forward >= 1 && side.abs() <= forward {
            Aspect::Front
        } else if forward <= -1 && side.abs() <= -forward {
            Aspect::Rear
        } else {
            Aspect::Flank
        }
    }

    /// The side of a target that off-table guns hit: they fire down its own lane (§A59).
    fn gun_aspect(&self, guns: &Unit, target: UnitId) -> Aspect {
        let UnitState { at: Place::At(at), facing: Some(facing), .. } = self.state.unit(target) else {
            return Aspect::OffTable;
        };
        if self.field.at(at).work.is_building() {
            return Aspect::Building;
        }
        // The guns stand behind their own side's edge: the way their enemies look at the start.
        let edge = guns.power.enemy().facing();
        match facing.quarters_to(edge) {
            0 => Aspect::Front,
            2 => Aspect::Rear,
            _ => Aspect::Flank,
        }
    }

    /// Does a box block sight between ends of these heights (§A19)?
    fn blocks(&self, square: Square, heights: [u8; 2], mover: UnitId, units_block: bool) -> bool {
        let terrain = self.field.at(square);
        if heights.iter().all(|end| terrain.height > *end) {
            return true;
        }
        if heights.iter().any(|end| *end > terrain.height) {
            return false;
        }
        let screens = matches!(terrain.ground, Ground::Woods | Ground::Town) || terrain.work.is_building();
        screens || (units_block && self.state.unit_in(square).is_some_and(|unit| unit != mover))
    }

    /// Is sight clear along at least one shortest chain of steps (§A19)? `mover` itself never blocks.
    pub fn sees(&self, from: Square, to: Square, mover: UnitId) -> bool {
        self.sees_past(from, to, mover, true)
    }

    /// The same with units in the way or without them.
    fn sees_past(&self, from: Square, to: Square, mover: UnitId, units_block: bool) -> bool {
        let heights = [self.field.at(from).height, self.field.at(to).height];
        let lanes = i32::from(to.first()) - i32::from(from.first());
        let ranks = i32::from(to.second()) - i32::from(from.second());
        let along_lanes = lanes.abs() >= ranks.abs();
        let (long, short) = if along_lanes { (lanes, ranks) } else { (ranks, lanes) };
        // After each step along the longer offset: which sideways offsets have a clear chain behind them, one bit each.
        // A board has no more than 99 boxes either way.
        let last = short.unsigned_abs();
        let mut clear: u128 = 1;
        for step in 1..long.abs() {
            let mut next = 0;
            for side in 0..=last {
                let open = clear >> side & 1 == 1 || (side > 0 && clear >> (side - 1) & 1 == 1);
                let aside = short.signum() * i32::try_from(side).unwrap_or(0);
                let ahead = long.signum() * step;
                let (lane, rank) = if along_lanes { (ahead, aside) } else { (aside, ahead) };
                let square = || offset(&self.field.grid, from, lane, rank);
                if open && square().is_some_and(|square| !self.blocks(square, heights, mover, units_block)) {
                    next |= 1 << side;
                }
            }
            clear = next;
        }
        clear >> last & 1 == 1 || (last > 0 && clear >> (last - 1) & 1 == 1)
    }

    /// Do off-table guns see a box down its lane (§6.1b, §A59)? Units never block them (§A19).
    pub fn guns_see(&self, guns: &Unit, to: Square) -> bool {
        let heights = [guns.gun_height, self.field.at(to).height];
        let between = |square: &Square| {
            square.first() == to.first()
                && self.field.distance_from_edge(guns.power, *square) < self.field.distance_from_edge(guns.power, to)
        };
        !self.field.grid.cells().filter(between).any(|square| self.blocks(square, heights, guns.id, false))
    }

    /// The friends that keep artillery from firing at a box: within two boxes of it (§6.2a, §6.2b, §6.2c).
    pub fn too_near(&self, guns: &Unit, target: Square) -> impl Iterator<Item = UnitId> {
        let near = move |unit: &&Unit| {
            self.at(unit.id).is_some_and(|at| {
                let lanes = u32::from(at.first().abs_diff(target.first()));
                let ranks = u32::from(at.second().abs_diff(target.second()));
                within(SAFE_DISTANCE, lanes, ranks)
            })
        };
        self.units_of(guns.power).filter(near).map(|unit| unit.id)
    }

    /// Does a box lie in the arc and range of a unit in another (§6.6b, §6.6c)?
    pub fn bears(&self, unit: &Unit, from: Square, facing: Facing, at: Square) -> bool {
        let (forward, side) = self.offsets(from, facing, at);
        let all_round = self.field.at(from).work.is_building();
        let ahead = forward >= 1 && side.abs() <= forward;
        (all_round || ahead) && within(unit.range.unwrap_or(u32::MAX), forward.unsigned_abs(), side.unsigned_abs())
    }

    /// May a unit in this box with this facing shoot at the target, and which side of it does it hit?
    pub fn shot(
        &self,
        unit: &Unit,
        from: Option<Square>,
        facing: Option<Facing>,
        target: UnitId,
    ) -> Result<Aspect, Vec<Bar>> {
        let one = |bar: Bar| Err(vec![bar]);
        let Some(enemy) = self.unit(target) else {
            let why = format!("{target} is not on this battlefield");
            return one(Bar::new("6.7a", why, "name an enemy unit of it").firm());
        };
        if enemy.power == unit.power {
            return one(Bar::new("6.7a", format!("{target} is no enemy"), "name an enemy unit").firm());
        }
        if enemy.is_off_table() {
            return self.shot_at_guns(unit, enemy).or_else(one);
        }
        let Some(at) = self.at(target) else {
            return one(gone("6.7a", target, "name a unit in play"));
        };
        let (Some(from), Some(facing)) = (from, facing) else {
            return self.gun_shot(unit, target, at);
        };
        let range = unit.range.unwrap_or(u32::MAX);
        let places = [unit.id, target].map(place);
        let (forward, side) = self.offsets(from, facing, at);
        let in_range = within(range, forward.unsigned_abs(), side.unsigned_abs());
        let all_round = self.field.at(from).work.is_building();
        if !all_round && side.abs() > forward {
            let why = format!("{target} in {at} is not in front of {}", unit.id);
            let remedy = "turn first, or name an enemy ahead or diagonally ahead";
            return one(Bar::new("6.6b", why, remedy).about(places));
        }
        if !in_range {
            let why = format!("{target} in {at} is out of range of {from}");
            let (clause, how) = match (all_round, range) {
                (true, _) => ("6.6c", " all round, not all of them diagonal".to_owned()),
                (false, 2) => ("6.5b", ", at most 1 of them diagonal".to_owned()),
                (false, _) => ("6.4c", format!(", at most {} of them diagonal", range - 1)),
            };
            let remedy = format!("the range is {}{how}", count_of(range, "box"));
            return one(Bar::new(clause, why, remedy).about(places));
        }
        if !self.sees(from, at, unit.id) {
            let why = format!("{} in {from} does not see {target} in {at}", unit.id);
            let bar = Bar::new("6.7b", why, "name an enemy in sight").about(places);
            // Units in the way may leave it, hills and woods do not.
            let screened = self.sees_past(from, at, unit.id, false);
            let screens = self.between(from, at).filter(|_| screened).map(|square| self.spot(square));
            return one(bar.about(screens));
        }
        Ok(self.aspect(target, from))
    }

    /// Guns off the table as a target (§6.3, §A20).
    fn shot_at_guns(&self, unit: &Unit, enemy: &Unit) -> Result<Aspect, Bar> {
        let remedy = "name an enemy unit on the map";
        if !unit.is_off_table() {
            let why = format!("{} stands off the table, where rifles and Gatling guns do not reach", enemy.id);
            return Err(Bar::new("A20", why, remedy).firm());
        }
        if unit.power == Power::Us {
            return Err(Bar::new("6.3b", "U.S. artillery never fires at Spanish artillery", remedy).firm());
        }
        if !self.is_alive(enemy.id) {
            return Err(gone("6.7a", enemy.id, "name a unit in play"));
        }
        Ok(Aspect::OffTable)
    }

    fn gun_shot(&self, guns: &Unit, target: UnitId, at: Square) -> Result<Aspect, Vec<Bar>> {
        let mut bars = Vec::new();
        for friend in self.too_near(guns, at) {
            let why = format!("{target} in {at} is within two boxes of {friend}");
            let bar = Bar::new("6.2a", why, "name an enemy farther from the own units");
            bars.push(bar.about([friend, target].map(place)));
        }
        if !self.guns_see(guns, at) {
            let why = format!("{} does not see {target} in {at}", guns.id);
            bars.push(Bar::new("6.1b", why, "name an enemy in sight").about([place(target)]));
        }
        if bars.is_empty() { Ok(self.gun_aspect(guns, target)) } else { Err(bars) }
    }

    /// The number a unit needs to hit by fire (§6.7d, §6.7e).
    pub fn fire_number(&self, unit: UnitId) -> u16 {
        let hampered = self.state.unit(unit).disordered && self.game.options.disordered_fire_is_harder;
        if hampered { HIT_DISORDERED } else { HIT }
    }

    /// The number a unit needs to hit in melee (§7i, §7j).
    pub fn melee_number(&self, unit: UnitId) -> u16 {
        if self.state.unit(unit).disordered { HIT_DISORDERED } else { HIT }
    }

    /// What is added to a save against fire (§6.9).
    pub fn fire_modifiers(&self, target: UnitId, aspect: Aspect) -> Tally {
        let mut tally = Tally::new();
        let Some(at) = self.at(target) else {
            return tally;
        };
        match self.field.at(at).work {
            Work::Blockhouse | Work::Fort => tally.add(self.field.at(at).work.as_str(), 2, Clause("6.9c")),
            Work::Trench => tally.add("trenches", 1, Clause("6.9d")),
            Work::None => {}
        }
        if aspect.is_exposed() {
            tally.add(exposed(aspect), -1, Clause("6.9e"));
        }
        tally
    }

    /// What is added to a melee save: works for the charged unit, height for either, flank and rear (§7.M, §A31).
    pub fn melee_modifiers(&self, unit: UnitId, enemy: UnitId, charged: Option<Aspect>) -> Tally {
        let mut tally = Tally::new();
        let (Some(at), Some(from)) = (self.at(unit), self.at(enemy)) else {
            return tally;
        };
        let terrain = self.field.at(at);
        let work = if charged.is_some() { terrain.work } else { Work::None };
        let uphill = terrain.height > self.field.at(from).height;
        if work.is_building() {
            tally.add(work.as_str(), 2, Clause("7.M1"));
        }
        // §A24: trench and uphill share one line.
        match (work == Work::Trench, uphill) {
            (true, true) => tally.add("trenches, uphill", 1, Clause("7.M2")),
            (true, false) => tally.add("trenches", 1, Clause("7.M2")),
            (false, true) => tally.add("uphill", 1, Clause("S5")),
            (false, false) => {}
        }
        if let Some(aspect) = charged.filter(|aspect| aspect.is_exposed()) {
            tally.add(exposed(aspect), -1, Clause("7.M3"));
        }
        tally
    }

    /// The way back from an enemy next to a unit: own rear, own front or the opposite side (§A32).
    pub fn way_back(&self, unit: UnitId, enemy: UnitId) -> Option<Facing> {
        let UnitState { at: Place::At(at), facing: Some(facing), .. } = self.state.unit(unit) else {
            return None;
        };
        Some(match self.field.grid.sees(at, facing, self.at(enemy)?)? {
            Relative::Ahead | Relative::AheadLeft | Relative::AheadRight => facing.rear(),
            Relative::Back | Relative::BackLeft | Relative::BackRight => facing,
            Relative::Left => facing.right(),
            Relative::Right => facing.left(),
        })
    }

    /// The boxes of a withdrawal of up to `most` boxes, the last one empty: as far as possible, at least one (§A33, §A34).
    pub fn withdrawal(&self, unit: UnitId, enemy: UnitId, most: u32) -> Vec<Square> {
        let (Some(mut at), Some(power), Some(back)) = (self.at(unit), self.power(unit), self.way_back(unit, enemy))
        else {
            return Vec::new();
        };
        let (mut path, mut reached) = (Vec::new(), 0);
        for _ in 0..most {
            let Some(next) = self.field.grid.neighbour(at, back.bearing()) else { break };
            let occupant = self.state.unit_in(next);
            if !self.field.is_passable(next) || occupant.is_some_and(|id| self.power(id) != Some(power)) {
                break;
            }
            path.push(next);
            if occupant.is_none() {
                reached = path.len();
            }
            at = next;
        }
        path.truncate(reached);
        path
    }
}

/// Where a unit stands and looks, as something a charge may leave in doubt. Fire removes units and moves nobody.
pub fn place(unit: UnitId) -> Subject {
    Subject::of(format!("{unit}.place"))
}

/// Nobody who is out of the game comes back: that rests on nothing else.
pub fn gone(clause: &'static str, unit: UnitId, remedy: &str) -> Bar {
    Bar::new(clause, format!("{unit} is eliminated"), remedy).about([Subject::of(unit)])
}

/// The word for an exposed side.
fn exposed(aspect: Aspect) -> &'static str {
    match aspect {
        Aspect::Rear => "rear",
        _ => "flank",
    }
}

/// The box so many lanes and ranks away.
fn offset(grid: &SquareGrid, from: Square, lanes: i32, ranks: i32) -> Option<Square> {
    let lane = u16::try_from(i32::from(from.first()) + lanes).ok()?;
    let rank = u16::try_from(i32::from(from.second()) + ranks).ok()?;
    grid.at(lane, rank)
}
