//! A player's place at the table: his ledger, his key and his secrets, and what he has to do next.
//!
//! [`Seat::receive`] takes what the others sent, [`Seat::advance`] writes everything that needs no decision, and
//! [`Seat::send`] signs what the player decided. None of them touches the game folder; [`Seat::save`] does.

use super::data::{Data, Genesis, Join, Mode, Reveal};
use super::finding::{Code, Finding};
use super::home::{GameFile, Home, NotSigned};
use super::key::PrivateKey;
use super::ledger::{Company, Ledger, LedgerTrouble, Pen, Terms};
use super::protocol::NextRecord;
use super::record::{Record, RecordKind};
use super::replay::Vision;
use super::rivals::Place;
use super::role::Role;
use super::secret::commitment;
use super::store::{FileTrouble, LedgerFolder, Lock};
use crate::engine::json::Json;
use crate::engine::submission::Submission;
use crate::engine::{Match, Side, Stop};

/// What is awaited, and from whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The acceptance of the offer.
    Join(Role),
    /// A packet of orders: a decision.
    Packet {
        /// Who signs it.
        who: Role,
        /// Whose packet.
        side: Side,
        /// Which.
        ask: &'static str,
    },
    /// Answers to questions: a decision.
    Answers {
        /// Who signs them.
        who: Role,
        /// Who was asked.
        side: Side,
        /// How many questions.
        questions: usize,
    },
    /// Hidden facts; their owner's program states them by itself.
    Facts(Role),
    /// The answer to a plan; written by the program.
    Call(Role),
    /// A result; written by the program.
    Result(Role),
    /// Consent to a motion, or refusal: a decision.
    Consent(Role),
    /// An audit; written by the program.
    Audit(Role),
    /// Nothing: the game is over.
    Nothing,
}

impl Awaited {
    /// Who has to act.
    pub fn who(&self) -> Option<&Role> {
        match self {
            Awaited::Packet { who, .. } | Awaited::Answers { who, .. } => Some(who),
            Awaited::Join(who)
            | Awaited::Facts(who)
            | Awaited::Call(who)
            | Awaited::Result(who)
            | Awaited::Consent(who)
            | Awaited::Audit(who) => Some(who),
            Awaited::Nothing => None,
        }
    }

    /// Whether a person has to decide something.
    pub fn is_decision(&self) -> bool {
        matches!(self, Awaited::Packet { .. } | Awaited::Answers { .. } | Awaited::Consent(_))
    }
}

impl Ledger {
    /// What is awaited now, and from whom; of several who owe an audit, from this one if he is among them.
    pub fn awaited_of(&self, role: &Role) -> Awaited {
        match self.protocol().due() {
            NextRecord::Audit(owing) if owing.contains(role) => Awaited::Audit(role.clone()),
            _ => self.awaited(),
        }
    }

    /// What is awaited now, and from whom.
    pub fn awaited(&self) -> Awaited {
        let founder = || self.protocol().founder().cloned().unwrap_or_else(Role::solo);
        let signer = |side: Side| {
            let role = side.as_str().parse().ok().filter(|role| self.protocol().signatories().contains_key(role));
            role.unwrap_or_else(founder)
        };
        match (self.protocol().due(), self.replay().stop()) {
            (NextRecord::Genesis, _) => Awaited::Nothing,
            (NextRecord::Join(role), _) => Awaited::Join(role),
            (NextRecord::Call(role), _) => Awaited::Call(role),
            (NextRecord::Result(role), _) => Awaited::Result(role),
            (NextRecord::Answer(role), _) => Awaited::Consent(role),
            (NextRecord::Audit(owing), _) => owing.into_iter().next().map_or(Awaited::Nothing, Awaited::Audit),
            (NextRecord::Speech(_), Stop::Orders { who, ask, .. }) => {
                Awaited::Packet { who: signer(*who), side: *who, ask }
            }
            (NextRecord::Speech(_), Stop::Answers { who, questions }) => {
                Awaited::Answers { who: signer(*who), side: *who, questions: questions.len() }
            }
            (NextRecord::Speech(_), Stop::Facts { who, .. }) => Awaited::Facts(signer(*who)),
            (NextRecord::Speech(_), Stop::End) => Awaited::Nothing,
        }
    }
}

