//! The folder with a player's secrets: his key, and for every game its secret, sealed values and sign ledger.
//!
//! It never lies inside a game folder, so that a game folder may be handed on.

mod written;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use self::written::{read_secret, wipe, write_secret};
use super::bytes::Id;
use super::data::Reveal;
use super::key::PrivateKey;
use super::record::{Body, Record, RecordKind};
use super::role::Role;
use super::secret::{GameSecret, Randomness};
use super::store::{FileTrouble, Lock};
use crate::engine::Slot;
use crate::engine::digest::{from_hexadecimal, to_hexadecimal};
use crate::engine::json::Json;

/// What tells openings apart: whose, of which version of which slot, with which salt.
type Opening<'o> = (&'o Role, &'o Slot, u32, Id);

fn opening((role, reveal): &(Role, Reveal)) -> Opening<'_> {
    (role, &reveal.slot, reveal.version, reveal.salt)
}

/// How files with secrets begin, so that one in the wrong place is recognised.
pub const HEADS: [&str; 2] = [
    "Your private key. Whoever has this file can sign in your name: keep it, copy it to paper, show it to nobody.",
    "Your secrets of one game. Whoever has this file can foresee dice that you close and read what you sealed.",
];

/// The folder with a player's secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    path: PathBuf,
    randomness: Randomness,
}

