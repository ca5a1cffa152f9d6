//! Chapter 12, what a march costs and where it can lead: price, reach and paths ask the same step.

use std::collections::BTreeSet;

use crate::board::{Bearing, Hex, HexGrid, Reach, Step, WalkFault, cheapest_path, reach, walk};
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Side, Subject};

use super::US;
use super::data::{Data, Unit, Water};
use super::play::subjects;
use super::position::{Crowd, Position, enemy};
use super::state::Place;
use super::terms::{Arm, Crossing, Flag, Force, Mp, Piece, Terrain, Weather};

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

    /// The same out of the city, for the Civil Guard that is forced to it.
    pub fn unguarded(self) -> Self {
        Marcher { guard: false, ..self }
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
            let bar = Bar::new("15.6m", why, "keep Cubans away from US units, or in the open");
            let company = self.now.us_beside(&self.crowd, to);
            return Step::Barred(bar.about(company.into_iter().chain([to]).map(Subject::of)));
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
            let there = self.now.fighters(to, self.side);
            return about(Bar::new("5.4o", why, "wait until it is free").about(subjects(there)));
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

    /// They start in an enemy zone, and somebody heeds it: to go on past the first hex takes a check (§5.2j, §5.2k).
    pub fn leaves_zone(&self) -> bool {
        self.zoned && self.now.in_zone_of(self.from, enemy(self.side))
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
        // §11.0ak: not for guerrillas.
        let tied = |piece: &Piece| now.now(*piece).ooc && now.is_zoned(*piece);
        if pieces.iter().any(tied) && now.in_zone_of(hex, foe) {
            let friends = now.fighters(hex, self.side).iter().any(|piece| !pieces.contains(piece));
            if !friends {
                let why = format!("{hex} is in an enemy zone of control");
                let remedy = "Out of Command units end there only with a friendly combat unit";
                bars.push(Bar::new("11.0ag", why, remedy).about([Subject::of(hex)]));
            }
        }
        if !pieces.iter().all(|piece| now.garrison_may_stand(*piece, hex)) {
            let why = format!("Garrison Units may not end in {hex}");
            bars.push(Bar::new("17.0.garrison-g", why, "end in the city or one of its forts, or `release` them"));
        }
        bars
    }
}

impl<'p> Position<'p> {
    /// A Garrison Unit goes of its own will to the city and its forts only (§17.0.garrison-a, §17.0.garrison-g).
    pub fn garrison_may_stand(&self, piece: Piece, hex: Hex) -> bool {
        !self.now(piece).garrison || self.data().city.contains(&hex) || self.data().city_forts.contains(&hex)
    }

    /// Why a counter may not move at all in this Movement Phase.
    pub fn bars_moving(&self, side: Side, piece: Piece, moved: &BTreeSet<Piece>) -> Vec<Bar> {
        let mut bars = self.bars_stirring(side, piece, moved);
        if self.now(piece).entered && self.now(piece).at.hex().is_some() {
            let why = format!("{piece} entered the map this turn");
            bars.push(Bar::new("9.0c", why, "its move goes with `enter`").about([Subject::of(piece)]));
        }
        if self.now(piece).waits && self.now(piece).at.hex().is_some() {
            let why = format!("{piece} waits for El Caney until turn 2");
            bars.push(Bar::new("16.3c", why, "leave it where it is").about([Subject::of(piece)]));
        }
        bars
    }

    /// The same for what is done without a march: a regiment that has entered may break down at the end of its move (§5.3e), and
    /// who waits may dig (§16.3c).
    pub fn bars_stirring(&self, side: Side, piece: Piece, moved: &BTreeSet<Piece>) -> Vec<Bar> {
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
        let zoned = units().any(Unit::is_zoned);
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
        self.marcher(pieces).map(|marcher| self.routes_of(&marcher, pieces)).unwrap_or_default()
    }

    /// The same for a march that is laid out already.
    pub fn routes_of(&self, marcher: &Marcher<'_>, pieces: &[Piece]) -> Vec<(Hex, Vec<Hex>, Mp)> {
        let reach = self.reach(marcher);
        let stops = |hex: Hex| hex != marcher.from && marcher.bars_stopping(pieces, hex, false).is_empty();
        (reach.costs().filter(|(hex, _)| stops(*hex)))
            .filter_map(|(hex, cost)| Some((hex, reach.path(hex)?.into_iter().skip(1).collect(), cost)))
            .collect()
    }

    /// The same for one counter as its Movement Phase begins: who must leave an enemy zone and can does that (§11.0ah).
    pub fn first_routes(&self, piece: Piece) -> Vec<(Hex, Vec<Hex>, Mp)> {
        let routes = self.routes(&[piece]);
        if !self.must_leave(piece) {
            return routes;
        }
        let free =
            |(hex, ..): &(Hex, Vec<Hex>, Mp)| !self.side(piece).is_some_and(|side| self.in_zone_of(*hex, enemy(side)));
        let mut ways: Vec<(Hex, Vec<Hex>, Mp)> = routes.iter().filter(|route| free(route)).cloned().collect();
        if ways.is_empty() {
            // §17.0.setup-o: what it is forced to is not of its own will.
            let out = self.marcher(&[piece]).map(|marcher| self.routes_of(&marcher.unguarded(), &[piece]));
            ways = out.unwrap_or_default().into_iter().filter(free).collect();
        }
        if ways.is_empty() { routes } else { ways }
    }

    /// Why a path cannot be walked to its end, and how far it can be.
    pub(super) fn bars_path(
        &self,
        marcher: &Marcher<'_>,
        pieces: &[Piece],
        path: &[Hex],
        gathering: bool,
    ) -> (Vec<Bar>, usize) {
        let whole: Vec<Hex> = std::iter::once(marcher.from).chain(path.iter().copied()).collect();
        let walked = walk(&self.data().grid, &whole, marcher.purse, |from, _: Bearing, to| marcher.step(from, to));
        let mut bars = Vec::new();
        let bar = |fault| marcher.bar_of_first_hex(fault, pieces).unwrap_or_else(|| bar_of(self.data(), fault, pieces));
        bars.extend(walked.fault.as_ref().map(bar));
        // Who is kept from going on would not have stopped where he is: that rests on the same.
        let short: Vec<Subject> = bars.iter().flat_map(|bar| bar.about.clone()).collect();
        let mut steps = walked.steps();
        if steps > 0 {
            let stop = |steps: usize| whole.get(steps).copied().unwrap_or(marcher.from);
            let found = marcher.bars_stopping(pieces, stop(steps), gathering);
            if !found.is_empty() {
                // Of the way that is left, as far as one may stop.
                while steps > 0 && !marcher.bars_stopping(pieces, stop(steps), gathering).is_empty() {
                    steps -= 1;
                }
                bars.extend(found.into_iter().map(|bar| bar.about(short.iter().cloned())));
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
}

/// Why a path ends early, as a bar of its order.
pub fn bar_of(data: &Data, fault: &WalkFault<Hex, Bar, 2>, pieces: &[Piece]) -> Bar {
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
            let next: Vec<String> = data.neighbours(*from).map(|hex| hex.to_string()).collect();
            let remedy = format!("from {from} the next hex is one of {}", next.join(", "));
            Bar::new("12.0c", format!("{from} and {to} do not touch"), remedy).at(at(*place)).firm()
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
