//! What a force is after, the way there, and who goes for which goal.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{self, Hex, Points, Roster, Step};

use super::super::movement::ANY;
use super::super::play::Position;
use super::super::state::State;
use super::super::tables::Odds;
use super::super::terms::{Force, UnitId};
use super::super::{SPAIN, US};
use super::march::GARRISON;

/// What a jungle hex costs the Army beyond its movement points: the die halts two columns of three for the day (§8.6).
const JUNGLE: u32 = 4;

/// What it costs to fight through, or to go round, a stack in the way.
const IN_THE_WAY: u32 = 4;

/// What it costs to get to a goal from everywhere.
type Field = BTreeMap<Hex, u32>;

/// The goals of a force.
pub struct Goals {
    fields: BTreeMap<Hex, Field>,
    /// The shock that takes each goal, where troops are shared out over them: Spaniards go for the nearest.
    wants: BTreeMap<Hex, u32>,
}

impl Goals {
    /// What a force is after now; goals that others are enough for are left out.
    pub fn of(now: &Position<'_>, force: Force, met: &BTreeSet<Hex>) -> Goals {
        let goals: BTreeSet<Hex> = goals(now, force).difference(met).copied().collect();
        let shared = goals.iter().copied().filter(|_| force != Force::Spanish);
        let wants = shared.map(|goal| (goal, wants(now, force, goal))).collect();
        Goals { fields: fields(now, force, goals), wants }
    }

    /// What it costs to get from a hex to a goal.
    pub fn cost(&self, goal: Hex, from: Hex) -> u32 {
        self.fields.get(&goal).and_then(|field| field.get(&from)).copied().unwrap_or(ANY)
    }

    /// The goal nearest to a hex, one that has to be fought for first.
    pub fn nearest(&self, from: Hex) -> Option<Hex> {
        let open = |goal: Hex| self.wants.get(&goal) == Some(&0);
        self.fields.keys().copied().min_by_key(|goal| (open(*goal), self.cost(*goal, from), *goal))
    }

    /// What it costs to get from a hex to so many goals, the nearest ones.
    pub fn way_to(&self, count: usize, from: Hex) -> u32 {
        let mut costs: Vec<u32> = self.fields.keys().map(|goal| self.cost(*goal, from)).collect();
        costs.sort_unstable();
        costs.iter().take(count).sum()
    }

    /// Shares units out over the goals: always the goal next that is first reached by enough of those left. Goals that
    /// nobody is enough for get nobody.
    pub fn share_out(&self, now: &Position<'_>, units: &BTreeMap<UnitId, Hex>) -> BTreeMap<UnitId, Hex> {
        let mut left = units.clone();
        let mut shares = BTreeMap::new();
        let mut open: BTreeSet<Hex> = self.wants.keys().copied().collect();
        loop {
            let parties = open.iter().filter_map(|goal| Some((self.party(now, *goal, &left)?, *goal)));
            let Some(((_, party), goal)) = parties.min_by_key(|((cost, party), goal)| (*cost, party.len(), *goal))
            else {
                return shares;
            };
            open.remove(&goal);
            left.retain(|id, _| !party.contains(id));
            shares.extend(party.into_iter().map(|id| (id, goal)));
        }
    }

    /// The nearest units that together are enough for a goal, and what the last of them pays to get there.
    fn party(&self, now: &Position<'_>, goal: Hex, units: &BTreeMap<UnitId, Hex>) -> Option<(u32, Vec<UnitId>)> {
        let wanted = self.wants.get(&goal).copied()?;
        let shock = |id: UnitId| now.values(id).shock;
        let mut nearest: Vec<(u32, std::cmp::Reverse<u32>, UnitId)> =
            units.iter().map(|(id, hex)| (self.cost(goal, *hex), std::cmp::Reverse(shock(*id)), *id)).collect();
        nearest.sort_unstable();
        let (mut gathered, mut cost, mut party) = (0, 0, Vec::new());
        for (way, _, id) in nearest.into_iter().filter(|(way, ..)| *way < ANY) {
            if gathered >= wanted && !party.is_empty() {
                break;
            }
            (gathered, cost) = (gathered + shock(id), way);
            party.push(id);
        }
        (gathered >= wanted && !party.is_empty()).then_some((cost, party))
    }
}

