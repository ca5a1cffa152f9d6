use std::collections::BTreeMap;

use super::*;
use crate::engine::bridge::{BRIDGE, RED};
use crate::engine::dice::Seed;
use crate::engine::doc::{Source, read_document};
use crate::engine::{AnyState, Charter, Dice, Holdings, Ruleset, Said, Segment, Settled, Tickets, Versions};

const ID: &str = "400d107f8c9d3a0efb33e402904399fd29910123b1064708c340451dd555a0d5";

/// A match at the attacker's first packet, with one man in full view on the bridge.
struct Table {
    game: Box<dyn Match>,
    state: AnyState,
    stop: Stop,
    holdings: Holdings,
    standing: BTreeMap<String, Json>,
    questions: Questions,
    shut: Shut,
}

impl Table {
    fn new() -> Table {
        let game = BRIDGE.open(&Charter::default()).unwrap();
        let position = br#"{"blue":0,"guard":{"up":1},"red":0,"turn":1}"#;
        let state = game.read_state(&Json::parse_canonical(position).unwrap()).unwrap();
        let stop = game.packet_due(&state);
        let questions = Questions { ask: true, max_asks: None };
        Table {
            game,
            state,
            stop,
            holdings: Holdings::default(),
            standing: BTreeMap::new(),
            questions,
            shut: Shut::default(),
        }
    }

    fn due(&self) -> Due<'_> {
        Due {
            table: self.game.as_ref(),
            game_id: Some(ID),
            view: View { state: &self.state, holdings: &self.holdings, side: Some(RED) },
            stop: &self.stop,
            questions: self.questions,
            standing: &self.standing,
            shut: self.shut,
            try_out: None,
        }
    }

    fn faults(&self, file: &Node) -> Vec<String> {
        let checked = Submission::check(file, &self.due());
        assert_eq!(checked.submission.is_some(), checked.faults.iter().all(|fault| fault.warning));
        checked.faults.iter().map(|fault| format!("{}: {} -> {}", fault.at, fault.what, fault.remedy)).collect()
    }
}

fn map(entries: &[(&str, Node)]) -> Node {
    Node::Map(entries.iter().map(|(key, node)| ((*key).to_owned(), node.clone())).collect())
}

fn header() -> Vec<(&'static str, Node)> {
    let text = Node::text;
    vec![("game", text("bridge")), ("side", text("red")), ("turn", text("1")), ("packet", text("turn"))]
}

