//! The same army with a private game master, who holds every opening.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use garcia::engine::dice::Chance;
use garcia::engine::json::Json;
use garcia::engine::{Charter, Stop, View};
use garcia::games;
use garcia::report::{TurnReport, markdown};
use garcia::trust::Role;
use garcia::trust::finding::Level;
use garcia::trust::ledger::Ledger;
use garcia::trust::record::{Record, RecordKind};
use garcia::trust::replay::Vision;
use garcia::trust::store::{LedgerFolder, Lock};

use super::{SPAIN, US, is_counter, names, opened, opens_a_unit};
use crate::players::club::Club;
use crate::players::{check, home, judged, mailed, role};

impl Club {
    fn meet() -> Club {
        Club::at(games::find("santiago-campaign").expect("a game"), &Charter::default())
    }

    /// A match of so many records, if it lasts so long.
    fn of(most: usize, seed: &str) -> Club {
        let mut club = Club::meet();
        club.play(most, &mut Chance::new(seed));
        club
    }

    /// The same where one of the players gave orders that the game went on without.
    fn send_out_late(&mut self, late: &Record) {
        let records: Vec<Record> = self.gm.ledger().records().iter().map(mailed).collect();
        for player in &mut self.players {
            let received = player.receive(records.clone());
            let own = *player.role() == late.body().by;
            assert_eq!((received.refused, received.late.len()), (vec![], usize::from(own)));
            assert_eq!(player.ledger().records(), self.gm.ledger().records());
        }
    }

    fn play(&mut self, most: usize, chance: &mut Chance) {
        self.play_until(|records| records.len() >= most, &mut |ledger, side| {
            crate::players::at_random(ledger, side, chance)
        });
    }
}

#[test]
fn a_private_game_master_lets_the_us_player_see_no_more_than_was_shown() {
    // The first of some games in which something is opened within a few turns.
    let begun = |seed: u32| {
        let (mut club, mut chance) = (Club::meet(), Chance::new(&format!("club {seed}")));
        club.play(20, &mut chance);
        let shown = opened(club.gm.ledger().records());
        let over = club.gm.ledger().records().iter().any(|record| record.body().kind == RecordKind::Audit);
        (!over && (1..12).contains(&shown.len())).then_some((club, chance))
    };
    let (mut club, mut chance) = (1..20).find_map(begun).expect("such a game");
    let records = club.gm.ledger().records().to_vec();
    let game = records[0].id();
    let own = home(&club.homes[1]).game(&game, &role("spain")).expect("secrets").values().clone();
    let shown = opened(&records);
    assert!(!shown.is_empty(), "something was opened in battle");
    let hidden: BTreeSet<&str> = own
        .iter()
        .filter(|(name, _)| name.rsplit_once('/').is_some_and(|(slot, _)| is_counter(slot)))
        .filter_map(|(_, value)| value.as_str())
        .filter(|unit| !shown.contains(*unit))
        .collect();
    assert!(hidden.len() > 10, "{} of {} units are hidden", hidden.len(), own.len());
    for record in records.iter().filter(|record| record.body().kind != RecordKind::Audit) {
        let text = record.to_yaml();
        assert!(hidden.iter().all(|unit| !names(&text, unit)), "{}", record.file_name());
    }
    let us = club.players.iter().find(|player| *player.role() == role("us")).expect("a seat");
    assert!(us.ledger().holdings().0.values().all(|value| value.as_str().is_none_or(|unit| !hidden.contains(unit))));
    // The report the game master mails to the US player, and what he himself reads.
    for (side, told) in [(US, false), (SPAIN, true)] {
        let (replay, holdings) = (club.gm.ledger().replay(), club.gm.ledger().holdings_of(side));
        let (journal, _) = replay.journal().expect("something happened");
        let view = View { state: replay.state(), holdings: &holdings, side: Some(side) };
        let (table, stop) = (replay.table(), replay.stop());
        let report = TurnReport {
            table,
            headline: String::new(),
            lead: vec![],
            messages: vec![],
            view,
            journal,
            told: 0,
            stop,
            ended: None,
        };
        let text = markdown(&report.page());
        assert_eq!(hidden.iter().any(|unit| names(&text, unit)), told, "{side}");
    }
    // Everybody can replay every result at once, from what was opened and stated in it, and the audits prove the rest.
    club.play(400, &mut chance);
    let records = club.gm.ledger().records().to_vec();
    let played = records.iter().position(|record| record.body().kind == RecordKind::Audit).expect("the game is over");
    let found = check(&records[..played], &Vision::public());
    assert_eq!((found.exit_code(), found.level), (3, Level::Rules), "{}", found.report(""));
    let found = check(&records, &Vision::public());
    assert_eq!((found.exit_code(), found.level), (0, Level::Audit), "{}", found.report(""));
}

