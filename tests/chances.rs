//! Chances against played-out turns: what `odds` says of an order is what the rules come to on the average.

use std::collections::BTreeMap;

use garcia::engine::dice::{Chance, Seed};
use garcia::engine::digest::hash_bytes;
use garcia::engine::doc::DocPath;
use garcia::engine::{
    Affair, AnyOrders, AnyState, AsPlayed, Charter, Dice, Effort, Holdings, Match, Questions, Ratio, Said, Segment,
    Settled, Side, Stop, Tickets, Upshot, Versions, View,
};
use garcia::games::GAMES;

/// A packet that is due, with the position it is for.
struct Moment {
    state: AnyState,
    stop: Stop,
    holdings: Holdings,
    orders: AnyOrders,
}

fn resolve(table: &dyn Match, moment: &Moment, seed: &str) -> garcia::engine::AnyOutcome {
    let (said, nothing, versions) = (Said::default(), Holdings::default(), Versions::new());
    let tickets = tickets(table);
    let segment = Segment {
        dice: Dice::Seed(Seed::new(hash_bytes("chances", &[seed]))),
        settled: Settled::default(),
        said: &said,
        public: &nothing,
        holdings: &moment.holdings,
        versions: &versions,
        tickets: &tickets,
        closer_holds: table.ruleset().sides(),
        questions: Questions { ask: false, max_asks: None },
    };
    table.resolve(&moment.state, &moment.orders, segment).expect("a result")
}

fn tickets(table: &dyn Match) -> Tickets {
    let all = |side: &Side| (*side, (1..=table.tickets(*side)).map(garcia::engine::Slot::ticket).collect());
    Tickets { unspent: table.ruleset().sides().iter().map(all).collect(), ..Tickets::default() }
}

/// Moments of a random game whose orders lead to fights.
fn moments(table: &dyn Match, seed: &str, wanted: usize) -> Vec<Moment> {
    let mut found = Vec::new();
    for game in 0..20 {
        let mut chance = Chance::new(&format!("{seed}/{game}"));
        let (mut state, mut stop) = table.begin();
        let mut holdings = Holdings::default();
        for packet in 0..60 {
            if stop == Stop::End || found.len() >= wanted {
                break;
            }
            let view = View { state: &state, holdings: &holdings, side: None };
            let orders = table.random_orders(view, &stop, &mut chance);
            let moment = Moment { state: state.clone(), stop: stop.clone(), holdings: holdings.clone(), orders };
            let outcome = resolve(table, &moment, &format!("{seed}/{game}/{packet}"));
            let fights = table.upshots(&outcome.journal).values().filter(|upshot| upshot.fight.is_some()).count();
            holdings.0.extend(outcome.kept.0.clone());
            (state, stop) = (outcome.state, outcome.stop);
            // A quarter of them, so that a game shows its beginning and its end.
            if fights > 0 && chance.one_in(4) {
                found.push(moment);
            }
        }
        if found.len() >= wanted {
            break;
        }
    }
    found
}

/// Sum and sum of squares of a number.
#[derive(Default)]
struct Sums {
    sum: u128,
    squares: u128,
}

/// Compares every expectation of a packet with the mean of so many played-out turns.
fn agrees(table: &dyn Match, moment: &Moment, turns: u32, name: &str) -> usize {
    let author = moment.stop.who().expect("somebody");
    let view = View { state: &moment.state, holdings: &moment.holdings, side: None };
    let (settled, said) = (Settled::default(), Said::default());
    let played = AsPlayed { settled: &settled, said: &said };
    let effort = Effort { seed: name, apart: 200, varied: 16, together: 200, drawn: turns.max(200), orders_only: true };
    let chances = table.chances_as_played(view, author, &played, &moment.orders, &effort);
    assert_eq!(chances.bug, None, "{name}");
    assert!(!chances.cut_short, "{name}: everything is open");
    let sides = table.ruleset().sides();
    let mut sums: BTreeMap<(DocPath, usize), Sums> = BTreeMap::new();
    let number = |upshot: &Upshot, which: usize| match sides.get(which) {
        Some(side) => upshot.lost_by(*side),
        None if which == sides.len() => u32::from(upshot.taken),
        None => u32::from(upshot.called_off),
    };
    for turn in 0..turns {
        let outcome = resolve(table, moment, &format!("{name}/{turn}"));
        for (entry, upshot) in table.upshots(&outcome.journal) {
            for which in 0..sides.len() + 2 {
                let value = u128::from(number(&upshot, which));
                let sums = sums.entry((entry.clone(), which)).or_default();
                sums.sum += value;
                sums.squares += value * value;
            }
        }
    }
    let mut compared = 0;
    for prospect in chances.prospects.iter().filter(|prospect| prospect.spread.fight().is_some()) {
        let Affair::Entry(entry) = &prospect.affair else { continue };
        for which in 0..sides.len() + 2 {
            let expected = prospect.spread.expected(|upshot| number(upshot, which));
            let nothing = Sums::default();
            let sums = sums.get(&(entry.clone(), which)).unwrap_or(&nothing);
            let mean = Ratio::new(sums.sum, turns);
            let variance = Ratio::new(sums.squares, turns).minus(mean.times(mean));
            // Four times the deviation of the mean, and the stated error for as many steps as can be lost at all.
            let most = prospect.spread.0.keys().map(|upshot| number(upshot, which)).max().unwrap_or(0);
            let stated = prospect.how.error().times(Ratio::new(2 * most, 1u32));
            let noise = variance.times(Ratio::new(16u32, turns)).root();
            let allowed = stated.plus(noise).plus(Ratio::new(most.max(1) * 5, turns));
            let apart = if mean > expected { mean.minus(expected) } else { expected.minus(mean) };
            assert!(
                apart <= allowed,
                "{name} {entry} number {which}: {} expected, {} played, {} allowed ({:?})",
                expected.mean(),
                mean.mean(),
                allowed.mean(),
                prospect.how
            );
            compared += 1;
        }
    }
    compared
}

fn all_games(packets: usize, turns: u32) {
    for game in GAMES {
        let table = game.open(&Charter::default()).expect("a table");
        let mut compared = 0;
        for (at, moment) in moments(&*table, game.id(), packets).iter().enumerate() {
            compared += agrees(&*table, moment, turns, &format!("{}/{at}", game.id()));
        }
        assert!(compared > 0, "{} has fights", game.id());
    }
}

#[test]
fn chances_are_what_turns_come_to_on_the_average() {
    all_games(1, 60);
}

#[test]
#[ignore = "long: 100,000 turns of every game"]
fn chances_are_what_a_hundred_thousand_turns_come_to() {
    all_games(10, 10_000);
}
