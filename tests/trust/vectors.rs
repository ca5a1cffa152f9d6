//! The published test vectors of the protocol, each recomputed.

use std::collections::BTreeMap;

use garcia::engine::dice::{Die, Seed, faces, stream_bytes};
use garcia::engine::digest::{from_hexadecimal, hash, to_hexadecimal};
use garcia::engine::json::Json;
use garcia::engine::{Key, Slot};
use garcia::trust::armour;
use garcia::trust::chain::{Chain, before};
use garcia::trust::data::{Audit, Closing, Data, Genesis, Orders, RollSaid};
use garcia::trust::finding::{Code, Finding};
use garcia::trust::key::PrivateKey;
use garcia::trust::record::record_id;
use garcia::trust::replay::Vision;
use garcia::trust::secret::{GameSecret, HideSecret, commitment};
use garcia::trust::store::{LedgerFile, LedgerFiles};
use garcia::trust::verify::{Verification, verify};
use garcia::trust::{Body, Id, Record, RecordKind, Role};

type Vectors = BTreeMap<String, serde_json::Value>;

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("../vectors/protocol_vectors.json")).expect("JSON")
}

fn text(vectors: &Vectors, name: &str) -> String {
    vectors[name].as_str().unwrap_or_else(|| panic!("{name} is a text")).to_owned()
}

fn numbers(vectors: &Vectors, name: &str) -> Vec<u16> {
    serde_json::from_value(vectors[name].clone()).expect("numbers")
}

fn dice(sides: &[u16]) -> Vec<Die> {
    sides.iter().map(|s| Die::new(*s).expect("a die")).collect()
}

fn role(name: &str) -> Role {
    name.parse().expect("a role")
}

fn slot(name: &str) -> Slot {
    Slot::parse(name).expect("a slot")
}

fn secret(name: &str) -> GameSecret {
    GameSecret::from_bytes(if name == "us" { [0xa1; 32] } else { [0xb2; 32] })
}

fn records() -> Vec<Record> {
    let all: Vec<String> = serde_json::from_value(vectors()["records"].clone()).expect("texts");
    all.iter().map(|bytes| Record::read(bytes.as_bytes()).expect("a record")).collect()
}

fn closing(record: &Record) -> Closing {
    match Data::read(record.body()) {
        Ok(Data::Closing(closing)) => closing,
        other => panic!("a result expected: {other:?}"),
    }
}

fn orders(record: &Record) -> Orders {
    match Data::read(record.body()) {
        Ok(Data::Orders(orders)) => orders,
        other => panic!("orders expected: {other:?}"),
    }
}

/// The seed of record 5, in which most dice vectors are rolled.
fn seed_five() -> Seed {
    let all = records();
    Seed::of_segment(&all[4].id().to_string(), &closing(&all[5]).link.to_string())
}

#[test]
fn the_hash() {
    assert_eq!(hash("x", &["a", "b"]), text(&vectors(), "H(x)"));
}

#[test]
fn canonical_text_and_its_id() {
    let v = vectors();
    let value = Json::object([
        ("b", Json::List(vec![Json::Int(1), Json::Bool(true), Json::from("García \"x\" \\")])),
        ("a", Json::object([("z", Json::Int(-5)), ("3412", Json::from("s-01"))])),
    ]);
    assert_eq!(value.to_string(), text(&v, "canon"));
    assert_eq!(record_id(&value).to_string(), text(&v, "canon record id"));
    assert_eq!(Json::parse_canonical(text(&v, "canon").as_bytes()), Ok(value));
}

#[test]
fn keys_and_chains() {
    let v = vectors();
    for name in ["us", "spain"] {
        let seed = from_hexadecimal(&text(&v, &format!("{name} signing seed"))).expect("32 bytes");
        assert_eq!(PrivateKey::from_seed(&seed).public().to_string(), text(&v, &format!("{name} public key")));
        let chain: Chain = secret(name).chain(&role(name), 8);
        for (index, suffix) in [(0, " (anchor)"), (1, ""), (2, ""), (7, ""), (8, " (top)")] {
            let link = chain.link(index).expect("a link");
            assert_eq!(link.to_string(), text(&v, &format!("{name} link {index}{suffix}")));
        }
        assert_eq!(before(&role(name), 1, &chain.link(1).expect("a link")), chain.anchor());
    }
}

