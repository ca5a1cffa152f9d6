//! Chapters 9 and 10: stacking while moving, movement costs, zones of control on the way, overruns.
//!
//! One function prices and bars a step as the public sees it; the check, the template and the random player use it
//! with the mover's own knowledge, and the resolution adds the hidden facts it leaves open.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::board::{Field, Hex, HexGrid, Layer, Reach, Step, reach};

use crate::engine::{Bar, Clause, Side, Subject};

use super::bars::{bar, resting};
use super::data::Mp;
use super::orders::MoveOrder;
use super::play::{BATTERIES, Position, Trit};
use super::stacking::Room;
use super::state::{Place, Post, Source, State};
use super::supply::{Lay, SupplyMaps, Suppose};
use super::terms::{Arm, HoldingBox, Land, Nation, Piece, Token, UnitId};
use super::toll::Toll;
use super::{SPAIN, US};

/// A unit about to move.
#[derive(Clone, Debug)]
pub struct Mover {
    /// Which.
    pub piece: Piece,
    /// Its nationality.
    pub nation: Nation,
    /// What it is; unknown for a face-down counter of somebody else.
    pub arm: Option<Arm>,
    /// Jungle costs it one point (§10.9a, §17.3b).
    pub light: bool,
    /// Points it has.
    pub purse: Mp,
    /// Out of supply when it starts: only towards supply (§12.10c).
    pub lost: bool,
    /// Coming ashore: supply is checked, nothing else differs (§6.2l).
    pub landing: bool,
    /// The beach its order opens: as good as supply for a unit on its way there (§12.10c, §6.6g).
    pub beach: Option<Hex>,
    /// Its order leaves every beach shut (§6.6a).
    pub shut: bool,
}

impl Mover {
    /// A unit in supply that marches with all its points and has no order about a beach.
    pub fn new(piece: Piece, nation: Nation, arm: Option<Arm>, purse: Mp) -> Mover {
        Mover { piece, nation, arm, light: false, purse, lost: false, landing: false, beach: None, shut: false }
    }

    /// The same unit, found out of supply: half its points, and only towards supply (§12.9d, §12.10c).
    pub fn out_of_supply(self) -> Mover {
        Mover { purse: self.purse.half().unwrap_or(self.purse), lost: true, ..self }
    }
}

/// One step as the viewer sees it.
#[derive(Clone, Debug)]
pub struct Stride {
    /// What it costs.
    pub cost: Mp,
    /// Why.
    pub why: Toll,
    /// Spanish counters that must turn out to be a lone battery, or American guns that are overrun.
    pub overrun: bool,
    /// Is the hex in an enemy zone of control?
    pub zone: Trit,
    /// Would it lead straight from one enemy zone of control into another (§7.1d)?
    pub pinned: Trit,
    /// Would an American unit be in supply there, once what it overruns is gone?
    pub supply: Trit,
}

/// Where a march can lead: the hex, the way there, and what it costs.
pub type Route = (Hex, Vec<Hex>, Mp);

/// How far a march has come when its next step is judged.
#[derive(Clone, Copy)]
pub struct Leg<'w> {
    /// Where the unit is.
    pub at: Hex,
    /// It stands where it began the phase (§7.1d).
    pub first: bool,
    /// It has entered an enemy zone of control (§7.1c).
    pub halted: bool,
    /// Points spent.
    pub spent: Mp,
    /// The way to supply, for a unit that is out of it (§12.10c).
    pub home: Option<&'w WayHome>,
}

/// How a mover enters a hex: not at all, into a zone of control or a beach that ends the march, or free to go on.
#[derive(Clone, Copy)]
enum Entry {
    Barred,
    Zone,
    Home,
    Free,
}

/// What a unit can pay and what each step costs it, apart from where it may be stopped.
pub fn points_of(piece: Piece) -> Subject {
    Subject::of(format!("points of {piece}"))
}