impl Home {
    /// The folder given on the command line, else `$GARCIA_HOME`, else the system's place for settings.
    pub fn find(given: Option<&Path>) -> Result<Home, FileTrouble> {
        Home::choose(given, |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from))
    }

    fn choose(given: Option<&Path>, variable: impl Fn(&str) -> Option<PathBuf>) -> Result<Home, FileTrouble> {
        let home = |below: &str| variable("HOME").map(|home| home.join(below));
        let settings = || match std::env::consts::OS {
            "windows" => variable("APPDATA"),
            "macos" => home("Library/Application Support"),
            _ => variable("XDG_CONFIG_HOME").or_else(|| home(".config")),
        };
        let path = given
            .map(Path::to_owned)
            .or_else(|| variable("GARCIA_HOME"))
            .or_else(|| settings().map(|folder| folder.join("garcia")));
        path.map(|path| Home { path, randomness: Randomness::System }).ok_or_else(|| {
            FileTrouble::new(Path::new("GARCIA_HOME"), "no folder for secrets is known; set this variable to one")
        })
    }

    /// A folder whose keys and secrets are derived from a seed: to play a match again with the same dice, as tests do.
    ///
    /// Whoever knows the seed knows the key; no command makes such a folder.
    pub fn seeded(path: &Path, seed: &str) -> Home {
        Home { path: path.to_owned(), randomness: Randomness::seeded(seed) }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn identity_path(&self) -> PathBuf {
        self.path.join("identity.yaml")
    }

    fn game_path(&self, game: &Id, role: &Role) -> PathBuf {
        let mut short = game.to_string();
        short.truncate(16);
        self.path.join("secrets").join(format!("{short}-{role}.yaml"))
    }

    /// The player's key, made the first time it is asked for.
    ///
    /// Only the making needs the folder alone: a player may be at work in two games at once.
    pub fn identity(&self) -> Result<PrivateKey, FileTrouble> {
        if let Some(key) = self.known_identity()? {
            return Ok(key);
        }
        let _held = Lock::take(&self.path)?;
        if let Some(key) = self.known_identity()? {
            return Ok(key);
        }
        let path = self.identity_path();
        let key = PrivateKey::drawn(&self.randomness).map_err(|e| FileTrouble::new(&path, e))?;
        self.write_identity(&key)?;
        Ok(key)
    }

    /// Puts a key back that was on paper; one that is there is left alone, and then this says whether it is the same.
    pub fn restore_identity(&self, key: &PrivateKey) -> Result<bool, FileTrouble> {
        let _held = Lock::take(&self.path)?;
        if let Some(there) = self.known_identity()? {
            return Ok(there.public() == key.public());
        }
        self.write_identity(key)?;
        Ok(true)
    }

    fn write_identity(&self, key: &PrivateKey) -> Result<(), FileTrouble> {
        let seed = Zeroizing::new(to_hexadecimal(key.seed().as_ref()));
        let json = Json::object([("key", seed.as_str()), ("public", &key.public().to_string())]);
        write_secret(&self.identity_path(), &[HEADS[0]], json)
    }

    /// The public half of the player's key, if he has one yet.
    pub fn public_key(&self) -> Option<Id> {
        self.known_identity().ok().flatten().map(|key| key.public())
    }

    fn known_identity(&self) -> Result<Option<PrivateKey>, FileTrouble> {
        let path = self.identity_path();
        if !path.exists() {
            return Ok(None);
        }
        let mut json = read_secret(&path)?;
        let seed = json.get("key").and_then(Json::as_str).and_then(from_hexadecimal).map(Zeroizing::new);
        wipe(&mut json);
        let seed = seed.ok_or_else(|| FileTrouble::new(&path, "`key` has to be 64 hexadecimal digits"))?;
        Ok(Some(PrivateKey::from_seed(&seed)))
    }

    /// A secret for a new game.
    pub fn fresh_secret(&self) -> Result<GameSecret, FileTrouble> {
        let games = fs::read_dir(self.path.join("secrets")).map_or(0, |entries| entries.flatten().count());
        GameSecret::drawn(&self.randomness, &format!("game {games}")).map_err(|e| FileTrouble::new(&self.path, e))
    }

    /// Keeps the secret of a new game.
    pub fn begin_game(&self, game: Id, role: Role, secret: GameSecret, links: u32) -> Result<GameFile, FileTrouble> {
        let path = self.game_path(&game, &role);
        if path.exists() {
            return Err(FileTrouble::new(&path, "there are secrets for this game and role already"));
        }
        let file = GameFile {
            path: Some(path),
            randomness: self.randomness.clone(),
            ..GameFile::in_memory(game, role, secret, links)
        };
        file.save()?;
        Ok(file)
    }

    /// Keeps secrets that were handed over.
    pub fn take_over(&self, file: GameFile) -> Result<GameFile, FileTrouble> {
        let path = self.game_path(&file.game, &file.role);
        // What the other has signed was signed with his key.
        let (randomness, signed) = (self.randomness.clone(), BTreeMap::new());
        let file = GameFile { path: Some(path.clone()), randomness, signed, last: None, next: None, ..file };
        if path.exists() {
            // A command that was killed has kept just these; anything else is somebody's seat.
            let there = self.game(&file.game, &file.role)?;
            return match there.to_json() == file.to_json() {
                true => Ok(there),
                false => Err(FileTrouble::new(&path, "there are secrets for this game and role already")),
            };
        }
        file.save()?;
        Ok(file)
    }

    /// The secrets of a game.
    pub fn game(&self, game: &Id, role: &Role) -> Result<GameFile, FileTrouble> {
        let file = GameFile::load(self.game_path(game, role), game, role)?;
        Ok(GameFile { randomness: self.randomness.clone(), ..file })
    }

    /// The roles of a game whose secrets are here.
    pub fn roles(&self, game: &Id) -> Result<Vec<Role>, FileTrouble> {
        let folder = self.path.join("secrets");
        let mut short = game.to_string();
        short.truncate(16);
        let Ok(entries) = fs::read_dir(&folder) else { return Ok(Vec::new()) };
        let mut roles = Vec::new();
        for entry in entries {
            let name = entry.map_err(|e| FileTrouble::new(&folder, e))?.file_name();
            let name = name.to_string_lossy();
            let role =
                name.strip_prefix(&short).and_then(|n| n.strip_prefix('-')).and_then(|n| n.strip_suffix(".yaml"));
            roles.extend(role.and_then(|r| r.parse().ok()));
        }
        roles.sort();
        Ok(roles)
    }
}

