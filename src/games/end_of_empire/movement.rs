//! Chapter 8: movement, hex by hex. On entering each hex come the jungle roll (§14.1), the guerrillas beside it (§11.2.2)
//! and what is found there (A51, §4.3).

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::board::{Bearing, Hex, Points, Reach, Step, Stride, WalkFault, cheapest_path, march, reach, walk};
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Concealed, Question, Ruling, Say, Sealed, Side, Subject, Tally, Touch};

use super::data::Data;
use super::events::{Event, Paid};
use super::guerrillas::Reaction;
use super::orders::{Balloon, MoveOrder};
use super::play::{Play, subjects};
use super::policy::{FINISH_MOVE, Policy};
use super::position::{Crowd, Position};
use super::state::{Place, State};
use super::terms::{Content, Force, JungleResult, Piece, Terrain, UnitKind};
use super::{SPAIN, US};

/// Whole movement points.
pub type Mp = Points<1>;

/// Who marches: everything the step rule asks.
pub struct Marcher {
    /// The force.
    pub force: Force,
    /// Where they start.
    pub from: Hex,
    /// Movement points of the slowest (§8.1g).
    pub purse: Mp,
    /// In guerrilla (§11.2.2a).
    guerrilla: bool,
    /// Nobody who must keep away from every enemy piece (A16c).
    bold: bool,
    /// A logistic column in the open (§14.5.1e).
    logistic: bool,
    crowd: Crowd,
}

impl Marcher {
    /// The one step rule: what entering a hex costs, or why it cannot be entered.
    pub fn step(&self, data: &Data, from: Hex, to: Hex) -> Step<Bar, 1> {
        let about = |bar: Bar| bar.about([Subject::of(to)]);
        let Some(cost) = data.step_cost(from, to) else {
            return Step::Barred(Bar::new("A95a", format!("{to} is all water"), "go around it").firm());
        };
        if self.crowd.has(data, to, Crowd::ENEMY) {
            return Step::Barred(about(Bar::new("A16a", format!("the enemy holds {to}"), "attack it instead")));
        }
        if self.crowd.has(data, to, Crowd::BYSTANDER) && !self.bold {
            let why = format!("an enemy piece is in {to}, which only real combat units may enter");
            let remedy = "leave leaders, signals, logistic columns and dummies out of it";
            return Step::Barred(about(Bar::new("A16c", why, remedy)));
        }
        if self.crowd.has(data, to, Crowd::ALLY) {
            let why = format!("{to} holds the other force of the US player");
            return Step::Barred(about(Bar::new("A76", why, "Cubans and US Army never share a hex")));
        }
        if self.guerrilla && data.terrain(to).bars_guerrillas() {
            let why = format!("{} is closed to units in guerrilla", data.describe(to));
            return Step::Barred(Bar::new("11.2.2a", why, "deploy them in regular order").firm());
        }
        let river = data.river_between(from, to);
        if river && self.logistic && !data.ford_between(from, to) {
            let why = format!("a logistic column cannot cross the river between {from} and {to}");
            return Step::Barred(Bar::new("14.5.1e", why, "use a ford or bridge").firm());
        }
        Step::Pay(Mp::whole(cost))
    }

    /// May they stop there (§11.1b, A42c)?
    pub fn may_stop(&self, data: &Data, hex: Hex) -> bool {
        let other = if self.guerrilla { Crowd::REGULAR } else { Crowd::GUERRILLA };
        hex == self.from || !self.crowd.has(data, hex, other)
    }
}

