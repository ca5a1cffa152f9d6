//! Chapters 9.1 and 9.2: naming attacks and drawing defensive fire.
//!
//! In its fire phase a force names its battles one after the other and the defenders fire; in its shock phase it
//! presses them or calls them off (R1).

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Grid, Hex};
use crate::document;
use crate::engine::{Clause, Question, Ruling, Say, Side, Subject, Tally};

use super::events::{Event, Factor, NoBattle, PhaseName};
use super::orders::{BattleOrder, Effort, TurnOrders};
use super::play::{Play, Position, player};
use super::policy::{ALL_OUT, Ever, FIRE, FirePlan, NEXT_BATTLE, Policy};
use super::state::Cause;
use super::supply::Nets;
use super::terms::{Force, Terrain, UnitId};
use super::{SPAIN, Switch, US};

document! {
    /// The battle fought next: a target and its attackers, or nothing to end the fire phase.
    pub struct NextBattle {
        /// The enemy hex; left out, no further battle is named.
        pub target: Option<Hex>,
        /// The attackers.
        pub attackers: Vec<UnitId>,
    }
}

/// A battle named in the fire phase and finished in the shock phase.
#[derive(Clone, Debug)]
pub struct Battle {
    pub force: Force,
    pub target: Hex,
    pub attackers: Vec<UnitId>,
    /// What the order says about pressing, losses, gunfire and advance.
    pub order: BattleOrder,
}

/// What a player turn has used up: hexes attacked (§9.1f) and units committed (§IMP.3).
#[derive(Clone, Debug, Default)]
pub struct Committed {
    pub targets: BTreeSet<Hex>,
    pub units: BTreeSet<UnitId>,
}

impl Position<'_> {
    /// Why a unit may not attack this hex, if so.
    pub fn attacker_barred(&self, id: UnitId, target: Hex) -> Option<(Clause, String)> {
        let bar = |clause, why| Some((Clause(clause), why));
        let Some(at) = self.state.hex_of(id) else { return bar("9.1b", format!("{id} is not on the map")) };
        if !self.is_combat(id) {
            let clause = if self.signals_in(at) == Some(id) { "8.7b" } else { "9.1c" };
            return bar(clause, format!("{id} never attacks by itself"));
        }
        if self.data().grid.distance(at, target) != 1 {
            return bar("9.1b", format!("{id} in {at} is not next to {target}"));
        }
        if self.data().water_between(at, target) {
            return bar("TEC.j", format!("there is only water between {at} and {target}"));
        }
        if self.state.unit(id).landed {
            return bar("8.2f", format!("{id} landed this turn"));
        }
        if self.is_frozen(id) {
            return bar("3.2i", format!("{id} is not released"));
        }
        if self.state.unit(id).disorganized {
            return bar("9.6b", format!("{id} is disorganized"));
        }
        None
    }

    /// Why a hex cannot be attacked by a player, if so (§9.1g).
    pub fn target_barred(&self, side: Side, target: Hex) -> Option<(Clause, String)> {
        let signals = side == SPAIN && self.signals_in(target).is_some();
        if self.enemy_in(side, target) || signals {
            return None;
        }
        Some((Clause("9.1g"), format!("no enemy unit that can be attacked stands in {target}")))
    }

    /// Every hex a force could attack now, with the units that could do it.
    pub fn possible_battles(&self, force: Force, used: &Committed) -> BTreeMap<Hex, Vec<UnitId>> {
        let mut targets: BTreeSet<Hex> = self.enemy_hexes(player(force)).collect();
        targets.extend(self.signals().filter(|_| force == Force::Spanish).map(|(_, hex)| hex));
        targets.retain(|hex| !used.targets.contains(hex));
        let mut battles: BTreeMap<Hex, Vec<UnitId>> = BTreeMap::new();
        for (id, unit) in &self.state.units {
            let Some(at) = unit.at.hex().filter(|_| unit.role.force == force) else { continue };
            if used.units.contains(id) {
                continue;
            }
            for (_, target) in self.data().grid.neighbours(at) {
                if targets.contains(&target) && self.attacker_barred(*id, target).is_none() {
                    battles.entry(target).or_default().push(*id);
                }
            }
        }
        battles
    }

    /// A unit's factor for this battle, halved if it is out of supply (§10.4a, §10.4b).
    pub fn factor(&self, nets: &Nets, id: UnitId, of: impl Fn(super::data::Factors) -> u32) -> Factor {
        let printed = of(self.values(id));
        let supplied = self.is_supplied(nets, id);
        let counts = if supplied { printed } else { printed / 2 };
        let hex = self.state.hex_of(id).unwrap_or(self.data().santiago);
        Factor { unit: id, hex, printed, supplied, counts }
    }

    /// Why Roosevelt cannot make his effort, if so: once in the game, and he must be there (§6.4a).
    pub fn effort_barred(&self) -> Option<(Clause, String)> {
        if let Some(made) = self.state.all_out {
            return Some((Clause("6.4a"), format!("the all-out effort was made on turn {made}")));
        }
        let absent = self.state.hex_of(self.data().cast.roosevelt).is_none();
        absent.then(|| (Clause("6.4a"), "Roosevelt is not on the map".to_owned()))
    }

    /// What the leaders in a hex are worth to a force: one, or two in Roosevelt's all-out turn (§6.2, §6.4, R9).
    pub fn leadership(&self, force: Force, hex: Hex, value: i32, all_out: i32) -> Option<(UnitId, i32)> {
        let worth = |id: UnitId| {
            let effort = id == self.data().cast.roosevelt && self.state.all_out == Some(self.state.turn);
            let rating = self.data().units.get(&id).map_or(1, |unit| unit.rating);
            (if effort { all_out } else { value * i32::from(rating) }, id)
        };
        self.leaders_in(force, hex)
            .into_iter()
            .map(worth)
            .max_by_key(|(worth, id)| (worth.abs(), std::cmp::Reverse(*id)))
            .map(|(worth, id)| (id, worth))
    }
}

