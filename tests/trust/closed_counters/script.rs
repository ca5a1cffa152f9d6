//! A short match to a script, by which a liar's program can be followed to his audit: the Americans land their base, leave
//! it alone on the second turn, and Spanish cavalry rides into it.

use std::collections::BTreeMap;

use garcia::engine::doc::{DocPath, Reader, read_document};
use garcia::engine::json::Json;
use garcia::engine::submission::Submission;
use garcia::engine::{Charter, Side, Slot, View};
use garcia::games;
use garcia::trust::home::GameFile;
use garcia::trust::ledger::{Ledger, Pen};
use garcia::trust::record::{Body, Record, RecordKind};
use garcia::trust::replay::Vision;
use garcia::trust::seat::Awaited;
use garcia::trust::secret::commitment;
use garcia::trust::{Role, key::PrivateKey};

use super::{GAME, SPAIN};
use crate::players::{Pair, check, home, lay, role};

/// What is written by packet and turn, in place of the usual.
pub type Words<'w> = &'w [(&'w str, u32, &'w str)];

const USUAL: Words<'static> = &[
    (
        "spanish-setup",
        1,
        "{place: {sp-1-cav: '0523', sp-1-tg: '0721'}, modes: {sp-1-tg: guerrilla}, columns: [
            {at: '0722', holds: [sp-4-t]}, {at: '1010', holds: [sp-1-ppr, sp-1-11-sf]}, {at: '0806', holds: [sp-1-5-ra]},
            {at: '0824', holds: dummy}, {at: '1509', holds: dummy}]}",
    ),
    ("cuban-setup", 1, "{}"),
    (
        "us-turn",
        1,
        "{land: [{units: [us-6-inf, us-sd], at: '0522'}, {holds: [us-16-inf], at: '0522'}, {base: yes, at: '0522'}]}",
    ),
    ("us-turn", 2, "{moves: [{units: [us-6-inf], path: ['0622']}, {units: [us-b1], path: ['0622']}]}"),
    ("spanish-turn", 1, "{}"),
    ("spanish-turn", 2, "{moves: [{units: [sp-1-cav], path: ['0522']}]}"),
];

/// Both players with their keys and secrets, and the records so far.
pub struct Scene {
    keys: BTreeMap<Role, PrivateKey>,
    files: BTreeMap<Role, GameFile>,
    pub records: Vec<Record>,
    /// Whose program looks at none of his own values.
    pub liar: Option<Role>,
    /// What the liar will open at the audit in place of what he sealed, by slot.
    lies: BTreeMap<String, Json>,
    _homes: [tempfile::TempDir; 2],
}

impl Scene {
    pub fn begin(seed: &str) -> Scene {
        let pair = Pair::begin(games::find(GAME).expect("a game"), &Charter::default(), false, None, seed);
        let records = pair.records().to_vec();
        let (mut keys, mut files) = (BTreeMap::new(), BTreeMap::new());
        for (seat, folder) in pair.seats.iter().zip(&pair.homes) {
            let who = seat.role().clone();
            let file = home(folder).game(&records[0].id(), &who).expect("secrets").before_signing();
            keys.insert(who.clone(), home(folder).identity().expect("a key"));
            files.insert(who, file);
        }
        Scene { keys, files, records, liar: None, lies: BTreeMap::new(), _homes: pair.homes }
    }

    fn vision_of(&self, who: &Role) -> Vision {
        if self.liar.as_ref() != Some(who) {
            return Vision::of(&self.files[who]);
        }
        let mut vision = Vision::public();
        vision.add_salts(who, self.files[who].secret().hide());
        vision
    }

    /// Whatever is due is done, to these words. Nothing if the liar's program would have to show what it does not know.
    pub fn step(&mut self, words: Words<'_>) -> Option<()> {
        let ledger = Ledger::read(self.records.clone(), lay, Vision::public()).expect("good so far");
        let who = ledger.awaited().who()?.clone();
        let mut ledger = Ledger::read(self.records.clone(), lay, self.vision_of(&who)).expect("good so far");
        let mut file = self.files.remove(&who).expect("secrets");
        let mut pen = Pen { key: &self.keys[&who], file: &mut file };
        let record = match ledger.awaited() {
            Awaited::Result(_) => ledger.close(&mut pen).ok(),
            Awaited::Call(_) => ledger.call(&mut pen).ok(),
            Awaited::Facts(_) => ledger.state_facts(&mut pen).ok(),
            Awaited::Audit(_) if self.liar.as_ref() == Some(&who) => Some(self.false_audit(&ledger, &who, &mut pen)),
            Awaited::Audit(_) => ledger.audit(&mut pen).ok(),
            _ => {
                let side = ledger.to_speak().expect("somebody");
                let said = said(&ledger, side, words, self.liar.as_ref() != Some(&who));
                Some(ledger.submit(&said, &mut pen).unwrap_or_else(|trouble| panic!("{trouble}")))
            }
        };
        self.files.insert(who, file);
        self.records.push(record?);
        Some(())
    }

    /// Goes on until some records are enough, or to the last audit.
    pub fn play(&mut self, words: Words<'_>, enough: impl Fn(&[Record]) -> bool) -> Option<()> {
        while !enough(&self.records) {
            let ledger = Ledger::read(self.records.clone(), lay, Vision::public()).expect("good so far");
            if ledger.awaited().who().is_none() {
                return Some(());
            }
            self.step(words)?;
        }
        Some(())
    }

