//! Fire Combat (§13.1, §13.5) carried out, and what it does.

use std::collections::BTreeMap;

use crate::board::Hex;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Deed, Ever, Question, Ruling, Say, Side, Subject, Touch};

use super::events::{Event, Factor, FireKind};
use super::firepower::rounded;
use super::gunnery::{Aim, Gunnery, Shot, Volley, shot_of};
use super::orders::{FireOrder, Spot};
use super::play::{Play, subjects};
use super::policy::{NEXT_COMBAT, Policy};
use super::position::{Position, enemy};
use super::state::State;
use super::tables::{Variable, within};
use super::terms::{Cause, Cf, CheckKind, Flag, Force, Piece, d10};

impl Play<'_, '_> {
    /// Offensive Fire (§13.1): one attack after the other, in the order of the file (§13.0k).
    pub fn offensive_fire(&mut self, side: Side, orders: &mut [FireOrder], at: &DocPath) -> Ruling<()> {
        self.fired.clear();
        for (index, order) in orders.iter().enumerate() {
            self.entry(at.index(index), |play| play.carry_fire(side, FireKind::Offensive, order))?;
        }
        Ok(())
    }

    /// Carries out one order to fire, as far as it is legal.
    pub fn carry_fire(&mut self, side: Side, kind: FireKind, order: &FireOrder) -> Ruling<()> {
        let mut order = order.clone();
        let mut instead_of = None;
        if self.now().exposed(order.target, enemy(side)).is_empty()
            && self.stood.contains(&(enemy(side), order.target))
            && let Some(target) = self.next_target(side, kind, &order)?
        {
            instead_of = Some(std::mem::replace(&mut order.target, target));
            order.r#else = None;
        }
        let fired = self.fired.clone();
        let now = Position { game: self.game, state: &*self.state };
        let gunnery = Gunnery::new(now, side, kind, &fired);
        let judged = gunnery.judge(&order);
        // At a hex nobody can be fired at in, no shot is legal, however well it could be seen.
        if judged.bars.is_empty() {
            self.umpire.listed(|| judged.shots.iter().all(|shot| gunnery.lists(shot, order.target)));
        }
        let what = format!("fire at {}", order.target);
        let barred = !judged.bars.is_empty() || judged.shots.is_empty();
        let turns = !judged.out.is_empty() && instead_of.is_none() && self.may_turn(side, kind, &order);
        let this = Subject::of(order.target);
        let mut parts = vec![(what.clone(), judged.notes)];
        for (index, piece, bars) in judged.out {
            let place = DocPath::root().key("units").index(index);
            let own = |bar: Bar| if bar.part == DocPath::root() { bar.at(place.clone()) } else { bar };
            let (who, adrift) = (Subject::of(piece), self.adrift.contains(&piece));
            // §13.0k: what bars a shot at this target bars none at the next; and what bars one from here none from elsewhere,
            // where the unit may not have come as far as its assault (§13.0d).
            let otherwise = |bar: &Bar| {
                let aimed = bar.about.contains(&this);
                turns && aimed || adrift && (aimed && bar.about.contains(&who) || bar.clause.0 == "13.0d")
            };
            let firm = |bar: Bar| Bar { firm: bar.firm && !otherwise(&bar), ..bar };
            let bars = self.twice(bars).into_iter().map(own).map(firm).collect();
            parts.push((format!("fire of {piece} at {}", order.target), bars));
        }
        // No enemy comes into a hex that friends hold, whatever becomes of them.
        let friendly = !self.stood.contains(&(enemy(side), order.target)) && self.now().held_by(order.target, side);
        let barring = judged.bars.into_iter().map(|bar| Bar { firm: bar.firm || friendly, ..bar });
        parts.push((what, barring.collect()));
        self.lapse_parts(parts);
        if barred {
            return Ok(());
        }
        let aim = Aim { at: order.target, instead_of };
        self.fired.extend(judged.shots.iter().map(|shot| (shot.piece, aim)));
        for shot in &judged.shots {
            let mut on = self.now().needed(shot, aim);
            on.extend(self.adrift.get(&shot.piece).map(Subject::of));
            self.umpire.rests(&on, [shot_of(shot.piece)]);
        }
        self.fire_attack(side, kind, Volley { target: order.target, shots: judged.shots })
    }

    /// Who was ordered to fire before is ordered twice, whatever comes of it, unless it was in doubt whether there would be
    /// anybody to fire at (§13.0h).
    fn twice(&self, bars: Vec<Bar>) -> Vec<Bar> {
        let sure = |bar: &Bar| bar.about.iter().all(|subject| self.umpire.cloud_on(subject).is_none());
        bars.into_iter().map(|bar| if bar.clause.0 == "13.0h" && sure(&bar) { bar.firm() } else { bar }).collect()
    }

