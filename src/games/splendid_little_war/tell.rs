//! Events in words, and where the campaign stands.

use crate::engine::doc::{DocPath, FromDoc, Node, Reader};
use crate::engine::{Cast, Clause, Diary, Event as _, Seen, Side, count_of, list};

use super::events::{Event, PhaseName};
use super::position::Position;
use super::state::{Stage, State};
use super::tell_combat;
use super::terms::{Force, Piece, d10};
use super::{SPAIN, Scenario, SplendidLittleWar, US};

/// A ten-sided die as the rules read it, or what it may come to.
pub fn die(cast: &Cast) -> String {
    if cast.is_foreseen() { cast.to_string() } else { d10(cast.face()).to_string() }
}

/// Who plays a side.
pub fn player(side: Side) -> &'static str {
    if side == SPAIN { "Spanish" } else { "US" }
}

/// Tells an event.
pub fn tell(game: &SplendidLittleWar, event: &Event, diary: &mut Diary) {
    let hex = |hex: &crate::board::Hex| game.data.describe(*hex);
    let clauses: Vec<Clause> = event.clauses();
    match event {
        Event::Phase { turn, side, phase } => {
            let whose = side.map_or(String::new(), |side| format!("{} ", player(side)));
            let name = match phase {
                PhaseName::SpanishSetup | PhaseName::UsSetup => "set-up".to_owned(),
                other => other.as_str().replace('-', " "),
            };
            diary.heading(1, format!("Turn {turn}, {}: {whose}{name}", date(*turn)));
        }
        Event::Deployed { side, units, entrenchments } => {
            diary.line(format!("The {} player deploys {}.", player(*side), count_of(units.len(), "counter")), &clauses);
            if !entrenchments.is_empty() {
                let hexes: Vec<String> = entrenchments.iter().map(hex).collect();
                diary.detail(format!("Entrenched: {}.", hexes.join(", ")), &clauses);
            }
        }
        Event::WeatherRoll { die: cast, modifiers, modified, weather } => {
            diary.line(format!("Weather: {}.", weather.as_str().replace('-', " ")), &clauses);
            diary.sum("weather roll", die(cast), modifiers, modified.to_string());
        }
        Event::OutbreakRoll { force, roll, chance, breaks_out, .. } => {
            let result = if *breaks_out { "Yellow Fever breaks out" } else { "no outbreak" };
            diary
                .line(format!("Outbreak roll of the {}: {roll} against {chance}: {result}.", force.people()), &clauses);
        }
        Event::SupplyChecked { side, oos1, oos2, back } => {
            if oos1.is_empty() && oos2.is_empty() && back.is_empty() {
                diary.line(format!("All {} units are in supply.", player(*side)), &clauses);
            }
            for (what, units) in [("OoS1", oos1), ("OoS2", oos2), ("In supply again", back)] {
                if !units.is_empty() {
                    diary.line(format!("{what}: {}.", list(units)), &clauses);
                }
            }
        }
        Event::CommandChecked { side, out, back } => {
            if out.is_empty() && back.is_empty() {
                diary.line(format!("All {} units are In Command.", player(*side)), &clauses);
            }
            for (what, units) in [("Out of Command", out), ("In Command again", back)] {
                if !units.is_empty() {
                    diary.line(format!("{what}: {}.", list(units)), &clauses);
                }
            }
        }
        Event::Roosevelt { unit } => diary.line(format!("Roosevelt rides with {unit}."), &clauses),
        Event::Wood { regiments } => diary.line(format!("Wood commands {}.", list(regiments)), &clauses),
        Event::LeaderBack { leader, with, at } => diary.line(
            match (with, at) {
                (Some(with), Some(at)) => format!("{leader} is back, with {with} in {}.", hex(at)),
                _ => format!("{leader} is well again and waits for a unit in supply."),
            },
            &clauses,
        ),
        Event::EscarioRoll { column, die: cast, enters, loses } => {
            let result = match (enters, loses) {
                (true, _) => "it arrives".to_owned(),
                (false, 0) => "it is not there yet".to_owned(),
                (false, loses) => format!("it is not there yet and loses {}", count_of(*loses, "company")),
            };
            diary.line(format!("Escario's column, {column}: {}: {result}.", die(cast)), &clauses);
        }
        Event::SortieRolled => diary.line("Admiral Cervera has his orders; their date is Spain's secret.", &clauses),
        Event::SortieDue { die, day } => diary.line(
            format!("Cervera's orders: a roll of {} means July {day}. The US player does not know.", d10(*die)),
            &clauses,
        ),
        Event::ResistRoll { die, resists } => {
            let result = if *resists { "he could stay another day" } else { "he could not resist an order" };
            diary.line(format!("Cervera's roll to resist: {}: {result}. Only you see this.", d10(*die)), &clauses);
        }
        Event::FleetStays { day } => {
            diary.line(format!("July {day}: the Spanish fleet stays in the harbor."), &clauses)
        }
        Event::FleetSails { die, day, resist, units } => {
            diary.line(format!("July {day}: the Spanish fleet sails. The sailors go back aboard."), &clauses);
            diary.detail(format!("The roll of turn 2 was {}.", d10(*die)), &clauses);
            if let Some(resist) = resist {
                diary.detail(format!("The roll to resist was {}.", d10(*resist)), &clauses);
            }
            diary.detail(format!("Off the map: {}.", list(units)), &clauses);
        }
        Event::Released { unit, die: cast, gmp } => diary.line(
            format!("{unit} is released from the garrison: {}, {gmp} Garrison Movement Points in all.", die(cast)),
            &clauses,
        ),
        Event::Freed { units, escario } => {
            let why = if *escario { "Escario's men are in Santiago" } else { "US troops are near" };
            diary.line(format!("{why}: {} may leave the garrison.", list(units)), &clauses);
        }
        Event::Due { units, at } => {
            diary.line(format!("Reinforcements are due at {}: {}.", hex(at), list(units)), &clauses)
        }
        Event::Entered { units, at, path, spent } => {
            let way: Vec<String> = path.iter().map(|paid| paid.hex.to_string()).collect();
            let on = if way.is_empty() { String::new() } else { format!(" over {}", way.join(" ")) };
            let enter = if units.len() == 1 { "enters" } else { "enter" };
            diary.line(format!("{} {enter} by {}{on} for {spent}.", list(units), hex(at)), &clauses);
        }
        Event::AtEdge { units } => diary.line(format!("Still at the map edge: {}.", list(units)), &clauses),
        Event::BrokeDown { unit, into, at } => {
            diary.line(format!("{unit} breaks down in {} into {}.", hex(at), list(into)), &clauses)
        }
        Event::Reformed { unit, at, .. } => diary.line(format!("{unit} reforms in {}.", hex(at)), &clauses),
        Event::Moved { units, from, path, spent } => {
            let way: Vec<String> = path.iter().map(|paid| format!("{} ({})", paid.hex, paid.cost)).collect();
            let text = format!("{} from {} over {}: {spent} MP.", list(units), hex(from), way.join(" "));
            diary.line(text, &clauses);
        }
        Event::Halted { units, at, why, .. } => {
            diary.detail(format!("{} stopped in {}: {why}.", list(units), hex(at)), &clauses)
        }
        Event::LeftZone { unit, from, to } => {
            diary.line(format!("{unit}, Out of Command, leaves {} for {}.", hex(from), hex(to)), &clauses)
        }
        Event::Entrenched { unit, at } => diary.line(format!("{unit} entrenches {}.", hex(at)), &clauses),
        Event::Control { hex: at, us } => {
            let who = if *us { "the US" } else { "Spain" };
            diary.detail(format!("{} falls to {who}.", hex(at)), &clauses);
        }
        Event::Ring { closed, turns } => {
            let text = match (closed, turns) {
                (false, _) => "The ring around Santiago is open.".to_owned(),
                (true, 0) => "The ring around Santiago is closed.".to_owned(),
                (true, turns) => format!("The ring around Santiago has held for {}.", count_of(*turns, "full turn")),
            };
            diary.line(text, &clauses);
        }
        Event::SurrenderRoll { die: cast, number, surrenders } => {
            let text = match (number, surrenders) {
                (None, _) => format!("Cuabitas is lost, talks begin: the surrender number is {}.", die(cast)),
                (Some(number), true) => format!("Surrender roll {} against {number}: Santiago surrenders.", die(cast)),
                (Some(number), false) => format!("Surrender roll {} against {number}: talks go on.", die(cast)),
            };
            diary.line(text, &clauses);
        }
        Event::TurnEnded { turn } => diary.line(format!("Turn {turn} is over."), &clauses),
        Event::VictoryCount { forts, places, el_viso, level, shifts, reached } => {
            let viso = if *el_viso { "with El Viso" } else { "without El Viso" };
            diary.line(format!("In US hands: {}, {viso}: {}.", works(*places, *forts), words(level)), &clauses);
            if !shifts.terms().is_empty() {
                diary.sum("shifts", words(level), shifts, words(reached));
            }
        }
        Event::NotDone { order, why, .. } => {
            diary.line(format!("Not carried out: {order}: {}.", why.join("; ")), &clauses)
        }
        Event::Ended { ending } => {
            diary.heading(1, "The end");
            diary.line(ending.verdict().text, &clauses);
        }
        Event::Lapsed(lapse) => diary
            .line(format!("{} was not possible for {}: {} instead.", lapse.said, lapse.key, lapse.applied), &clauses),
        _ => tell_combat::tell(game, event, diary),
    }
}

