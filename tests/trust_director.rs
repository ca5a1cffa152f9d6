//! The director: deposits, results for a player who fell silent, and what he must not do. Papers beside the ledger.

mod players;

use std::path::PathBuf;
use std::process::Command;

use garcia::engine::dice::Chance;
use garcia::engine::{Charter, Json};
use garcia::trust::key::PrivateKey;
use garcia::trust::ledger::Terms;
use garcia::trust::motion::Outcome;
use garcia::trust::paper::{Kind, Paper};
use garcia::trust::record::{Record, RecordKind};
use garcia::trust::replay::Vision;
use garcia::trust::role::Role;
use garcia::trust::seat::{Awaited, Seat};
use players::{Pair, at_random, check, home, mailed, role};
use tempfile::TempDir;

struct Match {
    pair: Pair,
    director: Seat,
    office: TempDir,
}

fn report(records: &[Record]) -> String {
    check(records, &Vision::public()).report("")
}

fn good(records: &[Record]) {
    assert_eq!(check(records, &Vision::public()).divergence, None, "{}", report(records));
    let folder = tempfile::tempdir().expect("a folder");
    for record in records {
        std::fs::write(folder.path().join(record.file_name()), record.to_yaml()).expect("written");
    }
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/verify.py");
    if let Ok(output) = Command::new("python3").arg(path).arg(folder.path()).output() {
        assert_eq!(output.status.code(), Some(4), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

impl Match {
    fn begin(game: &str, seed: &str) -> Match {
        let office = tempfile::tempdir().expect("a folder");
        let key = home(&office).identity().expect("a key").public();
        let homes = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
        let table = garcia::games::find(game).expect("a game").open(&Charter::default()).expect("a table");
        let terms = Terms { director: Some(key), ..Terms::default() };
        let one = Seat::offer(table, &role("spain"), terms, &home(&homes[0])).expect("offered");
        let offer: Vec<Record> = one.ledger().records().iter().map(mailed).collect();
        let director = Seat::direct(offer.clone(), &players::lay, &home(&office)).expect("he sits down");
        assert_eq!(director.role(), &Role::director());
        let stranger = tempfile::tempdir().expect("a folder");
        assert!(Seat::direct(offer.clone(), &players::lay, &home(&stranger)).is_err(), "another key");
        let two = Seat::join(offer, None, &players::lay, &home(&homes[1])).expect("joined");
        let mut pair = Pair { homes, seats: [one, two], chance: Chance::new(seed) };
        pair.mail(1);
        Match { pair, director, office }
    }

    /// Everything both have written goes to the director, with their deposits.
    fn copy(&mut self) {
        let records: Vec<Record> = self.pair.records().iter().map(mailed).collect();
        assert_eq!(self.director.receive(records).refused, []);
        for seat in &self.pair.seats {
            let deposit = seat.deposit().expect("a deposit");
            let used = seat.ledger().protocol().signatories()[seat.role()].used;
            assert_eq!(deposit.index, used + 4);
            let kind = self.director.take_deposit(deposit).expect("it fits");
            assert!(matches!(kind, Kind::Deposited { .. }));
        }
    }

    /// Plays until orders wait for a result, with deposits made before; says who owes it and who waits.
    fn silent(&mut self) -> (usize, usize) {
        self.pair.play(9);
        for _ in 0..400 {
            for at in 0..2 {
                self.pair.seats[at].advance().expect("advanced");
                self.pair.mail(at);
            }
            self.copy();
            let at = usize::from(self.pair.seats[1].to_decide().is_some());
            let Some(side) = self.pair.seats[at].to_decide() else { continue };
            let said = at_random(self.pair.seats[at].ledger(), side, &mut self.pair.chance);
            self.pair.seats[at].send(&said).expect("sent");
            let owes = match self.pair.seats[at].ledger().awaited() {
                Awaited::Result(who) => usize::from(*self.pair.seats[1].role() == who),
                _ => {
                    self.pair.seats[at].advance().expect("advanced");
                    self.pair.mail(at);
                    continue;
                }
            };
            if owes != at {
                return (owes, at);
            }
        }
        panic!("the match was over before anybody fell silent");
    }

    fn notice(&self, waits: usize, owes: &Role) -> Paper {
        let record = self.pair.seats[waits].ledger().protocol().head();
        let kind = Kind::Notice { record, owes: owes.clone(), what: "result".to_owned() };
        self.pair.seats[waits].sign_paper(kind).expect("signed")
    }
}

#[test]
fn a_director_closes_for_the_silent_with_the_link_they_left() {
    for game in ["santiago-1898", "santiago-campaign"] {
        let mut table = Match::begin(game, "silence");
        let (owes, waits) = table.silent();
        let (silent, waiting) = (table.pair.seats[owes].role().clone(), table.pair.seats[waits].role().clone());
        let orders = table.pair.seats[waits].ledger().records().last().expect("orders").clone();
        assert_eq!(table.director.receive(vec![mailed(&orders)]).refused, []);
        let notice = table.notice(waits, &silent);
        let record = table.director.close_for(&silent, notice.to_json()).unwrap_or_else(|e| panic!("{game}: {e}"));
        assert_eq!(record.body().by, Role::director());
        let received = table.pair.seats[waits].receive(vec![mailed(&record)]);
        assert_eq!((received.taken.len(), received.refused), (1, vec![]), "{game}");
        good(table.pair.seats[waits].ledger().records());
        let said = report(table.pair.seats[waits].ledger().records());
        assert!(said.contains("W75-SEAT") && said.contains(&format!("closed for {silent}")), "{said}");
        // It is the very result the silent one would have made, but for what he would have hidden.
        table.pair.seats[owes].receive(vec![mailed(&orders)]);
        let own = table.pair.seats[owes].advance().expect("he wakes").into_iter().next().expect("a result");
        for name in ["orders", "index", "link", "rolls", "reveals", "state", "stop"] {
            assert_eq!(own.body().data.get(name), record.body().data.get(name), "{game} {name}");
        }
        // Who waited has not spoken since: the one who woke is heard, and the other lies aside, without anybody's fault.
        let received = table.pair.seats[waits].receive(vec![mailed(&own)]);
        assert_eq!((received.taken.len(), received.late.len(), received.refused), (1, 1, vec![]), "{game} {waiting}");
        let both = [table.pair.seats[waits].ledger().records(), &[record]].concat();
        let verification = check(&both, &Vision::public());
        assert_eq!(verification.divergence, None, "{}", verification.report(""));
        assert!(table.office.path().exists());
    }
}

#[test]
fn a_director_signs_nothing_he_was_not_called_to() {
    let mut table = Match::begin("santiago-1898", "overbearing");
    let (owes, waits) = table.silent();
    let (silent, waiting) = (table.pair.seats[owes].role().clone(), table.pair.seats[waits].role().clone());
    let orders = table.pair.seats[waits].ledger().records().last().expect("orders").clone();
    table.director.receive(vec![mailed(&orders)]);
    let notice = table.notice(waits, &silent).to_json();
    let good_record = table.director.close_for(&silent, notice.clone()).expect("closed");
    let key = home(&table.office).identity().expect("a key");
    let records = table.pair.seats[waits].ledger().records().to_vec();
    let seq = records.len() as u32;
    let judged = |change: &dyn Fn(&mut Json)| {
        let mut body = good_record.body().clone();
        change(&mut body.data);
        let record = Record::sign(body, &key).expect("signed");
        let found = check(&[records.as_slice(), &[record]].concat(), &Vision::public()).divergence.expect("wrong");
        (found.seq, found.finding.code.to_string(), found.finding.fault.map(|role| role.to_string()))
    };
    let director = || Some("director".to_owned());
    let remove = |name: &'static str| move |data: &mut Json| drop(data.as_map_mut().expect("an object").remove(name));
    assert_eq!(judged(&remove("notice")), (seq, "E14-SCHEMA".to_owned(), director()));
    assert_eq!(judged(&remove("for")).1, "E13-KIND");
    // A notice of himself, of the silent one, or about another record.
    let forged = |by: &Role, key: &PrivateKey, record| {
        let kind = Kind::Notice { record, owes: silent.clone(), what: "result".to_owned() };
        Paper::sign(by, records[0].id(), kind, key).to_json()
    };
    let head = records[records.len() - 1].id();
    let theirs = home(&table.pair.homes[waits]).identity().expect("a key");
    for notice in [
        forged(&Role::director(), &key, head),
        forged(&waiting, &key, head),
        forged(&silent, &home(&table.pair.homes[owes]).identity().expect("a key"), head),
        forged(&waiting, &theirs, records[2].id()),
    ] {
        let put = |data: &mut Json| *data.pointer_mut("/notice").expect("notice") = notice.clone();
        assert_eq!(judged(&put), (seq, "E14-SCHEMA".to_owned(), director()));
    }
    // Dice he would like better.
    let has_rolls = good_record.body().data.pointer("/rolls/0/faces/0").is_some();
    if has_rolls {
        let bend = |data: &mut Json| {
            let face = data.pointer_mut("/rolls/0/faces/0").expect("a face");
            *face = Json::Int(if *face == Json::Int(1) { 2 } else { 1 });
        };
        assert_eq!(judged(&bend), (seq, "E30-ROLL".to_owned(), director()));
    }
    // Without a deposit, or beyond it, nothing; and a deposit that does not fit is not taken.
    let mut false_deposit = table.pair.seats[owes].deposit().expect("a deposit");
    false_deposit.link = records[0].id();
    assert!(table.director.take_deposit(false_deposit).is_err());
    let office = tempfile::tempdir().expect("a folder");
    std::fs::copy(table.office.path().join("identity.yaml"), office.path().join("identity.yaml")).expect("copied");
    let mut empty = Seat::direct(records.clone(), &players::lay, &home(&office)).expect("he sits down");
    let refused = empty.close_for(&silent, notice).expect_err("nothing was left with him");
    assert!(refused.to_string().contains("never a way out"), "{refused}");
    // The honest folders go on.
    table.pair.mail(waits);
    table.pair.seats[owes].advance().expect("closed");
    table.pair.mail(owes);
    good(table.pair.records());
}

#[test]
fn what_is_moved_to_the_director_he_answers_and_a_takeback_he_never_grants() {
    let mut table = Match::begin("santiago-1898", "moved to him");
    table.pair.play(9);
    let at = loop {
        for at in 0..2 {
            table.pair.seats[at].advance().expect("advanced");
            table.pair.mail(at);
        }
        let edge =
            |seat: &Seat| seat.ledger().protocol().at_edge() && seat.ledger().awaited().who() == Some(seat.role());
        if let Some(at) = (0..2).find(|at| edge(&table.pair.seats[*at])) {
            break at;
        }
        let at = usize::from(table.pair.seats[1].to_decide().is_some());
        table.pair.act(at);
        table.pair.mail(at);
    };
    table.copy();
    table.pair.seats[at].move_end(Outcome::Drawn, None, Some(Role::director())).expect("moved");
    table.pair.mail(at);
    let motion = table.pair.records().last().expect("a motion").clone();
    assert!(table.pair.seats[1 - at].answer_motion(true, None).is_err(), "it is not his to answer");
    table.director.receive(vec![mailed(&motion)]);
    let answer = table.director.answer_motion(true, None).expect("answered");
    assert_eq!(answer.body().kind, RecordKind::Accept);
    for seat in &mut table.pair.seats {
        assert_eq!(seat.receive(vec![mailed(&answer)]).refused, []);
        assert!(matches!(seat.ledger().awaited(), Awaited::Audit(_)));
    }
    good(table.pair.records());
}
