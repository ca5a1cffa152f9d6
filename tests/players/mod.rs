//! Players who choose at random, and the folders and mails between them.
#![allow(dead_code, reason = "every test takes what it needs")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use garcia::engine::dice::Chance;
use garcia::engine::submission::Submission;
use garcia::engine::{Charter, Match, Ruleset, Side};
use garcia::games;
use garcia::trust::data::Genesis;
use garcia::trust::finding::{Code, Finding};
use garcia::trust::home::Home;
use garcia::trust::ledger::{Ledger, Terms, charter};
use garcia::trust::record::Record;
use garcia::trust::replay::Vision;
use garcia::trust::role::Role;
use garcia::trust::seat::Seat;
use garcia::trust::store::{LedgerFile, LedgerFiles};
use garcia::trust::verify::{Verification, verify};
use tempfile::TempDir;

pub mod club;
pub mod desk;
pub mod hands;
pub mod held;

pub fn lay(genesis: &Genesis) -> Result<Box<dyn Match>, Finding> {
    let unknown = |what: String| Finding::new(Code::Engine, what);
    let ruleset = games::find(&genesis.ruleset).ok_or_else(|| unknown("this rule set is not known".to_owned()))?;
    ruleset.open(&charter(genesis, BTreeMap::new())).map_err(|faults| unknown(format!("{faults:?}")))
}

pub fn role(name: &str) -> Role {
    name.parse().expect("a role")
}

pub fn terms(charter: &Charter, ask: bool, max_asks: Option<u32>) -> Terms {
    Terms { charter: charter.clone(), ask, max_asks, note: None, ..Terms::default() }
}

pub fn charter_of(scenario: &str, options: &[(&str, &str)]) -> Charter {
    let options = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Charter { scenario: scenario.to_owned(), options: options.collect(), data: BTreeMap::new() }
}

/// What a player who chooses at random says for a side that is due; at times he leaves his standing orders alone.
pub fn at_random(ledger: &Ledger, side: Side, chance: &mut Chance) -> Submission {
    let mut said = garcia::play::at_random(ledger, side, 3, chance).unwrap_or_else(|why| panic!("{why}"));
    if chance.one_in(3) {
        said.standing.clear();
    }
    said
}

/// What a player who says nothing at all signs: no orders, and nothing laid down.
pub fn silent(ledger: &Ledger, side: Side) -> Submission {
    let replay = ledger.replay();
    let orders = replay.table().no_orders(replay.state(), replay.stop());
    let nothing = BTreeMap::new();
    let (policies, standing) = (nothing.clone(), nothing);
    Submission { side, orders: Some(orders), policies, standing, answers: BTreeMap::new(), note: None }
}

/// Two players with folders of their own.
pub struct Pair {
    pub homes: [TempDir; 2],
    pub seats: [Seat; 2],
    pub chance: Chance,
}

thread_local! {
    static SEEDED: RefCell<Vec<PathBuf>> = const { RefCell::new(Vec::new()) };
}

/// The secrets kept in a folder: those of the first folder a test asks for are the same in every run, and so on, or its
/// dice would be others each time.
pub fn home(folder: &TempDir) -> Home {
    seeded(folder.path())
}

/// The same for a folder inside one.
pub fn seeded(folder: &Path) -> Home {
    let number = SEEDED.with_borrow_mut(|seen| {
        let known = seen.iter().position(|path| path == folder);
        known.unwrap_or_else(|| {
            seen.push(folder.to_owned());
            seen.len() - 1
        })
    });
    Home::seeded(folder, &format!("home {number}"))
}

/// Makes secrets as they were before the last records were signed, as far as they remember how far the game went.
pub fn forget_how_far(folder: &Path) {
    for entry in std::fs::read_dir(folder.join("secrets")).expect("listed") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("secrets");
        let earlier: String = text.lines().filter(|l| !l.starts_with("reached:")).map(|l| format!("{l}\n")).collect();
        std::fs::write(&path, earlier).expect("written");
    }
}

/// What arrives of a record that was mailed.
pub fn mailed(record: &Record) -> Record {
    Record::read(record.to_yaml().as_bytes()).expect("a record")
}

/// Players come to a game master's table one after the other, and hear what was written.
pub fn join_all(gm: &mut Seat, folders: &[TempDir]) -> Vec<Seat> {
    let mut players = Vec::new();
    for folder in folders {
        let sent = gm.ledger().records().iter().map(mailed).collect();
        let seat = Seat::join(sent, None, &lay, &home(folder)).expect("joined");
        let received = gm.receive(vec![mailed(&seat.outgoing()[0])]);
        assert_eq!((received.taken.len(), received.refused), (1, vec![]));
        players.push(seat);
    }
    send_out(gm, &mut players);
    players
}

