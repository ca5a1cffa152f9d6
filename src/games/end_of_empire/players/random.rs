//! Marches and combats by chance, from what the rules list.

use std::collections::BTreeSet;

use crate::board::Hex;
use crate::engine::Concealed;

use super::super::orders::{Advance, CombatOrder, MoveOrder, Reorganize, Support, TurnOrders};
use super::super::play::Play;
use super::super::state::{Place, Stage};
use super::super::terms::{Force, Piece, UnitKind};
use super::super::{SPAIN, US};
use super::Player;

impl Player<'_> {
    pub(super) fn turn(&mut self) -> TurnOrders {
        let mut orders = TurnOrders::default();
        let fighting = matches!(self.state.stage, Stage::UsCombat | Stage::SpanishCombat);
        if !fighting {
            if self.side == US {
                if self.state.turn > 1 {
                    let reorganize = self.reorganize();
                    orders.reorganize = (reorganize != Reorganize::default()).then_some(reorganize);
                }
                orders.land = self.landings();
            } else {
                orders.enter = self.entries();
            }
            let mut moves = Vec::new();
            for force in if self.side == US { vec![Force::Cuban, Force::Us] } else { vec![Force::Spanish] } {
                moves.extend(self.moves(force));
            }
            orders.moves = moves.into_iter().map(Concealed::Open).collect();
        }
        if fighting || !self.game.options.phases {
            orders.combat = self.combats();
            if self.side == SPAIN && self.state.turn < self.game.data.tables.limits.turns && self.chance.one_in(2) {
                self.state.turn += 1;
                // A point that goes into a combat makes no logistic column.
                let spent = orders.combat.iter().filter(|order| draws(order.support)).count();
                if let Some(points) = self.state.supply_points.get_mut(&Force::Spanish) {
                    *points = points.saturating_sub(u32::try_from(spent).unwrap_or(u32::MAX));
                }
                // Nor does a column that is spent on one stand there any more (§14.5.1c).
                for order in &orders.combat {
                    if let Some(Support::Column(train)) = order.support
                        && let Some(unit) = self.state.units.get_mut(&train)
                    {
                        unit.at = Place::Off;
                    }
                }
                let mut next = self.reorganize();
                self.state.turn -= 1;
                // What was to attack will be open by then.
                let attackers: BTreeSet<Piece> =
                    orders.combat.iter().flat_map(|order| order.by.iter().copied()).collect();
                if attackers.iter().any(|piece| piece.is_counter() || next.join.contains(piece)) {
                    next = Reorganize { modes: next.modes, logistics: next.logistics, ..Reorganize::default() };
                }
                // Nor does it stay as it was where they stand.
                let fronts: BTreeSet<Option<Hex>> = attackers.iter().map(|piece| self.state.hex_of(*piece)).collect();
                next.modes.retain(|entry| !fronts.contains(&self.state.hex_of(entry.unit)));
                if next != Reorganize::default() {
                    orders.next = Some(Concealed::Open(next));
                }
            }
        }
        orders
    }

    /// Where a force would like to be.
    fn goals(&self, force: Force) -> Vec<Hex> {
        let now = self.now();
        let enemies: Vec<Hex> = now.held_hexes(Play::enemy(force.side())).into_iter().collect();
        let data = &self.game.data;
        match force.side() {
            US => data.objectives.iter().copied().chain(enemies).collect(),
            _ => enemies.into_iter().chain(self.state.base).chain([data.santiago]).collect(),
        }
    }

    fn moves(&mut self, force: Force) -> Vec<MoveOrder> {
        let mut orders = Vec::new();
        let side = self.side;
        let goals = self.goals(force);
        let mut pieces: Vec<Piece> =
            self.now().on_map(side).into_iter().filter(|piece| self.now().force(*piece) == Some(force)).collect();
        self.chance.shuffle(&mut pieces);
        let eager = !self.chance.one_in(4);
        for piece in pieces {
            if self.busy.contains(&piece) || self.chance.one_in(3) {
                continue;
            }
            let now = self.now();
            let signals = now.kind(piece) == Some(UnitKind::Signals);
            let lowering = signals && self.state.balloon_up;
            if !now.bars_marching(side, piece, &BTreeSet::new(), lowering).is_empty() {
                continue;
            }
            let mut group = vec![piece];
            if let Some(hex) = self.state.hex_of(piece).filter(|_| self.chance.one_in(2)) {
                let now = self.now();
                let others = now.stack(hex, force).into_iter().filter(|other| {
                    let alike = now.in_guerrilla(*other) == now.in_guerrilla(piece);
                    let busy = *other == piece || self.busy.contains(other);
                    let balloon = now.kind(*other) == Some(UnitKind::Signals);
                    alike && !busy && !balloon && now.bars_marching(side, *other, &BTreeSet::new(), false).is_empty()
                });
                group.extend(others.collect::<Vec<_>>());
            }
            let now = self.now();
            let real = now.all_real(&group);
            let routes = now.routes(&group);
            let routes: Vec<_> = routes.into_iter().filter(|(hex, _, _)| self.fits(*hex, force, &group)).collect();
            let Some((to, path, _)) = self.choose(&routes, &goals, eager) else { continue };
            let mut order = if self.chance.one_in(2) {
                MoveOrder::along(group.clone(), path)
            } else {
                MoveOrder::to(group.clone(), to)
            };
            order.real = real && group.iter().any(|piece| piece.is_counter()) && self.needs_real(&order, to);
            if order.real && order.path.is_empty() {
                order.real = self.chance.one_in(2);
            }
            // Up it need not go, but down it has to.
            let able = self.now().balloon_orders(&group, true);
            order.balloon = match lowering {
                true => self.chance.pick(able).copied(),
                false => able.first().copied().filter(|_| self.chance.one_in(2)),
            };
            // A route that needs `real` has to say so.
            if group.iter().any(|piece| piece.is_counter()) {
                let now = self.now();
                let plain = now.way(&group, to, false).is_some();
                order.real |= real && !plain;
                order.path.clear();
                order.to = Some(to);
            }
            self.busy.extend(group.iter().copied());
            self.shift(&group, to);
            orders.push(order);
        }
        orders
    }

    fn needs_real(&self, order: &MoveOrder, to: Hex) -> bool {
        order.path.iter().chain([&to]).any(|hex| self.now().wants_control(*hex, self.side))
    }

    fn choose(&mut self, routes: &[(Hex, Vec<Hex>, u32)], goals: &[Hex], eager: bool) -> Option<(Hex, Vec<Hex>, u32)> {
        if !eager || self.chance.one_in(3) {
            return self.chance.pick(routes).cloned();
        }
        let goal = self.chance.pick(goals).copied()?;
        routes.iter().min_by_key(|(hex, ..)| (self.game.data.distance(*hex, goal), *hex)).cloned()
    }

    /// Combats that the position after the moves seems to allow.
    fn combats(&mut self) -> Vec<CombatOrder> {
        let side = self.side;
        let mut orders: Vec<CombatOrder> = Vec::new();
        let mut fought: BTreeSet<Piece> = BTreeSet::new();
        let enemy = Play::enemy(side);
        let forces: Vec<Force> = if side == US { vec![Force::Cuban, Force::Us] } else { vec![Force::Spanish] };
        let mut targets: Vec<Hex> = self.now().held_hexes(enemy).into_iter().collect();
        self.chance.shuffle(&mut targets);
        let mut attacked = self.state.attacked.clone();
        for force in forces {
            if force != Force::Cuban {
                orders.extend(self.gunfire(force, &targets, &mut fought));
            }
            for target in &targets {
                if attacked.contains(target) || self.chance.one_in(3) {
                    continue;
                }
                let hiding = self.chance.one_in(2);
                let now = self.now();
                let (by, manner) = now.attackers(side, force, *target, &fought, hiding);
                if by.is_empty() {
                    continue;
                }
                let mut order = CombatOrder { attack: Some(*target), by: by.clone(), ..CombatOrder::default() };
                let hexes: Vec<Hex> = by.iter().filter_map(|piece| self.state.hex_of(*piece)).collect();
                let ways = now.support_orders(force, &hexes, manner, &by);
                if self.chance.one_in(2) {
                    order.support = self.chance.pick(&ways).copied();
                }
                order.advance = match self.chance.below(4) {
                    0 => Some(Advance::All),
                    1 => Some(Advance::None),
                    _ => None,
                };
                if self.now().may_remember(force, manner) {
                    order.maine = !orders.iter().any(|other| other.maine) && self.chance.one_in(2);
                }
                fought.extend(by);
                attacked.insert(*target);
                orders.push(order);
            }
        }
        // Points run out, and a train is spent once.
        let army = Force::army(side);
        let (mut points, mut trains) = (self.state.points(army), BTreeSet::new());
        for order in &mut orders {
            let left = |way: &Support| match way {
                Support::Column(train) => !trains.contains(train),
                _ => points > 0,
            };
            let there = match order.support {
                Some(Support::Answer) => {
                    let hexes: Vec<Hex> = order.by.iter().filter_map(|piece| self.state.hex_of(*piece)).collect();
                    self.now().supports_with(army, &hexes, &order.by).iter().any(left)
                }
                Some(way) => way == Support::No || left(&way),
                None => true,
            };
            order.support = order.support.filter(|_| there);
            points = points.saturating_sub(u32::from(draws(order.support)));
            if let Some(Support::Column(train)) = order.support {
                trains.insert(train);
            }
        }
        orders
    }

    fn gunfire(&mut self, force: Force, targets: &[Hex], fought: &mut BTreeSet<Piece>) -> Vec<CombatOrder> {
        let mut orders = Vec::new();
        let now = self.now();
        let naval = now.naval_targets(force);
        if let Some(target) = self.chance.pick(&naval).copied().filter(|_| !self.chance.one_in(3)) {
            orders.push(CombatOrder { naval: Some(target), ..CombatOrder::default() });
        }
        for target in targets {
            if self.chance.one_in(3) {
                continue;
            }
            let guns = self.now().guns_on(force, *target, fought);
            if guns.is_empty() {
                continue;
            }
            fought.extend(guns.iter().copied());
            let hexes: Vec<Hex> = guns.iter().filter_map(|gun| self.state.hex_of(*gun)).collect();
            let ways = self.now().supports_with(force, &hexes, &guns);
            let support = self.chance.pick(&ways).copied().filter(|_| self.chance.one_in(3));
            orders.push(CombatOrder { bombard: Some(*target), by: guns, support, ..CombatOrder::default() });
        }
        orders
    }
}

/// May a combat take a point of the pool?
fn draws(support: Option<Support>) -> bool {
    matches!(support, Some(Support::Pool | Support::Answer))
}
