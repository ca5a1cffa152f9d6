//! How long End of Empire takes with its counters on the map: a player turn, a reachable set, the template, a game, and the
//! verification of a mailed match.
//!
//! The limits they are held against: a player turn 1 ms, a reachable set 50 µs, the template 10 ms, a random game 60 ms; a
//! mailed match of 14 turns with its audits is verified in 100 ms.

use divan::{Bencher, black_box};
use garcia::engine::dice::{Chance, Seed};
use garcia::engine::doc::DocPath;
use garcia::engine::{
    AnyOrders, AnyState, Charter, Dice, Files, Holdings, Json, Match, Query, Questions, Said, Seen, Segment, Settled,
    Side, Stop, Tickets, Versions, View,
};
use garcia::games::end_of_empire::EndOfEmpire;
use garcia::games::find;

fn main() {
    divan::main();
}

fn table() -> Box<dyn Match> {
    let ruleset = find("end-of-empire").expect("in the registry");
    ruleset.open(&Charter::default()).unwrap_or_else(|faults| panic!("{faults:?}"))
}

/// A position and what lies face down in it.
#[derive(Clone)]
struct Position {
    state: AnyState,
    stop: Stop,
    holdings: Holdings,
}

impl Position {
    fn view(&self) -> View<'_> {
        View { state: &self.state, holdings: &self.holdings, side: self.stop.who() }
    }
}

fn begin(table: &dyn Match) -> Position {
    let (state, stop) = table.begin();
    Position { state, stop, holdings: Holdings::default() }
}

fn orders(table: &dyn Match, at: &Position, chance: &mut Chance) -> AnyOrders {
    let orders = table.random_orders(at.view(), &at.stop, chance);
    let (orders, faults) = table.check(at.view(), &at.stop, orders, &DocPath::root());
    assert!(faults.iter().all(|fault| fault.warning), "{faults:?}");
    orders
}

fn resolve(table: &dyn Match, at: &Position, orders: &AnyOrders, number: u8) -> Position {
    let (said, nothing, versions) = (Said::default(), Holdings::default(), Versions::new());
    let segment = Segment {
        dice: Dice::Seed(Seed::new([number; 32])),
        settled: Settled::default(),
        said: &said,
        public: &nothing,
        holdings: &at.holdings,
        versions: &versions,
        tickets: Tickets::NONE,
        closer_holds: table.ruleset().sides(),
        questions: Questions { ask: false, max_asks: None },
    };
    let outcome = table.resolve(&at.state, orders, segment).unwrap_or_else(|failure| panic!("{failure}"));
    let mut holdings = at.holdings.clone();
    holdings.0.extend(outcome.kept.0);
    Position { state: outcome.state, stop: outcome.stop, holdings }
}

/// Units and closed counters on the map.
fn counters(table: &dyn Match, at: &Position) -> usize {
    let state = table.state_json(&at.state).expect("canonical");
    let hex = |counter: &Json| match counter.get("at") {
        Some(Json::Str(at)) => at.bytes().all(|byte| byte.is_ascii_digit()),
        _ => false,
    };
    let on_map = |group: &str| match state.get(group) {
        Some(Json::Map(counters)) => counters.values().filter(|counter| hex(counter)).count(),
        _ => 0,
    };
    on_map("units") + on_map("counters")
}

/// The fullest map that a few games come to when a side is about to move.
fn crowded(table: &dyn Match, side: Side) -> Position {
    let mut best: Option<(usize, Position)> = None;
    for game in 0..12 {
        let mut chance = Chance::new(&format!("crowd {game}"));
        let mut at = begin(table);
        let mut number = 0;
        while at.stop != Stop::End {
            if at.stop.who() == Some(side) && at.stop.ask().ends_with("turn") {
                let count = counters(table, &at);
                if best.as_ref().is_none_or(|(most, _)| count > *most) {
                    best = Some((count, at.clone()));
                }
            }
            let packet = orders(table, &at, &mut chance);
            at = resolve(table, &at, &packet, number);
            number = number.wrapping_add(1);
        }
    }
    let (count, at) = best.expect("a position");
    eprintln!("{count} counters on the map, {side} to move");
    at
}

const US: Side = Side("us");
const SPAIN: Side = Side("spain");

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

#[divan::bench(sample_count = 20, sample_size = 1)]
fn a_whole_random_game(bencher: Bencher<'_, '_>) {
    let table = table();
    let mut game = 0;
    bencher.bench_local(|| {
        game += 1;
        let mut chance = Chance::new(&format!("game {game}"));
        let mut at = begin(&*table);
        let mut number = 0;
        while at.stop != Stop::End {
            let packet = orders(&*table, &at, &mut chance);
            at = resolve(&*table, &at, &packet, number);
            number = number.wrapping_add(1);
        }
        table.verdict(&at.state)
    });
}
