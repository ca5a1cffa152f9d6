//! Chapter 11: attacks, odds and column shifts, with the force multipliers of chapters 15 to 18 and 20 to 22.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Grid, Hex, straightest_paths};
use crate::engine::{Clause, Concealed, Question, Ruling, Say, Side, Subject, Tally};

use super::data::Along;
use super::events::{Cause, Event, Factor, PhaseName};
use super::movement::Bar;
use super::orders::AttackOrder;
use super::play::{Play, Position, Trit};
use super::policy::NEXT_ATTACK;
use super::state::Truce;
use super::supply::Suppose;
use super::terms::{Arm, CombatResult, Flag, Land, Nation, Odds, Piece, Token, UnitId};
use super::{SPAIN, US};

/// One unit in a battle.
#[derive(Clone, Debug)]
pub struct Fighter {
    /// The piece.
    pub piece: Piece,
    /// The unit.
    pub unit: UnitId,
    /// What it is.
    pub arm: Arm,
    /// Its nationality.
    pub nation: Nation,
    /// Where it fights.
    pub hex: Hex,
    /// What it counts before any halving.
    pub counts: u32,
    /// The black-powder bonus in it (§15.1a).
    pub bonus: u32,
    /// Out of supply (§12.9).
    pub out_of_supply: bool,
    /// It fought before in this phase (§11.2g).
    pub spent: bool,
    /// Next to the target; ranged artillery is not.
    pub adjacent: bool,
}

impl Fighter {
    /// Non-artillery for combat: the Gatling guns are (§11.5a).
    pub fn is_line(&self) -> bool {
        !self.arm.is_gun_or_balloon()
    }

    fn factor(&self) -> Factor {
        Factor {
            unit: self.unit,
            hex: self.hex,
            counts: if self.spent { 0 } else { self.counts },
            bonus: self.bonus,
            out_of_supply: self.out_of_supply,
            spent: self.spent,
        }
    }
}

/// A battle.
#[derive(Clone, Debug)]
pub struct Battle {
    /// The attacking side.
    pub side: Side,
    /// The hex attacked.
    pub target: Hex,
    /// Attackers.
    pub attackers: Vec<Fighter>,
    /// Defenders.
    pub defenders: Vec<Fighter>,
}

impl Battle {
    /// American attackers, Cuban ones or Spanish ones; never mixed (§14.1a).
    pub fn nation(&self) -> Option<Nation> {
        self.attackers.first().map(|fighter| fighter.nation)
    }
}

/// Adds up a side, halving what is out of supply once, fractions dropped (§12.9b, §12.9c).
pub fn total(fighters: &[Fighter], halve: bool) -> u32 {
    let sum = |cut: bool| -> u32 {
        fighters.iter().filter(|f| !f.spent && (f.out_of_supply && halve) == cut).map(|f| f.counts).sum()
    };
    sum(false) + sum(true) / 2
}

