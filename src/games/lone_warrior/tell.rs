//! The report: every event in a sentence or two, with the number needed and why beside each chip.

use std::collections::BTreeMap;

use crate::engine::{Cast, Diary, Event as _, Tally, Verdict, capital, list};

use super::LoneWarrior;
use super::events::{Against, Aspect, Difficulty, Event, LeaderFate, Passed, Redrawn, Saviour, TurnEnd};
use super::state::{HeroFate, Place, Stage, State};
use super::terms::{Arm, Battlefield, HeroId, LeaderId, Power, UnitId};

/// Names as the report writes them.
struct Said<'g>(&'g LoneWarrior);

impl Said<'_> {
    fn unit(&self, id: UnitId) -> String {
        match self.0.data.units.get(&id) {
            // A battery named after its captain takes no article.
            Some(unit) if unit.name.contains("'s ") => format!("{} ({id})", unit.name),
            Some(unit) => format!("the {} ({id})", unit.name),
            None => id.to_string(),
        }
    }

    fn named(&self, id: UnitId) -> String {
        capital(&self.unit(id))
    }

    fn leader(&self, id: LeaderId) -> &str {
        self.0.data.leaders.get(&id).map_or(id.as_str(), |leader| &leader.name)
    }

    fn hero(&self, id: HeroId) -> &str {
        self.0.data.heroes.get(&id).map_or(id.as_str(), |hero| &hero.name)
    }

    fn saviour(&self, saviour: Saviour) -> &str {
        match saviour {
            Saviour::Leader(id) => self.leader(id),
            Saviour::Hero(id) => self.hero(id),
        }
    }

    fn field(&self, id: Battlefield) -> &str {
        &self.0.field(id).name
    }

    fn area(&self, field: Battlefield, id: super::terms::AreaId) -> String {
        let areas = &self.0.field(field).areas;
        areas.iter().find(|area| area.id == id).map_or_else(|| id.to_string(), |area| area.name.clone())
    }
}

/// Chips that lie on the table, or what can come up.
fn drawn(cast: &Cast) -> String {
    match cast.faces() {
        _ if cast.is_foreseen() => cast.to_string(),
        [chip] => format!("chip {chip}"),
        chips => format!("chips {}", list(chips)),
    }
}

/// The chip that counts after redraws, behind the first.
fn after(redrawn: &[Redrawn]) -> String {
    match redrawn.last().map(|again| &again.chips.0) {
        Some(cast) if !cast.is_foreseen() => format!(", then {}", cast.face()),
        _ => String::new(),
    }
}

fn reasons(reasons: &[Difficulty]) -> String {
    let what = list(reasons.iter().map(|reason| &reason.what));
    if what.is_empty() { String::new() } else { format!(": {what}") }
}

fn terms(tally: &Tally) -> String {
    let parts = list(tally.terms().iter().map(|term| format!("{:+} {}", term.value, term.what)));
    if parts.is_empty() { String::new() } else { format!(" ({parts})") }
}

