//! The tables and limits of the game, as `tables.yaml` has them, and how their cells are read.

use std::fmt;

use crate::board::{ShockResult, steps};
use crate::engine::data::{Loader, Provenance, Rows, Table, at};
use crate::{document, printed, words};

use super::data::TABLES;
use super::terms::{EventName, GuerrillaResult, JungleResult, Surrender, Terrain, Withdrawal};

words! {
    /// A column of the Shock Combat Table (A95e).
    pub enum Odds {
        /// 1:2 and under.
        OneToTwo = "1:2",
        /// 1:1.
        OneToOne = "1:1",
        /// 2:1.
        TwoToOne = "2:1",
        /// 3:1.
        ThreeToOne = "3:1",
        /// 4:1.
        FourToOne = "4:1",
        /// 5:1 and over.
        FiveToOne = "5:1",
    }
}

impl Odds {
    /// The printed column of two totals, fractions dropped for the defender (A28a); a total of 0 as A28c has it.
    pub fn of(attack: u32, defence: u32) -> Odds {
        let ratio = attack.checked_div(defence).unwrap_or(5).min(5);
        Odds::ALL.get(ratio as usize).copied().unwrap_or(Odds::FiveToOne)
    }
}

/// A cell of the Fire Table: `-`, `DS`, `1`, `2+DS`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FireResult {
    /// Steps lost by the target.
    pub steps: u8,
    /// One unit of it is disorganized (§9.5a).
    pub ds: bool,
}

impl FireResult {
    /// The result a cell says.
    pub fn parse(text: &str) -> Option<FireResult> {
        match text.strip_suffix("+DS") {
            Some(digits) => Some(FireResult { steps: steps(digits)?, ds: true }),
            None if text == "-" => Some(FireResult::default()),
            None if text == "DS" => Some(FireResult { steps: 0, ds: true }),
            None => Some(FireResult { steps: steps(text)?, ds: false }),
        }
    }
}

impl fmt::Display for FireResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.steps, self.ds) {
            (0, false) => f.pad("-"),
            (0, true) => f.pad("DS"),
            (steps, false) => write!(f, "{steps}"),
            (steps, true) => write!(f, "{steps}+DS"),
        }
    }
}

printed! {
    FireResult, "`-`, `DS`, `1`, `1+DS`";
}

