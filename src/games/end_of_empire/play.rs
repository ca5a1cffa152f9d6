//! The table while a packet is carried out: phases, orders that lapse, counters that are opened or struck, control.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::dice::Die;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Cloud, Halt, Phase, Ruling, Sealed, Side, Stop, Subject, Thrown, Touch, Umpire};
use crate::words;

use super::data::Data;
use super::events::{Cause, Event, Loss, PhaseName, Why};
use super::position::{Known, Position, after_losses, fallen, wounded};
use super::state::{CounterState, Ending, Place, Stage, State, Wound};
use super::terms::{Content, Force, Member, Mode, Piece, UnitKind};
use super::{EndOfEmpire, SPAIN, US};

/// A packet being carried out.
pub struct Play<'p, 'u> {
    /// The table.
    pub game: &'p EndOfEmpire,
    /// The position, changing.
    pub state: &'p mut State,
    /// The umpire.
    pub umpire: &'p mut Umpire<'u, EndOfEmpire>,
    /// Resolution knows no more than everybody.
    blind: Known,
    /// Who has moved in this phase (A77).
    pub moved: BTreeSet<Piece>,
    /// The hexes that pieces of a force in guerrilla, and others, have set out for or through in this phase, wherever they got.
    pub bound: BTreeSet<(Force, Mode, Hex)>,
    /// Who has attacked or bombarded in this phase (A24a, A34b).
    pub fought: BTreeSet<Piece>,
    /// Hexes bombarded in this phase (A34b).
    pub bombarded: BTreeSet<Hex>,
    /// Where fighting units of a side were at some time since the packet was written: a target they have left has gone (§9.1b).
    pub stood: BTreeMap<Side, BTreeSet<Hex>>,
    /// Where units of a side were in guerrilla when the packet was written.
    pub lurked: BTreeMap<Side, BTreeSet<Hex>>,
    /// Steps landed in the open in this phase (§8.2h).
    pub ashore: u32,
    /// Where closed counters are vouched to be real, so that the base can land beside them (A37), with their wear.
    pub seats: BTreeMap<Hex, u32>,
    /// The units shown under each counter that has been opened since the packet was written.
    pub opened: BTreeMap<Piece, Vec<Piece>>,
    /// An order of the other player's last packet is being carried out.
    pub belated: bool,
    /// Where everything stands at the end of movement if all goes as ordered (A105).
    pub projected: BTreeMap<Hex, BTreeSet<Piece>>,
    /// Hexes that are overstacked and that nobody is sent into (A105), with the wear of those there.
    pub overfull: BTreeMap<Hex, u32>,
}

words! {
    /// What fire or an ambush did to a closed counter.
    pub enum Struck {
        /// It is a dummy.
        Dummy = "dummy",
        /// It takes the loss and stays.
        Holds = "holds",
        /// That was its last step.
        Gone = "gone",
        /// There is nothing under it that can be lost so.
        Spared = "spared",
    }
}

/// A loss that falls on a closed counter.
pub struct Blow {
    /// How many of its steps are still to be taken.
    pub left: u8,
    /// It has struck this counter before.
    pub again: bool,
    /// Where it comes from.
    pub cause: Cause,
    /// Why a dummy is shown by it.
    pub why: Why,
}

/// Yes or no, and the word for it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Said(bool, &'static str);

impl std::fmt::Display for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.1)
    }
}

