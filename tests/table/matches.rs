//! Whole stretches of matches at desks alone: under a game master, with plans, with questions to be answered.

use std::path::{Path, PathBuf};

use garcia::engine::Charter;
use garcia::engine::dice::Chance;
use garcia::games;
use garcia::trust::ledger::Company;
use garcia::trust::record::Record;
use garcia::trust::seat::{Awaited, Seat};
use garcia::trust::store::{LedgerFolder, Lock};
use serde_json::{Value, json};

use crate::desk::text;
use crate::players::{at_random, charter_of, lay, mailed, role, seeded, terms};
use crate::room::{Open, Room, everything};

/// The newest file of an outbox whose name ends like this.
fn newest(folder: &Path, ending: &str) -> PathBuf {
    let files = std::fs::read_dir(folder.join("outbox")).expect("an outbox").flatten().map(|entry| entry.path());
    let mails = files.filter(|path| path.display().to_string().ends_with(ending));
    mails.max().unwrap_or_else(|| panic!("no {ending} in {}", folder.display()))
}

/// Drops a file on the page.
fn dropped(desk: &Open, file: &Path) -> String {
    let bytes = std::fs::read(file).expect("a mail");
    let taken = desk.request("POST", &desk.path("game/0/receive"), &[], &bytes);
    assert_eq!(taken.status, 200, "{}: {}", file.display(), taken.text());
    taken.json()["told"].as_str().expect("words").to_owned()
}

/// Signs what stands in the file, or in the template, with a standing order laid down where it can be.
fn signs(desk: &Open, standing: Option<(&str, &str)>) {
    let position = desk.position();
    assert_eq!(position["mine"], true, "{}", position["next"]);
    let mut text = text(&position);
    let kinds = position["kinds"].as_array().cloned().unwrap_or_default();
    let fits = |(kind, _): &(&str, &str)| kinds.iter().any(|one| one["path"] == "standing" && one["kind"] == *kind);
    if let Some((key, value)) = standing.filter(fits) {
        let said = json!({ "text": text, "path": ["standing"], "key": key, "value": value });
        text = desk.ask("edit", &said)["text"].as_str().expect("a text").to_owned();
    }
    let told = desk.ask("check", &json!({ "text": text }));
    assert_eq!(told["ok"], true, "{}", told["faults"]);
    let signed = desk.sign(&position, &text);
    assert_eq!(signed.status, 200, "{}", signed.text());
}

fn acts(position: &Value) -> Vec<&str> {
    position["acts"].as_array().into_iter().flatten().filter_map(|act| act["act"].as_str()).collect()
}

fn records(folder: &Path) -> Vec<String> {
    let name = |(path, _): &(PathBuf, Vec<u8>)| path.file_name().map(|name| name.to_string_lossy().into_owned());
    everything(&folder.join("ledger")).iter().filter_map(name).collect()
}

/// A game master's folder and those of two players who sign, each with a desk.
struct Club {
    room: Room,
    folders: Vec<PathBuf>,
    desks: Vec<Open>,
}

impl Club {
    fn begin(game: &str, more: &[&str]) -> Club {
        let room = Room::new();
        let folders: Vec<PathBuf> = ["gm", "spain", "us"].iter().map(|name| room.path(name)).collect();
        let shown: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        let new = ["new", game, &shown[0], "--gm", "--players", "spain,us"];
        room.run("gm", &[&new, more].concat());
        let mut desks = vec![room.desk("gm", &folders[0], &[])];
        for (at, player) in [(1, "spain"), (2, "us")] {
            let offer = newest(&folders[0], "-garcia.txt").display().to_string();
            room.run(player, &["join", &offer, "--folder", &shown[at]]);
            dropped(&desks[0], &newest(&folders[at], "-garcia.txt"));
            desks.push(room.desk(player, &folders[at], &[]));
        }
        let club = Club { room, folders, desks };
        club.send_out();
        club
    }

    /// What the game master has written goes to both players.
    fn send_out(&self) {
        let mail = newest(&self.folders[0], "-garcia.txt");
        for desk in &self.desks[1..] {
            dropped(desk, &mail);
        }
    }

