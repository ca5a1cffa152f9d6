//! What somebody could hope to gain by trying things out before he signs, by refusing, or by saying more than he is asked.

use std::path::Path;

use crate::players::{Pair, at_random, check, home, lay, role};
use garcia::engine::Charter;
use garcia::engine::dice::{Chance, Seed, faces};
use garcia::engine::json::Json;
use garcia::games;
use garcia::trust::data::{Data, RollSaid};
use garcia::trust::home::Home;
use garcia::trust::protocol::Protocol;
use garcia::trust::record::{Body, Record, RecordKind};
use garcia::trust::replay::Vision;
use garcia::trust::seat::Seat;
use tempfile::TempDir;

/// A game with a packet whose result has dice in it: the pair, and the place of the orders.
fn before_dice() -> (Pair, usize) {
    let ruleset = games::find("santiago-1898").expect("a game");
    let mut pair = Pair::begin(ruleset, &Charter::default(), false, None, "preview");
    pair.play(24);
    let rolls = |record: &Record| record.body().data.pointer("/rolls/0/faces/0").is_some();
    let result = pair.records().iter().rposition(rolls).expect("dice");
    (pair, result - 1)
}

/// A copy of the folder with a player's secrets, so that nothing of his is touched.
fn copy(pair: &Pair, who: &Record) -> TempDir {
    let at = pair.seats.iter().position(|seat| *seat.role() == who.body().by).expect("a player");
    let folder = tempfile::tempdir().expect("a folder");
    let put = |from: &Path, name: &str| {
        let to = folder.path().join(name);
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("made");
        std::fs::copy(from, to).expect("copied");
    };
    let home = pair.homes[at].path();
    put(&home.join("identity.yaml"), "identity.yaml");
    for entry in std::fs::read_dir(home.join("secrets")).expect("listed") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        put(&path, &format!("secrets/{name}"));
    }
    folder
}

fn key(pair: &Pair, who: &Record) -> garcia::trust::key::PrivateKey {
    let folder = copy(pair, who);
    Home::find(Some(folder.path())).expect("given").identity().expect("a key")
}

/// A closer's secrets as they were before he opened his link for the orders that came; he would refuse a second time.
fn before_closing(folder: &TempDir) {
    for entry in std::fs::read_dir(folder.path().join("secrets")).expect("listed") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("secrets");
        let Some((head, rest)) = text.split_once("\nclosed:\n") else { continue };
        let tail = rest.lines().skip_while(|line| line.starts_with(' '));
        let earlier = head.lines().chain(tail).filter(|line| !line.starts_with("reached:"));
        let earlier: Vec<&str> = earlier.collect();
        std::fs::write(&path, earlier.join("\n") + "\n").expect("written");
    }
}

/// Other orders for the same place, signed by a patched program, and the result the honest closer gives to them.
fn closed(pair: &Pair, at: usize, change: impl FnOnce(&mut Body)) -> (Record, Record) {
    let records = pair.records();
    let mut body = records[at].body().clone();
    change(&mut body);
    let orders = Record::sign(body, &key(pair, &records[at])).expect("signed");
    let folder = copy(pair, &records[at + 1]);
    before_closing(&folder);
    let mut closer = Seat::open(records[..at].to_vec(), &lay, &home(&folder)).expect("opened");
    let received = closer.receive(vec![orders.clone()]);
    assert_eq!(received.refused, [], "orders that are well-formed are closed, whatever they say");
    let made = closer.advance().expect("closed");
    (orders, made.into_iter().next().expect("a result"))
}

fn text(record: &Record, name: &str) -> String {
    record.body().data.get(name).and_then(Json::as_str).expect("a text").to_owned()
}

fn nonce(byte: u8) -> Json {
    Json::from(format!("{byte:02x}").repeat(32))
}

