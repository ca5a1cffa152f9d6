//! How the common types are read.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::json::Json;

use super::node::Node;
use super::path::DocPath;
use super::reader::{Fields, FromDoc, Reader, clip};

impl FromDoc for Node {
    fn read(node: &Node, _: &DocPath, _: &mut Reader<'_>) -> Option<Self> {
        Some(node.clone())
    }
}

/// Whatever was written, its scalars as texts.
impl FromDoc for Json {
    fn read(node: &Node, _: &DocPath, _: &mut Reader<'_>) -> Option<Self> {
        Some(node.to_json())
    }
}

crate::described!(Json, _ => {
    true.into()
});

impl FromDoc for String {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        reader.text(node, at, "a text").map(str::to_owned)
    }
}

impl FromDoc for bool {
    const OPTIONAL: bool = true;

    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        let text = reader.text(node, at, "`yes` or `no`")?;
        match text.to_ascii_lowercase().as_str() {
            "yes" | "true" => Some(true),
            "no" | "false" => Some(false),
            _ => {
                reader.fault(at, format!("`{}` is neither yes nor no", clip(text)), "write `yes` or `no`");
                None
            }
        }
    }

    fn missing(_: &DocPath, _: &str, _: &mut Reader<'_>) -> Option<Self> {
        Some(false)
    }

    fn is_absent(&self) -> bool {
        !self
    }
}

fn whole_number(node: &Node, at: &DocPath, reader: &mut Reader<'_>, least: i64, most: i64) -> Option<i64> {
    let all_digits = |text: &str| {
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    };
    let number = node.as_text().filter(|text| all_digits(text)).and_then(|text| text.parse().ok());
    if let Some(number) = number.filter(|number| (least..=most).contains(number)) {
        return Some(number);
    }
    let range = match (least, most) {
        (i64::MIN, i64::MAX) => "a whole number".to_owned(),
        (0, most) if most > i64::from(u16::MAX) => "a whole number, 0 or more".to_owned(),
        (least, most) => format!("a whole number from {least} to {most}"),
    };
    let text = reader.text(node, at, &range)?;
    let wrong = if all_digits(text) { "out of range" } else { "not a whole number" };
    reader.fault(at, format!("`{}` is {wrong}", clip(text)), format!("write {range}"));
    None
}

macro_rules! whole_numbers {
    ($($number:ty),*) => {$(
        impl FromDoc for $number {
            fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
                let number = whole_number(node, at, reader, i64::from(<$number>::MIN), i64::from(<$number>::MAX))?;
                <$number>::try_from(number).ok()
            }
        }
    )*};
}

whole_numbers!(u8, u16, u32, i8, i16, i32, i64);

impl<T: FromDoc> FromDoc for Option<T> {
    const OPTIONAL: bool = true;

    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        T::read(node, at, reader).map(Some)
    }

    fn missing(_: &DocPath, _: &str, _: &mut Reader<'_>) -> Option<Self> {
        Some(None)
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: FromDoc> FromDoc for Box<T> {
    const OPTIONAL: bool = T::OPTIONAL;

    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        T::read(node, at, reader).map(Box::new)
    }

    fn missing(at: &DocPath, key: &str, reader: &mut Reader<'_>) -> Option<Self> {
        T::missing(at, key, reader).map(Box::new)
    }

    fn is_absent(&self) -> bool {
        T::is_absent(self)
    }
}

/// A list; a single value where a list is expected is a list of one.
impl<T: FromDoc> FromDoc for Vec<T> {
    const OPTIONAL: bool = true;

    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        let Some(items) = node.as_list() else {
            return T::read(node, at, reader).map(|item| vec![item]);
        };
        // All items are read before the first bad one spoils the list, so that all faults are found.
        let read: Vec<Option<T>> =
            (items.iter().enumerate()).map(|(index, item)| T::read(item, &at.index(index), reader)).collect();
        read.into_iter().collect()
    }

    fn missing(_: &DocPath, _: &str, _: &mut Reader<'_>) -> Option<Self> {
        Some(Vec::new())
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

/// A list in which nothing stands twice; in which order does not matter.
impl<T: FromDoc + Ord + ToString> FromDoc for BTreeSet<T> {
    const OPTIONAL: bool = true;

    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        let items = Vec::<T>::read(node, at, reader)?;
        let mut set = BTreeSet::new();
        for (index, item) in items.into_iter().enumerate() {
            let what = item.to_string();
            if !set.insert(item) {
                reader.fault(&at.index(index), format!("`{what}` stands here twice"), "keep one of the two");
                return None;
            }
        }
        Some(set)
    }

    fn missing(_: &DocPath, _: &str, _: &mut Reader<'_>) -> Option<Self> {
        Some(BTreeSet::new())
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

/// A map from names to values; two spellings of one name are a fault.
impl<K: FromDoc + Ord + ToString, V: FromDoc> FromDoc for BTreeMap<K, V> {
    const OPTIONAL: bool = true;

    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        Fields::open(node, at, reader)?;
        let mut map = BTreeMap::new();
        let mut whole = true;
        for (name, node) in node.as_map()? {
            let key = K::read(&Node::text(name.as_str()), &at.name(name), reader);
            let value = V::read(node, &at.key(name), reader);
            let (Some(key), Some(value)) = (key, value) else {
                whole = false;
                continue;
            };
            let proper = key.to_string();
            if map.insert(key, value).is_some() {
                let what = format!("`{}` stands here twice", clip(name));
                reader.fault(&at.name(name), what, "keep one of the two");
                whole = false;
            } else {
                reader.typed(at, &proper, name);
            }
        }
        whole.then_some(map)
    }

    fn missing(_: &DocPath, _: &str, _: &mut Reader<'_>) -> Option<Self> {
        Some(BTreeMap::new())
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

/// Exactly two values: `[0816, 0817]`.
impl<A: FromDoc, B: FromDoc> FromDoc for (A, B) {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        let Some([first, second]) = node.as_list() else {
            let found = match node.as_list() {
                Some(items) => format!("a list of {}", items.len()),
                None => node.kind().to_owned(),
            };
            reader.fault(at, format!("expected a list of two, found {found}"), "write `[first, second]`");
            return None;
        };
        let first = A::read(first, &at.index(0), reader);
        let second = B::read(second, &at.index(1), reader);
        Some((first?, second?))
    }
}

/// Exactly so many values.
impl<T: FromDoc, const N: usize> FromDoc for [T; N] {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        let found = match node.as_list() {
            Some(items) if items.len() == N => {
                return Vec::read(node, at, reader).and_then(|items: Vec<T>| items.try_into().ok());
            }
            Some(items) => format!("a list of {}", items.len()),
            None => node.kind().to_owned(),
        };
        reader.fault(at, format!("expected a list of {N}, found {found}"), "write `[first, second, …]`");
        None
    }
}