#[test]
fn every_record_has_its_id_and_signature_and_could_have_been_signed_here() {
    let v = vectors();
    let all = records();
    assert_eq!(all.len(), 12);
    let mut prev = Id::ZERO;
    for (seq, record) in all.iter().enumerate() {
        let body = record.body();
        let (by, kind) = (&body.by, &body.kind);
        assert_eq!(record.id().to_string(), text(&v, &format!("record {seq} {by} {kind} id")));
        assert_eq!(record.sig().to_string(), text(&v, &format!("record {seq} sig")));
        assert_eq!(body.prev, prev);
        prev = record.id();
        let seed = from_hexadecimal(&text(&v, &format!("{by} signing seed"))).expect("32 bytes");
        let key = PrivateKey::from_seed(&seed);
        assert!(record.is_signed_by(&key.public()));
        assert_eq!(Record::sign(body.clone(), &key).as_ref(), Ok(record));
        let data = Data::read(body).expect("well-formed");
        assert_eq!(data.to_json(), Ok(body.data.clone()), "typed data lose nothing");
        assert_eq!(Record::read(record.to_yaml().as_bytes()).as_ref(), Ok(record));
    }
    for seq in [4, 5] {
        assert_eq!(String::from_utf8(all[seq].to_bytes()).expect("UTF-8"), text(&v, &format!("record {seq} bytes")));
    }
}

#[test]
fn nonces_links_and_seeds_of_the_sample_game() {
    let v = vectors();
    let all = records();
    let mut used: BTreeMap<String, u32> = BTreeMap::new();
    for record in &all {
        let by = record.body().by.to_string();
        match Data::read(record.body()).expect("well-formed") {
            Data::Orders(orders) => assert_eq!(orders.nonce, secret(&by).nonce(&record.body().prev)),
            Data::Closing(closing) => {
                let index = used.entry(by.clone()).or_insert(0);
                *index += 1;
                assert_eq!(closing.index, *index);
                assert_eq!(Some(closing.link), secret(&by).chain(&role(&by), 8).link(*index));
                assert_eq!(closing.orders, record.body().prev);
                let seed = Seed::of_segment(&closing.orders.to_string(), &closing.link.to_string());
                for roll in &closing.rolls {
                    if let RollSaid::Open { label, sides, faces: said } = roll {
                        assert_eq!(faces(&seed, label.as_str(), sides), *said);
                    }
                }
            }
            _ => {}
        }
    }
    assert_eq!(seed_five().to_string(), text(&v, "seed"));
}

#[test]
fn salts_and_commitments() {
    let v = vectors();
    let all = records();
    let (game, spain) = (all[0].id(), role("spain"));
    let hide = secret("spain").hide();
    let salt = hide.salt(&slot("s-01"), 1);
    assert_eq!(salt.to_string(), text(&v, "salt s-01 v1"));
    let value = Json::parse_canonical(text(&v, "value s-01 v1").as_bytes()).expect("canonical");
    let made = commitment(&game, &spain, &slot("s-01"), 1, &salt, &value);
    assert_eq!(made.to_string(), text(&v, "commit s-01 v1"));
    let hides = orders(&all[2]).hide;
    assert_eq!(hides[0].commit, made);
    for hide_said in &hides {
        let value = match hide_said.slot.as_str() {
            "s-01" => value.clone(),
            "s-02" => Json::object([("unit", "dummy")]),
            _ => Json::map(),
        };
        let salt = hide.salt(&hide_said.slot, hide_said.version);
        assert_eq!(commitment(&game, &spain, &hide_said.slot, hide_said.version, &salt, &value), hide_said.commit);
    }
}