/// What became of records that came in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Received {
    /// New, good, and now part of the ledger.
    pub taken: Vec<Record>,
    /// In the ledger already.
    pub known: Vec<Record>,
    /// Good for later, as far as can be told: something before them is missing.
    pub early: Vec<Record>,
    /// Not taken, and why.
    pub refused: Vec<(Record, Finding)>,
    /// Good, and displaced: another record stands at their place now, without anybody's fault.
    pub late: Vec<Record>,
    /// Values of one's own that are sealed in the ledger and missing in the secrets, by slot and version.
    pub lost: Vec<String>,
}

/// A player's place at the table.
#[cfg_attr(test, derive(Clone))]
pub struct Seat {
    ledger: Ledger,
    key: PrivateKey,
    file: GameFile,
    unfit: Option<Unfit>,
}

/// A player's record that a private game master cannot close, because of what he or another player has sealed: the game goes on
/// without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// The record.
    pub record: Record,
    /// Its openings.
    pub openings: Vec<Reveal>,
    /// What is wrong with it.
    pub finding: Finding,
}

impl Unfit {
    /// Whether its signer is at fault; otherwise it cannot be closed because of what somebody else has sealed.
    pub fn is_his(&self) -> bool {
        self.finding.fault.as_ref() == Some(&self.record.body().by)
    }
}

/// Lays the table a genesis describes.
pub type Lay<'a> = &'a dyn Fn(&Genesis) -> Result<Box<dyn Match>, Finding>;

impl Seat {
    /// Begins a game and sits down as its founder.
    pub fn begin(table: Box<dyn Match>, company: Company, terms: Terms, home: &Home) -> Result<Seat, LedgerTrouble> {
        let key = home.identity()?;
        let (ledger, file) = Ledger::begin(table, company, terms, home)?;
        Ok(Seat { ledger, key, file, unfit: None })
    }

    /// Offers a game of two, to be played as `side`.
    pub fn offer(table: Box<dyn Match>, side: &Role, terms: Terms, home: &Home) -> Result<Seat, LedgerTrouble> {
        let sides = table.ruleset().sides();
        let names: Vec<&str> = sides.iter().map(|side| side.as_str()).collect();
        let other = match sides {
            [one, other] if one.as_str() == side.as_str() => other,
            [other, one] if one.as_str() == side.as_str() => other,
            _ => {
                let what = format!("{side} is no side of this game; its sides are {}", names.join(" and "));
                return Err(LedgerTrouble::NotDue(what));
            }
        };
        let other = other.as_str().parse().map_err(|_| LedgerTrouble::NotDue(format!("{other} cannot be a role")))?;
        Seat::begin(table, Company::Two(side.clone(), other), terms, home)
    }

    /// Begins a game as its master; `players` sign for themselves and join in this order.
    pub fn host(table: Box<dyn Match>, players: Vec<Role>, terms: Terms, home: &Home) -> Result<Seat, LedgerTrouble> {
        Seat::begin(table, Company::Gm(players), terms, home)
    }

    /// The same with sealed values, which only the game master and their owner can read.
    pub fn host_privately(
        table: Box<dyn Match>,
        players: Vec<Role>,
        terms: Terms,
        home: &Home,
    ) -> Result<Seat, LedgerTrouble> {
        Seat::begin(table, Company::PrivateGm(players), terms, home)
    }

    /// What a player under a private game master has to entrust to him: the openings of all he sealed in some records.
    pub fn openings(&self, records: &[Record]) -> Vec<Reveal> {
        let protocol = self.ledger.protocol();
        if !protocol.is_private() || *self.role() == Role::gm() {
            return Vec::new();
        }
        let own = records.iter().filter(|record| record.body().by == *self.role());
        let hides = own.filter_map(|record| Data::read(record.body()).ok()).flat_map(|data| data.hides().to_vec());
        let opening = |hide: super::data::Hide| {
            let (slot, version) = (hide.slot, hide.version);
            let value = self.file.value(&slot, version)?.clone();
            let salt = self.file.secret().hide().salt(&slot, version);
            Some(Reveal { slot, version, salt, value, by: None })
        };
        hides.filter_map(opening).collect()
    }

