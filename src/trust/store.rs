//! Files that are written whole or not at all, and the folder that holds a game's records.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::record::{NotARecord, Record};
use crate::engine::json::MAX_BYTES;
use crate::engine::visible::visible;

/// Something that went wrong with a file, and which.
#[derive(Debug, thiserror::Error)]
#[error("{}: {what}", .path.display())]
pub struct FileTrouble {
    /// The file or folder.
    pub path: PathBuf,
    /// What happened.
    pub what: String,
}

impl FileTrouble {
    /// Trouble with a path.
    pub fn new(path: &Path, what: impl ToString) -> FileTrouble {
        FileTrouble { path: path.to_owned(), what: what.to_string() }
    }
}

/// Who may read a file that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Whoever the system lets.
    Anyone,
    /// Its owner alone.
    OwnerOnly,
}

/// Replaces a file whole: whoever reads it finds the old text or the new one, also after a power cut.
pub fn write_whole(path: &Path, bytes: &[u8], readers: Readers) -> Result<(), FileTrouble> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|e| FileTrouble::new(folder, e))?;
    let name = path.file_name().ok_or_else(|| FileTrouble::new(path, "not the name of a file"))?;
    let draft = folder.join(format!(".{}.{}.draft", name.to_string_lossy(), std::process::id()));
    let written = draft_file(&draft, bytes, readers).and_then(|()| fs::rename(&draft, path));
    if let Err(e) = written {
        // The draft is of no use to anybody; whether it can be removed changes nothing.
        fs::remove_file(&draft).ok();
        return Err(FileTrouble::new(path, e));
    }
    sync_folder(folder);
    Ok(())
}

/// Whether a file is a draft that a killed command left: nobody else names a file so.
pub fn is_draft(name: &str) -> bool {
    let inner = name.strip_prefix('.').and_then(|name| name.strip_suffix(".draft"));
    inner.and_then(|inner| inner.rsplit_once('.')).is_some_and(|(name, process)| {
        !name.is_empty() && !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Removes the drafts that killed commands left in a folder and in those below it; whoever holds its lock is alone there
/// but for commands that write no record, and those are still running.
fn sweep(folder: &Path) {
    let inside = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().collect::<Vec<_>>();
    let top = inside(folder);
    let below = top.iter().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let below: Vec<_> = below.flat_map(|entry| inside(&entry.path())).collect();
    for entry in top.iter().chain(&below) {
        let name = entry.file_name();
        if is_draft(&name.to_string_lossy()) && !is_running(&name.to_string_lossy()) {
            // Whether it can be removed changes nothing.
            fs::remove_file(entry.path()).ok();
        }
    }
}

/// Whether the process that writes a draft is still there, as far as the system tells; otherwise it may be.
fn is_running(draft: &str) -> bool {
    let process = draft.trim_end_matches(".draft").rsplit_once('.').map_or("", |(_, process)| process);
    let processes = Path::new("/proc");
    !processes.join("self").exists() || processes.join(process).exists()
}

fn draft_file(draft: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    restrict(&mut options, readers);
    let mut file = options.open(draft)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(unix)]
fn restrict(options: &mut OpenOptions, readers: Readers) {
    use std::os::unix::fs::OpenOptionsExt;
    if readers == Readers::OwnerOnly {
        options.mode(0o600);
    }
}

#[cfg(not(unix))]
fn restrict(_: &mut OpenOptions, _: Readers) {}

/// Makes a rename last. Systems that cannot do that for a folder lose nothing but the guarantee.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        folder.sync_all().ok();
    }
}

/// How long somebody waits for a folder: another command is done by then, and a program that was just started has let go
/// of what it was given open.
const A_MOMENT: Duration = Duration::from_secs(1);

/// Holds a folder for one process; given back when dropped.
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of a folder, or says that another `garcia` is at work there.
    pub fn take(folder: &Path) -> Result<Lock, FileTrouble> {
        fs::create_dir_all(folder).map_err(|e| FileTrouble::new(folder, e))?;
        let path = folder.join(".lock");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let file = options.open(&path).map_err(|e| FileTrouble::new(&path, e))?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => {
                    sweep(folder);
                    return Ok(Lock { _file: file });
                }
                Err(fs::TryLockError::WouldBlock) if began.elapsed() < A_MOMENT => thread::sleep(A_MOMENT / 100),
                Err(fs::TryLockError::WouldBlock) => {
                    let what = "another garcia is at work in this folder; try again when it is done";
                    return Err(FileTrouble::new(folder, what));
                }
                Err(fs::TryLockError::Error(e)) => return Err(FileTrouble::new(&path, e)),
            }
        }
    }

    /// Whether another `garcia` holds a folder; nothing is made or changed to find out.
    pub fn is_held(folder: &Path) -> bool {
        let Ok(file) = File::open(folder.join(".lock")) else { return false };
        matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock))
    }
}

