//! What must always hold in a position, worked out from scratch.

use super::position::Position;
use super::state::{Place, State};
use super::terms::{Force, Piece};
use super::{SPAIN, SplendidLittleWar, US};

/// Every invariant of the rules that does not hold.
pub fn flaws(game: &SplendidLittleWar, state: &State) -> Vec<String> {
    let mut flaws = Vec::new();
    let now = Position { game, state };
    let data = &game.data;
    for (id, unit) in &state.units {
        let Some(printed) = data.unit(*id) else {
            flaws.push(format!("there is no counter {id}"));
            continue;
        };
        let on_map = unit.at.hex().is_some();
        if let Place::At(hex) = unit.at
            && !data.is_land(hex)
        {
            flaws.push(format!("{id} stands in {hex}, which is no land"));
        }
        let parts_out: Vec<Piece> =
            printed.parts.iter().copied().filter(|part| state.unit(*part).at.hex().is_some()).collect();
        if on_map && !parts_out.is_empty() {
            flaws.push(format!("{id} is on the map whole and in parts"));
        }
        if !printed.is_combat() && (unit.broken || unit.oos.is_some() || unit.ooc || unit.assaults.is_some()) {
            flaws.push(format!("{id} is no combat unit and has a marker"));
        }
        if printed.force == Force::Cuban && unit.ooc {
            flaws.push(format!("{id} is Out of Command (§11.0j)"));
        }
        if !on_map && unit.at != Place::Edge && (unit.assaults.is_some() || unit.broken) {
            flaws.push(format!("{id} is off the map and has a marker"));
        }
        if unit.engages && unit.at != Place::Edge {
            flaws.push(format!("{id} fights from the map edge and is not there"));
        }
        if state.wounded.contains_key(id) && unit.at != Place::Off {
            flaws.push(format!("{id} is wounded and not off the map"));
        }
        if unit.garrison && !game.options.garrison {
            flaws.push(format!("{id} is held by a rule not in use"));
        }
    }
    for side in [US, SPAIN] {
        for hex in now.hexes_of(side) {
            if now.overstacked(&now.fighters(hex, side), false) {
                flaws.push(format!("{hex} holds too many of {side} (§5.4)"));
            }
            if now.mixed(hex, &[]) {
                flaws.push(format!("{hex} holds Cubans and US units (§15.6l)"));
            }
            let other = if side == US { SPAIN } else { US };
            if !now.stack(hex, side).is_empty() && !now.stack(hex, other).is_empty() {
                flaws.push(format!("{hex} holds both sides"));
            }
        }
    }
    for hex in &state.us_held {
        if !data.is_prize(*hex) {
            flaws.push(format!("{hex} is held and counts for nothing"));
        }
        if now.held_by(*hex, SPAIN) {
            flaws.push(format!("{hex} is held by the US and occupied by Spain"));
        }
    }
    for (hex, held) in now.hexes_of(US).into_iter().map(|hex| (hex, state.us_held.contains(&hex))) {
        if data.is_prize(hex) && !held && now.held_by(hex, US) {
            flaws.push(format!("{hex} is occupied by the US and not held"));
        }
    }
    if state.balloon_up && now.balloon().is_none() {
        flaws.push("the balloon is up without a Base".into());
    }
    if state.turn == 0 || state.turn > game.turns() {
        flaws.push(format!("turn {} is not played", state.turn));
    }
    // Every step of the scenario is on the map, off it, or in the ledger of losses.
    let lost: u32 = state.losses.values().flat_map(|causes| causes.values()).sum();
    let counters = |(id, unit): (&Piece, &super::state::UnitState)| {
        let printed = data.unit(*id)?;
        let single = printed.parts.is_empty() && printed.is_combat();
        (single && unit.at == Place::Lost).then_some(1u32)
    };
    let dead: u32 = state.units.iter().filter_map(counters).sum();
    if lost != dead {
        flaws.push(format!("{dead} counters are out of the game, and {lost} steps are in the ledger"));
    }
    flaws
}
