//! The table while a packet is carried out: position, rules data and umpire together, and what every chapter needs:
//! chips and their redraws (§9d), hits and saves (§6.9, §6.10), entering boxes, and the victory test (§3, §A51).

use crate::board::{Facing, Square};
use crate::engine::dice::Die;
use crate::engine::{Cast, Halt, Ruling, Subject, Tally, Touch, Umpire};

use super::LoneWarrior;
use super::data::{Field, Unit};
use super::events::{Against, Drawn, Event};
use super::orders::Activation;
use super::policy::Draw;
use super::position::Position;
use super::state::{FieldState, HeroFate, Place, State};
use super::terms::{Battlefield, LeaderId, Power, SAVE, UnitId};

/// Why an action ends before its end.
#[derive(Debug)]
pub enum Cut {
    /// Resolution ends here.
    Halt(Halt),
    /// The battlefield is decided; nothing further is resolved on it (§4h).
    Decided,
}

impl From<Halt> for Cut {
    fn from(halt: Halt) -> Cut {
        Cut::Halt(halt)
    }
}

/// What rules code inside an action returns.
pub type Acting<T> = Result<T, Cut>;

/// A packet being carried out on one battlefield.
pub struct Play<'p, 'u> {
    pub game: &'p LoneWarrior,
    pub field: Battlefield,
    pub power: Power,
    pub state: &'p mut State,
    pub umpire: &'p mut Umpire<'u, LoneWarrior>,
    blank: FieldState,
}

impl<'p, 'u> Play<'p, 'u> {
    pub fn new(
        game: &'p LoneWarrior,
        field: Battlefield,
        power: Power,
        state: &'p mut State,
        umpire: &'p mut Umpire<'u, LoneWarrior>,
    ) -> Play<'p, 'u> {
        Play { game, field, power, state, umpire, blank: FieldState::default() }
    }