/// Tells an event.
#[allow(clippy::too_many_lines, reason = "one arm an event, each a sentence")]
pub fn event(game: &LoneWarrior, event: &Event, diary: &mut Diary) {
    let said = Said(game);
    let clauses = event.clauses();
    let redraws = |redrawn: &[Redrawn], diary: &mut Diary| {
        for again in redrawn {
            let (who, cast) = (said.saviour(again.by), &again.chips.0);
            let text = if cast.is_foreseen() {
                format!("{who} has it drawn again: {cast}.")
            } else {
                format!("{who} has {} drawn again: {}.", list(&again.instead_of), list(cast.faces()))
            };
            diary.at(2, text, &clauses);
        }
    };
    match event {
        Event::LeadersPlaced { field, side, places } => {
            diary.heading(1, format!("{}: the {} leaders take their places", said.field(*field), side.adjective()));
            for (leader, unit) in places {
                diary.line(format!("{} joins {}.", said.leader(*leader), said.unit(*unit)), &clauses);
            }
        }
        Event::PlacementLapsed { leader, unit, why, .. } => {
            diary.line(format!("{} cannot start with {unit}: {why}.", said.leader(*leader)), &clauses);
        }
        Event::PlayerTurn { turn, field, side } => {
            diary.heading(1, format!("{}: {} player turn {turn}", said.field(*field), side.adjective()));
        }
        Event::TurnContinued { turn, field, side } => {
            diary.heading(1, format!("{}: {} player turn {turn} goes on", said.field(*field), side.adjective()));
        }
        Event::LeaderMoved { leader, from, to, with } => {
            let with = with.map_or_else(|| "alone".to_owned(), |unit| format!("with {}", said.unit(unit)));
            let goes = if from == to { format!("stays in {to}") } else { format!("rides from {from} to {to}") };
            diary.line(format!("{} {goes}, {with}.", said.leader(*leader)), &clauses);
        }
        Event::LeaderOrderLapsed { leader, why, .. } => {
            diary.line(format!("{} stays where he is: {why}.", said.leader(*leader)), &clauses);
        }
        Event::Skipped { unit, action, because, why, .. } => {
            let because = match because {
                Passed::Illegal => "no longer possible",
                Passed::Condition => "left out",
            };
            diary.line(format!("{}: {action} is {because}: {why}. No chip is drawn.", said.named(*unit)), &clauses);
        }
        Event::OrdersLapsed { field, why, .. } => {
            diary.line(format!("The orders for {} lapse: {why}.", said.field(*field)), &clauses);
        }
        Event::PartLapsed { unit, why, .. } => {
            diary.line(format!("{}: part of its orders lapses: {why}.", said.named(*unit)), &clauses);
        }
        Event::EntryLapsed { why } => diary.line(format!("A sealed entry is no activation: {why}."), &clauses),
        Event::Activation { unit, action, needs, number, difficult, chip, redrawn, success, standing_by } => {
            let result = match (chip.is_foreseen(), success) {
                (true, _) => "",
                (false, true) => " It goes.",
                (false, false) => " It fails.",
            };
            let text = format!("{} to {action}: {needs}+ needed, {}", said.named(*unit), drawn(chip));
            diary.line(format!("{text}{}.{result}", after(redrawn)), &clauses);
            for saviour in standing_by {
                diary.detail(format!("{} has a failed chip drawn again.", said.saviour(*saviour)), &[]);
            }
            if !difficult.is_empty() || number.terms().len() > 1 {
                let why: Vec<&str> = number.terms().iter().map(|term| term.what.as_str()).collect();
                diary.detail(format!("{}{}.", capital(&why.join(", ")), reasons(difficult)), &[]);
            }
            redraws(redrawn, diary);
        }
        Event::Moved { unit, from, to, facing, .. } => {
            diary.detail(format!("{} moves from {from} to {to}, looking {facing}.", said.named(*unit)), &clauses);
        }
        Event::Turned { unit, from, to, .. } => {
            diary.detail(format!("{} turns from {from} to {to}.", said.named(*unit)), &clauses);
        }
        Event::Exchanged { unit, partner, to, partner_to } => {
            let text = format!("{} goes to {to}, {} to {partner_to}.", said.named(*unit), said.unit(*partner));
            diary.detail(text, &clauses);
        }
        Event::Shot { unit, arm, target, at, aspect, needs, chips, why_chips, redrawn, hits, .. } => {
            let weapon = match arm {
                Arm::Infantry | Arm::Cavalry => "fires",
                Arm::Gatling => "lets the Gatlings run",
                Arm::Artillery => "opens fire",
            };
            let place = at.map_or_else(|| "off the table".to_owned(), |at| format!("in {at}"));
            let side = match aspect {
                Aspect::Front | Aspect::OffTable | Aspect::Building => "",
                Aspect::Flank => ", into its flank",
                Aspect::Rear => ", into its rear",
            };
            let text =
                format!("{} {weapon} at {} {place}{side}: {needs}+ hits, ", said.named(*unit), said.unit(*target));
            diary.detail(format!("{text}{}{}.{}", drawn(&chips.0), reasons(why_chips), hit(&chips.0, *hits)), &clauses);
            redraws(redrawn, diary);
        }
        Event::Survival { leader, chip, dies, .. } => {
            let fate = match (chip.is_foreseen(), dies) {
                (true, _) => "",
                (false, true) => ", he is dead",
                (false, false) => ", he lives",
            };
            diary.at(2, format!("{} draws for his life: {chip}{fate}.", said.leader(*leader)), &clauses);
        }
        Event::Save { unit, against, modifiers, chip, redrawn, total, needs, success } => {
            let what = match against {
                Against::Fire | Against::Melee => "save",
                Against::Charge => "opening save",
                Against::Disorder => "rally save",
            };
            let result = if *success { "passed" } else { "failed" };
            let sum = if chip.is_foreseen() {
                format!(": {needs} needed")
            } else {
                format!(", {total} against {needs}: {result}")
            };
            let drawn = format!("{}{}{}", drawn(chip), after(redrawn), terms(modifiers));
            diary.at(2, capital(&format!("{what} of {}: {drawn}{sum}.", said.unit(*unit))), &clauses);
            redraws(redrawn, diary);
        }
        Event::Disordered { unit } => diary.at(2, format!("{} is disordered.", said.named(*unit)), &clauses),
        Event::Rallied { unit } => diary.detail(format!("{} is in good order again.", said.named(*unit)), &clauses),
        Event::StillDisordered { unit } => diary.detail(format!("{} stays disordered.", said.named(*unit)), &clauses),
        Event::Eliminated { unit, side, lost, limit } => {
            let text = format!("{} is eliminated: {lost} of {limit} {} units.", said.named(*unit), side.adjective());
            diary.at(2, text, &clauses);
        }
        Event::Charged { unit, from, target, at, aspect, uphill } => {
            let side = match aspect {
                Aspect::Front | Aspect::OffTable => "",
                Aspect::Building => " in its building",
                Aspect::Flank => " in the flank",
                Aspect::Rear => " in the rear",
            };
            let hill =
                uphill.map_or_else(String::new, |power| format!("; the {} unit stands higher", power.adjective()));
            let text =
                format!("{} charges from {from} at {} in {at}{side}{hill}.", said.named(*unit), said.unit(*target));
            diary.detail(text, &clauses);
        }
        Event::Stood { unit } => diary.at(2, format!("{} stands and strikes first.", said.named(*unit)), &clauses),
        Event::MustFight { unit } => {
            diary.at(2, format!("{} must fight; the attacker strikes first.", said.named(*unit)), &clauses);
        }
        Event::Strike { unit, target, needs, chips, redrawn, hits, .. } => {
            let text = format!("{} strikes at {target}: {needs}+ hits, {}.", said.named(*unit), drawn(&chips.0));
            diary.at(2, format!("{text}{}", hit(&chips.0, *hits)), &clauses);
            redraws(redrawn, diary);
        }
        Event::Withdrew { unit, from, to, boxes, facing, .. } => {
            let count = if *boxes == 1 { "one box" } else { "as far as it can" };
            let text = format!("{} withdraws {count} from {from} to {to}, looking {facing}.", said.named(*unit));
            diary.at(2, if *boxes == 3 { text.replace("as far as it can", "three boxes") } else { text }, &clauses);
        }
        Event::Advanced { unit, to, facing, .. } => {
            diary.detail(format!("{} enters {to}, looking {facing}.", said.named(*unit)), &clauses);
        }
        Event::Held { unit, at, attacker_withdrew } => {
            let why = if *attacker_withdrew { "the attacker breaks off" } else { "the attacker is gone" };
            diary.detail(format!("{} holds {at}: {why}.", said.named(*unit)), &clauses);
        }
        Event::LeaderAlone { leader, at } => {
            diary.at(2, format!("{} is left alone in {at}.", said.leader(*leader)), &clauses);
        }
        Event::LeaderJoined { leader, from, to, unit } => {
            let text = format!("{} escapes from {from} to {} in {to}.", said.leader(*leader), said.unit(*unit));
            diary.at(2, text, &clauses);
        }
        Event::LeaderLost { leader, fate, .. } => {
            let fate = match fate {
                LeaderFate::Killed => "is killed",
                LeaderFate::Captured => "is captured",
            };
            diary.at(2, format!("{} {fate}.", said.leader(*leader)), &clauses);
        }
        Event::HeroLost { hero, unit } => {
            diary.at(2, format!("{} falls with {}.", said.hero(*hero), said.unit(*unit)), &clauses);
        }
        Event::Captured { area, at, side } => {
            let whose = match side {
                Power::Us => "in U.S. hands",
                Power::Spain => "Spanish again",
            };
            diary.at(2, format!("{} ({at}) is {whose}.", capital(&area.as_str().replace('-', " "))), &clauses);
        }
        Event::TurnEnded { side, how, unused, .. } => {
            let why = match how {
                TurnEnd::Failed => "an activation failed",
                TurnEnd::Stopped => "the list is through",
                TurnEnd::NobodyLeft => "every unit has been activated",
            };
            let left = match unused {
                0 => String::new(),
                1 => " One entry was not reached.".to_owned(),
                n => format!(" {n} entries were not reached."),
            };
            diary.line(format!("The {} player turn ends: {why}.{left}", side.adjective()), &clauses);
        }
        Event::Decided { field, winner, us_lost, spanish_lost, captured } => {
            let won = match winner {
                Power::Spain => "Spain wins",
                Power::Us => "The U.S. win",
            };
            let held = list(captured.iter().map(|area| said.area(*field, *area)));
            let held = if held.is_empty() { "no objective".to_owned() } else { held };
            diary.heading(2, format!("{won} the battle of {}", said.field(*field)));
            diary.line(
                format!("U.S. units lost: {us_lost}. Spanish units lost: {spanish_lost}. U.S. hold {held}."),
                &clauses,
            );
        }
        Event::ChoiceLapsed(lapse) => {
            diary.detail(format!("{} is not possible for {}; the default counts.", lapse.said, lapse.key), &clauses);
        }
    }
}

