//! §11.16: who makes room for a retreat into a full hex, with as few displacements as possible.
//!
//! How few that is, is a flow: a hex that is too full sends units on, passes on at most the units that stood in it, and a
//! free place ends the chain. The cheapest flow says from any beginning how many displacements are still needed, so every
//! chain offered is one of the shortest and none of them is left out.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::board::Hex;
use crate::document;

use super::events::Shove;
use super::play::{Position, Trit};
use super::retreat::Party;
use super::stacking::Room;
use super::terms::{Arm, Piece, StackPlace};

/// More chains than these are not listed whole: the player is offered their first displacements and asked again.
const LISTED: usize = 48;

document! {
    /// A retreat into a full hex: where to, and who makes room.
    pub struct Chain {
        /// The hex retreated into.
        pub to: Hex,
        /// Who moves on, in order.
        pub moves: Vec<Shove>,
    }
}

document! {
    /// What the owner can choose from, his default first.
    pub struct Offers {
        /// Chains, or their beginnings.
        pub chains: Vec<Chain>,
        /// They make room everywhere; otherwise the next displacement is to be chosen after this one.
        pub whole: bool,
    }
}

impl Offers {
    /// Nobody can make room.
    pub fn none() -> Offers {
        Offers { chains: Vec::new(), whole: true }
    }
}

/// How many displacements, and the sum of the factors displaced.
type Cost = (u32, u32);

/// One of the retreating side's units.
#[derive(Clone, Copy)]
struct Resident {
    piece: Piece,
    arm: Arm,
    factor: u32,
}

impl Resident {
    /// §11.16h: artillery, the balloon and garrisons are never displaced.
    fn can_go(self) -> bool {
        !matches!(self.arm, Arm::Artillery | Arm::Balloon | Arm::Garrison)
    }
}

/// Own units around a retreat, and where a displaced unit could go.
struct Crowd {
    stood: BTreeMap<Hex, Vec<Resident>>,
    ways: BTreeMap<Hex, Vec<Hex>>,
}

impl Crowd {
    /// Everything that chains out of these hexes can touch.
    fn new(position: &Position<'_>, party: &Party, targets: &[Hex]) -> Crowd {
        let data = position.data();
        let lay = position.lay(party.nation);
        let resident = |(piece, arm): (Piece, Arm)| Resident { piece, arm, factor: position.piece_factor(piece) };
        let mut crowd = Crowd { stood: BTreeMap::new(), ways: BTreeMap::new() };
        let mut queue: VecDeque<Hex> = targets.iter().copied().collect();
        let mut seen: BTreeSet<Hex> = targets.iter().copied().collect();
        while let Some(hex) = queue.pop_front() {
            let there: Vec<Resident> = position.residents(party.nation, hex).into_iter().map(resident).collect();
            if there.is_empty() {
                continue;
            }
            // §11.16c: displaced units keep to the rules of retreats; friends negate a zone of control (§7.5a).
            let free = |next: &Hex| {
                let zone = lay.zone(data.grid(), *next);
                *next != party.from
                    && position.may_fall_back(party.nation, hex, *next)
                    && (zone != Trit::Yes || !position.residents(party.nation, *next).is_empty())
            };
            let ways: Vec<Hex> = data.around(hex).filter(free).collect();
            queue.extend(ways.iter().copied().filter(|next| seen.insert(*next)));
            crowd.stood.insert(hex, there);
            crowd.ways.insert(hex, ways);
        }
        crowd
    }
}

/// A retreat into a full hex with some displacements made.
#[derive(Clone)]
struct Push<'s> {
    position: &'s Position<'s>,
    party: &'s Party,
    crowd: &'s Crowd,
    chain: Chain,
}

