//! The game by mail as the command line plays it: a stop, a lost mail, a mangled one, a file full of mistakes, and what stands
//! in the US player's folder.

use std::fs;
use std::path::Path;

use garcia::trust::store::LedgerFolder;

use super::sails;
use crate::players::desk::{Desk, only_file};

/// A match of El Caney by mail up to the first American turn; Spain wants to be asked about its Defensive Fire.
fn before_el_caney() -> Desk {
    let desk = Desk::new();
    desk.says(0, "us", "new splendid-little-war games/us --as us --scenario el-caney");
    let offer = only_file(&desk.path("games/us/outbox"), ".txt");
    desk.says(0, "spain", &format!("join {} --folder games/spain", offer.display()));
    desk.says(0, "spain", "-C games/spain template --output spain.yaml");
    change(&desk.path("spain.yaml"), "defensive-fire: default", "defensive-fire: ask");
    desk.says(0, "spain", "-C games/spain send --yes spain.yaml");
    mail(&desk, "spain", "us");
    desk.says(0, "us", "-C games/us template --output us.yaml");
    desk.says(0, "us", "-C games/us send --yes us.yaml");
    mail(&desk, "us", "spain");
    mail(&desk, "spain", "us");
    desk
}

/// The last mail of one player arrives.
fn mail(desk: &Desk, from: &str, to: &str) -> String {
    let mail = only_file(&desk.path(&format!("games/{from}/outbox")), ".txt");
    desk.says(0, to, &format!("-C games/{to} receive {}", mail.display()))
}

fn change(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).expect("read");
    assert!(text.contains(from), "{from} in\n{text}");
    fs::write(file, text.replace(from, to)).expect("written");
}

fn records(desk: &Desk, who: &str) -> usize {
    fs::read_dir(desk.path(&format!("games/{who}/ledger"))).expect("a ledger").count()
}

#[test]
fn a_turn_stops_for_defensive_fire_and_goes_on_though_mails_are_mangled_and_lost() {
    let desk = before_el_caney();
    desk.says(0, "us", "-C games/us template --output turn.yaml");
    change(&desk.path("turn.yaml"), "  moves: []", "  moves: [{units: [us-inf-12], to: 2631}]");
    desk.says(0, "us", "-C games/us send --yes turn.yaml");
    let sent = only_file(&desk.path("games/us/outbox"), ".txt");
    let text = fs::read_to_string(&sent).expect("read");
    // A letter is changed on the way: nothing is taken, and nobody is accused.
    let before = records(&desk, "spain");
    let line = text.lines().filter(|line| line.len() > 50 && !line.contains(' ')).nth(3).expect("a line of a record");
    let other = if line.starts_with('B') { "C" } else { "B" };
    fs::write(desk.path("mangled.txt"), text.replace(line, &format!("{other}{}", &line[1..]))).expect("written");
    let told = desk.says(2, "spain", "-C games/spain receive mangled.txt");
    assert!(told.contains("E01-ARMOUR") && told.contains("ask for it again"), "{told}");
    assert_eq!(records(&desk, "spain"), before);
    // The mail is lost: the same bytes again.
    fs::remove_file(&sent).expect("lost");
    desk.says(0, "us", "-C games/us resend");
    assert_eq!(fs::read_to_string(&sent).expect("made again"), text);
    let told = mail(&desk, "us", "spain");
    assert!(told.contains("Defensive Fire"), "{told}");
    // Spain is asked, and the turn goes on as it answers; the US player's program answers with its dice.
    desk.says(0, "spain", "-C games/spain template --output answer.yaml");
    let answer = fs::read_to_string(desk.path("answer.yaml")).expect("read");
    assert!(answer.contains("§13.1g"), "{answer}");
    change(&desk.path("answer.yaml"), "choice: default", "choice: []");
    desk.says(0, "spain", "-C games/spain send --yes answer.yaml");
    mail(&desk, "spain", "us");
    let told = mail(&desk, "us", "spain");
    assert!(told.contains("spanish-turn"), "{told}");
    desk.says(0, "spain", "-C games/spain verify");
    // The result stays with Spain for one mail with its next orders; until then the US player is owed it.
    let told = desk.says(3, "us", "-C games/us verify");
    assert!(told.contains("W70-WAITING"), "{told}");
}

