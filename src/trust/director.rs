//! The director: a third person who holds deposits and can finish a game for somebody who fell silent.
//!
//! He never gives orders or calls, whose nonce he could choose. Without a deposit he can close nothing: dice without the
//! link are never a way out.

use super::bytes::Id;
use super::chain;
use super::data::{Data, Genesis, Reveal};
use super::finding::{Code, Finding};
use super::home::Home;
use super::ledger::{Ledger, LedgerTrouble};
use super::motion::Answered;
use super::paper::Kind;
use super::protocol::NextRecord;
use super::record::Record;
use super::replay::Vision;
use super::role::Role;
use super::seat::{Lay, Seat};
use super::secret::commitment;
use crate::engine::json::Json;

/// How many links further a deposit reaches than the last one that was opened.
pub const AHEAD: u32 = 4;

/// What a player leaves with the director.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deposit {
    /// The game.
    pub game: Id,
    /// Whose.
    pub role: Role,
    /// Up to which link of the chain in force.
    pub index: u32,
    /// That link, from which those before it follow and none after it.
    pub link: Id,
    /// The openings of what is sealed.
    pub reveals: Vec<Reveal>,
}

impl Deposit {
    /// As it is written.
    pub fn to_json(&self) -> Json {
        Json::object([
            ("game", Json::from(self.game.to_string())),
            ("role", Json::from(self.role.as_str())),
            ("index", Json::from(self.index)),
            ("link", Json::from(self.link.to_string())),
            ("reveals", Json::List(self.reveals.iter().map(Reveal::to_json).collect())),
        ])
    }

    /// Reads one.
    pub fn read(bytes: &[u8]) -> Option<Deposit> {
        let json = Json::parse_canonical(bytes).ok()?;
        let text = |name: &str| json.get(name).and_then(Json::as_str);
        let reveals: Option<Vec<Reveal>> = json.get("reveals")?.as_list()?.iter().map(Reveal::from_json).collect();
        Some(Deposit {
            game: text("game")?.parse().ok()?,
            role: text("role")?.parse().ok()?,
            index: json.get("index")?.as_int().and_then(|n| u32::try_from(n).ok())?,
            link: text("link")?.parse().ok()?,
            reveals: reveals?,
        })
    }
}

/// Link `index` of a chain, from a later one.
fn below(role: &Role, (from, link): (u32, Id), index: u32) -> Option<Id> {
    (index <= from).then(|| (index + 1..=from).rev().fold(link, |link, at| chain::before(role, at, &link)))
}

impl Seat {
    /// Sits down as director: the key of this home is the one the genesis names.
    pub fn direct(records: Vec<Record>, lay: Lay<'_>, home: &Home) -> Result<Seat, LedgerTrouble> {
        let ledger = Ledger::read(records.clone(), lay, Vision::public())?;
        let named = ledger.protocol().genesis().and_then(|genesis: &Genesis| genesis.director);
        let Some(game) =
            ledger.protocol().game().filter(|_| named == Some(home.identity().map_or(Id::ZERO, |k| k.public())))
        else {
            let what = "the first record names no director, or one with another key than yours";
            return Err(LedgerTrouble::NotDue(what.to_owned()));
        };
        if home.roles(&game)?.is_empty() {
            home.begin_game(game, Role::director(), home.fresh_secret()?, 0)?;
        }
        Seat::open(records, lay, home)
    }

    /// What goes to the director with every mail; nothing in a game without one, or that is over.
    pub fn deposit(&self) -> Option<Deposit> {
        let protocol = self.ledger().protocol();
        if matches!(protocol.due(), NextRecord::Audit(_)) {
            return None;
        }
        let (role, game) = (self.role(), protocol.game()?);
        protocol.genesis()?.director?;
        let seat = protocol.signatories().get(role).filter(|seat| seat.tip.is_some())?;
        let (file, vision) = (self.secrets(), self.vision());
        let index = (seat.used + AHEAD).min(file.links());
        let link = file.secret().chain(role, file.links()).link(index)?;
        let sealed = protocol
            .seals()
            .of_role(role)
            .filter(|(slot, sealing)| protocol.seals().opening(role, slot, sealing.version).is_none());
        let reveals = sealed.filter_map(|(slot, sealing)| {
            let (value, version) = (vision.get(role, slot, sealing.version)?.clone(), sealing.version);
            Some(Reveal { slot: slot.clone(), version, salt: vision.salt(role, slot, version)?, value, by: None })
        });
        Some(Deposit { game, role: role.clone(), index, link, reveals: reveals.collect() })
    }

