use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Grid, Hex};
use crate::engine::DataFinding;
use crate::engine::json::to_json;
use crate::games::santiago_1898::ID;
use crate::games::santiago_1898::terms::{Flag, Force, Group, Terrain, UnitId, UnitKind};

use super::*;

fn hex(number: u16) -> Hex {
    Hex::printed(number)
}

fn ours(file: &str) -> &'static str {
    FILES.iter().find(|ours| ours.name == file).unwrap().text
}

/// One file with a text replaced, as a player's folder.
fn folder(file: &str, from: &str, to: &str) -> BTreeMap<String, String> {
    let text = ours(file);
    assert!(text.contains(from), "`{from}` is not in {file}");
    BTreeMap::from([(file.to_owned(), text.replacen(from, to, 1))])
}

/// What is wrong with a folder in which one text of a file is replaced.
fn wrong(file: &str, from: &str, to: &str) -> Vec<DataFinding> {
    let wrong: Vec<DataFinding> =
        findings(&folder(file, from, to)).into_iter().filter(|finding| !finding.holds).collect();
    assert!(wrong.iter().all(|fault| fault.file == file), "{wrong:?}");
    wrong
}

#[test]
fn our_data_agree_with_the_rulebook() {
    let findings = findings(&BTreeMap::new());
    assert!(findings.iter().all(|finding| finding.holds), "{findings:?}");
    assert!(findings.len() > 500, "{} facts", findings.len());
}

// ---- map

#[test]
fn santiago_and_its_five_land_neighbours() {
    let data = Data::ours();
    assert_eq!(data.santiago, hex(1308));
    assert_eq!(data.terrain(hex(1308)), Terrain::City);
    let ring: BTreeSet<Hex> = data.land_neighbours(hex(1308)).collect();
    assert_eq!(ring, [1207, 1208, 1309, 1407, 1408].map(hex).into());
    assert_eq!(data.terrain(hex(1307)), Terrain::Harbor);
}

#[test]
fn the_places_the_rulebook_numbers() {
    let data = Data::ours();
    let printed = [
        ("Santiago", 1308),
        ("el caney", 1512),
        ("SIBONEY", 816),
        ("Daiquiri", 621),
        ("daiquirí", 621),
        ("Socapa", 803),
        ("El_Morro", 705),
        ("Sevilla", 1015),
        ("Firmeza", 1018),
        ("0816", 816),
    ];
    for (name, number) in printed {
        assert_eq!(data.hex_named(name), Some(hex(number)), "{name}");
    }
    for nowhere in ["Havana", "0001", "2001", "816", ""] {
        assert_eq!(data.hex_named(nowhere), None, "{nowhere}");
    }
    assert_eq!(data.describe(hex(816)), "0816 (Siboney)");
    assert_eq!(data.describe(hex(817)), "0817");
}

#[test]
fn the_line_of_el_caney_is_a_straight_file() {
    let data = Data::ours();
    assert_eq!(data.spanish_line, [1512, 1411, 1311, 1210, 1110].map(hex));
    let bearings: BTreeSet<_> =
        data.spanish_line.windows(2).map(|pair| data.grid.edge_between(pair[0], pair[1])).collect();
    assert_eq!(bearings, [Some(Bearing::SW)].into());
}

#[test]
fn the_west_edge_runs_from_0801_to_1901() {
    let data = Data::ours();
    let edge = [801, 901, 1001, 1101, 1201, 1301, 1401, 1501, 1601, 1701, 1801, 1901].map(hex);
    assert_eq!(data.west_edge, edge);
    assert!(edge.iter().all(|&hex| data.is_land(hex)));
    assert!(!data.is_land(hex(701)));
}