#[test]
fn however_orders_are_ground_they_meet_a_link_that_was_fixed_before_the_game() {
    let (pair, at) = before_dice();
    let honest = &pair.records()[at + 1];
    let mut dice = std::collections::BTreeSet::new();
    for byte in 1..=6 {
        let (_, result) = closed(&pair, at, |body| {
            body.data.as_map_mut().expect("an object").insert("nonce".to_owned(), nonce(byte));
        });
        assert_eq!(text(&result, "link"), text(honest, "link"));
        dice.insert(result.body().data.get("rolls").map(ToString::to_string));
    }
    assert!(dice.len() > 1, "the dice depend on the nonce, which the closer could not know either");
    // What is public before the result (the anchor, earlier links) gives other dice.
    let Ok(Data::Closing(closing)) = Data::read(honest.body()) else { panic!("a result") };
    let known: Vec<String> = pair.records()[..=at]
        .iter()
        .filter_map(|record| record.body().data.get("link").or_else(|| record.body().data.get("anchor")))
        .filter_map(|link| link.as_str().map(str::to_owned))
        .collect();
    assert!(known.len() > 2 && !known.contains(&closing.link.to_string()));
    let all = |seed: &Seed| -> Vec<Vec<u16>> {
        let open = |roll: &RollSaid| faces(seed, roll.label().as_str(), roll.sides());
        closing.rolls.iter().map(open).collect()
    };
    let truth = all(&Seed::of_segment(&closing.orders.to_string(), &closing.link.to_string()));
    let foreseen = known.iter().filter(|link| all(&Seed::of_segment(&closing.orders.to_string(), link)) == truth);
    assert!(truth.concat().len() < 3 || foreseen.count() == 0);
}

#[test]
fn the_closer_makes_one_result_and_no_other_passes() {
    let (pair, at) = before_dice();
    let (records, honest) = (pair.records(), &pair.records()[at + 1]);
    // Again from a backup: the same bytes.
    let folder = copy(&pair, honest);
    let mut again = Seat::open(records[..=at].to_vec(), &lay, &home(&folder)).expect("opened");
    assert_eq!(again.advance().expect("made").first(), Some(honest));
    // Standing orders changed after the preview act from the next segment on; this result stays what it is.
    let Ok(Data::Closing(closing)) = Data::read(honest.body()) else { panic!("a result") };
    for member in ["rolls", "reveals"] {
        let mut body = honest.body().clone();
        if let Some(Json::List(items)) = body.data.pointer_mut(&format!("/{member}")) {
            if items.is_empty() {
                continue;
            }
            items.remove(0);
        }
        let mut all = records[..=at].to_vec();
        all.push(Record::sign(body, &key(&pair, honest)).expect("signed"));
        let found = check(&all, &Vision::public()).divergence.expect("found");
        assert_eq!((found.seq as usize, found.finding.fault.as_ref()), (at + 1, Some(&honest.body().by)));
    }
    assert!(!closing.rolls.is_empty());
}

#[test]
fn nobody_gets_new_orders_by_calling_the_old_ones_invalid() {
    let (pair, at) = before_dice();
    // Orders that make no sense lapse by rule; the file is not refused, and the closer owes its result.
    let nonsense = Json::object([("moves", Json::from("everywhere at once"))]);
    let (orders, result) = closed(&pair, at, |body| {
        body.data.as_map_mut().expect("an object").insert("orders".to_owned(), nonsense);
    });
    let mut all = pair.records()[..at].to_vec();
    all.push(orders);
    let silent = check(&all, &Vision::public());
    assert_eq!(silent.owed, Some((result.body().by.clone(), "result")), "who refuses valid orders owes a result");
    all.push(result);
    let found = check(&all, &Vision::public());
    assert!(found.divergence.is_none(), "{}", found.report(""));
}

#[test]
fn answers_nobody_asked_for_count_for_nothing() {
    let (pair, at) = before_dice();
    let unasked = Json::List(vec![Json::object([("key", "t1.us.shock/1210/retreat/1"), ("choice", "1209")])]);
    let (orders, result) = closed(&pair, at, |body| {
        body.data.as_map_mut().expect("an object").insert("answers".to_owned(), unasked);
    });
    let mut protocol = Protocol::new();
    for record in &pair.records()[..at] {
        protocol.take(record).expect("good");
    }
    protocol.take(&orders).expect("well-formed");
    assert!(protocol.span().expect("a span").answers.is_empty());
    protocol.take(&result).expect("closed");
}

