//! Assault Combat (§13.2): markers, and what a charge does.

use std::collections::BTreeSet;
use std::fmt;

use crate::board::Hex;
use crate::engine::dice::Die;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Ever, Question, Ruling, Say, Side, Subject, Touch};

use super::events::{BrokenBy, Event, Factor};
use super::losses::Toll;
use super::orders::AssaultOrder;
use super::play::{Play, subjects};
use super::policy::{FEVER_CANCEL, Policy};
use super::position::{Position, enemy};
use super::storming::Storming;
use super::tables::{self, Nerve};
use super::terms::{Cause, CheckKind, Odds, Piece, d10, percent};

/// Whether a unit escapes the fever. The greater is better for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Healthy(bool);

impl fmt::Display for Healthy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(if self.0 { "healthy" } else { "fever" })
    }
}

/// With `packets: steps` what is to become of an assault is said after Defensive Fire (§4.0i).
fn bars_early(order: &AssaultOrder) -> Vec<Bar> {
    let said = [
        ("call-off-if", order.call_off_if.is_some()),
        ("losses", !order.losses.is_empty()),
        ("advance", order.advance.is_some()),
    ];
    let early = |key: &'static str| {
        let why = format!("`{key}` is not said with the marker");
        Bar::new("4.0i", why, "say it after Defensive Fire, in `combat`").part(key).firm()
    };
    said.into_iter().filter(|(_, said)| *said).map(|(key, _)| early(key)).collect()
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
        bars.extend(storming.bars_whole(&order.units, target, &self.adrift));
        let mut notes = storming.bars_instructions(order, &order.units);
        if self.game.options.steps {
            notes.extend(bars_early(order));
        }
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
    pub(super) fn still_attacking(&self, units: &[Piece]) -> Vec<Piece> {
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
        let (stormed, hit) = (subjects(&attackers), self.under_attack(target, foe));
        let struck = self.fever_rolls(&attackers)?;
        // Whoever may have dropped out storms nothing.
        self.umpire.rests(&stormed, hit.clone());
        if struck {
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
        self.umpire.rests(&stormed, hit);
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
            // §5.4m: the parts of a unit that fell ill may have taken its room.
            if !self.in_play(unit) {
                continue;
            }
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
}