#[test]
fn the_harbor_is_the_bay_and_the_coast_the_rest() {
    let data = Data::ours();
    assert!(data.harbor.contains(&hex(1308)) && data.harbor.contains(&hex(804)));
    for open_coast in [816, 621, 801, 709, 705] {
        assert!(!data.harbor.contains(&hex(open_coast)) && data.coast.contains(&hex(open_coast)), "{open_coast}");
    }
    // Every beach is coast.
    assert!(data.beaches.iter().all(|beach| data.coast.contains(beach)));
    // The mouth joins the bay with the sea between the two forts.
    let around: BTreeSet<Hex> = data.neighbours(hex(804)).collect();
    assert!(around.is_superset(&[803, 705, 905].map(hex).into()));
    assert!(around.iter().any(|&hex| data.terrain(hex) == Terrain::Ocean));
}

#[test]
fn rivers_run_unbroken_to_the_water() {
    let data = Data::ours();
    let (files, mut rivers) = (BTreeMap::new(), Vec::new());
    let map: files::MapFile = Loader::new(ID, FILES, &files).read(MAP).unwrap();
    // The two hexes at the ends of a hexside.
    let corner = |(a, b): (Hex, Hex)| data.neighbours(a).filter(move |&c| data.grid.distance(c, b) == 1);
    for river in &map.rivers {
        for pair in river.sides.windows(2) {
            let ((a, b), (c, d)) = (pair[0], pair[1]);
            let hexes = BTreeSet::from([a, b, c, d]);
            assert_eq!(hexes.len(), 3, "{:?}: {a}/{b} and {c}/{d} share no corner", river.name);
            assert!(hexes.iter().all(|&x| hexes.iter().all(|&y| data.grid.distance(x, y) <= 1)));
        }
        let mouth = *river.sides.last().unwrap();
        assert!(corner(mouth).any(|hex| !data.is_land(hex)), "{:?} ends inland at {mouth:?}", river.name);
        rivers.extend(river.sides.iter().map(|&(a, b)| (a.min(b), a.max(b))));
    }
    assert_eq!(rivers.len(), rivers.iter().collect::<BTreeSet<_>>().len(), "two rivers share a hexside");
}

#[test]
fn every_beach_has_a_road_to_santiago() {
    let data = Data::ours();
    let mut linked = BTreeSet::from([data.santiago]);
    let mut open = vec![data.santiago];
    while let Some(hex) = open.pop() {
        let next: Vec<Hex> = data.neighbours(hex).filter(|&next| data.road_between(hex, next)).collect();
        open.extend(next.into_iter().filter(|&next| linked.insert(next)));
    }
    for &beach in &data.beaches {
        assert!(linked.contains(&beach), "{}", data.describe(beach));
    }
    let roads: BTreeSet<Hex> = data.grid.cells().filter(|&hex| data.has_road(hex)).collect();
    assert_eq!(roads, linked, "a road leads nowhere");
}

#[test]
fn roads_and_rivers_are_read_from_both_sides() {
    let data = Data::ours();
    let (san_juan, ford) = (hex(1210), hex(1111));
    assert!(data.road_between(san_juan, ford) && data.road_between(ford, san_juan));
    assert!(data.river_between(san_juan, ford) && data.river_between(ford, san_juan));
    assert!(data.crossing_between(san_juan, ford) && data.crossing_between(ford, san_juan));
    assert!(data.river_between(hex(1210), hex(1211)) && !data.crossing_between(hex(1210), hex(1211)));
    assert!(!data.road_between(hex(1210), hex(1512)));
}

#[test]
fn the_cubans_find_room_after_either_default_set_up() {
    let data = Data::ours();
    for scenario in &data.scenarios {
        let mut spanish = BTreeSet::new();
        let mut rule = None;
        for deployment in &scenario.deploy {
            match &deployment.rule {
                Whence::Anywhere | Whence::Hexes(_) => spanish.extend(deployment.defaults.values().copied()),
                Whence::Cuban(cuban) => rule = Some(cuban),
                _ => {}
            }
        }
        let rule = rule.unwrap();
        let near = |hex: Hex| spanish.contains(&hex) || data.neighbours(hex).any(|next| spanish.contains(&next));
        let room = data.grid.cells().filter(|&hex| data.is_cuban_ground(hex, rule) && !near(hex)).count();
        assert!(room >= 8, "{}: {room}", scenario.id);
    }
}

