//! Steps lost and units disorganized: who takes them (§1.1.1, §9.5, A10, A26, A31, A71).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::{Clause, Cloud, Question, Ruling, Say, Subject};

use super::events::{Cause, Event, Loss, Why};
use super::play::{Blow, Play, meant, subjects};
use super::policy::{COUNTER_AMBUSH, DISORDER, FEVER, LOSSES, Policy};
use super::position::{Position, after_losses};
use super::state::Place;
use super::terms::{Content, Force, Piece, UnitKind};

/// A loss to be given out among some pieces.
pub struct Toll {
    /// Who may take it.
    pub pieces: Vec<Piece>,
    /// How many steps.
    pub steps: u8,
    /// Where.
    pub at: Hex,
    /// From what.
    pub cause: Cause,
    /// What the order says about it, first choice first.
    pub ordered: Option<Vec<Piece>>,
}

/// A piece while losses are reckoned.
#[derive(Clone, Copy)]
struct Bearer {
    piece: Piece,
    steps: u8,
    guerrilla: bool,
    closed: bool,
    /// Who has to lose first: out of supply in the fever (§10.4d).
    group: u8,
}

impl Position<'_> {
    fn bearers(&self, pieces: &[Piece], cause: Cause) -> Vec<Bearer> {
        let bearer = |piece: &Piece| {
            let closed = self.state.counters.get(piece);
            let steps = closed.map_or(self.state.unit(*piece).steps, |_| u8::MAX);
            let oos = closed.map_or(self.state.unit(*piece).oos, |counter| counter.oos);
            Bearer {
                piece: *piece,
                steps,
                guerrilla: self.kind(*piece) == Some(UnitKind::Guerrilla),
                closed: closed.is_some(),
                group: u8::from(cause == Cause::Fever && !oos),
            }
        };
        pieces.iter().map(bearer).filter(|bearer| bearer.steps > 0).collect()
    }

    /// Who loses next if nobody says otherwise: the loss order of the notes, closed counters last (A106).
    fn next_loser(&self, bearers: &[Bearer], cause: Cause) -> Option<Piece> {
        let key = |bearer: &&Bearer| {
            let unit = self.unit(bearer.piece);
            let (shock, fire) = match (unit, bearer.guerrilla) {
                (Some(unit), true) => unit.back.map_or((0, 0), |back| (back.shock, back.fire)),
                (Some(unit), false) => {
                    let factors = unit.factors(bearer.steps, None);
                    (factors.shock, factors.fire)
                }
                (None, _) => (0, 0),
            };
            let kind = unit.map(|unit| unit.kind);
            let class = match kind {
                _ if bearer.closed => 6,
                Some(UnitKind::Artillery) => 4,
                Some(UnitKind::MachineGun) => 5,
                Some(UnitKind::Guerrilla) => 3,
                _ if bearer.steps >= 2 => 1,
                _ => 2,
            };
            // A69: of several guerrillas in a counter-ambush the weakest in shock.
            let class = if cause == Cause::CounterAmbush { u8::from(bearer.closed) } else { class };
            (bearer.group, class, shock, fire, bearer.piece)
        };
        bearers.iter().filter(|bearer| bearer.steps > 0).min_by_key(key).map(|bearer| bearer.piece)
    }

    /// The pieces that take so many steps, one after the other: those named first, then by the loss order.
    ///
    /// A list of preference lets each named piece lose until it is gone; `each` reads it as one step for each mention.
    fn losers(&self, pieces: &[Piece], steps: u8, cause: Cause, named: &[Piece], each: bool) -> Vec<Piece> {
        let mut bearers = self.bearers(pieces, cause);
        let (mut left, mut losers) = (steps, Vec::new());
        let mut named = named.to_vec();
        while left > 0 {
            let group = bearers.iter().filter(|bearer| bearer.steps > 0).map(|bearer| bearer.group).min();
            let may =
                |piece: &Piece| bearers.iter().any(|b| b.piece == *piece && b.steps > 0 && Some(b.group) == group);
            let wish = named.iter().position(may).map(|at| if each { named.remove(at) } else { named[at] });
            let Some(piece) = wish.or_else(|| self.next_loser(&bearers, cause)) else { break };
            left -= bear(&mut bearers, piece, left);
            losers.push(piece);
        }
        losers
    }

    /// Can a loss of so many steps among some pieces take all of these? Of a counter nobody else knows how few it has, or
    /// whether it is a dummy, which takes none (§14.7e).
    pub fn may_take_all(&self, pieces: &[Piece], steps: u8, cause: Cause, of: &[Piece]) -> bool {
        steps > 0 && self.most_taken(pieces, steps, cause, of) == self.hits_on(of, cause).len()
    }

    /// How many of the hits that these can take may come of a loss of so many steps among some pieces.
    pub fn most_taken(&self, pieces: &[Piece], steps: u8, cause: Cause, of: &[Piece]) -> usize {
        let hits = self.hits_on(of, cause);
        let mut left = hits.clone();
        // Any other closed counter may be spared, and the loss fall on the rest.
        let sure = |piece: &&Piece| of.contains(piece) || !self.state.counters.contains_key(*piece);
        let pieces: Vec<Piece> = pieces.iter().filter(sure).copied().collect();
        for loser in self.losers(&pieces, steps, cause, &hits, true) {
            if let Some(at) = left.iter().position(|piece| *piece == loser) {
                left.swap_remove(at);
            }
        }
        hits.len() - left.len()
    }

    /// These pieces, each as often as it is hit until it is gone.
    fn hits_on(&self, of: &[Piece], cause: Cause) -> Vec<Piece> {
        let shown = |bearer: &Bearer| self.state.counters.get(&bearer.piece).is_none_or(|counter| counter.real);
        let hits = self.bearers(of, cause).into_iter().filter(shown).flat_map(|bearer| {
            let one_hit = bearer.closed || bearer.guerrilla;
            std::iter::repeat_n(bearer.piece, if one_hit { 1 } else { bearer.steps.into() })
        });
        hits.collect()
    }

    /// Is this a way to give out so many steps?
    fn pays(&self, pieces: &[Piece], steps: u8, cause: Cause, losers: &[Piece]) -> bool {
        losers == self.losers(pieces, steps, cause, losers, true)
    }
}

