//! Several records for one place: which of them stands, and what the others prove.
//!
//! A fork has one signer. Whoever is not due, or sent something ill-formed, answers for that himself; it says nothing
//! about the one whose record stands there.

use super::bytes::Id;
use super::data::Data;
use super::finding::{Code, Finding};
use super::ledger::judge;
use super::protocol::{NextRecord, Protocol};
use super::record::{Record, RecordKind};
use super::replay::Replay;
use super::role::Role;
use crate::engine::json::Json;

/// A place in the ledger: the records before it and, where they are known, the rules.
pub struct Place<'a> {
    /// The records before it.
    pub protocol: &'a Protocol,
    /// The game they lead to; none if its rules are not known here.
    pub rules: Option<&'a Replay>,
}

/// The form of a record is wrong; what comes after that is a fault in what it says.
pub fn is_form(code: Code) -> bool {
    matches!(
        code,
        Code::Armour | Code::Canon | Code::Signature | Code::Game | Code::Gap | Code::Fork | Code::Kind | Code::Schema
    )
}

impl Place<'_> {
    /// Whether a record is sound here by steps 1 to 8, a packet's kind and form as the rules know them included.
    pub fn sound(&self, record: &Record) -> Result<(), Finding> {
        let mut protocol = self.protocol.clone();
        let data = match protocol.take(record) {
            Ok(data) => data,
            Err(finding) if is_form(finding.code) => return Err(finding),
            Err(_) => return Ok(()),
        };
        let judged = matches!(data, Data::Plan(_) | Data::Orders(_) | Data::Audit(_) | Data::Motion(_));
        let Some(rules) = self.rules.filter(|_| judged) else { return Ok(()) };
        match judge(&protocol, &mut rules.clone(), record.body(), &data, None) {
            Err(finding) if is_form(finding.code) => Err(finding),
            _ => Ok(()),
        }
    }

    /// Whether nothing but the ledger is needed to know that the form of a record is right.
    fn is_settled(&self, record: &Record) -> bool {
        let call = matches!(self.protocol.due(), NextRecord::Call(_));
        let settled = match record.body().kind {
            RecordKind::Result | RecordKind::Accept | RecordKind::Decline => true,
            RecordKind::Motion => {
                let what = record.body().data.get("what").and_then(Json::as_str);
                !matches!(what, Some("ruling" | "upgrade"))
            }
            _ => call,
        };
        self.rules.is_some() || settled
    }

    /// What two records for this place prove that are both sound and not the same.
    pub fn both_sound(&self, one: &Record, other: &Record) -> Finding {
        let (by, known) = (&one.body().by, [one, other].iter().all(|record| self.is_settled(record)));
        match self.protocol.due() {
            NextRecord::Genesis => Finding::new(Code::Game, "two games that have nothing to do with each other"),
            NextRecord::Join(_) => {
                let what = "two acceptances of one offer; the one that the next record names is in";
                Finding::new(Code::Gap, what).not(one.id(), other.id())
            }
            _ if *by != other.body().by => Finding::new(Code::Gap, "two records for one place by different signers"),
            _ if known => {
                let what = "two validly signed records for one place";
                Finding::new(Code::Fork, what).signed_by(by).not(one.id(), other.id())
            }
            _ => {
                let what =
                    "two signed records for one place; only the rules of the game tell whether both are in order";
                Finding::new(Code::Fork, what).not(one.id(), other.id())
            }
        }
    }

    /// Of several sound records by different signers, whose counts; `named` says which record the next one names.
    pub fn whose(&self, sound: &[&Record], named: impl Fn(Id) -> bool) -> Option<Role> {
        let by = |record: &&&Record| record.body().by.clone();
        if sound.iter().all(|record| record.body().kind == RecordKind::Audit) {
            // Audits come in any order; of two for one place that of the role which joined first stands.
            return self.protocol.roles().iter().find(|role| sound.iter().any(|r| r.body().by == **role)).cloned();
        }
        if let Some(record) = sound.iter().find(|record| named(record.id())) {
            return Some(by(&record));
        }
        // A role that wakes signs what a director has signed for it; until the next record names one, its own counts.
        let directed = |record: &&&Record| record.body().by == Role::director();
        if sound.iter().any(|record| directed(&record)) {
            return sound.iter().find(|record| !directed(record)).as_ref().map(by);
        }
        // Where a player is due the game master has the pen.
        sound.iter().find(|record| record.body().by == Role::gm()).as_ref().map(by)
    }
}

/// A result by a role whose link was opened for other orders as well: the dice of one of them were chosen.
pub fn opened_twice(one: &Record, other: &Record) -> Option<Finding> {
    let closing = |record: &Record| match Data::read(record.body()) {
        Ok(Data::Closing(closing)) => Some(closing),
        _ => None,
    };
    let (a, b) = (closing(one)?, closing(other)?);
    let same = a.role.as_ref().unwrap_or(&one.body().by) == b.role.as_ref().unwrap_or(&other.body().by)
        && a.index == b.index
        && a.link == b.link;
    (same && a.orders != b.orders).then(|| {
        let what = "one link was opened for two different orders";
        Finding::new(Code::Fork, what).signed_by(&one.body().by).not(a.orders, b.orders)
    })
}
