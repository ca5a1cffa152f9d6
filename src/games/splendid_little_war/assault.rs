//! Assault Combat (§13.0c, §13.2): markers, odds, what a charge does, and who advances.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::board::Hex;
use crate::engine::dice::Die;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Question, Ruling, Say, Side, Subject, Tally, Touch};

use super::data::Water;
use super::events::{BrokenBy, Event, Factor};
use super::fire::{Adjusting, terrain_clause};
use super::losses::Toll;
use super::orders::{Advance, AssaultOrder, Companion};
use super::play::{Play, subjects};
use super::policy::{ADVANCE, Ever, FEVER_CANCEL, Policy};
use super::position::{Crowd, Position, enemy};
use super::state::Place;
use super::tables::{self, Nerve};
use super::terms::{Arm, Cause, Cf, CheckKind, Crossing, Flag, Force, Odds, Oos, Piece, Terrain, d10, percent};

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
    fn bars_target(&self, target: Hex) -> Vec<Bar> {
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
            Place::Edge => now.edge_hex(piece) == Some(target),
            _ => {
                bars.push(about(Bar::new("13.2a", format!("{piece} is not on the map"), "name units on the map")));
                return bars;
            }
        };
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
            bars.push(Bar::new("13.0c", why, "a unit assaults one hex").firm());
        }
        bars
    }

    /// Who of a side is marked against a hex.
    fn marked(&self, target: Hex) -> Vec<Piece> {
        let marks = |(id, unit): &(&Piece, &super::state::UnitState)| {
            unit.assaults == Some(target) && self.now.side(**id) == Some(self.side)
        };
        self.now.state.units.iter().filter(marks).map(|(id, _)| *id).collect()
    }

    /// What only the assault as a whole can break.
    fn bars_whole(&self, units: &[Piece], target: Hex) -> Vec<Bar> {
        let mut bars = Vec::new();
        if units.is_empty() {
            bars.push(Bar::new("13.0c", "nobody assaults", "name units under `units`").part("units").firm());
        }
        let others = self.marked(target);
        if !others.is_empty() {
            let bar =
                Bar::new("13.0j", format!("{target} is assaulted by another entry"), "name all units in one entry");
            bars.push(bar.part("target").firm());
        }
        let forces: BTreeSet<Force> = units
            .iter()
            .chain(&others)
            .filter_map(|piece| self.now.unit(*piece))
            .filter(|unit| unit.side() == self.side)
            .map(|unit| unit.force)
            .collect();
        if forces.len() > 1 {
            let why = "Cubans and US units never assault one hex together";
            bars.push(Bar::new("15.6k", why, "leave one of the two out").part("units").firm());
        }
        bars
    }

    /// Instructions for later that name somebody who does not take part.
    fn bars_instructions(&self, order: &AssaultOrder, units: &[Piece]) -> Vec<Bar> {
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
            let led = |piece: &Piece| {
                let hexes = units.iter().filter_map(|unit| now.state.hex_of(*unit)).collect::<Vec<_>>();
                now.is_leader(*piece) && now.state.hex_of(*piece).is_some_and(|hex| hexes.contains(&hex))
            };
            for (index, piece) in named.iter().enumerate().filter(|(_, piece)| !parts(piece) && !led(piece)) {
                let bar = Bar::new("13.2w", format!("{piece} does not assault"), "name attackers or their leaders");
                bars.push(bar.at(DocPath::root().key("advance").index(index)).firm());
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
                _ => self.edge_hex(piece).into_iter().collect(),
            };
            for target in beside {
                if crowd.has(self.data(), target, held) && storming.bars_unit(piece, target).is_empty() {
                    choices.entry(target).or_default().push(piece);
                }
            }
        }
        choices
    }

    /// May a unit enter a hex of its own will after combat? The Civil Guard does not leave the city (§17.0.setup-o).
    pub fn may_follow(&self, piece: Piece, hex: Hex) -> bool {
        !self.has(piece, Flag::CivilGuard) || self.data().city.contains(&hex)
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
        let led = |piece: &Piece| {
            let (hex, side) = (self.state.hex_of(*piece), self.side(*piece));
            let leaders = hex.zip(side).map(|(hex, side)| self.leaders(hex, side)).unwrap_or_default();
            leaders.into_iter().find(|leader| self.commands(*leader, *piece))
        };
        let leader = attackers.iter().find_map(led).and_then(|leader| self.unit(leader));
        if let Some(leader) = leader {
            modifiers.add(format!("{} leads", leader.code), sign * values.leader, Clause("13.2p"));
        }
        (modifiers, broken || leader.is_some())
    }
}

