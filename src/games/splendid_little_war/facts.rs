//! What the rulebook prints about map, counters, tables and scenarios: `garcia data check` lists what holds.

use std::collections::BTreeSet;

use crate::board::{Grid, Hex, Points};
use crate::engine::data::{Loader, at};
use crate::engine::doc::DocPath;

use super::data::{COUNTERS, CountersFile, Data, MAP, MapFile, SCENARIOS, TABLES, Unit, Water};
use super::scenarios::Scenario;
use super::tables::{HexEffect, Mud, Nerve, SideEffect, Variable};
use super::terms::{Arm, Chief, Column, Flag, Force, Formation, Mp, Piece, Size, Terrain};

/// States every fact.
pub fn state(loader: &mut Loader<'_>, data: &Data, map: &MapFile, counters: &CountersFile) {
    of_map(&mut Facts { loader, file: MAP }, data, map);
    of_counters(&mut Facts { loader, file: COUNTERS }, data, counters);
    let mut tables = Facts { loader, file: TABLES };
    of_terrain(&mut tables, data);
    of_limits(&mut tables, data);
    of_combat(&mut tables, data);
    of_scenarios(&mut Facts { loader, file: SCENARIOS }, data);
}

/// The facts of one file.
struct Facts<'w, 'l> {
    loader: &'w mut Loader<'l>,
    file: &'static str,
}

impl Facts<'_, '_> {
    fn says(&mut self, clause: &'static str, at: DocPath, holds: bool, what: impl Into<String>) {
        let what = what.into();
        let remedy = format!("make it so: {what}");
        self.loader.fact(clause, self.file, at, holds, what, remedy);
    }
}

const HEIGHTS: [u16; 6] = [1019, 1219, 1418, 1521, 1618, 1719];

fn hex(number: u16) -> Hex {
    Hex::printed(number)
}

fn of_map(facts: &mut Facts<'_, '_>, data: &Data, map: &MapFile) {
    let places = at("places");
    let caney = data.hex_named("El Caney");
    facts.says("17.0.setup-b", places.clone(), caney == Some(hex(2629)), "El Caney is 2629");
    facts.says("17.0.setup-c", places.clone(), data.hex_named("Fort El Viso") == Some(hex(2531)), "El Viso is 2531");
    facts.says("17.0.setup-d", places.clone(), data.hex_named("Fort Canosa") == Some(hex(1516)), "Canosa is 1516");
    facts.says("17.0.setup-e", places, data.hex_named("Kettle Hill") == Some(hex(1521)), "Kettle Hill is 1521");
    let apart = data.distance(hex(2629), hex(2531));
    facts.says("16.1b", at("frame"), apart == 2, "El Viso lies two hexes from El Caney, within its set-up area");
    facts.says("16.1b", at("terrain"), data.is(hex(2629), Terrain::Village), "El Caney is a village hex");
    facts.says("16.1j", at("forts"), data.is_fort(hex(2531)), "there is a fort in 2531");
    facts.says("16.2c", at("forts"), data.is_fort(hex(1516)), "there is a fort in 1516");
    let blockhouse = data.ground(hex(1708)).is_some_and(|ground| ground.blockhouse);
    facts.says("17.0.setup-k", at("blockhouses"), blockhouse, "there is a blockhouse in 1708");
    for number in HEIGHTS {
        let hill = data.is(hex(number), Terrain::Hill);
        facts.says("16.2i", at("terrain"), hill, format!("{} is a hill hex", hex(number)));
    }
    let (juan, kettle) = (data.hill_named("San Juan Heights"), data.hill_named("Kettle Hill"));
    let two = juan.is_some() && kettle.is_some() && juan != kettle;
    facts.says("16.2b", at("hills"), two, "San Juan Heights and Kettle Hill are two hills");
    facts.says("16.2e", at("terrain"), data.is_land(hex(1513)), "1513 is land");
    let leaves = |at: Hex| data.is_edge(at) && data.ground(at).is_some_and(|ground| ground.road);
    facts.says("10.0k", at("us-edge").key("hex"), data.us_source == hex(937), "US supply comes from 0937");
    facts.says("10.0k", at("roads"), leaves(hex(937)), "0937 is a road hex on the edge of the map");
    let cobre = data.cobre_road == hex(2903);
    facts.says("17.0.escario-h", at("cobre-edge").key("hex"), cobre, "the Cobre road leaves the map in 2903");
    facts.says("17.0.escario-h", at("roads"), leaves(hex(2903)), "2903 is a road hex on the edge of the map");
    facts.says("10.0l", at("terrain"), data.city.len() > 1, "Santiago has several city hexes");
    let harbor = data.grid.cells().any(|hex| data.is(hex, Terrain::Harbor));
    facts.says("TEC.harbor", at("terrain"), harbor, "there is a harbor");
    let named = |fort: &Hex| *fort == hex(2531) || *fort == hex(1516);
    let around = !data.city_forts.iter().any(named) && data.city_forts.iter().all(|fort| data.is_fort(*fort));
    let several = around && data.city_forts.len() > 1;
    facts.says("17.0.setup-m", at("city-forts"), several, "the city has forts besides El Viso and Canosa");
    let last = data.city.iter().map(|hex| hex.first()).min();
    let south: BTreeSet<Hex> = data.city_forts.iter().copied().filter(|fort| Some(fort.first()) < last).collect();
    let one = south == data.south_forts && !south.is_empty();
    facts.says("17.0.setup-p", at("south-forts"), one, "those of them in rows south of the city are its south forts");
    let works = data.forts.union(&data.blockhouses).count();
    let needed = data.tables.victory.places as usize + 2;
    facts.says("17.0.victory-b", at("blockhouses"), works >= needed, "there are forts and blockhouses enough to win");
    let six = map.bivouacs.iter().map(|bivouac| bivouac.number).collect::<BTreeSet<_>>() == (1..=6).collect();
    facts.says("17.0.us-g", at("bivouacs"), six, "there are bivouacs 1 to 6");
    let near = |of: Option<Hex>, wanted: &dyn Fn(Hex) -> bool| {
        of.is_some_and(|of| data.grid.cells().any(|hex| data.distance(of, hex) <= 2 && wanted(hex)))
    };
    let road = near(data.bivouacs.get(3).copied(), &|hex| data.ground(hex).is_some_and(|ground| ground.road));
    facts.says("16.1h", at("bivouacs"), road, "there are road hexes within two hexes of bivouac 4");
    let hill = near(Some(data.el_pozo), &|hex| data.is(hex, Terrain::Hill));
    facts.says("16.2g", at("el-pozo").key("hex"), hill, "there are hill hexes within two hexes of El Pozo");
    let creek = map.rivers.iter().find(|river| river.name.as_deref().is_some_and(|name| name.contains("Guas")));
    let rows: BTreeSet<u16> =
        creek.iter().flat_map(|river| &river.sides).flat_map(|(a, b)| [a.first(), b.first()]).collect();
    let crosses = (12..=16).all(|row| rows.contains(&row));
    facts.says("16.2f", at("rivers"), crosses, "Las Guasmas Creek crosses rows 12 to 16");
    let fords: BTreeSet<(Hex, Hex)> = data
        .grid
        .cells()
        .flat_map(|hex| data.neighbours(hex).map(move |next| (hex, next)))
        .filter(|(a, b)| a < b && data.crossing(*a, *b) == Water::Ford)
        .collect();
    let said = map.fords.iter().flat_map(|entry| &entry.sides).map(|(a, b)| (*a.min(b), *a.max(b))).collect();
    facts.says("6.0b", at("fords"), fords == said, "the fords are where a road or trail crosses a river unbridged");
    let bridges = map.bridges.iter().flat_map(|entry| &entry.sides);
    let over = bridges.clone().all(|(a, b)| data.crossing(*a, *b) == Water::Bridge);
    facts.says("TEC.bridge", at("bridges"), over, "bridges lie over rivers");
    let joined = road_reaches(data, data.cuabitas, |hex| data.city.contains(&hex));
    facts.says("17.0.victory-k", at("cuabitas").key("hex"), joined, "a road joins Cuabitas and the city");
}

