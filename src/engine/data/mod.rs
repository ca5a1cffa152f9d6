//! The data files of a game: our own, any of which a player may replace with a transcription of his.
//!
//! A game declares the shape of its files with [`document!`](crate::engine::doc::document), reads them with a
//! [`Loader`], and lays what makes no sense at the part of the file that says so: file, line and column are the loader's
//! business, and so is the list of facts behind `garcia data check`. Nothing a file can say makes this panic.
//!
//! ```
//! use std::collections::BTreeMap;
//! use garcia::engine::data::{Loader, OurFile, at};
//! use garcia::engine::doc::document;
//!
//! document! {
//!     /// `tables.yaml`.
//!     pub struct Tables {
//!         /// Whose file it is.
//!         pub game: String,
//!         /// Turns.
//!         pub turns: u32,
//!     }
//! }
//!
//! let files = BTreeMap::from([("tables.yaml".to_owned(), "game: siege\n\nturns: 0\n".to_owned())]);
//! const OURS: &[OurFile] = &[OurFile::written("tables.yaml", "game: siege\nturns: 9\n")];
//! let mut loader = Loader::new("siege", OURS, &files);
//! let tables: Tables = loader.read("tables.yaml").unwrap();
//! loader.fact("2.1", "tables.yaml", at("turns"), tables.turns > 0, "a game has turns", "give it some");
//! let found = &loader.findings()[0];
//! assert_eq!((found.holds, found.place.as_str()), (false, "3:8"));
//! ```

mod table;

use std::collections::BTreeMap;
use std::sync::OnceLock;

pub use table::{Rows, Table};

use super::doc::{
    DocPath, Fault, FromDoc, Node, Place, PlainTexts, Source, did_you_mean, nearest, one_of, read_as, read_document,
    read_plain_data, read_tree,
};
use super::json::{Json, is_key};
use super::{Clause, DataFinding};
use crate::words;

words! {
    /// Where a figure or a feature of a data file comes from.
    pub enum Provenance {
        /// The rulebook prints it.
        Text = "text",
        /// It follows from what the rulebook prints.
        Inferred = "inferred",
        /// Ours, since the published sheet is not at hand.
        Reconstructed = "reconstructed",
        /// Copied by a player from the published sheet.
        Transcribed = "transcribed",
    }
}

/// A data file that is built in.
#[derive(Clone, Copy, Debug)]
pub struct OurFile {
    /// Its name.
    pub name: &'static str,
    /// What it says, for whoever wants to copy it or looks for a place in it.
    pub text: &'static str,
    /// The same as the program reads it, if that was made with the program ([`read_tree`]).
    pub tree: Option<&'static str>,
}

impl OurFile {
    /// A file that is read as it is written.
    pub const fn written(name: &'static str, text: &'static str) -> OurFile {
        OurFile { name, text, tree: None }
    }
}

/// The files of a game with what is built in for each.
pub type Shipped = &'static [OurFile];

/// The data files of a game, from the folder `data` of its room: `shipped!("lone_warrior": "units.yaml")`.
#[macro_export]
macro_rules! shipped {
    ($room:literal: $($file:literal),+ $(,)?) => {
        &[$( $crate::engine::data::OurFile {
            name: $file,
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/games/", $room, "/data/", $file)),
            tree: Some(include_str!(concat!(env!("OUT_DIR"), "/", $room, "/", $file))),
        } ),+]
    };
}

/// A key at the top of a file.
pub fn at(key: &str) -> DocPath {
    DocPath::root().key(key)
}

/// Something wrong with a data file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFault {
    /// The file.
    pub file: String,
    /// What is wrong, where in the file, and by which clause.
    pub fault: Fault,
}

impl DataFault {
    /// Line and column, or the key where the text is not known.
    fn place(&self) -> String {
        match self.fault.place {
            Some(place) => format!("{}:{}", place.line, place.column),
            None => self.fault.at.to_string(),
        }
    }

    /// As a fault of the charter, where nobody knows any more which file is meant.
    fn named(self) -> Fault {
        let what = match self.fault.at.segments().is_empty() && self.fault.place.is_none() {
            true => format!("{}: {}", self.file, self.fault.what),
            false => format!("{}:{}: {}", self.file, self.place(), self.fault.what),
        };
        Fault { what, ..self.fault }
    }

