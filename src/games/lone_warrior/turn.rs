//! Set-up and the player turn: leaders first, then activations in the order of the list until one fails
//! (§4, §5, §9b, §A56).

use std::collections::BTreeSet;

use crate::board::Square;
use crate::engine::doc::{DocPath, FromDoc, Node, Reader};
use crate::engine::{Bar, Clause, Cloud, Concealed, Phase, Rules, Ruling, Sealed, Subject, Tally, Touch};

use super::actions::{Deed, Plan, activated};
use super::advice::or;
use super::events::{Against, Event, Passed, TurnEnd};
use super::orders::{Activation, Condition, Direction, FieldOrders, StopAfter};
use super::play::{Acting, Cut, Play};
use super::policy::Draw;
use super::position::Position;
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

/// What became of an entry.
enum Went {
    /// The list goes on.
    On,
    /// The activation failed (§5e).
    Failed,
    /// The list ends here (§A4). In doubt where the entry that ends it may be skipped.
    Stopped { in_doubt: bool },
}

impl Play<'_, '_> {
    pub fn begin_phase(&mut self, name: &'static str) {
        self.umpire.phase(Phase { turn: self.state.turn, side: self.power.as_str(), name });
    }

    /// A player turn on this battlefield, or the rest of one (§4f). `at` is where its orders stand in the packet.
    pub fn player_turn(&mut self, orders: &FieldOrders, at: &DocPath) -> Ruling<()> {
        let (turn, field, side) = (self.state.turn, self.field, self.power);
        self.begin_phase(field.as_str());
        if self.now().state.acting {
            self.umpire.note(Event::TurnContinued { turn, field, side });
            self.refuse_leaders(orders, at, true);
        } else {
            self.umpire.note(Event::PlayerTurn { turn, field, side });
            self.here().acting = true;
            self.move_leaders(orders, at);
        }
        match self.activations(orders, at) {
            Ok(None) => Ok(()),
            Ok(Some((how, unused))) => {
                self.close_turn();
                self.umpire.note(Event::TurnEnded { field, side, how, unused });
                Ok(())
            }
            Err(Cut::Decided) => {
                self.close_turn();
                Ok(())
            }
            Err(Cut::Halt(halt)) => Err(halt),
        }
    }

    /// Who has been activated is forgotten with the player turn, not before (§A3): a battle that is hoped to be decided may
    /// go on.
    fn close_turn(&mut self) {
        let here = self.here();
        here.acting = false;
        for unit in here.units.values_mut() {
            unit.activated = false;
        }
    }

    /// The list, entry by entry. Says how the player turn ended and how many entries were left, or that it goes on.
    fn activations(&mut self, orders: &FieldOrders, at: &DocPath) -> Acting<Option<(TurnEnd, u32)>> {
        let places = (0..orders.activations.len()).map(|index| at.key("activations").index(index));
        let mut rest = orders.activations.iter().zip(places);
        while let Some((entry, place)) = rest.next() {
            let deciding = self.touched(entry);
            let before = self.umpire.take_in_hand(place.clone());
            let went = self.entry(entry);
            self.umpire.put_down(before);
            let left = u32::try_from(rest.len()).unwrap_or(u32::MAX);
            match went {
                Ok(Went::On) => {}
                Ok(Went::Failed) => return Ok(Some((TurnEnd::Failed, left))),
                Ok(Went::Stopped { in_doubt: false }) => {
                    for (entry, place_of) in rest {
                        let bars = self.bars_of(entry);
                        self.umpire.spare(place_of, Some(surplus(&place)), bars);
                    }
                    return Ok(self.list_over(orders, at, left));
                }
                Ok(Went::Stopped { in_doubt: true }) => {
                    self.may_come_up(rest, Some(&place));
                    return Ok(self.list_over(orders, at, left));
                }
                Err(cut) => {
                    // Where the battle goes on, the entry that ends it has changed something else.
                    self.umpire.cloud(deciding, &Cloud::Die("activation".to_owned()));
                    self.may_come_up(rest, None);
                    self.umpire.spare(at.key("more"), None, Vec::new());
                    return Err(cut);
                }
            }
        }
        Ok(self.list_over(orders, at, 0))
    }

