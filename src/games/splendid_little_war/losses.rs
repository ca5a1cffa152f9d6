//! Steps lost (§5.0, §5.3g to §5.3k): who takes them, regiments that break down under them, hexes that hold too many.

use std::collections::BTreeMap;

use crate::board::Hex;
use crate::engine::{Clause, Question, Ruling, Say, Side, Subject, count_of};

use super::events::{BrokenBy, Event};
use super::play::Play;
use super::policy::{BREAKDOWN_LOSS, LOSSES, OVERSTACK, Policy};
use super::position::Position;
use super::state::State;
use super::terms::{Arm, Cause, CheckKind, Flag, Piece};
use super::{SplendidLittleWar, US};

/// What losses did.
#[derive(Clone, Debug, Default)]
pub struct Toll {
    /// Hexes in which a step was lost.
    pub hexes: Vec<Hex>,
    /// Parts of regiments that became Broken by breaking down, each with its hex (§13.3g).
    pub broken: Vec<(Piece, Hex)>,
}

impl Toll {
    fn add(&mut self, other: Toll) {
        self.hexes.extend(other.hexes);
        self.hexes.sort_unstable();
        self.hexes.dedup();
        self.broken.extend(other.broken);
    }
}

impl Position<'_> {
    /// In which order counters go if nobody says otherwise (D2): guns last, Broken first, parts before regiments, the
    /// lowest CF, the lowest id. `hit`: a regiment that has lost a step already is in parts.
    fn loss_key(&self, piece: Piece, hit: bool) -> (bool, bool, bool, u32, Piece) {
        let unit = self.unit(piece);
        let gun = unit.is_some_and(|unit| matches!(unit.arm, Arm::Artillery | Arm::Gatling));
        let whole = unit.is_some_and(|unit| !unit.parts.is_empty()) && !hit;
        (gun, !self.now(piece).broken, whole, unit.map_or(0, |unit| unit.worth()), piece)
    }

    /// Who takes so many steps, one after the other: those named first, until they are gone, then by the order above.
    fn losers(&self, pieces: &[Piece], steps: u32, named: &[Piece]) -> Vec<Piece> {
        let mut left: BTreeMap<Piece, u32> = pieces.iter().map(|piece| (*piece, self.steps(*piece))).collect();
        left.retain(|_, steps| *steps > 0);
        // A part of a regiment that is whole stands for the regiment.
        let means = |piece: &Piece| {
            let parent = self.unit(*piece).and_then(|unit| unit.parent);
            if left.contains_key(piece) { Some(*piece) } else { parent.filter(|parent| left.contains_key(parent)) }
        };
        let named: Vec<Piece> = named.iter().filter_map(means).collect();
        let mut losers: Vec<Piece> = Vec::new();
        for _ in 0..steps {
            let wish = named.iter().copied().find(|piece| left.get(piece).is_some_and(|steps| *steps > 0));
            let key = |piece: &Piece| self.loss_key(*piece, losers.contains(piece));
            let able = || left.iter().filter(|(_, steps)| **steps > 0).map(|(piece, _)| *piece);
            let Some(next) = wish.or_else(|| able().min_by_key(key)) else { break };
            if let Some(steps) = left.get_mut(&next) {
                *steps -= 1;
            }
            losers.push(next);
        }
        losers
    }

    /// Is this a way to give out so many steps: nobody loses more than he has, and all that can be lost is?
    fn pays(&self, pieces: &[Piece], steps: u32, losers: &[Piece]) -> bool {
        let able: u32 = pieces.iter().map(|piece| self.steps(*piece)).sum();
        let mut each: BTreeMap<Piece, u32> = BTreeMap::new();
        losers.iter().for_each(|loser| *each.entry(*loser).or_default() += 1);
        u32::try_from(losers.len()).is_ok_and(|count| count == steps.min(able))
            && each.iter().all(|(piece, count)| pieces.contains(piece) && *count <= self.steps(*piece))
    }
}

/// A position that outlasts changes of the state, for the questions asked about it.
pub fn frozen<'p>(game: &'p SplendidLittleWar, state: &'p State) -> Position<'p> {
    Position { game, state }
}

