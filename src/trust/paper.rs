//! Papers: signed sheets beside the ledger. They prove that something was said, and change nothing.

use super::armour;
use super::bytes::{Id, Sig};
use super::key::{self, PrivateKey};
use super::record::{NotARecord, PROTOCOL};
use super::role::Role;
use super::yaml;
use crate::engine::json::{Json, MAX_BYTES};

/// What a paper says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Somebody waits for an answer that is owed.
    Notice {
        /// The record that is not answered.
        record: Id,
        /// Who owes.
        owes: Role,
        /// What.
        what: String,
    },
    /// Somebody does not agree.
    Object {
        /// The record.
        record: Id,
        /// Why.
        note: String,
    },
    /// A record was taken in; nothing else stood at its place.
    Receipt {
        /// The record.
        record: Id,
    },
    /// A deposit was taken in and fits.
    Deposited {
        /// Whose.
        role: Role,
        /// The link it reaches to.
        index: u32,
        /// How many openings it holds.
        count: u32,
    },
}

/// A signed paper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paper {
    /// Who signed it.
    pub by: Role,
    /// The game.
    pub game: Id,
    /// What it says.
    pub kind: Kind,
    sig: Sig,
}

impl Kind {
    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Kind::Notice { .. } => "notice",
            Kind::Object { .. } => "object",
            Kind::Receipt { .. } | Kind::Deposited { .. } => "receipt",
        }
    }

    /// The record it speaks of.
    pub fn record(&self) -> Option<Id> {
        match self {
            Kind::Notice { record, .. } | Kind::Object { record, .. } | Kind::Receipt { record } => Some(*record),
            Kind::Deposited { .. } => None,
        }
    }

    fn data(&self) -> Json {
        let id = |id: &Id| Json::from(id.to_string());
        match self {
            Kind::Notice { record, owes, what } => Json::object([
                ("record", id(record)),
                ("owes", Json::from(owes.as_str())),
                ("what", Json::from(what.as_str())),
            ]),
            Kind::Object { record, note } => {
                Json::object([("record", id(record)), ("note", Json::from(note.as_str()))])
            }
            Kind::Receipt { record } => Json::object([("record", id(record))]),
            Kind::Deposited { role, index, count } => Json::object([
                ("role", Json::from(role.as_str())),
                ("index", Json::from(*index)),
                ("count", Json::from(*count)),
            ]),
        }
    }

    fn read(word: &str, data: &Json) -> Option<Kind> {
        let text = |name: &str| data.get(name).and_then(Json::as_str);
        let number = |name: &str| data.get(name).and_then(Json::as_int).and_then(|n| u32::try_from(n).ok());
        let record = || text("record")?.parse().ok();
        let members = data.as_map()?.len();
        let (kind, due) = match word {
            "notice" => {
                let (owes, what) = (text("owes")?.parse().ok()?, text("what")?.to_owned());
                (Kind::Notice { record: record()?, owes, what }, 3)
            }
            "object" => (Kind::Object { record: record()?, note: text("note")?.to_owned() }, 2),
            "receipt" if data.get("record").is_some() => (Kind::Receipt { record: record()? }, 1),
            "receipt" => {
                let role = text("role")?.parse().ok()?;
                (Kind::Deposited { role, index: number("index")?, count: number("count")? }, 3)
            }
            _ => return None,
        };
        (members == due).then_some(kind)
    }
}

fn body(by: &Role, game: &Id, kind: &Kind) -> Json {
    Json::object([
        ("by", Json::from(by.as_str())),
        ("data", kind.data()),
        ("game", Json::from(game.to_string())),
        ("kind", Json::from(kind.word())),
        ("v", Json::from(PROTOCOL)),
    ])
}

impl Paper {
    /// Signs a paper.
    pub fn sign(by: &Role, game: Id, kind: Kind, key: &PrivateKey) -> Paper {
        let id = Id::hash("paper", &[&body(by, &game, &kind).to_string()]);
        Paper { by: by.clone(), game, kind, sig: key.sign(&id) }
    }