    /// Takes openings that a player entrusts to this game master, if each fits its commitment.
    pub fn entrust(&mut self, role: &Role, reveals: Vec<Reveal>) -> Result<(), LedgerTrouble> {
        let protocol = self.ledger.protocol();
        let Some(game) = protocol.game().filter(|_| protocol.is_private() && *self.role() == Role::gm()) else {
            return Err(LedgerTrouble::NotDue("openings go to a private game master, and to nobody else".to_owned()));
        };
        let reveals = self.file.unknown(role, reveals);
        if reveals.is_empty() {
            return Ok(());
        }
        for reveal in &reveals {
            let Reveal { slot, version, salt, value, .. } = reveal;
            let made = commitment(&game, role, slot, *version, salt, value);
            let sealed = protocol
                .seals()
                .of_role(role)
                .any(|(other, sealing)| other == slot && sealing.version == *version && sealing.commit == made);
            if !sealed {
                let finding = Finding::new(Code::Reveal, "the opening does not fit its commitment").about(slot);
                return Err(LedgerTrouble::at(protocol.next())(finding.signed_by(role)));
            }
        }
        self.file.entrust(role, reveals)?;
        self.look_again();
        Ok(())
    }

    /// The players whose openings this game master still lacks: without them he cannot close.
    pub fn lacking(&self) -> Vec<Role> {
        let protocol = self.ledger.protocol();
        if !protocol.is_private() || *self.role() != Role::gm() {
            return Vec::new();
        }
        let vision = self.vision();
        let lacks = |role: &&Role| {
            protocol.seals().of_role(role).any(|(slot, sealing)| vision.get(role, slot, sealing.version).is_none())
        };
        protocol.roles().iter().filter(lacks).cloned().collect()
    }

    /// Accepts an offer. `records` is the offer and, with a game master, the acceptances before this one.
    ///
    /// Accepting twice gives the same record.
    pub fn join(records: Vec<Record>, role: Option<&Role>, lay: Lay<'_>, home: &Home) -> Result<Seat, LedgerTrouble> {
        Seat::join_with(records, role, None, lay, home)
    }

    /// The same with a recovery key, whose private half is on paper.
    pub fn join_with(
        records: Vec<Record>,
        role: Option<&Role>,
        recovery: Option<super::bytes::Id>,
        lay: Lay<'_>,
        home: &Home,
    ) -> Result<Seat, LedgerTrouble> {
        let key = home.identity()?;
        let ledger = Ledger::read(records, lay, Vision::public())?;
        let NextRecord::Join(due) = ledger.protocol().due() else {
            return Err(LedgerTrouble::NotDue("this offer is not open any more".to_owned()));
        };
        if let Some(role) = role.filter(|role| **role != due) {
            return Err(LedgerTrouble::NotDue(format!("{due} has to join now, not {role}")));
        }
        if ledger.protocol().signatories().values().any(|seat| seat.key == key.public()) {
            let what = "you cannot play against yourself: the other player signs with the same key. \
                        Use another folder for secrets (GARCIA_HOME) to try two players on one machine";
            return Err(LedgerTrouble::NotDue(what.to_owned()));
        }
        let (Some(game), Some(genesis)) = (ledger.protocol().game(), ledger.protocol().genesis().cloned()) else {
            return Err(LedgerTrouble::NotDue("there is no offer".to_owned()));
        };
        let two = genesis.mode == Mode::TwoPlayer;
        let links = if two { genesis.links } else { 0 };
        let mut file = match home.roles(&game)?.contains(&due) {
            true => home.game(&game, &due)?,
            false => home.begin_game(game, due.clone(), home.fresh_secret()?, links)?,
        };
        let side = ledger.replay().table().ruleset().side(due.as_str());
        let (hide, sealed) = match side.filter(|_| two) {
            Some(side) => ledger.first_standing(side, &file),
            None => (Vec::new(), Vec::new()),
        };
        let anchor = two.then(|| file.secret().chain(&due, links).anchor());
        let data = Data::Join(Join { accept: game, key: key.public(), anchor, recovery, hide });
        let mut ledger = ledger.seen_by(Vision::of(&file));
        // What an interruption kept from the ledger is signed already, perhaps with another recovery key.
        match file.last().filter(|last| last.body().prev == ledger.protocol().head()).cloned() {
            Some(signed) => ledger.append(signed)?,
            None => drop(ledger.sign(&data, &sealed, &mut Pen { key: &key, file: &mut file })?),
        }
        Ok(Seat { ledger, key, file, unfit: None })
    }