impl Push<'_> {
    /// Who is in a hex now: those who stood there and are left, and the newcomers.
    fn present(&self, hex: Hex) -> (Vec<Resident>, Vec<Arm>) {
        let moved = |piece: Piece| self.chain.moves.iter().any(|shove| shove.piece == piece);
        let stood = self.crowd.stood.get(&hex).into_iter().flatten();
        let left = stood.copied().filter(|resident| !moved(resident.piece)).collect();
        let arrived = self.chain.moves.iter().filter(|shove| shove.to == hex);
        let mut new: Vec<Arm> = arrived.filter_map(|shove| self.resident(shove)).map(|unit| unit.arm).collect();
        if hex == self.chain.to {
            new.extend(&self.party.arms);
        }
        (left, new)
    }

    fn resident(&self, shove: &Shove) -> Option<Resident> {
        self.crowd.stood.get(&shove.from)?.iter().copied().find(|resident| resident.piece == shove.piece)
    }

    fn factors(&self) -> u32 {
        self.chain.moves.iter().filter_map(|shove| self.resident(shove)).map(|unit| unit.factor).sum()
    }

    /// Hexes that somebody came into.
    fn entered(&self) -> BTreeSet<Hex> {
        std::iter::once(self.chain.to).chain(self.chain.moves.iter().map(|shove| shove.to)).collect()
    }

    fn fits(&self, hex: Hex) -> bool {
        let (left, new) = self.present(hex);
        let arms: Vec<Arm> = left.iter().map(|unit| unit.arm).chain(new).collect();
        Room::of(self.position.data().land(hex)).holds(&arms)
    }

    /// Where a unit of this hex may be displaced to; never back into the hex retreated into.
    fn ways(&self, hex: Hex) -> impl Iterator<Item = Hex> + '_ {
        self.crowd.ways.get(&hex).into_iter().flatten().copied().filter(|next| *next != self.chain.to)
    }

    fn with(&self, unit: Resident, from: Hex, to: Hex) -> Self {
        let mut next = self.clone();
        next.chain.moves.push(Shove { piece: unit.piece, from, to });
        next
    }

    /// The fewest displacements still needed, and the least they cost in factors; nothing if room cannot be made.
    fn need(&self) -> Option<Cost> {
        let mut best = self.flow();
        // The Gatling guns take an artillery place and are displaced all the same (§9.3a, §11.5a): each of their ways is
        // tried by itself, the others follow from the flow.
        for (hex, stood) in &self.crowd.stood {
            let guns: Vec<Resident> = stood.iter().copied().filter(|unit| unit.arm == Arm::Gatling).collect();
            for unit in guns.into_iter().filter(|unit| !self.chain.moves.iter().any(|s| s.piece == unit.piece)) {
                for next in self.ways(*hex) {
                    let rest = self.with(unit, *hex, next).need();
                    let cost = rest.map(|(count, factors)| (count + 1, factors + unit.factor));
                    best = [best, cost].into_iter().flatten().min();
                }
            }
        }
        best
    }

    /// The same with non-artillery units only, the guns where they are.
    fn flow(&self) -> Option<Cost> {
        let mut hexes: BTreeSet<Hex> = self.crowd.stood.keys().copied().collect();
        hexes.extend(self.crowd.ways.values().flatten());
        let hexes: Vec<Hex> = hexes.into_iter().collect();
        let place: BTreeMap<Hex, usize> = hexes.iter().copied().zip(0..).collect();
        let (source, sink) = (2 * hexes.len(), 2 * hexes.len() + 1);
        let mut network = Network::new(2 * hexes.len() + 2);
        let mut excess = 0;
        for (at, hex) in hexes.iter().enumerate() {
            let (left, new) = self.present(*hex);
            let arms = left.iter().map(|unit| unit.arm).chain(new);
            let (line, others): (Vec<Arm>, Vec<Arm>) = arms.partition(|arm| arm.place() == StackPlace::Line);
            let mut room = Room::of(self.position.data().land(*hex));
            if !others.iter().all(|arm| room.take(*arm)) {
                return None; // §9.2e
            }
            let (line, room) = (line.len(), usize::try_from(room.left(Arm::Infantry)).unwrap_or(usize::MAX));
            excess += line.saturating_sub(room);
            network.arc(source, 2 * at, line.saturating_sub(room), (0, 0));
            network.arc(2 * at, sink, room.saturating_sub(line), (0, 0));
            for unit in left.iter().filter(|unit| unit.can_go() && unit.arm.place() == StackPlace::Line) {
                network.arc(2 * at, 2 * at + 1, 1, (1, unit.factor));
            }
            for next in self.ways(*hex) {
                network.arc(2 * at + 1, 2 * place.get(&next)?, usize::MAX, (0, 0));
            }
        }
        network.send(source, sink, excess)
    }

    /// The next displacements that lie on a shortest chain, each with what the whole chain then costs in factors.
    fn steps(&self, left: u32) -> Vec<(u32, Self)> {
        let Some(hex) = self.entered().into_iter().find(|hex| !self.fits(*hex)) else { return Vec::new() };
        let (units, _) = self.present(hex);
        let mut steps = Vec::new();
        for unit in units.into_iter().filter(|unit| unit.can_go()) {
            for next in self.ways(hex) {
                let push = self.with(unit, hex, next);
                if let Some((count, factors)) = push.need().filter(|(count, _)| count + 1 == left) {
                    debug_assert!(count < left);
                    steps.push((push.factors() + factors, push));
                }
            }
        }
        steps
    }

    /// All shortest chains, until there are too many to list.
    fn list(&self, left: u32, found: &mut Vec<(u32, Chain)>) {
        if found.len() > LISTED {
            return;
        }
        if left == 0 {
            found.push((self.factors(), self.chain.clone()));
            return;
        }
        for (_, step) in self.steps(left) {
            step.list(left - 1, found);
        }
    }
}

