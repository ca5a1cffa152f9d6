//! §9.6 and §9.7: bombardment and naval gunfire, with coordination (§14.2) and friendly fire (§14.3).

use std::collections::BTreeSet;

use crate::board::Hex;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Question, Ruling, Say, Side, Subject, Touch};

use super::US;
use super::attack::{Manner, attack_of};
use super::events::{Cause, Event, FireKind, Why};
use super::fire::Volley;
use super::orders::{CombatOrder, Support};
use super::play::{Fate, Play, subjects};
use super::policy::{FRIENDLY_FIRE, Policy};
use super::position::{Known, Position};
use super::tables::FireResult;
use super::terms::{Content, Force, Piece, UnitKind};

impl Position<'_> {
    /// Why a hex cannot be fired at by guns or a fleet.
    pub fn bars_fired_at(&self, side: Side, target: Hex, key: &str) -> Vec<Bar> {
        let enemies = self.fighters(target, Play::enemy(side));
        let about = |bar: Bar| bar.part(key).about([Subject::of(target)]);
        if enemies.is_empty() {
            return vec![about(Bar::new(
                "9.6c",
                format!("no enemy unit is in {target}"),
                "name a hex with enemy units",
            ))];
        }
        if enemies.iter().all(|piece| self.in_guerrilla(*piece)) {
            let why = format!("only units in guerrilla are in {target}");
            return vec![about(Bar::new("11.2.1a", why, "attack them on the Guerrilla Table"))];
        }
        Vec::new()
    }

    /// Why a gun cannot bombard a hex.
    pub fn bars_gun(&self, side: Side, piece: Piece, target: Hex, fired: bool) -> Vec<Bar> {
        let mut bars = Vec::new();
        let about = |bar: Bar| bar.about([Subject::of(piece)]);
        let own = self.force(piece).is_some_and(|force| force.side() == side);
        match self.kind(piece) {
            _ if !own => bars.push(Bar::new("0c", format!("{piece} is not yours"), "name a gun of your own").firm()),
            Some(UnitKind::Artillery) => {}
            Some(UnitKind::MachineGun) => {
                bars.push(Bar::new("A33", format!("{piece} does not bombard"), "let it support an attack").firm());
            }
            // Its guns come into the open as they fire (A60), as far as it may have any (A89).
            None if self.may_hold_guns(piece) => {}
            None => bars.push(Bar::new("9.6c", format!("{piece} has no guns"), "name artillery").firm()),
            Some(_) => bars.push(Bar::new("9.6c", format!("{piece} has no guns"), "name artillery").firm()),
        }
        if !bars.is_empty() {
            return bars;
        }
        if fired {
            let bar = Bar::new("A34b", format!("{piece} has fired"), "a gun bombards once in a phase");
            bars.push(bar.about([attack_of(piece)]));
        }
        let Some(hex) = self.state.hex_of(piece) else {
            bars.push(about(Bar::new("9.6c", format!("{piece} is not on the open map"), "name a gun on the map")));
            return bars;
        };
        let ranges = |force| self.data().of_kind(force, UnitKind::Artillery).filter_map(|unit| unit.range).max();
        let range = match self.unit(piece) {
            Some(unit) => unit.range,
            None => self.force(piece).and_then(ranges),
        };
        let range = range.unwrap_or(0);
        let far = self.data().distance(hex, target);
        if far > range {
            bars.push(about(Bar::new(
                "9.6c",
                format!("{piece} in {hex} is {far} hexes from {target}"),
                format!("its range is {range}"),
            )));
        }
        if self.landed(piece) {
            bars.push(about(Bar::new("A79", format!("{piece} landed this turn"), "bombard next turn")));
        }
        if self.frozen(piece) {
            bars.push(about(Bar::new("3n", format!("{piece} is not released"), "wait for event 34-36")));
        }
        bars
    }

    /// Can artillery be under a closed counter, as far as the viewer knows?
    fn may_hold_guns(&self, counter: Piece) -> bool {
        match self.known.0.get(&counter) {
            Some(content) => self.any_under(counter, content, |kind| kind == UnitKind::Artillery),
            None => self.force(counter) != Some(Force::Us),
        }
    }

    /// The guns of a force that can bombard a hex.
    pub fn guns_on(&self, force: Force, target: Hex, fought: &BTreeSet<Piece>) -> Vec<Piece> {
        let side = force.side();
        if !self.bars_fired_at(side, target, "bombard").is_empty() {
            return Vec::new();
        }
        let of = |piece: &Piece| self.force(*piece) == Some(force);
        let able = |piece: &Piece| self.bars_gun(side, *piece, target, fought.contains(piece)).is_empty();
        self.on_map(side).into_iter().filter(of).filter(able).collect()
    }

    /// The hexes that the fleet of a force can fire at.
    pub fn naval_targets(&self, force: Force) -> Vec<Hex> {
        let (side, enemy) = (force.side(), Play::enemy(force.side()));
        self.held_hexes(enemy).into_iter().filter(|hex| self.bars_naval(side, force, *hex).is_empty()).collect()
    }

    /// Is the hex in reach of a fleet (§9.7b to §9.7d, A93)?
    pub fn in_naval_range(&self, force: Force, target: Hex) -> bool {
        let data = self.data();
        let coast = if force == Force::Spanish { &data.harbour_coast } else { &data.sea_coast };
        coast.iter().any(|hex| data.distance(*hex, target) <= data.tables.naval.range)
    }

    /// Why a fleet cannot fire at a hex.
    pub fn bars_naval(&self, side: Side, force: Force, target: Hex) -> Vec<Bar> {
        let mut bars = self.bars_fired_at(side, target, "naval");
        if !self.in_naval_range(force, target) {
            let clause = if force == Force::Spanish { "9.7c" } else { "9.7d" };
            let why = format!("{target} is out of reach of the fleet");
            bars.push(Bar::new(clause, why, "it reaches 4 hexes inland from its coast").part("naval").firm());
        }
        if self.state.fired.contains(&force) {
            let bar = Bar::new("9.7f", "the fleet has fired this turn", "wait for the next turn").part("naval");
            bars.push(bar.about([fleet(force)]));
        }
        if force == Force::Spanish && self.state.jarcias {
            bars.push(Bar::new("4.1f", "the fleet has left Santiago", "leave it out").part("naval").firm());
        }
        if force == Force::Cuban {
            bars.push(
                Bar::new("A63", "the fleet fires in the combat phase of the US Army", "leave `by` out")
                    .part("naval")
                    .firm(),
            );
        }
        bars
    }
}

