//! `garcia schemas`: JSON Schema of every file a person writes.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::cases;
use crate::engine::Ruleset;
use crate::engine::submission::order_file_schema;
use crate::games::GAMES;
use crate::trust::store::{Readers, write_whole};

use super::{Done, Trouble, World};

/// Write the JSON Schemas of all files people write into a folder.
#[derive(Debug, Args)]
pub struct Schemas {
    /// The folder.
    folder: PathBuf,
}

impl Schemas {
    pub(super) fn run(self, _: &World) -> Result<Done, Trouble> {
        let schemas = all();
        for (name, schema) in &schemas {
            write_whole(&self.folder.join(name), format!("{schema:#}\n").as_bytes(), Readers::Anyone)?;
        }
        Ok(Done::good(format!("{} schemas are written to {}.\n", schemas.len(), self.folder.display())))
    }
}

/// The file that describes an order file of one packet.
pub fn order_file_name(game: &dyn Ruleset, packet: &str) -> String {
    format!("{}-orders-{packet}.json", game.id())
}

/// The schemas of a game's order files.
pub fn order_files(game: &dyn Ruleset) -> Vec<(String, Value)> {
    let packet = |(name, schema): (String, Value)| {
        let packet = name.strip_prefix("orders-")?.to_owned();
        Some((order_file_name(game, &packet), order_file_schema(game, &packet, schema)))
    };
    game.schemas().into_iter().filter_map(packet).collect()
}

/// Every schema, by file name.
pub fn all() -> Vec<(String, Value)> {
    let mut schemas = Vec::new();
    for game in GAMES {
        schemas.extend(order_files(*game));
        // Orders and the start of a case stand in schemas of whole files.
        let part = |name: &str| name.starts_with("orders-") || name == "case-start";
        let others = game.schemas().into_iter().filter(|(name, _)| !part(name));
        schemas.extend(others.map(|(name, schema)| (format!("{}-{name}.json", game.id()), schema)));
        schemas.push((format!("{}-standing.json", game.id()), standing(*game)));
        schemas.push((format!("{}-cases.json", game.id()), cases::schema(*game)));
    }
    schemas.sort_by(|one, other| one.0.cmp(&other.0));
    schemas
}

/// The standing orders alone, as they also stand in an order file.
fn standing(game: &dyn Ruleset) -> Value {
    let whole = order_file_schema(game, "turn", json!({}));
    let mut schema = whole.pointer("/properties/standing").cloned().unwrap_or_default();
    if let Some(object) = schema.as_object_mut() {
        object.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
        object.insert("title".into(), format!("{}: standing orders", game.about().title).into());
    }
    schema
}
