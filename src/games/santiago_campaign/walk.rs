//! Chapter 10 carried out: walks hex by hex with the hidden facts on the way, overruns, beaches opened, reinforcements.

use std::rc::Rc;

use crate::board::Hex;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Cloud, Ever, Question, Ruling, Say, Subject};

use super::US;
use super::bars::bar;
use super::data::Mp;
use super::events::{Cause, Cut, Event, MarkerEvent, Paid};
use super::movement::{Leg, Mover, Route, Stride, points_of};
use super::orders::MoveOrder;
use super::play::{Play, Trit};
use super::policy::{OPEN_BEACH, Policy};
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
    /// Everything that barred the step after it.
    pub bars: Vec<Bar>,
}

impl Walked {
    /// Nobody has moved yet.
    pub fn none(spent: Mp) -> Walked {
        Walked { path: Vec::new(), opened: Vec::new(), spent, cut: None, bars: Vec::new() }
    }

    /// A step of its path that nobody could make is at fault, whether it came so far or not.
    fn break_off(&mut self, path: &[Hex], broken: Option<(usize, Bar)>) {
        let Some((count, bar)) = broken else { return };
        match path.get(count) {
            Some(before) if self.cut.is_none() => self.stop(count, *before, vec![bar]),
            _ => self.bars.push(bar.at(DocPath::root().key("path").index(count))),
        }
    }

    /// It ends before this hex, the `count`th of its path.
    pub fn stop(&mut self, count: usize, before: Hex, bars: Vec<Bar>) {
        let part = DocPath::root().key("path").index(count);
        self.cut = Cut::before(before, &bars);
        self.bars = bars.into_iter().map(|bar| bar.at(part.clone())).collect();
    }
}

impl Play<'_, '_> {
    /// Walks a path as far as it is legal, hidden facts included, from a hex where `spent` points are gone already.
    /// Nothing is moved; what is overrun is gone at once, and a beach that is opened supplies the next step (§6.6g).
    ///
    /// The walk ends in the last hex in which the unit may stay (§9.4c); hexes before are passed.
    pub fn walk(&mut self, mover: &Mover, from: Hex, path: &[Hex], spent: Mp, open: Option<bool>) -> Ruling<Walked> {
        let mut walked = Walked::none(spent);
        let (mut at, mut halted) = (from, false);
        let (piece, points) = (Subject::of(mover.piece), points_of(mover.piece));
        self.umpire.rests(std::slice::from_ref(&piece), [points.clone()]);
        for (count, to) in path.iter().copied().enumerate() {
            let maps = if mover.nation == Nation::Us {
                self.supply_maps()
            } else {
                Rc::new(SupplyMaps::everywhere(&self.now()))
            };
            let (first, home) = (count == 0, self.now().way_home(mover, &maps));
            let leg = Leg { at, first, halted, spent: walked.spent, home: home.as_ref() };
            if self.umpire.is_in_doubt() {
                let in_doubt = |hex: Hex| self.umpire.cloud_on(&Subject::of(hex)).is_some();
                let (here, there) = (in_doubt(at), in_doubt(to));
                let helpers = self.now().helpers(mover, at, to, here || there);
                self.umpire.rests(&helpers, [piece.clone(), points.clone()]);
                let passing = self.passing.get(&to).map(|pieces| pieces.iter().copied().collect::<Vec<_>>());
                if there && self.may_be_full(mover, to, None) {
                    self.umpire.rests(&[Subject::of(to)], [piece.clone()]);
                } else if let Some(passing) = passing.filter(|passing| self.may_be_full(mover, to, Some(passing))) {
                    let on: Vec<Subject> = passing.iter().map(Subject::of).collect();
                    self.umpire.rests(&on, [piece.clone()]);
                }
            }
            let stride = match self.now().pace(mover, leg, to, &maps) {
                Ok(stride) => stride,
                Err(bars) => {
                    walked.stop(count, to, bars);
                    break;
                }
            };
            // What hangs on a face-down counter is uncertain from here on.
            let on = [Subject::of(at), Subject::of(to)];
            if let Some(bar) = self.hidden_bar(mover, at, to, &stride)? {
                walked.stop(count, to, vec![bar.about(on)]);
                break;
            }
            let opens = self.opens(mover.piece, to, open)?;
            if !opens && !self.ends_supplied(mover, to, &stride)? {
                let suppose = Suppose { vacated: stride.overrun.then_some(to), opened: None };
                let why = self.now().why_unsupplied(to, suppose);
                let why = format!("a unit in {to} would be out of supply: {why}");
                walked.stop(count, to, vec![bar("12.10a", why).about([Subject::of(to), Subject::of("supply")])]);
                break;
            }
            if mover.nation == Nation::Us && !opens {
                self.rests_on_supply(mover, to, &stride, &maps);
            }
            let zone = match stride.zone {
                Trit::Maybe => self.spanish_zone(to)?,
                level => level == Trit::Yes,
            };
            let last = count + 1 == path.len();
            if stride.pinned == Trit::Maybe || (stride.zone == Trit::Maybe && !last) {
                let place = if stride.pinned == Trit::Maybe { at } else { to };
                self.doubt(place);
                self.umpire.rests(&[Subject::of(place)], [piece.clone()]);
            }
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
            let why =
                format!("US and Cuban units do not end the phase together in {last}, and {other} is there to stay");
            let count = walked.path.len() - 1;
            walked.stop(count, last, vec![bar("9.4c", why).about([Subject::of(other), Subject::of(last)])]);
            self.back_off(mover, walked);
        }
    }