    /// Signs a paper.
    pub fn sign_paper(&self, kind: super::paper::Kind) -> Result<super::paper::Paper, LedgerTrouble> {
        let Some(game) = self.ledger.protocol().game() else {
            return Err(LedgerTrouble::NotDue("there is no game".to_owned()));
        };
        Ok(super::paper::Paper::sign(self.role(), game, kind, &self.key))
    }

    /// Sits down at a game that was begun with another version of the rules: nothing is judged before an upgrade.
    pub fn open_asleep(records: Vec<Record>, lay: Lay<'_>, home: &Home) -> Result<Seat, LedgerTrouble> {
        Seat::sit(records, lay, home, true)
    }

    /// Sits down again at a game that is under way. What an interruption kept from the ledger is put there.
    pub fn open(records: Vec<Record>, lay: Lay<'_>, home: &Home) -> Result<Seat, LedgerTrouble> {
        Seat::sit(records, lay, home, false)
    }

    fn sit(records: Vec<Record>, lay: Lay<'_>, home: &Home, asleep: bool) -> Result<Seat, LedgerTrouble> {
        let game = records
            .first()
            .map(Record::id)
            .ok_or_else(|| LedgerTrouble::NotDue("there is no record yet".to_owned()))?;
        let roles = home.roles(&game)?;
        let Some(role) = roles.first() else {
            let what = format!(
                "there are no secrets of this game in {}; name the right folder with `--home DIR` or GARCIA_HOME",
                home.path().display()
            );
            return Err(LedgerTrouble::NotDue(what));
        };
        let (key, file) = (home.identity()?, home.game(&game, role)?);
        let mut ledger = match asleep {
            true => Ledger::read_asleep(records, lay, Vision::of(&file))?,
            false => Ledger::read(records, lay, Vision::of(&file))?,
        };
        if let Some(last) = file.last()
            && last.body().prev == ledger.protocol().head()
        {
            ledger.append(last.clone())?;
        }
        let mut seat = Seat { ledger, key, file, unfit: None };
        seat.turn_chain()?;
        seat.note_older();
        Ok(seat)
    }

    /// A seat made of its parts.
    pub fn of(ledger: Ledger, key: PrivateKey, file: GameFile) -> Seat {
        Seat { ledger, key, file, unfit: None }
    }

    /// The role that signs here.
    pub fn role(&self) -> &Role {
        self.file.role()
    }

    /// The side played here; none for a game master or a solo player.
    pub fn side(&self) -> Option<Side> {
        self.ledger.replay().table().ruleset().side(self.role().as_str())
    }

    /// The ledger.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// What this seat sees of hidden things, for [`super::verify::verify`].
    pub fn vision(&self) -> Vision {
        Vision::of(&self.file)
    }

    /// The player's public key, which the other may compare by telephone.
    pub fn fingerprint(&self) -> super::bytes::Id {
        self.key.public()
    }

    /// The same seat, whose secrets are kept in memory from now on.
    #[cfg(test)]
    pub(super) fn off_disk(self) -> Seat {
        Seat { file: self.file.off_disk(), ..self }
    }

    /// The side for which a decision is due here now: a packet or answers.
    pub fn to_decide(&self) -> Option<Side> {
        let awaited = self.ledger.awaited();
        let mine = awaited.who() == Some(self.role()) || *self.role() == Role::gm();
        match awaited {
            Awaited::Packet { side, .. } | Awaited::Answers { side, .. } if mine => Some(side),
            _ => None,
        }
    }

    /// The side that this game master can go on without: somebody else has to give orders, answers, or a ticket for a secret
    /// roll.
    pub fn silent(&self) -> Option<Side> {
        let awaited = self.ledger.awaited();
        match (*self.role() == Role::gm(), &awaited) {
            (true, Awaited::Facts(who)) if *who != Role::gm() => self.ledger.to_speak(),
            (true, _) => self.to_decide(),
            (false, _) => None,
        }
    }

