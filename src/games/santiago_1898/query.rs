//! Answers to `reach`, `supply`, `odds`.

use crate::board::Hex;
use crate::engine::doc::{DocPath, Fault, Reader};
use crate::engine::{Clause, Json, Query, Reply};

use super::check::{Projection, check};
use super::orders::{Effort, Orders};
use super::play::Position;
use super::supply::{Nets, Supply};
use super::terms::UnitId;

/// Answers a query.
pub fn answer(now: &Position<'_>, query: &Query) -> Result<Reply, Vec<Fault>> {
    match query {
        Query::Reach { unit } => reach(now, unit_named(now, unit)?),
        Query::Supply { unit } => supply(now, unit.as_deref().map(|unit| unit_named(now, unit)).transpose()?),
        Query::Odds { orders } => odds(now, orders),
        Query::Sight { .. } => {
            let what = "this game has no line of sight: units fight adjacent hexes only";
            Err(vec![Fault::new(&DocPath::root(), what, "use `garcia map` instead").by(Clause("9.1b"))])
        }
    }
}

fn unit_named(now: &Position<'_>, text: &str) -> Result<UnitId, Vec<Fault>> {
    use crate::engine::doc::{FromDoc, Node};
    let mut reader = Reader::new(now.data());
    UnitId::read(&Node::text(text), &DocPath::root(), &mut reader).ok_or(reader.faults)
}

fn reach(now: &Position<'_>, id: UnitId) -> Result<Reply, Vec<Fault>> {
    let mut reply = Reply::default();
    let stack = now
        .stack(&[id])
        .map_err(|(clause, why)| vec![Fault::new(&DocPath::root(), why, "choose a unit that may move").by(clause)])?;
    let mut rows = Vec::new();
    let mut json = Vec::new();
    for (hex, path) in now.reachable(&stack) {
        let Ok(march) = now.march(&stack, &path) else { continue };
        let cost: u32 = march.steps.iter().map(|paid| paid.cost).sum();
        let way: Vec<String> =
            march.steps.iter().map(|paid| format!("{} ({} {})", paid.hex, paid.why, paid.cost)).collect();
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

fn odds(now: &Position<'_>, node: &crate::engine::doc::Node) -> Result<Reply, Vec<Fault>> {
    let at = DocPath::root().key("orders");
    let mut reader = Reader::new(now.data());
    let read = Orders::read("turn", node, &at, &mut reader);
    let (Some(mut orders), false) = (read, reader.refused()) else { return Err(reader.faults) };
    let faults = check(now.game, now.state, &mut orders, &at);
    if faults.iter().any(|fault| !fault.warning) {
        return Err(faults);
    }
    let Orders::Turn(turn) = &orders else { return Ok(Reply::default()) };
    let mut projection = Projection::new(now.game, now.state);
    projection.enter_escario(&turn.entry);
    for landing in &turn.landings {
        for id in &landing.units {
            projection.land(*id, landing.at);
        }
    }
    projection.state.base = projection.state.base.or(turn.base);
    for order in &turn.moves {
        let stack = projection.now().stack(&order.units);
        if let Ok(stack) = stack
            && let Ok(march) = projection.now().march(&stack, &order.path)
        {
            projection.march(&stack, &march, order);
        }
    }
    if turn.all_out_effort == Effort::Yes {
        projection.state.all_out = Some(projection.state.turn); // §6.4c
    }
    let mut reply = Reply::default();
    let mut json = Vec::new();
    for battle in &turn.battles {
        let Some(force) = battle.attackers.first().and_then(|id| projection.now().force(*id)) else { continue };
        if turn.all_out_effort == Effort::IfAttack && projection.now().roosevelt_leads(force, &battle.attackers) {
            projection.state.all_out = Some(projection.state.turn);
        }
        let after = projection.now();
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
    Ok(reply)
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
        let reply = odds(&Position { game: &arranged.game, state: &arranged.state }, &node).expect("legal orders");
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
