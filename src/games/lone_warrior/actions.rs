//! What a unit may do with its activation: the actions of section 5, their legality as a whole (§A62) and the reasons
//! that make them difficult. The list of legal actions and the check of one are the same function.

use std::borrow::Cow;

use crate::board::{Facing, Grid, Relative, Square};
use crate::engine::{Clause, Tally};

use super::data::Unit;
use super::events::Difficulty;
use super::orders::{Activation, Direction, Face, Way};
use super::position::{Bar, Position};
use super::state::{Place, UnitState};
use super::terms::{ACTIVATE_DIFFICULT, ACTIVATE_NORMAL, DISORDER_ACTIVATES, Ground, Power, UnitId};

/// An action with everything fixed that it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Move along these boxes and look this way at the end.
    Move { path: Vec<Square>, direction: Direction, facing: Facing, turns: bool, clause: Clause },
    /// Charge the enemy in a box; a charge to the rear turns first (§A9).
    Charge { target: UnitId, at: Square, turn: Option<Facing> },
    /// Shoot.
    Shoot { target: UnitId },
    /// Shoot, then move back.
    ShootAndFallBack { target: UnitId, to: Square, facing: Facing },
    /// Move ahead, then shoot.
    AdvanceAndShoot { to: Square, target: UnitId },
    /// Turn in place.
    Turn { to: Facing },
    /// Change places with a friend.
    Exchange { partner: UnitId, at: Square },
    /// Rally.
    Rally,
}

/// A legal action: what is done, and the number it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub deed: Deed,
    pub difficult: Vec<Difficulty>,
    /// Disordered, or done together with a unit that is (§A12).
    pub disordered: bool,
}

impl Plan {
    /// The chip needed: two levels, however many reasons there are (§A6), and one more in disorder.
    pub fn needs(&self) -> u16 {
        let level = if self.difficult.is_empty() { ACTIVATE_NORMAL } else { ACTIVATE_DIFFICULT };
        level + if self.disordered { DISORDER_ACTIVATES } else { 0 }
    }

    /// The number needed, term by term.
    pub fn number(&self) -> Tally {
        let mut tally = Tally::new();
        let (what, base, clause, harder) = if self.difficult.is_empty() {
            ("normal action", ACTIVATE_NORMAL, "5g", "5h")
        } else {
            ("difficult action", ACTIVATE_DIFFICULT, "5i", "5j")
        };
        tally.add(what, i32::from(base), Clause(clause));
        if self.disordered {
            tally.add("disordered", i32::from(DISORDER_ACTIVATES), Clause(harder));
        }
        tally
    }

    /// The action in words.
    pub fn text(&self) -> String {
        match &self.deed {
            Deed::Move { path, direction, facing, turns, .. } => {
                let to = path.last().map(Square::to_string).unwrap_or_default();
                let looking = if *turns { format!(", looking {facing}") } else { String::new() };
                format!("move {direction} to {to}{looking}")
            }
            Deed::Charge { target, at, .. } => format!("charge {target} in {at}"),
            Deed::Shoot { target } => format!("shoot at {target}"),
            Deed::ShootAndFallBack { target, to, .. } => format!("shoot at {target}, then move back to {to}"),
            Deed::AdvanceAndShoot { to, target } => format!("move ahead to {to}, then shoot at {target}"),
            Deed::Turn { to } => format!("turn to the {to}"),
            Deed::Exchange { partner, at } => format!("exchange places with {partner} in {at}"),
            Deed::Rally => "rally".to_owned(),
        }
    }
}

/// A unit on the map with where it is and looks.
struct OnMap<'p> {
    unit: &'p Unit,
    at: Square,
    facing: Facing,
}

fn difficulty(what: impl Into<Cow<'static, str>>, clause: &'static str) -> Difficulty {
    Difficulty { what: what.into(), clause: Clause(clause) }
}

impl<'p> Position<'p> {
    /// Checks an activation as a whole, as it would be carried out now (§A62).
    pub fn plan(&self, power: Power, entry: &Activation) -> Result<Plan, Bar> {
        let id = entry.unit;
        let Some(unit) = self.unit(id) else {
            return Err(Bar::fixed("5a", format!("{id} is not on this battlefield"), "name a unit of it"));
        };
        if unit.power != power {
            return Err(Bar::fixed("5a", format!("{id} is not on your side"), "name one of your own units"));
        }
        let state = self.state.unit(id);
        if state.at == Place::Lost {
            return Err(Bar::fixed("6.10e", format!("{id} is eliminated"), "leave the entry out"));
        }
        if state.activated {
            return Err(Bar::fixed("A3", format!("{id} has been activated in this turn already"), "name another unit"));
        }
        let (deed, difficult) = self.deed(unit, state, entry)?;
        let partner = match deed {
            Deed::Exchange { partner, .. } => Some(partner),
            _ => None,
        };
        let disordered = state.disordered || partner.is_some_and(|partner| self.state.unit(partner).disordered);
        Ok(Plan { deed, difficult, disordered })
    }

