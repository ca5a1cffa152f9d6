//! Attacks that once went through, played by a modified program against honest folders at every kind of table where they
//! can occur: record, code and culprit are right, `examples/verify.py` comes to the same, and the honest game goes on.

use std::path::Path;
use std::process::Command;

use crate::players::{at_random, charter_of, check, files, forget_how_far, home, join_all, lay, mailed, role, terms};
use curve25519_dalek::{EdwardsPoint, Scalar};
use garcia::engine::Charter;
use garcia::engine::Slot;
use garcia::engine::dice::Chance;
use garcia::engine::json::Json;
use garcia::games;
use garcia::trust::compare::{Comparison, Copy, compare};
use garcia::trust::data::Reveal;
use garcia::trust::finding::Code;
use garcia::trust::home::NotSigned;
use garcia::trust::key::PrivateKey;
use garcia::trust::ledger::LedgerTrouble;
use garcia::trust::record::{Body, Record, RecordKind};
use garcia::trust::replay::Vision;
use garcia::trust::seat::Seat;
use garcia::trust::secret::commitment;
use garcia::trust::store::{LedgerFile, LedgerFiles};
use garcia::trust::verify::{Verification, verify};
use garcia::trust::{Id, Role};
use sha2::{Digest, Sha512};
use tempfile::TempDir;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Two,
    Gm,
    Private,
}

const EVERY: [Mode; 3] = [Mode::Two, Mode::Gm, Mode::Private];
const MASTERED: [Mode; 2] = [Mode::Gm, Mode::Private];

/// Honest players, with a game master or without, each with a folder of secrets.
struct Table {
    homes: Vec<TempDir>,
    seats: Vec<Seat>,
    chance: Chance,
}

impl Table {
    fn of(game: &str, mode: Mode, seed: &str) -> Table {
        Table::at_scenario(game, Charter::default(), mode, seed)
    }

    fn at_scenario(game: &str, charter: Charter, mode: Mode, seed: &str) -> Table {
        let count = if mode == Mode::Two { 2 } else { 3 };
        let homes: Vec<TempDir> = (0..count).map(|_| tempfile::tempdir().expect("a folder")).collect();
        let table = games::find(game).expect("a game").open(&charter).expect("a table");
        let (terms, names) = (terms(&charter, false, None), vec![role("spain"), role("us")]);
        let first = home(&homes[0]);
        let seats = match mode {
            Mode::Two => {
                let one = Seat::offer(table, &names[0], terms, &first).expect("offered");
                let two = Seat::join(one.ledger().records().to_vec(), None, &lay, &home(&homes[1])).expect("joined");
                vec![one, two]
            }
            Mode::Gm | Mode::Private => {
                let mut gm = match mode {
                    Mode::Private => Seat::host_privately(table, names, terms, &first).expect("begun"),
                    _ => Seat::host(table, names, terms, &first).expect("begun"),
                };
                let players = join_all(&mut gm, &homes[1..]);
                std::iter::once(gm).chain(players).collect()
            }
        };
        let mut table = Table { homes, seats, chance: Chance::new(seed) };
        table.post();
        table
    }

    fn at(&self, who: &Role) -> usize {
        self.seats.iter().position(|seat| seat.role() == who).expect("he sits here")
    }

    fn key(&self, who: &Role) -> PrivateKey {
        home(&self.homes[self.at(who)]).identity().expect("a key")
    }

    fn players(&self) -> Vec<Role> {
        self.seats.iter().map(|seat| seat.role().clone()).filter(|role| *role != Role::gm()).collect()
    }

    fn records(&self) -> &[Record] {
        self.seats.iter().map(|seat| seat.ledger().records()).max_by_key(|records| records.len()).expect("somebody")
    }

    /// Everything one has goes to the others; openings go to a private game master with the records they belong to.
    fn mail(&mut self, from: usize) {
        let sent: Vec<Record> = self.seats[from].ledger().records().iter().map(mailed).collect();
        for to in (0..self.seats.len()).filter(|to| *to != from) {
            let have = self.seats[to].ledger().records().len().min(sent.len());
            assert_eq!(self.seats[to].receive(sent.clone()).refused, []);
            let openings = self.seats[from].openings(&sent[have..]);
            if !openings.is_empty() && *self.seats[to].role() == Role::gm() {
                let who = self.seats[from].role().clone();
                self.seats[to].entrust(&who, openings).expect("each fits");
            }
        }
    }

    /// Mails go round until everybody has everything, and whatever needs no decision is done.
    fn post(&mut self) {
        loop {
            let before: usize = self.seats.iter().map(|seat| seat.ledger().records().len()).sum();
            for at in 0..self.seats.len() {
                self.seats[at].advance().expect("advanced");
                self.mail(at);
            }
            if before == self.seats.iter().map(|seat| seat.ledger().records().len()).sum::<usize>() {
                return;
            }
        }
    }