    /// Its id.
    pub fn id(&self) -> Id {
        Id::hash("paper", &[&body(&self.by, &self.game, &self.kind).to_string()])
    }

    /// Whether the holder of `key` signed it.
    pub fn is_signed_by(&self, key: &Id) -> bool {
        key::verify(key, &self.id(), &self.sig)
    }

    /// The whole document.
    pub fn to_json(&self) -> Json {
        let body = body(&self.by, &self.game, &self.kind);
        Json::object([("body", body), ("sig", Json::from(self.sig.to_string()))])
    }

    /// Reads a paper; whose signature it is, is another question.
    pub fn from_json(json: &Json) -> Result<Paper, NotARecord> {
        let wrong = || NotARecord("the members are not those of a paper".to_owned());
        let read = || {
            let (whole, inside) = (json.as_map()?, json.get("body")?);
            let text = |name: &str| inside.get(name).and_then(Json::as_str);
            if whole.len() != 2 || inside.as_map()?.len() != 5 || text("v") != Some(PROTOCOL) {
                return None;
            }
            Some(Paper {
                by: text("by")?.parse().ok()?,
                game: text("game")?.parse().ok()?,
                kind: Kind::read(text("kind")?, inside.get("data")?)?,
                sig: json.get("sig")?.as_str()?.parse().ok()?,
            })
        };
        read().ok_or_else(wrong)
    }

    /// Reads a paper file: YAML or canonical JSON.
    pub fn read(bytes: &[u8]) -> Result<Paper, NotARecord> {
        if bytes.len() > MAX_BYTES {
            return Err(NotARecord("longer than 1 MiB".to_owned()));
        }
        let json = match bytes.starts_with(b"{") {
            true => Json::parse_canonical(bytes.strip_suffix(b"\n").unwrap_or(bytes))?,
            false => yaml::read(bytes)?,
        };
        Paper::from_json(&json)
    }

    /// As a file people can read.
    pub fn to_yaml(&self) -> String {
        let head = [format!("garcia paper: {}, signed by {}", self.kind.word(), self.by), format!("id {}", self.id())];
        yaml::write(&head, &self.to_json())
    }

    /// As text to attach or paste.
    pub fn armoured(&self) -> String {
        armour::wrap_paper(self.to_json().to_string().as_bytes())
    }

    /// The name of its file.
    pub fn file_name(&self) -> String {
        format!("{}-{}-{}.yaml", self.kind.word(), self.by, self.id().short())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paper_reads_back_and_is_signed_by_one_key() {
        let (mine, yours) = (PrivateKey::from_seed(&[1; 32]), PrivateKey::from_seed(&[2; 32]));
        let us: Role = "us".parse().expect("a role");
        let record = Id::hash("record", &["x"]);
        let kinds = [
            Kind::Notice { record, owes: "spain".parse().expect("a role"), what: "result".to_owned() },
            Kind::Object { record, note: "García".to_owned() },
            Kind::Receipt { record },
            Kind::Deposited { role: us.clone(), index: 5, count: 12 },
        ];
        for kind in kinds {
            let paper = Paper::sign(&us, Id::ZERO, kind, &mine);
            assert_eq!(Paper::read(paper.to_yaml().as_bytes()), Ok(paper.clone()));
            assert_eq!(Paper::read(paper.to_json().to_string().as_bytes()), Ok(paper.clone()));
            assert!(paper.is_signed_by(&mine.public()) && !paper.is_signed_by(&yours.public()));
            let mut bent = paper.to_json();
            *bent.pointer_mut("/body/by").expect("by") = Json::from("spain");
            assert!(!Paper::from_json(&bent).expect("a paper").is_signed_by(&mine.public()));
            let mut more = paper.to_json();
            more.pointer_mut("/body/data").and_then(Json::as_map_mut).expect("data").insert("x".into(), Json::Int(1));
            assert!(Paper::from_json(&more).is_err(), "nothing stands in it that is not meant");
        }
    }
}