    /// A player's mail goes to the game master, and what opens it, if something is sealed.
    fn hand_in(&self, at: usize) {
        let told = dropped(&self.desks[0], &newest(&self.folders[at], "-garcia.txt"));
        if told.contains("are missing") {
            let waits = self.desks[0].position();
            assert!(waits["next"].to_string().contains("openings"), "{}", waits["next"]);
            assert!(acts(&waits).contains(&"absent"), "he can go on without him: {}", waits["acts"]);
            let told = dropped(&self.desks[0], &newest(&self.folders[at], "-openings.txt"));
            assert!(told.contains("each fits its commitment"), "{told}");
        }
        self.send_out();
    }

    /// Everybody holds the same, and it is good.
    fn agree(&self) {
        let first = records(&self.folders[0]);
        for (folder, player) in self.folders.iter().zip(["gm", "spain", "us"]) {
            assert_eq!(records(folder), first, "{player}");
            let output = self.room.command(player).arg("verify").arg(folder).output().expect("garcia runs");
            assert!(matches!(output.status.code(), Some(0 | 3)), "{}", String::from_utf8_lossy(&output.stdout));
        }
    }
}

#[test]
fn a_game_master_closes_goes_on_and_enters_plain_files_at_his_desk() {
    let club = Club::begin("santiago-1898", &[]);
    let [gm, spain, us] = club.desks.as_slice() else { panic!("three desks") };
    let position = gm.position();
    assert_eq!((position["role"].as_str(), position["verb"].as_str()), (Some("gm"), Some("resolve")));
    assert_eq!((spain.position()["verb"].as_str(), us.position()["mine"].as_bool()), (Some("send"), Some(false)));
    // Who is not due signs nothing, and his folder stays as it is.
    let before = everything(&club.folders[2]);
    assert_eq!(us.sign(&us.position(), &text(&us.position())).status, 409);
    assert_eq!(everything(&club.folders[2]), before);
    // A player's mail is closed as it is dropped.
    signs(spain, None);
    club.hand_in(1);
    let after = gm.position();
    assert_ne!(after["head"], position["head"]);
    assert_eq!(after["reports"].as_array().map(Vec::len), Some(1), "{}", after["reports"]);
    let report = gm.get(&format!("game/0/report/{}", after["reports"][0]["record"]));
    assert!(report.status == 200 && report.text().contains("class=\"diary\""));
    assert_eq!(after["due"]["who"], "us");
    // The next one sends nothing: the game master goes on without him.
    assert!(acts(&after).contains(&"absent"), "{}", after["acts"]);
    gm.ask("act", &json!({ "act": "absent" }));
    club.send_out();
    // Then a plain file comes by mail, which the game master types in at his desk; the file is kept.
    let turn = gm.position();
    assert_eq!((turn["mine"].as_bool(), turn["due"]["who"].as_str()), (Some(true), Some("us")), "{}", turn["due"]);
    let plain = format!("{}# as mailed\n", text(&turn));
    assert_eq!(gm.sign(&turn, &plain).status, 200);
    club.send_out();
    let entered = records(&club.folders[0]).into_iter().filter(|name| name.ends_with("-gm-orders.yaml")).max();
    let entered = std::fs::read_to_string(club.folders[0].join("ledger").join(entered.expect("orders"))).expect("text");
    assert!(entered.contains(&garcia::engine::digest::sha256(plain.as_bytes())), "{entered}");
    // The last mail once more, byte for byte.
    let mail = newest(&club.folders[0], "-garcia.txt");
    let bytes = std::fs::read(&mail).expect("a mail");
    std::fs::remove_file(&mail).expect("it was there");
    assert!(acts(&gm.position()).contains(&"resend"));
    gm.ask("act", &json!({ "act": "resend" }));
    assert_eq!(std::fs::read(&mail).expect("a mail"), bytes);
    // And the players go on at their own desks.
    signs(spain, None);
    club.hand_in(1);
    club.agree();
}

