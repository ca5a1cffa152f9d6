//! The names a player may type: counters by id, name or printed abbreviation, hexes by number or place.

use crate::engine::doc::{Lexicon, Unknown, fold};

use super::SplendidLittleWar;

impl Lexicon for SplendidLittleWar {
    fn look_up(&self, class: &str, text: &str) -> Result<String, Unknown> {
        match class {
            "hex" => match self.data.hex_named(text) {
                Some(hex) => Ok(hex.to_string()),
                None => {
                    let hint = "Hexes are numbered row first, 0101 to 2937; many have names (`garcia map`).";
                    Err(Unknown::near(text, self.data.place_names()).hint(hint))
                }
            },
            "unit" => {
                let folded = fold(text);
                match self.data.units.keys().find(|id| fold(id.as_str()) == folded) {
                    Some(id) => Ok(id.to_string()),
                    None => Err(Unknown::near(text, self.data.units.keys().map(|id| id.as_str()))),
                }
            }
            _ => Ok(text.to_owned()),
        }
    }
}
