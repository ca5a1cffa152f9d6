//! What has to hold in a record of each kind before any game is asked.

use std::collections::BTreeSet;

use super::{Closing, Genesis, Mode, Orders, Plan, RollSaid, TOY};
use crate::engine::Key;
use crate::engine::json::Json;
use crate::trust::bytes::Id;
use crate::trust::chain::{LINKS, TOY_LINKS};
use crate::trust::key;
use crate::trust::role::Role;

pub(super) fn distinct<'a>(what: &str, keys: impl Iterator<Item = &'a Key>) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for key in keys {
        if !seen.insert(key) {
            return Err(format!("the {what} {key} stands twice"));
        }
    }
    Ok(())
}

/// A director says for whom he signs, and shows who called him.
pub(super) fn paired(role: &Option<Role>, notice: &Option<Json>) -> Result<(), String> {
    if role.is_some() == notice.is_some() { Ok(()) } else { Err("`for` and `notice` go together".to_owned()) }
}

pub(super) fn sound(key: &Id) -> Result<(), String> {
    if key::is_sound(key) { Ok(()) } else { Err("the key is no sound Ed25519 key".to_owned()) }
}

impl Genesis {
    pub(super) fn check(&self, by: &Role) -> Result<(), String> {
        sound(&self.key)?;
        let links = if self.ruleset == TOY { TOY_LINKS } else { LINKS };
        if self.links != links {
            return Err(format!("every chain has {links} links, so that nobody runs out of them"));
        }
        let version = self.engine.strip_prefix(self.ruleset.as_str()).and_then(|rest| rest.strip_prefix(' '));
        if !version.is_some_and(|n| n.parse::<u32>().is_ok_and(|v| v.to_string() == n)) {
            return Err("`engine` has to be the rule set, a blank and a number".to_owned());
        }
        self.director.iter().chain(&self.recovery).try_for_each(sound)?;
        if self.director.is_some() && self.mode == Mode::Solo {
            return Err("a solo game has nobody a director could stand beside".to_owned());
        }
        if self.opponent.iter().chain(self.players.iter().flatten()).chain([by]).any(|role| *role == Role::director()) {
            return Err("`director` is no role that plays".to_owned());
        }
        if self.private.is_some() && (self.mode != Mode::Gm || self.private != Some(true)) {
            return Err("`private: true` goes with a game master, and with nobody else".to_owned());
        }
        match (self.mode, &self.opponent, &self.players) {
            (Mode::TwoPlayer, Some(opponent), None) if opponent != by => Ok(()),
            (Mode::Gm, None, Some(players)) => {
                let names: BTreeSet<&Role> = players.iter().collect();
                if *by != Role::gm() || names.contains(by) || names.len() != players.len() {
                    return Err("a game master signs as `gm`, and each player has one seat".to_owned());
                }
                Ok(())
            }
            (Mode::Solo, None, None) if *by == Role::solo() => Ok(()),
            (Mode::TwoPlayer, ..) => {
                Err("a game of two names one other role as `opponent`, and no `players`".to_owned())
            }
            (Mode::Gm, ..) => Err("a game with a game master names `players`, and no `opponent`".to_owned()),
            (Mode::Solo, ..) => Err("a solo game is signed as `solo` and names nobody else".to_owned()),
        }
    }
}

impl Plan {
    /// Whether each sealed entry is conditional.
    pub fn marks(&self, toy: bool) -> Result<Vec<bool>, String> {
        let marks = match &self.entries {
            None => Some(Vec::new()),
            Some(Json::List(marks)) => marks.iter().map(Json::as_bool).collect(),
            Some(number) if toy => {
                let number = number.as_int().and_then(|n| usize::try_from(n).ok());
                number.filter(|n| *n <= self.hide.len()).map(|n| vec![false; n])
            }
            Some(_) => None,
        };
        marks
            .ok_or_else(|| "`entries` says of each sealed entry whether it is conditional: a list of truths".to_owned())
    }

    pub(super) fn check(&self) -> Result<(), String> {
        distinct("answer", self.answers.iter().map(|a| &a.key))
    }
}

impl Orders {
    pub(super) fn check(&self) -> Result<(), String> {
        let decides = self.policies.is_some() || self.standing.is_some() || !self.answers.is_empty();
        if self.is_call() && (decides || self.note.is_some()) {
            return Err("a call decides nothing: no policies, standing orders, answers or note".to_owned());
        }
        distinct("answer", self.answers.iter().map(|a| &a.key))
    }
}

impl Closing {
    pub(super) fn check(&self) -> Result<(), String> {
        paired(&self.role, &self.notice)?;
        distinct("roll", self.rolls.iter().map(RollSaid::label))?;
        self.stop.check()
    }
}

/// Letters beyond ASCII stand in `note` alone.
pub(super) fn ascii_but_notes(value: &Json) -> Result<(), String> {
    match value {
        Json::Str(text) if !text.is_ascii() => Err("letters beyond ASCII are allowed in `note` only".to_owned()),
        Json::List(items) => items.iter().try_for_each(ascii_but_notes),
        Json::Map(members) => {
            members.iter().filter(|(key, _)| *key != "note").try_for_each(|(_, value)| ascii_but_notes(value))
        }
        _ => Ok(()),
    }
}
