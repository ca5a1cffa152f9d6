//! What a unit may do with its activation: the actions of section 5, their legality as a whole (§A62) and the reasons
//! that make them difficult. The list of legal actions and the check of one are the same function.

use std::borrow::Cow;

use crate::board::{Facing, Grid, Relative, Square};
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Subject, Tally};

use super::data::Unit;
use super::events::Difficulty;
use super::orders::{Activation, Condition, Direction, Face, Way};
use super::position::{Position, gone, place};
use super::state::{Place, UnitState};
use super::terms::{ACTIVATE_DIFFICULT, ACTIVATE_NORMAL, Arm, DISORDER_ACTIVATES, Ground, Power, UnitId};

/// An action with everything fixed that it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Move along these boxes and look this way at the end.
    Move { path: Vec<Square>, direction: Direction, facing: Facing, turns: bool, clause: Clause },
    /// Charge the enemy in a box; a charge to the rear turns first (§A9).
    Charge { target: UnitId, at: Square, turn: Option<Facing> },
    /// Shoot.
    Shoot { target: UnitId },
    /// Shoot, then move back; with or without turning to the rear (§5.D4b).
    ShootAndFallBack { target: UnitId, to: Square, facing: Facing, turns: bool },
    /// Move ahead, then shoot.
    AdvanceAndShoot { to: Square, target: UnitId },
    /// Turn in place.
    Turn { to: Facing },
    /// Change places with a friend.
    Exchange { partner: UnitId, at: Square },
    /// Rally.
    Rally,
}

impl Deed {
    /// The enemy it shoots at.
    pub fn shoots_at(&self) -> Option<UnitId> {
        match self {
            Deed::Shoot { target } | Deed::ShootAndFallBack { target, .. } | Deed::AdvanceAndShoot { target, .. } => {
                Some(*target)
            }
            _ => None,
        }
    }
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

