//! From Rust types to canonical values.
//!
//! A serializer yields `None` for a value that is not there; only a struct field and a map entry may be that, and they
//! are left out.

use std::collections::BTreeMap;

use serde::ser::{
    Error as _, Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::{Json, NotCanonical, check_depth, check_int, check_key, check_text};

/// The canonical value of anything serde can write.
///
/// Refused are floats, integers beyond 53 bits, byte strings, keys and characters the protocol does not know, nesting
/// deeper than 32, and an absent value anywhere but in a struct field or map entry (which is left out).
pub fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<Json, NotCanonical> {
    value.serialize(Writer { depth: 0 })?.ok_or_else(absent)
}

fn absent() -> NotCanonical {
    NotCanonical::new("an absent value can only be left out of an object, not stand here")
}

impl serde::ser::Error for NotCanonical {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        NotCanonical::new(message.to_string())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Bool(truth) => serializer.serialize_bool(*truth),
            Json::Int(number) => serializer.serialize_i64(*number),
            Json::Str(text) => serializer.serialize_str(text),
            Json::List(items) => serializer.collect_seq(items),
            Json::Map(members) => serializer.collect_map(members),
        }
    }
}

type Written = Result<Option<Json>, NotCanonical>;

#[derive(Clone, Copy)]
struct Writer {
    depth: usize,
}

impl Writer {
    fn deeper(self) -> Result<Writer, NotCanonical> {
        let depth = self.depth + 1;
        check_depth(depth)?;
        Ok(Writer { depth })
    }

    /// A value that has to be there, under a key or index for messages.
    fn item<T: Serialize + ?Sized>(self, key: &str, value: &T) -> Result<Json, NotCanonical> {
        let written = self.deeper().and_then(|inner| value.serialize(inner)?.ok_or_else(absent));
        written.map_err(|e| e.inside(key))
    }

    fn number(self, number: impl TryInto<i64> + std::fmt::Display + Copy) -> Written {
        let small = number.try_into().map_err(|_| NotCanonical::new(format!("{number} is beyond 2^53 - 1")))?;
        check_int(small).map(|n| Some(Json::Int(n)))
    }
}

fn tagged(variant: &str, value: Json) -> Written {
    check_key(variant)?;
    Ok(Some(Json::Map(BTreeMap::from([(variant.to_owned(), value)]))))
}

macro_rules! integers {
    ($($name:ident: $int:ty),*) => { $(
        fn $name(self, number: $int) -> Written {
            self.number(number)
        }
    )* };
}

impl Serializer for Writer {
    type Ok = Option<Json>;
    type Error = NotCanonical;
    type SerializeSeq = Items;
    type SerializeTuple = Items;
    type SerializeTupleStruct = Items;
    type SerializeTupleVariant = Items;
    type SerializeMap = Members;
    type SerializeStruct = Members;
    type SerializeStructVariant = Members;

    integers!(
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128
    );

    fn serialize_bool(self, truth: bool) -> Written {
        Ok(Some(Json::Bool(truth)))
    }

    fn serialize_f32(self, number: f32) -> Written {
        self.serialize_f64(number.into())
    }

    fn serialize_f64(self, number: f64) -> Written {
        Err(NotCanonical::new(format!("{number} is a floating-point number")))
    }

