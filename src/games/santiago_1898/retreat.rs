//! Chapters 9.4 and 9.5: retreat after combat and advance after combat.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{self, Grid, Hex};
use crate::engine::{Clause, Ever, Question, Ruling, Say, Subject};

use super::events::Event;
use super::fire::Battle;
use super::orders::Advance;
use super::play::{Play, Position, item, player, prefer};
use super::policy::{ADVANCE, GOES_WITH, LEADER_HOLD, Policy, RETREAT};
use super::state::Cause;
use super::terms::{Force, UnitId};

/// Where the units of a hex may retreat, and how many each hex can take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ways {
    pub hexes: BTreeMap<Hex, u32>,
    /// The source they fall back on, if they have one.
    pub source: Option<Hex>,
}

impl Ways {
    /// How many units can retreat at all.
    fn capacity(&self) -> u32 {
        self.hexes.values().sum()
    }
}

impl Position<'_> {
    /// Legal retreat hexes: one hex nearer the nearest source over land; any, on the source or without one (§9.4a, §IMP.5).
    pub fn retreat_ways(&self, force: Force, from: Hex) -> Ways {
        let data = self.data();
        let side = player(force);
        let sources: Vec<Hex> = match (force, self.source(force)) {
            (_, Some(source)) => vec![source],
            (Force::Us, None) => data.beaches.clone(), // R11: before the base lands, the nearest beach
            (Force::Spanish | Force::Cuban, None) => Vec::new(),
        };
        let land = |hex: Hex| data.is_land(hex);
        // R11: water is not counted through, neither a hex of it nor a hexside.
        let over_land = |a: Hex, _, b: Hex| land(b) && !data.water_between(a, b);
        let distances: Vec<(Hex, board::Field)> =
            sources.iter().map(|source| (*source, board::distance_field(&data.grid, [*source], over_land))).collect();
        let to_source = |field: &board::Field, hex: Hex| field.get(&data.grid, hex);
        let nearest = distances.iter().filter_map(|(_, field)| to_source(field, from)).min();
        let nearer = |hex: Hex| match nearest {
            // On the source all neighbours are equally near; without a source any will do (R11).
            Some(0) => true,
            None => sources.is_empty(),
            Some(distance) => distances.iter().any(|(_, field)| {
                to_source(field, from) == Some(distance) && to_source(field, hex).is_some_and(|there| there < distance)
            }),
        };
        let signals = |hex: Hex| force == Force::Spanish && self.signals_in(hex).is_some();
        let legal = |hex: &Hex| {
            land(*hex)
                && !data.water_between(from, *hex)
                && !self.enemy_in(side, *hex)
                && !signals(*hex)
                && !self.ally_bars(force, *hex)
                && nearer(*hex)
        };
        let neighbours = data.grid.neighbours(from).map(|(_, hex)| hex);
        let hexes = neighbours.filter(legal).map(|hex| (hex, self.room(force, hex))).collect();
        let source = distances.iter().find(|(_, field)| to_source(field, from) == nearest && nearest.is_some());
        Ways { hexes, source: source.map(|(source, _)| *source) }
    }

    /// How good a retreat hex is by default: friendly-held, few enemies beside it, low number.
    fn retreat_rank(&self, force: Force, hex: Hex) -> (bool, usize, Hex) {
        let friends = self.combat_units(force, hex).is_empty();
        let enemies = self
            .data()
            .grid
            .neighbours(hex)
            .map(|(_, next)| self.combat_units_of(super::movement::opponent(player(force)), next).len());
        (friends, enemies.sum(), hex)
    }

    /// Sends units to hexes: together if one has room for all, else one by one, the strongest first.
    fn plan_retreat(&self, force: Force, units: &[UnitId], ways: &Ways, wished: &[Hex]) -> BTreeMap<UnitId, Hex> {
        let mut hexes: Vec<Hex> = ways.hexes.keys().copied().collect();
        hexes.sort_by_key(|hex| {
            let wish = wished.iter().position(|other| other == hex).unwrap_or(usize::MAX);
            (wish, self.retreat_rank(force, *hex))
        });
        let mut room = ways.hexes.clone();
        let count = u32::try_from(units.len()).unwrap_or(u32::MAX);
        if let Some(hex) = hexes.iter().find(|hex| room.get(hex).is_some_and(|room| *room >= count)) {
            return units.iter().map(|id| (*id, *hex)).collect();
        }
        let mut order = units.to_vec();
        order.sort_by_key(|id| (std::cmp::Reverse(self.values(*id).shock), *id));
        let mut plan = BTreeMap::new();
        for id in order {
            for hex in &hexes {
                if let Some(left) = room.get_mut(hex).filter(|left| **left > 0) {
                    *left -= 1;
                    plan.insert(id, *hex);
                    break;
                }
            }
        }
        plan
    }
}

