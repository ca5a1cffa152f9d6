//! Players who choose at random, only from what the engine lists, and an umpire who trusts nothing.
//!
//! After every segment: the state is written in its one spelling, resolving again gives the same bytes, every onlooker
//! sees the same, and the journal goes on where it stopped. After every packet: no invariant of the rules is broken and
//! the state reads back equal.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::forms::Forms;
use super::mistakes::carried_out;
use super::{Broken, Sitting, Statistics, Tale};
use crate::engine::dice::{Chance, Seed};
use crate::engine::digest::hash_bytes;
use crate::engine::doc::{DocPath, Fault, Node, Reader, read_document};
use crate::engine::submission::{Due, Shut, Submission, template};
use crate::engine::{
    AnyOrders, AnyOutcome, AnyState, Asked, Charter, Diary, Dice, Holdings, Json, Key, Match, Questions, Ruleset, Said,
    Side, Stop, View,
};

/// No game has this many packets; one that goes on for so long never ends.
const MOST_PACKETS: usize = 5000;
/// No packet has this many stops.
const MOST_STOPS: usize = 500;

/// Who plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Players {
    /// Players who choose at random, with policies at random, and sometimes without orders.
    #[default]
    Random,
    /// The plain sensible players of a game that has them, with every question at its default.
    Sensible,
    /// The sensible player of one side against a random player of the other.
    SensibleAs(Side),
}

impl Players {
    /// Whether a side has a plan.
    fn is_sensible(self, side: Side) -> bool {
        self == Players::Sensible || self == Players::SensibleAs(side)
    }
}

/// How many games to play, and how.
#[derive(Clone, Debug)]
pub struct Series {
    /// How many games.
    pub games: usize,
    /// The same seed gives the same games, on every machine and on any number of threads.
    pub seed: String,
    /// How many threads.
    pub threads: usize,
    /// This scenario with the default options; otherwise every game draws its scenario and its options.
    pub scenario: Option<String>,
    /// Who plays.
    pub players: Players,
    /// How many packets with a mistake are judged beside every packet of a random player. From two on there are keys in them
    /// that no random player writes.
    pub mistakes: u32,
}

impl Default for Series {
    fn default() -> Series {
        let (games, threads, mistakes) = (0, 1, 1);
        Series { games, seed: String::new(), threads, scenario: None, players: Players::default(), mistakes }
    }
}

/// Plays many games. The first in which something breaks is reported, the same one on any number of threads.
pub fn play_many(
    ruleset: &'static dyn Ruleset,
    series: &Series,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Statistics, Box<Broken>> {
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    // Games after the first broken one need not be played.
    let end = AtomicUsize::new(series.games);
    let broken: Mutex<Option<Box<Broken>>> = Mutex::default();
    let statistics: Mutex<Statistics> = Mutex::new(Statistics::new(ruleset));
    std::thread::scope(|scope| {
        for _ in 0..series.threads.max(1) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= end.load(Ordering::Relaxed) {
                        return;
                    }
                    match play_game(ruleset, series, number) {
                        Ok(tale) => statistics.lock().unwrap_or_else(PoisonError::into_inner).add(&tale),
                        Err(found) => {
                            end.fetch_min(number, Ordering::Relaxed);
                            let mut first = broken.lock().unwrap_or_else(PoisonError::into_inner);
                            if first.as_ref().is_none_or(|known| found.number < known.number) {
                                *first = Some(found);
                            }
                        }
                    }
                    progress(done.fetch_add(1, Ordering::Relaxed) + 1);
                }
            });
        }
    });
    match broken.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(broken) => Err(broken),
        None => Ok(statistics.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}

/// Plays one game of a run from set-up to its end.
pub fn play_game(ruleset: &'static dyn Ruleset, series: &Series, number: usize) -> Result<Tale, Box<Broken>> {
    let seed = &series.seed;
    let mut chance = Chance::new(&format!("{}/{seed}/{number}", ruleset.id()));
    let charter = charter_of_run(ruleset, series, &mut chance);
    let mut broken = Broken {
        game: ruleset.id(),
        seed: seed.to_owned(),
        scenario: series.scenario.clone(),
        players: series.players,
        mistakes: series.mistakes,
        number,
        charter: charter_text(&charter),
        place: "before the first packet".to_owned(),
        orders: String::new(),
        what: String::new(),
    };
    let played = catch_unwind(AssertUnwindSafe(|| play(ruleset, &charter, chance, series, number, &mut broken)));
    broken.what = match played {
        Ok(Ok(tale)) => return Ok(tale),
        Ok(Err(what)) => what,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            format!("panic: {}", text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message"))
        }
    };
    Err(Box::new(broken))
}

