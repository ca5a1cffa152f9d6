//! Chapter 12: movement, hex by hex; breakdown and reforming (§5.3), entrenching (§6.0), and what Out of Command units
//! must do first (§11.0ah).

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::board::{Bearing, Hex, HexGrid, Reach, Step, Stride, WalkFault, cheapest_path, march, reach, walk};
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Question, Ruling, Say, Side, Subject};

use super::data::Water;
use super::events::{BrokenBy, Event, Paid, PhaseName};
use super::orders::{MoveOrder, TurnOrders};
use super::play::{Play, subjects};
use super::policy::{LEAVE_ZONE, Policy};
use super::position::{Crowd, Position, enemy};
use super::state::{Place, UnitState};
use super::terms::{Arm, CheckKind, Crossing, Flag, Force, Mp, Oos, Piece, Terrain, Weather};
use super::{SPAIN, US};

/// Who marches: everything the step rule asks.
pub struct Marcher<'p> {
    now: Position<'p>,
    side: Side,
    /// Where they start.
    pub from: Hex,
    /// Movement Factors of the slowest.
    pub purse: Mp,
    /// Somebody among them heeds enemy zones (§5.2g, §5.2h).
    zoned: bool,
    /// A combat unit is among them (§12.0h).
    fighting: bool,
    /// The balloon's Base is among them (§15.1b).
    base: bool,
    /// Out of Command (§11.0af).
    ooc: bool,
    /// A move of one hex is always possible (§12.0f).
    least: bool,
    /// The Civil Guard in the city (§17.0.setup-o).
    guard: bool,
    force: Force,
    crowd: Crowd,
    /// Full hexes, where limits hold on the march too (§5.4o).
    full: BTreeSet<Hex>,
}

impl Position<'_> {
    /// What a step costs these days (§12.0i): the hex or its road, the entrenchment, the river. Nothing if prohibited.
    pub fn step_cost(&self, side: Side, from: Hex, to: Hex) -> Option<Mp> {
        let (data, weather) = (self.data(), self.state.weather);
        let tables = &data.tables;
        let ground = data.hex_cost(to)?;
        let trail = if data.trail_between(from, to) { tables.trail(weather) } else { None };
        let hex = if data.road_between(from, to) { tables.road(weather) } else { trail.unwrap_or(ground) };
        let dug = if self.state.entrenchments.contains(&to) { tables.entrenchment() } else { Mp::ZERO };
        let water = match data.crossing(from, to) {
            // §15.4g: not while the enemy stands at one of its ends (AMB-39).
            Water::Ford | Water::River
                if self.state.pontoons.contains(&Crossing::new(from, to))
                    && [from, to].iter().all(|hex| self.stack(*hex, enemy(side)).is_empty()) =>
            {
                tables.pontoon(weather)
            }
            water => tables.water(water, weather),
        };
        Some(hex + dug + water)
    }
}

