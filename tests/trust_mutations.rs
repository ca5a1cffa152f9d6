//! Records, mails, openings, papers and deposits changed at random. Nothing falls over or takes long, what is damaged is
//! nobody's fault, and what somebody signed is at most his own.
//!
//! A share of it runs with every `cargo test`; all of it with
//! `cargo test --release --test trust_mutations -- --ignored --nocapture`.

mod players;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use garcia::engine::dice::Chance;
use garcia::engine::json::Json;
use garcia::games;
use garcia::mail::{Openings, records_in};
use garcia::trust::armour;
use garcia::trust::director::Deposit;
use garcia::trust::key::PrivateKey;
use garcia::trust::ledger::Terms;
use garcia::trust::motion::Outcome;
use garcia::trust::paper::{Kind, Paper};
use garcia::trust::record::Record;
use garcia::trust::replay::Vision;
use garcia::trust::seat::Seat;
use garcia::trust::store::{LedgerFile, LedgerFiles};
use garcia::trust::verify::verify;
use garcia::trust::{Id, Role};
use players::{Pair, at_random, charter_of, check, files, home, join_all, lay, mailed, role, terms};
use tempfile::TempDir;

/// A match with everything in it that can be changed: dice, plans, openings, motions, a director.
struct Bench {
    pair: Pair,
    director: Seat,
    _office: TempDir,
}

impl Bench {
    /// Keys are new each time, and so are the dice: a match that is over too early is played again.
    fn new() -> Bench {
        (0..20).find_map(|_| Bench::played()).expect("a match that goes on for a while")
    }

    fn played() -> Option<Bench> {
        let charter = charter_of("el-caney", &[("flow", "plan")]);
        let office = tempfile::tempdir().expect("a folder");
        let homes = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
        let table = games::find("lone-warrior").expect("a game").open(&charter).expect("a table");
        let key = home(&office).identity().expect("a key").public();
        let terms = Terms { director: Some(key), ..terms(&charter, true, Some(1)) };
        let one = Seat::offer(table, &role("spain"), terms, &home(&homes[0])).expect("offered");
        let offer = one.ledger().records().to_vec();
        let director = Seat::direct(offer.clone(), &lay, &home(&office)).expect("he sits down");
        let two = Seat::join(offer, None, &lay, &home(&homes[1])).expect("joined");
        let mut pair = Pair { homes, seats: [one, two], chance: Chance::new("mutations") };
        pair.mail(1);
        pair.play(10);
        let mut bench = Bench { pair, director, _office: office };
        bench.take_back()?;
        bench.pair.play(20);
        bench.agree_to_end();
        bench.pair.play(40);
        let records = bench.pair.records().to_vec();
        assert!(check(&records, &Vision::public()).divergence.is_none());
        bench.director.receive(records);
        Some(bench)
    }

    /// The one who has the move where a span has ended.
    fn mover(&mut self) -> Option<usize> {
        for _ in 0..40 {
            for at in 0..2 {
                self.pair.seats[at].advance().expect("advanced");
                self.pair.mail(at);
            }
            let edge = |seat: &Seat| seat.ledger().protocol().at_edge() && seat.to_decide().is_some();
            if let Some(at) = (0..2).find(|at| edge(&self.pair.seats[*at])) {
                return Some(at);
            }
            let at = (0..2).find(|at| self.pair.seats[*at].to_decide().is_some())?;
            self.pair.act(at);
            self.pair.mail(at);
        }
        None
    }

    /// None if the match is over.
    fn take_back(&mut self) -> Option<()> {
        let at = self.mover()?;
        let edges: Vec<u32> = self.pair.seats[at].ledger().protocol().edges().collect();
        self.pair.seats[at].move_void(edges[edges.len() - 2], None).expect("moved");
        self.answer(at);
        Some(())
    }

    fn agree_to_end(&mut self) {
        if let Some(at) = self.mover() {
            self.pair.seats[at].move_end(Outcome::Drawn, None, None).expect("moved");
            self.answer(at);
        }
    }

