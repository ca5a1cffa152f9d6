//! Events in words.

use crate::engine::{Cast, Clause, Diary, Event as _, Seen, Tally, capital, count_of, list};

use super::EndOfEmpire;
use super::events::{Event, Factor, Loss, PhaseName};
use super::position::{Known, Position};
use super::state::{Stage, State};
use super::terms::{EventName, Force, Piece, UnitKind};
use super::{SPAIN, US};

fn factors(all: &[Factor]) -> String {
    let one = |factor: &Factor| match factor.counts == factor.printed {
        true => format!("{} {}", factor.unit, factor.counts),
        false => format!("{} {} of {}", factor.unit, factor.counts, factor.printed),
    };
    all.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn losses(all: &[Loss]) -> String {
    let one = |loss: &Loss| match loss.left {
        Some(0) => format!("{} is lost", loss.unit),
        Some(left) => format!("{} loses {} and has {left} left", loss.unit, count_of(loss.steps, "step")),
        None => format!("{} loses {}", loss.unit, count_of(loss.steps, "step")),
    };
    all.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// Pieces and what they do, in the right number.
fn doing(pieces: &[Piece], one: &str, many: &str) -> String {
    format!("{} {}", list(pieces), if pieces.len() == 1 { one } else { many })
}

/// A die and what came of it, or what may come of one still to be rolled.
fn rolled(die: &Cast, result: impl std::fmt::Display) -> String {
    if die.is_foreseen() { die.to_string() } else { format!("{die}: {result}") }
}

/// The sum of a die and its modifiers.
fn sum(diary: &mut Diary, label: &str, die: &Cast, modifiers: &Tally, modified: i32) {
    match die.is_foreseen() {
        true => diary.sum(label, "1d6", modifiers, die.to_string()),
        false => diary.sum(label, die.to_string(), modifiers, modified.to_string()),
    }
}

/// A part of the sequence as a heading has it.
fn title(phase: PhaseName) -> String {
    let words = phase.as_str().replace('-', " ").replace("setup", "set-up");
    match words.split_once(' ') {
        Some(("us", what)) => format!("US {what}"),
        _ => capital(&words),
    }
}

/// Tells an event.
pub fn tell(game: &EndOfEmpire, event: &Event, diary: &mut Diary) {
    let hex = |hex: &crate::board::Hex| game.data.describe(*hex);
    let clauses: Vec<Clause> = event.clauses();
    let mut line = |text: String| diary.line(text, &clauses);
    match event {
        Event::Phase { turn, phase } => diary.heading(1, format!("Turn {turn}: {}", title(*phase))),
        Event::Deployed { force, units, counters } => {
            let counters = if counters.is_empty() {
                String::new()
            } else {
                format!(" and {}", count_of(counters.len(), "closed counter"))
            };
            line(format!("The {} deploy {}{counters}.", force.people(), count_of(units.len(), "unit")));
        }
        Event::HistoricalEvent { number, event, happens, .. } => {
            let effect = if *happens { "" } else { ": no effect" };
            let text = format!("Historical event {number}, {}{effect}.", event.as_str().replace('-', " "));
            diary.line(text, &[&clauses[..], &[rule_of(*event)]].concat());
        }
        Event::Examined { piece, at } => line(format!("{piece} in {} is examined.", hex(at))),
        Event::EscarioDue { turn } => line(format!("Escario is now expected on turn {turn}.")),
        Event::Released => line("The garrisons of El Morro and La Socapa are released.".into()),
        Event::MachineGuns { at } => line(match at {
            Some(at) => format!("The Spanish machine guns are placed in {}.", hex(at)),
            None => "The Spanish machine guns are not placed.".into(),
        }),
        Event::Points { force, gained, now } => {
            line(format!("{} supply points: {gained} more, {now} now.", force.name()))
        }
        Event::SurrenderRoll { objectives, die, modifiers, modified, column, result } => {
            line(format!(
                "The US player holds {} and calls for surrender: {die}, column {column}: {result}.",
                count_of(*objectives, "objective")
            ));
            sum(diary, "surrender roll", die, modifiers, *modified);
        }
        Event::NoSurrenderRoll { objectives } => {
            line(format!("The US player holds {}: no surrender roll.", count_of(*objectives, "objective")))
        }
        Event::Jarcias => line("A las jarcias! The Spanish fleet leaves Santiago for good.".into()),
        Event::WithdrawalRoll { steps_lost, die, modifiers, modified, column, result } => {
            line(format!(
                "{} lost: Congress debates a withdrawal: {die}, column {column}: {result}.",
                count_of(*steps_lost, "US step")
            ));
            sum(diary, "withdrawal roll", die, modifiers, *modified);
        }
        Event::SupplyChecked { out, back } => {
            if out.is_empty() && back.is_empty() {
                line("Supply: nothing changes.".into());
            }
            if !out.is_empty() {
                line(format!("Out of supply: {}.", list(out)));
            }
            if !back.is_empty() {
                diary.line(format!("In supply again: {}.", list(back)), &clauses);
            }
        }
        Event::LogisticsMade { unit, at, points } => {
            line(format!("Logistic column {unit} is made in {}; {points} supply points are left.", hex(at)))
        }
        Event::Detached { unit, into, at } => line(format!("{unit} in {} gives off {}.", hex(at), list(into))),
        Event::Reorganized { force, counters, join, leave } => {
            let now: Vec<String> = counters.iter().map(|(name, at)| format!("{name} in {at}")).collect();
            let verb = if join.is_empty() && leave.is_empty() { "lay their counters anew" } else { "reorganize" };
            line(format!(
                "The {} {verb}: {}.",
                force.people(),
                if now.is_empty() { "no closed counter".into() } else { now.join(", ") }
            ));
            if !join.is_empty() {
                diary.detail(format!("Under a counter: {}.", list(join)), &clauses);
            }
            if !leave.is_empty() {
                diary.detail(format!("In the open now: {}.", list(leave)), &clauses);
            }
        }
        Event::ModeSet { unit, mode } => line(format!(
            "{unit} is deployed {}.",
            if mode.as_str() == "guerrilla" { "in guerrilla" } else { "in regular order" }
        )),
        Event::Fever { force, die, steps } => {
            let steps = if die.is_foreseen() { "steps lost".to_owned() } else { count_of(*steps, "step") };
            line(format!("Yellow fever among the {}: {die}, {steps}.", force.people()))
        }
        Event::Landed { units, counter, at } => {
            line(format!("{} at {}.", arrivals(units, *counter, "lands", "land"), hex(at)))
        }
        Event::BaseLanded { at } => line(format!("The Logistics Base is landed at {}.", hex(at))),
        Event::Entered { units, counter, at } => {
            line(format!("{} by {}.", arrivals(units, *counter, "enters", "enter"), hex(at)))
        }
        Event::Moved { units, from, path, spent, led } => {
            let way: Vec<String> = path.iter().map(|paid| paid.hex.to_string()).collect();
            let march = match led {
                true => doing(units, "is led astray", "are led astray"),
                false => doing(units, "marches", "march"),
            };
            line(format!("{march} from {} over {} for {spent}.", hex(from), way.join(" ")));
        }
        Event::Halted { units, at, why, .. } => {
            diary.detail(format!("{} in {}: {why}.", doing(units, "is halted", "are halted"), hex(at)), &clauses)
        }
        Event::JungleRoll { units, at, die, modifiers, modified, result } => {
            diary.detail(format!("Jungle in {}, {}: {}.", hex(at), list(units), rolled(die, result)), &clauses);
            sum(diary, "jungle roll", die, modifiers, *modified);
        }
        Event::GuerrillaRoll { by, target, at, reaction, counter, die, modifiers, modified, result } => {
            let strike = match (reaction, counter) {
                (_, true) => doing(by, "hunts guerrillas", "hunt guerrillas"),
                (true, _) => doing(by, "strikes at the march", "strike at the march"),
                _ => doing(by, "strikes", "strike"),
            };
            line(format!("{strike} in {} ({}): {}.", hex(target), list(at), rolled(die, result)));
            sum(diary, "guerrilla roll", die, modifiers, *modified);
        }
        Event::StepRoll { at, die, lost } => diary.detail(
            format!("{}: {}.", hex(at), rolled(die, if *lost { "a step is lost" } else { "no step is lost" })),
            &clauses,
        ),
        Event::StepsLost { at, cause, losses: all, .. } => {
            // Two steps printed, and gone with the first.
            let guerrilla = |loss: &Loss| {
                let kind = game.data.unit(loss.unit).map(|unit| unit.kind);
                loss.left == Some(0) && kind == Some(UnitKind::Guerrilla)
            };
            let why = all.iter().any(guerrilla).then_some(Clause("1.1.1d"));
            let clauses: Vec<Clause> = clauses.iter().copied().chain(why).collect();
            diary.detail(format!("{} ({cause}): {}.", hex(at), losses(all)), &clauses)
        }
        Event::Eliminated { units, at, cause, .. } => {
            diary.detail(format!("Eliminated in {} ({cause}): {}.", hex(at), list(units)), &clauses)
        }
        Event::Disorganized { units, at, overstacked } => {
            let why = if *overstacked { "Overstacked and disorganized" } else { "Disorganized" };
            diary.detail(format!("{why} in {}: {}.", hex(at), list(units)), &clauses);
        }
        Event::Opened { counter, at, why, units } => {
            let name = |member: &super::terms::Member| {
                let name = game.data.unit(member.unit).map_or("", |unit| unit.name.as_str());
                format!("{member} ({name})")
            };
            let units: Vec<String> = units.iter().map(name).collect();
            diary.detail(format!("{counter} in {} is opened ({why}): {}.", hex(at), units.join(", ")), &clauses);
        }
        Event::DummyShown { counter, at, why } => {
            diary.detail(format!("{counter} in {} is a dummy ({why}) and leaves the game.", hex(at)), &clauses)
        }
        Event::Guessed { counter, at } => {
            let text = format!("What lies under {counter} in {} shows then; this reckons with nobody.", hex(at));
            diary.detail(text, &clauses)
        }
        Event::LeaderMoved { unit, from, to } => {
            diary.detail(format!("{unit} falls back from {} to {}.", hex(from), hex(to)), &clauses)
        }
        Event::Control { hex: at, us } => diary.detail(
            format!("{} is now {}.", hex(at), if *us { "under US control" } else { "Spanish again" }),
            &clauses,
        ),
        Event::BalloonSet { up, at } => {
            line(format!("The balloon is {} in {}.", if *up { "up" } else { "down" }, hex(at)))
        }
        Event::Observed { counter, die, steps } => line(match steps {
            Some(steps) => format!("The balloon observes {counter}: {die}: {} under it.", count_of(*steps, "step")),
            None => format!("The balloon observes {counter}: {die}."),
        }),
        Event::Coordination { target, die, fires } => line(format!(
            "Fire on {} is asked of the Navy: {}.",
            hex(target),
            rolled(die, if *fires { "it fires" } else { "it does not" })
        )),
        Event::Combat { target, by, from, force } => {
            diary.heading(2, format!("{} attack on {} from {}: {}", force.name(), hex(target), list(from), list(by)))
        }
        Event::Supported { force, with, points, .. } => {
            let with = match with {
                super::orders::Support::Column(column) => format!("{column} is used up"),
                _ => format!("a supply point is spent, {points} left"),
            };
            diary.detail(format!("{} support: {with}.", force.name()), &clauses);
        }
        Event::FireRoll { kind, by, target, factors: of, total, column, die, modifiers, modified, result } => {
            line(format!(
                "{} fire ({kind}) at {}: {} = {total}, column {column}; {}.",
                by.name(),
                hex(target),
                factors(of),
                rolled(die, result)
            ));
            sum(diary, "fire roll", die, modifiers, *modified);
        }
        Event::NoFire { kind, by, target } => {
            diary.detail(format!("{} fire ({kind}) at {}: nothing to fire with.", by.name(), hex(target)), &clauses)
        }
        Event::FriendlyFire { target, die, strikes } => diary.detail(
            match strikes {
                Some(struck) => {
                    format!("Friendly fire: {die}: shells meant for {} fall on {}.", hex(target), hex(struck))
                }
                None => format!("Friendly fire: {}.", rolled(die, "none")),
            },
            &clauses,
        ),
        Event::Shock {
            target,
            attackers,
            defenders,
            attack,
            defence,
            odds,
            shifts,
            column,
            die,
            modifiers,
            modified,
            result,
        } => {
            line(format!(
                "Shock at {}: {attack} ({}) to {defence} ({}) is {odds}, fought at {column}; {}.",
                hex(target),
                factors(attackers),
                factors(defenders),
                rolled(die, result)
            ));
            diary.sum("odds column", odds.to_string(), shifts, column.to_string());
            if !modifiers.terms().is_empty() {
                sum(diary, "shock roll", die, modifiers, *modified);
            }
        }
        Event::NoShock { target, .. } => {
            diary.detail(format!("No shock at {}: the attackers have no factor.", hex(target)), &clauses)
        }
        Event::Retreated { units, from, to } => {
            let retreat = doing(units, "retreats", "retreat");
            diary.detail(format!("{retreat} from {} to {}.", hex(from), hex(to)), &clauses)
        }
        Event::Advanced { units, into } => {
            diary.detail(format!("{} into {}.", doing(units, "advances", "advance"), hex(into)), &clauses)
        }
        Event::TurnEnded { turn } => line(format!("Turn {turn} ends; disorganized units are ready again.")),
        Event::NotDone { order, why, .. } => line(format!("Not carried out: {order}: {}.", why.join("; "))),
        Event::Ended { ending } => line(ending.verdict().text),
        Event::Lapsed(lapse) => line(format!(
            "{} is not among the choices for {}; the default applies: {}.",
            lapse.said, lapse.kind, lapse.applied
        )),
        Event::Laid { counter, holds } => {
            let what = if holds.is_dummy() { "is a dummy".to_owned() } else { format!("holds {holds}") };
            diary.detail(format!("{counter} {what}."), &clauses);
        }
    }
}

fn arrivals(units: &[Piece], counter: Option<Piece>, one: &str, many: &str) -> String {
    doing(&units.iter().copied().chain(counter).collect::<Vec<_>>(), one, many)
}

/// What each side lost and gained.
pub fn sum_up(events: &[&Event], diary: &mut Diary) {
    let mut lost = std::collections::BTreeMap::<Force, (u32, Vec<String>)>::new();
    let (mut taken, mut dummies) = (Vec::new(), 0u32);
    for event in events {
        match event {
            Event::StepsLost { force, losses, .. } => {
                let (steps, units) = lost.entry(*force).or_default();
                for loss in losses {
                    *steps += u32::from(loss.steps);
                    let gone = if loss.left == Some(0) { " (lost)" } else { "" };
                    units.push(format!("{}{gone}", loss.unit));
                }
            }
            Event::Control { hex, us } => taken.push(format!("{hex} {}", if *us { "US" } else { "Spanish" })),
            Event::DummyShown { .. } => dummies += 1,
            _ => {}
        }
    }
    for (force, (steps, units)) in lost {
        let steps = count_of(steps, "step");
        diary.line(format!("The {} lose {steps}: {}.", force.people(), units.join(", ")), &[]);
    }
    if !taken.is_empty() {
        diary.line(format!("Changed hands: {}.", taken.join(", ")), &[]);
    }
    if dummies > 0 {
        diary.line(format!("{} shown.", count_of(dummies, "dummy counter")), &[]);
    }
}

/// One line for the head of a report.
pub fn headline(state: &State) -> String {
    let due = match state.stage {
        Stage::SpanishSetup => "the Spanish set up",
        Stage::CubanSetup => "the Cubans set up",
        Stage::UsTurn => "US player turn",
        Stage::UsCombat => "US combat",
        Stage::SpanishTurn => "Spanish player turn",
        Stage::SpanishCombat => "Spanish combat",
        Stage::Over => "the campaign is over",
    };
    format!("End of Empire, turn {} of 14: {due}", state.turn)
}

/// Where the campaign stands.
pub fn tell_state(game: &EndOfEmpire, seen: &Seen<'_, State>, diary: &mut Diary) {
    let state = seen.state;
    let known = match seen.side {
        Some(side) => Known::own(game, seen, side),
        None => Known::of(game, state, seen.holdings),
    };
    let now = Position { game, state, known: &known };
    diary.heading(1, headline(state));
    let held: Vec<String> =
        game.data.objectives.iter().filter(|hex| now.us_controls(**hex)).map(|hex| game.data.describe(*hex)).collect();
    diary.line(
        format!(
            "Objectives under US control: {} of {}{}.",
            held.len(),
            game.data.objectives.len(),
            if held.is_empty() { String::new() } else { format!(" ({})", held.join(", ")) }
        ),
        &[Clause("4.1b")],
    );
    diary.line(format!("US Army steps lost: {}.", state.us_steps_lost), &[Clause("4.2a")]);
    if game.options.supply_points {
        diary.line(
            format!("Supply points: US {}, Spanish {}.", state.points(Force::Us), state.points(Force::Spanish)),
            &[Clause("14.4.1b")],
        );
    }
    if let Some(base) = state.base {
        diary.line(format!("The Logistics Base is in {}.", game.data.describe(base)), &[Clause("10.2d")]);
    }
    if !state.arrived {
        diary.line(format!("Escario is expected on turn {}.", state.escario), &[Clause("A22b")]);
    }
    if !state.in_force.is_empty() {
        let events: Vec<String> = state.in_force.iter().map(|event| event.as_str().replace('-', " ")).collect();
        let mut clauses = vec![Clause("A68")];
        clauses.extend(state.in_force.iter().map(|event| rule_of(*event)));
        diary.line(format!("In force this turn: {}.", events.join(", ")), &clauses);
    }
    for side in [US, SPAIN] {
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut pieces = now.on_map(side);
        pieces.sort_by_key(|piece| (state.hex_of(*piece), *piece));
        for piece in pieces {
            let Some(hex) = state.hex_of(piece) else { continue };
            let (what, marks) = describe(&now, piece);
            rows.push(vec![game.data.describe(hex), piece.to_string(), what, marks]);
        }
        diary.heading(2, if side == US { "US Army and Cubans" } else { "Spanish" });
        diary.table(&["hex", "piece", "strength", "marks"], rows);
    }
}

/// What a piece is worth and what lies on it, as the viewer knows.
pub fn describe(now: &Position<'_>, piece: Piece) -> (String, String) {
    let mut marks: Vec<String> = Vec::new();
    let state = now.state;
    let mut mark = |is: bool, word: &str| {
        if is {
            marks.push(word.to_owned());
        }
    };
    mark(now.in_guerrilla(piece), "in guerrilla");
    if let Some(counter) = state.counters.get(&piece) {
        mark(counter.ds > 0, "DS");
        mark(counter.oos, "OOS");
        mark(counter.landed, "landed");
        mark(counter.stopped, "stopped");
        mark(counter.real, "no dummy");
        if counter.lost() > 0 {
            marks.push(format!("{} lost", counter.lost()));
        }
        if let Some(told) = counter.told {
            marks.push(format!("{} told", count_of(told, "step")));
        }
        if let Some(turn) = counter.since {
            marks.push(format!("known since turn {turn}"));
        }
        let what = match now.known.0.get(&piece) {
            Some(content) if content.is_dummy() => "dummy".to_owned(),
            Some(_) => {
                let members = now.members(piece).unwrap_or_default();
                let members: Vec<String> = members.iter().map(|(unit, steps)| format!("{unit}/{steps}")).collect();
                members.join(", ")
            }
            None => "closed".to_owned(),
        };
        return (what, marks.join(", "));
    }
    let unit = state.unit(piece);
    mark(unit.ds, "DS");
    mark(unit.oos, "OOS");
    mark(unit.landed, "landed");
    mark(unit.stopped, "stopped");
    mark(now.data().cast().signals == Some(piece) && state.balloon_up, "balloon up");
    mark(now.frozen(piece), "not released");
    let factors = now.factors(piece);
    let what = match now.unit(piece).map(|unit| (unit.rating, unit.kind.is_combat())) {
        Some((Some(rating), _)) => format!("leader {rating}"),
        Some((_, true)) => {
            format!("{}-{}-{}, {}", factors.fire, factors.shock, factors.r#move, count_of(unit.steps, "step"))
        }
        _ => format!("moves {}", factors.r#move),
    };
    (what, marks.join(", "))
}

/// Where it stands what a historical event does.
fn rule_of(event: EventName) -> Clause {
    Clause(match event {
        EventName::CubaLibre => "7.2.11a",
        EventName::FriendCalixto => "7.2.14a",
        EventName::Patriots => "7.2.21a",
        EventName::YellowPress => "7.2.25a",
        EventName::TheDons => "7.2.31a",
        EventName::MorroAndSocapa => "7.2.34a",
        EventName::Nothing => "7.2.41a",
        EventName::RememberTheMaine => "7.2.51a",
        EventName::Trozos => "7.2.53a",
        EventName::Tocineros => "7.2.55a",
        EventName::MachineGuns => "7.2.61a",
        EventName::EscarioEarly => "7.2.63a",
        EventName::RunningTheBlockade => "7.2.65a",
    })
}
