//! Random games at the bridge, and what the watchers must notice.

use std::collections::VecDeque;

use super::*;
use crate::engine::bridge::{BLUE, BRIDGE, RED};
use crate::engine::doc::{DocPath, Node, Reader};
use crate::engine::{AnyOrders, Charter, Dice, FixedDie, Holdings, Json, Match, Questions, Ruleset, Said, Slot};

fn series(games: usize, threads: usize) -> Series {
    Series { games, seed: "bridge".into(), threads, ..Series::default() }
}

#[test]
fn hundreds_of_games_end_in_a_verdict_and_use_everything() {
    let statistics = play_many(&BRIDGE, &series(300, 2), &|_| {}).unwrap_or_else(|broken| panic!("{broken}"));
    assert_eq!(statistics.games, 300);
    assert_eq!(statistics.wins.values().sum::<u64>() + statistics.draws, 300);
    assert!(statistics.wins.values().all(|wins| *wins > 30), "{:?}", statistics.wins);
    assert!(statistics.asked.values().all(|asked| *asked > 0), "{:?}", statistics.asked);
    assert!(statistics.stops > 0 && statistics.lapses > 0);
    assert_eq!(statistics.unseen, ["2a", "4a"], "nothing happens under a limit or a colour");
    assert!(statistics.text().contains("every invariant held"));
}

#[test]
fn the_same_seed_gives_the_same_games_on_any_number_of_threads() {
    let one = play_many(&BRIDGE, &series(40, 1), &|_| {}).expect("whole games");
    let three = play_many(&BRIDGE, &series(40, 3), &|_| {}).expect("whole games");
    assert_eq!(one, three);
    let other = Series { seed: "ford".into(), ..series(40, 1) };
    assert_ne!(one, play_many(&BRIDGE, &other, &|_| {}).expect("whole games"));
}

#[test]
fn progress_is_told_game_by_game() {
    let told = std::sync::Mutex::new(Vec::new());
    play_many(&BRIDGE, &series(5, 1), &|done| told.lock().expect("a list").push(done)).expect("whole games");
    assert_eq!(*told.lock().expect("a list"), [1, 2, 3, 4, 5]);
}

#[test]
fn wilson_bounds_are_those_of_the_textbook() {
    // (0.95): 0 of 10 → 0 … 0.2775; 5 of 10 → 0.2366 … 0.7634; 50 of 100 → 0.4038 … 0.5962; 1 of 1 → 0.2065 … 1.
    assert_eq!(wilson(0, 10), Interval { low: 0, share: 0, high: 278 });
    assert_eq!(wilson(5, 10), Interval { low: 236, share: 500, high: 764 });
    assert_eq!(wilson(50, 100), Interval { low: 403, share: 500, high: 597 });
    assert_eq!(wilson(1, 1), Interval { low: 206, share: 1000, high: 1000 });
    assert_eq!(wilson(0, 0), Interval { low: 0, share: 0, high: 1000 });
    let many = wilson(5_000_000, 10_000_000);
    assert!(many.low >= 499 && many.high <= 501, "{many:?}");
}

fn orders(table: &dyn Match, packet: &str, text: (&str, &str)) -> AnyOrders {
    let node = Node::Map(vec![(text.0.to_owned(), Node::text(text.1))]);
    let mut reader = Reader::new(table.lexicon());
    table.read_orders(packet, &node, &DocPath::root(), &mut reader).expect("orders")
}

fn dice(faces: &[u16]) -> Dice {
    let dice: VecDeque<FixedDie> = faces.iter().map(|face| FixedDie { label: None, faces: vec![*face] }).collect();
    Dice::Fixed(dice)
}

#[test]
fn a_guard_set_up_face_down_stays_hidden_from_the_other_side_until_it_is_opened() {
    let table = BRIDGE.open(&Charter::default()).expect("a table");
    let (state, stop) = table.begin();
    let mut sitting = Sitting::new(&*table, state, stop, Holdings::default());
    let guard = Slot::parse("guard").expect("a slot");

    let mut span = sitting.span(orders(&*table, "setup", ("guard", "3")), Said::default(), Questions::default());
    let outcome = sitting.resolve(&span, Dice::None).expect("set up");
    sitting.follow(&mut span, &outcome).expect("everybody agrees");
    sitting.end_span(span, outcome);
    assert_eq!(sitting.holdings_of(BLUE).get(BLUE, &guard), Some(&Json::Int(3)));
    assert_eq!(sitting.holdings_of(RED).get(BLUE, &guard), None);

    let mut span = sitting.span(orders(&*table, "turn", ("attacks", "1")), Said::default(), Questions::default());
    let outcome = sitting.resolve(&span, dice(&[2])).expect("an attack");
    sitting.follow(&mut span, &outcome).expect("everybody agrees");
    sitting.end_span(span, outcome);
    assert_eq!(sitting.holdings_of(RED).get(BLUE, &guard), Some(&Json::Int(3)), "the attack opened it");
}

#[test]
fn an_outcome_that_the_onlookers_cannot_follow_is_noticed() {
    let table = BRIDGE.open(&Charter::default()).expect("a table");
    let (state, stop) = table.begin();
    let mut sitting = Sitting::new(&*table, state, stop, Holdings::default());
    let mut span = sitting.span(orders(&*table, "setup", ("guard", "3")), Said::default(), Questions::default());
    let outcome = sitting.resolve(&span, Dice::None).expect("set up");
    sitting.follow(&mut span, &outcome).expect("everybody agrees");
    sitting.end_span(span, outcome);

    let attack = |sitting: &Sitting<'_>| {
        let span = sitting.span(orders(&*table, "turn", ("attacks", "1")), Said::default(), Questions::default());
        let outcome = sitting.resolve(&span, dice(&[2])).expect("an attack");
        (span, outcome)
    };
    let (mut span, mut untold) = attack(&sitting);
    untold.minutes.reveals.clear();
    let noticed = sitting.follow(&mut span, &untold).expect_err("nobody was told the strength");
    assert!(noticed.contains("the public"), "{noticed}");

    let (mut span, mut false_claim) = attack(&sitting);
    false_claim.minutes.reveals.clear();
    for claim in &mut false_claim.minutes.claims {
        claim.value = Json::Bool(false);
    }
    assert!(sitting.follow(&mut span, &false_claim).is_err(), "a strong guard was called weak");

    let (mut span, honest) = attack(&sitting);
    sitting.follow(&mut span, &honest).expect("everybody agrees");
    let mut rolled_again = sitting.resolve(&span, dice(&[])).expect("nothing new to roll");
    rolled_again.journal = sitting
        .resolve(
            &sitting.span(orders(&*table, "turn", ("attacks", "0")), Said::default(), Questions::default()),
            dice(&[]),
        )
        .expect("no attack")
        .journal;
    let noticed = sitting.follow(&mut span, &rolled_again).expect_err("the journal was cut");
    assert!(noticed.contains("not the beginning"), "{noticed}");
}
