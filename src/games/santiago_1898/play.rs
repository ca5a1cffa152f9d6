//! The table while a packet is carried out: position, rules data and umpire together, and what every chapter needs.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Grid, Hex};
use crate::engine::dice::Die;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Cast, Clause, Halt, Phase, Question, Ruling, Say, Side, Stop, Subject, Touch, Umpire};

use super::data::{Data, Factors, Unit};
use super::events::{Event, LeaderFate, PhaseName, StepLoss};
use super::policy::{LOSSES, Policy};
use super::state::{Cause, Ending, Part, Place, Role, State, UnitState};
use super::terms::{Flag, Force, UnitId, UnitKind};
use super::{SPAIN, Santiago1898, US};

/// A packet being carried out.
pub struct Play<'p, 'u> {
    pub game: &'p Santiago1898,
    pub state: &'p mut State,
    pub umpire: &'p mut Umpire<'u, Santiago1898>,
    pub used: Used,
}

/// What a packet has used up and brought about so far.
#[derive(Clone, Debug, Default)]
pub struct Used {
    /// Steps landed, the base counting six (§8.2g).
    pub landed: u32,
    /// The unit with which the landings ended, for want of steps.
    pub surplus: Option<UnitId>,
    /// Units that have moved, each with the entry of `moves` (§8.1f).
    pub moved: BTreeMap<UnitId, usize>,
    /// Hexes attacked (§9.1f).
    pub targets: BTreeSet<Hex>,
    /// Units that take part in a battle (§IMP.3).
    pub attackers: BTreeSet<UnitId>,
    /// The attack a fleet is ordered to support (§9.7g).
    pub gunfire: BTreeMap<Force, Hex>,
    /// The last entry of the packet that brought units into a hex.
    pub filled: BTreeMap<Hex, DocPath>,
    /// Columns that jungle may halt in a hex, each with its entry (§8.6d).
    pub halts: BTreeMap<Hex, Vec<(DocPath, Vec<UnitId>)>>,
    /// More than six units in a hex are meant (§5.3).
    pub overstack: bool,
}

/// An order as it was judged: what of it can be carried out, and every bar against it or a part of it.
#[derive(Clone, Debug)]
pub struct Judged<D> {
    pub deed: D,
    pub bars: Vec<Bar>,
}

/// The result of a throw.
#[derive(Clone)]
struct Outcome<R> {
    worth: i32,
    words: String,
    result: R,
}

impl<R> PartialEq for Outcome<R> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<R> Eq for Outcome<R> {}

impl<R> PartialOrd for Outcome<R> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<R> Ord for Outcome<R> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.worth, &self.words).cmp(&(other.worth, &other.words))
    }
}

impl<R> std::fmt::Display for Outcome<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.words)
    }
}

/// What bars and clouds are about.
pub fn subjects<T: std::fmt::Display>(of: impl IntoIterator<Item = T>) -> Vec<Subject> {
    of.into_iter().map(Subject::of).collect()
}

/// An item of a list in an order.
pub fn item(key: &str, index: usize) -> DocPath {
    DocPath::root().key(key).index(index)
}

/// Questions about a position that change nothing: everything that decides what is legal is one of them.
#[derive(Clone, Copy)]
pub struct Position<'p> {
    pub game: &'p Santiago1898,
    pub state: &'p State,
}

/// The player who runs a force (§1.1a).
pub fn player(force: Force) -> Side {
    match force {
        Force::Us | Force::Cuban => US,
        Force::Spanish => SPAIN,
    }
}

