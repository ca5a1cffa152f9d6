//! Matches by players who choose at random, in every view at once.

use crate::board::Hex;
use crate::engine::dice::{Chance, Seed};
use crate::engine::doc::{DocPath, read_document};
use crate::engine::{
    Charter, Dice, Failure, Files, KindInfo, Moment, Questions, RulesOf, Ruleset, Said, Seen, Side, Stop, View,
};
use crate::play::Sitting;

use super::orders::{MoveOrder, TurnOrders};
use super::play::at_table;
use super::random::give;
use super::terms::Piece;
use super::{SPAIN, SantiagoCampaign, US};

/// Policies of both sides by chance, as they would stand in their files.
fn policies(sitting: &Sitting<'_>, who: Side, chance: &mut Chance) -> Said {
    let mut said = Said::default();
    for info in sitting.table.ruleset().kinds() {
        for side in info.asked_of.iter().copied() {
            if side_asked(info, side, who) && chance.one_in(2) {
                let policy = sitting.table.random_policy(&sitting.state, side, info.kind.0, chance);
                said.policies.insert((side, info.kind.0.to_owned()), policy);
            }
        }
    }
    said
}

fn side_asked(info: &KindInfo, side: Side, who: Side) -> bool {
    match info.moment {
        Moment::OwnTurn => side == who,
        Moment::OpponentsTurn => side != who,
        Moment::Either => true,
    }
}