/// What a game of a run is played with.
pub(super) fn charter_of_run(ruleset: &dyn Ruleset, series: &Series, chance: &mut Chance) -> Charter {
    match &series.scenario {
        Some(scenario) => Charter { scenario: scenario.clone(), ..Charter::default() },
        None => random_charter(ruleset, chance),
    }
}

fn random_charter(ruleset: &dyn Ruleset, chance: &mut Chance) -> Charter {
    let about = ruleset.about();
    let scenario = chance.pick(about.scenarios).map_or(String::new(), |scenario| scenario.id.to_owned());
    let mut options = BTreeMap::new();
    if chance.one_in(2) {
        for option in about.options {
            if let Some(value) = chance.pick(option.values) {
                options.insert(option.name.to_owned(), (*value).to_owned());
            }
        }
    }
    Charter { scenario, options, data: BTreeMap::new() }
}

pub(super) fn charter_text(charter: &Charter) -> String {
    let options = charter.options.iter().map(|(name, value)| format!("{name}={value}"));
    std::iter::once(charter.scenario.clone()).chain(options).collect::<Vec<_>>().join(" ")
}

fn play(
    ruleset: &'static dyn Ruleset,
    charter: &Charter,
    mut chance: Chance,
    series: &Series,
    number: usize,
    broken: &mut Broken,
) -> Result<Tale, String> {
    let table = ruleset.open(charter).map_err(|faults| told("the table cannot be laid", &faults))?;
    let (state, stop) = table.begin();
    // Every other game asks, every fourth as often as a question arises: a run of a few games puts questions too.
    let asks = |most: Option<u32>| Questions { ask: true, max_asks: most };
    let questions = match (series.players, number % 4) {
        (Players::Random, 1) => asks(None),
        (Players::Random, 3) => asks(u32::try_from(chance.below(4)).ok()),
        _ => Questions { ask: false, max_asks: None },
    };
    let forms = (series.mistakes > 1).then(|| Forms::of(ruleset.schemas()));
    let mut game = Hall {
        sitting: Sitting::new(&*table, state, stop, Holdings::default()),
        chance,
        questions,
        seed: format!("{}/{}/{number}", ruleset.id(), series.seed),
        players: series.players,
        mistakes: series.mistakes,
        forms: forms.as_ref(),
        by_mail: number % 8 >= 4 && ruleset.sides().len() == 2,
        tale: Tale::new(&charter.scenario),
        segments: 0,
        broken,
    };
    game.check_state(&game.sitting.state.clone(), true)?;
    for packet in 0..MOST_PACKETS {
        let stop = game.sitting.stop.clone();
        let turn = table.turn(&game.sitting.state);
        let who = match stop {
            Stop::Orders { who, .. } => who,
            Stop::End => return game.ending(),
            other => return Err(format!("a span ended at {other:?}")),
        };
        game.broken.place = format!("turn {turn}, packet {packet} ({} of {who})", stop.ask());
        game.packet(who, &stop)?;
        if table.turn(&game.sitting.state) < turn {
            return Err("the turns run backwards".to_owned());
        }
    }
    Err(format!("no end after {MOST_PACKETS} packets"))
}

pub(super) fn told(head: &str, faults: &[Fault]) -> String {
    let faults = faults.iter().map(|fault| {
        let clause = fault.clause.map_or(String::new(), |clause| format!("{clause} "));
        format!("\n  {}: {clause}{} ({})", fault.at, fault.what, fault.remedy)
    });
    format!("{head}:{}", faults.collect::<String>())
}

pub(super) fn refusals(faults: Vec<Fault>) -> Vec<Fault> {
    faults.into_iter().filter(|fault| !fault.warning).collect()
}

/// The name of an event.
fn named(event: &Json) -> Option<&str> {
    match event {
        Json::Map(fields) => fields.keys().next().map(String::as_str),
        other => other.as_str(),
    }
}