impl Play<'_, '_> {
    /// A force's fire phase: it names its battles one by one and draws fire (§9.2a, §9.2g).
    pub fn fire_phase(&mut self, force: Force, orders: &TurnOrders, used: &mut Committed) -> Ruling<Vec<Battle>> {
        let (key, name) = match force {
            Force::Cuban => ("cuban-fire", PhaseName::CubanFire),
            Force::Us => ("fire", PhaseName::UsFire),
            Force::Spanish => ("fire", PhaseName::SpanishFire),
        };
        self.begin_phase(player(force).as_str(), key, name)?;
        let mut listed: Vec<&BattleOrder> =
            orders.battles.iter().filter(|battle| self.attacking_force(battle) == Some(force)).collect();
        listed.reverse();
        let mut battles = Vec::new();
        let mut seen = false;
        while let Some((order, target, attackers)) = self.next_battle(force, &mut listed, used, seen)? {
            seen = true;
            if let Some(battle) = self.name_battle(force, order, target, &attackers, used) {
                self.defensive_fire(&battle)?;
                battles.push(battle);
            }
        }
        self.check_stacking()?;
        Ok(battles)
    }

    /// The force that fights a battle: the one its first attacker belongs to.
    fn attacking_force(&self, order: &BattleOrder) -> Option<Force> {
        self.now().attackers_of(order).first().and_then(|id| self.now().force(*id))
    }