impl Position<'_> {
    /// Why a side may not order this piece at all: it is not its own, or it has been ordered before (§1.1a, §10.1b).
    pub fn order_bar(&self, side: Side, piece: Piece, moved: &[Piece]) -> Option<Bar> {
        let own = (side == US) == piece.token().is_none();
        if !own {
            let why = match side == SPAIN && self.nation(piece.unit()) == Some(Nation::Spanish) {
                true => format!("{piece} is not among your counters on the table"),
                false => format!("{piece} is not yours to move"),
            };
            return Some(bar("1.1a", why).part("unit").firm());
        }
        moved.contains(&piece).then(|| bar("10.1b", format!("{piece} moves twice")).firm())
    }

    /// Who would march, and from where: none for a reinforcement in its box. Otherwise everything that keeps it from
    /// moving in this phase, as far as the viewer can tell.
    pub fn mover(&self, piece: Piece, maps: &SupplyMaps) -> Result<(Mover, Option<Hex>), Vec<Bar>> {
        match piece.token() {
            Some(token) => self.spanish_mover(token),
            None => self.us_mover(piece.unit(), maps),
        }
    }

    fn spanish_mover(&self, token: Token) -> Result<(Mover, Option<Hex>), Vec<Bar>> {
        let piece = Piece::from(token);
        let Some(counter) = self.state.counters.get(&token) else {
            return Err(vec![bar("10.2a", format!("{token} is out of the game"))]);
        };
        let arm = self.token_arm(token);
        if arm == Some(Arm::Garrison) {
            return Err(vec![bar("2.12c", format!("{} is a garrison and never moves", self.say(piece)))]);
        }
        let purse = self.data().movement_factor(Nation::Spanish);
        let mover = Mover::new(piece, Nation::Spanish, arm, purse);
        match counter.at {
            Post::At(hex) => Ok((mover, Some(hex))),
            Post::In(_) => self.entry(token).map(|_| (mover, None)).map_err(|bar| vec![bar]),
        }
    }

    fn us_mover(&self, id: UnitId, maps: &SupplyMaps) -> Result<(Mover, Option<Hex>), Vec<Bar>> {
        let unit = self.state.unit(id);
        let hex = match unit.at {
            Place::At(hex) => hex,
            Place::OffMap => {
                let why = format!("{id} is at sea; a unit that lands does not move again");
                return Err(vec![bar("6.5g", why).firm()]);
            }
            Place::Guantanamo => return Err(vec![bar("5.3c", format!("{id} is at Guantanamo"))]),
            Place::Lost => return Err(vec![bar("2.13d", format!("{id} is lost"))]),
        };
        let mut bars = Vec::new();
        if unit.fever {
            bars.push(bar("13.2c", format!("{id} in {hex} is infected with fever and does not move")).firm());
        }
        if unit.landed {
            bars.push(bar("6.5g", format!("{id} landed this turn at {hex}")));
        }
        let Some(nation) = self.nation(id).filter(|_| bars.is_empty()) else { return Err(bars) };
        let (piece, arm, full) = (Piece::from(id), self.arm(id), self.data().movement_factor(nation));
        if nation == Nation::Cuban {
            let mover = Mover { light: true, ..Mover::new(piece, nation, arm, full) };
            return Ok((mover, Some(hex)));
        }
        let mover = Mover { light: self.guided(hex), ..Mover::new(piece, nation, arm, full) };
        let mover = if maps.at(self, hex) == Trit::No { mover.out_of_supply() } else { mover };
        Ok((mover, Some(hex)))
    }

    /// Does the balloon guide units that start here through the jungle? (§17.3b)
    pub fn guided(&self, hex: Hex) -> bool {
        let Some((_, at)) = self.balloon().filter(|_| self.state.balloon_up) else { return false };
        at == hex || (self.data().adjacent(at, hex) && self.data().land(hex) == Land::Jungle)
    }

    /// The first step of a path that nobody could ever make: the hexes do not touch, or the ground bars it.
    pub fn broken_step(&self, mover: &Mover, from: Option<Hex>, path: &[Hex]) -> Option<(usize, Bar)> {
        let before = from.into_iter().chain(path.iter().copied());
        let steps = before.zip(path.iter().copied().enumerate().skip(usize::from(from.is_none())));
        steps.into_iter().find_map(|(from, (count, to))| Some((count, self.ground_bar(mover, from, to)?)))
    }

    fn ground_bar(&self, mover: &Mover, from: Hex, to: Hex) -> Option<Bar> {
        if !self.data().adjacent(from, to) {
            return Some(bar("10.3b", format!("{to} does not touch {from}")).firm());
        }
        self.price(mover, from, to).err().map(Bar::firm)
    }

    /// One step of a march as far as the viewer can tell, or everything that bars it. What only the opponent knows is
    /// left open in the stride.
    pub fn pace(&self, mover: &Mover, leg: Leg<'_>, to: Hex, maps: &SupplyMaps) -> Result<Stride, Vec<Bar>> {
        let from = leg.at;
        if let Some(bar) = self.ground_bar(mover, from, to) {
            return Err(vec![bar]);
        }
        let price = self.price(mover, from, to).map_err(|bar| vec![bar])?;
        let (mut stride, mut bars) = self.stride(mover, to, price, maps, None);
        if leg.halted {
            let why = format!("the move ends in {from}, in an enemy zone of control");
            let bar = bar(if leg.first { "23.1n" } else { "7.1c" }, why);
            bars.insert(0, bar.about([Subject::of(BATTERIES)]));
        }
        if leg.first && !leg.halted && !mover.landing {
            stride.pinned = stride.zone.min(self.enemy_zone(mover.nation, from));
            if stride.pinned == Trit::Yes {
                let why = format!("{from} and {to} are both in enemy zones of control");
                bars.push(bar("7.1d", why).about([Subject::of(BATTERIES)]));
            }
        }
        if !self.brings_home(leg.home, from, to) {
            let why = format!("{to} does not bring it one hex closer to supply");
            bars.push(bar("12.10c", why).about([Subject::of("supply")]));
        }
        // Whoever is in the hex, or may have stopped him before it, it costs the same.
        let dear = (leg.spent + stride.cost > mover.purse).then(|| {
            let (cost, why, purse) = (stride.cost, stride.why, mover.purse);
            bar("10.3d", format!("{to} costs {cost} ({why}) and {} of {purse} points are spent", leg.spent))
                .about([points_of(mover.piece)])
        });
        if self.unsupplied(mover, &stride, to) && bars.is_empty() && dear.is_none() {
            let suppose = Suppose { vacated: stride.overrun.then_some(to), opened: None };
            let why = self.why_unsupplied(to, suppose);
            bars.push(
                bar("12.10a", format!("a unit in {to} would be out of supply: {why}")).about([Subject::of("supply")]),
            );
        }
        if bars.is_empty() && dear.is_none() {
            return Ok(stride);
        }
        Err(dear.into_iter().chain(resting(bars, &[Subject::of(to)])).collect())
    }

    /// §12.10a: no American unit moves into lack of supply, but for a beach that it opens (§6.6g).
    fn unsupplied(&self, mover: &Mover, stride: &Stride, to: Hex) -> bool {
        let needs = mover.nation == Nation::Us && !mover.lost && stride.supply == Trit::No;
        needs && !self.opens_on_the_way(mover, to)
    }

    /// A mover places a marker in a beach that he enters if he can, unless his order leaves it shut (§6.6a).
    fn opens_on_the_way(&self, mover: &Mover, hex: Hex) -> bool {
        mover.nation == Nation::Us && !mover.shut && self.may_open(hex)
    }

    /// What a hex holds for a mover, and what keeps him out of it.
    pub fn stride(
        &self,
        mover: &Mover,
        to: Hex,
        price: (Mp, Toll),
        maps: &SupplyMaps,
        lay: Option<&Lay>,
    ) -> (Stride, Vec<Bar>) {
        match mover.nation {
            Nation::Spanish => self.spanish_stride(mover, to, price, lay),
            Nation::Us | Nation::Cuban => self.us_stride(mover, to, price, maps, lay),
        }
    }

    fn us_stride(
        &self,
        mover: &Mover,
        to: Hex,
        (cost, why): (Mp, Toll),
        maps: &SupplyMaps,
        lay: Option<&Lay>,
    ) -> (Stride, Vec<Bar>) {
        let data = self.data();
        let cuban = mover.nation == Nation::Cuban;
        let mut bars: Vec<Bar> = self.closed_bar(to).into_iter().collect();
        let empty = lay.is_some_and(|lay| !lay.is_taken(data.grid(), to));
        let tokens: Vec<Token> = if empty { Vec::new() } else { self.state.tokens_in(to).collect() };
        if cuban && data.is_city(to) {
            bars.push(bar("14.3a", format!("Cuban units never enter Santiago ({to})")));
        }
        if cuban && data.is_fortress(to) && !self.us_holds_or_passed(to) {
            let why = format!("Cuban units enter the fortress {to} only after US units took it");
            bars.push(bar("22.5", why));
        }
        let overrun = !tokens.is_empty();
        if overrun && self.exerts_of(to, &tokens) == Trit::Yes {
            bars.push(bar("10.7b", format!("{to} is held by Spanish units")).about([Subject::of(BATTERIES)]));
        } else if overrun && mover.arm.is_some_and(Arm::is_gun_or_balloon) {
            let clause = if mover.arm == Some(Arm::Artillery) { "10.8f" } else { "10.8k" };
            bars.push(bar(clause, format!("{} cannot overrun the counter in {to}", mover.piece)));
        }
        // §9.1b: the stacking limits hold while passing through; US and Cuban units may pass each other (§9.4b).
        if empty {
            // Nobody is there to be in the way.
        } else if cuban {
            if self.cubans_in(to).into_iter().any(|id| Piece::from(id) != mover.piece) {
                bars.push(bar("9.4a", format!("another Cuban unit is in {to}")));
            }
        } else if let Some(arm) = mover.arm
            && self.us_room(to, mover.piece.unit()).left(arm) == 0
        {
            bars.push(self.crowded(to, mover.piece, arm));
        }
        let zone = match lay {
            _ if cuban => Trit::No,
            Some(lay) => lay.zone(data.grid(), to),
            None => self.spanish_zone(to),
        };
        let supply = match maps.at(self, to) {
            _ if cuban || mover.lost => Trit::Yes,
            // §10.8d: after an overrun, without what was overrun.
            _ if overrun && bars.is_empty() => maps.once_vacated(self, to).at(self, to),
            level => level,
        };
        (Stride { cost, why, overrun, zone, pinned: Trit::No, supply }, bars)
    }

    /// There is no room for a unit (§9.2, §9.3a).
    fn crowded(&self, hex: Hex, piece: Piece, arm: Arm) -> Bar {
        let clause = match (self.data().land(hex), arm) {
            (Land::Jungle, _) => "9.2b",
            (_, Arm::Gatling) => "9.3a",
            (_, Arm::Artillery) => "9.2e",
            _ => "9.2a",
        };
        bar(clause, format!("{hex} has no room for {}", self.say(piece)))
    }

    fn spanish_stride(&self, mover: &Mover, to: Hex, (cost, why): (Mp, Toll), lay: Option<&Lay>) -> (Stride, Vec<Bar>) {
        let mut stride = Stride { cost, why, overrun: false, zone: Trit::No, pinned: Trit::No, supply: Trit::Yes };
        if let Some(lay) = lay.filter(|lay| !lay.is_taken(self.data().grid(), to)) {
            stride.zone = lay.zone(self.data().grid(), to);
            return (stride, Vec::new());
        }
        let mut bars = Vec::new();
        let enemies: Vec<UnitId> = self.state.units_in(to).collect();
        stride.overrun = !enemies.is_empty();
        let fighting = |id: &&UnitId| !self.arm(**id).is_some_and(Arm::is_gun_or_balloon);
        if let Some(id) = enemies.iter().find(fighting) {
            let clause = if self.arm(*id) == Some(Arm::Gatling) { "10.8g" } else { "10.7b" };
            bars.push(bar(clause, format!("{to} is held by {id}")));
        } else if stride.overrun && mover.arm == Some(Arm::Artillery) {
            bars.push(bar("10.8f", format!("artillery cannot overrun what is in {to}")));
        }
        bars.extend(self.spanish_crowd(mover, to));
        stride.zone = if self.us_zone(to) { Trit::Yes } else { Trit::No };
        (stride, bars)
    }

    /// There is no room for a Spanish counter, as far as the viewer knows who is there (§9.2).
    fn spanish_crowd(&self, mover: &Mover, to: Hex) -> Option<Bar> {
        let mut tokens: Vec<Token> =
            self.state.tokens_in(to).filter(|token| Piece::from(*token) != mover.piece).collect();
        tokens.extend(mover.piece.token());
        let over = self.spanish_overstacked(to, &tokens);
        // A second battery is barred as such where nothing but its being artillery is wrong with it (§9.2e); one counter
        // too many is one too many whatever it is, as everybody can see.
        let full = u32::try_from(tokens.len()).unwrap_or(u32::MAX) > Room::of(self.data().land(to)).most();
        let gun = mover.arm.filter(|arm| *arm == Arm::Artillery && !full);
        over.then(|| self.crowded(to, mover.piece, gun.unwrap_or(Arm::Infantry)))
    }

    /// Is the hex in a zone of control of somebody's enemies?
    pub fn enemy_zone(&self, nation: Nation, hex: Hex) -> Trit {
        match nation {
            Nation::Cuban => Trit::No, // §7.2b
            Nation::Us => self.spanish_zone(hex),
            Nation::Spanish if self.us_zone(hex) => Trit::Yes,
            Nation::Spanish => Trit::No,
        }
    }

    /// Everything a mover may reach as far as the viewer can tell; where he cannot tell, the mover's luck is assumed.
    /// Supply is taken as it is before the march.
    pub fn reach(&self, mover: &Mover, from: Hex, maps: &SupplyMaps, lay: &Lay) -> Reach<HexGrid, 2> {
        let grid = self.data().grid();
        let pinned = !mover.landing && lay.zone(grid, from) == Trit::Yes;
        let home = self.way_home(mover, maps);
        let mut entries: Layer<Option<Entry>> = Layer::filled(grid, None);
        reach(grid, from, mover.purse, |a, edge, b| {
            // Water and swamp bar every step; nobody reads why, so it is not put into words.
            if !self.data().is_open(b) {
                return Step::Barred(());
            }
            let along = self.data().map.leaving(a, edge);
            let Ok(price) = self.price_across(along, mover, a, b) else { return Step::Barred(()) };
            let cost = price.0;
            // What a hex holds for the mover is the same from every side.
            let Some(known) = entries.get_mut(grid, b) else { return Step::Barred(()) };
            match *known.get_or_insert_with(|| self.entered_as(mover, b, price, maps, lay)) {
                Entry::Barred => Step::Barred(()),
                _ if !self.brings_home(home.as_ref(), a, b) => Step::Barred(()),
                // §7.1d: who starts in an enemy zone may not go straight into another.
                Entry::Zone if pinned && a == from => Step::Barred(()),
                Entry::Zone | Entry::Home => Step::PayAndHalt(cost),
                Entry::Free => Step::Pay(cost),
            }
        })
    }

    /// How a mover enters a hex, from whichever side.
    fn entered_as(&self, mover: &Mover, to: Hex, price: (Mp, Toll), maps: &SupplyMaps, lay: &Lay) -> Entry {
        let (stride, bars) = self.stride(mover, to, price, maps, Some(lay));
        if !bars.is_empty() || self.unsupplied(mover, &stride, to) {
            Entry::Barred
        } else if stride.zone == Trit::Yes {
            Entry::Zone
        } else if mover.lost && self.opens_on_the_way(mover, to) {
            Entry::Home // §12.10c: in supply there, nothing is closer to it
        } else {
            Entry::Free
        }
    }

    /// Where a mover can go, each hex with its path and its price: the cheapest way there, and behind a battery that is
    /// overrun or a beach that is opened what only the march itself brings into supply (§10.8d, §6.6g).
    pub fn routes(&self, mover: &Mover, from: Hex, maps: &SupplyMaps, lay: &Lay) -> Vec<Route> {
        let mut routes = ways_of(&self.reach(mover, from, maps, lay), &[], Mp::ZERO);
        if mover.nation != Nation::Us || mover.lost {
            return routes;
        }
        let mut behind = BTreeMap::new();
        self.behind(mover, (from, &routes), maps, lay, &mut behind);
        routes.iter().for_each(|(hex, _, _)| drop(behind.remove(hex)));
        routes.extend(behind.into_iter().map(|(hex, (cost, path))| (hex, path, cost)));
        routes.sort_by_key(|(hex, _, _)| *hex);
        routes
    }

    /// The cheapest ways on from every hex on these routes that the march overruns or opens, and from the next such hex.
    fn behind(
        &self,
        mover: &Mover,
        (from, routes): (Hex, &[Route]),
        maps: &SupplyMaps,
        lay: &Lay,
        found: &mut BTreeMap<Hex, (Mp, Vec<Hex>)>,
    ) {
        let grid = self.data().grid();
        for (gate, path, cost) in routes.iter().filter(|(hex, _, _)| *hex != from) {
            let held = lay.is_taken(grid, *gate) && self.state.tokens_in(*gate).next().is_some();
            let opens = self.opens_on_the_way(mover, *gate);
            if lay.zone(grid, *gate) == Trit::Yes || !(held || opens) {
                continue;
            }
            let Some(wider) = maps.widened(self, *gate) else { continue };
            let mut state = self.state.clone();
            pass_through(&mut state, *gate, held, opens);
            let now = Position { state: &state, ..*self };
            let lay = now.lay(mover.nation);
            let onward = Mover { purse: mover.purse - *cost, landing: true, ..mover.clone() };
            let beyond = ways_of(&now.reach(&onward, *gate, &wider, &lay), path, *cost);
            for (hex, path, cost) in &beyond {
                let better = |known: &(Mp, Vec<Hex>)| (*cost, path) < (known.0, &known.1);
                if found.get(hex).is_none_or(better) {
                    found.insert(*hex, (*cost, path.clone()));
                }
            }
            now.behind(mover, (*gate, &beyond), &wider, &lay, found);
        }
    }

    /// Where a piece can go, each hex with its path and its price: from its hex, or out of its holding box.
    pub fn ways(&self, mover: &Mover, from: Option<Hex>, maps: &SupplyMaps) -> Vec<Route> {
        let lay = self.lay(mover.nation);
        if let Some(from) = from {
            let mut ways = self.routes(mover, from, maps, &lay);
            ways.retain(|(hex, _, _)| *hex != from);
            return ways;
        }
        let Some(entry) = mover.piece.token().and_then(|token| self.entry(token).ok()) else { return Vec::new() };
        let Ok(stride) = self.entry_stride(mover, entry) else { return Vec::new() };
        let purse = if stride.zone == Trit::Yes { Mp::ZERO } else { mover.purse - stride.cost };
        // It stands in the entry hex from here on (§23.1n).
        let mut ways = self.routes(&Mover { purse, landing: true, ..mover.clone() }, entry, maps, &lay);
        for (_, path, cost) in &mut ways {
            path.insert(0, entry);
            *cost += stride.cost;
        }
        ways
    }

    /// Can this path be walked, as far as the viewer can tell? The first hex that cannot be entered, and why.
    pub fn passes(&self, mover: &Mover, from: Hex, path: &[Hex]) -> Result<(), (usize, Vec<Bar>)> {
        // What it overruns is gone for the next step, and a beach that it opens supplies it (§10.8d, §6.6g).
        let mut state = Cow::Borrowed(self.state);
        // A site where it lands is or will be a source.
        let opened = Some(from).filter(|_| mover.landing && mover.nation == Nation::Us);
        let suppose = Suppose { vacated: None, opened };
        let mut maps = self.supply_maps(suppose);
        let (mut at, mut spent, mut halted) = (from, Mp::ZERO, false);
        for (count, to) in path.iter().copied().enumerate() {
            let now = Position { state: &state, ..*self };
            let home = now.way_home(mover, &maps);
            let leg = Leg { at, first: count == 0, halted, spent, home: home.as_ref() };
            let stride = now.pace(mover, leg, to, &maps).map_err(|bars| (count, bars))?;
            (at, spent, halted) = (to, spent + stride.cost, stride.zone == Trit::Yes);
            let opens = now.opens_on_the_way(mover, to);
            if stride.overrun || opens {
                pass_through(state.to_mut(), to, stride.overrun, opens);
                maps = Position { state: &state, ..*self }.supply_maps(suppose);
            }
        }
        Ok(())
    }

    /// Why a hex cannot be reached: what bars the straight way there, or simply too far.
    pub fn why_not(&self, mover: &Mover, from: Option<Hex>, to: Hex, maps: &SupplyMaps) -> Vec<Bar> {
        let Some(from) = from else {
            let entry = mover.piece.token().and_then(|token| self.entry(token).ok()).unwrap_or(to);
            let far = || vec![bar("10.3d", format!("{to} is out of reach"))];
            return self.entry_stride(mover, entry).err().unwrap_or_else(far);
        };
        let free = Mover { purse: Mp::MAX, ..mover.clone() };
        let far = self.reach(&free, from, maps, &self.lay(mover.nation));
        if far.contains(to) {
            let cost = far.cost(to).unwrap_or(Mp::MAX);
            let why = format!("{to} costs {cost} MP and {} has {}", mover.piece, mover.purse);
            return vec![bar("10.3d", why)];
        }
        let home = self.way_home(mover, maps);
        let beside = || self.data().around(to).filter(|next| far.contains(*next) || *next == from);
        let barred = beside().find_map(|next| {
            let (first, home) = (next == from, home.as_ref());
            let leg = Leg { at: next, first, halted: false, spent: Mp::ZERO, home };
            self.pace(&free, leg, to, maps).err()
        });
        let Some(mut bars) = barred else { return vec![bar("10.3b", format!("no legal path leads to {to}"))] };
        // Whoever keeps it out of the hex, it may be too far as well.
        let costs = beside().filter_map(|next| {
            let (spent, price) = (far.cost(next).unwrap_or(Mp::ZERO), self.price(mover, next, to).ok()?);
            Some(spent + price.0)
        });
        if let Some(cost) = costs.min().filter(|cost| *cost > mover.purse) {
            let why = format!("{to} costs {cost} MP and {} has {}", mover.piece, mover.purse);
            bars.push(bar("10.3d", why));
        }
        bars
    }

    /// Why a unit that may move can go nowhere: what bars each hex around it that it could ever enter.
    pub fn shut_in(&self, mover: &Mover, from: Hex, maps: &SupplyMaps) -> Vec<Bar> {
        let home = self.way_home(mover, maps);
        let leg = Leg { at: from, first: true, halted: false, spent: Mp::ZERO, home: home.as_ref() };
        let barred = |to: Hex| self.pace(mover, leg, to, maps).err().and_then(|bars| bars.into_iter().next());
        let bars: Vec<Bar> = self.data().around(from).filter_map(barred).filter(|bar| !bar.firm).collect();
        if bars.is_empty() { vec![bar("10.3b", format!("no land lies next to {from}"))] } else { bars }
    }

    /// How far everything is from supply, for a mover who is out of it (§12.10c); a beach that he opens is in supply.
    pub fn way_home(&self, mover: &Mover, maps: &SupplyMaps) -> Option<WayHome> {
        mover.lost.then(|| {
            let least = self.steps_to_supply(&maps.maybe, mover.beach);
            let alike = maps.maybe == maps.surely;
            let most = if alike { least.clone() } else { self.steps_to_supply(&maps.surely, mover.beach) };
            WayHome { least, most }
        })
    }

    /// A mover with what his order says of the beaches on the march (§6.6a).
    pub fn told(&self, mover: Mover, order: &MoveOrder) -> Mover {
        let on_way = order.path.iter().copied().chain(order.to);
        let beach = on_way.filter(|_| order.open == Some(true)).find(|hex| self.may_open(*hex));
        Mover { beach, shut: order.open == Some(false), ..mover }
    }

    /// §12.10c: who is out of supply only moves towards it, one hex closer with each step. Where face-down counters
    /// decide how far it is, nothing is barred that some of them would allow.
    pub fn brings_home(&self, home: Option<&WayHome>, from: Hex, to: Hex) -> bool {
        let Some(home) = home else { return true };
        let grid = self.data().grid();
        // Cut off from every path, whatever the counters are: nothing leads home.
        let (Some(here), Some(there)) = (home.least.get(grid, from), home.least.get(grid, to)) else { return false };
        let most = |hex: Hex| home.most.get(grid, hex).unwrap_or(u32::MAX);
        here.max(there + 1) <= most(from).min(most(to).saturating_add(1))
    }

    /// May the mover end a phase in this hex? US and Cuban units do not share one (§9.4c).
    pub fn may_stay(&self, mover: &Mover, hex: Hex) -> bool {
        let other = match mover.nation {
            Nation::Us => Nation::Cuban,
            Nation::Cuban => Nation::Us,
            Nation::Spanish => return true,
        };
        !self.state.units_in(hex).any(|id| self.nation(id) == Some(other))
    }

    /// The hex through which a counter in a box enters, if it may enter now (§23.1, §23.2).
    pub fn entry(&self, token: Token) -> Result<Hex, Bar> {
        let clock = &self.data().tables.clock;
        match self.state.counters.get(&token).map(|counter| counter.at) {
            Some(Post::In(HoldingBox::Guantanamo)) if self.state.turn < clock.guantanamo_turn => {
                Err(bar("23.1j", format!("Guantanamo units come from turn {} on", clock.guantanamo_turn)))
            }
            Some(Post::In(HoldingBox::Guantanamo)) => Ok(self.data().guantanamo),
            Some(Post::In(HoldingBox::Manzanillo)) if self.state.turn < clock.manzanillo_turn => {
                Err(bar("23.2a", format!("Manzanillo units come from turn {} on", clock.manzanillo_turn)))
            }
            Some(Post::In(HoldingBox::Manzanillo)) => Ok(self.data().manzanillo),
            _ => Err(bar("23.1e", format!("{token} is in no holding box"))),
        }
    }

    /// The first step of a reinforcement: by road into its entry hex, or everything that bars it (§23.1, §23.2).
    pub fn entry_stride(&self, mover: &Mover, to: Hex) -> Result<Stride, Vec<Bar>> {
        let Some(token) = mover.piece.token() else {
            return Err(vec![bar("10.2a", format!("{} is not on the map", mover.piece))]);
        };
        let entry = self.entry(token).map_err(|bar| vec![bar])?;
        let manzanillo = entry == self.data().manzanillo;
        if entry != to {
            let clause = if manzanillo { "23.2b" } else { "23.1e" };
            return Err(vec![bar(clause, format!("{token} enters at {entry}"))]);
        }
        let (stride, mut bars) =
            self.spanish_stride(mover, to, (self.data().tables.terrain_effects.road(), Toll::ENTRY), None);
        for bar in bars.iter_mut().filter(|bar| bar.clause.0.starts_with("9.2")) {
            bar.clause = Clause(if manzanillo { "23.2d" } else { "23.1g" });
        }
        if bars.is_empty() { Ok(stride) } else { Err(bars) }
    }
}

/// Every hex within reach, with the way there and what it costs after a march so far.
fn ways_of(reach: &Reach<HexGrid, 2>, so_far: &[Hex], spent: Mp) -> Vec<Route> {
    let way = |hex| reach.path(hex).unwrap_or_default().into_iter().skip(1);
    reach.costs().map(|(hex, cost)| (hex, so_far.iter().copied().chain(way(hex)).collect(), spent + cost)).collect()
}

/// A march goes on from a hex: what it overran there is gone, and a beach that it opened supplies it (§10.8d, §6.6g).
fn pass_through(state: &mut State, hex: Hex, overrun: bool, opened: bool) {
    let gone: Vec<Token> = state.tokens_in(hex).filter(|_| overrun).collect();
    for token in &gone {
        state.counters.remove(token);
    }
    if opened {
        state.markers_used += 1;
        state.sources.insert(hex, Source { number: u32::MAX, landing_from: u32::MAX });
    }
}

/// Steps to the nearest hex in supply, as far as somebody can tell.
pub struct WayHome {
    /// If every doubtful counter is a lone battery.
    pub least: Field,
    /// If none of them is.
    pub most: Field,
}
