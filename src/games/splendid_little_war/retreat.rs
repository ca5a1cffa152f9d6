//! Retreats (§13.3): two hexes towards supply, one more where the hex is full, or the unit is lost.

use crate::board::{Grid, Hex};
use crate::engine::{Bar, Clause, Cloud, Ever, Question, Ruling, Say, Side, Subject};

use super::SPAIN;
use super::events::Event;
use super::leaders::wished;
use super::losses::frozen;
use super::orders::Companion;
use super::play::Play;
use super::policy::{LEADER_GOES, Policy, RETREAT, STAND_IN_FORT};
use super::position::{Crowd, Position, enemy};
use super::state::Place;
use super::terms::{Cause, Force, Piece, Terrain};

/// Somebody who has to get away.
pub struct Flight<'p> {
    /// The position.
    pub now: Position<'p>,
    /// Who.
    pub piece: Piece,
    /// From where.
    pub from: Hex,
    /// Hexes of the enemies that caused it.
    pub feared: Vec<Hex>,
    /// The zones of enemies in this hex do not bar the way (AMB-70).
    pub despite: Option<Hex>,
}

/// Whether friends are in the way where a retreat ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// The last hex has room (§13.3c).
    WithRoom,
    /// Room or none.
    Anywhere,
}

impl Flight<'_> {
    /// The friendly sources of supply a retreat may be towards (§13.3a, §5.2n); who is in the city already goes to another
    /// hex of it outside enemy zones, if there is one (AMB-36).
    fn sources(&self) -> Vec<Hex> {
        let (now, data) = (&self.now, self.now.data());
        let Some(unit) = now.unit(self.piece) else { return Vec::new() };
        if data.city.contains(&self.from) && unit.side() == SPAIN {
            let us = enemy(SPAIN);
            let free = |hex: &&Hex| **hex != self.from && now.stack(**hex, us).is_empty() && !now.in_zone_of(**hex, us);
            return data.city.iter().filter(free).copied().collect();
        }
        let open = now.sources(&now.crowd(), unit.force);
        let printed = || if unit.side() == SPAIN { data.city.iter().copied().collect() } else { vec![data.us_source] };
        if open.is_empty() { printed() } else { open }
    }

    /// Why a hex may not be entered (§13.3b). Leaders without a unit, and the Base, bar no combat unit (§12.0h).
    fn may_enter(&self, hex: Hex, last: bool) -> bool {
        let (now, data) = (&self.now, self.now.data());
        let Some(unit) = now.unit(self.piece) else { return false };
        let (side, foe) = (unit.side(), enemy(unit.side()));
        let friends = now.pieces_in(hex).any(|piece| piece != self.piece && now.side(piece) == Some(side));
        let zone = now.on_map(foe).any(|(piece, at)| {
            let spared = self.despite == Some(at) && !last;
            data.distance(at, hex) == 1 && !spared && now.exerts_zone(piece)
        });
        let held = if unit.is_combat() { now.held_by(hex, foe) } else { !now.stack(hex, foe).is_empty() };
        data.is_land(hex) && !held && (!zone || friends) && !now.mixed(hex, &[self.piece])
    }

    /// Paths of so many hexes, each step as near to supply as leads on (AMB-36): who cannot go nearer keeps his distance, and
    /// who cannot do that goes anywhere but nearer to those he fears.
    fn ways(&self, hexes: u32, end: End) -> Vec<Vec<Hex>> {
        let sources = self.sources();
        let data = self.now.data();
        let far = |hex: Hex| sources.iter().map(|source| data.distance(hex, *source)).min().unwrap_or(0);
        let crowd = self.now.crowd();
        // §15.6m, AMB-34: Cubans keep away from US units if they have another hex at all.
        let apart = |hex: Hex| self.now.may_stand_beside_us(&crowd, hex);
        let cuban = self.now.unit(self.piece).is_some_and(|unit| unit.force == Force::Cuban);
        let shy = if cuban { self.onward(self.from, 1, hexes, end, &far, &apart) } else { Vec::new() };
        if shy.is_empty() { self.onward(self.from, 1, hexes, end, &far, &|_| true) } else { shy }
    }

    fn onward(
        &self,
        here: Hex,
        step: u32,
        hexes: u32,
        end: End,
        far: &dyn Fn(Hex) -> u32,
        welcome: &dyn Fn(Hex) -> bool,
    ) -> Vec<Vec<Hex>> {
        if step > hexes {
            return vec![Vec::new()];
        }
        let data = self.now.data();
        let (last, now) = (step == hexes, far(here));
        let fear = |hex: Hex| self.feared.iter().map(|feared| data.distance(*feared, hex)).min().unwrap_or(u32::MAX);
        let open = |hex: &Hex| {
            data.distance(self.from, *hex) == step
                && welcome(*hex)
                && self.may_enter(*hex, last)
                && !(last && end == End::WithRoom && self.full(*hex))
        };
        let next: Vec<Hex> = data.neighbours(here).filter(open).collect();
        let tiers: [&dyn Fn(Hex) -> bool; 3] =
            [&|hex| far(hex) < now, &|hex| far(hex) == now, &|hex| fear(hex) >= fear(self.from)];
        for tier in tiers {
            let mut found = Vec::new();
            for hex in next.iter().copied().filter(|hex| tier(*hex)) {
                for mut rest in self.onward(hex, step + 1, hexes, end, far, welcome) {
                    rest.insert(0, hex);
                    found.push(rest);
                }
            }
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    fn full(&self, hex: Hex) -> bool {
        let now = &self.now;
        now.is_combat(self.piece) && now.side(self.piece).is_some_and(|side| now.too_full(hex, side, &[self.piece]))
    }

    /// Could the retreat go so far if it did not matter who stands where it ends (§13.3c)?
    pub fn is_open(&self, hexes: u32) -> bool {
        !self.ways(hexes, End::Anywhere).is_empty()
    }

    /// Legal paths of so many hexes, the best first (D4): few enemies beside the last hex, near supply, low numbers.
    pub fn paths(&self, hexes: u32) -> Vec<Vec<Hex>> {
        let (now, data) = (&self.now, self.now.data());
        let Some(side) = now.side(self.piece) else { return Vec::new() };
        let sources = self.sources();
        let far = |hex: Hex| sources.iter().map(|source| data.distance(hex, *source)).min().unwrap_or(0);
        let mut paths = self.ways(hexes, End::WithRoom);
        let key = |path: &Vec<Hex>| {
            let last = path.last().copied().unwrap_or(self.from);
            let foes = data.neighbours(last).map(|hex| now.fighters(hex, enemy(side)).len()).sum::<usize>();
            (foes, far(last), last, path.clone())
        };
        paths.sort_by_cached_key(key);
        paths
    }
}

impl Position<'_> {
    /// The hexes beside this one in which US units stand.
    pub fn us_beside(&self, crowd: &Crowd, hex: Hex) -> Vec<Hex> {
        let data = self.data();
        data.neighbours(hex).filter(|next| crowd.has(data, *next, Crowd::US_ARMY)).collect()
    }

    /// §15.6m: may Cubans stand in a hex as far as US units beside it go? Everybody concerned stands in the clear.
    pub fn may_stand_beside_us(&self, crowd: &Crowd, hex: Hex) -> bool {
        let clear = |hex: Hex| self.data().is(hex, Terrain::Clear);
        let beside = self.us_beside(crowd, hex);
        beside.is_empty() || clear(hex) && beside.into_iter().all(clear)
    }
}

