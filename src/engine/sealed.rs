//! Hidden values.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::doc::{DocPath, FromDoc, Node, Reader};
use super::{Json, Side, Slot, to_json};

/// Values known to one view of the game: the public, one side, or everybody's after the audit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holdings(pub BTreeMap<(Side, Slot), Json>);

impl Holdings {
    /// The value of a slot, if this view holds it.
    pub fn get(&self, owner: Side, slot: &Slot) -> Option<&Json> {
        self.0.get(&(owner, slot.clone()))
    }
}

/// Something that can lie face down.
pub trait Hidden: Clone + Serialize + FromDoc {}
impl<T: Clone + Serialize + FromDoc> Hidden for T {}

/// A hidden value in the state: its owner and the name of its slot, never its value.
///
/// It is written as the slot name alone, so the state and its hash are the same in every view and betray nothing.
/// The value, where a view holds it, stands beside the state in [`Holdings`].
pub struct Sealed<T> {
    owner: Side,
    slot: Slot,
    of: PhantomData<fn() -> T>,
}

impl<T> Sealed<T> {
    /// The hidden value in a slot of `owner`.
    pub fn new(owner: Side, slot: Slot) -> Sealed<T> {
        Sealed { owner, slot, of: PhantomData }
    }

    /// Whose it is.
    pub fn owner(&self) -> Side {
        self.owner
    }

    /// The slot it lies in.
    pub fn slot(&self) -> &Slot {
        &self.slot
    }
}

impl<T> Clone for Sealed<T> {
    fn clone(&self) -> Self {
        Sealed::new(self.owner, self.slot.clone())
    }
}

impl<T> PartialEq for Sealed<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.owner, &self.slot) == (other.owner, &other.slot)
    }
}

impl<T> Eq for Sealed<T> {}

impl<T> fmt::Debug for Sealed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sealed({} {})", self.owner, self.slot)
    }
}

thread_local! {
    /// What lies face down in the position that is being walked through; none while a position is merely written.
    static FOUND: RefCell<Option<Vec<(Side, Slot)>>> = const { RefCell::new(None) };
}

/// Everything that lies face down in a position, by owner and slot, as often as it is named.
///
/// Writing is the one walk through a state that every game has; it comes past every hidden value there is.
pub fn slots_in(state: &impl Serialize) -> Vec<(Side, Slot)> {
    let before = FOUND.with(|found| found.replace(Some(Vec::new())));
    // A state without a written form is reported where it is hashed.
    to_json(state).ok();
    FOUND.with(|found| found.replace(before)).unwrap_or_default()
}

impl<T> Serialize for Sealed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        FOUND.with(|found| {
            if let Some(found) = &mut *found.borrow_mut() {
                found.push((self.owner, self.slot.clone()));
            }
        });
        self.slot.serialize(serializer)
    }
}

/// A value in an order file that may have to be hidden: written in place, or moved into a slot when signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Concealed<T> {
    /// In place: solo games, cases, and before signing.
    Open(T),
    /// Moved into this slot by signing.
    Sealed(Slot),
}

impl<T> Concealed<T> {
    /// The value, where it stands in place.
    pub fn as_open(&self) -> Option<&T> {
        match self {
            Concealed::Open(value) => Some(value),
            Concealed::Sealed(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn as_open_mut(&mut self) -> Option<&mut T> {
        match self {
            Concealed::Open(value) => Some(value),
            Concealed::Sealed(_) => None,
        }
    }
}

impl<T: Serialize> Serialize for Concealed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Concealed::Open(value) => value.serialize(serializer),
            Concealed::Sealed(slot) => BTreeMap::from([("sealed", slot)]).serialize(serializer),
        }
    }
}

impl<T: FromDoc> FromDoc for Concealed<T> {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        let Some(slot) = node.get("sealed") else {
            return T::read(node, at, reader).map(Concealed::Open);
        };
        match slot.as_text().map(Slot::parse) {
            Some(Ok(slot)) => Some(Concealed::Sealed(slot)),
            _ => {
                reader.fault(
                    &at.key("sealed"),
                    "this is not the name of a slot",
                    "write the value itself; signing hides it",
                );
                None
            }
        }
    }
}

impl<T: JsonSchema> JsonSchema for Concealed<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        T::json_schema(generator)
    }
}