#[test]
fn whoever_orders_face_down_counters_orders_those_he_was_shown() {
    let counters = |ledger: &Ledger| {
        let held = ledger.holdings_of(SPAIN).0.into_iter();
        held.filter(|((side, slot), _)| *side == SPAIN && is_counter(slot.as_str())).collect::<BTreeMap<_, _>>()
    };
    // Games until in one of them counters have changed places within a stack.
    let changed_places = (0..20).any(|seed| {
        let (mut club, mut chance) = (Club::meet(), Chance::new(&format!("shown {seed}")));
        let mut shown = Vec::new();
        club.play_until(|records| records.len() >= 40, &mut |ledger, side| {
            if side == SPAIN && matches!(ledger.replay().stop(), Stop::Orders { .. }) {
                shown.push((ledger.records().len(), counters(ledger)));
            }
            crate::players::at_random(ledger, side, &mut chance)
        });
        let spain = club.players.iter().find(|player| *player.role() == role("spain")).expect("a seat");
        for (signed, before) in shown.into_iter().filter(|(_, before)| !before.is_empty()) {
            let after = spain.ledger().upto(signed + 1).expect("good");
            assert_eq!(counters(&after), before, "seed {seed}, record {signed}");
        }
        let own = home(&club.homes[1]).game(&spain.ledger().records()[0].id(), &role("spain")).expect("secrets");
        own.values().iter().any(|(name, value)| {
            let older = name.strip_suffix("/2").map(|slot| format!("{slot}/1"));
            is_counter(name.trim_end_matches("/2"))
                && older.and_then(|name| own.values().get(&name)).is_some_and(|older| older != value)
        })
    });
    assert!(changed_places);
}

