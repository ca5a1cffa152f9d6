//! A plain sensible player: brigades land under their counters and march on the flags, Spain holds them, both attack at
//! good odds and use their guns.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::dice::Chance;
use crate::engine::{Concealed, Rules as _, Seen, Stop};

use super::super::attack::Manner;
use super::super::orders::{
    Advance, ArrivalOrder, Balloon, CombatOrder, LogisticsOrder, ModeOrder, MoveOrder, Orders, Reorganize, Support,
    TurnOrders,
};
use super::super::state::{Place, Stage, State};
use super::super::tables::Odds;
use super::super::terms::{Content, Force, Member, Mode, Piece, Terrain, UnitKind};
use super::super::{EndOfEmpire, SPAIN, US};
use super::Player;
use super::setup::cover;

/// The shock a closed enemy counter is reckoned with.
const UNKNOWN: u32 = 5;
/// How many times the shock of those who hold a flag the US send against it; once more for every shift of the ground.
const ENOUGH: u32 = 3;
/// From so many fire factors on, fire before the shock is worth a column of its table.
const BARRAGE: u32 = 16;
/// As many flags as the surrender table counts.
const MASTERY: u32 = 6;
/// What a hex of jungle costs beside its movement points: half of those who enter it are halted (§14.1).
const THICKET: u32 = 2;
/// How much farther somebody goes for a flag that costs him a shift less.
const DETOUR: u32 = 4;
/// A beach from which the base is farther than this lies across the bay from it.
const ACROSS: u32 = 20;
/// How near a beach is to a flag for a brigade of its own.
const NEXT_DOOR: u32 = 3;
/// From how far away the enemy could fall upon the base.
const RAID: u32 = 5;
/// At most so many units guard it.
const GUARDS: usize = 3;
/// As many trains as the US keep with their army.
const TRAINS: usize = 2;

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
        let mut orders = TurnOrders::default();
        let fighting = matches!(self.state.stage, Stage::UsCombat | Stage::SpanishCombat);
        if !fighting {
            let forces: &[Force] = if self.side == US { &[Force::Cuban, Force::Us] } else { &[Force::Spanish] };
            if self.side == US {
                // No Phase A on turn 1 (§2c).
                if self.state.turn > 1 {
                    let reorganize = self.sensible_reorganization();
                    orders.reorganize = (reorganize != Reorganize::default()).then_some(reorganize);
                }
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

    /// The Cubans leave the bush and march; a train is made for the front.
    fn sensible_reorganization(&mut self) -> Reorganize {
        let mut orders = Reorganize::default();
        let now = self.now();
        let train = |piece: &Piece| now.kind(*piece) == Some(UnitKind::LogisticColumn);
        let trains = now.on_map(US).into_iter().filter(train).count();
        let free = now.free_trains(US);
        let alone = |piece: Piece, hex: Hex| now.stack(hex, Force::Cuban).iter().all(|other| *other == piece);
        for piece in now.on_map(US) {
            let lonely = self.state.hex_of(piece).is_some_and(|hex| alone(piece, hex));
            if lonely && now.kind(piece) == Some(UnitKind::Guerrilla) && now.in_guerrilla(piece) {
                orders.modes.push(ModeOrder { unit: piece, mode: Mode::Regular, if_event: Vec::new(), if_oos: None });
            }
        }
        let data = now.data();
        let held = |hex: &Hex| now.held_by(*hex, US);
        let near = |hex: &Hex| (!held(hex), data.distance(*hex, data.santiago), *hex);
        let site =
            now.train_hexes(US).into_iter().filter(|hex| now.holder(*hex) != Some(Force::Cuban)).min_by_key(near);
        if let (Some(at), Some(unit)) = (site, free.first().copied().filter(|_| trains < TRAINS)) {
            orders.logistics.push(LogisticsOrder { at, unit: Some(unit), if_event: Vec::new(), if_oos: None });
        }
        for entry in &orders.modes {
            if let Some(unit) = self.state.units.get_mut(&entry.unit) {
                unit.mode = Some(entry.mode);
            }
        }
        for entry in &orders.logistics {
            if let Some(unit) = entry.unit.and_then(|id| self.state.units.get_mut(&id)) {
                unit.at = Place::At(entry.at);
            }
        }
        orders
    }

    /// Whole brigades under their counters, the base with the first of them, guns where there is room. Most go ashore as
    /// near to Santiago as they can, one of them beside a flag that nobody marches on yet.
    fn sensible_landing(&mut self) -> Vec<ArrivalOrder> {
        let data = &self.game.data;
        let mut orders = Vec::new();
        let mut beaches = self.now().arrival_hexes(Force::Us);
        beaches.sort_by_key(|hex| (data.distance(*hex, data.santiago), *hex));
        let mut left = data.tables.limits.landing;
        // The base as far away as there is a beach: it takes up half of one, and wants few guards there. It comes ashore
        // on the second turn, so that twice as many land on the first.
        let held = |hex: &Hex| self.now().held_by(*hex, US);
        let seat = self.state.base.or_else(|| beaches.iter().rev().copied().find(held).or(beaches.last().copied()));
        let (homeless, lands) = (self.state.base.is_none(), self.state.base.is_none() && self.state.turn > 1);
        let awaited = homeless && !seat.is_some_and(|seat| held(&seat));
        if lands {
            left = left.saturating_sub(data.cast().base.and_then(|id| data.unit(id)?.landing).unwrap_or(0));
        }
        // Room is kept for it (§5.2c, A13).
        if homeless {
            self.state.base = seat;
        }
        // The others as near to Santiago as they can, but not across the bay, where they are cut off from the base.
        if let Some(seat) = seat {
            let (home, front) = (self.ways_to(seat, Force::Us), self.ways_to(data.santiago, Force::Us));
            let far = |ways: &BTreeMap<Hex, u32>, hex: &Hex| ways.get(hex).copied().unwrap_or(u32::MAX);
            beaches.sort_by_key(|hex| (awaited && *hex != seat, far(&home, hex) > ACROSS, far(&front, hex), *hex));
        }
        let mut brigades: BTreeMap<Option<String>, Vec<Piece>> = BTreeMap::new();
        for id in self.now().arriving(Force::Us) {
            let Some(unit) = data.unit(id) else { continue };
            let brigade = unit.formation.clone().filter(|_| unit.kind.is_foot());
            brigades.entry(brigade).or_default().push(id);
        }
        let single = brigades.remove(&None).unwrap_or_default();
        for (brigade, units) in brigades {
            let cost: u32 = units.iter().map(|id| u32::from(self.state.unit(*id).steps)).sum();
            let members = units.iter().map(|id| Member::with(*id, self.state.unit(*id).steps)).collect();
            let content = Content::Units(members);
            let now = self.now();
            let aside = beaches.iter().copied().find(|hex| !(lands && awaited) && self.is_beside_a_flag(*hex));
            let roomy = |hex: &Hex| {
                let bulk = now.bulk_of(&now.stack(*hex, Force::Us), |name| self.known.0.get(&name).cloned());
                !now.too_much(*hex, Force::Us, (bulk.0 + cost, bulk.1))
            };
            let Some(at) = aside.into_iter().chain(beaches.iter().copied()).find(roomy).filter(|_| cost <= left) else {
                continue;
            };
            left -= cost;
            let split = brigade.is_some_and(|brigade| self.now().has_counter(&brigade));
            // The first come openly: some of them stay with the base, and the fever takes its steps from them (A106).
            let openly = self.state.turn == 1 || awaited && Some(at) == seat;
            if self.game.options.columns && !split && !openly {
                let name = self.state.next_name(Force::Us);
                orders.push(ArrivalOrder::closed(at, content.clone()));
                self.lay(name, Force::Us, at, true);
                self.known.0.insert(name, content);
            } else {
                orders.push(ArrivalOrder::open(at, units.clone()));
                self.place_all(&units, at, true);
            }
        }
        let mut groups: BTreeMap<Hex, Vec<Piece>> = BTreeMap::new();
        for id in single {
            let cost = data.unit(id).map_or(0, |unit| unit.landing_steps(self.state.unit(id).steps));
            let at = beaches.iter().copied().find(|hex| self.fits(*hex, Force::Us, &[id]));
            if let Some(at) = at.filter(|_| cost <= left) {
                left -= cost;
                self.place_all(&[id], at, true);
                groups.entry(at).or_default().push(id);
            }
        }
        orders.extend(groups.into_iter().map(|(at, units)| ArrivalOrder::open(at, units)));
        if homeless {
            self.state.base = None;
            let site = seat.filter(|hex| lands && self.now().base_sites().contains(hex));
            orders.extend(site.map(|at| ArrivalOrder { at, units: Vec::new(), holds: None, base: true }));
            self.state.base = site;
        }
        orders
    }

    /// Is the beach next door to a flag of the enemy's that no US unit is near?
    fn is_beside_a_flag(&self, beach: Hex) -> bool {
        let now = self.now();
        let data = now.data();
        let army: Vec<Hex> = now.on_map(US).into_iter().filter_map(|piece| self.state.hex_of(piece)).collect();
        let lonely = |flag: &Hex| army.iter().all(|hex| data.distance(*hex, *flag) > NEXT_DOOR);
        let flags = data.objectives.iter().copied().filter(|flag| !now.us_controls(*flag));
        flags.filter(lonely).any(|flag| data.distance(beach, flag) <= NEXT_DOOR)
    }

    /// Escario comes as soon as he can, by the edge hex nearest to Santiago.
    fn sensible_entry(&mut self) -> Vec<ArrivalOrder> {
        let data = &self.game.data;
        let waiting = self.now().arriving(Force::Spanish);
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

    /// What it costs a force to march to a hex from every other, whoever is in the way.
    fn ways_to(&self, aim: Hex, force: Force) -> BTreeMap<Hex, u32> {
        let data = &self.game.data;
        let mut costs = BTreeMap::from([(aim, 0)]);
        let mut edge = BTreeSet::from([(0, aim)]);
        while let Some((cost, hex)) = edge.pop_first() {
            for from in data.neighbours(hex).filter(|from| data.is_land(*from)) {
                let Some(step) = data.step_cost(from, hex) else { continue };
                let further = cost + step + self.thickets(&[hex], force);
                if costs.get(&from).is_none_or(|known| further < *known) {
                    costs.insert(from, further);
                    edge.insert((further, from));
                }
            }
        }
        costs
    }

    /// What jungle on the way costs a force beside its movement points.
    fn thickets(&self, path: &[Hex], force: Force) -> u32 {
        let rolls = force == Force::Us && self.game.options.jungle;
        let jungle = |hex: &&Hex| rolls && self.game.data.terrain(**hex) == Terrain::Jungle;
        path.iter().filter(jungle).map(|_| THICKET).sum()
    }

    /// Where parties of a force go: every goal with what is left of the way to it, and the goal of each party.
    fn plan(&self, force: Force, parties: &[Vec<Piece>]) -> (Vec<BTreeMap<Hex, u32>>, Vec<usize>) {
        let now = self.now();
        let data = now.data();
        let from: Vec<Option<Hex>> =
            parties.iter().map(|party| party.first().and_then(|piece| self.state.hex_of(*piece))).collect();
        let far = |way: &BTreeMap<Hex, u32>, party: usize| {
            from.get(party).copied().flatten().and_then(|hex| way.get(&hex)).copied().unwrap_or(u32::MAX)
        };
        let mut flags: BTreeSet<Hex> = data.objectives.iter().copied().filter(|hex| !now.us_controls(*hex)).collect();
        if self.side == SPAIN {
            // The two most threatened of the places that have to be held.
            let us = now.held_hexes(US);
            let threat = |hex: &Hex| us.iter().map(|enemy| data.distance(*hex, *enemy)).min().unwrap_or(99);
            flags.insert(data.santiago);
            let mut flags: Vec<Hex> = flags.into_iter().collect();
            flags.sort_by_key(|hex| (threat(hex), *hex));
            let ways: Vec<BTreeMap<Hex, u32>> = flags.iter().take(2).map(|flag| self.ways_to(*flag, force)).collect();
            let nearest = |party: usize| (0..ways.len()).min_by_key(|way| far(&ways[*way], party)).unwrap_or(0);
            let goals = (0..parties.len()).map(nearest).collect();
            return (ways, goals);
        }
        // Somebody has to be in El Caney (§4.1c).
        if !now.held_by(data.el_caney, US) {
            flags.insert(data.el_caney);
        }
        // The last goal is Santiago, for whoever is left over.
        let mut ways: Vec<BTreeMap<Hex, u32>> = vec![self.ways_to(data.santiago, force)];
        let mut goals = vec![0; parties.len()];
        let strength = |party: &Vec<Piece>| self.shock_of(party, false);
        let mut idle: BTreeMap<usize, u32> =
            parties.iter().map(strength).enumerate().filter(|(_, shock)| *shock > 0).collect();
        let walls = |flag: Hex| now.fixed_shifts(&[], flag, &now.fighters(flag, SPAIN)).total().min(0).unsigned_abs();
        let mut aims: Vec<(Hex, u32, u32, BTreeMap<Hex, u32>)> = (flags.into_iter())
            .map(|flag| {
                let held = self.shock_of(&now.fighters(flag, SPAIN), true);
                (flag, held, walls(flag), self.ways_to(flag, force))
            })
            .collect();
        // Flags that nobody holds first, then the nearest; works are as bad as a long way, and Santiago comes last.
        while !aims.is_empty() && !idle.is_empty() {
            let ease = |(flag, held, walls, way): &(Hex, u32, u32, BTreeMap<Hex, u32>)| {
                let near = idle.keys().map(|party| far(way, *party)).min().unwrap_or(u32::MAX);
                (*flag == data.santiago && *held > 0, *held > 0, near.saturating_add(walls * DETOUR), *flag)
            };
            let Some(next) = (0..aims.len()).min_by_key(|at| aims.get(*at).map(ease)) else { break };
            let (_, held, walls, way) = aims.remove(next);
            let mut missing = (held * (ENOUGH + walls)).max(1);
            while missing > 0
                && let Some(party) = idle.keys().copied().min_by_key(|party| (far(&way, *party), *party))
            {
                missing = missing.saturating_sub(idle.remove(&party).unwrap_or(0));
                goals[party] = ways.len();
            }
            ways.push(way);
        }
        // Guns, trains and leaders go with who stands where they do.
        for party in 0..parties.len() {
            let armed = |other: &usize| parties.get(*other).is_some_and(|others| strength(others) > 0);
            if !armed(&party) {
                let with = (0..parties.len()).find(|other| armed(other) && from.get(*other) == from.get(party));
                goals[party] = with.map_or(0, |with| goals[with]);
            }
        }
        (ways, goals)
    }

    /// Is the piece the last of its side in a hex that must not be left?
    fn guards(&self, piece: Piece) -> bool {
        let now = self.now();
        let Some(hex) = self.state.hex_of(piece) else { return false };
        let data = now.data();
        let kept = match self.side {
            US => self.state.base == Some(hex) || self.holds_flag(hex),
            _ => data.objectives.contains(&hex) || hex == data.santiago || data.is_ring(hex),
        };
        kept && now.fighters(hex, self.side).iter().all(|other| *other == piece)
    }

    /// Does a flag want a garrison: El Caney always (§4.1c), the others while an enemy could walk in (A07a)?
    fn holds_flag(&self, hex: Hex) -> bool {
        let now = self.now();
        let data = now.data();
        let near = || now.held_hexes(SPAIN).into_iter().any(|enemy| data.distance(enemy, hex) <= RAID);
        hex == data.el_caney || data.objectives.contains(&hex) && near()
    }

    /// Who marches together: US brigades on foot with their leaders, everybody else by himself.
    fn parties(&self, force: Force) -> Vec<Vec<Piece>> {
        let now = self.now();
        let own = now.on_map(self.side).into_iter().filter(|piece| now.force(*piece) == Some(force));
        let (mut stacks, mut parties): (BTreeMap<Hex, Vec<Piece>>, Vec<Vec<Piece>>) = Default::default();
        for piece in own {
            let Some(hex) = self.state.hex_of(piece) else { continue };
            let lowering = now.kind(piece) == Some(UnitKind::Signals) && self.state.balloon_up;
            let barred = !now.bars_marching(self.side, piece, &BTreeSet::new(), lowering).is_empty();
            // Who lies in guerrilla waits for the enemy, and so do the trains of a side that defends itself.
            let train = now.kind(piece) == Some(UnitKind::LogisticColumn);
            if barred || now.in_guerrilla(piece) || train && self.side == SPAIN {
                continue;
            }
            let foot = now.kind(piece).is_none_or(|kind| kind.is_foot() || kind == UnitKind::Leader);
            match force == Force::Us && foot {
                true => stacks.entry(hex).or_default().push(piece),
                false => parties.push(vec![piece]),
            }
        }
        // As many stay with the base as the enemies near it could not overcome.
        if let Some((base, stack)) = self.state.base.and_then(|base| Some((base, stacks.get_mut(&base)?))) {
            let near = |hex: &Hex| now.data().distance(*hex, base) <= RAID;
            let enemies = now.held_hexes(SPAIN).into_iter().filter(near);
            let enemies: Vec<Piece> = enemies.flat_map(|hex| now.fighters(hex, SPAIN)).collect();
            let threat = self.shock_of(&enemies, false);
            let mut guard: Vec<Piece> = now.fighters(base, US).into_iter().filter(|own| !stack.contains(own)).collect();
            stack.sort_by_key(|piece| (self.shock_of(&[*piece], true), *piece));
            while self.shock_of(&guard, true) * 3 <= threat
                && guard.len() < GUARDS
                && let Some(at) = stack.iter().position(|piece| now.fights(*piece))
            {
                guard.push(stack.remove(at));
            }
        }
        // And the weakest of those who hold a flag.
        for (hex, stack) in stacks.iter_mut().filter(|(hex, _)| self.holds_flag(**hex)) {
            let others = now.fighters(*hex, US).into_iter().any(|own| !stack.contains(&own));
            let weakest = |piece: &Piece| (self.shock_of(&[*piece], true), *piece);
            let stays = stack.iter().copied().filter(|piece| !others && now.fights(*piece)).min_by_key(weakest);
            stack.retain(|piece| Some(*piece) != stays);
        }
        let formation = |piece: &Piece| now.unit(*piece).and_then(|unit| unit.formation.clone());
        for stack in stacks.into_values() {
            let mut brigades: BTreeMap<Option<String>, Vec<Piece>> = BTreeMap::new();
            for piece in stack {
                brigades.entry(formation(&piece).or(Some(piece.to_string()))).or_default().push(piece);
            }
            parties.extend(brigades.into_values());
        }
        parties
    }

    fn sensible_moves(&mut self, force: Force) -> Vec<MoveOrder> {
        let mut orders = Vec::new();
        let supplied = self.now().supply_of_side(self.side);
        let parties = self.parties(force);
        let (ways, goals) = self.plan(force, &parties);
        let left = |goal: usize, hex: Hex| ways.get(goal).and_then(|way| way.get(&hex)).copied().unwrap_or(u32::MAX);
        let mut parties: Vec<(Vec<Piece>, usize)> = parties.into_iter().zip(goals).collect();
        // Who may come to stand where: as ordered, or halted in the jungle on the way (§14.1).
        let mut standing: BTreeMap<Hex, Vec<Piece>> = BTreeMap::new();
        for piece in self.now().on_map(self.side).into_iter().filter(|piece| self.now().force(*piece) == Some(force)) {
            if let Some(hex) = self.state.hex_of(piece) {
                standing.entry(hex).or_default().push(piece);
            }
        }
        let jungle = force == Force::Us && self.game.options.jungle;
        // Those in front make room for those behind them.
        parties.sort_by_key(|(party, goal)| {
            let from = party.first().and_then(|piece| self.state.hex_of(*piece));
            let armed = self.shock_of(party, false) > 0;
            (!armed, from.map(|from| left(*goal, from)))
        });
        for (party, goal) in parties {
            if let [piece] = party.as_slice()
                && self.guards(*piece)
            {
                continue;
            }
            let now = self.now();
            let Some(from) = party.first().and_then(|piece| self.state.hex_of(*piece)) else { continue };
            let data = now.data();
            let real = now.all_real(&party);
            let base = self.state.base.filter(|_| self.side == SPAIN && real);
            // Guns, trains and signals go where others are.
            let gun = |piece: &Piece| now.kind(*piece).is_some_and(UnitKind::is_gun);
            let armed = party.iter().any(|piece| now.fights(*piece) && !gun(piece));
            let follows = force == Force::Us && !armed;
            let halts = |path: &[Hex]| {
                let stop = |hex: &Hex| path.last() == Some(hex) || jungle && data.terrain(*hex) == Terrain::Jungle;
                path.iter().copied().filter(stop).collect::<Vec<Hex>>()
            };
            let roomy = |hex: &Hex| {
                let there = standing.get(hex).into_iter().flatten();
                let stack: Vec<Piece> = there.chain(&party).copied().collect();
                !now.overstacked(*hex, force, &stack)
            };
            let good = |hex: Hex, path: &[Hex]| {
                // Cubans keep off the roads the US Army needs: the two never share a hex (A76).
                let road = |hex: Hex| data.ground(hex).is_some_and(|ground| ground.road || ground.rail);
                let beside = || data.neighbours(hex).any(|next| now.held_by(next, SPAIN));
                let aside = force == Force::Cuban && road(hex) && left(goal, hex) > 0 && !beside();
                let near = left(goal, hex) < left(goal, from) && !aside;
                let leaves = force == Force::Cuban && road(from) && !road(hex);
                (near || leaves) && halts(path).iter().all(roomy) && (!follows || now.holder(hex) == Some(force))
            };
            let best = (now.routes(&party).into_iter())
                .filter(|(hex, path, _)| Some(*hex) == base || good(*hex, path))
                .min_by_key(|(hex, path, cost)| {
                    let dry = force != Force::Cuban && !supplied.contains(hex);
                    let far = left(goal, *hex).saturating_add(self.thickets(path, force));
                    (Some(*hex) != base, dry, far, *cost, *hex)
                });
            let Some((to, path, _)) = best else { continue };
            let mut order = MoveOrder::along(party.clone(), path.clone());
            standing.values_mut().for_each(|there| there.retain(|piece| !party.contains(piece)));
            for hex in halts(&path) {
                standing.entry(hex).or_default().extend(&party);
            }
            let closed = party.iter().any(|piece| piece.is_counter());
            order.real = closed && real && now.way(&party, to, false).is_none();
            if party.iter().any(|piece| now.kind(*piece) == Some(UnitKind::Signals)) {
                let near = |name: &Piece| self.state.hex_of(*name).is_some_and(|hex| data.touch(hex, to));
                let seen =
                    self.state.counters.keys().any(|name| now.force(*name) == Some(Force::Spanish) && near(name));
                let up = self.state.balloon_up;
                order.balloon = if seen { Some(Balloon::Up) } else { up.then_some(Balloon::Down) };
            }
            self.shift(&party, to);
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

    /// The column of the shock table at which an attack is worth its losses. Cuban steps cost the US nothing (§4.2b); the
    /// steps of the Army may cost it the war, and only a flag is worth more of them.
    fn worthwhile(&self, force: Force, target: Hex, by: &[Piece]) -> Odds {
        let now = self.now();
        let data = now.data();
        match force {
            Force::Cuban => Odds::TwoToOne,
            Force::Spanish => Odds::ThreeToOne,
            // With El Caney and as many flags as the table counts, time is on their side.
            Force::Us if now.objectives_held() >= MASTERY && now.held_by(data.el_caney, US) => Odds::FourToOne,
            Force::Us if !data.objectives.contains(&target) => Odds::FourToOne,
            // Many rifles do their part before the shock, but not against a redoubt.
            Force::Us => {
                let redoubt = data.ground(target).is_some_and(|ground| ground.redoubt);
                if !redoubt && self.fire_of(by) >= BARRAGE { Odds::TwoToOne } else { Odds::ThreeToOne }
            }
        }
    }

    /// What pieces of one's own bring to the fire before the shock.
    fn fire_of(&self, pieces: &[Piece]) -> u32 {
        let now = self.now();
        let under = |unit: Piece, steps: u8| now.unit(unit).map_or(0, |unit| unit.factors(steps, None).fire);
        let of = |piece: &Piece| match now.members(*piece) {
            Some(members) => members.iter().map(|(unit, steps)| under(*unit, *steps)).sum(),
            None => now.halved(*piece, now.factors(*piece).fire),
        };
        pieces.iter().map(of).sum()
    }

    /// Attacks at good odds, by a supply point if need be; guns and fleets wherever they reach.
    fn sensible_combats(&mut self) -> Vec<CombatOrder> {
        let side = self.side;
        let (enemy, forces): (_, &[Force]) =
            if side == US { (SPAIN, &[Force::Cuban, Force::Us]) } else { (US, &[Force::Spanish]) };
        let mut targets: Vec<Hex> = self.now().held_hexes(enemy).into_iter().collect();
        targets.sort_by_key(|hex| (!self.game.data.objectives.contains(hex), *hex));
        let (mut orders, mut fought, mut attacked) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        for force in forces.iter().copied() {
            if force != Force::Cuban {
                let naval = self.now().naval_targets(force);
                let naval = targets.iter().find(|hex| naval.contains(hex));
                orders.extend(naval.map(|hex| CombatOrder { naval: Some(*hex), ..CombatOrder::default() }));
                for target in &targets {
                    // What is hidden stays so.
                    let mut guns = self.now().guns_on(force, *target, &fought);
                    guns.retain(|gun| !gun.is_counter());
                    if !guns.is_empty() {
                        fought.extend(guns.iter().copied());
                        orders.push(CombatOrder { bombard: Some(*target), by: guns, ..CombatOrder::default() });
                    }
                }
            }
            let (mut points, mut trains) = (self.state.points(force), BTreeSet::new());
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
                let way = |way: &Support| match way {
                    Support::Pool => points > 0,
                    Support::Column(train) => !trains.contains(train),
                    Support::No | Support::Answer => false,
                };
                let way = now.supports(force, &hexes).into_iter().find(way);
                let worth = self.worthwhile(force, *target, &by);
                let good = table.columns.iter().position(|column| *column == worth).unwrap_or(0);
                if manner == Manner::Ordinary && place + usize::from(way.is_some()) < good {
                    attacked.remove(target);
                    continue;
                }
                let mut order = CombatOrder { attack: Some(*target), by: by.clone(), ..CombatOrder::default() };
                // Who guards the base goes back to it.
                let (guards, others): (Vec<Piece>, Vec<Piece>) = by
                    .iter()
                    .partition(|piece| self.state.base.is_some() && self.state.hex_of(**piece) == self.state.base);
                let held = self.state.base.is_some_and(|base| {
                    now.fighters(base, US).iter().any(|piece| !by.contains(piece) && !fought.contains(piece))
                });
                if side == US && !guards.is_empty() && !held {
                    order.advance = Some(if others.is_empty() { Advance::None } else { Advance::Units(others) });
                }
                // Spain has few points, the US more than they can carry forward.
                if manner == Manner::Ordinary && (place < good || force == Force::Us) {
                    order.support = way;
                    match way {
                        Some(Support::Pool) => points -= 1,
                        Some(Support::Column(train)) => drop(trains.insert(train)),
                        _ => {}
                    }
                }
                fought.extend(by);
                orders.push(order);
            }
        }
        orders
    }
}