#[test]
fn the_state_hash() {
    let v = vectors();
    let state = Json::object([
        ("turn", Json::Int(1)),
        ("losses", Json::object([("spain", 0), ("us", 0)])),
        ("known", Json::map()),
    ]);
    assert_eq!(state.to_string(), text(&v, "state 0 bytes"));
    assert_eq!(hash("state", &[&state.to_string()]), text(&v, "state 0 hash"));
    assert_eq!(orders(&records()[2]).state.to_string(), text(&v, "state 0 hash"));
}

#[test]
fn faces_and_the_bytes_behind_them() {
    let v = vectors();
    let seed = seed_five();
    for label in ["t1.us.assault/3412/attack/1", "t1.us.assault/3514/attack/1"] {
        assert_eq!(seed.roll_key(label), text(&v, &format!("key  {label}")));
        assert_eq!(to_hexadecimal(&stream_bytes(&seed, label, 8)), text(&v, &format!("bytes {label}")));
        assert_eq!(faces(&seed, label, &[Die::D6, Die::D6]), numbers(&v, &format!("faces {label}")));
    }
    let mixed = faces(&seed, "test/mixed/1", &dice(&numbers(&v, "sides test/mixed/1")));
    assert_eq!(mixed, numbers(&v, "faces test/mixed/1"));
    let label = text(&v, "rejection label");
    assert_eq!(to_hexadecimal(&stream_bytes(&seed, &label, 8)), text(&v, "rejection bytes"));
    assert_eq!(faces(&seed, &label, &[Die::D6; 3]), numbers(&v, "rejection faces [6,6,6]"));
    let long = faces(&seed, "test/long/1", &[Die::D6; 200]);
    assert_eq!(u64::from(long.iter().sum::<u16>()), v["200d6 test/long/1 sum"].as_u64().expect("a number"));
    assert_eq!(long[190..], numbers(&v, "200d6 test/long/1 last10"));
}

#[test]
fn the_die_is_even() {
    let v = vectors();
    let seed = seed_five();
    let mut counts = vec![0u16; 6];
    for n in 0..1000 {
        for face in faces(&seed, &format!("stat/{n}"), &[Die::D6; 60]) {
            counts[usize::from(face) - 1] += 1;
        }
    }
    assert_eq!(counts, numbers(&v, "counts"));
}

#[test]
fn the_secret_roll_and_its_proof_at_the_audit() {
    let v = vectors();
    let all = records();
    let seed = Seed::of_segment(&all[6].id().to_string(), &closing(&all[7]).link.to_string());
    assert_eq!(seed.to_string(), text(&v, "public seed of record 7"));
    let Ok(Data::Audit(Audit { hide_secret, secret_rolls, .. })) = Data::read(all[11].body()) else {
        panic!("an audit expected");
    };
    let salt = HideSecret(hide_secret).salt(&slot("ticket/1"), 1);
    assert_eq!(salt.to_string(), text(&v, "ticket/1 salt"));
    let own = seed.secret(&salt.to_string());
    assert_eq!(own.to_string(), text(&v, "secret seed"));
    let label = Key::parse("t1.spain.secret/relief/1").expect("a label");
    assert_eq!(secret_rolls[0].label, label);
    assert_eq!(faces(&own, label.as_str(), &[Die::D6]), numbers(&v, "secret faces"));
    assert_eq!(secret_rolls[0].faces, numbers(&v, "secret faces"));
    assert_eq!(closing(&all[7]).rolls.last().map(RollSaid::label), Some(&label));
}

#[test]
fn armour() {
    let v = vectors();
    let wanted = text(&v, "armour record 5");
    let five = records().swap_remove(5);
    assert_eq!(five.armoured(), wanted);
    let mangled: String = wanted.lines().map(|line| format!("> > {line}  \r\n\r\n")).collect();
    assert_eq!(armour::unwrap(&format!("Hi,\r\nhere it is\r\n{mangled}> bye\r\n")), [Ok(five.to_bytes())]);
    let damaged: Vec<String> = wanted
        .lines()
        .enumerate()
        .map(|(n, line)| if n == 3 { line.replacen('Z', "Y", 1) } else { line.to_owned() })
        .collect();
    assert!(armour::unwrap(&damaged.join("\n"))[0].is_err());
}