/// Whether a unit escapes the fever. The greater is better for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Healthy(bool);

impl fmt::Display for Healthy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(if self.0 { "healthy" } else { "fever" })
    }
}

/// Whether a bridge holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Holds(bool);

impl fmt::Display for Holds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(if self.0 { "holds" } else { "destroyed" })
    }
}

impl Play<'_, '_> {
    /// The phasing player places his assault markers (§13.0c).
    pub fn mark_assaults(&mut self, side: Side, orders: &mut [AssaultOrder], at: &DocPath) -> Ruling<()> {
        for (index, order) in orders.iter().enumerate() {
            self.entry(at.index(index), |play| {
                play.mark(side, order);
                Ok(())
            })?;
        }
        Ok(())
    }

    fn mark(&mut self, side: Side, order: &AssaultOrder) {
        let target = order.target;
        let storming = Storming { now: self.now(), side };
        let mut units: Vec<Piece> = Vec::new();
        let mut out: Vec<(usize, Piece, Vec<Bar>)> = Vec::new();
        for (index, piece) in order.units.iter().enumerate() {
            let mut bars = storming.bars_unit(*piece, target);
            if units.contains(piece) {
                bars.push(Bar::new("13.0c", format!("{piece} is named twice"), "name it once").firm());
            }
            if bars.is_empty() { units.push(*piece) } else { out.push((index, *piece, bars)) }
        }
        let mut bars = storming.bars_target(target);
        bars.extend(storming.bars_whole(&order.units, target));
        let notes = storming.bars_instructions(order, &order.units);
        for (index, piece, bars) in out {
            let place = DocPath::root().key("units").index(index);
            let bars = bars.into_iter().map(|bar| bar.at(place.clone())).collect();
            self.lapse(format!("assault of {piece} on {target}"), bars);
        }
        if !notes.is_empty() {
            self.lapse(format!("instructions for the assault on {target}"), notes);
        }
        if !bars.is_empty() {
            self.lapse(format!("assault on {target}"), bars);
            return;
        }
        if units.is_empty() {
            return;
        }
        let now = Position { game: self.game, state: &*self.state };
        let able = |may: &Vec<Piece>| units.iter().all(|unit| may.contains(unit));
        self.umpire.listed(|| now.assault_choices(side).get(&target).is_some_and(able));
        for unit in &units {
            self.change(*unit, |unit| unit.assaults = Some(target));
        }
        self.umpire.note(Event::AssaultMarked { target, units });
    }

    /// Resolves every assault that is marked: those of the packet in its order, the others by hex (§13.0k), and takes
    /// the markers off.
    pub fn assaults(&mut self, side: Side, orders: &mut [AssaultOrder], at: &DocPath) -> Ruling<()> {
        let mut done: BTreeSet<Hex> = BTreeSet::new();
        for (index, order) in orders.iter().enumerate() {
            self.entry(at.index(index), |play| {
                if play.game.options.steps && !play.judge_instructions(side, order, &done) {
                    return Ok(());
                }
                if done.insert(order.target) && !play.now_marked(side, order.target).is_empty() {
                    play.storm(side, order.target, Some(order))?;
                }
                Ok(())
            })?;
        }
        let targets: BTreeSet<Hex> = self
            .state
            .units
            .iter()
            .filter(|(id, _)| self.now().side(**id) == Some(side))
            .filter_map(|(_, unit)| unit.assaults)
            .filter(|target| !done.contains(target))
            .collect();
        for target in targets {
            self.storm(side, target, None)?;
        }
        let marked: Vec<Piece> =
            self.state.units.iter().filter(|(_, u)| u.assaults.is_some()).map(|(id, _)| *id).collect();
        for piece in marked {
            self.change(piece, |unit| unit.assaults = None);
        }
        Ok(())
    }

