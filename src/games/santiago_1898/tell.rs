//! The report: every event as a staff officer would note it, with the arithmetic beside it.

use std::collections::BTreeMap;

use crate::board::Hex;
use crate::engine::{Cast, Clause, Diary, Event as _, Tally, count_of};

use super::events::{Event, Factor, LeaderFate, NoBattle, Pace, Paid, PhaseName};
use super::play::Position;
use super::state::{Cause, Place, Stage};
use super::supply::Nets;
use super::tables::{FireResult, HistoricEvent, Jungle, Surrender, Withdrawal};
use super::terms::{Force, UnitId};
use super::{SPAIN, Santiago1898, US};

/// Tells one event.
pub fn tell(game: &Santiago1898, event: &Event, diary: &mut Diary) {
    let teller = Teller { game };
    let clauses = event.clauses();
    match event {
        Event::Phase { turn, phase } => diary.heading(1, teller.phase(*turn, *phase)),
        Event::Deployed { force, places, .. } => {
            diary.line(format!("The {} take their places.", people(*force)), &clauses);
            diary.table(&["hex", "units"], teller.by_hex(places));
        }
        Event::OrderLapsed { units, why, .. } => {
            let who = if units.is_empty() { String::new() } else { format!(" of {}", teller.units(units)) };
            diary.line(format!("An order{who} lapses: {why}."), &clauses);
        }
        Event::ChoiceLapsed(lapse) => diary.line(
            format!(
                "{}'s choice {} for `{}` is not legal; {} applies.",
                lapse.who, lapse.said, lapse.kind, lapse.applied
            ),
            &clauses,
        ),
        Event::Landed { units, at, steps } => {
            diary.line(
                format!(
                    "{} ashore at {}: {}.",
                    teller.doing(units, "comes", "come"),
                    teller.hex(*at),
                    count_of(*steps, "step")
                ),
                &clauses,
            );
        }
        Event::BaseLanded { at, steps } => {
            diary.line(
                format!("The Logistical Base is set up at {}, counting {}.", teller.hex(*at), count_of(*steps, "step")),
                &clauses,
            );
        }
        Event::Entered { places } => {
            diary.line("Escario's column reaches the map.", &clauses);
            diary.table(&["hex", "units"], teller.by_hex(places));
        }
        Event::EntryBlocked { units } => {
            diary.line(format!("Every western hex is held by the enemy; {} wait.", teller.units(units)), &clauses);
        }
        Event::Marched { units, from, path, spent, allowance, pace, .. } => {
            teller.march(diary, units, *from, path, *spent, *allowance, *pace, &clauses);
        }
        Event::LeftBehind { units, at } => {
            diary.detail(format!("{} in {}.", teller.doing(units, "stays", "stay"), teller.hex(*at)), &clauses);
        }
        Event::MarchCut { at, why, .. } => {
            diary.detail(format!("The march ends in {}: {why}.", teller.hex(*at)), &clauses)
        }
        Event::JungleRoll { hex, die, modifiers, through, .. } if die.is_foreseen() => {
            let all = through.as_ref().map_or(String::new(), |ways| format!("; through all of it in {ways}"));
            diary.sum(format!("Jungle at {}", teller.hex(*hex)), "1d6", modifiers, format!("{die}{all}"));
        }
        Event::JungleRoll { hex, die, modifiers, modified, result, .. } => {
            let outcome = match result {
                Jungle::SpanishMoves => "the column loses its way; the Spanish player completes its move",
                Jungle::Halt => "it can go no farther this turn",
                Jungle::On => "it finds a way through",
            };
            diary.sum(
                format!("Jungle at {}", teller.hex(*hex)),
                format!("die {die}"),
                modifiers,
                format!("{modified}: {outcome}"),
            );
        }
        Event::LedAstray { units, from, path } => {
            let text = if path.is_empty() {
                format!("{} left in {}.", teller.doing(units, "is", "are"), teller.hex(*from))
            } else {
                format!("{} led from {} by {}.", teller.doing(units, "is", "are"), teller.hex(*from), teller.path(path))
            };
            diary.detail(text, &clauses);
        }
        Event::Balloon { up, at } => {
            let how = if *up { "goes up" } else { "comes down" };
            diary.line(format!("The balloon {how} at {}.", teller.hex(*at)), &clauses);
        }
        Event::Control { hex, us, objective } => {
            let who = if *us { "US" } else { "Spanish" };
            let flag = if *objective { " (an objective)" } else { "" };
            diary.listed(&format!("Now in {who} hands"), &format!("{}{flag}", teller.hex(*hex)), &clauses);
        }
        Event::SantiagoFell => diary.line("Santiago has fallen; it will never supply the Spanish again.", &clauses),
        Event::LeaderRelocated { leader, from, to } => diary.detail(
            format!("{}, alone in {}, rides to {}.", teller.unit(*leader), teller.hex(*from), teller.hex(*to)),
            &clauses,
        ),
        Event::LeaderLost { leader, why } => {
            let how = match why {
                LeaderFate::WithLastStep => "falls with the last of his men",
                LeaderFate::NobodyToJoin => "has nobody left to join and leaves the campaign",
                LeaderFate::LineLost => "leaves the campaign: the whole line from El Caney to San Juan is lost",
            };
            diary.line(format!("{} {how}.", teller.unit(*leader)), &clauses);
        }
        Event::SignalsLost { at, .. } => {
            diary.line(format!("The Signals Detachment is destroyed in {}.", teller.hex(*at)), &clauses);
        }
        Event::Overstacked { hex, force, count, removed } => diary.line(
            format!(
                "{} crowd {}; the opponent removes {}.",
                count_of(*count, &format!("{force} unit")),
                teller.hex(*hex),
                teller.units(removed)
            ),
            &clauses,
        ),
        Event::AllOutEffort { turn } => {
            diary.line(format!("Roosevelt makes his all-out effort: his effect is doubled for turn {turn}."), &clauses);
        }
        Event::BattleNamed { force, target, attackers, defenders } => {
            diary.heading(2, format!("{force} attack on {}", teller.hex(*target)));
            diary.line(format!("Attackers: {}.", teller.placed(attackers)), &clauses);
            diary.line(
                format!(
                    "Defenders: {}.",
                    if defenders.is_empty() { "the Signals Detachment alone".into() } else { teller.units(defenders) }
                ),
                &[],
            );
        }
        Event::NoBattle { target, why } => {
            let why = match why {
                NoBattle::NoAttackers => "no named attacker is left to press it",
                NoBattle::NoDefenders => "nobody is left to defend it",
            };
            diary.line(format!("The attack on {} comes to nothing: {why}.", teller.hex(*target)), &clauses);
        }
        Event::NoFire { target } => diary.line(format!("{} has no fire to give.", teller.hex(*target)), &clauses),
        Event::DefensiveFire { at, firers, total, column, die, modifiers, modified, result, .. } => {
            diary.line(
                format!("Fire at {}: {}, column {column}.", teller.hex(*at), count_of(*total, "factor")),
                &[Clause("9.2b"), Clause("DFT.a")],
            );
            diary.table(&["firing", "printed", "supply", "counts"], teller.factors(firers));
            let effect = if *result == FireResult::default() { ", no effect" } else { "" };
            teller.die(diary, die, modifiers, format!("{modified}: {result}{effect}"));
        }
        Event::StepsLost { force, cause, losses, .. } => {
            let mut lost: BTreeMap<UnitId, u8> = BTreeMap::new();
            for loss in losses {
                lost.insert(loss.unit, loss.left);
            }
            let tell = |(id, left): (&UnitId, &u8)| match left {
                0 => format!("{} eliminated", teller.unit(*id)),
                left => format!("{} reduced to {left}", teller.unit(*id)),
            };
            let list: Vec<String> = lost.iter().map(tell).collect();
            diary.detail(
                format!(
                    "{force} lose {} to {}: {}.",
                    count_of(losses.len(), "step"),
                    cause_word(*cause),
                    list.join(", ")
                ),
                &clauses,
            );
        }
        Event::Disorganized { hex, units } => {
            diary.detail(format!("Disorganized in {}: {}.", teller.hex(*hex), teller.units(units)), &clauses);
        }
        Event::CalledOff { target, column } => {
            diary.line(format!("The attack on {} is called off at {column}.", teller.hex(*target)), &clauses);
        }
        Event::NavalGunfire { force, target, from, range, factors } => {
            let fleet = if *force == Force::Us { "Sampson's" } else { "Cervera's" };
            diary.line(
                format!(
                    "{fleet} ships fire at {} from {}, range {range}: {}.",
                    teller.hex(*target),
                    teller.hex(*from),
                    count_of(*factors, "factor")
                ),
                &clauses,
            );
        }
        Event::Shock {
            target,
            force,
            attackers,
            naval,
            attack,
            defenders,
            defence,
            odds,
            shifts,
            column,
            die,
            modifiers,
            modified,
            result,
        } => {
            diary.heading(2, format!("{force} assault on {}", teller.hex(*target)));
            diary.table(&["attacking", "printed", "supply", "counts"], teller.factors(attackers));
            let guns = if *naval > 0 { format!(" with {naval} of naval gunfire") } else { String::new() };
            diary.table(&["defending", "printed", "supply", "counts"], teller.factors(defenders));
            diary.line(
                format!("{attack} attacking{guns} against {defence}: {odds}."),
                &[Clause("9.3a"), Clause("9.3c")],
            );
            diary.sum("Column", odds.clone(), shifts, column.clone());
            teller.die(diary, die, modifiers, format!("{modified} on {column}: {result}"));
        }
        Event::LeaderHolds { hex, leader } => {
            diary.detail(
                format!("{} holds {} against the order to retreat.", teller.unit(*leader), teller.hex(*hex)),
                &clauses,
            );
        }
        Event::Retreated { from, to, source } => {
            let toward = source.map_or(String::new(), |hex| format!(" toward {}", teller.hex(hex)));
            diary.detail(format!("Retreat from {}{toward}: {}.", teller.hex(*from), teller.placed(to)), &clauses);
        }
        Event::Advanced { to, units } => {
            let units: Vec<UnitId> = units.keys().copied().collect();
            diary
                .detail(format!("{} into {}.", teller.doing(&units, "advances", "advance"), teller.hex(*to)), &clauses);
        }
        Event::FriendlyFire { die, hit, cause, .. } => {
            let text = match (die.is_foreseen(), hit) {
                (true, _) => die.to_string(),
                (false, true) => format!("die {die}, shells fall short"),
                (false, false) => format!("die {die}, no harm done"),
            };
            diary.detail(format!("Friendly fire ({cause}): {text}."), &clauses);
        }
        Event::SurrenderCheck { objectives, needed, die, modifiers, modified, result } => {
            let held = objectives.len();
            let list: Vec<String> = objectives.iter().map(|hex| teller.hex(*hex)).collect();
            let list = if list.is_empty() { "none".to_owned() } else { list.join(", ") };
            diary.line(format!("US objectives: {held} ({list}); {needed} call for a surrender roll."), &clauses);
            if let (Some(die), Some(modified), Some(result)) = (die, modified, result) {
                let outcome = match result {
                    Surrender::Nothing => "Santiago holds out",
                    Surrender::ALasJarcias => "a las jarcias",
                    Surrender::Surrender => "surrender",
                };
                diary.sum("Surrender", format!("die {die}"), modifiers, format!("{modified}: {outcome}"));
            }
        }
        Event::FleetSails => diary.line("A las jarcias! Cervera's squadron leaves the harbor for good.", &clauses),
        Event::WithdrawalCheck { casualties, needed, die, result } => {
            diary.line(
                format!("US casualties: {}; {needed} call for a withdrawal roll.", count_of(*casualties, "step")),
                &clauses,
            );
            if let (Some(die), Some(result)) = (die, result) {
                let outcome = match result {
                    Withdrawal::NoEffect => "Congress waits",
                    Withdrawal::Withdrawal => "Congress recalls the army",
                };
                diary.detail(format!("Withdrawal: die {die}, {outcome}."), &[Clause("4.4a")]);
            }
        }
        Event::Fever { force, die, steps, .. } => {
            diary.line(
                format!("Yellow fever among the {}: die {die}, {} lost.", people(*force), count_of(*steps, "step")),
                &clauses,
            );
        }
        Event::HistoricEvent { die, event, happens, .. } => {
            let name = match event {
                HistoricEvent::HeroicCubans => "Heroic Cubans: Cuban assaults add one to the die this turn",
                HistoricEvent::EscarioDelayed => "Escario is delayed by a turn",
                HistoricEvent::BadWeather => "Bad weather: clear and jungle off the roads cost one more this turn",
                HistoricEvent::GarrisonsReleased => "El Morro and Socapa release their garrisons",
                HistoricEvent::SpanishMachineguns => "Spanish machineguns",
            };
            let note = if *happens { "" } else { " (no event: it has happened or comes too late)" };
            diary.line(format!("Event: die {die}. {name}{note}."), &clauses);
        }
        Event::MachinegunsPlaced { unit, at } => {
            diary.detail(format!("{} take up position in {}.", teller.unit(*unit), teller.hex(*at)), &clauses);
        }
        Event::MachinegunsForgone { unit } => {
            diary.detail(format!("{} are not placed and are lost.", teller.unit(*unit)), &clauses)
        }
        Event::TurnEnded { turn, date, rallied } => {
            let rally = if rallied.is_empty() {
                String::new()
            } else {
                format!(" Order returns to {}.", teller.units(rallied))
            };
            diary.line(format!("Turn {turn}, {date}, is over.{rally}"), &clauses);
        }
        Event::GameOver { ending } => {
            diary.heading(1, "The end");
            diary.line(ending.verdict().text, &clauses);
        }
    }
}