impl Position<'_> {
    /// Can artillery in one hex see another? Names what blocks every straightest path (§11.3).
    pub fn sight(&self, from: Hex, to: Hex) -> Result<Vec<Hex>, Vec<Hex>> {
        let data = self.data();
        let mut blockers = BTreeSet::new();
        for path in straightest_paths(data.grid(), from, to) {
            let between = path.get(1..path.len().saturating_sub(1)).unwrap_or(&[]);
            let mut here: Vec<Hex> =
                between.iter().copied().filter(|hex| matches!(data.land(*hex), Land::Jungle | Land::City)).collect();
            if here.is_empty() && path.len() > 2 {
                let slope = |pair: &&[Hex]| data.between(pair[0], pair[1]).has_any(&[Along::Up, Along::Down]);
                let slopes: Vec<&[Hex]> = path.windows(2).filter(slope).collect();
                // §11.3h: more than one slope hexside blocks.
                if slopes.len() > 1 {
                    here.extend(slopes.iter().skip(1).map(|pair| pair[0]));
                }
            }
            if here.is_empty() {
                return Ok(path);
            }
            blockers.extend(here);
        }
        Err(blockers.into_iter().collect())
    }

    /// Why a whole attack is not allowed, as far as the viewer can tell.
    pub fn attack_bar(&self, side: Side, order: &AttackOrder, fought: &BTreeSet<Piece>) -> Option<Bar> {
        let data = self.data();
        let target = order.target;
        let defenders: Vec<Piece> = if side == US {
            self.state.tokens_in(target).map(Piece::from).collect()
        } else {
            self.state.units_in(target).map(Piece::from).collect()
        };
        if defenders.is_empty() {
            return Some(Bar::new("11.2c", format!("no enemy unit is in {target}")));
        }
        if side == US && self.is_closed(target) {
            let clause = if target == data.guantanamo { "23.1f" } else { "23.2c" };
            return Some(Bar::new(
                clause,
                format!("{target} is closed until all Spanish reinforcements have entered there"),
            ));
        }
        if order.attackers.is_empty() {
            return Some(Bar::new("11.1a", "nobody attacks"));
        }
        if self.game.options.defenders_once && defenders.iter().all(|piece| fought.contains(piece)) {
            return Some(Bar::new("11.2g", format!("every unit in {target} has fought this phase")));
        }
        let hexes: BTreeSet<Hex> = order.attackers.iter().filter_map(|piece| self.hex_of(*piece)).collect();
        if self.state.truce == Truce::Active && (data.is_city(target) || hexes.iter().any(|hex| data.is_city(*hex))) {
            return Some(Bar::new("19.3c", "a truce forbids combat into and out of Santiago"));
        }
        if side == SPAIN {
            return self.escort_bar(order);
        }
        let nations: BTreeSet<Nation> = order.attackers.iter().filter_map(|piece| self.nation(piece.unit())).collect();
        if nations.len() > 1 {
            return Some(Bar::new("14.1a", "Cuban units never take part in an attack with US units"));
        }
        if nations.contains(&Nation::Cuban) {
            let ground = data.map.ground(target)?;
            if ground.fortress {
                return Some(Bar::new("14.3d", format!("Cuban units never attack the fortress {target}")));
            }
            if data.is_city(target) {
                return Some(Bar::new("14.3a", format!("Cuban units never attack Santiago ({target})")));
            }
            if ground.blockhouse {
                return Some(Bar::new("14.3c", format!("Cuban units never attack the blockhouse in {target}")));
            }
            return self.escort_bar(order);
        }
        let vacated = Suppose { vacated: Some(target), opened: None };
        if self.supply_maps(vacated).at(self, target) == Trit::No {
            let why = self.why_unsupplied(target, vacated);
            return Some(Bar::new(
                "12.10d",
                format!("a unit that advanced into {target} would be out of supply: {why}"),
            ));
        }
        self.escort_bar(order)
    }

    /// §11.4b, §11.7b: artillery needs a non-artillery unit that attacks from next to the target.
    fn escort_bar(&self, order: &AttackOrder) -> Option<Bar> {
        let arm = |piece: &Piece| match piece.token() {
            Some(token) => self.token_arm(token),
            None => self.arm(piece.unit()),
        };
        let next = |piece: &Piece| self.hex_of(*piece).is_some_and(|hex| self.data().adjacent(hex, order.target));
        let escort = |piece: &Piece| next(piece) && arm(piece).is_none_or(|arm| !arm.is_gun_or_balloon());
        if order.attackers.iter().any(escort) {
            return None;
        }
        let clause = if order.attackers.iter().any(next) { "11.7b" } else { "11.4b" };
        Some(Bar::new(
            clause,
            format!("artillery cannot attack {} without a non-artillery unit next to it", order.target),
        ))
    }

    /// Why a listed attack is not made at this point of the phase, as far as everybody can tell (§11.1c).
    pub fn idle(
        &self,
        side: Side,
        order: &AttackOrder,
        results: &BTreeMap<Hex, CombatResult>,
        fought: &BTreeSet<Piece>,
    ) -> Option<Bar> {
        if let Some(after) = &order.after
            && !results.get(&after.attack).is_some_and(|result| after.gave.contains(result))
        {
            return Some(Bar::new("11.1c", format!("the attack on {} did not come out as asked", after.attack)));
        }
        if let Some(hex) = order.if_vacant {
            let held = if side == US {
                self.state.tokens_in(hex).next().is_some()
            } else {
                self.state.units_in(hex).next().is_some()
            };
            if held {
                return Some(Bar::new("11.1c", format!("{hex} is not vacant")));
            }
        }
        let (able, barred) = self.able(side, order, fought);
        barred.filter(|_| !order.go_on).or_else(|| self.attack_bar(side, &able, fought))
    }

    /// An attack with those who can take part, and why the first of the others cannot.
    pub fn able(&self, side: Side, order: &AttackOrder, fought: &BTreeSet<Piece>) -> (AttackOrder, Option<Bar>) {
        let mut able = order.clone();
        let mut barred = None;
        able.attackers.retain(|piece| match self.attacker_bar(side, *piece, order.target, fought) {
            Some(bar) => {
                barred.get_or_insert(bar);
                false
            }
            None => true,
        });
        (able, barred)
    }

    /// Why one unit may not take part in an attack, as far as the viewer can tell.
    pub fn attacker_bar(&self, side: Side, piece: Piece, target: Hex, fought: &BTreeSet<Piece>) -> Option<Bar> {
        let data = self.data();
        let Some(hex) = self.hex_of(piece) else {
            return Some(Bar::new("11.1a", format!("{piece} is not on the map")));
        };
        let owner = if piece.token().is_some() { SPAIN } else { US };
        if owner != side {
            return Some(Bar::new("1.1a", format!("{piece} is not yours")));
        }
        if fought.contains(&piece) {
            return Some(Bar::new("11.2a", format!("{piece} has fought this phase")));
        }
        let arm = match piece.token() {
            Some(token) => self.token_arm(token),
            None => self.arm(piece.unit()),
        };
        if piece.token().is_none() && self.state.unit(piece.unit()).fever {
            return Some(Bar::new("13.2c", format!("{piece} is infected with fever")));
        }
        if arm == Some(Arm::Balloon) {
            return Some(Bar::new("17.4c", "the balloon has no combat factor"));
        }
        if arm == Some(Arm::Gatling) && data.is_fortress(target) {
            return Some(Bar::new("20.2", format!("{piece} never attacks a fortress")));
        }
        if data.adjacent(hex, target) {
            let trench = arm == Some(Arm::Insurgent) && data.between(hex, target).has(Along::Trench);
            return trench.then(|| {
                Bar::new("14.3b", format!("{piece} would attack across the trench between {hex} and {target}"))
            });
        }
        match arm {
            Some(Arm::Artillery) | None => {}
            Some(Arm::Gatling) => return Some(Bar::new("11.5b", format!("{piece} is not next to {target}"))),
            Some(_) => return Some(Bar::new("11.2e", format!("{piece} is not next to {target}"))),
        }
        let range = data.grid().distance(hex, target);
        if range > data.tables.limits.artillery_range {
            return Some(Bar::new("11.3a", format!("{target} is {range} hexes from {piece} in {hex}")));
        }
        match self.sight(hex, target) {
            Ok(_) => None,
            Err(hexes) => {
                let block = |hex: &Hex| match data.land(*hex) {
                    land @ (Land::Jungle | Land::City) => format!("{hex} ({land})"),
                    _ => format!("{hex} (slopes)"),
                };
                let names: Vec<String> = hexes.iter().map(block).collect();
                Some(Bar::new(
                    "11.3j",
                    format!("{piece} in {hex} cannot see {target}: {} in the way", names.join(", ")),
                ))
            }
        }
    }

    /// Column shifts of a battle (§11.9 to §11.11, §16 to §18, §20 to §22).
    pub fn shifts(&self, battle: &Battle) -> Tally {
        let mut tally = Tally::new();
        self.terrain_shifts(battle, &mut tally);
        if battle.nation() == Some(Nation::Us) {
            self.us_shifts(battle, &mut tally);
        }
        tally
    }

    fn terrain_shifts(&self, battle: &Battle, tally: &mut Tally) {
        let data = self.data();
        let chart = &data.tables.terrain_effects;
        let target = battle.target;
        let Some(ground) = data.map.ground(target) else { return };
        let mut left = |what: &str, columns: i32, clause: &'static str, sum: &mut i32| {
            if columns != 0 {
                tally.add(what, -columns, Clause(clause));
                *sum += columns;
            }
        };
        let mut sum = 0;
        left(ground.land.as_str(), chart.hex_left(ground.land), "11.9a", &mut sum);
        let (river, upslope) = chart.side_left();
        if self.across(battle, Along::River) {
            left("across a river", river, "11.9a", &mut sum);
        }
        if self.across(battle, Along::Up) {
            left("upslope", upslope, "11.9a", &mut sum);
        }
        // §11.13b: works help Spanish defenders only.
        if battle.side == US {
            let (blockhouse, trench, fortress) = chart.works_left();
            if ground.blockhouse {
                left("blockhouse", blockhouse, "11.13a", &mut sum);
            }
            if self.across(battle, Along::Trench) {
                left("trench", trench, "11.13a", &mut sum);
            }
            if ground.fortress {
                left("fortress", fortress, "11.13a", &mut sum);
            }
            // §22.2c: El Morro in US hands looks down on La Socapa.
            let other = data.fortresses.iter().copied().find(|hex| *hex != target);
            let looks_down =
                data.fortresses.first() == Some(&target) && other.is_some_and(|hex| !self.americans_in(hex).is_empty());
            if ground.fortress && looks_down && sum > 0 {
                tally.add("US units in El Morro", 1, Clause("22.2c"));
            }
        }
    }

    /// Do the adjacent attackers attack across a hexside of this kind? All of them must (§11.9e).
    fn across(&self, battle: &Battle, kind: Along) -> bool {
        let mut adjacent = battle.attackers.iter().filter(|fighter| fighter.adjacent).peekable();
        let crosses = |fighter: &Fighter| self.data().between(fighter.hex, battle.target).has(kind);
        if adjacent.peek().is_none() {
            return false;
        }
        if self.game.options.hexside_all { adjacent.all(crosses) } else { adjacent.any(crosses) }
    }

    fn us_shifts(&self, battle: &Battle, tally: &mut Tally) {
        let data = self.data();
        let target = battle.target;
        let Some(ground) = data.map.ground(target) else { return };
        let has = |arm: Arm| battle.attackers.iter().any(|fighter| fighter.arm == arm);
        let works = ground.blockhouse || ground.fortress || data.is_city(target);
        if has(Arm::Engineer) {
            if works {
                tally.add("engineers", 1, Clause("21.1a"));
            } else if self.across(battle, Along::Trench) {
                tally.add("engineers", 1, Clause("21.1b"));
            }
        }
        if has(Arm::Gatling) && (has(Arm::Infantry) || has(Arm::Cavalry)) {
            tally.add("Gatling guns", 1, Clause("20.1a"));
        }
        if let Some((_, at)) = self.balloon().filter(|_| self.state.balloon_up)
            && data.grid().distance(at, target) <= data.tables.limits.balloon_range
        {
            tally.add("balloon", 1, Clause("17.3a"));
        }
        let roosevelt = |fighter: &Fighter| self.counter(fighter.unit).is_some_and(|c| c.has(Flag::Roosevelt));
        if battle.attackers.iter().any(roosevelt) {
            tally.add("Teddy Roosevelt", 1, Clause("18.1"));
        }
        if ground.coast && !ground.harbour_shore {
            let clause = if ground.fortress { "16.2b" } else { "16.1" };
            tally.add("naval gunfire", 1, Clause(clause));
        }
        if !works && let Some(clause) = self.concentric(battle) {
            tally.add("concentric attack", 1, Clause(clause));
        }
    }

    /// Is the attack concentric, and by which rule? (§11.11)
    fn concentric(&self, battle: &Battle) -> Option<&'static str> {
        let grid = self.data().grid();
        let from: BTreeSet<usize> = (battle.attackers.iter())
            .filter(|fighter| fighter.adjacent)
            .filter_map(|fighter| grid.way(grid.edge_between(battle.target, fighter.hex)?))
            .collect();
        if (0..3).any(|way| from.contains(&way) && from.contains(&(way + 3))) {
            return Some("11.11a");
        }
        if (0..2).any(|way| [way, way + 2, way + 4].iter().all(|way| from.contains(way))) {
            return Some("11.11b");
        }
        (from.len() > 3).then_some("11.11c")
    }

    /// Fighters of the US side in a hex.
    fn us_fighter(&self, id: UnitId, target: Hex, strengths: &BTreeMap<UnitId, u32>) -> Option<Fighter> {
        let (arm, nation, hex) = (self.arm(id)?, self.nation(id)?, self.state.hex_of(id)?);
        let counts = strengths.get(&id).copied().unwrap_or_else(|| self.factor(id));
        let adjacent = self.data().adjacent(hex, target);
        let piece = Piece::from(id);
        Some(Fighter {
            piece,
            unit: id,
            arm,
            nation,
            hex,
            counts,
            bonus: 0,
            out_of_supply: false,
            spent: false,
            adjacent,
        })
    }

    fn spanish_fighter(&self, token: Token, unit: UnitId, target: Hex) -> Option<Fighter> {
        let (arm, hex) = (self.arm(unit)?, self.state.post_of(token)?);
        let adjacent = self.data().adjacent(hex, target);
        let (piece, counts) = (Piece::from(token), self.factor(unit));
        let nation = Nation::Spanish;
        Some(Fighter { piece, unit, arm, nation, hex, counts, bonus: 0, out_of_supply: false, spent: false, adjacent })
    }
}