impl<'p, 'u> Play<'p, 'u> {
    /// A packet to be carried out.
    pub fn new(game: &'p EndOfEmpire, state: &'p mut State, umpire: &'p mut Umpire<'u, EndOfEmpire>) -> Self {
        let blind = Known::default();
        let now = Position { game, state, known: &blind };
        let stood = [US, SPAIN].map(|side| (side, now.held_hexes(side))).into();
        let lurks = |hex: &Hex| now.pieces_in(*hex).any(|piece| now.fights(piece) && now.in_guerrilla(piece));
        let lurked = [US, SPAIN].map(|side| (side, now.held_hexes(side).into_iter().filter(lurks).collect())).into();
        Play {
            game,
            state,
            umpire,
            blind,
            stood,
            lurked,
            moved: BTreeSet::new(),
            bound: BTreeSet::new(),
            fought: BTreeSet::new(),
            bombarded: BTreeSet::new(),
            ashore: 0,
            seats: BTreeMap::new(),
            opened: BTreeMap::new(),
            belated: false,
            projected: BTreeMap::new(),
            overfull: BTreeMap::new(),
        }
    }

    /// The position as everybody sees it.
    pub fn now(&self) -> Position<'_> {
        Position { game: self.game, state: self.state, known: &self.blind }
    }

    /// Data of the match.
    pub fn data(&self) -> &'p Data {
        &self.game.data
    }

    /// Begins a part of the sequence.
    pub fn begin_phase(&mut self, side: &'static str, name: &'static str, phase: PhaseName) {
        let turn = self.state.turn;
        self.umpire.phase(Phase { turn, side, name });
        self.umpire.note(Event::Phase { turn, phase });
    }

    /// Carries out one entry of the packet.
    pub fn entry<T>(&mut self, at: DocPath, f: impl FnOnce(&mut Self) -> Ruling<T>) -> Ruling<T> {
        let before = self.umpire.take_in_hand(at);
        let done = f(self);
        self.umpire.put_down(before);
        done
    }

    /// Looks at one entry of the packet before its turn comes.
    pub fn ahead<T>(&mut self, at: DocPath, f: impl FnOnce(&mut Self) -> Ruling<T>) -> Ruling<T> {
        let before = self.umpire.blame(at);
        let done = f(self);
        self.umpire.put_down(before);
        done
    }

    /// An order that is not carried out.
    pub fn lapse(&mut self, order: impl Into<String>, bars: Vec<Bar>) {
        if self.belated {
            // Written a packet ago: what has become impossible since is nobody's fault in this one.
            if !bars.is_empty() {
                self.umpire.note(Event::not_done(order, &bars));
            }
            return;
        }
        self.umpire.lapse(bars, |bars| Event::not_done(order, bars));
    }

    /// The part of an order that is one piece's. One that is under a counter may have been shown on its march, and would stand
    /// in the open then: so its part hangs on the counter, but nothing about the counter on it.
    pub fn lapse_covered(&mut self, order: impl Into<String>, piece: Piece, bars: Vec<Bar>) {
        let changed = bars.iter().flat_map(|bar| bar.about.iter().cloned()).collect();
        let covers = self.covers(piece);
        let bars = bars.into_iter().map(|bar| bar.about(covers.clone())).collect();
        self.umpire.forgo(bars, changed, |bars| Event::not_done(order, bars));
    }

    /// The counters under which a piece that does not stand in the open may be: its author knows which, in a real run nobody does.
    fn covers(&self, piece: Piece) -> Vec<Subject> {
        if self.state.hex_of(piece).is_some() {
            return Vec::new();
        }
        let (known, force) = (self.author_knows(), self.now().force(piece));
        let holds = |content: &Content| content.members().iter().any(|member| member.unit == piece);
        let may = |name: &&Piece| self.now().force(**name) == force && known.0.get(*name).is_none_or(holds);
        subjects(self.state.counters.keys().filter(may))
    }

    /// In a drill: does something stand in a list of what is legal, as the author of the orders reads it?
    pub fn stands(&self, listed: impl FnOnce(&Position<'_>) -> bool) -> Option<bool> {
        if !self.umpire.drills() {
            return None;
        }
        Some(listed(&Position { game: self.game, state: self.state, known: &self.author_knows() }))
    }

    /// What the author of a check can see under closed counters; in a real run nobody can. What he laid there against the
    /// rules is not under them.
    pub fn author_knows(&self) -> Known {
        let read = |(name, counter): (&Piece, &CounterState)| Some((*name, self.umpire.eyes(&counter.holds.0)?));
        Known(self.state.counters.iter().filter(|(name, _)| !self.is_mislaid(**name)).filter_map(read).collect())
    }

    /// Was a counter's content laid there against the rules? A march or fight that is refused changes nothing under it.
    pub fn is_mislaid(&self, name: Piece) -> bool {
        let lays = |key: &&str| self.umpire.cloud_on(&Subject::of(name)) == Some(&refused(key));
        ["reorganize", "land", "enter"].iter().any(lays)
    }

    /// The order in hand was found legal, so it has to stand in the list.
    pub fn look_up(&mut self, stands: Option<bool>) {
        if let Some(stands) = stands {
            self.umpire.listed(|| stands);
        }
    }

    /// What the other player laid down a packet ago shows only now: what it changes, nobody else could know.
    pub fn surprise<T: std::fmt::Display>(&mut self, things: impl IntoIterator<Item = T>) {
        if self.belated {
            self.umpire.cloud(subjects(things), &Cloud::Secret("the Spanish reorganization".into()));
        }
    }

    /// One die, read as a result of which the greatest is best for `good_for`.
    pub fn d6<R: Ord + Clone + std::fmt::Display>(
        &mut self,
        good_for: Side,
        about: impl std::fmt::Display,
        purpose: &str,
        read: impl Fn(i32) -> R,
        touch: Touch,
    ) -> Ruling<Thrown<R>> {
        let read = |faces: &[u16]| read(faces.first().copied().unwrap_or(1).into());
        self.umpire.throw(good_for, &Subject::of(about), purpose, &[Die::D6], read, touch)
    }

    /// One die that says yes or no, and how either is told beforehand.
    pub fn d6_says(
        &mut self,
        good_for: Side,
        about: impl std::fmt::Display,
        purpose: &str,
        yes: impl Fn(i32) -> bool,
        words: [&'static str; 2],
        touch: Touch,
    ) -> Ruling<Thrown<bool>> {
        let read = |die: i32| if yes(die) { Said(true, words[0]) } else { Said(false, words[1]) };
        let thrown = self.d6(good_for, about, purpose, read, touch)?;
        Ok(Thrown { result: thrown.result.0, cast: thrown.cast })
    }

    /// The end of the game: nothing after it is played.
    pub fn end_game(&mut self, ending: Ending) -> Ruling<()> {
        self.state.ending = Some(ending);
        self.state.stage = Stage::Over;
        self.umpire.note(Event::Ended { ending });
        Err(Halt::Stop(Stop::End))
    }

    /// A closed counter.
    pub fn counter(&self, name: Piece) -> Option<&CounterState> {
        self.state.counters.get(&name)
    }

    /// What lies under a closed counter, for the umpire.
    pub fn sealed(&self, name: Piece) -> Option<Sealed<Content>> {
        self.counter(name).map(|counter| counter.holds.0.clone())
    }

    /// What lies under the closed counters among these pieces, for the umpire.
    pub fn sealed_of(&self, pieces: &[Piece]) -> Vec<Sealed<Content>> {
        pieces.iter().filter_map(|piece| self.sealed(*piece)).collect()
    }

    /// The closed counters among these pieces.
    pub fn closed(&self, pieces: &[Piece]) -> Vec<Piece> {
        pieces.iter().copied().filter(|piece| self.state.counters.contains_key(piece)).collect()
    }

    /// Is the closed counter a dummy? Everybody learns it.
    pub fn is_dummy(&mut self, name: Piece, hope: bool) -> Ruling<bool> {
        let Some(sealed) = self.sealed(name) else { return Ok(false) };
        if self.counter(name).is_some_and(|counter| counter.real) {
            return Ok(false);
        }
        let dummy = self.umpire.fact_or(
            &[&sealed],
            &Subject::of(name),
            "dummy",
            |held| held.iter().all(Content::is_dummy),
            hope,
        )?;
        if !dummy {
            self.known_to_be_real(&[name]);
        }
        Ok(dummy)
    }

    /// Everybody has learned that the closed counters among these are no dummies.
    pub fn known_to_be_real(&mut self, pieces: &[Piece]) {
        let turn = self.state.turn;
        for piece in pieces {
            if let Some(counter) = self.state.counters.get_mut(piece) {
                (counter.real, counter.since) = (true, Some(turn));
            }
        }
    }

    /// A dummy leaves the game (§14.7e).
    pub fn remove_dummy(&mut self, name: Piece, why: Why) {
        if let Some(counter) = self.state.counters.remove(&name) {
            *self.state.dummies_lost.entry(counter.force).or_default() += 1;
            let touched = subjects([name.to_string(), counter.at.to_string()]);
            self.umpire.cloud(touched, &Cloud::Secret(name.to_string()));
            // A check that cannot look under it only reckons with nobody.
            let guessed = self.umpire.foresees() && self.state.stage.side() != Some(counter.force.side());
            self.umpire.note(match guessed {
                true => Event::Guessed { counter: name, at: counter.at },
                false => Event::DummyShown { counter: name, at: counter.at, why },
            });
        }
    }

    /// Everybody sees what lies under a counter (A60, §11.3e, A67): its units stand in the open from now on, a dummy
    /// leaves the game. Gives the units.
    pub fn open(&mut self, name: Piece, why: Why) -> Ruling<Vec<Piece>> {
        let Some(sealed) = self.sealed(name) else { return Ok(Vec::new()) };
        let hope = if self.umpire.counts_chances() { self.guess(name) } else { Content::Dummy };
        let content = self.umpire.open_or(&sealed, &[Subject::of(name)], hope)?;
        if content.is_dummy() {
            self.remove_dummy(name, why);
            return Ok(Vec::new());
        }
        let Some(counter) = self.state.counters.remove(&name) else { return Ok(Vec::new()) };
        let touched = subjects([name.to_string(), counter.at.to_string()]);
        self.umpire.cloud(touched, &Cloud::Secret(name.to_string()));
        let members = after_losses(self.data(), &content, &counter.wounds);
        let mut shown = Vec::new();
        // DS falls on the members in their order (§9.5a); markers go with the units.
        let mut disordered = counter.ds;
        for (unit, steps) in &members {
            let Some(now) = self.state.units.get_mut(unit) else { continue };
            now.at = Place::At(counter.at);
            now.steps = *steps;
            now.ds = disordered > 0 && *steps > 0;
            disordered -= u8::from(now.ds);
            now.oos = counter.oos;
            now.landed = counter.landed;
            now.stopped = counter.stopped;
            if now.mode.is_some() {
                now.mode = counter.mode.or(Some(Mode::Regular));
            }
            shown.push(*unit);
        }
        for unit in fallen(self.data(), &content, &counter.wounds) {
            self.bury(unit);
        }
        let needless: Vec<Piece> = shown.iter().copied().filter(|unit| !self.now().needs_supply(*unit)).collect();
        for unit in needless {
            if let Some(now) = self.state.units.get_mut(&unit) {
                now.oos = false; // A102
            }
        }
        self.umpire.rests(&subjects([name]), subjects(&shown));
        self.opened.insert(name, shown.clone());
        let units = members.iter().map(|(unit, steps)| Member::with(*unit, *steps)).collect();
        self.umpire.note(Event::Opened { counter: name, at: counter.at, why, units });
        // Where nobody had to say that it is real, control shows only now (A103).
        if shown.iter().any(|unit| self.now().fights(*unit)) {
            self.take(counter.at, counter.force.side());
        }
        Ok(shown)
    }

    /// What a closed counter can hold at the least, or at the most: where chances are counted from end to end.
    fn guess(&self, name: Piece) -> Content {
        let Some(counter) = self.counter(name) else { return Content::Dummy };
        let strongest = self.umpire.weakest_or_strongest(false, true);
        if !counter.real && !strongest {
            return Content::Dummy;
        }
        let now = self.now();
        let free = |unit: &&super::data::Unit| {
            unit.force == counter.force && unit.kind.is_foot() && self.state.unit(unit.id).at == Place::Off
        };
        let mut units: Vec<&super::data::Unit> = now.data().units.values().filter(free).collect();
        units.sort_by_key(|unit| (std::cmp::Reverse(unit.factors(unit.steps, None).shock), unit.id));
        let member = |unit: &super::data::Unit| Member::with(unit.id, unit.steps);
        if !strongest {
            return units.last().map_or(Content::Dummy, |weakest| Content::Units(vec![member(weakest)]));
        }
        let mut room = now.data().tables.limits.stack_steps;
        let mut held = Vec::new();
        for unit in units {
            if u32::from(unit.steps) <= room {
                room -= u32::from(unit.steps);
                held.push(member(unit));
            }
        }
        Content::Units(held)
    }

    /// A unit is lost, which nobody could know.
    pub fn bury(&mut self, unit: Piece) {
        if let Some(hex) = self.state.hex_of(unit) {
            self.umpire.cloud(subjects([unit.to_string(), hex.to_string()]), &crate::engine::Cloud::Die("loss".into()));
        }
        self.take_off(unit);
    }

    /// A unit is out of the game.
    pub fn take_off(&mut self, unit: Piece) {
        self.state.take_off(self.game.data.unit(unit), unit);
        if self.data().cast().signals == Some(unit) {
            self.state.balloon_up = false;
        }
    }

    /// A step is lost under a closed counter, which stays closed (A60b). Gives how many steps of the loss that takes; of a dummy
    /// none. The fever strikes nobody who is exempt and attacks no dummy: those stay as they are (§12d, A99).
    pub fn strike_counter(&mut self, name: Piece, blow: &Blow) -> Ruling<Option<u8>> {
        let Some(counter) = self.counter(name) else { return Ok(Some(0)) };
        let (sealed, force, at) = (counter.holds.0.clone(), counter.force, counter.at);
        let fever = blow.cause == Cause::Fever;
        let before = counter.wounds.clone();
        let with = |steps: u8| {
            let mut wounds = before.clone();
            match wounds.last_mut().filter(|_| blow.again) {
                Some(wound) => wound.steps += steps,
                None => wounds.push(Wound { steps, fever }),
            }
            wounds
        };
        let (added, data) = (with(1), self.data());
        let over = |held: &[Content]| held.iter().map(|content| wounded(data, content, &added).1).sum::<u8>();
        let left = |held: &[Content]| held.iter().any(|content| has_steps(&after_losses(data, content, &added)));
        let fact = self.umpire.fact_or(
            &[&sealed],
            &Subject::of(name),
            "struck",
            |held| match () {
                () if !fever && held.iter().all(Content::is_dummy) => Struck::Dummy,
                () if over(held) > 0 => Struck::Spared,
                () if !left(held) => Struck::Gone,
                () => Struck::Holds,
            },
            Struck::Holds,
        )?;
        match fact {
            Struck::Spared => Ok(Some(0)),
            Struck::Dummy => {
                self.remove_dummy(name, blow.why);
                Ok(None)
            }
            Struck::Holds => {
                if let Some(counter) = self.state.counters.get_mut(&name) {
                    counter.wounds = added;
                }
                self.known_to_be_real(&[name]);
                self.count_us(force, 1);
                let losses = vec![Loss { unit: name, steps: 1, left: None }];
                self.umpire.note(Event::StepsLost { force, at, cause: blow.cause, losses });
                Ok(Some(1))
            }
            Struck::Gone => {
                // A10: who is killed takes as much of the loss as he had steps.
                let content = self.umpire.open_or(&sealed, &[Subject::of(name)], Content::Units(Vec::new()))?;
                let took = blow.left.saturating_sub(wounded(data, &content, &with(blow.left)).1);
                if let Some(counter) = self.state.counters.get_mut(&name) {
                    counter.wounds = added;
                }
                self.count_us(force, took);
                let losses = vec![Loss { unit: name, steps: took, left: Some(0) }];
                self.umpire.note(Event::StepsLost { force, at, cause: blow.cause, losses });
                self.open(name, Why::Destroyed)?;
                Ok(Some(took))
            }
        }
    }

    /// §4.2b, A75: every US Army step counts.
    pub fn count_us(&mut self, force: Force, steps: u8) {
        if force == Force::Us {
            self.state.us_steps_lost += u32::from(steps);
        }
    }

    /// Puts a unit or counter into a hex.
    pub fn put(&mut self, piece: Piece, hex: Hex) {
        if let Some(counter) = self.state.counters.get_mut(&piece) {
            counter.at = hex;
        } else if let Some(unit) = self.state.units.get_mut(&piece) {
            unit.at = Place::At(hex);
        }
    }

    /// A real combat unit of a side was the last to enter the hex (A07a).
    pub fn take(&mut self, hex: Hex, side: Side) {
        let us = side == US;
        if self.state.us_control.contains(&hex) == us {
            return;
        }
        if us {
            self.state.us_control.insert(hex);
        } else {
            self.state.us_control.remove(&hex);
        }
        if self.is_shown(hex) {
            self.umpire.note(Event::Control { hex, us });
        }
    }

    /// Is it told whose the hex is: a flag, or a hex of the ring?
    fn is_shown(&self, hex: Hex) -> bool {
        self.data().ground(hex).is_some_and(|ground| ground.objective) || self.data().is_ring(hex)
    }

    /// Pieces have entered a hex: control (A07a), what the enemy left alone there (A51), his base (§4.3), and lone
    /// leaders beside it (A15b). A closed counter counts only as far as its owner said that it is real (A103).
    pub fn occupy(&mut self, pieces: &[Piece], hex: Hex, real: bool) -> Ruling<()> {
        self.occupy_after(pieces, hex, real, &mut |_| ())
    }

    /// The same; what led up to it is told before anything that comes of it.
    pub fn occupy_after(
        &mut self,
        pieces: &[Piece],
        hex: Hex,
        real: bool,
        tell: &mut dyn FnMut(&mut Self),
    ) -> Ruling<()> {
        let now = self.now();
        let Some(force) = pieces.iter().find_map(|piece| now.force(*piece)) else { return Ok(()) };
        let open = pieces.iter().any(|piece| now.kind(*piece).is_some_and(UnitKind::is_combat));
        let shut = self.closed(pieces);
        if !open && (!real || shut.is_empty()) {
            // Whether it is a combat unit that comes beside a leader only its owner knows.
            let alone = !shut.is_empty() && !now.lone_leaders(Play::enemy(force.side()), &[hex]).is_empty();
            if alone && self.any_real(&shut, shut[0], "real")? {
                self.scatter_leaders(force.side(), hex, tell)?;
            }
            return Ok(());
        }
        if real {
            shut.iter().for_each(|name| self.is_known(*name));
        }
        let taken = force == Force::Spanish && self.state.base == Some(hex);
        if self.is_shown(hex) && self.state.us_control.contains(&hex) != (force.side() == US) {
            tell(self);
        }
        self.take(hex, force.side());
        let now = self.now();
        let enemy = |piece: &Piece| now.force(*piece).is_some_and(|other| other.is_enemy_of(force));
        let alone: Vec<Piece> = now.pieces_in(hex).filter(enemy).filter(|piece| !now.fights(*piece)).collect();
        let leaders = |piece: &Piece| self.now().kind(*piece) == Some(UnitKind::Leader);
        let lost: Vec<Piece> = alone.iter().copied().filter(|piece| !leaders(piece)).collect();
        if !lost.is_empty() {
            let steps = lost.iter().map(|unit| self.state.unit(*unit).steps).collect();
            lost.iter().for_each(|unit| self.bury(*unit));
            tell(self);
            self.umpire.note(Event::Eliminated { units: lost, steps, at: hex, cause: Cause::Overrun });
        }
        if taken {
            tell(self);
        }
        if taken && !self.umpire.is_sure() {
            // §4.3a: it is only hoped for. The orders after it may come up all the same, and are judged.
            if self.state.ending.replace(Ending::BaseTaken).is_none() {
                self.umpire.note(Event::Ended { ending: Ending::BaseTaken });
            }
        } else if taken {
            // §4.3c, A104: a closed counter shows that it is no dummy before the match ends.
            if !open {
                for name in self.closed(pieces) {
                    self.open(name, Why::Base)?;
                }
            }
            return self.end_game(Ending::BaseTaken);
        }
        self.scatter_leaders(force.side(), hex, tell)
    }

    /// A closed counter that comes to stand in a hex by no march takes a flag or a hex of the ring if a combat unit is under it,
    /// which its owner has to say (A07a, A103).
    pub fn holds_what_matters(&mut self, name: Piece, hex: Hex) -> Ruling<bool> {
        let Some(force) = self.now().force(name) else { return Ok(false) };
        Ok(self.now().wants_control(hex, force.side()) && self.any_real(&[name], name, "real")?)
    }

    /// Everybody knows now that a closed counter is no dummy.
    pub fn is_known(&mut self, name: Piece) {
        let turn = self.state.turn;
        if let Some(counter) = self.state.counters.get_mut(&name).filter(|counter| !counter.real) {
            (counter.real, counter.since) = (true, Some(turn));
        }
    }

    /// Is there a real combat unit under any of these closed counters (A07c)? Their owner says so, as far as nobody knows.
    fn any_real(&mut self, shut: &[Piece], about: impl std::fmt::Display, what: &str) -> Ruling<bool> {
        // Who is no dummy may still be a leader or a train, but only of the Spanish (A89).
        let fights = |counter: &CounterState| counter.real && counter.force != Force::Spanish;
        if shut.iter().any(|name| self.counter(*name).is_some_and(fights)) {
            return Ok(true);
        }
        let sealed = self.sealed_of(shut);
        let data = self.data();
        let real = |held: &[Content]| held.iter().any(|content| data.is_real(content));
        let real = self.umpire.fact_or(&sealed.iter().collect::<Vec<_>>(), &Subject::of(about), what, real, false)?;
        if let (true, [name]) = (real, shut) {
            self.is_known(*name);
        }
        Ok(real)
    }

    /// Is a hex occupied by a combat unit of a side, in the open or under a counter (§4.1c, A07c)?
    pub fn is_occupied(&mut self, hex: Hex, side: Side) -> Ruling<bool> {
        let there = self.now().fighters(hex, side);
        let shut = self.closed(&there);
        Ok(shut.len() < there.len() || !shut.is_empty() && self.any_real(&shut, hex, "occupied")?)
    }

    /// A15b: a leader alone beside whom an enemy unit comes to stand joins the nearest friends, or is lost.
    fn scatter_leaders(&mut self, by: Side, entered: Hex, tell: &mut dyn FnMut(&mut Self)) -> Ruling<()> {
        for (unit, from, force) in self.now().lone_leaders(Play::enemy(by), &[entered]) {
            let now = self.now();
            // §11.1b, A42c: nobody joins units in guerrilla.
            let joins =
                |piece: &Piece| now.fights(*piece) && now.force(*piece) == Some(force) && !now.in_guerrilla(*piece);
            let own = now.on_map(force.side()).into_iter().filter(joins);
            let mut hexes: Vec<Hex> = own.filter_map(|piece| self.state.hex_of(piece)).collect();
            hexes.sort_unstable_by_key(|to| (now.data().distance(from, *to), *to));
            hexes.dedup();
            let mut to = None;
            for hex in hexes {
                if self.is_occupied(hex, force.side())? {
                    to = Some(hex);
                    break;
                }
            }
            match to {
                Some(to) => {
                    self.put(unit, to);
                    tell(self);
                    self.umpire.note(Event::LeaderMoved { unit, from, to });
                }
                None => {
                    self.bury(unit);
                    tell(self);
                    self.umpire.note(Event::Eliminated {
                        units: vec![unit],
                        steps: vec![0],
                        at: from,
                        cause: Cause::Alone,
                    });
                }
            }
        }
        Ok(())
    }

    /// Who was with units that are no more shares their fate, as far as they do so from this cause.
    pub fn abandon(&mut self, hex: Hex, force: Force, from: Fate) {
        let now = self.now();
        let stack = now.stack(hex, force);
        if stack.iter().any(|piece| now.fights(*piece)) {
            return;
        }
        let shares = |piece: &Piece| now.kind(*piece).is_some_and(|kind| from.takes(kind));
        let left: Vec<Piece> = stack.into_iter().filter(shares).collect();
        if !left.is_empty() {
            let steps = left.iter().map(|unit| self.state.unit(*unit).steps).collect();
            left.iter().for_each(|unit| self.bury(*unit));
            self.umpire.note(Event::Eliminated { units: left, steps, at: hex, cause: Cause::Companions });
        }
    }

    /// Marks pieces as stopped for the rest of the turn (§11.3g, A90).
    pub fn stop(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            if let Some(counter) = self.state.counters.get_mut(piece) {
                counter.stopped = true;
            } else if let Some(unit) = self.state.units.get_mut(piece) {
                unit.stopped = true;
            }
        }
    }

    /// The enemy of a side.
    pub fn enemy(side: Side) -> Side {
        if side == US { SPAIN } else { US }
    }
}

