//! Running a case: lay out the position, check and carry out each packet, compare.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Serialize;

use super::expect::{Difference, Found, told};
use super::file::{self, Case, Packet};
use super::matching::written;
use super::parts::Expect;
use super::position::placed;
use super::replies::{prospect, shown};
use crate::engine::dice::Seed;
use crate::engine::doc::{DocPath, Fault, Node, Reader, did_you_mean, nearest};
use crate::engine::{
    AnyOrders, AnyOutcome, Asked, Diary, Dice, Failure, FixedDie, Foresaid, Json, Key, KindInfo, Lapsed, Match,
    Questions, Rolled, Ruleset, Said, Side, Stop, View,
};
use crate::play::{PacketInHand, Sitting, lapsed_likewise, signed_all_the_same};
use crate::report::plain;

/// More stops than any packet has: a game that asks on and on is at fault.
const MOST_STOPS: usize = 1000;

/// Whoever has laid down nothing is asked.
const QUESTIONS: Questions = Questions { ask: true, max_asks: None };

/// One legality: what a check refuses is not carried out.
const LIKEWISE: &str = "what is refused lapses for that";

/// What came of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CaseVerdict {
    /// Everything followed as expected, in every view.
    Passed,
    /// Something did not.
    Failed(Box<CaseFailure>),
}

/// Why a case fails: the differences of the first packet that has some, and how it came to them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CaseFailure {
    /// The packet it happened in, from one.
    pub packet: usize,
    /// The place of the first difference in the case.
    #[serde(skip)]
    pub at: DocPath,
    /// The differences.
    pub differences: Vec<Difference>,
    /// The events of the packet so far.
    pub journal: Vec<String>,
    /// The rolls of the packet so far.
    pub rolls: Vec<Roll>,
}

impl CaseFailure {
    /// Something is wrong before anything is carried out; `at` is its place in the case.
    pub(super) fn before(at: DocPath, difference: Difference) -> Box<CaseFailure> {
        let differences = vec![difference];
        Box::new(CaseFailure { packet: 1, at, differences, journal: Vec::new(), rolls: Vec::new() })
    }
}

/// A roll that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Roll {
    /// Its label.
    pub label: String,
    /// Its faces.
    pub faces: Vec<u16>,
}

/// Runs a case. A panic of the game fails the case like anything else it does wrong.
pub fn run_case(ruleset: &dyn Ruleset, case: &Case) -> CaseVerdict {
    let run = catch_unwind(AssertUnwindSafe(|| run_packets(ruleset, case)));
    let trouble = match run {
        Ok(Ok(_)) => return CaseVerdict::Passed,
        Ok(Err(trouble)) => trouble,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            let difference = Difference::new("run", "an outcome", format!("the program panicked: {text}"));
            CaseFailure::before(DocPath::root(), difference)
        }
    };
    CaseVerdict::Failed(trouble)
}

/// The state a case leads to, or why it comes to nothing.
pub(super) fn outcome(ruleset: &dyn Ruleset, case: &Case) -> Result<Json, String> {
    let run = catch_unwind(AssertUnwindSafe(|| run_packets(ruleset, case)));
    match run {
        Ok(Ok(state)) => Ok(state),
        Ok(Err(failure)) => {
            let told = |difference: &Difference| {
                format!("{} was expected, and there is {}", difference.expected, difference.found)
            };
            Err(failure.differences.iter().map(told).collect::<Vec<_>>().join("; "))
        }
        Err(_) => Err("the program panicked".to_owned()),
    }
}

