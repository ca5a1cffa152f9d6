//! What a case may expect, as a person writes it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::matching::ANY_ORDER;
use crate::engine::doc::{DocPath, Fault, FromDoc, Node, Reader, document, same_key};

document! {
    /// What must follow from a packet.
    #[derive(Default)]
    pub struct Expect {
        /// The orders are refused for exactly these faults. Where more is expected beside them, the orders are carried
        /// out as if they had been signed: what is refused lapses, the rest comes about.
        pub refused: Vec<FaultPart>,
        /// Warnings the check must give; it may give others.
        pub warns: Vec<FaultPart>,
        /// Warnings the check must not give.
        pub unwarned: Vec<FaultPart>,
        /// Events that must happen in this order, others between them or not. A word stands for any event of that kind;
        /// a map is a part of the event; `any-order` is a list of events of which none need come before another.
        pub events: Vec<Node>,
        /// Events that must not happen.
        pub never: Vec<Node>,
        /// Kinds of questions that must be put, as often as they stand here.
        pub asks: Vec<String>,
        /// Kinds of questions that must not be put, though everybody would be asked.
        pub unasked: Vec<String>,
        /// Lines of the report on what happened, everything open.
        pub report: Option<LinesPart>,
        /// What a side, or `public`, is shown of what happened and of what came of it.
        pub views: BTreeMap<String, ViewPart>,
        /// The reply to `odds` for the orders of the packet.
        pub odds: Option<QueryPart>,
        /// Replies to `reach` before the packet is carried out.
        pub reach: Vec<QueryPart>,
        /// Replies to `supply` before the packet is carried out.
        pub supply: Vec<QueryPart>,
        /// Replies to `los` before the packet is carried out.
        pub los: Vec<QueryPart>,
        /// What the check foresees if all goes well.
        pub outlook: Option<OutlookPart>,
        /// A part of the state afterwards. The word `absent` says that a key is not there.
        pub state: Option<Node>,
        /// Who must speak next, and what is due from him; `end` where the game is over.
        pub next: Option<NextPart>,
        /// The winner, or `draw`.
        pub verdict: Option<String>,
    }

    /// A fault that must be found.
    pub struct FaultPart {
        /// The clause it names.
        pub clause: Option<String>,
        /// Words that stand in what it says.
        pub says: Option<String>,
        /// The part of the orders it is laid at: `moves[1].to`.
        pub at: Option<String>,
    }

    /// What one side is shown.
    #[derive(Default)]
    pub struct ViewPart {
        /// Events it must read of, in this order, others between them or not.
        pub events: Vec<Node>,
        /// Events it must not read of.
        pub never: Vec<Node>,
        /// Lines of its report on what happened.
        pub report: Option<LinesPart>,
        /// Lines of its report on where things stand afterwards.
        pub status: Option<LinesPart>,
        /// Hidden values it knows afterwards, its own and those that were shown: owner, slot and value.
        pub holds: Option<Node>,
    }

    /// A question to the position and what must be replied.
    #[derive(Default)]
    pub struct QueryPart {
        /// The unit asked about, for `reach` and `supply`.
        pub unit: Option<String>,
        /// The place looked from, for `los`.
        pub from: Option<String>,
        /// The place looked at, for `los`.
        pub to: Option<String>,
        /// The side that asks; the one whose packet is due, if left out.
        pub side: Option<String>,
        /// A part of the reply as data.
        pub reply: Option<Node>,
        /// Lines of the reply.
        pub lines: Option<LinesPart>,
        /// The question is refused for exactly these faults.
        pub refused: Vec<FaultPart>,
    }
}

/// What the outlook of a packet must tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutlookPart {
    /// Its lines.
    pub lines: LinesPart,
    /// Events it foresees in this order, others between them or not.
    pub events: Vec<Node>,
    /// Events it must not foresee.
    pub never: Vec<Node>,
    /// Kinds of questions it must leave to somebody.
    pub asks: Vec<String>,
    /// Kinds of questions it must not leave to anybody.
    pub unasked: Vec<String>,
}

document! {
    /// What the outlook of a packet must tell.
    struct WrittenOutlook {
        /// Lines that must stand there in this order, others between them or not.
        lines: Vec<LinePart>,
        /// Lines that must stand there in any order, each a line of its own.
        has: Vec<LinePart>,
        /// Lines that must not stand there.
        lacks: Vec<LinePart>,
        /// Events it must foresee in this order, others between them or not.
        events: Vec<Node>,
        /// Events it must not foresee.
        never: Vec<Node>,
        /// Kinds of questions it must leave to somebody.
        asks: Vec<String>,
        /// Kinds of questions it must not leave to anybody.
        unasked: Vec<String>,
    }
}

impl Serialize for OutlookPart {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let OutlookPart { lines: LinesPart { lines, has, lacks }, events, never, asks, unasked } = self.clone();
        WrittenOutlook { lines, has, lacks, events, never, asks, unasked }.serialize(serializer)
    }
}

