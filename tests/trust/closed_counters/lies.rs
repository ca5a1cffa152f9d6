//! Whoever seals, states or changes what is not so is found out: with record, code and culprit.

use garcia::engine::json::Json;
use garcia::trust::finding::Level;
use garcia::trust::record::{Record, RecordKind};
use garcia::trust::replay::Vision;

use super::script::{Scene, Words, of};
use crate::players::check;

/// The number of the last record.
fn last(scene: &Scene) -> usize {
    scene.records.len() - 1
}

/// Is the last record the orders of this player for this packet?
fn ordered(records: &[Record], who: &str, times: usize) -> bool {
    let by = |record: &&Record| record.body().kind == RecordKind::Orders && record.body().by.as_str() == who;
    let answers = |record: &&Record| record.body().data.get("orders").is_some();
    records.iter().filter(by).filter(answers).count() == times
}

fn members(units: &[&str]) -> Json {
    Json::List(units.iter().map(|unit| Json::from(*unit)).collect())
}

/// A match in which somebody lies at one point and which is then played to the audits.
fn found(name: &str, words: Words<'_>, lie: impl Fn(&mut Scene) -> Option<usize>) -> (usize, Scene) {
    // Dice come from fresh keys: in some matches the liar would have to show his counters before the end.
    for number in 0..20 {
        let mut scene = Scene::begin(&format!("{name} {number}"));
        let Some(at) = lie(&mut scene) else { continue };
        assert_eq!(scene.judged(), None, "nobody can know it yet");
        if scene.play(words, |_| false).is_some() {
            return (at, scene);
        }
    }
    panic!("{name}: no match came to its audits");
}

#[test]
fn an_honest_match_to_the_script_is_good() {
    let mut scene = Scene::begin("honest");
    scene.play(&[], |_| false).expect("played");
    let found = check(&scene.records, &Vision::public());
    assert_eq!((found.exit_code(), found.level), (0, Level::Audit), "{}", found.report(""));
}

#[test]
fn a_third_dummy() {
    let (at, scene) = found("third dummy", &[], |scene| {
        scene.play(&[], |records| ordered(records, "spain", 1))?;
        scene.seal_otherwise("sp-c2/t0", Json::from("dummy"));
        Some(last(scene))
    });
    assert_eq!(scene.judged(), Some((at, "E60-AUDIT", of("spain"))));
}

#[test]
fn a_unit_in_two_columns() {
    let (at, scene) = found("two columns", &[], |scene| {
        scene.play(&[], |records| ordered(records, "spain", 1))?;
        scene.seal_otherwise("sp-c2/t0", members(&["sp-1-ppr", "sp-4-t"]));
        Some(last(scene))
    });
    assert_eq!(scene.judged(), Some((at, "E60-AUDIT", of("spain"))));
}

#[test]
fn a_foreign_regiment_in_a_brigade() {
    let (at, scene) = found("foreign regiment", &[], |scene| {
        scene.play(&[], |records| ordered(records, "us", 2))?;
        scene.seal_otherwise("us-b1/t1", members(&["us-16-inf", "us-2-inf"]));
        Some(last(scene))
    });
    assert_eq!(scene.judged(), Some((at, "E60-AUDIT", of("us"))));
}

/// Orders of the first Spanish turn that his own program would not sign.
fn false_turn(name: &str, text: &'static str) -> (usize, Scene) {
    let words = [("spanish-turn", 1, text)];
    found(name, &words, |scene| {
        scene.play(&words, |records| ordered(records, "us", 2))?;
        scene.liar = of("spain");
        scene.play(&words, |records| ordered(records, "spain", 2))?;
        Some(last(scene))
    })
}

#[test]
fn a_gun_at_the_speed_of_cavalry() {
    let (at, scene) = false_turn("gun", "{moves: [{units: [sp-c3], path: ['0807', '0808', '0809', '0909']}]}");
    assert_eq!(scene.judged(), Some((at, "E60-AUDIT", of("spain"))));
}

#[test]
fn a_dummy_called_real() {
    let (at, scene) = false_turn("real", "{moves: [{units: [sp-c4], path: ['0823'], real: yes}]}");
    assert_eq!(scene.judged(), Some((at, "E60-AUDIT", of("spain"))));
}

fn claims(record: &Record, what: &str) -> bool {
    let claims = record.body().data.get("claims").and_then(Json::as_list).unwrap_or_default();
    let key = |claim: &Json| claim.get("claim").and_then(Json::as_str).is_some_and(|key| key.contains(what));
    record.body().kind == RecordKind::Result && claims.iter().any(key)
}

#[test]
fn wrong_steps_told_to_the_balloon() {
    let words: Words<'_> = &[(
        "us-turn",
        2,
        "{moves: [{units: [us-6-inf], path: ['0622']}, {units: [us-b1], path: ['0622']},
            {units: [us-sd], path: ['0621'], balloon: up}]}",
    )];
    let (at, scene) = found("balloon", words, |scene| {
        // The die has to be good enough for it to look under the counter.
        scene.play(words, |records| records.last().is_some_and(|record| claims(record, "/steps/")))?;
        if !claims(scene.records.last()?, "/steps/") {
            return None;
        }
        scene.close_believing("sp-c1", "sp-c2");
        Some(last(scene))
    });
    assert_eq!(scene.judged(), Some((at, "E60-AUDIT", of("spain"))));
}

#[test]
fn an_ambush_order_changed_after_the_fact() {
    let words: Words<'_> = &[("us-turn", 2, "{moves: [{units: [us-6-inf], path: ['0621']}]}")];
    let opens = |record: &Record| {
        let reveals = record.body().data.get("reveals").and_then(Json::as_list).unwrap_or_default();
        reveals
            .iter()
            .position(|reveal| reveal.get("slot").and_then(Json::as_str).is_some_and(|slot| slot.contains("ambush")))
    };
    let mut scene = Scene::begin("ambush order");
    scene.play(words, |records| records.last().and_then(opens).is_some()).expect("played");
    let which = scene.records.last().and_then(opens).expect("the order is opened when its question comes up");
    scene.forge(|data| {
        *data.pointer_mut(&format!("/reveals/{which}/value")).expect("it") = Json::object([("others", "always")]);
    });
    assert_eq!(scene.judged(), Some((last(&scene), "E50-REVEAL", of("spain"))));
}

#[test]
fn a_facts_stop_left_unanswered() {
    let words: Words<'_> = &[
        ("us-turn", 2, "{moves: [{units: [us-6-inf], path: ['0622']}, {units: [us-b1], path: ['0621']}]}"),
        ("ambush", 0, "always"),
    ];
    let stopped = |records: &[Record]| {
        let stop = records.last().and_then(|record| record.body().data.pointer("/stop"));
        stop.is_some_and(|stop| stop.to_string().contains("facts"))
    };
    for number in 0..20 {
        let mut scene = Scene::begin(&format!("facts stop {number}"));
        scene.play(words, |records| stopped(records)).expect("played");
        if !stopped(&scene.records) {
            continue;
        }
        let report = check(&scene.records, &Vision::public()).report("");
        let stop = scene.records.last().and_then(|record| record.body().data.pointer("/stop"));
        let who = stop.and_then(|stop| stop.get("who")).and_then(Json::as_str).expect("whose fact it is");
        assert!(report.contains("W70-WAITING") && report.contains(&format!("{who} owes: facts")), "{report}");
        return;
    }
    panic!("no R and no E in twenty ambushes");
}
