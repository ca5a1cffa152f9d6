//! Matches by mail between players who choose at random, and a post that loses, doubles, mixes up and damages what it carries.
//!
//! Every player has a home of his own; machines go down between signing and writing. Whatever happens, nobody honest is at
//! fault, and in the end both ledgers are the same, audited, or it is known who owes what.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::random::{charter_of_run, charter_text};
use super::{Series, at_random};
use crate::engine::dice::Chance;
use crate::engine::{Charter, Match, Ruleset, count_of};
use crate::mail::{Draft, Openings, records_in};
use crate::trust::armour;
use crate::trust::data::Genesis;
use crate::trust::finding::{Code, Finding};
use crate::trust::home::Home;
use crate::trust::ledger::{LedgerTrouble, Terms, charter};
use crate::trust::motion::Outcome;
use crate::trust::paper::Kind;
use crate::trust::protocol::NextRecord;
use crate::trust::record::{Record, RecordKind};
use crate::trust::replay::Vision;
use crate::trust::role::Role;
use crate::trust::seat::{Awaited, Seat};
use crate::trust::store::{LedgerFile, LedgerFiles};
use crate::trust::verify::verify;

/// No match takes so many steps; one that does goes round in circles.
const MOST_STEPS: usize = 20_000;

/// What became of a match, or of many.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Posted {
    /// How many matches.
    pub matches: usize,
    /// How many of them ended with everything audited; in the others it is known who owes what.
    pub audited: usize,
    /// Records signed.
    pub records: usize,
    /// Packets of orders among them.
    pub packets: usize,
    /// Plans among them.
    pub plans: usize,
    /// Facts stated because a segment stopped for them.
    pub facts: usize,
    /// Motions among them.
    pub motions: usize,
    /// Results a director closed, and orders a game master gave, for somebody silent.
    pub rescues: usize,
    /// Mails sent.
    pub mails: usize,
    /// Of these lost.
    pub lost: usize,
    /// Came twice.
    pub doubled: usize,
    /// Came damaged.
    pub damaged: usize,
    /// Overtaken by a later one.
    pub overtaken: usize,
    /// Times a machine went down with something signed and not written.
    pub killed: usize,
    /// Records that came for a place where another stood, without anybody's fault.
    pub late: usize,
}

impl Posted {
    /// Adds what became of another.
    pub fn add(&mut self, other: &Posted) {
        let Posted { matches, audited, records, packets, plans, facts, motions, rescues, .. } = other;
        let Posted { mails, lost, doubled, damaged, overtaken, killed, late, .. } = other;
        self.matches += matches;
        self.audited += audited;
        self.records += records;
        self.packets += packets;
        self.plans += plans;
        self.facts += facts;
        self.motions += motions;
        self.rescues += rescues;
        self.mails += mails;
        self.lost += lost;
        self.doubled += doubled;
        self.damaged += damaged;
        self.overtaken += overtaken;
        self.killed += killed;
        self.late += late;
    }

    /// In words.
    pub fn text(&self) -> String {
        let Posted { audited, lost, doubled, damaged, overtaken, .. } = self;
        let (matches, records) = (count_of(self.matches, "match"), count_of(self.records, "record"));
        let (packets, plans) = (count_of(self.packets, "packet"), count_of(self.plans, "plan"));
        let (facts, motions) = (count_of(self.facts, "statement"), count_of(self.motions, "motion"));
        let (rescues, mails) = (count_of(self.rescues, "time"), count_of(self.mails, "mail"));
        let (killed, late) = (count_of(self.killed, "time"), count_of(self.late, "record"));
        format!(
            "{matches} by mail, {audited} of them to the last audit; in the others it is known who owes what.\n\
             {records}: {packets}, {plans}, {facts} of facts, {motions}, {rescues} somebody acted for the silent.\n\
             {mails}: {lost} lost, {doubled} came twice, {damaged} damaged, {overtaken} overtaken; {killed} a machine went \
             down, {late} came too late. Nobody was at fault, and all ledgers are the same.\n"
        )
    }
}