fn road_reaches(data: &Data, from: Hex, to: impl Fn(Hex) -> bool) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(here) = open.pop() {
        if to(here) {
            return true;
        }
        open.extend(data.neighbours(here).filter(|next| data.road_between(here, *next) && seen.insert(*next)));
    }
    false
}

fn of_counters(facts: &mut Facts<'_, '_>, data: &Data, file: &CountersFile) {
    let units = || data.units.values();
    let all = at("units");
    facts.says("2.0b", at("total").key("counters"), data.total == 352, "the game has 352 counters");
    let count = u32::try_from(file.units.len()).unwrap_or(u32::MAX).saturating_add(data.markers);
    facts.says("2.0b", at("markers"), count == data.total, format!("units and markers are {count} counters"));
    let regiments = || units().filter(|unit| unit.size == Size::Regiment);
    facts.says("5.3a", all.clone(), regiments().count() == 30, "there are 30 US regiments");
    let thirds = regiments().all(|unit| unit.parts.len() == 3 && unit.force == Force::Us && unit.arm == Arm::Infantry);
    facts.says("5.4c", all.clone(), thirds, "each regiment has three breakdown units");
    let squadron = units().filter(|unit| unit.size == Size::Squadron).collect::<Vec<_>>();
    let four = matches!(squadron.as_slice(), [one] if one.parts.len() == 4 && one.arm == Arm::Cavalry);
    facts.says("5.4d", all.clone(), four, "the 2nd Cavalry is one squadron of four mounted troops");
    let single = units().all(|unit| unit.force == Force::Us || unit.parts.is_empty());
    facts.says("5.4f", all.clone(), single, "only US counters break down");
    let volunteers = |code: &str| units().any(|unit| unit.code.as_str() == code && unit.has(Flag::Vol));
    let marked = ["71 NY", "2 Mass", "34 Mich", "9 Mass", "1 Ill", "1 D.C."].iter().all(|code| volunteers(code));
    facts.says("5.3i", all.clone(), marked, "the six volunteer regiments are marked Vol");
    let mounted = |unit: &&Unit| unit.arm == Arm::Cavalry && unit.force == Force::Spanish;
    facts.says("17.0.setup-j", all.clone(), units().filter(mounted).count() == 2, "two Spanish units are mounted");
    let rated = |unit: &Unit| (unit.cf, unit.range, unit.mf) == (Some(2), Some(12), 6);
    let battery = units().any(|unit| unit.force == Force::Spanish && unit.arm == Arm::Artillery && rated(unit));
    facts.says("16.2b", all.clone(), battery, "a Spanish battery is rated 2-12-6");
    let gatling: Vec<&Unit> = units().filter(|unit| unit.arm == Arm::Gatling).collect();
    let four_six = matches!(gatling.as_slice(), [gun] if (gun.cf, gun.mf) == (Some(4), 6));
    facts.says("16.2h", all.clone(), four_six, "there is one Gatling gun, rated 4-6");
    let dynamite: Vec<&Unit> = units().filter(|unit| unit.has(Flag::Dynamite)).collect();
    let short = matches!(dynamite.as_slice(), [gun] if gun.range == Some(1) && gun.arm == Arm::Artillery);
    facts.says("15.5a", all.clone(), short, "the dynamite gun is artillery with a range of 1");
    let colt: Vec<&Unit> = units().filter(|unit| unit.has(Flag::Colt)).collect();
    let foot = matches!(colt.as_slice(), [gun] if gun.arm == Arm::Infantry && gun.has(Flag::Usvc));
    facts.says("15.7a", all.clone(), foot, "the Colt is infantry of the Rough Riders");
    let asset =
        |unit: &Unit| unit.force == Force::Us && matches!(unit.arm, Arm::Artillery | Arm::Gatling | Arm::Engineer);
    let assets = units().all(|unit| unit.has(Flag::CorpsAsset) == asset(unit));
    facts.says("3.0g", all.clone(), assets, "guns, Gatling and engineers are the US corps assets");
    let red = |unit: &&Unit| unit.force == Force::Us && unit.arm == Arm::Artillery && !unit.has(Flag::Dynamite);
    let powder = units().filter(red).all(|unit| unit.has(Flag::BlackPowder));
    facts.says("15.2c", all.clone(), powder, "US guns fire black powder");
    let ours = units().all(|unit| unit.force == Force::Us || !unit.has(Flag::BlackPowder));
    facts.says("15.2a", all.clone(), ours, "only US units fire black powder");
    let variable = units().filter(|unit| unit.variable).collect::<Vec<_>>();
    let spanish = !variable.is_empty() && variable.iter().all(|unit| unit.force == Force::Spanish);
    facts.says("3.0e", all.clone(), spanish, "some Spanish units, and only they, have a variable factor");
    let ranges = units().filter(|unit| unit.is_leader()).all(|unit| matches!(unit.command, Some(2 | 4)));
    facts.says("5.7c", all.clone(), ranges, "command ranges are 2 or 4");
    let chiefs = Chief::ALL.iter().all(|chief| data.chief(*chief).is_some());
    facts.says("5.7a", all.clone(), chiefs, "every leader of the lists is there");
    let cubans = units().filter(|unit| unit.force == Force::Cuban && unit.is_combat()).count();
    facts.says("15.6a", all.clone(), cubans == 6, "there are six Cuban guerrilla units");
    let engineers = units().filter(|unit| unit.arm == Arm::Engineer).count();
    facts.says("15.4b", all.clone(), engineers == 2, "there are two engineer units");
    let balloon = units().filter(|unit| unit.arm == Arm::Base).count() == 1;
    facts.says("15.1a", all.clone(), balloon, "there is one balloon with its base");
    let tercio = units().filter(|unit| unit.force == Force::Spanish && unit.arm == Arm::Guerrilla).count();
    facts.says("16.3b", all.clone(), tercio >= 4, "there are four Spanish guerrilla units or more");
    let guard = units().filter(|unit| unit.has(Flag::CivilGuard)).count();
    facts.says("17.0.setup-n", all.clone(), guard == 1, "there is one Civil Guard unit");
    let naval = |arm: Arm| units().filter(|unit| unit.has(Flag::Naval) && unit.arm == arm).count();
    let sailors = naval(Arm::Infantry) == 5 && naval(Arm::Artillery) == 4;
    facts.says("17.0.setup-d", all.clone(), sailors, "there are five naval companies and four naval batteries");
    for (column, number) in [(Column::Alcan, 6), (Column::Prc, 7), (Column::Anda, 6), (Column::Ilc, 12)] {
        let holds = units().filter(|unit| unit.column == Some(column)).count() == number;
        facts.says("17.0.escario-a", all.clone(), holds, format!("{column} has {number} companies"));
    }
}

