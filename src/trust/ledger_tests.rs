use proptest::prelude::*;

use super::*;
use crate::engine::dice::Chance;
use crate::engine::{Stop, View};
use crate::trust::Id;
use crate::trust::finding::Level;
use crate::trust::skirmish;
use crate::trust::store::{LedgerFile, LedgerFiles};
use crate::trust::verify::{Verification, verify};

/// A folder for secrets and a solo game begun with it.
struct Solo {
    _folder: tempfile::TempDir,
    key: PrivateKey,
    file: GameFile,
    ledger: Ledger,
}

impl Solo {
    fn begin(ask: bool, max_asks: Option<u32>, links: u32) -> Solo {
        Solo::begin_at("", ask, max_asks, links)
    }

    fn begin_at(scenario: &str, ask: bool, max_asks: Option<u32>, links: u32) -> Solo {
        let folder = tempfile::tempdir().expect("a folder");
        let home = Home::seeded(folder.path(), "solo");
        let charter = Charter { scenario: scenario.to_owned(), ..Charter::default() };
        let game = Terms { charter, ask, max_asks, note: Some("García".to_owned()), ..Terms::default() };
        let table = skirmish::table(scenario);
        let (ledger, file) = Ledger::begin_with(table, Company::Solo, game, &home, links).expect("begun");
        Solo { key: home.identity().expect("a key"), file, ledger, _folder: folder }
    }

    fn play(&mut self, speech: Speech) -> Result<(Record, Record), LedgerTrouble> {
        let pen = &mut Pen { key: &self.key, file: &mut self.file };
        Ok((self.ledger.speak(speech, pen)?, self.ledger.close(pen)?))
    }

    /// What a random player says now.
    fn random_speech(&self, chance: &mut Chance) -> Speech {
        let (replay, holdings) = (self.ledger.replay(), self.ledger.holdings());
        let (table, stop) = (replay.table(), replay.stop());
        let view = View { state: replay.state(), holdings: &holdings, side: None };
        let policy = |kind: &str, chance: &mut Chance| {
            BTreeMap::from([(kind.to_owned(), skirmish::any_policy(table, replay.state(), kind, chance))])
        };
        match stop {
            Stop::Orders { .. } => Speech {
                orders: Some(table.orders_json(&table.random_orders(view, stop, chance)).expect("canonical")),
                policies: if chance.one_in(2) { policy("advance", chance) } else { BTreeMap::new() },
                standing: if chance.one_in(2) { policy("stand", chance) } else { BTreeMap::new() },
                ..Speech::default()
            },
            Stop::Answers { questions, .. } => {
                let mut answers = Vec::new();
                for asked in questions {
                    let choice = chance.pick(&asked.options).cloned().unwrap_or_else(|| asked.default.clone());
                    // At times the answer is left out or nonsense; then the default counts.
                    match chance.below(6) {
                        0 => {}
                        1 => answers.push(Answer { key: asked.key.clone(), choice: Json::from("nonsense") }),
                        _ => answers.push(Answer { key: asked.key.clone(), choice }),
                    }
                }
                Speech { answers, ..Speech::default() }
            }
            other => panic!("nobody should be asked for {other:?}"),
        }
    }

    fn play_out(seed: &str, ask: bool, max_asks: Option<u32>) -> Solo {
        let (mut solo, mut chance) = (Solo::begin(ask, max_asks, 64), Chance::new(seed));
        while solo.ledger.to_speak().is_some() {
            let speech = solo.random_speech(&mut chance);
            solo.play(speech).expect("played");
        }
        solo
    }
}

fn lay(genesis: &Genesis) -> Result<Box<dyn Match>, Finding> {
    Ok(skirmish::table(&charter(genesis, BTreeMap::new()).scenario))
}

fn check(records: &[Record]) -> Verification {
    let files = records.iter().map(|record| LedgerFile {
        name: record.file_name(),
        seq: record.body().seq,
        record: Record::read(record.to_yaml().as_bytes()),
    });
    verify(&LedgerFiles { files: files.collect(), problems: Vec::new() }, &lay, &Vision::public())
}

fn attack(hexes: &[&str]) -> Json {
    let hexes: Vec<Json> = hexes.iter().map(|hex| Json::from(*hex)).collect();
    Json::object([("attacks", Json::List(hexes))])
}

fn speech(orders: Json) -> Speech {
    Speech { orders: Some(orders), ..Speech::default() }
}

