//! Chapter 9: combat. A combat phase entry by entry: who attacks is shown, then fire, fire, shock, retreat and advance.

use std::collections::BTreeSet;

use crate::board::Hex;
use crate::engine::doc::DocPath;
use crate::engine::{Bar, Clause, Ever, Question, Ruling, Say, Side, Subject};

use super::attack::{Manner, attack_of, attack_on, the_maine};
use super::events::{Cause, Event, FireKind, Why};
use super::fire::Volley;
use super::guerrillas::TableAttack;
use super::losses::Toll;
use super::orders::{CombatOrder, Spot, Support};
use super::play::{Fate, Play, missing_from, subjects};
use super::policy::{NEXT_COMBAT, Policy};
use super::position::{Known, Position};
use super::tables::FireResult;
use super::terms::{Content, Force, GuerrillaResult, Piece, UnitKind};

/// An attack being fought.
pub struct Fight<'f> {
    /// The force that attacks.
    pub force: Force,
    /// Its player.
    pub side: Side,
    /// The hex attacked.
    pub target: Hex,
    by: Vec<Piece>,
    /// The order.
    pub order: &'f CombatOrder,
    /// Some order of the packet is for the Maine.
    pub maine_ordered: bool,
}

impl Play<'_, '_> {
    /// Whose combat phase an order belongs to.
    pub fn fighting_force(&self, side: Side, order: &CombatOrder) -> Force {
        let of = order.by.first().and_then(|piece| self.now().force(*piece)).filter(|force| force.side() == side);
        of.unwrap_or(Force::army(side))
    }