#[test]
fn a_file_with_ten_faults_is_refused_whole_with_every_one_of_them() {
    let desk = before_el_caney();
    let wrong = "game: splendid-little-war
side: us
turn: 1
packet: us-turn
orders:
  release: [sp-con-01]
  enter: [{units: [us-inf-07], to: 2433}]
  moves:
    - {units: [us-inf-07], path: [2533, 2735]}
    - {units: [sp-con-01], to: 2530}
    - {units: [us-inf-12, us-inf-17], to: 2533}
    - {units: [us-2cav-d], break-down: yes}
    - {units: [us-inf-01], path: [2230], to: 2332}
  entrench: [us-art-e1]
  pontoon: {us-inf-25: 2031}
  balloon: up
  fire:
    - {target: 2930, units: [us-art-e1]}
  assaults:
    - {target: 2629, units: [us-art-e1, us-inf-08]}
";
    fs::write(desk.path("wrong.yaml"), wrong).expect("written");
    let before = records(&desk, "us");
    let told = desk.says(1, "us", "-C games/us check wrong.yaml");
    let clauses = [
        "17.0.garrison-e",
        "9.0a",
        "12.0c",
        "4.0h",
        "12.0b",
        "5.3a",
        "6.0i",
        "15.4a",
        "15.1",
        "13.1f",
        "13.2c",
        "13.2a",
    ];
    for clause in clauses {
        assert!(told.contains(&format!("§{clause}")), "§{clause} in\n{told}");
    }
    let faults = told.lines().filter(|line| line.trim_start().starts_with("x ")).count();
    assert!(faults >= 10, "{faults} faults\n{told}");
    desk.says(1, "us", "-C games/us send wrong.yaml");
    assert_eq!(records(&desk, "us"), before, "nothing is signed");
}

fn texts_below(folder: &Path, texts: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("listed").map(|entry| entry.expect("an entry").path()) {
        match entry.is_dir() {
            true => texts_below(&entry, texts),
            false => {
                let bytes = fs::read(&entry).expect("read");
                texts.push((entry.display().to_string(), String::from_utf8_lossy(&bytes).replace("=\r\n", "")));
            }
        }
    }
}

#[test]
#[ignore = "takes minutes; run it with --release"]
fn nothing_in_the_us_players_folder_or_mail_tells_the_date_before_the_fleet_sails() {
    // Sensible players, to the morning of July 3; half of all fleets stay on it.
    for seed in 1..12 {
        let desk = Desk::new();
        let line = "rehearse splendid-little-war match --scenario campaign --sensible --mails 12";
        desk.says(0, "secrets", &format!("{line} --seed {seed}"));
        let read = LedgerFolder::of_game(&desk.path("match/us")).read().expect("a ledger");
        let records = read.files.into_iter().map(|file| file.record.expect("a record"));
        let stated: Vec<bool> = records.filter_map(|record| sails(&record)).collect();
        assert!(!stated.is_empty(), "no morning of July 3 in so many mails");
        if stated.contains(&true) {
            continue;
        }
        let whispered = "Cervera's orders: a roll of";
        let (mut own, mut his) = (Vec::new(), Vec::new());
        texts_below(&desk.path("match/spain/reports"), &mut own);
        texts_below(&desk.path("match/us"), &mut his);
        texts_below(&desk.path("match/mails"), &mut his);
        assert!(own.iter().any(|(_, text)| text.contains(whispered)), "Spain reads it in its own report");
        for (file, text) in his {
            assert!(!text.contains(whispered) && !text.contains("secret_rolls"), "{file}");
        }
        return;
    }
    panic!("every fleet sailed on July 3");
}
