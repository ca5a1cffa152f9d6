//! A game in which something that must always hold did not.

use std::fmt;

use super::Players;

/// What broke, in which game and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The game.
    pub game: &'static str,
    /// The seed of the run.
    pub seed: String,
    /// The scenario, if all games of the run have the same.
    pub scenario: Option<String>,
    /// Who played.
    pub players: Players,
    /// How many packets with a mistake were judged beside every packet.
    pub mistakes: u32,
    /// The number of the game in the run.
    pub number: usize,
    /// Scenario and options.
    pub charter: String,
    /// Turn, packet and segment.
    pub place: String,
    /// The orders being carried out, as they would be signed.
    pub orders: String,
    /// What did not hold.
    pub what: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Broken { game, seed, scenario, players, mistakes, number, charter, place, orders, what } = self;
        writeln!(f, "{game}, game {number} of the run with seed {seed} ({charter}), {place}:")?;
        writeln!(f, "{what}")?;
        if !orders.is_empty() {
            writeln!(f, "orders: {orders}")?;
        }
        write!(f, "play it again with: garcia soak {game} --seed '{seed}' --only {number}")?;
        if let Some(scenario) = scenario {
            write!(f, " --scenario {scenario}")?;
        }
        if *mistakes != 1 {
            write!(f, " --mistakes {mistakes}")?;
        }
        match players {
            Players::Random => Ok(()),
            Players::Sensible => write!(f, " --sensible"),
            Players::SensibleAs(side) => write!(f, " --sensible {side}"),
        }
    }
}

impl std::error::Error for Broken {}
