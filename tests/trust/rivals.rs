//! Several records for one place, and what happens to a player who loses some: nobody innocent is convicted, and no
//! honest folder is led into a fork.

use std::sync::OnceLock;

use crate::players::{
    Pair, at_random, check, files, forget_how_far, home, join_all, lay, mailed, role, send_out, terms,
};
use garcia::engine::dice::Chance;
use garcia::engine::json::Json;
use garcia::engine::{Charter, Side};
use garcia::games;
use garcia::trust::compare::{Comparison, Copy, compare};
use garcia::trust::data::Genesis;
use garcia::trust::finding::{Code, Finding};
use garcia::trust::home::NotSigned;
use garcia::trust::key::PrivateKey;
use garcia::trust::ledger::{Company, LedgerTrouble};
use garcia::trust::record::{Body, Record, RecordKind};
use garcia::trust::replay::Vision;
use garcia::trust::seat::Seat;
use garcia::trust::store::{LedgerFile, LedgerFiles};
use garcia::trust::verify::verify;
use garcia::trust::{Id, Role};
use tempfile::TempDir;

/// A match of two with packets, results and dice.
fn game() -> &'static Pair {
    static GAME: OnceLock<Pair> = OnceLock::new();
    GAME.get_or_init(|| {
        let mut pair =
            Pair::begin(games::find("santiago-1898").expect("a game"), &Charter::default(), false, None, "rivals");
        pair.play(12);
        pair
    })
}

fn key_of(pair: &Pair, who: &Role) -> PrivateKey {
    let at = pair.seats.iter().position(|seat| seat.role() == who).expect("a player");
    home(&pair.homes[at]).identity().expect("a key")
}

fn other_than(who: &Role) -> Role {
    role(if who.as_str() == "us" { "spain" } else { "us" })
}

/// A copy of a folder with secrets.
fn copied(folder: &TempDir) -> TempDir {
    let copy = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(copy.path().join("secrets")).expect("made");
    for entry in std::fs::read_dir(folder.path().join("secrets")).expect("listed") {
        let entry = entry.expect("an entry");
        std::fs::copy(entry.path(), copy.path().join("secrets").join(entry.file_name())).expect("copied");
    }
    std::fs::copy(folder.path().join("identity.yaml"), copy.path().join("identity.yaml")).expect("copied");
    copy
}

fn with(records: &[Record], more: &[&Record]) -> LedgerFiles {
    let mut all = files(records);
    for (number, record) in more.iter().enumerate() {
        let file = LedgerFile {
            // Before the honest file, which must not matter.
            name: format!("{:04}-a-{number}.yaml", record.body().seq),
            seq: record.body().seq,
            record: Ok((*record).clone()),
        };
        let at = all.files.iter().position(|file| file.seq >= record.body().seq).unwrap_or(all.files.len());
        all.files.insert(at, file);
    }
    all
}

type Verdict = Option<(u32, Code, Option<Role>)>;

/// What is found in a ledger with more records in it, and what of these themselves.
fn judged(records: &[Record], more: &[&Record]) -> (Verdict, Verdict) {
    let found = with(records, more);
    let names: Vec<String> =
        found.files.iter().map(|file| file.name.clone()).filter(|name| name.contains("-a-")).collect();
    let verification = verify(&found, &lay, &Vision::public());
    let brief = |v: &garcia::trust::verify::Verification| {
        v.divergence.as_ref().map(|d| (d.seq, d.finding.code, d.finding.fault.clone()))
    };
    let alone = brief(&verification);
    (alone, brief(&verification.against(&names)))
}

fn copy(records: &[Record]) -> Copy {
    records.iter().map(|record| (record.body().seq, record.clone())).collect()
}

fn parts(one: &[Record], other: &[Record]) -> Verdict {
    match compare(&copy(one), &copy(other), &lay) {
        Comparison::Parted { seq, finding, .. } => Some((seq, finding.code, finding.fault)),
        _ => None,
    }
}

fn signed(body: Body, key: &PrivateKey) -> Record {
    Record::sign(body, key).expect("signed")
}

fn audit_of(who: &Role, place: &Record, key: &PrivateKey) -> Record {
    let data = Json::object([
        ("hide_secret", Json::from("0".repeat(64))),
        ("values", Json::map()),
        ("secret_rolls", Json::List(vec![])),
    ]);
    signed(Body { by: who.clone(), kind: RecordKind::Audit, data, ..place.body().clone() }, key)
}

