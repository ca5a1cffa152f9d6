//! §11.8 and §11.12: a Combat Phase, who fights in a battle, and its odds; §14.2 and §15.1 change the factors.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Concealed, Question, Ruling, Say, Side, Subject};

use super::attacks::{attack_of, too_far, unescorted};
use super::bars::bar;
use super::events::{Cause, Event, Factor, PhaseName};
use super::orders::AttackOrder;
use super::play::{Play, Position, Prospect};
use super::policy::NEXT_ATTACK;
use super::supply::Suppose;
use super::terms::{Arm, CombatResult, Flag, Nation, Odds, Piece, Token, UnitId};
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

    /// Guns and Gatlings out of supply do not attack at all (§12.9a).
    pub fn is_silenced(&self) -> bool {
        self.out_of_supply && matches!(self.arm, Arm::Artillery | Arm::Gatling)
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
    /// Is a non-artillery attacker next to the target left? (§11.4b)
    pub fn is_escorted(&self) -> bool {
        self.attackers.iter().any(|fighter| fighter.adjacent && fighter.is_line())
    }

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
    /// A unit as it fights against a hex or in it.
    pub fn fighter(&self, piece: Piece, unit: UnitId, target: Hex) -> Option<Fighter> {
        let (arm, nation, hex) = (self.arm(unit)?, self.nation(unit)?, self.hex_of(piece)?);
        let (counts, adjacent) = (self.factor(unit), self.data().adjacent(hex, target));
        Some(Fighter { piece, unit, arm, nation, hex, counts, bonus: 0, out_of_supply: false, spent: false, adjacent })
    }

    /// A unit of the US side as it fights.
    pub fn us_fighter(&self, id: UnitId, target: Hex) -> Option<Fighter> {
        self.fighter(Piece::from(id), id, target)
    }

    /// §15.1a: the smoke of black powder in a hex gives each Spanish attacker one more.
    pub fn sight_smoke(&self, attackers: &mut [Fighter], target: Hex) {
        let smokes = |id: UnitId| self.counter(id).is_some_and(|counter| counter.has(Flag::BlackPowder));
        if self.state.units_in(target).any(smokes) {
            for fighter in attackers {
                fighter.bonus = 1;
                fighter.counts += 1;
            }
        }
    }

    /// An attack with Spanish units named by the counters they lie under, where the viewer can tell.
    pub fn naming(&self, order: &AttackOrder) -> AttackOrder {
        let mut order = order.clone();
        let pieces = order.attackers.iter_mut().chain(&mut order.losses).chain(&mut order.advance);
        pieces.for_each(|piece| *piece = self.named(*piece));
        order
    }
}

impl Play<'_, '_> {
    /// A Combat Phase: attacks one by one, each chosen with the earlier results known (§11.1).
    pub fn combat(&mut self, side: Side, orders: &[Concealed<AttackOrder>]) -> Ruling<()> {
        let (word, name) = if side == US { ("us", PhaseName::UsCombat) } else { ("spain", PhaseName::SpanishCombat) };
        self.begin_phase(word, "combat", name);
        self.fought.clear();
        self.passed_over.clear();
        let mut waiting: Vec<(u32, Concealed<AttackOrder>)> = (1..).zip(orders.iter().cloned()).collect();
        // No list is longer than the units that can attack once each.
        for count in 0..=self.state.units.len() + self.state.counters.len() {
            let Some((place, next)) = self.next_attack(side, &mut waiting, count)? else { break };
            // The list counts from 1; an attack that was asked for stands in no list.
            let at = DocPath::root().key("attacks");
            let at =
                usize::try_from(place).ok().and_then(|place| place.checked_sub(1)).map_or(at.clone(), |i| at.index(i));
            self.entry(at, |play| {
                if let Some(bar) = unfounded(orders, place, &next) {
                    play.lapse("an attack", vec![bar], &[]);
                    return Ok(());
                }
                match play.called_attack(side, &next)? {
                    Some(order) => play.attack(side, &order),
                    None => Ok(()),
                }
            })?;
        }
        Ok(())
    }

