//! Rolls that only one player sees: spent on tickets, stated and opened by him, told by his audit.

use super::data::{Data, Hide, RollSaid};
use super::ledger::Terms;
use super::record::{Record, RecordKind};
use super::replay::Vision;
use super::role::Role;
use super::seat::{Awaited, Seat};
use super::seat_tests::{Pair, check, found, home, lay, random, seeded_home};
use super::secret::commitment;
use super::skirmish::{self, SKIRMISH};
use crate::engine::dice::Chance;
use crate::engine::json::Json;
use crate::engine::submission::Submission;
use crate::engine::{Charter, Slot, to_json};
use crate::play::{Series, play_many};

fn play(seed: u32) -> Pair {
    Pair::play_out("tide", false, &format!("tide {seed}"))
}

/// The number of the result with the secret roll, and where the roll stands in it.
fn rolled(records: &[Record]) -> (usize, String) {
    let secret = |record: &Record| match Data::read(record.body()) {
        Ok(Data::Closing(closing)) => closing.rolls.iter().position(|roll| matches!(roll, RollSaid::Secret { .. })),
        _ => None,
    };
    let at = records.iter().enumerate().find_map(|(at, record)| Some((at, secret(record)?)));
    let (at, roll) = at.expect("a secret roll");
    (at, format!("/rolls/{roll}"))
}

/// The records up to `at`, with this one signed anew after a change.
fn changed(pair: &Pair, at: usize, change: impl FnOnce(&mut Json)) -> Vec<Record> {
    let honest = &pair.records()[at];
    let owner = usize::from(honest.body().by.as_str() == "us");
    let key = home(&pair.homes[owner]).identity().expect("a key");
    let mut body = honest.body().clone();
    change(&mut body.data);
    let mut records = pair.records()[..at].to_vec();
    records.push(Record::sign(body, &key).expect("signed"));
    records
}

fn blamed(at: usize, code: &'static str, who: &str) -> Option<(u32, &'static str, Option<String>)> {
    Some((at as u32, code, Some(who.to_owned())))
}

#[test]
fn a_match_with_a_secret_roll_is_good_for_everybody_and_its_audit_tells_the_faces() {
    for seed in 0..8 {
        let pair = play(seed);
        let records = pair.records();
        assert_eq!(found(records), None);
        for seat in &pair.seats {
            assert!(check(records, &seat.vision()).divergence.is_none());
        }
        let (at, roll) = rolled(records);
        let faces = records[at].body().data.pointer(&format!("{roll}/faces"));
        assert!(faces.is_none(), "the faces are nobody's business: {faces:?}");
        let by_spain =
            |record: &&Record| record.body().kind == RecordKind::Audit && record.body().by.as_str() == "spain";
        let audit = records.iter().find(by_spain).expect("an audit");
        assert!(audit.body().data.pointer("/secret_rolls/0/faces").is_some());
    }
}

#[test]
fn the_opponent_holds_the_same_until_the_tide_comes() {
    // The same match up to the roll: nothing the US player holds before the tide is opened names a face.
    let pair = play(3);
    let us = pair.seats[1].vision();
    let (at, _) = rolled(pair.records());
    let spain = pair.seats[0].role();
    assert_eq!(us.get(spain, &Slot::ticket(1), 1), None);
    let ledger = Pair::blind(&pair.records()[..=at]).seen_by(us);
    let held = ledger.replay().holdings(ledger.protocol(), &pair.seats[1].vision());
    assert!(held.0.keys().all(|(_, slot)| !slot.is_ticket()), "{held:?}");
}

#[test]
fn another_ticket_or_a_second_roll_is_found() {
    let pair = play(1);
    let (at, roll) = rolled(pair.records());
    let other = changed(&pair, at, |data| {
        *data.pointer_mut(&format!("{roll}/secret")).expect("a ticket") = Json::from("ticket/2");
    });
    assert_eq!(found(&other), blamed(at, "E52-TICKET", "spain"));
    let twice = changed(&pair, at, |data| {
        let mut again = data.pointer(&roll).cloned().expect("a roll");
        let Some(Json::List(rolls)) = data.pointer_mut("/rolls") else { panic!("no rolls") };
        again.as_map_mut().expect("a roll").insert("label".into(), Json::from("t1.us.assault/tide/tide/2"));
        rolls.push(again);
    });
    assert_eq!(found(&twice), blamed(at, "E52-TICKET", "spain"));
}

