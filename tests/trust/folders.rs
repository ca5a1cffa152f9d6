//! Game folders in the hands of careless players, hostile arbiters and strange mail: nothing is lost, nothing hangs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use garcia::engine::json::Json;

/// Two players with folders beside each other.
struct Table {
    folder: tempfile::TempDir,
}

impl Table {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn garcia(&self, who: &str, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_garcia"))
            .current_dir(self.folder.path())
            .env("GARCIA_HOME", self.path(&format!("home-{who}")))
            .args(args)
            .output()
            .expect("garcia runs")
    }

    /// Runs a command that must end with the given code; what it said.
    #[track_caller]
    fn says(&self, code: i32, who: &str, args: &[&str]) -> String {
        let output = self.garcia(who, args);
        let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "garcia {}\n{text}", args.join(" "));
        text
    }

    /// The exit code of a command, what it said, and how many kilobytes it held at most, where the system tells.
    fn measured(&self, who: &str, args: &[&str]) -> (Option<i32>, String, usize) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_garcia"))
            .current_dir(self.folder.path())
            .env("GARCIA_HOME", self.path(&format!("home-{who}")))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("garcia runs");
        let (status, mut most) = (format!("/proc/{}/status", child.id()), 0);
        while child.try_wait().expect("it ends").is_none() {
            let told = fs::read_to_string(&status).unwrap_or_default();
            let held =
                told.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
            most = most.max(held.unwrap_or(0));
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let output = child.wait_with_output().expect("it has ended");
        (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned(), most)
    }

    /// A match of two that both have joined; spain has mailed her set-up, and us has taken it.
    fn begun() -> Table {
        let table = Table { folder: tempfile::tempdir().expect("a folder") };
        table.says(0, "us", &["new", "santiago-1898", "us", "--as", "us"]);
        table.says(0, "spain", &["join", "us/outbox/0000-garcia.txt", "--folder", "spain"]);
        table.says(0, "us", &["-C", "us", "receive", "spain/outbox/0001-garcia.txt"]);
        table
    }

    /// A game master's table with two players who have joined and heard of each other.
    fn mastered(private: &[&str]) -> Table {
        Table::mastered_at("santiago-campaign", private)
    }

    fn mastered_at(game: &str, private: &[&str]) -> Table {
        let table = Table { folder: tempfile::tempdir().expect("a folder") };
        let new = ["new", game, "gm", "--gm", "--players", "spain,us"];
        table.says(0, "gm", &[&new[..], private].concat());
        table.says(0, "spain", &["join", "gm/outbox/0000-garcia.txt", "--folder", "spain"]);
        table.says(0, "gm", &["-C", "gm", "receive", "spain/outbox/0001-garcia.txt"]);
        table.says(0, "us", &["join", "gm/outbox/0001-garcia.txt", "--folder", "us"]);
        table.says(0, "gm", &["-C", "gm", "receive", "us/outbox/0002-garcia.txt"]);
        for who in ["spain", "us"] {
            table.says(0, who, &["-C", who, "receive", "gm/outbox/0002-garcia.txt"]);
        }
        table
    }

    fn files(&self, name: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(name)).map(|entries| {
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
        });
        let mut names: Vec<String> = entries.unwrap_or_default();
        names.sort();
        names
    }

    /// Whoever is due sends what the template proposes; gives back the mail.
    fn send(&self, who: &str, name: &str) -> PathBuf {
        self.says(0, who, &["-C", who, "template", "--output", name]);
        self.says(0, who, &["-C", who, "send", "--yes", name]);
        let mails = self.files(&format!("{who}/outbox"));
        self.path(&format!("{who}/outbox")).join(mails.iter().rfind(|name| name.ends_with(".txt")).expect("a mail"))
    }

    /// The same at a game master's table: the mail, and the openings that go with it if they are secret.
    fn send_to_master(&self, who: &str, name: &str) -> Vec<String> {
        let last = text(&self.send(who, name));
        match last.ends_with("-openings.txt") {
            true => vec![last.replace("-openings", "-garcia"), last],
            false => vec![last],
        }
    }

    /// The game master takes some mails.
    #[track_caller]
    fn taken(&self, code: i32, mails: &[String]) -> String {
        let line: Vec<&str> = ["-C", "gm", "receive"].into_iter().chain(mails.iter().map(String::as_str)).collect();
        self.says(code, "gm", &line)
    }

    /// The last mail of the game master goes to both players.
    fn told(&self) {
        let mail = self.files("gm/outbox").into_iter().rfind(|name| name.ends_with("-garcia.txt")).expect("a mail");
        for who in ["spain", "us"] {
            self.says(0, who, &["-C", who, "receive", &text(&self.path("gm/outbox").join(&mail))]);
        }
    }

    /// The script that knows nothing of garcia comes to this exit code; what it said. Nothing if there is no Python here.
    #[track_caller]
    fn script(&self, code: i32, who: &str) -> String {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/verify.py");
        let Ok(done) = Command::new("python3").arg("-B").arg(script).arg(self.path(who)).output() else {
            return String::new();
        };
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        assert_eq!(done.status.code(), Some(code), "{said}");
        said
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn terms_are_shown_before_anything_is_signed_and_an_offer_is_joined() {
    let table = Table { folder: tempfile::tempdir().expect("a folder") };
    let offer =
        ["new", "santiago-1898", "us", "--as", "us", "--scenario", "historical", "--option", "questions=default"];
    table.says(0, "us", &offer);
    let told = table.says(0, "spain", &["join", "us/outbox/0000-garcia.txt", "--terms", "--folder", "spain"]);
    for word in ["historical", "questions=default", "two players", "4096 links", "Nothing is signed"] {
        assert!(told.contains(word), "{word}: {told}");
    }
    assert!(!table.path("spain").exists() && !table.path("home-spain").exists());
    let told = table.says(64, "spain", &["receive", "us/outbox/0000-garcia.txt"]);
    assert!(told.contains("garcia join us/outbox/0000-garcia.txt"), "{told}");
    let told = table.says(0, "spain", &["join", "us/outbox/0000-garcia.txt", "--folder", "spain"]);
    assert!(told.contains("questions=default"), "{told}");
    assert!(table.says(0, "spain", &["-C", "spain", "status"]).contains("questions=default"));
    // Secrets inside the game folder would go wherever it goes.
    let inside = table.path("spain").join("home");
    let told = table.says(64, "spain", &["-C", "spain", "--home", &text(&inside), "send", "x.yaml"]);
    assert!(told.contains("lies in the game folder"), "{told}");
}

#[test]
fn nothing_a_player_put_anywhere_is_removed() {
    let table = Table::begun();
    for folder in ["inbox", "early", "late", "refused", "outbox"] {
        fs::create_dir_all(table.path("us").join(folder)).expect("made");
        fs::write(table.path("us").join(folder).join("my notes.txt"), "do not lose this").expect("written");
    }
    let first = table.send("spain", "s1.yaml");
    table.says(0, "us", &["-C", "us", "receive", &text(&first)]);
    table.send("us", "u1.yaml");
    for folder in ["inbox", "early", "late", "refused", "outbox"] {
        assert!(table.files(&format!("us/{folder}")).contains(&"my notes.txt".to_owned()), "{folder}");
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("listed") {
        let entry = entry.expect("an entry");
        match entry.file_type().expect("a kind").is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => drop(fs::copy(entry.path(), to.join(entry.file_name())).expect("copied")),
        }
    }
}

#[test]
fn a_restored_folder_asks_for_what_is_missing_and_signs_nothing() {
    let table = Table::begun();
    let (game, home) = (table.path("spain"), table.path("home-spain"));
    copy(&game, &table.path("old-game"));
    copy(&home, &table.path("old-home"));
    let first = table.send("spain", "s1.yaml");
    table.says(0, "us", &["-C", "us", "receive", &text(&first)]);
    let answer = table.send("us", "u1.yaml");
    // Folder and secrets are restored, and the answer comes.
    for (from, to) in [("old-game", &game), ("old-home", &home)] {
        fs::remove_dir_all(to).expect("removed");
        copy(&table.path(from), to);
    }
    let told = table.says(0, "spain", &["-C", "spain", "receive", &text(&answer)]);
    assert!(told.contains("ask for record 2"), "{told}");
    assert!(table.says(0, "spain", &["-C", "spain", "status"]).contains("ask for record 2"));
    // The very same orders would be the same record; he gives others.
    table.says(0, "spain", &["-C", "spain", "template", "--output", "again.yaml"]);
    let orders = fs::read_to_string(table.path("again.yaml")).expect("orders");
    let other = orders.replacen("standing:", "standing:\n  retreat: [1309]", 1).replacen("\n  retreat: default", "", 1);
    assert_ne!(orders, other);
    fs::write(table.path("again.yaml"), other).expect("written");
    let told = table.says(64, "spain", &["-C", "spain", "send", "--yes", "again.yaml"]);
    assert!(told.contains("record 2 is missing"), "{told}");
    assert!(!table.files("spain/ledger").iter().any(|name| name.starts_with("0002")));
    // It comes back, what waited is taken, and the game goes on.
    let told = table.says(0, "us", &["-C", "us", "resend", "--from", "2"]);
    assert!(told.contains("0002-"), "{told}");
    let again = table.path("us/outbox").join(
        table
            .files("us/outbox")
            .into_iter()
            .find(|name| name.starts_with("0002-0") && name.ends_with(".txt"))
            .expect("it"),
    );
    let told = table.says(0, "spain", &["-C", "spain", "receive", &text(&again)]);
    assert!(told.contains("taken: 0002-spain-orders.yaml"), "{told}");
    assert_eq!(table.files("spain/early"), Vec::<String>::new(), "what garcia put there is put away");
    table.says(0, "spain", &["-C", "spain", "verify"]);
}

#[test]
fn copies_damage_and_lies_in_a_ledger_are_named_and_compared_past() {
    let table = Table::begun();
    let first = table.send("spain", "s1.yaml");
    table.says(0, "us", &["-C", "us", "receive", &text(&first)]);
    let ledger = table.path("us/ledger");
    // A conflicted copy, as cloud folders make them.
    let join = ledger.join("0001-spain-join.yaml");
    fs::copy(&join, ledger.join("0001-spain-join (conflicted copy).yaml")).expect("copied");
    table.says(0, "us", &["-C", "us", "status"]);
    assert!(table.says(0, "us", &["-C", "us", "verify"]).contains("is a copy of"));
    let told = table.says(0, "us", &["compare", "us", "spain"]);
    assert!(told.contains("agree") || told.contains("same"), "{told}");
    // Comments that say something else than the record.
    let lying = fs::read_to_string(&join).expect("a record").replace("signed by spain", "signed by us");
    fs::write(&join, lying).expect("written");
    assert!(table.says(0, "us", &["-C", "us", "verify"]).contains("do not say what the record says"));
    // A damaged file in one copy does not hide what comes after it.
    fs::remove_file(ledger.join("0001-spain-join (conflicted copy).yaml")).expect("removed");
    fs::write(&join, "body: nonsense\n").expect("written");
    let told = table.says(2, "us", &["compare", "us", "spain"]);
    assert!(told.contains("cannot be read"), "{told}");
    let told = table.says(2, "us", &["compare", "us", "spain", "--json"]);
    assert!(told.contains("not_compared"), "{told}");
}

#[cfg(unix)]
#[test]
fn a_hostile_folder_neither_hangs_nor_takes_hold_of_the_terminal() {
    let table = Table::begun();
    let ledger = table.path("us/ledger");
    std::os::unix::fs::symlink("/dev/zero", ledger.join("0003-us-result.yaml")).expect("linked");
    fs::write(ledger.join("0003-us\u{1b}[2J\u{202e}.yaml"), "x").expect("written");
    fs::write(ledger.join("\u{1b}]0;title\u{7}.txt"), "x").expect("written");
    let told = table.says(2, "us", &["-C", "us", "verify"]);
    assert!(!told.contains('\u{1b}') && !told.contains('\u{202e}') && !told.contains('\u{7}'), "{told:?}");
    let made = Command::new("mkfifo").arg(ledger.join("0004-us-orders.yaml")).status();
    if made.is_ok_and(|status| status.success()) {
        table.says(2, "us", &["-C", "us", "verify"]);
    }
}

#[test]
fn strange_mail_is_read_or_counted() {
    let table = Table::begun();
    let first = table.send("spain", "s1.yaml");
    let mail = fs::read_to_string(&first).expect("a mail");
    // UTF-16, as some editors save it.
    let mut wide = vec![0xff, 0xfe];
    wide.extend(mail.encode_utf16().flat_map(u16::to_le_bytes));
    fs::write(table.path("wide.txt"), wide).expect("written");
    let told = table.says(0, "us", &["-C", "us", "receive", "wide.txt"]);
    assert!(told.contains("taken: 0002-spain-orders.yaml"), "{told}");
    // Many lines that begin a record and end none.
    let broken = "-----BEGIN GARCIA RECORD-----\n".repeat(200_000);
    fs::write(table.path("broken.txt"), broken).expect("written");
    let told = table.says(2, "us", &["-C", "us", "receive", "broken.txt"]);
    assert!(told.len() < 5000 && told.contains("more"), "{} bytes", told.len());
    assert!(!told.contains("\\u{a}"), "{told}");
}

#[test]
fn a_dispute_is_on_one_page() {
    let table = Table::begun();
    let first = table.send("spain", "s1.yaml");
    table.says(0, "us", &["-C", "us", "receive", &text(&first)]);
    let answer = table.send("us", "u1.yaml");
    table.says(0, "spain", &["-C", "spain", "receive", &text(&answer)]);
    // The dice are doubted: who signed what, what was ordered, each die again.
    let told = table.says(0, "us", &["-C", "us", "dispute", "3"]);
    for words in [
        "Signed by us with the key",
        "What was ordered, in record 2",
        "0002-spain-orders.yaml, signed by spain",
        "Only a motion can change it",
        "What may be done",
        "garcia object 3 --note",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    // Somebody says that he sent other orders: both copies hold the same.
    let told = table.says(0, "us", &["-C", "us", "dispute", "2", "spain"]);
    assert!(told.contains("It holds the same record 2"), "{told}");
    let told = table.says(0, "us", &["-C", "us", "dispute", "2", "spain", "--json"]);
    assert!(told.contains("\"same\": true"), "{told}");
    // A copy that was changed afterwards is no record any more.
    copy(&table.path("spain"), &table.path("changed"));
    let orders = table.path("changed/ledger/0002-spain-orders.yaml");
    let other = fs::read_to_string(&orders).expect("orders").replacen("kind: orders", "kind: plan", 1);
    fs::write(&orders, other).expect("written");
    let told = table.says(0, "us", &["-C", "us", "dispute", "2", "changed"]);
    assert!(told.contains("E03-SIG") && told.contains("Fault: nobody"), "{told}");
    assert!(table.says(64, "us", &["-C", "us", "dispute", "99"]).contains("ends with record"));
}

#[test]
fn a_note_travels_as_text_and_a_private_note_stays() {
    let table = Table::begun();
    let note = "Señor, <b>your</b> move [now](http://x) \u{202e}";
    let noted = |name: &str, note: &str| {
        let path = table.path(name);
        let text = fs::read_to_string(&path).expect("orders").replace("# note:\n# private-note:\n", "");
        fs::write(&path, format!("{text}note: '{note}'\nprivate-note: the bluff of the year\n")).expect("written");
    };
    table.says(0, "spain", &["-C", "spain", "template", "--output", "s1.yaml"]);
    noted("s1.yaml", note);
    // Nobody can answer here, so nothing is signed.
    let told = table.says(64, "spain", &["-C", "spain", "send", "s1.yaml"]);
    assert!(told.contains("What cannot be taken back") && told.contains("send --yes"), "{told}");
    assert!(!table.files("spain/ledger").iter().any(|name| name.starts_with("0002")));
    table.says(0, "spain", &["-C", "spain", "send", "--yes", "--eml", "s1.yaml"]);
    let record = fs::read_to_string(table.path("spain/ledger/0002-spain-orders.yaml")).expect("a record");
    assert!(record.contains("note: \"Señor, <b>your</b> move [now](http://x) "), "{record}");
    let told = table.says(0, "us", &["-C", "us", "receive", "spain/outbox/0002-garcia.txt"]);
    assert!(told.contains("spain writes:\n  “Señor, <b>your</b> move [now](http://x) \\u{202e}”"), "{told}");
    let report = table.files("us/reports").into_iter().next_back().expect("a report");
    let report = fs::read_to_string(table.path("us/reports").join(report)).expect("a report");
    assert!(report.contains("> “Señor, \\<b\\>your\\</b\\> move \\[now\\](http://x)"), "{report}");
    let eml = fs::read_to_string(table.path("spain/outbox/0002-garcia.eml")).expect("a draft");
    assert!(eml.contains("spain writes:") && eml.contains("Se=C3=B1or"), "{eml}");
    for folder in ["spain/ledger", "spain/outbox", "spain/reports", "us/ledger", "us/reports"] {
        for file in table.files(folder) {
            let text = fs::read_to_string(table.path(folder).join(file)).expect("read");
            assert!(
                !text.contains("bluff") && !text.contains('\u{202e}') || folder.ends_with("ledger"),
                "{folder}: {text}"
            );
            assert!(!text.contains("bluff"), "{folder}: {text}");
        }
    }
    assert!(table.says(0, "us", &["-C", "us", "verify"]).contains("rules: every result follows"));
}

/// The text of every file in a folder, by name.
fn texts(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).expect("listed").map(|entry| entry.expect("an entry").path());
    let mut all: Vec<(String, String)> = entries
        .filter(|path| path.is_file())
        .map(|path| (text(path.file_name().expect("a name").as_ref()), fs::read_to_string(&path).unwrap_or_default()))
        .collect();
    all.sort();
    all
}

#[test]
fn what_a_killed_command_signed_is_told_and_finished() {
    let table = Table { folder: tempfile::tempdir().expect("a folder") };
    table.says(0, "me", &["new", "santiago-1898", "g", "--solo"]);
    table.says(0, "me", &["-C", "g", "template", "--output", "s.yaml"]);
    copy(&table.path("g"), &table.path("before"));
    table.says(0, "me", &["-C", "g", "resolve", "s.yaml"]);
    let honest = texts(&table.path("g/ledger"));
    // Killed when the orders were signed and nothing had reached the folder.
    fs::remove_dir_all(table.path("g")).expect("removed");
    copy(&table.path("before"), &table.path("g"));
    let told = table.says(0, "me", &["-C", "g", "status"]);
    assert!(told.contains("Orders are signed and not yet resolved") && told.contains("garcia resolve "), "{told}");
    assert!(table.says(64, "me", &["-C", "g", "resolve", "s.yaml"]).contains("without a file"));
    table.says(0, "me", &["-C", "g", "resolve"]);
    assert_eq!(texts(&table.path("g/ledger")), honest, "the same bytes");
    // Killed between the orders and their result, and before the report.
    fs::remove_file(table.path("g/ledger/0002-solo-result.yaml")).expect("removed");
    fs::remove_dir_all(table.path("g/reports")).expect("removed");
    assert!(table.says(0, "me", &["-C", "g", "status"]).contains("Orders are signed and not yet resolved"));
    table.says(0, "me", &["-C", "g", "resolve"]);
    assert_eq!(texts(&table.path("g/ledger")), honest);
    // Killed before the report alone: it is told all the same.
    fs::remove_dir_all(table.path("g/reports")).expect("removed");
    assert!(table.says(0, "me", &["-C", "g", "report", "2"]).contains("set-up"));
}

#[test]
fn drafts_of_killed_commands_are_swept_and_nothing_else() {
    let table = Table { folder: tempfile::tempdir().expect("a folder") };
    table.says(0, "me", &["new", "santiago-1898", "g", "--solo"]);
    table.says(0, "me", &["-C", "g", "template", "--output", "s.yaml"]);
    let gone = ["g/.state.yaml.4194999.draft", "g/ledger/.0001-solo-orders.yaml.4194999.draft"];
    let secret = "home-me/secrets/.x-solo.yaml.4194999.draft";
    let own = format!("g/ledger/.0001-solo-orders.yaml.{}.draft", std::process::id());
    let kept = ["g/.notes.draft", "g/orders/plan.draft", "g/ledger/.x.7a.draft", own.as_str()];
    for name in gone.iter().chain([&secret]).chain(&kept) {
        fs::create_dir_all(table.path(name).parent().expect("a folder")).expect("made");
        fs::write(table.path(name), "half").expect("written");
    }
    table.says(0, "me", &["-C", "g", "resolve", "s.yaml"]);
    for name in gone.iter().chain([&secret]) {
        assert!(!table.path(name).exists(), "{name}");
    }
    for name in kept {
        let running = cfg!(target_os = "linux") || name != own;
        assert!(table.path(name).exists() || !running, "{name}");
    }
}

#[test]
fn new_and_join_go_on_where_they_were_killed() {
    let table = Table { folder: tempfile::tempdir().expect("a folder") };
    let half_made = |name: &str| {
        for inside in ["schemas", "orders", "ledger"] {
            fs::create_dir_all(table.path(name).join(inside)).expect("made");
        }
        fs::write(table.path(name).join(".lock"), "").expect("written");
        fs::write(table.path(name).join("schemas/orders.json"), "{").expect("written");
        fs::write(table.path(name).join("ledger/.0000-us-genesis.yaml.4194999.draft"), "half").expect("written");
    };
    half_made("us");
    table.says(0, "us", &["new", "santiago-1898", "us", "--as", "us"]);
    assert!(table.says(64, "us", &["new", "santiago-1898", "us", "--as", "us"]).contains("a game lies in it"));
    fs::create_dir_all(table.path("mine")).expect("made");
    fs::write(table.path("mine/notes.txt"), "mine").expect("written");
    table.says(64, "us", &["new", "santiago-1898", "mine", "--as", "us"]);
    // Accepted, and killed before the acceptance was in the folder: it is the same one, recovery key or not.
    table.says(0, "spain", &["join", "us/outbox/0000-garcia.txt", "--folder", "spain", "--recovery"]);
    let honest = texts(&table.path("spain/ledger"));
    fs::remove_dir_all(table.path("spain")).expect("removed");
    half_made("spain");
    let told = table.says(0, "spain", &["join", "us/outbox/0000-garcia.txt", "--folder", "spain", "--recovery"]);
    assert!(told.contains("the recovery key of the first time counts"), "{told}");
    assert_eq!(texts(&table.path("spain/ledger")), honest, "the same bytes");
    table.says(0, "us", &["-C", "us", "receive", "spain/outbox/0001-garcia.txt"]);
}

#[test]
fn a_report_that_cannot_be_written_does_not_undo_a_turn_and_garcia_says_so() {
    let table = Table { folder: tempfile::tempdir().expect("a folder") };
    table.says(0, "me", &["new", "santiago-1898", "g", "--solo"]);
    table.says(0, "me", &["-C", "g", "template", "--output", "s.yaml"]);
    fs::remove_dir_all(table.path("g/reports")).ok();
    fs::write(table.path("g/reports"), "a file where a folder belongs").expect("written");
    let told = table.says(73, "me", &["-C", "g", "resolve", "s.yaml"]);
    // Lines are broken where they have to be.
    let told: String = told.split_whitespace().collect();
    assert!(told.contains("Whatwassignedisfinal(0001-solo-orders.yaml,0002-solo-result.yaml)"), "{told}");
    fs::remove_file(table.path("g/reports")).expect("removed");
    assert!(table.says(0, "me", &["-C", "g", "report"]).contains("set-up"));
    assert!(table.says(0, "me", &["-C", "g", "status"]).contains("setup"));
}

#[test]
fn status_says_when_the_key_at_hand_is_not_the_seats() {
    let table = Table::begun();
    assert!(!table.says(0, "us", &["-C", "us", "status"]).contains("knows another one"));
    fs::copy(table.path("home-spain/identity.yaml"), table.path("home-us/identity.yaml")).expect("copied");
    let told = table.says(0, "us", &["-C", "us", "status"]);
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("the ledger knows another one for us") && told.contains("garcia motion rekey"), "{told}");
}

