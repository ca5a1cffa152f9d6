//! Two players with something to hide: facts, claims, plans, audits, and what a patched program would try.

use std::collections::BTreeMap;

use super::data::{Data, Genesis, Hide};
use super::finding::{Finding, Level};
use super::home::Home;
use super::ledger::{Ledger, LedgerTrouble, Pen, Terms, charter};
use super::protocol::NextRecord;
use super::record::{Record, RecordKind};
use super::replay::Vision;
use super::seat::{Awaited, Seat};
use super::secret::commitment;
use super::skirmish::{self, SPAIN};
use super::store::{LedgerFile, LedgerFiles};
use super::verify::{Verification, verify};
use super::{Id, Role};
use crate::engine::dice::Chance;
use crate::engine::json::Json;
use crate::engine::submission::Submission;
use crate::engine::{Charter, Match, Side, Slot, Stop, View};

pub(super) fn lay(genesis: &Genesis) -> Result<Box<dyn Match>, Finding> {
    Ok(skirmish::table(&charter(genesis, BTreeMap::new()).scenario))
}

pub(super) fn check(records: &[Record], vision: &Vision) -> Verification {
    let file = |record: &Record| LedgerFile {
        name: record.file_name(),
        seq: record.body().seq,
        record: Record::read(record.to_yaml().as_bytes()),
    };
    verify(&LedgerFiles { files: records.iter().map(file).collect(), problems: vec![] }, &lay, vision)
}

pub(super) fn found(records: &[Record]) -> Option<(u32, &'static str, Option<String>)> {
    let divergence = check(records, &Vision::public()).divergence?;
    Some((divergence.seq, divergence.finding.code.as_str(), divergence.finding.fault.map(|role| role.to_string())))
}

fn said(side: Side) -> Submission {
    let none = BTreeMap::new;
    Submission { side, orders: None, policies: none(), standing: none(), answers: BTreeMap::new(), note: None }
}

/// The two seats, Spain's first.
pub(super) struct Pair {
    pub(super) homes: [tempfile::TempDir; 2],
    pub(super) seats: [Seat; 2],
}

pub(super) fn home(folder: &tempfile::TempDir) -> Home {
    Home::find(Some(folder.path())).expect("given")
}

/// The same with keys and secrets that are the same in every run.
pub(super) fn seeded_home(folder: &tempfile::TempDir, number: usize) -> Home {
    home_of_seed(folder, &number.to_string())
}

fn home_of_seed(folder: &tempfile::TempDir, seed: &str) -> Home {
    Home::seeded(folder.path(), &format!("home {seed}"))
}

impl Pair {
    pub(super) fn begin(scenario: &str, ask: bool) -> Pair {
        Pair::begin_with(scenario, ask, "")
    }

    fn begin_with(scenario: &str, ask: bool, seed: &str) -> Pair {
        let homes = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
        let home = |at: usize| home_of_seed(&homes[at], &format!("{at} {seed}"));
        let charter = Charter { scenario: scenario.to_owned(), ..Charter::default() };
        let terms = Terms { charter, ask, max_asks: Some(2), note: Some("García".to_owned()), ..Terms::default() };
        let spain = "spain".parse().expect("a role");
        let one = Seat::offer(skirmish::table(scenario), &spain, terms, &home(0)).expect("offered");
        let two = Seat::join(one.ledger().records().to_vec(), None, &lay, &home(1)).expect("joined");
        let mut pair = Pair { homes, seats: [one, two] };
        pair.mail(1);
        pair
    }

    pub(super) fn mail(&mut self, from: usize) {
        let sent = self.seats[from].outgoing().to_vec();
        let received = self.seats[1 - from].receive(sent);
        assert_eq!((received.refused, received.early), (vec![], vec![]));
    }

    pub(super) fn act(&mut self, at: usize, chance: &mut Chance) -> bool {
        let seat = &mut self.seats[at];
        let mut made = seat.advance().expect("advanced").len();
        if let Some(side) = seat.to_decide() {
            let submission = random(seat.ledger(), side, chance);
            seat.send(&submission).expect("sent");
            made += 1;
        }
        made += seat.advance().expect("advanced").len();
        made > 0
    }

