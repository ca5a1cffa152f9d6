//! The director: deposits, results for a player who fell silent, and what he must not do. Papers beside the ledger.

use std::path::PathBuf;
use std::process::Command;

use crate::players::{Pair, at_random, check, home, mailed, role};
use garcia::engine::dice::Chance;
use garcia::engine::{Charter, Json};
use garcia::trust::handover::{Bundle, Told};
use garcia::trust::key::PrivateKey;
use garcia::trust::ledger::{Pen, Terms};
use garcia::trust::motion::Outcome;
use garcia::trust::paper::{Kind, Paper};
use garcia::trust::record::{Record, RecordKind};
use garcia::trust::replay::Vision;
use garcia::trust::role::Role;
use garcia::trust::seat::{Awaited, Seat};
use garcia::trust::verify::Opened;
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
        Match::at(game, &Charter::default(), "spain", seed)
    }

    fn at(game: &str, charter: &Charter, founder: &str, seed: &str) -> Match {
        let office = tempfile::tempdir().expect("a folder");
        let key = home(&office).identity().expect("a key").public();
        let homes = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
        let table = garcia::games::find(game).expect("a game").open(charter).expect("a table");
        let terms = Terms { charter: charter.clone(), director: Some(key), ..Terms::default() };
        let one = Seat::offer(table, &role(founder), terms, &home(&homes[0])).expect("offered");
        let offer: Vec<Record> = one.ledger().records().iter().map(mailed).collect();
        let director = Seat::direct(offer.clone(), &crate::players::lay, &home(&office)).expect("he sits down");
        assert_eq!(director.role(), &Role::director());
        let stranger = tempfile::tempdir().expect("a folder");
        assert!(Seat::direct(offer.clone(), &crate::players::lay, &home(&stranger)).is_err(), "another key");
        let two = Seat::join(offer, None, &crate::players::lay, &home(&homes[1])).expect("joined");
        let mut pair = Pair { homes, seats: [one, two], chance: Chance::new(seed) };
        pair.mail(1);
        Match { pair, director, office }
    }

    /// Everything both have written goes to the director, with their deposits.
    fn copy(&mut self) {
        let known = self.director.ledger().records().len();
        let records: Vec<Record> = self.pair.records()[known..].iter().map(mailed).collect();
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
        assert_eq!((received.taken.len(), received.early.len(), received.refused), (1, 1, vec![]), "{game} {waiting}");
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
    let mut empty = Seat::direct(records.clone(), &crate::players::lay, &home(&office)).expect("he sits down");
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

impl Match {
    fn at_the_end(&self) -> bool {
        matches!(self.pair.seats[0].ledger().awaited(), Awaited::Audit(_) | Awaited::Nothing)
    }

    /// Who is to give a packet where a turn has ended.
    fn at_edge(&self) -> Option<usize> {
        let edge =
            |seat: &Seat| seat.ledger().protocol().at_edge() && seat.ledger().awaited().who() == Some(seat.role());
        self.pair.seats.iter().position(edge)
    }

    /// Plays to the end, or until it is enough: whoever is due writes his record, and if the closers are silent the director
    /// writes their results; says how often he did.
    fn play_on(&mut self, silent: bool, enough: impl Fn(&Match) -> bool) -> usize {
        let mut closed = 0;
        while !self.at_the_end() && !enough(self) {
            let records = self.pair.records().len();
            let due = self.pair.seats[0].ledger().awaited();
            // Deposits went with the mails that ended a turn or brought a plan, before anybody fell silent.
            if !matches!(due, Awaited::Result(_)) {
                self.copy();
            }
            let who = due.who().expect("somebody is due").clone();
            let at = usize::from(*self.pair.seats[1].role() == who);
            match due {
                Awaited::Result(_) if silent => {
                    let orders = mailed(self.pair.records().last().expect("orders"));
                    assert_eq!(self.director.receive(vec![orders]).refused, []);
                    let notice = self.notice(1 - at, &who);
                    let record = self.director.close_for(&who, notice.to_json()).expect("closed");
                    for seat in &mut self.pair.seats {
                        let received = seat.receive(vec![mailed(&record)]);
                        assert_eq!((received.taken.len(), received.refused), (1, vec![]));
                    }
                    closed += 1;
                }
                Awaited::Packet { side, .. } | Awaited::Answers { side, .. } => {
                    let said = at_random(self.pair.seats[at].ledger(), side, &mut self.pair.chance);
                    self.pair.seats[at].send(&said).expect("sent");
                }
                _ => drop(self.pair.seats[at].advance().expect("advanced")),
            }
            self.pair.mail(at);
            assert!(self.pair.records().len() > records, "{due:?}");
        }
        closed
    }

    /// Both open what they sealed, and both verifiers agree that everything fits.
    fn audited(&mut self) {
        for at in 0..2 {
            self.pair.seats[at].advance().expect("advanced");
            self.pair.mail(at);
        }
        let records = self.pair.records();
        assert_eq!(check(records, &Vision::public()).level.to_string(), "L4", "{}", report(records));
        good(records);
        for seat in &self.pair.seats {
            assert_eq!((seat.ledger().records(), seat.ledger().awaited()), (records, Awaited::Nothing));
        }
    }
}

#[test]
fn a_match_whose_results_the_director_has_to_close_goes_to_its_end_and_its_audits() {
    for game in ["santiago-campaign", "lone-warrior"] {
        let mut table = Match::begin(game, "to the end");
        // A whole match of the smaller game; of the other the turns with sealed plans, until they agree to end it.
        let most = if game == "lone-warrior" { usize::MAX } else { 36 };
        let closed = table.play_on(true, |table| table.pair.records().len() >= most && table.at_edge().is_some());
        if let Some(at) = table.at_edge() {
            table.pair.seats[at].move_end(Outcome::Drawn, None, None).expect("moved");
            table.pair.mail(at);
            table.pair.seats[1 - at].answer_motion(true, None).expect("accepted");
            table.pair.mail(1 - at);
        }
        assert!(closed > 0, "{game}");
        let said = report(table.pair.records());
        assert_eq!(said.matches("the director closed for").count(), closed, "{said}");
        // The match is over, and one of the two does not come back: it is known who owes what.
        let waits = usize::from(matches!(table.pair.seats[0].ledger().awaited(), Awaited::Nothing));
        table.pair.seats[waits].advance().expect("the audit");
        let owed = check(table.pair.seats[waits].ledger().records(), &Vision::public()).owed;
        let silent = table.pair.seats[1 - waits].role().clone();
        assert_eq!(owed, Some((silent, "audit")), "{game}");
        good(table.pair.seats[waits].ledger().records());
        // If he does after all, everything is proved.
        table.pair.mail(waits);
        table.audited();
    }
}

#[test]
fn an_end_the_director_grants_is_audited() {
    let mut table = Match::begin("santiago-campaign", "granted");
    table.play_on(false, |table| table.pair.records().len() >= 12 && table.at_edge().is_some());
    let at = table.at_edge().expect("a turn");
    let winner = table.pair.seats[at].role().clone();
    table.pair.seats[at].move_end(Outcome::Winner(winner), None, Some(Role::director())).expect("moved");
    let records: Vec<Record> = table.pair.seats[at].ledger().records().iter().map(mailed).collect();
    assert_eq!(table.director.receive(records).refused, []);
    let answer = table.director.answer_motion(true, None).expect("granted");
    table.pair.mail(at);
    for seat in &mut table.pair.seats {
        assert_eq!(seat.receive(vec![mailed(&answer)]).refused, []);
    }
    table.audited();
}

/// A new player at a seat whose key is gone: with a copy of its secrets, or with none.
fn newcomer(table: &Match, at: usize, secrets: bool) -> (TempDir, Seat) {
    let folder = tempfile::tempdir().expect("a folder");
    let records: Vec<Record> = table.pair.seats[at].ledger().records().iter().map(mailed).collect();
    match secrets {
        true => {
            let json = Bundle::to_json(table.pair.seats[at].secrets(), &records);
            home(&folder).take_over(Bundle::read(&json).expect("a bundle").file).expect("kept");
        }
        false => {
            let fresh = home(&folder).fresh_secret().expect("randomness");
            home(&folder).begin_game(records[0].id(), table.pair.seats[at].role().clone(), fresh, 4096).expect("kept");
        }
    }
    let seat = Seat::open(records, &crate::players::lay, &home(&folder)).expect("open");
    (folder, seat)
}

/// Both agree to end it where somebody has the move.
fn agreed(table: &mut Match) {
    let at = table.at_edge().expect("a turn");
    table.pair.seats[at].move_end(Outcome::Drawn, None, None).expect("moved");
    table.pair.mail(at);
    table.pair.seats[1 - at].answer_motion(true, None).expect("accepted");
    table.pair.mail(1 - at);
}

#[test]
fn after_the_end_the_silent_count_as_unaudited_and_who_takes_their_seat_writes_the_audit() {
    let mut table = Match::begin("santiago-campaign", "silent at the end");
    table.play_on(false, |table| table.pair.records().len() >= 24 && table.at_edge().is_some());
    table.copy();
    agreed(&mut table);
    let silent = usize::from(*table.pair.seats[1].role() == role("spain"));
    let (spain, us) = (role("spain"), role("us"));
    table.pair.seats[1 - silent].advance().expect("the audit of the one who is there");
    table.pair.mail(1 - silent);
    let records = table.pair.records().to_vec();
    assert_eq!(table.director.receive(records.iter().map(mailed).collect()).refused, []);
    good(&records);
    // Everybody sees whose audit is in and judged, and whose is not.
    let verification = check(&records, &Vision::public());
    assert_eq!(verification.audits.len(), 2);
    assert!(verification.audits.contains(&(us, Opened::Audited)), "{:?}", verification.audits);
    let said = verification.report("");
    assert!(said.contains("audit: everything us sealed was opened and is as stated"), "{said}");
    assert!(said.contains("audit: spain has opened nothing yet, and counts as unaudited\n"), "{said}");
    assert_eq!((verification.exit_code(), verification.level.to_string()), (3, "L3".to_owned()));
    // The director holds what was left with him, and it is as stated; sign for it he cannot.
    let his = check(&records, &table.director.vision());
    let held = his.audits.iter().find(|(role, _)| *role == spain).map(|(_, opened)| *opened);
    let Some(Opened::Owed { sealed, held }) = held else { panic!("{:?}", his.audits) };
    assert!(held > 30 && held == sealed, "an army lies face down: {held} of {sealed}");
    assert_eq!(his.divergence, None, "{}", his.report(""));
    assert_eq!(table.director.advance().expect("nothing"), []);
    // A new player with the silent one's secrets: the director vouches for him, and he opens everything.
    let (folder, mut new) = newcomer(&table, silent, true);
    assert_eq!(new.advance().expect("not with this key"), []);
    let request = new.request(None, false, &Told::new()).expect("a request");
    assert!(request.anchor.is_none() && request.hide.is_empty(), "nothing begins anew after the end");
    let kind = Kind::Notice { record: records[records.len() - 1].id(), owes: spain, what: "audit".to_owned() };
    let notice = table.pair.seats[1 - silent].sign_paper(kind).expect("signed");
    let record = table.director.grant(&request, Some(notice.to_json())).expect("granted");
    for seat in [&mut new, &mut table.pair.seats[1 - silent]] {
        let received = seat.receive(vec![mailed(&record)]);
        assert_eq!((received.taken.len(), received.refused), (1, vec![]));
    }
    table.pair.seats[silent] = new;
    table.pair.homes[silent] = folder;
    table.audited();
}

#[test]
fn secrets_lost_after_the_end_do_not_bring_the_game_back() {
    let mut table = Match::begin("santiago-1898", "lost at the end");
    table.play_on(false, |table| table.pair.records().len() >= 12 && table.at_edge().is_some());
    agreed(&mut table);
    let (folder, mut new) = newcomer(&table, 0, false);
    let request = new.request(None, true, &Told::new()).expect("a request");
    let role = new.role().clone();
    let record = table.pair.seats[1].ledger().protocol().head();
    let kind = Kind::Notice { record, owes: role, what: "audit".to_owned() };
    let notice = table.pair.seats[1].sign_paper(kind).expect("signed");
    let records = table.pair.records().iter().map(mailed).collect();
    assert_eq!(table.director.receive(records).refused, []);
    let state = table.pair.seats[1].ledger().protocol().state();
    let record = table.director.grant(&request, Some(notice.to_json())).expect("granted");
    for seat in [&mut new, &mut table.pair.seats[1]] {
        assert_eq!(seat.receive(vec![mailed(&record)]).refused, []);
    }
    table.pair.seats[0] = new;
    table.pair.homes[0] = folder;
    table.pair.seats[1].answer_motion(true, None).expect("he agrees");
    table.pair.mail(1);
    for seat in &table.pair.seats {
        assert!(matches!(seat.ledger().awaited(), Awaited::Audit(_)), "{:?}", seat.ledger().awaited());
        assert_eq!(seat.ledger().protocol().state(), state, "the position stays as it was");
    }
    table.audited();
    assert!(report(table.pair.records()).contains("W71-LOST"));
}

#[test]
fn a_director_vouches_for_the_new_player_of_a_seat_whose_key_is_lost() {
    for (game, secrets) in [("santiago-campaign", true), ("santiago-1898", false)] {
        let mut table = Match::begin(game, "vouched");
        table.play_on(false, |table| table.pair.records().len() >= 11 && table.at_edge().is_some());
        // Somebody has to give orders, at the beginning of a turn, and his key is gone.
        let at = table.at_edge().expect("a turn");
        table.copy();
        let role = table.pair.seats[at].role().clone();
        let (folder, mut new) = newcomer(&table, at, secrets);
        assert!(!new.holds_the_seat(), "{game}");
        let request = new.request(None, !secrets, &Told::new()).expect("a request");
        // Not the opponent; not the director of his own accord.
        assert!(table.pair.seats[1 - at].grant(&request, None).is_err(), "{game}");
        assert!(table.director.grant(&request, None).is_err(), "{game}");
        let record = table.pair.seats[1 - at].ledger().protocol().head();
        let kind = Kind::Notice { record, owes: role.clone(), what: "orders".to_owned() };
        let notice = table.pair.seats[1 - at].sign_paper(kind).expect("signed");
        let record = table.director.grant(&request, Some(notice.to_json())).unwrap_or_else(|e| panic!("{game}: {e}"));
        for seat in [&mut new, &mut table.pair.seats[1 - at]] {
            let received = seat.receive(vec![mailed(&record)]);
            assert_eq!((received.taken.len(), received.refused), (1, vec![]), "{game}");
        }
        table.pair.seats[at] = new;
        table.pair.homes[at] = folder;
        if !secrets {
            let answer = table.pair.seats[1 - at].answer_motion(true, None).expect("he agrees");
            assert_eq!(answer.body().kind, RecordKind::Accept);
            table.pair.mail(1 - at);
        }
        let said = report(table.pair.records());
        assert!(said.contains("vouched for by director"), "{said}");
        assert_eq!((said.contains("W71-LOST"), said.contains("W75-SEAT")), (!secrets, secrets), "{said}");
        good(table.pair.records());
        assert!(table.pair.seats[at].holds_the_seat());
        let more = table.pair.records().len() + 12;
        table.play_on(false, |table| table.pair.records().len() >= more && table.at_edge().is_some());
        let at = table.at_edge().expect("a turn");
        table.pair.seats[at].move_end(Outcome::Drawn, None, None).expect("moved");
        table.pair.mail(at);
        table.pair.seats[1 - at].answer_motion(true, None).expect("accepted");
        table.pair.mail(1 - at);
        table.audited();
    }
}

impl Match {
    /// The director closes for the one who owes the result, with the notice of the other.
    fn closed_for(&mut self, at: usize) -> Record {
        let who = self.pair.seats[at].role().clone();
        let known = self.director.ledger().records().len();
        let orders: Vec<Record> = self.pair.records()[known..].iter().map(mailed).collect();
        assert_eq!(self.director.receive(orders).refused, []);
        let notice = self.notice(1 - at, &who);
        self.director.close_for(&who, notice.to_json()).expect("closed")
    }

    /// Plays until a result is due; says from whom.
    fn play_to_a_result(&mut self) -> usize {
        loop {
            let due = self.pair.seats[0].ledger().awaited();
            let who = due.who().expect("the match goes on").clone();
            let at = usize::from(*self.pair.seats[1].role() == who);
            match due {
                Awaited::Result(_) => return at,
                Awaited::Packet { side, .. } | Awaited::Answers { side, .. } => {
                    let said = at_random(self.pair.seats[at].ledger(), side, &mut self.pair.chance);
                    self.pair.seats[at].send(&said).expect("sent");
                }
                _ => drop(self.pair.seats[at].advance().expect("advanced")),
            }
            self.pair.mail(at);
        }
    }

    /// Plays until somebody owes the result with which the match ends; says who.
    fn play_to_the_last_result(&mut self) -> usize {
        loop {
            let at = self.play_to_a_result();
            let (seat, home) = (&self.pair.seats[at], home(&self.pair.homes[at]));
            let (key, game) = (home.identity().expect("a key"), self.pair.records()[0].id());
            let mut file = home.game(&game, seat.role()).expect("secrets").before_signing();
            let made = seat.ledger().clone().close(&mut Pen { key: &key, file: &mut file }).expect("closed");
            if made.body().data.pointer("/stop/ask").and_then(Json::as_str) == Some("end") {
                return at;
            }
            self.pair.seats[at].advance().expect("closed");
            self.pair.mail(at);
        }
    }
}

#[test]
fn an_old_deposit_closes_nothing_it_does_not_open_and_takes_nothing_away() {
    let mut table = Match::begin("santiago-campaign", "old deposits");
    table.pair.play(4);
    table.copy();
    let old: Vec<_> = table.pair.seats.iter().map(|seat| seat.deposit().expect("a deposit")).collect();
    // Turns later, with new standing orders sealed, nothing more has come; somebody owes a result.
    let due = |pair: &Pair| matches!(pair.seats[0].ledger().awaited(), Awaited::Result(_));
    let used = |pair: &Pair, at: usize| pair.seats[at].ledger().protocol().signatories()[pair.seats[at].role()].used;
    let mut owes = 0;
    for _ in 0..400 {
        for at in 0..2 {
            table.pair.seats[at].advance().expect("advanced");
            table.pair.mail(at);
        }
        let Some(at) = (0..2).find(|at| table.pair.seats[*at].to_decide().is_some()) else { continue };
        let side = table.pair.seats[at].to_decide().expect("a decision");
        let said = at_random(table.pair.seats[at].ledger(), side, &mut table.pair.chance);
        table.pair.seats[at].send(&said).expect("sent");
        table.pair.mail(at);
        owes = 1 - at;
        if due(&table.pair) && used(&table.pair, owes) >= 4 {
            break;
        }
    }
    assert!(due(&table.pair), "the match is over");
    let silent = table.pair.seats[owes].role().clone();
    let records: Vec<Record> = table.pair.records().iter().map(mailed).collect();
    assert_eq!(table.director.receive(records.clone()).refused, []);
    let notice = table.notice(1 - owes, &silent).to_json();
    let refused = table.director.close_for(&silent, notice.clone()).expect_err("it does not reach so far");
    assert!(
        refused.to_string().contains("no deposit of") && refused.to_string().contains("never a way out"),
        "{refused}"
    );
    // Links alone do not open what was sealed since: nobody is at fault for that, and nothing is signed.
    let mut bare = table.pair.seats[owes].deposit().expect("a deposit");
    let whole = bare.clone();
    bare.reveals.clear();
    table.director.take_deposit(bare).expect("the link fits");
    let before = table.director.ledger().records().len();
    if let Err(refused) = table.director.close_for(&silent, notice.clone()) {
        assert!(refused.to_string().contains("a later deposit has not come"), "{refused}");
        assert_eq!(table.director.ledger().records().len(), before);
        // The last one comes, and an older one overtaken by it: the link that reaches further is kept.
        table.director.take_deposit(whole.clone()).expect("it fits");
    }
    let mut shorter = whole.clone();
    shorter.index -= 1;
    shorter.link = garcia::trust::chain::before(&silent, whole.index, &whole.link);
    table.director.take_deposit(shorter).expect("it fits as well");
    assert_eq!(
        home(&table.office).game(&records[0].id(), &Role::director()).expect("secrets").deposit_of(&silent),
        Some((whole.index, whole.link))
    );
    assert!(table.director.take_deposit(old[owes].clone()).is_err(), "what was opened since is no deposit");
    if table.director.ledger().records().len() == before {
        table.director.close_for(&silent, notice).expect("closed");
    }
    good(table.director.ledger().records());
    assert!(due(&table.pair) && table.pair.seats[owes].advance().expect("he wakes").len() == 1);
}

#[test]
fn of_a_directors_result_and_the_players_own_the_next_record_names_one_and_everybody_follows() {
    for hers in [true, false] {
        let mut table = Match::begin("santiago-1898", "beside");
        table.copy();
        // A result after which the one who waits has the move.
        let (owes, directed) = loop {
            let owes = table.play_to_a_result();
            let directed = table.closed_for(owes);
            let waits = table.pair.seats[1 - owes].role().as_str().to_owned();
            if directed.body().data.pointer("/stop/who").and_then(Json::as_str) == Some(&waits) {
                break (owes, directed);
            }
            for seat in &mut table.pair.seats {
                assert_eq!(seat.receive(vec![mailed(&directed)]).refused, []);
            }
            table.copy();
        };
        let waits = 1 - owes;
        // He wakes without knowing of it; the mails cross.
        let own = table.pair.seats[owes].advance().expect("he wakes").remove(0);
        assert_eq!(own.body().seq, directed.body().seq);
        let received = table.pair.seats[owes].receive(vec![mailed(&directed)]);
        assert_eq!((received.early.len(), received.refused), (1, vec![]), "it waits for the next record");
        let (named, other) = if hers { (&own, &directed) } else { (&directed, &own) };
        assert_eq!(table.pair.seats[waits].receive(vec![mailed(named)]).taken.len(), 1);
        let side = table.pair.seats[waits].to_decide().expect("his move");
        let said = at_random(table.pair.seats[waits].ledger(), side, &mut table.pair.chance);
        let next = table.pair.seats[waits].send(&said).expect("signed");
        assert_eq!(next.body().prev, named.id());
        // Everybody ends with the one it names; the other lies aside, and nobody is at fault.
        for seat in [&mut table.pair.seats[owes], &mut table.director] {
            let mails = [&directed, &own, &next].map(mailed).to_vec();
            let received = seat.receive(mails);
            assert_eq!(received.refused, [], "{} {hers}", seat.role());
            assert_eq!(seat.ledger().records().last(), Some(&next), "{} {hers}", seat.role());
        }
        let records = table.pair.seats[waits].ledger().records().to_vec();
        assert_eq!(table.pair.seats[owes].ledger().records(), records);
        good(&records);
        let received = table.pair.seats[waits].receive(vec![mailed(other)]);
        assert_eq!((received.late.len(), received.refused), (1, vec![]), "{hers}");
        let both = [&records[..], std::slice::from_ref(other)].concat();
        assert_eq!(check(&both, &Vision::public()).divergence, None, "{}", report(&both));
        // Who names both has signed twice for one place.
        let key = home(&table.pair.homes[waits]).identity().expect("a key");
        let twice =
            Record::sign(garcia::trust::Body { prev: other.id(), ..next.body().clone() }, &key).expect("signed");
        let their = [&records[..records.len() - 2], &[other.clone(), twice]].concat();
        assert_eq!(check(&their, &Vision::public()).divergence, None, "alone each is good: {}", report(&their));
        table.pair.mail(waits);
        let more = records.len() + 4;
        table.play_on(false, |table| table.pair.records().len() >= more && table.at_edge().is_some());
        good(table.pair.records());
    }
}

#[test]
fn of_two_audits_that_name_one_last_result_each_the_first_to_join_decides() {
    // Whoever closes last depends on the dice, and whoever founds the match on himself: both ways within a few matches.
    let mut seen = [false; 2];
    for number in 0..8 {
        let founder = ["spain", "us"][number % 2];
        let charter = crate::players::charter_of("el-caney", &[]);
        let mut table = Match::at("lone-warrior", &charter, founder, &format!("last result {number}"));
        let owes = table.play_to_the_last_result();
        let founder_sleeps = owes == 0;
        if std::mem::replace(&mut seen[usize::from(founder_sleeps)], true) {
            continue;
        }
        table.copy();
        let directed = table.closed_for(owes);
        // The one who waited opens what he sealed behind the director's result; the other wakes behind his own.
        let waits = 1 - owes;
        assert_eq!(table.pair.seats[waits].receive(vec![mailed(&directed)]).taken.len(), 1);
        let behind = table.pair.seats[waits].advance().expect("the audit").remove(0);
        let woken = table.pair.seats[owes].advance().expect("result and audit");
        assert_eq!((woken.len(), behind.body().kind.clone()), (2, RecordKind::Audit));
        assert_ne!(behind.body().prev, woken[1].body().prev);
        // All mails reach everybody, in either order.
        let mut all: Vec<Record> = [&directed, &behind].into_iter().chain(&woken).map(mailed).collect();
        for _ in 0..3 {
            for at in 0..2 {
                let received = table.pair.seats[at].receive(all.clone());
                assert_eq!(received.refused, [], "{}", table.pair.seats[at].role());
                all.extend(table.pair.seats[at].advance().expect("signed again").iter().map(mailed));
            }
            assert_eq!(table.director.receive(all.clone()).refused, []);
            all.reverse();
        }
        let stands = if founder_sleeps { woken[0].id() } else { directed.id() };
        let records = table.pair.seats[0].ledger().records().to_vec();
        assert_eq!(records[directed.body().seq as usize].id(), stands, "that of the founder's audit");
        for seat in table.pair.seats.iter().chain([&table.director]) {
            assert_eq!(seat.ledger().records(), records, "{}", seat.role());
        }
        assert_eq!(check(&records, &Vision::public()).level.to_string(), "L4", "{}", report(&records));
        good(&records);
        if seen == [true; 2] {
            return;
        }
    }
    panic!("{seen:?}");
}
