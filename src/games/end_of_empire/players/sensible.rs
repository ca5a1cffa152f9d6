//! A plain sensible player: brigades land under their counters and march on the flags, Spain holds them, both attack at
//! good odds and use their guns.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::dice::Chance;
use crate::engine::{Concealed, Rules as _, Seen, Stop};

use super::super::attack::Manner;
use super::super::orders::{ArrivalOrder, Balloon, CombatOrder, MoveOrder, Orders, Support, TurnOrders};
use super::super::state::{Place, Stage, State};
use super::super::tables::Odds;
use super::super::terms::{Content, Force, Member, Piece, Setup, UnitKind};
use super::super::{EndOfEmpire, SPAIN, US};
use super::Player;
use super::setup::cover;

/// The shock a closed enemy counter is reckoned with.
const UNKNOWN: u32 = 5;

/// The orders of a plain sensible player for the packet due.
pub fn orders(game: &EndOfEmpire, seen: &Seen<'_, State>, stop: &Stop) -> Orders {
    match seen.state.stage {
        Stage::SpanishSetup | Stage::CubanSetup => {
            let mut orders = game.no_orders(seen.state, stop);
            let force = if seen.state.stage == Stage::SpanishSetup { Force::Spanish } else { Force::Cuban };
            if let (Orders::Setup(setup), Force::Spanish) = (&mut orders, force) {
                // The strongest garrisons lie under counters.
                let strength = |hex: Hex| setup.place.values().filter(|at| **at == hex).count();
                let strong: BTreeSet<Hex> = setup.place.values().copied().filter(|hex| strength(*hex) > 1).collect();
                cover(game, setup, force, |hex| strong.contains(&hex));
            }
            orders
        }
        _ => {
            let mut chance = Chance::new("sensible");
            Orders::Turn(Player::new(game, seen, &mut chance).sensible_turn())
        }
    }
}

