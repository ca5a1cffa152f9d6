//! New keys, new chains, new holders of a seat: what changes hands, and what is sealed anew.

use std::collections::BTreeMap;

use super::bytes::{Id, Sig};
use super::data::Hide;
use super::home::{GameFile, Sealed};
use super::key::PrivateKey;
use super::ledger::{Ledger, LedgerTrouble, Pen};
use super::motion::{Called, Kept, Motion, Rekey, Upgrade, What, rekey_proof};
use super::record::Record;
use super::replay::rules_hash;
use super::role::Role;
use super::seals::is_in_state;
use super::seat::Seat;
use super::secret::{GameSecret, commitment};
use crate::engine::Slot;
use crate::engine::json::{Json, from_json, to_json};
use serde::{Deserialize, Serialize};

/// What the new holder of a seat asks to be signed: by the old key, by a game master or by a director.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The game.
    pub game: Id,
    /// The seat.
    pub role: Role,
    /// The record after which it counts.
    pub prev: Id,
    /// The new key.
    pub key: Id,
    /// Its signature for itself.
    pub proof: Sig,
    /// Link 0 of the new chain.
    pub anchor: Option<Id>,
    /// A new recovery key.
    pub recovery: Option<Id>,
    /// Whether what was sealed before is lost.
    pub lost: Option<bool>,
    /// Everything sealed anew.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hide: Vec<Hide>,
}

impl Request {
    /// As it is written.
    pub fn to_json(&self) -> Result<Json, LedgerTrouble> {
        to_json(self).map_err(|error| LedgerTrouble::Refused(error.to_string()))
    }

    /// Reads one.
    pub fn from_json(json: &Json) -> Result<Request, String> {
        from_json(json)
    }

    fn motion(&self, called: Option<Called>) -> Motion {
        let rekey = Rekey {
            role: self.role.clone(),
            key: self.key,
            proof: self.proof,
            anchor: self.anchor,
            recovery: self.recovery,
            lost: self.lost == Some(true),
            called,
        };
        Motion { hide: self.hide.clone(), ..Motion::new(What::Rekey(Box::new(rekey))) }
    }
}

/// Values of one's own that the secrets do not hold, by slot.
pub type Told = BTreeMap<String, Json>;

impl Ledger {
    /// Everything a role has sealed and that counts: what the position names, standing orders, tickets not yet spent.
    fn in_hand(&self, role: &Role) -> Vec<(Slot, u32)> {
        let (protocol, at) = (self.protocol(), self.protocol().moment());
        let table = self.replay().table();
        let named: Vec<Slot> = table
            .slots(self.replay().base())
            .into_iter()
            .filter(|(side, _)| side.as_str() == role.as_str())
            .map(|(_, slot)| slot)
            .collect();
        let spent: Vec<&Slot> = protocol.secret_rolls().iter().filter(|r| r.by == *role).map(|r| &r.ticket).collect();
        let counts = |slot: &Slot| match is_in_state(slot) {
            true => named.contains(slot),
            false => slot.as_str().starts_with("standing/") || slot.is_ticket() && !spent.contains(&slot),
        };
        let mine = protocol.seals().all_in_force(at).filter(|(owner, slot, _)| *owner == role && counts(slot));
        mine.map(|(_, slot, sealing)| (slot.clone(), sealing.version)).collect()
    }

