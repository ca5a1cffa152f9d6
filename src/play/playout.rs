//! Playing a position out: how often each side wins if sensible players go on from here.

use std::collections::BTreeMap;

use crate::engine::dice::Seed;
use crate::engine::digest::hash_bytes;
use crate::engine::doc::DocPath;
use crate::engine::{
    AnyState, Dice, Holdings, Match, Questions, Ratio, Said, Segment, Settled, Side, Slot, Stop, Tickets, Versions,
    View,
};

/// No game has this many packets.
const MOST_PACKETS: usize = 500;

/// How often each side won; the rest were draws.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prospects {
    /// Games played out.
    pub games: u32,
    /// Won by each side.
    pub won: BTreeMap<Side, u32>,
}

impl Prospects {
    /// The share of games a side won.
    pub fn of(&self, side: Side) -> Ratio {
        Ratio::new(self.won.get(&side).copied().unwrap_or(0), self.games)
    }

    /// Is the difference between two positions more than so few games show by chance: three times its own error, as the
    /// positions of a match are many?
    ///
    /// One game won and one lost are thought added, or ten wins of ten would pass for certainty.
    pub fn differs(&self, other: &Prospects, side: Side) -> bool {
        let (one, two) = (self.of(side), other.of(side));
        let change = if one > two { one.minus(two) } else { two.minus(one) };
        let spread = |prospects: &Prospects| {
            let won = prospects.won.get(&side).copied().unwrap_or(0);
            let share = Ratio::new(won + 1, prospects.games + 2);
            share.times(Ratio::ONE.minus(share)).times(Ratio::new(9_u32, prospects.games.max(1)))
        };
        change.times(change) > spread(self).plus(spread(other))
    }
}

/// Plays a position out so many times; nothing in a game without sensible players.
pub fn play_out(
    table: &dyn Match,
    state: &AnyState,
    stop: &Stop,
    holdings: &Holdings,
    games: u32,
    seed: &str,
) -> Option<Prospects> {
    let mut prospects = Prospects { games, won: BTreeMap::new() };
    for game in 0..games {
        let winner = one(table, state.clone(), stop.clone(), holdings.clone(), &format!("{seed}/{game}"))?;
        if let Some(winner) = winner {
            *prospects.won.entry(winner).or_insert(0) += 1;
        }
    }
    Some(prospects)
}

/// One game to its end: the winner. A game that cannot be played on is no answer.
fn one(
    table: &dyn Match,
    mut state: AnyState,
    mut stop: Stop,
    mut holdings: Holdings,
    seed: &str,
) -> Option<Option<Side>> {
    let (said, nothing, versions) = (Said::default(), Holdings::default(), Versions::new());
    let all = |side: &Side| (*side, (1..=table.tickets(*side)).map(Slot::ticket).collect());
    let tickets = Tickets { unspent: table.ruleset().sides().iter().map(all).collect(), ..Tickets::default() };
    for packet in 0..MOST_PACKETS {
        let Stop::Orders { who, .. } = stop else { break };
        let own = Holdings(
            holdings
                .0
                .iter()
                .filter(|((owner, _), _)| *owner == who)
                .map(|(at, value)| (at.clone(), value.clone()))
                .collect(),
        );
        let view = View { state: &state, holdings: &own, side: Some(who) };
        let (orders, faults) = table.check(view, &stop, table.sensible_orders(view, &stop)?, &DocPath::root());
        if faults.iter().any(|fault| !fault.warning) {
            return None;
        }
        let segment = Segment {
            dice: Dice::Seed(Seed::new(hash_bytes("playout", &[seed, &packet.to_string()]))),
            settled: Settled::default(),
            said: &said,
            public: &nothing,
            holdings: &holdings,
            versions: &versions,
            tickets: &tickets,
            closer_holds: table.ruleset().sides(),
            questions: Questions { ask: false, max_asks: None },
        };
        let outcome = table.resolve(&state, &orders, segment).ok()?;
        holdings.0.extend(outcome.kept.0);
        (state, stop) = (outcome.state, outcome.stop);
    }
    Some(table.verdict(&state)?.winner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_games_show_only_great_changes() {
        let side = Side("us");
        let won = |won: u32, games: u32| Prospects { games, won: BTreeMap::from([(side, won)]) };
        // By hand: half of the games are 0.25 squared; the spreads of ten are 11/144 and 1/4, or 3/16 for two of them won,
        // times 9/10.
        assert!(!won(10, 10).differs(&won(5, 10), side), "0.25 is less than 0.29");
        assert!(won(10, 10).differs(&won(2, 10), side), "0.64 is more than 0.24");
        assert!(!won(10, 10).differs(&won(9, 10), side));
        assert!(won(100, 100).differs(&won(90, 100), side));
        assert!(!won(7, 10).differs(&won(7, 10), side));
    }
}
