//! §9.3 and §9.4: retreat and advance after combat, and where leaders go (A15a).

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::{Clause, Ever, Question, Ruling, Say, Side, Subject};

use super::events::{Cause, Event};
use super::losses::by_shock;
use super::orders::{Advance, CombatOrder, Going};
use super::play::{Fate, Play, meant};
use super::policy::{ADVANCE, LEADER_GOES, Policy, RETREAT};
use super::position::{Crowd, Position};
use super::terms::{Force, Piece, UnitKind};
use super::{SPAIN, US};

impl Position<'_> {
    /// The hexes a beaten stack may go to: the best class there is (A30a to A30e); none if it is lost.
    pub fn retreat_hexes(&self, force: Force, from: Hex, attackers: &[Hex]) -> Vec<Hex> {
        let data = self.data();
        let crowd = self.crowd(force);
        // A30a: free of the enemy and of the other force, and open to them (§11.1b).
        let closed = Crowd::ENEMY | Crowd::BYSTANDER | Crowd::ALLY | Crowd::GUERRILLA;
        let legal = |hex: &Hex| !crowd.has(data, *hex, closed);
        let mut hexes: Vec<Hex> = data.land_around(from).filter(legal).collect();
        hexes.sort_unstable();
        if force == Force::Cuban {
            // A30b: away from the attackers if possible.
            let away: Vec<Hex> =
                hexes.iter().copied().filter(|hex| !attackers.iter().any(|enemy| data.touch(*hex, *enemy))).collect();
            return if away.is_empty() { hexes } else { away };
        }
        let sources: Vec<Hex> = match force {
            Force::Spanish if self.held_by(data.santiago, US) => Vec::new(), // A30d
            Force::Spanish => vec![data.santiago],
            _ => self.state.base.map_or_else(|| data.beaches.clone(), |base| vec![base]), // A30c
        };
        let far = |hex: Hex| sources.iter().map(|source| data.distance(hex, *source)).min();
        let Some(now) = far(from).filter(|far| *far > 0) else { return hexes }; // A30d, A30e
        let nearer: Vec<Hex> = hexes.iter().copied().filter(|hex| far(*hex).is_some_and(|far| far < now)).collect();
        if !nearer.is_empty() {
            return nearer;
        }
        hexes.into_iter().filter(|hex| far(*hex) == Some(now)).collect()
    }

    /// Every hex it may go to, whoever of the attackers is left to drive it out; those they fall in apart.
    pub fn retreat_reach(&self, force: Force, from: Hex, attackers: &[Hex]) -> BTreeSet<Hex> {
        let left = attackers.iter().map(std::slice::from_ref).chain([attackers]);
        left.flat_map(|left| self.retreat_hexes(force, from, left)).collect()
    }
}