/// Set-up, one US turn with a few attacks: enough to have dice, a dummy and an opened token.
fn short_game() -> Solo {
    let mut solo = Solo::begin(false, None, 8);
    let tokens = Json::object([("0101", "talavera"), ("0102", "dummy"), ("0103", "talavera")]);
    solo.play(speech(Json::object([("tokens", tokens)]))).expect("set up");
    solo.play(speech(attack(&["0101", "0102", "0103", "0104", "0101"]))).expect("attacked");
    solo
}

/// The game with one member of its last record changed and signed again, as a player with a patched program would.
fn altered(solo: &Solo, pointer: &str, value: Json) -> Vec<Record> {
    let mut records = solo.ledger.records().to_vec();
    let last = records.pop().expect("a record");
    let mut body = last.body().clone();
    *body.data.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer} in {}", last.to_yaml())) = value;
    records.push(Record::sign(body, &solo.key).expect("signed"));
    records
}

#[test]
fn a_solo_game_is_played_and_verified() {
    let solo = short_game();
    let verification = check(solo.ledger.records());
    assert_eq!(verification.exit_code(), 0, "{}", verification.report(""));
    assert_eq!((verification.good, verification.level), (5, Level::Rules));
    let report = verification.report("ledger/");
    assert!(report.starts_with("records 0-4 of 5: signatures good, log unbroken, links good (2 solo)\n"), "{report}");
    assert!(report.contains("note: solo: dice committed, not shared\n"), "{report}");
    assert!(report.contains("next: spain, turn\n"), "{report}");
    assert_eq!(verification.to_json().to_string(), r#"{"level":"L3","ok":true,"seq":5}"#);
    let names: Vec<String> = solo.ledger.records().iter().map(Record::file_name).collect();
    assert_eq!(
        names,
        [
            "0000-solo-genesis.yaml",
            "0001-solo-orders.yaml",
            "0002-solo-result.yaml",
            "0003-solo-orders.yaml",
            "0004-solo-result.yaml"
        ]
    );
}

#[test]
fn every_breach_is_found_in_its_record_with_its_code() {
    let solo = short_game();
    let rolls = solo.ledger.records()[4].body().data.get("rolls").expect("rolls").clone();
    let first = rolls.pointer("/0/faces/0").and_then(Json::as_int).expect("a face");
    let fewer = Json::List(rolls.as_list().expect("a list")[1..].to_vec());
    let mut more = rolls.as_list().expect("a list").to_vec();
    let stray = super::super::data::RollSaid::Open {
        label: crate::engine::Key::parse("x/1").expect("a label"),
        sides: vec![crate::engine::dice::Die::new(1).expect("a die")],
        faces: vec![1],
    };
    more.push(crate::engine::to_json(&stray).expect("canonical"));
    let zero = Json::from(Id::ZERO.to_string());
    for (pointer, value, code) in [
        ("/rolls/0/faces/0", Json::Int(first % 6 + 1), "E30-ROLL"),
        ("/rolls", fewer, "E31-ROLLSET"),
        ("/rolls", Json::List(more), "E31-ROLLSET"),
        ("/state", zero.clone(), "E40-STATE"),
        ("/stop/who", "us".into(), "E40-STATE"),
        ("/stop/ask", "night".into(), "E40-STATE"),
        ("/link", zero.clone(), "E20-LINK"),
        ("/index", Json::Int(3), "E21-INDEX"),
        ("/orders", zero.clone(), "E13-KIND"),
        ("/index", "two".into(), "E14-SCHEMA"),
    ] {
        let verification = check(&altered(&solo, pointer, value));
        let divergence = verification.divergence.as_ref().unwrap_or_else(|| panic!("{pointer}"));
        assert_eq!(divergence.finding.code.as_str(), code, "{pointer}: {}", verification.report(""));
        assert_eq!((divergence.seq, divergence.finding.fault.as_ref()), (4, Some(&Role::solo())), "{pointer}");
        assert_eq!((verification.exit_code(), verification.good), (1, 4));
    }
}

#[test]
fn a_wrong_die_is_reported_with_the_command_that_proves_it() {
    let solo = short_game();
    let face = solo.ledger.records()[4].body().data.pointer("/rolls/0/faces/0").and_then(Json::as_int).expect("a face");
    let verification = check(&altered(&solo, "/rolls/0/faces/0", Json::Int(face % 6 + 1)));
    let report = verification.report("ledger/");
    let orders = solo.ledger.records()[3].id();
    let link = solo.ledger.records()[4].body().data.get("link").and_then(Json::as_str).expect("a link");
    for line in [
        "records 0-4 of 5: signatures good, log unbroken, links good (2 solo)",
        "FIRST DIVERGENCE  record 4, result, signed by solo",
        "  E30-ROLL  t1.us.assault/0101/attack/1   2d6",
        "  fault: solo. Orders (record 3), link and seed are undisputed.",
        &format!(
            "  check it yourself: garcia roll --orders {orders} --link {link} --label t1.us.assault/0101/attack/1 --sides 6,6"
        ),
        "  evidence: ledger/0003-solo-orders.yaml ledger/0004-solo-result.yaml",
    ] {
        assert!(report.lines().any(|l| l == line), "{line}\nis not in\n{report}");
    }
    let json = verification.to_json();
    assert_eq!(json.get("code"), Some(&"E30-ROLL".into()));
    assert_eq!(json.get("fault"), Some(&"solo".into()));
    assert_eq!(json.get("label"), Some(&"t1.us.assault/0101/attack/1".into()));
    assert_eq!(json.get("seq"), Some(&Json::Int(4)));
    assert_eq!(json.get("ok"), Some(&Json::Bool(false)));
}

#[test]
fn orders_out_of_turn_or_for_another_state_are_found() {
    let solo = short_game();
    let mut records = solo.ledger.records()[..4].to_vec();
    let orders = records.pop().expect("orders");
    let sign = |change: &dyn Fn(&mut Body)| {
        let mut body = orders.body().clone();
        change(&mut body);
        let mut all = records.clone();
        all.push(Record::sign(body, &solo.key).expect("signed"));
        check(&all).divergence.map(|d| (d.seq, d.finding.code.as_str(), d.finding.fault.is_some()))
    };
    let set = |name: &'static str, value: Json| {
        move |body: &mut Body| drop(body.data.as_map_mut().expect("an object").insert(name.to_owned(), value.clone()))
    };
    let drop_member =
        |name: &'static str| move |body: &mut Body| drop(body.data.as_map_mut().expect("map").remove(name));
    assert_eq!(sign(&set("for", "spain".into())), Some((3, "E13-KIND", true)));
    assert_eq!(sign(&set("state", Id::ZERO.to_string().into())), Some((3, "E40-STATE", true)));
    assert_eq!(sign(&drop_member("nonce")), Some((3, "E14-SCHEMA", true)));
    assert_eq!(sign(&drop_member("for")), Some((3, "E14-SCHEMA", true)));
    assert_eq!(sign(&set("nmr", true.into())), Some((3, "E14-SCHEMA", true)));
    assert_eq!(sign(&set("hide", Json::List(vec![]))), None, "an empty list says nothing");
    assert_eq!(sign(&|body| body.kind = super::super::record::RecordKind::Result), Some((3, "E13-KIND", true)));
    assert_eq!(sign(&|body| body.kind = "motion".into()), Some((3, "E14-SCHEMA", true)));
    assert_eq!(sign(&|body| body.seq = 9), Some((3, "E11-PREV", false)));
    assert_eq!(sign(&|body| body.prev = Id::ZERO), Some((3, "E11-PREV", false)));
    assert_eq!(sign(&|body| body.game = Some(Id::ZERO)), Some((3, "E10-GAME", false)));
    assert_eq!(sign(&|body| body.by = "us".parse().expect("role")), Some((3, "E03-SIG", false)));
}