    fn finding(self) -> DataFinding {
        let place = self.place();
        let Fault { clause, what, remedy, .. } = self.fault;
        DataFinding { file: self.file, place, clause, what, remedy, holds: false }
    }
}

/// What a document says in a form that has one spelling: a map whose keys are no names (the signs of a legend) is a list
/// of pairs.
fn canonical(node: Node) -> Json {
    match node {
        Node::Text { text, .. } => Json::Str(text),
        Node::List(items) => Json::List(items.into_iter().map(canonical).collect()),
        Node::Map(entries) => {
            let members: BTreeMap<String, Json> = entries.into_iter().map(|(k, node)| (k, canonical(node))).collect();
            match members.keys().all(|key| is_key(key)) {
                true => Json::Map(members),
                false => Json::List(members.into_iter().map(|(k, v)| Json::List(vec![Json::Str(k), v])).collect()),
            }
        }
    }
}

/// Reads the files of a game and gathers what is wrong with them.
pub struct Loader<'f> {
    game: &'static str,
    ours: Shipped,
    theirs: &'f BTreeMap<String, String>,
    sources: BTreeMap<&'static str, Source>,
    canon: BTreeMap<String, Json>,
    held: Vec<DataFinding>,
    faults: Vec<DataFault>,
}

impl<'f> Loader<'f> {
    /// The files of a game, a player's in place of ours. A file the game does not have is a fault: it would be played
    /// without it, and nobody would know.
    pub fn new(game: &'static str, ours: Shipped, theirs: &'f BTreeMap<String, String>) -> Loader<'f> {
        let mut loader = Loader {
            game,
            ours,
            theirs,
            sources: BTreeMap::new(),
            canon: BTreeMap::new(),
            held: Vec::new(),
            faults: Vec::new(),
        };
        let names: Vec<&str> = ours.iter().map(|file| file.name).collect();
        for name in theirs.keys().filter(|name| !names.contains(&name.as_str())) {
            let what = format!("{game} has no data file `{name}`");
            let files = format!("the files are {}", one_of(&names));
            let remedy = did_you_mean(&nearest(name, names.iter().copied())).unwrap_or(files);
            loader.fault(name, &DocPath::root(), what, remedy);
        }
        loader
    }

    /// What `read` makes of the files of a game, or every fault.
    pub fn load<T>(
        game: &'static str,
        ours: Shipped,
        theirs: &'f BTreeMap<String, String>,
        read: impl FnOnce(&mut Loader<'f>) -> Option<T>,
    ) -> Result<T, Vec<Fault>> {
        let mut loader = Loader::new(game, ours, theirs);
        match read(&mut loader) {
            Some(made) if loader.faults.is_empty() => Ok(made),
            _ => Err(loader.faults.into_iter().map(DataFault::named).collect()),
        }
    }

    /// Reads one file. Every fault of form is noted with its place, and a file that is for another game.
    pub fn read<T: FromDoc>(&mut self, file: &'static str) -> Option<T> {
        let node = self.node(file)?;
        let game = node.get("game").and_then(|game| game.as_text()).unwrap_or(self.game);
        if game != self.game {
            let what = format!("this is data for `{game}`");
            self.fault(file, &at("game"), what, format!("write `game: {}`", self.game));
        }
        let read = read_as(&node, &PlainTexts);
        self.canon.insert(file.trim_end_matches(".yaml").to_owned(), canonical(node));
        match read {
            Ok((value, _)) => Some(value),
            Err(faults) => {
                faults.into_iter().for_each(|fault| self.push(file, fault));
                None
            }
        }
    }

    /// A file before anybody asks what it means.
    fn node(&mut self, file: &'static str) -> Option<Node> {
        let ours = self.ours.iter().find(|ours| ours.name == file);
        let theirs = self.theirs.get(file);
        if theirs.is_none()
            && let Some(node) = ours.and_then(|ours| read_tree(ours.tree?))
        {
            return Some(node);
        }
        let read = match theirs {
            Some(text) => read_document(file, text.as_bytes()),
            None => read_plain_data(file, ours.map_or("", |ours| ours.text).as_bytes()),
        };
        match read {
            Ok((node, source)) => {
                self.sources.insert(file, source);
                Some(node)
            }
            Err(unreadable) => {
                let faults = unreadable.faults.into_iter();
                self.faults.extend(faults.map(|fault| DataFault { file: file.to_owned(), fault }));
                None
            }
        }
    }

    /// Where a part of a file stands. A file of ours is read as text only if somebody asks this.
    fn place(&self, file: &str, at: &DocPath) -> Option<Place> {
        if let Some(source) = self.sources.get(file) {
            return Some(source.place(at));
        }
        let ours = self.ours.iter().find(|ours| ours.name == file && !self.theirs.contains_key(file))?;
        read_plain_data(file, ours.text.as_bytes()).ok().map(|(_, source)| source.place(at))
    }

    fn push(&mut self, file: &str, mut fault: Fault) {
        fault.place = fault.place.or_else(|| self.place(file, &fault.at));
        self.faults.push(DataFault { file: file.to_owned(), fault });
    }

    /// Notes that a part of a file will not do.
    pub fn fault(&mut self, file: &str, at: &DocPath, what: impl Into<String>, remedy: impl Into<String>) {
        self.push(file, Fault::new(at, what, remedy));
    }

    /// Notes that a part of a file contradicts a rule.
    pub fn fault_by(
        &mut self,
        clause: &'static str,
        file: &str,
        at: &DocPath,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.push(file, Fault::new(at, what, remedy).by(Clause(clause)));
    }

    /// A fact the rulebook prints: it holds, or it is a fault of the part of the file that denies it.
    pub fn fact(
        &mut self,
        clause: &'static str,
        file: &str,
        at: DocPath,
        holds: bool,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        if !holds {
            return self.fault_by(clause, file, &at, what, remedy);
        }
        let (file, place, clause) = (file.to_owned(), at.to_string(), Some(Clause(clause)));
        self.held.push(DataFinding { file, place, clause, what: what.into(), remedy: String::new(), holds });
    }

    /// How many faults have been found so far.
    pub fn faults(&self) -> usize {
        self.faults.len()
    }

    /// What the files that were read so far say, comments left out: for the digest in the first record.
    pub fn canon(&mut self) -> Json {
        Json::Map(std::mem::take(&mut self.canon))
    }

    /// The facts that hold, and everything that is wrong: `garcia data check`.
    pub fn findings(self) -> Vec<DataFinding> {
        self.held.into_iter().chain(self.faults.into_iter().map(DataFault::finding)).collect()
    }
}