impl Marcher<'_> {
    /// The same with so much left to spend.
    pub fn with_purse(self, purse: Mp) -> Self {
        Marcher { purse, ..self }
    }

    /// The one step rule: what entering a hex costs, or why it cannot be entered.
    pub fn step(&self, from: Hex, to: Hex) -> Step<Bar, 2> {
        let data = self.now.data();
        let foe = enemy(self.side);
        let about = |bar: Bar| Step::Barred(bar.about([Subject::of(to)]));
        let Some(cost) = self.now.step_cost(self.side, from, to) else {
            return Step::Barred(Bar::new("TEC.harbor", format!("{to} is harbor"), "go around it").firm());
        };
        if self.crowd.has(data, to, Crowd::combat_of(foe)) {
            return about(Bar::new("12.0h", format!("the enemy holds {to}"), "assault it instead"));
        }
        if !self.fighting && self.crowd.has(data, to, Crowd::any_of(foe)) {
            let why = format!("enemies are in {to}, and no combat unit goes there");
            return about(Bar::new("12.0h", why, "send a combat unit along"));
        }
        let other = if self.force == Force::Cuban { Crowd::US_ARMY } else { Crowd::CUBAN };
        if self.side == US && self.crowd.has(data, to, other) {
            let why = format!("{to} holds the other force of the US player");
            return about(Bar::new("15.6l", why, "Cubans and US units never share a hex"));
        }
        if self.force == Force::Cuban && !self.now.may_stand_beside_us(&self.crowd, to) {
            let why = format!("{to} is beside US units, and not all of it is clear ground");
            return about(Bar::new("15.6m", why, "keep Cubans away from US units, or in the open"));
        }
        if self.base && !data.road_between(from, to) && !self.trail(from, to) {
            let why = format!("the Base moves along roads and trails only, and none leads from {from} to {to}");
            return Step::Barred(Bar::new("15.1b", why, "follow the road").firm());
        }
        if self.guard && !data.city.contains(&to) {
            let why = "the Civil Guard does not leave the city";
            return Step::Barred(Bar::new("17.0.setup-o", why, "keep it in Santiago").firm());
        }
        if self.full.contains(&to)
            && (data.road_between(from, to) || self.trail(from, to))
            && (data.is(to, Terrain::Jungle) || data.is(to, Terrain::Swamp))
        {
            let why = format!("the road through {to} is full");
            return about(Bar::new("5.4o", why, "wait until it is free"));
        }
        let zone = self.crowd.has(data, to, Crowd::zone_of(foe));
        if self.ooc && from != self.from {
            return Step::Barred(Bar::new("11.0af", "Out of Command units move one hex at most", "stop there").firm());
        }
        if self.zoned && zone && self.crowd.has(data, from, Crowd::zone_of(foe)) {
            let friends = self.crowd.has(data, to, Crowd::normal_of(self.side));
            if !friends {
                let why = format!("{from} and {to} are both in enemy zones of control");
                return about(Bar::new("5.2m", why, "leave the zone first, or join a sound friendly unit"));
            }
        }
        // §12.0f: with the whole MF one hex is always possible, if no enemy zone is there.
        let cost = if self.least && from == self.from && cost > self.purse && !zone { self.purse } else { cost };
        if self.zoned && zone { Step::PayAndHalt(cost) } else { Step::Pay(cost) }
    }

    /// Why the move of one hex that is always possible (§12.0f, §12.0g) is not possible here, if that is what is missing.
    fn bar_of_first_hex(&self, fault: &WalkFault<Hex, Bar, 2>, pieces: &[Piece]) -> Option<Bar> {
        let WalkFault::Exhausted { at: 1, to, needed, purse, .. } = fault else { return None };
        let (clause, why) = match self.least {
            true => ("12.0f", format!("{to} costs {needed} of {purse} and is in an enemy zone of control")),
            false => {
                ("12.0g", format!("{to} costs {needed} of {purse}, and not all of them are Normal, led and supplied"))
            }
        };
        let remedy = "only a Normal unit in command and supply enters any hex free of enemy zones with its whole MF";
        let at = DocPath::root().key("path").index(0);
        Some(Bar::new(clause, why, remedy).at(at).about(subjects(pieces.iter().copied())).about([Subject::of(to)]))
    }

    fn trail(&self, from: Hex, to: Hex) -> bool {
        // §15.1q: in Poor-squared there are no trails to move along.
        self.now.data().trail_between(from, to) && self.now.state.weather != Weather::PoorSquared
    }

    /// Why they may not end their move in a hex.
    pub fn bars_stopping(&self, pieces: &[Piece], hex: Hex, gathering: bool) -> Vec<Bar> {
        let now = &self.now;
        let data = now.data();
        let mut bars = Vec::new();
        let mut there = now.fighters(hex, self.side);
        there.retain(|piece| !pieces.contains(piece));
        there.extend(pieces.iter().copied());
        if now.overstacked(&there, gathering) {
            let why = format!("{} would hold too many", data.describe(hex));
            let bar = Bar::new("5.4a", why, "end somewhere else, or move others out first");
            let others = there.iter().map(Subject::of).chain([Subject::of(hex)]);
            bars.push(bar.about(others.collect::<Vec<_>>()));
        }
        let foe = enemy(self.side);
        if self.ooc && self.zoned && now.in_zone_of(hex, foe) {
            let friends = now.fighters(hex, self.side).iter().any(|piece| !pieces.contains(piece));
            if !friends {
                let why = format!("{hex} is in an enemy zone of control");
                let remedy = "Out of Command units end there only with a friendly combat unit";
                bars.push(Bar::new("11.0ag", why, remedy).about([Subject::of(hex)]));
            }
        }
        let held = pieces.iter().any(|piece| now.now(*piece).garrison);
        if held && !data.city.contains(&hex) && !data.city_forts.contains(&hex) {
            let why = format!("Garrison Units may not end in {hex}");
            bars.push(Bar::new("17.0.garrison-g", why, "end in the city or one of its forts, or `release` them"));
        }
        bars
    }
}

