//! Leaders (§9): whom they may join, how they start, move and escape, and how they die. What they and the heroes have
//! drawn again is in `redraws`.

use std::collections::BTreeMap;

use crate::board::{Grid, Square};
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Question, Ruling, Say, Subject, Touch};

use super::actions::command;
use super::advice::or;
use super::data::{Leader, Unit};
use super::events::{Against, Drawn, Event, LeaderFate};
use super::orders::{FieldOrders, SetupOrders, Way};
use super::play::Play;
use super::policy::{JOIN, Policy};
use super::position::{Position, gone};
use super::state::{HeroFate, Place};
use super::terms::{Arm, HeroId, LEADER_DIES_ON, LEADER_MOVES, LeaderId, Power, UnitId};

impl<'p> Position<'p> {
    /// May a leader start with a unit (§9x, §9y, §9z, §9aa, §9ad, §9af)?
    pub fn may_start(&self, leader: &Leader, unit: UnitId) -> Result<(), Bar> {
        if leader.may_start.contains(&unit) {
            return Ok(());
        }
        let Some(counter) = self.unit(unit) else {
            return Err(Bar::new("9e", format!("{unit} is not on this battlefield"), "name a unit of it"));
        };
        self.may_join(leader, counter)?;
        let (clause, why) = match leader.power {
            Power::Spain => ("9y", format!("{} may not start in a forward position", leader.name)),
            Power::Us => ("A40", format!("{} may not start with the Gatling guns", leader.name)),
        };
        Err(Bar::new(clause, why, "name a unit he may start with"))
    }

    /// May the leader join the unit in play (§9k, §A40, §A41)?
    pub fn may_join(&self, leader: &Leader, unit: &Unit) -> Result<(), Bar> {
        if unit.power != leader.power {
            return Err(Bar::new("9e", format!("{} is not on his side", unit.id), "name a unit of the own side"));
        }
        if unit.arm == Arm::Artillery {
            return Err(Bar::new("9k", "a leader never joins artillery", "name another unit"));
        }
        match leader.division {
            Some(division) if unit.arm != Arm::Gatling && unit.division != Some(division) => {
                let why = format!("{} may join units of his own division and the Gatling guns only", leader.name);
                Err(Bar::new("A40", why, "name one of those"))
            }
            _ => Ok(()),
        }
    }

    /// Where an order sends a leader, if he can get there (§9a, §A37); otherwise every reason why not.
    pub fn leader_goal(&self, leader: &Leader, way: Way) -> Result<Square, Vec<Bar>> {
        let one = |bar: Bar| Err(vec![bar]);
        let Place::At(from) = self.state.leader(leader.id).at else {
            return one(Bar::new("9a", format!("{} is out of the game", leader.name), "leave him out"));
        };
        let mut bars = Vec::new();
        let to = match way {
            Way::Box(square) => square,
            Way::To(unit) => {
                let Some(counter) = self.unit(unit) else {
                    let why = format!("{unit} is not on this battlefield");
                    return one(Bar::new("9e", why, "name a unit of it"));
                };
                bars.extend(self.may_join(leader, counter).err());
                let Some(at) = self.at(unit) else {
                    return Err(if bars.is_empty() { vec![gone("9e", unit, "name a unit in play")] } else { bars });
                };
                at
            }
            Way::Step(_) => {
                return one(Bar::new("9a", "a leader is sent to a box or to a unit", "write the box or the unit"));
            }
        };
        let held = self.state.unit_in(to).is_some_and(|unit| self.power(unit) != Some(leader.power));
        bars.extend(if !self.field.grid.contains(to) {
            Some(Bar::new("A14", format!("there is no box {to} on this battlefield"), "stay on the map"))
        } else if !self.field.is_passable(to) {
            Some(Bar::new("A37", format!("{to} is the pond"), "send him elsewhere"))
        } else if held {
            Some(Bar::new("A37", format!("an enemy unit stands in {to}"), "send him elsewhere"))
        } else if !self.leader_reach(leader, from).contains(&to) {
            let why = format!("{to} is more than three boxes from {from}");
            Some(Bar::new("9a", why, "a leader moves three boxes"))
        } else {
            None
        });
        if bars.is_empty() { Ok(to) } else { Err(bars) }
    }

    /// Where a leader can go: three steps in any direction, not into the pond nor where an enemy unit stands (§9a, §A37).
    /// In the order of the boxes.
    pub fn leader_reach(&self, leader: &Leader, from: Square) -> Vec<Square> {
        let enemies: Vec<Square> = self.units_of(leader.power.enemy()).filter_map(|unit| self.at(unit.id)).collect();
        let mut reached = vec![from];
        let mut done = 0;
        for _ in 0..LEADER_MOVES {
            let edge = reached.len();
            for index in done..edge {
                let Some(at) = reached.get(index).copied() else { break };
                for (_, to) in self.field.grid.neighbours(at) {
                    if self.field.is_passable(to) && !enemies.contains(&to) && !reached.contains(&to) {
                        reached.push(to);
                    }
                }
            }
            done = edge;
        }
        reached.sort_unstable();
        reached
    }

