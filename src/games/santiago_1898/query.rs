//! Answers to `reach`, `supply`, `odds`.

use crate::board::Hex;
use crate::engine::doc::{DocPath, Fault, FromDoc, Node, Reader};
use crate::engine::{Clause, Json, Query, Reply, Rules, Seen, hoping};
use crate::scene::{Overlay, Reached, Target, Trace};

use super::events::Pace;
use super::orders::{Effort, Orders, TurnOrders};
use super::play::{Play, Position};
use super::state::{Stage, State};
use super::supply::{Nets, Supply};
use super::terms::{Force, UnitId};
use super::{Santiago1898, US};

/// Answers a query.
pub fn answer(game: &Santiago1898, seen: &Seen<'_, State>, query: &Query) -> Result<Reply, Vec<Fault>> {
    let now = &Position { game, state: seen.state };
    match query {
        Query::Reach { unit } => reach(now, unit_named(now, unit)?),
        Query::Supply { unit } => supply(now, unit.as_deref().map(|unit| unit_named(now, unit)).transpose()?),
        Query::Odds { orders } => odds(game, seen, orders),
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
        let rolls = if stack.force == Force::Us { jungle(now, stack.from, &path) } else { String::new() };
        cells.push(Reached {
            cell: hex.to_string(),
            cost: cost.to_string(),
            path: path.iter().map(Hex::to_string).collect(),
            dice: rolls,
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
                ("path".to_owned(), Json::List(path.iter().map(|hex| Json::Str(hex.to_string())).collect())),
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

/// The jungle a march has to roll for (§8.6a).
fn jungle(now: &Position<'_>, from: Hex, path: &[Hex]) -> String {
    let steps = std::iter::once(&from).chain(path).zip(path);
    let rolls: Vec<String> = steps.filter(|(a, b)| now.jungle_roll_due(**a, **b)).map(|(_, b)| b.to_string()).collect();
    if rolls.is_empty() { String::new() } else { format!("jungle {}", rolls.join(" ")) }
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
        rows.push(vec![id.to_string(), now.data().describe(hex), how]);
        json.push(Json::Map(
            [
                ("unit".to_owned(), Json::Str(id.to_string())),
                ("hex".to_owned(), Json::Str(hex.to_string())),
                ("supplied".to_owned(), Json::Bool(supply.is_supplied())),
            ]
            .into(),
        ));
    }
    reply.diary.table(&["unit", "hex", "line of communications"], rows);
    reply.json.insert("supply".into(), Json::List(json));
    Ok(reply)
}

fn odds(game: &Santiago1898, seen: &Seen<'_, State>, node: &Node) -> Result<Reply, Vec<Fault>> {
    let at = DocPath::root().key("orders");
    let mut reader = Reader::new(&game.data);
    let read = Orders::read("turn", node, &at, &mut reader);
    let (Some(mut orders), false) = (read, reader.refused()) else { return Err(reader.faults) };
    let faults = game.check(seen, &game.due(seen.state.stage), &mut orders, &at);
    if faults.iter().any(|fault| !fault.warning) {
        return Err(faults);
    }
    let Orders::Turn(mut turn) = orders else { return Ok(Reply::default()) };
    let side = seen.state.stage.side().unwrap_or(US);
    hoping(game, seen, side, |state, umpire| {
        let mut play = Play::new(game, state, umpire);
        let moved = match play.state.stage {
            Stage::UsTurn => play.us_movement(&mut turn),
            Stage::SpanishTurn => play.spanish_movement(&mut turn),
            _ => Ok(()),
        };
        if turn.all_out_effort == Effort::Yes {
            play.announced_effort(&turn); // §6.4c
        }
        // Where the moves end the game no battle is fought.
        Ok(moved.map_or_else(|_| Reply::default(), |()| battles(&mut play, &turn)))
    })
}

/// The odds of every attack from where the moves lead.
fn battles(play: &mut Play<'_, '_>, turn: &TurnOrders) -> Reply {
    let mut reply = Reply::default();
    let mut json = Vec::new();
    let mut targets = Vec::new();
    for battle in &turn.battles {
        let Some(force) = battle.attackers.first().and_then(|id| play.now().force(*id)) else { continue };
        if turn.all_out_effort == Effort::IfAttack && play.now().roosevelt_leads(force, &battle.attackers) {
            play.announce_all_out();
        }
        let after = play.now();
        let naval = if battle.naval == Some(true) { after.data().tables.limits.naval_factors } else { 0 };
        let assault = after.assault(force, battle.target, &battle.attackers, naval);
        reply.diary.line(
            format!(
                "{}: {} against {}, {}, if no attacker is disorganized.",
                after.data().describe(battle.target),
                assault.attack,
                assault.defence,
                assault.odds
            ),
            &[Clause("9.3c")],
        );
        reply.diary.sum("Column", assault.odds.to_string(), &assault.shifts, assault.column.to_string());
        let mut from: Vec<Hex> = battle.attackers.iter().filter_map(|id| after.state.hex_of(*id)).collect();
        from.sort_unstable();
        from.dedup();
        targets.push(Target {
            cell: battle.target.to_string(),
            from: from.iter().map(Hex::to_string).collect(),
            odds: assault.column.to_string(),
            note: format!("{} against {}", assault.attack, assault.defence),
        });
        json.push(Json::Map(
            [
                ("target".to_owned(), Json::Str(battle.target.to_string())),
                ("attack".to_owned(), Json::Int(i64::from(assault.attack))),
                ("defence".to_owned(), Json::Int(i64::from(assault.defence))),
                ("column".to_owned(), Json::Str(assault.column.to_string())),
            ]
            .into(),
        ));
    }
    reply.json.insert("battles".into(), Json::List(json));
    reply.drawn.push(Overlay::Targets { board: 0, cells: targets });
    reply
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::doc::read_document;

    fn columns(orders: &str) -> Vec<String> {
        let start = "{scenario: blank, base: 1313, counters: {sp-a: {force: spanish, shock: 5}, us-a: {force: us, shock: 10}}, \
                     units: {sp-a: 1310, us-a: 1311, us-tr: 1311}}";
        let (start, _) = read_document("start.yaml", start.as_bytes()).expect("well formed");
        let mut faults = Vec::new();
        let arranged =
            crate::games::santiago_1898::arrange::arrange(&start, &DocPath::root(), &mut faults).expect("a position");
        let (node, _) = read_document("orders.yaml", orders.as_bytes()).expect("well formed");
        let holdings = crate::engine::Holdings::default();
        let seen = Seen { state: &arranged.state, holdings: &holdings, side: Some(US) };
        let reply = odds(&arranged.game, &seen, &node).expect("legal orders");
        let Some(Json::List(battles)) = reply.json.get("battles") else { panic!("battles are listed") };
        battles.iter().filter_map(|battle| battle.get("column")).map(Json::to_string).collect()
    }

    #[test]
    fn the_odds_reckon_with_the_effort_ordered_in_the_same_file() {
        // §6.4c: 10 to 5 is 2:1, one column better with Roosevelt, two with his effort.
        assert_eq!(columns("{battles: [{target: 1310, attackers: [us-a]}]}"), ["\"3:1\""]);
        assert_eq!(columns("{all-out-effort: yes, battles: [{target: 1310, attackers: [us-a]}]}"), ["\"4:1\""]);
        assert_eq!(columns("{all-out-effort: if-attack, battles: [{target: 1310, attackers: [us-a]}]}"), ["\"4:1\""]);
    }
}