/// Hexes to take, or to take back and to hold.
fn goals(now: &Position<'_>, force: Force) -> BTreeSet<Hex> {
    let objectives = now.data().objectives.iter().copied();
    if force == Force::Spanish {
        let held = |hex: &Hex| now.combat_units(force, *hex).len() >= GARRISON;
        return objectives.filter(|hex| !held(hex) && !now.enemy_in(SPAIN, *hex)).chain(now.state.base).collect();
    }
    let open: BTreeSet<Hex> = objectives.filter(|hex| !now.state.us_controls(*hex)).collect();
    // With every objective taken what is left of the garrison is hunted down.
    let mut goals = if open.is_empty() { now.enemy_hexes(US).collect() } else { open };
    if force == Force::Us {
        // Fever thins out those in the rear first (§10.5b): the guard of the base is made up again.
        goals.extend(now.state.base.filter(|base| !now.is_safe(*base, &[]) && now.room(force, *base) > 0));
    }
    goals
}

/// The shock with which a goal is taken at the odds that spare the attacker, with some to spare for the fire.
fn wants(now: &Position<'_>, force: Force, goal: Hex) -> u32 {
    let defence = now.assault(force, goal, &[], 0);
    let good = |times: &u32| Odds::of(*times, 1).shifted(defence.shifts.total()) >= Odds::FourToOne;
    let times = (1..=5).find(good).unwrap_or(5) + 1;
    times * defence.defence
}

/// The way to each goal, as if nobody but the enemy stood on it.
fn fields(now: &Position<'_>, force: Force, goals: BTreeSet<Hex>) -> BTreeMap<Hex, Field> {
    let empty = State { units: Roster::default(), base: None, ..now.state.clone() };
    let bare = Position { game: now.game, state: &empty };
    let lay = bare.lay(force, true);
    let enemies: BTreeSet<Hex> = match force {
        Force::Spanish => BTreeSet::new(),
        Force::Us | Force::Cuban => now.enemy_hexes(US).collect(),
    };
    let army = force == Force::Us;
    let field = |goal: Hex| {
        // Laid out from the goal: each step is one back towards it.
        let step = |to: Hex, _, from: Hex| match bare.step_cost(&lay, from, to) {
            Ok(cost) => {
                let jungle = if army && now.jungle_roll_due(from, to) { JUNGLE } else { 0 };
                let enemy = if to != goal && enemies.contains(&to) { IN_THE_WAY } else { 0 };
                Step::Pay(Points::<1>::whole(cost + jungle + enemy))
            }
            Err(obstacle) => Step::Barred(obstacle),
        };
        let reach = board::reach(&now.data().grid, goal, Points::whole(ANY), step);
        (goal, reach.costs().map(|(hex, cost)| (hex, cost.floor())).collect())
    };
    goals.into_iter().map(field).collect()
}

/// Cubans start where they soonest take what stands open or is weakly held, the easiest first (§3.3); the rest of them take
/// their default places.
pub fn cuban_setup(now: &Position<'_>) -> BTreeMap<UnitId, Hex> {
    let goals = Goals::of(now, Force::Cuban, &BTreeSet::new());
    let hexes = now.cuban_hexes();
    let room = now.data().tables.limits.stacking as usize;
    let shock = |id: &UnitId| now.values(*id).shock;
    let mut easiest: Vec<(u32, Hex)> = goals.wants.iter().map(|(goal, wanted)| (*wanted, *goal)).collect();
    easiest.sort_unstable();
    // For what stands open the weakest will do.
    let mut left = now.deploys(Force::Cuban);
    left.sort_by_key(|id| (shock(id), *id));
    let mut place: BTreeMap<UnitId, Hex> = BTreeMap::new();
    for (wanted, goal) in easiest {
        let Some(hex) = hexes.iter().copied().min_by_key(|hex| (goals.cost(goal, *hex), *hex)) else { continue };
        let there = place.values().filter(|at| **at == hex).count();
        let enough = |count: &usize| left.iter().take(*count).map(shock).sum::<u32>() >= wanted;
        if let Some(count) = (1..=left.len()).find(enough).filter(|count| there + count <= room) {
            place.extend(left.drain(..count).map(|id| (id, hex)));
        }
    }
    now.judge_setup(Force::Cuban, &place).deed
}
