//! The names a player may type: units by id, code, number or name, hexes by number or place.

use crate::board::Hex;
use crate::engine::doc::{Lexicon, Unknown, fold};

use super::SplendidLittleWar;
use super::data::{Data, Unit};
use super::terms::{Arm, Chief, Piece, Size};

impl Lexicon for SplendidLittleWar {
    fn look_up(&self, class: &str, text: &str) -> Result<String, Unknown> {
        look_up(&self.data, class, text)
    }
}

/// What a player means by a text of a class.
pub fn look_up(data: &Data, class: &str, text: &str) -> Result<String, Unknown> {
    match class {
        "hex" => match data.hex_named(text) {
            Some(hex) => Ok(hex.to_string()),
            None => {
                let hint = match text.trim().parse::<Hex>() {
                    Ok(_) => "Rows are 01 to 29 and columns 01 to 37, in even rows to 36.",
                    Err(_) => "Hexes are numbered row first, 0101 to 2937; many have names (`garcia map`).",
                };
                Err(Unknown::near(text, data.place_names()).hint(hint))
            }
        },
        "unit" => piece_named(data, text),
        _ => Ok(text.to_owned()),
    }
}

/// An id or number in the form in which two spellings of it are alike: `us-inf-9` and `us-inf-09`, `9th` and `9`.
fn plain(text: &str) -> String {
    let words = fold(text).split(['-', '.', ' ']).map(plain_word).collect::<Vec<_>>();
    words.join("-")
}

fn plain_word(word: &str) -> String {
    let word = word.trim_end_matches('.');
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
    let number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let bare = if number { digits } else { word };
    match bare.trim_start_matches('0') {
        "" => bare.to_owned(),
        rest if bare.bytes().all(|byte| byte.is_ascii_digit()) => rest.to_owned(),
        _ => bare.to_owned(),
    }
}

/// Does the text name the counter without doubt about what kind of counter it is?
fn names(unit: &Unit, wanted: &str) -> bool {
    plain(unit.id.as_str()) == wanted
        || plain(unit.code.as_str()) == wanted
        || plain(unit.name.as_str()) == wanted
        || unit.chief.is_some() && unit.chief == Chief::from_word(wanted)
}

/// Could the text be short for the counter: `9`, `1st`, `2 Cav`, `A/2`?
fn short_for(unit: &Unit, wanted: &str) -> bool {
    let code = plain(unit.code.as_str());
    let head = code.split('-').next().unwrap_or_default();
    let whole = unit.size != Size::Breakdown || unit.arm == Arm::Cavalry;
    whole && (head == wanted || code.starts_with(&format!("{wanted}-")) || code.ends_with(&format!("/{wanted}")))
}

/// The counter a player means. Infantry and cavalry share the numbers 1, 2, 3, 6, 9 and 10, and batteries and troops the
/// letters A and F of the 2nd, so a number alone is refused where it could be two (AMB-54).
fn piece_named(data: &Data, text: &str) -> Result<String, Unknown> {
    // Records and states spell every id in full: there is nothing to guess.
    if Piece::known(text).is_some_and(|id| data.unit(id).is_some()) {
        return Ok(text.to_owned());
    }
    let wanted = plain(text);
    let exact: Vec<&Unit> = data.units.values().filter(|unit| names(unit, &wanted)).collect();
    let short: Vec<&Unit> = data.units.values().filter(|unit| short_for(unit, &wanted)).collect();
    let squadron = |unit: &Unit| unit.size == Size::Squadron && plain(unit.code.as_str()) == wanted;
    let found = match exact.as_slice() {
        // `2 Cav` is the squadron, of which as a rule only troops are on the map.
        [one] if squadron(one) && plain(one.id.as_str()) != wanted => short,
        [_, ..] => exact,
        [] => short,
    };
    match found.as_slice() {
        [] => {
            let names: Vec<String> = data.units.values().map(|unit| fold(unit.code.as_str())).collect();
            let ids = data.units.values().map(|unit| unit.id.as_str());
            Err(Unknown::near(text, ids.chain(names.iter().map(String::as_str))))
        }
        [one] => Ok(one.id.to_string()),
        several => {
            let ids: Vec<&str> = several.iter().map(|unit| unit.id.as_str()).collect();
            let hint = format!("`{}` could be {}; write the id.", text.trim(), ids.join(", "));
            Err(Unknown { nearest: Vec::new(), hint })
        }
    }
}
