//! Answers to `reach`, `supply` and `los`.

use crate::board::{Grid, Hex};
use crate::engine::doc::{Fault, read_text};
use crate::engine::{Bar, Clause, Json, Query, Reply, Seen, list};
use crate::scene::{Overlay, Reached, Trace};

use super::play::{Play, Position, Trit, at_table, own_knowledge};
use super::state::State;
use super::supply::Suppose;
use super::terms::{Nation, Piece};
use super::{SantiagoCampaign, US};

/// Answers a query as one side sees the position.
pub fn answer(game: &SantiagoCampaign, seen: &Seen<'_, State>, query: &Query) -> Result<Reply, Vec<Fault>> {
    let side = seen.side.or(seen.state.stage.side()).unwrap_or(US);
    let known = own_knowledge(game, seen, side);
    let now = Position { game, state: seen.state, known: &known };
    match query {
        Query::Reach { unit } => {
            let piece = read_text(game, unit)?;
            at_table(game, seen, side, |play| reach(play, piece))
        }
        Query::Supply { unit } => supply(&now, unit.as_deref().map(|unit| read_text(game, unit)).transpose()?),
        Query::Sight { from, to } => sight(&now, read_text(game, from)?, read_text(game, to)?),
    }
}

fn text(hex: Hex) -> Json {
    Json::Str(hex.to_string())
}

fn reach(play: &mut Play<'_, '_>, piece: Piece) -> Result<Reply, Vec<Fault>> {
    let piece = play.now().named(piece);
    let (maps, choices) = (play.maps_for(piece), play.choices(piece));
    let now = play.now();
    let (mover, from) = now.mover(piece, &maps).map_err(|bars| Bar::faults(&bars))?;
    let mut reply = Reply::default();
    let place = from.map_or_else(|| "its holding box".to_owned(), |hex| now.data().say(hex));
    reply.diary.line(format!("{} in {place}: {} movement points.", now.say(piece), mover.purse), &[Clause("10.3a")]);
    let mut goals = Vec::new();
    let lay = now.lay(mover.nation);
    for (hex, path, cost) in choices {
        let way: Vec<String> = path.iter().map(Hex::to_string).collect();
        let mut note = Vec::new();
        match lay.zone(now.data().grid(), hex) {
            Trit::Yes => note.push("enemy zone"),
            Trit::Maybe => note.push("perhaps an enemy zone"),
            Trit::No => {}
        }
        if !now.may_stay(&mover, hex) {
            note.push("may only pass");
        }
        let note = note.join(", ");
        let row = vec![now.data().say(hex), cost.to_string(), way.join(" "), note.clone()];
        let (path, cost) = (Json::List(path.into_iter().map(text).collect()), cost.to_string());
        let entry = Json::object([("hex", text(hex)), ("cost", Json::Str(cost.clone())), ("path", path)]);
        goals.push((row, entry, Reached { cell: hex.to_string(), cost, path: way, dice: String::new(), note }));
    }
    reply.json.insert("unit".into(), Json::Str(piece.to_string()));
    reply.reach(piece, &["hex", "MP", "path", ""], goals);
    Ok(reply)
}

fn supply(now: &Position<'_>, only: Option<Piece>) -> Result<Reply, Vec<Fault>> {
    let (maps, lines) = (now.supply_maps(Suppose::default()), now.supply_lines());
    let mut reply = Reply::default();
    let mut entries = Vec::new();
    for (id, unit) in now.state.units.iter() {
        let Some(hex) = unit.at.hex().filter(|_| now.nation(*id) == Some(Nation::Us)) else { continue };
        if only.is_some_and(|only| only != Piece::from(*id)) {
            continue;
        }
        let (word, how) = match maps.at(now, hex) {
            Trit::Yes => ("in", "in supply (§12.2)"),
            Trit::Maybe => ("unclear", "in supply only if a face-down counter is a lone battery (§7.3)"),
            Trit::No => ("out", "OUT of supply (§12.2)"),
        };
        let mut how = how.to_owned();
        if word == "in" {
            let line: Vec<Hex> = std::iter::successors(Some(hex), |at| lines.get(at).copied()).collect();
            reply.supplied(id, &line);
        } else {
            reply.unsupplied(id, hex, word);
        }
        if word == "out" {
            how.push_str(": ");
            how.push_str(&now.why_unsupplied(hex, Suppose::default()));
        }
        let row = vec![id.to_string(), now.data().say(hex), how.clone()];
        let (unit, hex) = (id.to_string(), hex.to_string());
        entries.push((row, Json::object([("unit", unit), ("hex", hex), ("supply", word.to_owned()), ("how", how)])));
    }
    let supplied = now.data().grid().cells().filter(|hex| maps.at(now, *hex) == Trit::Yes);
    let cells = supplied.map(|hex| hex.to_string()).collect();
    reply.drawn.insert(0, Overlay::Area { board: 0, what: Trace::Supply, force: Some(Nation::Us.as_str()), cells });
    let sources = list(now.state.sources.keys().map(|hex| now.data().say(*hex)));
    let length = now.state.supply_length;
    reply.diary.line(format!("Off-road supply length {length}; sources at {sources}."), &[Clause("12.5c")]);
    reply.list("supply", &["unit", "hex", "supply"], entries);
    reply.json.insert("length".into(), Json::Int(length.into()));
    reply.json.insert("sources".into(), Json::List(now.state.sources.keys().map(|hex| text(*hex)).collect()));
    Ok(reply)
}

fn sight(now: &Position<'_>, from: Hex, to: Hex) -> Result<Reply, Vec<Fault>> {
    let mut reply = Reply::default();
    let range = now.data().grid().distance(from, to);
    let limit = now.data().tables.limits.artillery_range;
    let row = |hexes: &[Hex]| hexes.iter().map(Hex::to_string).collect::<Vec<_>>().join(" ");
    let (clear, hexes) = match now.sight(from, to) {
        Ok(path) => {
            reply.diary.line(format!("{from} sees {to} along {}.", row(&path)), &[Clause("11.3d")]);
            (true, path)
        }
        Err(hexes) => {
            reply.diary.line(format!("{from} does not see {to}: {} in the way.", row(&hexes)), &[Clause("11.3j")]);
            (false, hexes)
        }
    };
    let within = if range <= limit { "within" } else { "beyond" };
    reply.diary.detail(format!("The range is {range}, {within} the {limit} hexes of artillery."), &[Clause("11.3a")]);
    let cells = if clear { hexes.clone() } else { [&[from][..], &hexes, &[to]].concat() };
    reply.drawn.push(Overlay::Line {
        board: 0,
        what: Trace::Sight,
        unit: None,
        cells: cells.iter().map(Hex::to_string).collect(),
        open: clear,
        note: format!("range {range}"),
    });
    reply.json.insert("clear".into(), Json::Bool(clear));
    reply.json.insert("range".into(), Json::Int(i64::from(range)));
    reply.json.insert("hexes".into(), Json::List(hexes.into_iter().map(text).collect()));
    Ok(reply)
}
