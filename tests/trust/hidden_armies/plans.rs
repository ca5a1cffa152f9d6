//! A Spanish attack that is called off stays sealed: by its odds as well as by what everybody sees.

use garcia::engine::Slot;
use garcia::engine::doc::{DocPath, Node, Reader};
use garcia::engine::json::Json;
use garcia::trust::finding::Level;
use garcia::trust::ledger::{Ledger, Pen};
use garcia::trust::record::{Record, RecordKind};
use garcia::trust::replay::Vision;

use super::bench::Bench;
use super::{Exchange, SPAIN, US};
use crate::players::{at_random, check, judged, lay, role};

/// A match in which the Spanish plan holds one attack, which asks for these odds and for nothing else. The last record
/// is the call that answers the plan, or the result after it.
fn with_an_attack(seed: &str, odds: Option<&str>, closed: bool) -> Option<Bench> {
    let mut bench = Bench::until(seed, |records| records.len() > 4);
    let spain = bench.spain;
    for most in 6..60 {
        bench.pair.play(most);
        // The mail to him is read before he decides.
        bench.pair.mail(1 - spain);
        bench.pair.seats[spain].advance().expect("advanced");
        if bench.pair.seats[spain].to_decide() != Some(SPAIN) {
            continue;
        }
        let ledger = bench.pair.seats[spain].ledger();
        let mut said = at_random(ledger, SPAIN, &mut bench.pair.chance);
        let (replay, Some(orders)) = (ledger.replay(), said.orders.take()) else { continue };
        let (table, stop) = (replay.table(), replay.stop());
        let mut orders = table.orders_json(&orders).expect("canonical");
        let attacks = orders.get("attacks").and_then(Json::as_list).unwrap_or_default().to_vec();
        let Some(mut attack) = attacks.into_iter().next() else { continue };
        let members = attack.as_map_mut().expect("an attack");
        members.retain(|name, _| ["target", "attackers"].contains(&name.as_str()));
        members.extend(odds.map(|odds| ("min-odds".to_owned(), odds.into())));
        orders.as_map_mut().expect("orders").insert("attacks".to_owned(), Json::List(vec![attack]));
        let garcia::engine::Stop::Orders { ask, .. } = stop else { continue };
        let mut reader = Reader::new(table.lexicon());
        let read = table.read_orders(ask, &Node::from_json(&orders), &DocPath::root(), &mut reader);
        said.orders = Some(read.expect("orders"));
        bench.pair.seats[spain].send(&said).expect("sent");
        bench.pair.mail(spain);
        bench.pair.seats[1 - spain].advance().expect("called");
        if closed {
            bench.pair.mail(1 - spain);
            bench.pair.seats[spain].advance().expect("closed");
            bench.pair.mail(spain);
        }
        return Some(bench);
    }
    None
}

/// Whether the last record says that the attack is made.
fn made(record: &Record) -> Option<bool> {
    let claims = record.body().data.get("claims").and_then(Json::as_list)?;
    let key =
        |claim: &&Json| claim.get("claim").and_then(Json::as_str).is_some_and(|key| key.ends_with("/attack/made/1"));
    claims.iter().find(key)?.get("value")?.as_bool()
}

/// The slot of the plan in which the attack stands.
fn attack_slot(bench: &Bench) -> (String, Json) {
    let plan =
        bench.records().iter().rfind(|record| record.body().kind == RecordKind::Plan).expect("a plan").body().seq;
    let attack = |name: &str, value: &Json| name.starts_with(&format!("plan/{plan}/")) && value.get("target").is_some();
    let (name, value) = bench.values().into_iter().find(|(name, value)| attack(name, value)).expect("an attack");
    (name.rsplit_once('/').expect("a version").0.to_owned(), value)
}

#[test]
fn an_attack_called_off_for_its_odds_is_never_seen() {
    let bench =
        (1..9).find_map(|seed| with_an_attack(&format!("unsure {seed}"), Some("30:1"), true)).expect("an attack");
    let (slot, attack) = attack_slot(&bench);
    let closed = bench.records().iter().rfind(|record| record.body().kind == RecordKind::Result).expect("a result");
    assert_eq!(closed.body().by, role("spain"));
    assert_eq!(made(closed), Some(false));
    let reveals = closed.body().data.get("reveals").and_then(Json::as_list).unwrap_or_default();
    assert!(reveals.iter().all(|reveal| reveal.get("slot").and_then(Json::as_str) != Some(&slot)));
    let us = &bench.pair.seats[1 - bench.spain];
    assert!(us.ledger().holdings().0.values().all(|value| *value != attack));
    // He reads that something was withheld; its owner reads what, and why.
    let told = |side| {
        let replay = bench.pair.seats[bench.spain].ledger().replay();
        let (journal, _) = replay.journal().expect("something happened");
        let events = replay.table().events(journal, Some(side)).expect("canonical");
        let lapsed = events.iter().any(|event| event.to_string().contains("the odds are not sure"));
        (lapsed, events.iter().any(|event| event.get("withheld").is_some()))
    };
    assert_eq!((told(US), told(SPAIN)), ((false, true), (true, true)));
    // The audit opens the plan and finds that it was so.
    let ended = bench.finish(bench.records().to_vec(), &bench.vision(&Exchange::new()), &[].into());
    let found = check(&ended, &Vision::public());
    assert_eq!((found.exit_code(), found.level), (0, Level::Audit), "{}", found.report(""));
}