/// Does a plan send as many units as there is room for, each where it may go?
fn retreat_legal(units: &[UnitId], ways: &Ways, plan: &BTreeMap<UnitId, Hex>) -> bool {
    let mut room = ways.hexes.clone();
    let fits = plan.iter().all(|(id, hex)| {
        let left = room.get_mut(hex).filter(|left| **left > 0);
        units.contains(id) && left.map(|left| *left -= 1).is_some()
    });
    let expected = ways.capacity().min(u32::try_from(units.len()).unwrap_or(u32::MAX));
    fits && u32::try_from(plan.len()) == Ok(expected)
}

impl Play<'_, '_> {
    /// An R result against the units of a hex (§9.4, §6.3).
    pub fn retreat(&mut self, force: Force, from: Hex) -> Ruling<()> {
        if self.leader_holds(force, from)? {
            return Ok(());
        }
        let now = self.now();
        let units = now.combat_units(force, from);
        let ways = now.retreat_ways(force, from);
        let plan = self.choose_retreat(force, from, &units, &ways)?;
        // §9.4f: who cannot retreat legally is eliminated in place.
        let stranded: Vec<UnitId> = units.iter().copied().filter(|id| !plan.contains_key(id)).collect();
        let escorts = self.escorts(force, from, &plan)?;
        if !plan.is_empty() {
            let mut to = plan.clone();
            to.extend(escorts.iter().map(|(id, hex)| (*id, *hex)));
            self.umpire.note(Event::Retreated { from, to: to.clone(), source: ways.source });
            for (id, hex) in to {
                self.put(id, hex)?;
            }
        }
        let steps: Vec<UnitId> =
            stranded.iter().flat_map(|id| std::iter::repeat_n(*id, usize::from(self.state.unit(*id).steps))).collect();
        self.lose_steps(force, from, Cause::Retreat, &steps);
        self.relocate_lone_leaders()
    }

    /// A stack with a leader may ignore the retreat; one choice for the hex (§6.3a).
    fn leader_holds(&mut self, force: Force, hex: Hex) -> Ruling<bool> {
        let Some(leader) = self.now().leaders_in(force, hex).first().copied() else { return Ok(false) };
        let question = Question {
            who: player(force),
            kind: LEADER_HOLD,
            about: Subject::of(hex),
            clause: Clause("6.3a"),
            text: format!("{hex} must retreat, but {leader} is there: does it hold?"),
            options: vec![true, false],
            default: true,
            also: None,
        };
        let holds = self.umpire.ask(question, None, |policy| match policy {
            Policy::Ever(ever) => Say::Choose(*ever == Ever::Always),
            Policy::In(hexes) => Say::Choose(hexes.contains(&hex)),
            _ => Say::Default,
        })?;
        if holds {
            self.umpire.note(Event::LeaderHolds { hex, leader });
        }
        Ok(holds)
    }

    fn choose_retreat(
        &mut self,
        force: Force,
        from: Hex,
        units: &[UnitId],
        ways: &Ways,
    ) -> Ruling<BTreeMap<UnitId, Hex>> {
        let now = self.now();
        let default = now.plan_retreat(force, units, ways, &[]);
        let open: Vec<Hex> = ways.hexes.iter().filter(|(_, room)| **room > 0).map(|(hex, _)| *hex).collect();
        let enough = ways.capacity() as usize >= units.len();
        if open.is_empty() || (open.len() == 1 && enough) {
            return Ok(default);
        }
        let mut options = vec![default.clone()];
        for hex in &open {
            let plan = now.plan_retreat(force, units, ways, &[*hex]);
            if !options.contains(&plan) {
                options.push(plan);
            }
        }
        let legal = {
            let (units, ways) = (units.to_vec(), ways.clone());
            move |plan: &BTreeMap<UnitId, Hex>| retreat_legal(&units, &ways, plan)
        };
        let question = Question {
            who: player(force),
            kind: RETREAT,
            about: Subject::of(from),
            clause: Clause("9.4c"),
            text: format!("the units in {from} retreat: where does each go?"),
            options,
            default,
            also: Some(Box::new(legal)),
        };
        let position = Position { game: self.game, state: &*self.state };
        self.umpire.ask(question, None, |policy| match policy {
            Policy::Hexes(wished) => Say::Choose(position.plan_retreat(force, units, ways, wished)),
            _ => Say::Default,
        })
    }

    /// Leaders and the Signals Detachment go with a part of the stack; their owner chooses if it splits (§6.2d, §IMP.23).
    fn escorts(&mut self, force: Force, from: Hex, plan: &BTreeMap<UnitId, Hex>) -> Ruling<BTreeMap<UnitId, Hex>> {
        let mut with = self.now().leaders_in(force, from);
        with.extend(self.now().signals_in(from).filter(|_| force == Force::Us));
        let parts: BTreeSet<Hex> = plan.values().copied().collect();
        let mut going = BTreeMap::new();
        for id in with {
            let strength = |hex: &Hex| {
                let part: Vec<UnitId> = plan.iter().filter(|(_, to)| *to == hex).map(|(id, _)| *id).collect();
                self.now().shock_of(&part)
            };
            let Some(default) = parts.iter().copied().min_by_key(|hex| (std::cmp::Reverse(strength(hex)), *hex)) else {
                continue; // nobody got away; he shares the fate of the last step
            };
            let to = self.goes_with(force, id, from, &parts, default)?;
            going.insert(id, to);
        }
        Ok(going)
    }

