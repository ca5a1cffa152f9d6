//! The position as somebody sees it: who stands where, what a stack counts, what a closed counter may hold.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Hex, Layer};
use crate::engine::doc::{DocPath, FromDoc, Node, Reader};
use crate::engine::{Holdings, Seen, Side};

use super::EndOfEmpire;
use super::data::{Data, Factors, Unit};
use super::state::{CounterState, Place, State, UnitState, Wound};
use super::terms::{Content, Flag, Force, Member, Mode, Piece, UnitKind};

/// What somebody knows of the closed counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known(pub BTreeMap<Piece, Content>);

impl Known {
    /// What the holder of these values knows.
    pub fn of(game: &EndOfEmpire, state: &State, holdings: &Holdings) -> Known {
        let read = |counter: &CounterState| {
            let held = holdings.get(counter.force.side(), counter.holds.slot())?;
            Content::read(&Node::from_json(held), &DocPath::root(), &mut Reader::new(game))
        };
        Known(state.counters.iter().filter_map(|(name, counter)| Some((*name, read(counter)?))).collect())
    }

    /// What a player may judge his own orders by: his own counters, nothing of the enemy's.
    pub fn own(game: &EndOfEmpire, seen: &Seen<'_, State>, side: Side) -> Known {
        let mut known = Known::of(game, seen.state, seen.holdings);
        known.0.retain(|name, _| seen.state.counters.get(name).is_some_and(|counter| counter.force.side() == side));
        known
    }
}

/// A position somebody looks at.
#[derive(Clone, Copy)]
pub struct Position<'p> {
    /// The table.
    pub game: &'p EndOfEmpire,
    /// The public state.
    pub state: &'p State,
    /// What the viewer knows besides.
    pub known: &'p Known,
}

/// What stands in each hex, as seen by one force: made once for a search.
pub struct Crowd(Layer<u8>);

impl Crowd {
    /// An enemy combat unit or closed counter.
    pub const ENEMY: u8 = 1;
    /// Another enemy piece: base, leader, logistic column, signals.
    pub const BYSTANDER: u8 = 2 | 32;
    /// One of them that is no leader, and so does not flee (A15b).
    pub const STEADY: u8 = 2;
    const LEADER: u8 = 32;
    /// A piece of the other force of the US player.
    pub const ALLY: u8 = 4;
    /// A piece of one's own force that is not in guerrilla.
    pub const REGULAR: u8 = 8;
    /// A piece of one's own force in guerrilla.
    pub const GUERRILLA: u8 = 16;

    /// Is such a thing in the hex?
    pub fn has(&self, data: &Data, hex: Hex, what: u8) -> bool {
        self.0.get(&data.grid, hex).is_some_and(|here| here & what != 0)
    }
}

/// The units under a counter after its losses, in order, with the steps they have left.
pub fn after_losses(data: &Data, content: &Content, wounds: &[Wound]) -> Vec<(Piece, u8)> {
    wounded(data, content, wounds).0
}

/// The same, and how many steps of the last loss nobody under the counter can take.
pub fn wounded(data: &Data, content: &Content, wounds: &[Wound]) -> (Vec<(Piece, u8)>, u8) {
    let steps = |unit: Piece| data.unit(unit).map_or(0, |unit| unit.steps);
    let mut members: Vec<(Piece, u8)> = content
        .members()
        .iter()
        .map(|member| (member.unit, member.steps.unwrap_or_else(|| steps(member.unit))))
        .collect();
    let stepless = |unit: Piece| steps(unit) == 0;
    let mut left = 0;
    for wound in wounds {
        left = wound.steps;
        for (unit, has) in &mut members {
            let exempt = wound.fever && data.unit(*unit).is_some_and(|unit| unit.has(Flag::NoFever));
            if left == 0 || stepless(*unit) || exempt {
                continue;
            }
            let taken = left.min(*has);
            left -= taken;
            // A10: any loss kills guerrillas.
            let guerrilla = data.unit(*unit).is_some_and(|unit| unit.kind == UnitKind::Guerrilla);
            *has = if guerrilla && taken > 0 { 0 } else { *has - taken };
        }
    }
    members.retain(|(unit, has)| *has > 0 || stepless(*unit));
    // A15a, A30g: who has no steps shares the fate of those who have.
    if members.iter().all(|(unit, _)| stepless(*unit)) && content.members().iter().any(|member| !stepless(member.unit))
    {
        members.clear();
    }
    (members, left)
}

