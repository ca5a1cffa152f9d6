//! Reading a tree of texts into types. Every fault is reported, not only the first.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::engine::{Clause, Json};

use super::fault::Fault;
use super::macros::key_of;
use super::nearest::{did_you_mean, nearest, one_of};
use super::node::{Node, same_key};
use super::path::DocPath;

/// Knows the names a person may write and what they stand for.
pub trait Lexicon {
    /// Resolves a name of a class (`hex`, `unit`, …) to its canonical form.
    fn look_up(&self, class: &str, text: &str) -> Result<String, Unknown>;
}

/// A name nobody knows, with what may have been meant.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Unknown {
    /// The nearest known names, best first.
    pub nearest: Vec<String>,
    /// Where to look, or why the name will not do.
    pub hint: String,
}

impl Unknown {
    /// Nobody knows the text; what may have been meant, of the names there are.
    pub fn near<'n>(text: &str, known: impl IntoIterator<Item = &'n str>) -> Unknown {
        Unknown { nearest: nearest(text, known).into_iter().map(str::to_owned).collect(), hint: String::new() }
    }

    /// The same, with where to look.
    pub fn hint(self, hint: impl Into<String>) -> Unknown {
        Unknown { hint: hint.into(), ..self }
    }
}

/// The lexicon of files that hold no names: every text stands for itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainTexts;

impl Lexicon for PlainTexts {
    fn look_up(&self, _class: &str, text: &str) -> Result<String, Unknown> {
        Ok(text.to_owned())
    }
}

/// What a text stands for that somebody typed outside a file.
pub fn read_text<T: FromDoc>(lexicon: &dyn Lexicon, text: &str) -> Result<T, Vec<Fault>> {
    let mut reader = Reader::new(lexicon);
    T::read(&Node::text(text), &DocPath::root(), &mut reader).ok_or(reader.faults)
}

/// What reading needs at hand: the names, and the faults found so far.
pub struct Reader<'a> {
    /// The names that may occur.
    pub lexicon: &'a dyn Lexicon,
    /// Everything found wrong so far, in the order of reading.
    pub faults: Vec<Fault>,
    /// Keys that were typed otherwise than they are written: the path by its proper name, and as it stands in the file.
    typed: Vec<(DocPath, DocPath)>,
}

impl<'a> Reader<'a> {
    /// A reader that has found nothing wrong yet.
    pub fn new(lexicon: &'a dyn Lexicon) -> Self {
        Reader { lexicon, faults: Vec::new(), typed: Vec::new() }
    }

    /// Notes how a key of the map at this path was typed: `El Caney` for `3410`.
    pub fn typed(&mut self, at: &DocPath, proper: &str, typed: &str) {
        if proper != typed {
            self.typed.push((at.key(proper), at.key(typed)));
        }
    }

    /// The place in the file of a path that goes by proper names.
    pub fn in_file(&self, at: &DocPath) -> DocPath {
        // A map's key is noted after the keys within it, whose paths hold it as it was typed: from the outside inwards.
        self.typed.iter().rev().fold(at.clone(), |at, (proper, typed)| at.moved(proper, typed))
    }

    /// Notes a fault of form.
    pub fn fault(&mut self, at: &DocPath, what: impl Into<String>, remedy: impl Into<String>) {
        self.faults.push(Fault::new(at, what, remedy));
    }

    /// Notes a fault against a rule.
    pub fn fault_by(&mut self, at: &DocPath, clause: Clause, what: impl Into<String>, remedy: impl Into<String>) {
        self.faults.push(Fault::new(at, what, remedy).by(clause));
    }

    /// Notes something that is allowed but probably not meant.
    pub fn warn(&mut self, at: &DocPath, what: impl Into<String>, remedy: impl Into<String>) {
        self.faults.push(Fault::new(at, what, remedy).as_warning());
    }

