//! §9.2 and §9.3: how many units a hex holds; §9.1c: stacks found too high at the end of a phase.

use std::collections::BTreeSet;

use crate::board::Hex;
use crate::engine::{Clause, Question, Ruling, Say, Side, Subject};

use super::US;
use super::events::{Cause, Event};
use super::movement::Mover;
use super::play::{Play, Position, opponent};
use super::policy::{OVERSTACK, Policy};
use super::terms::{Arm, Land, Nation, Piece, StackPlace, UnitId};

/// The places left in a hex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    line: u32,
    gun: u32,
    /// Whoever comes first takes all of it.
    single: bool,
}

impl Room {
    /// For one unit in all: jungle (§9.2b), and Cubans anywhere (§9.4a).
    pub const SINGLE: Room = Room { line: 1, gun: 1, single: true };

    /// An empty hex: two non-artillery units and one of artillery (§9.2a, §9.2e).
    pub fn of(land: Land) -> Room {
        if land == Land::Jungle { Room::SINGLE } else { Room { line: 2, gun: 1, single: false } }
    }

    /// Places left for units of an arm.
    pub fn left(self, arm: Arm) -> u32 {
        match arm.place() {
            StackPlace::Line => self.line,
            StackPlace::Gun => self.gun,
            StackPlace::Free => u32::MAX,
        }
    }

    /// How many units with a place fit in at the most.
    pub fn most(self) -> u32 {
        if self.single { 1 } else { self.line + self.gun }
    }

    /// Takes a place, if one is left.
    pub fn take(&mut self, arm: Arm) -> bool {
        let free = self.left(arm) > 0;
        match arm.place() {
            StackPlace::Free => {}
            _ if self.single => (self.line, self.gun) = (0, 0),
            StackPlace::Line => self.line = self.line.saturating_sub(1),
            StackPlace::Gun => self.gun = self.gun.saturating_sub(1),
        }
        free
    }

    /// Do all of these fit in?
    pub fn holds(mut self, arms: &[Arm]) -> bool {
        arms.iter().all(|arm| self.take(*arm))
    }
}

impl Position<'_> {
    /// US and Cuban units that stand together against the limits: the fewest that must go, strongest first (§9.1c).
    fn excess(&self, hex: Hex) -> Vec<Vec<UnitId>> {
        let (americans, cubans) = (self.americans_in(hex), self.cubans_in(hex));
        let room = Room::of(self.data().land(hex));
        let arms: Vec<Arm> = americans.iter().filter_map(|id| self.arm(*id)).collect();
        let legal = |gone: &[UnitId]| {
            let left: Vec<Arm> =
                americans.iter().filter(|id| !gone.contains(id)).filter_map(|id| self.arm(*id)).collect();
            let cubans = cubans.iter().filter(|id| !gone.contains(id)).count();
            room.holds(&left) && cubans <= 1 && (left.is_empty() || cubans == 0)
        };
        if cubans.len() <= 1 && (cubans.is_empty() || arms.is_empty()) && room.holds(&arms) {
            return Vec::new();
        }
        let mut all: Vec<UnitId> = americans.iter().chain(&cubans).copied().collect();
        all.sort_by_key(|id| (std::cmp::Reverse(self.factor(*id)), *id));
        // Smallest sets first; a hex never holds more than a handful of counters.
        for size in 1..=all.len() {
            let sets: Vec<Vec<UnitId>> = choose(&all, size).into_iter().filter(|gone| legal(gone)).collect();
            if !sets.is_empty() {
                return sets;
            }
        }
        Vec::new()
    }
}

/// All ways to take `size` of the things, in order.
fn choose<T: Copy>(things: &[T], size: usize) -> Vec<Vec<T>> {
    match (size, things.split_first()) {
        (0, _) => vec![Vec::new()],
        (_, None) => Vec::new(),
        (_, Some((first, rest))) => {
            let mut ways: Vec<Vec<T>> = choose(rest, size - 1)
                .into_iter()
                .map(|mut way| {
                    way.insert(0, *first);
                    way
                })
                .collect();
            ways.extend(choose(rest, size));
            ways
        }
    }
}

impl Play<'_, '_> {
    /// Might there be no room for a march to pass a hex (§9.1b), if all whose place is in doubt stood there, or just these?
    pub fn may_be_full(&self, mover: &Mover, hex: Hex, among: Option<&[Piece]>) -> bool {
        let in_doubt = |piece: Piece| {
            piece != mover.piece
                && among.is_none_or(|pieces| pieces.contains(&piece))
                && self.umpire.cloud_on(&Subject::of(piece)).is_some()
                && self.now().hex_of(piece) != Some(hex)
        };
        let now = self.now();
        let others = |nation| {
            let units = self.state.units.keys().copied().filter(move |id| now.nation(*id) == Some(nation));
            units.filter(|id| in_doubt(Piece::from(*id)))
        };
        match mover.nation {
            Nation::Us => {
                let mut room = now.us_room(hex, mover.piece.unit());
                others(Nation::Us).filter_map(|id| now.arm(id)).for_each(|arm| _ = room.take(arm));
                mover.arm.is_some_and(|arm| room.left(arm) == 0)
            }
            Nation::Cuban => others(Nation::Cuban).next().is_some(),
            Nation::Spanish => {
                let there = self.state.tokens_in(hex).filter(|token| Piece::from(*token) != mover.piece).count();
                let others = self.state.counters.keys().filter(|token| in_doubt(Piece::from(**token))).count();
                u32::try_from(there + others).unwrap_or(u32::MAX) >= Room::of(self.data().land(hex)).most()
            }
        }
    }

    /// The check at the end of a phase. Spanish stacks are vouched for while they move.
    pub fn check_stacking(&mut self) -> Ruling<()> {
        let hexes: BTreeSet<Hex> = self.state.units.values().filter_map(|unit| unit.at.hex()).collect();
        let mut spared = BTreeSet::new();
        for hex in hexes {
            let sets = self.now().excess(hex);
            let Some(default) = sets.first().cloned() else { continue };
            let owner: Side = US;
            let none: Vec<UnitId> = Vec::new();
            let mut options = sets.clone();
            options.push(none);
            let question = Question {
                who: opponent(owner),
                kind: OVERSTACK,
                about: Subject::of(hex),
                clause: Clause("9.1c"),
                text: format!("{hex} holds too many units: which are eliminated? An empty list spares them."),
                options,
                default,
                also: None,
            };
            let removed = self.umpire.ask(question, None, |policy| match policy {
                Policy::Pieces(wished) => {
                    let wish = |set: &&Vec<UnitId>| set.iter().all(|id| wished.contains(&Piece::from(*id)));
                    sets.iter().find(wish).map_or(Say::Default, |set| Say::Choose(set.clone()))
                }
                _ => Say::Default,
            })?;
            self.umpire.note(Event::Overstacked { hex, removed: removed.iter().copied().map(Piece::from).collect() });
            if removed.is_empty() {
                spared.insert(hex);
            }
            for id in removed {
                self.lose_unit(id, Cause::Overstacking);
            }
        }
        self.state.spared = spared;
        Ok(())
    }
}
