//! What the rulebook and the rulings say about map, counters and tables: `garcia data check` lists what holds.

use std::collections::BTreeSet;

use crate::board::{Grid, Hex};
use crate::engine::data::{Loader, at};

use super::data::{COUNTERS, Data, MAP, MapFile, TABLES};
use super::tables::Odds;
use super::terms::{EventName, Flag, Force, Setup, Terrain, UnitKind};

/// States every fact.
pub fn state(loader: &mut Loader<'_>, data: &Data, map: &MapFile) {
    of_map(loader, data, map);
    of_counters(loader, data);
    of_tables(loader, data);
}

fn of_map(loader: &mut Loader<'_>, data: &Data, map: &MapFile) {
    let santiago = Hex::printed(1208);
    let around: BTreeSet<Hex> = data.neighbours(santiago).collect();
    let ring = [1207, 1209, 1108, 1109, 1308, 1309].map(Hex::printed);
    loader.fact(
        "3j",
        MAP,
        at("frame"),
        around == ring.into(),
        "1208 touches 1207, 1209, 1108, 1109, 1308 and 1309",
        "rows count north, columns east, even rows lie half a hex east",
    );
    loader.fact("3i", MAP, at("santiago").key("hex"), map.santiago.hex == santiago, "Santiago is 1208", "write 1208");
    loader.fact(
        "10.2h",
        MAP,
        at("siboney").key("hex"),
        map.siboney.hex == Hex::printed(717),
        "Siboney is 0717",
        "write 0717",
    );
    loader.fact(
        "10.2h",
        MAP,
        at("base-landing"),
        data.ground(map.siboney.hex).is_some_and(|ground| ground.base_landing),
        "the base may land at Siboney",
        "list 0717",
    );
    loader.fact(
        "A39",
        MAP,
        at("beaches"),
        !data.is_beach(map.siboney.hex),
        "Siboney is no beach for units",
        "leave 0717 out",
    );
    loader.fact(
        "8.2b",
        MAP,
        at("beaches"),
        !data.beaches.is_empty(),
        "there is a beach to land on",
        "list the beaches",
    );
    let edge: BTreeSet<Hex> =
        (6..=18).map(|row| Hex::printed(row * 100 + 1)).filter(|hex| data.is_land(*hex)).collect();
    let listed: BTreeSet<Hex> = data.west_edge.iter().copied().collect();
    loader.fact(
        "8.3a",
        MAP,
        at("west-edge").key("hexes"),
        edge == listed && !edge.is_empty(),
        "the west edge is the land of 1801 to 0601",
        "list those hexes",
    );
    let fords: BTreeSet<(Hex, Hex)> = data
        .grid
        .cells()
        .flat_map(|hex| data.neighbours(hex).map(move |next| (hex, next)).collect::<Vec<_>>())
        .filter(|(a, b)| a < b && data.ford_between(*a, *b))
        .collect();
    let said: BTreeSet<(Hex, Hex)> =
        map.fords.iter().flat_map(|entry| &entry.sides).map(|(a, b)| (*a.min(b), *a.max(b))).collect();
    loader.fact(
        "14.5.1f",
        MAP,
        at("fords"),
        fords == said,
        "fords and bridges are where a road or railroad crosses a river",
        "list exactly those hexsides",
    );
    let (harbour, sea) = data.coasts();
    loader.fact(
        "A93",
        MAP,
        at("harbour-coast").key("hexes"),
        harbour == data.harbour_coast,
        "harbour coasts touch harbour water, the two forts excepted",
        "list exactly those hexes",
    );
    loader.fact(
        "A93",
        MAP,
        at("sea-coast").key("hexes"),
        sea == data.sea_coast,
        "sea coasts touch the ocean, the two forts included",
        "list exactly those hexes",
    );
    loader.fact(
        "4.1b",
        MAP,
        at("objectives"),
        data.objectives.len() >= data.tables.limits.objectives as usize,
        "there are objectives enough for a surrender roll",
        "list the hexes with Spanish flags",
    );
    let enterable = ring.iter().all(|hex| data.is_land(*hex) || data.terrain(*hex) == Terrain::Harbour);
    loader.fact("A74", MAP, at("terrain"), enterable, "every neighbour of Santiago is land or harbour", "draw it so");
    loader.fact("2a", TABLES, at("turns"), data.tables.turns == 14, "a match lasts 14 turns", "write 14");
    let jungle = data.grid.cells().any(|hex| data.terrain(hex) == Terrain::Jungle);
    loader.fact("14.1a", MAP, at("terrain"), jungle, "there is jungle on the map", "draw it");
    let road = data.beaches.iter().copied().chain([map.siboney.hex]).any(|hex| data.has_road(hex));
    loader.fact("10.1a", MAP, at("roads"), road, "a road leads to a landing place", "draw it");
}

