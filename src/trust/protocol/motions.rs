//! Motions as far as no rules are needed: who may move, who answers, and what a motion in force changes.

use super::take::{Check, fault};
use super::{NextRecord, Pending, Protocol, Signatory};
use crate::engine::json::Json;
use crate::trust::bytes::Id;
use crate::trust::data::{Audit, Hide, Mode, StopSaid};
use crate::trust::finding::{Code, Finding};
use crate::trust::key;
use crate::trust::motion::{Answered, Motion, Outcome, Rekey, What, rekey_proof};
use crate::trust::paper::{Kind, Paper};
use crate::trust::record::{Body, Record, RecordKind};
use crate::trust::role::Role;
use crate::trust::seals::is_in_state;
use crate::trust::secret::HideSecret;

/// A place where a span has ended and another may begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The record that led there.
    pub seq: u32,
    state: Option<Id>,
    stop: Option<StopSaid>,
}

/// What became of a motion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The record that settled it: the answer, or the motion itself where nobody is asked.
    pub seq: u32,
    /// Who signed that.
    pub by: Role,
    /// Whether it is in force.
    pub accepted: bool,
}

/// A motion in the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Its record.
    pub seq: u32,
    /// The id of the record.
    pub id: Id,
    /// Who moved it.
    pub by: Role,
    /// What was moved.
    pub motion: Motion,
    /// Who has to answer; nobody if it acts by itself.
    pub asked: Option<Role>,
    /// What became of it.
    pub reply: Option<Reply>,
    /// The records it made void.
    pub voided: Option<(u32, u32)>,
    /// Whose the debt was that fell with it.
    pub debt: Option<(Role, &'static str)>,
    /// The key that the role had before it got a new one.
    pub old_key: Option<Id>,
}

impl Moved {
    /// Whether it acts.
    pub fn in_force(&self) -> bool {
        self.reply.as_ref().is_some_and(|reply| reply.accepted)
    }
}

/// Where a role began a new chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Era {
    /// The record.
    pub seq: u32,
    /// Whether everything before it was lost.
    pub lost: bool,
}

/// The secrets behind a role's salts, chain by chain.
pub struct Secrets {
    /// Where each began, the last first.
    eras: Vec<(u32, HideSecret)>,
}

impl Secrets {
    /// The one that counted for a record; none for what was lost.
    pub fn of(&self, seq: u32) -> Option<&HideSecret> {
        self.eras.iter().find(|(from, _)| *from <= seq).map(|(_, secret)| secret)
    }
}

impl Protocol {
    /// Every motion so far.
    pub fn moved(&self) -> &[Moved] {
        &self.moved
    }

    /// The motion that waits for its answer.
    pub fn on_the_table(&self) -> Option<&Moved> {
        self.table.and_then(|at| self.moved.get(at))
    }

    /// The motion that a record put in force, if it did.
    pub fn put_in_force(&self, seq: u32) -> Option<&Moved> {
        self.moved.iter().rev().find(|moved| moved.reply.as_ref().is_some_and(|r| r.seq == seq && r.accepted))
    }

    /// Where one may go back to.
    pub fn edges(&self) -> impl Iterator<Item = u32> {
        self.edges.iter().map(|edge| edge.seq).filter(|seq| *seq >= self.floor)
    }

    /// Whether a span has ended and the game has not, and nothing is on the table.
    pub fn at_edge(&self) -> bool {
        self.span_is_over() && self.table.is_none() && matches!(self.due(), NextRecord::Speech(_))
    }

    /// Version of the rules and digest of the data in force.
    pub fn engine(&self) -> Option<(&str, Id)> {
        match (&self.upgraded, &self.genesis) {
            (Some((engine, rules)), _) => Some((engine, *rules)),
            (None, Some(genesis)) => Some((&genesis.engine, genesis.rules_sha256)),
            (None, None) => None,
        }
    }

