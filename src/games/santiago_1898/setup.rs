//! Chapter 3 and the historical set-up: who starts where.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Grid, Hex};
use crate::engine::{Clause, Ruling};

use super::data::Whence;
use super::events::{Event, PhaseName};
use super::orders::SetupOrders;
use super::play::{Play, Position};
use super::state::Place;
use super::terms::{Force, Terrain, UnitId};

/// Something wrong with a set-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupFault {
    /// The unit concerned; the whole set-up if none.
    pub unit: Option<UnitId>,
    pub clause: Clause,
    pub what: String,
    pub remedy: String,
}

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
    pub fn spanish_place_barred(&self, id: UnitId, hex: Hex) -> Option<SetupFault> {
        let fault = |clause, what: String, remedy: String| Some(SetupFault { unit: Some(id), clause, what, remedy });
        if !self.data().is_land(hex) {
            return fault(Clause("3.2a"), format!("{hex} cannot be entered"), "choose a land hex".into());
        }
        let deployment = self.game.scenario().deployment(id)?;
        match &deployment.rule {
            Whence::Anywhere => None,
            Whence::Hexes(hexes) if hexes.contains(&hex) => None,
            Whence::Hexes(hexes) => {
                let listed: Vec<String> = hexes.iter().map(Hex::to_string).collect();
                fault(
                    deployment.clause,
                    format!("{id} may not start in {hex}"),
                    format!("place it in {}", listed.join(", ")),
                )
            }
            Whence::Entry(_) => fault(Clause("3.2b"), format!("{id} arrives with Escario"), "leave it out".into()),
            Whence::Event(_) => fault(Clause("3.2c"), format!("{id} arrives only by event 6"), "leave it out".into()),
            Whence::Cuban(_) | Whence::Landing(_) => {
                fault(Clause("3.1a"), format!("{id} is not Spanish"), "leave it out".into())
            }
        }
    }

    /// Everything wrong with a whole Spanish set-up.
    pub fn spanish_setup_faults(&self, places: &BTreeMap<UnitId, Hex>) -> Vec<SetupFault> {
        let mut faults: Vec<SetupFault> =
            places.iter().filter_map(|(id, hex)| self.spanish_place_barred(*id, *hex)).collect();
        let whole = |clause, what: String, remedy: String| SetupFault { unit: None, clause, what, remedy };
        let in_hex = |hex: Hex| places.iter().filter(|(id, at)| **at == hex && self.is_combat(**id)).count();
        if self.game.scenario().ring {
            let santiago = self.data().santiago;
            if in_hex(santiago) == 0 {
                let what = format!("no combat unit is in Santiago, {santiago}");
                faults.push(whole(Clause("3.2d"), what, format!("place one in {santiago}")));
            }
            let ring = self.data().grid.neighbours(santiago).map(|(_, hex)| hex);
            let mut ring: Vec<Hex> = ring.filter(|hex| self.data().is_land(*hex)).collect();
            ring.sort();
            for hex in ring.into_iter().filter(|hex| in_hex(*hex) == 0) {
                let what = format!("no combat unit is in {hex}, next to Santiago");
                faults.push(whole(Clause("3.2e"), what, format!("place one in {hex}")));
            }
        }
        faults.extend(self.setup_overstacked(places, "3.2j"));
        faults
    }

    fn setup_overstacked(&self, places: &BTreeMap<UnitId, Hex>, clause: &'static str) -> Vec<SetupFault> {
        let mut counts: BTreeMap<Hex, u32> = BTreeMap::new();
        for (id, hex) in places.iter().filter(|(id, _)| self.is_combat(**id)) {
            let _ = id;
            *counts.entry(*hex).or_insert(0) += 1;
        }
        let limit = self.data().tables.limits.stacking;
        let over = counts.into_iter().filter(|(_, count)| *count > limit);
        over.map(|(hex, count)| SetupFault {
            unit: None,
            clause: Clause(clause),
            what: format!("{count} units in {hex}"),
            remedy: format!("at most {limit} units may share a hex"),
        })
        .collect()
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
            let mut ring: Vec<Hex> = self.data().grid.neighbours(santiago).map(|(_, hex)| hex).collect();
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

    /// Is the hex fit for Cubans apart from its distance? (§3.3a, §3.3b, §3.3d)
    fn cuban_ground(&self, hex: Hex) -> Result<(), (Clause, String)> {
        let data = self.data();
        if !matches!(data.terrain(hex), Terrain::Clear | Terrain::Hill) {
            return Err((
                Clause("3.3a"),
                format!("{hex} is {}; Cubans start in clear or hill hexes", data.terrain(hex)),
            ));
        }
        if data.has_road(hex) {
            return Err((Clause("3.3b"), format!("a road or railroad runs through {hex}")));
        }
        let spanish = |at: Hex| !self.combat_units(Force::Spanish, at).is_empty();
        if spanish(hex) || data.grid.neighbours(hex).any(|(_, next)| spanish(next)) {
            return Err((Clause("3.3d"), format!("Spanish units are in or next to {hex}")));
        }
        Ok(())
    }

    /// Hexes where Cubans may start, in zones: those within four of Santiago (§3.3c), then, as long as the zones have no
    /// room for every Cuban unit, the nearest farther out (§IMP.19).
    fn cuban_zones(&self) -> Vec<Vec<Hex>> {
        let within = self.game.cuban_distance();
        let mut zones: BTreeMap<u32, Vec<Hex>> = BTreeMap::new();
        for hex in self.data().grid.cells().filter(|hex| self.cuban_ground(*hex).is_ok()) {
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
    pub fn cuban_setup_faults(&self, places: &BTreeMap<UnitId, Hex>) -> Vec<SetupFault> {
        let legal = self.cuban_hexes();
        let zones = self.cuban_zones();
        let limit = self.data().tables.limits.stacking as usize;
        let room = |hex: &Hex| places.values().filter(|at| *at == hex).count() < limit;
        let mut faults = Vec::new();
        for (id, hex) in places {
            let unit = Some(*id);
            if self.force(*id) != Some(Force::Cuban) {
                let what = format!("{id} is not a Cuban unit");
                faults.push(SetupFault { unit, clause: Clause("3.1a"), what, remedy: "leave it out".into() });
            } else if !legal.contains(hex) {
                let (clause, what) = match self.cuban_ground(*hex) {
                    Err(bar) => bar,
                    Ok(()) => {
                        let distance = self.data().grid.distance(self.data().santiago, *hex);
                        (Clause("3.3c"), format!("{hex} is {distance} hexes from Santiago"))
                    }
                };
                let listed: Vec<String> = legal.iter().map(Hex::to_string).collect();
                let remedy = format!("choose one of {}", listed.join(", "));
                faults.push(SetupFault { unit, clause, what, remedy });
            } else {
                // §IMP.19: farther out only once everything nearer is full.
                let nearer = zones.iter().take_while(|zone| !zone.contains(hex)).flatten();
                let open: Vec<String> = nearer.filter(|hex| room(hex)).map(Hex::to_string).collect();
                if !open.is_empty() {
                    let what = format!("{hex} is too far from Santiago while nearer hexes have room");
                    let remedy = format!("choose one of {}", open.join(", "));
                    faults.push(SetupFault { unit, clause: Clause("IMP.19"), what, remedy });
                }
            }
        }
        faults.extend(self.setup_overstacked(places, "5.2a"));
        faults
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

impl Play<'_, '_> {
    /// The Spanish take their places; a set-up that breaks the rules is replaced whole by the default (§3.2).
    pub fn spanish_setup(&mut self, orders: &SetupOrders) -> Ruling<()> {
        self.begin_phase("spain", "setup", PhaseName::SpanishSetup)?;
        let now = self.now();
        let mut places = now.complete_spanish(&orders.place);
        if let Some(fault) = now.spanish_setup_faults(&places).into_iter().next() {
            places = now.complete_spanish(&BTreeMap::new());
            self.lapse(&[], fault.clause.0, format!("the set-up is refused whole: {}", fault.what));
        }
        self.deploy(Force::Spanish, places, self.game.scenario().clause)
    }

    /// The Cubans take theirs (§3.3).
    pub fn cuban_setup(&mut self, orders: &SetupOrders) -> Ruling<()> {
        self.begin_phase("us", "setup", PhaseName::CubanSetup)?;
        let now = self.now();
        let mut places = now.complete_cuban(&orders.place);
        if let Some(fault) = now.cuban_setup_faults(&places).into_iter().next() {
            places = now.complete_cuban(&BTreeMap::new());
            self.lapse(&[], fault.clause.0, format!("the set-up is refused whole: {}", fault.what));
        }
        self.deploy(Force::Cuban, places, Clause("3.3a"))
    }

    fn deploy(&mut self, force: Force, places: BTreeMap<UnitId, Hex>, clause: Clause) -> Ruling<()> {
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
