//! How long a player turn and a whole game of Lone Warrior take: orders by chance, checked and carried out.

use divan::Bencher;
use garcia::engine::dice::{Chance, Seed};
use garcia::engine::doc::DocPath;
use garcia::engine::{
    AnyOrders, AnyState, Charter, Dice, Holdings, Match, Questions, Said, Segment, Settled, Stop, Tickets, Versions,
    View,
};
use garcia::games::find;

fn main() {
    divan::main();
}

fn open(scenario: &str) -> Box<dyn Match> {
    let charter = Charter { scenario: scenario.to_owned(), ..Charter::default() };
    let ruleset = find("lone-warrior").expect("in the registry");
    ruleset.open(&charter).unwrap_or_else(|faults| panic!("{faults:?}"))
}

fn resolve(table: &dyn Match, state: &AnyState, orders: &AnyOrders, number: u8) -> (AnyState, Stop) {
    let (said, holdings, versions) = (Said::default(), Holdings::default(), Versions::new());
    let segment = Segment {
        dice: Dice::Seed(Seed::new([number; 32])),
        settled: Settled::default(),
        said: &said,
        public: &holdings,
        holdings: &holdings,
        versions: &versions,
        tickets: Tickets::NONE,
        closer_holds: table.ruleset().sides(),
        questions: Questions::default(),
    };
    let outcome = table.resolve(state, orders, segment).unwrap_or_else(|failure| panic!("{failure}"));
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

/// One U.S. player turn carried out, both sides in contact.
#[divan::bench(args = ["san-juan-heights", "el-caney"])]
fn a_player_turn(bencher: Bencher<'_, '_>, scenario: &str) {
    let table = open(scenario);
    let mut chance = Chance::new("turn");
    let (mut state, mut stop) = table.begin();
    for number in 0..20 {
        let packet = orders(&*table, &state, &stop, &mut chance);
        (state, stop) = resolve(&*table, &state, &packet, number);
    }
    let packet = orders(&*table, &state, &stop, &mut chance);
    bencher.bench_local(|| resolve(&*table, &state, &packet, 99));
}

/// A whole game: orders by chance, the check, and the resolution of every packet.
#[divan::bench(args = ["san-juan-heights", "el-caney"])]
fn a_whole_game(bencher: Bencher<'_, '_>, scenario: &str) {
    let table = open(scenario);
    bencher.bench_local(|| {
        let mut chance = Chance::new("game");
        let (mut state, mut stop) = table.begin();
        for number in (0..=255).cycle().take(4000) {
            if matches!(stop, Stop::End) {
                break;
            }
            let packet = orders(&*table, &state, &stop, &mut chance);
            (state, stop) = resolve(&*table, &state, &packet, number);
        }
        state
    });
}
