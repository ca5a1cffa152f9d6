//! Whoever shows or states what is not so is found out: at once, or by the audit.

use garcia::engine::Slot;
use garcia::engine::json::Json;
use garcia::trust::finding::Level;
use garcia::trust::ledger::{Ledger, Pen};
use garcia::trust::record::{Body, Record, RecordKind};
use garcia::trust::replay::Vision;
use garcia::trust::secret::commitment;

use super::bench::Bench;
use super::{BATTERIES, Exchange, LINE, has, is_counter, opens_a_unit};
use crate::players::{Verdict, check, judged, lay, role};

#[test]
fn a_unit_is_opened_as_it_was_sealed_or_the_spanish_player_is_named_at_once() {
    let bench = Bench::until("openings", |records| records.iter().any(|record| opens_a_unit(record).is_some()));
    let at = bench.records().iter().position(|record| opens_a_unit(record).is_some()).expect("an opening");
    let which = opens_a_unit(&bench.records()[at]).expect("an opening");
    let spain = Some(role("spain"));
    let true_unit = bench.records()[at].body().data.pointer(&format!("/reveals/{which}/value")).cloned();
    let other = LINE[0].iter().map(|unit| Json::from(*unit)).find(|unit| Some(unit) != true_unit.as_ref());
    let other = other.expect("another unit");
    let put = |name: &str, value: Json| {
        let pointer = format!("/reveals/{which}/{name}");
        move |body: &mut Body| *body.data.pointer_mut(&pointer).expect("it") = value
    };
    assert_eq!(judged(&bench.forged(at, put("value", other))), Some((at, "E50-REVEAL", spain.clone())));
    let zeros = Json::from("0".repeat(64));
    assert_eq!(judged(&bench.forged(at, put("salt", zeros))), Some((at, "E50-REVEAL", spain.clone())));
    let missing = bench.forged(at, |body| {
        let Some(Json::List(reveals)) = body.data.pointer_mut("/reveals") else { panic!("a list") };
        reveals.remove(which);
    });
    assert_eq!(judged(&missing), Some((at, "E51-REVEAL", spain)));
    // The US player's program says so before it takes the mail, and its ledger stays as it was.
    let us = role("us");
    let mut ledger = Ledger::read(missing[..at].to_vec(), lay, Vision::of(&bench.copy_of(&missing[0].id(), &us)))
        .expect("good so far");
    assert!(ledger.append(missing[at].clone()).is_err());
    assert_eq!(ledger.records().len(), at);
}

#[test]
fn a_claim_that_is_left_out_is_missed_at_once_and_a_false_one_is_found_by_the_audit() {
    let stated = |record: &Record| {
        let claims = record.body().data.get("claims").and_then(Json::as_list).unwrap_or_default();
        let about_units = |claim: &&Json| {
            let key = claim.get("claim").and_then(Json::as_str).unwrap_or_default();
            ["/zone/", "/battery/", "/supply/"].iter().any(|what| key.contains(what))
        };
        record.body().kind == RecordKind::Result && claims.iter().any(|claim| about_units(&claim))
    };
    for seed in (1..12).map(|number| format!("claims {number}")) {
        let bench = Bench::until(&seed, |records| records.iter().any(stated));
        let at = bench.records().iter().position(stated).expect("a claim");
        let spain = Some(role("spain"));
        assert!(has(&bench.records()[at], "/claims/0"));
        let missing = bench.forged(at, |body| drop(body.data.as_map_mut().expect("an object").remove("claims")));
        assert_eq!(judged(&missing), Some((at, "E51-REVEAL", spain.clone())));
        // A Spanish player whose program believes that batteries are battalions and the other way round.
        let honest = bench.records()[at].body().data.get("claims").cloned();
        for battery in BATTERIES {
            for battalion in LINE[0] {
                let names = [(battery, *battalion), (*battalion, battery)];
                let exchange: Exchange =
                    names.iter().map(|(one, two)| ((*one).to_owned(), (*two).to_owned())).collect();
                let believed = bench.vision(&exchange);
                // What was opened before cannot be denied; such a lie is no use.
                let Ok(mut liar) = Ledger::read(bench.records()[..at].to_vec(), lay, believed.clone()) else {
                    continue;
                };
                let game = bench.records()[0].id();
                let mut file = bench.copy_of(&game, &role("spain"));
                let key = bench.home_of(&role("spain")).identity().expect("a key");
                let Ok(record) = liar.close(&mut Pen { key: &key, file: &mut file }) else { continue };
                if record.body().data.get("claims").cloned() == honest {
                    continue;
                }
                let mut records = bench.records()[..at].to_vec();
                records.push(record);
                assert_eq!(judged(&records), None, "nobody can know it yet");
                let ended = bench.finish(records, &believed, file.values());
                let found = check(&ended, &Vision::public());
                assert_eq!(found.level, Level::Audit, "{}", found.report(""));
                assert_eq!(found.exit_code(), 1);
                let verdict = found
                    .divergence
                    .as_ref()
                    .map(|d| (d.seq as usize, d.finding.code.as_str(), d.finding.fault.clone()));
                assert_eq!(verdict, Some((at, "E60-AUDIT", spain.clone())), "{}", found.report(""));
                return;
            }
        }
    }
    panic!("no lie was tried");
}

