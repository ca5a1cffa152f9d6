//! Chapter 11: who commands whom, how far a command reaches, and who is Out of Command. Also §5.7.

use std::collections::BTreeSet;

use crate::board::{Hex, distance_field};
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Ruling, Seen, Side, Tally, hoping};

use super::data::Unit;
use super::events::{Event, PhaseName};
use super::orders::TurnOrders;
use super::play::Play;
use super::position::{Crowd, Position, enemy};
use super::state::{Place, Stage, State};
use super::terms::{Arm, Chief, Flag, Force, Formation, Oos, Piece};
use super::{SplendidLittleWar, US};

/// A leader's hexes and how far away each is by a way along which command can be traced.
pub struct Span {
    leader: Piece,
    at: Hex,
    field: crate::board::Field,
}

impl<'p> Position<'p> {
    /// Is the leader dead, not merely wounded or absent (§11.0an)?
    fn dead(&self, leader: Chief) -> bool {
        let known = self.data().chief(leader);
        known.is_some_and(|id| self.state.units.get(&id).is_some_and(|unit| unit.at == Place::Lost))
    }

    /// Where a leader stands.
    fn chief_at(&self, leader: Chief) -> Option<Hex> {
        self.state.hex_of(self.data().chief(leader)?)
    }

    /// Has the leader Shafter's authority (§11.0e, §11.0o, §11.0p)?
    fn runs_the_corps(&self, leader: Option<Chief>) -> bool {
        match leader {
            Some(Chief::Shafter) => true,
            Some(Chief::Lawton) => self.dead(Chief::Shafter),
            Some(Chief::Kent) => self.dead(Chief::Shafter) && self.dead(Chief::Lawton),
            _ => false,
        }
    }

    /// Has Wood taken over from Wheeler (§11.0q)?
    pub fn wood_succeeds(&self) -> bool {
        let wood = self.data().chief(Chief::Wood);
        self.dead(Chief::Wheeler)
            && wood.is_some_and(|id| self.state.units.contains_key(&id))
            && !self.dead(Chief::Wood)
    }

    /// Is a leader entitled to command a unit (§5.7a, §11.0e to §11.0s)?
    pub fn commands(&self, leader: Piece, unit: Piece) -> bool {
        let (Some(leader), Some(unit)) = (self.unit(leader), self.unit(unit)) else { return false };
        if !leader.is_leader() || leader.side() != unit.side() {
            return false;
        }
        match unit.force {
            // §11.0j, §15.6b, §15.6j.
            Force::Cuban => leader.force == Force::Cuban,
            Force::Us if leader.force == Force::Cuban => false,
            Force::Us => self.commands_us(leader, unit),
            Force::Spanish => {
                let naval = unit.has(Flag::Naval);
                if leader.has(Flag::NavalOnly) {
                    naval // §11.0n
                } else if naval {
                    false // §11.0k, AMB-52
                } else if leader.has(Flag::ArtilleryOnly) {
                    unit.arm == Arm::Artillery // §11.0m
                } else if leader.has(Flag::EscarioOnly) {
                    unit.has(Flag::Escario) // §11.0l
                } else {
                    true
                }
            }
        }
    }

    fn commands_us(&self, leader: &Unit, unit: &Unit) -> bool {
        // §16.1i: lent to another formation.
        let formation = self.game.scenario_entry().attached.get(&unit.id).copied().unwrap_or(unit.formation);
        if self.runs_the_corps(leader.chief) || unit.has(Flag::CorpsAsset) || leader.formation == formation {
            return leader.chief != Some(Chief::Roosevelt) || unit.has(Flag::CorpsAsset) || self.roosevelt_has(unit);
        }
        match leader.chief {
            Some(Chief::Roosevelt) => self.roosevelt_has(unit),
            Some(Chief::Wood) => {
                let taken = |id: &Piece| *id == unit.id || unit.parent == Some(*id);
                unit.has(Flag::Usvc) || self.wood_succeeds() && self.state.wood.iter().any(taken) // §11.0h, §11.0q
            }
            Some(Chief::Wheeler) => matches!(unit.formation, Formation::CavalryDivision | Formation::VolunteerCavalry),
            _ => false,
        }
    }