    /// How the game was ended by agreement.
    pub fn outcome(&self) -> Option<(&Moved, &Outcome)> {
        self.moved.iter().rev().filter(|moved| moved.in_force()).find_map(|moved| match &moved.motion.what {
            What::End(outcome) => Some((moved, outcome)),
            _ => None,
        })
    }

    /// How many secret rolls of a role were taken back, or would be with everything after a record.
    pub fn void_rolls(&self, role: &Role, back_to: Option<u32>) -> usize {
        let voided: Vec<(u32, u32)> = self.moved.iter().filter_map(|moved| moved.voided).collect();
        let is_void = |seq: u32| {
            back_to.is_some_and(|back_to| seq > back_to)
                || voided.iter().any(|(from, upto)| (*from..=*upto).contains(&seq))
        };
        self.secret_rolls.iter().filter(|roll| roll.by == *role && is_void(roll.seq)).count()
    }

    /// Every key a role has had, the one in force first.
    pub fn keys_of(&self, role: &Role) -> Vec<Id> {
        let now = self.signatories.get(role).map(|seat| seat.key);
        let rekeyed = self.moved.iter().rev().filter(|moved| moved.in_force());
        let of_role = rekeyed.filter(|moved| matches!(&moved.motion.what, What::Rekey(rekey) if rekey.role == *role));
        now.into_iter().chain(of_role.filter_map(|moved| moved.old_key)).collect()
    }

    /// Where a role began a new chain.
    pub fn eras(&self, role: &Role) -> &[Era] {
        self.eras.get(role).map_or(&[], Vec::as_slice)
    }

    /// Every key has one place in the ledger.
    pub(super) fn new_key(&mut self, by: &Role, key: &Id) -> Check {
        match self.keys.insert(*key) {
            true => Ok(()),
            false => Err(fault(Code::Kind, by, "key or anchor copied from another player")),
        }
    }

    /// Notes that one may go back to the record just taken.
    pub(super) fn note_edge(&mut self, body: &Body) {
        let joined = matches!(body.kind, RecordKind::Genesis | RecordKind::Join);
        let put = body.kind == RecordKind::Result || joined || self.put_in_force(body.seq).is_some();
        if put && self.at_edge() {
            self.edges.push(Edge { seq: body.seq, state: self.state, stop: self.stop.clone() });
        }
    }

    /// Whether a record is a new key for a role, signed with that role's recovery key.
    pub(super) fn is_recovering(&self, record: &Record) -> bool {
        let body = record.body();
        let text = |name: &str| body.data.get(name).and_then(Json::as_str);
        let rekeys = body.kind == RecordKind::Motion && text("what") == Some("rekey");
        let own = text("role") == Some(body.by.as_str());
        let recovery = self.signatories.get(&body.by).and_then(|seat| seat.recovery);
        rekeys && own && recovery.is_some_and(|key| record.is_signed_by(&key))
    }

    /// Whether a record would replace the recovery key of its own signer.
    pub(super) fn changes_recovery(&self, body: &Body) -> bool {
        let rekeys = body.kind == RecordKind::Motion && body.data.get("what").and_then(Json::as_str) == Some("rekey");
        let has = self.signatories.get(&body.by).is_some_and(|seat| seat.recovery.is_some());
        rekeys && has && body.data.get("recovery").is_some() && self.owner_of(body) == body.by
    }

    /// Whether a director signs for a role; whether he may is looked at with the record.
    pub(super) fn stands_in(&self, body: &Body, role: &Role) -> bool {
        let named = body.data.get("for").and_then(Json::as_str) == Some(role.as_str());
        body.by == Role::director() && named && self.signatories.contains_key(&body.by)
    }

    /// Whether a record is due from a role.
    pub fn is_due(&self, role: &Role) -> bool {
        match self.due() {
            NextRecord::Genesis | NextRecord::Join(_) => false,
            NextRecord::Speech(None) => self.joined.contains(role),
            NextRecord::Speech(Some(who)) => {
                // A game master has the pen wherever a player is due, and speaks for sides without a key.
                who == *role || self.mode() != Mode::TwoPlayer && self.founder.as_ref() == Some(role)
            }
            NextRecord::Call(who) | NextRecord::Result(who) | NextRecord::Answer(who) => who == *role,
            NextRecord::Audit(owing) => owing.contains(role),
        }
    }

