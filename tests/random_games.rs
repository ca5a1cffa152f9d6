//! Whole games between players who choose at random from what the engine lists, with every invariant checked.

use garcia::engine::Ruleset;
use garcia::games::{GAMES, find};
use garcia::play::{Players, Series, Statistics, play_many};

fn play(game: &'static dyn Ruleset, games: usize, seed: &str, players: Players) -> Statistics {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let series = Series { games, seed: seed.to_owned(), threads, scenario: short(game), players, ..Series::default() };
    play_many(game, &series, &|_| {}).unwrap_or_else(|broken| panic!("{broken}"))
}

/// A campaign of 28 turns takes minutes without optimisation; a scenario of the same game stands for it there.
fn short(game: &dyn Ruleset) -> Option<String> {
    (cfg!(debug_assertions) && game.id() == "splendid-little-war").then(|| "el-caney".to_owned())
}

/// A game takes seconds without optimisation, with every segment resolved three times over, and milliseconds with it.
const SOME: usize = if cfg!(debug_assertions) { 8 } else { 400 };

#[test]
fn random_games_end_in_a_victory_line_with_every_invariant_held() {
    for game in GAMES {
        let statistics = play(*game, SOME, "every test run", Players::Random);
        println!("{}", statistics.text());
        assert_eq!(statistics.games, SOME as u64, "{}", game.id());
        assert!(statistics.stops > 0, "{}: no player was ever asked anything", game.id());
        // Spain closes the spans in which the fleet is spoken of, so nobody has to be asked for what only Spain knows.
        assert!(game.id() != "splendid-little-war" || statistics.facts.is_empty(), "{:?}", statistics.facts);
    }
}

#[test]
fn attackers_of_end_of_empire_are_shown_with_the_orders() {
    let game = find("end-of-empire").expect("a game");
    let series =
        Series { games: 8, seed: "few facts".to_owned(), threads: 4, players: Players::Sensible, ..Series::default() };
    let statistics = play_many(game, &series, &|_| {}).unwrap_or_else(|broken| panic!("{broken}"));
    // Whatever Spain has laid down for its own reorganization: nobody has to be asked for it afterwards.
    let early = statistics.facts.keys().find(|what| what.ends_with("after reorganized"));
    assert_eq!(early, None, "{:?}", statistics.facts);
    // An exchange of mails more in one player turn of five at most.
    let stops: u64 = statistics.facts.values().sum();
    assert!(stops * 5 <= statistics.mailed, "{stops} in {} packets: {:?}", statistics.mailed, statistics.facts);
}

#[test]
fn random_and_sensible_players_decide_every_battle_of_lone_warrior() {
    let game = find("lone-warrior").expect("a game");
    for scenario in game.about().scenarios {
        for players in [Players::Random, Players::Sensible] {
            let games = SOME / 4;
            let series = Series {
                games,
                seed: "every test run".to_owned(),
                threads: std::thread::available_parallelism().map_or(1, usize::from),
                scenario: Some(scenario.id.to_owned()),
                players,
                ..Series::default()
            };
            let statistics = play_many(game, &series, &|_| {}).unwrap_or_else(|broken| panic!("{broken}"));
            assert_eq!(statistics.games, games as u64, "{} {players:?}", scenario.id);
        }
    }
}

/// Nine of ten is for the long run; a few games show whoever does not know his business.
#[test]
fn a_random_player_loses_to_a_sensible_one() {
    for game in GAMES {
        for side in game.sides() {
            let statistics = play(*game, 2 * SOME, "sensible", Players::SensibleAs(*side));
            let won = statistics.wins.get(side.as_str()).copied().unwrap_or(0);
            assert!(won * 4 >= statistics.games * 3, "{} {side}: {won} of {}", game.id(), statistics.games);
        }
    }
}

/// He has to land, to guard his base, to be at the objectives before the fever has done its work and not to pay for them
/// with more than Congress will bear.
#[test]
fn the_sensible_american_of_santiago_1898_wins_nine_games_of_ten() {
    let game = find("santiago-1898").expect("a game");
    let us = *game.sides().iter().find(|side| side.as_str() == "us").expect("a side");
    let statistics = play(game, 5 * SOME, "to Santiago", Players::SensibleAs(us));
    let won = statistics.wins.get("us").copied().unwrap_or(0);
    assert!(won * 10 >= statistics.games * 9, "{won} of {}:\n{}", statistics.games, statistics.text());
}

#[test]
#[ignore = "takes minutes; run it with --release"]
fn ten_thousand_random_games_of_every_game() {
    for game in GAMES {
        let statistics = play(*game, 10_000, "ten thousand", Players::Random);
        println!("{}", statistics.text());
        let unasked: Vec<_> = statistics.asked.iter().filter(|(_, asked)| **asked == 0).collect();
        assert!(unasked.is_empty(), "{}: never asked {unasked:?}", game.id());
    }
}