    /// Takes records that came in, in any order; what cannot be taken is handed back.
    pub fn receive(&mut self, records: Vec<Record>) -> Received {
        let mut records = records;
        records.sort_by_key(|record| record.body().seq);
        let mut received = Received::default();
        let mut before = None;
        for record in records {
            let (seq, next) = (record.body().seq, self.ledger.protocol().next());
            let game = if seq == 0 { Some(record.id()) } else { record.body().game };
            let held = usize::try_from(seq).ok().and_then(|seq| self.ledger.records().get(seq)).cloned();
            if game != self.ledger.protocol().game() {
                received.refused.push((record, Finding::new(Code::Game, "a record of another game")));
            } else if let Some(held) = held {
                self.receive_rival(&held, record, &mut before, &mut received);
            } else if seq > next || seq == next && self.is_on_another_branch(&record) {
                match self.is_signed(&record) {
                    true if seq == next && self.follow(&record, &mut received) => received.taken.push(record),
                    true => received.early.push(record),
                    false => {
                        let what = "came early, and its signature does not fit: damaged or forged";
                        received.refused.push((record, Finding::new(Code::Signature, what)));
                    }
                }
            } else {
                match self.take(&record, &mut received.lost) {
                    Ok(()) => received.taken.push(record),
                    Err(finding) => received.refused.push((record, finding)),
                }
            }
        }
        // Of two results for one place the next record has named one.
        let next = self.ledger.protocol().next();
        let waits = |record: &Record| {
            let seq = record.body().seq;
            seq + 1 >= next || self.is_unsettled(usize::try_from(seq).unwrap_or(usize::MAX))
        };
        let (early, settled) = received.early.into_iter().partition(waits);
        received.early = early;
        received.late.extend::<Vec<Record>>(settled);
        self.note_later(&received.early);
        received
    }

    /// Whether the next record follows another one than the last here: where a game master or a director may displace what a
    /// player signed, that other one may be on its way.
    fn is_on_another_branch(&self, record: &Record) -> bool {
        let protocol = self.ledger.protocol();
        let displaces = protocol.mode() == Mode::Gm || protocol.genesis().is_some_and(|g| g.director.is_some());
        let at = usize::try_from(record.body().seq).unwrap_or(usize::MAX);
        let before = at.checked_sub(1).and_then(|before| self.ledger.records().get(before));
        displaces && before.is_some_and(|before| before.id() != record.body().prev)
    }

    /// Of a director's last result and that of the role itself two audits have named one each: as of all audits for one place,
    /// that of the role which joined first stands, with the result it names.
    fn receive_other_audit(&mut self, held: &Record, record: Record, received: &mut Received) {
        let at = usize::try_from(held.body().seq).unwrap_or(usize::MAX);
        if self.joined(&held.body().by) < self.joined(&record.body().by) {
            received.late.push(record);
            return;
        }
        let named = received.early.iter().position(|other| other.id() == record.body().prev);
        let (Some(named), Ok(before)) = (named, self.ledger.upto(at.saturating_sub(1))) else {
            received.early.push(record);
            return;
        };
        let named = received.early.remove(named);
        let displaced = self.ledger.records().get(at.saturating_sub(1)..).unwrap_or_default().to_vec();
        let old = std::mem::replace(&mut self.ledger, before);
        match self.take(&named, &mut received.lost).and_then(|()| self.take(&record, &mut received.lost)) {
            Ok(()) => {
                received.late.extend(displaced);
                received.taken.extend([named, record]);
            }
            Err(finding) => {
                self.ledger = old;
                received.early.push(named);
                received.refused.push((record, finding));
            }
        }
    }

    /// The place of a role in the order of joining.
    fn joined(&self, role: &Role) -> usize {
        self.ledger.protocol().roles().iter().position(|other| other == role).unwrap_or(usize::MAX)
    }

    /// Whether the record after a place is an audit that another one may displace, with the result it names.
    fn is_unsettled(&self, at: usize) -> bool {
        let after = self.ledger.records().get(at + 1).map(Record::body);
        after.is_some_and(|after| after.kind == RecordKind::Audit && self.joined(&after.by) > 0)
    }

    /// Of two results for the last place, a director's and that of the role itself, the next record names one: that one
    /// stands. Says whether it was set aside here, and the record taken after it.
    fn follow(&mut self, record: &Record, received: &mut Received) -> bool {
        let Some(named) = received.early.iter().position(|other| other.id() == record.body().prev) else {
            return false;
        };
        let named = received.early.remove(named);
        let last = self.ledger.records().len().saturating_sub(1);
        let (Ok(before), Some(other)) = (self.ledger.upto(last), self.ledger.records().last().cloned()) else {
            return false;
        };
        let old = std::mem::replace(&mut self.ledger, before);
        let taken = self.take(&named, &mut received.lost).and_then(|()| self.take(record, &mut received.lost));
        match taken {
            Ok(()) => {
                received.late.push(other);
                received.taken.push(named);
                true
            }
            Err(_) => {
                self.ledger = old;
                received.early.push(named);
                false
            }
        }
    }