#[test]
fn a_record_out_of_turn_convicts_its_signer_and_never_the_one_whose_place_it_takes() {
    let (pair, records) = (game(), game().records());
    for at in 2..records.len() {
        let (held, by) = (&records[at], records[at].body().by.clone());
        let enemy = other_than(&by);
        let key = key_of(pair, &enemy);
        let orders = signed(Body { by: enemy.clone(), ..held.body().clone() }, &key);
        for strange in [orders, audit_of(&enemy, held, &key)] {
            let (alone, held) = judged(records, &[&strange]);
            assert_eq!(alone, None, "record {at}");
            // Who has the first packet only the rules tell; before that it is ill-formed for its signer.
            let code = held.as_ref().map_or(Code::Bug, |(_, code, _)| *code);
            assert!(code == Code::Kind || at == 2 && code == Code::Schema, "{code}");
            assert_eq!(held, Some((at as u32, code, Some(enemy.clone()))), "record {at}");
            // Two copies of the ledger that differ in it say the same, from either side.
            let mut theirs = records[..at].to_vec();
            theirs.push(strange.clone());
            assert_eq!(parts(records, &theirs), Some((at as u32, code, Some(enemy.clone()))));
            assert_eq!(parts(&theirs, records), Some((at as u32, code, Some(enemy.clone()))));
            // The victim's own program refuses it, and the game goes on.
            let which = pair.seats.iter().position(|seat| *seat.role() == by).expect("a player");
            let folder = copied(&pair.homes[which]);
            let mut seat = Seat::open(records.to_vec(), &lay, &home(&folder)).expect("opened");
            let received = seat.receive(vec![strange]);
            let [(_, finding)] = received.refused.as_slice() else { panic!("{received:?}") };
            assert_eq!((finding.code, finding.fault.as_ref()), (code, Some(&enemy)));
            assert_eq!(seat.ledger().records(), records);
        }
    }
}

#[test]
fn what_was_refused_and_corrected_is_no_fork_and_one_body_is_one_record() {
    let (pair, records) = (game(), game().records());
    let at = records.iter().rposition(|record| record.body().data.get("nonce").is_some()).expect("orders");
    let by = records[at].body().by.clone();
    let mut body = records[at].body().clone();
    body.data.as_map_mut().expect("an object").insert("time".to_owned(), Json::Int(5));
    let bad = signed(body, &key_of(pair, &by));
    assert_eq!(judged(records, &[&bad]), (None, Some((at as u32, Code::Schema, Some(by.clone())))));
    // The same body, badly signed, stands before the good one: nothing is hidden by it.
    let mut json = records[at].to_json();
    *json.pointer_mut("/sig").expect("a signature") = Json::from("0".repeat(128));
    let shadow = Record::from_json(&json).expect("well-formed");
    assert_eq!(shadow.id(), records[at].id());
    assert_eq!(judged(records, &[&shadow]), (None, None));
    // A second version of the same orders is one: whoever signed both.
    let mut body = records[at].body().clone();
    body.data.as_map_mut().expect("an object").insert("policies".to_owned(), Json::map());
    let second = signed(body, &key_of(pair, &by));
    assert_eq!(judged(records, &[&second]).0, Some((at as u32, Code::Fork, Some(by.clone()))));
    assert_eq!(
        parts(records, &[&records[..at], std::slice::from_ref(&second)].concat()),
        Some((at as u32, Code::Fork, Some(by)))
    );
    // Whether both are in order only the rules tell; without them nobody is named.
    let unknown = |_: &Genesis| Err(Finding::new(Code::Engine, "this game is not known here"));
    let found = verify(&with(records, &[&second]), &unknown, &Vision::public());
    assert_eq!(found.divergence.as_ref().map(|d| (d.finding.code, d.finding.fault.clone())), Some((Code::Fork, None)));
    assert_eq!(found.exit_code(), 2);
    // What is in one ledger and not in the other is longer, not different.
    assert_eq!(parts(records, &records[..at]), None);
}