#[test]
fn a_statement_left_out_is_found_at_once() {
    let states = |record: &Record| {
        record.body().kind == RecordKind::Result && record.body().data.pointer("/claims/0/value").is_some()
    };
    for seed in 0..20 {
        let pair = play(seed);
        let Some(at) = pair.records().iter().position(states) else { continue };
        let silent = changed(&pair, at, |data| drop(data.as_map_mut().expect("data").remove("claims")));
        assert_eq!(found(&silent), blamed(at, "E51-REVEAL", "spain"));
        return;
    }
    panic!("no statement was made");
}

#[test]
fn a_day_denied_is_found_at_the_audit() {
    let states = |record: &&Record| record.body().data.pointer("/claims/0/value") == Some(&Json::Bool(true));
    for seed in 0..20 {
        let pair = play(seed);
        let Some(honest) = pair.records().iter().find(states) else { continue };
        // Spain closes the US turn and says that the tide is not there.
        if honest.body().kind != RecordKind::Orders {
            continue;
        }
        let at = honest.body().seq as usize;
        let lying = changed(&pair, at, |data| {
            *data.pointer_mut("/claims/0/value").expect("a claim") = Json::Bool(false);
            data.as_map_mut().expect("data").remove("reveals");
        });
        let lying = pair.finish(&lying);
        assert_eq!(found(&lying), blamed(at, "E60-AUDIT", "spain"));
        return;
    }
    panic!("no tide came in Spain's own turn");
}

#[test]
fn tickets_the_game_does_not_know_are_ill_formed() {
    let pair = Pair::play_out("open", false, "tickets");
    let hides =
        |record: &Record| record.body().by.as_str() == "spain" && record.body().data.pointer("/hide/0").is_some();
    let at = pair.records().iter().position(hides).expect("something sealed");
    let extra = changed(&pair, at, |data| {
        let hide = super::data::Hide { slot: Slot::ticket(1), version: 1, commit: super::Id::ZERO };
        let Some(Json::List(hides)) = data.pointer_mut("/hide") else { panic!("nothing sealed") };
        hides.push(to_json(&hide).expect("canonical"));
    });
    assert_eq!(found(&extra), blamed(at, "E14-SCHEMA", "spain"));
}

#[test]
fn in_the_vision_of_the_audits_every_secret_roll_is_known() {
    let pair = play(5);
    let ledger = Pair::blind(pair.records());
    let vision = Vision::after_audits(ledger.protocol());
    assert!(check(pair.records(), &vision).divergence.is_none());
}

#[test]
fn every_view_of_random_games_with_a_secret_roll_agrees() {
    let scenario = Some("tide".to_owned());
    let series = Series { games: 60, seed: "tide".into(), threads: 1, scenario, ..Series::default() };
    play_many(&SKIRMISH, &series, &|_| {}).unwrap_or_else(|broken| panic!("{broken}"));
}

/// A private game master and two players: Spain, us, and last the game master.
struct Club {
    homes: [tempfile::TempDir; 3],
    seats: Vec<Seat>,
    chance: Chance,
}

const MASTER: usize = 2;

impl Club {
    fn meet(seed: u32) -> Club {
        Club::meet_at("tide", seed)
    }

