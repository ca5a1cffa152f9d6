//! Commands killed at every system call that could leave something half done, one after the other. Takes long and needs
//! `strace`: `cargo test --test killed -- --ignored --nocapture`.
//!
//! After each kill the player does what he would do: he types the same command once more, and what it tells him to. Then everything has to be as if
//! nothing had happened: the same records, byte for byte, nothing signed twice, nothing lost, a ledger that verifies.

mod players;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use players::desk::{Desk, only_file};

/// The calls that change something on disk, or let go of it.
const CALLS: [&str; 10] =
    ["mkdir", "write", "fsync", "fdatasync", "rename", "unlink", "linkat", "fchmod", "flock", "rmdir"];

/// A command, whose it is, and where its match lies.
struct Verb {
    who: &'static str,
    folder: &'static str,
    line: String,
    /// Whether keys or secrets are drawn: then the records are others each time.
    draws: bool,
}

fn garcia(program: &[&str], stage: &Path, who: &str, line: &str) -> Output {
    let mut words = program.iter().map(|word| word.to_string()).collect::<Vec<_>>();
    words.push(env!("CARGO_BIN_EXE_garcia").to_owned());
    Command::new(&words[0])
        .args(&words[1..])
        .current_dir(stage)
        .env("NO_COLOR", "1")
        .arg("--home")
        .arg(stage.join(format!("home-{who}")))
        .args(line.split_whitespace())
        .output()
        .expect("it runs")
}

fn copied(stage: &Path, to: &Path) {
    let done = Command::new("cp").arg("-a").arg(stage.join(".")).arg(to).status().expect("cp");
    assert!(done.success());
}

/// The records in a folder, by name.
fn ledger(stage: &Path, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(stage.join(folder).join("ledger")).map(|entries| entries.flatten().collect::<Vec<_>>());
    let records = entries.unwrap_or_default().into_iter().map(|entry| entry.path());
    let name = |path: &PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
    records
        .filter(|path| name(path).ends_with(".yaml"))
        .map(|path| (name(&path), fs::read(&path).expect("read")))
        .collect()
}

/// Kills a command at each call of each sort; says how often.
fn killed_everywhere(stage: &Path, verb: &Verb) -> usize {
    let Verb { who, folder, line, draws } = verb;
    let whole = tempfile::tempdir().expect("a folder");
    copied(stage, whole.path());
    let done = garcia(&["env"], whole.path(), who, line);
    assert!(done.status.success(), "garcia {line}\n{}", String::from_utf8_lossy(&[done.stdout, done.stderr].concat()));
    let wanted = ledger(whole.path(), folder);
    let mut kills = 0;
    for call in CALLS {
        for number in 1.. {
            let scratch = tempfile::tempdir().expect("a folder");
            copied(stage, scratch.path());
            let inject = format!("inject={call}:signal=KILL:when={number}");
            let strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject];
            let done = garcia(&strace, scratch.path(), who, line);
            if done.status.success() {
                break;
            }
            kills += 1;
            let place = format!("garcia {line}\nkilled at {call} {number}");
            // Whatever it says now: it is finished, or it was.
            let again = garcia(&["env"], scratch.path(), who, line);
            let told = String::from_utf8_lossy(&[again.stdout, again.stderr].concat()).into_owned();
            assert!(again.status.code().is_some_and(|code| code != 101), "{place}\n{told}");
            // Where it was signed and not yet written, the program says what finishes it.
            if ledger(scratch.path(), folder).len() < wanted.len() {
                let mails: Vec<&str> = line.split_whitespace().filter(|word| word.ends_with("-garcia.txt")).collect();
                let rest = match *who {
                    "solo" => "resolve".to_owned(),
                    // He who had only begun to sit down takes the mails again.
                    "office" => format!("receive {}", mails.join(" ")),
                    _ => "receive".to_owned(),
                };
                garcia(&["env"], scratch.path(), who, &format!("-C {folder} {rest}"));
            }
            let found = ledger(scratch.path(), folder);
            match draws {
                true => {
                    assert_eq!(found.keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>(), "{place}\n{told}")
                }
                false => assert!(found == wanted, "{place}\n{:?}\n{:?}\n{told}", found.keys(), wanted.keys()),
            }
            if scratch.path().join(folder).join("ledger").is_dir() {
                let verified = garcia(&["env"], scratch.path(), who, &format!("-C {folder} verify"));
                let told = String::from_utf8_lossy(&verified.stdout).into_owned();
                assert!(matches!(verified.status.code(), Some(0 | 3)), "{place}\n{told}");
                let status = garcia(&["env"], scratch.path(), who, &format!("-C {folder} status"));
                assert!(status.status.success(), "{place}\n{}", String::from_utf8_lossy(&status.stderr));
            }
        }
    }
    kills
}