fn of_counters(loader: &mut Loader<'_>, data: &Data) {
    let count = u32::try_from(data.units.len()).unwrap_or(u32::MAX) + data.markers;
    loader.fact(
        "1.1a",
        COUNTERS,
        at("total").key("counters"),
        data.total == 222,
        "the game has 222 counters",
        "write 222",
    );
    loader.fact(
        "1.1a",
        COUNTERS,
        at("units"),
        count == data.total,
        format!("units and markers are {count} counters"),
        "list them all",
    );
    let guerrillas = data.units.values().filter(|unit| unit.kind == UnitKind::Guerrilla);
    let two = guerrillas.clone().all(|unit| unit.steps == data.tables.limits.guerrilla_steps && unit.back.is_some());
    loader.fact("1.1.1e", COUNTERS, at("units"), two, "guerrillas have two steps and two modes", "give them so");
    let steps = data.units.values().all(|unit| unit.steps <= 2 && unit.kind.is_combat() == (unit.steps > 0));
    loader.fact("1.1.1a", COUNTERS, at("units"), steps, "every combat unit has one or two steps", "give it so");
    let reduced = data.units.values().all(|unit| unit.steps < 2 || unit.back.is_some());
    loader.fact("1.1.1b", COUNTERS, at("units"), reduced, "two-step units have a reverse", "give it");
    let ranges = |kind: UnitKind, range: u32| {
        data.units.values().filter(|unit| unit.kind == kind).all(|unit| unit.range == Some(range))
    };
    loader.fact(
        "9.6c",
        COUNTERS,
        at("units"),
        ranges(UnitKind::Artillery, 3),
        "artillery has a range of 3",
        "write `range: 3`",
    );
    loader.fact(
        "9.6d",
        COUNTERS,
        at("units"),
        ranges(UnitKind::MachineGun, 1),
        "machine guns have a range of 1",
        "write `range: 1`",
    );
    let base = data.cast().base.and_then(|id| data.unit(id));
    loader.fact(
        "10.2f",
        COUNTERS,
        at("units"),
        base.is_some_and(|unit| unit.landing == Some(6)),
        "the base lands as 6 steps",
        "write `landing: 6`",
    );
    loader.fact(
        "5.2c",
        COUNTERS,
        at("units"),
        base.is_some_and(|unit| unit.stacking == Some(4)),
        "the base stacks as two infantry units",
        "write `stacking: 4`",
    );
    let fleets = |force: Force| data.supply_of(force, UnitKind::Fleet) == 1;
    loader.fact(
        "9.7a",
        COUNTERS,
        at("units"),
        fleets(Force::Us) && fleets(Force::Spanish),
        "each side has one fleet",
        "list both",
    );
    let fixed =
        |hex: Hex| data.units.values().filter(|unit| unit.setup == Setup::Fixed && unit.hex == Some(hex)).count() == 1;
    loader.fact(
        "3l",
        COUNTERS,
        at("units"),
        fixed(data.el_morro) && fixed(data.socapa),
        "M stands at El Morro and So at La Socapa",
        "give their hexes",
    );
    let frozen = data.units.values().filter(|unit| unit.setup == Setup::Fixed).all(|unit| unit.has(Flag::Frozen));
    loader.fact("3m", COUNTERS, at("units"), frozen, "M and So are frozen", "flag them");
    let exempt: Vec<_> =
        data.units.values().filter(|unit| unit.force == Force::Us && unit.has(Flag::NoFever)).collect();
    let cavalry = exempt.len() == 2 && exempt.iter().all(|unit| unit.kind == UnitKind::Cavalry);
    loader.fact("A44a", COUNTERS, at("units"), cavalry, "the 9th and 10th Cavalry take no fever", "flag those two");
    let machine_guns = data.units.values().filter(|unit| unit.setup == Setup::Event).count() == 1;
    loader.fact("3c", COUNTERS, at("units"), machine_guns, "one unit comes by event 61-62", "mark Am so");
    let cl = data.supply_of(Force::Spanish, UnitKind::LogisticColumn) >= data.tables.supply.columns_at_setup as usize;
    loader.fact("3f", COUNTERS, at("units"), cl, "Spain has logistic columns for its set-up", "list them");
    let none = data.supply_of(Force::Cuban, UnitKind::LogisticColumn) == 0;
    loader.fact("14.5.1a", COUNTERS, at("units"), none, "the Cubans have no logistic columns", "leave them out");
    for force in Force::ALL {
        let dummies = data.supply_of(*force, UnitKind::Dummy) > 0;
        loader.fact("14.7a", COUNTERS, at("units"), dummies, format!("the {} have dummies", force.name()), "list them");
    }
    let codes = |code: &str| data.units.values().any(|unit| unit.code == code);
    loader.fact("1.4.1a", COUNTERS, at("units"), codes("Am") && codes("AM"), "Am and AM are two units", "list both");
}

