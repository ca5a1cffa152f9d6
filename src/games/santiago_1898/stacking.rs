//! Chapter 5: stacking. Checked at the start and the end of every phase; the opponent removes the excess.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Question, Ruling, Say, Subject, count_of};

use super::events::Event;
use super::play::{Play, Position, player, subjects};
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
            self.mind_overstacked(hex, force, excess);
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
            self.umpire.rests(&[Subject::of(hex)], subjects(&units));
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

    /// An overfull hex is legal, but hardly meant by the order that filled it (R43).
    fn mind_overstacked(&mut self, hex: Hex, force: Force, excess: u32) {
        let units = count_of(excess, &format!("{force} unit"));
        let limit = self.data().tables.limits.stacking;
        let why = format!("{hex} would hold {units} too many; the opponent would remove them");
        let remedy = format!("keep to {limit} units a hex, or write `overstack: yes` if it is meant");
        self.mind_filling(self.used.filled.get(&hex).cloned(), Bar::new("5.3b", why, remedy));
    }

    /// Columns that jungle may halt in one hex, more than it holds (§8.6d).
    pub fn mind_the_jungle(&mut self) {
        let limit = self.data().tables.limits.stacking;
        for (hex, columns) in std::mem::take(&mut self.used.halts) {
            let now = self.now();
            let there = now.stacked(Force::Us, hex);
            let passing = |id: &&UnitId| now.is_combat(**id) && now.state.hex_of(**id) != Some(hex);
            let halted: BTreeSet<&UnitId> = columns.iter().flat_map(|(_, units)| units).filter(passing).collect();
            let count = there + u32::try_from(halted.len()).unwrap_or(u32::MAX);
            if there > limit || count <= limit {
                continue;
            }
            let entries: Vec<String> = columns.iter().map(|(entry, _)| entry.to_string()).collect();
            let why =
                format!("jungle may halt {} in {hex}, where {count} units would then stand", entries.join(" and "));
            let remedy = "send one another way, write `stop-short: yes` there, or `overstack: yes` if it is meant";
            self.mind_filling(columns.last().map(|(entry, _)| entry.clone()), Bar::new("5.3b", why, remedy));
        }
    }

    fn mind_filling(&mut self, entry: Option<DocPath>, bar: Bar) {
        if let Some(entry) = entry.filter(|_| !self.used.overstack) {
            self.in_hand(entry, |play| play.umpire.mind(bar));
        }
    }
}
