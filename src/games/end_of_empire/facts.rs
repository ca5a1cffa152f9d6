//! What the rulebook and the rulings say about map, counters and tables: `garcia data check` lists what holds.

use std::collections::BTreeSet;

use crate::board::{Grid, Hex};
use crate::engine::data::{Loader, at};
use crate::engine::doc::DocPath;

use super::data::{COUNTERS, Data, MAP, MapFile, TABLES};
use super::tables::{Odds, Tables};
use super::terms::{EventName, Flag, Force, Setup, Surrender, Terrain, UnitKind, Withdrawal};

/// A clause, the place in a file that it is about, whether it holds there, in words, and what to do if not.
type Fact = (&'static str, DocPath, bool, &'static str, &'static str);

/// States every fact.
pub fn state(loader: &mut Loader<'_>, data: &Data, map: &MapFile) {
    let files = [
        (MAP, places(data, map)),
        (MAP, ground(data)),
        (MAP, lines(data, map)),
        (COUNTERS, of_counters(data)),
        (TABLES, of_tables(data)),
    ];
    for (file, facts) in files {
        for (clause, place, holds, what, remedy) in facts {
            loader.fact(clause, file, place, holds, what, remedy);
        }
    }
    printed_events(loader, data);
    printed_numbers(loader, data);
}

fn hexes(numbers: &[u16]) -> BTreeSet<Hex> {
    numbers.iter().copied().map(Hex::printed).collect()
}

/// Hexes and lists of hexes that the text prints, or that follow from it.
fn places(data: &Data, map: &MapFile) -> Vec<Fact> {
    let santiago = Hex::printed(1208);
    let ring = hexes(&[1207, 1209, 1108, 1109, 1308, 1309]);
    let around: BTreeSet<Hex> = data.neighbours(santiago).collect();
    let enterable = ring.iter().all(|hex| data.is_land(*hex) || data.terrain(*hex) == Terrain::Harbour);
    let base = data.ground(map.siboney.hex).is_some_and(|ground| ground.base_landing);
    let edge: BTreeSet<Hex> =
        (6..=18).map(|row| Hex::printed(row * 100 + 1)).filter(|hex| data.is_land(*hex)).collect();
    let listed: BTreeSet<Hex> = data.west_edge.iter().copied().collect();
    let flags = data.objectives.len() >= data.tables.limits.objectives as usize;
    let near = data.grid.cells().any(|hex| {
        data.is_land(hex) && hex != santiago && data.distance(hex, santiago) <= data.tables.limits.near_santiago
    });
    vec![
        (
            "3j",
            at("frame"),
            around == ring,
            "1208 touches 1207, 1209, 1108, 1109, 1308 and 1309",
            "rows count north, columns east, even rows lie half a hex east",
        ),
        ("3i", at("santiago").key("hex"), map.santiago.hex == santiago, "Santiago is 1208", "write 1208"),
        ("10.2h", at("siboney").key("hex"), map.siboney.hex == Hex::printed(717), "Siboney is 0717", "write 0717"),
        ("10.2h", at("base-landing"), base, "the base may land at Siboney", "list 0717"),
        ("A39", at("beaches"), !data.is_beach(map.siboney.hex), "Siboney is no beach for units", "leave 0717 out"),
        ("8.2b", at("beaches"), !data.beaches.is_empty(), "there is a beach to land on", "list the beaches"),
        (
            "8.3a",
            at("west-edge").key("hexes"),
            edge == listed && !edge.is_empty(),
            "the west edge is the land of 1801 to 0601",
            "list those hexes",
        ),
        ("4.1b", at("objectives"), flags, "there are flags enough for a surrender roll", "list the hexes with flags"),
        ("A74", at("terrain"), enterable, "every neighbour of Santiago is land or harbour", "draw it so"),
        ("4.1c", at("el-caney").key("hex"), data.is_land(data.el_caney), "El Caney can be entered", "name a land hex"),
        ("3k", at("terrain"), near, "the Naval Brigade fits within 3 hexes of 1208", "draw land there"),
    ]
}

/// What kinds of ground there are.
fn ground(data: &Data) -> Vec<Fact> {
    let any = |terrain: Terrain| data.grid.cells().any(|hex| data.terrain(hex) == terrain);
    let city = data.terrain(data.santiago) == Terrain::City;
    let rough = |hex: &Hex| matches!(data.terrain(*hex), Terrain::Jungle | Terrain::Hill);
    // Somewhere nearer to Santiago than a beach.
    let between = data.grid.cells().filter(|hex| data.terrain(*hex) == Terrain::Jungle).any(|hex| {
        data.beaches.iter().any(|beach| data.distance(hex, data.santiago) < data.distance(*beach, data.santiago))
    });
    let open = data.grid.cells().filter(|hex| {
        let settled = matches!(data.terrain(*hex), Terrain::Village | Terrain::Town | Terrain::City);
        let road = data.ground(*hex).is_some_and(|ground| ground.road);
        let far = data.distance(*hex, data.santiago) >= data.tables.limits.cuban_distance;
        data.is_land(*hex) && !settled && !road && far
    });
    let cubans = data.units.values().filter(|unit| unit.setup == Setup::Cuban).count();
    let roomy = open.count() >= cubans;
    vec![
        (
            "A57",
            at("terrain"),
            any(Terrain::Village) && any(Terrain::Town),
            "there are villages and towns",
            "draw both",
        ),
        ("A57", at("terrain"), city, "Santiago is a city", "draw it so"),
        ("A95a", at("beaches"), !data.beaches.iter().any(rough), "no beach is jungle or hill", "draw it otherwise"),
        ("14.1a", at("terrain"), between, "there is jungle on the way to Santiago", "draw it"),
        ("3q", at("terrain"), roomy, "the Cubans find hexes to set up in", "draw open country far from Santiago"),
    ]
}

/// Roads, rivers and coasts.
fn lines(data: &Data, map: &MapFile) -> Vec<Fact> {
    let sides = data.grid.cells().flat_map(|hex| data.neighbours(hex).map(move |next| (hex, next)).collect::<Vec<_>>());
    let fords: BTreeSet<(Hex, Hex)> = sides.filter(|(a, b)| a < b && data.ford_between(*a, *b)).collect();
    let said: BTreeSet<(Hex, Hex)> =
        map.fords.iter().flat_map(|entry| &entry.sides).map(|(a, b)| (*a.min(b), *a.max(b))).collect();
    let (harbour, sea) = data.coasts();
    let hub = data.ground(data.santiago).is_some_and(|ground| ground.road && ground.rail);
    // Every hex that roads and railroads join to Santiago.
    let mut net = BTreeSet::from([data.santiago]);
    let mut edge = vec![data.santiago];
    while let Some(hex) = edge.pop() {
        edge.extend(data.neighbours(hex).filter(|next| data.road_between(hex, *next)).filter(|next| net.insert(*next)));
    }
    let landing = data.beaches.iter().copied().chain([map.siboney.hex]);
    let path = data.tables.limits.supply_path;
    let supplied = landing.into_iter().any(|hex| net.iter().any(|road| data.distance(hex, *road) <= path));
    vec![
        ("10.2a", at("roads"), hub, "road and railroad lead to Santiago", "draw both"),
        ("10.1a", at("roads"), supplied, "a road from near a landing place leads to Santiago", "draw it"),
        (
            "14.5.1f",
            at("fords"),
            fords == said,
            "fords and bridges are where a road or railroad crosses a river",
            "list exactly those hexsides",
        ),
        (
            "A93",
            at("harbour-coast").key("hexes"),
            harbour == data.harbour_coast,
            "harbour coasts touch harbour water, the two forts excepted",
            "list exactly those hexes",
        ),
        (
            "A93",
            at("sea-coast").key("hexes"),
            sea == data.sea_coast,
            "sea coasts touch the ocean, the two forts included",
            "list exactly those hexes",
        ),
        (
            "A93",
            at("sea-coast").key("hexes"),
            data.harbour_coast.is_disjoint(&data.sea_coast),
            "no coast is counted by both fleets",
            "list each hex once",
        ),
    ]
}

fn of_counters(data: &Data) -> Vec<Fact> {
    let units = || at("units");
    let all = |test: &dyn Fn(&super::data::Unit) -> bool| data.units.values().all(test);
    let count = |test: &dyn Fn(&super::data::Unit) -> bool| data.units.values().filter(|unit| test(unit)).count();
    let whole = u32::try_from(data.units.len()).unwrap_or(u32::MAX) + data.markers == data.total;
    let range = |kind: UnitKind, range: u32| all(&|unit| unit.kind != kind || unit.range == Some(range));
    let base = data.cast().base.and_then(|id| data.unit(id));
    let fixed = |code: &str, hex: Hex| {
        count(&|unit| unit.setup == Setup::Fixed && unit.hex == Some(hex)) == 1
            && all(&|unit| unit.setup != Setup::Fixed || unit.hex != Some(hex) || unit.code == code)
    };
    let exempt = |unit: &super::data::Unit| unit.force == Force::Us && unit.has(Flag::NoFever);
    let number = |unit: &super::data::Unit| unit.code.chars().take_while(char::is_ascii_digit).collect::<String>();
    let regiments: BTreeSet<String> = data.units.values().filter(|unit| exempt(unit)).map(number).collect();
    let cavalry = count(&exempt) == 2
        && regiments == BTreeSet::from(["10".to_owned(), "9".to_owned()])
        && all(&|unit| !exempt(unit) || unit.kind == UnitKind::Cavalry);
    let marines = |unit: &super::data::Unit| unit.has(Flag::NavalBrigade);
    let marine = count(&|unit| marines(unit) && unit.setup == Setup::NearSantiago && unit.code == "BN") == 1
        && count(&marines) == 1;
    let by_event = |unit: &super::data::Unit| unit.setup == Setup::Event;
    let asterisk = count(&by_event) == 1 && all(&|unit| !by_event(unit) || unit.code == "Am");
    let escario = count(&|unit| unit.setup == Setup::Escario && unit.force == Force::Spanish) > 0
        && all(&|unit| unit.has(Flag::Escario) == (unit.setup == Setup::Escario));
    let two = all(&|unit| {
        unit.kind != UnitKind::Guerrilla || unit.steps == data.tables.limits.guerrilla_steps && unit.back.is_some()
    });
    let trains = |force: Force| data.supply_of(force, UnitKind::LogisticColumn);
    let fleets = |force: Force| data.supply_of(force, UnitKind::Fleet) == 1;
    let dummies = Force::ALL.iter().all(|force| data.supply_of(*force, UnitKind::Dummy) > 0);
    let codes = |force: Force, codes: &[&str]| {
        codes.iter().all(|code| count(&|unit| unit.force == force && unit.code == *code) > 0)
    };
    let spanish = ["A", "Al", "Am", "And", "BN", "C", "Co", "FPR", "GC", "IC", "PPR", "SF", "S", "T", "TG", "AM", "VC"];
    vec![
        ("1.1a", at("total").key("counters"), data.total == 222, "the game has 222 counters", "write 222"),
        ("1.1a", units(), whole, "units and markers add up to it", "list them all"),
        ("1.1.1e", units(), two, "guerrillas have two steps and two modes", "give them so"),
        (
            "1.1.1a",
            units(),
            all(&|unit| unit.steps <= 2 && unit.kind.is_combat() == (unit.steps > 0)),
            "every combat unit has one or two steps",
            "give it so",
        ),
        (
            "1.1.1b",
            units(),
            all(&|unit| unit.steps < 2 || unit.back.is_some()),
            "two-step units have a reverse",
            "give it",
        ),
        ("9.6c", units(), range(UnitKind::Artillery, 3), "artillery has a range of 3", "write `range: 3`"),
        ("9.6d", units(), range(UnitKind::MachineGun, 1), "machine guns have a range of 1", "write `range: 1`"),
        (
            "10.2f",
            units(),
            base.is_some_and(|unit| unit.landing == Some(6)),
            "the base lands as 6 steps",
            "write `landing: 6`",
        ),
        (
            "5.2c",
            units(),
            base.is_some_and(|unit| unit.stacking == Some(4)),
            "the base stacks as two infantry units",
            "write `stacking: 4`",
        ),
        ("9.7a", units(), fleets(Force::Us) && fleets(Force::Spanish), "each side has one fleet", "list both"),
        (
            "3l",
            units(),
            fixed("M", data.el_morro) && fixed("So", data.socapa),
            "M stands at El Morro and So at La Socapa",
            "give their hexes",
        ),
        (
            "3m",
            units(),
            all(&|unit| unit.setup != Setup::Fixed || unit.has(Flag::Frozen)),
            "M and So are frozen",
            "flag them",
        ),
        ("A44a", units(), cavalry, "the 9th and 10th Cavalry take no fever", "flag those two"),
        ("3c", units(), asterisk, "Am and nobody else comes by event 61-62", "mark Am so"),
        (
            "3f",
            units(),
            trains(Force::Spanish) >= data.tables.supply.columns_at_setup as usize,
            "Spain has logistic columns for its set-up",
            "list them",
        ),
        ("14.5.1a", units(), trains(Force::Cuban) == 0, "the Cubans have no logistic columns", "leave them out"),
        ("14.7a", units(), dummies, "every force has dummies", "list them"),
        ("3k", units(), marine, "BN is the Naval Brigade, and sets up near Santiago", "flag it, and no other"),
        ("3d", units(), escario, "units printed E are the Escario column", "flag them and let them come so"),
        (
            "1.4.1a",
            units(),
            codes(Force::Spanish, &spanish),
            "the Spanish units have their codes, Am and AM apart",
            "list all",
        ),
        (
            "1.4.2a",
            units(),
            codes(Force::Cuban, &["Cb", "Ba", "Ji", "Ra", "RY", "GC", "Es", "R"]),
            "the Cuban units have their codes",
            "list all",
        ),
        (
            "1.4.3a",
            units(),
            codes(Force::Us, &["RR", "SD", "TR", "USN"]),
            "the Rough Riders, Roosevelt, the Signals Detachment and the Navy are there",
            "list all",
        ),
        (
            "6.1a",
            units(),
            all(&|unit| (unit.kind == UnitKind::Leader) == unit.rating.is_some()),
            "leaders have a rating, and nobody else",
            "give it so",
        ),
    ]
}

fn of_tables(data: &Data) -> Vec<Fact> {
    let tables = &data.tables;
    let columns = &tables.shock.results.columns;
    let neighbours = columns.windows(3).any(|three| three == [Odds::OneToOne, Odds::TwoToOne, Odds::ThreeToOne]);
    let faces = |key: &str, field: &str| at(key).key(field);
    let surrenders = |result: Surrender| tables.surrender.results.rows.iter().any(|(_, row)| row.contains(&result));
    let withdraws = tables.withdrawal.results.rows.iter().any(|(_, row)| row.contains(&Withdrawal::Withdraw));
    let first = |columns: &[u32], least: u32| columns.first().is_some_and(|column| *column <= least);
    vec![
        (
            "4.1e",
            faces("surrender", "results"),
            surrenders(Surrender::Jarcias) && surrenders(Surrender::GivesUp),
            "the surrender table has an A and an R",
            "write them",
        ),
        (
            "4.1b",
            faces("surrender", "results"),
            first(&tables.surrender.results.columns, tables.limits.objectives),
            "there is a column for the least number of objectives",
            "add it",
        ),
        ("4.2f", faces("withdrawal", "results"), withdraws, "the withdrawal table has an R", "write it"),
        (
            "4.2a",
            faces("withdrawal", "results"),
            first(&tables.withdrawal.results.columns, tables.limits.steps_lost),
            "there is a column for the least number of steps lost",
            "add it",
        ),
        (
            "14.2a",
            faces("coordination", "on"),
            tables.coordination.on == [5, 6],
            "the Navy fires on 5 and 6",
            "write [5, 6]",
        ),
        (
            "14.3b",
            faces("friendly-fire", "on"),
            tables.friendly_fire.on == [6],
            "friendly fire strikes on 6",
            "write [6]",
        ),
        (
            "14.8f",
            faces("observation", "on"),
            tables.observation.on == [4, 5, 6],
            "the balloon sees on 4 to 6",
            "write [4, 5, 6]",
        ),
        (
            "11.3a",
            faces("guerrilla", "step-lost-on"),
            tables.guerrilla.step_lost_on == [1, 2, 3, 4],
            "a step is lost on 1 to 4",
            "write [1, 2, 3, 4]",
        ),
        ("9.2h", faces("shock", "results"), neighbours, "1:1, 2:1 and 3:1 are neighbours", "put them in order"),
        ("9.2h", faces("shock", "results"), columns.contains(&Odds::FourToOne), "there is a column for 4:1", "add it"),
    ]
}

/// The one table the rulebook prints (§7.2).
fn printed_events(loader: &mut Loader<'_>, data: &Data) {
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
        let once = matches!(event, EventName::CubaLibre | EventName::YellowPress);
        let row = data.tables.events.rows.get(index);
        let holds = row.is_some_and(|row| (row.from, row.event, row.to, row.once) == (from, event, to, once));
        let place = at("events").key("rows").index(index);
        loader.fact("7.2t", TABLES, place, holds, format!("{from}-{to} is {event}"), "write it as printed");
    }
}

