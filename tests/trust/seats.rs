//! Seats that change hands: recovery keys, handovers, new chains, lost secrets; and those who would take a seat.

use std::path::PathBuf;
use std::process::Command;

use crate::players::{Pair, check, home, mailed, role};
use garcia::engine::dice::Chance;
use garcia::engine::{Charter, Json};
use garcia::trust::handover::{Bundle, Told};
use garcia::trust::key::PrivateKey;
use garcia::trust::ledger::Terms;
use garcia::trust::motion::{Outcome, rekey_proof};
use garcia::trust::record::{Body, Record, RecordKind};
use garcia::trust::replay::Vision;
use garcia::trust::seat::{Awaited, Seat};
use garcia::trust::secret::commitment;
use tempfile::TempDir;

fn script(records: &[Record]) -> Option<(i32, String)> {
    let folder = tempfile::tempdir().expect("a folder");
    for record in records {
        std::fs::write(folder.path().join(record.file_name()), record.to_yaml()).expect("written");
    }
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/verify.py");
    let output = Command::new("python3").arg(path).arg(folder.path()).output().ok()?;
    Some((output.status.code()?, String::from_utf8_lossy(&output.stdout).into_owned()))
}

fn report(records: &[Record]) -> String {
    check(records, &Vision::public()).report("")
}

fn good(records: &[Record]) {
    assert_eq!(check(records, &Vision::public()).divergence, None, "{}", report(records));
    if let Some((code, said)) = script(records) {
        assert_eq!(code, 4, "{said}");
    }
}

fn wrong(records: &[Record], seq: u32, code: &str, fault: Option<&str>) {
    let found = check(records, &Vision::public()).divergence.unwrap_or_else(|| panic!("{}", report(records)));
    let said = (found.seq, found.finding.code.as_str(), found.finding.fault.as_ref().map(|role| role.as_str()));
    assert_eq!(said, (seq, code, fault), "{}", report(records));
    if let Some((_, words)) = script(records) {
        assert!(words.contains(code), "{words}");
    }
}

/// Two players, both with a recovery key, in a game with something face down; played until the first of them is due at an
/// edge.
fn with_recovery(game: &str, seed: &str) -> (Pair, PrivateKey, usize) {
    let recovery = PrivateKey::from_seed(&[77; 32]);
    let homes = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let ruleset = garcia::games::find(game).expect("a game");
    let table = ruleset.open(&Charter::default()).expect("a table");
    let terms = Terms { recovery: Some(recovery.public()), ..Terms::default() };
    let one = Seat::offer(table, &role("spain"), terms, &home(&homes[0])).expect("offered");
    let offer = one.ledger().records().iter().map(mailed).collect();
    let two = Seat::join(offer, None, &crate::players::lay, &home(&homes[1])).expect("joined");
    let mut pair = Pair { homes, seats: [one, two], chance: Chance::new(seed) };
    pair.mail(1);
    pair.play(8);
    assert!(to_edge(&mut pair), "the game is over too early");
    (pair, recovery, 0)
}

fn edge_of(pair: &Pair, at: usize) -> bool {
    let ledger = pair.seats[at].ledger();
    ledger.protocol().at_edge() && ledger.awaited().who() == Some(pair.seats[at].role())
}

/// Plays until the first of the two is due at an edge; false if the game ends before.
fn to_edge(pair: &mut Pair) -> bool {
    for _ in 0..400 {
        if edge_of(pair, 0) {
            return true;
        }
        if matches!(pair.seats[0].ledger().awaited(), Awaited::Audit(_) | Awaited::Nothing) {
            return false;
        }
        step(pair);
    }
    panic!("nothing goes on: {:?} is awaited", pair.seats[0].ledger().awaited());
}

/// Whoever can does one thing.
fn step(pair: &mut Pair) {
    for at in 0..2 {
        pair.seats[at].advance().expect("advanced");
        pair.mail(at);
    }
    if edge_of(pair, 0) {
        return;
    }
    let at = usize::from(pair.seats[1].to_decide().is_some());
    pair.act(at);
    pair.mail(at);
}