impl<'p> Position<'p> {
    pub fn data(&self) -> &'p Data {
        &self.game.data
    }

    pub fn counter(&self, id: UnitId) -> Option<&'p Unit> {
        self.data().units.get(&id)
    }

    pub fn force(&self, id: UnitId) -> Option<Force> {
        self.state.units.get(&id).map(|unit| unit.role.force)
    }

    pub fn kind(&self, id: UnitId) -> Option<UnitKind> {
        self.counter(id).map(|counter| counter.kind)
    }

    /// A unit with steps: not a leader, not the Signals Detachment.
    pub fn is_combat(&self, id: UnitId) -> bool {
        self.state.units.get(&id).is_some_and(|unit| unit.role.part == Part::Fights)
    }

    /// The values of the side of the counter in use (§1.2b).
    pub fn values(&self, id: UnitId) -> Factors {
        let nothing = Factors { fire: 0, shock: 0, mf: 0 };
        self.counter(id).map_or(nothing, |unit| unit.factors(self.state.unit(id).steps))
    }

    /// Counters in a hex that play a part for a force.
    fn parts_in(&self, force: Force, part: Part, hex: Hex) -> impl Iterator<Item = UnitId> + '_ {
        let here = move |unit: &UnitState| unit.at == Place::At(hex) && unit.role == Role { force, part };
        self.state.units.iter().filter(move |(_, unit)| here(unit)).map(|(id, _)| *id)
    }

    /// Combat units of a force in a hex.
    pub fn combat_units(&self, force: Force, hex: Hex) -> Vec<UnitId> {
        self.parts_in(force, Part::Fights, hex).collect()
    }

    /// Combat units of a player in a hex.
    pub fn combat_units_of(&self, side: Side, hex: Hex) -> Vec<UnitId> {
        let own = |unit: &UnitState| {
            unit.at == Place::At(hex) && unit.role.part == Part::Fights && player(unit.role.force) == side
        };
        self.state.units.iter().filter(|(_, unit)| own(unit)).map(|(id, _)| *id).collect()
    }

    /// Leaders of a force in a hex.
    pub fn leaders_in(&self, force: Force, hex: Hex) -> Vec<UnitId> {
        self.parts_in(force, Part::Leader, hex).collect()
    }

    /// The Signals Detachment, if it stands in the hex.
    pub fn signals_in(&self, hex: Hex) -> Option<UnitId> {
        self.signals().filter(|(_, at)| *at == hex).map(|(id, _)| id)
    }

    /// The Signals Detachment and where it is.
    pub fn signals(&self) -> Option<(UnitId, Hex)> {
        let id = self.data().cast.signals;
        self.state.hex_of(id).map(|hex| (id, hex))
    }

    /// The hexes of a player's enemies' combat units.
    pub fn enemy_hexes(&self, side: Side) -> impl Iterator<Item = Hex> + '_ {
        let hostile = move |unit: &&UnitState| unit.role.part == Part::Fights && player(unit.role.force) != side;
        self.state.units.values().filter(hostile).filter_map(|unit| unit.at.hex())
    }

    /// Is there an enemy combat unit in the hex, as one player sees it?
    pub fn enemy_in(&self, side: Side, hex: Hex) -> bool {
        self.enemy_hexes(side).any(|at| at == hex)
    }

    /// Is an enemy combat unit next to the hex? (§8.8, §IMP.18)
    pub fn enemy_adjacent(&self, side: Side, hex: Hex) -> bool {
        self.enemy_hexes(side).any(|at| self.data().grid.distance(at, hex) == 1)
    }

    /// Units of a force that count for stacking in a hex; the base counts as one (§5.2b).
    pub fn stacked(&self, force: Force, hex: Hex) -> u32 {
        let units = u32::try_from(self.parts_in(force, Part::Fights, hex).count()).unwrap_or(u32::MAX);
        units + u32::from(force == Force::Us && self.state.base == Some(hex))
    }

    /// How many more units of a force a hex can take (§5.2a).
    pub fn room(&self, force: Force, hex: Hex) -> u32 {
        self.data().tables.limits.stacking.saturating_sub(self.stacked(force, hex))
    }

    /// The same, where many hexes are asked about.
    pub fn rooms(&self, force: Force) -> impl Fn(Hex) -> u32 + '_ {
        let here = move |unit: &UnitState| unit.at.hex().filter(|_| unit.role.force == force);
        let held: BTreeSet<Hex> = self.state.units.values().filter_map(here).chain(self.state.base).collect();
        let empty = self.data().tables.limits.stacking;
        move |hex| if held.contains(&hex) { self.room(force, hex) } else { empty }
    }

    /// The ally that may not share a hex (§5.2d): Cubans for US counters and the base, any of those for Cubans.
    pub fn ally_bars(&self, force: Force, hex: Hex) -> bool {
        let other = match force {
            Force::Us => Force::Cuban,
            Force::Cuban => Force::Us,
            Force::Spanish => return false,
        };
        let base = force == Force::Cuban && self.state.base == Some(hex);
        base || self.state.units.values().any(|unit| unit.at == Place::At(hex) && unit.role.force == other)
    }

    /// Garrisons that may neither move nor attack yet (§3.2h, §3.2i).
    pub fn is_frozen(&self, id: UnitId) -> bool {
        !self.state.garrisons_released && self.counter(id).is_some_and(|unit| unit.has(Flag::Frozen))
    }

    /// Leaders who cannot stay: alone and next to an enemy combat unit, or with an enemy counter come upon them (§IMP.8).
    pub fn lone_leaders(&self) -> Vec<(UnitId, Force, Hex)> {
        let on_map = |(id, unit): (&UnitId, &UnitState)| Some((*id, unit.role.force, unit.at.hex()?));
        let leaders = self.state.units.iter().filter(|(_, unit)| unit.role.part == Part::Leader);
        let mut lone: Vec<(UnitId, Force, Hex)> = leaders.filter_map(on_map).collect();
        for unit in self.state.units.values().filter(|unit| unit.role.part == Part::Fights) {
            let Some(hex) = unit.at.hex() else { continue };
            lone.retain(|(_, force, at)| (*at, *force) != (hex, unit.role.force));
        }
        lone.retain(|(_, force, hex)| {
            let side = player(*force);
            let around: Vec<Hex> = self.data().neighbours(*hex).chain([*hex]).collect();
            self.enemy_hexes(side).any(|at| around.contains(&at)) || self.come_upon(side, *hex)
        });
        lone
    }

    /// Has the other player, in his turn, put a counter of any kind where a player's lone leader stands?
    fn come_upon(&self, side: Side, hex: Hex) -> bool {
        let hostile = |unit: &UnitState| unit.at == Place::At(hex) && player(unit.role.force) != side;
        let base = side == SPAIN && self.state.base == Some(hex);
        self.state.stage.side() != Some(side) && (base || self.state.units.values().any(hostile))
    }

    /// The nearest stacks a leader of a force can join, the strongest in shock first, then the lowest hex (§6.2e).
    pub fn nearest_friends(&self, force: Force, from: Hex) -> Vec<Hex> {
        let friend = |unit: &UnitState| unit.role == Role { force, part: Part::Fights };
        let stacks: std::collections::BTreeSet<Hex> =
            self.state.units.values().filter(|unit| friend(unit)).filter_map(|unit| unit.at.hex()).collect();
        let distance = |hex: &Hex| self.data().grid.distance(from, *hex);
        let nearest = stacks.iter().map(distance).min();
        let mut hexes: Vec<Hex> = stacks.into_iter().filter(|hex| Some(distance(hex)) == nearest).collect();
        hexes.sort_by_key(|hex| (std::cmp::Reverse(self.shock_of(&self.combat_units(force, *hex))), *hex));
        hexes
    }

    /// Total printed shock of units.
    pub fn shock_of(&self, units: &[UnitId]) -> u32 {
        units.iter().map(|id| self.values(*id).shock).sum()
    }

    /// Who would lose `steps` steps: the wished-for units first, then the default, recomputed after every step.
    ///
    /// By default: most steps left, lowest shock, lowest fire, lowest hex, id.
    pub fn pick_losses(&self, units: &[UnitId], steps: u32, wished: &[UnitId]) -> Vec<UnitId> {
        let mut left: Vec<(UnitId, u8)> = units.iter().map(|id| (*id, self.state.unit(*id).steps)).collect();
        let key = |(id, steps): (UnitId, u8)| {
            let values = self.counter(id).map(|unit| unit.factors(steps));
            let (shock, fire) = values.map_or((0, 0), |values| (values.shock, values.fire));
            (std::cmp::Reverse(steps), shock, fire, self.state.unit(id).at.hex(), id)
        };
        let mut picked = Vec::new();
        for _ in 0..steps {
            let alive = || left.iter().copied().filter(|(_, steps)| *steps > 0);
            let wish = wished.iter().copied().find(|id| alive().any(|(other, _)| other == *id));
            let Some(id) = wish.or_else(|| alive().min_by_key(|unit| key(*unit)).map(|(id, _)| id)) else { break };
            picked.push(id);
            if let Some((_, steps)) = left.iter_mut().find(|(other, _)| *other == id) {
                *steps -= 1;
            }
        }
        picked
    }
}

