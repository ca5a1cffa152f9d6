//! How long A Splendid Little War takes. The limits: a player turn with every counter of the campaign on the map 2 ms,
//! what a unit can reach 100 µs, the template 20 ms, a whole random campaign 250 ms.

use std::collections::BTreeMap;

use divan::Bencher;
use garcia::engine::dice::{Chance, Seed};
use garcia::engine::doc::DocPath;
use garcia::engine::{
    AnyOrders, AnyState, Charter, Dice, Holdings, Match, Query, Questions, Said, Segment, Settled, Side, Slot, Stop,
    Tickets, Versions, View,
};
use garcia::games::find;

fn main() {
    divan::main();
}

fn open(scenario: &str) -> Box<dyn Match> {
    let charter = Charter { scenario: scenario.to_owned(), ..Charter::default() };
    let ruleset = find("splendid-little-war").expect("in the registry");
    ruleset.open(&charter).unwrap_or_else(|faults| panic!("{faults:?}"))
}

/// Carries out a packet; what only Spain knows is kept in `held`, as by a player who plays alone.
fn resolve(
    table: &dyn Match,
    state: &AnyState,
    orders: &AnyOrders,
    held: &mut Holdings,
    number: u8,
) -> (AnyState, Stop) {
    let (said, holdings, versions) = (Said::default(), held.clone(), Versions::new());
    let unspent = BTreeMap::from([(Side("spain"), vec![Slot::ticket(1)])]);
    let tickets = Tickets { unspent, salts: BTreeMap::new() };
    let segment = Segment {
        dice: Dice::Seed(Seed::new([number; 32])),
        settled: Settled::default(),
        said: &said,
        public: &holdings,
        holdings: &holdings,
        versions: &versions,
        tickets: &tickets,
        closer_holds: table.ruleset().sides(),
        questions: Questions { ask: false, max_asks: None },
    };
    let outcome = table.resolve(state, orders, segment).unwrap_or_else(|failure| panic!("{failure}"));
    held.0.extend(outcome.kept.0);
    (outcome.state, outcome.stop)
}

fn orders(table: &dyn Match, state: &AnyState, stop: &Stop, chance: &mut Chance) -> AnyOrders {
    let holdings = Holdings::default();
    let view = View { state, holdings: &holdings, side: stop.who() };
    let orders = table.random_orders(view, stop, chance);
    let (orders, faults) = table.check(view, stop, orders, &DocPath::root());
    assert!(faults.iter().all(|fault| fault.warning), "{faults:?}");
    orders
}

/// The position after a few packets, and whose packet is due.
fn after(table: &dyn Match, packets: u8) -> (AnyState, Stop) {
    let mut held = Holdings::default();
    let mut chance = Chance::new("bench");
    let (mut state, mut stop) = table.begin();
    for number in 0..packets {
        let packet = orders(table, &state, &stop, &mut chance);
        (state, stop) = resolve(table, &state, &packet, &mut held, number);
    }
    (state, stop)
}

/// A US player turn of the campaign carried out.
#[divan::bench(args = ["july-1", "campaign"])]
fn a_player_turn(bencher: Bencher<'_, '_>, scenario: &str) {
    let table = open(scenario);
    let (state, stop) = after(&*table, 4);
    let packet = orders(&*table, &state, &stop, &mut Chance::new("turn"));
    bencher.bench_local(|| resolve(&*table, &state, &packet, &mut Holdings::default(), 99));
}

/// Drawing a packet and checking it.
#[divan::bench(args = ["july-1", "campaign"])]
fn drawn_and_checked(bencher: Bencher<'_, '_>, scenario: &str) {
    let table = open(scenario);
    let (state, stop) = after(&*table, 4);
    bencher.bench_local(|| orders(&*table, &state, &stop, &mut Chance::new("turn")));
}

#[divan::bench]
fn the_template(bencher: Bencher<'_, '_>) {
    let table = open("campaign");
    let (state, stop) = after(&*table, 2);
    let holdings = Holdings::default();
    bencher.bench_local(|| table.template(View { state: &state, holdings: &holdings, side: stop.who() }, &stop));
}

#[divan::bench]
fn in_reach(bencher: Bencher<'_, '_>) {
    let table = open("campaign");
    let (state, stop) = after(&*table, 2);
    let holdings = Holdings::default();
    let query = Query::Reach { unit: "us-inf-12".into() };
    bencher.bench_local(|| {
        table.query(View { state: &state, holdings: &holdings, side: stop.who() }, &query).expect("an answer")
    });
}

/// A whole game: orders by chance, the check, and the resolution of every packet.
#[divan::bench(args = ["el-caney", "july-1", "campaign"], sample_count = 10)]
fn a_whole_game(bencher: Bencher<'_, '_>, scenario: &str) {
    let table = open(scenario);
    bencher.bench_local(|| {
        let mut chance = Chance::new("game");
        let (mut state, mut stop) = table.begin();
        let (mut number, mut held) = (0, Holdings::default());
        while !matches!(stop, Stop::End) {
            let packet = orders(&*table, &state, &stop, &mut chance);
            (state, stop) = resolve(&*table, &state, &packet, &mut held, number);
            number = number.wrapping_add(1);
        }
        state
    });
}
