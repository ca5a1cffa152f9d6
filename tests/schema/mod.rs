//! As much of JSON Schema as our schemas use. An unknown keyword is an error, so nothing passes for want of a check.

use serde_json::{Map, Value};

/// What a schema finds wrong with a document, each with its place.
pub fn objections(root: &Value, document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    judge(root, root, document, "", &mut found);
    // A whole document may stand in an objection.
    found.iter().map(|objection| objection.chars().take(400).collect()).collect()
}

fn judge(root: &Value, schema: &Value, document: &Value, at: &str, found: &mut Vec<String>) {
    let keywords = match schema {
        Value::Bool(true) => return,
        Value::Object(keywords) => keywords,
        other => return found.push(format!("{at}: the schema {other} allows nothing")),
    };
    for (keyword, wanted) in keywords {
        match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" | "default" | "examples" | "format" => {}
            // What kind of name stands here: a remark for the schema of a moment, which lists them.
            "x-names" => {}
            "$ref" => {
                let target = wanted.as_str().and_then(|text| root.pointer(text.strip_prefix('#')?));
                judge(root, target.expect("a reference within the schema"), document, at, found);
            }
            "type" => {
                let kinds = wanted.as_array().cloned().unwrap_or_else(|| vec![wanted.clone()]);
                if !kinds.iter().any(|kind| is_a(kind, document)) {
                    found.push(format!("{at}: {document} is not of type {wanted}"));
                }
            }
            "const" if wanted != document => found.push(format!("{at}: {document} is not {wanted}")),
            "enum" if !list(wanted).contains(document) => found.push(format!("{at}: {document} is none of {wanted}")),
            "const" | "enum" => {}
            "anyOf" | "oneOf" => {
                let tries = list(wanted).iter().map(|choice| {
                    let mut against = Vec::new();
                    judge(root, choice, document, at, &mut against);
                    against
                });
                let tries: Vec<Vec<String>> = tries.collect();
                let passed = tries.iter().filter(|against| against.is_empty()).count();
                if passed == 0 {
                    let all: Vec<String> = tries.into_iter().flatten().collect();
                    found.push(format!("{at}: no choice fits: {}", all.join("; ")));
                } else if passed > 1 && keyword == "oneOf" {
                    found.push(format!("{at}: {passed} choices fit {document}"));
                }
            }
            "allOf" => list(wanted).iter().for_each(|part| judge(root, part, document, at, found)),
            "minimum" => bound(document, wanted, at, found, |number, least| number >= least),
            "maximum" => bound(document, wanted, at, found, |number, most| number <= most),
            "pattern" => pattern(document, wanted, at, found),
            "minLength" | "maxLength" => {
                if let Some(text) = document.as_str() {
                    length(text.chars().count(), keyword == "minLength", wanted, at, found);
                }
            }
            "minItems" | "maxItems" => {
                if let Some(items) = document.as_array() {
                    length(items.len(), keyword == "minItems", wanted, at, found);
                }
            }
            "uniqueItems" => {
                let items = document.as_array().map_or(&[][..], Vec::as_slice);
                if items.iter().enumerate().any(|(index, item)| items[..index].contains(item)) {
                    found.push(format!("{at}: an item stands twice"));
                }
            }
            "prefixItems" | "items" => the_items(root, keywords, keyword, document, at, found),
            "required" => {
                let Some(map) = document.as_object() else { continue };
                for key in list(wanted).iter().filter_map(Value::as_str).filter(|key| !map.contains_key(*key)) {
                    found.push(format!("{at}: `{key}` is missing"));
                }
            }
            "properties" | "patternProperties" | "additionalProperties" => {
                the_keys(root, keywords, keyword, document, at, found)
            }
            unknown => panic!("the keyword `{unknown}` is not understood here: teach it to this reader"),
        }
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list in the schema")
}

fn is_a(kind: &Value, document: &Value) -> bool {
    match kind.as_str().expect("a type") {
        "null" => document.is_null(),
        "boolean" => document.is_boolean(),
        "integer" => document.is_i64() || document.is_u64(),
        "number" => document.is_number(),
        "string" => document.is_string(),
        "array" => document.is_array(),
        "object" => document.is_object(),
        unknown => panic!("no type `{unknown}`"),
    }
}

fn bound(document: &Value, wanted: &Value, at: &str, found: &mut Vec<String>, holds: impl Fn(i64, i64) -> bool) {
    let Some(number) = document.as_i64() else { return };
    if !holds(number, wanted.as_i64().expect("a whole number in the schema")) {
        found.push(format!("{at}: {number} is beyond {wanted}"));
    }
}

fn length(count: usize, least: bool, wanted: &Value, at: &str, found: &mut Vec<String>) {
    let wanted = usize::try_from(wanted.as_u64().expect("a number")).expect("a small number");
    if (least && count < wanted) || (!least && count > wanted) {
        found.push(format!("{at}: has length {count}, against {wanted}"));
    }
}

fn pattern(document: &Value, wanted: &Value, at: &str, found: &mut Vec<String>) {
    let Some(text) = document.as_str() else { return };
    if !matches(text, wanted.as_str().expect("a pattern")) {
        found.push(format!("{at}: `{text}` does not look like {wanted}"));
    }
}

/// The few patterns our schemas use.
fn matches(text: &str, pattern: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match pattern {
        "^[0-9]{4}$" => text.len() == 4 && digits(text),
        "^([0-9]+:1|1:[0-9]+)$" => text
            .split_once(':')
            .is_some_and(|(left, right)| digits(left) && digits(right) && (left == "1" || right == "1")),
        r"^\d+$" => digits(text),
        unknown => panic!("the pattern `{unknown}` is not understood here: teach it to this reader"),
    }
}

fn the_items(
    root: &Value,
    keywords: &Map<String, Value>,
    keyword: &str,
    document: &Value,
    at: &str,
    found: &mut Vec<String>,
) {
    let Some(items) = document.as_array() else { return };
    let first = keywords.get("prefixItems").map_or(&[][..], list);
    for (index, item) in items.iter().enumerate() {
        let schema = match (keyword, first.get(index)) {
            ("prefixItems", Some(schema)) => schema,
            ("items", None) => &keywords["items"],
            _ => continue,
        };
        judge(root, schema, item, &format!("{at}/{index}"), found);
    }
}

fn the_keys(
    root: &Value,
    keywords: &Map<String, Value>,
    keyword: &str,
    document: &Value,
    at: &str,
    found: &mut Vec<String>,
) {
    let Some(map) = document.as_object() else { return };
    let known = keywords.get("properties").and_then(Value::as_object);
    let alike = keywords.get("patternProperties").and_then(Value::as_object);
    for (key, value) in map {
        let at = format!("{at}/{key}");
        let named = known.and_then(|known| known.get(key));
        let like = alike.and_then(|alike| alike.iter().find(|(pattern, _)| matches(key, pattern)));
        match (keyword, named, like) {
            ("properties", Some(schema), _) | ("patternProperties", _, Some((_, schema))) => {
                judge(root, schema, value, &at, found);
            }
            ("additionalProperties", None, None) => {
                judge(root, &keywords["additionalProperties"], value, &at, found);
            }
            _ => {}
        }
    }
}
