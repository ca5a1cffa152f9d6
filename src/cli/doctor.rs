//! `garcia doctor`: looks a game folder and the secrets over, and says what to type.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::engine::Diary;
use crate::engine::visible::visible;
use crate::report::{Page, terminal};
use crate::trust::data::Mode;
use crate::trust::home::{HEADS, Home};
use crate::trust::record::Record;
use crate::trust::role::Role;
use crate::trust::store::{LIES, LedgerFile, LedgerFolder, Lock, STRANGER, is_draft, read_small, second_file};

use super::sight::Sight;
use super::{Done, Trouble, World, exit, folder, next};

/// How many folders deep a game folder and a home are looked through.
const MOST_DEPTH: usize = 4;

/// Look a game folder and your secrets over: what was left behind, what is amiss, and what to type.
///
/// It looks for locks, drafts of killed commands, conflicted copies, secrets that others may read or that lie in the
/// game folder, orders that are signed and not mailed, records that wait for a missing one, and secrets older than the
/// ledger. It changes nothing unless you say --mend.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  garcia doctor           in a game folder
  garcia doctor --mend    removes drafts of killed commands, shuts secrets to others; nothing else
  garcia doctor --json    [{\"what\", \"file\", \"remedy\"}, …]

Exit code 0: nothing is amiss. 3: there is something to do.")]
pub struct Doctor {
    /// Remove the drafts that killed commands left, and take away others' right to read your secrets.
    #[arg(long)]
    mend: bool,
}

/// Something that is not as it should be.
#[derive(Debug, Serialize)]
struct Ailment {
    what: String,
    file: Option<String>,
    remedy: String,
    #[serde(skip)]
    cure: Option<Cure>,
}

/// What `--mend` does about it.
#[derive(Debug)]
enum Cure {
    Remove(PathBuf),
    Shut(PathBuf),
}

impl Ailment {
    fn new(what: impl Into<String>, remedy: impl Into<String>) -> Ailment {
        Ailment { what: what.into(), file: None, remedy: remedy.into(), cure: None }
    }

    fn at(mut self, path: &Path) -> Ailment {
        self.file = Some(visible(&path.display().to_string()));
        self
    }

    fn cured_by(mut self, cure: Cure) -> Ailment {
        self.cure = Some(cure);
        self
    }
}

impl Doctor {
    pub(super) fn run(self, world: &World) -> Result<Done, Trouble> {
        let game = folder::find(world)?;
        let here = if game.as_os_str().is_empty() { Path::new(".") } else { game.as_path() };
        let mut found = Vec::new();
        let home = match folder::home(world, here) {
            Ok(home) => Some(home),
            Err(trouble) => {
                found.push(Ailment::new(trouble.what, trouble.remedy));
                None
            }
        };
        found.extend(held(here, home.as_ref()));
        let games = files_below(here);
        let secrets = home.as_ref().map(|home| files_below(home.path())).unwrap_or_default();
        found.extend(games.iter().chain(&secrets).filter_map(|path| draft(path)));
        found.extend(games.iter().filter_map(|path| stray_secret(path)));
        found.extend(secrets.iter().filter_map(|path| open_to_others(path)));
        found.extend(secrets.iter().filter_map(|path| copied_secret(path)));
        found.extend(ledger(here));
        found.extend(position(world, here, home.as_ref()));
        let mended = if self.mend { mend(&mut found, here, home.as_ref())? } else { Vec::new() };
        answer(world, &found, &mended)
    }
}

/// Who else is at work.
fn held(game: &Path, home: Option<&Home>) -> Vec<Ailment> {
    let places = [(game, "this folder")].into_iter().chain(home.map(|home| (home.path(), "your folder of secrets")));
    let busy = places.filter(|(path, _)| Lock::is_held(path));
    busy.map(|(path, name)| {
        Ailment::new(format!("another garcia is at work in {name}"), "wait until it is done").at(path)
    })
    .collect()
}

/// All plain files below a folder, by name; links are not followed.
fn files_below(root: &Path) -> Vec<PathBuf> {
    let (mut files, mut open) = (Vec::new(), vec![(root.to_owned(), 0)]);
    while let Some((folder, depth)) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok) {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth < MOST_DEPTH => open.push((entry.path(), depth + 1)),
                Ok(kind) if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn draft(path: &Path) -> Option<Ailment> {
    let what = "a draft that a killed command left; nobody needs it";
    let cure = Cure::Remove(path.to_owned());
    is_draft(&name_of(path)).then(|| Ailment::new(what, "garcia doctor --mend").at(path).cured_by(cure))
}

/// A key or secrets in the game folder: whoever gets the folder gets them.
fn stray_secret(path: &Path) -> Option<Ailment> {
    let text = read_small(path).ok()?;
    let head = String::from_utf8_lossy(&text[..text.len().min(400)]).into_owned();
    let mark = HEADS.iter().find(|mark| head.contains(**mark))?;
    let what =
        if *mark == HEADS[0] { "your private key lies in the game folder" } else { "secrets lie in the game folder" };
    let remedy = "move it to your folder of secrets; if the folder was ever sent to anybody, `garcia motion rekey`";
    Some(Ailment::new(what, remedy).at(path))
}

#[cfg(unix)]
fn open_to_others(path: &Path) -> Option<Ailment> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(path).ok()?.permissions().mode() & 0o777;
    let secret = name_of(path).ends_with(".yaml");
    let what = format!("others on this machine may read your secrets (mode {mode:o})");
    let cure = Cure::Shut(path.to_owned());
    (secret && mode & 0o077 != 0).then(|| Ailment::new(what, "garcia doctor --mend").at(path).cured_by(cure))
}

#[cfg(not(unix))]
fn open_to_others(_: &Path) -> Option<Ailment> {
    None
}

/// A second file of secrets for a game: a folder synchronised between two machines.
fn copied_secret(path: &Path) -> Option<Ailment> {
    let name = name_of(path);
    let in_secrets = path.parent().is_some_and(|folder| name_of(folder) == "secrets");
    let ours = name.strip_suffix(".yaml").and_then(|name| name.split_once('-')).is_some_and(|(game, role)| {
        game.len() == 16 && game.bytes().all(|byte| byte.is_ascii_hexdigit()) && role.parse::<Role>().is_ok()
    });
    let strange = in_secrets && !ours && !name.starts_with('.');
    let what = "no file of secrets has this name: a conflicted copy? garcia reads only the original";
    let remedy = "sign on one machine only until `garcia verify` is content; keep the copy until the game is over";
    strange.then(|| Ailment::new(what, remedy).at(path))
}

/// What is amiss in the ledger: gaps, copies, strangers, comments that lie.
fn ledger(game: &Path) -> Vec<Ailment> {
    let files = match LedgerFolder::of_game(game).read() {
        Ok(files) => files,
        Err(trouble) => return vec![Ailment::new(trouble.to_string(), "see that the ledger is there and may be read")],
    };
    let path = game.join("ledger");
    // A place all of whose files hold one record is in order; a rival beside a copy is not.
    let held = |seq: u32| files.files.iter().filter(move |file| file.seq == seq);
    let copied = |file: &&LedgerFile| held(file.seq).all(|other| other.record.is_ok() && other.record == file.record);
    let copies: Vec<&LedgerFile> = files.files.iter().filter(copied).collect();
    let harmless: Vec<String> = copies.iter().map(|file| second_file(file)).collect();
    let named = |file: &&&LedgerFile| file.record.as_ref().is_ok_and(|record| record.file_name() != file.name);
    let told = copies.iter().filter(named).filter(|file| held(file.seq).count() > 1).map(|file| {
        let what = format!("a copy of record {}, the same to the letter", file.seq);
        Ailment::new(what, "it does no harm; remove it if you like").at(&path.join(&file.name))
    });
    let problems = files.problems.iter().filter(|problem| !harmless.contains(problem));
    told.chain(problems.map(|problem| of_ledger(problem, &path))).collect()
}

fn of_ledger(problem: &str, path: &Path) -> Ailment {
    let remedy = match problem {
        _ if problem.contains("missing") => "ask the other player: `garcia resend --from N` on his side makes the mail",
        _ if problem.contains(STRANGER) => "it does no harm; move it out of the ledger",
        _ if problem.contains(LIES) => "the record itself counts; get its file again with `garcia resend` of the other",
        _ if problem.contains("there is another file") => "garcia verify",
        _ => "get the record again: `garcia resend --from N` on the other side",
    };
    Ailment::new(problem, remedy).at(path)
}

/// What the replayed game says: what is owed, what was not mailed, what the secrets have forgotten.
fn position(world: &World, game: &Path, home: Option<&Home>) -> Vec<Ailment> {
    let there = World { game: Some(game.to_owned()), ..world.clone() };
    let sight = match Sight::open(&there) {
        Ok(sight) => sight,
        Err(trouble) => return vec![Ailment::new(trouble.what, trouble.remedy)],
    };
    let (mut found, protocol) = (Vec::new(), sight.ledger.protocol());
    let waiting = folder::waiting(game);
    if let Some(first) = waiting.iter().map(|record| record.body().seq).min()
        && first > protocol.next()
    {
        found.push(Ailment::new(
            format!("{} came early and wait", plural(waiting.len())),
            next::ask_for(protocol.next()),
        ));
    }
    let (Some(home), Some(role), Some(id)) = (home, &sight.role, protocol.game()) else {
        if home.is_some() {
            let what = "there are no secrets of this game in your folder of secrets: you can only look on";
            found.push(Ailment::new(what, "name the right one with --home DIR or GARCIA_HOME"));
        }
        return found;
    };
    let secrets = match home.game(&id, role) {
        Ok(secrets) => secrets,
        Err(trouble) => {
            let remedy = "restore the file from a backup, or `garcia secret restore` from paper";
            found.push(Ailment::new(trouble.what, remedy).at(&trouble.path));
            return found;
        }
    };
    if let Some(last) = secrets.last()
        && last.body().prev == protocol.head()
    {
        let what = format!("record {} is signed and not in the ledger: a command was interrupted", last.body().seq);
        let verb = if protocol.mode() == Mode::Solo { "garcia resolve" } else { "garcia resend" };
        found.push(Ailment::new(what, format!("{verb} puts it there and goes on")));
    }
    let key = protocol.signatories().get(role).map(|seat| seat.key);
    let own = |record: &&Record| {
        record.body().by == *role && record.body().seq > 0 && key.is_some_and(|key| record.is_signed_by(&key))
    };
    let forgotten = sight.ledger.records().iter().filter(own).filter(|record| !secrets.remembers(record)).count();
    if forgotten > 0 {
        let what = format!("your secrets are older than the ledger: they do not know {} of yours", plural(forgotten));
        let remedy = "put the newest copy of your folder of secrets back; else `garcia receive` the records once more";
        found.push(Ailment::new(what, remedy));
    }
    found.extend(not_mailed(game, &sight, role));
    found
}

/// The last records are one's own, somebody waits for them, and no mail of them was made.
fn not_mailed(game: &Path, sight: &Sight, role: &Role) -> Option<Ailment> {
    let alone = sight.ledger.protocol().mode() == Mode::Solo;
    let last = sight.ledger.records().last().filter(|record| record.body().by == *role)?;
    let number = format!("{:04}", last.body().seq);
    let mailed = fs::read_dir(game.join(folder::OUTBOX)).into_iter().flatten().filter_map(Result::ok);
    let mailed = mailed.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let made = mailed.into_iter().any(|name| name.starts_with(&number));
    let waits = sight.ledger.awaited().who().is_some_and(|who| who != role);
    let what = format!("record {} is signed, and no mail of it lies in {}/", last.body().seq, folder::OUTBOX);
    (!alone && !made && waits).then(|| Ailment::new(what, "garcia resend makes the mail"))
}

fn plural(records: usize) -> String {
    if records == 1 { "1 record".to_owned() } else { format!("{records} records") }
}

/// Cures what can be cured here; gives back what was done.
fn mend(found: &mut Vec<Ailment>, game: &Path, home: Option<&Home>) -> Result<Vec<String>, Trouble> {
    // A draft belongs to whoever is writing it.
    let _game = Lock::take(game)?;
    let _home = home.map(|home| Lock::take(home.path())).transpose()?;
    let mut done = Vec::new();
    for ailment in std::mem::take(found) {
        match &ailment.cure {
            // Whoever takes the lock sweeps drafts by himself.
            Some(Cure::Remove(path)) if fs::remove_file(path).is_ok() || !path.exists() => {
                done.push(format!("removed {}", visible(&path.display().to_string())));
            }
            Some(Cure::Shut(path)) if shut(path).is_ok() => {
                done.push(format!("only you may read {} now", visible(&path.display().to_string())));
            }
            _ => found.push(ailment),
        }
    }
    Ok(done)
}

#[cfg(unix)]
fn shut(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn shut(_: &Path) -> std::io::Result<()> {
    Ok(())
}

fn answer(world: &World, found: &[Ailment], mended: &[String]) -> Result<Done, Trouble> {
    let code = if found.is_empty() { exit::GOOD } else { exit::OWED };
    if world.json {
        return Ok(Done::json(&found)?.with(code));
    }
    let mut page = Page::new(match found.len() {
        0 => "Nothing is amiss".to_owned(),
        1 => "One thing to look at".to_owned(),
        many => format!("{many} things to look at"),
    });
    let mut done = Diary::new();
    for line in mended {
        done.line(line.clone(), &[]);
    }
    page.section("Mended", done);
    let mut diary = Diary::new();
    for ailment in found {
        let place = ailment.file.as_ref().map(|file| format!("{file}: ")).unwrap_or_default();
        diary.line(format!("{place}{}.", ailment.what.trim_end_matches('.')), &[]);
        diary.line(format!("  {}", ailment.remedy), &[]);
    }
    page.section("Found", diary);
    Ok(Done::good(terminal(&page, world.look)).with(code))
}
