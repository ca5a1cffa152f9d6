//! The table while a packet is carried out: position, rules data and umpire together, and what every chapter needs:
//! chips and their redraws (§9d), hits and saves (§6.9, §6.10), entering boxes, and the victory test (§3, §A51).

use crate::board::{Facing, Square};
use crate::engine::dice::Die;
use crate::engine::{Clause, Halt, Question, Ruling, Say, Subject, Tally, Umpire};

use super::LoneWarrior;
use super::data::{Field, Unit};
use super::events::{Against, Event, LeaderFate, Redrawn, Saviour};
use super::orders::Activation;
use super::policy::{Again, Draw, HERO, HERO_DEFAULT, JOIN, LEADER_DEFAULT, Policy, REDRAW, Redraw};
use super::position::Position;
use super::state::{FieldState, HeroFate, Place, State};
use super::terms::{Battlefield, LEADER_DIES_ON, LeaderId, Power, SAVE, UnitId};

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
        let blank = FieldState {
            units: Default::default(),
            leaders: Default::default(),
            heroes: Default::default(),
            captured: Vec::new(),
            acting: false,
            winner: None,
        };
        Play { game, field, power, state, umpire, blank }
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

    /// Draws chips: each goes back into the bag (§A1).
    pub fn chips(&mut self, about: impl std::fmt::Display, purpose: &str, count: usize) -> Ruling<Vec<u16>> {
        self.umpire.roll(&Subject::of(about), purpose, &vec![Die::D10; count])
    }

    /// Draws one chip.
    pub fn chip(&mut self, about: impl std::fmt::Display, purpose: &str) -> Ruling<u16> {
        self.umpire.roll_one(&Subject::of(about), purpose, Die::D10)
    }

    /// Lets the leaders and then the heroes of the units have failed chips drawn again (§9d, §9n, §A43, §A46).
    ///
    /// `entry` is the activation being carried out, if it is the owner's.
    pub fn redraw(
        &mut self,
        units: &[UnitId],
        draw: Draw,
        purpose: &str,
        mut chips: Vec<u16>,
        fails: impl Fn(u16) -> bool,
        entry: Option<&Activation>,
    ) -> Ruling<(Vec<u16>, Vec<Redrawn>)> {
        let mut redrawn = Vec::new();
        let Some((first, power)) = units.first().and_then(|id| Some((*id, self.unit(*id)?.power))) else {
            return Ok((chips, redrawn));
        };
        // §9h2, §9l: hit chips of guns and Gatlings stand.
        if matches!(draw, Draw::Fire | Draw::Melee) && !self.unit(first).is_some_and(|unit| unit.arm.redraws_hits()) {
            return Ok((chips, redrawn));
        }
        let now = self.now();
        let leaders = units.iter().flat_map(|unit| now.leaders_with(*unit)).map(Saviour::Leader);
        let heroes = units.iter().filter_map(|unit| now.ready_hero(*unit)).map(Saviour::Hero);
        let saviours: Vec<Saviour> = leaders.chain(heroes).collect();
        for saviour in saviours {
            let missed: Vec<usize> =
                (0..chips.len()).filter(|i| chips.get(*i).is_some_and(|chip| fails(*chip))).collect();
            if missed.is_empty() {
                break;
            }
            if !self.is_ready(saviour) {
                continue;
            }
            let again = self.ask_again(saviour, units, power, draw, &chips, missed.len(), entry)?;
            let count = match again {
                Again::Accept => continue,
                Again::One => 1,
                Again::All => missed.len(),
            };
            self.use_up(saviour);
            let fresh = self.chips(first, purpose, count)?;
            let mut instead_of = Vec::new();
            for (index, chip) in missed.iter().zip(&fresh) {
                if let Some(old) = chips.get_mut(*index) {
                    instead_of.push(std::mem::replace(old, *chip));
                }
            }
            redrawn.push(Redrawn { by: saviour, instead_of, chips: fresh });
        }
        Ok((chips, redrawn))
    }

    fn is_ready(&self, saviour: Saviour) -> bool {
        let state = self.now().state;
        match saviour {
            Saviour::Leader(id) => !state.leader(id).used && state.leader(id).at != Place::Lost,
            Saviour::Hero(id) => state.heroes.get(&id) == Some(&HeroFate::Ready),
        }
    }

    fn use_up(&mut self, saviour: Saviour) {
        match saviour {
            Saviour::Leader(id) => {
                if let Some(leader) = self.here().leaders.get_mut(&id) {
                    leader.used = true;
                }
            }
            Saviour::Hero(id) => {
                self.here().heroes.insert(id, HeroFate::Used);
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "one question with everything it is about")]
    fn ask_again(
        &mut self,
        saviour: Saviour,
        units: &[UnitId],
        power: Power,
        draw: Draw,
        chips: &[u16],
        missed: usize,
        entry: Option<&Activation>,
    ) -> Ruling<Again> {
        let (kind, name, clause, listed) = match saviour {
            Saviour::Leader(id) => {
                (REDRAW, id.to_string(), draw.clause(), entry.and_then(|entry| entry.redraw.as_ref()))
            }
            Saviour::Hero(id) => (HERO, id.to_string(), Clause("9n"), entry.and_then(|entry| entry.hero.as_ref())),
        };
        // One missed chip is all there are.
        let plain = |again: Again| if missed == 1 && again == Again::One { Again::All } else { again };
        let now = self.now();
        let leader_could = units.iter().flat_map(|unit| now.leaders_with(*unit)).any(|id| !now.state.leader(id).used);
        let default = match saviour {
            Saviour::Leader(_) => draw.again(LEADER_DEFAULT),
            // The hero is kept while a leader could still act on the activation.
            Saviour::Hero(_) if draw == Draw::Activation && leader_could => Again::Accept,
            Saviour::Hero(_) => draw.again(HERO_DEFAULT),
        };
        let mut options = vec![Again::Accept];
        if missed > 1 {
            options.push(Again::One);
        }
        options.push(Again::All);
        let shown: Vec<String> = chips.iter().map(u16::to_string).collect();
        let who = units.first().map(UnitId::to_string).unwrap_or_default();
        let question = Question {
            who: power.side(),
            kind,
            about: Subject::of(&name),
            clause,
            text: format!("{} of {who} came to {}: does {name} have it drawn again?", said(draw), shown.join(", ")),
            options,
            default,
            also: None,
        };
        let ordered = listed.map(|list: &Vec<Redraw>| plain(draw.again(list)));
        self.umpire.ask(question, ordered, |policy| match (policy, saviour) {
            (Policy::Redraw(per), Saviour::Leader(id)) => match per.get(&id) {
                Some(list) => Say::Choose(plain(draw.again(list))),
                None => Say::Default,
            },
            (Policy::Hero(list), Saviour::Hero(_)) => Say::Choose(plain(draw.again(list))),
            _ => Say::Default,
        })
    }

    /// A save: chip, redraws, modifiers, result (§6.9, §7k, §8c).
    pub fn save(
        &mut self,
        unit: UnitId,
        against: Against,
        modifiers: Tally,
        entry: Option<&Activation>,
    ) -> Ruling<bool> {
        let disordered = self.now().state.unit(unit).disordered;
        let lethal = disordered || self.unit(unit).is_some_and(|unit| unit.steps < 2);
        let (draw, purpose) = match against {
            Against::Fire | Against::Melee => (Draw::Save { lethal }, "save"),
            Against::Charge => (Draw::Opening, "opening-save"),
            Against::Disorder => (Draw::Rally, "rally"),
        };
        let first = self.chip(unit, purpose)?;
        let added = modifiers.total();
        let fails = |chip: u16| i32::from(chip) + added < SAVE;
        let (chips, redrawn) = self.redraw(&[unit], draw, purpose, vec![first], fails, entry)?;
        let chip = chips.first().copied().unwrap_or(first);
        let success = !fails(chip);
        let total = i32::from(chip) + added;
        let instead = redrawn.first().and_then(|redrawn| redrawn.instead_of.first()).copied();
        let chip = instead.unwrap_or(chip);
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
        if self.save(unit, against, modifiers.clone(), entry)? {
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

    /// Every attached leader draws for his life, in seniority order (§9q, §9r, §9u, §A39).
    fn survive(&mut self, unit: UnitId, against: Against) -> Ruling<()> {
        let leaders: Vec<LeaderId> = self.now().leaders_with(unit).collect();
        let clause = Clause(if against == Against::Melee { "9r" } else { "9q" });
        for leader in leaders {
            let chip = self.chip(leader, "survive")?;
            let dies = chip == LEADER_DIES_ON;
            self.umpire.note(Event::Survival { leader, unit, chip, dies, clause });
            if dies {
                self.lose_leader(leader, LeaderFate::Killed, clause);
            }
        }
        Ok(())
    }

    fn lose_leader(&mut self, leader: LeaderId, fate: LeaderFate, clause: Clause) {
        if let Some(state) = self.here().leaders.get_mut(&leader) {
            state.at = Place::Lost;
            state.with = None;
        }
        self.umpire.note(Event::LeaderLost { leader, fate, clause });
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
        let here = self.here();
        here.winner = Some(winner);
        here.acting = false;
        for unit in here.units.values_mut() {
            unit.activated = false;
        }
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

    /// An overrun leader goes to the nearest unit he may join, or is captured (§A38).
    fn flee(&mut self, id: LeaderId, from: Square) -> Ruling<()> {
        let Some(leader) = self.game.data.leaders.get(&id) else {
            return Ok(());
        };
        let refuges = self.now().refuges(leader, from);
        let Some(default) = refuges.first().copied() else {
            self.lose_leader(id, LeaderFate::Captured, Clause("A38"));
            return Ok(());
        };
        let unit = if refuges.len() == 1 {
            default
        } else {
            let listed = refuges.clone();
            let question = Question {
                who: leader.power.side(),
                kind: JOIN,
                about: Subject::of(id),
                clause: Clause("A38"),
                text: format!("an enemy enters {from}, where {} is alone: which unit does he join?", leader.name),
                options: refuges,
                default,
                also: None,
            };
            self.umpire.ask(question, None, |policy| match policy {
                Policy::Join(wished) => match wished.iter().find(|unit| listed.contains(unit)) {
                    Some(unit) => Say::Choose(*unit),
                    None => Say::Default,
                },
                _ => Say::Default,
            })?
        };
        let Some(to) = self.now().at(unit) else {
            return Ok(());
        };
        if let Some(state) = self.here().leaders.get_mut(&id) {
            state.at = Place::At(to);
            state.with = Some(unit);
        }
        self.umpire.note(Event::LeaderJoined { leader: id, from, to, unit });
        Ok(())
    }
}

/// A draw in words.
fn said(draw: Draw) -> &'static str {
    match draw {
        Draw::Activation => "the activation",
        Draw::Fire => "the shot",
        Draw::Melee => "the strike",
        Draw::Save { .. } => "the save",
        Draw::Opening => "the opening save",
        Draw::Rally => "the rally",
    }
}
