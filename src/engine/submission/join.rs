//! Several files of one seat made into one packet: commanders who share a side.

use std::collections::BTreeMap;

use crate::engine::doc::{DocPath, Fault, Node, Segment, Source, clip, same_key};

/// Lines that must say the same in every file.
const HEADER: &[&str] = &["game", "match", "side", "turn", "packet"];

/// Several order files as one document, with the way back from it to the files.
#[derive(Clone, Debug)]
pub struct Joined {
    /// The document.
    pub node: Node,
    /// The files, in the order given.
    pub sources: Vec<Source>,
    /// Parts that come from another file or stand elsewhere in it.
    origin: BTreeMap<DocPath, (usize, DocPath)>,
}

impl Joined {
    /// The file a part of the document comes from, and its place there.
    pub fn locate(&self, at: &DocPath) -> (usize, DocPath) {
        let segments = at.segments();
        for length in (0..=segments.len()).rev() {
            let (head, tail) = segments.split_at(length);
            let mut found = self.origin.get(&path(DocPath::root(), head));
            // The key itself belongs where its value does.
            if let (None, Some((Segment::Name(name), before))) = (found, head.split_last()) {
                found = self.origin.get(&path(DocPath::root(), before).key(name));
                if let Some((file, there)) = found {
                    let around = there.segments().split_last().map_or(&[] as &[Segment], |(_, around)| around);
                    return (*file, path(path(DocPath::root(), around).name(name), tail));
                }
            }
            if let Some((file, there)) = found {
                return (*file, path(there.clone(), tail));
            }
        }
        (0, at.clone())
    }

    /// The faults of each file, with their places in it, in the order of the file.
    pub fn sort(&self, faults: Vec<Fault>) -> Vec<(&Source, Vec<Fault>)> {
        let mut sorted: Vec<(&Source, Vec<Fault>)> = self.sources.iter().map(|source| (source, Vec::new())).collect();
        for mut fault in faults {
            let (file, at) = self.locate(&fault.at);
            fault.at = at;
            if let Some((_, list)) = sorted.get_mut(file) {
                list.push(fault);
            }
        }
        for (source, list) in &mut sorted {
            list.sort_by_key(|fault| (fault.warning, fault.place.unwrap_or_else(|| source.place(&fault.at))));
        }
        sorted
    }
}

/// Puts the files of one seat together. What two of them both say, and not the same, is a fault of the later one.
pub fn join(files: Vec<(Node, Source)>) -> (Joined, Vec<Fault>) {
    let mut joined = Joined { node: Node::Map(Vec::new()), sources: Vec::new(), origin: BTreeMap::new() };
    let mut faults = Vec::new();
    for (number, (node, source)) in files.into_iter().enumerate() {
        joined.sources.push(source);
        if number == 0 {
            joined.node = node;
            continue;
        }
        let mut merge = Merge { file: number, origin: &mut joined.origin, faults: &mut faults };
        merge.add(&mut joined.node, node, &DocPath::root(), &DocPath::root());
    }
    (joined, faults)
}

struct Merge<'a> {
    file: usize,
    origin: &'a mut BTreeMap<DocPath, (usize, DocPath)>,
    faults: &'a mut Vec<Fault>,
}

impl Merge<'_> {
    /// Adds what stands `there` in the new file to what stands `here` in the joined document.
    fn add(&mut self, into: &mut Node, from: Node, here: &DocPath, there: &DocPath) {
        match (into, from) {
            (Node::Map(entries), Node::Map(more)) => {
                for (key, node) in more {
                    let (here, there) = (here.key(&key), there.key(&key));
                    match entries.iter_mut().find(|(name, _)| same_key(name, &key)) {
                        Some((_, old)) => self.add(old, node, &here, &there),
                        None => {
                            self.origin.insert(here, (self.file, there));
                            entries.push((key, node));
                        }
                    }
                }
            }
            (Node::List(items), Node::List(more)) => {
                for (index, node) in more.into_iter().enumerate() {
                    self.origin.insert(here.index(items.len()), (self.file, there.index(index)));
                    items.push(node);
                }
            }
            (Node::Text { text: old, .. }, Node::Text { text: new, .. }) if *old == new => {}
            // Two commanders may both have something to say.
            (Node::Text { text: old, .. }, Node::Text { text: new, .. }) if is_note(here) => {
                old.push(' ');
                old.push_str(&new);
            }
            (old, _) => self.twice(old, here, there),
        }
    }

    fn twice(&mut self, old: &Node, here: &DocPath, there: &DocPath) {
        let said = old.as_text().map_or_else(|| old.kind().to_owned(), |text| format!("`{}`", clip(text)));
        let what = match here.segments() {
            [Segment::Key(key)] if HEADER.contains(&key.as_str()) => {
                format!("the files disagree: `{key}` is {said} in the first")
            }
            _ => format!("`{here}` is ordered twice: {said} in an earlier file"),
        };
        // The fault belongs to the later file, at the place there.
        self.origin.insert(here.clone(), (self.file, there.clone()));
        self.faults.push(Fault::new(here, what, "keep one of the two"));
    }
}

fn is_note(at: &DocPath) -> bool {
    matches!(at.segments(), [Segment::Key(key)] if same_key(key, "note") || same_key(key, "private-note"))
}

fn path(from: DocPath, segments: &[Segment]) -> DocPath {
    segments.iter().fold(from, |path, segment| match segment {
        Segment::Key(key) => path.key(key),
        Segment::Index(index) => path.index(*index),
        Segment::Name(name) => path.name(name),
    })
}