    /// Whether a role may move here; for the rest of it the motion has to be read.
    pub(super) fn may_move(&self, body: &Body) -> bool {
        let text = |name: &str| body.data.get(name).and_then(Json::as_str);
        let lost = body.data.get("lost") == Some(&Json::Bool(true));
        let by = &body.by;
        if lost && self.table.is_some() {
            return false;
        }
        if text("what") == Some("rekey") {
            let Some(role) = text("role").and_then(|role| role.parse::<Role>().ok()) else { return true };
            let vouched = *by == Role::gm() && self.mode() == Mode::Gm && role != *by || self.stands_in(body, &role);
            return self.is_due(&role) && (*by == role || vouched);
        }
        if lost {
            return self.is_due(by);
        }
        let moves = match self.mode() {
            Mode::TwoPlayer => self.is_due(by),
            Mode::Gm | Mode::Solo => self.founder.as_ref() == Some(by),
        };
        moves && self.at_edge()
    }

    /// Who has to answer a motion; nobody if it acts by itself.
    fn asked(&self, by: &Role, motion: &Motion) -> Result<Option<Role>, Finding> {
        let whose = match &motion.what {
            What::Rekey(rekey) => &rekey.role,
            _ => by,
        };
        let other = || match self.mode() {
            Mode::TwoPlayer => self.other(whose).cloned(),
            // Of a player the game master, who has consented if he signs it; of him the player who waits.
            Mode::Gm if *whose != Role::gm() => (*by != Role::gm()).then(Role::gm),
            Mode::Gm => {
                let waits = self.span.as_ref().filter(|_| !self.span_is_over()).map(|span| span.side.clone());
                waits.filter(|side| self.joined.contains(side))
            }
            Mode::Solo => None,
        };
        if motion.to.is_some() {
            let known = self.signatories.contains_key(&Role::director());
            return match known {
                true => Ok(motion.to.clone()),
                false => Err(fault(Code::Schema, by, "this game has no director")),
            };
        }
        Ok(match &motion.what {
            _ if motion.is_lost() => other(),
            What::Reanchor { .. } | What::Rekey(_) | What::End(Outcome::Resigns(_)) => None,
            _ if self.mode() != Mode::TwoPlayer => None,
            _ => other(),
        })
    }

    pub(super) fn take_motion(&mut self, body: &Body, id: Id, motion: &Motion) -> Check {
        let by = &body.by;
        let asked = self.asked(by, motion)?;
        if let Some(asked) = &asked
            && self.refused.contains(&(by.clone(), asked.clone()))
        {
            let what = format!("{asked} has declined a motion; nothing more is asked of him until a span has ended");
            return Err(fault(Code::Kind, by, what));
        }
        self.check_motion(body, motion)?;
        let new_era = self.begins_era(motion);
        self.check_hidden(body, &motion.hide)?;
        self.seal(body, &motion.hide, true)?;
        self.open(body, &motion.reveals)?;
        let old_key = match &motion.what {
            What::Rekey(rekey) => self.signatories.get(&rekey.role).map(|seat| seat.key),
            _ => None,
        };
        let debt = self.owed().filter(|_| motion.is_lost());
        let (by, motion) = (by.clone(), motion.clone());
        self.moved.push(Moved {
            seq: body.seq,
            id,
            by,
            motion,
            asked: asked.clone(),
            reply: None,
            voided: None,
            debt,
            old_key,
        });
        let number = self.moved.len() - 1;
        match asked {
            Some(_) => self.table = Some(number),
            None => self.settle(number, Reply { seq: body.seq, by: body.by.clone(), accepted: true }, new_era),
        }
        Ok(())
    }

