//! Records: signed documents, each naming the one before it.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::armour;
use super::bytes::{Id, Sig};
use super::key::{self, PrivateKey};
use super::role::Role;
use super::yaml;
use crate::engine::json::{Json, MAX_BYTES, NotCanonical};

/// The protocol every record names.
pub const PROTOCOL: &str = "garcia/1";

/// What a record is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecordKind {
    /// The offer that begins a game.
    Genesis,
    /// The acceptance of an offer.
    Join,
    /// A packet or answers of the one who closes, fixed before the other's nonce.
    Plan,
    /// A packet, answers or a call: opens a segment.
    Orders,
    /// Dice, openings and the hash of the new state: closes a segment.
    Result,
    /// The opening of everything that was sealed, after the end.
    Audit,
    /// A proposal beside the rules: go back, correct, upgrade, a new chain or key, end.
    Motion,
    /// Consent to a motion.
    Accept,
    /// Refusal of a motion.
    Decline,
    /// No kind of this protocol.
    Unknown(String),
}

impl RecordKind {
    /// The word for the kind.
    pub fn as_str(&self) -> &str {
        match self {
            RecordKind::Genesis => "genesis",
            RecordKind::Join => "join",
            RecordKind::Plan => "plan",
            RecordKind::Orders => "orders",
            RecordKind::Result => "result",
            RecordKind::Audit => "audit",
            RecordKind::Motion => "motion",
            RecordKind::Accept => "accept",
            RecordKind::Decline => "decline",
            RecordKind::Unknown(word) => word,
        }
    }
}

impl From<&str> for RecordKind {
    fn from(word: &str) -> RecordKind {
        match word {
            "genesis" => RecordKind::Genesis,
            "join" => RecordKind::Join,
            "plan" => RecordKind::Plan,
            "orders" => RecordKind::Orders,
            "result" => RecordKind::Result,
            "audit" => RecordKind::Audit,
            "motion" => RecordKind::Motion,
            "accept" => RecordKind::Accept,
            "decline" => RecordKind::Decline,
            other => RecordKind::Unknown(other.to_owned()),
        }
    }
}

impl fmt::Display for RecordKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What is signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// Who signs.
    pub by: Role,
    /// What the kind says; [`super::data::Data`] reads it.
    pub data: Json,
    /// The id of record 0; absent there.
    pub game: Option<Id>,
    /// The kind.
    pub kind: RecordKind,
    /// The id of the record before; zeros for record 0.
    pub prev: Id,
    /// The place in the ledger, from 0.
    pub seq: u32,
}

impl Body {
    /// The document whose canonical text is hashed.
    pub fn to_json(&self) -> Json {
        let mut members = BTreeMap::from([
            ("by".to_owned(), Json::from(self.by.as_str())),
            ("data".to_owned(), self.data.clone()),
            ("kind".to_owned(), Json::from(self.kind.as_str())),
            ("prev".to_owned(), Json::from(self.prev.to_string())),
            ("seq".to_owned(), Json::from(self.seq)),
            ("v".to_owned(), Json::from(PROTOCOL)),
        ]);
        if let Some(game) = &self.game {
            members.insert("game".to_owned(), Json::from(game.to_string()));
        }
        Json::Map(members)
    }

    /// The id of the record with this body.
    pub fn id(&self) -> Id {
        Id::hash("record", &[&self.canonical()])
    }

