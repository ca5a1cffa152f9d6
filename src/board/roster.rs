//! A short list of counters by name, kept in order.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use crate::engine::doc::{DocPath, FromDoc, Node, Reader};

/// A map for a few hundred counters, which the rules mostly look through from one end to the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roster<K, V>(Vec<(K, V)>);

/// Written as a map.
impl<K: JsonSchema, V: JsonSchema> JsonSchema for Roster<K, V> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("{}Roster", V::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<K, V>::json_schema(generator)
    }
}

impl<K: FromDoc + Ord + ToString + Copy, V: FromDoc> FromDoc for Roster<K, V> {
    const OPTIONAL: bool = true;

    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        BTreeMap::read(node, at, reader).map(|map: BTreeMap<K, V>| map.into_iter().collect())
    }

    fn missing(_: &DocPath, _: &str, _: &mut Reader<'_>) -> Option<Self> {
        Some(Roster::default())
    }

    fn is_absent(&self) -> bool {
        self.0.is_empty()
    }
}

impl<K, V> Default for Roster<K, V> {
    fn default() -> Self {
        Roster(Vec::new())
    }
}

impl<K: Ord + Copy, V> Roster<K, V> {
    fn place(&self, key: &K) -> Result<usize, usize> {
        self.0.binary_search_by(|(other, _)| other.cmp(key))
    }

    /// What is noted under a name.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.place(key).ok().and_then(|place| self.0.get(place)).map(|(_, value)| value)
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let place = self.place(key).ok()?;
        self.0.get_mut(place).map(|(_, value)| value)
    }

    /// Is the name there?
    pub fn contains_key(&self, key: &K) -> bool {
        self.place(key).is_ok()
    }

    /// Notes something under a name, in place of what was there.
    pub fn insert(&mut self, key: K, value: V) {
        match self.place(&key) {
            Ok(place) => self.0[place].1 = value,
            Err(place) => self.0.insert(place, (key, value)),
        }
    }

    /// Notes something under a name that is not there yet.
    pub fn insert_new(&mut self, key: K, value: V) {
        if let Err(place) = self.place(&key) {
            self.0.insert(place, (key, value));
        }
    }

    /// Strikes a name off, and gives what was noted under it.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        self.place(key).ok().map(|place| self.0.remove(place).1)
    }

    /// Strikes everything off.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// How many names.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Is there no name?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Everything, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.into_iter()
    }

    /// Everything, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        self.0.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// All names, in order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }

    /// What is noted, in the order of the names.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }

    /// The same, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.0.iter_mut().map(|(_, value)| value)
    }
}

impl<'r, K, V> IntoIterator for &'r Roster<K, V> {
    type Item = (&'r K, &'r V);
    type IntoIter = std::iter::Map<std::slice::Iter<'r, (K, V)>, fn(&'r (K, V)) -> (&'r K, &'r V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(|(key, value)| (key, value))
    }
}

impl<K: Ord + Copy, V> Extend<(K, V)> for Roster<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, pairs: I) {
        pairs.into_iter().for_each(|(key, value)| self.insert(key, value));
    }
}

impl<K: Ord + Copy, V> FromIterator<(K, V)> for Roster<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut roster = Roster::default();
        roster.extend(pairs);
        roster
    }
}

impl<K: Serialize, V: Serialize> Serialize for Roster<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_in_order_and_once() {
        let mut roster: Roster<u8, char> = [(3, 'c'), (1, 'a'), (2, 'b'), (1, 'x')].into_iter().collect();
        assert_eq!(
            roster.iter().map(|(key, value)| (*key, *value)).collect::<Vec<_>>(),
            [(1, 'x'), (2, 'b'), (3, 'c')]
        );
        assert_eq!((roster.remove(&2), roster.remove(&9)), (Some('b'), None));
        roster.insert_new(3, 'y');
        assert_eq!((roster.get(&2), roster.get(&3), roster.len()), (None, Some(&'c'), 2));
    }
}