impl Play<'_, '_> {
    /// Closed counters whose guns are to bombard are shown with the orders, before any die (A60), and each has some.
    pub fn show_gunners(&mut self, side: Side, order: &CombatOrder) -> Ruling<()> {
        let state = self.state.clone();
        let now = Position { game: self.game, state: &state, known: &Known::default() };
        for (index, name) in order.by.iter().copied().enumerate() {
            let own = now.force(name).is_some_and(|force| force.side() == side);
            let Some(sealed) = self.sealed(name).filter(|_| own && now.may_hold_guns(name)) else { continue };
            let bar = Bar::new("9.6c", format!("no guns are under {name}"), "leave it out");
            let bar = bar.at(DocPath::root().key("by").index(index));
            let guns = |content: &Content| now.any_under(name, content, |kind| kind == UnitKind::Artillery);
            self.umpire.vouch(&[&sealed], bar, |held| held.iter().all(guns))?;
            self.umpire.open_or(&sealed, &[], Content::Dummy)?;
        }
        Ok(())
    }

    /// §9.6c: one roll of all guns against a hex (A34b).
    pub fn bombard(&mut self, side: Side, force: Force, target: Hex, order: &CombatOrder) -> Ruling<()> {
        let mut bars = self.now().bars_fired_at(side, target, "bombard");
        if self.bombarded.contains(&target) {
            let bar = Bar::new("A34b", format!("{target} has been bombarded"), "let all guns fire together");
            bars.push(bar.part("bombard").about([bombardment_of(target)]));
        }
        if order.by.is_empty() {
            bars.push(Bar::new("9.6c", "no gun fires", "name artillery under `by`").part("by").firm());
        }
        let mut guns: Vec<Piece> = Vec::new();
        for (index, piece) in order.by.iter().enumerate() {
            let twice = guns.contains(piece);
            let wrong = self.now().bars_gun(side, *piece, target, twice || self.fought.contains(piece));
            if wrong.is_empty() {
                guns.push(*piece);
            } else {
                let part = DocPath::root().key("by").index(index);
                let wrong = wrong.into_iter().map(|bar| Bar { firm: bar.firm || twice, ..bar.at(part.clone()) });
                self.lapse_covered(format!("bombardment by {piece}"), *piece, wrong.collect());
            }
        }
        let from = self.hexes_of(&guns);
        // What supports them may lie under the counters that are opened first.
        let later = !self.closed(&guns).is_empty() && order.support.is_some_and(Support::may_come_by_train);
        if let Some(support) = order.support.filter(|_| !guns.is_empty() && !later)
            && let Some(bar) = self.now().bars_support(force, &from, support)
        {
            // A gun that has been kept elsewhere may be out of its reach.
            self.lapse_support(support, bar.about(subjects(&order.by)));
        }
        if order.support == Some(Support::Answer) {
            let bar = Bar::new("A86", "nobody spends a point against a bombardment", "write `pool` or `no`");
            bars.push(bar.part("support").firm());
        }
        for key in useless(order) {
            bars.push(
                Bar::new("A34a", format!("`{key}` means nothing for a bombardment"), "leave it out").part(key).firm(),
            );
        }
        if !bars.is_empty() {
            let fatal = bars.iter().any(|bar| !["A34a", "A86"].contains(&bar.clause.0));
            if fatal {
                let on: Vec<Subject> = bars.iter().flat_map(|bar| bar.about.iter().cloned()).collect();
                self.save(force, &from, order.support, &on);
            }
            self.lapse(format!("bombardment of {target}"), bars);
            if fatal {
                self.use_up_guns(order, &guns, target);
                return Ok(());
            }
        }
        self.use_up_guns(order, &guns, target);
        if guns.is_empty() {
            return Ok(());
        }
        let stands = self.stands(|now| {
            let able = now.guns_on(force, target, &self.fought);
            let ways = now.support_orders(force, &from, Manner::Ordinary, &[]);
            guns.iter().all(|gun| able.contains(gun))
                && order.support.is_none_or(|support| later || ways.contains(&support))
        });
        self.look_up(stands);
        let (shown, ordered) = self.come_on(force, &guns, order)?;
        let artillery = |piece: &Piece| self.now().kind(*piece) == Some(UnitKind::Artillery);
        let batteries: Vec<Piece> = shown.into_iter().filter(artillery).collect();
        if batteries.is_empty() {
            let bar = Bar::new("9.6c", "no gun is left to fire", "name others").about(subjects(&guns));
            self.lapse(format!("bombardment of {target}"), vec![bar]);
            return Ok(());
        }
        self.fought.extend(guns.iter().copied());
        self.have_fought(&guns, &batteries);
        let guns = batteries;
        self.bombarded.insert(target);
        let Some(there) = self.unmask_dummies(side, target)? else {
            self.save(force, &from, order.support, &subjects([target]));
            return Ok(());
        };
        // §9.6f, A86: no support for the target.
        let ways = self.now().supports(force, &from);
        let support = if ways.contains(&ordered) { ordered } else { Support::No };
        self.spend(force, target, &from, support);
        let volley = Volley {
            kind: FireKind::Bombardment,
            by: force,
            units: guns.clone(),
            from,
            at: there.clone(),
            hexes: vec![target],
            target,
            supported: support != Support::No,
        };
        // A47b, A70c: without a roll there is no result for friends to take.
        let Some(result) = self.fire(&volley)? else { return Ok(()) };
        if force == Force::Us
            && self.game.options.friendly_fire
            && let Some((hex, friends)) = self.friendly_fire(target, &guns)?
        {
            return self.strike(&friends, hex, result, Cause::FriendlyFire);
        }
        self.strike(&there, target, result, Cause::Bombardment)
    }

