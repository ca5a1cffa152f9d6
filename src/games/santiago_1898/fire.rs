//! Chapters 9.1 and 9.2: naming attacks and drawing defensive fire.
//!
//! In its fire phase a force names its battles one after the other and the defenders fire; in its shock phase it
//! presses them or calls them off (R1).

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Grid, Hex};
use crate::document;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Ever, Question, Ruling, Say, Side, Subject, Tally, Touch};

use super::events::{Event, Factor, NoBattle, PhaseName};
use super::orders::{Advance, BattleOrder, Effort, TurnOrders};
use super::play::{Judged, Play, Position, Used, item, player, subjects};
use super::policy::{ALL_OUT, FIRE, FirePlan, NEXT_BATTLE, Policy};
use super::shock::fleet;
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
    /// Its place in `battles`, if it stands there.
    pub entry: Option<usize>,
}

/// That a hex has been attacked, for what hangs on it.
fn attack_on(target: Hex) -> Subject {
    Subject::of(format!("attack-on-{target}"))
}

impl Position<'_> {
    /// Why a unit may not attack this hex.
    pub fn attacker_bars(&self, id: UnitId, target: Hex) -> Vec<Bar> {
        let bar = |clause, why| {
            Bar::new(clause, why, "name units next to the target that may attack").about([Subject::of(id)])
        };
        let Some(at) = self.state.hex_of(id) else { return vec![bar("9.1b", format!("{id} is not on the map"))] };
        if !self.is_combat(id) {
            let clause = if self.signals_in(at) == Some(id) { "8.7b" } else { "9.1c" };
            return vec![bar(clause, format!("{id} never attacks by itself")).firm()];
        }
        let mut bars = Vec::new();
        if self.data().grid.distance(at, target) != 1 {
            bars.push(bar("9.1b", format!("{id} in {at} is not next to {target}")));
        } else if self.data().water_between(at, target) {
            bars.push(bar("TEC.j", format!("there is only water between {at} and {target}")));
        }
        if self.state.unit(id).landed {
            bars.push(bar("8.2f", format!("{id} landed this turn")));
        }
        if self.is_frozen(id) {
            bars.push(bar("3.2i", format!("{id} is not released")));
        }
        if self.state.unit(id).disorganized {
            bars.push(bar("9.6b", format!("{id} is disorganized")));
        }
        bars
    }

    /// Why a hex cannot be attacked by a player (§9.1f, §9.1g).
    fn target_bars(&self, used: &Used, side: Side, target: Hex) -> Vec<Bar> {
        let mut bars = Vec::new();
        if used.targets.contains(&target) {
            let remedy = "an enemy hex may be attacked once per player turn; Cuban attacks come first";
            let bar = Bar::new("9.1f", format!("{target} is attacked twice"), remedy);
            // Where those who were to attack it first do not come, it has not been attacked.
            bars.push(bar.about([attack_on(target)]));
        }
        let signals = side == SPAIN && self.signals_in(target).is_some();
        if !self.enemy_in(side, target) && !signals {
            let why = format!("no enemy unit that can be attacked stands in {target}");
            bars.push(Bar::new("9.1g", why, "attack a hex with enemy units (`garcia map`)"));
        }
        bars.into_iter().map(|bar| bar.part("target")).collect()
    }

    /// The attackers an order names: by name, or all from the named hexes that may attack.
    pub fn attackers_of(&self, used: &Used, order: &BattleOrder) -> Vec<UnitId> {
        let mut attackers = order.attackers.clone();
        for id in order.from.iter().flat_map(|hex| self.state.counters_in(*hex)) {
            let free = self.is_combat(id) && !used.attackers.contains(&id) && !attackers.contains(&id);
            if free && self.attacker_bars(id, order.target).is_empty() {
                attackers.push(id);
            }
        }
        attackers
    }

    /// Judges an attack of a force: who takes part, and what of the instructions for it can be followed (§9.1).
    pub fn judge_attack(&self, used: &Used, force: Force, order: &BattleOrder) -> Judged<Option<Battle>> {
        let (side, target) = (player(force), order.target);
        let mut bars = self.target_bars(used, side, target);
        let fought = bars.is_empty();
        let mut attackers: Vec<UnitId> = Vec::new();
        for (place, id) in order.attackers.iter().enumerate() {
            let found = if self.force(*id).map(player) != Some(side) {
                vec![Bar::new("9.1c", format!("{id} is not your unit"), "name your own units").firm()]
            } else if self.force(*id) != Some(force) {
                let remedy = "give each its own battle; only one of them may attack a hex";
                vec![Bar::new("9.1d", "US and Cuban units attack together", remedy).firm()]
            } else if used.attackers.contains(id) || attackers.contains(id) {
                let bar = Bar::new("IMP.3", format!("{id} attacks twice"), "a unit takes part in one battle a turn");
                // Where it is halted on the way another battle may be its first.
                vec![Bar { firm: attackers.contains(id), ..bar }]
            } else {
                self.attacker_bars(*id, target)
            };
            if found.is_empty() {
                attackers.push(*id);
            }
            bars.extend(found.into_iter().map(|bar| bar.at(item("attackers", place)).about([Subject::of(id)])));
        }
        if order.attackers.is_empty() {
            bars.push(
                Bar::new("9.1c", "nobody attacks", "name `attackers`, or hexes under `from`")
                    .about(subjects(&order.from)),
            );
        }
        bars.extend(self.gunfire_bars(used, force, order));
        let mut order = order.clone();
        if bars.iter().any(|bar| bar.part.segments().first() == DocPath::root().key("naval").segments().first()) {
            order.naval = None;
        }
        bars.extend(self.instruction_bars(force, &mut order));
        let battle = Battle { force, target, attackers, order, entry: None };
        Judged { deed: Some(battle).filter(|battle| fought && !battle.attackers.is_empty()), bars }
    }

    /// What bars instructions for later: who takes losses, who advances (§DFT.l, §9.5c). They are struck out.
    fn instruction_bars(&self, force: Force, order: &mut BattleOrder) -> Vec<Bar> {
        let mut bars = Vec::new();
        let BattleOrder { attackers, advance, losses, .. } = order;
        for (place, id) in losses.iter().enumerate().filter(|(_, id)| self.force(**id) != Some(force)) {
            let bar = Bar::new("SCT.g", format!("{id} is not of the attacking force"), "name units of your own");
            bars.push(bar.at(item("losses", place)).firm());
        }
        losses.retain(|id| self.force(*id) == Some(force));
        let Some(Advance::Units(units)) = advance else { return bars };
        let mut going = Vec::new();
        for (place, id) in units.iter().enumerate() {
            let why = if !attackers.contains(id) {
                format!("{id} does not take part")
            } else if going.contains(id) {
                format!("{id} is named twice")
            } else {
                going.push(*id);
                continue;
            };
            let bar = Bar::new("9.5c", why, "only attackers advance, each once; leaders go with their stack");
            bars.push(bar.at(item("advance", place)).firm());
        }
        *units = going;
        bars
    }

    /// Every hex a force could attack now, with the units that could do it.
    pub fn possible_battles(&self, force: Force, used: &Used) -> BTreeMap<Hex, Vec<UnitId>> {
        let mut targets: BTreeSet<Hex> = self.enemy_hexes(player(force)).collect();
        targets.extend(self.signals().filter(|_| force == Force::Spanish).map(|(_, hex)| hex));
        targets.retain(|hex| self.target_bars(used, player(force), *hex).is_empty());
        let mut battles: BTreeMap<Hex, Vec<UnitId>> = BTreeMap::new();
        for (id, unit) in &self.state.units {
            let Some(at) = unit.at.hex().filter(|_| unit.role.force == force) else { continue };
            for target in self.data().neighbours(at).filter(|hex| targets.contains(hex)) {
                if !used.attackers.contains(id) && self.attacker_bars(*id, target).is_empty() {
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
    pub fn effort_barred(&self) -> Option<Bar> {
        let roosevelt = self.data().cast.roosevelt;
        let why = match (self.state.all_out, self.state.hex_of(roosevelt)) {
            (Some(made), _) => format!("the all-out effort was made on turn {made}"),
            (None, None) => "Roosevelt is not on the map".to_owned(),
            (None, Some(_)) => return None,
        };
        Some(Bar::new("6.4a", why, "leave it out").about([Subject::of(roosevelt)]))
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
    pub fn fire_phase(&mut self, force: Force, orders: &mut TurnOrders) -> Ruling<Vec<Battle>> {
        let (key, name) = match force {
            Force::Cuban => ("cuban-fire", PhaseName::CubanFire),
            Force::Us => ("fire", PhaseName::UsFire),
            Force::Spanish => ("fire", PhaseName::SpanishFire),
        };
        self.begin_phase(player(force).as_str(), key, name)?;
        let mut listed: Vec<usize> = Vec::new();
        for (index, order) in orders.battles.iter().enumerate().rev() {
            if self.attacking_force(force, order) == force {
                listed.push(index);
            }
        }
        let mut battles = Vec::new();
        let mut seen = false;
        while let Some((entry, order)) = self.next_battle(force, &mut listed, orders, seen)? {
            seen = true;
            let battle = match entry {
                Some(index) => self.in_hand(item("battles", index), |play| play.name_battle(force, &order)),
                None => self.name_battle(force, &order),
            };
            if let Some(written) = entry.and_then(|index| orders.battles.get_mut(index)) {
                written.attackers = order.attackers;
                written.from.clear();
            }
            if let Some(battle) = battle {
                let battle = Battle { entry, ..battle };
                match entry {
                    Some(index) => self.in_hand(item("battles", index), |play| play.defensive_fire(&battle))?,
                    None => self.defensive_fire(&battle)?,
                }
                battles.push(battle);
            }
        }
        self.check_stacking()?;
        Ok(battles)
    }

    /// The force that fights a battle: that of the first attacker of the player; his army if there is none.
    fn attacking_force(&self, force: Force, order: &BattleOrder) -> Force {
        let now = self.now();
        let side = player(force);
        let named = now.attackers_of(&self.used, order);
        let own = |id: &UnitId| now.force(*id).filter(|force| player(*force) == side);
        named.iter().find_map(own).unwrap_or(if side == US { Force::Us } else { Force::Spanish })
    }

    /// Which battle comes next: the next of the list, unless the player wants to decide on what he has `seen`.
    ///
    /// He is asked where there is something to choose: fire has been seen, battles are left on the list, and some can
    /// be fought.
    fn next_battle(
        &mut self,
        force: Force,
        listed: &mut Vec<usize>,
        orders: &TurnOrders,
        seen: bool,
    ) -> Ruling<Option<(Option<usize>, BattleOrder)>> {
        let now = self.now();
        let possible = now.possible_battles(force, &self.used);
        let written = |index: usize| {
            let order = orders.battles.get(index)?;
            Some(BattleOrder { attackers: now.attackers_of(&self.used, order), from: Vec::new(), ..order.clone() })
        };
        if !seen || listed.is_empty() || possible.is_empty() {
            return Ok(listed.pop().and_then(|index| Some((Some(index), written(index)?))));
        }
        let done = NextBattle { target: None, attackers: Vec::new() };
        let left: Vec<(usize, BattleOrder)> =
            listed.iter().rev().filter_map(|index| Some((*index, written(*index)?))).collect();
        let as_choice =
            |order: &BattleOrder| NextBattle { target: Some(order.target), attackers: order.attackers.clone() };
        let mut options: Vec<NextBattle> = left.iter().map(|(_, order)| as_choice(order)).collect();
        let default = options.first().cloned().unwrap_or_else(|| done.clone());
        options.push(done);
        for (target, attackers) in &possible {
            let choice = NextBattle { target: Some(*target), attackers: attackers.clone() };
            if !options.contains(&choice) {
                options.push(choice);
            }
        }
        let about = Subject::of(force.word());
        let question = Question {
            who: player(force),
            kind: NEXT_BATTLE,
            about: about.clone(),
            clause: Clause("9.2g"),
            text: "Which hex is attacked next, and by which units? Leave the target out to end the phase.".into(),
            options,
            default: default.clone(),
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
        if choice != default {
            // What is left of the list may find its units or its target taken.
            let taken = subjects(&choice.attackers).into_iter().chain([Subject::of(target), attack_on(target)]);
            self.umpire.rests(&[about], taken);
        }
        let instructed = left.into_iter().find(|(_, order)| order.target == target);
        listed.retain(|index| instructed.as_ref().is_none_or(|(other, _)| other != index));
        Ok(Some(match instructed {
            Some((index, order)) => (Some(index), order.fought_by(choice.attackers)),
            None => (None, BattleOrder::bare(target, choice.attackers)),
        }))
    }

    /// Names a battle; attackers that may not take part drop out, and a battle left with none is not fought.
    fn name_battle(&mut self, force: Force, order: &BattleOrder) -> Option<Battle> {
        let Judged { deed, bars } = self.now().judge_attack(&self.used, force, order);
        let target = order.target;
        let attacked = !bars.iter().any(|bar| bar.part == DocPath::root().key("target"));
        if let Some(battle) = deed.as_ref().filter(|_| bars.is_empty()) {
            let now = Position { game: self.game, state: self.state };
            let all = |able: &Vec<UnitId>| battle.attackers.iter().all(|id| able.contains(id));
            self.umpire.listed(|| now.possible_battles(force, &self.used).get(&target).is_some_and(all));
        }
        let barred: Vec<Subject> = bars.iter().flat_map(|bar| bar.about.iter().cloned()).collect();
        self.lapse(&order.attackers, bars);
        let gunfire = (order.naval == Some(true)).then(|| fleet(force));
        let Some(battle) = deed else {
            // What it would have used up is left to others, who could not know.
            self.umpire.rests(&barred, gunfire.into_iter().chain([attack_on(target)]));
            if attacked {
                self.umpire.note(Event::NoBattle { target, why: NoBattle::NoAttackers });
            }
            return None;
        };
        self.used.targets.insert(target);
        self.used.attackers.extend(battle.attackers.iter().copied());
        // Who is sure to be there makes the attack, whoever else does not come.
        let mut on = subjects(&battle.attackers);
        if on.iter().any(|unit| self.umpire.cloud_on(unit).is_none()) {
            on.clear();
        }
        on.extend([Subject::of(target), attack_on(target)]);
        self.umpire.rests(&on, [attack_on(target)]);
        self.umpire.rests(&[attack_on(target)], subjects(&battle.attackers));
        if battle.order.naval == Some(true) {
            self.umpire.rests(&on, gunfire);
            self.used.gunfire.insert(force, target);
        }
        let attackers: BTreeMap<UnitId, Hex> =
            battle.attackers.iter().filter_map(|id| Some((*id, self.state.hex_of(*id)?))).collect();
        let defenders = self.now().combat_units_of(super::movement::opponent(player(force)), target);
        self.umpire.note(Event::BattleNamed { force, target, attackers, defenders });
        Some(battle)
    }

    /// The effort a packet announces, before any die it could change (§6.4a, R10).
    pub fn announced_effort(&mut self, orders: &TurnOrders) {
        if orders.all_out_effort == Effort::No {
            return;
        }
        self.in_hand(DocPath::root().key("all-out-effort"), |play| match play.now().effort_barred() {
            Some(bar) => play.lapse(&[play.game.data.cast.roosevelt], vec![bar]),
            None if orders.all_out_effort == Effort::Yes => play.announce_all_out(),
            None => {}
        });
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
        let tables = &self.game.data.tables;
        let column = tables.fire_column(total).unwrap_or_default();
        let add = modifiers.total();
        let hit = subjects(self.state.counters_in(at)).into_iter().chain([Subject::of(at)]);
        let (die, result) = self.throw(defender, at, "fire", Touch::on(hit), |face| {
            let result = tables.defensive_fire(total, face + add);
            let worth = 2 * i32::from(result.steps) + i32::from(result.dis);
            (result, worth, if worth == 0 { "no effect".to_owned() } else { result.to_string() })
        })?;
        let modified = i32::from(die.face()) + add;
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
