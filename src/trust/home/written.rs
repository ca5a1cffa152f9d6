//! Secrets as they are written: one file for each game and role, for its owner alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{GameFile, HEADS};
use crate::engine::json::Json;
use crate::trust::bytes::Id;
use crate::trust::data::Reveal;
use crate::trust::record::Record;
use crate::trust::role::Role;
use crate::trust::secret::GameSecret;
use crate::trust::store::{FileTrouble, Readers, write_whole};
use crate::trust::yaml;
use zeroize::{Zeroize, Zeroizing};

impl GameFile {
    pub(super) fn load(path: PathBuf, game: &Id, role: &Role) -> Result<GameFile, FileTrouble> {
        let mut json = read_secret(&path)?;
        let read = GameFile::from_json(&json);
        wipe(&mut json);
        let file = read.map_err(|what| FileTrouble::new(&path, what))?;
        if (file.game, &file.role) != (*game, role) {
            return Err(FileTrouble::new(&path, "these are the secrets of another game"));
        }
        Ok(GameFile { path: Some(path), ..file })
    }

    /// Reads secrets that lie nowhere yet.
    pub fn from_json(json: &Json) -> Result<GameFile, String> {
        let wrong = |what: &str| format!("`{what}` is missing or damaged");
        let text = |name: &str| json.get(name).and_then(Json::as_str);
        let game = text("game").and_then(|game| game.parse().ok()).ok_or_else(|| wrong("game"))?;
        let role = text("role").and_then(|role| role.parse().ok()).ok_or_else(|| wrong("role"))?;
        let secret = text("secret").and_then(GameSecret::parse).ok_or_else(|| wrong("secret"))?;
        let links = json.get("links").and_then(Json::as_int).and_then(|n| u32::try_from(n).ok());
        let links = links.ok_or_else(|| wrong("links"))?;
        let values = json.get("values").and_then(Json::as_map).cloned().ok_or_else(|| wrong("values"))?;
        let mut signed = BTreeMap::new();
        for (prev, id) in json.get("signed").and_then(Json::as_map).ok_or_else(|| wrong("signed"))? {
            let id = id.as_str().and_then(|id| id.parse().ok());
            signed.insert(prev.parse().map_err(|_| wrong("signed"))?, id.ok_or_else(|| wrong("signed"))?);
        }
        let mut closed = BTreeMap::new();
        for (link, orders) in json.get("closed").and_then(Json::as_map).into_iter().flatten() {
            let orders = orders.as_str().and_then(|id| id.parse().ok());
            // Once they were kept by the number of the link.
            let numbered = || link.parse().ok().and_then(|index| secret.chain(&role, links).link(index));
            let link = link.parse().ok().or_else(numbered).ok_or_else(|| wrong("closed"))?;
            closed.insert(link, orders.ok_or_else(|| wrong("closed"))?);
        }
        let mut earlier = Vec::new();
        for secret in json.get("earlier").and_then(Json::as_list).unwrap_or_default() {
            earlier.push(secret.as_str().and_then(GameSecret::parse).ok_or_else(|| wrong("earlier"))?);
        }
        let mut older = BTreeMap::new();
        for (name, salt) in json.get("older").and_then(Json::as_map).into_iter().flatten() {
            let salt = salt.as_str().and_then(|salt| salt.parse().ok());
            older.insert(name.clone(), salt.ok_or_else(|| wrong("older"))?);
        }
        let next = text("next").and_then(GameSecret::parse);
        let mut deposits = BTreeMap::new();
        for (role, left) in json.get("deposits").and_then(Json::as_map).into_iter().flatten() {
            let index = left.get("index").and_then(Json::as_int).and_then(|n| u32::try_from(n).ok());
            let link = left.get("link").and_then(Json::as_str).and_then(|link| link.parse().ok());
            let (Ok(role), Some(left)) = (role.parse(), index.zip(link)) else { return Err(wrong("deposits")) };
            deposits.insert(role, left);
        }
        let mut entrusted = Vec::new();
        for opening in json.get("entrusted").and_then(Json::as_list).unwrap_or_default() {
            let role = opening.get("by").and_then(Json::as_str).and_then(|role| role.parse().ok());
            let reveal = opening.get("opening").and_then(Reveal::from_json);
            entrusted.push(role.zip(reveal).ok_or_else(|| wrong("entrusted"))?);
        }
        let reached = json.get("reached").and_then(Json::as_int).and_then(|n| u32::try_from(n).ok());
        let last = text("last").and_then(|record| Record::read(record.as_bytes()).ok());
        let file = GameFile::in_memory(game, role, secret, links);
        Ok(GameFile { values, entrusted, signed, closed, last, reached, earlier, older, next, deposits, ..file })
    }