impl<'p> Position<'p> {
    /// Why a counter may not move at all in this Movement Phase.
    pub fn bars_moving(&self, side: Side, piece: Piece, moved: &BTreeSet<Piece>) -> Vec<Bar> {
        let about = |bar: Bar| bar.about([Subject::of(piece)]);
        if self.side(piece) != Some(side) {
            return vec![Bar::new("4.0h", format!("{piece} is not yours"), "name a unit of your own").firm()];
        }
        let now = self.now(piece);
        if now.at.hex().is_none() {
            let parts =
                self.unit(piece).is_some_and(|unit| unit.parts.iter().any(|part| self.now(*part).at.hex().is_some()));
            let whole = self.unit(piece).and_then(|unit| unit.parent).filter(|id| self.now(*id).at.hex().is_some());
            let (why, remedy) = match (parts, whole, now.at) {
                (true, _, _) => (format!("{piece} is broken down"), "name its parts, or reform it".to_owned()),
                (_, Some(whole), _) => {
                    (format!("{piece} is a part of {whole}"), "break the regiment down first".to_owned())
                }
                (_, _, Place::Edge) => {
                    (format!("{piece} is not on the map yet"), "reinforcements come under `enter`".to_owned())
                }
                _ => (format!("{piece} is not on the map"), "name what stands on the map".to_owned()),
            };
            let clause = if now.at == Place::Edge { "9.0c" } else { "12.0a" };
            return vec![about(Bar::new(clause, why, remedy))];
        }
        let mut bars = Vec::new();
        if now.entered {
            let why = format!("{piece} entered the map this turn");
            bars.push(about(Bar::new("9.0c", why, "its move goes with `enter`")));
        }
        if now.waits {
            let why = format!("{piece} waits for El Caney until turn 2");
            bars.push(about(Bar::new("16.3c", why, "leave it where it is")));
        }
        let base = self.arm(piece) == Some(Arm::Base);
        if moved.contains(&piece) {
            // The Base has launched or packed the balloon in this phase (§15.1d, §15.1f, §15.1r).
            let clause = match (base, self.state.balloon_up, self.state.weather.is_poor()) {
                (false, ..) => "12.0b",
                (true, true, _) => "15.1d",
                (true, false, false) => "15.1f",
                (true, false, true) => "15.1r",
            };
            let why = format!("{piece} has moved, or its turn is used up");
            bars.push(about(Bar::new(clause, why, "order it once")));
        }
        if base && self.state.balloon_up {
            bars.push(about(Bar::new("15.1e", "the balloon is up", "bring it down with `balloon: down`")));
        }
        if self.has(piece, Flag::CivilGuard) && now.at.hex().is_some_and(|hex| !self.data().city.contains(&hex)) {
            let why = "the Civil Guard goes back into the city by itself";
            bars.push(about(Bar::new("17.0.setup-r", why, "leave it out")));
        }
        bars
    }

