//! What a cheat, a clumsy mail program or a stranger might try, played out on real games between two players: each is
//! prevented, or found with the right record, code and culprit.

use std::sync::OnceLock;

use crate::players::{Pair, at_random, check, files, home, lay, mailed, role, terms};
use garcia::engine::dice::Chance;
use garcia::engine::json::Json;
use garcia::engine::{Charter, Slot};
use garcia::games;
use garcia::trust::armour;
use garcia::trust::chain::{LINKS, before};
use garcia::trust::compare::{self, Comparison, Copy};
use garcia::trust::data::Genesis;
use garcia::trust::finding::{Code, Finding, Level};
use garcia::trust::key::PrivateKey;
use garcia::trust::ledger::{Ledger, LedgerTrouble};
use garcia::trust::protocol::Protocol;
use garcia::trust::record::{Body, Record, RecordKind};
use garcia::trust::replay::Vision;
use garcia::trust::seat::Seat;
use garcia::trust::secret::GameSecret;
use garcia::trust::store::LedgerFile;
use garcia::trust::verify::{Verification, verify};
use garcia::trust::{Id, Role};

/// A game of Santiago 1898 with dice, openings, a question to the one who closes and the call that follows.
fn game() -> &'static Pair {
    static GAME: OnceLock<Pair> = OnceLock::new();
    GAME.get_or_init(|| {
        let ruleset = games::find("santiago-1898").expect("a game");
        let mut pair = Pair::begin(ruleset, &Charter::default(), true, Some(2), "attacks");
        let complete = |pair: &Pair| {
            let has = |kind: RecordKind, pointer: &str| {
                let of_kind = |record: &&Record| record.body().kind == kind;
                pair.records().iter().filter(of_kind).any(|record| record.body().data.pointer(pointer).is_some())
            };
            has(RecordKind::Result, "/rolls/1/faces/0")
                && has(RecordKind::Result, "/reveals/0")
                && has(RecordKind::Plan, "/answers/0")
                && has(RecordKind::Orders, "/orders/call")
        };
        let mut most = 16;
        while !complete(&pair) && most < 80 {
            pair.play(most);
            most += 4;
        }
        assert!(complete(&pair), "the game has everything there is to attack");
        if pair.records().last().is_none_or(|record| record.body().kind != RecordKind::Result) {
            pair.play(pair.records().len() + 1);
        }
        pair
    })
}

fn records() -> &'static [Record] {
    game().records()
}

fn key_of(role: &Role) -> PrivateKey {
    let at = game().seats.iter().position(|seat| seat.role() == role).expect("a player");
    home(&game().homes[at]).identity().expect("a key")
}

fn secret_of(role: &Role) -> GameSecret {
    let at = game().seats.iter().position(|seat| seat.role() == role).expect("a player");
    home(&game().homes[at]).game(&records()[0].id(), role).expect("secrets").secret().clone()
}

fn other(role: &Role) -> Role {
    let seats = &game().seats;
    seats.iter().map(Seat::role).find(|other| *other != role).expect("an opponent").clone()
}

/// The last record of a kind with this member.
fn last(kind: RecordKind, pointer: &str) -> usize {
    let fits = |record: &Record| record.body().kind == kind && record.body().data.pointer(pointer).is_some();
    records().iter().rposition(fits).unwrap_or_else(|| panic!("a {kind} with {pointer}"))
}

/// The last packet sent openly whose result is in.
fn packet() -> usize {
    let closed = |at: &usize| {
        let (orders, result) = (records()[*at].body(), records()[*at + 1].body());
        orders.kind == RecordKind::Orders && orders.data.get("policies").is_some() && result.kind == RecordKind::Result
    };
    (0..records().len() - 1).rev().find(closed).expect("a packet and its result")
}

