//! What a packet led to, held against what the case expects.

use std::collections::BTreeMap;

use serde::Serialize;

use super::events;
use super::matching::{misfit, pair};
use super::parts::{Expect, FaultPart, NextPart, OutlookPart, QueryPart, ViewPart};
use crate::engine::doc::{DocPath, Fault, Node};
use crate::engine::{Json, Reply, Stop};
use crate::report::{PlainLine, plain};

/// What a packet led to.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// What the check said.
    pub faults: Vec<Fault>,
    /// The events, all of them.
    pub events: Vec<Json>,
    /// The kinds of questions that were put, in order.
    pub asked: Vec<String>,
    /// The state afterwards.
    pub state: Option<Json>,
    /// Who must speak next.
    pub stop: Option<Stop>,
    /// The winner or `draw`, if the game is over.
    pub verdict: Option<String>,
    /// The report on what happened, if one is expected.
    pub report: Vec<PlainLine>,
    /// What the check foresees, if something is expected of it.
    pub outlook: Prospect,
}

/// What a check foresees.
#[derive(Clone, Debug, Default)]
pub struct Prospect {
    /// In words.
    pub lines: Vec<PlainLine>,
    /// The events, chances in place of dice.
    pub events: Vec<Json>,
    /// The kinds of questions it leaves to somebody.
    pub asks: Vec<String>,
}

/// What one side is shown.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// The events it reads of.
    pub events: Vec<Json>,
    /// Its report on what happened.
    pub report: Vec<PlainLine>,
    /// Its report on where things stand.
    pub status: Vec<PlainLine>,
    /// The hidden values it knows, by owner and slot.
    pub holds: Option<Json>,
}

impl Found {
    /// The faults that make a packet illegal.
    pub fn refusals(&self) -> impl Iterator<Item = &Fault> {
        self.faults.iter().filter(|fault| !fault.warning)
    }
}

/// The first thing that is not as expected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Difference {
    /// The part of the expectation: `events[1]`, `state`, `dice`.
    pub part: String,
    /// Its place in the packet.
    #[serde(skip)]
    pub at: DocPath,
    /// What was expected.
    pub expected: String,
    /// What was found.
    pub found: String,
}

impl Difference {
    /// Something given in the packet is at fault: `dice`, `answers`, or (with an empty path) the packet as a whole.
    pub(super) fn new(part: &str, expected: impl Into<String>, found: impl Into<String>) -> Difference {
        let at = DocPath::root().key(part);
        Difference { part: part.to_owned(), at, expected: expected.into(), found: found.into() }
    }

    /// Something below `expect` is not met.
    pub(super) fn expected(below: DocPath, expected: impl Into<String>, found: impl Into<String>) -> Difference {
        let at = DocPath::root().key("expect").join(&below);
        Difference { part: below.to_string(), at, expected: expected.into(), found: found.into() }
    }
}

/// A key of an expectation.
fn key(name: &str) -> DocPath {
    DocPath::root().key(name)
}

impl Expect {
    /// Whether the expectation would be met if nothing at all had happened. A case must have one that would not.
    pub fn expects_nothing(&self) -> bool {
        self.refused.is_empty()
            && self.warns.is_empty()
            && self.queries().iter().all(|(_, at, part)| part.difference(&Ok(Reply::default()), at).is_none())
            && self.difference(&Found::default()).is_none()
            && self.shown(&BTreeMap::new()).is_none()
            && self.foreseen(&Found::default()).is_none()
    }

    /// The first thing that is not foreseen as expected.
    pub fn foreseen(&self, found: &Found) -> Option<Difference> {
        self.outlook.as_ref()?.difference(&found.outlook, &key("outlook"))
    }

