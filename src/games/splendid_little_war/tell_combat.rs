//! Combat in words: every CF with every halving, totals, columns, modifiers, dice, and who was lost.

use crate::engine::{Clause, Diary, Event as _, count_of, list};

use super::SplendidLittleWar;
use super::events::{BrokenBy, Event, Factor, FireKind};
use super::tell::die;
use super::terms::{Cause, CheckKind, d10};

/// `us-inf-07 9`, or `sp-art-61-6ha 2 → 1 (beyond half its range)`.
fn factor(factor: &Factor) -> String {
    let mut text = format!("{} {}", factor.unit, factor.cf);
    for step in &factor.steps {
        text += &format!(" → {} ({})", step.cf, step.by);
    }
    text
}

fn factors(diary: &mut Diary, who: &str, all: &[Factor]) {
    let clauses: Vec<Clause> = all.iter().flat_map(|factor| factor.steps.iter().map(|step| step.clause)).collect();
    let text: Vec<String> = all.iter().map(factor).collect();
    diary.detail(format!("{who}: {}.", text.join(", ")), &clauses);
}

/// Why a Morale Check is made, in words.
fn reason(check: CheckKind) -> &'static str {
    match check {
        CheckKind::Move => "to move though Broken",
        CheckKind::LeaveZone => "to go on",
        CheckKind::Breakdown => "after the breakdown",
        CheckKind::Assault => "after the assault",
        CheckKind::Dynamite => "under the dynamite gun",
        CheckKind::Supply => "out of supply",
        CheckKind::Recovery => "to recover",
        CheckKind::Leader => "whether he is hit",
    }
}

/// What cost steps, in words.
fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::Fire => "to fire",
        Cause::Assault => "in the assault",
        Cause::NoRetreat => "for want of a retreat",
        Cause::Fever => "to Yellow Fever",
        Cause::Supply => "out of supply",
        Cause::EndPhase => "scattered",
        Cause::Overstack => "crowded out",
        Cause::Variable => "by its own roll",
        Cause::Entry => "on the march",
        Cause::Sortie => "back aboard",
        Cause::Malfunction => "burst",
        Cause::Balloon => "with the balloon",
        Cause::Killed => "killed",
    }
}

