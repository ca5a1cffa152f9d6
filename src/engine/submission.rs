//! An order file as a whole: header, orders, policies, standing orders and answers.
//!
//! The game reads and checks its own `orders:`; everything around them is the same for every game and lives here. A
//! file is judged against the moment it is written for ([`Due`]), and every fault in it is reported at once.

mod join;
mod moment;
mod prune;
mod schema;
mod template;
#[cfg(test)]
mod tests;

pub use join::{Joined, join};
pub use moment::schema_of_moment;
pub use schema::order_file_schema;
pub use template::{flow, template};

use std::collections::{BTreeMap, BTreeSet};

use super::doc::{DocPath, Fault, Fields, Node, Reader, clip, did_you_mean, nearest, one_of};
use super::{
    AnyJournal, AnyOrders, AnyOutcome, Asked, Failure, Foresaid, Json, Key, Kind, KindInfo, Match, Moment, Pending,
    Questions, Side, Stop, View,
};

/// How many digits of the game id stand in an order file.
pub const MATCH_DIGITS: usize = 8;

/// The keys of an order file, in the order the template writes them.
const KEYS: &[&str] =
    &["game", "match", "side", "turn", "packet", "orders", "policies", "standing", "answers", "note", "private-note"];

/// How many characters a message to the opponent may have: as many as a record may carry.
pub const NOTE_LENGTH: usize = 2000;

/// The moment an order file is for.
#[derive(Clone, Copy)]
pub struct Due<'a> {
    /// The match.
    pub table: &'a dyn Match,
    /// The game id, if the match has a ledger.
    pub game_id: Option<&'a str>,
    /// The position as the author sees it.
    pub view: View<'a>,
    /// What is due.
    pub stop: &'a Stop,
    /// How open questions are treated.
    pub questions: Questions,
    /// The author's standing orders in force, by kind.
    pub standing: &'a BTreeMap<String, Json>,
    /// Why an answers file may lay nothing down besides its answers.
    pub shut: Shut,
    /// How answers are tried out, where some are due.
    pub try_out: Option<TryOut<'a>>,
}

/// Why an answers file may not carry `policies` or `standing`: that hangs on whose packet is carried out and on what is
/// sealed. Nothing stands for "it may".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shut {
    /// Why no policies.
    pub policies: Option<&'static str>,
    /// Why no standing orders.
    pub standing: Option<&'static str>,
}

/// Runs a span that stopped for answers ahead with these, up to the next die.
pub type TryOut<'a> = &'a dyn Fn(&BTreeMap<Key, Json>) -> Result<AnyOutcome, Failure>;

/// What an order file says, checked: names resolved and every path written out.
#[derive(Clone, Debug)]
pub struct Submission {
    /// Whose it is.
    pub side: Side,
    /// The packet; none where only answers are due.
    pub orders: Option<AnyOrders>,
    /// Policies for the own packet, by kind.
    pub policies: BTreeMap<String, Json>,
    /// Standing orders for the opponent's packets, by kind.
    pub standing: BTreeMap<String, Json>,
    /// Answers to the open questions.
    pub answers: BTreeMap<Key, Json>,
    /// A message to the opponent, signed with the orders.
    pub note: Option<String>,
}

/// An order file after the check.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What it says; none if anything is wrong with it.
    pub submission: Option<Submission>,
    /// Everything found, faults and warnings.
    pub faults: Vec<Fault>,
    /// What will come of it; none if it cannot be read.
    pub outlook: Option<Outlook>,
}

/// What will come of an order file if all goes well.
#[derive(Clone, Debug)]
pub struct Outlook {
    /// What will happen, with the chances of every die.
    pub journal: AnyJournal,
    /// What is left to a question, and whose.
    pub pending: Vec<Pending>,
    /// What is laid down for the author's questions.
    pub policies: Vec<InForce>,
    /// Whether the game stops and asks where nothing is laid down.
    pub asks: bool,
}

/// What is laid down for one kind of question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InForce {
    /// The kind.
    pub kind: Kind,
    /// Whether it is for the author's own packet (`policies`) or the opponent's (`standing`).
    pub own: bool,
    /// The choice, `default` or `ask`.
    pub said: Json,
    /// Where it comes from.
    pub whence: Whence,
}

/// Where a policy in force comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whence {
    /// This file says so.
    Here,
    /// This file or an earlier one says so for the other player's turn, or for the own one, and nothing for this one.
    Served,
    /// An earlier file.
    Earlier,
    /// Nobody said anything, so the default applies, or the game stops and asks.
    Nowhere,
}