// ---- counters

fn unit(id: &str) -> &'static Unit {
    Data::ours().unit(UnitId::of(id)).unwrap_or_else(|| panic!("no {id}"))
}

#[test]
fn the_lists_of_the_historical_set_up_are_all_there() {
    let data = Data::ours();
    let count = |force, kind| data.units.values().filter(|u| u.force == force && u.kind == kind).count();
    assert_eq!(count(Force::Us, UnitKind::Infantry), 7 + 8 + 2 + 4, "2nd and 1st Division, Independent, volunteers");
    assert_eq!(count(Force::Us, UnitKind::Cavalry), 4 + 2);
    assert_eq!(count(Force::Us, UnitKind::Artillery), 5);
    assert_eq!(count(Force::Us, UnitKind::Machinegun), 1);
    let of = |group| data.units.values().filter(|u| u.group == group).count();
    assert_eq!(of(Group::Wave1), 7 + 4 + 1 + 4 + 1 + 1);
    assert_eq!(of(Group::Wave2), 1 + 3 + 8 + 2 + 3);
    assert_eq!(of(Group::Cuban), 8);
    assert_eq!(of(Group::Event6), 1);
}

#[test]
fn the_set_has_140_counters() {
    let data = Data::ours();
    let markers: u32 = data.markers.iter().map(|(_, count)| count).sum();
    assert_eq!(data.units.len() + data.specials.len() + markers as usize, 140);
}

#[test]
fn codes_are_unique_only_within_a_side() {
    let data = Data::ours();
    assert_eq!(unit("sp-gc").name, "Guardia Civil");
    assert_eq!(unit("cu-gc").name, "División González Clavel");
    assert_eq!(data.counter_named("GC"), None, "two units bear it");
    assert_eq!(data.counter_named("SP-GC"), Some(UnitId::of("sp-gc")));
    assert_eq!(data.counter_named("us_inf_9"), Some(UnitId::of("us-inf-9")));
    assert_eq!(data.counter_named("1/64 S"), Some(UnitId::of("sp-1-64-s")));
    assert_eq!(data.counter_named("us-lbm"), Some(data.cast.base));
    for force in Force::ALL {
        let codes: Vec<&str> = data.units.values().filter(|u| u.force == force).map(|u| u.code.as_str()).collect();
        assert_eq!(codes.len(), codes.iter().collect::<BTreeSet<_>>().len());
    }
}

#[test]
fn machineguns_and_horse_artillery_are_two_units() {
    let (am, battery) = (unit("sp-am"), unit("sp-6-4-am"));
    assert_eq!((am.code.as_str(), am.kind), ("Am", UnitKind::Machinegun));
    assert_eq!((battery.code.as_str(), battery.kind), ("6/4 AM", UnitKind::Artillery));
    assert_eq!(Data::ours().cast.machineguns, am.id);
    assert_eq!((am.group, battery.group), (Group::Event6, Group::Start));
    assert!(!am.is_artillery(true) && battery.is_artillery(false));
}

#[test]
fn the_gatlings_are_artillery_as_the_option_says() {
    let gatlings = unit("us-art-pk");
    assert!(gatlings.is_artillery(true) && !gatlings.is_artillery(false));
    assert!(unit("us-art-gr").is_artillery(false) && !unit("us-inf-9").is_artillery(true));
}

#[test]
fn a_reduced_unit_uses_its_back() {
    let simancas = unit("sp-1-64-s");
    assert_eq!(simancas.steps, 2);
    assert_eq!(simancas.factors(2), simancas.front);
    assert_eq!(Some(simancas.factors(1)), simancas.back);
    assert_eq!(unit("sp-gc").factors(1), unit("sp-gc").front);
}

