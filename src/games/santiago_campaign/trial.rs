//! A copy of the position on which orders are tried out one after another: for the check, the template and the random
//! player.

use std::rc::Rc;

use crate::board::Hex;
use crate::engine::Side;

use super::data::Mp;
use super::movement::{Bar, Leg, Mover};
use super::orders::AttackOrder;
use super::play::{Known, Position, Trit};
use super::state::{Place, Post, Source, State};
use super::supply::{SupplyMaps, Suppose};
use super::terms::{Nation, Piece, Token};
use super::{SPAIN, SantiagoCampaign, US};

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

    /// A copy to try something on.
    pub fn copy(&self) -> Trial<'g> {
        Trial { game: self.game, state: self.state.clone(), known: self.known.clone(), supply: self.supply.clone() }
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

    /// Carries a march out as far as it is legal: the points it cost, or the first hex that cannot be entered and
    /// everything that bars it.
    pub fn walk(
        &mut self,
        mover: &Mover,
        from: Option<Hex>,
        path: &[Hex],
        open: Option<bool>,
    ) -> Result<Mp, (usize, Vec<Bar>)> {
        let side = if mover.nation == Nation::Spanish { SPAIN } else { US };
        let maps = self.maps(side);
        let home = self.now().way_home(mover, &maps);
        let (mut at, mut spent, mut halted, mut first) = (from, Mp::ZERO, false, true);
        for (count, to) in path.iter().copied().enumerate() {
            let maps = self.maps(side);
            let now = self.now();
            let stride = match at {
                None => now.entry_stride(mover, to),
                Some(at) => {
                    let leg = Leg { at, first, halted, spent, home: home.as_ref(), opens: open != Some(false) };
                    now.pace(mover, leg, to, &maps)
                }
            };
            let stride = stride.map_err(|bars| (count, bars))?;
            spent += stride.cost;
            halted = stride.zone == Trit::Yes;
            first = at.is_none();
            at = Some(to);
            self.enter(mover.piece, to, open != Some(false));
        }
        Ok(spent)
    }

    /// A piece enters a hex on the copy: what it overruns is gone, and a beach is open if it opens it.
    fn enter(&mut self, piece: Piece, hex: Hex, opens: bool) {
        match piece.token() {
            Some(token) => {
                if let Some(counter) = self.state.counters.get_mut(&token) {
                    counter.at = Post::At(hex);
                }
                let guns: Vec<_> = self.state.units_in(hex).collect();
                for id in guns {
                    if let Some(unit) = self.state.units.get_mut(&id) {
                        unit.at = Place::Lost;
                    }
                }
                self.state.sources.remove(&hex);
                self.state.us_passed.remove(&hex);
            }
            None => {
                if let Some(unit) = self.state.units.get_mut(&piece.unit()) {
                    unit.at = Place::At(hex);
                }
                let tokens: Vec<Token> = self.state.tokens_in(hex).collect();
                for token in tokens {
                    self.state.counters.remove(&token);
                    self.supply = None;
                }
                self.state.us_passed.insert(hex);
                let american = self.now().nation(piece.unit()) == Some(Nation::Us);
                if american && opens && self.now().may_open(hex) {
                    self.state.markers_used += 1;
                    let number = self.state.markers_used;
                    self.state.sources.insert(hex, Source { number, landing_from: self.state.turn + 1 });
                    self.supply = None;
                }
            }
        }
    }

    /// Carries a legal move out on the copy.
    pub fn go(&mut self, piece: Piece, path: &[Hex], opens: bool) {
        for hex in path {
            self.enter(piece, *hex, opens);
        }
    }

    /// An attack that comes out as its author hopes: the defenders are gone, and two attackers have advanced.
    pub fn succeed(&mut self, side: Side, order: &AttackOrder) {
        let target = order.target;
        if side == US {
            let defenders: Vec<Token> = self.state.tokens_in(target).collect();
            for token in &defenders {
                self.state.counters.remove(token);
            }
        } else {
            for unit in self.state.units.values_mut().filter(|unit| unit.at == Place::At(target)) {
                unit.at = Place::Lost;
            }
        }
        self.supply = None;
        let line = |piece: &&Piece| self.now().piece_arm(**piece).is_some_and(|arm| !arm.is_gun_or_balloon());
        let advance: Vec<Piece> = order.attackers.iter().filter(line).take(2).copied().collect();
        for piece in advance {
            self.enter(piece, target, order.open != Some(false));
        }
    }

    /// Where a piece can go, each hex with its path and its price, as its owner sees it.
    pub fn choices(&self, piece: Piece, maps: &SupplyMaps) -> Vec<(Hex, Vec<Hex>, Mp)> {
        let Ok((mover, from)) = self.now().mover(piece, maps) else { return Vec::new() };
        self.ways(mover, from, maps)
    }

    /// The same for a mover at hand.
    pub fn ways(&self, mover: Mover, from: Option<Hex>, maps: &SupplyMaps) -> Vec<(Hex, Vec<Hex>, Mp)> {
        let (now, piece) = (self.now(), mover.piece);
        let entry = || piece.token().and_then(|token| now.entry(token).ok());
        let Some(entry) = from.or_else(entry) else { return Vec::new() };
        if from.is_some() {
            let mut choices = now.routes(&mover, entry, maps);
            choices.retain(|(hex, _, _)| *hex != entry);
            return choices;
        }
        let Ok(stride) = now.entry_stride(&mover, entry) else { return Vec::new() };
        let purse = if stride.zone == Trit::Yes { Mp::ZERO } else { mover.purse - stride.cost };
        // It stands in the entry hex from here on (§23.1n).
        let mut choices = now.routes(&Mover { purse, landing: true, ..mover }, entry, maps);
        for (_, path, cost) in &mut choices {
            path.insert(0, entry);
            *cost += stride.cost;
        }
        choices
    }
}
