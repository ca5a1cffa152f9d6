//! The same match with two hidden armies, and the same packets closed by different people.

use std::collections::BTreeMap;

use garcia::engine::dice::{Chance, Seed};
use garcia::engine::doc::{DocPath, Node, Reader};
use garcia::engine::json::Json;
use garcia::engine::{
    Dice, FixedDie, Flow, Holdings, Match, Questions, Said, Segment, Settled, Side, Stop, Tickets, Versions, View,
};
use garcia::play::Sitting;

use super::{SPAIN, US, table};
use crate::players::held::Held;

const NO_QUESTIONS: Questions = Questions { ask: false, max_asks: None };

/// A packet with everything in the clear, and what was said with it.
#[derive(Clone)]
struct Packet {
    orders: Json,
    said: Said,
}

/// What a player holds of one packet, and what was signed of it.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    signed: Json,
    sealed: usize,
    held: Held,
}

/// A match in memory as somebody sees it.
struct Game {
    packets: Vec<Packet>,
    held: Vec<Seen>,
    /// What was first laid under each counter of the other player.
    laid: BTreeMap<String, Json>,
}

/// Two counters whose contents change places, with what was laid under each at first.
struct Exchange {
    names: [String; 2],
    contents: [Json; 2],
}

impl Exchange {
    /// What the other counter held, if this is the name of one of the two.
    fn other(&self, name: &str) -> Option<&Json> {
        let at = self.names.iter().position(|known| known == name)?;
        Some(&self.contents[1 - at])
    }

    /// The orders with the contents exchanged, wherever they are written. `numbered` counters lay on the map before.
    fn apply(&self, orders: &Json, prefix: &str, numbered: usize) -> Json {
        let mut orders = orders.clone();
        let formed = orders.pointer("/reorganize/form").and_then(Json::as_map).map_or(0, |form| form.len());
        // Brigades get their names as they land, columns as they are set up.
        let (list, before) = if prefix == "us-b" { ("/land", numbered + formed) } else { ("/columns", 0) };
        if let Some(Json::List(entries)) = orders.pointer_mut(list) {
            let closed = entries.iter_mut().filter_map(|entry| entry.pointer_mut("/holds"));
            for (number, holds) in closed.enumerate() {
                if let Some(other) = self.other(&format!("{prefix}{}", before + number + 1)) {
                    *holds = other.clone();
                }
            }
        }
        for list in ["/reorganize/columns", "/next/columns"] {
            let Some(Json::Map(columns)) = orders.pointer_mut(list) else { continue };
            for (name, holds) in columns {
                if let Some(other) = self.other(name) {
                    *holds = other.clone();
                }
            }
        }
        orders
    }
}

fn random_packet(table: &dyn Match, sitting: &Sitting<'_>, who: Side, chance: &mut Chance) -> Packet {
    let own = sitting.holdings_of(who);
    let view = View { state: &sitting.state, holdings: &own, side: Some(who) };
    let orders = table.random_orders(view, &sitting.stop, chance);
    let (orders, faults) = table.check(view, &sitting.stop, orders, &DocPath::root());
    assert!(faults.iter().all(|fault| fault.warning), "{faults:?}");
    let mut said = Said::default();
    for info in table.ruleset().kinds() {
        for side in info.asked_of.iter().copied() {
            if chance.one_in(2) {
                let policy = table.random_policy(&sitting.state, side, info.kind.0, chance);
                said.policies.insert((side, info.kind.0.to_owned()), policy);
            }
        }
    }
    Packet { orders: table.orders_json(&orders).expect("canonical"), said }
}

