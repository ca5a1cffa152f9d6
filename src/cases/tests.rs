//! Cases about the bridge: what passes, and above all what must not.

use super::*;
use crate::engine::bridge::BRIDGE;
use crate::engine::rules::RuleBook;
use crate::engine::{About, Ruleset};

fn file(cases: &str) -> CaseFile {
    let text = format!("game: bridge\ntopic: the bridge\ncases:\n{cases}");
    read_file("bridge.yaml", text.as_bytes()).unwrap_or_else(|bad| panic!("{:#?}", bad.faults)).0
}

/// A case with the usual head; `rest` is indented by four blanks.
fn verdict(rest: &str) -> CaseVerdict {
    let file = file(&format!("  - name: a case\n    clauses: [3a]\n    why: the toy says so\n{rest}"));
    run_case(&BRIDGE, file.cases.first().expect("a case"))
}

#[track_caller]
fn passes(rest: &str) {
    match verdict(rest) {
        CaseVerdict::Passed => {}
        CaseVerdict::Failed(trouble) => panic!("{trouble:#?}"),
    }
}

#[track_caller]
fn fails(rest: &str, part: &str, found: &str) -> CaseFailure {
    match verdict(rest) {
        CaseVerdict::Passed => panic!("it passed"),
        CaseVerdict::Failed(trouble) => {
            let first = trouble.differences.first().expect("a difference");
            assert_eq!(first.part, part, "{trouble:#?}");
            assert!(first.found.contains(found), "{trouble:#?}");
            *trouble
        }
    }
}

const ASSAULT: &str = "    start: {turn: 2, guard: 2}\n    orders: {attacks: 1}\n";

#[test]
fn events_state_stop_and_dice_as_expected() {
    passes(&format!(
        "{ASSAULT}    dice: [5]
    expect:
      events: [scouted, {{replied: {{reply: hold}}}}, {{assault: {{die: 5, strength: 2, won: yes}}}}]
      never: [pressed, {{assault: {{won: no}}}}]
      state: {{turn: 3, red: 1, guard: {{up: 2, down: absent}}}}
      next: {{who: red, ask: turn}}
"
    ));
}

#[test]
fn an_event_that_differs_is_told_with_the_place_where_it_does() {
    let trouble = fails(
        &format!("{ASSAULT}    dice: [5]\n    expect:\n      events: [scouted, {{assault: {{die: 4}}}}]\n"),
        "events[1]",
        "event 4 has 5 where assault.die is 4",
    );
    assert_eq!(trouble.at.to_string(), "expect.events[1]");
    assert_eq!(trouble.journal.len(), 4, "scouted, the alarm only Blue hears, replied, assault");
    assert_eq!(trouble.rolls, [Roll { label: "t2.red.attack/bridge/assault/1".into(), faces: vec![5] }]);
}

#[test]
fn events_in_the_wrong_order_do_not_pass() {
    fails(
        &format!("{ASSAULT}    dice: [5]\n    expect:\n      events: [assault, scouted]\n"),
        "events[1]",
        "only before the events above: event 1",
    );
}

#[test]
fn events_in_any_order_pass_where_the_case_sets_none() {
    let case = |events: &str| {
        format!("{ASSAULT}    policies: {{press: yes}}\n    dice: [5, 1, 2]\n    expect:\n      events: {events}\n")
    };
    // The journal is scouted, alarm, replied, assault, pressed left (1), pressed right (2).
    passes(&case("[scouted, {any-order: [{pressed: {flank: right}}, {pressed: {flank: left}}, assault]}]"));
    passes(&case("[{any-order: [replied, scouted]}, {any-order: [pressed, assault]}, {pressed: {flank: right}}]"));
    // The wider part must not take the one event the narrower part can have.
    passes(&case("[{any-order: [pressed, {pressed: {flank: left}}]}]"));
    let trouble =
        fails(&case("[scouted, {any-order: [assault, {pressed: {die: 6}}]}]"), "events[1].any-order[1]", "has 1 where");
    assert_eq!(trouble.at.to_string(), "expect.events[1].any-order[1]");
    fails(&case("[{any-order: [assault, assault]}]"), "events[0].any-order[1]", "only before or among");
    fails(&case("[{any-order: [assault, scouted]}, replied]"), "events[1]", "only before the events above: event 3");
    fails(&case("[replied, {any-order: [scouted, assault]}]"), "events[1].any-order[0]", "only before");
}