impl Play<'_, '_> {
    /// A Combat Phase: attacks one by one, each chosen with the earlier results known (§11.1).
    pub fn combat(&mut self, side: Side, orders: &[Concealed<AttackOrder>]) -> Ruling<()> {
        let (word, name) = if side == US { ("us", PhaseName::UsCombat) } else { ("spain", PhaseName::SpanishCombat) };
        self.begin_phase(word, "combat", name);
        self.fought.clear();
        let mut results: BTreeMap<Hex, CombatResult> = BTreeMap::new();
        let mut waiting: Vec<(u32, Concealed<AttackOrder>)> = (1..).zip(orders.iter().cloned()).collect();
        // No list is longer than the units that can attack once each.
        for count in 0..=self.state.units.len() + self.state.counters.len() {
            let Some(next) = self.next_attack(side, &mut waiting, count)? else { break };
            let fought = self.fought.clone();
            let idle = |now: &Position<'_>, order: &AttackOrder| now.idle(side, order, &results, &fought);
            if let Some(order) = self.called_attack(side, &next, idle, &fought)? {
                self.attack(side, &order, &mut results)?;
            }
        }
        Ok(())
    }

    /// The next attack: the list's, unless the player wants to be asked (§11.1c).
    fn next_attack(
        &mut self,
        side: Side,
        waiting: &mut Vec<(u32, Concealed<AttackOrder>)>,
        count: usize,
    ) -> Ruling<Option<Concealed<AttackOrder>>> {
        if count == 0 || (waiting.is_empty() && self.fought.is_empty()) {
            return Ok((!waiting.is_empty()).then(|| waiting.remove(0).1));
        }
        let mut options: Vec<NextAttack> = waiting.iter().map(NextAttack::listed).collect();
        options.push(NextAttack::End);
        let question = Question {
            who: side,
            kind: NEXT_ATTACK,
            about: Subject::of("attack"),
            clause: Clause("11.1c"),
            text: "the last attack is resolved: which attack is made next? `none` ends the phase.".to_owned(),
            default: options.first().cloned().unwrap_or(NextAttack::End),
            options,
            also: Some(Box::new(|choice: &NextAttack| matches!(choice, NextAttack::Order(_)))),
        };
        let chosen = self.umpire.ask(question, None, |_| Say::Default)?;
        if let Some(at) = waiting.iter().position(|entry| NextAttack::listed(entry) == chosen) {
            return Ok(Some(waiting.remove(at).1));
        }
        Ok(match chosen {
            NextAttack::Order(order) => Some(Concealed::Open(order)),
            NextAttack::Entry(_) | NextAttack::End => None,
        })
    }