    /// The first difference between what was expected and what came of the packet.
    pub fn difference(&self, found: &Found) -> Option<Difference> {
        (self.warnings(found))
            .or_else(|| events::missing(&self.events, &found.events, &key("events")))
            .or_else(|| events::forbidden(&self.never, &found.events, &key("never")))
            .or_else(|| questions(&self.asks, &self.unasked, &found.asked, &DocPath::root()))
            .or_else(|| position(self.state.as_ref(), found.state.as_ref(), &key("state")))
            .or_else(|| self.next_stop(found.stop.as_ref()))
            .or_else(|| self.winner(found.verdict.as_deref()))
            .or_else(|| self.report.as_ref()?.difference(&found.report, &key("report")))
    }

    /// Whether exactly the expected refusals were found.
    pub fn refusal(&self, found: &Found) -> Option<Difference> {
        let all: Vec<&Fault> = found.refusals().collect();
        refusal(&self.refused, &all, &key("refused"), "legal orders")
    }

    /// Whether the expected warnings were given, and none that must not be.
    pub fn warnings(&self, found: &Found) -> Option<Difference> {
        let warnings = || found.faults.iter().filter(|fault| fault.warning);
        let missing = self.warns.iter().enumerate().find(|(_, part)| !warnings().any(|fault| part.fits(fault)));
        if let Some((index, part)) = missing {
            let all = list(warnings().map(told), "no warning");
            return Some(Difference::expected(key("warns").index(index), part.to_string(), all));
        }
        self.unwarned.iter().enumerate().find_map(|(index, part)| {
            let given = warnings().find(|fault| part.fits(fault))?;
            Some(Difference::expected(key("unwarned").index(index), format!("no warning {part}"), told(given)))
        })
    }

    /// The first thing a side is not shown as expected.
    pub fn shown(&self, views: &BTreeMap<String, Shown>) -> Option<Difference> {
        let nothing = Shown::default();
        self.views
            .iter()
            .find_map(|(side, part)| part.difference(views.get(side).unwrap_or(&nothing), &key("views").key(side)))
    }

    fn next_stop(&self, stop: Option<&Stop>) -> Option<Difference> {
        let next = self.next.as_ref()?;
        let (who, ask) = match stop {
            Some(stop) => (stop.who().map_or("nobody", |side| side.as_str()), stop.ask()),
            None => ("nobody", "nothing"),
        };
        let fits = next.who.as_deref().is_none_or(|wanted| wanted == who)
            && next.ask.as_deref().is_none_or(|wanted| wanted == ask);
        (!fits).then(|| Difference::expected(key("next"), next.to_string(), format!("{{who: {who}, ask: {ask}}}")))
    }

    fn winner(&self, verdict: Option<&str>) -> Option<Difference> {
        let wanted = self.verdict.as_deref()?;
        let found = verdict.unwrap_or("the game goes on");
        (verdict != Some(wanted)).then(|| Difference::expected(key("verdict"), wanted, found))
    }
}

impl ViewPart {
    fn difference(&self, shown: &Shown, at: &DocPath) -> Option<Difference> {
        events::missing(&self.events, &shown.events, &at.key("events"))
            .or_else(|| events::forbidden(&self.never, &shown.events, &at.key("never")))
            .or_else(|| self.report.as_ref()?.difference(&shown.report, &at.key("report")))
            .or_else(|| self.status.as_ref()?.difference(&shown.status, &at.key("status")))
            .or_else(|| position(self.holds.as_ref(), shown.holds.as_ref(), &at.key("holds")))
    }
}

impl OutlookPart {
    fn difference(&self, outlook: &Prospect, at: &DocPath) -> Option<Difference> {
        (self.lines.difference(&outlook.lines, at))
            .or_else(|| events::missing(&self.events, &outlook.events, &at.key("events")))
            .or_else(|| events::forbidden(&self.never, &outlook.events, &at.key("never")))
            .or_else(|| questions(&self.asks, &self.unasked, &outlook.asks, at))
    }
}

/// Whether these kinds of questions are put, each as often as it stands there, and those not. `at` is the place of both.
fn questions(asks: &[String], unasked: &[String], asked: &[String], at: &DocPath) -> Option<Difference> {
    let all = || list(asked.iter().cloned(), "no question was put");
    if let Err(index) = pair(asks, asked, |one, other| one == other) {
        return Some(Difference::expected(at.key("asks").index(index), asks.get(index)?.as_str(), all()));
    }
    let put = unasked.iter().find(|kind| asked.contains(kind))?;
    Some(Difference::expected(at.key("unasked"), format!("no question {put}"), all()))
}

