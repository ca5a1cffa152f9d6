//! Chances and luck. The limits they are held against: the odds of a file with six battles 300 ms from start to exit, the
//! luck of a whole match one second.

mod crowd;

use crowd::{Position, begin, orders, outcome, table};
use divan::{Bencher, black_box};
use garcia::engine::dice::Chance;
use garcia::engine::{AnyOrders, AsPlayed, Effort, Foresaid, Match, Said, Settled, Stop, View};
use garcia::play::GLANCE;

/// The one of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

/// A packet with its position and what it came to.
struct Moment {
    at: Position,
    orders: AnyOrders,
    settled: Settled,
    fights: usize,
}

/// The packets of a random game.
fn game(table: &dyn Match, seed: &str) -> Vec<Moment> {
    let mut chance = Chance::new(seed);
    let mut at = begin(table);
    let mut moments = Vec::new();
    while at.stop != Stop::End && moments.len() < 200 {
        let orders = orders(table, &at, &mut chance);
        let outcome = outcome(table, &at, &orders, chance.below(256) as u8);
        let fights = table.upshots(&outcome.journal).values().filter(|upshot| upshot.fight.is_some()).count();
        let settled = outcome.settled.clone();
        let next = at.then(outcome);
        moments.push(Moment { at, orders, settled, fights });
        at = next;
    }
    moments
}

const NAMES: [&str; 5] = ["santiago-1898", "santiago-campaign", "lone-warrior", "end-of-empire", "splendid-little-war"];

#[divan::bench(args = NAMES, sample_count = 10)]
fn odds_of_the_packet_with_most_battles(bencher: Bencher, id: &str) {
    let table = table(id);
    let moments = game(&*table, "odds");
    let most = moments.iter().max_by_key(|moment| moment.fights).expect("packets");
    let view = View { side: None, ..most.at.view() };
    bencher.bench_local(|| {
        black_box(table.chances(view, &most.at.stop, &Foresaid::default(), &most.orders, &Effort::default()))
    });
}

#[divan::bench(args = NAMES, sample_count = 3)]
fn luck_of_a_match(bencher: Bencher, id: &str) {
    let table = table(id);
    let moments = game(&*table, "luck");
    let said = Said::default();
    bencher.bench_local(|| {
        for moment in moments.iter().filter(|moment| moment.fights > 0) {
            let view = View { side: None, ..moment.at.view() };
            let played = AsPlayed { settled: &moment.settled, said: &said };
            let author = moment.at.stop.who().expect("somebody");
            black_box(table.chances_as_played(view, author, &played, &moment.orders, &GLANCE));
        }
    });
}
