//! Set-up and the player turn: leaders first, then activations in the order of the list until one fails
//! (§4, §5, §9b, §A56).

use crate::board::Square;
use crate::engine::doc::{DocPath, FromDoc, Node, Reader};
use crate::engine::{Clause, Concealed, Phase, Rules, Ruling, Sealed};

use super::actions::{Deed, Plan};
use super::events::{Event, Passed, TurnEnd};
use super::orders::{Activation, Condition, FieldOrders, StopAfter};
use super::play::{Acting, Cut, Play};
use super::policy::Draw;
use super::position::{Bar, Position};
use super::state::Place;
use super::terms::{LeaderId, Power, UnitId};

impl Position<'_> {
    /// Does a condition hold?
    pub fn holds(&self, power: Power, condition: &Condition) -> bool {
        let alive = |unit: &UnitId| self.is_alive(*unit);
        let disordered = |unit: &UnitId| self.state.unit(*unit).disordered;
        let held_by = |square: &Square, side: Power| self.unit_of_in(side, *square).is_some();
        condition.gone.iter().all(|unit| !alive(unit))
            && condition.alive.iter().all(alive)
            && condition.disordered.iter().all(disordered)
            && condition.good_order.iter().all(|unit| alive(unit) && !disordered(unit))
            && condition.empty.iter().all(|square| self.state.unit_in(*square).is_none())
            && condition.enemy_in.iter().all(|square| held_by(square, power.enemy()))
            && condition.friend_in.iter().all(|square| held_by(square, power))
            && condition.captured.iter().all(|area| self.state.captured.contains(area))
    }

    /// Units of a side that have not been activated in this player turn (§A3).
    pub fn eligible(&self, power: Power) -> impl Iterator<Item = UnitId> + '_ {
        self.units_of(power).map(|unit| unit.id).filter(|id| !self.state.unit(*id).activated)
    }
}

impl Play<'_, '_> {
    pub fn begin_phase(&mut self, name: &'static str) {
        self.umpire.phase(Phase { turn: self.state.turn, side: self.power.as_str(), name });
    }

    /// A player turn on this battlefield, or the rest of one (§4f).
    pub fn player_turn(&mut self, orders: &FieldOrders) -> Ruling<()> {
        let (turn, field, side) = (self.state.turn, self.field, self.power);
        self.begin_phase(field.as_str());
        if self.now().state.acting {
            self.umpire.note(Event::TurnContinued { turn, field, side });
        } else {
            self.umpire.note(Event::PlayerTurn { turn, field, side });
            self.here().acting = true;
            self.move_leaders(orders);
        }
        match self.activations(orders) {
            Ok(None) => Ok(()),
            Ok(Some((how, unused))) => {
                let here = self.here();
                here.acting = false;
                for unit in here.units.values_mut() {
                    unit.activated = false;
                }
                self.umpire.note(Event::TurnEnded { field, side, how, unused });
                Ok(())
            }
            Err(Cut::Decided) => Ok(()),
            Err(Cut::Halt(halt)) => Err(halt),
        }
    }

    /// The list, entry by entry. Says how the player turn ended and how many entries were left, or that it goes on.
    fn activations(&mut self, orders: &FieldOrders) -> Acting<Option<(TurnEnd, u32)>> {
        let count = orders.activations.len();
        for (index, entry) in orders.activations.iter().enumerate() {
            let left = u32::try_from(count - index - 1).unwrap_or(u32::MAX);
            let Some(entry) = self.read_entry(entry)? else { continue };
            let Some(plan) = self.ready(&entry) else { continue };
            if !self.activate(&entry, &plan)? {
                return Ok(Some((TurnEnd::Failed, left)));
            }
            self.carry_out(&entry, &plan)?;
            let stop = match &entry.stop_after {
                None => false,
                Some(StopAfter::Always) => true,
                Some(StopAfter::If(condition)) => self.now().holds(self.power, condition),
            };
            if stop {
                return Ok(self.list_over(orders, left));
            }
        }
        Ok(self.list_over(orders, 0))
    }

    /// The list is through and nothing failed (§A4).
    fn list_over(&self, orders: &FieldOrders, left: u32) -> Option<(TurnEnd, u32)> {
        if self.now().eligible(self.power).next().is_none() {
            Some((TurnEnd::NobodyLeft, left))
        } else if orders.more {
            None
        } else {
            Some((TurnEnd::Stopped, left))
        }
    }

    /// The entry in hand, opened if it was sealed; one that is no activation lapses.
    fn read_entry(&mut self, entry: &Concealed<Activation>) -> Ruling<Option<Activation>> {
        let slot = match entry {
            Concealed::Open(entry) => return Ok(Some(entry.clone())),
            Concealed::Sealed(slot) => slot,
        };
        let node: Node = self.umpire.open(&Sealed::new(self.power.side(), slot.clone()))?;
        let mut reader = Reader::new(self.game.lexicon());
        let read = Activation::read(&node, &DocPath::root(), &mut reader);
        if read.is_none() {
            let why = reader.faults.first().map_or_else(|| "it cannot be read".to_owned(), |fault| fault.what.clone());
            self.umpire.note(Event::EntryLapsed { why });
        }
        Ok(read)
    }