#[test]
fn an_event_that_must_not_happen_fails_the_case() {
    fails(
        &format!("{ASSAULT}    dice: [5]\n    expect:\n      events: [scouted]\n      never: [assault]\n"),
        "never[0]",
        "event 4",
    );
}

#[test]
fn dice_left_over_fail_the_case() {
    fails(&format!("{ASSAULT}    dice: [5, 3]\n    expect: {{events: [assault]}}\n"), "dice", "1 left over: 3");
}

#[test]
fn a_missing_die_fails_the_case_and_is_named_with_all_that_happened_before() {
    let trouble = fails(
        "    start: {guard: 1}\n    orders: {attacks: 2}\n    dice: [5]\n    expect: {events: [assault]}\n",
        "dice",
        "no die is left",
    );
    assert_eq!(trouble.differences[0].expected, "a die for t1.red.attack/bridge/assault/2");
    assert_eq!(trouble.journal.len(), 7, "everything up to the second assault: {trouble:#?}");
    assert_eq!(trouble.rolls.len(), 1);
}

#[test]
fn a_die_may_name_its_label_which_is_then_checked() {
    let labelled = |label: &str| {
        format!("{ASSAULT}    dice: [{{label: {label}, faces: [5]}}]\n    expect: {{events: [assault]}}\n")
    };
    passes(&labelled("t2.red.attack/bridge/assault/1"));
    let trouble = fails(&labelled("t2.red.attack/bridge/assault/2"), "dice", "t2.red.attack/bridge/assault/1");
    assert_eq!(trouble.journal.len(), 3);
}

#[test]
fn refusals_are_exact() {
    let refused = |expect: &str| {
        format!("    start: {{guard: 2}}\n    orders: {{attacks: 3}}\n    expect:\n      refused: {expect}\n")
    };
    passes(&refused("[{clause: 2a, says: 3 attacks, at: attacks}]"));
    fails(&refused("[{clause: 3a}]"), "refused[0]", "§2a 3 attacks in one turn");
    fails(&refused("[{clause: 2a}, {clause: 2a}]"), "refused[1]", "§2a");
    fails(&refused("[{says: cavalry}]"), "refused[0]", "3 attacks");
    fails("    start: {guard: 2}\n    orders: {attacks: 3}\n    expect: {events: [scouted]}\n", "refused", "3 attacks");
    fails(&format!("{ASSAULT}    expect: {{refused: [{{clause: 2a}}]}}\n"), "refused[0]", "nothing is refused");
    passes(
        "    start: {guard: 2}\n    orders: {atacks: 3}\n    expect:\n      refused: [{says: unknown key}, {says: missing}]\n",
    );
}

#[test]
fn every_fault_of_an_order_can_be_demanded_with_its_place() {
    // Two things are wrong at one place, and a third with the file.
    let refused = |expect: &str| {
        format!(
            "    start: {{guard: 2}}\n    orders: {{attacks: 3, press: reckless}}\n    expect: {{refused: {expect}}}\n"
        )
    };
    passes(&refused("[{clause: 2a, at: attacks}, {clause: 3b, at: press}]"));
    passes(&refused("[{clause: 3b, at: press}, {clause: 2a, at: attacks}]"));
    // A part that fits both must leave the other its only one.
    passes(&refused("[{says: at most}, {clause: 2a, at: attacks}]"));
    fails(&refused("[{clause: 2a, at: attacks}]"), "refused", "§3b");
    fails(&refused("[{clause: 2a, at: press}, {clause: 3b}]"), "refused[0]", "at orders.attacks");
}

#[test]
fn a_refusal_may_stand_beside_what_comes_of_the_rest() {
    let case = |dice: &str, expect: &str| {
        format!("    start: {{guard: 1}}\n    orders: {{attacks: 3}}\n{dice}    expect: {expect}\n")
    };
    let dice = "    dice: [1, 1, 1]\n";
    passes(&case(dice, "{refused: [{clause: 2a}], events: [assault, assault], state: {blue: 3}}"));
    fails(&case(dice, "{refused: [{clause: 2b}], state: {blue: 3}}"), "refused[0]", "§2a");
    fails(&case(dice, "{refused: [{clause: 2a}], state: {blue: 2}}"), "state.blue", "3");
    fails(&case("", "{refused: [{clause: 2a}], state: {blue: 3}}"), "dice", "no die is left");
    fails(&case("    dice: [1, 1, 1, 1]\n", "{refused: [{clause: 2a}]}"), "dice", "1 left over");
    // Where nothing more is expected, nothing is carried out, signed or not.
    passes(&case("", "{refused: [{clause: 2a}]}"));
    passes(&case("    signed: yes\n", "{refused: [{clause: 2a}]}"));
    fails(
        "    start: {guard: 1}\n    orders: {atacks: 3}\n    expect: {refused: [{says: unknown}, {says: missing}], state: {turn: 2}}\n",
        "orders",
        "unknown key",
    );
}