    fn meet_at(scenario: &str, seed: u32) -> Club {
        let homes = [(); 3].map(|()| tempfile::tempdir().expect("a folder"));
        let charter = Charter { scenario: scenario.to_owned(), ..Charter::default() };
        let terms = Terms { charter, max_asks: Some(2), ..Terms::default() };
        let roles: Vec<Role> = ["spain", "us"].iter().map(|role| role.parse().expect("a role")).collect();
        let master = seeded_home(&homes[MASTER], 10 * seed as usize);
        let mut gm = Seat::host_privately(skirmish::table(scenario), roles, terms, &master).expect("begun");
        let mut seats = Vec::new();
        for (at, folder) in homes.iter().take(MASTER).enumerate() {
            let home = seeded_home(folder, 10 * seed as usize + 1 + at);
            let seat = Seat::join(gm.ledger().records().to_vec(), None, &lay, &home).expect("joined");
            gm.receive(seat.ledger().records().to_vec());
            seats.push(seat);
        }
        seats.push(gm);
        let mut club = Club { homes, seats, chance: Chance::new(&format!("club {seed}")) };
        club.tell();
        club
    }

    fn records(&self) -> &[Record] {
        self.seats[MASTER].ledger().records()
    }

    /// Everybody hears what the game master has.
    fn tell(&mut self) {
        let records = self.records().to_vec();
        for seat in &mut self.seats {
            let received = seat.receive(records.clone());
            assert_eq!((received.refused, received.early), (vec![], vec![]));
            assert_eq!(seat.ledger().records(), records, "{}", seat.role());
        }
    }

    /// The game master closes what he has, and tells everybody.
    fn close(&mut self) {
        self.seats[MASTER].advance().expect("closed");
        assert_eq!(self.seats[MASTER].take_unfit(), None);
        self.tell();
    }

    /// A player says what is due from him, with its openings.
    fn act(&mut self, at: usize) {
        let seat = &mut self.seats[at];
        let said = seat.to_decide().map(|side| random(seat.ledger(), side, &mut self.chance));
        self.say(at, said);
    }

    fn say(&mut self, at: usize, said: Option<Submission>) {
        let seat = &mut self.seats[at];
        let made = match said {
            Some(said) => vec![seat.send(&said).expect("sent")],
            None => seat.advance().expect("stated"),
        };
        let (by, openings) = (seat.role().clone(), seat.openings(&made));
        assert_eq!(self.seats[MASTER].receive(made).refused, []);
        self.seats[MASTER].entrust(&by, openings).expect("fitting");
        self.close();
    }

    /// Everybody does what is due from him, to the last audit.
    fn play_out(&mut self) {
        while let Some(at) = self.due() {
            self.act(at);
        }
        let found = check(self.records(), &Vision::public());
        assert_eq!((found.divergence.as_ref(), found.exit_code()), (None, 0), "{}", found.report(""));
        let open = check(self.records(), &Vision::after_audits(self.seats[MASTER].ledger().protocol()));
        assert_eq!(open.divergence, None, "{}", open.report(""));
    }

    fn due(&self) -> Option<usize> {
        let who = self.seats[MASTER].ledger().awaited().who().cloned()?;
        self.seats.iter().position(|seat| *seat.role() == who)
    }

    /// The records with one more, signed by somebody.
    fn with(&self, at: usize, data: Json) -> Vec<Record> {
        let (ledger, by) = (self.seats[at].ledger(), self.seats[at].role().clone());
        let (game, prev) = (ledger.protocol().game(), ledger.protocol().head());
        let body =
            super::record::Body { by, data, game, kind: RecordKind::Orders, prev, seq: ledger.protocol().next() };
        let key = home(&self.homes[at]).identity().expect("a key");
        let mut records = self.records().to_vec();
        records.push(Record::sign(body, &key).expect("signed"));
        records
    }
}

/// A game in which the secret roll is due and Spain has no ticket: he was away when he would have committed one, or the roll
/// he had committed it for was taken back.
fn out_of_tickets(seed: u32, taken_back: bool) -> Club {
    let mut club = Club::meet(seed);
    if taken_back {
        club.act(0);
        let back = club.records().len() as u32 - 1;
        club.act(1);
        assert_eq!(club.seats[MASTER].ledger().protocol().secret_rolls().len(), 1);
        club.seats[MASTER].move_void(back, None).expect("moved");
    } else {
        club.seats[MASTER].no_moves().expect("entered");
    }
    club.close();
    club.act(1);
    let asked = club.seats[MASTER].ledger().awaited();
    assert_eq!(asked, Awaited::Facts("spain".parse().expect("a role")), "a ticket is asked for");
    let stop = club.records().last().and_then(|last| last.body().data.pointer("/stop/slots/0")).cloned();
    assert_eq!(stop, Some(Json::from(if taken_back { "ticket/2" } else { "ticket/1" })));
    club
}

