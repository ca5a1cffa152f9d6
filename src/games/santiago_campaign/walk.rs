//! Chapter 10 carried out: walks hex by hex with the hidden facts on the way, overruns, beaches opened, reinforcements.

use std::rc::Rc;

use crate::board::Hex;
use crate::engine::{Clause, Question, Ruling, Say, Subject};

use super::US;
use super::data::Mp;
use super::events::{Cause, Cut, Event, MarkerEvent, Paid};
use super::movement::{Bar, Leg, Mover, Stride};
use super::orders::MoveOrder;
use super::play::{Play, Trit};
use super::policy::{Ever, OPEN_BEACH, Policy};
use super::state::{Face, Place, Post, Source};
use super::supply::{SupplyMaps, Suppose};
use super::terms::{Arm, Land, Nation, Piece, Token, UnitId};

/// A walk as it was carried out.
pub struct Walked {
    /// Hexes entered and what they cost.
    pub path: Vec<Paid>,
    /// Beaches opened on the way, and the markers left after each.
    pub opened: Vec<(Hex, u32)>,
    /// Points spent.
    pub spent: Mp,
    /// Why it ended early.
    pub cut: Option<Cut>,
}

impl Play<'_, '_> {
    /// Walks a path as far as it is legal, hidden facts included, from a hex where `spent` points are gone already.
    /// Nothing is moved; what is overrun is gone at once, and a beach that is opened supplies the next step (§6.6g).
    ///
    /// The walk ends in the last hex in which the unit may stay (§9.4c); hexes before are passed.
    pub fn walk(&mut self, mover: &Mover, from: Hex, path: &[Hex], spent: Mp, open: Option<bool>) -> Ruling<Walked> {
        let mut walked = Walked { path: Vec::new(), opened: Vec::new(), spent, cut: None };
        let (mut at, mut halted) = (from, false);
        for (count, to) in path.iter().copied().enumerate() {
            let maps = if mover.nation == Nation::Us {
                self.supply_maps()
            } else {
                Rc::new(SupplyMaps::everywhere(&self.now()))
            };
            let first = count == 0;
            let leg = Leg { at, first, halted, spent: walked.spent, home: None, opens: open != Some(false) };
            let stride = match self.now().pace(mover, leg, to, &maps) {
                Ok(stride) => stride,
                Err(bars) => {
                    walked.cut = Cut::before(to, bars);
                    break;
                }
            };
            if let Some(bar) = self.hidden_bar(mover, at, to, &stride)? {
                walked.cut = Cut::before(to, vec![bar]);
                break;
            }
            let opens = self.opens(mover.piece, to, open)?;
            if !opens && !self.ends_supplied(mover, to, &stride)? {
                let why = format!("a unit in {to} would be out of supply");
                walked.cut = Cut::before(to, vec![Bar::new("12.10a", why)]);
                break;
            }
            let zone = match stride.zone {
                Trit::Maybe => self.spanish_zone(to)?,
                level => level == Trit::Yes,
            };
            if stride.overrun {
                self.overrun(mover, to)?;
            }
            if opens {
                let next = self.state.turn + 1;
                walked.opened.push((to, self.lay_source(to, next)));
            }
            walked.path.push(Paid { hex: to, cost: stride.cost, why: stride.why });
            walked.spent += stride.cost;
            at = to;
            halted = zone;
        }
        // Where the walk was cut short in a hex it may only pass.
        if walked.cut.is_some() {
            self.back_off(mover, &mut walked);
        }
        Ok(walked)
    }

    /// Back to the last hex in which the unit may stay.
    fn back_off(&self, mover: &Mover, walked: &mut Walked) {
        while let Some(last) = walked.path.pop_if(|last| !self.now().may_stay(mover, last.hex)) {
            walked.spent = walked.spent - last.cost;
        }
    }

