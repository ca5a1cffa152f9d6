//! Chapters 4 and 19: hex control, siege, truce, victory and sudden death.

use std::collections::VecDeque;

use crate::board::{Grid, Hex, Layer};
use crate::engine::Ruling;

use super::data::Along;
use super::events::{Event, PhaseName};
use super::play::{Play, Position, Trit};
use super::state::{Ending, Stage, Truce};

impl Position<'_> {
    /// Does the US side control the hex, as far as the viewer can tell? (§4.5)
    pub fn us_control(&self, hex: Hex) -> Trit {
        if !self.us_holds_or_passed(hex) {
            return Trit::No;
        }
        if self.state.units_in(hex).next().is_some() {
            return Trit::Yes;
        }
        match self.spanish_zone(hex) {
            Trit::No => Trit::Yes,
            Trit::Maybe => Trit::Maybe,
            Trit::Yes => Trit::No,
        }
    }

    /// Is Santiago under siege? (§4.4)
    pub fn besieged(&self) -> bool {
        let data = self.data();
        let grid = data.grid();
        let mut blocked = Layer::filled(grid, false);
        let mut block = |hex: Hex| {
            if let Some(place) = blocked.get_mut(grid, hex) {
                *place = true;
            }
        };
        for (id, unit) in self.state.units.iter() {
            let Some(hex) = unit.at.hex() else { continue };
            block(hex); // §4.4c
            if self.arm(*id).is_some_and(super::terms::Arm::exerts_zone) {
                data.around(hex).for_each(&mut block); // §4.4d, §4.4g
            }
        }
        let open = |hex: Hex| data.is_open(hex) && !blocked.get(grid, hex).copied().unwrap_or(true);
        // §4.4h: a line starts in a Spanish-controlled city hex that is itself free of US zones.
        let spanish = |hex: &Hex| self.state.tokens_in(*hex).next().is_some() || !self.state.us_passed.contains(hex);
        let mut seen = Layer::filled(grid, false);
        let mut queue: VecDeque<Hex> = data.city.iter().copied().filter(|hex| spanish(hex) && open(*hex)).collect();
        while let Some(hex) = queue.pop_front() {
            match seen.get_mut(grid, hex) {
                Some(place @ false) => *place = true,
                _ => continue,
            }
            if data.edge.contains(&hex) {
                return false;
            }
            for (edge, next) in grid.neighbours(hex) {
                if open(next) && !data.map.leaving(hex, edge).has(Along::Water) {
                    queue.push_back(next);
                }
            }
        }
        true
    }
}

impl Play<'_, '_> {
    /// Does the US side control the hex? (§4.5) Asks the umpire where a hidden zone of control decides.
    pub fn us_controls(&mut self, hex: Hex) -> Ruling<bool> {
        match self.now().us_control(hex) {
            Trit::Yes => Ok(true),
            Trit::No => Ok(false),
            // No check ends the game on a hope: the orders that follow are judged all the same.
            Trit::Maybe => Ok(!self.spanish_zone_or(hex, true)?),
        }
    }

