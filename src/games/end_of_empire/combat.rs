//! Chapter 9: combat. An attack is judged once, here; then fire, fire, shock, retreat and advance.

use std::collections::BTreeSet;

use crate::board::Hex;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Question, Ruling, Say, Side, Subject, Tally, Touch};

use super::events::{Cause, Event, Factor, FireKind, Why};
use super::fire::Volley;
use super::guerrillas::TableAttack;
use super::losses::Toll;
use super::orders::{CombatOrder, Spot, Support};
use super::play::{Play, subjects};
use super::policy::{Ever, MAINE, NEXT_COMBAT, Policy, TOCINEROS};
use super::position::Position;
use super::tables::{FireResult, Odds};
use super::terms::{Content, EventName, Flag, Force, GuerrillaResult, Mode, Piece, Terrain, UnitKind};
use super::{SPAIN, US};

/// How a hex is attacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Fire and shock.
    Ordinary,
    /// Units in guerrilla attack (§11.2.2d).
    Guerrilla,
    /// Units in guerrilla are attacked (§11.2.1a).
    Counter,
}

impl Position<'_> {
    /// How these attackers would attack a hex.
    pub fn manner(&self, by: &[Piece], target: Hex, side: Side) -> Manner {
        let defenders = self.fighters(target, Play::enemy(side));
        if !defenders.is_empty() && defenders.iter().all(|piece| self.in_guerrilla(*piece)) {
            Manner::Counter
        } else if by.iter().any(|piece| self.in_guerrilla(*piece)) {
            Manner::Guerrilla
        } else {
            Manner::Ordinary
        }
    }

    /// Why a hex cannot be attacked at all.
    pub fn bars_target(&self, side: Side, target: Hex) -> Vec<Bar> {
        let mut bars = Vec::new();
        let about = |bar: Bar| bar.part("attack").about([Subject::of(target)]);
        if !self.held_by(target, Play::enemy(side)) {
            bars.push(about(Bar::new("9.1b", format!("no enemy unit is in {target}"), "name a hex with enemy units")));
        }
        if self.state.attacked.contains(&target) {
            bars.push(
                Bar::new("9.1e", format!("{target} has been attacked this turn"), "attack another hex")
                    .part("attack")
                    .firm(),
            );
        }
        bars
    }

    /// Why a piece cannot take part in an attack on a hex.
    pub fn bars_attacker(
        &self,
        side: Side,
        piece: Piece,
        target: Hex,
        fought: &BTreeSet<Piece>,
        manner: Manner,
    ) -> Vec<Bar> {
        let mut bars = Vec::new();
        let about = |bar: Bar| bar.about([Subject::of(piece)]);
        if self.force(piece).is_none_or(|force| force.side() != side) {
            return vec![Bar::new("0c", format!("{piece} is not yours"), "name a unit of your own").firm()];
        }
        let Some(hex) = self.state.hex_of(piece) else {
            return vec![about(Bar::new(
                "9.1b",
                format!("{piece} is not on the open map"),
                "name what stands on the map",
            ))];
        };
        if !self.data().touch(hex, target) {
            bars.push(about(Bar::new(
                "9.1d",
                format!("{piece} in {hex} is not next to {target}"),
                "move it there first",
            )));
        }
        let landed = self.state.counters.get(&piece).map_or(self.state.unit(piece).landed, |counter| counter.landed);
        if landed {
            bars.push(about(Bar::new("8.2e", format!("{piece} landed this turn"), "attack next turn")));
        }
        if self.frozen(piece) {
            bars.push(about(Bar::new("3n", format!("{piece} is not released"), "wait for event 34-36")));
        }
        if fought.contains(&piece) {
            bars.push(Bar::new("A24a", format!("{piece} has attacked"), "a unit attacks once in a phase").firm());
        }
        match self.kind(piece) {
            Some(UnitKind::Signals) => {
                bars.push(Bar::new("14.8c", format!("{piece} takes no part in combat"), "leave it out").firm())
            }
            Some(UnitKind::Leader) => {
                bars.push(Bar::new("6a", format!("{piece} is with them anyway"), "leave him out").firm())
            }
            Some(UnitKind::LogisticColumn) => {
                bars.push(
                    Bar::new("14.5.1b", format!("{piece} takes no part in combat"), "name it under `support`").firm(),
                );
            }
            Some(UnitKind::Artillery) => {
                let clause = if manner == Manner::Counter { "A84" } else { "9.6a" };
                bars.push(Bar::new(clause, format!("{piece} adds nothing to an attack"), "let it bombard").firm());
            }
            Some(UnitKind::MachineGun) if manner == Manner::Counter => {
                bars.push(
                    Bar::new("A84", format!("{piece} cannot hunt guerrillas"), "leave it out")
                        .about([Subject::of(target)]),
                );
            }
            _ => {}
        }
        if manner == Manner::Guerrilla && !self.in_guerrilla(piece) {
            let why = format!("{piece} is in regular order and others attack in guerrilla");
            bars.push(about(Bar::new("A83a", why, "attack apart")));
        }
        bars
    }

    /// Who of a force can attack a hex, and how: its units in guerrilla if `hiding`, else the others; all of them hunt.
    pub fn attackers(
        &self,
        side: Side,
        force: Force,
        target: Hex,
        fought: &BTreeSet<Piece>,
        hiding: bool,
    ) -> (Vec<Piece>, Manner) {
        let hunted = self.manner(&[], target, side) == Manner::Counter;
        let real = |piece: &Piece| self.known.0.get(piece).is_none_or(|content| self.data().is_real(content)); // A52a
        let mut by: Vec<Piece> = (self.data().land_around(target))
            .flat_map(|hex| self.stack(hex, force))
            .filter(|piece| self.fights(*piece) && real(piece) && (hunted || self.in_guerrilla(*piece) == hiding))
            .collect();
        let manner = self.manner(&by, target, side);
        by.retain(|piece| self.bars_attacker(side, *piece, target, fought, manner).is_empty());
        if !self.bars_target(side, target).is_empty() || !self.bars_attack(side, &by, target, manner).is_empty() {
            by.clear();
        }
        (by, manner)
    }

    /// What only the attack as a whole can break.
    fn bars_attack(&self, side: Side, by: &[Piece], target: Hex, manner: Manner) -> Vec<Bar> {
        let mut bars = Vec::new();
        let forces: BTreeSet<Force> = by.iter().filter_map(|piece| self.force(*piece)).collect();
        if forces.len() > 1 {
            bars.push(Bar::new("9.1c", "Cubans and US units attack together", "order two attacks").part("by").firm());
        }
        let gun = |piece: &Piece| self.kind(*piece).is_some_and(UnitKind::is_gun);
        if !by.is_empty() && by.iter().all(gun) {
            bars.push(Bar::new("9.6b", "machine guns only support an attack of others", "name who attacks").part("by"));
        }
        let defenders = self.fighters(target, Play::enemy(side));
        let orderly = |piece: &Piece| self.kind(*piece) == Some(UnitKind::Guerrilla) && !self.in_guerrilla(*piece);
        if manner == Manner::Guerrilla && !defenders.is_empty() && defenders.iter().all(orderly) {
            let why = format!("guerrillas in regular order in {target} are not attacked by units in guerrilla");
            bars.push(Bar::new("A83b", why, "attack in regular order").part("attack").about([Subject::of(target)]));
        }
        bars
    }

    /// What the shock of these units counts (§9.2e, §9.2i, A80).
    pub fn shock_factors(&self, units: &[Piece], defending: bool) -> Vec<Factor> {
        let foot = |piece: &Piece| self.kind(*piece).is_some_and(UnitKind::is_foot);
        let alone = defending && !units.iter().any(foot);
        let counts = |piece: &&Piece| foot(piece) || alone && self.kind(**piece).is_some_and(UnitKind::is_gun);
        let factor = |piece: &Piece| {
            let printed = self.factors(*piece).shock;
            Factor { unit: piece.to_string(), printed, counts: self.halved(*piece, printed) }
        };
        units.iter().filter(counts).map(factor).collect()
    }

    /// What a unit under a counter of one's own would count in shock.
    pub fn shock_under(&self, unit: Piece, steps: u8) -> u32 {
        self.unit(unit)
            .filter(|unit| unit.kind.is_foot())
            .map_or(0, |unit| unit.factors(steps, Some(Mode::Regular)).shock)
    }

    /// The odds of attackers against a hex before any shift, as far as everybody sees.
    pub fn bare_odds(&self, by: &[Piece], defenders: &[Piece]) -> (u32, u32, Odds) {
        let sum = |factors: Vec<Factor>| factors.iter().map(|factor| factor.counts).sum::<u32>();
        let (attack, defence) = (sum(self.shock_factors(by, false)), sum(self.shock_factors(defenders, true)));
        (attack, defence, Odds::of(attack, defence))
    }

    /// The shifts that do not hang on a choice (§9.2f, A94, A95e).
    pub fn fixed_shifts(&self, by: &[Piece], target: Hex, defenders: &[Piece]) -> Tally {
        let data = self.data();
        let values = data.tables.shock.shifts;
        let mut shifts = Tally::new();
        if let Some((leader, rating)) = self.leader_with(by) {
            shifts.add(leader.to_string(), rating, Clause("6.1b"));
        }
        if let Some((leader, rating)) = self.leader_with(defenders) {
            shifts.add(leader.to_string(), -rating, Clause("6.1c"));
        }
        let ground = data.ground(target);
        let terrain = data.terrain(target);
        let rough =
            matches!(terrain, Terrain::Jungle | Terrain::Hill | Terrain::Village | Terrain::Town | Terrain::City);
        if rough || ground.is_some_and(|ground| ground.entrenchment) {
            let what = if rough { terrain.as_str() } else { "entrenchment" };
            shifts.add(what, values.ground, Clause("A94b"));
        }
        if ground.is_some_and(|ground| ground.redoubt) {
            shifts.add("redoubt", values.redoubt, Clause("A94b"));
        }
        let hexes: BTreeSet<Hex> = by.iter().filter_map(|piece| self.state.hex_of(*piece)).collect();
        if !hexes.is_empty() && hexes.iter().all(|hex| data.river_between(*hex, target)) {
            shifts.add("across a river", values.river, Clause("A94a"));
        }
        if defenders.iter().any(|piece| self.state.unit(*piece).landed) {
            shifts.add("landed this turn", values.landed, Clause("8.2f"));
        }
        let marines = |pieces: &[Piece]| {
            pieces.iter().any(|piece| self.unit(*piece).is_some_and(|unit| unit.has(Flag::NavalBrigade)))
        };
        if self.state.in_force(EventName::Trozos) {
            if marines(by) {
                shifts.add("Trozos", values.trozos, Clause("7.2.53a"));
            }
            if marines(defenders) {
                shifts.add("Trozos", -values.trozos, Clause("7.2.53b"));
            }
        }
        shifts
    }
}

