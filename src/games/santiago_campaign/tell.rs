//! The report: every event as a staff officer would note it, with the arithmetic beside it.

use std::collections::BTreeMap;

use crate::board::Hex;
use crate::engine::{Clause, Diary, Event as _, Seen, count_of, list};

use super::events::{Cause, Cut, Event, Factor, MarkerEvent, Paid, PhaseName, RetreatRank, SiteRoll};
use super::play::{Position, Trit};
use super::state::{Stage, State, Truce};
use super::supply::Suppose;
use super::terms::{HoldingBox, Nation, Piece, UnitId};
use super::{SantiagoCampaign, eyes, whereabouts};

/// The verb for one, or for several.
pub fn verb(count: impl TryInto<i64>, one: &'static str, several: &'static str) -> &'static str {
    if count.try_into().is_ok_and(|count| count == 1) { one } else { several }
}

/// Hexes entered, those alike together: `4521 4621 4620 (road ½ each), 4719 (jungle 2)`.
fn path(steps: &[Paid]) -> String {
    let stretches = steps.chunk_by(|a, b| a.cost == b.cost && a.why.to_string() == b.why.to_string());
    list(stretches.filter_map(|stretch| {
        let hexes: Vec<String> = stretch.iter().map(|paid| paid.hex.to_string()).collect();
        let Paid { why, cost, .. } = stretch.first()?;
        let each = if hexes.len() > 1 { " each" } else { "" };
        Some(format!("{} ({why} {cost}{each})", hexes.join(" ")))
    }))
}

fn cut(diary: &mut Diary, cut: Option<&Cut>) {
    if let Some(cut) = cut {
        diary.detail(format!("It stops before {}: {}.", cut.before, cut.why), &[cut.clause]);
    }
}

fn phase(turn: u32, phase: PhaseName) -> String {
    let name = match phase {
        PhaseName::SpanishSetup => return "Spanish set-up".to_owned(),
        PhaseName::UsSetup => return "Cuban deployment".to_owned(),
        PhaseName::StartOfTurn => "start of the turn",
        PhaseName::Fever => "fever",
        PhaseName::Disembarkation => "US disembarkation",
        PhaseName::UsMovement => "US movement",
        PhaseName::UsCombat => "US combat",
        PhaseName::SpanishMovement => "Spanish movement",
        PhaseName::SpanishCombat => "Spanish combat",
        PhaseName::Truce => "truce determination",
    };
    format!("Turn {turn}: {name}")
}

fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::Defending => "in defence",
        Cause::Bloodbath => "in the bloodbath",
        Cause::LoneArtillery => "guns without infantry",
        Cause::LeftBehind => "left behind by the retreat",
        Cause::NoRetreat => "with nowhere to retreat",
        Cause::GivenUp => "given up rather than displace others",
        Cause::Overrun => "overrun",
        Cause::BalloonFire => "under the fire the balloon drew",
        Cause::Overstacking => "crowded out",
        Cause::NoStrength => "melted away",
        Cause::PushedAway => "pushed away with nowhere to go",
    }
}

fn factors(fighters: &[Factor]) -> Vec<Vec<String>> {
    let note = |factor: &Factor| {
        let mut notes = Vec::new();
        if factor.bonus > 0 {
            notes.push("+1 against black powder".to_owned());
        }
        if factor.out_of_supply {
            notes.push("out of supply".to_owned());
        }
        if factor.spent {
            notes.push("fought before".to_owned());
        }
        notes.join(", ")
    };
    fighters.iter().map(|f| vec![f.unit.to_string(), f.hex.to_string(), f.counts.to_string(), note(f)]).collect()
}