    /// The player who has to decide something, unless the game is over.
    fn decider(&self) -> Option<usize> {
        (0..self.seats.len()).find(|at| *self.seats[*at].role() != Role::gm() && self.seats[*at].to_decide().is_some())
    }

    /// Whoever has to decide signs something; nobody has heard of it yet.
    fn decide(&mut self) -> Option<(usize, Record)> {
        let at = self.decider()?;
        let side = self.seats[at].to_decide()?;
        let said = at_random(self.seats[at].ledger(), side, &mut self.chance);
        Some((at, self.seats[at].send(&said).expect("signed")))
    }

    /// Plays until there are so many records; says whether the game lasted so long.
    fn play(&mut self, most: usize) -> bool {
        while self.records().len() < most {
            if self.decide().is_none() {
                return false;
            }
            self.post();
        }
        true
    }

    /// The honest game is as good as ever, and goes on.
    #[track_caller]
    fn goes_on(&mut self) {
        let more = self.records().len() + 2;
        self.post();
        self.play(more);
        for seat in &self.seats {
            let found = check(seat.ledger().records(), &seat.vision());
            assert!(found.divergence.is_none(), "{}", found.report(""));
            assert_eq!(seat.ledger().records(), self.records(), "{}", seat.role());
        }
    }

    /// A copy of somebody's folder of secrets, as it is now.
    fn copied(&self, at: usize) -> TempDir {
        let copy = tempfile::tempdir().expect("a folder");
        copy_folder(self.homes[at].path(), copy.path());
        copy
    }
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("made");
    for entry in std::fs::read_dir(from).expect("listed") {
        let entry = entry.expect("an entry");
        match entry.file_type().expect("a kind").is_dir() {
            true => copy_folder(&entry.path(), &to.join(entry.file_name())),
            false => drop(std::fs::copy(entry.path(), to.join(entry.file_name())).expect("copied")),
        }
    }
}

fn signed(body: Body, key: &PrivateKey) -> Record {
    Record::sign(body, key).expect("signed")
}

/// A ledger with more records in it, each before the honest one of its place.
fn with(records: &[Record], more: &[&Record]) -> LedgerFiles {
    let mut all = files(records);
    for (number, record) in more.iter().enumerate() {
        let seq = record.body().seq;
        let name = format!("{seq:04}-a-{number}.yaml");
        let at = all.files.iter().position(|file| file.seq >= seq).unwrap_or(all.files.len());
        all.files.insert(at, LedgerFile { name, seq, record: Ok((*record).clone()) });
    }
    all
}

type Verdict = Option<(u32, Code, Option<Role>)>;

fn brief(found: &Verification) -> Verdict {
    found.divergence.as_ref().map(|wrong| (wrong.seq, wrong.finding.code, wrong.finding.fault.clone()))
}

/// What is found in a ledger with more records in it, and what of these themselves.
fn judged(records: &[Record], more: &[&Record]) -> (Verdict, Verdict) {
    let found = with(records, more);
    let names: Vec<String> = found.files.iter().map(|file| file.name.clone()).filter(|n| n.contains("-a-")).collect();
    let verification = verify(&found, &lay, &Vision::public());
    (brief(&verification), brief(&verification.against(&names)))
}

fn parts(one: &[Record], other: &[Record]) -> Verdict {
    let copy = |records: &[Record]| -> Copy { records.iter().map(|r| (r.body().seq, r.clone())).collect() };
    match compare(&copy(one), &copy(other), &lay) {
        Comparison::Parted { seq, finding, .. } => Some((seq, finding.code, finding.fault)),
        _ => None,
    }
}

/// What the script says of a ledger with more records in it: exit code and report. Nothing if there is no Python here.
fn script(records: &[Record], more: &[&Record]) -> Option<(i32, String)> {
    let folder = tempfile::tempdir().expect("a folder");
    for file in with(records, more).files {
        let record = file.record.expect("a record");
        std::fs::write(folder.path().join(file.name), record.to_yaml()).expect("written");
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/verify.py");
    match Command::new("python3").arg("-B").arg(script).arg(folder.path()).output() {
        Ok(output) => Some((
            output.status.code().expect("an exit code"),
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)),
        )),
        Err(error) => {
            eprintln!("SKIPPED: python3 is not installed ({error})");
            None
        }
    }
}

/// The script finds the ledger good as well, and blames nobody.
#[track_caller]
fn script_agrees(records: &[Record], more: &[&Record]) {
    if let Some((code, said)) = script(records, more) {
        assert_eq!(code, 4, "{said}");
        assert!(!said.contains("fault:"), "{said}");
    }
}

