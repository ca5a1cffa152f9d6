//! The schema of an order file for one moment: with the units, hexes and places of this very position.

use serde_json::{Value, json};

use crate::engine::doc::fold;
use crate::engine::{Side, Stop};
use crate::scene::{Arm, Counter, Scene};

/// What names may stand for now.
struct Names {
    cells: Vec<Value>,
    units: Vec<Value>,
    leaders: Vec<Value>,
}

/// Lists in the schema of an order file what its author can name now, so that an editor completes it and marks a slip.
pub fn schema_of_moment(mut schema: Value, scene: &Scene, stop: &Stop) -> Value {
    let names = Names::of(scene, stop.who());
    fill(&mut schema, &names);
    let Some(parts) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return schema };
    if let Some(who) = stop.who() {
        parts.insert("side".into(), json!({ "const": who.as_str(), "description": "Whose orders these are." }));
    }
    let turn = scene.turn;
    parts.insert("turn".into(), json!({ "enum": [turn, turn.to_string()], "description": "The game turn." }));
    let anything: Vec<Value> = names.cells.iter().chain(&names.units).chain(&names.leaders).cloned().collect();
    for kinds in ["policies", "standing"] {
        let kinds = parts.get_mut(kinds).and_then(|kinds| kinds.get_mut("properties")).and_then(Value::as_object_mut);
        for forms in kinds.into_iter().flat_map(|kinds| kinds.values_mut()) {
            let forms = forms.get_mut("anyOf").and_then(Value::as_array_mut).into_iter().flatten();
            for form in forms.filter(|form| form.get("type") == Some(&json!("array"))) {
                *form = json!({ "type": "array", "items": { "enum": anything } });
            }
        }
    }
    schema
}

impl Names {
    fn of(scene: &Scene, side: Option<Side>) -> Names {
        let mut cells = Vec::new();
        for cell in scene.boards.iter().flat_map(|board| &board.cells) {
            cells.push(json!(cell.id));
            // An editor reads a number without quotes as one.
            cells.extend(cell.id.parse::<u32>().ok().map(|number| json!(number)));
            let plain = cell.name.as_deref().map(unaccented);
            cells.extend(cell.name.iter().chain(&plain).map(|name| json!(name)));
        }
        let alive = scene.boxes.iter().filter(|held| !held.id.ends_with("lost")).flat_map(|held| &held.counters);
        let on_map = scene.boards.iter().flat_map(|board| &board.counters);
        let (mut units, mut leaders) = (Vec::new(), Vec::new());
        let mut counters: Vec<&Counter> = on_map.chain(alive).collect();
        // One's own come first.
        let own = |counter: &&Counter| scene.force(counter.force).map(|force| force.side) == side;
        counters.sort_by_key(|counter| !own(counter));
        for counter in counters {
            units.push(json!(counter.id));
            if counter.arm == Arm::Leader {
                leaders.push(json!(counter.id));
            }
        }
        for list in [&mut cells, &mut units, &mut leaders] {
            let mut seen = std::collections::BTreeSet::new();
            list.retain(|value| seen.insert(value.to_string()));
        }
        Names { cells, units, leaders }
    }

    fn class(&self, class: &str) -> Option<&Vec<Value>> {
        match class {
            "hex" | "box" => Some(&self.cells),
            "unit" | "piece" | "token" => Some(&self.units),
            "leader" => Some(&self.leaders),
            _ => None,
        }
    }
}

/// A name as people type it who have no accents on their keys.
fn unaccented(name: &str) -> String {
    let plain = |c: char| match c.is_ascii() {
        true => c.to_string(),
        false if c.is_uppercase() => fold(&c.to_string()).to_uppercase(),
        false => fold(&c.to_string()),
    };
    name.chars().map(plain).collect()
}

/// Puts the names of a class wherever the schema says that one stands.
fn fill(schema: &mut Value, names: &Names) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, names)),
        Value::Object(parts) => {
            let class = parts.get("x-names").and_then(Value::as_str).and_then(|class| names.class(class)).cloned();
            if let Some(listed) = class.filter(|listed| !listed.is_empty()) {
                parts.remove("type");
                parts.remove("examples");
                parts.insert("enum".into(), Value::Array(listed));
            }
            parts.values_mut().for_each(|part| fill(part, names));
        }
        _ => {}
    }
}
