//! Chances and luck. The limits they are held against: the odds of a file with six battles 300 ms from start to exit, the
//! luck of a whole match one second.

use divan::{Bencher, black_box};
use garcia::engine::dice::{Chance, Seed};
use garcia::engine::{
    AnyOrders, AnyState, AsPlayed, Charter, Dice, Effort, Foresaid, Holdings, Match, Questions, Said, Segment, Settled,
    Stop, Tickets, Versions, View,
};
use garcia::games::GAMES;
use garcia::play::GLANCE;

fn main() {
    divan::main();
}

/// A packet with its position and what it came to.
struct Moment {
    state: AnyState,
    stop: Stop,
    holdings: Holdings,
    orders: AnyOrders,
    settled: Settled,
    fights: usize,
}

/// The packets of a random game.
fn game(table: &dyn Match, seed: &str) -> Vec<Moment> {
    let mut chance = Chance::new(seed);
    let (mut state, mut stop) = table.begin();
    let (said, nothing, versions) = (Said::default(), Holdings::default(), Versions::new());
    let all =
        |side: &garcia::engine::Side| (*side, (1..=table.tickets(*side)).map(garcia::engine::Slot::ticket).collect());
    let tickets = Tickets { unspent: table.ruleset().sides().iter().map(all).collect(), ..Tickets::default() };
    let mut holdings = Holdings::default();
    let mut moments = Vec::new();
    while stop != Stop::End && moments.len() < 200 {
        let orders = table.random_orders(View { state: &state, holdings: &holdings, side: None }, &stop, &mut chance);
        let segment = Segment {
            dice: Dice::Seed(Seed::new([chance.below(256) as u8; 32])),
            settled: Settled::default(),
            said: &said,
            public: &nothing,
            holdings: &holdings,
            versions: &versions,
            tickets: &tickets,
            closer_holds: table.ruleset().sides(),
            questions: Questions { ask: false, max_asks: None },
        };
        let outcome = table.resolve(&state, &orders, segment).expect("a result");
        let fights = table.upshots(&outcome.journal).values().filter(|upshot| upshot.fight.is_some()).count();
        let (held, settled) = (holdings.clone(), outcome.settled);
        moments.push(Moment { state, stop, holdings: held, orders, settled, fights });
        holdings.0.extend(outcome.kept.0);
        (state, stop) = (outcome.state, outcome.stop);
    }
    moments
}

const NAMES: [&str; 4] = ["santiago-1898", "santiago-campaign", "lone-warrior", "end-of-empire"];

fn table(id: &str) -> Box<dyn Match> {
    let game = GAMES.iter().find(|game| game.id() == id).expect("the game");
    game.open(&Charter::default()).expect("a table")
}

#[divan::bench(args = NAMES, sample_count = 10)]
fn odds_of_the_packet_with_most_battles(bencher: Bencher, id: &str) {
    let table = table(id);
    let moments = game(&*table, "odds");
    let most = moments.iter().max_by_key(|moment| moment.fights).expect("packets");
    let view = View { state: &most.state, holdings: &most.holdings, side: None };
    bencher.bench_local(|| {
        black_box(table.chances(view, &most.stop, &Foresaid::default(), &most.orders, &Effort::default()))
    });
}

#[divan::bench(args = NAMES, sample_count = 3)]
fn luck_of_a_match(bencher: Bencher, id: &str) {
    let table = table(id);
    let moments = game(&*table, "luck");
    let said = Said::default();
    bencher.bench_local(|| {
        for moment in moments.iter().filter(|moment| moment.fights > 0) {
            let view = View { state: &moment.state, holdings: &moment.holdings, side: None };
            let played = AsPlayed { settled: &moment.settled, said: &said };
            let author = moment.stop.who().expect("somebody");
            black_box(table.chances_as_played(view, author, &played, &moment.orders, &GLANCE));
        }
    });
}
