//! The second half of reading the data: counters, the calendar and what begins where.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Grid, Hex};
use crate::engine::data::{Loader, at};
use crate::engine::doc::{DocPath, fold};
use crate::engine::{Clause, Name};
use crate::games::santiago_1898::terms::{Flag, Force, Group, UnitId, UnitKind};

use super::files::{CountersFile, DeployEntry, ScenariosFile, SpecialEntry, SpecialKind, UnitEntry};
use super::load::{is_land, sorted};
use super::{COUNTERS, Cast, Day, Deployment, Map, SCENARIOS, Scenario, Special, Unit, Whence};

/// Reads who there is and what begins where.
pub(super) struct Muster<'l, 'f> {
    pub loader: &'l mut Loader<'f>,
}

impl Muster<'_, '_> {
    pub(super) fn units(&mut self, file: &CountersFile) -> BTreeMap<UnitId, Unit> {
        let mut units = BTreeMap::new();
        for (index, entry) in file.units.iter().enumerate() {
            let path = at("units").index(index);
            self.id(entry.id, entry.side, &path);
            self.steps(entry, &path);
            let unit = Unit {
                id: entry.id,
                force: entry.side,
                code: entry.code.clone(),
                name: entry.name.clone(),
                kind: entry.kind,
                size: entry.size,
                formation: entry.formation.clone(),
                group: entry.group,
                steps: entry.steps,
                front: entry.front,
                back: entry.back,
                rating: entry.rating.unwrap_or(0),
                flags: entry.flags.iter().copied().collect(),
            };
            if units.insert(entry.id, unit).is_some() {
                let what = format!("there are two counters `{}`", entry.id);
                self.loader.fault_by("1.4a", COUNTERS, &path.key("id"), what, "give each counter an id of its own");
            }
        }
        units
    }

    fn id(&mut self, id: UnitId, force: Force, path: &DocPath) {
        let side = match force {
            Force::Us => "us-",
            Force::Cuban => "cu-",
            Force::Spanish => "sp-",
        };
        let text = id.as_str();
        let plain = text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
        if !plain || !text.starts_with(side) || text != fold(text) || text.len() > 40 {
            let what = format!("`{text}` cannot be an id");
            let remedy = "begin with us-, sp- or cu- and go on with small letters, digits and single hyphens";
            self.loader.fault_by("1.4a", COUNTERS, &path.key("id"), what, remedy);
        }
    }

    fn steps(&mut self, entry: &UnitEntry, path: &DocPath) {
        let bare = matches!(entry.kind, UnitKind::Leader | UnitKind::Signals);
        let id = entry.id;
        if bare && entry.steps != 0 {
            let what = format!("`{id}` has {} steps", entry.steps);
            self.loader.fault_by("8.7c", COUNTERS, &path.key("steps"), what, "leaders and the SD have none");
        }
        if !bare && !(1..=2).contains(&entry.steps) {
            let what = format!("`{id}` has {} steps", entry.steps);
            self.loader.fault_by("1.2a", COUNTERS, &path.key("steps"), what, "units have 1 or 2 steps");
        }
        if (entry.steps == 2) != entry.back.is_some() {
            let what = format!(
                "the steps of `{id}` are {}, and it has {} reduced side",
                entry.steps,
                if entry.back.is_some() { "a" } else { "no" }
            );
            self.loader.fault_by("1.2b", COUNTERS, path, what, "give `back` to units of two steps and to no others");
        }
        if bare && (entry.front.fire, entry.front.shock) != (0, 0) {
            let what = format!("`{id}` has combat factors");
            self.loader.fault_by("8.7c", COUNTERS, &path.key("front"), what, "write `fire: 0, shock: 0`");
        }
        if (entry.kind == UnitKind::Leader) != entry.rating.is_some() {
            let what = format!("`{id}`: leaders have a rating, others none");
            self.loader.fault_by("6.2b", COUNTERS, path, what, "write `rating: 1` for a leader");
        }
    }

