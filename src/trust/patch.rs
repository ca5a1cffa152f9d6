//! Differences between two public positions, as pointers and values: what a ruling says and what people are shown.

use std::collections::BTreeMap;

use crate::engine::json::{Json, is_key};

/// What a ruling puts where: JSON pointers into the public state. `/` alone is the whole state; a list or object that
/// loses something is written whole.
pub type Patch = BTreeMap<String, Json>;

/// The pointer to the whole state: no key is empty, so it cannot be anything else.
const WHOLE: &str = "/";

/// One place where two positions differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The pointer.
    pub at: String,
    /// What stands there in the one; nothing if it has no such member.
    pub before: Option<Json>,
    /// What stands there in the other.
    pub after: Option<Json>,
}

/// The state with the patch in it, or why it does not fit.
pub fn patched(state: &Json, patch: &Patch) -> Result<Json, String> {
    let mut state = state.clone();
    for (at, value) in patch {
        if at == WHOLE {
            state = value.clone();
            continue;
        }
        let Some((parent, name)) = at.rsplit_once('/').filter(|_| at.starts_with('/')) else {
            return Err(format!("`{at}` is no pointer: it begins with `/`"));
        };
        if let Some(there) = state.pointer_mut(at) {
            *there = value.clone();
            continue;
        }
        match state.pointer_mut(parent) {
            Some(Json::Map(members)) => drop(members.insert(name.to_owned(), value.clone())),
            _ => return Err(format!("there is nothing at `{parent}` to which `{name}` could be added")),
        }
    }
    Ok(state)
}

/// The patch that makes one state into another.
pub fn patch_between(before: &Json, after: &Json) -> Patch {
    let mut patch = Patch::new();
    collect(before, after, "", &mut patch);
    patch
}

/// Whether the difference could be written: a pointer is a key of a record, and keys are short and have no other letters.
fn collect(before: &Json, after: &Json, at: &str, patch: &mut Patch) -> bool {
    if before == after {
        return true;
    }
    let mut inner = Patch::new();
    let apart = match (before, after) {
        (Json::Map(one), Json::Map(other)) if one.keys().all(|key| other.contains_key(key)) => {
            other.iter().all(|(key, value)| {
                let plain = !key.contains(['/', '~']);
                let below = format!("{at}/{key}");
                match one.get(key) {
                    Some(old) if old == value => true,
                    Some(old) => plain && collect(old, value, &below, &mut inner),
                    None => plain && is_key(&below) && inner.insert(below, value.clone()).is_none(),
                }
            })
        }
        (Json::List(one), Json::List(other)) if one.len() == other.len() => {
            let mut pairs = one.iter().zip(other).enumerate();
            pairs.all(|(place, (old, new))| collect(old, new, &format!("{at}/{place}"), &mut inner))
        }
        _ => false,
    };
    if apart {
        patch.append(&mut inner);
        return true;
    }
    let whole = if at.is_empty() { WHOLE } else { at };
    is_key(whole) && patch.insert(whole.to_owned(), after.clone()).is_none()
}

/// Everything that differs between two states, leaf by leaf, for people to read.
pub fn difference(before: &Json, after: &Json) -> Vec<Change> {
    let mut changes = Vec::new();
    compare(Some(before), Some(after), "", &mut changes);
    changes
}

fn compare(before: Option<&Json>, after: Option<&Json>, at: &str, changes: &mut Vec<Change>) {
    match (before, after) {
        (one, other) if one == other => {}
        (Some(Json::Map(one)), Some(Json::Map(other))) => {
            let keys: std::collections::BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            for key in keys {
                compare(one.get(key), other.get(key), &format!("{at}/{key}"), changes);
            }
        }
        (Some(Json::List(one)), Some(Json::List(other))) if one.len() == other.len() => {
            for (place, (old, new)) in one.iter().zip(other).enumerate() {
                compare(Some(old), Some(new), &format!("{at}/{place}"), changes);
            }
        }
        (one, other) => {
            let at = if at.is_empty() { WHOLE } else { at };
            changes.push(Change { at: at.to_owned(), before: one.cloned(), after: other.cloned() });
        }
    }
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = |value: &Option<Json>| match value {
            None => "nothing".to_owned(),
            Some(Json::Str(text)) => text.clone(),
            Some(value) => {
                let text = value.to_string();
                let cut = text.char_indices().nth(120).map(|(at, _)| at);
                cut.map_or_else(|| text.clone(), |at| format!("{}…", text.get(..at).unwrap_or_default()))
            }
        };
        write!(f, "{}: {} -> {}", self.at, word(&self.before), word(&self.after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn json(text: &str) -> Json {
        Json::parse_canonical(text.as_bytes()).expect("canonical")
    }

    #[test]
    fn a_patch_names_as_little_as_it_can() {
        let before = json(r#"{"list":[1,2,3],"turn":1,"units":{"a":{"at":"0101"},"b":{"at":"0102"}}}"#);
        let cases = [
            (r#"{"list":[1,9,3],"turn":1,"units":{"a":{"at":"0101"},"b":{"at":"0103"}}}"#, "/list/1 /units/b/at"),
            (r#"{"list":[1,2,3],"turn":1,"units":{"a":{"at":"0101"}}}"#, "/units"),
            (r#"{"list":[1],"turn":1,"units":{"a":{"at":"0101"},"b":{"at":"0102"},"c":{}}}"#, "/list /units/c"),
            (r#"{"list":[1,2,3],"units":{"a":{"at":"0101"},"b":{"at":"0102"}}}"#, "/"),
        ];
        for (after, expected) in cases {
            let after = json(after);
            let patch = patch_between(&before, &after);
            assert_eq!(patch.keys().cloned().collect::<Vec<_>>().join(" "), expected);
            assert_eq!(patched(&before, &patch), Ok(after));
        }
        assert!(patched(&before, &Patch::from([("/nowhere/x".to_owned(), Json::Int(1))])).is_err());
        assert!(patched(&before, &Patch::from([("turn".to_owned(), Json::Int(1))])).is_err());
        assert!(patched(&before, &Patch::from([("/list/7".to_owned(), Json::Int(1))])).is_err());
    }

    /// Objects of numbers and of objects of numbers.
    fn any_state() -> impl Strategy<Value = Json> {
        let number = (0..3_i64).prop_map(Json::Int);
        let list = proptest::collection::vec(0..3_i64, 0..3);
        let leaf = prop_oneof![number, list.prop_map(|list| Json::List(list.into_iter().map(Json::Int).collect()))];
        let object =
            |of: BoxedStrategy<Json>| proptest::collection::btree_map("[a-c/]{1,2}", of, 0..4).prop_map(Json::Map);
        object(leaf.prop_recursive(3, 20, 4, move |inner| object(inner.boxed()).boxed()).boxed())
    }

    proptest! {
        #[test]
        fn a_patch_leads_from_any_object_to_any_other(
            one in any_state(),
            other in any_state(),
        ) {
            let patch = patch_between(&one, &other);
            prop_assert_eq!(patched(&one, &patch), Ok(other.clone()));
            prop_assert!(patch.keys().all(|key| is_key(key)));
            prop_assert_eq!(difference(&one, &other).is_empty(), one == other);
        }
    }
}
