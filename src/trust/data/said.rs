//! Rolls, stops and secret faces as records tell them.

use super::{label, labels, slots, some_slot};
use crate::engine::dice::Die;
use crate::engine::{Key, Slot};
use crate::trust::role::Role;
use serde::{Deserialize, Serialize};

/// A roll as a result tells it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "RollParts", into = "RollParts")]
pub enum RollSaid {
    /// Everybody sees the faces.
    Open {
        /// The label.
        label: Key,
        /// The dice.
        sides: Vec<Die>,
        /// What they showed.
        faces: Vec<u16>,
    },
    /// Only one role knows the faces.
    Secret {
        /// The label.
        label: Key,
        /// The dice.
        sides: Vec<Die>,
        /// The ticket spent on it.
        ticket: Slot,
        /// Whose ticket.
        by: Role,
    },
}

impl RollSaid {
    /// The label.
    pub fn label(&self) -> &Key {
        let (RollSaid::Open { label, .. } | RollSaid::Secret { label, .. }) = self;
        label
    }

    /// The dice.
    pub fn sides(&self) -> &[Die] {
        let (RollSaid::Open { sides, .. } | RollSaid::Secret { sides, .. }) = self;
        sides
    }
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RollParts {
    #[serde(deserialize_with = "label")]
    label: Key,
    sides: Vec<u16>,
    faces: Option<Vec<u16>>,
    #[serde(default, deserialize_with = "some_slot")]
    secret: Option<Slot>,
    by: Option<Role>,
}

impl TryFrom<RollParts> for RollSaid {
    type Error = String;

    fn try_from(parts: RollParts) -> Result<RollSaid, String> {
        let RollParts { label, sides, faces, secret, by } = parts;
        let sides: Option<Vec<Die>> = sides.into_iter().map(Die::new).collect();
        let sides = sides.ok_or("a die has 1 to 256 sides")?;
        match (faces, secret, by) {
            (Some(faces), None, None) => Ok(RollSaid::Open { label, sides, faces }),
            (None, Some(ticket), Some(by)) => Ok(RollSaid::Secret { label, sides, ticket, by }),
            _ => Err("a roll has either `faces`, or `secret` and `by`".to_owned()),
        }
    }
}

impl From<RollSaid> for RollParts {
    fn from(roll: RollSaid) -> RollParts {
        let plain = |sides: Vec<Die>| sides.into_iter().map(Die::sides).collect();
        match roll {
            RollSaid::Open { label, sides, faces } => {
                RollParts { label, sides: plain(sides), faces: Some(faces), secret: None, by: None }
            }
            RollSaid::Secret { label, sides, ticket, by } => {
                RollParts { label, sides: plain(sides), faces: None, secret: Some(ticket), by: Some(by) }
            }
        }
    }
}

/// Who must speak next, as a result tells it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StopSaid {
    /// Who; absent at the end.
    pub who: Option<Role>,
    /// `answers`, `facts`, `end`, or the name of the packet due.
    pub ask: String,
    /// The questions, in the order asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<QuestionSaid>,
    /// Slots to be opened.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "slots")]
    pub slots: Vec<Slot>,
    /// Claims to be stated.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "labels")]
    pub claims: Vec<Key>,
}

impl StopSaid {
    /// Whether a packet is due: the span is over.
    pub fn ends_span(&self) -> bool {
        self.ask != "answers" && self.ask != "facts"
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let word = !self.ask.is_empty()
            && self.ask.len() <= 32
            && self.ask.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        let fits = match self.ask.as_str() {
            "end" => self.who.is_none() && self.questions.is_empty() && self.slots.is_empty() && self.claims.is_empty(),
            "answers" => {
                self.who.is_some() && self.slots.is_empty() && self.claims.is_empty() && !self.questions.is_empty()
            }
            "facts" => self.who.is_some() && self.questions.is_empty(),
            _ => self.who.is_some() && self.questions.is_empty() && self.slots.is_empty() && self.claims.is_empty(),
        };
        if word && fits { Ok(()) } else { Err(format!("the members of `stop` do not go together for {:?}", self.ask)) }
    }
}

/// A question as a stop tells it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionSaid {
    /// Its key.
    #[serde(deserialize_with = "label")]
    pub key: Key,
    /// Its kind.
    pub kind: String,
}

/// The faces of a secret roll, told at the audit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecretFaces {
    /// The label.
    #[serde(deserialize_with = "label")]
    pub label: Key,
    /// The faces.
    pub faces: Vec<u16>,
}