fn of_terrain(facts: &mut Facts<'_, '_>, data: &Data) {
    let hexes = &data.tables.terrain.hexes;
    let points = |halves: u32| Some(Mp::from_parts(halves));
    // Movement in halves, fire, quarters of the assault, its die.
    type Row<'r> = (&'static str, &'static str, &'r HexEffect, Option<Mp>, i32, u32, i32);
    let rows: [Row<'_>; 12] = [
        ("TEC.clear", "clear", &hexes.clear, points(2), 0, 4, 0),
        ("TEC.hill", "hill", &hexes.hill, points(6), 1, 2, 1),
        ("TEC.jungle", "jungle", &hexes.jungle, points(4), 1, 2, 0),
        ("TEC.swamp", "swamp", &hexes.swamp, points(8), 2, 1, 0),
        ("TEC.lake", "lake", &hexes.lake, points(4), 0, 2, 0),
        ("TEC.village", "village", &hexes.village, points(2), 1, 2, 0),
        ("TEC.city", "city", &hexes.city, points(2), 2, 1, 0),
        ("TEC.fort", "fort", &hexes.fort, None, 3, 2, 2),
        ("TEC.blockhouse", "blockhouse", &hexes.blockhouse, None, 2, 2, 1),
        ("TEC.entrenchment", "entrenchment", &hexes.entrenchment, None, 1, 2, 0),
        ("TEC.bivouac", "bivouac", &hexes.bivouac, None, 0, 4, 0),
        ("TEC.road", "road", &hexes.road, points(1), 0, 4, 0),
    ];
    for (clause, key, row, cost, fire, quarters, drm) in rows {
        let mud = if key == "road" { points(2) } else { cost };
        let more = (key == "entrenchment").then(|| Mp::whole(1));
        let costs = row.cost(false) == cost && row.cost(true) == mud && row.more == more && !row.prohibited;
        let holds = costs && row.fire_drm() == fire && row.assault_effect() == (quarters, drm);
        let price = match (cost, more) {
            (Some(cost), _) => format!("{cost} MP"),
            (None, Some(more)) => format!("the other ground and {more} MP"),
            (None, None) => "the other ground".to_owned(),
        };
        let factor = Points::<4>::from_parts(quarters);
        let what = format!("{key}: {price}, fire {fire:+}, assault × {factor} and {drm:+}");
        facts.says(clause, at("terrain").key("hexes").key(key), holds, what);
    }
    let trail = &hexes.trail;
    let plain = trail.fire_drm() == 0 && trail.assault_effect() == (4, 0);
    let holds = plain && trail.r#move == points(2) && trail.mud == Some(Mud::Other);
    let what = "trail: 1 MP, in Poor weather squared the other ground";
    facts.says("TEC.trail", at("terrain").key("hexes").key("trail"), holds, what);
    let closed = hexes.harbor.prohibited;
    facts.says("TEC.harbor", at("terrain").key("hexes").key("harbor"), closed, "harbor: prohibited");
    let sides = &data.tables.terrain.sides;
    let rows: [(&'static str, &'static str, SideEffect, u32, u32, u32); 4] = [
        ("TEC.river", "river", sides.river, 4, 5, 2),
        ("TEC.ford", "ford", sides.ford, 2, 3, 2),
        ("TEC.pontoon", "pontoon", sides.pontoon, 0, 2, 4),
        ("TEC.bridge", "bridge", sides.bridge, 0, 0, 4),
    ];
    for (clause, key, row, good, mud, quarters) in rows {
        let (good, mud) = (Mp::from_parts(good), Mp::from_parts(mud));
        let holds = row.cost(false) == good && row.cost(true) == mud && row.quarters() == quarters;
        let factor = Points::<4>::from_parts(quarters);
        let what = format!("{key} hexside: {good} MP, in Poor weather squared {mud}, assault × {factor}");
        facts.says(clause, at("terrain").key("sides").key(key), holds, what);
    }
}

