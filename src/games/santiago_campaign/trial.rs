//! A copy of the position on which orders are tried out one after another: for the check, the template and the random
//! player.

use std::rc::Rc;

use crate::board::Hex;
use crate::engine::Side;

use super::data::Mp;
use super::movement::{Bar, Mover};
use super::play::{Known, Position, Trit};
use super::state::{Place, Post, Source, State};
use super::supply::{SupplyMaps, Suppose};
use super::terms::{Arm, Nation, Piece, Token};
use super::{SantiagoCampaign, US};

/// A copy of the position on which orders are tried out.
pub struct Trial<'g> {
    /// The table.
    pub game: &'g SantiagoCampaign,
    /// The position so far.
    pub state: State,
    /// What the author knows.
    pub known: Known,
    /// Supply as he sees it, until a Spanish counter or a source changes.
    supply: Option<Rc<SupplyMaps>>,
}

impl<'g> Trial<'g> {
    /// The position as it is.
    pub fn new(game: &'g SantiagoCampaign, state: &State, known: Known) -> Trial<'g> {
        Trial { game, state: state.clone(), known, supply: None }
    }

    /// The position so far.
    pub fn now(&self) -> Position<'_> {
        Position { game: self.game, state: &self.state, known: &self.known }
    }

    /// Supply for the movers of a side; Spanish ones need none (§12.1b).
    pub fn maps(&mut self, side: Side) -> Rc<SupplyMaps> {
        let maps = match self.supply.take() {
            Some(maps) => maps,
            None if side == US => Rc::new(self.now().supply_maps(Suppose::default())),
            None => Rc::new(SupplyMaps::everywhere(&self.now())),
        };
        Rc::clone(self.supply.insert(maps))
    }

    /// Who would move, and from where; entering units from their entry hex with the first half point spent.
    pub fn mover(&self, piece: Piece, maps: &SupplyMaps) -> Result<(Mover, Option<Hex>), Bar> {
        let now = self.now();
        match piece.token() {
            Some(token) => {
                let Some(counter) = self.state.counters.get(&token) else {
                    return Err(Bar::new("10.2a", format!("{token} is out of the game")));
                };
                let mover = now.mover(piece, maps).ok_or_else(|| Bar::new("10.2a", format!("{token} cannot move")))?;
                if mover.arm == Some(Arm::Garrison) {
                    return Err(Bar::new("2.12c", format!("{} is a garrison and never moves", now.say(piece))));
                }
                match counter.at {
                    Post::At(hex) => Ok((mover, Some(hex))),
                    Post::In(_) => now.entry(token).map(|_| (mover, None)),
                }
            }
            None => {
                let id = piece.unit();
                let unit = self.state.unit(id);
                match unit.at {
                    Place::At(hex) if unit.fever => {
                        Err(Bar::new("13.2c", format!("{id} in {hex} is infected with fever and does not move")))
                    }
                    Place::At(hex) if unit.landed => Err(Bar::new("6.5g", format!("{id} landed this turn at {hex}"))),
                    Place::At(hex) => {
                        let mover =
                            now.mover(piece, maps).ok_or_else(|| Bar::new("10.2a", format!("{id} cannot move")))?;
                        Ok((mover, Some(hex)))
                    }
                    Place::OffMap => {
                        Err(Bar::new("6.5g", format!("{id} is at sea; a unit that lands does not move again")))
                    }
                    Place::Guantanamo => Err(Bar::new("5.3c", format!("{id} is at Guantanamo"))),
                    Place::Lost => Err(Bar::new("2.13d", format!("{id} is lost"))),
                }
            }
        }
    }

    /// Prices a path; the first hex that cannot be entered, and why.
    pub fn walk(
        &self,
        mover: &Mover,
        from: Option<Hex>,
        path: &[Hex],
        maps: &SupplyMaps,
        opens: bool,
    ) -> Result<Mp, (usize, Bar)> {
        let now = self.now();
        let home = now.way_home(mover, maps);
        let (mut at, mut spent, mut halted, mut begun) = (from, Mp::ZERO, false, from);
        for (count, to) in path.iter().copied().enumerate() {
            let fail = |bar: Bar| (count, bar);
            let Some(here) = at else {
                // A reinforcement comes on by road (§23.1h).
                let token = mover.piece.token().ok_or_else(|| fail(Bar::new("10.2a", "it is not on the map")))?;
                let entry = now.entry(token).map_err(fail)?;
                if entry != to {
                    let clause = if entry == now.data().manzanillo { "23.2b" } else { "23.1e" };
                    return Err(fail(Bar::new(clause, format!("{token} enters at {entry}"))));
                }
                halted = self.entry_step(mover, to).map_err(fail)?;
                spent = now.data().tables.terrain_effects.road();
                at = Some(to);
                continue;
            };
            if !now.data().adjacent(here, to) {
                return Err(fail(Bar::new("10.3b", format!("{to} does not touch {here}"))));
            }
            if halted {
                return Err(fail(Bar::new("7.1c", format!("the move ends in {here}, in an enemy zone of control"))));
            }
            let stride = now.stride(mover, here, to, maps).map_err(fail)?;
            if !now.brings_home(home.as_ref(), here, to) {
                return Err(fail(Bar::new("12.10c", format!("{to} does not bring it one hex closer to supply"))));
            }
            let total = spent + stride.cost;
            if total > mover.purse {
                let why = format!(
                    "{to} costs {} ({}) and {spent} of {} points are spent",
                    stride.cost, stride.why, mover.purse
                );
                return Err(fail(Bar::new("10.3d", why)));
            }
            let pinned = begun == Some(here) && now.enemy_zone(mover, here) == Trit::Yes;
            if stride.zone == Trit::Yes && pinned {
                let why = format!("{here} and {to} are both in enemy zones of control");
                return Err(fail(Bar::new("7.1d", why)));
            }
            if mover.nation == Nation::Us && !mover.lost && !self.supplied(to, stride.overrun, stride.supply, opens) {
                let opened = (opens && self.may_open(to)).then_some(to);
                let why = now.why_unsupplied(to, Suppose { vacated: stride.overrun.then_some(to), opened });
                return Err(fail(Bar::new("12.10a", format!("a unit in {to} would be out of supply: {why}"))));
            }
            spent = total;
            halted = stride.zone == Trit::Yes;
            at = Some(to);
            begun = None;
        }
        Ok(spent)
    }

