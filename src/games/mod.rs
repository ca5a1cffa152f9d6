//! The games.

pub mod end_of_empire;
pub mod lone_warrior;
pub mod santiago_1898;
pub mod santiago_campaign;
pub mod splendid_little_war;

use crate::engine::{RulesOf, Ruleset};

/// Every rule set garcia knows, one line each.
pub static GAMES: &[&dyn Ruleset] = &[
    &RulesOf::<santiago_1898::Santiago1898>::new(),
    &RulesOf::<santiago_campaign::SantiagoCampaign>::new(),
    &RulesOf::<lone_warrior::LoneWarrior>::new(),
    &RulesOf::<end_of_empire::EndOfEmpire>::new(),
    &RulesOf::<splendid_little_war::SplendidLittleWar>::new(),
];

/// The rule set with this name.
pub fn find(id: &str) -> Option<&'static dyn Ruleset> {
    GAMES.iter().copied().find(|game| game.id() == id)
}
