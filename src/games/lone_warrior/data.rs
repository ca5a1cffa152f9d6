//! The battlefields and units, read and indexed.
//!
//! Ours are built in; a player may replace either file with his own (`--data DIR`). Nothing a file can say makes this
//! panic: what cannot be understood is reported with its place, what contradicts the rulebook with its clause.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::board::{Axis, Border, Facing, Grid, Square, SquareFrame, SquareGrid};
use crate::engine::Json;
use crate::engine::data::{Loader, Shelf, Shipped, at};
use crate::engine::doc::fold;
use crate::shipped;

use super::files::{FieldEntry, FieldsFile, KindEntry, ObstacleEntry, RosterEntry, SignEntry, UnitsFile};
use super::terms::{
    AreaId, Arm, Bank, Battlefield, Division, Ground, HeroId, LeaderId, ObstacleKind, Power, UnitId, Work,
};

/// The files a data folder may hold, with what we build in for each.
pub const FILES: Shipped = shipped!("lone_warrior": "battlefields.yaml", "units.yaml");
/// Our own data, or those of a player.
pub static SHELF: Shelf<Data> = Shelf::new(super::ID, FILES, Data::read, super::facts::state);
pub(super) const FIELDS: &str = "battlefields.yaml";
pub(super) const UNITS: &str = "units.yaml";

/// What lies in one box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terrain {
    /// The ground.
    pub ground: Ground,
    /// The work in it.
    pub work: Work,
    /// Its height.
    pub height: u8,
    /// The bank it lies on.
    pub bank: Bank,
}

/// An obstacle on box sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// What it is.
    pub kind: ObstacleKind,
    /// Its name.
    pub name: String,
    /// The sides it lies on.
    pub sides: BTreeSet<Border<Square>>,
}

/// An objective.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Area {
    /// Its short name.
    pub id: AreaId,
    /// Its name.
    pub name: String,
    /// The box that decides.
    pub at: Square,
}

/// A unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// What players call it.
    pub id: UnitId,
    /// The battlefield it belongs to.
    pub field: Battlefield,
    /// Its name.
    pub name: String,
    /// Its name on the map.
    pub short: String,
    /// Whose it is.
    pub power: Power,
    /// What it is.
    pub arm: Arm,
    /// The formation it belongs to.
    pub formation: String,
    /// Its division, where that matters.
    pub division: Option<Division>,
    /// Range in boxes; none is unlimited (§6.1a).
    pub range: Option<u32>,
    /// Fire chips.
    pub chips: usize,
    /// Fire chips into flank or rear.
    pub flank_chips: usize,
    /// Unsaved hits that remove it.
    pub steps: u8,
    /// Its box at the start; guns have none.
    pub start: Option<Square>,
    /// For guns off the table: the height they stand at (§A59).
    pub gun_height: u8,
    /// For guns off the table: the lane they are shown at.
    pub gun_lane: u16,
    /// The hero with it.
    pub hero: Option<HeroId>,
}

impl Unit {
    /// Off the table (§10d)?
    pub fn is_off_table(&self) -> bool {
        self.arm == Arm::Artillery
    }

    /// Does its loss count for victory? Spanish guns cannot be lost (§A21, §A50).
    pub fn counts(&self) -> bool {
        !(self.power == Power::Spain && self.is_off_table())
    }
}

/// A leader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leader {
    /// What players call him.
    pub id: LeaderId,
    /// The battlefield he belongs to.
    pub field: Battlefield,
    /// His name.
    pub name: String,
    /// Whose he is.
    pub power: Power,
    /// The division he is bound to (§A40).
    pub division: Option<Division>,
    /// The unit he starts with if nobody says otherwise.
    pub start: UnitId,
    /// The units he may start with.
    pub may_start: Vec<UnitId>,
}

/// A hero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hero {
    /// What players call him.
    pub id: HeroId,
    /// His name.
    pub name: String,
    /// His unit.
    pub unit: UnitId,
}