#[test]
fn orders_that_were_signed_all_the_same_are_carried_out() {
    passes(
        "    start: {guard: 1}\n    orders: {attacks: 3}\n    signed: yes\n    dice: [1, 1, 1]\n    expect: {state: {blue: 3}}\n",
    );
}

#[test]
fn a_warning_can_be_expected() {
    passes("    start: {guard: 1}\n    orders: {attacks: 0}\n    expect:\n      warns: [{says: no attack}]\n");
    fails(
        &format!("{ASSAULT}    dice: [1]\n    expect:\n      warns: [{{says: no attack}}]\n"),
        "warns[0]",
        "no warning",
    );
    let none = "    start: {guard: 1}\n    orders: {attacks: 0}\n    expect: {warns: [{clause: 2a, at: attacks}]}\n";
    fails(none, "warns[0]", "no attack");
    passes(&format!("{ASSAULT}    dice: [5]\n    expect: {{events: [assault], unwarned: [{{says: no attack}}]}}\n"));
    let unwarned =
        "    start: {guard: 1}\n    orders: {attacks: 0}\n    expect: {next: turn, unwarned: [{at: attacks}]}\n";
    fails(unwarned, "unwarned[0]", "no attack");
}

#[test]
fn policies_and_standing_orders_are_followed() {
    let case = |standing: &str| {
        format!(
            "{ASSAULT}    standing: {standing}\n    expect: {{events: [{{replied: {{reply: fall-back}}}}], never: [assault]}}\n"
        )
    };
    passes(&case("{reply: fall-back}"));
    passes(&case("{blue: {reply: fall-back}}"));
    fails(&case("{repply: fall-back}"), "standing", "did you mean `reply`?");
    fails(&case("{press: yes}"), "standing", "is asked of red");
    fails(&case("{reply: swim}"), "refused", "will not do here");
    passes(&format!(
        "{ASSAULT}    policies: {{press: yes}}\n    dice: [5, 1, 2]\n    expect: {{events: [{{pressed: {{flank: left, die: 1}}}}]}}\n"
    ));
}

#[test]
fn answers_are_given_by_kind_or_key_and_one_after_the_other() {
    let case = |answers: &str, dice: &str| {
        format!(
            "{ASSAULT}    answers: {answers}\n    dice: {dice}\n    expect:\n      events: [{{pressed: {{flank: right, die: 4}}}}]\n      never: [{{pressed: {{flank: left}}}}]\n      asks: [press, press]\n"
        )
    };
    passes(&case("{press: [no, yes]}", "[5, 4]"));
    passes(&case("{t2.red.attack/right/press/1: yes}", "[5, 4]"));
    fails(&case("{press: yes}", "[5, 4, 4]"), "never[0]", "left");
    fails(&case("{press: [no, yes, yes]}", "[5, 4]"), "answers", "nobody asked for press: \"yes\"");
    fails(&case("{t2.red.attack/centre/press/1: yes, press: [no, yes]}", "[5, 4]"), "answers", "centre");
    fails(&case("{pres: yes}", "[5]"), "answers", "did you mean `press`?");
}

#[test]
fn a_question_that_must_be_put_or_must_not_is_checked() {
    passes(&format!("{ASSAULT}    dice: [5]\n    expect: {{asks: [reply, press]}}\n"));
    fails(&format!("{ASSAULT}    dice: [5]\n    expect: {{asks: [reply, reply]}}\n"), "asks[1]", "reply");
    fails(
        &format!("{ASSAULT}    dice: [5]\n    expect: {{events: [assault], unasked: [press]}}\n"),
        "unasked",
        "press",
    );
    passes(&format!(
        "{ASSAULT}    standing: {{reply: fall-back}}\n    expect: {{events: [replied], unasked: [press]}}\n"
    ));
}

