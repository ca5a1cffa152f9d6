//! §13.0c, §13.2, an assault before it is carried out: who may be marked, factors, odds and modifiers.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Side, Subject, Tally};

use super::data::Water;
use super::events::Factor;
use super::firepower::{Adjusting, terrain_clause};
use super::orders::{Advance, AssaultOrder};
use super::play::subjects;
use super::position::{Crowd, Position, enemy};
use super::state::Place;
use super::tables::{self};
use super::terms::{Arm, Cf, Crossing, Flag, Force, Odds, Oos, Piece, Terrain};

/// What judging an assault needs.
#[derive(Clone, Copy)]
pub struct Storming<'t> {
    /// The position.
    pub now: Position<'t>,
    /// Who attacks.
    pub side: Side,
}

impl Storming<'_> {
    /// Why a hex cannot be assaulted.
    pub(super) fn bars_target(&self, target: Hex) -> Vec<Bar> {
        if let Some(bar) = super::retreat::on_land(&self.now, target, "13.2a") {
            return vec![bar.part("target")];
        }
        if self.now.held_by(target, enemy(self.side)) {
            return Vec::new();
        }
        let bar = Bar::new("13.2a", format!("no enemy combat unit is in {target}"), "name a hex with enemy units");
        vec![bar.part("target").about([Subject::of(target)])]
    }

    /// Why a unit may not be marked to assault a hex (§13.0c, §13.2a to §13.2c).
    pub fn bars_unit(&self, piece: Piece, target: Hex) -> Vec<Bar> {
        let now = &self.now;
        let about = |bar: Bar| bar.about([Subject::of(piece)]);
        let Some(unit) = now.unit(piece).filter(|unit| unit.side() == self.side) else {
            return vec![Bar::new("13.0a", format!("{piece} is not yours"), "name a unit of your own").firm()];
        };
        let mut bars = Vec::new();
        match unit.arm {
            Arm::Artillery => {
                let bar = Bar::new("13.2c", format!("{piece} is artillery and never assaults"), "let it fire");
                bars.push(bar.firm());
            }
            Arm::Leader | Arm::Base => {
                let bar = Bar::new("13.2a", format!("{piece} is no combat unit"), "name combat units");
                return vec![bar.firm()];
            }
            _ => {}
        }
        let state = now.now(piece);
        let beside = match state.at {
            Place::At(hex) => now.data().touch(hex, target),
            Place::Edge => now.edge_front(piece) == Some(target),
            _ => {
                bars.push(about(Bar::new("13.2a", format!("{piece} is not on the map"), "name units on the map")));
                return bars;
            }
        };
        bars.extend(now.bar_at_edge(piece));
        if !beside {
            bars.push(about(Bar::new("13.2a", format!("{piece} is not next to {target}"), "move it there first")));
        }
        if state.broken {
            bars.push(about(Bar::new("13.2b", format!("{piece} is Broken"), "only Normal units assault")));
        }
        if state.ooc {
            bars.push(about(Bar::new("11.0ae", format!("{piece} is Out of Command"), "only units in command assault")));
        }
        if state.oos == Some(Oos::Two) {
            bars.push(about(Bar::new("10.0y", format!("{piece} is OoS2"), "leave it out")));
        }
        if state.waits {
            bars.push(about(Bar::new("16.3c", format!("{piece} may not attack before turn 2"), "wait until turn 2")));
        }
        if let Some(other) = state.assaults {
            let why = format!("{piece} is marked to assault {other} already");
            bars.push(about(Bar::new("13.0c", why, "a unit assaults one hex")));
        }
        bars
    }

    /// Who of a side is marked against a hex.
    pub(super) fn marked(&self, target: Hex) -> Vec<Piece> {
        let marks = |(id, unit): &(&Piece, &super::state::UnitState)| {
            unit.assaults == Some(target) && self.now.side(**id) == Some(self.side)
        };
        self.now.state.units.iter().filter(marks).map(|(id, _)| *id).collect()
    }

    /// What only the assault as a whole can break. `adrift`: who may not come as far as where he was marked.
    pub(super) fn bars_whole(&self, units: &[Piece], target: Hex, adrift: &BTreeSet<Piece>) -> Vec<Bar> {
        let mut bars = Vec::new();
        if units.is_empty() {
            bars.push(Bar::new("13.0c", "nobody assaults", "name units under `units`").part("units").firm());
        }
        let others = self.marked(target);
        let unless = |bar: Bar| match others.iter().all(|piece| adrift.contains(piece)) {
            true => bar.about(others.iter().map(Subject::of)),
            false => bar.firm(),
        };
        if !others.is_empty() {
            let bar =
                Bar::new("13.0j", format!("{target} is assaulted by another entry"), "name all units in one entry");
            bars.push(unless(bar.part("target")));
        }
        let forces = |units: &[Piece]| -> BTreeSet<Force> {
            let units = units.iter().filter_map(|piece| self.now.unit(*piece));
            units.filter(|unit| unit.side() == self.side).map(|unit| unit.force).collect()
        };
        let own = forces(units);
        if own.union(&forces(&others)).count() > 1 {
            let why = "Cubans and US units never assault one hex together";
            let bar = Bar::new("15.6k", why, "leave one of the two out").part("units");
            bars.push(if own.len() > 1 { bar.firm() } else { unless(bar) });
        }
        bars
    }

    /// Instructions for later that name somebody who does not take part.
    pub(super) fn bars_instructions(&self, order: &AssaultOrder, units: &[Piece]) -> Vec<Bar> {
        let now = &self.now;
        let parts = |piece: &Piece| {
            let unit = now.unit(*piece);
            units.contains(piece) || unit.and_then(|unit| unit.parent).is_some_and(|parent| units.contains(&parent))
        };
        let mut bars = Vec::new();
        for (index, piece) in order.losses.iter().enumerate().filter(|(_, piece)| !parts(piece)) {
            let bar = Bar::new("13.1aj", format!("{piece} does not assault"), "name attackers or their parts");
            bars.push(bar.at(DocPath::root().key("losses").index(index)).firm());
        }
        if let Some(Advance::Units(named)) = &order.advance {
            let place = |piece: &Piece| {
                let whole =
                    now.unit(*piece).and_then(|unit| unit.parent).filter(|_| now.state.hex_of(*piece).is_none());
                now.now(whole.unwrap_or(*piece)).at
            };
            let going: Vec<Place> = named.iter().filter(|piece| parts(piece)).map(place).collect();
            for (index, piece) in named.iter().enumerate().filter(|(_, piece)| parts(piece)) {
                let bar = now.bar_confined(*piece, order.target);
                bars.extend(bar.map(|bar| bar.at(DocPath::root().key("advance").index(index))));
            }
            for (index, piece) in named.iter().enumerate().filter(|(_, piece)| !parts(piece)) {
                let led = now.is_leader(*piece) && units.iter().any(|unit| place(unit) == place(piece));
                let bar = match led {
                    true if going.contains(&place(piece)) => continue,
                    true => Bar::new(
                        "13.2v",
                        format!("nobody of his hex is to advance with {piece}"),
                        "name a unit of his hex too",
                    )
                    .about(subjects([piece])),
                    false => {
                        Bar::new("13.2w", format!("{piece} does not assault"), "name attackers or their leaders").firm()
                    }
                };
                bars.push(bar.at(DocPath::root().key("advance").index(index)));
            }
        }
        bars
    }
}