    /// Whether an entry is to be carried out now; if not, no chip is drawn (§A62).
    fn ready(&mut self, entry: &Activation) -> Option<Plan> {
        let now = self.now();
        let held_back = match (&entry.r#if, &entry.unless) {
            (Some(condition), _) if !now.holds(self.power, condition) => Some("its condition does not hold"),
            (_, Some(condition)) if now.holds(self.power, condition) => {
                Some("what it waits to be spared of has happened")
            }
            _ => None,
        };
        let (because, why, clause) = match (held_back, now.plan(self.power, entry)) {
            (Some(why), _) => (Passed::Condition, why.to_owned(), Clause("A4")),
            (None, Err(Bar { clause, why, .. })) => (Passed::Illegal, why, clause),
            (None, Ok(plan)) => return Some(plan),
        };
        self.umpire.note(Event::Skipped { unit: entry.unit, action: describe(entry), because, why, clause });
        None
    }

    /// The activation chip, with its redraws (§5b, §9f). Says whether it succeeds.
    fn activate(&mut self, entry: &Activation, plan: &Plan) -> Ruling<bool> {
        let mut units = vec![entry.unit];
        if let Deed::Exchange { partner, .. } = plan.deed {
            units.push(partner);
        }
        let here = self.here();
        for unit in &units {
            if let Some(state) = here.units.get_mut(unit) {
                state.activated = true;
            }
        }
        let needs = plan.needs();
        let fails = |chip: u16| chip < needs;
        let chip = self.chip(entry.unit, "activate")?;
        let (chips, redrawn) = self.redraw(&units, Draw::Activation, "activate", vec![chip], fails, Some(entry))?;
        let success = !chips.first().copied().is_some_and(fails);
        self.umpire.note(Event::Activation {
            unit: entry.unit,
            action: plan.text(),
            needs,
            number: plan.number(),
            difficult: plan.difficult.clone(),
            chip,
            redrawn,
            success,
        });
        Ok(success)
    }

    /// The action itself, to its end (§5d).
    fn carry_out(&mut self, entry: &Activation, plan: &Plan) -> Acting<()> {
        let unit = entry.unit;
        match &plan.deed {
            Deed::Move { path, facing, clause, .. } => self.march(unit, path, *facing, *clause),
            Deed::Charge { target, at, turn } => self.charge(unit, *target, *at, *turn, entry),
            Deed::Shoot { target } => self.shoot(unit, *target, entry),
            // §5.D4c: the shot comes first, from the starting box.
            Deed::ShootAndFallBack { target, to, facing } => {
                self.shoot(unit, *target, entry)?;
                self.march(unit, &[*to], *facing, Clause("5.D4b"))
            }
            // §5.D5b: the shot comes after the move, from the new box.
            Deed::AdvanceAndShoot { to, target } => {
                if let Some(facing) = self.now().state.unit(unit).facing {
                    self.march(unit, &[*to], facing, Clause("5.D5a"))?;
                }
                self.shoot(unit, *target, entry)
            }
            Deed::Turn { to } => {
                self.face(unit, *to, Clause("5.N4"));
                Ok(())
            }
            Deed::Exchange { partner, .. } => self.exchange(unit, *partner),
            Deed::Rally => self.rally(unit, entry),
        }
    }

    fn march(&mut self, unit: UnitId, path: &[Square], facing: crate::board::Facing, clause: Clause) -> Acting<()> {
        let (Some(from), Some(to)) = (self.now().at(unit), path.last().copied()) else {
            return Ok(());
        };
        self.umpire.note(Event::Moved { unit, from, to, facing, clause });
        self.go(unit, path, facing)
    }

    /// Turns a unit in place.
    pub fn face(&mut self, unit: UnitId, to: crate::board::Facing, clause: Clause) {
        let Some(state) = self.here().units.get_mut(&unit) else { return };
        if let Some(from) = state.facing.replace(to) {
            self.umpire.note(Event::Turned { unit, from, to, clause });
        }
    }

    /// Two units change places, each with its facing and its leaders (§5.D6a, §A12).
    fn exchange(&mut self, unit: UnitId, partner: UnitId) -> Acting<()> {
        let (Some(from), Some(to)) = (self.now().at(unit), self.now().at(partner)) else {
            return Ok(());
        };
        self.umpire.note(Event::Exchanged { unit, partner, to, partner_to: from });
        for (id, square) in [(unit, to), (partner, from)] {
            let leaders: Vec<LeaderId> = self.now().leaders_with(id).collect();
            let here = self.here();
            if let Some(state) = here.units.get_mut(&id) {
                state.at = Place::At(square);
            }
            for leader in leaders {
                if let Some(state) = here.leaders.get_mut(&leader) {
                    state.at = Place::At(square);
                }
            }
        }
        self.arrive(unit, to)?;
        self.arrive(partner, from)
    }

    /// A plain save ends disorder; failing it costs nothing more (§8c, §8d, §8e, §A36).
    fn rally(&mut self, unit: UnitId, entry: &Activation) -> Acting<()> {
        let success = self.save(unit, super::events::Against::Disorder, crate::engine::Tally::new(), Some(entry))?;
        if success {
            if let Some(state) = self.here().units.get_mut(&unit) {
                state.disordered = false;
            }
            self.umpire.note(Event::Rallied { unit });
        } else {
            self.umpire.note(Event::StillDisordered { unit });
        }
        Ok(())
    }
}

/// What an entry wants, in a few words.
pub fn describe(entry: &Activation) -> String {
    let mut parts = Vec::new();
    if let Some(way) = entry.r#move {
        parts.push(format!("move {way}"));
    }
    if let Some(target) = entry.shoot {
        parts.push(format!("shoot at {target}"));
    }
    if let Some(way) = entry.charge {
        parts.push(format!("charge {way}"));
    }
    if let Some(face) = entry.turn {
        parts.push(format!("turn {face}"));
    }
    if let Some(way) = entry.exchange {
        parts.push(format!("exchange {way}"));
    }
    if entry.rally {
        parts.push("rally".to_owned());
    }
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}