    /// One attack, its conditions met (§11).
    fn attack(&mut self, side: Side, order: &AttackOrder, results: &mut BTreeMap<Hex, CombatResult>) -> Ruling<()> {
        let target = order.target;
        let (order, _) = self.now().able(side, order, &self.fought);
        let american =
            side == US && order.attackers.iter().any(|piece| self.now().nation(piece.unit()) == Some(Nation::Us));
        if american && !self.supplied(target, Suppose { vacated: Some(target), opened: None })? {
            self.lapse(
                format!("attack on {target}"),
                "12.10d",
                format!("a unit that advanced into {target} would be out of supply"),
            );
            return Ok(());
        }
        self.umpire.note(Event::Attack { side, target, attackers: order.attackers.clone() });
        let result = self.resolve_attack(side, &order)?;
        results.insert(target, result);
        Ok(())
    }

    /// From the declaration on; nothing calls it off any more (§8.2).
    fn resolve_attack(&mut self, side: Side, order: &AttackOrder) -> Ruling<CombatResult> {
        let target = order.target;
        let Some(mut battle) = self.gather(side, order)? else { return Ok(CombatResult::Stalled) };
        if !self.roll_cubans(&mut battle)? {
            return Ok(CombatResult::Stalled);
        }
        let result = if battle.defenders.is_empty() {
            // §14.2c: the last Cuban defender melted away.
            CombatResult::Eliminated
        } else if !battle.defenders.iter().any(Fighter::is_line) {
            for fighter in battle.defenders.clone() {
                self.eliminate(&fighter, Cause::LoneArtillery);
            }
            self.check_victory()?;
            CombatResult::Eliminated
        } else {
            match self.odds(&battle)? {
                Some(result) => self.apply(&mut battle, result, order)?,
                None => return Ok(self.conceal(&battle, CombatResult::Stalled)),
            }
        };
        if self.is_vacant(side, target) && result != CombatResult::Stalled {
            self.advance(&battle, order)?;
        }
        Ok(self.conceal(&battle, result))
    }