/// What chips on the table came to.
fn hit(chips: &Cast, hits: u32) -> String {
    match hits {
        _ if chips.is_foreseen() => String::new(),
        0 => " A miss.".to_owned(),
        1 => " A hit.".to_owned(),
        n => format!(" {n} hits."),
    }
}

/// What each side lost and gained in a span.
pub fn sum_up(game: &LoneWarrior, events: &[&Event], diary: &mut Diary) {
    let said = Said(game);
    let mut rows = Vec::new();
    for side in Power::ALL {
        let of = |unit: &UnitId| game.data.units.get(unit).is_some_and(|unit| unit.power == *side);
        let mut lost: Vec<String> = Vec::new();
        let (mut disordered, mut rallied, mut taken) = (0, 0, 0);
        let mut leaders: Vec<String> = Vec::new();
        for event in events {
            match event {
                Event::Eliminated { unit, .. } if of(unit) => lost.push(unit.to_string()),
                Event::Disordered { unit } if of(unit) => disordered += 1,
                Event::Rallied { unit } if of(unit) => rallied += 1,
                Event::Captured { side: by, .. } if by == side => taken += 1,
                Event::LeaderLost { leader, .. } if game.data.leaders.get(leader).is_some_and(|l| l.power == *side) => {
                    leaders.push(said.leader(*leader).to_owned());
                }
                _ => {}
            }
        }
        let named = |names: Vec<String>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        rows.push(vec![
            side.adjective().to_owned(),
            named(lost),
            disordered.to_string(),
            rallied.to_string(),
            named(leaders),
            taken.to_string(),
        ]);
    }
    let head = ["side", "units lost", "disordered", "rallied", "leaders lost", "objectives taken"];
    diary.table(&head, rows);
}