    /// Adds the next record; what it seals of one's own has to be in the secrets, and is looked for there.
    fn take(&mut self, record: &Record, lost: &mut Vec<String>) -> Result<(), Finding> {
        if record.body().by == *self.role() && self.is_signed(record) {
            lost.extend(self.recall(record).map_err(|trouble| Finding::new(Code::Bug, trouble.to_string()))?);
        }
        let in_words = |trouble| match trouble {
            LedgerTrouble::Finding { finding, .. } => *finding,
            other => Finding::new(Code::Bug, other.to_string()),
        };
        self.ledger.append(record.clone()).map_err(in_words)?;
        self.turn_chain().map_err(in_words)
    }

    /// A record for a place where another one stands.
    ///
    /// `stood` is the ledger up to the last place that was looked at: several may come for one.
    fn receive_rival(
        &mut self,
        held: &Record,
        record: Record,
        stood: &mut Option<(usize, Ledger)>,
        received: &mut Received,
    ) {
        if held.id() == record.id() {
            received.known.push(record);
            return;
        }
        // What nobody at this table has signed is not worth a look at the game; a newcomer brings his key with him.
        let newcomer = matches!(record.body().kind, RecordKind::Genesis | RecordKind::Join);
        let recovery = self.ledger.protocol().signatories().get(&record.body().by).and_then(|seat| seat.recovery);
        let mut keys = self.ledger.protocol().keys_of(&record.body().by).into_iter().chain(recovery);
        if !newcomer && !keys.any(|key| record.is_signed_by(&key)) {
            let what = "the signature does not fit: damaged or forged";
            received.refused.push((record, Finding::new(Code::Signature, what)));
            return;
        }
        let at = usize::try_from(held.body().seq).unwrap_or(usize::MAX);
        let audits = [held, &record].iter().all(|record| record.body().kind == RecordKind::Audit);
        if audits && held.body().prev != record.body().prev && self.is_on_another_branch(&record) {
            self.receive_other_audit(held, record, received);
            return;
        }
        let before =
            match stood.take().filter(|(place, _)| *place == at).map_or_else(|| self.ledger.upto(at), |(_, l)| Ok(l)) {
                Ok(before) => before,
                Err(trouble) => {
                    received.refused.push((record, Finding::new(Code::Bug, trouble.to_string())));
                    return;
                }
            };
        *stood = Some((at, before.clone()));
        let place = Place { protocol: before.protocol(), rules: Some(before.replay()) };
        if let Err(finding) = place.sound(&record) {
            received.refused.push((record, finding));
            return;
        }
        let (one, other) = (&held.body().by, &record.body().by);
        let mode = self.ledger.protocol().mode();
        let closed = self.ledger.records().get(at + 1).is_some_and(|next| next.body().kind == RecordKind::Result);
        if one == other {
            received.refused.push((record.clone(), place.both_sound(held, &record)));
        } else if *other == Role::director() && (self.ledger.records().len() == at + 1 || self.is_unsettled(at)) {
            // Of a director's result and that of the role itself the next record names one; until then it waits.
            received.early.push(record);
        } else if *one == Role::director() && self.is_unsettled(at) {
            received.early.push(record);
        } else if *other == Role::director() || *one == Role::director() && self.ledger.records().len() > at + 1 {
            received.late.push(record);
        } else if mode == Mode::Gm && *other == Role::gm() && closed {
            let what = "the game master has closed a player's record and signed another one for its place";
            received.refused.push((record, Finding::new(Code::Kind, what).signed_by(&Role::gm())));
        } else if mode == Mode::Gm && *one == Role::gm() && held.body().kind != RecordKind::Audit {
            // The game master has the pen: what he signed for the place stands, and this came too late.
            received.late.push(record);
        } else if place.whose(&[held, &record], |_| false).as_ref() == Some(other) {
            let displaced = self.ledger.records().get(at..).unwrap_or_default().to_vec();
            let old = std::mem::replace(&mut self.ledger, before);
            match self.take(&record, &mut received.lost) {
                Ok(()) => {
                    match *one == Role::director() {
                        true => received.early.extend(displaced),
                        false => received.late.extend(displaced),
                    }
                    received.taken.push(record);
                }
                Err(finding) => {
                    self.ledger = old;
                    received.refused.push((record, finding));
                }
            }
        } else if [held, &record].iter().all(|record| record.body().kind == RecordKind::Audit) {
            // Audits come in any order: whoever yields signs his again for the next place.
            received.late.push(record);
        } else {
            received.refused.push((record.clone(), place.both_sound(held, &record)));
        }
    }

