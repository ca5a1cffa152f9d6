//! The table while a packet is carried out: phases, orders that lapse, dice, counters that are lost, control.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::dice::Die;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Halt, Phase, Ruling, Side, Stop, Subject, Thrown, Touch, Umpire};

use super::data::Data;
use super::events::{Event, PhaseName};
use super::gunnery::Aim;
use super::position::Position;
use super::state::{Ending, Place, Stage, State, UnitState};
use super::terms::{Arm, Cause, Force, LossClass, Piece, d10};
use super::{SplendidLittleWar, US};

/// A packet being carried out.
pub struct Play<'p, 'u> {
    /// The table.
    pub game: &'p SplendidLittleWar,
    /// The position, changing.
    pub state: &'p mut State,
    /// The umpire.
    pub umpire: &'p mut Umpire<'u, SplendidLittleWar>,
    /// Who has moved, entrenched, bridged or been held in this Movement Phase (§12.0b).
    pub moved: BTreeSet<Piece>,
    /// Those of them who dig (§6.0k).
    pub digs: BTreeSet<Piece>,
    /// Regiments that have broken down or reformed in this Movement Phase (§5.3f).
    pub regrouped: BTreeSet<Piece>,
    /// The 2nd Cavalry is ordered to reform in this Movement Phase (§5.4d).
    pub gathering: bool,
    /// Whose combat units stood where when the Combat Phase, or this step of it, began: what is empty now was left (§13.0k).
    pub stood: BTreeSet<(Side, Hex)>,
    /// Whose place was in doubt by then: a check on the march may halt them before they come to it (§5.2k, §5.6d).
    pub adrift: BTreeSet<Piece>,
    /// Who has fired in this fire segment, and at what (§13.0h, §13.0i).
    pub fired: BTreeMap<Piece, Aim>,
    /// Leaders who have rolled for Leader Loss in this combat (§13.4k).
    pub tested: BTreeSet<Piece>,
}

impl<'p, 'u> Play<'p, 'u> {
    /// A packet to be carried out.
    pub fn new(
        game: &'p SplendidLittleWar,
        state: &'p mut State,
        umpire: &'p mut Umpire<'u, SplendidLittleWar>,
    ) -> Self {
        Play {
            game,
            state,
            umpire,
            moved: BTreeSet::new(),
            digs: BTreeSet::new(),
            regrouped: BTreeSet::new(),
            gathering: false,
            stood: BTreeSet::new(),
            adrift: BTreeSet::new(),
            fired: BTreeMap::new(),
            tested: BTreeSet::new(),
        }
    }