/// The files of a ledger; nobody has the rules of the sample game, so records, dice and openings are all that is judged.
fn verified(records: &[Record]) -> Verification {
    let files = records.iter().enumerate().map(|(n, record)| LedgerFile {
        name: record.file_name(),
        seq: u32::try_from(n).expect("few"),
        record: Ok(record.clone()),
    });
    let no_rules = |genesis: &Genesis| Err(Finding::new(Code::Engine, format!("{} is not known here", genesis.engine)));
    verify(&LedgerFiles { files: files.collect(), problems: vec![] }, &no_rules, &Vision::public())
}

#[test]
fn the_sample_game_verifies_without_its_rules() {
    let all = records();
    let verification = verified(&all);
    assert_eq!((verification.exit_code(), verification.good), (4, 12), "{}", verification.report(""));
    assert_eq!(verification.links, [(role("spain"), 1), (role("us"), 3)]);
    assert_eq!(verification.owed, None);
    assert_eq!(verified(&all[..5]).owed, Some((role("spain"), "result")));
    assert_eq!(verified(&all[..9]).owed, Some((role("spain"), "call")));
    assert_eq!(verified(&all[..1]).owed, Some((role("spain"), "join")));
}

/// Lets the signer of a record alter it and sign it again; everything before it stays.
fn cheat(seq: usize, change: &dyn Fn(&mut Body)) -> Option<(u32, String, Option<Role>)> {
    let v = vectors();
    let mut all = records();
    all.truncate(seq + 1);
    let mut body = all.pop().expect("a record").body().clone();
    change(&mut body);
    let seed = from_hexadecimal(&text(&v, &format!("{} signing seed", body.by))).expect("32 bytes");
    all.push(Record::sign(body, &PrivateKey::from_seed(&seed)).expect("signed"));
    verified(&all).divergence.map(|d| (d.seq, d.finding.code.to_string(), d.finding.fault))
}

#[test]
fn each_breach_of_the_sample_game_is_found_with_its_record_code_and_culprit() {
    type Change<'a> = &'a dyn Fn(&mut Body);
    let set = |pointer: &'static str, value: Json| {
        move |body: &mut Body| *body.data.pointer_mut(pointer).expect(pointer) = value.clone()
    };
    let unset = |pointer: &'static str, name: &'static str| {
        move |body: &mut Body| {
            body.data.pointer_mut(pointer).and_then(Json::as_map_mut).and_then(|m| m.remove(name)).expect(name);
        }
    };
    let link_two = secret("spain").chain(&role("spain"), 8).link(2).expect("a link");
    let skip = |body: &mut Body| {
        set("/link", link_two.to_string().into())(body);
        set("/index", Json::Int(2))(body);
    };
    let (ones, twos) = (Json::from("1".repeat(64)), Json::from("2".repeat(64)));
    let in_turn = |by: &'static str| {
        move |body: &mut Body| {
            body.by = role(by);
            body.kind = RecordKind::Orders;
        }
    };
    let cases: [(usize, Change<'_>, &str, &str); 14] = [
        (5, &set("/rolls/0/faces/0", Json::Int(3)), "E30-ROLL", "spain"),
        (5, &skip, "E21-INDEX", "spain"),
        (5, &set("/link", ones), "E20-LINK", "spain"),
        (5, &set("/reveals/0/value", Json::object([("unit", "dummy")])), "E50-REVEAL", "spain"),
        (5, &set("/orders", twos), "E13-KIND", "spain"),
        (4, &in_turn("spain"), "E13-KIND", "spain"),
        (10, &set("/reveals/0/value", Json::object([("hex", "3611")])), "E50-REVEAL", "us"),
        (9, &in_turn("us"), "E13-KIND", "us"),
        (4, &unset("", "nonce"), "E14-SCHEMA", "us"),
        (4, &set("/state", Json::from("0".repeat(64))), "E40-STATE", "us"),
        (7, &set("/rolls/1/secret", "ticket/2".into()), "E52-TICKET", "us"),
        (11, &set("/secret_rolls/0/faces/0", Json::Int(6)), "E60-AUDIT", "spain"),
        (11, &set("/values/s-02~11/unit", "puerto-rico-1".into()), "E60-AUDIT", "spain"),
        (11, &unset("/values", "s-02/1"), "E61-AUDIT", "spain"),
    ];
    for (seq, change, code, fault) in cases {
        let expected = Some((u32::try_from(seq).expect("few"), code.to_owned(), Some(role(fault))));
        assert_eq!(cheat(seq, change), expected, "record {seq}, {code}");
    }
}

