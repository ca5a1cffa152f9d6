//! Chapters 9.3, 9.7 and 9.8: shock combat, naval gunfire and friendly fire.

use crate::board::{Grid, Hex};
use crate::engine::{Bar, Clause, Ever, Question, Ruling, Say, Subject, Tally, Touch};

use super::events::{Event, Factor, NoBattle, PhaseName};
use super::fire::Battle;
use super::movement::opponent;
use super::orders::{BattleOrder, Effort, PressIf, TurnOrders};
use super::play::{Play, Position, Used, item, player, subjects};
use super::policy::{NAVAL, PRESS, Policy};
use super::state::Cause;
use super::supply::Nets;
use super::tables::Odds;
use super::terms::{Force, Terrain, UnitId};
use super::{Switch, US};

/// A shock attack worked out up to the die.
#[derive(Clone, Debug)]
pub struct Assault {
    pub attackers: Vec<Factor>,
    pub naval: u32,
    pub attack: u32,
    pub defenders: Vec<Factor>,
    pub defence: u32,
    pub odds: Odds,
    pub shifts: Tally,
    pub column: Odds,
}

/// What a bar against gunfire is about.
pub fn fleet(force: Force) -> Subject {
    Subject::of(format!("fleet-{}", force.word()))
}

impl PressIf {
    /// Is the attack pressed on this column?
    pub fn presses(self, column: Odds) -> bool {
        match self {
            PressIf::Always => true,
            PressIf::Even => column >= Odds::OneToOne,
            PressIf::Two => column >= Odds::TwoToOne,
            PressIf::Three => column >= Odds::ThreeToOne,
            PressIf::Four => column >= Odds::FourToOne,
            PressIf::Five => column >= Odds::FiveToOne,
            PressIf::Never => false,
        }
    }
}

