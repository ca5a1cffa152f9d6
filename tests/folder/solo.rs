//! A solo game at the command line, from outside: interruptions, locks, damage.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use garcia::engine::Json;
use garcia::trust::key::PrivateKey;
use garcia::trust::record::{Body, Record};
use garcia::trust::store::Lock;

struct Table {
    folder: tempfile::TempDir,
}

impl Table {
    fn new() -> Table {
        Table { folder: tempfile::tempdir().expect("a folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn garcia(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_garcia"))
            .current_dir(self.folder.path())
            .env("GARCIA_HOME", self.path("home"))
            .args(args)
            .output()
            .expect("garcia runs")
    }

    /// Runs a command that must end with the given code; what it said.
    fn says(&self, code: i32, args: &[&str]) -> String {
        let output = self.garcia(args);
        let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "garcia {}\n{text}", args.join(" "));
        text
    }

    /// A game of which some packets are played as the template proposes.
    fn begun(packets: usize) -> Table {
        let table = Table::new();
        table.says(0, &["new", "santiago-1898", "g", "--solo"]);
        for number in 0..packets {
            let file = format!("{number}.yaml");
            table.says(0, &["-C", "g", "template", "--output", &file]);
            table.says(0, &["-C", "g", "resolve", &file]);
        }
        table
    }
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| (path.file_name().expect("a name").to_string_lossy().into_owned(), fs::read(&path).expect("read")))
        .collect();
    files.sort();
    files
}

#[test]
fn the_template_as_it_stands_is_a_legal_turn_for_both_sides() {
    let table = Table::begun(5);
    let status = table.says(0, &["-C", "g", "status"]);
    assert!(status.contains("turn 2"), "{status}");
    assert!(table.says(0, &["-C", "g", "verify"]).contains("rules: every result follows"));
    let report = table.says(0, &["-C", "g", "report", "--form", "html"]);
    assert!(report.starts_with("<!doctype html>") && report.contains("class=\"map\""));
}

#[test]
fn orders_interrupted_before_their_result_are_closed_and_come_out_the_same() {
    let table = Table::begun(3);
    let ledger = table.path("g/ledger");
    let before = files(&ledger);
    fs::remove_file(table.path("g/ledger/0006-solo-result.yaml")).expect("the last result");
    assert!(table.says(3, &["-C", "g", "verify"]).contains("W70-WAITING"));
    assert!(table.says(0, &["-C", "g", "status"]).contains("signed and not yet resolved"));
    assert!(table.says(64, &["-C", "g", "resolve", "2.yaml"]).contains("wait for their result"));
    table.says(0, &["-C", "g", "resolve"]);
    assert_eq!(files(&ledger), before);
}

#[test]
fn other_orders_for_the_same_moment_are_refused() {
    let table = Table::begun(2);
    for name in ["0003-solo-orders.yaml", "0004-solo-result.yaml"] {
        fs::remove_file(table.path("g/ledger").join(name)).expect("a record");
    }
    // What was signed comes back out of the secrets; others were never signed here.
    let text = fs::read_to_string(table.path("1.yaml")).expect("orders");
    let other = text.replacen("standing:", "standing:\n  retreat: [1309]", 1).replacen("\n  retreat: default", "", 1);
    assert_ne!(text, other);
    fs::write(table.path("other.yaml"), other).expect("written");
    let refused = table.says(64, &["-C", "g", "resolve", "other.yaml"]);
    assert!(refused.contains("signed"), "{refused}");
    table.says(0, &["-C", "g", "resolve"]);
    table.says(0, &["-C", "g", "verify"]);
}

#[test]
fn two_processes_do_not_work_in_one_folder() {
    let table = Table::begun(1);
    let before = files(&table.path("g/ledger"));
    table.says(0, &["-C", "g", "template", "--output", "next.yaml"]);
    let held = Lock::take(&table.path("g")).expect("free");
    assert!(table.says(75, &["-C", "g", "resolve", "next.yaml"]).contains("another garcia"));
    drop(held);
    assert_eq!(files(&table.path("g/ledger")), before);
    table.says(0, &["-C", "g", "resolve", "next.yaml"]);
}

