use super::*;
use crate::draw::{Patch, Picture, Tone};
use crate::engine::bridge::{BLUE, BRIDGE};
use crate::engine::dice::Seed;
use crate::engine::doc::{DocPath, Node, Reader};
use crate::engine::{
    AnyOutcome, Charter, Diary, Dice, Holdings, Json, Match, Questions, Ruleset, Said, Segment, Settled, Stop, Tickets,
    Versions, View,
};

fn page() -> Page {
    let mut page = Page::new("Two Forts: Turn 1");
    page.lead.push("solo: dice committed, not shared; all 2 rolls verified".into());
    let mut diary = Diary::new();
    diary.heading(1, "Fire");
    diary.line("A gun fires at *the* gate_house <x>.", &[Clause("2.1"), Clause("2.1"), Clause("2.2")]);
    let mut bonus = Tally::new();
    bonus.add("at the gate", 1, Clause("2.2"));
    bonus.add("fog", -2, Clause("2.5"));
    diary.sum("shot", "die 4", &bonus, "3: miss");
    let mut factors = Tally::new();
    factors.add("us-inf-1", 3, Clause("9.1"));
    factors.add("us-inf-2", 4, Clause("9.1"));
    diary.sum("factors", "", &factors, "");
    diary.table(&["side", "wall"], vec![vec!["red".into(), "12".into()], vec!["blue|x".into(), "3".into()]]);
    page.section("What happened", diary);
    page.section("Nothing", Diary::new());
    page
}

#[test]
fn the_arithmetic_stands_beside_the_story() {
    let text = terminal(&page(), Look::PLAIN);
    assert!(text.contains("A gun fires at *the* gate_house <x>. [§2.1 §2.2]\n"), "{text}");
    assert!(text.contains("  shot: die 4 +1 at the gate (§2.2) -2 fog (§2.5) = 3: miss\n"), "{text}");
    assert!(text.contains("  factors: 3 us-inf-1 (§9.1) +4 us-inf-2 (§9.1) = 7\n"), "{text}");
    assert!(!text.contains("Nothing"), "an empty chapter is left out: {text}");
}

#[test]
fn no_escape_sequence_reaches_a_pipe() {
    assert!(!terminal(&page(), Look::PLAIN).contains('\u{1b}'));
    let coloured = Look { color: true, ..Look::PLAIN };
    assert!(terminal(&page(), coloured).contains("\u{1b}[1m"));
    let mut hostile = Page::new("a\u{1b}[2Jb");
    hostile.lead.push("c\u{202e}d".into());
    let text = terminal(&hostile, coloured);
    assert!(!text.contains("\u{1b}[2J") && !text.contains('\u{202e}'), "{text:?}");
}

#[test]
fn a_narrow_terminal_breaks_lines_between_words() {
    let narrow = Look { width: 40, ..Look::PLAIN };
    let text = terminal(&page(), narrow);
    assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
    assert!(text.contains("    +1 at the gate (§2.2)\n"), "each term on its own line: {text}");
}

#[test]
fn markdown_escapes_what_would_be_markup() {
    let text = markdown(&page());
    assert!(text.starts_with("# Two Forts: Turn 1\n"), "{text}");
    assert!(text.contains("- A gun fires at \\*the\\* gate\\_house \\<x>. *§2.1 §2.2*\n"), "{text}");
    assert!(text.contains("  - shot: die 4 +1 at the gate (§2.2) -2 fog (§2.5) = **3: miss**\n"), "{text}");
    assert!(text.contains("| side | wall |\n|---|--:|\n| red | 12 |\n| blue\\|x | 3 |\n"), "{text}");
}

#[test]
fn html_holds_no_markup_of_the_players() {
    let text = html("<i>", &[Told::plain(page())]);
    assert!(text.contains("<title>&lt;i&gt;</title>"), "{text}");
    assert!(text.contains("&lt;x&gt;") && !text.contains("<x>"), "{text}");
    assert!(text.contains("<td class=\"n\">12</td>"), "{text}");
}

#[test]
fn a_map_is_painted_only_where_colours_are() {
    let patch = |text: &str, tone| Patch { text: text.into(), tone };
    let picture = Picture {
        lines: vec![vec![patch("us", Tone::First), patch("~<~", Tone::Water), patch("  ", Tone::Plain)]],
        legend: vec!["~ sea".into()],
    };
    assert_eq!(picture_text(&picture, Look::PLAIN), "us~<~\n~ sea\n");
    assert!(picture_text(&picture, Look { color: true, ..Look::PLAIN }).contains("\u{1b}[1;94mus\u{1b}[0m"));
}

