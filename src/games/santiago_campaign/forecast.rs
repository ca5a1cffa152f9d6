//! What an attack is sure to come to, before it is declared: the condition `min-odds` (§11.1c) and `garcia odds`.
//!
//! Only what lies open counts. Where a strength is hidden or still to be rolled, the worst for the attacker is taken: a
//! face-down counter is the strongest it can still be, a Cuban defender has 5, a Cuban attacker the least with which it
//! fights at all, and supply that hangs on a face-down counter is missing for attackers and there for defenders.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::{Ruling, Side, Tally};

use super::combat::{Battle, Fighter, total};
use super::data::Counter;
use super::orders::AttackOrder;
use super::play::{Known, Play, Position, Trit};
use super::stacking::Room;
use super::supply::Suppose;
use super::terms::{Arm, Nation, Odds, Piece, Token, UnitId};
use super::{SPAIN, US};

/// The strongest a Cuban unit can be (§14.2a).
const CUBAN_AT_MOST: u32 = 5;
/// The least a Cuban unit fights with; with less it is gone (§14.2b).
const CUBAN_AT_LEAST: u32 = 1;

/// The least favourable battle an attack can turn out to be.
pub struct Forecast {
    /// Attacking strength.
    pub attack: u32,
    /// Defending strength.
    pub defence: u32,
    /// Column shifts.
    pub shifts: Tally,
    /// Odds before the shifts; none if no attack comes about.
    pub odds: Option<Odds>,
}

impl Forecast {
    /// Odds after the shifts.
    pub fn final_odds(&self) -> Option<Odds> {
        self.odds.map(|odds| odds.shifted(self.shifts.total()))
    }
}

impl Position<'_> {
    /// What an attack is sure to come to, by what the viewer knows.
    pub fn forecast(&self, side: Side, order: &AttackOrder, fought: &BTreeSet<Piece>) -> Forecast {
        let target = order.target;
        let maps = self.supply_maps(Suppose::default());
        let mut attackers: Vec<Fighter> =
            order.attackers.iter().filter_map(|piece| self.attacker(*piece, target)).collect();
        for fighter in attackers.iter_mut().filter(|fighter| fighter.nation == Nation::Us) {
            fighter.out_of_supply = maps.at(self, fighter.hex) != Trit::Yes;
        }
        // §12.9a: guns and Gatlings out of supply do not attack; nobody but artillery attacks from afar.
        attackers.retain(|fighter| !fighter.is_silenced() && (fighter.adjacent || fighter.arm == Arm::Artillery));
        if side == SPAIN {
            self.sight_smoke(&mut attackers, target);
        }
        let attack = total(&attackers, true);
        let once = self.game.options.defenders_once;
        let spent = |piece: Piece| once && fought.contains(&piece);
        let defence = if side == US {
            self.strongest(target, &spent)
        } else {
            let out = self.game.options.oos_defence_half && maps.at(self, target) == Trit::No;
            let units = || self.state.units_in(target).filter(|id| !spent(Piece::from(*id)));
            let sum = |nation| units().filter(|id| self.nation(*id) == Some(nation)).map(|id| self.at_most(id)).sum();
            let (americans, cubans): (u32, u32) = (sum(Nation::Us), sum(Nation::Cuban));
            (if out { americans / 2 } else { americans }) + cubans
        };
        let battle = Battle { side, target, attackers, defenders: Vec::new() };
        let escorted = battle.is_escorted();
        let shifts = self.shifts(&battle);
        let highest = self.data().tables.combat_results.highest();
        let odds = (escorted && attack > 0).then(|| Odds::of(attack, defence, highest));
        Forecast { attack, defence, shifts, odds }
    }

    /// An attacker as he counts at the least; nothing if the viewer does not know him.
    fn attacker(&self, piece: Piece, target: Hex) -> Option<Fighter> {
        let unit = match piece.token() {
            Some(token) => self.identity(token)?,
            None => piece.unit(),
        };
        let mut fighter = self.fighter(piece, unit, target)?;
        if fighter.nation == Nation::Cuban {
            fighter.counts = CUBAN_AT_LEAST;
        }
        Some(fighter)
    }

    fn at_most(&self, id: UnitId) -> u32 {
        if self.nation(id) == Some(Nation::Cuban) { CUBAN_AT_MOST } else { self.factor(id) }
    }

    /// The most the Spanish counters in a hex can defend with.
    fn strongest(&self, hex: Hex, spent: &dyn Fn(Piece) -> bool) -> u32 {
        let (known, hidden): (Vec<Token>, Vec<Token>) =
            self.state.tokens_in(hex).partition(|token| self.identity(*token).is_some());
        let shown: Vec<UnitId> = known.iter().filter_map(|token| self.identity(*token)).collect();
        let mut sum: u32 = (known.iter().zip(&shown))
            .filter(|(token, _)| !spent(Piece::from(**token)))
            .map(|(_, unit)| self.factor(*unit))
            .sum();
        let mut room = Room::of(self.data().land(hex));
        for arm in shown.iter().filter_map(|unit| self.arm(*unit)) {
            room.take(arm);
        }
        let mut left = hidden.iter().filter(|token| !spent(Piece::from(**token))).count();
        for counter in self.could_lie(hex) {
            if left > 0 && room.take(counter.kind) {
                left -= 1;
                sum += counter.factor_at(1);
            }
        }
        sum
    }
}

impl<'p> Position<'p> {
    /// Whom a face-down counter in a hex can be, the strongest first: whoever is neither dead nor known to be elsewhere,
    /// garrisons only in their own fortress.
    pub fn could_lie(&self, hex: Hex) -> Vec<&'p Counter> {
        let elsewhere: BTreeSet<UnitId> =
            self.state.counters.keys().filter_map(|token| self.identity(*token)).collect();
        let here = |counter: &&Counter| {
            counter.nation == Nation::Spanish
                && !self.state.dead.contains(&counter.id())
                && !elsewhere.contains(&counter.id())
                && (counter.kind != Arm::Garrison || counter.default_hex == Some(hex))
        };
        let mut able: Vec<&Counter> = self.data().counters.values().filter(here).collect();
        // A garrison that is alive is certainly here (§2.12c).
        able.sort_by_key(|counter| {
            (counter.kind != Arm::Garrison, std::cmp::Reverse(counter.factor_at(1)), counter.id())
        });
        able
    }

    /// Is an attack sure to reach these odds, by what the viewer knows? (§11.1c)
    pub fn reaches(&self, side: Side, order: &AttackOrder, fought: &BTreeSet<Piece>, least: Odds) -> bool {
        self.forecast(side, order, fought).final_odds().is_some_and(|odds| odds >= least)
    }
}

impl Play<'_, '_> {
    /// Is an open attack sure to reach these odds? (§11.1c) What Spanish attackers are, only their owner knows: he says
    /// whether they do, and no more.
    pub fn reaches(&mut self, side: Side, order: &AttackOrder, least: Odds) -> Ruling<bool> {
        let tokens: Vec<Token> = order.attackers.iter().filter_map(|piece| piece.token()).collect();
        if side == US {
            return Ok(self.now().reaches(side, order, &self.fought, least));
        }
        let (game, state, fought) = (self.game, self.state.clone(), self.fought.clone());
        let reaches = |units: &BTreeMap<Token, UnitId>| {
            let known = Known(units.clone());
            Position { game, state: &state, known: &known }.reaches(side, order, &fought, least)
        };
        self.fact(&tokens, order.target, "odds", reaches, true)
    }
}
