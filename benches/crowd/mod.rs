//! Positions that random games come to, for the benches of the games.
#![allow(dead_code, reason = "every bench takes what it needs")]

use garcia::engine::dice::{Chance, Seed};
use garcia::engine::doc::DocPath;
use garcia::engine::{
    AnyOrders, AnyOutcome, AnyState, Charter, Dice, Holdings, Json, Match, Questions, Said, Segment, Settled, Side,
    Slot, Stop, Tickets, Verdict, Versions, View,
};
use garcia::games::find;

pub const US: Side = Side("us");
pub const SPAIN: Side = Side("spain");

/// A game with its default options.
pub fn table(game: &str) -> Box<dyn Match> {
    laid(game, &Charter::default())
}

/// One scenario of a game.
pub fn scenario(game: &str, scenario: &str) -> Box<dyn Match> {
    laid(game, &Charter { scenario: scenario.to_owned(), ..Charter::default() })
}

fn laid(game: &str, charter: &Charter) -> Box<dyn Match> {
    let ruleset = find(game).expect("in the registry");
    ruleset.open(charter).unwrap_or_else(|faults| panic!("{faults:?}"))
}

/// A position and what lies face down in it.
#[derive(Clone)]
pub struct Position {
    pub state: AnyState,
    pub stop: Stop,
    pub holdings: Holdings,
}

impl Position {
    pub fn view(&self) -> View<'_> {
        View { state: &self.state, holdings: &self.holdings, side: self.stop.who() }
    }

    /// The position that an outcome leaves.
    pub fn then(&self, outcome: AnyOutcome) -> Position {
        let mut holdings = self.holdings.clone();
        holdings.0.extend(outcome.kept.0);
        Position { state: outcome.state, stop: outcome.stop, holdings }
    }
}

/// The beginning.
pub fn begin(table: &dyn Match) -> Position {
    let (state, stop) = table.begin();
    Position { state, stop, holdings: Holdings::default() }
}

/// Orders by chance.
pub fn drawn(table: &dyn Match, at: &Position, chance: &mut Chance) -> AnyOrders {
    table.random_orders(at.view(), &at.stop, chance)
}

/// Orders by chance, checked.
pub fn orders(table: &dyn Match, at: &Position, chance: &mut Chance) -> AnyOrders {
    let orders = drawn(table, at, chance);
    let (orders, faults) = table.check(at.view(), &at.stop, orders, &DocPath::root());
    assert!(faults.iter().all(|fault| fault.warning), "{faults:?}");
    orders
}

/// What comes of orders, with everything open.
pub fn outcome(table: &dyn Match, at: &Position, orders: &AnyOrders, number: u8) -> AnyOutcome {
    let (said, nothing, versions) = (Said::default(), Holdings::default(), Versions::new());
    let unspent = |side: &Side| (*side, (1..=table.tickets(*side)).map(Slot::ticket).collect());
    let tickets = Tickets { unspent: table.ruleset().sides().iter().map(unspent).collect(), ..Tickets::default() };
    let segment = Segment {
        dice: Dice::Seed(Seed::new([number; 32])),
        settled: Settled::default(),
        said: &said,
        public: &nothing,
        holdings: &at.holdings,
        versions: &versions,
        tickets: &tickets,
        closer_holds: table.ruleset().sides(),
        questions: Questions { ask: false, max_asks: None },
    };
    table.resolve(&at.state, orders, segment).unwrap_or_else(|failure| panic!("{failure}"))
}

/// The position that comes of orders.
pub fn resolve(table: &dyn Match, at: &Position, orders: &AnyOrders, number: u8) -> Position {
    at.then(outcome(table, at, orders, number))
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
pub fn crowded(table: &dyn Match, side: Side) -> Position {
    let mut best: Option<(usize, Position)> = None;
    for game in 0..12 {
        let mut chance = Chance::new(&format!("crowd {game}"));
        played(table, |at| {
            if at.stop.who() == Some(side) && !at.stop.ask().ends_with("setup") {
                let count = counters(table, at);
                if best.as_ref().is_none_or(|(most, _)| count > *most) {
                    best = Some((count, at.clone()));
                }
            }
            orders(table, at, &mut chance)
        });
    }
    let (count, at) = best.expect("a position");
    eprintln!("{count} counters on the map, {side} to move");
    at
}

/// The position after so many packets of random players.
pub fn after(table: &dyn Match, packets: u8, chance: &mut Chance) -> Position {
    (0..packets).fold(begin(table), |at, number| resolve(table, &at, &orders(table, &at, chance), number))
}

/// A game by orders that come from `give`, which is shown every position in which they are due.
fn played(table: &dyn Match, mut give: impl FnMut(&Position) -> AnyOrders) -> Position {
    let mut at = begin(table);
    let mut number = 0;
    while at.stop != Stop::End {
        let packet = give(&at);
        at = resolve(table, &at, &packet, number);
        number = number.wrapping_add(1);
    }
    at
}

/// A whole game between random players.
pub fn random_game(table: &dyn Match, number: u32) -> Option<Verdict> {
    let mut chance = Chance::new(&format!("game {number}"));
    let end = played(table, |at| drawn(table, at, &mut chance));
    table.verdict(&end.state)
}

/// The same, with a check of every packet.
pub fn checked_game(table: &dyn Match, number: u32) -> Option<Verdict> {
    let mut chance = Chance::new(&format!("game {number}"));
    let end = played(table, |at| orders(table, at, &mut chance));
    table.verdict(&end.state)
}