    fn now_marked(&self, side: Side, target: Hex) -> Vec<Piece> {
        Storming { now: self.now(), side }.marked(target)
    }

    /// With `packets: steps` the entry says how an assault that is marked already is fought.
    fn judge_instructions(&mut self, side: Side, order: &AssaultOrder, done: &BTreeSet<Hex>) -> bool {
        let target = order.target;
        let marked = self.now_marked(side, target);
        let mut bars = Storming { now: self.now(), side }.bars_instructions(order, &marked);
        if !order.units.is_empty() {
            let bar = Bar::new("13.0c", "the markers lie already", "leave `units` out").part("units");
            bars.push(bar.firm());
        }
        let mut fatal = false;
        if done.contains(&target) {
            bars.push(Bar::new("13.0j", format!("{target} is named twice"), "name it once").part("target").firm());
            fatal = true;
        } else if marked.is_empty() {
            let bar = Bar::new("13.0c", format!("nobody is marked to assault {target}"), "name a hex with a marker");
            bars.push(bar.part("target").about([Subject::of(target)]));
            fatal = true;
        }
        if !bars.is_empty() {
            self.lapse(format!("assault on {target}"), bars);
        }
        !fatal
    }

    /// Those of the attackers who can still attack.
    fn still_attacking(&self, units: &[Piece]) -> Vec<Piece> {
        self.standing(units).into_iter().filter(|piece| !self.state.unit(*piece).broken).collect()
    }

    /// One assault (§13.2).
    fn storm(&mut self, side: Side, target: Hex, order: Option<&AssaultOrder>) -> Ruling<()> {
        self.tested.clear();
        let foe = enemy(side);
        let marked = self.now_marked(side, target);
        // §13.0l, AMB-35: who broke or fell in the meantime drops out.
        let mut attackers = self.still_attacking(&marked);
        if attackers.is_empty() {
            self.umpire.note(Event::NoAssault { target, attackers: false });
            return Ok(());
        }
        if !self.now().held_by(target, foe) {
            self.umpire.note(Event::NoAssault { target, attackers: true });
            return self.advance(side, target, &attackers, order);
        }
        // §8.0s: the attacker's fever, his way out, the defender's fever.
        if self.fever_rolls(&attackers)? {
            attackers = self.still_attacking(&attackers);
            if attackers.is_empty() {
                self.umpire.note(Event::NoAssault { target, attackers: false });
                return Ok(());
            }
            if self.calls_off(side, target, &attackers, order)? {
                self.umpire.note(Event::CalledOff { target });
                return Ok(());
            }
        }
        let defenders = self.now().fighters(target, foe);
        self.fever_rolls(&defenders)?;
        let defenders = self.now().fighters(target, foe);
        if defenders.is_empty() {
            self.umpire.note(Event::NoAssault { target, attackers: true });
            return self.advance(side, target, &attackers, order);
        }
        // §13.2q
        let mut attack: Vec<Factor> = Vec::new();
        for piece in &attackers {
            if let Some(cf) = self.variable_cf(*piece)? {
                attack.push(self.now().attack_factor(*piece, cf, target));
            }
        }
        let mut defence: Vec<Factor> = Vec::new();
        for piece in &defenders {
            if let Some(cf) = self.variable_cf(*piece)? {
                defence.push(self.now().defence_factor(*piece, cf));
            }
        }
        attackers = self.still_attacking(&attackers);
        if attackers.is_empty() || defence.is_empty() {
            let left = !attackers.is_empty();
            self.umpire.note(Event::NoAssault { target, attackers: left });
            return if left { self.advance(side, target, &attackers, order) } else { Ok(()) };
        }
        let result = self.clash(side, target, attack, defence)?;
        self.apply(side, target, &attackers, result, order)
    }