impl Play<'_, '_> {
    /// Steps lost among these counters of one side: their owner gives them out (§13.1aj), what nobody can take is lost
    /// without effect (AMB-19).
    pub fn lose_among(
        &mut self,
        pieces: &[Piece],
        about: Hex,
        steps: u32,
        cause: Cause,
        preferred: &[Piece],
    ) -> Ruling<Toll> {
        let mut toll = Toll::default();
        let Some(side) = pieces.first().and_then(|piece| self.now().side(*piece)) else { return Ok(toll) };
        if steps == 0 {
            return Ok(toll);
        }
        let state = self.state.clone();
        let now = frozen(self.game, &state);
        let default = now.losers(pieces, steps, &[]);
        let able: u32 = pieces.iter().map(|piece| now.steps(*piece)).sum();
        let losers = if pieces.len() < 2 || able <= steps {
            default
        } else {
            let mut options = vec![default.clone()];
            for piece in pieces {
                let other = now.losers(pieces, steps, &[*piece]);
                if !options.contains(&other) {
                    options.push(other);
                }
            }
            let ordered = (!preferred.is_empty()).then(|| now.losers(pieces, steps, preferred));
            let question = Question {
                who: side,
                kind: LOSSES,
                about: Subject::of(about),
                clause: Clause("13.1aj"),
                text: match steps {
                    1 => format!("{about}: 1 step is lost ({cause}); who takes it?"),
                    _ => format!("{about}: {steps} steps are lost ({cause}); who takes each of them?"),
                },
                options,
                default,
                also: Some(Box::new(|losers: &Vec<Piece>| now.pays(pieces, steps, losers))),
            };
            self.umpire.ask(question, ordered, |policy| match policy {
                Policy::Pieces(named) => Say::Choose(now.losers(pieces, steps, named)),
                _ => Say::Default,
            })?
        };
        let mut each: BTreeMap<Piece, u32> = BTreeMap::new();
        losers.iter().for_each(|loser| *each.entry(*loser).or_default() += 1);
        for (piece, steps) in each {
            toll.add(self.strike(piece, steps, cause, preferred)?);
        }
        self.check_hexes(&toll, side)?;
        Ok(toll)
    }

    /// Steps lost by a side in a hex (§13.1ai).
    pub fn lose_steps(&mut self, hex: Hex, side: Side, steps: u32, cause: Cause, preferred: &[Piece]) -> Ruling<Toll> {
        let pieces = self.now().exposed(hex, side);
        self.lose_among(&pieces, hex, steps, cause, preferred)
    }

    /// One step of one counter.
    pub fn lose_step(&mut self, unit: Piece, cause: Cause) -> Ruling<()> {
        self.hit(unit, 1, cause, &[]).map(|_| ())
    }

    /// A counter loses steps, and its parts may be too many for its hex.
    pub fn hit(&mut self, piece: Piece, steps: u32, cause: Cause, preferred: &[Piece]) -> Ruling<Toll> {
        let toll = self.strike(piece, steps, cause, preferred)?;
        if let Some(side) = self.now().side(piece) {
            self.check_hexes(&toll, side)?;
        }
        Ok(toll)
    }

    /// §5.4m: only when all losses of a combat are taken it shows who is too many.
    fn check_hexes(&mut self, toll: &Toll, side: Side) -> Ruling<()> {
        toll.hexes.iter().try_for_each(|hex| self.check_hex(*hex, side))
    }

    /// A counter loses steps: it is gone, or breaks down and loses as many parts (§5.3g).
    fn strike(&mut self, piece: Piece, steps: u32, cause: Cause, preferred: &[Piece]) -> Ruling<Toll> {
        let Some(unit) = self.data().unit(piece) else { return Ok(Toll::default()) };
        let before = self.state.unit(piece);
        let at = before.at.hex().or_else(|| self.now().edge_hex(piece));
        let hexes: Vec<Hex> = at.into_iter().collect();
        let (force, parts) = (unit.force, unit.parts.clone());
        if parts.is_empty() || steps as usize >= parts.len() {
            self.bury(piece, cause);
            self.umpire.note(Event::Lost { force, at, cause, units: vec![piece] });
            return Ok(Toll { hexes, broken: Vec::new() });
        }
        let lost = self.parts_to_lose(piece, &parts, steps, preferred)?;
        self.break_up(piece);
        for part in &lost {
            self.bury(*part, cause);
        }
        let left: Vec<Piece> = parts.iter().copied().filter(|part| !lost.contains(part)).collect();
        let here = at.unwrap_or(self.data().us_source);
        self.umpire.note(Event::BrokeDownForLosses { unit: piece, at: here, left: left.clone() });
        self.umpire.note(Event::Lost { force, at, cause, units: lost });
        let mut broken = Vec::new();
        // AMB-17: out of supply and the End Phase break nobody further; AMB-69: a Broken regiment's parts are Broken.
        if before.broken {
            // §13.3a: they have not become Broken by it.
            self.umpire.note(Event::Broken { units: left.clone(), at: here, by: BrokenBy::Regiment });
        } else if cause.is_combat() || cause == Cause::Fever {
            if unit.has(Flag::Vol) {
                self.break_units(&left, here, BrokenBy::Volunteers); // §5.3i
                broken = left.clone();
            } else {
                for part in &left {
                    // §5.3h
                    if !self.morale(*part, CheckKind::Breakdown)? {
                        self.break_units(&[*part], here, BrokenBy::Check);
                        broken.push(*part);
                    }
                }
            }
        }
        let there = |part: &Piece| self.state.hex_of(*part).or_else(|| self.now().edge_hex(*part));
        let broken = broken.into_iter().filter_map(|part| Some((part, there(&part)?))).collect();
        Ok(Toll { hexes, broken })
    }

