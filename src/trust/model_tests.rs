//! The protocol looked through to the end: two players with a director or a game master, at a small game, and every order in
//! which they can send, lose, repeat, answer, take back, fall silent and be stood in for.
//!
//! A search of our own and not a library for it: the steps are the program's own code on real records, and the only thing
//! left to write is which of them are possible. A mail that was sent stays in the post for ever and may come at any time, as
//! often as it likes, or never; so losing, doubling and reordering need no steps of their own.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::data::Genesis;
use super::director::Deposit;
use super::finding::Finding;
use super::ledger::{Ledger, Terms, charter};
use super::motion::Outcome;
use super::paper::Kind;
use super::protocol::NextRecord;
use super::record::Record;
use super::replay::Vision;
use super::seat::{Awaited, Seat};
use super::seat_tests::{check, seeded_home};
use super::skirmish;
use super::{Id, Role};
use crate::engine::dice::Chance;
use crate::engine::json::Json;
use crate::engine::submission::Submission;
use crate::engine::{Charter, Match, Side, Stop, View};

/// What one person has on disk.
#[derive(Clone)]
struct Folder {
    seat: Seat,
    early: Vec<Record>,
}

/// Records on their way to everybody else, and what goes with them to a director.
#[derive(Clone)]
struct Mail {
    from: usize,
    records: Vec<Record>,
    deposit: Option<Deposit>,
}

impl Mail {
    fn key(&self) -> (usize, Vec<Id>) {
        (self.from, self.records.iter().map(Record::id).collect())
    }
}

/// How much out of the ordinary may happen in one match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Allowed {
    /// Motions.
    motions: u32,
    /// Times that director or game master act for somebody silent.
    rescues: u32,
    /// Decisions taken in more than one way.
    forks: u32,
    /// How many mails somebody has not taken yet, at most.
    behind: usize,
}

/// What tells one world from another: of every folder its last record, what waits in it, how much was signed in it and how far
/// deposits in it reach; what is in the post; what may still happen.
type WorldKey = (Vec<(Id, Vec<Id>, usize, Vec<u32>)>, Vec<(usize, Vec<Id>)>, Allowed);

/// Everybody's folders, and what is in the post.
#[derive(Clone)]
struct World {
    folders: Vec<Folder>,
    post: BTreeMap<(usize, Vec<Id>), Mail>,
    allowed: Allowed,
    /// How it came to this.
    told: Vec<Step>,
}

/// What somebody can do.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// A mail comes, to one of its readers.
    Take(usize, (usize, Vec<Id>)),
    /// Orders or answers, in one of two ways.
    Speak(usize, usize),
    /// A motion to take the last turn back.
    Void(usize),
    /// A motion to end it, to the other or to the director.
    End(usize, bool),
    /// The answer to a motion.
    Answer(usize, bool),
    /// The director closes for a player; the other has given notice.
    CloseFor(usize),
    /// The director declines a motion for a player.
    DeclineFor(usize),
    /// The game master goes on without a player.
    Absent,
}

fn lay(genesis: &Genesis) -> Result<Box<dyn Match>, Finding> {
    Ok(skirmish::table(&charter(genesis, BTreeMap::new()).scenario))
}

fn role(name: &str) -> Role {
    name.parse().expect("a role")
}

/// What a player says: in the first way he attacks and wants to be asked, in the second he leaves it at that.
fn words(ledger: &Ledger, side: Side, way: usize) -> Submission {
    let (replay, holdings) = (ledger.replay(), ledger.holdings_of(side));
    let (table, stop) = (replay.table(), replay.stop());
    let view = View { state: replay.state(), holdings: &holdings, side: Some(side) };
    let (policies, standing, answers) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let mut said = Submission { side, orders: None, policies, standing, answers, note: None };
    match stop {
        Stop::Orders { .. } => {
            let mut chance = Chance::new(if way == 0 { "attacks 1" } else { "holds 3" });
            said.orders = Some(table.random_orders(view, stop, &mut chance));
            let policy = if way == 0 { "ask" } else { "default" };
            said.policies.insert("advance".to_owned(), Json::from(policy));
            said.standing.insert("stand".to_owned(), Json::from(policy));
        }
        Stop::Answers { questions, .. } => {
            for asked in questions {
                let options = if way == 0 { asked.options.first() } else { asked.options.last() };
                said.answers.insert(asked.key.clone(), options.cloned().expect("options"));
            }
        }
        other => panic!("nobody decides {other:?}"),
    }
    said
}

