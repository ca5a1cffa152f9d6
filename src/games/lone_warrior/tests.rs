//! Whole games by chance with every invariant after every packet; lists, plans, states and packets.

use std::collections::BTreeMap;

use super::*;
use crate::engine::dice::Seed;
use crate::engine::doc::read_as;
use crate::engine::{
    Dice, Event as _, Holdings, Outcome, Policy as _, Questions, Said, Segment, Settled, Tickets, Versions, run,
    to_json,
};

fn open(scenario: &str) -> LoneWarrior {
    let charter = Charter { scenario: scenario.to_owned(), ..Charter::default() };
    LoneWarrior::open(&charter).unwrap_or_else(|faults| panic!("{faults:?}"))
}

fn seed(number: u64) -> Seed {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&number.to_be_bytes());
    Seed::new(bytes)
}

/// Resolves a packet with everything open and no questions left to ask.
fn resolve(game: &LoneWarrior, state: &State, orders: &Orders, said: &Said, number: u64) -> Outcome<LoneWarrior> {
    let (public, versions) = (Holdings::default(), Versions::new());
    let segment = Segment {
        dice: Dice::Seed(seed(number)),
        settled: Settled::default(),
        said,
        public: &public,
        holdings: &public,
        versions: &versions,
        tickets: Tickets::NONE,
        closer_holds: LoneWarrior::SIDES,
        questions: Questions::default(),
    };
    run(game, state, orders, segment).unwrap_or_else(|failure| panic!("{failure}"))
}

/// Policies by chance for both sides.
fn policies(game: &LoneWarrior, state: &State, chance: &mut Chance) -> Said {
    let mut said = Said::default();
    for side in LoneWarrior::SIDES {
        for info in Policy::KINDS {
            let policy = game.random_policy(state, *side, info.kind.0, chance);
            said.policies.insert((*side, info.kind.0.to_owned()), policy);
        }
    }
    said
}

/// No game by chance comes near this.
const MOST_PACKETS: u32 = 4000;

/// A game by chance, checked at every packet, to its end.
fn play_by_chance(game: &LoneWarrior, name: &str) {
    let mut chance = Chance::new(name);
    let (mut state, mut stop) = game.begin();
    let mut packets = 0;
    while !matches!(stop, Stop::End) {
        assert!(packets < MOST_PACKETS, "{name}: no end after {packets} packets");
        let holdings = Holdings::default();
        let seen = Seen { state: &state, holdings: &holdings, side: stop.who() };
        let mut orders = game.random_orders(&seen, &stop, &mut chance);
        let faults: Vec<Fault> = game
            .check(&seen, &stop, &mut orders, &DocPath::root())
            .into_iter()
            .filter(|fault| !fault.warning)
            .collect();
        assert!(faults.is_empty(), "{name}: listed and refused: {faults:?}\n{orders:?}");
        let said = policies(game, &state, &mut chance);
        let number = (chance.below(usize::MAX >> 1)) as u64;
        let outcome = resolve(game, &state, &orders, &said, number);
        let flaws = game.flaws(&outcome.state);
        assert!(flaws.is_empty(), "{name}: {flaws:?}");
        assert!(outcome.stop.ends_span(), "{name}: {:?}", outcome.stop);
        (state, stop) = (outcome.state, outcome.stop);
        packets += 1;
    }
    assert!(state.fields.values().all(|field| field.winner.is_some()), "{name}: over, and not decided");
}

#[test]
fn games_by_chance_keep_every_invariant_and_are_decided() {
    for scenario in ["san-juan-heights", "el-caney", "both"] {
        let game = open(scenario);
        for number in 0..4 {
            play_by_chance(&game, &format!("{scenario} {number}"));
        }
    }
}

#[test]
fn a_state_is_read_back_as_it_was_written() {
    let game = open("both");
    let mut chance = Chance::new("state");
    let (mut state, mut stop) = game.begin();
    for number in 0..12 {
        let written = to_json(&state).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(game.read_state(&written), Ok(state.clone()));
        let holdings = Holdings::default();
        let seen = Seen { state: &state, holdings: &holdings, side: stop.who() };
        let orders = game.random_orders(&seen, &stop, &mut chance);
        let outcome = resolve(&game, &state, &orders, &Said::default(), number);
        for noted in &outcome.journal {
            to_json(&noted.event).unwrap_or_else(|error| panic!("{error}: {:?}", noted.event));
        }
        (state, stop) = (outcome.state, outcome.stop);
    }
}