#[test]
fn a_fork_behind_a_damaged_file_is_still_found() {
    let table = Table::begun();
    let first = table.send("spain", "s1.yaml");
    table.says(0, "us", &["-C", "us", "receive", &text(&first)]);
    copy(&table.path("us"), &table.path("other"));
    // Spain's modified program signs other orders for record 2 and shows them to somebody else.
    let ledger = table.path("other/ledger");
    let name = "0002-spain-orders.yaml";
    let record = garcia::trust::Record::read(&fs::read(ledger.join(name)).expect("a record")).expect("a record");
    let home = garcia::trust::home::Home::find(Some(&table.path("home-spain"))).expect("a home");
    let mut body = record.body().clone();
    body.data.as_map_mut().expect("an object").insert("policies".to_owned(), Json::map());
    let second = garcia::trust::Record::sign(body, &home.identity().expect("a key")).expect("signed");
    fs::write(ledger.join(name), second.to_yaml()).expect("written");
    fs::remove_file(ledger.join("0003-us-result.yaml")).ok();
    let told = table.says(1, "us", &["compare", "us", "other"]);
    assert!(told.contains("E12-FORK") && told.contains("fault: spain"), "{told}");
    // A damaged acceptance in the one copy hides nothing of it.
    fs::write(ledger.join("0001-spain-join.yaml"), "body: nonsense\n").expect("written");
    let told = table.says(1, "us", &["compare", "us", "other"]);
    assert!(told.contains("E12-FORK") && told.contains("cannot be read"), "{told}");
    // The honest folder goes on.
    table.send("us", "u1.yaml");
    table.says(3, "us", &["-C", "us", "verify"]);
}

