//! Matches that went wrong and were finished all the same, by the commands a player types: what docs/disputes.md shows.
//! `GARCIA_TELL=1 cargo test --test trust_stories -- --nocapture` prints every command with what it says.

mod players;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use players::desk::Desk;

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
    let recovery: String =
        told.lines().filter(|line| line.starts_with("recovery ")).map(|l| format!("{l}\n")).collect();
    assert_eq!(recovery.lines().count(), 4, "{told}");
    fs::write(story.desk.path("recovery.txt"), recovery).expect("written");
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
    let ledger = story.desk.path("friend/ledger");
    fs::create_dir_all(&ledger).expect("made");
    for entry in fs::read_dir(story.desk.path("us/ledger")).expect("a ledger") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, ledger.join(path.file_name().expect("a name"))).expect("copied");
    }
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