    /// §11.0i, §11.0r: the Colt, one part of the Rough Riders, or all of them once Wood has succeeded.
    fn roosevelt_has(&self, unit: &Unit) -> bool {
        let one = self.state.roosevelt == Some(unit.id);
        unit.has(Flag::Colt) || unit.has(Flag::Usvc) && (one || self.wood_succeeds())
    }

    /// What lengthens or shortens the command that reaches a unit (§11.0t to §11.0z).
    pub fn range_modifiers(&self, leader: Piece, unit: Piece) -> Tally {
        let mut sum = Tally::new();
        let now = self.now(unit);
        let limits = self.data().tables.command;
        let near = |chief: Chief| {
            // §11.0al: from leader to leader, never to himself.
            self.data().chief(chief) != Some(leader)
                && match (self.chief_at(chief), self.state.hex_of(leader)) {
                    (Some(a), Some(b)) => self.data().distance(a, b) <= limits.near_chief,
                    _ => false,
                }
        };
        if let Some(unit) = self.unit(unit) {
            match unit.force {
                Force::Us => {
                    if near(Chief::Shafter) {
                        sum.add("Shafter within 4 hexes", 1, Clause("11.0t"));
                    }
                    if unit.formation == Formation::Independent {
                        sum.add("Independent Brigade", 1, Clause("11.0u"));
                    }
                    if unit.formation == Formation::FifthCorps {
                        sum.add("V Corps", 1, Clause("11.0v"));
                    }
                }
                Force::Spanish if near(Chief::DelRey) => sum.add("Del Rey within 4 hexes", 1, Clause("11.0w")),
                _ => {}
            }
        }
        if now.broken {
            sum.add("Broken", -1, Clause("11.0x"));
        }
        match now.oos {
            Some(Oos::One) => sum.add("OoS1", -1, Clause("11.0y")),
            Some(Oos::Two) => sum.add("OoS2", -2, Clause("11.0z")),
            None => {}
        }
        sum
    }

    /// How far the leader's command reaches towards the unit (§11.0aa).
    pub fn command_range(&self, leader: Piece, unit: Piece) -> u32 {
        let printed = self.unit(leader).and_then(|leader| leader.command).unwrap_or(0);
        let limits = self.data().tables.command;
        let net = self.range_modifiers(leader, unit).total().clamp(limits.least, limits.most);
        printed.saturating_add_signed(net)
    }

    /// Where the command of each leader of a side can be traced to (§11.0d).
    pub fn spans(&self, side: Side) -> Vec<Span> {
        self.spans_of(side, |_| true)
    }

    fn spans_of(&self, side: Side, wanted: impl Fn(Piece) -> bool) -> Vec<Span> {
        let data = self.data();
        let crowd = self.crowd();
        let foe = enemy(side);
        // A hex with any friendly unit is usable despite enemy zones (AMB-13).
        let open = |hex: Hex| {
            data.is_land(hex)
                && !crowd.has(data, hex, Crowd::any_of(foe))
                && (!crowd.has(data, hex, Crowd::zone_of(foe)) || crowd.has(data, hex, Crowd::any_of(side)))
        };
        let leaders = self.on_map(side).filter(|(id, _)| self.is_leader(*id) && wanted(*id));
        leaders
            .map(|(leader, at)| {
                // The last hex, the unit's own, is not traced through: it is looked up from its neighbours.
                let field = distance_field(&data.grid, [at], |from, _, to| data.distance(at, from) < 6 && open(to));
                Span { leader, at, field }
            })
            .collect()
    }

    /// A leader in whose Command Range the unit is now (§11.0c), by the spans of its side.
    pub fn commander_among(&self, spans: &[Span], unit: Piece) -> Option<Piece> {
        let data = self.data();
        let hex = self.state.hex_of(unit)?;
        let reaches = |span: &&Span| {
            if !self.commands(span.leader, unit) {
                return false;
            }
            let far = if span.at == hex {
                Some(0)
            } else {
                let before = data.neighbours(hex).filter(|next| data.is_land(hex) && data.is_land(*next));
                before.filter_map(|next| span.field.get(&data.grid, next)).min().map(|steps| steps + 1)
            };
            far.is_some_and(|far| far <= self.command_range(span.leader, unit))
        };
        spans.iter().find(reaches).map(|span| span.leader)
    }