/// The ledger up to a record in which the Spanish player commits one counter to another unit, played to its audits.
fn with_another_unit(bench: &Bench, at: usize, hide: usize, unit: &str) -> Verdict {
    let spain = role("spain");
    let (records, pointer) = (bench.records(), format!("/hide/{hide}"));
    let sealed = records[at].body().data.pointer(&pointer).expect("a commitment").clone();
    let slot = Slot::parse(sealed.get("slot").and_then(Json::as_str).expect("a slot")).expect("a slot");
    let version = sealed.get("version").and_then(Json::as_int).expect("a version") as u32;
    let (game, value) = (records[0].id(), Json::from(unit));
    let salt = bench.copy_of(&game, &spain).secret().hide().salt(&slot, version);
    let commit = commitment(&game, &spain, &slot, version, &salt, &value);
    let forged = bench.forged(at, |body| {
        *body.data.pointer_mut(&format!("{pointer}/commit")).expect("it") = commit.to_string().into();
    });
    assert_eq!(judged(&forged), None, "a commitment tells nothing");
    // His own program would stop him at once; one that looks at nothing does not.
    let mut believed = Vision::public();
    believed.add_salts(&spain, bench.copy_of(&game, &spain).secret().hide());
    let ended = bench.finish(forged, &believed, &[(format!("{slot}/{version}"), value)].into());
    let found = check(&ended, &Vision::public());
    assert_eq!(found.level, Level::Audit, "{}", found.report(""));
    judged(&ended)
}

#[test]
fn a_strong_battalion_in_two_places_at_once_is_found_by_the_audit() {
    let bench = Bench::until("twice", |records| records.len() > 3);
    let at = bench.records().iter().position(|record| record.body().by == role("spain") && has(record, "/hide/20"));
    let at = at.expect("the set-up");
    let hides = bench.records()[at].body().data.get("hide").and_then(Json::as_list).expect("commitments");
    let guerrillas = bench.values().into_iter().find(|(_, value)| *value == Json::from("sp-1-tg")).expect("a unit").0;
    let slot = guerrillas.rsplit_once('/').expect("a version").0;
    let hide = hides.iter().position(|hide| hide.get("slot").and_then(Json::as_str) == Some(slot)).expect("its seal");
    assert_eq!(with_another_unit(&bench, at, hide, "sp-1-65"), Some((at, "E60-AUDIT", Some(role("spain")))));
}

#[test]
fn a_counter_exchanged_for_one_from_elsewhere_when_it_is_sealed_anew_is_found_by_the_audit() {
    let anew = |record: &Record| {
        let hides = record.body().data.get("hide").and_then(Json::as_list)?;
        hides.iter().position(|hide| {
            let again = hide.get("version").and_then(Json::as_int).is_some_and(|version| version > 1);
            again && hide.get("slot").and_then(Json::as_str).is_some_and(is_counter)
        })
    };
    let bench = Bench::until("exchanged", |records| records.iter().any(|record| anew(record).is_some()));
    let at = bench.records().iter().position(|record| anew(record).is_some()).expect("a counter sealed anew");
    let hide = anew(&bench.records()[at]).expect("it");
    assert_eq!(with_another_unit(&bench, at, hide, "sp-1-64"), Some((at, "E60-AUDIT", Some(role("spain")))));
}