/// Where a game has its data from: our own files, read once, or a player's in their place.
pub struct Shelf<D> {
    game: &'static str,
    files: Shipped,
    read: fn(&mut Loader<'_>) -> Option<D>,
    facts: fn(&D, &mut Loader<'_>),
    ours: OnceLock<Result<D, Vec<Fault>>>,
}

impl<D: Clone> Shelf<D> {
    /// The files of a game, what they say as far as it makes sense, and what the rulebook prints about it besides.
    pub const fn new(
        game: &'static str,
        files: Shipped,
        read: fn(&mut Loader<'_>) -> Option<D>,
        facts: fn(&D, &mut Loader<'_>),
    ) -> Shelf<D> {
        Shelf { game, files, read, facts, ours: OnceLock::new() }
    }

    /// What the given files say, and ours for those not given; every fault otherwise.
    pub fn load(&self, theirs: &BTreeMap<String, String>) -> Result<D, Vec<Fault>> {
        let load = || Loader::load(self.game, self.files, theirs, self.read);
        if theirs.is_empty() { self.ours.get_or_init(load).clone() } else { load() }
    }

    /// The facts of the rulebook that the files state or deny: `garcia data check`.
    pub fn findings(&self, theirs: &BTreeMap<String, String>) -> Vec<DataFinding> {
        let mut loader = Loader::new(self.game, self.files, theirs);
        if let Some(data) = (self.read)(&mut loader) {
            (self.facts)(&data, &mut loader);
        }
        loader.findings()
    }
}
