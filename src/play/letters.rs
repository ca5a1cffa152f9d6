//! What a player who chooses at random writes, in a game with a ledger.

use std::collections::BTreeMap;

use super::random::{refusals, told};
use crate::engine::dice::Chance;
use crate::engine::doc::DocPath;
use crate::engine::submission::Submission;
use crate::engine::{AnyOrders, Json, Match, Side, Stop, View};
use crate::trust::ledger::Ledger;

/// The orders of a plain sensible player for a side that is due, every question left at its default, and the defaults
/// where answers are due; otherwise why there are none.
pub fn sensible(ledger: &Ledger, side: Side) -> Result<Submission, String> {
    let (replay, holdings) = (ledger.replay(), ledger.holdings_of(side));
    let (table, stop) = (replay.table(), replay.stop());
    if let Stop::Answers { questions, .. } = stop {
        let answers = questions.iter().map(|asked| (asked.key.clone(), asked.default.clone())).collect();
        let (policies, standing) = (BTreeMap::new(), BTreeMap::new());
        return Ok(Submission { side, orders: None, policies, standing, answers, note: None });
    }
    let view = View { state: replay.state(), holdings: &holdings, side: Some(side) };
    let orders = table.sensible_orders(view, stop).ok_or("this game has no sensible player")?;
    let orders = legal(table, view, stop, orders)?;
    let default = |kind: &str| (kind.to_owned(), Json::from("default"));
    Ok(Submission {
        side,
        orders: Some(orders),
        policies: replay.own_kinds(side).map(default).collect(),
        standing: replay.standing_kinds(side).map(default).collect(),
        answers: BTreeMap::new(),
        note: None,
    })
}

/// Orders as the check leaves them; or every fault it finds with them.
fn legal(table: &dyn Match, view: View<'_>, stop: &Stop, orders: AnyOrders) -> Result<AnyOrders, String> {
    let written = table.orders_json(&orders).map_or_else(|error| error.to_string(), |json| json.to_string());
    let (orders, faults) = table.check(view, stop, orders, &DocPath::root());
    let faults = refusals(faults);
    if faults.is_empty() {
        return Ok(orders);
    }
    Err(format!("{}\n  {written}", told("the player's own orders are refused", &faults)))
}

/// Orders or answers for a side that is due, as if read from a checked order file, or why there are none; one question
/// in `asks` is left open.
pub fn at_random(ledger: &Ledger, side: Side, asks: usize, chance: &mut Chance) -> Result<Submission, String> {
    let (replay, holdings) = (ledger.replay(), ledger.holdings_of(side));
    let (table, stop) = (replay.table(), replay.stop());
    let view = View { state: replay.state(), holdings: &holdings, side: Some(side) };
    let mut said = Submission {
        side,
        orders: None,
        policies: BTreeMap::new(),
        standing: BTreeMap::new(),
        answers: BTreeMap::new(),
        note: None,
    };
    match stop {
        Stop::Orders { .. } => {
            said.orders = Some(legal(table, view, stop, table.random_orders(view, stop, chance))?);
            let mut policy = |kind: &str| {
                let policy = table.random_policy(replay.state(), side, kind, chance);
                let open = chance.one_in(asks);
                (kind.to_owned(), if open { Json::from("ask") } else { policy })
            };
            said.policies = replay.own_kinds(side).map(&mut policy).collect();
            said.standing = replay.standing_kinds(side).map(policy).collect();
        }
        Stop::Answers { questions, .. } => {
            for asked in questions {
                let choice = chance.pick(&asked.options).cloned().unwrap_or_else(|| asked.default.clone());
                said.answers.insert(asked.key.clone(), choice);
            }
        }
        Stop::Facts { .. } | Stop::End => return Err(format!("nobody is due: {stop:?}")),
    }
    Ok(said)
}
