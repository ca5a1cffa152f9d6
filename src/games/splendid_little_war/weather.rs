//! Chapters 7 and 8: the weather roll, and outbreaks of Yellow Fever.

use crate::engine::dice::Die;
use crate::engine::{Clause, Ruling, Subject, Tally};

use super::events::{Event, PhaseName};
use super::play::Play;
use super::position::Position;
use super::state::day_of;
use super::terms::{Force, Weather, d10, percent};

impl Position<'_> {
    /// The chance of contracting the fever, in percent, once it has broken out (§8.0i, §8.0j, §8.0q).
    pub fn fever_chance(&self, force: Force) -> Option<u32> {
        let camp = Force::of(force.side());
        let since = *self.state.fever.get(&camp)?;
        let fever = self.data().tables.fever.contraction;
        let days = self.state.day().saturating_sub(day_of(since));
        Some((fever.first + fever.more * days).min(fever.most))
    }
}

impl Play<'_, '_> {
    /// The Weather Phase (§7.0a, §8.0b).
    pub fn weather_phase(&mut self) -> Ruling<()> {
        self.begin_phase(None, PhaseName::Weather);
        let tables = self.data().tables.clone();
        let turn = self.state.turn;
        if turn < tables.weather.first_turn {
            return Ok(());
        }
        let before = self.state.weather;
        let mut modifiers = Tally::new();
        // AMB-30: nothing was rolled before the first roll.
        if turn > tables.weather.first_turn && before.is_poor() {
            modifiers.add("the turn before was Poor", tables.weather.after_poor, Clause("7.0c"));
        }
        if turn >= tables.weather.late_turn {
            modifiers.add(format!("turn {} or later", tables.weather.late_turn), tables.weather.late, Clause("7.0d"));
        }
        let faces = self.umpire.roll(&Subject::of("weather"), "weather", &[Die::D10])?;
        let modified = d10(faces.first().copied().unwrap_or(10)) + modifiers.total();
        let poor = modified >= tables.weather.poor;
        self.state.weather = match (poor, before.is_poor() && turn > tables.weather.first_turn) {
            (false, _) => Weather::Good,
            (true, false) => Weather::Poor,
            (true, true) => Weather::PoorSquared,
        };
        let (die, weather) = (crate::engine::Cast::of(&faces), self.state.weather);
        self.umpire.note(Event::WeatherRoll { die, modifiers, modified, weather });
        // §8.0b, §8.0c: from the first Poor-squared turn on, on every Poor turn.
        let begun = !self.state.outbreak.is_empty() || weather == Weather::PoorSquared;
        if begun && weather.is_poor() {
            for force in [Force::Us, Force::Spanish] {
                self.outbreak_roll(force)?;
            }
        }
        Ok(())
    }

    fn outbreak_roll(&mut self, force: Force) -> Ruling<()> {
        if self.state.fever.contains_key(&force) {
            return Ok(()); // §8.0g
        }
        let fever = &self.data().tables.fever;
        let rates = if force == Force::Spanish { fever.spanish } else { fever.us };
        let chance = self.state.outbreak.get(&force).map_or(rates.first, |last| (last + rates.more).min(100));
        self.state.outbreak.insert(force, chance);
        let faces = self.umpire.roll(&Subject::of(force), "outbreak", &[Die::D10, Die::D10])?;
        let roll = percent(&faces);
        let breaks_out = roll < chance; // §8.0f, AMB-31
        if breaks_out {
            self.state.fever.insert(force, self.state.turn);
        }
        self.umpire.note(Event::OutbreakRoll {
            force,
            dice: crate::engine::Cast::of(&faces),
            roll,
            chance,
            breaks_out,
        });
        Ok(())
    }
}
