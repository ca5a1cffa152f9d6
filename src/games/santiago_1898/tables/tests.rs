//! Every cell, typed once more from the rulebook and read through the lookups.

use super::*;
use crate::games::santiago_1898::data::Data;

#[test]
fn the_surrender_table() {
    use Surrender::{ALasJarcias, Nothing, Surrender as Rendicion};
    let tables = &Data::ours().tables;
    let row = |die| [4, 5, 6].map(|objectives| tables.surrender(objectives, die));
    for die in 1..=4 {
        assert_eq!(row(die), [Nothing; 3]);
    }
    assert_eq!(row(5), [Nothing, Nothing, ALasJarcias]);
    assert_eq!(row(6), [Nothing, ALasJarcias, Rendicion]);
    assert_eq!(row(7), [ALasJarcias, Rendicion, Rendicion]);
    assert_eq!(row(8), [Rendicion; 3]);
    assert_eq!(tables.surrender(3, 8), Nothing, "three objectives are not enough");
    assert_eq!(tables.surrender(8, 6), Rendicion);
}

#[test]
fn the_withdrawal_table() {
    use Withdrawal::{NoEffect, Withdrawal as Home};
    let tables = &Data::ours().tables;
    let row = |die| [10, 18, 19, 22, 23, 54].map(|lost| tables.withdrawal(lost, die));
    for die in 1..=3 {
        assert_eq!(row(die), [NoEffect; 6]);
    }
    assert_eq!(row(4), [NoEffect, NoEffect, NoEffect, NoEffect, Home, Home]);
    assert_eq!(row(5), [NoEffect, NoEffect, Home, Home, Home, Home]);
    assert_eq!(row(6), [Home; 6]);
    assert_eq!(tables.withdrawal(9, 6), NoEffect);
}

#[test]
fn the_historic_events() {
    use HistoricEvent::*;
    let tables = &Data::ours().tables;
    let events = [1, 2, 3, 4, 5, 6].map(|die| tables.event(die).unwrap());
    let printed = [HeroicCubans, EscarioDelayed, BadWeather, GarrisonsReleased, GarrisonsReleased, SpanishMachineguns];
    assert_eq!(events, printed);
    let again = printed.map(|event| tables.event_repeats(event));
    assert_eq!(again, [true, false, true, false, false, false]);
}

#[test]
fn the_jungle_table() {
    let tables = &Data::ours().tables;
    assert_eq!(tables.jungle(1), Jungle::SpanishMoves);
    assert_eq!([2, 3, 4].map(|die| tables.jungle(die)), [Jungle::Halt; 3]);
    assert_eq!([5, 6, 7, 8].map(|die| tables.jungle(die)), [Jungle::On; 4]);
}

#[test]
fn the_fever_table() {
    let tables = &Data::ours().tables;
    let losses = |turn, force| [1, 2, 3, 4, 5, 6].map(|die| tables.fever(turn, force, die));
    for turn in 1..=4 {
        assert_eq!(losses(turn, Force::Us), [0; 6]);
        assert_eq!(losses(turn, Force::Spanish), [0; 6]);
    }
    for turn in 5..=6 {
        assert_eq!(losses(turn, Force::Spanish), [0, 0, 0, 0, 1, 1]);
        assert_eq!(losses(turn, Force::Us), [0, 0, 1, 1, 2, 2]);
    }
    for turn in 7..=15 {
        assert_eq!(losses(turn, Force::Spanish), [1, 1, 1, 2, 2, 2]);
    }
    for turn in 7..=8 {
        assert_eq!(losses(turn, Force::Us), [1, 1, 2, 2, 2, 2]);
    }
    for turn in 9..=10 {
        assert_eq!(losses(turn, Force::Us), [2, 2, 2, 3, 3, 3]);
    }
    for turn in 11..=15 {
        assert_eq!(losses(turn, Force::Us), [2, 2, 3, 3, 3, 3]);
        assert_eq!(losses(turn, Force::Cuban), [0; 6], "Cubans never suffer");
    }
    assert_eq!(tables.fever(5, Force::Us, 0), 0);
    assert_eq!(tables.fever(5, Force::Us, 7), 0);
}

#[test]
fn the_defensive_fire_table() {
    const NIL: FireResult = FireResult { steps: 0, dis: false };
    const DIS: FireResult = FireResult { steps: 0, dis: true };
    const ONE: FireResult = FireResult { steps: 1, dis: false };
    const ONE_DIS: FireResult = FireResult { steps: 1, dis: true };
    const TWO_DIS: FireResult = FireResult { steps: 2, dis: true };
    let tables = &Data::ours().tables;
    // Column by column from the top, die 0 to 8.
    let columns: [(&[u32], &str, [FireResult; 9]); 6] = [
        (&[1, 2, 3], "1-3", [NIL, NIL, NIL, NIL, NIL, NIL, DIS, DIS, DIS]),
        (&[4, 5, 6], "4-6", [NIL, NIL, NIL, NIL, NIL, DIS, DIS, DIS, ONE]),
        (&[7, 10], "7-10", [NIL, NIL, NIL, NIL, DIS, DIS, DIS, ONE, ONE]),
        (&[11, 15], "11-15", [NIL, NIL, NIL, DIS, DIS, DIS, ONE, ONE, ONE]),
        (&[16, 20], "16-20", [NIL, NIL, DIS, DIS, DIS, ONE, ONE, ONE_DIS, TWO_DIS]),
        (&[21, 60], "21+", [NIL, DIS, DIS, DIS, ONE, ONE, ONE_DIS, TWO_DIS, TWO_DIS]),
    ];
    for (factors, name, printed) in columns {
        for &factors in factors {
            assert_eq!(tables.fire_column(factors).as_deref(), Some(name));
            for (die, result) in (0..).zip(printed) {
                assert_eq!(tables.defensive_fire(factors, die), result, "{factors} factors, die {die}");
            }
            assert_eq!(tables.defensive_fire(factors, -4), printed[0], "0 or less");
            assert_eq!(tables.defensive_fire(factors, 11), printed[8], "8 or more");
        }
    }
    assert_eq!(tables.defensive_fire(0, 8), NIL, "no factors, no fire");
}

