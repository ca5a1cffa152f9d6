//! Who writes orders: the template for a person, and players without a head.

use super::Rules;
use crate::engine::dice::Chance;
use crate::engine::{Json, Seen, Side, Stop};

/// Orders proposed: to a person as a template, by chance, or by plain sense.
pub trait Players: Rules {
    /// What stands below `orders:` in an order file for this moment, indented by two blanks: what may be done as
    /// comments, ready to edit.
    fn template(&self, seen: &Seen<'_, Self::State>, stop: &Stop) -> String;

    /// Legal orders by chance, chosen from what the template lists.
    fn random_orders(&self, seen: &Seen<'_, Self::State>, stop: &Stop, chance: &mut Chance) -> Self::Orders;

    /// What a plain sensible player orders, in a game that has one: to judge the balance of a scenario by, and for
    /// matches that people read.
    fn sensible_orders(&self, _seen: &Seen<'_, Self::State>, _stop: &Stop) -> Option<Self::Orders> {
        None
    }

    /// A policy by chance for a kind the side can be asked, as a player could type it.
    fn random_policy(&self, state: &Self::State, side: Side, kind: &str, chance: &mut Chance) -> Json;
}