    /// Whether somebody who cannot fire at the target may find nobody there and fire at another, as far as can be known.
    fn may_turn(&self, side: Side, kind: FireKind, order: &FireOrder) -> bool {
        if self.umpire.cloud_on(&Subject::of(order.target)).is_none() {
            return false;
        }
        let mut state = self.state.clone();
        for piece in self.now().exposed(order.target, enemy(side)) {
            state.units.remove(&piece);
        }
        let others = self.other_targets(&state, side, kind, order);
        others.iter().any(|hex| order.r#else.is_none_or(|wanted| wanted == *hex))
    }

    /// What all units of an order could fire at.
    fn other_targets(&self, state: &State, side: Side, kind: FireKind, order: &FireOrder) -> Vec<Hex> {
        let gunnery = Gunnery::new(Position { game: self.game, state }, side, kind, &self.fired);
        let may = |hex: &Hex| {
            let order = FireOrder { target: *hex, r#else: None, ..order.clone() };
            Volley::plan(&gunnery, &order).is_ok()
        };
        gunnery.enemies.iter().copied().filter(may).collect()
    }

    /// The target is empty: another hex, or none (§13.0k, D11).
    fn next_target(&mut self, side: Side, kind: FireKind, order: &FireOrder) -> Ruling<Option<Hex>> {
        let others = self.other_targets(self.state, side, kind, order);
        if others.is_empty() {
            return Ok(None);
        }
        let default = Spot(order.r#else.filter(|hex| others.contains(hex)));
        let options: Vec<Spot> = [Spot(None)].into_iter().chain(others.iter().map(|hex| Spot(Some(*hex)))).collect();
        let question = Question {
            who: side,
            kind: NEXT_COMBAT,
            about: Subject::of(order.target),
            clause: Clause("13.0k"),
            text: format!("nobody is left in {}: what is fired at instead?", order.target),
            options,
            default,
            also: None,
        };
        let ordered = order.r#else.map(|_| default);
        let chosen = self.umpire.ask(question, ordered, |policy| match policy {
            Policy::Ever(Ever::Never) => Say::Choose(Spot(None)),
            Policy::Hexes(hexes) => {
                hexes.iter().find(|hex| others.contains(hex)).map_or(Say::Default, |hex| Say::Choose(Spot(Some(*hex))))
            }
            _ => Say::Default,
        })?;
        Ok(chosen.0)
    }

    /// The strength of a "?" unit in this combat; none if the roll eliminates it (§13.5).
    pub fn variable_cf(&mut self, piece: Piece) -> Ruling<Option<u32>> {
        let Some(unit) = self.data().unit(piece) else { return Ok(None) };
        let (force, fixed) = (unit.force, unit.cf.unwrap_or(0));
        if !unit.variable {
            return Ok(Some(fixed));
        }
        let at = self.state.hex_of(piece).unwrap_or(self.data().cobre_road);
        let tables = self.data().tables.clone();
        let read = |die: i32| tables.variable.rows.at(die).copied().unwrap_or(Variable::Factor(0));
        let touch = Touch::on([Subject::of(piece), Subject::of(at)]);
        let thrown = self.d10(force.side(), piece, "variable", read, touch)?;
        let cf = match thrown.result {
            Variable::Factor(factor) => Some(u32::from(factor)),
            Variable::Eliminated => None,
        };
        self.umpire.note(Event::VariableRoll { unit: piece, at, die: thrown.cast, cf });
        if cf.is_none() {
            // §13.5c: it does not count for victory.
            self.bury(piece, Cause::Variable);
            self.umpire.note(Event::Lost { force, at: Some(at), cause: Cause::Variable, units: vec![piece] });
            self.leader_loss(at, force.side())?;
        }
        Ok(cf)
    }

    /// A gun fires indirectly: does it find the target (§13.1p, §13.1q, AMB-02)?
    fn indirect_hit(&mut self, side: Side, gun: Piece, spotter: Piece, target: Hex) -> Ruling<bool> {
        let hits = self.data().tables.indirect.hits;
        let zero = self.game.options.indirect_zero;
        let read = |die: i32| Found(if die == 0 { zero } else { within(die, hits) });
        let thrown = self.d10(side, gun, "indirect", read, Touch::on([Subject::of(target)]))?;
        let hits = thrown.result.0;
        self.umpire.note(Event::IndirectRoll { unit: gun, spotter, target, die: thrown.cast, hits });
        Ok(hits)
    }

    /// What an attack may change: the hex, and who stands in it.
    pub fn under_attack(&self, target: Hex, foe: Side) -> Vec<Subject> {
        let mut all = subjects(self.now().exposed(target, foe));
        all.push(Subject::of(target));
        all
    }

    /// One fire attack (§13.1ae to §13.1ak).
    pub fn fire_attack(&mut self, side: Side, kind: FireKind, volley: Volley) -> Ruling<()> {
        let Volley { target, shots } = volley;
        self.tested.clear();
        let mut shots = shots;
        shots.sort_by_key(|shot| shot.piece);
        let fired = subjects(shots.iter().map(|shot| shot.piece));
        let hit = self.under_attack(target, enemy(side));
        if self.game.options.fire_fever {
            // AMB-03, by the switch: whoever fires may fall to the fever first.
            let pieces: Vec<Piece> = shots.iter().map(|shot| shot.piece).collect();
            self.fever_rolls(&pieces)?;
            let spotters: BTreeMap<Piece, Option<Piece>> =
                shots.iter().map(|shot| (shot.piece, shot.spotter)).collect();
            let standing = self.standing(&pieces);
            shots = standing
                .into_iter()
                .map(|piece| Shot { piece, spotter: spotters.get(&piece).copied().flatten() })
                .collect();
        }
        // Whoever may have dropped out fires at nobody.
        self.umpire.rests(&fired, hit.clone());
        let Some(by) = shots.first().and_then(|shot| self.data().unit(shot.piece)).map(|unit| unit.force) else {
            return Ok(());
        };
        let mut strengths: Vec<(Shot, u32)> = Vec::new();
        for shot in &shots {
            if let Some(cf) = self.variable_cf(shot.piece)? {
                strengths.push((*shot, cf));
            }
        }
        self.umpire.rests(&fired, hit.clone());
        let mut factors: Vec<Factor> = Vec::new();
        for (shot, cf) in strengths {
            let found = match shot.spotter {
                Some(spotter) => Some(self.indirect_hit(side, shot.piece, spotter, target)?),
                None => None,
            };
            let far = self.state.hex_of(shot.piece).map_or(1, |hex| self.data().distance(hex, target).max(1));
            factors.push(self.now().fire_factor(shot.piece, cf, far, kind, found));
        }
        let total: Cf = factors.iter().map(|factor| factor.counts).sum();
        let sum = rounded(total, kind);
        let tables = self.data().tables.clone();
        let table = &tables.fire.results;
        let Some(column) = table.column(&sum) else {
            self.umpire.note(Event::NoFire { kind, by, target, factors, total });
            return Ok(());
        };
        let firing: Vec<Piece> = factors.iter().map(|factor| factor.unit).collect();
        let modifiers = self.now().fire_modifiers(side, kind, target, &firing);
        let drm = modifiers.total();
        let read = |die: i32| table.cell(column, die + drm).unwrap_or_default();
        let thrown = self.d10(side, target, "fire", read, Touch::on(hit))?;
        let (modified, steps) = (d10(thrown.cast.face()) + drm, u32::from(thrown.result.steps));
        // §9.0k: fire at the map edge beside a hex is none at the hex.
        let edge = !self.now().held_by(target, enemy(side));
        if !edge {
            self.state.fired_on.insert(target);
        }
        let label = table.label(column).unwrap_or_default();
        self.umpire.note(Event::Fire {
            kind,
            by,
            target,
            edge,
            factors,
            total,
            rounded: sum,
            column: label,
            die: thrown.cast,
            modifiers,
            modified,
            steps,
        });
        let toll = self.lose_steps(target, enemy(side), steps, Cause::Fire, &[])?;
        if !toll.hexes.is_empty() {
            self.leader_loss(target, enemy(side))?;
        }
        self.dynamite(side, target, &firing, modified)
    }

    /// §15.5b to §15.5e: the Dynamite Gun frightens, and bursts.
    fn dynamite(&mut self, side: Side, target: Hex, firing: &[Piece], modified: i32) -> Ruling<()> {
        let Some(gun) = firing.iter().copied().find(|piece| self.now().has(*piece, Flag::Dynamite)) else {
            return Ok(());
        };
        let limits = self.data().tables.dynamite;
        if modified <= limits.panic {
            let feared: Vec<Hex> = self.state.hex_of(gun).into_iter().collect();
            let shaky: Vec<Piece> = self
                .now()
                .fighters(target, enemy(side))
                .into_iter()
                .filter(|piece| self.data().unit(*piece).is_some_and(|unit| unit.variable))
                .collect();
            let mut broken = Vec::new();
            for piece in shaky {
                if !self.morale(piece, CheckKind::Dynamite)? {
                    self.break_units(&[piece], target, super::events::BrokenBy::Check);
                    broken.push((piece, target));
                }
            }
            self.retreat(&broken, &feared)?;
        }
        if modified >= limits.bursts {
            let at = self.state.hex_of(gun);
            self.bury(gun, Cause::Malfunction);
            self.umpire.note(Event::Lost { force: Force::Us, at, cause: Cause::Malfunction, units: vec![gun] });
        }
        Ok(())
    }
}

/// Whether indirect fire finds its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Found(bool);

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(if self.0 { "on target" } else { "misses" })
    }
}