fn words(level: &super::state::Level) -> String {
    named(level.as_str())
}

/// `3 forts and blockhouses, 1 of them a fort`.
fn works(places: u32, forts: u32) -> String {
    match (places, forts) {
        (0, _) => "no fort or blockhouse".to_owned(),
        (1, 0) => "1 blockhouse".to_owned(),
        (1, _) => "1 fort".to_owned(),
        (_, 1) => format!("{places} forts and blockhouses, 1 of them a fort"),
        _ => format!("{places} forts and blockhouses, {forts} of them forts"),
    }
}

/// A key as a sentence has it: `us-infantry` is `US infantry`.
fn named(key: &str) -> String {
    key.replace('-', " ").replacen("us ", "US ", 1).replacen("spanish ", "Spanish ", 1).replacen("cuban ", "Cuban ", 1)
}

/// Morning or afternoon of a day of July (§2.0a).
pub fn date(turn: u32) -> String {
    let half = if turn % 2 == 1 { "morning" } else { "afternoon" };
    format!("{half} of July {}", super::state::day_of(turn))
}

/// What each side lost: the head of a report.
pub fn sum_up(events: &[&Event], diary: &mut Diary) {
    for force in [Force::Us, Force::Cuban, Force::Spanish] {
        let lost = |event: &&&Event| matches!(event, Event::Lost { force: of, .. } if *of == force);
        let mut all: Vec<(Piece, String)> = Vec::new();
        for event in events.iter().filter(lost) {
            if let Event::Lost { cause, units, .. } = event {
                all.extend(units.iter().map(|unit| (*unit, cause.as_str().replace('-', " "))));
            }
        }
        if !all.is_empty() {
            let text: Vec<String> = all.iter().map(|(unit, cause)| format!("{unit} ({cause})")).collect();
            diary.line(format!("{} losses: {}.", force.name(), text.join(", ")), &[]);
        }
    }
    let taken = |us: bool| -> Vec<String> {
        let gained = events.iter().filter_map(|event| match event {
            Event::Control { hex, us: to } if *to == us => Some(hex.to_string()),
            _ => None,
        });
        gained.collect()
    };
    for (who, hexes) in [("The US", taken(true)), ("Spain", taken(false))] {
        if !hexes.is_empty() {
            diary.line(format!("{who} takes {}.", hexes.join(", ")), &[]);
        }
    }
}