/// Lets one piece take its part; gives how many steps it absorbs (A10: guerrillas up to two, and die).
fn bear(bearers: &mut [Bearer], piece: Piece, left: u8) -> u8 {
    // A check goes on with a column its owner has put a unit into twice.
    let able = |bearer: &&mut Bearer| bearer.piece == piece && bearer.steps > 0;
    let Some(bearer) = bearers.iter_mut().find(able) else { return left };
    if bearer.closed {
        return 1;
    }
    if bearer.guerrilla {
        let taken = left.min(bearer.steps);
        bearer.steps = 0;
        return taken;
    }
    bearer.steps -= 1;
    1
}

impl Play<'_, '_> {
    /// Gives out a loss: the owner chooses (A26), what nobody can take lapses (A71). False if all that was to come with it lapses
    /// too.
    pub fn lose(&mut self, toll: &Toll) -> Ruling<bool> {
        let mut left = toll.steps;
        let mut losers = self.choose_losers(toll, &toll.pieces, left)?;
        let mut losses: BTreeMap<Hex, Vec<Loss>> = BTreeMap::new();
        let mut force = None;
        let mut lapses = false;
        let mut index = 0;
        // Counters under which somebody takes a part of it, and those under which nobody can take more.
        let (mut struck, mut spared) = (BTreeSet::new(), BTreeSet::new());
        while left > 0 {
            if index >= losers.len() {
                // A counter had less than its owner let everybody believe: others go on, whom he chooses likewise.
                let able = |piece: &Piece| self.state.hex_of(*piece).is_some() && !spared.contains(piece);
                let standing: Vec<Piece> = toll.pieces.iter().copied().filter(able).collect();
                losers = self.choose_losers(toll, &standing, left)?;
                index = 0;
                if losers.is_empty() {
                    break;
                }
            }
            let Some(piece) = losers.get(index).copied() else { break };
            index += 1;
            if self.state.counters.contains_key(&piece) {
                let why = match toll.cause {
                    Cause::FriendlyFire => Why::FriendlyFire,
                    Cause::Ambush | Cause::CounterAmbush => Why::Ambush,
                    _ => Why::Bombardment,
                };
                if spared.contains(&piece) {
                    continue;
                }
                let blow = Blow { left, again: !struck.insert(piece), cause: toll.cause, why };
                match self.strike_counter(piece, &blow)? {
                    Some(0) => {
                        spared.insert(piece);
                    }
                    Some(taken) => left = left.saturating_sub(taken),
                    // A98b: what is given to a dummy is gone with it.
                    None if toll.cause == Cause::FriendlyFire => {
                        lapses = true;
                        break;
                    }
                    None => {}
                }
                continue;
            }
            force = force.or(self.now().force(piece));
            // Fever strikes all over the map; what a combat costs is told with the combat.
            let at = self.state.hex_of(piece).filter(|_| toll.cause == Cause::Fever).unwrap_or(toll.at);
            let Some(unit) = self.state.units.get_mut(&piece).filter(|unit| unit.steps > 0) else { continue };
            let guerrilla = self.game.data.unit(piece).is_some_and(|unit| unit.kind == UnitKind::Guerrilla);
            // §1.1.1b to §1.1.1d.
            let taken = if guerrilla { left.min(unit.steps) } else { 1 };
            unit.steps = if guerrilla { 0 } else { unit.steps - 1 };
            left -= taken;
            let now_left = unit.steps;
            let here = losses.entry(at).or_default();
            match here.iter_mut().find(|loss| loss.unit == piece) {
                Some(loss) => (loss.steps, loss.left) = (loss.steps + taken, Some(now_left)),
                None => here.push(Loss { unit: piece, steps: taken, left: Some(now_left) }),
            }
            if let Some(force) = force {
                self.count_us(force, taken);
            }
            if now_left == 0 {
                self.bury(piece);
            } else {
                // What it can still do nobody could know.
                self.umpire.cloud([Subject::of(piece)], &Cloud::Die("loss".into()));
            }
        }
        if let Some(force) = force {
            for (at, losses) in losses {
                self.umpire.note(Event::StepsLost { force, at, cause: toll.cause, losses });
            }
        }
        Ok(!lapses)
    }

