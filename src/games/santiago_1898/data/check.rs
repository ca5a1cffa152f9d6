//! What the rulebook prints about its map, counters and tables, compared with the data. A transcription of the published
//! sheets must agree with all of it; counter values and the map's terrain are free where the rulebook is silent.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Bearing, Grid, Hex};
use crate::engine::DataFinding;
use crate::engine::data::{Loader, at};
use crate::engine::doc::DocPath;
use crate::games::santiago_1898::tables::{HistoricEvent, Odds};
use crate::games::santiago_1898::terms::{Flag, Force, Group, Terrain, UnitId, UnitKind};

use super::load::read;
use super::printed::{DATES, EVENTS, FEVER, FIRE, JUNGLE, PRINTED_UNITS, SHOCK, SURRENDER, WITHDRAWAL};
use super::{COUNTERS, Data, Deployment, FILES, MAP, SCENARIOS, Scenario, TABLES, Whence};

/// Reads a folder of data files over ours and compares the whole with the facts of the rulebook.
pub fn findings(files: &BTreeMap<String, String>) -> Vec<DataFinding> {
    let mut loader = Loader::new(super::super::ID, FILES, files);
    if let Some(data) = read(&mut loader) {
        let mut book = Book { data: &data, loader: &mut loader };
        book.frame();
        book.places();
        book.water();
        book.ways();
        book.units();
        book.tables();
        book.costs_and_limits();
        book.calendar();
        book.standard();
        book.historical();
    }
    loader.findings()
}

struct Book<'d, 'l, 'f> {
    data: &'d Data,
    loader: &'l mut Loader<'f>,
}

const fn hex(number: u16) -> Hex {
    Hex::printed(number)
}

