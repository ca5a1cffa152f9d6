//! Motions: what a player, a game master or two reasonable people agree on beside the rules.
//!
//! A motion is a record of the chain. It acts at once where nobody has to be asked, otherwise by the other's `accept`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::bytes::{Id, Sig};
use super::data::{Hide, Reveal};
use super::key;
use super::patch::Patch;
use super::role::Role;
use crate::engine::json::{Json, from_json};

/// What is moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Go back to a place where a span had ended.
    Void {
        /// The record.
        back_to: u32,
    },
    /// Correct the position.
    Ruling(Box<Ruling>),
    /// Go on with another version of the rules or other data.
    Upgrade(Box<Upgrade>),
    /// Begin a new chain of links.
    Reanchor {
        /// Its link 0.
        anchor: Id,
        /// The old one is lost, and whatever was sealed before.
        lost: bool,
    },
    /// Sign with another key.
    Rekey(Box<Rekey>),
    /// End the game.
    End(Outcome),
}

/// A correction of the position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// The record it is about.
    pub about: u32,
    /// The clause of the rules.
    pub clause: String,
    /// What was found, in a sentence.
    pub finding: String,
    /// What stands where from now on.
    pub patch: Patch,
    /// The hash of the position with it.
    pub state: Id,
}

/// The same position under another version of the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upgrade {
    /// Rule set and version.
    pub engine: String,
    /// The digest of the data.
    pub rules_sha256: Id,
    /// The public position as it stands.
    pub position: Json,
    /// Its hash as the new version writes it.
    pub state: Id,
    /// Where nothing is sealed: what lies face down, which only the records before could tell.
    pub kept: Vec<Kept>,
}

/// A value that lies face down where nothing is sealed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// Whose it is.
    pub by: Role,
    /// Its slot.
    pub slot: String,
    /// The value.
    pub value: Json,
}

/// A new key for a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rekey {
    /// The role.
    pub role: Role,
    /// Its new key.
    pub key: Id,
    /// The new key's signature, so that nobody gives a role a key he has not got.
    pub proof: Sig,
    /// Where a span has ended: link 0 of its new chain.
    pub anchor: Option<Id>,
    /// A new recovery key.
    pub recovery: Option<Id>,
    /// Whatever was sealed before is lost.
    pub lost: bool,
    /// A director signs it for the role, and has been called to.
    pub called: Option<Called>,
}

/// Why a director signs for a role that fell silent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// For whom.
    pub role: Role,
    /// The notice of the role that waits, whole.
    pub notice: Json,
}

/// How a game is ended by agreement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The mover gives up.
    Resigns(Role),
    /// A side has won.
    Winner(Role),
    /// Nobody has.
    Drawn,
}

impl Outcome {
    fn read(json: &Json) -> Result<Outcome, String> {
        let wrong = || "`verdict` says one of `resigns: ROLE`, `winner: ROLE`, `drawn: true`".to_owned();
        let members = json.as_map().filter(|members| members.len() == 1).ok_or_else(wrong)?;
        let (name, value) = members.iter().next().ok_or_else(wrong)?;
        let role = || value.as_str().and_then(|role| role.parse().ok()).ok_or_else(wrong);
        match name.as_str() {
            "resigns" => Ok(Outcome::Resigns(role()?)),
            "winner" => Ok(Outcome::Winner(role()?)),
            "drawn" if *value == Json::Bool(true) => Ok(Outcome::Drawn),
            _ => Err(wrong()),
        }
    }

    fn to_json(&self) -> Json {
        match self {
            Outcome::Resigns(role) => Json::object([("resigns", role.as_str())]),
            Outcome::Winner(role) => Json::object([("winner", role.as_str())]),
            Outcome::Drawn => Json::object([("drawn", true)]),
        }
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Outcome::Resigns(role) => write!(f, "{role} resigns"),
            Outcome::Winner(role) => write!(f, "{role} has won"),
            Outcome::Drawn => f.write_str("drawn"),
        }
    }
}

/// A motion as a record says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Motion {
    /// What is moved.
    pub what: What,
    /// Commitments made anew.
    pub hide: Vec<Hide>,
    /// Openings.
    pub reveals: Vec<Reveal>,
    /// Who answers, if that is not the other player: the director.
    pub to: Option<Role>,
    /// A remark.
    pub note: Option<String>,
}