/// The computer is gone: another home with the same secrets of the game and another key.
fn new_computer(pair: &Pair, at: usize) -> (TempDir, Seat) {
    let folder = tempfile::tempdir().expect("a folder");
    let secrets = pair.homes[at].path().join("secrets");
    std::fs::create_dir(folder.path().join("secrets")).expect("made");
    for entry in std::fs::read_dir(secrets).expect("listed").flatten() {
        if entry.file_name().to_string_lossy().ends_with(".yaml") {
            std::fs::copy(entry.path(), folder.path().join("secrets").join(entry.file_name())).expect("copied");
        }
    }
    let seat =
        Seat::open(pair.seats[at].ledger().records().to_vec(), &crate::players::lay, &home(&folder)).expect("open");
    (folder, seat)
}

/// Ends the game by agreement, if the rules have not ended it, and plays the audits.
fn ended(pair: &mut Pair) {
    if to_edge(pair) {
        pair.seats[0].move_end(Outcome::Drawn, None, None).expect("moved");
        pair.mail(0);
        pair.seats[1].answer_motion(true, None).expect("accepted");
        pair.mail(1);
    }
    pair.play(usize::MAX);
    assert_eq!(check(pair.records(), &Vision::public()).level.to_string(), "L4", "{}", report(pair.records()));
    good(pair.records());
}

#[test]
fn a_lost_key_is_replaced_with_the_recovery_key_and_the_old_secrets_open_nothing_new() {
    let (mut pair, recovery, at) = with_recovery("santiago-campaign", "recovered");
    let old_key = home(&pair.homes[at]).identity().expect("a key");
    let (game, me) = (pair.records()[0].id(), pair.seats[at].role().clone());
    let old_hide = home(&pair.homes[at]).game(&game, &me).expect("secrets").secret().hide();
    let (folder, mut seat) = new_computer(&pair, at);
    assert!(!seat.holds_the_seat());
    let refused = seat.move_end(Outcome::Drawn, None, None).expect_err("with a key nobody knows");
    assert!(refused.to_string().contains("garcia motion rekey"), "{refused}");
    assert!(seat.advance().expect("nothing").is_empty());
    let request = seat.request(None, false, &Told::new()).expect("a request");
    assert!(seat.recover(&request, &PrivateKey::from_seed(&[78; 32])).is_err(), "another recovery key");
    let record = seat.recover(&request, &recovery).expect("signed");
    let sealed = request.hide.len();
    assert!(sealed > 5, "everything is sealed anew: {sealed}");
    for hide in &request.hide {
        let value = seat.secrets().value(&hide.slot, hide.version).expect("kept").clone();
        let by_old = commitment(&game, &me, &hide.slot, hide.version, &old_hide.salt(&hide.slot, hide.version), &value);
        assert_ne!(by_old, hide.commit, "{}", hide.slot);
    }
    pair.seats[at] = seat;
    pair.homes[at] = folder;
    pair.mail(at);
    good(pair.records());
    let said = report(pair.records());
    assert!(said.contains("W75-SEAT") && said.contains("recovery key"), "{said}");
    // What the old key signs counts for nothing.
    let protocol = pair.seats[at].ledger().protocol();
    let body = Body { prev: record.id(), seq: protocol.next(), ..record.body().clone() };
    let stale = Record::sign(body, &old_key).expect("signed");
    wrong(&[pair.records(), &[stale]].concat(), record.body().seq + 1, "E03-SIG", None);
    let length = pair.records().len();
    pair.play(length + 6);
    assert!(pair.records().len() > length);
    good(pair.records());
    ended(&mut pair);
}