/// Who sits around the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    Two,
    Directed,
    Mastered,
    Private,
}

/// A letter on its way.
struct Letter {
    to: usize,
    number: usize,
    bytes: Vec<u8>,
}

struct Office<'a> {
    game: &'static dyn Ruleset,
    homes: Vec<Home>,
    table: Table,
    seats: Vec<Seat>,
    waiting: Vec<Vec<Record>>,
    post: Vec<Letter>,
    chance: &'a mut Chance,
    /// How often a motion is still made.
    motions: usize,
    tale: Posted,
}

/// Why a match is broken: what did not hold.
type Held<T> = Result<T, String>;

fn words(trouble: &LedgerTrouble) -> String {
    trouble.to_string()
}

/// Plays one match of a run by mail, in a folder of its own, to its end or until it has so many records; gives them as well.
pub fn play_mailed(
    game: &'static dyn Ruleset,
    series: &Series,
    number: usize,
    most: usize,
    folder: &Path,
) -> Result<(Posted, Vec<Record>), String> {
    let seed = format!("{}/{}/{number} by mail", game.id(), series.seed);
    let mut chance = Chance::new(&seed);
    let charter = charter_of_run(game, series, &mut chance);
    let table = [Table::Two, Table::Directed, Table::Mastered, Table::Private][chance.below(4)];
    let folder = folder.join(number.to_string());
    let told = format!(
        "{}, match {number} of the run with seed {} ({table:?}, {})",
        game.id(),
        series.seed,
        charter_text(&charter)
    );
    let again =
        format!("play it again with: garcia soak {} --mailed --seed '{}' --only {number}", game.id(), series.seed);
    let broken = |what: String| format!("{told}:\n{what}\n{again}");
    let played = Office::open(game, charter, &folder, table, &seed, &mut chance).and_then(|mut office| {
        office.play(most)?;
        let records = office.settle()?;
        Ok((office.tale, records))
    });
    fs::remove_dir_all(&folder).ok();
    played.map_err(broken)
}