    /// Is nobody of the defender left in the hex?
    fn is_vacant(&self, side: Side, hex: Hex) -> bool {
        if side == US { self.state.tokens_in(hex).next().is_none() } else { self.state.units_in(hex).next().is_none() }
    }

    /// Spanish survivors lie face-down again (§8.1c).
    fn conceal(&mut self, battle: &Battle, result: CombatResult) -> CombatResult {
        let fighters = battle.attackers.iter().chain(&battle.defenders);
        let counters: Vec<Token> = fighters
            .filter_map(|fighter| fighter.piece.token())
            .filter(|token| self.state.counters.contains_key(token))
            .collect();
        if !counters.is_empty() && !self.game.options.face_up {
            self.umpire.note(Event::Concealed { counters });
        }
        result
    }

    /// Who fights: supply checked, Spanish units revealed (§12.8b, §8.1b).
    fn gather(&mut self, side: Side, order: &AttackOrder) -> Ruling<Option<Battle>> {
        let target = order.target;
        let none = BTreeMap::new();
        let mut battle = Battle { side, target, attackers: Vec::new(), defenders: Vec::new() };
        if side == US {
            for piece in &order.attackers {
                let Some(mut fighter) = self.now().us_fighter(piece.unit(), target, &none) else { continue };
                fighter.out_of_supply =
                    fighter.nation == Nation::Us && !self.supplied(fighter.hex, Suppose::default())?;
                battle.attackers.push(fighter);
            }
            // §12.9a: guns and Gatlings out of supply do not attack at all.
            let drops =
                |fighter: &Fighter| fighter.out_of_supply && matches!(fighter.arm, Arm::Artillery | Arm::Gatling);
            let dropped: Vec<UnitId> = battle.attackers.iter().filter(|f| drops(f)).map(|f| f.unit).collect();
            battle.attackers.retain(|fighter| !drops(fighter));
            if !dropped.is_empty() {
                self.umpire.note(Event::DroppedOut { units: dropped });
            }
            let tokens: Vec<Token> = self.state.tokens_in(target).collect();
            if !self.escorted(&battle, "12.9a") {
                return Ok(None);
            }
            let units = self.reveal(&tokens)?;
            self.umpire.note(Event::Revealed { units: units.clone() });
            let now = self.now();
            battle.defenders =
                units.iter().filter_map(|(token, unit)| now.spanish_fighter(*token, *unit, target)).collect();
        } else {
            let tokens: Vec<Token> = order.attackers.iter().filter_map(|piece| piece.token()).collect();
            let units = self.reveal(&tokens)?;
            self.umpire.note(Event::Revealed { units: units.clone() });
            let now = self.now();
            let attackers = units.iter().filter_map(|(token, unit)| now.spanish_fighter(*token, *unit, target));
            // Only now does everybody see who may attack from afar.
            battle.attackers = attackers.filter(|fighter| fighter.adjacent || fighter.arm == Arm::Artillery).collect();
            if !self.escorted(&battle, "11.4b") {
                return Ok(None);
            }
            let black =
                self.state.units_in(target).any(|id| self.now().counter(id).is_some_and(|c| c.has(Flag::BlackPowder)));
            for fighter in battle.attackers.iter_mut().filter(|_| black) {
                fighter.bonus = 1; // §15.1a
                fighter.counts += 1;
            }
            let ids: Vec<UnitId> = self.state.units_in(target).collect();
            for id in ids {
                let Some(mut fighter) = self.now().us_fighter(id, target, &none) else { continue };
                fighter.out_of_supply = fighter.nation == Nation::Us && !self.supplied(target, Suppose::default())?;
                battle.defenders.push(fighter);
            }
        }
        if self.game.options.defenders_once {
            for fighter in &mut battle.defenders {
                fighter.spent = self.fought.contains(&fighter.piece);
            }
        }
        self.fought.extend(battle.attackers.iter().chain(&battle.defenders).map(|fighter| fighter.piece));
        Ok(Some(battle))
    }

