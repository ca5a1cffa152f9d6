//! What events say about the upshot of an order: for chances and luck.

use crate::engine::{Mark, count_of};

use super::EndOfEmpire;
use super::events::{Event, FireKind};
use super::terms::UnitKind;

/// The marks of an event.
pub fn marks(game: &EndOfEmpire, event: &Event) -> Vec<Mark> {
    let result = |text: String| vec![Mark::Result(text)];
    match event {
        Event::Combat { target, force, .. } => {
            vec![Mark::Fight { by: force.side(), at: game.data.describe(*target) }]
        }
        Event::DummyShown { .. } => result("a dummy".to_owned()),
        Event::NoShock { .. } => result("no shock".to_owned()),
        Event::Shock { result: shock, .. } => result(shock.to_string()),
        Event::GuerrillaRoll { result: table, .. } => result(table.to_string()),
        Event::FireRoll { kind: FireKind::Bombardment | FireKind::Naval, result: fire, by, target, .. } => {
            vec![Mark::Fight { by: by.side(), at: game.data.describe(*target) }, Mark::Result(fire.to_string())]
        }
        Event::Coordination { fires: false, .. } => vec![Mark::CalledOff],
        Event::StepsLost { force, losses, .. } => (losses.iter())
            .map(|loss| Mark::Lost { side: force.side(), unit: loss.unit.to_string(), steps: loss.steps.into() })
            .collect(),
        Event::Eliminated { units, steps, .. } => {
            let mut marks = Vec::new();
            for (unit, steps) in units.iter().zip(steps) {
                let known = game.data.unit(*unit);
                if known.is_some_and(|unit| unit.kind == UnitKind::Leader) {
                    marks.push(Mark::LeaderFell { leader: unit.to_string() });
                } else if let Some(known) = known.filter(|_| *steps > 0) {
                    let side = known.force.side();
                    marks.push(Mark::Lost { side, unit: unit.to_string(), steps: u32::from(*steps) });
                }
            }
            marks
        }
        Event::Advanced { .. } => vec![Mark::Taken],
        Event::JungleRoll { result: jungle, .. } => result(format!("jungle: {jungle}")),
        Event::Fever { force, steps, .. } => result(format!("{} {}", force.name(), count_of(*steps, "fever step"))),
        Event::HistoricalEvent { happens: false, .. } => result("no event".to_owned()),
        Event::HistoricalEvent { event, .. } => result(event.as_str().replace('-', " ")),
        Event::SurrenderRoll { result: roll, .. } => result(format!("surrender roll: {roll}")),
        Event::WithdrawalRoll { result: roll, .. } => result(format!("withdrawal roll: {roll}")),
        _ => Vec::new(),
    }
}