    /// Would a unit be in supply there, with the marker it may place and without the battery it overruns?
    fn supplied(&self, hex: Hex, overrun: bool, level: Trit, opens: bool) -> bool {
        let now = self.now();
        if level != Trit::No {
            return true;
        }
        let opened = (opens && self.may_open(hex)).then_some(hex);
        let vacated = overrun.then_some(hex);
        (opened.is_some() || vacated.is_some())
            && now.supply_maps(Suppose { vacated, opened }).at(&now, hex) != Trit::No
    }

    fn may_open(&self, hex: Hex) -> bool {
        let data = &self.game.data;
        data.is_beach(hex)
            && !self.state.sources.contains_key(&hex)
            && self.state.markers_used < data.tables.limits.supply_markers
    }

    /// Carries a legal move out on the copy.
    pub fn go(&mut self, piece: Piece, path: &[Hex], opens: bool) {
        for hex in path {
            match piece.token() {
                Some(token) => {
                    if let Some(counter) = self.state.counters.get_mut(&token) {
                        counter.at = Post::At(*hex);
                    }
                    let guns: Vec<_> = self.state.units_in(*hex).collect();
                    for id in guns {
                        if let Some(unit) = self.state.units.get_mut(&id) {
                            unit.at = Place::Lost;
                        }
                    }
                    self.state.sources.remove(hex);
                    self.state.us_passed.remove(hex);
                }
                None => {
                    if let Some(unit) = self.state.units.get_mut(&piece.unit()) {
                        unit.at = Place::At(*hex);
                    }
                    let tokens: Vec<Token> = self.state.tokens_in(*hex).collect();
                    for token in tokens {
                        self.state.counters.remove(&token);
                        self.supply = None;
                    }
                    self.state.us_passed.insert(*hex);
                    let american = self.now().nation(piece.unit()) == Some(Nation::Us);
                    if american && opens && self.may_open(*hex) {
                        self.state.markers_used += 1;
                        let number = self.state.markers_used;
                        self.state.sources.insert(*hex, Source { number, landing_from: self.state.turn + 1 });
                        self.supply = None;
                    }
                }
            }
        }
    }

    /// Where a piece can go, each hex with its path and its price, as its owner sees it.
    pub fn choices(&self, piece: Piece, maps: &SupplyMaps) -> Vec<(Hex, Vec<Hex>, Mp)> {
        let Ok((mover, from)) = self.mover(piece, maps) else { return Vec::new() };
        let now = self.now();
        let (start, mover, lead, entry_cost) = match from {
            Some(hex) => (hex, mover, Vec::new(), Mp::ZERO),
            None => {
                let Some(entry) = piece.token().and_then(|token| now.entry(token).ok()) else { return Vec::new() };
                let Ok(halted) = self.entry_step(&mover, entry) else { return Vec::new() };
                let spent = now.data().tables.terrain_effects.road();
                let purse = if halted { Mp::ZERO } else { mover.purse - spent };
                (entry, Mover { purse, ..mover }, vec![entry], spent)
            }
        };
        let reach = now.reach(&mover, start, maps);
        let mut choices = Vec::new();
        for (hex, cost) in reach.costs().filter(|(hex, _)| *hex != start || !lead.is_empty()) {
            let Some(path) = reach.path(hex) else { continue };
            let path: Vec<Hex> = lead.iter().copied().chain(path.into_iter().skip(1)).collect();
            choices.push((hex, path, entry_cost + cost));
        }
        choices
    }

    /// May a reinforcement enter, and does it halt there? (§23.1g, §23.1n)
    fn entry_step(&self, mover: &Mover, entry: Hex) -> Result<bool, Bar> {
        let now = self.now();
        let Some(token) = mover.piece.token() else {
            return Err(Bar::new("23.1e", "only Spanish reinforcements enter there"));
        };
        let mut tokens: Vec<Token> = self.state.tokens_in(entry).collect();
        tokens.push(token);
        if now.spanish_overstacked(entry, &tokens) {
            let clause = if entry == now.data().manzanillo { "23.2d" } else { "23.1g" };
            return Err(Bar::new(clause, format!("{entry} has no room for {}", now.say(mover.piece))));
        }
        if let Some(id) = self.state.units_in(entry).next() {
            return Err(Bar::new("10.7b", format!("{entry} is held by {id}")));
        }
        Ok(now.us_zone(entry))
    }
}