/// Does all of it for some commands, one after the other: each is killed everywhere, and then carried out.
fn carried_through(desk: &Desk, verbs: Vec<Verb>) {
    if Command::new("strace").arg("-V").output().is_err() {
        println!("there is no strace here: nothing was tried");
        return;
    }
    for verb in verbs {
        let kills = killed_everywhere(desk.0.path(), &verb);
        println!("{kills:4} kills  garcia {}", verb.line);
        assert!(kills > 0, "garcia {}", verb.line);
        desk.says(0, &format!("home-{}", verb.who), &verb.line);
    }
}

fn verb(who: &'static str, folder: &'static str, line: &str) -> Verb {
    Verb { who, folder, line: line.to_owned(), draws: false }
}

fn drawing(who: &'static str, folder: &'static str, line: &str) -> Verb {
    Verb { draws: true, ..verb(who, folder, line) }
}

fn last(desk: &Desk, folder: &str, ending: &str) -> String {
    only_file(&desk.path(&format!("{folder}/outbox")), ending).display().to_string()
}

#[test]
#[ignore = "takes long, and needs strace"]
fn a_match_of_two_with_every_verb_killed_everywhere() {
    let desk = Desk::new();
    let key = desk.says(0, "home-office", "direct key");
    let new = format!("new santiago-1898 spain --as spain --director {} --option questions=default", key.trim());
    carried_through(&desk, vec![drawing("spain", "spain", &new)]);
    carried_through(&desk, vec![drawing("us", "us", "join spain/outbox/0000-garcia.txt --folder us")]);
    let sit = "direct sit spain/outbox/0000-garcia.txt us/outbox/0001-garcia.txt --folder office";
    carried_through(&desk, vec![verb("office", "office", sit)]);
    carried_through(&desk, vec![verb("office", "office", "-C office receive us/outbox/0001-deposit.txt")]);
    carried_through(&desk, vec![verb("spain", "spain", "-C spain receive us/outbox/0001-garcia.txt")]);
    desk.says(0, "home-spain", "-C spain template --output 1.yaml");
    carried_through(&desk, vec![verb("spain", "spain", "-C spain send --yes 1.yaml")]);
    carried_through(&desk, vec![verb("spain", "spain", "-C spain resend")]);
    carried_through(&desk, vec![verb("spain", "spain", "-C spain notice")]);
    let notice = last(&desk, "spain", ".txt");
    let orders = "spain/outbox/0002-garcia.txt";
    desk.says(0, "home-office", &format!("-C office receive {orders} spain/outbox/0002-deposit.txt {notice}"));
    carried_through(
        &desk,
        vec![verb("office", "office", &format!("-C office direct close --for us --notice {notice}"))],
    );
    carried_through(&desk, vec![verb("us", "us", &format!("-C us receive {orders}"))]);
    carried_through(&desk, vec![verb("us", "us", "-C us object 2 --note so-not")]);
    carried_through(&desk, vec![verb("us", "us", "-C us receipt 2")]);
    desk.says(0, "home-us", "-C us template --output 2.yaml");
    carried_through(&desk, vec![verb("us", "us", "-C us send --yes 2.yaml --eml")]);
    let mail = last(&desk, "us", "0004-garcia.eml");
    carried_through(&desk, vec![verb("spain", "spain", &format!("-C spain receive {mail}"))]);
    let reply = last(&desk, "spain", "-garcia.txt");
    desk.says(0, "home-us", &format!("-C us receive {reply}"));
    carried_through(&desk, vec![verb("us", "us", "-C us motion void 3")]);
    let mail = last(&desk, "us", "-garcia.txt");
    desk.says(0, "home-spain", &format!("-C spain receive {mail}"));
    carried_through(&desk, vec![verb("spain", "spain", "-C spain decline")]);
    let reply = last(&desk, "spain", "-garcia.txt");
    desk.says(0, "home-us", &format!("-C us receive {reply}"));
    carried_through(&desk, vec![verb("us", "us", "-C us motion reanchor")]);
    carried_through(&desk, vec![verb("us", "us", "-C us handover --give bundle.yaml")]);
    carried_through(&desk, vec![drawing("friend", "friend", "handover --take bundle.yaml --folder friend")]);
    carried_through(&desk, vec![verb("us", "us", "-C us motion end --resign")]);
    let mail = last(&desk, "us", "-garcia.txt");
    carried_through(&desk, vec![verb("spain", "spain", &format!("-C spain receive {mail}"))]);
}

#[test]
#[ignore = "takes long, and needs strace"]
fn a_solo_match_killed_everywhere() {
    let desk = Desk::new();
    carried_through(&desk, vec![drawing("solo", "g", "new santiago-1898 g --solo --option questions=default")]);
    for number in 0..3 {
        desk.says(0, "home-solo", &format!("-C g template --output {number}.yaml"));
        carried_through(&desk, vec![verb("solo", "g", &format!("-C g resolve {number}.yaml"))]);
    }
    carried_through(&desk, vec![verb("solo", "g", "-C g motion void 2")]);
    carried_through(&desk, vec![verb("solo", "g", "-C g motion end --drawn")]);
}