/// The script finds the same.
#[track_caller]
fn script_finds(records: &[Record], seq: u32, code: Code, fault: &Role) {
    if let Some((exit, said)) = script(records, &[]) {
        assert_eq!(exit, 1, "{said}");
        let place = format!("FIRST DIVERGENCE  record {seq}");
        assert!(said.contains(&place) && said.contains(code.as_str()), "{said}");
        assert!(said.contains(&format!("fault: {fault}")), "{said}");
    }
}

fn empty_audit() -> Json {
    Json::object([
        ("hide_secret", Json::from("0".repeat(64))),
        ("values", Json::map()),
        ("secret_rolls", Json::List(vec![])),
    ])
}

// Point 1.
#[test]
fn a_record_out_of_turn_convicts_its_signer_at_every_table() {
    for mode in EVERY {
        let mut table = Table::of("santiago-1898", mode, "out of turn");
        table.play(9);
        let records = table.records().to_vec();
        let first = records.iter().position(|record| record.body().kind == RecordKind::Orders).expect("orders");
        // Who has the first packet only the rules tell.
        for at in first + 1..records.len() {
            let (held, victim) = (&records[at], records[at].body().by.clone());
            for enemy in table.players().into_iter().filter(|enemy| *enemy != victim) {
                let key = table.key(&enemy);
                let copy = signed(Body { by: enemy.clone(), ..held.body().clone() }, &key);
                let audit =
                    Body { by: enemy.clone(), kind: RecordKind::Audit, data: empty_audit(), ..held.body().clone() };
                for strange in [copy, signed(audit, &key)] {
                    let blamed = Some((at as u32, Code::Kind, Some(enemy.clone())));
                    assert_eq!(judged(&records, &[&strange]), (None, blamed.clone()), "{mode:?} {at}");
                    let theirs = [&records[..at], std::slice::from_ref(&strange)].concat();
                    assert_eq!(parts(&records, &theirs), blamed, "{mode:?} {at}");
                    assert_eq!(parts(&theirs, &records), blamed, "{mode:?} {at}");
                    if at + 3 > records.len() {
                        script_agrees(&records, &[&strange]);
                        script_finds(&theirs, at as u32, Code::Kind, &enemy);
                    }
                    for seat in &mut table.seats {
                        let [(_, finding)] = &seat.receive(vec![strange.clone()]).refused[..] else { panic!("taken") };
                        assert_eq!((finding.code, finding.fault.as_ref()), (Code::Kind, Some(&enemy)));
                    }
                }
            }
        }
        table.goes_on();
    }
}

/// The same words under another signature that is as good: whoever signs may choose the nonce.
fn signed_again(record: &Record, key: &PrivateKey) -> Record {
    let wide = |parts: &[&[u8]]| -> [u8; 64] { Sha512::digest(parts.concat()).into() };
    let grown = wide(&[&key.seed()[..]]);
    let private = Scalar::from_bytes_mod_order(curve25519_dalek::scalar::clamp_integer(
        grown[..32].try_into().expect("32 bytes"),
    ));
    let message = format!("garcia/1/sign\n{}\n", record.id());
    let nonce = Scalar::from_bytes_mod_order_wide(&wide(&[b"another nonce", message.as_bytes()]));
    let point = EdwardsPoint::mul_base(&nonce).compress().to_bytes();
    let challenge = wide(&[&point, &key.public().0, message.as_bytes()]);
    let answer = nonce + Scalar::from_bytes_mod_order_wide(&challenge) * private;
    let mut json = record.to_json();
    let digits = |bytes: [u8; 32]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    *json.pointer_mut("/sig").expect("a signature") = Json::from(digits(point) + &digits(answer.to_bytes()));
    Record::from_json(&json).expect("well-formed")
}

#[test]
fn one_body_under_two_signatures_is_one_record_at_every_table() {
    for mode in EVERY {
        let mut table = Table::of("santiago-1898", mode, "two signatures");
        table.play(9);
        let records = table.records().to_vec();
        let mut twins = Vec::new();
        for (at, held) in records.iter().enumerate() {
            let key = table.key(&held.body().by);
            let twin = signed_again(held, &key);
            assert!(twin.is_signed_by(&key.public()) && twin.sig() != held.sig() && twin.id() == held.id());
            assert_eq!(judged(&records, &[&twin]), (None, None), "{mode:?} {at}");
            let mut theirs = records.clone();
            theirs[at] = twin.clone();
            assert_eq!((parts(&records, &theirs), parts(&theirs, &records)), (None, None), "{mode:?} {at}");
            for seat in &mut table.seats {
                let received = seat.receive(vec![mailed(&twin)]);
                assert_eq!((received.known.len(), received.refused), (1, vec![]), "{mode:?} {at}");
            }
            twins.push(twin);
        }
        script_agrees(&records, &twins.iter().collect::<Vec<_>>());
        script_agrees(&twins, &[]);
        // A folder that holds the other signatures alone is as good, and its player goes on from there.
        let (at, folder) = (1, table.copied(1));
        let seat = Seat::open(twins, &lay, &home(&folder)).expect("opened");
        assert_eq!(seat.ledger().awaited(), table.seats[at].ledger().awaited(), "{mode:?}");
        table.goes_on();
    }
}