fn people(force: Force) -> &'static str {
    match force {
        Force::Us => "Americans",
        Force::Cuban => "Cubans",
        Force::Spanish => "Spanish",
    }
}

fn cause_word(cause: Cause) -> &'static str {
    match cause {
        Cause::Fire => "defensive fire",
        Cause::Shock => "shock",
        Cause::FriendlyFire => "their own shells",
        Cause::Retreat => "a retreat with no way out",
        Cause::Fever => "yellow fever",
        Cause::Overstack => "overstacking",
    }
}

struct Teller<'g> {
    game: &'g Santiago1898,
}

impl Teller<'_> {
    fn phase(&self, turn: u32, phase: PhaseName) -> String {
        let name = match phase {
            PhaseName::SpanishSetup => "Spanish set-up",
            PhaseName::CubanSetup => "Cuban set-up",
            PhaseName::VictoryCheck => "Victory checks",
            PhaseName::YellowFever => "Yellow fever",
            PhaseName::HistoricEvent => "Historic event",
            PhaseName::Landing => "US landings",
            PhaseName::CubanMovement => "Cuban movement",
            PhaseName::UsMovement => "US movement",
            PhaseName::CubanFire => "Cuban fire phase",
            PhaseName::UsFire => "US fire phase",
            PhaseName::CubanShock => "Cuban shock phase",
            PhaseName::UsShock => "US shock phase",
            PhaseName::SpanishMovement => "Spanish movement",
            PhaseName::SpanishFire => "Spanish fire phase",
            PhaseName::SpanishShock => "Spanish shock phase",
            PhaseName::EndOfTurn => "End of turn",
        };
        match phase {
            PhaseName::SpanishSetup | PhaseName::CubanSetup => name.to_owned(),
            _ => format!("Turn {turn}: {name}"),
        }
    }

    /// A die that was rolled and what came of it, or what may come of one still to be rolled.
    fn die(&self, diary: &mut Diary, die: &Cast, modifiers: &Tally, result: String) {
        match die.is_foreseen() {
            true => diary.sum("Die", "1d6", modifiers, die.to_string()),
            false => diary.sum("Die", die.to_string(), modifiers, result),
        }
    }

    fn hex(&self, hex: Hex) -> String {
        self.game.data.describe(hex)
    }

    fn unit(&self, id: UnitId) -> String {
        id.to_string()
    }

    /// Units and what they do, in the right number.
    fn doing(&self, units: &[UnitId], one: &str, more: &str) -> String {
        format!("{} {}", self.units(units), if units.len() == 1 { one } else { more })
    }

    fn units(&self, units: &[UnitId]) -> String {
        let names: Vec<String> = units.iter().map(|id| self.unit(*id)).collect();
        names.join(", ")
    }

    fn placed(&self, units: &BTreeMap<UnitId, Hex>) -> String {
        let mut by: BTreeMap<Hex, Vec<UnitId>> = BTreeMap::new();
        for (id, hex) in units {
            by.entry(*hex).or_default().push(*id);
        }
        let parts: Vec<String> =
            by.iter().map(|(hex, units)| format!("{} in {}", self.units(units), self.hex(*hex))).collect();
        parts.join("; ")
    }

    fn by_hex(&self, places: &BTreeMap<UnitId, Hex>) -> Vec<Vec<String>> {
        let mut by: BTreeMap<Hex, Vec<UnitId>> = BTreeMap::new();
        for (id, hex) in places {
            by.entry(*hex).or_default().push(*id);
        }
        by.iter().map(|(hex, units)| vec![self.hex(*hex), self.units(units)]).collect()
    }

    fn path(&self, path: &[Paid]) -> String {
        let parts: Vec<String> = path.iter().map(|paid| format!("{} ({} {})", paid.hex, paid.why, paid.cost)).collect();
        parts.join(", ")
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one event")]
    fn march(
        &self,
        diary: &mut Diary,
        units: &[UnitId],
        from: Hex,
        path: &[Paid],
        spent: u32,
        allowance: u32,
        pace: Pace,
        clauses: &[Clause],
    ) {
        let how = match pace {
            Pace::Normal => format!("{spent} of {allowance} MP"),
            Pace::Column => format!("in column, {spent} of {allowance} MP"),
            Pace::Minimum => format!("the one hex every unit may move, {spent} MP"),
        };
        diary.line(format!("{}: {} to {}; {how}.", self.units(units), self.hex(from), self.path(path)), clauses);
    }

    fn factors(&self, factors: &[Factor]) -> Vec<Vec<String>> {
        let row = |factor: &Factor| {
            let supply = if factor.supplied { "supplied" } else { "out, halved" };
            vec![
                format!("{} in {}", factor.unit, factor.hex),
                factor.printed.to_string(),
                supply.to_owned(),
                factor.counts.to_string(),
            ]
        };
        factors.iter().map(row).collect()
    }
}