    fn goes_with(&mut self, force: Force, id: UnitId, from: Hex, parts: &BTreeSet<Hex>, default: Hex) -> Ruling<Hex> {
        if parts.len() <= 1 {
            return Ok(default);
        }
        let options: Vec<Hex> = parts.iter().copied().collect();
        let listed = options.clone();
        let question = Question {
            who: player(force),
            kind: GOES_WITH,
            about: Subject::of(id),
            clause: Clause("6.2d"),
            text: format!("the stack in {from} splits: into which hex goes {id}?"),
            options,
            default,
            also: None,
        };
        self.umpire.ask(question, None, |policy| prefer(policy, &listed))
    }

    /// Attackers may enter a hex all defenders have left (§9.5).
    pub fn advance(&mut self, battle: &Battle, attackers: &[UnitId]) -> Ruling<()> {
        let (force, target) = (battle.force, battle.target);
        let side = player(force);
        let now = self.now();
        let signals = force == Force::Spanish && now.signals_in(target).is_some();
        if now.enemy_in(side, target) || signals || now.ally_bars(force, target) {
            return Ok(()); // §9.5c
        }
        // §9.5c, §9.6c: participants that are alive and not disorganized.
        let able = |id: &UnitId| now.state.hex_of(*id).is_some() && !now.state.unit(*id).disorganized;
        let mut units: Vec<UnitId> = attackers.iter().copied().filter(able).collect();
        units.sort_by_key(|id| (std::cmp::Reverse(now.values(*id).shock), now.state.hex_of(*id), *id));
        if units.is_empty() {
            return Ok(());
        }
        let room = now.room(force, target) as usize;
        let all: Vec<UnitId> = units.iter().copied().take(room).collect();
        let mut options = vec![all.clone(), Vec::new()];
        options.extend(units.iter().map(|id| vec![*id]).filter(|one| *one != all));
        let candidates = units.clone();
        let legal = move |choice: &Vec<UnitId>| {
            let distinct: BTreeSet<&UnitId> = choice.iter().collect();
            distinct.len() == choice.len() && choice.iter().all(|id| candidates.contains(id))
        };
        let question = Question {
            who: side,
            kind: ADVANCE,
            about: Subject::of(target),
            clause: Clause("9.5a"),
            text: format!("{target} is vacated: which units enter it?"),
            options,
            default: all.clone(),
            also: Some(Box::new(legal)),
        };
        let read = |advance: &Advance| match advance {
            Advance::All => all.clone(),
            Advance::None => Vec::new(),
            Advance::Units(wished) => wished.iter().copied().filter(|id| units.contains(id)).collect(),
        };
        let ordered = battle.order.advance.as_ref().map(read);
        let chosen = self.umpire.ask(question, ordered, |policy| match policy {
            Policy::Advance(advance) => Say::Choose(read(advance)),
            _ => Say::Default,
        })?;
        if chosen.is_empty() {
            return Ok(());
        }
        let leaders = self.leaders_advance(force, target, attackers, &chosen)?;
        let entering: Vec<UnitId> = chosen.into_iter().chain(leaders).collect();
        let from: BTreeMap<UnitId, Hex> =
            entering.iter().filter_map(|id| Some((*id, self.state.hex_of(*id)?))).collect();
        if let Some(index) = battle.entry {
            self.used.filled.insert(target, item("battles", index));
        }
        self.umpire.note(Event::Advanced { to: target, units: from });
        for id in entering {
            self.put(id, target)?;
        }
        self.relocate_lone_leaders()
    }

    /// A leader advances with units of his stack that took part; if some stay, his owner chooses (§6.2d, R66).
    fn leaders_advance(
        &mut self,
        force: Force,
        target: Hex,
        attackers: &[UnitId],
        going: &[UnitId],
    ) -> Ruling<Vec<UnitId>> {
        let hexes: BTreeSet<Hex> = attackers.iter().filter_map(|id| self.state.hex_of(*id)).collect();
        let mut leaders = Vec::new();
        for hex in hexes {
            for leader in self.now().leaders_in(force, hex) {
                let now = self.now();
                let stack = now.combat_units(force, hex);
                let (goes, stays): (Vec<UnitId>, Vec<UnitId>) = stack.into_iter().partition(|id| going.contains(id));
                if goes.is_empty() {
                    continue;
                }
                let default = if now.shock_of(&goes) > now.shock_of(&stays) { target } else { hex };
                let parts = if stays.is_empty() { BTreeSet::from([target]) } else { BTreeSet::from([target, hex]) };
                let default = if stays.is_empty() { target } else { default };
                if self.goes_with(force, leader, hex, &parts, default)? == target {
                    leaders.push(leader);
                }
            }
        }
        Ok(leaders)
    }
}