/// A battlefield.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The boxes and how they touch.
    pub grid: SquareGrid,
    /// What lies in them, in the order of the grid.
    pub terrain: Vec<Terrain>,
    /// Obstacles on box sides.
    pub obstacles: Vec<Obstacle>,
    /// The objectives.
    pub areas: Vec<Area>,
    /// U.S. units Spain must eliminate (§3a).
    pub spain_needs: u32,
    /// Spanish units the U.S. must eliminate (§3b).
    pub us_needs: u32,
    /// Objectives the U.S. must hold (§3c, §3d).
    pub areas_needed: u32,
    /// Leaders in seniority order (§A39).
    pub leaders: Vec<LeaderId>,
    /// Units in the order of the roster.
    pub units: Vec<UnitId>,
}

impl Field {
    /// What lies in a box; nothing that matters where there is no box.
    pub fn at(&self, square: Square) -> Terrain {
        let nowhere = Terrain { ground: Ground::Pond, work: Work::None, height: 0, bank: Bank::Spanish };
        self.grid.index(square).and_then(|index| self.terrain.get(index)).copied().unwrap_or(nowhere)
    }

    /// Can a unit or leader stand here (§A11)?
    pub fn is_passable(&self, square: Square) -> bool {
        self.grid.contains(square) && self.at(square).ground != Ground::Pond
    }

    /// The obstacle a step crosses: straight over a side with one, diagonally from bank to bank (§A11).
    pub fn crossing(&self, from: Square, to: Square) -> Option<&Obstacle> {
        let straight = from.first() == to.first() || from.second() == to.second();
        if straight {
            let side = Border::new(from, to);
            return self.obstacles.iter().find(|obstacle| obstacle.sides.contains(&side));
        }
        if self.at(from).bank == self.at(to).bank {
            return None;
        }
        self.obstacles.iter().find(|obstacle| obstacle.kind == ObstacleKind::River).or_else(|| self.obstacles.first())
    }

    /// The area whose objective box this is.
    pub fn area_at(&self, square: Square) -> Option<&Area> {
        self.areas.iter().find(|area| area.at == square)
    }

    /// How far a box is from a side's own edge.
    pub fn distance_from_edge(&self, power: Power, square: Square) -> u16 {
        match power {
            Power::Spain => square.second(),
            Power::Us => self.grid.frame().ranks.last.saturating_sub(square.second()),
        }
    }
}

/// Everything the data files say, ready for use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Data {
    san_juan: Field,
    el_caney: Field,
    /// Every unit.
    pub units: BTreeMap<UnitId, Unit>,
    /// Every leader.
    pub leaders: BTreeMap<LeaderId, Leader>,
    /// Every hero.
    pub heroes: BTreeMap<HeroId, Hero>,
    /// Names of boxes, folded.
    pub places: BTreeMap<String, Square>,
    /// Shared: every case takes a copy of the data, and nothing changes this part of it.
    canon: Arc<Json>,
}

impl Data {
    /// What the files say, as far as it makes sense.
    pub fn read(loader: &mut Loader<'_>) -> Option<Data> {
        let fields = loader.read::<FieldsFile>(FIELDS);
        let units = loader.read::<UnitsFile>(UNITS);
        let (fields, units) = (fields?, units?);
        let mut places = BTreeMap::new();
        let mut field = |id: Battlefield| {
            let Some(entry) = fields.battlefields.get(&id) else {
                let what = format!("the battlefield `{id}` is missing");
                loader.fault(FIELDS, &at("battlefields"), what, "describe both battlefields");
                return None;
            };
            read_field(id, entry, &fields.legend, &mut places, loader)
        };
        let (san_juan, el_caney) = (field(Battlefield::SanJuan), field(Battlefield::ElCaney));
        let (units_by_id, leaders, heroes) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let canon = loader.canon().into();
        let mut data =
            Data { san_juan: san_juan?, el_caney: el_caney?, units: units_by_id, leaders, heroes, places, canon };
        for (id, roster) in &units.battlefields {
            data.add_roster(*id, roster, &units.kinds, loader);
        }
        for (id, entry) in &fields.battlefields {
            data.add_setup(*id, entry, loader);
        }
        Some(data)
    }

    /// The ground of a battlefield.
    pub fn field(&self, id: Battlefield) -> &Field {
        match id {
            Battlefield::SanJuan => &self.san_juan,
            Battlefield::ElCaney => &self.el_caney,
        }
    }

