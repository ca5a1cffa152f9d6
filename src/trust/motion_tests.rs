//! Motions in random games of a small ruleset: takebacks with secret rolls and face-down tokens, upgrades, exchanges.

use std::collections::BTreeMap;

use super::data::{Genesis, Hide};
use super::finding::{Finding, Level};
use super::ledger::charter;
use super::motion::{Motion, What};
use super::record::{Record, RecordKind};
use super::replay::Vision;
use super::seat::{Awaited, Seat};
use super::seat_tests::{Pair, check, found, home};
use super::secret::commitment;
use super::skirmish;
use super::store::{LedgerFile, LedgerFiles};
use super::verify::{Verification, verify};
use crate::engine::Match;
use crate::engine::dice::Chance;
use crate::engine::json::Json;

/// The one who has the move where a span has ended, if one has.
fn mover(pair: &Pair) -> Option<usize> {
    (0..2).find(|at| {
        let ledger = pair.seats[*at].ledger();
        ledger.protocol().at_edge() && ledger.awaited().who() == Some(pair.seats[*at].role())
    })
}

/// Plays on until somebody has the move where a span has ended and a condition holds; nobody if the match is over first.
fn until_edge(pair: &mut Pair, chance: &mut Chance, enough: impl Fn(&Pair, usize) -> bool) -> Option<usize> {
    loop {
        // Whatever needs no decision is done and mailed first.
        while (0..2).any(|at| {
            let made = pair.seats[at].advance().expect("advanced").len();
            pair.mail(at);
            made > 0
        }) {}
        if let Some(at) = mover(pair)
            && enough(pair, at)
        {
            return Some(at);
        }
        let at = (0..2).find(|at| pair.seats[*at].to_decide().is_some())?;
        pair.act(at, chance);
        pair.mail(at);
    }
}

/// At least so many places to go back to.
fn places(count: usize) -> impl Fn(&Pair, usize) -> bool {
    move |pair, at| pair.seats[at].ledger().protocol().edges().count() > count
}

fn take_back(pair: &mut Pair, at: usize, back: usize, accepts: bool) {
    let edges: Vec<u32> = pair.seats[at].ledger().protocol().edges().collect();
    let back_to = edges[edges.len() - 1 - back.min(edges.len() - 1)];
    pair.seats[at].move_void(back_to, None).expect("moved");
    pair.mail(at);
    pair.seats[1 - at].answer_motion(accepts, None).expect("answered");
    pair.mail(1 - at);
}

#[test]
fn takebacks_in_random_games_are_good_in_every_view_and_at_the_audit() {
    let mut void = 0;
    for seed in 0..18 {
        let scenario = ["open", "plan", "tide"][seed % 3];
        let mut chance = Chance::new(&format!("takebacks {seed}"));
        let mut pair = Pair::begin(scenario, seed % 2 == 0);
        for _ in 0..3 {
            let Some(at) = until_edge(&mut pair, &mut chance, places(2)) else { break };
            let (back, accepts) = (1 + chance.below(2), !chance.one_in(4));
            let before = pair.seats[at].ledger().replay().state_hash();
            take_back(&mut pair, at, back, accepts);
            let same = pair.seats[0].ledger().replay().state_hash() == pair.seats[1].ledger().replay().state_hash();
            assert!(same, "both stand at the same place");
            assert!(accepts || pair.seats[at].ledger().replay().state_hash() == before);
            void += usize::from(accepts);
            // One more turn, so that something is asked again.
            pair.act(at, &mut chance);
            pair.mail(at);
        }
        pair.play(&mut chance, |_| false);
        let records = pair.seats[0].ledger().records().to_vec();
        for vision in [Vision::public(), pair.seats[0].vision(), pair.seats[1].vision()] {
            let verification = check(&records, &vision);
            assert_eq!(verification.divergence, None, "{scenario} {seed}: {}", verification.report(""));
            assert_eq!(verification.level, Level::Audit, "{scenario} {seed}: {}", verification.report(""));
        }
    }
    assert!(void > 8, "{void} takebacks");
}

