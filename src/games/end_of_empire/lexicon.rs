//! The names a player may type: units by id or code, closed counters by their public name, hexes by number or place.

use crate::engine::doc::{Lexicon, Unknown, fold};

use super::EndOfEmpire;
use super::data::Unit;
use super::terms::{Piece, UnitKind};

impl Lexicon for EndOfEmpire {
    fn look_up(&self, class: &str, text: &str) -> Result<String, Unknown> {
        match class {
            "hex" => match self.data.hex_named(text) {
                Some(hex) => Ok(hex.to_string()),
                None => {
                    let hint = "Hexes are numbered row first, 0101 to 1825; many have names (`garcia map`).";
                    Err(Unknown::near(text, self.data.place_names()).hint(hint))
                }
            },
            "unit" => self.piece_named(text),
            _ => Ok(text.to_owned()),
        }
    }
}

impl EndOfEmpire {
    /// The counter a player means: its id in any case, its public name, or its printed code or name, or a word of that
    /// (`Simancas`), where only one counter bears it. Codes differ by case (§1.4.1a) and are used by two sides (§1.4.2a).
    fn piece_named(&self, text: &str) -> Result<String, Unknown> {
        let plain = text.trim();
        let closed = |unit: &Unit| matches!(unit.kind, UnitKind::Column | UnitKind::Brigade | UnitKind::Dummy);
        // What programs write needs no forgiveness.
        if let Some(unit) = Piece::known(plain).and_then(|id| self.data.unit(id)).filter(|unit| !closed(unit)) {
            return Ok(unit.id.to_string());
        }
        if Piece::counter_force(plain).is_some() {
            return Ok(plain.to_owned());
        }
        let folded = fold(text);
        if let Some(unit) = self.data.units.values().find(|unit| fold(unit.id.as_str()) == folded) {
            if closed(unit) {
                let hint = "Columns, brigades and dummies are called by their public names: sp-c1, cu-c1, us-b1.";
                return Err(Unknown { nearest: Vec::new(), hint: hint.to_owned() });
            }
            return Ok(unit.id.to_string());
        }
        let lower = plain.to_ascii_lowercase();
        if Piece::counter_force(&lower).is_some() {
            return Ok(lower);
        }
        // `9` is the 9 Infantry, the 9 Cavalry or the 9 Massachusetts.
        let bears = |unit: &&Unit| !closed(unit) && (unit.code == plain || unit.code.split(' ').next() == Some(plain));
        let mut bearers: Vec<&Unit> = self.data.units.values().filter(bears).collect();
        if bearers.is_empty() {
            bearers = self.data.units.values().filter(|unit| !closed(unit) && fold(&unit.code) == folded).collect();
            if bearers.len() == 1 {
                return Ok(bearers[0].id.to_string());
            }
        }
        if bearers.is_empty() {
            let called = |unit: &&Unit| !closed(unit) && fold(&unit.name) == folded;
            let has_word = |unit: &&Unit| {
                let mut words = unit.name.split(|c: char| !c.is_alphanumeric());
                !closed(unit) && folded.len() > 2 && words.any(|word| fold(word) == folded)
            };
            bearers = self.data.units.values().filter(called).collect();
            if bearers.is_empty() {
                bearers = self.data.units.values().filter(has_word).collect();
            }
        }
        match bearers.as_slice() {
            [] => {
                let ids = self.data.units.values().filter(|unit| !closed(unit)).map(|unit| unit.id.as_str());
                Err(Unknown::near(text, ids))
            }
            [one] => Ok(one.id.to_string()),
            several => {
                let names: Vec<&str> = several.iter().map(|unit| unit.id.as_str()).collect();
                let hint = format!("`{plain}` stands on several counters: {}.", names.join(", "));
                Err(Unknown { nearest: Vec::new(), hint })
            }
        }
    }
}