/// Where the campaign stands.
pub fn tell_state(game: &SplendidLittleWar, seen: &Seen<'_, State>, diary: &mut Diary) {
    let state = seen.state;
    let now = Position { game, state };
    diary.line(format!("Weather: {}.", state.weather.as_str().replace('-', " ")), &[]);
    match game.scenario {
        Scenario::Campaign => {
            let (forts, places) = now.works_held();
            let text = format!("In US hands: {}.", works(places, forts));
            diary.line(text, &[Clause("17.0.victory-b")]);
            let level = now.level();
            diary.sum("victory level now", words(&level), &now.shifts(), String::from("shifts apply at the end"));
        }
        _ => {
            let entry = game.scenario_entry();
            let goals: Vec<String> = (entry.all.iter().chain(&entry.heights))
                .map(|hex| {
                    let held = if state.us_held.contains(hex) { "US" } else { "Spain" };
                    format!("{} ({held})", game.data.describe(*hex))
                })
                .collect();
            diary.line(format!("Objectives: {}.", goals.join(", ")), &[]);
            if let Some(limit) = entry.loss_limit {
                let text = format!("US sub-units lost: {} of at most {limit}.", now.us_sub_units_lost());
                diary.line(text, &[Clause("3.0i")]);
            }
        }
    }
    for (class, causes) in &state.losses {
        let text: Vec<String> = causes.iter().map(|(cause, steps)| format!("{steps} {cause}")).collect();
        diary.line(format!("Steps lost, {}: {}.", named(class.as_str()), text.join(", ")), &[]);
    }
    for (force, since) in &state.fever {
        let chance = now.fever_chance(*force).unwrap_or(0);
        let text = format!("Yellow Fever among the {} since turn {since}: {chance} percent.", force.people());
        diary.line(text, &[Clause("8.0j")]);
    }
    for side in [US, SPAIN] {
        let of = |test: &dyn Fn(Piece) -> bool| -> Vec<Piece> {
            now.on_map(side).map(|(id, _)| id).filter(|id| test(*id)).collect()
        };
        let marked = [
            ("Broken", of(&|id| now.now(id).broken)),
            ("out of supply", of(&|id| now.now(id).oos.is_some())),
            ("Out of Command", of(&|id| now.now(id).ooc)),
        ];
        for (what, units) in marked {
            if !units.is_empty() {
                diary.line(format!("{} units {what}: {}.", player(side), list(&units)), &[]);
            }
        }
        let edge = now.waiting(side);
        if !edge.is_empty() {
            diary.line(format!("{} reinforcements at the edge: {}.", player(side), list(&edge)), &[]);
        }
    }
    for (leader, turn) in &state.wounded {
        diary.line(format!("{leader} is wounded and comes back on turn {turn}."), &[Clause("13.4d")]);
    }
    let held = state.sortie.as_ref().and_then(|dice| seen.holdings.get(SPAIN, dice.0.slot()));
    let faces =
        held.and_then(|held| Vec::<u16>::read(&Node::from_json(held), &DocPath::root(), &mut Reader::new(game)));
    if let Some(die) = faces.and_then(|faces| faces.first().copied()).filter(|_| !state.fleet_gone) {
        let day = game.data.tables.sortie_day(d10(die));
        diary.line(format!("Cervera is ordered to sail on July {day}; the US player does not know."), &[]);
    }
}

/// One line for the head of a report.
pub fn headline(game: &SplendidLittleWar, state: &State) -> String {
    let what = match state.stage {
        Stage::SpanishSetup => "Spain sets up",
        Stage::UsSetup => "the US player sets up",
        Stage::UsTurn => "the US player's turn",
        Stage::SpanishDefensiveFire => "Spanish Defensive Fire",
        Stage::UsCombat => "US combat",
        Stage::SpanishTurn => "the Spanish player's turn",
        Stage::UsDefensiveFire => "US Defensive Fire",
        Stage::SpanishCombat => "Spanish combat",
        Stage::Over => "the end",
    };
    format!("{}, turn {} of {}, {}: {what}", game.scenario_entry().name, state.turn, game.turns(), date(state.turn))
}