#[test]
fn a_private_game_master_takes_openings_at_his_desk_and_nobody_else_sees_them() {
    let club = Club::begin("santiago-campaign", &["--private"]);
    let [gm, spain, us] = club.desks.as_slice() else { panic!("three desks") };
    signs(spain, None);
    club.hand_in(1);
    let army: Vec<String> = {
        let (gm, spain) = (gm.position(), spain.position());
        let names = |position: &Value| {
            let units = position["units"].as_array().cloned().unwrap_or_default().into_iter();
            let own = units.filter(|unit| unit["title"].as_str().is_some_and(|title| title.contains("sp-")));
            own.filter_map(|unit| unit["title"].as_str().map(str::to_owned)).collect::<Vec<_>>()
        };
        assert_eq!(names(&gm), names(&spain), "both see what lies where");
        names(&gm)
    };
    assert!(army.len() > 15, "{army:?}");
    let served = us.position().to_string();
    assert!(army.iter().all(|title| !served.contains(title.as_str())), "the other player does not");
    for _ in 0..3 {
        let due = gm.position()["due"]["who"].as_str().expect("somebody").to_owned();
        let at = if due == "spain" { 1 } else { 2 };
        signs(&club.desks[at], None);
        club.hand_in(at);
    }
    club.agree();
}

/// Two players at their desks, template against template, until there are so many records.
fn by_desks(room: &Room, folders: [&Path; 2], most: usize, standing: [Option<(&str, &str)>; 2]) {
    let desks = [room.desk("us", folders[0], &[]), room.desk("spain", folders[1], &[])];
    let known = || folders.map(|folder| records(folder).len());
    while known()[0] < most {
        let before = known();
        for (at, desk) in desks.iter().enumerate() {
            let position = desk.position();
            assert_eq!(position["questions"], json!([]), "nothing is asked by default");
            if position["mine"] == true {
                signs(desk, standing[at]);
            } else if acts(&position).contains(&"receive") {
                desk.ask("act", &json!({ "act": "receive" }));
            }
            // The one who takes it closes or calls by himself, and answers; or waits for his own orders.
            if known()[at] > known()[1 - at] {
                dropped(&desks[1 - at], &newest(folders[at], "-garcia.txt"));
            }
        }
        let next = || desks.iter().map(|desk| desk.position()["next"].to_string()).collect::<Vec<_>>();
        assert_ne!(known(), before, "nobody can act: {:?}", next());
    }
    // Whoever spoke last has sent it.
    for (at, desk) in desks.iter().enumerate() {
        if known()[at] < known()[1 - at] {
            dropped(desk, &newest(folders[1 - at], "-garcia.txt"));
        }
    }
}

#[test]
fn plans_and_phases_are_played_at_two_desks() {
    for (game, option) in [
        ("santiago-campaign", "packets=turn"),
        ("santiago-campaign", "packets=phases"),
        ("santiago-1898", "packets=phases"),
    ] {
        let room = Room::new();
        let (us, spain) = (room.path("us"), room.path("spain"));
        room.run(
            "us",
            &[
                "new",
                game,
                &us.display().to_string(),
                "--as",
                "us",
                "--option",
                option,
                "--option",
                "questions=default",
            ],
        );
        let offer = newest(&us, "-garcia.txt").display().to_string();
        room.run("spain", &["join", &offer, "--folder", &spain.display().to_string()]);
        by_desks(&room, [&us, &spain], 22, [None, None]);
        let names = records(&us);
        let planned = names.iter().filter(|name| name.ends_with("-plan.yaml")).count();
        assert_eq!(planned > 0, game == "santiago-campaign", "{game} {option}: {names:?}");
        for (player, folder) in [("us", &us), ("spain", &spain)] {
            let output = room.command(player).arg("verify").arg(folder).output().expect("garcia runs");
            let told = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(matches!(output.status.code(), Some(0 | 3)), "{game} {option}: {told}");
        }
    }
}

