//! `garcia motion reanchor | rekey | upgrade`: new chains, new keys, new versions of the rules.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::engine::json::{Json, from_json};
use crate::trust::Id;
use crate::trust::handover::{Request, Told};
use crate::trust::key::PrivateKey;
use crate::trust::ledger::Ledger;
use crate::trust::motion::{Kept, What};
use crate::trust::paper::Paper;
use crate::trust::store::{Readers, read_small, write_whole};
use crate::trust::{typed, yaml};

use super::folder::{FACE_DOWN, GameFolder, OUTBOX, STATE};
use super::secret::read_typed;
use super::{Done, Trouble, World, exit, motion, post};

/// Begin a new chain of links, with everything sealed anew: where the old one may have been seen, or runs out.
#[derive(Debug, Args)]
pub struct Reanchor {
    /// The old chain is lost. Acts only if the other accepts; the turn in hand is void, older seals are not audited.
    #[arg(long)]
    lost: bool,
    /// What lies in your slots, SLOT: VALUE, where your secrets do not say it.
    #[arg(long, value_name = "FILE")]
    values: Option<PathBuf>,
}

/// Give a seat a new key: the key was lost, or somebody else plays on.
///
/// Without anything it writes a request with the key of this home, to be signed by whoever holds the old key, by the game
/// master or by the director. With the recovery key it is signed at once. Never by the opponent.
#[derive(Debug, Args)]
pub struct Rekey {
    /// Sign it with the recovery key of the seat, as it was typed from paper.
    #[arg(long, value_name = "FILE", conflicts_with = "request")]
    recovery: Option<PathBuf>,
    /// Sign the request of somebody who takes a seat over: yours, or as game master or director.
    #[arg(long, value_name = "FILE")]
    request: Option<PathBuf>,
    /// A director shows the notice of the one who waits.
    #[arg(long, value_name = "FILE", requires = "request")]
    notice: Option<PathBuf>,
    /// What was sealed before is lost. Acts only if the other accepts.
    #[arg(long)]
    lost: bool,
    /// Make a new recovery key as well, and print it.
    #[arg(long)]
    new_recovery: bool,
    /// What lies in your slots, SLOT: VALUE, where your secrets do not say it.
    #[arg(long, value_name = "FILE")]
    values: Option<PathBuf>,
}

/// Go on with this garcia's version of the rules, or with other data files, from the position in force.
#[derive(Debug, Args)]
pub struct Upgrade {
    /// The public position, as the version before wrote it; state.yaml if left out.
    #[arg(long, value_name = "FILE")]
    position: Option<PathBuf>,
}

/// Plain data out of a file.
pub fn data_of(path: &Path, remedy: &str) -> Result<Json, Trouble> {
    let bytes = read_small(path)
        .map_err(|what| Trouble::new(exit::NO_INPUT, format!("{}: {what}", path.display()), remedy.to_owned()))?;
    yaml::read(&bytes).map_err(|error| Trouble::usage(format!("{}: {error}", path.display()), remedy.to_owned()))
}

fn told(values: Option<&PathBuf>) -> Result<Told, Trouble> {
    let Some(path) = values else { return Ok(Told::new()) };
    let json = data_of(path, "write a line SLOT: VALUE for each")?;
    Ok(json.as_map().cloned().unwrap_or_default())
}

/// A new recovery key, and the lines to write down.
pub fn new_recovery() -> Result<(PrivateKey, String), Trouble> {
    let key = PrivateKey::fresh().map_err(|error| Trouble::bug(error.to_string()))?;
    let lines = typed::lines("recovery", &key.seed());
    let text = format!(
        "Your recovery key. It is kept nowhere: write it down now. With it you can take your seat again.\n{}",
        lines.as_str()
    );
    Ok((key, text))
}