    /// Who is activated: the unit, and whoever exchanges places with it (§A12).
    pub fn activates(&self, unit: UnitId) -> Vec<UnitId> {
        match self.deed {
            Deed::Exchange { partner, .. } => vec![unit, partner],
            _ => vec![unit],
        }
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
            Deed::ShootAndFallBack { target, to, facing, turns } => {
                let looking = if *turns { format!(", looking {facing}") } else { String::new() };
                format!("shoot at {target}, then move back to {to}{looking}")
            }
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

/// Who leads a unit, as something a refused order may leave in doubt.
pub fn command(unit: UnitId) -> Subject {
    Subject::of(format!("{unit}.leader"))
}

/// Nobody is activated twice in a player turn (§A3).
pub fn activated(unit: UnitId) -> Bar {
    let why = format!("{unit} has been activated in this turn already");
    Bar::new("A3", why, "name another unit").part("unit")
}

/// An action and what makes it difficult, or every bar against it.
type Judged = Result<(Deed, Vec<Difficulty>), Vec<Bar>>;

/// Blames a key of the entry for what is not blamed on one already.
fn blame(key: &str, bars: Vec<Bar>) -> Vec<Bar> {
    bars.into_iter().map(|bar| if bar.part == DocPath::root() { bar.part(key) } else { bar }).collect()
}

impl<'p> Position<'p> {
    /// Judges an activation as a whole, as it would be carried out now (§A62): what carrying it out needs, or every bar.
    pub fn plan(&self, power: Power, entry: &Activation) -> Result<Plan, Vec<Bar>> {
        let mut bars = self.form(entry);
        match self.acting_unit(power, entry) {
            Err(bar) => bars.push(bar.part("unit")),
            Ok((unit, state)) => {
                let again = state.activated;
                if again {
                    bars.push(activated(unit.id));
                }
                let judged = (entry.actions() == 1).then(|| self.deed(unit, state, entry));
                match judged {
                    // Of a second activation only what it could never do is told as well.
                    Some(Err(more)) => bars.extend(more.into_iter().filter(|bar| bar.firm || !again)),
                    Some(Ok((deed, difficult))) if bars.is_empty() => {
                        let partner = match deed {
                            Deed::Exchange { partner, .. } => Some(partner),
                            _ => None,
                        };
                        let disordered =
                            state.disordered || partner.is_some_and(|partner| self.state.unit(partner).disordered);
                        return Ok(Plan { deed, difficult, disordered });
                    }
                    Some(Ok(_)) | None => {}
                }
            }
        }
        let grounds = self.grounds(entry);
        // What a bar says of itself that it rests on is all it rests on.
        let rest = |bar: Bar| if bar.about.is_empty() { bar.about(grounds.iter().cloned()) } else { bar };
        Err(bars.into_iter().map(rest).collect())
    }

    /// The unit named, if it is one that can be activated (§5a).
    fn acting_unit(&self, power: Power, entry: &Activation) -> Result<(&'p Unit, UnitState), Bar> {
        let id = entry.unit;
        let Some(unit) = self.unit(id) else {
            return Err(Bar::new("5a", format!("{id} is not on this battlefield"), "name a unit of it").firm());
        };
        if unit.power != power {
            return Err(Bar::new("5a", format!("{id} is not on your side"), "name one of your own units").firm());
        }
        let state = self.state.unit(id);
        if state.at == Place::Lost {
            return Err(gone("6.10e", id, "leave the entry out"));
        }
        Ok((unit, state))
    }

    /// What is wrong with an entry wherever its unit stands (§5k, §7p, and conditions on what is not there).
    fn form(&self, entry: &Activation) -> Vec<Bar> {
        let mut bars = Vec::new();
        let actions = entry.actions();
        if actions != 1 {
            let why = if actions == 0 { "the entry names no action" } else { "an activation is one action" };
            let remedy = "write one of move, charge, shoot, turn, exchange or rally; only move and shoot go together";
            bars.push(Bar::new("5k", why, remedy).firm());
        }
        for (key, given) in [("melee", entry.melee.is_some()), ("advance-facing", entry.advance_facing.is_some())] {
            if given && entry.charge.is_none() {
                let bar = Bar::new("7p", format!("{key} belongs to a charge"), "leave it out");
                bars.push(bar.part(key).firm());
            }
        }
        for (key, condition) in entry.conditions() {
            let squares = condition.squares().filter(|square| !self.field.grid.contains(*square));
            let no_box = |square: Square| {
                Bar::new("A14", format!("there is no box {square} on this battlefield"), "name a box of it")
            };
            let units = condition.units().filter(|unit| self.unit(*unit).is_none());
            let no_unit =
                |unit: UnitId| Bar::new("A52", format!("{unit} is not on this battlefield"), "name a unit of it");
            let areas = condition.captured.iter().filter(|id| self.field.areas.iter().all(|area| area.id != **id));
            let no_area = |id| Bar::new("A52", format!("{id} is not on this battlefield"), "name an area of it");
            let found = squares.map(no_box).chain(units.map(no_unit)).chain(areas.map(no_area));
            bars.extend(found.map(|bar| bar.part(key).firm()));
        }
        bars
    }

    fn deed(&self, unit: &'p Unit, state: UnitState, entry: &Activation) -> Judged {
        if entry.rally {
            return self.rally(unit, state).map_err(|bar| vec![bar.part("rally")]);
        }
        let (Some(at), Some(facing)) = (state.at.square(), state.facing) else {
            return match entry.shoot {
                Some(target) if entry.r#move.is_none() => self.shoot(unit, None, None, target),
                _ => {
                    let why = format!("{} stands off the table", unit.id);
                    let bar = Bar::new("A20", why, "it may shoot or rally, nothing else").firm();
                    Err(vec![bar.part(entry.key())])
                }
            };
        };
        let me = OnMap { unit, at, facing };
        let mut bars = Vec::new();
        if entry.face.is_some() && !self.goes_back(&me, entry) {
            let why = "facing changes only with a turn, a move straight back or an advance after melee";
            bars.push(Bar::new("A62", why, "leave `face` out").part("face").firm());
        }
        let judged = match (entry.charge, entry.turn, entry.exchange, entry.r#move, entry.shoot) {
            (Some(way), ..) => self.charge(&me, way).map_err(|bars| blame("charge", bars)),
            (_, Some(face), ..) => self.turn(&me, face).map_err(|bar| vec![bar.part("turn")]),
            (_, _, Some(way), ..) => self.exchange(&me, way).map_err(|bar| vec![bar.part("exchange")]),
            (.., Some(way), Some(target)) => self.move_and_shoot(&me, way, target, entry.face),
            (.., Some(way), None) => self.march(&me, way, entry.face),
            (.., Some(target)) => self.shoot(unit, Some(at), Some(facing), target),
            (.., None) => Err(vec![Bar::new("5k", "the entry names no action", "write what the unit does").firm()]),
        };
        match judged {
            Ok(deed) if bars.is_empty() => Ok(deed),
            Ok(_) => Err(bars),
            Err(more) => {
                bars.extend(blame("move", more));
                Err(bars)
            }
        }
    }

    /// The boxes a way leads through and to, as things stand.
    fn boxes_of(&self, unit: UnitId, way: Way) -> Vec<Square> {
        let UnitState { at: Place::At(at), facing: Some(facing), .. } = self.state.unit(unit) else {
            return Vec::new();
        };
        let ahead = |from: Square| self.field.grid.beside(from, facing, Relative::Ahead);
        let two_ahead = || ahead(at).into_iter().chain(ahead(at).and_then(ahead)).collect::<Vec<_>>();
        match way {
            Way::Step(Direction::TwoAhead) => two_ahead(),
            Way::Step(direction) => self.field.grid.beside(at, facing, direction.relative()).into_iter().collect(),
            Way::Box(square) if ahead(at).and_then(ahead) == Some(square) => two_ahead(),
            Way::Box(square) => vec![square],
            Way::To(unit) => self.at(unit).into_iter().collect(),
        }
    }

    /// What an entry changes: its unit, whom it aims at, the boxes it leaves and enters and whoever stands in them.
    pub fn touched(&self, entry: &Activation) -> Vec<Subject> {
        let ways = [entry.r#move, entry.charge, entry.exchange];
        let mut boxes: Vec<Square> =
            ways.into_iter().flatten().flat_map(|way| self.boxes_of(entry.unit, way)).collect();
        boxes.extend(self.at(entry.unit));
        let named = ways.into_iter().flatten().filter_map(|way| match way {
            Way::To(unit) => Some(unit),
            _ => None,
        });
        let inside = boxes.iter().filter_map(|square| self.state.unit_in(*square));
        let movers: Vec<UnitId> = std::iter::once(entry.unit).chain(named).chain(inside).collect();
        let mut subjects: Vec<Subject> = movers.iter().chain(&entry.shoot).map(Subject::of).collect();
        subjects.extend(movers.into_iter().filter(|_| entry.moves()).map(place));
        subjects.extend(boxes.iter().map(|square| self.spot(*square)));
        subjects
    }

    /// What is otherwise if an entry is not carried out: its unit has not left its box, and nobody was hit or displaced.
    pub fn missed(&self, entry: &Activation) -> Vec<Subject> {
        let aims = [entry.charge, entry.exchange].into_iter().flatten();
        let mut boxes: Vec<Square> = aims.flat_map(|way| self.boxes_of(entry.unit, way)).collect();
        boxes.extend(self.at(entry.unit));
        let inside = boxes.iter().filter_map(|square| self.state.unit_in(*square));
        let movers: Vec<UnitId> = std::iter::once(entry.unit).chain(inside).collect();
        let target = entry.shoot.filter(|target| self.at(*target).is_some());
        boxes.extend(target.and_then(|target| self.at(target)));
        let mut subjects: Vec<Subject> = movers.iter().chain(&target).map(Subject::of).collect();
        subjects.extend(movers.into_iter().filter(|_| entry.moves()).map(place));
        subjects.extend(boxes.iter().map(|square| self.spot(*square)));
        subjects
    }

    /// What an entry rests on: all that it changes, and the boxes it sees across.
    pub fn grounds(&self, entry: &Activation) -> Vec<Subject> {
        let mut subjects = self.touched(entry);
        let target = entry.shoot.and_then(|target| self.at(target));
        let from = entry.r#move.and_then(|way| self.boxes_of(entry.unit, way).last().copied());
        for from in from.into_iter().chain(self.at(entry.unit)) {
            let Some(to) = target else { break };
            let way = [from, to].into_iter().chain(self.between(from, to));
            subjects.extend(way.map(|square| self.spot(square)));
        }
        // §6.2a: guns off the table must not endanger their own side, wherever it stands.
        // Whoever is removed in one course of things may stand in the way in another.
        let guns = self.unit(entry.unit).filter(|unit| entry.shoot.is_some() && unit.is_off_table());
        let own = guns.map(|guns| self.field.units.iter().filter(|id| self.power(**id) == Some(guns.power)));
        subjects.extend(own.into_iter().flatten().map(|id| place(*id)));
        subjects
    }

    /// What a condition rests on.
    pub fn grounds_of(&self, condition: &Condition) -> Vec<Subject> {
        let areas = self.field.areas.iter().filter(|area| condition.captured.contains(&area.id)).map(|area| area.at);
        let boxes = condition.squares().chain(areas).map(|square| self.spot(square));
        condition.units().map(Subject::of).chain(boxes).collect()
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
                    Bar::new("A14", why, "stay on the map").firm()
                };
                return last.map(|last| (direction, last)).ok_or_else(beyond);
            }
            Way::Box(square) => square,
            Way::To(unit) if self.unit(unit).is_none() => {
                let why = format!("{unit} is not on this battlefield");
                return Err(Bar::new("A52", why, "name a unit of it").firm());
            }
            Way::To(unit) => match self.state.unit(unit).at {
                Place::At(square) => square,
                Place::OffTable => {
                    let why = format!("{unit} stands off the table");
                    return Err(Bar::new("A20", why, "name a unit on the map").firm());
                }
                Place::Lost => return Err(gone("A61", unit, "name a unit in play")),
            },
        };
        if !grid.contains(square) {
            let frame = grid.frame();
            let remedy =
                format!("lanes run from 01 to {:02}, ranks from 01 to {:02}", frame.lanes.last, frame.ranks.last);
            return Err(Bar::new("A14", format!("there is no box {square} on this battlefield"), remedy).firm());
        }
        let found = Direction::ALL
            .iter()
            .copied()
            .find(|direction| self.direction(me, Way::Step(*direction)).is_ok_and(|(_, leads_to)| leads_to == square));
        let bar = || {
            let why = format!("no action takes {} from {}, looking {}, to {square}", me.unit.id, me.at, me.facing);
            let remedy = "one box ahead, back, sideways or diagonally ahead, or two boxes ahead";
            let bar = Bar::new("5k", why, remedy);
            // A unit may come to stand elsewhere, a box does not.
            if matches!(way, Way::To(_)) { bar } else { bar.firm() }
        };
        found.map(|direction| (direction, square)).ok_or_else(bar)
    }