type Verdict = Option<(usize, &'static str, Option<Role>)>;

fn verdict(verification: Verification) -> Verdict {
    let found = verification.divergence?;
    Some((found.seq as usize, found.finding.code.as_str(), found.finding.fault))
}

fn judged(records: &[Record]) -> Verdict {
    verdict(check(records, &Vision::public()))
}

/// The ledger up to a record, which its signer or somebody else changes and signs.
fn forged_by(signer: &Role, at: usize, change: impl FnOnce(&mut Body)) -> Vec<Record> {
    let mut body = records()[at].body().clone();
    change(&mut body);
    let mut all = records()[..at].to_vec();
    all.push(Record::sign(body, &key_of(signer)).expect("signed"));
    all
}

fn forged(at: usize, change: impl FnOnce(&mut Body)) -> Vec<Record> {
    forged_by(&records()[at].body().by.clone(), at, change)
}

fn put(pointer: &'static str, value: impl Into<Json>) -> impl FnOnce(&mut Body) {
    let value = value.into();
    move |body| *body.data.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value
}

fn insert(name: &'static str, value: impl Into<Json>) -> impl FnOnce(&mut Body) {
    let value = value.into();
    move |body| drop(body.data.as_map_mut().expect("an object").insert(name.to_owned(), value))
}

fn remove(name: &'static str) -> impl FnOnce(&mut Body) {
    move |body| drop(body.data.as_map_mut().expect("an object").remove(name))
}

fn edit(pointer: &'static str, change: impl FnOnce(&mut Vec<Json>)) -> impl FnOnce(&mut Body) {
    move |body| match body.data.pointer_mut(pointer) {
        Some(Json::List(items)) => change(items),
        other => panic!("{pointer} is no list: {other:?}"),
    }
}

fn compare(one: &[Record], other: &[Record]) -> Comparison {
    let copy = |records: &[Record]| -> Copy { records.iter().map(|r| (r.body().seq, r.clone())).collect() };
    compare::compare(&copy(one), &copy(other), &lay)
}

fn zeros() -> Json {
    Json::from("0".repeat(64))
}

#[track_caller]
fn blames_signer(at: usize, code: &'static str, all: &[Record]) {
    assert_eq!(judged(all), Some((at, code, Some(all[at].body().by.clone()))));
}

#[track_caller]
fn blames_nobody(at: usize, code: &'static str, verification: Verification) {
    assert_eq!(verification.exit_code(), 2);
    assert_eq!(verdict(verification), Some((at, code, None)));
}

#[test]
fn the_honest_game_is_good() {
    let found = check(records(), &Vision::public());
    assert!(found.divergence.is_none(), "{}", found.report(""));
}

#[test]
fn dice_that_are_altered_added_or_hidden_convict_the_closer() {
    let at = last(RecordKind::Result, "/rolls/1/faces/0");
    let face = records()[at].body().data.pointer("/rolls/0/faces/0").and_then(Json::as_int).expect("a face");
    blames_signer(at, "E30-ROLL", &forged(at, put("/rolls/0/faces/0", face % 6 + 1)));
    blames_signer(at, "E31-ROLLSET", &forged(at, edit("/rolls", |rolls| drop(rolls.pop()))));
    blames_signer(at, "E31-ROLLSET", &forged(at, edit("/rolls", |rolls| rolls.swap(0, 1))));
    let stray = Json::object([
        ("label", Json::from("x/1")),
        ("sides", Json::List(vec![Json::Int(1)])),
        ("faces", Json::List(vec![Json::Int(1)])),
    ]);
    blames_signer(at, "E31-ROLLSET", &forged(at, edit("/rolls", |rolls| rolls.push(stray))));
    // The same label twice would be a second try at one die.
    let twice = |rolls: &mut Vec<Json>| rolls.push(rolls[0].clone());
    blames_signer(at, "E14-SCHEMA", &forged(at, edit("/rolls", twice)));
    // Another label gives another die, but not one the rules call for.
    let closer = records()[at].body().by.clone();
    let relabelled = judged(&forged(at, put("/rolls/0/label", "t1.us.fire/0101/fire/9"))).expect("found");
    assert!(matches!(relabelled, (seq, "E30-ROLL" | "E31-ROLLSET", Some(who)) if seq == at && who == closer));
}

#[test]
fn a_link_that_is_skipped_invented_or_used_again_convicts_the_closer() {
    let at = last(RecordKind::Result, "/link");
    let (closer, data) = (records()[at].body().by.clone(), &records()[at].body().data);
    let index = data.get("index").and_then(Json::as_int).expect("an index") as u32;
    let chain = secret_of(&closer).chain(&closer, LINKS);
    let link = |index: u32| Json::from(chain.link(index).expect("a link").to_string());
    assert_eq!(data.get("link"), Some(&link(index)));
    let both = |index: u32| {
        let link = link(index);
        move |body: &mut Body| {
            put("/index", i64::from(index))(body);
            put("/link", link)(body);
        }
    };
    blames_signer(at, "E21-INDEX", &forged(at, both(index + 1)));
    blames_signer(at, "E21-INDEX", &forged(at, both(index - 1)));
    blames_signer(at, "E20-LINK", &forged(at, put("/link", link(index + 1))));
    blames_signer(at, "E20-LINK", &forged(at, put("/link", zeros())));
    // An echo of the opponent's link fits no chain but his.
    let theirs = secret_of(&other(&closer)).chain(&other(&closer), LINKS).link(index).expect("a link");
    assert_ne!(before(&closer, index, &theirs), chain.link(index - 1).expect("a link"));
    blames_signer(at, "E20-LINK", &forged(at, put("/link", theirs.to_string())));
}

#[test]
fn a_result_says_just_what_the_rules_give() {
    let at = last(RecordKind::Result, "/stop/who");
    let closer = records()[at].body().by.clone();
    blames_signer(at, "E40-STATE", &forged(at, put("/state", zeros())));
    let who = records()[at].body().data.pointer("/stop/who").and_then(Json::as_str).expect("somebody");
    let wrong = if who == closer.as_str() { other(&closer) } else { closer };
    blames_signer(at, "E40-STATE", &forged(at, put("/stop/who", wrong.as_str())));
    let at = last(RecordKind::Result, "/stop/questions/0");
    blames_signer(at, "E40-STATE", &forged(at, put("/stop/questions/0/kind", "nothing")));
    // Going on without asking is another state, and another stop.
    let skip = Json::object([("ask", "turn"), ("who", "us")]);
    assert_eq!(judged(&forged(at, put("/stop", skip))).map(|v| (v.0, v.1)), Some((at, "E40-STATE")));
    let elsewhere = Json::object([("ask", "turn"), ("who", "france")]);
    blames_signer(at, "E14-SCHEMA", &forged(at, put("/stop", elsewhere)));
    blames_signer(at, "E13-KIND", &forged(at, put("/orders", zeros())));
}

#[test]
fn standing_orders_are_opened_as_they_were_sealed_before_the_orders_came() {
    let at = last(RecordKind::Result, "/reveals/0");
    let (closer, data) = (records()[at].body().by.clone(), &records()[at].body().data);
    let lie = Json::object([("policy", "default"), ("x", "y")]);
    blames_signer(at, "E50-REVEAL", &forged(at, put("/reveals/0/value", lie)));
    blames_signer(at, "E50-REVEAL", &forged(at, put("/reveals/0/salt", zeros())));
    blames_signer(at, "E51-REVEAL", &forged(at, edit("/reveals", |reveals| drop(reveals.remove(0)))));
    // A version made after the orders were read.
    let slot =
        data.pointer("/reveals/0/slot").and_then(Json::as_str).and_then(|s| Slot::parse(s).ok()).expect("a slot");
    let old = data.pointer("/reveals/0/version").and_then(Json::as_int).expect("a version") as u32;
    let value = Json::object([("policy", "default")]);
    let salt = secret_of(&closer).hide().salt(&slot, old + 1);
    let game = records()[0].id();
    let commit = garcia::trust::secret::commitment(&game, &closer, &slot, old + 1, &salt, &value);
    let hide = Json::object([
        ("slot", Json::from(slot.to_string())),
        ("version", Json::from(old + 1)),
        ("commit", Json::from(commit.to_string())),
    ]);
    let new = Json::object([
        ("slot", Json::from(slot.to_string())),
        ("version", Json::from(old + 1)),
        ("salt", Json::from(salt.to_string())),
        ("value", value),
    ]);
    let late = forged(at, |body| {
        insert("hide", Json::List(vec![hide]))(body);
        put("/reveals/0", new)(body);
    });
    blames_signer(at, "E50-REVEAL", &late);
    // Opening what nobody asked for.
    let unasked = |body: &mut Body| {
        let opened: Vec<String> = data
            .get("reveals")
            .and_then(Json::as_list)
            .unwrap_or_default()
            .iter()
            .filter_map(|r| r.get("slot").and_then(Json::as_str).map(str::to_owned))
            .collect();
        let file = home(&game_home(&closer)).game(&game, &closer).expect("secrets");
        let mut protocol = Protocol::new();
        records()[..at].iter().for_each(|record| drop(protocol.take(record).expect("good")));
        let spare = protocol
            .seals()
            .all_in_force(protocol.moment())
            .find(|(role, slot, s)| {
                **role == closer
                    && !opened.contains(&slot.to_string())
                    && protocol.seals().opening(role, slot, s.version).is_none()
            })
            .map(|(_, slot, sealing)| (slot.clone(), sealing.version))
            .expect("a slot that is still sealed");
        let opening = Json::object([
            ("slot", Json::from(spare.0.to_string())),
            ("version", Json::from(spare.1)),
            ("salt", Json::from(file.secret().hide().salt(&spare.0, spare.1).to_string())),
            ("value", file.value(&spare.0, spare.1).expect("a value").clone()),
        ]);
        edit("/reveals", |reveals| reveals.push(opening))(body);
    };
    blames_signer(at, "E31-ROLLSET", &forged(at, unasked));
}

fn game_home(role: &Role) -> tempfile::TempDir {
    // A copy of the player's folder, so that nothing of his is touched.
    let at = game().seats.iter().position(|seat| seat.role() == role).expect("a player");
    let copy = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(copy.path().join("secrets")).expect("made");
    for entry in std::fs::read_dir(game().homes[at].path().join("secrets")).expect("listed") {
        let entry = entry.expect("an entry");
        std::fs::copy(entry.path(), copy.path().join("secrets").join(entry.file_name())).expect("copied");
    }
    std::fs::copy(game().homes[at].path().join("identity.yaml"), copy.path().join("identity.yaml")).expect("copied");
    copy
}

#[test]
fn only_the_one_who_is_due_may_speak_and_only_as_he_is_due() {
    let orders = packet();
    let by = records()[orders].body().by.clone();
    // Somebody else orders.
    let all = forged_by(&other(&by), orders, |body| body.by = other(&body.by));
    blames_signer(orders, "E13-KIND", &all);
    // The one who ordered closes his own orders.
    let result = orders + 1;
    assert_eq!(records()[result].body().kind, RecordKind::Result);
    let all = forged_by(&by, result, |body| body.by = by.clone());
    blames_signer(result, "E13-KIND", &all);
    // Orders where a plan is due, and the other way round.
    let plan = last(RecordKind::Plan, "/answers/0");
    let all = forged(plan, |body| {
        body.kind = RecordKind::Orders;
        insert("nonce", zeros())(body);
    });
    blames_signer(plan, "E13-KIND", &all);
    let all = forged(orders, |body| {
        body.kind = RecordKind::Plan;
        for name in ["nonce", "policies", "hide"] {
            remove(name)(body);
        }
    });
    blames_signer(orders, "E13-KIND", &all);
    // A packet where answers are due; a call that decides; no call where one is due.
    blames_signer(plan, "E14-SCHEMA", &forged(plan, insert("orders", Json::map())));
    let call = last(RecordKind::Orders, "/orders/call");
    blames_signer(call, "E14-SCHEMA", &forged(call, insert("policies", Json::map())));
    blames_signer(call, "E14-SCHEMA", &forged(call, put("/orders", Json::map())));
    let call_too_early = forged(orders, put("/orders", Json::object([("call", true)])));
    blames_signer(orders, "E14-SCHEMA", &call_too_early);
    // Written for another position.
    blames_signer(orders, "E40-STATE", &forged(orders, put("/state", zeros())));
    blames_signer(plan, "E40-STATE", &forged(plan, put("/state", zeros())));
    // Members missing, unknown, or of another mode.
    blames_signer(orders, "E14-SCHEMA", &forged(orders, remove("nonce")));
    blames_signer(orders, "E14-SCHEMA", &forged(orders, insert("time", 5i64)));
    blames_signer(orders, "E14-SCHEMA", &forged(orders, insert("nmr", true)));
    blames_signer(orders, "E14-SCHEMA", &forged(orders, insert("for", "us")));
    blames_signer(orders, "E14-SCHEMA", &forged(orders, insert("standing", Json::map())));
    // An audit before the end.
    let audit = forged(orders, |body| {
        body.kind = RecordKind::Audit;
        body.data =
            Json::object([("hide_secret", zeros()), ("values", Json::map()), ("secret_rolls", Json::List(vec![]))]);
    });
    assert!(matches!(judged(&audit), Some((at, "E13-KIND" | "E61-AUDIT", Some(who))) if at == orders && who == by));
}

#[test]
fn kinds_and_members_that_have_no_place_are_their_signers_fault() {
    let at = packet();
    for (kind, code) in
        [("motion", "E14-SCHEMA"), ("accept", "E13-KIND"), ("decline", "E13-KIND"), ("ruling", "E13-KIND")]
    {
        blames_signer(at, code, &forged(at, |body| body.kind = kind.into()));
    }
    for (name, value, word) in [("director", zeros(), "sound"), ("private", Json::Bool(true), "game master")] {
        let all = forged(0, insert(name, value));
        blames_signer(0, "E14-SCHEMA", &all);
        assert!(check(&all, &Vision::public()).report("").contains(word), "{name}");
    }
    let at = last(RecordKind::Result, "/link");
    blames_signer(at, "E14-SCHEMA", &forged(at, insert("for", "us")));
}

#[test]
fn second_orders_for_one_place_convict_their_signer() {
    let at = packet();
    let by = records()[at].body().by.clone();
    let rewound = forged(at, insert("policies", Json::map())).pop().expect("a record");
    // Sent to different people: two copies of the ledger.
    let mut theirs = records()[..at].to_vec();
    theirs.push(rewound.clone());
    match compare(records(), &theirs) {
        Comparison::Parted { seq, finding, .. } => {
            assert_eq!((seq as usize, finding.code, finding.fault), (at, Code::Fork, Some(by.clone())));
        }
        same => panic!("{same:?}"),
    }
    assert_eq!(compare(records(), &records()[..at]), Comparison::Longer { first: true, common: at as u32 });
    // Found in one folder, before or after the result.
    let mut both = files(records());
    let copy = LedgerFile { name: "copy".to_owned(), seq: at as u32, record: Ok(rewound.clone()) };
    both.files.push(copy);
    both.files.sort_by_key(|file| file.seq);
    assert_eq!(verdict(verify(&both, &lay, &Vision::public())), Some((at, "E12-FORK", Some(by.clone()))));
    // Mailed to the one who has the first version already.
    let folder = game_home(&other(&by));
    let mut seat = Seat::open(records().to_vec(), &lay, &home(&folder)).expect("opened");
    let received = seat.receive(vec![rewound]);
    let [(_, finding)] = received.refused.as_slice() else { panic!("{received:?}") };
    assert_eq!((finding.code, finding.fault.as_ref()), (Code::Fork, Some(&by)));
    // A branch forged by somebody else is nobody's fault.
    let stranger = PrivateKey::from_seed(&[9; 32]);
    let mut body = records()[at].body().clone();
    insert("policies", Json::map())(&mut body);
    theirs[at] = Record::sign(body, &stranger).expect("signed");
    match compare(records(), &theirs) {
        Comparison::Parted { finding, .. } => assert_eq!((finding.code, finding.fault), (Code::Signature, None)),
        same => panic!("{same:?}"),
    }
}

#[test]
fn the_own_program_repeats_and_never_revises() {
    let at = packet();
    let by = records()[at].body().by.clone();
    let folder = game_home(&by);
    let mut rewound = Seat::open(records()[..at].to_vec(), &lay, &home(&folder)).expect("opened");
    if let Some(side) = rewound.to_decide() {
        let said = at_random(rewound.ledger(), side, &mut Chance::new("better orders"));
        match rewound.send(&said) {
            Err(LedgerTrouble::NotSigned(refused)) => assert!(refused.to_string().contains("fork"), "{refused}"),
            other => panic!("{:?}", other.map(|record| record.id())),
        }
    } else {
        // It was the last thing signed, and came back by itself.
        assert_eq!(rewound.ledger().records()[at], records()[at]);
    }
    // A result is made again byte for byte: links, openings, signature.
    let at = last(RecordKind::Result, "/rolls/1/faces/0");
    let folder = game_home(&records()[at].body().by);
    let mut again = Seat::open(records()[..at].to_vec(), &lay, &home(&folder)).expect("opened");
    assert_eq!(again.advance().expect("made"), [records()[at].clone()]);
    assert_eq!(again.outgoing().last(), Some(&records()[at]));
}

#[test]
fn records_out_of_order_twice_or_missing_are_sorted_out() {
    let joiner = game().seats[1].role();
    let folder = game_home(joiner);
    let (first, rest) = records().split_at(2);
    let mut seat = Seat::open(first.to_vec(), &lay, &home(&folder)).expect("opened");
    let have = seat.ledger().records().len();
    let mut jumbled: Vec<Record> = rest.iter().rev().map(mailed).collect();
    jumbled.extend(rest.iter().map(mailed));
    let received = seat.receive(jumbled);
    assert_eq!(seat.ledger().records(), records());
    assert_eq!((received.refused.len(), received.early.len()), (0, 0));
    assert_eq!(received.known.len() + received.taken.len(), rest.len() * 2);
    let mut seat = Seat::open(first.to_vec(), &lay, &home(&folder)).expect("opened");
    let received = seat.receive(rest[have - 1..].iter().map(mailed).collect());
    assert_eq!(received.taken.len() + received.early.len(), rest.len() + 1 - have);
    assert!(!received.early.is_empty(), "kept until the missing one comes");
}

#[test]
fn damage_loss_and_strangers_are_nobodys_fault() {
    let at = packet();
    // Edited without a new signature.
    let mut json = records()[at].to_json();
    json.pointer_mut("/body/data/policies").and_then(Json::as_map_mut).expect("policies").clear();
    let mut edited = records().to_vec();
    edited[at] = Record::from_json(&json).expect("well-formed");
    blames_nobody(at, "E03-SIG", check(&edited, &Vision::public()));
    // Lost, exchanged, or of another game.
    let mut gap = files(records());
    gap.files.remove(at);
    blames_nobody(at, "E11-PREV", verify(&gap, &lay, &Vision::public()));
    let mut swapped = files(records());
    let (one, two) = (swapped.files[at].record.clone(), swapped.files[at - 2].record.clone());
    (swapped.files[at].record, swapped.files[at - 2].record) = (two, one);
    blames_nobody(at - 2, "E11-PREV", verify(&swapped, &lay, &Vision::public()));
    blames_nobody(at, "E10-GAME", check(&forged(at, |body| body.game = Some(Id::ZERO)), &Vision::public()));
    blames_nobody(at, "E11-PREV", check(&forged(at, |body| body.prev = Id::ZERO), &Vision::public()));
    // An old record changed and signed anew by its signer breaks at the other's answer, which names the true one.
    let mut rewritten = forged(at, insert("policies", Json::map()));
    rewritten.extend_from_slice(&records()[at + 1..]);
    blames_nobody(at + 1, "E11-PREV", check(&rewritten, &Vision::public()));
    // Signed by a stranger.
    let mut body = records()[at].body().clone();
    body.by = role("france");
    let mut strange = records()[..at].to_vec();
    strange.push(Record::sign(body, &PrivateKey::from_seed(&[7; 32])).expect("signed"));
    blames_nobody(at, "E03-SIG", check(&strange, &Vision::public()));
    // A copy of a file is no fork.
    let mut copied = files(records());
    let copy = copied.files[at].clone();
    copied.files.insert(at, LedgerFile { name: "copy of it.yaml".to_owned(), ..copy });
    assert!(verify(&copied, &lay, &Vision::public()).divergence.is_none());
}

#[test]
fn a_mangled_mail_is_read_or_asked_for_again() {
    let record = &records()[last(RecordKind::Result, "/link")];
    let quoted: String = record.armoured().lines().map(|line| format!("> > {line}   \r\n\r\n")).collect();
    let found = armour::unwrap(&format!("Dear Sir,\r\n{quoted}\r\nyours"));
    assert_eq!(Record::read(found[0].as_ref().expect("whole")).as_ref(), Ok(record));
    let lines: Vec<String> = record.armoured().lines().map(str::to_owned).collect();
    for line in 1..lines.len() - 1 {
        let mut damaged = lines.clone();
        let changed = if damaged[line].starts_with('A') { "B" } else { "A" };
        damaged[line].replace_range(..1, changed);
        assert!(armour::unwrap(&damaged.join("\n"))[0].is_err(), "line {line}");
        damaged.remove(line);
        assert!(armour::unwrap(&damaged.join("\n"))[0].is_err(), "line {line} lost");
    }
}

#[test]
fn a_key_an_anchor_or_a_commitment_of_the_other_cannot_be_used() {
    let joiner = records()[1].body().by.clone();
    let founder = records()[0].body().by.clone();
    let theirs = |name: &str| records()[0].body().data.get(name).expect("it").clone();
    blames_signer(1, "E13-KIND", &forged(1, put("/anchor", theirs("anchor"))));
    blames_signer(1, "E13-KIND", &forged_by(&founder, 1, put("/key", theirs("key"))));
    // A key under which anything is signed: the neutral element, with the signature that fits everything.
    let mut weak = Id::ZERO;
    weak.0[0] = 1;
    blames_nobody(1, "E03-SIG", check(&forged(1, put("/key", weak.to_string())), &Vision::public()));
    blames_signer(1, "E13-KIND", &forged(1, put("/accept", zeros())));
    // A commitment names game and role: the opponent's, copied, opens for nobody else.
    let hides = records()[1].body().data.get("hide").and_then(Json::as_list).expect("commitments");
    let slot = Slot::parse(hides[0].get("slot").and_then(Json::as_str).expect("a slot")).expect("a slot");
    let (game, value) = (records()[0].id(), Json::object([("policy", "default")]));
    let salt = secret_of(&joiner).hide().salt(&slot, 1);
    let made = |game: &Id, role: &Role| garcia::trust::secret::commitment(game, role, &slot, 1, &salt, &value);
    assert_eq!(hides[0].get("commit"), Some(&Json::from(made(&game, &joiner).to_string())));
    assert_ne!(made(&game, &founder), made(&game, &joiner));
    assert_ne!(made(&Id::ZERO, &joiner), made(&game, &joiner));
}

#[test]
fn nothing_of_one_game_is_of_use_in_another() {
    let ruleset = games::find("santiago-1898").expect("a game");
    let folder = tempfile::tempdir().expect("a folder");
    let offer = || {
        let table = ruleset.open(&Charter::default()).expect("a table");
        Seat::offer(table, &role("us"), terms(&Charter::default(), true, None), &home(&folder)).expect("offered")
    };
    let (one, two) = (offer(), offer());
    let anchor = |seat: &Seat| seat.ledger().records()[0].body().data.get("anchor").cloned();
    assert_ne!(anchor(&one), anchor(&two), "the same terms, the same key, another secret");
    let received = game_seat().receive(vec![one.ledger().records()[0].clone()]);
    assert_eq!(received.refused[0].1.code, Code::Game);
}

fn game_seat() -> Seat {
    let folder = game_home(game().seats[0].role());
    Seat::open(records().to_vec(), &lay, &home(&folder)).expect("opened")
}

#[test]
fn who_falls_silent_is_named() {
    let at = last(RecordKind::Result, "/link");
    let waiting = check(&records()[..at], &Vision::public());
    assert_eq!(waiting.exit_code(), 3);
    assert_eq!(waiting.owed, Some((records()[at].body().by.clone(), "result")));
    assert!(waiting.report("").contains("W70-WAITING"));
    let call = last(RecordKind::Orders, "/orders/call");
    let waiting = check(&records()[..call], &Vision::public());
    assert_eq!(waiting.owed, Some((records()[call].body().by.clone(), "call")));
    let offer = check(&records()[..1], &Vision::public());
    assert_eq!(offer.owed, Some((records()[1].body().by.clone(), "join")));
    // There are no dice without his link: the seed is not known to anybody else before it is out.
    let protocol = Ledger::read(records()[..at].to_vec(), lay, Vision::public()).expect("good");
    let link = records()[at].body().data.get("link").and_then(Json::as_str).expect("a link");
    let known = protocol.records().iter().any(|record| record.to_json().to_string().contains(link));
    assert!(!known, "a link appears nowhere before its result");
}

#[test]
fn another_program_or_other_tables_are_not_judged_and_nobody_is_blamed() {
    let other_tables = forged(0, put("/rules_sha256", zeros()));
    let found = check(&other_tables, &Vision::public());
    assert_eq!((found.exit_code(), found.level), (4, Level::Dice));
    let unknown = |_: &Genesis| Err(Finding::new(Code::Engine, "this game is not known here"));
    let found = verify(&files(records()), &unknown, &Vision::public());
    assert_eq!((found.exit_code(), found.level), (4, Level::Dice), "signatures and dice are checked all the same");
    let newer = forged(0, |body| {
        put("/engine", "santiago-1898 999")(body);
    });
    let found = check(&newer, &Vision::public());
    assert_eq!(found.exit_code(), 4);
    assert_eq!(found.not_judged.map(|why| why.code), Some(Code::Engine));
    // Nobody sits down at such a table.
    let folder = tempfile::tempdir().expect("a folder");
    assert!(Seat::join(newer, None, &lay, &home(&folder)).is_err());
    assert!(Seat::join(other_tables, None, &lay, &home(&folder)).is_err());
}

#[test]
fn hostile_words_stay_words() {
    let nasty = "\u{202e}gpj.exe \u{1b}[2J ../../etc/passwd";
    let at = 0;
    let mut body = records()[at].body().clone();
    insert("note", nasty)(&mut body);
    // Control characters never get into a record at all.
    assert!(Record::sign(body.clone(), &key_of(&body.by)).is_err());
    insert("note", "\u{202e}gpj.exe ../../x")(&mut body);
    let record = Record::sign(body.clone(), &key_of(&body.by)).expect("signed");
    let report = check(&[record], &Vision::public()).report("");
    assert!(report.is_ascii(), "{report}");
    // Elsewhere letters beyond ASCII are refused, and what is quoted of them is harmless.
    insert("ruleset", "santiago\u{202e}")(&mut body);
    let record = Record::sign(body, &key_of(&records()[0].body().by)).expect("signed");
    let found = check(&[record], &Vision::public());
    assert_eq!(verdict(found.clone()).map(|v| v.1), Some("E14-SCHEMA"));
    assert!(found.report("").is_ascii());
    // Names of files are made from what a record may hold: a role and a kind.
    assert!(
        records()
            .iter()
            .all(|record| record.file_name().bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b)))
    );
}