#[test]
fn strangers_cannot_get_a_player_blamed() {
    let all = records();
    let stranger = PrivateKey::from_seed(&[9; 32]);
    let forged = |seq: usize, change: &dyn Fn(&mut Body)| {
        let mut body = all[seq].body().clone();
        change(&mut body);
        let mut log = all[..seq].to_vec();
        log.push(Record::sign(body, &stranger).expect("signed"));
        verified(&log).divergence.map(|d| (d.finding.code.to_string(), d.finding.fault))
    };
    let nobody = |code: &str| Some((code.to_owned(), None));
    assert_eq!(forged(4, &|_| ()), nobody("E03-SIG"));
    // A second join in a player's name, with the stranger's own key inside.
    let own_key = |body: &mut Body| {
        body.by = role("us");
        body.kind = RecordKind::Join;
        body.data = Json::object([
            ("key", stranger.public().to_string()),
            ("accept", all[0].id().to_string()),
            ("anchor", "0".repeat(64)),
        ]);
    };
    assert_eq!(forged(4, &own_key), nobody("E03-SIG"));
    assert_eq!(forged(4, &|body| body.by = role("cuba")), nobody("E03-SIG"));
}

#[test]
fn two_versions_of_the_orders_are_a_fork_and_two_joiners_are_not() {
    let v = vectors();
    let all = records();
    let mut body = all[4].body().clone();
    *body.data.pointer_mut("/orders/attacks").expect("attacks") = Json::List(vec![]);
    let us = PrivateKey::from_seed(&from_hexadecimal(&text(&v, "us signing seed")).expect("32 bytes"));
    let second = Record::sign(body, &us).expect("signed");
    let files = |extra: &Record| {
        let file =
            |name: String, record: &Record| LedgerFile { name, seq: record.body().seq, record: Ok(record.clone()) };
        let mut files: Vec<LedgerFile> = all.iter().map(|r| file(r.file_name(), r)).collect();
        files.push(file("copy".to_owned(), extra));
        let no_rules = |_: &Genesis| Err(Finding::new(Code::Engine, "unknown"));
        verify(&LedgerFiles { files, problems: vec![] }, &no_rules, &Vision::public())
    };
    let fork = files(&second).divergence.expect("a fork");
    assert_eq!((fork.seq, fork.finding.code, fork.finding.fault), (4, Code::Fork, None), "only rules judge packets");
    assert_eq!(fork.evidence, ["0004-us-orders.yaml", "copy"]);
    // The form of a result is settled without rules.
    let mut body = all[5].body().clone();
    *body.data.pointer_mut("/state").expect("a state") = Json::from("0".repeat(64));
    let spain = PrivateKey::from_seed(&from_hexadecimal(&text(&v, "spain signing seed")).expect("32 bytes"));
    let fork = files(&Record::sign(body, &spain).expect("signed")).divergence.expect("a fork");
    assert_eq!((fork.seq, fork.finding.code, fork.finding.fault), (5, Code::Fork, Some(role("spain"))));
    // Somebody else accepted the same offer; the next record names the one who is in.
    let other = PrivateKey::from_seed(&[9; 32]);
    let mut body = all[1].body().clone();
    *body.data.pointer_mut("/key").expect("a key") = other.public().to_string().into();
    *body.data.pointer_mut("/anchor").expect("an anchor") = Json::from("3".repeat(64));
    let found = files(&Record::sign(body, &other).expect("signed"));
    assert_eq!((found.exit_code(), found.divergence), (4, None));
}