    /// Director: takes a deposit, if link and openings fit, and says what the receipt says.
    pub fn take_deposit(&mut self, deposit: Deposit) -> Result<Kind, LedgerTrouble> {
        let Deposit { game, role, index, link, reveals } = deposit;
        let protocol = self.ledger().protocol();
        if *self.role() != Role::director() || Some(game) != protocol.game() {
            return Err(LedgerTrouble::NotDue(
                "deposits go to the director of their game, and to nobody else".to_owned(),
            ));
        }
        let wrong = |what: &str| {
            let finding = Finding::new(Code::Link, what);
            LedgerTrouble::Finding { seq: protocol.next(), finding: Box::new(finding) }
        };
        let Some(seat) = protocol.signatories().get(&role) else { return Err(wrong("nobody of this game")) };
        if index > protocol.genesis().map_or(0, |genesis| genesis.links)
            || below(&role, (index, link), seat.used) != seat.tip
        {
            return Err(wrong("the link does not hash to the last one that was opened"));
        }
        let count = u32::try_from(reveals.len()).unwrap_or(u32::MAX);
        let reveals = self.file().unknown(&role, reveals);
        for reveal in &reveals {
            let made = commitment(&game, &role, &reveal.slot, reveal.version, &reveal.salt, &reveal.value);
            let fits = protocol.seals().of_role(&role).any(|(slot, sealing)| {
                *slot == reveal.slot && sealing.version == reveal.version && sealing.commit == made
            });
            if !fits {
                return Err(wrong("an opening does not fit its commitment"));
            }
        }
        // Mails overtake each other: a link that reaches further on the same chain is not given away for an older one.
        let further = self.file().deposit_of(&role).filter(|held| below(&role, *held, index) == Some(link));
        let kept = further.unwrap_or((index, link));
        let (_, pen) = self.with_pen();
        pen.file.keep_deposit(&role, kept, reveals)?;
        self.look_again();
        Ok(Kind::Deposited { role, index, count })
    }

    /// Director: closes the segment in hand for the role that owes it, from its deposit.
    pub fn close_for(&mut self, role: &Role, notice: Json) -> Result<Record, LedgerTrouble> {
        let (ledger, mut pen) = self.with_pen();
        if ledger.protocol().due() != NextRecord::Result(role.clone()) {
            return Err(LedgerTrouble::NotDue(format!("{role} owes no result")));
        }
        let index = ledger.protocol().signatories().get(role).map_or(0, |seat| seat.used) + 1;
        let deposit = pen.file.deposit_of(role).and_then(|deposit| below(role, deposit, index));
        let Some(link) = deposit else {
            let what =
                format!("no deposit of {role} reaches to link {index}; dice without the link are never a way out");
            return Err(LedgerTrouble::Refused(what));
        };
        let seq = ledger.protocol().next();
        let inputs = ledger.replay().inputs(ledger.protocol(), &ledger.vision);
        let closing = inputs.and_then(|inputs| ledger.replay().close(&inputs, &ledger.vision, index, link));
        // Nobody is at fault for what he left with the director before he committed something else.
        let mut closing = closing.map_err(|finding| match finding.code {
            Code::NoReveal => {
                let slot = finding.label.clone().unwrap_or_default();
                LedgerTrouble::Refused(format!(
                    "what {role} has left with you does not open {slot}: a later deposit has not come"
                ))
            }
            _ => LedgerTrouble::at(seq)(finding),
        })?;
        closing.reveals.iter_mut().for_each(|reveal| reveal.by = None);
        (closing.role, closing.notice) = (Some(role.clone()), Some(notice));
        ledger.sign(&Data::Closing(closing), &[], &mut pen)
    }

    /// Director: declines the motion on the table for the role that does not answer.
    pub fn decline_for(&mut self, role: &Role, notice: Json) -> Result<Record, LedgerTrouble> {
        let (ledger, mut pen) = self.with_pen();
        let moved = ledger.asked_of(role)?;
        let answer =
            Answered { motion: moved.id, hide: Vec::new(), role: Some(role.clone()), notice: Some(notice), note: None };
        ledger.sign(&Data::Decline(answer), &[], &mut pen)
    }
}
