//! §11.1 to §11.7: who may attack whom, and what artillery sees; §14.3, §19.3 and §20.2 forbid some attacks.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Grid, Hex, straightest_paths};
use crate::engine::Side;

use super::data::Along;
use super::movement::Bar;
use super::orders::AttackOrder;
use super::play::{Position, Trit};
use super::state::Truce;
use super::supply::Suppose;
use super::terms::{Arm, CombatResult, Land, Nation, Piece};
use super::{SPAIN, US};

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
}
