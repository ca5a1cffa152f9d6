//! Chapter 11: guerrillas. Reactions to movement, attacks by units in guerrilla and attacks on them, all on one table.

use crate::board::Hex;
use crate::engine::{Clause, Cloud, Question, Ruling, Say, Side, Subject, Tally, Touch};

use super::events::{Cause, Event, Why};
use super::losses::Toll;
use super::play::{Fate, Play, subjects};
use super::policy::{AMBUSH, AmbushRule, Policy};
use super::position::Position;
use super::terms::{Content, Force, GuerrillaResult, Piece, Terrain, UnitKind};

/// What became of a mover who was struck at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// He may go on (§11.3f, A69b).
    Onward,
    /// He must stop (§11.3c).
    Recognised,
    /// He must stop for the rest of the turn (§11.3g).
    Ambushed,
}

/// One roll on the Guerrilla Table.
pub struct TableAttack {
    /// The guerrilla side.
    pub guerrillas: Vec<Piece>,
    /// The other side (A40).
    pub others: Vec<Piece>,
    /// The hex the roll is made against.
    pub target: Hex,
    /// Made in the enemy's movement (§11.3.2c).
    pub reaction: bool,
    /// Units in guerrilla are the target (§11.3.1).
    pub counter: bool,
    /// A logistic column is said to be under a closed counter of the target.
    pub logistic: bool,
    /// Guerrillas are said to be under a closed counter of the hunters.
    pub irregular: bool,
    /// The hexes of the attackers.
    pub from: Vec<Hex>,
    /// What the order says about losses of the phasing player.
    pub losses: Vec<Piece>,
}

impl Position<'_> {
    /// The hexes beside this one with enemies of a force in guerrilla (A41).
    pub fn ambushers(&self, force: Force, hex: Hex) -> Vec<Hex> {
        let hiding = |next: &Hex| !self.hiding_in(*next, force).is_empty();
        let mut hexes: Vec<Hex> = self.data().land_around(hex).filter(hiding).collect();
        hexes.sort_unstable();
        hexes
    }

    /// The enemies of a force in guerrilla in a hex.
    pub fn hiding_in(&self, hex: Hex, force: Force) -> Vec<Piece> {
        let enemy = |piece: &Piece| self.force(*piece).is_some_and(|other| other.is_enemy_of(force));
        self.pieces_in(hex).filter(|piece| enemy(piece) && self.fights(*piece) && self.in_guerrilla(*piece)).collect()
    }

    /// The modifiers of an attack by guerrillas on these pieces (§11.3.2).
    fn ambush_modifiers(&self, pieces: &[Piece], hex: Hex, reaction: bool, logistic: bool) -> Tally {
        let table = &self.data().tables.guerrilla.attack_modifiers;
        let mut modifiers = Tally::new();
        let column = |piece: &Piece| self.kind(*piece) == Some(UnitKind::LogisticColumn);
        if pieces.iter().any(column) || logistic {
            modifiers.add("logistic column", table.logistic_column, Clause("11.3.2a"));
        }
        if self.data().terrain(hex) == Terrain::Jungle {
            modifiers.add("jungle", table.jungle, Clause("11.3.2b"));
        }
        if reaction {
            modifiers.add("enemy movement", table.movement, Clause("11.3.2c"));
        }
        modifiers
    }

    /// Does everybody see that the piece is one of guerrillas? Under a Cuban counter there is nobody else (A43).
    pub fn is_irregular(&self, piece: Piece) -> bool {
        self.kind(piece) == Some(UnitKind::Guerrilla)
            || self.force(piece) == Some(Force::Cuban)
            || self.in_guerrilla(piece)
    }

    /// The modifiers of an attack on guerrillas (§11.3.1, A43).
    fn hunt_modifiers(&self, hunters: &[Piece], irregular: bool, from: &[Hex], target: Hex) -> Tally {
        let table = &self.data().tables.guerrilla.counter_modifiers;
        let mut modifiers = Tally::new();
        if irregular || hunters.iter().any(|piece| self.is_irregular(*piece)) {
            modifiers.add("guerrillas among the attackers", table.guerrillas, Clause("11.3.1a"));
        }
        if self.data().terrain(target) == Terrain::Jungle {
            modifiers.add("target in jungle", table.jungle, Clause("11.3.1b"));
        }
        if from.len() > 1 {
            modifiers.add("from more than one hex", table.several, Clause("11.3.1c"));
        }
        modifiers
    }
}