impl InForce {
    /// Where it comes from, in words.
    pub fn whence(&self) -> &'static str {
        match (self.whence, self.own) {
            (Whence::Here, _) => "this file",
            (Whence::Served, true) => "your standing order",
            (Whence::Served, false) => "this file's policy",
            (Whence::Earlier, _) => "an earlier file",
            (Whence::Nowhere, _) => "the default",
        }
    }
}

impl Submission {
    /// Reads and checks an order file.
    pub fn check(file: &Node, due: &Due<'_>) -> Checked {
        let mut reader = Reader::new(due.table.lexicon());
        let (submission, outlook) = due.read(file, &mut reader).unzip();
        let faults = reader.faults;
        let refused = faults.iter().any(|fault| !fault.warning);
        Checked { submission: submission.filter(|_| !refused), faults, outlook: outlook.flatten() }
    }
}

impl<'a> Due<'a> {
    /// Whether questions are open.
    fn asked(&self) -> &'a [Asked] {
        match self.stop {
            Stop::Answers { questions, .. } => questions,
            _ => &[],
        }
    }

    /// The kinds of question for which `side` may lay something down under `policies` (`own`) or `standing`.
    fn kinds(&self, side: Side, own: bool) -> impl Iterator<Item = &'static KindInfo> {
        self.table.ruleset().kinds().iter().filter(move |info| {
            let moment = match info.moment {
                Moment::OwnTurn => own,
                Moment::OpponentsTurn => !own,
                Moment::Either => true,
            };
            moment && info.asked_of.contains(&side)
        })
    }

    /// Those of them that can come up in this match.
    fn open_kinds(&self, side: Side, own: bool) -> impl Iterator<Item = &'static KindInfo> {
        self.kinds(side, own).filter(|info| !self.table.rules_out(info.kind))
    }

    fn read(&self, file: &Node, reader: &mut Reader<'_>) -> Option<(Submission, Option<Outlook>)> {
        let root = DocPath::root();
        let fields = Fields::open(file, &root, reader)?;
        let Some(side) = self.stop.who() else {
            let remedy = "`garcia report` tells how it ended; `garcia new` begins another";
            reader.fault(&root, "the game is over: no orders are due", remedy);
            return None;
        };
        if let Stop::Facts { .. } = self.stop {
            reader.fault(&root, "no orders are due: only hidden facts are awaited", "run `garcia status`");
            return None;
        }
        let fits = self.header(&fields, side, reader);
        // Orders for another game, side or packet would only be refused line by line.
        // Policies come before the orders that are carried out under them.
        let mut policies = if fits { self.policies(&fields, side, true, reader) } else { BTreeMap::new() };
        let mut standing = if fits { self.policies(&fields, side, false, reader) } else { BTreeMap::new() };
        let in_force = self.in_force(side, &mut policies, &mut standing);
        let (orders, outlook) = if fits { self.orders(&fields, in_force, reader) } else { (None, None) };
        let submission = Submission {
            side,
            orders,
            policies,
            standing,
            answers: if fits { self.answers(&fields, reader) } else { BTreeMap::new() },
            note: note(&fields, "note", reader).filter(|note| fits_a_record(note, reader)),
        };
        // Read for its faults alone: it stays in the file.
        note(&fields, "private-note", reader);
        fields.finish(KEYS, reader);
        Some((submission, outlook))
    }

    /// What is laid down for every kind of question a side can be asked, and from where. A policy and a standing order
    /// for the same kind each serve where the other is silent: what is served is written into the file's own.
    ///
    /// A standing order in force that says `default` is silence, since all of them begin so.
    fn in_force(
        &self,
        side: Side,
        policies: &mut BTreeMap<String, Json>,
        standing: &mut BTreeMap<String, Json>,
    ) -> Vec<InForce> {
        let unsaid = |own: bool| Json::from(if own && self.questions.ask { "ask" } else { "default" });
        // Set-up orders, say, put no question to their author; answers add nothing to what was signed.
        let quiet = self.table.ruleset().unquestioned(self.stop.ask());
        let packet = matches!(self.stop, Stop::Orders { .. });
        let before = |kind: &str| self.standing.get(kind).filter(|said| **said != Json::from("default"));
        let (said, stands) = (policies.clone(), standing.clone());
        let mut laid = |own: bool, info: &KindInfo| {
            let kind = info.kind.0;
            let (here, other, into) = match own {
                true => (said.get(kind), stands.get(kind).or(before(kind)), &mut *policies),
                false => (stands.get(kind), said.get(kind).filter(|said| **said != Json::from("ask")), &mut *standing),
            };
            let earlier = before(kind).filter(|_| !own);
            let served = other.filter(|_| packet && info.moment == Moment::Either && earlier.is_none());
            let (said, whence) = match (here, earlier, served) {
                (Some(said), ..) => (said.clone(), Whence::Here),
                (None, Some(said), _) => (said.clone(), Whence::Earlier),
                (None, None, Some(said)) => (said.clone(), Whence::Served),
                (None, None, None) => (unsaid(own), Whence::Nowhere),
            };
            if whence == Whence::Served {
                into.insert(kind.to_owned(), said.clone());
            }
            InForce { kind: info.kind, own, said, whence }
        };
        let mut all: Vec<InForce> =
            self.open_kinds(side, true).filter(|_| !quiet).map(|info| laid(true, info)).collect();
        all.extend(self.open_kinds(side, false).map(|info| laid(false, info)));
        all
    }

    /// Game, match, side, turn and packet. Tells whether the orders are worth reading.
    fn header(&self, fields: &Fields<'_>, side: Side, reader: &mut Reader<'_>) -> bool {
        let game = self.table.ruleset().id();
        let mut fits = expect(fields, "game", game, reader, |said| {
            (
                format!("these orders are for `{}`; the game here is `{game}`", clip(said)),
                format!("write `game: {game}`, or give them in the folder of the other game"),
            )
        });
        self.match_id(fields, reader);
        let (who, turn, packet) = (side.as_str(), self.table.turn(self.view.state), self.stop.ask());
        fits &= expect(fields, "side", who, reader, |said| {
            let sides = self.table.ruleset().sides();
            let remedy = format!("write `side: {who}` if the orders are theirs; `garcia template` writes a fresh file");
            match sides.iter().any(|side| side.as_str() == said) {
                true => (format!("`{packet}` is due from {who}, not from {said}"), remedy),
                false => {
                    let names: Vec<&str> = sides.iter().map(|side| side.as_str()).collect();
                    let what = format!("there is no side `{}`", clip(said));
                    (what, did_you_mean(&nearest(said, names)).unwrap_or(remedy))
                }
            }
        });
        expect(fields, "turn", &turn.to_string(), reader, |said| {
            let what = format!("these orders are for turn {}; turn {turn} is being played", clip(said));
            (what, format!("look them over and write `turn: {turn}`; `garcia template` writes a fresh file"))
        });
        fits &= expect(fields, "packet", packet, reader, |said| {
            let what = format!("these are `{}` orders; `{packet}` is due", clip(said));
            (what, format!("write `packet: {packet}`; `garcia template` writes a fresh file"))
        });
        fits
    }

    /// The first digits of the game id, if the author kept the line.
    fn match_id(&self, fields: &Fields<'_>, reader: &mut Reader<'_>) {
        let Some((node, at)) = fields.get("match") else { return };
        let Some(said) = reader.text(node, &at, "the first digits of the game id") else { return };
        match self.game_id {
            Some(id) if said.len() < MATCH_DIGITS || !id.starts_with(said) => {
                let digits = id.get(..MATCH_DIGITS).unwrap_or(id);
                let what = format!("these orders belong to match {}; this is match {digits}", clip(said));
                reader.fault(&at, what, format!("write `match: {digits}`, or give them in the other match's folder"));
            }
            _ => {}
        }
    }

    fn orders(
        &self,
        fields: &Fields<'_>,
        policies: Vec<InForce>,
        reader: &mut Reader<'_>,
    ) -> (Option<AnyOrders>, Option<Outlook>) {
        let Stop::Orders { ask, .. } = self.stop else {
            if fields.has("orders") {
                let what = "orders are given already; only answers are due now";
                reader.fault(&DocPath::root().name("orders"), what, "take `orders` out; what was signed stands");
            }
            return (None, None);
        };
        let nothing = Node::Map(Vec::new());
        let (node, at) = match fields.get("orders") {
            Some(found) => found,
            None => {
                let remedy = "write `orders: {}` if nothing is meant to be done";
                reader.warn(&DocPath::root(), "there are no `orders`: nothing will be done", remedy);
                (&nothing, DocPath::root().key("orders"))
            }
        };
        let faults = reader.faults.len();
        refuse_sealed(node, &at, reader);
        let orders = self.table.read_orders(ask, node, &at, reader);
        let form: Vec<DocPath> =
            reader.faults.iter().skip(faults).filter(|fault| !fault.warning).map(|fault| fault.at.clone()).collect();
        let laid: BTreeMap<String, Json> = (policies.iter().filter(|policy| policy.own))
            .filter(|policy| policy.whence != Whence::Nowhere)
            .map(|policy| (policy.kind.0.to_owned(), policy.said.clone()))
            .collect();
        let said = Foresaid { policies: Some(&laid), questions: self.questions, ..Foresaid::default() };
        let foresee = |orders| self.table.foresee(self.view, self.stop, &said, orders, &at);
        if form.is_empty() {
            let Some(orders) = orders else { return (None, None) };
            let foreseen = foresee(orders);
            let found = foreseen.faults.into_iter().map(|fault| Fault { at: reader.in_file(&fault.at), ..fault });
            let found: Vec<Fault> = found.collect();
            reader.faults.extend(found);
            let outlook =
                Outlook { journal: foreseen.outlook, pending: foreseen.pending, policies, asks: self.questions.ask };
            return (Some(foreseen.orders), Some(outlook));
        }
        // What can be read is held against the rules all the same, so that all faults come at once.
        for fine in [true, false] {
            let pruned = prune::prune(node, &at, &form, fine);
            let mut again = Reader::new(self.table.lexicon());
            let rest = self.table.read_orders(ask, &pruned.node, &at, &mut again).filter(|_| !again.refused());
            if let Some(rest) = rest {
                let found = foresee(rest).faults;
                reader.faults.extend(
                    found.into_iter().map(|fault| Fault { at: pruned.origin(&again.in_file(&fault.at)), ..fault }),
                );
                break;
            }
        }
        (None, None)
    }

    /// `policies` (`own`) or `standing`: kind and what is to be done.
    fn policies(&self, fields: &Fields<'_>, side: Side, own: bool, reader: &mut Reader<'_>) -> BTreeMap<String, Json> {
        let (key, other) = if own { ("policies", "standing") } else { ("standing", "policies") };
        let mut policies = BTreeMap::new();
        let Some((node, at)) = fields.get(key) else { return policies };
        let shut = if own { self.shut.policies } else { self.shut.standing };
        if let (Some(why), Stop::Answers { .. }) = (shut, self.stop) {
            reader.fault(&DocPath::root().name(key), why, format!("take `{key}` out of these answers"));
            return policies;
        }
        if Fields::open(node, &at, reader).is_none() {
            return policies;
        }
        for (name, node) in node.as_map().unwrap_or_default() {
            let kind = name.replace('_', "-");
            let Some(info) = self.kinds(side, own).find(|info| info.kind.0 == kind) else {
                let (what, remedy) = self.unfit_kind(&kind, side, own, key, other);
                reader.fault(&at.name(name), what, remedy);
                continue;
            };
            if let Some(policy) = self.policy(info, side, node, &at.key(name), reader) {
                policies.insert(kind, policy);
            }
        }
        policies
    }

    /// Why a kind may not stand here, and where it may.
    fn unfit_kind(&self, kind: &str, side: Side, own: bool, key: &str, other: &str) -> (String, String) {
        let Some(info) = self.table.ruleset().kinds().iter().find(|info| info.kind.0 == kind) else {
            let known = |own| self.kinds(side, own).map(|info| info.kind.0);
            let list: Vec<&str> = known(own).collect();
            let list = format!("known here: {}", one_of(&list));
            let remedy = match (nearest(kind, known(own)).as_slice(), nearest(kind, known(!own)).as_slice()) {
                ([], []) => list,
                ([], there) => format!("did you mean {} under `{other}`? {list}", one_of(there)),
                (here, _) => format!("did you mean {}? {list}", one_of(here)),
            };
            return (format!("there is no question `{}`", clip(kind)), remedy);
        };
        if info.asked_of.contains(&side) {
            let when = if own { "while the opponent's orders are carried out" } else { "in your own orders" };
            return (format!("`{kind}` is asked {when}"), format!("put it under `{other}` instead of `{key}`"));
        }
        let asked: Vec<&str> = info.asked_of.iter().map(|side| side.as_str()).collect();
        (format!("{side} is never asked `{kind}`"), format!("take it out; it is a question to {}", one_of(&asked)))
    }

    fn policy(&self, info: &KindInfo, side: Side, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Json> {
        let word = node.as_text().map(str::to_ascii_lowercase);
        match word.as_deref() {
            Some("default") => return Some(Json::Str("default".into())),
            Some("ask") if self.questions.ask => return Some(Json::Str("ask".into())),
            Some("ask") => {
                let what = "this match is played with `questions: default`: nobody is asked in the middle of a turn";
                reader.fault(at, what, format!("write `default` ({}) or a choice", info.default));
                return None;
            }
            _ => {}
        }
        let faults = reader.faults.len();
        let policy = self.table.check_policy(side, info.kind.0, node, at, reader);
        // What a person meant is easier to see from an example than from a type.
        let forms = self.table.ruleset().forms(info, &[side]);
        for fault in reader.faults.iter_mut().skip(faults).filter(|fault| fault.clause.is_none()) {
            fault.clause = Some(info.clause);
            // The reader may have listed the very words already.
            if forms.iter().any(|form| !fault.remedy.contains(form)) {
                // `did you mean this?` is a sentence of its own.
                let (said, joint) = match fault.remedy.strip_suffix('?') {
                    Some(_) => (fault.remedy.as_str(), " For example"),
                    None => (fault.remedy.trim_end_matches('.'), "; for example"),
                };
                fault.remedy = format!("{said}{joint} {}", one_of(&forms));
            }
        }
        policy
    }

    fn answers(&self, fields: &Fields<'_>, reader: &mut Reader<'_>) -> BTreeMap<Key, Json> {
        let asked = self.asked();
        let mut given: BTreeMap<Key, (Json, DocPath)> = BTreeMap::new();
        for (name, name_at, choice, at) in answer_entries(fields, reader) {
            let Some(question) = question_named(asked, &name) else {
                let (what, remedy) = unasked(asked, &name);
                reader.fault(&name_at, what, remedy);
                continue;
            };
            if given.insert(question.key.clone(), (choice, at)).is_some() {
                let what = format!("`{}` is answered twice", question.key);
                reader.fault(&name_at, what, "keep one of the two answers");
            }
        }
        for question in asked.iter().filter(|question| !given.contains_key(&question.key)) {
            let what = format!("`{}` is not answered: {}", question.key, question.text);
            let remedy = format!("add `{{key: {}, choice: …}}` under `answers`: {}", question.key, choices(question));
            let fault = Fault::new(&DocPath::root().key("answers"), what, remedy);
            reader.faults.push(fault.by(question.clause));
        }
        if reader.refused() || given.is_empty() {
            return BTreeMap::new();
        }
        self.probe(given, reader)
    }

    /// Runs the span ahead with the answers, up to the next die: what they come to, and which are not allowed.
    fn probe(&self, given: BTreeMap<Key, (Json, DocPath)>, reader: &mut Reader<'_>) -> BTreeMap<Key, Json> {
        let raw: BTreeMap<Key, Json> = given.iter().map(|(key, (choice, _))| (key.clone(), choice.clone())).collect();
        let Some(try_out) = self.try_out else { return raw };
        let outcome = match try_out(&raw) {
            Ok(outcome) => outcome,
            Err(failure) => {
                let what = format!("the answers cannot be tried out: {failure}");
                reader.fault(&DocPath::root().key("answers"), what, "run `garcia verify`");
                return BTreeMap::new();
            }
        };
        for lapse in &outcome.lapses {
            let (Some((_, at)), Some(question)) =
                (given.get(&lapse.key), self.asked().iter().find(|asked| asked.key == lapse.key))
            else {
                continue;
            };
            let what = format!("`{}` is not among the choices: {}", clip(&flow(&lapse.said)), question.text);
            reader.fault_by(at, lapse.clause, what, choices(question));
        }
        // What was settled is the choice with its names resolved.
        let settled = |(key, choice)| {
            let choice = outcome.settled.choices.get(&key).cloned().unwrap_or(choice);
            (key, choice)
        };
        raw.into_iter().map(settled).collect()
    }
}