    /// The unit a leader would be attached to in a box (§A37).
    pub fn joins_in(&self, leader: &Leader, square: Square) -> Option<UnitId> {
        let unit = self.unit(self.state.unit_in(square)?)?;
        self.may_join(leader, unit).is_ok().then_some(unit.id)
    }

    /// Leaders attached to a unit, in seniority order (§A39).
    pub fn leaders_with(&self, unit: UnitId) -> impl Iterator<Item = LeaderId> + '_ {
        self.field.leaders.iter().copied().filter(move |id| self.state.leader(*id).with == Some(unit))
    }

    /// The leaders of a side on the map, each with his box.
    pub fn leaders_of(&self, power: Power) -> Vec<(&'p Leader, Square)> {
        let leaders = self.field.leaders.iter().filter_map(|id| self.leader(*id));
        let own = leaders.filter(|leader| leader.power == power);
        own.filter_map(|leader| Some((leader, self.state.leader(leader.id).at.square()?))).collect()
    }

    /// The hero of a unit, if he is still unused (§9o).
    pub fn ready_hero(&self, unit: UnitId) -> Option<HeroId> {
        let hero = self.unit(unit)?.hero?;
        (self.state.heroes.get(&hero) == Some(&HeroFate::Ready)).then_some(hero)
    }

    /// The units a leader could flee to: the nearest he may join, best default first (§A38).
    pub fn refuges(&self, leader: &Leader, from: Square) -> Vec<UnitId> {
        let joinable = self.units_of(leader.power).filter(|unit| self.may_join(leader, unit).is_ok());
        let mut near: Vec<(u32, u16, u16, UnitId)> = joinable
            .filter_map(|unit| {
                let at = self.at(unit.id)?;
                let distance = self.field.grid.distance(from, at);
                Some((distance, self.field.distance_from_edge(leader.power, at), at.first(), unit.id))
            })
            .collect();
        near.sort();
        let nearest = near.first().map(|(distance, ..)| *distance);
        near.into_iter().filter(|(distance, ..)| Some(*distance) == nearest).map(|(.., id)| id).collect()
    }
}

impl Play<'_, '_> {
    /// Leaders join their units at the start; an illegal choice counts as none (§A56).
    pub fn place_leaders(&mut self, orders: &SetupOrders) {
        self.begin_phase("setup");
        let leaders: Vec<&Leader> = (self.ground().leaders.iter())
            .filter_map(|id| self.game.data.leaders.get(id))
            .filter(|leader| leader.power == self.power)
            .collect();
        let mut places = BTreeMap::new();
        for leader in leaders {
            let mut unit = leader.start;
            if let Some(wished) = orders.leaders.get(&leader.id) {
                let before = self.umpire.take_in_hand(DocPath::root().key("leaders").key(leader.id.as_str()));
                match self.now().may_start(leader, *wished) {
                    Ok(()) => unit = *wished,
                    Err(bar) => {
                        let (why, clause) = (bar.why.clone(), bar.clause);
                        let lapsed = Event::PlacementLapsed { leader: leader.id, unit: *wished, why, clause };
                        self.umpire.lapse(vec![bar.firm()], |_| lapsed);
                    }
                }
                self.umpire.put_down(before);
            }
            if let Some(at) = self.now().at(unit) {
                self.put_leader(leader.id, at, Some(unit));
                places.insert(leader.id, unit);
            }
        }
        if !places.is_empty() {
            self.umpire.note(Event::LeadersPlaced { field: self.field, side: self.power, places });
        }
    }

    /// Leaders of the acting side move and attach before anything else (§9a, §9b, §A37).
    pub fn move_leaders(&mut self, orders: &FieldOrders, at: &DocPath) {
        self.refuse_leaders(orders, at, false);
        for id in &self.ground().leaders {
            let Some(leader) = self.game.data.leaders.get(id).filter(|leader| leader.power == self.power) else {
                continue;
            };
            let ordered = orders.leaders.get(id).copied();
            let state = self.now().state.leader(*id);
            let Place::At(from) = state.at else {
                self.refuse_leader(*id, at, ordered.and_then(|way| self.now().leader_goal(leader, way).err()));
                continue;
            };
            let mut to = from;
            if let Some(way) = ordered {
                match self.now().leader_goal(leader, way) {
                    Ok(goal) => {
                        to = goal;
                        let before = self.umpire.take_in_hand(at.key("leaders").key(id.as_str()));
                        self.umpire.put_down(before);
                    }
                    Err(bars) => {
                        let joins = match way {
                            Way::To(unit) => Some(unit),
                            Way::Box(square) => self.now().state.unit_in(square),
                            Way::Step(_) => None,
                        };
                        // A leader whose order is refused stays, so what he can reach is what he could have reached.
                        let instead = format!("he {}", self.now().company(leader, from));
                        let told = |bar: Bar| or(bar.about(joins.map(command)), Some(instead.clone()));
                        let bars = bars.into_iter().map(told).collect();
                        self.refuse_leader(*id, at, Some(bars));
                    }
                }
            }
            let with = self.now().joins_in(leader, to);
            if to != from || with != state.with {
                self.put_leader(*id, to, with);
                self.umpire.note(Event::LeaderMoved { leader: *id, from, to, with });
            }
        }
    }

