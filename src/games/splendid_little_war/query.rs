//! `reach`, `supply` and `los`.

use std::collections::BTreeSet;

use crate::engine::doc::{Fault, read_text};
use crate::engine::{Bar, Clause, Json, Query, Reply, Seen, count_of};
use crate::scene::Reached;

use super::command::as_commanded;
use super::position::Position;
use super::sight;
use super::state::State;
use super::supply::Line;
use super::terms::Piece;
use super::{SPAIN, SplendidLittleWar, US};

/// Answers a question to the position.
pub fn answer(game: &SplendidLittleWar, seen: &Seen<'_, State>, query: &Query) -> Result<Reply, Vec<Fault>> {
    let state = as_commanded(game, seen);
    let now = Position { game, state: &state };
    match query {
        Query::Reach { unit } => reach(&now, read_text(game, unit)?),
        Query::Supply { unit } => supply(&now, unit.as_deref().map(|unit| read_text(game, unit)).transpose()?),
        Query::Sight { from, to } => sight::sight(game, seen, from, to),
    }
}

fn reach(now: &Position<'_>, piece: Piece) -> Result<Reply, Vec<Fault>> {
    let side = now.side(piece).unwrap_or(US);
    let bars = now.bars_moving(side, piece, &BTreeSet::new());
    if !bars.is_empty() {
        return Err(Bar::faults(&bars));
    }
    let mut reply = Reply::default();
    let goals = now.first_routes(piece).into_iter().map(|(hex, path, cost)| {
        let way: Vec<String> = path.iter().map(ToString::to_string).collect();
        let row = vec![now.data().describe(hex), cost.to_string(), way.join(" ")];
        let entry = Json::object([("hex", hex.to_string()), ("cost", cost.to_string())]);
        let cell = Reached { cell: hex.to_string(), cost: cost.to_string(), path: way, ..Reached::default() };
        (row, entry, cell)
    });
    let goals = goals.collect();
    let mf = now.unit(piece).map_or(0, |unit| unit.mf);
    reply.diary.line(format!("{piece} has a Movement Factor of {mf}."), &[Clause("12.0c")]);
    let state = now.now(piece);
    if state.broken {
        reply.diary.line("It is Broken and moves only after a Morale Check.", &[Clause("5.6d")]);
    }
    if state.ooc {
        reply.diary.line("It is Out of Command and moves one hex at most.", &[Clause("11.0af")]);
    }
    if now.must_leave(piece) {
        reply.diary.line("It must leave the enemy zone it stands in, without a check.", &[Clause("11.0ah")]);
    }
    reply.reach(piece, &["hex", "cost", "way"], goals);
    Ok(reply)
}

fn supply(now: &Position<'_>, only: Option<Piece>) -> Result<Reply, Vec<Fault>> {
    let mut reply = Reply::default();
    let mut entries = Vec::new();
    for side in [US, SPAIN] {
        for force in Position::forces(side) {
            let net = now.net(*force);
            let of = |id: &Piece| now.unit(*id).is_some_and(|unit| unit.force == *force && unit.is_combat());
            let wanted = |id: &Piece| only.is_none_or(|only| only == *id) && of(id);
            for (id, hex) in now.on_map(side).filter(|(id, _)| wanted(id)) {
                let line = now.supply_line(&net, id);
                let text = match line {
                    None => "OUT of supply".to_owned(),
                    Some(Line::Fort) => "in a fort".to_owned(),
                    Some(Line::Direct(steps)) => format!("{} to the road or city", count_of(steps, "hex")),
                    Some(Line::Relay(leader, steps, onward)) => {
                        format!("{} to {leader}, {onward} from him", count_of(steps, "hex"))
                    }
                };
                if line.is_some() {
                    reply.supplied(id, &now.traced(&net, id));
                } else {
                    reply.unsupplied(id, hex, "");
                }
                let marker = now.now(id).oos.map_or("", super::terms::Oos::as_str);
                let row = vec![id.to_string(), hex.to_string(), text, marker.to_owned()];
                let supplied = Json::Bool(line.is_some());
                entries.push((row, Json::object([("unit", Json::Str(id.to_string())), ("supplied", supplied)])));
            }
        }
    }
    reply.list("supply", &["unit", "hex", "line now", "marker"], entries);
    Ok(reply)
}
