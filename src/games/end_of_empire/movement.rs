//! Chapter 8: movement, hex by hex. On entering each hex come the jungle roll (§14.1), the guerrillas beside it (§11.2.2)
//! and what is found there (A51, §4.3).

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use crate::board::{Bearing, Hex, Stride, march};
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Concealed, Ruling, Sealed, Side, Subject};

use super::events::{Event, Paid};
use super::guerrillas::Reaction;
use super::marcher::{Marcher, Mp};
use super::orders::{Balloon, MoveOrder};
use super::play::{Play, missing_from, subjects};
use super::position::Position;
use super::terms::{Force, JungleResult, Mode, Piece, Terrain};

/// A march under way.
struct Walker<'w, 'p, 'u> {
    play: &'w mut Play<'p, 'u>,
    marcher: &'w Marcher,
    pieces: Vec<Piece>,
    /// Everybody who set out.
    all: Vec<Piece>,
    order: &'w MoveOrder,
    told: Told,
    led: bool,
    /// The opponent leads on from here.
    astray: Option<u32>,
}

/// How far a march has been told.
struct Told {
    from: Hex,
    /// What has been walked since, with its price.
    paid: Vec<Paid>,
}

impl Told {
    fn tell(&mut self, play: &mut Play<'_, '_>, pieces: &[Piece], led: bool) {
        if self.paid.is_empty() {
            return;
        }
        let path = std::mem::take(&mut self.paid);
        let (from, spent) = (self.from, path.iter().map(|paid| paid.cost).sum());
        self.from = path.last().map_or(from, |paid| paid.hex);
        play.umpire.note(Event::Moved { units: pieces.to_vec(), from, path, spent, led });
    }
}

