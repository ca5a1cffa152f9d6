//! §11.14 and §11.17: what a result does, the bill of a bloodbath, and the advance.

use std::collections::BTreeSet;

use crate::board::Hex;
use crate::engine::{Clause, Question, Ruling, Say, Side, Subject};

use super::US;
use super::combat::{Battle, Fighter};
use super::events::{Cause, Event};
use super::orders::AttackOrder;
use super::play::{Play, Position};
use super::policy::{ADVANCE, BLOODBATH, Policy};
use super::stacking::Room;
use super::terms::{Arm, CombatResult, Flag, Nation, Piece};

/// A unit that can pay for a bloodbath: what its steps are worth, first to go first (§11.14k).
#[derive(Clone, Debug)]
struct Payer {
    piece: Piece,
    worth: Vec<u32>,
    two_step: bool,
    prized: bool,
}

/// A way to pay: total, two-step units finished off, units eliminated, prized units hit, then the pieces.
type Bill = (u32, u32, u32, Vec<Piece>);

impl Position<'_> {
    fn payers(&self, battle: &Battle) -> Vec<Payer> {
        let mut payers: Vec<Payer> = (battle.attackers.iter())
            .filter(|fighter| fighter.adjacent) // §11.14g
            .map(|fighter| self.payer(fighter))
            .collect();
        payers.sort_by_key(|payer| payer.piece);
        payers
    }

    fn payer(&self, fighter: &Fighter) -> Payer {
        let counter = self.counter(fighter.unit);
        let printed = |steps: u8| counter.map_or(0, |counter| counter.factor_at(steps));
        let steps = self.state.units.get(&fighter.unit).map_or(1, |unit| unit.steps);
        let worth = match (fighter.nation, steps) {
            (Nation::Cuban, _) => vec![fighter.counts],
            (_, 2) => vec![printed(2).saturating_sub(printed(1)), printed(1)],
            (_, steps) => vec![printed(steps)],
        };
        let prized =
            matches!(fighter.arm, Arm::Gatling | Arm::Engineer) || counter.is_some_and(|c| c.has(Flag::Roosevelt));
        let two_step = counter.is_some_and(|counter| counter.steps() == 2);
        Payer { piece: fighter.piece, worth, two_step, prized }
    }
}

/// What a list of steps, one entry each, is worth; nothing if it names a step that is not there.
fn value(payers: &[Payer], steps: &[Piece]) -> Option<u32> {
    let mut sum = 0;
    let named: BTreeSet<&Piece> = steps.iter().collect();
    for piece in named {
        let payer = payers.iter().find(|payer| payer.piece == *piece)?;
        let count = steps.iter().filter(|other| *other == piece).count();
        sum += payer.worth.get(..count)?.iter().sum::<u32>();
    }
    Some(sum)
}

/// All steps of all payers.
fn everything(payers: &[Payer]) -> Vec<Piece> {
    payers.iter().flat_map(|payer| std::iter::repeat_n(payer.piece, payer.worth.len())).collect()
}

/// The cheapest way to reach the requirement (§11.14l): smallest total, then the fewest two-step units finished off,
/// the fewest units eliminated, prized units spared, lowest ids.
fn cheapest(payers: &[Payer], required: u32) -> Vec<Piece> {
    let all = everything(payers);
    if value(payers, &all).unwrap_or(0) <= required {
        return all;
    }
    // For every total the best way to reach exactly it.
    let mut ways: std::collections::BTreeMap<u32, Bill> = [(0, (0, 0, 0, Vec::new()))].into();
    for payer in payers {
        let before = ways.clone();
        for (total, bill) in &before {
            let mut paid = 0;
            for count in 1..=payer.worth.len() {
                paid += payer.worth.get(count - 1).copied().unwrap_or(0);
                let gone = u32::from(count == payer.worth.len());
                let mut next = bill.clone();
                next.0 += gone * u32::from(payer.two_step);
                next.1 += gone;
                next.2 += u32::from(payer.prized);
                next.3.extend(std::iter::repeat_n(payer.piece, count));
                let best = ways.entry(total + paid).or_insert_with(|| next.clone());
                if next < *best {
                    *best = next;
                }
            }
        }
    }
    ways.into_iter().find(|(total, _)| *total >= required).map_or(all, |(_, bill)| bill.3)
}