    fn us_controls_all(&mut self, hexes: &[Hex]) -> Ruling<bool> {
        // Nothing hidden is asked for while the open part already says no.
        if !hexes.iter().all(|hex| self.now().us_holds_or_passed(*hex)) {
            return Ok(false);
        }
        for hex in hexes {
            if !self.us_controls(*hex)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Loss limits of §4.1 and §4.3.
    fn bearable(&self) -> bool {
        self.state.steps_lost <= self.data().tables.limits.steps_lost && self.state.two_steppers_lost == 0
    }

    /// Everything that ends the game at once (§4.1, §4.2, §4.6, §4.7).
    pub fn check_victory(&mut self) -> Ruling<()> {
        if matches!(self.state.stage, Stage::SpanishSetup | Stage::UsSetup | Stage::Over) || !self.umpire.is_sure() {
            return Ok(());
        }
        let data = self.data();
        if !data.fortresses.is_empty() && self.us_controls_all(&data.fortresses)? {
            return self.end_game(Ending::Fortresses);
        }
        if !data.city.is_empty() && self.us_controls_all(&data.city)? {
            let ending = if self.bearable() { Ending::CityMajor } else { Ending::CityMarginal };
            return self.end_game(ending);
        }
        // §4.7b: not while the opening US player turn is running.
        let opening = self.state.turn == 1 && matches!(self.state.stage, Stage::UsTurn | Stage::UsCombat);
        if !opening && self.state.sources.is_empty() {
            return self.end_game(Ending::NoSource);
        }
        Ok(())
    }

    /// The siege test at the end of US combat and in the Truce Determination Phase (§19.2a).
    pub fn test_siege(&mut self) {
        let besieged = self.now().besieged();
        let marker = besieged && self.state.truce == Truce::None && self.state.turn < self.data().tables.clock.turns;
        if marker {
            self.state.truce = Truce::Pending;
        }
        self.umpire.note(Event::SiegeTest { besieged, marker });
    }

    /// The end of Game Turn 11 (§4.3, §4.8).
    pub fn final_verdict<T>(&mut self) -> Ruling<T> {
        let besieged = self.now().besieged();
        let ending = if besieged && self.bearable() { Ending::SiegeMarginal } else { Ending::SpainHolds };
        self.end_game(ending)
    }

    /// The roll that a marker in this turn's box calls for (§19.3).
    pub fn truce_roll(&mut self) -> Ruling<()> {
        if self.state.truce != Truce::Pending {
            return Ok(());
        }
        let die = self.d6("santiago", "truce")?;
        let truce = die <= self.data().tables.clock.truce_on;
        self.state.truce = if truce { Truce::Active } else { Truce::None };
        self.umpire.note(Event::TruceRoll { die, truce });
        Ok(())
    }

    /// What opens a game turn: truce, recovery, supply length, fever (§13.2, §12.5, §19.3).
    pub fn open_turn(&mut self) -> Ruling<()> {
        self.begin_phase("all", "start", PhaseName::StartOfTurn);
        self.truce_roll()?;
        let recovered: Vec<_> = self.state.units.iter().filter(|(_, unit)| unit.fever).map(|(id, _)| *id).collect();
        for id in &recovered {
            if let Some(unit) = self.state.units.get_mut(id) {
                unit.fever = false;
            }
        }
        if !recovered.is_empty() {
            self.umpire.note(Event::Recovered { units: recovered });
        }
        self.set_supply_length()?;
        self.fever()
    }

    /// §12.5.
    pub fn set_supply_length(&mut self) -> Ruling<()> {
        let clock = &self.data().tables.clock;
        let truce = self.state.truce == Truce::Active;
        let short = truce || self.state.turn <= clock.short_supply_turns;
        let (die, length) = if short {
            (None, clock.short_supply)
        } else {
            let die = self.d6("us", "supply")?;
            (Some(die), u32::from(die) + clock.supply_plus)
        };
        self.state.supply_length = length;
        self.supply = None;
        self.umpire.note(Event::SupplyLength { die, length, truce });
        Ok(())
    }

    /// The Fever Phase (§13).
    fn fever(&mut self) -> Ruling<()> {
        let table = &self.data().tables.fever;
        if self.state.turn < table.first_turn {
            return Ok(());
        }
        self.begin_phase("us", "fever", PhaseName::Fever);
        for _ in 0..table.passes {
            let tens = self.d6("us", "fever-tens")?;
            let ones = self.d6("us", "fever-ones")?;
            let named = table.entry(tens, ones);
            let (infected, spared): (Vec<_>, Vec<_>) =
                named.into_iter().partition(|id| self.state.hex_of(*id).is_some());
            for id in &infected {
                if let Some(unit) = self.state.units.get_mut(id) {
                    unit.fever = true;
                }
            }
            self.umpire.note(Event::FeverRoll { tens, ones, infected, spared });
        }
        Ok(())
    }
}