impl Walker<'_, '_, '_> {
    /// Tells the march so far.
    fn flush(&mut self) {
        self.told.tell(self.play, &self.pieces, self.led);
    }

    fn halt(&mut self, at: Hex, why: &str, clause: &'static str) {
        if self.pieces.is_empty() {
            return; // nobody is left to stop
        }
        let units = self.pieces.clone();
        self.play.umpire.note(Event::Halted { units, at, why: why.to_owned(), clause: Clause(clause) });
    }

    /// A hex is entered.
    fn enter(&mut self, stride: Stride<Hex, 1>) -> Ruling<ControlFlow<()>> {
        let hex = stride.to;
        self.told.paid.push(Paid { hex, cost: stride.cost.floor() });
        for piece in &self.pieces {
            self.play.put(*piece, hex);
        }
        let (pieces, led) = (&self.pieces, self.led);
        self.play.occupy_after(pieces, hex, self.order.real, &mut |play| self.told.tell(play, pieces, led))?;
        let data = self.play.data();
        let jungle = self.marcher.force == Force::Us && data.terrain(hex) == Terrain::Jungle;
        let mut stops = false;
        if jungle && !self.led && self.play.game.options.jungle {
            self.flush();
            match self.play.jungle_roll(&self.pieces, hex)? {
                JungleResult::Onward => {}
                JungleResult::Stop => {
                    self.halt(hex, "the jungle", "14.1a");
                    stops = true;
                }
                JungleResult::Opponent => {
                    let left = self.marcher.purse.checked_sub(stride.spent).unwrap_or(Mp::ZERO);
                    self.astray = Some(left.floor());
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        stops |= self.reactions(hex)?;
        // A77: who is left behind has entered the hex like the others, and has finished moving.
        let order = self.order;
        let drops = |piece: &Piece| order.drop.get(piece) == Some(&hex);
        if !self.led && self.pieces.iter().any(drops) {
            self.flush();
            self.pieces.retain(|piece| !drops(piece));
        }
        stops |= self.pieces.is_empty();
        Ok(if stops { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// Guerrillas who would strike may have gone for a die, or for what their owner chose, and so may whoever held the hex
    /// itself: then how far the march gets hangs on that too.
    fn minds_the_gone(&mut self, hex: Hex) {
        let (now, force) = (self.play.now(), self.marcher.force);
        let enemy = Play::enemy(force.side());
        let was_in =
            |hexes: &BTreeMap<Side, BTreeSet<Hex>>, hex: &Hex| hexes.get(&enemy).is_some_and(|of| of.contains(hex));
        let gone = |next: &Hex| was_in(&self.play.lurked, next) && now.hiding_in(*next, force).is_empty();
        let beside = now.data().land_around(hex).filter(gone);
        let gone: Vec<Hex> = beside.chain(Some(hex).filter(|hex| was_in(&self.play.stood, hex))).collect();
        let touched: Vec<Subject> = self.pieces.iter().map(Subject::of).chain([Subject::of(hex)]).collect();
        self.play.umpire.rests(&subjects(&gone), touched);
    }

    /// The guerrillas beside a hex strike at who has entered it (§11.2.2b). True if the march is over.
    fn reactions(&mut self, hex: Hex) -> Ruling<bool> {
        self.minds_the_gone(hex);
        for ambush in self.play.now().ambushers(self.marcher.force, hex) {
            if self.pieces.is_empty() {
                return Ok(true);
            }
            if !self.play.now().ambushers(self.marcher.force, hex).contains(&ambush) {
                continue;
            }
            let logistic = self.order.logistic && !self.play.closed(&self.pieces).is_empty();
            if !self.play.strikes(ambush, &self.pieces, hex)? {
                continue;
            }
            self.flush();
            let pieces = self.pieces.clone();
            let (reaction, pieces) = self.play.react(ambush, &pieces, hex, logistic)?;
            self.pieces = pieces;
            self.all.extend(self.pieces.iter().filter(|piece| !self.all.contains(piece)).copied().collect::<Vec<_>>());
            match reaction {
                Reaction::Onward => {}
                Reaction::Recognised => {
                    self.halt(hex, "reconnaissance", "11.3c");
                    return Ok(true);
                }
                Reaction::Ambushed => {
                    self.play.stop(&self.pieces);
                    self.halt(hex, "an ambush", "11.3g");
                    return Ok(true);
                }
            }
        }
        Ok(self.pieces.is_empty())
    }
}

impl Play<'_, '_> {
    /// Whose force marches by an order: that of the first piece it names.
    pub fn marching_force(&self, order: &MoveOrder) -> Option<Force> {
        order.units.first().and_then(|piece| self.now().force(*piece))
    }

    /// The part of a movement phase in which one force moves.
    pub fn movement(&mut self, side: Side, force: Force, moves: &mut [Concealed<MoveOrder>]) -> Ruling<()> {
        for (index, entry) in moves.iter_mut().enumerate() {
            let at = DocPath::root().key("moves").index(index);
            let order = match entry {
                Concealed::Open(order) => order,
                Concealed::Sealed(slot) => {
                    // An entry of a plan: its author opens it as it is carried out.
                    let sealed: Sealed<MoveOrder> = Sealed::new(side, slot.clone());
                    let mut order = self.umpire.open(&sealed)?;
                    if self.carried_by(force, side, &order) {
                        self.entry(at, |play| {
                            let now = play.state.clone();
                            play.vouch_for_move(side, &mut order, &now)?;
                            play.carry_move(side, &mut order)
                        })?;
                    }
                    continue;
                }
            };
            if self.carried_by(force, side, order) {
                self.entry(at, |play| play.carry_move(side, order))?;
            }
        }
        Ok(())
    }

    /// Orders for nobody of this player are named in the last part of the phase.
    pub fn carried_by(&self, force: Force, side: Side, order: &MoveOrder) -> bool {
        let last = Force::of(side).first() == Some(&force);
        match self.marching_force(order) {
            Some(of) if of.side() == side => of == force,
            _ => last,
        }
    }

    /// One order to march.
    fn carry_move(&mut self, side: Side, order: &mut MoveOrder) -> Ruling<()> {
        let mut pieces: Vec<Piece> = Vec::new();
        for (piece, bars) in self.now().falling_in(side, order, &self.moved) {
            if bars.is_empty() {
                pieces.push(piece);
            } else {
                self.forgo_march(side, &[piece], order, bars);
            }
        }
        if order.units.is_empty() {
            let bar = Bar::new("8.1a", "nobody marches by this order", "name units").part("units").firm();
            self.lapse("march", vec![bar]);
        }
        let nowhere = || Bar::new("8.1a", "the order leads nowhere", "give a `path` or `to`").firm();
        if pieces.is_empty() {
            // Whoever could march by it after all would not know where to.
            if order.path.is_empty() && order.to.is_none() && order.balloon.is_none() && !order.units.is_empty() {
                self.lapse("march", vec![nowhere()]);
            }
            return Ok(());
        }
        let signals = self.data().cast().signals.filter(|id| pieces.contains(id));
        let from = pieces.first().and_then(|piece| self.state.hex_of(*piece));
        let marches = !order.path.is_empty() || order.to.is_some() && order.to != from;
        let able = self.now().balloon_orders(&pieces, marches);
        if order.balloon.is_some_and(|balloon| !able.contains(&balloon)) {
            let (clause, why) = match (able, self.state.balloon_up) {
                ([], _) => ("14.8a", "there is no balloon among them"),
                (_, true) => ("A53a", "the balloon is up"),
                (_, false) => ("A53a", "the balloon is down"),
            };
            self.lapse("balloon", vec![Bar::new(clause, why, "leave `balloon` out").part("balloon").firm()]);
        }
        let lowering = order.balloon == Some(Balloon::Down) || order.balloon == Some(Balloon::Up) && marches;
        if let (Some(signals), true, true) = (signals, lowering, self.state.balloon_up) {
            self.state.balloon_up = false;
            let at = self.state.hex_of(signals).unwrap_or(Hex::printed(101));
            self.umpire.note(Event::BalloonSet { up: false, at });
        }
        let Some(marcher) = self.now().marcher_by(order, &pieces) else { return Ok(()) };
        self.complete_path(order, &pieces, &marcher);
        let still = order.path.is_empty();
        if still && order.balloon.is_none() && order.to.is_none_or(|to| to == marcher.from) {
            let bar = match order.to {
                // A way back to where it began is no way.
                Some(here) => {
                    let why = {
                        let names: Vec<&str> = pieces.iter().map(|piece| piece.as_str()).collect();
                        let stand = if names.len() == 1 { "stands" } else { "stand" };
                        format!("{} {stand} in {here} already", names.join(", "))
                    };
                    Bar::new("8.1a", why, "name another hex, or leave the order out").part("to").firm()
                }
                None => nowhere(),
            };
            let bar = bar.about(subjects(&pieces));
            // Where they stand may hang on a die.
            self.lapse("march", vec![Bar { firm: order.to.is_none(), ..bar }]);
            return Ok(());
        }
        let bars = self.now().bars_path(&marcher, order, &pieces);
        if bars.is_empty() {
            // A way back to where it began ends nowhere else.
            let end = order.path.last().copied().unwrap_or(marcher.from);
            let ends = pieces.iter().map(|piece| order.drop.get(piece).copied().unwrap_or(end));
            let ends: BTreeSet<Hex> = ends.filter(|hex| *hex != marcher.from).collect();
            let stands = self.stands(|now| {
                let able = |piece: &Piece| now.bars_marching(side, *piece, &self.moved, false).is_empty();
                let reached = |hex: &Hex| {
                    // Those who come as far.
                    let number = order.path.iter().position(|entered| entered == hex).filter(|_| *hex != end);
                    let number = number.unwrap_or(order.path.len().saturating_sub(1));
                    let led: Vec<Piece> = pieces.iter().copied().filter(|piece| order.is_led(*piece, number)).collect();
                    now.routes(&led).iter().any(|(goal, ..)| goal == hex)
                };
                ends.iter().all(reached) && pieces.iter().all(able)
            });
            self.look_up(stands);
        }
        if !bars.is_empty() {
            // Whoever may not stop at the end of the way stays where he is; otherwise it is walked as far as it goes.
            let stays = bars.iter().any(|bar| ["11.1b", "A42c"].contains(&bar.clause.0));
            // Who is left may be barred for want of those who are not.
            let missing = missing_from(&order.units, &pieces);
            let bars = bars.into_iter().map(|bar| bar.about(missing.clone())).collect();
            self.forgo_march(side, &pieces, order, bars);
            if stays || still && order.balloon.is_none() {
                return Ok(());
            }
        }
        self.minds_rivals(&pieces, order);
        self.moved.extend(pieces.iter().copied());
        if order.real {
            self.known_to_be_real(&pieces); // A103
        }
        if !still {
            self.walk(&marcher, pieces, order)?;
        }
        // §14.8d: at the end of its own movement, wherever that was.
        if let (Some(Balloon::Up), Some(signals)) = (order.balloon, signals)
            && self.game.options.balloon
            && !self.state.balloon_up
            && let Some(hex) = self.state.hex_of(signals)
        {
            self.state.balloon_up = true;
            self.umpire.note(Event::BalloonSet { up: true, at: hex });
        }
        Ok(())
    }

    /// Units in guerrilla and others who have marched before may have been on their way to where these are sent (§11.1b): that
    /// they did not come there is a reason to go.
    fn minds_rivals(&mut self, pieces: &[Piece], order: &MoveOrder) {
        let now = self.now();
        let Some((force, mode)) = pieces.first().and_then(|first| Some((now.force(*first)?, now.mode(*first)))) else {
            return;
        };
        let rival = if mode == Mode::Guerrilla { Mode::Regular } else { Mode::Guerrilla };
        let ends = order.path.last().into_iter().chain(order.drop.values());
        let ends: Vec<Hex> = ends.copied().filter(|end| self.bound.contains(&(force, rival, *end))).collect();
        self.umpire.rests(&subjects(&ends), subjects(pieces));
        self.bound.extend(order.path.iter().map(|hex| (force, mode, *hex)));
    }

    /// Pieces do not get where they are sent. What bars their way makes them as doubtful as itself, and the hexes they
    /// stay in and were to enter.
    fn forgo_march(&mut self, side: Side, pieces: &[Piece], order: &MoveOrder, bars: Vec<Bar>) {
        let mut changed: Vec<Subject> = bars.iter().flat_map(|bar| bar.about.iter().cloned()).collect();
        let own = |piece: &&Piece| self.now().force(**piece).is_some_and(|force| force.side() == side);
        for piece in pieces.iter().filter(own) {
            changed.push(Subject::of(piece));
            changed.extend(self.state.hex_of(*piece).map(Subject::of));
        }
        let way: Vec<Hex> = order.path.iter().chain(&order.to).copied().collect();
        changed.extend(self.leaders_beside(side, &way));
        changed.extend(subjects(way));
        let what = pieces.first().map_or("march".to_owned(), |piece| format!("march of {piece}"));
        self.umpire.forgo(bars, changed, |bars| Event::not_done(what, bars));
    }

    /// A15b: whether the enemy's lone leaders stay hangs on who comes beside them.
    fn leaders_beside(&self, side: Side, way: &[Hex]) -> Vec<Subject> {
        let leaders = self.now().lone_leaders(Play::enemy(side), way).into_iter();
        leaders.flat_map(|(leader, at, _)| [Subject::of(leader), Subject::of(at)]).collect()
    }

    /// The way to the goal of an order, as its author would choose it: he knows what his counters hold (§14.5.1e).
    fn complete_path(&self, order: &mut MoveOrder, pieces: &[Piece], marcher: &Marcher) {
        let known = self.author_knows();
        let now = Position { game: self.game, state: self.state, known: &known };
        if order.path.first() == Some(&marcher.from) {
            order.path.remove(0);
        }
        // A61: who marches closed vouches for the way he wrote down; nobody who cannot look under it finds one for him.
        let seen = self.closed(pieces).iter().all(|name| known.0.contains_key(name));
        if let Some(to) = order.to.filter(|_| order.path.is_empty())
            && to != marcher.from
            && seen
            && let Some((path, _)) = now.way(pieces, to, order.real)
        {
            order.path = path;
            order.to = None;
        }
    }

    /// Walks a path.
    fn walk(&mut self, marcher: &Marcher, pieces: Vec<Piece>, order: &MoveOrder) -> Ruling<()> {
        let path: Vec<Hex> = std::iter::once(marcher.from).chain(order.path.iter().copied()).collect();
        let leaders = self.leaders_beside(marcher.force.side(), &order.path);
        let data = self.data();
        let mut walker = Walker {
            play: self,
            marcher,
            all: pieces.clone(),
            pieces,
            order,
            told: Told { from: marcher.from, paid: Vec::new() },
            led: false,
            astray: None,
        };
        march(
            &data.grid,
            &mut walker,
            &path,
            marcher.purse,
            |_, from, _: Bearing, to| marcher.step(data, from, to),
            |walker, stride| walker.enter(stride),
        )?;
        walker.flush();
        if let Some(left) = walker.astray {
            let hex = walker.told.from;
            let led = walker.play.finish_move(&walker.pieces, hex, left)?;
            if led.is_empty() {
                walker.halt(hex, "lost in the jungle", "A46b");
                walker.reactions(hex)?;
            } else {
                walker.led = true;
                let path: Vec<Hex> = std::iter::once(hex).chain(led).collect();
                let Some(astray) = walker.play.now().marcher(&walker.pieces, false) else { return Ok(()) };
                march(
                    &data.grid,
                    &mut walker,
                    &path,
                    Mp::whole(left),
                    |_, from, _: Bearing, to| astray.step(data, from, to),
                    |walker, stride| walker.enter(stride),
                )?;
                walker.flush();
            }
        }
        let all = walker.all.clone();
        self.moved.extend(all.iter().copied());
        self.umpire.rests(&subjects(&all), subjects(&path).into_iter().chain(leaders));
        Ok(())
    }
}