impl Position<'_> {
    /// The firing hex from which a fleet reaches the target, the wished-for one first (§9.7c, §9.7e, §9.7f).
    pub fn naval_hex(&self, force: Force, target: Hex, wished: Option<Hex>) -> Option<(Hex, u32)> {
        let hexes = match force {
            Force::Us => &self.data().coast,
            Force::Spanish => &self.data().harbor,
            Force::Cuban => return None, // §9.7i
        };
        let range = self.data().tables.limits.naval_range;
        let in_range = |hex: &Hex| self.data().grid.distance(*hex, target) <= range;
        let from = wished.filter(|hex| hexes.contains(hex) && in_range(hex));
        let from = from.or_else(|| hexes.iter().copied().filter(in_range).min())?;
        Some((from, self.data().grid.distance(from, target)))
    }

    /// Why a fleet cannot fire at a target this turn.
    pub fn naval_bars(&self, force: Force, target: Hex) -> Vec<Bar> {
        let bar = |clause, why: String| Bar::new(clause, why, "leave `naval` out").part("naval").about([fleet(force)]);
        if force == Force::Cuban {
            return vec![bar("9.7i", "the US fleet does not support Cuban attacks".into()).firm()];
        }
        let mut bars = Vec::new();
        if force == Force::Spanish && self.state.fleet_sailed.is_some() {
            bars.push(bar("4.2h", "Cervera's ships have left Santiago".into()).firm());
        }
        if self.state.fleets_fired.contains(&force) {
            bars.push(bar("9.7g", "the fleet has fired this turn".into()));
        }
        if self.naval_hex(force, target, None).is_none() {
            let clause = if force == Force::Us { "9.7e" } else { "9.7c" };
            let range = self.data().tables.limits.naval_range;
            let why = format!("{target} is more than {range} hexes from every hex the fleet can fire from");
            bars.push(bar(clause, why).firm());
        }
        bars
    }

    /// What bars the gunfire an attack is to have (§9.7).
    pub fn gunfire_bars(&self, used: &Used, force: Force, order: &BattleOrder) -> Vec<Bar> {
        let target = order.target;
        let mut bars = Vec::new();
        if order.naval == Some(true) {
            if order.attackers.is_empty() {
                let why = "the fleet only supports: no ground unit makes this attack";
                bars.push(Bar::new("9.7k", why, "name `attackers`, or leave the attack out").part("naval").firm());
            } else if let Some(before) = used.gunfire.get(&force) {
                let why = format!("the fleet supports the attack on {before} already");
                let bar = Bar::new("9.7g", why, "naval gunfire serves one battle a turn");
                // Where that battle is not fought the fleet has fired at nobody.
                bars.push(bar.part("naval").about([fleet(force)]));
            } else {
                bars.extend(self.naval_bars(force, target));
            }
        }
        if let Some(hex) = order.naval_from
            && self.naval_hex(force, target, Some(hex)).map(|(from, _)| from) != Some(hex)
        {
            let why = format!("the fleet cannot fire from {hex} at {target}");
            let remedy = "leave it out; the firing hex does not matter";
            bars.push(Bar::new("9.7f", why, remedy).part("naval-from").firm());
        }
        bars
    }

    /// The column shifts beneath the Shock Combat Table (§SCM).
    pub fn shifts(&self, force: Force, target: Hex, attackers: &[UnitId]) -> Tally {
        let data = self.data();
        let values = &data.tables.shock.shifts;
        let mut tally = Tally::new();
        // §6.2b: one leader with an undisorganized participant in his hex serves the whole attack.
        let hexes: std::collections::BTreeSet<Hex> = attackers.iter().filter_map(|id| self.state.hex_of(*id)).collect();
        let leading = hexes
            .iter()
            .filter_map(|hex| self.leadership(force, *hex, values.attacking_leader, values.all_out))
            .max_by_key(|(id, worth)| (*worth, std::cmp::Reverse(*id)));
        if let Some((leader, worth)) = leading {
            let clause = if worth == values.attacking_leader { "6.2b" } else { "6.4c" };
            tally.add(format!("attackers led by {leader}"), worth, Clause(clause));
        }
        let defenders = if player(force) == US { vec![Force::Spanish] } else { vec![Force::Us, Force::Cuban] };
        for force in defenders.into_iter().filter(|force| !self.combat_units(*force, target).is_empty()) {
            if let Some((leader, worth)) = self.leadership(force, target, values.defending_leader, -values.all_out) {
                let clause = if worth == values.defending_leader { "6.2c" } else { "6.4c" };
                tally.add(format!("defenders led by {leader}"), worth, Clause(clause));
            }
        }
        // §SCM.b: one shift for the whole list (R7).
        let ground = data.ground(target);
        let entrenched = ground.is_some_and(|ground| ground.entrenchment);
        let terrain = data.terrain(target);
        if matches!(terrain, Terrain::Jungle | Terrain::Hill | Terrain::Town | Terrain::City) {
            tally.add(format!("defenders in {terrain}"), values.ground, Clause("SCM.b"));
        } else if entrenched {
            tally.add("defenders entrenched", values.ground, Clause("SCM.b"));
        }
        // §SCM.c: one attacker across a river is enough, bridges or not; as an option all must be (R8).
        let across = |id: &UnitId| self.state.hex_of(*id).is_some_and(|hex| data.river_between(hex, target));
        let river = if self.game.switch(Switch::RiverShiftNeedsAll) {
            attackers.iter().all(across)
        } else {
            attackers.iter().any(across)
        };
        if river && !attackers.is_empty() {
            tally.add("across a river", values.river, Clause("SCM.c"));
        }
        if ground.is_some_and(|ground| ground.redoubt) {
            tally.add("defenders in a redoubt", values.redoubt, Clause("SCM.d"));
        }
        tally
    }

    /// Whose shells may fall short: artillery, and the Gatlings with it unless the option says otherwise (§9.8a, R15).
    pub fn is_gun(&self, id: UnitId) -> bool {
        let gatling = !self.game.switch(Switch::GatlingIsNoArtillery);
        self.counter(id).is_some_and(|unit| unit.is_artillery(gatling))
    }

    /// Could Roosevelt still make his effort, and is he with the attackers?
    pub fn roosevelt_leads(&self, force: Force, attackers: &[UnitId]) -> bool {
        let at = self.state.hex_of(self.data().cast.roosevelt);
        force == Force::Us && self.effort_barred().is_none() && attackers.iter().any(|id| self.state.hex_of(*id) == at)
    }

    /// Works a shock attack out up to the die (§9.3a to §9.3e).
    pub fn assault(&self, force: Force, target: Hex, attackers: &[UnitId], naval: u32) -> Assault {
        let nets = Nets::default();
        let shock = |id: &UnitId| self.factor(&nets, *id, |values| values.shock);
        let attackers_by: Vec<Factor> = attackers.iter().map(shock).collect();
        let defenders: Vec<Factor> = self.combat_units_of(opponent(player(force)), target).iter().map(shock).collect();
        let attack = attackers_by.iter().map(|factor| factor.counts).sum::<u32>() + naval;
        let defence = defenders.iter().map(|factor| factor.counts).sum();
        let odds = Odds::of(attack, defence);
        let shifts = self.shifts(force, target, attackers);
        let column = odds.shifted(shifts.total());
        Assault { attackers: attackers_by, naval, attack, defenders, defence, odds, shifts, column }
    }
}