    /// US and Cuban units do not end a phase together (§9.4c): whoever comes last stops short of units of the other
    /// nationality, unless they still move on. The orders had it otherwise; a hidden fact cut somebody's move.
    fn stop_short(&self, mover: &Mover, walked: &mut Walked, to_come: &[Piece]) {
        let Some(last) = walked.path.last().map(|paid| paid.hex) else { return };
        let stays = |id: UnitId| self.now().nation(id) != Some(mover.nation) && !to_come.contains(&Piece::from(id));
        let Some(other) = self.state.units_in(last).find(|id| stays(*id)) else { return };
        if walked.cut.is_none() && !self.now().may_stay(mover, last) {
            let why = format!("{other} is there to stay");
            walked.cut = Some(Cut { before: last, why, clause: Clause("9.4c") });
            self.back_off(mover, walked);
        }
    }

    /// What a hidden fact forbids, asked only where the public cannot tell.
    fn hidden_bar(&mut self, mover: &Mover, from: Hex, to: Hex, stride: &Stride) -> Ruling<Option<Bar>> {
        if !self.leads_home(mover, from, to)? {
            return Ok(Some(Bar::new("12.10c", format!("{to} does not bring it one hex closer to supply"))));
        }
        if stride.overrun && mover.nation != Nation::Spanish && !self.lone_battery(to)? {
            return Ok(Some(Bar::new("10.7b", format!("{to} is held by a Spanish unit that is no battery"))));
        }
        if stride.pinned == Trit::Maybe && self.spanish_zone(to)? && self.spanish_zone(from)? {
            return Ok(Some(Bar::new("7.1d", format!("{from} and {to} are both in Spanish zones of control"))));
        }
        Ok(None)
    }

    /// §12.10a: is a unit in supply where a step takes it, without a marker of its own, once what it overruns is gone?
    fn ends_supplied(&mut self, mover: &Mover, to: Hex, stride: &Stride) -> Ruling<bool> {
        if mover.nation != Nation::Us || mover.lost {
            return Ok(true);
        }
        match stride.supply {
            Trit::Maybe => self.supplied(to, Suppose { vacated: stride.overrun.then_some(to), opened: None }),
            level => Ok(level == Trit::Yes),
        }
    }

    /// Eliminates what is overrun (§10.8).
    fn overrun(&mut self, mover: &Mover, hex: Hex) -> Ruling<()> {
        if mover.nation == Nation::Spanish {
            // §10.8f: no battery overruns; the counter is hidden, so its owner vouches for it.
            let data = self.data();
            let battery = |unit: &UnitId| data.counter(*unit).is_some_and(|counter| counter.kind == Arm::Artillery);
            let token: Vec<Token> = mover.piece.token().into_iter().collect();
            self.attest(&token, "10.8f", |units| !units.values().any(battery))?;
            let lost: Vec<UnitId> = self.state.units_in(hex).collect();
            self.umpire.note(Event::Overrun { by: mover.piece, at: hex, lost: lost.clone() });
            for id in lost {
                self.lose_unit(id, Cause::Overrun);
            }
            return Ok(());
        }
        let tokens: Vec<Token> = self.state.tokens_in(hex).collect();
        let units = self.reveal(&tokens)?;
        self.umpire.note(Event::Overrun { by: mover.piece, at: hex, lost: units.values().copied().collect() });
        for (token, unit) in units {
            self.bury(token, unit, hex, Cause::Overrun);
        }
        Ok(())
    }

    /// Moves a unit along a walk, hex by hex: control, markers, beaches, victory.
    pub fn follow(&mut self, piece: Piece, walked: &Walked) -> Ruling<()> {
        for paid in &walked.path {
            self.put(piece, paid.hex);
            self.entered(piece, paid.hex, "movement")?;
            for (hex, left) in walked.opened.iter().filter(|(hex, _)| *hex == paid.hex).copied() {
                self.umpire.note(Event::SourcePlaced { hex, how: MarkerEvent::Overland, left });
            }
        }
        Ok(())
    }

