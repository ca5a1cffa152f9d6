//! What events say about the upshot of an order: for chances and luck.

use crate::engine::{Mark, count_of};

use super::SplendidLittleWar;
use super::data::Unit;
use super::events::Event;
use super::terms::Piece;

/// The marks of an event. A counter that is eliminated loses all its steps: a whole regiment as many as it has parts (§5.0b).
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
            let steps = |unit: &Piece| game.data.unit(*unit).map_or(0, Unit::steps);
            let lost = |unit: &Piece| Mark::Lost { side: force.side(), unit: unit.to_string(), steps: steps(unit) };
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

#[cfg(test)]
mod tests {
    use super::super::terms::{Cause, Force};
    use super::*;
    use crate::engine::{Charter, Files};

    #[test]
    fn a_regiment_that_is_lost_as_a_whole_loses_three_steps() {
        let charter = Charter { scenario: "july-1".to_owned(), ..Charter::default() };
        let game = SplendidLittleWar::open(&charter).expect("a table");
        let piece = |id: &str| Piece::known(id).expect("a counter");
        let steps = |unit: &str| -> u32 {
            let lost = Event::Lost { force: Force::Us, at: None, cause: Cause::Assault, units: vec![piece(unit)] };
            let of = |mark: Mark| if let Mark::Lost { steps, .. } = mark { steps } else { 0 };
            marks(&game, &lost).into_iter().map(of).sum()
        };
        assert_eq!((steps("us-inf-07"), steps("us-inf-07-a"), steps("us-art-a2")), (3, 1, 1));
    }
}