    /// Seals everything in hand anew with other secrets, the same contents.
    fn sealed_anew(
        &self,
        file: &GameFile,
        secret: &GameSecret,
        told: &Told,
    ) -> Result<(Vec<Hide>, Vec<Sealed>), LedgerTrouble> {
        let (role, game, seals) = (file.role(), file.game(), self.protocol().seals());
        let (mut hides, mut values, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        for (slot, version) in self.in_hand(role) {
            let standing = || slot.as_str().starts_with("standing/").then(|| Json::object([("policy", "default")]));
            let ticket = || slot.is_ticket().then(Json::map);
            let known = file.value(&slot, version).or_else(|| told.get(slot.as_str())).cloned();
            let Some(value) = known.or_else(standing).or_else(ticket) else {
                missing.push(slot.to_string());
                continue;
            };
            let next = seals.next_version(role, &slot);
            let salt = secret.hide().salt(&slot, next);
            let commit = commitment(&game, role, &slot, next, &salt, &value);
            hides.push(Hide { slot: slot.clone(), version: next, commit });
            values.push((slot, next, value));
        }
        match missing.is_empty() {
            true => Ok((hides, values)),
            false => Err(LedgerTrouble::Refused(format!(
                "your secrets do not say what lies in {}; write it into a file, SLOT: VALUE, and name it with --values",
                missing.join(", ")
            ))),
        }
    }

    /// What lies face down where nothing is sealed: only the rules that played the records before can tell.
    pub fn face_down(&self) -> Vec<Kept> {
        if self.protocol().seals_values() || !self.replay().is_awake() {
            return Vec::new();
        }
        let one = |((side, slot), value): ((crate::engine::Side, Slot), Json)| {
            Some(Kept { by: side.as_str().parse().ok()?, slot: slot.to_string(), value })
        };
        self.replay().kept_in_position().0.into_iter().filter_map(one).collect()
    }

    /// The upgrade to the version of the rules at this table, from the public position in force and what the version before has
    /// noted of what lies face down in it.
    pub fn upgrade(&self, position: &Json, noted: &[Kept]) -> Result<Motion, LedgerTrouble> {
        let table = self.replay().table();
        let state = table.read_state(position).map_err(|flaws| {
            LedgerTrouble::Refused(format!("these rules cannot read the position: {}", flaws.join("; ")))
        })?;
        let kept = match (self.protocol().seals_values(), self.replay().is_awake()) {
            (true, _) => Vec::new(),
            (false, true) => self.face_down(),
            (false, false) => noted.to_vec(),
        };
        let known =
            |side: &str, slot: &Slot| kept.iter().any(|one| one.by.as_str() == side && one.slot == slot.as_str());
        let slots = table.slots(&state);
        let unknown = slots.iter().find(|(side, slot)| !self.protocol().seals_values() && !known(side.as_str(), slot));
        if let Some((_, slot)) = unknown {
            return Err(LedgerTrouble::Refused(format!(
                "these rules cannot know what lies face down in {slot}: put the garcia or the data back that the game was \
                 played with, type `garcia receive`, which notes it, and then take the new ones again"
            )));
        }
        let state = self.replay().hash(&state).map_err(LedgerTrouble::at(self.protocol().next()))?;
        Ok(Motion::new(What::Upgrade(Box::new(Upgrade {
            engine: table.ruleset().engine(),
            rules_sha256: rules_hash(table),
            position: position.clone(),
            state,
            kept,
        }))))
    }
}

impl Seat {
    /// Moves to begin a new chain of links, and seals everything anew with the secret behind it.
    pub fn move_reanchor(&mut self, lost: bool, told: &Told) -> Result<Record, LedgerTrouble> {
        let (ledger, mut pen) = self.with_pen();
        let role = pen.file.role().clone();
        let next = pen.file.next_secret()?;
        let anchor = next.chain(&role, pen.file.links()).anchor();
        let (hide, sealed) = match ledger.protocol().seals_values() && role != Role::gm() {
            true => ledger.sealed_anew(pen.file, &next, told)?,
            false => Default::default(),
        };
        let motion = Motion { hide, ..Motion::new(What::Reanchor { anchor, lost }) };
        let record = ledger.propose(motion, &sealed, &mut pen)?;
        self.turn_chain()?;
        Ok(record)
    }