impl World {
    /// A match of two, who have joined.
    fn between_two(scenario: &str, allowed: Allowed) -> World {
        let mut world = World::directed(scenario, allowed);
        world.folders.pop();
        world
    }

    /// The same with a director.
    fn directed(scenario: &str, allowed: Allowed) -> World {
        let homes: Vec<tempfile::TempDir> = (0..3).map(|_| tempfile::tempdir().expect("a folder")).collect();
        let home = |at: usize| seeded_home(&homes[at], at);
        let director = home(2).identity().expect("a key").public();
        let charter = Charter { scenario: scenario.to_owned(), ..Charter::default() };
        let terms = Terms { charter, ask: true, max_asks: Some(1), director: Some(director), ..Terms::default() };
        let mut spain = Seat::offer(skirmish::table(scenario), &role("spain"), terms, &home(0)).expect("offered");
        let us = Seat::join(spain.ledger().records().to_vec(), None, &lay, &home(1)).expect("joined");
        spain.receive(us.ledger().records().to_vec());
        let mut third = Seat::direct(us.ledger().records().to_vec(), &lay, &home(2)).expect("he sits down");
        for seat in [&spain, &us] {
            third.take_deposit(seat.deposit().expect("a deposit")).expect("it fits");
        }
        World::of(vec![spain, us, third], allowed)
    }

    /// A match of two under a game master, who have joined.
    fn mastered(scenario: &str, allowed: Allowed) -> World {
        let homes: Vec<tempfile::TempDir> = (0..3).map(|_| tempfile::tempdir().expect("a folder")).collect();
        let home = |at: usize| seeded_home(&homes[at], at);
        let charter = Charter { scenario: scenario.to_owned(), ..Charter::default() };
        let terms = Terms { charter, ask: true, max_asks: Some(1), ..Terms::default() };
        let names = vec![role("spain"), role("us")];
        let mut gm = Seat::host(skirmish::table(scenario), names, terms, &home(2)).expect("begun");
        let mut players = Vec::new();
        for at in 0..2 {
            let seat = Seat::join(gm.ledger().records().to_vec(), None, &lay, &home(at)).expect("joined");
            gm.receive(seat.ledger().records().to_vec());
            players.push(seat);
        }
        for seat in &mut players {
            seat.receive(gm.ledger().records().to_vec());
        }
        players.push(gm);
        World::of(players, allowed)
    }

    fn of(seats: Vec<Seat>, allowed: Allowed) -> World {
        let folders = seats.into_iter().map(|seat| Folder { seat: seat.off_disk(), early: Vec::new() }).collect();
        World { folders, post: BTreeMap::new(), allowed, told: Vec::new() }
    }

    fn seat(&self, at: usize) -> &Seat {
        &self.folders[at].seat
    }

    fn everybody(&self) -> std::ops::Range<usize> {
        0..self.folders.len()
    }

    fn third(&self) -> Option<&Seat> {
        self.folders.get(2).map(|folder| &folder.seat)
    }

    fn has_director(&self) -> bool {
        self.third().is_some_and(|seat| *seat.role() == Role::director())
    }

    fn has_master(&self) -> bool {
        self.third().is_some_and(|seat| *seat.role() == Role::gm())
    }

