//! The same match with another roll for the fleet: what the US player holds is the same, to the morning on which it sails.

use std::collections::BTreeMap;

use garcia::engine::dice::{Chance, Seed};
use garcia::engine::doc::{DocPath, Node, Reader};
use garcia::engine::json::Json;
use garcia::engine::{Dice, Holdings, Questions, Said, Stop, View};
use garcia::play::Sitting;
use garcia::trust::ledger::Ledger;
use garcia::trust::record::Record;

use super::{SORTIE, SPAIN, US, campaign, game, sails, until};
use crate::players::hands::{Hands, believing};
use crate::players::held::Held;
use crate::players::{lay, role};

/// A packet with what was laid down beside it.
#[derive(Clone)]
struct Packet {
    orders: Json,
    said: Said,
}

/// A match in memory: what was said, what the US player saw of it, the sortie roll, and the packet in which the fleet sails.
struct Told {
    packets: Vec<Packet>,
    held: Vec<Held>,
    roll: Option<Json>,
    sails: Option<usize>,
}

/// Some packets of the campaign with secret rolls drawn by a word: by chance, or the packets of another match again. The
/// open dice are the same in all of them.
fn play(options: &[(&str, &str)], tickets: &str, most: usize, script: Option<&[Packet]>) -> Told {
    let table = game().open(&campaign(options)).expect("a table");
    let (state, stop) = table.begin();
    let mut sitting = Sitting::new(&*table, state, stop, Holdings::default()).with_tickets(tickets);
    let mut chance = Chance::new("two dates");
    let mut told = Told { packets: Vec::new(), held: Vec::new(), roll: None, sails: None };
    for number in 0..most {
        let Stop::Orders { who, ask, .. } = sitting.stop.clone() else { break };
        let packet = match script {
            Some(packets) => packets[number].clone(),
            None => {
                let own = sitting.holdings_of(who);
                let view = View { state: &sitting.state, holdings: &own, side: Some(who) };
                // A few turns of fighting; then both armies sit still until the fleet is gone.
                let orders = match number < 4 {
                    true => table.random_orders(view, &sitting.stop, &mut chance),
                    false => table.no_orders(&sitting.state, &sitting.stop),
                };
                let (orders, faults) = table.check(view, &sitting.stop, orders, &DocPath::root());
                assert!(faults.iter().all(|fault| fault.warning), "{faults:?}");
                let mut policies = BTreeMap::new();
                for info in table.ruleset().kinds() {
                    for side in info.asked_of.iter().copied().filter(|_| info.kind.0 != "resist") {
                        let policy = table.random_policy(&sitting.state, side, info.kind.0, &mut chance);
                        policies.insert((side, info.kind.0.to_owned()), policy);
                    }
                }
                Packet {
                    orders: table.orders_json(&orders).expect("canonical"),
                    said: Said { policies, ..Said::default() },
                }
            }
        };
        let mut reader = Reader::new(table.lexicon());
        let orders = table.read_orders(ask, &Node::from_json(&packet.orders), &DocPath::root(), &mut reader);
        let headline = table.headline(&sitting.state);
        let questions = Questions { ask: false, max_asks: None };
        let span = sitting.span_by_mail(orders.expect("a packet"), packet.said.clone(), questions);
        let mut span = span.expect("begun");
        let dice = Dice::Seed(Seed::of_segment("two dates", &number.to_string()));
        let outcome = sitting.resolve(&span, dice).expect("resolved");
        sitting.follow(&mut span, &outcome).expect("everybody sees the same");
        let (journal, minutes) = (outcome.journal.clone(), outcome.minutes.clone());
        sitting.end_span(span, outcome);
        let sailed = minutes.claims.iter().any(|claim| claim.value == Json::Bool(true));
        told.held.push(Held::by(US, &sitting, headline, &journal, &minutes));
        told.packets.push(packet);
        let own = sitting.holdings_of(SPAIN);
        let roll = own.0.iter().find(|((_, slot), _)| slot.as_str() == SORTIE);
        told.roll = roll.map(|(_, value)| value.clone());
        if sailed {
            told.sails = Some(number);
            break;
        }
    }
    told
}

/// Compares matches that differ in the tickets alone.
fn compare(options: &[(&str, &str)], most: usize) {
    let first = play(options, "0", most, None);
    let (mut rolls, mut apart) = (1, 0);
    for word in (1..7).map(|word| word.to_string()) {
        let other = play(options, &word, first.packets.len(), Some(&first.packets));
        rolls += usize::from(other.roll != first.roll);
        // Up to the morning on which one of them sails they are the same; on it they part, if the other stays.
        let day = |told: &Told| told.sails.unwrap_or(usize::MAX);
        let same = day(&first).min(day(&other)).min(first.held.len().min(other.held.len()));
        for at in 0..same {
            assert_eq!(first.held[at], other.held[at], "ticket {word}, packet {at}");
        }
        if day(&first) != day(&other) && same < other.held.len() {
            assert_ne!(first.held[same], other.held[same], "ticket {word}: the fleet sails and nobody sees it");
            apart += 1;
        }
    }
    assert!(rolls > 2 && apart > 0, "{rolls} other rolls, {apart} other dates");
    let told = |held: &Held| held.report.contains("Cervera's orders: a roll");
    assert!(first.held.iter().all(|held| !told(held)), "Spain alone reads the roll");
}

#[test]
fn the_us_player_holds_the_same_for_another_date_until_the_fleet_sails() {
    compare(&[], 15);
}

#[test]
fn where_the_fleet_may_resist_every_morning_looks_the_same() {
    compare(&[("resist", "on"), ("packets", "steps")], 29);
}

#[test]
fn the_records_of_a_match_stand_for_any_roll_that_is_not_due_yet() {
    let later = |record: &Record| sails(record) == Some(false);
    // Half of all fleets sail on the first morning: the first match in which it stays.
    let found = (0..20).find_map(|number| {
        let (pair, at) = until(&[], &format!("stays {number}"), |record| sails(record).is_some());
        later(&pair.records()[at]).then_some((pair, at))
    });
    let (pair, at) = found.expect("a fleet that stays");
    let records = &pair.records()[..=at];
    let hands = Hands::of(&pair);
    let stands = |number: u32, upto: usize| {
        Ledger::read(records[..upto].to_vec(), lay, believing(hands.file(&role("spain")), number)).is_ok()
    };
    assert!((0..4).all(|number| stands(number, at)), "before the morning any roll will do");
    let left = (0..12).filter(|number| stands(*number, at + 1)).count();
    assert!((1..12).contains(&left), "the statement rules out some rolls and leaves the others: {left} of 12");
}
