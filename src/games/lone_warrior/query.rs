//! Questions to the position: what a unit may do, what a box sees.

use std::collections::BTreeMap;

use crate::board::{Grid, Square};
use crate::engine::doc::{DocPath, Fault, FromDoc, Lexicon, Node, Reader};
use crate::engine::{Clause, Diary, Json, Query, Reply, Seen};
use crate::scene::{Overlay, Reached, Target, Trace};

use super::LoneWarrior;
use super::actions::Deed;
use super::position::Position;
use super::state::{Place, State};
use super::terms::{Battlefield, LeaderId, UnitId};

/// Answers a query.
pub fn answer(game: &LoneWarrior, seen: &Seen<'_, State>, query: &Query) -> Result<Reply, Vec<Fault>> {
    let state = seen.state;
    match query {
        Query::Reach { unit } => reach(game, state, unit),
        Query::Sight { from, to } => sight(game, state, from, to),
        Query::Supply { .. } => {
            let what = "these rules know no supply";
            Err(vec![Fault::new(&DocPath::root(), what, "ask for `reach`, `los` or `odds`")])
        }
    }
}

fn one(what: impl Into<String>, remedy: &str) -> Vec<Fault> {
    vec![Fault::new(&DocPath::root(), what, remedy)]
}

fn reach(game: &LoneWarrior, state: &State, text: &str) -> Result<Reply, Vec<Fault>> {
    if let Ok(name) = game.names.look_up("leader", text) {
        return leader_reach(game, state, LeaderId::of(&name));
    }
    let mut reader = Reader::new(&game.names);
    let Some(name) = reader.name("unit", &Node::text(text), &DocPath::root()) else {
        return Err(reader.faults);
    };
    let id = UnitId::of(&name);
    let position = game.positions(state).find(|now| now.unit(id).is_some());
    let Some((now, power)) = position.and_then(|now| Some((now, now.power(id)?))) else {
        return Err(one(format!("{id} is not in play"), "name a unit in play"));
    };
    let mut reply = Reply::default();
    reply.diary.line(format!("{id} may"), &[]);
    let mut listed = Vec::new();
    let (mut cells, mut targets): (Vec<Reached>, Vec<Target>) = (Vec::new(), Vec::new());
    for entry in now.options(power, id) {
        let Ok(plan) = now.plan(power, &entry) else { continue };
        let clauses: Vec<Clause> = plan.difficult.iter().map(|reason| reason.clause).collect();
        reply.diary.detail(format!("{}: {}+", plan.text(), plan.needs()), &clauses);
        let (needs, note) = (format!("{}+", plan.needs()), plan.text());
        let aim = |enemy: UnitId| now.at(enemy).map(|at| at.to_string());
        match &plan.deed {
            Deed::Move { path, .. } => {
                if let Some(end) = path.last() {
                    let path = path.iter().map(Square::to_string).collect();
                    cells.push(Reached { cell: end.to_string(), cost: needs, path, dice: "1 chip".to_owned(), note });
                }
            }
            Deed::Charge { at, .. } => {
                targets.push(Target { cell: at.to_string(), from: Vec::new(), odds: needs, note });
            }
            Deed::Shoot { target } | Deed::ShootAndFallBack { target, .. } | Deed::AdvanceAndShoot { target, .. } => {
                targets.extend(aim(*target).map(|cell| Target { cell, from: Vec::new(), odds: needs, note }));
            }
            Deed::Turn { .. } | Deed::Exchange { .. } | Deed::Rally => {}
        }
        listed.push(Json::object([
            ("action".to_owned(), Json::Str(plan.text())),
            ("needs".to_owned(), Json::Int(i64::from(plan.needs()))),
        ]));
    }
    reply.json =
        BTreeMap::from([("unit".to_owned(), Json::Str(id.to_string())), ("may".to_owned(), Json::List(listed))]);
    let board = board_of(game, now.id);
    reply.drawn =
        vec![Overlay::Reach { board, unit: id.to_string(), cells }, Overlay::Targets { board, cells: targets }];
    Ok(reply)
}

