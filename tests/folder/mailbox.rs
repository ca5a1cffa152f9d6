//! A week of mail: one mailbox with the mails of several games among hundreds of others, taken by one command.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::players::desk::{Desk, only_file};

impl Desk {
    /// The records of every game below a folder, by file.
    fn ledgers(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        for game in ["kettle", "caney", "guasimas"] {
            for entry in fs::read_dir(self.path(&format!("games/{game}/ledger"))).expect("a ledger") {
                let path = entry.expect("an entry").path();
                files.insert(path.clone(), fs::read(path).expect("read"));
            }
        }
        files
    }
}

#[test]
fn one_command_takes_a_mailbox_for_all_games_and_again_changes_nothing() {
    let desk = Desk::new();
    let inbox = desk.path("Maildir/new");
    fs::create_dir_all(&inbox).expect("made");
    fs::create_dir_all(desk.path("Maildir/cur")).expect("made");
    for (number, game) in ["kettle", "caney", "guasimas"].iter().enumerate() {
        desk.says(0, "us", &format!("new santiago-1898 games/{game} --as us"));
        let offer = only_file(&desk.path(&format!("games/{game}/outbox")), ".txt");
        desk.says(0, "spain", &format!("join {} --folder other/{game}", offer.display()));
        desk.says(0, "spain", &format!("-C other/{game} template --output {game}.yaml"));
        desk.says(0, "spain", &format!("-C other/{game} send --yes {game}.yaml --eml"));
        let mail = fs::read(only_file(&desk.path(&format!("other/{game}/outbox")), ".eml")).expect("a mail");
        // Each mail came twice, as mails do.
        fs::write(inbox.join(format!("1{number:03}.here")), &mail).expect("written");
        fs::write(desk.path(&format!("Maildir/cur/2{number:03}.here:2,S")), &mail).expect("written");
    }
    // The offer of a game that is not played here, and what else a week brings.
    desk.says(0, "stranger", "new santiago-1898 strange --as us");
    fs::copy(only_file(&desk.path("strange/outbox"), ".txt"), inbox.join("3000.here")).expect("copied");
    for number in 0..493 {
        let spam = format!("From: shop{number}@example.org\nSubject: Rifles, half price\n\nBuy {number} now.\n");
        fs::write(inbox.join(format!("4{number:03}.here")), spam).expect("written");
    }
    let told = desk.says(0, "us", "-C games receive Maildir");
    for game in ["kettle", "caney", "guasimas"] {
        assert!(told.contains(&format!("== games/{game}")), "{told}");
    }
    assert_eq!(told.matches("taken: 0002-spain-orders.yaml (signature good)").count(), 3, "{told}");
    assert!(told.contains("left alone: 493 mails without a record"), "{told}");
    assert!(told.contains("which is not here; an offer is among them"), "{told}");
    // Again: the same ledgers, byte for byte.
    let before = desk.ledgers();
    assert_eq!(before.len(), 12, "offer, acceptance, set-up and its result in each game");
    let told = desk.says(0, "us", "-C games receive Maildir");
    assert!(!told.contains("taken:"), "{told}");
    assert_eq!(desk.ledgers(), before);
    let listed = desk.says(3, "us", "list games");
    assert!(listed.contains("3 games wait for you") && listed.contains("games/kettle"), "{listed}");
    let rows: serde_json::Value = serde_json::from_str(&desk.says(3, "us", "list games --json")).expect("rows");
    assert_eq!(rows.as_array().map(Vec::len), Some(3));
    assert_eq!(rows[0]["yours"], true);
    // Whoever waits has nothing to do.
    let listed = desk.says(0, "spain", "list other");
    assert!(listed.contains("Nothing is due from you"), "{listed}");
}

#[test]
fn a_list_names_what_cannot_be_read_and_goes_on() {
    let desk = Desk::new();
    desk.says(0, "us", "new santiago-1898 games/good --solo");
    fs::create_dir_all(desk.path("games/bad/ledger")).expect("made");
    fs::write(desk.path("games/bad/ledger/0000-us-genesis.yaml"), "nothing").expect("written");
    let listed = desk.says(3, "us", "list games");
    assert!(listed.contains("games/good") && listed.contains("games/bad"), "{listed}");
    assert!(listed.contains("cannot be read"), "{listed}");
    assert!(desk.says(66, "us", "list nowhere").contains("cannot be read"));
    fs::create_dir(desk.path("empty")).expect("made");
    assert!(desk.says(0, "us", "list empty").contains("No games here"));
}