    /// Which battle comes next: the next of the list, unless the player wants to decide on what he has `seen`.
    ///
    /// He is asked where there is something to choose: fire has been seen, battles are left on the list, and some can
    /// be fought.
    fn next_battle(
        &mut self,
        force: Force,
        listed: &mut Vec<&BattleOrder>,
        used: &Committed,
        seen: bool,
    ) -> Ruling<Option<(BattleOrder, Hex, Vec<UnitId>)>> {
        let now = self.now();
        let possible = now.possible_battles(force, used);
        let as_choice =
            |order: &BattleOrder| NextBattle { target: Some(order.target), attackers: now.attackers_of(order) };
        if !seen || listed.is_empty() || possible.is_empty() {
            return Ok(listed.pop().map(|order| (order.clone(), order.target, now.attackers_of(order))));
        }
        let done = NextBattle { target: None, attackers: Vec::new() };
        let mut options: Vec<NextBattle> = listed.iter().rev().map(|order| as_choice(order)).collect();
        let default = options.first().cloned().unwrap_or_else(|| done.clone());
        options.push(done);
        let all = |(target, attackers): (&Hex, &Vec<UnitId>)| NextBattle {
            target: Some(*target),
            attackers: attackers.clone(),
        };
        for choice in possible.iter().map(all) {
            if !options.contains(&choice) {
                options.push(choice);
            }
        }
        let question = Question {
            who: player(force),
            kind: NEXT_BATTLE,
            about: Subject::of(force.word()),
            clause: Clause("9.2g"),
            text: "Which hex is attacked next, and by which units? Leave the target out to end the phase.".into(),
            options,
            default,
            also: Some(Box::new(move |choice: &NextBattle| match choice.target {
                None => choice.attackers.is_empty(),
                Some(target) => possible.get(&target).is_some_and(|units| {
                    !choice.attackers.is_empty() && choice.attackers.iter().all(|id| units.contains(id))
                }),
            })),
        };
        let choice = self.umpire.ask(question, None, |_| Say::Default)?;
        let Some(target) = choice.target else {
            listed.clear();
            return Ok(None);
        };
        let instructed = listed.iter().rposition(|order| order.target == target).map(|index| listed.remove(index));
        let order = instructed.cloned().unwrap_or_else(|| BattleOrder {
            target,
            attackers: choice.attackers.clone(),
            from: Vec::new(),
            press_if: None,
            naval: None,
            naval_from: None,
            losses: Vec::new(),
            advance: None,
        });
        Ok(Some((order, target, choice.attackers)))
    }

    /// Names a battle; attackers that may not take part drop out, and a battle left with none is not fought.
    fn name_battle(
        &mut self,
        force: Force,
        order: BattleOrder,
        target: Hex,
        attackers: &[UnitId],
        used: &mut Committed,
    ) -> Option<Battle> {
        if used.targets.contains(&target) {
            self.lapse(attackers, "9.1f", format!("{target} was attacked already this turn"));
            return None;
        }
        if let Some((clause, why)) = self.now().target_barred(player(force), target) {
            self.lapse(attackers, clause.0, why);
            return None;
        }
        let mut taking_part = Vec::new();
        for id in attackers {
            if self.state.hex_of(*id).is_none() {
                continue; // lost on the way to the battle
            }
            if self.now().force(*id) != Some(force) {
                self.lapse(&[*id], "9.1d", format!("{id} is not of the attacking force"));
            } else if used.units.contains(id) || taking_part.contains(id) {
                self.lapse(&[*id], "IMP.3", format!("{id} takes part in another battle"));
            } else if let Some((clause, why)) = self.now().attacker_barred(*id, target) {
                self.lapse(&[*id], clause.0, why);
            } else {
                taking_part.push(*id);
            }
        }
        if taking_part.is_empty() {
            self.umpire.note(Event::NoBattle { target, why: NoBattle::NoAttackers });
            return None;
        }
        used.targets.insert(target);
        used.units.extend(taking_part.iter().copied());
        let named: BTreeMap<UnitId, Hex> =
            taking_part.iter().filter_map(|id| Some((*id, self.state.hex_of(*id)?))).collect();
        let defenders = self.now().combat_units_of(super::movement::opponent(player(force)), target);
        self.umpire.note(Event::BattleNamed { force, target, attackers: named, defenders });
        Some(Battle { force, target, attackers: taking_part, order })
    }

    /// The effort a packet announces, before any die it could change (§6.4a, R10).
    pub fn announced_effort(&mut self, orders: &TurnOrders) {
        if orders.all_out_effort == Effort::No {
            return;
        }
        if let Some((clause, why)) = self.now().effort_barred() {
            let roosevelt = self.data().cast.roosevelt;
            self.lapse(&[roosevelt], clause.0, why);
        } else if orders.all_out_effort == Effort::Yes {
            self.announce_all_out();
        }
    }

    /// Roosevelt may make his effort when his hex is attacked, before the dice it would change (§6.4a, R10).
    pub fn offer_all_out(&mut self, target: Hex) -> Ruling<()> {
        let roosevelt = self.data().cast.roosevelt;
        if self.now().effort_barred().is_some() || self.state.hex_of(roosevelt) != Some(target) {
            return Ok(());
        }
        let question = Question {
            who: US,
            kind: ALL_OUT,
            about: Subject::of(target),
            clause: Clause("6.4a"),
            text: format!("{target} is attacked with Roosevelt in it: does he make his all-out effort this turn?"),
            options: vec![false, true],
            default: false,
            also: None,
        };
        let announced = self.umpire.ask(question, None, |policy| match policy {
            Policy::Ever(ever) => Say::Choose(*ever == Ever::Always),
            Policy::IfAttacked(hexes) => Say::Choose(hexes.if_attacked_in.contains(&target)),
            _ => Say::Default,
        })?;
        if announced {
            self.announce_all_out();
        }
        Ok(())
    }