/// What each side lost and gained in a span.
pub fn sum_up(game: &Santiago1898, events: &[&Event], diary: &mut Diary) {
    let teller = Teller { game };
    let mut lost: BTreeMap<Force, BTreeMap<Cause, u32>> = BTreeMap::new();
    let mut dead: BTreeMap<Force, Vec<UnitId>> = BTreeMap::new();
    let mut gained: BTreeMap<bool, Vec<Hex>> = BTreeMap::new();
    for event in events {
        match event {
            Event::StepsLost { force, cause, losses, .. } => {
                let steps = u32::try_from(losses.len()).unwrap_or(0);
                *lost.entry(*force).or_default().entry(*cause).or_insert(0) += steps;
                dead.entry(*force)
                    .or_default()
                    .extend(losses.iter().filter(|loss| loss.left == 0).map(|loss| loss.unit));
            }
            Event::Control { hex, us, objective: true } => gained.entry(*us).or_default().push(*hex),
            _ => {}
        }
    }
    for (force, by) in &lost {
        let total: u32 = by.values().sum();
        let parts: Vec<String> = by.iter().map(|(cause, steps)| format!("{steps} to {}", cause_word(*cause))).collect();
        let gone = dead.get(force).filter(|units| !units.is_empty());
        let gone = gone.map_or(String::new(), |units| format!("; eliminated: {}", teller.units(units)));
        diary.line(format!("{force} losses: {}, {}{gone}.", count_of(total, "step"), parts.join(", ")), &[]);
    }
    for (us, hexes) in &gained {
        let who = if *us { "US" } else { "Spanish" };
        let list: Vec<String> = hexes.iter().map(|hex| teller.hex(*hex)).collect();
        diary.line(format!("Objectives taken by the {who} player: {}.", list.join(", ")), &[Clause("4.1a")]);
    }
    if lost.is_empty() && gained.is_empty() {
        diary.line("No losses, no objective changed hands.", &[]);
    }
}

