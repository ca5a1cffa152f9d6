//! Melee (§7): opening save, withdrawal or stand, strikes in turn, withdrawal or removal, advance.

use crate::board::{Facing, Square};
use crate::engine::{Clause, Halt, Question, Ruling, Say, Subject, Touch};

use super::events::{Against, Aspect, Chips, Event};
use super::orders::Activation;
use super::play::{Acting, Play};
use super::policy::{ADVANCE_FACING, Blow, Draw, IN_MELEE, InMelee, MeleeWord, ON_CHARGE, OnCharge, Policy, Stand};
use super::position::place;
use super::terms::{Power, UnitId, WITHDRAWAL};

/// No melee lasts this long; a longer one is a fault of the program.
const MOST_STRIKES: u32 = 10_000;

/// A melee in progress. Facings are frozen while it lasts (§A30).
struct Melee<'e> {
    attacker: UnitId,
    defender: UnitId,
    /// The box the attacker charges from and stays in (§A26).
    from: Square,
    /// The box it charges.
    at: Square,
    aspect: Aspect,
    entry: &'e Activation,
}

impl Play<'_, '_> {
    /// A charge on the enemy in a neighbouring box, to its end (§7a, §7b).
    pub fn charge(
        &mut self,
        attacker: UnitId,
        defender: UnitId,
        at: Square,
        turn: Option<Facing>,
        entry: &Activation,
    ) -> Acting<()> {
        if let Some(to) = turn {
            self.face(attacker, to, Clause("A9"));
        }
        let Some(from) = self.now().at(attacker) else {
            return Ok(());
        };
        let aspect = self.now().aspect(defender, from);
        let melee = Melee { attacker, defender, from, at, aspect, entry };
        let (here, there) = (self.ground().at(from).height, self.ground().at(at).height);
        let uphill = match here.cmp(&there) {
            std::cmp::Ordering::Less => self.now().power(defender),
            std::cmp::Ordering::Greater => self.now().power(attacker),
            std::cmp::Ordering::Equal => None,
        };
        self.umpire.note(Event::Charged { unit: attacker, from, target: defender, at, aspect, uphill });
        let modifiers = self.now().melee_modifiers(defender, attacker, Some(aspect));
        let path = self.long_way_back(&melee);
        let touch = self.contested(&melee);
        let passed = self.save(defender, Against::Charge, modifiers, None, touch)?;
        if passed {
            if !path.is_empty() && self.stands(&melee)? == Stand::Withdraw {
                return self.leave(&melee, defender, &path, Clause("7d"));
            }
            self.umpire.note(Event::Stood { unit: defender });
            return self.strikes(&melee, defender);
        }
        if self.game.options.failed_opening_falls_back && !path.is_empty() {
            return self.leave(&melee, defender, &path, Clause("S2"));
        }
        self.umpire.note(Event::MustFight { unit: defender });
        self.strikes(&melee, attacker)
    }

    /// Whoever fights, and every box in which one of them may end.
    fn contested(&self, melee: &Melee<'_>) -> Touch {
        let now = self.now();
        let mut boxes = now.withdrawal(melee.defender, melee.attacker, WITHDRAWAL);
        boxes.extend(now.withdrawal(melee.attacker, melee.defender, 1));
        boxes.extend([melee.from, melee.at]);
        let units = [melee.attacker, melee.defender];
        let boxes = boxes.into_iter().map(|square| now.spot(square));
        Touch::on(boxes.chain(units.map(Subject::of)).chain(units.map(place)))
    }

    /// The boxes of the three-box withdrawal (§7d, §A33); none if it is not to be had.
    fn long_way_back(&self, melee: &Melee<'_>) -> Vec<Square> {
        let path = self.now().withdrawal(melee.defender, melee.attacker, WITHDRAWAL);
        let full = u32::try_from(path.len()).unwrap_or(0) == WITHDRAWAL;
        if full || self.game.options.short_withdrawals { path } else { Vec::new() }
    }

