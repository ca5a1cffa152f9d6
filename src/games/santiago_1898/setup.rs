//! Chapter 3 and the historical set-up: who starts where.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Grid, Hex};
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Ruling, count_of};

use super::US;
use super::data::Whence;
use super::events::{Event, PhaseName};
use super::orders::SetupOrders;
use super::play::{Judged, Play, Position};
use super::state::Place;
use super::terms::{Force, Terrain, UnitId};

impl Position<'_> {
    /// The units that set up, with the rule for each.
    pub fn deploys(&self, force: Force) -> Vec<UnitId> {
        let on_map = |rule: &Whence| matches!(rule, Whence::Anywhere | Whence::Hexes(_) | Whence::Cuban(_));
        let own = |id: &UnitId| self.force(*id) == Some(force);
        let scenario = self.game.scenario();
        let units = scenario.deploy.iter().filter(|d| on_map(&d.rule)).flat_map(|d| d.counters.iter().copied());
        let units: BTreeSet<UnitId> = units.filter(own).collect();
        units.into_iter().collect()
    }

    /// Why a Spanish unit may not be placed there, if so (§3.2, §HSS).
    pub fn spanish_place_barred(&self, id: UnitId, hex: Hex) -> Option<Bar> {
        let bar = |clause, why: String, remedy: &str| Some(Bar::new(clause, why, remedy).part(id.as_str()));
        if !self.data().is_land(hex) {
            return bar("3.2a", format!("{hex} cannot be entered"), "choose a land hex");
        }
        let deployment = self.game.scenario().deployment(id)?;
        match &deployment.rule {
            Whence::Anywhere => None,
            Whence::Hexes(hexes) if hexes.contains(&hex) => None,
            Whence::Hexes(hexes) => {
                let listed: Vec<String> = hexes.iter().map(Hex::to_string).collect();
                let remedy = format!("place it in {}", listed.join(", "));
                bar(deployment.clause.0, format!("{id} may not start in {hex}"), &remedy)
            }
            Whence::Entry(_) => bar("3.2b", format!("{id} arrives with Escario"), "leave it out"),
            Whence::Event(_) => bar("3.2c", format!("{id} arrives only by event 6"), "leave it out"),
            Whence::Cuban(_) | Whence::Landing(_) => bar("3.1a", format!("{id} is not Spanish"), "leave it out"),
        }
    }

    /// Everything wrong with a whole Spanish set-up.
    fn spanish_setup_bars(&self, places: &BTreeMap<UnitId, Hex>) -> Vec<Bar> {
        let mut bars: Vec<Bar> = places.iter().filter_map(|(id, hex)| self.spanish_place_barred(*id, *hex)).collect();
        let in_hex = |hex: Hex| places.iter().filter(|(id, at)| **at == hex && self.is_combat(**id)).count();
        if self.game.scenario().ring {
            let santiago = self.data().santiago;
            if in_hex(santiago) == 0 {
                let why = format!("no combat unit is in Santiago, {santiago}");
                bars.push(Bar::new("3.2d", why, format!("place one in {santiago}")));
            }
            let mut ring: Vec<Hex> = self.data().neighbours(santiago).filter(|hex| self.data().is_land(*hex)).collect();
            ring.sort();
            for hex in ring.into_iter().filter(|hex| in_hex(*hex) == 0) {
                let why = format!("no combat unit is in {hex}, next to Santiago");
                bars.push(Bar::new("3.2e", why, format!("place one in {hex}")));
            }
        }
        bars.extend(self.setup_overstacked(places, "3.2j"));
        bars
    }

    fn setup_overstacked(&self, places: &BTreeMap<UnitId, Hex>, clause: &'static str) -> Vec<Bar> {
        let mut counts: BTreeMap<Hex, u32> = BTreeMap::new();
        for (_, hex) in places.iter().filter(|(id, _)| self.is_combat(**id)) {
            *counts.entry(*hex).or_insert(0) += 1;
        }
        let limit = self.data().tables.limits.stacking;
        let over = counts.into_iter().filter(|(_, count)| *count > limit);
        let remedy = format!("at most {limit} units may share a hex");
        over.map(|(hex, count)| Bar::new(clause, format!("{count} units in {hex}"), &remedy)).collect()
    }

    /// A Spanish set-up completed with defaults for units left out (§3.2).
    pub fn complete_spanish(&self, filed: &BTreeMap<UnitId, Hex>) -> BTreeMap<UnitId, Hex> {
        let mut places = filed.clone();
        for id in self.deploys(Force::Spanish) {
            if places.contains_key(&id) {
                continue;
            }
            let count = |hex: Hex| places.iter().filter(|(other, at)| **at == hex && self.is_combat(**other)).count();
            let limit = self.data().tables.limits.stacking as usize;
            let room = |hex: &Hex| !self.is_combat(id) || count(*hex) < limit;
            let santiago = self.data().santiago;
            let mut ring: Vec<Hex> = self.data().neighbours(santiago).collect();
            ring.sort();
            let everywhere = self.data().grid.cells();
            let choices = self.game.default_hex(id).into_iter().chain([santiago]).chain(ring).chain(everywhere);
            let legal = |hex: &Hex| self.spanish_place_barred(id, *hex).is_none() && room(hex);
            let place = choices.into_iter().find(legal);
            if let Some(hex) = place {
                places.insert(id, hex);
            }
        }
        places
    }

    /// Is the hex fit for Cubans apart from its distance, or by which clause is it not? (§3.3a, §3.3b, §3.3d)
    fn cuban_ground(&self, hex: Hex, spanish: &BTreeSet<Hex>) -> Result<(), &'static str> {
        let data = self.data();
        if !matches!(data.terrain(hex), Terrain::Clear | Terrain::Hill) {
            return Err("3.3a");
        }
        if data.has_road(hex) {
            return Err("3.3b");
        }
        match spanish.contains(&hex) || data.neighbours(hex).any(|next| spanish.contains(&next)) {
            true => Err("3.3d"),
            false => Ok(()),
        }
    }

    /// Why a hex will not do for Cubans.
    fn no_cuban_ground(&self, hex: Hex) -> (&'static str, String) {
        let (data, clause) =
            (self.data(), self.cuban_ground(hex, &self.enemy_hexes(US).collect()).err().unwrap_or("3.3c"));
        let why = match clause {
            "3.3a" => format!("{hex} is {}; Cubans start in clear or hill hexes", data.terrain(hex)),
            "3.3b" => format!("a road or railroad runs through {hex}"),
            "3.3d" => format!("Spanish units are in or next to {hex}"),
            _ => format!("{hex} is {} from Santiago", count_of(data.grid.distance(data.santiago, hex), "hex")),
        };
        (clause, why)
    }

    /// Hexes where Cubans may start, in zones: those within four of Santiago (§3.3c), then, as long as the zones have no
    /// room for every Cuban unit, the nearest farther out (§IMP.19).
    fn cuban_zones(&self) -> Vec<Vec<Hex>> {
        let within = self.game.cuban_distance();
        let mut zones: BTreeMap<u32, Vec<Hex>> = BTreeMap::new();
        let spanish = self.enemy_hexes(US).collect();
        for hex in self.data().grid.cells().filter(|hex| self.cuban_ground(*hex, &spanish).is_ok()) {
            let distance = self.data().grid.distance(self.data().santiago, hex);
            zones.entry(distance.max(within)).or_default().push(hex);
        }
        let limit = self.data().tables.limits.stacking as usize;
        let mut homeless = self.deploys(Force::Cuban).len();
        let mut needed = Vec::new();
        for zone in zones.into_values() {
            if homeless == 0 {
                break;
            }
            homeless = homeless.saturating_sub(zone.len() * limit);
            needed.push(zone);
        }
        needed
    }

    /// Hexes where Cubans may start (§3.3, §IMP.19).
    pub fn cuban_hexes(&self) -> Vec<Hex> {
        let mut hexes = self.cuban_zones().concat();
        hexes.sort();
        hexes
    }

    /// Everything wrong with a Cuban set-up.
    fn cuban_setup_bars(&self, places: &BTreeMap<UnitId, Hex>) -> Vec<Bar> {
        let legal = self.cuban_hexes();
        let zones = self.cuban_zones();
        let limit = self.data().tables.limits.stacking as usize;
        let room = |hex: &Hex| places.values().filter(|at| *at == hex).count() < limit;
        let one_of = |hexes: &[Hex]| {
            let listed: Vec<String> = hexes.iter().map(Hex::to_string).collect();
            format!("choose one of {}", listed.join(", "))
        };
        let mut bars = Vec::new();
        for (id, hex) in places {
            let mut bar =
                |clause, why: String, remedy: String| bars.push(Bar::new(clause, why, remedy).part(id.as_str()));
            if self.force(*id) != Some(Force::Cuban) {
                bar("3.1a", format!("{id} is not a Cuban unit"), "leave it out".to_owned());
            } else if !legal.contains(hex) {
                let (clause, why) = self.no_cuban_ground(*hex);
                bar(clause, why, one_of(&legal));
            } else {
                // §IMP.19: farther out only once everything nearer is full.
                let nearer = zones.iter().take_while(|zone| !zone.contains(hex)).flatten();
                let open: Vec<Hex> = nearer.filter(|hex| room(hex)).copied().collect();
                if !open.is_empty() {
                    let why = format!("{hex} is too far from Santiago while nearer hexes have room");
                    bar("IMP.19", why, one_of(&open));
                }
            }
        }
        bars.extend(self.setup_overstacked(places, "5.2a"));
        bars
    }

    /// A Cuban set-up completed with defaults: the highest-numbered legal hex with room, the nearest zone first.
    pub fn complete_cuban(&self, filed: &BTreeMap<UnitId, Hex>) -> BTreeMap<UnitId, Hex> {
        let mut places = filed.clone();
        let zones = self.cuban_zones();
        for id in self.deploys(Force::Cuban) {
            if places.contains_key(&id) {
                continue;
            }
            let count = |hex: Hex| places.values().filter(|at| **at == hex).count();
            let limit = self.data().tables.limits.stacking as usize;
            let mut legal = zones.iter().flat_map(|zone| zone.iter().rev().copied());
            if let Some(hex) = legal.find(|hex| count(*hex) < limit) {
                places.insert(id, hex);
            }
        }
        places
    }
}