    /// Puts a piece into a hex, without more.
    pub fn put(&mut self, piece: Piece, hex: Hex) {
        match piece.token() {
            Some(token) => {
                let down = !self.game.options.face_up;
                if let Some(counter) = self.state.counters.get_mut(&token) {
                    let entering = matches!(counter.at, Post::In(_));
                    counter.at = Post::At(hex);
                    if entering && down {
                        counter.face = Face::down(token); // §8.1e
                    }
                }
                self.supply = None;
            }
            None => {
                if let Some(unit) = self.state.units.get_mut(&piece.unit()) {
                    unit.at = Place::At(hex);
                }
            }
        }
    }

    /// An American unit enters a beach: is it opened? (§6.6)
    fn opens(&mut self, piece: Piece, hex: Hex, ordered: Option<bool>) -> Ruling<bool> {
        let american = piece.token().is_none() && self.now().nation(piece.unit()) == Some(Nation::Us);
        if !american || !self.now().may_open(hex) {
            return Ok(false);
        }
        let question = Question {
            who: US,
            kind: OPEN_BEACH,
            about: Subject::of(hex),
            clause: Clause("6.6a"),
            text: format!("{piece} is in {}: is a Supply Source marker placed there?", self.data().say(hex)),
            options: vec![true, false],
            default: true,
            also: None,
        };
        self.umpire.ask(question, ordered, |policy| match policy {
            Policy::Ever(ever) => Say::Choose(*ever == Ever::Always),
            Policy::Hexes(hexes) => Say::Choose(hexes.contains(&hex)),
            _ => Say::Default,
        })
    }

    /// An American unit has advanced into a beach: is it opened? (§6.6g)
    pub fn offer_beach(&mut self, piece: Piece, hex: Hex, ordered: Option<bool>) -> Ruling<()> {
        if self.opens(piece, hex, ordered)? {
            let next = self.state.turn + 1;
            self.place_source(hex, next, MarkerEvent::Overland);
        }
        Ok(())
    }

    /// Places a Supply Source marker.
    pub fn place_source(&mut self, hex: Hex, landing_from: u32, how: MarkerEvent) {
        let left = self.lay_source(hex, landing_from);
        self.umpire.note(Event::SourcePlaced { hex, how, left });
    }

    /// The same, still to be told: how many markers are left.
    fn lay_source(&mut self, hex: Hex, landing_from: u32) -> u32 {
        self.state.markers_used += 1;
        let number = self.state.markers_used;
        self.state.sources.insert(hex, Source { number, landing_from });
        self.supply = None;
        self.data().tables.limits.supply_markers.saturating_sub(number)
    }

    /// A move that is not made: everything that bars it.
    fn stays(&mut self, piece: Piece, bars: Vec<Bar>) {
        for bar in bars {
            self.lapse(format!("move of {piece}"), bar.clause, bar.why);
        }
    }

    /// One move of the US Movement Phase (§10). `to_come` are the units that still move after it.
    pub fn us_move(&mut self, order: &MoveOrder, to_come: &[Piece]) -> Ruling<()> {
        if order.path.is_empty() {
            return Ok(()); // the balloon has changed its mode, and flipping is no move (§17.2e)
        }
        let maps = self.supply_maps();
        let (mut mover, from) = match self.now().mover(order.unit, &maps) {
            Ok((mover, Some(from))) => (mover, from),
            Ok((_, None)) => return Ok(()),
            Err(bars) => {
                self.stays(order.unit, bars);
                return Ok(());
            }
        };
        // §12.8a: hidden counters may decide whether it is in supply.
        let american = mover.nation == Nation::Us;
        if american && !mover.lost && !self.supplied(from, Suppose::default())? {
            mover = mover.out_of_supply();
        }
        mover.beach = self.now().beach_opened(order);
        let mut walked = self.walk(&mover, from, &order.path, Mp::ZERO, order.open)?;
        self.stop_short(&mover, &mut walked, to_come);
        self.note_move(&mover, Some(from), &walked);
        self.follow(order.unit, &walked)
    }

