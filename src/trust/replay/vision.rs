//! What a view knows of hidden things.

use std::collections::BTreeMap;

use super::{Check, bug};
use crate::engine::json::Json;
use crate::engine::{Opening, Slot};
use crate::trust::bytes::Id;
use crate::trust::data::Reveal;
use crate::trust::finding::{Code, Finding};
use crate::trust::home::GameFile;
use crate::trust::protocol::Protocol;
use crate::trust::role::Role;
use crate::trust::secret::HideSecret;

/// Hidden values a view holds beyond what the ledger shows: the public none, a player his own, after the audits all.
#[derive(Clone, Default)]
pub struct Vision {
    values: BTreeMap<(Role, Slot, u32), Json>,
    pub(super) salts: BTreeMap<Role, HideSecret>,
    /// Salts of single values: what a player has entrusted to the game master, what an audit opened, and what was sealed
    /// before a new chain began.
    single: BTreeMap<(Role, Slot, u32), Id>,
}

impl Vision {
    /// What everybody sees.
    pub fn public() -> Vision {
        Vision::default()
    }

    /// What a player sees: what everybody does, and what he sealed himself.
    pub fn of(file: &GameFile) -> Vision {
        let mut vision = Vision::public();
        vision.add_salts(file.role(), file.secret().hide());
        for (role, reveal) in file.entrusted() {
            vision.single.insert((role.clone(), reveal.slot.clone(), reveal.version), reveal.salt);
            vision.add(role, &reveal.slot, reveal.version, reveal.value.clone());
        }
        for (name, value) in file.values() {
            if let Some((slot, version)) = slot_and_version(name) {
                vision.add(file.role(), &slot, version, value.clone());
            }
        }
        for (name, salt) in file.older_salts() {
            if let Some((slot, version)) = slot_and_version(name) {
                vision.single.insert((file.role().clone(), slot, version), *salt);
            }
        }
        vision
    }

    /// Adds a value.
    pub fn add(&mut self, role: &Role, slot: &Slot, version: u32, value: Json) {
        self.values.insert((role.clone(), slot.clone(), version), value);
    }

    /// Adds the secret behind the salts of a role, without which its commitments cannot be opened.
    pub fn add_salts(&mut self, role: &Role, hide: HideSecret) {
        self.salts.insert(role.clone(), hide);
    }

    /// Whether these are the eyes of a role.
    pub fn is_of(&self, role: &Role) -> bool {
        self.salts.contains_key(role)
    }

    /// The value of one version of a slot, if this view holds it.
    pub fn get(&self, role: &Role, slot: &Slot, version: u32) -> Option<&Json> {
        self.values.get(&(role.clone(), slot.clone(), version))
    }

    /// Opens what this view can open.
    pub fn reveal(&self, opening: Opening) -> Check<Reveal> {
        let Opening { owner, slot, version, value } = opening;
        // What is committed of a ticket is its salt alone; the faces follow from it.
        let value = if slot.is_ticket() { Json::map() } else { value };
        let owner: Role = owner.as_str().parse().map_err(|_| bug("a side that cannot be a role"))?;
        let cannot = || Finding::new(Code::NoReveal, "cannot be opened here").about(&slot);
        let salt = self.salt(&owner, &slot, version).ok_or_else(cannot)?;
        // What is one's own needs no name.
        let by = (!self.salts.contains_key(&owner)).then_some(owner);
        Ok(Reveal { slot, version, salt, value, by })
    }

    /// Everything the audits of a ledger opened.
    pub fn after_audits(protocol: &Protocol) -> Vision {
        let mut vision = Vision::public();
        vision.see_audits(protocol);
        vision
    }

    /// Adds what the audits of a ledger opened, as far as they are in.
    pub fn see_audits(&mut self, protocol: &Protocol) {
        for (role, audit) in protocol.audits() {
            for ((slot, version), (salt, value)) in &audit.values {
                self.single.insert((role.clone(), slot.clone(), *version), *salt);
                self.add(role, slot, *version, value.clone());
            }
        }
    }

    /// The salt of one version of a slot, if this view can open it.
    pub fn salt(&self, role: &Role, slot: &Slot, version: u32) -> Option<Id> {
        let single = self.single.get(&(role.clone(), slot.clone(), version)).copied();
        single.or_else(|| self.salts.get(role).map(|hide| hide.salt(slot, version)))
    }
}

/// `s-0101/2` is version 2 of the slot `s-0101`.
fn slot_and_version(name: &str) -> Option<(Slot, u32)> {
    let (slot, version) = name.rsplit_once('/')?;
    Some((Slot::parse(slot).ok()?, version.parse().ok()?))
}
