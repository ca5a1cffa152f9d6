//! The names a player may type: units by id or code, hexes by number or place.

use schemars::json_schema;
use serde::{Serialize, Serializer};

use crate::engine::doc::{DocPath, FromDoc, Lexicon, Node, Reader, Unknown};

use super::data::Data;
use super::orders::Effort;

impl Lexicon for Data {
    fn look_up(&self, class: &str, text: &str) -> Result<String, Unknown> {
        match class {
            "hex" => match self.hex_named(text) {
                Some(hex) => Ok(hex.to_string()),
                None => {
                    let hint = "Hexes are numbered 0101 to 1924, row first; many have names (`garcia map`).";
                    Err(Unknown::near(text, self.place_names().map(|(name, _)| name)).hint(hint))
                }
            },
            "unit" => match self.counter_named(text) {
                Some(id) => Ok(id.to_string()),
                None => Err(Unknown::near(text, self.units.keys().map(|id| id.as_str()))),
            },
            _ => Ok(text.to_owned()),
        }
    }
}

impl Serialize for Effort {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Effort::No => serializer.serialize_bool(false),
            Effort::Yes => serializer.serialize_bool(true),
            Effort::IfAttack => serializer.serialize_str("if-attack"),
        }
    }
}

impl FromDoc for Effort {
    const OPTIONAL: bool = true;

    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        if node.as_text().is_some_and(|text| text.eq_ignore_ascii_case("if-attack")) {
            return Some(Effort::IfAttack);
        }
        let faults = reader.faults.len();
        let read = bool::read(node, at, reader).map(|yes| if yes { Effort::Yes } else { Effort::No });
        for fault in reader.faults.iter_mut().skip(faults) {
            fault.remedy = "write `yes`, `no` or `if-attack`".into();
        }
        read
    }

    fn missing(_: &DocPath, _: &str, _: &mut Reader<'_>) -> Option<Self> {
        Some(Effort::No)
    }

    fn is_absent(&self) -> bool {
        *self == Effort::No
    }
}

crate::described!(Effort, _ => {
    json_schema!({"enum": ["yes", "no", "if-attack", true, false]})
});