/// What people write is never sealed: signing does that, and names the slot.
fn refuse_sealed(node: &Node, at: &DocPath, reader: &mut Reader<'_>) {
    match node {
        Node::Text { .. } => {}
        Node::List(items) => (0..).zip(items).for_each(|(n, item)| refuse_sealed(item, &at.index(n), reader)),
        Node::Map(members) => {
            for (name, item) in members {
                if name == "sealed" {
                    let remedy = "write the value itself; signing hides it where it has to be hidden";
                    reader.fault(&at.name(name), "an order file holds nothing sealed", remedy);
                } else {
                    refuse_sealed(item, &at.key(name), reader);
                }
            }
        }
    }
}

/// Reads a line of the header that can say only one thing. Tells whether it does.
fn expect(
    fields: &Fields<'_>,
    key: &str,
    right: &str,
    reader: &mut Reader<'_>,
    wrong: impl Fn(&str) -> (String, String),
) -> bool {
    let Some((node, at)) = fields.get(key) else {
        let remedy = format!("add a line `{key}: {right}`; `garcia template` writes a fresh file");
        reader.fault(&DocPath::root(), format!("`{key}` is missing"), remedy);
        return false;
    };
    let Some(said) = reader.text(node, &at, &format!("`{right}`")) else { return false };
    if said.eq_ignore_ascii_case(right) {
        return true;
    }
    let (what, remedy) = wrong(said);
    reader.fault(&at, what, remedy);
    false
}

