//! Answers to `reach` and `supply`.

use crate::board::Hex;
use crate::engine::doc::{DocPath, Fault, FromDoc, Node, Reader};
use crate::engine::{Clause, Json, Query, Reply, Seen};
use crate::scene::{Overlay, Reached, Trace};

use super::Santiago1898;
use super::events::Pace;
use super::play::Position;
use super::state::State;
use super::supply::{Nets, Supply};
use super::terms::UnitId;

/// Answers a query.
pub fn answer(game: &Santiago1898, seen: &Seen<'_, State>, query: &Query) -> Result<Reply, Vec<Fault>> {
    let now = &Position { game, state: seen.state };
    match query {
        Query::Reach { unit } => reach(now, unit_named(now, unit)?),
        Query::Supply { unit } => supply(now, unit.as_deref().map(|unit| unit_named(now, unit)).transpose()?),
        Query::Sight { .. } => {
            let what = "this game has no line of sight: units fight adjacent hexes only";
            Err(vec![Fault::new(&DocPath::root(), what, "use `garcia map` instead").by(Clause("9.1b"))])
        }
    }
}

fn unit_named(now: &Position<'_>, text: &str) -> Result<UnitId, Vec<Fault>> {
    let mut reader = Reader::new(now.data());
    UnitId::read(&Node::text(text), &DocPath::root(), &mut reader).ok_or(reader.faults)
}

fn reach(now: &Position<'_>, id: UnitId) -> Result<Reply, Vec<Fault>> {
    let mut reply = Reply::default();
    let bars = now.mover_bars(id);
    let Some(stack) = now.stack(&[id]).filter(|_| bars.is_empty()) else {
        return Err(bars.iter().map(|bar| bar.fault(&DocPath::root())).collect());
    };
    let mut rows = Vec::new();
    let mut json = Vec::new();
    let mut cells = Vec::new();
    for (hex, path) in now.reachable(&stack) {
        let march = now.price(&stack, &path).deed;
        let cost: u32 = march.steps.iter().map(|paid| paid.cost).sum();
        let way: Vec<String> =
            march.steps.iter().map(|paid| format!("{} ({} {})", paid.hex, paid.why, paid.cost)).collect();
        let rolls: Vec<String> = now.jungle_on(&stack, &path).map(|hex| hex.to_string()).collect();
        let rolls = if rolls.is_empty() { String::new() } else { format!("jungle {}", rolls.join(" ")) };
        cells.push(Reached {
            cell: hex.to_string(),
            cost: cost.to_string(),
            path: path.iter().map(Hex::to_string).collect(),
            dice: rolls.clone(),
            note: if march.pace == Pace::Normal { String::new() } else { format!("{:?}", march.pace).to_lowercase() },
        });
        rows.push(vec![
            now.data().describe(hex),
            cost.to_string(),
            format!("{:?}", march.pace).to_lowercase(),
            way.join(", "),
        ]);
        json.push(Json::Map(
            [
                ("hex".to_owned(), Json::Str(hex.to_string())),
                ("cost".to_owned(), Json::Int(i64::from(cost))),
                ("pace".to_owned(), Json::from(format!("{:?}", march.pace).to_lowercase())),
                ("dice".to_owned(), Json::from(rolls.clone())),
                ("path".to_owned(), Json::List(path.iter().map(|hex| Json::Str(hex.to_string())).collect())),
                (
                    "costs".to_owned(),
                    Json::List(march.steps.iter().map(|paid| Json::Int(i64::from(paid.cost))).collect()),
                ),
            ]
            .into(),
        ));
    }
    reply.diary.line(
        format!("{id} in {}: movement factor {}.", now.data().describe(stack.from), stack.factor),
        &[Clause("8.1b")],
    );
    reply.diary.table(&["hex", "MP", "pace", "path"], rows);
    reply.json.insert("unit".into(), Json::Str(id.to_string()));
    reply.json.insert("reach".into(), Json::List(json));
    reply.drawn.push(Overlay::Reach { board: 0, unit: id.to_string(), cells });
    Ok(reply)
}

fn supply(now: &Position<'_>, only: Option<UnitId>) -> Result<Reply, Vec<Fault>> {
    let mut reply = Reply::default();
    let nets = Nets::default();
    let mut rows = Vec::new();
    let mut json = Vec::new();
    for (id, unit) in &now.state.units {
        let Some(hex) = unit.at.hex() else { continue };
        if !now.is_combat(*id) || only.is_some_and(|only| only != *id) {
            continue;
        }
        let supply = now.supply_by(&nets, *id);
        let how = match &supply {
            Supply::Always => "always (§10.1d)".to_owned(),
            Supply::Beach => "on the beach (§10.3e)".to_owned(),
            Supply::Line(line) => line.iter().map(Hex::to_string).collect::<Vec<_>>().join(" "),
            Supply::None => "OUT: no line of communications (§10.1)".to_owned(),
        };
        let cells: Vec<Hex> = match &supply {
            Supply::Line(line) => line.clone(),
            Supply::Always | Supply::Beach => Vec::new(),
            Supply::None => vec![hex],
        };
        if !cells.is_empty() {
            reply.drawn.push(Overlay::Line {
                board: 0,
                what: Trace::Supply,
                unit: Some(id.to_string()),
                cells: cells.iter().map(Hex::to_string).collect(),
                open: supply.is_supplied(),
                note: String::new(),
            });
        }
        let line = match &supply {
            Supply::Line(line) => line.iter().map(|hex| Json::Str(hex.to_string())).collect(),
            _ => Vec::new(),
        };
        rows.push(vec![id.to_string(), now.data().describe(hex), how]);
        json.push(Json::Map(
            [
                ("unit".to_owned(), Json::Str(id.to_string())),
                ("hex".to_owned(), Json::Str(hex.to_string())),
                ("supplied".to_owned(), Json::Bool(supply.is_supplied())),
                ("line".to_owned(), Json::List(line)),
            ]
            .into(),
        ));
    }
    reply.diary.table(&["unit", "hex", "line of communications"], rows);
    reply.json.insert("supply".into(), Json::List(json));
    Ok(reply)
}
