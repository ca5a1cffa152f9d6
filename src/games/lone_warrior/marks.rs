//! What events say about the upshot of an activation: for chances and luck. Losses are counted in units (§10).

use crate::engine::{Mark, count_of};

use super::LoneWarrior;
use super::events::Event;
use super::terms::UnitId;

/// The marks of an event.
pub fn marks(game: &LoneWarrior, event: &Event) -> Vec<Mark> {
    let result = |text: &str| vec![Mark::Result(text.to_owned())];
    let fight = |unit: UnitId, target: UnitId| {
        let by = game.data.units.get(&unit).map(|unit| unit.power.side());
        by.map(|by| Mark::Fight { by, at: target.to_string() })
    };
    match event {
        Event::Activation { success: false, .. } => result("activation fails"),
        Event::Activation { .. } => result("carried out"),
        Event::Skipped { .. } => result("passed over"),
        Event::Shot { unit, target, hits, .. } => {
            let hits = Mark::Result(if *hits == 0 { "no hit".to_owned() } else { count_of(*hits, "hit") + ", saved" });
            fight(*unit, *target).into_iter().chain([hits]).collect()
        }
        Event::Charged { unit, target, .. } => {
            fight(*unit, *target).into_iter().chain([Mark::Result("melee".to_owned())]).collect()
        }
        Event::Disordered { unit } => vec![Mark::Result(format!("{unit} disordered"))],
        Event::Eliminated { unit, side, .. } => vec![
            Mark::Result(format!("{unit} eliminated")),
            Mark::Lost { side: side.side(), unit: unit.to_string(), steps: 1 },
        ],
        Event::Withdrew { unit, .. } => vec![Mark::Result(format!("{unit} withdraws"))],
        Event::Advanced { .. } => vec![Mark::Taken],
        Event::Held { .. } => result("box held"),
        Event::Rallied { .. } => result("rallied"),
        Event::StillDisordered { .. } => result("still disordered"),
        Event::LeaderLost { leader, .. } => vec![Mark::LeaderFell { leader: leader.to_string() }],
        Event::Captured { .. } => vec![Mark::Taken],
        _ => Vec::new(),
    }
}