    /// In a check: a face-down counter may cut the move short.
    fn doubt(&mut self, hex: Hex) {
        let why = format!("a single Spanish counter next to {hex} ends the move there unless it is a lone battery");
        self.umpire.mind(Bar::new("7.1c", why, "nothing need be changed"));
    }

    /// What a hidden fact forbids, asked only where the public cannot tell.
    fn hidden_bar(&mut self, mover: &Mover, from: Hex, to: Hex, stride: &Stride) -> Ruling<Option<Bar>> {
        if !self.leads_home(mover, from, to)? {
            return Ok(Some(bar("12.10c", format!("{to} does not bring it one hex closer to supply"))));
        }
        if stride.overrun && mover.nation != Nation::Spanish {
            let cause = Cloud::Secret(format!("the counter in {to}"));
            self.umpire.cloud([Subject::of(to), Subject::of("supply"), Subject::of(mover.piece)], &cause);
        }
        if stride.overrun && mover.nation != Nation::Spanish && !self.lone_battery(to)? {
            return Ok(Some(bar("10.7b", format!("{to} is held by a Spanish unit that is no battery"))));
        }
        if stride.pinned == Trit::Maybe && self.spanish_zone(to)? && self.spanish_zone(from)? {
            return Ok(Some(bar("7.1d", format!("{from} and {to} are both in Spanish zones of control"))));
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

    /// Who needs supply where he goes may not get there where that hangs on a face-down counter, or on what was changed
    /// in this phase (§12.10a, §12.10c).
    fn rests_on_supply(&mut self, mover: &Mover, to: Hex, stride: &Stride, maps: &SupplyMaps) {
        let (hidden, supply) = (mover.lost && maps.surely != maps.maybe, Subject::of("supply"));
        let on = if hidden || stride.supply == Trit::Maybe {
            Subject::of(to)
        } else if !mover.lost && self.umpire.cloud_on(&supply).is_some() && !self.was_supplied(to) {
            supply
        } else {
            return;
        };
        self.umpire.rests(&[on], [Subject::of(mover.piece)]);
    }

    /// Was a hex in supply when the phase began, whatever the doubtful counters are? Nothing in it takes that away.
    fn was_supplied(&self, hex: Hex) -> bool {
        self.at_first.as_ref().is_some_and(|maps| maps.at(&self.now(), hex) == Trit::Yes)
    }

    /// Eliminates what is overrun (§10.8).
    fn overrun(&mut self, mover: &Mover, hex: Hex) -> Ruling<()> {
        if mover.nation == Nation::Spanish {
            // §10.8f: no battery overruns; the counter is hidden, so its owner vouches for it.
            let data = self.data();
            let battery = |unit: &UnitId| data.arm(*unit) == Some(Arm::Artillery);
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
        if self.guesses(&tokens) {
            self.umpire.note(Event::Overrun { by: mover.piece, at: hex, lost: Vec::new() });
            for token in &tokens {
                self.state.counters.remove(token);
            }
            self.supply = None;
            return Ok(());
        }
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
                        // Its owner goes on knowing what lay open in the box.
                        if let Face::Down(sealed) = &counter.face
                            && let Some(unit) = self.umpire.eyes(sealed)
                        {
                            self.known.0.insert(token, unit);
                        }
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
        let american = self.now().nation(piece.unit()) == Some(Nation::Us);
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
        let opens = self.umpire.ask(question, ordered, |policy| match policy {
            Policy::Ever(ever) => Say::Choose(*ever == Ever::Always),
            Policy::Hexes(hexes) => Say::Choose(hexes.contains(&hex)),
            _ => Say::Default,
        })?;
        // Everybody's supply hangs on the answer.
        self.umpire.rests(&[Subject::of(hex)], [Subject::of("supply")]);
        Ok(opens)
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

    /// Who marches, and from where; the order lapses if he may not.
    fn set_out(&mut self, piece: Piece) -> Option<(Mover, Option<Hex>)> {
        let maps = self.maps_for(piece);
        let found = self.now().mover(piece, &maps);
        found.map_err(|bars| self.stays(piece, bars, "unit")).ok()
    }

    /// Supply for a mover; only Americans need any (§12.1b).
    pub fn maps_for(&mut self, piece: Piece) -> Rc<SupplyMaps> {
        let american = self.now().nation(piece.unit()) == Some(Nation::Us);
        if american { self.supply_maps() } else { Rc::new(SupplyMaps::everywhere(&self.now())) }
    }

    /// A move that is not made: everything that bars it.
    fn stays(&mut self, piece: Piece, bars: Vec<Bar>, part: &str) {
        let bars = bars.into_iter().map(|bar| bar.part(part).about([Subject::of(piece)])).collect();
        let on: Vec<Subject> =
            self.now().hex_of(piece).map(Subject::of).into_iter().chain([Subject::of(piece)]).collect();
        self.lapse(format!("move of {piece}"), bars, &on);
    }

    /// Where a piece can go, each hex with its path and its price, as its owner sees it.
    pub fn choices(&mut self, piece: Piece) -> Vec<Route> {
        let maps = self.maps_for(piece);
        let Ok((mover, from)) = self.now().mover(piece, &maps) else { return Vec::new() };
        self.now().ways(&mover, from, &maps)
    }

    /// Writes `to` out as the path it means; the order lapses if none leads there.
    fn complete(&mut self, order: &mut MoveOrder, mover: &Mover, from: Option<Hex>) -> bool {
        if let Some(to) = order.to.filter(|to| order.path.last().is_some_and(|last| last != to)) {
            let bar = Bar::new("10.3b", format!("the path does not lead to {to}"), "write `path` or `to`, not both");
            self.stays(order.unit, vec![bar.firm()], "to");
            return false;
        }
        let Some(to) = order.to.take_if(|_| order.path.is_empty()) else {
            order.to = None;
            return true;
        };
        let maps = self.maps_for(order.unit);
        let now = self.now();
        match now.ways(mover, from, &maps).into_iter().find(|(hex, _, _)| *hex == to) {
            Some((_, path, _)) => order.path = path,
            None => {
                let bars = now.why_not(mover, from, to, &maps);
                self.stays(order.unit, bars, "to");
                order.to = Some(to);
            }
        }
        order.to.is_none()
    }

    /// In a drill: does the hex where a march ends stand in the list of what is in reach?
    fn stands_listed(&mut self, order: &MoveOrder, mover: &Mover, from: Option<Hex>) -> Option<bool> {
        let to = order.path.last().filter(|to| self.umpire.drills() && from != Some(**to))?;
        let maps = self.maps_for(order.unit);
        // A policy may leave a beach shut that the order does not speak of.
        let shut = Mover { shut: true, ..mover.clone() };
        let listed = |mover: &Mover| self.now().ways(mover, from, &maps).iter().any(|(hex, _, _)| hex == to);
        Some(listed(mover) || listed(&shut))
    }

    /// A march that nothing cut was legal, so it has to stand in the list.
    fn look_up(&mut self, stands: Option<bool>, walked: &Walked) {
        if let Some(stands) = stands.filter(|_| walked.bars.is_empty() && walked.cut.is_none()) {
            self.umpire.listed(|| stands);
        }
    }

    /// One move of the US Movement Phase (§10). `to_come` are the units that still move after it.
    pub fn us_move(&mut self, order: &mut MoveOrder, to_come: &[Piece]) -> Ruling<()> {
        let Some((mut mover, Some(from))) = self.set_out(order.unit) else { return Ok(()) };
        // §12.8a: hidden counters may decide whether it is in supply.
        let american = mover.nation == Nation::Us;
        if american && !mover.lost && !self.supplied(from, Suppose::default())? {
            mover = mover.out_of_supply();
        }
        if mover.lost {
            self.umpire.rests(&[Subject::of(from), Subject::of("supply")], [Subject::of(order.unit)]);
        }
        mover = self.now().told(mover, order);
        if !self.complete(order, &mover, Some(from)) {
            return Ok(());
        }
        let stands = self.stands_listed(order, &mover, Some(from));
        let broken = self.now().broken_step(&mover, Some(from), &order.path);
        let whole = broken.as_ref().map_or(order.path.len(), |(count, _)| *count);
        let mut walked = self.walk(&mover, from, &order.path[..whole], Mp::ZERO, order.open)?;
        walked.break_off(&order.path, broken);
        self.look_up(stands, &walked);
        if walked.cut.is_some() {
            self.back_off(&mover, &mut walked);
        }
        self.stop_short(&mover, &mut walked, to_come);
        // What it meant to overrun is still there; supply would have gone on behind that, and from a beach it meant to open.
        let missed = |hex: &&Hex| self.state.tokens_in(**hex).next().is_some() || self.now().may_open(**hex);
        let mut missed: Vec<Subject> = order.path.iter().filter(missed).map(Subject::of).collect();
        if !missed.is_empty() {
            missed.push(Subject::of("supply"));
        }
        let mut about: Vec<Subject> = walked.bars.iter().flat_map(|bar| bar.about.iter().cloned()).collect();
        about.push(Subject::of(order.unit));
        self.umpire.rests(&about, missed);
        self.note_move(&mover, Some(from), &order.path, &mut walked);
        self.follow(order.unit, &walked)
    }

    fn note_move(&mut self, mover: &Mover, from: Option<Hex>, path: &[Hex], walked: &mut Walked) {
        let event = Event::Moved {
            piece: mover.piece,
            nation: mover.nation,
            from,
            path: walked.path.clone(),
            spent: walked.spent,
            purse: mover.purse,
            out_of_supply: mover.lost,
            cut: walked.cut.clone(),
        };
        let piece = Subject::of(mover.piece);
        let bars = std::mem::take(&mut walked.bars);
        // Whoever may not get there leaves room where he is looked for, and takes it where he came from.
        let last = walked.path.last().map(|paid| paid.hex);
        let ends: Vec<Subject> = from.into_iter().chain(last).map(Subject::of).collect();
        self.umpire.rests(std::slice::from_ref(&piece), ends.clone());
        if bars.is_empty() && walked.path.is_empty() {
            // It has gone nowhere.
        } else if bars.is_empty() {
            self.umpire.note(event);
        } else {
            let dear = points_of(mover.piece);
            let on_piece = |bar: Bar| if bar.about.contains(&dear) { bar } else { bar.about([piece.clone()]) };
            let bars = bars.into_iter().map(on_piece).collect();
            // It stands where nobody looked for it.
            let on: Vec<Subject> = ends.into_iter().chain([piece.clone()]).collect();
            self.forgo(bars, &on, |_| event);
        }
        // It may have to stop anywhere on its way, where others are to pass, or get on where it has been stopped. What is
        // wrong with its order stops it for sure.
        let Some(cloud) = self.umpire.cloud_on(&piece) else { return };
        let came = if matches!(cloud, Cloud::Refused(_)) { walked.path.len() } else { path.len() };
        for hex in path.iter().take(came) {
            self.passing.entry(*hex).or_default().insert(mover.piece);
        }
    }

    /// One move of the Spanish Movement Phase, entries included (§10, §23).
    pub fn spanish_move(&mut self, order: &mut MoveOrder) -> Ruling<()> {
        let Some(token) = order.unit.token() else {
            let why = format!("{} is not among the Spanish counters on the table", order.unit);
            self.stays(order.unit, vec![bar("1.1a", why).firm()], "unit");
            return Ok(());
        };
        let Some((mover, from)) = self.set_out(order.unit) else { return Ok(()) };
        let data = self.data();
        // §2.12c: garrisons never move; the counter is hidden, so its owner vouches for it.
        let garrison = |unit: &UnitId| data.arm(*unit) == Some(Arm::Garrison);
        self.attest(&[token], "2.12c", |units| !units.values().any(garrison))?;
        if !self.complete(order, &mover, from) {
            return Ok(());
        }
        let stands = self.stands_listed(order, &mover, from);
        let broken = self.now().broken_step(&mover, from, &order.path);
        let path = &order.path[..broken.as_ref().map_or(order.path.len(), |(count, _)| *count)];
        let mut walked = match from {
            Some(hex) => self.walk(&mover, hex, path, Mp::ZERO, None)?,
            None => self.enter_map(&mover, path)?,
        };
        walked.break_off(&order.path, broken);
        self.look_up(stands, &walked);
        self.vouch(token, &walked)?;
        self.note_move(&mover, from, &order.path, &mut walked);
        self.follow(order.unit, &walked)
    }

    /// A reinforcement comes on the map by road and goes on (§23.1h, §23.1n).
    fn enter_map(&mut self, mover: &Mover, path: &[Hex]) -> Ruling<Walked> {
        let mut walked = Walked::none(Mp::ZERO);
        let Some((first, rest)) = path.split_first() else { return Ok(walked) };
        let stride = match self.now().entry_stride(mover, *first) {
            Ok(stride) => stride,
            Err(bars) => {
                walked.stop(0, *first, bars);
                return Ok(walked);
            }
        };
        walked.path.push(Paid { hex: *first, cost: stride.cost, why: stride.why });
        walked.spent = stride.cost;
        if let Some(next) = rest.first().filter(|_| stride.zone == Trit::Yes) {
            let why = format!("the move ends in {first}, in an enemy zone of control");
            walked.stop(1, *next, vec![bar("23.1n", why)]);
            return Ok(walked);
        }
        // It stands in the entry hex from here on; the rest is an ordinary walk.
        let onward = self.walk(&Mover { landing: true, ..mover.clone() }, *first, rest, stride.cost, None)?;
        walked.path.extend(onward.path);
        Ok(Walked { spent: onward.spent, cut: onward.cut, bars: onward.bars, ..walked })
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
                let gun = |unit: &&UnitId| data.arm(**unit) == Some(Arm::Artillery);
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