impl Play<'_, '_> {
    /// §9.3a: survivors of the defence leave the hex.
    pub fn retreat(&mut self, force: Force, units: &[Piece], from: Hex, attackers: &[Hex]) -> Ruling<()> {
        let side = force.side();
        let options = self.now().retreat_hexes(force, from, attackers);
        let hangers: Vec<Piece> =
            self.now().stack(from, force).into_iter().filter(|piece| !units.contains(piece)).collect();
        if options.is_empty() {
            self.eliminate(units, from, Cause::NoRetreat)?;
            self.abandon(from, force, Fate::Beaten);
            return Ok(());
        }
        let now = self.now();
        let enemy = Play::enemy(side);
        let key = |hex: &Hex| {
            let enemies = now.data().land_around(*hex).filter(|next| now.held_by(*next, enemy)).count();
            let mut stack = now.stack(*hex, force);
            stack.extend(units.iter().copied());
            (enemies, now.overstacked(*hex, force, &stack), *hex)
        };
        let Some(best) = options.iter().copied().min_by_key(key) else { return Ok(()) };
        let going = if options.len() < 2 {
            Going::All(best)
        } else {
            let split = |going: &Going| match going {
                Going::All(hex) => options.contains(hex),
                Going::Split(each) => {
                    let named: BTreeSet<Piece> = each.keys().copied().collect();
                    units.iter().all(|unit| named.contains(unit)) && each.values().all(|hex| options.contains(hex))
                }
            };
            let question = Question {
                who: side,
                kind: RETREAT,
                about: Subject::of(from),
                clause: Clause("9.3a"),
                text: format!("the defenders of {from} retreat: where to?"),
                options: options.iter().map(|hex| Going::All(*hex)).collect(),
                default: Going::All(best),
                also: Some(Box::new(split)),
            };
            let opened = self.opened.clone();
            self.umpire.ask(question, None, |policy| match policy {
                Policy::Hexes(wished) => Say::first_of(wished, &options).map(Going::All),
                Policy::Split(each) => {
                    // Who lay under a counter may be named by it.
                    let wish = |unit: &Piece| {
                        let of = |(name, hex): (&Piece, &Hex)| opened.get(name)?.contains(unit).then_some(*hex);
                        each.get(unit).copied().or_else(|| each.iter().find_map(of))
                    };
                    let legal = |unit: &Piece| wish(unit).filter(|hex| options.contains(hex));
                    let named = units.iter().map(|unit| (*unit, legal(unit).unwrap_or(best)));
                    // A30g: who follows them may be named too, and otherwise goes as if nothing had been said.
                    let followers = hangers.iter().filter_map(|piece| Some((*piece, legal(piece)?)));
                    Say::Choose(Going::Split(named.chain(followers).collect()))
                }
                _ => Say::Default,
            })?
        };
        let place = |unit: Piece| match &going {
            Going::All(hex) => *hex,
            Going::Split(each) => each.get(&unit).copied().unwrap_or(best),
        };
        let mut groups: BTreeMap<Hex, Vec<Piece>> = BTreeMap::new();
        for unit in units {
            groups.entry(place(*unit)).or_default().push(*unit);
        }
        // A30g: they go with the units, where the owner says so with those he names (A30f).
        let parted = groups.clone();
        for piece in hangers {
            let told = match &going {
                Going::Split(each) => each.get(&piece).copied(),
                Going::All(_) => None,
            };
            let hex = match self.now().kind(piece) {
                Some(UnitKind::Leader) => self.leader_goes(piece, from, &parted, told)?,
                kind => {
                    let data = self.data();
                    // §14.5.1e: a train does not follow over a river without ford or bridge.
                    let dry = |to: &Hex| !data.river_between(from, *to) || data.ford_between(from, *to);
                    let open = parted.iter().filter(|(to, _)| kind != Some(UnitKind::LogisticColumn) || dry(to));
                    let wished = open.clone().map(|(to, _)| *to).find(|to| told == Some(*to));
                    let largest = open.max_by_key(|(to, group)| (group.len(), std::cmp::Reverse(**to)));
                    wished.or(largest.map(|(to, _)| *to))
                }
            };
            let Some(hex) = hex else {
                // Nobody is left with it.
                self.bury(piece);
                self.umpire.note(Event::Eliminated {
                    units: vec![piece],
                    steps: vec![0],
                    at: from,
                    cause: Cause::Companions,
                });
                continue;
            };
            groups.entry(hex).or_default().push(piece);
        }
        for (to, units) in groups {
            units.iter().for_each(|unit| self.put(*unit, to));
            self.umpire.note(Event::Retreated { units: units.clone(), from, to });
            self.stood.entry(side).or_default().insert(to);
            self.occupy(&units, to, false)?;
        }
        Ok(())
    }

    /// A15a: a leader whose companions part; `told` is where an order sends him.
    fn leader_goes(
        &mut self,
        leader: Piece,
        from: Hex,
        groups: &BTreeMap<Hex, Vec<Piece>>,
        told: Option<Hex>,
    ) -> Ruling<Option<Hex>> {
        let now = self.now();
        let steps = |group: &[Piece]| group.iter().map(|unit| u32::from(now.state.unit(*unit).steps)).sum::<u32>();
        let default =
            groups.iter().min_by_key(|(hex, group)| (std::cmp::Reverse(steps(group)), **hex)).map(|(hex, _)| *hex);
        let (Some(default), true) = (default, groups.len() > 1) else { return Ok(default) };
        let options: Vec<Hex> = groups.keys().copied().collect();
        let who = now.force(leader).map_or(SPAIN, Force::side);
        let question = Question {
            who,
            kind: LEADER_GOES,
            about: Subject::of(leader),
            clause: Clause("A15a"),
            text: format!("the companions of {leader} in {from} part: with which group does he go?"),
            options: options.clone(),
            default,
            also: None,
        };
        let told = told.filter(|hex| options.contains(hex));
        let chosen = self.umpire.ask(question, told, |policy| match policy {
            Policy::Hexes(wished) => Say::first_of(wished, &options),
            _ => Say::Default,
        })?;
        Ok(Some(chosen))
    }

