//! Openings that a player sends to a private game master, and to nobody else.

use crate::engine::json::Json;
use crate::trust::bytes::Id;
use crate::trust::data::Reveal;
use crate::trust::role::Role;
use crate::trust::{armour, data};

/// What a player entrusts to the game master: the values behind his commitments, with their salts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Openings {
    /// The game.
    pub game: Id,
    /// Whose values they are.
    pub by: Role,
    /// The openings.
    pub reveals: Vec<Reveal>,
}

impl Openings {
    /// As text to attach or paste.
    pub fn armoured(&self) -> String {
        let json = Json::object([
            ("game", Json::from(self.game.to_string())),
            ("by", Json::from(self.by.as_str())),
            ("openings", Json::List(self.reveals.iter().map(data::Reveal::to_json).collect())),
        ]);
        armour::wrap_openings(json.to_string().as_bytes())
    }

    /// Reads what stood in the armour.
    pub fn read(bytes: &[u8]) -> Option<Openings> {
        let json = Json::parse_canonical(bytes).ok()?;
        let reveals: Option<Vec<Reveal>> =
            json.get("openings")?.as_list()?.iter().map(data::Reveal::from_json).collect();
        Some(Openings {
            game: json.get("game")?.as_str()?.parse().ok()?,
            by: json.get("by")?.as_str()?.parse().ok()?,
            reveals: reveals?,
        })
    }
}