fn of_limits(facts: &mut Facts<'_, '_>, data: &Data) {
    let tables = &data.tables;
    let morale = tables.morale;
    for (clause, key, rating, printed) in [
        ("5.5d", "us", morale.us, 7),
        ("5.5e", "cuban", morale.cuban, 4),
        ("5.5f", "spanish", morale.spanish, 6),
        ("5.5g", "spanish-guerrilla", morale.spanish_guerrilla, 5),
    ] {
        facts.says(clause, at("morale").key(key), rating == printed, format!("the {key} rating is {printed}"));
    }
    let weather = tables.weather;
    facts.says("7.0a", at("weather").key("first-turn"), weather.first_turn == 7, "weather is rolled from turn 7 on");
    facts.says("7.0b", at("weather").key("poor"), weather.poor == 5, "5 or more is Poor weather");
    facts.says("7.0c", at("weather").key("after-poor"), weather.after_poor == 1, "+1 after a Poor turn");
    let late = (weather.late_turn, weather.late) == (14, 1);
    facts.says("7.0d", at("weather").key("late-turn"), late, "+1 from turn 14 on");
    let fever = tables.fever;
    facts.says("8.0d", at("fever").key("us"), fever.us.first == 10, "US outbreak begins with 10 percent");
    facts.says("8.0d", at("fever").key("spanish"), fever.spanish.first == 5, "Spanish outbreak begins with 5 percent");
    facts.says("8.0e", at("fever").key("us"), fever.us.more == 10, "and rises by 10");
    facts.says("8.0e", at("fever").key("spanish"), fever.spanish.more == 5, "and rises by 5");
    let catching = (fever.contraction.first, fever.contraction.more) == (5, 5);
    facts.says("8.0i", at("fever").key("contraction"), catching, "contraction is 5 percent, 5 more each day");
    let most = fever.contraction.most == 25;
    facts.says("8.0j", at("fever").key("contraction"), most, "and never more than 25");
    facts.says("10.0f", at("supply").key("line"), tables.supply.line == 7, "a Supply Line has at most 7 hexes");
    let mud = tables.supply.line_in_mud == 6;
    facts.says("10.0n", at("supply").key("line-in-mud"), mud, "in Poor weather squared 6");
    let near = tables.command.near_chief == 4;
    facts.says("11.0t", at("command").key("near-chief"), near, "Shafter and Del Rey help leaders within 4 hexes");
    let net = (tables.command.most, tables.command.least) == (1, -2);
    facts.says("11.0aa", at("command"), net, "a command range changes by +1 to -2");
    facts.says("5.4c", at("stacking").key("us-parts"), tables.stacking.us_parts == 3, "three parts are a regiment");
    let spanish = (tables.stacking.spanish, tables.stacking.spanish_guns) == (6, 1);
    facts.says("5.4e", at("stacking"), spanish, "six Spanish units and one battery more fit into a hex");
    let escario = tables.escario;
    facts.says("17.0.escario-b", at("escario").key("turn"), escario.turn == 5, "the column rolls from turn 5 on");
    facts.says("17.0.escario-b", at("escario").key("enters"), escario.enters == [0, 6], "0 to 6 enters");
    facts.says("17.0.escario-c", at("escario").key("loses-one"), escario.loses_one == [7, 8], "7 and 8 cost a unit");
    facts.says("17.0.escario-d", at("escario").key("loses-two"), escario.loses_two == 9, "9 costs two");
    let sortie = tables.sortie;
    let rolled = (sortie.rolled_on, sortie.modifier) == (2, -1);
    facts.says("17.0.cervera-a", at("sortie"), rolled, "the date is rolled on turn 2, less one");
    facts.says("17.0.cervera-b", at("sortie").key("first-day"), sortie.first_day == 3, "July 3 is the first day");
    facts.says("17.0.cervera-f", at("sortie").key("resists"), sortie.resists == [5, 9], "5 to 9 keeps the fleet a day");
    let garrison = tables.garrison;
    let freed = garrison.freed_within == 2;
    facts.says("17.0.garrison-c", at("garrison").key("freed-within"), freed, "a US unit within 2 hexes frees a unit");
    let points = garrison.points_a_level == 30;
    facts.says("17.0.victory-j", at("garrison").key("points-a-level"), points, "30 points shift the level");
    let victory = tables.victory;
    facts.says(
        "17.0.victory-b",
        at("victory").key("places"),
        victory.places == 5,
        "five blockhouses or forts are needed",
    );
    let four = victory.spanish_political == 4;
    facts.says("17.0.victory-e", at("victory").key("spanish-political"), four, "four for a Spanish Political Victory");
    facts.says("17.0.victory-g", at("victory").key("us-steps"), victory.us_steps == 20, "more than 20 US steps shift");
    let steps = victory.spanish_steps == 25;
    facts.says("17.0.victory-h", at("victory").key("spanish-steps"), steps, "more than 25 Spanish steps shift");
    facts.says("17.0.auto-a", at("victory").key("ring-turns"), victory.ring_turns == 3, "the ring holds for 3 turns");
}