    fn knows(&self, at: usize, mail: &Mail) -> bool {
        let known = |record: &Record| {
            let held =
                usize::try_from(record.body().seq).ok().and_then(|seq| self.seat(at).ledger().records().get(seq));
            held.is_some_and(|held| held.id() == record.id())
        };
        mail.records.iter().all(known)
    }

    fn key(&self) -> WorldKey {
        let folder = |folder: &Folder| {
            let early = folder.early.iter().map(Record::id).collect();
            let file = folder.seat.secrets();
            let left = self.folders[..2].iter().filter_map(|other| file.deposit_of(other.seat.role()));
            (folder.seat.ledger().protocol().head(), early, file.signed_count(), left.map(|(index, _)| index).collect())
        };
        (self.folders.iter().map(folder).collect(), self.post.keys().cloned().collect(), self.allowed)
    }

    /// Everything that can happen now.
    fn steps(&self) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        let mut behind = vec![0; self.folders.len()];
        for (key, mail) in &self.post {
            for at in self.everybody().filter(|at| *at != mail.from && !self.knows(*at, mail)) {
                behind[at] += 1;
                steps.push(Step::Take(at, key.clone()));
            }
        }
        // Nobody is further behind than this: whoever did not look for longer looks before anything else happens.
        if let Some(slow) = self.everybody().find(|at| behind[*at] > self.allowed.behind) {
            steps.retain(|step| matches!(step, Step::Take(at, _) if *at == slow));
            return steps;
        }
        for at in self.everybody() {
            let seat = self.seat(at);
            let ledger = seat.ledger();
            let due = ledger.awaited_of(seat.role());
            let mine = due.who() == Some(seat.role());
            if mine && seat.missing().is_none() && seat.to_decide().is_some() {
                steps.extend((0..1 + usize::from(self.allowed.forks > 0)).map(|way| Step::Speak(at, way)));
            }
            if mine && matches!(due, Awaited::Consent(_)) {
                steps.extend([true, false].map(|accepts| Step::Answer(at, accepts)));
            }
            let may_move = if self.has_master() { *seat.role() == Role::gm() } else { mine };
            if may_move && self.allowed.motions > 0 && ledger.protocol().at_edge() && seat.missing().is_none() {
                if ledger.protocol().edges().count() > 1 {
                    steps.push(Step::Void(at));
                }
                steps.push(Step::End(at, false));
                if self.has_director() {
                    steps.push(Step::End(at, true));
                }
            }
        }
        if let Some(third) = self.third().filter(|_| self.allowed.rescues > 0) {
            let head = third.ledger().protocol().head();
            match third.ledger().protocol().due() {
                // The other one waits at the same place, and has given notice of it.
                NextRecord::Result(owes) | NextRecord::Answer(owes) if self.has_director() => {
                    let silent = usize::from(*self.seat(1).role() == owes);
                    let waits = self.seat(1 - silent).ledger().protocol().head() == head && owes != Role::director();
                    let answers = matches!(third.ledger().protocol().due(), NextRecord::Answer(_));
                    steps.extend(waits.then_some(if answers {
                        Step::DeclineFor(silent)
                    } else {
                        Step::CloseFor(silent)
                    }));
                }
                _ if self.has_master() && third.to_decide().is_some() => steps.push(Step::Absent),
                _ => {}
            }
        }
        steps
    }

    /// Does a step; nothing where the program refuses to.
    fn after(&self, step: &Step) -> Option<World> {
        let mut world = self.clone();
        world.told.push(step.clone());
        let notice = |silent: usize, what: &str| {
            let waits = self.seat(1 - silent);
            let record = waits.ledger().protocol().head();
            let kind = Kind::Notice { record, owes: self.seat(silent).role().clone(), what: what.to_owned() };
            waits.sign_paper(kind).expect("signed").to_json()
        };
        let at = match step {
            Step::Take(at, key) => {
                let mail = self.post[key].clone();
                world.take(*at, &mail);
                // The same mail once more changes nothing.
                let once = world.key();
                world.take(*at, &mail);
                assert_eq!(once, world.key(), "{}", world.story());
                *at
            }
            Step::Speak(at, way) => {
                let side = self.seat(*at).to_decide().expect("a decision");
                let said = words(self.seat(*at).ledger(), side, *way);
                world.allowed.forks -= u32::from(*way > 0);
                world.folders[*at].seat.send(&said).unwrap_or_else(|trouble| panic!("{trouble}\n{}", self.story()));
                *at
            }
            Step::Void(at) => {
                let edges: Vec<u32> = self.seat(*at).ledger().protocol().edges().collect();
                world.allowed.motions -= 1;
                world.folders[*at].seat.move_void(edges[edges.len() - 2], None).ok()?;
                *at
            }
            Step::End(at, to_director) => {
                world.allowed.motions -= 1;
                let to = to_director.then(Role::director);
                world.folders[*at].seat.move_end(Outcome::Drawn, None, to).ok()?;
                *at
            }
            Step::Answer(at, accepts) => {
                let answered = world.folders[*at].seat.answer_motion(*accepts, None);
                answered.unwrap_or_else(|trouble| panic!("{trouble}\n{}", self.story()));
                *at
            }
            Step::CloseFor(silent) => {
                world.allowed.rescues -= 1;
                let notice = notice(*silent, "result");
                // Without a deposit that reaches so far he can do nothing.
                world.folders[2].seat.close_for(self.seat(*silent).role(), notice).ok()?;
                2
            }
            Step::DeclineFor(silent) => {
                world.allowed.rescues -= 1;
                let declined = world.folders[2].seat.decline_for(self.seat(*silent).role(), notice(*silent, "answer"));
                declined.unwrap_or_else(|trouble| panic!("{trouble}\n{}", self.story()));
                2
            }
            Step::Absent => {
                world.allowed.rescues -= 1;
                world.folders[2].seat.no_moves().unwrap_or_else(|trouble| panic!("{trouble}\n{}", self.story()));
                2
            }
        };
        world.go_on(at);
        world.sweep();
        Some(world)
    }

    /// A mail comes in, as `garcia receive` takes it.
    fn take(&mut self, at: usize, mail: &Mail) {
        let folder = &mut self.folders[at];
        let mut records = mail.records.clone();
        records.append(&mut folder.early);
        let received = folder.seat.receive(records);
        folder.early = received.early;
        folder.early.sort_by_key(Record::id);
        folder.early.dedup();
        if let Some(deposit) = mail.deposit.clone().filter(|_| *folder.seat.role() == Role::director()) {
            // One that is older than the last result is of no use, and asked for again.
            folder.seat.take_deposit(deposit).ok();
        }
        let (refused, lost) = (received.refused, received.lost);
        assert!(refused.is_empty(), "{at} refuses what an honest player sent: {refused:?}\n{}", self.story());
        assert!(lost.is_empty(), "{lost:?}\n{}", self.story());
    }

    /// Writes what needs no decision, and mails it.
    fn go_on(&mut self, at: usize) {
        self.write(at);
        // With own orders due the reply waits for them.
        let seat = self.seat(at);
        if seat.to_decide().is_none() || *seat.role() == Role::gm() {
            self.mail(at);
        }
    }

    /// Puts into the post what has to go.
    fn mail(&mut self, at: usize) {
        let seat = self.seat(at);
        let mail = Mail { from: at, records: seat.outgoing().to_vec(), deposit: seat.deposit() };
        if !mail.records.is_empty() {
            self.post.insert(mail.key(), mail);
        }
    }

    /// Writes what needs no decision.
    fn write(&mut self, at: usize) {
        let folder = &mut self.folders[at];
        let mut written = folder.seat.advance();
        let mut refused = Vec::new();
        if written.as_ref().is_ok_and(|made| !made.is_empty()) && !folder.early.is_empty() {
            let received = folder.seat.receive(std::mem::take(&mut folder.early));
            (folder.early, refused) = (received.early, received.refused);
            written = folder.seat.advance();
        }
        assert!(refused.is_empty(), "{at} refuses what an honest player sent: {refused:?}\n{}", self.story());
        if let Err(trouble) = written {
            panic!("{trouble}\n{}", self.story());
        }
    }

    /// Takes out of the post what everybody has.
    fn sweep(&mut self) {
        let everywhere = |mail: &Mail| self.everybody().all(|at| self.knows(at, mail));
        let gone: Vec<(usize, Vec<Id>)> =
            self.post.iter().filter(|(_, mail)| everywhere(mail)).map(|(key, _)| key.clone()).collect();
        for key in gone {
            self.post.remove(&key);
        }
    }

    fn story(&self) -> String {
        let step = |step: &Step| match step {
            Step::Take(at, (from, ids)) => {
                let ids: Vec<String> = ids.iter().map(Id::short).collect();
                format!("{at} takes {} of {from}", ids.join(" "))
            }
            other => format!("{other:?}"),
        };
        let told: Vec<String> = self.told.iter().map(step).collect();
        let folder = |folder: &Folder| {
            let names = folder.seat.ledger().records().iter().map(|r| format!("{} {}", r.id().short(), r.file_name()));
            format!("{}:\n    {}", folder.seat.role(), names.collect::<Vec<_>>().join("\n    "))
        };
        let folders: Vec<String> = self.folders.iter().map(folder).collect();
        format!("after: {}\n{}", told.join("; "), folders.join("\n"))
    }

    fn is_over(&self) -> bool {
        self.folders.iter().all(|folder| folder.seat.ledger().awaited() == Awaited::Nothing)
    }

    /// Nobody is left who can neither move nor name who must.
    fn somebody_is_named(&self) {
        for folder in &self.folders {
            let (seat, ledger) = (&folder.seat, folder.seat.ledger());
            let due = ledger.awaited_of(seat.role());
            let named = match due.who() {
                None => matches!(ledger.protocol().due(), NextRecord::Audit(owing) if owing.is_empty()),
                Some(who) if who == seat.role() => due.is_decision() || seat.missing().is_some(),
                Some(_) => true,
            };
            assert!(named, "{} awaits {due:?}\n{}", seat.role(), self.story());
        }
    }

    /// Where two folders hold different records for one place, the mails that are in the post bring them together, and
    /// nobody is convicted by what they hold.
    fn folders_agree(&self) {
        let ids = |at: usize| -> Vec<Id> { self.seat(at).ledger().records().iter().map(Record::id).collect() };
        let all: Vec<Vec<Id>> = self.everybody().map(ids).collect();
        let apart = |one: &[Id], other: &[Id]| one.iter().zip(other).any(|(a, b)| a != b);
        if !all.iter().enumerate().any(|(n, one)| all[n + 1..].iter().any(|other| apart(one, other))) {
            return;
        }
        let mut every: BTreeMap<Id, Record> = BTreeMap::new();
        for folder in &self.folders {
            every.extend(folder.seat.ledger().records().iter().map(|record| (record.id(), record.clone())));
        }
        every.extend(self.post.values().flat_map(|mail| &mail.records).map(|record| (record.id(), record.clone())));
        let mut records: Vec<Record> = every.into_values().collect();
        records.sort_by_key(|record| (record.body().seq, record.id()));
        let found = check(&records, &Vision::public());
        assert_eq!(found.divergence, None, "{}\n{}", found.report(""), self.story());
        let mut world = self.clone();
        for _ in 0..6 {
            let keys: Vec<(usize, Vec<Id>)> = world.post.keys().cloned().collect();
            for (at, key) in self.everybody().flat_map(|at| keys.iter().map(move |key| (at, key))) {
                if let Some(mail) = world.post.get(key).cloned().filter(|mail| mail.from != at) {
                    world.take(at, &mail);
                    world.write(at);
                }
            }
            // Whoever is asked for what he holds back shows it.
            for at in world.everybody() {
                world.mail(at);
            }
            world.sweep();
        }
        let heads: BTreeSet<Id> = world.folders.iter().map(|folder| folder.seat.ledger().protocol().head()).collect();
        assert_eq!(heads.len(), 1, "they do not come together\n{}\nthen\n{}", self.story(), world.story());
    }
}