/// Runs the packets of a case and gives back the state they lead to.
fn run_packets(ruleset: &dyn Ruleset, case: &Case) -> Result<Json, Box<CaseFailure>> {
    let at = DocPath::root().key("start");
    let mut faults = Vec::new();
    let nothing = Node::Map(Vec::new());
    let start = case.start.as_ref().unwrap_or(&nothing);
    let arranged = match start.get("position") {
        Some(_) => placed(ruleset, start, &at, &mut faults),
        None => ruleset.arrange(start, &at, &mut faults),
    };
    let arranged = match (arranged, faults.iter().find(|fault| !fault.warning)) {
        (Some(arranged), None) => arranged,
        (_, fault) => {
            let (place, what) = fault.map_or((at, "nothing".to_owned()), |fault| (fault.at.clone(), told(fault)));
            return Err(CaseFailure::before(place, Difference::new("start", "a position", what)));
        }
    };
    let table = arranged.table;
    let mut sitting = Sitting::new(&*table, arranged.state, arranged.stop, arranged.holdings);
    for (index, (packet, at)) in case.packets().into_iter().enumerate() {
        let desk = Desk { sitting: &sitting, packet: &packet, at: &at };
        let problem = match desk.carry_out() {
            Ok(Some(done)) => done.end(&mut sitting, &packet),
            Ok(None) => continue,
            Err(problem) => Err(problem),
        };
        if let Err(problem) = problem {
            let Problem { differences, journal, rolls } = *problem;
            let at = differences.first().map_or(at.clone(), |first| at.join(&first.at));
            return Err(Box::new(CaseFailure { packet: index + 1, at, differences, journal, rolls }));
        }
    }
    // A state without a written form is reported where it is compared.
    Ok(table.state_json(&sitting.state).unwrap_or_else(|_| Json::map()))
}

/// What goes wrong in a packet.
pub(super) struct Problem {
    differences: Vec<Difference>,
    journal: Vec<String>,
    rolls: Vec<Roll>,
}

/// Ends a packet at what is not as expected.
fn as_expected(differences: Vec<Difference>) -> Result<(), Box<Problem>> {
    if differences.is_empty() { Ok(()) } else { Err(problem(differences, &[], &[])) }
}

impl From<Difference> for Box<Problem> {
    fn from(difference: Difference) -> Self {
        problem(vec![difference], &[], &[])
    }
}

/// One packet on the table.
pub(super) struct Desk<'c, 't> {
    pub(super) sitting: &'c Sitting<'t>,
    pub(super) packet: &'c Packet,
    at: &'c DocPath,
}

/// A packet that was carried out.
struct Done {
    span: PacketInHand,
    outcome: AnyOutcome,
    events: Vec<Json>,
    rolls: Vec<Rolled>,
    /// What did not come of it as expected.
    differences: Vec<Difference>,
}

impl Done {
    /// Ends the span, and looks at what each side is shown of it.
    fn end(self, sitting: &mut Sitting<'_>, packet: &Packet) -> Result<(), Box<Problem>> {
        let Done { span, outcome, events, rolls, mut differences } = self;
        let journal = outcome.journal.clone();
        sitting.end_span(span, outcome);
        if let Some(expect) = packet.expect.as_ref().filter(|expect| !expect.views.is_empty()) {
            let views = shown(sitting, &journal, expect);
            differences.extend(views.map_or_else(|difference| vec![difference], |views| expect.shown(&views)));
        }
        if differences.is_empty() { Ok(()) } else { Err(problem(differences, &events, &rolls)) }
    }
}

/// Differences with how it came to them.
fn problem(differences: Vec<Difference>, events: &[Json], rolls: &[Rolled]) -> Box<Problem> {
    let journal = events.iter().map(Json::to_string).collect();
    Box::new(Problem { differences, journal, rolls: rolls.iter().map(roll).collect() })
}

impl Desk<'_, '_> {
    pub(super) fn table(&self) -> &dyn Match {
        self.sitting.table
    }