/// What the game master's program would have signed at a place where it has closed a player's record since.
fn second_thoughts(mode: Mode) -> (Table, Record, usize) {
    let mut table = Table::of("santiago-1898", mode, "second thoughts");
    table.play(if mode == Mode::Private { 7 } else { 8 });
    let (before, gm) = (table.records().to_vec(), table.copied(0));
    table.decide().expect("a decision");
    table.post();
    let mut modified = Seat::open(before.clone(), &lay, &home(&gm)).expect("opened");
    (table, modified.no_moves().expect("signed by a program that has forgotten"), before.len())
}

#[test]
fn a_game_master_who_closed_a_record_and_signs_another_is_named_and_the_player_is_not() {
    for mode in MASTERED {
        let (mut table, second, at) = second_thoughts(mode);
        let records = table.records().to_vec();
        let blamed = Some((at as u32, Code::Kind, Some(Role::gm())));
        assert_eq!(judged(&records, &[&second]), (None, blamed), "{mode:?}");
        if let Some((code, said)) = script(&records, &[&second]) {
            assert_eq!(code, 4, "{said}");
            assert!(said.contains("E13-KIND, signed by gm"), "{said}");
        }
        for seat in table.seats.iter_mut().filter(|seat| *seat.role() != Role::gm()) {
            let refused = seat.receive(vec![second.clone()]).refused;
            let found: Vec<_> = refused.iter().map(|(_, finding)| (finding.code, finding.fault.clone())).collect();
            assert_eq!(found, [(Code::Kind, Some(Role::gm()))], "{mode:?}");
        }
        // With his secrets at hand an older copy of the folder does not lead the game master there.
        let own = table.copied(0);
        let mut older = Seat::open(records[..at].to_vec(), &lay, &home(&own)).expect("opened");
        match older.no_moves() {
            Err(LedgerTrouble::NotSigned(_)) => {}
            other => panic!("{mode:?}: {:?}", other.map(|record| record.id())),
        }
        table.goes_on();
    }
}

// Point 2.
#[test]
fn openings_that_do_not_fit_prove_nothing_and_the_right_ones_close_at_once() {
    let mut table = Table::of("santiago-campaign", Mode::Private, "openings");
    let (at, sent) = table.decide().expect("a decision");
    let who = table.seats[at].role().clone();
    let seq = sent.body().seq;
    let right = table.seats[at].openings(std::slice::from_ref(&sent));
    assert!(right.len() > 2);
    assert_eq!(table.seats[0].receive(vec![mailed(&sent)]).refused, []);
    let spoilt: Vec<Vec<Reveal>> = vec![
        right.iter().cloned().map(|reveal| Reveal { salt: Id::ZERO, ..reveal }).collect(),
        right.iter().cloned().map(|reveal| Reveal { version: reveal.version + 1, ..reveal }).collect(),
        right.iter().cloned().map(|reveal| Reveal { value: Json::from("dummy"), ..reveal }).collect(),
    ];
    for wrong in spoilt {
        match table.seats[0].entrust(&who, wrong) {
            Err(LedgerTrouble::Finding { finding, .. }) => assert_eq!(finding.code, Code::Reveal),
            other => panic!("{other:?}"),
        }
        assert_eq!(table.seats[0].advance().expect("nothing"), []);
        let found = check(table.seats[0].ledger().records(), &table.seats[0].vision());
        assert_eq!((found.exit_code(), found.owed), (3, Some((who.clone(), "openings"))));
    }
    // Somebody else's name on them is as little worth.
    let other = table.players().into_iter().find(|other| *other != who).expect("another player");
    assert!(table.seats[0].entrust(&other, right.clone()).is_err());
    let waiting = table.seats[0].ledger().records().to_vec();
    let found = check(&waiting, &Vision::public());
    assert!(found.report("").contains(&format!("gm owes the result, or {who} the openings of record {seq}")));
    script_agrees(&waiting, &[]);
    // One of them is left out: it waits for that one.
    table.seats[0].entrust(&who, right[1..].to_vec()).expect("these fit");
    assert_eq!(table.seats[0].advance().expect("nothing"), []);
    table.seats[0].entrust(&who, right).expect("all fit");
    assert_eq!(table.seats[0].advance().expect("closed").len(), 1);
    table.goes_on();
}