/// One line of text, however it is folded in the file.
fn note(fields: &Fields<'_>, key: &str, reader: &mut Reader<'_>) -> Option<String> {
    let (node, at) = fields.get(key)?;
    let text = reader.text(node, &at, "a text")?;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().any(char::is_control) {
        reader.fault(&at, "the note has characters that cannot be shown", "write plain text");
        return None;
    }
    (!line.is_empty()).then_some(line)
}

/// Whether a message is short enough to travel.
fn fits_a_record(note: &str, reader: &mut Reader<'_>) -> bool {
    let length = note.chars().count();
    if length > NOTE_LENGTH {
        let what = format!("the note has {length} characters; {NOTE_LENGTH} may travel with orders");
        reader.fault(&DocPath::root().key("note"), what, "say less, or write it into the mail");
    }
    length <= NOTE_LENGTH
}

/// The answers as they stand in the file: a list of `{key, choice}` or a map from key to choice. Each with the place
/// of its key and of its choice.
fn answer_entries(fields: &Fields<'_>, reader: &mut Reader<'_>) -> Vec<(String, DocPath, Json, DocPath)> {
    let Some((node, at)) = fields.get("answers") else { return Vec::new() };
    let mut entries = Vec::new();
    match node {
        Node::Map(members) => {
            for (key, choice) in members {
                entries.push((key.clone(), at.name(key), choice.to_json(), at.key(key)));
            }
        }
        Node::List(items) => {
            for (index, item) in items.iter().enumerate() {
                let at = at.index(index);
                let Some(answer) = Fields::open(item, &at, reader) else { continue };
                let key = answer.take::<String>("key", reader);
                let choice = answer.take::<Node>("choice", reader);
                answer.finish(&["key", "choice"], reader);
                if let (Some(key), Some(choice)) = (key, choice) {
                    entries.push((key, at.key("key"), choice.to_json(), at.key("choice")));
                }
            }
        }
        Node::Text { .. } => {
            let what = format!("expected a list of answers, found {}", node.kind());
            reader.fault(&at, what, "write `- {key: …, choice: …}`, one line for each question");
        }
    }
    entries
}

