//! What a game is to the engine.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::dice::Chance;
use super::doc::{DocPath, Fault, FromDoc, Lexicon, Node, Reader, did_you_mean, fold, nearest, one_of};
use super::umpire::Umpire;
use super::{
    Clause, Diary, Event, Holdings, Json, Key, Lapse, Lapsed, Minutes, Noted, Policy, Segment, Settled, Side, Slot,
    Stop,
};

/// What rules code returns: a value, or the reason why resolution ends here.
pub type Ruling<T> = Result<T, Halt>;

/// Why resolution ends before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// Somebody must speak first.
    Stop(Stop),
    /// A record does not say what the rules call for. Only verification meets it.
    Breach(Breach),
    /// A die was called for and there is none: the end of a check beforehand, or a case that gives too few.
    NoDice(Key),
    /// A case named another roll than the one called for.
    WrongDie {
        /// The label in the case.
        wanted: String,
        /// The label of the roll.
        called: Key,
    },
    /// A check beforehand has seen everything its author decides.
    Foreseen,
    /// The game contradicts itself: never a player's fault.
    Bug(String),
}

/// A record that breaks the protocol, found while resolving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The code of section 8 of the protocol.
    pub code: &'static str,
    /// The side at fault.
    pub fault: Option<Side>,
    /// The slot, key or clause concerned.
    pub about: String,
}

/// A fact about hidden values that may be told.
pub trait Fact: Clone + PartialEq + Serialize + FromDoc {}
impl<T: Clone + PartialEq + Serialize + FromDoc> Fact for T {}

/// A state with what one view of the game knows besides.
#[derive(Clone, Copy)]
pub struct Seen<'a, S> {
    /// The public state.
    pub state: &'a S,
    /// The hidden values this view holds.
    pub holdings: &'a Holdings,
    /// Whose view it is; everything is open if none.
    pub side: Option<Side>,
}

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

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Verdict {
    /// The winner; a draw if none.
    pub winner: Option<Side>,
    /// The victory line.
    pub text: String,
}

/// A question a player puts to the position without giving orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// Where can this unit go?
    Reach {
        /// The unit as typed.
        unit: String,
    },
    /// Who is in supply, and along which line?
    Supply {
        /// Only this unit.
        unit: Option<String>,
    },
    /// Can one hex see another?
    Sight {
        /// From.
        from: String,
        /// To.
        to: String,
    },
    /// What odds would these orders fight at?
    Odds {
        /// The packet of orders.
        orders: Node,
    },
}

/// The answer to a [`Query`].
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// For people.
    pub diary: Diary,
    /// For programs.
    pub json: BTreeMap<String, Json>,
}

/// A picture of the map in characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// The lines, each of patches in one tone.
    pub lines: Vec<Vec<Patch>>,
    /// What the signs mean.
    pub legend: Vec<String>,
}

/// A piece of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The characters.
    pub text: String,
    /// How they are to be shown where colours are.
    pub tone: Tone,
}

/// The colours of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Plain text.
    Plain,
    /// Grid numbers and what is of no interest.
    Faint,
    /// Water.
    Water,
    /// Woods and jungle.
    Green,
    /// High ground.
    Brown,
    /// Towns and works.
    Built,
    /// Roads and railways.
    Road,
    /// The first side's counters.
    First,
    /// The second side's counters.
    Second,
    /// A third force.
    Third,
    /// What is asked about.
    Marked,
}

/// Where the map is to be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Around this cell or place.
    pub centre: Option<String>,
    /// This many cells to each side.
    pub radius: Option<u32>,
    /// Fit into this many columns of text where possible.
    pub width: Option<usize>,
}

