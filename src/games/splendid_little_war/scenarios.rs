//! Set-ups, arrivals and what is fought for, as `scenarios.yaml` has them, with every place worked out on the map.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Grid, Hex};
use crate::engine::data::{Loader, Provenance, at};
use crate::engine::doc::DocPath;
use crate::engine::{Clause, Name};
use crate::{document, words};

use super::SPAIN;
use super::data::{Data, SCENARIOS};
use super::terms::{Column, Formation, Piece, Terrain};

words! {
    /// Which hexes of a place count.
    pub enum Only {
        /// Those with a road.
        Road = "road",
        /// Hill hexes.
        Hill = "hill",
    }

    /// Which forts are meant.
    pub enum Forts {
        /// Every one.
        All = "all",
        /// Those around the city.
        City = "city",
        /// Those south of it.
        South = "south",
    }
}

document! {
    /// `scenarios.yaml`.
    pub struct ScenariosFile {
        /// The game, for the reader of the file: `splendid-little-war`.
        pub game: String,
        /// The scenarios.
        pub scenarios: Vec<ScenarioEntry>,
    }

    /// A scenario.
    pub struct ScenarioEntry {
        /// What players type.
        pub id: String,
        /// What it is called.
        pub name: String,
        /// The clause of the rulebook.
        pub clause: String,
        /// Where it comes from.
        pub source: Provenance,
        /// Game turns.
        pub turns: u32,
        /// Game turns if the match plays it longer (AMB-41).
        pub turns_switched: Option<u32>,
        /// May Spanish units begin entrenched?
        pub entrenched: bool,
        /// Scenarios of which it is made.
        pub combines: Vec<String>,
        /// Units of one of them wait.
        pub waits: Option<WaitEntry>,
        /// Who sets up where.
        pub areas: Vec<AreaEntry>,
        /// Units lent to another formation.
        pub attached: BTreeMap<Piece, Formation>,
        /// Who comes later.
        pub arrivals: Vec<ArrivalEntry>,
        /// Formations that roll for their entry.
        pub columns: Option<ColumnsEntry>,
        /// What the US player needs; the campaign has levels instead.
        pub victory: Option<VictoryEntry>,
    }

    /// Units that may not move or attack at first.
    pub struct WaitEntry {
        /// The scenario they come from.
        pub scenario: String,
        /// The first turn on which they may.
        pub until: u32,
    }

    /// Who sets up where.
    pub struct AreaEntry {
        /// The clause that says so.
        pub clause: String,
        /// Who.
        pub units: Vec<Piece>,
        /// Where: in any of these places.
        pub r#where: Vec<WhereEntry>,
        /// Stacked with one of these.
        pub with: Vec<Piece>,
        /// At least so many hexes from each other.
        pub apart: Option<u32>,
        /// One at each bivouac.
        pub one_each: bool,
        /// One of them may stand elsewhere.
        pub also_one: Option<AlsoOneEntry>,
        /// For garrison units, up to the stacking limit.
        pub fill: bool,
    }

    /// A place: hexes, bivouacs, hills, forts or the city, and how far from them.
    pub struct WhereEntry {
        /// Hexes.
        pub hexes: Vec<Hex>,
        /// Bivouacs by number.
        pub bivouacs: Vec<u32>,
        /// Hills by name.
        pub hills: Vec<String>,
        /// Forts.
        pub forts: Option<Forts>,
        /// Forts left out.
        pub except: Vec<Hex>,
        /// City hexes.
        pub city: bool,
        /// Rows, each from a column to the east edge.
        pub rows: BTreeMap<u16, u16>,
        /// Hexes so near to a US unit, and not next to a Spanish one.
        pub near_us: Option<u32>,
        /// So many hexes around them.
        pub within: Option<u32>,
        /// Of these only those.
        pub only: Option<Only>,
    }

    /// A hex in which one of several may stand.
    pub struct AlsoOneEntry {
        /// The hex.
        pub hex: Hex,
        /// The units.
        pub of: Vec<Piece>,
        /// The clause that says so.
        pub clause: String,
    }

    /// Who comes when and where.
    pub struct ArrivalEntry {
        /// The clause that says so.
        pub clause: String,
        /// The turn.
        pub turn: u32,
        /// The hex.
        pub hex: Hex,
        /// Put there at no cost, not marched in from the edge (AMB-42).
        pub placed: bool,
        /// Who.
        pub units: Vec<Piece>,
    }

    /// Formations that roll for their entry (§17.0.escario).
    pub struct ColumnsEntry {
        /// The clause that says so.
        pub clause: String,
        /// Where they enter.
        pub hex: Hex,
        /// The formations.
        pub formations: Vec<Column>,
        /// Who comes with any of them.
        pub with_any: Vec<Piece>,
    }

    /// What the US player needs to win a scenario.
    pub struct VictoryEntry {
        /// All of these hexes…
        pub all: Vec<Hex>,
        /// …or most of these.
        pub most: Vec<Hex>,
        /// And no more losses than these.
        pub losses: u32,
    }
}

