//! The campaign (§17.0): Cervera's secret date, the Escario column, the garrison of Santiago.

use crate::board::Hex;
use crate::engine::dice::Die;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Cast, Clause, Ever, Question, Ruling, Say, Subject, Touch};

use super::events::Event;
use super::play::Play;
use super::policy::{ESCARIO_LOSSES, Policy, RESIST};
use super::state::{Place, SecretDice};
use super::tables::within;
use super::terms::{Cause, Column, Flag, Force, Piece, d10};
use super::{SPAIN, US};

/// The first morning on which the fleet can sail: July 3 (§17.0.cervera-b).
pub const FIRST_MORNING: u32 = 5;

impl Play<'_, '_> {
    /// The sortie roll of turn 2, seen by Spain alone (§17.0.cervera-a).
    pub fn sortie_roll(&mut self) -> Ruling<()> {
        if !self.game.is_campaign()
            || self.state.turn != self.data().tables.sortie.rolled_on
            || self.state.sortie.is_some()
        {
            return Ok(());
        }
        let dice = self.umpire.secret(SPAIN, &Subject::of("cervera"), "sortie", &[Die::D10])?;
        let data = self.data();
        self.umpire.note(Event::SortieRolled);
        self.umpire.whisper_of(&dice, |faces| {
            let die = faces.first().copied().unwrap_or(10);
            Event::SortieDue { die, day: data.tables.sortie_day(d10(die)) }
        });
        self.state.sortie = Some(SecretDice(dice));
        Ok(())
    }

    /// On every morning from turn 5 on Spain says whether the fleet sails (§17.0.cervera-e, §17.0.cervera-f).
    pub fn sortie_statement(&mut self) -> Ruling<()> {
        let due = self.game.is_campaign() && self.state.turn >= FIRST_MORNING && self.state.is_morning();
        let Some(SecretDice(sortie)) = self.state.sortie.clone().filter(|_| due && !self.state.fleet_gone) else {
            return Ok(());
        };
        let (data, day) = (self.data(), self.state.day());
        let about = Subject::of("cervera");
        let ordered = |faces: &[u16]| data.tables.sortie_day(d10(faces.first().copied().unwrap_or(10))) <= day;
        if !self.game.options.resist {
            let sails =
                self.umpire.fact(&[&sortie], &about, "sails", |held| held.iter().any(|faces| ordered(faces)))?;
            return self.sail_or_stay(sails, None);
        }
        // Due or not, the standing order is looked at and a die is rolled: nothing betrays the date.
        let question = Question {
            who: SPAIN,
            kind: RESIST,
            about: about.clone(),
            clause: Clause("17.0.cervera-f"),
            text: "does Cervera resist the order to sail, if it has come?".into(),
            options: vec![Ever::Always, Ever::Never],
            default: Ever::Always,
            also: None,
        };
        let policy = |policy: &Policy| match policy {
            Policy::Ever(ever) => Say::Choose(*ever),
            _ => Say::Default,
        };
        let resists = self.umpire.ask(question, None, policy)? == Ever::Always;
        let resist = self.umpire.secret(SPAIN, &about, "resist", &[Die::D10])?;
        let stays = data.tables.sortie.resists;
        self.umpire.whisper_of(&resist, |faces| {
            let die = faces.first().copied().unwrap_or(10);
            Event::ResistRoll { die, resists: within(d10(die), stays) }
        });
        let sails = self.umpire.fact(&[&sortie, &resist], &about, "sails", |held| {
            let roll = |which: usize| held.get(which).map_or(&[][..], Vec::as_slice);
            let holds = resists && within(d10(roll(1).first().copied().unwrap_or(10)), stays);
            ordered(roll(0)) && !holds
        })?;
        self.sail_or_stay(sails, Some(resist).filter(|_| resists))
    }

    fn sail_or_stay(&mut self, sails: bool, resist: Option<crate::engine::Sealed<Vec<u16>>>) -> Ruling<()> {
        let day = self.state.day();
        let Some(SecretDice(sortie)) = self.state.sortie.clone().filter(|_| sails) else {
            self.umpire.note(Event::FleetStays { day });
            return Ok(());
        };
        let first = |faces: Vec<u16>| faces.first().copied().unwrap_or(10);
        let die = first(self.umpire.open(&sortie)?);
        let resist = match resist {
            Some(dice) => Some(first(self.umpire.open(&dice)?)),
            None => None,
        };
        self.state.fleet_gone = true;
        let naval = |id: &Piece| self.now().has(*id, Flag::Naval) || self.now().has(*id, Flag::NavalOnly);
        let gone = |id: &Piece| self.state.unit(*id).at == Place::Lost;
        let units: Vec<Piece> = self.state.units.keys().copied().filter(|id| naval(id) && !gone(id)).collect();
        for unit in &units {
            self.bury(*unit, Cause::Sortie);
        }
        self.umpire.note(Event::FleetSails { die, day, resist, units });
        Ok(())
    }