    /// §15.1o and the roll itself.
    fn clash(
        &mut self,
        side: Side,
        target: Hex,
        attackers: Vec<Factor>,
        defenders: Vec<Factor>,
    ) -> Ruling<tables::AssaultResult> {
        let now = self.now();
        let units = |factors: &[Factor]| factors.iter().map(|factor| factor.unit).collect::<Vec<_>>();
        let (sum, attack, defence) = now.assault_totals(&attackers, &defenders, target);
        let column = now.assault_column(attack, defence);
        let (modifiers, signed) = now.assault_modifiers(&units(&attackers), &units(&defenders), target);
        let (quarters, _, name, _) = now.assault_ground(target, &units(&attackers));
        let terrain = match quarters {
            4 => name.to_owned(),
            _ => format!("{name} × {}", crate::board::Points::<4>::from_parts(quarters)),
        };
        let tables = self.data().tables.clone();
        let table = &tables.assault.results;
        let drm = modifiers.total();
        let read = |die: i32| table.cell(column, die + drm).unwrap_or_default();
        let all = units(&attackers).into_iter().chain(units(&defenders)).map(|piece| piece.to_string());
        let touch = Touch::on(subjects(all.chain([target.to_string()])));
        let thrown = self.d10(side, target, "assault", read, touch)?;
        let odds = table.columns.get(column).copied().unwrap_or(Odds { attack, defence });
        let sign = match self.game.options.printed_sign {
            true => "printed",
            false => "intent",
        };
        let modified = d10(thrown.cast.face()) + drm;
        self.umpire.note(Event::Assault {
            target,
            attackers,
            defenders,
            sum,
            attack,
            defence,
            terrain,
            odds,
            die: thrown.cast,
            modifiers,
            modified,
            result: thrown.result.to_string(),
            sign: signed.then(|| sign.to_owned()),
        });
        // §15.1o: whatever comes of it.
        if let Some((base, _)) = self.now().balloon().filter(|(_, at)| *at == target) {
            self.bury(base, Cause::Balloon);
            self.umpire.note(Event::BalloonLost { at: target, clause: Clause("15.1o") });
        }
        Ok(thrown.result)
    }

    /// Losses, nerve, retreats and the advance, in this order (notes 4.4).
    fn apply(
        &mut self,
        side: Side,
        target: Hex,
        attackers: &[Piece],
        result: tables::AssaultResult,
        order: Option<&AssaultOrder>,
    ) -> Ruling<()> {
        let foe = enemy(side);
        let bases: Vec<Hex> = {
            let from: BTreeSet<Hex> = attackers.iter().filter_map(|piece| self.state.hex_of(*piece)).collect();
            from.into_iter().collect()
        };
        let defenders = self.now().fighters(target, foe);
        let lost = self.lose_among(&defenders, target, u32::from(result.defender.steps), Cause::Assault, &[])?;
        let preferred = order.map(|order| order.losses.clone()).unwrap_or_default();
        let own = self.lose_among(attackers, target, u32::from(result.attacker.steps), Cause::Assault, &preferred)?;
        for hex in &lost.hexes {
            self.leader_loss(*hex, foe)?;
        }
        for hex in &own.hexes {
            self.leader_loss(*hex, side)?;
        }
        let shaken = self.nerve(&defenders, result.defender.nerve, &lost)?;
        let routed = self.nerve(attackers, result.attacker.nerve, &own)?;
        self.retreat(&shaken, &bases)?;
        // §9.0g: who fights from the edge has no hex to leave.
        self.retreat(&routed, &[target])?;
        if self.now().held_by(target, foe) {
            return Ok(());
        }
        let able = self.still_attacking(attackers);
        self.advance(side, target, &able, order)
    }

    /// Morale of the survivors of one side; who has to retreat, with his hex (§13.3a, §13.3g, AMB-68).
    fn nerve(&mut self, units: &[Piece], nerve: Nerve, toll: &Toll) -> Ruling<Vec<(Piece, Hex)>> {
        let mut out = toll.broken.clone();
        for piece in self.standing(units) {
            let broken = self.state.unit(piece).broken;
            let just = out.iter().any(|(other, _)| *other == piece);
            let breaks = match nerve {
                Nerve::Steady => false,
                Nerve::Check => !just && !self.morale(piece, CheckKind::Assault)?,
                Nerve::Break => true,
            };
            let at = self.state.hex_of(piece).or_else(|| self.now().edge_hex(piece));
            let Some(at) = at.filter(|_| breaks && !just) else { continue };
            if !broken {
                let by = if nerve == Nerve::Break { BrokenBy::Assault } else { BrokenBy::Check };
                self.break_units(&[piece], at, by);
            } else if self.game.options.broken_stays {
                continue;
            }
            if self.state.hex_of(piece).is_some() {
                out.push((piece, at));
            }
        }
        Ok(out)
    }