    /// The owner says who of these pieces takes so many steps.
    fn choose_losers(&mut self, toll: &Toll, pieces: &[Piece], steps: u8) -> Ruling<Vec<Piece>> {
        let Toll { at, cause, ordered, .. } = toll;
        let now = self.now();
        let default = now.losers(pieces, steps, *cause, &[], false);
        let bearers = now.bearers(pieces, *cause).len();
        let Some(owner) = pieces.first().and_then(|piece| now.force(*piece)).map(Force::side) else {
            return Ok(Vec::new());
        };
        if bearers < 2 {
            return Ok(default);
        }
        let (kind, clause) = match cause {
            Cause::Fever => (FEVER, "12b"),
            Cause::CounterAmbush => (COUNTER_AMBUSH, "A69"),
            Cause::Ambush => (LOSSES, "11.3h"),
            _ => (LOSSES, "A26"),
        };
        // Every piece that could take the first step, for the list of options.
        let mut options: Vec<Vec<Piece>> = vec![default.clone()];
        for piece in pieces {
            let other = now.losers(pieces, steps, *cause, &[*piece], false);
            if !options.contains(&other) {
                options.push(other);
            }
        }
        let ordered = ordered
            .as_ref()
            .filter(|named| !named.is_empty())
            .map(|named| now.losers(pieces, steps, *cause, &meant(&self.opened, named), false));
        let opened = self.opened.clone();
        let state = self.state.clone();
        let game = self.game;
        let known = super::position::Known::default();
        let position = Position { game, state: &state, known: &known };
        let place = if *cause == Cause::Fever { String::new() } else { format!("{at}: ") };
        let text = format!("{place}{steps} to be lost ({cause}); who takes them, in order?");
        let question = Question {
            who: owner,
            kind,
            about: Subject::of(at),
            clause: Clause(clause),
            text,
            options,
            default,
            also: Some(Box::new(|losers: &Vec<Piece>| position.pays(pieces, steps, *cause, losers))),
        };
        self.umpire.ask(question, ordered, |policy| match policy {
            Policy::Pieces(named) => Say::Choose(position.losers(pieces, steps, *cause, &meant(&opened, named), false)),
            _ => Say::Default,
        })
    }