    pub(super) fn play(&mut self, chance: &mut Chance, until: impl Fn(&Pair) -> bool) {
        let (mut idle, mut at) = (0, 0);
        while idle < 2 && !until(self) {
            idle = if self.act(at, chance) { 0 } else { idle + 1 };
            self.mail(at);
            at = 1 - at;
        }
    }

    pub(super) fn play_out(scenario: &str, ask: bool, seed: &str) -> Pair {
        let mut pair = Pair::begin_with(scenario, ask, seed);
        pair.play(&mut Chance::new(seed), |_| false);
        pair
    }

    pub(super) fn records(&self) -> &[Record] {
        self.seats[0].ledger().records()
    }

    /// A ledger of somebody whose program takes his word for everything.
    pub(super) fn blind(records: &[Record]) -> Ledger {
        Ledger::read(records.to_vec(), lay, Vision::public()).expect("good as far as anybody can see")
    }

    /// Plays on from records that a patched program wrote, everything by itself, to the last audit.
    pub(super) fn finish(&self, records: &[Record]) -> Vec<Record> {
        let mut records = records.to_vec();
        let keys = self.homes.each_ref().map(|folder| home(folder).identity().expect("a key"));
        let mut files = [0, 1].map(|at| {
            let mut file = home(&self.homes[at]).game(&records[0].id(), self.seats[at].role()).expect("secrets");
            // A patched program does not keep a sign ledger.
            file.forget();
            file
        });
        loop {
            let ledger = Pair::blind(&records);
            let Some(role) = ledger.awaited().who().cloned() else { return records };
            let at = usize::from(role.as_str() == "us");
            let mut ledger = ledger.seen_by(Vision::of(&files[at]));
            let mut pen = Pen { key: &keys[at], file: &mut files[at] };
            let side = ledger.to_speak();
            let made = match ledger.awaited() {
                Awaited::Result(_) => ledger.close(&mut pen),
                Awaited::Call(_) => ledger.call(&mut pen),
                Awaited::Facts(_) => ledger.state_facts(&mut pen),
                Awaited::Audit(_) => ledger.audit(&mut pen),
                _ => ledger.submit(&said(side.expect("somebody")), &mut pen),
            };
            records.push(made.expect("made"));
        }
    }
}

pub(super) fn random(ledger: &Ledger, side: Side, chance: &mut Chance) -> Submission {
    let (replay, holdings) = (ledger.replay(), ledger.holdings_of(side));
    let (table, stop) = (replay.table(), replay.stop());
    let view = View { state: replay.state(), holdings: &holdings, side: Some(side) };
    let mut said = said(side);
    match stop {
        Stop::Orders { .. } => {
            said.orders = Some(table.random_orders(view, stop, chance));
            if chance.one_in(2) {
                said.policies
                    .insert("advance".to_owned(), skirmish::any_policy(table, replay.state(), "advance", chance));
            }
            if chance.one_in(2) {
                said.standing.insert("stand".to_owned(), skirmish::any_policy(table, replay.state(), "stand", chance));
            }
        }
        Stop::Answers { questions, .. } => {
            for asked in questions {
                let choice = chance.pick(&asked.options).cloned().expect("options");
                said.answers.insert(asked.key.clone(), choice);
            }
        }
        other => panic!("nobody decides {other:?}"),
    }
    said
}

fn data<'r>(records: &'r [Record], kind: &RecordKind, has: impl Fn(&Json) -> bool + 'r) -> Option<(usize, &'r Record)> {
    records.iter().enumerate().find(|(_, record)| record.body().kind == *kind && has(&record.body().data))
}

#[test]
fn every_view_of_every_game_agrees_to_the_audit() {
    let (mut stated, mut stopped, mut planned, mut called) = (0, 0, 0, 0);
    for scenario in ["open", "plan"] {
        for seed in 0..12 {
            let pair = Pair::play_out(scenario, seed % 3 != 0, &format!("{scenario} {seed}"));
            let records = pair.records();
            assert_eq!(records, pair.seats[1].ledger().records());
            assert_eq!(pair.seats[0].ledger().awaited(), Awaited::Nothing);
            for vision in [Vision::public(), pair.seats[0].vision(), pair.seats[1].vision()] {
                let found = check(records, &vision);
                assert_eq!((found.exit_code(), found.level), (0, Level::Audit), "{}", found.report(""));
            }
            let all = |kind: RecordKind, has: &str| {
                let of_kind = records.iter().filter(|record| record.body().kind == kind);
                of_kind.filter(|record| record.body().data.get(has).is_some()).count()
            };
            stated += all(RecordKind::Orders, "claims");
            stopped += all(RecordKind::Orders, "reveals");
            planned += all(RecordKind::Plan, "entries");
            called += all(RecordKind::Plan, "answers");
        }
    }
    assert!(stated > 0, "facts were stated ahead of the dice");
    assert!(stopped > 0, "a unit was opened by the one who ordered");
    assert!(planned > 0, "packets went as plans");
    assert!(called > 0, "the closer was asked and the other called");
}