    /// Reads a single value; anything else is a fault that says `what` was expected.
    pub fn text<'n>(&mut self, node: &'n Node, at: &DocPath, what: &str) -> Option<&'n str> {
        let text = node.as_text();
        if text.is_none() {
            self.fault(at, format!("expected {what}, found {}", node.kind()), format!("write {what} here"));
        }
        text
    }

    /// Reads a name of a class and resolves it; an unknown one is a fault that names its neighbours.
    pub fn name(&mut self, class: &str, node: &Node, at: &DocPath) -> Option<String> {
        let what = || {
            let article = if class.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
            format!("the name of {article} {class}")
        };
        let Some(text) = node.as_text() else {
            self.text(node, at, &what())?;
            return None;
        };
        if self.faults.len() >= ENOUGH {
            if self.faults.len() == ENOUGH {
                let what = format!("{ENOUGH} faults before this; from here on names are not looked up");
                self.fault(at, what, "put right what stands before this");
            }
            return None;
        }
        match self.lexicon.look_up(class, text) {
            Ok(name) => Some(name),
            Err(Unknown { nearest, hint }) => {
                let remedy = match (did_you_mean(&nearest), hint.is_empty()) {
                    (Some(meant), true) => meant,
                    (Some(meant), false) => format!("{meant} {hint}"),
                    (None, false) => hint,
                    (None, true) => format!("write {} that is in the game", what()),
                };
                self.fault(at, format!("there is no {class} `{}`", clip(text)), remedy);
                None
            }
        }
    }

    /// Tells in the faults found since which words would do as well.
    pub fn or_words(&mut self, since: usize, words: &[&str]) {
        for fault in self.faults.iter_mut().skip(since) {
            fault.remedy = match fault.remedy.ends_with(['?', '.']) {
                true => format!("{} Or write {}.", fault.remedy, one_of(words)),
                false => format!("{}, or {}", fault.remedy, one_of(words)),
            };
        }
    }

    /// Whether anything but warnings was found.
    pub fn refused(&self) -> bool {
        self.faults.iter().any(|fault| !fault.warning)
    }
}

/// After so many faults names are no longer looked up: nobody reads on, and a stranger's file must not cost minutes.
const ENOUGH: usize = 1000;

/// A type that can be read from what a person wrote.
///
/// `read` gives `Some` if and only if it found no fault, and it reports all faults it can find.
pub trait FromDoc: Sized {
    /// Whether a key of this type may be left out. The published schema says so.
    const OPTIONAL: bool = false;

    /// Reads the value at a place in the document.
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self>;

    /// What stands for a key that is not there: a fault, unless the type has a natural absence.
    fn missing(at: &DocPath, key: &str, reader: &mut Reader<'_>) -> Option<Self> {
        let key = key_of(key);
        reader.fault(at, format!("`{key}` is missing"), format!("add a line `{key}: …`"));
        None
    }

    /// Whether this is the value that stands for an absent key, so that writing may leave the key out.
    fn is_absent(&self) -> bool {
        false
    }
}

/// Reads back what the program wrote itself; everything that is wrong, as plain texts.
pub fn read_back<T: FromDoc>(written: &Json, lexicon: &dyn Lexicon) -> Result<T, Vec<String>> {
    let said = |faults: Vec<Fault>| faults.iter().map(|fault| format!("{}: {}", fault.at, fault.what)).collect();
    read_as(&Node::from_json(written), lexicon).map(|(value, _)| value).map_err(said)
}

/// Reads a part that was kept as it stands until the names in it were known; nothing where it is left out.
pub fn read_part<T: FromDoc + Default>(node: Option<&Node>, at: &DocPath, reader: &mut Reader<'_>) -> T {
    node.and_then(|node| T::read(node, at, reader)).unwrap_or_default()
}

/// What came out, or nothing and its faults among the others.
pub fn noted<T>(result: Result<T, Vec<Fault>>, faults: &mut Vec<Fault>) -> Option<T> {
    result.map_err(|mut found| faults.append(&mut found)).ok()
}

