//! Chapter 17: the observation balloon and the fire it draws.

use std::collections::BTreeMap;

use crate::board::{Grid, Hex};
use crate::engine::{Bar, Clause, Question, Ruling, Say, Subject};

use super::bars::bar;
use super::events::{Cause, Event};
use super::orders::{Balloon, MoveOrder};
use super::play::{Play, Position, Prospect};
use super::policy::{BALLOON_FIRE, BALLOON_LOSS, BalloonFire, Policy, When};
use super::state::Place;
use super::terms::{Arm, Piece, Token, UnitId};
use super::{SPAIN, US};

impl Position<'_> {
    /// Spanish counters that could fire at the balloon, by hex (§17.5a, §19.3h).
    pub fn tokens_near_balloon(&self) -> Vec<(Hex, Token)> {
        let Some((_, at)) = self.balloon().filter(|_| self.state.balloon_up) else { return Vec::new() };
        let data = self.data();
        let barred = |hex: Hex| self.truce_shields(hex) || self.truce_shields(at);
        let near = |hex: Hex| data.grid().distance(at, hex) <= data.tables.limits.artillery_range && !barred(hex);
        let stacks = self.stacks().into_iter().filter(|(hex, _)| near(*hex));
        stacks.flat_map(|(hex, tokens)| tokens.into_iter().map(move |token| (hex, token))).collect()
    }

    /// Who loses a step by default: a full two-step unit, a one-step unit, a reduced one; lowest factor, lowest id.
    fn balloon_victim(&self, units: &[UnitId]) -> Option<UnitId> {
        let class = |id: UnitId| {
            let two = self.counter(id).is_some_and(|counter| counter.steps() == 2);
            match (two, self.state.unit(id).steps) {
                (true, 2) => 0,
                (false, _) => 1,
                _ => 2,
            }
        };
        units.iter().copied().min_by_key(|id| (class(*id), self.factor(*id), *id))
    }
}

impl Position<'_> {
    /// Everything that bars the mode, or the move, of a balloon; and a mode for what is none (§17.2).
    pub fn balloon_bars(&self, order: &MoveOrder) -> Vec<Bar> {
        let piece = order.unit;
        let moving = !order.path.is_empty() || order.to.is_some();
        let mut bars = Vec::new();
        if self.piece_arm(piece) != Some(Arm::Balloon) {
            if order.balloon.is_some() {
                bars.push(bar("17.2a", format!("{piece} is no balloon")).part("balloon").firm());
            } else if !moving {
                bars.push(bar("10.3b", format!("the move of {piece} leads nowhere")).firm());
            }
            return bars;
        }
        let unit = self.state.unit(piece.unit());
        match (order.balloon, self.state.balloon_up) {
            (Some(Balloon::Up), true) | (Some(Balloon::Down), false) if unit.at != Place::OffMap => {
                bars.push(bar("17.2a", "the balloon is in that mode already"));
            }
            (Some(Balloon::Up), false) if moving => {
                bars.push(bar("17.2c", "a balloon that goes up does not move in that phase").firm());
            }
            (None, true) if moving => bars.push(bar("17.2d", "the balloon is up and cannot move")),
            (None, _) if !moving => bars.push(bar("10.3b", format!("the move of {piece} leads nowhere")).firm()),
            _ => {}
        }
        // Flipping is no move, so a balloon that landed this turn may go up (§17.2e).
        if order.balloon.is_some() && unit.at.hex().is_none() {
            bars.push(bar("17.2a", "the balloon is not on the map"));
        }
        if unit.fever {
            bars.push(bar("13.2c", "the balloon is infected with fever"));
        }
        bars
    }
}

impl Play<'_, '_> {
    /// Puts the balloon up or brings it down; false if it was shot down meanwhile (§17.2).
    pub fn flip_balloon(&mut self, piece: Piece, mode: Balloon, fire: &mut Option<BalloonFire>) -> Ruling<bool> {
        let Some(at) = self.now().hex_of(piece) else { return Ok(false) };
        match (mode, self.state.balloon_up) {
            (Balloon::Up, false) => {
                self.state.balloon_up = true;
                self.umpire.note(Event::BalloonMode { up: true, at });
                if fire.is_none() {
                    let decision = self.balloon_fire_decision()?;
                    if decision.when == When::Early {
                        self.fire_at_balloon(&decision)?;
                    }
                    *fire = Some(decision);
                }
            }
            (Balloon::Down, true) => {
                // §17.5k: the last moment for a late shot.
                if let Some(late) = fire.take().filter(|fire| fire.when == When::Late) {
                    self.fire_at_balloon(&late)?;
                    *fire = Some(BalloonFire { when: When::Never, from: Vec::new() });
                    if !self.state.balloon_up {
                        return Ok(false);
                    }
                }
                self.state.balloon_up = false;
                self.umpire.note(Event::BalloonMode { up: false, at });
            }
            _ => {}
        }
        Ok(true)
    }

