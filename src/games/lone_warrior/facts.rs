//! What the rulebook says about its own battlefields and units: a data folder is held against these facts.

use std::collections::BTreeMap;

use crate::board::Grid;
use crate::engine::{Clause, DataFinding};

use super::data::{Data, Field};
use super::terms::{Arm, Battlefield, Ground, Power, Work};

/// Checks a data folder.
pub fn check(files: &BTreeMap<String, String>) -> Vec<DataFinding> {
    let data = match Data::load(files) {
        Ok(data) => data,
        Err(bad) => {
            let finding = |bad: super::data::BadFile| DataFinding {
                file: bad.file.to_owned(),
                place: match bad.fault.place {
                    Some(place) => format!("{}:{}", place.line, place.column),
                    None => bad.fault.at.to_string(),
                },
                clause: bad.fault.clause,
                what: bad.fault.what,
                remedy: bad.fault.remedy,
                holds: false,
            };
            return bad.into_iter().map(finding).collect();
        }
    };
    let mut findings = Vec::new();
    let mut fact = |file: &str, place: &str, clause: &'static str, what: &str, remedy: &str, holds: bool| {
        findings.push(DataFinding {
            file: file.to_owned(),
            place: place.to_owned(),
            clause: Some(Clause(clause)),
            what: what.to_owned(),
            remedy: remedy.to_owned(),
            holds,
        });
    };
    units(&data, &mut fact);
    ground(&data, &mut fact);
    findings
}

/// File, place, clause, fact, remedy, and whether it holds.
type Note<'n> = dyn FnMut(&str, &str, &'static str, &str, &str, bool) + 'n;

fn units(data: &Data, fact: &mut Note<'_>) {
    let file = "units.yaml";
    let count = |field: Battlefield, power: Power, on_map: bool| {
        let of =
            |unit: &&super::data::Unit| unit.field == field && unit.power == power && unit.is_off_table() != on_map;
        data.units.values().filter(of).count()
    };
    let formation = |field: Battlefield, name: &str| {
        let of = |unit: &&super::data::Unit| unit.field == field && unit.formation.starts_with(name);
        data.units.values().filter(of).count()
    };
    let (heights, caney) = (Battlefield::SanJuan, Battlefield::ElCaney);
    let sj = heights.as_str();
    let ec = caney.as_str();
    fact(file, sj, "SJ.2", "seven units of the Talavera Battalion", "list seven", formation(heights, "Talavera") == 7);
    fact(file, sj, "SJ.3", "three companies of San Fernando", "list three", formation(heights, "San Fernando") == 3);
    fact(file, sj, "SJ.4", "three companies of Puerto Rico", "list three", formation(heights, "1st Puerto Rico") == 3);
    fact(file, sj, "SJ.5", "13 Spanish units on the map", "7 + 3 + 3", count(heights, Power::Spain, true) == 13);
    fact(
        file,
        sj,
        "SJ.6",
        "one Spanish gun section off the table",
        "list one",
        count(heights, Power::Spain, false) == 1,
    );
    let first = formation(heights, "First Division") == 6;
    fact(file, sj, "SJ.8", "six regiments of the First Division", "list six", first);
    let cavalry = formation(heights, "Cavalry Division") == 6;
    fact(file, sj, "SJ.10", "six regiments of the Cavalry Division", "list six", cavalry);
    let us = count(heights, Power::Us, true) == 13 && count(heights, Power::Us, false) == 1;
    fact(file, sj, "SJ.13", "14 U.S. units, 13 of them on the map", "12 regiments, Gatlings, a battery", us);
    let gatling = |unit: &&super::data::Unit| unit.arm == Arm::Gatling && unit.field == heights;
    fact(file, sj, "SJ.12", "one Gatling unit", "list one", data.units.values().filter(gatling).count() == 1);
    let hero = data.heroes.values().any(|hero| hero.name.contains("Roosevelt"));
    fact(file, sj, "9p", "Roosevelt is with the 1st Volunteer Cavalry", "list him as a hero", hero);
    let leaders = |field: Battlefield, power: Power| {
        data.leaders.values().filter(|leader| leader.field == field && leader.power == power).count()
    };
    let two = leaders(heights, Power::Spain) == 2 && leaders(heights, Power::Us) == 2;
    fact(file, sj, "10g", "two leaders a side at San Juan Heights", "list two each", two);
    let one = leaders(caney, Power::Spain) == 1 && leaders(caney, Power::Us) == 1;
    fact(file, ec, "10g", "one leader a side at El Caney", "list one each", one);
    let enough = u32::try_from(count(caney, Power::Spain, true)).unwrap_or(0) >= data.field(caney).us_needs;
    fact(file, ec, "EC.7", "enough Spanish units at El Caney for a U.S. victory", "list nine or more", enough);
    let us = count(caney, Power::Us, true) == 11 && count(caney, Power::Us, false) == 1;
    fact(file, ec, "EC.14", "12 U.S. units, 11 of them on the map", "11 regiments and a battery", us);
}

fn ground(data: &Data, fact: &mut Note<'_>) {
    let file = "battlefields.yaml";
    let works = |field: &Field, work: Work| field.terrain.iter().filter(|terrain| terrain.work == work).count();
    let grounds = |field: &Field, ground: Ground| field.terrain.iter().any(|terrain| terrain.ground == ground);
    let (heights, caney) = (data.field(Battlefield::SanJuan), data.field(Battlefield::ElCaney));
    let (sj, ec) = (Battlefield::SanJuan.as_str(), Battlefield::ElCaney.as_str());
    for (name, field) in [(sj, heights), (ec, caney)] {
        fact(file, name, "3a", "Spain wins with six U.S. units eliminated", "write 6", field.spain_needs == 6);
        fact(file, name, "3b", "the U.S. need nine Spanish units eliminated", "write 9", field.us_needs == 9);
        fact(
            file,
            name,
            "2e",
            "an obstacle to cross before the Spanish line",
            "draw the river",
            !field.obstacles.is_empty(),
        );
    }
    let three = heights.areas.len() == 3 && heights.areas_needed == 3;
    fact(file, sj, "3c", "three areas, all of them needed", "list three", three);
    let two = caney.areas.len() == 2 && caney.areas_needed == 1;
    fact(file, ec, "3d", "two blockhouses, one of them needed", "list two", two);
    fact(file, ec, "3h", "exactly two blockhouses at El Caney", "draw two", works(caney, Work::Blockhouse) == 2);
    let in_blockhouses = caney.areas.iter().all(|area| caney.at(area.at).work == Work::Blockhouse);
    fact(file, ec, "A49", "the objectives of El Caney are its blockhouses", "name their boxes", in_blockhouses);
    fact(file, ec, "EC.16", "a town", "draw one", grounds(caney, Ground::Town));
    fact(file, sj, "SJ.18", "a pond", "draw one", grounds(heights, Ground::Pond));
    let line = data.units.values().filter(|unit| unit.field == Battlefield::SanJuan && unit.power == Power::Us);
    let ranks: Vec<u16> = line.filter_map(|unit| unit.start).map(|at| at.second()).collect();
    let one_line = ranks.iter().all(|rank| Some(rank) == ranks.first())
        && ranks.len() == heights.grid.len() / usize::from(heights.grid.frame().ranks.last);
    fact(file, sj, "SJ.14", "the U.S. line fills every lane", "one unit a lane, in one rank", one_line);
}