impl<'a> Office<'a> {
    fn open(
        game: &'static dyn Ruleset,
        charter: Charter,
        folder: &Path,
        table: Table,
        seed: &str,
        chance: &'a mut Chance,
    ) -> Held<Office<'a>> {
        let mut terms = Terms { charter: charter.clone(), ask: true, max_asks: Some(2), ..Terms::default() };
        let count = if table == Table::Two { 2 } else { 3 };
        let homes: Vec<Home> =
            (0..count).map(|at| Home::seeded(&folder.join(at.to_string()), &format!("{seed} {at}"))).collect();
        let names: Result<Vec<Role>, _> = game.sides().iter().map(|side| side.as_str().parse()).collect();
        let names = names.map_err(|_| "a side that cannot sign".to_owned())?;
        let set = game.open(&charter).map_err(|faults| format!("{faults:?}"))?;
        let lay = |genesis: &Genesis| lay(game, genesis);
        let (Some(first), [home, other, ..]) = (names.first(), homes.as_slice()) else {
            return Err("no two sides".to_owned());
        };
        let mut seats = Vec::new();
        match (table, homes.get(2)) {
            (Table::Mastered | Table::Private, Some(third)) => {
                let host = if table == Table::Private { Seat::host_privately } else { Seat::host };
                let mut gm = host(set, names.clone(), terms, third).map_err(|e| words(&e))?;
                for home in [home, other] {
                    let seat = Seat::join(gm.ledger().records().to_vec(), None, &lay, home).map_err(|e| words(&e))?;
                    gm.receive(seat.ledger().records().to_vec());
                    seats.push(seat);
                }
                for seat in &mut seats {
                    seat.receive(gm.ledger().records().to_vec());
                }
                seats.push(gm);
            }
            (_, third) => {
                if let Some(third) = third {
                    terms.director = Some(third.identity().map_err(|e| e.to_string())?.public());
                }
                let mut one = Seat::offer(set, first, terms, home).map_err(|e| words(&e))?;
                let two = Seat::join(one.ledger().records().to_vec(), None, &lay, other).map_err(|e| words(&e))?;
                one.receive(two.ledger().records().to_vec());
                let records = two.ledger().records().to_vec();
                seats.extend([one, two]);
                if let Some(third) = third {
                    seats.push(Seat::direct(records, &lay, third).map_err(|e| words(&e))?);
                }
            }
        }
        let waiting = seats.iter().map(|_| Vec::new()).collect();
        let motions = chance.below(4);
        let tale = Posted { matches: 1, ..Posted::default() };
        Ok(Office { game, homes, table, seats, waiting, post: Vec::new(), chance, motions, tale })
    }

    fn play(&mut self, most: usize) -> Held<()> {
        for _ in 0..MOST_STEPS {
            if self.is_over() || self.seats.iter().any(|seat| seat.ledger().records().len() >= most) {
                return Ok(());
            }
            let at = self.chance.below(self.seats.len());
            match self.post.is_empty() || self.chance.one_in(4) {
                true => self.act(at)?,
                false => self.deliver()?,
            }
        }
        Err("it goes round in circles".to_owned())
    }

    fn is_over(&self) -> bool {
        self.seats.iter().all(|seat| seat.ledger().awaited() == Awaited::Nothing)
    }

    /// Somebody sits down at his machine: he does what he has to, or asks the others for what he has not got.
    fn act(&mut self, at: usize) -> Held<()> {
        let before = self.seat(at)?.ledger().records().len();
        self.write(at)?;
        // Now and then the machine goes down before anything is in the game folder.
        if self.chance.one_in(12) {
            self.restart(at, before)?;
        }
        self.send(at)
    }

    fn seat(&self, at: usize) -> Held<&Seat> {
        self.seats.get(at).ok_or_else(|| "no such seat".to_owned())
    }

    fn seat_mut(&mut self, at: usize) -> Held<&mut Seat> {
        self.seats.get_mut(at).ok_or_else(|| "no such seat".to_owned())
    }

    /// Whatever needs no decision, then one decision.
    fn write(&mut self, at: usize) -> Held<()> {
        self.seat_mut(at)?.advance().map_err(|e| words(&e))?;
        if let Some(unfit) = self.seat_mut(at)?.take_unfit() {
            return Err(format!("an honest packet is unfit: {}", unfit.finding));
        }
        let seat = self.seat(at)?;
        let (role, due, decides) = (seat.role().clone(), seat.ledger().awaited_of(seat.role()), seat.to_decide());
        let (mine, silent) = (due.who() == Some(&role), seat.silent().is_some());
        if seat.missing().is_some() {
            return Ok(());
        }
        if mine && matches!(due, Awaited::Consent(_)) {
            let accepts = !self.chance.one_in(3);
            self.seat_mut(at)?.answer_motion(accepts, None).map_err(|e| words(&e))?;
        } else if self.motions > 0 && self.chance.one_in(6) && self.moves(at)? {
            self.motions -= 1;
        } else if role == Role::director() {
            self.stand_in(at)?;
        } else if silent && matches!(due, Awaited::Facts(_)) {
            if self.chance.one_in(9) {
                self.seat_mut(at)?.no_moves().map_err(|e| words(&e))?;
                self.tale.rescues += 1;
            }
        } else if let Some(side) = decides {
            match (role == Role::gm(), mine) {
                (true, false) if !self.chance.one_in(9) => return Ok(()),
                (true, false) => {
                    // He does not know what is in the post; a record of the player's may be on its way.
                    self.seat_mut(at)?.no_moves().map_err(|e| words(&e))?;
                    self.tale.rescues += 1;
                }
                _ => {
                    let said = at_random(self.seats[at].ledger(), side, 6, self.chance)?;
                    self.seat_mut(at)?.send(&said).map_err(|e| words(&e))?;
                }
            }
        }
        self.seat_mut(at)?.advance().map_err(|e| words(&e)).map(drop)
    }

    /// A motion, if one is possible from here.
    fn moves(&mut self, at: usize) -> Held<bool> {
        let seat = self.seat(at)?;
        let ledger = seat.ledger();
        let alone = *seat.role() == Role::gm();
        let due = ledger.awaited().who() == Some(seat.role()) || alone;
        let edges: Vec<u32> = ledger.protocol().edges().collect();
        if !due || !ledger.protocol().at_edge() || edges.len() < 3 || *seat.role() == Role::director() {
            return Ok(false);
        }
        let back = edges.len() - 2 - self.chance.below(2);
        let what = self.chance.below(8);
        let to = (self.table == Table::Directed && self.chance.one_in(2)).then(Role::director);
        let seat = self.seat_mut(at)?;
        let moved = match what {
            0 => seat.move_end(Outcome::Drawn, None, to),
            1 if !alone => seat.move_reanchor(false, &Default::default()),
            _ => seat.move_void(edges.get(back).copied().unwrap_or_default(), None),
        };
        match moved {
            Ok(_) => Ok(true),
            // Somebody has declined before, or the place is behind a new chain.
            Err(LedgerTrouble::Finding { finding, .. }) if matches!(finding.code, Code::Kind | Code::Schema) => {
                Ok(false)
            }
            Err(trouble) => Err(words(&trouble)),
        }
    }

    /// The director answers what is moved to him, and at times closes for whoever keeps the other waiting.
    fn stand_in(&mut self, at: usize) -> Held<()> {
        let (protocol, chance) = (self.seats[at].ledger().protocol(), &mut *self.chance);
        let NextRecord::Result(owes) = protocol.due() else { return Ok(()) };
        let waits = self.seats.iter().find(|seat| Some(seat.role()) == protocol.other(&owes));
        let Some(waits) = waits.filter(|seat| seat.ledger().protocol().head() == protocol.head()) else {
            return Ok(());
        };
        if !chance.one_in(6) {
            return Ok(());
        }
        let kind = Kind::Notice { record: protocol.head(), owes: owes.clone(), what: "result".to_owned() };
        let notice = waits.sign_paper(kind).map_err(|e| words(&e))?;
        match self.seat_mut(at)?.close_for(&owes, notice.to_json()) {
            Ok(_) => self.tale.rescues += 1,
            // Nothing was left with him that reaches so far.
            Err(LedgerTrouble::Refused(_)) => {}
            Err(LedgerTrouble::Finding { finding, .. }) if finding.fault.is_none() => {}
            Err(trouble) => return Err(words(&trouble)),
        }
        Ok(())
    }

    /// What was written since is not in the folder; the secrets are.
    fn restart(&mut self, at: usize, before: usize) -> Held<()> {
        let mut records = self.seat(at)?.ledger().records().to_vec();
        // Where another branch was taken the folder holds fewer than before.
        if records.len() <= before {
            return Ok(());
        }
        records.truncate(before + self.chance.below(records.len() - before + 1));
        let Some(home) = self.homes.get(at) else { return Ok(()) };
        let seat = Seat::open(records, &|genesis| lay(self.game, genesis), home).map_err(|e| words(&e))?;
        *self.seat_mut(at)? = seat;
        self.tale.killed += 1;
        // He begins again where it stopped.
        self.seat_mut(at)?.advance().map_err(|e| words(&e)).map(drop)
    }

    /// What goes out from a seat, to everybody else; now and then everything he has.
    fn send(&mut self, at: usize) -> Held<()> {
        let everything = self.chance.one_in(5);
        let seat = self.seat(at)?;
        let records = if everything { seat.ledger().records() } else { seat.outgoing() }.to_vec();
        if records.is_empty() {
            return Ok(());
        }
        let draft = Draft { records: &records, body: "Mi estimado amigo:\n", page: None };
        let mail = if self.tale.mails.is_multiple_of(2) { draft.eml() } else { draft.pasted() };
        let reveals = seat.openings(&records);
        let game = seat.ledger().protocol().game();
        let openings =
            game.filter(|_| !reveals.is_empty()).map(|game| Openings { game, by: seat.role().clone(), reveals });
        let deposit = seat.deposit();
        for to in (0..self.seats.len()).filter(|to| *to != at) {
            let mut bytes = mail.clone().into_bytes();
            if *self.seat(to)?.role() == Role::gm()
                && let Some(openings) = &openings
            {
                bytes = [draft.pasted().into_bytes(), openings.armoured().into_bytes()].concat();
            }
            if *self.seat(to)?.role() == Role::director()
                && let Some(deposit) = &deposit
            {
                let armoured = armour::wrap_deposit(deposit.to_json().to_string().as_bytes());
                bytes = [draft.pasted().into_bytes(), armoured.into_bytes()].concat();
            }
            let number = self.tale.mails;
            self.tale.mails += 1;
            if self.chance.one_in(6) {
                self.tale.lost += 1;
                continue;
            }
            if self.chance.one_in(8) {
                self.tale.doubled += 1;
                self.post.push(Letter { to, number, bytes: bytes.clone() });
            }
            self.post.push(Letter { to, number, bytes });
        }
        Ok(())
    }

    /// One of the letters comes, not always the first.
    fn deliver(&mut self) -> Held<()> {
        let at = if self.chance.one_in(3) { self.chance.below(self.post.len()) } else { 0 };
        let Letter { to, number, bytes } = self.post.remove(at);
        self.tale.overtaken += usize::from(self.post.iter().any(|other| other.to == to && other.number < number));
        let harmed = self.chance.one_in(9);
        self.tale.damaged += usize::from(harmed);
        let bytes = if harmed { damaged(bytes, self.chance) } else { carried(bytes, self.chance) };
        let found = records_in("mail", &bytes);
        if !harmed && !found.troubles.is_empty() {
            return Err(format!("a mail that was not damaged cannot be read: {}", found.troubles.join("; ")));
        }
        let before = self.seat(to)?.ledger().records().len();
        self.take(to, found.records, harmed)?;
        for given in found.openings {
            // Those of records that have not come, or are displaced, fit nothing.
            self.seat_mut(to)?.entrust(&given.by, given.reveals).ok();
        }
        for deposit in found.deposits {
            self.seat_mut(to)?.take_deposit(deposit).ok();
        }
        self.seat_mut(to)?.advance().map_err(|e| words(&e))?;
        if let Some(unfit) = self.seat_mut(to)?.take_unfit() {
            return Err(format!("an honest packet is unfit: {}", unfit.finding));
        }
        if self.chance.one_in(20) {
            self.restart(to, before)?;
        }
        Ok(())
    }

    /// Records come in; what comes early waits.
    fn take(&mut self, to: usize, mut records: Vec<Record>, harmed: bool) -> Held<()> {
        if let Some(waiting) = self.waiting.get_mut(to) {
            records.append(waiting);
        }
        let received = self.seat_mut(to)?.receive(records);
        if let Some((record, finding)) = received.refused.first().filter(|(_, found)| !harmed || found.fault.is_some())
        {
            return Err(format!("{} refuses {}: {finding}", self.seat(to)?.role(), record.file_name()));
        }
        if let Some(lost) = received.lost.first() {
            return Err(format!("{} has no value for {lost}", self.seat(to)?.role()));
        }
        self.tale.late += received.late.len();
        if let Some(waiting) = self.waiting.get_mut(to) {
            *waiting = received.early;
            waiting.dedup_by_key(|record| record.id());
        }
        Ok(())
    }

    /// In the end everybody shows everybody what he has: the ledgers are the same, and good, and it is known who owes what.
    fn settle(&mut self) -> Held<Vec<Record>> {
        for _ in 0..8 {
            for from in 0..self.seats.len() {
                let records = self.seat(from)?.ledger().records().to_vec();
                let (own, deposit) = (self.seat(from)?.openings(&records), self.seat(from)?.deposit());
                let by = self.seat(from)?.role().clone();
                for to in (0..self.seats.len()).filter(|to| *to != from) {
                    self.take(to, records.clone(), false)?;
                    if *self.seat(to)?.role() == Role::gm() && !own.is_empty() {
                        self.seat_mut(to)?.entrust(&by, own.clone()).ok();
                    }
                    if let Some(deposit) = deposit.clone().filter(|_| self.seats[to].role() == &Role::director()) {
                        self.seat_mut(to)?.take_deposit(deposit).ok();
                    }
                    self.seat_mut(to)?.advance().map_err(|e| words(&e))?;
                }
            }
        }
        let records = self.seat(0)?.ledger().records().to_vec();
        for seat in &self.seats {
            if seat.ledger().records() != records {
                return Err(format!("{} has another ledger than {}", seat.role(), self.seats[0].role()));
            }
            let due = seat.ledger().awaited_of(seat.role());
            let stuck = due.who() == Some(seat.role()) && !due.is_decision();
            if stuck || due.who() != self.seats[0].ledger().awaited().who() && !matches!(due, Awaited::Audit(_)) {
                return Err(format!("{} awaits {due:?}, and {} something else", seat.role(), self.seats[0].role()));
            }
        }
        let file = |record: &Record| LedgerFile {
            name: record.file_name(),
            seq: record.body().seq,
            record: Record::read(record.to_yaml().as_bytes()),
        };
        let files = LedgerFiles { files: records.iter().map(file).collect(), problems: Vec::new() };
        let found = verify(&files, &|genesis| lay(self.game, genesis), &Vision::public());
        if found.divergence.is_some() {
            return Err(found.report(""));
        }
        let over = self.is_over();
        if !over && found.owed.is_none() && self.seats[0].ledger().awaited().who().is_none() {
            return Err(format!("nobody is due, and it is not over\n{}", found.report("")));
        }
        let of = |kind: RecordKind| records.iter().filter(|record| record.body().kind == kind).count();
        self.tale.audited = usize::from(over);
        self.tale.records = records.len();
        self.tale.plans = of(RecordKind::Plan);
        self.tale.motions = of(RecordKind::Motion);
        let has = |record: &&Record, name: &str| record.body().data.get(name).is_some();
        let orders = || records.iter().filter(|record| record.body().kind == RecordKind::Orders);
        self.tale.packets = orders().filter(|record| has(record, "orders")).count();
        self.tale.facts = orders().filter(|record| !has(record, "orders") && !has(record, "answers")).count();
        Ok(records)
    }
}

