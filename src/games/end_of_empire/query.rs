//! `reach`, `supply` and `odds`.

use std::collections::BTreeMap;

use crate::engine::doc::{DocPath, Fault, FromDoc, Node, Reader};
use crate::engine::{Clause, Query, Reply, Seen, to_json};
use crate::scene::{Overlay, Reached, Trace};

use super::EndOfEmpire;
use super::combat::Manner;
use super::orders::TurnOrders;
use super::position::{Known, Position};
use super::state::State;
use super::tables::Odds;
use super::terms::{Force, Piece};
use super::{SPAIN, US};

/// Answers a question to the position.
pub fn answer(game: &EndOfEmpire, seen: &Seen<'_, State>, query: &Query) -> Result<Reply, Vec<Fault>> {
    let side = seen.side.or(seen.state.stage.side()).unwrap_or(SPAIN);
    let known = Known::own(game, seen, side);
    let now = Position { game, state: seen.state, known: &known };
    match query {
        Query::Reach { unit } => reach(&now, named(game, unit)?),
        Query::Supply { unit } => supply(&now, unit.as_deref().map(|unit| named(game, unit)).transpose()?),
        Query::Sight { .. } => {
            let what = "there is no line of sight in this game";
            Err(vec![
                Fault::new(&DocPath::root(), what, "guns reach 3 hexes, whatever lies between").by(Clause("9.6c")),
            ])
        }
        Query::Odds { orders } => odds(game, &now, orders),
    }
}

fn named(game: &EndOfEmpire, text: &str) -> Result<Piece, Vec<Fault>> {
    let mut reader = Reader::new(game);
    Piece::read(&Node::text(text), &DocPath::root(), &mut reader).ok_or(reader.faults)
}

fn reach(now: &Position<'_>, piece: Piece) -> Result<Reply, Vec<Fault>> {
    let mut reply = Reply::default();
    let side = now.force(piece).map_or(SPAIN, Force::side);
    let bars = now.bars_marching(side, piece, &Default::default(), false);
    if !bars.is_empty() {
        return Err(bars.iter().map(|bar| bar.fault(&DocPath::root())).collect());
    }
    let real = now.known.0.get(&piece).is_none_or(|content| now.data().is_real(content));
    let routes = now.routes(&[piece], real);
    let mut rows = Vec::new();
    let mut list = Vec::new();
    let mut cells = Vec::new();
    for (hex, path, cost) in routes {
        let way: Vec<String> = path.iter().map(ToString::to_string).collect();
        rows.push(vec![now.data().describe(hex), cost.to_string(), way.join(" ")]);
        cells.push(Reached { cell: hex.to_string(), cost: cost.to_string(), path: way, ..Reached::default() });
        let entry = BTreeMap::from([("hex".to_owned(), hex.to_string()), ("cost".to_owned(), cost.to_string())]);
        list.push(to_json(&entry).unwrap_or(crate::engine::Json::Str(hex.to_string())));
    }
    reply.diary.line(format!("{piece} has {} movement points.", now.allowance(piece)), &[Clause("8.1e")]);
    reply.diary.table(&["hex", "cost", "way"], rows);
    reply.json.insert("reach".to_owned(), crate::engine::Json::List(list));
    reply.drawn.push(Overlay::Reach { board: 0, unit: piece.to_string(), cells });
    Ok(reply)
}

fn supply(now: &Position<'_>, only: Option<Piece>) -> Result<Reply, Vec<Fault>> {
    let mut reply = Reply::default();
    let mut pieces: Vec<Piece> = now.on_map(US).into_iter().chain(now.on_map(SPAIN)).collect();
    pieces.retain(|piece| only.is_none_or(|only| only == *piece) && now.fights(*piece));
    let mut rows = Vec::new();
    let mut list = Vec::new();
    for piece in pieces {
        let Some(hex) = now.state.hex_of(piece) else { continue };
        let supplied = now.in_supply(piece);
        let marker = now.state.counters.get(&piece).map_or(now.state.unit(piece).oos, |counter| counter.oos);
        let marker = if marker { "OOS" } else { "" };
        if !supplied {
            reply.drawn.push(Overlay::Line {
                board: 0,
                what: Trace::Supply,
                unit: Some(piece.to_string()),
                cells: vec![hex.to_string()],
                open: false,
                note: marker.to_owned(),
            });
        }
        rows.push(vec![
            piece.to_string(),
            hex.to_string(),
            if supplied { "in supply" } else { "OUT of supply" }.to_owned(),
            marker.to_owned(),
        ]);
        let entry = BTreeMap::from([
            ("unit", crate::engine::Json::Str(piece.to_string())),
            ("supplied", crate::engine::Json::Bool(supplied)),
        ]);
        list.push(crate::engine::Json::Map(entry.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()));
    }
    for (side, force) in [(US, Force::Us), (SPAIN, Force::Spanish)] {
        let cells: Vec<String> = now.supply_of_side(side).iter().map(ToString::to_string).collect();
        if only.is_none() && !cells.is_empty() {
            let force = Some(force.as_str());
            reply.drawn.insert(0, Overlay::Area { board: 0, what: Trace::Supply, force, cells });
        }
    }
    reply.diary.table(&["unit", "hex", "supply", "marker"], rows);
    reply.json.insert("supply".to_owned(), crate::engine::Json::List(list));
    Ok(reply)
}