    /// A box a unit moves into: on land and without a unit (§A11, §A61).
    fn enterable(&self, square: Square) -> Result<(), Bar> {
        if !self.field.is_passable(square) {
            return Err(Bar::new("A11", format!("{square} is the pond"), "go round it").firm());
        }
        match self.state.unit_in(square) {
            Some(unit) => {
                Err(Bar::new("A61", format!("{unit} stands in {square}"), "move into an empty box, or charge an enemy"))
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
            Err(Bar::new(clause, why, "write `face: front` or `face: rear`").part("face").firm())
        }
    }

    fn march(&self, me: &OnMap<'_>, way: Way, face: Option<Face>) -> Judged {
        let (direction, to) = self.direction(me, way).map_err(|bar| vec![bar])?;
        let mut difficult = Vec::new();
        let mut facing = Ok(me.facing);
        let mut path = vec![to];
        let mut bars = Vec::new();
        let clause = match direction {
            Direction::Ahead => "5.N1a",
            Direction::TwoAhead => {
                match self.two_boxes(me, to) {
                    Ok(boxes) => path = boxes,
                    Err(found) => bars.extend(found),
                }
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
                facing = self.facing_after_back(me, face, "5.N2b");
                "5.N2a"
            }
        };
        if direction != Direction::TwoAhead {
            bars.extend(self.enterable(to).err());
            self.hindrances(me.at, to, false, &mut difficult);
        }
        match facing {
            Ok(facing) if bars.is_empty() => {
                let turns = facing != me.facing;
                Ok((Deed::Move { path, direction, facing, turns, clause: Clause(clause) }, difficult))
            }
            facing => {
                bars.extend(facing.err());
                Err(bars)
            }
        }
    }

    /// The restrictions of the two-box move (§5.D1b).
    fn two_boxes(&self, me: &OnMap<'_>, to: Square) -> Result<Vec<Square>, Vec<Bar>> {
        let off = || Bar::new("A14", "the second box lies beyond the edge of the map", "move one box").firm();
        let via = self.field.grid.beside(me.at, me.facing, Relative::Ahead).ok_or_else(|| vec![off()])?;
        let mut bars = Vec::new();
        let ground = |why: String| Bar::new("5.D1b", why, "move one box").firm();
        for (from, into) in [(me.at, via), (via, to)] {
            if !self.field.is_passable(into) {
                bars.push(ground(format!("{into} is the pond")));
            }
            if let Some(obstacle) = self.field.crossing(from, into) {
                bars.push(ground(format!("the {} lies between {from} and {into}", obstacle.kind)));
            }
            let terrain = self.field.at(into);
            // §A8: the bar is one on obstacles, so woods that are none do not bar it.
            let woods = terrain.ground == Ground::Woods && self.game.options.woods_are_obstacles;
            if woods || terrain.work.is_building() {
                let what = if terrain.work.is_building() { terrain.work.as_str() } else { "woods" };
                bars.push(ground(format!("{into} holds {what}")));
            }
            if let Some(unit) = self.state.unit_in(into) {
                // §5.D1c: the two-box action never becomes a charge.
                let clause = if self.power(unit) == Some(me.unit.power) { "5.D1b" } else { "5.D1c" };
                bars.push(Bar::new(clause, format!("{unit} stands in {into}"), "both boxes must be empty"));
            }
        }
        if bars.is_empty() { Ok(vec![via, to]) } else { Err(bars) }
    }

    fn charge(&self, me: &OnMap<'_>, way: Way) -> Judged {
        let one = |bar: Bar| vec![bar];
        let (direction, at) = self.direction(me, way).map_err(one)?;
        let mut difficult = Vec::new();
        let mut turn = None;
        match direction {
            Direction::Ahead => {}
            Direction::AheadLeft | Direction::AheadRight => difficult.push(difficulty("diagonally", "5.D2b")),
            Direction::Back if !self.game.options.rear_charges => {
                return Err(
                    one(Bar::new("S6", "in this game a unit does not charge to its rear", "turn first").firm()),
                );
            }
            Direction::Back => turn = Some(me.facing.rear()),
            Direction::Left | Direction::Right => {
                return Err(one(Bar::new("5.D3c", "a unit does not charge sideways", "turn first").firm()));
            }
            Direction::TwoAhead => {
                let why = "a charge goes one box; the two-box action is a move only";
                return Err(one(Bar::new("5.D1c", why, "charge from the next box").firm()));
            }
        }
        let remedy = "charge a box with an enemy unit";
        let target = match self.state.unit_in(at) {
            Some(unit) if self.power(unit) == Some(me.unit.power.enemy()) => unit,
            Some(unit) => return Err(one(Bar::new("A61", format!("{unit} in {at} is no enemy"), remedy))),
            None => return Err(one(Bar::new("A61", format!("there is no enemy unit in {at}"), remedy))),
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

    fn shoot(&self, unit: &Unit, at: Option<Square>, facing: Option<Facing>, target: UnitId) -> Judged {
        self.shot(unit, at, facing, target).map_err(|bars| blame("shoot", bars))?;
        Ok((Deed::Shoot { target }, Vec::new()))
    }

    /// Shoot and fall back, or advance and shoot: which, says the direction (§5.D4, §5.D5, §A62).
    fn move_and_shoot(&self, me: &OnMap<'_>, way: Way, target: UnitId, face: Option<Face>) -> Judged {
        let (direction, to) = self.direction(me, way).map_err(|bar| vec![bar])?;
        let mut difficult = Vec::new();
        let mut bars: Vec<Bar> = self.enterable(to).err().into_iter().collect();
        let mut shot = |from: Square| {
            let judged = self.shot(me.unit, Some(from), Some(me.facing), target);
            bars.extend(judged.err().into_iter().flat_map(|bars| blame("shoot", bars)));
        };
        let deed = match direction {
            Direction::Back => {
                shot(me.at);
                difficult.push(difficulty("shoot, then fall back", "5.D4a"));
                match self.facing_after_back(me, face, "5.D4b") {
                    Ok(facing) => Deed::ShootAndFallBack { target, to, facing, turns: facing != me.facing },
                    Err(bar) => {
                        bars.push(bar);
                        return Err(bars);
                    }
                }
            }
            Direction::Ahead => {
                shot(to);
                difficult.push(difficulty("advance, then shoot", "5.D5a"));
                Deed::AdvanceAndShoot { to, target }
            }
            _ => {
                let why = "only a move of one box straight ahead or straight back goes together with a shot";
                return Err(vec![Bar::new("5k", why, "write `move: ahead` or `move: back`").firm()]);
            }
        };
        self.hindrances(me.at, to, false, &mut difficult);
        if bars.is_empty() { Ok((deed, difficult)) } else { Err(bars) }
    }

    fn turn(&self, me: &OnMap<'_>, face: Face) -> Result<(Deed, Vec<Difficulty>), Bar> {
        let to = face.from(me.facing);
        if to == me.facing {
            let why = format!("{} looks {to} already", me.unit.id);
            return Err(Bar::new("5.N4", why, "write `left`, `right` or `rear`").firm());
        }
        Ok((Deed::Turn { to }, Vec::new()))
    }

    fn exchange(&self, me: &OnMap<'_>, way: Way) -> Result<(Deed, Vec<Difficulty>), Bar> {
        let (direction, at) = self.direction(me, way)?;
        if !matches!(direction, Direction::Ahead | Direction::Back) {
            let why = "places are exchanged with the unit directly ahead or directly behind";
            return Err(Bar::new("5.D6a", why, "write `ahead` or `back`").firm());
        }
        let Some(partner) = self.unit_of_in(me.unit.power, at) else {
            let why = format!("there is no friendly unit in {at}");
            return Err(Bar::new("5.D6a", why, "name a box with a friendly unit"));
        };
        if self.state.unit(partner).activated {
            let why = format!("{partner} has been activated in this turn already");
            return Err(Bar::new("A12", why, "name another unit"));
        }
        let difficult = vec![difficulty("exchange", "5.D6a")];
        Ok((Deed::Exchange { partner, at }, difficult))
    }

    fn rally(&self, unit: &Unit, state: UnitState) -> Result<(Deed, Vec<Difficulty>), Bar> {
        if unit.steps < 2 {
            return Err(Bar::new("8a", "Spanish units are never disordered", "choose another action").firm());
        }
        if !state.disordered {
            let why = format!("{} is in good order", unit.id);
            return Err(Bar::new("5.N5b", why, "choose another action").firm());
        }
        Ok((Deed::Rally, Vec::new()))
    }

    /// Redraws that nobody could make: the parts of an entry that lapse though it is carried out (§9e, §9h2, §9l, §9m).
    pub fn vain_redraws(&self, entry: &Activation) -> Vec<Bar> {
        let Some(unit) = self.unit(entry.unit) else { return Vec::new() };
        // §A12: an exchange is drawn for both units.
        let boxes = entry.exchange.into_iter().flat_map(|way| self.boxes_of(unit.id, way));
        let partner = boxes.filter_map(|square| self.unit_of_in(unit.power, square)).find_map(|id| self.unit(id));
        let units: Vec<&Unit> = std::iter::once(unit).chain(partner).collect();
        let mut bars = Vec::new();
        for (key, list) in [("redraw", &entry.redraw), ("hero", &entry.hero)] {
            let Some(list) = list.as_ref().filter(|list| !list.is_empty()) else { continue };
            if list.iter().any(|redraw| redraw.is_of_hits()) && !unit.arm.redraws_hits() {
                let clause = if unit.arm == Arm::Gatling { "9l" } else { "9h2" };
                let why = format!("hit chips of {} are never drawn again", unit.id);
                let remedy = format!("only infantry has its hit chips drawn again; {}", self.redraws_of(unit.id));
                bars.push(Bar::new(clause, why, remedy).part(key).firm());
            }
            let leaders = || units.iter().flat_map(|unit| self.leaders_with(unit.id)).next();
            let heroes = || units.iter().any(|unit| unit.hero.is_some());
            let ready = || units.iter().any(|unit| self.ready_hero(unit.id).is_some());
            let bar = match key {
                "redraw" if leaders().is_none() => {
                    Bar::new("9e", format!("no leader is attached to {}", unit.id), self.led(unit.power))
                        .about(units.iter().map(|unit| command(unit.id)))
                }
                "hero" if !heroes() => Bar::new("9m", format!("there is no hero with {}", unit.id), "leave it out"),
                "hero" if !ready() => Bar::new("9o", format!("the hero of {} has been used", unit.id), "leave it out"),
                _ => continue,
            };
            bars.push(bar.part(key));
        }
        bars
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
                for face in [None, Some(Face::Rear)] {
                    add(Activation { shoot: Some(*target), r#move: step(Direction::Back), face, ..blank() });
                }
            }
        }
        for face in [Face::Left, Face::Right, Face::Rear] {
            add(Activation { turn: Some(face), ..blank() });
        }
    }
}