    pub(super) fn specials(
        &mut self,
        file: &CountersFile,
        units: &BTreeMap<UnitId, Unit>,
    ) -> BTreeMap<UnitId, Special> {
        let mut specials = BTreeMap::new();
        for (index, entry) in file.special.iter().enumerate() {
            let SpecialEntry { id, side, ref name, kind, group, .. } = *entry;
            let path = at("special").index(index);
            self.id(id, side, &path);
            let twice = specials.insert(id, Special { id, force: side, name: name.clone(), kind }).is_some();
            if twice || units.contains_key(&id) {
                let what = format!("there are two counters `{id}`");
                self.loader.fault_by("1.4a", COUNTERS, &path.key("id"), what, "give each counter an id of its own");
            }
            let expected = match kind {
                SpecialKind::Base => Group::Base,
                SpecialKind::Fleet => Group::Fleet,
            };
            if group != expected {
                self.loader.fault(
                    COUNTERS,
                    &path.key("group"),
                    format!("`{id}` is in the wrong group"),
                    "base or fleet",
                );
            }
        }
        specials
    }

    pub(super) fn cast(
        &mut self,
        units: &BTreeMap<UnitId, Unit>,
        specials: &BTreeMap<UnitId, Special>,
    ) -> Option<Cast> {
        let unit = |fits: &dyn Fn(&Unit) -> bool| units.values().filter(|u| fits(u)).map(|u| u.id).collect::<Vec<_>>();
        let special = |kind, force| {
            let fits = |s: &&Special| s.kind == kind && s.force == force;
            specials.values().filter(fits).map(|s| s.id).collect::<Vec<_>>()
        };
        let leader = |force| unit(&|u: &Unit| u.is_leader() && u.force == force);
        let parts = [
            ("8.7a", "one Signals Detachment of the US", unit(&|u| u.is_signals() && u.force == Force::Us)),
            ("6.4a", "one US leader with the all-out effort", unit(&|u| u.is_leader() && u.has(Flag::AllOut))),
            ("6.5a", "one Spanish leader", leader(Force::Spanish)),
            ("3.2c", "one unit with an asterisk", unit(&|u| u.has(Flag::Asterisk))),
            ("10.3a", "one US base", special(SpecialKind::Base, Force::Us)),
            ("9.7a", "one US fleet", special(SpecialKind::Fleet, Force::Us)),
            ("9.7a", "one Spanish fleet", special(SpecialKind::Fleet, Force::Spanish)),
        ];
        let mut found = Vec::new();
        for (clause, what, ids) in parts {
            match ids[..] {
                [id] => found.push(id),
                _ => {
                    let what = format!("there must be {what}, and there are {}", ids.len());
                    self.loader.fault_by(clause, COUNTERS, &at("units"), what, "compare with the counters built in");
                }
            }
        }
        match found[..] {
            [signals, roosevelt, spanish_leader, machineguns, base, us_fleet, spanish_fleet] => {
                Some(Cast { signals, roosevelt, spanish_leader, machineguns, base, us_fleet, spanish_fleet })
            }
            _ => None,
        }
    }

    // ---- scenarios

    pub(super) fn calendar(&mut self, file: &ScenariosFile) -> Vec<Day> {
        for (index, (day, turn)) in file.calendar.iter().zip(1..).enumerate() {
            if day.turn != turn {
                let what = format!("Turn {} stands where Turn {turn} belongs", day.turn);
                self.loader.fault_by("2.1b", SCENARIOS, &at("calendar").index(index), what, "list the turns in order");
            }
        }
        file.calendar.iter().map(|day| Day { turn: day.turn, date: day.date.clone() }).collect()
    }