/// A match in which everything is asked, played at random until somebody is; its folders lie in the room.
fn asked(room: &Room, game: &str, alone: bool, seed: &str) -> Vec<Seat> {
    // The battles of a day are over before anybody is asked.
    let charter = if game == "splendid-little-war" { charter_of("campaign", &[]) } else { Charter::default() };
    let table = games::find(game).expect("a game").open(&charter).expect("a table");
    let terms = terms(&charter, true, None);
    let home = |name: &str| {
        let folder = room.path(&format!("home-{name}"));
        std::fs::create_dir_all(&folder).expect("a folder");
        seeded(&folder)
    };
    let mut seats = match alone {
        true => vec![Seat::begin(table, Company::Solo, terms, &home("solo")).expect("begun")],
        false => {
            let spain = Seat::offer(table, &role("spain"), terms, &home("spain")).expect("offered");
            let offer = spain.ledger().records().iter().map(mailed).collect();
            vec![spain, Seat::join(offer, None, &lay, &home("us")).expect("joined")]
        }
    };
    let mut chance = Chance::new(seed);
    for _ in 0..400 {
        for at in 0..seats.len() {
            seats[at].advance().expect("advanced");
            let is_asked = matches!(seats[at].ledger().awaited(), Awaited::Answers { .. });
            if let Some(side) = seats[at].to_decide().filter(|_| !is_asked) {
                let mut said = at_random(seats[at].ledger(), side, &mut chance);
                said.policies.clear();
                said.standing.clear();
                seats[at].send(&said).expect("sent");
                seats[at].advance().expect("advanced");
            }
            let sent: Vec<Record> = seats[at].outgoing().iter().map(mailed).collect();
            if let Some(other) = seats.len().checked_sub(2).map(|_| 1 - at) {
                assert_eq!(seats[other].receive(sent).refused, []);
            }
        }
        if seats.iter().any(|seat| matches!(seat.ledger().awaited(), Awaited::Answers { .. })) {
            return seats;
        }
        assert!(
            !matches!(seats[0].ledger().awaited(), Awaited::Nothing | Awaited::Audit(_)),
            "{game}: nobody was asked"
        );
    }
    panic!("{game}: nobody was asked");
}

/// A folder with the records of a seat in it.
fn put_down(room: &Room, seat: &Seat) -> PathBuf {
    let folder = room.path(seat.role().as_str());
    std::fs::create_dir_all(folder.join("orders")).expect("a folder");
    let held = Lock::take(&folder).expect("it is free");
    seat.save(0, &LedgerFolder::of_game(&folder), &held).expect("saved");
    folder
}

/// Answers everything that is asked at a desk, each choice that is listed tried out first.
fn answers(desk: &Open, game: &str) {
    let position = desk.position();
    let questions = position["questions"].as_array().cloned().unwrap_or_default();
    assert!(!questions.is_empty() && position["mine"] == true, "{game}: {}", position["next"]);
    let template = text(&position);
    assert_eq!(desk.ask("check", &json!({ "text": template }))["ok"], true, "{game}: the template");
    let write = |text: &str, key: &Value, value: &Value| {
        let said = json!({ "text": text, "path": ["answers"], "key": key, "value": value });
        desk.ask("edit", &said)["text"].as_str().expect("a text").to_owned()
    };
    let mut given = template.clone();
    for question in &questions {
        assert!(question["clause"].as_str().is_some_and(|clause| !clause.is_empty()), "{question}");
        let options = question["options"].as_array().cloned().unwrap_or_default();
        for option in options.iter().chain([&json!("default")]) {
            let written = write(&template, &question["key"], option);
            let told = desk.ask("check", &json!({ "text": written }));
            assert_eq!(told["ok"], true, "{game}: {question}\n{option}: {}\n{written}", told["faults"]);
        }
        // What is no choice is told at its line, and nothing is signed.
        let wrong = write(&template, &question["key"], &json!("no-such-thing"));
        let told = desk.ask("check", &json!({ "text": wrong }));
        assert!(told["ok"] == false && told["faults"][0]["line"].as_u64() > Some(1), "{game}: {told}");
        assert_eq!(desk.sign(&position, &wrong).status, 422, "{game}");
        // The second click on a question replaces the first.
        let choice = options.last().cloned().unwrap_or_else(|| json!("default"));
        given = write(&write(&given, &question["key"], &json!("default")), &question["key"], &choice);
        let stands = given.matches(question["key"].as_str().expect("a key")).count();
        assert_eq!(stands, template.matches(question["key"].as_str().expect("a key")).count(), "{game}\n{given}");
    }
    assert_eq!(desk.ask("check", &json!({ "text": given }))["ok"], true, "{game}\n{given}");
    let now = desk.position();
    let signed = desk.sign(&now, &given);
    assert_eq!(signed.status, 200, "{game}: {}", signed.text());
    assert_ne!(desk.position()["head"], now["head"], "{game}: it goes on");
}