    fn serialize_char(self, c: char) -> Written {
        self.serialize_str(c.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Written {
        check_text(text)?;
        Ok(Some(Json::Str(text.to_owned())))
    }

    fn serialize_bytes(self, _: &[u8]) -> Written {
        Err(NotCanonical::new("bytes have to be written as hexadecimal text"))
    }

    fn serialize_none(self) -> Written {
        Ok(None)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Written {
        value.serialize(self)?.ok_or_else(absent).map(Some)
    }

    fn serialize_unit(self) -> Written {
        Err(absent())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Written {
        Err(absent())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Written {
        check_key(variant)?;
        Ok(Some(Json::from(variant)))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Written {
        tagged(variant, self.item(variant, value)?)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Items, NotCanonical> {
        Ok(Items { writer: self, variant: None, items: Vec::new() })
    }

    fn serialize_tuple(self, _: usize) -> Result<Items, NotCanonical> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Items, NotCanonical> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Items, NotCanonical> {
        Ok(Items { writer: self.deeper()?, variant: Some(variant), items: Vec::new() })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Members, NotCanonical> {
        Ok(Members { writer: self, variant: None, key: None, members: BTreeMap::new() })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Members, NotCanonical> {
        self.serialize_map(None)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members, NotCanonical> {
        Ok(Members { writer: self.deeper()?, variant: Some(variant), key: None, members: BTreeMap::new() })
    }
}

/// An array being written.
struct Items {
    writer: Writer,
    variant: Option<&'static str>,
    items: Vec<Json>,
}

impl Items {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotCanonical> {
        let item = self.writer.item(&self.items.len().to_string(), value);
        self.items.push(item.map_err(|e| self.variant.into_iter().fold(e, NotCanonical::inside))?);
        Ok(())
    }

    fn done(self) -> Written {
        match self.variant {
            Some(variant) => tagged(variant, Json::List(self.items)),
            None => Ok(Some(Json::List(self.items))),
        }
    }
}

macro_rules! items {
    ($($of:ident: $push:ident),*) => { $(
        impl $of for Items {
            type Ok = Option<Json>;
            type Error = NotCanonical;

            fn $push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotCanonical> {
                self.push(value)
            }

            fn end(self) -> Written {
                self.done()
            }
        }
    )* };
}
items!(
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field
);

/// An object being written.
struct Members {
    writer: Writer,
    variant: Option<&'static str>,
    key: Option<String>,
    members: BTreeMap<String, Json>,
}

impl Members {
    fn put<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<(), NotCanonical> {
        let member = self.writer.deeper().and_then(|inner| {
            check_key(key)?;
            value.serialize(inner).map_err(|e| e.inside(key))
        });
        let Some(value) = member.map_err(|e| self.variant.into_iter().fold(e, NotCanonical::inside))? else {
            return Ok(());
        };
        match self.members.insert(key.to_owned(), value) {
            Some(_) => Err(NotCanonical::new(format!("key {key:?} stands twice"))),
            None => Ok(()),
        }
    }

    fn done(self) -> Written {
        match self.variant {
            Some(variant) => tagged(variant, Json::Map(self.members)),
            None => Ok(Some(Json::Map(self.members))),
        }
    }
}

impl SerializeMap for Members {
    type Ok = Option<Json>;
    type Error = NotCanonical;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), NotCanonical> {
        self.key = Some(key.serialize(KeyWriter)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotCanonical> {
        let key = self.key.take().ok_or_else(|| NotCanonical::custom("a map value without its key"))?;
        self.put(&key, value)
    }

    fn end(self) -> Written {
        self.done()
    }
}

macro_rules! members {
    ($($of:ident),*) => { $(
        impl $of for Members {
            type Ok = Option<Json>;
            type Error = NotCanonical;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), NotCanonical> {
                self.put(key, value)
            }

            fn end(self) -> Written {
                self.done()
            }
        }
    )* };
}
members!(SerializeStruct, SerializeStructVariant);

/// Keys: text, integers, unit variants, and newtypes of these.
struct KeyWriter;

type Key = Result<String, NotCanonical>;
type No = Impossible<String, NotCanonical>;

fn no_key<T>(what: &str) -> Result<T, NotCanonical> {
    Err(NotCanonical::new(format!("{what} cannot be a key")))
}

macro_rules! integer_keys {
    ($($name:ident: $int:ty),*) => { $(
        fn $name(self, number: $int) -> Key {
            Ok(number.to_string())
        }
    )* };
}

impl Serializer for KeyWriter {
    type Ok = String;
    type Error = NotCanonical;
    type SerializeSeq = No;
    type SerializeTuple = No;
    type SerializeTupleStruct = No;
    type SerializeTupleVariant = No;
    type SerializeMap = No;
    type SerializeStruct = No;
    type SerializeStructVariant = No;

    integer_keys!(
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64
    );

    fn serialize_str(self, text: &str) -> Key {
        Ok(text.to_owned())
    }

    fn serialize_char(self, c: char) -> Key {
        Ok(c.to_string())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Key {
        Ok(variant.to_owned())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Key {
        value.serialize(self)
    }

    fn serialize_bool(self, _: bool) -> Key {
        no_key("a truth value")
    }

    fn serialize_f32(self, _: f32) -> Key {
        no_key("a floating-point number")
    }

    fn serialize_f64(self, _: f64) -> Key {
        no_key("a floating-point number")
    }

    fn serialize_bytes(self, _: &[u8]) -> Key {
        no_key("a byte string")
    }

    fn serialize_none(self) -> Key {
        no_key("an absent value")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Key {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Key {
        no_key("an absent value")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Key {
        no_key("an absent value")
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(self, _: &'static str, _: u32, _: &'static str, _: &T) -> Key {
        no_key("a variant with a value")
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<No, NotCanonical> {
        no_key("a list")
    }

    fn serialize_tuple(self, _: usize) -> Result<No, NotCanonical> {
        no_key("a list")
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<No, NotCanonical> {
        no_key("a list")
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, _: &'static str, _: usize) -> Result<No, NotCanonical> {
        no_key("a variant with a value")
    }

    fn serialize_map(self, _: Option<usize>) -> Result<No, NotCanonical> {
        no_key("an object")
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<No, NotCanonical> {
        no_key("an object")
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, _: &'static str, _: usize) -> Result<No, NotCanonical> {
        no_key("a variant with a value")
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::super::{Json, MAX_INT, from_json};
    use super::*;

    #[derive(Serialize, Deserialize, Debug, PartialEq, Clone, PartialOrd, Eq, Ord)]
    #[serde(rename_all = "kebab-case")]
    enum Order {
        Hold,
        MoveTo(u16),
        Attack { hex: String, support: Option<u8> },
        Pair(i8, i8),
    }

    #[derive(Serialize, Deserialize, Debug, PartialEq, Clone, PartialOrd, Eq, Ord)]
    #[serde(transparent)]
    struct Hex(u16);

    #[derive(Serialize, Deserialize, Debug, PartialEq, Clone)]
    struct Sheet {
        name: String,
        at: Option<Hex>,
        orders: Vec<Order>,
        by_hex: BTreeMap<Hex, bool>,
        by_order: BTreeMap<Order, Vec<i64>>,
        notes: BTreeMap<String, Option<u8>>,
    }

    fn sheet() -> Sheet {
        Sheet {
            name: "García".to_owned(),
            at: None,
            orders: vec![
                Order::Hold,
                Order::MoveTo(812),
                Order::Attack { hex: "0816".to_owned(), support: None },
                Order::Attack { hex: "0817".to_owned(), support: Some(2) },
                Order::Pair(-1, 1),
            ],
            by_hex: BTreeMap::from([(Hex(1210), true)]),
            by_order: BTreeMap::from([(Order::Hold, vec![-5])]),
            notes: BTreeMap::from([("a".to_owned(), None), ("b".to_owned(), Some(1))]),
        }
    }

    #[test]
    fn types_are_written_with_absent_things_left_out_and_read_back() {
        let written = to_json(&sheet()).expect("canonical");
        assert_eq!(
            written.to_string(),
            r#"{"by_hex":{"1210":true},"by_order":{"hold":[-5]},"name":"García","notes":{"b":1},"orders":["hold",{"move-to":812},{"attack":{"hex":"0816"}},{"attack":{"hex":"0817","support":2}},{"pair":[-1,1]}]}"#
        );
        let mut expected = sheet();
        expected.notes.remove("a");
        assert_eq!(from_json::<Sheet>(&written), Ok(expected));
    }

    fn why<T: Serialize>(value: T) -> String {
        to_json(&value).expect_err("refused").to_string()
    }

    #[test]
    fn what_has_no_canonical_form_is_refused_with_its_place() {
        assert_eq!(why(1.5), "1.5 is a floating-point number");
        assert_eq!(why(BTreeMap::from([("a", vec![0.5])])), "/a/0: 0.5 is a floating-point number");
        assert!(why(vec![Some(1), None]).starts_with("/1: an absent value"));
        assert!(why(None::<u8>).contains("absent"));
        assert!(why(()).contains("absent"));
        assert!(why(vec![()]).starts_with("/0: "));
        assert_eq!(why(MAX_INT + 1), "9007199254740992 is beyond 2^53 - 1");
        assert_eq!(why(u64::MAX), "18446744073709551615 is beyond 2^53 - 1");
        assert_eq!(why(i128::MIN), format!("{} is beyond 2^53 - 1", i128::MIN));
        assert_eq!(why("a\tb"), "control character U+0009 in a text");
        assert!(why(BTreeMap::from([("Upper", 1)])).contains("cannot be a key"));
        assert!(why(BTreeMap::from([("x".repeat(65), 1)])).contains("cannot be a key"));
        assert!(why(BTreeMap::from([(true, 1)])).contains("cannot be a key"));
        #[derive(Serialize)]
        enum Bad {
            NotKebab,
        }
        assert!(why(Bad::NotKebab).contains("\"NotKebab\" cannot be a key"));
        #[derive(Serialize)]
        struct Nest(Vec<Nest>);
        let nest = |levels: usize| (0..levels).fold(Nest(vec![]), |inner, _| Nest(vec![inner]));
        assert!(to_json(&nest(32)).is_ok());
        assert!(why(nest(33)).contains("deeper"));
    }

    #[test]
    fn a_wrong_type_is_refused_when_reading() {
        let read = |text: &str| from_json::<Sheet>(&Json::parse_canonical(text.as_bytes()).expect(text));
        assert!(read(r#"{"name":"x"}"#).expect_err("missing").contains("orders"));
        let order = |text: &str| from_json::<Order>(&Json::parse_canonical(text.as_bytes()).expect(text));
        assert_eq!(order(r#"{"move-to":7}"#), Ok(Order::MoveTo(7)));
        for wrong in [
            r#""move-to""#,
            r#"{"hold":1}"#,
            r#"{"move-to":-1}"#,
            r#"{"move-to":70000}"#,
            "1",
            "{}",
            r#"{"hold":1,"move-to":1}"#,
            r#"{"pair":[1]}"#,
            r#"{"pair":[1,2,3]}"#,
        ] {
            assert!(order(wrong).is_err(), "{wrong}");
        }
        assert!(from_json::<BTreeMap<Hex, bool>>(&Json::object([("70000", true)])).is_err());
        assert!(from_json::<BTreeMap<Hex, bool>>(&Json::object([("07", true)])).is_err(), "one key, one text");
    }
}