// Point 3.
#[test]
fn a_late_mail_gives_way_at_every_game_masters_table() {
    for mode in MASTERED {
        let mut table = Table::of("santiago-campaign", mode, "too late");
        table.play(5);
        let before = table.records().to_vec();
        let Some((at, late)) = table.decide() else { panic!("the game is over") };
        let openings = table.seats[at].openings(std::slice::from_ref(&late));
        table.seats[0].no_moves().expect("signed");
        table.seats[0].advance().expect("closed");
        let sent: Vec<Record> = table.seats[0].ledger().records().iter().map(mailed).collect();
        let received = table.seats[at].receive(sent.clone());
        assert_eq!((received.refused, received.late), (vec![], vec![late.clone()]), "{mode:?}");
        // The mail comes after all, with its openings.
        let received = table.seats[0].receive(vec![mailed(&late)]);
        assert_eq!((received.refused, received.late), (vec![], vec![late.clone()]), "{mode:?}");
        if !openings.is_empty() {
            let who = table.seats[at].role().clone();
            assert!(table.seats[0].entrust(&who, openings).is_err(), "what stands nowhere is not opened");
        }
        let records = table.seats[0].ledger().records().to_vec();
        assert_eq!(judged(&records, &[&late]), (None, None), "{mode:?}");
        if let Some((code, said)) = script(&records, &[&late]) {
            assert_eq!((code, said.contains("W76-LATE")), (4, true), "{said}");
        }
        // The player has thrown his record away: it comes back out of his secrets, and gives way again.
        let own = table.copied(at);
        let mut again = Seat::open(before, &lay, &home(&own)).expect("opened");
        assert_eq!(again.receive(sent).refused, []);
        assert_eq!(again.ledger().records(), records);
        table.goes_on();
    }
}

// Point 4.
#[test]
fn terms_that_leave_somebody_short_are_their_founders_fault_at_every_table() {
    for mode in EVERY {
        let table = Table::of("santiago-1898", mode, "terms");
        let founder = table.records()[0].body().by.clone();
        for links in [0u32, 2, 4095, 4097] {
            let mut body = table.records()[0].body().clone();
            *body.data.pointer_mut("/links").expect("links") = Json::from(links);
            let offer = vec![signed(body, &table.key(&founder))];
            assert_eq!(brief(&check(&offer, &Vision::public())), Some((0, Code::Schema, Some(founder.clone()))));
            script_finds(&offer, 0, Code::Schema, &founder);
            let folder = tempfile::tempdir().expect("a folder");
            assert!(Seat::join(offer, None, &lay, &home(&folder)).is_err(), "nobody sits down at it");
        }
    }
}

// Point 8.
#[test]
fn thousands_of_tickets_are_refused_in_a_moment() {
    for (game, mode) in
        [("splendid-little-war", Mode::Two), ("splendid-little-war", Mode::Private), ("santiago-1898", Mode::Two)]
    {
        let mut table = Table::of(game, mode, "tickets");
        let (at, honest) = table.decide().expect("a decision");
        let who = table.seats[at].role().clone();
        let mut body = honest.body().clone();
        let hide = body.data.as_map_mut().expect("an object").entry("hide".to_owned()).or_insert(Json::List(vec![]));
        let Json::List(hides) = hide else { panic!("no list") };
        hides.retain(|hide| hide.get("slot").and_then(Json::as_str).is_some_and(|slot| !slot.starts_with("ticket/")));
        let before =
            table.records().iter().flat_map(|r| r.body().data.get("hide").and_then(Json::as_list).unwrap_or_default());
        let had = before
            .filter(|hide| hide.get("slot").and_then(Json::as_str).is_some_and(|s| s.starts_with("ticket/")))
            .count();
        let ticket = |number: usize| {
            Json::object([
                ("slot", Json::from(format!("ticket/{number}"))),
                ("version", Json::Int(1)),
                ("commit", Json::from("5".repeat(64))),
            ])
        };
        hides.extend((had + 1..had + 6000).map(ticket));
        let flood = signed(body, &table.key(&who));
        let seq = flood.body().seq;
        let all = [&table.records()[..seq as usize], std::slice::from_ref(&flood)].concat();
        let begun = std::time::Instant::now();
        assert_eq!(brief(&check(&all, &Vision::public())), Some((seq, Code::Schema, Some(who.clone()))), "{game}");
        assert!(begun.elapsed().as_secs_f32() < 5.0, "{:?}", begun.elapsed());
        for seat in table.seats.iter_mut().filter(|seat| *seat.role() != who) {
            let begun = std::time::Instant::now();
            let refused = seat.receive(vec![flood.clone()]).refused;
            assert_eq!(
                refused.iter().map(|(_, f)| (f.code, f.fault.clone())).collect::<Vec<_>>(),
                [(Code::Schema, Some(who.clone()))]
            );
            assert!(begun.elapsed().as_secs_f32() < 5.0, "{:?}", begun.elapsed());
        }
        // The script leaves their number to the rules, but not for long.
        let begun = std::time::Instant::now();
        if let Some((code, said)) = script(&all, &[]) {
            assert!(code == 4 || said.contains(&format!("fault: {who}")), "{said}");
            assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
        }
        table.goes_on();
    }
}