/// A scenario with its places worked out.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What players type.
    pub id: &'static str,
    /// What it is called.
    pub name: &'static str,
    /// Game turns.
    pub turns: u32,
    /// Game turns if the match plays it longer (AMB-41).
    pub turns_switched: Option<u32>,
    /// May Spanish units begin entrenched?
    pub entrenched: bool,
    /// Who sets up where, in the order of the book: the Spanish.
    pub spanish: Vec<Area>,
    /// And the US player.
    pub us: Vec<Area>,
    /// Units lent to another formation (§16.1i).
    pub attached: BTreeMap<Piece, Formation>,
    /// Who comes later.
    pub arrivals: Vec<Arrival>,
    /// Formations that roll for their entry.
    pub columns: Option<Columns>,
    /// Units that may not move or attack before a turn (§16.3c).
    pub waits: BTreeMap<Piece, u32>,
    /// Hexes of which the US player needs every one; the campaign has levels instead.
    pub all: Vec<Hex>,
    /// Hexes of which he needs…
    pub heights: Vec<Hex>,
    /// …so many.
    pub most_of: u32,
    /// The most sub-units he may lose.
    pub loss_limit: Option<u32>,
}

/// Where some units set up.
#[derive(Clone, Debug)]
pub struct Area {
    /// The clause that says so.
    pub clause: Clause,
    /// Who.
    pub units: Vec<Piece>,
    /// Where they may stand; empty if only `with` or `near_us` says so.
    pub hexes: BTreeSet<Hex>,
    /// The hex from which a silent player's units are placed, nearest first (D22).
    pub reference: Option<Hex>,
    /// Stacked with one of these.
    pub with: Vec<Piece>,
    /// At least so many hexes from each other.
    pub apart: Option<u32>,
    /// Bivouacs of which each takes one, with its own hexes.
    pub one_each: Vec<(Hex, BTreeSet<Hex>)>,
    /// A hex in which one of several may stand, and its clause.
    pub also_one: Option<(Hex, Vec<Piece>, Clause)>,
    /// So near to a US unit, and not next to a Spanish one (§17.0.us-i).
    pub near_us: Option<u32>,
    /// For garrison units without another area, up to the stacking limit (§17.0.setup-k).
    pub fill: bool,
}

/// Who comes when and where.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// The clause that says so.
    pub clause: Clause,
    /// The turn.
    pub turn: u32,
    /// The entry hex.
    pub at: Hex,
    /// Put there at no cost (AMB-42).
    pub placed: bool,
    /// Who.
    pub units: Vec<Piece>,
}

/// Formations that roll for their entry.
#[derive(Clone, Debug)]
pub struct Columns {
    /// Where they enter.
    pub hex: Hex,
    /// The formations, in the order of the book.
    pub formations: Vec<Column>,
    /// Who comes with any of them.
    pub with_any: Vec<Piece>,
}

fn clause(text: &str) -> Clause {
    Clause(Name::intern(text).as_str())
}

/// The scenarios of a file, as far as they make sense.
pub fn scenarios(loader: &mut Loader<'_>, data: &Data, file: &ScenariosFile) -> Vec<Scenario> {
    let mut made: Vec<Scenario> = Vec::new();
    for (index, entry) in file.scenarios.iter().enumerate() {
        let base = at("scenarios").index(index);
        let mut scenario = Work { loader: &mut *loader, data, base: base.clone() }.scenario(entry);
        for (part, id) in entry.combines.iter().enumerate() {
            match made.iter().find(|other| other.id == id.as_str()) {
                Some(other) => {
                    scenario.spanish.extend(other.spanish.iter().cloned());
                    scenario.us.extend(other.us.iter().cloned());
                    scenario.arrivals.extend(other.arrivals.iter().cloned());
                    scenario.attached.extend(other.attached.iter().map(|(unit, formation)| (*unit, *formation)));
                    if let Some(wait) = entry.waits.as_ref().filter(|wait| wait.scenario == *id) {
                        let units = other.areas().flat_map(|area| &area.units);
                        let later = other.arrivals.iter().flat_map(|arrival| &arrival.units);
                        scenario.waits.extend(units.chain(later).map(|unit| (*unit, wait.until)));
                    }
                }
                None => {
                    let at = base.key("combines").index(part);
                    let what = format!("no scenario before this one is called `{id}`");
                    loader.fault(SCENARIOS, &at, what, "describe it first");
                }
            }
        }
        if let Some(twice) = twice(&scenario) {
            let what = format!("`{twice}` has two places in it");
            loader.fault(SCENARIOS, &base.key("areas"), what, "give each counter one");
        }
        if made.iter().any(|other| other.id == scenario.id) {
            let what = format!("there are two scenarios `{}`", scenario.id);
            loader.fault(SCENARIOS, &base.key("id"), what, "give each an id of its own");
        }
        made.push(scenario);
    }
    made
}