impl Play<'_, '_> {
    /// A force's shock phase: the battles named in its fire phase, pressed or called off (§9.3, §IMP.4).
    pub fn shock_phase(&mut self, force: Force, orders: &TurnOrders, mut battles: Vec<Battle>) -> Ruling<()> {
        let (key, name) = match force {
            Force::Cuban => ("cuban-shock", PhaseName::CubanShock),
            Force::Us => ("shock", PhaseName::UsShock),
            Force::Spanish => ("shock", PhaseName::SpanishShock),
        };
        self.begin_phase(player(force).as_str(), key, name)?;
        let place = |target: &Hex| orders.shock_order.iter().position(|hex| hex == target).unwrap_or(usize::MAX);
        battles.sort_by_key(|battle| place(&battle.target));
        for battle in battles {
            match battle.entry {
                Some(index) => self.in_hand(item("battles", index), |play| play.shock(&battle, orders))?,
                None => self.shock(&battle, orders)?,
            }
        }
        self.check_stacking()
    }

    /// Targets in the order in which they are pressed; what is no attack of the packet has no place there (§IMP.4).
    pub fn check_shock_order(&mut self, orders: &TurnOrders) {
        for (index, hex) in orders.shock_order.iter().enumerate() {
            let why = if !orders.battles.iter().any(|battle| battle.target == *hex) {
                format!("{hex} is not attacked")
            } else if orders.shock_order.iter().take(index).any(|other| other == hex) {
                format!("{hex} is listed twice")
            } else {
                String::new()
            };
            let bar = Bar::new("IMP.4", &why, "list each target of `battles` once").firm();
            let bars = if why.is_empty() { Vec::new() } else { vec![bar] };
            self.in_hand(item("shock-order", index), |play| play.lapse(&[], bars));
        }
    }

    fn shock(&mut self, battle: &Battle, orders: &TurnOrders) -> Ruling<()> {
        let (force, target) = (battle.force, battle.target);
        // Its turn has come: whether the fleet fires or not, it is kept for nobody any more.
        self.used.gunfire.retain(|of, kept| (*of, *kept) != (force, target));
        let ready = |id: &UnitId| {
            let unit = self.state.unit(*id);
            unit.at.hex().is_some_and(|hex| self.data().grid.distance(hex, target) == 1) && !unit.disorganized
        };
        // §9.3b, §9.6b: only named attackers that are alive and not disorganized.
        let attackers: Vec<UnitId> = battle.attackers.iter().copied().filter(ready).collect();
        if attackers.is_empty() {
            self.umpire.note(Event::NoBattle { target, why: NoBattle::NoAttackers });
            return Ok(());
        }
        let defender = opponent(player(force));
        if self.now().combat_units_of(defender, target).is_empty() {
            return self.overrun_signals(battle, &attackers);
        }
        if defender == US {
            self.offer_all_out(target)?;
        }
        let gunfire = self.naval_support(battle, &attackers)?;
        let naval = gunfire.map_or(0, |_| self.data().tables.limits.naval_factors);
        // §6.4a: an effort kept for this attack counts on its column, and is made only if the attack is pressed.
        let effort = orders.all_out_effort == Effort::IfAttack && self.now().roosevelt_leads(force, &attackers);
        let made = self.state.all_out;
        if effort {
            self.state.all_out = Some(self.state.turn);
        }
        let assault = self.now().assault(force, target, &attackers, naval);
        let pressed = self.press(battle, &assault)?;
        self.state.all_out = made;
        if !pressed {
            self.umpire.note(Event::CalledOff { target, column: assault.column.to_string() });
            return Ok(());
        }
        if effort {
            self.announce_all_out();
        }
        if let Some((from, range)) = gunfire {
            let on = subjects(&battle.attackers).into_iter().chain([Subject::of(target)]);
            self.umpire.rests(&on.collect::<Vec<_>>(), [fleet(force)]);
            self.state.fleets_fired.insert(force);
            self.umpire.note(Event::NavalGunfire { force, target, from, range, factors: naval });
        }
        self.strike(battle, &attackers, assault)?;
        self.friendly_fire(battle, &attackers, gunfire.is_some())
    }