/// What took the last unit of a hex, for those without steps who were with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Fever.
    Fever,
    /// Fire, shock or guerrillas.
    Fight,
    /// A defence was beaten.
    Beaten,
}

impl Fate {
    /// Does a piece of this kind share it? A leader does always (A15a), the Signals Detachment in every fight (A53b), whatever
    /// else is there only if nobody is left to retreat (A30g).
    fn takes(self, kind: UnitKind) -> bool {
        match kind {
            UnitKind::Leader => true,
            UnitKind::Signals => self != Fate::Fever,
            kind => self == Fate::Beaten && kind.is_hanger_on(),
        }
    }
}

/// Has any of these a step left?
fn has_steps(members: &[(Piece, u8)]) -> bool {
    members.iter().any(|(_, steps)| *steps > 0)
}

/// A part of the packet that is refused as a whole.
fn refused(key: &str) -> Cloud {
    Cloud::Refused(DocPath::root().key(key))
}

/// The pieces that are named; for a counter that has been opened since, the units that lay under it, in their order.
pub fn meant(opened: &BTreeMap<Piece, Vec<Piece>>, named: &[Piece]) -> Vec<Piece> {
    let shown = |piece: &Piece| opened.get(piece).cloned().unwrap_or_else(|| vec![*piece]);
    named.iter().flat_map(shown).collect()
}

/// The subjects of several things.
pub fn subjects<T: std::fmt::Display>(things: impl IntoIterator<Item = T>) -> Vec<Subject> {
    things.into_iter().map(Subject::of).collect()
}

/// Those an order names who are not among these.
pub fn missing_from(ordered: &[Piece], there: &[Piece]) -> Vec<Subject> {
    subjects(ordered.iter().filter(|piece| !there.contains(piece)))
}