#[test]
fn leaders_and_the_balloon_have_no_steps() {
    let data = Data::ours();
    for id in [data.cast.signals, data.cast.roosevelt, data.cast.spanish_leader] {
        let unit = data.unit(id).unwrap();
        assert!(!unit.is_combat());
        assert_eq!((unit.front.fire, unit.front.shock), (0, 0));
    }
    assert_eq!(data.unit(data.cast.roosevelt).unwrap().code, "TR");
    assert_eq!(data.unit(data.cast.spanish_leader).unwrap().code, "Vara del Rey");
    assert!(unit("us-sd").has(Flag::Balloon));
}

#[test]
fn simancas_does_not_march_with_escario() {
    assert!(!unit("sp-1-64-s").has(Flag::Escario));
    assert!(unit("sp-1-75-ic").has(Flag::Escario));
    for garrison in ["sp-m", "sp-so"] {
        assert!(unit(garrison).has(Flag::Frozen));
    }
}

// ---- scenarios

#[test]
fn fifteen_turns_from_22_june() {
    let data = Data::ours();
    assert_eq!(data.last_turn(), 15);
    assert_eq!(data.date(1), Some("1898-06-22"));
    assert_eq!(data.date(9), Some("1898-06-30"));
    assert_eq!(data.date(10), Some("1898-07-01"));
    assert_eq!(data.date(14), Some("1898-07-05"));
    assert_eq!(data.date(15), Some("1898-07-06"));
    assert_eq!(data.date(16), None);
}

#[test]
fn every_counter_but_the_fleets_has_one_place_to_begin() {
    let data = Data::ours();
    for scenario in &data.scenarios {
        for id in data.units.keys().chain([&data.cast.base]) {
            let deployed = scenario.deploy.iter().filter(|deployment| deployment.counters.contains(id)).count();
            assert_eq!(deployed, 1, "{id} in {}", scenario.id);
        }
        assert!(scenario.deployment(data.cast.us_fleet).is_none());
    }
}

#[test]
fn the_second_wave_needs_siboney_in_us_hands() {
    let scenario = Data::ours().scenario("historical").unwrap();
    let Whence::Landing(second) = &scenario.deployment(UnitId::of("us-inf-24")).unwrap().rule else { panic!() };
    assert_eq!((second.from, second.until), (3, None));
    assert_eq!((second.at.as_deref(), &second.if_controlled[..]), (Some(&[hex(621)][..]), &[hex(816)][..]));
    let Whence::Landing(first) = &scenario.deployment(UnitId::of("us-tr")).unwrap().rule else { panic!() };
    assert_eq!((first.from, first.until, first.then), (1, Some(4), Some(Group::Wave2)));
}

#[test]
fn near_a_hex_means_the_land_around_it() {
    let scenario = Data::ours().scenario("historical").unwrap();
    let Whence::Hexes(bn) = &scenario.deployment(UnitId::of("sp-bn")).unwrap().rule else { panic!() };
    assert_eq!(bn, &[1209, 1210, 1309, 1310, 1311, 1409, 1410].map(hex));
}

// ---- a player's own transcription

#[test]
fn a_wrong_cell_is_a_fault_of_that_cell() {
    let faults = wrong("tables.yaml", "4: [1/-, 1/-, 1/1,", "4: [1/-, 1/-, 1/2,");
    let [fault] = &faults[..] else { panic!("{faults:?}") };
    assert_eq!(fault.clause.map(|clause| clause.0), Some("SCT.c"));
    let row = "4: [1/-, 1/-, 1/1,";
    let (line, text) = ours("tables.yaml").lines().enumerate().find(|(_, line)| line.contains(row)).unwrap();
    assert_eq!(fault.place, format!("{}:{}", line + 1, text.find("1/1,").unwrap() + 1));
    assert!(fault.what.contains("1/2") && fault.what.contains("1/1"), "{}", fault.what);
}