#[test]
fn an_attack_withheld_although_its_odds_are_sure_is_found_by_the_audit() {
    let bench =
        (1..9).find_map(|seed| with_an_attack(&format!("sure {seed}"), Some("1:30"), false)).expect("an attack");
    let (slot, mut attack) = attack_slot(&bench);
    // His program believes that the plan asks for more.
    attack.as_map_mut().expect("an attack").insert("min-odds".to_owned(), "30:1".into());
    let mut believed = bench.vision(&Exchange::new());
    believed.add(&role("spain"), &Slot::parse(&slot).expect("a slot"), 1, attack);
    let mut records = bench.records().to_vec();
    let (at, spain) = (records.len(), role("spain"));
    let mut liar = Ledger::read(records.clone(), lay, believed.clone()).expect("good so far");
    let mut file = bench.copy_of(&records[0].id(), &spain);
    let key = bench.home_of(&spain).identity().expect("a key");
    let record = liar.close(&mut Pen { key: &key, file: &mut file }).expect("closed");
    assert_eq!(made(&record), Some(false));
    records.push(record);
    assert_eq!(judged(&records), None, "nobody can know it yet");
    let ended = bench.finish(records, &believed, file.values());
    assert_eq!(judged(&ended), Some((at, "E60-AUDIT", Some(spain))));
}

#[test]
fn an_attack_without_conditions_is_opened_when_its_turn_comes() {
    let opens = |bench: &Bench| {
        let (slot, _) = attack_slot(bench);
        let at = bench.records().iter().rposition(|record| record.body().kind == RecordKind::Result)?;
        let reveals = bench.records()[at].body().data.get("reveals").and_then(Json::as_list)?;
        let which = reveals.iter().position(|reveal| reveal.get("slot").and_then(Json::as_str) == Some(&slot))?;
        Some((at, which))
    };
    let (bench, (at, which)) = (1..9)
        .find_map(|seed| {
            let bench = with_an_attack(&format!("plain {seed}"), None, true)?;
            let found = opens(&bench)?;
            Some((bench, found))
        })
        .expect("an attack");
    let spain = role("spain");
    assert_eq!(made(&bench.records()[at]), None, "nobody is asked whether it is made");
    // Having seen its die he drops it: that is found at once, by anybody.
    let dropped = bench.forged(at, |body| {
        if let Some(Json::List(reveals)) = body.data.pointer_mut("/reveals") {
            reveals.remove(which);
        }
    });
    assert_eq!(judged(&dropped), Some((at, "E51-REVEAL", Some(spain.clone()))));
    // A mark that calls it conditional is a fault of the plan, once it is opened.
    let plan = bench.records().iter().rposition(|record| record.body().kind == RecordKind::Plan).expect("a plan");
    let (slot, _) = attack_slot(&bench);
    let entry: usize = slot.rsplit('/').next().and_then(|entry| entry.parse().ok()).expect("a number");
    let marks = bench.records()[plan].body().data.get("entries").and_then(Json::as_list).expect("marks").to_vec();
    assert_eq!(marks[entry - 1], Json::Bool(false));
    let mut marked = bench.forged(plan, |body| {
        *body.data.pointer_mut(&format!("/entries/{}", entry - 1)).expect("a mark") = Json::Bool(true);
    });
    let us = role("us");
    let mut caller =
        Ledger::read(marked.clone(), lay, Vision::of(&bench.home_of(&us).game(&marked[0].id(), &us).expect("secrets")))
            .expect("good so far");
    let mut file = bench.home_of(&us).game(&marked[0].id(), &us).expect("secrets").before_signing();
    let key = bench.home_of(&us).identity().expect("a key");
    marked.push(caller.call(&mut Pen { key: &key, file: &mut file }).expect("called"));
    let mut body = bench.records()[at].body().clone();
    let orders = marked.last().expect("the call").id();
    *body.data.pointer_mut("/orders").expect("orders") = orders.to_string().into();
    body.prev = orders;
    // The dice hang on the call; nothing but the opening is looked at before them.
    if let Some(Json::List(rolls)) = body.data.pointer_mut("/rolls") {
        rolls.clear();
    }
    let key = bench.home_of(&spain).identity().expect("a key");
    marked.push(Record::sign(body, &key).expect("signed"));
    assert_eq!(judged(&marked), Some((plan, "E50-REVEAL", Some(spain))));
    // A number of entries is not enough any more.
    let number = bench.forged(plan, |body| {
        *body.data.pointer_mut("/entries").expect("entries") = Json::from(marks.len() as u32);
    });
    assert_eq!(judged(&number), Some((plan, "E14-SCHEMA", Some(role("spain")))));
}