    /// Made or not, a bombardment leaves others what it does not use up. Each gun fires without the others, and one is enough.
    fn use_up_guns(&mut self, order: &CombatOrder, guns: &[Piece], target: Hex) {
        let mut aim = vec![bombardment_of(target)];
        // Of a hex that has been bombarded nothing is left.
        if !self.bombarded.contains(&target) {
            aim.push(Subject::of(target));
            let sure = guns.iter().find(|gun| self.umpire.cloud_on(&Subject::of(gun)).is_none());
            let on = sure.map_or_else(|| subjects(&order.by), |gun| subjects([gun]));
            self.umpire.rests(&[&on[..], &aim].concat(), [bombardment_of(target)]);
        }
        for gun in &order.by {
            self.umpire.rests(&[&[Subject::of(gun)], &aim[..]].concat(), [attack_of(*gun)]);
        }
    }

    /// §9.7: the fleet.
    pub fn naval_fire(&mut self, side: Side, force: Force, target: Hex, order: &CombatOrder) -> Ruling<()> {
        let mut bars = self.now().bars_naval(side, force, target);
        if !order.by.is_empty() {
            bars.push(
                Bar::new("9.7e", "guns ashore do not fire with the fleet", "order a bombardment apart")
                    .part("by")
                    .firm(),
            );
        }
        if order.support.is_some() {
            bars.push(Bar::new("A35c", "naval fire takes no supply point", "leave it out").part("support").firm());
        }
        for key in useless(order) {
            bars.push(
                Bar::new("9.7a", format!("`{key}` means nothing for naval fire"), "leave it out").part(key).firm(),
            );
        }
        if !bars.is_empty() {
            self.lapse(format!("naval fire at {target}"), bars);
            return Ok(());
        }
        let stands = self.stands(|now| now.naval_targets(force).contains(&target));
        self.look_up(stands);
        self.state.fired.insert(force);
        // Had nobody been there, another order could have had its fire.
        self.umpire.rests(&[Subject::of(target)], [fleet(force)]);
        if force == Force::Us && self.game.options.coordination {
            // §14.2a, A35b.
            let faces = self.data().tables.coordination.on.clone();
            let fires = |die: i32| faces.iter().any(|face| i32::from(*face) == die);
            // Whether anybody is left there hangs on this die already.
            let touch = Touch::on([Subject::of(target)]);
            let thrown = self.d6_says(US, target, "coordination", fires, ["it fires", "it does not"], touch)?;
            self.umpire.note(Event::Coordination { target, die: thrown.cast, fires: thrown.result });
            if !thrown.result {
                return Ok(());
            }
        }
        let Some(there) = self.unmask_dummies(side, target)? else { return Ok(()) };
        let volley = Volley {
            kind: FireKind::Naval,
            by: force,
            units: Vec::new(),
            from: Vec::new(),
            at: there.clone(),
            hexes: vec![target],
            target,
            supported: false,
        };
        let result = self.fire(&volley)?.unwrap_or_default();
        self.strike(&there, target, result, Cause::Bombardment)
    }

