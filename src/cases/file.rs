//! The case file as a person writes it.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use super::parts::Expect;
use crate::engine::doc::{
    DocPath, Fault, FromDoc, Node, PlainTexts, Reader, Segment, Source, Unreadable, clip, document, read_as,
    read_document,
};

document! {
    /// Conformance cases of one game on one topic.
    pub struct CaseFile {
        /// The game the cases are of: `santiago-1898`.
        pub game: String,
        /// What the cases are about, in a few words.
        pub topic: String,
        /// The cases.
        pub cases: Vec<Case>,
    }

    /// One case: a position, what is ordered, rolled and answered, and what must follow.
    ///
    /// A case with one packet may write `orders`, `dice`, `expect` and so on directly; several packets stand under
    /// `packets` in the order they are due.
    pub struct Case {
        /// What the case shows, as a player would say it. No two cases of a game have the same name.
        pub name: String,
        /// The clauses the case shows.
        pub clauses: Vec<String>,
        /// Where the expectation comes from, in your own words.
        pub why: String,
        /// The position. Each game says which keys it understands; without `start` the game begins at its beginning.
        pub start: Option<Node>,
        /// Packets in the order they are due, where there is more than one.
        pub packets: Vec<Packet>,
        /// The side the packet is due from: only to be checked, the position decides.
        pub side: Option<String>,
        /// The orders, as in an order file. Left out, the side stays silent.
        pub orders: Option<Node>,
        /// Carry the orders out as if they had been signed, whatever a check says about them.
        pub signed: bool,
        /// Policies of the side that orders: kind of question and policy.
        pub policies: Option<Node>,
        /// Standing orders of the others: kind and policy, or side and then kind and policy.
        pub standing: Option<Node>,
        /// Answers by kind of question (a list gives one answer after the other) or by the full key of a question.
        pub answers: Option<Node>,
        /// The dice in the order they are rolled.
        pub dice: Vec<Dice>,
        /// What must follow.
        pub expect: Option<Expect>,
    }

    /// One packet of a case.
    pub struct Packet {
        /// The side the packet is due from: only to be checked, the position decides.
        pub side: Option<String>,
        /// The orders, as in an order file. Left out, the side stays silent.
        pub orders: Option<Node>,
        /// Carry the orders out as if they had been signed, whatever a check says about them.
        pub signed: bool,
        /// Policies of the side that orders: kind of question and policy.
        pub policies: Option<Node>,
        /// Standing orders of the others: kind and policy, or side and then kind and policy.
        pub standing: Option<Node>,
        /// Answers by kind of question (a list gives one answer after the other) or by the full key of a question.
        pub answers: Option<Node>,
        /// The dice in the order they are rolled.
        pub dice: Vec<Dice>,
        /// What must follow.
        pub expect: Option<Expect>,
    }
}

/// One entry of a case's dice: a face, or the faces of a roll that must have a label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Dice {
    /// The next die.
    Face(u16),
    /// The next roll.
    Roll(LabelledRoll),
}

document! {
    /// A roll that must have a label.
    pub struct LabelledRoll {
        /// The label: `t3.us.fire/1210/fire/1`.
        pub label: String,
        /// The faces of its dice.
        pub faces: Vec<u16>,
    }
}

impl FromDoc for Dice {
    fn read(node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self> {
        let dice = match node.as_map() {
            Some(_) => Dice::Roll(LabelledRoll::read(node, at, reader)?),
            None => Dice::Face(u16::read(node, at, reader)?),
        };
        let faces = match &dice {
            Dice::Face(face) => std::slice::from_ref(face),
            Dice::Roll(roll) => roll.faces.as_slice(),
        };
        if let Some(face) = faces.iter().find(|face| !(1..=256).contains(*face)) {
            reader.fault(at, format!("no die shows a {face}"), "write the faces as they are rolled, from 1 on");
            return None;
        }
        if faces.is_empty() {
            reader.fault(at, "a roll without dice", "write its faces: `faces: [4]`");
            return None;
        }
        Some(dice)
    }
}

impl JsonSchema for Dice {
    fn schema_name() -> Cow<'static, str> {
        "Dice".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let roll = generator.subschema_for::<LabelledRoll>();
        schemars::json_schema!({
            "description": "A face, or the faces of a roll that must have a label.",
            "anyOf": [{ "type": "integer", "minimum": 1, "maximum": 256 }, roll]
        })
    }
}

