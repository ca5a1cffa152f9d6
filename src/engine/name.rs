//! Names of counters and places, kept once and copied freely.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Serialize, Serializer};

/// An interned name: as cheap to copy as a number, ordered and written as its text.
///
/// Only names that stand in a game's data are interned, never what a player typed, so the store stays as small as
/// the counter sheets.
///
/// Maps from names are everywhere in the rules, so the first bytes stand beside the text as numbers: comparing them
/// first gives the same order and hardly ever needs the text. Each text is kept once, so two names are the same if
/// they are in the same place.
#[derive(Clone, Copy)]
pub struct Name {
    head: [u64; 2],
    text: &'static str,
}

/// The first sixteen bytes as numbers that order as they do; shorter texts are filled up with zeros.
fn head(text: &str) -> [u64; 2] {
    let mut bytes = [0; 16];
    for (to, from) in bytes.iter_mut().zip(text.bytes()) {
        *to = from;
    }
    let whole = u128::from_be_bytes(bytes);
    [(whole >> 64) as u64, whole as u64]
}

fn store() -> MutexGuard<'static, BTreeSet<&'static str>> {
    static STORE: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    STORE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        ptr::eq(self.text, other.text)
    }
}

impl Eq for Name {}

impl Ord for Name {
    fn cmp(&self, other: &Name) -> Ordering {
        let texts = || if self == other { Ordering::Equal } else { self.text.cmp(other.text) };
        self.head.cmp(&other.head).then_with(texts)
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Name) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl Name {
    /// The name with this text.
    pub fn intern(text: &str) -> Name {
        let mut store = store();
        if let Some(known) = store.get(text) {
            return Name { head: head(known), text: known };
        }
        let kept: &'static str = Box::leak(text.to_owned().into_boxed_str());
        store.insert(kept);
        Name { head: head(kept), text: kept }
    }

    /// The name with this text, if anything bears it: what players typed is looked up, not kept.
    pub fn known(text: &str) -> Option<Name> {
        store().get(text).map(|known| Name { head: head(known), text: known })
    }

    /// The text of the name.
    pub fn as_str(self) -> &'static str {
        self.text
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.text)
    }
}

/// Declares what players call by name: units, leaders, areas. The text is the class the game's lexicon knows them by;
/// `such as` gives editors a list of names to propose.
///
/// ```
/// use garcia::names;
///
/// names! {
///     /// A unit by its id.
///     pub UnitId = "unit";
/// }
///
/// assert_eq!(UnitId::of("us-6r").as_str(), "us-6r");
/// ```
#[macro_export]
macro_rules! names {
    ($($(#[$doc:meta])* $vis:vis $name:ident = $class:literal $(, such as $examples:expr)?;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis struct $name($crate::engine::Name);

        impl $name {
            /// The one of this name. Only for names that stand in the data.
            pub fn of(text: &str) -> $name {
                $name($crate::engine::Name::intern(text))
            }

            /// The one of this name, if anything bears it.
            pub fn known(text: &str) -> ::std::option::Option<$name> {
                $crate::engine::Name::known(text).map($name)
            }

            /// The name as text.
            pub fn as_str(self) -> &'static str {
                self.0.as_str()
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> ::std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl $crate::engine::doc::FromDoc for $name {
            fn read(
                node: &$crate::engine::doc::Node,
                at: &$crate::engine::doc::DocPath,
                reader: &mut $crate::engine::doc::Reader<'_>,
            ) -> ::std::option::Option<Self> {
                reader.name($class, node, at).map(|name| $name::of(&name))
            }
        }

        $crate::described!($name, _ => {
            #[allow(unused_mut)]
            let mut schema =
                ::schemars::json_schema!({
                    "type": "string",
                    "description": concat!("The name of a ", $class),
                    "x-names": $class,
        });
                $( schema.insert("examples".to_owned(), $examples.into()); )?
                schema
        });
    )+};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_is_one_name() {
        let first = Name::intern("us-inf-9");
        let again = Name::intern(&format!("us-inf-{}", 9));
        assert_eq!(first, again);
        assert!(std::ptr::eq(first.as_str(), again.as_str()));
        assert!(Name::intern("a") < Name::intern("b"));
    }

    #[test]
    fn names_are_ordered_as_their_texts() {
        let texts = [
            "",
            "a",
            "a\0",
            "sj-tal",
            "sj-tal-1",
            "sj-tal-10",
            "sj-tal-2",
            "ñ",
            "us-infantry-9",
            "us-infantry-0010",
            "us-infantry-0010-a",
            "us-infantry-0010-b",
        ];
        for one in texts {
            for other in texts {
                assert_eq!(Name::intern(one).cmp(&Name::intern(other)), one.cmp(other), "{one} {other}");
            }
        }
    }
}