#[test]
fn a_secret_roll_that_was_taken_back_is_told_beside_the_one_made_anew() {
    let mut told = 0;
    for seed in 0..8 {
        let mut chance = Chance::new(&format!("two tides {seed}"));
        let mut pair = Pair::begin("tide", false);
        let rolled = |pair: &Pair, at: usize| !pair.seats[at].ledger().protocol().secret_rolls().is_empty();
        let Some(at) = until_edge(&mut pair, &mut chance, rolled) else { continue };
        // Its one ticket is spent; with the takeback another one is committed, and the turn is played again.
        let protocol = pair.seats[at].ledger().protocol();
        let roll = protocol.secret_rolls().first().map_or(0, |roll| roll.seq);
        let back = protocol.edges().filter(|edge| *edge >= roll).count();
        take_back(&mut pair, at, back, true);
        let said = check(pair.seats[0].ledger().records(), &Vision::public()).report("");
        assert!(said.contains("W72-VOID") && said.contains("to their owner alone"), "{said}");
        pair.play(&mut chance, |_| false);
        let records = pair.seats[0].ledger().records();
        let verification = check(records, &Vision::public());
        assert_eq!(verification.level, Level::Audit, "{}", verification.report(""));
        assert_eq!(verification.divergence, None, "{}", verification.report(""));
        let audit = records.iter().rfind(|r| r.body().kind == RecordKind::Audit && r.body().by.as_str() == "spain");
        let rolls =
            audit.and_then(|audit| audit.body().data.get("secret_rolls")).and_then(Json::as_list).map(<[Json]>::len);
        assert_eq!(rolls, Some(2), "both are told");
        told += 1;
    }
    assert!(told > 2, "{told}");
}

#[test]
fn what_is_hidden_anew_after_a_takeback_holds_the_same_or_the_audit_says_so() {
    let mut tried = 0;
    for seed in 0..30 {
        let mut chance = Chance::new(&format!("exchanged {seed}"));
        let mut pair = Pair::begin("open", false);
        let spains = |pair: &Pair, at: usize| at == 0 && places(2)(pair, at);
        let Some(at) = until_edge(&mut pair, &mut chance, spains) else { continue };
        let edges: Vec<u32> = pair.seats[at].ledger().protocol().edges().collect();
        let (back_to, ledger) = (edges[edges.len() - 2], pair.seats[at].ledger());
        // Spain hides one token anew as something else.
        let named = ledger.replay().table().slots(ledger.replay().at_edge(back_to).expect("a place").0);
        let Some((_, slot)) = named.into_iter().find(|(side, slot)| side.as_str() == "spain" && !slot.is_ticket())
        else {
            continue;
        };
        let file = home(&pair.homes[at]).game(&pair.records()[0].id(), pair.seats[at].role()).expect("secrets");
        let version = ledger.protocol().seals().next_version(file.role(), &slot);
        let held = file.value(&slot, version - 1).and_then(Json::as_str).map(str::to_owned);
        let other = Json::from(if held.as_deref() == Some("dummy") { "talavera" } else { "dummy" });
        let salt = file.secret().hide().salt(&slot, version);
        let commit = commitment(&file.game(), file.role(), &slot, version, &salt, &other);
        let hide = vec![Hide { slot: slot.clone(), version, commit }];
        let motion = Motion { hide, ..Motion::new(What::Void { back_to }) };
        let (ledger, mut pen) = pair.seats[at].with_pen();
        let sealed = [(slot, version, other)];
        let record = ledger.propose(motion, &sealed, &mut pen).expect("nobody can see it yet");
        pair.mail(at);
        pair.seats[1 - at].answer_motion(true, None).expect("accepted");
        pair.mail(1 - at);
        pair.play(&mut chance, |_| false);
        let records = pair.seats[1 - at].ledger().records().to_vec();
        if !matches!(pair.seats[1 - at].ledger().awaited(), Awaited::Nothing) {
            continue;
        }
        let said = found(&records);
        let blamed = |(seq, code, who): &(u32, &str, Option<String>)| {
            *seq <= record.body().seq + 1 && *code == "E60-AUDIT" && who.as_deref() == Some("spain")
        };
        assert!(said.as_ref().is_some_and(blamed), "{said:?}");
        tried += 1;
    }
    assert!(tried > 2, "{tried}");
}

