//! Seats that sign.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A seat with its own key: a side of the game, `gm` or `solo`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Role(String);

impl Role {
    /// The word for the role.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The one player of a solo game.
    pub fn solo() -> Role {
        Role("solo".to_owned())
    }

    /// A third person beside two players.
    pub fn director() -> Role {
        Role("director".to_owned())
    }

    /// The game master.
    pub fn gm() -> Role {
        Role("gm".to_owned())
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Text that is not a role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a role: a letter, then up to 15 of a-z, 0-9 and '-'")]
pub struct NotARole(String);

impl TryFrom<String> for Role {
    type Error = NotARole;

    fn try_from(text: String) -> Result<Role, NotARole> {
        let legal = (1..=16).contains(&text.len())
            && text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'));
        if legal { Ok(Role(text)) } else { Err(NotARole(text.chars().take(32).collect())) }
    }
}

impl FromStr for Role {
    type Err = NotARole;

    fn from_str(text: &str) -> Result<Role, NotARole> {
        text.to_owned().try_into()
    }
}

impl From<Role> for String {
    fn from(role: Role) -> String {
        role.0
    }
}
