//! Chances against played-out turns: what `odds` says of an order is what the rules come to on the average.

use std::collections::BTreeMap;

use garcia::engine::dice::{Chance, Seed};
use garcia::engine::digest::hash_bytes;
use garcia::engine::doc::DocPath;
use garcia::engine::{
    Affair, AnyOrders, AnyOutcome, AsPlayed, Charter, Dice, Effort, Holdings, Match, Questions, Ratio, Said, Settled,
    Stop, Upshot, View,
};
use garcia::games::GAMES;
use garcia::play::{PacketInHand, Sitting};

/// A packet that is due, with the position it is for.
struct Moment<'t> {
    sitting: Sitting<'t>,
    orders: AnyOrders,
}

impl Moment<'_> {
    /// The packet carried out with everything open.
    fn span(&self) -> PacketInHand {
        self.sitting.span(self.orders.clone(), Said::default(), Questions { ask: false, max_asks: None })
    }
}

fn resolve(moment: &Moment<'_>, span: &PacketInHand, seed: &str) -> AnyOutcome {
    let dice = Dice::Seed(Seed::new(hash_bytes("chances", &[seed])));
    moment.sitting.resolve(span, dice).expect("a result")
}

/// What lies face down on either side.
fn all_held(sitting: &Sitting<'_>) -> Holdings {
    Holdings(sitting.sides().iter().flat_map(|side| sitting.holdings_of(*side).0).collect())
}

/// Moments of a random game whose orders lead to fights.
fn moments<'t>(table: &'t dyn Match, seed: &str, wanted: usize) -> Vec<Moment<'t>> {
    let mut found = Vec::new();
    for game in 0..20 {
        let mut chance = Chance::new(&format!("{seed}/{game}"));
        let (state, stop) = table.begin();
        let mut sitting = Sitting::new(table, state, stop, Holdings::default());
        for packet in 0..60 {
            if sitting.stop == Stop::End || found.len() >= wanted {
                break;
            }
            let author = sitting.stop.who();
            let held = author.map_or_else(Holdings::default, |author| sitting.holdings_of(author));
            let view = View { state: &sitting.state, holdings: &held, side: author };
            // What is signed is what the check writes out in full.
            let listed = table.random_orders(view, &sitting.stop, &mut chance);
            let (orders, _) = table.check(view, &sitting.stop, listed, &DocPath::root());
            let moment = Moment { sitting: sitting.clone(), orders };
            let span = moment.span();
            let outcome = resolve(&moment, &span, &format!("{seed}/{game}/{packet}"));
            let fights = table.upshots(&outcome.journal).values().filter(|upshot| upshot.fight.is_some()).count();
            sitting.end_span(span, outcome);
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
fn agrees(table: &dyn Match, moment: &Moment<'_>, turns: u32, name: &str) -> usize {
    let author = moment.sitting.stop.who().expect("somebody");
    let view = View { state: &moment.sitting.state, holdings: &all_held(&moment.sitting), side: None };
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
    let span = moment.span();
    for turn in 0..turns {
        let outcome = resolve(moment, &span, &format!("{name}/{turn}"));
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
