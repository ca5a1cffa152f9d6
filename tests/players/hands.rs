//! The keys and secrets of two players in hands that sign anything: a match goes on from any record as a liar would have it.

use std::collections::BTreeMap;

use garcia::engine::json::Json;
use garcia::engine::submission::Submission;
use garcia::engine::{Side, Slot};
use garcia::trust::Role;
use garcia::trust::data::Reveal;
use garcia::trust::home::GameFile;
use garcia::trust::key::PrivateKey;
use garcia::trust::ledger::{Ledger, LedgerTrouble, Pen};
use garcia::trust::motion::{Motion, Outcome, What};
use garcia::trust::record::Record;
use garcia::trust::replay::Vision;
use garcia::trust::seat::Awaited;

use super::{Pair, home, lay};

/// Both players' keys, and their secrets as if nothing had been signed with them.
pub struct Hands {
    keys: BTreeMap<Role, PrivateKey>,
    files: BTreeMap<Role, GameFile>,
}

impl Hands {
    pub fn of(pair: &Pair) -> Hands {
        let game = pair.records()[0].id();
        let (mut keys, mut files) = (BTreeMap::new(), BTreeMap::new());
        for (seat, folder) in pair.seats.iter().zip(&pair.homes) {
            let who = seat.role().clone();
            keys.insert(who.clone(), home(folder).identity().expect("a key"));
            files.insert(who.clone(), home(folder).game(&game, &who).expect("secrets").before_signing());
        }
        Hands { keys, files }
    }

    /// What a player knows.
    pub fn eyes(&self, who: &Role) -> Vision {
        Vision::of(&self.files[who])
    }

    /// The same records up to one that its author signs otherwise.
    pub fn forged(&self, records: &[Record], at: usize, change: impl FnOnce(&mut Json)) -> Vec<Record> {
        let mut body = records[at].body().clone();
        change(&mut body.data);
        let mut all = records[..at].to_vec();
        let key = &self.keys[&body.by];
        all.push(Record::sign(body, key).expect("signed"));
        all
    }

    /// The record that is due after some others, made with these eyes; nobody is held to what he has signed before.
    pub fn next(
        &mut self,
        records: &[Record],
        eyes: impl FnOnce(&Role, &GameFile) -> Vision,
        say: &mut dyn FnMut(&Ledger, Side) -> Submission,
    ) -> Option<Record> {
        self.try_next(records, eyes, say).map(|made| made.unwrap_or_else(|trouble| panic!("{trouble}")))
    }

    /// The same where the eyes may see what the program does not sign.
    pub fn try_next(
        &mut self,
        records: &[Record],
        eyes: impl FnOnce(&Role, &GameFile) -> Vision,
        say: &mut dyn FnMut(&Ledger, Side) -> Submission,
    ) -> Option<Result<Record, LedgerTrouble>> {
        let ledger = Ledger::read(records.to_vec(), lay, Vision::public()).expect("good so far");
        let who = ledger.awaited().who()?.clone();
        let mut file = self.files.remove(&who).expect("secrets");
        let mut ledger = ledger.seen_by(eyes(&who, &file));
        let mut pen = Pen { key: &self.keys[&who], file: &mut file };
        let made = match ledger.awaited() {
            Awaited::Result(_) => ledger.close(&mut pen),
            Awaited::Call(_) => ledger.call(&mut pen),
            Awaited::Facts(_) => ledger.state_facts(&mut pen),
            Awaited::Audit(_) => ledger.audit(&mut pen),
            _ => {
                let side = ledger.to_speak().expect("somebody");
                let said = say(&ledger, side);
                ledger.submit(&said, &mut pen)
            }
        };
        self.files.insert(who, file);
        Some(made)
    }

    /// The secrets of a player.
    pub fn file(&self, who: &Role) -> &GameFile {
        &self.files[who]
    }

    /// Whoever is due gives the game up, and both open what they sealed.
    pub fn give_up(&mut self, mut records: Vec<Record>) -> Vec<Record> {
        let mut ledger = Ledger::read(records.clone(), lay, Vision::public()).expect("good so far");
        let who = &ledger.awaited().who().expect("somebody is due").clone();
        let mut file = self.files.remove(who).expect("secrets");
        let motion = Motion::new(What::End(Outcome::Resigns(who.clone())));
        let record = ledger.propose(motion, &[], &mut Pen { key: &self.keys[who], file: &mut file });
        self.files.insert(who.clone(), file);
        records.push(record.unwrap_or_else(|trouble| panic!("{trouble}")));
        while let Some(record) =
            self.next(&records, |_, file| Vision::of(file), &mut |_, _| panic!("nobody decides any more"))
        {
            records.push(record);
        }
        records
    }
}

/// The eyes of a player whose program believes in another salt of his first ticket: the roll on it comes out otherwise.
pub fn believing(file: &GameFile, number: u32) -> Vision {
    let mut liar = GameFile::from_json(&file.to_json()).expect("a copy");
    let salt = format!("{number:064x}").parse().expect("a salt");
    let reveal = Reveal { slot: Slot::ticket(1), version: 1, salt, value: Json::map(), by: None };
    liar.entrust(file.role(), vec![reveal]).expect("kept");
    Vision::of(&liar)
}
