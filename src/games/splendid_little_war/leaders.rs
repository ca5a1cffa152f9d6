//! Leader Loss (§13.4), and leaders who are overrun (§13.4i, §5.7b).

use std::fmt;

use crate::board::Hex;
use crate::engine::{Clause, Cloud, Kind, Question, Ruling, Say, Side, Subject, Touch};

use super::events::Event;
use super::losses::frozen;
use super::play::Play;
use super::policy::{LEADER_RETREAT, Policy};
use super::position::enemy;
use super::retreat::Flight;
use super::state::{Place, UnitState};
use super::terms::{Arm, Cause, CheckKind, Piece};

/// How long a leader is away. The greater is better for him.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Wound {
    Dies,
    Away(std::cmp::Reverse<u32>),
}

impl fmt::Display for Wound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wound::Dies => f.pad("dies"),
            Wound::Away(turns) => write!(f, "away {}", turns.0),
        }
    }
}

impl Play<'_, '_> {
    /// Steps were lost in a hex: each leader there is tested once in a combat (§13.4a, §13.4k).
    pub fn leader_loss(&mut self, hex: Hex, side: Side) -> Ruling<()> {
        if !self.now().exposed(hex, side).is_empty() {
            return self.leaders_tested(hex, side);
        }
        for leader in self.now().leaders_at(hex, side) {
            // §13.4h: all his units are gone, and he with them.
            self.kill(leader, hex, "13.4h");
        }
        Ok(())
    }

    /// The same where some of their units have gone elsewhere, not all been lost: nobody dies without a roll (§13.4h).
    pub fn leaders_tested(&mut self, hex: Hex, side: Side) -> Ruling<()> {
        for leader in self.now().leaders_at(hex, side) {
            if self.tested.insert(leader) && !self.morale(leader, CheckKind::Leader)? {
                self.wound(leader, hex)?;
            }
        }
        Ok(())
    }

    fn kill(&mut self, leader: Piece, at: Hex, clause: &'static str) {
        self.bury(leader, Cause::Killed);
        self.umpire.note(Event::LeaderKilled { leader, at, clause: Clause(clause) });
    }

    /// §13.4d to §13.4f: away for some turns, or dead.
    fn wound(&mut self, leader: Piece, at: Hex) -> Ruling<()> {
        let Some(side) = self.now().side(leader) else { return Ok(()) };
        let tables = self.data().tables.leaders;
        let read = |die: i32| match u32::try_from(die).unwrap_or(0) {
            die if die == tables.dies => Wound::Dies,
            die => Wound::Away(std::cmp::Reverse(die.max(tables.least))),
        };
        let thrown = self.d10(side, leader, "wound", read, Touch::on([Subject::of(leader), Subject::of(at)]))?;
        let returns = match thrown.result {
            Wound::Dies => None,
            Wound::Away(turns) => Some(self.state.turn + turns.0),
        };
        match returns {
            None => self.bury(leader, Cause::Killed),
            Some(turn) => {
                self.change(leader, |unit| *unit = UnitState::at(Place::Off));
                self.state.wounded.insert(leader, turn);
            }
        }
        self.umpire.note(Event::LeaderHit { leader, at, die: thrown.cast, returns });
        Ok(())
    }

    /// An enemy combat unit has entered a hex with nobody but leaders or the Base of the other side (§13.4i, AMB-26).
    pub fn overrun(&mut self, hex: Hex, by: Side) -> Ruling<()> {
        let side = enemy(by);
        let bases: Vec<Piece> =
            self.now().stack(hex, side).into_iter().filter(|piece| self.now().arm(*piece) == Some(Arm::Base)).collect();
        for base in bases {
            self.bury(base, Cause::Balloon);
            self.umpire.note(Event::BalloonLost { at: hex, clause: Clause("12.0h") });
        }
        for leader in self.now().leaders(hex, side) {
            if self.morale(leader, CheckKind::Leader)? {
                self.escape(leader, hex, side)?;
            } else {
                self.wound(leader, hex)?;
            }
        }
        Ok(())
    }

    /// §13.4i: three hexes towards supply, or he is lost (§13.4j, AMB-70).
    fn escape(&mut self, leader: Piece, from: Hex, side: Side) -> Ruling<()> {
        let state = self.state.clone();
        let now = frozen(self.game, &state);
        let far = self.data().tables.leaders.retreat;
        let paths = Flight { now, piece: leader, from, feared: vec![from], despite: Some(from) }.paths(far);
        let friends = |path: &Vec<Hex>| path.last().is_some_and(|hex| now.held_by(*hex, side));
        let Some(default) = paths.iter().find(|path| friends(path)).or(paths.first()).cloned() else {
            self.kill(leader, from, "13.4j");
            return Ok(());
        };
        let path = if paths.len() < 2 {
            default
        } else {
            let question = Question {
                who: side,
                kind: LEADER_RETREAT,
                about: Subject::of(leader),
                clause: Clause("13.4i"),
                text: format!("{leader} escapes from {from}: which way?"),
                options: paths.clone(),
                default,
                also: None,
            };
            self.umpire.ask(question, None, |policy| wished(policy, &paths))?
        };
        self.lead_away(leader, from, path, LEADER_RETREAT);
        Ok(())
    }

    /// A leader goes somewhere in combat, as nobody could know: what counts on him there is in doubt.
    pub fn lead_away(&mut self, leader: Piece, from: Hex, path: Vec<Hex>, by: Kind) {
        if let Some(to) = path.last() {
            self.put(leader, *to);
            self.umpire.cloud([Subject::of(leader), Subject::of(from), Subject::of(to)], &Cloud::Choice(by));
        }
        self.umpire.note(Event::LeaderMoved { leader, from, path });
        let freed = self.free_garrison();
        self.tell(freed);
    }
}

/// The first hex of a policy by which one of the paths ends.
pub fn wished(policy: &Policy, paths: &[Vec<Hex>]) -> Say<Vec<Hex>> {
    let Policy::Hexes(hexes) = policy else { return Say::Default };
    let ends = |hex: &Hex| paths.iter().find(|path| path.last() == Some(hex));
    hexes.iter().find_map(ends).map_or(Say::Default, |path| Say::Choose(path.clone()))
}