fn lay(game: &'static dyn Ruleset, genesis: &Genesis) -> Result<Box<dyn Match>, Finding> {
    let charter = charter(genesis, BTreeMap::new());
    game.open(&charter).map_err(|faults| Finding::new(Code::Engine, format!("{faults:?}")))
}

/// What mail programs do to a mail without harm: other line ends, quoting, blanks at the ends of lines, words around it.
fn carried(bytes: Vec<u8>, chance: &mut Chance) -> Vec<u8> {
    let text = String::from_utf8_lossy(&bytes).into_owned();
    // An attachment is carried as it is: its lines are not the mail's own.
    if text.starts_with("From:") || text.contains("MIME-Version") {
        return match chance.below(2) {
            0 => text.replace("\r\n", "\n").into_bytes(),
            _ => bytes,
        };
    }
    match chance.below(5) {
        0 => text.replace('\n', "\r\n").into_bytes(),
        1 => text.lines().map(|line| format!("> {line}\n")).collect::<String>().into_bytes(),
        2 => text.lines().map(|line| format!("{line}   \n")).collect::<String>().into_bytes(),
        3 => format!("Hola,\n\n{text}\n-- \nsent from the cable station\n").into_bytes(),
        _ => bytes,
    }
}

/// What harms one: a bit that falls over, a half that is missing, a piece that is not there, a piece twice.
fn damaged(mut bytes: Vec<u8>, chance: &mut Chance) -> Vec<u8> {
    if bytes.is_empty() {
        return bytes;
    }
    let at = chance.below(bytes.len());
    match chance.below(4) {
        0 => bytes[at] ^= 1 << chance.below(8),
        1 => bytes.truncate(at),
        2 => drop(bytes.drain(at..(at + 1 + chance.below(400)).min(bytes.len()))),
        _ => {
            let piece = bytes[at..(at + 1 + chance.below(400)).min(bytes.len())].to_vec();
            bytes.splice(at..at, piece);
        }
    }
    bytes
}
