//! §8.1: who marches, what a step costs him, and what is wrong with a way.

use std::collections::{BTreeMap, BTreeSet};

use crate::board::{Bearing, Hex, Points, Reach, Step, WalkFault, cheapest_path, reach, walk};
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Side, Subject};

use super::data::Data;
use super::orders::{Balloon, MoveOrder};
use super::play::subjects;
use super::position::{Crowd, Position};
use super::terms::{Force, Piece, UnitKind};
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
    /// Somebody whom lone leaders of the enemy flee (A15b).
    fights: bool,
    /// A logistic column, in the open or known to be under a counter (§14.5.1e).
    logistic: bool,
    /// Legs of the way that only some of them march, and the last two of these for them (A77).
    lighter: BTreeMap<(Hex, Hex), (bool, bool)>,
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
        let (bold, logistic) = self.lighter.get(&(from, to)).copied().unwrap_or((self.bold, self.logistic));
        if self.meets(data, from, to) && !bold {
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
        if river && logistic && !data.ford_between(from, to) {
            let why = format!("a logistic column cannot cross the river between {from} and {to}");
            return Step::Barred(Bar::new("14.5.1e", why, "use a ford or bridge").firm());
        }
        Step::Pay(Mp::whole(cost))
    }

    /// Is another enemy piece than fighters in a hex when they come to it? Leaders alone have left it as soon as a fighter of theirs
    /// has come beside them (A15b).
    pub fn meets(&self, data: &Data, from: Hex, to: Hex) -> bool {
        let fled = self.fights && from != self.from && !data.touch(self.from, to);
        self.crowd.has(data, to, if fled { Crowd::STEADY } else { Crowd::BYSTANDER })
    }

    /// May they stop there (§11.1b, A42c)?
    pub fn may_stop(&self, data: &Data, hex: Hex) -> bool {
        let other = if self.guerrilla { Crowd::REGULAR } else { Crowd::GUERRILLA };
        hex == self.from || !self.crowd.has(data, hex, other)
    }
}

