//! The schemas in `schemas/` are what the program writes today. `garcia schemas schemas` renews them.

use std::collections::BTreeMap;
use std::path::Path;

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