    pub(super) fn scenarios(
        &mut self,
        file: &ScenariosFile,
        land: &Map,
        units: &BTreeMap<UnitId, Unit>,
        specials: &BTreeMap<UnitId, Special>,
    ) -> Vec<Scenario> {
        let groups: BTreeMap<UnitId, Group> = units
            .values()
            .map(|unit| (unit.id, unit.group))
            .chain(specials.values().map(|special| {
                let group = if special.kind == SpecialKind::Base { Group::Base } else { Group::Fleet };
                (special.id, group)
            }))
            .collect();
        if file.scenarios.iter().filter(|scenario| scenario.default).count() != 1 {
            let what = "one scenario must be the default";
            self.loader.fault(SCENARIOS, &at("scenarios"), what, "write `default: true` in one of them");
        }
        let mut scenarios = Vec::new();
        for (index, entry) in file.scenarios.iter().enumerate() {
            let path = at("scenarios").index(index);
            let mut placed = BTreeSet::new();
            let mut deploy = Vec::new();
            for (index, entry) in entry.deploy.iter().enumerate() {
                let path = path.key("deploy").index(index);
                if let Some(deployment) = self.deployment(entry, land, &groups, &path) {
                    for id in deployment.counters.iter().filter(|id| !placed.insert(**id)) {
                        self.loader.fault(
                            SCENARIOS,
                            &path,
                            format!("`{id}` is deployed twice"),
                            "name each counter once",
                        );
                    }
                    deploy.push(deployment);
                }
            }
            for (id, group) in &groups {
                if *group != Group::Fleet && !placed.contains(id) {
                    let what = format!("`{id}` is not deployed in scenario `{}`", entry.id);
                    self.loader.fault(SCENARIOS, &path.key("deploy"), what, "say where it begins");
                }
            }
            scenarios.push(Scenario {
                id: entry.id.clone(),
                clause: clause(&entry.clause),
                default: entry.default,
                ring: entry.ring.is_some(),
                deploy,
            });
        }
        scenarios
    }

    fn on_map(&mut self, land: &Map, hex: Hex, path: &DocPath) -> bool {
        let on_map = land.grid().contains(hex);
        if !on_map {
            let what = format!("{hex} is not on the map");
            self.loader.fault(SCENARIOS, path, what, "name a hex within the frame");
        }
        on_map
    }

    fn deployment(
        &mut self,
        entry: &DeployEntry,
        land: &Map,
        groups: &BTreeMap<UnitId, Group>,
        path: &DocPath,
    ) -> Option<Deployment> {
        let rules = [
            entry.anywhere.then_some(Whence::Anywhere),
            entry.hexes.as_ref().map(|hexes| Whence::Hexes(sorted(hexes.iter().copied()))),
            entry.near.as_ref().map(|near| Whence::Hexes(around(land, near))),
            entry.cuban.clone().map(Whence::Cuban),
            entry.entry.map(Whence::Entry),
            entry.event.map(Whence::Event),
            entry.landing.clone().map(Whence::Landing),
        ];
        let mut rules = rules.into_iter().flatten();
        let (Some(rule), None) = (rules.next(), rules.next()) else {
            let remedy = "give one of anywhere, hexes, near, cuban, entry, event, landing";
            self.loader.fault(SCENARIOS, path, "where and when is said not at all or twice", remedy);
            return None;
        };
        for (key, hexes) in [("hexes", &entry.hexes), ("near", &entry.near)] {
            for (index, &hex) in hexes.iter().flatten().enumerate() {
                self.on_map(land, hex, &path.key(key).index(index));
            }
        }
        let defaults = entry.units.clone().unwrap_or_default();
        let counters: BTreeSet<UnitId> = match (entry.group, &entry.units) {
            (Some(group), None) => groups.iter().filter(|(_, of)| **of == group).map(|(&id, _)| id).collect(),
            (None, Some(units)) => units.keys().copied().collect(),
            _ => {
                self.loader.fault(SCENARIOS, path, "who is said not at all or twice", "give either `units` or `group`");
                return None;
            }
        };
        for (id, &hex) in &defaults {
            let path = path.key("units").key(id.as_str());
            if !groups.contains_key(id) {
                self.loader.fault(
                    SCENARIOS,
                    &path,
                    format!("there is no counter `{id}`"),
                    "use an id of counters.yaml",
                );
            }
            if self.on_map(land, hex, &path) && !is_land(land, hex) {
                self.loader.fault(SCENARIOS, &path, format!("{hex} is water"), "name a land hex");
            }
        }
        Some(Deployment { clause: clause(&entry.clause), counters, defaults, rule })
    }
}

fn clause(text: &str) -> Clause {
    Clause(Name::intern(text).as_str())
}

/// These hexes and the land around them.
fn around(land: &Map, centres: &[Hex]) -> Vec<Hex> {
    let ring = centres.iter().flat_map(|&centre| land.grid().neighbours(centre).map(|(_, hex)| hex));
    sorted(centres.iter().copied().chain(ring).filter(|&hex| is_land(land, hex)))
}
