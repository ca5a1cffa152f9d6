//! The rules of a game: the position, its packets, and how they are carried out.

use std::fmt;

use serde::Serialize;

use super::Ruling;
use crate::engine::doc::{DocPath, Fault, Lexicon};
use crate::engine::umpire::Umpire;
use crate::engine::{Clause, Event, Json, Kind, Mark, Policy, Seen, Side, Slot, Stop};

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Verdict {
    /// The winner; a draw if none.
    pub winner: Option<Side>,
    /// The victory line.
    pub text: String,
}

/// What is decided at the table: the sequence of play and everything in it.
///
/// A value of the implementing type is a table laid for one match: data, scenario and options.
pub trait Rules: Sized + Send + Sync + 'static {
    /// The name on the command line and in records.
    const ID: &'static str;
    /// Raised whenever any ledger could come out differently.
    const VERSION: u32;
    /// The sides, in the order they first act.
    const SIDES: &'static [Side];
    /// What everybody may know: hidden values are `Sealed` in it.
    type State: Clone + fmt::Debug + PartialEq + Serialize + Send + Sync + 'static;
    /// One packet of orders with names resolved.
    type Orders: Clone + fmt::Debug + PartialEq + Serialize + Send + Sync + 'static;
    /// Policies and standing orders.
    type Policy: Policy;
    /// What can happen.
    type Event: Event;

    /// Names a player may type.
    fn lexicon(&self) -> &dyn Lexicon;

    /// The state before the first order and the first packet due.
    fn begin(&self) -> (Self::State, Stop);

    /// The game turn, for headers and file names.
    fn turn(&self, state: &Self::State) -> u32;

    /// Whose packet a position waits for; the end if it waits for none. What a resolution stops with is this.
    fn packet_due(&self, state: &Self::State) -> Stop;

    /// Checks a packet against what its author can see and writes it out in full: every `to` becomes the path it means.
    ///
    /// Legal if and only if listed: the same functions serve the template and the random player.
    fn check(&self, seen: &Seen<'_, Self::State>, stop: &Stop, orders: &mut Self::Orders, at: &DocPath) -> Vec<Fault> {
        crate::engine::foresee(self, seen, stop, &crate::engine::Foresaid::default(), orders, at).faults
    }
    /// Whether packets are checked by foreseeing: carrying them out before an umpire who hopes.
    const FORESEEN: bool = true;

    /// Carries out a packet and everything after it up to the next packet due. Every `to` becomes the path it means,
    /// in the packet itself.
    fn resolve(
        &self,
        state: &mut Self::State,
        orders: &mut Self::Orders,
        umpire: &mut Umpire<'_, Self>,
    ) -> Ruling<Stop>;

    /// What an event says about the upshot of the order in hand: a fight, its result, losses, a place taken. Chances and
    /// luck are reckoned from nothing else; of a game that says nothing they tell the dice alone.
    fn marks(&self, _event: &Self::Event) -> Vec<Mark> {
        Vec::new()
    }

    /// The entries of a packet, each of which is carried out or named as one that is not.
    fn entries(&self, orders: &Self::Orders) -> Vec<DocPath> {
        crate::engine::entries_of(orders)
    }

    /// The orders that count where none were given: what the rules do with a silent player.
    fn no_orders(&self, state: &Self::State, stop: &Stop) -> Self::Orders;

    /// Moves values that must stay hidden out of a checked packet into slots, before it is signed.
    fn seal(&self, _state: &Self::State, _orders: &mut Self::Orders, _hide: &mut dyn FnMut(Slot, Json)) {}

    /// Moves the entries of a plan out of a checked packet, one after the other: `hide` takes an entry and names the
    /// slot that now stands in its place. Called after [`Rules::seal`], and only where the packet goes as a plan. Which
    /// entries are sealed follows from the public state alone.
    fn seal_plan(&self, _state: &Self::State, _orders: &mut Self::Orders, _hide: &mut dyn FnMut(Json) -> Slot) {}

    /// Whether an entry of a plan may be declined when its turn comes, because something it waits for is not so. All
    /// others are opened then. It follows from what stands in the entry, and is published with the plan.
    fn is_conditional(&self, _entry: &Json) -> bool {
        false
    }

    /// Whose a counter or a leader of this name is; nobody's if there is none.
    fn whose(&self, _name: &str) -> Option<Side> {
        None
    }

    /// How the game ended, if it has.
    fn verdict(&self, state: &Self::State) -> Option<Verdict>;

    /// What is wrong with a state: every invariant of the rules that does not hold. Recomputed from scratch.
    fn flaws(&self, state: &Self::State) -> Vec<String>;

    /// Is no question ever put to the player whose orders of this packet are carried out? Their file then asks for no
    /// policies; the opponent may still be asked.
    fn unquestioned(packet: &str) -> bool {
        let _ = packet;
        false
    }

    /// Do scenario and options rule out that a question of this kind is ever put in this match? Order files leave it out;
    /// to put it all the same is a bug of the game.
    fn rules_out(&self, _kind: Kind) -> bool {
        false
    }

    /// How many secret rolls the rules can ever ask of a side in this match: so many tickets are committed in its first
    /// record.
    fn tickets(&self, _side: Side) -> u32 {
        0
    }

    /// The hidden things of a side that lie together, slot by slot: once one of them was seen and lies face down again,
    /// all of its group are sealed anew and mixed, if the rules let their owner do so.
    fn masks(&self, _state: &Self::State, _side: Side) -> Vec<Vec<Slot>> {
        Vec::new()
    }

    /// After the audit: whether new versions of hidden values were allowed.
    fn resealed(&self, _before: &Seen<'_, Self::State>, _after: &Seen<'_, Self::State>) -> Result<(), Clause> {
        Ok(())
    }
}
