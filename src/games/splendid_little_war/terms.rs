//! The words of the game: counters, formations, terrain, statuses, causes of loss, and exact fractions.

use std::cmp::Ordering;
use std::fmt;

use crate::board::{Feature, Hex, Points};
use crate::engine::Side;
use crate::{names, printed, words};

use super::{SPAIN, US};

/// Movement factors, in halves (TEC).
pub type Mp = Points<2>;
/// Combat factors: halves of halves are kept exactly until a total is rounded (§13.1y, §13.2e).
pub type Cf = Points<64>;

names! {
    /// A counter as players type it: `us-inf-09`, `sp-tal-01`, `cu-ldr-garcia`.
    pub Piece = "unit";
}

words! {
    /// Whose counter it is. The US player runs the US Army and the Cubans (§15.6a).
    pub enum Force {
        /// The US Army.
        Us = "us",
        /// The Cuban guerrillas.
        Cuban = "cuban",
        /// The Spanish.
        Spanish = "spanish",
    }

    /// What a counter is.
    pub enum Arm {
        /// Infantry on foot, dismounted cavalry and the Colt included (§3.0n, §15.7a).
        Infantry = "infantry",
        /// Cuban or Spanish guerrillas.
        Guerrilla = "guerrilla",
        /// Mounted cavalry (§3.0n).
        Cavalry = "cavalry",
        /// Artillery; the Dynamite Gun too (§15.5a).
        Artillery = "artillery",
        /// The Gatling Gun (AMB-11).
        Gatling = "gatling",
        /// Engineers (§15.4).
        Engineer = "engineer",
        /// A leader (§5.7).
        Leader = "leader",
        /// The balloon's Base, which carries the balloon (§15.1a).
        Base = "base",
    }

    /// How large a counter is.
    pub enum Size {
        /// A US regiment, which has breakdown units (§5.3a).
        Regiment = "regiment",
        /// The 2nd US Cavalry (§5.3a).
        Squadron = "squadron",
        /// A breakdown unit: one sub-unit (§3.0i).
        Breakdown = "breakdown",
        /// A company.
        Company = "company",
        /// A battery or gun.
        Battery = "battery",
        /// One man.
        Leader = "leader",
        /// The balloon's Base.
        None = "none",
    }

    /// The formation, shown by colour (§11.0f).
    pub enum Formation {
        /// 1st Division.
        FirstDivision = "us-1div",
        /// 2nd Division.
        SecondDivision = "us-2div",
        /// Independent Brigade.
        Independent = "us-ind",
        /// Cavalry Division.
        CavalryDivision = "us-cav",
        /// 1st US Volunteer Cavalry, a part of the Cavalry Division.
        VolunteerCavalry = "us-usvc",
        /// Duffield's brigade.
        Duffeld = "us-duffeld",
        /// Under V Corps directly: Shafter's colour.
        FifthCorps = "us-vcorps",
        /// Cuban guerrillas.
        Cuban = "cuban",
        /// Constitucion.
        Constitucion = "sp-con",
        /// Talavera.
        Talavera = "sp-tal",
        /// Puerto Rico.
        PuertoRico = "sp-pr",
        /// San Fernando.
        SanFernando = "sp-sf",
        /// Asia.
        Asia = "sp-asia",
        /// Cuba.
        Cuba = "sp-cuba",
        /// Simancas.
        Simancas = "sp-sim",
        /// The Escario column.
        Escario = "sp-escario",
        /// The naval battalion.
        Naval = "sp-naval",
        /// All other Spaniards.
        Army = "sp-army",
        /// The balloon belongs to nobody.
        None = "none",
    }

    /// The four formations of the Escario column (§17.0.escario-a).
    pub enum Column {
        /// Alcantara.
        Alcan = "alcan",
        /// Andalucia.
        Anda = "anda",
        /// Isabel la Catolica.
        Ilc = "ilc",
        /// Puerto Rico Chasseurs.
        Prc = "prc",
    }

    /// What is special about a counter.
    pub enum Flag {
        /// Volunteers: Broken when they break down for losses (§5.3i).
        Vol = "vol",
        /// A red CF (§15.2).
        BlackPowder = "black-powder",
        /// A Corps Asset (§3.0g).
        CorpsAsset = "corps-asset",
        /// US Volunteer Cavalry (§11.0h).
        Usvc = "usvc",
        /// Cavalry on foot: infantry for every rule.
        Dismounted = "dismounted",
        /// Naval (§15.3).
        Naval = "naval",
        /// A naval battery (§10.0v).
        NavalBattery = "naval-battery",
        /// A Garrison Unit unless it sets up in the blockhouse (§17.0.setup-m).
        Garrison = "garrison",
        /// The Civil Guard (§17.0.setup-o).
        CivilGuard = "civil-guard",
        /// The Escario column.
        Escario = "escario",
        /// The Dynamite Gun (§15.5).
        Dynamite = "dynamite",
        /// The Colt (§15.7).
        Colt = "colt",
        /// Commands artillery only (§11.0m).
        ArtilleryOnly = "artillery-only",
        /// Commands naval units only (§11.0n).
        NavalOnly = "naval-only",
        /// Commands the Escario column only (§11.0l).
        EscarioOnly = "escario-only",
    }

    /// What a hex is made of. Works, roads and rivers come on top of it (§6.0a).
    #[derive(Default)]
    pub enum Terrain {
        /// Clear.
        Clear = "clear",
        /// Hill: level 1.
        Hill = "hill",
        /// Jungle.
        Jungle = "jungle",
        /// Swamp.
        Swamp = "swamp",
        /// Lake.
        Lake = "lake",
        /// Village.
        Village = "village",
        /// Santiago de Cuba.
        City = "city",
        /// Water nobody enters.
        #[default]
        Harbor = "harbor" | "harbour",
    }

    /// Which leader a counter is; two spellings are one man (AMB-51).
    pub enum Chief {
        /// General Shafter.
        Shafter = "shafter",
        /// Kent, 1st Division.
        Kent = "kent",
        /// Lawton, 2nd Division.
        Lawton = "lawton",
        /// Wheeler, Cavalry Division.
        Wheeler = "wheeler",
        /// Bates, Independent Brigade.
        Bates = "bates",
        /// Duffeld's brigade.
        Duffeld = "duffeld" | "duffield",
        /// Wood, US Volunteer Cavalry.
        Wood = "wood",
        /// Roosevelt.
        Roosevelt = "roosevelt",
        /// Calixto Garcia.
        Garcia = "garcia",
        /// Linares.
        Linares = "linares",
        /// Vara del Rey.
        DelRey = "del-rey" | "delrey" | "vara-del-rey",
        /// Vaquero.
        Vaquero = "vaquero",
        /// Rubin.
        Rubin = "rubin",
        /// Basquero.
        Basquero = "basquero",
        /// Melgar, artillery.
        Melgar = "melgar" | "melga",
        /// Bustamante, the sailors.
        Bustamante = "bustamante",
        /// Escario, his column.
        Escario = "escario",
    }

    /// The weather of a turn (§7.0).
    #[derive(Default)]
    pub enum Weather {
        /// Good.
        #[default]
        Good = "good",
        /// Poor.
        Poor = "poor",
        /// Poor after Poor.
        PoorSquared = "poor-squared",
    }

    /// Out of supply (§10.0b, §10.0c).
    pub enum Oos {
        /// Out of Supply 1.
        One = "oos1",
        /// Out of Supply 2.
        Two = "oos2",
    }

    /// Why a step was lost, for the ledger of losses (§17.0.victory-l).
    pub enum Cause {
        /// Fire Combat.
        Fire = "fire",
        /// Assault Combat.
        Assault = "assault",
        /// No legal retreat (§13.3d): a combat loss.
        NoRetreat = "no-retreat",
        /// Yellow Fever (§8.0l).
        Fever = "fever",
        /// The Out of Supply check (§10.0ad), or a naval battery out of supply (§10.0v).
        Supply = "supply",
        /// A 9 in the End Phase (§14.0d).
        EndPhase = "end-phase",
        /// Above the stacking limit (§5.4m).
        Overstack = "overstack",
        /// A "?" roll (§13.5c).
        Variable = "variable",
        /// A failed entry roll of the Escario column (§17.0.escario-c).
        Entry = "entry",
        /// The fleet has sailed (§15.3b).
        Sortie = "sortie",
        /// The Dynamite Gun has burst (§15.5d).
        Malfunction = "malfunction",
        /// The balloon was shot down, assaulted or entered (§15.1n, §15.1o, AMB-26).
        Balloon = "balloon",
        /// A leader's death (§13.4f, §13.4h).
        Killed = "killed",
    }

    /// Whose losses are counted together (§17.0.victory-g, -h, AMB-47).
    pub enum LossClass {
        /// US infantry, dismounted cavalry and the Colt included.
        UsInfantry = "us-infantry",
        /// US artillery, Gatling, mounted cavalry, Engineers.
        UsOther = "us-other",
        /// Cubans.
        Cuban = "cuban",
        /// Spaniards on foot, guerrillas and naval infantry included.
        SpanishFoot = "spanish-foot",
        /// Spanish artillery and mounted cavalry.
        SpanishOther = "spanish-other",
    }

    /// Why a Morale Check is made (§5.5h).
    pub enum CheckKind {
        /// A Broken unit wants to move (§5.6d).
        Move = "move",
        /// To go on after leaving an enemy zone (§5.2k).
        LeaveZone = "leave-zone",
        /// A part of a regiment that broke down for losses (§5.3h).
        Breakdown = "breakdown",
        /// The result M of an assault.
        Assault = "assault",
        /// The Dynamite Gun (§15.5b).
        Dynamite = "dynamite",
        /// The Out of Supply Morale Check Phase (§10.0ad).
        Supply = "supply",
        /// Recovery in the End Phase (§14.0a): no modifiers.
        Recovery = "recovery",
        /// Leader Loss (§13.4b): no modifiers.
        Leader = "leader",
    }
}