/// Tells one event.
pub fn tell(game: &SantiagoCampaign, event: &Event, diary: &mut Diary) {
    let clauses = event.clauses();
    let at = |hex: &Hex| game.data.say(*hex);
    match event {
        Event::Phase { turn, phase: name } => diary.heading(1, phase(*turn, *name)),
        Event::SpanishDeployed { hexes, manzanillo, guantanamo } => {
            let on_map: u32 = hexes.values().sum();
            diary.line(
                format!(
                    "{} {} face-down in {} {}; {manzanillo} {} at Manzanillo, {guantanamo} at Guantanamo.",
                    count_of(on_map, "Spanish counter"),
                    verb(on_map, "lies", "lie"),
                    hexes.len(),
                    verb(hexes.len(), "hex", "hexes"),
                    verb(*manzanillo, "waits", "wait"),
                ),
                &clauses,
            );
            diary.table(
                &["hex", "counters"],
                hexes.iter().map(|(hex, count)| vec![at(hex), count.to_string()]).collect(),
            );
        }
        Event::BoxShown { which, units } => {
            let name = match which {
                HoldingBox::Manzanillo => "Manzanillo",
                HoldingBox::Guantanamo => "Guantanamo",
            };
            diary.line(format!("The {name} units lie face-up: {}.", shown(units)), &clauses);
        }
        Event::AllShown { units } => diary.line(format!("All Spanish units lie face-up: {}.", shown(units)), &clauses),
        Event::CubanRoll { die, zones } => {
            diary.line(format!("Cuban deployment, die {die}: {} units for zones 1 to 4.", list(zones)), &clauses);
        }
        Event::CubansDeployed { places } => {
            diary.line("The Cubans take to the jungle.", &clauses);
            diary.table(&["unit", "hex"], places.iter().map(|(id, hex)| vec![id.to_string(), at(hex)]).collect());
        }
        Event::Marines { sent } => {
            let text = if *sent {
                "The 1st Marine Battalion invades Guantanamo."
            } else {
                "The 1st Marine Battalion sails with the army."
            };
            diary.line(text, &clauses);
        }
        Event::SiteRolled { die, .. } if die.is_foreseen() => {
            diary.line(format!("The table says where the other units land: {die}."), &clauses);
        }
        Event::SiteRolled { die, modified, roll, site } => {
            let where_to = site.map(|hex| at(&hex)).unwrap_or_default();
            let text = match roll {
                SiteRoll::First => format!("The Navy lands the army at {where_to} (die {die})."),
                SiteRoll::Second => format!("A second landing at {where_to} (die {die}, {modified} on the table)."),
                SiteRoll::Repeated => {
                    format!("The second landing goes to {where_to} again (die {die}, {modified} on the table).")
                }
                SiteRoll::NonePicked => {
                    format!("No place is picked for a second landing (die {die}, {modified} on the table).")
                }
                SiteRoll::Cancelled => format!("The second landing is cancelled (die {die}, {modified} on the table)."),
            };
            diary.line(text, &clauses);
        }
        Event::SourcePlaced { hex, how, left } => {
            let how = match how {
                MarkerEvent::FirstLanding | MarkerEvent::SecondLanding => "is set up",
                MarkerEvent::Overland => "is opened overland",
            };
            diary.line(format!("A supply source {how} at {}; {} left.", at(hex), count_of(*left, "marker")), &clauses);
        }
        Event::SourceLost { hex, by, how } => {
            diary.line(format!("The supply source at {} is lost to {by} by {how}.", at(hex)), &clauses);
        }
        Event::Split { shares } => {
            let text = list(shares.iter().map(|(hex, units)| format!("{units} at {}", at(hex))));
            diary.line(format!("Landings this turn: {text}."), &clauses);
        }
        Event::Drawn { unit, die, of } => diary.line(format!("{unit} is drawn ({die} of {of})."), &clauses),
        Event::Landed { unit, site, path: steps, spent, cut: early } => {
            let onward =
                if steps.is_empty() { "stays on the beach".to_owned() } else { format!("moves on to {}", path(steps)) };
            diary.detail(format!("It lands at {} and {onward}; {spent} MP.", at(site)), &clauses);
            let _ = unit;
            cut(diary, early.as_ref());
        }
        Event::SetAside { unit } => diary.detail(format!("There is no room for {unit}; it stays aboard."), &clauses),
        Event::PoolEmpty => diary.line("The whole army is ashore.", &clauses),
        Event::SupplyLength { die, length, truce } => {
            let why = match (die, truce) {
                (Some(die), _) => format!("die {die} + 2"),
                (None, true) => "truce".to_owned(),
                (None, false) => "turns 1 and 2".to_owned(),
            };
            diary.line(format!("Off-road supply reaches {} this turn ({why}).", count_of(*length, "hex")), &clauses);
        }
        Event::Recovered { units } => diary.line(format!("Recovered from fever: {}.", list(units)), &clauses),
        Event::FeverRoll { tens, ones, infected, spared } => {
            let hit = if infected.is_empty() { "nobody".to_owned() } else { list(infected) };
            let rest = if spared.is_empty() { String::new() } else { format!(" ({} not ashore)", list(spared)) };
            diary.line(format!("Fever {tens}{ones}: {hit}{rest}."), &clauses);
        }
        Event::Moved { piece, from, path: steps, spent, purse, out_of_supply, cut: early, .. } => {
            let start = from.map_or_else(|| "off the map".to_owned(), |hex| at(&hex));
            let lost = if *out_of_supply { ", out of supply" } else { "" };
            if steps.is_empty() {
                diary.line(format!("{piece} stays in {start}{lost}."), &clauses);
            } else {
                diary.line(format!("{piece} from {start}: {}; {spent} of {purse} MP{lost}.", path(steps)), &clauses);
            }
            cut(diary, early.as_ref());
        }
        Event::Overrun { by, at: hex, lost } => {
            if lost.is_empty() {
                diary.line(format!("{by} overruns the counter in {} if it is a lone battery.", at(hex)), &clauses);
            } else {
                diary.line(format!("{by} overruns {} in {}.", list(lost), at(hex)), &clauses);
            }
        }
        Event::BalloonMode { up, at: hex } => {
            let text = if *up { "The balloon rises over" } else { "The balloon comes down at" };
            diary.line(format!("{text} {}.", at(hex)), &clauses);
        }
        Event::BalloonFired { from, at: hex, die, .. } if die.is_foreseen() => {
            diary.line(format!("A battery in {} may fire at the balloon over {}: {die}.", at(from), at(hex)), &clauses);
        }
        Event::BalloonFired { from, at: hex, die, hit } => {
            let outcome = if *hit { "it is hit and falls" } else { "a miss" };
            diary.line(
                format!("A battery in {} fires at the balloon over {}: die {die}, {outcome}.", at(from), at(hex)),
                &clauses,
            );
        }
        Event::Scatter { die, .. } if die.is_foreseen() => {
            diary.detail(format!("The shells come down next to it: {die}."), &clauses);
        }
        Event::Scatter { die, hex, struck } => {
            let place = hex.map_or_else(|| "off the map".to_owned(), |hex| format!("in {}", at(&hex)));
            let outcome = if *struck { "among US troops" } else { "harmlessly" };
            diary.detail(format!("The shells come down {place} (die {die}), {outcome}."), &clauses);
        }
        Event::StepLost { unit, hex, left, cause: why, .. } => {
            let outcome = if *left == 0 { "is eliminated" } else { "is reduced" };
            diary.detail(format!("{unit} {outcome} in {}, {}.", at(hex), cause(*why)), &clauses);
        }
        Event::SpanishLost { unit, hex, cause: why, .. } => {
            diary.detail(format!("{unit} is eliminated in {}, {}.", at(hex), cause(*why)), &clauses);
        }
        Event::Attack { target, attackers, .. } => {
            diary.heading(2, format!("Attack on {}", at(target)));
            let attack = verb(attackers.len(), "attacks", "attack");
            diary.line(format!("{} {attack}.", list(attackers)), &clauses);
        }
        Event::Revealed { units } => diary.line(format!("Turned over: {}.", shown(units)), &clauses),
        Event::Concealed { counters } => {
            let lie = verb(counters.len(), "lies", "lie");
            diary.detail(format!("{} {lie} face-down again.", list(counters)), &clauses);
        }
        Event::DroppedOut { units } => {
            diary.line(format!("{} cannot take part: out of supply.", list(units)), &clauses)
        }
        Event::CubanStrength { unit, die, .. } if die.is_foreseen() => {
            diary.line(format!("{unit} rolls for its strength: {die}; with 0 it is gone."), &clauses);
        }
        Event::CubanStrength { unit, die, strength } => {
            diary.line(format!("{unit} fights with {strength} (die {die} - 1)."), &clauses);
        }
        Event::AttackVoid { target, why, .. } => {
            diary.line(format!("The attack on {} comes to nothing: {why}.", at(target)), &clauses)
        }
        Event::Combat {
            attackers,
            defenders,
            attack,
            defence,
            odds,
            shifts,
            shift,
            final_odds,
            column,
            die,
            result,
            ..
        } => {
            diary.table(&["attacker", "hex", "factor", ""], factors(attackers));
            diary.table(&["defender", "hex", "factor", ""], factors(defenders));
            diary.line(format!("{attack} to {defence}: odds {odds}."), &[Clause("11.8b")]);
            diary.sum("column shift", "", shifts, format!("{shift:+}, so {final_odds}"));
            let column = column.map_or_else(|| "below the table".to_owned(), |column| format!("column {column}"));
            let result = result.as_str();
            if die.is_foreseen() {
                diary.line(format!("The {column}: {die}. The outlook goes on with {result}."), &clauses);
            } else {
                diary.line(format!("Die {die}, {column}: {result}."), &clauses);
            }
        }
        Event::AtLeast { target, attack, defence, odds, shifts, shift, final_odds } => {
            let text =
                format!("Who lies in {} is not known. At the worst {attack} to {defence}: odds {odds}.", at(target));
            diary.line(text, &[Clause("11.8b")]);
            diary.sum("column shift", "", shifts, format!("{shift:+}, so {final_odds}"));
            diary.line("The outlook goes on as if they were beaten.", &clauses);
        }
        Event::FortressHolds { target } => diary.line(format!("The fortress {} holds.", at(target)), &clauses),
        Event::Retreated { pieces, from, to, rank } => {
            let how = match rank {
                RetreatRank::Free => "",
                RetreatRank::OverCubans => ", pushing Cubans aside",
                RetreatRank::Displacing => ", making others move on",
            };
            let retreat = verb(pieces.len(), "retreats", "retreat");
            diary.line(format!("{} {retreat} from {} to {}{how}.", list(pieces), at(from), at(to)), &clauses);
        }
        Event::Displaced { moves } => {
            for shove in moves {
                diary
                    .detail(format!("{} makes room: {} to {}.", shove.piece, at(&shove.from), at(&shove.to)), &clauses);
            }
        }
        Event::CubanDisplaced { unit, from, to } => {
            diary.detail(format!("{unit} slips away from {} to {}.", at(from), at(to)), &clauses)
        }
        Event::BloodbathBill { required, paid, steps } => {
            diary.line(
                format!("The attacker must lose {} and gives {paid}: {}.", count_of(*required, "factor"), list(steps)),
                &clauses,
            );
        }
        Event::Advanced { pieces, to } => {
            let advance = verb(pieces.len(), "advances", "advance");
            diary.line(format!("{} {advance} into {}.", list(pieces), at(to)), &clauses);
        }
        Event::NoAdvance { to } => diary.line(format!("Nobody can advance into {}.", at(to)), &clauses),
        Event::Passed { hex, us } => {
            let side = if *us { "US" } else { "Spanish" };
            diary.detail(format!("{} is in {side} hands.", at(hex)), &clauses);
        }
        Event::Overstacked { hex, removed } => {
            let text = match removed.len() {
                0 => "nobody is removed".to_owned(),
                count => format!("{} {}", list(removed), verb(count, "goes", "go")),
            };
            diary.line(format!("{} holds too many units: {text}.", at(hex)), &clauses);
        }
        Event::SiegeTest { besieged, marker } => {
            let text = if *besieged { "Santiago is under siege." } else { "Santiago has a way out." };
            let truce = if *marker { " The Truce marker goes to the next turn." } else { "" };
            diary.line(format!("{text}{truce}"), &clauses);
        }
        Event::TruceRoll { die, truce } => {
            let text = if *truce { "a truce for this turn" } else { "no truce" };
            diary.line(format!("Truce roll, die {die}: {text}."), &clauses);
        }
        Event::TruceOver => diary.line("The truce is over.", &clauses),
        Event::GuantanamoRoll { die, .. } if die.is_foreseen() => {
            diary.line(format!("The Guantanamo table: {die}."), &clauses);
        }
        Event::GuantanamoRoll { die, released, withheld } => {
            diary.line(
                format!(
                    "Guantanamo, die {die}: {} {} released, {withheld} {} for good.",
                    count_of(*released, "unit"),
                    verb(*released, "is", "are"),
                    verb(*withheld, "stays", "stay"),
                ),
                &clauses,
            );
        }
        Event::Released { counters } => diary.detail(format!("Released: {}.", list(counters)), &clauses),
        Event::Withheld { what } => {
            diary.line(format!("A sealed {what} is not carried out."), &clauses);
        }
        Event::OrderLapsed { what, why, .. } => diary.line(format!("An order lapses ({what}): {why}."), &clauses),
        Event::ChoiceLapsed(lapse) => diary.line(
            format!(
                "{}'s choice {} for `{}` is not legal; {} applies.",
                lapse.who, lapse.said, lapse.kind, lapse.applied
            ),
            &clauses,
        ),
        Event::TurnEnded { turn } => diary.line(format!("Turn {turn} is over."), &clauses),
        Event::GameOver { ending } => {
            diary.heading(1, "The end");
            diary.line(ending.verdict().text, &clauses);
        }
    }
}

