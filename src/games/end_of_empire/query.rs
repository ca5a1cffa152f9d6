//! `reach` and `supply`.

use crate::board::Hex;
use crate::engine::doc::{DocPath, Fault, read_text};
use crate::engine::{Bar, Clause, Json, Query, Reply, Seen};
use crate::scene::{Overlay, Reached, Trace};

use super::EndOfEmpire;
use super::position::{Known, Position};
use super::state::State;
use super::terms::{Force, Piece};
use super::{SPAIN, US};

/// Answers a question to the position.
pub fn answer(game: &EndOfEmpire, seen: &Seen<'_, State>, query: &Query) -> Result<Reply, Vec<Fault>> {
    let side = seen.side.or(seen.state.stage.side()).unwrap_or(SPAIN);
    let known = Known::own(game, seen, side);
    let now = Position { game, state: seen.state, known: &known };
    match query {
        Query::Reach { unit } => reach(&now, read_text(game, unit)?),
        Query::Supply { unit } => supply(&now, unit.as_deref().map(|unit| read_text(game, unit)).transpose()?),
        Query::Sight { .. } => {
            let what = "there is no line of sight in this game";
            Err(vec![
                Fault::new(&DocPath::root(), what, "guns reach 3 hexes, whatever lies between").by(Clause("9.6c")),
            ])
        }
    }
}

fn reach(now: &Position<'_>, piece: Piece) -> Result<Reply, Vec<Fault>> {
    let mut reply = Reply::default();
    let side = now.force(piece).map_or(SPAIN, Force::side);
    let bars = now.bars_marching(side, piece, &Default::default(), false);
    if !bars.is_empty() {
        return Err(Bar::faults(&bars));
    }
    let goals = now.routes(&[piece]).into_iter().map(|(hex, path, cost)| {
        let way: Vec<String> = path.iter().map(ToString::to_string).collect();
        let row = vec![now.data().describe(hex), cost.to_string(), way.join(" ")];
        let path = Json::List(way.iter().map(|hex| Json::Str(hex.clone())).collect());
        let entry =
            Json::object([("hex", Json::Str(hex.to_string())), ("cost", Json::Int(cost.into())), ("path", path)]);
        let cell = Reached { cell: hex.to_string(), cost: cost.to_string(), path: way, ..Reached::default() };
        (row, entry, cell)
    });
    reply.diary.line(format!("{piece} has {} movement points.", now.allowance(piece)), &[Clause("8.1e")]);
    reply.reach(piece, &["hex", "cost", "way"], goals.collect());
    Ok(reply)
}

fn supply(now: &Position<'_>, only: Option<Piece>) -> Result<Reply, Vec<Fault>> {
    let mut reply = Reply::default();
    let mut pieces: Vec<Piece> = now.on_map(US).into_iter().chain(now.on_map(SPAIN)).collect();
    pieces.retain(|piece| only.is_none_or(|only| only == *piece) && now.fights(*piece));
    let mut entries = Vec::new();
    let lines = [US, SPAIN].map(|side| (side, now.supply_lines(side)));
    for piece in pieces {
        let Some(hex) = now.state.hex_of(piece) else { continue };
        let supplied = now.in_supply(piece);
        let marker = now.state.counters.get(&piece).map_or(now.state.unit(piece).oos, |counter| counter.oos);
        let marker = if marker { "OOS" } else { "" };
        if supplied {
            // Who needs none, or has it on the beach, has no line.
            let of_side = lines.iter().find(|(side, _)| now.force(piece).is_some_and(|force| force.side() == *side));
            let next = |at: &Hex| of_side.and_then(|(_, lines)| lines.get(at)).copied();
            let line: Vec<Hex> = std::iter::successors(Some(hex).filter(|_| now.needs_supply(piece)), next).collect();
            reply.supplied(piece, &line);
        } else {
            reply.unsupplied(piece, hex, marker);
        }
        let how = if supplied { "in supply" } else { "OUT of supply" };
        let row = vec![piece.to_string(), hex.to_string(), how.to_owned(), marker.to_owned()];
        let entry = Json::object([
            ("unit", Json::Str(piece.to_string())),
            ("hex", Json::Str(hex.to_string())),
            ("supplied", Json::Bool(supplied)),
            ("marker", Json::Bool(!marker.is_empty())),
        ]);
        entries.push((row, entry));
    }
    for (side, force) in [(US, Force::Us), (SPAIN, Force::Spanish)] {
        let cells: Vec<String> = now.supply_of_side(side).iter().map(ToString::to_string).collect();
        if only.is_none() && !cells.is_empty() {
            let force = Some(force.as_str());
            reply.drawn.insert(0, Overlay::Area { board: 0, what: Trace::Supply, force, cells });
        }
    }
    reply.list("supply", &["unit", "hex", "supply", "marker"], entries);
    Ok(reply)
}
