//! A roll as an event holds it: a die in a report, its chances in an outlook.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Serialize, Serializer};

use super::Subject;

/// The dice of one roll. After it, the faces; in an outlook, what each result comes up with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cast {
    faces: Vec<u16>,
    chances: Vec<Way>,
}

/// One result of a roll and in how many ways it comes up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Way {
    /// The result in words.
    pub result: String,
    /// In so many ways.
    pub ways: u32,
    /// Of so many.
    pub of: u32,
}

impl Cast {
    /// Dice that lie on the table.
    pub fn of(faces: &[u16]) -> Cast {
        Cast { faces: faces.to_vec(), chances: Vec::new() }
    }

    /// Dice not yet rolled: the faces that are counted on, and what could come up instead.
    pub(super) fn foreseen(faces: Vec<u16>, chances: Vec<Way>) -> Cast {
        Cast { faces, chances }
    }

    /// The face of a single die.
    pub fn face(&self) -> u16 {
        self.faces.first().copied().unwrap_or(0)
    }

    /// All faces.
    pub fn faces(&self) -> &[u16] {
        &self.faces
    }

    /// What can come up, best first, in an outlook; nothing once the dice lie.
    pub fn chances(&self) -> &[Way] {
        &self.chances
    }

    /// Whether the dice are still to be rolled.
    pub fn is_foreseen(&self) -> bool {
        !self.chances.is_empty()
    }
}

impl fmt::Display for Cast {
    /// `4`, `2+5`, or `on in 2 of 6, halt in 3, lost in 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (count, way) in self.chances.iter().enumerate() {
            match count {
                0 => write!(f, "{} in {} of {}", way.result, way.ways, way.of)?,
                _ => write!(f, ", {} in {}", way.result, way.ways)?,
            }
        }
        if self.is_foreseen() {
            return Ok(());
        }
        let faces: Vec<String> = self.faces.iter().map(u16::to_string).collect();
        f.write_str(&faces.join("+"))
    }
}

impl Serialize for Cast {
    /// A face, a list of faces, or the chances.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.faces.as_slice() {
            _ if self.is_foreseen() => BTreeMap::from([("chances", &self.chances)]).serialize(serializer),
            [face] => face.serialize(serializer),
            faces => faces.serialize(serializer),
        }
    }
}

/// What a roll came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thrown<R> {
    /// The result.
    pub result: R,
    /// The dice, for the event.
    pub cast: Cast,
}

/// What a roll may change, and whether its author counts on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touch {
    /// The units and hexes that may be otherwise after it.
    pub on: Vec<Subject>,
    /// It comes up well in both walks of a check: the jungle for the column that marches into it.
    pub counted_on: bool,
}

impl Touch {
    /// A roll that may change these.
    pub fn on(subjects: impl IntoIterator<Item = Subject>) -> Touch {
        Touch { on: subjects.into_iter().collect(), counted_on: false }
    }

    /// A roll whose author counts on it, and which may change these.
    pub fn counted_on(subjects: impl IntoIterator<Item = Subject>) -> Touch {
        Touch { on: subjects.into_iter().collect(), counted_on: true }
    }
}
