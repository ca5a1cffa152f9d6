//! Chapters 4, 7 and 10.5: victory checks, yellow fever, historic events and the end of the turn.

use std::collections::BTreeSet;

use crate::board::{Grid, Hex};
use crate::engine::{Clause, Question, Ruling, Say, Subject, Tally, count_of};

use super::events::{Event, PhaseName};
use super::play::{Play, Position, player};
use super::policy::{FEVER, MACHINEGUNS, Policy};
use super::state::{Cause, Ending, Machineguns, Part, Role, UnitState};
use super::tables::{HistoricEvent, Surrender, Withdrawal};
use super::terms::{Force, UnitId};
use super::{SPAIN, US};

impl Position<'_> {
    /// Objectives the US player controls (§4.1a, §4.1i).
    pub fn us_objectives(&self) -> Vec<Hex> {
        self.data().objectives.iter().copied().filter(|hex| self.state.us_controls(*hex)).collect()
    }

    /// Hexes where the machineguns may be placed (§7.2.6a).
    pub fn machinegun_hexes(&self) -> Vec<Hex> {
        let santiago = self.data().santiago;
        let around = self.data().grid.neighbours(santiago).map(|(_, hex)| hex);
        let mut hexes: Vec<Hex> = around.collect();
        hexes.sort();
        hexes.insert(0, santiago);
        let open = |hex: &Hex| {
            self.data().is_land(*hex)
                && !self.state.us_controls(*hex)
                && !self.enemy_in(SPAIN, *hex)
                && self.signals_in(*hex).is_none()
                && self.room(Force::Spanish, *hex) > 0
        };
        hexes.into_iter().filter(open).collect()
    }

    /// On-map units with steps that fever can strike, not Cuban (§10.5c), each with its distance from the enemy.
    fn fever_victims(&self, force: Force) -> Vec<Victim> {
        let enemies: BTreeSet<Hex> = self.enemy_hexes(player(force)).collect();
        let struck = |(id, unit): (&UnitId, &UnitState)| {
            let hex = unit.at.hex().filter(|_| unit.role == Role { force, part: Part::Fights })?;
            let from_enemy = enemies.iter().map(|enemy| self.data().grid.distance(hex, *enemy)).min().unwrap_or(0);
            Some(Victim { id: *id, hex, steps: unit.steps, from_enemy })
        };
        self.state.units.iter().filter_map(struck).collect()
    }

    /// Who loses steps to fever: the wished-for first, then full two-step units far from the enemy, then as in combat,
    /// step by step (§10.5b).
    fn pick_fever(&self, victims: &[Victim], steps: u32, wished: &[UnitId]) -> Vec<UnitId> {
        let mut left = victims.to_vec();
        let key = |victim: &Victim| {
            let full = victim.steps == 2;
            let values = self.counter(victim.id).map(|unit| unit.factors(victim.steps));
            let (shock, fire) = values.map_or((0, 0), |values| (values.shock, values.fire));
            let apart = if full { victim.from_enemy } else { 0 };
            let steps = std::cmp::Reverse(victim.steps);
            (!full, std::cmp::Reverse(apart), steps, shock, fire, victim.hex, victim.id)
        };
        let mut picked = Vec::new();
        for _ in 0..steps {
            let wish = wished.iter().copied().find(|id| left.iter().any(|victim| victim.id == *id));
            let Some(id) = wish.or_else(|| left.iter().min_by_key(|victim| key(victim)).map(|victim| victim.id)) else {
                break;
            };
            picked.push(id);
            for victim in left.iter_mut().filter(|victim| victim.id == id) {
                victim.steps -= 1;
            }
            left.retain(|victim| victim.steps > 0);
        }
        picked
    }
}

/// A unit that fever may strike.
#[derive(Clone, Copy, Debug)]
struct Victim {
    id: UnitId,
    hex: Hex,
    steps: u8,
    from_enemy: u32,
}

impl Play<'_, '_> {
    /// Phase I: victory checks, fever, event (§2.1e to §2.1g). Turn 1 has none (§2.1d).
    pub fn administrative_phase(&mut self) -> Ruling<()> {
        if self.state.turn < 2 {
            return Ok(());
        }
        self.begin_phase("all", "victory", PhaseName::VictoryCheck)?;
        self.us_victory_check()?;
        self.spanish_victory_check()?;
        if self.state.turn >= self.data().tables.yellow_fever.first_turn {
            self.begin_phase("all", "fever", PhaseName::YellowFever)?;
            self.yellow_fever(Force::Spanish)?;
            self.yellow_fever(Force::Us)?;
            self.check_stacking()?;
        }
        self.begin_phase("all", "event", PhaseName::HistoricEvent)?;
        self.historic_event()?;
        self.check_stacking()
    }