    /// Entries that are not come to in this walk and may come up all the same: what hangs on no cloud is wrong with them
    /// in any case. Each may change something for those behind it. `last` is the entry that is hoped to end the list.
    fn may_come_up<'e>(
        &mut self,
        entries: impl Iterator<Item = (&'e Concealed<Activation>, DocPath)>,
        last: Option<&DocPath>,
    ) {
        let may_differ = Cloud::Die("activation".to_owned());
        let mut spent = BTreeSet::new();
        for (entry, place) in entries {
            let mut bars = self.bars_of(entry);
            let never = |entry: &Activation| self.waits_in_vain(entry, &self.now().plan(self.power, entry));
            if let Concealed::Open(entry) = entry
                && never(entry)
            {
                bars.clear();
            } else if let Concealed::Open(entry) = entry {
                bars.extend(spent.contains(&entry.unit).then(|| activated(entry.unit).firm()));
                spent.extend(self.surely_activates(entry));
            }
            let sure = |bar: &Bar| bar.about.iter().all(|subject| self.umpire.cloud_on(subject).is_none());
            let bars =
                bars.into_iter().map(|bar| if last.is_some() && sure(&bar) { bar.firm() } else { bar }).collect();
            self.umpire.spare(place, last.map(surplus), bars);
            let touched = self.touched(entry);
            self.umpire.cloud(touched, &may_differ);
        }
    }

    /// What an entry changes, as far as it can be read.
    fn touched(&self, entry: &Concealed<Activation>) -> Vec<Subject> {
        match entry {
            Concealed::Open(entry) => self.now().touched(entry),
            Concealed::Sealed(_) => Vec::new(),
        }
    }

    /// Whom an entry activates if it comes up at all: nobody where that hangs on something in doubt.
    fn surely_activates(&self, entry: &Activation) -> Vec<UnitId> {
        let now = self.now();
        let waits = entry.r#if.is_some() || entry.unless.is_some();
        let doubtful = now.grounds(entry).iter().any(|subject| self.umpire.cloud_on(subject).is_some());
        let plan = now.plan(self.power, entry).ok().filter(|_| !waits && !doubtful);
        plan.map_or_else(Vec::new, |plan| plan.activates(entry.unit))
    }

    /// What is wrong with an entry that is not carried out, as far as it can be read.
    fn bars_of(&self, entry: &Concealed<Activation>) -> Vec<Bar> {
        match entry {
            Concealed::Open(entry) => {
                let plan = self.now().plan(self.power, entry);
                plan.err().unwrap_or_default().into_iter().chain(self.now().vain_redraws(entry)).collect()
            }
            Concealed::Sealed(_) => Vec::new(),
        }
    }

    /// One entry, from its conditions to the end of its action (§A62).
    fn entry(&mut self, entry: &Concealed<Activation>) -> Acting<Went> {
        let Some(entry) = self.read_entry(entry)? else { return Ok(Went::On) };
        let Some(plan) = self.ready(&entry) else { return Ok(Went::On) };
        // §A62: where it is skipped it ends nothing.
        let in_doubt = self.rests_on(&entry).iter().any(|subject| self.umpire.cloud_on(subject).is_some());
        if !self.activate(&entry, &plan)? {
            return Ok(Went::Failed);
        }
        self.carry_out(&entry, &plan)?;
        let (stops, on) = match &entry.stop_after {
            None => (false, Vec::new()),
            Some(StopAfter::Always) => (true, Vec::new()),
            Some(StopAfter::If(condition)) => {
                (self.now().holds(self.power, condition), self.now().grounds_of(condition))
            }
        };
        Ok(if self.umpire.ends(stops, &on) { Went::Stopped { in_doubt } } else { Went::On })
    }

