//! The printed tables: §4.2, §4.4, §7.2, §8.6, §10.5, the Defensive Fire and Shock Combat Tables, the Terrain Effects
//! Chart and the limits named in the rules. A die below or above a table's rows is read on its first or last row.

#[cfg(test)]
mod tests;

use std::fmt;

use super::terms::{Force, Terrain};
use crate::board::{ShockResult, steps};
use crate::engine::data::{Provenance, Rows, Table};
use crate::{document, printed, words};

words! {
    /// What the Spanish Surrender Table says (§4.2).
    #[derive(Default)]
    pub enum Surrender {
        /// Nothing.
        #[default]
        Nothing = "-",
        /// A Las Jarcias: the Spanish fleet sails (§4.2h).
        ALasJarcias = "ALJ",
        /// Rendición: the US player wins (§4.2j).
        Surrender = "R",
    }

    /// What the US Withdrawal Table says (§4.4).
    #[derive(Default)]
    pub enum Withdrawal {
        /// Play goes on.
        #[default]
        NoEffect = "NE",
        /// The Spanish player wins (§4.3d).
        Withdrawal = "W",
    }

    /// A historic event (§7.2).
    pub enum HistoricEvent {
        /// Cuban shock attacks +1 this turn (§7.2.1a).
        HeroicCubans = "heroic-cubans",
        /// Escario arrives on Turn 5 (§7.2.2a).
        EscarioDelayed = "escario-delayed",
        /// Clear and jungle cost more this turn (§7.2.3a).
        BadWeather = "bad-weather",
        /// El Morro and Socapa may move and fight (§7.2.4a).
        GarrisonsReleased = "garrisons-released",
        /// The machineguns may be placed (§7.2.6a).
        SpanishMachineguns = "spanish-machineguns",
    }

    /// What the jungle does to a US stack (§8.6).
    pub enum Jungle {
        /// The Spanish player completes the move (§8.6c).
        SpanishMoves = "spanish-moves",
        /// The stack moves no farther (§8.6d).
        Halt = "halt",
        /// The stack moves on (§8.6e).
        On = "on",
    }

    /// A column of the Shock Combat Table.
    pub enum Odds {
        /// 1:2 or less.
        OneToTwo = "1:2",
        /// 1:1.
        OneToOne = "1:1",
        /// 2:1.
        TwoToOne = "2:1",
        /// 3:1.
        ThreeToOne = "3:1",
        /// 4:1.
        FourToOne = "4:1",
        /// 5:1 or more.
        FiveToOne = "5:1",
    }
}

/// A cell of the Defensive Fire Table: `-`, `DIS`, `1`, `1+DIS`, `2+DIS`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FireResult {
    /// Steps lost in the hex fired at.
    pub steps: u8,
    /// Is everything in the hex disorganized?
    pub dis: bool,
}

impl FireResult {
    /// The result a cell says.
    pub fn parse(text: &str) -> Option<FireResult> {
        match text.strip_suffix("+DIS") {
            Some(digits) => Some(FireResult { steps: steps(digits)?, dis: true }),
            None if text == "-" => Some(FireResult::default()),
            None if text == "DIS" => Some(FireResult { steps: 0, dis: true }),
            None => Some(FireResult { steps: steps(text)?, dis: false }),
        }
    }
}

impl fmt::Display for FireResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.steps, self.dis) {
            (0, false) => f.pad("-"),
            (0, true) => f.pad("DIS"),
            (steps, false) => write!(f, "{steps}"),
            (steps, true) => write!(f, "{steps}+DIS"),
        }
    }
}

printed! {
    FireResult, "`-`, `DIS`, `1`, `1+DIS`";
}

impl Odds {
    /// The printed column of two totals, rounded in the defender's favour (§9.3c, R5) and with zeros as in IMP.7.
    pub const fn of(attack: u32, defence: u32) -> Odds {
        let ratio = match (attack, defence) {
            (0, _) => 0,
            (_, 0) => 5,
            (attack, defence) => attack / defence,
        };
        match ratio {
            0 => Odds::OneToTwo,
            1 => Odds::OneToOne,
            2 => Odds::TwoToOne,
            3 => Odds::ThreeToOne,
            4 => Odds::FourToOne,
            _ => Odds::FiveToOne,
        }
    }

    /// The column so many to the right (or left), never past the ends (§9.3e, R6).
    pub fn shifted(self, columns: i32) -> Odds {
        let at = (self as i32).saturating_add(columns).clamp(0, 5);
        Odds::ALL.get(at as usize).copied().unwrap_or(self)
    }
}