/// Plays the first packets of a match in memory: by chance, or a given one again with two contents exchanged.
fn play(
    name: &str,
    most: usize,
    looker: Side,
    script: Option<(&Game, &Exchange)>,
    prefix: &str,
) -> Result<Game, String> {
    let table = table(&[]);
    let (state, stop) = table.begin();
    let mut sitting = Sitting::new(&*table, state, stop, Default::default());
    let mut chance = Chance::new(name);
    let (mut packets, mut held, mut laid) = (Vec::new(), Vec::new(), BTreeMap::new());
    for number in 0..most {
        let Stop::Orders { who, ask, .. } = sitting.stop.clone() else { break };
        let setup = ask.ends_with("setup");
        let owner = match prefix {
            "sp-c" => who == SPAIN,
            "cu-c" => who == US,
            _ => who == US && !setup,
        };
        let packet = match script {
            Some((game, exchange)) => {
                let packet: &Packet = &game.packets[number];
                let orders = match owner {
                    true => exchange.apply(&packet.orders, prefix, laid.len()),
                    false => packet.orders.clone(),
                };
                Packet { orders, said: packet.said.clone() }
            }
            None => random_packet(&*table, &sitting, who, &mut chance),
        };
        let mut reader = Reader::new(table.lexicon());
        let node = Node::from_json(&packet.orders);
        let orders = table.read_orders(ask, &node, &DocPath::root(), &mut reader).expect("a packet");
        let mut sealed = 0;
        let signed = table.seal(&sitting.state, orders.clone(), None, &mut |_, _| sealed += 1);
        let headline = table.headline(&sitting.state);
        let mut span = sitting.span(orders, packet.said.clone(), NO_QUESTIONS);
        let seed = Seed::of_segment(name, &number.to_string());
        let outcome = sitting.resolve(&span, Dice::Seed(seed)).map_err(|failure| failure.to_string())?;
        sitting.follow(&mut span, &outcome)?;
        let (journal, minutes) = (outcome.journal.clone(), outcome.minutes.clone());
        sitting.end_span(span, outcome);
        for ((_, slot), value) in sitting.holdings_of(if looker == US { SPAIN } else { US }).0 {
            let name = slot.as_str().split('/').next().unwrap_or_default().to_owned();
            if name.starts_with(prefix) {
                laid.entry(name).or_insert(value);
            }
        }
        let signed = if who == looker { Json::map() } else { table.orders_json(&signed).expect("canonical") };
        held.push(Seen { signed, sealed, held: Held::by(looker, &sitting, headline, &journal, &minutes) });
        packets.push(packet);
    }
    Ok(Game { packets, held, laid })
}

/// Exchanges contents in matches, a dummy among them, until enough exchanges were never seen. What is seen of one is an
/// opening or a claim: the rules opened one of the two, or made its owner state something about it.
fn exchange_all(prefix: &str, looker: Side, most: usize) {
    let (mut alike, mut told, mut dummies) = (0, 0, 0);
    for number in 1..30 {
        let name = format!("{prefix} {number}");
        let game = play(&name, most, looker, None, prefix).expect("played");
        let names: Vec<&String> = game.laid.keys().collect();
        let pairs = names.iter().enumerate().flat_map(|(at, one)| names[at + 1..].iter().map(move |two| (*one, *two)));
        for (one, two) in pairs.filter(|(one, two)| game.laid[*one] != game.laid[*two]).take(4) {
            let contents = [game.laid[one].clone(), game.laid[two].clone()];
            let exchange = Exchange { names: [one.clone(), two.clone()], contents };
            // Where the other content does not fit into the hex or the march the exchange is no legal army.
            let Ok(other) = play(&name, most, looker, Some((&game, &exchange)), prefix) else { continue };
            match game.held.iter().zip(&other.held).enumerate().find(|(_, (a, b))| a != b) {
                None => {
                    alike += 1;
                    dummies += usize::from(exchange.contents.contains(&Json::from("dummy")));
                }
                Some((at, (a, b))) => {
                    let said = |seen: &Seen| format!("{:?} {:?}", seen.held.claims, seen.held.opened);
                    assert_ne!(said(a), said(b), "{name}: {one} for {two}, packet {at}\n{a:#?}\n{b:#?}");
                    told += 1;
                }
            }
        }
        if alike > 1 && dummies > 0 {
            return;
        }
    }
    panic!("{prefix}: {alike} exchanges went unseen, {told} were told, {dummies} with a dummy");
}

#[test]
fn the_us_player_holds_the_same_whatever_lies_under_two_spanish_columns() {
    exchange_all("sp-c", US, 7);
}

#[test]
fn the_spanish_player_holds_the_same_whatever_lies_under_two_cuban_columns() {
    exchange_all("cu-c", SPAIN, 6);
}

