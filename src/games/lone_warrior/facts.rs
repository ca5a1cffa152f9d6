//! What the rulebook says about its own battlefields and units: a data folder is held against these facts.

use crate::board::Grid;
use crate::engine::data::{Loader, at};

use super::data::{Data, FIELDS, Field, UNITS, Unit};
use super::terms::{Arm, Battlefield, Ground, Power, Work};

use Battlefield::{ElCaney, SanJuan};

/// Clause, battlefield, the part of its entry that says so, the fact, the remedy, and whether it holds.
type Fact = (&'static str, Battlefield, &'static str, &'static str, &'static str, bool);

/// States every fact.
pub fn state(data: &Data, loader: &mut Loader<'_>) {
    let facts = units(data).into_iter().map(|fact| (UNITS, fact));
    for (file, (clause, field, part, what, remedy, holds)) in
        facts.chain(ground(data).into_iter().map(|fact| (FIELDS, fact)))
    {
        let at = at("battlefields").key(field.as_str()).key(part);
        loader.fact(clause, file, at, holds, what, remedy);
    }
}

fn units(data: &Data) -> Vec<Fact> {
    let units = |test: &dyn Fn(&Unit) -> bool| data.units.values().filter(|unit| test(unit)).count();
    let count = |field: Battlefield, power: Power, on_map: bool| {
        units(&|unit| unit.field == field && unit.power == power && unit.is_off_table() != on_map)
    };
    let formation =
        |field: Battlefield, name: &str| units(&|unit| unit.field == field && unit.formation.starts_with(name));
    let leaders = |field: Battlefield, power: Power| {
        data.leaders.values().filter(|leader| leader.field == field && leader.power == power).count()
    };
    let each = |field: Battlefield, number: usize| Power::ALL.iter().all(|power| leaders(field, *power) == number);
    let us = |field: Battlefield, on_map: usize| {
        count(field, Power::Us, true) == on_map && count(field, Power::Us, false) == 1
    };
    let talavera = formation(SanJuan, "Talavera") == 7;
    let san_fernando = formation(SanJuan, "San Fernando") == 3;
    let puerto_rico = formation(SanJuan, "1st Puerto Rico") == 3;
    let spanish = count(SanJuan, Power::Spain, true) == 13;
    let guns = count(SanJuan, Power::Spain, false) == 1;
    let first = formation(SanJuan, "First Division") == 6;
    let cavalry = formation(SanJuan, "Cavalry Division") == 6;
    let gatling = units(&|unit| unit.arm == Arm::Gatling && unit.field == SanJuan) == 1;
    let hero = data.heroes.values().any(|hero| hero.name.contains("Roosevelt"));
    let enough = u32::try_from(count(ElCaney, Power::Spain, true)).unwrap_or(0) >= data.field(ElCaney).us_needs;
    vec![
        ("SJ.2", SanJuan, "units", "seven units of the Talavera Battalion", "list seven", talavera),
        ("SJ.3", SanJuan, "units", "three companies of San Fernando", "list three", san_fernando),
        ("SJ.4", SanJuan, "units", "three companies of Puerto Rico", "list three", puerto_rico),
        ("SJ.5", SanJuan, "units", "13 Spanish units on the map", "7 + 3 + 3", spanish),
        ("SJ.6", SanJuan, "units", "one Spanish gun section off the table", "list one", guns),
        ("SJ.8", SanJuan, "units", "six regiments of the First Division", "list six", first),
        ("SJ.10", SanJuan, "units", "six regiments of the Cavalry Division", "list six", cavalry),
        (
            "SJ.13",
            SanJuan,
            "units",
            "14 U.S. units, 13 of them on the map",
            "12 regiments, Gatlings, a battery",
            us(SanJuan, 13),
        ),
        ("SJ.12", SanJuan, "units", "one Gatling unit", "list one", gatling),
        ("9p", SanJuan, "heroes", "Roosevelt is with the 1st Volunteer Cavalry", "list him as a hero", hero),
        ("10g", SanJuan, "leaders", "two leaders a side at San Juan Heights", "list two each", each(SanJuan, 2)),
        ("10g", ElCaney, "leaders", "one leader a side at El Caney", "list one each", each(ElCaney, 1)),
        ("EC.7", ElCaney, "units", "enough Spanish units at El Caney for a U.S. victory", "list nine or more", enough),
        (
            "EC.14",
            ElCaney,
            "units",
            "12 U.S. units, 11 of them on the map",
            "11 regiments and a battery",
            us(ElCaney, 11),
        ),
    ]
}

fn ground(data: &Data) -> Vec<Fact> {
    let (heights, caney) = (data.field(SanJuan), data.field(ElCaney));
    let has = |field: &Field, ground: Ground| field.terrain.iter().any(|terrain| terrain.ground == ground);
    let blockhouses = caney.terrain.iter().filter(|terrain| terrain.work == Work::Blockhouse).count();
    let in_blockhouses = caney.areas.iter().all(|area| caney.at(area.at).work == Work::Blockhouse);
    let three = heights.areas.len() == 3 && heights.areas_needed == 3;
    let two = caney.areas.len() == 2 && caney.areas_needed == 1;
    let line = data.units.values().filter(|unit| unit.field == SanJuan && unit.power == Power::Us);
    let ranks: Vec<u16> = line.filter_map(|unit| unit.start).map(|at| at.second()).collect();
    let one_line = ranks.iter().all(|rank| Some(rank) == ranks.first())
        && ranks.len() == heights.grid.len() / usize::from(heights.grid.frame().ranks.last);
    let mut facts = Vec::new();
    for (id, field) in [(SanJuan, heights), (ElCaney, caney)] {
        let (river, spain, us) = (!field.obstacles.is_empty(), field.spain_needs == 6, field.us_needs == 9);
        facts.push(("3a", id, "victory", "Spain wins with six U.S. units eliminated", "write 6", spain));
        facts.push(("3b", id, "victory", "the U.S. need nine Spanish units eliminated", "write 9", us));
        facts.push(("2e", id, "obstacles", "an obstacle to cross before the Spanish line", "draw the river", river));
    }
    facts.extend([
        ("3c", SanJuan, "areas", "three areas, all of them needed", "list three", three),
        ("3d", ElCaney, "areas", "two blockhouses, one of them needed", "list two", two),
        ("3h", ElCaney, "picture", "exactly two blockhouses at El Caney", "draw two", blockhouses == 2),
        ("A49", ElCaney, "areas", "the objectives of El Caney are its blockhouses", "name their boxes", in_blockhouses),
        ("EC.16", ElCaney, "picture", "a town", "draw one", has(caney, Ground::Town)),
        ("SJ.18", SanJuan, "picture", "a pond", "draw one", has(heights, Ground::Pond)),
        ("SJ.14", SanJuan, "setup", "the U.S. line fills every lane", "one unit a lane, in one rank", one_line),
    ]);
    facts
}