impl Play<'_, '_> {
    /// Do the guerrillas of a hex strike at who has entered the hex beside them (§11.2.2b)?
    pub fn strikes(&mut self, from: Hex, pieces: &[Piece], hex: Hex) -> Ruling<bool> {
        let now = self.now();
        let Some(force) = pieces.first().and_then(|piece| now.force(*piece)) else { return Ok(false) };
        let hiding = now.hiding_in(from, force);
        let Some(owner) = hiding.first().and_then(|piece| now.force(*piece)).map(Force::side) else { return Ok(false) };
        // A104: only what everybody sees counts here.
        let modifier = now.ambush_modifiers(pieces, hex, true, false).total();
        // A109: what may be a dummy obeys only orders that name it, or letting pass would tell that it is one.
        let unsure: Vec<Piece> = (hiding.iter().copied())
            .filter(|piece| self.counter(*piece).is_some_and(|counter| !counter.real))
            .collect();
        let unsaid = AmbushRule::DEFAULT.strikes(modifier) && unsure.len() < hiding.len();
        let question = Question {
            who: owner,
            kind: AMBUSH,
            about: Subject::of(from),
            clause: Clause("11.2.2b"),
            text: format!(
                "an enemy enters {hex} beside your guerrillas in {from}; the die has {modifier:+}: do they strike?"
            ),
            options: vec![true, false],
            default: unsaid,
            also: None,
        };
        let strikes = self.umpire.ask(question, None, |policy| match policy {
            Policy::Ambush(policy) => {
                // In a hex with several units the keenest order counts.
                let others = policy.others.unwrap_or(AmbushRule::DEFAULT);
                let of_hex = policy.hexes.get(&from).copied();
                let rule = |piece: &Piece| {
                    let named = policy.units.get(piece).copied().or(of_hex);
                    named.or((!unsure.contains(piece)).then_some(others)).unwrap_or(AmbushRule::Never)
                };
                Say::Choose(hiding.iter().map(rule).any(|rule| rule.strikes(modifier)))
            }
            _ => Say::Default,
        })?;
        // Where they come to stand, and who is left beside them, is not for the mover alone to say.
        let touched = pieces.iter().chain(&hiding).map(Piece::to_string).chain([hex.to_string(), from.to_string()]);
        self.umpire.cloud(subjects(touched), &Cloud::Choice(AMBUSH));
        if !strikes || self.closed(&hiding).len() < hiding.len() {
            return Ok(strikes);
        }
        if self.closed(&hiding).iter().any(|name| self.counter(*name).is_some_and(|counter| counter.real)) {
            return Ok(true);
        }
        // A52a: a dummy strikes at nobody, and who lets it has shown it. Where others strike from the same hex (A41a) nobody is told
        // which of them are real.
        let sealed = self.sealed_of(&hiding);
        let sealed: Vec<_> = sealed.iter().collect();
        let any = |held: &[Content]| !held.iter().all(Content::is_dummy);
        if self.umpire.fact_or(&sealed, &Subject::of(from), "strikers", any, true)? {
            if let [name] = hiding.as_slice() {
                self.known_to_be_real(&[*name]);
            }
            return Ok(true);
        }
        hiding.into_iter().for_each(|name| self.remove_dummy(name, Why::Strike));
        Ok(false)
    }