document! {
    /// §4.2.
    pub struct SurrenderTable {
        /// Where it comes from.
        pub source: Provenance,
        /// Least number of objectives of each column, results by die.
        pub results: Table<u32, Surrender>,
        /// Added while El Caney is under US control.
        pub el_caney: i32,
        /// Added once A Las Jarcias came up on an earlier turn.
        pub a_las_jarcias: i32,
        /// First turn with a check.
        pub first_turn: u32,
        /// Last turn with a roll (R17).
        pub last_turn: u32,
    }

    /// §4.4.
    pub struct WithdrawalTable {
        /// Where it comes from.
        pub source: Provenance,
        /// Least number of US steps lost of each column, results by die.
        pub results: Table<u32, Withdrawal>,
        /// First turn with a check.
        pub first_turn: u32,
        /// Last turn with a check.
        pub last_turn: u32,
    }

    /// §7.2.
    pub struct EventTable {
        /// Where it comes from.
        pub source: Provenance,
        /// Events by die.
        pub rows: Rows<HistoricEvent>,
        /// Events that may happen any number of times.
        pub repeat: Vec<HistoricEvent>,
        /// The last turn on which Escario can be delayed (§7.2.2b).
        pub delay_until_turn: u32,
        /// Added to the Cuban shock die by Heroic Cubans (§7.2.1a).
        pub heroic_cubans: i32,
        /// First turn with an event.
        pub first_turn: u32,
    }

    /// §8.6.
    pub struct JungleTable {
        /// Where it comes from.
        pub source: Provenance,
        /// Results by modified die.
        pub rows: Rows<Jungle>,
        /// Added with the balloon up in the hex or adjacent (§8.6f).
        pub balloon: i32,
        /// Added if the move began adjacent to a Cuban unit (§8.6g).
        pub cubans: i32,
    }

    /// One row of the fever table.
    pub struct FeverRow {
        /// First and last turn of the row.
        pub turns: [u32; 2],
        /// Spanish steps lost on a die of 1 to 6.
        pub spanish: [u8; 6],
        /// US steps lost on a die of 1 to 6.
        pub us: [u8; 6],
    }

    /// §10.5.
    pub struct FeverTable {
        /// Where it comes from.
        pub source: Provenance,
        /// First turn with a check.
        pub first_turn: u32,
        /// Rows by turn.
        pub rows: Vec<FeverRow>,
    }

    /// Modifiers of the Defensive Fire Table (DFM).
    pub struct FireModifiers {
        /// From a hill at a hex that is none (DFM.a).
        pub from_hill: i32,
        /// At a battery hex (DFM.b).
        pub battery: i32,
        /// At an entrenchment (DFM.c).
        pub entrenchment: i32,
        /// At a jungle hex (DFM.d).
        pub jungle: i32,
        /// At a redoubt (DFM.e).
        pub redoubt: i32,
        /// For the Signals Detachment (DFM.f, R34).
        pub signals: i32,
        /// With a leader, times his rating (DFM.g).
        pub leader: i32,
        /// With Roosevelt in his all-out effort, instead (§6.4b).
        pub all_out: i32,
    }

    /// The Defensive Fire Table (DFT).
    pub struct FireTable {
        /// Where it comes from.
        pub source: Provenance,
        /// Least number of firing factors of each column, results by die.
        pub results: Table<u32, FireResult>,
        /// What is added to the die.
        pub modifiers: FireModifiers,
    }

    /// Column shifts of the Shock Combat Table (SCM); to the right is positive.
    pub struct ShockShifts {
        /// A leader with the attackers, times his rating.
        pub attacking_leader: i32,
        /// A leader with the defenders, times his rating.
        pub defending_leader: i32,
        /// Columns for Roosevelt in his all-out effort, either way (§6.4c).
        pub all_out: i32,
        /// Jungle, hill, town, city or entrenchment, once (R7).
        pub ground: i32,
        /// Across a river (R8).
        pub river: i32,
        /// A redoubt.
        pub redoubt: i32,
    }

    /// The Shock Combat Table (SCT).
    pub struct ShockTable {
        /// Where it comes from.
        pub source: Provenance,
        /// The columns, from the left, results by die.
        pub results: Table<Odds, ShockResult>,
        /// What moves the column.
        pub shifts: ShockShifts,
    }

    /// §9.8.
    pub struct FriendlyFire {
        /// Where it comes from.
        pub source: Provenance,
        /// The unmodified dice that hit.
        pub faces: Vec<u8>,
        /// Steps lost.
        pub steps: u8,
    }

    /// Costs that bad weather changes, off roads and railroads (§7.2.3a).
    pub struct BadWeather {
        /// A clear hex.
        pub clear: u32,
        /// A jungle hex.
        pub jungle: u32,
    }

    /// The Terrain Effects Chart (TEC), in movement points.
    pub struct Movement {
        /// Where it comes from.
        pub source: Provenance,
        /// A clear hex.
        pub clear: u32,
        /// A jungle hex.
        pub jungle: u32,
        /// A beach hex.
        pub beach: u32,
        /// A town.
        pub town: u32,
        /// A city.
        pub city: u32,
        /// A hill.
        pub hill: u32,
        /// Across a road or railroad hexside, whatever the terrain.
        pub road: u32,
        /// More, across a river hexside without bridge or ford.
        pub river: u32,
        /// In bad weather.
        pub bad_weather: BadWeather,
        /// What column movement multiplies the movement factor by (§8.8a).
        pub column_factor: u32,
    }

    /// Numbers named in the rules.
    pub struct Limits {
        /// Where they come from.
        pub source: Provenance,
        /// Units of a side in a hex (§5.2a).
        pub stacking: u32,
        /// Steps landed in one phase (§8.2g).
        pub landing_steps: u32,
        /// Of which the base takes (§10.3b).
        pub base_landing_steps: u32,
        /// What the base counts for in stacking (§5.2b).
        pub base_stacking: u32,
        /// Hexes from the firing hex (§9.7c, §9.7e).
        pub naval_range: u32,
        /// Shock factors of naval gunfire (§9.7a).
        pub naval_factors: u32,
        /// Hexes from a unit to its road or source (§10.1a).
        pub supply_hexes: u32,
        /// Objectives for a surrender roll (§4.1b).
        pub surrender_objectives: u32,
        /// US steps lost for a withdrawal roll (§4.3b).
        pub withdrawal_steps: u32,
    }

    /// All printed tables, as they stand in `tables.yaml`.
    pub struct Tables {
        /// `santiago-1898`.
        pub game: String,
        /// §4.2.
        pub spanish_surrender: SurrenderTable,
        /// §4.4.
        pub us_withdrawal: WithdrawalTable,
        /// §7.2.
        pub historic_events: EventTable,
        /// §8.6.
        pub us_jungle: JungleTable,
        /// §10.5.
        pub yellow_fever: FeverTable,
        /// The Defensive Fire Table.
        pub defensive_fire: FireTable,
        /// The Shock Combat Table.
        pub shock: ShockTable,
        /// §9.8.
        pub friendly_fire: FriendlyFire,
        /// The Terrain Effects Chart.
        pub movement: Movement,
        /// Numbers named in the rules.
        pub limits: Limits,
    }
}