    /// Who marches together: all of one hex.
    pub fn marcher(&self, pieces: &[Piece]) -> Option<Marcher<'p>> {
        let first = *pieces.first()?;
        let unit = self.unit(first)?;
        let (side, force) = (unit.side(), unit.force);
        let from = self.state.hex_of(first)?;
        let units = || pieces.iter().filter_map(|piece| self.unit(*piece));
        let states = || pieces.iter().map(|piece| self.now(*piece));
        let zoned = units().any(|unit| unit.is_combat() && unit.arm != Arm::Guerrilla);
        let full = match self.game.options.road_stacking {
            true => self.hexes_of(side).into_iter().filter(|hex| self.too_full(*hex, side, pieces)).collect(),
            false => BTreeSet::new(),
        };
        Some(Marcher {
            now: *self,
            side,
            from,
            purse: Mp::whole(units().map(|unit| unit.mf).min().unwrap_or(0)),
            zoned,
            fighting: units().any(|unit| unit.is_combat()),
            base: units().any(|unit| unit.arm == Arm::Base),
            ooc: states().any(|now| now.ooc),
            least: states().all(|now| !now.broken && !now.ooc && now.oos.is_none()),
            guard: self.data().city.contains(&from) && units().any(|unit| unit.has(Flag::CivilGuard)),
            force,
            crowd: self.crowd(),
            full,
        })
    }

    /// The hexes in which a side has counters.
    pub fn hexes_of(&self, side: Side) -> BTreeSet<Hex> {
        self.on_map(side).map(|(_, hex)| hex).collect()
    }

    /// Everything that can be reached by these counters.
    pub fn reach(&self, marcher: &Marcher<'_>) -> Reach<HexGrid, 2> {
        let grid = &self.data().grid;
        reach(grid, marcher.from, marcher.purse, |from, _: Bearing, to| marcher.step(from, to))
    }

    /// The hexes these counters can march to and stop in, with the way there and its cost; not the hex they are in.
    pub fn routes(&self, pieces: &[Piece]) -> Vec<(Hex, Vec<Hex>, Mp)> {
        let Some(marcher) = self.marcher(pieces) else { return Vec::new() };
        let reach = self.reach(&marcher);
        let stops = |hex: Hex| hex != marcher.from && marcher.bars_stopping(pieces, hex, false).is_empty();
        (reach.costs().filter(|(hex, _)| stops(*hex)))
            .filter_map(|(hex, cost)| Some((hex, reach.path(hex)?.into_iter().skip(1).collect(), cost)))
            .collect()
    }

    /// Why a path cannot be walked to its end, and how far it can be.
    fn bars_path(&self, marcher: &Marcher<'_>, pieces: &[Piece], path: &[Hex], gathering: bool) -> (Vec<Bar>, usize) {
        let whole: Vec<Hex> = std::iter::once(marcher.from).chain(path.iter().copied()).collect();
        let walked = walk(&self.data().grid, &whole, marcher.purse, |from, _: Bearing, to| marcher.step(from, to));
        let mut bars = Vec::new();
        let bar = |fault| marcher.bar_of_first_hex(fault, pieces).unwrap_or_else(|| bar_of(fault, pieces));
        bars.extend(walked.fault.as_ref().map(bar));
        let mut steps = walked.steps();
        if steps > 0 {
            let stop = |steps: usize| whole.get(steps).copied().unwrap_or(marcher.from);
            let found = marcher.bars_stopping(pieces, stop(steps), gathering);
            if !found.is_empty() {
                // Of the way that is left, as far as one may stop.
                while steps > 0 && !marcher.bars_stopping(pieces, stop(steps), gathering).is_empty() {
                    steps -= 1;
                }
                bars.extend(found);
            }
        }
        (bars, steps)
    }

    /// The cheapest way to a hex.
    pub fn way(&self, pieces: &[Piece], to: Hex) -> Option<Vec<Hex>> {
        let marcher = self.marcher(pieces)?;
        let grid = &self.data().grid;
        let found = cheapest_path(grid, marcher.from, to, marcher.purse, |from, _: Bearing, to| marcher.step(from, to));
        found.map(|(path, _)| path.into_iter().skip(1).collect())
    }

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
                Place::At(_) if now.entered => format!("{part} entered the map this turn"),
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

    /// Why a unit may not entrench where it is (§6.0g to §6.0l).
    pub fn bars_entrenching(&self, side: Side, piece: Piece, moved: &BTreeSet<Piece>) -> Vec<Bar> {
        let mut bars = self.bars_moving(side, piece, moved);
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

/// Why a path ends early, as a bar of its order.
pub fn bar_of(fault: &WalkFault<Hex, Bar, 2>, pieces: &[Piece]) -> Bar {
    let at = |place: usize| DocPath::root().key("path").index(place.saturating_sub(1));
    match fault {
        WalkFault::Barred { at: place, why, .. } => why.clone().at(at(*place)),
        WalkFault::Halted { at: place, halted, .. } => {
            let why = format!("{halted} is in an enemy zone of control, where the move ends");
            Bar::new("5.2g", why, "stop there").at(at(*place)).about([Subject::of(halted)])
        }
        WalkFault::Exhausted { at: place, to, spent, needed, purse, .. } => {
            let why = format!("entering {to} costs {needed}, and {spent} of {purse} are spent");
            Bar::new("12.0d", why, "stop before it").at(at(*place)).about(subjects(pieces.iter().copied()))
        }
        WalkFault::NotAdjacent { at: place, from, to } => {
            Bar::new("12.0c", format!("{from} and {to} do not touch"), "name every hex").at(at(*place)).firm()
        }
        WalkFault::OffMap { cell, .. } => {
            Bar::new("12.0c", format!("{cell} is not on the map"), "name hexes of the map").firm()
        }
        WalkFault::Empty => Bar::new("12.0c", "the path is empty", "name every hex").firm(),
    }
}

/// An order with a path and a goal that is not its end.
pub fn two_ways(to: Hex) -> Bar {
    Bar::new("12.0c", format!("the path does not lead to {to}"), "write `path` or `to`, not both").part("to").firm()
}

/// A Movement Phase under way.
pub struct Begun {
    /// Entries of `moves` that said where a unit leaves an enemy zone to.
    consumed: BTreeSet<usize>,
    /// Who digs where.
    digging: Vec<(Piece, Hex)>,
}

/// A march under way.
struct Walker<'w, 'p, 'u> {
    play: &'w mut Play<'p, 'u>,
    side: Side,
    pieces: Vec<Piece>,
    from: Hex,
    paid: Vec<Paid>,
    /// They started in an enemy zone, and somebody heeds it (§5.2j).
    leaving: bool,
    /// Hexes of the path.
    last: usize,
}

