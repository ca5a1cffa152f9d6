//! What a plain player's eye sees in a position: what a shot is likely to do, how a charge is likely to end, what a
//! place offers and what it risks. In hundredths of a Spanish unit; nothing here is a rule.

use crate::board::{Facing, Grid, Square};

use super::actions::{Deed, Plan};
use super::position::Position;
use super::terms::{HIT, Power, SAVE, UnitId};

/// A Spanish unit removed.
pub const SPANISH_UNIT: i32 = 100;
/// A U.S. unit brought into disorder, and one in disorder removed: together half as much again as a Spanish unit,
/// since six U.S. losses count as much as nine Spanish ones (§3a, §3b).
pub const DISORDER: i32 = 60;
/// See [`DISORDER`].
pub const REMOVAL: i32 = 90;

/// Chips that fail a save with this modifier, of ten.
fn failing(modifier: i32) -> i32 {
    (SAVE - 1 - modifier).clamp(0, 10)
}

/// Chips that reach a number, of ten.
fn reaching(number: u16) -> i32 {
    11 - i32::from(number)
}

impl Position<'_> {
    /// What the next unsaved hit on a unit is worth to its enemy.
    pub fn price(&self, unit: UnitId) -> i32 {
        match self.power(unit) {
            Some(Power::Us) if self.state.unit(unit).disordered => REMOVAL,
            Some(Power::Us) => DISORDER,
            _ => SPANISH_UNIT,
        }
    }

    /// What a shot from a box with a facing is worth; none if it is not allowed.
    pub fn shot_value(
        &self,
        unit: UnitId,
        from: Option<Square>,
        facing: Option<Facing>,
        target: UnitId,
    ) -> Option<i32> {
        let firer = self.unit(unit)?;
        let aspect = self.shot(firer, from, facing, target).ok()?;
        let chips = i32::try_from(if aspect.is_exposed() { firer.flank_chips } else { firer.chips }).unwrap_or(1);
        let fails = failing(self.fire_modifiers(target, aspect).total());
        Some(chips * reaching(self.fire_number(unit)) * fails * self.price(target) / 100)
    }

    /// The best shot a unit would have from a box with a facing.
    pub fn prospect(&self, unit: UnitId, from: Square, facing: Facing) -> i32 {
        let Some(firer) = self.unit(unit) else { return 0 };
        let range = firer.range.unwrap_or(u32::MAX);
        let near = |at: Square| self.field.grid.distance(from, at) <= range;
        let targets = self.units_of(firer.power.enemy()).filter(|enemy| self.at(enemy.id).is_some_and(near));
        let shots = targets.filter_map(|enemy| self.shot_value(unit, Some(from), Some(facing), enemy.id));
        shots.max().unwrap_or(0)
    }

    /// What the rifles that bear on a unit are worth to the enemy, every one of them firing at it.
    pub fn danger(&self, unit: UnitId) -> i32 {
        let (Some(power), Some(at)) = (self.power(unit), self.at(unit)) else { return 0 };
        let shots = self.units_of(power.enemy()).filter_map(|enemy| {
            let state = self.state.unit(enemy.id);
            let from = state.at.square()?;
            let near = self.field.grid.distance(from, at) <= enemy.range.unwrap_or(0);
            if near { self.shot_value(enemy.id, Some(from), state.facing, unit) } else { None }
        });
        shots.sum()
    }

    /// The chance of a charge to win the box, in hundredths, with an attacker that breaks off once disordered.
    pub fn charge_chance(&self, unit: UnitId, target: UnitId) -> i32 {
        let Some(from) = self.at(unit) else { return 0 };
        let aspect = self.aspect(target, from);
        let added = self.melee_modifiers(target, unit, Some(aspect)).total();
        let one = reaching(self.melee_number(unit)) * failing(added);
        // With two chips either may kill (§A29).
        let kills = if aspect.is_exposed() { 2 * one - one * one / 100 } else { one };
        let hurts = reaching(HIT) * failing(self.melee_modifiers(unit, target, None).total());
        let spared = 100 - hurts;
        let first = 10_000 * kills / (10_000 - (100 - kills) * spared).max(1);
        let second = first * spared / 100;
        (failing(added) * first + (10 - failing(added)) * second) / 10
    }

    /// What a side still needs: enemy units, and for the U.S. areas not yet captured, as far as either is still wanting.
    pub fn goals(&self, power: Power) -> Vec<Square> {
        let enemies = self.units_of(power.enemy()).filter_map(|unit| self.at(unit.id));
        if power == Power::Spain {
            return enemies.collect();
        }
        let open = self.field.areas.iter().filter(|area| !self.state.captured.contains(&area.id)).map(|area| area.at);
        let held = u32::try_from(self.state.captured.len()).unwrap_or(u32::MAX);
        let terrain = self.game.options.us_need_terrain && held < self.field.areas_needed;
        let losses = self.lost(Power::Spain) < self.game.us_needs(self.field);
        enemies.filter(|_| losses).chain(open.filter(|_| terrain)).collect()
    }

    /// How far the nearest of some boxes is.
    pub fn far(&self, at: Square, goals: &[Square]) -> i32 {
        let near = goals.iter().map(|goal| self.field.grid.distance(at, *goal)).min();
        near.map_or(0, |near| i32::try_from(near).unwrap_or(i32::MAX))
    }

    /// Does an action bring an end nearer: a shot, a charge, a step or a turn towards what is still needed?
    pub fn presses(&self, unit: UnitId, plan: &Plan, goals: &[Square]) -> bool {
        let state = self.state.unit(unit);
        let nearer = |to: Square| state.at.square().is_some_and(|from| self.far(to, goals) < self.far(from, goals));
        match &plan.deed {
            Deed::Shoot { .. } | Deed::Charge { .. } | Deed::AdvanceAndShoot { .. } => true,
            Deed::Move { path, .. } => path.last().is_some_and(|to| nearer(*to)),
            Deed::Turn { to } => {
                let ahead = |facing: Facing| self.field.grid.neighbour(state.at.square()?, facing.bearing());
                let nears = |facing| ahead(facing).is_some_and(nearer);
                nears(*to) && !state.facing.is_some_and(nears)
            }
            Deed::ShootAndFallBack { .. } | Deed::Exchange { .. } | Deed::Rally => false,
        }
    }
}
