//! What events say about the upshot of an order: for chances and luck.

use crate::engine::{Mark, count_of};

use super::SplendidLittleWar;
use super::events::Event;

/// The marks of an event. A counter that is eliminated counts as one step: regiments lose their breakdown units one by one.
pub fn marks(game: &SplendidLittleWar, event: &Event) -> Vec<Mark> {
    let result = |text: String| vec![Mark::Result(text)];
    match event {
        Event::Fire { by, target, steps, .. } => {
            let effect = if *steps == 0 { "no effect".to_owned() } else { count_of(*steps, "step") };
            vec![Mark::Fight { by: by.side(), at: target.to_string() }, Mark::Result(effect)]
        }
        Event::NoFire { by, target, .. } => {
            vec![Mark::Fight { by: by.side(), at: target.to_string() }, Mark::CalledOff]
        }
        Event::Assault { target, attackers, result, .. } => {
            let leading = attackers.first().and_then(|factor| game.data.unit(factor.unit));
            let fight = leading.map(|unit| Mark::Fight { by: unit.side(), at: target.to_string() });
            fight.into_iter().chain([Mark::Result(result.clone())]).collect()
        }
        Event::Lost { force, units, .. } => {
            let lost = |unit: &super::terms::Piece| Mark::Lost { side: force.side(), unit: unit.to_string(), steps: 1 };
            units.iter().map(lost).collect()
        }
        Event::CalledOff { .. } | Event::NoAssault { .. } => vec![Mark::CalledOff],
        Event::Advanced { .. } => vec![Mark::Taken],
        Event::LeaderHit { leader, .. } | Event::LeaderKilled { leader, .. } => {
            vec![Mark::LeaderFell { leader: leader.to_string() }]
        }
        Event::WeatherRoll { weather, .. } => result(format!("weather: {weather}")),
        Event::FeverRoll { caught, .. } => result(if *caught { "fever" } else { "no fever" }.to_owned()),
        _ => Vec::new(),
    }
}