    pub fn announce_all_out(&mut self) {
        let turn = self.state.turn;
        self.state.all_out = Some(turn);
        self.umpire.note(Event::AllOutEffort { turn });
    }

    /// The defenders fire: gather, choose targets, modify, roll, apply (§9.2).
    fn defensive_fire(&mut self, battle: &Battle) -> Ruling<()> {
        let defender = super::movement::opponent(player(battle.force));
        if defender == US {
            self.offer_all_out(battle.target)?;
        }
        let now = self.now();
        let nets = Nets::default();
        // §9.2i: every combat unit in the hex fires, disorganized and frozen ones too.
        let firers: Vec<Factor> = now
            .combat_units_of(defender, battle.target)
            .into_iter()
            .map(|id| now.factor(&nets, id, |values| values.fire))
            .collect();
        if firers.iter().all(|firer| firer.counts == 0) {
            self.umpire.note(Event::NoFire { target: battle.target });
            return Ok(());
        }
        let allocation = self.allocate_fire(battle, defender, &firers)?;
        let hexes: BTreeSet<Hex> = allocation.values().copied().collect();
        for at in hexes {
            let at_hex: Vec<Factor> =
                firers.iter().filter(|firer| allocation.get(&firer.unit) == Some(&at)).cloned().collect();
            self.fire_at(battle, defender, at, at_hex)?;
        }
        Ok(())
    }

    /// At which attacking hex each firing unit fires (§9.2d, §9.2e).
    fn allocate_fire(&mut self, battle: &Battle, defender: Side, firers: &[Factor]) -> Ruling<BTreeMap<UnitId, Hex>> {
        let now = self.now();
        let nets = Nets::default();
        let mut strength: BTreeMap<Hex, u32> = BTreeMap::new();
        for id in battle.attackers.iter().filter(|id| now.state.hex_of(**id).is_some()) {
            let factor = now.factor(&nets, *id, |values| values.shock);
            *strength.entry(factor.hex).or_insert(0) += factor.counts;
        }
        let mut hexes: Vec<Hex> = strength.keys().copied().collect();
        hexes.sort_by_key(|hex| (std::cmp::Reverse(strength.get(hex).copied().unwrap_or(0)), *hex));
        let mut units: Vec<&Factor> = firers.iter().filter(|firer| firer.counts > 0).collect();
        units.sort_by_key(|firer| (std::cmp::Reverse(firer.counts), firer.unit));
        let Some(strongest) = hexes.first().copied() else { return Ok(BTreeMap::new()) };
        let concentrate = |hex: Hex| units.iter().map(|firer| (firer.unit, hex)).collect::<BTreeMap<UnitId, Hex>>();
        let default = concentrate(strongest);
        if hexes.len() == 1 {
            return Ok(default);
        }
        let spread: BTreeMap<UnitId, Hex> =
            units.iter().zip(hexes.iter().cycle()).map(|(firer, hex)| (firer.unit, *hex)).collect();
        let mut options: Vec<BTreeMap<UnitId, Hex>> = hexes.iter().map(|hex| concentrate(*hex)).collect();
        if !options.contains(&spread) {
            options.push(spread.clone());
        }
        let firing: BTreeSet<UnitId> = units.iter().map(|firer| firer.unit).collect();
        let targets = hexes.clone();
        let legal = {
            let firing = firing.clone();
            let targets = targets.clone();
            move |choice: &BTreeMap<UnitId, Hex>| {
                choice.keys().copied().eq(firing.iter().copied()) && choice.values().all(|hex| targets.contains(hex))
            }
        };
        let question = Question {
            who: defender,
            kind: FIRE,
            about: Subject::of(battle.target),
            clause: Clause("9.2d"),
            text: format!("{} is attacked from several hexes: at which does each unit fire?", battle.target),
            options,
            default: default.clone(),
            also: Some(Box::new(legal)),
        };
        self.umpire.ask(question, None, |policy| match policy {
            Policy::Fire(FirePlan::Concentrate) => Say::Choose(default.clone()),
            Policy::Fire(FirePlan::Spread) => Say::Choose(spread.clone()),
            Policy::FireAt(wished) => {
                let aim =
                    |id: &UnitId| wished.get(id).copied().filter(|hex| targets.contains(hex)).unwrap_or(strongest);
                Say::Choose(firing.iter().map(|id| (*id, aim(id))).collect())
            }
            _ => Say::Default,
        })
    }