    /// A Signals Detachment alone in a hex is destroyed without a die (§8.7e).
    fn overrun_signals(&mut self, battle: &Battle, attackers: &[UnitId]) -> Ruling<()> {
        let target = battle.target;
        let Some(signals) = self.now().signals_in(target).filter(|_| battle.force == Force::Spanish) else {
            self.umpire.note(Event::NoBattle { target, why: NoBattle::NoDefenders });
            return Ok(());
        };
        self.remove(signals);
        self.state.balloon = false;
        self.umpire.note(Event::SignalsLost { at: target, alone: true });
        self.advance(battle, attackers)?;
        // §9.8a: a shock attack like any other where guns take part.
        self.friendly_fire(battle, attackers, false)
    }

    /// Whether the fleet supports the attack, and from where (§9.7).
    fn naval_support(&mut self, battle: &Battle, attackers: &[UnitId]) -> Ruling<Option<(Hex, u32)>> {
        let (force, target) = (battle.force, battle.target);
        let bars = self.now().naval_bars(force, target);
        if !bars.is_empty() {
            if battle.order.naval == Some(true) {
                self.lapse(attackers, bars);
            }
            return Ok(None);
        }
        // §9.7g: ships that are ordered to a battle still to come fire at nobody before it, whatever a policy says.
        if battle.order.naval.is_none() && self.used.gunfire.contains_key(&force) {
            return Ok(None);
        }
        let question = Question {
            who: player(force),
            kind: NAVAL,
            about: Subject::of(target),
            clause: Clause("9.7a"),
            text: format!("does the fleet support the attack on {target}?"),
            options: vec![false, true],
            default: false,
            also: None,
        };
        let supports = self.umpire.ask(question, battle.order.naval, |policy| match policy {
            Policy::Ever(ever) => Say::Choose(*ever == Ever::Always),
            Policy::In(hexes) => Say::Choose(hexes.contains(&target)),
            _ => Say::Default,
        })?;
        Ok(self.now().naval_hex(force, target, battle.order.naval_from).filter(|_| supports))
    }

    /// Press the attack home, or call it off (§9.3g).
    fn press(&mut self, battle: &Battle, assault: &Assault) -> Ruling<bool> {
        let target = battle.target;
        let column = assault.column;
        let question = Question {
            who: player(battle.force),
            kind: PRESS,
            about: Subject::of(target),
            clause: Clause("9.3g"),
            text: format!("the attack on {target} stands on the {column} column: press it home?"),
            options: vec![true, false],
            // The 1:1 column cannot hurt the defender without Heroic Cubans.
            default: column >= Odds::TwoToOne,
            also: None,
        };
        let ordered = battle.order.press_if.map(|press| press.presses(column));
        self.umpire.ask(question, ordered, |policy| match policy {
            Policy::Press(press) => Say::Choose(press.presses(column)),
            _ => Say::Default,
        })
    }

