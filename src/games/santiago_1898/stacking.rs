//! Chapter 5: stacking. Checked at the start and the end of every phase; the opponent removes the excess.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::{Clause, Question, Ruling, Say, Subject, count_of};

use super::events::Event;
use super::play::{Play, Position, player};
use super::policy::{OVERSTACK, Policy};
use super::state::{Cause, Part};
use super::terms::{Force, UnitId};
use super::{SPAIN, US};

impl Position<'_> {
    /// Every hex with more units of a force than it may hold, with the excess (§5.2a).
    pub fn overstacked(&self) -> Vec<(Hex, Force, u32)> {
        let mut counts: BTreeMap<(Hex, Force), u32> = BTreeMap::new();
        for unit in self.state.units.values().filter(|unit| unit.role.part == Part::Fights) {
            if let Some(hex) = unit.at.hex() {
                *counts.entry((hex, unit.role.force)).or_default() += 1;
            }
        }
        if let Some(base) = self.state.base {
            *counts.entry((base, Force::Us)).or_default() += 1;
        }
        let excess = |count: u32| count.saturating_sub(self.data().tables.limits.stacking);
        let over = counts.into_iter().map(|((hex, force), count)| (hex, force, excess(count)));
        over.filter(|(_, _, excess)| *excess > 0).collect()
    }

    /// Which units an opponent removes: the wished-for first, then the strongest (§5.3b).
    fn pick_excess(&self, units: &[UnitId], excess: u32, wished: &[UnitId]) -> Vec<UnitId> {
        let mut order: Vec<UnitId> = units.to_vec();
        order.sort_by_key(|id| {
            let values = self.values(*id);
            let wish = wished.iter().position(|other| other == id).unwrap_or(usize::MAX);
            let strength = values.shock + values.fire;
            (wish, std::cmp::Reverse(self.state.unit(*id).steps), std::cmp::Reverse(strength), *id)
        });
        order.truncate(excess as usize);
        order
    }
}

impl Play<'_, '_> {
    /// The stacking check (§5.3a).
    pub fn check_stacking(&mut self) -> Ruling<()> {
        for (hex, force, excess) in self.now().overstacked() {
            let now = self.now();
            // §5.3b: combat units only, never the base, a leader or the Signals Detachment.
            let units = now.combat_units(force, hex);
            let default = now.pick_excess(&units, excess, &[]);
            let options = units.iter().map(|id| now.pick_excess(&units, excess, &[*id])).collect();
            let candidates = units.clone();
            let legal = move |choice: &Vec<UnitId>| {
                let distinct: BTreeSet<&UnitId> = choice.iter().collect();
                distinct.len() == choice.len()
                    && choice.len() == (excess as usize).min(candidates.len())
                    && choice.iter().all(|id| candidates.contains(id))
            };
            let question = Question {
                who: if player(force) == US { SPAIN } else { US },
                kind: OVERSTACK,
                about: Subject::of(hex),
                clause: Clause("5.3b"),
                text: format!("{hex} holds {} too many: which enemy units are removed?", count_of(excess, "unit")),
                options,
                default,
                also: Some(Box::new(legal)),
            };
            let position = Position { game: self.game, state: &*self.state };
            let removed = self.umpire.ask(question, None, |policy| match policy {
                Policy::Priority(wished) => Say::Choose(position.pick_excess(&units, excess, wished)),
                _ => Say::Default,
            })?;
            let count = self.now().stacked(force, hex);
            self.umpire.note(Event::Overstacked { hex, force, count, removed: removed.clone() });
            // §4.3f: steps removed for overstacking are no casualties; they are kept apart.
            let steps: Vec<UnitId> = removed
                .iter()
                .flat_map(|id| std::iter::repeat_n(*id, usize::from(self.state.unit(*id).steps)))
                .collect();
            self.lose_steps(force, hex, Cause::Overstack, &steps);
        }
        Ok(())
    }
}
