//! A match of two that goes on from any record as somebody else would have it.

use std::collections::BTreeMap;

use garcia::engine::json::Json;
use garcia::engine::{Charter, Slot, Stop};
use garcia::games;
use garcia::trust::home::Home;
use garcia::trust::ledger::{Ledger, Pen};
use garcia::trust::record::{Body, Record, RecordKind};
use garcia::trust::replay::Vision;
use garcia::trust::{Id, Role};

use super::{Exchange, vision};
use crate::players::{Pair, home, lay, role};

/// A match of two with the Spanish player's key and secrets at hand.
pub struct Bench {
    pub pair: Pair,
    pub spain: usize,
}

impl Bench {
    pub fn until(seed: &str, enough: impl Fn(&[Record]) -> bool) -> Bench {
        let ruleset = games::find("santiago-campaign").expect("a game");
        // The dice come from fresh keys, and a match may be over before: the next one may come to it.
        for number in 0..6 {
            let mut pair = Pair::begin(ruleset, &Charter::default(), false, None, &format!("{seed} {number}"));
            let spain = pair.seats.iter().position(|seat| *seat.role() == role("spain")).expect("a seat");
            for most in 3..120 {
                if enough(pair.records()) {
                    return Bench { pair, spain };
                }
                pair.play(most);
            }
        }
        panic!("{seed}: no match came to it");
    }

    pub fn records(&self) -> &[Record] {
        self.pair.records()
    }

    pub fn home_of(&self, who: &Role) -> Home {
        home(&self.pair.homes[usize::from((*who == role("spain")) != (self.spain == 0))])
    }

    /// The ledger up to a record, which the Spanish player signs otherwise.
    pub fn forged(&self, at: usize, change: impl FnOnce(&mut Body)) -> Vec<Record> {
        let mut body = self.records()[at].body().clone();
        change(&mut body);
        let mut all = self.records()[..at].to_vec();
        all.push(Record::sign(body, &self.home_of(&role("spain")).identity().expect("a key")).expect("signed"));
        all
    }

    /// Goes on from some records with a Spanish player who believes in these values, to the end by capitulation of
    /// whoever is due, and the audits of both. His secrets are a copy: what he signed before stays signed.
    pub fn finish(&self, records: Vec<Record>, believed: &Vision, sealed: &BTreeMap<String, Json>) -> Vec<Record> {
        let mut records = records;
        let mut truth = self.values();
        truth.extend(sealed.clone());
        let spain = role("spain");
        let game = records[0].id();
        for _ in 0..12 {
            let ledger = Ledger::read(records.clone(), lay, believed.clone()).expect("good so far");
            let stop = ledger.replay().stop().clone();
            let due = ledger.awaited().who().cloned();
            let Some(who) = due else { return records };
            let key = self.home_of(&who).identity().expect("a key");
            // What a player signed on the other branch stays signed; here he has signed nothing yet.
            let mut file = match who == spain {
                true => self.copy_of(&game, &who),
                false => self.home_of(&who).game(&game, &who).expect("secrets").before_signing(),
            };
            let vision = if who == spain { believed.clone() } else { Vision::of(&file) };
            let mut ledger = Ledger::read(records.clone(), lay, vision).expect("good so far");
            let mut pen = Pen { key: &key, file: &mut file };
            let protocol = ledger.protocol();
            let record = match protocol.due() {
                garcia::trust::protocol::NextRecord::Result(_) => ledger.close(&mut pen).expect("closed"),
                garcia::trust::protocol::NextRecord::Call(_) => ledger.call(&mut pen).expect("called"),
                garcia::trust::protocol::NextRecord::Audit(_) if who == spain => {
                    let opened = |(slot, sealing): (&Slot, &garcia::trust::seals::Sealing)| {
                        let name = format!("{slot}/{}", sealing.version);
                        let value = truth.get(&name).unwrap_or_else(|| panic!("{name}")).clone();
                        (name, value)
                    };
                    let values = protocol.seals().of_role(&spain).map(opened).collect();
                    let body = Body {
                        by: spain.clone(),
                        data: Json::object([
                            ("hide_secret", Json::from(pen.file.secret().hide().0.to_string())),
                            ("values", Json::Map(values)),
                            ("secret_rolls", Json::List(vec![])),
                        ]),
                        game: protocol.game(),
                        kind: RecordKind::Audit,
                        prev: protocol.head(),
                        seq: protocol.next(),
                    };
                    Record::sign(body, &key).expect("signed")
                }
                garcia::trust::protocol::NextRecord::Audit(_) => ledger.audit(&mut pen).expect("audited"),
                _ => {
                    let orders = Json::object([("capitulate", true)]);
                    let nonce = pen.file.secret().nonce(&protocol.head()).to_string();
                    let state = ledger.replay().hash(ledger.replay().state()).expect("a hash").to_string();
                    let (kind, data) = match stop {
                        Stop::Orders { flow: garcia::engine::Flow::Plan, .. } => {
                            let empty = Json::List(vec![]);
                            let data = [
                                ("state", Json::from(state)),
                                ("orders", orders),
                                ("entries", Json::List(vec![])),
                                ("hide", empty),
                            ];
                            (RecordKind::Plan, Json::object(data))
                        }
                        _ => {
                            let data = [("nonce", Json::from(nonce)), ("state", Json::from(state)), ("orders", orders)];
                            (RecordKind::Orders, Json::object(data))
                        }
                    };
                    let body = Body {
                        by: who.clone(),
                        data,
                        game: protocol.game(),
                        kind,
                        prev: protocol.head(),
                        seq: protocol.next(),
                    };
                    Record::sign(body, &key).expect("signed")
                }
            };
            if who == spain {
                truth.extend(file.values().clone());
            }
            records.push(record);
        }
        records
    }

    /// A copy of a player's secrets that has signed nothing yet.
    pub fn copy_of(&self, game: &Id, who: &Role) -> garcia::trust::home::GameFile {
        let file = self.home_of(who).game(game, who).expect("secrets");
        garcia::trust::home::GameFile::in_memory(*game, who.clone(), file.secret().clone(), file.links())
    }

    pub fn values(&self) -> BTreeMap<String, Json> {
        let game = self.records()[0].id();
        self.home_of(&role("spain")).game(&game, &role("spain")).expect("secrets").values().clone()
    }

    pub fn vision(&self, exchange: &Exchange) -> Vision {
        let file = self.home_of(&role("spain")).game(&self.records()[0].id(), &role("spain")).expect("secrets");
        let mut vision = vision(&self.values(), exchange);
        vision.add_salts(&role("spain"), file.secret().hide());
        vision
    }
}