    fn answer(&mut self, mover: usize) {
        self.pair.mail(mover);
        self.pair.seats[1 - mover].answer_motion(true, None).expect("accepted");
        self.pair.mail(1 - mover);
    }

    fn key(&self, who: &Role) -> PrivateKey {
        let at = self.pair.seats.iter().position(|seat| seat.role() == who).expect("a player");
        home(&self.pair.homes[at]).identity().expect("a key")
    }
}

/// Some bytes changed in one to three places, at times with a piece of something else.
fn changed(bytes: &[u8], other: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut all = bytes.to_vec();
    for _ in 0..=chance.below(3) {
        let length = all.len().max(1);
        let (at, to) = (chance.below(length), chance.below(length));
        let (from, upto) = (at.min(to), at.max(to).min(all.len()).min(at.min(to) + 1 + chance.below(200)));
        match chance.below(8) {
            _ if all.is_empty() => all.push(b'x'),
            0 => all[at] ^= 1 << chance.below(8),
            1 => all[at] = u8::try_from(chance.below(256)).unwrap_or(0),
            2 => all.insert(at, b"0a-: \n\"#[{"[chance.below(10)]),
            3 => drop(all.drain(from..upto)),
            4 => {
                let piece = all[from..upto].to_vec();
                all.splice(at..at, piece);
            }
            5 => {
                let (begin, end) = (chance.below(other.len().max(1)), chance.below(other.len().max(1)));
                let piece = other.get(begin.min(end)..begin.max(end).min(begin.min(end) + 200)).unwrap_or_default();
                all.splice(from..upto, piece.to_vec());
            }
            6 => all.truncate(at),
            _ => all.swap(at, to.min(length - 1)),
        }
    }
    all
}

/// Every place in a value.
fn places(json: &Json, at: &str, into: &mut Vec<String>) {
    into.push(at.to_owned());
    match json {
        Json::List(items) => {
            items.iter().enumerate().for_each(|(number, item)| places(item, &format!("{at}/{number}"), into));
        }
        Json::Map(members) => {
            members.iter().for_each(|(name, item)| places(item, &format!("{at}/{}", name.replace('/', "~1")), into));
        }
        _ => {}
    }
}

/// What a modified program might sign instead: something changed, left out, doubled, added or taken from elsewhere.
fn bent(data: &Json, donor: &Json, chance: &mut Chance) -> Json {
    let mut data = data.clone();
    let (mut own, mut theirs) = (Vec::new(), Vec::new());
    places(&data, "", &mut own);
    places(donor, "", &mut theirs);
    let Some(at) = chance.pick(&own).cloned() else { return data };
    let elsewhere = chance.pick(&theirs).and_then(|at| donor.pointer(at)).cloned().unwrap_or_else(Json::map);
    let Some(value) = data.pointer_mut(&at) else { return data };
    match (chance.below(6), value) {
        (0, Json::Int(number)) => *number += 1 - 2 * i64::from(chance.one_in(2)),
        (0, Json::Bool(truth)) => *truth = !*truth,
        (0 | 1, Json::Str(text)) if !text.is_empty() => {
            let at = chance.below(text.len());
            let mut bytes = text.clone().into_bytes();
            bytes[at] = b"0123456789abcdef-/"[chance.below(18)];
            *text = String::from_utf8_lossy(&bytes).into_owned();
        }
        (1 | 2, Json::List(items)) if !items.is_empty() => drop(items.remove(chance.below(items.len()))),
        (3, Json::List(items)) => items.push(elsewhere),
        (4, Json::List(items)) if items.len() > 1 => items.swap(0, 1),
        (2, Json::Map(members)) if !members.is_empty() => {
            let name = members.keys().nth(chance.below(members.len())).cloned().unwrap_or_default();
            members.remove(&name);
        }
        (3, Json::Map(members)) => drop(members.insert("note".to_owned(), elsewhere)),
        (_, value) => *value = elsewhere,
    }
    data
}

/// What was tried, and what was the slowest.
#[derive(Default)]
struct Count {
    tried: usize,
    read: usize,
    blamed: usize,
    slowest: Duration,
}