impl FromDoc for OutlookPart {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        if node.as_map().is_none() {
            return Some(OutlookPart { lines: LinesPart::read(node, at, reader)?, ..OutlookPart::default() });
        }
        let written = WrittenOutlook::read(node, at, reader)?;
        let WrittenOutlook { lines, has, lacks, events, never, asks, unasked } = written;
        let part = OutlookPart { lines: LinesPart { lines, has, lacks }, events, never, asks, unasked };
        if part == OutlookPart::default() {
            reader.fault(at, "this expects nothing", "write lines, or `events:`, `asks:` and so on");
            return None;
        }
        Some(part)
    }
}

impl JsonSchema for OutlookPart {
    fn schema_name() -> Cow<'static, str> {
        "Outlook".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let (one, written) = (generator.subschema_for::<LinePart>(), generator.subschema_for::<WrittenOutlook>());
        schemars::json_schema!({
            "description": "Lines of the outlook in this order, others between them or not; or a map that says more.",
            "anyOf": [{ "type": "string" }, { "type": "array", "items": one }, written]
        })
    }
}

/// Lines that must stand in a text, and lines that must not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinesPart {
    /// In this order, others between them or not.
    pub lines: Vec<LinePart>,
    /// In any order, each a line of its own.
    pub has: Vec<LinePart>,
    /// Nowhere.
    pub lacks: Vec<LinePart>,
}

document! {
    /// Lines that must stand in a text, and lines that must not.
    struct WrittenLines {
        /// Lines that must stand there in this order, others between them or not.
        lines: Vec<LinePart>,
        /// Lines that must stand there in any order, each a line of its own.
        has: Vec<LinePart>,
        /// Lines that must not stand there.
        lacks: Vec<LinePart>,
    }
}

impl Serialize for LinesPart {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let LinesPart { lines, has, lacks } = self.clone();
        WrittenLines { lines, has, lacks }.serialize(serializer)
    }
}

impl FromDoc for LinesPart {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        let part = match node {
            Node::Map(_) => {
                let WrittenLines { lines, has, lacks } = WrittenLines::read(node, at, reader)?;
                LinesPart { lines, has, lacks }
            }
            _ => LinesPart { lines: Vec::read(node, at, reader)?, ..LinesPart::default() },
        };
        if part == LinesPart::default() {
            reader.fault(at, "this expects nothing", "write lines, or `has:` or `lacks:` with some");
            return None;
        }
        Some(part)
    }
}

impl JsonSchema for LinesPart {
    fn schema_name() -> Cow<'static, str> {
        "Lines".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let (one, written) = (generator.subschema_for::<LinePart>(), generator.subschema_for::<WrittenLines>());
        schemars::json_schema!({
            "description": "Lines in this order, others between them or not; or `lines`, `has` and `lacks`.",
            "anyOf": [{ "type": "string" }, { "type": "array", "items": one }, written]
        })
    }
}

/// One line of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LinePart {
    /// Words that stand in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub says: Option<String>,
    /// A clause it rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clause: Option<String>,
    /// Words of the heading it stands under.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub under: Option<String>,
}

document! {
    /// One line of a text.
    struct WrittenLine {
        /// Words that stand in it.
        says: Option<String>,
        /// A clause it rests on.
        clause: Option<String>,
        /// Words of the heading it stands under.
        under: Option<String>,
    }
}

impl FromDoc for LinePart {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        let part = match node.as_text() {
            Some(text) => LinePart { says: Some(text.to_owned()), ..LinePart::default() },
            None => {
                let WrittenLine { says, clause, under } = WrittenLine::read(node, at, reader)?;
                LinePart { says, clause, under }
            }
        };
        if [&part.says, &part.clause, &part.under].into_iter().flatten().all(|words| words.trim().is_empty()) {
            reader.fault(at, "every line is such a line", "say which: `says:`, `clause:` or `under:`");
            return None;
        }
        Some(part)
    }
}

impl JsonSchema for LinePart {
    fn schema_name() -> Cow<'static, str> {
        "Line".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let written = generator.subschema_for::<WrittenLine>();
        schemars::json_schema!({
            "description": "Words of a line; or `says`, `clause` and `under`.",
            "anyOf": [{ "type": "string" }, written]
        })
    }
}

/// Who must speak next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NextPart {
    /// The side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    /// What is due from it: the name of a packet, or `end`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
}

document! {
    /// Who must speak next, and what is due from him.
    struct WrittenNext {
        /// The side.
        who: Option<String>,
        /// What is due from it: the name of a packet, or `end`.
        ask: Option<String>,
    }
}

impl FromDoc for NextPart {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        if let Some(text) = node.as_text() {
            return Some(NextPart { who: None, ask: Some(text.to_owned()) });
        }
        let WrittenNext { who, ask } = WrittenNext::read(node, at, reader)?;
        if who.is_none() && ask.is_none() {
            reader.fault(at, "this expects nothing", "write `who:`, `ask:` or both");
            return None;
        }
        Some(NextPart { who, ask })
    }
}