fn broken(data: &Data, from: Hex, to: Hex) -> Bar {
    let next: Vec<String> = data.neighbours(from).map(|hex| hex.to_string()).collect();
    let remedy = format!("from {from} the next hex is one of {}", next.join(", "));
    Bar::new("8.1b", format!("{to} does not touch {from}"), remedy)
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
        let stopped = self.state.counters.get(&piece).map_or(self.state.unit(piece).stopped, |counter| counter.stopped);
        if self.landed(piece) {
            bars.push(about(Bar::new("8.2d", format!("{piece} landed this turn"), "move it next turn")));
        }
        if stopped {
            bars.push(about(Bar::new("A90", format!("{piece} was ambushed this turn"), "move it next turn")));
        }
        if self.frozen(piece) {
            bars.push(about(Bar::new("3m", format!("{piece} is not released"), "wait for event 34-36")));
        }
        if moved.contains(&piece) {
            // Whom a die showed on the march has moved with the counter he was under.
            bars.push(about(Bar::new("A77", format!("{piece} has moved"), "a unit moves once in a phase").firm()));
        }
        if self.kind(piece) == Some(UnitKind::Signals) && self.state.balloon_up && !lowering {
            let remedy = "write `balloon: down` to bring it down first, or `up` to have it up again at the end";
            bars.push(about(Bar::new("A53a", "the balloon is up", remedy)));
        }
        bars
    }

    /// Everybody an order names, with why he does not march by it (A77): all start where the first of them does who is still
    /// there.
    pub fn falling_in(&self, side: Side, order: &MoveOrder, moved: &BTreeSet<Piece>) -> Vec<(Piece, Vec<Bar>)> {
        let lowering = order.balloon.is_some();
        let mut start: Option<Hex> = None;
        let mut pieces: Vec<Piece> = Vec::new();
        let mut all = Vec::new();
        for (index, piece) in order.units.iter().copied().enumerate() {
            let mut bars = self.bars_marching(side, piece, moved, lowering);
            let from = self.state.hex_of(piece);
            if bars.is_empty() && start.is_some() && from != start {
                let why = format!("{piece} does not start from the same hex");
                bars.push(Bar::new("A77", why, "order it apart").about(subjects([piece])));
            }
            if pieces.contains(&piece) {
                bars.push(Bar::new("A77", format!("{piece} is named twice"), "name it once").firm());
            }
            if bars.is_empty() {
                start = from;
                pieces.push(piece);
            }
            let part = DocPath::root().key("units").index(index);
            all.push((piece, bars.into_iter().map(|bar| bar.at(part.clone())).collect()));
        }
        all
    }

    /// Who marches together: all of one hex. `real` vouches for closed counters.
    pub fn marcher(&self, pieces: &[Piece], real: bool) -> Option<Marcher> {
        let first = *pieces.first()?;
        let force = self.force(first)?;
        let from = self.state.hex_of(first)?;
        let allowance = |piece: &Piece| match self.kind(*piece) {
            Some(UnitKind::Signals) => self.unit(*piece).map_or(0, |unit| unit.front.r#move),
            _ => self.allowance(*piece),
        };
        Some(Marcher {
            force,
            from,
            purse: Mp::whole(pieces.iter().map(allowance).min().unwrap_or(0)),
            guerrilla: pieces.iter().any(|piece| self.in_guerrilla(*piece)),
            fights: pieces.iter().any(|piece| self.kind(*piece).map_or(real, UnitKind::is_combat)),
            bold: self.are_bold(pieces, real),
            logistic: self.have_train(pieces),
            lighter: BTreeMap::new(),
            crowd: self.crowd(force),
        })
    }

    /// Who marches by an order, some of them perhaps only a part of the way (A77): who is left behind before a river or an enemy
    /// piece does not keep the others from it.
    pub fn marcher_by(&self, order: &MoveOrder, pieces: &[Piece]) -> Option<Marcher> {
        let mut marcher = self.marcher(pieces, order.real)?;
        let path: Vec<Hex> = std::iter::once(marcher.from).chain(order.path.iter().copied()).collect();
        for (number, leg) in path.windows(2).enumerate().filter(|_| !order.drop.is_empty()) {
            let led: Vec<Piece> = pieces.iter().copied().filter(|piece| order.is_led(*piece, number)).collect();
            let (bold, logistic) = (self.are_bold(&led, order.real), self.have_train(&led));
            // Marched twice, it must be open to all who do.
            let here = marcher.lighter.entry((leg[0], leg[1])).or_insert((bold, logistic));
            *here = (here.0 && bold, here.1 || logistic);
        }
        Some(marcher)
    }

    /// Is nobody among these who must keep away from every enemy piece (A16c)? `real` vouches for closed counters.
    fn are_bold(&self, pieces: &[Piece], real: bool) -> bool {
        let hanger = |piece: &Piece| {
            let under =
                self.known.0.get(piece).is_some_and(|content| self.data().holds(content, UnitKind::is_hanger_on));
            under || self.kind(*piece).is_some_and(UnitKind::is_hanger_on)
        };
        !pieces.iter().any(hanger) && (real || !pieces.iter().any(|piece| self.state.counters.contains_key(piece)))
    }

    /// Is a logistic column among these, in the open or known to be under a counter (§14.5.1e)?
    fn have_train(&self, pieces: &[Piece]) -> bool {
        let train = |piece: &Piece| {
            let under = self.known.0.get(piece).is_some_and(|content| self.data().has_train(content));
            under || self.kind(*piece) == Some(UnitKind::LogisticColumn)
        };
        pieces.iter().any(train)
    }

    /// Everything that can be reached by these pieces.
    pub fn reach(&self, marcher: &Marcher) -> Reach<crate::board::HexGrid, 1> {
        let data = self.data();
        reach(&data.grid, marcher.from, marcher.purse, |from, _: Bearing, to| marcher.step(data, from, to))
    }

    /// What can be done with the balloon by these, who march or stay: up at the end, and down before it, for a march that ends
    /// with it up again too (§14.8d, A53a).
    pub fn balloon_orders(&self, pieces: &[Piece], marches: bool) -> &'static [Balloon] {
        let signals = self.data().cast().signals.filter(|id| self.game.options.balloon && pieces.contains(id));
        match (signals, self.state.balloon_up) {
            (None, _) => &[],
            (Some(_), false) => &[Balloon::Up],
            (Some(_), true) if marches => &[Balloon::Down, Balloon::Up],
            (Some(_), true) => &[Balloon::Down],
        }
    }

    /// Is none of these a dummy, as far as the viewer knows (A16, A52a, A103)?
    pub fn all_real(&self, pieces: &[Piece]) -> bool {
        pieces.iter().all(|piece| self.known.0.get(piece).is_none_or(|content| self.data().is_real(content)))
    }

    /// The hexes these pieces can march to and stop in, with the way there and its cost; not the hex they are in.
    pub fn routes(&self, pieces: &[Piece]) -> Vec<(Hex, Vec<Hex>, u32)> {
        let Some(marcher) = self.marcher(pieces, self.all_real(pieces)) else { return Vec::new() };
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

    /// The cheapest way for these pieces to a hex, and its cost.
    pub fn way(&self, pieces: &[Piece], to: Hex, real: bool) -> Option<(Vec<Hex>, u32)> {
        let marcher = self.marcher(pieces, real)?;
        let data = self.data();
        let step = |from, _: Bearing, to| marcher.step(data, from, to);
        let (path, cost) = cheapest_path(&data.grid, marcher.from, to, marcher.purse, step)?;
        Some((path.into_iter().skip(1).collect(), cost.floor()))
    }

    /// The hexes that somebody holds on the cheapest way there would be if nobody did.
    fn in_the_way(&self, marcher: &Marcher, to: Hex) -> Vec<Hex> {
        let data = self.data();
        let held = |bar: &Bar| !bar.firm;
        let step = |from, _: Bearing, to| match (marcher.step(data, from, to), data.step_cost(from, to)) {
            (Step::Barred(bar), Some(cost)) if held(&bar) => Step::Pay(Mp::whole(cost)),
            (step, _) => step,
        };
        let Some((path, _)) = cheapest_path(&data.grid, marcher.from, to, marcher.purse, step) else {
            return Vec::new();
        };
        let barred = |pair: &&[Hex]| matches!(marcher.step(data, pair[0], pair[1]), Step::Barred(bar) if held(&bar));
        path.windows(2).filter(barred).map(|pair| pair[1]).collect()
    }

    /// Everything wrong with the way of an order.
    pub fn bars_path(&self, marcher: &Marcher, order: &MoveOrder, pieces: &[Piece]) -> Vec<Bar> {
        let data = self.data();
        let mut bars = Vec::new();
        if let Some(to) = order.to.filter(|_| order.path.is_empty()) {
            // How many those under a counter have is for their owner to know (A61).
            let why = match pieces.iter().any(|piece| self.state.counters.contains_key(piece)) {
                true => format!("{to} cannot be reached by who is under the counters"),
                false => format!("{to} cannot be reached with {} movement points", marcher.purse),
            };
            let held = self.in_the_way(marcher, to).into_iter().map(|hex| hex.to_string());
            let about = subjects(pieces.iter().map(Piece::to_string).chain([to.to_string()]).chain(held));
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
            // Where they start may hang on a die; how the hexes of the way lie to each other does not.
            Some(WalkFault::NotAdjacent { at: 1, from, to }) => {
                bars.push(broken(data, from, to).at(part(1)).about(subjects(pieces)));
            }
            Some(WalkFault::NotAdjacent { at, from, to }) => bars.push(broken(data, from, to).at(part(at)).firm()),
            Some(WalkFault::Barred { at, why, .. }) => bars.push(why.at(part(at))),
            Some(WalkFault::Exhausted { at, to, spent, needed, purse, .. }) => {
                let why = format!("{to} costs {needed} after {spent} of {purse} movement points");
                bars.push(Bar::new("8.1e", why, "stop before it").at(part(at)).about(subjects(pieces)));
            }
            Some(WalkFault::Halted { .. }) => {}
        }
        // A way that leads nowhere further on does so whether they come as far or not.
        let beyond = path.windows(2).enumerate().skip(steps + 1);
        let gap = beyond.map(|(at, pair)| (at + 1, pair[0], pair[1])).find(|(_, from, to)| !data.touch(*from, *to));
        bars.extend(gap.map(|(at, from, to)| broken(data, from, to).at(part(at)).firm()));
        if let Some(end) = path.get(steps).filter(|_| steps > 0) {
            let stays = pieces.iter().any(|piece| !order.drop.contains_key(piece));
            if stays && !marcher.may_stop(data, *end) {
                let why = format!("units in guerrilla and others cannot share {end}");
                // Whatever cuts the way short makes them stop there.
                let cut: Vec<Subject> = bars.iter().flat_map(|bar| bar.about.clone()).collect();
                bars.push(Bar::new("11.1b", why, "stop elsewhere").part("path").about(subjects([*end])).about(cut));
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
                let bar = Bar::new("A42c", format!("{piece} cannot stay in {hex}"), "drop it elsewhere");
                bars.push(bar.at(part).about(subjects([hex])));
            }
        }
        bars
    }
}