    /// The battlefield as it is now.
    pub fn now(&self) -> Position<'_> {
        let state = self.state.fields.get(&self.field).unwrap_or(&self.blank);
        Position { game: self.game, id: self.field, field: self.game.field(self.field), state }
    }

    pub fn ground(&self) -> &'p Field {
        self.game.field(self.field)
    }

    pub fn here(&mut self) -> &mut FieldState {
        self.state.fields.get_mut(&self.field).unwrap_or(&mut self.blank)
    }

    pub fn unit(&self, id: UnitId) -> Option<&'p Unit> {
        self.game.data.units.get(&id)
    }

    /// Draws chips for somebody of a side: each goes back into the bag (§A1). `drawn` says how many of them succeed.
    pub fn draw(
        &mut self,
        (about, power): (impl std::fmt::Display, Power),
        purpose: &str,
        count: usize,
        drawn: impl Fn(&[u16]) -> Drawn,
        touch: Touch,
    ) -> Ruling<Cast> {
        let dice = vec![Die::D10; count];
        Ok(self.umpire.throw(power.side(), &Subject::of(about), purpose, &dice, drawn, touch)?.cast)
    }

    /// A save: chip, redraws, modifiers, result (§6.9, §7k, §8c).
    pub fn save(
        &mut self,
        unit: UnitId,
        against: Against,
        modifiers: Tally,
        entry: Option<&Activation>,
        touch: Touch,
    ) -> Ruling<bool> {
        let Some(counter) = self.unit(unit) else { return Ok(true) };
        let lethal = self.now().state.unit(unit).disordered || counter.steps < 2;
        let (draw, purpose) = match against {
            Against::Fire | Against::Melee => (Draw::Save { lethal }, "save"),
            Against::Charge => (Draw::Opening, "opening-save"),
            Against::Disorder => (Draw::Rally, "rally"),
        };
        let added = modifiers.total();
        let fails = |chip: u16| i32::from(chip) + added < SAVE;
        let chip = self.draw((unit, counter.power), purpose, 1, |chips| draw.read(chips, fails), touch)?;
        let (chips, redrawn) = self.redraw(&[unit], draw, purpose, chip.faces().to_vec(), fails, entry)?;
        let last = chips.first().copied().unwrap_or(chip.face());
        let success = !fails(last);
        let total = i32::from(last) + added;
        self.umpire.note(Event::Save { unit, against, modifiers, chip, redrawn, total, needs: SAVE, success });
        Ok(success)
    }

    /// One hit: survival chips of the leaders, then the save, then what a failed save does (§A45, §6.10, §7l).
    /// Says whether the unit is removed.
    pub fn take_hit(
        &mut self,
        unit: UnitId,
        against: Against,
        endangers_leaders: bool,
        modifiers: &Tally,
        entry: Option<&Activation>,
    ) -> Acting<bool> {
        if endangers_leaders {
            self.survive(unit, against)?;
        }
        if self.save(unit, against, modifiers.clone(), entry, Touch::default())? {
            return Ok(false);
        }
        let sturdy = self.unit(unit).is_some_and(|unit| unit.steps > 1);
        let disordered = self.now().state.unit(unit).disordered;
        if sturdy && !disordered {
            if let Some(unit) = self.here().units.get_mut(&unit) {
                unit.disordered = true;
            }
            self.umpire.note(Event::Disordered { unit });
            return Ok(false);
        }
        self.eliminate(unit)?;
        Ok(true)
    }

    /// Removes a unit; its hero dies with it, its leaders stay behind, and victory is tested (§9w, §A38, §A51).
    fn eliminate(&mut self, unit: UnitId) -> Acting<()> {
        let leaders: Vec<LeaderId> = self.now().leaders_with(unit).collect();
        let (Some(side), hero) = (self.now().power(unit), self.unit(unit).and_then(|unit| unit.hero)) else {
            return Ok(());
        };
        if let Some(state) = self.here().units.get_mut(&unit) {
            state.at = Place::Lost;
            state.facing = None;
            state.disordered = false;
            state.activated = false;
        }
        let now = self.now();
        let limit = match side {
            Power::Spain => self.game.us_needs(self.ground()),
            Power::Us => self.game.spain_needs(self.ground()),
        };
        let lost = now.lost(side);
        self.umpire.note(Event::Eliminated { unit, side, lost, limit });
        if let Some(hero) = hero {
            self.here().heroes.insert(hero, HeroFate::Dead);
            self.umpire.note(Event::HeroLost { hero, unit });
        }
        for leader in leaders {
            let Some(state) = self.here().leaders.get_mut(&leader) else { continue };
            state.with = None;
            if let Place::At(at) = state.at {
                self.umpire.note(Event::LeaderAlone { leader, at });
            }
        }
        self.test_victory()
    }

    /// Ends the battlefield at the very moment a side has won it (§3, §4h, §A51).
    fn test_victory(&mut self) -> Acting<()> {
        let now = self.now();
        let (us_lost, spanish_lost) = (now.lost(Power::Us), now.lost(Power::Spain));
        let captured = now.state.captured.clone();
        let held = u32::try_from(captured.len()).unwrap_or(u32::MAX);
        let terrain = !self.game.options.us_need_terrain || held >= self.ground().areas_needed;
        let winner = if us_lost >= self.game.spain_needs(self.ground()) {
            Power::Spain
        } else if spanish_lost >= self.game.us_needs(self.ground()) && terrain {
            Power::Us
        } else {
            return Ok(());
        };
        self.here().winner = Some(winner);
        self.umpire.note(Event::Decided { field: self.field, winner, us_lost, spanish_lost, captured });
        Err(Cut::Decided)
    }

    /// Moves a unit with its leaders box by box (§9c). A box with a friend is only passed through.
    pub fn go(&mut self, unit: UnitId, path: &[Square], facing: Facing) -> Acting<()> {
        for square in path {
            let held = self.now().state.unit_in(*square).is_some_and(|other| other != unit);
            let leaders: Vec<LeaderId> = self.now().leaders_with(unit).collect();
            let here = self.here();
            if let Some(state) = here.units.get_mut(&unit) {
                state.at = Place::At(*square);
                state.facing = Some(facing);
            }
            for leader in leaders {
                if let Some(state) = here.leaders.get_mut(&leader) {
                    state.at = Place::At(*square);
                }
            }
            if !held {
                self.arrive(unit, *square)?;
            }
        }
        Ok(())
    }

    /// What follows when a unit has entered a box: objective and victory first, then a lone enemy leader (§A49, §A38).
    pub fn arrive(&mut self, unit: UnitId, square: Square) -> Acting<()> {
        let Some(power) = self.now().power(unit) else {
            return Ok(());
        };
        if let Some(area) = self.ground().area_at(square) {
            let captured = &mut self.here().captured;
            let known = captured.iter().position(|id| *id == area.id);
            let changed = match (power, known) {
                (Power::Us, None) => {
                    captured.push(area.id);
                    captured.sort();
                    true
                }
                (Power::Spain, Some(index)) => {
                    captured.remove(index);
                    true
                }
                _ => false,
            };
            if changed {
                self.umpire.note(Event::Captured { area: area.id, at: square, side: power });
                self.test_victory()?;
            }
        }
        let now = self.now();
        let overrun = |id: &LeaderId| {
            now.state.leader(*id).at == Place::At(square) && now.leader(*id).is_some_and(|leader| leader.power != power)
        };
        let leaders: Vec<LeaderId> = self.ground().leaders.iter().copied().filter(overrun).collect();
        for leader in leaders {
            self.flee(leader, square)?;
        }
        Ok(())
    }
}