impl Position<'_> {
    /// The shortest displacement chains that make room for a retreat (§11.16), or their next step where they are many;
    /// the default first: lowest factors, retreat hex, destinations, ids.
    pub fn chains(&self, party: &Party, begun: Option<&Chain>) -> Offers {
        let full = |hex: &Hex| {
            self.may_fall_back(party.nation, party.from, *hex) && !self.residents(party.nation, *hex).is_empty()
        };
        let targets: Vec<Hex> = match begun {
            Some(chain) => vec![chain.to],
            None => self.data().around(party.from).filter(full).collect(),
        };
        let crowd = Crowd::new(self, party, &targets);
        let moves = begun.map_or_else(Vec::new, |chain| chain.moves.clone());
        let start =
            |to: &Hex| Push { position: self, party, crowd: &crowd, chain: Chain { to: *to, moves: moves.clone() } };
        let starts: Vec<(u32, Push<'_>)> =
            (targets.iter().map(start)).filter_map(|push| push.need().map(|(count, _)| (count, push))).collect();
        // §11.16f: as few displacements as possible.
        let Some(least) = starts.iter().map(|(count, _)| *count).min() else {
            return Offers::none();
        };
        let starts: Vec<Push<'_>> = starts.into_iter().filter(|(count, _)| *count == least).map(|(_, p)| p).collect();
        let mut found = Vec::new();
        starts.iter().for_each(|push| push.list(least, &mut found));
        let whole = found.len() <= LISTED;
        if !whole {
            let steps = starts.iter().flat_map(|push| push.steps(least));
            found = steps.map(|(factors, push)| (factors, push.chain)).collect();
        }
        found.sort_by_key(|(factors, chain)| {
            let to: Vec<Hex> = chain.moves.iter().map(|shove| shove.to).collect();
            let who: Vec<Piece> = chain.moves.iter().map(|shove| shove.piece).collect();
            (*factors, chain.to, to, who)
        });
        Offers { chains: found.into_iter().map(|(_, chain)| chain).collect(), whole }
    }
}

/// A network of arcs with room and cost, for the cheapest flow.
struct Network {
    leaving: Vec<Vec<usize>>,
    arcs: Vec<Arc>,
}

/// An arc; the one after or before it in the list leads back.
struct Arc {
    to: usize,
    room: usize,
    cost: (i64, i64),
}

impl Network {
    fn new(nodes: usize) -> Network {
        Network { leaving: vec![Vec::new(); nodes], arcs: Vec::new() }
    }

    fn arc(&mut self, from: usize, to: usize, room: usize, (count, factor): Cost) {
        if room == 0 {
            return;
        }
        let cost = (i64::from(count), i64::from(factor));
        for (at, to, room, cost) in [(from, to, room, cost), (to, from, 0, (-cost.0, -cost.1))] {
            if let Some(leaving) = self.leaving.get_mut(at) {
                leaving.push(self.arcs.len());
                self.arcs.push(Arc { to, room, cost });
            }
        }
    }

    /// Sends so much from one node to another as cheaply as can be; nothing if it does not all get through.
    fn send(&mut self, from: usize, to: usize, amount: usize) -> Option<Cost> {
        let mut total = (0, 0);
        for _ in 0..amount {
            let (cost, path) = self.cheapest(from, to)?;
            total = (total.0 + cost.0, total.1 + cost.1);
            for arc in path {
                let there = self.arcs.get_mut(arc)?;
                there.room = there.room.saturating_sub(1);
                let back = self.arcs.get_mut(arc ^ 1)?;
                back.room = back.room.saturating_add(1);
            }
        }
        Some((u32::try_from(total.0).ok()?, u32::try_from(total.1).ok()?))
    }

    /// The cheapest way with room on every arc, by Bellman and Ford: arcs that lead back give money back.
    fn cheapest(&self, from: usize, to: usize) -> Option<((i64, i64), Vec<usize>)> {
        let mut best: Vec<Option<((i64, i64), usize)>> = vec![None; self.leaving.len()];
        let mut queue = VecDeque::from([from]);
        *best.get_mut(from)? = Some(((0, 0), usize::MAX));
        while let Some(node) = queue.pop_front() {
            let Some((so_far, _)) = *best.get(node)? else { continue };
            for index in self.leaving.get(node)? {
                let arc = self.arcs.get(*index)?;
                let cost = (so_far.0 + arc.cost.0, so_far.1 + arc.cost.1);
                let there = best.get_mut(arc.to)?;
                if arc.room > 0 && there.is_none_or(|(known, _)| cost < known) {
                    *there = Some((cost, *index));
                    queue.push_back(arc.to);
                }
            }
        }
        let (cost, _) = (*best.get(to)?)?;
        let (mut path, mut node) = (Vec::new(), to);
        while node != from {
            let (_, index) = (*best.get(node)?)?;
            path.push(index);
            node = self.arcs.get(index ^ 1)?.to;
        }
        Some((cost, path))
    }
}