#[test]
fn questions_are_answered_at_the_desk() {
    for game in ["santiago-1898", "santiago-campaign", "splendid-little-war", "end-of-empire", "lone-warrior"] {
        for alone in [true, false] {
            let room = Room::new();
            let seats = asked(&room, game, alone, "asked");
            let folders: Vec<PathBuf> = seats.iter().map(|seat| put_down(&room, seat)).collect();
            let desks: Vec<Open> =
                seats.iter().zip(&folders).map(|(seat, at)| room.desk(seat.role().as_str(), at, &[])).collect();
            for _ in 0..3 {
                let Some(at) = desks.iter().position(|desk| desk.position()["questions"] != json!([])) else { break };
                answers(&desks[at], game);
                if !alone {
                    dropped(&desks[1 - at], &newest(&folders[at], "-garcia.txt"));
                }
            }
            for (seat, folder) in seats.iter().zip(&folders) {
                let output = room.command(seat.role().as_str()).arg("verify").arg(folder).output().expect("it runs");
                let told = String::from_utf8_lossy(&output.stdout).into_owned();
                assert!(matches!(output.status.code(), Some(0 | 3)), "{game}: {told}");
            }
        }
    }
}

/// Everything a player is served, writes for himself or gets by mail: the page and what it asks for, reports, maps, mails.
fn told_to(room: &Room, (player, folder): (&str, &Path), (other, theirs): (&str, &Path)) -> Vec<(String, String)> {
    let desk = room.desk(player, folder, &[]);
    let position = desk.position();
    let ask = |what: &str, said: &Value| desk.post(&format!("game/0/{what}"), said).text();
    let file = json!({ "text": position["template"] });
    let mut told = vec![
        ("the page".to_owned(), desk.get("").text()),
        ("the position".to_owned(), position.to_string()),
        ("the pulse".to_owned(), desk.get("game/0/pulse").text()),
        ("the check".to_owned(), ask("check", &file)),
        ("the odds".to_owned(), ask("odds", &file)),
    ];
    for unit in position["units"].as_array().into_iter().flatten().filter(|unit| unit["own"] != true).step_by(5) {
        let said = json!({ "text": position["template"], "units": [unit["id"]], "board": unit["board"] });
        told.push((format!("a click on {}", unit["id"]), ask("offers", &said)));
    }
    for report in position["reports"].as_array().into_iter().flatten() {
        let record = &report["record"];
        told.push((format!("report {record}"), desk.get(&format!("game/0/report/{record}")).text()));
    }
    let (page, at) = (room.path(&format!("{player}.html")), folder.display().to_string());
    room.run(player, &["-C", &at, "report", "--all", "-o", &page.display().to_string()]);
    told.push(("the page of all turns".to_owned(), std::fs::read_to_string(page).expect("a page")));
    for verb in [&["map", "--json"][..], &["status"], &["supply"]] {
        let output = room.command(player).args(["-C", &at]).args(verb).output().expect("garcia runs");
        told.push((verb.join(" "), String::from_utf8_lossy(&output.stdout).into_owned()));
    }
    // Drafts that his opponent's program makes, with all reports in them.
    let output = room.command(other).arg("-C").arg(theirs).args(["resend", "--eml", "--from", "1"]).output();
    assert!(output.expect("garcia runs").status.success());
    let draft = std::fs::read(newest(theirs, ".eml")).expect("a draft");
    let mail = mail_parser::MessageParser::default().parse(&draft).expect("a mail");
    let parts = (0..mail.html_body_count()).filter_map(|part| mail.body_html(part));
    let parts: Vec<String> =
        parts.chain((0..mail.text_body_count()).filter_map(|part| mail.body_text(part))).map(Into::into).collect();
    assert!(parts.iter().any(|part| part.contains("<body")), "a mail with a page: {parts:?}");
    told.extend(parts.into_iter().map(|part| ("the mail".to_owned(), part)));
    told
}