    fn deed(&self, unit: &'p Unit, state: UnitState, entry: &Activation) -> Result<(Deed, Vec<Difficulty>), Bar> {
        let actions = entry.actions();
        if actions != 1 {
            let why = if actions == 0 { "the entry names no action" } else { "an activation is one action" };
            let remedy = "write one of move, charge, shoot, turn, exchange or rally; only move and shoot go together";
            return Err(Bar::fixed("5k", why, remedy));
        }
        if entry.charge.is_none() && (entry.melee.is_some() || entry.advance_facing.is_some()) {
            return Err(Bar::fixed("7p", "melee and advance-facing belong to a charge", "leave them out"));
        }
        if entry.rally {
            return self.rally(unit, state);
        }
        let (Some(at), Some(facing)) = (state.at.square(), state.facing) else {
            return match entry.shoot {
                Some(target) if entry.r#move.is_none() => self.shoot(unit, None, None, target),
                _ => Err(Bar::fixed(
                    "A20",
                    format!("{} stands off the table", unit.id),
                    "it may shoot or rally, nothing else",
                )),
            };
        };
        let me = OnMap { unit, at, facing };
        if entry.face.is_some() && !self.goes_back(&me, entry) {
            let why = "facing changes only with a turn, a move straight back or an advance after melee";
            return Err(Bar::fixed("A62", why, "leave `face` out"));
        }
        if let Some(way) = entry.charge {
            return self.charge(&me, way);
        }
        if let Some(face) = entry.turn {
            return self.turn(&me, face);
        }
        if let Some(way) = entry.exchange {
            return self.exchange(&me, way);
        }
        match (entry.r#move, entry.shoot) {
            (Some(way), Some(target)) => self.move_and_shoot(&me, way, target, entry.face),
            (Some(way), None) => self.march(&me, way, entry.face),
            (None, Some(target)) => self.shoot(unit, Some(at), Some(facing), target),
            (None, None) => Err(Bar::fixed("5k", "the entry names no action", "write what the unit does")),
        }
    }

    fn goes_back(&self, me: &OnMap<'_>, entry: &Activation) -> bool {
        let direction = entry.r#move.and_then(|way| self.direction(me, way).ok());
        direction.is_some_and(|(direction, _)| direction == Direction::Back)
    }

    /// The direction a player means, and the box it leads to.
    fn direction(&self, me: &OnMap<'_>, way: Way) -> Result<(Direction, Square), Bar> {
        let grid = &self.field.grid;
        let square = match way {
            Way::Step(direction) => {
                let next = grid.beside(me.at, me.facing, direction.relative());
                let last = match direction {
                    Direction::TwoAhead => next.and_then(|next| grid.beside(next, me.facing, Relative::Ahead)),
                    _ => next,
                };
                let beyond = || {
                    let why = format!("{direction} of {} lies beyond the edge of the map", me.at);
                    Bar::fixed("A14", why, "stay on the map")
                };
                return last.map(|last| (direction, last)).ok_or_else(beyond);
            }
            Way::Box(square) => square,
            Way::To(unit) => match self.state.unit(unit).at {
                Place::At(square) => square,
                Place::OffTable => {
                    return Err(Bar::fixed("A20", format!("{unit} stands off the table"), "name a unit on the map"));
                }
                Place::Lost => return Err(Bar::now("A61", format!("{unit} is eliminated"), "name a unit in play")),
            },
        };
        if !grid.contains(square) {
            let frame = grid.frame();
            let remedy =
                format!("lanes run from 01 to {:02}, ranks from 01 to {:02}", frame.lanes.last, frame.ranks.last);
            return Err(Bar::fixed("A14", format!("there is no box {square} on this battlefield"), remedy));
        }
        let found = Direction::ALL
            .iter()
            .copied()
            .find(|direction| self.direction(me, Way::Step(*direction)).is_ok_and(|(_, leads_to)| leads_to == square));
        let bar = || {
            let why = format!("no action takes {} from {}, looking {}, to {square}", me.unit.id, me.at, me.facing);
            let remedy = "one box ahead, back, sideways or diagonally ahead, or two boxes ahead";
            if matches!(way, Way::To(_)) { Bar::now("5k", why, remedy) } else { Bar::fixed("5k", why, remedy) }
        };
        found.map(|direction| (direction, square)).ok_or_else(bar)
    }