/// The folder with a game's records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerFolder {
    path: PathBuf,
}

/// What is said of comments at the head of a record file that somebody changed.
pub const LIES: &str = "do not say what the record says; only what stands below them is signed";
/// What is said of files in a ledger that are none of it.
pub const STRANGER: &str = "is not named like a record";

/// What is said of a file for a place that has one already.
pub fn second_file(file: &LedgerFile) -> String {
    format!("{}: there is another file for record {}", file.name, file.seq)
}

/// A file of the ledger, read or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerFile {
    /// Its name.
    pub name: String,
    /// The place its name gives it.
    pub seq: u32,
    /// The record, or why there is none.
    pub record: Result<Record, NotARecord>,
}

/// What was found in a ledger folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerFiles {
    /// The record files in order of their place, then name.
    pub files: Vec<LedgerFile>,
    /// Everything that is not as it should be, in words: unreadable files, gaps, two files for one place, strangers.
    pub problems: Vec<String>,
}

impl LedgerFolder {
    /// The ledger of a game folder.
    pub fn of_game(game: &Path) -> LedgerFolder {
        LedgerFolder { path: game.join("ledger") }
    }

    /// A folder that holds the records themselves.
    pub fn at(path: &Path) -> LedgerFolder {
        LedgerFolder { path: path.to_owned() }
    }