/// Every record of a game master goes to everybody.
pub fn send_out(gm: &Seat, players: &mut [Seat]) {
    let records: Vec<Record> = gm.ledger().records().iter().map(mailed).collect();
    for player in players {
        let received = player.receive(records.clone());
        assert_eq!((received.refused, received.early), (vec![], vec![]));
    }
}

impl Pair {
    pub fn begin(ruleset: &dyn Ruleset, charter: &Charter, ask: bool, max_asks: Option<u32>, seed: &str) -> Pair {
        let homes = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
        let table = ruleset.open(charter).unwrap_or_else(|faults| panic!("{faults:?}"));
        let mut chance = Chance::new(seed);
        let side = role(ruleset.sides()[usize::from(chance.one_in(2))].as_str());
        let one = Seat::offer(table, &side, terms(charter, ask, max_asks), &home(&homes[0])).expect("offered");
        let offer = one.ledger().records().iter().map(mailed).collect();
        let two = Seat::join(offer, None, &lay, &home(&homes[1])).expect("joined");
        let mut pair = Pair { homes, seats: [one, two], chance };
        pair.mail(1);
        pair
    }

    /// Everything one of the two has written goes to the other.
    pub fn mail(&mut self, from: usize) {
        let sent: Vec<Record> = self.seats[from].outgoing().iter().map(mailed).collect();
        let received = self.seats[1 - from].receive(sent);
        assert_eq!(received.refused, [], "refused");
        assert_eq!(received.early, [], "out of order");
    }

    /// One player does what he can: what needs no decision, then one decision. Says whether he did anything.
    pub fn act(&mut self, at: usize) -> bool {
        let mut chance = std::mem::replace(&mut self.chance, Chance::new("elsewhere"));
        let acted = self.act_with(at, &mut |ledger, side| at_random(ledger, side, &mut chance));
        self.chance = chance;
        acted
    }

    /// The same to somebody's words.
    pub fn act_with(&mut self, at: usize, say: &mut dyn FnMut(&Ledger, Side) -> Submission) -> bool {
        let mut made = self.seats[at].advance().expect("advanced").len();
        if let Some(side) = self.seats[at].to_decide() {
            let said = say(self.seats[at].ledger(), side);
            self.seats[at].send(&said).expect("sent");
            made += 1;
        }
        made += self.seats[at].advance().expect("advanced").len();
        made > 0
    }

    /// Plays until the game is over and audited, or the ledger has this many records.
    pub fn play(&mut self, most: usize) {
        let mut chance = std::mem::replace(&mut self.chance, Chance::new("elsewhere"));
        self.play_until(|records| records.len() >= most, &mut |ledger, side| at_random(ledger, side, &mut chance));
        self.chance = chance;
    }

    /// Plays to somebody's words until some records are enough, or the game is over and audited.
    pub fn play_until(&mut self, enough: impl Fn(&[Record]) -> bool, say: &mut dyn FnMut(&Ledger, Side) -> Submission) {
        let mut idle = 0;
        let mut at = 0;
        while idle < 2 && !enough(self.records()) {
            idle = if self.act_with(at, say) { 0 } else { idle + 1 };
            self.mail(at);
            at = 1 - at;
        }
    }

    /// The longer of the two ledgers.
    pub fn records(&self) -> &[Record] {
        let [one, two] = &self.seats;
        let (one, two) = (one.ledger().records(), two.ledger().records());
        if one.len() >= two.len() { one } else { two }
    }
}

pub fn files(records: &[Record]) -> LedgerFiles {
    let file = |record: &Record| LedgerFile {
        name: record.file_name(),
        seq: record.body().seq,
        record: Record::read(record.to_yaml().as_bytes()),
    };
    LedgerFiles { files: records.iter().map(file).collect(), problems: Vec::new() }
}

pub fn check(records: &[Record], vision: &Vision) -> Verification {
    verify(&files(records), &lay, vision)
}

/// The first record that is wrong, what is wrong with it, and whose fault it is.
pub type Verdict = Option<(usize, &'static str, Option<Role>)>;

/// What anybody finds wrong with some records.
pub fn judged(records: &[Record]) -> Verdict {
    let found = check(records, &Vision::public()).divergence?;
    Some((found.seq as usize, found.finding.code.as_str(), found.finding.fault))
}