impl Play<'_, '_> {
    /// Units that broke retreat from their hexes (§13.3a), and leaders may follow (AMB-61).
    pub fn retreat(&mut self, units: &[(Piece, Hex)], feared: &[Hex]) -> Ruling<()> {
        let mut hexes: Vec<Hex> = units.iter().map(|(_, hex)| *hex).collect();
        hexes.sort_unstable();
        hexes.dedup();
        for from in hexes {
            let mut here: Vec<Piece> = units.iter().filter(|(_, hex)| *hex == from).map(|(piece, _)| *piece).collect();
            here.retain(|piece| self.state.hex_of(*piece) == Some(from));
            here.sort_unstable();
            here.dedup();
            self.retreat_from(from, &here, feared)?;
        }
        Ok(())
    }

    fn retreat_from(&mut self, from: Hex, units: &[Piece], feared: &[Hex]) -> Ruling<()> {
        let Some(side) = units.first().and_then(|piece| self.now().side(*piece)) else { return Ok(()) };
        let mut gone: Vec<(Piece, Vec<Hex>)> = Vec::new();
        let mut lost = false;
        for unit in units {
            if self.data().is_fort(from) && self.stands_in_fort(*unit, from, side)? {
                self.umpire.note(Event::StoodInFort { unit: *unit, at: from });
                continue;
            }
            match self.retreat_path(*unit, from, side, feared)? {
                Some(path) => {
                    self.umpire.note(Event::Retreated { unit: *unit, from, path: path.clone() });
                    for to in &path {
                        self.leave(*unit, *to);
                        self.arrived(side, &[*unit], *to)?;
                    }
                    gone.push((*unit, path));
                }
                None => {
                    // §13.3d, §13.3e
                    self.hit_all(*unit, Cause::NoRetreat);
                    lost = true;
                }
            }
        }
        self.leaders_follow(from, side, &gone)?;
        if lost && gone.is_empty() {
            self.leader_loss(from, side)?;
        } else if lost {
            self.leaders_tested(from, side)?;
        }
        Ok(())
    }

    /// Every step of a counter is lost.
    fn hit_all(&mut self, unit: Piece, cause: Cause) {
        let at = self.state.hex_of(unit);
        let Some(force) = self.data().unit(unit).map(|unit| unit.force) else { return };
        self.bury(unit, cause);
        self.umpire.note(Event::Lost { force, at, cause, units: vec![unit] });
    }

