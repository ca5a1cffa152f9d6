//! Makes the folders, secrets and mails anew that the snapshots of `mail.trycmd` and `audit.trycmd` begin with. They are
//! a real match, so they have to be made again whenever the version or the data of santiago-1898 changes:
//!
//! ```text
//! cargo test --test folder renew -- --ignored && TRYCMD=overwrite cargo test --test cli
//! ```

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use garcia::engine::json::Json;
use garcia::trust::home::Home;
use garcia::trust::key::PrivateKey;
use garcia::trust::record::{Body, Record, RecordKind};

/// A folder in which the snapshots begin, emptied, and the program as a player runs it there.
struct Stage(PathBuf);

impl Stage {
    fn cleared(name: &str) -> Stage {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli").join(name);
        for entry in fs::read_dir(&folder).expect("the folder").map(|entry| entry.expect("an entry").path()) {
            match entry.is_dir() {
                true => fs::remove_dir_all(&entry).expect("removed"),
                false if entry.ends_with("README") => (),
                false => fs::remove_file(&entry).expect("removed"),
            }
        }
        Stage(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// What a player types, with his own secrets.
    fn types(&self, who: &str, line: &str) {
        let home = format!("home-{who}");
        let done = Command::new(env!("CARGO_BIN_EXE_garcia"))
            .current_dir(&self.0)
            .env("NO_COLOR", "1")
            .args(["--home", &home])
            .args(line.split_whitespace())
            .output()
            .expect("it runs");
        assert!(done.status.success(), "{who}: garcia {line}\n{}", String::from_utf8_lossy(&done.stderr));
    }

    /// A player sends the template as it stands, or with these lines in the place of its orders.
    fn sends(&self, who: &str, orders: Option<&str>) {
        fs::remove_file(self.path("sent.yaml")).ok();
        self.types(who, &format!("-C {who} template --output sent.yaml"));
        if let Some(orders) = orders {
            let text = self.read("sent.yaml");
            let (head, rest) = text.split_once("\norders:").expect("a packet");
            let (_, tail) = rest.split_once("\n\n# Questions to you").expect("policies");
            self.write("sent.yaml", &format!("{head}\norders:\n{orders}\n# Questions to you{tail}"));
        }
        self.types(who, &format!("-C {who} send --yes sent.yaml --eml"));
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    fn record(&self, file: &str) -> Record {
        Record::read(self.read(file).as_bytes()).expect("a record")
    }

    /// The mail that carries the newest record of a folder, as text or as a draft.
    fn newest_mail(&self, who: &str, ending: &str) -> String {
        let mails = fs::read_dir(self.path(&format!("{who}/outbox"))).expect("an outbox");
        let names = mails.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
        let newest = names.filter(|name| name.ends_with(ending)).max().expect("a mail");
        self.read(&format!("{who}/outbox/{newest}"))
    }

    /// A copy of the first records of a ledger, without some.
    fn copy_ledger(&self, from: &str, to: &str, keep: impl Fn(usize) -> bool) {
        for entry in fs::read_dir(self.path(&format!("{from}/ledger"))).expect("a ledger") {
            let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
            let Some(place) = name.get(..4).and_then(|seq| seq.parse().ok()) else { continue };
            if keep(place) {
                self.write(&format!("{to}/ledger/{name}"), &self.read(&format!("{from}/ledger/{name}")));
            }
        }
    }

    /// A folder as it was with its first records, and nothing else in it.
    fn cut(&self, folder: &str, records: usize) {
        self.copy_ledger(folder, "cut", |place| place < records);
        fs::remove_dir_all(self.path(folder)).expect("removed");
        fs::rename(self.path("cut"), self.path(folder)).expect("renamed");
    }
}

/// A record with something changed, signed again.
fn forged(record: &Record, key: &PrivateKey, change: impl FnOnce(&mut Body)) -> String {
    let mut body = record.body().clone();
    change(&mut body);
    Record::sign(body, key).expect("signed").to_json().to_string()
}

fn put(body: &mut Body, pointer: &str, value: Json) {
    *body.data.pointer_mut(pointer).expect("a value") = value;
}

#[test]
#[ignore = "writes tests/cli/mail.in"]
fn a_short_match_by_mail() {
    let stage = Stage::cleared("mail.in");
    stage.types("us", "new santiago-1898 us --as us");
    let offer = stage.newest_mail("us", ".txt");
    stage.write("offer.txt", &offer);
    stage.types("stranger", "new santiago-1898 elsewhere --as us");
    stage.write("other-game.txt", &stage.newest_mail("elsewhere", ".txt"));
    stage.types("spain", "join offer.txt --folder spain");
    let carry = |from: &str, to: &str| {
        stage.write("carried.txt", &stage.newest_mail(from, ".txt"));
        stage.types(to, &format!("-C {to} receive carried.txt"));
    };
    stage.sends("spain", None);
    carry("spain", "us");
    stage.sends("us", None);
    carry("us", "spain");
    // Spain's program closed the set-up of the Cubans; the mail goes back, and the US turn comes.
    carry("spain", "us");
    let turn = "  landings:
    - {units: [us-inf-6, us-inf-16, us-cav-1], at: Siboney}
  moves:
    - {units: [cu-ra, cu-ry], to: 1504}
    - {units: [cu-ba, cu-cb], to: 1513}
";
    stage.sends("us", Some(turn));
    stage.write("late.yaml", &stage.read("sent.yaml"));
    carry("us", "spain");
    stage.sends("spain", Some("  {}\n"));
    let (mail, draft) = (stage.newest_mail("spain", ".txt"), stage.newest_mail("spain", ".eml"));
    stage.write("turn.eml", &draft);
    let second = mail.match_indices("-----BEGIN").nth(1).expect("two records").0;
    let (result, orders) = mail.split_at(second);
    stage.write("0008-garcia.txt", orders);
    // A mail program quoted the text twice, broke its lines and put blanks behind them.
    let broken = mail.lines().flat_map(|line| {
        let (head, tail) = line.split_at(line.len().min(40));
        let blank = if tail.is_empty() { "" } else { " " };
        [format!("> > {head}{blank}"), format!("> > {tail}")].into_iter().filter(|line| line != "> > ")
    });
    let quoted: Vec<String> = broken.collect();
    stage.write("quoted.txt", &format!("Hi,\n\nyou wrote:\n{}\n", quoted.join("\n")));
    let third = result.lines().nth(3).expect("a line");
    let other = if third.starts_with('B') { "C" } else { "B" };
    stage.write("damaged.txt", &result.replacen(third, &format!("{other}{}", &third[1..]), 1));
    stage.write("note.txt", "No turn today, the fleet is coaling.\n");
    // The US answer, to be forged; his own folder then goes back to before the mail.
    let before = fs::read(secrets(&stage, "us")).expect("secrets");
    stage.types("us", "-C us receive turn.eml");
    let answer = stage.record("us/ledger/0009-us-result.yaml");
    fs::write(secrets(&stage, "us"), before).expect("written");
    let key =
        |who: &str| Home::find(Some(&stage.path(&format!("home-{who}")))).expect("a home").identity().expect("a key");
    let face = answer.body().data.pointer("/rolls/0/faces/0").and_then(Json::as_int).expect("the event of turn 2");
    let bent = forged(&answer, &key("us"), |body| put(body, "/rolls/0/faces/0", Json::Int(face % 6 + 1)));
    stage.write("bent-die.json", &bent);
    let bent = forged(&answer, &key("us"), |body| put(body, "/state", Json::from("ab".repeat(32))));
    stage.write("bent-state.json", &bent);
    stage.write("stranger.json", &forged(&answer, &key("stranger"), |_| ()));
    let motion = forged(&answer, &key("us"), |body| {
        body.kind = RecordKind::from("motion");
        body.data = Json::object([("back_to", Json::Int(5)), ("what", Json::from("void"))]);
    });
    stage.write("motion.json", &motion);
    let orders = stage.record("spain/ledger/0008-spain-orders.yaml");
    let again = forged(&orders, &key("spain"), |body| put(body, "/nonce", Json::from("e2".repeat(32))));
    stage.write("second-orders.json", &again);
    stage.copy_ledger("spain", "forked", |place| place < 8);
    stage.write("forked/ledger/0008-spain-orders.json", &again);
    stage.copy_ledger("spain", "gap", |place| [0, 1, 3].contains(&place));
    stage.copy_ledger("spain", "edited", |place| place < 3);
    let edited = stage.read("edited/ledger/0002-spain-orders.yaml");
    let place = edited.lines().find(|line| line.contains("sp-1-11-sf:")).expect("a unit").to_owned();
    stage.write("edited/ledger/0002-spain-orders.yaml", &edited.replacen(&place, "        sp-1-11-sf: \"1210\"", 1));
    let genesis = stage.record("us/ledger/0000-us-genesis.yaml");
    let newer = forged(&genesis, &key("us"), |body| put(body, "/engine", Json::from("santiago-1898 99")));
    stage.write("newer/ledger/0000-us-genesis.json", &newer);
    stage.cut("us", 7);
    stage.cut("spain", 9);
    for gone in ["elsewhere", "home-stranger"] {
        fs::remove_dir_all(stage.path(gone)).expect("removed");
    }
    for gone in ["carried.txt", "sent.yaml"] {
        fs::remove_file(stage.path(gone)).expect("removed");
    }
    sweep(&stage.0);
}

#[test]
#[ignore = "writes tests/cli/audit.in"]
fn a_match_that_has_ended() {
    let stage = Stage::cleared("audit.in");
    stage.types("both", "rehearse santiago-1898 match --seed audit --mails 400");
    let records = fs::read_dir(stage.path("match/spain/ledger")).expect("a ledger").count();
    for who in ["us", "spain"] {
        fs::rename(stage.path(&format!("match/{who}")), stage.path(who)).expect("renamed");
        fs::rename(stage.path(&format!("home-both/{who}")), stage.path(&format!("home-{who}"))).expect("renamed");
        // Neither has written his audit.
        stage.cut(who, records - 2);
    }
    let before = fs::read(secrets(&stage, "spain")).expect("secrets");
    stage.types("spain", "-C spain audit");
    stage.write("carried.txt", &stage.newest_mail("spain", ".txt"));
    stage.types("us", "-C us receive carried.txt");
    let audit = format!("us/ledger/{:04}-us-audit.yaml", records - 1);
    stage.write("us-audit.yaml", &stage.read(&audit));
    // Spain's folder as it was before.
    fs::write(secrets(&stage, "spain"), before).expect("written");
    stage.cut("spain", records - 2);
    for gone in ["match", "home-both", "us", "home-us"] {
        fs::remove_dir_all(stage.path(gone)).expect("removed");
    }
    fs::remove_file(stage.path("carried.txt")).expect("removed");
    sweep(&stage.0);
}

/// The only file with the secrets of a player's games.
fn secrets(stage: &Stage, who: &str) -> PathBuf {
    let folder = stage.path(&format!("home-{who}/secrets"));
    let mut files = fs::read_dir(folder).expect("secrets").map(|entry| entry.expect("an entry").path());
    files.find(|path| path.extension().is_some_and(|ending| ending == "yaml")).expect("one game")
}

/// Locks are no part of what is shipped.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            sweep(&entry);
        } else if entry.file_name().is_some_and(|name| name.to_string_lossy().contains("lock")) {
            fs::remove_file(&entry).expect("removed");
        }
    }
}
