//! What the rulebook prints, typed from it: the figures [`super::check`] compares the data with.

use crate::games::santiago_1898::tables::{HistoricEvent, Jungle, Surrender, Withdrawal};
use crate::games::santiago_1898::terms::{Force, Group};

use HistoricEvent::{BadWeather, EscarioDelayed, GarrisonsReleased, HeroicCubans, SpanishMachineguns};
use Surrender::{ALasJarcias as ALJ, Nothing as NIL, Surrender as R};
use Withdrawal::{NoEffect as NE, Withdrawal as W};

/// Units by the code the rulebook uses, with the set-up group it puts them in.
#[rustfmt::skip]
pub(super) const PRINTED_UNITS: &[(Force, Group, &str, &[&str])] = &[
    (Force::Us, Group::Wave1, "HSU.b", &["1", "4", "7", "8", "12", "17", "25", "3 Cav", "6 Cav", "9 Cav", "1 VolR", "TR",
                                         "Gr", "Be", "Ca", "Ph", "Pk", "SD"]),
    (Force::Us, Group::Wave2, "HSU.c", &["E/1", "34 Vol", "8 Vol", "9 Vol", "2", "6", "9", "10", "13", "16", "21", "24",
                                         "1 Cav", "10 Cav", "3", "20", "33 Vol"]),
    (Force::Spanish, Group::Start, "HSS.b", &["1/64 S"]),
    (Force::Spanish, Group::Start, "HSS.c", &["1/29 Co", "Vara del Rey"]),
    (Force::Spanish, Group::Start, "HSS.d", &["1 TG", "4TV", "1/PPR", "Voluntarios", "1/5 RA"]),
    (Force::Spanish, Group::Start, "3.2f", &["BN"]),
    (Force::Spanish, Group::Start, "HSS.f", &["1/65 Cu", "2/65 Cu"]),
    (Force::Spanish, Group::Start, "HSS.g", &["1/55 A"]),
    (Force::Spanish, Group::Start, "HSS.h", &["Ing/3R"]),
    (Force::Spanish, Group::Start, "HSS.i", &["19 T", "1 Cav", "2 TG", "1/11 SF", "6/4 AM", "VC"]),
    (Force::Spanish, Group::Start, "3.2g", &["M", "So"]),
    (Force::Spanish, Group::Event6, "3.2c", &["Am"]),
    (Force::Cuban, Group::Cuban, "1.4d", &["Cb", "Ba", "Ji", "Ra", "RY", "GC", "Es", "R"]),
];

/// 4.2, die 1 to 8; columns 4, 5, 6 and more.
pub(super) const SURRENDER: [[Surrender; 3]; 8] = [
    [NIL, NIL, NIL],
    [NIL, NIL, NIL],
    [NIL, NIL, NIL],
    [NIL, NIL, NIL],
    [NIL, NIL, ALJ],
    [NIL, ALJ, R],
    [ALJ, R, R],
    [R, R, R],
];

/// 4.4, die 1 to 6; columns 10-18, 19-22, 23 and more.
pub(super) const WITHDRAWAL: [[Withdrawal; 3]; 6] =
    [[NE, NE, NE], [NE, NE, NE], [NE, NE, NE], [NE, NE, W], [NE, W, W], [W, W, W]];

/// The Defensive Fire Table, die 0 to 8; columns 1-3, 4-6, 7-10, 11-15, 16-20, 21 and more.
pub(super) const FIRE: [[&str; 6]; 9] = [
    ["-", "-", "-", "-", "-", "-"],
    ["-", "-", "-", "-", "-", "DIS"],
    ["-", "-", "-", "-", "DIS", "DIS"],
    ["-", "-", "-", "DIS", "DIS", "DIS"],
    ["-", "-", "DIS", "DIS", "DIS", "1"],
    ["-", "DIS", "DIS", "DIS", "1", "1"],
    ["DIS", "DIS", "DIS", "1", "1", "1+DIS"],
    ["DIS", "DIS", "1", "1", "1+DIS", "2+DIS"],
    ["DIS", "1", "1", "1", "2+DIS", "2+DIS"],
];

/// The Shock Combat Table, die 1 to 8; columns 1:2 to 5:1.
pub(super) const SHOCK: [[&str; 6]; 8] = [
    ["3/-", "2/-", "1/-", "1/-", "-/1", "-/2"],
    ["2/-", "2/-", "1/-", "1/1", "-/1", "-/2"],
    ["2/-", "1/-", "1/-", "1/2", "-/2", "-/3"],
    ["1/-", "1/-", "1/1", "1/2", "-/3", "-/3R"],
    ["1/-", "1/-", "1/1", "1/2", "-/3", "-/3R"],
    ["1/-", "-/-", "1/1", "1/3", "-/3", "-/3R"],
    ["-/-", "-/R", "-/1R", "-/3R", "-/3R", "-/3R"],
    ["-/-", "-/R", "-/1R", "-/3R", "-/3R", "-/3R"],
];

/// 7.2, die 1 to 6.
pub(super) const EVENTS: [(HistoricEvent, &str); 6] = [
    (HeroicCubans, "7.2.1a"),
    (EscarioDelayed, "7.2.2a"),
    (BadWeather, "7.2.3a"),
    (GarrisonsReleased, "7.2.4a"),
    (GarrisonsReleased, "7.2.4a"),
    (SpanishMachineguns, "7.2.6a"),
];

/// 8.6, die 1 to 8.
pub(super) const JUNGLE: [(Jungle, &str); 8] = [
    (Jungle::SpanishMoves, "8.6c"),
    (Jungle::Halt, "8.6d"),
    (Jungle::Halt, "8.6d"),
    (Jungle::Halt, "8.6d"),
    (Jungle::On, "8.6e"),
    (Jungle::On, "8.6e"),
    (Jungle::On, "8.6e"),
    (Jungle::On, "8.6e"),
];

/// 10.5: first and last turn, force, clause, steps on a die of 1 to 6.
pub(super) const FEVER: [(u32, u32, Force, &str, [u8; 6]); 8] = [
    (5, 6, Force::Spanish, "YFT.a", [0, 0, 0, 0, 1, 1]),
    (5, 6, Force::Us, "YFT.b", [0, 0, 1, 1, 2, 2]),
    (7, 8, Force::Spanish, "YFT.c", [1, 1, 1, 2, 2, 2]),
    (7, 8, Force::Us, "YFT.d", [1, 1, 2, 2, 2, 2]),
    (9, 10, Force::Spanish, "YFT.e", [1, 1, 1, 2, 2, 2]),
    (9, 10, Force::Us, "YFT.f", [2, 2, 2, 3, 3, 3]),
    (11, 15, Force::Spanish, "YFT.g", [1, 1, 1, 2, 2, 2]),
    (11, 15, Force::Us, "YFT.h", [2, 2, 3, 3, 3, 3]),
];

/// 2.1, R18.
pub(super) const DATES: [&str; 15] = [
    "1898-06-22",
    "1898-06-23",
    "1898-06-24",
    "1898-06-25",
    "1898-06-26",
    "1898-06-27",
    "1898-06-28",
    "1898-06-29",
    "1898-06-30",
    "1898-07-01",
    "1898-07-02",
    "1898-07-03",
    "1898-07-04",
    "1898-07-05",
    "1898-07-06",
];
