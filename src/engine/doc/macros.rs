//! `document!` and `words!`: types that people write, declared once.
//!
//! From one declaration come the Rust type, the reader that reports every fault, the writer, and the JSON Schema with
//! the doc comments as descriptions.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::nearest::{did_you_mean, fold, nearest, one_of};
use super::node::Node;
use super::path::DocPath;
use super::reader::{FromDoc, Reader, clip};

/// Declares structs that people write as maps.
///
/// The field `press_if` is the key `press-if` in files. Absent values (no `Option`, an empty list or map, `no`) are not
/// written, unless the field is declared so: `pub losses: BTreeMap<Force, u32> = always`. Attributes of the struct and
/// of its fields are kept. A struct may leave open which words stand in it: `pub struct Drawn<T> { pub legend:
/// BTreeMap<String, T> }` for any [`Spelled`] `T`.
///
/// ```
/// use garcia::engine::doc::{PlainTexts, Node, document, read_as};
///
/// document! {
///     /// One move.
///     pub struct MoveOrder {
///         /// Who moves.
///         pub units: Vec<String>,
///         /// Where to.
///         pub to: String,
///         /// Attack only at these odds.
///         pub press_if: Option<String>,
///     }
/// }
///
/// let node = Node::Map(vec![
///     ("units".into(), Node::text("us-9-inf")),
///     ("to".into(), Node::text("0816")),
///     ("press_if".into(), Node::text("2:1")),
/// ]);
/// let (order, _) = read_as::<MoveOrder>(&node, &PlainTexts).unwrap();
/// assert_eq!(order.units, ["us-9-inf"]);
/// assert_eq!(order.press_if.as_deref(), Some("2:1"));
/// ```
#[macro_export]
macro_rules! document {
    ($(
        $(#[$($attribute:tt)*])*
        $vis:vis struct $name:ident $(<$($word:ident),+>)? {
            $( $(#[$($field_attribute:tt)*])* $field_vis:vis $field:ident : $type:ty $(= $always:ident)? ),* $(,)?
        }
    )+) => {$(
        $(#[$($attribute)*])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        $vis struct $name $(<$($word),+>)? {
            $( $(#[$($field_attribute)*])* $field_vis $field: $type, )*
        }

        impl $(<$($word: $crate::engine::doc::Spelled),+>)? $crate::engine::doc::FromDoc for $name $(<$($word),+>)? {
            fn read(
                node: &$crate::engine::doc::Node,
                at: &$crate::engine::doc::DocPath,
                reader: &mut $crate::engine::doc::Reader<'_>,
            ) -> ::std::option::Option<Self> {
                let faults = reader.faults.len();
                let fields = $crate::engine::doc::Fields::open(node, at, reader)?;
                $( let $field = fields.take::<$type>($crate::engine::doc::field_name(stringify!($field)), reader); )*
                fields.finish(&[$( $crate::engine::doc::field_name(stringify!($field)) ),*], reader);
                if reader.faults.iter().skip(faults).any(|fault| !fault.warning) {
                    return ::std::option::Option::None;
                }
                ::std::option::Option::Some($name { $( $field: $field?, )* })
            }
        }

        impl $(<$($word: $crate::engine::doc::Spelled),+>)? ::serde::Serialize for $name $(<$($word),+>)? {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> ::std::result::Result<S::Ok, S::Error> {
                #[allow(unused_mut)]
                let mut map = serializer.serialize_map(::std::option::Option::None)?;
                $(
                    let always = false $( || stringify!($always) == "always" )?;
                    if always || !$crate::engine::doc::FromDoc::is_absent(&self.$field) {
                        let key = $crate::engine::doc::key_of(stringify!($field));
                        ::serde::ser::SerializeMap::serialize_entry(&mut map, &key, &self.$field)?;
                    }
                )*
                ::serde::ser::SerializeMap::end(map)
            }
        }

        impl $(<$($word: $crate::engine::doc::Spelled),+>)? ::schemars::JsonSchema for $name $(<$($word),+>)? {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn schema_id() -> ::std::borrow::Cow<'static, str> {
                #[allow(unused_mut)]
                let mut id = concat!(module_path!(), "::", stringify!($name)).to_owned();
                $($( id.push_str(&format!("<{}>", <$word as ::schemars::JsonSchema>::schema_id())); )+)?
                id.into()
            }

            fn json_schema(generator: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                #[allow(unused_mut)]
                let mut shape = $crate::engine::doc::Shape::new(&[$( $crate::doc_line!($($attribute)*) ),*]);
                $(
                    shape.field::<$type>(
                        &$crate::engine::doc::key_of(stringify!($field)),
                        &[$( $crate::doc_line!($($field_attribute)*) ),*],
                        generator,
                    );
                )*
                let _ = generator;
                shape.finish()
            }
        }
    )+};
}

/// Declares enums that people write as single words.
///
/// The first text is the word itself; others after `|` are understood too. Case, accents and hyphens are forgiven.
///
/// ```
/// use garcia::engine::doc::words;
///
/// words! {
///     /// How a column marches.
///     pub enum Pace {
///         /// Without risk.
///         Normal = "normal",
///         /// At the price of stragglers.
///         Forced = "forced" | "fast",
///     }
/// }
///
/// assert_eq!(Pace::from_word("FAST"), Some(Pace::Forced));
/// assert_eq!(Pace::Forced.to_string(), "forced");
/// ```
#[macro_export]
macro_rules! words {
    ($(
        $(#[$($attribute:tt)*])*
        $vis:vis enum $name:ident {
            $( $(#[$($variant_attribute:tt)*])* $variant:ident = $word:literal $(| $alias:literal)* ),+ $(,)?
        }
    )+) => {$(
        $(#[$($attribute)*])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $name {
            $( $(#[$($variant_attribute)*])* $variant, )+
        }

        // Not every enum needs all of these.
        #[allow(dead_code)]
        impl $name {
            /// Every one, in order.
            pub const ALL: &'static [$name] = &[$( $name::$variant ),+];

            /// The word for it.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $( $name::$variant => $word, )+
                }
            }

            /// The one a word stands for; case, accents and hyphens are forgiven.
            pub fn from_word(text: &str) -> ::std::option::Option<$name> {
                let which = $crate::engine::doc::find_word(text, &[$( &[$word $(, $alias)*] ),+])?;
                $name::ALL.get(which).copied()
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl $crate::engine::doc::FromDoc for $name {
            fn read(
                node: &$crate::engine::doc::Node,
                at: &$crate::engine::doc::DocPath,
                reader: &mut $crate::engine::doc::Reader<'_>,
            ) -> ::std::option::Option<Self> {
                let which = $crate::engine::doc::read_word(node, at, reader, &[$( &[$word $(, $alias)*] ),+])?;
                $name::ALL.get(which).copied()
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> ::std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl ::schemars::JsonSchema for $name {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn schema_id() -> ::std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", stringify!($name)).into()
            }

            fn json_schema(generator: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                $crate::engine::doc::word_schema(
                    &[$( $crate::doc_line!($($attribute)*) ),*],
                    &[$( (&[$word $(, $alias)*], &[$( $crate::doc_line!($($variant_attribute)*) ),*]) ),+],
                    generator,
                )
            }
        }
    )+};
}

/// Declares an enum of words, each with its other spellings, one variant of which is a value instead: `lost`, or a hex.
/// The value can be asked for by a name: `At(Hex) => hex`.
///
/// ```
/// use garcia::words_or;
///
/// words_or! {
///     /// Where a counter is.
///     #[derive(Copy)]
///     pub enum Place {
///         /// Out of the game.
///         Lost = "lost" | "dead";
///         /// In the column of this number.
///         In(u32) => column
///     }
/// }
///
/// assert_eq!(Place::In(3).column(), Some(3));
/// assert_eq!(serde_json::to_string(&[Place::Lost, Place::In(3)]).unwrap(), r#"["lost",3]"#);
/// ```
#[macro_export]
macro_rules! words_or {
    ($(
        $(#[$($attribute:tt)*])*
        $vis:vis enum $name:ident {
            $( $(#[$($variant_attribute:tt)*])* $variant:ident = $word:literal $(| $alias:literal)* ),+;
            $(#[$($value_attribute:tt)*])* $value:ident($type:ty) $(=> $get:ident)?
        }
    )+) => {$(
        $(#[$($attribute)*])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        $vis enum $name {
            $( $(#[$($variant_attribute)*])* $variant, )+
            $(#[$($value_attribute)*])* $value($type),
        }

        $(
            impl $name {
                #[doc = concat!("The ", stringify!($get), ", unless it is a word.")]
                pub fn $get(self) -> ::std::option::Option<$type> {
                    match self {
                        $name::$value(value) => ::std::option::Option::Some(value),
                        _ => ::std::option::Option::None,
                    }
                }
            }
        )?

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> ::std::result::Result<S::Ok, S::Error> {
                match self {
                    $( $name::$variant => serializer.serialize_str($word), )+
                    $name::$value(value) => value.serialize(serializer),
                }
            }
        }

        impl $crate::engine::doc::FromDoc for $name {
            fn read(
                node: &$crate::engine::doc::Node,
                at: &$crate::engine::doc::DocPath,
                reader: &mut $crate::engine::doc::Reader<'_>,
            ) -> ::std::option::Option<Self> {
                match node.as_text() {
                    $( Some($word $(| $alias)*) => return Some($name::$variant), )+
                    _ => {}
                }
                let faults = reader.faults.len();
                let value = <$type as $crate::engine::doc::FromDoc>::read(node, at, reader).map($name::$value);
                // A single word may be meant for one of the words.
                if node.as_text().is_some() {
                    reader.or_words(faults, &[$( $word ),+]);
                }
                value
            }
        }

        $crate::described!($name, generator => {
            let value = generator.subschema_for::<$type>();
            $crate::engine::doc::word_or_schema(
                &[$( $crate::doc_line!($($attribute)*) ),*],
                &[$( &[$word $(, $alias)*] ),+],
                value,
                generator,
            )
        });
    )+};
}

/// Declares a choice that can be nothing: a value, or a word for none with its other spellings.
///
/// ```
/// use garcia::or_none;
///
/// or_none! {
///     /// A column to join.
///     pub struct Joins(u32) or "none" | "no";
/// }
///
/// assert_eq!(serde_json::to_string(&[Joins(None), Joins(Some(3))]).unwrap(), r#"["none",3]"#);
/// ```
#[macro_export]
macro_rules! or_none {
    ($(
        $(#[$attribute:meta])*
        $vis:vis struct $name:ident($type:ty) or $word:literal $(| $alias:literal)*;
    )+) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        $vis struct $name(pub ::std::option::Option<$type>);

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> ::std::result::Result<S::Ok, S::Error> {
                match &self.0 {
                    Some(value) => ::serde::Serialize::serialize(value, serializer),
                    None => serializer.serialize_str($word),
                }
            }
        }

        impl $crate::engine::doc::FromDoc for $name {
            fn read(
                node: &$crate::engine::doc::Node,
                at: &$crate::engine::doc::DocPath,
                reader: &mut $crate::engine::doc::Reader<'_>,
            ) -> ::std::option::Option<Self> {
                match node.as_text() {
                    Some($word $(| $alias)*) => Some($name(None)),
                    _ => <$type as $crate::engine::doc::FromDoc>::read(node, at, reader).map(|value| $name(Some(value))),
                }
            }
        }
    )+};
}

/// Describes a type in schemas, wherever it stands, under its own name.
#[macro_export]
macro_rules! described {
    ($name:ident, $generator:pat => $schema:expr) => {
        impl ::schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema($generator: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                $schema
            }
        }
    };
}

/// Makes a type that is printed as a short text (`-/3R`, `2:1`) readable, writable and described: it has `Display`, and
/// `parse` from a text. The text given says how it is written.
#[macro_export]
macro_rules! printed {
    ($($name:ident, $like:literal;)+) => {$(
        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> ::std::result::Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl $crate::engine::doc::FromDoc for $name {
            fn read(
                node: &$crate::engine::doc::Node,
                at: &$crate::engine::doc::DocPath,
                reader: &mut $crate::engine::doc::Reader<'_>,
            ) -> ::std::option::Option<Self> {
                let text = reader.text(node, at, $like)?;
                let parsed = $name::parse(text);
                if parsed.is_none() {
                    let what = format!("`{}` will not do here", $crate::engine::doc::clip(text));
                    reader.fault(at, what, concat!("write it like ", $like));
                }
                parsed
            }
        }

        $crate::described!($name, _ => {
            ::schemars::json_schema!({ "type": ["string", "integer"], "description": concat!("Written like ", $like) })
        });
    )+};
}

/// What a [`document!`](crate::document) may leave open: anything that is read, written and described in a schema.
pub trait Spelled: FromDoc + serde::Serialize + JsonSchema + Clone + std::fmt::Debug + PartialEq + Eq {}
impl<T: FromDoc + serde::Serialize + JsonSchema + Clone + std::fmt::Debug + PartialEq + Eq> Spelled for T {}

/// The text of a doc comment, if an attribute is one.
#[doc(hidden)]
#[macro_export]
macro_rules! doc_line {
    (doc = $text:expr) => {
        ::std::option::Option::Some($text)
    };
    ($($other:tt)*) => {
        ::std::option::Option::<&'static str>::None
    };
}

/// The key in files for a field of this name.
pub fn key_of(field: &str) -> Cow<'_, str> {
    match field_name(field) {
        name if name.contains('_') => name.replace('_', "-").into(),
        name => name.into(),
    }
}

/// The name of a field, which is its key but for hyphens: readers do not tell the two apart.
pub fn field_name(field: &str) -> &str {
    field.strip_prefix("r#").unwrap_or(field)
}

/// The number of the word a text stands for, each given with its other spellings.
pub fn find_word(text: &str, words: &[&[&str]]) -> Option<usize> {
    // What a program wrote is spelled as we spell it; folding every word for it would cost most of the reading.
    let exactly = words.iter().position(|spellings| spellings.contains(&text));
    exactly.or_else(|| {
        let wanted = fold(text);
        words.iter().position(|spellings| spellings.iter().any(|word| fold(word) == wanted))
    })
}

/// Reads one of several words.
pub fn read_word(node: &Node, at: &DocPath, reader: &mut Reader<'_>, words: &[&[&str]]) -> Option<usize> {
    if let Some(found) = node.as_text().and_then(|text| find_word(text, words)) {
        return Some(found);
    }
    let allowed: Vec<&str> = words.iter().filter_map(|spellings| spellings.first().copied()).collect();
    if let Some(text) = reader.text(node, at, &one_of(&allowed)) {
        let list = format!("write {}", one_of(&allowed));
        let remedy = match did_you_mean(&nearest(text, allowed.iter().copied())) {
            Some(meant) => format!("{meant} {list}"),
            None => list,
        };
        reader.fault(at, format!("`{}` will not do here", clip(text)), remedy);
    }
    None
}

/// The schema of a map, built field by field.
pub struct Shape {
    description: String,
    properties: Map<String, Value>,
    required: Vec<Value>,
}

impl Shape {
    /// A map described by these doc comments, without fields so far.
    pub fn new(docs: &[Option<&str>]) -> Shape {
        Shape { description: description(docs), properties: Map::new(), required: Vec::new() }
    }

    /// Adds a field.
    pub fn field<T: FromDoc + JsonSchema>(
        &mut self,
        key: &str,
        docs: &[Option<&str>],
        generator: &mut SchemaGenerator,
    ) {
        let mut schema = generator.subschema_for::<T>();
        if schema.as_bool() == Some(false) {
            return; // never written
        }
        if T::OPTIONAL {
            // An absent key is left out; nobody writes `null`.
            schema = without_null(schema);
        } else {
            self.required.push(key.into());
        }
        if generator.contract().is_deserialize() {
            let mut written = as_people_write(schema.to_value());
            if T::OPTIONAL {
                written = or_nothing(written);
            }
            schema = Schema::try_from(written).unwrap_or_default();
        }
        let text = description(docs);
        if !text.is_empty() {
            schema.insert("description".to_owned(), text.into());
        }
        self.properties.insert(key.to_owned(), schema.into());
    }

    /// The finished schema.
    pub fn finish(self) -> Schema {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "object".into());
        if !self.description.is_empty() {
            schema.insert("description".to_owned(), self.description.into());
        }
        schema.insert("properties".to_owned(), self.properties.into());
        if !self.required.is_empty() {
            schema.insert("required".to_owned(), self.required.into());
        }
        schema.insert("additionalProperties".to_owned(), false.into());
        schema.into()
    }
}

/// The schema of one of several words, each given with its other spellings, which people may write too.
pub fn word_schema(docs: &[Option<&str>], words: &[(&[&str], &[Option<&str>])], generator: &SchemaGenerator) -> Schema {
    let spellings = if generator.contract().is_deserialize() { usize::MAX } else { 1 };
    let choice = |word: &str, text: &str| {
        if text.is_empty() { json!({ "const": word }) } else { json!({ "const": word, "description": text }) }
    };
    let mut choices: Vec<Value> = Vec::new();
    for (words, docs) in words {
        let text = description(docs);
        choices.extend(words.iter().take(spellings).map(|word| choice(word, &text)));
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "string".into());
    let text = description(docs);
    if !text.is_empty() {
        schema.insert("description".to_owned(), text.into());
    }
    schema.insert("oneOf".to_owned(), choices.into());
    schema.into()
}

/// The schema of a value, or of one of several words instead of it.
pub fn word_or_schema(docs: &[Option<&str>], words: &[&[&str]], value: Schema, generator: &SchemaGenerator) -> Schema {
    let written = generator.contract().is_deserialize();
    let spellings = if written { usize::MAX } else { 1 };
    let words: Vec<&str> = words.iter().flat_map(|words| words.iter().take(spellings).copied()).collect();
    let value = if written { as_people_write(value.to_value()) } else { value.to_value() };
    schemars::json_schema!({ "description": description(docs), "anyOf": [{ "enum": words }, value] })
}

fn description(docs: &[Option<&str>]) -> String {
    let mut text = String::new();
    for line in docs.iter().flatten() {
        let line = line.trim();
        if line.is_empty() {
            text.push_str("\n\n");
        } else {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push(' ');
            }
            text.push_str(line);
        }
    }
    text.trim().to_owned()
}

/// People write `yes` and `no`, which an editor takes for texts; texts such as `204` without quotes; and a list of one
/// without brackets.
fn as_people_write(mut schema: Value) -> Value {
    let Some(keywords) = schema.as_object_mut() else { return schema };
    for inner in ["items", "additionalProperties"] {
        if let Some(part) = keywords.get_mut(inner) {
            *part = as_people_write(part.take());
        }
    }
    match (keywords.get("type").and_then(Value::as_str), keywords.len()) {
        (Some("boolean"), 1) => json!({ "enum": ["yes", "no", true, false] }),
        (Some("string"), 1) => json!({ "type": ["string", "integer"] }),
        (Some("array"), 2) => match keywords.get("items").cloned() {
            Some(item) => json!({ "anyOf": [item, schema] }),
            None => schema,
        },
        _ => schema,
    }
}

/// The schema of a key below which every line may still be a comment. Also used for the orders as a whole.
pub fn or_nothing(mut schema: Value) -> Value {
    let Some(keywords) = schema.as_object_mut() else { return schema };
    if let Some(Value::Array(choices)) = keywords.get_mut("anyOf") {
        choices.push(json!({ "type": "null" }));
    } else if keywords.get("type").is_some_and(|kind| kind == "object") {
        keywords.insert("type".to_owned(), json!(["object", "null"]));
    }
    schema
}

fn without_null(schema: Schema) -> Schema {
    let mut object = match Value::from(schema) {
        Value::Object(object) => object,
        // `true`: anything goes.
        _ => Map::new(),
    };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type") != Some(&"null".into()));
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            object.remove("anyOf");
            object.extend(only);
        }
    }
    object.into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::super::{PlainTexts, read_as, read_document};
    use super::*;
    use crate::engine::json::to_json;

    words! {
        /// How a column marches.
        pub enum Pace {
            /// Without risk.
            Normal = "normal",
            /// At the price of stragglers.
            Forced = "forced-march" | "fast",
        }
    }

    document! {
        /// One move.
        ///
        /// Made in the movement phase.
        #[derive(PartialOrd, Ord)]
        pub struct MoveOrder {
            /// Who moves,
            /// all together.
            pub units: Vec<String>,
            /// Where to.
            pub to: Option<String>,
            pub pace: Pace,
            pub press_if: Option<String>,
            pub r#type: Option<Pace>,
            pub reserve: bool,
            pub steps: u8,
        }

        /// A packet.
        pub struct Packet {
            pub turn: u32,
            pub moves: Vec<MoveOrder>,
            pub policies: BTreeMap<String, i64>,
            pub first: Option<Box<MoveOrder>>,
        }
    }

    fn read(text: &str) -> Result<Packet, Vec<(String, String, String)>> {
        let (node, _) = read_document("orders.yaml", text.as_bytes()).expect("well formed");
        read_as::<Packet>(&node, &PlainTexts).map(|(packet, _)| packet).map_err(|faults| {
            let said = faults.into_iter();
            said.map(|fault| (fault.at.to_string(), fault.what, fault.remedy)).collect()
        })
    }

    #[test]
    fn an_order_file_is_read_as_typed() {
        let packet = read(
            "turn: 3\nmoves:\n- units: us-9-inf\n  to: 0816\n  pace: FAST\n  press_if: 2:1\n  reserve: yes\n  steps: 02\n\
             policies: {retreat: -1}\n",
        )
        .expect("no faults");
        let order = &packet.moves[0];
        assert_eq!(order.units, ["us-9-inf"]);
        assert_eq!(order.to.as_deref(), Some("0816"));
        assert_eq!(order.pace, Pace::Forced);
        assert_eq!(order.press_if.as_deref(), Some("2:1"));
        assert!(order.reserve);
        assert_eq!(order.steps, 2);
        assert_eq!(packet.policies["retreat"], -1);
        assert_eq!(packet.first, None);
    }

    #[test]
    fn every_fault_is_reported_at_once() {
        let faults = read(
            "trun: 3\nmoves:\n- units: [a, [b]]\n  pace: fsat\n  steps: 256\n- pace: normal\n  steps: some\n  too: 0816\n  \
             reserve: perhaps\npolicies: [1]\n",
        )
        .expect_err("many faults");
        let said: Vec<(&str, &str)> = faults.iter().map(|(at, what, _)| (at.as_str(), what.as_str())).collect();
        assert_eq!(
            said,
            [
                ("(file)", "`turn` is missing"),
                ("moves[0].units[1]", "expected a text, found a list"),
                ("moves[0].pace", "`fsat` will not do here"),
                ("moves[0].steps", "`256` is out of range"),
                ("moves[1].reserve", "`perhaps` is neither yes nor no"),
                ("moves[1].steps", "`some` is not a whole number"),
                ("moves[1].too", "unknown key `too`"),
                ("policies", "expected a map, found a list"),
                ("trun", "unknown key `trun`"),
            ]
        );
        let remedy = |at: &str| faults.iter().find(|fault| fault.0 == at).map_or("", |fault| &fault.2);
        assert!(remedy("trun").starts_with("did you mean `turn`?"));
        assert!(remedy("trun").contains("allowed here: `turn`, `moves`, `policies` or `first`"));
        assert!(remedy("moves[1].too").starts_with("did you mean `to`?"));
        assert_eq!(remedy("moves[0].steps"), "write a whole number from 0 to 255");
    }

    #[test]
    fn a_key_in_two_spellings_is_refused() {
        let text = "turn: 1\nmoves: {pace: normal, steps: 1, press-if: 1:1, press_if: 2:1}\n";
        let faults = read(text).expect_err("one key twice");
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].1, "`press-if` and `press_if` are the same key");
    }

    #[test]
    fn the_schema_tells_what_the_doc_comments_tell() {
        let schema = schemars::schema_for!(Packet).to_value();
        assert_eq!(schema["description"], "A packet.");
        assert_eq!(schema["required"], json!(["turn"]));
        assert_eq!(schema["additionalProperties"], false);
        let order = &schema["$defs"]["MoveOrder"];
        assert_eq!(order["description"], "One move.\n\nMade in the movement phase.");
        assert_eq!(order["required"], json!(["pace", "steps"]));
        assert_eq!(order["properties"]["units"]["description"], "Who moves, all together.");
        // Texts may look like numbers, lists of one go without brackets, and a key may have nothing below it.
        assert_eq!(order["properties"]["to"]["type"], json!(["string", "integer"]));
        assert_eq!(order["properties"]["press-if"]["type"], json!(["string", "integer"]));
        let units = json!([
            { "type": ["string", "integer"] },
            { "type": "array", "items": { "type": ["string", "integer"] } },
            { "type": "null" },
        ]);
        assert_eq!(order["properties"]["units"]["anyOf"], units);
        assert_eq!(order["properties"]["reserve"]["enum"], json!(["yes", "no", true, false]));
        assert_eq!(order["properties"]["type"], json!({"$ref": "#/$defs/Pace"}));
        let pace = &schema["$defs"]["Pace"];
        assert_eq!(pace["oneOf"][1]["const"], "forced-march");
        assert_eq!(pace["oneOf"][1]["description"], "At the price of stragglers.");
    }

    #[test]
    fn the_schema_of_what_is_written_has_one_spelling() {
        let schema = crate::engine::schema_to_write::<Packet>();
        let order = &schema["$defs"]["MoveOrder"];
        assert_eq!(order["properties"]["reserve"]["type"], "boolean");
        assert_eq!(order["properties"]["to"]["type"], "string");
        let words = |pace: &Value| pace["oneOf"].as_array().map_or(0, Vec::len);
        assert_eq!(words(&schema["$defs"]["Pace"]), Pace::ALL.len());
        assert!(words(&schemars::schema_for!(Packet).to_value()["$defs"]["Pace"]) > Pace::ALL.len());
    }

    #[test]
    fn what_is_absent_is_not_written() {
        let packet = read("turn: 1\nmoves: {pace: normal, steps: 1}\n").expect("no faults");
        let written = to_json(&packet).expect("plain data").to_string();
        assert_eq!(written, r#"{"moves":[{"pace":"normal","steps":1}],"turn":1}"#);
    }

    fn any_order() -> impl Strategy<Value = MoveOrder> {
        let pace = || prop::sample::select(Pace::ALL);
        let text = || prop::option::of("[^\\x00-\\x1f\\x7f]{0,6}");
        (
            prop::collection::vec("[ -~]{0,4}", 0..3),
            text(),
            pace(),
            text(),
            prop::option::of(pace()),
            any::<bool>(),
            any::<u8>(),
        )
            .prop_map(|(units, to, pace, press_if, r#type, reserve, steps)| MoveOrder {
                units,
                to,
                pace,
                press_if,
                r#type,
                reserve,
                steps,
            })
    }

    proptest! {
        #[test]
        fn a_document_goes_to_a_record_and_back(
            turn: u32,
            moves in prop::collection::vec(any_order(), 0..3),
            policies in prop::collection::btree_map("[a-z]{1,5}", -9_007_199_254_740_991_i64..=9_007_199_254_740_991, 0..3),
            first in prop::option::of(any_order().prop_map(Box::new)),
        ) {
            let packet = Packet { turn, moves, policies, first };
            let node = Node::from_json(&to_json(&packet).expect("plain data"));
            prop_assert_eq!(read_as::<Packet>(&node, &PlainTexts), Ok((packet, Vec::new())));
        }
    }
}
