//! The schemas in `schemas/` are what the program writes today. `garcia schemas schemas` renews them.

mod schema;

use std::collections::BTreeMap;
use std::path::Path;

use garcia::engine::dice::{Chance, Seed};
use garcia::engine::doc::DocPath;
use garcia::engine::submission::{Due, Shut, template};
use garcia::engine::{Charter, Dice, Holdings, Questions, Said, Stop, View};
use garcia::games::GAMES;
use garcia::play::Sitting;
use serde_json::Value;

#[test]
fn the_schemas_are_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let mut kept = BTreeMap::new();
    for entry in std::fs::read_dir(&folder).expect("the folder `schemas`") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        kept.insert(name, std::fs::read_to_string(&path).expect("a schema"));
    }
    let today: BTreeMap<String, String> =
        garcia::cli::all_schemas().into_iter().map(|(name, schema)| (name, format!("{schema:#}\n"))).collect();
    let names = |map: &BTreeMap<String, String>| map.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&kept), names(&today), "run `cargo run -- schemas schemas`");
    for (name, schema) in &today {
        assert!(kept.get(name) == Some(schema), "{name} is stale: run `cargo run -- schemas schemas`");
    }
}

#[test]
fn every_key_of_an_order_file_is_described() {
    for (name, schema) in garcia::cli::all_schemas().into_iter().filter(|(name, _)| name.contains("-orders-")) {
        let properties = schema.pointer("/properties").and_then(serde_json::Value::as_object).expect("properties");
        for (key, value) in properties {
            assert!(value.get("description").is_some(), "{name}: {key} has no description");
        }
    }
}

/// A YAML document as an editor's YAML server sees it.
fn as_an_editor_reads(text: &str) -> Value {
    fn plain(value: serde_yaml::Value) -> Value {
        match value {
            serde_yaml::Value::Mapping(map) => {
                let key = |key: serde_yaml::Value| match key {
                    serde_yaml::Value::String(text) => text,
                    other => serde_yaml::to_string(&other).expect("a key").trim().to_owned(),
                };
                Value::Object(map.into_iter().map(|(name, value)| (key(name), plain(value))).collect())
            }
            serde_yaml::Value::Sequence(list) => list.into_iter().map(plain).collect(),
            other => serde_json::to_value(other).expect("a scalar"),
        }
    }
    plain(serde_yaml::from_str(text).expect("YAML"))
}

/// What the schema of that name finds wrong with a document.
fn objections(schema: &str, document: &Value) -> Vec<String> {
    let found = garcia::cli::all_schemas().into_iter().find(|(name, _)| name == schema);
    let (_, schema) = found.unwrap_or_else(|| panic!("there is no schema {schema}"));
    schema::objections(&schema, document)
}

fn files(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(&folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    let yaml = entries.filter(|path| path.extension().is_some_and(|end| end == "yaml"));
    let name = |path: &Path| path.file_stem().expect("a name").to_string_lossy().into_owned();
    yaml.map(|path| (name(&path), std::fs::read_to_string(&path).expect("a file"))).collect()
}

#[test]
fn every_shipped_data_file_follows_its_schema() {
    for game in GAMES {
        let files = files(&format!("src/games/{}/data", game.id().replace('-', "_")));
        assert!(!files.is_empty(), "{} has no data", game.id());
        for (name, text) in files {
            let found = objections(&format!("{}-data-{name}.json", game.id()), &as_an_editor_reads(&text));
            assert!(found.is_empty(), "{} {name}: {found:#?}", game.id());
        }
    }
}

#[test]
fn every_case_file_follows_its_schema() {
    for game in GAMES {
        for (name, text) in files(&format!("tests/conformance/{}", game.id())) {
            let mut cases = as_an_editor_reads(&text);
            // What a case expects to be refused may be orders that an editor would underline as well.
            for case in cases.pointer_mut("/cases").and_then(Value::as_array_mut).into_iter().flatten() {
                if case.pointer("/expect/refused").is_some() {
                    case.as_object_mut().and_then(|case| case.remove("orders"));
                }
            }
            let found = objections(&format!("{}-cases.json", game.id()), &cases);
            assert!(found.is_empty(), "{} {name}: {found:#?}", game.id());
        }
    }
}

#[test]
fn every_template_and_every_state_of_a_game_follow_their_schemas() {
    for game in GAMES {
        let table = game.open(&Charter::default()).expect("a table");
        let (state, stop) = table.begin();
        let mut sitting = Sitting::new(&*table, state, stop, Holdings::default());
        let questions = Questions { ask: false, max_asks: None };
        let mut chance = Chance::new("schemas");
        for packet in 0..6 {
            let written = table.state_json(&sitting.state).expect("a state").to_string();
            let written: Value = serde_json::from_str(&written).expect("JSON");
            let found = objections(&format!("{}-state.json", game.id()), &written);
            assert!(found.is_empty(), "{} state {packet}: {found:#?}", game.id());

            let stop = sitting.stop.clone();
            let Stop::Orders { who, .. } = &stop else { break };
            let holdings = sitting.holdings_of(*who);
            let view = View { state: &sitting.state, holdings: &holdings, side: Some(*who) };
            let standing = BTreeMap::new();
            let due = Due {
                table: &*table,
                game_id: None,
                view,
                stop: &stop,
                questions,
                standing: &standing,
                shut: Shut::default(),
                try_out: None,
            };
            let name = garcia::cli::order_file_name(*game, stop.ask());
            let found = objections(&name, &as_an_editor_reads(&template(&due, &name)));
            assert!(found.is_empty(), "{name} {packet}: {found:#?}");

            let orders = table.random_orders(view, &stop, &mut chance);
            let (orders, _) = table.check(view, &stop, orders, &DocPath::root());
            let mut span = sitting.span(orders, Said::default(), questions);
            let outcome = sitting.resolve(&span, Dice::Seed(Seed::new([7; 32]))).expect("a result");
            sitting.follow(&mut span, &outcome).expect("every onlooker sees the same");
            sitting.end_span(span, outcome);
        }
    }
}

#[test]
fn a_slip_in_a_data_file_breaks_its_schema() {
    let sound = "game: santiago-1898\nunits: []\nspecial: []\nmarkers: []\ntotal: {counters: 0, source: text}\n";
    assert_eq!(objections("santiago-1898-data-counters.json", &as_an_editor_reads(sound)), Vec::<String>::new());
    let broken = sound.replace("source: text", "source: rumour").replace("markers: []", "markers: 7");
    assert_eq!(objections("santiago-1898-data-counters.json", &as_an_editor_reads(&broken)).len(), 2);
}