document! {
    /// `tables.yaml`.
    pub struct Tables {
        /// The game, for the reader of the file: `end-of-empire`.
        pub game: String,
        /// §7.2.
        pub events: EventTable,
        /// §4.1.
        pub surrender: SurrenderTable,
        /// §4.2.
        pub withdrawal: WithdrawalTable,
        /// §9.2, §9.6, §9.7.
        pub fire: FireTable,
        /// §9.2.
        pub shock: ShockTable,
        /// §11.
        pub guerrilla: GuerrillaTable,
        /// §12.
        pub fever: FeverTable,
        /// §14.1.
        pub jungle: JungleTable,
        /// §14.2.
        pub coordination: OnDice,
        /// §14.3.
        pub friendly_fire: OnDice,
        /// §14.8f.
        pub observation: OnDice,
        /// The Terrain Effects Chart.
        pub terrain: Costs,
        /// Limits printed in the text.
        pub limits: Limits,
        /// §14.4.
        pub supply: SupplyPoints,
        /// §9.7.
        pub naval: Naval,
        /// §8.3.
        pub escario: Escario,
    }

    /// §7.2t.
    pub struct EventTable {
        /// Where it comes from.
        pub source: Provenance,
        /// The entries.
        pub rows: Vec<EventRow>,
    }

    /// An entry of the Historical Events Table.
    #[derive(Copy)]
    pub struct EventRow {
        /// From this number of two dice.
        pub from: u16,
        /// To this one.
        pub to: u16,
        /// What happens.
        pub event: EventName,
        /// Once in a match only.
        pub once: bool,
    }

    /// §4.1e.
    pub struct SurrenderTable {
        /// Where it comes from.
        pub source: Provenance,
        /// Least number of objectives of each column, results by die.
        pub results: Table<u32, Surrender>,
        /// Added while El Caney is occupied (§4.1c).
        pub el_caney: i32,
        /// Added once A came up on an earlier turn (§4.1d).
        pub jarcias: i32,
    }

    /// §4.2f.
    pub struct WithdrawalTable {
        /// Where it comes from.
        pub source: Provenance,
        /// Least number of US steps lost of each column, results by die.
        pub results: Table<u32, Withdrawal>,
        /// Added under event 25-26 (§4.2e).
        pub yellow_press: i32,
    }

    /// §9.2d.
    pub struct FireTable {
        /// Where it comes from.
        pub source: Provenance,
        /// Least total of each column, results by die.
        pub results: Table<u32, FireResult>,
        /// Added to the die.
        pub modifiers: FireModifiers,
    }

    /// Added to the die of the Fire Table (A95c, A95d, §8.2g, §14.4.5).
    #[derive(Copy)]
    pub struct FireModifiers {
        /// From a hill at a target that is not on one.
        pub from_hill: i32,
        /// At a target in jungle.
        pub jungle: i32,
        /// At a target entrenched or in a battery.
        pub works: i32,
        /// At a target in a redoubt, instead.
        pub redoubt: i32,
        /// Spanish fire at US units with or beside the balloon.
        pub balloon: i32,
        /// By a stack with units that landed this turn.
        pub landed: i32,
        /// Supported by a supply point.
        pub supply: i32,
    }

    /// §9.2h.
    pub struct ShockTable {
        /// Where it comes from.
        pub source: Provenance,
        /// Results by odds and die.
        pub results: Table<Odds, ShockResult>,
        /// Columns to the right.
        pub shifts: ShockShifts,
        /// Added to the die.
        pub die: ShockDie,
    }

    /// Shifts of the Shock Combat Table; to the right is positive (A94, A95e).
    #[derive(Copy)]
    pub struct ShockShifts {
        /// Jungle, hill, village, town, city or entrenchment, once.
        pub ground: i32,
        /// A redoubt.
        pub redoubt: i32,
        /// All attackers across a river.
        pub river: i32,
        /// Defenders that landed this turn.
        pub landed: i32,
        /// A supply point, for who spends it.
        pub supply: i32,
        /// Event 51-52.
        pub maine: i32,
        /// Event 53-54, for the Naval Brigade.
        pub trozos: i32,
        /// Event 55-56.
        pub tocineros: i32,
    }

    /// Added to the shock die.
    #[derive(Copy)]
    pub struct ShockDie {
        /// Cubans attacking under event 14-16.
        pub friend_calixto: i32,
        /// US Army attacking under event 31-33.
        pub the_dons: i32,
    }

    /// §11.3t.
    pub struct GuerrillaTable {
        /// Where it comes from.
        pub source: Provenance,
        /// Attacks by units in guerrilla.
        pub attack: Rows<GuerrillaResult>,
        /// Added to their die.
        pub attack_modifiers: AmbushModifiers,
        /// Attacks on units in guerrilla.
        pub counter: Rows<GuerrillaResult>,
        /// Added to their die.
        pub counter_modifiers: HuntModifiers,
        /// A second die of these costs a step.
        pub step_lost_on: Vec<u16>,
    }

    /// §11.3.2.
    #[derive(Copy)]
    pub struct AmbushModifiers {
        /// The target has a logistic column.
        pub logistic_column: i32,
        /// The target is in jungle.
        pub jungle: i32,
        /// Made in the enemy's movement phase.
        pub movement: i32,
    }

    /// §11.3.1.
    #[derive(Copy)]
    pub struct HuntModifiers {
        /// Guerrillas among the attackers.
        pub guerrillas: i32,
        /// The target is in jungle.
        pub jungle: i32,
        /// From more than one hex.
        pub several: i32,
    }

    /// §12e.
    pub struct FeverTable {
        /// Where it comes from.
        pub source: Provenance,
        /// First turn with fever.
        pub first_turn: u32,
        /// Steps lost.
        pub rows: Vec<FeverRow>,
    }

    /// Steps lost to fever on a die of 1 to 6.
    pub struct FeverRow {
        /// First and last turn.
        pub turns: (u32, u32),
        /// Spanish steps.
        pub spanish: Vec<u8>,
        /// US steps.
        pub us: Vec<u8>,
    }

    /// §14.1t.
    pub struct JungleTable {
        /// Where it comes from.
        pub source: Provenance,
        /// Results by modified die.
        pub rows: Rows<JungleResult>,
        /// The balloon is up beside the stack.
        pub balloon: i32,
        /// Jungle, always.
        pub jungle: i32,
        /// Cubans beside the stack.
        pub cubans: i32,
    }

    /// A roll that succeeds on some faces.
    pub struct OnDice {
        /// Where it comes from.
        pub source: Provenance,
        /// The faces.
        pub on: Vec<u16>,
    }

    /// Movement points (A95a).
    #[derive(Copy)]
    pub struct Costs {
        /// Where they come from.
        pub source: Provenance,
        /// Clear.
        pub clear: u32,
        /// Beach.
        pub beach: u32,
        /// Jungle.
        pub jungle: u32,
        /// Hill.
        pub hill: u32,
        /// Village.
        pub village: u32,
        /// Town.
        pub town: u32,
        /// City.
        pub city: u32,
        /// Along a road or railroad.
        pub road: u32,
        /// Added for a river without ford or bridge.
        pub river: u32,
    }

    /// Limits printed in the text.
    #[derive(Copy)]
    pub struct Limits {
        /// Where they come from.
        pub source: Provenance,
        /// Game turns (§2a).
        pub turns: u32,
        /// Steps of infantry, cavalry and engineers in a hex (§5.2a).
        pub stack_steps: u32,
        /// Guns beside them (§5.2b).
        pub stack_guns: u32,
        /// Steps landed in a movement phase (§8.2h).
        pub landing: u32,
        /// Objectives that call for a surrender roll (§4.1b).
        pub objectives: u32,
        /// US steps lost that call for a withdrawal roll (§4.2a).
        pub steps_lost: u32,
        /// Hexes from a unit to a road (§10.1a).
        pub supply_path: u32,
        /// The Naval Brigade's distance from Santiago (§3k).
        pub near_santiago: u32,
        /// The Cubans' distance from Santiago (§3q).
        pub cuban_distance: u32,
        /// Pieces examined by Cuba Libre (§7.2.11a).
        pub examined: u32,
        /// Steps of a guerrilla unit (§1.1.1e).
        pub guerrilla_steps: u8,
    }

    /// §14.4.
    #[derive(Copy)]
    pub struct SupplyPoints {
        /// Where they come from.
        pub source: Provenance,
        /// US points at the start.
        pub us_start: u32,
        /// US points each turn.
        pub us_turn: u32,
        /// Spanish points at the start.
        pub spanish_start: u32,
        /// Spanish points by event 65-66.
        pub blockade: u32,
        /// Hexes from base or Santiago.
        pub source_range: u32,
        /// Hexes from a logistic column.
        pub column_range: u32,
        /// Logistic columns at set-up.
        pub columns_at_setup: u32,
    }

    /// §9.7.
    #[derive(Copy)]
    pub struct Naval {
        /// Where it comes from.
        pub source: Provenance,
        /// Fire factor.
        pub factor: u32,
        /// Range from the coast.
        pub range: u32,
    }

    /// §8.3.
    #[derive(Copy)]
    pub struct Escario {
        /// Where it comes from.
        pub source: Provenance,
        /// The turn he arrives.
        pub turn: u32,
    }
}