#[test]
fn what_was_seen_is_mixed_with_its_neighbours_when_it_lies_face_down_again() {
    let mut mixed = 0;
    for seed in 0..12 {
        let pair = Pair::play_out("plan", false, &format!("mixed {seed}"));
        for record in pair.records().iter().filter(|record| record.body().kind == RecordKind::Result) {
            let hides = record.body().data.get("hide").and_then(Json::as_list).unwrap_or_default();
            let anew = hides.iter().filter(|hide| hide.get("version") != Some(&Json::Int(1)));
            mixed += anew
                .filter(|hide| hide.pointer("/slot").and_then(Json::as_str).is_some_and(|s| s.starts_with("s-")))
                .count();
        }
        let found = check(pair.records(), &Vision::public());
        assert_eq!((found.exit_code(), found.level), (0, Level::Audit), "{}", found.report(""));
    }
    assert!(mixed > 0, "tokens were sealed anew");
}

#[test]
fn an_interrupted_player_finds_everything_again() {
    let mut pair = Pair::begin("open", true);
    let mut chance = Chance::new("interrupted");
    for step in 0..8 {
        let at = step % 2;
        let before = pair.seats[at].ledger().records().to_vec();
        pair.act(at, &mut chance);
        let after = pair.seats[at].ledger().records().to_vec();
        // The machine went down before anything reached the game folder.
        let mut again = Seat::open(before.clone(), &lay, &home(&pair.homes[at])).expect("opened");
        again.advance().expect("advanced");
        if let Some(side) = again.to_decide() {
            // A decision comes back by itself only if it was the next thing due.
            assert!(after.len() > before.len() + 1, "{side}");
            let resumed = Seat::open(after[..after.len() - 1].to_vec(), &lay, &home(&pair.homes[at])).expect("opened");
            assert_eq!(resumed.ledger().records(), after);
        } else {
            assert_eq!(again.ledger().records(), after, "the same bytes again");
        }
        pair.mail(at);
    }
}

#[test]
fn a_second_answer_to_the_same_moment_is_refused() {
    let mut pair = Pair::begin("open", true);
    let before = pair.seats[0].ledger().records().to_vec();
    let mut chance = Chance::new("first");
    pair.act(0, &mut chance);
    let signed = pair.seats[0].outgoing().last().expect("orders").id();
    let mut older = Ledger::read(before, lay, Vision::public()).expect("good");
    let home = home(&pair.homes[0]);
    let mut file = home.game(&pair.records()[0].id(), pair.seats[0].role()).expect("secrets");
    let key = home.identity().expect("a key");
    let other = random(&older, SPAIN, &mut Chance::new("second thoughts"));
    let refused = older.submit(&other, &mut Pen { key: &key, file: &mut file }).expect_err("signed twice");
    assert!(refused.to_string().contains(&signed.to_string()), "{refused}");
}

/// A game whose next record is Spain's, with a token that is not a dummy where Spain attacks.
fn before_a_claim() -> (Pair, usize) {
    for seed in 0..40 {
        let pair = Pair::play_out("open", false, &format!("claim {seed}"));
        let last = pair
            .records()
            .iter()
            .rposition(|record| record.body().kind == RecordKind::Orders && record.body().data.get("claims").is_some());
        if let Some(at) = last {
            return (pair, at);
        }
    }
    panic!("no game with a claim")
}