/// The open question with this key, or the only one of this kind.
fn question_named<'q>(asked: &'q [Asked], name: &str) -> Option<&'q Asked> {
    if let Some(question) = asked.iter().find(|question| question.key.as_str() == name) {
        return Some(question);
    }
    let mut of_kind = asked.iter().filter(|question| question.kind.0 == name);
    of_kind.next().filter(|_| of_kind.next().is_none())
}

fn unasked(asked: &[Asked], name: &str) -> (String, String) {
    let what = format!("nobody asked `{}`", clip(name));
    if asked.is_empty() {
        return (what, "take `answers` out: no questions are open".into());
    }
    let keys: BTreeSet<&str> = asked.iter().map(|question| question.key.as_str()).collect();
    let open: Vec<&str> = keys.into_iter().collect();
    let list = format!("open: {}", one_of(&open));
    match did_you_mean(&nearest(name, open.iter().copied())) {
        Some(meant) => (what, format!("{meant} {list}")),
        None => (what, list),
    }
}

/// The legal choices of a question, for a message.
fn choices(question: &Asked) -> String {
    const SHOWN: usize = 12;
    let mut list: Vec<String> = question.options.iter().take(SHOWN).map(flow).collect();
    if question.options.len() > SHOWN {
        list.push("…".into());
    }
    let of = if question.complete { "choose" } else { "choose, for example," };
    format!("{of} {}; `default` is {}", list.join(" or "), flow(&question.default))
}