/// The wished-for units first, step by step, then the cheapest way for the rest.
fn by_wish(payers: &[Payer], required: u32, wished: &[Piece]) -> Vec<Piece> {
    let mut steps = Vec::new();
    for piece in wished {
        let Some(payer) = payers.iter().find(|payer| payer.piece == *piece) else { continue };
        for _ in 0..payer.worth.len() {
            if value(payers, &steps).unwrap_or(0) >= required {
                return steps;
            }
            if steps.iter().filter(|other| *other == piece).count() < payer.worth.len() {
                steps.push(*piece);
            }
        }
    }
    let paid = value(payers, &steps).unwrap_or(0);
    if paid < required {
        let rest: Vec<Payer> = payers.iter().filter(|payer| !steps.contains(&payer.piece)).cloned().collect();
        steps.extend(cheapest(&rest, required - paid));
    }
    steps
}

impl Play<'_, '_> {
    /// Applies a result (§11.14). Returns the result that counts.
    pub fn apply(&mut self, battle: &mut Battle, result: CombatResult, order: &AttackOrder) -> Ruling<CombatResult> {
        match result {
            CombatResult::Stalled => Ok(result),
            CombatResult::Eliminated => {
                self.strike_defenders(battle);
                self.check_victory()?;
                Ok(result)
            }
            CombatResult::Bloodbath => {
                let required = self.strike_defenders(battle);
                self.pay(battle, required, order)?;
                self.check_victory()?;
                Ok(result)
            }
            CombatResult::Retreat if battle.side == US && self.data().is_fortress(battle.target) => {
                self.umpire.note(Event::FortressHolds { target: battle.target });
                Ok(CombatResult::Stalled)
            }
            CombatResult::Retreat => {
                self.drive_back(battle)?;
                self.check_victory()?;
                Ok(result)
            }
        }
    }

    /// DE: one-step units go, then full two-step units are reduced (§11.14b, §11.14c). Returns the printed factors
    /// eliminated (§11.14f, §11.14k).
    fn strike_defenders(&mut self, battle: &Battle) -> u32 {
        let full = |fighter: &&Fighter| fighter.piece.token().is_none() && self.state.unit(fighter.unit).steps > 1;
        let (reduced, gone): (Vec<&Fighter>, Vec<&Fighter>) = battle.defenders.iter().partition(full);
        let mut required = 0;
        for fighter in &gone {
            required += match fighter.nation {
                Nation::Cuban => fighter.counts,
                _ => self.now().factor(fighter.unit),
            };
        }
        let (reduced, gone): (Vec<Fighter>, Vec<Fighter>) =
            (reduced.into_iter().cloned().collect(), gone.into_iter().cloned().collect());
        for fighter in gone {
            self.eliminate(&fighter, Cause::Defending);
        }
        for fighter in reduced {
            self.lose_step(fighter.unit, Cause::Defending);
        }
        required
    }

    /// The attacker's part of a bloodbath (§11.14f to §11.14l).
    fn pay(&mut self, battle: &mut Battle, required: u32, order: &AttackOrder) -> Ruling<()> {
        let payers = self.now().payers(battle);
        if required == 0 || payers.is_empty() {
            return Ok(());
        }
        let default = cheapest(&payers, required);
        let all = everything(&payers);
        let steps = if default.len() == all.len() {
            default
        } else {
            let options: Vec<Vec<Piece>> =
                payers.iter().map(|payer| by_wish(&payers, required, &[payer.piece])).collect();
            let legal = |steps: &Vec<Piece>| value(&payers, steps).is_some_and(|paid| paid >= required);
            let ordered = (!order.losses.is_empty()).then(|| by_wish(&payers, required, &order.losses));
            let question = Question {
                who: battle.side,
                kind: BLOODBATH,
                about: Subject::of(battle.target),
                clause: Clause("11.14h"),
                text: format!(
                    "a bloodbath in {}: factors of {required} or more are lost. One entry a step.",
                    battle.target
                ),
                options,
                default,
                also: Some(Box::new(legal)),
            };
            self.umpire.ask(question, ordered, |policy| match policy {
                Policy::Pieces(wished) => Say::Choose(by_wish(&payers, required, wished)),
                _ => Say::Default,
            })?
        };
        let paid = value(&payers, &steps).unwrap_or(0);
        self.umpire.note(Event::BloodbathBill { required, paid, steps: steps.clone() });
        for piece in steps {
            match battle.attackers.iter().find(|fighter| fighter.piece == piece).cloned() {
                Some(fighter) if fighter.piece.token().is_some() => self.eliminate(&fighter, Cause::Bloodbath),
                Some(fighter) => self.lose_step(fighter.unit, Cause::Bloodbath),
                None => {}
            }
        }
        let state = &self.state;
        battle.attackers.retain(|fighter| match fighter.piece.token() {
            Some(token) => state.counters.contains_key(&token),
            None => state.unit(fighter.unit).steps > 0,
        });
        Ok(())
    }