fn twice(scenario: &Scenario) -> Option<Piece> {
    let mut seen = BTreeSet::new();
    let areas = scenario.areas().flat_map(|area| &area.units);
    let later = scenario.arrivals.iter().flat_map(|arrival| &arrival.units);
    let column = scenario.columns.iter().flat_map(|columns| &columns.with_any);
    areas.chain(later).chain(column).copied().find(|unit| !seen.insert(*unit))
}

/// One scenario in the making.
struct Work<'w, 'l> {
    loader: &'w mut Loader<'l>,
    data: &'w Data,
    base: DocPath,
}

impl Work<'_, '_> {
    fn scenario(&mut self, entry: &ScenarioEntry) -> Scenario {
        let base = self.base.clone();
        if entry.turns == 0 || entry.turns_switched == Some(0) {
            self.loader.fault(SCENARIOS, &base.key("turns"), "it has no turn", "give it one at least");
        }
        let (mut spanish, mut us) = (Vec::new(), Vec::new());
        for (index, area) in entry.areas.iter().enumerate() {
            let at = base.key("areas").index(index);
            let sides: BTreeSet<bool> = area
                .units
                .iter()
                .filter_map(|unit| self.data.unit(*unit))
                .map(|unit| unit.side() == SPAIN)
                .chain(area.fill.then_some(true))
                .collect();
            let made = self.area(area, &at);
            match (sides.len(), sides.contains(&true)) {
                (1, true) => spanish.push(made),
                (1, false) => us.push(made),
                _ => self.loader.fault(SCENARIOS, &at, "an area is for one side", "list units of one side in it"),
            }
        }
        for unit in entry.attached.keys() {
            self.known(*unit, &base.key("attached").key(unit.as_str()));
        }
        let mut arrivals = Vec::new();
        for (index, arrival) in entry.arrivals.iter().enumerate() {
            let at = base.key("arrivals").index(index);
            self.all_known(&arrival.units, &at.key("units"));
            self.on_land(arrival.hex, &at.key("hex"));
            if arrival.turn == 0 || arrival.turn > entry.turns {
                let what = format!("the scenario has turns 1 to {}", entry.turns);
                self.loader.fault(SCENARIOS, &at.key("turn"), what, "name one of them");
            }
            let ArrivalEntry { turn, hex, placed, ref units, .. } = *arrival;
            arrivals.push(Arrival { clause: clause(&arrival.clause), turn, at: hex, placed, units: units.clone() });
        }
        let columns = entry.columns.as_ref().map(|columns| {
            self.on_land(columns.hex, &base.key("columns").key("hex"));
            self.all_known(&columns.with_any, &base.key("columns").key("with-any"));
            Columns { hex: columns.hex, formations: columns.formations.clone(), with_any: columns.with_any.clone() }
        });
        if let Some(victory) = &entry.victory {
            for (key, hexes) in [("all", &victory.all), ("most", &victory.most)] {
                for (index, hex) in hexes.iter().enumerate() {
                    self.on_land(*hex, &base.key("victory").key(key).index(index));
                }
            }
            if victory.all.is_empty() == victory.most.is_empty() {
                let what = "either all of some hexes or most of some are needed";
                self.loader.fault(SCENARIOS, &base.key("victory"), what, "give `all` or `most`");
            }
        }
        let heights = entry.victory.as_ref().map(|victory| victory.most.clone()).unwrap_or_default();
        Scenario {
            id: Name::intern(&entry.id).as_str(),
            name: Name::intern(&entry.name).as_str(),
            turns: entry.turns,
            turns_switched: entry.turns_switched,
            entrenched: entry.entrenched,
            spanish,
            us,
            attached: entry.attached.clone(),
            arrivals,
            columns,
            waits: BTreeMap::new(),
            all: entry.victory.as_ref().map(|victory| victory.all.clone()).unwrap_or_default(),
            most_of: u32::try_from(heights.len()).map_or(0, |count| if count == 0 { 0 } else { count / 2 + 1 }),
            heights,
            loss_limit: entry.victory.as_ref().map(|victory| victory.losses),
        }
    }