    /// The ground of a battlefield, to be changed.
    pub fn field_mut(&mut self, id: Battlefield) -> &mut Field {
        match id {
            Battlefield::SanJuan => &mut self.san_juan,
            Battlefield::ElCaney => &mut self.el_caney,
        }
    }

    /// As loaded, for the digest in the genesis record.
    pub fn canon(&self) -> &Json {
        &self.canon
    }

    fn add_roster(&mut self, id: Battlefield, roster: &RosterEntry, kinds: &[KindEntry], loader: &mut Loader<'_>) {
        let at = at("battlefields").key(id.as_str());
        for (index, entry) in roster.units.iter().enumerate() {
            let at = at.key("units").index(index);
            let Some(kind) = kinds.iter().find(|kind| (kind.side, kind.arm) == (entry.side, entry.arm)) else {
                let what = format!("there is no kind for {} {}", entry.side, entry.arm);
                loader.fault(UNITS, &at, what, "add it to `kinds`");
                continue;
            };
            let unit = Unit {
                id: entry.id,
                field: id,
                name: entry.name.clone(),
                short: entry.short.clone(),
                power: entry.side,
                arm: entry.arm,
                formation: entry.formation.clone(),
                division: entry.division,
                range: (kind.range > 0).then_some(kind.range),
                chips: usize::from(kind.chips),
                flank_chips: usize::from(kind.flank_chips),
                steps: kind.steps,
                start: None,
                gun_height: 0,
                gun_lane: 1,
                hero: None,
            };
            if self.units.insert(entry.id, unit).is_some() {
                let what = format!("`{}` stands here twice", entry.id);
                loader.fault(UNITS, &at, what, "give every unit a name of its own");
            }
            self.field_mut(id).units.push(entry.id);
        }
        for entry in &roster.leaders {
            let leader = Leader {
                id: entry.id,
                field: id,
                name: entry.name.clone(),
                power: entry.side,
                division: entry.division,
                start: UnitId::of(""),
                may_start: Vec::new(),
            };
            self.leaders.insert(entry.id, leader);
        }
        for (index, entry) in roster.heroes.iter().enumerate() {
            match self.units.get_mut(&entry.unit) {
                Some(unit) => unit.hero = Some(entry.id),
                None => {
                    let what = format!("the unit `{}` of {} is not in the list", entry.unit, entry.id);
                    let at = at.key("heroes").index(index);
                    loader.fault(UNITS, &at, what, "name a unit of this battlefield");
                }
            }
            self.heroes.insert(entry.id, Hero { id: entry.id, name: entry.name.clone(), unit: entry.unit });
        }
    }