impl QueryPart {
    /// What is not as expected in the reply to a question; `at` is its place below `expect`.
    pub(super) fn difference(&self, reply: &Result<Reply, Vec<Fault>>, at: &DocPath) -> Option<Difference> {
        let reply = match reply {
            Ok(_) if !self.refused.is_empty() => return refusal(&self.refused, &[], &at.key("refused"), ""),
            Ok(reply) => reply,
            Err(faults) => {
                let all: Vec<&Fault> = faults.iter().filter(|fault| !fault.warning).collect();
                return refusal(&self.refused, &all, &at.key("refused"), "a reply");
            }
        };
        let json = Json::Map(reply.json.clone());
        position(self.reply.as_ref(), Some(&json), &at.key("reply"))
            .or_else(|| self.lines.as_ref()?.difference(&plain(&reply.diary), &at.key("lines")))
    }
}

/// Where a part does not fit; `at` is the place of the part.
fn position(part: Option<&Node>, whole: Option<&Json>, at: &DocPath) -> Option<Difference> {
    let nothing = Json::map();
    let misfit = misfit(part?, whole.unwrap_or(&nothing))?;
    Some(Difference::expected(at.join(&misfit.at), misfit.expected, misfit.found))
}

/// Whether these are exactly the faults that are expected, each part with a fault of its own.
fn refusal(parts: &[FaultPart], faults: &[&Fault], at: &DocPath, otherwise: &str) -> Option<Difference> {
    let all = || list(faults.iter().map(|fault| told(fault)), "nothing is refused");
    match pair(parts, faults, |part, fault| part.fits(fault)) {
        Err(index) => Some(Difference::expected(at.index(index), parts.get(index)?.to_string(), all())),
        Ok(taken) => {
            let (_, extra) = faults.iter().enumerate().find(|(place, _)| !taken.contains(place))?;
            let expected = if parts.is_empty() { otherwise } else { "no other refusal" };
            Some(Difference::expected(at.clone(), expected, told(extra)))
        }
    }
}

impl FaultPart {
    fn fits(&self, fault: &Fault) -> bool {
        self.clause.as_deref().is_none_or(|clause| fault.clause.is_some_and(|named| named.0 == clause))
            && self.says.as_deref().is_none_or(|words| fault.what.contains(words) || fault.remedy.contains(words))
            && self.at.as_deref().is_none_or(|at| place_in_orders(fault) == at)
    }
}

/// Where in the orders a fault lies.
fn place_in_orders(fault: &Fault) -> String {
    let at = fault.at.to_string();
    match at.split_once("orders.").or_else(|| at.split_once("orders")) {
        Some((_, within)) => within.to_owned(),
        None => at,
    }
}

impl std::fmt::Display for FaultPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = [("clause", &self.clause), ("says", &self.says), ("at", &self.at)];
        let parts = parts.into_iter().filter_map(|(key, part)| part.as_ref().map(|part| format!("{key}: {part}")));
        write!(f, "{{{}}}", parts.collect::<Vec<_>>().join(", "))
    }
}

impl std::fmt::Display for NextPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = [("who", &self.who), ("ask", &self.ask)];
        let parts = parts.into_iter().filter_map(|(key, part)| part.as_ref().map(|part| format!("{key}: {part}")));
        write!(f, "{{{}}}", parts.collect::<Vec<_>>().join(", "))
    }
}

/// A fault in one line.
pub(super) fn told(fault: &Fault) -> String {
    let clause = fault.clause.map_or(String::new(), |clause| format!("{clause} "));
    format!("{clause}{} ({}) at {}", fault.what, fault.remedy, fault.at)
}

fn list(parts: impl Iterator<Item = String>, none: &str) -> String {
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { none.to_owned() } else { parts.join("; ") }
}
