//! The tables and limits of the game, as `tables.yaml` has them, and how their cells are read.

use std::cmp::Ordering;
use std::fmt;

use crate::board::Points;
use crate::engine::data::{Loader, Provenance, Rows, Table, at};
use crate::engine::doc::DocPath;
use crate::{document, printed};

use super::data::{TABLES, Water};
use super::terms::{Force, Mp, Odds, Terrain, Weather};

/// A cell of the Fire Combat Resolution Table: `-`, `D1`, `D3` (§13.1ai).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FireResult {
    /// Steps the target loses.
    pub steps: u8,
}

impl FireResult {
    /// The result a cell says.
    pub fn parse(text: &str) -> Option<FireResult> {
        match text {
            "-" => Some(FireResult::default()),
            _ => Some(FireResult { steps: digit(text.strip_prefix('D')?)? }),
        }
    }
}

impl fmt::Display for FireResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.steps {
            0 => f.pad("-"),
            steps => write!(f, "D{steps}"),
        }
    }
}

fn digit(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [digit @ b'1'..=b'9'] => Some(digit - b'0'),
        _ => None,
    }
}

/// What an assault does to the nerve of one side's survivors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nerve {
    /// Nothing.
    #[default]
    Steady,
    /// Each checks morale and breaks if he fails.
    Check,
    /// All break.
    Break,
}

/// What an assault does to one side: `-`, `1`, `2B`, `1M`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Toll {
    /// Steps lost.
    pub steps: u8,
    /// What becomes of the others.
    pub nerve: Nerve,
}

impl Toll {
    fn parse(text: &str) -> Option<Toll> {
        let (digits, nerve) = match (text.strip_suffix('M'), text.strip_suffix('B')) {
            (Some(rest), _) => (rest, Nerve::Check),
            (_, Some(rest)) => (rest, Nerve::Break),
            _ => (text, Nerve::Steady),
        };
        let steps = match digits {
            "-" if nerve == Nerve::Steady => 0,
            "" if nerve != Nerve::Steady => 0,
            _ => digit(digits)?,
        };
        Some(Toll { steps, nerve })
    }
}

impl fmt::Display for Toll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nerve = match self.nerve {
            Nerve::Steady => "",
            Nerve::Check => "M",
            Nerve::Break => "B",
        };
        match (self.steps, self.nerve) {
            (0, Nerve::Steady) => f.write_str("-"),
            (0, _) => f.write_str(nerve),
            (steps, _) => write!(f, "{steps}{nerve}"),
        }
    }
}

/// A cell of the Assault Combat Results Table: `1M/1`, `-/2B`. The greater is better for the attacker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AssaultResult {
    /// The attacker's part.
    pub attacker: Toll,
    /// The defender's part.
    pub defender: Toll,
}

impl AssaultResult {
    /// The result a cell says.
    pub fn parse(text: &str) -> Option<AssaultResult> {
        let (attacker, defender) = text.split_once('/')?;
        Some(AssaultResult { attacker: Toll::parse(attacker)?, defender: Toll::parse(defender)? })
    }
}

impl fmt::Display for AssaultResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.attacker, self.defender)
    }
}

impl Ord for AssaultResult {
    fn cmp(&self, other: &Self) -> Ordering {
        let worth = |it: &AssaultResult| {
            let (hurt, own) = (it.defender, it.attacker);
            (hurt.nerve, std::cmp::Reverse(own.nerve), hurt.steps, std::cmp::Reverse(own.steps))
        };
        worth(self).cmp(&worth(other))
    }
}

impl PartialOrd for AssaultResult {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// What a variable factor comes to (§13.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variable {
    /// The unit is eliminated.
    Eliminated,
    /// It has this factor in this combat.
    Factor(u8),
}