impl Feature for Terrain {
    const ALL: &'static [Self] = Terrain::ALL;
    fn bit(self) -> u32 {
        self as u32
    }
}

impl Force {
    /// The player who runs it.
    pub const fn side(self) -> Side {
        match self {
            Force::Us | Force::Cuban => US,
            Force::Spanish => SPAIN,
        }
    }

    /// The force whose fever and supply a side's units share (§8.0r).
    pub fn of(side: Side) -> Force {
        if side == SPAIN { Force::Spanish } else { Force::Us }
    }

    /// Whose something is: "US fire".
    pub const fn name(self) -> &'static str {
        match self {
            Force::Us => "US",
            Force::Cuban => "Cuban",
            Force::Spanish => "Spanish",
        }
    }

    /// Who they are, as the subject of a sentence.
    pub const fn people(self) -> &'static str {
        match self {
            Force::Us => "Americans",
            Force::Cuban => "Cubans",
            Force::Spanish => "Spanish",
        }
    }
}

impl Arm {
    /// Has it a CF and a step (§2.0b)?
    pub const fn is_combat(self) -> bool {
        !matches!(self, Arm::Leader | Arm::Base)
    }
}

impl Weather {
    /// Poor or Poor-squared (§7.0f)?
    pub fn is_poor(self) -> bool {
        self != Weather::Good
    }