    /// The canonical text of [`Body::to_json`]: its members in the order of their names.
    fn canonical(&self) -> String {
        let Body { by, data, game, kind, prev, seq } = self;
        let game = game.map_or_else(String::new, |game| format!(r#""game":"{game}","#));
        format!(r#"{{"by":"{by}","data":{data},{game}"kind":"{kind}","prev":"{prev}","seq":{seq},"v":"{PROTOCOL}"}}"#)
    }
}

/// The record id of a body: `H("record", canon(body))`.
pub fn record_id(body: &Json) -> Id {
    Id::hash("record", &[&body.to_string()])
}

/// A signed body. Well-formed, which says nothing about whose signature it is or whether the content is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Shared: ledgers are copied to look ahead, what was signed never changes.
    body: Arc<Body>,
    id: Id,
    sig: Sig,
}

/// Why a text is not a record (E02-CANON): not readable as data, or without a proper header.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a record: {0}")]
pub struct NotARecord(pub String);

impl From<NotCanonical> for NotARecord {
    fn from(e: NotCanonical) -> NotARecord {
        NotARecord(e.to_string())
    }
}

impl From<yaml::NotPlainData> for NotARecord {
    fn from(e: yaml::NotPlainData) -> NotARecord {
        NotARecord(e.to_string())
    }
}

impl Record {
    /// Signs a body. Refused if the document would be too large or could not be read back.
    pub fn sign(body: Body, key: &PrivateKey) -> Result<Record, NotARecord> {
        let id = body.id();
        let record = Record { sig: key.sign(&id), id, body: Arc::new(body) };
        record.to_json().check()?;
        if record.to_json().to_string().len() > MAX_BYTES {
            return Err(NotARecord("longer than 1 MiB".to_owned()));
        }
        Ok(record)
    }

    /// What was signed.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// The id, by which the next record names this one.
    pub fn id(&self) -> Id {
        self.id
    }

    /// The signature.
    pub fn sig(&self) -> Sig {
        self.sig
    }

    /// Whether the holder of `key` signed this.
    pub fn is_signed_by(&self, key: &Id) -> bool {
        key::verify(key, &self.id, &self.sig)
    }

    /// The whole document.
    pub fn to_json(&self) -> Json {
        Json::object([("body", self.body.to_json()), ("sig", Json::from(self.sig.to_string()))])
    }

    /// Canonical JSON: what armour holds.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_json().to_string().into_bytes()
    }

    /// Text to be pasted into a mail.
    pub fn armoured(&self) -> String {
        armour::wrap(&self.to_bytes())
    }

    /// YAML with a head a person can read.
    pub fn to_yaml(&self) -> String {
        yaml::write(&self.comments(), &self.to_json())
    }

    /// The name of its file in the ledger.
    pub fn file_name(&self) -> String {
        format!("{:04}-{}-{}.yaml", self.body.seq, self.body.by, self.body.kind)
    }

    /// Reads a record file: YAML, or canonical JSON (which has no other spelling).
    pub fn read(bytes: &[u8]) -> Result<Record, NotARecord> {
        let json = if bytes.starts_with(b"{") {
            Json::parse_canonical(bytes.strip_suffix(b"\n").unwrap_or(bytes))?
        } else {
            yaml::read(bytes)?
        };
        Record::from_json(&json)
    }

    /// Checks the header of a document.
    pub fn from_json(json: &Json) -> Result<Record, NotARecord> {
        let whole = members(json, "the record", &["body", "sig"], &[])?;
        let body = members(whole["body"], "body", &["by", "data", "kind", "prev", "seq", "v"], &["game"])?;
        if text(&body, "v")? != PROTOCOL {
            return Err(NotARecord(format!("v has to be {PROTOCOL}")));
        }
        let kind = text(&body, "kind")?;
        if kind.is_empty() || kind.len() > 16 || !kind.bytes().all(|b| b.is_ascii_lowercase()) {
            return Err(NotARecord("kind has to be a word in lower case".to_owned()));
        }
        let seq = body["seq"].as_int().and_then(|n| u32::try_from(n).ok());
        let seq = seq.ok_or_else(|| NotARecord("seq has to be a number from 0".to_owned()))?;
        let game = body.contains_key("game").then(|| parsed(&body, "game")).transpose()?;
        if seq == 0 && game.is_some() {
            return Err(NotARecord("record 0 cannot name its own game".to_owned()));
        }
        if body["data"].as_map().is_none() {
            return Err(NotARecord("data has to be an object".to_owned()));
        }
        let body = Body {
            by: parsed(&body, "by")?,
            data: body["data"].clone(),
            game,
            kind: RecordKind::from(kind),
            prev: parsed(&body, "prev")?,
            seq,
        };
        Ok(Record { id: body.id(), body: Arc::new(body), sig: parsed(&whole, "sig")? })
    }

    /// Whether the comments at the head of a file say what the record says; a file without any says nothing.
    pub fn is_headed(&self, file: &[u8]) -> bool {
        let text = String::from_utf8_lossy(file);
        let said = text.trim_start_matches('\u{feff}').lines().map_while(|line| line.strip_prefix('#'));
        let said: Vec<&str> = said.map(str::trim).filter(|line| !line.is_empty()).collect();
        let head = self.comments();
        said.is_empty() || said.iter().copied().eq(head.iter().map(|line| line.trim()))
    }

    /// The head of the file: what a person wants to know before reading on.
    fn comments(&self) -> Vec<String> {
        let Body { by, kind, seq, data, .. } = &*self.body;
        let mut lines = vec![format!("garcia record {seq}: {kind}, signed by {by}"), format!("id {}", self.id)];
        for roll in data.get("rolls").and_then(Json::as_list).unwrap_or_default() {
            let part = |name| roll.get(name).map(ToString::to_string).unwrap_or_default();
            let faces = if roll.get("faces").is_some() { part("faces") } else { "secret".to_owned() };
            lines.push(format!("{} {} -> {faces}", part("label").replace('"', ""), part("sides")));
        }
        if let Some(ask) = data.pointer("/stop/ask").and_then(Json::as_str) {
            lines.push(match data.pointer("/stop/who").and_then(Json::as_str) {
                Some(who) => format!("next: {who}, {ask}"),
                None => format!("next: {ask}"),
            });
        }
        lines
    }
}

type Members<'a> = BTreeMap<&'a str, &'a Json>;

/// The members of an object that has all of `required` and nothing beyond `optional`.
fn members<'a>(json: &'a Json, what: &str, required: &[&str], optional: &[&str]) -> Result<Members<'a>, NotARecord> {
    let found = json.as_map().ok_or_else(|| NotARecord(format!("{what} has to be an object")))?;
    if let Some(missing) = required.iter().find(|r| !found.contains_key(**r)) {
        return Err(NotARecord(format!("{what} lacks `{missing}`")));
    }
    if let Some(extra) = found.keys().find(|k| !required.contains(&k.as_str()) && !optional.contains(&k.as_str())) {
        return Err(NotARecord(format!("{what} has no member `{extra}`")));
    }
    Ok(found.iter().map(|(key, value)| (key.as_str(), value)).collect())
}