impl Position<'_> {
    /// The hexes a side may mark an assault against, each with the units that may be marked. Of Cubans and US units only
    /// one kind may take part (§15.6k).
    pub fn assault_choices(&self, side: Side) -> BTreeMap<Hex, Vec<Piece>> {
        let storming = Storming { now: *self, side };
        let (crowd, held) = (self.crowd(), Crowd::combat_of(enemy(side)));
        let mut choices: BTreeMap<Hex, Vec<Piece>> = BTreeMap::new();
        let waiting = self.state.units.iter().filter(|(_, unit)| unit.at == Place::Edge).map(|(id, _)| *id);
        let units: Vec<Piece> = self.on_map(side).map(|(piece, _)| piece).chain(waiting).collect();
        for piece in units.into_iter().filter(|piece| self.is_combat(*piece) && self.side(*piece) == Some(side)) {
            let beside: Vec<Hex> = match self.now(piece).at {
                Place::At(hex) => self.data().land_around(hex).collect(),
                _ => self.edge_front(piece).into_iter().collect(),
            };
            for target in beside {
                if crowd.has(self.data(), target, held) && storming.bars_unit(piece, target).is_empty() {
                    choices.entry(target).or_default().push(piece);
                }
            }
        }
        choices
    }

    /// May a unit enter a hex of its own will after combat? What binds a march binds an advance.
    pub fn may_follow(&self, piece: Piece, hex: Hex) -> bool {
        self.bar_confined(piece, hex).or_else(|| self.bar_company(piece, hex)).is_none()
    }

    /// The Civil Guard does not leave the city (§17.0.setup-o), the garrison not the city and its forts (§17.0.garrison-a).
    fn bar_confined(&self, piece: Piece, hex: Hex) -> Option<Bar> {
        if self.has(piece, Flag::CivilGuard) && !self.data().city.contains(&hex) {
            let bar = Bar::new("17.0.setup-o", "the Civil Guard does not leave the city", "keep it in Santiago");
            return Some(bar.firm());
        }
        let why = format!("{piece} is a restricted Garrison Unit and does not leave the city and its forts");
        let bar = || Bar::new("17.0.garrison-g", why, "leave it out, or `release` it").about([Subject::of(piece)]);
        (!self.garrison_may_stand(piece, hex)).then(bar)
    }

    /// Cubans go beside US units in the open only (§15.6m).
    pub(super) fn bar_company(&self, piece: Piece, hex: Hex) -> Option<Bar> {
        let crowd = self.crowd();
        let cuban = self.unit(piece).is_some_and(|unit| unit.force == Force::Cuban);
        (cuban && !self.may_stand_beside_us(&crowd, hex)).then(|| {
            let why = format!("{hex} is beside US units, and not all of it is clear ground");
            let company = self.us_beside(&crowd, hex).into_iter().chain([hex]).map(Subject::of);
            Bar::new("15.6m", why, "keep Cubans away from US units, or in the open").about(company)
        })
    }

    /// What an attacking unit counts (§13.2e).
    pub fn attack_factor(&self, piece: Piece, cf: u32, target: Hex) -> Factor {
        let mut factor = Adjusting::new(piece, cf);
        let state = self.now(piece);
        if state.oos == Some(Oos::One) {
            factor.half("OoS1", "10.0r");
        }
        if let Some(from) = state.at.hex() {
            let pontoon = self.state.pontoons.contains(&Crossing::new(from, target)); // §15.4h
            match self.data().crossing(from, target) {
                Water::River if !pontoon => factor.half("across a river", "TEC.river"),
                Water::Ford if !pontoon => factor.half("across a ford", "TEC.ford"),
                _ => {}
            }
        }
        factor.done()
    }

    /// What a defending unit counts (§13.2g).
    pub fn defence_factor(&self, piece: Piece, cf: u32) -> Factor {
        let mut factor = Adjusting::new(piece, cf);
        let state = self.now(piece);
        if state.broken {
            factor.broken();
        }
        if state.oos == Some(Oos::Two) {
            factor.half("OoS2", "10.0z");
        }
        factor.done()
    }

    /// The ground of an assaulted hex: quarters of the attack that are left, the DRM, name and clause of the one effect
    /// that is best for the defender (TEC.note1, AMB-07).
    pub fn assault_ground(&self, target: Hex, attackers: &[Piece]) -> (u32, i32, &'static str, Clause) {
        let data = self.data();
        let rows = &data.tables.terrain.hexes;
        let open = (4, 0, "clear", Clause("TEC.clear"));
        let Some(ground) = data.ground(target) else { return open };
        let on_hill = |piece: &Piece| {
            let from = self.state.hex_of(*piece).and_then(|hex| data.ground(hex)).and_then(|from| from.hill);
            from.is_some() && from == ground.hill
        };
        let mut all = vec![open];
        for terrain in ground.terrains.iter() {
            let (mut quarters, mut drm) = rows.of(terrain).assault_effect();
            let mut clause = Clause(terrain_clause(terrain));
            // TEC.note2, §13.2x, AMB-05: not for attackers who are all on that hill.
            if terrain == Terrain::Hill && !attackers.is_empty() && attackers.iter().all(on_hill) {
                drm = 0;
                quarters = if self.game.options.hill_note_drm { quarters } else { 4 };
                clause = Clause("TEC.note2");
            }
            all.push((quarters, drm, terrain.as_str(), clause));
        }
        let mut work = |here: bool, row: &tables::HexEffect, name: &'static str, clause: &'static str| {
            if here {
                let (quarters, drm) = row.assault_effect();
                all.push((quarters, drm, name, Clause(clause)));
            }
        };
        work(ground.fort, &rows.fort, "fort", "13.2m");
        work(ground.blockhouse, &rows.blockhouse, "blockhouse", "13.2l");
        work(self.state.entrenchments.contains(&target), &rows.entrenchment, "entrenchment", "6.0o");
        all.into_iter().min_by_key(|(quarters, drm, ..)| (*quarters, -drm)).unwrap_or(open)
    }

    /// Totals of an assault: the sum of the attackers, what the ground leaves of it, and the defence (§13.2f, §13.2g).
    pub fn assault_totals(&self, attackers: &[Factor], defenders: &[Factor], target: Hex) -> (Cf, u32, u32) {
        let units: Vec<Piece> = attackers.iter().map(|factor| factor.unit).collect();
        let sum: Cf = attackers.iter().map(|factor| factor.counts).sum();
        let (quarters, ..) = self.assault_ground(target, &units);
        let attack = sum.times(quarters).parts() / 4 / Cf::whole(1).parts();
        let defence: Cf = defenders.iter().map(|factor| factor.counts).sum();
        (sum, attack, defence.parts().div_ceil(Cf::whole(1).parts()))
    }

    /// The column for two totals (§13.2h): the lowest for whatever is below it, the highest against nothing.
    pub fn assault_column(&self, attack: u32, defence: u32) -> usize {
        let table = &self.data().tables.assault.results;
        match defence {
            0 => table.columns.len().saturating_sub(1),
            _ => table.column(&Odds { attack, defence }).unwrap_or(0),
        }
    }

    /// The odds before any "?" roll, which counts as 2 (D7).
    pub fn bare_odds(&self, attackers: &[Piece], target: Hex, side: Side) -> Odds {
        let worth = |piece: Piece| self.unit(piece).map_or(0, |unit| unit.worth());
        let attack: Vec<Factor> =
            attackers.iter().map(|piece| self.attack_factor(*piece, worth(*piece), target)).collect();
        let defenders = self.fighters(target, enemy(side));
        let defence: Vec<Factor> = defenders.iter().map(|piece| self.defence_factor(*piece, worth(*piece))).collect();
        let (_, attack, defence) = self.assault_totals(&attack, &defence, target);
        Odds { attack, defence: defence.max(1) }
    }

    /// The DRMs of an assault (§13.2k to §13.2p), and whether the switch of AMB-04 matters in them.
    pub fn assault_modifiers(&self, attackers: &[Piece], defenders: &[Piece], target: Hex) -> (Tally, bool) {
        let values = self.data().tables.assault.modifiers;
        let mut modifiers = Tally::new();
        let (_, drm, name, clause) = self.assault_ground(target, attackers);
        if drm != 0 {
            let clause = if name == "hill" { Clause("13.2k") } else { clause };
            modifiers.add(name, drm, clause);
        }
        let spans = defenders.first().and_then(|piece| self.side(*piece)).map(|side| self.spans(side));
        let led = |piece: &Piece| spans.as_ref().is_some_and(|spans| self.commander_among(spans, *piece).is_some());
        if !defenders.is_empty() && defenders.iter().all(led) {
            modifiers.add("defenders in command", values.in_command, Clause("13.2n"));
        }
        // AMB-04: printed as pluses, meant to help the attacker.
        let sign = if self.game.options.printed_sign { 1 } else { -1 };
        let broken = defenders.iter().any(|piece| self.now(*piece).broken);
        if broken {
            modifiers.add("a Broken defender", sign * values.broken, Clause("13.2o"));
        }
        let led = |piece: &Piece| self.leaders_with(*piece).into_iter().find(|leader| self.commands(*leader, *piece));
        let leader = attackers.iter().find_map(led).and_then(|leader| self.unit(leader));
        if let Some(leader) = leader {
            modifiers.add(format!("{} leads", leader.code), sign * values.leader, Clause("13.2p"));
        }
        (modifiers, broken || leader.is_some())
    }
}