    fn kinds(&self) -> &'static [KindInfo] {
        self.table().ruleset().kinds()
    }

    /// Checks the packet, asks what is to be asked beforehand, and carries it out. Nothing comes of a packet of which no
    /// more is expected than that it is refused, or what is replied beforehand.
    fn carry_out(&self) -> Result<Option<Done>, Box<Problem>> {
        let who = self.who()?;
        let mut found = Found::default();
        let policies = self.policies(who, &mut found.faults)?;
        let expect = self.packet.expect.clone().unwrap_or_default();
        let orders = self.orders(who, &policies, &mut found, expect.outlook.is_some())?;
        let comes_of_it = expect.comes_of_it() || !self.packet.dice.is_empty();
        let beforehand = !expect.refused.is_empty() || !expect.queries().is_empty() || expect.outlook.is_some();
        let mut differences = Vec::new();
        if !self.packet.signed || !expect.refused.is_empty() {
            differences.extend(expect.refusal(&found));
        }
        differences.extend(self.replies(who, &expect));
        differences.extend(expect.foreseen(&found));
        if !differences.is_empty() || beforehand && !comes_of_it {
            differences.extend(expect.warnings(&found));
        }
        as_expected(differences)?;
        if beforehand && !comes_of_it {
            if let Some((typed, written)) = orders.as_ref().filter(|_| !expect.refused.is_empty()) {
                let written = self.sitting.hides(who).then_some(written);
                self.signed_all_the_same(typed, written, &found)?;
            }
            return Ok(None);
        }
        let Some((_, orders)) = orders else {
            let what = found.refusals().map(told).collect::<Vec<_>>().join("; ");
            return Err(Difference::new("orders", "orders that can be read", what).into());
        };
        let mut answers = self.answers()?;
        for kind in expect.asks.iter().chain(&expect.unasked) {
            self.kind(kind, "expect")?;
        }
        let put: BTreeSet<&str> =
            answers.kinds().chain(expect.asks.iter().chain(&expect.unasked).map(String::as_str)).collect();
        let mut said = Said { policies, ..Said::default() };
        for info in self.kinds() {
            for side in info.asked_of {
                let word = if put.contains(info.kind.0) { "ask" } else { "default" };
                said.policies.entry((*side, info.kind.0.to_owned())).or_insert_with(|| word.into());
            }
        }
        let span = self.sitting.span(orders, said, QUESTIONS);
        let mut course = Course { desk: self, span, rolls: Vec::new(), left: fixed(&self.packet.dice) };
        let outcome = course.run(&mut answers, &mut found)?;
        if expect.report.is_some() {
            let mut diary = Diary::new();
            self.table().tell(&outcome.journal, 0, None, &mut diary);
            found.report = plain(&diary);
        }
        // One legality: what is accepted lapses only for what its author could not know.
        let accepted = !self.packet.signed && found.refusals().next().is_none();
        let known = outcome.lapsed.iter().filter(|lapsed| accepted && lapsed.cloud.is_none());
        let told = |lapsed: &Lapsed| {
            let why = format!("{} lapsed: {} {}", lapsed.order, lapsed.bar.clause, lapsed.bar.why);
            Difference::new("orders", "what is accepted lapses by chance alone", why)
        };
        let mut differences: Vec<Difference> = known.map(told).collect();
        if outcome.stop.ends_span() {
            let lapsed = lapsed_likewise(&self.faults_within(&found), &outcome);
            differences.extend(lapsed.map_err(|what| Difference::new("orders", LIKEWISE, what)).err());
        }
        differences.extend(course.differences(&found, answers.unused(), &expect));
        Ok(Some(Done { span: course.span, outcome, events: found.events, rolls: course.rolls, differences }))
    }

    /// One legality: what is refused lapses for the same clause if it is signed all the same, whatever the dice.
    fn signed_all_the_same(
        &self,
        typed: &AnyOrders,
        written: Option<&AnyOrders>,
        found: &Found,
    ) -> Result<(), Box<Problem>> {
        let seed = Seed::of_segment("signed all the same", &self.at.key("orders").to_string());
        let lapsed = signed_all_the_same(&self.faults_within(found), typed, written, |orders| {
            let span = self.sitting.span(orders.clone(), Said::default(), Questions::default());
            self.sitting.resolve(&span, Dice::Seed(seed))
        });
        lapsed.map_err(|what| Difference::new("orders", LIKEWISE, what).into())
    }

    /// What the orders are refused for, each at its place seen from `orders:`.
    fn faults_within(&self, found: &Found) -> Vec<Fault> {
        let at = self.at.key("orders");
        let below = |fault: &&Fault| fault.at.segments().starts_with(at.segments());
        let within = |fault: &Fault| Fault { at: fault.at.clone().moved(&at, &DocPath::root()), ..fault.clone() };
        found.refusals().filter(below).map(within).collect()
    }

    /// The side whose packet it is.
    fn who(&self) -> Result<Side, Box<Problem>> {
        let stop = &self.sitting.stop;
        let due = match stop {
            Stop::Orders { who, .. } => *who,
            other => {
                let found = format!("what is due is {}", other.ask());
                return Err(Difference::new("orders", "a packet that is due", found).into());
            }
        };
        match &self.packet.side {
            Some(side) if side != due.as_str() => {
                Err(Difference::new("side", side.as_str(), format!("{due} must give orders ({})", stop.ask())).into())
            }
            _ => Ok(due),
        }
    }

    /// Reads and checks the orders of the packet, as they are typed and written out in full; tells what the check
    /// foresees, if somebody wants to know.
    fn orders(
        &self,
        who: Side,
        policies: &BTreeMap<(Side, String), Json>,
        found: &mut Found,
        outlook: bool,
    ) -> Result<Option<(AnyOrders, AnyOrders)>, Box<Problem>> {
        let (table, stop) = (self.table(), &self.sitting.stop);
        let Some(node) = &self.packet.orders else {
            let none = table.no_orders(&self.sitting.state, stop);
            return Ok(Some((none.clone(), none)));
        };
        let at = self.at.key("orders");
        let mut reader = Reader::new(table.lexicon());
        let read = table.read_orders(stop.ask(), node, &at, &mut reader);
        let refused = reader.refused();
        found.faults.extend(reader.faults);
        let Some(orders) = read else {
            if !refused {
                found.faults.push(Fault::new(&at, "the orders cannot be read", "this is a fault of the game"));
            }
            return Ok(None);
        };
        let holdings = self.sitting.holdings_of(who);
        let view = View { state: &self.sitting.state, holdings: &holdings, side: Some(who) };
        let own = policies.iter().filter(|((side, _), _)| *side == who);
        let own = own.map(|((_, kind), policy)| (kind.clone(), policy.clone())).collect();
        // One legality: what is accepted stands in the list of what is legal.
        let said = Foresaid { policies: Some(&own), questions: QUESTIONS, drill: true, supposed: None };
        let foreseen = table.foresee(view, stop, &said, orders.clone(), &at);
        if outlook {
            found.outlook = prospect(table, &foreseen, who);
        }
        found.faults.extend(foreseen.faults);
        if let Some(order) = foreseen.drill.unlisted.first() {
            let unlisted = format!("{order} is accepted and not listed");
            return Err(Difference::new("orders", "what is accepted is listed as legal", unlisted).into());
        }
        Ok(Some((orders, foreseen.orders)))
    }

    /// A kind of question of the game.
    fn kind(&self, name: &str, part: &str) -> Result<&'static KindInfo, Box<Problem>> {
        self.kinds().iter().find(|info| info.kind.0 == name).ok_or_else(|| {
            let known: Vec<&str> = self.kinds().iter().map(|info| info.kind.0).collect();
            let meant = did_you_mean(&nearest(name, known.iter().copied()));
            let found = format!("`{name}`. {}", meant.unwrap_or_else(|| format!("there are: {}", known.join(", "))));
            Difference::new(part, "a kind of question", found).into()
        })
    }

    /// The policies of the side that orders and the standing orders of the others.
    pub(super) fn policies(
        &self,
        who: Side,
        faults: &mut Vec<Fault>,
    ) -> Result<BTreeMap<(Side, String), Json>, Box<Problem>> {
        let mut policies = BTreeMap::new();
        if let Some(node) = &self.packet.policies {
            self.policies_of(&[who], node, "policies", &self.at.key("policies"), &mut policies, faults)?;
        }
        if let Some(node) = &self.packet.standing {
            let at = self.at.key("standing");
            let sides = self.sitting.sides();
            let named = |key: &str| sides.iter().copied().find(|side| side.as_str() == key);
            let entries = node.as_map().unwrap_or_default();
            if entries.iter().any(|(key, _)| named(key).is_some()) {
                for (key, node) in entries {
                    let Some(side) = named(key) else {
                        return Err(Difference::new("standing", "a side", format!("`{key}`")).into());
                    };
                    self.policies_of(&[side], node, "standing", &at.key(key), &mut policies, faults)?;
                }
            } else {
                let others: Vec<Side> = sides.iter().copied().filter(|side| *side != who).collect();
                self.policies_of(&others, node, "standing", &at, &mut policies, faults)?;
            }
        }
        Ok(policies)
    }

    fn policies_of(
        &self,
        sides: &[Side],
        node: &Node,
        part: &str,
        at: &DocPath,
        policies: &mut BTreeMap<(Side, String), Json>,
        faults: &mut Vec<Fault>,
    ) -> Result<(), Box<Problem>> {
        let Some(entries) = node.as_map() else {
            return Err(Difference::new(part, "kinds and policies", written(node)).into());
        };
        for (name, node) in entries {
            let info = self.kind(name, part)?;
            let asked: Vec<Side> = sides.iter().copied().filter(|side| info.asked_of.contains(side)).collect();
            if asked.is_empty() {
                let found = format!("`{name}` is asked of {}", names(info.asked_of));
                return Err(Difference::new(part, format!("a question to {}", names(sides)), found).into());
            }
            for side in asked {
                let policy = match node.as_text() {
                    Some(word @ ("default" | "ask")) => Some(Json::from(word)),
                    _ => {
                        let mut reader = Reader::new(self.table().lexicon());
                        let policy = self.table().check_policy(side, name, node, &at.key(name), &mut reader);
                        faults.extend(reader.faults);
                        policy
                    }
                };
                if let Some(policy) = policy {
                    policies.insert((side, name.clone()), policy);
                }
            }
        }
        Ok(())
    }

    fn answers(&self) -> Result<Answers, Box<Problem>> {
        let mut answers = Answers::default();
        let Some(node) = &self.packet.answers else { return Ok(answers) };
        let Some(entries) = node.as_map() else {
            return Err(Difference::new("answers", "answers by kind or key", written(node)).into());
        };
        for (name, node) in entries {
            if let Ok(key) = Key::parse(name)
                && name.contains('/')
            {
                let kind = name.rsplit('/').nth(1).unwrap_or_default();
                self.kind(kind, "answers")?;
                answers.by_key.insert(key, (kind.to_owned(), node.to_json(), false));
                continue;
            }
            self.kind(name, "answers")?;
            let (said, once) = match node.as_list() {
                Some(items) => (items.iter().map(Node::to_json).collect(), true),
                None => (vec![node.to_json()], false),
            };
            answers.by_kind.insert(name.clone(), Given { said, once, used: 0 });
        }
        Ok(answers)
    }
}