    /// A DS result on some pieces: one that is not yet disorganized (§9.5a, A31).
    pub fn disorganize(&mut self, pieces: &[Piece], at: Hex, ordered: Option<Piece>) -> Ruling<()> {
        let now = self.now();
        let here = |piece: &&Piece| now.state.hex_of(**piece).is_some();
        let standing: Vec<Piece> = pieces.iter().filter(here).copied().collect();
        let open = |piece: &&Piece| match self.state.counters.get(*piece) {
            Some(counter) => counter.ds == 0,
            None => !self.state.unit(**piece).ds && self.now().kind(**piece).is_some_and(UnitKind::is_combat),
        };
        let mut able: Vec<Piece> = standing.iter().filter(open).copied().collect();
        // Under a closed counter others may be left who are not yet disorganized. Only its owner knows, and he says so if it is to
        // be them.
        let mut deeper: Vec<Piece> = self.closed(&standing).into_iter().filter(|name| !able.contains(name)).collect();
        deeper.retain(|name| self.counter(*name).is_some_and(|counter| counter.ds < u8::MAX));
        let chosen = loop {
            if able.is_empty() {
                // A31: nobody else is left.
                for name in std::mem::take(&mut deeper) {
                    if self.is_orderly(name)? {
                        able.push(name);
                    }
                }
            }
            let Some(chosen) = self.choose_disorder(at, &able, &deeper, ordered)? else { return Ok(()) };
            // Leaders and trains under a counter of their own (A89) take it from nobody else.
            let hollow = self.counter(chosen).is_some_and(|counter| counter.force == Force::Spanish);
            let sure = able.contains(&chosen) && (!hollow || able.len() + deeper.len() < 2);
            if sure || self.is_orderly(chosen)? {
                break chosen;
            }
            able.retain(|name| *name != chosen);
            deeper.retain(|name| *name != chosen);
        };
        // A98b: a dummy under friendly fire is gone.
        if self.is_dummy(chosen, false)? {
            self.remove_dummy(chosen, Why::FriendlyFire);
            return Ok(());
        }
        if let Some(counter) = self.state.counters.get_mut(&chosen) {
            counter.ds += 1;
        } else if let Some(unit) = self.state.units.get_mut(&chosen) {
            unit.ds = true;
        }
        self.umpire.note(Event::Disorganized { units: vec![chosen], at, overstacked: false });
        Ok(())
    }

    /// Is somebody under a closed counter not yet disorganized? Its owner says so.
    fn is_orderly(&mut self, name: Piece) -> Ruling<bool> {
        let Some(counter) = self.counter(name) else { return Ok(false) };
        let (sealed, ds) = (counter.holds.0.clone(), counter.ds);
        let (wounds, data) = (counter.wounds.clone(), self.data());
        let more = |held: &[Content]| {
            let left = held.iter().flat_map(|content| after_losses(data, content, &wounds));
            left.filter(|(_, steps)| *steps > 0).count() > usize::from(ds)
        };
        self.umpire.fact_or(&[&sealed], &Subject::of(name), "orderly", more, ds == 0)
    }

    /// The owner says which of these is disorganized; `deeper` are counters that he may name besides.
    fn choose_disorder(
        &mut self,
        at: Hex,
        able: &[Piece],
        deeper: &[Piece],
        ordered: Option<Piece>,
    ) -> Ruling<Option<Piece>> {
        let now = self.now();
        let weakness = |piece: &Piece| {
            let factors = now.factors(*piece);
            let closed = now.state.counters.contains_key(piece);
            (closed, now.halved(*piece, factors.fire) + now.halved(*piece, factors.shock), *piece)
        };
        let Some(default) = able.iter().copied().min_by_key(weakness) else { return Ok(None) };
        let options: Vec<Piece> = able.iter().chain(deeper).copied().collect();
        if options.len() < 2 {
            return Ok(Some(default));
        }
        let question = Question {
            who: now.force(default).map_or(super::SPAIN, Force::side),
            kind: DISORDER,
            about: Subject::of(at),
            clause: Clause("9.5a"),
            text: format!("{at}: which unit is disorganized?"),
            options: options.clone(),
            default,
            also: None,
        };
        let ordered = ordered.filter(|piece| options.contains(piece));
        let opened = self.opened.clone();
        let chosen = self.umpire.ask(question, ordered, |policy| match policy {
            Policy::Pieces(named) => Say::first_of(&meant(&opened, named), &options),
            _ => Say::Default,
        })?;
        Ok(Some(chosen))
    }