impl Walker<'_, '_, '_> {
    /// Tells the march so far.
    fn flush(&mut self) {
        if self.paid.is_empty() || self.pieces.is_empty() {
            return;
        }
        let path = std::mem::take(&mut self.paid);
        let spent = path.iter().map(|paid| paid.cost).sum();
        let from = self.from;
        self.from = path.last().map_or(from, |paid| paid.hex);
        self.play.umpire.note(Event::Moved { units: self.pieces.clone(), from, path, spent });
    }

    /// A hex is entered.
    fn enter(&mut self, stride: Stride<Hex, 2>) -> Ruling<ControlFlow<()>> {
        let hex = stride.to;
        self.paid.push(Paid { hex, cost: stride.cost });
        for piece in &self.pieces {
            self.play.put(*piece, hex);
        }
        self.play.arrived(self.side, &self.pieces.clone(), hex)?;
        // §5.2k: to go on after leaving a zone each unit checks, in the first hex.
        if self.leaving && stride.at == 1 && self.last > 1 {
            self.flush();
            let mut onward = Vec::new();
            let mut held = Vec::new();
            for piece in self.pieces.clone() {
                let unit = self.play.data().unit(piece);
                let heeds = unit.is_some_and(|unit| unit.is_combat() && unit.arm != Arm::Guerrilla);
                let goes = !heeds || self.play.morale(piece, CheckKind::LeaveZone)?;
                if goes { onward.push(piece) } else { held.push(piece) }
            }
            if !held.is_empty() {
                let why = "the check to go on is failed".to_owned();
                self.play.umpire.note(Event::Halted { units: held, at: hex, why, clause: Clause("5.2k") });
            }
            // Nobody leads on who came only with those that stay.
            self.pieces = onward;
        }
        Ok(if self.pieces.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}

impl Play<'_, '_> {
    /// Counters have come into a hex: control, the garrison, and lone leaders found there.
    pub fn arrived(&mut self, side: Side, pieces: &[Piece], hex: Hex) -> Ruling<()> {
        self.take(side, pieces, hex);
        self.free_garrison(pieces, hex);
        let fighting = pieces.iter().any(|piece| self.now().is_combat(*piece));
        let found = !self.now().stack(hex, enemy(side)).is_empty();
        if fighting && found && !self.now().held_by(hex, enemy(side)) {
            self.overrun(hex, side)?;
        }
        Ok(())
    }

    /// The Movement Phase (§12.0).
    pub fn movement_phase(&mut self, side: Side, orders: &mut TurnOrders) -> Ruling<()> {
        let begun = self.begin_movement(side, orders)?;
        let reforms = |order: &MoveOrder| {
            order.reform && order.units.iter().any(|id| self.data().unit(*id).is_some_and(|u| u.arm == Arm::Cavalry))
        };
        self.gathering = orders.moves.iter().any(reforms);
        for (index, order) in orders.moves.iter_mut().enumerate() {
            let at = DocPath::root().key("moves").index(index);
            if begun.consumed.contains(&index) {
                let before = self.umpire.take_in_hand(at);
                self.umpire.put_down(before);
                continue;
            }
            self.entry(at, |play| play.carry_move(side, order))?;
        }
        self.finish_movement(side, begun)
    }

    /// What comes before the first move: balloon, bridges, units that must leave enemy zones, spades.
    pub fn begin_movement(&mut self, side: Side, orders: &TurnOrders) -> Ruling<Begun> {
        self.begin_phase(Some(side), PhaseName::Movement);
        self.moved.clear();
        self.digs.clear();
        self.regrouped.clear();
        if side == US {
            self.balloon(orders.balloon)?;
            self.begin_pontoons(&orders.pontoon);
        }
        let consumed = self.leave_zones(side, &orders.moves)?;
        let digging = self.begin_entrenching(side, &orders.entrench)?;
        Ok(Begun { consumed, digging })
    }

    /// What comes after the last move.
    pub fn finish_movement(&mut self, side: Side, begun: Begun) -> Ruling<()> {
        self.civil_guard(side)?;
        self.finish_entrenching(begun.digging);
        self.free_near_us(side);
        self.gathering = false;
        self.check_stacking(side)
    }

    /// One order to move, break down or reform.
    pub fn carry_move(&mut self, side: Side, order: &mut MoveOrder) -> Ruling<()> {
        if order.units.is_empty() {
            let bar = Bar::new("12.0b", "nobody moves by this order", "name units").part("units").firm();
            self.lapse("move", vec![bar]);
            return Ok(());
        }
        if order.reform && !self.carry_reform(side, order) {
            return Ok(());
        }
        let mut pieces: Vec<Piece> = Vec::new();
        let start = order.units.iter().find_map(|piece| self.state.hex_of(*piece));
        // Who writes down the hex he starts from means the way from there.
        if start.is_some() && order.path.first().copied() == start {
            order.path.remove(0);
        }
        if order.path.is_empty() && order.to == start {
            order.to = None;
        }
        if let Some(to) = order.to.filter(|_| !order.path.is_empty()) {
            if order.path.last() != Some(&to) {
                self.lapse("move", vec![two_ways(to)]);
                return Ok(());
            }
            order.to = None;
        }
        let still = order.path.is_empty() && order.to.is_none();
        for (index, piece) in order.units.iter().enumerate() {
            let part = DocPath::root().key("units").index(index);
            // A regiment may break down at the end of a move; reforming may be the end of one.
            let spent = if still && order.reform { BTreeSet::new() } else { self.moved.clone() };
            let mut bars = match self.digs.contains(piece) {
                true => {
                    let why = format!("{piece} digs this turn, which takes its whole MF");
                    vec![Bar::new("6.0k", why, "leave it out here or under `entrench`").firm()]
                }
                false => self.now().bars_moving(side, *piece, &spent),
            };
            if bars.is_empty() && self.state.hex_of(*piece) != start {
                let why = format!("{piece} does not start from the same hex");
                bars.push(Bar::new("12.0b", why, "order it apart").about(subjects([*piece])));
            }
            if pieces.contains(piece) {
                bars.push(Bar::new("12.0b", format!("{piece} is named twice"), "name it once").firm());
            }
            match bars.is_empty() {
                true => pieces.push(*piece),
                false => {
                    let bars = bars.into_iter().map(|bar| bar.at(part.clone())).collect();
                    self.lapse(format!("move of {piece}"), bars);
                }
            }
        }
        if pieces.is_empty() {
            return Ok(());
        }
        if still && !order.reform && !order.break_down {
            let bar = Bar::new("12.0c", "the order leads nowhere", "give a `path` or `to`").firm();
            self.lapse("move", vec![bar]);
            return Ok(());
        }
        if !still {
            self.march_along(side, order, &pieces)?;
        }
        if order.break_down {
            self.carry_break_down(&pieces);
        }
        Ok(())
    }

    fn march_along(&mut self, side: Side, order: &mut MoveOrder, pieces: &[Piece]) -> Ruling<()> {
        let gathering = self.gathering;
        let Some(marcher) = self.now().marcher(pieces) else { return Ok(()) };
        let from = marcher.from;
        if let Some(to) = order.to.filter(|_| order.path.is_empty()) {
            match self.now().way(pieces, to) {
                Some(path) => {
                    order.path = path;
                    order.to = None;
                }
                None => {
                    let why = format!("{} cannot be reached from {from}", self.data().describe(to));
                    let about: Vec<Subject> = subjects(pieces.iter().copied());
                    let remedy = "`garcia reach` shows where it can go";
                    let bar = Bar::new("12.0d", why, remedy).part("to").about(about);
                    self.lapse(format!("move of {}", pieces[0]), vec![bar]);
                    return Ok(());
                }
            }
        }
        let (bars, steps) = self.now().bars_path(&marcher, pieces, &order.path, gathering);
        let path: Vec<Hex> = std::iter::once(from).chain(order.path.iter().copied().take(steps)).collect();
        let purse = marcher.purse;
        let starts_in_zone = marcher.zoned && self.now().in_zone_of(from, enemy(side));
        drop(marcher);
        if let Some(&to) = order.path.last().filter(|to| **to != from && bars.is_empty() && !gathering) {
            let now = Position { game: self.game, state: &*self.state };
            self.umpire.listed(|| now.routes(pieces).iter().any(|(hex, ..)| *hex == to));
        }
        self.lapse(format!("move of {}", pieces[0]), bars);
        if steps == 0 {
            return Ok(());
        }
        // §5.6d: a Broken unit moves only after a check.
        let mut goes = Vec::new();
        for piece in pieces.iter().copied() {
            self.moved.insert(piece);
            if self.state.unit(piece).broken && !self.morale(piece, CheckKind::Move)? {
                let why = "it is Broken and fails its check".to_owned();
                self.umpire.note(Event::Halted { units: vec![piece], at: from, why, clause: Clause("5.6d") });
                continue;
            }
            goes.push(piece);
        }
        if goes.is_empty() {
            return Ok(());
        }
        let grid = &self.data().grid;
        let last = path.len() - 1;
        // Where everybody stood at the start decides: nothing but the marchers moves, and who holds back falls out.
        let before = self.state.clone();
        let now = Position { game: self.game, state: &before };
        let Some(all) = now.marcher(&goes).map(|marcher| marcher.with_purse(purse)) else { return Ok(()) };
        let count = goes.len();
        let mut walker =
            Walker { play: self, side, pieces: goes, from, paid: Vec::new(), leaving: starts_in_zone, last };
        march(
            grid,
            &mut walker,
            &path,
            purse,
            |walker, a, _: Bearing, b| match walker.pieces.len() == count {
                true => all.step(a, b),
                false => match now.marcher(&walker.pieces) {
                    Some(marcher) => marcher.with_purse(purse).step(a, b),
                    None => Step::Barred(Bar::new("12.0b", "nobody is left", "").firm()),
                },
            },
            Walker::enter,
        )?;
        walker.flush();
        Ok(())
    }

    fn carry_break_down(&mut self, pieces: &[Piece]) {
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
    fn carry_reform(&mut self, side: Side, order: &MoveOrder) -> bool {
        for (index, &piece) in order.units.iter().enumerate() {
            let part = DocPath::root().key("units").index(index);
            let mut bars = match self.now().side(piece) == Some(side) {
                true => self.now().bars_reforming(piece, &self.regrouped),
                false => vec![Bar::new("4.0h", format!("{piece} is not yours"), "name a unit of your own").firm()],
            };
            let waits = |part: &Piece| self.state.unit(*part).waits;
            let parts = self.data().unit(piece).map(|unit| unit.parts.clone()).unwrap_or_default();
            if parts.iter().any(waits) {
                bars.push(Bar::new("16.3c", format!("{piece} waits until turn 2"), "leave it where it is"));
            }
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
            self.change(piece, |unit| *unit = UnitState { oos, ooc, ..UnitState::at(Place::At(at)) });
            for part in &parts {
                self.change(*part, |unit| *unit = UnitState::at(Place::Off));
            }
            self.umpire.note(Event::Reformed { unit: piece, from: parts, at });
        }
        true
    }

    /// Units Out of Command leave enemy zones before anything else moves (§11.0ah). Gives the entries of `moves` that
    /// said where to.
    fn leave_zones(&mut self, side: Side, moves: &[MoveOrder]) -> Ruling<BTreeSet<usize>> {
        let mut consumed = BTreeSet::new();
        let foe = enemy(side);
        let now = self.now();
        let bound = |(id, hex): &(Piece, Hex)| {
            let state = now.now(*id);
            let foot = now.unit(*id).is_some_and(|unit| unit.is_combat() && unit.arm != Arm::Guerrilla);
            state.ooc && foot && !state.entered && !state.waits && now.in_zone_of(*hex, foe) // §11.0ak
        };
        let units: Vec<(Piece, Hex)> = now.on_map(side).filter(bound).collect();
        for (unit, from) in units {
            let options = self.now().ways_out(side, unit, from);
            let Some(&default) = options.first() else {
                if !self.state.unit(unit).broken {
                    self.change(unit, |unit| unit.broken = true);
                    self.umpire.note(Event::Broken { units: vec![unit], at: from, by: BrokenBy::NoWayOut });
                }
                continue;
            };
            let goal = |order: &MoveOrder| order.path.iter().copied().find(|hex| *hex != from).or(order.to);
            let plain = |order: &MoveOrder| !order.break_down && !order.reform && order.path.len() <= 1;
            let says = |order: &MoveOrder| order.units == [unit] && plain(order) && goal(order).is_some();
            let said = moves.iter().position(says);
            let ordered = said.and_then(|index| goal(&moves[index])).filter(|hex| options.contains(hex));
            if ordered.is_some() {
                consumed.extend(said);
            }
            let question = Question {
                who: side,
                kind: LEAVE_ZONE,
                about: Subject::of(unit),
                clause: Clause("11.0ah"),
                text: format!("{unit} is Out of Command in an enemy zone and must leave {from}: where to?"),
                options: options.clone(),
                default,
                also: None,
            };
            let to = self.umpire.ask(question, ordered, |policy| match policy {
                Policy::Hexes(wanted) => {
                    wanted.iter().find(|hex| options.contains(hex)).map_or(Say::Default, |hex| Say::Choose(*hex))
                }
                _ => Say::Default,
            })?;
            self.moved.insert(unit);
            self.put(unit, to);
            self.umpire.note(Event::LeftZone { unit, from, to });
            self.arrived(side, &[unit], to)?;
        }
        Ok(consumed)
    }

    fn begin_entrenching(&mut self, side: Side, units: &[Piece]) -> Ruling<Vec<(Piece, Hex)>> {
        let mut digging: Vec<(Piece, Hex)> = Vec::new();
        for (index, &unit) in units.iter().enumerate() {
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
        Ok(digging)
    }

    /// Entrenchments are ready at the end of the phase (§6.0r).
    fn finish_entrenching(&mut self, digging: Vec<(Piece, Hex)>) {
        for (unit, at) in digging {
            if self.state.hex_of(unit) == Some(at) && self.state.entrenchments.insert(at) {
                self.umpire.note(Event::Entrenched { unit, at });
            }
        }
    }

    /// A Civil Guard outside the city goes back as far as it can (§17.0.setup-r).
    fn civil_guard(&mut self, side: Side) -> Ruling<()> {
        let now = self.now();
        let outside = |(id, hex): &(Piece, Hex)| now.has(*id, Flag::CivilGuard) && !now.data().city.contains(hex);
        let units: Vec<(Piece, Hex)> = now.on_map(SPAIN).filter(|_| side == SPAIN).filter(outside).collect();
        for (unit, from) in units {
            if self.moved.contains(&unit) || self.state.unit(unit).entered {
                continue;
            }
            let now = self.now();
            let Some(marcher) = now.marcher(&[unit]) else { continue };
            let room = |hex: &Hex| marcher.bars_stopping(&[unit], *hex, false).is_empty();
            let grid = &now.data().grid;
            // A zone on the way only interrupts the march, so the way is sought without halts.
            let step = |a: Hex, _: Bearing, b: Hex| match marcher.step(a, b) {
                Step::PayAndHalt(cost) => Step::Pay(cost),
                other => other,
            };
            let all = reach(grid, from, Mp::MAX, step);
            let goal =
                (now.data().city.iter().copied()).filter(room).filter_map(|hex| Some((all.cost(hex)?, hex))).min();
            let Some(path) = goal.and_then(|(_, hex)| all.path(hex)) else { continue };
            let path: Vec<Hex> = path.into_iter().skip(1).collect();
            let (_, mut steps) = now.bars_path(&marcher, &[unit], &path, false);
            let ooc = self.state.unit(unit).ooc;
            if ooc {
                steps = steps.min(1);
            }
            if steps == 0 {
                continue;
            }
            drop(marcher);
            let path: Vec<Hex> = path.into_iter().take(steps).collect();
            let mut order = MoveOrder { units: vec![unit], path, to: None, reform: false, break_down: false };
            self.march_along(side, &mut order, &[unit])?;
        }
        Ok(())
    }
}

impl Position<'_> {
    /// D19: hexes free of enemy zones that a unit Out of Command can go to, the best first.
    pub fn ways_out(&self, side: Side, unit: Piece, from: Hex) -> Vec<Hex> {
        let data = self.data();
        let Some(marcher) = self.marcher(&[unit]) else { return Vec::new() };
        let leaders: Vec<Hex> = (self.on_map(side))
            .filter(|(id, _)| self.is_leader(*id) && self.commands(*id, unit))
            .map(|(_, hex)| hex)
            .collect();
        let sources: Vec<Hex> = match side == SPAIN {
            true => data.city.iter().copied().collect(),
            false => vec![data.us_source],
        };
        let goals = if leaders.is_empty() { sources } else { leaders };
        let free = |hex: &Hex| {
            let cost = match marcher.step(from, *hex) {
                Step::Pay(cost) => cost,
                _ => return false,
            };
            cost <= marcher.purse
                && !self.in_zone_of(*hex, enemy(side))
                && marcher.bars_stopping(&[unit], *hex, false).is_empty()
        };
        let mut options: Vec<Hex> = data.land_around(from).filter(free).collect();
        let far = |hex: Hex| goals.iter().map(|goal| data.distance(hex, *goal)).min().unwrap_or(0);
        options.sort_by_key(|hex| (far(*hex), *hex));
        options
    }
}
