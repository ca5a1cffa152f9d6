//! §13.2s to §13.2w, advancing after combat, and the bridge that may not bear it (§15.4i).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::board::Hex;
use crate::engine::{Bar, Clause, Ever, Question, Ruling, Say, Side, Subject, Touch};

use super::events::Event;
use super::orders::{Advance, AssaultOrder, Companion};
use super::play::Play;
use super::policy::{ADVANCE, Policy};
use super::position::Position;
use super::tables::{self};
use super::terms::{Crossing, Piece};

/// Whether a bridge holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Holds(bool);

impl fmt::Display for Holds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(if self.0 { "holds" } else { "destroyed" })
    }
}

impl Play<'_, '_> {
    /// The hex is empty: who advances (§13.2s to §13.2w)?
    pub fn advance(
        &mut self,
        side: Side,
        target: Hex,
        attackers: &[Piece],
        order: Option<&AssaultOrder>,
    ) -> Ruling<()> {
        let state = self.state.clone();
        let now = Position { game: self.game, state: &state };
        let standing: Vec<Piece> = self.still_attacking(attackers);
        let mut able: Vec<Piece> = standing.iter().copied().filter(|piece| now.may_follow(*piece, target)).collect();
        // A regiment that was named and has broken down means its parts.
        let parent = |piece: &Piece| now.unit(*piece).and_then(|unit| unit.parent);
        let meant = |named: &[Piece], piece: &Piece| {
            named.contains(piece) || parent(piece).is_some_and(|regiment| named.contains(&regiment))
        };
        let wanted: &[Piece] = match order.and_then(|order| order.advance.as_ref()) {
            Some(Advance::Units(named)) => named,
            _ => &[],
        };
        let company = standing.iter().filter(|piece| meant(wanted, piece));
        let company = company.filter_map(|piece| Some((*piece, now.bar_company(*piece, target)?))).collect();
        self.lapse_advance(target, company);
        if able.is_empty() || now.mixed(target, &able) {
            return Ok(());
        }
        let worth = |piece: &Piece| now.unit(*piece).map_or(0, |unit| unit.worth());
        able.sort_by_key(|piece| (std::cmp::Reverse(worth(piece)), *piece));
        let fits = |units: &[Piece]| !now.too_full(target, side, units);
        let fill = |wished: &[Piece]| {
            let mut going: Vec<Piece> = Vec::new();
            for piece in able.iter().filter(|piece| wished.contains(piece)) {
                let mut more = going.clone();
                more.push(*piece);
                if fits(&more) {
                    going = more;
                }
            }
            going.sort_unstable();
            going
        };
        let all = fill(&able);
        let means =
            |named: &[Piece]| -> Vec<Piece> { able.iter().filter(|piece| meant(named, piece)).copied().collect() };
        let ordered = order.and_then(|order| order.advance.as_ref()).map(|advance| match advance {
            Advance::All => all.clone(),
            Advance::None => Vec::new(),
            Advance::Units(units) => fill(&means(units)),
        });
        let mut options = vec![all.clone(), Vec::new()];
        for one in able.iter().map(|piece| vec![*piece]) {
            if !options.contains(&one) {
                options.push(one);
            }
        }
        let legal = |going: &Vec<Piece>| {
            let distinct: BTreeSet<&Piece> = going.iter().collect();
            distinct.len() == going.len() && going.iter().all(|piece| able.contains(piece)) && fits(going)
        };
        let question = Question {
            who: side,
            kind: ADVANCE,
            about: Subject::of(target),
            clause: Clause("13.2s"),
            text: format!("{target} is empty: who advances?"),
            options,
            default: all.clone(),
            also: Some(Box::new(legal)),
        };
        let going = self.umpire.ask(question, ordered, |policy| match policy {
            Policy::Ever(Ever::Always) => Say::Choose(all.clone()),
            Policy::Ever(Ever::Never) => Say::Choose(Vec::new()),
            Policy::Pieces(named) => Say::Choose(fill(&means(named))),
            _ => Say::Default,
        })?;
        let over = means(wanted).into_iter().filter(|piece| !going.contains(piece));
        let full = |piece: Piece| {
            let bar = Bar::new("13.2t", format!("{target} would hold too many"), "name only as many as fit");
            (piece, bar.about([Subject::of(piece), Subject::of(target)]))
        };
        self.lapse_advance(target, over.map(full).collect());
        if going.is_empty() {
            return Ok(());
        }
        self.move_in(side, target, &going, wanted)
    }

    /// Units that were to advance and do not.
    fn lapse_advance(&mut self, target: Hex, kept: Vec<(Piece, Bar)>) {
        let part =
            |(piece, bar): (Piece, Bar)| (format!("advance of {piece} into {target}"), vec![bar.part("advance")]);
        self.lapse_parts(kept.into_iter().map(part).collect());
    }

    /// Units enter a hex after combat: leaders go along, bridges shake, whoever is found there is overrun.
    pub fn move_in(&mut self, side: Side, target: Hex, going: &[Piece], named: &[Piece]) -> Ruling<()> {
        let hexes: BTreeSet<Hex> = going.iter().filter_map(|piece| self.state.hex_of(*piece)).collect();
        let units = self.go_together(side, target, going, named)?;
        self.umpire.note(Event::Advanced { units: units.clone(), into: target });
        self.arrived(side, &units, target)?;
        for from in hexes {
            self.shake_bridge(side, Crossing::new(from, target))?;
        }
        Ok(())
    }

    /// Units leave their hexes, or the map edge, for one, and leaders go along (§13.2v, AMB-61). Gives all who went.
    pub fn go_together(&mut self, side: Side, target: Hex, going: &[Piece], named: &[Piece]) -> Ruling<Vec<Piece>> {
        // By the leaders they stood with, and whether one of them fought from the edge.
        let mut stacks: BTreeMap<Option<Hex>, (Vec<Piece>, Vec<Piece>)> = BTreeMap::new();
        for piece in going {
            let stack = stacks.entry(self.state.hex_of(*piece)).or_default();
            stack.0.push(*piece);
            stack.1 = self.now().leaders_with(*piece);
        }
        for piece in going {
            self.leave(*piece, target);
        }
        let mut units = going.to_vec();
        for (from, (went, leaders)) in stacks {
            for leader in leaders {
                if self.now().mixed(target, &[leader]) {
                    continue;
                }
                let stay = match from {
                    Some(from) => self.now().held_by(from, side),
                    None => !self.now().facing(target, side).iter().all(|piece| self.now().is_leader(*piece)),
                };
                let first = went.first().copied();
                let default = Companion(if stay { None } else { first });
                let ordered = named.contains(&leader).then_some(Companion(first));
                let place = from.unwrap_or(target);
                let with = self.leader_goes(leader, place, side, went.iter().copied(), default, ordered)?;
                if with.0.is_some() {
                    self.leave(leader, target);
                    units.push(leader);
                }
            }
        }
        Ok(units)
    }

    /// §15.4i: does a pontoon bridge outlast an advance across it?
    fn shake_bridge(&mut self, side: Side, at: Crossing) -> Ruling<()> {
        if !self.state.pontoons.contains(&at) {
            return Ok(());
        }
        let range = self.data().tables.pontoon.holds;
        let touch = Touch::on([Subject::of(at.low), Subject::of(at.high)]);
        let thrown = self.d10(side, at, "pontoon", |die| Holds(tables::within(die, range)), touch)?;
        let holds = thrown.result.0;
        if !holds {
            self.state.pontoons.remove(&at);
        }
        self.umpire.note(Event::PontoonRoll { at, die: thrown.cast, holds });
        Ok(())
    }
}
