//! Motions: takebacks, rulings, the end by agreement; in every mode, by honest players and by others.

use std::path::PathBuf;
use std::process::Command;

use crate::players::{Pair, at_random, charter_of, check, home, join_all, mailed, role, send_out, terms};
use garcia::engine::dice::Chance;
use garcia::engine::{Charter, Json, Ruleset};
use garcia::games::GAMES;
use garcia::trust::data::Mode;
use garcia::trust::key::PrivateKey;
use garcia::trust::ledger::LedgerTrouble;
use garcia::trust::motion::{Motion, Outcome, What};
use garcia::trust::propose::Finding;
use garcia::trust::record::{Body, Record, RecordKind};
use garcia::trust::replay::Vision;
use garcia::trust::seat::{Awaited, Seat};

/// What the script says of some records: its exit code and its words.
fn script(records: &[Record]) -> Option<(i32, String)> {
    let folder = tempfile::tempdir().expect("a folder");
    for record in records {
        std::fs::write(folder.path().join(record.file_name()), record.to_yaml()).expect("written");
    }
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/verify.py");
    let output = Command::new("python3").arg(path).arg(folder.path()).output().ok()?;
    Some((output.status.code()?, String::from_utf8_lossy(&output.stdout).into_owned()))
}

type Verdict = Option<(u32, String, Option<String>)>;

fn verdict(records: &[Record]) -> Verdict {
    let found = check(records, &Vision::public()).divergence?;
    Some((found.seq, found.finding.code.to_string(), found.finding.fault.map(|role| role.to_string())))
}

/// Both verifiers find the ledger good.
fn good(records: &[Record]) {
    let verification = check(records, &Vision::public());
    assert_eq!(verification.divergence, None, "{}", verification.report(""));
    if let Some((code, said)) = script(records) {
        assert_eq!(code, 4, "{said}");
    }
}

/// Both verifiers name this record, code and culprit; the script at least agrees on whom it names.
fn wrong(records: &[Record], seq: u32, code: &str, fault: &str) {
    assert_eq!(verdict(records), Some((seq, code.to_owned(), Some(fault.to_owned()))), "{}", report(records));
    if let Some((exit, said)) = script(records) {
        assert!(exit == 4 || exit == 1 && said.contains(code) && said.contains(&format!("fault: {fault}")), "{said}");
    }
}

fn report(records: &[Record]) -> String {
    check(records, &Vision::public()).report("")
}

fn game(id: &str) -> &'static dyn Ruleset {
    garcia::games::find(id).expect("a game")
}

/// A match of so many records that goes on: keys are new each time, and so are the dice, and some end early.
fn begun(id: &str, seed: &str, records: usize) -> Pair {
    let played = (0..20).find_map(|_| {
        let mut pair = Pair::begin(game(id), &Charter::default(), false, None, seed);
        pair.play(records);
        next_edge(&mut pair).map(|_| pair)
    });
    played.expect("a match that goes on")
}

/// Lets the game go on until a span has ended and somebody has to give a packet; says who sits there.
fn at_edge(pair: &mut Pair) -> usize {
    next_edge(pair).expect("the match goes on")
}

/// The same; none if the match is over before.
fn next_edge(pair: &mut Pair) -> Option<usize> {
    for _ in 0..400 {
        for at in 0..2 {
            pair.seats[at].advance().expect("advanced");
            pair.mail(at);
        }
        for at in 0..2 {
            let ledger = pair.seats[at].ledger();
            if ledger.protocol().at_edge() && ledger.awaited().who() == Some(pair.seats[at].role()) {
                return Some(at);
            }
        }
        // Where nobody has to decide, one waits for what the other's program writes next; or it is over.
        if let Some(at) = (0..2).find(|at| pair.seats[*at].to_decide().is_some()) {
            pair.act(at);
            pair.mail(at);
        } else if matches!(pair.seats[0].ledger().awaited(), Awaited::Nothing | Awaited::Audit(_)) {
            return None;
        }
    }
    None
}