#[test]
fn damage_forgery_and_gaps_are_nobodys_fault() {
    let solo = short_game();
    let good = solo.ledger.records();
    let mut forged = good.to_vec();
    let mut json = forged[3].to_json();
    *json.pointer_mut("/body/data/orders/attacks").expect("attacks") = Json::List(vec![]);
    forged[3] = Record::from_json(&json).expect("well-formed");
    let found = check(&forged);
    assert_eq!(found.divergence.as_ref().map(|d| d.finding.code.as_str()), Some("E03-SIG"));
    assert_eq!(found.exit_code(), 2);
    assert!(found.report("").contains("record 3, orders, said to be by solo"), "{}", found.report(""));
    let mut gap = good.to_vec();
    gap.remove(2);
    let found = check(&gap);
    assert_eq!((found.exit_code(), found.good), (2, 2));
    assert_eq!(found.divergence.map(|d| (d.seq, d.finding.code.as_str())), Some((2, "E11-PREV")));
}

#[test]
fn a_result_that_was_not_sent_is_owed() {
    let solo = short_game();
    let verification = check(&solo.ledger.records()[..4]);
    assert_eq!(verification.exit_code(), 3);
    assert!(verification.report("").contains("W70-WAITING  solo owes: result"));
    assert_eq!(verification.to_json().get("code"), Some(&"W70-WAITING".into()));
}