impl Tables {
    /// Notes what is wrong with the shape of the tables.
    pub fn check(&self, loader: &mut Loader<'_>) {
        let results = |table: &str| at(table).key("results");
        self.surrender.results.check(loader, TABLES, &results("surrender"));
        self.withdrawal.results.check(loader, TABLES, &results("withdrawal"));
        self.fire.results.check(loader, TABLES, &results("fire"));
        self.shock.results.check(loader, TABLES, &results("shock"));
        if self.shock.results.columns != Odds::ALL {
            loader.fault(TABLES, &results("shock").key("columns"), "the columns are not 1:2 to 5:1", "give all six");
        }
        for (index, row) in self.fever.rows.iter().enumerate() {
            for (key, steps) in [("spanish", &row.spanish), ("us", &row.us)] {
                if steps.len() != 6 {
                    let at = at("fever").key("rows").index(index).key(key);
                    loader.fault(TABLES, &at, "a die has six faces", "give six numbers");
                }
            }
        }
        for turn in self.fever.first_turn..=self.limits.turns {
            if self.fever(turn).is_none() {
                let what = format!("turn {turn} has no row");
                loader.fault(TABLES, &at("fever").key("rows"), what, "give a row for every turn");
            }
        }
        for tens in 1..=6 {
            for ones in 1..=6 {
                if self.event(tens * 10 + ones).is_none() {
                    let what = format!("{tens}{ones} has no event");
                    loader.fault(TABLES, &at("events").key("rows"), what, "give all 36 results");
                }
            }
        }
        if self.limits.turns == 0 {
            loader.fault(TABLES, &at("limits").key("turns"), "a game has turns", "write 14");
        }
    }

    /// The event of two dice read as tens and ones (§7.1a).
    pub fn event(&self, number: u16) -> Option<EventRow> {
        self.events.rows.iter().copied().find(|row| (row.from..=row.to).contains(&number))
    }

    /// The fever row of a turn.
    pub fn fever(&self, turn: u32) -> Option<&FeverRow> {
        self.fever.rows.iter().find(|row| (row.turns.0..=row.turns.1).contains(&turn))
    }
}

impl Costs {
    /// What entering a hex of this terrain costs, if it can be entered.
    pub fn of(&self, terrain: Terrain) -> Option<u32> {
        Some(match terrain {
            Terrain::Clear => self.clear,
            Terrain::Beach => self.beach,
            Terrain::Jungle => self.jungle,
            Terrain::Hill => self.hill,
            Terrain::Village => self.village,
            Terrain::Town => self.town,
            Terrain::City => self.city,
            Terrain::Harbour | Terrain::Ocean => return None,
        })
    }
}
