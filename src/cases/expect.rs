//! What a packet led to, held against what the case expects.

use serde::Serialize;

use super::file::{Expect, FaultPart, NextPart};
use super::matching::{fits_event, kind_asked, kind_of, misfit, written};
use crate::engine::doc::{Fault, Node};
use crate::engine::{Json, Stop};

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
    /// What was expected.
    pub expected: String,
    /// What was found.
    pub found: String,
}

impl Difference {
    pub(super) fn new(part: impl Into<String>, expected: impl Into<String>, found: impl Into<String>) -> Difference {
        Difference { part: part.into(), expected: expected.into(), found: found.into() }
    }
}

impl Expect {
    /// An expectation that anything meets.
    pub fn nothing() -> Expect {
        Expect {
            refused: Vec::new(),
            warns: Vec::new(),
            events: Vec::new(),
            never: Vec::new(),
            asks: Vec::new(),
            unasked: Vec::new(),
            state: None,
            next: None,
            verdict: None,
        }
    }

    /// Whether the expectation would be met if nothing at all had happened. A case must have one that would not.
    pub fn expects_nothing(&self) -> bool {
        self.refused.is_empty() && self.warns.is_empty() && self.difference(&Found::default()).is_none()
    }

    /// The first difference between what was expected and what was found.
    pub fn difference(&self, found: &Found) -> Option<Difference> {
        (self.warnings(found))
            .or_else(|| self.happened(&found.events))
            .or_else(|| self.never(&found.events))
            .or_else(|| self.questions(&found.asked))
            .or_else(|| self.position(found.state.as_ref()))
            .or_else(|| self.next_stop(found.stop.as_ref()))
            .or_else(|| self.winner(found.verdict.as_deref()))
    }

    /// Whether exactly the expected refusals were found.
    pub fn refusal(&self, found: &Found) -> Option<Difference> {
        let mut left: Vec<&Fault> = found.refusals().collect();
        for (index, part) in self.refused.iter().enumerate() {
            match left.iter().position(|fault| part.fits(fault)) {
                Some(place) => {
                    left.remove(place);
                }
                None => {
                    let all = list(found.refusals().map(told), "the orders are legal");
                    return Some(Difference::new(format!("refused[{index}]"), part.to_string(), all));
                }
            }
        }
        let extra = left.first()?;
        let expected = if self.refused.is_empty() { "legal orders" } else { "no other refusal" };
        Some(Difference::new("refused", expected, told(extra)))
    }

    fn warnings(&self, found: &Found) -> Option<Difference> {
        let warnings = || found.faults.iter().filter(|fault| fault.warning);
        let (index, part) =
            self.warns.iter().enumerate().find(|(_, part)| !warnings().any(|fault| part.fits(fault)))?;
        let all = list(warnings().map(told), "no warning");
        Some(Difference::new(format!("warns[{index}]"), part.to_string(), all))
    }

    /// The expected events must occur in order; taking the first that fits is as good as any other choice.
    fn happened(&self, events: &[Json]) -> Option<Difference> {
        let mut from = 0;
        for (index, part) in self.events.iter().enumerate() {
            match events.iter().skip(from).position(|event| fits_event(part, event)) {
                Some(offset) => from += offset + 1,
                None => {
                    let found = nearest(part, events, from);
                    return Some(Difference::new(format!("events[{index}]"), written(part), found));
                }
            }
        }
        None
    }

    fn never(&self, events: &[Json]) -> Option<Difference> {
        self.never.iter().enumerate().find_map(|(index, part)| {
            let place = events.iter().position(|event| fits_event(part, event))?;
            let found = format!("event {}: {}", place + 1, events.get(place)?);
            Some(Difference::new(format!("never[{index}]"), format!("no {}", written(part)), found))
        })
    }

    fn questions(&self, asked: &[String]) -> Option<Difference> {
        let all = || list(asked.iter().cloned(), "no question was put");
        let mut left: Vec<&String> = asked.iter().collect();
        for (index, kind) in self.asks.iter().enumerate() {
            match left.iter().position(|asked| *asked == kind) {
                Some(place) => {
                    left.remove(place);
                }
                None => return Some(Difference::new(format!("asks[{index}]"), kind.as_str(), all())),
            }
        }
        let put = self.unasked.iter().find(|kind| asked.contains(kind))?;
        Some(Difference::new("unasked", format!("no question {put}"), all()))
    }

    fn position(&self, state: Option<&Json>) -> Option<Difference> {
        let part = self.state.as_ref()?;
        let nothing = Json::map();
        let misfit = misfit(part, state.unwrap_or(&nothing))?;
        let at = if misfit.at.is_empty() { "state".to_owned() } else { format!("state: {}", misfit.at) };
        Some(Difference::new(at, misfit.expected, misfit.found))
    }

    fn next_stop(&self, stop: Option<&Stop>) -> Option<Difference> {
        let next = self.next.as_ref()?;
        let (who, ask) = match stop {
            Some(stop) => (stop.who().map_or("nobody", |side| side.as_str()), stop.ask()),
            None => ("nobody", "nothing"),
        };
        let fits = next.who.as_deref().is_none_or(|wanted| wanted == who)
            && next.ask.as_deref().is_none_or(|wanted| wanted == ask);
        (!fits).then(|| Difference::new("next", next.to_string(), format!("{{who: {who}, ask: {ask}}}")))
    }

    fn winner(&self, verdict: Option<&str>) -> Option<Difference> {
        let wanted = self.verdict.as_deref()?;
        (verdict != Some(wanted)).then(|| Difference::new("verdict", wanted, verdict.unwrap_or("the game goes on")))
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

/// The event that comes nearest to the expected one, and why it is not the one.
fn nearest(part: &Node, events: &[Json], from: usize) -> String {
    let kind = kind_asked(part);
    let alike = events.iter().enumerate().filter(|(_, event)| kind.is_some() && kind_of(event) == kind);
    let after = alike.clone().filter(|(place, _)| *place >= from);
    let closest = after
        .filter_map(|(place, event)| misfit(part, event).map(|misfit| (place, misfit)))
        .max_by_key(|(place, misfit)| (misfit.depth, std::cmp::Reverse(*place)));
    if let Some((place, misfit)) = closest {
        return format!("event {} has {} where {} is {}", place + 1, misfit.found, misfit.at, misfit.expected);
    }
    if let Some((place, _)) = alike.clone().find(|(_, event)| fits_event(part, event)) {
        return format!("it happens only before the events above: event {}", place + 1);
    }
    match (kind, from) {
        (Some(kind), 0) => format!("no {kind} among {} events", events.len()),
        (Some(kind), from) => format!("no {kind} after event {from} of {}", events.len()),
        (None, _) => "a part of an event has one key, the kind of the event".to_owned(),
    }
}
