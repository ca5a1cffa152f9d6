//! What may stand in the orders of a game by its schemas: keys that no player at random writes, with values of their make.

use std::collections::BTreeMap;

use serde_json::Value;

use super::mutate::Vocabulary;
use crate::engine::Json;
use crate::engine::dice::Chance;

/// How deep a value is made.
const DEEP: u32 = 4;

/// One kind of map in an order file.
struct Form {
    /// The schema it stands in, for what it refers to.
    file: usize,
    properties: Vec<(String, Value)>,
    /// The orders as a whole.
    whole: bool,
}

/// Every kind of map in the order files of a game.
#[derive(Default)]
pub struct Forms {
    files: Vec<Value>,
    all: Vec<Form>,
}

impl Forms {
    /// Those of a game's schemas.
    pub fn of(schemas: Vec<(String, Value)>) -> Forms {
        let mut forms = Forms::default();
        for (_, schema) in schemas.into_iter().filter(|(name, _)| name.starts_with("orders-")) {
            let file = forms.files.len();
            let mut found = vec![(properties(&schema), true)];
            let defs = schema.get("$defs").and_then(Value::as_object);
            found.extend(defs.into_iter().flat_map(|defs| defs.values()).map(|def| (properties(def), false)));
            let found = found.into_iter().filter(|(properties, _)| !properties.is_empty());
            forms.all.extend(found.map(|(properties, whole)| Form { file, properties, whole }));
            forms.files.push(schema);
        }
        forms
    }

    /// Writes a key into a map of the orders, or more under one that is there.
    pub fn write(
        &self,
        map: &mut BTreeMap<String, Json>,
        whole: bool,
        words: &Vocabulary,
        chance: &mut Chance,
    ) -> Option<()> {
        let has = |form: &Form, key: &String| form.properties.iter().any(|(name, _)| name == key);
        let fits = |form: &&Form| (form.whole == whole || !map.is_empty()) && map.keys().all(|key| has(form, key));
        let fitting: Vec<&Form> = self.all.iter().filter(fits).collect();
        let form = chance.pick(&fitting)?;
        let (key, schema) = chance.pick(&form.properties)?;
        let value = self.value(self.files.get(form.file)?, schema, words, chance, DEEP)?;
        match (map.get_mut(key), value) {
            (Some(Json::List(items)), Json::List(more)) if chance.one_in(2) => items.extend(more),
            (Some(Json::Map(members)), Json::Map(more)) if chance.one_in(2) => members.extend(more),
            (_, value) => drop(map.insert(key.clone(), value)),
        }
        Some(())
    }

    /// A value that a schema allows, as far as it goes by kinds.
    fn value(&self, file: &Value, schema: &Value, words: &Vocabulary, chance: &mut Chance, deep: u32) -> Option<Json> {
        let deep = deep.checked_sub(1)?;
        if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
            let def = file.get("$defs")?.get(name.rsplit('/').next()?)?;
            return self.value(file, def, words, chance, deep + 1);
        }
        if let Some(value) = schema.get("const") {
            return plain(value);
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            return chance.pick(values).and_then(plain);
        }
        if let Some(ways) = schema.get("anyOf").or(schema.get("oneOf")).and_then(Value::as_array) {
            let ways: Vec<&Value> = ways.iter().filter(|way| way.get("type") != Some(&Value::from("null"))).collect();
            let way = chance.pick(&ways)?;
            return self.value(file, way, words, chance, deep + 1);
        }
        let names = schema.get("x-names").and_then(Value::as_str);
        if let Some(names) = names {
            return words.named(names, chance).map(Json::Str);
        }
        let kind = schema.get("type");
        let is = |name: &str| match kind {
            Some(Value::String(kind)) => kind == name,
            Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == name),
            _ => false,
        };
        if is("array") {
            let items = schema.get("items")?;
            let count = 1 + chance.below(2);
            return (0..count)
                .map(|_| self.value(file, items, words, chance, deep))
                .collect::<Option<_>>()
                .map(Json::List);
        }
        if is("object") {
            let mut map = BTreeMap::new();
            let required = schema.get("required").and_then(Value::as_array);
            for (key, schema) in properties(schema) {
                let needed = required.is_some_and(|keys| keys.iter().any(|name| *name == key));
                if (needed || chance.one_in(3))
                    && let Some(value) = self.value(file, &schema, words, chance, deep)
                {
                    map.insert(key, value);
                }
            }
            if let Some(other) = schema.get("additionalProperties").filter(|other| other.is_object()) {
                let key = words.named(["unit", "hex"][chance.below(2)], chance)?;
                map.insert(key, self.value(file, other, words, chance, deep)?);
            }
            return Some(Json::Map(map));
        }
        if is("string") {
            let told = schema.get("description").and_then(Value::as_str).unwrap_or_default();
            let told: Vec<&str> = told.split('`').skip(1).step_by(2).collect();
            return match chance.pick(&told).filter(|_| chance.one_in(2)) {
                Some(word) => Some(Json::Str((*word).to_owned())),
                None => words.named("any", chance).map(Json::Str),
            };
        }
        is("integer").then(|| Json::Int(i64::try_from(chance.below(4)).unwrap_or(0)))
    }
}

fn properties(schema: &Value) -> Vec<(String, Value)> {
    let all = schema.get("properties").and_then(Value::as_object);
    all.into_iter().flatten().map(|(name, schema)| (name.clone(), schema.clone())).collect()
}

fn plain(value: &Value) -> Option<Json> {
    match value {
        Value::String(text) => Some(Json::Str(text.clone())),
        Value::Bool(flag) => Some(Json::Bool(*flag)),
        Value::Number(number) => number.as_i64().map(Json::Int),
        _ => None,
    }
}