    /// Phase I.1.a (§4.1, §4.2).
    fn us_victory_check(&mut self) -> Ruling<()> {
        let table = &self.data().tables.spanish_surrender;
        let (last, el_caney, jarcias) = (table.last_turn, table.el_caney, table.a_las_jarcias);
        if self.state.turn > last {
            return Ok(()); // §4.1e: no surrender roll on Turn 15
        }
        let objectives = self.now().us_objectives();
        let needed = self.data().tables.limits.surrender_objectives;
        let held = u32::try_from(objectives.len()).unwrap_or(u32::MAX);
        let mut modifiers = Tally::new();
        if held < needed {
            let (die, modified, result) = (None, None, None);
            self.umpire.note(Event::SurrenderCheck { objectives, needed, die, modifiers, modified, result });
            return Ok(());
        }
        if self.state.us_controls(self.data().el_caney) {
            modifiers.add("El Caney in US hands", el_caney, Clause("4.2e"));
        }
        if self.state.fleet_sailed.is_some_and(|turn| turn < self.state.turn) {
            modifiers.add("A las jarcias on an earlier turn", jarcias, Clause("4.2f"));
        }
        let die = self.d6("surrender", "roll")?;
        let sum = i32::from(die) + modifiers.total();
        let result = self.data().tables.surrender(held, sum);
        let (die, modified) = (Some(die), Some(sum));
        self.umpire.note(Event::SurrenderCheck { objectives, needed, die, modifiers, modified, result: Some(result) });
        match result {
            Surrender::Nothing => Ok(()),
            Surrender::ALasJarcias if self.state.fleet_sailed.is_some() => Ok(()), // §4.2i
            Surrender::ALasJarcias => {
                self.state.fleet_sailed = Some(self.state.turn);
                self.umpire.note(Event::FleetSails);
                Ok(())
            }
            Surrender::Surrender => self.end_game(Ending::Surrender),
        }
    }

    /// Phase I.1.b (§4.3, §4.4).
    fn spanish_victory_check(&mut self) -> Ruling<()> {
        let casualties = self.state.us_casualties();
        let needed = self.data().tables.limits.withdrawal_steps;
        if casualties < needed {
            self.umpire.note(Event::WithdrawalCheck { casualties, needed, die: None, result: None });
            return Ok(());
        }
        let die = self.d6("withdrawal", "roll")?;
        let result = self.data().tables.withdrawal(casualties, i32::from(die));
        self.umpire.note(Event::WithdrawalCheck { casualties, needed, die: Some(die), result: Some(result) });
        match result {
            Withdrawal::NoEffect => Ok(()),
            Withdrawal::Withdrawal => self.end_game(Ending::Withdrawal),
        }
    }

    /// Phase I.2 for one army (§10.5).
    fn yellow_fever(&mut self, force: Force) -> Ruling<()> {
        let die = self.d6(force.word(), "fever")?;
        let face = u8::try_from(die).unwrap_or(0);
        let steps = u32::from(self.data().tables.fever(self.state.turn, force, face));
        let row = match self.state.turn {
            0..=6 => ["YFT.a", "YFT.b"],
            7..=8 => ["YFT.c", "YFT.d"],
            9..=10 => ["YFT.e", "YFT.f"],
            _ => ["YFT.g", "YFT.h"],
        };
        let clause = Clause(if force == Force::Spanish { row[0] } else { row[1] });
        self.umpire.note(Event::Fever { force, die, steps, clause });
        let now = self.now();
        let victims = now.fever_victims(force);
        let available: u32 = victims.iter().map(|victim| u32::from(victim.steps)).sum();
        let steps = steps.min(available);
        if steps == 0 {
            return Ok(());
        }
        let default = now.pick_fever(&victims, steps, &[]);
        let chosen = if steps == available { default } else { self.choose_fever(force, &victims, steps, default)? };
        let mut by_hex: std::collections::BTreeMap<Hex, Vec<UnitId>> = std::collections::BTreeMap::new();
        for id in chosen {
            if let Some(hex) = self.state.hex_of(id) {
                by_hex.entry(hex).or_default().push(id);
            }
        }
        for (hex, units) in by_hex {
            self.lose_steps(force, hex, Cause::Fever, &units);
        }
        self.relocate_lone_leaders()
    }

    /// The owner chooses who falls ill (§10.5b).
    fn choose_fever(
        &mut self,
        force: Force,
        victims: &[Victim],
        steps: u32,
        default: Vec<UnitId>,
    ) -> Ruling<Vec<UnitId>> {
        let position = Position { game: self.game, state: &*self.state };
        let mut options = vec![default.clone()];
        for victim in victims {
            let pick = position.pick_fever(victims, steps, &[victim.id]);
            if !options.contains(&pick) {
                options.push(pick);
            }
        }
        let legal = |choice: &Vec<UnitId>| {
            let taken = |id: &UnitId| choice.iter().filter(|other| *other == id).count();
            let has = |id: &UnitId| victims.iter().find(|victim| victim.id == *id).map_or(0, |v| usize::from(v.steps));
            choice.len() == steps as usize && choice.iter().all(|id| taken(id) <= has(id))
        };
        let question = Question {
            who: player(force),
            kind: FEVER,
            about: Subject::of(force.word()),
            clause: Clause("10.5b"),
            text: format!("yellow fever takes {}: of which units? One entry a step.", count_of(steps, "step")),
            options,
            default,
            also: Some(Box::new(legal)),
        };
        self.umpire.ask(question, None, |policy| match policy {
            Policy::Priority(wished) => Say::Choose(position.pick_fever(victims, steps, wished)),
            _ => Say::Default,
        })
    }