#[test]
fn a_false_claim_of_the_one_who_orders_is_found_at_the_audit_in_his_orders() {
    let (pair, at) = before_a_claim();
    let key = home(&pair.homes[0]).identity().expect("a key");
    let mut body = pair.records()[at].body().clone();
    let claim = body.data.pointer_mut("/claims/0/value").expect("a claim");
    *claim = Json::Bool(*claim != Json::Bool(true));
    let mut records = pair.records()[..at].to_vec();
    records.push(Record::sign(body, &key).expect("signed"));
    let seen = check(&records, &Vision::public());
    assert!(seen.divergence.is_none(), "nobody can tell yet: {}", seen.report(""));
    let records = pair.finish(&records);
    assert_eq!(found(&records), Some((at as u32, "E60-AUDIT", Some("spain".to_owned()))));
}

#[test]
fn a_false_claim_of_the_one_who_closes_is_found_at_the_audit_in_his_result() {
    for seed in 0..40 {
        let pair = Pair::play_out("open", false, &format!("lie {seed}"));
        let records = pair.records();
        let Some((at, _)) =
            data(records, &RecordKind::Result, |data| data.pointer("/claims/0/value") == Some(&Json::Bool(false)))
        else {
            continue;
        };
        // Spain says the first unit attacked is a dummy, and takes it off the map unseen.
        let mut lies = pair.seats[0].vision();
        for hex in ["0101", "0102", "0103", "0104"] {
            let slot = Slot::parse(&format!("s-{hex}")).expect("a slot");
            lies.add(pair.seats[0].role(), &slot, 1, Json::from("dummy"));
        }
        let mut ledger = Pair::blind(&records[..at]).seen_by(lies);
        let home = home(&pair.homes[0]);
        let mut file = home.game(&records[0].id(), pair.seats[0].role()).expect("secrets");
        file.forget();
        let key = home.identity().expect("a key");
        let result = ledger.close(&mut Pen { key: &key, file: &mut file }).expect("closed");
        let mut forged = records[..at].to_vec();
        forged.push(result);
        let seen = check(&forged, &Vision::public());
        assert!(seen.divergence.is_none(), "nobody can tell yet: {}", seen.report(""));
        let forged = pair.finish(&forged);
        assert_eq!(found(&forged), Some((at as u32, "E60-AUDIT", Some("spain".to_owned()))));
        return;
    }
    panic!("no game with a unit attacked");
}

#[test]
fn an_illegal_set_up_is_refused_by_the_own_program_and_found_at_the_audit() {
    let mut pair = Pair::begin("open", false);
    let mut chance = Chance::new("set-up");
    while pair.seats[0].to_decide().is_none() {
        pair.act(1, &mut chance);
        pair.mail(1);
    }
    let table = skirmish::table("open");
    let node = crate::engine::doc::Node::from_json(&Json::object([("tokens", Json::object([("0101", "maine")]))]));
    let root = crate::engine::doc::DocPath::root();
    let mut reader = crate::engine::doc::Reader::new(table.lexicon());
    let orders = table.read_orders("setup", &node, &root, &mut reader).expect("read");
    let submission = Submission { orders: Some(orders), ..said(SPAIN) };
    let refused = pair.seats[0].send(&submission).expect_err("illegal");
    assert!(matches!(refused, LedgerTrouble::Refused(_)), "{refused}");

    // A patched program commits it all the same.
    let (game, at) = (pair.records()[0].id(), pair.records().len());
    let spain = pair.seats[0].role().clone();
    let home = home(&pair.homes[0]);
    let (key, file) = (home.identity().expect("a key"), home.game(&game, &spain).expect("secrets"));
    let legal = table
        .read_orders(
            "setup",
            &crate::engine::doc::Node::from_json(&Json::object([("tokens", Json::object([("0101", "dummy")]))])),
            &root,
            &mut reader,
        )
        .expect("read");
    let honest = pair.seats[0].send(&Submission { orders: Some(legal), ..said(SPAIN) }).expect("sent");
    let mut body = honest.body().clone();
    let slot = Slot::parse("s-0101").expect("a slot");
    let commit = commitment(&game, &spain, &slot, 1, &file.secret().hide().salt(&slot, 1), &Json::from("maine"));
    let hide = body.data.pointer_mut("/hide/0/commit").expect("a commitment");
    *hide = Json::from(commit.to_string());
    let mut records = pair.records()[..at].to_vec();
    records.push(Record::sign(body, &key).expect("signed"));
    let mut file = home.game(&game, &spain).expect("secrets");
    file.replace(&slot, 1, Json::from("maine"));
    let records = pair.finish(&records);
    assert_eq!(found(&records), Some((at as u32, "E60-AUDIT", Some("spain".to_owned()))));
}

