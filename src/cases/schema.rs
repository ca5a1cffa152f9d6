//! The JSON Schema of a case file, with the game's own parts in place.

use serde_json::{Map, Value, json};

use super::file::CaseFile;
use crate::engine::Ruleset;

/// The schema of a game's case files: the keys of every case, and below `start` and `orders` what the game understands.
pub fn schema(ruleset: &dyn Ruleset) -> Value {
    let mut schema = Value::from(schemars::schema_for!(CaseFile));
    let title = ruleset.about().title;
    let mut parts = Map::new();
    let mut orders = Vec::new();
    let mut start = None;
    for (name, part) in ruleset.schemas() {
        if name == "case-start" {
            start = Some(adopt(&name, part, &mut parts));
        } else if name.starts_with("orders-") {
            orders.push(adopt(&name, part, &mut parts));
        }
    }
    if let Some(top) = schema.as_object_mut() {
        top.insert("title".into(), format!("{title}: conformance cases").into());
    }
    set(&mut schema, "/properties/game", json!({ "const": ruleset.id(), "description": "The game." }));
    if let Some(start) = start {
        describe(&mut schema, "/$defs/Case/properties/start", &json!({ "allOf": [start] }));
    }
    if !orders.is_empty() {
        let any = json!({ "anyOf": orders });
        describe(&mut schema, "/$defs/Case/properties/orders", &any);
        describe(&mut schema, "/$defs/Packet/properties/orders", &any);
    }
    if let Some(definitions) = schema.pointer_mut("/$defs").and_then(Value::as_object_mut) {
        definitions.extend(parts);
    }
    schema
}

fn set(schema: &mut Value, pointer: &str, value: Value) {
    if let Some(place) = schema.pointer_mut(pointer) {
        *place = value;
    }
}

/// Says more about a key, and keeps its description.
fn describe(schema: &mut Value, pointer: &str, more: &Value) {
    let Some(place) = schema.pointer_mut(pointer) else { return };
    let mut said = more.clone();
    if let (Some(said), Some(description)) = (said.as_object_mut(), place.get("description")) {
        said.insert("description".into(), description.clone());
    }
    *place = said;
}

/// Takes a schema of the game among the definitions, under names of its own, and gives the reference to it.
fn adopt(name: &str, mut part: Value, definitions: &mut Map<String, Value>) -> Value {
    rename(&mut part, name);
    if let Some(object) = part.as_object_mut() {
        object.remove("$schema");
        if let Some(Value::Object(own)) = object.remove("$defs") {
            definitions.extend(own.into_iter().map(|(key, value)| (format!("{name}.{key}"), value)));
        }
    }
    definitions.insert(name.to_owned(), part);
    json!({ "$ref": format!("#/$defs/{name}") })
}

fn rename(value: &mut Value, name: &str) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                match member {
                    Value::String(text) if key == "$ref" => {
                        *text = text.replace("#/$defs/", &format!("#/$defs/{name}."));
                    }
                    member => rename(member, name),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, name)),
        _ => {}
    }
}