    /// The mandatory advance that fills the hex (§11.17).
    pub fn advance(&mut self, battle: &Battle, order: &AttackOrder) -> Ruling<()> {
        let target = battle.target;
        let now = self.now();
        // §11.17c, §11.17h: no artillery, no garrison; §13.2f and §11.2a leave only those who attacked.
        let able = |fighter: &&Fighter| {
            fighter.adjacent && fighter.is_line() && fighter.arm != Arm::Garrison && now.hex_of(fighter.piece).is_some()
        };
        let mut able: Vec<Fighter> = battle.attackers.iter().filter(able).cloned().collect();
        // §11.17e: nobody enters what he may not enter.
        able.retain(|fighter| now.may_advance(fighter, target));
        able.sort_by_key(|fighter| {
            (fighter.arm == Arm::Gatling, std::cmp::Reverse(fighter.counts - fighter.bonus), fighter.piece)
        });
        let cuban = able.first().is_some_and(|fighter| fighter.nation == Nation::Cuban);
        let room = if cuban { Room::SINGLE } else { Room::of(now.data().land(target)) };
        let default = fill(&able, &[], room);
        if default.is_empty() {
            self.umpire.note(Event::NoAdvance { to: target });
            return Ok(());
        }
        let chosen = self.choose_advance(battle.side, target, &able, default, room, order)?;
        self.umpire.note(Event::Advanced { pieces: chosen.clone(), to: target });
        for piece in &chosen {
            self.put(*piece, target);
        }
        for piece in chosen {
            self.entered(piece, target, "advance")?;
            self.offer_beach(piece, target, order.open)?;
        }
        Ok(())
    }

    fn choose_advance(
        &mut self,
        side: Side,
        target: Hex,
        able: &[Fighter],
        default: Vec<Piece>,
        room: Room,
        order: &AttackOrder,
    ) -> Ruling<Vec<Piece>> {
        if default.len() == able.len() {
            return Ok(default);
        }
        let mut options: Vec<Vec<Piece>> = able.iter().map(|fighter| fill(able, &[fighter.piece], room)).collect();
        options.dedup();
        let size = default.len();
        let legal = |choice: &Vec<Piece>| {
            let mut sorted = choice.clone();
            sorted.sort_unstable();
            let mut filled = fill(able, choice, room);
            filled.sort_unstable();
            choice.len() == size && sorted == filled
        };
        let ordered = (!order.advance.is_empty()).then(|| fill(able, &order.advance, room));
        let question = Question {
            who: side,
            kind: ADVANCE,
            about: Subject::of(target),
            clause: Clause("11.17g"),
            text: format!("{target} is vacated: which units fill it?"),
            options,
            default,
            also: Some(Box::new(legal)),
        };
        self.umpire.ask(question, ordered, |policy| match policy {
            Policy::Pieces(wished) => Say::Choose(fill(able, wished, room)),
            _ => Say::Default,
        })
    }
}

/// Fills a hex from units in order of preference, the wished-for first.
fn fill(able: &[Fighter], wished: &[Piece], mut room: Room) -> Vec<Piece> {
    let mut order: Vec<&Fighter> = able.iter().collect();
    order.sort_by_key(|fighter| wished.iter().position(|piece| *piece == fighter.piece).unwrap_or(usize::MAX));
    order.retain(|fighter| room.take(fighter.arm));
    let mut chosen: Vec<Piece> = order.iter().map(|fighter| fighter.piece).collect();
    chosen.sort_unstable();
    chosen
}

impl Position<'_> {
    /// §11.17e: may this attacker enter the hex at all?
    fn may_advance(&self, fighter: &Fighter, target: Hex) -> bool {
        let data = self.data();
        let water = data.between(fighter.hex, target).has(super::data::Along::Water);
        let open = data.is_open(target) && !water;
        match fighter.nation {
            Nation::Spanish => open,
            Nation::Us => open && !self.is_closed(target),
            Nation::Cuban => open && !self.is_closed(target) && !data.is_city(target) && !data.is_fortress(target),
        }
    }
}