impl Motion {
    /// A motion without commitments or remarks.
    pub fn new(what: What) -> Motion {
        Motion { what, hide: Vec::new(), reveals: Vec::new(), to: None, note: None }
    }

    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self.what {
            What::Void { .. } => "void",
            What::Ruling(_) => "ruling",
            What::Upgrade(_) => "upgrade",
            What::Reanchor { .. } => "reanchor",
            What::Rekey(_) => "rekey",
            What::End(_) => "end",
        }
    }

    /// What it asks for, in a line.
    pub fn words(&self) -> String {
        let lost = if self.is_lost() { "; what was sealed before is lost" } else { "" };
        match &self.what {
            What::Void { back_to } => format!("void: back to where record {back_to} left the game"),
            What::Ruling(ruling) => {
                let Ruling { about, clause, finding, .. } = &**ruling;
                format!("ruling about record {about} (clause {clause}): {finding}")
            }
            What::Upgrade(upgrade) => format!("upgrade: go on with `{}`", upgrade.engine),
            What::Reanchor { .. } => format!("reanchor: a new chain of links{lost}"),
            What::Rekey(rekey) => format!("rekey: a new key for {}, {}{lost}", rekey.role, rekey.key.short()),
            What::End(outcome) => format!("end: {outcome}"),
        }
    }

    /// Whether it says that secrets are lost.
    pub fn is_lost(&self) -> bool {
        match &self.what {
            What::Reanchor { lost, .. } => *lost,
            What::Rekey(rekey) => rekey.lost,
            _ => false,
        }
    }

    /// Reads a motion; every member has its place.
    pub fn read(json: &Json) -> Result<Motion, String> {
        let word = json.get("what").and_then(Json::as_str).unwrap_or_default();
        let (needs, may): (&[&str], &[&str]) = match word {
            "void" => (&["back_to"], &["hide"]),
            "ruling" => (&["about", "clause", "finding", "patch", "state"], &["reveals", "to"]),
            "upgrade" => (&["engine", "rules_sha256", "position", "state"], &["kept"]),
            "reanchor" => (&["anchor"], &["lost", "hide"]),
            "rekey" => (&["role", "key", "proof"], &["anchor", "hide", "recovery", "lost", "for", "notice"]),
            "end" => (&["verdict"], &["to"]),
            _ => return Err("`what` is one of void, ruling, upgrade, reanchor, rekey, end".to_owned()),
        };
        let members = json.as_map().into_iter().flatten();
        for (name, _) in members {
            if !needs.contains(&name.as_str()) && !may.contains(&name.as_str()) && name != "what" && name != "note" {
                return Err(format!("a motion `{word}` has no member `{name}`"));
            }
        }
        if let Some(missing) = needs.iter().find(|name| json.get(name).is_none()) {
            return Err(format!("a motion `{word}` lacks `{missing}`"));
        }
        let parts: Parts = from_json(json)?;
        Motion::of(word, parts).ok_or_else(|| format!("the members of a motion `{word}` do not go together"))?
    }

    fn of(word: &str, parts: Parts) -> Option<Result<Motion, String>> {
        let truth = |said: Option<bool>| said.unwrap_or(false);
        if parts.lost == Some(false) {
            return Some(Err("`lost` is said only where something is lost".to_owned()));
        }
        let what = match word {
            "void" => What::Void { back_to: parts.back_to? },
            "ruling" => What::Ruling(Box::new(Ruling {
                about: parts.about?,
                clause: parts.clause?,
                finding: parts.finding?,
                patch: parts.patch?,
                state: parts.state?,
            })),
            "upgrade" => What::Upgrade(Box::new(Upgrade {
                engine: parts.engine?,
                rules_sha256: parts.rules_sha256?,
                position: parts.position?,
                state: parts.state?,
                kept: parts.kept,
            })),
            "reanchor" => What::Reanchor { anchor: parts.anchor?, lost: truth(parts.lost) },
            "rekey" => {
                let called = match (parts.role_for, parts.notice) {
                    (Some(role), Some(notice)) => Some(Called { role, notice }),
                    (None, None) => None,
                    _ => return Some(Err("`for` and `notice` go together".to_owned())),
                };
                let key = parts.key?;
                if [Some(key), parts.recovery].iter().flatten().any(|key| !key::is_sound(key)) {
                    return Some(Err("the key is no sound Ed25519 key".to_owned()));
                }
                What::Rekey(Box::new(Rekey {
                    role: parts.role?,
                    key,
                    proof: parts.proof?,
                    anchor: parts.anchor,
                    recovery: parts.recovery,
                    lost: truth(parts.lost),
                    called,
                }))
            }
            "end" => match Outcome::read(&parts.verdict?) {
                Ok(outcome) => What::End(outcome),
                Err(what) => return Some(Err(what)),
            },
            _ => return None,
        };
        Some(Ok(Motion { what, hide: parts.hide, reveals: parts.reveals, to: parts.to, note: parts.note }))
    }

    /// The parts as they are written.
    pub fn parts(&self) -> Parts {
        let lost = |lost: bool| lost.then_some(true);
        let mut parts = Parts {
            what: self.word().to_owned(),
            hide: self.hide.clone(),
            reveals: self.reveals.clone(),
            to: self.to.clone(),
            note: self.note.clone(),
            ..Parts::default()
        };
        match self.what.clone() {
            What::Void { back_to } => parts.back_to = Some(back_to),
            What::Ruling(ruling) => {
                (parts.about, parts.state) = (Some(ruling.about), Some(ruling.state));
                (parts.clause, parts.finding) = (Some(ruling.clause), Some(ruling.finding));
                parts.patch = Some(ruling.patch);
            }
            What::Upgrade(upgrade) => {
                (parts.engine, parts.rules_sha256) = (Some(upgrade.engine), Some(upgrade.rules_sha256));
                (parts.position, parts.state) = (Some(upgrade.position), Some(upgrade.state));
                parts.kept = upgrade.kept;
            }
            What::Reanchor { anchor, lost: gone } => (parts.anchor, parts.lost) = (Some(anchor), lost(gone)),
            What::Rekey(rekey) => {
                (parts.role, parts.key, parts.proof) = (Some(rekey.role), Some(rekey.key), Some(rekey.proof));
                (parts.anchor, parts.recovery, parts.lost) = (rekey.anchor, rekey.recovery, lost(rekey.lost));
                if let Some(Called { role, notice }) = rekey.called {
                    (parts.role_for, parts.notice) = (Some(role), Some(notice));
                }
            }
            What::End(outcome) => parts.verdict = Some(outcome.to_json()),
        }
        parts
    }
}