fn with(entries: &[(&'static str, Node)]) -> Node {
    let mut all = header();
    for (key, node) in entries {
        match all.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = node.clone(),
            None => all.push((key, node.clone())),
        }
    }
    map(&all)
}

fn attacks(number: &str) -> Node {
    map(&[("attacks", Node::text(number))])
}

#[test]
fn a_good_file_has_no_faults_and_is_written_out_in_full() {
    let table = Table::new();
    let file = with(&[
        ("match", Node::text("400d107f")),
        ("orders", attacks("2")),
        ("standing", map(&[("watch", Node::text("picket"))])),
        ("policies", map(&[("cheer", Node::text("default"))])),
        ("note", Node::text("your\n move ")),
        ("private-note", Node::text("he will fall for it")),
    ]);
    let checked = Submission::check(&file, &table.due());
    assert_eq!(checked.faults, []);
    let submission = checked.submission.unwrap();
    let orders = table.game.orders_json(&submission.orders.unwrap()).unwrap();
    assert_eq!(orders.to_string(), r#"{"attacks":2,"by":"bridge"}"#);
    assert_eq!(submission.standing["watch"], Json::Str("picket".into()));
    assert_eq!(submission.note.as_deref(), Some("your move"));
}

#[test]
fn every_line_of_the_header_says_what_would_be_right() {
    let table = Table::new();
    let wrong = with(&[
        ("game", Node::text("chess")),
        ("match", Node::text("00000000")),
        ("side", Node::text("blue")),
        ("turn", Node::text("7")),
        ("packet", Node::text("setup")),
        ("orders", attacks("2")),
    ]);
    let faults = table.faults(&wrong);
    let has = |part: &str| assert!(faults.iter().any(|fault| fault.contains(part)), "{part} in {faults:#?}");
    has("game: these orders are for `chess`; the game here is `bridge` -> write `game: bridge`");
    has("match: these orders belong to match 00000000; this is match 400d107f");
    has("side: `turn` is due from red, not from blue");
    has("turn: these orders are for turn 7; turn 1 is being played");
    has("packet: these are `setup` orders; `turn` is due");
    assert_eq!(faults.len(), 5);

    let missing = table.faults(&map(&[("orders", attacks("2"))]));
    assert_eq!(missing.len(), 4, "{missing:#?}");
    assert!(missing.iter().any(|fault| fault.contains("add a line `side: red`")));
    let misspelt = table.faults(&with(&[("side", Node::text("rde")), ("orders", attacks("1"))]));
    assert!(misspelt.iter().any(|fault| fault.contains("did you mean `red`?")), "{misspelt:?}");
}

#[test]
fn faults_of_form_of_the_rules_and_of_the_policies_come_together() {
    let table = Table::new();
    let file = with(&[
        ("orders", attacks("9")),
        ("ordrs", attacks("1")),
        ("policies", map(&[("watch", Node::text("sleep")), ("chear", Node::text("default"))])),
        ("standing", map(&[("watch", Node::text("mud"))])),
    ]);
    let faults = table.faults(&file);
    let has = |part: &str| assert!(faults.iter().any(|fault| fault.contains(part)), "{part} in {faults:#?}");
    has("orders.attacks: 9 attacks in one turn");
    has("ordrs: unknown key `ordrs`");
    has("policies.watch: `watch` is asked while the opponent's orders are carried out -> put it under `standing`");
    has("policies.chear: there is no question `chear` -> did you mean `cheer`?");
    has("standing.watch: `mud` will not do here");
    has("write `picket` or `sleep`");
    assert_eq!(faults.len(), 5);
}

#[test]
fn a_misspelt_line_does_not_hide_a_breach_of_the_rules() {
    let table = Table::new();
    let orders = map(&[("attacks", Node::text("9")), ("bye", Node::text("ford"))]);
    let faults = table.faults(&with(&[("orders", orders)]));
    assert_eq!(faults.len(), 2, "{faults:#?}");
    assert!(faults[0].starts_with("orders.bye: unknown key"), "{faults:#?}");
    assert!(faults[1].starts_with("orders.attacks: 9 attacks"), "{faults:#?}");
}

#[test]
fn nobody_may_ask_to_be_asked_where_the_match_never_asks() {
    let mut table = Table::new();
    let file = with(&[("orders", attacks("1")), ("standing", map(&[("watch", Node::text("ask"))]))]);
    assert!(table.faults(&file).is_empty());
    table.questions.ask = false;
    let faults = table.faults(&file);
    assert!(faults[0].starts_with("standing.watch: this match is played with `questions: default`"), "{faults:?}");
}

#[test]
fn a_file_without_orders_is_a_pass_and_says_so() {
    let table = Table::new();
    let file = with(&[]);
    let checked = Submission::check(&file, &table.due());
    assert!(checked.faults.iter().any(|fault| fault.warning && fault.what.contains("nothing will be done")));
}

/// Red's first turn, stopped at blue's first question.
fn stopped(table: &mut Table) -> (AnyState, AnyOrders, Settled) {
    let base = table.state.clone();
    let file = with(&[("orders", attacks("1"))]);
    let orders = Submission::check(&file, &table.due()).submission.unwrap().orders.unwrap();
    let (said, public, versions) = (Said::default(), Holdings::default(), Versions::new());
    let segment = Segment {
        dice: Dice::Seed(Seed::new([7; 32])),
        settled: Settled::default(),
        said: &said,
        public: &public,
        holdings: &public,
        versions: &versions,
        tickets: Tickets::NONE,
        closer_holds: table.game.ruleset().sides(),
        questions: table.questions,
    };
    let outcome = table.game.resolve(&base, &orders, segment).unwrap();
    assert!(matches!(outcome.stop, Stop::Answers { .. }), "{:?}", outcome.stop);
    table.stop = outcome.stop;
    table.state = outcome.state;
    (base, orders, outcome.settled)
}

fn answered(table: &Table, span: (&AnyState, &AnyOrders, &Settled), file: &Node) -> Checked {
    let (public, versions) = (Holdings::default(), Versions::new());
    let try_out = |answers: &BTreeMap<Key, Json>| {
        let said = Said { answers: answers.clone(), ..Said::default() };
        let segment = Segment {
            dice: Dice::None,
            settled: span.2.clone(),
            said: &said,
            public: &public,
            holdings: &public,
            versions: &versions,
            tickets: Tickets::NONE,
            closer_holds: table.game.ruleset().sides(),
            questions: table.questions,
        };
        table.game.resolve(span.0, span.1, segment)
    };
    let due = Due { try_out: Some(&try_out), ..table.due() };
    Submission::check(file, &due)
}

#[test]
fn answers_are_tried_out_before_they_are_signed() {
    let mut table = Table::new();
    let (base, orders, settled) = stopped(&mut table);
    let Stop::Answers { questions, .. } = table.stop.clone() else { unreachable!() };
    let key = questions[0].key.to_string();
    let answer = |key: &str, choice: &str| {
        let one = map(&[("key", Node::text(key)), ("choice", Node::text(choice))]);
        with(&[("side", Node::text("blue")), ("packet", Node::text("answers")), ("answers", Node::List(vec![one]))])
    };
    let good = answered(&table, (&base, &orders, &settled), &answer(&key, "FALL-BACK"));
    assert_eq!(good.faults, []);
    assert_eq!(good.submission.unwrap().answers[&questions[0].key], Json::Str("fall-back".into()));

    let by_kind = answered(&table, (&base, &orders, &settled), &answer("reply", "hold"));
    assert_eq!(by_kind.faults, []);

    let bad = answered(&table, (&base, &orders, &settled), &answer(&key, "mud"));
    assert_eq!(bad.faults.len(), 1);
    assert_eq!(bad.faults[0].at.to_string(), "answers[0].choice");
    assert!(bad.faults[0].remedy.contains("hold or fall-back"), "{:?}", bad.faults);

    let strange = answered(&table, (&base, &orders, &settled), &answer("t9.red.attack/x/reply/1", "hold"));
    let texts: Vec<&str> = strange.faults.iter().map(|fault| fault.what.as_str()).collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts[0].starts_with("nobody asked") && texts[1].contains("is not answered"), "{texts:?}");

    let late = with(&[("side", Node::text("blue")), ("packet", Node::text("answers")), ("orders", attacks("1"))]);
    let late = answered(&table, (&base, &orders, &settled), &late);
    assert!(late.faults.iter().any(|fault| fault.what.contains("only answers are due")), "{:?}", late.faults);
}

#[test]
fn the_template_is_a_good_file_as_it_stands() {
    let mut table = Table::new();
    table.standing.insert("watch".into(), Json::Str("picket".into()));
    let text = template(&table.due(), "../schemas/bridge-turn.json");
    assert!(text.starts_with("# yaml-language-server: $schema=../schemas/bridge-turn.json\n"), "{text}");
    assert!(text.contains("\norders:\n  # at most 2\n  attacks: 1\n"), "{text}");
    assert!(text.contains("\n  watch: picket\n"), "{text}");
    assert!(text.contains("\n  cheer: default\n"), "{text}");
    let (file, _) = crate::engine::doc::read_document("template.yaml", text.as_bytes()).unwrap();
    assert_eq!(Submission::check(&file, &table.due()).faults, []);

    stopped(&mut table);
    let text = template(&table.due(), "x");
    assert!(text.contains("    choice: default\n") && !text.contains("orders:"), "{text}");
    let (file, _) = crate::engine::doc::read_document("template.yaml", text.as_bytes()).unwrap();
    assert_eq!(Submission::check(&file, &table.due()).faults, []);
}

#[test]
fn a_policy_and_a_standing_order_each_serve_where_the_other_is_silent() {
    let mut table = Table::new();
    let loudly = Json::from("loudly");
    let check = |table: &Table, entries: &[(&'static str, Node)]| {
        let entries: Vec<_> = [("orders", attacks("1"))].into_iter().chain(entries.iter().cloned()).collect();
        let checked = Submission::check(&with(&entries), &table.due());
        assert_eq!(checked.faults, []);
        let force = checked.outlook.expect("an outlook").policies;
        let whence = move |own: bool| {
            let cheer = force.iter().find(|policy| policy.kind.0 == "cheer" && policy.own == own);
            cheer.map(|policy| (policy.said.clone(), policy.whence())).expect("a policy in force")
        };
        (checked.submission.expect("a good file"), whence)
    };
    let cheer = |with: &str| map(&[("cheer", Node::text(with))]);

    let (said, whence) = check(&table, &[("standing", cheer("loudly"))]);
    assert_eq!((said.policies.get("cheer"), whence(true).1), (Some(&loudly), "your standing order"));
    assert_eq!(whence(false).1, "this file");
    let (said, whence) = check(&table, &[("policies", cheer("loudly"))]);
    assert_eq!((said.standing.get("cheer"), whence(false).1), (Some(&loudly), "this file's policy"));
    let (said, _) = check(&table, &[("policies", cheer("loudly")), ("standing", cheer("softly"))]);
    assert_eq!((&said.policies["cheer"], &said.standing["cheer"]), (&loudly, &Json::from("softly")));
    let (said, _) = check(&table, &[("policies", cheer("ask"))]);
    assert_eq!(said.standing.get("cheer"), None, "to be asked in the own turn is no word for the other's");

    table.standing.insert("cheer".into(), loudly.clone());
    let (said, whence) = check(&table, &[]);
    assert_eq!((said.policies.get("cheer"), whence(true).1), (Some(&loudly), "your standing order"));
    assert_eq!((said.standing.get("cheer"), whence(false).1), (None, "an earlier file"));
    let (said, _) = check(&table, &[("policies", cheer("softly"))]);
    assert_eq!(said.standing.get("cheer"), None, "what stands is not replaced by a policy");

    // All standing orders begin with `default`: nobody need have said it.
    table.standing.insert("cheer".into(), Json::from("default"));
    let (said, whence) = check(&table, &[]);
    assert_eq!(said.policies.get("cheer"), None);
    assert_eq!(whence(true), (Json::from("ask"), "the default"));
    assert_eq!(whence(false), (Json::from("default"), "the default"));
}

#[test]
fn an_answers_file_may_lay_more_down_unless_it_is_too_late_for_that() {
    let mut table = Table::new();
    let (base, orders, settled) = stopped(&mut table);
    let text = template(&table.due(), "x");
    assert!(text.contains("# standing:\n#   reply: hold  |  fall-back  |  cautious\n"), "{text}");
    assert!(!text.contains("policies"), "blue is asked nothing in his own turn: {text}");
    let Stop::Answers { questions, .. } = table.stop.clone() else { unreachable!() };
    let one = map(&[("key", Node::text(questions[0].key.as_str())), ("choice", Node::text("hold"))]);
    let file = with(&[
        ("side", Node::text("blue")),
        ("packet", Node::text("answers")),
        ("answers", Node::List(vec![one])),
        ("standing", map(&[("reply", Node::text("fall-back"))])),
    ]);
    let good = answered(&table, (&base, &orders, &settled), &file);
    assert_eq!(good.faults, []);
    assert_eq!(good.submission.expect("a good file").standing["reply"], Json::from("fall-back"));

    table.shut.standing = Some("standing orders are sealed with your next packet");
    let late = answered(&table, (&base, &orders, &settled), &file);
    assert_eq!(late.faults.len(), 1, "{:?}", late.faults);
    assert!(
        late.faults[0].what.contains("sealed") && late.faults[0].remedy.contains("`standing`"),
        "{:?}",
        late.faults
    );
    assert!(!template(&table.due(), "x").contains("# standing:"));
}

#[test]
fn two_commanders_join_their_files_and_nothing_is_ordered_twice() {
    let file = |name: &str, text: &str| crate::engine::doc::read_document(name, text.as_bytes()).unwrap();
    let first = file("a.yaml", "side: us\norders:\n  moves: [a, b]\n  base: 0816\n  place: {x: 1}\n");
    let second = file("b.yaml", "side: us\norders:\n  moves:\n  - c\n  base: 0817\n  place: {y: 2}\n  new: 1\n");
    let (joined, faults) = join(vec![first, second]);
    let orders = joined.node.get("orders").unwrap();
    assert_eq!(orders.get("moves").and_then(Node::as_list).map(<[Node]>::len), Some(3));
    assert_eq!(orders.get("place").and_then(Node::as_map).map(<[_]>::len), Some(2));
    assert_eq!(faults.len(), 1);
    assert!(faults[0].what.contains("`orders.base` is ordered twice"), "{faults:?}");

    let root = DocPath::root().key("orders");
    assert_eq!(joined.locate(&root.key("moves").index(2)), (1, root.key("moves").index(0)));
    assert_eq!(joined.locate(&root.key("moves").index(1).key("to")), (0, root.key("moves").index(1).key("to")));
    assert_eq!(joined.locate(&root.key("place").key("y")).0, 1);
    assert_eq!(joined.locate(&root.name("new")), (1, root.name("new")));
    let sorted = joined.sort(faults);
    assert!(sorted[0].1.is_empty());
    let (source, list) = &sorted[1];
    assert_eq!(Source::place(source, &list[0].at).line, 5);
}

#[test]
fn the_schema_of_an_order_file_knows_the_orders_and_the_questions() {
    let (_, orders) = BRIDGE.schemas().into_iter().find(|(name, _)| name == "orders-turn").unwrap();
    let schema = order_file_schema(&BRIDGE, "turn", orders);
    let at = |pointer: &str| schema.pointer(pointer).unwrap_or_else(|| panic!("{pointer} in {schema:#}"));
    assert_eq!(at("/properties/game/const"), "bridge");
    assert_eq!(at("/properties/orders/required/0"), "attacks");
    assert_eq!(at("/properties/standing/properties/watch/default"), "default");
    assert!(schema.pointer("/properties/policies/properties/watch").is_none());
    assert!(schema.pointer("/properties/orders/$defs").is_none());
}

#[test]
fn a_note_is_as_long_as_a_record_may_carry_and_plain() {
    let table = Table::new();
    let noted = |text: &str| {
        let file = with(&[("orders", attacks("2")), ("note", Node::text(text)), ("private-note", Node::text("x"))]);
        Submission::check(&file, &table.due())
    };
    let fits = noted(&"é".repeat(NOTE_LENGTH));
    assert_eq!(fits.submission.and_then(|said| said.note).map(|note| note.chars().count()), Some(NOTE_LENGTH));
    let long = noted(&"é".repeat(NOTE_LENGTH + 1));
    assert_eq!(long.faults.len(), 1, "{:?}", long.faults);
    assert!(long.faults[0].what.contains("2001 characters"), "{:?}", long.faults);
    assert!(noted("bell \u{7}").submission.is_none());
}

#[test]
fn two_commanders_may_both_write() {
    let read = |name: &str, text: &str| read_document(name, text.as_bytes()).unwrap();
    let (joined, faults) = join(vec![read("a.yaml", "note: one\n"), read("b.yaml", "note: two\nprivate-note: x\n")]);
    assert_eq!(faults, []);
    assert_eq!(joined.node.get("note").and_then(Node::as_text), Some("one two"));
}