/// Tells what the frame leaves to combat.
pub fn tell(game: &SplendidLittleWar, event: &Event, diary: &mut Diary) {
    let hex = |hex: &crate::board::Hex| game.data.describe(*hex);
    let name =
        |piece: &super::terms::Piece| game.data.unit(*piece).map_or(piece.to_string(), |unit| unit.code.to_string());
    let clauses: Vec<Clause> = event.clauses();
    match event {
        Event::AssaultMarked { target, units } => {
            diary.line(format!("Marked to assault {}: {}.", hex(target), list(units)), &clauses)
        }
        Event::VariableRoll { unit, die: cast, cf, .. } => {
            let result = cf.map_or("eliminated".to_owned(), |cf| format!("CF {cf}"));
            diary.detail(format!("{unit} rolls its CF: {}: {result}.", die(cast)), &clauses);
        }
        Event::IndirectRoll { unit, spotter, target, die: cast, hits } => {
            let result = if *hits { "on target" } else { "no effect" };
            let text =
                format!("{unit} fires indirectly at {target}, {} spots: {}: {result}.", name(spotter), die(cast));
            diary.detail(text, &clauses);
        }
        Event::Fire {
            kind,
            by,
            target,
            edge,
            factors: all,
            total,
            rounded,
            column,
            die: cast,
            modifiers,
            modified,
            steps,
        } => {
            let how = if *kind == FireKind::Defensive { "Defensive Fire" } else { "Offensive Fire" };
            let result = if *steps == 0 { "no effect".to_owned() } else { count_of(*steps, "step") };
            let beside = if *edge { "the map edge beside " } else { "" };
            diary.line(format!("{how} of the {} at {beside}{}: {result}.", by.people(), hex(target)), &clauses);
            factors(diary, "Firing", all);
            let round = if *kind == FireKind::Defensive { "up" } else { "down" };
            let clause = if *kind == FireKind::Defensive { "13.1aa" } else { "13.1z" };
            let text = format!("Total {total}, rounded {round} {rounded}: column {column}.");
            diary.detail(text, &[Clause(clause)]);
            diary.sum("fire roll", die(cast), modifiers, modified.to_string());
        }
        Event::NoFire { kind, by, target, factors: all, total } => {
            let how = if *kind == FireKind::Defensive { "Defensive Fire" } else { "Offensive Fire" };
            diary.line(format!("{how} of the {} at {}: too weak, {total}.", by.people(), hex(target)), &clauses);
            factors(diary, "Firing", all);
        }
        Event::BrokeDownForLosses { unit, at, left } => {
            diary.detail(format!("{unit} in {} breaks down; left: {}.", hex(at), list(left)), &clauses)
        }
        Event::Lost { at, cause: why, units, .. } => {
            let place = at.map_or(String::new(), |at| format!(" in {}", hex(&at)));
            diary.detail(format!("Lost {}{place}: {}.", cause(*why), list(units)), &clauses);
        }
        Event::MoraleCheck { unit, check, die: cast, modifiers, modified, rating, passed, .. } => {
            let result = if *passed { "passed" } else { "failed" };
            diary.detail(format!("{unit} checks morale {}: {result} against {rating}.", reason(*check)), &clauses);
            diary.sum("morale roll", die(cast), modifiers, modified.to_string());
        }
        Event::Broken { units, at, by } => {
            let why = match by {
                BrokenBy::Volunteers => "volunteers who broke down",
                BrokenBy::Check => "a failed check",
                BrokenBy::Assault => "the assault",
                BrokenBy::NoWayOut => "no way out of the enemy's zone",
                BrokenBy::Regiment => "the regiment was Broken",
            };
            diary.detail(format!("Broken in {}: {} ({why}).", hex(at), list(units)), &clauses);
        }
        Event::Recovered { unit, at, .. } => diary.line(format!("{unit} in {} is Normal again.", hex(at)), &clauses),
        Event::LeaderHit { leader, at, die: cast, returns } => {
            let text = match returns {
                Some(turn) => format!("{} is hit in {}: {}, back on turn {turn}.", name(leader), hex(at), die(cast)),
                None => format!("{} is hit in {}: {}, he dies of his wounds.", name(leader), hex(at), die(cast)),
            };
            diary.line(text, &clauses);
        }
        Event::LeaderKilled { leader, at, .. } => {
            diary.line(format!("{} falls in {}.", name(leader), hex(at)), &clauses)
        }
        Event::LeaderMoved { leader, from, path } => {
            diary.detail(format!("{} goes from {} over {}.", name(leader), hex(from), list(path)), &clauses)
        }
        Event::RetireRoll { unit, at, die: cast, modifiers, modified, retires } => {
            let result = if *retires { "it may go" } else { "it stays" };
            diary.line(format!("{unit} in {} tries to retire: {result}.", hex(at)), &clauses);
            diary.sum("retire roll", die(cast), modifiers, modified.to_string());
        }
        Event::Retired { unit, from, to } => {
            diary.detail(format!("{unit} retires from {} to {}.", hex(from), hex(to)), &clauses)
        }
        Event::Occupied { units, into } => {
            diary.line(format!("{} move into {}, which the Cubans have left.", list(units), hex(into)), &clauses)
        }
        Event::FeverRoll { unit, dice, roll, chance, caught, .. } => {
            let result = if *caught { "it falls ill" } else { "it escapes" };
            let roll = if dice.is_foreseen() { dice.to_string() } else { format!("{roll:02}") };
            diary.detail(format!("Fever roll of {unit}: {roll} against {chance}: {result}."), &clauses);
        }
        Event::CalledOff { target } => diary.line(format!("The assault on {} is called off.", hex(target)), &clauses),
        Event::NoAssault { target, attackers } => {
            let why = if *attackers { "nobody is left to be assaulted" } else { "nobody is left to assault it" };
            diary.line(format!("No assault on {}: {why}.", hex(target)), &clauses);
        }
        Event::Assault {
            target,
            attackers,
            defenders,
            sum,
            attack,
            defence,
            terrain,
            odds,
            die: cast,
            modifiers,
            modified,
            result,
            sign,
        } => {
            diary.line(format!("Assault on {} at {odds}: {result}.", hex(target)), &clauses);
            factors(diary, "Attacking", attackers);
            factors(diary, "Defending", defenders);
            let text = format!("{sum}, on {terrain}, rounded down {attack}, to {defence}, rounded up: {odds}.");
            diary.detail(text, &[Clause("13.2f"), Clause("13.2g"), Clause("13.2h")]);
            diary.sum("assault roll", die(cast), modifiers, modified.to_string());
            if let Some(sign) = sign {
                let text =
                    format!("Broken defenders and leaders of the attack are counted with `assault-drm-sign: {sign}`.");
                diary.detail(text, &[Clause("13.2o"), Clause("13.2p")]);
            }
        }
        Event::Retreated { unit, from, path } => {
            diary.detail(format!("{unit} retreats from {} over {}.", hex(from), list(path)), &clauses)
        }
        Event::StoodInFort { unit, at } => diary.detail(format!("{unit} stands in the fort in {}.", hex(at)), &clauses),
        Event::Advanced { units, into } => {
            let advance = if units.len() == 1 { "advances" } else { "advance" };
            diary.line(format!("{} {advance} into {}.", list(units), hex(into)), &clauses);
        }
        Event::BalloonSet { up, at, weather } => {
            let text = match (up, weather) {
                (true, _) => format!("The balloon goes up over {}.", hex(at)),
                (false, true) => format!("The weather brings the balloon in {} down.", hex(at)),
                (false, false) => format!("The balloon in {} comes down.", hex(at)),
            };
            diary.line(text, &clauses);
        }
        Event::BalloonRoll { hexes, die: cast, modified, lost, .. } => {
            let result = if *lost { "it is lost" } else { "it is safe" };
            let roll = if cast.is_foreseen() { cast.to_string() } else { d10(cast.face()).to_string() };
            let count = count_of(hexes.len(), "hex");
            diary.line(format!("The balloon was fired on in {count}: {roll} makes {modified}: {result}."), &clauses);
        }
        Event::BalloonLost { at, .. } => {
            diary.line(format!("The balloon and its base in {} are lost.", hex(at)), &clauses)
        }
        Event::PontoonBegun { unit, at } => diary.line(format!("{unit} begins a bridge at {at}."), &clauses),
        Event::PontoonDone { unit, at, built } => {
            let text = if *built { "finishes its bridge" } else { "gives up its bridge" };
            diary.line(format!("{unit} {text} at {at}."), &clauses);
        }
        Event::PontoonRoll { at, die: cast, holds } => {
            let result = if *holds { "it holds" } else { "it breaks" };
            diary.detail(format!("The pontoon bridge at {at}: {}: {result}.", die(cast)), &clauses);
        }
        _ => {}
    }
}