    fn stands(&mut self, melee: &Melee<'_>) -> Ruling<Stand> {
        let unit = melee.defender;
        let disordered = self.now().state.unit(unit).disordered;
        let question = Question {
            who: self.power.enemy().side(),
            kind: ON_CHARGE,
            about: Subject::of(unit),
            clause: Clause("7d"),
            text: format!(
                "{unit} in {} passes its opening save against {}: stand or withdraw?",
                melee.at, melee.attacker
            ),
            options: vec![Stand::Stand, Stand::Withdraw],
            default: Stand::Stand,
            also: None,
        };
        self.umpire.ask(question, None, |policy| match policy {
            Policy::OnCharge(per) => match per.get(&unit) {
                Some(OnCharge::Withdraw) => Say::Choose(Stand::Withdraw),
                Some(OnCharge::WithdrawIfDisordered) if disordered => Say::Choose(Stand::Withdraw),
                Some(_) => Say::Choose(Stand::Stand),
                None => Say::Default,
            },
            _ => Say::Default,
        })
    }

    /// The defender withdraws without a blow and the attacker follows into its box (§7d, §7e, §7o).
    fn leave(&mut self, melee: &Melee<'_>, unit: UnitId, path: &[Square], clause: Clause) -> Acting<()> {
        self.withdraw(melee, unit, path, true, clause)?;
        self.advance(melee)
    }

    fn withdraw(&mut self, melee: &Melee<'_>, unit: UnitId, path: &[Square], away: bool, clause: Clause) -> Acting<()> {
        let (enemy, from) =
            if unit == melee.attacker { (melee.defender, melee.from) } else { (melee.attacker, melee.at) };
        let (Some(back), Some(to)) = (self.now().way_back(unit, enemy), path.last().copied()) else {
            return Ok(());
        };
        // §A32: along the path after the long withdrawal, against it after the short one.
        let facing = if away { back } else { back.rear() };
        let boxes = u32::try_from(path.len()).unwrap_or(0);
        self.umpire.note(Event::Withdrew { unit, from, to, boxes, facing, clause });
        self.go(unit, path, facing)
    }

    /// The attacker must enter the box left empty and may look where it likes (§7o, §7p).
    fn advance(&mut self, melee: &Melee<'_>) -> Acting<()> {
        let unit = melee.attacker;
        let Some(facing) = self.now().state.unit(unit).facing else {
            return Ok(());
        };
        let question = Question {
            who: self.power.side(),
            kind: ADVANCE_FACING,
            about: Subject::of(unit),
            clause: Clause("7p"),
            text: format!("{unit} enters {}: where does it look?", melee.at),
            options: Facing::ALL.to_vec(),
            default: facing,
            also: None,
        };
        let ordered = melee.entry.advance_facing.map(|face| face.from(facing));
        let facing = self.umpire.ask(question, ordered, |policy| match policy.facing(facing) {
            Some(facing) => Say::Choose(facing),
            None => Say::Default,
        })?;
        self.umpire.note(Event::Advanced { unit, from: melee.from, to: melee.at, facing });
        self.go(unit, &[melee.at], facing)
    }

    /// Strikes in turn until one unit is removed or withdraws (§7h, §7q).
    fn strikes(&mut self, melee: &Melee<'_>, first: UnitId) -> Acting<()> {
        let mut striker = first;
        // Own strikes made in this melee.
        let (mut by_attacker, mut by_defender) = (0, 0);
        for _ in 0..MOST_STRIKES {
            let attacks = striker == melee.attacker;
            let enemy = if attacks { melee.defender } else { melee.attacker };
            let struck = if attacks { &mut by_attacker } else { &mut by_defender };
            if self.blow(melee, striker, *struck)? == Blow::Withdraw {
                let path = self.now().withdrawal(striker, enemy, 1);
                let clause = if !attacks && *struck == 0 { "A63" } else { "7n" };
                self.withdraw(melee, striker, &path, false, Clause(clause))?;
                return if attacks { self.hold(melee, true) } else { self.advance(melee) };
            }
            *struck += 1;
            if self.strike(melee, striker, enemy)? {
                return if attacks { self.advance(melee) } else { self.hold(melee, false) };
            }
            striker = enemy;
        }
        Err(Halt::Bug(format!("the melee for {} does not end", melee.at)).into())
    }

