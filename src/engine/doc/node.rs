//! What stands in a document before anybody asks what it means: texts, lists and maps.

use crate::engine::json::Json;
use serde::ser::{Serialize, SerializeMap, Serializer};

/// A document as written: every scalar is a text, whatever YAML would make of it (`0816`, `no`, `12:30`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A single value.
    Text {
        /// The text, without its quotes.
        text: String,
        /// Whether it stood in quotes or in a block.
        quoted: bool,
    },
    /// A list.
    List(Vec<Node>),
    /// A map, in the order of the file.
    Map(Vec<(String, Node)>),
}

impl Node {
    /// A plain text.
    pub fn text(text: impl Into<String>) -> Node {
        Node::Text { text: text.into(), quoted: false }
    }

    /// A value as a document: what a person would have typed for it.
    pub fn from_json(value: &Json) -> Node {
        match value {
            Json::Bool(truth) => Node::text(truth.to_string()),
            Json::Int(number) => Node::text(number.to_string()),
            Json::Str(text) => Node::Text { text: text.clone(), quoted: true },
            Json::List(items) => Node::List(items.iter().map(Node::from_json).collect()),
            Json::Map(members) => {
                let member = |(key, value): (&String, &Json)| (key.clone(), Node::from_json(value));
                Node::Map(members.iter().map(member).collect())
            }
        }
    }

    /// The document as a value; every scalar stays text, since only its reader knows what it is meant to be.
    pub fn to_json(&self) -> Json {
        match self {
            Node::Text { text, .. } => Json::Str(text.clone()),
            Node::List(items) => Json::List(items.iter().map(Node::to_json).collect()),
            Node::Map(entries) => {
                let member = |(key, node): &(String, Node)| (key.clone(), node.to_json());
                Json::Map(entries.iter().map(member).collect())
            }
        }
    }

    /// The value under `key`, if this is a map and has it. `press_if` and `press-if` are the same key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match self {
            Node::Map(entries) => entries.iter().find(|(name, _)| same_key(name, key)).map(|(_, node)| node),
            _ => None,
        }
    }

    /// The text, if this is a single value.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Node::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The items, if this is a list.
    pub fn as_list(&self) -> Option<&[Node]> {
        match self {
            Node::List(items) => Some(items),
            _ => None,
        }
    }

    /// The entries, if this is a map.
    pub fn as_map(&self) -> Option<&[(String, Node)]> {
        match self {
            Node::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// What a person would call this: for faults that say what was found.
    pub fn kind(&self) -> &'static str {
        match self {
            Node::Text { .. } => "a single value",
            Node::List(_) => "a list",
            Node::Map(_) => "a map",
        }
    }
}

/// Whether two keys are the same to a person: hyphen and underscore do not differ.
pub fn same_key(one: &str, other: &str) -> bool {
    one.len() == other.len()
        && one.bytes().zip(other.bytes()).all(|(a, b)| a == b || (matches!(a, b'-' | b'_') && matches!(b, b'-' | b'_')))
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Node::Text { text, .. } => serializer.serialize_str(text),
            Node::List(items) => serializer.collect_seq(items),
            Node::Map(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, node) in entries {
                    map.serialize_entry(key, node)?;
                }
                map.end()
            }
        }
    }
}

impl schemars::JsonSchema for Node {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Anything".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        true.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_with_a_hyphen_or_an_underscore() {
        let node = Node::Map(vec![("press_if".into(), Node::text("2:1"))]);
        assert_eq!(node.get("press-if").and_then(Node::as_text), Some("2:1"));
        assert_eq!(node.get("press"), None);
        assert_eq!(Node::text("x").get("press-if"), None);
    }
}