    /// A declared reaction is resolved (§11.2.2c). Gives what became of the mover, and who he is now.
    pub fn react(&mut self, from: Hex, pieces: &[Piece], hex: Hex, logistic: bool) -> Ruling<(Reaction, Vec<Piece>)> {
        let now = self.now();
        let Some(force) = pieces.first().and_then(|piece| now.force(*piece)) else {
            return Ok((Reaction::Onward, Vec::new()));
        };
        let attack = TableAttack {
            guerrillas: now.hiding_in(from, force),
            others: pieces.to_vec(),
            target: hex,
            reaction: true,
            counter: false,
            logistic,
            irregular: false,
            from: vec![from],
            losses: Vec::new(),
        };
        let (result, others) = self.table_roll(&attack)?;
        let reaction = match result {
            GuerrillaResult::CounterAmbush | GuerrillaResult::Nothing => Reaction::Onward,
            GuerrillaResult::Reconnaissance => Reaction::Recognised,
            GuerrillaResult::Ambush => Reaction::Ambushed,
        };
        Ok((reaction, others))
    }

    /// Rolls on the Guerrilla Table and applies the result (§11.3). Gives it, and the other side as it stands then.
    pub fn table_roll(&mut self, attack: &TableAttack) -> Ruling<(GuerrillaResult, Vec<Piece>)> {
        let now = self.now();
        let tables = self.data().tables.clone();
        let table = &tables.guerrilla;
        let side = |pieces: &[Piece]| pieces.first().and_then(|piece| now.force(*piece)).map(Force::side);
        let (Some(hiders), Some(_)) = (side(&attack.guerrillas), side(&attack.others)) else {
            return Ok((GuerrillaResult::Nothing, attack.others.clone()));
        };
        let (by, at) = match attack.counter {
            true => (&attack.others, &attack.guerrillas),
            false => (&attack.guerrillas, &attack.others),
        };
        let modifiers = match attack.counter {
            true => now.hunt_modifiers(&attack.others, attack.irregular, &attack.from, attack.target),
            false => now.ambush_modifiers(&attack.others, attack.target, attack.reaction, attack.logistic),
        };
        let total = modifiers.total();
        let rows = if attack.counter { &table.counter } else { &table.attack };
        let read = |die: i32| rows.at(die + total).copied().unwrap_or(GuerrillaResult::Nothing);
        // In both columns E is best for the guerrilla side.
        // Whoever falls or does not leaves a hex, or holds it.
        let hexes = attack.from.iter().chain([&attack.target]).map(Hex::to_string);
        let pieces = attack.guerrillas.iter().chain(&attack.others).map(Piece::to_string);
        let touched = Touch::on(subjects(pieces.chain(hexes)));
        let about = if attack.reaction { attack.from.first().copied().unwrap_or(attack.target) } else { attack.target };
        let thrown = self.d6(hiders, about, "guerrilla", read, touched)?;
        self.umpire.note(Event::GuerrillaRoll {
            by: by.clone(),
            target: attack.target,
            at: at.clone(),
            reaction: attack.reaction,
            counter: attack.counter,
            modified: i32::from(thrown.cast.face()) + total,
            die: thrown.cast,
            modifiers,
            result: thrown.result,
        });
        let others = match thrown.result {
            GuerrillaResult::Nothing => attack.others.clone(),
            GuerrillaResult::CounterAmbush => {
                if self.step_die(&attack.guerrillas, hiders, Cause::CounterAmbush)? {
                    self.lose_step(attack, &attack.guerrillas, Cause::CounterAmbush)?;
                }
                attack.others.clone()
            }
            GuerrillaResult::Reconnaissance => {
                // §11.3b, §11.3d, §11.3e: everything closed is shown.
                let mut others = attack.others.clone();
                for name in self.closed(&attack.others) {
                    others.retain(|piece| *piece != name);
                    others.extend(self.open(name, Why::Reconnaissance)?);
                }
                others
            }
            GuerrillaResult::Ambush => {
                // The second die before anybody is asked what lies under his counters: he says it all at once.
                let lost = self.step_die(&attack.others, hiders, Cause::Ambush)?;
                // A52d: dummies are gone, whatever the second die says.
                for name in self.closed(&attack.others) {
                    if self.is_dummy(name, false)? {
                        self.remove_dummy(name, Why::Ambush);
                    }
                }
                if lost {
                    self.lose_step(attack, &self.standing(&attack.others), Cause::Ambush)?;
                }
                self.standing(&attack.others)
            }
        };
        Ok((thrown.result, others))
    }