    /// Whether a motion gives its role new secrets.
    fn begins_era(&self, motion: &Motion) -> Option<Role> {
        match &motion.what {
            What::Reanchor { .. } => None,
            What::Rekey(rekey) if rekey.anchor.is_some() || !motion.hide.is_empty() || rekey.lost => {
                Some(rekey.role.clone())
            }
            _ => None,
        }
    }

    /// What each kind of motion has to be, without the rules.
    fn check_motion(&self, body: &Body, motion: &Motion) -> Check {
        let by = &body.by;
        let wrong = |what: &str| Err(fault(Code::Schema, by, what));
        match &motion.what {
            What::Void { back_to } => {
                let last = self.edges.last().map(|edge| edge.seq);
                if Some(*back_to) == last {
                    return wrong("goes back to where the game stands");
                }
                if !self.edges().any(|seq| seq == *back_to) {
                    let what =
                        "no span ended there, or it is void itself, or an upgrade, a new key or a loss came after";
                    return Err(fault(Code::Schema, by, what).about(format!("back_to {back_to}")));
                }
                Ok(())
            }
            What::Ruling(ruling) if ruling.about >= body.seq => wrong("is about a record that is not there yet"),
            What::Ruling(_) | What::End(_) => Ok(()),
            What::Upgrade(upgrade) => {
                if !upgrade.kept.is_empty() && self.seals_values() {
                    return wrong("what lies face down is sealed in this game; it cannot stand in the clear");
                }
                let hash = Id::hash("state", &[&upgrade.position.to_string()]);
                match self.state {
                    Some(state) if state != hash => {
                        Err(fault(Code::Schema, by, "`position` is not the one in force").not(hash, state))
                    }
                    _ => Ok(()),
                }
            }
            What::Reanchor { anchor, .. } => {
                if self.signatories.get(by).and_then(|seat| seat.tip).is_none() {
                    return wrong("has no chain that could begin anew");
                }
                self.check_anchor(by, Some(anchor))
            }
            What::Rekey(rekey) => self.check_rekey(body, motion, rekey),
        }
    }

    fn check_anchor(&self, by: &Role, anchor: Option<&Id>) -> Check {
        match anchor.is_some_and(|anchor| self.published.contains(anchor)) {
            true => Err(fault(Code::Schema, by, "the anchor is an anchor or a link of this ledger")),
            false => Ok(()),
        }
    }

    fn check_rekey(&self, body: &Body, motion: &Motion, rekey: &Rekey) -> Check {
        let (by, Some(game)) = (&body.by, self.game) else { return Ok(()) };
        let wrong = |what: &str| Err(fault(Code::Schema, by, what));
        let Some(seat) = self.signatories.get(&rekey.role).filter(|_| self.joined.contains(&rekey.role)) else {
            return wrong("is the key of nobody who plays");
        };
        if [Some(rekey.key), rekey.recovery].iter().flatten().any(|key| self.keys.contains(key))
            || rekey.recovery == Some(rekey.key)
        {
            return Err(fault(Code::Kind, by, "key or anchor copied from another player"));
        }
        if *by != rekey.role && rekey.recovery.is_some() && seat.recovery.is_some() {
            return wrong("`recovery` changes under its own signature only");
        }
        let signed = rekey_proof(&game, &rekey.role, &rekey.key, &body.prev);
        if !key::verify(&rekey.key, &signed, &rekey.proof) {
            return wrong("the new key has not signed for itself");
        }
        match &rekey.called {
            Some(called) if *by == Role::director() && called.role == rekey.role => {
                self.check_called(body, &called.role, Some(&called.notice), "rekey")?;
            }
            None if *by != Role::director() => {}
            _ => return wrong("`for` and `notice` are a director's, and he shows them"),
        }
        // With a span in hand the chain that stood before it closes it, and what was sealed stays sealed.
        let edge = self.at_edge() || rekey.lost;
        if edge && rekey.anchor.is_some() != seat.tip.is_some() {
            return wrong("where a span has ended, a new key comes with a new chain, if its role has one");
        }
        if !edge && (rekey.anchor.is_some() || !motion.hide.is_empty()) {
            return wrong("inside a span a new key comes alone: the chain that stood before it has to close it");
        }
        self.check_anchor(by, rekey.anchor.as_ref())
    }