/// Every member a motion can have.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parts {
    what: String,
    back_to: Option<u32>,
    about: Option<u32>,
    clause: Option<String>,
    finding: Option<String>,
    patch: Option<BTreeMap<String, Json>>,
    state: Option<Id>,
    engine: Option<String>,
    rules_sha256: Option<Id>,
    position: Option<Json>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    kept: Vec<Kept>,
    anchor: Option<Id>,
    lost: Option<bool>,
    role: Option<Role>,
    key: Option<Id>,
    proof: Option<Sig>,
    recovery: Option<Id>,
    verdict: Option<Json>,
    to: Option<Role>,
    #[serde(rename = "for")]
    role_for: Option<Role>,
    notice: Option<Json>,
    note: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    hide: Vec<Hide>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    reveals: Vec<Reveal>,
}

/// The answer to a motion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answered {
    /// The id of the motion.
    pub motion: Id,
    /// Commitments made anew, where a takeback has shown something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hide: Vec<Hide>,
    /// The role a director declines for.
    #[serde(rename = "for")]
    pub role: Option<Role>,
    /// Why he was called to.
    pub notice: Option<Json>,
    /// A remark.
    pub note: Option<String>,
}

/// What the new key of a role signs to show that it is somebody's: `H("rekey", game, role, key, prev)`.
pub fn rekey_proof(game: &Id, role: &Role, key: &Id, prev: &Id) -> Id {
    Id::hash("rekey", &[&game.to_string(), role.as_str(), &key.to_string(), &prev.to_string()])
}