#[test]
fn a_seat_goes_to_another_player_with_everything_he_needs() {
    let (mut pair, _, at) = with_recovery("santiago-campaign", "handed over");
    let json = Bundle::to_json(pair.seats[at].secrets(), pair.seats[at].ledger().records());
    let bundle = Bundle::read(&json).expect("a bundle");
    let folder = tempfile::tempdir().expect("a folder");
    home(&folder).take_over(bundle.file).expect("kept");
    let mut new = Seat::open(bundle.records, &crate::players::lay, &home(&folder)).expect("open");
    let (fits, missing) = new.held_values();
    assert!(fits > 5 && missing.is_empty(), "{fits} {missing:?}");
    let request = new.request(None, false, &Told::new()).expect("a request");
    let record = pair.seats[at].grant(&request, None).expect("signed with the old key");
    assert!(!pair.seats[at].holds_the_seat(), "the predecessor has handed it over");
    let received = new.receive(vec![mailed(&record)]);
    assert_eq!((received.taken.len(), received.refused), (1, vec![]));
    assert_eq!(pair.seats[1 - at].receive(vec![mailed(&record)]).refused, []);
    pair.seats[at] = new;
    pair.homes[at] = folder;
    assert!(report(pair.records()).contains("old key"), "{}", report(pair.records()));
    let length = pair.records().len();
    pair.play(length + 8);
    ended(&mut pair);
}

fn motion(pair: &Pair, at: usize, key: &PrivateKey, members: Vec<(&str, Json)>) -> Record {
    let protocol = pair.seats[at].ledger().protocol();
    let body = Body {
        by: pair.seats[at].role().clone(),
        data: Json::object(members),
        game: protocol.game(),
        kind: RecordKind::Motion,
        prev: protocol.head(),
        seq: protocol.next(),
    };
    Record::sign(body, key).expect("signed")
}

#[test]
fn nobody_takes_a_seat_that_is_not_his() {
    let (mut pair, recovery, at) = with_recovery("santiago-1898", "thieves");
    let seq = pair.records().len() as u32;
    let (spain, us) = (pair.seats[at].role().clone(), pair.seats[1 - at].role().clone());
    let mine = home(&pair.homes[at]).identity().expect("a key");
    let theirs = home(&pair.homes[1 - at]).identity().expect("a key");
    let protocol = pair.seats[at].ledger().protocol().clone();
    let (game, prev) = (protocol.game().expect("a game"), protocol.head());
    let thief = PrivateKey::from_seed(&[5; 32]);
    let anchor = Json::from(PrivateKey::from_seed(&[6; 32]).public().to_string());
    let rekey = |key: &PrivateKey, signed_by: &PrivateKey| {
        let proof = signed_by.sign(&rekey_proof(&game, &spain, &key.public(), &prev));
        vec![
            ("what", Json::from("rekey")),
            ("role", Json::from(spain.as_str())),
            ("key", Json::from(key.public().to_string())),
            ("proof", Json::from(proof.to_string())),
            ("anchor", anchor.clone()),
        ]
    };
    let with = |record: Record| [pair.records(), &[record]].concat();
    // The opponent never.
    wrong(&with(motion(&pair, 1 - at, &theirs, rekey(&thief, &thief))), seq, "E13-KIND", Some(us.as_str()));
    // A key nobody has, a key that is somebody's already.
    wrong(&with(motion(&pair, at, &mine, rekey(&thief, &mine))), seq, "E14-SCHEMA", Some(spain.as_str()));
    wrong(&with(motion(&pair, at, &mine, rekey(&theirs, &theirs))), seq, "E13-KIND", Some(spain.as_str()));
    // The old key does not change the recovery key; the recovery key does.
    let mut changed = rekey(&thief, &thief);
    changed.push(("recovery", Json::from(PrivateKey::from_seed(&[7; 32]).public().to_string())));
    wrong(&with(motion(&pair, at, &mine, changed.clone())), seq, "E14-SCHEMA", Some(spain.as_str()));
    let by_recovery = with(motion(&pair, at, &recovery, changed));
    let found = check(&by_recovery, &Vision::public()).divergence;
    assert!(found.as_ref().is_none_or(|found| found.finding.code.as_str() == "E14-SCHEMA"), "{found:?}");
    // An anchor of the ledger, or none.
    let known = protocol.signatories()[&us].tip.expect("a chain").to_string();
    let mut stolen = rekey(&thief, &thief);
    stolen[4].1 = Json::from(known);
    wrong(&with(motion(&pair, at, &mine, stolen)), seq, "E14-SCHEMA", Some(spain.as_str()));
    let mut none = rekey(&thief, &thief);
    none.pop();
    wrong(&with(motion(&pair, at, &mine, none)), seq, "E14-SCHEMA", Some(spain.as_str()));
    // A stranger's signature is nobody's fault, and the honest folder plays on.
    let strange = motion(&pair, at, &thief, rekey(&thief, &thief));
    wrong(&with(strange.clone()), seq, "E03-SIG", None);
    assert_eq!(pair.seats[1 - at].receive(vec![strange]).taken, []);
    assert!(pair.act(at));
    pair.mail(at);
    good(pair.records());
}

