//! §5.3: breakdown and reforming of the regiments.

use std::collections::BTreeSet;

use crate::board::Hex;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Side, Subject};

use super::events::Event;
use super::orders::MoveOrder;
use super::play::{Play, subjects};
use super::position::Position;
use super::state::{Place, UnitState};
use super::terms::{Arm, Piece};
use super::{SPAIN, US};

impl Position<'_> {
    /// Why a regiment may not break down or reform where it is (§5.3c): enemy infantry sees it within its range.
    fn bars_in_sight(&self, hex: Hex) -> Vec<Bar> {
        let foot = |piece: &Piece| matches!(self.arm(*piece), Some(Arm::Infantry | Arm::Guerrilla));
        let near = self.on_map(SPAIN).filter(|(id, at)| foot(id) && self.data().distance(*at, hex) <= 2);
        let mut seen = near.filter(|(_, at)| self.sees(*at, hex, false).is_ok());
        seen.next().map_or_else(Vec::new, |(id, at)| {
            let why = format!("{id} in {at} has it in range and sight");
            vec![Bar::new("5.3c", why, "do it out of sight of enemy infantry").about(subjects([id]))]
        })
    }

    /// Why a regiment may not be broken down now.
    pub fn bars_breaking_down(&self, piece: Piece, regrouped: &BTreeSet<Piece>) -> Vec<Bar> {
        let Some(unit) = self.unit(piece).filter(|unit| !unit.parts.is_empty()) else {
            let why = format!("{piece} has no breakdown units");
            return vec![Bar::new("5.3a", why, "only US regiments and the 2nd Cavalry break down").firm()];
        };
        let Some(hex) = self.state.hex_of(piece) else {
            return vec![
                Bar::new("5.3a", format!("{piece} is not on the map whole"), "leave it").about(subjects([piece])),
            ];
        };
        let mut bars = self.bars_in_sight(hex);
        if regrouped.contains(&piece) {
            let why = format!("{piece} has reformed or broken down this turn");
            bars.push(Bar::new("5.3f", why, "one such action in a turn").firm());
        }
        let mut there = self.fighters(hex, US);
        there.retain(|other| *other != piece);
        there.extend(unit.parts.iter().copied());
        if self.overstacked(&there, false) {
            let why = format!("its parts do not fit into {hex}");
            bars.push(Bar::new("5.4a", why, "move others out first").about([Subject::of(hex)]));
        }
        bars
    }

    /// Why a regiment may not reform now (§5.3l).
    pub fn bars_reforming(&self, piece: Piece, regrouped: &BTreeSet<Piece>) -> Vec<Bar> {
        let Some(unit) = self.unit(piece).filter(|unit| !unit.parts.is_empty()) else {
            let remedy = "name the regiment, not its parts";
            return vec![Bar::new("5.3a", format!("{piece} has no breakdown units"), remedy).firm()];
        };
        if self.state.hex_of(piece).is_some() {
            let why = format!("{piece} is not broken down");
            return vec![Bar::new("5.3l", why, "leave `reform` out").about(subjects([piece]))];
        }
        let mut bars = Vec::new();
        let parts: Vec<(Piece, UnitState)> = unit.parts.iter().map(|part| (*part, self.now(*part))).collect();
        for (part, now) in &parts {
            let why = match now.at {
                Place::Lost => format!("{part} is lost"),
                Place::At(_) if now.broken => format!("{part} is Broken"),
                Place::At(_) => continue,
                _ => format!("{part} is not on the map"),
            };
            bars.push(Bar::new("5.3l", why, "all parts must be there, sound").about(subjects([*part])));
        }
        let hexes: BTreeSet<Hex> = parts.iter().filter_map(|(_, now)| now.at.hex()).collect();
        if hexes.len() > 1 {
            let why = format!("the parts of {piece} are not in one hex");
            bars.push(Bar::new("5.3l", why, "bring them together first").about(subjects(unit.parts.iter())));
        }
        if regrouped.contains(&piece) {
            let why = format!("{piece} has reformed or broken down this turn");
            bars.push(Bar::new("5.3f", why, "one such action in a turn").firm());
        }
        if let Some(hex) = hexes.first() {
            bars.extend(self.bars_in_sight(*hex));
        }
        bars
    }
}

impl Play<'_, '_> {
    pub(super) fn carry_break_down(&mut self, pieces: &[Piece]) {
        for &piece in pieces {
            if self.state.hex_of(piece).is_none() {
                continue;
            }
            let bars = self.now().bars_breaking_down(piece, &self.regrouped);
            if !bars.is_empty() {
                self.lapse(
                    format!("breakdown of {piece}"),
                    bars.into_iter().map(|bar| bar.part("break-down")).collect(),
                );
                continue;
            }
            self.regrouped.insert(piece);
            let moved = self.moved.contains(&piece);
            let Some(at) = self.state.hex_of(piece) else { continue };
            let into = self.break_up(piece);
            if moved {
                self.moved.extend(into.iter().copied());
            }
            self.umpire.note(Event::BrokeDown { unit: piece, into, at });
        }
    }

    /// A regiment is replaced by its parts, which take over its markers. No event.
    pub fn break_up(&mut self, piece: Piece) -> Vec<Piece> {
        let now = self.state.unit(piece);
        let parts = self.data().unit(piece).map(|unit| unit.parts.clone()).unwrap_or_default();
        for part in &parts {
            self.change(*part, |unit| *unit = UnitState { bridging: None, ..now });
        }
        self.change(piece, |unit| *unit = UnitState::at(Place::Off));
        parts
    }

    /// Reforms the regiments an order names; false if one of them cannot.
    pub(super) fn carry_reform(&mut self, side: Side, order: &MoveOrder) -> bool {
        for (index, &piece) in order.units.iter().enumerate() {
            let part = DocPath::root().key("units").index(index);
            let bars = match self.now().side(piece) == Some(side) {
                true => self.now().bars_reforming(piece, &self.regrouped),
                false => vec![Bar::new("4.0h", format!("{piece} is not yours"), "name a unit of your own").firm()],
            };
            let parts = self.data().unit(piece).map(|unit| unit.parts.clone()).unwrap_or_default();
            if !bars.is_empty() {
                let bars = bars.into_iter().map(|bar| bar.at(part.clone())).collect();
                self.lapse(format!("reforming of {piece}"), bars);
                return false;
            }
            let Some(at) = parts.first().and_then(|part| self.state.hex_of(*part)) else { return false };
            self.regrouped.insert(piece);
            if parts.iter().any(|part| self.moved.contains(part)) {
                self.moved.insert(piece);
            }
            // §5.3l: the worst markers among them.
            let states: Vec<UnitState> = parts.iter().map(|part| self.state.unit(*part)).collect();
            let oos = states.iter().filter_map(|now| now.oos).max();
            let ooc = states.iter().any(|now| now.ooc);
            let (entered, waits) = (states.iter().any(|now| now.entered), states.iter().any(|now| now.waits));
            self.change(piece, |unit| *unit = UnitState { oos, ooc, entered, waits, ..UnitState::at(Place::At(at)) });
            for part in &parts {
                self.change(*part, |unit| *unit = UnitState::at(Place::Off));
            }
            self.umpire.note(Event::Reformed { unit: piece, from: parts, at });
        }
        true
    }
}