#[test]
fn a_packet_is_read_back_as_it_was_written() {
    for scenario in ["el-caney", "both"] {
        let game = open(scenario);
        let mut chance = Chance::new("packets");
        let (mut state, mut stop) = game.begin();
        for number in 0..8 {
            let holdings = Holdings::default();
            let seen = Seen { state: &state, holdings: &holdings, side: stop.who() };
            let orders = game.random_orders(&seen, &stop, &mut chance);
            let written = to_json(&orders).unwrap_or_else(|error| panic!("{error}"));
            let mut reader = Reader::new(game.lexicon());
            let read = game.read_orders(stop.ask(), &Node::from_json(&written), &DocPath::root(), &mut reader);
            assert_eq!(read, Some(orders.clone()), "{:?}", reader.faults);
            let outcome = resolve(&game, &state, &orders, &Said::default(), number);
            (state, stop) = (outcome.state, outcome.stop);
        }
    }
}

#[test]
fn what_the_template_lists_is_legal() {
    let game = open("san-juan-heights");
    let (mut state, mut stop) = game.begin();
    for number in 0..4 {
        let holdings = Holdings::default();
        let seen = Seen { state: &state, holdings: &holdings, side: stop.who() };
        // The template itself, and the template with every comment taken away one by one.
        let text = game.template(&seen, &stop);
        let empty = format!("orders:\n{text}\n");
        let (node, _) = crate::engine::doc::read_document("orders.yaml", empty.as_bytes())
            .unwrap_or_else(|bad| panic!("{:?}", bad.faults));
        let mut reader = Reader::new(game.lexicon());
        let node = node.get("orders").expect("the packet");
        assert!(game.read_orders(stop.ask(), node, &DocPath::root(), &mut reader).is_some(), "{:?}", reader.faults);
        for line in text.lines().filter_map(|line| line.trim_start().strip_prefix("# - ")) {
            let packet = format!("activations:\n  - {line}\n");
            let (node, _) = crate::engine::doc::read_document("orders.yaml", packet.as_bytes()).expect("one entry");
            let (orders, _) =
                read_as::<FieldOrders>(&node, game.lexicon()).unwrap_or_else(|faults| panic!("{faults:?}"));
            let faults = game.check(&seen, &stop, &mut Orders::One(orders), &DocPath::root());
            assert!(faults.is_empty(), "{line}: {faults:?}");
        }
        let orders = veteran::orders(&game, &seen, &stop);
        let outcome = resolve(&game, &state, &orders, &Said::default(), number);
        (state, stop) = (outcome.state, outcome.stop);
    }
}

#[test]
fn the_built_in_data_hold_every_fact_of_the_rulebook() {
    let findings = LoneWarrior::check_data(&BTreeMap::new());
    assert!(findings.len() > 20);
    for finding in findings {
        assert!(finding.holds, "{}: {}", finding.place, finding.what);
    }
    let files = BTreeMap::from([(
        "battlefields.yaml".to_owned(),
        include_str!("data/battlefields.yaml").replace("us: 9, areas: 3", "us: 8, areas: 3"),
    )]);
    let broken: Vec<_> = LoneWarrior::check_data(&files).into_iter().filter(|finding| !finding.holds).collect();
    assert_eq!(broken.len(), 1);
    assert_eq!(broken[0].clause.map(|clause| clause.0), Some("3b"));
    let files = BTreeMap::from([("units.yaml".to_owned(), "game: lone-warrior\nkinds: [".to_owned())]);
    assert!(LoneWarrior::check_data(&files).iter().all(|finding| !finding.holds));
}

/// File, place and clause of everything wrong with a folder in which one text of a file is replaced.
fn wrong(file: &str, from: &str, to: &str) -> Vec<(String, String, Option<&'static str>)> {
    let text = super::data::FILES.iter().find(|ours| ours.name == file).unwrap().text;
    assert!(text.contains(from), "`{from}` is not in {file}");
    let files = BTreeMap::from([(file.to_owned(), text.replacen(from, to, 1))]);
    let broken = LoneWarrior::check_data(&files).into_iter().filter(|finding| !finding.holds);
    broken.map(|finding| (finding.file, finding.place, finding.clause.map(|clause| clause.0))).collect()
}

#[test]
fn a_players_own_files_are_faulted_by_line_and_column() {
    let fields = |place: &str, clause| vec![("battlefields.yaml".to_owned(), place.to_owned(), clause)];
    // Of form, of sense, of fact.
    assert_eq!(wrong("battlefields.yaml", "us: 9, areas: 3", "us: nine, areas: 3"), fields("60:29", None));
    assert_eq!(wrong("battlefields.yaml", "sj-tal-2, box: \"0602\"", "sj-tal-2, box: \"0502\""), fields("86:9", None));
    assert_eq!(wrong("battlefields.yaml", "us: 9, areas: 3", "us: 8, areas: 3"), fields("60:5", Some("3b")));
    // Every one of them, not the first.
    assert_eq!(wrong("battlefields.yaml", "spain: 6, us: 9, areas: 3", "spain: x, us: y, areas: 3").len(), 2);
    assert_eq!(open("el-caney").rules_data().check(), Ok(()));
    let data = BTreeMap::from([("unit.yaml".to_owned(), String::new())]);
    let faults = LoneWarrior::open(&Charter { data, ..Charter::default() }).unwrap_err();
    assert_eq!(faults.len(), 1);
    assert_eq!(faults[0].what, "unit.yaml: lone-warrior has no data file `unit.yaml`");
}