    /// An audit that opens what the lies say, and all else as it was sealed.
    fn false_audit(&self, ledger: &Ledger, who: &Role, pen: &mut Pen<'_>) -> Record {
        let protocol = ledger.protocol();
        let truth = pen.file.values().clone();
        let value = |name: &String| self.lies.get(name).or_else(|| truth.get(name)).cloned();
        let slots = protocol.seals().of_role(who).map(|(slot, sealing)| format!("{slot}/{}", sealing.version));
        let values = slots.map(|name| (name.clone(), value(&name).unwrap_or_else(|| panic!("{name}")))).collect();
        let data = Json::object([
            ("hide_secret", Json::from(pen.file.secret().hide().0.to_string())),
            ("values", Json::Map(values)),
            ("secret_rolls", Json::List(vec![])),
        ]);
        let (game, prev, seq) = (protocol.game(), protocol.head(), protocol.next());
        let body = Body { by: who.clone(), data, game, kind: RecordKind::Audit, prev, seq };
        Record::sign(body, pen.key).expect("signed")
    }

    /// Signs the last record anew after a change, by the same hand.
    pub fn forge(&mut self, change: impl FnOnce(&mut Json)) {
        let mut body = self.records.pop().expect("a record").body().clone();
        change(&mut body.data);
        let key = &self.keys[&body.by];
        self.records.push(Record::sign(body, key).expect("signed"));
    }

    /// The author of the last record commits a slot to another value, and his program closes its eyes from now on.
    pub fn seal_otherwise(&mut self, slot: &str, value: Json) {
        let who = self.records.last().expect("a record").body().by.clone();
        let (game, name) = (self.records[0].id(), Slot::parse(slot).expect("a slot"));
        let salt = self.files[&who].secret().hide().salt(&name, 1);
        let commit = commitment(&game, &who, &name, 1, &salt, &value).to_string();
        self.forge(|data| {
            let Some(Json::List(hides)) = data.pointer_mut("/hide") else { panic!("nothing is sealed") };
            let hide = hides.iter_mut().find(|hide| hide.get("slot").and_then(Json::as_str) == Some(slot));
            *hide.expect("the slot").pointer_mut("/commit").expect("it") = Json::from(commit);
        });
        self.lies.insert(format!("{slot}/1"), value);
        self.liar = Some(who);
    }

    /// The last record is made again by a program that believes two contents of its player to be exchanged.
    pub fn close_believing(&mut self, one: &str, two: &str) {
        let honest = self.records.pop().expect("a record");
        let who = honest.body().by.clone();
        let mut believed = Vision::public();
        believed.add_salts(&who, self.files[&who].secret().hide());
        let values = self.files[&who].values().clone();
        for (name, value) in &values {
            let (slot, version) = name.rsplit_once('/').expect("a version");
            let other = match slot.split_once('/') {
                Some((name, turn)) if name == one => values.get(&format!("{two}/{turn}/{version}")),
                Some((name, turn)) if name == two => values.get(&format!("{one}/{turn}/{version}")),
                _ => None,
            };
            let slot = Slot::parse(slot).expect("a slot");
            believed.add(&who, &slot, version.parse().expect("a number"), other.unwrap_or(value).clone());
        }
        let mut ledger = Ledger::read(self.records.clone(), lay, believed).expect("a legal army");
        let mut file = self.files.remove(&who).expect("secrets").before_signing();
        let record = ledger.close(&mut Pen { key: &self.keys[&who], file: &mut file }).expect("closed");
        self.files.insert(who.clone(), file);
        assert_ne!(record.body().data, honest.body().data, "no lie was told");
        self.records.push(record);
        self.liar = Some(who);
    }

    /// The first record that is wrong for anybody, what is wrong with it, and whose fault it is.
    pub fn judged(&self) -> Option<(usize, &'static str, Option<Role>)> {
        let found = check(&self.records, &Vision::public()).divergence?;
        Some((found.seq as usize, found.finding.code.as_str(), found.finding.fault))
    }
}

/// What the script says for a side that is due, checked first unless his program does not care.
fn said(ledger: &Ledger, side: Side, words: Words<'_>, checked: bool) -> Submission {
    let (replay, holdings) = (ledger.replay(), ledger.holdings_of(side));
    let (table, stop) = (replay.table(), replay.stop());
    let view = View { state: replay.state(), holdings: &holdings, side: Some(side) };
    let turn = table.turn(replay.state());
    let fits = |(ask, at, _): &&(&str, u32, &str)| *ask == stop.ask() && *at == turn;
    let (.., text) = words.iter().chain(USUAL).find(fits).expect("words");
    let (node, _) = read_document("script", text.as_bytes()).expect("YAML");
    let mut reader = Reader::new(table.lexicon());
    let mut orders = table.read_orders(stop.ask(), &node, &DocPath::root(), &mut reader).expect("orders");
    assert!(reader.faults.is_empty(), "{:?}", reader.faults);
    if checked {
        let (complete, faults) = table.check(view, stop, orders, &DocPath::root());
        assert!(faults.iter().all(|fault| fault.warning), "{faults:?}");
        orders = complete;
    }
    let mut standing: BTreeMap<String, Json> =
        replay.standing_kinds(side).map(|kind| (kind.to_owned(), Json::from("default"))).collect();
    let ambush = words.iter().find(|(ask, ..)| *ask == "ambush").map_or("never", |(.., text)| text);
    if side == SPAIN && standing.contains_key("ambush") {
        standing.insert("ambush".to_owned(), Json::object([("others", Json::from(ambush))]));
    } else if standing.contains_key("ambush") {
        standing.insert("ambush".to_owned(), Json::object([("others", Json::from("never"))]));
    }
    let policies = replay.own_kinds(side).map(|kind| (kind.to_owned(), Json::from("default"))).collect();
    Submission { side, orders: Some(orders), policies, standing, answers: BTreeMap::new(), note: None }
}

/// The role of a side.
pub fn of(name: &str) -> Option<Role> {
    Some(role(name))
}