/// Where the campaign stands.
pub fn tell_state(now: &Position<'_>, diary: &mut Diary) {
    let teller = Teller { game: now.game };
    let state = now.state;
    let objectives = now.us_objectives();
    let list: Vec<String> = objectives.iter().map(|hex| teller.hex(*hex)).collect();
    let list = if list.is_empty() { "none".to_owned() } else { list.join(", ") };
    diary.line(
        format!("US objectives: {} of {} ({list}).", objectives.len(), now.data().objectives.len()),
        &[Clause("4.1b")],
    );
    diary.line(format!("US casualties: {}.", count_of(state.us_casualties(), "step")), &[Clause("4.3e")]);
    let base = state.base.map_or("not ashore".to_owned(), |hex| teller.hex(hex));
    diary.line(format!("Logistical Base: {base}."), &[Clause("10.3a")]);
    let mut notes = Vec::new();
    if state.santiago_fell {
        notes.push("Santiago has fallen".to_owned());
    }
    if let Some(turn) = state.fleet_sailed {
        notes.push(format!("Cervera sailed on turn {turn}"));
    }
    if let Some(turn) = state.all_out {
        notes.push(format!("Roosevelt made his effort on turn {turn}"));
    }
    if state.garrisons_released {
        notes.push("the garrisons are released".to_owned());
    }
    if state.escario_delayed && !state.escario_arrived {
        notes.push("Escario is delayed".to_owned());
    }
    if state.bad_weather {
        notes.push("bad weather today".to_owned());
    }
    if state.heroic_cubans {
        notes.push("heroic Cubans today".to_owned());
    }
    if state.balloon {
        notes.push("the balloon is up".to_owned());
    }
    if !notes.is_empty() {
        diary.line(format!("Also: {}.", notes.join("; ")), &[]);
    }
    for force in Force::ALL {
        diary.table(&[people(force), "hex", "steps", "fire", "shock", "MF", "supply", ""], unit_rows(now, force));
    }
    let pool: Vec<UnitId> = now.pool().into_iter().map(|(id, _)| id).collect();
    if !pool.is_empty() {
        diary.line(format!("Afloat: {}.", teller.units(&pool)), &[Clause("3.4a")]);
    }
    let escario = now.escario();
    if !escario.is_empty() {
        diary.line(format!("On the march with Escario: {}.", teller.units(&escario)), &[Clause("3.2b")]);
    }
}

