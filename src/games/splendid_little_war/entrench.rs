//! §6.0: entrenching.

use std::collections::BTreeSet;

use crate::board::Hex;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Ruling, Side, Subject};

use super::events::Event;
use super::play::{Play, subjects};
use super::position::{Position, enemy};
use super::terms::{Arm, Oos, Piece, Terrain};

impl Position<'_> {
    /// Why a unit may not entrench where it is (§6.0g to §6.0l).
    pub fn bars_entrenching(&self, side: Side, piece: Piece, moved: &BTreeSet<Piece>) -> Vec<Bar> {
        let mut bars = self.bars_stirring(side, piece, moved);
        let Some(hex) = self.state.hex_of(piece).filter(|_| self.side(piece) == Some(side)) else { return bars };
        let now = self.now(piece);
        let about = |bar: Bar| bar.about(subjects([piece.to_string(), hex.to_string()]));
        bars.extend(self.bars_digging(hex));
        let digs = !matches!(
            self.arm(piece),
            Some(Arm::Artillery | Arm::Guerrilla | Arm::Cavalry | Arm::Leader | Arm::Base) | None
        );
        if !digs {
            let why = format!("{piece} builds no entrenchments");
            bars.push(Bar::new("6.0i", why, "artillery, guerrillas and horsemen do not dig").firm());
        }
        if now.entered {
            let why = format!("{piece} entered the map this turn, and digging takes its whole MF");
            bars.push(about(Bar::new("9.0c", why, "dig next turn")));
        }
        if now.broken {
            bars.push(about(Bar::new("5.6g", format!("{piece} is Broken"), "wait until it has recovered")));
        }
        if let Some(oos) = now.oos {
            let clause = if oos == Oos::One { "10.0u" } else { "10.0ac" };
            bars.push(about(Bar::new(clause, format!("{piece} is out of supply"), "restore its supply first")));
        }
        if self.in_zone_of(hex, enemy(side)) {
            bars.push(about(Bar::new("6.0j", format!("{hex} is in an enemy zone of control"), "dig elsewhere")));
        }
        bars
    }

    /// Why no entrenchment can be dug in a hex (§6.0g, §6.0h).
    pub fn bars_digging(&self, hex: Hex) -> Vec<Bar> {
        let data = self.data();
        let mut bars = Vec::new();
        let ground = data.ground(hex);
        let dug = data.is_fort(hex) || data.blockhouses.contains(&hex) || data.is(hex, Terrain::City);
        if dug {
            let why = format!("{} counts as entrenched already", data.describe(hex));
            bars.push(Bar::new("6.0h", why, "none is needed there").firm());
        } else if data.is(hex, Terrain::Jungle) || data.is(hex, Terrain::Swamp) || ground.is_none() {
            let why = format!("{hex} is {}", data.terrain(hex));
            bars.push(Bar::new("6.0g", why, "dig in clear, hill, village or lake hexes").firm());
        }
        if self.state.entrenchments.contains(&hex) {
            bars.push(Bar::new("6.0m", format!("{hex} is entrenched"), "none is needed").about([Subject::of(hex)]));
        }
        bars
    }
}

impl Play<'_, '_> {
    /// Units begin to dig, each with its place in the packet, beside those who do already.
    pub(super) fn entrench(
        &mut self,
        side: Side,
        units: Vec<(usize, Piece)>,
        digging: &mut Vec<(Piece, Hex)>,
    ) -> Ruling<()> {
        for (index, unit) in units {
            self.entry(DocPath::root().key("entrench").index(index), |play| {
                let mut bars = play.now().bars_entrenching(side, unit, &play.moved);
                let hex = play.state.hex_of(unit);
                if digging.iter().any(|(_, other)| Some(*other) == hex) {
                    bars.push(Bar::new("6.0m", "somebody else digs in that hex", "one unit is enough").firm());
                }
                match hex.filter(|_| bars.is_empty()) {
                    Some(hex) => {
                        play.moved.insert(unit);
                        play.digs.insert(unit); // §6.0k
                        digging.push((unit, hex));
                    }
                    None => play.lapse(format!("entrenching by {unit}"), bars),
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Entrenchments are ready at the end of the phase (§6.0r).
    pub(super) fn finish_entrenching(&mut self, digging: Vec<(Piece, Hex)>) {
        for (unit, at) in digging {
            if self.state.entrenchments.insert(at) {
                self.umpire.note(Event::Entrenched { unit, at });
            }
        }
    }
}
