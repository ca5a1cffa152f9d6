//! What a player vouches for when he sends closed counters on their way: allowance (A61), `real` (A103), the train under a
//! counter (A104, §14.5.1e), and that nothing is overstacked as ordered (A105).

use std::collections::{BTreeMap, BTreeSet};

use crate::board::Hex;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Concealed, Ruling, Sealed, Side, Subject};

use super::orders::{MoveOrder, TurnOrders};
use super::play::Play;
use super::position::{Crowd, Known, Position};
use super::setup::slot_of;
use super::state::{CounterState, Place, State};
use super::terms::{Content, Force, Piece, UnitKind};

impl Position<'_> {
    /// Do these march beside enemies in guerrilla, who may strike at them (A104)?
    fn passes_guerrillas(&self, pieces: &[Piece], path: &[Hex]) -> bool {
        let force = pieces.first().and_then(|piece| self.force(*piece));
        force.is_some_and(|force| path.iter().any(|hex| !self.ambushers(force, *hex).is_empty()))
    }
}

impl Play<'_, '_> {
    /// Fills in path, `real` and `logistic` where the author left them to the program, and lets him vouch for what his
    /// closed counters must be. Before any die.
    ///
    /// `ahead` is the position with this turn's arrivals in it.
    pub fn vouch_for_moves(&mut self, side: Side, moves: &mut [Concealed<MoveOrder>], mut ahead: State) -> Ruling<()> {
        // Each finds those before it where they are ordered to: Cubans march first (§2j).
        let mut moved = BTreeSet::new();
        for force in Force::of(side).iter().rev() {
            for (index, entry) in moves.iter_mut().enumerate() {
                let Concealed::Open(order) = entry else { continue };
                if !self.carried_by(*force, side, order) {
                    continue;
                }
                let at = DocPath::root().key("moves").index(index);
                self.ahead(at, |play| play.vouch_for_move(side, order, &ahead))?;
                if let Some(end) = order.path.last().copied().or(order.to) {
                    // Who does not march with them is found where he was.
                    let now = Position { game: self.game, state: &ahead, known: &Known::default() };
                    for (piece, _) in now.falling_in(side, order, &moved).iter().filter(|(_, bars)| bars.is_empty()) {
                        ahead.shift(*piece, order.drop.get(piece).copied().unwrap_or(end));
                        moved.insert(*piece);
                    }
                }
            }
        }
        Ok(())
    }

    /// `state` is the position in which the march will begin.
    pub fn vouch_for_move(&mut self, side: Side, order: &mut MoveOrder, state: &State) -> Ruling<()> {
        let own: Vec<Piece> = (order.units.iter().copied())
            .filter(|piece| self.now().force(*piece).is_some_and(|force| force.side() == side))
            .collect();
        let closed = self.closed(&own);
        if closed.is_empty() {
            return Ok(());
        }
        let sealed = self.sealed_of(&closed);
        let known = Known::default();
        let now = Position { game: self.game, state, known: &known };
        // `to` is read with the eyes of who can see under the counters.
        if self.umpire.foresees() {
            let mut contents = Known::default();
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
            let train = contents.0.values().any(|content| now.data().has_train(content));
            order.logistic |= train && now.passes_guerrillas(&own, &order.path);
        }
        for (name, sealed) in closed.iter().zip(&sealed) {
            let bar = Bar::new("3m", format!("who is under {name} is not released"), "wait for event 34-36");
            let index = order.units.iter().position(|piece| piece == name).unwrap_or(0);
            let bar = bar.at(DocPath::root().key("units").index(index));
            self.umpire.vouch(&[sealed], bar, |held| !held.iter().any(|content| now.keeps(content)))?;
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
            // Who is left behind before a river does not cross it (A77).
            let wet: Vec<usize> = path
                .windows(2)
                .enumerate()
                .filter(|(_, pair)| data.river_between(pair[0], pair[1]) && !data.ford_between(pair[0], pair[1]))
                .map(|(number, _)| number)
                .collect();
            let over = |name: &Piece| wet.iter().any(|number| order.is_led(*name, *number));
            let crossing: Vec<&Sealed<Content>> =
                closed.iter().zip(&sealed).filter(|(name, _)| over(name)).map(|(_, sealed)| sealed).collect();
            if !crossing.is_empty() {
                let bar =
                    Bar::new("14.5.1e", "a logistic column is under the counter", "use a ford or bridge").part("path");
                self.umpire.vouch(&crossing, bar, |held| !held.iter().any(|content| now.data().has_train(content)))?;
            }
        }
        if let Some(marcher) = now.marcher(&own, order.real) {
            let path: Vec<Hex> = std::iter::once(marcher.from).chain(order.path.iter().copied()).collect();
            let meets = |pair: &[Hex]| matches!(pair, [from, to] if marcher.meets(self.data(), *from, *to));
            let meeting: Vec<usize> =
                (0..).zip(path.windows(2)).filter(|(_, leg)| meets(leg)).map(|(at, _)| at).collect();
            let near = |name: &Piece| meeting.iter().any(|number| order.is_led(*name, *number));
            let coming: Vec<&Sealed<Content>> =
                closed.iter().zip(&sealed).filter(|(name, _)| near(name)).map(|(_, sealed)| sealed).collect();
            if let Some(index) = meeting.first().filter(|_| !coming.is_empty()) {
                let at = order.path[*index];
                let why = format!("a leader or logistic column is under a counter, and an enemy piece in {at}");
                let bar = Bar::new("A16c", why, "go around it").at(DocPath::root().key("path").index(*index));
                let bold = |content: &Content| !now.data().holds(content, UnitKind::is_hanger_on);
                self.umpire.vouch(&coming, bar, |held| held.iter().all(bold))?;
            }
        }
        if order.real {
            let bar = Bar::new("A103", "a dummy is among them", "do not say that it is real").part("real");
            self.umpire.vouch(&all, bar, |held| held.iter().all(|content| now.data().is_real(content)))?;
        }
        // Away from guerrillas nobody has to know.
        let said = order.logistic;
        if !said && !now.passes_guerrillas(&own, &order.path) {
            return Ok(());
        }
        let bar = Bar::new(
            "11.3.2a",
            "whether a logistic column is under the counters is said wrongly",
            "say `logistic: yes` if one is",
        );
        self.umpire
            .vouch(&all, bar.part("logistic"), |held| held.iter().any(|content| now.data().has_train(content)) == said)
    }