impl Reanchor {
    pub(super) fn run(&self, dry_run: bool, eml: bool, world: &World) -> Result<Done, Trouble> {
        let mut folder = GameFolder::open(world)?;
        if dry_run {
            let lost = if self.lost { "; the turn in hand would be void and older seals unaudited" } else { "" };
            let now = folder.seat.ledger().replay().state_hash();
            let text = format!(
                "Motion reanchor: a new chain of links{lost}\n  the position stays as it is\n  hash now  {now}\n"
            );
            return motion::shown(text, None, "Nothing is signed. Without --dry-run it is moved.", world);
        }
        if is_moved(&folder, &What::Reanchor { anchor: Id::ZERO, lost: self.lost }) {
            return moved(folder, MOVED_ALREADY, eml, world);
        }
        folder.seat.move_reanchor(self.lost, &told(self.values.as_ref())?)?;
        moved(folder, "", eml, world)
    }
}

/// What is said of a motion that is typed again.
pub const MOVED_ALREADY: &str = "This was moved already, with the last record; it is not signed again.\n";

/// Whether the last record is this very motion of one's own: a command that was killed has signed it, and whoever types it
/// again wants its mail and not a second one.
pub fn is_moved(folder: &GameFolder, what: &What) -> bool {
    let protocol = folder.seat.ledger().protocol();
    let last = protocol.next().checked_sub(1);
    let mine = protocol.moved().last().filter(|moved| Some(moved.seq) == last && moved.by == *folder.seat.role());
    mine.is_some_and(|moved| match (&moved.motion.what, what) {
        (What::Void { .. } | What::End(_), _) => moved.motion.what == *what,
        // A new chain is another one each time.
        (What::Reanchor { lost: one, .. }, What::Reanchor { lost: other, .. }) => one == other,
        // The position has changed since: what counts is where it leads.
        (What::Ruling(one), What::Ruling(other)) => {
            (one.about, &one.clause, &one.finding, one.state)
                == (other.about, &other.clause, &other.finding, other.state)
        }
        (What::Upgrade(one), What::Upgrade(other)) => {
            (&one.engine, one.rules_sha256, one.state) == (&other.engine, other.rules_sha256, other.state)
        }
        _ => false,
    })
}

/// Puts a motion on disk and into a mail.
pub fn moved(mut folder: GameFolder, notes: &str, eml: bool, world: &World) -> Result<Done, Trouble> {
    folder.save()?;
    folder.write_up()?;
    let posted = match folder.alone() {
        true => None,
        false => folder.post(eml)?,
    };
    let acts = match folder.seat.ledger().protocol().on_the_table() {
        Some(_) => "Moved; it acts once it is accepted.\n",
        None => "Moved; it acts from this record on.\n",
    };
    post::answer(&folder, &format!("{notes}{acts}"), None, posted.as_ref(), world)
}

impl Rekey {
    pub(super) fn run(&self, dry_run: bool, eml: bool, world: &World) -> Result<Done, Trouble> {
        let mut folder = GameFolder::open(world)?;
        if let Some(path) = &self.request {
            return self.grant(folder, path, dry_run, eml, world);
        }
        if folder.seat.holds_the_seat() && !self.lost {
            let what = "your key is the one the ledger knows for this seat: there is nothing to change";
            let remedy = "whoever takes the seat over makes a request in his own home: garcia handover --take BUNDLE";
            return Err(Trouble::usage(what, remedy));
        }
        let (key, mut notes) = match self.new_recovery {
            true => new_recovery().map(|(key, text)| (Some(key.public()), text))?,
            false => (None, String::new()),
        };
        if dry_run {
            let text = format!(
                "Motion rekey: the key {} for {}\n",
                super::folder::spelled(&folder.seat.fingerprint()),
                folder.seat.role()
            );
            return motion::shown(text, None, "Nothing is signed and nothing is asked for.", world);
        }
        let request = folder.seat.request(key, self.lost, &told(self.values.as_ref())?)?;
        if let Some(path) = &self.recovery {
            let typed = read_typed(path)?;
            let Some(seed) = typed.secret("recovery") else {
                return Err(Trouble::usage("there is no recovery key on this paper", "type its four lines"));
            };
            folder.seat.recover(&request, &PrivateKey::from_seed(seed))?;
            return moved(folder, &notes, eml, world);
        }
        let path = folder.path.join(OUTBOX).join("rekey-request.yaml");
        let head = [
            "A request for a seat. Whoever holds the old key, the game master or the director signs it:".to_owned(),
            "garcia motion rekey --request FILE. It counts after the record it names, and no other.".to_owned(),
        ];
        write_whole(&path, yaml::write(&head, &request.to_json()?).as_bytes(), Readers::Anyone)?;
        notes.push_str(&format!(
            "A request is written: {}\nMail it to whoever holds the old key, to the game master or to the director; he runs\n  \
             garcia motion rekey --request FILE\nand mails the record to everybody. Compare keys by telephone: yours begins {}\n",
            path.display(),
            super::folder::spelled(&folder.seat.fingerprint())
        ));
        Ok(Done::good(notes))
    }