    fn note_move(&mut self, mover: &Mover, from: Option<Hex>, walked: &Walked) {
        if walked.path.is_empty() && walked.cut.is_none() {
            return;
        }
        self.umpire.note(Event::Moved {
            piece: mover.piece,
            nation: mover.nation,
            from,
            path: walked.path.clone(),
            spent: walked.spent,
            purse: mover.purse,
            out_of_supply: mover.lost,
            cut: walked.cut.clone(),
        });
    }

    /// One move of the Spanish Movement Phase, entries included (§10, §23).
    pub fn spanish_move(&mut self, order: &MoveOrder) -> Ruling<()> {
        let none = SupplyMaps::everywhere(&self.now());
        let found = match order.unit.token() {
            Some(token) => self.now().mover(order.unit, &none).map(|found| (token, found)),
            None => Err(vec![Bar::new("1.1a", format!("{} is no Spanish counter", order.unit))]),
        };
        let (token, (mover, from)) = match found {
            Ok(found) => found,
            Err(bars) => {
                self.stays(order.unit, bars);
                return Ok(());
            }
        };
        let data = self.data();
        // §2.12c: garrisons never move; the counter is hidden, so its owner vouches for it.
        let garrison = |unit: &UnitId| data.counter(*unit).is_some_and(|counter| counter.kind == Arm::Garrison);
        self.attest(&[token], "2.12c", |units| !units.values().any(garrison))?;
        let walked = match from {
            Some(hex) => self.walk(&mover, hex, &order.path, Mp::ZERO, None)?,
            None => self.enter_map(&mover, &order.path)?,
        };
        self.vouch(token, &walked)?;
        self.note_move(&mover, from, &walked);
        self.follow(order.unit, &walked)
    }

    /// A reinforcement comes on the map by road and goes on (§23.1h, §23.1n).
    fn enter_map(&mut self, mover: &Mover, path: &[Hex]) -> Ruling<Walked> {
        let mut walked = Walked { path: Vec::new(), opened: Vec::new(), spent: Mp::ZERO, cut: None };
        let Some((first, rest)) = path.split_first() else { return Ok(walked) };
        let stride = match self.now().entry_stride(mover, *first) {
            Ok(stride) => stride,
            Err(bars) => {
                walked.cut = Cut::before(*first, bars);
                return Ok(walked);
            }
        };
        walked.path.push(Paid { hex: *first, cost: stride.cost, why: stride.why });
        walked.spent = stride.cost;
        if let Some(next) = rest.first().filter(|_| stride.zone == Trit::Yes) {
            let why = format!("the move ends in {first}, in an enemy zone of control");
            walked.cut = Cut::before(*next, vec![Bar::new("23.1n", why)]);
            return Ok(walked);
        }
        // It stands in the entry hex from here on; the rest is an ordinary walk.
        let onward = self.walk(&Mover { landing: true, ..mover.clone() }, *first, rest, stride.cost, None)?;
        walked.path.extend(onward.path);
        Ok(Walked { spent: onward.spent, cut: onward.cut, ..walked })
    }

    /// The Spanish player vouches for what the public cannot see of a walk: stacking on the way, and overruns.
    fn vouch(&mut self, token: Token, walked: &Walked) -> Ruling<()> {
        let data = self.data();
        for paid in &walked.path {
            let mut tokens: Vec<Token> = self.state.tokens_in(paid.hex).filter(|other| *other != token).collect();
            if tokens.is_empty() {
                continue;
            }
            tokens.push(token);
            let jungle = data.land(paid.hex) == Land::Jungle;
            let guns = |units: &std::collections::BTreeMap<Token, UnitId>| {
                let gun = |unit: &&UnitId| data.counter(**unit).is_some_and(|counter| counter.kind == Arm::Artillery);
                units.values().filter(gun).count()
            };
            let count = tokens.len();
            self.attest(&tokens, "9.2e", |units| jungle || guns(units) <= 1)?;
            self.attest(&tokens, if jungle { "9.2b" } else { "9.2a" }, |units| {
                if jungle { count <= 1 } else { count - guns(units) <= 2 }
            })?;
        }
        Ok(())
    }
}