impl Variable {
    /// The result a cell says.
    pub fn parse(text: &str) -> Option<Variable> {
        match text {
            "eliminated" => Some(Variable::Eliminated),
            "0" => Some(Variable::Factor(0)),
            _ => digit(text).map(Variable::Factor),
        }
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Variable::Eliminated => f.pad("eliminated"),
            Variable::Factor(factor) => write!(f, "{factor}"),
        }
    }
}

/// What a step costs in Poor weather squared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mud {
    /// So much.
    Points(Mp),
    /// What the other ground in the hex costs (TEC, trails).
    Other,
}

impl Mud {
    /// The cost a cell says.
    pub fn parse(text: &str) -> Option<Mud> {
        match text {
            "other" => Some(Mud::Other),
            _ => text.parse().ok().map(Mud::Points),
        }
    }
}

impl fmt::Display for Mud {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mud::Points(points) => write!(f, "{points}"),
            Mud::Other => f.pad("other"),
        }
    }
}

printed! {
    FireResult, "`-`, `D1`, `D3`";
    AssaultResult, "`1/-`, `1M/1`, `-/2B`";
    Variable, "`3`, `0`, `eliminated`";
    Mud, "`1`, `2 1/2`, `other`";
}

document! {
    /// `tables.yaml`.
    pub struct Tables {
        /// The game, for the reader of the file: `splendid-little-war`.
        pub game: String,
        /// §13.1af.
        pub fire: FireTable,
        /// §13.2j.
        pub assault: AssaultTable,
        /// §13.5d.
        pub variable: VariableTable,
        /// The Terrain Effects Chart.
        pub terrain: TerrainTable,
        /// §5.5.
        pub morale: Ratings,
        /// §7.0.
        pub weather: WeatherTable,
        /// §8.0.
        pub fever: FeverTable,
        /// §10.0f, §10.0n.
        pub supply: SupplyLimits,
        /// §11.0t, §11.0aa.
        pub command: CommandLimits,
        /// §5.4.
        pub stacking: StackLimits,
        /// §13.1j to §13.1q.
        pub indirect: Indirect,
        /// §15.1.
        pub balloon: BalloonLimits,
        /// §13.4.
        pub leaders: LeaderLoss,
        /// §13.3.
        pub retreat: RetreatLimits,
        /// §15.4i.
        pub pontoon: PontoonTable,
        /// §15.5.
        pub dynamite: DynamiteTable,
        /// §15.6c.
        pub retire: RetireTable,
        /// §17.0.escario.
        pub escario: EscarioTable,
        /// §17.0.cervera.
        pub sortie: SortieTable,
        /// §17.0.garrison.
        pub garrison: GarrisonTable,
        /// §17.0.victory.
        pub victory: VictoryTable,
    }

    /// §13.1af.
    pub struct FireTable {
        /// Where it comes from.
        pub source: Provenance,
        /// Least total of each column, results by die.
        pub results: Table<u32, FireResult>,
        /// Added to the die.
        pub modifiers: FireModifiers,
    }

    /// Added to the die of the Fire Combat Resolution Table, each once (§13.1an).
    #[derive(Copy)]
    pub struct FireModifiers {
        /// Spanish fire at a red factor in Good weather (§15.2a).
        pub black_powder: i32,
        /// A US gun near the balloon (§15.1j).
        pub balloon_gun: i32,
        /// Spanish fire at or next to the balloon (§15.1k).
        pub balloon_target: i32,
        /// A leader stacked with a firer he may command (§13.1am).
        pub leader: i32,
    }

    /// §13.2j.
    pub struct AssaultTable {
        /// Where it comes from.
        pub source: Provenance,
        /// Results by odds and die.
        pub results: Table<Odds, AssaultResult>,
        /// Added to the die, as printed.
        pub modifiers: AssaultModifiers,
    }

    /// Added to the die of the Assault Combat Results Table besides the ground, as printed (§13.2n to §13.2p).
    #[derive(Copy)]
    pub struct AssaultModifiers {
        /// All defenders within range of a leader of theirs.
        pub in_command: i32,
        /// A Broken unit among the defenders.
        pub broken: i32,
        /// A leader of theirs in an attacking hex.
        pub leader: i32,
    }

    /// §13.5d.
    pub struct VariableTable {
        /// Where it comes from.
        pub source: Provenance,
        /// By die.
        pub rows: Rows<Variable>,
    }

    /// The Terrain Effects Chart.
    pub struct TerrainTable {
        /// Where it comes from.
        pub source: Provenance,
        /// What lies in a hex.
        pub hexes: HexEffects,
        /// What lies along a hexside.
        pub sides: SideEffects,
    }

    /// The rows of the chart for hexes.
    pub struct HexEffects {
        /// Clear.
        pub clear: HexEffect,
        /// Hill.
        pub hill: HexEffect,
        /// Jungle.
        pub jungle: HexEffect,
        /// Swamp.
        pub swamp: HexEffect,
        /// Lake.
        pub lake: HexEffect,
        /// Village.
        pub village: HexEffect,
        /// City.
        pub city: HexEffect,
        /// Fort.
        pub fort: HexEffect,
        /// Blockhouse.
        pub blockhouse: HexEffect,
        /// Entrenchment.
        pub entrenchment: HexEffect,
        /// Bivouac area.
        pub bivouac: HexEffect,
        /// Harbor.
        pub harbor: HexEffect,
        /// Road.
        pub road: HexEffect,
        /// Trail.
        pub trail: HexEffect,
    }

    /// One row of it. What is not given has no effect; without a cost the other ground in the hex is paid.
    #[derive(Copy)]
    pub struct HexEffect {
        /// Movement points in Good and Poor weather.
        pub r#move: Option<Mp>,
        /// In Poor weather squared, where it differs.
        pub mud: Option<Mud>,
        /// Movement points on top of the other ground.
        pub more: Option<Mp>,
        /// Added to the die of fire.
        pub fire: Option<i32>,
        /// Multiplies the attackers' total in an assault.
        pub assault: Option<Points<4>>,
        /// Added to the die of an assault.
        pub drm: Option<i32>,
        /// Nobody may enter, fire or assault.
        pub prohibited: bool,
    }

    /// The rows of the chart for hexsides.
    #[derive(Copy)]
    pub struct SideEffects {
        /// A river without bridge, ford or pontoon.
        pub river: SideEffect,
        /// A ford.
        pub ford: SideEffect,
        /// A pontoon bridge.
        pub pontoon: SideEffect,
        /// A bridge.
        pub bridge: SideEffect,
    }

    /// One row of it.
    #[derive(Copy)]
    pub struct SideEffect {
        /// Movement points to cross.
        pub r#move: Mp,
        /// In Poor weather squared, where it differs.
        pub mud: Option<Mp>,
        /// Multiplies the factor of an attacker across it.
        pub assault: Option<Points<4>>,
    }

    /// Morale Ratings (§5.5d to §5.5g).
    #[derive(Copy)]
    pub struct Ratings {
        /// Where they come from.
        pub source: Provenance,
        /// US units.
        pub us: i32,
        /// Cuban guerrillas.
        pub cuban: i32,
        /// Spanish units.
        pub spanish: i32,
        /// Spanish guerrillas.
        pub spanish_guerrilla: i32,
    }

    /// §7.0.
    #[derive(Copy)]
    pub struct WeatherTable {
        /// Where it comes from.
        pub source: Provenance,
        /// First turn with a roll.
        pub first_turn: u32,
        /// Poor from this modified die on.
        pub poor: i32,
        /// Added after a Poor turn.
        pub after_poor: i32,
        /// From this turn on…
        pub late_turn: u32,
        /// …so much is added.
        pub late: i32,
    }

    /// §8.0, in percent.
    #[derive(Copy)]
    pub struct FeverTable {
        /// Where it comes from.
        pub source: Provenance,
        /// Outbreak, US.
        pub us: Outbreak,
        /// Outbreak, Spanish.
        pub spanish: Outbreak,
        /// Contraction by day.
        pub contraction: Contraction,
    }

    /// The chance of an outbreak (§8.0d, §8.0e).
    #[derive(Copy)]
    pub struct Outbreak {
        /// At the first roll.
        pub first: u32,
        /// More before each later roll.
        pub more: u32,
    }

    /// The chance of catching it (§8.0i, §8.0j).
    #[derive(Copy)]
    pub struct Contraction {
        /// On the first day.
        pub first: u32,
        /// More with each later day.
        pub more: u32,
        /// And never above.
        pub most: u32,
    }

    /// §10.0f, §10.0n.
    #[derive(Copy)]
    pub struct SupplyLimits {
        /// Where they come from.
        pub source: Provenance,
        /// Hexes of a Supply Line.
        pub line: u32,
        /// In Poor weather squared.
        pub line_in_mud: u32,
    }

    /// §11.0t, §11.0w, §11.0aa.
    #[derive(Copy)]
    pub struct CommandLimits {
        /// Where they come from.
        pub source: Provenance,
        /// How near Shafter or Del Rey has to be.
        pub near_chief: u32,
        /// Most that is added to a range.
        pub most: i32,
        /// Least.
        pub least: i32,
    }

    /// §5.4.
    #[derive(Copy)]
    pub struct StackLimits {
        /// Where they come from.
        pub source: Provenance,
        /// US parts that make up a regiment.
        pub us_parts: u32,
        /// Spanish units in a hex.
        pub spanish: u32,
        /// Spanish batteries beyond them.
        pub spanish_guns: u32,
    }

    /// §13.1k to §13.1q.
    #[derive(Copy)]
    pub struct Indirect {
        /// Where it comes from.
        pub source: Provenance,
        /// A leader spots for guns so near.
        pub leader: u32,
        /// The balloon for guns so near.
        pub balloon: u32,
        /// Dice with an effect.
        pub hits: [i32; 2],
    }

    /// §15.1.
    #[derive(Copy)]
    pub struct BalloonLimits {
        /// Where they come from.
        pub source: Provenance,
        /// Guns so near are helped…
        pub guns: u32,
        /// …against targets so near to them.
        pub targets: u32,
        /// Lost from this modified die on.
        pub lost_from: i32,
    }

    /// §13.4.
    #[derive(Copy)]
    pub struct LeaderLoss {
        /// Where it comes from.
        pub source: Provenance,
        /// A second die below this counts as this.
        pub least: u32,
        /// A second die of this kills.
        pub dies: u32,
        /// Hexes a lone leader runs.
        pub retreat: u32,
    }

    /// §13.3.
    #[derive(Copy)]
    pub struct RetreatLimits {
        /// Where they come from.
        pub source: Provenance,
        /// Hexes.
        pub hexes: u32,
        /// Hexes more to avoid over-stacking.
        pub more: u32,
    }

    /// §15.4i.
    #[derive(Copy)]
    pub struct PontoonTable {
        /// Where it comes from.
        pub source: Provenance,
        /// Dice on which it holds.
        pub holds: [i32; 2],
    }

    /// §15.5.
    #[derive(Copy)]
    pub struct DynamiteTable {
        /// Where it comes from.
        pub source: Provenance,
        /// So low or lower, variable units check.
        pub panic: i32,
        /// So high or higher, the gun is lost.
        pub bursts: i32,
    }

    /// §15.6c to §15.6e.
    #[derive(Copy)]
    pub struct RetireTable {
        /// Where it comes from.
        pub source: Provenance,
        /// Dice on which a unit may go.
        pub goes: [i32; 2],
        /// Added with Garcia.
        pub garcia: i32,
        /// Added in jungle.
        pub jungle: i32,
    }

    /// §17.0.escario-b to §17.0.escario-d.
    #[derive(Copy)]
    pub struct EscarioTable {
        /// Where it comes from.
        pub source: Provenance,
        /// The first turn with rolls.
        pub turn: u32,
        /// Dice on which a formation enters.
        pub enters: [i32; 2],
        /// Dice that cost one unit on that turn.
        pub loses_one: [i32; 2],
        /// The die that costs two.
        pub loses_two: i32,
    }

    /// §17.0.cervera.
    #[derive(Copy)]
    pub struct SortieTable {
        /// Where it comes from.
        pub source: Provenance,
        /// The turn in whose End Phase the date is rolled.
        pub rolled_on: u32,
        /// Added to the die.
        pub modifier: i32,
        /// The first day of July it can be.
        pub first_day: i32,
        /// Dice that keep the fleet for the day.
        pub resists: [i32; 2],
    }

    /// §17.0.garrison, §17.0.victory-j.
    #[derive(Copy)]
    pub struct GarrisonTable {
        /// Where it comes from.
        pub source: Provenance,
        /// A US unit so near frees a garrison unit.
        pub freed_within: u32,
        /// Points that shift the level once.
        pub points_a_level: u32,
    }

    /// §17.0.victory, §17.0.auto.
    #[derive(Copy)]
    pub struct VictoryTable {
        /// Where it comes from.
        pub source: Provenance,
        /// Blockhouses or forts besides those named.
        pub places: u32,
        /// Blockhouses or forts for a Spanish Political Victory.
        pub spanish_political: u32,
        /// More US steps than these shift the level.
        pub us_steps: u32,
        /// More Spanish steps than these shift the level.
        pub spanish_steps: u32,
        /// Full turns the ring has to hold.
        pub ring_turns: u32,
    }
}