    /// Contraction rolls of these units, each a step if it falls ill (§8.0k, §8.0l): was anybody?
    pub fn fever_rolls(&mut self, units: &[Piece]) -> Ruling<bool> {
        let mut struck = false;
        let mut sorted = units.to_vec();
        sorted.sort_unstable();
        for unit in sorted {
            let Some(force) = self.data().unit(unit).map(|unit| unit.force) else { continue };
            let Some(chance) = self.now().fever_chance(force) else { continue };
            let at = self.state.hex_of(unit).or_else(|| self.now().edge_hex(unit)).unwrap_or(self.data().us_source);
            let read = |faces: &[u16]| Healthy(percent(faces) >= chance);
            let touch = Touch::on([Subject::of(unit), Subject::of(at)]);
            let dice = [Die::D10, Die::D10];
            let thrown = self.umpire.throw(force.side(), &Subject::of(unit), "fever", &dice, read, touch)?;
            let caught = !thrown.result.0;
            let roll = percent(thrown.cast.faces());
            self.umpire.note(Event::FeverRoll { unit, at, dice: thrown.cast, roll, chance, caught });
            if caught {
                struck = true;
                let toll = self.hit(unit, 1, Cause::Fever, &[])?;
                for hex in toll.hexes {
                    self.leader_loss(hex, force.side())?;
                }
            }
        }
        Ok(struck)
    }

    /// §8.0o: after his own fever the attacker may call the assault off.
    fn calls_off(
        &mut self,
        side: Side,
        target: Hex,
        attackers: &[Piece],
        order: Option<&AssaultOrder>,
    ) -> Ruling<bool> {
        let odds = self.now().bare_odds(attackers, target, side);
        let below = |least: Odds| if odds < least { Ever::Always } else { Ever::Never };
        let question = Question {
            who: side,
            kind: FEVER_CANCEL,
            about: Subject::of(target),
            clause: Clause("8.0o"),
            text: format!("fever among those who are to assault {target}, now at {odds}: is it called off?"),
            options: vec![Ever::Never, Ever::Always],
            default: Ever::Never,
            also: None,
        };
        let ordered = order.and_then(|order| order.call_off_if).map(below);
        let said = self.umpire.ask(question, ordered, |policy| match policy {
            Policy::Ever(ever) => Say::Choose(*ever),
            Policy::Below(least) => Say::Choose(below(*least)),
            _ => Say::Default,
        })?;
        Ok(said == Ever::Always)
    }