    /// A box a unit moves into: on land and without a unit (§A11, §A61).
    fn enterable(&self, square: Square) -> Result<(), Bar> {
        if !self.field.is_passable(square) {
            return Err(Bar::fixed("A11", format!("{square} is the pond"), "go round it"));
        }
        match self.state.unit_in(square) {
            Some(unit) => {
                Err(Bar::now("A61", format!("{unit} stands in {square}"), "move into an empty box, or charge an enemy"))
            }
            None => Ok(()),
        }
    }

    /// What makes entering a box by this step difficult (§5.D7c, §5.D8).
    fn hindrances(&self, from: Square, to: Square, charge: bool, difficult: &mut Vec<Difficulty>) {
        let terrain = self.field.at(to);
        if !charge && terrain.work.is_building() {
            difficult.push(difficulty(format!("into a {}", terrain.work), "5.D7c"));
        }
        if let Some(obstacle) = self.field.crossing(from, to) {
            let clause = if charge { "5.D8b" } else { "5.D8a" };
            difficult.push(difficulty(format!("across a {}", obstacle.kind), clause));
        }
        if terrain.ground == Ground::Woods && self.game.options.woods_are_obstacles {
            difficult.push(difficulty("into woods", "5.D8c"));
        }
    }

    /// Former front or former rear (§5.N2b, §5.D4b).
    fn facing_after_back(&self, me: &OnMap<'_>, face: Option<Face>, clause: &'static str) -> Result<Facing, Bar> {
        let facing = face.unwrap_or(Face::Front).from(me.facing);
        if facing == me.facing || facing == me.facing.rear() {
            Ok(facing)
        } else {
            let why = "after a move straight back a unit looks to its former front or its former rear";
            Err(Bar::fixed(clause, why, "write `face: front` or `face: rear`"))
        }
    }

    fn march(&self, me: &OnMap<'_>, way: Way, face: Option<Face>) -> Result<(Deed, Vec<Difficulty>), Bar> {
        let (direction, to) = self.direction(me, way)?;
        let mut difficult = Vec::new();
        let mut facing = me.facing;
        let mut path = vec![to];
        let clause = match direction {
            Direction::Ahead => "5.N1a",
            Direction::TwoAhead => {
                path = self.two_boxes(me, to)?;
                if self.game.options.two_boxes_are_difficult {
                    difficult.push(difficulty("two boxes", "5.D1a"));
                }
                "5.D1a"
            }
            Direction::AheadLeft | Direction::AheadRight => {
                difficult.push(difficulty("diagonally", "5.D2a"));
                "5.D2a"
            }
            Direction::Left | Direction::Right => {
                difficult.push(difficulty("sideways", "5.D3a"));
                "5.D3b"
            }
            Direction::Back => {
                facing = self.facing_after_back(me, face, "5.N2b")?;
                "5.N2a"
            }
        };
        self.enterable(to)?;
        if direction != Direction::TwoAhead {
            self.hindrances(me.at, to, false, &mut difficult);
        }
        let turns = facing != me.facing;
        Ok((Deed::Move { path, direction, facing, turns, clause: Clause(clause) }, difficult))
    }

    /// The restrictions of the two-box move (§5.D1b).
    fn two_boxes(&self, me: &OnMap<'_>, to: Square) -> Result<Vec<Square>, Bar> {
        let off = || Bar::fixed("A14", "the second box lies beyond the edge of the map", "move one box");
        let via = self.field.grid.beside(me.at, me.facing, Relative::Ahead).ok_or_else(off)?;
        for (from, into) in [(me.at, via), (via, to)] {
            if !self.field.is_passable(into) {
                return Err(Bar::fixed("5.D1b", format!("{into} is the pond"), "move one box"));
            }
            if let Some(obstacle) = self.field.crossing(from, into) {
                let why = format!("the {} lies between {from} and {into}", obstacle.kind);
                return Err(Bar::fixed("5.D1b", why, "move one box"));
            }
            let terrain = self.field.at(into);
            // §A8: the bar is one on obstacles, so woods that are none do not bar it.
            let woods = terrain.ground == Ground::Woods && self.game.options.woods_are_obstacles;
            if woods || terrain.work.is_building() {
                let what = if terrain.work.is_building() { terrain.work.as_str() } else { "woods" };
                return Err(Bar::fixed("5.D1b", format!("{into} holds {what}"), "move one box"));
            }
            if let Some(unit) = self.state.unit_in(into) {
                // §5.D1c: the two-box action never becomes a charge.
                let clause = if self.power(unit) == Some(me.unit.power) { "5.D1b" } else { "5.D1c" };
                return Err(Bar::now(clause, format!("{unit} stands in {into}"), "both boxes must be empty"));
            }
        }
        Ok(vec![via, to])
    }