fn of_combat(facts: &mut Facts<'_, '_>, data: &Data) {
    let tables = &data.tables;
    let fire = tables.fire.modifiers;
    let drms = at("fire").key("modifiers");
    facts.says("15.2a", drms.key("black-powder"), fire.black_powder == -1, "black powder is -1");
    facts.says("15.1j", drms.key("balloon-gun"), fire.balloon_gun == -1, "US guns at the balloon have -1");
    facts.says("15.1k", drms.key("balloon-target"), fire.balloon_target == -1, "Spanish fire at the balloon has -1");
    facts.says("5.7g", drms.key("leader"), fire.leader < 0, "a leader with the firers helps them");
    let rows = &tables.fire.results.rows;
    let both = rows.iter().any(|(die, _)| die <= tables.dynamite.panic)
        && rows.iter().any(|(die, _)| die >= tables.dynamite.bursts);
    facts.says("13.1af", at("fire").key("results"), both, "the fire table has rows of 1 or less and of 8 or more");
    let falls =
        rows.iter().zip(rows.iter().skip(1)).all(|((_, low), (_, high))| low.iter().zip(high).all(|(a, b)| a >= b));
    facts.says("13.1af", at("fire").key("results"), falls, "low rolls favour the firer");
    let assault = tables.assault.modifiers;
    let drms = at("assault").key("modifiers");
    facts.says("13.2n", drms.key("in-command"), assault.in_command == 1, "defenders in command are printed +1");
    facts.says("13.2o", drms.key("broken"), assault.broken == 1, "a Broken defender is printed +1");
    facts.says("13.2p", drms.key("leader"), assault.leader == 1, "a leader attacking is printed +1");
    let cells = || tables.assault.results.rows.iter().flat_map(|(_, row)| row);
    let sides = || cells().flat_map(|cell| [cell.attacker, cell.defender]);
    let kinds = sides().any(|toll| toll.steps > 0) && sides().any(|toll| toll.nerve == Nerve::Break);
    facts.says("13.2j", at("assault").key("results"), kinds, "assaults cost steps and break units");
    let lost = tables.variable.rows.iter().any(|(_, row)| *row == Variable::Eliminated);
    facts.says("13.5c", at("variable").key("rows"), lost, "a variable factor can eliminate its unit");
    let indirect = tables.indirect;
    facts.says("13.1k", at("indirect").key("leader"), indirect.leader == 6, "a leader spots for guns within 6 hexes");
    facts.says("13.1l", at("indirect").key("balloon"), indirect.balloon == 3, "the balloon for guns within 3");
    facts.says("13.1p", at("indirect").key("hits"), indirect.hits == [1, 5], "1 to 5 hits");
    let balloon = tables.balloon;
    let helps = (balloon.guns, balloon.targets) == (3, 10);
    facts.says("15.1j", at("balloon"), helps, "it helps guns within 3 hexes at targets within 10");
    facts.says("15.1n", at("balloon").key("lost-from"), balloon.lost_from == 9, "it is lost on 9 or more");
    let leaders = tables.leaders;
    facts.says("13.4e", at("leaders").key("least"), leaders.least == 1, "a leader is away a turn at least");
    facts.says("13.4f", at("leaders").key("dies"), leaders.dies == 9, "9 kills him");
    facts.says("13.4i", at("leaders").key("retreat"), leaders.retreat == 3, "a lone leader runs 3 hexes");
    facts.says("13.3a", at("retreat").key("hexes"), tables.retreat.hexes == 2, "units retreat 2 hexes");
    facts.says("13.3c", at("retreat").key("more"), tables.retreat.more == 1, "one more to avoid over-stacking");
    facts.says("15.4i", at("pontoon").key("holds"), tables.pontoon.holds == [0, 2], "a pontoon holds on 0 to 2");
    facts.says("15.5b", at("dynamite").key("panic"), tables.dynamite.panic == 1, "1 or less frightens variable units");
    facts.says("15.5d", at("dynamite").key("bursts"), tables.dynamite.bursts == 8, "8 or more loses the dynamite gun");
    let retire = tables.retire;
    facts.says("15.6c", at("retire").key("goes"), retire.goes == [0, 5], "Cubans retire on 0 to 5");
    facts.says("15.6d", at("retire").key("garcia"), retire.garcia == -2, "-2 with Garcia");
    facts.says("15.6e", at("retire").key("jungle"), retire.jungle == -1, "-1 in jungle");
}