/// The table of another version of the same rules: Spain's turns come as plans there.
fn lay_new(_: &Genesis) -> Result<Box<dyn Match>, Finding> {
    Ok(skirmish::table("plan"))
}

fn lay_old(genesis: &Genesis) -> Result<Box<dyn Match>, Finding> {
    Ok(skirmish::table(&charter(genesis, BTreeMap::new()).scenario))
}

fn judged(records: &[Record], lay: fn(&Genesis) -> Result<Box<dyn Match>, Finding>) -> Verification {
    let file =
        |record: &Record| LedgerFile { name: record.file_name(), seq: record.body().seq, record: Ok(record.clone()) };
    verify(&LedgerFiles { files: records.iter().map(file).collect(), problems: vec![] }, &lay, &Vision::public())
}

#[test]
fn an_upgrade_by_consent_goes_on_from_the_same_position() {
    let mut chance = Chance::new("upgraded");
    let mut pair = Pair::begin("open", false);
    let at = until_edge(&mut pair, &mut chance, places(2)).expect("an edge");
    let replay = pair.seats[at].ledger().replay();
    let position = replay.table().state_json(replay.state()).expect("a state");
    let records = pair.seats[at].ledger().records().to_vec();
    // The new version cannot read what was played before, and says so; it can propose.
    assert!(Seat::open(records.clone(), &lay_new, &home(&pair.homes[at])).is_err());
    let mut new = Seat::open_asleep(records.clone(), &lay_new, &home(&pair.homes[at])).expect("asleep");
    let mut other = position.clone();
    *other.pointer_mut("/turn").expect("turn") = Json::Int(3);
    assert!(new.move_upgrade(&other, &[]).is_err(), "another position than the one in force");
    let motion = new.move_upgrade(&position, &[]).expect("moved");
    // The old version takes the motion, and cannot accept what it does not know.
    assert_eq!(pair.seats[1 - at].receive(vec![motion.clone()]).refused, []);
    assert!(pair.seats[1 - at].answer_motion(true, None).is_err());
    let mut both = [records, vec![motion]].concat();
    let mut answerer = Seat::open(both.clone(), &lay_new, &home(&pair.homes[1 - at])).expect("with the new version");
    let accept = answerer.answer_motion(true, None).expect("accepted");
    both.push(accept.clone());
    assert_eq!(new.receive(vec![accept]).refused, []);
    let json =
        |seat: &Seat| seat.ledger().replay().table().state_json(seat.ledger().replay().state()).expect("a state");
    assert_eq!((json(&new), json(&answerer)), (position.clone(), position));
    // Spain's turn comes as a plan now, and everything after the upgrade is judged.
    let seats = if at == 0 { [new, answerer] } else { [answerer, new] };
    let mut pair = Pair { homes: pair.homes, seats };
    pair.play(&mut chance, |_| false);
    let all = pair.seats[0].ledger().records();
    assert!(all.iter().skip(both.len()).any(|record| record.body().kind == RecordKind::Plan), "a plan");
    let by_new = judged(all, lay_new);
    assert_eq!((by_new.divergence.as_ref(), by_new.exit_code()), (None, 4), "{}", by_new.report(""));
    assert!(by_new.report("").contains("W73-RULING"), "{}", by_new.report(""));
    let by_old = judged(all, lay_old);
    assert_eq!((by_old.divergence.as_ref(), by_old.exit_code()), (None, 4), "{}", by_old.report(""));
    // What is wrong after it, the new version finds.
    let at = all.iter().rposition(|record| record.body().kind == RecordKind::Result).expect("a result");
    let mut body = all[at].body().clone();
    *body.data.pointer_mut("/state").expect("state") = Json::from(all[0].id().to_string());
    let signer = usize::from(body.by.as_str() == "us");
    let bent = Record::sign(body, &home(&pair.homes[signer]).identity().expect("a key")).expect("signed");
    let found = judged(&[&all[..at], &[bent]].concat(), lay_new).divergence.expect("wrong");
    assert_eq!(found.finding.code.as_str(), "E40-STATE");
}