#[test]
fn a_player_without_a_ticket_is_asked_for_one_and_nobody_is_at_fault() {
    for (seed, taken_back) in (0..2).flat_map(|seed| [(seed, false), (seed, true)]) {
        let mut club = out_of_tickets(seed, taken_back);
        club.act(0);
        let rolls = club.seats[MASTER].ledger().protocol().secret_rolls();
        assert_eq!(rolls.len(), 1 + usize::from(taken_back), "it was rolled in secret");
        let last = rolls.last().expect("a roll").clone();
        let of = |at: usize| club.seats[at].vision().salt(&last.by, &last.ticket, last.version);
        assert!(of(0).is_some() && of(MASTER) == of(0) && of(1).is_none());
        club.play_out();
    }
}

#[test]
fn a_game_master_goes_on_without_the_one_who_has_to_commit_a_ticket_and_the_roll_is_open() {
    for (seed, taken_back) in (0..3).flat_map(|seed| [(seed, false), (seed, true)]) {
        let mut club = out_of_tickets(seed, taken_back);
        let waived = club.records().len();
        club.seats[MASTER].no_moves().expect("entered");
        club.close();
        let result = &club.records()[waived + 1].body().data;
        assert!(result.pointer("/rolls/0/faces/0").is_some(), "{result}");
        let tide = club.seats[1].ledger().replay();
        let state = tide.table().state_json(tide.state()).expect("a state");
        assert_eq!(state.get("tide"), Some(&Json::from(format!("open/{waived}"))));
        // Spain is back: its next ticket is for a roll to come, and has nothing to do with this one.
        club.play_out();
    }
}

#[test]
fn a_reply_without_the_ticket_that_was_asked_for_is_ill_formed_and_so_is_one_of_the_game_masters_making() {
    let club = out_of_tickets(1, false);
    let at = club.records().len();
    let state = club.seats[0].ledger().replay().state_hash().to_string();
    let prev = club.seats[0].ledger().protocol().head().to_string();
    let said = |nonce: &str| Json::object([("nonce", nonce), ("state", state.as_str())]);
    assert_eq!(found(&club.with(0, said(&"7".repeat(64)))), blamed(at, "E14-SCHEMA", "spain"));
    let hide = Hide { slot: Slot::ticket(1), version: 1, commit: super::Id::ZERO };
    let hide = Json::List(vec![to_json(&hide).expect("canonical")]);
    // What is asked for, and a decision besides (13.6).
    for (name, value) in [("note", Some(Json::from("and one thing more"))), ("policies", Some(Json::map())), ("", None)]
    {
        let mut reply = said(&"7".repeat(64));
        let members = reply.as_map_mut().expect("members");
        members.insert("hide".into(), hide.clone());
        let wrong = value.is_some();
        members.extend(value.map(|value| (name.to_owned(), value)));
        assert_eq!(found(&club.with(0, reply)), if wrong { blamed(at, "E14-SCHEMA", "spain") } else { None }, "{name}");
    }
    let mut made = said(&prev);
    let members = made.as_map_mut().expect("members");
    members.insert("for".into(), Json::from("spain"));
    members.insert("nmr".into(), Json::Bool(true));
    assert_eq!(found(&club.with(MASTER, made.clone())), None, "he goes on without Spain");
    made.as_map_mut().expect("members").insert("hide".into(), hide);
    assert_eq!(found(&club.with(MASTER, made)), blamed(at, "E14-SCHEMA", "gm"));
}