    /// The position once those have arrived who are ordered to.
    pub fn with_arrivals(&self, force: Force, orders: &TurnOrders, names: &[Option<Piece>]) -> Ruling<State> {
        let mut state = self.state.clone();
        for (entry, name) in orders.land.iter().zip(names) {
            if let Some(name) = name {
                let holds = Sealed::new(force.side(), slot_of(*name, state.turn)?);
                state.counters.insert(*name, CounterState::new(force, entry.at, holds, None));
            }
            if entry.base && state.base.is_none() {
                state.base = Some(entry.at);
            }
            for unit in &entry.units {
                if let Some(now) = state.units.get_mut(unit).filter(|now| now.at == Place::Off) {
                    now.at = Place::At(entry.at);
                }
            }
        }
        Ok(state)
    }

    /// A105: where everything will stand if all goes as ordered. Who sends somebody into a hex with closed counters vouches
    /// that there is room; hexes that are overstacked already and that nobody is sent into he names.
    pub fn project(&mut self, force: Force, orders: &mut TurnOrders, names: &[Option<Piece>]) -> Ruling<()> {
        self.projected.clear();
        self.overfull.clear();
        // Who sent nothing, or nothing that can be read, has signed for nothing.
        let silent = *orders == TurnOrders::default();
        // The author of a plan closes it himself and is at hand when stacking is checked; so is a private game master, to whom
        // moves come sealed. Where they lead nobody can say before.
        let sealed = orders.moves.iter().any(|entry| matches!(entry, Concealed::Sealed(_)));
        if (self.game.options.phases || sealed) && !self.umpire.foresees() {
            return Ok(());
        }
        let side = force.side();
        let state = self.with_arrivals(force, orders, names)?;
        let landings = orders.land.iter().zip(names).enumerate();
        let mut sent: BTreeMap<Hex, DocPath> =
            landings.map(|(index, (entry, _))| (entry.at, DocPath::root().key("land").index(index))).collect();
        let known = Known::default();
        let now = Position { game: self.game, state: &state, known: &known };
        let mut places: BTreeMap<Piece, Hex> =
            now.on_map(side).into_iter().filter_map(|piece| Some((piece, state.hex_of(piece)?))).collect();
        for (index, entry) in orders.moves.iter().enumerate() {
            let Concealed::Open(order) = entry else { continue };
            let Some(end) = order.path.last().copied().or(order.to) else { continue };
            for piece in &order.units {
                if let Some(place) = places.get_mut(piece) {
                    *place = order.drop.get(piece).copied().unwrap_or(end);
                    sent.insert(*place, DocPath::root().key("moves").index(index));
                }
            }
        }
        for (piece, hex) in places {
            self.projected.entry(hex).or_default().insert(piece);
        }
        for (hex, pieces) in self.projected.clone() {
            let stack: Vec<Piece> = pieces.into_iter().collect();
            let closed: Vec<Piece> = stack.iter().copied().filter(|piece| state.counters.contains_key(piece)).collect();
            // One counter by itself is never too much (§14.6c).
            let lonely = stack.len() == 1 && state.base != Some(hex);
            let Some(force) = stack.first().and_then(|piece| now.force(*piece)).filter(|_| !closed.is_empty()) else {
                continue;
            };
            let sealed: Vec<Sealed<Content>> =
                closed.iter().filter_map(|name| Some(state.counters.get(name)?.holds.0.clone())).collect();
            let all: Vec<&Sealed<Content>> = sealed.iter().collect();
            let over = |held: &[Content]| {
                let of = |name: Piece| held.get(closed.iter().position(|other| *other == name)?).cloned();
                now.too_much(hex, force, now.bulk_of(&stack, of))
            };
            let said = orders.overfull.iter().position(|other| *other == hex);
            if let Some(place) = sent.get(&hex) {
                let why = format!("{hex} would be overstacked, with closed counters in it");
                let bar = Bar::new("A105", why, "send some elsewhere");
                self.ahead(place.clone(), |play| {
                    // Nobody vouches for a plan: who closes it says when stacking is checked, and DS falls.
                    if !play.game.options.phases {
                        return play.umpire.vouch(&all, bar, |held| !over(held));
                    }
                    if play.umpire.fact_or(&all, &Subject::of(hex), "overfull", over, false)? {
                        play.umpire.mind(bar);
                    }
                    Ok(())
                })?;
                continue;
            }
            if let (Some(index), false) = (said, lonely) {
                let bar = Bar::new("A105", format!("{hex} is not overstacked"), "leave it out").firm();
                let place = DocPath::root().key("overfull").index(index);
                self.entry(place, |play| play.umpire.vouch(&all, bar, over))?;
                self.overfull.insert(hex, now.wear(&stack));
            } else if self.umpire.foresees() {
                // Nobody has to count for himself: the author's program sees what lies under his counters.
                let open = !self.game.options.phases;
                if open && !lonely && self.umpire.fact_or(&all, &Subject::of(hex), "overfull", over, false)? {
                    orders.overfull.push(hex);
                    self.overfull.insert(hex, now.wear(&stack));
                }
            } else if silent && !lonely && !now.sure_to_fit(hex, force, &stack) {
                if self.umpire.fact_or(&all, &Subject::of(hex), "overfull", over, false)? {
                    self.overfull.insert(hex, now.wear(&stack));
                }
            } else if !silent && !lonely {
                let bar =
                    Bar::new("A105", format!("{hex} is overstacked, and it is not said"), "name it under `overfull`");
                self.umpire.vouch(&all, bar, |held| !over(held))?;
            }
        }
        for (index, hex) in orders.overfull.clone().into_iter().enumerate() {
            if !self.overfull.contains_key(&hex) {
                let why = format!("{hex} is no hex with closed counters of yours that nobody is sent into");
                let bar = Bar::new("A105", why, "leave it out").firm();
                self.entry(DocPath::root().key("overfull").index(index), |play| {
                    play.lapse("overfull", vec![bar]);
                    Ok(())
                })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::board::Hex;
    use crate::engine::doc::{DocPath, read_document};
    use crate::engine::{Concealed, Foresaid, Seen, foresee};

    use super::super::arrange::arrange;
    use super::super::orders::{MoveOrder, Orders, TurnOrders};
    use super::super::terms::Piece;

    /// Does a column with a train say so for its march along these hexes?
    fn says_it_has_a_train(path: &[u16]) -> bool {
        let start = "scenario: blank\nstage: spanish-turn\nunits: {cu-cb: 1015}\nmodes: {cu-cb: guerrilla}\n\
                     columns: {sp-c1: {at: 1011, holds: [sp-4-t, sp-cl-1]}}\n";
        let (node, _) = read_document("start", start.as_bytes()).expect("a start");
        let table = arrange(&node, &DocPath::root(), &mut Vec::new()).expect("a position");
        let seen = Seen { state: &table.state, holdings: &table.holdings, side: table.stop.who() };
        let path = path.iter().map(|hex| Hex::printed(*hex)).collect();
        let march = MoveOrder::along(vec![Piece::of("sp-c1")], path);
        let mut orders = Orders::Turn(TurnOrders { moves: vec![Concealed::Open(march)], ..TurnOrders::default() });
        let found = foresee(&table.game, &seen, &table.stop, &Foresaid::default(), &mut orders, &DocPath::root());
        assert!(found.faults.iter().all(|fault| fault.warning), "{:?}", found.faults);
        match orders {
            Orders::Turn(TurnOrders { moves, .. }) => {
                moves.iter().any(|entry| matches!(entry, Concealed::Open(order) if order.logistic))
            }
            Orders::Setup(_) => false,
        }
    }

    #[test]
    fn a_train_under_a_counter_is_told_beside_guerrillas_only() {
        // A104: the +1 is for them, and nobody else has to know.
        assert!(says_it_has_a_train(&[1012, 1013, 1014]));
        assert!(!says_it_has_a_train(&[1012, 1013]));
    }
}
