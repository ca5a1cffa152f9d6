//! §11.1 to §11.7: who may attack whom, and what artillery sees; §14.3, §19.3 and §20.2 forbid some attacks.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Grid, Hex, straightest_paths};
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Side, Subject, list};

use super::bars::{bar, resting};
use super::combat::{Fighter, total};
use super::data::Along;
use super::orders::AttackOrder;
use super::play::{Position, Trit};
use super::state::{Place, Truce};
use super::supply::Suppose;
use super::terms::{Arm, CombatResult, Land, Nation, Piece};
use super::{SPAIN, US};

/// Who is no artillery attacks only what he touches (§11.2e, §11.5b).
pub fn too_far(clause: &'static str, piece: Piece, target: Hex) -> Bar {
    bar(clause, format!("{piece} is not next to {target}"))
}

/// Artillery with nobody else next to its target; some of it may be (§11.4b, §11.7b).
pub fn unescorted(target: Hex, beside: bool) -> Bar {
    let clause = if beside { "11.7b" } else { "11.4b" };
    bar(clause, format!("artillery cannot attack {target} without a non-artillery unit next to it"))
}

/// That a piece has attacked, for what hangs on it.
pub fn attack_of(piece: Piece) -> Subject {
    Subject::of(format!("attack of {piece}"))
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

    /// Everything that speaks against an attack, apart from who makes it, as far as the viewer can tell.
    pub fn attack_bars(&self, side: Side, order: &AttackOrder, fought: &BTreeSet<Piece>) -> Vec<Bar> {
        let mut on: Vec<Subject> = order.attackers.iter().map(Subject::of).collect();
        on.push(Subject::of(order.target));
        resting(self.against(side, order, fought), &on)
    }

    fn against(&self, side: Side, order: &AttackOrder, fought: &BTreeSet<Piece>) -> Vec<Bar> {
        let target = order.target;
        let mut bars = Vec::new();
        let defenders = self.enemies_in(side, target);
        if order.attackers.is_empty() {
            bars.push(bar("11.1a", "nobody attacks").firm());
        }
        if defenders.is_empty() {
            bars.push(bar("11.2c", format!("no enemy unit is in {target}")));
            return bars;
        }
        if let Some(bar) = self.closed_bar(target).filter(|_| side == US) {
            bars.push(bar); // and whatever else is wrong comes from it
            return bars;
        }
        if self.game.options.defenders_once && defenders.iter().all(|piece| fought.contains(piece)) {
            bars.push(bar("11.2g", format!("every unit in {target} has fought this phase")));
        }
        if self.truce_shields(target) {
            bars.push(bar("19.3c", format!("a truce forbids combat into Santiago ({target})")));
        }
        if order.attackers.is_empty() {
            return bars;
        }
        if let Some(bar) = self.escort_bar(order) {
            bars.push(bar);
            bars.extend(self.astray(order));
        }
        if side == SPAIN {
            return bars;
        }
        let nations: BTreeSet<Nation> = order.attackers.iter().filter_map(|piece| self.nation(piece.unit())).collect();
        if nations.len() > 1 {
            bars.push(bar("14.1a", "Cuban units never take part in an attack with US units").firm());
        }
        if nations.contains(&Nation::Cuban) {
            bars.extend(self.cuban_target_bar(target).map(Bar::firm));
        }
        if nations.contains(&Nation::Us) {
            let advanced = self.advanced(order);
            if self.supply_maps(advanced).at(self, target) == Trit::No {
                bars.push(self.beyond_supply(target, advanced));
            }
            // Who cannot attack at all has been told so already.
            if bars.is_empty() {
                bars.extend(self.strength_bar(order));
            }
        }
        bars
    }

    /// §19.3c: no combat into this hex, nor out of it.
    pub fn truce_shields(&self, hex: Hex) -> bool {
        self.state.truce == Truce::Active && self.data().is_city(hex)
    }

    /// Works and places that Cuban units never attack (§14.3).
    fn cuban_target_bar(&self, target: Hex) -> Option<Bar> {
        let data = self.data();
        let ground = data.map.ground(target)?;
        if ground.fortress {
            Some(bar("14.3d", format!("Cuban units never attack the fortress {target}")))
        } else if data.is_city(target) {
            Some(bar("14.3a", format!("Cuban units never attack Santiago ({target})")))
        } else {
            ground.blockhouse.then(|| bar("14.3c", format!("Cuban units never attack the blockhouse in {target}")))
        }
    }

    /// What supply is judged by before an attack: the defenders gone, and a marker there if the order opens the beach
    /// (§12.10h, §6.6g).
    pub fn advanced(&self, order: &AttackOrder) -> Suppose {
        let opened = (order.open == Some(true) && self.may_open(order.target)).then_some(order.target);
        Suppose { vacated: Some(order.target), opened }
    }

    /// §12.10d.
    pub fn beyond_supply(&self, target: Hex, advanced: Suppose) -> Bar {
        let why = self.why_unsupplied(target, advanced);
        bar("12.10d", format!("a unit that advanced into {target} would be out of supply: {why}"))
            .about([Subject::of("supply")])
    }

    /// §12.9a, §12.9g: an attack that is sure to have no strength, since those who make it are out of supply.
    fn strength_bar(&self, order: &AttackOrder) -> Option<Bar> {
        let target = order.target;
        let mut fighters: Vec<Fighter> =
            order.attackers.iter().filter_map(|piece| self.us_fighter(piece.unit(), target)).collect();
        let escorted = |fighters: &[Fighter]| fighters.iter().any(|fighter| fighter.adjacent && fighter.is_line());
        // Only a few attacks could fail for it; the others need no look at supply.
        fighters.iter_mut().for_each(|fighter| fighter.out_of_supply = true);
        let firm = |fighters: &[Fighter]| {
            let able: Vec<Fighter> = fighters.iter().filter(|fighter| !fighter.is_silenced()).cloned().collect();
            (escorted(&able), total(&able, true) > 0)
        };
        if firm(&fighters) == (true, true) {
            return None;
        }
        let maps = self.supply_maps(Suppose::default());
        for fighter in &mut fighters {
            fighter.out_of_supply = maps.at(self, fighter.hex) == Trit::No;
        }
        let bar = match firm(&fighters) {
            (true, true) => return None,
            (false, _) => {
                bar("12.9a", format!("only guns that are out of supply would attack {target} from next to it"))
            }
            (true, false) => bar("12.9g", "out of supply the attackers have no strength"),
        };
        Some(bar.about([Subject::of("supply")]))
    }

    /// §11.4b, §11.7b: artillery needs a non-artillery unit that attacks from next to the target.
    fn escort_bar(&self, order: &AttackOrder) -> Option<Bar> {
        let next = |piece: &Piece| self.hex_of(*piece).is_some_and(|hex| self.data().adjacent(hex, order.target));
        let escort = |piece: &Piece| next(piece) && self.piece_arm(*piece).is_none_or(|arm| !arm.is_gun_or_balloon());
        if order.attackers.iter().any(escort) {
            return None;
        }
        Some(unescorted(order.target, order.attackers.iter().any(next)))
    }

    /// Attackers away from the target that nobody can read: unless they are artillery they may not attack at all (§11.2e).
    fn astray(&self, order: &AttackOrder) -> Vec<Bar> {
        let target = order.target;
        let next = |piece: &Piece| self.hex_of(*piece).is_some_and(|hex| self.data().adjacent(hex, target));
        let unread = order.attackers.iter().enumerate().filter(|(_, piece)| self.piece_arm(**piece).is_none());
        let away = unread.filter(|(_, piece)| !next(piece));
        let at = |count| DocPath::root().key("attackers").index(count);
        away.map(|(count, piece)| too_far("11.2e", *piece, target).at(at(count))).collect()
    }

    /// Why a listed attack does not come up (yet): a condition that is not met (§11.1c).
    pub fn waits(&self, side: Side, order: &AttackOrder, results: &BTreeMap<Hex, CombatResult>) -> Option<Bar> {
        if let Some(after) = &order.after
            && !results.get(&after.attack).is_some_and(|result| after.gave.contains(result))
        {
            let why = format!("the attack on {} did not come out as asked", after.attack);
            return Some(bar("11.1c", why).part("after"));
        }
        let hex = order.if_vacant?;
        let held = !self.enemies_in(side, hex).is_empty();
        held.then(|| bar("11.1c", format!("{hex} is not vacant")).part("if-vacant"))
    }

    /// Why a listed attack is not made at this point of the phase, as far as everybody can tell (§11.1c).
    pub fn idle(
        &self,
        side: Side,
        order: &AttackOrder,
        results: &BTreeMap<Hex, CombatResult>,
        fought: &BTreeSet<Piece>,
    ) -> Vec<Bar> {
        match self.waits(side, order, results) {
            Some(bar) => vec![bar],
            None => self.plan_attack(side, order, fought).err().unwrap_or_default(),
        }
    }

    /// Judges an attack as far as the viewer can tell: those who make it, or everything that bars it.
    pub fn plan_attack(
        &self,
        side: Side,
        order: &AttackOrder,
        fought: &BTreeSet<Piece>,
    ) -> Result<AttackOrder, Vec<Bar>> {
        let (able, barred) = self.able(side, order, fought);
        // Whoever is missing may be the reason.
        let ordered: Vec<Subject> = order.attackers.iter().map(Subject::of).collect();
        let mut bars = resting(self.attack_bars(side, &able, fought), &ordered);
        if !barred.is_empty() && (!order.go_on || able.attackers.is_empty()) {
            // What only follows from those who cannot come is not told again.
            bars.retain(|bar| !matches!(bar.clause.0, "11.1a" | "11.4b" | "11.7b" | "12.9a" | "12.9g"));
            // An attack that goes on without some fails only because all of them are missing.
            bars.extend(if order.go_on { resting(barred, &ordered) } else { barred });
        } else {
            bars.extend(barred.into_iter().filter(|bar| bar.firm));
        }
        for (list, part, clause) in [(&order.losses, "losses", "11.14h"), (&order.advance, "advance", "11.17g")] {
            for (count, piece) in list.iter().enumerate().filter(|(_, piece)| !order.attackers.contains(piece)) {
                let at = DocPath::root().key(part).index(count);
                bars.push(bar(clause, format!("{piece} does not take part in this attack")).at(at).firm());
            }
        }
        if bars.is_empty() { Ok(able) } else { Err(bars) }
    }

    /// An attack with those who can take part, and why the others cannot.
    pub fn able(&self, side: Side, order: &AttackOrder, fought: &BTreeSet<Piece>) -> (AttackOrder, Vec<Bar>) {
        let (mut able, mut barred) = (order.clone(), Vec::new());
        able.attackers.clear();
        for (count, piece) in order.attackers.iter().enumerate() {
            let at = DocPath::root().key("attackers").index(count);
            let bars = self.attacker_bars(side, *piece, order.target, fought);
            // Whether it can come or not.
            if order.attackers.iter().take(count).any(|other| other == piece) {
                barred.push(bar("11.2a", format!("{piece} stands twice among the attackers")).at(at).firm());
            } else if bars.is_empty() {
                able.attackers.push(*piece);
            } else {
                barred.extend(bars.into_iter().map(|bar| bar.at(at.clone())));
            }
        }
        (able, barred)
    }

    /// Every attack a side can make, each target with all who can take part in it, Americans and Cubans apart.
    pub fn attack_choices(&self, side: Side, fought: &BTreeSet<Piece>) -> Vec<AttackOrder> {
        self.targets(side).into_iter().flat_map(|target| self.attacks_on(side, target, fought)).collect()
    }

    /// The same for one target.
    pub fn attacks_on(&self, side: Side, target: Hex, fought: &BTreeSet<Piece>) -> Vec<AttackOrder> {
        let able = self.able_against(side, target, fought).into_iter();
        let (cubans, others): (Vec<Piece>, Vec<Piece>) =
            able.partition(|piece| self.piece_arm(*piece) == Some(Arm::Insurgent));
        let sorts = [others, cubans].into_iter().filter(|attackers| !attackers.is_empty());
        let orders = sorts.map(|attackers| AttackOrder::plain(target, attackers));
        orders.filter(|order| self.attack_bars(side, order, fought).is_empty()).collect()
    }

    /// Whoever can take part in an attack on a target.
    pub fn able_against(&self, side: Side, target: Hex, fought: &BTreeSet<Piece>) -> Vec<Piece> {
        let range = self.data().tables.limits.artillery_range;
        // One look at the distance leaves out most; the rest is judged.
        let near =
            |piece: &Piece| self.hex_of(*piece).is_some_and(|hex| self.data().grid().distance(hex, target) <= range);
        let able = |piece: &Piece| self.attacker_bars(side, *piece, target, fought).is_empty();
        self.pieces_of(side).into_iter().filter(near).filter(able).collect()
    }

    /// Everything that keeps one unit out of an attack, as far as the viewer can tell.
    pub fn attacker_bars(&self, side: Side, piece: Piece, target: Hex, fought: &BTreeSet<Piece>) -> Vec<Bar> {
        let data = self.data();
        let mut bars = Vec::new();
        let owner = if piece.token().is_some() { SPAIN } else { US };
        if owner != side {
            return vec![bar("1.1a", format!("{piece} is not yours")).firm()];
        }
        let Some(hex) = self.hex_of(piece) else {
            let at_sea = piece.token().is_none() && self.state.unit(piece.unit()).at == Place::OffMap;
            let why = match at_sea {
                true => format!("{piece} is still at sea and attacks only if it lands next to {target}"),
                false => format!("{piece} is not on the map"),
            };
            return vec![bar("11.1a", why).about([Subject::of(piece)])];
        };
        if fought.contains(&piece) {
            bars.push(bar("11.2a", format!("{piece} has fought this phase")).about([attack_of(piece)]));
        }
        // Those outside Santiago attack without those inside; combat into the city is barred as a whole.
        if self.truce_shields(hex) && !self.truce_shields(target) {
            bars.push(bar("19.3c", format!("{piece} is in {hex}, and a truce forbids combat out of Santiago")));
        }
        let arm = self.piece_arm(piece);
        if piece.token().is_none() && self.state.unit(piece.unit()).fever {
            bars.push(bar("13.2c", format!("{piece} is infected with fever")).firm());
        }
        if arm == Some(Arm::Balloon) {
            bars.push(bar("17.4c", "the balloon has no combat factor").firm());
            return bars;
        }
        if arm == Some(Arm::Gatling) && data.is_fortress(target) {
            bars.push(bar("20.2", format!("{piece} never attacks a fortress")));
        }
        if data.adjacent(hex, target) {
            if arm == Some(Arm::Insurgent) && data.between(hex, target).has(Along::Trench) {
                let why = format!("{piece} would attack across the trench between {hex} and {target}");
                bars.push(bar("14.3b", why));
            }
        } else {
            bars.extend(self.range_bars(piece, arm, hex, target));
        }
        bars.into_iter().map(|bar| bar.about([Subject::of(piece)])).collect()
    }

    /// Who attacks from afar: artillery, within its range and with a line of sight (§11.3). A counter nobody can read is
    /// barred for what it may be either way.
    fn range_bars(&self, piece: Piece, arm: Option<Arm>, hex: Hex, target: Hex) -> Vec<Bar> {
        let adrift = |clause| too_far(clause, piece, target);
        match arm {
            Some(Arm::Artillery) => self.fire_bar(piece, hex, target).into_iter().collect(),
            Some(Arm::Gatling) => vec![adrift("11.5b")],
            Some(_) => vec![adrift("11.2e")],
            None => self.fire_bar(piece, hex, target).map_or_else(Vec::new, |fire| vec![adrift("11.2e"), fire]),
        }
    }

    /// Why artillery cannot fire from one hex at another.
    fn fire_bar(&self, piece: Piece, hex: Hex, target: Hex) -> Option<Bar> {
        let data = self.data();
        let range = data.grid().distance(hex, target);
        if range > data.tables.limits.artillery_range {
            return Some(bar("11.3a", format!("{target} is {range} hexes from {piece} in {hex}")));
        }
        let hexes = self.sight(hex, target).err()?;
        let block = |hex: &Hex| match data.land(*hex) {
            land @ (Land::Jungle | Land::City) => format!("{hex} ({land})"),
            _ => format!("{hex} (slopes)"),
        };
        let blocks = list(hexes.iter().map(block));
        Some(bar("11.3j", format!("{piece} in {hex} cannot see {target}: {blocks} in the way")))
    }
}
