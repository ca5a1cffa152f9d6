//! The names a player may type: units by id or label, Spanish counters by number, hexes by number or place.

use crate::board::{Grid, Hex};
use crate::engine::doc::{Lexicon, Unknown, fold};

use super::SantiagoCampaign;
use super::terms::{Nation, Token};

impl Lexicon for SantiagoCampaign {
    fn look_up(&self, class: &str, text: &str) -> Result<String, Unknown> {
        match class {
            "hex" => self.hex_named(text).map(|hex| hex.to_string()).ok_or_else(|| {
                let places = self.data.places.iter().map(|(name, _)| name.as_str());
                let [west, east] = self.data.grid().frame().columns;
                let [north, south] = self.data.grid().frame().rows;
                let hint = format!("Hexes are numbered {west}{north:02} to {east}{south}, column first; many have names (`garcia map`).");
                Unknown::near(text, places).hint(hint)
            }),
            "unit" => self.unit_named(text).ok_or_else(|| self.unknown_unit(text)),
            "token" | "piece" => {
                if Token::is_name(text) {
                    return Ok(text.to_owned());
                }
                let folded = fold(text);
                if Token::is_name(&folded) {
                    return Ok(folded);
                }
                self.unit_named(text).ok_or_else(|| self.unknown_unit(text))
            }
            _ => Ok(text.to_owned()),
        }
    }
}

impl SantiagoCampaign {
    fn hex_named(&self, text: &str) -> Option<Hex> {
        if let Ok(hex) = text.trim().parse::<Hex>() {
            return self.data.grid().contains(hex).then_some(hex);
        }
        let wanted = fold(text);
        self.data.places.iter().find(|(name, _)| fold(name) == wanted).map(|(_, hex)| *hex)
    }

    /// By id, or by a label that only one unit has.
    fn unit_named(&self, text: &str) -> Option<String> {
        if let Some(id) = self.data.unit(text) {
            return Some(id.to_string());
        }
        let wanted = fold(text);
        if let Some(id) = self.data.counters.keys().find(|id| fold(id.as_str()) == wanted) {
            return Some(id.to_string());
        }
        let mut labelled = self.data.counters.values().filter(|counter| fold(&counter.label) == wanted);
        match (labelled.next(), labelled.next()) {
            (Some(counter), None) if counter.nation != Nation::Cuban => Some(counter.id().to_string()),
            _ => None,
        }
    }

    fn unknown_unit(&self, text: &str) -> Unknown {
        Unknown::near(text, self.data.counters.keys().map(|id| id.as_str()))
    }
}