    /// A motion hides anew what is there, and nothing else.
    fn check_hidden(&self, body: &Body, hides: &[Hide]) -> Check {
        let by = self.owner_of(body);
        for hide in hides {
            let slot = &hide.slot;
            let wrong = |what: &str| Err(fault(Code::Schema, &body.by, what).about(slot));
            if is_in_state(slot) && self.seals.next_version(&by, slot) == 1 {
                return wrong("is new; a motion only hides again what was there");
            }
            let number = slot.as_str().strip_prefix("ticket/").and_then(|number| number.parse::<u32>().ok());
            if number.is_some_and(|number| number <= self.spent.get(&by).copied().unwrap_or(0)) {
                return wrong("is a ticket that was spent");
            }
        }
        Ok(())
    }

    /// Whose commitments a record makes: those of the role that gets a new key are made by its new holder.
    pub fn owner_of(&self, body: &Body) -> Role {
        let rekeys = body.kind == RecordKind::Motion && body.data.get("what").and_then(Json::as_str) == Some("rekey");
        let role = body.data.get("role").and_then(Json::as_str).filter(|_| rekeys);
        role.and_then(|role| role.parse().ok()).unwrap_or_else(|| body.by.clone())
    }

    pub(super) fn take_answer(&mut self, body: &Body, answer: &Answered, accepts: bool) -> Check {
        let by = &body.by;
        let Some(number) = self.table else { return Ok(()) };
        let Some(moved) = self.on_the_table().cloned() else { return Ok(()) };
        if answer.motion != moved.id {
            return Err(fault(Code::Kind, by, "answers another motion than the one on the table"));
        }
        if let Some(role) = &answer.role {
            self.check_called(body, role, answer.notice.as_ref(), "answer")?;
        }
        if !answer.hide.is_empty() && !matches!(moved.motion.what, What::Void { .. }) {
            return Err(fault(Code::Schema, by, "only who accepts a takeback hides anew"));
        }
        self.check_hidden(body, &answer.hide)?;
        self.table = None;
        self.seal(body, &answer.hide, true)?;
        let era = self.begins_era(&moved.motion);
        self.settle(number, Reply { seq: body.seq, by: by.clone(), accepted: accepts }, era);
        Ok(())
    }

    /// A motion acts, or is refused.
    fn settle(&mut self, number: usize, reply: Reply, era: Option<Role>) {
        let Some(moved) = self.moved.get(number).cloned() else { return };
        let (seq, accepted) = (reply.seq, reply.accepted);
        if let Some(moved) = self.moved.get_mut(number) {
            moved.reply = Some(reply.clone());
        }
        if !accepted {
            self.refused.insert((moved.by.clone(), moved.asked.clone().unwrap_or(reply.by)));
            self.seals.drop_record(moved.seq);
            return;
        }
        let owner = match &moved.motion.what {
            What::Rekey(rekey) => rekey.role.clone(),
            _ => moved.by.clone(),
        };
        if moved.motion.is_lost() {
            // The span in hand is void; older seals are not audited any more. After the end none is in hand.
            if !self.is_over() {
                let from = self.edges.last().map_or(0, |edge| edge.seq);
                self.go_back(number, from, moved.seq);
            }
            self.floor = seq;
        }
        if let Some(role) = era {
            self.eras.entry(role).or_default().push(Era { seq: moved.seq, lost: moved.motion.is_lost() });
        }
        match &moved.motion.what {
            What::Void { back_to } => self.go_back(number, *back_to, moved.seq),
            What::Ruling(ruling) => self.state = Some(ruling.state),
            What::Upgrade(upgrade) => {
                self.state = Some(upgrade.state);
                self.upgraded = Some((upgrade.engine.clone(), upgrade.rules_sha256));
                self.floor = seq;
            }
            What::Reanchor { anchor, lost } => {
                self.eras.entry(owner.clone()).or_default().push(Era { seq: moved.seq, lost: *lost });
                self.anchor(&owner, *anchor);
            }
            What::Rekey(rekey) => {
                self.keys.insert(rekey.key);
                self.keys.extend(rekey.recovery);
                if let Some(seat) = self.signatories.get_mut(&owner) {
                    seat.key = rekey.key;
                    seat.recovery = rekey.recovery.or(seat.recovery);
                }
                if let Some(anchor) = rekey.anchor {
                    self.anchor(&owner, anchor);
                }
                self.floor = seq;
            }
            What::End(_) => {
                let end =
                    StopSaid { who: None, ask: "end".to_owned(), questions: vec![], slots: vec![], claims: vec![] };
                self.stop = Some(end);
            }
        }
    }