#[test]
fn a_counter_exchanged_under_its_token_is_found_at_the_audit() {
    for seed in 0..20 {
        let mut pair = Pair::begin("open", false);
        let mut chance = Chance::new(&format!("exchange {seed}"));
        pair.play(
            &mut chance,
            |pair| matches!(pair.seats[0].ledger().awaited(), Awaited::Result(role) if role.as_str() == "spain"),
        );
        pair.seats[0].advance().expect("closed");
        if pair.seats[0].to_decide().is_none() {
            continue;
        }
        let slot = Slot::parse("s-0101").expect("a slot");
        let ledger = pair.seats[0].ledger();
        let tokens = ledger.replay().table().state_json(ledger.replay().state()).expect("canonical");
        if tokens.pointer("/tokens/0101").is_none() {
            continue;
        }
        let (game, spain) = (pair.records()[0].id(), pair.seats[0].role().clone());
        let value = pair.seats[0].vision().get(&spain, &slot, 1).cloned().expect("sealed");
        let other = Json::from(if value == Json::from("dummy") { "talavera" } else { "dummy" });
        let honest = pair.seats[0].send(&said(SPAIN)).expect("sent");
        let home = home(&pair.homes[0]);
        let (key, mut file) = (home.identity().expect("a key"), home.game(&game, &spain).expect("secrets"));
        let commit = commitment(&game, &spain, &slot, 2, &file.secret().hide().salt(&slot, 2), &other);
        let mut body = honest.body().clone();
        let hide = crate::engine::to_json(&vec![Hide { slot: slot.clone(), version: 2, commit }]).expect("canonical");
        body.data.as_map_mut().expect("an object").insert("hide".to_owned(), hide);
        let at = honest.body().seq as usize;
        let mut records = pair.records()[..at].to_vec();
        records.push(Record::sign(body, &key).expect("signed"));
        file.replace(&slot, 2, other);
        let records = pair.finish(&records);
        assert_eq!(found(&records), Some((at as u32, "E60-AUDIT", Some("spain".to_owned()))));
        return;
    }
    panic!("no token was left to exchange");
}

#[test]
fn a_false_or_partial_audit_is_found() {
    let pair = Pair::play_out("open", true, "audit");
    let records = pair.records();
    let (at, audit) = data(records, &RecordKind::Audit, |_| true).expect("an audit");
    let owner = audit.body().by.clone();
    let key = home(&pair.homes[usize::from(owner.as_str() == "us")]).identity().expect("a key");
    let forged = |change: &dyn Fn(&mut Json)| {
        let mut body = audit.body().clone();
        change(&mut body.data);
        let mut all = records[..at].to_vec();
        all.push(Record::sign(body, &key).expect("signed"));
        found(&all)
    };
    let blamed = |code| Some((at as u32, code, Some(owner.to_string())));
    let first = |data: &Json| {
        data.get("values").and_then(Json::as_map).and_then(|v| v.keys().next().cloned()).expect("a value")
    };
    assert_eq!(
        forged(&|data| {
            let name = first(data);
            *data.pointer_mut("/values").and_then(Json::as_map_mut).and_then(|v| v.get_mut(&name)).expect("it") =
                Json::from("other");
        }),
        blamed("E60-AUDIT")
    );
    assert_eq!(
        forged(&|data| {
            let name = first(data);
            data.pointer_mut("/values").and_then(Json::as_map_mut).expect("values").remove(&name);
        }),
        blamed("E61-AUDIT")
    );
    assert_eq!(
        forged(&|data| *data.pointer_mut("/hide_secret").expect("it") = Id::ZERO.to_string().into()),
        blamed("E60-AUDIT")
    );
    let added = |data: &mut Json| {
        data.pointer_mut("/values").and_then(Json::as_map_mut).expect("values").insert("s-9/1".to_owned(), true.into());
    };
    assert_eq!(forged(&added), blamed("E60-AUDIT"));
    let silent = check(&records[..at], &Vision::public());
    assert_eq!(silent.exit_code(), 3);
    assert_eq!(silent.owed.map(|(_, what)| what), Some("audit"), "each in any order");
}