impl JsonSchema for NextPart {
    fn schema_name() -> Cow<'static, str> {
        "Next".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let written = generator.subschema_for::<WrittenNext>();
        schemars::json_schema!({ "anyOf": [{ "type": "string" }, written] })
    }
}

impl Expect {
    /// The questions to the position with what must be replied, each with its place below `expect`.
    pub fn queries(&self) -> Vec<(&'static str, DocPath, &QueryPart)> {
        let many = [("reach", &self.reach), ("supply", &self.supply), ("los", &self.los)];
        let many = many.into_iter().flat_map(|(what, parts)| {
            let at = DocPath::root().key(what);
            parts.iter().enumerate().map(move |(index, part)| (what, at.index(index), part))
        });
        let odds = self.odds.iter().map(|part| ("odds", DocPath::root().key("odds"), part));
        odds.chain(many).collect()
    }

    /// Whether something is expected to come of the packet, so that it must be carried out.
    pub fn comes_of_it(&self) -> bool {
        !self.events.is_empty()
            || !self.never.is_empty()
            || !self.asks.is_empty()
            || !self.views.is_empty()
            || self.report.is_some()
            || self.state.is_some()
            || self.next.is_some()
            || self.verdict.is_some()
    }

    /// What is wrong with the expectation itself, with places below `expect`.
    pub(super) fn form(&self, orders: bool) -> Vec<Fault> {
        let mut faults = Vec::new();
        let root = DocPath::root();
        fault_parts(&self.refused, &root.key("refused"), &mut faults);
        fault_parts(&self.warns, &root.key("warns"), &mut faults);
        fault_parts(&self.unwarned, &root.key("unwarned"), &mut faults);
        groups(&self.events, &root.key("events"), &mut faults);
        for (side, view) in &self.views {
            groups(&view.events, &root.key("views").key(side).key("events"), &mut faults);
        }
        for (key, expected) in [("odds", self.odds.is_some()), ("outlook", self.outlook.is_some())] {
            if expected && !orders {
                faults.push(Fault::new(&root.key(key), "the packet has no orders", "write the orders to reckon with"));
            }
        }
        if let Some(outlook) = &self.outlook {
            groups(&outlook.events, &root.key("outlook").key("events"), &mut faults);
        }
        for (what, at, part) in self.queries() {
            fault_parts(&part.refused, &at.key("refused"), &mut faults);
            if let Some((what, remedy)) = part.flaw(what) {
                faults.push(Fault::new(&at, what, remedy));
            }
        }
        faults
    }
}

impl QueryPart {
    /// What is wrong with a question of this kind.
    fn flaw(&self, what: &str) -> Option<(&'static str, &'static str)> {
        let QueryPart { unit, from, to, reply, lines, refused, .. } = self;
        let expected = reply.is_some() || lines.is_some();
        match (what, unit.is_some(), from.is_some(), to.is_some()) {
            _ if !expected && refused.is_empty() => {
                Some(("no reply is expected", "write `reply:`, `lines:` or `refused:`"))
            }
            _ if expected && !refused.is_empty() => {
                Some(("a question that is refused has no reply", "expect the refusal, or the reply"))
            }
            ("reach", false, ..) => Some(("it does not say whose reach", "write `unit:`")),
            ("reach" | "supply", _, true, _) | ("reach" | "supply", _, _, true) => {
                Some(("`from` and `to` are for `los`", "write `unit:` alone"))
            }
            ("los", true, ..) => Some(("`unit` is for `reach` and `supply`", "write `from:` and `to:`")),
            ("los", _, false, _) | ("los", _, _, false) => {
                Some(("it does not say what is looked at from where", "write `from:` and `to:`"))
            }
            ("odds", false, false, false) | ("reach" | "supply" | "los", ..) => None,
            _ => Some(("the odds are those of the orders", "leave `unit:`, `from:` and `to:` out")),
        }
    }
}

fn fault_parts(parts: &[FaultPart], at: &DocPath, faults: &mut Vec<Fault>) {
    for (index, part) in parts.iter().enumerate() {
        if part.clause.is_none() && part.says.is_none() && part.at.is_none() {
            let at = at.index(index);
            faults.push(Fault::new(&at, "a fault without clause and words", "say which: `clause:`, `says:` or `at:`"));
        }
    }
}

/// The groups of events without an order among them.
fn groups(events: &[Node], at: &DocPath, faults: &mut Vec<Fault>) {
    for (index, node) in events.iter().enumerate() {
        let Some(entries) = node.as_map().filter(|entries| entries.iter().any(|(key, _)| same_key(key, ANY_ORDER)))
        else {
            continue;
        };
        if entries.len() > 1 || entries.iter().any(|(_, list)| list.as_list().is_none_or(<[Node]>::is_empty)) {
            let remedy = "write `any-order:` alone in its item, with a list of events";
            faults.push(Fault::new(&at.index(index), "no list of events in any order", remedy));
        }
    }
}