    /// A leader in whose Command Range the unit is at this moment (§5.7e, §13.2n).
    pub fn commander(&self, unit: Piece) -> Option<Piece> {
        if self.front_of(unit).is_some() {
            // §9.0k: at the map edge he stands with it, or is not there.
            return self.leaders_with(unit).into_iter().find(|leader| self.commands(*leader, unit));
        }
        self.commander_among(&self.spans_of(self.side(unit)?, |leader| self.commands(leader, unit)), unit)
    }

    /// Is the unit checked for command at all (§11.0j, §11.0aj)?
    pub fn needs_command(&self, unit: Piece) -> bool {
        self.unit(unit).is_some_and(|unit| unit.is_combat() && unit.force != Force::Cuban)
    }

    /// Units Roosevelt may take: parts of the Rough Riders (§11.0i).
    pub fn rough_riders(&self) -> Vec<Piece> {
        let part = |id: &Piece| self.unit(*id).is_some_and(|unit| unit.has(Flag::Usvc) && unit.parent.is_some());
        self.on_map(US).map(|(id, _)| id).filter(part).collect()
    }

    /// The cavalry regiments Wood may take over (§11.0q), each with its counters on the map.
    pub fn cavalry_regiments(&self) -> BTreeSet<Piece> {
        let regiment = |(id, _): (Piece, Hex)| {
            let unit = self.unit(id)?;
            let of = matches!(unit.formation, Formation::CavalryDivision | Formation::VolunteerCavalry);
            (of && !unit.has(Flag::Colt) && unit.is_combat()).then(|| unit.parent.unwrap_or(id))
        };
        self.on_map(US).filter_map(regiment).collect()
    }
}

/// The position in which orders will be carried out: a US turn begins with its Command Phase, whose markers do not lie
/// yet when the orders are written (§11.0a).
pub fn as_commanded(game: &SplendidLittleWar, seen: &Seen<'_, State>) -> State {
    if seen.state.stage != Stage::UsTurn {
        return seen.state.clone();
    }
    hoping(game, seen, US, |state, umpire| {
        // Nobody is asked and nothing is rolled in it, so it cannot end early.
        let _: Ruling<()> = Play::new(game, state, umpire).command_phase(US, None);
        state.clone()
    })
}

impl Play<'_, '_> {
    /// The Command Phase (§11.0a).
    pub fn command_phase(&mut self, side: Side, orders: Option<&TurnOrders>) -> Ruling<()> {
        self.begin_phase(Some(side), PhaseName::Command);
        if side == US {
            self.choose_roosevelt(orders.and_then(|orders| orders.roosevelt));
            self.choose_wood(orders.map_or(&[], |orders| &orders.wood));
        }
        let now = self.now();
        let spans = now.spans(side);
        let checked = now.on_map(side).map(|(id, _)| id).filter(|id| now.needs_command(*id));
        let found: Vec<(Piece, bool)> = checked.map(|id| (id, now.commander_among(&spans, id).is_none())).collect();
        let (mut out, mut back) = (Vec::new(), Vec::new());
        for (id, ooc) in found {
            let was = self.state.unit(id).ooc;
            self.change(id, |unit| unit.ooc = ooc);
            match (was, ooc) {
                (_, true) => out.push(id),
                (true, false) => back.push(id),
                _ => {}
            }
        }
        self.umpire.note(Event::CommandChecked { side, out, back });
        Ok(())
    }