    /// §11.3.2a: is a logistic column under the closed counters that are attacked? Their owner says so.
    pub fn train_under(&mut self, pieces: &[Piece], at: Hex) -> Ruling<bool> {
        let sealed = self.sealed_of(pieces);
        // Only Spanish columns can hold one (§14.5.1a, A89).
        let spanish = pieces.first().and_then(|piece| self.now().force(*piece)) == Some(Force::Spanish);
        if sealed.is_empty() || !spanish {
            return Ok(false);
        }
        let data = self.data();
        let train = |held: &[Content]| held.iter().any(|content| data.has_train(content));
        self.umpire.fact_or(&sealed.iter().collect::<Vec<_>>(), &Subject::of(at), "train", train, true)
    }

    /// §11.3.1a: are guerrillas in regular order under the closed counters that hunt? Their owner says so where nobody sees any.
    pub fn irregulars_under(&mut self, hunters: &[Piece], target: Hex) -> Ruling<bool> {
        let sealed = self.sealed_of(hunters);
        if sealed.is_empty() || hunters.iter().any(|piece| self.now().is_irregular(*piece)) {
            return Ok(false);
        }
        // Brigades hold regiments (§14.6b).
        if hunters.first().and_then(|piece| self.now().force(*piece)) != Some(Force::Spanish) {
            return Ok(false);
        }
        let data = self.data();
        let irregular =
            |held: &[Content]| held.iter().any(|content| data.holds(content, |kind| kind == UnitKind::Guerrilla));
        let about = Subject::of(target);
        self.umpire.fact_or(&sealed.iter().collect::<Vec<_>>(), &about, "irregulars", irregular, true)
    }

    /// Those of these pieces that are still on the map.
    pub fn standing(&self, pieces: &[Piece]) -> Vec<Piece> {
        pieces.iter().copied().filter(|piece| self.state.hex_of(*piece).is_some()).collect()
    }

    /// The second die of CE and E: a step on 1 to 4, one in all (§11.3a, §11.3h, A69).
    fn step_die(&mut self, pieces: &[Piece], hiders: Side, cause: Cause) -> Ruling<bool> {
        let Some(at) = pieces.first().and_then(|piece| self.state.hex_of(*piece)) else { return Ok(false) };
        let faces = self.data().tables.guerrilla.step_lost_on.clone();
        let good_for = if cause == Cause::Ambush { hiders } else { Play::enemy(hiders) };
        let lost = |die: i32| faces.iter().any(|face| i32::from(*face) == die);
        let thrown =
            self.d6_says(good_for, at, cause.as_str(), lost, ["a step is lost", "none"], Touch::on(subjects(pieces)))?;
        self.umpire.note(Event::StepRoll { at, die: thrown.cast, lost: thrown.result });
        Ok(thrown.result)
    }

    /// The step that CE or E costs.
    fn lose_step(&mut self, attack: &TableAttack, pieces: &[Piece], cause: Cause) -> Ruling<()> {
        let Some(at) = pieces.first().and_then(|piece| self.state.hex_of(*piece)) else { return Ok(()) };
        let fighters: Vec<Piece> = pieces.iter().copied().filter(|piece| self.now().fights(*piece)).collect();
        if fighters.is_empty() {
            return Ok(()); // nobody has a step to lose, and nobody lost his companions
        }
        // A26: the order speaks for those who attack by it, the owner of the others for himself.
        let attackers = if attack.counter { Cause::Ambush } else { Cause::CounterAmbush };
        let ordered = (cause == attackers && !attack.losses.is_empty()).then(|| attack.losses.clone());
        self.lose(&Toll { pieces: fighters, steps: 1, at, cause, ordered })?;
        if let Some(force) = pieces.first().and_then(|piece| self.now().force(*piece)) {
            self.abandon(at, force, Fate::Fight);
        }
        Ok(())
    }
}