#[test]
fn facts_of_the_rulebook_are_missed_one_by_one() {
    let expected = [
        (
            "tables.yaml",
            "turns: [5, 6], spanish: [0, 0, 0, 0, 1, 1]",
            "turns: [5, 6], spanish: [0, 0, 0, 1, 1, 1]",
            "YFT.a",
        ),
        ("tables.yaml", "6: spanish-machineguns", "6: bad-weather", "7.2.6a"),
        ("tables.yaml", "redoubt: -2", "redoubt: 2", "DFM.e"),
        ("tables.yaml", "landing-steps: 12", "landing-steps: 14", "8.2g"),
        ("tables.yaml", "columns: [10, 19, 23]", "columns: [10, 18, 23]", "4.4a"),
        ("tables.yaml", "    5: [\"-\", \"-\", ALJ]", "    5: [\"-\", ALJ, ALJ]", "4.2c"),
        ("map.yaml", "shifted: even-rows-east", "shifted: odd-rows-east", "1.3b"),
        ("map.yaml", "el-caney: {hex: \"1512\"", "el-caney: {hex: \"1412\"", "6.5a"),
        ("map.yaml", "santiago: {hex: \"1308\"", "santiago: {hex: \"1208\"", "3.2d"),
        ("map.yaml", "[\"1901\", \"1801\",", "[\"1801\",", "8.3c"),
        ("map.yaml", "names: [Siboney]", "names: [Juragua Town]", "10.3d"),
        ("counters.yaml", "code: \"33 Vol\"", "code: \"35 Vol\"", "HSU.c"),
        ("counters.yaml", "flags: [frozen]", "flags: []", "3.2h"),
        ("counters.yaml", "count: 30", "count: 31", "1.2d"),
        ("counters.yaml", "flags: [asterisk]", "flags: [asterisk, escario]", "3.2b"),
        ("scenarios.yaml", "\"1898-07-06\"", "\"1898-07-05\"", "2.1b"),
        ("scenarios.yaml", "{turn: 4, delayed: 5}", "{turn: 4, delayed: 6}", "8.3a"),
        ("scenarios.yaml", "sp-ing: \"1208\"", "sp-ing: \"1209\"", "3.2e"),
        ("scenarios.yaml", "hexes: [\"0709\", \"0909\", \"1009\"]", "hexes: [\"0709\", \"1009\"]", "HSS.f"),
        ("scenarios.yaml", "landing: {from: 3,", "landing: {from: 2,", "HSU.d"),
    ];
    for (file, from, to, clause) in expected {
        let missed = wrong(file, from, to);
        let found = missed.iter().any(|fault| fault.clause.is_some_and(|found| found.0 == clause));
        assert!(found, "{from} → {to}: {missed:?}");
    }
}