/// Numbers the text prints.
fn printed_numbers(loader: &mut Loader<'_>, data: &Data) {
    let tables = &data.tables;
    let (limits, supply) = (&tables.limits, &tables.supply);
    let numbers = [
        ("2a", "limits", "turns", limits.turns, 14),
        ("5.2a", "limits", "stack-steps", limits.stack_steps, 12),
        ("5.2b", "limits", "stack-guns", limits.stack_guns, 1),
        ("8.2h", "limits", "landing", limits.landing, 12),
        ("4.1b", "limits", "objectives", limits.objectives, 4),
        ("4.2a", "limits", "steps-lost", limits.steps_lost, 10),
        ("10.1a", "limits", "supply-path", limits.supply_path, 2),
        ("3k", "limits", "near-santiago", limits.near_santiago, 3),
        ("3q", "limits", "cuban-distance", limits.cuban_distance, 4),
        ("7.2.11a", "limits", "examined", limits.examined, 4),
        ("14.4.6a", "supply", "us-start", supply.us_start, 4),
        ("14.4.6b", "supply", "us-turn", supply.us_turn, 2),
        ("14.4.6d", "supply", "spanish-start", supply.spanish_start, 8),
        ("7.2.65a", "supply", "blockade", supply.blockade, 3),
        ("14.4.2a", "supply", "source-range", supply.source_range, 3),
        ("14.4.2b", "supply", "column-range", supply.column_range, 2),
        ("3f", "supply", "columns-at-setup", supply.columns_at_setup, 3),
        ("9.7a", "naval", "factor", tables.naval.factor, 5),
        ("9.7b", "naval", "range", tables.naval.range, 4),
        ("3e", "escario", "turn", tables.escario.turn, 4),
        ("12a", "fever", "first-turn", tables.fever.first_turn, 2),
        ("1.1.1e", "limits", "guerrilla-steps", limits.guerrilla_steps.into(), 2),
    ];
    for (clause, part, key, is, value) in numbers {
        let place = at(part).key(key);
        loader.fact(clause, TABLES, place, is == value, format!("{key} is {value}"), format!("write {value}"));
    }
    printed_modifiers(loader, tables);
}

