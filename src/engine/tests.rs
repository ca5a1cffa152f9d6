//! The umpire at work on the toy game.

use std::collections::VecDeque;

use super::bridge::*;
use super::dice::Seed;
use super::*;

const NO_ONE: &[Side] = &[];
const EVERYBODY: &[Side] = &[RED, BLUE];

/// Everything a segment needs, with nothing said and everything open.
struct Desk {
    said: Said,
    public: Holdings,
    holdings: Holdings,
    versions: Versions,
    closer_holds: &'static [Side],
    questions: Questions,
    settled: Settled,
}

impl Desk {
    fn with_guard(men: i64) -> Desk {
        Desk {
            said: Said::default(),
            public: Holdings::default(),
            holdings: Holdings([((BLUE, slot("guard")), Json::Int(men))].into()),
            versions: Versions::new(),
            closer_holds: EVERYBODY,
            questions: Questions::default(),
            settled: Settled::default(),
        }
    }

    fn asking(men: i64) -> Desk {
        Desk { questions: Questions { ask: true, max_asks: None }, ..Desk::with_guard(men) }
    }

    fn policy(mut self, side: Side, kind: Kind, policy: &str) -> Desk {
        self.said.policies.insert((side, kind.0.into()), policy.into());
        self
    }

    fn resolve(&self, orders: &Packet, dice: Dice) -> Result<Outcome<Bridge>, Failure> {
        let segment = Segment {
            dice,
            settled: self.settled.clone(),
            said: &self.said,
            public: &self.public,
            holdings: &self.holdings,
            versions: &self.versions,
            tickets: Tickets::NONE,
            closer_holds: self.closer_holds,
            questions: self.questions,
        };
        run(&Bridge, &position(), orders, segment)
    }

    fn run(&self, orders: &Packet, dice: Dice) -> Outcome<Bridge> {
        self.resolve(orders, dice).expect("a run without breach")
    }
}

fn slot(text: &str) -> Slot {
    Slot::parse(text).expect("a slot")
}

fn key(text: &str) -> Key {
    Key::parse(text).expect("a key")
}

fn position() -> Position {
    Position { turn: 1, guard: Guard::Down(Sealed::new(BLUE, slot("guard"))), red: 0, blue: 0 }
}

fn attack(times: u8) -> Packet {
    Packet::Turn(Turn { attacks: times, press: None, by: None })
}

fn pressing(press: Press) -> Packet {
    Packet::Turn(Turn { attacks: 1, press: Some(press), by: None })
}

fn fixed(faces: &[u16]) -> Dice {
    Dice::Fixed(faces.iter().map(|face| FixedDie { label: None, faces: vec![*face] }).collect())
}

fn labels(outcome: &Outcome<Bridge>) -> Vec<&str> {
    outcome.minutes.rolls.iter().map(|rolled| rolled.label.as_str()).collect()
}

fn asked(outcome: &Outcome<Bridge>) -> Vec<&str> {
    match &outcome.stop {
        Stop::Answers { questions, .. } => questions.iter().map(|asked| asked.key.as_str()).collect(),
        _ => Vec::new(),
    }
}

fn public(outcome: &Outcome<Bridge>) -> Vec<&Happening> {
    outcome.journal.iter().filter(|noted| noted.only.is_none()).map(|noted| &noted.event).collect()
}

fn replied(outcome: &Outcome<Bridge>) -> Option<Stance> {
    outcome.journal.iter().find_map(|noted| match noted.event {
        Happening::Replied { reply } => Some(reply),
        _ => None,
    })
}

#[test]
fn a_label_names_phase_subject_and_purpose_and_counts_repetitions() {
    let outcome = Desk::with_guard(2).policy(RED, PRESS, "yes").run(&attack(2), fixed(&[6, 1, 2, 5, 3, 4]));
    assert_eq!(
        labels(&outcome),
        [
            "t1.red.attack/bridge/assault/1",
            "t1.red.attack/left/charge/1",
            "t1.red.attack/right/charge/1",
            "t1.red.attack/bridge/assault/2",
            "t1.red.attack/left/charge/2",
            "t1.red.attack/right/charge/2",
        ]
    );
    assert_eq!(outcome.dice_left, 0);
}