/// The odds of every attack of a packet. Against a closed counter: from the weakest to the strongest it can be.
fn odds(game: &EndOfEmpire, now: &Position<'_>, orders: &Node) -> Result<Reply, Vec<Fault>> {
    let mut reader = Reader::new(game);
    let Some(orders) = TurnOrders::read(orders, &DocPath::root(), &mut reader) else { return Err(reader.faults) };
    let side = now.state.stage.side().unwrap_or(SPAIN);
    let mut reply = Reply::default();
    let mut list = Vec::new();
    for order in orders.combat.iter().filter(|order| order.attack.is_some()) {
        let Some(target) = order.attack else { continue };
        if now.manner(&order.by, target, side) != Manner::Ordinary {
            reply.diary.line(format!("{target}: on the Guerrilla Table, no odds."), &[Clause("11.2.1a")]);
            continue;
        }
        let mut by: Vec<Piece> = Vec::new();
        let mut hidden_shock = 0;
        for piece in &order.by {
            match now.members(*piece) {
                Some(members) => {
                    hidden_shock += members.iter().map(|(unit, steps)| now.shock_under(*unit, *steps)).sum::<u32>()
                }
                None => by.push(*piece),
            }
        }
        let there = now.fighters(target, if side == US { SPAIN } else { US });
        let closed = there.iter().filter(|piece| piece.is_counter()).count();
        let (attack, defence, _) = now.bare_odds(&by, &there);
        let attack = attack + hidden_shock;
        // A closed counter can be a dummy, or all that fits under it.
        let force = now.holder(target).unwrap_or(Force::Spanish);
        let strongest = strongest(now, force) * u32::try_from(closed).unwrap_or(0);
        let shifts = now.fixed_shifts(&order.by, target, &there);
        let column = |defence: u32| {
            let table = &now.data().tables.shock.results;
            let odds = Odds::of(attack, defence);
            let place = table.shifted(table.column(&odds).unwrap_or(0), shifts.total());
            table.columns.get(place).copied().unwrap_or(odds)
        };
        let (best, worst) = (column(defence), column(defence + strongest));
        let text = match closed {
            0 => format!("{target}: {attack} to {defence}, fought at {best}."),
            _ => format!(
                "{target}: {attack} to between {defence} and {}, fought at {worst} to {best}.",
                defence + strongest
            ),
        };
        reply.diary.line(text, &[Clause("9.2e")]);
        reply.diary.sum("odds column", Odds::of(attack, defence).to_string(), &shifts, best.to_string());
        let entry = [
            ("target", crate::engine::Json::Str(target.to_string())),
            ("attack", crate::engine::Json::Int(attack.into())),
            ("defence", crate::engine::Json::Int(defence.into())),
            ("column", crate::engine::Json::Str(best.to_string())),
            ("worst", crate::engine::Json::Str(worst.to_string())),
        ];
        list.push(crate::engine::Json::Map(entry.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()));
    }
    reply.json.insert("battles".to_owned(), crate::engine::Json::List(list));
    Ok(reply)
}

/// The most shock that fits under one counter of a force.
fn strongest(now: &Position<'_>, force: Force) -> u32 {
    let mut units: Vec<(u32, u32)> = now
        .data()
        .units
        .values()
        .filter(|unit| {
            unit.force == force && unit.kind.is_foot() && now.state.unit(unit.id).at == super::state::Place::Off
        })
        .map(|unit| (unit.factors(unit.steps, None).shock, u32::from(unit.steps)))
        .collect();
    units.sort_unstable_by(|a, b| b.cmp(a));
    let mut room = now.data().tables.limits.stack_steps;
    let mut sum = 0;
    for (shock, steps) in units {
        if steps <= room {
            room -= steps;
            sum += shock;
        }
    }
    sum
}
