//! What would be legal instead: the remedy of a refused entry, taken from the same list as the template.

use super::actions::{Deed, Plan};
use super::data::Leader;
use super::orders::Activation;
use super::policy::Redraw;
use super::position::Position;
use super::terms::{Power, UnitId};
use crate::board::Square;
use crate::engine::{Bar, list};

/// A bar with what would be legal instead added to its remedy.
pub fn or(bar: Bar, legal: Option<String>) -> Bar {
    match legal {
        Some(legal) => Bar { remedy: format!("{}; {legal}", bar.remedy), ..bar },
        None => bar,
    }
}

impl Position<'_> {
    /// What may be written in place of what a bar refuses.
    pub fn instead(&self, power: Power, entry: &Activation, bar: &Bar) -> Option<String> {
        let part = bar.part.to_string();
        let key = part.as_str();
        if key == "unit" {
            let ready = list(self.eligible(power));
            return Some(match ready.as_str() {
                "" => "every unit has been activated".to_owned(),
                ready => format!("not yet activated: {ready}"),
            });
        }
        let (what, one): (&str, fn(&Activation) -> Option<String>) = match key {
            "shoot" if entry.r#move.is_some() => return None,
            "shoot" => ("shoot at", |one| one.shoot.filter(|_| one.r#move.is_none()).map(|unit| unit.to_string())),
            "charge" => ("charge", |one| one.charge.map(|way| way.to_string())),
            "move" => ("move", |one| one.r#move.filter(|_| one.shoot.is_none()).map(|way| way.to_string())),
            "exchange" => ("exchange places", |one| one.exchange.map(|way| way.to_string())),
            _ => return None,
        };
        let mut legal: Vec<String> = Vec::new();
        for (option, plan) in self.choices(power, entry.unit) {
            let Some(word) = one(&option) else { continue };
            let said = if key == "shoot" { word } else { format!("{word} ({})", plan.goal()) };
            if !legal.contains(&said) {
                legal.push(said);
            }
        }
        let unit = entry.unit;
        Some(match legal.as_slice() {
            [] if key == "shoot" => format!("{unit} has nobody to shoot at from where it stands"),
            [] if key == "charge" => format!("{unit} has nobody to charge from where it stands"),
            [] => format!("{unit} cannot {what} now"),
            legal => format!("{unit} can {what} {}", legal.join(", ")),
        })
    }

    /// Whom a leader in a box can join this turn.
    pub fn company(&self, leader: &Leader, at: Square) -> String {
        let near = list(self.leader_reach(leader, at).into_iter().filter_map(|to| self.joins_in(leader, to)));
        if near.is_empty() { "can join nobody".to_owned() } else { format!("can join {near}") }
    }

    /// Which draws of a unit can be repeated at all.
    pub fn redraws_of(&self, unit: UnitId) -> String {
        let infantry = self.unit(unit).is_some_and(|unit| unit.arm.redraws_hits());
        let words = Redraw::ALL.iter().filter(|redraw| infantry || !redraw.is_of_hits());
        format!("for {unit} there are {}", list(words))
    }

    /// The units of a side that have a leader.
    pub fn led(&self, power: Power) -> String {
        let led = self.field.leaders.iter().filter_map(|id| {
            let unit = self.state.leader(*id).with?;
            (self.power(unit) == Some(power)).then(|| format!("{id} is with {unit}"))
        });
        let led = list(led);
        if led.is_empty() { "leave it out".to_owned() } else { format!("leave it out; {led}") }
    }
}

impl Plan {
    /// The box an action leads to or aims at, without the verb.
    fn goal(&self) -> String {
        match &self.deed {
            Deed::Move { path, .. } => path.last().map(|to| to.to_string()).unwrap_or_default(),
            Deed::Charge { target, at, .. } => format!("{target} in {at}"),
            Deed::Exchange { partner, .. } => partner.to_string(),
            _ => self.text(),
        }
    }
}