    fn charge(&self, me: &OnMap<'_>, way: Way) -> Result<(Deed, Vec<Difficulty>), Bar> {
        let (direction, at) = self.direction(me, way)?;
        let mut difficult = Vec::new();
        let mut turn = None;
        match direction {
            Direction::Ahead => {}
            Direction::AheadLeft | Direction::AheadRight => difficult.push(difficulty("diagonally", "5.D2b")),
            Direction::Back if !self.game.options.rear_charges => {
                return Err(Bar::fixed("S6", "in this game a unit does not charge to its rear", "turn first"));
            }
            Direction::Back => turn = Some(me.facing.rear()),
            Direction::Left | Direction::Right => {
                return Err(Bar::fixed("5.D3c", "a unit does not charge sideways", "turn first"));
            }
            Direction::TwoAhead => {
                return Err(Bar::fixed(
                    "5.D1c",
                    "a charge goes one box; the two-box action is a move only",
                    "charge from the next box",
                ));
            }
        }
        let target = match self.state.unit_in(at) {
            Some(unit) if self.power(unit) == Some(me.unit.power.enemy()) => unit,
            Some(unit) => {
                return Err(Bar::now("A61", format!("{unit} in {at} is no enemy"), "charge a box with an enemy unit"));
            }
            None => {
                return Err(Bar::now(
                    "A61",
                    format!("there is no enemy unit in {at}"),
                    "charge a box with an enemy unit",
                ));
            }
        };
        let work = self.field.at(at).work;
        if work.is_building() {
            difficult.push(difficulty(format!("an enemy in a {work}"), "5.D7b"));
        } else if work != super::terms::Work::None {
            difficult.push(difficulty("an enemy in trenches", "5.D7a"));
        }
        self.hindrances(me.at, at, true, &mut difficult);
        Ok((Deed::Charge { target, at, turn }, difficult))
    }

    fn shoot(
        &self,
        unit: &Unit,
        at: Option<Square>,
        facing: Option<Facing>,
        target: UnitId,
    ) -> Result<(Deed, Vec<Difficulty>), Bar> {
        self.shot(unit, at, facing, target)?;
        Ok((Deed::Shoot { target }, Vec::new()))
    }

    /// Shoot and fall back, or advance and shoot: which, says the direction (§5.D4, §5.D5, §A62).
    fn move_and_shoot(
        &self,
        me: &OnMap<'_>,
        way: Way,
        target: UnitId,
        face: Option<Face>,
    ) -> Result<(Deed, Vec<Difficulty>), Bar> {
        let (direction, to) = self.direction(me, way)?;
        let mut difficult = Vec::new();
        match direction {
            Direction::Back => {
                self.enterable(to)?;
                let facing = self.facing_after_back(me, face, "5.D4b")?;
                self.shot(me.unit, Some(me.at), Some(me.facing), target)?;
                difficult.push(difficulty("shoot, then fall back", "5.D4a"));
                self.hindrances(me.at, to, false, &mut difficult);
                Ok((Deed::ShootAndFallBack { target, to, facing }, difficult))
            }
            Direction::Ahead => {
                self.enterable(to)?;
                self.shot(me.unit, Some(to), Some(me.facing), target)?;
                difficult.push(difficulty("advance, then shoot", "5.D5a"));
                self.hindrances(me.at, to, false, &mut difficult);
                Ok((Deed::AdvanceAndShoot { to, target }, difficult))
            }
            _ => {
                let why = "only a move of one box straight ahead or straight back goes together with a shot";
                Err(Bar::fixed("5k", why, "write `move: ahead` or `move: back`"))
            }
        }
    }

    fn turn(&self, me: &OnMap<'_>, face: Face) -> Result<(Deed, Vec<Difficulty>), Bar> {
        let to = face.from(me.facing);
        if to == me.facing {
            return Err(Bar::fixed(
                "5.N4",
                format!("{} looks {to} already", me.unit.id),
                "write `left`, `right` or `rear`",
            ));
        }
        Ok((Deed::Turn { to }, Vec::new()))
    }