impl Book<'_, '_, '_> {
    /// One fact: either it holds, or `what` is a fault of the file.
    fn fact(&mut self, clause: &'static str, file: &str, at: DocPath, holds: bool, what: impl Into<String>) {
        let remedy = format!("see `garcia rules santiago-1898 {clause}`");
        self.loader.fact(clause, file, at, holds, what, remedy);
    }

    /// A printed figure.
    fn figure<T: PartialEq + std::fmt::Debug>(
        &mut self,
        clause: &'static str,
        file: &str,
        at: DocPath,
        has: T,
        printed: T,
    ) {
        let what = format!("{at} is {has:?}, the rulebook has {printed:?}");
        self.fact(clause, file, at, has == printed, what);
    }

    // ---- map

    fn frame(&mut self) {
        let data = self.data;
        let line = [1512, 1411, 1311, 1210, 1110].map(hex);
        let listed: BTreeSet<Hex> = data.spanish_line.iter().copied().collect();
        self.fact(
            "6.5b",
            MAP,
            at("spanish-line"),
            listed == line.into() && data.spanish_line.len() == 5,
            "the line of 6.5 is 1512, 1411, 1311, 1210 and 1110",
        );
        let straight = line.windows(2).all(|pair| data.grid.edge_between(pair[0], pair[1]) == Some(Bearing::SW));
        self.fact("6.5b", MAP, at("frame"), straight, "the five hexes from 1512 to 1110 must form a straight file");
        let siboney = data.grid.distance(hex(816), hex(621));
        self.fact("1.3b", MAP, at("frame"), siboney == 6, "Siboney 0816 and Daiquirí 0621 must lie 6 hexes apart");
    }

    fn places(&mut self) {
        let data = self.data;
        self.fact("3.2d", MAP, at("santiago"), data.santiago == hex(1308), "Santiago is 1308");
        let city = data.terrain(hex(1308)) == Terrain::City;
        self.fact("3.2d", MAP, at("terrain"), city, "1308 is Santiago, a city that can be entered");
        self.fact("6.5a", MAP, at("el-caney"), data.el_caney == hex(1512), "El Caney is 1512");
        self.fact("3.2g", MAP, at("el-morro"), data.el_morro == hex(705), "El Morro is 0705");
        self.fact("3.2g", MAP, at("socapa"), data.socapa == hex(803), "Socapa is 0803");
        let set_up = [
            ("HSS.c", 1411),
            ("HSS.c", 1512),
            ("HSS.d", 1110),
            ("HSS.d", 1210),
            ("HSS.d", 1311),
            ("HSS.e", 1310),
            ("HSS.f", 709),
            ("HSS.f", 909),
            ("HSS.f", 1009),
            ("HSS.g", 1405),
            ("HSS.h", 1108),
            ("HSS.i", 1015),
            ("HSS.i", 1018),
            ("HSS.i", 816),
            ("HSU.a", 621),
        ];
        for (clause, number) in set_up {
            let what = format!("{} is a set-up hex and must be land", hex(number));
            self.fact(clause, MAP, at("terrain"), data.is_land(hex(number)), what);
        }
        let names = [
            ("3.2d", "Santiago", 1308),
            ("6.5a", "El Caney", 1512),
            ("3.2g", "El Morro", 705),
            ("3.2g", "Socapa", 803),
            ("10.3d", "Siboney", 816),
            ("10.3d", "Daiquiri", 621),
            ("HSS.i", "Sevilla", 1015),
            ("HSS.i", "Firmeza", 1018),
        ];
        for (clause, name, number) in names {
            let what = format!("{name} must be a name of {}", hex(number));
            self.fact(clause, MAP, at("places"), data.hex_named(name) == Some(hex(number)), what);
        }
        for number in [816, 621] {
            let what = format!("{} counts as a beach", hex(number));
            self.fact("10.3d", MAP, at("beaches"), data.is_beach(hex(number)), what);
        }
        let flags = data.objectives.len();
        self.fact("4.2a", MAP, at("objectives"), flags >= 6, format!("{flags} objectives; the table needs at least 6"));
        let ring = data.land_neighbours(hex(1308)).count();
        self.fact("3.2e", MAP, at("terrain"), ring > 0, "Santiago cannot be reached by land");
        let edge: BTreeSet<Hex> = (8..=19).filter_map(|row| Hex::from_halves(row, 1)).collect();
        let listed: BTreeSet<Hex> = data.west_edge.iter().copied().collect();
        self.fact("8.3c", MAP, at("west-edge"), listed == edge, "the west edge runs from 0801 to 1901");
        let open = data.west_edge.iter().any(|&hex| data.is_land(hex));
        self.fact("8.3c", MAP, at("terrain"), open, "no hex of the west edge can be entered");
    }

    /// Harbor, coast and beaches.
    fn water(&mut self) {
        let data = self.data;
        let touches = |hex: Hex, terrain| data.neighbours(hex).any(|next| data.terrain(next) == terrain);
        for (index, &hex) in data.harbor.iter().enumerate() {
            let path = || at("harbor").key("hexes").index(index);
            let north = data.grid.row(hex) >= 8;
            self.fact("9.7d", MAP, path(), north, format!("{hex} lies south of row 08 and is no harbor hex"));
            let wet = data.terrain(hex) == Terrain::Harbor || touches(hex, Terrain::Harbor);
            self.fact("9.7d", MAP, path(), wet, format!("{hex} has no water of the bay in it"));
        }
        for cell in data.grid.cells() {
            let (harbor, coast) = (data.harbor.contains(&cell), data.coast.contains(&cell));
            if data.terrain(cell) == Terrain::Harbor && data.grid.row(cell) >= 8 {
                self.fact("9.7d", MAP, at("harbor"), harbor, format!("{cell} is all harbor and not listed"));
            }
            let shore = data.is_land(cell) && touches(cell, Terrain::Ocean);
            if shore || coast {
                let what = format!("{cell} lies on the ocean: it belongs to the coast or to the harbor, not both");
                self.fact("9.7e", MAP, at("coast"), harbor != coast, what);
            }
            if coast {
                self.fact("9.7e", MAP, at("coast"), shore, format!("{cell} is listed as coast and is no shore"));
            }
        }
        for &beach in &data.beaches {
            let shore = touches(beach, Terrain::Ocean);
            self.fact("8.2c", MAP, at("beaches"), shore, format!("{beach} is a beach and does not lie on the ocean"));
            let town = [hex(816), hex(621)].contains(&beach);
            let sand = town || data.terrain(beach) == Terrain::Beach;
            self.fact("IMP.22", MAP, at("beaches"), sand, format!("{beach} must be drawn as a beach"));
        }
        let drawn = data.grid.cells().all(|cell| data.terrain(cell) != Terrain::Beach || data.is_beach(cell));
        self.fact("8.2c", MAP, at("beaches"), drawn, "a beach is drawn that is not listed");
    }

    /// Roads, rivers and the ground of the Cubans.
    fn ways(&mut self) {
        let data = self.data;
        self.fact("10.1a", MAP, at("roads"), data.has_road(hex(1308)), "no road or railroad leads to Santiago");
        for cell in data.grid.cells() {
            for next in data.neighbours(cell).filter(|&next| next > cell) {
                if data.river_between(cell, next) {
                    let dry = data.is_land(cell) && data.is_land(next);
                    let what = format!("a river runs between {cell} and {next}, of which one is water");
                    self.fact("TEC.h", MAP, at("rivers"), dry, what);
                }
                if data.crossing_between(cell, next) {
                    let what = format!("a bridge or ford between {cell} and {next} crosses no river");
                    self.fact("8.1g", MAP, at("fords"), data.river_between(cell, next), what);
                }
            }
        }
        let rule = data
            .scenarios
            .iter()
            .flat_map(|scenario| &scenario.deploy)
            .find_map(|deployment| if let Whence::Cuban(rule) = &deployment.rule { Some(rule) } else { None });
        let room = rule.map_or(0, |rule| data.grid.cells().filter(|&cell| data.is_cuban_ground(cell, rule)).count());
        let what = format!("only {room} hexes near Santiago are fit for the Cubans; eight units need two or more");
        self.fact("3.3a", MAP, at("terrain"), room >= 2, what);
    }

    // ---- counters

    fn units(&mut self) {
        for (force, group, clause, codes) in PRINTED_UNITS {
            for code in *codes {
                let fits = |unit: &&super::Unit| unit.force == *force && unit.code == *code;
                let found = self.data.units.values().filter(fits).count();
                let what = format!("there must be one {force} unit `{code}`, and there are {found}");
                self.fact(clause, COUNTERS, at("units"), found == 1, what);
                let grouped = self.data.units.values().filter(fits).all(|unit| unit.group == *group);
                let what = format!("{force} unit `{code}` is in the wrong group");
                self.fact(clause, COUNTERS, at("units"), grouped, what);
            }
        }
        let data = self.data;
        let of = |force, code: &str| data.units.values().find(|unit| unit.force == force && unit.code == code);
        for code in ["Gr", "Be", "Ca", "Ph", "E/1", "Pk"] {
            let guns = of(Force::Us, code).is_some_and(|unit| unit.is_artillery(true));
            self.fact("HSU.g", COUNTERS, at("units"), guns, format!("`{code}` stands in the list of US artillery"));
        }
        for code in ["1/5 RA", "6/4 AM"] {
            let guns = of(Force::Spanish, code).is_some_and(|unit| unit.is_artillery(false));
            self.fact("1.4c", COUNTERS, at("units"), guns, format!("`{code}` is artillery"));
        }
        let am = of(Force::Spanish, "Am");
        let machineguns = am.is_some_and(|unit| unit.kind == UnitKind::Machinegun && unit.has(Flag::Asterisk));
        self.fact("3.2c", COUNTERS, at("units"), machineguns, "Am are the machineguns with the asterisk");
        for code in ["M", "So"] {
            let frozen = of(Force::Spanish, code).is_some_and(|unit| unit.has(Flag::Frozen));
            self.fact("3.2h", COUNTERS, at("units"), frozen, format!("garrison `{code}` is frozen until released"));
        }
        let escario = data.units.values().filter(|unit| unit.has(Flag::Escario));
        let column = escario.clone().count() > 0 && escario.clone().all(|unit| unit.force == Force::Spanish);
        self.fact("3.2b", COUNTERS, at("units"), column, "the Escario column is Spanish and has at least one unit");
        let simancas = of(Force::Spanish, "1/64 S").is_some_and(|unit| !unit.has(Flag::Escario));
        self.fact("ERR.a", COUNTERS, at("units"), simancas, "1/64 S is no part of the Escario column");
        let agree = data.units.values().all(|unit| {
            unit.has(Flag::Escario) == (unit.group == Group::Escario)
                && unit.has(Flag::Asterisk) == (unit.group == Group::Event6)
                && unit.has(Flag::Balloon) == unit.is_signals()
        });
        self.fact("3.2b", COUNTERS, at("units"), agree, "flags and groups of the counters disagree");
        let cubans = data.units.values().filter(|unit| unit.force == Force::Cuban).count();
        self.fact("3.3a", COUNTERS, at("units"), cubans == 8, format!("{cubans} Cuban units; there are eight"));
        let leaders = |force| data.units.values().filter(|unit| unit.is_leader() && unit.force == force).count();
        let counted = [Force::Us, Force::Cuban, Force::Spanish].map(leaders);
        self.fact("6.1a", COUNTERS, at("units"), counted == [1, 0, 1], "the leaders are Roosevelt and Vara del Rey");
        let markers: u32 = data.markers.iter().map(|(_, count)| count).sum();
        let counters = data.units.len() + data.specials.len();
        let sum = u64::from(markers) + counters as u64;
        let whole = data.total == 140 && sum == 140;
        self.fact("1.2d", COUNTERS, at("total"), whole, format!("{sum} counters and markers; the set has 140"));
    }

    // ---- tables

    fn tables(&mut self) {
        let tables = &self.data.tables;
        let printed = |key: &str, part: &str| at(key).key("results").key(part);
        let (surrender, withdrawal) = (&tables.spanish_surrender.results, &tables.us_withdrawal.results);
        let fire = &tables.defensive_fire.results;
        for (clause, key, columns, numbers) in [
            ("4.2a", "spanish-surrender", &surrender.columns, &[4, 5, 6][..]),
            ("4.4a", "us-withdrawal", &withdrawal.columns, &[10, 19, 23][..]),
            ("DFT.a", "defensive-fire", &fire.columns, &[1, 4, 7, 11, 16, 21][..]),
        ] {
            self.figure(clause, TABLES, printed(key, "columns"), &columns[..], numbers);
        }
        self.figure("SCT.a", TABLES, printed("shock", "columns"), &tables.shock.results.columns[..], Odds::ALL);
        let cell =
            |key: &str, die: i32, column: usize| at(key).key("results").key("rows").key(&die.to_string()).index(column);
        for (die, row) in (1..).zip(SURRENDER) {
            for (column, (printed, clause)) in row.into_iter().zip(["4.2b", "4.2c", "4.2d"]).enumerate() {
                let has = tables.surrender([4, 5, 6][column], die);
                self.figure(clause, TABLES, cell("spanish-surrender", die, column), has, printed);
            }
        }
        for (die, row) in (1..).zip(WITHDRAWAL) {
            for (column, (printed, clause)) in row.into_iter().zip(["4.4b", "4.4c", "4.4d"]).enumerate() {
                let has = tables.withdrawal([10, 19, 23][column], die);
                self.figure(clause, TABLES, cell("us-withdrawal", die, column), has, printed);
            }
        }
        const FIRE_CLAUSES: [&str; 9] =
            ["DFT.b", "DFT.c", "DFT.d", "DFT.e", "DFT.f", "DFT.g", "DFT.h", "DFT.i", "DFT.j"];
        for ((die, row), clause) in (0..).zip(FIRE).zip(FIRE_CLAUSES) {
            for (column, printed) in row.into_iter().enumerate() {
                let has = tables.defensive_fire([1, 4, 7, 11, 16, 21][column], die);
                self.figure(clause, TABLES, cell("defensive-fire", die, column), has.to_string(), printed.to_owned());
            }
        }
        const SHOCK_CLAUSES: [&str; 6] = ["SCT.a", "SCT.b", "SCT.c", "SCT.d", "SCT.e", "SCT.f"];
        for (die, row) in (1..).zip(SHOCK) {
            for (column, (printed, clause)) in row.into_iter().zip(SHOCK_CLAUSES).enumerate() {
                let has = tables.shock(Odds::ALL[column], die);
                self.figure(clause, TABLES, cell("shock", die, column), has.to_string(), printed.to_owned());
            }
        }
        let rows = |key: &str| at(key).key("rows");
        for (clause, key, rows, number) in [
            ("4.2b", "spanish-surrender", surrender.rows.len(), 8),
            ("4.4b", "us-withdrawal", withdrawal.rows.len(), 6),
            ("DFT.b", "defensive-fire", fire.rows.len(), 9),
            ("SCT.a", "shock", tables.shock.results.rows.len(), 8),
        ] {
            self.figure(clause, TABLES, printed(key, "rows"), rows, number);
        }
        for (die, (printed, clause)) in (1..).zip(EVENTS) {
            self.figure(
                clause,
                TABLES,
                rows("historic-events").key(&die.to_string()),
                tables.event(die),
                Some(printed),
            );
        }
        for (die, (printed, clause)) in (1..).zip(JUNGLE) {
            self.figure(clause, TABLES, rows("us-jungle"), tables.jungle(die), printed);
        }
        for (first, last, force, clause, printed) in FEVER {
            for turn in first..=last {
                for (die, printed) in (1..).zip(printed) {
                    let path = rows("yellow-fever");
                    let has = tables.fever(turn, force, die);
                    let what =
                        format!("{force} fever on Turn {turn}, die {die}: {has} steps, the rulebook has {printed}");
                    self.fact(clause, TABLES, path, has == printed, what);
                }
            }
        }
        let early = (1..=4).all(|turn| (1..=6).all(|die| tables.fever(turn, Force::Us, die) == 0));
        self.fact("2.1f", TABLES, rows("yellow-fever"), early, "there is no fever on Turns 1 to 4");
        self.figure("9.8b", TABLES, at("friendly-fire").key("faces"), &tables.friendly_fire.faces[..], &[1]);
        self.figure("9.8b", TABLES, at("friendly-fire").key("steps"), tables.friendly_fire.steps, 1);
    }

    fn costs_and_limits(&mut self) {
        let tables = &self.data.tables;
        let (fire, shock) = (&tables.defensive_fire.modifiers, &tables.shock.shifts);
        let (cost, limits) = (&tables.movement, &tables.limits);
        let (surrender, events) = (&tables.spanish_surrender, &tables.historic_events);
        let signed: [(&'static str, &str, i32, i32); 20] = [
            ("4.2e", "spanish-surrender.el-caney", surrender.el_caney, 1),
            ("4.2f", "spanish-surrender.a-las-jarcias", surrender.a_las_jarcias, 1),
            ("7.2.1a", "historic-events.heroic-cubans", events.heroic_cubans, 1),
            ("8.6f", "us-jungle.balloon", tables.us_jungle.balloon, 1),
            ("8.6g", "us-jungle.cubans", tables.us_jungle.cubans, 1),
            ("DFM.a", "defensive-fire.modifiers.from-hill", fire.from_hill, 1),
            ("DFM.b", "defensive-fire.modifiers.battery", fire.battery, -1),
            ("DFM.c", "defensive-fire.modifiers.entrenchment", fire.entrenchment, -1),
            ("DFM.d", "defensive-fire.modifiers.jungle", fire.jungle, -1),
            ("DFM.e", "defensive-fire.modifiers.redoubt", fire.redoubt, -2),
            ("DFM.f", "defensive-fire.modifiers.signals", fire.signals, 1),
            ("DFM.g", "defensive-fire.modifiers.leader", fire.leader, 1),
            ("6.4b", "defensive-fire.modifiers.all-out", fire.all_out, 2),
            ("SCM.a", "shock.shifts.attacking-leader", shock.attacking_leader, 1),
            ("SCM.a", "shock.shifts.defending-leader", shock.defending_leader, -1),
            ("6.4c", "shock.shifts.all-out", shock.all_out, 2),
            ("SCM.b", "shock.shifts.ground", shock.ground, -1),
            ("SCM.c", "shock.shifts.river", shock.river, -1),
            ("SCM.d", "shock.shifts.redoubt", shock.redoubt, -2),
            ("8.8a", "movement.column-factor", i32::try_from(cost.column_factor).unwrap_or(0), 2),
        ];
        for (clause, key, has, printed) in signed {
            self.figure(clause, TABLES, dotted(key), has, printed);
        }
        let plain: [(&'static str, &str, u32, u32); 26] = [
            ("2.1e", "spanish-surrender.first-turn", surrender.first_turn, 2),
            ("4.1e", "spanish-surrender.last-turn", surrender.last_turn, 14),
            ("2.1e", "us-withdrawal.first-turn", tables.us_withdrawal.first_turn, 2),
            ("4.1e", "us-withdrawal.last-turn", tables.us_withdrawal.last_turn, 15),
            ("2.1g", "historic-events.first-turn", events.first_turn, 2),
            ("7.2.2b", "historic-events.delay-until-turn", events.delay_until_turn, 4),
            ("2.1f", "yellow-fever.first-turn", tables.yellow_fever.first_turn, 5),
            ("TEC.a", "movement.clear", cost.clear, 1),
            ("TEC.b", "movement.jungle", cost.jungle, 2),
            ("TEC.c", "movement.beach", cost.beach, 1),
            ("TEC.d", "movement.town", cost.town, 1),
            ("TEC.d", "movement.city", cost.city, 1),
            ("TEC.e", "movement.hill", cost.hill, 2),
            ("TEC.f", "movement.road", cost.road, 1),
            ("TEC.h", "movement.river", cost.river, 1),
            ("7.2.3a", "movement.bad-weather.clear", cost.bad_weather.clear, 2),
            ("7.2.3b", "movement.bad-weather.jungle", cost.bad_weather.jungle, 3),
            ("5.2a", "limits.stacking", limits.stacking, 6),
            ("8.2g", "limits.landing-steps", limits.landing_steps, 12),
            ("10.3b", "limits.base-landing-steps", limits.base_landing_steps, 6),
            ("5.2b", "limits.base-stacking", limits.base_stacking, 1),
            ("9.7c", "limits.naval-range", limits.naval_range, 4),
            ("9.7a", "limits.naval-factors", limits.naval_factors, 5),
            ("10.1a", "limits.supply-hexes", limits.supply_hexes, 2),
            ("4.1b", "limits.surrender-objectives", limits.surrender_objectives, 4),
            ("4.3b", "limits.withdrawal-steps", limits.withdrawal_steps, 10),
        ];
        for (clause, key, has, printed) in plain {
            self.figure(clause, TABLES, dotted(key), has, printed);
        }
        let repeats: BTreeSet<HistoricEvent> = events.repeat.iter().copied().collect();
        let printed = BTreeSet::from([HistoricEvent::HeroicCubans, HistoricEvent::BadWeather]);
        self.figure("7.1c", TABLES, at("historic-events").key("repeat"), repeats, printed);
    }

    // ---- scenarios

    fn calendar(&mut self) {
        let data = self.data;
        self.figure("2.1a", SCENARIOS, at("calendar"), data.last_turn(), 15);
        for (turn, printed) in (1..).zip(DATES) {
            let path = at("calendar").index(turn as usize - 1).key("date");
            self.figure("2.1b", SCENARIOS, path, data.date(turn), Some(printed));
        }
    }

    fn standard(&mut self) {
        let data = self.data;
        let scenario = data.scenario("standard");
        self.fact("3.1a", SCENARIOS, at("scenarios"), scenario.is_some(), "there is no scenario `standard`");
        let Some(scenario) = scenario else { return };
        self.fact("3.1a", SCENARIOS, at("scenarios"), scenario.default, "the standard set-up is the default");
        self.fact("3.2d", SCENARIOS, at("scenarios"), scenario.ring, "Santiago and its neighbours must be held");
        self.shared(scenario);
        self.allowed(scenario, "3.2f", &["BN"], &self.near(&[1308]));
        for (id, unit) in self.data.units.iter().filter(|(_, unit)| unit.group == Group::Start) {
            if !["BN", "M", "So"].contains(&unit.code.as_str()) {
                let free = scenario.deployment(*id).is_some_and(|deployment| deployment.rule == Whence::Anywhere);
                self.fact("3.2a", SCENARIOS, at("scenarios"), free, format!("`{id}` is set up anywhere"));
            }
        }
        let ring = self.near(&[1308]);
        let held = |hex: &Hex| {
            let fits = |(id, at): (&UnitId, &Hex)| at == hex && self.data.unit(*id).is_some_and(super::Unit::is_combat);
            scenario.deploy.iter().filter(|d| on_map(d)).any(|d| d.defaults.iter().any(fits))
        };
        let empty: Vec<String> = ring.iter().filter(|hex| !held(hex)).map(Hex::to_string).collect();
        let what = format!("the default set-up leaves {} empty", empty.join(", "));
        self.fact("3.2e", SCENARIOS, at("scenarios"), empty.is_empty(), what);
        for group in [Group::Wave1, Group::Wave2] {
            let any =
                |landing: &super::LandingEntry| landing.from == 1 && landing.until.is_none() && landing.at.is_none();
            self.landing(scenario, group, "3.4b", any, "US units land on any beach, on any turn");
        }
    }

    fn historical(&mut self) {
        let data = self.data;
        let scenario = data.scenario("historical");
        self.fact("HSS.a", SCENARIOS, at("scenarios"), scenario.is_some(), "there is no scenario `historical`");
        let Some(scenario) = scenario else { return };
        self.shared(scenario);
        let sevilla = self.near(&[1015, 1018, 816]);
        let lists: [(&'static str, &[&str], BTreeSet<Hex>); 8] = [
            ("HSS.b", &["1/64 S"], self.near(&[1308])),
            ("HSS.c", &["1/29 Co", "Vara del Rey"], [1411, 1512].map(hex).into()),
            ("HSS.d", &["1 TG", "4TV", "1/PPR", "Voluntarios", "1/5 RA"], [1110, 1210, 1311].map(hex).into()),
            ("HSS.e", &["BN"], self.near(&[1310])),
            ("HSS.f", &["1/65 Cu", "2/65 Cu"], [709, 909, 1009].map(hex).into()),
            ("HSS.g", &["1/55 A"], [hex(1405)].into()),
            ("HSS.h", &["Ing/3R"], [hex(1108)].into()),
            ("HSS.i", &["19 T", "1 Cav", "2 TG", "1/11 SF", "6/4 AM", "VC"], sevilla),
        ];
        for (clause, codes, hexes) in lists {
            self.allowed(scenario, clause, codes, &hexes);
        }
        let first = |landing: &super::LandingEntry| {
            landing.from == 1
                && landing.until == Some(4)
                && landing.at == Some(vec![hex(621)])
                && landing.if_controlled.is_empty()
                && landing.then == Some(Group::Wave2)
        };
        self.landing(scenario, Group::Wave1, "HSU.a", first, "the first wave lands at 0621 on Turns 1 to 4");
        let second = |landing: &super::LandingEntry| {
            landing.from == 3
                && landing.until.is_none()
                && landing.at == Some(vec![hex(621)])
                && landing.if_controlled == [hex(816)]
        };
        let what = "the second wave lands from Turn 3 on, at 0621 or at 0816 while US-controlled";
        self.landing(scenario, Group::Wave2, "HSU.d", second, what);
    }

    /// What both set-ups have in common.
    fn shared(&mut self, scenario: &Scenario) {
        let data = self.data;
        self.allowed(scenario, "3.2g", &["M"], &[hex(705)].into());
        self.allowed(scenario, "3.2g", &["So"], &[hex(803)].into());
        for (id, unit) in &data.units {
            let rule = scenario.deployment(*id).map(|deployment| &deployment.rule);
            let (clause, holds) = match unit.group {
                Group::Escario => {
                    ("8.3a", matches!(rule, Some(Whence::Entry(entry)) if (entry.turn, entry.delayed) == (4, 5)))
                }
                Group::Event6 => ("7.2.6a", rule == Some(&Whence::Event(6))),
                Group::Cuban => (
                    "3.3a",
                    matches!(rule, Some(Whence::Cuban(rule)) if rule.terrain == [Terrain::Clear, Terrain::Hill]
                        && rule.within == 4 && rule.of == hex(1308)),
                ),
                _ => continue,
            };
            let what = format!("`{id}` does not come into play as the rules have it in `{}`", scenario.id);
            self.fact(clause, SCENARIOS, at("scenarios"), holds, what);
        }
        let base = |landing: &super::LandingEntry| landing.from == 1 && landing.at.is_none();
        self.landing(scenario, Group::Base, "IMP.14", base, "the base lands on any beach from Turn 1 on");
        for deployment in &scenario.deploy {
            for (id, hex) in &deployment.defaults {
                let legal = match &deployment.rule {
                    Whence::Hexes(hexes) => hexes.contains(hex),
                    Whence::Entry(_) => data.west_edge.contains(hex),
                    _ => true,
                };
                let what = format!("`{id}` may not be set up in {hex}");
                self.fact(deployment.clause.0, SCENARIOS, at("scenarios"), legal, what);
            }
        }
        let mut stacks = std::collections::BTreeMap::new();
        for deployment in scenario.deploy.iter().filter(|deployment| on_map(deployment)) {
            for (_, hex) in
                deployment.defaults.iter().filter(|(id, _)| data.unit(**id).is_some_and(super::Unit::is_combat))
            {
                *stacks.entry(*hex).or_insert(0u32) += 1;
            }
        }
        let full = stacks.values().all(|&units| units <= 6);
        self.fact(
            "3.2j",
            SCENARIOS,
            at("scenarios"),
            full,
            format!("the set-up of `{}` overstacks a hex", scenario.id),
        );
    }

    /// Units with these codes may be set up in exactly these hexes.
    fn allowed(&mut self, scenario: &Scenario, clause: &'static str, codes: &[&str], hexes: &BTreeSet<Hex>) {
        for code in codes {
            let unit = self.data.units.values().find(|unit| unit.force == Force::Spanish && unit.code == *code);
            let rule = unit.and_then(|unit| scenario.deployment(unit.id)).map(|deployment| &deployment.rule);
            let holds = matches!(rule, Some(Whence::Hexes(allowed)) if allowed.iter().copied().collect::<BTreeSet<_>>() == *hexes);
            let listed: Vec<String> = hexes.iter().map(Hex::to_string).collect();
            let what = format!("in `{}`, {code} is set up in {}", scenario.id, listed.join(", "));
            self.fact(clause, SCENARIOS, at("scenarios"), holds, what);
        }
    }

    fn landing(
        &mut self,
        scenario: &Scenario,
        group: Group,
        clause: &'static str,
        fits: impl Fn(&super::LandingEntry) -> bool,
        what: &str,
    ) {
        let data = self.data;
        let mut counters: Vec<UnitId> =
            data.units.values().filter(|unit| unit.group == group).map(|unit| unit.id).collect();
        if group == Group::Base {
            counters.push(data.cast.base);
        }
        let holds = counters.iter().all(|&id| {
            matches!(scenario.deployment(id).map(|deployment| &deployment.rule), Some(Whence::Landing(rule)) if fits(rule))
        });
        self.fact(clause, SCENARIOS, at("scenarios"), holds, what);
    }

    /// Land hexes in or next to these.
    fn near(&self, numbers: &[u16]) -> BTreeSet<Hex> {
        let centres = numbers.iter().copied().map(hex);
        let ring = centres.clone().flat_map(|centre| self.data.neighbours(centre));
        centres.clone().chain(ring).filter(|&hex| self.data.is_land(hex)).collect()
    }
}

/// Does it place units before the first turn?
fn on_map(deployment: &Deployment) -> bool {
    matches!(deployment.rule, Whence::Anywhere | Whence::Hexes(_))
}

fn dotted(key: &str) -> DocPath {
    key.split('.').fold(DocPath::root(), |path, part| path.key(part))
}
