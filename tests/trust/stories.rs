//! Matches that went wrong and were finished all the same, by the commands a player types: what docs/disputes.md shows.
//! `GARCIA_TELL=1 cargo test --test trust stories -- --nocapture` prints every command with what it says.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::players::desk::Desk;

struct Story {
    desk: Desk,
    files: usize,
}

impl Story {
    fn begin() -> Story {
        Story { desk: Desk::new(), files: 0 }
    }

    /// One command of somebody, with the exit code it has to have.
    fn says(&self, code: i32, who: &str, line: &str) -> String {
        let told = self.desk.says(code, &format!("home-{who}"), line);
        if std::env::var_os("GARCIA_TELL").is_some() {
            println!("[{who}] $ garcia {line}\n{told}");
        }
        told
    }

    /// The last mail of a folder of this kind.
    fn mail(&self, folder: &str, kind: &str) -> String {
        let outbox = format!("{folder}/outbox");
        let entries = fs::read_dir(self.desk.path(&outbox)).expect("an outbox");
        let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
        let last = names.filter(|name| name.contains(kind)).max().unwrap_or_else(|| panic!("no {kind} in {outbox}"));
        format!("{outbox}/{last}")
    }

    /// Whoever is due sends what the template proposes.
    fn send(&mut self, who: &str, folder: &str) {
        self.files += 1;
        let file = format!("{}.yaml", self.files);
        self.says(0, who, &format!("-C {folder} template --output {file}"));
        self.says(0, who, &format!("-C {folder} send --yes {file}"));
    }

    /// The last mail of one is taken by another.
    fn hear(&self, who: &str, folder: &str, from: &str) -> String {
        self.says(0, who, &format!("-C {folder} receive {}", self.mail(from, "-garcia.txt")))
    }

    /// The director gets a copy of the last mail, and the deposit that goes with it.
    fn copy(&self, from: &str) {
        let (mail, deposit) = (self.mail(from, "-garcia.txt"), self.mail(from, "-deposit.txt"));
        self.says(0, "office", &format!("-C office receive {mail} {deposit}"));
    }

    /// Everything in a folder is good, audited and open, for both verifiers; how garcia puts it.
    fn proved(&self, who: &str, folder: &str) -> String {
        let told = self.says(0, who, &format!("-C {folder} verify"));
        assert!(told.contains("audit: everything sealed was opened and is as stated"), "{told}");
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/verify.py");
        if let Ok(done) = Command::new("python3").arg(script).arg(self.desk.path(folder)).output() {
            let said = String::from_utf8_lossy(&done.stdout).into_owned();
            assert_eq!(done.status.code(), Some(4), "{said}");
            for side in ["us", "spain"] {
                assert!(said.contains(&format!("audit: everything {side} sealed was opened and fits")), "{said}");
            }
        }
        told
    }
}

#[test]
fn a_director_finishes_a_match_for_a_player_who_fell_silent() {
    let mut story = Story::begin();
    let key = story.says(0, "office", "direct key");
    let new = "new santiago-1898 spain --as spain --option packets=phases --option questions=default";
    story.says(0, "spain", &format!("{new} --director {}", key.trim()));
    story.says(0, "us", "join spain/outbox/0000-garcia.txt --folder us");
    story.says(0, "office", "direct sit spain/outbox/0000-garcia.txt us/outbox/0001-garcia.txt --folder office");
    story.says(0, "office", "-C office receive spain/outbox/0000-deposit.txt us/outbox/0001-deposit.txt");
    story.hear("spain", "spain", "us");
    // Set-up of both, the US turn in two phases, and Spain's movement; then no mail comes any more.
    story.send("spain", "spain");
    story.copy("spain");
    story.hear("us", "us", "spain");
    for hers_is_next in [false, false, true] {
        story.send("us", "us");
        story.copy("us");
        story.hear("spain", "spain", "us");
        // The result goes at once, or with her own orders.
        if !hers_is_next {
            story.copy("spain");
            story.hear("us", "us", "spain");
        }
    }
    story.send("spain", "spain");
    story.copy("spain");
    let waits = story.says(3, "spain", "-C spain verify");
    assert!(waits.contains("W70-WAITING  us owes: result"), "{waits}");
    // Notice, and the director closes with the link that was left with him.
    story.says(0, "spain", "-C spain notice");
    let notice = story.mail("spain", "notice-spain");
    story.says(0, "office", &format!("-C office receive {notice}"));
    story.says(0, "office", &format!("-C office direct close --for us --notice {notice}"));
    let told = story.hear("spain", "spain", "office");
    assert!(told.contains("Your move: the `combat` orders of spain are due."), "{told}");
    // She has the move, and asks the director to end it.
    let told = story.says(0, "spain", "-C spain motion end --winner spain --to-director");
    assert!(told.contains("Mail this to us and to the director:"), "{told}");
    story.hear("office", "office", "spain");
    story.says(0, "office", "-C office accept");
    story.hear("spain", "spain", "office");
    let told = story.says(3, "spain", "-C spain verify");
    assert!(told.contains("W70-WAITING  us owes: audit") && told.contains("W75-SEAT"), "{told}");
    assert!(told.contains("audit: everything spain sealed was opened and is as stated"), "{told}");
    assert!(told.contains("audit: us has opened nothing yet, and counts as unaudited\n"), "{told}");
    // The director cannot open it for him; but he sees what was left with him, and that it is as stated.
    story.hear("office", "office", "spain");
    let told = story.says(3, "office", "-C office verify");
    assert!(told.contains("audit: everything spain sealed was opened and is as stated"), "{told}");
    let (_, held) = told.split_once("audit: us has opened nothing yet, and counts as unaudited; of ").expect(&told);
    let words: Vec<&str> = held.split_whitespace().take(4).collect();
    assert!(words[0] == words[2] && words[0] != "0" && words[3] == "are", "all of it was left with him: {told}");
    // Months later the US player finds his mails. What he takes in he may have in any order.
    let mails: Vec<String> = ["spain", "office"]
        .iter()
        .flat_map(|folder| {
            let entries = fs::read_dir(story.desk.path(&format!("{folder}/outbox"))).expect("an outbox");
            let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
            let mut mails: Vec<String> = names.filter(|name| name.ends_with("-garcia.txt")).collect();
            mails.sort();
            mails.into_iter().rev().map(move |name| format!("{folder}/outbox/{name}"))
        })
        .collect();
    let told = story.says(0, "us", &format!("-C us receive {}", mails.join(" ")));
    assert!(told.contains("The game is over by agreement"), "{told}");
    story.hear("spain", "spain", "us");
    for who in ["spain", "us"] {
        let told = story.proved(who, who);
        assert!(told.contains("the director closed for us, with the link us had deposited"), "{told}");
    }
    let told = story.says(0, "spain", "compare spain us");
    assert!(told.contains("The ledgers are the same"), "{told}");
}