    fn exchange(&self, me: &OnMap<'_>, way: Way) -> Result<(Deed, Vec<Difficulty>), Bar> {
        let (direction, at) = self.direction(me, way)?;
        if !matches!(direction, Direction::Ahead | Direction::Back) {
            let why = "places are exchanged with the unit directly ahead or directly behind";
            return Err(Bar::fixed("5.D6a", why, "write `ahead` or `back`"));
        }
        let Some(partner) = self.unit_of_in(me.unit.power, at) else {
            return Err(Bar::now(
                "5.D6a",
                format!("there is no friendly unit in {at}"),
                "name a box with a friendly unit",
            ));
        };
        if self.state.unit(partner).activated {
            return Err(Bar::now(
                "A12",
                format!("{partner} has been activated in this turn already"),
                "name another unit",
            ));
        }
        let difficult = vec![difficulty("exchange", "5.D6a")];
        Ok((Deed::Exchange { partner, at }, difficult))
    }

    fn rally(&self, unit: &Unit, state: UnitState) -> Result<(Deed, Vec<Difficulty>), Bar> {
        if unit.steps < 2 {
            return Err(Bar::fixed("8a", "Spanish units are never disordered", "choose another action"));
        }
        if !state.disordered {
            return Err(Bar::fixed("5.N5b", format!("{} is in good order", unit.id), "choose another action"));
        }
        Ok((Deed::Rally, Vec::new()))
    }

    /// Everything a unit may do now, as entries of an order file.
    pub fn options(&self, power: Power, unit: UnitId) -> Vec<Activation> {
        self.choices(power, unit).into_iter().map(|(entry, _)| entry).collect()
    }

    /// The same with what each of them comes to.
    pub fn choices(&self, power: Power, unit: UnitId) -> Vec<(Activation, Plan)> {
        let mut all = Vec::new();
        self.candidates(power, unit, &mut |entry| {
            if let Ok(plan) = self.plan(power, &entry) {
                all.push((entry, plan));
            }
        });
        all
    }

    /// Every action of section 5 that names something there is. What a glance at the boxes around shows to be
    /// impossible is left out; the rest is for [`Position::plan`] to judge.
    fn candidates(&self, power: Power, id: UnitId, add: &mut dyn FnMut(Activation)) {
        let blank = || Activation::of(id);
        let Some(unit) = self.unit(id) else { return };
        let state = self.state.unit(id);
        if state.disordered {
            add(Activation { rally: true, ..blank() });
        }
        let (Some(at), Some(facing)) = (state.at.square(), state.facing) else {
            for enemy in self.units_of(power.enemy()) {
                add(Activation { shoot: Some(enemy.id), ..blank() });
            }
            return;
        };
        let enemies: Vec<(UnitId, Square)> =
            self.units_of(power.enemy()).filter_map(|enemy| Some((enemy.id, self.at(enemy.id)?))).collect();
        let near = |from: Square| {
            enemies.iter().filter(move |(_, at)| self.bears(unit, from, facing, *at)).map(|(enemy, _)| *enemy)
        };
        let step = |direction| Some(Way::Step(direction));
        let around: Vec<(Square, Power)> = (self.state.units.iter())
            .filter_map(|(other, state)| Some((state.at.square()?, other)))
            .filter(|(square, _)| self.field.grid.distance(at, *square) <= 1)
            .filter_map(|(square, other)| Some((square, self.power(*other)?)))
            .collect();
        let beside = |direction: Direction| {
            let square = self.field.grid.beside(at, facing, direction.relative())?;
            Some((square, around.iter().find(|(held, _)| *held == square).map(|(_, power)| *power)))
        };
        let targets: Vec<UnitId> = near(at).collect();
        for target in &targets {
            add(Activation { shoot: Some(*target), ..blank() });
        }
        for direction in Direction::ALL {
            match beside(*direction) {
                None => {}
                Some((_, None)) => add(Activation { r#move: step(*direction), ..blank() }),
                Some((_, Some(other))) if other != power => add(Activation { charge: step(*direction), ..blank() }),
                Some((_, Some(_))) => add(Activation { exchange: step(*direction), ..blank() }),
            }
        }
        if let Some((ahead, None)) = beside(Direction::Ahead) {
            for target in near(ahead) {
                add(Activation { shoot: Some(target), r#move: step(Direction::Ahead), ..blank() });
            }
        }
        if let Some((_, None)) = beside(Direction::Back) {
            add(Activation { r#move: step(Direction::Back), face: Some(Face::Rear), ..blank() });
            for target in &targets {
                add(Activation { shoot: Some(*target), r#move: step(Direction::Back), ..blank() });
            }
        }
        for face in [Face::Left, Face::Right, Face::Rear] {
            add(Activation { turn: Some(face), ..blank() });
        }
    }
}
