//! How long End of Empire takes with its counters on the map: a player turn, a reachable set, the template, a game, and the
//! verification of a mailed match.
//!
//! The limits they are held against: a player turn 1 ms, a reachable set 50 µs, the template 10 ms, a random game 60 ms; a
//! mailed match of 14 turns with its audits is verified in 100 ms.

mod crowd;

use crowd::{SPAIN, US, checked_game, crowded, orders, resolve};
use divan::{Bencher, black_box};
use garcia::engine::dice::Chance;
use garcia::engine::doc::DocPath;
use garcia::engine::{Charter, Files, Match, Query, Seen, Side};
use garcia::games::end_of_empire::EndOfEmpire;

/// The one of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

fn table() -> Box<dyn Match> {
    crowd::table("end-of-empire")
}

#[divan::bench(args = [US, SPAIN])]
fn a_player_turn(bencher: Bencher<'_, '_>, side: Side) {
    let table = table();
    let at = crowded(&*table, side);
    let packet = orders(&*table, &at, &mut Chance::new("turn"));
    bencher.bench_local(|| resolve(&*table, &at, &packet, 99));
}

#[divan::bench(args = [US, SPAIN])]
fn the_check_of_a_player_turn(bencher: Bencher<'_, '_>, side: Side) {
    let table = table();
    let at = crowded(&*table, side);
    let packet = orders(&*table, &at, &mut Chance::new("turn"));
    bencher.bench_local(|| table.check(at.view(), &at.stop, packet.clone(), &DocPath::root()));
}

#[divan::bench(args = [US, SPAIN])]
fn a_template(bencher: Bencher<'_, '_>, side: Side) {
    let table = table();
    let at = crowded(&*table, side);
    bencher.bench_local(|| black_box(table.template(at.view(), &at.stop)).len());
}

/// The hexes one unit can reach, without words about it.
#[divan::bench(args = [US, SPAIN])]
fn a_reachable_set(bencher: Bencher<'_, '_>, side: Side) {
    let table = table();
    let at = crowded(&*table, side);
    let game = EndOfEmpire::open(&Charter::default()).unwrap_or_else(|faults| panic!("{faults:?}"));
    let written = table.state_json(&at.state).expect("canonical");
    let state = game.read_state(&written).unwrap_or_else(|faults| panic!("{faults:?}"));
    let seen = Seen { state: &state, holdings: &at.holdings, side: at.stop.who() };
    let unit = if side == US { "us-6-inf" } else { "sp-bn" };
    bencher.bench_local(|| game.reachable(black_box(&seen), unit));
}

/// What `garcia reach` answers.
#[divan::bench(args = [US, SPAIN])]
fn the_answer_to_reach(bencher: Bencher<'_, '_>, side: Side) {
    let table = table();
    let at = crowded(&*table, side);
    let unit = if side == US { "us-6-inf" } else { "sp-bn" };
    let query = Query::Reach { unit: unit.to_owned() };
    bencher.bench_local(|| black_box(table.query(at.view(), &query)).is_ok());
}

/// With a check of every packet, which writes out what lies under the counters.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn a_whole_random_game(bencher: Bencher<'_, '_>) {
    let table = table();
    let mut game = 0;
    bencher.bench_local(|| {
        game += 1;
        checked_game(&*table, game)
    });
}