#[test]
fn a_seed_and_a_label_give_the_same_die_however_often_the_span_is_resolved() {
    let seed = Dice::Seed(Seed::new([7; 32]));
    let desk = Desk::with_guard(2).policy(RED, PRESS, "yes");
    let (one, other) = (desk.run(&attack(2), seed.clone()), desk.run(&attack(2), seed));
    assert_eq!(one.minutes, other.minutes);
    assert_eq!((one.state, one.journal), (other.state, other.journal));
    for rolled in &one.minutes.rolls {
        let faces = dice::faces(&Seed::new([7; 32]), rolled.label.as_str(), &rolled.sides);
        assert_eq!(rolled.faces(), faces);
    }
}

#[test]
fn what_was_settled_before_is_handed_out_again_and_only_the_rest_is_rolled() {
    let mut desk = Desk::asking(2).policy(BLUE, REPLY, "hold");
    let first = desk.run(&attack(1), fixed(&[5]));
    assert_eq!(asked(&first), ["t1.red.attack/left/press/1", "t1.red.attack/right/press/1"]);
    assert_eq!(first.stop.who(), Some(RED));
    desk.settled = first.settled.clone();
    desk.said.answers.insert(key("t1.red.attack/right/press/1"), "yes".into());
    // Blue replaces his standing order between the segments: too late for what already happened.
    let desk = desk.policy(BLUE, REPLY, "fall-back");
    let second = desk.run(&attack(1), fixed(&[3]));
    assert_eq!(labels(&second), ["t1.red.attack/right/charge/1"], "the assault is not rolled again");
    assert_eq!(replied(&second), Some(Stance::Hold));
    assert_eq!(second.journal[..first.journal.len()], first.journal[..], "the journal at a stop is a prefix");
    assert_eq!(second.journal.last().map(|noted| &noted.event), Some(&Happening::Pressed { flank: "right", die: 3 }));
    assert!(second.stop.ends_span());
}

#[test]
fn a_roll_that_is_not_reached_again_is_a_fault_of_the_game() {
    let first = Desk::asking(2).policy(BLUE, REPLY, "hold").run(&attack(1), fixed(&[5]));
    let desk = Desk { settled: first.settled, ..Desk::asking(2) };
    let failure = desk.resolve(&attack(0), fixed(&[])).expect_err("the assault was settled before");
    assert!(matches!(&failure, Failure::Bug(text) if text.contains("assault")), "{failure}");
}

#[test]
fn an_answer_to_a_stop_is_taken_before_the_standing_order() {
    let mut desk = Desk::asking(2).policy(BLUE, REPLY, "ask");
    let first = desk.run(&attack(1), fixed(&[]));
    assert_eq!(asked(&first), ["t1.red.attack/bridge/reply/1"]);
    desk.settled = first.settled;
    desk.said.answers.insert(key("t1.red.attack/bridge/reply/1"), "fall-back".into());
    let second = desk.policy(BLUE, REPLY, "hold").run(&attack(1), fixed(&[]));
    assert_eq!(replied(&second), Some(Stance::FallBack));
}

#[test]
fn a_question_left_unanswered_takes_its_default() {
    let mut desk = Desk::asking(2);
    let first = desk.run(&attack(1), fixed(&[]));
    desk.settled = first.settled;
    let second = desk.policy(BLUE, REPLY, "fall-back").run(&attack(1), fixed(&[4]));
    assert_eq!(replied(&second), Some(Stance::Hold), "the stop is over: what comes later does not answer it");
}

#[test]
fn the_order_being_carried_out_is_taken_before_the_policy() {
    let outcome = Desk::asking(1).policy(BLUE, REPLY, "hold").policy(RED, PRESS, "no");
    let outcome = outcome.run(&pressing(Press::Yes), fixed(&[6, 1, 1]));
    assert_eq!(labels(&outcome).len(), 3, "both flanks were pressed");
}