/// The place to which one can go back: the last but `n` that a span ended with.
fn edge(seat: &Seat, n: usize) -> u32 {
    let edges: Vec<u32> = seat.ledger().protocol().edges().collect();
    edges[edges.len() - 1 - n]
}

fn accepted(pair: &mut Pair, mover: usize, accepts: bool) {
    pair.mail(mover);
    let asked = pair.seats[1 - mover].role().clone();
    assert_eq!(pair.seats[1 - mover].ledger().awaited(), Awaited::Consent(asked));
    pair.seats[1 - mover].answer_motion(accepts, None).expect("answered");
    pair.mail(1 - mover);
}

#[test]
fn a_takeback_by_consent_returns_the_position_and_no_die() {
    for ruleset in GAMES {
        let mut pair = begun(ruleset.id(), "a takeback", 8);
        let at = at_edge(&mut pair);
        let back_to = edge(&pair.seats[at], 1);
        let ledger = pair.seats[at].ledger();
        let before = ledger.upto(back_to as usize + 1).expect("as it was").replay().state_hash();
        let used: Vec<u32> = ledger.protocol().signatories().values().map(|seat| seat.used).collect();
        let motion = Motion::new(What::Void { back_to });
        let outlook = ledger.outlook(&motion, pair.seats[at].role()).expect("an outlook").expect("a change");
        assert_eq!(outlook.hash, before, "{}", ruleset.id());
        pair.seats[at].move_void(back_to, None).expect("moved");
        accepted(&mut pair, at, true);
        for seat in &pair.seats {
            let ledger = seat.ledger();
            assert_eq!(ledger.replay().state_hash(), before, "{}", ruleset.id());
            let now: Vec<u32> = ledger.protocol().signatories().values().map(|seat| seat.used).collect();
            assert_eq!(now, used, "links stay spent");
        }
        good(pair.records());
        assert!(report(pair.records()).contains("W72-VOID"), "{}", report(pair.records()));
        let length = pair.records().len();
        pair.play(length + 8);
        assert!(pair.records().len() > length, "{}: the game goes on", ruleset.id());
        good(pair.records());
    }
}

#[test]
fn a_whole_game_with_takebacks_is_audited() {
    let mut pair = Pair::begin(game("santiago-campaign"), &Charter::default(), false, None, "whole");
    for n in 0..3 {
        let records = pair.records().len() + 10;
        pair.play(records);
        let at = at_edge(&mut pair);
        let back_to = edge(&pair.seats[at], 1 + n % 2);
        pair.seats[at].move_void(back_to, Some("García".to_owned())).expect("moved");
        accepted(&mut pair, at, n != 1);
    }
    let at = at_edge(&mut pair);
    pair.seats[at].move_end(Outcome::Drawn, None, None).expect("moved");
    accepted(&mut pair, at, true);
    pair.play(usize::MAX);
    let verification = check(pair.records(), &Vision::public());
    assert_eq!(verification.level.to_string(), "L4", "{}", verification.report(""));
    good(pair.records());
    assert!(pair.seats.iter().all(|seat| seat.ledger().awaited() == Awaited::Nothing));
}

#[test]
fn void_and_replay_gives_the_same_bytes() {
    // The same orders after a takeback meet other links, so other dice; but the same position, the same words and the same
    // secrets give the same records, however often they are made.
    let make = || {
        let mut pair = begun("santiago-1898", "same bytes", 9);
        let at = at_edge(&mut pair);
        let back_to = edge(&pair.seats[at], 1);
        pair.seats[at].move_void(back_to, None).expect("moved");
        (pair, at)
    };
    let (mut pair, at) = make();
    let motion = pair.seats[at].ledger().records().last().expect("a motion").clone();
    let (folder, offered) = (home(&pair.homes[at]), motion.body().seq as usize);
    let mut again =
        Seat::open(pair.seats[at].ledger().records()[..offered].to_vec(), &crate::players::lay, &folder).expect("open");
    // What was signed and did not reach the ledger is found in the secrets.
    assert_eq!(again.ledger().records().last(), Some(&motion));
    accepted(&mut pair, at, true);
    again = Seat::open(pair.records().to_vec(), &crate::players::lay, &folder).expect("open");
    assert_eq!(again.ledger().replay().state_hash(), pair.seats[at].ledger().replay().state_hash());
}