impl Position<'_> {
    /// A set-up completed with defaults. One that breaks the rules is refused whole and replaced by the default (§3.2).
    pub fn judge_setup(&self, force: Force, filed: &BTreeMap<UnitId, Hex>) -> Judged<BTreeMap<UnitId, Hex>> {
        let complete = |filed| match force {
            Force::Spanish => self.complete_spanish(filed),
            Force::Us | Force::Cuban => self.complete_cuban(filed),
        };
        let places = complete(filed);
        let bars = match force {
            Force::Spanish => self.spanish_setup_bars(&places),
            Force::Us | Force::Cuban => self.cuban_setup_bars(&places),
        };
        let deed = if bars.is_empty() { places } else { complete(&BTreeMap::new()) };
        Judged { deed, bars }
    }
}

impl Play<'_, '_> {
    /// The Spanish take their places (§3.2).
    pub fn spanish_setup(&mut self, orders: &SetupOrders) -> Ruling<()> {
        self.begin_phase("spain", "setup", PhaseName::SpanishSetup)?;
        self.deploy(Force::Spanish, orders, self.game.scenario().clause)
    }

    /// The Cubans take theirs (§3.3).
    pub fn cuban_setup(&mut self, orders: &SetupOrders) -> Ruling<()> {
        self.begin_phase("us", "setup", PhaseName::CubanSetup)?;
        self.deploy(Force::Cuban, orders, Clause("3.3a"))
    }

    fn deploy(&mut self, force: Force, orders: &SetupOrders, clause: Clause) -> Ruling<()> {
        let Judged { deed: places, bars } = self.now().judge_setup(force, &orders.place);
        self.in_hand(DocPath::root().key("place"), |play| {
            play.umpire.lapse(bars, |bars| {
                let why: Vec<&str> = bars.iter().map(|bar| bar.why.as_str()).collect();
                let clause = bars.first().map_or(clause, |bar| bar.clause);
                Event::OrderLapsed {
                    units: Vec::new(),
                    why: format!("the set-up is refused whole: {}", why.join("; ")),
                    clause,
                }
            });
        });
        self.umpire.note(Event::Deployed { force, places: places.clone(), clause });
        for (id, hex) in &places {
            if let Some(unit) = self.state.units.get_mut(id) {
                unit.at = Place::At(*hex);
            }
        }
        for (id, hex) in places {
            self.put(id, hex)?;
        }
        self.relocate_lone_leaders()
    }
}