    /// The next attack: the list's, unless the player wants to be asked (§11.1c).
    fn next_attack(
        &mut self,
        side: Side,
        waiting: &mut Vec<(u32, Concealed<AttackOrder>)>,
        count: usize,
    ) -> Ruling<Option<(u32, Concealed<AttackOrder>)>> {
        // Nobody is asked where there is nothing to choose: at the beginning the list counts, and later some attack has to
        // be possible.
        let now = self.now();
        let made = |(_, entry): &(u32, Concealed<AttackOrder>)| match entry {
            Concealed::Open(order) => now.idle(side, order, &self.results, &self.fought).is_empty(),
            Concealed::Sealed(_) => true,
        };
        let choice = count > 0
            && (!waiting.is_empty() || !self.fought.is_empty())
            && (waiting.iter().any(made) || !now.attack_choices(side, &self.fought).is_empty());
        if !choice {
            return Ok((!waiting.is_empty()).then(|| waiting.remove(0)));
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
            return Ok(Some(waiting.remove(at)));
        }
        Ok(match chosen {
            NextAttack::Order(order) => Some((0, Concealed::Open(order))),
            NextAttack::Entry(_) | NextAttack::End => None,
        })
    }

    /// One attack, its conditions met (§11).
    fn attack(&mut self, side: Side, order: &AttackOrder) -> Ruling<()> {
        let target = order.target;
        if order.after.is_none() && order.if_vacant.is_none() && order.min_odds.is_none() {
            self.pledged.extend(&order.attackers);
        }
        self.hangs(order);
        let ordered: Vec<Subject> =
            order.attackers.iter().flat_map(|piece| [Subject::of(piece), attack_of(*piece)]).collect();
        let (order, _) = self.now().able(side, order, &self.fought);
        // Had nobody been there to attack, they could attack others.
        for piece in &order.attackers {
            self.umpire.rests(&[Subject::of(piece), Subject::of(target)], [attack_of(*piece)]);
        }
        let american =
            side == US && order.attackers.iter().any(|piece| self.now().nation(piece.unit()) == Some(Nation::Us));
        let advanced = self.now().advanced(&order);
        if american && !self.supplied(target, advanced)? {
            let bar = self.now().beyond_supply(target, advanced).about([Subject::of(target)]);
            self.lapse(format!("attack on {target}"), vec![bar], &[Subject::of(target)]);
            return Ok(());
        }
        self.umpire.note(Event::Attack { side, target, attackers: order.attackers.clone() });
        if let Some(result) = self.resolve_attack(side, &order, ordered)? {
            self.results.insert(target, result);
        }
        Ok(())
    }

    /// Whether an attack comes up at all hangs on what it waits for (§11.1c): so does all it changes or leaves as it is.
    pub(super) fn hangs(&mut self, order: &AttackOrder) {
        let waited = order.after.iter().map(|after| after.attack).chain(order.if_vacant);
        let waited: Vec<Subject> = waited.map(Subject::of).collect();
        self.umpire.rests(&waited, order.attackers.iter().map(Subject::of).chain([Subject::of(order.target)]));
    }