/// A rule set.
///
/// A value of the implementing type is a table laid for one match: data, scenario and options.
pub trait Game: Sized + Send + Sync + 'static {
    /// The name on the command line and in records.
    const ID: &'static str;
    /// Raised whenever any ledger could come out differently.
    const VERSION: u32;
    /// The sides, in the order they first act.
    const SIDES: &'static [Side];
    /// What everybody may know: hidden values are `Sealed` in it.
    type State: Clone + fmt::Debug + PartialEq + Serialize + Send + Sync + 'static;
    /// One packet of orders with names resolved.
    type Orders: Clone + fmt::Debug + PartialEq + Serialize + Send + Sync + 'static;
    /// Policies and standing orders.
    type Policy: Policy;
    /// What can happen.
    type Event: Event;

    /// What `garcia games` tells.
    const ABOUT: About;

    /// Lays the table: loads the data, fixes scenario and options. Every fault at once.
    fn open(charter: &Charter) -> Result<Self, Vec<Fault>>;

    /// Checks a player's own data files against the facts of the rulebook: `garcia data check`.
    fn check_data(files: &BTreeMap<String, String>) -> Vec<DataFinding>;

    /// Map, counters, tables and scenario as loaded, for the digest in the genesis record.
    fn rules_data(&self) -> Json;

    /// Names a player may type.
    fn lexicon(&self) -> &dyn Lexicon;

    /// The state before the first order and the first packet due.
    fn begin(&self) -> (Self::State, Stop);

    /// The game turn, for headers and file names.
    fn turn(&self, state: &Self::State) -> u32;

    /// Reads a packet of orders of the given kind; pushes every fault of form.
    fn read_orders(&self, packet: &str, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self::Orders>;

    /// Checks a packet against what its author can see and writes it out in full: every `to` becomes the path it means.
    ///
    /// Legal if and only if listed: the same functions serve the template and the random player.
    fn check(&self, seen: &Seen<'_, Self::State>, stop: &Stop, orders: &mut Self::Orders, at: &DocPath) -> Vec<Fault> {
        super::foresee(self, seen, stop, &super::Foresaid::default(), orders, at).faults
    }

    /// Whether packets are checked by foreseeing: carrying them out before an umpire who hopes.
    const FORESEEN: bool = true;

    /// Carries out a packet and everything after it up to the next packet due. Every `to` becomes the path it means,
    /// in the packet itself.
    fn resolve(
        &self,
        state: &mut Self::State,
        orders: &mut Self::Orders,
        umpire: &mut Umpire<'_, Self>,
    ) -> Ruling<Stop>;

    /// The entries of a packet, each of which is carried out or named as one that is not.
    fn entries(&self, orders: &Self::Orders) -> Vec<DocPath> {
        super::entries_of(orders)
    }

    /// The orders that count where none were given: what the rules do with a silent player.
    fn no_orders(&self, state: &Self::State, stop: &Stop) -> Self::Orders;

    /// Moves values that must stay hidden out of a checked packet into slots, before it is signed.
    fn seal(&self, _state: &Self::State, _orders: &mut Self::Orders, _hide: &mut dyn FnMut(Slot, Json)) {}

    /// Moves the entries of a plan out of a checked packet, one after the other: `hide` takes an entry and names the
    /// slot that now stands in its place. Called after [`Game::seal`], and only where the packet goes as a plan. Which
    /// entries are sealed follows from the public state alone.
    fn seal_plan(&self, _state: &Self::State, _orders: &mut Self::Orders, _hide: &mut dyn FnMut(Json) -> Slot) {}

    /// What stands below `orders:` in an order file for this moment, indented by two blanks: what may be done as
    /// comments, ready to edit.
    fn template(&self, seen: &Seen<'_, Self::State>, stop: &Stop) -> String;

    /// Legal orders by chance, chosen from what the template lists.
    fn random_orders(&self, seen: &Seen<'_, Self::State>, stop: &Stop, chance: &mut Chance) -> Self::Orders;

    /// What a plain sensible player orders, in a game that has one: to judge the balance of a scenario by, and for
    /// matches that people read.
    fn sensible_orders(&self, _seen: &Seen<'_, Self::State>, _stop: &Stop) -> Option<Self::Orders> {
        None
    }

    /// What is wrong with a policy in the hands of this side, beyond its form: units that are not his to speak for.
    fn policy_faults(&self, _side: Side, _policy: &Self::Policy, _at: &DocPath) -> Vec<Fault> {
        Vec::new()
    }

    /// A policy by chance for a kind the side can be asked, as a player could type it.
    fn random_policy(&self, state: &Self::State, side: Side, kind: &str, chance: &mut Chance) -> Json;

    /// Tells an event.
    fn tell(&self, event: &Self::Event, diary: &mut Diary);

    /// What each side lost and gained: the head of a report, from the events of a span alone.
    fn sum_up(&self, _events: &[&Self::Event], _diary: &mut Diary) {}

    /// Where the campaign stands: victory count, control, supply, losses, reserves.
    fn tell_state(&self, seen: &Seen<'_, Self::State>, diary: &mut Diary);

    /// One line for the head of a report: date, turn, who acted.
    fn headline(&self, state: &Self::State) -> String;

    /// The map.
    fn picture(&self, seen: &Seen<'_, Self::State>, window: &Window) -> Result<Picture, Fault>;

    /// Answers a query of `reach`, `supply`, `los` or `odds`.
    fn query(&self, seen: &Seen<'_, Self::State>, query: &Query) -> Result<Reply, Vec<Fault>>;

    /// How the game ended, if it has.
    fn verdict(&self, state: &Self::State) -> Option<Verdict>;

    /// Reads a state back from what was written, checking it whole.
    fn read_state(&self, written: &Json) -> Result<Self::State, Vec<String>>;

    /// What is wrong with a state: every invariant of the rules that does not hold. Recomputed from scratch.
    fn flaws(&self, state: &Self::State) -> Vec<String>;

    /// Lays out the position of a conformance case: any scenario, or a blank or patched map with invented units.
    fn arrange(start: &Node, at: &DocPath, faults: &mut Vec<Fault>) -> Option<Arranged<Self>>;

    /// JSON Schemas of the files a person writes for this game, by name: `orders-<packet>` for what stands below
    /// `orders:`, `state`, `case-start`, and the data files by theirs.
    fn schemas() -> Vec<(String, serde_json::Value)>;

    /// Is no question ever put to the player whose orders of this packet are carried out? Their file then asks for no
    /// policies; the opponent may still be asked.
    fn unquestioned(packet: &str) -> bool {
        let _ = packet;
        false
    }

    /// The hidden things of a side that lie together, slot by slot: once one of them was seen and lies face down again,
    /// all of its group are sealed anew and mixed, if the rules let their owner do so.
    fn masks(&self, _state: &Self::State, _side: Side) -> Vec<Vec<Slot>> {
        Vec::new()
    }

    /// After the audit: whether new versions of hidden values were allowed.
    fn resealed(&self, _before: &Seen<'_, Self::State>, _after: &Seen<'_, Self::State>) -> Result<(), Clause> {
        Ok(())
    }
}

/// The position a conformance case starts from.
#[derive(Clone, Debug)]
pub struct Arranged<G: Game> {
    /// The table, laid as the case asks.
    pub game: G,
    /// The state.
    pub state: G::State,
    /// Whose packet is due.
    pub stop: Stop,
    /// What lies face down in the position; nothing where all is open.
    pub holdings: Holdings,
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

/// What came out of a segment.
#[derive(Clone, Debug)]
pub struct Outcome<G: Game> {
    /// The state where resolution ended.
    pub state: G::State,
    /// Who must speak next.
    pub stop: Stop,
    /// What happened since the start of the span.
    pub journal: Vec<Noted<G::Event>>,
    /// Choices that were replaced by their default.
    pub lapses: Vec<Lapse>,
    /// What is new in this segment.
    pub minutes: Minutes,
    /// Everything fixed so far in the span.
    pub settled: Settled,
    /// Values put face down in this span.
    pub kept: Holdings,
    /// Fixed dice that were not called for.
    pub dice_left: usize,
    /// Orders that were not carried out.
    pub lapsed: Vec<Lapsed>,
}

/// Why a segment has no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// A record does not say what the rules call for.
    #[error("{} {}", .0.code, .0.about)]
    Breach(Breach),
    /// The run ended at a die that was not there.
    #[error("no die is left for {0}")]
    NoDice(Key),
    /// A case named another roll.
    #[error("the case gives a die for {wanted}, but {called} was rolled")]
    WrongDie {
        /// The label in the case.
        wanted: String,
        /// The label called for.
        called: Key,
    },
    /// A fault of the program.
    #[error("the engine contradicts itself: {0}")]
    Bug(String),
}

/// Resolves one segment: the span's packet from the span's base state, with everything settled before.
pub fn run<G: Game>(
    game: &G,
    base: &G::State,
    orders: &G::Orders,
    segment: Segment<'_>,
) -> Result<Outcome<G>, Failure> {
    let probing = matches!(segment.dice, super::Dice::None);
    let mut state = base.clone();
    let mut umpire = Umpire::new(game, segment);
    let mut packet = orders.clone();
    let stop = match game.resolve(&mut state, &mut packet, &mut umpire) {
        Ok(stop) | Err(Halt::Stop(stop)) => stop,
        Err(Halt::Breach(breach)) => return Err(Failure::Breach(breach)),
        // A check beforehand ends here; what it found out so far counts.
        Err(Halt::NoDice(_)) if probing => Stop::End,
        Err(Halt::NoDice(key)) => return Err(Failure::NoDice(key)),
        Err(Halt::WrongDie { wanted, called }) => return Err(Failure::WrongDie { wanted, called }),
        Err(Halt::Bug(bug)) => return Err(Failure::Bug(bug)),
        Err(Halt::Foreseen) => return Err(Failure::Bug("a resolution ended like a check".into())),
    };
    let record = umpire.close();
    if let Some(key) = record.forgotten {
        return Err(Failure::Bug(format!("{key} was settled before and not called for again")));
    }
    Ok(Outcome {
        state,
        stop,
        journal: record.journal,
        lapses: record.lapses,
        minutes: record.minutes,
        settled: record.settled,
        kept: record.kept,
        dice_left: record.dice_left,
        lapsed: record.lapsed,
    })
}