impl<'p, 'u> Play<'p, 'u> {
    /// A table at which a packet is taken up.
    pub fn new(game: &'p Santiago1898, state: &'p mut State, umpire: &'p mut Umpire<'u, Santiago1898>) -> Self {
        Play { game, state, umpire, used: Used::default() }
    }
}

impl Play<'_, '_> {
    /// The position as it is now.
    pub fn now(&self) -> Position<'_> {
        Position { game: self.game, state: self.state }
    }

    pub fn data(&self) -> &Data {
        &self.game.data
    }

    /// Begins a phase, with the stacking check that every phase starts with (§5.3a).
    pub fn begin_phase(&mut self, side: &'static str, key: &'static str, name: PhaseName) -> Ruling<()> {
        self.begin_step(side, key, name);
        self.check_stacking()
    }

    /// Begins a step inside a phase: nothing is penalised while the phase is under way (§5.3a).
    pub fn begin_step(&mut self, side: &'static str, key: &'static str, name: PhaseName) {
        self.umpire.phase(Phase { turn: self.state.turn, side, name: key });
        self.umpire.note(Event::Phase { turn: self.state.turn, phase: name });
    }

    pub fn d6(&mut self, about: impl std::fmt::Display, purpose: &str) -> Ruling<u16> {
        self.umpire.roll_one(&Subject::of(about), purpose, Die::D6)
    }

    /// A die an author hopes about before his orders are decided: what it is worth to `good_for`, and in words.
    pub fn throw<R: Clone>(
        &mut self,
        good_for: Side,
        about: Hex,
        purpose: &str,
        on: Touch,
        read: impl Fn(i32) -> (R, i32, String),
    ) -> Ruling<(Cast, R)> {
        let read = |faces: &[u16]| {
            let (result, worth, words) = read(faces.iter().map(|face| i32::from(*face)).sum());
            Outcome { worth, words, result }
        };
        let thrown = self.umpire.throw(good_for, &Subject::of(about), purpose, &[Die::D6], read, on)?;
        Ok((thrown.cast, thrown.result.result))
    }

    /// What is found wrong in `f` is the fault of this entry of the packet.
    pub fn in_hand<T>(&mut self, entry: DocPath, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.umpire.take_in_hand(entry);
        let done = f(self);
        self.umpire.put_down(before);
        done
    }

    /// An order of these units, or what the bars concern of it, lapses.
    pub fn lapse(&mut self, units: &[UnitId], bars: Vec<Bar>) {
        for bar in bars {
            let named: Vec<UnitId> = units.iter().copied().filter(|id| bar.about.contains(&Subject::of(id))).collect();
            let units = if named.is_empty() { units.to_vec() } else { named };
            let event = Event::OrderLapsed { units, why: bar.why.clone(), clause: bar.clause };
            self.umpire.lapse(vec![bar], |_| event);
        }
    }

    /// Ends the game here and now.
    pub fn end_game<T>(&mut self, ending: Ending) -> Ruling<T> {
        self.state.ending = Some(ending);
        self.state.stage = super::state::Stage::Over;
        self.umpire.note(Event::GameOver { ending });
        Err(Halt::Stop(Stop::End))
    }

    /// Puts a counter into a hex and tells what hangs on it (§IMP.13).
    pub fn put(&mut self, id: UnitId, hex: Hex) -> Ruling<()> {
        let mut taken = Vec::new();
        let base = self.place(id, hex, &mut taken);
        self.note_all(taken);
        if base { self.end_game(Ending::BaseCaptured) } else { Ok(()) }
    }

    /// Puts a counter into a hex: control, and whether the base is captured; what is to be told of it is `taken` down.
    pub fn place(&mut self, id: UnitId, hex: Hex, taken: &mut Vec<Event>) -> bool {
        if let Some(unit) = self.state.units.get_mut(&id) {
            unit.at = Place::At(hex);
        }
        let now = self.now();
        let Some(force) = now.force(id).filter(|_| now.is_combat(id)) else { return false };
        self.take_control(hex, player(force), taken);
        // §4.5a, §4.5b: in any phase, by movement and by advance alike.
        force == Force::Spanish && self.state.base == Some(hex)
    }

    pub fn note_all(&mut self, events: Vec<Event>) {
        for event in events {
            self.umpire.note(event);
        }
    }

    /// A combat unit takes control of the hex it enters (§4.1h).
    fn take_control(&mut self, hex: Hex, side: Side, taken: &mut Vec<Event>) {
        let changed = if side == US { self.state.us_control.insert(hex) } else { self.state.us_control.remove(&hex) };
        if !changed {
            return;
        }
        let objective = self.data().objectives.contains(&hex);
        taken.push(Event::Control { hex, us: side == US, objective });
        if side == US && hex == self.data().santiago && !self.state.santiago_fell {
            self.state.santiago_fell = true;
            taken.push(Event::SantiagoFell);
        }
        self.check_spanish_line(taken);
    }

    /// The Spanish leader leaves for good once the whole line is in US hands (§6.5a).
    fn check_spanish_line(&mut self, taken: &mut Vec<Event>) {
        if !self.data().spanish_line.iter().all(|hex| self.state.us_controls(*hex)) {
            return;
        }
        let now = self.now();
        let leader = |id: &UnitId| now.kind(*id) == Some(UnitKind::Leader) && now.force(*id) == Some(Force::Spanish);
        let leaders: Vec<UnitId> = self.state.units.keys().copied().filter(leader).collect();
        for id in leaders {
            if self.state.unit(id).at != Place::Lost {
                self.remove(id);
                taken.push(Event::LeaderLost { leader: id, why: LeaderFate::LineLost });
            }
        }
    }

    /// Takes a counter out of play.
    pub fn remove(&mut self, id: UnitId) {
        if let Some(unit) = self.state.units.get_mut(&id) {
            unit.at = Place::Lost;
            unit.steps = 0;
            unit.disorganized = false;
            unit.landed = false;
        }
    }

    /// Who of `units` loses `steps` steps: the owner's choice, step by step (§SCT.g, §DFT.l).
    pub fn choose_losses(
        &mut self,
        force: Force,
        hex: Hex,
        units: &[UnitId],
        steps: u32,
        clause: &'static str,
        ordered: &[UnitId],
    ) -> Ruling<Vec<UnitId>> {
        let now = self.now();
        let available: u32 = units.iter().map(|id| u32::from(now.state.unit(*id).steps)).sum();
        let steps = steps.min(available);
        let default = now.pick_losses(units, steps, &[]);
        if steps == 0 || steps == available || units.len() <= 1 {
            return Ok(default);
        }
        let options: Vec<Vec<UnitId>> = units.iter().map(|id| now.pick_losses(units, steps, &[*id])).collect();
        let ordered = (!ordered.is_empty()).then(|| now.pick_losses(units, steps, ordered));
        let position = Position { game: self.game, state: &*self.state };
        let legal = |choice: &Vec<UnitId>| {
            let taken = |id: &UnitId| choice.iter().filter(|other| *other == id).count();
            let has = |id: &UnitId| usize::from(position.state.unit(*id).steps);
            choice.len() == steps as usize && choice.iter().all(|id| units.contains(id) && taken(id) <= has(id))
        };
        let question = Question {
            who: player(force),
            kind: LOSSES,
            about: Subject::of(hex),
            clause: Clause(clause),
            text: format!("steps lost in {hex}: {steps}; by which units? One entry a step."),
            options,
            default,
            also: Some(Box::new(legal)),
        };
        self.umpire.ask(question, ordered, |policy| match policy {
            Policy::Priority(wished) => Say::Choose(position.pick_losses(units, steps, wished)),
            _ => Say::Default,
        })
    }

    /// Applies step losses, flipping and eliminating units (§1.2b, §1.2c), and tells them.
    pub fn lose_steps(&mut self, force: Force, hex: Hex, cause: Cause, units: &[UnitId]) {
        if units.is_empty() {
            return;
        }
        let mut losses = Vec::new();
        for id in units {
            let Some(unit) = self.state.units.get_mut(id) else { continue };
            if unit.steps == 0 {
                continue;
            }
            unit.steps -= 1;
            let left = unit.steps;
            if left == 0 {
                self.remove(*id);
            }
            losses.push(StepLoss { unit: *id, left });
            *self.state.losses.entry(force).or_default().entry(cause).or_insert(0) += 1;
        }
        self.umpire.note(Event::StepsLost { force, cause, hex, losses });
        self.leaders_share_fate(force, hex);
    }

    /// A leader is lost with the last step of his hex (§6.2d).
    fn leaders_share_fate(&mut self, force: Force, hex: Hex) {
        if !self.now().combat_units(force, hex).is_empty() {
            return;
        }
        for leader in self.now().leaders_in(force, hex) {
            self.remove(leader);
            self.umpire.note(Event::LeaderLost { leader, why: LeaderFate::WithLastStep });
        }
    }

    /// Lone leaders next to an enemy, or under one, join the nearest friends (§6.2e, §IMP.8).
    pub fn relocate_lone_leaders(&mut self) -> Ruling<()> {
        let lone = self.now().lone_leaders();
        self.relocate_all(lone)
    }

    pub fn relocate_all(&mut self, lone: Vec<(UnitId, Force, Hex)>) -> Ruling<()> {
        for (leader, force, from) in lone {
            self.relocate(leader, force, from)?;
        }
        Ok(())
    }

    fn relocate(&mut self, leader: UnitId, force: Force, from: Hex) -> Ruling<()> {
        // Where he goes, and that he must, hangs on where his friends are.
        let friends = self.state.units.iter().filter(|(_, unit)| unit.role == Role { force, part: Part::Fights });
        let friends = subjects(friends.map(|(id, _)| id));
        self.umpire.rests(&friends, [Subject::of(leader)]);
        let options = self.now().nearest_friends(force, from);
        let Some(default) = options.first().copied() else {
            self.remove(leader);
            self.umpire.note(Event::LeaderLost { leader, why: LeaderFate::NobodyToJoin });
            return Ok(());
        };
        let to = if options.len() == 1 {
            default
        } else {
            let listed = options.clone();
            let question = Question {
                who: player(force),
                kind: super::policy::RELOCATE,
                about: Subject::of(leader),
                clause: Clause("6.2e"),
                text: format!("{leader} is alone in {from}: which of the nearest friendly stacks does he join?"),
                options,
                default,
                also: None,
            };
            self.umpire.ask(question, None, |policy| prefer(policy, &listed))?
        };
        self.put(leader, to)?;
        self.umpire.note(Event::LeaderRelocated { leader, from, to });
        Ok(())
    }
}

/// The first preferred hex that is among the options.
pub fn prefer(policy: &Policy, options: &[Hex]) -> Say<Hex> {
    match policy {
        Policy::Hexes(wished) => Say::first_of(wished, options),
        _ => Say::Default,
    }
}