    /// Which parts of a regiment are lost (§5.3j, D3).
    fn parts_to_lose(
        &mut self,
        regiment: Piece,
        parts: &[Piece],
        steps: u32,
        preferred: &[Piece],
    ) -> Ruling<Vec<Piece>> {
        let steps = steps as usize;
        let pick = |named: &[Piece]| {
            let wished = named.iter().copied().filter(|piece| parts.contains(piece));
            let mut lost: Vec<Piece> = Vec::new();
            for piece in wished.chain(parts.iter().rev().copied()) {
                if lost.len() < steps && !lost.contains(&piece) {
                    lost.push(piece);
                }
            }
            lost.sort_unstable();
            lost
        };
        let default = pick(&[]);
        let mut options = vec![default.clone()];
        for part in parts {
            let other = pick(&[*part]);
            if !options.contains(&other) {
                options.push(other);
            }
        }
        let legal = |lost: &Vec<Piece>| lost.len() == steps && *lost == pick(lost);
        let ordered = preferred.iter().any(|piece| parts.contains(piece)).then(|| pick(preferred));
        let question = Question {
            who: US,
            kind: BREAKDOWN_LOSS,
            about: Subject::of(regiment),
            clause: Clause("5.3j"),
            text: format!("{regiment} breaks down and loses {}: which?", count_of(steps, "part")),
            options,
            default,
            also: Some(Box::new(legal)),
        };
        self.umpire.ask(question, ordered, |policy| match policy {
            Policy::Pieces(named) => Say::Choose(pick(named)),
            _ => Say::Default,
        })
    }

    /// §5.4m: every hex of a side that a forced result has filled too much.
    pub fn check_stacking(&mut self, side: Side) -> Ruling<()> {
        let mut hexes: Vec<Hex> = self.now().on_map(side).map(|(_, hex)| hex).collect();
        hexes.sort_unstable();
        hexes.dedup();
        for hex in hexes {
            self.check_hex(hex, side)?;
        }
        Ok(())
    }

    fn check_hex(&mut self, hex: Hex, side: Side) -> Ruling<()> {
        let stack = self.now().fighters(hex, side);
        if !self.now().overstacked(&stack, false) {
            return Ok(());
        }
        let state = self.state.clone();
        let now = frozen(self.game, &state);
        let fits = |gone: &[Piece]| {
            let rest: Vec<Piece> = stack.iter().copied().filter(|piece| !gone.contains(piece)).collect();
            !now.overstacked(&rest, false)
        };
        // As few as bring the hex within the limit, those named first.
        let pick = |named: &[Piece]| {
            let mut order: Vec<Piece> = stack.clone();
            order.sort_by_key(|piece| now.loss_key(*piece, false));
            let wished = named.iter().copied().filter(|piece| stack.contains(piece));
            let mut gone: Vec<Piece> = Vec::new();
            for piece in wished.chain(order) {
                if !fits(&gone) && !gone.contains(&piece) {
                    gone.push(piece);
                }
            }
            // Somebody who does not make room need not go, the last first: without him another may be needed.
            for piece in gone.clone().into_iter().rev() {
                let rest: Vec<Piece> = gone.iter().copied().filter(|other| *other != piece).collect();
                if fits(&rest) {
                    gone = rest;
                }
            }
            gone
        };
        let default = pick(&[]);
        let mut options = vec![default.clone()];
        for piece in &stack {
            let other = pick(&[*piece]);
            if !options.contains(&other) {
                options.push(other);
            }
        }
        let needed = |gone: &Vec<Piece>| {
            let less = |piece: &Piece| gone.iter().copied().filter(|other| other != piece).collect::<Vec<_>>();
            gone.iter().all(|piece| stack.contains(piece) && !fits(&less(piece))) && fits(gone)
        };
        let question = Question {
            who: side,
            kind: OVERSTACK,
            about: Subject::of(hex),
            clause: Clause("5.4m"),
            text: format!("{hex} holds too many: who is eliminated?"),
            options,
            default,
            also: Some(Box::new(needed)),
        };
        let gone = self.umpire.ask(question, None, |policy| match policy {
            Policy::Pieces(named) => Say::Choose(pick(named)),
            _ => Say::Default,
        })?;
        let force = gone.first().and_then(|piece| now.unit(*piece)).map(|unit| unit.force);
        for piece in &gone {
            self.bury(*piece, Cause::Overstack);
        }
        if let Some(force) = force {
            self.umpire.note(Event::Lost { force, at: Some(hex), cause: Cause::Overstack, units: gone });
        }
        Ok(())
    }

    /// The counters of a fight that are still on the table: a regiment that broke down is its parts.
    pub fn standing(&self, pieces: &[Piece]) -> Vec<Piece> {
        let mut standing: Vec<Piece> = Vec::new();
        for piece in pieces {
            let parts = self.data().unit(*piece).map(|unit| unit.parts.as_slice()).unwrap_or_default();
            let whole = self.in_play(*piece);
            let mut these: Vec<Piece> = parts.iter().copied().filter(|part| !whole && self.in_play(*part)).collect();
            if whole {
                these.push(*piece);
            }
            standing.extend(these);
        }
        standing.sort_unstable();
        standing.dedup();
        standing
    }

    /// On the map or at its edge?
    pub fn in_play(&self, piece: Piece) -> bool {
        matches!(self.state.unit(piece).at, super::state::Place::At(_) | super::state::Place::Edge)
    }
}