impl Player<'_> {
    fn sensible_turn(&mut self) -> TurnOrders {
        let mut orders = TurnOrders::none();
        let fighting = matches!(self.state.stage, Stage::UsCombat | Stage::SpanishCombat);
        if !fighting {
            let forces: &[Force] = if self.side == US { &[Force::Cuban, Force::Us] } else { &[Force::Spanish] };
            if self.side == US {
                orders.land = self.sensible_landing();
            } else {
                orders.enter = self.sensible_entry();
            }
            let moves: Vec<MoveOrder> = forces.iter().flat_map(|force| self.sensible_moves(*force)).collect();
            orders.moves = moves.into_iter().map(Concealed::Open).collect();
        }
        if fighting || !self.game.options.phases {
            orders.combat = self.sensible_combats();
        }
        orders
    }

    /// Whole brigades under their counters, the base with the first of them, guns where there is room.
    fn sensible_landing(&mut self) -> Vec<ArrivalOrder> {
        let data = &self.game.data;
        let mut orders = Vec::new();
        let near = |hex: &Hex| (data.distance(*hex, data.santiago), *hex);
        let Some(at) = self.now().arrival_hexes(Force::Us).into_iter().min_by_key(near) else { return orders };
        let mut left = data.tables.limits.landing;
        let base = data.cast().base.and_then(|id| data.unit(id)?.landing).unwrap_or(0);
        let lands = self.state.base.is_none();
        if lands {
            left = left.saturating_sub(base);
        }
        let mut brigades: BTreeMap<Option<String>, Vec<Piece>> = BTreeMap::new();
        for id in self.now().waiting(|unit| unit.force == Force::Us && unit.setup == Setup::Sea) {
            let Some(unit) = data.unit(id) else { continue };
            if unit.kind == UnitKind::Signals && !self.game.options.balloon {
                continue;
            }
            let brigade = unit.formation.clone().filter(|_| unit.kind.is_foot());
            brigades.entry(brigade).or_default().push(id);
        }
        let single = brigades.remove(&None).unwrap_or_default();
        for (brigade, units) in brigades {
            let cost: u32 = units.iter().map(|id| u32::from(self.state.unit(*id).steps)).sum();
            let members = units.iter().map(|id| Member::with(*id, self.state.unit(*id).steps)).collect();
            let content = Content::Units(members);
            if cost > left || !self.room(at, &content) {
                continue;
            }
            left -= cost;
            let of_brigade = |member: &Member| data.unit(member.unit).is_some_and(|unit| unit.formation == brigade);
            let split = self.known.0.values().flat_map(Content::members).any(of_brigade);
            if self.game.options.columns && !split {
                let name = self.state.next_name(Force::Us);
                orders.push(ArrivalOrder::closed(at, content.clone()));
                self.lay(name, Force::Us, at, true);
                self.known.0.insert(name, content);
            } else {
                orders.push(ArrivalOrder::open(at, units.clone()));
                self.place_all(&units, at, true);
            }
        }
        let mut units = Vec::new();
        for id in single {
            let cost = data.unit(id).map_or(0, |unit| unit.landing_steps(self.state.unit(id).steps));
            if cost <= left && self.fits(at, Force::Us, &[id]) {
                left -= cost;
                self.place_all(&[id], at, true);
                units.push(id);
            }
        }
        if !units.is_empty() {
            orders.push(ArrivalOrder::open(at, units));
        }
        if lands && self.now().held_by(at, US) {
            orders.push(ArrivalOrder { at, units: Vec::new(), holds: None, base: true });
            self.state.base = Some(at);
        }
        orders
    }

    /// Escario comes as soon as he can, by the edge hex nearest to Santiago.
    fn sensible_entry(&mut self) -> Vec<ArrivalOrder> {
        let data = &self.game.data;
        let waiting = self.now().waiting(|unit| unit.force == Force::Spanish && unit.setup == Setup::Escario);
        let mut orders = Vec::new();
        let mut edge = self.now().arrival_hexes(Force::Spanish);
        edge.sort_by_key(|hex| (data.distance(*hex, data.santiago), *hex));
        for id in waiting {
            let free = edge.iter().copied().find(|hex| self.fits(*hex, Force::Spanish, &[id]));
            if let Some(at) = free {
                self.place_all(&[id], at, false);
                orders.push(ArrivalOrder::open(at, vec![id]));
            }
        }
        orders
    }

    fn place_all(&mut self, units: &[Piece], at: Hex, landed: bool) {
        for id in units {
            if let Some(now) = self.state.units.get_mut(id) {
                (now.at, now.landed) = (Place::At(at), landed);
            }
        }
    }

    /// The hexes a force goes to: flags it does not hold, or those that have to be held.
    fn aims(&self, force: Force) -> Vec<Hex> {
        let now = self.now();
        let data = now.data();
        let flags = data.objectives.iter().copied();
        match force.side() {
            US => flags.filter(|hex| !now.us_controls(*hex)).chain([data.santiago]).collect(),
            _ => {
                let us = now.held_hexes(US);
                let threat = |hex: &Hex| us.iter().map(|enemy| data.distance(*hex, *enemy)).min().unwrap_or(99);
                let mut flags: Vec<Hex> = flags.filter(|hex| !now.us_controls(*hex)).chain([data.santiago]).collect();
                flags.sort_by_key(|hex| (threat(hex), *hex));
                flags.truncate(2);
                flags
            }
        }
    }

    /// Is the piece the last of its side in a hex that must not be left?
    fn guards(&self, piece: Piece) -> bool {
        let now = self.now();
        let Some(hex) = self.state.hex_of(piece) else { return false };
        let data = now.data();
        let kept = match self.side {
            US => self.state.base == Some(hex),
            _ => data.objectives.contains(&hex) || hex == data.santiago || data.is_ring(hex),
        };
        kept && now.fighters(hex, self.side).iter().all(|other| *other == piece)
    }

    fn sensible_moves(&mut self, force: Force) -> Vec<MoveOrder> {
        let mut orders = Vec::new();
        let aims = self.aims(force);
        for piece in self.now().on_map(self.side) {
            let now = self.now();
            if now.force(piece) != Some(force) {
                continue;
            }
            let (Some(from), data) = (self.state.hex_of(piece), now.data()) else { continue };
            let signals = now.kind(piece) == Some(UnitKind::Signals);
            let lowering = signals && self.state.balloon_up;
            let barred = !now.bars_marching(self.side, piece, &BTreeSet::new(), lowering).is_empty();
            // Who lies in guerrilla waits for the enemy; trains stay where they were made.
            let waits = now.in_guerrilla(piece) || now.kind(piece) == Some(UnitKind::LogisticColumn);
            if barred || waits || self.guards(piece) {
                continue;
            }
            let real = self.known.0.get(&piece).is_none_or(|content| data.is_real(content));
            let routes = now.routes(&[piece], real);
            let base = self.state.base.filter(|_| self.side == SPAIN && real);
            let far = |hex: Hex| aims.iter().map(|aim| data.distance(hex, *aim)).min().unwrap_or(0);
            let best = routes
                .iter()
                .filter(|(hex, ..)| Some(*hex) == base || far(*hex) < far(from) && self.fits(*hex, force, &[piece]))
                .min_by_key(|(hex, _, cost)| (Some(*hex) != base, far(*hex), *cost, *hex));
            let Some((to, ..)) = best.cloned() else { continue };
            let mut order = MoveOrder::to(vec![piece], to);
            let closed = piece.is_counter();
            order.real = closed && real && now.way(&[piece], to, false).is_none();
            if signals {
                let near = |name: &Piece| self.state.hex_of(*name).is_some_and(|hex| data.touch(hex, to));
                let seen =
                    self.state.counters.keys().any(|name| now.force(*name) == Some(Force::Spanish) && near(name));
                order.balloon = if lowering { Some(Balloon::Down) } else { seen.then_some(Balloon::Up) };
            }
            self.shift(&[piece], to);
            orders.push(order);
        }
        orders
    }

    /// What pieces of one's own, or those that show of the enemy, count in shock.
    fn shock_of(&self, pieces: &[Piece], defending: bool) -> u32 {
        let now = self.now();
        let under = |piece: &Piece| match now.members(*piece) {
            Some(members) => members.iter().map(|(unit, steps)| now.shock_under(*unit, *steps)).sum(),
            None if piece.is_counter() => UNKNOWN,
            None => 0,
        };
        let open: u32 = now.shock_factors(pieces, defending).iter().map(|factor| factor.counts).sum();
        open + pieces.iter().map(under).sum::<u32>()
    }

    /// Attacks that are fought at 3:1 or better, at 2:1 with a supply point; guns and fleets wherever they reach.
    fn sensible_combats(&mut self) -> Vec<CombatOrder> {
        let side = self.side;
        let (enemy, forces): (_, &[Force]) =
            if side == US { (SPAIN, &[Force::Cuban, Force::Us]) } else { (US, &[Force::Spanish]) };
        let targets: Vec<Hex> = self.now().held_hexes(enemy).into_iter().collect();
        let (mut orders, mut fought, mut attacked) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        for force in forces.iter().copied() {
            if force != Force::Cuban {
                let naval = targets.iter().copied().find(|hex| self.now().bars_naval(side, force, *hex).is_empty());
                orders.extend(naval.map(|hex| CombatOrder { naval: Some(hex), ..CombatOrder::none() }));
                for target in &targets {
                    let guns = self.now().guns_on(force, *target, &fought);
                    if !guns.is_empty() {
                        fought.extend(guns.iter().copied());
                        orders.push(CombatOrder { bombard: Some(*target), by: guns, ..CombatOrder::none() });
                    }
                }
            }
            let mut points = self.state.points(force);
            for target in &targets {
                let now = self.now();
                let (by, manner) = now.attackers(side, force, *target, &fought, false);
                if by.is_empty() || !attacked.insert(*target) {
                    continue;
                }
                let defenders = now.fighters(*target, enemy);
                let odds = Odds::of(self.shock_of(&by, false), self.shock_of(&defenders, true));
                let table = &now.data().tables.shock.results;
                let shifts = now.fixed_shifts(&by, *target, &defenders).total();
                let place = table.shifted(table.column(&odds).unwrap_or(0), shifts);
                let hexes: Vec<Hex> = by.iter().filter_map(|piece| self.state.hex_of(*piece)).collect();
                let pays = points > 0 && now.supports(force, &hexes).first() == Some(&Support::Pool);
                let good = table.columns.iter().position(|column| *column == Odds::ThreeToOne).unwrap_or(0);
                if manner == Manner::Ordinary && place + usize::from(pays) < good {
                    attacked.remove(target);
                    continue;
                }
                let mut order = CombatOrder { attack: Some(*target), by: by.clone(), ..CombatOrder::none() };
                if manner == Manner::Ordinary && place < good {
                    order.support = Some(Support::Pool);
                    points -= 1;
                }
                fought.extend(by);
                orders.push(order);
            }
        }
        orders
    }
}