    /// The position as everybody sees it.
    pub fn now(&self) -> Position<'_> {
        Position { game: self.game, state: self.state }
    }

    /// Data of the match.
    pub fn data(&self) -> &'p Data {
        &self.game.data
    }

    /// Begins a part of the sequence: labels are `t3.us.movement/…`.
    pub fn begin_phase(&mut self, side: Option<Side>, phase: PhaseName) {
        let turn = self.state.turn;
        self.umpire.phase(Phase { turn, side: side.map_or("all", |side| side.0), name: phase.as_str() });
        self.umpire.note(Event::Phase { turn, side, phase });
    }

    /// Combat begins: whoever stands somewhere now may be fired at (§13.0k).
    pub fn begin_combat(&mut self) {
        let now = self.now();
        let fighters = self.state.units.iter().filter(|(id, _)| now.is_combat(**id));
        let place = |id: Piece, unit: &UnitState| unit.at.hex().or_else(|| now.front_of(id));
        self.stood = fighters.filter_map(|(id, unit)| now.side(*id).zip(place(*id, unit))).collect();
        let in_doubt = |piece: &&Piece| self.umpire.cloud_on(&Subject::of(*piece)).is_some();
        self.adrift = self.state.units.keys().filter(in_doubt).copied().collect();
    }

    /// Carries out one entry of the packet.
    pub fn entry<T>(&mut self, at: DocPath, f: impl FnOnce(&mut Self) -> Ruling<T>) -> Ruling<T> {
        let before = self.umpire.take_in_hand(at);
        let done = f(self);
        self.umpire.put_down(before);
        done
    }

    /// An order, or a part of it, that is not carried out.
    pub fn lapse(&mut self, order: impl Into<String>, bars: Vec<Bar>) {
        self.umpire.lapse(bars, |bars| Event::not_done(order, bars));
    }

    /// Parts of one order that are not carried out, each told for itself.
    pub fn lapse_parts(&mut self, parts: Vec<(String, Vec<Bar>)>) {
        self.umpire.lapse_parts(parts, Event::not_done);
    }

    /// One ten-sided die, read as 0 to 9 (§3.0a); of the results the greatest is best for `good_for`.
    pub fn d10<R: Ord + Clone + std::fmt::Display>(
        &mut self,
        good_for: Side,
        about: impl std::fmt::Display,
        purpose: &str,
        read: impl Fn(i32) -> R,
        touch: Touch,
    ) -> Ruling<Thrown<R>> {
        let read = |faces: &[u16]| read(d10(faces.first().copied().unwrap_or(10)));
        self.umpire.throw(good_for, &Subject::of(about), purpose, &[Die::D10], read, touch)
    }

    /// The end of the game: nothing after it is played.
    pub fn end_game(&mut self, ending: Ending) -> Ruling<()> {
        self.state.ending = Some(ending);
        self.state.stage = Stage::Over;
        self.umpire.note(Event::Ended { ending });
        Err(Halt::Stop(Stop::End))
    }

    /// Puts a counter into a hex.
    pub fn put(&mut self, piece: Piece, hex: Hex) {
        if let Some(unit) = self.state.units.get_mut(&piece) {
            unit.at = Place::At(hex);
        }
    }

    /// Changes a counter's state.
    pub fn change(&mut self, piece: Piece, f: impl FnOnce(&mut UnitState)) {
        if let Some(unit) = self.state.units.get_mut(&piece) {
            f(unit);
        }
    }

    /// A counter leaves the game; its steps go into the ledger of losses (§17.0.victory-l). No event.
    pub fn bury(&mut self, piece: Piece, cause: Cause) {
        let steps = self.now().steps(piece);
        if let Some(class) = self.now().loss_class(piece).filter(|_| steps > 0) {
            *self.state.losses.entry(class).or_default().entry(cause).or_default() += steps;
        }
        if let Some(hex) = self.state.hex_of(piece) {
            let touched = [Subject::of(piece), Subject::of(hex)];
            self.umpire.cloud(touched, &crate::engine::Cloud::Die("loss".into()));
        }
        if self.now().arm(piece) == Some(Arm::Base) {
            self.state.balloon_up = false;
        }
        self.state.wounded.remove(&piece);
        let parts = self.data().unit(piece).map(|unit| unit.parts.clone()).unwrap_or_default();
        for part in parts {
            self.change(part, |unit| *unit = UnitState::default());
        }
        self.change(piece, |unit| *unit = UnitState::default());
    }

    /// Combat units have come into a hex, or pass through it: control (AMB-60). What has changed is still to be told.
    pub fn take(&mut self, side: Side, pieces: &[Piece], hex: Hex) -> Option<Event> {
        let fighting = pieces.iter().any(|piece| self.now().is_combat(*piece));
        let us = side == US;
        if !fighting || !self.data().is_prize(hex) || self.state.us_held.contains(&hex) == us {
            return None;
        }
        if us {
            self.state.us_held.insert(hex);
        } else {
            self.state.us_held.remove(&hex);
        }
        Some(Event::Control { hex, us })
    }
}

/// The subjects of several things.
pub fn subjects<T: std::fmt::Display>(things: impl IntoIterator<Item = T>) -> Vec<Subject> {
    things.into_iter().map(Subject::of).collect()
}

impl Position<'_> {
    /// Where a counter's losses are counted (AMB-47).
    pub fn loss_class(&self, piece: Piece) -> Option<LossClass> {
        let unit = self.unit(piece).filter(|unit| unit.is_combat())?;
        Some(match (unit.force, unit.arm) {
            (Force::Cuban, _) => LossClass::Cuban,
            (Force::Us, Arm::Infantry) => LossClass::UsInfantry,
            (Force::Us, _) => LossClass::UsOther,
            (Force::Spanish, Arm::Infantry | Arm::Guerrilla) => LossClass::SpanishFoot,
            (Force::Spanish, _) => LossClass::SpanishOther,
        })
    }
}