    /// A unit leaves its hex in combat: a bridge it was building is given up (§15.4d).
    pub fn leave(&mut self, unit: Piece, to: Hex) {
        if let Some(at) = self.state.unit(unit).bridging {
            self.umpire.note(Event::PontoonDone { unit, at, built: false });
        }
        let entered = self.state.unit(unit).at == Place::Edge;
        self.change(unit, |unit| {
            unit.bridging = None;
            unit.assaults = None;
            unit.engages = false;
            unit.entered |= entered;
        });
        self.put(unit, to);
        // Dice have sent it there: it is in the way of a line of sight now, or beside a target.
        self.umpire.cloud([Subject::of(unit), Subject::of(to)], &Cloud::Die("combat".to_owned()));
    }

    /// §13.3f: units in a fort need not retreat.
    fn stands_in_fort(&mut self, unit: Piece, at: Hex, side: Side) -> Ruling<bool> {
        let question = Question {
            who: side,
            kind: STAND_IN_FORT,
            about: Subject::of(unit),
            clause: Clause("13.3f"),
            text: format!("{unit} is Broken in the fort in {at}: does it stay?"),
            options: vec![Ever::Always, Ever::Never],
            default: Ever::Always,
            also: None,
        };
        let said = self.umpire.ask(question, None, |policy| match policy {
            Policy::Ever(ever) => Say::Choose(*ever),
            _ => Say::Default,
        })?;
        Ok(said == Ever::Always)
    }

    /// The path of a retreat; none if there is no way (§13.3c, §13.3d).
    fn retreat_path(&mut self, unit: Piece, from: Hex, side: Side, feared: &[Hex]) -> Ruling<Option<Vec<Hex>>> {
        let state = self.state.clone();
        let now = frozen(self.game, &state);
        let limits = self.data().tables.retreat;
        let flight = Flight { now, piece: unit, from, feared: feared.to_vec(), despite: None };
        let mut paths = flight.paths(limits.hexes);
        if paths.is_empty() && flight.is_open(limits.hexes) {
            paths = flight.paths(limits.hexes + limits.more);
        }
        let Some(default) = paths.first().cloned() else { return Ok(None) };
        if paths.len() < 2 {
            return Ok(Some(default));
        }
        let question = Question {
            who: side,
            kind: RETREAT,
            about: Subject::of(unit),
            clause: Clause("13.3a"),
            text: format!("{unit} retreats from {from}: which way?"),
            options: paths.clone(),
            default,
            also: None,
        };
        self.umpire.ask(question, None, |policy| wished(policy, &paths)).map(Some)
    }

    /// D27: a leader in a hex whose units retreat goes with one of them, or stays.
    fn leaders_follow(&mut self, from: Hex, side: Side, gone: &[(Piece, Vec<Hex>)]) -> Ruling<()> {
        if gone.is_empty() {
            return Ok(());
        }
        for leader in self.now().leaders(from, side) {
            let sound = self.now().fighters(from, side).iter().any(|piece| !self.state.unit(*piece).broken);
            let first = gone.first().map(|(piece, _)| *piece);
            let default = Companion(if sound { None } else { first });
            let with = self.leader_goes(leader, from, side, gone.iter().map(|(piece, _)| *piece), default, None)?;
            let path = gone.iter().find(|(piece, _)| Some(*piece) == with.0).map(|(_, path)| path.clone());
            if let Some((path, to)) = path.and_then(|path| Some((path.clone(), path.last().copied()?))) {
                if self.now().mixed(to, &[leader]) {
                    continue;
                }
                self.lead_away(leader, from, path, LEADER_GOES);
            }
        }
        Ok(())
    }

    /// With whom a leader goes (§13.2v, AMB-61).
    pub fn leader_goes(
        &mut self,
        leader: Piece,
        from: Hex,
        side: Side,
        with: impl Iterator<Item = Piece>,
        default: Companion,
        ordered: Option<Companion>,
    ) -> Ruling<Companion> {
        let with: Vec<Piece> = with.collect();
        let options: Vec<Companion> =
            [Companion(None)].into_iter().chain(with.iter().map(|piece| Companion(Some(*piece)))).collect();
        let question = Question {
            who: side,
            kind: LEADER_GOES,
            about: Subject::of(leader),
            clause: Clause("13.2v"),
            text: format!("units leave {from}: does {leader} go with one of them?"),
            options,
            default,
            also: None,
        };
        self.umpire.ask(question, ordered, |policy| match policy {
            Policy::Ever(Ever::Always) => Say::Choose(Companion(with.first().copied())),
            Policy::Ever(Ever::Never) => Say::Choose(Companion(None)),
            Policy::Pieces(named) => match named.iter().find(|piece| with.contains(piece)) {
                Some(piece) => Say::Choose(Companion(Some(*piece))),
                None if named.contains(&leader) => Say::Choose(Companion(with.first().copied())),
                None => Say::Choose(Companion(None)),
            },
            _ => Say::Default,
        })
    }
}

/// A hex on the map's grid, for bars about hexes that are none.
pub fn on_land(now: &Position<'_>, hex: Hex, clause: &'static str) -> Option<Bar> {
    let data = now.data();
    (!data.grid.contains(hex) || !data.is_land(hex))
        .then(|| Bar::new(clause, format!("{hex} is no land hex"), "name a land hex").firm())
}