fn shown<T: std::fmt::Display>(units: &BTreeMap<T, UnitId>) -> String {
    list(units.iter().map(|(token, unit)| format!("{token} is {unit}")))
}

/// What each side lost in a span.
pub fn sum_up(_game: &SantiagoCampaign, events: &[&Event], diary: &mut Diary) {
    let mut steps: BTreeMap<Nation, u32> = BTreeMap::new();
    let (mut battles, mut landed) = (0u32, 0u32);
    for event in events {
        match event {
            Event::StepLost { nation, .. } => *steps.entry(*nation).or_default() += 1,
            Event::SpanishLost { .. } => *steps.entry(Nation::Spanish).or_default() += 1,
            Event::Attack { .. } => battles += 1,
            Event::Landed { .. } => landed += 1,
            _ => {}
        }
    }
    let lost = |nation| steps.get(&nation).copied().unwrap_or(0);
    if landed > 0 {
        diary.line(format!("{} landed.", count_of(landed, "unit")), &[Clause("6.2a")]);
    }
    if battles > 0 || !steps.is_empty() {
        diary.line(
            format!(
                "{}; lost: {}, {}, {}.",
                count_of(battles, "attack"),
                count_of(lost(Nation::Us), "US step"),
                count_of(lost(Nation::Cuban), "Cuban unit"),
                count_of(lost(Nation::Spanish), "Spanish unit"),
            ),
            &[Clause("5.3f")],
        );
    }
}

