//! §23.1: the Guantanamo table, and which units it releases.

use std::collections::BTreeMap;

use crate::engine::doc::DocPath;
use crate::engine::{Clause, Concealed, Question, Ruling, Say, Subject, count_of};

use super::SPAIN;
use super::bars::bar;
use super::events::Event;
use super::orders::TurnOrders;
use super::play::{Play, Prospect};
use super::policy::{Policy, RELEASE};
use super::tell::verb;
use super::terms::{HoldingBox, Piece, Token, UnitId};

impl Play<'_, '_> {
    /// The Guantanamo table, once, at the start of II.A of Game Turn 2 (§23.1a).
    pub fn guantanamo(&mut self, orders: &TurnOrders) -> Ruling<()> {
        let clock = &self.data().tables.clock;
        if !self.state.marines_sent || self.state.guantanamo_rolled || self.state.turn < clock.guantanamo_turn {
            return Ok(());
        }
        let held: Vec<Token> = self.state.tokens_held(HoldingBox::Guantanamo).collect();
        let all = u32::try_from(held.len()).unwrap_or(u32::MAX);
        let data = self.data();
        let released = |die: u16| data.tables.guantanamo.rows.at(die.into()).copied().unwrap_or(0).min(all);
        let read = |die: u16| Prospect { worth: released(die), says: format!("{} released", released(die)) };
        let die = self.throw(SPAIN, "guantanamo", "reinforcements", read, held.iter().map(Subject::of))?;
        let released = released(die.face());
        self.state.guantanamo_rolled = true;
        self.umpire.note(Event::GuantanamoRoll { die, released, withheld: all - released });
        let counters = self.choose_released(&held, released, orders.release.as_ref())?;
        for token in held.iter().filter(|token| !counters.contains(token)) {
            self.state.counters.remove(token); // §23.1d: out of the game, unnamed
        }
        self.supply = None;
        if !counters.is_empty() {
            self.umpire.note(Event::Released { counters });
        }
        Ok(())
    }

    /// What is wrong with the list of units to be released (§23.1c).
    pub fn judge_release(&mut self, orders: &mut TurnOrders) {
        // What is sealed is judged when it is opened.
        let Some(entry) = orders.release.as_mut().and_then(Concealed::as_open_mut) else { return };
        let at = DocPath::root().key("release");
        self.entry(at.clone(), |_| ());
        for (count, token) in entry.iter_mut().enumerate() {
            let piece = self.now().named(Piece::from(*token));
            let held =
                piece.token().filter(|token| self.state.tokens_held(HoldingBox::Guantanamo).any(|t| t == *token));
            if let Some(held) = held {
                *token = held;
                continue;
            }
            let barred = bar("23.1c", format!("{piece} is not in the Guantanamo box")).firm();
            self.entry(at.index(count), |play| play.lapse(format!("the release of {piece}"), vec![barred], &[]));
        }
    }

    /// Which G units fill the released number (§23.1c): those wished for, then the strongest.
    fn choose_released(
        &mut self,
        held: &[Token],
        released: u32,
        ordered: Option<&Concealed<Vec<Token>>>,
    ) -> Ruling<Vec<Token>> {
        let count = usize::try_from(released).unwrap_or(usize::MAX);
        if count == 0 || count >= held.len() {
            return Ok(held.iter().copied().take(count).collect());
        }
        let listed = |wished: &[Token]| {
            let mut tokens: Vec<Token> = Vec::new();
            for token in wished.iter().filter(|token| held.contains(token)) {
                if tokens.len() < count && !tokens.contains(token) {
                    tokens.push(*token);
                }
            }
            tokens
        };
        let ordered = match ordered {
            Some(entry) => self.called_release(entry)?.map(|wished| listed(&wished)),
            None => None,
        };
        let question = Question {
            who: SPAIN,
            kind: RELEASE,
            about: Subject::of("guantanamo"),
            clause: Clause("23.1c"),
            text: format!(
                "{} {} released: which? The strongest fill up a shorter list.",
                count_of(count, "Guantanamo unit"),
                verb(count, "is", "are"),
            ),
            options: vec![Vec::new()],
            default: Vec::new(),
            also: Some(Box::new(|tokens: &Vec<Token>| listed(tokens) == *tokens)),
        };
        let mut chosen = self.umpire.ask(question, ordered, |policy| match policy {
            Policy::Pieces(wished) => {
                let wished: Vec<Token> = wished.iter().filter_map(|piece| piece.token()).collect();
                Say::Choose(listed(&wished))
            }
            _ => Say::Default,
        })?;
        // Nothing is told of anybody's strength where the player's own list suffices.
        let missing = count - chosen.len();
        if missing > 0 {
            let rest: Vec<Token> = held.iter().copied().filter(|token| !chosen.contains(token)).collect();
            let data = self.data();
            let strongest = |units: &BTreeMap<Token, UnitId>| {
                let factor = |unit: &UnitId| data.counter(*unit).map_or(0, |counter| counter.factor_at(1));
                let mut order: Vec<(&Token, &UnitId)> = units.iter().collect();
                order.sort_by_key(|(_, unit)| (std::cmp::Reverse(factor(unit)), **unit));
                let mut tokens: Vec<Token> = order.into_iter().take(missing).map(|(token, _)| *token).collect();
                tokens.sort_unstable();
                tokens
            };
            let hope: Vec<Token> = rest.iter().copied().take(missing).collect();
            chosen.extend(self.fact(&rest, "guantanamo", "strongest", strongest, hope)?);
        }
        chosen.sort_unstable();
        Ok(chosen)
    }
}