#[test]
fn several_packets_follow_one_another_to_the_verdict() {
    passes(
        "    start: {stage: setup}
    packets:
      - side: blue
        orders: {guard: 3}
        expect: {events: [posted], state: {guard: {down: guard}}, next: {who: red}}
      - orders: {attacks: 9}
        expect: {refused: [{clause: 2a}]}
      - orders: {attacks: 2}
        dice: [4, 1]
        expect: {state: {red: 1, blue: 1, guard: {up: 3}}}
      - orders: {attacks: 1}
        dice: [4]
      - expect: {next: end, verdict: red, state: {turn: 4}}
",
    );
    let trouble = fails(
        "    packets:\n      - {orders: {attacks: 0}}\n      - {orders: {attacks: 0}, side: blue}\n",
        "side",
        "red must give orders",
    );
    assert_eq!(trouble.packet, 2);
    fails("    start: {turn: 3}\n    packets:\n      - {}\n      - {}\n", "orders", "what is due is end");
    fails("    start: {turn: 3}\n    expect: {verdict: red}\n", "verdict", "draw");
    fails("    start: {turn: 1}\n    expect: {verdict: red}\n", "verdict", "the game goes on");
    fails("    start: {turn: 3}\n    expect: {next: turn}\n", "next", "end");
}

#[test]
fn replies_to_questions_can_be_expected_before_the_packet_is_carried_out() {
    let case = |expect: &str| format!("{ASSAULT}    expect: {expect}\n");
    // Nothing but replies is expected: the orders are not carried out, and no die is needed.
    // A guard of one to three men lies face down: above one in 5 of 6, above three in 3 of 6.
    let span = "{battles: [{at: the bridge, results: {won: 5/6}, at-worst: {results: {won: 1/2}}}]}";
    passes(&case(&format!("{{odds: {{reply: {span}, lines: [Red's attack on the bridge]}}}}")));
    fails(&case("{odds: {reply: {battles: [{results: {won: 2/3}}]}}}"), "odds.reply.battles[0].results.won", "5/6");
    fails(&case("{odds: {lines: {lacks: [the bridge]}}}"), "odds.lines.lacks[0]", "Red's attack on the bridge");
    fails(&case("{odds: {side: green, reply: {runs: 1}}}"), "odds.side", "green");
    passes(&case("{reach: {unit: red-1, reply: {reach: {has: {place: bridge, cost: 1}, count: 1}}}}"));
    passes(&case("{reach: [{unit: red-1, lines: [{says: bridge | 1, under: Where red-1 can go}]}]}"));
    fails(
        &case("{reach: [{unit: a, lines: [bridge]}, {unit: b, lines: [Where, ford]}]}"),
        "reach[1].lines[1]",
        "bridge | 1",
    );
    fails(&case("{reach: {unit: a, lines: [bridge, Where]}}"), "reach[0].lines[1]", "only before the lines above");
    passes(&case("{los: {from: bank, to: bridge, reply: {clear: yes}}}"));
    fails(&case("{los: {from: bank, to: town, reply: {clear: yes}}}"), "los[0].reply.clear", "false");
    passes(&case("{supply: {refused: [{clause: 4a, says: nobody eats}]}}"));
    fails(&case("{supply: {reply: {supplied: yes}}}"), "supply[0].refused", "nobody eats here");
    fails(&case("{reach: {unit: a, refused: [{clause: 4a}]}}"), "reach[0].refused[0]", "nothing is refused");
    // Something that comes of the packet is expected as well: it is carried out.
    passes(&format!("{ASSAULT}    dice: [5]\n    expect: {{odds: {{reply: {{cut-short: no}}}}, state: {{red: 1}}}}\n"));
    fails(&case("{odds: {reply: {cut-short: no}}, state: {red: 1}}"), "dice", "no die is left");
    // A packet that only asks leaves what is due as it is.
    passes(
        "    start: {guard: 2}
    packets:
      - expect: {reach: {unit: red-1, lines: [bridge]}}
      - orders: {attacks: 1}
        dice: [5]
        expect: {state: {turn: 2, red: 1}}
      - {orders: {attacks: 0}, expect: {odds: {reply: {battles: {count: 0}}}}}
",
    );
}

