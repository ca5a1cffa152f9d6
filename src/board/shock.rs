//! Results of shock combat as two games print them: `1/2`, `-/3R`.

use std::fmt;

use crate::printed;

/// A cell of the Shock Combat Table: `1/2`, `-/3R`. The greater is better for the attacker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShockResult {
    /// Steps the attacker loses.
    pub attacker: u8,
    /// Steps the defender loses.
    pub defender: u8,
    /// Must the defender's survivors retreat?
    pub retreat: bool,
}

impl Ord for ShockResult {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let worth = |result: &ShockResult| (result.retreat, result.defender, std::cmp::Reverse(result.attacker));
        worth(self).cmp(&worth(other))
    }
}

impl PartialOrd for ShockResult {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// A number of steps as tables print it: one digit, never `0`.
pub fn steps(digits: &str) -> Option<u8> {
    match digits.as_bytes() {
        [digit @ b'1'..=b'9'] => Some(digit - b'0'),
        _ => None,
    }
}

impl ShockResult {
    /// The result a cell says.
    pub fn parse(text: &str) -> Option<ShockResult> {
        let (attacker, defender) = text.split_once('/')?;
        let attacker = if attacker == "-" { 0 } else { steps(attacker)? };
        let (defender, retreat) = match defender.strip_suffix('R') {
            Some(rest) => (rest, true),
            None => (defender, false),
        };
        let defender = match defender {
            "-" if !retreat => 0,
            "" if retreat => 0,
            digits => steps(digits)?,
        };
        Some(ShockResult { attacker, defender, retreat })
    }
}

impl fmt::Display for ShockResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.attacker {
            0 => f.write_str("-/")?,
            steps => write!(f, "{steps}/")?,
        }
        match (self.defender, self.retreat) {
            (0, false) => f.write_str("-"),
            (0, true) => f.write_str("R"),
            (steps, false) => write!(f, "{steps}"),
            (steps, true) => write!(f, "{steps}R"),
        }
    }
}

printed! {
    ShockResult, "`1/-`, `1/2`, `-/R`, `-/3R`";
}
