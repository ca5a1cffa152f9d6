//! What each kind of record says, and the checks that need no game.

mod checks;
mod said;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use self::checks::{ascii_but_notes, distinct, paired, sound};
pub use self::said::{QuestionSaid, RollSaid, SecretFaces, StopSaid};
use super::bytes::Id;
use super::motion::{Answered, Motion, Outcome, What};
use super::record::{Body, RecordKind};
use super::role::Role;
use crate::engine::json::{Json, from_json, to_json};
use crate::engine::submission::NOTE_LENGTH;
use crate::engine::{Key, NotCanonical, Slot};

/// The ruleset of the test vectors, which has neither rules nor an end.
pub const TOY: &str = "toy";

/// How a game is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Two opponents close each other's segments.
    TwoPlayer,
    /// A game master closes every segment.
    Gm,
    /// One person plays all sides from one committed chain.
    Solo,
}

impl Mode {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::TwoPlayer => "two-player",
            Mode::Gm => "gm",
            Mode::Solo => "solo",
        }
    }
}

/// The offer that begins a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Genesis {
    /// How it is played.
    pub mode: Mode,
    /// The rule set.
    pub ruleset: String,
    /// The scenario. Records are checked without it; the rules need it.
    pub scenario: Option<String>,
    /// The options, `questions` among them.
    pub options: Option<BTreeMap<String, String>>,
    /// SHA-256 of map, counters, tables and scenario.
    pub rules_sha256: Id,
    /// Rule set and version of the rules code.
    pub engine: String,
    /// The signer's public key.
    pub key: Id,
    /// Link 0 of the signer's chain.
    pub anchor: Id,
    /// How many links every chain of the game has.
    pub links: u32,
    /// The other player.
    pub opponent: Option<Role>,
    /// With a game master: the roles that sign for themselves, in joining order.
    pub players: Option<Vec<Role>>,
    /// The key of a third person, who answers where he is asked to and can finish the game for somebody who fell silent.
    pub director: Option<Id>,
    /// A second key of the signer's, kept on paper, with which he can take his seat again.
    pub recovery: Option<Id>,
    /// How many answer stops each side may cause in one span.
    pub max_asks: Option<u32>,
    /// With a game master: what lies face down is sealed, and only he and its owner can read it.
    pub private: Option<bool>,
    /// A remark; the only place for letters beyond ASCII.
    pub note: Option<String>,
}

/// The acceptance of an offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Join {
    /// The id of the offer.
    pub accept: Id,
    /// The signer's public key.
    pub key: Id,
    /// Link 0 of the signer's chain; absent where a game master closes.
    pub anchor: Option<Id>,
    /// A second key of the signer's, kept on paper.
    pub recovery: Option<Id>,
    /// Commitments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hide: Vec<Hide>,
}

/// A packet or answers of the closer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The hash of the state it was written for.
    pub state: Id,
    /// The public part of a packet.
    pub orders: Option<Json>,
    /// The sealed entries of the packet, one after the other: is it conditional? In `toy` their number.
    pub entries: Option<Json>,
    /// Commitments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hide: Vec<Hide>,
    /// Answers to the questions of the last stop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// Openings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reveals: Vec<Reveal>,
    /// Facts stated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<ClaimSaid>,
    /// A message to the other players.
    pub note: Option<String>,
}

/// What opens a segment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Orders {
    /// Unpredictable to the closer.
    pub nonce: Id,
    /// The hash of the state it was written for.
    pub state: Id,
    /// A packet, or `{"call":true}`; absent if only answers or facts are given.
    pub orders: Option<Json>,
    /// Policies for one's own part of the span.
    pub policies: Option<BTreeMap<String, Json>>,
    /// Solo: standing orders in place, until replaced.
    pub standing: Option<BTreeMap<String, Json>>,
    /// Answers to the questions of the last stop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// Commitments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hide: Vec<Hide>,
    /// Openings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reveals: Vec<Reveal>,
    /// Facts stated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<ClaimSaid>,
    /// The side ordered for, where that is not the signer's own.
    #[serde(rename = "for")]
    pub side: Option<Role>,
    /// The game master wrote them because the player sent none.
    pub nmr: Option<bool>,
    /// SHA-256 of the plain file they were entered from.
    pub file_sha256: Option<Id>,
    /// A message to the other players.
    pub note: Option<String>,
}

/// What a game master enters for an absent player, and not from a file of his, says nothing.
pub const EMPTY: &str = "orders marked `nmr` without the hash of the file they were entered from are an empty packet";

impl Orders {
    /// Whether a game master goes on without a player, and without a file of his.
    pub fn is_for_nobody(&self) -> bool {
        self.nmr == Some(true) && self.file_sha256.is_none()
    }

    /// Whether these orders only answer a plan.
    pub fn is_call(&self) -> bool {
        self.orders.as_ref().is_some_and(|orders| *orders == Json::object([("call", true)]))
    }
}

