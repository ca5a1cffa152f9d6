//! Sides, and the keys made of them.

use std::fmt;

use serde::Serialize;

use super::NotAKey;

/// A seat at the table: one side with its own orders, policies and secrets.
///
/// Each game names its sides in constants (`us`, `spain`); the engine knows none by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Side(pub &'static str);

impl Side {
    /// The word for the side in records and files.
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// The side as sentences and headlines have it: `US`, `Spain`.
    pub fn name(self) -> String {
        if self.is_initials() {
            return self.0.to_uppercase();
        }
        let mut letters = self.0.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    }

    /// The side before what is its own: `US attack`, `Spain's attack`.
    pub fn whose(self) -> String {
        let name = self.name();
        if self.is_initials() { name } else { format!("{name}'s") }
    }

    fn is_initials(self) -> bool {
        self.0.len() <= 2
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

/// The part of the game in hand; the first part of every key made in it: `t3.us.shock`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// The game turn.
    pub turn: u32,
    /// Whose part of the turn it is (`us`, `spain`, `all`).
    pub side: &'static str,
    /// The name of the phase, in lower case.
    pub name: &'static str,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}.{}.{}", self.turn, self.side, self.name)
    }
}

/// What a roll, question or claim is about: a hex, a unit, a pool or a table.
///
/// Made of rule facts alone, never of text a player chose; characters outside `[a-z0-9._-]` are written as `-`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject(String);

impl Subject {
    /// A subject named after the given thing.
    pub fn of(thing: impl fmt::Display) -> Subject {
        let text = thing.to_string();
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_' | '-');
        // Units and hexes are spelled so already; they are spoken of thousands of times in a turn.
        if text.chars().all(plain) {
            return Subject(text);
        }
        Subject(text.chars().map(|c| c.to_ascii_lowercase()).map(|c| if plain(c) { c } else { '-' }).collect())
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The label of a roll, or the key of a question or claim: `t3.us.shock/1210/odds/1`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Key(String);

impl Key {
    /// Reads a key from a record: `[a-z0-9._/-]`, 1 to 96 characters.
    pub fn parse(text: &str) -> Result<Key, NotAKey> {
        let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._/-".contains(c);
        if text.is_empty() || text.len() > 96 || !text.chars().all(legal) {
            return Err(NotAKey(text.chars().take(100).collect()));
        }
        Ok(Key(text.to_owned()))
    }

    /// The text of the key.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What is rolled for, asked or stated under this key, whatever it is about.
    pub fn purpose(&self) -> &str {
        self.0.rsplit('/').nth(1).unwrap_or_default()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of a hidden value: `s-01`, `standing/retreat`, `plan/8/2`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Slot(String);

impl Slot {
    /// Reads a slot name: `[a-z0-9_./-]`, 1 to 56 characters.
    pub fn parse(text: &str) -> Result<Slot, NotAKey> {
        let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_./-".contains(c);
        if text.is_empty() || text.len() > 56 || !text.chars().all(legal) {
            return Err(NotAKey(text.chars().take(60).collect()));
        }
        Ok(Slot(text.to_owned()))
    }

    /// The slot that holds a side's standing order for one kind of question.
    pub fn standing(kind: &str) -> Slot {
        Slot(format!("standing/{kind}"))
    }

    /// The slot that holds one entry of the plan with this number in the ledger.
    pub fn plan(number: u32, entry: u32) -> Slot {
        Slot(format!("plan/{number}/{entry}"))
    }

    /// The slot whose salt makes the secret roll with this number.
    pub fn ticket(number: u32) -> Slot {
        Slot(format!("ticket/{number}"))
    }

    /// The slot of a secret roll that was made openly, because a game master went on without the one who had to commit a
    /// ticket for it; by the record in which he did.
    pub fn waived(record: u32) -> Slot {
        Slot(format!("open/{record}"))
    }

    /// Whether it is a ticket for a secret roll.
    pub fn is_ticket(&self) -> bool {
        self.0.starts_with("ticket/")
    }

    /// The text of the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Side;

    #[test]
    fn sides_are_written_as_sentences_have_them() {
        assert_eq!((Side("us").name().as_str(), Side("us").whose().as_str()), ("US", "US"));
        assert_eq!((Side("spain").name().as_str(), Side("spain").whose().as_str()), ("Spain", "Spain's"));
    }
}