/// Modifiers and shifts the text prints.
fn printed_modifiers(loader: &mut Loader<'_>, tables: &Tables) {
    let (fire, shock) = (&tables.fire.modifiers, &tables.shock.shifts);
    let (ambush, hunt) = (&tables.guerrilla.attack_modifiers, &tables.guerrilla.counter_modifiers);
    let die = &tables.shock.die;
    let printed = [
        ("4.1c", "surrender", "", "el-caney", tables.surrender.el_caney, 1),
        ("4.1d", "surrender", "", "jarcias", tables.surrender.jarcias, 1),
        ("4.2e", "withdrawal", "", "yellow-press", tables.withdrawal.yellow_press, 1),
        ("8.2g", "fire", "modifiers", "landed", fire.landed, -1),
        ("14.4.5b", "fire", "modifiers", "supply", fire.supply, 1),
        ("8.2f", "shock", "shifts", "landed", shock.landed, 1),
        ("14.4.5c", "shock", "shifts", "supply", shock.supply, 1),
        ("7.2.51a", "shock", "shifts", "maine", shock.maine, 1),
        ("7.2.53a", "shock", "shifts", "trozos", shock.trozos, 1),
        ("7.2.55a", "shock", "shifts", "tocineros", shock.tocineros, -1),
        ("7.2.14a", "shock", "die", "friend-calixto", die.friend_calixto, 1),
        ("7.2.31a", "shock", "die", "the-dons", die.the_dons, 1),
        ("11.3.2a", "guerrilla", "attack-modifiers", "logistic-column", ambush.logistic_column, 1),
        ("11.3.2b", "guerrilla", "attack-modifiers", "jungle", ambush.jungle, 1),
        ("11.3.2c", "guerrilla", "attack-modifiers", "movement", ambush.movement, 1),
        ("11.3.1a", "guerrilla", "counter-modifiers", "guerrillas", hunt.guerrillas, 1),
        ("11.3.1b", "guerrilla", "counter-modifiers", "jungle", hunt.jungle, -1),
        ("11.3.1c", "guerrilla", "counter-modifiers", "several", hunt.several, 1),
        ("14.1b", "jungle", "", "balloon", tables.jungle.balloon, 1),
        ("14.1c", "jungle", "", "jungle", tables.jungle.jungle, -1),
        ("14.1d", "jungle", "", "cubans", tables.jungle.cubans, 1),
    ];
    for (clause, part, group, key, is, value) in printed {
        let table = if group.is_empty() { at(part) } else { at(part).key(group) };
        let what = format!("{key} is {value:+}");
        loader.fact(clause, TABLES, table.key(key), is == value, what, format!("write {value}"));
    }
}