    /// From the declaration on; nothing calls it off any more (§8.2). No result if it turns out to be no attack, which hangs on
    /// those who were `ordered` to it.
    fn resolve_attack(
        &mut self,
        side: Side,
        order: &AttackOrder,
        ordered: Vec<Subject>,
    ) -> Ruling<Option<CombatResult>> {
        let target = order.target;
        let battle = if side == US { self.gather_us(order)? } else { self.gather_spanish(order, ordered)? };
        let Some(mut battle) = battle else { return Ok(None) };
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
            let result = self.odds(&battle, order)?;
            self.apply(&mut battle, result, order)?
        };
        if self.now().enemies_in(side, target).is_empty() && result != CombatResult::Stalled {
            self.advance(&battle, order)?;
        }
        self.conceal(&battle);
        Ok(Some(result))
    }

    /// Spanish survivors lie face-down again (§8.1c).
    fn conceal(&mut self, battle: &Battle) {
        let fighters = battle.attackers.iter().chain(&battle.defenders);
        let counters: Vec<Token> = fighters
            .filter_map(|fighter| fighter.piece.token())
            .filter(|token| self.state.counters.contains_key(token))
            .collect();
        if !counters.is_empty() && !self.game.options.face_up {
            self.umpire.note(Event::Concealed { counters });
        }
    }

    /// Who fights in an attack of the US side. Supply is checked and Cubans roll for their strength before anybody is
    /// turned over (§12.8b, §14.2a): what comes to no strength is no attack, and nobody has fought (§12.9g, §14.2c).
    fn gather_us(&mut self, order: &AttackOrder) -> Ruling<Option<Battle>> {
        let target = order.target;
        let mut battle = Battle { side: US, target, attackers: Vec::new(), defenders: Vec::new() };
        for piece in &order.attackers {
            let Some(mut fighter) = self.now().us_fighter(piece.unit(), target) else { continue };
            fighter.out_of_supply = fighter.nation == Nation::Us && !self.supplied(fighter.hex, Suppose::default())?;
            battle.attackers.push(fighter);
        }
        let dropped: Vec<UnitId> = battle.attackers.iter().filter(|f| f.is_silenced()).map(|f| f.unit).collect();
        battle.attackers.retain(|fighter| !fighter.is_silenced());
        if !dropped.is_empty() {
            self.umpire.note(Event::DroppedOut { units: dropped });
        }
        if !battle.is_escorted() {
            return Ok(self.call_off(target, "no non-artillery unit next to the hex can attack", "12.9a"));
        }
        self.roll_cubans(&mut battle)?;
        if battle.attackers.is_empty() {
            return Ok(self.call_off(target, "no attacker is left", "14.2c"));
        }
        if total(&battle.attackers, true) == 0 {
            return Ok(self.call_off(target, "the attackers have no strength", "12.9g"));
        }
        let tokens: Vec<Token> = self.state.tokens_in(target).collect();
        let units = self.reveal(&tokens)?;
        if !self.guesses(&tokens) {
            self.umpire.note(Event::Revealed { units: units.clone() });
        }
        let now = self.now();
        battle.defenders =
            units.iter().filter_map(|(token, unit)| now.fighter(Piece::from(*token), *unit, target)).collect();
        self.join(&mut battle);
        Ok(Some(battle))
    }

    /// Who fights in a Spanish attack: the attackers are turned over, then Cuban defenders roll (§8.1b, §14.2a).
    fn gather_spanish(&mut self, order: &AttackOrder, ordered: Vec<Subject>) -> Ruling<Option<Battle>> {
        let target = order.target;
        let mut battle = Battle { side: SPAIN, target, attackers: Vec::new(), defenders: Vec::new() };
        let tokens: Vec<Token> = order.attackers.iter().filter_map(|piece| piece.token()).collect();
        let units = self.reveal(&tokens)?;
        self.umpire.note(Event::Revealed { units: units.clone() });
        let now = self.now();
        let attackers = units.iter().filter_map(|(token, unit)| now.fighter(Piece::from(*token), *unit, target));
        // Only now does everybody see who may attack from afar (§11.2e).
        let (able, adrift): (Vec<Fighter>, Vec<Fighter>) =
            attackers.partition(|fighter| fighter.adjacent || fighter.arm == Arm::Artillery);
        battle.attackers = able;
        for piece in adrift.iter().map(|fighter| fighter.piece) {
            let count = order.attackers.iter().position(|other| *other == piece).unwrap_or_default();
            let bar = too_far("11.2e", piece, target);
            let bar = bar.at(DocPath::root().key("attackers").index(count)).about([Subject::of(piece)]);
            self.lapse(format!("attack of {piece} on {target}"), vec![bar], &[Subject::of(piece)]);
        }
        if !battle.is_escorted() {
            // Its owner could have known that.
            let bar = unescorted(target, battle.attackers.iter().any(|fighter| fighter.adjacent)).about(ordered);
            let void = |bar: &Bar| Event::AttackVoid { target, why: bar.why.clone(), clause: bar.clause };
            self.forgo(vec![bar], &[], |bars| void(&bars[0]));
            self.conceal(&battle);
            return Ok(None);
        }
        self.now().sight_smoke(&mut battle.attackers, target);
        let ids: Vec<UnitId> = self.state.units_in(target).collect();
        for id in ids {
            let Some(mut fighter) = self.now().us_fighter(id, target) else { continue };
            fighter.out_of_supply = fighter.nation == Nation::Us && !self.supplied(target, Suppose::default())?;
            battle.defenders.push(fighter);
        }
        self.join(&mut battle);
        self.roll_cubans(&mut battle)?;
        Ok(Some(battle))
    }

    /// Everybody in the battle has now fought this phase; whoever had before adds nothing in defence (§11.2a, §11.2g).
    fn join(&mut self, battle: &mut Battle) {
        if self.game.options.defenders_once {
            for fighter in &mut battle.defenders {
                fighter.spent = self.fought.contains(&fighter.piece);
            }
        }
        self.fought.extend(battle.attackers.iter().chain(&battle.defenders).map(|fighter| fighter.piece));
    }

    /// It is no attack after all.
    fn call_off(&mut self, target: Hex, why: &str, clause: &'static str) -> Option<Battle> {
        self.umpire.note(Event::AttackVoid { target, why: why.to_owned(), clause: Clause(clause) });
        None
    }

    /// Every Cuban unit's strength; those of 0 are gone (§14.2).
    fn roll_cubans(&mut self, battle: &mut Battle) -> Ruling<()> {
        let cubans: Vec<UnitId> = (battle.attackers.iter().chain(&battle.defenders))
            .filter(|fighter| fighter.nation == Nation::Cuban && !fighter.spent)
            .map(|fighter| fighter.unit)
            .collect();
        for id in cubans {
            let strength = |die: u16| u32::from(die).saturating_sub(1);
            let read = |die: u16| Prospect { worth: strength(die), says: format!("strength {}", strength(die)) };
            let die = self.throw(US, id, "strength", read, [Subject::of(id), Subject::of(battle.target)])?;
            let strength = strength(die.face());
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
        Ok(())
    }

    /// Odds, shifts and the die (§11.8, §11.12).
    fn odds(&mut self, battle: &Battle, order: &AttackOrder) -> Ruling<CombatResult> {
        let attack = total(&battle.attackers, true);
        let halve = self.game.options.oos_defence_half;
        let defence = total(&battle.defenders, halve);
        let table = &self.data().tables.combat_results;
        let odds = Odds::of(attack, defence, table.highest());
        let shifts = self.now().shifts(battle);
        let shift = shifts.total();
        let final_odds = odds.shifted(shift);
        let read = |die: u16| {
            let result = table.result(final_odds, die);
            Prospect { worth: result.worth(), says: result.as_str().to_owned() }
        };
        // Whoever is in it, and wherever a retreat may lead, is uncertain afterwards.
        let fighters = battle.attackers.iter().chain(&battle.defenders).map(|fighter| Subject::of(fighter.piece));
        let hexes = std::iter::once(battle.target).chain(self.data().around(battle.target)).map(Subject::of);
        let on: Vec<Subject> = fighters.chain(hexes).chain([Subject::of("supply")]).collect();
        let die = self.throw(battle.side, battle.target, "combat", read, on)?;
        let result = table.result(final_odds, die.face());
        let hidden: Vec<Token> = battle.defenders.iter().filter_map(|fighter| fighter.piece.token()).collect();
        if self.guesses(&hidden) {
            self.foretell(battle.side, order);
            return Ok(result);
        }
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
        Ok(result)
    }

    /// In an outlook: what an attack on counters nobody can read is sure to come to.
    fn foretell(&mut self, side: Side, order: &AttackOrder) {
        let forecast = self.now().forecast(side, order, &BTreeSet::new());
        let (shift, final_odds) = (forecast.shifts.total(), forecast.final_odds());
        let (Some(odds), Some(final_odds)) = (forecast.odds, final_odds) else { return };
        let (target, attack, defence, shifts) = (order.target, forecast.attack, forecast.defence, forecast.shifts);
        self.umpire.note(Event::AtLeast { target, attack, defence, odds, shifts, shift, final_odds });
    }

    /// Takes a whole unit out of play.
    pub fn eliminate(&mut self, fighter: &Fighter, cause: Cause) {
        match fighter.piece.token() {
            Some(token) => self.bury(token, fighter.unit, fighter.hex, cause),
            None => self.lose_unit(fighter.unit, cause),
        }
    }
}

/// An attack that waits for one which does not stand before it (§11.1c).
fn unfounded(orders: &[Concealed<AttackOrder>], place: u32, order: &Concealed<AttackOrder>) -> Option<Bar> {
    let after = order.as_open()?.after.as_ref()?;
    let before = orders.get(..usize::try_from(place).ok()?.checked_sub(1)?)?;
    let stands = |entry: &Concealed<AttackOrder>| entry.as_open().is_none_or(|order| order.target == after.attack);
    let why = format!("no attack on {} stands before this one", after.attack);
    (!before.iter().any(stands)).then(|| bar("11.1c", why).part("after").firm())
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
