//! §9.2e to §9.2i: shock. Factors, odds, every shift with its source, the die and what it does.

use std::collections::BTreeSet;

use crate::board::Hex;
use crate::engine::{Clause, Ever, Question, Ruling, Say, Subject, Tally, Touch};

use super::combat::Fight;
use super::events::{Cause, Event, Factor};
use super::losses::Toll;
use super::orders::Support;
use super::play::{Fate, Play, subjects};
use super::policy::{MAINE, Policy, TOCINEROS};
use super::position::Position;
use super::tables::Odds;
use super::terms::{EventName, Flag, Force, Mode, Piece, Terrain, UnitKind};
use super::{SPAIN, US};

impl Position<'_> {
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
        if let Some((leader, rating)) = self.leader_with(by, true) {
            shifts.add(leader.to_string(), rating, Clause("6.1b"));
        }
        if let Some((leader, rating)) = self.leader_with(defenders, false) {
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
        if defenders.first().and_then(|piece| self.force(*piece)).is_some_and(|force| self.is_fresh(target, force)) {
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

impl Play<'_, '_> {
    /// §9.2e to §9.2g.
    pub fn shock(
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
                self.abandon(*hex, fight.force, Fate::Fight);
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
}