/// Where each battle stands.
pub fn state(game: &LoneWarrior, state: &State, diary: &mut Diary) {
    let said = Said(game);
    for now in game.positions(state) {
        diary.heading(2, now.field.name.clone());
        let (us, spain) = (now.lost(Power::Us), now.lost(Power::Spain));
        let held = list(now.state.captured.iter().map(|area| said.area(now.id, *area)));
        let held = if held.is_empty() { "none".to_owned() } else { held };
        let rows = vec![
            vec![
                "U.S. units lost".to_owned(),
                us.to_string(),
                format!("Spain wins at {}", game.spain_needs(now.field)),
            ],
            vec![
                "Spanish units lost".to_owned(),
                spain.to_string(),
                format!("the U.S. need {}", game.us_needs(now.field)),
            ],
            vec!["objectives in U.S. hands".to_owned(), held, format!("the U.S. need {}", now.field.areas_needed)],
        ];
        diary.table(&["", "now", "for victory"], rows);
        let disordered = list(now.state.units.iter().filter(|(_, unit)| unit.disordered).map(|(id, _)| id));
        if !disordered.is_empty() {
            diary.line(format!("Disordered: {disordered}."), &[]);
        }
        let mut rows = Vec::new();
        for id in &now.field.leaders {
            let leader = now.state.leader(*id);
            let place = match leader.at {
                Place::At(at) => at.to_string(),
                Place::OffTable => "to be placed".to_owned(),
                Place::Lost => "lost".to_owned(),
            };
            let with = leader.with.map_or_else(|| "nobody".to_owned(), |unit| unit.to_string());
            let used = if leader.used { "used" } else { "ready" };
            rows.push(vec![said.leader(*id).to_owned(), place, with, used.to_owned()]);
        }
        for (hero, fate) in &now.state.heroes {
            let unit = game.data.heroes.get(hero).map(|hero| hero.unit);
            let at = unit.and_then(|unit| now.at(unit)).map_or_else(|| "lost".to_owned(), |at| at.to_string());
            let fate = match fate {
                HeroFate::Ready => "ready",
                HeroFate::Used => "used",
                HeroFate::Dead => "dead",
            };
            let with = unit.map(|unit| unit.to_string()).unwrap_or_default();
            rows.push(vec![said.hero(*hero).to_owned(), at, with, fate.to_owned()]);
        }
        diary.table(&["leader or hero", "box", "with", "redraw"], rows);
    }
}