#[test]
fn a_flood_is_answered_at_once_and_the_mail_behind_it_is_read() {
    let table = Table::begun();
    let first = fs::read_to_string(table.send("spain", "s1.yaml")).expect("a mail");
    let flood = "-----BEGIN GARCIA RECORD-----\n".repeat(40_000_000 / 30);
    fs::write(table.path("flood.txt"), &flood).expect("written");
    let begun = std::time::Instant::now();
    let (code, told, most) = table.measured("us", &["-C", "us", "receive", "flood.txt"]);
    assert_eq!(code, Some(2), "{told}");
    assert!(most < 200_000, "{most} kB of memory");
    assert!(told.len() < 5000 && begun.elapsed().as_secs() < 60, "{} bytes, {:?}", told.len(), begun.elapsed());
    // A copy that somebody else signed stands before the good one in the mailbox.
    let shadow = first.lines().find(|line| line.starts_with("-----BEGIN")).expect("a record");
    assert!(!shadow.is_empty());
    let records = garcia::mail::records_in("mail", first.as_bytes()).records;
    let forged: String = records
        .iter()
        .map(|record| {
            let key = garcia::trust::key::PrivateKey::from_seed(&[9; 32]);
            garcia::trust::Record::sign(record.body().clone(), &key).expect("signed").armoured()
        })
        .collect();
    let mail = |who: &str, text: &str| format!("From {who} Mon\nFrom: {who}\nSubject: turn\n\n{text}\n");
    let noisy = first.replace('\n', "\u{a0}\n");
    fs::write(table.path("box.mbox"), mail("stranger", &forged) + &mail("spain", &noisy)).expect("written");
    let told = table.says(2, "us", &["-C", "us", "receive", "box.mbox"]);
    assert!(told.contains("taken: 0002-spain-orders.yaml"), "{told}");
    assert!(!told.contains("fault: spain"), "{told}");
    table.says(0, "us", &["-C", "us", "status"]);
    table.send("us", "u1.yaml");
}