fn unit_rows(now: &Position<'_>, force: Force) -> Vec<Vec<String>> {
    let nets = Nets::default();
    let mut rows = Vec::new();
    for (id, unit) in &now.state.units {
        let Place::At(hex) = unit.at else { continue };
        if now.force(*id) != Some(force) {
            continue;
        }
        let values = now.values(*id);
        let supply = if !now.is_combat(*id) {
            ""
        } else if now.is_supplied(&nets, *id) {
            "yes"
        } else {
            "out"
        };
        let mut marks = Vec::new();
        if unit.disorganized {
            marks.push("DIS");
        }
        if unit.landed {
            marks.push("landed");
        }
        if now.is_frozen(*id) {
            marks.push("frozen");
        }
        rows.push(vec![
            id.to_string(),
            now.data().describe(hex),
            if unit.steps > 0 { unit.steps.to_string() } else { "-".into() },
            values.fire.to_string(),
            values.shock.to_string(),
            values.mf.to_string(),
            supply.to_owned(),
            marks.join(" "),
        ]);
    }
    rows
}

/// The head of a report.
pub fn headline(now: &Position<'_>) -> String {
    let date = now.data().date(now.state.turn).unwrap_or("1898").to_owned();
    let what = match now.state.stage {
        Stage::SpanishSetup => "before the Spanish set-up",
        Stage::CubanSetup => "before the Cuban set-up",
        Stage::UsTurn => "the US player to move",
        Stage::UsCombat => "US combat",
        Stage::SpanishTurn => "the Spanish player to move",
        Stage::SpanishCombat => "Spanish combat",
        Stage::Over => "the game is over",
    };
    debug_assert!(US != SPAIN);
    format!("Santiago 1898, turn {} of {}, {date}: {what}", now.state.turn, now.game.last_turn())
}