/// What the verifier without garcia says of a ledger; nothing if there is no Python here.
fn in_python(records: &[Record]) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let held = Lock::take(folder.path()).expect("free");
    for record in records {
        LedgerFolder::of_game(folder.path()).add(record, &held).expect("written");
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/verify.py");
    let output = Command::new("python3").arg("-B").arg(script).arg(folder.path()).output().ok()?;
    Some(format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn a_private_game_master_shows_what_he_was_given_or_is_named() {
    // The first of some games in which something is opened within a few turns.
    let opens = |club: &Club| club.gm.ledger().records().iter().any(|record| opens_a_unit(record).is_some());
    let mut club = (1..20).map(|seed| Club::of(40, &format!("club {seed}"))).find(opens).expect("such a game");
    let records = club.gm.ledger().records().to_vec();
    let at = records.iter().position(|record| opens_a_unit(record).is_some()).expect("an opening");
    let which = opens_a_unit(&records[at]).expect("an opening");
    let forged = |change: &dyn Fn(&mut Json)| {
        let mut body = records[at].body().clone();
        change(body.data.pointer_mut("/reveals").expect("openings"));
        let mut all = records[..at].to_vec();
        all.push(Record::sign(body, &home(&club.homes[0]).identity().expect("a key")).expect("signed"));
        judged(&all)
    };
    if let Some(text) = in_python(&records) {
        assert!(text.contains("links good"), "{text}");
        assert!(!text.contains("DIVERGENCE"), "{text}");
    }
    let gm = Some(Role::gm());
    let lie = |reveals: &mut Json| {
        let value = reveals.pointer_mut(&format!("/{which}/value")).expect("it");
        *value = if value.as_str() == Some("sp-cat") { "sp-cal" } else { "sp-cat" }.into();
    };
    assert_eq!(forged(&lie), Some((at, "E50-REVEAL", gm.clone())));
    let silence = |reveals: &mut Json| {
        if let Json::List(items) = reveals {
            items.remove(which);
        }
    };
    assert_eq!(forged(&silence), Some((at, "E51-REVEAL", gm)));
    // Openings that do not fit are not taken, and their sender is named.
    let spain = &club.players[0];
    let mut wrong = spain.openings(spain.ledger().records());
    wrong[0].value = "sp-cat".into();
    wrong[1].value = "sp-cat".into();
    let refused = club.gm.entrust(&role("spain"), wrong).expect_err("refused").to_string();
    assert!(refused.contains("does not fit"), "{refused}");
}

#[test]
fn under_a_private_game_master_nobody_reads_a_policy_or_an_attack_that_was_not_used() {
    // The dice come from fresh keys: the first of some games that is not over in a turn or two.
    let lasts = |club: &Club| club.gm.ledger().records().len() > 60;
    let club = (1..20).map(|seed| Club::of(400, &format!("sealed packets {seed}"))).find(lasts).expect("such a game");
    let records = club.gm.ledger().records().to_vec();
    let list = |record: &Record, name: &str| -> Vec<Json> {
        record.body().data.get(name).and_then(Json::as_list).unwrap_or_default().to_vec()
    };
    let text = |item: &Json, name: &str| item.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
    let shown: BTreeSet<(String, String)> = records
        .iter()
        .filter(|record| record.body().kind == RecordKind::Result)
        .flat_map(|record| list(record, "reveals"))
        .map(|reveal| (text(&reveal, "by"), text(&reveal, "slot")))
        .collect();
    let (mut policies, mut attacks, mut never) = (0, [0, 0], 0);
    for record in
        records.iter().filter(|record| record.body().kind == RecordKind::Orders && record.body().by != Role::gm())
    {
        let (by, name) = (record.body().by.to_string(), record.file_name());
        assert!(record.body().data.get("policies").is_none(), "{name}");
        let mut named = BTreeSet::new();
        for attack in record.body().data.pointer("/orders/attacks").and_then(Json::as_list).unwrap_or_default() {
            let slot = text(attack, "sealed");
            assert!(!slot.is_empty(), "{name}: {attack}");
            attacks[usize::from(by == "us")] += 1;
            never += usize::from(!shown.contains(&(by.clone(), slot.clone())));
            named.insert(slot);
        }
        let sealed = list(record, "hide").into_iter().map(|hide| text(&hide, "slot"));
        policies += sealed.filter(|slot| slot.starts_with("plan/") && !named.contains(slot)).count();
    }
    assert!(policies > 0 && attacks.iter().all(|count| *count > 0), "{policies} policies, {attacks:?} attacks");
    assert!(never > 0, "every attack was carried out");
    // Whoever writes his policies in the clear has signed no orders of this game.
    let at = records.iter().position(|record| record.body().kind == RecordKind::Orders).expect("orders");
    let mut body = records[at].body().clone();
    let who = usize::from(body.by == role("us")) + 1;
    body.data.as_map_mut().expect("an object").insert("policies".to_owned(), Json::object([("advance", "default")]));
    let mut forged = records[..at].to_vec();
    forged.push(Record::sign(body.clone(), &home(&club.homes[who]).identity().expect("a key")).expect("signed"));
    assert_eq!(judged(&forged), Some((at, "E14-SCHEMA", Some(body.by))));
    // The audits open the rest, and it is as the game master stated it.
    let found = check(&records, &Vision::public());
    assert_eq!((found.exit_code(), found.level), (0, Level::Audit), "{}", found.report(""));
}

#[test]
fn every_game_can_be_played_under_a_private_game_master() {
    for game in games::GAMES {
        // The dice come from fresh keys, and a match may be over in its first turn: the next one goes on.
        let lasted = (0..8).any(|number| {
            let (mut club, mut chance) =
                (Club::at(*game, &Charter::default()), Chance::new(&format!("every game {number}")));
            club.play(24, &mut chance);
            let ledger = club.gm.ledger();
            assert_eq!(judged(ledger.records()), None, "{}", game.id());
            // A short scenario is over sooner, audits included.
            let lasted = ledger.records().len() >= 12;
            assert!(
                ledger.records().len() >= 24 || *ledger.replay().stop() == Stop::End,
                "{}: nobody is due",
                game.id()
            );
            lasted
        });
        assert!(lasted, "{}: every match was over at once", game.id());
    }
}

#[test]
fn openings_that_never_come_or_show_a_false_army_do_not_stop_the_game() {
    let mut club = Club::meet();
    let spain = role("spain");
    let at = club.players.iter().position(|player| *player.role() == spain).expect("a player");
    let said = crate::players::at_random(club.players[at].ledger(), SPAIN, &mut Chance::new("an army"));
    let sent = club.players[at].send(&said).expect("signed");
    let seq = sent.body().seq;
    assert_eq!(club.gm.receive(vec![mailed(&sent)]).refused, []);
    // Until the openings are there it waits, and everybody is told for what.
    let words = |records: &[Record], vision: &Vision| check(records, vision).report("");
    let told = words(club.gm.ledger().records(), &club.gm.vision());
    assert!(told.contains(&format!("W70-WAITING  spain owes the openings of record {seq}")), "{told}");
    let told = words(club.gm.ledger().records(), &Vision::public());
    assert!(told.contains(&format!("gm owes the result, or spain the openings of record {seq}")), "{told}");
    // Without them the game master goes on; what he never closed is no matter of his.
    let before = club.gm.ledger().records().len();
    assert_eq!(club.gm.give_up_waiting().expect("set aside"), Some(sent.clone()));
    club.gm.no_moves().expect("signed");
    club.gm.advance().expect("closed");
    assert!(club.gm.ledger().records().len() > before);
    club.send_out_late(&sent);
    assert!(check(club.gm.ledger().records(), &Vision::public()).divergence.is_none());
}

#[test]
fn a_false_army_is_refused_with_its_openings_as_its_players_fault() {
    let mut club = Club::meet();
    let (spain, game) = (role("spain"), club.gm.ledger().protocol().game().expect("a game"));
    let at = club.players.iter().position(|player| *player.role() == spain).expect("a player");
    let said = crate::players::at_random(club.players[at].ledger(), SPAIN, &mut Chance::new("an army"));
    let honest = club.players[at].send(&said).expect("signed");
    let mut openings = club.players[at].openings(std::slice::from_ref(&honest));
    // One battalion stands in two places: the commitments are made for it, and fit.
    let file = home(&club.homes[at + 1]).game(&game, &spain).expect("secrets");
    let counters: Vec<usize> = (0..openings.len()).filter(|n| is_counter(openings[*n].slot.as_str())).collect();
    let doubled = openings[counters[0]].value.clone();
    openings[counters[1]].value = doubled;
    let mut body = honest.body().clone();
    let changed = &openings[counters[1]];
    let commit = garcia::trust::secret::commitment(
        &game,
        &spain,
        &changed.slot,
        changed.version,
        &file.secret().hide().salt(&changed.slot, changed.version),
        &changed.value,
    );
    let hides = body.data.pointer_mut("/hide").and_then(|hides| match hides {
        Json::List(items) => Some(items),
        _ => None,
    });
    for hide in hides.expect("commitments") {
        if hide.get("slot").and_then(Json::as_str) == Some(changed.slot.as_str()) {
            *hide.pointer_mut("/commit").expect("a commitment") = commit.to_string().into();
        }
    }
    let key = home(&club.homes[at + 1]).identity().expect("a key");
    let false_army = Record::sign(body, &key).expect("signed");
    assert_eq!(club.gm.receive(vec![false_army.clone()]).refused, []);
    club.gm.entrust(&spain, openings).expect("each fits");
    assert_eq!(club.gm.advance().expect("nothing is closed"), []);
    let unfit = club.gm.take_unfit().expect("refused");
    assert_eq!((unfit.record, unfit.finding.fault), (false_army, Some(spain)));
    assert!(!unfit.openings.is_empty(), "the proof goes with it");
    // The game goes on without him.
    club.gm.no_moves().expect("signed");
    assert!(!club.gm.advance().expect("closed").is_empty());
}
