//! What a packet led to, held against what the case expects.

use std::collections::BTreeMap;

use serde::Serialize;

use super::events;
use super::matching::{misfits, pair};
use super::parts::{Expect, FaultPart, LinesPart, NextPart, OutlookPart, QueryPart, ViewPart};
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

/// Something that is not as expected.
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
            && self.queries().iter().all(|(_, at, part)| part.differences(&Ok(Reply::default()), at).is_empty())
            && self.differences(&Found::default()).is_empty()
            && self.shown(&BTreeMap::new()).is_empty()
            && self.foreseen(&Found::default()).is_empty()
    }

    /// What is not foreseen as expected.
    pub fn foreseen(&self, found: &Found) -> Vec<Difference> {
        self.outlook.iter().flat_map(|part| part.differences(&found.outlook, &key("outlook"))).collect()
    }

    /// The differences between what was expected and what came of the packet.
    pub fn differences(&self, found: &Found) -> Vec<Difference> {
        let report = |part: &LinesPart| part.differences(&found.report, &key("report"));
        [
            self.warnings(found),
            events::missing(&self.events, &found.events, &key("events")),
            events::forbidden(&self.never, &found.events, &key("never")),
            questions(&self.asks, &self.unasked, &found.asked, &DocPath::root()),
            position(self.state.as_ref(), found.state.as_ref(), &key("state")),
            self.next_stop(found.stop.as_ref()).into_iter().collect(),
            self.winner(found.verdict.as_deref()).into_iter().collect(),
            self.report.as_ref().map_or_else(Vec::new, report),
        ]
        .concat()
    }

    /// Whether exactly the expected refusals were found.
    pub fn refusal(&self, found: &Found) -> Vec<Difference> {
        let all: Vec<&Fault> = found.refusals().collect();
        refusal(&self.refused, &all, &key("refused"), "legal orders")
    }

    /// Whether the expected warnings were given, and none that must not be.
    pub fn warnings(&self, found: &Found) -> Vec<Difference> {
        let warnings = || found.faults.iter().filter(|fault| fault.warning);
        let mut all = Vec::new();
        for (index, part) in self.warns.iter().enumerate().filter(|(_, part)| !warnings().any(|w| part.fits(w))) {
            let given = list(warnings().map(told), "no warning");
            all.push(Difference::expected(key("warns").index(index), part.to_string(), given));
        }
        for (index, part) in self.unwarned.iter().enumerate() {
            let (place, expected) = (key("unwarned").index(index), format!("no warning {part}"));
            let given = warnings().filter(|fault| part.fits(fault));
            all.extend(given.map(|fault| Difference::expected(place.clone(), expected.clone(), told(fault))));
        }
        all
    }

    /// What a side is not shown as expected.
    pub fn shown(&self, views: &BTreeMap<String, Shown>) -> Vec<Difference> {
        let nothing = Shown::default();
        let seen = |side: &String| views.get(side).unwrap_or(&nothing);
        self.views.iter().flat_map(|(side, part)| part.differences(seen(side), &key("views").key(side))).collect()
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
    fn differences(&self, shown: &Shown, at: &DocPath) -> Vec<Difference> {
        let text = |part: &Option<LinesPart>, lines: &[PlainLine], name: &str| {
            part.as_ref().map_or_else(Vec::new, |part| part.differences(lines, &at.key(name)))
        };
        [
            events::missing(&self.events, &shown.events, &at.key("events")),
            events::forbidden(&self.never, &shown.events, &at.key("never")),
            text(&self.report, &shown.report, "report"),
            text(&self.status, &shown.status, "status"),
            position(self.holds.as_ref(), shown.holds.as_ref(), &at.key("holds")),
        ]
        .concat()
    }
}

impl OutlookPart {
    fn differences(&self, outlook: &Prospect, at: &DocPath) -> Vec<Difference> {
        [
            self.lines.differences(&outlook.lines, at),
            events::missing(&self.events, &outlook.events, &at.key("events")),
            events::forbidden(&self.never, &outlook.events, &at.key("never")),
            questions(&self.asks, &self.unasked, &outlook.asks, at),
        ]
        .concat()
    }
}

/// Whether these kinds of questions are put, each as often as it stands there, and those not. `at` is the place of both.
fn questions(asks: &[String], unasked: &[String], asked: &[String], at: &DocPath) -> Vec<Difference> {
    let all = || list(asked.iter().cloned(), "no question was put");
    let missing = pair(asks, asked, |one, other| one == other).parts.into_iter();
    let missing = missing.filter_map(|index| Some((index, asks.get(index)?)));
    let put = unasked.iter().filter(|kind| asked.contains(kind));
    missing
        .map(|(index, kind)| Difference::expected(at.key("asks").index(index), kind, all()))
        .chain(put.map(|kind| Difference::expected(at.key("unasked"), format!("no question {kind}"), all())))
        .collect()
}

impl QueryPart {
    /// What is not as expected in the reply to a question; `at` is its place below `expect`.
    pub(super) fn differences(&self, reply: &Result<Reply, Vec<Fault>>, at: &DocPath) -> Vec<Difference> {
        let reply = match reply {
            Ok(_) if !self.refused.is_empty() => return refusal(&self.refused, &[], &at.key("refused"), ""),
            Ok(reply) => reply,
            Err(faults) => {
                let all: Vec<&Fault> = faults.iter().filter(|fault| !fault.warning).collect();
                return refusal(&self.refused, &all, &at.key("refused"), "a reply");
            }
        };
        let json = Json::Map(reply.json.clone());
        let mut all = position(self.reply.as_ref(), Some(&json), &at.key("reply"));
        all.extend(self.lines.iter().flat_map(|part| part.differences(&plain(&reply.diary), &at.key("lines"))));
        all
    }
}

/// Where a part does not fit; `at` is the place of the part.
fn position(part: Option<&Node>, whole: Option<&Json>, at: &DocPath) -> Vec<Difference> {
    let nothing = Json::map();
    let Some(part) = part else { return Vec::new() };
    let misfits = misfits(part, whole.unwrap_or(&nothing)).into_iter();
    misfits.map(|misfit| Difference::expected(at.join(&misfit.at), misfit.expected, misfit.found)).collect()
}

/// Whether these are exactly the faults that are expected, each part with a fault of its own.
fn refusal(parts: &[FaultPart], faults: &[&Fault], at: &DocPath, otherwise: &str) -> Vec<Difference> {
    let all = || list(faults.iter().map(|fault| told(fault)), "nothing is refused");
    let unpaired = pair(parts, faults, |part, fault| part.fits(fault));
    let missing = unpaired.parts.into_iter().filter_map(|index| Some((index, parts.get(index)?)));
    let extra = unpaired.things.into_iter().filter_map(|index| faults.get(index));
    let expected = if parts.is_empty() { otherwise } else { "no other refusal" };
    missing
        .map(|(index, part)| Difference::expected(at.index(index), part.to_string(), all()))
        .chain(extra.map(|fault| Difference::expected(at.clone(), expected, told(fault))))
        .collect()
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