#[test]
fn a_refused_file_leaves_everything_as_it_was() {
    let table = Table::begun(2);
    let before = (files(&table.path("g/ledger")), fs::read(table.path("g/state.yaml")).expect("a state"));
    table.says(0, &["-C", "g", "template", "--output", "good.yaml"]);
    let good = fs::read_to_string(table.path("good.yaml")).expect("orders");
    fs::write(table.path("bad.yaml"), good.replacen("turn: 1", "turn: 9", 1)).expect("written");
    assert!(table.says(1, &["-C", "g", "resolve", "bad.yaml"]).contains("turn 1 is being played"));
    let after = (files(&table.path("g/ledger")), fs::read(table.path("g/state.yaml")).expect("a state"));
    assert_eq!(before, after);
}

#[test]
fn verify_tells_damage_from_a_false_result() {
    let table = Table::begun(3);
    let path = table.path("g/ledger/0006-solo-result.yaml");
    let good = fs::read_to_string(&path).expect("a record");

    fs::write(&path, good.replacen("index: 3", "index: 2", 1)).expect("written");
    let damaged = table.says(2, &["-C", "g", "verify"]);
    assert!(damaged.contains("E03-SIG"), "{damaged}");
    assert!(table.says(2, &["-C", "g", "status"]).contains("garcia verify"));

    let record = Record::read(good.as_bytes()).expect("a record");
    let mut body: Body = record.body().clone();
    let state = body.data.pointer_mut("/state").expect("a state");
    *state = Json::Str("0".repeat(64));
    let identity = fs::read_to_string(table.path("home/identity.yaml")).expect("a key");
    let seed = identity.lines().find_map(|line| line.strip_prefix("key: ")).expect("a key").trim_matches('"');
    let seed = garcia::engine::digest::from_hexadecimal(seed).expect("32 bytes");
    let forged = Record::sign(body, &PrivateKey::from_seed(&seed)).expect("signed");
    fs::write(&path, forged.to_yaml()).expect("written");
    let cheated = table.says(1, &["-C", "g", "verify"]);
    assert!(cheated.contains("E40-STATE") && cheated.contains("solo"), "{cheated}");

    fs::write(&path, good).expect("written");
    table.says(0, &["-C", "g", "verify"]);
}

#[test]
fn ten_megabytes_and_deep_nesting_are_refused_at_once() {
    let table = Table::begun(0);
    fs::write(table.path("big.yaml"), "a: 1\n".repeat(2_100_000)).expect("written");
    fs::write(table.path("deep.yaml"), format!("a: {}", "[".repeat(100_000))).expect("written");
    for name in ["big.yaml", "deep.yaml"] {
        let started = std::time::Instant::now();
        table.says(1, &["-C", "g", "check", name]);
        assert!(started.elapsed().as_secs() < 5, "{name}");
    }
}

#[test]
fn the_same_seed_gives_the_same_match() {
    let table = Table::new();
    let demo = |seed: &str| table.says(0, &["demo", "santiago-1898", "--turns", "2", "--seed", seed]);
    let first = demo("kettle-hill");
    assert_eq!(first, demo("kettle-hill"));
    assert_ne!(first, demo("el-caney"));
    assert!(first.contains("all as recorded"), "{first}");
}

/// Cubans attack El Caney and want to be asked whether to press on. Fire may break the attack before; then try again.
fn asked_to_press() -> Table {
    for _ in 0..40 {
        let table = Table::begun(2);
        table.says(0, &["-C", "g", "template", "--output", "turn.yaml"]);
        let text = fs::read_to_string(table.path("turn.yaml")).expect("orders");
        let orders = "\norders:\n  moves: [{units: [cu-ba, cu-cb, cu-ji], to: 1513}]\n  battles: [{target: El Caney, from: [1513]}]\n";
        let text = text.replacen("\norders:\n", orders, 1).replacen("  press: default", "  press: ask", 1);
        fs::write(table.path("turn.yaml"), text).expect("written");
        table.says(0, &["-C", "g", "resolve", "turn.yaml"]);
        if table.says(0, &["-C", "g", "status", "--json"]).contains("\"ask\": \"answers\"") {
            return table;
        }
    }
    panic!("forty attacks were broken by fire");
}