#[test]
fn a_match_goes_to_a_new_player_after_a_lost_key_and_to_its_audits() {
    let mut story = Story::begin();
    let told = story.says(0, "spain", "new santiago-campaign spain --as spain --option questions=default --recovery");
    story.type_recovery(&told);
    story.says(0, "us", "join spain/outbox/0000-garcia.txt --folder us");
    story.hear("spain", "spain", "us");
    let turn = |story: &mut Story, who: &str, folder: &str, other: &str| {
        story.send(who, folder);
        story.hear(other, other, folder);
    };
    turn(&mut story, "spain", "spain", "us");
    turn(&mut story, "us", "us", "spain");
    story.hear("us", "us", "spain");
    turn(&mut story, "us", "us", "spain");
    // Her own turn goes as a plan: her army lies face down, and so do her attacks. Then she writes her secrets down.
    turn(&mut story, "spain", "spain", "us");
    story.hear("spain", "spain", "us");
    let paper = story.says(0, "spain", "-C spain secret show");
    story.hear("us", "us", "spain");
    story.send("us", "us");
    // The disk is gone, with orders on the table. A friend gets a copy of the ledger and types the paper, all but the key.
    story.copy_files("us/ledger", "friend/ledger");
    let typed: String = paper.lines().filter(|line| !line.starts_with("key ")).map(|l| format!("{l}\n")).collect();
    let slip = typed.replacen("secret 2  ", "secret 2  0", 1);
    fs::write(story.desk.path("typed.txt"), slip).expect("written");
    let told = story.says(1, "friend", "-C friend secret restore typed.txt");
    assert!(told.contains("typed.txt: line "), "{told}");
    fs::write(story.desk.path("typed.txt"), typed).expect("written");
    let told = story.says(0, "friend", "-C friend secret restore typed.txt");
    assert!(told.contains("sealed values that fit what was committed") && told.contains("motion rekey"), "{told}");
    // Nothing he signs counts before the seat is his.
    let told = story.says(0, "friend", "-C friend receive");
    assert!(told.contains("knows another one for spain") && !told.contains("Mail this"), "{told}");
    story.says(0, "friend", "-C friend motion rekey --recovery recovery.txt");
    let told = story.hear("us", "us", "friend");
    assert!(told.contains("taken: 0012-spain-motion.yaml (signature good)"), "{told}");
    // He closes the turn from the chain his predecessor left, and goes on with sealed orders of his own.
    let told = story.says(0, "friend", "-C friend receive");
    assert!(told.contains("0013-spain-result.yaml"), "{told}");
    turn(&mut story, "friend", "friend", "us");
    story.hear("friend", "friend", "us");
    story.hear("us", "us", "friend");
    story.send("us", "us");
    story.hear("friend", "friend", "us");
    // Two days later they agree that Santiago has fallen.
    story.says(0, "friend", "-C friend motion end --winner us");
    story.hear("us", "us", "friend");
    story.says(0, "us", "-C us accept");
    story.hear("friend", "friend", "us");
    story.hear("us", "us", "friend");
    story.hear("friend", "friend", "us");
    for (who, folder) in [("friend", "friend"), ("us", "us")] {
        let told = story.proved(who, folder);
        assert!(told.contains("W75-SEAT") && told.contains("signed with the recovery key"), "{told}");
    }
    let told = story.says(0, "us", "compare us friend");
    assert!(told.contains("The ledgers are the same"), "{told}");
}

impl Story {
    /// The lines of a recovery key that was printed, typed into a file.
    fn type_recovery(&self, told: &str) {
        let lines: String =
            told.lines().filter(|line| line.starts_with("recovery ")).map(|line| format!("{line}\n")).collect();
        assert_eq!(lines.lines().count(), 4, "{told}");
        fs::write(self.desk.path("recovery.txt"), lines).expect("written");
    }