/// What each game master's table is, by what is typed for it and what an offer says of it.
const MASTERS: [(&[&str], &str); 2] =
    [(&[], "game master, who closes every turn"), (&["--private"], "private game master")];

#[test]
fn at_a_game_masters_table_terms_are_shown_before_anything_is_signed() {
    for (private, words) in MASTERS {
        let table = Table { folder: tempfile::tempdir().expect("a folder") };
        let new = ["new", "santiago-campaign", "gm", "--gm", "--players", "spain,us", "--option", "questions=default"];
        table.says(0, "gm", &[&new[..], private].concat());
        let told = table.says(0, "spain", &["join", "gm/outbox/0000-garcia.txt", "--terms", "--folder", "spain"]);
        for word in [words, "spain, us", "questions=default", "4096 links", "Nothing is signed"] {
            assert!(told.contains(word), "{word}: {told}");
        }
        assert!(!table.path("spain").exists() && !table.path("home-spain").exists());
        assert!(table.says(0, "spain", &["join", "gm/outbox/0000-garcia.txt", "--folder", "spain"]).contains(words));
        assert!(table.says(0, "spain", &["-C", "spain", "status"]).contains(words));
        let inside = table.path("spain").join("home");
        let told = table.says(64, "spain", &["-C", "spain", "--home", &text(&inside), "send", "x.yaml"]);
        assert!(told.contains("lies in the game folder"), "{told}");
    }
}