impl Position<'_> {
    /// Why a piece may not march at all.
    pub fn bars_marching(&self, side: Side, piece: Piece, moved: &BTreeSet<Piece>, lowering: bool) -> Vec<Bar> {
        let mut bars = Vec::new();
        let about = |bar: Bar| bar.about([Subject::of(piece)]);
        if self.force(piece).is_none_or(|force| force.side() != side) {
            return vec![Bar::new("0c", format!("{piece} is not yours"), "name a unit of your own").firm()];
        }
        if self.state.hex_of(piece).is_none() {
            let why = match (self.kind(piece), self.under(piece)) {
                (_, Some(counter)) => format!("{piece} is under {counter}"),
                _ => format!("{piece} is not on the map"),
            };
            return vec![about(Bar::new("8.1a", why, "name what stands on the map"))];
        }
        let (landed, stopped) = match self.state.counters.get(&piece) {
            Some(counter) => (counter.landed, counter.stopped),
            None => (self.state.unit(piece).landed, self.state.unit(piece).stopped),
        };
        if landed {
            bars.push(about(Bar::new("8.2d", format!("{piece} landed this turn"), "move it next turn")));
        }
        if stopped {
            bars.push(about(Bar::new("A90", format!("{piece} was ambushed this turn"), "move it next turn")));
        }
        if self.frozen(piece) {
            bars.push(about(Bar::new("3m", format!("{piece} is not released"), "wait for event 34-36")));
        }
        if moved.contains(&piece) {
            bars.push(Bar::new("A77", format!("{piece} has moved"), "a unit moves once in a phase").firm());
        }
        if self.kind(piece) == Some(UnitKind::Signals) && self.state.balloon_up && !lowering {
            bars.push(about(Bar::new("A53a", "the balloon is up", "write `balloon: down` to bring it down first")));
        }
        bars
    }

    /// Who marches together: all of one hex. `real` vouches for closed counters.
    pub fn marcher(&self, pieces: &[Piece], real: bool) -> Option<Marcher> {
        let first = *pieces.first()?;
        let force = self.force(first)?;
        let from = self.state.hex_of(first)?;
        let open = |piece: &&Piece| !self.state.counters.contains_key(*piece);
        let hanger = |piece: &Piece| self.kind(*piece).is_some_and(UnitKind::is_hanger_on);
        let allowance = |piece: &Piece| match self.kind(*piece) {
            Some(UnitKind::Signals) => self.unit(*piece).map_or(0, |unit| unit.front.r#move),
            _ => self.allowance(*piece),
        };
        Some(Marcher {
            force,
            from,
            purse: Mp::whole(pieces.iter().map(allowance).min().unwrap_or(0)),
            guerrilla: pieces.iter().any(|piece| self.in_guerrilla(*piece)),
            bold: !pieces.iter().any(hanger) && (real || pieces.iter().all(|piece| open(&piece))),
            logistic: pieces.iter().any(|piece| self.kind(*piece) == Some(UnitKind::LogisticColumn)),
            crowd: self.crowd(force),
        })
    }

    /// Everything that can be reached by these pieces.
    pub fn reach(&self, marcher: &Marcher) -> Reach<crate::board::HexGrid, 1> {
        let data = self.data();
        reach(&data.grid, marcher.from, marcher.purse, |from, _: Bearing, to| marcher.step(data, from, to))
    }

    /// The hexes these pieces can march to and stop in, with the way there and its cost; not the hex they are in.
    pub fn routes(&self, pieces: &[Piece], real: bool) -> Vec<(Hex, Vec<Hex>, u32)> {
        let Some(marcher) = self.marcher(pieces, real) else { return Vec::new() };
        let reach = self.reach(&marcher);
        let goals = reach.costs().filter(|(hex, _)| *hex != marcher.from && marcher.may_stop(self.data(), *hex));
        goals
            .filter_map(|(hex, cost)| Some((hex, reach.path(hex)?.into_iter().skip(1).collect(), cost.floor())))
            .collect()
    }

    /// Hexes where a closed counter has to say that it is real to matter (A103).
    pub fn wants_control(&self, hex: Hex, side: Side) -> bool {
        let data = self.data();
        let matters = data.ground(hex).is_some_and(|ground| ground.objective) || data.is_ring(hex);
        let base = side == SPAIN && self.state.base == Some(hex);
        base || matters && self.us_controls(hex) != (side == US)
    }
}

/// A march under way.
struct Walker<'w, 'p, 'u> {
    play: &'w mut Play<'p, 'u>,
    marcher: &'w Marcher,
    pieces: Vec<Piece>,
    /// Everybody who set out.
    all: Vec<Piece>,
    order: &'w MoveOrder,
    from: Hex,
    paid: Vec<Paid>,
    led: bool,
    /// The opponent leads on from here.
    astray: Option<u32>,
}

