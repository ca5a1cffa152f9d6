//! What events say about the upshot of an order: for chances and luck.

use crate::engine::Mark;

use super::Santiago1898;
use super::events::{Event, LeaderFate, NoBattle};
use super::play::player;
use super::tables::{HistoricEvent, Jungle, Surrender, Withdrawal};

/// The marks of an event.
pub fn marks(game: &Santiago1898, event: &Event) -> Vec<Mark> {
    let result = |text: &str| vec![Mark::Result(text.to_owned())];
    match event {
        Event::BattleNamed { force, target, .. } => {
            vec![Mark::Fight { by: player(*force), at: game.data.describe(*target) }]
        }
        Event::NoBattle { why: NoBattle::NoAttackers, .. } => vec![Mark::CalledOff],
        Event::NoBattle { why: NoBattle::NoDefenders, .. } => result("nobody left to attack"),
        Event::CalledOff { .. } => vec![Mark::CalledOff],
        Event::Shock { result, .. } => vec![Mark::Result(result.to_string())],
        Event::StepsLost { force, losses, .. } => {
            let lost = |unit: String| Mark::Lost { side: player(*force), unit, steps: 1 };
            losses.iter().map(|loss| lost(loss.unit.to_string())).collect()
        }
        Event::Advanced { .. } => vec![Mark::Taken],
        Event::LeaderLost { leader, why: LeaderFate::WithLastStep | LeaderFate::NobodyToJoin } => {
            vec![Mark::LeaderFell { leader: leader.to_string() }]
        }
        Event::JungleRoll { result: jungle, .. } => result(match jungle {
            Jungle::On => "through the jungle",
            Jungle::Halt => "halted in the jungle",
            Jungle::SpanishMoves => "lost in the jungle",
        }),
        Event::SurrenderCheck { result: Some(surrender), .. } => result(match surrender {
            Surrender::Nothing => "Santiago holds out",
            Surrender::ALasJarcias => "a las jarcias",
            Surrender::Surrender => "surrender",
        }),
        Event::WithdrawalCheck { result: Some(withdrawal), .. } => result(match withdrawal {
            Withdrawal::NoEffect => "Congress waits",
            Withdrawal::Withdrawal => "Congress recalls the army",
        }),
        Event::HistoricEvent { happens: false, .. } => result("no event"),
        Event::HistoricEvent { event, .. } => result(match event {
            HistoricEvent::HeroicCubans => "Heroic Cubans",
            HistoricEvent::EscarioDelayed => "Escario is delayed",
            HistoricEvent::BadWeather => "bad weather",
            HistoricEvent::GarrisonsReleased => "garrisons released",
            HistoricEvent::SpanishMachineguns => "Spanish machineguns",
        }),
        Event::Fever { steps: 0, .. } => result("no fever"),
        Event::Fever { .. } => result("fever"),
        _ => Vec::new(),
    }
}