#[test]
fn every_event_cites_clauses_of_the_rules() {
    let rules = include_str!("rules.yaml");
    let game = open("both");
    let mut chance = Chance::new("clauses");
    let (mut state, mut stop) = game.begin();
    for number in 0..60 {
        if matches!(stop, Stop::End) {
            break;
        }
        let holdings = Holdings::default();
        let seen = Seen { state: &state, holdings: &holdings, side: stop.who() };
        let orders = game.random_orders(&seen, &stop, &mut chance);
        let outcome = resolve(&game, &state, &orders, &Said::default(), number);
        for noted in &outcome.journal {
            for clause in noted.event.clauses() {
                assert!(rules.contains(&format!("  - id: \"{}\"\n", clause.0)), "{} of {:?}", clause.0, noted.event);
            }
            let mut diary = Diary::new();
            game.tell(&noted.event, &mut diary);
            assert!(!diary.entries().is_empty(), "{:?}", noted.event);
        }
        (state, stop) = (outcome.state, outcome.stop);
    }
}

/// Everything a player could write for a unit, sensible or not.
fn everything(now: &Position<'_>, power: Power, unit: terms::UnitId) -> Vec<orders::Activation> {
    use orders::{Activation, Direction, Face, Way};
    let blank = Activation::of(unit);
    let mut all = vec![Activation { rally: true, ..blank.clone() }];
    for face in Face::ALL {
        all.push(Activation { turn: Some(*face), ..blank.clone() });
    }
    for target in now.units_of(power.enemy()).map(|enemy| Some(enemy.id)) {
        all.push(Activation { shoot: target, ..blank.clone() });
        for direction in Direction::ALL {
            let r#move = Some(Way::Step(*direction));
            all.push(Activation { shoot: target, r#move, ..blank.clone() });
            all.push(Activation { shoot: target, r#move, face: Some(Face::Rear), ..blank.clone() });
        }
    }
    for way in Direction::ALL.iter().map(|direction| Some(Way::Step(*direction))) {
        all.push(Activation { charge: way, ..blank.clone() });
        all.push(Activation { r#move: way, ..blank.clone() });
        all.push(Activation { r#move: way, face: Some(Face::Rear), ..blank.clone() });
        all.push(Activation { exchange: way, ..blank.clone() });
    }
    all
}

#[test]
fn what_is_legal_is_listed() {
    let game = open("both");
    let mut chance = Chance::new("listed");
    let (mut state, mut stop) = game.begin();
    for number in 0..24 {
        let (Some(power), "turn" | "continue") = (stop.who().and_then(Power::of), stop.ask()) else {
            let orders = game.no_orders(&state, &stop);
            let outcome = resolve(&game, &state, &orders, &Said::default(), number);
            (state, stop) = (outcome.state, outcome.stop);
            continue;
        };
        for now in game.positions(&state) {
            for unit in now.eligible(power) {
                let deeds: Vec<_> = now.choices(power, unit).into_iter().map(|(_, plan)| plan.deed).collect();
                for entry in everything(&now, power, unit) {
                    if let Ok(plan) = now.plan(power, &entry) {
                        assert!(deeds.contains(&plan.deed), "{entry:?} is legal and not listed");
                    }
                }
            }
        }
        let holdings = Holdings::default();
        let seen = Seen { state: &state, holdings: &holdings, side: stop.who() };
        let orders = game.random_orders(&seen, &stop, &mut chance);
        let outcome = resolve(&game, &state, &orders, &Said::default(), number);
        (state, stop) = (outcome.state, outcome.stop);
        if matches!(stop, Stop::End) {
            break;
        }
    }
}

/// A list of activations, sealed entry by entry: only what is carried out is opened.
#[test]
fn a_plan_opens_only_what_was_carried_out() {
    use crate::engine::{Concealed, FixedDie, Slot};
    let charter = Charter {
        scenario: "el-caney".to_owned(),
        options: BTreeMap::from([("flow".to_owned(), "plan".to_owned())]),
        ..Charter::default()
    };
    let game = LoneWarrior::open(&charter).unwrap_or_else(|faults| panic!("{faults:?}"));
    let (state, stop) = game.begin();
    assert!(matches!(stop, Stop::Orders { flow: Flow::Direct, .. }), "set-up is open");
    let set_up = |state: &State| resolve(&game, state, &game.no_orders(state, &stop), &Said::default(), 1);
    let state = set_up(&set_up(&state).state).state;
    let stop = game.due(&state);
    assert!(matches!(stop, Stop::Orders { who: SPAIN, flow: Flow::Plan, .. }));
    let slot = |number: u32| Slot::parse(&format!("plan/8/{number}")).expect("a slot");
    let mut holdings = Holdings::default();
    let mut orders = FieldOrders::default();
    for (number, unit) in [(1, "ec-con-1"), (2, "ec-con-2"), (3, "ec-con-3")] {
        let entry = Json::object([("unit", Json::Str(unit.to_owned())), ("turn", Json::Str("left".to_owned()))]);
        holdings.0.insert((SPAIN, slot(number)), entry);
        orders.activations.push(Concealed::Sealed(slot(number)));
    }
    let said = Said::default();
    let (public, versions) = (Holdings::default(), Versions::new());
    let dice = [9, 1].map(|face| FixedDie { label: None, faces: vec![face] });
    let segment = Segment {
        dice: Dice::Fixed(dice.into()),
        settled: Settled::default(),
        said: &said,
        public: &public,
        holdings: &holdings,
        versions: &versions,
        tickets: Tickets::NONE,
        closer_holds: &[SPAIN],
        questions: Questions::default(),
    };
    let outcome = run(&game, &state, &Orders::One(orders), segment).unwrap_or_else(|failure| panic!("{failure}"));
    let opened: Vec<&Slot> = outcome.minutes.reveals.iter().map(|opening| &opening.slot).collect();
    assert_eq!(opened, [&slot(1), &slot(2)], "the second activation fails and the third is never seen");
    assert_eq!(outcome.dice_left, 0);
    assert_eq!(outcome.state.stage, Stage::UsTurn);
}

#[test]
fn a_template_has_one_line_for_all_targets_of_a_shot() {
    let start = "{scenario: blank, units: {sj-tal-1: 0404, sj-tal-2: 0504, sj-6: 0405}}";
    let (node, _) = crate::engine::doc::read_document("start.yaml", start.as_bytes()).expect("well formed");
    let mut faults = Vec::new();
    let laid = LoneWarrior::arrange(&node, &DocPath::root(), &mut faults).unwrap_or_else(|| panic!("{faults:?}"));
    let text = template::write(&laid.game, &laid.state, &laid.stop);
    let shots: Vec<&str> = text.lines().filter(|line| line.contains("{unit: sj-6, shoot: ")).collect();
    assert_eq!(shots.len(), 1, "{text}");
    assert!(shots[0].contains("shoot: sj-tal-1}") && shots[0].ends_with("; or at sj-tal-2"), "{text}");
}

/// A battle that is hoped to be decided may go on: nobody who has been activated is listed again for that (§A3).
#[test]
fn who_has_been_activated_is_not_listed_again_where_a_victory_is_hoped_for() {
    let start = "{scenario: blank, lost: {spain: 9}, captured: [kettle-hill, blockhouse], \
                 units: {sj-tal-1: 0504, sj-6: 0903, sj-16: 1008, sj-24: 1009}}";
    let (node, _) = crate::engine::doc::read_document("start.yaml", start.as_bytes()).expect("well formed");
    let mut faults = Vec::new();
    let laid = LoneWarrior::arrange(&node, &DocPath::root(), &mut faults).unwrap_or_else(|| panic!("{faults:?}"));
    let holdings = Holdings::default();
    let seen = Seen { state: &laid.state, holdings: &holdings, side: laid.stop.who() };
    laid.game.field_by_field(&seen, Power::Us, |play| {
        let named = |play: &Play<'_, '_>, id: &str| {
            play.now().units_of(Power::Us).map(|unit| unit.id).find(|unit| unit.to_string() == id).expect("a unit")
        };
        let mut think = |id: &str, fits: fn(&orders::Activation) -> bool| {
            let unit = named(play, id);
            let all = play.now().choices(Power::Us, unit);
            let (entry, plan) = all.into_iter().find(|(entry, _)| fits(entry)).expect("listed");
            play.reckon_with(&entry, &plan);
        };
        think("sj-24", |entry| entry.exchange.is_some());
        think("sj-6", |entry| entry.r#move == Some(orders::Way::Step(orders::Direction::Ahead)));
        assert!(play.now().state.winner.is_some(), "the third area decides the battle");
        for id in ["sj-6", "sj-16", "sj-24"] {
            assert!(play.now().choices(Power::Us, named(play, id)).is_empty(), "{id} has been activated");
        }
        FieldOrders::default()
    });
}