impl Count {
    fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let done = work();
        self.slowest = self.slowest.max(begun.elapsed());
        self.tried += 1;
        done
    }

    /// Nothing took long; how long depends on the build and on what else the machine does.
    fn tell(&self, what: &str, most: Duration) {
        println!(
            "{what}: {} tried, {} still read, {} blamed, slowest {:?}",
            self.tried, self.read, self.blamed, self.slowest
        );
        assert!(self.slowest < most, "{what}: {:?}", self.slowest);
    }
}

/// What the script names, if there is a Python here.
fn script(files: &LedgerFiles) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    for file in &files.files {
        let record = file.record.as_ref().ok()?;
        std::fs::write(folder.path().join(&file.name), record.to_yaml()).expect("written");
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/verify.py");
    let output = Command::new("python3").arg("-B").arg(script).arg(folder.path()).output().ok()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("Traceback"), "{said}");
    Some(said)
}

/// Files damaged on the way: whatever is found, nobody did it.
fn damaged_ledgers(bench: &Bench, times: usize, chance: &mut Chance) -> Count {
    let (records, mut count) = (bench.pair.records(), Count::default());
    let texts: Vec<String> = records.iter().map(Record::to_yaml).collect();
    for _ in 0..times {
        let (at, donor) = (chance.below(texts.len()), chance.below(texts.len()));
        let bytes = changed(texts[at].as_bytes(), texts[donor].as_bytes(), chance);
        let mut found = files(records);
        found.files[at].record = count.time(|| Record::read(&bytes));
        let same = found.files[at].record.as_ref() == Ok(&records[at]);
        count.read += usize::from(found.files[at].record.is_ok() && !same);
        let verdict = count.time(|| verify(&found, &lay, &Vision::public()));
        match verdict.divergence {
            Some(wrong) => {
                assert_eq!(wrong.finding.fault, None, "record {at}: {}", String::from_utf8_lossy(&bytes));
                assert!(!same);
            }
            None => {
                assert!(same, "record {at} was changed, and nothing was found: {}", String::from_utf8_lossy(&bytes))
            }
        }
    }
    count
}

/// Records changed and signed by a modified program, alone or beside the honest one: at most its own player is blamed.
fn bent_ledgers(bench: &Bench, times: usize, chance: &mut Chance, python: usize) -> Count {
    let (records, mut count) = (bench.pair.records(), Count::default());
    for number in 0..times {
        let (at, donor) = (1 + chance.below(records.len() - 1), chance.below(records.len()));
        let mut body = records[at].body().clone();
        body.data = bent(&body.data, &records[donor].body().data, chance);
        if chance.one_in(6) {
            body.by = role(if body.by.as_str() == "us" { "spain" } else { "us" });
        }
        if chance.one_in(12) {
            body.kind = records[donor].body().kind.clone();
        }
        let (by, joins) = (body.by.clone(), at == 1);
        let Ok(record) = Record::sign(body, &bench.key(&by)) else { continue };
        let mut found = match chance.below(3) {
            0 => files(&records[..at]),
            1 => files(records),
            _ => {
                let mut all = files(records);
                all.files.remove(at);
                all
            }
        };
        let seq = record.body().seq;
        let place = found.files.iter().position(|file| file.seq >= seq).unwrap_or(found.files.len());
        let name = format!("{seq:04}-a-changed.yaml");
        found.files.insert(place, LedgerFile { name: name.clone(), seq, record: Ok(record) });
        let verdict = count.time(|| verify(&found, &lay, &Vision::public()));
        let held = verdict.clone().against(&[name]);
        for verdict in [&verdict, &held] {
            if let Some(wrong) = &verdict.divergence {
                count.blamed += usize::from(wrong.finding.fault.is_some());
                let innocent = wrong.finding.fault.as_ref().is_some_and(|fault| *fault != by);
                assert!(!innocent, "record {at} by {by}: {}", verdict.report(""));
            }
        }
        // A newcomer's key stands in his own record; whose acceptance counts the next record says.
        count.read += usize::from(verdict.divergence.is_none() && !joins);
        if number < python
            && let Some(said) = script(&found)
        {
            for who in ["us", "spain", "director"].into_iter().filter(|who| *who != by.as_str()) {
                assert!(!said.contains(&format!("fault: {who}")), "record {at} by {by}: {said}");
            }
        }
    }
    count
}