#[test]
fn a_lost_mail_is_repeated_and_a_copy_changes_nothing() {
    let (mut pair, at) = before_dice();
    let (sender, reader) = match pair.records()[at].body().by == *pair.seats[0].role() {
        true => (0, 1),
        false => (1, 0),
    };
    let before = pair.seats[reader].ledger().records().len();
    let mails: Vec<Vec<Record>> = (0..3).map(|_| pair.seats[sender].outgoing().to_vec()).collect();
    assert!(mails.windows(2).all(|two| two[0] == two[1]), "the same bytes each time");
    for mail in mails {
        let received = pair.seats[reader].receive(mail);
        assert_eq!(received.refused, []);
    }
    assert!(pair.seats[reader].ledger().records().len() >= before);
    // A stranger who replays old mails, or mails them to another game, achieves nothing.
    let old = pair.records().to_vec();
    let received = pair.seats[reader].receive(old.clone());
    assert_eq!((received.taken.len(), received.refused.len()), (0, 0));
    let ruleset = games::find("santiago-1898").expect("a game");
    let mut other = Pair::begin(ruleset, &Charter::default(), false, None, "another");
    let received = other.seats[0].receive(old);
    assert_eq!(received.taken.len(), 0);
    assert!(received.refused.iter().all(|(_, finding)| finding.code.as_str() == "E10-GAME"));
}

#[test]
fn a_game_master_who_touches_dice_or_orders_is_named() {
    let ruleset = games::find("santiago-1898").expect("a game");
    let folder = tempfile::tempdir().expect("a folder");
    let table = ruleset.open(&Charter::default()).expect("a table");
    let terms = crate::players::terms(&Charter::default(), false, None);
    let mut gm = Seat::host(table, Vec::new(), terms, &home(&folder)).expect("begun");
    let mut chance = Chance::new("master");
    let rolls = |record: &Record| record.body().data.pointer("/rolls/0/faces/0").is_some();
    while !gm.ledger().records().iter().any(rolls) {
        let side = gm.to_decide().expect("somebody");
        let said = at_random(gm.ledger(), side, &mut chance);
        gm.send(&said).expect("entered");
        gm.advance().expect("closed");
    }
    let records = gm.ledger().records();
    let at = records.iter().position(rolls).expect("dice");
    let key = home(&folder).identity().expect("a key");
    let forged = |at: usize, change: &dyn Fn(&mut Json)| {
        let mut body = records[at].body().clone();
        change(&mut body.data);
        let mut all = records[..at].to_vec();
        all.push(Record::sign(body, &key).expect("signed"));
        let found = check(&all, &Vision::public()).divergence.expect("found");
        (found.seq as usize, found.finding.code.as_str(), found.finding.fault)
    };
    let blamed = |at, code| (at, code, Some(role("gm")));
    let die = |data: &mut Json| {
        let face = data.pointer_mut("/rolls/0/faces/0").expect("a face");
        *face = Json::Int(face.as_int().expect("a number") % 6 + 1);
    };
    assert_eq!(forged(at, &die), blamed(at, "E30-ROLL"));
    let zeros = Json::from("0".repeat(64));
    let link = |data: &mut Json| *data.pointer_mut("/link").expect("a link") = zeros.clone();
    assert_eq!(forged(at, &link), blamed(at, "E20-LINK"));
    let state = |data: &mut Json| *data.pointer_mut("/state").expect("a state") = zeros.clone();
    assert_eq!(forged(at, &state), blamed(at, "E40-STATE"));
    let orders = |data: &mut Json| drop(data.as_map_mut().expect("an object").remove("for"));
    assert_eq!(forged(at - 1, &orders), blamed(at - 1, "E14-SCHEMA"));
    assert_eq!(records[at].body().kind, RecordKind::Result);
}