/// The room in which a game is played.
pub(super) struct Hall<'t, 'b> {
    pub(super) sitting: Sitting<'t>,
    pub(super) chance: Chance,
    pub(super) questions: Questions,
    pub(super) seed: String,
    players: Players,
    mistakes: u32,
    /// What may stand in orders, where many mistakes are tried.
    pub(super) forms: Option<&'b Forms>,
    /// Whether packets are closed by one side that knows its own secrets alone, as in a mailed match.
    by_mail: bool,
    pub(super) tale: Tale,
    pub(super) segments: usize,
    pub(super) broken: &'b mut Broken,
}

impl Hall<'_, '_> {
    fn table(&self) -> &dyn Match {
        self.sitting.table
    }

    fn ending(mut self) -> Result<Tale, String> {
        let verdict = self.table().verdict(&self.sitting.state).ok_or("the game ended without a verdict")?;
        self.tale.turns = self.table().turn(&self.sitting.state);
        self.tale.winner = verdict.winner.map(Side::as_str);
        self.tale.ending = verdict.text;
        Ok(self.tale)
    }

    /// One packet: orders, policies of everybody, all its segments.
    fn packet(&mut self, who: Side, stop: &Stop) -> Result<(), String> {
        self.tale.packets += 1;
        self.tale.mailed += u64::from(self.by_mail);
        let orders = self.orders(who, stop)?;
        let written = self.table().orders_json(&orders).map_err(|error| format!("the orders: {error}"))?;
        self.broken.orders = written.to_string();
        let said = Said { policies: self.policies()?, ..Said::default() };
        if self.players == Players::Random {
            self.drill(who, stop, &orders, &said)?;
            for _ in 0..self.mistakes {
                self.mistaken(who, stop, &written, &said)?;
            }
            self.broken.orders = written.to_string();
        }
        let mut span = match self.by_mail {
            true => self.sitting.span_by_mail(orders, said, self.questions).map_err(|failure| failure.to_string())?,
            false => self.sitting.span(orders, said, self.questions),
        };
        for _ in 0..MOST_STOPS {
            let outcome = self.segment(&span)?;
            self.sitting.follow(&mut span, &outcome)?;
            carried_out(&outcome)?;
            let whole = outcome.stop.ends_span();
            self.check_state(&outcome.state, whole).map_err(|what| format!("{what}\n{}", self.ended(&outcome)))?;
            self.tale.lapses += u64::try_from(outcome.lapses.len()).unwrap_or(u64::MAX);
            match &outcome.stop {
                Stop::Answers { who: owner, questions } => {
                    self.tale.stops += 1;
                    if *owner == who && self.table().ruleset().unquestioned(stop.ask()) {
                        return Err(format!("`{}` orders should put no question to {who}: {questions:?}", stop.ask()));
                    }
                    for asked in questions {
                        if let Some(answer) = self.answer(*owner, asked)? {
                            span.said.answers.insert(asked.key.clone(), answer);
                        }
                    }
                }
                Stop::Facts { who: owner, claims, .. } => {
                    let what = claims.first().map_or("an opening", Key::purpose);
                    let last = self.table().events(&outcome.journal, None).unwrap_or_default().pop();
                    let after = last.as_ref().and_then(named).unwrap_or("nothing");
                    *self.tale.facts.entry(format!("{what} after {after}")).or_insert(0) += 1;
                    let stated = self.sitting.state_facts(&mut span, *owner);
                    if !self.by_mail || !stated.map_err(|failure| failure.to_string())? {
                        return Err(format!("nobody can answer, yet {:?} stops the game", outcome.stop));
                    }
                }
                Stop::Orders { .. } | Stop::End => {
                    self.tell(&outcome);
                    for clause in self.table().clauses(&outcome.journal) {
                        *self.tale.clauses.entry(clause.0).or_insert(0) += 1;
                    }
                    self.tale.events += u64::try_from(outcome.journal.len()).unwrap_or(u64::MAX);
                    self.sitting.end_span(span, outcome);
                    return Ok(());
                }
            }
        }
        Err(format!("no end after {MOST_STOPS} stops in one packet"))
    }