#[test]
fn a_policy_is_taken_before_the_option_and_may_itself_say_ask_or_default() {
    let held = Desk::asking(1).policy(BLUE, REPLY, "fall-back").run(&attack(1), fixed(&[]));
    assert_eq!(replied(&held), Some(Stance::FallBack));
    let default = Desk::asking(1).policy(BLUE, REPLY, "default").policy(RED, PRESS, "no");
    assert_eq!(replied(&default.run(&attack(1), fixed(&[1]))), Some(Stance::Hold));
    let weak = Desk::asking(1).policy(BLUE, REPLY, "cautious").policy(RED, PRESS, "no");
    assert_eq!(replied(&weak.run(&attack(1), fixed(&[1]))), Some(Stance::Hold), "a weak guard is not worth asking");
    let strong = Desk::asking(3).policy(BLUE, REPLY, "cautious");
    assert_eq!(asked(&strong.run(&attack(1), fixed(&[]))), ["t1.red.attack/bridge/reply/1"]);
}

#[test]
fn where_nothing_was_said_the_option_decides() {
    assert!(Desk::with_guard(2).run(&attack(1), fixed(&[4])).stop.ends_span(), "questions: default never stops");
    assert_eq!(asked(&Desk::asking(2).run(&attack(1), fixed(&[]))).len(), 1, "questions: ask stops");
    let never = Desk::with_guard(2).policy(BLUE, REPLY, "ask").run(&attack(1), fixed(&[4]));
    assert!(never.stop.ends_span(), "a policy `ask` does not stop a game that never asks");
}

#[test]
fn after_its_last_stop_a_side_gets_its_defaults() {
    let mut desk = Desk::asking(2);
    desk.questions.max_asks = Some(1);
    let first = desk.run(&attack(2), fixed(&[]));
    assert_eq!(first.settled.stops.get(&BLUE), Some(&1));
    desk.settled = first.settled;
    desk.said.answers.insert(key("t1.red.attack/bridge/reply/1"), "hold".into());
    let second = desk.run(&attack(2), fixed(&[4]));
    assert_eq!(second.stop.who(), Some(RED), "Red has his one stop too");
    desk.settled = second.settled;
    let third = desk.run(&attack(2), fixed(&[4]));
    assert!(third.stop.ends_span(), "neither is asked about the second attack");
}

#[test]
fn a_choice_that_is_not_among_the_options_counts_as_the_default_and_is_noted() {
    let ordered = Desk::with_guard(1).run(&pressing(Press::Reckless), fixed(&[6]));
    assert_eq!(ordered.lapses.len(), 2);
    let lapse = &ordered.lapses[0];
    assert_eq!((lapse.who, lapse.kind), (RED, PRESS));
    assert_eq!((&lapse.said, &lapse.applied), (&"reckless".into(), &"no".into()));
    assert!(public(&ordered).contains(&&Happening::Lapse(lapse.clone())));
    let by_policy = Desk::with_guard(1).policy(RED, PRESS, "reckless").run(&attack(1), fixed(&[6]));
    assert_eq!(by_policy.lapses.len(), 2);

    let mut desk = Desk::asking(2);
    desk.settled = desk.run(&attack(1), fixed(&[])).settled;
    desk.said.answers.insert(key("t1.red.attack/bridge/reply/1"), "swim".into());
    let answered = desk.policy(RED, PRESS, "no").run(&attack(1), fixed(&[4]));
    assert_eq!(replied(&answered), Some(Stance::Hold));
    assert_eq!(answered.lapses.len(), 1);
}