#[test]
fn a_motion_that_is_declined_changes_nothing_and_is_not_repeated() {
    let mut pair = begun("santiago-1898", "declined", 9);
    let at = at_edge(&mut pair);
    let (back_to, before) = (edge(&pair.seats[at], 1), pair.seats[at].ledger().replay().state_hash());
    pair.seats[at].move_void(back_to, None).expect("moved");
    accepted(&mut pair, at, false);
    assert_eq!(pair.seats[at].ledger().replay().state_hash(), before);
    assert_eq!(pair.seats[at].to_decide().map(|side| side.as_str()), Some(pair.seats[at].role().as_str()));
    let again = pair.seats[at].move_void(back_to, None).expect_err("refused");
    assert!(again.to_string().contains("E13") && again.to_string().contains("declined"), "{again}");
    good(pair.records());
    assert!(report(pair.records()).contains("W77-PAPER"), "{}", report(pair.records()));
    // Once a turn has been played he may ask again.
    pair.act(at);
    pair.mail(at);
    let next = at_edge(&mut pair);
    let mover = pair.seats[next].role().clone();
    let back_to = edge(&pair.seats[next], 1);
    pair.seats[next].move_void(back_to, None).unwrap_or_else(|trouble| panic!("{mover}: {trouble}"));
}

fn finding(about: u32) -> Finding {
    Finding { about, clause: "9.3".to_owned(), finding: "the loss was counted twice".to_owned() }
}

#[test]
fn a_ruling_corrects_the_position_and_nothing_impossible_is_signed() {
    let mut pair = begun("santiago-1898", "a ruling", 14);
    let at = at_edge(&mut pair);
    let ledger = pair.seats[at].ledger();
    let table = ledger.replay().table();
    let state = table.state_json(ledger.replay().state()).expect("a state");
    let turn = state.get("turn").and_then(Json::as_int).expect("a turn");
    let last = ledger.protocol().next() - 1;
    // A later turn of the same kind is a position the rules allow, and the same packet is due.
    let mut later = state.clone();
    *later.pointer_mut("/turn").expect("turn") = Json::Int(turn + 1);
    let motion = ledger.ruling(finding(last), &later).expect("a ruling");
    let outlook = ledger.outlook(&motion, pair.seats[at].role()).expect("an outlook").expect("a change");
    assert_eq!(outlook.after, later);
    pair.seats[at].propose(motion).expect("moved");
    accepted(&mut pair, at, true);
    for seat in &pair.seats {
        let ledger = seat.ledger();
        assert_eq!(table_json(seat).get("turn"), Some(&Json::Int(turn + 1)));
        assert_eq!(ledger.replay().state_hash(), outlook.hash);
    }
    good(pair.records());
    assert!(report(pair.records()).contains("W73-RULING"), "{}", report(pair.records()));
    let length = pair.records().len();
    pair.play(length + 6);
    good(pair.records());
}

fn table_json(seat: &Seat) -> Json {
    let replay = seat.ledger().replay();
    replay.table().state_json(replay.state()).expect("a state")
}

#[test]
fn a_ruling_that_breaks_an_invariant_or_the_turn_order_is_refused_with_it() {
    for (id, pointer, value, word) in [
        ("santiago-1898", "/turn", Json::Int(-3), "rules"),
        ("santiago-1898", "/stage", Json::from("spanish-setup"), "whose packet is due"),
        ("santiago-1898", "/nonsense", Json::Int(1), "rules"),
        ("santiago-campaign", "/stage", Json::from("us-setup"), "whose packet is due"),
    ] {
        let mut pair = begun(id, "refused", 14);
        let at = at_edge(&mut pair);
        let ledger = pair.seats[at].ledger();
        let patch = [(pointer.to_owned(), value)].into_iter().collect();
        let motion = ledger.ruling_of(finding(1), patch).expect("it can be written");
        let before = pair.seats[at].ledger().records().len();
        let refused = pair.seats[at].propose(motion).expect_err(pointer);
        assert!(matches!(&refused, LedgerTrouble::Finding { .. }) && refused.to_string().contains("E14"), "{refused}");
        assert!(refused.to_string().contains(word), "{id} {pointer}: {refused}");
        assert_eq!(pair.seats[at].ledger().records().len(), before, "nothing was signed");
        // The seat is usable afterwards.
        assert!(pair.act(at));
    }
}