    /// One roll of defensive fire at one attacking hex.
    fn fire_at(&mut self, battle: &Battle, defender: Side, at: Hex, firers: Vec<Factor>) -> Ruling<()> {
        let total = firers.iter().map(|firer| firer.counts).sum();
        let modifiers = self.fire_modifiers(battle, defender, at);
        let die = self.d6(at, "fire")?;
        let modified = i32::from(die) + modifiers.total();
        let tables = &self.data().tables;
        let result = tables.defensive_fire(total, modified);
        let column = tables.fire_column(total).unwrap_or_default();
        let event =
            Event::DefensiveFire { target: battle.target, at, firers, total, column, die, modifiers, modified, result };
        self.umpire.note(event);
        // R3: the whole stack of the hex is hit, for losses and for disorganization.
        let units = self.now().combat_units(battle.force, at);
        let clause = if result.dis { "DFT.m" } else { "DFT.l" };
        let lost =
            self.choose_losses(battle.force, at, &units, u32::from(result.steps), clause, &battle.order.losses)?;
        self.lose_steps(battle.force, at, Cause::Fire, &lost);
        if result.dis {
            let units = self.now().combat_units(battle.force, at);
            for id in &units {
                if let Some(unit) = self.state.units.get_mut(id) {
                    unit.disorganized = true;
                }
            }
            if !units.is_empty() {
                self.umpire.note(Event::Disorganized { hex: at, units });
            }
        }
        Ok(())
    }

    /// The modifiers beneath the Defensive Fire Table; they look at the hex fired at (§DFM).
    fn fire_modifiers(&self, battle: &Battle, defender: Side, at: Hex) -> Tally {
        let now = self.now();
        let data = self.data();
        let values = &data.tables.defensive_fire.modifiers;
        let ground = |hex| data.ground(hex);
        let mut tally = Tally::new();
        if data.terrain(battle.target) == Terrain::Hill && data.terrain(at) != Terrain::Hill {
            tally.add("from a hill at lower ground", values.from_hill, Clause("DFM.a"));
        }
        if ground(at).is_some_and(|ground| ground.battery) {
            tally.add("target in a battery", values.battery, Clause("DFM.b"));
        }
        if ground(at).is_some_and(|ground| ground.entrenchment) {
            tally.add("target entrenched", values.entrenchment, Clause("DFM.c"));
        }
        if data.terrain(at) == Terrain::Jungle {
            tally.add("target in jungle", values.jungle, Clause("DFM.d"));
        }
        if ground(at).is_some_and(|ground| ground.redoubt) {
            tally.add("target in a redoubt", values.redoubt, Clause("DFM.e"));
        }
        // R34: the balloon helps US fire, or as an option fire at US units, next to it in either mode.
        if let Some((_, balloon)) = now.signals() {
            let next_to = |hex| data.grid.distance(balloon, hex) == 1;
            let helps = if self.game.switch(Switch::BalloonHelpsFireAtUs) {
                battle.force == Force::Us && next_to(at)
            } else {
                !now.combat_units(Force::Us, battle.target).is_empty() && next_to(battle.target)
            };
            if helps {
                tally.add("Signals Detachment adjacent", values.signals, Clause("DFM.f"));
            }
        }
        // §6.2a, §DFM.g: one leader counts once.
        let forces = if defender == SPAIN { vec![Force::Spanish] } else { vec![Force::Us, Force::Cuban] };
        for force in forces {
            if now.combat_units(force, battle.target).is_empty() {
                continue;
            }
            if let Some((leader, worth)) = now.leadership(force, battle.target, values.leader, values.all_out) {
                let clause = if worth == values.leader { "DFM.g" } else { "6.4b" };
                tally.add(format!("leader {leader}"), worth, Clause(clause));
            }
        }
        tally
    }
}