#[test]
fn lines_of_the_report_can_be_expected() {
    let case = |report: &str| format!("{ASSAULT}    dice: [5]\n    expect: {{report: {report}}}\n");
    passes(&case("[Scouted, Alarm, Assault]"));
    passes(&case("Assault"));
    passes(&case("{has: [Assault, {clause: 2b}, {says: Scouted, clause: 2b}], lacks: [Pressed]}"));
    let trouble = fails(&case("[Assault, Scouted]"), "report[1]", "only before the lines above");
    assert_eq!(trouble.at.to_string(), "expect.report[1]");
    assert_eq!(trouble.journal.len(), 4);
    fails(&case("[Cavalry]"), "report[0]", "none of these lines");
    fails(&case("{lines: [Scouted], lacks: [Assault]}"), "report.lacks[0]", "Assault { die: 5");
    fails(&case("{has: [Alarm, Alarm]}"), "report.has[1]", "none of these lines");
    fails(&case("[{says: Assault, clause: 2a}]"), "report[0]", "Assault");
}

#[test]
fn what_a_side_is_shown_can_be_expected() {
    let case = |views: &str| format!("{ASSAULT}    dice: [5]\n    expect: {{views: {views}}}\n");
    passes(&case("{blue: {events: [scouted, alarm, assault], report: [Alarm]}}"));
    passes(&case("{red: {events: [scouted, assault], never: [alarm], report: {lacks: [Alarm]}}}"));
    passes(&case("{public: {never: [alarm], status: [\"Red 1, Blue 0\"]}, red: {status: [Red 1]}}"));
    passes(&case("{blue: {holds: {blue: {guard: 2}}}, red: {holds: {blue: {guard: 2}}}}"));
    let trouble = fails(&case("{red: {events: [alarm]}}"), "views.red.events[0]", "no alarm among 3 events");
    assert_eq!(trouble.at.to_string(), "expect.views.red.events[0]");
    assert_eq!((trouble.journal.len(), trouble.rolls.len()), (4, 1));
    fails(&case("{blue: {never: [alarm]}}"), "views.blue.never[0]", "event 2");
    fails(&case("{red: {report: [Alarm]}}"), "views.red.report[0]", "none of these lines");
    fails(&case("{red: {status: [Red 2]}}"), "views.red.status[0]", "Red 1, Blue 0");
    fails(&case("{red: {holds: {blue: {guard: 3}}}}"), "views.red.holds.blue.guard", "2");
    fails(&case("{green: {never: [alarm]}}"), "views.green", "`green`");
    // The guard that fell back was never seen.
    let hidden = |views: &str| format!("{ASSAULT}    standing: {{reply: fall-back}}\n    expect: {{views: {views}}}\n");
    passes(&hidden(
        "{red: {holds: {blue: absent}}, public: {holds: {blue: absent}}, blue: {holds: {blue: {guard: 2}}}}",
    ));
    fails(&hidden("{red: {holds: {blue: {guard: 2}}}}"), "views.red.holds.blue", "nothing");
}

