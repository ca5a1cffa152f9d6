//! A position against the rules: every invariant, recomputed from scratch.

use std::collections::BTreeMap;

use crate::board::Square;

use super::LoneWarrior;
use super::position::Position;
use super::state::{HeroFate, Place, Stage, State};
use super::terms::{Power, UnitId};

/// Every invariant of the rules that does not hold.
pub fn flaws(game: &LoneWarrior, state: &State) -> Vec<String> {
    let mut flaws = Vec::new();
    if state.fields.keys().ne(game.fields.iter()) {
        flaws.push("other battlefields than those in play".to_owned());
        return flaws;
    }
    let over = state.fields.values().all(|field| field.winner.is_some());
    if over != (state.stage == Stage::Over) {
        flaws.push("the game is over if and only if every battlefield is decided".to_owned());
    }
    for position in game.positions(state) {
        field_flaws(&position, &mut flaws);
        if matches!(state.stage, Stage::SpanishTurn | Stage::UsTurn | Stage::Over) {
            leader_flaws(&position, &mut flaws);
        }
    }
    flaws
}

fn field_flaws(now: &Position<'_>, flaws: &mut Vec<String>) {
    let known: Vec<UnitId> = now.state.units.keys().copied().collect();
    let mut roster = now.field.units.clone();
    roster.sort();
    if known != roster {
        flaws.push(format!("{}: the units are not those of the roster", now.id));
        return;
    }
    let mut boxes: BTreeMap<Square, UnitId> = BTreeMap::new();
    for (id, unit) in &now.state.units {
        let Some(counter) = now.unit(*id) else { continue };
        let on_map = match unit.at {
            Place::At(square) => {
                if !now.field.is_passable(square) {
                    flaws.push(format!("{id} stands in {square}, where nobody can"));
                }
                if let Some(other) = boxes.insert(square, *id) {
                    flaws.push(format!("{id} and {other} stand in {square} together (§A13)"));
                }
                true
            }
            Place::OffTable | Place::Lost => false,
        };
        if on_map != unit.facing.is_some() {
            flaws.push(format!("{id} has a facing if and only if it is on the map"));
        }
        if unit.at != Place::Lost && counter.is_off_table() == on_map {
            flaws.push(format!("{id} is on the wrong side of the map edge (§10d)"));
        }
        if unit.at == Place::Lost && !counter.counts() {
            flaws.push(format!("{id} is lost, which cannot be (§A21)"));
        }
        if unit.disordered && (counter.steps < 2 || unit.at == Place::Lost) {
            flaws.push(format!("{id} is disordered (§8a)"));
        }
        if unit.activated && !now.state.acting {
            flaws.push(format!("{id} is marked as activated outside a player turn"));
        }
        if let Some(hero) = counter.hero {
            let dead = now.state.heroes.get(&hero) == Some(&HeroFate::Dead);
            if dead != (unit.at == Place::Lost) {
                flaws.push(format!("{hero} dies with {id} and not otherwise (§9v, §9w)"));
            }
        }
    }
    for area in &now.field.areas {
        let holder = now.state.unit_in(area.at).and_then(|id| now.power(id));
        let captured = now.state.captured.contains(&area.id);
        if holder.is_some_and(|power| (power == Power::Us) != captured) {
            flaws.push(format!("{} belongs to whoever stands in {} (§A49)", area.id, area.at));
        }
    }
    let us = now.lost(Power::Us) >= now.game.spain_needs(now.field);
    let held = u32::try_from(now.state.captured.len()).unwrap_or(u32::MAX);
    let terrain = !now.game.options.us_need_terrain || held >= now.field.areas_needed;
    let spain = now.lost(Power::Spain) >= now.game.us_needs(now.field) && terrain;
    let won = match now.state.winner {
        Some(Power::Spain) => us && !spain,
        Some(Power::Us) => spain && !us,
        None => !us && !spain,
    };
    if !won {
        flaws.push(format!("{}: the victory test says otherwise (§A51)", now.id));
    }
}

fn leader_flaws(now: &Position<'_>, flaws: &mut Vec<String>) {
    for (id, state) in &now.state.leaders {
        let Some(leader) = now.leader(*id) else {
            flaws.push(format!("there is no leader {id} on {}", now.id));
            continue;
        };
        let Place::At(at) = state.at else {
            if state.at == Place::OffTable || state.with.is_some() {
                flaws.push(format!("{id} is neither on the map nor lost"));
            }
            continue;
        };
        if let Some(unit) = state.with {
            let joins = now.unit(unit).is_some_and(|unit| now.may_join(leader, unit).is_ok());
            if !joins || now.at(unit) != Some(at) {
                flaws.push(format!("{id} is attached to {unit}, which he cannot be (§9c, §9k, §A40)"));
            }
        }
        let overrun = now.unit_of_in(leader.power.enemy(), at).is_some();
        if overrun && now.state.winner.is_none() {
            flaws.push(format!("{id} stands in {at} with an enemy unit (§A38)"));
        }
    }
}