    /// Whether the role that a record names has signed it.
    fn is_signed(&self, record: &Record) -> bool {
        let seat = self.ledger.protocol().signatories().get(&record.body().by);
        seat.is_some_and(|seat| record.is_signed_by(&seat.key))
    }

    /// Notes later records of the match that are known: nothing else is signed for a place before them.
    pub fn note_later(&mut self, early: &[Record]) {
        let game = self.ledger.protocol().game();
        let ours = early.iter().filter(|record| record.body().game == game && self.is_signed(record));
        let later = ours.map(|record| (record.body().seq, record.body().prev)).collect();
        self.file.note_later(later);
    }

    /// The place of a record that is missing, while a later one is known.
    pub fn missing(&self) -> Option<u32> {
        let next = self.ledger.protocol().next();
        self.file.is_missing(next, &self.ledger.protocol().head()).then_some(next)
    }

    /// One of one's own records came back, to secrets that may be older. What it sealed is tried against its
    /// commitments; what cannot be found again is named.
    fn recall(&mut self, record: &Record) -> Result<Vec<String>, FileTrouble> {
        let (mut found, mut lost) = (Vec::new(), Vec::new());
        let hides = Data::read(record.body()).map(|data| data.hides().to_vec()).unwrap_or_default();
        let policy = |policy: &str| Json::object([("policy", policy)]);
        let usual = [policy("default"), policy("ask"), Json::map()];
        for hide in hides {
            let (slot, version) = (&hide.slot, hide.version);
            let salt = self.file.secret().hide().salt(slot, version);
            let (game, role) = (self.file.game(), self.file.role());
            let fits = |value: &&Json| commitment(&game, role, slot, version, &salt, value) == hide.commit;
            if self.file.value(slot, version).is_some_and(|value| fits(&value)) {
                continue;
            }
            let mut tried = usual.iter().chain(self.file.values().values());
            match tried.find(fits) {
                Some(value) => found.push((hide.slot.clone(), version, value.clone())),
                None => lost.push(format!("{slot}/{version}")),
            }
        }
        self.file.recall(record, found)?;
        self.look_again();
        Ok(lost)
    }

    /// Writes everything that is due from here and needs no decision: results, calls, facts, the audit.
    pub fn advance(&mut self) -> Result<Vec<Record>, LedgerTrouble> {
        let mut made = Vec::new();
        loop {
            let awaited = self.ledger.awaited_of(self.role());
            if awaited.who() != Some(self.role()) || !self.lacking().is_empty() || !self.holds_the_seat() {
                return Ok(made);
            }
            let pen = &mut Pen { key: &self.key, file: &mut self.file };
            let written = match awaited {
                Awaited::Result(_) => self.ledger.close(pen),
                Awaited::Call(_) => self.ledger.call(pen),
                Awaited::Facts(_) => self.ledger.state_facts(pen),
                Awaited::Audit(_) => self.ledger.audit(pen),
                _ => return Ok(made),
            };
            match written {
                Ok(record) => made.push(record),
                Err(LedgerTrouble::Finding { finding, .. }) if self.is_unfit(&finding) => {
                    self.unfit = self.set_aside(*finding)?;
                    return Ok(made);
                }
                // It was signed before and has to come back.
                Err(LedgerTrouble::NotSigned(NotSigned::Missing(_))) => return Ok(made),
                Err(trouble) => return Err(trouble),
            }
        }
    }

    /// Whether a private game master cannot close because of what a player has sealed. What he signed himself stands.
    fn is_unfit(&self, finding: &Finding) -> bool {
        let private = self.ledger.protocol().is_private() && *self.role() == Role::gm();
        let own = self.ledger.records().last().is_some_and(|last| last.body().by == *self.role());
        private && !own && finding.fault.as_ref().is_some_and(|fault| *fault != Role::gm())
    }