#[test]
fn one_link_for_two_orders_is_a_fork_wherever_it_stands() {
    let (pair, records) = (game(), game().records());
    let at = records.iter().rposition(|record| record.body().kind == RecordKind::Result).expect("a result");
    let closer = records[at].body().by.clone();
    let mut body = records[at].body().clone();
    *body.data.pointer_mut("/orders").expect("orders") = Json::from(Id::ZERO.to_string());
    body.prev = Id::ZERO;
    let stray = signed(body.clone(), &key_of(pair, &closer));
    assert_eq!(judged(records, &[&stray]).0, Some((at as u32, Code::Fork, Some(closer.clone()))));
    // Nobody else can make such a record.
    let forged = signed(body, &key_of(pair, &other_than(&closer)));
    assert_eq!(judged(records, &[&forged]).0, None);
}

#[test]
fn a_restored_backup_is_not_led_into_a_fork() {
    let mut pair =
        Pair::begin(games::find("santiago-1898").expect("a game"), &Charter::default(), false, None, "backup");
    pair.play(6);
    // Whoever is to decide now makes a copy of everything, signs, and gets the answer.
    let at = usize::from(pair.seats[0].to_decide().is_none());
    let before: Vec<Record> = pair.seats[at].ledger().records().to_vec();
    let backup = copied(&pair.homes[at]);
    let side = pair.seats[at].to_decide().expect("a decision");
    let said = at_random(pair.seats[at].ledger(), side, &mut Chance::new("first thoughts"));
    let own = pair.seats[at].send(&said).expect("signed");
    pair.mail(at);
    pair.act(1 - at);
    let answers: Vec<Record> = pair.seats[1 - at].outgoing().iter().map(mailed).collect();
    assert!(!answers.is_empty());
    // Folder and secrets are restored from the copy, and the answers come.
    let mut seat = Seat::open(before, &lay, &home(&backup)).expect("opened");
    let received = seat.receive(answers.clone());
    assert_eq!((received.early.len(), received.taken.len()), (answers.len(), 0));
    assert_eq!(seat.missing(), Some(own.body().seq), "ask for it");
    let other = at_random(seat.ledger(), side, &mut Chance::new("second thoughts"));
    match seat.send(&other) {
        Err(LedgerTrouble::NotSigned(NotSigned::Missing(seq))) => assert_eq!(seq, own.body().seq),
        signed => panic!("{:?}", signed.map(|record| record.id())),
    }
    assert_eq!(seat.advance().expect("nothing"), []);
    // It comes back, and everything goes on; values it sealed are found again or named.
    let received = seat.receive([vec![own.clone()], answers].concat());
    assert_eq!(received.refused, []);
    assert_eq!(seat.missing(), None);
    let hides = own.body().data.get("hide").and_then(Json::as_list).map_or(0, <[Json]>::len);
    assert!(received.lost.len() <= hides, "{:?}", received.lost);
    assert!(check(seat.ledger().records(), &seat.vision()).divergence.is_none());
}

#[test]
fn a_misnamed_slot_is_its_signers_fault_when_it_is_heard() {
    let ruleset = games::find("santiago-campaign").expect("a game");
    let mut pair = Pair::begin(ruleset, &Charter::default(), false, None, "slots");
    pair.play(4);
    let spain = role("spain");
    let at = pair.records().iter().position(|r| r.body().data.pointer("/orders/deploy").is_some()).expect("a set-up");
    let text = pair.records()[at].body().data.to_string();
    assert!(text.contains("sp-01"), "{text}");
    for (from, to) in [("sp-01", "sp-99"), ("sp-01", "standing/retreat")] {
        let mut body = pair.records()[at].body().clone();
        body.data = Json::parse_canonical(text.replace(from, to).as_bytes()).expect("canonical");
        let strange = signed(body, &key_of(&pair, &spain));
        let mut all = pair.records()[..at].to_vec();
        all.push(strange.clone());
        let found = check(&all, &Vision::public());
        let found = found.divergence.map(|d| (d.seq as usize, d.finding.code, d.finding.fault));
        assert_eq!(found, Some((at, Code::Schema, Some(spain.clone()))), "{to}");
        // The opponent does not take it, owes nothing, and takes a right one afterwards.
        let us = pair.seats.iter().position(|seat| *seat.role() == role("us")).expect("a player");
        let folder = copied(&pair.homes[us]);
        let mut seat = Seat::open(pair.records()[..at].to_vec(), &lay, &home(&folder)).expect("opened");
        let received = seat.receive(vec![strange]);
        assert_eq!(
            received.refused.first().map(|(_, f)| (f.code, f.fault.clone())),
            Some((Code::Schema, Some(spain.clone())))
        );
        assert_eq!(seat.receive(vec![pair.records()[at].clone()]).refused, []);
    }
}