    /// D20: the nearest eligible part that no other leader has, then nearest, then by id.
    fn choose_roosevelt(&mut self, ordered: Option<Piece>) {
        self.state.roosevelt = None;
        let Some(id) = self.data().chief(Chief::Roosevelt) else { return };
        let parts = self.now().rough_riders();
        let chosen = match ordered {
            Some(unit) => {
                let before = self.umpire.take_in_hand(DocPath::root().key("roosevelt"));
                let mut bars = Vec::new();
                if self.state.hex_of(id).is_none() {
                    bars.push(Bar::new("11.0i", "Roosevelt is not on the map", "leave `roosevelt` out"));
                } else if !parts.contains(&unit) {
                    let why = format!("{unit} is no part of the Rough Riders on the map");
                    bars.push(Bar::new("11.0i", why, "name one broken-down part of us-usvc-01"));
                }
                let good = bars.is_empty();
                self.lapse("Roosevelt's command", bars);
                self.umpire.put_down(before);
                good.then_some(unit)
            }
            None => None,
        };
        let now = self.now();
        let Some(at) = self.state.hex_of(id) else { return };
        let spans = now.spans(US);
        let key = |unit: &Piece| {
            let far = self.state.hex_of(*unit).map_or(u32::MAX, |hex| now.data().distance(at, hex));
            (now.commander_among(&spans, *unit).is_some(), far, *unit)
        };
        let chosen = chosen.or_else(|| parts.iter().copied().min_by_key(key));
        if let Some(unit) = chosen {
            self.state.roosevelt = Some(unit);
            self.umpire.note(Event::Roosevelt { unit });
        }
    }

    /// §11.0q: once Wheeler is dead, at most three regiments, the Volunteer Cavalry among them (D20).
    fn choose_wood(&mut self, ordered: &[Piece]) {
        self.state.wood.clear();
        let regiments = self.now().cavalry_regiments();
        let succeeds = self.now().wood_succeeds();
        let usvc = |id: &Piece| self.data().unit(*id).is_some_and(|unit| unit.has(Flag::Usvc));
        let mut chosen = Vec::new();
        if !ordered.is_empty() {
            let mut bars = Vec::new();
            let bar = |why: String| Bar::new("11.0q", why, "name up to three cavalry regiments, us-usvc-01 among them");
            if !succeeds {
                bars.push(Bar::new("11.0q", "Wheeler is not dead", "leave `wood` out"));
            }
            for id in ordered.iter().filter(|id| !regiments.contains(id)) {
                bars.push(bar(format!("{id} is no cavalry regiment on the map")));
            }
            if ordered.iter().filter(|id| !usvc(id)).count() > 2 {
                bars.push(bar("Wood commands at most two regiments besides the Volunteer Cavalry".into()).firm());
            } else if regiments.iter().any(usvc) && !ordered.iter().any(usvc) {
                bars.push(bar("the Volunteer Cavalry must be among them".into()));
            }
            if bars.is_empty() {
                chosen = ordered.to_vec();
            }
            let before = self.umpire.take_in_hand(DocPath::root().key("wood"));
            self.lapse("Wood's command", bars);
            self.umpire.put_down(before);
        }
        if !succeeds {
            return;
        }
        if chosen.is_empty() {
            chosen = self.now().default_wood(&regiments);
        }
        self.state.wood.clone_from(&chosen);
        self.umpire.note(Event::Wood { regiments: chosen });
    }
}

impl Position<'_> {
    /// D20: the Volunteer Cavalry and the two regiments with most units in Wood's range.
    fn default_wood(&self, regiments: &BTreeSet<Piece>) -> Vec<Piece> {
        let wood = self.data().chief(Chief::Wood);
        let usvc = |id: &Piece| self.has(*id, Flag::Usvc);
        let near = |regiment: &Piece| {
            let of = |(id, _): &(Piece, Hex)| {
                *id == *regiment || self.unit(*id).is_some_and(|unit| unit.parent == Some(*regiment))
            };
            let Some((wood, at)) = wood.and_then(|wood| Some((wood, self.state.hex_of(wood)?))) else { return 0 };
            let in_range = |(id, hex): &(Piece, Hex)| self.data().distance(at, *hex) <= self.command_range(wood, *id);
            self.on_map(US).filter(of).filter(in_range).count()
        };
        let mut others: Vec<Piece> = regiments.iter().copied().filter(|id| !usvc(id)).collect();
        others.sort_by_key(|id| (std::cmp::Reverse(near(id)), *id));
        regiments.iter().copied().filter(usvc).chain(others.into_iter().take(2)).collect()
    }
}