    fn area(&mut self, entry: &AreaEntry, at: &DocPath) -> Area {
        self.all_known(&entry.units, &at.key("units"));
        self.all_known(&entry.with, &at.key("with"));
        let mut hexes = BTreeSet::new();
        let mut one_each = Vec::new();
        let mut reference = None;
        for (index, place) in entry.r#where.iter().enumerate() {
            let centres = self.centres(place, &at.key("where").index(index));
            reference = reference.or(centres.first().copied());
            let around = |centre: Hex| self.around(place, centre);
            for centre in &centres {
                let near = around(*centre);
                if entry.one_each {
                    one_each.push((*centre, near.clone()));
                }
                hexes.extend(near);
            }
        }
        let near_us = entry.r#where.iter().find_map(|place| place.near_us);
        if hexes.is_empty() && entry.with.is_empty() && near_us.is_none() {
            self.loader.fault(SCENARIOS, at, "nobody can stand in this area", "name places on land");
        }
        let also_one = entry.also_one.as_ref().map(|also| {
            self.on_land(also.hex, &at.key("also-one").key("hex"));
            self.all_known(&also.of, &at.key("also-one").key("of"));
            (also.hex, also.of.clone(), clause(&also.clause))
        });
        // A zone and the city have no middle: their lowest hex comes first (D22).
        if entry.r#where.iter().any(|place| place.city || !place.rows.is_empty()) {
            reference = hexes.first().copied();
        }
        Area {
            clause: clause(&entry.clause),
            units: entry.units.clone(),
            hexes,
            reference,
            with: entry.with.clone(),
            apart: entry.apart,
            one_each,
            also_one,
            near_us,
            fill: entry.fill,
        }
    }

    /// The hexes a place is counted from.
    fn centres(&mut self, place: &WhereEntry, at: &DocPath) -> Vec<Hex> {
        let data = self.data;
        let mut centres = Vec::new();
        for (index, hex) in place.hexes.iter().enumerate() {
            self.on_land(*hex, &at.key("hexes").index(index));
            centres.push(*hex);
        }
        for (index, number) in place.bivouacs.iter().enumerate() {
            match (*number as usize).checked_sub(1).and_then(|index| data.bivouacs.get(index)) {
                Some(hex) => centres.push(*hex),
                None => {
                    let at = at.key("bivouacs").index(index);
                    self.loader.fault(SCENARIOS, &at, format!("there is no bivouac {number}"), "name one of the map");
                }
            }
        }
        for (index, name) in place.hills.iter().enumerate() {
            match data.hill_named(name) {
                Some(hill) => centres.extend(data.hill_hexes(hill)),
                None => {
                    let at = at.key("hills").index(index);
                    self.loader.fault(SCENARIOS, &at, format!("no hill is called `{name}`"), "name one of the map");
                }
            }
        }
        let forts = match place.forts {
            None => Vec::new(),
            Some(Forts::All) => data.forts.iter().copied().collect(),
            Some(Forts::City) => data.city_forts.iter().copied().collect(),
            Some(Forts::South) => data.south_forts.iter().copied().collect(),
        };
        centres.extend(forts.into_iter().filter(|fort| !place.except.contains(fort)));
        if place.city {
            centres.extend(data.city.iter().copied());
        }
        for (row, first) in &place.rows {
            centres.extend(data.grid.cells().filter(|hex| hex.first() == *row && hex.second() >= *first));
        }
        centres
    }

    fn around(&self, place: &WhereEntry, centre: Hex) -> BTreeSet<Hex> {
        let (data, within) = (self.data, place.within.unwrap_or(0));
        let counts = |hex: &Hex| {
            data.ground(*hex).is_some_and(|ground| match place.only {
                None => true,
                Some(Only::Road) => ground.road,
                Some(Only::Hill) => ground.is(Terrain::Hill),
            })
        };
        let near: Vec<Hex> = match within {
            0 => vec![centre],
            _ => data.grid.cells().filter(|hex| data.distance(*hex, centre) <= within).collect(),
        };
        near.into_iter().filter(|hex| data.is_land(*hex)).filter(counts).collect()
    }

    fn all_known(&mut self, units: &[Piece], at: &DocPath) {
        for (index, unit) in units.iter().enumerate() {
            self.known(*unit, &at.index(index));
        }
    }

    fn known(&mut self, unit: Piece, at: &DocPath) {
        if self.data.unit(unit).is_none() {
            self.loader.fault(SCENARIOS, at, format!("there is no counter `{unit}`"), "name a counter");
        }
    }

    fn on_land(&mut self, hex: Hex, at: &DocPath) {
        if !self.data.is_land(hex) {
            self.loader.fault(SCENARIOS, at, format!("{hex} is no land hex of the map"), "name a land hex");
        }
    }
}

impl Scenario {
    /// Every area, the Spanish first.
    pub fn areas(&self) -> impl Iterator<Item = &Area> {
        self.spanish.iter().chain(&self.us)
    }
}