#[test]
fn nothing_sealed_is_signed_where_nothing_is_sealed() {
    let ruleset = games::find("santiago-campaign").expect("a game");
    let folder = tempfile::tempdir().expect("a folder");
    let table = ruleset.open(&Charter::default()).expect("a table");
    let seat =
        Seat::begin(table, Company::Solo, terms(&Charter::default(), false, None), &home(&folder)).expect("begun");
    let ledger = seat.ledger();
    let orders =
        Json::object([("deploy", Json::object([("0405", Json::List(vec![Json::object([("sealed", "sp-01")])]))]))]);
    let data = Json::object([
        ("nonce", Json::from("0".repeat(64))),
        ("state", Json::from(ledger.replay().state_hash().to_string())),
        ("orders", orders),
        ("for", Json::from(ledger.replay().stop().who().map_or("", Side::as_str))),
    ]);
    let body = Body {
        by: Role::solo(),
        data,
        game: ledger.protocol().game(),
        kind: RecordKind::Orders,
        prev: ledger.protocol().head(),
        seq: 1,
    };
    let record = signed(body, &home(&folder).identity().expect("a key"));
    let all = [ledger.records(), &[record]].concat();
    let found = check(&all, &Vision::public()).divergence.expect("found");
    assert_eq!((found.seq, found.finding.code, found.finding.fault), (1, Code::Schema, Some(Role::solo())));
}

/// A game master with two players who sign.
fn club(seed: &str) -> (Vec<TempDir>, Seat, Vec<Seat>) {
    let homes: Vec<TempDir> = (0..3).map(|_| tempfile::tempdir().expect("a folder")).collect();
    let table = games::find("santiago-1898").expect("a game").open(&Charter::default()).expect("a table");
    let terms = terms(&Charter::default(), false, None);
    let mut gm = Seat::host(table, vec![role("spain"), role("us")], terms, &home(&homes[0])).expect("begun");
    let mut players = join_all(&mut gm, &homes[1..]);
    let mut chance = Chance::new(seed);
    for _ in 0..3 {
        let who = gm.ledger().awaited().who().cloned().expect("somebody");
        let at = players.iter().position(|player| *player.role() == who).expect("a player");
        let side = players[at].to_decide().expect("a decision");
        let said = at_random(players[at].ledger(), side, &mut chance);
        let record = players[at].send(&said).expect("signed");
        assert_eq!(gm.receive(vec![mailed(&record)]).refused, []);
        gm.advance().expect("closed");
        send_out(&gm, &mut players);
    }
    (homes, gm, players)
}

#[test]
fn a_late_mail_does_not_ruin_the_folder_of_a_player_the_game_went_on_without() {
    let (homes, mut gm, mut players) = club("late");
    let who = gm.ledger().awaited().who().cloned().expect("somebody");
    let at = players.iter().position(|player| *player.role() == who).expect("a player");
    let side = players[at].to_decide().expect("a decision");
    let said = at_random(players[at].ledger(), side, &mut Chance::new("too late"));
    let late = players[at].send(&said).expect("signed");
    // The mail is not there in time, and the game master goes on.
    gm.no_moves().expect("signed");
    gm.advance().expect("closed");
    let sent: Vec<Record> = gm.outgoing().iter().map(mailed).collect();
    let received = players[at].receive(sent.clone());
    assert_eq!((received.refused, received.late), (vec![], vec![late.clone()]));
    assert_eq!(players[at].ledger().records(), gm.ledger().records(), "the game master's branch is taken");
    // The game master gets the mail now: no fault, and nothing changes.
    let received = gm.receive(vec![mailed(&late)]);
    assert_eq!((received.refused, received.late), (vec![], vec![late.clone()]));
    assert_eq!(judged(gm.ledger().records(), &[&late]), (None, None));
    // Even if the player has thrown his record away: it comes back out of his secrets and gives way again.
    let before = gm.ledger().records()[..late.body().seq as usize].to_vec();
    let mut again = Seat::open(before, &lay, &home(&homes[at + 1])).expect("opened");
    assert_eq!(again.receive(sent).refused, []);
    assert_eq!(again.ledger().records(), gm.ledger().records());
    // He plays on.
    let next = gm.ledger().awaited().who().cloned().expect("somebody");
    send_out(&gm, &mut players);
    let at = players.iter().position(|player| *player.role() == next).expect("a player");
    let side = players[at].to_decide().expect("a decision");
    let said = at_random(players[at].ledger(), side, &mut Chance::new("on"));
    let record = players[at].send(&said).expect("signed");
    assert_eq!(gm.receive(vec![record]).refused, []);
}