/// What closes a segment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Closing {
    /// The id of the orders.
    pub orders: Id,
    /// Which link of the closer's chain.
    pub index: u32,
    /// The link.
    pub link: Id,
    /// The rolls, in the order the rules called for them.
    pub rolls: Vec<RollSaid>,
    /// The openings, in order.
    pub reveals: Vec<Reveal>,
    /// The hash of the state where resolution ended.
    pub state: Id,
    /// Who must speak next.
    pub stop: StopSaid,
    /// Facts stated, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<ClaimSaid>,
    /// Commitments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hide: Vec<Hide>,
    /// The role a director closes for.
    #[serde(rename = "for")]
    pub role: Option<Role>,
    /// Why he was called to: the notice of the role that waits, whole.
    pub notice: Option<Json>,
}

/// The opening of everything after the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Audit {
    /// The secret behind all salts of the role.
    pub hide_secret: Id,
    /// Those of its earlier chains, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Id>,
    /// Every value ever committed, by `<slot>/<version>`.
    pub values: BTreeMap<String, Json>,
    /// Every secret roll of the role.
    pub secret_rolls: Vec<SecretFaces>,
}

/// A commitment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hide {
    /// The slot.
    #[serde(deserialize_with = "slot")]
    pub slot: Slot,
    /// 1, 2, 3 … per role and slot.
    pub version: u32,
    /// The commitment.
    pub commit: Id,
}

/// The opening of a commitment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reveal {
    /// The slot.
    #[serde(deserialize_with = "slot")]
    pub slot: Slot,
    /// The version.
    pub version: u32,
    /// The salt.
    pub salt: Id,
    /// The value.
    pub value: Json,
    /// The owner, where that is not the signer.
    pub by: Option<Role>,
}

impl Reveal {
    /// As it is written.
    pub fn to_json(&self) -> Json {
        Json::object([
            ("slot", Json::from(self.slot.to_string())),
            ("version", Json::from(self.version)),
            ("salt", Json::from(self.salt.to_string())),
            ("value", self.value.clone()),
        ])
    }

    /// Reads an opening of the signer's own.
    pub fn from_json(json: &Json) -> Option<Reveal> {
        Some(Reveal {
            slot: Slot::parse(json.get("slot")?.as_str()?).ok()?,
            version: u32::try_from(json.get("version")?.as_int()?).ok()?,
            salt: json.get("salt")?.as_str()?.parse().ok()?,
            value: json.get("value")?.clone(),
            by: None,
        })
    }
}

/// A fact about hidden values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimSaid {
    /// Its key.
    #[serde(deserialize_with = "label")]
    pub claim: Key,
    /// The fact.
    pub value: Json,
}

/// An answer to a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The key of the question.
    #[serde(deserialize_with = "label")]
    pub key: Key,
    /// The choice.
    pub choice: Json,
}

/// The data of a record, by kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// A genesis.
    Genesis(Box<Genesis>),
    /// A join.
    Join(Join),
    /// A plan.
    Plan(Plan),
    /// Orders.
    Orders(Orders),
    /// A result.
    Closing(Closing),
    /// An audit.
    Audit(Audit),
    /// A motion.
    Motion(Box<Motion>),
    /// Consent to a motion.
    Accept(Answered),
    /// Refusal of a motion.
    Decline(Answered),
}

impl Data {
    /// Reads the data of a record whose header and signature are good; the message says what is not as it should be.
    pub fn read(body: &Body) -> Result<Data, String> {
        ascii_but_notes(&body.data)?;
        let data = match &body.kind {
            RecordKind::Genesis => Data::Genesis(from_json(&body.data)?),
            RecordKind::Join => Data::Join(from_json(&body.data)?),
            RecordKind::Plan => Data::Plan(from_json(&body.data)?),
            RecordKind::Orders => Data::Orders(from_json(&body.data)?),
            RecordKind::Result => Data::Closing(from_json(&body.data)?),
            RecordKind::Audit => Data::Audit(from_json(&body.data)?),
            RecordKind::Motion => Data::Motion(Box::new(Motion::read(&body.data)?)),
            RecordKind::Accept => Data::Accept(from_json(&body.data)?),
            RecordKind::Decline => Data::Decline(from_json(&body.data)?),
            RecordKind::Unknown(word) => return Err(format!("there is no kind `{word}`")),
        };
        data.check(&body.by)?;
        Ok(data)
    }

    /// The data as it is signed.
    pub fn to_json(&self) -> Result<Json, NotCanonical> {
        match self {
            Data::Genesis(data) => to_json(data),
            Data::Join(data) => to_json(data),
            Data::Plan(data) => to_json(data),
            Data::Orders(data) => to_json(data),
            Data::Closing(data) => to_json(data),
            Data::Audit(data) => to_json(data),
            Data::Motion(data) => to_json(&data.parts()),
            Data::Accept(data) | Data::Decline(data) => to_json(data),
        }
    }