#[test]
fn a_game_master_who_closes_with_another_ticket_is_at_fault_and_not_its_owner() {
    let mut club = Club::meet(3);
    club.act(0);
    club.act(1);
    let (at, roll) = rolled(club.records());
    let honest = &club.records()[at];
    let mut body = honest.body().clone();
    *body.data.pointer_mut(&format!("{roll}/secret")).expect("a ticket") = Json::from("ticket/2");
    let key = home(&club.homes[MASTER]).identity().expect("a key");
    let mut records = club.records()[..at].to_vec();
    records.push(Record::sign(body, &key).expect("signed"));
    assert_eq!(found(&records), blamed(at, "E52-TICKET", "gm"));
}

#[test]
fn between_two_whoever_never_committed_a_ticket_has_to_before_the_roll() {
    let pair = play(2);
    let sealed =
        |record: &Record| record.body().data.get("hide").is_some_and(|hide| hide.to_string().contains("ticket/"));
    let at = pair.records().iter().position(sealed).expect("a ticket");
    let without = changed(&pair, at, |data| {
        let Some(Json::List(hides)) = data.pointer_mut("/hide") else { panic!("nothing sealed") };
        hides.retain(|hide| hide.get("slot") != Some(&Json::from("ticket/1")));
    });
    let records = pair.finish(&without);
    assert_eq!(found(&records), None);
    let asked = |record: &Record| record.body().data.pointer("/stop/slots/0") == Some(&Json::from("ticket/1"));
    let stop = records.iter().position(asked).expect("it was asked for");
    // Spain closes this turn and knows its next link: the ticket is committed before the other gives a nonce.
    assert_eq!((records[stop].body().by.as_str(), &records[stop + 1].body().kind), ("spain", &RecordKind::Plan));
    assert!(records[stop + 3].body().data.pointer("/rolls/0/secret").is_some());
    // Who is asked for facts decides nothing on the way (13.6).
    let key = home(&pair.homes[0]).identity().expect("a key");
    let standing = Hide { slot: Slot::standing("stand"), version: 9, commit: super::Id::ZERO };
    let more = [
        ("note", Json::from("and one thing more")),
        ("hide", Json::List(vec![to_json(&standing).expect("canonical")])),
    ];
    for (name, value) in more {
        let mut body = records[stop + 1].body().clone();
        body.data.as_map_mut().expect("members").insert(name.into(), value);
        let mut said = records[..=stop].to_vec();
        said.push(Record::sign(body, &key).expect("signed"));
        assert_eq!(found(&said), blamed(stop + 1, "E14-SCHEMA", "spain"), "{name}");
    }
}

#[test]
fn a_game_master_signs_nothing_for_a_player_that_what_is_sealed_keeps_him_from_closing() {
    // In this game Spain vouches in its own turns that no token is a dummy.
    let lays_a_dummy = |seed: &u32| {
        let mut club = Club::meet_at("late", *seed);
        club.act(0);
        let spain = club.seats[0].vision();
        let hides = club.records()[3].body().data.get("hide").and_then(Json::as_list).unwrap_or_default().to_vec();
        let slots = hides.iter().filter_map(|hide| Slot::parse(hide.get("slot")?.as_str()?).ok());
        let holds = |slot: Slot| spain.get(club.seats[0].role(), &slot, 1) == Some(&Json::from("dummy"));
        let found = slots.into_iter().any(holds);
        found.then_some(club)
    };
    let mut club = (0..20).find_map(|seed| lays_a_dummy(&seed)).expect("a dummy");
    let idle = |club: &mut Club, at: usize| {
        let side = club.seats[at].to_decide().expect("his turn");
        Submission { orders: None, ..random(club.seats[at].ledger(), side, &mut club.chance) }
    };
    let said = idle(&mut club, 1);
    club.say(1, Some(said));
    assert_eq!(club.due(), Some(0));
    let before = club.records().to_vec();
    let said = club.seats[MASTER].no_moves().expect_err("not signed").to_string();
    assert!(said.contains("nothing was signed") && said.contains("spain") && said.contains("garcia motion"), "{said}");
    let orders = idle(&mut club, 0);
    let said = club.seats[0].send(&orders).expect_err("refused by his own program").to_string();
    assert!(said.contains("your hidden units"), "{said}");
    assert_eq!(club.seats[MASTER].advance().expect("nothing to do"), []);
    assert_eq!(club.records(), before, "what stood stands");
    club.seats[MASTER]
        .move_end(super::motion::Outcome::Winner("us".parse().expect("a role")), None, None)
        .expect("moved");
    assert_eq!(found(club.records()), None);
}