#[test]
fn the_outlook_of_orders_can_be_expected() {
    let expect = |outlook: &str| {
        let head = "  - {name: a, clauses: [3a], why: b, orders: {attacks: 1}, expect: {outlook: ";
        let file = file(&format!("{head}{outlook}}}}}\n"));
        file.cases.first().and_then(|case| case.expect.clone()).expect("an expectation")
    };
    let line = |text: &str| crate::report::PlainLine { text: text.into(), clauses: Vec::new(), under: Vec::new() };
    let event = |text: &str| crate::engine::Json::parse_canonical(text.as_bytes()).expect("canonical");
    let found = Found {
        outlook: Prospect {
            lines: vec![line("Red marches on the bridge"), line("won in 4 of 6, lost in 2")],
            events: vec![event(r#"{"scouted":{"strong":false}}"#), event(r#"{"assault":{"won":true}}"#)],
            asks: vec!["reply".into()],
        },
        ..Found::default()
    };
    for met in [
        "[marches, won in 4 of 6]",
        "won in 4 of 6",
        "{has: [lost in 2, marches], lacks: [Blue], events: [scouted, {assault: {won: yes}}], never: [pressed]}",
        "{asks: [reply], unasked: [press]}",
    ] {
        assert_eq!(expect(met).foreseen(&found), [], "{met}");
    }
    for (unmet, part) in [
        ("[won, marches]", "outlook[1]"),
        ("{lacks: [lost in 2]}", "outlook.lacks[0]"),
        ("{events: [assault, scouted]}", "outlook.events[1]"),
        ("{never: [{assault: {won: yes}}]}", "outlook.never[0]"),
        ("{asks: [reply, reply]}", "outlook.asks[1]"),
        ("{unasked: [reply]}", "outlook.unasked"),
    ] {
        let parts: Vec<String> = expect(unmet).foreseen(&found).into_iter().map(|difference| difference.part).collect();
        assert_eq!(parts, [part], "{unmet}");
    }
    // Nothing that comes of the orders is expected, so they are not carried out.
    fails(&format!("{ASSAULT}    expect: {{outlook: [bridge]}}\n"), "outlook[0]", "no line at all");
    passes(&format!("{ASSAULT}    expect: {{outlook: {{lacks: [bridge]}}}}\n"));
}

#[test]
fn an_expectation_that_says_nothing_is_a_fault_of_the_file() {
    for (expect, at) in [
        ("{report: []}", "report"),
        ("{report: [\"\"]}", "report[0]"),
        ("{report: {}}", "report"),
        ("{report: {hass: [x]}}", "report.hass"),
        ("{odds: {reply: {}}}", "odds"),
        ("{outlook: [x]}", "outlook"),
        ("{outlook: {}}", "outlook"),
        ("{outlook: {evnts: [x]}}", "outlook.evnts"),
        ("{reach: {unit: a}}", "reach[0]"),
        ("{reach: {reply: {}}}", "reach[0]"),
        ("{reach: {unit: a, reply: {}, refused: [{clause: 2a}]}}", "reach[0]"),
        ("{supply: {from: a, reply: {}}}", "supply[0]"),
        ("{los: {from: a, reply: {}}}", "los[0]"),
        ("{views: {red: {sees: x}}}", "views.red.sees"),
    ] {
        let text =
            format!("game: bridge\ntopic: t\ncases:\n  - {{name: slip, clauses: [3a], why: b, expect: {expect}}}\n");
        let faults = read_file("slips.yaml", text.as_bytes()).expect_err(expect).faults;
        let told: Vec<String> = faults.iter().map(|fault| fault.at.to_string()).collect();
        assert_eq!(told, [format!("cases[0].expect.{at}")], "{expect}: {faults:#?}");
    }
}

#[test]
fn a_position_that_cannot_be_laid_out_fails_the_case() {
    fails("    start: {gard: 2}\n", "start", "did you mean `guard`?");
}

#[test]
fn a_wrong_state_is_told_with_its_place() {
    let text = "game: bridge\ntopic: t\ncases:\n  - name: wrong\n    clauses: [3a]\n    why: b\n    start: {guard: 2}\n    orders: {attacks: 0}\n    expect:\n      state:\n        red: 0\n        turn: 7\n";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wrong.yaml");
    std::fs::write(&path, text).expect("written");
    let report = run_files(&[&BRIDGE], &[path]).expect("run").text(crate::report::Look::PLAIN);
    assert!(report.contains("wrong.yaml:12  wrong"), "the line of `turn: 7`: {report}");
    assert!(report.contains("expected  7") && report.contains("found     2"), "{report}");
    fails(&format!("{ASSAULT}    dice: [5]\n    expect: {{state: {{guard: {{up: 3}}}}}}\n"), "state.guard.up", "2");
}

/// The parts in which a case fails.
fn parts(rest: &str) -> Vec<String> {
    match verdict(rest) {
        CaseVerdict::Passed => panic!("it passed"),
        CaseVerdict::Failed(trouble) => trouble.differences.into_iter().map(|difference| difference.part).collect(),
    }
}

#[test]
fn all_differences_of_a_packet_are_told_at_once() {
    // What comes of it: events that are missing, one that must not be, questions, the state, what follows, the dice.
    let wrong = "{events: [retreat, scouted, {any-order: [cavalry, replied, rain]}, {assault: {die: 4}}], never: [assault, alarm, pressed],
      asks: [reply, reply, press], state: {turn: 9, red: 7, blue: 0, guard: {up: 1}}, next: {who: blue}, report: [Scouted, Snow]}";
    assert_eq!(
        parts(&format!("{ASSAULT}    dice: [5, 3]\n    expect: {wrong}\n")),
        [
            "events[0]",
            "events[2].any-order[0]",
            "events[2].any-order[2]",
            "events[3]",
            "never[0]",
            "never[1]",
            "asks[1]",
            "state.turn",
            "state.red",
            "state.guard.up",
            "next",
            "report[1]",
            "dice",
        ]
    );
    // What is said before: refusals that are missing and refusals too many, replies and warnings.
    let refused = "    start: {guard: 2}\n    orders: {attacks: 3, press: reckless}\n";
    let wrong =
        "{refused: [{clause: 2b}, {clause: 3b}], warns: [{says: rain}], reach: {unit: red-1, lines: [ford, river]}}";
    assert_eq!(
        parts(&format!("{refused}    expect: {wrong}\n")),
        ["refused[0]", "refused", "reach[0].lines[0]", "reach[0].lines[1]", "warns[0]"]
    );
    // What the sides are shown is held against the case as well.
    let wrong = "{state: {turn: 9}, views: {red: {events: [alarm]}, blue: {never: [alarm], report: [Snow]}}}";
    assert_eq!(
        parts(&format!("{ASSAULT}    dice: [5]\n    expect: {wrong}\n")),
        ["state.turn", "views.blue.never[0]", "views.blue.report[0]", "views.red.events[0]"]
    );
}

#[test]
fn every_difference_stands_in_the_report_and_the_first_gives_the_line() {
    let text = "game: bridge\ntopic: t\ncases:\n  - name: wrong\n    clauses: [3a]\n    why: b\n    start: {guard: 2}\n    orders: {attacks: 0}\n    expect:\n      state:\n        red: 5\n        turn: 7\n";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wrong.yaml");
    std::fs::write(&path, text).expect("written");
    let report = run_files(&[&BRIDGE], &[path]).expect("run").text(crate::report::Look::PLAIN);
    assert!(report.contains("wrong.yaml:11  wrong"), "the line of `red: 5`: {report}");
    let told = "      state.red\n        expected  5\n        found     0\n      state.turn\n        expected  7\n        found     2\n";
    assert!(report.contains(told), "{report}");
}

#[test]
fn all_faults_of_a_case_file_are_found_at_once() {
    let text = "game: bridge
topic: slips
cases:
  - name: one
    clauses: [3a]
    why: because
    dice: [0, x]
    expect: {evnts: []}
  - clauses: []
    why: because
";
    let faults = read_file("slips.yaml", text.as_bytes()).expect_err("it is full of slips").faults;
    let told: Vec<String> = faults.iter().map(|fault| format!("{} {}", fault.at, fault.what)).collect();
    assert_eq!(
        told,
        [
            "cases[0].dice[0] case `one`: no die shows a 0",
            "cases[0].dice[1] case `one`: `x` is not a whole number",
            "cases[0].expect.evnts case `one`: unknown key `evnts`",
            "cases[1] case 2: `name` is missing",
        ]
    );
    let text = "game: bridge
topic: slips
cases:
  - name: one
    clauses: [3a]
    why: because
    expect: {refused: [{}], events: [{any-order: []}, {any-order: [scouted], never: x}]}
  - name: one
    clauses: []
    why: because
    orders: {}
    packets: [{orders: {}}]
";
    let faults = read_file("slips.yaml", text.as_bytes()).expect_err("it is full of slips").faults;
    let told: Vec<String> = faults.iter().map(|fault| fault.at.to_string()).collect();
    assert_eq!(
        told,
        [
            "cases[0].expect.refused[0]",
            "cases[0].expect.events[0]",
            "cases[0].expect.events[1]",
            "cases[1]",
            "cases[1].name",
            "cases[1]"
        ]
    );
    assert!(faults.iter().all(|fault| fault.what.starts_with("case `one`: ")), "{faults:#?}");
}

#[test]
fn a_case_that_nothing_could_fail_is_known_as_such() {
    let expects_nothing = |expect: &str| {
        let file = file(&format!("  - {{name: a, clauses: [3a], why: b, expect: {expect}}}\n"));
        file.cases.iter().flat_map(Case::packets).all(|(packet, _)| packet.expect.is_none_or(|e| e.expects_nothing()))
    };
    for empty in [
        "{}",
        "{never: [assault]}",
        "{unasked: [press]}",
        "{state: {base: absent}}",
        "{unwarned: [{says: x}]}",
        "{report: {lacks: [x]}}",
        "{views: {red: {never: [alarm], report: {lacks: [x]}, holds: {blue: absent}}}}",
        "{reach: {unit: a, lines: {lacks: [x]}}}",
    ] {
        assert!(expects_nothing(empty), "{empty}");
    }
    for real in [
        "{events: [assault]}",
        "{refused: [{clause: 2a}]}",
        "{state: {turn: 2}}",
        "{next: turn}",
        "{verdict: red}",
        "{asks: [press]}",
        "{warns: [{says: x}]}",
        "{report: [x]}",
        "{views: {red: {report: [x]}}}",
        "{reach: {unit: a, reply: {x: y}}}",
        "{supply: {refused: [{clause: 4a}]}}",
        "{events: [{any-order: [assault, scouted]}]}",
    ] {
        assert!(!expects_nothing(real), "{real}");
    }
}

#[test]
fn coverage_counts_clauses_with_cases_and_names_the_rest() {
    let about: &About = BRIDGE.about();
    let rules = RuleBook::read(about.rules).expect("rules");
    let shown = file("  - {name: a, clauses: [1a, 2a, 3a], why: b}\n  - {name: c, clauses: [3a, 9z], why: d}\n");
    let mut other = shown.clone();
    other.game = "another".into();
    let coverage = coverage(&rules, [&shown, &other]);
    assert_eq!((coverage.clauses, coverage.cased), (7, 3));
    assert_eq!(coverage.untestable, [Untestable { id: "4a".into(), reason: "A matter of paint.".into() }]);
    assert_eq!(coverage.missing, ["2b", "2c", "3b"]);
    assert_eq!(coverage.stray, ["9z"]);
    assert!(!coverage.is_complete());
    let json = serde_json::to_value(super::coverage(&rules, [])).expect("plain data");
    let keys: Vec<&String> = json.as_object().expect("an object").keys().collect();
    assert_eq!(keys.len(), 5, "{keys:?}");
    for key in ["game", "clauses", "cased", "untestable", "missing"] {
        assert!(json.get(key).is_some(), "{key}");
    }
}

#[test]
fn a_suite_reports_the_same_in_every_run_and_finds_equal_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = |name: &str, die: u8| {
        format!(
            "  - {{name: {name}, clauses: [3a], why: b, start: {{guard: 2}}, orders: {{attacks: 1}}, dice: [{die}], expect: {{state: {{red: 1}}}}}}\n"
        )
    };
    let head = "game: bridge\ntopic: t\ncases:\n";
    let write = |name: &str, text: String| std::fs::write(folder.path().join(name), text).expect("written");
    write("b.yaml", format!("{head}{}{}", case("won", 6), case("lost", 1)));
    write("a.yaml", format!("{head}{}{}", case("also won", 3), case("won", 5)));
    write("c.yaml", "game: brigde\ntopic: t\ncases: [{name: x, clauses: [a], why: w}]\n".into());
    write("d.yaml", "game: [".into());
    write("notes.txt", "not a case".into());
    let files = case_files(&[folder.path().to_owned()]).expect("files");
    assert_eq!(files.len(), 4);
    let suite = run_files(&[&BRIDGE], &files).expect("run");
    assert_eq!((suite.passed, suite.failed, suite.unreadable.len()), (2, 2, 2));
    assert!(!suite.is_good());
    let names: Vec<&str> = suite.cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names, ["also won", "won", "won", "lost"]);
    let text = suite.text(crate::report::Look::PLAIN);
    assert!(text.contains("the name of the case at"), "{text}");
    assert!(text.contains("did you mean `bridge`?"), "{text}");
    assert!(text.ends_with("4 cases: 2 passed, 2 failed, 2 files could not be run\n"), "{text}");
    assert!(text.contains("b.yaml:5  lost"), "{text}");
    assert_eq!(run_files(&[&BRIDGE], &files).expect("run").text(crate::report::Look::PLAIN), text);
}