#[test]
fn a_game_master_who_closed_a_record_cannot_sign_another_for_its_place() {
    let (homes, gm, players) = club("twice");
    let records = gm.ledger().records();
    let at = records.iter().rposition(|r| r.body().kind == RecordKind::Orders).expect("orders");
    let side = records[at].body().by.clone();
    let mut data = records[at].body().data.clone();
    let members = data.as_map_mut().expect("an object");
    members.insert("nmr".to_owned(), Json::Bool(true));
    members.insert("file_sha256".to_owned(), Json::from("0".repeat(64)));
    members.insert("for".to_owned(), Json::from(side.as_str()));
    members.insert("nonce".to_owned(), Json::from(records[at].body().prev.to_string()));
    let key = home(&homes[0]).identity().expect("a key");
    let second = signed(Body { by: Role::gm(), data, ..records[at].body().clone() }, &key);
    assert_eq!(judged(records, &[&second]), (None, Some((at as u32, Code::Kind, Some(Role::gm())))));
    let which = players.iter().position(|player| *player.role() == side).expect("a player");
    let mut player = Seat::open(records.to_vec(), &lay, &home(&homes[which + 1])).expect("opened");
    let received = player.receive(vec![second]);
    assert_eq!(received.refused.first().map(|(_, f)| (f.code, f.fault.clone())), Some((Code::Kind, Some(Role::gm()))));
}

#[test]
fn the_terms_of_an_offer_leave_nobody_short_of_links() {
    let pair = game();
    let founder = pair.records()[0].body().by.clone();
    for links in [2u32, 8, 4095, 65_536] {
        let mut body = pair.records()[0].body().clone();
        *body.data.pointer_mut("/links").expect("links") = Json::from(links);
        let offer = signed(body, &key_of(pair, &founder));
        let found = check(std::slice::from_ref(&offer), &Vision::public()).divergence.expect("found");
        assert_eq!((found.seq, found.finding.code, found.finding.fault), (0, Code::Schema, Some(founder.clone())));
        let folder = tempfile::tempdir().expect("a folder");
        assert!(Seat::join(vec![offer], None, &lay, &home(&folder)).is_err(), "nobody sits down at it");
    }
}

#[test]
fn a_founder_who_refuses_his_audit_does_not_keep_the_other_from_his() {
    let ruleset = games::find("lone-warrior").expect("a game");
    let mut pair = Pair::begin(ruleset, &crate::players::charter_of("el-caney", &[]), false, None, "audits");
    pair.play(1000);
    let records = pair.records().to_vec();
    let audits: Vec<usize> = (0..records.len()).filter(|at| records[*at].body().kind == RecordKind::Audit).collect();
    assert_eq!(audits.len(), 2, "both audits are in");
    let end = audits[0];
    let founder = records[0].body().by.clone();
    let at = pair.seats.iter().position(|seat| *seat.role() != founder).expect("the joiner");
    // The joiner's alone, right behind the end: it is due, and the founder owes his.
    let folder = copied(&pair.homes[at]);
    forget_how_far(folder.path());
    let mut joiner = Seat::open(records[..end].to_vec(), &lay, &home(&folder)).expect("opened");
    joiner.advance().expect("the audit");
    let found = check(joiner.ledger().records(), &Vision::public());
    assert_eq!((found.exit_code(), found.owed.clone()), (3, Some((founder.clone(), "audit"))), "{}", found.report(""));
    // Both sign for one place: that of the founder stands, the other is signed again behind it.
    let first = 1 - at;
    let folder = copied(&pair.homes[first]);
    forget_how_far(folder.path());
    let mut other = Seat::open(records[..end].to_vec(), &lay, &home(&folder)).expect("opened");
    other.advance().expect("the audit");
    let theirs = other.ledger().records()[end..].to_vec();
    let received = joiner.receive(theirs);
    assert_eq!((received.refused.len(), received.late.len()), (0, 1));
    joiner.advance().expect("signed again");
    let found = check(joiner.ledger().records(), &Vision::public());
    assert_eq!(found.exit_code(), 0, "{}", found.report(""));
    assert_eq!(joiner.ledger().records().len(), end + 2);
}
