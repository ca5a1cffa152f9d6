//! §11.9 to §11.13: column shifts by terrain and works, with the force multipliers of chapters 16 to 18 and 20 to 22.

use std::collections::BTreeSet;

use crate::board::Grid;
use crate::engine::{Clause, Tally};

use super::US;
use super::combat::{Battle, Fighter};
use super::data::Along;
use super::play::Position;
use super::terms::{Arm, Flag, Nation};

impl Position<'_> {
    /// Column shifts of a battle (§11.9 to §11.11, §16 to §18, §20 to §22).
    pub fn shifts(&self, battle: &Battle) -> Tally {
        let mut tally = Tally::new();
        self.terrain_shifts(battle, &mut tally);
        if battle.nation() == Some(Nation::Us) {
            self.us_shifts(battle, &mut tally);
        }
        tally
    }

    fn terrain_shifts(&self, battle: &Battle, tally: &mut Tally) {
        let data = self.data();
        let chart = &data.tables.terrain_effects;
        let target = battle.target;
        let Some(ground) = data.map.ground(target) else { return };
        let mut left = |what: &str, columns: i32, clause: &'static str, sum: &mut i32| {
            if columns != 0 {
                tally.add(what, -columns, Clause(clause));
                *sum += columns;
            }
        };
        let mut sum = 0;
        left(ground.land.as_str(), chart.hex_left(ground.land), "11.9a", &mut sum);
        let (river, upslope) = chart.side_left();
        if self.across(battle, Along::River) {
            left("across a river", river, "11.9a", &mut sum);
        }
        if self.across(battle, Along::Up) {
            left("upslope", upslope, "11.9a", &mut sum);
        }
        // §11.13b: works help Spanish defenders only.
        if battle.side == US {
            let (blockhouse, trench, fortress) = chart.works_left();
            if ground.blockhouse {
                left("blockhouse", blockhouse, "11.13a", &mut sum);
            }
            if self.across(battle, Along::Trench) {
                left("trench", trench, "11.13a", &mut sum);
            }
            if ground.fortress {
                left("fortress", fortress, "11.13a", &mut sum);
            }
            // §22.2c: El Morro in US hands looks down on La Socapa.
            let other = data.fortresses.iter().copied().find(|hex| *hex != target);
            let looks_down =
                data.fortresses.first() == Some(&target) && other.is_some_and(|hex| !self.americans_in(hex).is_empty());
            if ground.fortress && looks_down && sum > 0 {
                tally.add("US units in El Morro", 1, Clause("22.2c"));
            }
        }
    }

    /// Do the adjacent attackers attack across a hexside of this kind? All of them must (§11.9e).
    fn across(&self, battle: &Battle, kind: Along) -> bool {
        let mut adjacent = battle.attackers.iter().filter(|fighter| fighter.adjacent).peekable();
        let crosses = |fighter: &Fighter| self.data().between(fighter.hex, battle.target).has(kind);
        if adjacent.peek().is_none() {
            return false;
        }
        if self.game.options.hexside_all { adjacent.all(crosses) } else { adjacent.any(crosses) }
    }

    fn us_shifts(&self, battle: &Battle, tally: &mut Tally) {
        let data = self.data();
        let target = battle.target;
        let Some(ground) = data.map.ground(target) else { return };
        let has = |arm: Arm| battle.attackers.iter().any(|fighter| fighter.arm == arm);
        let works = ground.blockhouse || ground.fortress || data.is_city(target);
        if has(Arm::Engineer) {
            if works {
                tally.add("engineers", 1, Clause("21.1a"));
            } else if self.across(battle, Along::Trench) {
                tally.add("engineers", 1, Clause("21.1b"));
            }
        }
        if has(Arm::Gatling) && (has(Arm::Infantry) || has(Arm::Cavalry)) {
            tally.add("Gatling guns", 1, Clause("20.1a"));
        }
        if let Some((_, at)) = self.balloon().filter(|_| self.state.balloon_up)
            && data.grid().distance(at, target) <= data.tables.limits.balloon_range
        {
            tally.add("balloon", 1, Clause("17.3a"));
        }
        let roosevelt = |fighter: &Fighter| self.counter(fighter.unit).is_some_and(|c| c.has(Flag::Roosevelt));
        if battle.attackers.iter().any(roosevelt) {
            tally.add("Teddy Roosevelt", 1, Clause("18.1"));
        }
        if ground.coast && !ground.harbour_shore {
            let clause = if ground.fortress { "16.2b" } else { "16.1" };
            tally.add("naval gunfire", 1, Clause(clause));
        }
        if !works && let Some(clause) = self.concentric(battle) {
            tally.add("concentric attack", 1, Clause(clause));
        }
    }

    /// Is the attack concentric, and by which rule? (§11.11)
    fn concentric(&self, battle: &Battle) -> Option<&'static str> {
        let grid = self.data().grid();
        let from: BTreeSet<usize> = (battle.attackers.iter())
            .filter(|fighter| fighter.adjacent)
            .filter_map(|fighter| grid.way(grid.edge_between(battle.target, fighter.hex)?))
            .collect();
        if (0..3).any(|way| from.contains(&way) && from.contains(&(way + 3))) {
            return Some("11.11a");
        }
        if (0..2).any(|way| [way, way + 2, way + 4].iter().all(|way| from.contains(way))) {
            return Some("11.11b");
        }
        (from.len() > 3).then_some("11.11c")
    }
}
