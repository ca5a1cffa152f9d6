//! Chapter 10 carried out: walks hex by hex with the hidden facts on the way, overruns, beaches opened, reinforcements.

use std::rc::Rc;

use crate::board::Hex;
use crate::engine::{Clause, Question, Ruling, Say, Subject};

use super::US;
use super::data::Mp;
use super::events::{Cause, Cut, Event, MarkerEvent, Paid};
use super::movement::{Bar, Mover, Stride};
use super::orders::MoveOrder;
use super::play::{Play, Trit};
use super::policy::{Ever, OPEN_BEACH, Policy};
use super::state::{Face, Place, Post, Source};
use super::supply::{SupplyMaps, Suppose};
use super::terms::{Arm, Land, Nation, Piece, Token, UnitId};
use super::toll::Toll;

/// A walk as it was carried out.
pub struct Walked {
    /// Hexes entered and what they cost.
    pub path: Vec<Paid>,
    /// Points spent.
    pub spent: Mp,
    /// Why it ended early.
    pub cut: Option<Cut>,
}

impl Play<'_, '_> {
    /// Walks a path as far as it is legal, hidden facts included. Nothing is moved but what is overrun.
    ///
    /// The walk ends in the last hex in which the unit may stay (§9.4c); hexes before are passed.
    pub fn walk(&mut self, mover: &Mover, from: Hex, path: &[Hex], mut spent: Mp, opens: bool) -> Ruling<Walked> {
        let mut taken: Vec<Paid> = Vec::new();
        let mut at = from;
        let mut cut = None;
        let mut stop_here = false;
        for (count, to) in path.iter().copied().enumerate() {
            let refuse = |bar: Bar| Some(Cut { before: to, why: bar.why, clause: Clause(bar.clause) });
            if !self.data().adjacent(at, to) {
                cut = refuse(Bar::new("10.3b", format!("{to} does not touch {at}")));
                break;
            }
            if stop_here {
                cut = refuse(Bar::new("7.1c", format!("{at} is in an enemy zone of control")));
                break;
            }
            let maps = if mover.nation == Nation::Us {
                self.supply_maps()
            } else {
                Rc::new(SupplyMaps::everywhere(&self.now()))
            };
            let now = self.now();
            let stride = match now.stride(mover, at, to, &maps) {
                Ok(stride) => stride,
                Err(bar) => {
                    cut = refuse(bar);
                    break;
                }
            };
            if !self.leads_home(mover, at, to)? {
                cut = refuse(Bar::new("12.10c", format!("{to} does not bring it one hex closer to supply")));
                break;
            }
            let total = spent + stride.cost;
            if total > mover.purse {
                cut = refuse(Bar::new(
                    "10.3d",
                    format!("{to} costs {} and {} of {} are spent", stride.cost, spent, mover.purse),
                ));
                break;
            }
            if let Some(bar) = self.hidden_bar(mover, at, to, count == 0 && !mover.landing, &stride, opens)? {
                cut = refuse(bar);
                break;
            }
            let zone = match stride.zone {
                Trit::Maybe => self.spanish_zone(to)?,
                level => level == Trit::Yes,
            };
            if stride.overrun {
                self.overrun(mover, to)?;
            }
            taken.push(Paid { hex: to, cost: stride.cost, why: stride.why });
            spent = total;
            at = to;
            stop_here = zone;
        }
        let mut walked = Walked { path: taken, spent, cut };
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
    fn hidden_bar(
        &mut self,
        mover: &Mover,
        from: Hex,
        to: Hex,
        first: bool,
        stride: &Stride,
        opens: bool,
    ) -> Ruling<Option<Bar>> {
        if mover.nation == Nation::Spanish {
            // §7.1d for Spanish units: everything is in the open.
            let pinned = first && stride.zone == Trit::Yes && self.now().us_zone(from);
            return Ok(pinned.then(|| Bar::new("7.1d", format!("{from} and {to} are both in US zones of control"))));
        }
        if stride.overrun && !self.lone_battery(to)? {
            return Ok(Some(Bar::new("10.7b", format!("{to} is held by a Spanish unit that is no battery"))));
        }
        if mover.nation == Nation::Cuban {
            return Ok(None);
        }
        if first && stride.zone != Trit::No && self.spanish_zone(to)? && self.spanish_zone(from)? {
            return Ok(Some(Bar::new("7.1d", format!("{from} and {to} are both in Spanish zones of control"))));
        }
        if mover.lost {
            return Ok(None);
        }
        // §12.10a, §6.6g: a beach that is opened on entry counts with its marker; after an overrun, without the battery.
        let opened = (opens && self.may_open(to)).then_some(to);
        let vacated = stride.overrun.then_some(to);
        if stride.supply != Trit::Yes && !self.supplied(to, Suppose { vacated, opened })? {
            return Ok(Some(Bar::new("12.10a", format!("a unit in {to} would be out of supply"))));
        }
        Ok(None)
    }

    /// May a marker be placed in this hex? (§6.6a, §12.11)
    pub fn may_open(&self, hex: Hex) -> bool {
        self.data().is_beach(hex)
            && !self.state.sources.contains_key(&hex)
            && self.state.markers_used < self.data().tables.limits.supply_markers
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
    pub fn follow(&mut self, piece: Piece, walked: &Walked, open: Option<bool>) -> Ruling<()> {
        for paid in &walked.path {
            self.put(piece, paid.hex);
            self.entered(piece, paid.hex, "movement")?;
            self.offer_beach(piece, paid.hex, open)?;
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

    /// An American unit has entered a beach: is it opened? (§6.6)
    pub fn offer_beach(&mut self, piece: Piece, hex: Hex, ordered: Option<bool>) -> Ruling<()> {
        let american = piece.token().is_none() && self.now().nation(piece.unit()) == Some(Nation::Us);
        if !american || !self.may_open(hex) {
            return Ok(());
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
        let open = self.umpire.ask(question, ordered, |policy| match policy {
            Policy::Ever(ever) => Say::Choose(*ever == Ever::Always),
            Policy::Hexes(hexes) => Say::Choose(hexes.contains(&hex)),
            _ => Say::Default,
        })?;
        if open {
            let next = self.state.turn + 1;
            self.place_source(hex, next, MarkerEvent::Overland);
        }
        Ok(())
    }

    /// Places a Supply Source marker.
    pub fn place_source(&mut self, hex: Hex, landing_from: u32, how: MarkerEvent) {
        self.state.markers_used += 1;
        let number = self.state.markers_used;
        self.state.sources.insert(hex, Source { number, landing_from });
        self.supply = None;
        let left = self.data().tables.limits.supply_markers.saturating_sub(number);
        self.umpire.note(Event::SourcePlaced { hex, how, left });
    }

    /// One move of the US Movement Phase (§10). `to_come` are the units that still move after it.
    pub fn us_move(&mut self, order: &MoveOrder, to_come: &[Piece]) -> Ruling<()> {
        let id = order.unit.unit();
        let unit = self.state.unit(id);
        let (Some(from), Some(nation)) = (unit.at.hex(), self.now().nation(id)) else {
            self.lapse(format!("move of {id}"), "10.2a", "it is not on the map");
            return Ok(());
        };
        if unit.landed && !order.path.is_empty() {
            self.lapse(format!("move of {id}"), "6.5g", "it landed this turn");
            return Ok(());
        }
        if unit.fever {
            self.lapse(format!("move of {id}"), "13.2c", "it is infected with fever");
            return Ok(());
        }
        let out_of_supply = nation == Nation::Us && !self.supplied(from, Suppose::default())?;
        let maps = self.supply_maps();
        let Some(mut mover) = self.now().mover(order.unit, &maps) else { return Ok(()) };
        let full = self.data().movement_factor(nation);
        mover.lost = out_of_supply;
        mover.purse = if out_of_supply { full.half().unwrap_or(full) } else { full };
        let mut walked = self.walk(&mover, from, &order.path, Mp::ZERO, order.open != Some(false))?;
        self.stop_short(&mover, &mut walked, to_come);
        self.note_move(&mover, Some(from), &walked, out_of_supply);
        self.follow(order.unit, &walked, order.open)
    }

    fn note_move(&mut self, mover: &Mover, from: Option<Hex>, walked: &Walked, out_of_supply: bool) {
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
            out_of_supply,
            cut: walked.cut.clone(),
        });
    }

    /// One move of the Spanish Movement Phase, entries included (§10, §23).
    pub fn spanish_move(&mut self, order: &MoveOrder) -> Ruling<()> {
        let Some(token) = order.unit.token() else {
            self.lapse(format!("move of {}", order.unit), "10.2a", "it is no Spanish counter");
            return Ok(());
        };
        let Some(post) = self.state.counters.get(&token).map(|counter| counter.at) else {
            self.lapse(format!("move of {token}"), "10.2a", "it is out of the game");
            return Ok(());
        };
        let data = self.data();
        // §2.12c: garrisons never move; the counter is hidden, so its owner vouches for it.
        let garrison = |unit: &UnitId| data.counter(*unit).is_some_and(|counter| counter.kind == Arm::Garrison);
        self.attest(&[token], "2.12c", |units| !units.values().any(garrison))?;
        let purse = data.movement_factor(Nation::Spanish);
        let arm = self.now().token_arm(token);
        let mover =
            Mover { piece: order.unit, nation: Nation::Spanish, arm, light: false, purse, lost: false, landing: false };
        let (from, walked) = match post {
            Post::At(hex) => {
                let walked = self.walk(&mover, hex, &order.path, Mp::ZERO, false)?;
                (Some(hex), walked)
            }
            Post::In(_) => (None, self.enter_map(token, &mover, &order.path)?),
        };
        self.vouch(token, &walked)?;
        self.note_move(&mover, from, &walked, false);
        self.follow(order.unit, &walked, None)
    }

    /// A reinforcement comes on the map by road and goes on (§23.1h, §23.1n).
    fn enter_map(&mut self, token: Token, mover: &Mover, path: &[Hex]) -> Ruling<Walked> {
        let none = |cut| Walked { path: Vec::new(), spent: Mp::ZERO, cut };
        let Some((first, rest)) = path.split_first() else { return Ok(none(None)) };
        let now = self.now();
        let refuse = |bar: Bar| Some(Cut { before: *first, why: bar.why, clause: Clause(bar.clause) });
        let hex = match now.entry(token) {
            Ok(hex) if hex == *first => hex,
            Ok(hex) => return Ok(none(refuse(Bar::new("23.1e", format!("{token} enters at {hex}"))))),
            Err(bar) => return Ok(none(refuse(bar))),
        };
        let cost = self.data().tables.terrain_effects.road();
        let stride = match now.spanish_stride(mover, hex, (cost, Toll::ENTRY), None) {
            Ok(stride) => stride,
            Err(bar) => return Ok(none(refuse(bar))),
        };
        let mut walked = Walked { path: vec![Paid { hex, cost, why: stride.why }], spent: cost, cut: None };
        if rest.is_empty() {
            return Ok(walked);
        }
        if stride.zone == Trit::Yes {
            let before = rest.first().copied().unwrap_or(hex);
            let why = format!("{hex} is in an enemy zone of control");
            walked.cut = Some(Cut { before, why, clause: Clause("23.1n") });
            return Ok(walked);
        }
        // It stands in the entry hex from here on; the rest is an ordinary walk.
        let mut onward = self.walk(&Mover { landing: true, ..mover.clone() }, hex, rest, cost, false)?;
        walked.path.append(&mut onward.path);
        Ok(Walked { path: walked.path, spent: onward.spent, cut: onward.cut })
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
            self.attest(&tokens, "9.2a", |units| {
                let guns = guns(units);
                if jungle { count <= 1 } else { guns <= 1 && count - guns <= 2 }
            })?;
        }
        Ok(())
    }
}