#[test]
fn the_game_stops_to_ask_and_goes_on_with_the_answer() {
    let table = asked_to_press();
    assert!(table.says(0, &["-C", "g", "status"]).contains("Awaited: 1 answer of us"));
    table.says(0, &["-C", "g", "template", "--output", "answer.yaml"]);
    let answer = fs::read_to_string(table.path("answer.yaml")).expect("answers");
    assert!(answer.contains("packet: answers") && answer.contains("choice: default"), "{answer}");

    fs::write(table.path("bad.yaml"), answer.replace("choice: default", "choice: perhaps")).expect("written");
    let refused = table.says(1, &["-C", "g", "check", "bad.yaml"]);
    assert!(refused.contains("is not among the choices") && refused.contains("§9.3g"), "{refused}");
    let silent: String = answer
        .lines()
        .filter(|line| !line.contains("key:") && !line.contains("choice:"))
        .fold(String::new(), |text, line| text + line + "\n");
    fs::write(table.path("silent.yaml"), silent).expect("written");
    assert!(table.says(1, &["-C", "g", "check", "silent.yaml"]).contains("is not answered"));
    assert!(table.says(1, &["-C", "g", "check", "turn.yaml"]).contains("`answers` is due"));

    let told = table.says(0, &["-C", "g", "resolve", "answer.yaml"]);
    let (before, after) = told.split_once("The new part begins here").expect("a new part");
    assert!(before.contains("as told before") && before.contains("El Caney"), "{told}");
    assert!(after.contains("Awaited: `turn` orders of spain"), "{told}");
    table.says(0, &["-C", "g", "verify"]);
}

#[test]
fn a_folder_in_order_has_nothing_amiss() {
    let table = Table::begun(1);
    let said = table.says(0, &["-C", "g", "doctor"]);
    assert!(said.contains("Nothing is amiss"), "{said}");
}

#[test]
fn the_doctor_finds_what_was_left_behind_and_mends_only_when_asked() {
    let table = Table::begun(2);
    let record = fs::read(table.path("g/ledger/0001-solo-orders.yaml")).expect("a record");
    fs::write(table.path("g/ledger/0001-solo-orders (conflicted copy).yaml"), record).expect("a copy");
    fs::write(table.path("g/ledger/.0005-solo-orders.yaml.4711.draft"), "half").expect("a draft");
    fs::copy(table.path("home/identity.yaml"), table.path("g/key.yaml")).expect("a key in the wrong place");
    let before = files(&table.path("g/ledger"));
    let said = table.says(3, &["-C", "g", "doctor"]);
    for part in ["4711.draft", "conflicted copy", "the same to the letter", "your private key lies in the game folder"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(files(&table.path("g/ledger")), before, "a doctor who is not asked to changes nothing");
    let said = table.says(3, &["-C", "g", "doctor", "--mend"]);
    assert!(said.contains("removed") && !table.path("g/ledger/.0005-solo-orders.yaml.4711.draft").exists(), "{said}");
    assert!(table.path("g/key.yaml").exists(), "nothing is removed but drafts");
    fs::remove_file(table.path("g/key.yaml")).expect("moved");
    fs::remove_file(table.path("g/ledger/0001-solo-orders (conflicted copy).yaml")).expect("removed");
    assert!(table.says(0, &["-C", "g", "doctor"]).contains("Nothing is amiss"));
}

#[cfg(unix)]
#[test]
fn the_doctor_shuts_secrets_that_others_may_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let table = Table::begun(0);
    let key = table.path("home/identity.yaml");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).expect("opened to all");
    assert!(table.says(3, &["-C", "g", "doctor"]).contains("mode 644"));
    table.says(0, &["-C", "g", "doctor", "--mend"]);
    assert_eq!(fs::metadata(&key).expect("there").permissions().mode() & 0o777, 0o600);
}

#[test]
fn the_doctor_sees_secrets_that_are_older_than_the_ledger() {
    let table = Table::begun(1);
    let entries = fs::read_dir(table.path("home/secrets")).expect("secrets").map(|entry| entry.expect("entry").path());
    let secrets = entries.into_iter().find(|path| path.extension().is_some_and(|end| end == "yaml")).expect("one");
    let older = fs::read(&secrets).expect("read");
    table.says(0, &["-C", "g", "template", "--output", "next.yaml"]);
    table.says(0, &["-C", "g", "resolve", "next.yaml"]);
    fs::write(&secrets, older).expect("restored from a backup");
    let said = table.says(3, &["-C", "g", "doctor"]);
    assert!(said.contains("older than the ledger"), "{said}");
}