/// A record as a patched program would sign it.
fn forged(pair: &Pair, at: usize, kind: RecordKind, data: Json) -> Record {
    let protocol = pair.seats[at].ledger().protocol();
    let key: PrivateKey = home(&pair.homes[at]).identity().expect("a key");
    let body = Body {
        by: pair.seats[at].role().clone(),
        data,
        game: protocol.game(),
        kind,
        prev: protocol.head(),
        seq: protocol.next(),
    };
    Record::sign(body, &key).expect("signed")
}

fn void(back_to: u32) -> Json {
    Json::object([("what", Json::from("void")), ("back_to", Json::from(back_to))])
}

#[test]
fn only_the_one_who_is_due_moves_and_only_where_a_span_has_ended() {
    let mut pair = begun("santiago-1898", "out of turn", 12);
    let at = at_edge(&mut pair);
    let (mover, other) = (pair.seats[at].role().to_string(), pair.seats[1 - at].role().to_string());
    let seq = pair.records().len() as u32;
    let with = |records: &[Record], record: Record| [records, &[record]].concat();
    let records = pair.records().to_vec();
    // The opponent may not move, nor accept what nobody moved.
    let motion = forged(&pair, 1 - at, RecordKind::Motion, void(edge(&pair.seats[at], 1)));
    wrong(&with(&records, motion.clone()), seq, "E13-KIND", &other);
    let received = pair.seats[at].receive(vec![motion]);
    assert!(received.taken.is_empty() && received.refused.len() == 1);
    let none = Json::object([("motion", Json::from(records[3].id().to_string()))]);
    wrong(&with(&records, forged(&pair, 1 - at, RecordKind::Accept, none)), seq, "E13-KIND", &other);
    // Nobody goes back to where no span ended, before the game, or to the place in hand.
    let here = edge(&pair.seats[at], 0);
    for back_to in [0, here, seq, seq + 5, here - 1] {
        wrong(&with(&records, forged(&pair, at, RecordKind::Motion, void(back_to))), seq, "E14-SCHEMA", &mover);
    }
    for (name, value) in
        [("hide", Json::Int(1)), ("patch", Json::map()), ("to", Json::from("spain")), ("to", Json::from("director"))]
    {
        let mut data = void(edge(&pair.seats[at], 1));
        data.as_map_mut().expect("an object").insert(name.to_owned(), value);
        wrong(&with(&records, forged(&pair, at, RecordKind::Motion, data)), seq, "E14-SCHEMA", &mover);
    }
    // A false hash, or a state that is not the one the patch gives.
    let patch = Json::object([("/turn", 9)]);
    let ruling = Json::object([
        ("what", Json::from("ruling")),
        ("about", Json::Int(1)),
        ("clause", Json::from("1")),
        ("finding", Json::from("x")),
        ("patch", patch),
        ("state", Json::from(records[1].id().to_string())),
    ]);
    let found = verdict(&with(&records, forged(&pair, at, RecordKind::Motion, ruling)));
    assert!(
        matches!(&found, Some((at, code, Some(who))) if *at == seq && (code == "E40-STATE" || code == "E14-SCHEMA") && *who == mover)
    );
    // He cannot resign for the other, nor claim the victory without being asked.
    let resigns = Json::object([("what", Json::from("end")), ("verdict", Json::object([("resigns", other.as_str())]))]);
    wrong(&with(&records, forged(&pair, at, RecordKind::Motion, resigns)), seq, "E14-SCHEMA", &mover);
    // With orders on the table nobody takes anything back: the closer owes their result first.
    assert!(pair.act(at));
    let records = pair.seats[at].ledger().records().to_vec();
    if matches!(pair.seats[at].ledger().awaited(), Awaited::Result(_)) {
        pair.mail(at);
        let motion = forged(&pair, 1 - at, RecordKind::Motion, void(edge(&pair.seats[at], 1)));
        wrong(&with(&records, motion), records.len() as u32, "E13-KIND", &other);
    }
}