/// Red attacks the one man on the bridge; Blue is asked, or falls back.
fn attack(table: &dyn Match, settled: Settled, answer: Option<&Stop>) -> AnyOutcome {
    let position = br#"{"blue":0,"guard":{"up":1},"red":0,"turn":1}"#;
    let base = table.read_state(&Json::parse_canonical(position).unwrap()).unwrap();
    let orders = Node::Map(vec![("attacks".into(), Node::text("1"))]);
    let mut reader = Reader::new(table.lexicon());
    let orders = table.read_orders("turn", &orders, &DocPath::root(), &mut reader).unwrap();
    let mut said = Said::default();
    if let Some(Stop::Answers { questions, .. }) = answer {
        said.answers.insert(questions[0].key.clone(), Json::Str("fall-back".into()));
        said.policies.insert((BLUE, "reply".into()), Json::Str("fall-back".into()));
    }
    let (none, versions) = (Holdings::default(), Versions::new());
    let segment = Segment {
        dice: Dice::Seed(Seed::new([7; 32])),
        settled,
        said: &said,
        public: &none,
        holdings: &none,
        versions: &versions,
        tickets: Tickets::NONE,
        closer_holds: BRIDGE.sides(),
        questions: Questions { ask: true, max_asks: None },
    };
    table.resolve(&base, &orders, segment).unwrap()
}

#[test]
fn a_turn_told_again_says_where_the_new_part_begins() {
    let table = BRIDGE.open(&Charter::default()).unwrap();
    let first = attack(table.as_ref(), Settled::default(), None);
    let holdings = Holdings::default();
    let report = |outcome: &AnyOutcome, told: usize| {
        let view = View { state: &outcome.state, holdings: &holdings, side: None };
        let report = TurnReport {
            table: table.as_ref(),
            headline: "Turn 1, noon".into(),
            lead: vec!["solo".into()],
            messages: Vec::new(),
            view,
            journal: &outcome.journal,
            told,
            stop: &outcome.stop,
            ended: None,
        };
        terminal(&report.page(), Look::PLAIN)
    };
    let text = report(&first, 0);
    assert!(text.contains("Awaited: 1 answer of blue, turn 1."), "{text}");
    assert!(!text.contains("new part"), "{text}");
    let told = first.journal.len();
    let second = attack(table.as_ref(), first.settled.clone(), Some(&first.stop));
    let text = report(&second, told);
    let (before, after) = text.split_once("The new part begins here").unwrap_or_else(|| panic!("{text}"));
    assert!(before.contains("Scouted"), "{text}");
    assert!(after.contains("Replied"), "{text}");
    assert!(after.contains("Awaited: `turn` orders of red, turn 2."), "{text}");
}

#[test]
fn a_phase_in_which_nothing_happened_is_not_told() {
    let mut diary = Diary::new();
    for (level, text) in [(1, "Dawn"), (1, "Fire"), (2, "At the gate"), (2, "At the wall")] {
        diary.heading(level, text);
    }
    diary.line("A shot.", &[]);
    diary.heading(2, "At the moat");
    diary.heading(1, "Dusk");
    let mut page = Page::new("x");
    page.section("s", diary);
    let text = terminal(&page, Look::PLAIN);
    for told in ["Fire", "At the wall", "A shot."] {
        assert!(text.contains(told), "{told}: {text}");
    }
    for idle in ["Dawn", "At the gate", "At the moat", "Dusk"] {
        assert!(!text.contains(idle), "{idle}: {text}");
    }
}

#[test]
fn a_message_is_shown_as_text_and_nothing_else() {
    let mut said = Page::new("Turn 1");
    let words = "[free](http://x) ![p](y) `rm` &lt; <b>*_~|$ \u{1b}[2J\u{202e}end";
    said.messages.push(Message::new("spain", words));
    let text = terminal(&said, Look::PLAIN);
    assert!(text.contains("spain writes:\n  “[free](http://x)"), "{text}");
    assert!(text.contains("\\u{1b}[2J\\u{202e}end”"), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    let text = markdown(&said);
    assert!(
        text.contains("spain writes:\n\n> “\\[free\\](http://x) !\\[p\\](y) \\`rm\\` \\&lt; \\<b\\>\\*\\_\\~\\|\\$ "),
        "{text}"
    );
    for text in [html("t", &[Told::plain(said.clone())]), letter_html(&said, None)] {
        assert!(text.contains("<blockquote>[free](http://x) ![p](y) `rm` &amp;lt; &lt;b&gt;*_~|$ "), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    }
}