/// Mails: a record comes out as it went in, or not at all.
fn damaged_mails(bench: &Bench, times: usize, chance: &mut Chance) -> Count {
    let (records, mut count) = (bench.pair.records(), Count::default());
    let mail = |chance: &mut Chance| {
        let text: String = (0..3).map(|_| chance.pick(records).map(Record::armoured).unwrap_or_default()).collect();
        match chance.below(3) {
            0 => text,
            1 => format!("From: us\nSubject: turn\nMIME-Version: 1.0\nContent-Type: text/plain\n\nDear Sir,\n{text}"),
            _ => {
                format!("From us@x Mon\nFrom: us\nSubject: a\n\n{text}\nFrom us@x Tue\nFrom: us\nSubject: b\n\n{text}")
            }
        }
    };
    for _ in 0..times {
        let (one, other) = (mail(chance), mail(chance));
        let bytes = changed(one.as_bytes(), other.as_bytes(), chance);
        let found = count.time(|| records_in("mail", &bytes));
        count.read += found.records.len();
        assert!(found.troubles.len() < 40);
        assert!(found.records.iter().all(|record| records.contains(record)), "{}", String::from_utf8_lossy(&bytes));
    }
    count
}

/// Openings: a private game master takes those that fit, and nothing comes of the others.
fn damaged_openings(times: usize, chance: &mut Chance) -> Count {
    let charter = charter_of("el-caney", &[]);
    let folders: Vec<TempDir> = (0..3).map(|_| tempfile::tempdir().expect("a folder")).collect();
    let table = games::find("lone-warrior").expect("a game").open(&charter).expect("a table");
    let names = vec![role("spain"), role("us")];
    let mut gm = Seat::host_privately(table, names, terms(&charter, false, None), &home(&folders[0])).expect("begun");
    let mut players = join_all(&mut gm, &folders[1..]);
    let who = gm.ledger().awaited().who().cloned().expect("somebody");
    let player = players.iter_mut().find(|player| *player.role() == who).expect("he sits here");
    let side = player.to_decide().expect("a decision");
    let said = at_random(player.ledger(), side, &mut Chance::new("openings"));
    let record = player.send(&said).expect("signed");
    let right = player.openings(std::slice::from_ref(&record));
    assert_eq!(gm.receive(vec![mailed(&record)]).refused, []);
    let game = gm.ledger().protocol().game().expect("a game");
    let plain = Json::object([
        ("game", Json::from(game.to_string())),
        ("by", Json::from(who.as_str())),
        ("openings", Json::List(right.iter().map(|reveal| reveal.to_json()).collect())),
    ]);
    let text = Openings { game, by: who.clone(), reveals: right.clone() }.armoured();
    let mut count = Count::default();
    for _ in 0..times {
        // Damaged on the way, or made so by his program: then the armour is whole.
        let bytes = match chance.one_in(2) {
            true => changed(text.as_bytes(), text.as_bytes(), chance),
            false => {
                let json = bent(&plain, &plain, chance);
                armour::wrap_openings(json.to_string().as_bytes()).into_bytes()
            }
        };
        let found = count.time(|| records_in("mail", &bytes));
        for given in found.openings {
            // As long as one is left out the result waits; everything else would be closed.
            let some: Vec<_> = given.reveals.into_iter().filter(|reveal| *reveal != right[0]).collect();
            let fit = some.iter().all(|reveal| right.contains(reveal)) && given.by == who;
            let taken = count.time(|| gm.entrust(&given.by, some.clone()));
            assert_eq!(taken.is_ok(), fit || some.is_empty(), "{some:?}");
            count.read += usize::from(taken.is_ok());
        }
    }
    assert_eq!(gm.advance().expect("one is missing"), []);
    gm.entrust(&who, right).expect("each fits");
    assert_eq!(gm.advance().expect("closed").len(), 1, "and the game goes on");
    count
}