impl Walker<'_, '_, '_> {
    /// Tells the march so far.
    fn flush(&mut self) {
        if self.paid.is_empty() {
            return;
        }
        let path = std::mem::take(&mut self.paid);
        let (from, spent) = (self.from, path.iter().map(|paid| paid.cost).sum());
        self.from = path.last().map_or(from, |paid| paid.hex);
        self.play.umpire.note(Event::Moved { units: self.pieces.clone(), from, path, spent, led: self.led });
    }

    fn halt(&mut self, at: Hex, why: &str, clause: &'static str) {
        let units = self.pieces.clone();
        self.play.umpire.note(Event::Halted { units, at, why: why.to_owned(), clause: Clause(clause) });
    }

    /// A hex is entered.
    fn enter(&mut self, stride: Stride<Hex, 1>) -> Ruling<ControlFlow<()>> {
        let hex = stride.to;
        self.paid.push(Paid { hex, cost: stride.cost.floor() });
        for piece in &self.pieces {
            self.play.put(*piece, hex);
        }
        self.play.occupy(&self.pieces, hex, self.order.real)?;
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

    /// The guerrillas beside a hex strike at who has entered it (§11.2.2b). True if the march is over.
    fn reactions(&mut self, hex: Hex) -> Ruling<bool> {
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
    fn carried_by(&self, force: Force, side: Side, order: &MoveOrder) -> bool {
        let last = Force::of(side).first() == Some(&force);
        match self.marching_force(order) {
            Some(of) if of.side() == side => of == force,
            _ => last,
        }
    }

    /// Fills in path, `real` and `logistic` where the author left them to the program, and lets him vouch for what his
    /// closed counters must be. Before any die.
    pub fn vouch_for_moves(&mut self, side: Side, moves: &mut [Concealed<MoveOrder>]) -> Ruling<()> {
        // Each finds those before it where they are ordered to: Cubans march first (§2j).
        let mut ahead = self.state.clone();
        for force in Force::of(side).iter().rev() {
            for (index, entry) in moves.iter_mut().enumerate() {
                let Concealed::Open(order) = entry else { continue };
                if !self.carried_by(*force, side, order) {
                    continue;
                }
                let at = DocPath::root().key("moves").index(index);
                self.entry(at, |play| play.vouch_for_move(side, order, &ahead))?;
                if let Some(end) = order.path.last().copied().or(order.to) {
                    for piece in &order.units {
                        ahead.shift(*piece, order.drop.get(piece).copied().unwrap_or(end));
                    }
                }
            }
        }
        Ok(())
    }

    /// `state` is the position in which the march will begin.
    fn vouch_for_move(&mut self, side: Side, order: &mut MoveOrder, state: &State) -> Ruling<()> {
        let own: Vec<Piece> = (order.units.iter().copied())
            .filter(|piece| self.now().force(*piece).is_some_and(|force| force.side() == side))
            .collect();
        let closed = self.closed(&own);
        if closed.is_empty() {
            return Ok(());
        }
        let sealed = self.sealed_of(&closed);
        let known = super::position::Known::default();
        let now = Position { game: self.game, state, known: &known };
        // `to` is read with the eyes of who can see under the counters.
        if self.umpire.foresees() {
            let mut contents = super::position::Known::default();
            for (name, sealed) in closed.iter().zip(&sealed) {
                contents.0.insert(*name, self.umpire.open_or(sealed, &[], Content::Dummy)?);
            }
            let seeing = Position { known: &contents, ..now };
            let real = contents.0.values().all(|content| now.data().is_real(content));
            if order.path.is_empty()
                && let Some(to) = order.to
                && let Some((path, _)) = seeing.way(&own, to, order.real).or_else(|| seeing.way(&own, to, real))
            {
                order.path = path;
                order.to = None;
            }
            let crowd = now.force(own[0]).map(|force| now.crowd(force));
            let tells = |hex: &Hex| {
                let beside = crowd.as_ref().is_some_and(|crowd| crowd.has(now.data(), *hex, Crowd::BYSTANDER));
                beside || now.wants_control(*hex, side)
            };
            order.real |= real && order.path.iter().any(tells);
            order.logistic |= contents.0.values().any(|content| now.data().has_train(content));
        }
        let all: Vec<&Sealed<Content>> = sealed.iter().collect();
        let allowance = |held: &[Content]| {
            closed.iter().zip(held).map(|(name, content)| now.content_allowance(*name, content)).min().unwrap_or(0)
        };
        if let Some(marcher) = now.marcher(&own, true) {
            let data = self.data();
            let path: Vec<Hex> = std::iter::once(marcher.from).chain(order.path.iter().copied()).collect();
            let steps = path.windows(2).filter_map(|pair| data.step_cost(pair[0], pair[1]));
            let cost: u32 = steps.sum();
            let why = format!("the way costs {cost}, more than the slowest unit under the counters has");
            let bar = Bar::new("A61", why, "choose a shorter way").part("path");
            self.umpire.vouch(&all, bar, |held| allowance(held) >= cost)?;
            let wet = path
                .windows(2)
                .any(|pair| matches!(pair, [a, b] if data.river_between(*a, *b) && !data.ford_between(*a, *b)));
            if wet {
                let bar =
                    Bar::new("14.5.1e", "a logistic column is under the counter", "use a ford or bridge").part("path");
                self.umpire.vouch(&all, bar, |held| !held.iter().any(|content| now.data().has_train(content)))?;
            }
        }
        if order.real {
            let bar = Bar::new("A103", "a dummy is among them", "do not say that it is real").part("real");
            self.umpire.vouch(&all, bar, |held| held.iter().all(|content| now.data().is_real(content)))?;
        }
        let said = order.logistic;
        let bar = Bar::new(
            "11.3.2a",
            "whether a logistic column is under the counters is said wrongly",
            "say `logistic: yes` if one is",
        );
        self.umpire
            .vouch(&all, bar.part("logistic"), |held| held.iter().any(|content| now.data().has_train(content)) == said)
    }

    /// A105: where everything will stand if all goes as ordered; hexes with closed counters are vouched for.
    pub fn project(&mut self, force: Force, orders: &super::orders::TurnOrders, names: &[Option<Piece>]) -> Ruling<()> {
        let side = force.side();
        let mut state = self.state.clone();
        for (entry, name) in orders.land.iter().zip(names) {
            if let Some(name) = name {
                let holds = Sealed::new(side, super::setup::slot_of(*name, state.turn)?);
                state.counters.insert(*name, super::state::CounterState::new(force, entry.at, holds, None));
            }
            for unit in &entry.units {
                if let Some(now) = state.units.get_mut(unit).filter(|now| now.at == Place::Off) {
                    now.at = Place::At(entry.at);
                }
            }
        }
        let known = super::position::Known::default();
        let now = Position { game: self.game, state: &state, known: &known };
        let mut places: std::collections::BTreeMap<Piece, Hex> =
            now.on_map(side).into_iter().filter_map(|piece| Some((piece, state.hex_of(piece)?))).collect();
        for entry in &orders.moves {
            let Concealed::Open(order) = entry else { continue };
            let Some(end) = order.path.last().copied().or(order.to) else { continue };
            for piece in &order.units {
                if let Some(place) = places.get_mut(piece) {
                    *place = order.drop.get(piece).copied().unwrap_or(end);
                }
            }
        }
        self.projected.clear();
        for (piece, hex) in places {
            self.projected.entry(hex).or_default().insert(piece);
        }
        for (hex, pieces) in self.projected.clone() {
            let stack: Vec<Piece> = pieces.into_iter().collect();
            let closed: Vec<Piece> = stack.iter().copied().filter(|piece| state.counters.contains_key(piece)).collect();
            let Some(force) = stack.first().and_then(|piece| now.force(*piece)).filter(|_| !closed.is_empty()) else {
                continue;
            };
            let sealed: Vec<Sealed<Content>> =
                closed.iter().filter_map(|name| Some(state.counters.get(name)?.holds.0.clone())).collect();
            let fits = |held: &[Content]| {
                let of = |name: Piece| held.get(closed.iter().position(|other| *other == name)?).cloned();
                !now.too_much(hex, force, now.bulk_of(&stack, of))
            };
            let bar = Bar::new(
                "A105",
                format!("{hex} would be overstacked, with closed counters in it"),
                "send some elsewhere",
            );
            self.entry(DocPath::root().key("moves"), |play| {
                play.umpire.vouch(&sealed.iter().collect::<Vec<_>>(), bar, fits)
            })?;
        }
        Ok(())
    }

    /// One order to march.
    fn carry_move(&mut self, side: Side, order: &mut MoveOrder) -> Ruling<()> {
        let mut pieces: Vec<Piece> = Vec::new();
        let lowering = order.balloon == Some(Balloon::Down);
        // From where the first of them starts who is still there.
        let mut start: Option<Hex> = None;
        for (index, piece) in order.units.iter().enumerate() {
            let part = DocPath::root().key("units").index(index);
            let mut bars = self.now().bars_marching(side, *piece, &self.moved, lowering);
            let from = self.state.hex_of(*piece);
            if bars.is_empty() && start.is_some() && from != start {
                let why = format!("{piece} does not start from the same hex");
                bars.push(Bar::new("A77", why, "order it apart").about(subjects([*piece])));
            }
            if pieces.contains(piece) {
                bars.push(Bar::new("A77", format!("{piece} is named twice"), "name it once").firm());
            }
            if !bars.is_empty() {
                self.lapse(format!("march of {piece}"), bars.into_iter().map(|bar| bar.at(part.clone())).collect());
                continue;
            }
            start = from;
            pieces.push(*piece);
        }
        if order.units.is_empty() {
            let bar = Bar::new("8.1a", "nobody marches by this order", "name units").part("units").firm();
            self.lapse("march", vec![bar]);
        }
        if pieces.is_empty() {
            return Ok(());
        }
        let signals = self.data().cast().signals.filter(|id| pieces.contains(id));
        if order.balloon.is_some() && (signals.is_none() || !self.game.options.balloon) {
            let bar = Bar::new("14.8a", "there is no balloon among them", "leave `balloon` out").part("balloon").firm();
            self.lapse("balloon", vec![bar]);
        }
        if let (Some(signals), true, true) = (signals, lowering, self.state.balloon_up) {
            self.state.balloon_up = false;
            let at = self.state.hex_of(signals).unwrap_or(Hex::printed(101));
            self.umpire.note(Event::BalloonSet { up: false, at });
        }
        let Some(marcher) = self.now().marcher(&pieces, order.real) else { return Ok(()) };
        self.complete_path(order, &pieces, &marcher);
        let still = order.path.is_empty();
        if still && order.balloon.is_none() {
            if order.to.is_none() {
                let bar = Bar::new("8.1a", "the order leads nowhere", "give a `path` or `to`").firm();
                self.lapse("march", vec![bar]);
            }
            return Ok(());
        }
        let bars = self.now().bars_path(&marcher, order, &pieces);
        if !bars.is_empty() {
            // Whoever may not stop at the end of the way stays where he is; otherwise it is walked as far as it goes.
            let stays = bars.iter().any(|bar| ["11.1b", "A42c"].contains(&bar.clause.0));
            self.lapse(format!("march of {}", pieces[0]), bars);
            if stays {
                return Ok(());
            }
        }
        self.moved.extend(pieces.iter().copied());
        let at = match still {
            true => Some(marcher.from),
            false => self.walk(&marcher, pieces, order)?,
        };
        // §14.8d: at the end of its own movement.
        if let (Some(Balloon::Up), Some(signals)) = (order.balloon, signals)
            && self.game.options.balloon
            && let Some(hex) = self.state.hex_of(signals).filter(|hex| at == Some(*hex) || still)
        {
            self.state.balloon_up = true;
            self.umpire.note(Event::BalloonSet { up: true, at: hex });
        }
        Ok(())
    }

    fn complete_path(&self, order: &mut MoveOrder, pieces: &[Piece], marcher: &Marcher) {
        if order.path.first() == Some(&marcher.from) {
            order.path.remove(0);
        }
        if let Some(to) = order.to.filter(|_| order.path.is_empty())
            && to != marcher.from
            && let Some((path, _)) = self.now().way(pieces, to, order.real)
        {
            order.path = path;
            order.to = None;
        }
    }

    /// Walks a path; gives the hex where it ends if anybody is left.
    fn walk(&mut self, marcher: &Marcher, pieces: Vec<Piece>, order: &MoveOrder) -> Ruling<Option<Hex>> {
        let path: Vec<Hex> = std::iter::once(marcher.from).chain(order.path.iter().copied()).collect();
        let data = self.data();
        let mut walker = Walker {
            play: self,
            marcher,
            all: pieces.clone(),
            pieces,
            order,
            from: marcher.from,
            paid: Vec::new(),
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
            let hex = walker.from;
            let led = walker.play.finish_move(&walker.pieces, hex, left)?;
            if led.is_empty() {
                walker.halt(hex, "lost in the jungle", "A46b");
                walker.reactions(hex)?;
            } else {
                walker.led = true;
                let path: Vec<Hex> = std::iter::once(hex).chain(led).collect();
                let Some(astray) = walker.play.now().marcher(&walker.pieces, false) else { return Ok(None) };
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
        let (pieces, all) = (walker.pieces.clone(), walker.all.clone());
        self.moved.extend(all.iter().copied());
        self.umpire.rests(&subjects(&all), subjects(&path));
        Ok(pieces.first().and_then(|piece| self.state.hex_of(*piece)))
    }

    /// §14.1, A46: the jungle roll of a US stack.
    fn jungle_roll(&mut self, pieces: &[Piece], hex: Hex) -> Ruling<JungleResult> {
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
    fn finish_move(&mut self, pieces: &[Piece], hex: Hex, left: u32) -> Ruling<Vec<Hex>> {
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
        let known = super::position::Known::default();
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

impl Position<'_> {
    /// The cheapest way for these pieces to a hex, and its cost.
    pub fn way(&self, pieces: &[Piece], to: Hex, real: bool) -> Option<(Vec<Hex>, u32)> {
        let marcher = self.marcher(pieces, real)?;
        let data = self.data();
        let step = |from, _: Bearing, to| marcher.step(data, from, to);
        let (path, cost) = cheapest_path(&data.grid, marcher.from, to, marcher.purse, step)?;
        Some((path.into_iter().skip(1).collect(), cost.floor()))
    }

    /// Everything wrong with the way of an order.
    fn bars_path(&self, marcher: &Marcher, order: &MoveOrder, pieces: &[Piece]) -> Vec<Bar> {
        let data = self.data();
        let mut bars = Vec::new();
        if let Some(to) = order.to.filter(|_| order.path.is_empty()) {
            let why = format!("{to} cannot be reached with {} movement points", marcher.purse);
            let about = subjects(pieces.iter().map(Piece::to_string).chain([to.to_string()]));
            bars.push(Bar::new("8.1e", why, "see `garcia reach`").part("to").about(about));
            return bars;
        }
        let path: Vec<Hex> = std::iter::once(marcher.from).chain(order.path.iter().copied()).collect();
        let walked = walk(&data.grid, &path, marcher.purse, |from, _: Bearing, to| marcher.step(data, from, to));
        let part = |at: usize| DocPath::root().key("path").index(at.saturating_sub(1));
        let steps = walked.steps();
        match walked.fault {
            None | Some(WalkFault::Empty) => {}
            Some(WalkFault::OffMap { at, cell }) => {
                bars.push(Bar::new("8.1b", format!("{cell} is not on the map"), "stay on the map").at(part(at)).firm());
            }
            Some(WalkFault::NotAdjacent { at, from, to }) => {
                let bar = Bar::new("8.1b", format!("{to} does not touch {from}"), "name every hex on the way");
                bars.push(bar.at(part(at)));
            }
            Some(WalkFault::Barred { at, why, .. }) => bars.push(why.at(part(at))),
            Some(WalkFault::Exhausted { at, to, spent, needed, purse, .. }) => {
                let why = format!("{to} costs {needed} after {spent} of {purse} movement points");
                bars.push(Bar::new("8.1e", why, "stop before it").at(part(at)));
            }
            Some(WalkFault::Halted { .. }) => {}
        }
        if let Some(end) = path.get(steps).filter(|_| steps > 0) {
            let stays = pieces.iter().any(|piece| !order.drop.contains_key(piece));
            if stays && !marcher.may_stop(data, *end) {
                let why = format!("units in guerrilla and others cannot share {end}");
                bars.push(Bar::new("11.1b", why, "stop elsewhere").part("path").about(subjects([*end])));
            }
        }
        for (piece, hex) in &order.drop {
            let part = DocPath::root().key("drop").key(piece.as_str());
            if !pieces.contains(piece) {
                bars.push(Bar::new("A77", format!("{piece} does not march with them"), "leave it out").at(part).firm());
            } else if !order.path.contains(hex) {
                bars.push(
                    Bar::new("A77", format!("the way does not lead through {hex}"), "name a hex on the way")
                        .at(part)
                        .firm(),
                );
            } else if !marcher.may_stop(data, *hex) {
                bars.push(Bar::new("A42c", format!("{piece} cannot stay in {hex}"), "drop it elsewhere").at(part));
            }
        }
        bars
    }
}
