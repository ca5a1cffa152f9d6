//! Firing (§6): hit chips, redraws, and each hit in its turn.

use crate::engine::{Clause, Subject, Touch};

use super::events::{Against, Aspect, Chips, Difficulty, Event};
use super::orders::Activation;
use super::play::{Acting, Play};
use super::policy::Draw;
use super::terms::{Arm, UnitId};

impl Play<'_, '_> {
    /// One shot of a unit at a target it may shoot at.
    pub fn shoot(&mut self, id: UnitId, target: UnitId, entry: &Activation) -> Acting<()> {
        let (Some(unit), state) = (self.unit(id), self.now().state.unit(id)) else {
            return Ok(());
        };
        let from = state.at.square();
        let Ok(aspect) = self.now().shot(unit, from, state.facing, target) else {
            return Ok(());
        };
        let count = if aspect.is_exposed() { unit.flank_chips } else { unit.chips };
        let why_chips = why_chips(unit.arm, aspect);
        let needs = self.now().fire_number(id);
        let at = self.now().at(target);
        let misses = |chip: u16| chip < needs;
        let touch = Touch::on(at.map(|at| self.now().spot(at)).into_iter().chain([Subject::of(target)]));
        let read = |chips: &[u16]| Draw::Fire.read(chips, misses);
        let chips = self.draw((id, unit.power), "hit", count, read, touch)?;
        let (result, redrawn) = self.redraw(&[id], Draw::Fire, "hit", chips.faces().to_vec(), misses, Some(entry))?;
        let hits = Draw::Fire.read(&result, misses).count();
        let chips = Chips(chips);
        self.umpire.note(Event::Shot {
            unit: id,
            arm: unit.arm,
            from,
            target,
            at,
            aspect,
            needs,
            chips,
            why_chips,
            redrawn,
            hits,
        });
        let modifiers = self.now().fire_modifiers(target, aspect);
        // §A23: each hit has its own survival chip and save; §9s: artillery never endangers a leader.
        for _ in 0..hits {
            if self.take_hit(target, Against::Fire, unit.arm.is_small_arms(), &modifiers, None)? {
                break;
            }
        }
        Ok(())
    }
}

/// Why more than one chip is drawn (§6.8).
fn why_chips(arm: Arm, aspect: Aspect) -> Vec<Difficulty> {
    let (what, clause) = match (arm, aspect.is_exposed()) {
        (Arm::Gatling, true) => ("Gatling guns into flank or rear", "6.8c"),
        (Arm::Gatling, false) => ("Gatling guns", "6.8a"),
        (_, true) => ("flank or rear", "6.8b"),
        (_, false) => return Vec::new(),
    };
    vec![Difficulty { what: what.into(), clause: Clause(clause) }]
}