/// Looks at every world that can be reached from one, and says how many there are.
fn search(name: &str, begin: World) {
    let ends = search_to(name, begin, usize::MAX);
    assert!(ends > 0, "{name}");
}

/// The same as far as so many steps lead; how many matches ended within them.
fn search_to(name: &str, begin: World, depth: usize) -> usize {
    let (mut seen, mut ends, mut steps) = (BTreeSet::from([begin.key()]), 0, 0);
    let (mut open, began) = (VecDeque::from([begin]), std::time::Instant::now());
    while let Some(world) = open.pop_front() {
        world.somebody_is_named();
        world.folders_agree();
        if world.told.len() >= depth {
            continue;
        }
        let next: Vec<World> = world.steps().iter().filter_map(|step| world.after(step)).collect();
        steps += next.len();
        if world.is_over() {
            ends += 1;
            let found = check(world.seat(0).ledger().records(), &Vision::public());
            assert_eq!(found.exit_code(), 0, "{}\n{}", found.report(""), world.story());
        } else {
            let here = world.key();
            assert!(next.iter().any(|next| next.key() != here), "nothing can happen any more\n{}", world.story());
        }
        for world in next {
            if seen.insert(world.key()) {
                open.push_back(world);
            }
        }
        if seen.len() % 500 == 0 {
            println!("{name}: {} worlds so far, {} open, {:?}", seen.len(), open.len(), began.elapsed());
        }
    }
    println!("{name}: {} worlds, {steps} steps, {ends} ends, {:?}", seen.len(), began.elapsed());
    ends
}