    /// The list is through and nothing failed (§A4).
    fn list_over(&mut self, orders: &FieldOrders, at: &DocPath, left: u32) -> Option<(TurnEnd, u32)> {
        if orders.more {
            let before = self.umpire.take_in_hand(at.key("more"));
            self.umpire.put_down(before);
        }
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

    /// What the conditions of an entry rest on.
    fn waits_for(&self, entry: &Activation) -> Vec<Subject> {
        let conditions = [&entry.r#if, &entry.unless].into_iter().flatten();
        conditions.flat_map(|condition| self.now().grounds_of(condition)).collect()
    }

    /// What it rests on whether an entry is carried out: its action and its conditions.
    fn rests_on(&self, entry: &Activation) -> Vec<Subject> {
        self.now().grounds(entry).into_iter().chain(self.waits_for(entry)).collect()
    }

    /// Why the conditions of an entry keep it from being carried out now, if they do. What is wrong with it in any case is
    /// wrong whether it is waited for or not.
    fn held_back(&self, entry: &Activation, plan: &Result<Plan, Vec<Bar>>) -> Option<&'static str> {
        let holds = |condition: &Condition| self.now().holds(self.power, condition);
        let firm = plan.as_ref().is_err_and(|bars| bars.iter().any(|bar| bar.firm));
        match (&entry.r#if, &entry.unless) {
            _ if firm => None,
            (Some(condition), _) if !holds(condition) => Some("its condition does not hold"),
            (_, Some(condition)) if holds(condition) => Some("what it waits to be spared of has happened"),
            _ => None,
        }
    }

    /// Whether they do and nothing in doubt can change that.
    fn waits_in_vain(&self, entry: &Activation, plan: &Result<Plan, Vec<Bar>>) -> bool {
        let sure = |subject: &Subject| self.umpire.cloud_on(subject).is_none();
        self.held_back(entry, plan).is_some() && self.waits_for(entry).iter().all(sure)
    }

    /// Whether an entry is to be carried out now; if not, no chip is drawn (§A62).
    fn ready(&mut self, entry: &Activation) -> Option<Plan> {
        let now = self.now();
        let (on, plan) = (self.rests_on(entry), now.plan(self.power, entry));
        let (touched, held_back) = (now.touched(entry), self.held_back(entry, &plan));
        let action = describe(entry);
        self.umpire.rests(&on, touched);
        if let Some(why) = held_back {
            if self.waits_in_vain(entry, &plan) {
                let never = format!("{why}, and nothing before it can change that");
                self.umpire.mind(Bar::new("A4", never, "leave the entry out"));
            } else {
                let redraws = self.now().vain_redraws(entry);
                let bars: Vec<Bar> = plan.err().unwrap_or_default().into_iter().chain(redraws).collect();
                self.umpire.object(bars.clone());
                self.umpire.withheld(bars);
            }
            let (because, clause) = (Passed::Condition, Clause("A4"));
            self.umpire.note(Event::Skipped { unit: entry.unit, action, because, why: why.to_owned(), clause });
            return None;
        }
        match plan {
            Ok(plan) => {
                self.drop_vain_redraws(entry);
                if let Some(here) = self.state.fields.get(&self.field) {
                    let now = self.game.position(self.field, here);
                    let is_it = |(_, listed): &(Activation, Plan)| listed.deed == plan.deed;
                    self.umpire.listed(|| now.choices(self.power, entry.unit).iter().any(is_it));
                }
                Some(plan)
            }
            Err(bars) => {
                let now = self.now();
                let bars: Vec<Bar> = bars
                    .into_iter()
                    .map(|bar| {
                        let instead = now.instead(self.power, entry, &bar);
                        or(bar, instead)
                    })
                    .collect();
                let (why, clause) = said(&bars);
                let skipped = Event::Skipped { unit: entry.unit, action, because: Passed::Illegal, why, clause };
                let (missed, redraws) = (now.missed(entry), now.vain_redraws(entry));
                self.umpire.forgo(bars, missed, |_| skipped);
                // Where the entry comes up all the same its redraws are as vain; here they lapse with it.
                self.umpire.object(redraws.clone());
                self.umpire.withheld(redraws.into_iter().map(|bar| bar.about(on.iter().cloned())).collect());
                None
            }
        }
    }

    /// Redraws nobody can make lapse; the rest of the entry is carried out.
    fn drop_vain_redraws(&mut self, entry: &Activation) {
        let bars = self.now().vain_redraws(entry);
        let (why, clause) = said(&bars);
        self.umpire.lapse(bars, |_| Event::PartLapsed { unit: entry.unit, why, clause });
    }

    /// The activation chip, with its redraws (§5b, §9f). Says whether it succeeds.
    fn activate(&mut self, entry: &Activation, plan: &Plan) -> Ruling<bool> {
        let units = self.mark(entry.unit, plan);
        let needs = plan.needs();
        let fails = |chip: u16| chip < needs;
        let read = |chips: &[u16]| Draw::Activation.read(chips, fails);
        // Where it fails nothing further comes up, so whatever does may count on it.
        let touch = Touch::counted_on([]);
        let chip = self.draw((entry.unit, self.power), "activate", 1, read, touch)?;
        let standing_by = if chip.is_foreseen() { self.standing_by(&units, entry)? } else { Vec::new() };
        let drawn = chip.faces().to_vec();
        let (chips, redrawn) = self.redraw(&units, Draw::Activation, "activate", drawn, fails, Some(entry))?;
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
            standing_by,
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
            Deed::ShootAndFallBack { target, to, facing, .. } => {
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

    /// What an entry certainly does if its activation succeeds, for those who think further: shots, charges and rallies
    /// change nothing yet.
    pub fn reckon_with(&mut self, entry: &Activation, plan: &Plan) {
        let march = |to: Square, facing| Deed::Move {
            path: vec![to],
            direction: Direction::Ahead,
            facing,
            turns: false,
            clause: Clause("A62"),
        };
        let facing = self.now().state.unit(entry.unit).facing;
        let certain = match (&plan.deed, facing) {
            (Deed::Shoot { .. } | Deed::Charge { .. } | Deed::Rally, _) => None,
            (Deed::ShootAndFallBack { to, facing, .. }, _) => Some(march(*to, *facing)),
            (Deed::AdvanceAndShoot { to, .. }, Some(facing)) => Some(march(*to, facing)),
            (deed, _) => Some(deed.clone()),
        };
        self.mark(entry.unit, plan);
        if let Some(deed) = certain {
            // The end of the battle ends the thought.
            let _ = self.carry_out(entry, &Plan { deed, ..plan.clone() });
        }
    }

    /// Marks whoever a plan activates.
    fn mark(&mut self, unit: UnitId, plan: &Plan) -> Vec<UnitId> {
        let units = plan.activates(unit);
        let here = self.here();
        for unit in &units {
            if let Some(state) = here.units.get_mut(unit) {
                state.activated = true;
            }
        }
        units
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
        let touch = Touch::on([Subject::of(unit)]);
        let success = self.save(unit, Against::Disorder, Tally::new(), Some(entry), touch)?;
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

/// Several bars as one reason, and the clause of the first.
pub fn said(bars: &[Bar]) -> (String, Clause) {
    let why: Vec<&str> = bars.iter().map(|bar| bar.why.as_str()).collect();
    (why.join("; "), bars.first().map_or(Clause("A62"), |bar| bar.clause))
}

/// What is said of an entry behind the one that ends the list.
fn surplus(last: &DocPath) -> Bar {
    let why = format!("the list ends with `{last}`: nothing behind it is carried out");
    Bar::new("A4", why, "leave it out, or give `stop-after` a condition")
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