/// A printed list: the scenario, its clause, the counters by their codes, and the hexes they may stand in or enter by.
type List = (&'static str, &'static str, &'static str);

/// Who sets up under which clause, by the codes of the counters.
const LISTS: &[List] = &[
    ("el-caney", "16.1b", "1/Con, 2/Con, 3/Con, Tercio, Del Rey"),
    ("el-caney", "16.1d", "7 Inf, 12 Inf, 17 Inf"),
    ("el-caney", "16.1e", "8 Inf, 22 Inf, 2 Mass, D/2 Cav, E/1 Art"),
    ("el-caney", "16.1f", "1 Inf, 4 Inf, 25 Inf"),
    ("el-caney", "16.1g", "Lawton"),
    ("el-caney", "16.1h", "3 Inf, 20 Inf, Bates"),
    ("san-juan-hill", "16.2b", "1/Tal, 2/Tal, 3/Tal, 1/PR, 2-12-6, Vaquero, Rubin, Basquero"),
    ("san-juan-hill", "16.2c", "Tercio, 4/Tal, 5/Tal, 6/Tal, Linares"),
    (
        "san-juan-hill",
        "16.2f",
        "6 Inf, 16 Inf, 71 NY, 2 Inf, 10 Inf, 21 Inf, 9 Inf, 13 Inf, 24 Inf, Kent, 1 Cav, 3 Cav, 6 Cav, 10 Cav, \
         C-D/9 Cav, H-L/9 Cav, RR, Colt/RR, Wheeler, Roosevelt",
    ),
    ("san-juan-hill", "16.2g", "A/2 Art, Base"),
    ("campaign", "17.0.setup-b", "1/Con, 2/Con, 3/Con, Tercio, Del Rey"),
    (
        "campaign",
        "17.0.setup-d",
        "Tercio, 4/Tal, 5/Tal, 6/Tal, Vaquero, Linares, Naval, Naval, Naval, Naval, Naval, NB, NB, NB, NB, Bustamante",
    ),
    ("campaign", "17.0.setup-e", "1/Tal"),
    ("campaign", "17.0.setup-f", "2/Tal, 3/Tal"),
    ("campaign", "17.0.setup-g", "Rubin, Basquero"),
    ("campaign", "17.0.setup-h", "1/PR, 2/PR, 3/PR, 1/SF, 2/SF, 3/SF"),
    ("campaign", "17.0.setup-i", "61/6 HA, 6/4 Mtn"),
    ("campaign", "17.0.setup-j", "1/Rey, 2/Rey"),
    ("campaign", "17.0.setup-n", "CG"),
    ("campaign", "17.0.setup-p", "Melgar"),
    ("campaign", "17.0.us-a", "7 Inf, 12 Inf, 17 Inf"),
    ("campaign", "17.0.us-b", "8 Inf, 22 Inf, 2 Mass, D/2 Cav"),
    ("campaign", "17.0.us-c", "1 Inf, 4 Inf, 25 Inf"),
    ("campaign", "17.0.us-d", "Lawton"),
    ("campaign", "17.0.us-e", "6 Cav, 10 Cav, 1 Cav, RR, C-D/9 Cav, H-L/9 Cav, Colt/RR, Wheeler, Roosevelt, Wood"),
    ("campaign", "17.0.us-f", "6 Inf, 16 Inf, 71 NY, 2 Inf, 10 Inf, 21 Inf, 9 Inf, 13 Inf, 24 Inf, Kent"),
    ("campaign", "17.0.us-g", "3 Cav, A/2 Cav, C/2 Cav, F/2 Cav, F/2 Art, Dynamite, C Eng, E Eng, Shafter"),
    ("campaign", "17.0.us-h", "E/1 Art, K/1 Art, A/2 Art"),
    ("campaign", "17.0.us-i", "Cuban, Cuban, Cuban, Cuban, Cuban, Cuban"),
    ("campaign", "17.0.us-j", "Garcia"),
];

/// Where the printed hexes put them: scenario, clause, hexes, distance.
const AROUND: &[(&str, &str, &[u16], u32)] = &[
    ("el-caney", "16.1b", &[2629], 2),
    ("san-juan-hill", "16.2c", &[1516], 1),
    ("campaign", "17.0.setup-b", &[2629], 1),
    ("campaign", "17.0.setup-d", &[1516], 1),
    ("campaign", "17.0.setup-e", &[1521], 1),
    ("campaign", "17.0.setup-f", &[1719], 1),
    ("campaign", "17.0.setup-h", &[1219], 1),
    ("campaign", "17.0.setup-i", &[1719, 1521], 1),
    ("campaign", "17.0.setup-k", &[1708], 0),
];

/// Who arrives when and where; the hex of El Pozo is not printed.
type Coming = (&'static str, &'static str, u32, Option<u16>, &'static str);

const ARRIVALS: &[Coming] = &[
    ("san-juan-hill", "16.2h", 1, None, "Gatling"),
    ("san-juan-hill", "16.2e", 2, Some(1513), "Tercio, Tercio, Naval, Bustamante"),
    ("campaign", "17.0.us-k", 1, Some(937), "3 Inf, 20 Inf, Bates, Base"),
    ("campaign", "17.0.us-l", 3, Some(937), "34 Mich, 9 Mass, Duffeld"),
    ("campaign", "17.0.us-m", 17, Some(937), "A-B/9 Cav"),
    ("campaign", "17.0.us-n", 21, Some(937), "1 Ill, 1 D.C."),
    ("campaign", "17.0.us-o", 27, Some(937), "4 Art, 4 Art"),
];

/// Is the counter one that a list calls so?
fn is_called(unit: &Unit, code: &str) -> bool {
    let spanish = unit.force == Force::Spanish;
    match code {
        "Tercio" => spanish && unit.arm == Arm::Guerrilla,
        "Naval" => unit.has(Flag::Naval) && unit.arm == Arm::Infantry,
        "NB" => unit.has(Flag::Naval) && unit.arm == Arm::Artillery,
        "Cuban" => unit.force == Force::Cuban && unit.arm == Arm::Guerrilla,
        "4 Art" => unit.code.as_str().ends_with("/4 Art"),
        "2-12-6" => spanish && (unit.cf, unit.range, unit.mf) == (Some(2), Some(12), 6),
        _ => unit.code.as_str() == code,
    }
}

/// Do the counters answer to the codes, one each?
fn answer(data: &Data, units: &[Piece], codes: &str) -> bool {
    let mut left: Vec<&str> = codes.split(", ").collect();
    for unit in units {
        let Some(unit) = data.unit(*unit) else { return false };
        match left.iter().position(|code| is_called(unit, code)) {
            Some(place) => drop(left.remove(place)),
            None => return false,
        }
    }
    left.is_empty()
}

fn of_scenarios(facts: &mut Facts<'_, '_>, data: &Data) {
    let all = at("scenarios");
    let found = |id: &str| data.scenarios.iter().position(|scenario| scenario.id == id);
    for (id, clause, turns) in [
        ("el-caney", "16.1a", 2),
        ("san-juan-hill", "16.2a", 2),
        ("july-1", "16.3a", 3),
        ("campaign", "17.0.length-a", 28),
    ] {
        let holds = data.scenario(id).is_some_and(|scenario| scenario.turns == turns);
        facts.says(clause, all.clone(), holds, format!("{id} lasts {turns} turns"));
    }
    for (id, clause) in [("el-caney", "16.1c"), ("san-juan-hill", "16.2d"), ("july-1", "16.3b")] {
        let holds = data.scenario(id).is_some_and(|scenario| scenario.entrenched);
        facts.says(clause, all.clone(), holds, format!("{id}: Spanish units may begin entrenched"));
    }
    let area = |scenario: &'static str, clause: &str| {
        let index = found(scenario)?;
        let area = data.scenarios.get(index)?.areas().find(|area| area.clause.0 == clause)?;
        Some((at("scenarios").index(index).key("areas"), area))
    };
    for (id, clause, codes) in LISTS {
        let found = area(id, clause);
        let holds = found.as_ref().is_some_and(|(_, area)| answer(data, &area.units, codes));
        let place = found.map_or(all.clone(), |(at, _)| at);
        facts.says(clause, place, holds, format!("{id}: {codes}"));
    }
    for (id, clause, centres, within) in AROUND {
        let near = |hex: &Hex| centres.iter().any(|centre| data.distance(*hex, Hex::printed(*centre)) <= *within);
        let wanted: BTreeSet<Hex> = data.grid.cells().filter(|hex| data.is_land(*hex) && near(hex)).collect();
        let found = area(id, clause);
        let holds = found.as_ref().is_some_and(|(_, area)| area.hexes == wanted);
        let place = found.map_or(all.clone(), |(at, _)| at);
        let names: Vec<String> = centres.iter().map(|centre| Hex::printed(*centre).to_string()).collect();
        facts.says(clause, place, holds, format!("{id}: within {within} of {}", names.join(" or ")));
    }
    let batteries = area("campaign", "17.0.setup-i").is_some_and(|(_, area)| area.apart == Some(4));
    facts.says("17.0.setup-i", all.clone(), batteries, "campaign: the two batteries are four hexes apart or more");
    let viso = |(_, area): (DocPath, &super::scenarios::Area)| {
        area.also_one.as_ref().is_some_and(|(hex, _, _)| *hex == Hex::printed(2531))
    };
    let holds = area("campaign", "17.0.setup-b").is_some_and(viso);
    facts.says("17.0.setup-c", all.clone(), holds, "campaign: one company may begin in 2531");
    for (id, clause, turn, hex, codes) in ARRIVALS {
        let index = found(id);
        let arrivals = index.and_then(|index| data.scenarios.get(index)).map(|scenario| &scenario.arrivals);
        let number = arrivals.and_then(|arrivals| arrivals.iter().position(|arrival| arrival.clause.0 == *clause));
        let arrival = arrivals.zip(number).and_then(|(arrivals, number)| arrivals.get(number));
        let holds = arrival.is_some_and(|arrival| {
            let there = hex.is_none_or(|hex| arrival.at == Hex::printed(hex));
            arrival.turn == *turn && there && answer(data, &arrival.units, codes)
        });
        let place = match (index, number) {
            (Some(index), Some(number)) => all.index(index).key("arrivals").index(number),
            _ => all.clone(),
        };
        facts.says(clause, place, holds, format!("{id}, turn {turn}: {codes}"));
    }
    let column = |scenario: &Scenario| {
        scenario.columns.as_ref().is_some_and(|columns| {
            columns.hex == Hex::printed(2903)
                && columns.formations == [Column::Alcan, Column::Prc, Column::Anda, Column::Ilc]
                && answer(data, &columns.with_any, "Escario, 1/5 Mtn")
        })
    };
    let holds = data.scenario("campaign").is_some_and(column);
    facts.says("17.0.escario-a", all.clone(), holds, "campaign: four formations, Escario and 1/5 Mtn by 2903");
    let attached = |scenario: &Scenario| {
        let lent: Vec<Piece> = scenario.attached.keys().copied().collect();
        answer(data, &lent, "D/2 Cav, E/1 Art")
            && scenario.attached.values().all(|formation| *formation == Formation::SecondDivision)
    };
    let holds = data.scenario("el-caney").is_some_and(attached);
    facts.says("16.1i", all.clone(), holds, "el-caney: D/2 Cav and E/1 Art belong to Lawton");
    let waiting = data
        .scenario("july-1")
        .is_some_and(|scenario| !scenario.waits.is_empty() && scenario.waits.values().all(|turn| *turn == 2));
    facts.says("16.3c", all.clone(), waiting, "july-1: the units of san-juan-hill wait until turn 2");
    let heights = HEIGHTS.map(Hex::printed);
    let caney = [2629, 2531].map(Hex::printed);
    let both: Vec<Hex> = caney.into_iter().chain(heights).collect();
    let lists: [(&str, &'static str, &[Hex], bool, u32); 3] = [
        ("el-caney", "16.1j", &caney, true, 4),
        ("san-juan-hill", "16.2i", &heights, false, 5),
        ("july-1", "16.3e", &both, true, 9),
    ];
    for (id, clause, hexes, every, losses) in lists {
        let wanted: BTreeSet<Hex> = hexes.iter().copied().collect();
        let holds = data.scenario(id).is_some_and(|scenario| {
            let given = if every { &scenario.all } else { &scenario.heights };
            given.iter().copied().collect::<BTreeSet<_>>() == wanted && scenario.loss_limit == Some(losses)
        });
        let names: Vec<String> = wanted.iter().map(Hex::to_string).collect();
        let how = if every { "all" } else { "most" };
        let what = format!("{id}: {how} of {} with {losses} losses at most", names.join(" "));
        facts.says(clause, all.clone(), holds, what);
    }
}