    /// The Spanish decision when the balloon is first seen up in a US Movement Phase (§17.5a, §17.5k).
    pub fn balloon_fire_decision(&mut self) -> Ruling<BalloonFire> {
        let default = BalloonFire { when: When::Early, from: Vec::new() };
        if self.now().tokens_near_balloon().is_empty() {
            return Ok(BalloonFire { when: When::Never, from: Vec::new() });
        }
        let plain = |when| BalloonFire { when, from: Vec::new() };
        let question = Question {
            who: SPAIN,
            kind: BALLOON_FIRE,
            about: Subject::of("balloon"),
            clause: Clause("17.5a"),
            text: "the balloon is up: do batteries in range fire at it, and when?".to_owned(),
            options: vec![plain(When::Early), plain(When::Late), plain(When::Never)],
            default,
            also: Some(Box::new(|_| true)),
        };
        self.umpire.ask(question, None, |policy| match policy {
            Policy::When(when) => Say::Choose(BalloonFire { when: *when, from: Vec::new() }),
            Policy::Fire(fire) => Say::Choose(fire.clone()),
            _ => Say::Default,
        })
    }

    /// Batteries fire one after another until the balloon is down (§17.5).
    pub fn fire_at_balloon(&mut self, fire: &BalloonFire) -> Ruling<()> {
        let near = self.now().tokens_near_balloon();
        let mut waiting: Vec<(Hex, Token)> =
            near.into_iter().filter(|(hex, _)| fire.from.is_empty() || fire.from.contains(hex)).collect();
        let data = self.data();
        let battery = |unit: &UnitId| data.arm(*unit) == Some(Arm::Artillery);
        while let Some((balloon, at)) = self.now().balloon().filter(|_| self.state.balloon_up) {
            // Which of them fires next: where it stands and that it is a battery is all that is told (§17.5a).
            let tokens: Vec<Token> = waiting.iter().map(|(_, token)| *token).collect();
            let first = |units: &BTreeMap<Token, UnitId>| {
                let fires = |token: &&Token| units.get(*token).is_some_and(battery);
                tokens.iter().find(fires).copied().into_iter().collect::<Vec<Token>>()
            };
            let first: Vec<Token> = self.fact(&tokens, "balloon", "battery", first, Vec::new())?;
            let Some(place) = waiting.iter().position(|(_, token)| first.contains(token)) else { break };
            let Some((hex, token)) = waiting.drain(..=place).next_back() else { break };
            let hits = |die: u16| die <= data.tables.limits.balloon_hit;
            let read = |die: u16| match hits(die) {
                true => Prospect { worth: 0, says: "shot down".to_owned() },
                false => Prospect { worth: 1, says: "missed".to_owned() },
            };
            let die = self.throw(US, token, "balloon-fire", read, [Subject::of(balloon), Subject::of("balloon")])?;
            let hit = hits(die.face());
            self.umpire.note(Event::BalloonFired { from: hex, at, die, hit });
            if hit {
                self.lose_unit(balloon, Cause::BalloonFire);
                let others = self.now().americans_in(at);
                self.balloon_loss(at, &others, "17.5e")?;
            } else {
                self.scatter(token, at)?;
            }
        }
        Ok(())
    }

    /// A miss falls next to the balloon (§17.5f, §17.5i).
    fn scatter(&mut self, token: Token, at: Hex) -> Ruling<()> {
        let grid = self.data().grid();
        let hex = |die: u16| {
            let bearing = usize::from(die).checked_sub(1).and_then(|way| grid.bearings().get(way).copied());
            bearing.and_then(|bearing| grid.neighbour(at, bearing))
        };
        let struck = |play: &Self, die| hex(die).map(|hex| play.now().americans_in(hex)).unwrap_or_default();
        let safe: Vec<bool> = (1..=6).map(|die| struck(self, die).is_empty()).collect();
        let read = |die: u16| match safe.get(usize::from(die).wrapping_sub(1)) {
            Some(false) => Prospect { worth: 0, says: "strikes a unit".to_owned() },
            _ => Prospect { worth: 1, says: "harmless".to_owned() },
        };
        let die = self.throw(US, token, "scatter", read, [])?;
        let (units, hex) = (struck(self, die.face()), hex(die.face()));
        self.umpire.note(Event::Scatter { die, hex, struck: !units.is_empty() });
        match hex {
            Some(hex) => self.balloon_loss(hex, &units, "17.5g"),
            None => Ok(()),
        }
    }

    /// One American unit in the hex loses a step, picked by the US player.
    fn balloon_loss(&mut self, hex: Hex, units: &[UnitId], clause: &'static str) -> Ruling<()> {
        let Some(default) = self.now().balloon_victim(units) else { return Ok(()) };
        let victim = if units.len() == 1 {
            default
        } else {
            let question = Question {
                who: US,
                kind: BALLOON_LOSS,
                about: Subject::of(hex),
                clause: Clause(clause),
                text: format!("fire at the balloon strikes {hex}: which unit loses a step?"),
                options: units.to_vec(),
                default,
                also: None,
            };
            self.umpire.ask(question, None, |policy| match policy {
                Policy::Pieces(wished) => {
                    let wish = wished.iter().find(|piece| units.iter().any(|id| Piece::from(*id) == **piece));
                    wish.map_or(Say::Default, |piece| Say::Choose(piece.unit()))
                }
                _ => Say::Default,
            })?
        };
        self.lose_step(victim, Cause::BalloonFire);
        Ok(())
    }
}