    /// Is a non-artillery attacker next to the target left? (§11.4b)
    fn escorted(&mut self, battle: &Battle, clause: &'static str) -> bool {
        let escorted = battle.attackers.iter().any(|fighter| fighter.adjacent && fighter.is_line());
        if !escorted {
            let why = "no non-artillery unit next to the hex can attack".to_owned();
            self.umpire.note(Event::AttackVoid { target: battle.target, why, clause: Clause(clause) });
        }
        escorted
    }

    /// Every Cuban unit's strength; those of 0 are gone (§14.2). False if no attacker is left.
    fn roll_cubans(&mut self, battle: &mut Battle) -> Ruling<bool> {
        let cubans: Vec<UnitId> = (battle.attackers.iter().chain(&battle.defenders))
            .filter(|fighter| fighter.nation == Nation::Cuban && !fighter.spent)
            .map(|fighter| fighter.unit)
            .collect();
        for id in cubans {
            let die = self.d6(id, "strength")?;
            let strength = u32::from(die) - 1;
            self.umpire.note(Event::CubanStrength { unit: id, die, strength });
            for fighter in battle.attackers.iter_mut().chain(&mut battle.defenders).filter(|f| f.unit == id) {
                fighter.counts = strength;
            }
            if strength == 0 {
                self.lose_unit(id, Cause::NoStrength);
                battle.attackers.retain(|fighter| fighter.unit != id);
                battle.defenders.retain(|fighter| fighter.unit != id);
            }
        }
        if battle.attackers.is_empty() {
            let why = "no attacker is left".to_owned();
            self.umpire.note(Event::AttackVoid { target: battle.target, why, clause: Clause("14.2c") });
            self.conceal(battle, CombatResult::Stalled);
            return Ok(false);
        }
        Ok(true)
    }