fn names(sides: &[Side]) -> String {
    sides.iter().map(|side| side.as_str()).collect::<Vec<_>>().join(", ")
}

fn fixed(dice: &[file::Dice]) -> VecDeque<FixedDie> {
    let die = |dice: &file::Dice| match dice {
        file::Dice::Face(face) => FixedDie { label: None, faces: vec![*face] },
        file::Dice::Roll(roll) => FixedDie { label: Some(roll.label.clone()), faces: roll.faces.clone() },
    };
    dice.iter().map(die).collect()
}

/// The answers a case gives.
#[derive(Default)]
struct Answers {
    by_key: BTreeMap<Key, (String, Json, bool)>,
    by_kind: BTreeMap<String, Given>,
}

/// What a case answers to one kind of question.
struct Given {
    said: Vec<Json>,
    /// Whether each answer serves once; otherwise the one answer serves every time.
    once: bool,
    used: usize,
}

impl Answers {
    fn kinds(&self) -> impl Iterator<Item = &str> {
        self.by_kind.keys().map(String::as_str).chain(self.by_key.values().map(|(kind, ..)| kind.as_str()))
    }

    fn take(&mut self, asked: &Asked) -> Option<Json> {
        if let Some((_, said, used)) = self.by_key.get_mut(&asked.key) {
            *used = true;
            return Some(said.clone());
        }
        let given = self.by_kind.get_mut(asked.kind.0)?;
        let said = given.said.get(if given.once { given.used } else { 0 })?.clone();
        given.used += 1;
        Some(said)
    }