    fn grant(
        &self,
        mut folder: GameFolder,
        path: &Path,
        dry_run: bool,
        eml: bool,
        world: &World,
    ) -> Result<Done, Trouble> {
        let json = data_of(path, "ask for the request again")?;
        let request = Request::from_json(&json)
            .map_err(|what| Trouble::usage(format!("{}: {what}", path.display()), "ask for the request again"))?;
        let told = format!(
            "Motion rekey: the key {} for {}. Compare it by telephone before you sign.\n",
            super::folder::spelled(&request.key),
            request.role
        );
        if dry_run {
            return motion::shown(told, None, "Nothing is signed. Without --dry-run it is moved.", world);
        }
        let notice = self.notice.as_deref().map(paper_of).transpose()?.map(|paper| paper.to_json());
        folder.seat.grant(&request, notice)?;
        moved(folder, &told, eml, world)
    }
}

/// A paper out of a file.
pub fn paper_of(path: &Path) -> Result<Paper, Trouble> {
    let found = super::post::read_mail(&[path.to_owned()])?;
    let wrong = || Trouble::usage(format!("there is no paper in {}", path.display()), "ask for it again");
    found.papers.into_iter().next().ok_or_else(wrong)
}

/// What the version before has noted beside a position of what lies face down in it, if it is the position in force.
fn noted_beside(position: &Path, ledger: &Ledger) -> Result<Vec<Kept>, Trouble> {
    let path = position.with_file_name(FACE_DOWN);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let remedy = format!("it is {FACE_DOWN}, as the version before wrote it");
    let json = data_of(&path, &remedy)?;
    let of = json.get("state").and_then(Json::as_str).and_then(|state| state.parse::<Id>().ok());
    let kept = json.get("kept").filter(|_| of.is_some() && of == ledger.protocol().state());
    let kept = kept.map(from_json::<Vec<Kept>>).transpose();
    Ok(kept.map_err(|error| Trouble::usage(format!("{}: {error}", path.display()), remedy))?.unwrap_or_default())
}

impl Upgrade {
    pub(super) fn run(&self, dry_run: bool, eml: bool, world: &World) -> Result<Done, Trouble> {
        let mut folder = GameFolder::open_for_upgrade(world)?;
        let path = self.position.clone().unwrap_or_else(|| folder.path.join(STATE));
        let position = data_of(&path, "it is state.yaml, as the version before wrote it")?;
        let noted = noted_beside(&path, folder.seat.ledger())?;
        let upgrade = folder.seat.ledger().upgrade(&position, &noted)?;
        let words = format!("Motion {}\n", upgrade.words());
        if dry_run {
            return motion::shown(words, None, "Nothing is signed. Without --dry-run it is moved.", world);
        }
        if is_moved(&folder, &upgrade.what) {
            return moved(folder, MOVED_ALREADY, eml, world);
        }
        folder.seat.move_upgrade(&position, &noted)?;
        moved(folder, &words, eml, world)
    }
}