/// Papers and deposits: whoever did not sign has not said it, and a link that does not fit is none.
fn damaged_papers(bench: &mut Bench, times: usize, chance: &mut Chance) -> Count {
    let mut count = Count::default();
    let head = bench.pair.seats[0].ledger().protocol().head();
    let kinds = [
        Kind::Notice { record: head, owes: role("us"), what: "result".to_owned() },
        Kind::Object { record: head, note: "García".to_owned() },
        Kind::Receipt { record: head },
    ];
    let papers: Vec<Paper> =
        kinds.into_iter().map(|kind| bench.pair.seats[0].sign_paper(kind).expect("signed")).collect();
    let keys: Vec<Id> = bench.pair.seats.iter().map(Seat::fingerprint).collect();
    for _ in 0..times / 2 {
        let paper = chance.pick(&papers).expect("a paper").clone();
        let bytes = match chance.below(3) {
            0 => changed(paper.to_yaml().as_bytes(), papers[0].to_yaml().as_bytes(), chance),
            1 => changed(paper.armoured().as_bytes(), papers[0].armoured().as_bytes(), chance),
            _ => {
                let json = bent(&paper.to_json(), &papers[0].to_json(), chance);
                armour::wrap_paper(json.to_string().as_bytes()).into_bytes()
            }
        };
        let found = count.time(|| records_in("mail", &bytes));
        for read in found.papers {
            let signed = keys.iter().any(|key| read.is_signed_by(key));
            assert_eq!(signed, papers.contains(&read), "{}", read.to_yaml());
            count.read += usize::from(signed);
        }
    }
    let Some(deposit) = bench.pair.seats[0].deposit() else { return count };
    let text = armour::wrap_deposit(deposit.to_json().to_string().as_bytes());
    for _ in 0..times / 2 {
        let bytes = match chance.one_in(2) {
            true => changed(text.as_bytes(), text.as_bytes(), chance),
            false => armour::wrap_deposit(bent(&deposit.to_json(), &deposit.to_json(), chance).to_string().as_bytes())
                .into_bytes(),
        };
        let found: Vec<Deposit> = count.time(|| records_in("mail", &bytes)).deposits;
        for left in found {
            let same_link = (left.index, left.link) == (deposit.index, deposit.link);
            let earlier = left.index < deposit.index;
            let fits = left.game == deposit.game && left.role == deposit.role && (same_link || earlier);
            let taken = count.time(|| bench.director.take_deposit(left.clone()));
            assert!(taken.is_err() || fits, "{left:?}");
            count.read += usize::from(taken.is_ok());
        }
    }
    count
}

/// The most memory this process ever held, in MiB, where the system tells.
fn most_memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<usize>().ok().map(|kib| kib >> 10)
}

fn run(times: usize, python: usize, most: Duration) {
    let mut bench = Bench::new();
    let chance = &mut Chance::new("changed at random");
    damaged_ledgers(&bench, times, chance).tell("damaged ledgers", most);
    bent_ledgers(&bench, times, chance, python).tell("ledgers signed otherwise", most);
    damaged_mails(&bench, times, chance).tell("damaged mails", most);
    damaged_openings(times, chance).tell("openings", most);
    damaged_papers(&mut bench, times, chance).tell("papers and deposits", most);
    if let Some(memory) = most_memory() {
        println!("memory: {memory} MiB");
        assert!(memory < 200, "{memory} MiB");
    }
}

#[test]
fn whatever_is_changed_nobody_innocent_is_blamed_and_nothing_takes_long() {
    // Builds for tests are slow, and the machine may be busy.
    run(120, 6, Duration::from_secs(10));
}

#[test]
#[ignore = "ten thousand of each take minutes"]
fn ten_thousand_changes_of_each_kind() {
    run(10_000, 100, Duration::from_secs(1));
}