/// What a role keeps during one game.
#[cfg_attr(test, derive(Clone))]
pub struct GameFile {
    path: Option<PathBuf>,
    game: Id,
    role: Role,
    secret: GameSecret,
    links: u32,
    randomness: Randomness,
    values: BTreeMap<String, Json>,
    entrusted: Vec<(Role, Reveal)>,
    signed: BTreeMap<Id, Id>,
    /// For which orders each link was opened, by the link.
    closed: BTreeMap<Id, Id>,
    last: Option<Record>,
    /// The furthest place anything was signed for.
    reached: Option<u32>,
    /// Later records of the match that are known, by place and by the record they name; kept elsewhere.
    later: Vec<(u32, Id)>,
    /// The secrets of chains before the one in force, in order.
    earlier: Vec<GameSecret>,
    /// The salts of what was sealed with those.
    older: BTreeMap<String, Id>,
    /// The secret of a chain that is moved and not in force yet.
    next: Option<GameSecret>,
    /// Director: the furthest link each player has left with him, with its number.
    deposits: BTreeMap<Role, (u32, Id)>,
}

/// A value, and the slot and version it is sealed in.
pub type Sealed = (Slot, u32, Json);

/// Why nothing was signed.
#[derive(Debug, thiserror::Error)]
pub enum NotSigned {
    /// Something else was signed at this place before.
    #[error(
        "you have signed record {0} at this place already; a second one would convict you of a fork. \
         Send the first one again (`garcia resend`)"
    )]
    Twice(Id),
    /// A link was opened for other orders before.
    #[error("you have opened link {0} for other orders already; a second time would convict you of a fork")]
    LinkTwice(u32),
    /// A record behind this place is known, so there was one here.
    #[error(
        "record {0} is missing, and a later one is known: it was signed before, perhaps by you. \
         Signing another could convict you of a fork; ask for record {0}"
    )]
    Missing(u32),
    /// The record could not be made.
    #[error(transparent)]
    Record(#[from] super::record::NotARecord),
    /// The secrets file could not be written, so the signature was withheld.
    #[error(transparent)]
    File(#[from] FileTrouble),
}

impl GameFile {
    /// Secrets that are kept nowhere: for games that end with the process.
    pub fn in_memory(game: Id, role: Role, secret: GameSecret, links: u32) -> GameFile {
        GameFile {
            path: None,
            game,
            role,
            secret,
            links,
            randomness: Randomness::System,
            values: BTreeMap::new(),
            entrusted: Vec::new(),
            signed: BTreeMap::new(),
            closed: BTreeMap::new(),
            last: None,
            reached: None,
            later: Vec::new(),
            earlier: Vec::new(),
            older: BTreeMap::new(),
            next: None,
            deposits: BTreeMap::new(),
        }
    }

    /// The same secrets in memory alone, as if nothing had been signed with them: to try out what would come of it.
    pub fn before_signing(self) -> GameFile {
        let (signed, closed) = (BTreeMap::new(), BTreeMap::new());
        GameFile { path: None, signed, closed, last: None, reached: None, ..self }
    }

    /// The game.
    pub fn game(&self) -> Id {
        self.game
    }

    /// The role.
    pub fn role(&self) -> &Role {
        &self.role
    }

    /// The secret of the game.
    pub fn secret(&self) -> &GameSecret {
        &self.secret
    }

    /// The secrets of chains before the one in force, in order.
    pub fn earlier(&self) -> &[GameSecret] {
        &self.earlier
    }

    /// The salts of what was sealed with earlier secrets, by `<slot>/<version>`.
    pub fn older_salts(&self) -> &BTreeMap<String, Id> {
        &self.older
    }

    /// How many links the chain has.
    pub fn links(&self) -> u32 {
        self.links
    }

    /// The value that was sealed in one version of a slot.
    pub fn value(&self, slot: &Slot, version: u32) -> Option<&Json> {
        self.values.get(&format!("{slot}/{version}"))
    }

    /// Whether nothing was signed or sealed with them yet.
    pub fn is_untouched(&self) -> bool {
        self.signed.is_empty() && self.last.is_none() && self.values.is_empty() && self.next.is_none()
    }

    /// All sealed values, by `<slot>/<version>`.
    pub fn values(&self) -> &BTreeMap<String, Json> {
        &self.values
    }

    /// Openings that players have entrusted to this game master.
    pub fn entrusted(&self) -> &[(Role, Reveal)] {
        &self.entrusted
    }

    /// Director: keeps what a player leaves with him.
    pub fn keep_deposit(&mut self, role: &Role, left: (u32, Id), reveals: Vec<Reveal>) -> Result<(), FileTrouble> {
        self.entrust(role, reveals)?;
        if self.deposits.get(role) == Some(&left) {
            return Ok(());
        }
        let _held = self.lock_and_merge()?;
        self.deposits.insert(role.clone(), left);
        self.save()
    }

    /// Director: the furthest link a player has left with him.
    pub fn deposit_of(&self, role: &Role) -> Option<(u32, Id)> {
        self.deposits.get(role).copied()
    }

    /// The secret of a chain that is moved and not in force yet.
    pub fn waiting_secret(&self) -> Option<&GameSecret> {
        self.next.as_ref()
    }

    /// Puts back what was on paper: the secrets of earlier chains, and sealed values.
    pub fn restore(&mut self, earlier: Vec<GameSecret>, values: BTreeMap<String, Json>) -> Result<(), FileTrouble> {
        let _held = self.lock_and_merge()?;
        self.earlier = earlier;
        self.values.extend(values);
        self.save()
    }

    /// Which salts belong to earlier chains, once the ledger is known that says so.
    pub fn note_older(&mut self, older: BTreeMap<String, Id>) {
        self.older.extend(older);
    }

    /// Keeps values that are about to be sealed in a record somebody else signs.
    pub fn keep_values(&mut self, sealed: &[Sealed]) -> Result<(), FileTrouble> {
        let _held = self.lock_and_merge()?;
        for (slot, version, value) in sealed {
            self.values.insert(format!("{slot}/{version}"), value.clone());
        }
        self.save()
    }

    /// The secret of the chain that is about to be moved: made once, so that signing again gives the same bytes.
    pub fn next_secret(&mut self) -> Result<GameSecret, NotSigned> {
        if let Some(next) = &self.next {
            return Ok(next.clone());
        }
        let _held = self.lock_and_merge()?;
        let path = self.path.clone().unwrap_or_default();
        let purpose = format!("{} {} chain {}", self.game, self.role, self.earlier.len());
        let fresh = GameSecret::drawn(&self.randomness, &purpose).map_err(|error| FileTrouble::new(&path, error))?;
        let next = self.next.get_or_insert(fresh).clone();
        self.save()?;
        Ok(next)
    }

    /// The chain that was moved is in force; `sealed` are the commitments made before it.
    ///
    /// What was lost stays behind.
    pub fn begin_chain(&mut self, sealed: impl Iterator<Item = (Slot, u32)>, lost: bool) -> Result<(), FileTrouble> {
        let _held = self.lock_and_merge()?;
        let Some(next) = self.next.take() else { return Ok(()) };
        if lost {
            (self.secret, self.earlier, self.older) = (next, Vec::new(), BTreeMap::new());
            return self.save();
        }
        let hide = self.secret.hide();
        for (slot, version) in sealed {
            self.older.entry(format!("{slot}/{version}")).or_insert_with(|| hide.salt(&slot, version));
        }
        self.earlier.push(std::mem::replace(&mut self.secret, next));
        self.save()
    }

    /// Those of a player's openings that are not kept yet, just as they are: mails bring along what earlier ones brought.
    pub fn unknown(&self, role: &Role, reveals: Vec<Reveal>) -> Vec<Reveal> {
        let kept = self.kept();
        let place = |reveal: &Reveal| kept.get(&(role, &reveal.slot, reveal.version, reveal.salt)).copied();
        reveals.into_iter().filter(|reveal| place(reveal) != Some(reveal)).collect()
    }

    fn kept(&self) -> BTreeMap<Opening<'_>, &Reveal> {
        self.entrusted.iter().map(|given| (opening(given), &given.1)).collect()
    }

    /// Keeps openings of a player's, each once.
    pub fn entrust(&mut self, role: &Role, reveals: Vec<Reveal>) -> Result<(), FileTrouble> {
        if self.unknown(role, reveals.clone()).is_empty() {
            return Ok(());
        }
        let _held = self.lock_and_merge()?;
        self.add_openings(reveals.into_iter().map(|reveal| (role.clone(), reveal)).collect());
        self.save()
    }

    fn add_openings(&mut self, openings: Vec<(Role, Reveal)>) {
        let (mut kept, mut new) = (self.kept(), Vec::new());
        for given in &openings {
            if kept.insert(opening(given), &given.1) != Some(&given.1) {
                new.push(given.clone());
            }
        }
        self.entrusted.extend(new);
    }

    /// The last record that said something of its signer's own: a packet or answers. If the program was interrupted
    /// before it reached the ledger, it is found here; everything else can be made again.
    pub fn last(&self) -> Option<&Record> {
        self.last.as_ref()
    }

    /// Whether it is noted here that a record was signed. A home from an older backup does not know the later ones.
    pub fn remembers(&self, record: &Record) -> bool {
        self.signed.get(&record.body().prev) == Some(&record.id())
    }

    /// Notes the later records of the match that are known: nothing is signed for a place before them, unless they name it.
    pub fn note_later(&mut self, later: Vec<(u32, Id)>) {
        self.later = later;
    }

    /// Whether the record for a place, after this one, is missing: a later one is known, or one of one's own stands further on
    /// and an older copy of the ledger is in hand.
    pub fn is_missing(&self, seq: u32, prev: &Id) -> bool {
        self.later.iter().any(|(later, _)| *later > seq) || self.is_behind(seq, prev)
    }

    fn is_behind(&self, seq: u32, prev: &Id) -> bool {
        self.reached.is_some_and(|reached| reached > seq) && !self.signed.contains_key(prev)
    }

    /// Keeps what came back of one's own: a record signed before, and values that were sealed in it.
    pub fn recall(&mut self, record: &Record, sealed: Vec<Sealed>) -> Result<(), FileTrouble> {
        let known = self.signed.get(&record.body().prev) == Some(&record.id());
        if known && sealed.is_empty() {
            return Ok(());
        }
        let _held = self.lock_and_merge()?;
        self.signed.entry(record.body().prev).or_insert(record.id());
        self.reached = self.reached.max(Some(record.body().seq));
        if let Some((_, link, orders)) = closed_by(record.body()) {
            self.closed.entry(link).or_insert(orders);
        }
        for (slot, version, value) in sealed {
            self.values.insert(format!("{slot}/{version}"), value);
        }
        self.save()
    }

    /// Takes the lock of the folder and what another process, or another copy of the game, wrote there since.
    fn lock_and_merge(&mut self) -> Result<Option<Lock>, FileTrouble> {
        let held = self.path.as_deref().and_then(Path::parent).map(Lock::take).transpose()?;
        let Some(path) = self.path.clone().filter(|path| path.exists()) else { return Ok(held) };
        let there = GameFile::load(path, &self.game, &self.role)?;
        for (prev, id) in there.signed {
            self.signed.entry(prev).or_insert(id);
        }
        for (link, orders) in there.closed {
            self.closed.entry(link).or_insert(orders);
        }
        if there.earlier.len() > self.earlier.len() {
            (self.secret, self.earlier, self.older, self.next) = (there.secret, there.earlier, there.older, there.next);
        } else if self.next.is_none() {
            self.next = there.next;
        }
        for (role, left) in there.deposits {
            self.deposits.entry(role).or_insert(left);
        }
        for (name, value) in there.values {
            self.values.entry(name).or_insert(value);
        }
        if there.entrusted != self.entrusted {
            self.add_openings(there.entrusted);
        }
        self.reached = self.reached.max(there.reached);
        let place = |record: &Option<Record>| record.as_ref().map(|record| record.body().seq);
        if place(&there.last) > place(&self.last) {
            self.last = there.last;
        }
        Ok(held)
    }

    /// Signs a record, once for each place in the ledger, and keeps the values it seals. All of it is on disk before
    /// the signature leaves.
    pub fn sign(&mut self, body: Body, sealed: &[Sealed], key: &PrivateKey) -> Result<Record, NotSigned> {
        let (prev, id, seq) = (body.prev, body.id(), body.seq);
        let named = self.later.iter().any(|(later, prev)| *later == seq + 1 && *prev == id);
        if self.later.iter().any(|(later, _)| *later > seq) && !named {
            return Err(NotSigned::Missing(seq));
        }
        let closing = closed_by(&body);
        let record = Record::sign(body, key)?;
        let _held = self.lock_and_merge()?;
        if let Some(before) = self.signed.get(&prev).filter(|before| **before != id) {
            return Err(NotSigned::Twice(*before));
        }
        if self.is_behind(seq, &prev) {
            return Err(NotSigned::Missing(seq));
        }
        if let Some((index, link, orders)) = closing {
            if self.closed.get(&link).is_some_and(|before| *before != orders) {
                return Err(NotSigned::LinkTwice(index));
            }
            self.closed.insert(link, orders);
        }
        self.signed.insert(prev, id);
        self.reached = self.reached.max(Some(seq));
        for (slot, version, value) in sealed {
            self.values.insert(format!("{slot}/{version}"), value.clone());
        }
        let decides = [
            RecordKind::Join,
            RecordKind::Orders,
            RecordKind::Plan,
            RecordKind::Motion,
            RecordKind::Accept,
            RecordKind::Decline,
        ];
        if decides.contains(&record.body().kind) {
            self.last = Some(record.clone());
        }
        self.save()?;
        Ok(record)
    }

    /// The same secrets and everything that was signed with them, kept in memory from now on.
    #[cfg(test)]
    pub(super) fn off_disk(self) -> GameFile {
        GameFile { path: None, ..self }
    }

    /// How many places were signed for.
    #[cfg(test)]
    pub(super) fn signed_count(&self) -> usize {
        self.signed.len()
    }

    /// Forgets what was signed, as a patched program would.
    #[cfg(test)]
    pub(super) fn forget(&mut self) {
        self.signed.clear();
        self.closed.clear();
        self.reached = None;
        self.path = None;
    }

    /// Replaces a sealed value on disk, as a patched program would.
    #[cfg(test)]
    pub(super) fn replace(&mut self, slot: &Slot, version: u32, value: Json) {
        self.values.insert(format!("{slot}/{version}"), value);
        self.save().expect("saved");
    }
}

/// The link a result opens, with its number, and the orders it closes.
fn closed_by(body: &Body) -> Option<(u32, Id, Id)> {
    if body.kind != RecordKind::Result {
        return None;
    }
    let index = body.data.get("index").and_then(Json::as_int).and_then(|index| u32::try_from(index).ok())?;
    let id = |name: &str| body.data.get(name)?.as_str()?.parse().ok();
    Some((index, id("link")?, id("orders")?))
}

#[cfg(test)]
#[path = "home_tests.rs"]
mod tests;
