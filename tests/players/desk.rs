//! The program itself at work in a folder of its own, called as a player calls it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder in which several players sit at one machine.
pub struct Desk(pub tempfile::TempDir);

impl Desk {
    pub fn new() -> Desk {
        Desk(tempfile::tempdir().expect("a folder"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// What garcia says to a line, with the secrets of one player; it has to end with this code.
    pub fn says(&self, code: i32, home: &str, line: &str) -> String {
        let home = self.path(home);
        let done = Command::new(env!("CARGO_BIN_EXE_garcia"))
            .current_dir(self.0.path())
            .env("NO_COLOR", "1")
            .args(["--home".as_ref(), home.as_os_str()])
            .args(line.split_whitespace())
            .output()
            .expect("it runs");
        let told = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
        assert_eq!(done.status.code(), Some(code), "garcia {line}\n{told}");
        told
    }
}

/// The last file of a folder with this ending.
pub fn only_file(folder: &Path, ending: &str) -> PathBuf {
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = files.filter(|file| file.to_string_lossy().ends_with(ending)).collect();
    files.sort();
    files.pop().expect("a file")
}