    /// Odds, shifts and the die (§11.8, §11.12). Nothing if the attack has no strength.
    fn odds(&mut self, battle: &Battle) -> Ruling<Option<CombatResult>> {
        let attack = total(&battle.attackers, true);
        let halve = self.game.options.oos_defence_half;
        let defence = total(&battle.defenders, halve);
        if attack == 0 {
            let why = "the attackers have no strength".to_owned();
            self.umpire.note(Event::AttackVoid { target: battle.target, why, clause: Clause("12.9g") });
            return Ok(None);
        }
        let table = &self.data().tables.combat_results;
        let odds = Odds::of(attack, defence, table.highest());
        let shifts = self.now().shifts(battle);
        let shift = shifts.total();
        let final_odds = odds.shifted(shift);
        let die = self.d6(battle.target, "combat")?;
        let result = table.result(final_odds, die);
        self.umpire.note(Event::Combat {
            target: battle.target,
            attackers: battle.attackers.iter().map(Fighter::factor).collect(),
            defenders: battle.defenders.iter().map(Fighter::factor).collect(),
            attack,
            defence,
            odds,
            shifts,
            shift,
            final_odds,
            column: table.column(final_odds),
            die,
            result,
        });
        Ok(Some(result))
    }

    /// Takes a whole unit out of play.
    pub fn eliminate(&mut self, fighter: &Fighter, cause: Cause) {
        match fighter.piece.token() {
            Some(token) => self.bury(token, fighter.unit, fighter.hex, cause),
            None => self.lose_unit(fighter.unit, cause),
        }
    }
}