    /// Dummies that are fired at are shown (§14.7e); a shot at nothing else is spent without a roll (A52c). Gives who is
    /// left to be hit.
    fn unmask_dummies(&mut self, side: Side, target: Hex) -> Ruling<Option<Vec<Piece>>> {
        let there = self.now().fighters(target, Play::enemy(side));
        for name in self.closed(&there) {
            if !self.now().in_guerrilla(name) && self.is_dummy(name, false)? {
                self.remove_dummy(name, Why::Bombardment);
            }
        }
        self.umpire.rests(&subjects(&there), subjects([target]));
        let left: Vec<Piece> =
            self.standing(&there).into_iter().filter(|piece| !self.now().in_guerrilla(*piece)).collect();
        Ok(if left.is_empty() { None } else { Some(left) })
    }

    /// A result falls on a hex that is not in combat.
    fn strike(&mut self, pieces: &[Piece], at: Hex, result: FireResult, cause: Cause) -> Ruling<()> {
        let force = pieces.first().and_then(|piece| self.now().force(*piece));
        self.hit(pieces, result, at, cause, None)?;
        if let Some(force) = force {
            self.abandon(at, force, Fate::Fight);
        }
        Ok(())
    }

    /// §14.3, A98: the hexes that friendly fire could strike.
    fn friends_near(&self, target: Hex, guns: &[Piece]) -> Vec<(Hex, Vec<Piece>)> {
        let now = self.now();
        let near = |hex: Hex| {
            let friends: Vec<Piece> = now.fighters(hex, US).into_iter().filter(|piece| !guns.contains(piece)).collect();
            (hex, friends)
        };
        let mut hexes: Vec<(Hex, Vec<Piece>)> =
            now.data().land_around(target).map(near).filter(|(_, friends)| !friends.is_empty()).collect();
        hexes.sort_unstable();
        hexes
    }