/// Where the campaign stands, as one side may see it.
pub fn tell_state(game: &SantiagoCampaign, seen: &Seen<'_, State>, diary: &mut Diary) {
    let known = eyes(game, seen);
    let state = seen.state;
    let now = Position { game, state, known: &known };
    let limit = game.data.tables.limits.steps_lost;
    diary.line(
        format!(
            "US steps lost: {} of {limit}; two-step units eliminated: {}.",
            state.steps_lost, state.two_steppers_lost
        ),
        &[Clause("4.1a")],
    );
    let held = game.data.city.iter().filter(|hex| now.us_holds_or_passed(**hex)).count();
    diary.line(
        format!("Santiago hexes last passed by the US side: {held} of {}.", game.data.city.len()),
        &[Clause("4.5b")],
    );
    if !matches!(state.stage, Stage::SpanishSetup | Stage::UsSetup) {
        let siege = if now.besieged() { "Santiago is under siege." } else { "Santiago is not under siege." };
        diary.line(siege, &[Clause("4.4a")]);
    }
    match state.truce {
        Truce::None => {}
        Truce::Pending => diary.line("A truce roll is due when the next turn opens.", &[Clause("19.2a")]),
        Truce::Active => diary.line("A truce is in force: no combat into or out of Santiago.", &[Clause("19.3c")]),
        Truce::Used => diary.line("The truce of this game has been.", &[Clause("19.3e")]),
    }
    let sources = match state.sources.is_empty() {
        true => "none".to_owned(),
        false => list(state.sources.keys().map(|hex| game.data.say(*hex))),
    };
    let left = game.data.tables.limits.supply_markers.saturating_sub(state.markers_used);
    diary.line(
        format!(
            "Supply sources: {sources}; {} left; off-road length {}.",
            count_of(left, "marker"),
            state.supply_length
        ),
        &[Clause("12.5d")],
    );
    let pool = now.pool();
    if !pool.is_empty() {
        diary.line(format!("At sea: {}.", count_of(pool.len(), "unit")), &[Clause("6.7b")]);
    }
    let maps = now.supply_maps(Suppose::default());
    let mut stacks: BTreeMap<Hex, Vec<String>> = BTreeMap::new();
    let mut cubans = Vec::new();
    for (id, unit) in state.units.iter() {
        let Some(hex) = unit.at.hex() else { continue };
        if now.nation(*id) == Some(Nation::Cuban) {
            cubans.push(format!("{id} {}", whereabouts(unit.at)));
            continue;
        }
        let reduced = game.data.counter(*id).is_some_and(|counter| unit.steps < counter.steps());
        let notes = [(reduced, " reduced"), (unit.fever, " fever")];
        let notes: String = notes.iter().filter(|(holds, _)| *holds).map(|(_, note)| *note).collect();
        stacks.entry(hex).or_default().push(format!("{id} ({}){notes}", now.factor(*id)));
    }
    let rows = stacks.into_iter().map(|(hex, units)| {
        let supply = match maps.at(&now, hex) {
            Trit::Yes => "",
            Trit::Maybe => "supply unclear",
            Trit::No => "out of supply",
        };
        vec![game.data.say(hex), units.join(", "), supply.to_owned()]
    });
    diary.table(&["hex", "US units (factor)", ""], rows.collect());
    if !cubans.is_empty() {
        diary.line(format!("Cuban units: {}.", cubans.join(", ")), &[Clause("14.2a")]);
    }
    let mut rows = Vec::new();
    for (hex, tokens) in now.stacks() {
        rows.push(vec![game.data.say(hex), list(tokens.iter().map(|token| now.say(Piece::from(*token))))]);
    }
    diary.table(&["hex", "Spanish counters"], rows);
    let boxes = [(HoldingBox::Manzanillo, "Manzanillo", "23.2f"), (HoldingBox::Guantanamo, "Guantanamo", "23.1i")];
    for (which, name, clause) in boxes {
        let held: Vec<String> = state.tokens_held(which).map(|token| now.say(Piece::from(token))).collect();
        if !held.is_empty() {
            diary.line(format!("At {name}: {}.", held.join(", ")), &[Clause(clause)]);
        }
    }
    if !state.dead.is_empty() {
        diary.line(format!("Spanish dead pile: {}.", list(&state.dead)), &[Clause("8.1d")]);
    }
}

/// One line for the head of a report.
pub fn headline(state: &State) -> String {
    let stage = match state.stage {
        Stage::SpanishSetup => "the Spanish army is to be deployed",
        Stage::UsSetup => "the Cubans are to be deployed",
        Stage::UsTurn => "US player turn",
        Stage::UsCombat => "US combat",
        Stage::SpanishTurn => "Spanish player turn",
        Stage::SpanishCombat => "Spanish combat",
        Stage::Over => "the game is over",
    };
    format!("The Santiago Campaign, turn {} of 11: {stage}", state.turn)
}