fn of_tables(loader: &mut Loader<'_>, data: &Data) {
    let tables = &data.tables;
    let printed = [
        (11, EventName::CubaLibre, 13),
        (14, EventName::FriendCalixto, 16),
        (21, EventName::Patriots, 24),
        (25, EventName::YellowPress, 26),
        (31, EventName::TheDons, 33),
        (34, EventName::MorroAndSocapa, 36),
        (41, EventName::Nothing, 46),
        (51, EventName::RememberTheMaine, 52),
        (53, EventName::Trozos, 54),
        (55, EventName::Tocineros, 56),
        (61, EventName::MachineGuns, 62),
        (63, EventName::EscarioEarly, 64),
        (65, EventName::RunningTheBlockade, 66),
    ];
    for (index, (from, event, to)) in printed.into_iter().enumerate() {
        let holds = tables.events.rows.get(index).is_some_and(|row| (row.from, row.event, row.to) == (from, event, to));
        let once = matches!(event, EventName::CubaLibre | EventName::YellowPress);
        let holds = holds && tables.events.rows.get(index).is_some_and(|row| row.once == once);
        loader.fact(
            "7.2t",
            TABLES,
            at("events").key("rows").index(index),
            holds,
            format!("{from}-{to} is {event}"),
            "write it as printed",
        );
    }
    let limits = &tables.limits;
    for (clause, key, is, value) in [
        ("5.2a", "stack-steps", limits.stack_steps, 12),
        ("5.2b", "stack-guns", limits.stack_guns, 1),
        ("8.2h", "landing", limits.landing, 12),
        ("4.1b", "objectives", limits.objectives, 4),
        ("4.2a", "steps-lost", limits.steps_lost, 10),
        ("10.1a", "supply-path", limits.supply_path, 2),
        ("3k", "near-santiago", limits.near_santiago, 3),
        ("3q", "cuban-distance", limits.cuban_distance, 4),
        ("7.2.11a", "examined", limits.examined, 4),
    ] {
        loader.fact(
            clause,
            TABLES,
            at("limits").key(key),
            is == value,
            format!("{key} is {value}"),
            format!("write {value}"),
        );
    }
    let supply = &tables.supply;
    for (clause, key, is, value) in [
        ("14.4.6a", "us-start", supply.us_start, 4),
        ("14.4.6b", "us-turn", supply.us_turn, 2),
        ("14.4.6d", "spanish-start", supply.spanish_start, 8),
        ("7.2.65a", "blockade", supply.blockade, 3),
        ("14.4.2a", "source-range", supply.source_range, 3),
        ("14.4.2b", "column-range", supply.column_range, 2),
        ("3f", "columns-at-setup", supply.columns_at_setup, 3),
    ] {
        loader.fact(
            clause,
            TABLES,
            at("supply").key(key),
            is == value,
            format!("{key} is {value}"),
            format!("write {value}"),
        );
    }
    loader.fact(
        "9.7a",
        TABLES,
        at("naval").key("factor"),
        tables.naval.factor == 5,
        "a fleet fires with 5 factors",
        "write 5",
    );
    loader.fact(
        "9.7b",
        TABLES,
        at("naval").key("range"),
        tables.naval.range == 4,
        "a fleet reaches 4 hexes",
        "write 4",
    );
    loader.fact(
        "3e",
        TABLES,
        at("escario").key("turn"),
        tables.escario.turn == 4,
        "Escario arrives on turn 4",
        "write 4",
    );
    loader.fact(
        "12a",
        TABLES,
        at("fever").key("first-turn"),
        tables.fever.first_turn == 2,
        "fever begins on turn 2",
        "write 2",
    );
    loader.fact(
        "14.2a",
        TABLES,
        at("coordination").key("on"),
        tables.coordination.on == [5, 6],
        "the Navy fires on 5 and 6",
        "write [5, 6]",
    );
    loader.fact(
        "14.3b",
        TABLES,
        at("friendly-fire").key("on"),
        tables.friendly_fire.on == [6],
        "friendly fire strikes on 6",
        "write [6]",
    );
    loader.fact(
        "14.8f",
        TABLES,
        at("observation").key("on"),
        tables.observation.on == [4, 5, 6],
        "the balloon sees on 4 to 6",
        "write [4, 5, 6]",
    );
    loader.fact(
        "11.3a",
        TABLES,
        at("guerrilla").key("step-lost-on"),
        tables.guerrilla.step_lost_on == [1, 2, 3, 4],
        "a step is lost on 1 to 4",
        "write [1, 2, 3, 4]",
    );
    let columns = tables
        .shock
        .results
        .columns
        .windows(3)
        .any(|three| three == [Odds::OneToOne, Odds::TwoToOne, Odds::ThreeToOne]);
    loader.fact(
        "9.2h",
        TABLES,
        at("shock").key("results"),
        columns,
        "1:1, 2:1 and 3:1 are neighbours",
        "put them in order",
    );
}