/// One line for the head of a report.
pub fn headline(game: &LoneWarrior, state: &State) -> String {
    let names: Vec<&str> = game.fields.iter().map(|id| game.field(*id).name.as_str()).collect();
    let what = match state.stage {
        Stage::SpanishSetup => "the Spanish leaders are to be placed".to_owned(),
        Stage::UsSetup => "the U.S. leaders are to be placed".to_owned(),
        Stage::SpanishTurn => format!("turn {}, Spanish player turn", state.turn),
        Stage::UsTurn => format!("turn {}, U.S. player turn", state.turn),
        Stage::Over => format!("decided in turn {}", state.turn),
    };
    format!("{}, 1 July 1898: {what}", names.join(" and "))
}

/// How the game ended: each battlefield on its own (§3f).
pub fn verdict(game: &LoneWarrior, state: &State) -> Option<Verdict> {
    let mut won: BTreeMap<Power, Vec<&str>> = BTreeMap::new();
    for (id, field) in &state.fields {
        won.entry(field.winner?).or_default().push(&game.field(*id).name);
    }
    let line = |power: Power| {
        let who = match power {
            Power::Spain => "Spain wins",
            Power::Us => "the U.S. win",
        };
        won.get(&power).map(|names| format!("{who} {}", names.join(" and ")))
    };
    let parts: Vec<String> = Power::ALL.iter().filter_map(|power| line(*power)).collect();
    let mut winners = won.keys().copied();
    let winner = winners.next().filter(|_| winners.next().is_none());
    Some(Verdict { winner: winner.map(Power::side), text: format!("{}.", capital(&parts.join(", "))) })
}