// Point 9.
#[test]
fn a_strangers_copies_shadow_nothing() {
    for mode in EVERY {
        let mut table = Table::of("santiago-1898", mode, "strangers");
        table.play(6);
        let (at, sent) = table.decide().expect("a decision");
        let openings = table.seats[at].openings(std::slice::from_ref(&sent));
        let to = usize::from(at == 0);
        let forged = |change: &dyn Fn(&mut Body)| {
            let mut body = sent.body().clone();
            change(&mut body);
            signed(body, &PrivateKey::from_seed(&[7; 32]))
        };
        let shadow = forged(&|_| {});
        assert_eq!(shadow.id(), sent.id());
        let early: Vec<Record> = (1..40).map(|n| forged(&|body| body.seq += n)).collect();
        // The forged ones come first, in one mail with the good one and alone.
        let received = table.seats[to].receive(early.clone());
        assert_eq!((received.early.len(), received.refused.len()), (0, early.len()), "{mode:?}");
        assert!(received.refused.iter().all(|(_, finding)| finding.code == Code::Signature && finding.fault.is_none()));
        let received = table.seats[to].receive(vec![shadow.clone(), mailed(&sent), shadow.clone()]);
        assert_eq!(received.taken, std::slice::from_ref(&sent), "{mode:?}");
        assert!(received.refused.iter().all(|(_, finding)| finding.fault.is_none()));
        if !openings.is_empty() {
            let who = table.seats[at].role().clone();
            table.seats[to].entrust(&who, openings).expect("each fits");
        }
        script_agrees(table.seats[to].ledger().records(), &[&shadow]);
        table.goes_on();
    }
}

// Point 10.
#[test]
fn a_restored_backup_signs_nothing_at_a_game_masters_table() {
    for mode in MASTERED {
        let mut table = Table::of("santiago-campaign", mode, "backup");
        table.play(5);
        let before = table.records().to_vec();
        let at = table.decider().expect("a decision");
        let backup = table.copied(at);
        let (_, own) = table.decide().expect("a decision");
        table.post();
        // Folder and secrets are restored; of what came since only the answers arrive.
        let answers: Vec<Record> = table.records()[before.len() + 1..].iter().map(mailed).collect();
        assert!(!answers.is_empty());
        let mut seat = Seat::open(before, &lay, &home(&backup)).expect("opened");
        let received = seat.receive(answers.clone());
        assert_eq!((received.early.len(), received.refused), (answers.len(), vec![]), "{mode:?}");
        assert_eq!(seat.missing(), Some(own.body().seq), "ask for it");
        let side = seat.to_decide().expect("it looks like his move");
        let other = at_random(seat.ledger(), side, &mut Chance::new("second thoughts"));
        match seat.send(&other) {
            Err(LedgerTrouble::NotSigned(NotSigned::Missing(seq))) => assert_eq!(seq, own.body().seq),
            other => panic!("{mode:?}: {:?}", other.map(|record| record.id())),
        }
        // It comes back, and what older secrets do not hold is named at once.
        let received = seat.receive([vec![mailed(&own)], answers].concat());
        assert_eq!((received.refused, seat.missing()), (vec![], None), "{mode:?}");
        assert_eq!(seat.ledger().records(), table.records());
        let hides = own.body().data.get("hide").and_then(Json::as_list).unwrap_or_default().iter();
        let sealed: Vec<String> = hides
            .map(|hide| {
                let part = |name: &str| hide.get(name).expect("it").to_string();
                format!("{}/{}", part("slot").trim_matches('"'), part("version"))
            })
            .collect();
        assert!(received.lost.iter().all(|lost| sealed.contains(lost)), "{:?} of {sealed:?}", received.lost);
        assert_eq!(sealed.is_empty(), mode == Mode::Gm, "only a private game master's players seal");
        script_agrees(seat.ledger().records(), &[]);
        table.goes_on();
    }
}