#[test]
fn a_second_version_of_signed_orders_is_refused_and_if_forced_found() {
    let mut solo = short_game();
    let copy = solo.ledger.records().to_vec();
    let mut earlier = Ledger::read(copy[..3].to_vec(), lay, Vision::public()).expect("good");
    let again = earlier.speak(speech(attack(&["0104"])), &mut Pen { key: &solo.key, file: &mut solo.file });
    assert!(
        matches!(again, Err(LedgerTrouble::NotSigned(NotSigned::Twice(id))) if id == copy[3].id()),
        "restored backup"
    );
    let same = earlier.speak(
        speech(attack(&["0101", "0102", "0103", "0104", "0101"])),
        &mut Pen { key: &solo.key, file: &mut solo.file },
    );
    assert_eq!(same.expect("the same again"), copy[3], "repeating gives the same bytes");
    let mut body = copy[3].body().clone();
    *body.data.pointer_mut("/orders/attacks").expect("attacks") = Json::List(vec!["0104".into()]);
    let mut forked = copy;
    forked.push(Record::sign(body, &solo.key).expect("signed"));
    let files = forked.iter().enumerate().map(|(n, record)| LedgerFile {
        name: format!("{n}"),
        seq: record.body().seq,
        record: Ok(record.clone()),
    });
    let found = verify(&LedgerFiles { files: files.collect(), problems: vec![] }, &lay, &Vision::public());
    let divergence = found.divergence.expect("a fork");
    assert_eq!((divergence.seq, divergence.finding.code), (3, Code::Fork));
    assert_eq!(divergence.finding.fault, Some(Role::solo()));
}

#[test]
fn another_engine_or_other_tables_are_not_judged() {
    let solo = short_game();
    let other = |_: &Genesis| Ok(skirmish::table("plan"));
    let files = solo.ledger.records().iter().map(|record| LedgerFile {
        name: record.file_name(),
        seq: record.body().seq,
        record: Ok(record.clone()),
    });
    let found = verify(&LedgerFiles { files: files.collect(), problems: vec![] }, &other, &Vision::public());
    assert_eq!((found.exit_code(), found.level), (4, Level::Dice));
    assert_eq!(found.not_judged.as_ref().map(|f| f.code), Some(Code::Engine));
    assert!(found.report("").contains("rules: not judged. E41-ENGINE"), "{}", found.report(""));
}

#[test]
fn the_chain_ends_and_says_so() {
    let mut solo = Solo::begin(false, None, 1);
    solo.play(speech(Json::object([("tokens", Json::map())]))).expect("set up");
    let refused = solo.play(speech(attack(&[]))).expect_err("no link left");
    assert!(refused.to_string().contains("used up"), "{refused}");
}

#[test]
fn a_solo_player_is_asked_for_each_side_and_the_turn_is_told_again_from_its_start() {
    let mut solo = Solo::begin(true, None, 16);
    solo.play(Speech {
        standing: BTreeMap::from([("stand".to_owned(), Json::from("ask"))]),
        ..speech(Json::object([("tokens", Json::map())]))
    })
    .expect("set up");
    solo.play(speech(attack(&["0101", "0102"]))).expect("attacked");
    let Stop::Answers { who, questions } = solo.ledger.replay().stop().clone() else { panic!("a question expected") };
    assert_eq!((who, questions.len()), (skirmish::SPAIN, 1));
    let base = solo.ledger.replay().hash(solo.ledger.replay().base()).expect("a hash");
    let fall_back = |key: &crate::engine::Key| Answer { key: key.clone(), choice: Json::Bool(false) };
    let answers = vec![fall_back(&questions[0].key)];
    let (orders, result) = solo.play(Speech { answers, ..Speech::default() }).expect("answered");
    assert_eq!(orders.body().data.get("for"), Some(&"spain".into()));
    assert_eq!(solo.ledger.replay().hash(solo.ledger.replay().base()).expect("a hash"), base, "the same span");
    assert_eq!(result.body().data.pointer("/stop/questions/0/key"), Some(&"t1.us.assault/0102/stand/1".into()));
    assert_eq!(check(solo.ledger.records()).exit_code(), 0);
}