    /// Where a segment ended, and the events before.
    fn ended(&self, outcome: &AnyOutcome) -> String {
        let at = match &outcome.stop {
            Stop::Answers { who, questions } => {
                let keys: Vec<&str> = questions.iter().map(|asked| asked.key.as_str()).collect();
                format!("at a stop: {who} is asked {}", keys.join(", "))
            }
            stop => format!("at the end of the packet; due is {}", stop.ask()),
        };
        let events = self.table().events(&outcome.journal, None).unwrap_or_default();
        let last = events.iter().skip(events.len().saturating_sub(12)).map(|event| format!("\n  {event}"));
        format!("{at}, after the events{}", last.collect::<String>())
    }

    /// Legal orders: listed means legal, and what is written reads back the same.
    fn orders(&mut self, who: Side, stop: &Stop) -> Result<AnyOrders, String> {
        let table = self.sitting.table;
        let state = self.sitting.state.clone();
        let sensible = self.players.is_sensible(who);
        if !sensible && self.chance.one_in(24) {
            return Ok(table.no_orders(&state, stop));
        }
        let holdings = self.sitting.holdings_of(who);
        let view = View { state: &state, holdings: &holdings, side: Some(who) };
        if self.chance.one_in(8) {
            self.try_template(view, stop)?;
        }
        let at = DocPath::root();
        let listed = if sensible {
            table.sensible_orders(view, stop).ok_or("this game has no sensible player")?
        } else {
            table.random_orders(view, stop, &mut self.chance)
        };
        let json = |orders: &AnyOrders| table.orders_json(orders).map_err(|error| format!("the orders: {error}"));
        self.broken.orders = json(&listed)?.to_string();
        let (orders, faults) = table.check(view, stop, listed, &at);
        let faults = refusals(faults);
        if !faults.is_empty() {
            return Err(told("orders chosen from what is listed are refused", &faults));
        }
        let written = json(&orders)?;
        let (again, _) = table.check(view, stop, orders.clone(), &at);
        if json(&again)? != written {
            return Err(format!("orders written out in full change when checked again, to {}", json(&again)?));
        }
        let mut reader = Reader::new(table.lexicon());
        let read = table.read_orders(stop.ask(), &Node::from_json(&written), &at, &mut reader);
        let faults = refusals(reader.faults);
        let Some(read) = read.filter(|_| faults.is_empty()) else {
            return Err(told("orders as they are signed cannot be read", &faults));
        };
        if json(&read)? != written {
            return Err(format!("orders {written} read back as {}", json(&read)?));
        }
        Ok(orders)
    }

    /// The order file a new player gets is legal as it stands.
    fn try_template(&self, view: View<'_>, stop: &Stop) -> Result<(), String> {
        let standing = BTreeMap::new();
        let table = self.table();
        let due = Due {
            table,
            game_id: None,
            view,
            stop,
            questions: self.questions,
            standing: &standing,
            shut: Shut::default(),
            try_out: None,
        };
        let text = template(&due, "orders.schema.json");
        let (node, _) = read_document("template", text.as_bytes())
            .map_err(|bad| told(&format!("the template cannot be read:\n{text}"), &bad.faults))?;
        let faults = refusals(Submission::check(&node, &due).faults);
        if faults.is_empty() { Ok(()) } else { Err(told(&format!("the template is refused:\n{text}"), &faults)) }
    }

    /// Policies for some kinds of questions, as a player could type them.
    fn policies(&mut self) -> Result<BTreeMap<(Side, String), Json>, String> {
        let mut policies = BTreeMap::new();
        let (table, players) = (self.sitting.table, self.players);
        for info in table.ruleset().kinds() {
            for side in info.asked_of.iter().filter(|side| !players.is_sensible(**side)) {
                let policy = match self.chance.below(6) {
                    0 | 1 => continue,
                    2 => Json::from("default"),
                    3 if self.questions.ask => Json::from("ask"),
                    _ => self.policy(*side, info.kind.0)?,
                };
                policies.insert((*side, info.kind.0.to_owned()), policy);
            }
        }
        Ok(policies)
    }

