//! From canonical values to Rust types.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::{Json, NotCanonical, check_int, check_key, check_text};

/// A Rust value from a canonical one. What a type leaves out as `None` is read back as `None`.
pub fn from_json<T: DeserializeOwned>(json: &Json) -> Result<T, String> {
    T::deserialize(json).map_err(|e| e.to_string())
}

impl serde::de::Error for NotCanonical {
    fn custom<T: fmt::Display>(message: T) -> Self {
        NotCanonical::new(message.to_string())
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object, a list, a text, an integer or a truth value")
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Json, E> {
        Ok(Json::Bool(truth))
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Json, E> {
        check_int(number).map(Json::Int).map_err(E::custom)
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Json, E> {
        self.visit_i64(number.try_into().map_err(|_| E::custom(format!("{number} is beyond 2^53 - 1")))?)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Json, E> {
        check_text(text).map_err(E::custom)?;
        Ok(Json::from(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members = BTreeMap::new();
        while let Some((key, value)) = map.next_entry::<String, Json>()? {
            check_key(&key).map_err(A::Error::custom)?;
            if members.contains_key(&key) {
                return Err(A::Error::custom(format!("key {key:?} stands twice")));
            }
            members.insert(key, value);
        }
        Ok(Json::Map(members))
    }
}

fn unexpected(json: &Json) -> Unexpected<'_> {
    match json {
        Json::Bool(truth) => Unexpected::Bool(*truth),
        Json::Int(number) => Unexpected::Signed(*number),
        Json::Str(text) => Unexpected::Str(text),
        Json::List(_) => Unexpected::Seq,
        Json::Map(_) => Unexpected::Map,
    }
}

impl<'de> Deserializer<'de> for &'de Json {
    type Error = NotCanonical;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotCanonical> {
        match self {
            Json::Bool(truth) => visitor.visit_bool(*truth),
            Json::Int(number) => visitor.visit_i64(*number),
            Json::Str(text) => visitor.visit_borrowed_str(text),
            Json::List(items) => {
                let mut rest = Items { items: items.iter(), at: 0 };
                let value = visitor.visit_seq(&mut rest)?;
                match rest.items.len() {
                    0 => Ok(value),
                    more => Err(NotCanonical::custom(format!("{more} items too many"))),
                }
            }
            Json::Map(members) => visitor.visit_map(Members { members: members.iter(), value: None }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotCanonical> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, NotCanonical> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, NotCanonical> {
        match self {
            Json::Str(name) => visitor.visit_enum(Variant { name, value: None }),
            Json::Map(members) if members.len() == 1 => match members.first_key_value() {
                Some((name, value)) => visitor.visit_enum(Variant { name, value: Some(value) }),
                None => Err(NotCanonical::invalid_type(Unexpected::Map, &"a name or an object with one member")),
            },
            other => Err(NotCanonical::invalid_type(unexpected(other), &"a name or an object with one member")),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, NotCanonical> for &'de Json {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

struct Items<'de> {
    items: std::slice::Iter<'de, Json>,
    at: usize,
}

impl<'de> SeqAccess<'de> for &mut Items<'de> {
    type Error = NotCanonical;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, NotCanonical> {
        let Some(item) = self.items.next() else {
            return Ok(None);
        };
        let at = self.at;
        self.at += 1;
        seed.deserialize(item).map(Some).map_err(|e| e.inside(&at.to_string()))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Members<'de> {
    members: std::collections::btree_map::Iter<'de, String, Json>,
    value: Option<(&'de str, &'de Json)>,
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = NotCanonical;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, NotCanonical> {
        let Some((key, value)) = self.members.next() else {
            return Ok(None);
        };
        self.value = Some((key, value));
        seed.deserialize(Key(key)).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, NotCanonical> {
        let (key, value) = self.value.take().ok_or_else(|| NotCanonical::custom("a value without its key"))?;
        seed.deserialize(value).map_err(|e| e.inside(key))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.members.len())
    }
}

/// A key: a text, or what a type makes of that text (an integer, a name).
struct Key<'de>(&'de str);

macro_rules! integer_keys {
    ($($name:ident: $int:ty => $visit:ident),*) => { $(
        fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotCanonical> {
            match self.0.parse::<$int>() {
                // The text has to be the one that would be written, or one key would have several.
                Ok(number) if number.to_string() == self.0 => visitor.$visit(number),
                _ => Err(NotCanonical::invalid_value(Unexpected::Str(self.0), &visitor)),
            }
        }
    )* };
}

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = NotCanonical;

    integer_keys!(
        deserialize_i8: i8 => visit_i8, deserialize_i16: i16 => visit_i16, deserialize_i32: i32 => visit_i32,
        deserialize_i64: i64 => visit_i64, deserialize_u8: u8 => visit_u8, deserialize_u16: u16 => visit_u16,
        deserialize_u32: u32 => visit_u32, deserialize_u64: u64 => visit_u64
    );

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotCanonical> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotCanonical> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, NotCanonical> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, NotCanonical> {
        visitor.visit_enum(Variant { name: self.0, value: None })
    }

    forward_to_deserialize_any! {
        bool i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct Variant<'de> {
    name: &'de str,
    value: Option<&'de Json>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = NotCanonical;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), NotCanonical> {
        Ok((seed.deserialize(Key(self.name))?, self))
    }
}

impl<'de> Variant<'de> {
    fn value(&self) -> Result<&'de Json, NotCanonical> {
        self.value.ok_or_else(|| NotCanonical::custom(format!("{:?} needs a value", self.name)))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = NotCanonical;

    fn unit_variant(self) -> Result<(), NotCanonical> {
        match self.value {
            None => Ok(()),
            Some(_) => Err(NotCanonical::custom(format!("{:?} takes no value", self.name))),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, NotCanonical> {
        seed.deserialize(self.value()?).map_err(|e| e.inside(self.name))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, NotCanonical> {
        match self.value()? {
            list @ Json::List(_) => list.deserialize_any(visitor).map_err(|e| e.inside(self.name)),
            other => Err(NotCanonical::invalid_type(unexpected(other), &visitor).inside(self.name)),
        }
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, NotCanonical> {
        match self.value()? {
            map @ Json::Map(_) => map.deserialize_any(visitor).map_err(|e| e.inside(self.name)),
            other => Err(NotCanonical::invalid_type(unexpected(other), &visitor).inside(self.name)),
        }
    }
}
