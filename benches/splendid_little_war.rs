//! How long A Splendid Little War takes. The limits: a player turn with every counter of the campaign on the map 2 ms,
//! what a unit can reach 100 µs, the template 20 ms, a whole random campaign 250 ms.

mod crowd;

use crowd::{Position, after, orders, random_game, resolve};
use divan::Bencher;
use garcia::engine::dice::Chance;
use garcia::engine::{Match, Query};

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

#[divan::bench]
fn in_reach(bencher: Bencher<'_, '_>) {
    let (table, at) = begun("campaign", 2);
    let query = Query::Reach { unit: "us-inf-12".into() };
    bencher.bench_local(|| table.query(at.view(), &query).expect("an answer"));
}

/// A whole game: orders by chance, the check, and the resolution of every packet.
#[divan::bench(args = ["el-caney", "july-1", "campaign"], sample_count = 10)]
fn a_whole_game(bencher: Bencher<'_, '_>, scenario: &str) {
    let table = crowd::scenario("splendid-little-war", scenario);
    bencher.bench_local(|| random_game(&*table, 0));
}