#[test]
fn the_sensible_player_plays_the_other_side_of_every_game() {
    for (number, game) in garcia::games::GAMES.iter().enumerate() {
        for side in game.sides().iter().skip(number % 2).take(1) {
            let table = Table::new();
            table.says(0, &["new", game.id(), "g", "--solo", "--against", "sensible", "--as", side.as_str()]);
            for number in 0..2 {
                let file = format!("{number}.yaml");
                table.says(0, &["-C", "g", "template", "--output", &file]);
                let orders = fs::read_to_string(table.path(&file)).expect("orders");
                assert!(orders.contains(&format!("\nside: {side}\n")), "{}: {orders}", game.id());
                table.says(0, &["-C", "g", "resolve", &file]);
            }
            assert!(table.says(0, &["-C", "g", "verify"]).contains("rules: every result follows"));
        }
    }
}

#[test]
fn the_program_keeps_its_face_down_counters_to_itself() {
    let table = Table::new();
    table.says(0, &["new", "santiago-campaign", "g", "--solo", "--against", "sensible", "--as", "us"]);
    // Whoever plays both sides sees both.
    table.says(0, &["new", "santiago-campaign", "both", "--solo"]);
    table.says(0, &["-C", "both", "template", "--output", "setup.yaml"]);
    table.says(0, &["-C", "both", "resolve", "setup.yaml"]);
    let shown = |game: &str| table.says(0, &["-C", game, "map", "--json"]).contains("sp-4-tal");
    assert!(shown("both") && !shown("g"));
    let told = table.says(64, &["new", "santiago-1898", "h", "--solo", "--as", "us"]);
    assert!(told.contains("--against sensible --as us"), "{told}");
}

#[test]
fn the_tutor_plays_two_turns_with_whoever_presses_three_keys() {
    use std::io::Write as _;
    let table = Table::new();
    let mut lesson = Command::new(env!("CARGO_BIN_EXE_garcia"))
        .current_dir(table.folder.path())
        .env("GARCIA_HOME", table.path("home"))
        .env_remove("EDITOR")
        .env_remove("VISUAL")
        .args(["tutor", "first"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("garcia runs");
    let keys = "x\ne\ns\nm\n".to_owned() + &"p\nc\nr\n".repeat(12);
    lesson.stdin.take().expect("an ear").write_all(keys.as_bytes()).expect("said");
    let output = lesson.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    for words in [
        "Welcome to garcia",
        "One letter is enough",
        "$EDITOR names no editor",
        "sensible plan",
        "Two turns are played",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let status = table.says(0, &["-C", "first", "status"]);
    assert!(status.contains("turn 3"), "{status}");
    // A second lesson in the same folder goes on where the first ended.
    assert!(table.says(0, &["tutor", "first"]).contains("Two turns are played"));
}

#[test]
fn after_a_thousand_unknown_names_no_more_are_looked_up() {
    let table = Table::begun(0);
    table.says(0, &["-C", "g", "template", "--output", "many.yaml"]);
    let text = fs::read_to_string(table.path("many.yaml")).expect("a template");
    let names: String = (0..3000).map(|number| format!("    nobody{number}: 0816\n")).collect();
    let (head, tail) = text.split_once("  place:\n").expect("the set-up places units");
    fs::write(table.path("many.yaml"), format!("{head}  place:\n{names}{tail}")).expect("written");
    let said = table.says(1, &["-C", "g", "check", "many.yaml"]);
    assert!(said.contains("1001 faults in many.yaml"), "{}", &said[said.len().saturating_sub(300)..]);
}

#[test]
fn a_harmless_copy_does_not_hide_a_rival_record_from_the_doctor() {
    let table = Table::begun(2);
    let (orders, result) = (table.path("g/ledger/0001-solo-orders.yaml"), table.path("g/ledger/0002-solo-result.yaml"));
    fs::copy(&orders, table.path("g/ledger/0001-solo-orders (copy).yaml")).expect("a copy");
    fs::copy(&orders, table.path("g/ledger/0002-solo-result (copy).yaml")).expect("another record in its place");
    assert!(result.exists());
    let said = table.says(3, &["-C", "g", "doctor"]);
    assert!(said.contains("the same to the letter"), "{said}");
    assert!(said.contains("there is another file for record 2"), "{said}");
    assert!(!said.contains("there is another file for record 1"), "{said}");
}