#[test]
fn what_leaves_nothing_to_play_with_is_refused() {
    let expected = [
        ("map.yaml", "\"0621\", \"0721\", \"0720\"", "\"0621\", \"0720\"", "0621 and 0720 do not touch"),
        ("map.yaml", "\"0818\", \"0817\", \"0816\"", "\"0818\", \"0717\", \"0816\"", "0717 is all water"),
        ("map.yaml", "\"13\": \"jjjjjhhC..^.", "\"13\": \"jjjjjhhC..^", "hex 1324 is not drawn"),
        ("map.yaml", "\"13\": \"jjjjjhhC", "\"13\": \"jjjjjhhX", "`X` in hex 1308 is not in the legend"),
        ("map.yaml", "    \"04\": ", "    \"20\": ", "row 04 is not drawn"),
        ("map.yaml", "{hex: \"0712\", names", "{hex: \"3112\", names", "3112 is not on the map"),
        ("map.yaml", "names: [Firmeza]", "names: [sevilla]", "already the name of 1018"),
        ("map.yaml", "shifted: even-rows-east", "shifted: odd-columns-south", "pointy hexes have shifted rows"),
        ("counters.yaml", "id: us-inf-4\n", "id: us-inf-1\n", "two counters `us-inf-1`"),
        ("counters.yaml", "id: us-inf-4\n", "id: sp-inf-4\n", "`sp-inf-4` cannot be an id"),
        ("counters.yaml", "id: us-inf-4\n", "id: us-Inf-4\n", "`us-Inf-4` cannot be an id"),
        ("counters.yaml", "steps: 2", "steps: 3", "has 3 steps"),
        ("counters.yaml", "steps: 2", "steps: 1", "reduced side"),
        ("counters.yaml", "flags: [asterisk]", "flags: []", "one unit with an asterisk, and there are 0"),
        ("scenarios.yaml", "{sp-bn: \"1309\"}", "{sp-bm: \"1309\"}", "there is no counter `sp-bm`"),
        ("scenarios.yaml", "{sp-bn: \"1309\"}", "{sp-bn: \"1307\"}", "1307 is water"),
        ("scenarios.yaml", "        event: 6\n", "        event: 6\n        anywhere: true\n", "not at all or twice"),
        ("scenarios.yaml", "group: wave-2", "group: wave-1", "deployed twice"),
        ("scenarios.yaml", "group: wave-2", "group: wave-1", "`us-inf-24` is not deployed"),
        ("scenarios.yaml", "turn: 7,", "turn: 8,", "Turn 8 stands where Turn 7 belongs"),
        ("tables.yaml", "      3: [\"-\", \"-\", \"-\"]\n", "", "a row is missing"),
        ("tables.yaml", "      6: [W, W, W]", "      6: [W, W]", "row 6 has 2 cells for 3 columns"),
        ("tables.yaml", "[1, 4, 7, 11, 16, 21]", "[1, 4, 7, 16, 11, 21]", "columns must grow"),
        ("tables.yaml", "game: santiago-1898", "game: end-of-empire", "data for `end-of-empire`"),
    ];
    for (file, from, to, what) in expected {
        assert!(Data::load(&folder(file, from, to)).is_err(), "{to}");
        let faults = wrong(file, from, to);
        assert!(faults.iter().any(|fault| fault.what.contains(what)), "{to}: {faults:?}");
    }
}

#[test]
fn what_is_no_yaml_is_reported_with_its_line() {
    let line_of = |file: &str, text: &str| ours(file).lines().position(|line| line.contains(text)).unwrap() + 1;
    let broken = [
        ("counters.yaml", "steps: 2", "steps: two", line_of("counters.yaml", "steps: 2")),
        ("counters.yaml", "kind: infantry", "kind: infantery", line_of("counters.yaml", "kind: infantry")),
        ("tables.yaml", "2+DIS]", "2+DOS]", line_of("tables.yaml", "2+DIS]")),
        ("map.yaml", "{hex: \"1512\", names", "{hex: \"15-12\", names", line_of("map.yaml", "{hex: \"1512\", names")),
    ];
    for (file, from, to, line) in broken {
        let faults = wrong(file, from, to);
        let [fault] = &faults[..] else { panic!("{faults:?}") };
        assert_eq!(fault.place.split(':').next(), Some(&*line.to_string()), "{fault:?}");
        let refused = Data::load(&folder(file, from, to)).unwrap_err();
        assert!(refused[0].what.starts_with(&format!("{file}:{line}:")), "{refused:?}");
    }
    for rubbish in ["", "[", "game: santiago-1898", "&a [*a]", "\u{0}", "- 1\n- 2", "a: 1\na: 1", &"[".repeat(10_000)] {
        let files = BTreeMap::from([("map.yaml".to_owned(), rubbish.to_owned())]);
        assert!(Data::load(&files).is_err(), "{rubbish:.20}");
    }
    let twice = folder("scenarios.yaml", "sp-bn: \"1309\"", "sp-bn: \"1309\", sp-bn: \"1308\"");
    assert!(Data::load(&twice).is_err(), "one unit in two hexes");
}

