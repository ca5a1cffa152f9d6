//! What events say about the upshot of an order: for chances and luck.

use crate::engine::{Mark, Side, count_of};

use super::SantiagoCampaign;
use super::events::{Event, SiteRoll};
use super::terms::Nation;
use super::{SPAIN, US};

fn player(nation: Nation) -> Side {
    if nation == Nation::Spanish { SPAIN } else { US }
}

/// The marks of an event.
pub fn marks(game: &SantiagoCampaign, event: &Event) -> Vec<Mark> {
    let result = |text: String| vec![Mark::Result(text)];
    match event {
        Event::Attack { side, target, .. } => vec![Mark::Fight { by: *side, at: game.data.say(*target) }],
        Event::AttackVoid { .. } => vec![Mark::CalledOff],
        Event::Combat { result: combat, .. } => result(combat.as_str().to_owned()),
        Event::StepLost { unit, nation, .. } => {
            vec![Mark::Lost { side: player(*nation), unit: unit.to_string(), steps: 1 }]
        }
        Event::SpanishLost { unit, .. } => vec![Mark::Lost { side: SPAIN, unit: unit.to_string(), steps: 1 }],
        Event::Advanced { .. } => vec![Mark::Taken],
        Event::Split { .. } => result("all ashore".to_owned()),
        Event::SetAside { .. } => result("not all ashore".to_owned()),
        Event::SiteRolled { roll, site, .. } => result(match (roll, site) {
            (SiteRoll::NonePicked | SiteRoll::Cancelled, _) | (_, None) => "no landing site".to_owned(),
            (_, Some(site)) => format!("landing site {}", game.data.say(*site)),
        }),
        Event::FeverRoll { infected, .. } => result(format!("{} sick", count_of(infected.len(), "unit"))),
        Event::SupplyLength { length, .. } => result(format!("supply length {length}")),
        Event::TruceRoll { truce, .. } => result(if *truce { "truce" } else { "no truce" }.to_owned()),
        Event::GuantanamoRoll { released, .. } => result(format!("{} released", count_of(*released, "unit"))),
        Event::BalloonFired { hit, .. } => result(if *hit { "balloon hit" } else { "balloon missed" }.to_owned()),
        _ => Vec::new(),
    }
}