    fn policy(&mut self, side: Side, kind: &str) -> Result<Json, String> {
        let table = self.sitting.table;
        let typed = table.random_policy(&self.sitting.state, side, kind, &mut self.chance);
        if typed == Json::from("default") || (typed == Json::from("ask") && self.questions.ask) {
            return Ok(typed);
        }
        let read = |policy: &Json| {
            let mut reader = Reader::new(table.lexicon());
            let read = table.check_policy(side, kind, &Node::from_json(policy), &DocPath::root(), &mut reader);
            let faults = refusals(reader.faults);
            read.filter(|_| faults.is_empty())
                .ok_or_else(|| told(&format!("the policy `{policy}` for {kind} cannot be read"), &faults))
        };
        let signed = read(&typed)?;
        let again = read(&signed)?;
        if again != signed {
            return Err(format!("the policy {signed} for {kind} reads back as {again}"));
        }
        Ok(signed)
    }

    /// An answer from the list; now and then none at all, the word for the default, or nonsense.
    fn answer(&mut self, who: Side, asked: &Asked) -> Result<Option<Json>, String> {
        *self.tale.asked.entry(asked.kind.0).or_insert(0) += 1;
        let info = self.table().ruleset().kinds().iter().find(|info| info.kind == asked.kind);
        match info {
            Some(info) if info.asked_of.contains(&who) => {}
            _ => return Err(format!("{} is not listed as a question to {who}", asked.kind)),
        }
        if asked.complete && !asked.options.contains(&asked.default) {
            return Err(format!("the default {} of {} is not among its options", asked.default, asked.key));
        }
        Ok(match self.chance.below(16) {
            0 => None,
            1 => Some(Json::from("default")),
            2 => Some(Json::from("neither fish nor fowl")),
            _ => Some(self.chance.pick(&asked.options).unwrap_or(&asked.default).clone()),
        })
    }

    /// Resolves a segment twice and compares everything that comes out.
    fn segment(&mut self, span: &super::PacketInHand) -> Result<AnyOutcome, String> {
        self.segments += 1;
        self.tale.segments += 1;
        let seed = Seed::new(hash_bytes("soak", &[&self.seed, &self.segments.to_string()]));
        let run = || self.sitting.resolve(span, Dice::Seed(seed)).map_err(|failure| failure.to_string());
        let (outcome, again) = (run()?, run()?);
        let table = self.table();
        let events = |outcome: &AnyOutcome| table.events(&outcome.journal, None).map_err(|error| error.to_string());
        let state = |outcome: &AnyOutcome| table.state_json(&outcome.state).map_err(|error| error.to_string());
        let same = state(&outcome)? == state(&again)?
            && events(&outcome)? == events(&again)?
            && outcome.stop == again.stop
            && outcome.minutes == again.minutes
            && outcome.settled == again.settled
            && outcome.kept == again.kept;
        if same { Ok(outcome) } else { Err("resolving the segment again gives something else".to_owned()) }
    }

    /// The state is written in its one spelling. At the end of a packet every invariant of the rules holds and the
    /// state reads back equal; at a stop units may stand where they cannot stay (a stack on the march through another).
    fn check_state(&self, state: &AnyState, whole: bool) -> Result<(), String> {
        let table = self.table();
        let json = table.state_json(state).map_err(|error| format!("the state: {error}"))?;
        let text = json.to_string();
        match Json::parse_canonical(text.as_bytes()) {
            Ok(read) if read == json => {}
            Ok(_) => return Err("the state as text reads back differently".to_owned()),
            Err(error) => return Err(format!("the state has no canonical text: {error}")),
        }
        if !whole {
            return Ok(());
        }
        let flaws = table.flaws(state);
        if !flaws.is_empty() {
            return Err(format!("the position is impossible:\n  {}", flaws.join("\n  ")));
        }
        let read = table.read_state(&json).map_err(|flaws| format!("the state is not accepted back: {flaws:?}"))?;
        let again = table.state_json(&read).map_err(|error| format!("the state: {error}"))?;
        if again != json {
            return Err(format!("the state reads back differently:\n  {json}\n  {again}"));
        }
        Ok(())
    }

    /// Tells the packet to everybody, now and then: whatever happened can be told.
    fn tell(&mut self, outcome: &AnyOutcome) {
        if !self.chance.one_in(4) {
            return;
        }
        let table = self.table();
        let mut diary = Diary::new();
        for side in self.sitting.sides() {
            let holdings = self.sitting.holdings_of(*side);
            table.tell(&outcome.journal, 0, Some(*side), &mut diary);
            table.tell_state(View { state: &outcome.state, holdings: &holdings, side: Some(*side) }, &mut diary);
        }
        table.headline(&outcome.state);
    }
}