/// Is there a place in a text where all of these words stand together?
fn together(text: &str, words: &[&str]) -> bool {
    let is = |place: &str, word: &str| place.split(|c: char| !c.is_alphanumeric() && c != '-').any(|one| one == word);
    let all =
        |place: &str| words.iter().all(|word| if word.contains(' ') { place.contains(word) } else { is(place, word) });
    // A line of a text within JSON is a line too.
    text.replace("\\n", "\n").split(['<', '>', '"', '\n']).any(all)
}

/// The page's source, whatever it asks for, reports and mails: searched for what lies under a counter, for sealed standing
/// orders and for a roll that one player alone may see. The owner's own pages tell it, or there were nothing to be found.
#[test]
fn what_one_player_hides_is_never_told_to_the_other() {
    for (game, most, standing) in [
        ("santiago-campaign", 10, None),
        ("end-of-empire", 0, None),
        ("splendid-little-war", 16, Some(("retreat", "[2931, 0103]"))),
    ] {
        let room = Room::new();
        let (us, spain) = (room.path("us"), room.path("spain"));
        let folder = |path: PathBuf| path.display().to_string();
        if most == 0 {
            // Nobody who takes the template closes a counter: two who play by chance do.
            let (all, home) = (folder(room.path("")), room.path("secrets"));
            room.run("us", &["rehearse", game, &all, "--seed", "1", "--mails", "8", "--home", &folder(home.clone())]);
            for player in ["us", "spain"] {
                std::fs::rename(home.join(player), room.path(&format!("home-{player}"))).expect("his secrets");
            }
        } else {
            let terms = ["--as", "us", "--scenario", "campaign", "--option", "questions=default"];
            room.run("us", &[&["new", game, &folder(us.clone())], &terms[..]].concat());
            room.run("spain", &["join", &folder(newest(&us, "-garcia.txt")), "--folder", &folder(spain.clone())]);
            by_desks(&room, [&us, &spain], most, [standing, None]);
        }
        let (ours, theirs) =
            (told_to(&room, ("us", &us), ("spain", &spain)), told_to(&room, ("spain", &spain), ("us", &us)));
        let mut secrets: Vec<(&str, Vec<String>)> = Vec::new();
        for (player, folder) in [("us", &us), ("spain", &spain)] {
            let position = room.desk(player, folder, &[]).position();
            let own = |title: &&str| title.contains("face down") && !title.contains("unknown");
            let titles = position["units"].as_array().into_iter().flatten().filter_map(|unit| unit["title"].as_str());
            for title in titles.filter(own) {
                let parts: Vec<&str> = title.split(" · ").collect();
                // What a counter stands for is its name, or what it holds.
                let named = parts.get(1).copied().filter(|_| game == "santiago-campaign");
                let named = named.filter(|name| !name.starts_with("Spanish, "));
                let held = parts.iter().find_map(|part| part.strip_prefix("holds ")).or(named);
                let held = held.or(parts.contains(&"a dummy").then_some("a dummy"));
                // `cu-es/2`: a unit and its steps.
                let names = held.unwrap_or_default().split(", ").filter_map(|name| name.split('/').next());
                let names = names.filter(|name| name.len() > 3);
                secrets.extend(names.map(|name| (player, vec![parts[0].to_owned(), name.to_owned()])));
            }
        }
        if standing.is_some() {
            secrets = vec![
                ("us", vec!["2931".to_owned(), "0103".to_owned()]),
                ("spain", vec!["ordered to sail on July".to_owned()]),
            ];
        }
        assert!(secrets.len() >= 2, "{game}: something is hidden");
        let mut known = std::collections::BTreeSet::new();
        for (owner, words) in &secrets {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let (his, others) = if *owner == "us" { (&ours, &theirs) } else { (&theirs, &ours) };
            known.extend(his.iter().any(|(_, text)| together(text, &words)).then_some(*owner));
            for (what, text) in others {
                assert!(!together(text, &words), "{game}: {what} of {owner}'s opponent tells of {words:?}");
            }
        }
        let owners: std::collections::BTreeSet<&str> = secrets.iter().map(|(owner, _)| *owner).collect();
        assert_eq!(known, owners, "{game}: whoever hides something knows it");
    }
}
