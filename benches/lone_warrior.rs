//! How long a player turn and a whole game of Lone Warrior take: orders by chance, checked and carried out.

mod crowd;

use crowd::{after, begin, orders, resolve, scenario};
use divan::Bencher;
use garcia::engine::Stop;
use garcia::engine::dice::Chance;

/// The one of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

/// One U.S. player turn carried out, both sides in contact.
#[divan::bench(args = ["san-juan-heights", "el-caney"])]
fn a_player_turn(bencher: Bencher<'_, '_>, name: &str) {
    let table = scenario("lone-warrior", name);
    let mut chance = Chance::new("turn");
    let at = after(&*table, 20, &mut chance);
    let packet = orders(&*table, &at, &mut chance);
    bencher.bench_local(|| resolve(&*table, &at, &packet, 99));
}

/// A whole game: orders by chance, the check, and the resolution of every packet. It has no turn limit.
#[divan::bench(args = ["san-juan-heights", "el-caney"])]
fn a_whole_game(bencher: Bencher<'_, '_>, name: &str) {
    let table = scenario("lone-warrior", name);
    bencher.bench_local(|| {
        let (mut chance, mut at) = (Chance::new("game"), begin(&*table));
        for number in (0..=255).cycle().take(4000) {
            if at.stop == Stop::End {
                break;
            }
            let packet = orders(&*table, &at, &mut chance);
            at = resolve(&*table, &at, &packet, number);
        }
        at.state
    });
}