impl Case {
    /// The packets of the case, wherever they are written, each with its place within the case.
    pub fn packets(&self) -> Vec<(Packet, DocPath)> {
        let here = DocPath::root();
        if self.packets.is_empty() {
            let packet = Packet {
                side: self.side.clone(),
                orders: self.orders.clone(),
                signed: self.signed,
                policies: self.policies.clone(),
                standing: self.standing.clone(),
                answers: self.answers.clone(),
                dice: self.dice.clone(),
                expect: self.expect.clone(),
            };
            return vec![(packet, here)];
        }
        let under = here.key("packets");
        self.packets.iter().cloned().enumerate().map(|(index, packet)| (packet, under.index(index))).collect()
    }

    /// Whether parts of a packet stand beside `packets`.
    fn is_ambiguous(&self) -> bool {
        !self.packets.is_empty()
            && (self.orders.is_some()
                || self.side.is_some()
                || self.policies.is_some()
                || self.standing.is_some()
                || self.answers.is_some()
                || self.expect.is_some()
                || !self.dice.is_empty()
                || self.signed)
    }
}

/// Reads a case file: its cases with the text they stand in, or everything that is wrong with it.
pub fn read_file(name: &str, bytes: &[u8]) -> Result<(CaseFile, Source), Unreadable> {
    let (node, source) = read_document(name, bytes)?;
    let (file, mut faults) = match read_as::<CaseFile>(&node, &PlainTexts) {
        Ok((file, _)) => (Some(file), Vec::new()),
        Err(faults) => (None, faults),
    };
    if let Some(file) = &file {
        faults.extend(form(file));
    }
    name_cases(&node, &mut faults);
    match file {
        Some(file) if faults.is_empty() => Ok((file, source)),
        _ => Err(Unreadable { source, faults }),
    }
}

/// What is wrong with a file that can be read.
fn form(file: &CaseFile) -> Vec<Fault> {
    let mut faults = Vec::new();
    let cases = DocPath::root().key("cases");
    if file.cases.is_empty() {
        faults.push(Fault::new(&DocPath::root(), "there is no case in this file", "write at least one under `cases:`"));
    }
    for (index, case) in file.cases.iter().enumerate() {
        let at = cases.index(index);
        let mut fault = |at: &DocPath, what: &str, remedy: &str| faults.push(Fault::new(at, what, remedy));
        if case.clauses.is_empty() {
            fault(&at, "it shows no clause", "name the clauses: `clauses: [\"9.2d\"]`");
        }
        if file.cases.iter().take(index).any(|earlier| earlier.name == case.name) {
            fault(&at.key("name"), "an earlier case has the same name", "give each its own name");
        }
        if case.is_ambiguous() {
            fault(&at, "orders, dice or expectations stand beside `packets`", "move them into a packet");
        }
        for (packet, under) in case.packets() {
            let Some(expect) = &packet.expect else { continue };
            let place = at.join(&under).key("expect");
            faults.extend(expect.form(packet.orders.is_some()).into_iter().map(|mut fault| {
                fault.at = place.join(&fault.at);
                fault
            }));
        }
    }
    faults
}

/// Names the case at the head of every fault that lies in one.
fn name_cases(node: &Node, faults: &mut [Fault]) {
    let cases = node.get("cases").and_then(Node::as_list).unwrap_or_default();
    for fault in faults {
        let [Segment::Key(top), Segment::Index(index), ..] = fault.at.segments() else { continue };
        if top != "cases" {
            continue;
        }
        let name = cases.get(*index).and_then(|case| case.get("name")).and_then(Node::as_text);
        let head = name.map_or_else(|| format!("case {}", index + 1), |name| format!("case `{}`", clip(name)));
        fault.what = format!("{head}: {}", fault.what);
    }
}