    /// The closed counters that will attack are shown with the orders, before any die (A60), and none is a dummy.
    pub fn show_attackers(&mut self, side: Side, combat: &[CombatOrder]) -> Ruling<()> {
        for (index, order) in combat.iter().enumerate() {
            if order.bombard.is_some() {
                self.ahead(DocPath::root().key("combat").index(index), |play| play.show_gunners(side, order))?;
            }
            let Some(target) = order.attack else { continue };
            let own: Vec<Piece> = order
                .by
                .iter()
                .copied()
                .filter(|piece| self.now().force(*piece).is_some_and(|f| f.side() == side))
                .collect();
            let closed = self.closed(&own);
            let manner = self.now().manner(&own, target, side);
            let hunting = manner != Manner::Ordinary;
            self.vouch_for_attackers(DocPath::root().key("combat").index(index), order, &own, manner)?;
            for name in closed {
                let Some(sealed) = self.sealed(name) else { continue };
                let state = self.state.clone();
                let now = Position { game: self.game, state: &state, known: &Known::default() };
                let real = |held: &[Content]| held.iter().all(|content| now.data().is_real(content));
                let bar = Bar::new("A52a", format!("{name} is a dummy and cannot attack"), "leave it out").part("by");
                let place = order.by.iter().position(|piece| *piece == name).unwrap_or(0);
                let kept = Bar::new("3n", format!("who is under {name} is not released"), "wait for event 34-36");
                let kept = kept.at(DocPath::root().key("by").index(place));
                self.ahead(DocPath::root().key("combat").index(index), |play| {
                    play.umpire.vouch(&[&sealed], bar, real)?;
                    play.umpire.vouch(&[&sealed], kept, |held| !held.iter().any(|content| now.keeps(content)))?;
                    if !hunting {
                        play.umpire.open_or(&sealed, &[], Content::Dummy)?;
                    }
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    /// Somebody under each closed counter attacks, and machine guns not without others (§9.6a, §9.6b, A84).
    fn vouch_for_attackers(&mut self, at: DocPath, order: &CombatOrder, own: &[Piece], manner: Manner) -> Ruling<()> {
        let closed = self.closed(own);
        if closed.is_empty() {
            return Ok(());
        }
        let state = self.state.clone();
        let now = Position { game: self.game, state: &state, known: &Known::default() };
        // What is wrong with dummies is said elsewhere (A52a).
        let fit = |name: Piece, content: &Content| {
            content.is_dummy() || now.any_under(name, content, |kind| manner.takes(kind))
        };
        let sealed = self.sealed_of(&closed);
        self.ahead(at, |play| {
            for (name, sealed) in closed.iter().zip(&sealed) {
                let clause = if manner == Manner::Ordinary { "9.6a" } else { "A84" };
                let place = order.by.iter().position(|piece| piece == name).unwrap_or(0);
                let bar = Bar::new(clause, format!("nobody under {name} attacks"), "leave it out");
                let bar = bar.at(DocPath::root().key("by").index(place));
                play.umpire.vouch(&[sealed], bar, |held| held.iter().all(|content| fit(*name, content)))?;
            }
            if own.iter().any(|piece| now.kind(*piece).is_some_and(UnitKind::is_foot)) {
                return Ok(());
            }
            let why = "machine guns only support an attack of others";
            let bar = Bar::new("9.6b", why, "name who attacks").part("by");
            let foot = |held: &[Content]| {
                let mut each = closed.iter().zip(held);
                each.clone().any(|(name, content)| now.any_under(*name, content, UnitKind::is_foot))
                    || !each.all(|(name, content)| !content.is_dummy() && fit(*name, content))
            };
            play.umpire.vouch(&sealed.iter().collect::<Vec<_>>(), bar, foot)
        })
    }

    /// Who is named apart from the counter he is under does not attack, whatever a die may do to the counter. One that may have
    /// been shown on its march has left him in the open.
    ///
    /// Nor has one whom an order before this shows in combat (A60).
    fn object_to_covered(&mut self, by: &[Piece], before: &[CombatOrder]) {
        let known = self.author_knows();
        let now = Position { game: self.game, state: self.state, known: &known };
        let mut bars = Vec::new();
        for (index, piece) in by.iter().enumerate() {
            let opens = |order: &CombatOrder, counter: Piece| {
                let shows = |target| {
                    now.manner(&order.by, target, now.force(counter).map_or(super::US, Force::side)) == Manner::Ordinary
                };
                order.by.contains(&counter) && (order.bombard.is_some() || order.attack.is_some_and(shows))
            };
            let counter = now.under(*piece).filter(|counter| {
                self.umpire.cloud_on(&Subject::of(counter)).is_none()
                    && !before.iter().any(|order| opens(order, *counter))
            });
            if let Some(counter) = counter {
                let bar = Bar::new("9.1b", format!("{piece} is not on the open map"), format!("name {counter}"));
                bars.push(bar.firm().at(DocPath::root().key("by").index(index)));
            }
        }
        self.umpire.object(bars);
    }

    /// One combat phase: B.2a, B.2b or C.2.
    pub fn combat(&mut self, side: Side, force: Force, combat: &mut [CombatOrder]) -> Ruling<()> {
        self.fought.clear();
        self.bombarded.clear();
        let maine_ordered = combat.iter().any(|order| order.maine);
        let own = |play: &Self, order: &CombatOrder| play.fighting_force(side, order) == force;
        for (index, order) in combat.iter().enumerate().filter(|(_, order)| order.attack.is_some()) {
            let before = &combat[..index];
            if own(self, order) {
                self.ahead(DocPath::root().key("combat").index(index), |play| {
                    play.object_to_covered(&order.by, before);
                    Ok(())
                })?;
            }
        }
        for (index, order) in combat.iter().enumerate() {
            if !own(self, order) {
                continue;
            }
            self.entry(DocPath::root().key("combat").index(index), |play| {
                play.one_combat(side, force, order, maine_ordered)
            })?;
        }
        Ok(())
    }

    fn one_combat(&mut self, side: Side, force: Force, order: &CombatOrder, maine_ordered: bool) -> Ruling<()> {
        let kinds = [order.attack, order.bombard, order.naval].into_iter().flatten().count();
        if kinds != 1 {
            let bar =
                Bar::new("9.1b", "an entry is an attack, a bombardment or naval fire", "name exactly one hex").firm();
            self.lapse("combat", vec![bar]);
            return Ok(());
        }
        if order.maine && (order.attack.is_none() || !self.now().may_remember(force, Manner::Ordinary)) {
            let bar = Bar::new("7.2.51a", "the Maine is not remembered here", "it takes event 51-52 and a US attack")
                .part("maine");
            // An attack before may have come to the shock that used it up.
            let never = order.attack.is_none() || force != Force::Us;
            let bar = if never { bar.firm() } else { bar.about([the_maine()]) };
            self.lapse("Remember the Maine", vec![bar]);
        }
        if let Some(target) = order.bombard {
            return self.bombard(side, force, target, order);
        }
        if let Some(target) = order.naval {
            return self.naval_fire(side, force, target, order);
        }
        let Some(mut target) = order.attack else { return Ok(()) };
        if let Some(instead) = order.instead.filter(|hex| !self.data().is_land(*hex) || *hex == target) {
            let bar = Bar::new("9.1b", format!("{instead} is no other hex to attack"), "name another land hex")
                .part("instead")
                .firm();
            self.lapse("attack", vec![bar]);
        }
        let nobody = Bar::new("9.1b", "nobody attacks", "name units under `by`").part("by").firm();
        let nobody = Some(nobody).filter(|_| order.by.is_empty());
        if !self.now().held_by(target, Play::enemy(side)) {
            let other = if self.has_gone(side, target) { self.next_target(side, order, target)? } else { None };
            target = other.unwrap_or(target);
        }
        let bars = self.now().bars_target(side, target);
        let manner = self.now().manner(&order.by, target, side);
        let mut by: Vec<Piece> = Vec::new();
        for (index, piece) in order.by.iter().enumerate() {
            let part = DocPath::root().key("by").index(index);
            let mut wrong = self.now().bars_attacker(side, *piece, target, &self.fought, manner);
            if by.contains(piece) {
                wrong.push(Bar::new("A24a", format!("{piece} is named twice"), "name it once").firm());
            }
            if wrong.is_empty() {
                by.push(*piece);
            } else {
                let wrong = wrong.into_iter().map(|bar| bar.at(part.clone())).collect();
                self.lapse_covered(format!("attack by {piece}"), *piece, wrong);
            }
        }
        if !self.now().held_by(target, Play::enemy(side)) {
            self.stay_behind(force, order, &by, &bars);
            self.lapse(format!("attack on {target}"), bars.into_iter().chain(nobody).collect());
            return Ok(());
        }
        // Who is left may be barred for want of those who are not.
        let missing = missing_from(&order.by, &by);
        let wholly = self.now().bars_attack(side, &by, target, manner).into_iter();
        let mut bars: Vec<Bar> = bars.into_iter().chain(wholly.map(|bar| bar.about(missing.clone()))).collect();
        bars.extend(nobody);
        let from: Vec<Hex> = self.hexes_of(&by);
        // How they attack hangs on who is where, and on the hex they were to attack first.
        let hunts =
            |bar: Bar| bar.about(subjects(order.attack.iter().chain([&target])).into_iter().chain(subjects(&order.by)));
        if order.maine && manner != Manner::Ordinary && self.now().may_remember(force, Manner::Ordinary) {
            let why = "attacks on the Guerrilla Table come to no shock";
            bars.push(hunts(Bar::new("7.2.51a", why, "remember the Maine in another attack").part("maine")));
        }
        // What supports them may lie under the counters that are opened first.
        let later = manner == Manner::Ordinary
            && !self.closed(&by).is_empty()
            && order.support.is_some_and(Support::may_come_by_train);
        if let Some(support) = order.support.filter(|_| !by.is_empty()) {
            if manner != Manner::Ordinary && support != Support::No {
                let why = "attacks on the Guerrilla Table take no supply point";
                bars.push(hunts(Bar::new("A86", why, "leave it out").part("support")));
            } else if !later && let Some(bar) = self.now().bars_support(force, &from, support) {
                let bar = bar.about(subjects(&from)).about(subjects(&order.by));
                self.lapse_support(support, bar);
            }
        }
        bars.extend(self.bars_instructions(order, &by));
        if !bars.is_empty() {
            let fatal = bars.iter().any(|bar| {
                !["support", "losses", "advance", "maine"].iter().any(|key| bar.part == DocPath::root().key(key))
            });
            if fatal {
                self.stay_behind(force, order, &by, &bars);
            }
            self.lapse(format!("attack on {target}"), bars);
            if fatal {
                self.use_up(order, target);
                return Ok(());
            }
        }
        self.use_up(order, target);
        if by.is_empty() {
            return Ok(());
        }
        let stands = self.stands(|now| {
            let (able, how) = now.attackers(side, force, target, &self.fought, manner == Manner::Guerrilla);
            let ways = now.support_orders(force, &from, how, &by);
            how == manner
                && by.iter().all(|piece| able.contains(piece))
                && order.support.is_none_or(|support| later || ways.contains(&support))
                && (!order.maine || now.may_remember(force, how))
        });
        self.look_up(stands);
        self.fought.extend(by.iter().copied());
        self.state.attacked.insert(target);
        self.umpire.note(Event::Combat { target, by: by.clone(), from: from.clone(), force });
        let fight = Fight { force, side, target, by, order, maine_ordered };
        match manner {
            Manner::Ordinary => self.fight(fight),
            Manner::Guerrilla | Manner::Counter => self.hunt(fight, manner == Manner::Counter),
        }
    }

    /// Who does not come to attack is neither hit nor advances (§9.4a), nor supported: where he stands, and what would have
    /// supported him, hangs on what kept him from it.
    fn stay_behind(&mut self, force: Force, order: &CombatOrder, by: &[Piece], bars: &[Bar]) {
        let on: Vec<Subject> = bars.iter().flat_map(|bar| bar.about.iter().cloned()).collect();
        let from = self.hexes_of(by);
        self.save(force, &from, order.support, &on);
        self.umpire.rests(&on, subjects(by).into_iter().chain(subjects(from)));
    }

    /// Made or not, an attack leaves others what it does not use up: where it comes to nothing, or to another hex, this one can
    /// be attacked by others, and they can attack others. It may hang on those who do not come as on those who do: a machine
    /// gun does not attack without them (§9.6b).
    fn use_up(&mut self, order: &CombatOrder, target: Hex) {
        let used = order.by.iter().map(|piece| attack_of(*piece)).chain([attack_on(target)]).collect::<Vec<_>>();
        let mut on = used.clone();
        // Of a hex that has been attacked nothing is left.
        if !self.state.attacked.contains(&target) {
            on.extend(subjects(order.attack.iter().chain([&target])).into_iter().chain(subjects(&order.by)));
        }
        if order.maine {
            self.umpire.rests(&on, [the_maine()]);
        }
        self.umpire.rests(&on, used);
    }

    /// Instructions for later that name somebody who does not attack.
    fn bars_instructions(&self, order: &CombatOrder, by: &[Piece]) -> Vec<Bar> {
        let mut bars = Vec::new();
        // Who was to attack under a counter may have been shown before, and he is not named then.
        let closed = order.by.iter().any(|piece| piece.is_counter());
        let among = |piece: &Piece| by.contains(piece) || order.by.contains(piece) || closed;
        for piece in order.losses.iter().filter(|piece| !among(piece)) {
            bars.push(Bar::new("A26", format!("{piece} does not attack"), "name attackers").part("losses").firm());
        }
        if let Some(super::orders::Advance::Units(units)) = &order.advance {
            for piece in units.iter().filter(|piece| !among(piece)) {
                bars.push(
                    Bar::new("9.4a", format!("{piece} does not attack"), "name attackers").part("advance").firm(),
                );
            }
            let hides = |piece: &Piece| self.now().in_guerrilla(*piece);
            if units.iter().any(hides) && !units.iter().all(hides) {
                let bar = Bar::new("11.1b", "units in guerrilla and others share no hex", "name the one or the others");
                bars.push(bar.part("advance").about(subjects(units)));
            }
            let closed = order.attack.is_some_and(|target| self.data().terrain(target).bars_guerrillas());
            for piece in units.iter().filter(|piece| closed && hides(piece)) {
                let why = format!("{piece} is in guerrilla and cannot enter a town or city");
                // Who lies under a counter goes by that, until it is shown.
                let bar = Bar::new("A91", why, "leave it out").part("advance").about([Subject::of(piece)]);
                bars.push(bar.firm());
            }
        }
        bars
    }

    /// The hexes of these pieces, by number.
    pub fn hexes_of(&self, pieces: &[Piece]) -> Vec<Hex> {
        pieces.iter().filter_map(|piece| self.state.hex_of(*piece)).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Has somebody been in a hex who could have been attacked there? One that was empty all along is nobody's target.
    fn has_gone(&self, side: Side, target: Hex) -> bool {
        self.stood.get(&Play::enemy(side)).is_some_and(|stood| stood.contains(&target))
    }

    /// The target has gone: another hex, or none.
    fn next_target(&mut self, side: Side, order: &CombatOrder, gone: Hex) -> Ruling<Option<Hex>> {
        let now = self.now();
        let may = |target: &Hex| {
            let manner = now.manner(&order.by, *target, side);
            // Who turns to another hex could have attacked this one.
            let fits = |piece: &Piece| {
                now.bars_attacker(side, *piece, *target, &self.fought, manner).is_empty()
                    && now.bars_distance(*piece, gone).is_none()
            };
            now.bars_target(side, *target).is_empty()
                && !order.by.is_empty()
                && order.by.iter().all(fits)
                && now.bars_attack(side, &order.by, *target, manner).is_empty()
        };
        let near: BTreeSet<Hex> = self
            .hexes_of(&order.by)
            .into_iter()
            .flat_map(|hex| self.data().land_around(hex).collect::<Vec<_>>())
            .collect();
        let others: Vec<Hex> = near.into_iter().filter(may).collect();
        if others.is_empty() {
            return Ok(None);
        }
        let default = Spot(order.instead.filter(|hex| others.contains(hex)));
        let options: Vec<Spot> = std::iter::once(Spot(None)).chain(others.iter().map(|hex| Spot(Some(*hex)))).collect();
        let question = Question {
            who: side,
            kind: NEXT_COMBAT,
            about: Subject::of(gone),
            clause: Clause("9.1b"),
            text: format!("nobody is left in {gone}: is another hex attacked instead?"),
            options,
            default,
            also: None,
        };
        let ordered = order.instead.map(|_| default);
        let chosen = self.umpire.ask(question, ordered, |policy| match policy {
            Policy::Ever(Ever::Never) => Say::Choose(Spot(None)),
            Policy::Hexes(wished) => Say::first_of(wished, &others).map(|hex| Spot(Some(hex))),
            _ => Say::Default,
        })?;
        Ok(chosen.0)
    }

    /// The pieces under these counters are shown and take their place (A60).
    pub fn unveil(&mut self, pieces: &[Piece]) -> Ruling<Vec<Piece>> {
        let mut shown: Vec<Piece> = Vec::new();
        for piece in pieces {
            if self.state.counters.contains_key(piece) {
                shown.extend(self.open(*piece, Why::Combat)?);
            } else {
                shown.push(*piece);
            }
        }
        Ok(shown)
    }

    /// Who attacks or bombards is shown, and with them the trains they have along, which support them now (A60, A82). `pieces`
    /// are those of the order who come to it.
    pub fn come_on(&mut self, force: Force, pieces: &[Piece], order: &CombatOrder) -> Ruling<(Vec<Piece>, Support)> {
        let closed = !self.closed(pieces).is_empty();
        let mut ordered = order.support.unwrap_or(Support::No);
        let stands = self.stands(|now| {
            now.support_orders(force, &self.hexes_of(pieces), Manner::Ordinary, pieces).contains(&ordered)
        });
        let doubtful = |subject: &Subject| self.umpire.cloud_on(subject).is_some();
        let doubts: Vec<Subject> = subjects(&order.by).into_iter().filter(doubtful).collect();
        let shown = self.unveil(pieces)?;
        if closed && ordered.may_come_by_train() {
            match self.now().bars_support(force, &self.hexes_of(&shown), ordered) {
                Some(bar) => {
                    self.lapse_support(ordered, bar.about(doubts));
                    ordered = Support::No;
                }
                None => self.look_up(stands),
            }
        }
        Ok((shown, ordered))
    }

    /// Fire, fire, shock (§9.2).
    fn fight(&mut self, fight: Fight<'_>) -> Ruling<()> {
        let Fight { force, side, target, order, .. } = fight;
        let enemy = Play::enemy(side);
        let (shown, ordered) = self.come_on(force, &fight.by, order)?;
        // Guns of an opened column stay behind (§9.6a), and may bombard.
        let takes = |piece: &Piece| self.now().kind(*piece).is_some_and(|kind| Manner::Ordinary.takes(kind));
        let mut attackers: Vec<Piece> = shown.into_iter().filter(takes).collect();
        self.have_fought(&fight.by, &attackers);
        if attackers.iter().all(|piece| self.now().kind(*piece).is_none_or(UnitKind::is_gun)) {
            // Who was to attack has been lost under his counter.
            self.state.attacked.remove(&target);
            let bar = Bar::new("9.6b", "nobody is left who attacks", "name others");
            self.lapse(format!("attack on {target}"), vec![bar.about(subjects(&fight.by))]);
            return Ok(());
        }
        let from = self.hexes_of(&attackers);
        let there = self.now().fighters(target, enemy);
        let Some(defender) = there.first().and_then(|piece| self.now().force(*piece)) else { return Ok(()) };
        let mut defenders = self.unveil(&there)?;
        defenders.retain(|piece| self.now().fights(*piece));
        if defenders.is_empty() {
            // A52c: nothing but dummies.
            self.save(force, &from, order.support, &subjects([target]));
            return self.advance(side, force, &attackers, target, order);
        }
        let (_, _, odds) = self.now().bare_odds(&attackers, &defenders);
        let (attack_sp, defence_sp) = self.both_support(force, defender, target, &from, ordered, odds)?;
        // Beaten or not, the defenders come to stand elsewhere or do not.
        let beyond = self.now().retreat_reach(defender, target, &from);
        let hexes = from.iter().chain([&target]).chain(&beyond).map(Hex::to_string);
        let touched = subjects(attackers.iter().chain(&defenders).map(Piece::to_string).chain(hexes));
        // §7.2.51a: and it comes to a shock, or does not.
        let maine = order.maine.then(the_maine);
        self.umpire.cloud(touched.into_iter().chain(maine), &crate::engine::Cloud::Die("combat".into()));
        // §9.2b: the defender fires first, and what he hits no longer fires back.
        let volley = Volley {
            kind: FireKind::Defence,
            by: defender,
            units: defenders.clone(),
            from: vec![target],
            at: attackers.clone(),
            hexes: from.clone(),
            target,
            supported: defence_sp != Support::No,
        };
        let result = self.fire(&volley)?.unwrap_or_default();
        self.hit(&attackers, result, target, Cause::Fire, Some(order.losses.clone()))?;
        for hex in &from {
            self.abandon(*hex, force, Fate::Fight);
        }
        attackers = self.standing(&attackers);
        if attackers.is_empty() {
            return Ok(());
        }
        let volley = Volley {
            kind: FireKind::Attack,
            by: force,
            units: attackers.clone(),
            from: self.hexes_of(&attackers),
            at: defenders.clone(),
            hexes: vec![target],
            target,
            supported: attack_sp != Support::No,
        };
        let result = self.fire(&volley)?.unwrap_or_default();
        self.hit(&defenders, result, target, Cause::Fire, None)?;
        defenders = self.standing(&defenders);
        if !defenders.is_empty() {
            self.shock(&fight, &mut attackers, &mut defenders, defender, (attack_sp, defence_sp))?;
        }
        if self.now().fighters(target, enemy).is_empty() {
            self.abandon(target, defender, Fate::Beaten);
            self.advance(side, force, &attackers, target, order)?;
        }
        Ok(())
    }

    /// Those who attack (A24a), some of them under a counter that was named: that they do only its owner could know.
    pub fn have_fought(&mut self, named: &[Piece], all: &[Piece]) {
        let shown = all.iter().copied().filter(|piece| !named.contains(piece)).map(attack_of);
        self.umpire.cloud(shown, &crate::engine::Cloud::Secret("who lies under a counter".into()));
        self.fought.extend(all.iter().copied());
    }

    /// A result of the Fire Table: losses first, then DS on a survivor (A71).
    pub fn hit(
        &mut self,
        pieces: &[Piece],
        result: FireResult,
        at: Hex,
        cause: Cause,
        ordered: Option<Vec<Piece>>,
    ) -> Ruling<()> {
        let mut rest = true;
        if result.steps > 0 {
            rest = self.lose(&Toll { pieces: pieces.to_vec(), steps: result.steps, at, cause, ordered })?;
        }
        if result.ds && rest {
            let standing = self.standing(pieces);
            self.disorganize(&standing, at, None)?;
        }
        Ok(())
    }

    /// An attack on the Guerrilla Table (§11.2.2d, A83).
    fn hunt(&mut self, fight: Fight<'_>, counter: bool) -> Ruling<()> {
        let Fight { force, side, target, order, .. } = fight;
        let enemy = Play::enemy(side);
        // A52a: who attacks is no dummy.
        self.closed(&fight.by).into_iter().for_each(|name| self.is_known(name));
        let there = self.now().fighters(target, enemy);
        let hangers = self.now().holder(target).map(|of| self.now().stack(target, of)).unwrap_or_default();
        let from = self.hexes_of(&fight.by);
        let defender = there.first().and_then(|piece| self.now().force(*piece));
        let (guerrillas, others) = match counter {
            true => (there.clone(), fight.by.clone()),
            false => (fight.by.clone(), hangers.clone()),
        };
        self.known_to_be_real(&fight.by); // A52a
        let logistic = !counter && self.train_under(&others, target)?;
        let irregular = counter && self.irregulars_under(&fight.by, target)?;
        let attack = TableAttack {
            guerrillas,
            others,
            target,
            reaction: false,
            counter,
            logistic,
            irregular,
            from: from.clone(),
            losses: order.losses.clone(),
        };
        let (result, others) = self.table_roll(&attack)?;
        if result == GuerrillaResult::Ambush {
            self.stop(&others); // §11.3g, A90
        }
        for hex in &from {
            self.abandon(*hex, force, Fate::Fight);
        }
        let mut by = self.standing(&fight.by);
        if counter {
            by = others.into_iter().filter(|piece| self.state.hex_of(*piece).is_some()).collect();
        }
        self.have_fought(&fight.by, &by);
        let emptied = self.now().fighters(target, enemy).is_empty();
        if let (true, Some(defender)) = (emptied && !by.is_empty(), defender) {
            self.abandon(target, defender, Fate::Beaten);
            self.advance(side, force, &by, target, order)?; // A91
        }
        Ok(())
    }
}