#[test]
fn orders_that_anothers_seals_keep_from_being_closed_are_his_fault_and_not_their_signers() {
    // In the second turn of this game the US orders open what Spain has sealed at set-up: here something that is no order.
    let mut club = Club::meet_at("relief", 1);
    let (spain, game) = (club.seats[0].role().clone(), club.records()[0].id());
    let side = club.seats[0].to_decide().expect("the set-up");
    let said = random(club.seats[0].ledger(), side, &mut club.chance);
    let honest = club.seats[0].send(&said).expect("signed");
    let (slot, garbage) = (Slot::parse("s-relief").expect("a slot"), Json::Int(17));
    let salt = home(&club.homes[0]).game(&game, &spain).expect("secrets").secret().hide().salt(&slot, 1);
    let commit = commitment(&game, &spain, &slot, 1, &salt, &garbage);
    let mut body = honest.body().clone();
    let Some(Json::List(hides)) = body.data.pointer_mut("/hide") else { panic!("nothing sealed") };
    let hide = hides.iter_mut().find(|hide| hide.get("slot") == Some(&Json::from("s-relief"))).expect("a relief");
    *hide.pointer_mut("/commit").expect("a commitment") = Json::from(commit.to_string());
    let strange = Record::sign(body, &home(&club.homes[0]).identity().expect("a key")).expect("signed");
    let mut openings = club.seats[0].openings(std::slice::from_ref(&honest));
    openings.iter_mut().filter(|reveal| reveal.slot == slot).for_each(|reveal| reveal.value = garbage.clone());
    let [_, us, gm] = club.seats.as_mut_slice() else { panic!("three of them") };
    let tell = |gm: &Seat, us: &mut Seat| {
        let received = us.receive(gm.ledger().records().to_vec());
        assert_eq!((received.refused, us.ledger().records()), (vec![], gm.ledger().records()));
        received.late
    };
    // Neither his own record nor the turns before show it.
    assert_eq!(gm.receive(vec![strange]).refused, []);
    gm.entrust(&spain, openings).expect("each fits");
    assert_eq!(gm.advance().expect("closed").len(), 1);
    let mut orders = None;
    for turn in 1..=2 {
        tell(gm, us);
        let side = us.to_decide().expect("his turn");
        let said = Submission { orders: None, ..random(us.ledger(), side, &mut club.chance) };
        let sent = us.send(&said).expect("signed");
        let openings = us.openings(std::slice::from_ref(&sent));
        assert_eq!(gm.receive(vec![sent.clone()]).refused, []);
        gm.entrust(us.role(), openings).expect("each fits");
        assert_eq!(gm.advance().expect("what can be closed").len(), usize::from(turn == 1));
        if turn == 1 {
            gm.no_moves().expect("Spain sends nothing");
            gm.advance().expect("closed");
        }
        orders = Some(sent);
    }
    let (orders, unfit) = (orders.expect("orders"), gm.take_unfit().expect("it cannot be closed"));
    assert_eq!((&unfit.record, unfit.is_his()), (&orders, false));
    assert_eq!((unfit.finding.code.as_str(), unfit.finding.fault), ("E50-REVEAL", Some(spain)));
    assert_eq!(gm.ledger().records().last().map(|last| last.id()), Some(orders.body().prev), "its place is free");
    // The game master moves there; nobody who is innocent is blamed, and his own program gives way.
    gm.move_end(super::motion::Outcome::Winner("us".parse().expect("a role")), None, None).expect("moved");
    assert_eq!(found(gm.ledger().records()), None);
    assert_eq!(tell(gm, us), [orders]);
    assert!(matches!(us.ledger().awaited(), Awaited::Audit(_)));
}