const NOTHING: Allowed = Allowed { motions: 0, rescues: 0, forks: 0, behind: 2 };

#[test]
fn two_players_and_their_mails() {
    search("in the open", World::between_two("open", Allowed { forks: 1, ..NOTHING }));
    search("by plans", World::between_two("plan", Allowed { forks: 1, ..NOTHING }));
}

#[test]
fn two_players_and_a_motion() {
    search("a motion, with a secret roll", World::between_two("tide", Allowed { motions: 1, ..NOTHING }));
}

#[test]
fn two_players_and_a_director() {
    let allowed = Allowed { rescues: 1, behind: 1, ..NOTHING };
    search_to("somebody silent, in the open, 11 steps", World::directed("open", allowed), 11);
    search_to("somebody silent, by plans, 11 steps", World::directed("plan", allowed), 11);
}

#[test]
fn two_players_and_a_game_master() {
    search("a game master moves", World::mastered("open", Allowed { motions: 1, behind: 1, ..NOTHING }));
    search("somebody absent", World::mastered("open", Allowed { rescues: 1, behind: 1, ..NOTHING }));
}

#[test]
#[ignore = "takes many minutes: cargo test --lib model_tests -- --ignored --nocapture"]
fn everybody_further_behind_and_more_of_everything() {
    search("two motions", World::between_two("open", Allowed { motions: 2, ..NOTHING }));
    search("a game master moves", World::mastered("open", Allowed { motions: 1, ..NOTHING }));
    search("somebody absent", World::mastered("open", Allowed { rescues: 1, ..NOTHING }));
    search("somebody silent, by plans", World::directed("plan", Allowed { rescues: 1, behind: 1, ..NOTHING }));
    search("somebody silent, in the open", World::directed("open", Allowed { rescues: 1, ..NOTHING }));
    search("a motion and a director", World::directed("open", Allowed { rescues: 1, motions: 1, ..NOTHING }));
}
