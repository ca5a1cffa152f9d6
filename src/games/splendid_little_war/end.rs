//! Chapter 14: the End Phase.

use crate::engine::{Ruling, Side};

use super::events::{Event, PhaseName};
use super::play::Play;
use super::state::Place;
use super::terms::{Cause, CheckKind, Piece};
use super::{SPAIN, US};

impl Play<'_, '_> {
    /// The End Phase (§4.0m, §4.0n).
    pub fn end_phase(&mut self) -> Ruling<()> {
        self.begin_phase(Some(US), PhaseName::End);
        self.complete_pontoons();
        self.recovery(US)?;
        self.balloon_check()?;
        self.begin_phase(Some(SPAIN), PhaseName::End);
        self.recovery(SPAIN)?;
        self.sortie_roll()?;
        self.automatic_victory()?;
        self.umpire.note(Event::TurnEnded { turn: self.state.turn });
        if self.state.turn >= self.game.turns() {
            return self.count_victory(0);
        }
        self.state.turn += 1;
        self.state.fired_on.clear();
        for unit in self.state.units.values_mut() {
            unit.entered = false;
            unit.waits = false;
            unit.assaults = None;
        }
        Ok(())
    }

    /// Recovery of Broken units: no modifiers (§14.0a).
    fn recovery(&mut self, side: Side) -> Ruling<()> {
        let broken: Vec<Piece> =
            self.now().on_map(side).map(|(id, _)| id).filter(|id| self.state.unit(*id).broken).collect();
        for unit in broken {
            let Place::At(at) = self.state.unit(unit).at else { continue };
            match self.recover(unit)? {
                Recovery::Normal => {
                    self.change(unit, |unit| unit.broken = false);
                    self.umpire.note(Event::Recovered { unit, at });
                }
                Recovery::Broken => {}
                Recovery::Nine => self.lose_step(unit, Cause::EndPhase)?,
            }
        }
        Ok(())
    }

    fn recover(&mut self, unit: Piece) -> Ruling<Recovery> {
        let (passed, roll) = self.morale_roll(unit, CheckKind::Recovery)?;
        // §14.0d: a 9 is above every rating.
        Ok(match (passed, roll) {
            (_, 9) => Recovery::Nine,
            (true, _) => Recovery::Normal,
            (false, _) => Recovery::Broken,
        })
    }
}

/// What a recovery roll came to.
enum Recovery {
    Normal,
    Broken,
    Nine,
}