    /// Orders for leaders who are not there to be ordered lapse; all of them once the turn has begun (§9b).
    pub fn refuse_leaders(&mut self, orders: &FieldOrders, at: &DocPath, begun: bool) {
        for id in orders.leaders.keys() {
            let own = self.now().leader(*id).is_some_and(|leader| leader.power == self.power);
            let (clause, why) = match (own, begun) {
                (false, _) => ("9a", format!("{id} is not one of your leaders here")),
                (true, true) => ("9b", "leaders move before the first activation of a player turn".to_owned()),
                (true, false) => continue,
            };
            self.refuse_leader(*id, at, Some(vec![Bar::new(clause, why, "leave it out")]));
        }
    }

    fn refuse_leader(&mut self, leader: LeaderId, at: &DocPath, bars: Option<Vec<Bar>>) {
        let Some(bars) = bars else { return };
        let before = self.umpire.take_in_hand(at.key("leaders").key(leader.as_str()));
        let (why, clause) = super::turn::said(&bars);
        let lapsed = Event::LeaderOrderLapsed { leader, why, clause };
        self.umpire.lapse(bars.into_iter().map(Bar::firm).collect(), |_| lapsed);
        self.umpire.put_down(before);
    }

    fn put_leader(&mut self, leader: LeaderId, at: Square, with: Option<UnitId>) {
        if let Some(state) = self.here().leaders.get_mut(&leader) {
            state.at = Place::At(at);
            state.with = with;
        }
    }

    /// Every attached leader draws for his life, in seniority order (§9q, §9r, §9u, §A39).
    pub fn survive(&mut self, unit: UnitId, against: Against) -> Ruling<()> {
        let leaders: Vec<LeaderId> = self.now().leaders_with(unit).collect();
        let clause = Clause(if against == Against::Melee { "9r" } else { "9q" });
        let Some(power) = self.now().power(unit) else { return Ok(()) };
        for leader in leaders {
            let lives = |chips: &[u16]| {
                Drawn::new(chips.iter().filter(|chip| **chip != LEADER_DIES_ON).count(), &["dies", "lives"])
            };
            let chip = self.draw((leader, power), "survive", 1, lives, Touch::default())?;
            let dies = lives(chip.faces()).count() == 0;
            self.umpire.note(Event::Survival { leader, unit, chip, dies, clause });
            if dies {
                self.lose_leader(leader, LeaderFate::Killed, clause);
            }
        }
        Ok(())
    }

    fn lose_leader(&mut self, leader: LeaderId, fate: LeaderFate, clause: Clause) {
        if let Some(state) = self.here().leaders.get_mut(&leader) {
            state.at = Place::Lost;
            state.with = None;
        }
        self.umpire.note(Event::LeaderLost { leader, fate, clause });
    }

    /// An overrun leader goes to the nearest unit he may join, or is captured (§A38).
    pub fn flee(&mut self, id: LeaderId, from: Square) -> Ruling<()> {
        let Some(leader) = self.game.data.leaders.get(&id) else {
            return Ok(());
        };
        let refuges = self.now().refuges(leader, from);
        let Some(default) = refuges.first().copied() else {
            self.lose_leader(id, LeaderFate::Captured, Clause("A38"));
            return Ok(());
        };
        let unit = if refuges.len() == 1 {
            default
        } else {
            let listed = refuges.clone();
            let question = Question {
                who: leader.power.side(),
                kind: JOIN,
                about: Subject::of(id),
                clause: Clause("A38"),
                text: format!("an enemy enters {from}, where {} is alone: which unit does he join?", leader.name),
                options: refuges,
                default,
                also: None,
            };
            self.umpire.ask(question, None, |policy| match policy {
                Policy::Join(wished) => match wished.iter().find(|unit| listed.contains(unit)) {
                    Some(unit) => Say::Choose(*unit),
                    None => Say::Default,
                },
                _ => Say::Default,
            })?
        };
        let Some(to) = self.now().at(unit) else {
            return Ok(());
        };
        if let Some(state) = self.here().leaders.get_mut(&id) {
            state.at = Place::At(to);
            state.with = Some(unit);
        }
        self.umpire.note(Event::LeaderJoined { leader: id, from, to, unit });
        Ok(())
    }
}
