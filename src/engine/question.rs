//! Questions: choices somebody must make, each with its owner, its legal options, its clause and its default.

use std::fmt;

use serde::Serialize;

use super::doc::{DocPath, FromDoc, Node, Reader};
use super::{Clause, Json, Key, Side, Subject};
use crate::words;

/// A kind of question: what standing orders and policies are given for (`retreat`, `losses`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Kind(pub &'static str);

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

/// In whose part of the game a kind of question comes up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// In the player's own packet: given under `policies`.
    OwnTurn,
    /// While the opponent's packet is carried out: given under `standing`.
    OpponentsTurn,
    /// In both.
    Either,
}

words! {
    /// A policy for what is asked with yes or no.
    pub enum Ever {
        /// Always.
        Always = "always" | "yes" | "true",
        /// Never.
        Never = "never" | "no" | "false",
    }
}

/// What a player should know about one kind of question before he writes a policy for it.
#[derive(Clone, Copy, Debug)]
pub struct KindInfo {
    /// The kind.
    pub kind: Kind,
    /// Which sides can be asked it.
    pub asked_of: &'static [Side],
    /// When it comes up.
    pub moment: Moment,
    /// The clause that gives the choice.
    pub clause: Clause,
    /// What is asked, in a sentence.
    pub text: &'static str,
    /// What `default` means, in a sentence.
    pub default: &'static str,
    /// Values a policy may take, as a player would type them. Those that name counters stand in [`Policy::naming`] where
    /// more than one side is asked.
    pub forms: &'static [&'static str],
}

/// The policies of a game: what a player may lay down beforehand for each kind of question.
///
/// The words `default` and `ask` are the engine's and never reach [`Policy::read`].
pub trait Policy: Clone + Serialize + fmt::Debug + Send + Sync {
    /// Every kind of question the game can put.
    const KINDS: &'static [KindInfo];

    /// Reads the policy for one kind.
    fn read(kind: Kind, node: &Node, at: &DocPath, reader: &mut Reader<'_>) -> Option<Self>;

    /// A value that names counters, as this side would type it: those its choice is about.
    fn naming(_kind: Kind, _side: Side) -> Option<&'static str> {
        None
    }

    /// Is a choice of this kind about the enemy's counters? A player speaks for his own otherwise.
    fn about_the_enemy(_kind: Kind) -> bool {
        false
    }

    /// The clause by which nobody speaks for the other's counters in a choice of this kind.
    fn bounds(info: &KindInfo) -> Clause {
        info.clause
    }

    /// Values for one kind, as these sides would type them.
    fn forms(info: &KindInfo, sides: &[Side]) -> Vec<&'static str> {
        let naming = sides.iter().filter_map(|side| Self::naming(info.kind, *side));
        info.forms.iter().copied().chain(naming).collect()
    }

    /// The kind with this name.
    fn kind(name: &str) -> Option<&'static KindInfo> {
        Self::KINDS.iter().find(|info| info.kind.0 == name)
    }
}

/// Something that can be chosen: written into records, read back from them and from answer files.
pub trait Choice: Clone + PartialEq + Serialize + FromDoc {}
impl<T: Clone + PartialEq + Serialize + FromDoc> Choice for T {}

/// What a policy says about one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Say<T> {
    /// This choice.
    Choose(T),
    /// The written default.
    Default,
    /// Stop and ask.
    Ask,
}

impl<T: Copy + PartialEq> Say<T> {
    /// The first wish that is among the options; the default if none is.
    pub fn first_of(wished: &[T], options: &[T]) -> Say<T> {
        wished.iter().find(|wish| options.contains(wish)).map_or(Say::Default, |wish| Say::Choose(*wish))
    }

    /// The same choice in other words.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Say<U> {
        match self {
            Say::Choose(choice) => Say::Choose(f(choice)),
            Say::Default => Say::Default,
            Say::Ask => Say::Ask,
        }
    }
}

/// A test of a choice that is not worth listing in full.
pub type Legal<'q, T> = Box<dyn Fn(&T) -> bool + 'q>;

/// A choice somebody must make now.
pub struct Question<'q, T> {
    /// Who decides.
    pub who: Side,
    /// The kind, for which policies are given.
    pub kind: Kind,
    /// The hex, unit or pool it is about.
    pub about: Subject,
    /// The clause that gives the choice.
    pub clause: Clause,
    /// The question in words.
    pub text: String,
    /// The legal choices; where there are too many to list, examples of them.
    pub options: Vec<T>,
    /// What happens if nobody says anything.
    pub default: T,
    /// Where `options` are only examples: what makes any other choice legal.
    pub also: Option<Legal<'q, T>>,
}

impl<T: Choice> Question<'_, T> {
    /// Whether a choice is among the legal ones.
    pub fn allows(&self, choice: &T) -> bool {
        self.options.contains(choice) || self.also.as_ref().is_some_and(|legal| legal(choice))
    }
}

/// A question that nobody answered beforehand, as it stands in a stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The key under which the answer is given.
    pub key: Key,
    /// The kind of question.
    pub kind: Kind,
    /// The clause that gives the choice.
    pub clause: Clause,
    /// The question in words.
    pub text: String,
    /// The legal choices, or examples of them.
    pub options: Vec<Json>,
    /// Whether `options` is the whole list.
    pub complete: bool,
    /// What happens if the answer leaves it out.
    pub default: Json,
}