#[test]
fn two_motions_or_two_answers_for_one_place_are_a_fork_and_the_wrong_answer_is_none() {
    let mut pair = begun("santiago-1898", "forked motions", 14);
    let at = at_edge(&mut pair);
    let (mover, other) = (pair.seats[at].role().to_string(), pair.seats[1 - at].role().to_string());
    let one = forged(&pair, at, RecordKind::Motion, void(edge(&pair.seats[at], 1)));
    let two = forged(&pair, at, RecordKind::Motion, void(edge(&pair.seats[at], 2)));
    let records = pair.records().to_vec();
    let seq = records.len() as u32;
    let both = [records.as_slice(), &[one.clone(), two]].concat();
    wrong(&both, seq, "E12-FORK", &mover);
    pair.seats[1 - at].receive(vec![one.clone()]);
    pair.seats[at].receive(vec![one.clone()]);
    let consent = |id: &Record| Json::object([("motion", Json::from(id.id().to_string()))]);
    let yes = forged(&pair, 1 - at, RecordKind::Accept, consent(&one));
    let no = forged(&pair, 1 - at, RecordKind::Decline, consent(&one));
    let with = |more: &[Record]| [records.as_slice(), std::slice::from_ref(&one), more].concat();
    wrong(&with(&[yes, no]), seq + 1, "E12-FORK", &other);
    // An answer to something else, or by the mover himself.
    let another = forged(&pair, 1 - at, RecordKind::Accept, consent(&records[2]));
    wrong(&with(&[another]), seq + 1, "E13-KIND", &other);
    let own = forged(&pair, at, RecordKind::Accept, consent(&one));
    wrong(&with(&[own]), seq + 1, "E13-KIND", &mover);
    // While it is on the table nothing else goes on; what is owed is named.
    let verification = check(&with(&[]), &Vision::public());
    assert_eq!(verification.owed.map(|(role, _)| role.to_string()), Some(other));
}

#[test]
fn who_resigns_asks_nobody() {
    let mut pair = begun("lone-warrior", "resigns", 8);
    let at = at_edge(&mut pair);
    let me = pair.seats[at].role().clone();
    pair.seats[at].move_end(Outcome::Resigns(me.clone()), None, None).expect("moved");
    pair.mail(at);
    pair.play(usize::MAX);
    good(pair.records());
    assert!(report(pair.records()).contains(&format!("end: {me} resigns")), "{}", report(pair.records()));
    assert_eq!(check(pair.records(), &Vision::public()).level.to_string(), "L4");
}

#[test]
fn a_game_master_moves_alone_and_players_take_it() {
    for private in [false, true] {
        // The dice come from fresh keys, and a match may be over before its time: the next one lasts.
        assert!((0..8).any(|number| game_master_moves(private, number)), "every match was over at once");
    }
}

