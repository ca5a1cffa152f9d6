//! What would be legal instead: the remedy of a refused entry, taken from the same list as the template.

use super::actions::{Deed, Plan};
use super::check::Draft;
use super::data::Leader;
use super::orders::Activation;
use super::policy::Redraw;
use super::position::Bar;
use super::state::Place;
use super::terms::UnitId;

/// The key of an entry that a refusal is about; none if it is about the entry as a whole.
pub fn blamed(entry: &Activation, bar: &Bar) -> Option<&'static str> {
    let shot = bar.clause.0.starts_with("6.") && bar.clause.0 != "6.10e";
    match bar.clause.0 {
        "5a" | "A3" | "6.10e" => Some("unit"),
        // Two actions at once, or none.
        "5k" if entry.actions() != 1 => None,
        "A62" | "5.N2b" | "5.D4b" if entry.face.is_some() => Some("face"),
        "7p" if entry.melee.is_some() => Some("melee"),
        "7p" if entry.advance_facing.is_some() => Some("advance-facing"),
        _ if entry.shoot.is_some() && (shot || entry.r#move.is_none()) => Some("shoot"),
        _ if entry.charge.is_some() => Some("charge"),
        _ if entry.r#move.is_some() => Some("move"),
        _ if entry.turn.is_some() => Some("turn"),
        _ if entry.exchange.is_some() => Some("exchange"),
        _ if entry.rally => Some("rally"),
        _ => None,
    }
}

impl Draft<'_> {
    /// What may be written in place of what was refused.
    pub fn instead(&self, entry: &Activation, key: Option<&'static str>) -> Option<String> {
        let now = self.now();
        if key == Some("unit") {
            let ready: Vec<String> = now.eligible(self.power).map(|unit| unit.to_string()).collect();
            return Some(match ready.as_slice() {
                [] => "every unit has been activated".to_owned(),
                ready => format!("not yet activated: {}", ready.join(", ")),
            });
        }
        let (what, one): (&str, fn(&Activation) -> Option<String>) = match key {
            Some("shoot") if entry.r#move.is_some() => return None,
            Some("shoot") => {
                ("shoot at", |one| one.shoot.filter(|_| one.r#move.is_none()).map(|unit| unit.to_string()))
            }
            Some("charge") => ("charge", |one| one.charge.map(|way| way.to_string())),
            Some("move") => ("move", |one| one.r#move.filter(|_| one.shoot.is_none()).map(|way| way.to_string())),
            Some("exchange") => ("exchange places", |one| one.exchange.map(|way| way.to_string())),
            _ => return None,
        };
        let mut legal: Vec<String> = Vec::new();
        for (option, plan) in now.choices(self.power, entry.unit) {
            let Some(word) = one(&option) else { continue };
            let said = if key == Some("shoot") { word } else { format!("{word} ({})", plan.goal()) };
            if !legal.contains(&said) {
                legal.push(said);
            }
        }
        let unit = entry.unit;
        Some(match legal.as_slice() {
            [] if key == Some("shoot") => format!("{unit} has nobody to shoot at from where it stands"),
            [] if key == Some("charge") => format!("{unit} has nobody to charge from where it stands"),
            [] => format!("{unit} cannot {what} now"),
            legal => format!("{unit} can {what} {}", legal.join(", ")),
        })
    }

    /// Whom a leader can join this turn.
    pub fn company(&self, leader: &Leader) -> Option<String> {
        let now = self.now();
        let Place::At(at) = now.state.leader(leader.id).at else { return None };
        let near: Vec<String> = (now.leader_reach(leader, at).into_iter())
            .filter_map(|to| now.joins_in(leader, to))
            .map(|u| u.to_string())
            .collect();
        (!near.is_empty()).then(|| format!("he can join {}", near.join(", ")))
    }

    /// Which draws of a unit can be repeated at all.
    pub fn redraws_of(&self, unit: UnitId) -> String {
        let infantry = self.now().unit(unit).is_some_and(|unit| unit.arm.redraws_hits());
        let words = Redraw::ALL.iter().filter(|redraw| infantry || !redraw.is_of_hits()).map(|redraw| redraw.as_str());
        format!("for {unit} there are {}", words.collect::<Vec<_>>().join(", "))
    }

    /// The units that have a leader now.
    pub fn led(&self) -> String {
        let now = self.now();
        let led = now.field.leaders.iter().filter_map(|id| {
            let unit = now.state.leader(*id).with?;
            (now.power(unit) == Some(self.power)).then(|| format!("{id} is with {unit}"))
        });
        let led: Vec<String> = led.collect();
        if led.is_empty() { "leave it out".to_owned() } else { format!("leave it out; {}", led.join(", ")) }
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