#[test]
fn a_stranger_in_the_folder_is_refused() {
    let files = BTreeMap::from([("tables.yml".to_owned(), String::new())]);
    let faults = Data::load(&files).unwrap_err();
    let [fault] = &faults[..] else { panic!("{faults:?}") };
    assert!(fault.what.contains("tables.yml") && fault.remedy.contains("tables.yaml"), "{fault:?}");
}

#[test]
fn other_values_are_another_game_and_no_fault() {
    let (was, is) = ("front: {fire: 4, shock: 5, mf: 4}", "front: {fire: 9, shock: 5, mf: 4}");
    assert_eq!(wrong("counters.yaml", was, is), []);
    let other = Data::load(&folder("counters.yaml", was, is)).unwrap();
    assert_eq!(other.unit(UnitId::of("us-inf-1")).unwrap().front.fire, 9);
    assert_ne!(other.canon(), Data::ours().canon());
    assert_eq!(other.canon().get("map"), Data::ours().canon().get("map"));
}

#[test]
fn the_canon_has_a_canonical_form() {
    let canon = Data::ours().canon();
    canon.check().unwrap();
    assert_eq!(canon.as_map().unwrap().keys().collect::<Vec<_>>(), ["counters", "map", "scenarios", "tables"]);
    assert_eq!(&to_json(canon).unwrap(), canon);
    assert_eq!(canon.pointer("/tables/shock/results/rows/7/2").and_then(Json::as_str), Some("-/1R"));
}

// ---- rules in our words

#[derive(serde::Deserialize)]
struct Rulebook {
    options: Vec<OptionEntry>,
    clauses: Vec<ClauseEntry>,
    rulings: Vec<RulingEntry>,
}
#[derive(serde::Deserialize)]
struct OptionEntry {
    name: String,
    ruling: String,
    clause: String,
    default: String,
    values: BTreeMap<String, String>,
}
#[derive(serde::Deserialize)]
struct ClauseEntry {
    id: String,
    chapter: String,
    text: String,
    ruling: Option<String>,
    option: Option<String>,
}
#[derive(serde::Deserialize)]
struct RulingEntry {
    id: String,
    ruling: String,
    reason: String,
}

#[test]
fn every_clause_and_ruling_is_there_once() {
    let book: Rulebook = serde_yaml::from_str(include_str!("../rules.yaml")).unwrap();
    let ids: BTreeSet<&str> = book.clauses.iter().map(|clause| clause.id.as_str()).collect();
    assert_eq!((book.clauses.len(), ids.len()), (328, 328));
    assert!(book.clauses.iter().all(|clause| !clause.text.is_empty() && !clause.chapter.is_empty()));
    let rulings: Vec<&str> = book.rulings.iter().map(|ruling| ruling.id.as_str()).collect();
    assert_eq!(rulings, (1..=68).map(|n| format!("R{n}")).collect::<Vec<_>>());
    assert!(book.rulings.iter().all(|ruling| !ruling.ruling.is_empty() && !ruling.reason.is_empty()));
    for option in &book.options {
        assert!(option.values.contains_key(&option.default), "{}", option.name);
        assert!(ids.contains(option.clause.as_str()) && rulings.contains(&option.ruling.as_str()));
        let told = |clause: &&ClauseEntry| clause.option.as_ref() == Some(&option.name);
        let ruled = book.clauses.iter().filter(told).all(|clause| clause.ruling.is_some());
        assert!(ruled && book.clauses.iter().any(|clause| told(&clause)), "{}", option.name);
    }
    for option in book.clauses.iter().filter_map(|clause| clause.option.as_ref()) {
        assert!(book.options.iter().any(|known| known.name == *option), "{option}");
    }
    // What the data and their checks cite exists.
    let data = Data::ours();
    for scenario in &data.scenarios {
        let cited = scenario.deploy.iter().map(|deployment| deployment.clause).chain([scenario.clause]);
        assert!(cited.into_iter().all(|clause| ids.contains(clause.0)));
    }
}