    /// Units that find no way out are lost with all their steps (A30a, A75).
    pub fn eliminate(&mut self, pieces: &[Piece], at: Hex, cause: Cause) -> Ruling<()> {
        let mut units = pieces.to_vec();
        for name in self.closed(pieces) {
            units.retain(|piece| *piece != name);
            units.extend(self.open(name, Why::Destroyed)?);
        }
        units.retain(|unit| self.state.unit(*unit).at != Place::Lost);
        let steps: Vec<u8> = units.iter().map(|unit| self.state.unit(*unit).steps).collect();
        for (unit, steps) in units.iter().zip(steps.iter().copied()) {
            if let Some(force) = self.now().force(*unit) {
                self.count_us(force, steps);
            }
            self.bury(*unit);
        }
        if !units.is_empty() {
            self.umpire.cloud(subjects(&units), &crate::engine::Cloud::Die("combat".into()));
            self.umpire.note(Event::Eliminated { units, steps, at, cause });
        }
        Ok(())
    }

    /// §5.3: hexes of a side that hold too many units are disorganized.
    pub fn check_stacking(&mut self, side: crate::engine::Side) -> Ruling<()> {
        for hex in self.now().held_hexes(side) {
            let now = self.now();
            let Some(force) = now.holder(hex) else { continue };
            let stack: Vec<Piece> = now.stack(hex, force);
            let closed = self.closed(&stack);
            let open = self.now().overstacked(hex, force, &stack);
            let fits = self.now().sure_to_fit(hex, force, &stack);
            let meant = self.projected.get(&hex);
            let as_ordered = match self.overfull.get(&hex) {
                // Whoever has lost a step since may leave room for all.
                Some(wear) => meant.is_some_and(|meant| stack.len() == meant.len()) && self.now().wear(&stack) == *wear,
                None => meant.is_some_and(|meant| stack.iter().all(|piece| meant.contains(piece))),
            };
            let over = match closed.as_slice() {
                _ if open => true,
                [] => false,
                // Where even the largest would have room nobody has to be asked.
                _ if fits => false,
                // A105: vouched for when the orders were signed; a die has made it otherwise.
                _ if as_ordered => self.overfull.contains_key(&hex),
                _ => {
                    let sealed: Vec<_> = closed.iter().filter_map(|name| self.sealed(*name)).collect();
                    let state = self.state.clone();
                    let known = super::position::Known::default();
                    let position = Position { game: self.game, state: &state, known: &known };
                    let over = |held: &[Content]| {
                        let of = |name: Piece| held.get(closed.iter().position(|other| *other == name)?).cloned();
                        position.too_much(hex, force, position.bulk_of(&stack, of))
                    };
                    self.umpire.fact_or(
                        &sealed.iter().collect::<Vec<_>>(),
                        &Subject::of(hex),
                        "overstacked",
                        over,
                        false,
                    )?
                }
            };
            if !over {
                continue;
            }
            let mut units: Vec<Piece> = Vec::new();
            for piece in stack {
                if let Some(counter) = self.state.counters.get_mut(&piece) {
                    counter.ds = u8::MAX; // §5.3c: all of them
                } else if self.now().fights(piece)
                    && let Some(unit) = self.state.units.get_mut(&piece)
                {
                    unit.ds = true;
                } else {
                    continue;
                }
                units.push(piece);
            }
            self.umpire.note(Event::Disorganized { units, at: hex, overstacked: true });
        }
        Ok(())
    }
}

/// The strongest in shock first, for those who advance.
pub fn by_shock(now: &Position<'_>, pieces: &mut [Piece]) {
    pieces.sort_by_key(|piece| (Reverse(now.factors(*piece).shock), *piece));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::doc::{DocPath, read_document};
    use crate::games::end_of_empire::arrange::arrange;
    use crate::games::end_of_empire::position::Known;

    #[test]
    fn a_unit_named_twice_bears_no_more_than_it_has() {
        let start = "{scenario: blank, turn: 4, units: {cu-ry: 1210}}";
        let (start, _) = read_document("start.yaml", start.as_bytes()).expect("well formed");
        let mut faults = Vec::new();
        let arranged = arrange(&start, &DocPath::root(), &mut faults).expect("a position");
        let known = Known::default();
        let now = Position { game: &arranged.game, state: &arranged.state, known: &known };
        let unit = Piece::of("cu-ry");
        assert_eq!(now.losers(&[unit, unit], 9, Cause::Shock, &[], false), [unit, unit]);
    }
}
