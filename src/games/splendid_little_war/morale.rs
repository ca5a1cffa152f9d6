//! Morale (§5.5) and the status Broken (§5.6).

use std::fmt;

use crate::board::Hex;
use crate::engine::{Clause, Ruling, Subject, Tally, Touch};

use super::events::{BrokenBy, Event};
use super::play::Play;
use super::position::Position;
use super::terms::{Arm, CheckKind, Chief, Force, Oos, Piece, Terrain};

/// What a Morale Check comes to. Passing is the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Passed(pub bool);

impl fmt::Display for Passed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(if self.0 { "passed" } else { "failed" })
    }
}

impl Position<'_> {
    /// The Morale Rating a counter checks against (§5.5d to §5.5g, §13.4b, AMB-20).
    pub fn rating(&self, piece: Piece, check: CheckKind) -> i32 {
        let Some(unit) = self.unit(piece) else { return 0 };
        let tables = &self.data().tables;
        let garcia = unit.chief == Some(Chief::Garcia) && check == CheckKind::Leader;
        let force = if garcia && self.game.options.garcia_seven { Force::Us } else { unit.force };
        tables.rating(force, unit.arm == Arm::Guerrilla)
    }

    /// The DRMs of a Morale Check (§5.5h).
    pub fn check_modifiers(&self, piece: Piece, check: CheckKind) -> Tally {
        let mut modifiers = Tally::new();
        if matches!(check, CheckKind::Recovery | CheckKind::Leader) {
            return modifiers;
        }
        let now = self.now(piece);
        if now.broken {
            modifiers.add("Broken", 2, Clause("5.6c"));
        }
        if let Some(leader) = self.commander(piece) {
            let name = self.unit(leader).map_or(String::new(), |leader| leader.code.to_string());
            modifiers.add(format!("{name} in range"), -1, Clause("5.7e"));
        }
        if check == CheckKind::Supply && now.oos == Some(Oos::Two) {
            modifiers.add("OoS2", 1, Clause("10.0ab"));
        }
        let jungle = now.at.hex().is_some_and(|hex| self.data().is(hex, Terrain::Jungle));
        if check == CheckKind::LeaveZone && jungle {
            modifiers.add("in jungle", -1, Clause("5.2l"));
        }
        modifiers
    }
}

impl Play<'_, '_> {
    /// A Morale Check (§5.5a): did the unit pass?
    pub fn morale(&mut self, unit: Piece, check: CheckKind) -> Ruling<bool> {
        self.morale_roll(unit, check).map(|(passed, _)| passed)
    }

    /// The same, with the natural roll.
    pub fn morale_roll(&mut self, unit: Piece, check: CheckKind) -> Ruling<(bool, i32)> {
        let now = self.now();
        let (rating, modifiers) = (now.rating(unit, check), now.check_modifiers(unit, check));
        let Some(side) = now.side(unit) else { return Ok((true, 0)) };
        let at = now.now(unit).at.hex().or_else(|| now.edge_hex(unit)).unwrap_or(now.data().us_source);
        let drm = modifiers.total();
        let on = [Subject::of(unit), Subject::of(at)];
        // A march rests on its checks; whoever orders it counts on them.
        let touch = match check {
            CheckKind::Move | CheckKind::LeaveZone => Touch::counted_on(on),
            _ => Touch::on(on),
        };
        let thrown = self.d10(side, unit, check.as_str(), |die| Passed(die + drm <= rating), touch)?;
        let passed = thrown.result.0;
        let roll = super::terms::d10(thrown.cast.face());
        let modified = roll + drm;
        self.umpire.note(Event::MoraleCheck { unit, at, check, die: thrown.cast, modifiers, modified, rating, passed });
        Ok((passed, roll))
    }

    /// Units become Broken (§5.6): whoever is marked drops out when his assault comes up (AMB-35), a bridge is given up
    /// only at the End Phase.
    pub fn break_units(&mut self, units: &[Piece], at: Hex, by: BrokenBy) {
        if units.is_empty() {
            return;
        }
        for unit in units {
            self.change(*unit, |unit| unit.broken = true);
        }
        self.umpire.note(Event::Broken { units: units.to_vec(), at, by });
    }
}
