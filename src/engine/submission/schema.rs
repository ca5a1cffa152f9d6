//! The JSON Schema of a whole order file, around the one the game gives for its `orders:`.

use serde_json::{Map, Value, json};

use super::NOTE_LENGTH;
use crate::engine::doc::or_nothing;
use crate::engine::{KindInfo, Moment, Ruleset};

/// The schema of an order file of one packet. `orders` is the schema of the game's own part.
pub fn order_file_schema(ruleset: &dyn Ruleset, packet: &str, orders: Value) -> Value {
    let title = ruleset.about().title;
    let sides: Vec<&str> = ruleset.sides().iter().map(|side| side.as_str()).collect();
    let (mut orders, definitions) = lift_definitions(orders);
    if let Value::Object(schema) = &mut orders {
        schema.remove("$schema");
        schema.entry("description").or_insert_with(|| "What the units are to do.".into());
    }
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("{title}: `{packet}` orders"),
        "description": format!("An order file of {title} for garcia."),
        "type": "object",
        "additionalProperties": false,
        "required": ["game", "side", "turn", "packet"],
        "properties": {
            "game": { "const": ruleset.id(), "description": "The game." },
            "match": {
                "type": ["string", "integer"],
                "description": "The first digits of the game id, so that orders do not end up in another match."
            },
            "side": { "enum": sides, "description": "Whose orders these are." },
            "turn": { "type": ["integer", "string"], "description": "The game turn." },
            "packet": { "enum": [packet, "answers"], "description": "Which orders these are." },
            "orders": or_nothing(orders),
            "policies": kinds(ruleset, true),
            "standing": kinds(ruleset, false),
            "answers": answers(),
            "note": {
                "type": "string",
                "maxLength": NOTE_LENGTH,
                "description": "A message to your opponent: signed with this file, shown in his report and mail."
            },
            "private-note": { "type": "string", "description": "A remark of your own; it stays in the file." }
        }
    });
    if let (Some(definitions), Value::Object(whole)) = (definitions, &mut schema) {
        whole.insert("$defs".into(), definitions);
    }
    schema
}

/// References in the game's part point to the top of the file, so its definitions move there.
fn lift_definitions(mut schema: Value) -> (Value, Option<Value>) {
    let definitions = schema.as_object_mut().and_then(|schema| schema.remove("$defs"));
    (schema, definitions)
}

fn kinds(ruleset: &dyn Ruleset, own: bool) -> Value {
    let here = |info: &&KindInfo| match info.moment {
        Moment::OwnTurn => own,
        Moment::OpponentsTurn => !own,
        Moment::Either => true,
    };
    let mut properties = Map::new();
    for info in ruleset.kinds().iter().filter(here) {
        let text = format!("{} ({}) Default: {}.", info.text, info.clause, info.default);
        let mut words = vec![
            json!({ "const": "default", "description": format!("{}.", info.default) }),
            json!({ "const": "ask", "description": "Stop the game and ask." }),
        ];
        let forms = ruleset.forms(info, info.asked_of);
        let word = |form: &&&str| form.chars().next().is_some_and(char::is_alphanumeric);
        words.extend(forms.iter().filter(word).map(|form| json!({ "const": form })));
        let structures = forms.iter().filter(|form| !word(form));
        let mut types: Vec<&str> =
            structures.map(|form| if form.starts_with('[') { "array" } else { "object" }).collect();
        types.dedup();
        words.extend(types.into_iter().map(|kind| json!({ "type": kind })));
        properties.insert(
            info.kind.0.into(),
            json!({ "description": text, "anyOf": words, "default": "default", "examples": forms }),
        );
    }
    let description = match own {
        true => "What is to be done where the rules give you a choice while these orders are carried out.",
        false => {
            "What is to be done where the rules give you a choice while your opponent's orders are carried out. \
             In force until replaced."
        }
    };
    json!({ "type": "object", "description": description, "additionalProperties": false, "properties": properties })
}

fn answers() -> Value {
    json!({
        "description": "Answers to the open questions.",
        "anyOf": [
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["key", "choice"],
                    "properties": {
                        "key": { "type": "string", "description": "The question." },
                        "choice": { "description": "One of its choices, or `default`." }
                    }
                }
            },
            { "type": "object", "description": "Question and choice.", "additionalProperties": true }
        ]
    })
}