/// Is the die between the two, both included?
pub fn within(die: i32, [low, high]: [i32; 2]) -> bool {
    (low..=high).contains(&die)
}

impl HexEffect {
    /// Added to the die of fire.
    pub fn fire_drm(&self) -> i32 {
        self.fire.unwrap_or(0)
    }

    /// Quarters of the attackers' total that are left in an assault, and what is added to the die.
    pub fn assault_effect(&self) -> (u32, i32) {
        (self.assault.map_or(4, Points::parts), self.drm.unwrap_or(0))
    }

    /// What the row itself costs to enter, none where the other ground is paid.
    pub fn cost(&self, mud: bool) -> Option<Mp> {
        match (mud, self.mud) {
            (true, Some(Mud::Points(points))) => Some(points),
            (true, Some(Mud::Other)) => None,
            _ => self.r#move,
        }
    }
}

impl SideEffect {
    /// What crossing costs.
    pub fn cost(&self, mud: bool) -> Mp {
        self.mud.filter(|_| mud).unwrap_or(self.r#move)
    }

    /// Does it halve an attacker's factor?
    pub fn quarters(&self) -> u32 {
        self.assault.map_or(4, Points::parts)
    }
}

impl HexEffects {
    /// The row for the ground of a hex.
    pub fn of(&self, terrain: Terrain) -> &HexEffect {
        match terrain {
            Terrain::Clear => &self.clear,
            Terrain::Hill => &self.hill,
            Terrain::Jungle => &self.jungle,
            Terrain::Swamp => &self.swamp,
            Terrain::Lake => &self.lake,
            Terrain::Village => &self.village,
            Terrain::City => &self.city,
            Terrain::Harbor => &self.harbor,
        }
    }
}

impl Tables {
    /// What entering ground of this kind costs; none where it is prohibited.
    pub fn cost(&self, terrain: Terrain) -> Option<Mp> {
        let row = self.terrain.hexes.of(terrain);
        if row.prohibited { None } else { row.r#move }
    }

    /// What a hex costs along a road (§7.0j).
    pub fn road(&self, weather: Weather) -> Mp {
        self.terrain.hexes.road.cost(weather.is_squared()).unwrap_or(Mp::whole(1))
    }

    /// What a hex costs along a trail; none where there are no trails for movement (§7.0k).
    pub fn trail(&self, weather: Weather) -> Option<Mp> {
        self.terrain.hexes.trail.cost(weather.is_squared())
    }

    /// What an entrenchment adds (§6.0p).
    pub fn entrenchment(&self) -> Mp {
        self.terrain.hexes.entrenchment.more.unwrap_or(Mp::ZERO)
    }

    /// What crossing a hexside with this water costs, without a pontoon.
    pub fn water(&self, water: Water, weather: Weather) -> Mp {
        let sides = &self.terrain.sides;
        match water {
            Water::Dry => Mp::ZERO,
            Water::Bridge => sides.bridge.cost(weather.is_squared()),
            Water::Ford => sides.ford.cost(weather.is_squared()),
            Water::River => sides.river.cost(weather.is_squared()),
        }
    }

    /// What crossing a pontoon bridge costs (§15.4f).
    pub fn pontoon(&self, weather: Weather) -> Mp {
        self.terrain.sides.pontoon.cost(weather.is_squared())
    }

    /// The Morale Rating of a unit, guerrilla or not (§5.5d to §5.5g).
    pub fn rating(&self, force: Force, guerrilla: bool) -> i32 {
        match (force, guerrilla) {
            (Force::Us, _) => self.morale.us,
            (Force::Cuban, _) => self.morale.cuban,
            (Force::Spanish, true) => self.morale.spanish_guerrilla,
            (Force::Spanish, false) => self.morale.spanish,
        }
    }

    /// Hexes of a Supply Line (§10.0f, §10.0n).
    pub fn supply_range(&self, weather: Weather) -> u32 {
        if weather.is_squared() { self.supply.line_in_mud } else { self.supply.line }
    }

    /// Units a formation loses on a failed first entry roll (§17.0.escario-c, §17.0.escario-d).
    pub fn escario_loses(&self, die: i32) -> u32 {
        match die {
            _ if die == self.escario.loses_two => 2,
            _ if within(die, self.escario.loses_one) => 1,
            _ => 0,
        }
    }

    /// The day of July on which the fleet sails (§17.0.cervera-b).
    pub fn sortie_day(&self, die: i32) -> u32 {
        u32::try_from((die + self.sortie.modifier).max(self.sortie.first_day)).unwrap_or(0)
    }

    /// Notes what makes no sense.
    pub fn check(&self, loader: &mut Loader<'_>) {
        self.fire.results.check(loader, TABLES, &at("fire").key("results"));
        self.assault.results.check(loader, TABLES, &at("assault").key("results"));
        let rows: Vec<i32> = self.variable.rows.iter().map(|(die, _)| die).collect();
        if rows != (0..=9).collect::<Vec<_>>() {
            let what = "a die of ten shows 0 to 9";
            loader.fault(TABLES, &at("variable").key("rows"), what, "give exactly these rows");
        }
        let mut range = |at: DocPath, [low, high]: [i32; 2]| {
            if low > high || low < 0 || high > 10 {
                loader.fault(TABLES, &at, format!("{low} to {high} are no dice"), "write the lowest and the highest");
            }
        };
        range(at("indirect").key("hits"), self.indirect.hits);
        range(at("pontoon").key("holds"), self.pontoon.holds);
        range(at("retire").key("goes"), self.retire.goes);
        range(at("escario").key("enters"), self.escario.enters);
        range(at("escario").key("loses-one"), self.escario.loses_one);
        range(at("sortie").key("resists"), self.sortie.resists);
        let hexes = &self.terrain.hexes;
        for (key, row) in [
            ("clear", &hexes.clear),
            ("hill", &hexes.hill),
            ("jungle", &hexes.jungle),
            ("swamp", &hexes.swamp),
            ("lake", &hexes.lake),
            ("village", &hexes.village),
            ("city", &hexes.city),
        ] {
            if row.r#move.is_none() && !row.prohibited {
                let at = at("terrain").key("hexes").key(key);
                loader.fault(TABLES, &at, "entering it costs nothing", "give `move`");
            }
        }
    }
}