    /// The die, the losses, the retreat and the advance (§9.3f).
    fn strike(&mut self, battle: &Battle, attackers: &[UnitId], assault: Assault) -> Ruling<()> {
        let (force, target) = (battle.force, battle.target);
        let mut modifiers = Tally::new();
        if force == Force::Cuban && self.state.heroic_cubans {
            let bonus = self.data().tables.historic_events.heroic_cubans;
            modifiers.add("Heroic Cubans", bonus, Clause("7.2.1a"));
        }
        let (tables, add, column) = (&self.game.data.tables, modifiers.total(), assault.column);
        let touched = self.data().neighbours(target).chain([target]).collect::<Vec<Hex>>();
        let units = touched.iter().flat_map(|hex| self.state.counters_in(*hex));
        let on = Touch::on(subjects(units).into_iter().chain(subjects(&touched)));
        let (die, result) = self.throw(player(force), target, "shock", on, |face| {
            let result = tables.shock(column, face + add);
            let hurt = 10 * i32::from(result.defender) + 100 * i32::from(result.retreat);
            (result, hurt - i32::from(result.attacker), result.to_string())
        })?;
        let modified = i32::from(die.face()) + add;
        self.umpire.note(Event::Shock {
            target,
            force,
            attackers: assault.attackers,
            naval: assault.naval,
            attack: assault.attack,
            defenders: assault.defenders,
            defence: assault.defence,
            odds: assault.odds.to_string(),
            shifts: assault.shifts,
            column: assault.column.to_string(),
            die,
            modifiers,
            modified,
            result,
        });
        self.lose_among(force, attackers, u32::from(result.attacker), Cause::Shock, &battle.order.losses)?;
        let side = opponent(player(force));
        let defenders = self.now().combat_units_of(side, target);
        let owner = defenders.first().and_then(|id| self.now().force(*id)).unwrap_or(force);
        let lost = self.choose_losses(owner, target, &defenders, u32::from(result.defender), "SCT.g", &[])?;
        self.lose_steps(owner, target, Cause::Shock, &lost);
        self.signals_share_fate(force, target);
        if result.retreat && !self.now().combat_units(owner, target).is_empty() {
            self.retreat(owner, target)?;
            self.signals_share_fate(force, target);
        }
        self.advance(battle, attackers)
    }

    /// The Signals Detachment goes the way of the last US step when the Spanish attack (§8.7d).
    fn signals_share_fate(&mut self, attacker: Force, target: Hex) {
        if attacker != Force::Spanish || !self.now().combat_units(Force::Us, target).is_empty() {
            return;
        }
        if let Some(signals) = self.now().signals_in(target) {
            self.remove(signals);
            self.state.balloon = false;
            self.umpire.note(Event::SignalsLost { at: target, alone: false });
        }
    }

    /// Losses spread over participants that may stand in several hexes (§SCT.g).
    fn lose_among(
        &mut self,
        force: Force,
        units: &[UnitId],
        steps: u32,
        cause: Cause,
        wished: &[UnitId],
    ) -> Ruling<()> {
        let alive: Vec<UnitId> = units.iter().copied().filter(|id| self.state.hex_of(*id).is_some()).collect();
        let Some(first) = alive.iter().filter_map(|id| self.state.hex_of(*id)).min() else { return Ok(()) };
        let clause = if cause == Cause::FriendlyFire { "9.8b" } else { "SCT.g" };
        let lost = self.choose_losses(force, first, &alive, steps, clause, wished)?;
        let mut by_hex: std::collections::BTreeMap<Hex, Vec<UnitId>> = std::collections::BTreeMap::new();
        for id in lost {
            if let Some(hex) = self.state.hex_of(id) {
                by_hex.entry(hex).or_default().push(id);
            }
        }
        for (hex, units) in by_hex {
            self.lose_steps(force, hex, cause, &units);
        }
        Ok(())
    }

    /// Friendly fire after an attack with artillery or naval gunfire (§9.8, §IMP.17).
    fn friendly_fire(&mut self, battle: &Battle, attackers: &[UnitId], naval: bool) -> Ruling<()> {
        if battle.force == Force::Cuban {
            return Ok(()); // §9.8c
        }
        let battery = attackers.iter().copied().find(|id| self.now().is_gun(*id));
        let cause = match (battery, naval) {
            (Some(battery), _) => battery.to_string(),
            (None, true) => "naval gunfire".to_owned(),
            (None, false) => return Ok(()),
        };
        let faces = &self.game.data.tables.friendly_fire.faces;
        let enemy = opponent(player(battle.force));
        let on = Touch::on(subjects(attackers));
        let (die, hit) = self.throw(enemy, battle.target, "friendly-fire", on, |rolled| {
            let hit = faces.iter().any(|face| i32::from(*face) == rolled);
            (hit, i32::from(hit), if hit { "shells fall short" } else { "no harm done" }.to_owned())
        })?;
        self.umpire.note(Event::FriendlyFire { target: battle.target, die, hit, cause });
        if hit {
            let steps = u32::from(self.data().tables.friendly_fire.steps);
            self.lose_among(battle.force, attackers, steps, Cause::FriendlyFire, &battle.order.losses)?;
        }
        Ok(())
    }
}