// Point 11.
#[test]
fn one_packet_with_a_wrong_slot_ends_no_game() {
    for mode in EVERY {
        let mut table = Table::of("santiago-campaign", mode, "slots");
        let spain = role("spain");
        let (at, honest) = loop {
            let (at, record) = table.decide().expect("a decision");
            if *table.seats[at].role() == spain && record.body().data.pointer("/orders/deploy").is_some() {
                break (at, record);
            }
            table.post();
        };
        let text = honest.body().data.to_string();
        let sealed = text.contains("\"sealed\"");
        assert_eq!(sealed, mode != Mode::Gm, "{text}");
        let forged: Vec<String> = match sealed {
            true => vec![text.replace("sp-01", "sp-99"), text.replace("sp-01", "standing/retreat")],
            // With a plain game master nothing is sealed.
            false => {
                let mut data = honest.body().data.clone();
                *data.pointer_mut("/orders/deploy").expect("it") =
                    Json::object([("0405", Json::List(vec![Json::object([("sealed", "sp-01")])]))]);
                vec![data.to_string()]
            }
        };
        let seq = honest.body().seq;
        let before = table.records().iter().filter(|record| record.body().seq < seq).cloned().collect::<Vec<_>>();
        for text in forged {
            assert_ne!(text, honest.body().data.to_string());
            let data = Json::parse_canonical(text.as_bytes()).expect("canonical");
            let strange = signed(Body { data, ..honest.body().clone() }, &table.key(&spain));
            let all = [&before[..], std::slice::from_ref(&strange)].concat();
            let blamed = Some((seq, Code::Schema, Some(spain.clone())));
            assert_eq!(brief(&check(&all, &Vision::public())), blamed, "{mode:?}");
            if let Some((code, said)) = script(&all, &[]) {
                assert!(code == 4 || code == 1 && said.contains("fault: spain"), "{said}");
            }
            for seat in table.seats.iter_mut().filter(|seat| *seat.role() != spain) {
                let refused = seat.receive(vec![strange.clone()]).refused;
                let found: Vec<_> = refused.iter().map(|(_, finding)| (finding.code, finding.fault.clone())).collect();
                assert_eq!(found, [(Code::Schema, Some(spain.clone()))], "{mode:?}");
            }
            // Refused and then corrected: no fork.
            assert_eq!(judged(&[&before[..], std::slice::from_ref(&honest)].concat(), &[&strange]).0, None);
        }
        assert_eq!(table.seats[at].ledger().records().last(), Some(&honest));
        table.goes_on();
    }
}

// Point 12.
#[test]
fn two_copies_of_a_folder_with_one_home_lose_nothing_at_any_table() {
    for mode in EVERY {
        let mut table = Table::of("santiago-campaign", mode, "two copies");
        table.play(5);
        let at = table.decider().expect("a decision");
        let before = table.records().to_vec();
        let mut other = Seat::open(before.clone(), &lay, &home(&table.homes[at])).expect("a copy of the folder");
        let (_, first) = table.decide().expect("signed in the one folder");
        // The other folder knows nothing of it, and may not sign anything else.
        let side = other.to_decide().expect("a decision");
        let said = at_random(other.ledger(), side, &mut Chance::new("other words"));
        match other.send(&said) {
            Err(LedgerTrouble::NotSigned(NotSigned::Twice(id))) => assert_eq!(id, first.id()),
            other => panic!("{mode:?}: {:?}", other.map(|record| record.id())),
        }
        table.post();
        // It hears of it by mail, signs what comes next, and the first one hears of that.
        assert_eq!(other.receive(table.records().to_vec()).refused, []);
        let mut both = Vec::new();
        for _ in 0..6 {
            other.advance().expect("advanced");
            if let Some(side) = other.to_decide() {
                let said = at_random(other.ledger(), side, &mut Chance::new("in the other folder"));
                both.push(other.send(&said).expect("signed"));
                let mails: Vec<Record> = other.ledger().records().to_vec();
                let openings = other.openings(&mails[table.records().len()..]);
                assert_eq!(table.seats[at].receive(mails).refused, []);
                if !openings.is_empty() {
                    let who = other.role().clone();
                    let record = both.last().expect("it").clone();
                    assert_eq!(table.seats[0].receive(vec![record]).refused, []);
                    table.seats[0].entrust(&who, openings).expect("each fits");
                }
            }
            table.post();
            if both.len() == 2 || !table.play(table.records().len() + 1) {
                break;
            }
            assert_eq!(other.receive(table.records().to_vec()).refused, []);
        }
        // Everything either signed or sealed is in the one home.
        let again = Seat::open(table.records().to_vec(), &lay, &home(&table.homes[at])).expect("opened");
        let found = check(again.ledger().records(), &again.vision());
        assert!(found.divergence.is_none(), "{}", found.report(""));
        let protocol = again.ledger().protocol();
        for (slot, sealing) in protocol.seals().of_role(again.role()) {
            assert!(again.vision().get(again.role(), slot, sealing.version).is_some(), "{slot}/{}", sealing.version);
        }
        script_agrees(again.ledger().records(), &[]);
    }
}