    /// Poor-squared (§7.0e)?
    pub fn is_squared(self) -> bool {
        self == Weather::PoorSquared
    }
}

impl Cause {
    /// A combat loss (§17.0.victory-g, AMB-47).
    pub fn is_combat(self) -> bool {
        matches!(self, Cause::Fire | Cause::Assault | Cause::NoRetreat)
    }
}

/// Odds, a column of the Assault Combat Results Table or what two totals come to: `3:2`.
#[derive(Clone, Copy, Debug)]
pub struct Odds {
    /// The attacker's total.
    pub attack: u32,
    /// The defender's total.
    pub defence: u32,
}

impl Odds {
    /// The odds a text says.
    pub fn parse(text: &str) -> Option<Odds> {
        let (attack, defence) = text.split_once(':')?;
        let number = |text: &str| text.parse::<u16>().ok().filter(|number| *number > 0).map(u32::from);
        Some(Odds { attack: number(attack)?, defence: number(defence)? })
    }
}

impl fmt::Display for Odds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.attack, self.defence)
    }
}

// By their ratio: a defence of 0 is worse than any other, unless nobody attacks it.
impl Ord for Odds {
    fn cmp(&self, other: &Self) -> Ordering {
        (u64::from(self.attack) * u64::from(other.defence)).cmp(&(u64::from(other.attack) * u64::from(self.defence)))
    }
}

impl PartialOrd for Odds {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Odds {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Odds {}

/// A ten-sided die as the rules read it: 0 is zero (§3.0a).
pub fn d10(face: u16) -> i32 {
    i32::from(face % 10)
}

/// Two dice as a percentage, tens first: 00 is 100 (§3.0b).
pub fn percent(faces: &[u16]) -> u32 {
    let digit = |which: usize| u32::from(faces.get(which).copied().unwrap_or(0) % 10);
    match digit(0) * 10 + digit(1) {
        0 => 100,
        value => value,
    }
}

/// A hexside with a river, by its two hexes, the lower first: `1221-1222`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Crossing {
    /// The hex with the lower number.
    pub low: Hex,
    /// The other.
    pub high: Hex,
}

impl Crossing {
    /// The hexside between two hexes.
    pub fn new(a: Hex, b: Hex) -> Crossing {
        Crossing { low: a.min(b), high: a.max(b) }
    }

    /// Reads `1221-1222`.
    pub fn parse(text: &str) -> Option<Crossing> {
        let (a, b) = text.split_once('-')?;
        Some(Crossing::new(a.trim().parse().ok()?, b.trim().parse().ok()?))
    }
}

impl fmt::Display for Crossing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.low, self.high)
    }
}

printed! {
    Odds, "`1:2`, `3:1`";
    Crossing, "`1221-1222`";
}
