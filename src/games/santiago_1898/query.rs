//! Answers to `reach` and `supply`.

use crate::board::Hex;
use crate::engine::doc::{DocPath, Fault, read_text};
use crate::engine::{Bar, Clause, Json, Query, Reply, Seen};
use crate::scene::Reached;

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
        Query::Reach { unit } => reach(now, read_text(now.data(), unit)?),
        Query::Supply { unit } => supply(now, unit.as_deref().map(|unit| read_text(now.data(), unit)).transpose()?),
        Query::Sight { .. } => {
            let what = "this game has no line of sight: units fight adjacent hexes only";
            Err(vec![Fault::new(&DocPath::root(), what, "use `garcia map` instead").by(Clause("9.1b"))])
        }
    }
}

fn reach(now: &Position<'_>, id: UnitId) -> Result<Reply, Vec<Fault>> {
    let mut reply = Reply::default();
    let bars = now.mover_bars(id);
    let Some(stack) = now.stack(&[id]).filter(|_| bars.is_empty()) else {
        return Err(Bar::faults(&bars));
    };
    let mut goals = Vec::new();
    let ways = now.reachable(&stack);
    for (hex, path) in ways.hexes().filter_map(|hex| Some((hex, ways.path(hex)?))) {
        let march = now.price(&stack, &path).deed;
        let cost: u32 = march.steps.iter().map(|paid| paid.cost).sum();
        let way: Vec<String> =
            march.steps.iter().map(|paid| format!("{} ({} {})", paid.hex, paid.why, paid.cost)).collect();
        let rolls: Vec<String> = now.jungle_on(&stack, &path).map(|hex| hex.to_string()).collect();
        let rolls = if rolls.is_empty() { String::new() } else { format!("jungle {}", rolls.join(" ")) };
        let pace = format!("{:?}", march.pace).to_lowercase();
        let row = vec![now.data().describe(hex), cost.to_string(), pace.clone(), way.join(", ")];
        let path: Vec<String> = path.iter().map(Hex::to_string).collect();
        let entry = Json::object([
            ("hex", Json::Str(hex.to_string())),
            ("cost", Json::from(cost)),
            ("pace", Json::Str(pace.clone())),
            ("dice", Json::Str(rolls.clone())),
            ("path", Json::List(path.iter().cloned().map(Json::Str).collect())),
            ("costs", Json::List(march.steps.iter().map(|paid| Json::from(paid.cost)).collect())),
        ]);
        let note = if march.pace == Pace::Normal { String::new() } else { pace };
        goals.push((row, entry, Reached { cell: hex.to_string(), cost: cost.to_string(), path, dice: rolls, note }));
    }
    reply.diary.line(
        format!("{id} in {}: movement factor {}.", now.data().describe(stack.from), stack.factor),
        &[Clause("8.1b")],
    );
    reply.json.insert("unit".into(), Json::Str(id.to_string()));
    reply.reach(id, &["hex", "MP", "pace", "path"], goals);
    Ok(reply)
}

fn supply(now: &Position<'_>, only: Option<UnitId>) -> Result<Reply, Vec<Fault>> {
    let mut reply = Reply::default();
    let nets = Nets::default();
    let mut entries = Vec::new();
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
        match &supply {
            Supply::Line(line) => reply.supplied(id, line),
            Supply::Always | Supply::Beach => {}
            Supply::None => reply.unsupplied(id, hex, ""),
        }
        let line = match &supply {
            Supply::Line(line) => line.iter().map(|hex| Json::Str(hex.to_string())).collect(),
            _ => Vec::new(),
        };
        let entry = Json::object([
            ("unit", Json::Str(id.to_string())),
            ("hex", Json::Str(hex.to_string())),
            ("supplied", Json::Bool(supply.is_supplied())),
            ("line", Json::List(line)),
        ]);
        entries.push((vec![id.to_string(), now.data().describe(hex), how], entry));
    }
    reply.list("supply", &["unit", "hex", "line of communications"], entries);
    Ok(reply)
}