    fn friendly_fire(&mut self, target: Hex, guns: &[Piece]) -> Ruling<Option<(Hex, Vec<Piece>)>> {
        let near = self.friends_near(target, guns);
        if near.is_empty() {
            return Ok(None);
        }
        let faces = self.data().tables.friendly_fire.on.clone();
        let safe = |die: i32| !faces.iter().any(|face| i32::from(*face) == die);
        let touch = Touch::on(subjects(near.iter().flat_map(|(_, friends)| friends)));
        let thrown = self.d6_says(US, target, "friendly-fire", safe, ["none", "friends are struck"], touch)?;
        if thrown.result {
            self.umpire.note(Event::FriendlyFire { target, die: thrown.cast, strikes: None });
            return Ok(None);
        }
        let now = self.now();
        let weight = |(hex, friends): &&(Hex, Vec<Piece>)| {
            let cuban = friends.iter().any(|piece| now.force(*piece) == Some(Force::Cuban));
            let steps: u32 = friends.iter().map(|piece| u32::from(now.state.unit(*piece).steps)).sum();
            (!cuban, std::cmp::Reverse(steps), *hex)
        };
        let Some(default) = near.iter().min_by_key(weight).map(|(hex, _)| *hex) else { return Ok(None) };
        let options: Vec<Hex> = near.iter().map(|(hex, _)| *hex).collect();
        let hex = if options.len() < 2 {
            default
        } else {
            let question = Question {
                who: US,
                kind: FRIENDLY_FIRE,
                about: Subject::of(target),
                clause: Clause("14.3c"),
                text: format!("shells meant for {target} fall short: on which hex?"),
                options: options.clone(),
                default,
                also: None,
            };
            self.umpire.ask(question, None, |policy| match policy {
                Policy::Hexes(wished) => Say::first_of(wished, &options),
                _ => Say::Default,
            })?
        };
        self.umpire.note(Event::FriendlyFire { target, die: thrown.cast, strikes: Some(hex) });
        Ok(near.into_iter().find(|(at, _)| *at == hex))
    }
}

/// The fleet of a force, for what hangs on its fire.
fn fleet(force: Force) -> Subject {
    Subject::of(format!("{}-fleet", force.as_str()))
}

/// That a hex has been bombarded, for what hangs on it.
fn bombardment_of(target: Hex) -> Subject {
    Subject::of(format!("bombardment of {target}"))
}

/// Keys of an order that say nothing here.
fn useless(order: &CombatOrder) -> Vec<&'static str> {
    let mut keys = Vec::new();
    if !order.losses.is_empty() {
        keys.push("losses");
    }
    if order.advance.is_some() {
        keys.push("advance");
    }
    if order.instead.is_some() {
        keys.push("instead");
    }
    keys
}
