//! §9.1: who may attack what, and how. An attack is judged here and nowhere else.

use std::collections::BTreeSet;

use crate::board::Hex;
use crate::engine::{Bar, Side, Subject};

use super::play::Play;
use super::position::Position;
use super::terms::{EventName, Force, Piece, UnitKind};

/// How a hex is attacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Fire and shock.
    Ordinary,
    /// Units in guerrilla attack (§11.2.2d).
    Guerrilla,
    /// Units in guerrilla are attacked (§11.2.1a).
    Counter,
}

impl Manner {
    /// Does a unit of this kind take part (§9.6a, A84)?
    pub fn takes(self, kind: UnitKind) -> bool {
        kind.is_foot() || kind == UnitKind::MachineGun && self == Manner::Ordinary
    }
}

/// That a hex has been attacked, for what hangs on it.
pub fn attack_on(target: Hex) -> Subject {
    Subject::of(format!("attack on {target}"))
}

/// That a piece has attacked or bombarded, for what hangs on it.
pub fn attack_of(piece: Piece) -> Subject {
    Subject::of(format!("attack of {piece}"))
}

/// That the Maine has been remembered, for what hangs on it.
pub fn the_maine() -> Subject {
    Subject::of("the Maine")
}

impl Position<'_> {
    /// How these attackers would attack a hex.
    pub fn manner(&self, by: &[Piece], target: Hex, side: Side) -> Manner {
        let defenders = self.fighters(target, Play::enemy(side));
        if !defenders.is_empty() && defenders.iter().all(|piece| self.in_guerrilla(*piece)) {
            Manner::Counter
        } else if by.iter().any(|piece| self.in_guerrilla(*piece)) {
            Manner::Guerrilla
        } else {
            Manner::Ordinary
        }
    }

    /// May an attack in this manner be the one that remembers the Maine (§7.2.51a)?
    pub fn may_remember(&self, force: Force, manner: Manner) -> bool {
        force == Force::Us && manner == Manner::Ordinary && self.state.in_force(EventName::RememberTheMaine)
    }

    /// Why a hex cannot be attacked at all.
    pub fn bars_target(&self, side: Side, target: Hex) -> Vec<Bar> {
        let mut bars = Vec::new();
        let about = |bar: Bar| bar.part("attack").about([Subject::of(target)]);
        if !self.held_by(target, Play::enemy(side)) {
            bars.push(about(Bar::new("9.1b", format!("no enemy unit is in {target}"), "name a hex with enemy units")));
        }
        if self.state.attacked.contains(&target) {
            let bar = Bar::new("9.1e", format!("{target} has been attacked this turn"), "attack another hex");
            bars.push(bar.part("attack").about([attack_on(target)]));
        }
        bars
    }

    /// Why a piece is too far from a hex to attack it, or to turn from it to another.
    pub fn bars_distance(&self, piece: Piece, target: Hex) -> Option<Bar> {
        let hex = self.state.hex_of(piece).filter(|hex| !self.data().touch(*hex, target))?;
        let why = format!("{piece} in {hex} is not next to {target}");
        Some(Bar::new("9.1d", why, "move it there first").about([Subject::of(piece)]))
    }

    /// Why a unit of this kind takes no part in an attack.
    fn bars_kind(&self, piece: Piece, target: Hex, manner: Manner) -> Option<Bar> {
        let bar = |clause, why: String, remedy| Some(Bar::new(clause, why, remedy));
        match self.kind(piece)? {
            UnitKind::Signals => {
                bar("14.8c", format!("{piece} takes no part in combat"), "leave it out").map(Bar::firm)
            }
            UnitKind::Leader => bar("6a", format!("{piece} is with them anyway"), "leave him out").map(Bar::firm),
            UnitKind::LogisticColumn => {
                bar("14.5.1b", format!("{piece} takes no part in combat"), "name it under `support`").map(Bar::firm)
            }
            UnitKind::Artillery => {
                bar("9.6a", format!("{piece} adds nothing to an attack"), "let it bombard").map(Bar::firm)
            }
            UnitKind::MachineGun if manner == Manner::Counter => {
                let about = |bar: Bar| bar.about([Subject::of(target)]);
                bar("A84", format!("{piece} cannot hunt guerrillas"), "leave it out").map(about)
            }
            _ => None,
        }
    }

    /// Why a piece cannot take part in an attack on a hex.
    pub fn bars_attacker(
        &self,
        side: Side,
        piece: Piece,
        target: Hex,
        fought: &BTreeSet<Piece>,
        manner: Manner,
    ) -> Vec<Bar> {
        let mut bars = Vec::new();
        let about = |bar: Bar| bar.about([Subject::of(piece)]);
        if self.force(piece).is_none_or(|force| force.side() != side) {
            return vec![Bar::new("0c", format!("{piece} is not yours"), "name a unit of your own").firm()];
        }
        // Also of one that was lost in its attack.
        if fought.contains(&piece) {
            let bar = Bar::new("A24a", format!("{piece} has attacked"), "a unit attacks once in a phase");
            bars.push(bar.about([attack_of(piece)]));
        }
        if self.state.hex_of(piece).is_none() {
            let why = format!("{piece} is not on the open map");
            bars.push(about(Bar::new("9.1b", why, "name what stands on the map")));
            // What never attacks does not wherever it is.
            bars.extend(self.bars_kind(piece, target, manner).filter(|bar| bar.firm));
            return bars;
        }
        bars.extend(self.bars_distance(piece, target));
        if self.landed(piece) {
            bars.push(about(Bar::new("8.2e", format!("{piece} landed this turn"), "attack next turn")));
        }
        if self.frozen(piece) {
            bars.push(about(Bar::new("3n", format!("{piece} is not released"), "wait for event 34-36")));
        }
        bars.extend(self.bars_kind(piece, target, manner));
        if manner == Manner::Guerrilla && !self.in_guerrilla(piece) {
            let why = format!("{piece} is in regular order and others attack in guerrilla");
            // Hunters may be mixed: the defenders may have been all in guerrilla when the attack was planned.
            bars.push(Bar::new("A83a", why, "attack apart").about([Subject::of(piece), Subject::of(target)]));
        }
        bars
    }

    /// Who of a force can attack a hex, and how: its units in guerrilla if `hiding`, else the others; all of them hunt.
    pub fn attackers(
        &self,
        side: Side,
        force: Force,
        target: Hex,
        fought: &BTreeSet<Piece>,
        hiding: bool,
    ) -> (Vec<Piece>, Manner) {
        let hunted = self.manner(&[], target, side) == Manner::Counter;
        let mut by: Vec<Piece> = (self.data().land_around(target))
            .flat_map(|hex| self.stack(hex, force))
            .filter(|piece| self.fights(*piece) && self.all_real(&[*piece])) // A52a
            .filter(|piece| hunted || self.in_guerrilla(*piece) == hiding)
            .collect();
        let manner = self.manner(&by, target, side);
        let fit = |piece: &Piece| {
            self.known.0.get(piece).is_none_or(|content| self.any_under(*piece, content, |kind| manner.takes(kind)))
        };
        by.retain(|piece| fit(piece) && self.bars_attacker(side, *piece, target, fought, manner).is_empty());
        if !self.bars_target(side, target).is_empty() || !self.bars_attack(side, &by, target, manner).is_empty() {
            by.clear();
        }
        (by, manner)
    }

    /// What only the attack as a whole can break.
    pub fn bars_attack(&self, side: Side, by: &[Piece], target: Hex, manner: Manner) -> Vec<Bar> {
        let mut bars = Vec::new();
        let forces: BTreeSet<Force> = by.iter().filter_map(|piece| self.force(*piece)).collect();
        if forces.len() > 1 {
            bars.push(Bar::new("9.1c", "Cubans and US units attack together", "order two attacks").part("by").firm());
        }
        let no_foot = |piece: &Piece, content| !self.any_under(*piece, content, UnitKind::is_foot);
        let gun = |piece: &Piece| match self.kind(*piece) {
            Some(kind) => kind.is_gun(),
            None => self.known.0.get(piece).is_some_and(|content| no_foot(piece, content)),
        };
        if !by.is_empty() && by.iter().all(gun) {
            bars.push(Bar::new("9.6b", "machine guns only support an attack of others", "name who attacks").part("by"));
        }
        let defenders = self.fighters(target, Play::enemy(side));
        let orderly = |piece: &Piece| self.is_irregular(*piece) && !self.in_guerrilla(*piece);
        if manner == Manner::Guerrilla && !defenders.is_empty() && defenders.iter().all(orderly) {
            let why = format!("guerrillas in regular order in {target} are not attacked by units in guerrilla");
            bars.push(Bar::new("A83b", why, "attack in regular order").part("attack").about([Subject::of(target)]));
        }
        bars
    }
}
