//! `reach`, `supply` and `los`.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::doc::{DocPath, Fault, FromDoc, Node, Reader};
use crate::engine::{Clause, Json, Query, Reply, Seen};
use crate::scene::{Overlay, Reached, Trace};

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
        Query::Reach { unit } => reach(&now, named(game, unit)?),
        Query::Supply { unit } => supply(&now, unit.as_deref().map(|unit| named(game, unit)).transpose()?),
        Query::Sight { from, to } => sight::sight(game, seen, from, to),
    }
}

fn named(game: &SplendidLittleWar, text: &str) -> Result<Piece, Vec<Fault>> {
    let mut reader = Reader::new(game);
    Piece::read(&Node::text(text), &DocPath::root(), &mut reader).ok_or(reader.faults)
}

fn reach(now: &Position<'_>, piece: Piece) -> Result<Reply, Vec<Fault>> {
    let side = now.side(piece).unwrap_or(US);
    let bars = now.bars_moving(side, piece, &BTreeSet::new());
    if !bars.is_empty() {
        return Err(bars.iter().map(|bar| bar.fault(&DocPath::root())).collect());
    }
    let mut reply = Reply::default();
    let mut rows = Vec::new();
    let mut list = Vec::new();
    let mut cells = Vec::new();
    for (hex, path, cost) in now.routes(&[piece]) {
        let way: Vec<String> = path.iter().map(ToString::to_string).collect();
        rows.push(vec![now.data().describe(hex), cost.to_string(), way.join(" ")]);
        cells.push(Reached { cell: hex.to_string(), cost: cost.to_string(), path: way, ..Reached::default() });
        let entry = [("hex", hex.to_string()), ("cost", cost.to_string())];
        list.push(Json::Map(entry.into_iter().map(|(key, value)| (key.to_owned(), Json::Str(value))).collect()));
    }
    let mf = now.unit(piece).map_or(0, |unit| unit.mf);
    reply.diary.line(format!("{piece} has a Movement Factor of {mf}."), &[Clause("12.0c")]);
    let state = now.now(piece);
    if state.broken {
        reply.diary.line("It is Broken and moves only after a Morale Check.", &[Clause("5.6d")]);
    }
    if state.ooc {
        reply.diary.line("It is Out of Command and moves one hex at most.", &[Clause("11.0af")]);
    }
    reply.diary.table(&["hex", "cost", "way"], rows);
    reply.json.insert("reach".to_owned(), Json::List(list));
    reply.drawn.push(Overlay::Reach { board: 0, unit: piece.to_string(), cells });
    Ok(reply)
}

fn supply(now: &Position<'_>, only: Option<Piece>) -> Result<Reply, Vec<Fault>> {
    let mut reply = Reply::default();
    let mut rows = Vec::new();
    let mut list = Vec::new();
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
                    Some(Line::Direct(steps)) => format!("{steps} hexes to the road or city"),
                    Some(Line::Relay(leader, steps, onward)) => format!("{steps} hexes to {leader}, {onward} from him"),
                };
                if line.is_none() {
                    reply.drawn.push(Overlay::Line {
                        board: 0,
                        what: Trace::Supply,
                        unit: Some(id.to_string()),
                        cells: vec![hex.to_string()],
                        open: false,
                        note: String::new(),
                    });
                }
                let marker = now.now(id).oos.map_or("", super::terms::Oos::as_str);
                rows.push(vec![id.to_string(), hex.to_string(), text, marker.to_owned()]);
                let entry: BTreeMap<String, Json> = BTreeMap::from([
                    ("unit".to_owned(), Json::Str(id.to_string())),
                    ("supplied".to_owned(), Json::Bool(line.is_some())),
                ]);
                list.push(Json::Map(entry));
            }
        }
    }
    reply.diary.table(&["unit", "hex", "line now", "marker"], rows);
    reply.json.insert("supply".to_owned(), Json::List(list));
    Ok(reply)
}