    fn add_setup(&mut self, id: Battlefield, entry: &FieldEntry, loader: &mut Loader<'_>) {
        let at = at("battlefields").key(id.as_str());
        let mut taken = BTreeSet::new();
        for (index, setup) in entry.setup.iter().enumerate() {
            let at = at.key("setup").index(index);
            let passable = self.field(id).is_passable(setup.r#box);
            let Some(unit) = self.units.get_mut(&setup.unit) else {
                loader.fault(FIELDS, &at, format!("there is no unit `{}`", setup.unit), "see units.yaml");
                continue;
            };
            unit.start = Some(setup.r#box);
            let what = match taken.insert(setup.r#box) {
                _ if !passable => format!("nobody can stand in {}", setup.r#box),
                false => format!("two units start in {}", setup.r#box),
                true => continue,
            };
            loader.fault(FIELDS, &at, what, "one unit of units.yaml to a box of the field");
        }
        for guns in &entry.guns {
            if let Some(unit) = self.units.get_mut(&guns.unit) {
                unit.gun_height = guns.height;
                unit.gun_lane = guns.lane;
            }
        }
        for (index, start) in entry.leaders.iter().enumerate() {
            let at = at.key("leaders").index(index);
            let known = |unit: &UnitId| self.units.get(unit).is_some_and(|unit| !unit.is_off_table());
            let what = if !start.may_start.iter().all(known) {
                format!("{} may start with a unit that is not on the map", start.leader)
            } else if !start.may_start.contains(&start.start) {
                format!("{} starts with {}, which `may-start` does not name", start.leader, start.start)
            } else if let Some(leader) = self.leaders.get_mut(&start.leader) {
                leader.start = start.start;
                leader.may_start.clone_from(&start.may_start);
                continue;
            } else {
                format!("there is no leader `{}`", start.leader)
            };
            loader.fault(FIELDS, &at, what, "see units.yaml");
        }
        let unplaced: Vec<String> = (self.units.values())
            .filter(|unit| unit.field == id && unit.start.is_none() && !unit.is_off_table())
            .map(|unit| unit.id.to_string())
            .collect();
        if !unplaced.is_empty() {
            let what = format!("no box for {}", unplaced.join(", "));
            loader.fault(FIELDS, &at.key("setup"), what, "give every unit on the map a box");
        }
    }
}

/// Reads one battlefield; the names of its boxes go to `places`.
fn read_field(
    id: Battlefield,
    entry: &FieldEntry,
    legend: &BTreeMap<String, SignEntry>,
    places: &mut BTreeMap<String, Square>,
    loader: &mut Loader<'_>,
) -> Option<Field> {
    let at = at("battlefields").key(id.as_str());
    let frame = SquareFrame {
        lanes: Axis { first: 1, last: entry.lanes.count, grow: Facing::S },
        ranks: Axis { first: 1, last: entry.ranks.count, grow: Facing::E },
    };
    let grid = match SquareGrid::new(frame) {
        Ok(grid) => grid,
        Err(error) => {
            loader.fault(FIELDS, &at, error.to_string(), "give 1 to 99 lanes and ranks");
            return None;
        }
    };
    let mut terrain = Vec::new();
    for square in grid.cells() {
        let lane = format!("{:02}", square.first());
        let row = entry.picture.lanes.get(&lane).map_or("", String::as_str);
        let sign = row.chars().nth(usize::from(square.second()) - 1);
        let Some(found) = sign.and_then(|sign| legend.get(&sign.to_string())) else {
            let at = at.key("picture").key("lanes").key(&lane);
            let what = format!("box {square} has no sign of the legend");
            loader.fault(FIELDS, &at, what, "draw one sign of the legend for every box");
            continue;
        };
        let us = entry.us_bank_from_rank.is_some_and(|rank| square.second() >= rank);
        terrain.push(Terrain {
            ground: found.ground,
            work: found.work.unwrap_or(Work::None),
            height: found.height.unwrap_or(0),
            bank: if us { Bank::Us } else { Bank::Spanish },
        });
    }
    let obstacles = entry.obstacles.iter().map(|obstacle| expand(&grid, obstacle)).collect();
    for named in &entry.names {
        for name in &named.names {
            places.insert(fold(name), named.r#box);
        }
    }
    let areas = entry.areas.iter().map(|area| Area { id: area.id, name: area.name.clone(), at: area.r#box });
    let field = Field {
        name: entry.name.clone(),
        grid,
        terrain,
        obstacles,
        areas: areas.collect(),
        spain_needs: entry.victory.spain,
        us_needs: entry.victory.us,
        areas_needed: entry.victory.areas,
        leaders: entry.leaders.iter().map(|start| start.leader).collect(),
        units: Vec::new(),
    };
    for area in &field.areas {
        if !field.is_passable(area.at) {
            let what = format!("nobody can stand in {}, the objective of {}", area.at, area.id);
            loader.fault(FIELDS, &at.key("areas"), what, "name a box of the field");
        }
    }
    Some(field)
}

/// The sides an obstacle lies on.
pub fn expand(grid: &SquareGrid, entry: &ObstacleEntry) -> Obstacle {
    let mut sides: BTreeSet<Border<Square>> = entry.sides.iter().map(|(a, b)| Border::new(*a, *b)).collect();
    if let Some((low, high)) = entry.between_ranks {
        let lanes = grid.frame().lanes;
        let side = |lane| Some(Border::new(grid.at(lane, low)?, grid.at(lane, high)?));
        sides.extend((lanes.first..=lanes.last).filter_map(side));
    }
    Obstacle { kind: entry.kind, name: entry.name.clone().unwrap_or_else(|| entry.kind.to_string()), sides }
}