    /// Takes the orders out of the ledger that cannot be closed.
    fn set_aside(&mut self, finding: Finding) -> Result<Option<Unfit>, LedgerTrouble> {
        let Some(record) = self.ledger.records().last().cloned() else { return Ok(None) };
        let by = record.body().by.clone();
        let sealed = Data::read(record.body()).map(|data| data.hides().to_vec()).unwrap_or_default();
        let of_record = |(role, reveal): &&(Role, Reveal)| {
            *role == by && sealed.iter().any(|hide| hide.slot == reveal.slot && hide.version == reveal.version)
        };
        let openings = self.file.entrusted().iter().filter(of_record).map(|(_, reveal)| reveal.clone()).collect();
        self.ledger = self.ledger.upto(self.ledger.records().len() - 1)?;
        Ok(Some(Unfit { record, openings, finding }))
    }

    /// What was set aside because it breaks the rules, once.
    pub fn take_unfit(&mut self) -> Option<Unfit> {
        self.unfit.take()
    }

    /// Game master: sets aside orders whose openings never came, so that the game can go on without their player.
    pub fn give_up_waiting(&mut self) -> Result<Option<Record>, LedgerTrouble> {
        let waits = matches!(self.ledger.awaited(), Awaited::Result(_)) && !self.lacking().is_empty();
        let last = self.ledger.records().last().filter(|record| waits && record.body().by != Role::gm()).cloned();
        if last.is_some() {
            self.ledger = self.ledger.upto(self.ledger.records().len() - 1)?;
        }
        Ok(last)
    }

    /// Nothing is signed with a key that the ledger does not know.
    pub fn check_seat(&self) -> Result<(), LedgerTrouble> {
        match self.holds_the_seat() {
            true => Ok(()),
            false => Err(LedgerTrouble::Refused(format!(
                "your key is not the one the ledger knows for {}: nobody would take what it signs. \
                 `garcia motion rekey` gives the seat a new key",
                self.role()
            ))),
        }
    }

    /// Looks at the ledger with what the secrets hold now.
    pub(super) fn look_again(&mut self) {
        let vision = self.vision();
        self.ledger = self.ledger.clone().seen_by(vision);
    }

    pub(super) fn file(&self) -> &GameFile {
        &self.file
    }

    /// The ledger, and what is needed to sign in it.
    pub(super) fn with_pen(&mut self) -> (&mut Ledger, Pen<'_>) {
        (&mut self.ledger, Pen { key: &self.key, file: &mut self.file })
    }

    /// Signs a checked order file: a packet or answers.
    pub fn send(&mut self, submission: &Submission) -> Result<Record, LedgerTrouble> {
        self.enter(submission, None)
    }

    /// The same where a game master enters a plain file with this SHA-256.
    pub fn enter(&mut self, submission: &Submission, file: Option<super::bytes::Id>) -> Result<Record, LedgerTrouble> {
        self.check_seat()?;
        self.ledger.submit_file(submission, file, &mut Pen { key: &self.key, file: &mut self.file })
    }

    /// Game master: goes on without the orders or answers of a player who sent none.
    pub fn no_moves(&mut self) -> Result<Record, LedgerTrouble> {
        self.ledger.no_moves(&mut Pen { key: &self.key, file: &mut self.file })
    }

    /// The records a mail has to carry, now or once more: those signed here since the other last spoke, in order.
    ///
    /// A game master passes on what the others said since his last record; before the first result, everything.
    pub fn outgoing(&self) -> &[Record] {
        let records = self.ledger.records();
        let own = |record: &&Record| record.body().by == *self.role();
        let mut count = records.iter().rev().take_while(own).count();
        if *self.role() == Role::gm() {
            let begun = records.iter().any(|record| record.body().kind == RecordKind::Result);
            count = match begun {
                true => count + records.iter().rev().skip(count).take_while(|record| !own(record)).count(),
                false => records.len(),
            };
        }
        &records[records.len() - count..]
    }

    /// Writes the ledger's records from a place on into a folder; those that are there are left alone.
    pub fn save(&self, from: usize, folder: &LedgerFolder, held: &Lock) -> Result<(), FileTrouble> {
        for record in self.ledger.records().iter().skip(from) {
            folder.add(record, held)?;
        }
        Ok(())
    }
}