#[test]
fn the_shock_table() {
    let tables = &Data::ours().tables;
    let result = |attacker, defender, retreat| ShockResult { attacker, defender, retreat };
    // (attacker, defender) steps on a die of 1 to 6, then 7 and 8.
    type Column = (Odds, [(u8, u8); 6], ShockResult);
    let columns: [Column; 5] = [
        (Odds::OneToTwo, [(3, 0), (2, 0), (2, 0), (1, 0), (1, 0), (1, 0)], result(0, 0, false)),
        (Odds::OneToOne, [(2, 0), (2, 0), (1, 0), (1, 0), (1, 0), (0, 0)], result(0, 0, true)),
        (Odds::TwoToOne, [(1, 0), (1, 0), (1, 0), (1, 1), (1, 1), (1, 1)], result(0, 1, true)),
        (Odds::ThreeToOne, [(1, 0), (1, 1), (1, 2), (1, 2), (1, 2), (1, 3)], result(0, 3, true)),
        (Odds::FourToOne, [(0, 1), (0, 1), (0, 2), (0, 3), (0, 3), (0, 3)], result(0, 3, true)),
    ];
    for (odds, printed, heroic) in columns {
        for (die, (attacker, defender)) in (1..).zip(printed) {
            assert_eq!(tables.shock(odds, die), result(attacker, defender, false), "{odds}, die {die}");
        }
        assert_eq!(tables.shock(odds, 7), heroic);
        assert_eq!(tables.shock(odds, 8), heroic);
    }
    let five = [1, 2, 3, 4, 5, 6, 7, 8].map(|die| tables.shock(Odds::FiveToOne, die));
    let rout = result(0, 3, true);
    assert_eq!(five, [result(0, 2, false), result(0, 2, false), result(0, 3, false), rout, rout, rout, rout, rout]);
}

#[test]
fn odds_are_rounded_for_the_defender() {
    assert_eq!(Odds::of(20, 5), Odds::FourToOne, "the example of 9.3");
    assert_eq!(Odds::of(19, 5), Odds::ThreeToOne);
    assert_eq!(Odds::of(4, 5), Odds::OneToTwo);
    assert_eq!(Odds::of(5, 5), Odds::OneToOne);
    assert_eq!(Odds::of(40, 5), Odds::FiveToOne);
    assert_eq!(Odds::of(3, 0), Odds::FiveToOne);
    assert_eq!(Odds::of(0, 3), Odds::OneToTwo);
    assert_eq!(Odds::of(0, 0), Odds::OneToTwo);
    assert_eq!(Odds::of(8, 1).shifted(-2), Odds::ThreeToOne, "shifts are moves on the table");
    assert_eq!(Odds::OneToOne.shifted(-4), Odds::OneToTwo);
    assert_eq!(Odds::FourToOne.shifted(i32::MAX), Odds::FiveToOne);
}

#[test]
fn costs_of_the_terrain_chart() {
    let movement = &Data::ours().tables.movement;
    use Terrain::*;
    let fair = [Clear, Jungle, Beach, Town, City, Hill].map(|terrain| movement.enter(terrain, false).unwrap());
    assert_eq!(fair, [1, 2, 1, 1, 1, 2]);
    let foul = [Clear, Jungle, Beach, Town, City, Hill].map(|terrain| movement.enter(terrain, true).unwrap());
    assert_eq!(foul, [2, 3, 1, 1, 1, 2]);
    assert_eq!([Ocean, Harbor].map(|terrain| movement.enter(terrain, false)), [None, None]);
    assert_eq!((movement.road, movement.river, movement.column_factor), (1, 1, 2));
}

#[test]
fn the_numbers_named_in_the_rules() {
    let tables = &Data::ours().tables;
    let limits = &tables.limits;
    assert_eq!((limits.stacking, limits.landing_steps, limits.base_landing_steps), (6, 12, 6));
    assert_eq!((limits.naval_range, limits.naval_factors, limits.supply_hexes), (4, 5, 2));
    assert_eq!((limits.surrender_objectives, limits.withdrawal_steps), (4, 10));
    let fire = &tables.defensive_fire.modifiers;
    assert_eq!((fire.from_hill, fire.signals, fire.leader, fire.all_out), (1, 1, 1, 2));
    assert_eq!((fire.battery, fire.entrenchment, fire.jungle, fire.redoubt), (-1, -1, -1, -2));
    let shock = &tables.shock.shifts;
    assert_eq!((shock.attacking_leader, shock.defending_leader, shock.all_out), (1, -1, 2));
    assert_eq!((shock.ground, shock.river, shock.redoubt), (-1, -1, -2));
}
