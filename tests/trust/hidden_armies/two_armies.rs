//! The same match with two hidden armies, side by side.

use std::collections::{BTreeMap, BTreeSet};

use garcia::engine::dice::{Chance, Seed};
use garcia::engine::doc::{DocPath, Node, Reader};
use garcia::engine::json::Json;
use garcia::engine::{Dice, Questions, Said, Stop, View};
use garcia::play::Sitting;

use super::{BATTERIES, Exchange, LINE, SPAIN, US, exchanged, rotation, table};
use crate::players::held::Held;

/// A packet with everything in the clear, and what was said with it.
#[derive(Clone)]
struct Packet {
    orders: Json,
    said: Said,
}

/// What the US player holds of one packet, and what was signed of it.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    signed: Json,
    sealed: usize,
    held: Held,
}

/// A match in memory: what was said, what the US player saw of it, and the counter of each Spanish unit.
struct Game {
    packets: Vec<Packet>,
    held: Vec<Seen>,
    army: BTreeMap<String, String>,
}

/// Plays the first packets of a match in memory: by chance, or a given one again with some units exchanged. Both with the same dice.
fn play(name: &str, most: usize, script: Option<(&[Packet], &Exchange)>) -> Result<Game, String> {
    let table = table();
    let (state, stop) = table.begin();
    let mut sitting = Sitting::new(&*table, state, stop, Default::default());
    let mut chance = Chance::new(name);
    let (mut packets, mut held) = (Vec::new(), Vec::new());
    let mut army = BTreeMap::new();
    for number in 0..most {
        let Stop::Orders { who, ask, .. } = sitting.stop.clone() else { break };
        let own = sitting.holdings_of(who);
        let view = View { state: &sitting.state, holdings: &own, side: Some(who) };
        let packet = match script {
            Some((packets, exchange)) => {
                let packet: &Packet = &packets[number];
                let orders = if number == 0 { exchanged(&packet.orders, exchange) } else { packet.orders.clone() };
                Packet { orders, said: packet.said.clone() }
            }
            None => {
                let orders = table.random_orders(view, &sitting.stop, &mut chance);
                let (orders, faults) = table.check(view, &sitting.stop, orders, &DocPath::root());
                assert!(faults.iter().all(|fault| fault.warning), "{faults:?}");
                let mut said = Said::default();
                for info in table.ruleset().kinds() {
                    for side in info.asked_of.iter().copied() {
                        if chance.one_in(2) {
                            continue;
                        }
                        let policy = table.random_policy(&sitting.state, side, info.kind.0, &mut chance);
                        said.policies.insert((side, info.kind.0.to_owned()), policy);
                    }
                }
                Packet { orders: table.orders_json(&orders).expect("canonical"), said }
            }
        };
        let mut reader = Reader::new(table.lexicon());
        let node = Node::from_json(&packet.orders);
        let orders = table.read_orders(ask, &node, &DocPath::root(), &mut reader).expect("a packet");
        let mut sealed = 0;
        let plan = (ask == "spanish-turn").then_some(7);
        let signed = table.seal(&sitting.state, orders.clone(), plan, &mut |_, _| sealed += 1);
        let signed = table.orders_json(&signed).expect("canonical");
        let headline = table.headline(&sitting.state);
        let mut span = sitting.span(orders, packet.said.clone(), Questions::default());
        let seed = Seed::of_segment(name, &number.to_string());
        let outcome = sitting.resolve(&span, Dice::Seed(seed)).map_err(|failure| format!("{name}: {failure}"))?;
        sitting.follow(&mut span, &outcome).map_err(|why| format!("{name}: {why}"))?;
        let (journal, minutes) = (outcome.journal.clone(), outcome.minutes.clone());
        sitting.end_span(span, outcome);
        if number == 0 {
            let all = sitting.holdings_of(SPAIN).0;
            let text = |value: Json| value.as_str().expect("a unit").to_owned();
            army = all.into_iter().map(|((_, slot), value)| (text(value), slot.to_string())).collect();
        }
        held.push(Seen { signed, sealed, held: Held::by(US, &sitting, headline, &journal, &minutes) });
        packets.push(packet);
    }
    Ok(Game { packets, held, army })
}

#[test]
fn the_us_player_holds_the_same_for_two_hidden_armies_all_through_a_game() {
    let mut compared = 0;
    for name in (1..12).map(|number| format!("two armies {number}")) {
        let name = name.as_str();
        let Game { packets, held, army } = play(name, 14, None).expect("played");
        let opened: BTreeSet<&str> =
            held.iter().flat_map(|seen| &seen.held.opened).filter_map(|(_, value)| value.as_str()).collect();
        // Two facts tell who is weaker than whom: who is released first, and who makes room for a retreat.
        let strength: Vec<String> = held
            .iter()
            .flat_map(|seen| &seen.held.claims)
            .filter(|(key, _)| key.as_str().contains("/strongest/") || key.as_str().contains("/chains/"))
            .map(|(key, value)| format!("{key} {value}"))
            .collect();
        let released = strength.iter().any(|claim| claim.contains("/strongest/"));
        let told = |unit: &str| {
            let token = army.get(unit).map_or("", String::as_str);
            strength.iter().any(|claim| claim.contains(token)) || released && LINE[2].contains(&unit)
        };
        let exchange = rotation(|unit| !opened.contains(unit) && !told(unit));
        let count = |what: fn(&Seen) -> usize| held.iter().map(what).sum::<usize>();
        let claims = count(|seen| seen.held.claims.len());
        // A game in which enough stays hidden, and in which something is opened and something is stated.
        if exchange.len() < 5 || held.len() < 8 || claims == 0 || count(|seen| seen.held.opened.len()) == 0 {
            continue;
        }
        let other = play(name, 14, Some((&packets, &exchange))).expect("played again").held;
        assert_eq!(held.len(), other.len(), "{name}");
        for (at, (one, two)) in held.iter().zip(&other).enumerate() {
            assert_eq!(one, two, "{name}, packet {at}");
        }
        compared += 1;
        if compared == 2 {
            return;
        }
    }
    panic!("{compared} games were worth comparing");
}

#[test]
fn a_battery_in_the_place_of_a_battalion_shows_in_a_claim_and_in_nothing_else() {
    let (mut alike, mut told_apart) = (0, 0);
    for name in (1..20).map(|number| format!("battery {number}")) {
        if alike > 0 && told_apart > 0 {
            return;
        }
        let Game { packets, held, army } = play(&name, 6, None).expect("played");
        let opened: BTreeSet<&str> =
            held.iter().flat_map(|seen| &seen.held.opened).filter_map(|(_, value)| value.as_str()).collect();
        for battery in BATTERIES.iter().filter(|unit| !opened.contains(**unit)) {
            for battalion in LINE[0].iter().filter(|unit| !opened.contains(**unit)) {
                let names = [(*battery, *battalion), (*battalion, *battery)];
                let exchange: Exchange =
                    names.iter().map(|(one, two)| ((*one).to_owned(), (*two).to_owned())).collect();
                // Where they do not fit into each other's hexes the exchange is no legal army.
                let Ok(Game { held: other, .. }) = play(&name, 6, Some((&packets, &exchange))) else { continue };
                match held.iter().zip(&other).find(|(one, two)| one != two) {
                    Some((one, two)) => {
                        assert_ne!(one.held.claims, two.held.claims, "{name}: {battery} for {battalion}, {army:?}");
                        told_apart += 1;
                    }
                    None => alike += 1,
                }
            }
        }
    }
    panic!("{alike} exchanges went unseen, {told_apart} were told apart by a claim");
}
