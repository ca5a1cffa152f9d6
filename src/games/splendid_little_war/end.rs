//! Chapter 14: the End Phase.

use crate::board::Hex;
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
        // Whoever fights from the map edge recovers there (§9.0g).
        let now = self.now();
        let broken = self.state.units.iter().filter(|(id, unit)| unit.broken && now.side(**id) == Some(side));
        let at = |id: Piece, at: Place| at.hex().or_else(|| now.edge_hex(id));
        let broken: Vec<(Piece, Hex)> = broken.filter_map(|(id, unit)| Some((*id, at(*id, unit.at)?))).collect();
        for (unit, at) in broken {
            // §5.4m: the parts of another may have taken its room.
            if !self.in_play(unit) {
                continue;
            }
            match self.recover(unit)? {
                Recovery::Normal => {
                    self.change(unit, |unit| unit.broken = false);
                    self.umpire.note(Event::Recovered { unit, at, entered: false });
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