    /// The kind of record that holds it.
    pub fn kind(&self) -> RecordKind {
        match self {
            Data::Genesis(_) => RecordKind::Genesis,
            Data::Join(_) => RecordKind::Join,
            Data::Plan(_) => RecordKind::Plan,
            Data::Orders(_) => RecordKind::Orders,
            Data::Closing(_) => RecordKind::Result,
            Data::Audit(_) => RecordKind::Audit,
            Data::Motion(_) => RecordKind::Motion,
            Data::Accept(_) => RecordKind::Accept,
            Data::Decline(_) => RecordKind::Decline,
        }
    }

    /// The commitments it makes.
    pub fn hides(&self) -> &[Hide] {
        match self {
            Data::Join(Join { hide, .. })
            | Data::Plan(Plan { hide, .. })
            | Data::Orders(Orders { hide, .. })
            | Data::Closing(Closing { hide, .. })
            | Data::Accept(Answered { hide, .. }) => hide,
            Data::Motion(motion) => &motion.hide,
            Data::Genesis(_) | Data::Audit(_) | Data::Decline(_) => &[],
        }
    }

    /// The openings it makes.
    pub fn reveals(&self) -> &[Reveal] {
        match self {
            Data::Plan(Plan { reveals, .. })
            | Data::Orders(Orders { reveals, .. })
            | Data::Closing(Closing { reveals, .. }) => reveals,
            Data::Motion(motion) => &motion.reveals,
            Data::Genesis(_) | Data::Join(_) | Data::Audit(_) | Data::Accept(_) | Data::Decline(_) => &[],
        }
    }

    /// The same with a message to the other players.
    pub fn with_message(self, note: Option<String>) -> Data {
        match self {
            Data::Plan(plan) => Data::Plan(Plan { note, ..plan }),
            Data::Orders(orders) => Data::Orders(Orders { note, ..orders }),
            other => other,
        }
    }

    /// The message that travels with orders or a plan.
    pub fn message(&self) -> Option<&str> {
        match self {
            Data::Plan(Plan { note, .. }) | Data::Orders(Orders { note, .. }) => note.as_deref(),
            _ => None,
        }
    }

    /// The facts it states.
    pub fn claims(&self) -> &[ClaimSaid] {
        match self {
            Data::Plan(Plan { claims, .. })
            | Data::Orders(Orders { claims, .. })
            | Data::Closing(Closing { claims, .. }) => claims,
            _ => &[],
        }
    }

    fn check(&self, by: &Role) -> Result<(), String> {
        let mut seen = BTreeSet::new();
        for hide in self.hides() {
            if hide.version == 0 {
                return Err(format!("versions of {} count from 1", hide.slot));
            }
            if !seen.insert(&hide.slot) {
                return Err(format!("{} is committed twice", hide.slot));
            }
        }
        let mut seen = BTreeSet::new();
        for reveal in self.reveals() {
            if !seen.insert((&reveal.by, &reveal.slot, reveal.version)) {
                return Err(format!("{} is opened twice", reveal.slot));
            }
        }
        distinct("claim", self.claims().iter().map(|c| &c.claim))?;
        if self.message().is_some_and(|note| note.chars().count() > NOTE_LENGTH) {
            return Err(format!("a note has at most {NOTE_LENGTH} characters"));
        }
        match self {
            Data::Genesis(genesis) => genesis.check(by),
            Data::Join(join) => sound(&join.key).and_then(|()| join.recovery.as_ref().map_or(Ok(()), sound)),
            Data::Plan(plan) => plan.check(),
            Data::Orders(orders) => orders.check(),
            Data::Closing(closing) => closing.check(),
            // Of a roll that was taken back and made again both stand there under one label.
            Data::Audit(_) => Ok(()),
            Data::Motion(motion) => match (&motion.what, &motion.to) {
                (_, Some(to)) if *to != Role::director() => Err("`to` names the director, and nobody else".to_owned()),
                (What::End(Outcome::Resigns(who)), _) if who != by => Err("nobody resigns for another".to_owned()),
                _ => Ok(()),
            },
            Data::Accept(accept) if accept.role.is_some() || accept.notice.is_some() => {
                Err("nobody accepts for another".to_owned())
            }
            Data::Accept(_) => Ok(()),
            Data::Decline(decline) if !decline.hide.is_empty() => Err("a refusal commits nothing".to_owned()),
            Data::Decline(decline) => paired(&decline.role, &decline.notice),
        }
    }
}

fn slot<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Slot, D::Error> {
    Slot::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
}

fn some_slot<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Slot>, D::Error> {
    slot(deserializer).map(Some)
}

fn slots<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Slot>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    texts.iter().map(|text| Slot::parse(text).map_err(serde::de::Error::custom)).collect()
}

fn label<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
    Key::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
}

fn labels<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Key>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    texts.iter().map(|text| Key::parse(text).map_err(serde::de::Error::custom)).collect()
}

#[cfg(test)]
#[path = "data_tests.rs"]
mod tests;
