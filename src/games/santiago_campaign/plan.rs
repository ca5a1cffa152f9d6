//! The Spanish turn as a plan: what is not carried out stays sealed (§8.1b, §11.1c).
//!
//! An attack may wait for the result of another, and a Guantanamo unit for its release, so not every entry comes to
//! pass. One fact says whether an entry does; only then is it opened. The odds an attack asks for (`min-odds`) hang on
//! what its attackers are and on no die, since a Cuban defender still to be rolled for counts as 5: they belong to that
//! fact, and an attack called off for its odds stays sealed as well.

use crate::engine::doc::{DocPath, FromDoc, Node, Reader};
use crate::engine::{Bar, Cloud, Concealed, Json, Ruling, Sealed, Side, Slot, Subject, to_json};

use super::attacks::attack_of;
use super::bars::bar;
use super::events::Event;
use super::orders::{AttackOrder, MoveOrder, TurnOrders};
use super::play::{Known, Play, Position, lapsed};
use super::state::{Post, State};
use super::terms::{HoldingBox, Odds, Token};
use super::{SPAIN, SantiagoCampaign};

/// Seals the entries that may come to nothing: attacks, and what hangs on the Guantanamo roll still to be made.
pub fn seal(game: &SantiagoCampaign, state: &State, turn: &mut TurnOrders, hide: &mut dyn FnMut(Json) -> Slot) {
    fn entry<T: serde::Serialize>(entry: &mut Concealed<T>, hide: &mut dyn FnMut(Json) -> Slot) {
        if let Concealed::Open(value) = entry
            && let Ok(value) = to_json(value)
        {
            *entry = Concealed::Sealed(hide(value));
        }
    }
    if let Some(release) = &mut turn.release {
        entry(release, hide);
    }
    let clock = &game.data.tables.clock;
    let roll_due = state.marines_sent && !state.guantanamo_rolled && state.turn >= clock.guantanamo_turn;
    let boxed =
        |token: Token| state.counters.get(&token).is_some_and(|counter| counter.at == Post::In(HoldingBox::Guantanamo));
    for order in &mut turn.moves {
        let waits = matches!(order, Concealed::Open(order) if order.unit.token().is_some_and(boxed));
        if roll_due && waits {
            entry(order, hide);
        }
    }
    for attack in &mut turn.attacks {
        entry(attack, hide);
    }
}

/// An attack may wait for a result, an empty hex or its odds; what hangs on the Guantanamo roll waits for that (§23.1).
pub fn is_conditional(entry: &Json) -> bool {
    let attack = entry.get("target").is_some();
    let waits = ["after", "if-vacant", "min-odds"].iter().any(|name| entry.get(name).is_some());
    let guantanamo = entry.as_list().is_some() || entry.get("unit").is_some();
    attack && waits || !attack && guantanamo
}

/// Reads an entry that was opened; one that is no such order lapses.
fn read<T: FromDoc>(game: &SantiagoCampaign, entry: &Node) -> Option<T> {
    let mut reader = Reader::new(game);
    let read = T::read(entry, &DocPath::root(), &mut reader)?;
    reader.faults.iter().all(|fault| fault.warning).then_some(read)
}

fn name(order: &AttackOrder) -> String {
    format!("attack on {}", order.target)
}

fn unsure(least: Odds) -> Bar {
    let why = format!("the odds are not sure to be {least}");
    Bar::new("11.1c", why, "ask for less, or let more attack")
}

/// A sealed entry that is not carried out, and why.
struct Withheld<T> {
    order: T,
    bars: Vec<Bar>,
}