    /// What the holder of this home asks to be signed, so that the seat is his.
    pub fn request(&mut self, recovery: Option<Id>, lost: bool, told: &Told) -> Result<Request, LedgerTrouble> {
        let (ledger, pen) = self.with_pen();
        let (role, protocol) = (pen.file.role().clone(), ledger.protocol());
        let Some(game) = protocol.game() else { return Err(LedgerTrouble::NotDue("there is no game".to_owned())) };
        let (prev, key) = (protocol.head(), pen.key.public());
        let proof = pen.key.sign(&rekey_proof(&game, &role, &key, &prev));
        let chained = protocol.signatories().get(&role).is_some_and(|seat| seat.tip.is_some());
        let edge = protocol.at_edge() || lost;
        let (mut anchor, mut hide) = (None, Vec::new());
        if edge && (chained || protocol.seals_values()) {
            let next = pen.file.next_secret()?;
            anchor = chained.then(|| next.chain(&role, pen.file.links()).anchor());
            if protocol.seals_values() && role != Role::gm() {
                let (hides, sealed) = ledger.sealed_anew(pen.file, &next, told)?;
                pen.file.keep_values(&sealed)?;
                hide = hides;
            }
        }
        Ok(Request { game, role, prev, key, proof, anchor, recovery, lost: lost.then_some(true), hide })
    }

    /// Signs a request with the seat's recovery key, which whoever holds it has typed in.
    pub fn recover(&mut self, request: &Request, recovery: &PrivateKey) -> Result<Record, LedgerTrouble> {
        let seat = self.ledger().protocol().signatories().get(&request.role);
        if seat.and_then(|seat| seat.recovery) != Some(recovery.public()) {
            return Err(LedgerTrouble::Refused(format!("this is not the recovery key of {}", request.role)));
        }
        let (ledger, pen) = self.with_pen();
        let mut pen = Pen { key: recovery, file: pen.file };
        let record = ledger.propose(request.motion(None), &[], &mut pen)?;
        self.turn_chain()?;
        Ok(record)
    }

    /// Signs a request of somebody else's: as the holder of the old key, as game master, or as director with a notice.
    pub fn grant(&mut self, request: &Request, notice: Option<Json>) -> Result<Record, LedgerTrouble> {
        if request.prev != self.ledger().protocol().head() {
            let what = "the request was made for another moment: the ledger has gone on since, or is not so far yet";
            return Err(LedgerTrouble::NotDue(what.to_owned()));
        }
        let called = notice.map(|notice| Called { role: request.role.clone(), notice });
        self.propose(request.motion(called))
    }

    /// Goes over to the next chain once it is in force.
    pub(super) fn turn_chain(&mut self) -> Result<(), LedgerTrouble> {
        let (ledger, pen) = self.with_pen();
        let role = pen.file.role().clone();
        let Some(next) = pen.file.waiting_secret() else { return Ok(()) };
        let anchor = next.chain(&role, pen.file.links()).anchor();
        let key = pen.key.public();
        let began = ledger.protocol().moved().iter().rev().filter(|moved| moved.in_force()).find_map(|moved| {
            let ours = match &moved.motion.what {
                What::Reanchor { anchor: new, .. } => moved.by == role && *new == anchor,
                What::Rekey(rekey) if rekey.role == role => match rekey.anchor {
                    Some(new) => new == anchor,
                    None => rekey.key == key && !moved.motion.hide.is_empty(),
                },
                _ => false,
            };
            ours.then(|| (moved.seq, moved.motion.is_lost()))
        });
        let Some((seq, lost)) = began else { return Ok(()) };
        let sealed: Vec<(Slot, u32)> = ledger
            .protocol()
            .seals()
            .of_role(&role)
            .filter(|(_, sealing)| sealing.seq < seq)
            .map(|(slot, sealing)| (slot.clone(), sealing.version))
            .collect();
        pen.file.begin_chain(sealed.into_iter(), lost)?;
        self.look_again();
        Ok(())
    }