    fn anchor(&mut self, role: &Role, anchor: Id) {
        self.published.insert(anchor);
        if let Some(Signatory { tip, used, .. }) = self.signatories.get_mut(role) {
            (*tip, *used) = (Some(anchor), 0);
        }
    }

    /// Position and stop return; links, tickets, numbers of versions and openings stay as they are.
    fn go_back(&mut self, number: usize, back_to: u32, motion: u32) {
        let Some(edge) = self.edges.iter().find(|edge| edge.seq == back_to).cloned() else { return };
        self.edges.retain(|edge| edge.seq <= back_to);
        (self.state, self.stop, self.pending, self.span) = (edge.state, edge.stop, Pending::Nothing, None);
        let last = motion.saturating_sub(1);
        self.seals.void(back_to + 1, last);
        if let Some(moved) = self.moved.get_mut(number) {
            moved.voided = (back_to < last).then_some((back_to + 1, last));
        }
    }

    /// A director signs for a role that owes, and shows the notice of the one who waits.
    pub(super) fn check_called(&self, body: &Body, role: &Role, notice: Option<&Json>, what: &str) -> Check {
        let wrong = |what: &str| Err(fault(Code::Schema, &body.by, what));
        if body.by != Role::director() {
            return wrong("`for` is a director's; nobody else signs for another");
        }
        let Some(paper) = notice.and_then(|notice| Paper::from_json(notice).ok()) else {
            return wrong("the notice of the one who waits is missing, or is none");
        };
        let Kind::Notice { record, owes, .. } = &paper.kind else {
            return wrong("the notice of the one who waits is missing, or is none");
        };
        let waits = self.joined.contains(&paper.by) && paper.by != *role;
        let fits = Some(paper.game) == self.game && *record == self.head() && owes == role && waits;
        let signed = self.signatories.get(&paper.by).is_some_and(|seat| paper.is_signed_by(&seat.key));
        match fits && signed {
            true => Ok(()),
            false => wrong(&format!(
                "the notice does not call for this {what}: it is not of the one who waits, or for another record"
            )),
        }
    }

    /// The secrets that an audit gives, one for each chain of the role.
    pub(super) fn audit_secrets(&self, by: &Role, audit: &Audit) -> Result<Secrets, Finding> {
        let eras = self.eras(by);
        let kept = eras.iter().rposition(|era| era.lost).map_or(eras, |lost| eras.get(lost..).unwrap_or_default());
        // Before the first new chain, the one the role came with; unless that was lost.
        let mut from: Vec<u32> = kept.iter().map(|era| era.seq).collect();
        if !eras.iter().any(|era| era.lost) {
            from.insert(0, 0);
        }
        if audit.earlier.len() + 1 != from.len() {
            let what = format!("the audit opens every chain: {} earlier secrets are due", from.len() - 1);
            return Err(fault(Code::Withheld, by, what).not(audit.earlier.len(), from.len() - 1));
        }
        let secrets = audit.earlier.iter().chain([&audit.hide_secret]).map(|secret| HideSecret(*secret));
        let mut eras: Vec<(u32, HideSecret)> = from.into_iter().zip(secrets).collect();
        eras.reverse();
        Ok(Secrets { eras })
    }
}