impl Play<'_, '_> {
    /// What stands in a sealed entry of the plan if it is carried out, else what was withheld, where it can be read.
    /// `bars` says why it is, from what everybody sees, and `own` from what the owner of these face-down counters sees
    /// besides.
    fn called<T: FromDoc + Clone>(
        &mut self,
        (side, slot): (Side, &Slot),
        what: &'static str,
        bars: impl Fn(&Position<'_>, &T) -> Vec<Bar>,
        (counters, own): (&[Token], impl Fn(&Position<'_>, &T) -> Option<Bar>),
        name: impl Fn(&T) -> String,
    ) -> Ruling<Result<T, Option<Withheld<T>>>> {
        let sealed: Sealed<Node> = Sealed::new(side, slot.clone());
        if self.umpire.must_open(slot) {
            // It waits for nothing, so nobody can call it off; what everybody sees may speak against it.
            let order = self.opened::<T>(&sealed, what)?;
            let Some(order) = order else { return Ok(Err(None)) };
            let found = bars(&self.now(), &order);
            if found.is_empty() {
                return Ok(Ok(order));
            }
            let found = self.hanging(found);
            self.lapse(name(&order), found.clone(), &[]);
            return Ok(Err(Some(Withheld { order, bars: found })));
        }
        let seals = self.seals(counters);
        let tokens: Vec<Token> = seals.iter().map(|seal| Token::of(seal.slot().as_str())).collect();
        let units: Vec<Sealed<Node>> =
            seals.iter().map(|seal| Sealed::new(seal.owner(), seal.slot().clone())).collect();
        let of: Vec<&Sealed<Node>> = std::iter::once(&sealed).chain(&units).collect();
        let (game, state) = (self.game, &*self.state);
        let now = Position { game, state, known: &self.known };
        let made = |values: &[Node]| {
            // What cannot be read is opened, so that everybody sees it lapse.
            let Some((entry, units)) = values.split_first() else { return true };
            let Some(order) = read(game, entry) else { return true };
            let units = tokens.iter().copied().zip(units.iter().map(|unit| read(game, unit)));
            let known = Known(units.filter_map(|(token, unit)| Some((token, unit?))).collect());
            bars(&now, &order).is_empty() && own(&Position { game, state, known: &known }, &order).is_none()
        };
        // In a check what is sealed is signed already and passed over.
        if !self.umpire.fact_or(&of, &Subject::of(what), "made", made, false)? {
            self.umpire.note(Event::Withheld { what });
            let mut withheld = None;
            self.umpire.whisper_of(&sealed, |entry| {
                let Some(order) = read::<T>(game, entry) else { return Event::Withheld { what } };
                let mut found = bars(&now, &order);
                if found.is_empty() {
                    found.extend(own(&now, &order));
                }
                let event = found.first().map_or(Event::Withheld { what }, |why| lapsed(name(&order), why));
                withheld = Some(Withheld { order, bars: found });
                event
            });
            if let Some(withheld) = &withheld {
                self.called_off(withheld.bars.clone());
            }
            return Ok(Err(withheld));
        }
        Ok(self.opened(&sealed, what)?.ok_or(None))
    }

    /// An entry that is not made for these reasons. Whether a condition is met (§11.1c) hangs on the dice of the attacks
    /// before, and what speaks against the attack besides is looked at only where it is.
    fn called_off(&mut self, bars: Vec<Bar>) {
        let bars = self.hanging(bars);
        self.umpire.withheld(bars);
    }

    /// Bars that hang on the dice of the attacks before: of a condition, and of whoever would be elsewhere had another
    /// attack met its own. What is sealed casts no cloud, since not everybody could see it.
    fn hanging(&mut self, bars: Vec<Bar>) -> Vec<Bar> {
        let results = Subject::of("results");
        self.umpire.cloud([results.clone()], &Cloud::Die("combat".to_owned()));
        let hangs = |bar: &Bar| bar.clause.0 == "11.1c" || bar.about.iter().any(|on| self.passed_over.contains(on));
        bars.into_iter().map(|bar| if hangs(&bar) { bar.about([results.clone()]) } else { bar }).collect()
    }

    /// What stands in a sealed entry; one that cannot be read lapses.
    fn opened<T: FromDoc>(&mut self, sealed: &Sealed<Node>, what: &'static str) -> Ruling<Option<T>> {
        let order = read(self.game, &self.umpire.open(sealed)?);
        if order.is_none() {
            let unread = bar("3.1b", format!("it is no {what}")).firm();
            self.lapse(format!("an entry of the plan ({})", sealed.slot()), vec![unread], &[]);
        }
        Ok(order)
    }

    /// The move of an entry; a sealed one of a unit withheld at Guantanamo is not made (§23.1d).
    pub fn called_move(&mut self, entry: &Concealed<MoveOrder>) -> Ruling<Option<MoveOrder>> {
        let slot = match entry {
            Concealed::Open(order) => return Ok(Some(order.clone())),
            Concealed::Sealed(slot) => slot,
        };
        let bars = |now: &Position<'_>, order: &MoveOrder| {
            let gone = order.unit.token().is_some_and(|token| !now.state.counters.contains_key(&token));
            let on = Subject::of(order.unit);
            gone.then(|| bar("10.2a", "it is out of the game").about([on])).into_iter().collect()
        };
        let order =
            self.called((SPAIN, slot), "move", bars, (&[], |_, _| None), |order| format!("move of {}", order.unit))?;
        Ok(order.ok().map(|order| MoveOrder { unit: self.now().named(order.unit), ..order }))
    }

    /// The attack of an entry, if it is made at this point of the phase: its conditions are met, nothing speaks against
    /// it, and it is sure to reach the odds it asks for (§11.1c).
    pub fn called_attack(&mut self, side: Side, entry: &Concealed<AttackOrder>) -> Ruling<Option<AttackOrder>> {
        let slot = match entry {
            Concealed::Open(order) => return self.open_attack(side, order),
            Concealed::Sealed(slot) => slot,
        };
        let (results, fought) = (self.results.clone(), self.fought.clone());
        let bars = |now: &Position<'_>, order: &AttackOrder| now.idle(side, &now.naming(order), &results, &fought);
        let own = |position: &Position<'_>, order: &AttackOrder| {
            let (least, order) = (order.min_odds?, &position.naming(order));
            // By the attackers and by what everybody sees, as for an attack in the open.
            let attackers = order.attackers.iter().filter_map(|piece| piece.token());
            let known = Known(attackers.filter_map(|token| Some((token, position.identity(token)?))).collect());
            let position = Position { known: &known, ..*position };
            let (able, _) = position.able(side, order, &fought);
            (!position.reaches(side, &able, &fought, least)).then(|| unsure(least))
        };
        let counters: Vec<Token> = self.state.counters.keys().copied().collect();
        match self.called((side, slot), "attack", bars, (&counters, own), name)? {
            Ok(order) => Ok(Some(self.now().naming(&order))),
            Err(withheld) => {
                let waited = withheld.filter(|withheld| withheld.bars.iter().any(|bar| bar.clause.0 == "11.1c"));
                if let Some(order) = waited.map(|withheld| self.now().naming(&withheld.order)) {
                    self.passed_over.extend(order.attackers.iter().map(Subject::of));
                    self.passed_over.insert(Subject::of(order.target));
                }
                Ok(None)
            }
        }
    }

    /// The same for an entry in the open.
    fn open_attack(&mut self, side: Side, order: &AttackOrder) -> Ruling<Option<AttackOrder>> {
        let waits = self.now().waits(side, order, &self.results);
        let planned = self.now().plan_attack(side, order, &self.fought);
        let able = planned.as_ref().map_or_else(|_| Vec::new(), |able| able.attackers.clone());
        let (bars, judged) = (self.twice(planned.err().unwrap_or_default()), self.umpire.foresees());
        // What is wrong in any case is so even if the attack hangs on another and does not come up; a check tells the rest
        // as well.
        let wrong = bars.iter().any(|bar| bar.firm || judged);
        if let Some(bar) = waits.filter(|_| !wrong) {
            self.hangs(order);
            self.umpire.note(lapsed(name(order), &bar));
            self.called_off(bars.into_iter().chain([bar]).collect());
            return Ok(None);
        }
        if !bars.is_empty() {
            let mut touched: Vec<Subject> = order.attackers.iter().map(Subject::of).collect();
            touched.push(Subject::of(order.target));
            self.lapse(name(order), bars, &touched);
            return Ok(None);
        }
        // A beach to be opened is no part of the list (§6.6g), nor is whoever cannot come to an attack that goes on.
        if order.open != Some(true) {
            let now = Position { game: self.game, state: self.state, known: &self.known };
            let fought = &self.fought;
            let is_it = |choice: &AttackOrder| {
                choice.target == order.target && able.iter().all(|piece| choice.attackers.contains(piece))
            };
            self.umpire.listed(|| now.attack_choices(side, fought).iter().any(is_it));
        }
        let (able, barred) = self.now().able(side, order, &self.fought);
        for bar in barred {
            self.umpire.mind(Bar { remedy: "the attack goes on without it".to_owned(), ..bar });
        }
        if let Some(least) = order.min_odds
            && !self.reaches(side, &able, least)?
        {
            let bar = unsure(least);
            self.umpire.mind(bar.clone());
            self.umpire.note(lapsed(name(order), &bar));
            self.called_off(vec![bar]);
            return Ok(None);
        }
        Ok(Some(order.clone()))
    }

    /// Who was ordered to attack before, without any condition or anything that could keep him from it, is ordered twice,
    /// whatever comes of it (§11.2a).
    fn twice(&self, bars: Vec<Bar>) -> Vec<Bar> {
        let sure = |attack: &Subject| self.umpire.cloud_on(attack).is_none();
        let attacks: Vec<Subject> = self.pledged.iter().map(|piece| attack_of(*piece)).filter(sure).collect();
        let pledged = |bar: &Bar| bar.about.iter().any(|subject| attacks.contains(subject));
        bars.into_iter().map(|bar| if bar.clause.0 == "11.2a" && pledged(&bar) { bar.firm() } else { bar }).collect()
    }

    /// Which counters the Spanish player wants released; opened only where there is a choice (§23.1c).
    pub fn called_release(&mut self, entry: &Concealed<Vec<Token>>) -> Ruling<Option<Vec<Token>>> {
        match entry {
            Concealed::Open(wished) => Ok(Some(wished.clone())),
            Concealed::Sealed(slot) => {
                let entry: Node = self.umpire.open(&Sealed::new(SPAIN, slot.clone()))?;
                Ok(read(self.game, &entry))
            }
        }
    }
}
