//! An umpire who hopes: how dice fall before him, what he makes of bars, and what hangs on what.

use super::super::bridge::{BLUE, Bridge, Happening, RED};
use super::super::cast::Touch;
use super::super::dice::Die;
use super::super::doc::{DocPath, Fault};
use super::super::{Bar, Cloud, Halt, Holdings, Phase, Rules, Ruling, Seen, Subject, Umpire, hoping};
use super::{Found, Hopes, Luck};

fn before_red<T>(f: impl FnOnce(&mut Umpire<'_, Bridge>) -> T) -> T {
    let (state, holdings) = (Bridge.begin().0, Holdings::default());
    let seen = Seen { state: &state, holdings: &holdings, side: Some(RED) };
    hoping(&Bridge, &seen, RED, |_, umpire| {
        umpire.phase(Phase { turn: 1, side: "red", name: "fire" });
        f(umpire)
    })
}

fn odd_or_even(faces: &[u16]) -> u16 {
    faces.iter().sum::<u16>() % 2
}

#[test]
fn the_authors_dice_come_up_well_and_the_opponents_badly_for_him_who_throws() {
    before_red(|umpire| -> Ruling<()> {
        let sum = |faces: &[u16]| faces.iter().sum::<u16>();
        let own = umpire.throw(RED, &Subject::of("a"), "shot", &[Die::D6], sum, Touch::default())?;
        let his = umpire.throw(BLUE, &Subject::of("b"), "shot", &[Die::D6], sum, Touch::default())?;
        assert_eq!((own.result, his.result), (6, 1));
        Ok(())
    })
    .expect("no halt");
}

#[test]
fn every_result_is_counted_best_first() {
    before_red(|umpire| -> Ruling<()> {
        let sum = |faces: &[u16]| faces.iter().sum::<u16>();
        let thrown = umpire.throw(RED, &Subject::of("a"), "shot", &[Die::D6, Die::D6], sum, Touch::default())?;
        let ways: Vec<(String, u32)> = thrown.cast.chances().iter().map(|w| (w.result.clone(), w.ways)).collect();
        let by_hand = (2..=12u32).rev().map(|sum| (sum.to_string(), 6 - 7u32.abs_diff(sum)));
        assert_eq!(ways, by_hand.collect::<Vec<_>>());
        assert!(thrown.cast.to_string().starts_with("12 in 1 of 36, 11 in 2, "));
        Ok(())
    })
    .expect("no halt");
}

#[test]
fn a_fight_until_somebody_hits_ends() {
    before_red(|umpire| -> Ruling<()> {
        let mut throw = |touch| umpire.throw(RED, &Subject::of("a"), "melee", &[Die::D6], odd_or_even, touch);
        let results = [throw(Touch::default())?, throw(Touch::default())?, throw(Touch::default())?];
        assert_eq!(results.map(|thrown| thrown.result), [1, 1, 0]);
        // What is counted on is counted on every time.
        assert_eq!(throw(Touch::counted_on([]))?.result, 1);
        Ok(())
    })
    .expect("no halt");
}

#[test]
fn a_bar_about_what_a_refused_order_would_have_moved_hangs_on_it() {
    let lapsed = |_: &[Bar]| -> Happening { unreachable!("a check notes no lapse") };
    before_red(|umpire| {
        let moves = DocPath::root().key("moves");
        let before = umpire.take_in_hand(moves.index(0));
        umpire.lapse(vec![Bar::new("1.1", "it cannot go", "leave it").about([Subject::of("gun")])], lapsed);
        umpire.put_down(before);
        assert_eq!(umpire.cloud_on(&Subject::of("gun")), Some(&Cloud::Refused(moves.index(0))));
        // A deed that rests on the gun throws the wall into doubt as well.
        umpire.rests(&[Subject::of("gun")], [Subject::of("wall")]);
        assert_eq!(umpire.cloud_on(&Subject::of("wall")), Some(&Cloud::Refused(moves.index(0))));
        assert_eq!(umpire.cloud_on(&Subject::of("gate")), None);
    });
}

#[test]
fn the_faults_of_one_order_are_no_excuse_for_each_other() {
    let lapsed = |_: &[Bar]| -> Happening { unreachable!("a check notes no lapse") };
    before_red(|umpire| {
        let bar = |clause| Bar::new(clause, "it cannot go", "leave it").about([Subject::of("gun")]);
        let moves = DocPath::root().key("moves");
        for index in [0, 1] {
            let before = umpire.take_in_hand(moves.index(index));
            umpire.lapse(vec![bar("1.1")], lapsed);
            umpire.lapse(vec![bar("1.2")], lapsed);
            umpire.put_down(before);
        }
        // Both faults of the first order stand by themselves, those of the second hang on it.
        let found = umpire.hopes.iter().flat_map(|hopes| &hopes.found);
        let hanging: Vec<bool> = found.map(|found| found.cloud.is_some()).collect();
        assert_eq!(hanging, [false, false, true, true]);
    });
}

#[test]
fn a_die_throws_what_it_touches_into_doubt() {
    before_red(|umpire| -> Ruling<()> {
        umpire.throw(RED, &Subject::of("a"), "jungle", &[Die::D6], odd_or_even, Touch::on([Subject::of("column")]))?;
        assert_eq!(umpire.cloud_on(&Subject::of("column")), Some(&Cloud::Die("jungle".into())));
        Ok(())
    })
    .expect("no halt");
}

#[test]
fn a_check_ends_where_everything_is_decided_and_a_resolution_goes_on() {
    assert_eq!(before_red(|umpire| umpire.decided()), Err(Halt::Foreseen));
}

/// What a check tells of an order that is barred like this in the walk with luck and in the walk without.
fn told(with_luck: Option<Bar>, without: Option<Bar>) -> Vec<(String, bool)> {
    let order = DocPath::root().key("moves").index(0);
    let walk = |luck: Luck, bar: Option<Bar>| {
        let mut hopes = Hopes::new(RED, luck, false);
        hopes.came_up.insert(order.clone());
        hopes.found.extend(bar.map(|bar| Found { order: order.clone(), bar, cloud: None, minded: false }));
        hopes
    };
    let faults = walk(Luck::Good, with_luck).told(Some(&walk(Luck::Bad, without)), &DocPath::root());
    let brief = |fault: &Fault| (fault.clause.map(|clause| clause.to_string()).unwrap_or_default(), fault.warning);
    faults.iter().map(brief).collect()
}

#[test]
fn what_is_barred_in_one_walk_alone_is_legal_and_what_is_barred_in_both_a_fault() {
    let bar = |clause| Some(Bar::new(clause, "it cannot go", "leave it").part("path"));
    assert_eq!(told(bar("1.1"), None), []);
    assert_eq!(told(None, bar("1.1")), []);
    assert_eq!(told(bar("1.1"), bar("1.1")), [("§1.1".to_owned(), false)]);
}

#[test]
fn an_order_that_each_walk_bars_for_a_reason_of_its_own_is_warned_of_with_both() {
    let bar = |clause| Bar::new(clause, "it cannot go", "leave it").part("path");
    let warned = [("§1.1".to_owned(), true), ("§1.2".to_owned(), true)];
    assert_eq!(told(Some(bar("1.1")), Some(bar("1.2"))), warned);
    // The end of a path and the whole of it are one matter, its units another.
    let last = Bar::new("1.1", "it cannot go", "leave it").at(DocPath::root().key("path").index(3));
    assert_eq!(told(Some(last), Some(bar("1.2"))), warned);
    let units = Bar::new("1.1", "it cannot go", "leave it").part("units");
    assert_eq!(told(Some(units), Some(bar("1.2"))), []);
    // What rests on something no die touches bars it whenever the other reason does not.
    let ground = bar("1.2").about([Subject::of("ground")]);
    assert_eq!(told(Some(bar("1.1")), Some(ground.clone())), [("§1.2".to_owned(), false)]);
    assert_eq!(told(Some(ground.clone()), Some(bar("1.1"))), [("§1.2".to_owned(), false)]);
    assert_eq!(told(None, Some(ground)), []);
}