    /// The secrets as they are written.
    pub fn to_json(&self) -> Json {
        let signed = self.signed.iter().map(|(prev, id)| (prev.to_string(), Json::from(id.to_string())));
        let mut json = Json::object([
            ("game", Json::from(self.game.to_string())),
            ("role", Json::from(self.role.as_str())),
            ("secret", Json::from(self.secret.text().as_str())),
            ("links", Json::from(self.links)),
            ("values", Json::Map(self.values.clone())),
            ("signed", Json::Map(signed.collect())),
        ]);
        if let (Some(members), false) = (json.as_map_mut(), self.entrusted.is_empty()) {
            let opening = |(role, reveal): &(Role, Reveal)| {
                Json::object([("by", Json::from(role.as_str())), ("opening", reveal.to_json())])
            };
            members.insert("entrusted".to_owned(), Json::List(self.entrusted.iter().map(opening).collect()));
        }
        if let (Some(members), false) = (json.as_map_mut(), self.closed.is_empty()) {
            let closed = self.closed.iter().map(|(link, orders)| (link.to_string(), Json::from(orders.to_string())));
            members.insert("closed".to_owned(), Json::Map(closed.collect()));
        }
        if let (Some(members), false) = (json.as_map_mut(), self.earlier.is_empty()) {
            let earlier = self.earlier.iter().map(|secret| Json::from(secret.text().as_str()));
            members.insert("earlier".to_owned(), Json::List(earlier.collect()));
            let older = self.older.iter().map(|(name, salt)| (name.clone(), Json::from(salt.to_string())));
            members.insert("older".to_owned(), Json::Map(older.collect()));
        }
        if let (Some(members), false) = (json.as_map_mut(), self.deposits.is_empty()) {
            let left = self.deposits.iter().map(|(role, (index, link))| {
                let left = Json::object([("index", Json::from(*index)), ("link", Json::from(link.to_string()))]);
                (role.to_string(), left)
            });
            members.insert("deposits".to_owned(), Json::Map(left.collect()));
        }
        if let (Some(members), Some(next)) = (json.as_map_mut(), &self.next) {
            members.insert("next".to_owned(), Json::from(next.text().as_str()));
        }
        if let (Some(members), Some(reached)) = (json.as_map_mut(), self.reached) {
            members.insert("reached".to_owned(), Json::from(reached));
        }
        if let (Some(members), Some(last)) = (json.as_map_mut(), &self.last) {
            members.insert("last".to_owned(), Json::from(last.to_json().to_string()));
        }
        json
    }

    pub(super) fn save(&self) -> Result<(), FileTrouble> {
        let Some(path) = &self.path else { return Ok(()) };
        let head = [
            HEADS[1],
            "`signed` remembers what you signed after which record, so that nothing is signed twice;",
            "`closed` for which orders you opened each link of your chain.",
            "`last` is the last order or answer you signed, in case it did not reach the ledger, `reached` the furthest place.",
            "`earlier` are the secrets of chains before this one, `older` what they salted, `next` one that is moved.",
        ];
        write_secret(path, &head, self.to_json())
    }
}

pub(super) fn read_secret(path: &Path) -> Result<Json, FileTrouble> {
    let bytes = Zeroizing::new(fs::read(path).map_err(|e| FileTrouble::new(path, e))?);
    yaml::read_own(&bytes).map_err(|e| FileTrouble::new(path, e))
}

pub(super) fn write_secret(path: &Path, head: &[&str], mut json: Json) -> Result<(), FileTrouble> {
    let head: Vec<String> = head.iter().map(|line| (*line).to_owned()).collect();
    let text = Zeroizing::new(yaml::write(&head, &json));
    wipe(&mut json);
    write_whole(path, text.as_bytes(), Readers::OwnerOnly)
}

/// Overwrites every text in a value that held secrets.
pub(super) fn wipe(json: &mut Json) {
    match json {
        Json::Str(text) => text.zeroize(),
        Json::List(items) => items.iter_mut().for_each(wipe),
        Json::Map(members) => members.values_mut().for_each(wipe),
        Json::Bool(_) | Json::Int(_) => {}
    }
}