    /// The historic event of the turn (§7.1, §7.2).
    fn historic_event(&mut self) -> Ruling<()> {
        let die = self.d6("table", "event")?;
        let Some(event) = self.data().tables.event(i32::from(die)) else { return Ok(()) };
        let turn = self.state.turn;
        let (happens, clause) = match event {
            HistoricEvent::HeroicCubans => (true, "7.2.1a"),
            HistoricEvent::BadWeather => (true, "7.2.3a"),
            HistoricEvent::EscarioDelayed if turn > self.data().tables.historic_events.delay_until_turn => {
                (false, "7.2.2b")
            }
            HistoricEvent::EscarioDelayed if self.state.escario_delayed => (false, "7.2.2c"),
            HistoricEvent::EscarioDelayed => (true, "7.2.2a"),
            HistoricEvent::GarrisonsReleased if self.state.garrisons_released => (false, "7.1c"),
            HistoricEvent::GarrisonsReleased => (true, "7.2.4a"),
            HistoricEvent::SpanishMachineguns if self.state.machineguns != Machineguns::Awaited => (false, "7.1c"),
            HistoricEvent::SpanishMachineguns => (true, "7.2.6a"),
        };
        self.umpire.note(Event::HistoricEvent { die, event, happens, clause: Clause(clause) });
        if !happens {
            return Ok(());
        }
        match event {
            HistoricEvent::HeroicCubans => self.state.heroic_cubans = true,
            HistoricEvent::BadWeather => self.state.bad_weather = true,
            HistoricEvent::EscarioDelayed => self.state.escario_delayed = true,
            HistoricEvent::GarrisonsReleased => self.state.garrisons_released = true,
            HistoricEvent::SpanishMachineguns => return self.place_machineguns(),
        }
        Ok(())
    }

    /// Event 6: placed at once or lost (§7.2.6a).
    fn place_machineguns(&mut self) -> Ruling<()> {
        let unit = self.data().cast.machineguns;
        let hexes = self.now().machinegun_hexes();
        let place = match hexes.first() {
            None => None,
            Some(default) => {
                let mut options: Vec<Vec<Hex>> = hexes.iter().map(|hex| vec![*hex]).collect();
                options.push(Vec::new());
                let listed = hexes.clone();
                let question = Question {
                    who: SPAIN,
                    kind: MACHINEGUNS,
                    about: Subject::of(unit),
                    clause: Clause("7.2.6a"),
                    text: "where are the machineguns placed? An empty list declines them for good.".into(),
                    options,
                    default: vec![*default],
                    also: None,
                };
                let chosen = self.umpire.ask(question, None, |policy| match policy {
                    Policy::Ever(_) => Say::Choose(Vec::new()),
                    Policy::Hexes(wished) => match wished.iter().find(|hex| listed.contains(hex)) {
                        Some(hex) => Say::Choose(vec![*hex]),
                        None => Say::Default,
                    },
                    _ => Say::Default,
                })?;
                chosen.first().copied()
            }
        };
        match place {
            Some(at) => {
                self.state.machineguns = Machineguns::Placed;
                self.umpire.note(Event::MachinegunsPlaced { unit, at });
                self.put(unit, at)?;
                self.relocate_lone_leaders()
            }
            None => {
                self.state.machineguns = Machineguns::Forgone;
                self.remove(unit);
                self.umpire.note(Event::MachinegunsForgone { unit });
                Ok(())
            }
        }
    }

    /// Phase IV: markers off, turn on; after the last turn the end-of-game test (§2.1k to §2.1m).
    pub fn end_of_turn(&mut self) -> Ruling<()> {
        self.begin_phase("all", "end", PhaseName::EndOfTurn)?;
        let turn = self.state.turn;
        let mut rallied = Vec::new();
        for (id, unit) in self.state.units.iter_mut() {
            if unit.disorganized {
                unit.disorganized = false;
                rallied.push(*id);
            }
            unit.landed = false;
        }
        self.state.bad_weather = false; // §7.2.3c
        self.state.heroic_cubans = false; // §7.2.1b
        self.state.fleets_fired.clear(); // §9.7g
        let date = self.data().date(turn).unwrap_or_default().to_owned();
        self.umpire.note(Event::TurnEnded { turn, date, rallied });
        self.check_stacking()?;
        if turn >= self.game.last_turn() {
            let taken = self.state.us_controls(self.data().santiago);
            return self.end_game(if taken { Ending::SantiagoTaken } else { Ending::SantiagoHeld });
        }
        self.state.turn += 1;
        debug_assert!(player(Force::Us) == US);
        Ok(())
    }
}