/// An attack being fought.
struct Fight<'f> {
    force: Force,
    side: Side,
    target: Hex,
    by: Vec<Piece>,
    order: &'f CombatOrder,
    /// Some order of the packet is for the Maine.
    maine_ordered: bool,
}

impl Play<'_, '_> {
    /// Whose combat phase an order belongs to.
    pub fn fighting_force(&self, side: Side, order: &CombatOrder) -> Force {
        let of = order.by.first().and_then(|piece| self.now().force(*piece)).filter(|force| force.side() == side);
        of.unwrap_or(if side == US { Force::Us } else { Force::Spanish })
    }

    /// The closed counters that will attack are shown with the orders, before any die (A60), and none is a dummy.
    pub fn show_attackers(&mut self, side: Side, combat: &[CombatOrder]) -> Ruling<()> {
        for (index, order) in combat.iter().enumerate() {
            let Some(target) = order.attack else { continue };
            let own: Vec<Piece> = order
                .by
                .iter()
                .copied()
                .filter(|piece| self.now().force(*piece).is_some_and(|f| f.side() == side))
                .collect();
            let closed = self.closed(&own);
            let hunting = self.now().manner(&own, target, side) != Manner::Ordinary;
            for name in closed {
                let Some(sealed) = self.sealed(name) else { continue };
                let data = self.data();
                let real = |held: &[Content]| held.iter().all(|content| data.is_real(content));
                let bar = Bar::new("A52a", format!("{name} is a dummy and cannot attack"), "leave it out").part("by");
                self.entry(DocPath::root().key("combat").index(index), |play| {
                    play.umpire.vouch(&[&sealed], bar, real)?;
                    if !hunting {
                        play.umpire.open_or(&sealed, &[], Content::Dummy)?;
                    }
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    /// One combat phase: B.2a, B.2b or C.2.
    pub fn combat(&mut self, side: Side, force: Force, combat: &mut [CombatOrder]) -> Ruling<()> {
        self.fought.clear();
        self.bombarded.clear();
        let maine_ordered = combat.iter().any(|order| order.maine);
        for (index, order) in combat.iter().enumerate() {
            if self.fighting_force(side, order) != force {
                continue;
            }
            self.entry(DocPath::root().key("combat").index(index), |play| {
                play.one_combat(side, force, order, maine_ordered)
            })?;
        }
        Ok(())
    }

    fn one_combat(&mut self, side: Side, force: Force, order: &CombatOrder, maine_ordered: bool) -> Ruling<()> {
        let kinds = [order.attack, order.bombard, order.naval].into_iter().flatten().count();
        if kinds != 1 {
            let bar =
                Bar::new("9.1b", "an entry is an attack, a bombardment or naval fire", "name exactly one hex").firm();
            self.lapse("combat", vec![bar]);
            return Ok(());
        }
        if order.maine
            && (force != Force::Us || !self.state.in_force(EventName::RememberTheMaine) || order.attack.is_none())
        {
            let bar = Bar::new("7.2.51a", "the Maine is not remembered here", "it takes event 51-52 and a US attack")
                .part("maine");
            self.lapse("Remember the Maine", vec![bar]);
        }
        if let Some(target) = order.bombard {
            return self.bombard(side, force, target, order);
        }
        if let Some(target) = order.naval {
            return self.naval_fire(side, force, target, order);
        }
        let Some(mut target) = order.attack else { return Ok(()) };
        if let Some(instead) = order.instead.filter(|hex| !self.data().is_land(*hex) || *hex == target) {
            let bar = Bar::new("9.1b", format!("{instead} is no other hex to attack"), "name another land hex")
                .part("instead")
                .firm();
            self.lapse("attack", vec![bar]);
        }
        if !self.now().held_by(target, Play::enemy(side)) {
            match self.next_target(side, order, target)? {
                Some(other) => target = other,
                None => {
                    let bars = self.now().bars_target(side, target);
                    self.lapse(format!("attack on {target}"), bars);
                    return Ok(());
                }
            }
        }
        let bars = self.now().bars_target(side, target);
        let manner = self.now().manner(&order.by, target, side);
        let mut by: Vec<Piece> = Vec::new();
        for (index, piece) in order.by.iter().enumerate() {
            let part = DocPath::root().key("by").index(index);
            let mut wrong = self.now().bars_attacker(side, *piece, target, &self.fought, manner);
            if by.contains(piece) {
                wrong.push(Bar::new("A24a", format!("{piece} is named twice"), "name it once").firm());
            }
            if wrong.is_empty() {
                by.push(*piece);
            } else {
                self.lapse(format!("attack by {piece}"), wrong.into_iter().map(|bar| bar.at(part.clone())).collect());
            }
        }
        let mut bars: Vec<Bar> = bars.into_iter().chain(self.now().bars_attack(side, &by, target, manner)).collect();
        if order.by.is_empty() {
            bars.push(Bar::new("9.1b", "nobody attacks", "name units under `by`").part("by").firm());
        }
        let from: Vec<Hex> = self.hexes_of(&by);
        if let Some(support) = order.support.filter(|_| !by.is_empty()) {
            if manner != Manner::Ordinary && support != Support::No {
                bars.push(
                    Bar::new("A86", "attacks on the Guerrilla Table take no supply point", "leave it out")
                        .part("support"),
                );
            } else if let Some(bar) = self.now().bars_support(force, &from, support) {
                self.lapse("support", vec![bar.about(subjects(&from))]);
            }
        }
        bars.extend(self.bars_instructions(order, &by));
        if !bars.is_empty() {
            let fatal = bars
                .iter()
                .any(|bar| !["support", "losses", "advance"].iter().any(|key| bar.part == DocPath::root().key(key)));
            self.lapse(format!("attack on {target}"), bars);
            if fatal {
                return Ok(());
            }
        }
        if by.is_empty() {
            return Ok(());
        }
        self.fought.extend(by.iter().copied());
        self.state.attacked.insert(target);
        self.umpire.note(Event::Combat { target, by: by.clone(), from: from.clone(), force });
        let fight = Fight { force, side, target, by, order, maine_ordered };
        match manner {
            Manner::Ordinary => self.fight(fight),
            Manner::Guerrilla | Manner::Counter => self.hunt(fight, manner == Manner::Counter),
        }
    }

    /// Instructions for later that name somebody who does not attack.
    fn bars_instructions(&self, order: &CombatOrder, by: &[Piece]) -> Vec<Bar> {
        let mut bars = Vec::new();
        let closed = !self.closed(by).is_empty();
        let among = |piece: &Piece| by.contains(piece) || order.by.contains(piece) || closed;
        for piece in order.losses.iter().filter(|piece| !among(piece)) {
            bars.push(Bar::new("A26", format!("{piece} does not attack"), "name attackers").part("losses").firm());
        }
        if let Some(super::orders::Advance::Units(units)) = &order.advance {
            for piece in units.iter().filter(|piece| !among(piece)) {
                bars.push(
                    Bar::new("9.4a", format!("{piece} does not attack"), "name attackers").part("advance").firm(),
                );
            }
            let closed = order.attack.is_some_and(|target| self.data().terrain(target).bars_guerrillas());
            for piece in units.iter().filter(|piece| closed && self.now().in_guerrilla(**piece)) {
                let why = format!("{piece} is in guerrilla and cannot enter a town or city");
                bars.push(Bar::new("A91", why, "leave it out").part("advance").firm());
            }
        }
        bars
    }

    /// The hexes of these pieces, by number.
    pub fn hexes_of(&self, pieces: &[Piece]) -> Vec<Hex> {
        pieces.iter().filter_map(|piece| self.state.hex_of(*piece)).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The target has gone: another hex, or none.
    fn next_target(&mut self, side: Side, order: &CombatOrder, gone: Hex) -> Ruling<Option<Hex>> {
        let now = self.now();
        let may = |target: &Hex| {
            let manner = now.manner(&order.by, *target, side);
            let fits = |piece: &Piece| now.bars_attacker(side, *piece, *target, &self.fought, manner).is_empty();
            now.bars_target(side, *target).is_empty() && !order.by.is_empty() && order.by.iter().all(fits)
        };
        let near: BTreeSet<Hex> = self
            .hexes_of(&order.by)
            .into_iter()
            .flat_map(|hex| self.data().land_around(hex).collect::<Vec<_>>())
            .collect();
        let others: Vec<Hex> = near.into_iter().filter(may).collect();
        if others.is_empty() {
            return Ok(None);
        }
        let default = Spot(order.instead.filter(|hex| others.contains(hex)));
        let options: Vec<Spot> = std::iter::once(Spot(None)).chain(others.iter().map(|hex| Spot(Some(*hex)))).collect();
        let question = Question {
            who: side,
            kind: NEXT_COMBAT,
            about: Subject::of(gone),
            clause: Clause("9.1b"),
            text: format!("nobody is left in {gone}: is another hex attacked instead?"),
            options,
            default,
            also: None,
        };
        let ordered = order.instead.map(|_| default);
        let chosen = self.umpire.ask(question, ordered, |policy| match policy {
            Policy::Ever(Ever::Never) => Say::Choose(Spot(None)),
            Policy::Hexes(hexes) => {
                hexes.iter().find(|hex| others.contains(hex)).map_or(Say::Default, |hex| Say::Choose(Spot(Some(*hex))))
            }
            _ => Say::Default,
        })?;
        Ok(chosen.0)
    }

    /// The pieces under these counters are shown and take their place (A60).
    fn unveil(&mut self, pieces: &[Piece]) -> Ruling<Vec<Piece>> {
        let mut shown: Vec<Piece> = Vec::new();
        for piece in pieces {
            if self.state.counters.contains_key(piece) {
                shown.extend(self.open(*piece, Why::Combat)?);
            } else {
                shown.push(*piece);
            }
        }
        Ok(shown)
    }

    /// Fire, fire, shock (§9.2).
    fn fight(&mut self, fight: Fight<'_>) -> Ruling<()> {
        let Fight { force, side, target, order, .. } = fight;
        let enemy = Play::enemy(side);
        let attackers = self.unveil(&fight.by)?;
        self.fought.extend(attackers.iter().copied());
        // Guns of an opened column stay behind (§9.6a).
        let mut attackers: Vec<Piece> = (attackers.into_iter())
            .filter(|piece| self.now().kind(*piece).is_some_and(|kind| kind.is_foot() || kind == UnitKind::MachineGun))
            .collect();
        let from = self.hexes_of(&attackers);
        let there = self.now().fighters(target, enemy);
        let Some(defender) = there.first().and_then(|piece| self.now().force(*piece)) else { return Ok(()) };
        let mut defenders = self.unveil(&there)?;
        defenders.retain(|piece| self.now().fights(*piece));
        if defenders.is_empty() {
            // A52c: nothing but dummies.
            return self.advance(side, force, &attackers, target, order);
        }
        let (_, _, odds) = self.now().bare_odds(&attackers, &defenders);
        let ordered = order.support.unwrap_or(Support::No);
        let (attack_sp, defence_sp) = self.both_support(force, defender, target, &from, ordered, odds)?;
        let hexes = from.iter().chain([&target]).map(Hex::to_string);
        let touched = subjects(attackers.iter().chain(&defenders).map(Piece::to_string).chain(hexes));
        self.umpire.cloud(touched, &crate::engine::Cloud::Die("combat".into()));
        // §9.2b: the defender fires first, and what he hits no longer fires back.
        let volley = Volley {
            kind: FireKind::Defence,
            by: defender,
            units: defenders.clone(),
            from: vec![target],
            at: attackers.clone(),
            hexes: from.clone(),
            target,
            supported: defence_sp != Support::No,
        };
        let result = self.fire(&volley)?;
        self.hit(&attackers, result, target, Cause::Fire, Some(order.losses.clone()))?;
        for hex in &from {
            self.abandon(*hex, force, false);
        }
        attackers = self.standing(&attackers);
        if attackers.is_empty() {
            return Ok(());
        }
        let volley = Volley {
            kind: FireKind::Attack,
            by: force,
            units: attackers.clone(),
            from: self.hexes_of(&attackers),
            at: defenders.clone(),
            hexes: vec![target],
            target,
            supported: attack_sp != Support::No,
        };
        let result = self.fire(&volley)?;
        self.hit(&defenders, result, target, Cause::Fire, None)?;
        defenders = self.standing(&defenders);
        if !defenders.is_empty() {
            self.shock(&fight, &mut attackers, &mut defenders, defender, (attack_sp, defence_sp))?;
        }
        if self.now().fighters(target, enemy).is_empty() {
            self.abandon(target, defender, true);
            self.advance(side, force, &attackers, target, order)?;
        }
        Ok(())
    }

    /// A result of the Fire Table: losses first, then DS on a survivor (A71).
    pub fn hit(
        &mut self,
        pieces: &[Piece],
        result: FireResult,
        at: Hex,
        cause: Cause,
        ordered: Option<Vec<Piece>>,
    ) -> Ruling<()> {
        if result.steps > 0 {
            self.lose(&Toll { pieces: pieces.to_vec(), steps: result.steps, at, cause, ordered })?;
        }
        if result.ds {
            let standing = self.standing(pieces);
            self.disorganize(&standing, at, None)?;
        }
        Ok(())
    }

    /// §9.2e to §9.2g.
    fn shock(
        &mut self,
        fight: &Fight<'_>,
        attackers: &mut Vec<Piece>,
        defenders: &mut Vec<Piece>,
        defender: Force,
        support: (Support, Support),
    ) -> Ruling<()> {
        let target = fight.target;
        let (attack, defence, odds) = self.now().bare_odds(attackers, defenders);
        if attack == 0 {
            self.umpire.note(Event::NoShock { target, attack }); // A28c
            return Ok(());
        }
        let tables = self.data().tables.clone();
        let values = tables.shock.shifts;
        let mut shifts = self.now().fixed_shifts(attackers, target, defenders);
        if support.0 != Support::No {
            shifts.add("supply point", values.supply, Clause("14.4.5c"));
        }
        if support.1 != Support::No {
            shifts.add("supply point", -values.supply, Clause("14.4.5f"));
        }
        if fight.force == Force::Us && self.state.in_force(EventName::RememberTheMaine) && self.maine(fight)? {
            self.state.in_force.remove(&EventName::RememberTheMaine);
            shifts.add("Remember the Maine!", values.maine, Clause("7.2.51a"));
        }
        if defender == Force::Spanish && self.state.in_force(EventName::Tocineros) && self.tocineros(target)? {
            self.state.in_force.remove(&EventName::Tocineros);
            shifts.add("Tocineros", values.tocineros, Clause("7.2.55a"));
        }
        let mut modifiers = Tally::new();
        if fight.force == Force::Cuban && self.state.in_force(EventName::FriendCalixto) {
            modifiers.add("Friend Calixto", tables.shock.die.friend_calixto, Clause("7.2.14a"));
        }
        if fight.force == Force::Us && self.state.in_force(EventName::TheDons) {
            modifiers.add("The Dons", tables.shock.die.the_dons, Clause("7.2.31a"));
        }
        let table = &tables.shock.results;
        // A28b: the sum of the shifts, from the column found.
        let place = table.shifted(table.column(&odds).unwrap_or(0), shifts.total());
        let column = table.columns.get(place).copied().unwrap_or(odds);
        let drm = modifiers.total();
        let read = |die: i32| table.cell(place, die + drm).unwrap_or_default();
        let touch = Touch::on(subjects(
            attackers.iter().chain(defenders.iter()).map(Piece::to_string).chain([target.to_string()]),
        ));
        let now = self.now();
        let (attacking, defending) = (now.shock_factors(attackers, false), now.shock_factors(defenders, true));
        let thrown = self.d6(fight.side, target, "shock", read, touch)?;
        let result = thrown.result;
        self.umpire.note(Event::Shock {
            target,
            attackers: attacking,
            defenders: defending,
            attack,
            defence,
            odds,
            shifts,
            column,
            modified: i32::from(thrown.cast.face()) + drm,
            die: thrown.cast,
            modifiers,
            result,
        });
        let from = self.hexes_of(attackers);
        if result.attacker > 0 {
            let ordered = Some(fight.order.losses.clone());
            let toll =
                Toll { pieces: attackers.clone(), steps: result.attacker, at: target, cause: Cause::Shock, ordered };
            self.lose(&toll)?;
            for hex in &from {
                self.abandon(*hex, fight.force, false);
            }
            *attackers = self.standing(attackers);
        }
        if result.defender > 0 {
            let toll = Toll {
                pieces: defenders.clone(),
                steps: result.defender,
                at: target,
                cause: Cause::Shock,
                ordered: None,
            };
            self.lose(&toll)?;
            *defenders = self.standing(defenders);
        }
        if result.retreat && !defenders.is_empty() {
            self.retreat(defender, defenders, target, &from)?;
        }
        Ok(())
    }

    /// §7.2.51a.
    fn maine(&mut self, fight: &Fight<'_>) -> Ruling<bool> {
        let default = !fight.maine_ordered || fight.order.maine;
        let question = Question {
            who: US,
            kind: MAINE,
            about: Subject::of(fight.target),
            clause: Clause("7.2.51a"),
            text: format!("does the attack on {} remember the Maine?", fight.target),
            options: vec![true, false],
            default,
            also: None,
        };
        let target = fight.target;
        let ordered = fight.maine_ordered.then_some(fight.order.maine);
        self.umpire.ask(question, ordered, |policy| match policy {
            Policy::Ever(ever) => Say::Choose(*ever == Ever::Always),
            Policy::Hexes(hexes) => Say::Choose(hexes.contains(&target)),
            _ => Say::Default,
        })
    }

    /// §7.2.55a.
    fn tocineros(&mut self, target: Hex) -> Ruling<bool> {
        let objective = self.data().ground(target).is_some_and(|ground| ground.objective);
        let question = Question {
            who: SPAIN,
            kind: TOCINEROS,
            about: Subject::of(target),
            clause: Clause("7.2.55a"),
            text: format!("do the Tocineros help the defence of {target}?"),
            options: vec![true, false],
            default: objective,
            also: None,
        };
        self.umpire.ask(question, None, |policy| match policy {
            Policy::Ever(ever) => Say::Choose(*ever == Ever::Always),
            Policy::Hexes(hexes) => Say::Choose(hexes.contains(&target)),
            _ => Say::Default,
        })
    }

    /// An attack on the Guerrilla Table (§11.2.2d, A83).
    fn hunt(&mut self, fight: Fight<'_>, counter: bool) -> Ruling<()> {
        let Fight { force, side, target, order, .. } = fight;
        let enemy = Play::enemy(side);
        let there = self.now().fighters(target, enemy);
        let hangers = self.now().holder(target).map(|of| self.now().stack(target, of)).unwrap_or_default();
        let from = self.hexes_of(&fight.by);
        let defender = there.first().and_then(|piece| self.now().force(*piece));
        let (guerrillas, others) = match counter {
            true => (there.clone(), fight.by.clone()),
            false => (fight.by.clone(), hangers.clone()),
        };
        let logistic = !counter && self.train_under(&others, target)?;
        let attack = TableAttack {
            guerrillas,
            others,
            target,
            reaction: false,
            counter,
            logistic,
            from: from.clone(),
            losses: order.losses.clone(),
        };
        let (result, others) = self.table_roll(&attack)?;
        if result == GuerrillaResult::Ambush {
            self.stop(&others); // §11.3g, A90
        }
        for hex in &from {
            self.abandon(*hex, force, false);
        }
        let mut by = self.standing(&fight.by);
        if counter {
            by = others.into_iter().filter(|piece| self.state.hex_of(*piece).is_some()).collect();
        }
        self.fought.extend(by.iter().copied());
        let emptied = self.now().fighters(target, enemy).is_empty();
        if let (true, Some(defender)) = (emptied && !by.is_empty(), defender) {
            self.abandon(target, defender, true);
            self.advance(side, force, &by, target, order)?; // A91
        }
        Ok(())
    }
}