#[test]
fn a_new_chain_counts_from_one_and_both_are_audited() {
    let (mut pair, _, at) = with_recovery("santiago-campaign", "reanchored");
    let me = pair.seats[at].role().clone();
    pair.seats[at].move_reanchor(false, &Told::new()).expect("moved");
    pair.mail(at);
    assert_eq!(pair.seats[1 - at].ledger().protocol().signatories()[&me].used, 0);
    let length = pair.records().len();
    pair.play(length + 10);
    good(pair.records());
    assert!(pair.seats[at].ledger().protocol().signatories()[&me].used > 0);
    // A link of the old chain fits no more.
    let old = pair.records()[..length].iter().rev().find(|r| r.body().kind == RecordKind::Result && r.body().by == me);
    let new = pair.records()[length..].iter().position(|r| r.body().kind == RecordKind::Result && r.body().by == me);
    if let (Some(old), Some(new)) = (old, new) {
        let mut records = pair.records()[..length + new].to_vec();
        let mut body = pair.records()[length + new].body().clone();
        *body.data.pointer_mut("/link").expect("link") = old.body().data.get("link").expect("link").clone();
        records.push(Record::sign(body, &home(&pair.homes[at]).identity().expect("a key")).expect("signed"));
        wrong(&records, (length + new) as u32, "E20-LINK", Some(me.as_str()));
    }
    ended(&mut pair);
}

#[test]
fn lost_secrets_go_by_consent_and_are_listed() {
    for accepts in [true, false] {
        let (mut pair, recovery, at) = with_recovery("santiago-1898", "lost");
        // Orders are on the table, and the one who owes their result has lost everything but his recovery key.
        while !matches!(pair.seats[1].ledger().awaited(), Awaited::Result(who) if who == *pair.seats[at].role()) {
            pair.seats[at].advance().expect("advanced");
            if pair.seats[at].to_decide().is_some() {
                pair.act(at);
            }
            pair.mail(at);
            pair.seats[1].advance().expect("advanced");
            let Some(side) = pair.seats[1].to_decide() else {
                pair.mail(1);
                continue;
            };
            let said = crate::players::at_random(pair.seats[1].ledger(), side, &mut pair.chance);
            pair.seats[1].send(&said).expect("sent");
        }
        let (game, me) = (pair.records()[0].id(), pair.seats[at].role().clone());
        let folder = tempfile::tempdir().expect("a folder");
        let fresh = garcia::trust::secret::GameSecret::fresh().expect("randomness");
        home(&folder).begin_game(game, me.clone(), fresh, 4096).expect("kept");
        let records: Vec<Record> = pair.seats[1].ledger().records().iter().map(mailed).collect();
        let mut seat = Seat::open(records, &crate::players::lay, &home(&folder)).expect("open");
        assert!(seat.advance().expect("nothing can be closed").is_empty());
        let request = seat.request(None, true, &Told::new()).expect("a request");
        seat.recover(&request, &recovery).expect("signed");
        pair.seats[at] = seat;
        pair.homes[at] = folder;
        pair.mail(at);
        pair.seats[1].answer_motion(accepts, None).expect("answered");
        pair.mail(1);
        good(pair.records());
        let said = report(pair.records());
        if !accepts {
            assert!(said.contains("W77-PAPER") && said.contains("owes: result"), "{said}");
            continue;
        }
        assert!(said.contains("W71-LOST") && said.contains(&format!("{me} owed: result")), "{said}");
        let length = pair.records().len();
        pair.play(length + 8);
        assert!(pair.records().len() > length, "the game goes on");
        ended(&mut pair);
    }
}