/// Plays a match to its end; says what went wrong, or how it ended.
fn play(name: &str, options: &[(&str, &str)]) -> Result<String, String> {
    let ruleset = RulesOf::<SantiagoCampaign>::new();
    let mut charter = Charter::default();
    charter.options.extend(options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let table = ruleset.open(&charter).map_err(|faults| format!("{faults:?}"))?;
    let (state, stop) = table.begin();
    let mut sitting = Sitting::new(&*table, state, stop, Default::default());
    let mut chance = Chance::new(name);
    for packet in 0..80 {
        let Stop::Orders { who, .. } = sitting.stop.clone() else { break };
        let holdings = sitting.holdings_of(who);
        let view = View { state: &sitting.state, holdings: &holdings, side: Some(who) };
        let orders = table.random_orders(view, &sitting.stop, &mut chance);
        let (orders, faults) = table.check(view, &sitting.stop, orders, &DocPath::root());
        if let Some(fault) = faults.iter().find(|fault| !fault.warning) {
            return Err(format!("{name}, packet {packet} of {who}: {fault:?}"));
        }
        let said = policies(&sitting, who, &mut chance);
        let mut span = sitting.span(orders, said, Questions::default());
        let seed = Seed::of_segment(name, &packet.to_string());
        let outcome = match sitting.resolve(&span, Dice::Seed(seed)) {
            Ok(outcome) => outcome,
            Err(Failure::Bug(bug)) => return Err(format!("{name}, packet {packet} of {who}: {bug}")),
            Err(failure) => return Err(format!("{name}, packet {packet} of {who}: {failure}")),
        };
        sitting.follow(&mut span, &outcome).map_err(|why| format!("{name}, packet {packet} of {who}: {why}"))?;
        let flaws = table.flaws(&outcome.state);
        if !flaws.is_empty() {
            return Err(format!("{name}, packet {packet} of {who}: {flaws:?}"));
        }
        let written = table.state_json(&outcome.state).map_err(|error| error.to_string())?;
        table.read_state(&written).map_err(|faults| format!("{name}, packet {packet}: {faults:?}"))?;
        sitting.end_span(span, outcome);
    }
    match table.verdict(&sitting.state) {
        Some(verdict) => Ok(verdict.text),
        None => Err(format!("{name} does not end")),
    }
}

/// How many matches; more with `GARCIA_RANDOM_GAMES`.
fn matches() -> usize {
    std::env::var("GARCIA_RANDOM_GAMES").ok().and_then(|count| count.parse().ok()).unwrap_or(2)
}

#[test]
fn random_matches_reach_their_end_and_look_the_same_to_everybody() {
    for number in 0..matches() {
        let end = play(&format!("campaign {number}"), &[]);
        assert!(end.is_ok(), "{end:?}");
    }
}

#[test]
fn every_option_plays_to_the_end() {
    let options = <SantiagoCampaign as crate::engine::Files>::ABOUT.options;
    let most = options.iter().map(|option| option.values.len()).max().unwrap_or(0);
    // One match for the second value of every option, one for the third, and so on.
    for nth in 1..most {
        let drawn: Vec<(&str, &str)> =
            options.iter().filter_map(|option| Some((option.name, *option.values.get(nth)?))).collect();
        let end = play(&format!("options {nth}"), &drawn);
        assert!(end.is_ok(), "{drawn:?}: {end:?}");
    }
}

#[test]
fn the_us_player_holds_the_same_for_two_different_hidden_armies() {
    let ruleset = RulesOf::<SantiagoCampaign>::new();
    let table = ruleset.open(&Charter::default()).expect("the shipped data load");
    let armies = [
        "{deploy: {2814: [sp-1-65, sp-6-4], 2715: [sp-1-29]}}",
        "{deploy: {2814: [sp-6-4, sp-1-29], 2715: [sp-1-65]}}",
    ];
    let held = armies.map(|text| {
        let (node, _) = crate::engine::doc::read_document("orders.yaml", text.as_bytes()).expect("well formed");
        let (state, stop) = table.begin();
        let sitting = Sitting::new(&*table, state, stop, Default::default());
        let mut reader = crate::engine::doc::Reader::new(table.lexicon());
        let orders =
            table.read_orders("spanish-setup", &node, &DocPath::root(), &mut reader).expect("no faults of form");
        let holdings = sitting.holdings_of(SPAIN);
        let view = View { state: &sitting.state, holdings: &holdings, side: Some(SPAIN) };
        let (orders, faults) = table.check(view, &sitting.stop, orders, &DocPath::root());
        assert!(faults.iter().all(|fault| fault.warning), "{faults:?}");
        let sealed = table.seal(&sitting.state, orders.clone(), None, &mut |_, _| {});
        let mut sitting = sitting;
        let mut span = sitting.span(orders, Said::default(), Questions::default());
        let outcome = sitting.resolve(&span, Dice::Seed(Seed::of_segment("a", "b"))).expect("it resolves");
        sitting.follow(&mut span, &outcome).expect("every view agrees");
        let events = table.events(&outcome.journal, Some(US)).expect("canonical");
        sitting.end_span(span, outcome);
        let signed = table.orders_json(&sealed).expect("canonical");
        let state = table.state_json(&sitting.state).expect("canonical");
        (signed, state, events, sitting.holdings_of(US).0)
    });
    assert_eq!(held[0], held[1]);
}

#[test]
fn a_table_for_trying_moves_out_does_not_end_with_the_game() {
    let start = "{us-passed: [2214, 2215, 2313, 2314, 2415], units: {us-6r: 2413}, sources: [2322]}";
    let (node, _) = read_document("start.yaml", start.as_bytes()).expect("well formed");
    let mut faults = Vec::new();
    let laid = <SantiagoCampaign as Files>::arrange(&node, &DocPath::root(), &mut faults);
    let laid = laid.unwrap_or_else(|| panic!("{faults:?}"));
    let seen = Seen { state: &laid.state, holdings: &laid.holdings, side: Some(US) };
    // 2414 is the last hex of Santiago, and the march goes on behind it.
    let path: Vec<Hex> = ["2414", "2514"].map(|hex| hex.parse().expect("a hex")).into();
    let stands = at_table(&laid.game, &seen, US, |play| {
        let unit = Piece::from(play.data().unit("us-6r").expect("a counter"));
        let order = MoveOrder { unit, path: path.clone(), to: None, balloon: None, open: None };
        give(play, order, &[], &mut TurnOrders::default());
        play.now().hex_of(unit)
    });
    assert_eq!(stands, path.last().copied());
}
