//! How long The Santiago Campaign takes with nearly every counter on the map: a player turn, a reachable set, a game.
//!
//! The limits they are held against: a player turn with 80 units 2 ms, a reachable set 100 µs.

mod crowd;

use crowd::{SPAIN, US, checked_game, crowded, orders, random_game, resolve};
use divan::{Bencher, black_box};
use garcia::engine::dice::Chance;
use garcia::engine::doc::DocPath;
use garcia::engine::{Charter, Files, Match, Query, Seen, Side};
use garcia::games::santiago_campaign::SantiagoCampaign;

/// The one of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

fn table() -> Box<dyn Match> {
    crowd::table("santiago-campaign")
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

/// The hexes one unit can reach: the position laid out as its owner sees it, supply traced, the search.
#[divan::bench(args = ["us-6r", "cu-01", "sp-04"])]
fn a_reachable_set(bencher: Bencher<'_, '_>, unit: &str) {
    let table = table();
    let at = crowded(&*table, if unit.starts_with("sp") { SPAIN } else { US });
    let game = SantiagoCampaign::open(&Charter::default()).unwrap_or_else(|faults| panic!("{faults:?}"));
    let written = table.state_json(&at.state).expect("canonical");
    let state = game.read_state(&written).unwrap_or_else(|faults| panic!("{faults:?}"));
    let seen = Seen { state: &state, holdings: &at.holdings, side: at.stop.who() };
    bencher.bench_local(|| game.reachable(black_box(&seen), unit));
}

/// What `garcia reach` answers: the same with every cost and path, in words and for programs.
#[divan::bench(args = ["us-6r", "cu-01", "sp-04"])]
fn the_answer_to_reach(bencher: Bencher<'_, '_>, unit: &str) {
    let table = table();
    let at = crowded(&*table, if unit.starts_with("sp") { SPAIN } else { US });
    let query = Query::Reach { unit: unit.to_owned() };
    bencher.bench_local(|| black_box(table.query(at.view(), &query)).is_ok());
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn a_whole_random_game(bencher: Bencher<'_, '_>) {
    let table = table();
    let mut game = 0;
    bencher.bench_local(|| {
        game += 1;
        random_game(&*table, game)
    });
}

/// The same, with a check of every packet.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn a_whole_random_game_with_checks(bencher: Bencher<'_, '_>) {
    let table = table();
    let mut game = 0;
    bencher.bench_local(|| {
        game += 1;
        checked_game(&*table, game)
    });
}
