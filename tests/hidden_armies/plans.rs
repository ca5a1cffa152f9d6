//! A Spanish attack that is called off stays sealed: by its odds as well as by what everybody sees.

use garcia::engine::Slot;
use garcia::engine::doc::{DocPath, Node, Reader};
use garcia::engine::json::Json;
use garcia::trust::finding::Level;
use garcia::trust::ledger::{Ledger, Pen};
use garcia::trust::record::{Record, RecordKind};
use garcia::trust::replay::Vision;

use super::bench::{Bench, judged};
use super::players::{at_random, check, lay, role};
use super::{Exchange, SPAIN, US};

/// A match in which the Spanish plan holds one attack, which asks for these odds and for nothing else. The last record
/// is the call that answers the plan, or the result after it.
fn with_an_attack(seed: &str, odds: &str, closed: bool) -> Option<Bench> {
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
        members.insert("min-odds".to_owned(), odds.into());
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
    let bench = (1..9).find_map(|seed| with_an_attack(&format!("unsure {seed}"), "30:1", true)).expect("an attack");
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
    let bench = (1..9).find_map(|seed| with_an_attack(&format!("sure {seed}"), "1:30", false)).expect("an attack");
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