/// Every result of a ledger, made again from the records before it.
fn make_again(records: &[Record], secret: &GameSecret) -> Vec<Json> {
    let mut made = Vec::new();
    for (at, record) in
        records.iter().enumerate().filter(|(_, r)| r.body().kind == super::super::record::RecordKind::Result)
    {
        let ledger = Ledger::read(records[..at].to_vec(), lay, Vision::public()).expect("good");
        let role = record.body().by.clone();
        let index = ledger.protocol().signatories()[&role].used + 1;
        let link = secret.chain(&role, 64).link(index).expect("a link");
        let inputs = ledger.replay().inputs(ledger.protocol(), &Vision::public()).expect("orders");
        let closing = ledger.replay().close(&inputs, &Vision::public(), index, link).expect("closed");
        made.push(Data::Closing(closing).to_json().expect("canonical"));
    }
    made
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn any_game_verifies_and_comes_out_the_same_when_resolved_again(seed: u64, ask: bool, max_asks in prop::option::of(0u32..3)) {
        let solo = Solo::play_out(&seed.to_string(), ask, max_asks);
        let records = solo.ledger.records();
        prop_assert_eq!(solo.ledger.replay().stop(), &Stop::End);
        let verification = check(records);
        prop_assert_eq!(verification.exit_code(), 0, "{}", verification.report(""));
        let results = records.iter().filter(|r| r.body().kind == super::super::record::RecordKind::Result);
        let recorded: Vec<Json> = results.map(|r| r.body().data.clone()).collect();
        prop_assert_eq!(make_again(records, solo.file.secret()), recorded);
    }

    #[test]
    fn what_was_told_at_a_stop_is_told_again_word_for_word(seed: u64) {
        let solo = Solo::play_out(&seed.to_string(), true, None);
        let mut told: Vec<Json> = Vec::new();
        let mut again = Ledger::read(solo.ledger.records()[..1].to_vec(), lay, Vision::public()).expect("good");
        for record in &solo.ledger.records()[1..] {
            again.append(record.clone()).expect("good");
            let Some((journal, before)) = again.replay().journal() else { told.clear(); continue };
            if record.body().kind != super::super::record::RecordKind::Result { continue }
            let events = again.replay().table().events(journal, None).expect("canonical");
            prop_assert_eq!(before, told.len());
            prop_assert!(events.starts_with(&told));
            told = if again.replay().stop().ends_span() { Vec::new() } else { events };
        }
    }

    #[test]
    fn any_changed_byte_that_changes_a_record_is_found_and_nobody_is_blamed_for_it(
        seed in 0u64..40, at in any::<prop::sample::Index>(), bit in 0u8..8,
    ) {
        let solo = Solo::play_out(&seed.to_string(), true, Some(2));
        let records = solo.ledger.records();
        let texts: Vec<String> = records.iter().map(Record::to_yaml).collect();
        let total: usize = texts.iter().map(String::len).sum();
        let mut at = at.index(total);
        let which = texts.iter().position(|t| if at < t.len() { true } else { at -= t.len(); false }).expect("a record");
        let mut bytes = texts[which].clone().into_bytes();
        bytes[at] ^= 1 << bit;
        let changed = Record::read(&bytes);
        prop_assume!(changed.as_ref() != Ok(&records[which]));
        let files = records.iter().enumerate().map(|(n, record)| LedgerFile {
            name: record.file_name(),
            seq: record.body().seq,
            record: if n == which { changed.clone() } else { Ok(record.clone()) },
        });
        let found = verify(&LedgerFiles { files: files.collect(), problems: vec![] }, &lay, &Vision::public());
        let divergence = found.divergence.expect("noticed");
        prop_assert_eq!(divergence.seq as usize, which);
        prop_assert_eq!(divergence.finding.fault, None);
    }
}

#[test]
fn a_secret_roll_of_a_solo_game_is_an_ordinary_one_kept_in_its_slot() {
    for seed in 0..6 {
        let (mut solo, mut chance) = (Solo::begin_at("tide", false, None, 64), Chance::new(&format!("tide {seed}")));
        let mut lies_hidden = false;
        while solo.ledger.to_speak().is_some() {
            let speech = solo.random_speech(&mut chance);
            solo.play(speech).expect("played");
            let state = solo.ledger.replay().table().state_json(solo.ledger.replay().state()).expect("canonical");
            lies_hidden |= state.get("tide") == Some(&Json::from("ticket/1"));
        }
        assert!(lies_hidden, "the tide was never rolled for");
        assert!(check(solo.ledger.records()).divergence.is_none());
        let tide = |record: &&Record| record.to_yaml().contains("tide/tide/1");
        let result = solo.ledger.records().iter().find(tide).expect("rolled");
        assert!(!result.to_yaml().contains("ticket/"), "nothing is secret in a solo game");
    }
}