// Point 14.
#[test]
fn garbage_in_a_slot_blames_the_record_it_stands_in_and_the_right_one_is_taken_after_it() {
    for garbage in [Json::Int(17), Json::from("sp-99"), Json::map()] {
        let mut table = Table::of("santiago-campaign", Mode::Private, "garbage");
        let spain = role("spain");
        let (at, honest) = table.decide().expect("a decision");
        assert_eq!(*table.seats[at].role(), spain);
        let game = table.records()[0].id();
        let file = home(&table.homes[at]).game(&game, &spain).expect("secrets");
        // His program commits what no counter can be, and the opening fits.
        let mut body = honest.body().clone();
        let Some(Json::List(hides)) = body.data.pointer_mut("/hide") else { panic!("nothing sealed") };
        let slot = Slot::parse("sp-01").expect("a slot");
        let hide = hides.iter_mut().find(|hide| hide.get("slot") == Some(&Json::from("sp-01"))).expect("a counter");
        let salt = file.secret().hide().salt(&slot, 1);
        let commit = commitment(&game, &spain, &slot, 1, &salt, &garbage);
        *hide.pointer_mut("/commit").expect("a commitment") = Json::from(commit.to_string());
        let strange = signed(body, &table.key(&spain));
        assert_eq!(table.seats[0].receive(vec![strange.clone()]).refused, [], "nobody can know it yet");
        let mut openings = table.seats[at].openings(std::slice::from_ref(&honest));
        openings.iter_mut().filter(|reveal| reveal.slot == slot).for_each(|reveal| reveal.value = garbage.clone());
        table.seats[0].entrust(&spain, openings).expect("each fits");
        assert_eq!(table.seats[0].advance().expect("nothing is closed"), []);
        let unfit = table.seats[0].take_unfit().expect("set aside");
        assert!(unfit.is_his(), "{garbage}: {}", unfit.finding);
        assert!(matches!(unfit.finding.code, Code::Reveal | Code::Audit), "{garbage}: {}", unfit.finding);
        assert_eq!((&unfit.record, unfit.finding.fault), (&strange, Some(spain)));
        let records = table.seats[0].ledger().records().to_vec();
        assert_eq!(records.len() as u32, strange.body().seq, "the place is free again");
        assert_eq!(
            judged(&[&records[..], std::slice::from_ref(&strange)].concat(), &[]).0,
            None,
            "nobody else can see it"
        );
        // He sends a right one after all, and the game goes on.
        table.goes_on();
    }
}

#[test]
fn a_player_who_refuses_his_audit_does_not_keep_the_other_from_his_under_a_private_game_master() {
    let mut table = Table::at_scenario("lone-warrior", charter_of("el-caney", &[]), Mode::Private, "audits");
    while table.decide().is_some() {
        table.post();
    }
    let records = table.records().to_vec();
    let audits: Vec<usize> = (0..records.len()).filter(|at| records[*at].body().kind == RecordKind::Audit).collect();
    assert_eq!(audits.len(), 2, "both players open what they sealed");
    let end = audits[0];
    let first = table.at(&records[end].body().by);
    let second = table.at(&records[end + 1].body().by);
    let alone = |at: usize| {
        let folder = table.copied(at);
        forget_how_far(folder.path());
        let mut seat = Seat::open(records[..end].to_vec(), &lay, &home(&folder)).expect("opened");
        seat.advance().expect("the audit");
        (folder, seat)
    };
    // The one who joined last opens his, and the other nothing: it is known who owes what.
    let (_kept, mut seat) = alone(second);
    let found = check(seat.ledger().records(), &Vision::public());
    let owes = table.seats[first].role().clone();
    assert_eq!((found.exit_code(), found.owed.clone()), (3, Some((owes, "audit"))), "{}", found.report(""));
    script_agrees(seat.ledger().records(), &[]);
    // Both sign for one place: of the two that of whoever joined first stands, and the other is signed again.
    let (_also, other) = alone(first);
    let received = seat.receive(other.ledger().records()[end..].to_vec());
    assert_eq!((received.refused.len(), received.late.len()), (0, 1));
    seat.advance().expect("signed again");
    let found = check(seat.ledger().records(), &Vision::public());
    assert_eq!((found.exit_code(), seat.ledger().records().len()), (0, end + 2), "{}", found.report(""));
    script_agrees(seat.ledger().records(), &[]);
}
