//! Names of counters and places, kept once and copied freely.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};

use serde::{Serialize, Serializer};

/// An interned name: as cheap to copy as a number, ordered and written as its text.
///
/// Only names that stand in a game's data are interned, never what a player typed, so the store stays as small as
/// the counter sheets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(&'static str);

impl Name {
    /// The name with this text.
    pub fn intern(text: &str) -> Name {
        static STORE: OnceLock<Mutex<BTreeSet<&'static str>>> = OnceLock::new();
        let mut store = STORE.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = store.get(text) {
            return Name(known);
        }
        let kept: &'static str = Box::leak(text.to_owned().into_boxed_str());
        store.insert(kept);
        Name(kept)
    }

    /// The text of the name.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
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
}