/// The place of a battlefield among the maps.
fn board_of(game: &LoneWarrior, field: Battlefield) -> usize {
    game.fields.iter().position(|id| *id == field).unwrap_or(0)
}

fn leader_reach(game: &LoneWarrior, state: &State, id: LeaderId) -> Result<Reply, Vec<Fault>> {
    let found = game.positions(state).find_map(|now| match (now.leader(id), now.state.leader(id).at) {
        (Some(leader), Place::At(at)) => Some((now.leader_reach(leader, at), at, now.id)),
        _ => None,
    });
    let Some((cells, at, field)) = found else {
        return Err(one(format!("{id} is not on the map"), "name a leader in play"));
    };
    let names: Vec<String> = cells.iter().map(Square::to_string).collect();
    let mut diary = Diary::new();
    diary.line(format!("{id} in {at} can go to {}.", names.join(", ")), &[Clause("9a"), Clause("A37")]);
    let reached = |name: &String| Reached { cell: name.clone(), path: vec![name.clone()], ..Reached::default() };
    let cells = names.iter().map(reached).collect();
    let drawn = vec![Overlay::Reach { board: board_of(game, field), unit: id.to_string(), cells }];
    let boxes = Json::List(names.into_iter().map(Json::Str).collect());
    Ok(Reply {
        diary,
        json: BTreeMap::from([("leader".to_owned(), Json::Str(id.to_string())), ("boxes".to_owned(), boxes)]),
        drawn,
    })
}

/// The battlefield and box a text stands for: a unit's, or a box of the first battlefield in play.
fn place<'p>(game: &'p LoneWarrior, state: &'p State, text: &str) -> Result<(Position<'p>, Square), Vec<Fault>> {
    if let Ok(name) = game.names.look_up("unit", text) {
        let id = UnitId::of(&name);
        let found = game.positions(state).find_map(|now| now.at(id).map(|at| (now, at)));
        return found.ok_or_else(|| one(format!("{id} is not on the map"), "name a box or a unit on the map"));
    }
    let (field, text) = match text.split_once('/') {
        Some((field, rest)) => (Battlefield::from_word(field), rest),
        None => (None, text),
    };
    let mut reader = Reader::new(&game.names);
    let Some(square) = Square::read(&Node::text(text), &DocPath::root(), &mut reader) else {
        return Err(reader.faults);
    };
    let found = game.positions(state).find(|now| field.is_none_or(|field| field == now.id));
    match found {
        Some(now) if now.field.grid.contains(square) => Ok((now, square)),
        _ => Err(one(format!("there is no box {square} on this battlefield"), "name a box of it")),
    }
}

fn sight(game: &LoneWarrior, state: &State, from: &str, to: &str) -> Result<Reply, Vec<Fault>> {
    let (now, a) = place(game, state, from)?;
    let (there, b) = place(game, state, to)?;
    if now.id != there.id {
        return Err(one("the two are on different battlefields", "name two boxes of one battlefield"));
    }
    let mover = now.state.unit_in(a).unwrap_or(UnitId::of(""));
    let clear = a == b || now.sees(a, b, mover);
    let mut reply = Reply::default();
    let word = if clear { "sees" } else { "does not see" };
    reply.diary.line(format!("{a} {word} {b}."), &[Clause("A19")]);
    for guns in now.field.units.iter().filter_map(|id| now.unit(*id)).filter(|unit| unit.is_off_table()) {
        let word = if now.guns_see(guns, b) { "sees" } else { "does not see" };
        reply.diary.detail(format!("{} {word} {b} down its lane.", guns.id), &[Clause("A59")]);
    }
    reply.drawn.push(Overlay::Line {
        board: board_of(game, now.id),
        what: Trace::Sight,
        unit: None,
        cells: vec![a.to_string(), b.to_string()],
        open: clear,
        note: String::new(),
    });
    reply.json = BTreeMap::from([
        ("from".to_owned(), Json::Str(a.to_string())),
        ("to".to_owned(), Json::Str(b.to_string())),
        ("clear".to_owned(), Json::Bool(clear)),
    ]);
    Ok(reply)
}