    /// An answer that nobody asked for.
    fn unused(&self) -> Option<String> {
        let by_key = self.by_key.iter().find(|(_, (_, _, used))| !used).map(|(key, _)| key.to_string());
        by_key.or_else(|| {
            let (kind, given) = self.by_kind.iter().find(|(_, given)| given.used < given.said.len())?;
            Some(format!("{kind}: {}", given.said.get(given.used)?))
        })
    }
}

/// A packet being carried out.
struct Course<'d, 'c, 't> {
    desk: &'d Desk<'c, 't>,
    span: PacketInHand,
    rolls: Vec<Rolled>,
    left: VecDeque<FixedDie>,
}

impl Course<'_, '_, '_> {
    fn run(&mut self, answers: &mut Answers, found: &mut Found) -> Result<AnyOutcome, Box<Problem>> {
        let (sitting, table) = (self.desk.sitting, self.desk.table());
        for _ in 0..MOST_STOPS {
            let outcome = match sitting.resolve(&self.span, Dice::Fixed(self.left.clone())) {
                Ok(outcome) => outcome,
                Err(failure) => return Err(self.failed(&failure)),
            };
            let used = self.left.len().saturating_sub(outcome.dice_left);
            self.left.drain(..used);
            self.rolls.extend(outcome.minutes.rolls.iter().cloned());
            if let Err(what) = sitting.follow(&mut self.span, &outcome) {
                let events = table.events(&outcome.journal, None).unwrap_or_default();
                let difference = Difference::new("views", "the same game in every view", what);
                return Err(problem(vec![difference], &events, &self.rolls));
            }
            found.events = self.span.told().to_vec();
            if let Stop::Answers { questions, .. } = &outcome.stop {
                for asked in questions {
                    found.asked.push(asked.kind.0.to_owned());
                    if let Some(said) = answers.take(asked) {
                        self.span.said.answers.insert(asked.key.clone(), said);
                    }
                }
                continue;
            }
            found.state = Some(self.span.state().clone());
            found.stop = Some(outcome.stop.clone());
            let winner = |verdict: crate::engine::Verdict| verdict.winner.map_or("draw", Side::as_str).to_owned();
            found.verdict = table.verdict(&outcome.state).map(winner);
            return Ok(outcome);
        }
        let difference = Difference::new("asks", "an end to the questions", format!("{MOST_STOPS} stops"));
        Err(problem(vec![difference], &found.events, &self.rolls))
    }

    /// What is wrong once the packet is carried out.
    fn differences(&self, found: &Found, unused: Option<String>, expect: &Expect) -> Vec<Difference> {
        let mut differences = expect.differences(found);
        if let Some(answer) = unused {
            let found = format!("nobody asked for {answer}");
            differences.push(Difference::new("answers", "every answer is asked for", found));
        }
        if !self.left.is_empty() {
            let left: Vec<String> = self.left.iter().map(dice_text).collect();
            let found = format!("{} left over: {}", self.left.len(), left.join(", "));
            differences.push(Difference::new("dice", "every die is rolled", found));
        }
        differences
    }

    fn failed(&self, failure: &Failure) -> Box<Problem> {
        let (difference, key) = match failure {
            Failure::NoDice(key) => (Difference::new("dice", format!("a die for {key}"), "no die is left"), Some(key)),
            Failure::WrongDie { wanted, called } => {
                (Difference::new("dice", format!("a roll {wanted}"), format!("a roll {called}")), Some(called))
            }
            other => (Difference::new("run", "an outcome", other.to_string()), None),
        };
        let Some((events, rolls)) = key.and_then(|key| self.so_far(key)) else {
            return problem(vec![difference], &[], &self.rolls);
        };
        let rolls: Vec<Rolled> = self.rolls.iter().chain(&rolls).cloned().collect();
        problem(vec![difference], &events, &rolls)
    }

    /// The journal up to the roll for which there was no die.
    ///
    /// A segment that fails has no journal. It is run with more dice than it needs to learn the labels of the rolls
    /// before, then with those alone.
    fn so_far(&self, missing: &Key) -> Option<(Vec<Json>, Vec<Rolled>)> {
        const ENOUGH: usize = 2000;
        let (sitting, table) = (self.desk.sitting, self.desk.table());
        let given = self.left.iter().map(|die| FixedDie { label: None, faces: die.faces.clone() });
        let more = std::iter::repeat_n(FixedDie { label: None, faces: vec![1] }, ENOUGH);
        let longer = sitting.resolve(&self.span, Dice::Fixed(given.chain(more).collect())).ok()?;
        let rolls: Vec<Rolled> =
            longer.minutes.rolls.into_iter().take_while(|rolled| rolled.label != *missing).collect();
        let mut settled = self.span.settled().clone();
        settled.rolls.extend(rolls.iter().map(|rolled| (rolled.label.clone(), rolled.clone())));
        let shorter = sitting.resolve_from(&self.span, settled, Dice::None).ok()?;
        Some((table.events(&shorter.journal, None).ok()?, rolls))
    }
}

fn roll(rolled: &Rolled) -> Roll {
    Roll { label: rolled.label.to_string(), faces: rolled.faces().to_vec() }
}

fn dice_text(die: &FixedDie) -> String {
    let faces: Vec<String> = die.faces.iter().map(u16::to_string).collect();
    match &die.label {
        Some(label) => format!("{} for {label}", faces.join(" ")),
        None => faces.join(" "),
    }
}
