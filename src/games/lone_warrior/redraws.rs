//! Redraws (§9d to §9j, §9n, §9o): a leader once in a turn, a hero once in the game, each for his own unit.

use crate::engine::{Clause, Question, Ruling, Say, Subject, Touch, list};

use super::events::{Chips, Redrawn, Saviour};
use super::orders::Activation;
use super::play::Play;
use super::policy::{Again, Draw, HERO, HERO_DEFAULT, LEADER_DEFAULT, Policy, REDRAW, Redraw};
use super::state::HeroFate;
use super::terms::{Power, UnitId};

impl Play<'_, '_> {
    /// Lets the leaders and then the heroes of the units have failed chips drawn again (§9d, §9n, §A43, §A46).
    ///
    /// `entry` is the activation being carried out, if it is the owner's.
    pub fn redraw(
        &mut self,
        units: &[UnitId],
        draw: Draw,
        purpose: &str,
        mut chips: Vec<u16>,
        fails: impl Fn(u16) -> bool,
        entry: Option<&Activation>,
    ) -> Ruling<(Vec<u16>, Vec<Redrawn>)> {
        let mut redrawn = Vec::new();
        let Some((first, power)) = units.first().and_then(|id| Some((*id, self.unit(*id)?.power))) else {
            return Ok((chips, redrawn));
        };
        // §9h2, §9l: hit chips of guns and Gatlings stand.
        if matches!(draw, Draw::Fire | Draw::Melee) && !self.unit(first).is_some_and(|unit| unit.arm.redraws_hits()) {
            return Ok((chips, redrawn));
        }
        for saviour in self.saviours(units) {
            let missed: Vec<usize> =
                (0..chips.len()).filter(|i| chips.get(*i).is_some_and(|chip| fails(*chip))).collect();
            if missed.is_empty() {
                break;
            }
            let again = self.ask_again(saviour, units, power, draw, &chips, missed.len(), entry)?;
            let count = match again {
                Again::Accept => continue,
                Again::One => 1,
                Again::All => missed.len(),
            };
            self.use_up(saviour);
            let read = |chips: &[u16]| draw.read(chips, &fails);
            let fresh = self.draw((first, power), purpose, count, read, Touch::default())?;
            let mut instead_of = Vec::new();
            for (index, chip) in missed.iter().zip(fresh.faces()) {
                if let Some(old) = chips.get_mut(*index) {
                    instead_of.push(std::mem::replace(old, *chip));
                }
            }
            // In an outlook the chips put back are as little known as the new ones.
            let instead_of = if fresh.is_foreseen() { Vec::new() } else { instead_of };
            redrawn.push(Redrawn { by: saviour, instead_of, chips: Chips(fresh) });
        }
        Ok((chips, redrawn))
    }

    /// The leaders of units who are unused, in the order of their list, then the heroes who are (§A39, §A46).
    fn saviours(&self, units: &[UnitId]) -> Vec<Saviour> {
        let now = self.now();
        let leaders = units.iter().flat_map(|unit| now.leaders_with(*unit)).filter(|id| !now.state.leader(*id).used);
        let heroes = units.iter().filter_map(|unit| now.ready_hero(*unit)).map(Saviour::Hero);
        leaders.map(Saviour::Leader).chain(heroes).collect()
    }

    /// Who would have a failed activation drawn again, as far as that is laid down.
    pub fn standing_by(&mut self, units: &[UnitId], entry: &Activation) -> Ruling<Vec<Saviour>> {
        let Some(power) = units.first().and_then(|id| Some(self.unit(*id)?.power)) else { return Ok(Vec::new()) };
        let before = self.here().clone();
        let mut all = Vec::new();
        for saviour in self.saviours(units) {
            if self.ask_again(saviour, units, power, Draw::Activation, &[], 1, Some(entry))? != Again::Accept {
                self.use_up(saviour);
                all.push(saviour);
            }
        }
        *self.here() = before;
        Ok(all)
    }

    fn use_up(&mut self, saviour: Saviour) {
        match saviour {
            Saviour::Leader(id) => {
                if let Some(leader) = self.here().leaders.get_mut(&id) {
                    leader.used = true;
                }
            }
            Saviour::Hero(id) => {
                self.here().heroes.insert(id, HeroFate::Used);
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "one question with everything it is about")]
    fn ask_again(
        &mut self,
        saviour: Saviour,
        units: &[UnitId],
        power: Power,
        draw: Draw,
        chips: &[u16],
        missed: usize,
        entry: Option<&Activation>,
    ) -> Ruling<Again> {
        let (kind, name, clause, listed) = match saviour {
            Saviour::Leader(id) => {
                (REDRAW, id.to_string(), draw.clause(), entry.and_then(|entry| entry.redraw.as_ref()))
            }
            Saviour::Hero(id) => (HERO, id.to_string(), Clause("9n"), entry.and_then(|entry| entry.hero.as_ref())),
        };
        // One missed chip is all there are.
        let plain = |again: Again| if missed == 1 && again == Again::One { Again::All } else { again };
        let now = self.now();
        let leader_could = units.iter().flat_map(|unit| now.leaders_with(*unit)).any(|id| !now.state.leader(id).used);
        let default = match saviour {
            Saviour::Leader(_) => draw.again(LEADER_DEFAULT),
            // The hero is kept while a leader could still act on the activation.
            Saviour::Hero(_) if draw == Draw::Activation && leader_could => Again::Accept,
            Saviour::Hero(_) => draw.again(HERO_DEFAULT),
        };
        let mut options = vec![Again::Accept];
        if missed > 1 {
            options.push(Again::One);
        }
        options.push(Again::All);
        let came = if chips.is_empty() { "fails".to_owned() } else { format!("came to {}", list(chips)) };
        let who = units.first().map(UnitId::to_string).unwrap_or_default();
        let question = Question {
            who: power.side(),
            kind,
            about: Subject::of(&name),
            clause,
            text: format!("{} of {who} {came}: does {name} have it drawn again?", said(draw)),
            options,
            default,
            also: None,
        };
        let ordered = listed.map(|list: &Vec<Redraw>| plain(draw.again(list)));
        self.umpire.ask(question, ordered, |policy| match (policy, saviour) {
            (Policy::Redraw(per), Saviour::Leader(id)) => match per.get(&id) {
                Some(list) => Say::Choose(plain(draw.again(list))),
                None => Say::Default,
            },
            (Policy::Hero(list), Saviour::Hero(_)) => Say::Choose(plain(draw.again(list))),
            _ => Say::Default,
        })
    }
}

/// A draw in words.
fn said(draw: Draw) -> &'static str {
    match draw {
        Draw::Activation => "the activation",
        Draw::Fire => "the shot",
        Draw::Melee => "the strike",
        Draw::Save { .. } => "the save",
        Draw::Opening => "the opening save",
        Draw::Rally => "the rally",
    }
}