/// Reads a whole document: the value with its warnings, or everything that is wrong with it.
pub fn read_as<T: FromDoc>(node: &Node, lexicon: &dyn Lexicon) -> Result<(T, Vec<Fault>), Vec<Fault>> {
    let mut reader = Reader::new(lexicon);
    match T::read(node, &DocPath::root(), &mut reader) {
        Some(value) if !reader.refused() => Ok((value, reader.faults)),
        _ => Err(reader.faults),
    }
}

/// The entries of a map, taken one by one.
pub struct Fields<'n> {
    at: DocPath,
    entries: &'n [(String, Node)],
}

impl<'n> Fields<'n> {
    /// Opens a map; anything else is a fault.
    pub fn open(node: &'n Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Fields<'n>> {
        let Some(entries) = node.as_map() else {
            let remedy = "write lines of the form `key: value` here";
            reader.fault(at, format!("expected a map, found {}", node.kind()), remedy);
            return None;
        };
        let fields = Fields { at: at.clone(), entries };
        fields.refuse_doubles(reader);
        Some(fields)
    }

    /// The text reader refuses equal keys; here `press_if` beside `press-if` is refused.
    fn refuse_doubles(&self, reader: &mut Reader<'_>) {
        if !self.entries.iter().any(|(key, _)| key.contains('_')) {
            return;
        }
        let mut seen: BTreeMap<String, &str> = BTreeMap::new();
        for (key, _) in self.entries {
            if let Some(first) = seen.insert(key.replace('_', "-"), key) {
                reader.fault(
                    &self.at.name(key),
                    format!("`{}` and `{}` are the same key", clip(first), clip(key)),
                    "keep one of the two",
                );
            }
        }
    }

    /// Where the map stands.
    pub fn at(&self) -> &DocPath {
        &self.at
    }

    /// Whether the map has this key.
    pub fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|(name, _)| same_key(name, key))
    }

    /// What stands under a key, with its place.
    pub fn get(&self, key: &str) -> Option<(&'n Node, DocPath)> {
        let (name, node) = self.entries.iter().find(|(name, _)| same_key(name, key))?;
        Some((node, self.at.key(name)))
    }

    /// Reads what stands under a key, or what its absence means.
    pub fn take<T: FromDoc>(&self, key: &str, reader: &mut Reader<'_>) -> Option<T> {
        match self.get(key) {
            Some((node, at)) => T::read(node, &at, reader),
            None => T::missing(&self.at, key, reader),
        }
    }

    /// Refuses every key that is not known, and says which one was probably meant.
    pub fn finish(self, known: &[&str], reader: &mut Reader<'_>) {
        let unknown = |(key, _): &&(String, Node)| !known.iter().any(|name| same_key(name, key));
        let unknown: Vec<&(String, Node)> = self.entries.iter().filter(unknown).collect();
        if unknown.is_empty() {
            return;
        }
        let keys: Vec<Cow<'_, str>> = known.iter().map(|name| key_of(name)).collect();
        let allowed = match keys.is_empty() {
            true => "nothing may stand here".to_owned(),
            false => format!("allowed here: {}", one_of(&keys)),
        };
        // A name already in use beside the unknown one is not what was meant.
        let free: Vec<&str> = keys.iter().map(AsRef::as_ref).filter(|name| !self.has(name)).collect();
        for (key, _) in unknown {
            let remedy = match did_you_mean(&nearest(key, free.iter().copied())) {
                Some(meant) => format!("{meant} {allowed}"),
                None => allowed.clone(),
            };
            reader.fault(&self.at.name(key), format!("unknown key `{}`", clip(key)), remedy);
        }
    }
}

/// A text short enough to be quoted in a message.
pub fn clip(text: &str) -> String {
    const LONGEST: usize = 48;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}