#[test]
fn at_a_game_masters_table_damage_and_lies_are_named_and_compared_past() {
    for (private, _) in MASTERS {
        let table = Table::mastered(private);
        table.taken(0, &table.send_to_master("spain", "s1.yaml"));
        table.told();
        let join = table.path("spain/ledger/0001-spain-join.yaml");
        let honest = fs::read_to_string(&join).expect("a record");
        // A conflicted copy, as cloud folders make them, of anybody's record and in anybody's folder.
        for (who, name) in [("spain", "0002-us-join"), ("gm", "0003-spain-orders"), ("us", "0004-gm-result")] {
            let ledger = table.path(&format!("{who}/ledger"));
            let copy = ledger.join(format!("{name} (conflicted copy).yaml"));
            fs::copy(ledger.join(format!("{name}.yaml")), &copy).expect("copied");
            table.says(0, who, &["-C", who, "status"]);
            assert!(table.says(0, who, &["-C", who, "verify"]).contains("is a copy of"));
            assert!(table.says(0, who, &["compare", who, if who == "gm" { "us" } else { "gm" }]).contains("the same"));
            assert!(!table.script(4, who).contains("fault:"));
        }
        fs::write(&join, honest.replace("signed by spain", "signed by us")).expect("written");
        assert!(table.says(0, "spain", &["-C", "spain", "verify"]).contains("do not say what the record says"));
        fs::write(&join, "body: nonsense\n").expect("written");
        let told = table.says(2, "gm", &["compare", "gm", "spain"]);
        assert!(told.contains("cannot be read") && !told.contains("fault"), "{told}");
        assert!(table.says(2, "gm", &["compare", "gm", "spain", "--json"]).contains("not_compared"));
        fs::write(&join, honest).expect("written");
        // The honest folders are as good as before, copies and all.
        table.says(0, "gm", &["compare", "gm", "spain"]);
        table.says(0, "gm", &["-C", "gm", "verify"]);
        table.taken(0, &table.send_to_master("us", "u1.yaml"));
        table.told();
        for who in ["gm", "spain", "us"] {
            table.says(0, who, &["-C", who, "verify"]);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_hostile_ledger_takes_no_hold_of_a_game_masters_terminal() {
    for (private, _) in MASTERS {
        let table = Table::mastered(private);
        let ledger = table.path("us/ledger");
        std::os::unix::fs::symlink("/dev/zero", ledger.join("0003-gm-orders.yaml")).expect("linked");
        fs::write(ledger.join("0003-gm\u{1b}[2J\u{202e}.yaml"), "x").expect("written");
        let made = Command::new("mkfifo").arg(ledger.join("0004-gm-result.yaml")).status();
        assert!(made.is_ok_and(|status| status.success()), "a FIFO that nobody ever writes to");
        for line in [&["-C", "us", "verify"][..], &["compare", "gm", "us"][..], &["-C", "gm", "dispute", "2", "us"][..]]
        {
            let output = table.garcia("gm", line);
            let told = [output.stdout, output.stderr].concat();
            let told = String::from_utf8_lossy(&told);
            assert!(matches!(output.status.code(), Some(0 | 2)), "{told}");
            assert!(!told.contains('\u{1b}') && !told.contains('\u{202e}'), "{told:?}");
        }
        table.says(2, "gm", &["-C", "us", "verify"]);
        table.says(2, "gm", &["compare", "gm", "us"]);
        assert!(table.script(2, "us").contains("fault: nobody"));
        // The game goes on once they are gone.
        for name in ["0003-gm-orders.yaml", "0003-gm\u{1b}[2J\u{202e}.yaml", "0004-gm-result.yaml"] {
            fs::remove_file(ledger.join(name)).expect("removed");
        }
        table.taken(0, &table.send_to_master("spain", "s1.yaml"));
        table.told();
        table.says(0, "us", &["-C", "us", "verify"]);
    }
}

#[test]
fn a_private_game_master_closes_record_and_openings_that_come_together() {
    let table = Table::mastered(&["--private"]);
    let openings = table.send("spain", "s1.yaml");
    assert!(text(&openings).ends_with("-openings.txt"), "{}", text(&openings));
    let mail = PathBuf::from(text(&openings).replace("-openings", "-garcia"));
    let told = table.says(0, "gm", &["-C", "gm", "receive", &text(&mail), &text(&openings)]);
    assert!(told.contains("each fits its commitment") && !told.contains("are missing"), "{told}");
    assert!(table.files("gm/ledger").iter().any(|name| name.ends_with("gm-result.yaml")), "closed at once");
    // An order file may not hold what is sealed already.
    fs::write(table.path("sealed.yaml"), "orders:\n  deploy: {'0405': [{sealed: sp-01}]}\n").expect("written");
    let told = table.says(1, "us", &["-C", "us", "check", "sealed.yaml"]);
    assert!(!told.is_empty());
}

#[test]
fn at_a_game_masters_table_nothing_anybody_put_anywhere_is_removed() {
    const FOLDERS: [&str; 6] = ["inbox", "early", "late", "refused", "outbox", "papers"];
    for (private, _) in MASTERS {
        let table = Table::mastered(private);
        let mut kept = Vec::new();
        for who in ["gm", "spain", "us"] {
            for folder in FOLDERS {
                fs::create_dir_all(table.path(who).join(folder)).expect("made");
                kept.push(table.path(who).join(folder).join("0 my notes.txt"));
                // Named as garcia names its own files, and not one of them.
                kept.push(table.path(who).join(folder).join("0003-spain-orders-00000000.yaml"));
            }
        }
        for path in &kept {
            fs::write(path, "do not lose this").expect("written");
        }
        // Taken, closed, gone on without, come late, come early.
        table.taken(0, &table.send_to_master("spain", "s1.yaml"));
        table.told();
        let late = table.send_to_master("us", "u1.yaml");
        table.says(0, "gm", &["-C", "gm", "resolve", "--absent"]);
        assert!(table.taken(0, &late).contains("W76-LATE"));
        table.told();
        assert_eq!(table.files("gm/late").len(), 3, "{:?}", table.files("gm/late"));
        assert_eq!(table.files("us/late").len(), 3, "{:?}", table.files("us/late"));
        table.says(0, "gm", &["-C", "gm", "receive"]);
        for path in &kept {
            assert_eq!(fs::read_to_string(path).expect("it is there"), "do not lose this", "{}", path.display());
        }
        for who in ["gm", "spain", "us"] {
            table.says(0, who, &["-C", who, "verify"]);
        }
    }
}

#[test]
fn at_a_game_masters_table_strange_mail_is_read_remembered_or_counted() {
    for (private, _) in MASTERS {
        let table = Table::mastered(private);
        // An offer where no game is says what to do with it.
        fs::create_dir(table.path("empty")).expect("made");
        let told = table.says(64, "nobody", &["-C", "empty", "receive", "gm/outbox/0000-garcia.txt"]);
        assert!(told.contains("garcia join gm/outbox/0000-garcia.txt"), "{told}");
        // UTF-16 as some editors save it, either way round, with spaces that do not break.
        let sent = table.send_to_master("spain", "s1.yaml");
        let mut wide = Vec::new();
        for (number, mail) in sent.iter().enumerate() {
            let mail = fs::read_to_string(mail).expect("a mail").replace('\n', "\u{a0}\r\n");
            let bytes = |unit: u16| if number == 0 { unit.to_le_bytes() } else { unit.to_be_bytes() };
            let path = table.path(&format!("wide{number}.txt"));
            let units = std::iter::once(0xfeff).chain(mail.encode_utf16());
            fs::write(&path, units.flat_map(bytes).collect::<Vec<u8>>()).expect("written");
            wide.push(text(&path));
        }
        let told = table.taken(0, &wide);
        assert!(told.contains("taken: 0003-spain-orders.yaml"), "{told}");
        // Several damaged records are several messages, each on lines of its own.
        let mail = fs::read_to_string(&sent[0]).expect("a mail");
        let cut: String = mail.lines().filter(|line| !line.starts_with("-----END")).map(|l| format!("{l}\n")).collect();
        fs::write(table.path("damaged.txt"), cut.repeat(3)).expect("written");
        let told = table.taken(2, &["damaged.txt".to_owned()]);
        assert!(told.matches("E01-ARMOUR").count() > 1 && !told.contains("\\u{a}"), "{told}");
        // The second mail comes before the first one, and is not forgotten.
        table.says(0, "spain", &["-C", "spain", "receive", "gm/outbox/0004-garcia.txt"]);
        table.says(0, "gm", &["-C", "gm", "resolve", "--absent"]);
        table.says(0, "gm", &["-C", "gm", "resend", "--from", "5"]);
        let told = table.says(0, "us", &["-C", "us", "receive", "gm/outbox/0005-0006-garcia.txt"]);
        assert!(told.contains("came early") && told.contains("ask for record 3"), "{told}");
        let told = table.says(0, "us", &["-C", "us", "status"]);
        assert!(told.contains("ask for record 3") && told.contains("0005-gm-orders.yaml"), "{told}");
        let told = table.says(0, "us", &["-C", "us", "receive", "gm/outbox/0004-garcia.txt"]);
        assert!(told.contains("taken: 0006-gm-result.yaml"), "{told}");
        assert!(!table.says(0, "us", &["-C", "us", "status"]).contains("ask for record"));
        assert_eq!(table.files("us/early"), Vec::<String>::new());
        for who in ["gm", "us"] {
            table.says(0, who, &["-C", who, "verify"]);
        }
        table.says(0, "gm", &["compare", "gm", "us"]);
    }
}

#[test]
fn who_goes_on_without_a_player_twice_says_after_which_record() {
    for (private, _) in MASTERS {
        let table = Table::mastered(private);
        let records = || table.files("gm/ledger").len();
        let told = table.says(0, "gm", &["-C", "gm", "resolve", "--absent"]);
        assert_eq!(records(), 5, "{told}");
        assert!(told.contains("garcia resolve --absent --after 4"), "it says how: {told}");
        // Typed again, or interrupted when only the answer was missing: nobody else is passed over.
        let told = table.says(64, "gm", &["-C", "gm", "resolve", "--absent"]);
        assert!(told.contains("just gone on without spain") && told.contains("--after 4"), "{told}");
        assert_eq!(records(), 5);
        // Interrupted before the mail was made: it is made, and nothing is signed.
        fs::remove_file(table.path("gm/outbox/0004-garcia.txt")).expect("it was there");
        assert!(table.says(0, "gm", &["-C", "gm", "resolve", "--absent"]).contains("what was interrupted"));
        assert!(table.path("gm/outbox/0004-garcia.txt").exists() && records() == 5);
        // The next one has sent nothing either, and that is said.
        table.says(0, "gm", &["-C", "gm", "resolve", "--absent", "--after", "4"]);
        assert_eq!(records(), 7);
        let told = table.says(64, "gm", &["-C", "gm", "resolve", "--absent", "--after", "4"]);
        assert!(told.contains("record 4 is not the last") && records() == 7, "{told}");
        table.says(64, "gm", &["-C", "gm", "resolve", "--after", "6"]);
        // As soon as anybody has said something, it is a new moment.
        table.told();
        table.taken(0, &table.send_to_master("us", "u1.yaml"));
        let before = records();
        table.says(0, "gm", &["-C", "gm", "resolve", "--absent"]);
        assert_eq!(records(), before + 2);
        assert!(table.says(0, "gm", &["-C", "gm", "verify"]).contains("rules: every result follows"));
    }
}

#[test]
fn what_is_sealed_for_a_later_turn_and_is_nothing_lapses_and_keeps_nobodys_orders_from_being_closed() {
    let table = Table::mastered_at("end-of-empire", &["--private"]);
    for (who, name) in [("spain", "s0.yaml"), ("us", "u0.yaml"), ("us", "u1.yaml")] {
        table.taken(0, &table.send_to_master(who, name));
        table.told();
    }
    // What Spain lays down for its counters in the next turn is turned to use in the US turn; here it is nothing at all. His
    // modified program commits that, and the openings fit.
    let sent = table.send_to_master("spain", "s1.yaml");
    let home = garcia::trust::home::Home::find(Some(&table.path("home-spain"))).expect("a home");
    let mail = garcia::mail::records_in("mail", &fs::read(&sent[0]).expect("a mail"));
    let honest = mail.records.last().expect("orders");
    let (by, game) = (honest.body().by.clone(), honest.body().game.expect("a game"));
    let slot = garcia::engine::Slot::parse("sp-c1/t2").expect("a slot");
    let garbage = Json::Int(17);
    let salt = home.game(&game, &by).expect("secrets").secret().hide().salt(&slot, 1);
    let commit = garcia::trust::secret::commitment(&game, &by, &slot, 1, &salt, &garbage);
    let mut body = honest.body().clone();
    let Some(Json::List(hides)) = body.data.pointer_mut("/hide") else { panic!("nothing sealed") };
    let hide = hides.iter_mut().find(|hide| hide.get("slot") == Some(&Json::from("sp-c1/t2"))).expect("it is sealed");
    *hide.pointer_mut("/commit").expect("a commitment") = Json::from(commit.to_string());
    let strange = garcia::trust::Record::sign(body, &home.identity().expect("a key")).expect("signed");
    let mut openings = garcia::mail::records_in("mail", &fs::read(&sent[1]).expect("openings")).openings.remove(0);
    openings.reveals.iter_mut().filter(|reveal| reveal.slot == slot).for_each(|reveal| reveal.value = garbage.clone());
    fs::write(table.path("strange.txt"), strange.armoured() + &openings.armoured()).expect("written");
    let told = table.taken(0, &["strange.txt".to_owned()]);
    assert!(told.contains("each fits its commitment"), "{told}");
    table.says(0, "us", &["-C", "us", "receive", "gm/outbox/0010-garcia.txt"]);
    // It lapses where it would be used; the US orders are closed, and nobody innocent hears of a fault.
    let told = table.taken(0, &table.send_to_master("us", "u2.yaml"));
    // Cuba Libre may come up, which opens every counter (A67): then nothing is left that it was laid down for.
    let opened = !told.contains("| sp-c1 ");
    assert!((opened || told.contains("Not carried out: columns")) && !told.contains("fault"), "{told}");
    let last = table.files("gm/outbox").into_iter().rfind(|name| name.ends_with("-garcia.txt")).expect("a mail");
    table.says(0, "us", &["-C", "us", "receive", &text(&table.path("gm/outbox").join(last))]);
    for who in ["gm", "us"] {
        assert!(!table.says(0, who, &["-C", who, "verify"]).contains("DIVERGENCE"));
        assert!(!table.script(4, who).contains("fault:"));
    }
    // Spain's turn comes next; without him the game goes on.
    table.says(0, "gm", &["-C", "gm", "resolve", "--absent"]);
}

#[test]
fn a_private_game_masters_page_to_hand_round_tells_nothing_that_lies_face_down() {
    let table = Table::mastered(&["--private"]);
    table.taken(0, &table.send_to_master("spain", "s1.yaml"));
    let own = table.says(0, "gm", &["-C", "gm", "dispute", "4"]);
    assert!(own.contains("sp-02 (sp-"), "the game master sees what it is: {own}");
    let public = ["-C", "gm", "dispute", "4", "--public"];
    let told = table.says(0, "gm", &public);
    assert!(told.contains("sp-02") && !told.contains("sp-02 (sp-"), "{told}");
    for form in [&["--json"][..], &["--form", "html", "--output", "page.html"][..]] {
        table.says(0, "gm", &[&public[..], form].concat());
    }
    table.told();
    let shown = |told: &str| told.split("-- The dice, recomputed").nth(1).map(str::to_owned).expect("dice");
    let theirs = table.says(0, "nobody", &["-C", "us", "dispute", "4", "--public"]);
    assert_eq!(shown(&theirs), shown(&told), "it is what anybody finds in his own copy");
}
