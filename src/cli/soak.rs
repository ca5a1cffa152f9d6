//! `garcia soak`: many games between random players, for whoever changes the rules code.

use std::io::{IsTerminal as _, Write as _};

use clap::Args;

use crate::engine::Ruleset;
use crate::games::{GAMES, find};
use crate::play::{Players, Posted, Series, play_game, play_mailed, play_many};

use super::new::{known_scenario, known_side};
use super::{Done, Trouble, World, exit};

/// Play many games between players who choose at random, and check everything that must always hold.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia soak santiago-1898 --games 1000
  garcia soak santiago-1898 --seed monday --only 17      one game of a run again
  garcia soak santiago-1898 --mistakes 30                thirty mistaken packets beside every packet
  garcia soak lone-warrior --scenario el-caney --sensible --games 10000      who wins how often
  garcia soak end-of-empire --sensible us      a sensible player of one side against a random one
  garcia soak santiago-campaign --mailed --games 100     matches by mail, with all that can happen to it

The first game in which something breaks is reported with how to play it again. Exit code 0: all held; 1: not.")]
pub struct Soak {
    /// The game.
    #[arg(value_name = "GAME")]
    game: String,
    /// How many games to play.
    #[arg(long, value_name = "N", default_value_t = 100)]
    games: usize,
    /// The same seed plays the same games.
    #[arg(long, value_name = "TEXT", default_value = "soak")]
    seed: String,
    /// Play this game of the run alone.
    #[arg(long, value_name = "NUMBER")]
    only: Option<usize>,
    /// Play this scenario with the default options; otherwise each game draws both.
    #[arg(long, value_name = "SCENARIO")]
    scenario: Option<String>,
    /// Play with plain sensible players instead, where the game has them; every question takes its default. With a side:
    /// that one against a random player.
    #[arg(long, value_name = "SIDE", num_args = 0..=1, default_missing_value = "both")]
    sensible: Option<String>,
    /// Play matches by mail instead: homes, signatures, seals and audits, two players, directors and game masters, and a
    /// post that loses, doubles, mixes up and damages what it carries.
    #[arg(long, conflicts_with = "sensible")]
    mailed: bool,
    /// How many packets with a mistake in them are judged, and signed all the same, beside every packet of a random player;
    /// from two on with keys that no random player writes.
    #[arg(long, value_name = "N", default_value_t = 1)]
    mistakes: u32,
    /// How many games at the same time; otherwise one for each processor.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

impl Soak {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let game: &'static dyn Ruleset = find(&self.game).ok_or_else(|| {
            let known: Vec<&str> = GAMES.iter().map(|game| game.id()).collect();
            Trouble::usage(format!("there is no game `{}`", self.game), format!("there are: {}", known.join(", ")))
        })?;
        if let Some(scenario) = &self.scenario {
            known_scenario(game, scenario)?;
        }
        let players = match self.sensible.as_deref() {
            None => Players::Random,
            Some("both") => Players::Sensible,
            Some(side) => Players::SensibleAs(known_side(game, side)?),
        };
        let threads = self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        let series = Series {
            games: self.games,
            seed: self.seed,
            threads,
            scenario: self.scenario,
            players,
            mistakes: self.mistakes,
        };
        if self.mailed {
            return by_mail(game, &series, self.only, world);
        }
        if let Some(number) = self.only {
            return match play_game(game, &series, number) {
                Ok(tale) => Ok(Done::good(format!(
                    "game {number}: turn {}, {} packets, {} stops, {} events. {}\n",
                    tale.turns, tale.packets, tale.stops, tale.events, tale.ending
                ))),
                Err(broken) => Ok(Done::good(format!("{broken}\n")).with(exit::FAULTS)),
            };
        }
        let shown = std::io::stderr().is_terminal();
        let step = (series.games / 100).max(1);
        let progress = |done: usize| {
            if shown && (done.is_multiple_of(step) || done == series.games) {
                let mut out = std::io::stderr().lock();
                // Progress that cannot be shown is no reason to stop.
                let _ = write!(out, "\r{done} of {} games", series.games).and_then(|()| out.flush());
            }
        };
        let played = play_many(game, &series, &progress);
        if shown {
            eprintln!();
        }
        match played {
            Ok(statistics) if world.json => Done::json(&statistics),
            Ok(statistics) => Ok(Done::good(statistics.text())),
            Err(broken) => Ok(Done::good(format!("{broken}\n")).with(exit::FAULTS)),
        }
    }
}

/// Matches by mail, one after the other; their homes lie in a folder that is removed again.
fn by_mail(game: &'static dyn Ruleset, series: &Series, only: Option<usize>, world: &World) -> Result<Done, Trouble> {
    let folder = std::env::temp_dir().join(format!("garcia-soak-{}", std::process::id()));
    let mut all = Posted::default();
    let numbers = only.map_or(0..series.games, |number| number..number + 1);
    let count = numbers.len();
    for (done, number) in numbers.enumerate() {
        world.progress.at(done, count);
        match play_mailed(game, series, number, usize::MAX, &folder) {
            Ok((tale, _)) => all.add(&tale),
            Err(broken) => {
                std::fs::remove_dir_all(&folder).ok();
                return Ok(Done::good(format!("{broken}\n")).with(exit::FAULTS));
            }
        }
    }
    std::fs::remove_dir_all(&folder).ok();
    if world.json { Done::json(&all) } else { Ok(Done::good(all.text())) }
}