/// Who of those under a counter was lost with these losses.
pub fn fallen(data: &Data, content: &Content, wounds: &[Wound]) -> Vec<Piece> {
    let left = after_losses(data, content, wounds);
    let gone = |unit: &Piece| left.iter().all(|(other, _)| other != unit);
    content.members().iter().map(|member| member.unit).filter(gone).collect()
}

impl<'p> Position<'p> {
    /// Data of the match.
    pub fn data(&self) -> &'p Data {
        &self.game.data
    }

    /// A unit's counter.
    pub fn unit(&self, piece: Piece) -> Option<&'p Unit> {
        self.data().unit(piece)
    }

    /// What a unit is; nothing of a closed counter.
    pub fn kind(&self, piece: Piece) -> Option<UnitKind> {
        self.unit(piece).map(|unit| unit.kind)
    }

    /// Whose a piece is.
    pub fn force(&self, piece: Piece) -> Option<Force> {
        match self.unit(piece) {
            Some(unit) => Some(unit.force),
            None => Piece::counter_force(piece.as_str()),
        }
    }

    /// Does a piece fight: a combat unit, or a closed counter as far as everybody knows?
    pub fn fights(&self, piece: Piece) -> bool {
        match self.kind(piece) {
            Some(kind) => kind.is_combat(),
            None => self.state.counters.contains_key(&piece),
        }
    }

    /// How a piece is deployed: in guerrilla, or in regular order like everybody else.
    pub fn mode(&self, piece: Piece) -> Mode {
        let said = match self.state.counters.get(&piece) {
            Some(counter) => counter.mode,
            None => self.state.unit(piece).mode,
        };
        said.unwrap_or(Mode::Regular)
    }

    /// Leaders of a side with no fighting unit in their hex, to whom an enemy comes near who enters one of these (A15b).
    pub fn lone_leaders(&self, side: Side, entered: &[Hex]) -> Vec<(Piece, Hex, Force)> {
        let lone = |(id, unit): (&Piece, &UnitState)| {
            let hex = unit.at.hex().filter(|_| self.kind(*id) == Some(UnitKind::Leader))?;
            let force = self.force(*id).filter(|force| force.side() == side)?;
            let friends = self.stack(hex, force).into_iter().any(|piece| self.fights(piece));
            let near = entered.iter().any(|enemy| self.data().distance(*enemy, hex) <= 1);
            (near && !friends).then_some((*id, hex, force))
        };
        self.state.units.iter().filter_map(lone).collect()
    }

    /// Would somebody in this mode share the hex with his own side against §11.1b (A42c)?
    pub fn clashes(&self, hex: Hex, force: Force, mode: Mode) -> bool {
        self.stack(hex, force).into_iter().any(|other| self.mode(other) != mode)
    }

    /// Has the piece landed this turn (§8.2)?
    pub fn landed(&self, piece: Piece) -> bool {
        self.state.counters.get(&piece).map_or(self.state.unit(piece).landed, |counter| counter.landed)
    }

    /// Has anybody in the stack landed this turn, which is felt by all of it when it is attacked (A64)?
    pub fn is_fresh(&self, hex: Hex, force: Force) -> bool {
        self.stack(hex, force).into_iter().any(|piece| self.landed(piece))
    }

    /// Is the piece in guerrilla (§11.2)?
    pub fn in_guerrilla(&self, piece: Piece) -> bool {
        self.mode(piece) == Mode::Guerrilla
    }

    /// Every piece in a hex: units by id, then closed counters.
    pub fn pieces_in(&self, hex: Hex) -> impl Iterator<Item = Piece> + 'p {
        let units = self.state.units.iter().filter(move |(_, unit)| unit.at == Place::At(hex)).map(|(id, _)| *id);
        let counters = self.state.counters.iter().filter(move |(_, counter)| counter.at == hex).map(|(id, _)| *id);
        units.chain(counters)
    }

    /// The pieces of a force in a hex.
    pub fn stack(&self, hex: Hex, force: Force) -> Vec<Piece> {
        self.pieces_in(hex).filter(|piece| self.force(*piece) == Some(force)).collect()
    }

    /// The fighting pieces of a side in a hex.
    pub fn fighters(&self, hex: Hex, side: Side) -> Vec<Piece> {
        let of = |piece: &Piece| self.force(*piece).is_some_and(|force| force.side() == side);
        self.pieces_in(hex).filter(|piece| of(piece) && self.fights(*piece)).collect()
    }

    /// Is there a fighting piece of the side in the hex (A36d)?
    pub fn held_by(&self, hex: Hex, side: Side) -> bool {
        let of = |piece: Piece| self.force(piece).is_some_and(|force| force.side() == side);
        self.pieces_in(hex).any(|piece| of(piece) && self.fights(piece))
    }

    /// The force of the fighting pieces in a hex.
    pub fn holder(&self, hex: Hex) -> Option<Force> {
        self.pieces_in(hex).find(|piece| self.fights(*piece)).and_then(|piece| self.force(piece))
    }

    /// Every piece of a side on the map.
    pub fn on_map(&self, side: Side) -> Vec<Piece> {
        let units = self.state.units.iter().filter(|(_, unit)| unit.at.hex().is_some()).map(|(id, _)| *id);
        let all = units.chain(self.state.counters.keys().copied());
        all.filter(|piece| self.force(*piece).is_some_and(|force| force.side() == side)).collect()
    }

    /// The side of the counter that shows.
    pub fn factors(&self, piece: Piece) -> Factors {
        let now = self.state.unit(piece);
        let none = Factors { fire: 0, shock: 0, r#move: 0 };
        self.unit(piece).map_or(none, |unit| unit.factors(now.steps, now.mode))
    }

    /// A factor halved for DS and for OOS, rounded down each time (§9.5b, §10.4a, A32).
    pub fn halved(&self, piece: Piece, factor: u32) -> u32 {
        let now = self.state.unit(piece);
        let mut counts = factor;
        if now.ds {
            counts /= 2;
        }
        // A102: who needs no supply is never out of it.
        if now.oos && self.needs_supply(piece) {
            counts /= 2;
        }
        counts
    }

    /// Does the unit trace supply at all (§10.2b, §10.2c, §10.4e)?
    pub fn needs_supply(&self, piece: Piece) -> bool {
        match self.unit(piece) {
            Some(unit) => unit.force != Force::Cuban && unit.kind.is_combat() && unit.kind != UnitKind::Guerrilla,
            None => Piece::counter_force(piece.as_str()) != Some(Force::Cuban),
        }
    }

    /// What the viewer knows of a closed counter, after its losses.
    pub fn members(&self, counter: Piece) -> Option<Vec<(Piece, u8)>> {
        self.state.counters.get(&counter)?;
        Some(self.left_under(counter, self.known.0.get(&counter)?))
    }

    /// Is somebody of such a kind left under a counter with this content?
    pub fn any_under(&self, counter: Piece, content: &Content, kind: impl Fn(UnitKind) -> bool) -> bool {
        self.left_under(counter, content).into_iter().any(|(unit, _)| self.kind(unit).is_some_and(&kind))
    }

    /// Who is left under a counter with this content.
    pub fn left_under(&self, counter: Piece, content: &Content) -> Vec<(Piece, u8)> {
        let wounds = self.state.counters.get(&counter).map_or(&[][..], |counter| &counter.wounds);
        after_losses(self.data(), content, wounds)
    }

    /// The movement allowance of a piece; of a closed counter its slowest unit (A61), or as much as any unit of the
    /// force could have if the viewer does not know.
    pub fn allowance(&self, piece: Piece) -> u32 {
        if self.state.counters.contains_key(&piece) {
            return match self.known.0.get(&piece) {
                Some(content) => self.content_allowance(piece, content),
                None => self.widest_allowance(piece),
            };
        }
        if self.kind(piece) == Some(UnitKind::Signals) && self.state.balloon_up {
            return 0; // A53a
        }
        self.factors(piece).r#move
    }

    fn widest_allowance(&self, counter: Piece) -> u32 {
        let force = self.force(counter);
        let of = |unit: &&Unit| Some(unit.force) == force && unit.kind.is_piece();
        let most = |unit: &Unit| unit.front.r#move.max(unit.back.map_or(0, |back| back.r#move));
        self.data().units.values().filter(of).map(most).max().unwrap_or(0)
    }

    /// The allowance of a counter with this content (A61): the slowest unit that is left of it; a dummy as printed.
    pub fn content_allowance(&self, counter: Piece, content: &Content) -> u32 {
        let force = self.force(counter).unwrap_or(Force::Spanish);
        let mode = self.state.counters.get(&counter).and_then(|counter| counter.mode).or(Some(Mode::Regular));
        if content.is_dummy() {
            return self.data().of_kind(force, UnitKind::Dummy).map(|unit| unit.front.r#move).min().unwrap_or(4);
        }
        let of = |(unit, steps): (Piece, u8)| self.unit(unit).map_or(0, |unit| unit.factors(steps, mode).r#move);
        self.left_under(counter, content).into_iter().map(of).min().unwrap_or(0)
    }

    /// What a unit counts for stacking: steps on foot, and guns (§5.2, A11).
    pub fn bulk(&self, piece: Piece, steps: u8) -> (u32, u32) {
        match self.kind(piece) {
            Some(kind) if kind.is_foot() => (steps.into(), 0),
            Some(kind) if kind.is_gun() => (0, 1),
            _ => (0, 0),
        }
    }

    /// What these pieces count for stacking; `known` gives the contents of closed counters.
    pub fn bulk_of(&self, pieces: &[Piece], known: impl Fn(Piece) -> Option<Content>) -> (u32, u32) {
        let mut sum = (0, 0);
        for piece in pieces {
            let parts = match (self.state.counters.get(piece), known(*piece)) {
                (Some(counter), Some(content)) => after_losses(self.data(), &content, &counter.wounds),
                (Some(_), None) => Vec::new(),
                (None, _) => vec![(*piece, self.state.unit(*piece).steps)],
            };
            for (unit, steps) in parts {
                let (foot, guns) = self.bulk(unit, steps);
                sum = (sum.0 + foot, sum.1 + guns);
            }
        }
        sum
    }

    /// The room the base takes in its hex (§5.2c).
    pub fn base_bulk(&self) -> u32 {
        self.data().cast().base.and_then(|id| self.unit(id)?.stacking).unwrap_or(0)
    }

    /// Is that too much for one hex (§5.2a, §5.2b)? The base takes room of its own (§5.2c).
    pub fn too_much(&self, hex: Hex, force: Force, (foot, guns): (u32, u32)) -> bool {
        let limits = &self.data().tables.limits;
        let base = if self.state.base == Some(hex) && force == Force::Us { self.base_bulk() } else { 0 };
        foot + base > limits.stack_steps || guns > limits.stack_guns
    }

    /// Would these pieces be too many in a hex, as far as the viewer knows?
    pub fn overstacked(&self, hex: Hex, force: Force, pieces: &[Piece]) -> bool {
        self.too_much(hex, force, self.bulk_of(pieces, |counter| self.known.0.get(&counter).cloned()))
    }

    /// The steps that everybody sees to be missing from these pieces.
    pub fn wear(&self, pieces: &[Piece]) -> u32 {
        let missing = |piece: &Piece| match (self.state.counters.get(piece), self.unit(*piece)) {
            (Some(counter), _) => counter.lost(),
            (None, Some(unit)) => u32::from(unit.steps.saturating_sub(self.state.unit(*piece).steps)),
            (None, None) => 0,
        };
        pieces.iter().map(missing).sum()
    }

    /// As much as any closed counter of a force can count for stacking: a brigade all its regiments and no guns (§14.6b,
    /// A89), a column as much as fits into a hex (§14.6c).
    fn most_under(&self, force: Force) -> (u32, u32) {
        let limits = &self.data().tables.limits;
        if force != Force::Us {
            return (limits.stack_steps, limits.stack_guns);
        }
        let mut brigades: BTreeMap<&str, u32> = BTreeMap::new();
        for unit in self.data().units.values().filter(|unit| unit.force == force && unit.kind.is_foot()) {
            if let Some(brigade) = &unit.formation {
                *brigades.entry(brigade).or_default() += u32::from(unit.steps);
            }
        }
        (brigades.into_values().max().unwrap_or(0), 0)
    }

    /// Do these pieces fit into a hex whatever lies under the closed counters among them?
    pub fn sure_to_fit(&self, hex: Hex, force: Force, pieces: &[Piece]) -> bool {
        let closed = pieces.iter().filter(|piece| self.state.counters.contains_key(piece)).count();
        let (closed, most) = (u32::try_from(closed).unwrap_or(u32::MAX), self.most_under(force));
        let (foot, guns) = self.bulk_of(pieces, |_| None);
        let sum = |open: u32, each: u32| open.saturating_add(each.saturating_mul(closed));
        !self.too_much(hex, force, (sum(foot, most.0), sum(guns, most.1)))
    }

    /// Who stands where, as seen by a force.
    pub fn crowd(&self, force: Force) -> Crowd {
        let grid = &self.data().grid;
        let mut layer = Layer::filled(grid, 0u8);
        let mut mark = |hex: Hex, what: u8| {
            if let Some(here) = layer.get_mut(grid, hex) {
                *here |= what;
            }
        };
        let units = self.state.units.iter().filter_map(|(id, unit)| Some((*id, unit.at.hex()?)));
        let counters = self.state.counters.iter().map(|(id, counter)| (*id, counter.at));
        for (piece, hex) in units.chain(counters) {
            let Some(of) = self.force(piece) else { continue };
            mark(
                hex,
                match of {
                    _ if of.is_enemy_of(force) && self.fights(piece) => Crowd::ENEMY,
                    _ if of.is_enemy_of(force) && self.kind(piece) == Some(UnitKind::Leader) => Crowd::LEADER,
                    _ if of.is_enemy_of(force) => Crowd::STEADY,
                    _ if of != force => Crowd::ALLY,
                    _ if self.in_guerrilla(piece) => Crowd::GUERRILLA,
                    _ => Crowd::REGULAR,
                },
            );
        }
        if let Some(base) = self.state.base {
            mark(
                base,
                match force {
                    Force::Spanish => Crowd::STEADY,
                    Force::Cuban => Crowd::ALLY,
                    Force::Us => Crowd::REGULAR,
                },
            );
        }
        Crowd(layer)
    }

    /// The hexes of the fighting pieces of a side.
    pub fn held_hexes(&self, side: Side) -> BTreeSet<Hex> {
        let on_map = self.on_map(side).into_iter().filter(|piece| self.fights(*piece));
        on_map.filter_map(|piece| self.state.hex_of(piece)).collect()
    }

    /// Does the US side control the hex (A07a)?
    pub fn us_controls(&self, hex: Hex) -> bool {
        self.state.us_control.contains(&hex)
    }

    /// Is the unit a garrison that may neither move nor attack yet, or does the viewer know of one under the counter (§3m,
    /// §3n)?
    pub fn frozen(&self, piece: Piece) -> bool {
        let fixed = |unit: Piece| self.unit(unit).is_some_and(|unit| unit.has(Flag::Frozen));
        !self.state.released && fixed(piece) || self.known.0.get(&piece).is_some_and(|content| self.keeps(content))
    }

    /// Does this hold such a garrison?
    pub fn keeps(&self, content: &Content) -> bool {
        let fixed = |member: &Member| self.unit(member.unit).is_some_and(|unit| unit.has(Flag::Frozen));
        !self.state.released && content.members().iter().any(fixed)
    }

    /// Where a unit of one's own is: its hex, or the closed counter it is under.
    pub fn under(&self, unit: Piece) -> Option<Piece> {
        let holds = |content: &Content| content.members().iter().any(|member| member.unit == unit);
        self.known
            .0
            .iter()
            .find(|(name, content)| holds(content) && self.state.counters.contains_key(name))
            .map(|(name, _)| *name)
    }

    /// Units of a setup group that are neither on the map nor under a counter the viewer knows, nor lost.
    pub fn waiting(&self, test: impl Fn(&Unit) -> bool) -> Vec<Piece> {
        let mut units = Vec::new();
        for unit in self.data().units.values().filter(|unit| unit.kind.is_piece() && test(unit)) {
            if self.state.unit(unit.id).at == Place::Off && self.under(unit.id).is_none() {
                units.push(unit.id);
            }
        }
        units
    }

    /// Dummies a force has not lost, and how many of them lie on the map as far as the viewer knows.
    pub fn dummies_left(&self, force: Force) -> usize {
        let lost = self.state.dummies_lost.get(&force).copied().unwrap_or(0) as usize;
        let laid = |name: &Piece| self.state.counters.get(name).is_some_and(|counter| counter.force == force);
        let used = self.known.0.iter().filter(|(name, content)| laid(name) && content.is_dummy()).count();
        self.data().supply_of(force, UnitKind::Dummy).saturating_sub(lost + used)
    }
}