impl Movement {
    /// Points to enter a hex of this terrain off road, none if it cannot be entered (TEC.a to TEC.e, TEC.i, §7.2.3).
    pub const fn enter(&self, terrain: Terrain, bad_weather: bool) -> Option<u32> {
        Some(match terrain {
            Terrain::Clear if bad_weather => self.bad_weather.clear,
            Terrain::Jungle if bad_weather => self.bad_weather.jungle,
            Terrain::Clear => self.clear,
            Terrain::Jungle => self.jungle,
            Terrain::Hill => self.hill,
            Terrain::City => self.city,
            Terrain::Town => self.town,
            Terrain::Beach => self.beach,
            Terrain::Harbor | Terrain::Ocean => return None,
        })
    }
}

impl Tables {
    /// The surrender result for a number of objectives and a modified die (§4.2); nothing below the first column.
    pub fn surrender(&self, objectives: u32, die: i32) -> Surrender {
        self.spanish_surrender.results.result(&objectives, die).unwrap_or_default()
    }

    /// The withdrawal result for US steps lost and a die (§4.4); no effect below the first column.
    pub fn withdrawal(&self, steps_lost: u32, die: i32) -> Withdrawal {
        self.us_withdrawal.results.result(&steps_lost, die).unwrap_or_default()
    }

    /// The historic event for a die (§7.2).
    pub fn event(&self, die: i32) -> Option<HistoricEvent> {
        self.historic_events.rows.at(die).copied()
    }

    /// May the event happen more than once?
    pub fn event_repeats(&self, event: HistoricEvent) -> bool {
        self.historic_events.repeat.contains(&event)
    }

    /// The jungle result for a modified die (§8.6).
    pub fn jungle(&self, die: i32) -> Jungle {
        self.us_jungle.rows.at(die).copied().unwrap_or(Jungle::On)
    }

    /// Steps lost to fever (§10.5); none before its first turn, and never by Cubans (§10.5c).
    pub fn fever(&self, turn: u32, force: Force, die: u8) -> u8 {
        let row = self.yellow_fever.rows.iter().find(|row| (row.turns[0]..=row.turns[1]).contains(&turn));
        let losses = match force {
            Force::Us => row.map(|row| &row.us),
            Force::Spanish => row.map(|row| &row.spanish),
            Force::Cuban => None,
        };
        losses.and_then(|losses| losses.get(usize::from(die.checked_sub(1)?)).copied()).unwrap_or(0)
    }

    /// The result of defensive fire for a total and a modified die (DFT); nothing with no factors (IMP.7).
    pub fn defensive_fire(&self, factors: u32, die: i32) -> FireResult {
        self.defensive_fire.results.result(&factors, die).unwrap_or_default()
    }

    /// The column of the fire table a total falls into, as printed: `7-10`, `21+`.
    pub fn fire_column(&self, factors: u32) -> Option<String> {
        let table = &self.defensive_fire.results;
        table.label(table.column(&factors)?)
    }

    /// The result of shock for a column and a modified die (SCT).
    pub fn shock(&self, odds: Odds, die: i32) -> ShockResult {
        self.shock.results.result(&odds, die).unwrap_or_default()
    }
}