    /// The records of a game folder, or of a folder that holds nothing but records; with the game folder.
    pub fn find(folder: &Path) -> (LedgerFolder, PathBuf) {
        let inside = folder.join("ledger");
        match inside.is_dir() {
            true => (LedgerFolder { path: inside }, folder.to_owned()),
            false => (LedgerFolder::at(folder), folder.parent().map(Path::to_owned).unwrap_or_default()),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a record. One that is there already is left alone; one that differs is never overwritten.
    pub fn add(&self, record: &Record, _held: &Lock) -> Result<PathBuf, FileTrouble> {
        let path = self.path.join(record.file_name());
        match fs::read(&path) {
            Ok(bytes) => match Record::read(&bytes) {
                Ok(there) if there == *record => return Ok(path),
                _ => return Err(FileTrouble::new(&path, "another record stands here; it is not overwritten")),
            },
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(FileTrouble::new(&path, e)),
        }
        write_whole(&path, record.to_yaml().as_bytes(), Readers::Anyone)?;
        Ok(path)
    }

    /// Reads all records in order and notes all problems, instead of stopping at the first.
    pub fn read(&self) -> Result<LedgerFiles, FileTrouble> {
        let (mut found, mut texts) = (LedgerFiles::default(), Vec::new());
        let trouble = |e| FileTrouble::new(&self.path, e);
        for entry in fs::read_dir(&self.path).map_err(trouble)? {
            let entry = entry.map_err(trouble)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with('.') {
                continue;
            }
            let Some(seq) = place(&name) else {
                found.problems.push(format!("{} {STRANGER}", visible(&name)));
                continue;
            };
            // What is no plain file, or too long, is no record; it is not even read.
            texts.push((visible(&name), seq, read_small(&entry.path())));
        }
        for (file, lies) in read_all(texts) {
            if lies {
                found.problems.push(format!("{}: its comments {LIES}", file.name));
            }
            found.files.push(file);
        }
        found.files.sort_by(|a, b| (a.seq, &a.name).cmp(&(b.seq, &b.name)));
        found.problems.sort();
        found.note_problems();
        Ok(found)
    }
}

impl LedgerFiles {
    fn note_problems(&mut self) {
        let mut expected = 0;
        for file in &self.files {
            if let Err(e) = &file.record {
                self.problems.push(format!("{}: {e}", file.name));
            }
            if file.seq > expected {
                self.problems.push(match file.seq - expected {
                    1 => format!("record {expected} is missing"),
                    _ => format!("records {expected} to {} are missing", file.seq - 1),
                });
            } else if file.seq < expected {
                self.problems.push(second_file(file));
            }
            expected = expected.max(file.seq + 1);
        }
    }
}

/// Reads records on all cores: no text has to wait for another.
/// With each whether its comments say something else than the record.
fn read_all(mut texts: Vec<(String, u32, Result<Vec<u8>, String>)>) -> Vec<(LedgerFile, bool)> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let share = texts.len().div_ceil(cores).max(1);
    let file = |(name, seq, bytes): &mut (String, u32, Result<Vec<u8>, String>)| {
        let record = bytes.as_ref().map_err(|why| NotARecord(why.clone())).and_then(|bytes| Record::read(bytes));
        let lies = record.as_ref().is_ok_and(|record| bytes.as_ref().is_ok_and(|bytes| !record.is_headed(bytes)));
        (LedgerFile { name: std::mem::take(name), seq: *seq, record }, lies)
    };
    let read = |part: &mut [_]| part.iter_mut().map(file).collect::<Vec<_>>();
    std::thread::scope(|scope| {
        let parts: Vec<_> = texts.chunks_mut(share).map(|part| scope.spawn(move || read(part))).collect();
        let parts = parts.into_iter().map(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        parts.flatten().collect()
    })
}

/// The bytes of a file that may be a record: a plain file of at most 1 MiB, comments and line ends included twice over.
///
/// A pipe, a device or a link to one would never end.
pub fn read_small(path: &Path) -> Result<Vec<u8>, String> {
    let most = 2 * u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    let about = fs::metadata(path).map_err(|e| e.to_string())?;
    if !about.is_file() {
        return Err("not a plain file".to_owned());
    }
    if about.len() > most {
        return Err("longer than a record can be".to_owned());
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|e| e.to_string())?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    Ok(bytes)
}

/// The place that a file name gives: `0005-us-result.yaml`; copies may have other endings.
fn place(name: &str) -> Option<u32> {
    let (number, rest) = name.split_once('-')?;
    let known = [".yaml", ".yml", ".json"].iter().any(|ending| rest.ends_with(ending));
    let digits = (4..=9).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    if known && digits { number.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::json::Json;
    use crate::trust::key::PrivateKey;
    use crate::trust::{Body, Id, RecordKind};

    fn record(seq: u32, word: &str) -> Record {
        let body = Body {
            by: "us".parse().expect("role"),
            data: Json::object([("note", word)]),
            game: (seq > 0).then_some(Id::ZERO),
            kind: RecordKind::Orders,
            prev: Id::ZERO,
            seq,
        };
        Record::sign(body, &PrivateKey::from_seed(&[1; 32])).expect("signed")
    }

    #[test]
    fn a_file_is_replaced_whole_and_no_draft_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deep/state.yaml");
        write_whole(&path, b"old", Readers::Anyone).expect("written");
        write_whole(&path, b"new", Readers::Anyone).expect("written");
        assert_eq!(fs::read(&path).expect("read"), b"new");
        assert_eq!(fs::read_dir(folder.path().join("deep")).expect("listed").count(), 1);
        let blocked = folder.path().join("blocked");
        fs::create_dir(&blocked).expect("made");
        assert!(write_whole(&blocked, b"x", Readers::Anyone).is_err(), "a folder is in the way");
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn a_secret_file_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("secret.yaml");
        write_whole(&path, b"x", Readers::OwnerOnly).expect("written");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn two_processes_do_not_work_in_one_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let held = Lock::take(folder.path()).expect("free");
        let refused = Lock::take(folder.path()).err().expect("taken");
        assert!(refused.to_string().contains("another garcia"));
        drop(held);
        assert!(Lock::take(folder.path()).is_ok());
    }

    #[test]
    fn a_record_is_added_once_and_never_overwritten() {
        let game = tempfile::tempdir().expect("a folder");
        let (held, ledger) = (Lock::take(game.path()).expect("free"), LedgerFolder::of_game(game.path()));
        let path = ledger.add(&record(0, "a"), &held).expect("added");
        let text = fs::read_to_string(&path).expect("read");
        assert_eq!(ledger.add(&record(0, "a"), &held).expect("already there"), path);
        let refused = ledger.add(&record(0, "b"), &held).expect_err("another");
        assert!(refused.to_string().contains("not overwritten"));
        assert_eq!(fs::read_to_string(&path).expect("read"), text);
        assert_eq!(ledger.read().expect("read").files[0].record, Ok(record(0, "a")));
    }

    #[test]
    fn everything_amiss_in_a_ledger_is_listed() {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
        put("0000-us-orders.yaml", &record(0, "a").to_yaml());
        put("0002-us-orders.yaml", &record(2, "c").to_yaml());
        put("0002-us-orders copy.yaml", &record(2, "d").to_yaml());
        put("0005-us-orders.json", "{}");
        put("notes.txt", "hello");
        put(".hidden", "");
        let found = LedgerFolder::at(folder.path()).read().expect("read");
        assert_eq!(found.files.iter().map(|f| f.seq).collect::<Vec<_>>(), [0, 2, 2, 5]);
        assert_eq!(
            found.problems,
            [
                "notes.txt is not named like a record",
                "record 1 is missing",
                "0002-us-orders.yaml: there is another file for record 2",
                "0005-us-orders.json: not a record: the record lacks `body`",
                "records 3 to 4 are missing",
            ]
        );
    }
}