    /// Entry rolls of the Escario column (§17.0.escario-b), before the Spanish player writes his turn.
    pub fn escario_rolls(&mut self) -> Ruling<()> {
        if !self.game.is_campaign() || self.state.turn < self.data().tables.escario.turn {
            return Ok(());
        }
        let mut entering = false;
        for column in Column::ALL.iter().copied() {
            let of = |id: &Piece| self.data().unit(*id).is_some_and(|unit| unit.column == Some(column));
            let waiting: Vec<Piece> =
                self.state.units.iter().filter(|(id, now)| of(id) && now.at == Place::Off).map(|(id, _)| *id).collect();
            if waiting.is_empty() {
                continue;
            }
            let tables = self.data().tables.clone();
            let faces = self.umpire.roll(&Subject::of(column), "escario", &[Die::D10])?;
            let roll = d10(faces.first().copied().unwrap_or(10));
            let enters = within(roll, tables.escario.enters);
            // §17.0.escario-f: only the first roll costs companies.
            let first = self.state.turn == tables.escario.turn;
            let loses = if enters || !first { 0 } else { tables.escario_loses(roll) };
            self.umpire.note(Event::EscarioRoll { column, die: Cast::of(&faces), enters, loses });
            if enters {
                entering = true;
                for unit in waiting {
                    self.change(unit, |unit| unit.at = Place::Edge);
                }
            } else if loses > 0 {
                self.escario_losses(column, waiting, loses)?;
            }
        }
        if entering {
            // §17.0.escario-g: Escario and his battery come with any formation.
            let columns = self.game.scenario_entry().columns.as_ref();
            let with: Vec<Piece> = (columns.into_iter().flat_map(|columns| columns.with_any.iter().copied()))
                .filter(|id| self.state.unit(*id).at == Place::Off && !self.state.wounded.contains_key(id))
                .collect();
            for unit in with {
                self.change(unit, |unit| unit.at = Place::Edge);
            }
        }
        Ok(())
    }

    fn escario_losses(&mut self, column: Column, waiting: Vec<Piece>, loses: u32) -> Ruling<()> {
        let count = waiting.len().min(loses as usize);
        let default: Vec<Piece> = waiting.iter().rev().take(count).copied().collect();
        let whole = waiting.clone();
        let question = Question {
            who: SPAIN,
            kind: ESCARIO_LOSSES,
            about: Subject::of(column),
            clause: Clause("17.0.escario-c"),
            text: format!("{count} of {column} fall out on the march: which?"),
            options: vec![default.clone()],
            default: default.clone(),
            also: Some(Box::new(move |choice: &Vec<Piece>| {
                let distinct: std::collections::BTreeSet<_> = choice.iter().collect();
                choice.len() == count && distinct.len() == count && choice.iter().all(|unit| whole.contains(unit))
            })),
        };
        let fill = |policy: &Policy| match policy {
            Policy::Pieces(wanted) => {
                let mut chosen: Vec<Piece> =
                    wanted.iter().copied().filter(|unit| waiting.contains(unit)).take(count).collect();
                let rest: Vec<Piece> = waiting.iter().rev().filter(|unit| !chosen.contains(unit)).copied().collect();
                chosen.extend(rest.into_iter().take(count.saturating_sub(chosen.len())));
                Say::Choose(chosen)
            }
            _ => Say::Default,
        };
        let units = self.umpire.ask(question, None, fill)?;
        for unit in &units {
            self.bury(*unit, Cause::Entry);
        }
        self.umpire.note(Event::Lost { force: Force::Spanish, at: None, cause: Cause::Entry, units });
        Ok(())
    }

    /// Garrison Units set free for a roll each (§17.0.garrison-e).
    pub fn release(&mut self, units: &[Piece]) -> Ruling<()> {
        for (index, &unit) in units.iter().enumerate() {
            self.entry(DocPath::root().key("release").index(index), |play| {
                let mut bars = Vec::new();
                if !play.game.options.garrison {
                    let why = "the garrison rule is not in use";
                    bars.push(Bar::new("17.0.garrison-e", why, "leave `release` out").firm());
                } else if !play.state.unit(unit).garrison {
                    let why = format!("{unit} is no restricted Garrison Unit");
                    let bar = Bar::new("17.0.garrison-e", why, "name one that is");
                    bars.push(bar.about([Subject::of(unit)]));
                }
                if !bars.is_empty() {
                    play.lapse(format!("release of {unit}"), bars);
                    return Ok(());
                }
                // The fewer points the better for Spain.
                let thrown = play.d10(SPAIN, unit, "release", |roll| -roll, Touch::on([]))?;
                play.change(unit, |unit| unit.garrison = false);
                play.state.gmp += u32::try_from(-thrown.result).unwrap_or(0);
                let gmp = play.state.gmp;
                play.umpire.note(Event::Released { unit, die: thrown.cast, gmp });
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Somebody has come to another hex: Garrison Units near a US counter are free (§17.0.garrison-c), and all of them once
    /// Escario's men are in the city (§17.0.garrison-f). What has changed is still to be told.
    pub fn free_garrison(&mut self) -> Option<Event> {
        if !self.game.options.garrison || self.state.garrison_free {
            return None;
        }
        let (now, data) = (self.now(), self.data());
        let column = |id: Piece| now.has(id, Flag::Escario) || now.has(id, Flag::EscarioOnly);
        let escario = now.on_map(SPAIN).any(|(id, hex)| data.city.contains(&hex) && column(id));
        let army = |id: &Piece| now.unit(*id).is_some_and(|unit| unit.force == Force::Us);
        let us: Vec<Hex> = now.on_map(US).filter(|(id, _)| army(id)).map(|(_, hex)| hex).collect();
        let near = |at: Hex| us.iter().any(|hex| data.distance(*hex, at) <= data.tables.garrison.freed_within);
        let held = now.on_map(SPAIN).filter(|(id, _)| self.state.unit(*id).garrison);
        let units: Vec<Piece> = held.filter(|(_, at)| escario || near(*at)).map(|(id, _)| id).collect();
        self.state.garrison_free |= escario;
        for unit in &units {
            self.change(*unit, |unit| unit.garrison = false);
        }
        (!units.is_empty()).then_some(Event::Freed { units, escario })
    }
}