#[test]
fn the_schema_knows_every_key_of_a_case_and_of_the_games_own_parts() {
    let schema = schema(&BRIDGE);
    let text = schema.to_string();
    for key in [
        "clauses", "packets", "standing", "answers", "refused", "never", "unasked", "verdict", "label", "faces",
        "report", "views", "odds", "reach", "supply", "los", "holds", "has", "lacks", "under", "unwarned", "outlook",
    ] {
        assert!(text.contains(&format!("\"{key}\":")), "{key}");
    }
    assert_eq!(schema.pointer("/properties/game/const"), Some(&"bridge".into()));
    let start = schema.pointer("/$defs/Case/properties/start/allOf/0/$ref").and_then(serde_json::Value::as_str);
    assert_eq!(start, Some("#/$defs/case-start"));
    assert!(schema.pointer("/$defs/case-start/properties/guard").is_some());
    for reference in references(&schema) {
        let pointer = reference.strip_prefix('#').expect("a reference within the file");
        assert!(schema.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
}

fn references(value: &serde_json::Value) -> Vec<String> {
    match value {
        serde_json::Value::Object(members) => {
            let own = members.get("$ref").and_then(|text| text.as_str()).map(str::to_owned);
            own.into_iter().chain(members.values().flat_map(references)).collect()
        }
        serde_json::Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}