    /// The hex is empty: who advances (§13.2s to §13.2w)?
    pub fn advance(
        &mut self,
        side: Side,
        target: Hex,
        attackers: &[Piece],
        order: Option<&AssaultOrder>,
    ) -> Ruling<()> {
        let state = self.state.clone();
        let now = Position { game: self.game, state: &state };
        let mut able: Vec<Piece> = self.still_attacking(attackers);
        able.retain(|piece| now.may_follow(*piece, target));
        if able.is_empty() || now.mixed(target, &able) {
            return Ok(());
        }
        let worth = |piece: &Piece| now.unit(*piece).map_or(0, |unit| unit.worth());
        able.sort_by_key(|piece| (std::cmp::Reverse(worth(piece)), *piece));
        let fits = |units: &[Piece]| !now.too_full(target, side, units);
        let fill = |wished: &[Piece]| {
            let mut going: Vec<Piece> = Vec::new();
            for piece in able.iter().filter(|piece| wished.contains(piece)) {
                let mut more = going.clone();
                more.push(*piece);
                if fits(&more) {
                    going = more;
                }
            }
            going.sort_unstable();
            going
        };
        let all = fill(&able);
        // A regiment that was named and has broken down means its parts.
        let means = |named: &[Piece]| -> Vec<Piece> {
            let parent = |piece: &Piece| now.unit(*piece).and_then(|unit| unit.parent);
            let meant = |piece: &&Piece| named.contains(piece) || parent(piece).is_some_and(|p| named.contains(&p));
            able.iter().filter(meant).copied().collect()
        };
        let ordered = order.and_then(|order| order.advance.as_ref()).map(|advance| match advance {
            Advance::All => all.clone(),
            Advance::None => Vec::new(),
            Advance::Units(units) => fill(&means(units)),
        });
        let mut options = vec![all.clone(), Vec::new()];
        options.extend(able.iter().map(|piece| vec![*piece]));
        options.dedup();
        let legal = |going: &Vec<Piece>| {
            let distinct: BTreeSet<&Piece> = going.iter().collect();
            distinct.len() == going.len() && going.iter().all(|piece| able.contains(piece)) && fits(going)
        };
        let question = Question {
            who: side,
            kind: ADVANCE,
            about: Subject::of(target),
            clause: Clause("13.2s"),
            text: format!("{target} is empty: who advances?"),
            options,
            default: all.clone(),
            also: Some(Box::new(legal)),
        };
        let going = self.umpire.ask(question, ordered, |policy| match policy {
            Policy::Ever(Ever::Always) => Say::Choose(all.clone()),
            Policy::Ever(Ever::Never) => Say::Choose(Vec::new()),
            Policy::Pieces(named) => Say::Choose(fill(&means(named))),
            _ => Say::Default,
        })?;
        if going.is_empty() {
            return Ok(());
        }
        let named = match order.and_then(|order| order.advance.as_ref()) {
            Some(Advance::Units(units)) => units.clone(),
            _ => Vec::new(),
        };
        self.move_in(side, target, &going, &named)
    }

    /// Units enter a hex after combat: leaders go along, bridges shake, whoever is found there is overrun.
    pub fn move_in(&mut self, side: Side, target: Hex, going: &[Piece], named: &[Piece]) -> Ruling<()> {
        let origins: BTreeMap<Piece, Option<Hex>> =
            going.iter().map(|piece| (*piece, self.state.hex_of(*piece))).collect();
        for piece in going {
            self.leave(*piece, target);
        }
        let mut units = going.to_vec();
        let hexes: BTreeSet<Hex> = origins.values().copied().flatten().collect();
        for from in &hexes {
            let went: Vec<Piece> =
                going.iter().copied().filter(|piece| origins.get(piece) == Some(&Some(*from))).collect();
            for leader in self.now().leaders(*from, side) {
                if self.now().mixed(target, &[leader]) {
                    continue;
                }
                let stay = self.now().held_by(*from, side);
                let first = went.first().copied();
                let default = Companion(if stay { None } else { first });
                let ordered = named.contains(&leader).then_some(Companion(first));
                let with = self.leader_goes(leader, *from, side, went.iter().copied(), default, ordered)?;
                if with.0.is_some() {
                    self.put(leader, target);
                    units.push(leader);
                }
            }
        }
        self.umpire.note(Event::Advanced { units: units.clone(), into: target });
        self.arrived(side, &units, target)?;
        for from in hexes {
            self.shake_bridge(side, Crossing::new(from, target))?;
        }
        Ok(())
    }

    /// §15.4i: does a pontoon bridge outlast an advance across it?
    fn shake_bridge(&mut self, side: Side, at: Crossing) -> Ruling<()> {
        if !self.state.pontoons.contains(&at) {
            return Ok(());
        }
        let range = self.data().tables.pontoon.holds;
        let touch = Touch::on([Subject::of(at.low), Subject::of(at.high)]);
        let thrown = self.d10(side, at, "pontoon", |die| Holds(tables::within(die, range)), touch)?;
        let holds = thrown.result.0;
        if !holds {
            self.state.pontoons.remove(&at);
        }
        self.umpire.note(Event::PontoonRoll { at, die: thrown.cast, holds });
        Ok(())
    }
}