#[test]
fn a_lapse_is_told_again_when_the_span_is_resolved_again() {
    let mut desk = Desk::asking(2);
    desk.settled = desk.run(&attack(1), fixed(&[])).settled;
    desk.said.answers.insert(key("t1.red.attack/bridge/reply/1"), "swim".into());
    let second = desk.run(&attack(1), fixed(&[4]));
    assert_eq!((second.stop.who(), second.lapses.len()), (Some(RED), 1));
    desk.settled = second.settled;
    let third = desk.run(&attack(1), fixed(&[]));
    assert_eq!(third.lapses, second.lapses);
    assert_eq!(third.journal[..second.journal.len()], second.journal[..]);
}

/// Blue's guard of three and his standing order lie sealed; what each desk holds is up to the test.
fn sealed_standing_order() -> Desk {
    let mut desk = Desk::asking(3);
    let standing = (BLUE, Slot::standing("reply"));
    desk.holdings.0.insert(standing.clone(), Json::object([("policy", "fall-back")]));
    desk.versions.insert(standing, 4);
    desk
}

#[test]
fn a_sealed_standing_order_is_opened_when_its_question_comes_up() {
    let opened = sealed_standing_order().run(&attack(1), fixed(&[]));
    assert_eq!(replied(&opened), Some(Stance::FallBack));
    let openings: Vec<_> = opened.minutes.reveals.iter().map(|o| (o.owner, o.slot.as_str(), o.version)).collect();
    assert_eq!(openings, [(BLUE, "standing/reply", 4)]);
    let untouched = sealed_standing_order().run(&attack(0), fixed(&[]));
    assert!(untouched.minutes.reveals.is_empty(), "no attack, no question, nothing opened");
}

#[test]
fn what_the_closer_cannot_open_stops_the_game_until_its_owner_does() {
    let mut red = sealed_standing_order();
    red.holdings = Holdings::default();
    red.closer_holds = &[RED];
    let first = red.run(&attack(1), fixed(&[]));
    let claim = key("t1.red.attack/bridge/strong/1");
    assert_eq!(first.stop, Stop::Facts { who: BLUE, slots: vec![], claims: vec![claim.clone()] });

    // Red's word about Blue's men counts for nothing.
    red.said.claims.insert((RED, claim.clone()), Json::Bool(false));
    assert_eq!(red.run(&attack(1), fixed(&[])).stop, first.stop);

    // Blue states the fact beforehand, without a die.
    let mut blue = sealed_standing_order();
    blue.closer_holds = &[BLUE];
    let stated = blue.run(&attack(1), Dice::None).minutes.claims;
    assert_eq!(stated, [Claim { owner: BLUE, key: claim.clone(), value: Json::Bool(true) }]);

    red.settled = first.settled.clone();
    red.said.claims.insert((BLUE, claim), Json::Bool(true));
    let second = red.run(&attack(1), fixed(&[]));
    let slots = vec![Slot::standing("reply")];
    assert_eq!(second.stop, Stop::Facts { who: BLUE, slots, claims: vec![] });
    assert_eq!(second.journal[..first.journal.len()], first.journal[..]);

    red.settled = second.settled.clone();
    red.said.reveals.insert((BLUE, Slot::standing("reply")), Json::object([("policy", "fall-back")]));
    let third = red.run(&attack(1), fixed(&[]));
    assert_eq!(third.journal[..second.journal.len()], second.journal[..]);
    assert_eq!(replied(&third), Some(Stance::FallBack));
    assert!(third.stop.ends_span());
}

#[test]
fn a_false_claim_is_found_wherever_the_value_is_open() {
    let mut desk = Desk::with_guard(1);
    desk.said.claims.insert((BLUE, key("t1.red.attack/bridge/strong/1")), Json::Bool(true));
    let failure = desk.resolve(&attack(1), fixed(&[4])).expect_err("one man is not strong");
    assert!(matches!(failure, Failure::Breach(breach) if breach.fault == Some(BLUE) && breach.code == "E60-AUDIT"));
    desk.holdings = Holdings::default();
    desk.said.reveals.insert((BLUE, slot("guard")), Json::Int(1));
    let failure = desk.resolve(&attack(1), fixed(&[4]));
    assert!(failure.is_ok(), "what lies open is not claimed: the fact follows from the value itself");
}