fn text<'a>(members: &Members<'a>, name: &str) -> Result<&'a str, NotARecord> {
    members.get(name).and_then(|v| v.as_str()).ok_or_else(|| NotARecord(format!("{name} has to be a text")))
}

fn parsed<T: FromStr<Err: fmt::Display>>(members: &Members<'_>, name: &str) -> Result<T, NotARecord> {
    text(members, name)?.parse().map_err(|e| NotARecord(format!("{name}: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let data = Json::parse_canonical(
            br#"{"rolls":[{"faces":[2,6],"label":"t1.us.assault/3412/attack/1","sides":[6,6]}],"stop":{"ask":"turn","who":"spain"}}"#,
        )
        .expect("canonical");
        let body = Body {
            by: "us".parse().expect("role"),
            data,
            game: Some(Id::hash("record", &["game"])),
            kind: RecordKind::Result,
            prev: Id::hash("record", &["prev"]),
            seq: 5,
        };
        Record::sign(body, &PrivateKey::from_seed(&[1; 32])).expect("signed")
    }

    #[test]
    fn a_record_reads_back_from_every_form() {
        let record = record();
        assert_eq!(Record::read(&record.to_bytes()), Ok(record.clone()));
        assert_eq!(Record::read(record.to_yaml().as_bytes()), Ok(record.clone()));
        assert_eq!(Record::read(record.to_yaml().replace('\n', "\r\n").as_bytes()), Ok(record.clone()));
        let mailed = armour::unwrap(&record.armoured());
        assert_eq!(Record::read(mailed[0].as_ref().expect("whole")), Ok(record.clone()));
        assert_eq!(record.file_name(), "0005-us-result.yaml");
        let yaml = record.to_yaml();
        assert!(yaml.starts_with("# garcia record 5: result, signed by us\n# id "), "{yaml}");
        assert!(yaml.contains("# t1.us.assault/3412/attack/1 [6,6] -> [2,6]\n# next: spain, turn\nbody:\n  by: us\n"));
    }

    #[test]
    fn a_header_that_is_not_right_makes_no_record() {
        let good = record().to_json();
        let refused = |pointer: &str, value: Option<Json>| {
            let mut json = good.clone();
            let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
            let members = json.pointer_mut(parent).and_then(Json::as_map_mut).expect("an object");
            match value {
                Some(value) => members.insert(name.to_owned(), value),
                None => members.remove(name),
            };
            Record::from_json(&json).expect_err(pointer).0
        };
        for member in ["by", "data", "kind", "prev", "seq", "v"] {
            assert_eq!(refused(&format!("/body/{member}"), None), format!("body lacks `{member}`"));
        }
        assert_eq!(refused("/sig", None), "the record lacks `sig`");
        assert_eq!(refused("/extra", Some(Json::Int(1))), "the record has no member `extra`");
        assert_eq!(refused("/body/time", Some(Json::Int(1))), "body has no member `time`");
        assert_eq!(refused("/body/v", Some("garcia/2".into())), "v has to be garcia/1");
        assert!(refused("/body/by", Some("US".into())).contains("not a role"));
        assert!(refused("/body/prev", Some("AB".into())).contains("64 hexadecimal digits"));
        assert!(refused("/sig", Some("ab".into())).contains("128 hexadecimal digits"));
        assert!(refused("/body/seq", Some(Json::Int(-1))).contains("seq"));
        assert!(refused("/body/seq", Some(Json::Int(0))).contains("own game"));
        assert!(refused("/body/data", Some(Json::List(vec![]))).contains("data"));
        assert!(refused("/body/kind", Some("../x".into())).contains("kind"));
        let spaced = String::from_utf8(record().to_bytes()).expect("UTF-8").replacen(':', ": ", 1);
        assert!(Record::read(spaced.as_bytes()).is_err(), "JSON has one spelling");
    }

    #[test]
    fn every_kind_has_its_word() {
        for word in ["genesis", "join", "plan", "orders", "result", "audit", "motion", "accept", "decline", "x"] {
            assert_eq!(RecordKind::from(word).as_str(), word);
        }
        assert_eq!(RecordKind::from("ruling"), RecordKind::Unknown("ruling".to_owned()));
    }
}
