//! How long A Splendid Little War takes. The limits: a player turn with every counter of the campaign on the map 2 ms,
//! what a unit can reach 100 µs, supply and command of one side 500 µs, the template 20 ms, a whole random campaign 250 ms.

mod crowd;

use crowd::{Position, after, checked_game, orders, resolve};
use divan::{Bencher, black_box};
use garcia::engine::dice::Chance;
use garcia::engine::{Charter, Files, Match, Query, Seen};
use garcia::games::splendid_little_war::SplendidLittleWar;

/// The one of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

/// A scenario after so many packets.
fn begun(scenario: &str, packets: u8) -> (Box<dyn Match>, Position) {
    let table = crowd::scenario("splendid-little-war", scenario);
    let at = after(&*table, packets, &mut Chance::new("bench"));
    (table, at)
}

/// A US player turn of the campaign carried out.
#[divan::bench(args = ["july-1", "campaign"])]
fn a_player_turn(bencher: Bencher<'_, '_>, scenario: &str) {
    let (table, at) = begun(scenario, 4);
    let packet = orders(&*table, &at, &mut Chance::new("turn"));
    bencher.bench_local(|| resolve(&*table, &at, &packet, 99));
}

/// Drawing a packet and checking it.
#[divan::bench(args = ["july-1", "campaign"])]
fn drawn_and_checked(bencher: Bencher<'_, '_>, scenario: &str) {
    let (table, at) = begun(scenario, 4);
    bencher.bench_local(|| orders(&*table, &at, &mut Chance::new("turn")));
}

#[divan::bench]
fn the_template(bencher: Bencher<'_, '_>) {
    let (table, at) = begun("campaign", 2);
    bencher.bench_local(|| table.template(at.view(), &at.stop));
}

/// The hexes a counter can march to and stop in, without words about it.
#[divan::bench(args = ["us-inf-12", "sp-con-01"])]
fn a_reachable_set(bencher: Bencher<'_, '_>, unit: &str) {
    let (table, at) = begun("campaign", if unit.starts_with("us") { 2 } else { 3 });
    let charter = Charter { scenario: "campaign".to_owned(), ..Charter::default() };
    let game = SplendidLittleWar::open(&charter).unwrap_or_else(|faults| panic!("{faults:?}"));
    let written = table.state_json(&at.state).expect("canonical");
    let state = game.read_state(&written).unwrap_or_else(|faults| panic!("{faults:?}"));
    let seen = Seen { state: &state, holdings: &at.holdings, side: at.stop.who() };
    assert!(!game.reachable(&seen, unit).is_empty());
    bencher.bench_local(|| game.reachable(black_box(&seen), unit));
}

/// Supply of both sides, in words; before a US turn with the Command Phase of the whole army.
#[divan::bench(args = [2, 3])]
fn supply(bencher: Bencher<'_, '_>, packets: u8) {
    let (table, at) = begun("campaign", packets);
    let query = Query::Supply { unit: None };
    bencher.bench_local(|| table.query(at.view(), &query).expect("an answer"));
}

/// Where a unit can go, in words. Before a US turn the answer begins with the Command Phase of the whole army.
#[divan::bench(args = ["us-inf-12", "sp-con-01"])]
fn in_reach(bencher: Bencher<'_, '_>, unit: &str) {
    let (table, at) = begun("campaign", if unit.starts_with("us") { 2 } else { 3 });
    let query = Query::Reach { unit: unit.into() };
    bencher.bench_local(|| table.query(at.view(), &query).expect("an answer"));
}

/// A whole game: orders by chance, the check, and the resolution of every packet.
#[divan::bench(args = ["el-caney", "july-1", "campaign"], sample_count = 10)]
fn a_whole_game(bencher: Bencher<'_, '_>, scenario: &str) {
    let table = crowd::scenario("splendid-little-war", scenario);
    bencher.bench_local(|| checked_game(&*table, 0));
}
