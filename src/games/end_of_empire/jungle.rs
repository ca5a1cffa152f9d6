//! §14.1: the US Army in the jungle, and what becomes of a stack that loses its way (A46).

use crate::board::{Bearing, Hex, walk};
use crate::engine::{Clause, Question, Ruling, Say, Sealed, Subject, Tally, Touch};

use super::events::Event;
use super::marcher::Mp;
use super::play::{Play, subjects};
use super::policy::{FINISH_MOVE, Policy};
use super::position::{Known, Position};
use super::terms::{Content, Force, JungleResult, Piece};
use super::{SPAIN, US};

impl Play<'_, '_> {
    /// §14.1, A46: the jungle roll of a US stack.
    pub fn jungle_roll(&mut self, pieces: &[Piece], hex: Hex) -> Ruling<JungleResult> {
        let table = self.data().tables.clone();
        let table = &table.jungle;
        let now = self.now();
        let mut modifiers = Tally::new();
        modifiers.add("jungle", table.jungle, Clause("14.1c"));
        let signals = now.data().cast().signals.and_then(|id| self.state.hex_of(id));
        if self.state.balloon_up && signals.is_some_and(|at| now.data().distance(at, hex) <= 1) {
            modifiers.add("balloon", table.balloon, Clause("14.1b"));
        }
        // A46c: dummies do not count; of closed Cuban counters only those everybody knows to be real (A108).
        let cuban = |piece: Piece| {
            let real = self.state.counters.get(&piece).is_none_or(|counter| counter.real);
            now.force(piece) == Some(Force::Cuban) && now.fights(piece) && real
        };
        if now.data().neighbours(hex).any(|next| now.pieces_in(next).any(cuban)) {
            modifiers.add("Cubans beside it", table.cubans, Clause("14.1d"));
        }
        let total = modifiers.total();
        let read = |die: i32| table.rows.at(die + total).copied().unwrap_or(JungleResult::Stop);
        let touch = Touch::counted_on(subjects(pieces));
        let thrown = self.d6(US, pieces.first().map_or(hex.to_string(), Piece::to_string), "jungle", read, touch)?;
        let modified = i32::from(thrown.cast.face()) + total;
        let (units, result) = (pieces.to_vec(), thrown.result);
        self.umpire.note(Event::JungleRoll { units, at: hex, die: thrown.cast, modifiers, modified, result });
        Ok(result)
    }

    /// A46b: Spain leads a stack that has lost its way.
    pub fn finish_move(&mut self, pieces: &[Piece], hex: Hex, left: u32) -> Ruling<Vec<Hex>> {
        let now = self.now();
        let Some(mut marcher) = now.marcher(pieces, false) else { return Ok(Vec::new()) };
        marcher.from = hex;
        marcher.purse = Mp::whole(left);
        let reach = now.reach(&marcher);
        let goals = reach.cells().filter(|goal| *goal != hex && marcher.may_stop(now.data(), *goal));
        let ways: Vec<Vec<Hex>> =
            goals.filter_map(|goal| Some(reach.path(goal)?.into_iter().skip(1).collect::<Vec<Hex>>())).collect();
        let options: Vec<Vec<Hex>> = std::iter::once(Vec::new()).chain(ways.iter().cloned()).collect();
        let land = self.data();
        let walkable = |way: &Vec<Hex>| {
            let path: Vec<Hex> = std::iter::once(hex).chain(way.iter().copied()).collect();
            let walked = walk(&land.grid, &path, marcher.purse, |from, _: Bearing, to| marcher.step(land, from, to));
            walked.fault.is_none() && path.last().is_some_and(|end| marcher.may_stop(land, *end))
        };
        let question = Question {
            who: SPAIN,
            kind: FINISH_MOVE,
            about: Subject::of(pieces.first().map_or(hex.to_string(), Piece::to_string)),
            clause: Clause("A46b"),
            text: format!(
                "a US stack has lost its way in {hex} with {left} movement points: which way do you lead it?"
            ),
            options,
            default: Vec::new(),
            also: Some(Box::new(|way: &Vec<Hex>| walkable(way))),
        };
        let chosen = self.umpire.ask(question, None, |policy| match policy {
            Policy::Hexes(way) if walkable(way) => Say::Choose(way.clone()),
            Policy::Hexes(goals) => {
                let way = goals.iter().find_map(|goal| ways.iter().find(|way| way.last() == Some(goal)));
                way.map_or(Say::Default, |way| Say::Choose(way.clone()))
            }
            _ => Say::Default,
        })?;
        let closed = self.closed(pieces);
        if chosen.is_empty() || closed.is_empty() {
            return Ok(chosen);
        }
        // How far closed counters can be led is a fact of their owner.
        let sealed: Vec<Sealed<Content>> = closed.iter().filter_map(|name| self.sealed(*name)).collect();
        let state = self.state.clone();
        let known = Known::default();
        let now = Position { game: self.game, state: &state, known: &known };
        let widest = marcher_purse(&now, pieces);
        let least = |held: &[Content]| {
            closed.iter().zip(held).map(|(name, content)| now.content_allowance(*name, content)).min().unwrap_or(0)
        };
        let refs: Vec<&Sealed<Content>> = sealed.iter().collect();
        let allowance = self.umpire.fact_or(&refs, &Subject::of(closed[0]), "allowance", least, widest)?;
        let spent = widest.saturating_sub(left);
        let purse = Mp::whole(allowance.saturating_sub(spent));
        let path: Vec<Hex> = std::iter::once(hex).chain(chosen.iter().copied()).collect();
        let data = self.data();
        let walked = walk(&data.grid, &path, purse, |from, _: Bearing, to| marcher.step(data, from, to));
        Ok(chosen.into_iter().take(walked.steps()).collect())
    }
}

fn marcher_purse(now: &Position<'_>, pieces: &[Piece]) -> u32 {
    pieces.iter().map(|piece| now.allowance(*piece)).min().unwrap_or(0)
}