    /// §9.4: attackers that are not disorganized may enter the vacated hex.
    pub fn advance(
        &mut self,
        side: Side,
        force: Force,
        attackers: &[Piece],
        target: Hex,
        order: &CombatOrder,
    ) -> Ruling<()> {
        let mut standing = self.standing(attackers);
        // §14.5.1e: a train under a counter that has stayed closed does not cross a river, and the counter goes as one (A88).
        let data = self.data();
        let wet = |from: Hex| data.river_between(from, target) && !data.ford_between(from, target);
        let crossing = |name: &Piece| order.advance != Some(Advance::None) && self.state.hex_of(*name).is_some_and(wet);
        for name in self.closed(&standing).into_iter().filter(crossing).collect::<Vec<_>>() {
            if self.train_under(&[name], target)? {
                standing.retain(|piece| *piece != name);
            }
        }
        let now = self.now();
        let crowd = now.crowd(force);
        let closed = self.data().terrain(target).bars_guerrillas();
        let may = |piece: &Piece| {
            let ds = self.state.counters.get(piece).map_or(self.state.unit(*piece).ds, |counter| counter.ds > 0);
            let hiding = now.in_guerrilla(*piece) && (closed || crowd.has(now.data(), target, Crowd::REGULAR));
            !ds && !hiding // §9.4b, A91
        };
        let mut able: Vec<Piece> = standing.into_iter().filter(may).collect();
        let blocked = crowd.has(now.data(), target, Crowd::ALLY) || now.held_by(target, Play::enemy(side));
        if able.is_empty() || blocked {
            return Ok(());
        }
        by_shock(&now, &mut able);
        // As long as the stacking limit allows; units in guerrilla stay.
        let mut going: Vec<Piece> = Vec::new();
        for piece in able.iter().filter(|piece| !now.in_guerrilla(**piece)) {
            let mut stack = now.stack(target, force);
            stack.extend(going.iter().copied().chain([*piece]));
            if !now.overstacked(target, force, &stack) {
                going.push(*piece);
            }
        }
        let opened = self.opened.clone();
        let hiders: BTreeSet<Piece> = able.iter().copied().filter(|piece| now.in_guerrilla(*piece)).collect();
        // §11.1b: units in guerrilla and others do not come to share the hex.
        let agree = |mut pieces: Vec<Piece>| -> Vec<Piece> {
            if pieces.iter().any(|piece| !hiders.contains(piece)) {
                pieces.retain(|piece| !hiders.contains(piece));
            }
            pieces
        };
        let pick = |wished: &[Piece]| -> Vec<Piece> {
            let wished = meant(&opened, wished);
            agree(able.iter().copied().filter(|piece| wished.contains(piece)).collect())
        };
        let ordered = order.advance.as_ref().map(|advance| match advance {
            Advance::All => agree(able.clone()),
            Advance::None => Vec::new(),
            Advance::Units(units) => pick(units),
        });
        let mut options = vec![going.clone(), Vec::new()];
        options.extend(able.iter().map(|piece| vec![*piece]));
        options.dedup();
        let legal =
            |chosen: &Vec<Piece>| chosen.iter().all(|piece| able.contains(piece)) && pick(chosen).len() == chosen.len();
        let question = Question {
            who: side,
            kind: ADVANCE,
            about: Subject::of(target),
            clause: Clause("9.4a"),
            text: format!("{target} is vacated: who advances?"),
            options,
            default: going.clone(),
            also: Some(Box::new(legal)),
        };
        let ordered = ordered.or_else(|| able.is_empty().then(Vec::new));
        let chosen = self.umpire.ask(question, ordered, |policy| match policy {
            Policy::Ever(Ever::Always) => Say::Choose(going.clone()),
            Policy::Ever(Ever::Never) => Say::Choose(Vec::new()),
            Policy::Pieces(units) => Say::Choose(pick(units)),
            _ => Say::Default,
        })?;
        if chosen.is_empty() {
            return Ok(());
        }
        let origins = self.hexes_of(&chosen);
        let origin_of: BTreeMap<Piece, Hex> =
            chosen.iter().filter_map(|piece| Some((*piece, self.state.hex_of(*piece)?))).collect();
        for piece in &chosen {
            self.put(*piece, target);
        }
        let mut units = chosen.clone();
        for origin in origins {
            let now = self.now();
            let stack = now.stack(origin, force);
            let staying: Vec<Piece> = stack.iter().copied().filter(|piece| now.fights(*piece)).collect();
            let went: Vec<Piece> =
                chosen.iter().copied().filter(|piece| origin_of.get(piece) == Some(&origin)).collect();
            // §8.2d: who landed this turn goes no further.
            let leads = |piece: &Piece| now.kind(*piece) == Some(UnitKind::Leader) && !now.landed(*piece);
            let leaders: Vec<Piece> = stack.into_iter().filter(leads).collect();
            for leader in leaders {
                let mut groups = BTreeMap::from([(target, went.clone())]);
                if !staying.is_empty() {
                    groups.insert(origin, staying.clone());
                }
                if self.leader_goes(leader, origin, &groups, None)? == Some(target) {
                    self.put(leader, target);
                    units.push(leader);
                }
            }
        }
        self.umpire.note(Event::Advanced { units: units.clone(), into: target });
        let real = !self.closed(&units).is_empty();
        self.occupy(&units, target, real)
    }
}