    /// The salts of everything sealed with earlier secrets follow from the ledger, if they are not noted.
    pub(super) fn note_older(&mut self) {
        let (ledger, pen) = self.with_pen();
        let role = pen.file.role().clone();
        let eras = ledger.protocol().eras(&role);
        let lost = eras.iter().rposition(|era| era.lost);
        let starts: Vec<u32> = match lost {
            Some(at) => eras.iter().skip(at).map(|era| era.seq).collect(),
            None => std::iter::once(0).chain(eras.iter().map(|era| era.seq)).collect(),
        };
        let secrets: Vec<_> = pen.file.earlier().iter().map(GameSecret::hide).collect();
        let older = ledger.protocol().seals().of_role(&role).filter_map(|(slot, sealing)| {
            let era = starts.iter().rposition(|start| *start <= sealing.seq)?;
            let salt = secrets.get(era)?.salt(slot, sealing.version);
            Some((format!("{slot}/{}", sealing.version), salt))
        });
        let older: BTreeMap<String, Id> = older.collect();
        if !older.is_empty() {
            pen.file.note_older(older);
            self.look_again();
        }
    }

    /// How many of one's own sealed values the secrets hold and fit, and which they lack, by slot and version.
    pub fn held_values(&self) -> (usize, Vec<String>) {
        let (role, vision) = (self.role(), self.vision());
        let Some(game) = self.ledger().protocol().game() else { return (0, Vec::new()) };
        let (mut fit, mut lost) = (0, Vec::new());
        for (slot, sealing) in self.ledger().protocol().seals().of_role(role) {
            let version = sealing.version;
            let held = vision.get(role, slot, version).zip(vision.salt(role, slot, version));
            match held
                .is_some_and(|(value, salt)| commitment(&game, role, slot, version, &salt, value) == sealing.commit)
            {
                true => fit += 1,
                false => lost.push(format!("{slot}/{version}")),
            }
        }
        (fit, lost)
    }

    /// The secrets of this seat.
    pub fn secrets(&self) -> &GameFile {
        self.file()
    }

    /// Whether this home's key is the one the ledger knows for the seat.
    pub fn holds_the_seat(&self) -> bool {
        let seat = self.ledger().protocol().signatories().get(self.role());
        seat.is_none_or(|seat| seat.key == self.fingerprint())
    }

    /// Moves to go on with the version of the rules at this table.
    pub fn move_upgrade(&mut self, position: &Json, noted: &[Kept]) -> Result<Record, LedgerTrouble> {
        let motion = self.ledger().upgrade(position, noted)?;
        self.propose(motion)
    }
}

/// Everything a player hands to whoever goes on in his place: his secrets of the game, and the records.
pub struct Bundle {
    /// The secrets.
    pub file: GameFile,
    /// The ledger.
    pub records: Vec<Record>,
}

impl Bundle {
    /// As it is written; whoever reads it can play this seat.
    pub fn to_json(file: &GameFile, records: &[Record]) -> Json {
        let records = records.iter().map(|record| Json::from(record.to_json().to_string()));
        Json::object([("records", Json::List(records.collect())), ("secrets", file.to_json())])
    }

    /// Reads a bundle and checks every value in it against its commitment.
    pub fn read(json: &Json) -> Result<Bundle, String> {
        let texts = json.get("records").and_then(Json::as_list).ok_or("there are no `records` in it")?;
        let record = |text: &Json| text.as_str().and_then(|text| Record::read(text.as_bytes()).ok());
        let records: Option<Vec<Record>> = texts.iter().map(record).collect();
        let records = records.ok_or("a record in it cannot be read")?;
        let file = GameFile::from_json(json.get("secrets").ok_or("there are no `secrets` in it")?)?;
        if records.first().map(Record::id) != Some(file.game()) {
            return Err("its secrets are of another game than its records".to_owned());
        }
        Ok(Bundle { file, records })
    }
}