#[test]
fn the_public_both_sides_and_the_game_master_see_the_same_game() {
    let open = Desk::with_guard(2).run(&attack(2), fixed(&[2, 5]));
    assert_eq!(open.minutes.claims.len(), 1);
    assert_eq!(open.minutes.reveals.len(), 1);
    let guard = Holdings([((BLUE, slot("guard")), Json::Int(2))].into());
    for holdings in [Holdings::default(), guard] {
        let mut view = Desk { holdings, closer_holds: NO_ONE, ..Desk::with_guard(2) };
        view.said.claims = open.minutes.claims.iter().map(|c| ((c.owner, c.key.clone()), c.value.clone())).collect();
        view.said.reveals = open.minutes.reveals.iter().map(|o| ((o.owner, o.slot.clone()), o.value.clone())).collect();
        let seen = view.run(&attack(2), fixed(&[2, 5]));
        assert_eq!(to_json(&seen.state), to_json(&open.state));
        assert_eq!(public(&seen), public(&open));
        assert_eq!(seen.stop, open.stop);
    }
}

#[test]
fn a_hidden_value_never_shows_in_the_state() {
    let written =
        |men: i64| to_json(&Desk::with_guard(men).policy(BLUE, REPLY, "fall-back").run(&attack(1), fixed(&[])).state);
    assert_eq!(written(1), written(3));
}

#[test]
fn a_value_in_place_and_a_sealed_one_give_the_same_position() {
    let (state, _) = Bridge.begin();
    let set_up = |guard| Packet::SetUp(SetUp { guard });
    let desk = Desk { holdings: Holdings::default(), ..Desk::with_guard(2) };
    let segment = || Segment {
        dice: Dice::None,
        settled: Settled::default(),
        said: &desk.said,
        public: &desk.public,
        holdings: &desk.holdings,
        versions: &desk.versions,
        tickets: Tickets::NONE,
        closer_holds: EVERYBODY,
        questions: Questions::default(),
    };
    let open = run(&Bridge, &state, &set_up(Concealed::Open(2)), segment()).expect("set up");
    let sealed = run(&Bridge, &state, &set_up(Concealed::Sealed(slot("guard"))), segment()).expect("set up");
    assert_eq!(open.state, sealed.state);
    assert_eq!(open.kept.get(BLUE, &slot("guard")), Some(&Json::Int(2)));
    assert!(sealed.kept.0.is_empty());
    let breach = run(&Bridge, &state, &set_up(Concealed::Sealed(slot("other"))), segment());
    assert!(matches!(breach, Err(Failure::Breach(breach)) if breach.code == "E14-SCHEMA"));
    let lie = run(&Bridge, &state, &set_up(Concealed::Open(9)), segment());
    assert!(
        matches!(lie, Err(Failure::Breach(breach)) if breach.about.contains("1a")),
        "nine men are not one to three"
    );
}

#[test]
fn fixed_dice_must_be_enough_and_carry_the_right_label() {
    let desk = Desk::with_guard(2);
    assert_eq!(desk.run(&attack(1), fixed(&[4, 6])).dice_left, 1);
    let label = key("t1.red.attack/bridge/assault/1");
    assert_eq!(desk.resolve(&attack(1), fixed(&[])).err(), Some(Failure::NoDice(label.clone())));
    let labelled = |text: &str| Dice::Fixed(VecDeque::from([FixedDie { label: Some(text.into()), faces: vec![4] }]));
    assert!(desk.resolve(&attack(1), labelled(label.as_str())).is_ok());
    let wrong = desk.resolve(&attack(1), labelled("t1.red.attack/bridge/assault/2")).err();
    assert!(matches!(wrong, Some(Failure::WrongDie { called, .. }) if called == label));
    assert!(desk.resolve(&attack(1), fixed(&[7])).is_err(), "no die shows a seven");
}