/// One match with a game master's motions; says whether it lasted.
fn game_master_moves(private: bool, number: u32) -> bool {
    let mut chance = Chance::new(&format!("a club {number}"));
    let folders: Vec<_> = (0..3).map(|_| tempfile::tempdir().expect("a folder")).collect();
    let charter = charter_of("", &[]);
    let table = game("santiago-campaign").open(&charter).expect("a table");
    let sides = vec![role("spain"), role("us")];
    let gm = terms(&charter, false, None);
    let mut gm = match private {
        true => Seat::host_privately(table, sides, gm, &home(&folders[0])).expect("hosted"),
        false => Seat::host(table, sides, gm, &home(&folders[0])).expect("hosted"),
    };
    let mut players = join_all(&mut gm, &folders[1..]);
    // So many packets or answers, and as many more as bring the game to the end of a span.
    let mut play = |gm: &mut Seat, players: &mut Vec<Seat>, turns: usize| {
        for turn in 0.. {
            if turn >= turns && gm.ledger().protocol().at_edge() {
                return true;
            }
            let Some(side) = gm.ledger().to_speak() else { return false };
            let seat = players.iter_mut().find(|seat| seat.side() == Some(side)).expect("he sits here");
            let said = at_random(seat.ledger(), side, &mut chance);
            let record = seat.send(&said).expect("sent");
            let openings = seat.openings(std::slice::from_ref(&record));
            assert_eq!(gm.receive(vec![mailed(&record)]).refused, []);
            if !openings.is_empty() {
                gm.entrust(&role(side.as_str()), openings).expect("they fit");
            }
            gm.advance().unwrap_or_else(|trouble| panic!("private {private}: {trouble}"));
            assert_eq!(gm.take_unfit().map(|unfit| unfit.finding), None, "private {private}");
            send_out(gm, players);
        }
        false
    };
    if !play(&mut gm, &mut players, 4) {
        return false;
    }
    let back_to = edge(&gm, 2);
    let before = gm.ledger().upto(back_to as usize + 1).expect("as it was").replay().state_hash();
    gm.move_void(back_to, None).expect("moved");
    send_out(&gm, &mut players);
    assert!(players.iter().chain([&gm]).all(|seat| seat.ledger().replay().state_hash() == before));
    if !play(&mut gm, &mut players, 3) {
        return false;
    }
    good(gm.ledger().records());
    assert_eq!(gm.ledger().protocol().mode(), Mode::Gm);
    // A player may not move, and a game master asks nobody.
    let side = gm.ledger().to_speak().expect("somebody is due");
    let seat = players.iter_mut().find(|seat| seat.side() == Some(side)).expect("he sits here");
    assert!(seat.move_void(back_to, None).is_err());
    gm.move_end(Outcome::Drawn, None, None).expect("moved");
    send_out(&gm, &mut players);
    for player in &mut players {
        let all: Vec<Record> = gm.ledger().records().iter().map(mailed).collect();
        assert_eq!(player.receive(all).refused, []);
        for record in player.advance().expect("audited") {
            assert_eq!(gm.receive(vec![mailed(&record)]).refused, []);
        }
    }
    good(gm.ledger().records());
    true
}

#[test]
fn a_solo_player_takes_back_and_rules_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut chance = Chance::new("alone");
    let charter = charter_of("", &[]);
    let table = game("santiago-1898").open(&charter).expect("a table");
    let company = garcia::trust::ledger::Company::Solo;
    let mut seat = Seat::begin(table, company, terms(&charter, false, None), &home(&folder)).expect("begun");
    let mut play = |seat: &mut Seat, turns: usize| {
        for _ in 0..turns {
            let side = seat.ledger().to_speak().expect("somebody is due");
            let said = at_random(seat.ledger(), side, &mut chance);
            seat.send(&said).expect("sent");
            seat.advance().expect("closed");
        }
    };
    play(&mut seat, 4);
    let back_to = edge(&seat, 2);
    seat.move_void(back_to, None).expect("moved");
    play(&mut seat, 3);
    let mut later = table_json(&seat);
    let turn = later.get("turn").and_then(Json::as_int).expect("a turn");
    *later.pointer_mut("/turn").expect("turn") = Json::Int(turn + 1);
    let ruling = seat.ledger().ruling(finding(2), &later).expect("a ruling");
    seat.propose(ruling).expect("moved");
    play(&mut seat, 2);
    good(seat.ledger().records());
    let said = report(seat.ledger().records());
    assert!(said.contains("W72-VOID") && said.contains("W73-RULING") && said.contains("no answer was due"), "{said}");
}