/// An attack to come, or the end of the phase.
#[derive(Clone, Debug, PartialEq, Eq)]
enum NextAttack {
    /// A sealed entry of the list, by its place.
    Entry(u32),
    /// This attack.
    Order(AttackOrder),
    /// No more.
    End,
}

impl NextAttack {
    fn listed((place, entry): &(u32, Concealed<AttackOrder>)) -> NextAttack {
        match entry {
            Concealed::Open(order) => NextAttack::Order(order.clone()),
            Concealed::Sealed(_) => NextAttack::Entry(*place),
        }
    }
}

impl serde::Serialize for NextAttack {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            NextAttack::Entry(place) => BTreeMap::from([("entry", place)]).serialize(serializer),
            NextAttack::Order(order) => order.serialize(serializer),
            NextAttack::End => serializer.serialize_str("none"),
        }
    }
}

impl crate::engine::doc::FromDoc for NextAttack {
    fn read(
        node: &crate::engine::doc::Node,
        at: &crate::engine::doc::DocPath,
        reader: &mut crate::engine::doc::Reader<'_>,
    ) -> Option<Self> {
        if node.as_text() == Some("none") {
            return Some(NextAttack::End);
        }
        match node.get("entry") {
            Some(place) => u32::read(place, &at.key("entry"), reader).map(NextAttack::Entry),
            None => AttackOrder::read(node, at, reader).map(NextAttack::Order),
        }
    }
}
