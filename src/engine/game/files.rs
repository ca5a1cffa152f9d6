//! What a game reads and writes: its data, what people type, states and cases.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Rules;
use crate::engine::doc::{DocPath, Fault, FromDoc, Node, Reader, did_you_mean, fold, nearest, noted, one_of};
use crate::engine::{Clause, Holdings, Json, Stop};

/// A scenario a game can be played in.
#[derive(Clone, Copy, Debug)]
pub struct ScenarioInfo {
    /// Its name on the command line.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What it is, in a sentence or two.
    pub text: &'static str,
}

/// An option of a game: a ruling that is a matter of taste, or a rule marked optional.
#[derive(Clone, Copy, Debug)]
pub struct OptionInfo {
    /// Its name.
    pub name: &'static str,
    /// The values it may take, the default first.
    pub values: &'static [&'static str],
    /// What it decides.
    pub text: &'static str,
    /// The clause it concerns.
    pub clause: Clause,
}

impl OptionInfo {
    /// What is wrong with options somebody chose: names the game does not have, values an option does not take.
    pub fn faults(known: &[OptionInfo], chosen: &BTreeMap<String, String>) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (name, value) in chosen {
            let at = DocPath::root().key("options").key(name);
            match known.iter().find(|info| info.name == name) {
                None => {
                    let names: Vec<&str> = known.iter().map(|info| info.name).collect();
                    let meant = did_you_mean(&nearest(name, names.iter().copied()));
                    let remedy = meant.unwrap_or_else(|| format!("the options are {}", one_of(&names)));
                    faults.push(Fault::new(&at, format!("there is no option `{name}`"), remedy));
                }
                Some(info) if !info.values.contains(&value.as_str()) => {
                    let remedy = format!("write {}", one_of(info.values));
                    faults.push(Fault::new(&at, format!("`{value}` is no value of `{name}`"), remedy).by(info.clause));
                }
                Some(_) => {}
            }
        }
        faults
    }
}

/// An option: its name, its values with the default first, what it decides, and the clause it concerns.
pub const fn option(
    name: &'static str,
    values: &'static [&'static str],
    text: &'static str,
    clause: &'static str,
) -> OptionInfo {
    OptionInfo { name, values, text, clause: Clause(clause) }
}

/// What `garcia games` tells about a game.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// The title of the published game.
    pub title: &'static str,
    /// Designer, publisher and year.
    pub credits: &'static str,
    /// The game in a few sentences.
    pub text: &'static str,
    /// Which of its data are printed in the rulebook and which are reconstructed.
    pub provenance: &'static str,
    /// The scenarios, the default first.
    pub scenarios: &'static [ScenarioInfo],
    /// The options.
    pub options: &'static [OptionInfo],
    /// `rules.yaml`: every clause in our own words.
    pub rules: &'static str,
}

/// What a match is played with: fixed when it begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Charter {
    /// The scenario; the game's first if empty.
    pub scenario: String,
    /// Options that differ from their default.
    pub options: BTreeMap<String, String>,
    /// Data files that replace the game's own, by file name.
    pub data: BTreeMap<String, String>,
}

impl Charter {
    /// Was this value chosen for an option?
    pub fn chose(&self, option: &str, value: &str) -> bool {
        self.options.get(option).is_some_and(|chosen| chosen == value)
    }

    /// The table laid with its data; every fault of charter and data otherwise.
    pub fn lay<D, G>(
        mut faults: Vec<Fault>,
        data: Result<D, Vec<Fault>>,
        table: impl FnOnce(D) -> G,
    ) -> Result<G, Vec<Fault>> {
        match data {
            Ok(data) if faults.is_empty() => Ok(table(data)),
            data => {
                faults.extend(data.err().into_iter().flatten());
                Err(faults)
            }
        }
    }

    /// The number of the scenario meant among those there are, the first if none is named; case and hyphens are
    /// forgiven.
    pub fn scenario_among(&self, known: &[&str]) -> Result<usize, Fault> {
        let wanted = fold(&self.scenario);
        if wanted.is_empty() {
            return Ok(0);
        }
        known.iter().position(|name| fold(name) == wanted).ok_or_else(|| {
            let meant = did_you_mean(&nearest(&self.scenario, known.iter().copied()));
            let remedy = meant.unwrap_or_else(|| format!("write {}", one_of(known)));
            let at = DocPath::root().key("scenario");
            Fault::new(&at, format!("there is no scenario `{}`", self.scenario), remedy)
        })
    }
}

/// The position a conformance case starts from.
#[derive(Clone, Debug)]
pub struct Arranged<G: Rules> {
    /// The table, laid as the case asks.
    pub game: G,
    /// The state.
    pub state: G::State,
    /// Whose packet is due.
    pub stop: Stop,
    /// What lies face down in the position; nothing where all is open.
    pub holdings: Holdings,
}

impl<G: Files> Arranged<G> {
    /// The start of a case as it is written, with the names of the game as it is shipped.
    pub fn read<C: FromDoc>(start: &Node, at: &DocPath, faults: &mut Vec<Fault>) -> Option<C> {
        let shipped = noted(G::open(&Charter::default()), faults)?;
        let mut reader = Reader::new(shipped.lexicon());
        let case = C::read(start, at, &mut reader).filter(|_| !reader.refused());
        faults.append(&mut reader.faults);
        case
    }

    /// A position, with what the rules find wrong with it among the faults of the case.
    pub fn checked(game: G, state: G::State, holdings: Holdings, at: &DocPath, faults: &mut Vec<Fault>) -> Self {
        let flaws = game.flaws(&state).into_iter();
        faults.extend(flaws.map(|flaw| Fault::new(at, flaw, "arrange a position the rules allow")));
        let stop = game.packet_due(&state);
        Arranged { game, state, stop, holdings }
    }
}

/// One finding of `garcia data check`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct DataFinding {
    /// The file.
    pub file: String,
    /// The place in it: a line and column, or a key.
    pub place: String,
    /// The clause that prints the fact.
    pub clause: Option<Clause>,
    /// What is wrong, or what was checked.
    pub what: String,
    /// What would be right.
    pub remedy: String,
    /// Whether it holds; a finding that holds is listed as checked.
    pub holds: bool,
}

/// The files of a game: data in, orders in, states in and out.
pub trait Files: Rules {
    /// What `garcia games` tells.
    const ABOUT: About;

    /// Lays the table: loads the data, fixes scenario and options. Every fault at once.
    fn open(charter: &Charter) -> Result<Self, Vec<Fault>>;

    /// Checks a player's own data files against the facts of the rulebook: `garcia data check`.
    fn check_data(files: &BTreeMap<String, String>) -> Vec<DataFinding>;

    /// Map, counters, tables and scenario as loaded, for the digest in the genesis record.
    fn rules_data(&self) -> Json;

    /// Reads a packet of orders of the given kind; pushes every fault of form.
    fn read_orders(&self, packet: &str, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self::Orders>;

    /// Reads a state back from what was written. Its flaws are looked for by who calls this.
    fn read_state(&self, written: &Json) -> Result<Self::State, Vec<String>>;

    /// Lays out the position of a conformance case: any scenario, or a blank or patched map with invented units.
    fn arrange(start: &Node, at: &DocPath, faults: &mut Vec<Fault>) -> Option<Arranged<Self>>;

    /// JSON Schemas of the files a person writes for this game, by name: `orders-<packet>` for what stands below
    /// `orders:`, `state`, `case-start`, and the data files by theirs.
    fn schemas() -> Vec<(String, serde_json::Value)>;
}