    /// The files of a folder, copied into another.
    fn copy_files(&self, from: &str, to: &str) {
        let to = self.desk.path(to);
        fs::create_dir_all(&to).expect("made");
        for entry in fs::read_dir(self.desk.path(from)).expect("a folder") {
            let path = entry.expect("an entry").path();
            fs::copy(&path, to.join(path.file_name().expect("a name"))).expect("copied");
        }
    }

    fn records(&self, folder: &str) -> usize {
        fs::read_dir(self.desk.path(&format!("{folder}/ledger"))).expect("a ledger").count()
    }

    /// The one of two who has the move, by his own status.
    fn mover(&self, folders: [&'static str; 2]) -> &'static str {
        let moves = |folder: &&str| self.says(0, folder, &format!("-C {folder} status")).contains("Your move");
        folders.into_iter().find(|folder| moves(folder)).expect("somebody has the move")
    }

    /// Mails go to and fro as long as they bring something.
    fn exchange(&self, folders: [&'static str; 2]) {
        loop {
            let before = folders.map(|folder| self.records(folder));
            self.hear(folders[1], folders[1], folders[0]);
            self.hear(folders[0], folders[0], folders[1]);
            if folders.map(|folder| self.records(folder)) == before {
                return;
            }
        }
    }

    /// Whoever has the move sends what the template proposes, so many times.
    fn play(&mut self, folders: [&'static str; 2], turns: usize) {
        for _ in 0..turns {
            let mover = self.mover(folders);
            self.send(mover, mover);
            self.exchange(folders);
        }
    }
}

const BOTH: [&str; 2] = ["spain", "us"];

/// A copy of a game's data files in a folder, with one thing put right in them.
fn transcribed(story: &Story, game: &str, folder: &str, (file, from, to): (&str, &str, &str)) {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/games").join(game).join("data");
    fs::create_dir_all(story.desk.path(folder)).expect("made");
    for entry in fs::read_dir(data).expect("data").map(|entry| entry.expect("an entry").path()) {
        let name = entry.file_name().expect("a name").to_string_lossy().into_owned();
        if name.ends_with(".yaml") {
            let mut text = fs::read_to_string(&entry).expect("text");
            if name == file {
                assert_eq!(text.matches(from).count(), 1, "{file}: {from}");
                text = text.replace(from, to);
            }
            fs::write(story.desk.path(folder).join(name), text).expect("written");
        }
    }
}

#[test]
fn a_match_with_an_army_face_down_goes_on_with_other_data() {
    let slip = (
        "counters.yaml",
        "kind: infantry, factor: 7, reduced: 3, group: pool",
        "kind: infantry, factor: 6, reduced: 3, group: pool",
    );
    for late in [false, true] {
        let mut story = Story::begin();
        transcribed(&story, "santiago_campaign", "one", (slip.0, slip.1, slip.1));
        transcribed(&story, "santiago_campaign", "two", slip);
        story.says(0, "spain", "new santiago-campaign spain --as spain --option questions=default --data one");
        story.says(0, "us", "join spain/outbox/0000-garcia.txt --data one --folder us");
        story.hear("spain", "spain", "us");
        story.play(BOTH, 4);
        // A counter was transcribed wrongly. Whoever has the move puts the other sheet in his folder, and proposes it.
        let mover = story.mover(BOTH);
        let other = if mover == "us" { "spain" } else { "us" };
        story.copy_files("two", &format!("{mover}/data"));
        let told = story.says(4, mover, &format!("-C {mover} status"));
        assert!(told.contains("other map, counter or table data") && told.contains("garcia motion upgrade"), "{told}");
        let told = story.says(0, mover, &format!("-C {mover} motion upgrade --dry-run"));
        assert!(told.contains("Nothing is signed"), "{told}");
        story.says(0, mover, &format!("-C {mover} motion upgrade"));
        // The other may have taken the new sheet before the mail came, or after it.
        if !late {
            story.copy_files("two", &format!("{other}/data"));
        }
        let told = story.hear(other, other, mover);
        assert!(told.contains("You are asked"), "{told}");
        story.copy_files("two", &format!("{other}/data"));
        let told = story.says(0, other, &format!("-C {other} accept --dry-run"));
        assert!(told.contains("the position stays as it is"), "{told}");
        story.says(0, other, &format!("-C {other} accept"));
        story.hear(mover, mover, other);
        assert_eq!(story.mover(BOTH), mover);
        // What lies face down lies there still, and they play on to the audits.
        story.play(BOTH, 4);
        let mover = story.mover(BOTH);
        let other = if mover == "us" { "spain" } else { "us" };
        story.says(0, mover, &format!("-C {mover} motion end --drawn"));
        story.hear(other, other, mover);
        story.says(0, other, &format!("-C {other} accept"));
        story.exchange(BOTH);
        for who in BOTH {
            let told = story.says(4, who, &format!("-C {who} verify"));
            assert!(told.contains("W73-RULING") && !told.contains("DIVERGENCE"), "{told}");
            assert!(told.contains("audit: everything sealed was opened and is as stated"), "{told}");
        }
        let told = story.says(0, "us", "compare us spain");
        assert!(told.contains("The ledgers are the same"), "{told}");
    }
}

impl Story {
    /// A game master with two players who sign; his recovery key is typed into a file.
    fn club(&self) {
        self.club_of("");
    }

    fn club_of(&self, private: &str) {
        let new = "new santiago-1898 club --gm --players spain,us --option questions=default --recovery";
        let told = self.says(0, "club", &format!("{new}{private}"));
        self.type_recovery(&told);
        self.sit_down("");
    }

    /// Both players join a game master's match.
    fn sit_down(&self, more: &str) {
        for player in BOTH {
            let offer = self.mail("club", "-garcia.txt");
            self.says(0, player, format!("join {offer} --folder {player} {more}").trim_end());
            self.hear("club", "club", player);
        }
        self.told_to_all("club");
    }

    /// What a game master has written goes to both players.
    fn told_to_all(&self, gm: &str) {
        for player in BOTH {
            self.hear(player, player, gm);
        }
    }

    /// Whoever is due sends, the game master closes it, and both hear of it.
    fn turns(&mut self, gm: &str, turns: usize) {
        for _ in 0..turns {
            let mover = self.mover(BOTH);
            self.send(mover, mover);
            self.says(0, gm, &format!("-C {gm} receive {}", self.mail_and_openings(mover)));
            self.told_to_all(gm);
        }
    }

    /// The last mail of a player, and under a private game master the openings that go with it.
    fn mail_and_openings(&self, player: &str) -> String {
        let mail = self.mail(player, "-garcia.txt");
        let openings = mail.replace("-garcia.txt", "-openings.txt");
        if self.desk.path(&openings).exists() { format!("{mail} {openings}") } else { mail }
    }

    /// Three copies that are the same and good; how garcia puts it to the players.
    fn all_good(&self, gm: &str) -> String {
        for player in BOTH {
            let told = self.says(0, player, &format!("compare {gm} {player}"));
            assert!(told.contains("The ledgers are the same"), "{told}");
        }
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/verify.py");
        if let Ok(done) = Command::new("python3").arg(script).arg(self.desk.path("us")).output() {
            assert_eq!(done.status.code(), Some(4), "{}", String::from_utf8_lossy(&done.stdout));
        }
        self.says(0, "us", "-C us verify")
    }
}

#[test]
fn a_new_game_master_takes_over_after_a_lost_key() {
    let mut story = Story::begin();
    story.club();
    story.turns("club", 2);
    let paper = story.says(0, "club", "-C club secret show");
    // The US orders are on their way when the game master's disk is gone.
    let mover = story.mover(BOTH);
    story.send(mover, mover);
    story.copy_files(&format!("{mover}/ledger"), "friend/ledger");
    let typed: String = paper.lines().filter(|line| !line.starts_with("key ")).map(|l| format!("{l}\n")).collect();
    fs::write(story.desk.path("typed.txt"), typed).expect("written");
    let told = story.says(0, "friend", "-C friend secret restore typed.txt");
    assert!(told.contains("Restored for gm") && told.contains("motion rekey"), "{told}");
    let told = story.says(0, "friend", "-C friend receive");
    assert!(told.contains("knows another one for gm") && !told.contains("Mail this"), "{told}");
    let told = story.says(0, "friend", "-C friend motion rekey --recovery recovery.txt");
    assert!(told.contains("You owe the result"), "{told}");
    // He closes from the chain that was anchored before the game: nobody chooses a die anew.
    let told = story.says(0, "friend", "-C friend receive");
    assert!(told.contains("gm-result.yaml") || told.contains("Mail this to every player"), "{told}");
    story.told_to_all("friend");
    story.turns("friend", 2);
    // Where a turn has ended he begins a chain that his predecessor does not know.
    story.says(0, "friend", "-C friend motion reanchor");
    story.told_to_all("friend");
    story.turns("friend", 2);
    // The old game master finds his disk: nothing he signs counts any more.
    story.says(0, "friend", "-C friend resend --from 7");
    let told = story.says(0, "club", &format!("-C club receive {}", story.mail("friend", "0007-")));
    assert!(told.contains("knows another one for gm") && !told.contains("Mail this"), "{told}");
    story.says(0, "friend", "-C friend motion end --winner us");
    story.told_to_all("friend");
    let told = story.all_good("friend");
    assert!(told.contains("W75-SEAT") && told.contains("signed with the recovery key"), "{told}");
}

#[test]
fn a_game_master_who_lost_his_chain_as_well_goes_on_by_the_consent_of_the_player_who_waits() {
    let mut story = Story::begin();
    story.club();
    story.turns("club", 2);
    let mover = story.mover(BOTH);
    story.send(mover, mover);
    let waits = story.records(mover);
    // Nothing is left but the recovery key.
    story.says(0, "friend", &format!("handover --ledger {mover} --as gm --folder friend"));
    let told = story.says(0, "friend", "-C friend motion rekey --recovery recovery.txt --lost");
    assert!(told.contains("it acts once it is accepted"), "{told}");
    assert!(told.contains("it is yours once") && !told.contains("nobody would take"), "{told}");
    story.told_to_all("friend");
    let idle = if mover == "us" { "spain" } else { "us" };
    let told = story.says(64, idle, &format!("-C {idle} accept"));
    assert!(!told.contains("Mail this"), "{told}");
    let told = story.says(0, mover, &format!("-C {mover} accept"));
    assert!(told.contains("Mail this"), "{told}");
    story.hear("friend", "friend", mover);
    story.told_to_all("friend");
    // The turn in hand is void: the same player gives his orders again, and other dice are rolled for them.
    assert_eq!((story.mover(BOTH), story.records("friend")), (mover, waits + 2));
    story.turns("friend", 3);
    story.says(0, "friend", "-C friend motion end --drawn");
    story.told_to_all("friend");
    let told = story.all_good("friend");
    assert!(told.contains("W71-LOST"), "{told}");
}

impl Story {
    /// A folder as a killed command leaves it: the first records of another folder, and nothing else.
    fn half(&self, from: &str, to: &str, records: usize) {
        let mut names: Vec<PathBuf> = fs::read_dir(self.desk.path(&format!("{from}/ledger")))
            .expect("a ledger")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        names.sort();
        let ledger = self.desk.path(&format!("{to}/ledger"));
        fs::create_dir_all(&ledger).expect("made");
        for path in names.iter().take(records) {
            fs::copy(path, ledger.join(path.file_name().expect("a name"))).expect("copied");
        }
    }
}

#[test]
fn who_was_interrupted_while_sitting_down_types_the_same_command_again() {
    let story = Story::begin();
    let key = story.says(0, "office", "direct key");
    story.says(0, "spain", &format!("new santiago-1898 spain --as spain --director {}", key.trim()));
    story.says(0, "us", "join spain/outbox/0000-garcia.txt --folder us");
    let sit = "direct sit spain/outbox/0000-garcia.txt us/outbox/0001-garcia.txt --folder";
    story.says(0, "office", &format!("{sit} office"));
    for records in [0, 1] {
        let folder = format!("office-{records}");
        story.half("office", &folder, records);
        story.says(0, "office", &format!("{sit} {folder}"));
        let told = story.says(0, "office", &format!("compare office {folder}"));
        assert!(told.contains("The ledgers are the same: 2 records."), "{told}");
    }
    // A bundle is taken once; its secrets may be kept already, and as many records as there were time for.
    story.says(0, "us", "-C us handover --give bundle.yaml");
    story.says(0, "friend", "handover --take bundle.yaml --folder friend");
    story.half("friend", "friend-1", 1);
    let told = story.says(0, "friend", "handover --take bundle.yaml --folder friend-1");
    assert!(told.contains("All") && told.contains("sealed values are there"), "{told}");
    story.says(0, "friend", "compare friend friend-1");
    // Whose secrets are lost sits down with new ones, once.
    for folder in ["heir", "heir-1"] {
        if folder == "heir-1" {
            story.half("heir", folder, 1);
        }
        story.says(0, "heir", &format!("handover --ledger us --as us --folder {folder}"));
    }
    // A player who comes second to a game master gets two records with the offer.
    story.says(0, "club", "new santiago-1898 club --gm --players spain,us");
    story.says(0, "first", "join club/outbox/0000-garcia.txt --folder first");
    story.hear("club", "club", "first");
    let join = "join club/outbox/0001-garcia.txt --folder";
    story.says(0, "second", &format!("{join} second"));
    story.half("second", "second-1", 1);
    story.says(0, "second", &format!("{join} second-1"));
    let told = story.says(0, "second", "compare second second-1");
    assert!(told.contains("The ledgers are the same: 3 records."), "{told}");
    // A whole folder is nobody's to begin again, and neither is one with anything else in it.
    let told = story.says(64, "office", &format!("{sit} office"));
    assert!(told.contains("a game lies in it"), "{told}");
    story.half("office", "mine", 1);
    fs::write(story.desk.path("mine/notes.txt"), "mine").expect("written");
    story.says(64, "office", &format!("{sit} mine"));
    story.half("spain", "other", 1);
    fs::write(story.desk.path("other/ledger/0000-spain-genesis.yaml"), "body: {}\n").expect("written");
    story.says(64, "office", &format!("{sit} other"));
    // Secrets with which somebody plays are never taken for left over.
    let told = story.says(73, "us", "handover --take bundle.yaml --folder again");
    assert!(told.contains("there are secrets for this game"), "{told}");
}

#[test]
fn a_motion_that_is_typed_again_is_not_moved_again() {
    let mut story = Story::begin();
    story.says(0, "solo", "new santiago-1898 solo --solo --option questions=default");
    for number in 0..2 {
        story.files += 1;
        story.says(0, "solo", &format!("-C solo template --output {number}.yaml"));
        story.says(0, "solo", &format!("-C solo resolve {number}.yaml"));
    }
    for line in ["motion void 2", "motion reanchor", "motion end --drawn"] {
        let before = story.records("solo");
        story.says(0, "solo", &format!("-C solo {line}"));
        let told = story.says(0, "solo", &format!("-C solo {line}"));
        assert!(told.contains("This was moved already"), "{told}");
        assert_eq!(story.records("solo"), before + 1, "{line}");
    }
    // Between two, the mail is made again, and the motion stays on the table.
    story.says(0, "spain", "new santiago-1898 spain --as spain --option questions=default");
    story.says(0, "us", "join spain/outbox/0000-garcia.txt --folder us");
    story.hear("spain", "spain", "us");
    story.play(BOTH, 2);
    let mover = story.mover(BOTH);
    let end = format!("-C {mover} motion end --drawn");
    story.says(0, mover, &end);
    let mail = story.desk.path(&story.mail(mover, "-garcia.txt"));
    let bytes = fs::read(&mail).expect("a mail");
    fs::remove_file(&mail).expect("it was there");
    let told = story.says(0, mover, &end);
    assert!(told.contains("This was moved already") && told.contains("it acts once it is accepted"), "{told}");
    assert_eq!(fs::read(&mail).expect("a mail"), bytes);
    // Another motion is another one.
    let told = story.says(64, mover, &format!("-C {mover} motion end --winner us"));
    assert!(told.contains("cannot be moved"), "{told}");
}

impl Story {
    /// The place of the last result in a ledger.
    fn last_result(&self, folder: &str) -> usize {
        let entries = fs::read_dir(self.desk.path(&format!("{folder}/ledger"))).expect("a ledger");
        let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
        let last = names.filter(|name| name.ends_with("-result.yaml")).max().expect("a result");
        last.split('-').next().and_then(|number| number.parse().ok()).expect("a number")
    }

    /// A turn written as a case, a step more lost in it than garcia reads; the position is ruled so.
    fn rule(&self, who: &str) {
        let about = self.last_result(who);
        self.says(0, who, &format!("-C {who} case --from {about} --output dispute.yaml"));
        self.says(0, who, "case dispute.yaml");
        let state = fs::read_to_string(self.desk.path(&format!("{who}/state.yaml"))).expect("a state");
        assert!(state.contains("\n  sp-1-11-sf:\n") && state.contains("\nlosses: {}\n"), "{state}");
        let case = fs::read_to_string(self.desk.path("dispute.yaml")).expect("a case");
        // The dice of the turn may have touched other units.
        let (before, expect) = case.split_once("\n    expect:\n").expect("an expectation");
        assert!(!expect.contains("sp-1-11-sf") && !expect.contains("losses"), "{expect}");
        let step = "        units:\n          sp-1-11-sf: {steps: 1}\n";
        let expect = match expect.contains("        units:\n") {
            true => expect.replacen("        units:\n", step, 1),
            false => format!("{expect}{step}"),
        };
        let short = format!("{before}\n    expect:\n{expect}");
        let ruling = |file: &str, more: &str| {
            let finding = "--finding a-step-more";
            format!("-C {who} motion ruling --case {file} --about {about} --clause 9.3 {finding} {more}")
        };
        // Steps do not vanish: a position that breaks the count is not signed.
        fs::write(self.desk.path("short.yaml"), &short).expect("written");
        let before = self.records(who);
        let told = self.says(64, who, &ruling("short.yaml", ""));
        assert!(told.contains("44 steps printed, 43 left"), "{told}");
        let whole = short.replacen("      state:\n", "      state:\n        losses: {spanish: {shock: 1}}\n", 1);
        fs::write(self.desk.path("whole.yaml"), whole).expect("written");
        let told = self.says(1, who, "case whole.yaml");
        assert!(told.contains("state.losses.spanish"), "{told}");
        let told = self.says(0, who, &ruling("whole.yaml", "--dry-run"));
        assert!(told.contains("/units/sp-1-11-sf/steps: 2 -> 1"), "{told}");
        assert_eq!(self.records(who), before, "a dry run signs nothing");
        self.says(0, who, &ruling("whole.yaml", ""));
        assert_eq!(self.records(who), before + 1);
    }

    /// Everybody has the position that was ruled.
    fn ruled(&self, folders: &[&str]) {
        for folder in folders {
            let state = fs::read_to_string(self.desk.path(&format!("{folder}/state.yaml"))).expect("a state");
            let unit = state.split("\n  sp-1-11-sf:\n").nth(1).unwrap_or_else(|| panic!("{state}"));
            let steps = unit.lines().find(|line| line.trim().starts_with("steps:"));
            assert_eq!(steps.map(str::trim), Some("steps: 1"), "{folder}");
        }
    }
}

#[test]
fn a_rule_read_wrongly_is_put_right_by_a_case() {
    let mut story = Story::begin();
    story.says(0, "spain", "new santiago-1898 spain --as spain --option questions=default");
    story.says(0, "us", "join spain/outbox/0000-garcia.txt --folder us");
    story.hear("spain", "spain", "us");
    story.play(BOTH, 4);
    let mover = story.mover(BOTH);
    let other = BOTH.into_iter().find(|folder| *folder != mover).expect("two of them");
    story.rule(mover);
    let told = story.hear(other, other, mover);
    assert!(told.contains("You are asked") && told.contains("a-step-more"), "{told}");
    story.says(0, other, &format!("-C {other} accept"));
    story.exchange(BOTH);
    story.ruled(&BOTH);
    story.play(BOTH, 2);
    let told = story.says(0, "us", "-C us verify");
    assert!(told.contains("W73-RULING") && told.contains("a-step-more"), "{told}");
    // The result of the last turn goes out with the next orders.
    let told = story.says(0, "us", "compare us spain");
    assert!(told.contains("The ledgers agree"), "{told}");
}

#[test]
fn a_game_master_rules_by_a_case_and_nobody_has_to_consent() {
    for private in ["", " --private"] {
        let mut story = Story::begin();
        story.club_of(private);
        story.turns("club", 4);
        story.rule("club");
        story.told_to_all("club");
        story.ruled(&["club", "spain", "us"]);
        story.turns("club", 2);
        let told = story.all_good("club");
        assert!(told.contains("W73-RULING") && told.contains("a-step-more"), "{told}");
    }
}

#[test]
fn a_game_master_goes_on_with_other_data_and_nobody_is_blamed_who_still_has_the_old() {
    let slip = (
        "counters.yaml",
        "kind: infantry, factor: 7, reduced: 3, group: pool",
        "kind: infantry, factor: 6, reduced: 3, group: pool",
    );
    for private in ["", " --private"] {
        let mut story = Story::begin();
        transcribed(&story, "santiago_campaign", "one", (slip.0, slip.1, slip.1));
        transcribed(&story, "santiago_campaign", "two", slip);
        let new = "new santiago-campaign club --gm --players spain,us --option questions=default --data one";
        story.says(0, "club", &format!("{new}{private}"));
        story.sit_down("--data one");
        story.turns("club", 4);
        // What lies face down in the clear is noted for rules that could not tell it; what is sealed is nowhere in the folder.
        let noted = story.desk.path("club/face-down.yaml");
        assert_eq!(noted.exists(), private.is_empty());
        story.copy_files("two", "club/data");
        let told = story.says(4, "club", "-C club status");
        assert!(told.contains("other map, counter or table data") && told.contains("garcia motion upgrade"), "{told}");
        if private.is_empty() {
            // An old note is worth nothing: then nothing is signed.
            let text = fs::read_to_string(&noted).expect("a note");
            fs::write(&noted, text.replacen("state: ", "state: 0", 1)).expect("written");
            let told = story.says(73, "club", "-C club motion upgrade");
            assert!(told.contains("cannot know what lies face down"), "{told}");
            fs::write(&noted, text).expect("written");
        }
        let before = story.records("club");
        let told = story.says(0, "club", "-C club motion upgrade --dry-run");
        assert!(told.contains("Nothing is signed") && story.records("club") == before, "{told}");
        story.says(0, "club", "-C club motion upgrade");
        // One player has the new sheet when the mail comes. The other has not: he is told, and nobody is at fault.
        story.copy_files("two", "us/data");
        story.hear("us", "us", "club");
        let mail = story.mail("club", "-garcia.txt");
        let told = story.says(2, "spain", &format!("-C spain receive {mail}"));
        assert!(told.contains("E41-ENGINE") && told.contains("put data files into data/"), "{told}");
        assert!(!told.contains("fault") && story.records("spain") == before, "{told}");
        story.copy_files("two", "spain/data");
        story.hear("spain", "spain", "club");
        // They play on with what lies face down, and to the end.
        story.turns("club", 4);
        story.says(0, "club", "-C club motion end --drawn");
        story.told_to_all("club");
        for player in BOTH {
            let told = story.says(4, player, &format!("-C {player} verify"));
            assert!(told.contains("W73-RULING") && !told.contains("DIVERGENCE"), "{told}");
        }
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/verify.py");
        if let Ok(done) = Command::new("python3").arg(script).arg(story.desk.path("club")).output() {
            assert_eq!(done.status.code(), Some(4), "{}", String::from_utf8_lossy(&done.stdout));
        }
    }
}

#[test]
fn a_dispute_under_a_game_master_is_on_one_page() {
    for private in ["", " --private"] {
        let mut story = Story::begin();
        story.club_of(private);
        story.turns("club", 3);
        // The dice are doubted: by a player, before the game master's own copy.
        let result = story.last_result("us");
        let told = story.says(0, "us", &format!("-C us dispute {result} club"));
        for words in [
            "Signed by gm with the key",
            &format!("What was ordered, in record {}", result - 1),
            &format!("It holds the same record {result}"),
            "rules: every result follows from what was ordered",
            "Only a motion can change it",
            "A motion is made by the one who closes the turns; nobody has to be asked.",
            &format!("garcia object {result} --note"),
        ] {
            assert!(told.contains(words), "{words}: {told}");
        }
        assert!(!told.contains("NOT AS RECORDED"), "{told}");
        // A player says that he sent other orders; his copy was changed since, and that is nobody's fault.
        let orders = story.desk.path(&format!("us/ledger/{:04}-us-orders.yaml", result - 1));
        let honest = fs::read_to_string(&orders).expect("orders");
        fs::write(&orders, honest.replacen("kind: orders", "kind: plan", 1)).expect("written");
        let told = story.says(0, "club", &format!("-C club dispute {} us", result - 1));
        assert!(told.contains("E03-SIG") && told.contains("Fault: nobody"), "{told}");
        assert!(told.contains("Signed by us with the key"), "{told}");
        fs::write(&orders, honest).expect("written");
        let told = story.says(0, "club", &format!("-C club dispute {} us --json", result - 1));
        assert!(told.contains("\"same\": true"), "{told}");
        // What the page proposes is what settles it: the turn is taken back, and played again.
        let void = format!("-C club motion void {}", result - 2);
        assert!(story.says(0, "club", &format!("-C club dispute {result}")).contains(&void["-C club ".len()..]));
        story.says(0, "club", &void);
        story.told_to_all("club");
        story.turns("club", 2);
        let told = story.all_good("club");
        assert!(told.contains("W72-VOID"), "{told}");
    }
}

#[test]
fn a_director_closes_for_a_game_master_who_fell_silent() {
    for private in ["", " --private"] {
        let mut story = Story::begin();
        let key = story.says(0, "office", "direct key");
        let new = "new santiago-1898 club --gm --players spain,us --option questions=default --director";
        let told = story.says(0, "club", &format!("{new} {}{private}", key.trim()));
        assert!(told.contains("To the director alone"), "{told}");
        story.sit_down("");
        let told =
            story.says(0, "office", &format!("direct sit {} --folder office", story.mail("club", "-garcia.txt")));
        assert!(told.contains("The game master copies his mails to you"), "{told}");
        story.copy("club");
        // Spain's set-up is on its way, and no result comes.
        story.send("spain", "spain");
        let orders = story.mail("spain", "-garcia.txt");
        story.says(0, "spain", "-C spain notice");
        let notice = story.mail("spain", "notice-spain");
        story.says(0, "office", &format!("-C office receive {orders} {notice}"));
        let close = format!("-C office direct close --for gm --notice {notice}");
        let told = story.says(0, "office", &close);
        assert!(told.contains("Mail this to the game master and every player"), "{told}");
        let closed = story.mail("office", "-garcia.txt");
        for player in BOTH {
            story.says(0, player, &format!("-C {player} receive {orders} {closed}"));
        }
        story.files += 1;
        let file = format!("{}.yaml", story.files);
        story.says(0, "us", &format!("-C us template --output {file}"));
        let told = story.says(0, "us", &format!("-C us send --yes {file}"));
        assert!(told.contains("with copies to the other player and to the director"), "{told}");
        // He wakes: his own result of the first turn was made before he heard of the other, which the US orders name.
        story.says(0, "club", &format!("-C club receive {}", story.mail_and_openings("spain")));
        let told = story.says(0, "club", &format!("-C club receive {closed} {}", story.mail_and_openings("us")));
        assert!(told.contains("W76-LATE") && told.contains("with the same dice"), "{told}");
        story.told_to_all("club");
        story.turns("club", 2);
        let told = story.all_good("club");
        assert!(told.contains("W75-SEAT") && told.contains("the director closed for gm"), "{told}");
    }
}

#[test]
fn roll_shows_the_step_from_a_link_to_the_one_before_it_and_to_the_anchor() {
    let story = Story::begin();
    story.says(0, "solo", "new santiago-1898 solo --solo --option questions=default");
    let resolve = |number: usize| {
        story.says(0, "solo", &format!("-C solo template --output {number}.yaml"));
        story.says(0, "solo", &format!("-C solo resolve {number}.yaml"));
    };
    (0..7).for_each(resolve);
    // A new chain: the first roll closed with it goes back to its anchor.
    story.says(0, "solo", "-C solo motion reanchor");
    (7..10).for_each(resolve);
    let rolls = story.says(0, "solo", "-C solo roll");
    let role: garcia::trust::Role = "solo".parse().expect("a role");
    let (mut links, mut anchors) = (0, 0);
    let mut seen = Vec::new();
    for line in rolls.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (number, label) = (words[1], words[2]);
        if seen.contains(&number) {
            continue;
        }
        seen.push(number);
        let told = story.says(0, "solo", &format!("-C solo roll {label} --record {number}"));
        let after = |word: &str| {
            let line = told.lines().find_map(|line| line.trim_start().strip_prefix(word));
            line.unwrap_or_else(|| panic!("{word}: {told}")).split_whitespace().collect::<Vec<_>>()
        };
        let link = after("link ");
        let (link, index): (garcia::trust::Id, u32) =
            (link[0].parse().expect("a link"), link[2].parse().expect("its number"));
        let hashed = after("hashes to ");
        let before = garcia::trust::chain::before(&role, index, &link).to_string();
        assert_eq!(hashed[0].trim_end_matches(':'), before, "{told}");
        // It was published in the record that is named, and before this one.
        let record = hashed.last().expect("a record").parse::<usize>().expect("a number");
        assert!(record < number.parse().expect("a number"), "{told}");
        let ledger = story.desk.path("solo/ledger");
        let named = fs::read_dir(ledger).expect("a ledger").map(|entry| entry.expect("an entry").path()).find(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&format!("{record:04}-")))
        });
        let text = fs::read_to_string(named.expect("the record")).expect("a record");
        let member = if index == 1 { "anchor" } else { "link" };
        let says = |line: &str| line.trim_start().starts_with(member) && line.contains(&before);
        assert!(text.lines().any(says), "{text}");
        assert_eq!(hashed[1..3] == ["the", "anchor,"], index == 1, "{told}");
        *(if index == 1 { &mut anchors } else { &mut links }) += 1;
        let json = story.says(0, "solo", &format!("-C solo roll {label} --record {number} --json"));
        assert!(json.contains("hashes_to") && json.contains(&before), "{json}");
        // The lines for the shell come to the same, where their tools are.
        let (_, shell) = told.split_once("The same without garcia:\n").expect("lines for the shell");
        let done =
            Command::new("sh").args(["-c", &format!("command -v openssl >/dev/null || exit 9\n{shell}")]).output();
        if let Ok(done) = done
            && done.status.code() != Some(9)
        {
            let said = String::from_utf8_lossy(&done.stdout).into_owned();
            assert!(said.starts_with(&before), "{said}");
            let bytes: Vec<&str> = said.lines().next_back().expect("bytes").split_whitespace().collect();
            assert_eq!(bytes, after("bytes "), "{told}");
        }
    }
    assert!(links > 0 && anchors == 1, "{links} links, {anchors} anchors: {rolls}");
}