    fn hold(&mut self, melee: &Melee<'_>, attacker_withdrew: bool) -> Acting<()> {
        self.umpire.note(Event::Held { unit: melee.defender, at: melee.at, attacker_withdrew });
        Ok(())
    }

    /// Strike, or withdraw one box: asked only where both are possible (§7m, §A34).
    fn blow(&mut self, melee: &Melee<'_>, unit: UnitId, struck: u32) -> Ruling<Blow> {
        let attacks = unit == melee.attacker;
        let enemy = if attacks { melee.defender } else { melee.attacker };
        let state = self.now().state.unit(unit);
        let Some(power) = self.now().power(unit) else {
            return Ok(Blow::Strike);
        };
        let default_rule = match power {
            Power::Spain => InMelee::Word(MeleeWord::Fight),
            Power::Us => InMelee::Word(MeleeWord::WithdrawIfDisordered),
        };
        let free = !self.now().withdrawal(unit, enemy, 1).is_empty();
        let allowed = attacks || self.game.options.defenders_break_off;
        if !free || !allowed {
            return Ok(Blow::Strike);
        }
        let question = Question {
            who: power.side(),
            kind: IN_MELEE,
            about: Subject::of(unit),
            clause: Clause("7m"),
            text: format!("{unit} fights {enemy} for {}: strike, or withdraw one box?", melee.at),
            options: vec![Blow::Strike, Blow::Withdraw],
            default: default_rule.blow(state.disordered, struck),
            also: None,
        };
        let rule = if attacks { melee.entry.melee } else { None };
        let ordered = rule.map(|rule| rule.blow(state.disordered, struck));
        self.umpire.ask(question, ordered, |policy| match policy {
            Policy::InMelee(per) => match per.get(&unit) {
                Some(rule) => Say::Choose(rule.blow(state.disordered, struck)),
                None => Say::Default,
            },
            _ => Say::Default,
        })
    }

    /// One strike; says whether the enemy is removed (§7i, §7j, §9h3).
    fn strike(&mut self, melee: &Melee<'_>, unit: UnitId, enemy: UnitId) -> Acting<bool> {
        let attacks = unit == melee.attacker;
        let count = if attacks && melee.aspect.is_exposed() { 2 } else { 1 };
        let needs = self.now().melee_number(unit);
        let disordered = self.now().state.unit(unit).disordered;
        let misses = |chip: u16| chip < needs;
        let Some(power) = self.now().power(unit) else { return Ok(false) };
        let read = |chips: &[u16]| Draw::Melee.read(chips, misses);
        let chips = self.draw((unit, power), "strike", count, read, Touch::default())?;
        let own = attacks.then_some(melee.entry);
        let (result, redrawn) = self.redraw(&[unit], Draw::Melee, "strike", chips.faces().to_vec(), misses, own)?;
        let hits = Draw::Melee.read(&result, misses).count();
        let chips = Chips(chips);
        self.umpire.note(Event::Strike { unit, target: enemy, needs, chips, redrawn, hits, disordered });
        let charged = (enemy == melee.defender).then_some(melee.aspect);
        let modifiers = self.now().melee_modifiers(enemy, unit, charged);
        let of_enemy = (enemy == melee.attacker).then_some(melee.entry);
        for _ in 0..hits {
            if self.take_hit(enemy, Against::Melee, true, &modifiers, of_enemy)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