#[test]
fn what_a_plan_did_not_carry_out_stays_sealed_until_the_audit() {
    let pair = Pair::play_out("plan", true, "sealed plan");
    let (at, plan) = data(pair.records(), &RecordKind::Plan, |data| data.get("entries").is_some()).expect("a plan");
    let number = plan.body().seq;
    let call = &pair.records()[at + 1];
    assert_eq!(call.body().data.pointer("/orders/call"), Some(&Json::Bool(true)));
    assert_eq!(call.body().by.as_str(), "us");
    // Spain's policy for her own advance lies in the last entry; the packet of this game has no other.
    assert_eq!(plan.body().data.get("entries"), Some(&Json::List(vec![Json::Bool(false)])));
    let opened = |record: &Record| {
        let reveals = record.body().data.get("reveals").and_then(Json::as_list).unwrap_or_default();
        reveals.iter().any(|r| r.get("slot") == Some(&Json::from(Slot::plan(number, 1).to_string())))
    };
    assert!(pair.records()[..=at].iter().all(|record| !opened(record)));
    // A plan where orders are due, orders where a plan is due.
    let key = home(&pair.homes[0]).identity().expect("a key");
    let mut body = plan.body().clone();
    body.kind = RecordKind::Orders;
    let members = body.data.as_map_mut().expect("an object");
    for name in ["entries", "hide"] {
        members.remove(name);
    }
    members.insert("nonce".to_owned(), Id::ZERO.to_string().into());
    let mut records = pair.records()[..at].to_vec();
    records.push(Record::sign(body, &key).expect("signed"));
    assert_eq!(found(&records), Some((number, "E13-KIND", Some("spain".to_owned()))));
}

#[test]
fn a_value_in_the_clear_or_a_slot_that_was_never_committed_is_no_order() {
    let pair = Pair::play_out("open", false, "clear");
    let (at, setup) = data(pair.records(), &RecordKind::Orders, |data| data.pointer("/orders/tokens/0101").is_some())
        .or_else(|| data(pair.records(), &RecordKind::Orders, |data| data.pointer("/orders/tokens").is_some()))
        .expect("a set-up");
    let key = home(&pair.homes[0]).identity().expect("a key");
    for tokens in [Json::object([("0109", "talavera")]), Json::object([("0109", Json::object([("sealed", "s-0109")]))])]
    {
        let mut body = setup.body().clone();
        *body.data.pointer_mut("/orders/tokens").expect("tokens") = tokens;
        let mut records = pair.records()[..at].to_vec();
        records.push(Record::sign(body, &key).expect("signed"));
        assert_eq!(found(&records), Some((at as u32, "E14-SCHEMA", Some("spain".to_owned()))));
    }
}

#[test]
fn nobody_plays_against_himself_or_joins_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let terms = Terms { charter: Charter::default(), ask: true, max_asks: None, note: None, ..Terms::default() };
    let us: Role = "us".parse().expect("a role");
    let seat = Seat::offer(skirmish::table("open"), &us, terms.clone(), &home(&folder)).expect("offered");
    let offer = seat.ledger().records().to_vec();
    let refused = Seat::join(offer.clone(), None, &lay, &home(&folder)).err().expect("the same key");
    assert!(refused.to_string().contains("against yourself"), "{refused}");
    let other = tempfile::tempdir().expect("a folder");
    let joined = Seat::join(offer.clone(), None, &lay, &home(&other)).expect("joined");
    let again = Seat::join(offer, None, &lay, &home(&other)).expect("joined again");
    assert_eq!(joined.ledger().records(), again.ledger().records(), "the same acceptance");
    assert!(matches!(joined.ledger().protocol().due(), NextRecord::Speech(None)));
    let nobody: Role = "france".parse().expect("a role");
    assert!(Seat::offer(skirmish::table("open"), &nobody, terms, &home(&folder)).is_err());
    let Ok(Data::Join(join)) = Data::read(joined.ledger().records()[1].body()) else { panic!("a join") };
    assert_eq!(join.hide.len(), 1, "every kind of standing order exists from the first record on");
}
