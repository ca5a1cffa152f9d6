//! Leaving out the parts of a document that cannot be read, so that the rest can be checked.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::doc::{DocPath, Node, Segment};

/// A document without its faulty parts, and the way back to the whole one.
pub(super) struct Pruned {
    /// What is left.
    pub node: Node,
    /// Where a list item that moved up stood before: place after, place before.
    moved: BTreeMap<DocPath, DocPath>,
}

impl Pruned {
    /// Where a part of what is left stands in the whole document.
    pub fn origin(&self, at: &DocPath) -> DocPath {
        let mut here = DocPath::root();
        let mut whole = DocPath::root();
        for segment in at.segments() {
            here = step(&here, segment);
            whole = match self.moved.get(&here) {
                Some(before) => before.clone(),
                None => step(&whole, segment),
            };
        }
        whole
    }
}

/// Leaves out, for each fault, the item of a list of orders it lies in, or the entry of a map of orders (`fine`), or
/// all that stands under one key.
pub(super) fn prune(node: &Node, at: &DocPath, faults: &[DocPath], fine: bool) -> Pruned {
    let mut moved = BTreeMap::new();
    let top = at.segments().len();
    let node = keep(node, at, at, &Faulty::of(faults), &mut moved, &|value, here| {
        here.segments().len() == top && (matches!(value, Node::List(_)) || fine && matches!(value, Node::Map(_)))
    });
    Pruned { node, moved }
}

/// The value without its faulty parts; `here` is its place in what is left, `whole` the one it had.
fn keep(
    node: &Node,
    here: &DocPath,
    whole: &DocPath,
    faults: &Faulty,
    moved: &mut BTreeMap<DocPath, DocPath>,
    opens: &dyn Fn(&Node, &DocPath) -> bool,
) -> Node {
    match node {
        Node::Map(entries) => {
            let mut left = Vec::new();
            for (key, value) in entries {
                let place = whole.key(key);
                if !faults.lie_within(&place) {
                    left.push((key.clone(), value.clone()));
                } else if opens(value, here) && !faults.at.contains(&place) {
                    left.push((key.clone(), keep(value, &here.key(key), &place, faults, moved, opens)));
                }
            }
            Node::Map(left)
        }
        Node::List(items) => {
            let mut left = Vec::new();
            for (index, item) in items.iter().enumerate() {
                let place = whole.index(index);
                if faults.lie_within(&place) {
                    continue;
                }
                if left.len() != index {
                    moved.insert(here.index(left.len()), place);
                }
                left.push(item.clone());
            }
            Node::List(left)
        }
        Node::Text { .. } => node.clone(),
    }
}

/// Where faults lie. A file may have tens of thousands of them and as many entries, so they are not searched one by one.
struct Faulty {
    /// Every place at or below which one lies, or whose key is one; keys with hyphens.
    within: BTreeSet<DocPath>,
    /// Every place at which one lies.
    at: BTreeSet<DocPath>,
}

impl Faulty {
    fn of(faults: &[DocPath]) -> Faulty {
        let mut within = BTreeSet::new();
        for fault in faults {
            let mut here = DocPath::root();
            for segment in fault.segments() {
                here = step(&here, &with_hyphens(segment));
                within.insert(here.clone());
            }
        }
        Faulty { within, at: faults.iter().cloned().collect() }
    }

    fn lie_within(&self, place: &DocPath) -> bool {
        let plain = place.segments().iter().fold(DocPath::root(), |here, segment| step(&here, &with_hyphens(segment)));
        self.within.contains(&plain)
    }
}

fn with_hyphens(segment: &Segment) -> Segment {
    match segment {
        Segment::Key(key) | Segment::Name(key) => Segment::Key(key.replace('_', "-")),
        Segment::Index(index) => Segment::Index(*index),
    }
}

fn step(path: &DocPath, segment: &Segment) -> DocPath {
    match segment {
        Segment::Key(key) => path.key(key),
        Segment::Index(index) => path.index(*index),
        Segment::Name(name) => path.name(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::doc::read_document;

    #[test]
    fn faulty_orders_are_left_out_and_the_others_keep_their_place() {
        let text = "moves:\n- {units: a}\n- {untis: b}\n- {units: c}\nbase: x\nplace: {a: 1, b: 2}\n";
        let (node, _) = read_document("x.yaml", text.as_bytes()).unwrap();
        let at = DocPath::root().key("orders");
        let faults = [at.key("moves").index(1).name("untis"), at.key("base"), at.name("nothing")];
        let pruned = prune(&node, &at, &faults, false);
        assert_eq!(pruned.node.get("moves").and_then(Node::as_list).map(<[Node]>::len), Some(2));
        assert!(pruned.node.get("base").is_none() && pruned.node.get("place").is_some());
        assert_eq!(pruned.origin(&at.key("moves").index(1).key("units")), at.key("moves").index(2).key("units"));
        assert_eq!(pruned.origin(&at.key("moves").index(0)), at.key("moves").index(0));
        assert_eq!(pruned.origin(&at.key("place").key("a")), at.key("place").key("a"));
        let entry = [at.key("place").key("b")];
        let places = |fine| prune(&node, &at, &entry, fine).node.get("place").and_then(Node::as_map).map(<[_]>::len);
        assert_eq!((places(true), places(false)), (Some(1), None));
    }
}