#[test]
fn the_spanish_player_holds_the_same_whatever_lies_under_two_brigades() {
    exchange_all("us-b", SPAIN, 9);
}

/// One segment of a packet, with these dice, closed by somebody who holds all of this.
fn closed(
    table: &dyn Match,
    sitting: &Sitting<'_>,
    orders: &garcia::engine::AnyOrders,
    said: &Said,
    holdings: &Holdings,
    seed: Seed,
) -> Json {
    let (nothing, versions) = (Holdings::default(), Versions::new());
    let segment = Segment {
        dice: Dice::Seed(seed),
        settled: Settled::default(),
        said,
        public: &nothing,
        holdings,
        versions: &versions,
        tickets: Tickets::NONE,
        closer_holds: table.ruleset().sides(),
        questions: NO_QUESTIONS,
    };
    let outcome = table.resolve(&sitting.state, orders, segment).unwrap_or_else(|failure| panic!("{failure}"));
    table.state_json(&outcome.state).expect("canonical")
}

#[test]
fn solo_a_private_game_master_and_two_players_come_to_the_same_states() {
    let mut stops = 0;
    for (packets, number) in [("turn", 1), ("turn", 2), ("turn", 4), ("turn", 5), ("phases", 3)] {
        let name = format!("three tables {number}");
        let table = table(&[("packets", packets)]);
        let (state, stop) = table.begin();
        let mut sitting = Sitting::new(&*table, state, stop, Default::default());
        let mut chance = Chance::new(&name);
        for step in 0..14 {
            let Stop::Orders { who, flow, .. } = sitting.stop.clone() else { break };
            let packet = random_packet(&*table, &sitting, who, &mut chance);
            let mut reader = Reader::new(table.lexicon());
            let (node, ask) = (Node::from_json(&packet.orders), sitting.stop.ask());
            let orders = table.read_orders(ask, &node, &DocPath::root(), &mut reader).expect("a packet");
            let seed = Seed::of_segment(&name, &step.to_string());
            // Solo, or a game master who reads everything in the clear.
            let mut all = sitting.holdings_of(US);
            all.0.extend(sitting.holdings_of(SPAIN).0);
            // A private game master: sealed as it was signed, with the openings entrusted to him.
            let mut entrusted = all.clone();
            let plan = (flow == Flow::Plan).then_some(step as u32);
            let sealed = table.seal(&sitting.state, orders.clone(), plan, &mut |slot, value| {
                entrusted.0.insert((who, slot), value);
            });
            let open = if plan.is_some() { (&sealed, &entrusted) } else { (&orders, &all) };
            let solo = closed(&*table, &sitting, open.0, &packet.said, open.1, seed);
            let master = closed(&*table, &sitting, &sealed, &packet.said, &entrusted, seed);
            assert_eq!(solo, master, "{name}, packet {step}");
            // Two players: the same dice, whoever has to be asked for facts on the way.
            let span = sitting.span(orders.clone(), packet.said.clone(), NO_QUESTIONS);
            let outcome = sitting.resolve(&span, Dice::Seed(seed)).expect("resolved");
            let dice = |from: usize| {
                let roll = |(label, faces): (String, Vec<u16>)| FixedDie { label: Some(label), faces };
                let rolls = outcome.minutes.rolls.iter().map(|roll| (roll.label.to_string(), roll.faces().to_vec()));
                Dice::Fixed(rolls.skip(from).map(roll).collect())
            };
            let mut span = sitting.span_by_mail(orders, packet.said.clone(), NO_QUESTIONS).expect("begun");
            let mut rolled = 0;
            loop {
                let next = sitting.resolve(&span, dice(rolled)).unwrap_or_else(|failure| panic!("{name}: {failure}"));
                sitting.follow(&mut span, &next).expect("followed");
                rolled += next.minutes.rolls.len();
                match &next.stop {
                    Stop::Facts { who, .. } => {
                        stops += 1;
                        assert!(sitting.state_facts(&mut span, *who).expect("stated"));
                    }
                    _ => {
                        assert_eq!(table.state_json(&next.state).expect("canonical"), solo, "{name}, packet {step}");
                        sitting.end_span(span, next);
                        break;
                    }
                }
            }
        }
    }
    assert!(stops > 0, "nobody was asked for facts");
}
